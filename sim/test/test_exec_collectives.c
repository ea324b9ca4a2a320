/* Tests collective operations, each instruction against plain C: reductions, scans, clusters,
 * votes, broadcasts and shuffles, over sub-groups, the last of which is not full, and over
 * work-groups of several waves, on every engine. */
#include "sim/test/harness.h"

#include <math.h>

#define ITEMS_MAX 300u

/* ---- Folds ----------------------------------------------------------------------------------- */

typedef uint64_t step(uint64_t a, uint64_t b);

static float real(uint64_t bits)
{
    uint32_t low = (uint32_t)bits;
    float value;
    memcpy(&value, &low, sizeof value);
    return value;
}
static uint64_t bits(float value)
{
    uint32_t low;
    memcpy(&low, &value, sizeof low);
    return low;
}

#define STEP(name, expression)                                                                     \
    static uint64_t name(uint64_t x, uint64_t y)                                                   \
    {                                                                                              \
        uint32_t a = (uint32_t)x, b = (uint32_t)y;                                                 \
        return (uint32_t)(expression);                                                             \
    }
#define STEP_REAL(name, expression)                                                                \
    static uint64_t name(uint64_t x, uint64_t y)                                                   \
    {                                                                                              \
        float a = real(x), b = real(y);                                                            \
        return bits(expression);                                                                   \
    }
STEP(iadd, a + b)
STEP(imul, a *b)
STEP(smin, (int32_t)a < (int32_t)b ? a : b)
STEP(umin, a < b ? a : b)
STEP(smax, (int32_t)a > (int32_t)b ? a : b)
STEP(umax, a > b ? a : b)
STEP(and, a &b)
STEP(or, a | b)
STEP(xor, a ^ b)
STEP_REAL(f_add, a + b)
STEP_REAL(f_mul, a *b)
STEP_REAL(f_min, a < b ? a : b)
STEP_REAL(f_max, a > b ? a : b)

/* i: 32-bit integer, f: float, b: bool.  `first` is the first result of an exclusive scan. */
static const struct {
    const char *name;
    char type;
    step *compute;
    uint32_t first;
} folds[] = {
    {"OpGroupIAdd", 'i', iadd, 0},
    {"OpGroupFAdd", 'f', f_add, 0},
    {"OpGroupFMin", 'f', f_min, 0x7f800000},
    {"OpGroupUMin", 'i', umin, UINT32_MAX},
    {"OpGroupSMin", 'i', smin, INT32_MAX},
    {"OpGroupFMax", 'f', f_max, 0xff800000},
    {"OpGroupUMax", 'i', umax, 0},
    {"OpGroupSMax", 'i', smax, UINT32_C(0x80000000)},
    {"OpGroupIMulKHR", 'i', imul, 1},
    {"OpGroupFMulKHR", 'f', f_mul, 0x3f800000},
    {"OpGroupBitwiseAndKHR", 'i', and, UINT32_MAX},
    {"OpGroupBitwiseOrKHR", 'i', or, 0},
    {"OpGroupBitwiseXorKHR", 'i', xor, 0},
    {"OpGroupLogicalAndKHR", 'b', and, 1},
    {"OpGroupLogicalOrKHR", 'b', or, 0},
    {"OpGroupLogicalXorKHR", 'b', xor, 0},
    {"OpGroupNonUniformIAdd", 'i', iadd, 0},
    {"OpGroupNonUniformFAdd", 'f', f_add, 0},
    {"OpGroupNonUniformIMul", 'i', imul, 1},
    {"OpGroupNonUniformFMul", 'f', f_mul, 0x3f800000},
    {"OpGroupNonUniformSMin", 'i', smin, INT32_MAX},
    {"OpGroupNonUniformUMin", 'i', umin, UINT32_MAX},
    {"OpGroupNonUniformFMin", 'f', f_min, 0x7f800000},
    {"OpGroupNonUniformSMax", 'i', smax, UINT32_C(0x80000000)},
    {"OpGroupNonUniformUMax", 'i', umax, 0},
    {"OpGroupNonUniformFMax", 'f', f_max, 0xff800000},
    {"OpGroupNonUniformBitwiseAnd", 'i', and, UINT32_MAX},
    {"OpGroupNonUniformBitwiseOr", 'i', or, 0},
    {"OpGroupNonUniformBitwiseXor", 'i', xor, 0},
    {"OpGroupNonUniformLogicalAnd", 'b', and, 1},
    {"OpGroupNonUniformLogicalOr", 'b', or, 0},
    {"OpGroupNonUniformLogicalXor", 'b', xor, 0},
};

typedef enum group_form { REDUCE, INCLUSIVE, EXCLUSIVE, CLUSTERED, FORMS } group_form;
static const char *const form_names[FORMS] = {"Reduce", "InclusiveScan", "ExclusiveScan",
                                              "ClusteredReduce"};

/* Element i of a fold over groups of `size` neighbours among `count`. */
static uint64_t fold(size_t row, group_form form, const uint64_t *values, uint32_t count,
                     uint32_t size, uint32_t i)
{
    uint32_t begin = i / size * size, end = begin + size < count ? begin + size : count;
    uint64_t result = folds[row].first;
    if (form == INCLUSIVE) end = i + 1;
    if (form == EXCLUSIVE) end = i;
    for (uint32_t k = begin; k < end; k++)
        result = k == begin ? values[k] : folds[row].compute(result, values[k]);
    return result;
}

/* ---- Modules --------------------------------------------------------------------------------- */

#define CAPABILITIES                                                                                                     \
    "OpCapability Addresses\nOpCapability Kernel\nOpCapability Int64\nOpCapability Groups\n"                             \
    "OpCapability GroupNonUniform\nOpCapability GroupNonUniformVote\n"                                                   \
    "OpCapability GroupNonUniformArithmetic\nOpCapability GroupNonUniformBallot\n"                                       \
    "OpCapability GroupNonUniformClustered\nOpCapability GroupNonUniformShuffle\n"                                       \
    "OpCapability GroupNonUniformShuffleRelative\n"                                                                      \
    "OpCapability GroupNonUniformRotateKHR\nOpCapability GroupUniformArithmeticKHR\nOpCapability SubgroupShuffleINTEL\n" \
    "OpCapability SubgroupBallotKHR\nOpCapability SubgroupVoteKHR\n"                                                     \
    "OpExtension \"SPV_KHR_subgroup_rotate\"\nOpExtension \"SPV_INTEL_subgroups\"\n"                                     \
    "OpExtension \"SPV_KHR_uniform_group_instructions\"\nOpExtension \"SPV_KHR_shader_ballot\"\n"                        \
    "OpExtension \"SPV_KHR_subgroup_vote\"\nOpMemoryModel Physical64 OpenCL\n"                                           \
    "OpEntryPoint Kernel %k \"k\" %gid %sid\nOpDecorate %gid BuiltIn GlobalInvocationId\n"                               \
    "OpDecorate %sid BuiltIn SubgroupLocalInvocationId\n"
#define TYPES                                                                                      \
    "%void = OpTypeVoid\n%bool = OpTypeBool\n%int = OpTypeInt 32 0\n%float = OpTypeFloat 32\n"     \
    "%long = OpTypeInt 64 0\n%v3 = OpTypeVector %long 3\n%v4 = OpTypeVector %int 4\n"              \
    "%pv3 = OpTypePointer Input %v3\n%pint = OpTypePointer Input %int\n"                           \
    "%ptr = OpTypePointer CrossWorkgroup %int\n%fn = OpTypeFunction %void %ptr %ptr %int\n"        \
    "%c0 = OpConstant %int 0\n%c1 = OpConstant %int 1\n%c2 = OpConstant %int 2\n"                  \
    "%c3 = OpConstant %int 3\n%c4 = OpConstant %int 4\n%gid = OpVariable %pv3 Input\n"             \
    "%sid = OpVariable %pint Input\n"
/* %a is the work-item's value, %f the same bits as a float, %t its lowest bit; %n is an argument,
 * %s the number in the sub-group. */
#define BEFORE                                                                                     \
    "%k = OpFunction %void None %fn\n%from = OpFunctionParameter %ptr\n"                           \
    "%to = OpFunctionParameter %ptr\n%n = OpFunctionParameter %int\n%b = OpLabel\n"                \
    "%ids = OpLoad %v3 %gid\n%x = OpCompositeExtract %long %ids 0\n%s = OpLoad %int %sid\n"        \
    "%e = OpInBoundsPtrAccessChain %ptr %from %x\n%a = OpLoad %int %e Aligned 4\n"                 \
    "%f = OpBitcast %float %a\n%low = OpBitwiseAnd %int %a %c1\n"                                  \
    "%t = OpINotEqual %bool %low %c0\n"
#define AFTER                                                                                      \
    "%er = OpInBoundsPtrAccessChain %ptr %to %x\nOpStore %er %r Aligned 4\nOpReturn\n"             \
    "OpFunctionEnd\n"

/* The instruction that converts a result of the given type to 32 bits. */
static const char *stored(char type)
{
    return type == 'f'   ? "%r = OpBitcast %int %v\n"
           : type == 'b' ? "%r = OpSelect %int %v %c1 %c0\n"
                         : "%r = OpCopyObject %int %v\n";
}

static harness open_body(const char *body, char type, uint32_t engine)
{
    static char text[8192];
    snprintf(text, sizeof text, "%s%s%s%s%s%s", CAPABILITIES, TYPES, BEFORE, body, stored(type),
             AFTER);
    harness h = harness_text(text);
    h.world->engine = engine;
    return h;
}

/* Runs one work-group and leaves its results in `out`. */
static void run(harness *h, const uint32_t *values, uint32_t count, uint32_t n, uint32_t *out)
{
    sim_object from = harness_memory(h, "from", values, count * sizeof *values);
    sim_object to = harness_memory(h, "to", NULL, count * sizeof *out);
    sim_argument arguments[] = {harness_global(from), harness_global(to), harness_value(&n, 4)};
    harness_run(h, "k", harness_range(count, count), arguments, 3);
    harness_read_back(h, to, out, count * sizeof *out);
}

/* Small numbers of both signs; floats whose sums and products are exact. */
static void values_make(char type, uint32_t count, uint32_t *raw, uint64_t *out)
{
    for (uint32_t i = 0; i < count; i++) {
        raw[i] = i % 7 == 3 ? 0 - i : (i * 5 + 1) % 11;
        if (type == 'f') raw[i] = (uint32_t)bits(i % 5 == 2 ? -1.0f : i % 9 == 4 ? 2.0f : 1.0f);
        if (type == 'b') raw[i] = i % 4 != 1;
        out[i] = raw[i];
    }
}

/* ---- Tests ----------------------------------------------------------------------------------- */

static harness fold_open(size_t row, group_form form, bool is_work_group, uint32_t engine)
{
    char type = folds[row].type, body[256];
    const char *name = type == 'f' ? "float" : type == 'b' ? "bool" : "int";
    snprintf(body, sizeof body, "%%v = %s %%%s %s %s %s %s\n", folds[row].name, name,
             is_work_group ? "%c2" : "%c3", form_names[form],
             type == 'f'   ? "%f"
             : type == 'b' ? "%t"
                           : "%a",
             form == CLUSTERED ? "%c4" : "");
    return open_body(body, type, engine);
}

static void fold_try(size_t row, group_form form, uint32_t count, bool is_work_group,
                     uint32_t engine)
{
    uint32_t raw[ITEMS_MAX], seen[ITEMS_MAX];
    uint64_t values[ITEMS_MAX];
    harness h = fold_open(row, form, is_work_group, engine);
    values_make(folds[row].type, count, raw, values);
    run(&h, raw, count, 0, seen);
    uint32_t size = is_work_group ? count : form == CLUSTERED ? 4 : 16;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t wanted = (uint32_t)fold(row, form, values, count, size, i);
        if (seen[i] == wanted) continue;
        fail_msg("%s %s of %u work-items, element %u: %x, expected %x", folds[row].name,
                 form_names[form], count, i, seen[i], wanted);
    }
    harness_close(&h);
}

#define FOR_EACH_ENGINE(engine)                                                                    \
    for (uint32_t engine = 0; engine < SIM_ENGINE_COUNT; engine++)                                 \
        if (sim_engine_at(engine))

static void reductions_and_scans(void **state)
{
    (void)state;
    for (size_t row = 0; row < sizeof folds / sizeof *folds; row++) {
        bool is_uniform = strncmp(folds[row].name, "OpGroupNonUniform", 17) != 0;
        for (group_form form = REDUCE; form < FORMS; form++) {
            if (is_uniform && form == CLUSTERED) continue;
            FOR_EACH_ENGINE(engine)
            {
                fold_try(row, form, 21, false, engine);
                if (is_uniform) fold_try(row, form, ITEMS_MAX, true, engine);
            }
        }
    }
}

/* The result of element i of an exchange in a sub-group of `size` elements that begins at `first`.
 * False if the specification leaves the result open. */
typedef bool exchange(const uint32_t *values, uint32_t first, uint32_t size, uint32_t i, uint32_t n,
                      uint32_t *out);

#define EXCHANGE(name, is_defined, expression)                                                     \
    static bool name(const uint32_t *values, uint32_t first, uint32_t size, uint32_t i,            \
                     uint32_t n, uint32_t *out)                                                    \
    {                                                                                              \
        const uint32_t *v = values + first;                                                        \
        (void)v, (void)size, (void)i, (void)n;                                                     \
        if (!(is_defined)) return false;                                                           \
        *out = expression;                                                                         \
        return true;                                                                               \
    }

static uint32_t ones(const uint32_t *v, uint32_t size)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < size; i++)
        count += v[i] & 1;
    return count;
}
static uint32_t ballot_of(const uint32_t *v, uint32_t size)
{
    uint32_t mask = 0;
    for (uint32_t i = 0; i < size; i++)
        mask |= (v[i] & 1) << i;
    return mask;
}
EXCHANGE(all, true, ones(v, size) == size)
EXCHANGE(any, true, ones(v, size) > 0)
EXCHANGE(all_equal, true, ones(v, size) == size || ones(v, size) == 0)
EXCHANGE(ballot, true, ballot_of(v, size))
EXCHANGE(first_value, true, v[0])
EXCHANGE(nth, n < size, v[n])
EXCHANGE(third, true, v[3])
EXCHANGE(other, (i ^ n) < size, v[i ^ n])
EXCHANGE(up, i >= n, v[i - n])
EXCHANGE(down, i + n < size, v[i + n])
EXCHANGE(rotated, size == 16, v[(i + n) % size])
EXCHANGE(rotated_in_four, size == 16, v[i / 4 * 4 + (i + n) % 4])
/* Two sources: the second is the first plus 64. */
EXCHANGE(down_next, size == 16 && n <= size, i + n < size ? v[i + n] : v[i + n - size] + 64)
EXCHANGE(up_before, size == 16 && n <= size, i >= n ? v[i - n] : v[i + size - n] + 64)

/* %second is %a plus 64. */
#define SECOND                                                                                     \
    "%eight = OpShiftLeftLogical %int %c1 %c3\n%sum = OpIMul %int %eight %eight\n"                 \
    "%second = OpIAdd %int %a %sum\n"
static const struct {
    const char *body;
    char type;
    exchange *compute;
} exchanges[] = {
    {"%v = OpGroupNonUniformAll %bool %c3 %t\n", 'b', all},
    {"%v = OpGroupNonUniformAny %bool %c3 %t\n", 'b', any},
    {"%v = OpGroupNonUniformAllEqual %bool %c3 %low\n", 'b', all_equal},
    {"%v = OpSubgroupAllKHR %bool %t\n", 'b', all},
    {"%v = OpSubgroupAnyKHR %bool %t\n", 'b', any},
    {"%v = OpSubgroupAllEqualKHR %bool %t\n", 'b', all_equal},
    {"%m = OpSubgroupBallotKHR %v4 %t\n%v = OpCompositeExtract %int %m 0\n", 'i', ballot},
    {"%m = OpGroupNonUniformBallot %v4 %c3 %t\n%v = OpCompositeExtract %int %m 0\n", 'i', ballot},
    {"%v = OpSubgroupFirstInvocationKHR %int %a\n", 'i', first_value},
    {"%v = OpGroupNonUniformBroadcastFirst %int %c3 %a\n", 'i', first_value},
    {"%v = OpSubgroupReadInvocationKHR %int %a %n\n", 'i', nth},
    {"%v = OpGroupNonUniformBroadcast %int %c3 %a %c3\n", 'i', third},
    {"%v = OpGroupNonUniformShuffle %int %c3 %a %n\n", 'i', nth},
    {"%v = OpGroupNonUniformShuffleXor %int %c3 %a %n\n", 'i', other},
    {"%v = OpGroupNonUniformShuffleUp %int %c3 %a %n\n", 'i', up},
    {"%v = OpGroupNonUniformShuffleDown %int %c3 %a %n\n", 'i', down},
    {"%v = OpGroupNonUniformRotateKHR %int %c3 %a %n\n", 'i', rotated},
    {"%v = OpGroupNonUniformRotateKHR %int %c3 %a %n %c4\n", 'i', rotated_in_four},
    {"%v = OpSubgroupShuffleINTEL %int %a %n\n", 'i', nth},
    {"%v = OpSubgroupShuffleXorINTEL %int %a %n\n", 'i', other},
    {SECOND "%v = OpSubgroupShuffleDownINTEL %int %a %second %n\n", 'i', down_next},
    {SECOND "%v = OpSubgroupShuffleUpINTEL %int %second %a %n\n", 'i', up_before},
};

static void exchange_try(harness *h, size_t row, uint32_t kind, uint32_t n)
{
    enum { COUNT = 37 }; /* sub-groups of 16, 16 and 5 */
    uint32_t values[COUNT], seen[COUNT];
    for (uint32_t i = 0; i < COUNT; i++)
        values[i] = kind == 0 ? 3 * i + (i < 16) : kind == 1 ? 5 + 2 * i : 4 * i;
    sim_object from = harness_memory(h, "from", values, sizeof values);
    sim_object to = harness_memory(h, "to", NULL, sizeof seen);
    sim_argument arguments[] = {harness_global(from), harness_global(to), harness_value(&n, 4)};
    harness_try(h, "k", harness_range(COUNT, COUNT), arguments, 3);
    assert_true(rt_ok(h->status));
    harness_read_back(h, to, seen, sizeof seen);
    for (uint32_t i = 0; i < COUNT; i++) {
        uint32_t first = i / 16 * 16, size = COUNT - first < 16 ? COUNT - first : 16, wanted;
        if (!exchanges[row].compute(values, first, size, i - first, n, &wanted)) continue;
        if (seen[i] == wanted) continue;
        fail_msg("%selement %u with %u: %x, expected %x", exchanges[row].body, i, n, seen[i],
                 wanted);
    }
}

static void votes_and_shuffles(void **state)
{
    (void)state;
    static const uint32_t numbers[] = {0, 1, 3, 4, 15};
    for (size_t row = 0; row < sizeof exchanges / sizeof *exchanges; row++) {
        FOR_EACH_ENGINE(engine)
        {
            /* One world for all values, so that the kernel is compiled once. */
            harness h = open_body(exchanges[row].body, exchanges[row].type, engine);
            for (uint32_t kind = 0; kind < 3; kind++)
                for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
                    exchange_try(&h, row, kind, numbers[k]);
            harness_close(&h);
        }
    }
}

/* ---- Undefined bits -------------------------------------------------------------------------- */

enum { UNDEFINED_COUNT = 37 }; /* sub-groups of 16, 16 and 5 */

/* Runs a body over values of which element `at` has the undefined bits of `mask`; leaves the
 * undefined bits of the results in `out`. */
static void undefined_run(harness *h, const uint32_t *values, uint32_t at, uint32_t mask,
                          uint32_t n, uint32_t *out)
{
    size_t size = UNDEFINED_COUNT * sizeof *values;
    sim_object from = harness_memory(h, "from", NULL, size);
    sim_object to = harness_memory(h, "to", NULL, size);
    sim_memory *memory = sim_world_memory(h->world, from);
    uint32_t defined = ~mask;
    memcpy(memory->data, values, size);
    memset(memory->defined, 0xff, size);
    memcpy(memory->defined + 4 * at, &defined, 4);
    sim_argument arguments[] = {harness_global(from), harness_global(to), harness_value(&n, 4)};
    harness_try(h, "k", harness_range(UNDEFINED_COUNT, UNDEFINED_COUNT), arguments, 3);
    assert_true(rt_ok(h->status));
    for (uint32_t i = 0; i < h->finding_count; i++)
        assert_string_not_equal(h->findings[i].kind, "uninitialised");
    memory = sim_world_memory(h->world, to);
    memset(out, 0, size);
    for (uint32_t i = 0; i < UNDEFINED_COUNT && !memory->all_defined; i++) {
        memcpy(&defined, memory->defined + 4 * i, 4);
        out[i] = ~defined;
    }
}

/* An exchange moves undefined bits, and a vote is undefined if it can go either way: the results
 * for both values of the undefined bit tell. Only whether all are equal is undefined as soon as one
 * value is. */
static void undefined_exchange_try(harness *h, size_t row, uint32_t at, uint32_t mask, uint32_t n)
{
    uint32_t values[UNDEFINED_COUNT], other[UNDEFINED_COUNT], seen[UNDEFINED_COUNT];
    for (uint32_t i = 0; i < UNDEFINED_COUNT; i++)
        values[i] = other[i] = row % 2 ? 2 * i + 1 : i * 6;
    other[at] ^= mask;
    undefined_run(h, values, at, mask, n, seen);
    for (uint32_t i = 0; i < UNDEFINED_COUNT; i++) {
        uint32_t first = i / 16 * 16, a, b;
        uint32_t size = UNDEFINED_COUNT - first < 16 ? UNDEFINED_COUNT - first : 16;
        exchange *compute = exchanges[row].compute;
        if (!compute(values, first, size, i - first, n, &a)) continue;
        assert_true(compute(other, first, size, i - first, n, &b));
        uint32_t wanted = a ^ b;
        if (compute == all_equal) wanted = at / 16 == i / 16 && (mask & 1);
        if (seen[i] == wanted) continue;
        fail_msg("%selement %u with %u, bits %#x of %u undefined: %#x, expected %#x",
                 exchanges[row].body, i, n, mask, at, seen[i], wanted);
    }
}

/* A reduction or scan is undefined if one of its inputs is. */
static void undefined_fold_try(harness *h, size_t row, group_form form, bool is_work_group,
                               uint32_t at)
{
    uint32_t raw[UNDEFINED_COUNT], seen[UNDEFINED_COUNT];
    uint64_t values[UNDEFINED_COUNT];
    char type = folds[row].type;
    values_make(type, UNDEFINED_COUNT, raw, values);
    undefined_run(h, raw, at, 1, 0, seen);
    uint32_t size = is_work_group ? UNDEFINED_COUNT : form == CLUSTERED ? 4 : 16;
    for (uint32_t i = 0; i < UNDEFINED_COUNT; i++) {
        bool takes = at / size == i / size && !(form == INCLUSIVE && at > i) &&
                     !(form == EXCLUSIVE && at >= i);
        uint32_t wanted = !takes ? 0 : type == 'b' ? 1 : UINT32_MAX;
        if (seen[i] == wanted) continue;
        fail_msg("%s %s, element %u with %u undefined: %#x, expected %#x", folds[row].name,
                 form_names[form], i, at, seen[i], wanted);
    }
}

static const uint32_t undefined_places[] = {0, 3, 9, 17, 36};

static void undefined_folds_try(size_t row, group_form form, bool is_work_group)
{
    harness h = fold_open(row, form, is_work_group, sim_engine_best());
    for (size_t k = 0; k < sizeof undefined_places / sizeof *undefined_places; k++)
        undefined_fold_try(&h, row, form, is_work_group, undefined_places[k]);
    harness_close(&h);
}

static void undefined_values(void **state)
{
    (void)state;
    for (size_t row = 0; row < sizeof exchanges / sizeof *exchanges; row++) {
        harness h = open_body(exchanges[row].body, exchanges[row].type, sim_engine_best());
        for (size_t k = 0; k < sizeof undefined_places / sizeof *undefined_places; k++) {
            undefined_exchange_try(&h, row, undefined_places[k], 1, 3);
            undefined_exchange_try(&h, row, undefined_places[k], 0x10, 1);
        }
        harness_close(&h);
    }
    for (size_t row = 0; row < sizeof folds / sizeof *folds; row++) {
        bool is_uniform = strncmp(folds[row].name, "OpGroupNonUniform", 17) != 0;
        for (group_form form = REDUCE; form < FORMS; form++) {
            if (is_uniform && form == CLUSTERED) continue;
            undefined_folds_try(row, form, false);
            if (is_uniform) undefined_folds_try(row, form, true);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reductions_and_scans),
        cmocka_unit_test(votes_and_shuffles),
        cmocka_unit_test(undefined_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
