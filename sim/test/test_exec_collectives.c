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
    "OpCapability SubgroupBallotKHR\nOpCapability SubgroupVoteKHR\nOpCapability Int8\nOpCapability Int16\n"              \
    "OpCapability Float16\nOpCapability Float64\n"                                                                       \
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
    "%c3 = OpConstant %int 3\n%c4 = OpConstant %int 4\n%c16 = OpConstant %int 16\n"                \
    "%c32 = OpConstant %int 32\n%gid = OpVariable %pv3 Input\n"                                    \
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
EXCHANGE(elected, true, i == 0)
/* The element is a mask, of which the bits from the size of the sub-group on do not count.  Where
 * its lowest or highest bit is wanted, one must be set. */
EXCHANGE(bits_reduced, size == 16, (uint32_t)__builtin_popcount(v[i] & 0xffff))
EXCHANGE(bits_until, size == 16, (uint32_t)__builtin_popcount(v[i] & (0xffff >> (15 - i))))
EXCHANGE(bits_before, size == 16, (uint32_t)__builtin_popcount(v[i] & ((1u << i) - 1)))
EXCHANGE(lowest, size == 16 && v[i] & 0xffff, (uint32_t)__builtin_ctz(v[i]))
EXCHANGE(highest, size == 16 && v[i] & 0xffff, 31 - (uint32_t)__builtin_clz(v[i] & 0xffff))
EXCHANGE(nth_bit, size == 16, v[i] >> n & 1)
EXCHANGE(own_bit, size == 16, v[i] >> i & 1)
/* Two sources: the second is the first plus 64. */
EXCHANGE(down_next, size == 16 && n <= size, i + n < size ? v[i + n] : v[i + n - size] + 64)
EXCHANGE(up_before, size == 16 && n <= size, i >= n ? v[i - n] : v[i + size - n] + 64)

/* %second is %a plus 64. */
#define SECOND                                                                                     \
    "%eight = OpShiftLeftLogical %int %c1 %c3\n%sum = OpIMul %int %eight %eight\n"                 \
    "%second = OpIAdd %int %a %sum\n"
#define MASK            "%m = OpCompositeConstruct %v4 %a %c0 %c0 %c0\n"
#define BIT_COUNT(form) MASK "%v = OpGroupNonUniformBallotBitCount %int %c3 " form " %m\n"
static const struct {
    const char *body;
    char type;
    exchange *compute;
    bool is_of_masks; /* its operand is a mask */
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
    {"%v = OpGroupAll %bool %c3 %t\n", 'b', all},
    {"%v = OpGroupAny %bool %c3 %t\n", 'b', any},
    {"%v = OpGroupBroadcast %int %c3 %a %n\n", 'i', nth},
    {"%v = OpGroupNonUniformElect %bool %c3\n", 'b', elected},
    {BIT_COUNT("Reduce"), 'i', bits_reduced, true},
    {BIT_COUNT("InclusiveScan"), 'i', bits_until, true},
    {BIT_COUNT("ExclusiveScan"), 'i', bits_before, true},
    {MASK "%v = OpGroupNonUniformBallotFindLSB %int %c3 %m\n", 'i', lowest, true},
    {MASK "%v = OpGroupNonUniformBallotFindMSB %int %c3 %m\n", 'i', highest, true},
    {MASK "%v = OpGroupNonUniformBallotBitExtract %bool %c3 %m %n\n", 'b', nth_bit, true},
    {MASK "%v = OpGroupNonUniformInverseBallot %bool %c3 %m\n", 'b', own_bit, true},
};

static void exchange_try(harness *h, size_t row, uint32_t kind, uint32_t n)
{
    enum { COUNT = 37 }; /* sub-groups of 16, 16 and 5 */
    uint32_t values[COUNT], seen[COUNT];
    for (uint32_t i = 0; i < COUNT; i++)
        values[i] = kind == 0   ? 3 * i + (i < 16)
                    : kind == 1 ? 5 + 2 * i
                    : kind == 2 ? 4 * i
                                : i * UINT32_C(0x9e3779b1);
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
            for (uint32_t kind = 0; kind < 4; kind++)
                for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
                    exchange_try(&h, row, kind, numbers[k]);
            harness_close(&h);
        }
    }
}

/* ---- Undefined bits -------------------------------------------------------------------------- */

enum { UNDEFINED_COUNT = 37 }; /* sub-groups of 16, 16 and 5 */

/* Runs a body over values of which element `at` has the undefined bits of `mask`; leaves the
 * undefined bits of the results in `out`, and returns the results' memory. */
static sim_object undefined_run(harness *h, const uint32_t *values, uint32_t at, uint32_t mask,
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
    return to;
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
        bool is_open = !compute(other, first, size, i - first, n, &b);
        assert_true(!is_open || exchanges[row].is_of_masks);
        uint32_t wanted = is_open ? 0 : a ^ b;
        if (exchanges[row].is_of_masks && at == i && mask & 0xffff) {
            /* Whether another bit of the mask matters is not tested. */
            if (exchanges[row].type == 'b' && wanted == 0) continue;
            wanted = exchanges[row].type == 'b' ? 1 : UINT32_MAX;
        } else if (exchanges[row].is_of_masks) {
            wanted = 0;
        }
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
            if (exchanges[row].is_of_masks) /* a bit that does not count */
                undefined_exchange_try(&h, row, undefined_places[k], 0x10000, 1);
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

/* The index of an exchange: if it is undefined, so is what the work-item gets.  A broadcast has one
 * index for all. */
static void undefined_indices(void **state)
{
    (void)state;
    enum { ITS_OWN, SUB_GROUP, WORK_GROUP };
    static const struct {
        const char *body;
        char type;
        int reach; /* whose results are undefined */
    } rows[] = {
        {"%v = OpGroupNonUniformShuffle %int %c3 %s %a\n", 'i', ITS_OWN},
        {"%v = OpGroupNonUniformShuffleXor %int %c3 %s %a\n", 'i', ITS_OWN},
        {"%v = OpSubgroupShuffleINTEL %int %s %a\n", 'i', ITS_OWN},
        {"%v = OpSubgroupShuffleDownINTEL %int %s %s %a\n", 'i', ITS_OWN},
        {"%m = OpCompositeConstruct %v4 %c4 %c0 %c0 %c0\n"
         "%v = OpGroupNonUniformBallotBitExtract %bool %c3 %m %a\n",
         'b', ITS_OWN},
        {"%v = OpGroupBroadcast %int %c3 %s %a\n", 'i', SUB_GROUP},
        {"%v = OpSubgroupReadInvocationKHR %int %s %a\n", 'i', SUB_GROUP},
        {"%v = OpGroupBroadcast %int %c2 %s %a\n", 'i', WORK_GROUP},
    };
    for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
        harness h = open_body(rows[row].body, rows[row].type, sim_engine_best());
        for (size_t k = 0; k < sizeof undefined_places / sizeof *undefined_places; k++) {
            uint32_t values[UNDEFINED_COUNT], seen[UNDEFINED_COUNT], at = undefined_places[k];
            for (uint32_t i = 0; i < UNDEFINED_COUNT; i++)
                values[i] = 2;
            undefined_run(&h, values, at, 1, 0, seen);
            for (uint32_t i = 0; i < UNDEFINED_COUNT; i++) {
                bool is_undefined = rows[row].reach == WORK_GROUP ||
                                    (rows[row].reach == SUB_GROUP ? at / 16 == i / 16 : at == i);
                uint32_t wanted = !is_undefined ? 0 : rows[row].type == 'b' ? 1 : UINT32_MAX;
                if (seen[i] == wanted) continue;
                fail_msg("%selement %u, index of %u undefined: %#x, expected %#x", rows[row].body,
                         i, at, seen[i], wanted);
            }
        }
        harness_close(&h);
    }
}

/* ---- Some of a sub-group --------------------------------------------------------------------- */

/* Only work-items whose values are odd take part; the others have 64.  The result of element i of a
 * sub-group, and the work-items that it depends on. */
typedef uint32_t some(const uint32_t *v, uint32_t size, uint32_t i, uint32_t *out_reads);

static uint32_t some_sum(const uint32_t *v, uint32_t from, uint32_t end, uint32_t *out_reads)
{
    uint32_t sum = 0;
    for (uint32_t k = from; k < end; k++) {
        sum += v[k] & 1 ? v[k] : 0;
        *out_reads |= (v[k] & 1) << k;
    }
    return sum;
}

#define SOME(name, expression)                                                                     \
    static uint32_t name(const uint32_t *v, uint32_t size, uint32_t i, uint32_t *reads)            \
    {                                                                                              \
        (void)v, (void)size, (void)i, (void)reads;                                                 \
        return expression;                                                                         \
    }
static uint32_t taken(const uint32_t *v, uint32_t i, uint32_t *reads)
{
    *reads |= 1u << i;
    return v[i];
}
static uint32_t first_odd(const uint32_t *v)
{
    uint32_t i = 0;
    while (!(v[i] & 1))
        i++;
    return i;
}
static uint32_t greatest(const uint32_t *v, uint32_t size, uint32_t i, uint32_t *reads)
{
    uint32_t most = 0;
    (void)i;
    for (uint32_t k = 0; k < size; k++) {
        if (!(v[k] & 1)) continue;
        most = v[k] > most ? v[k] : most;
        *reads |= 1u << k;
    }
    return most;
}
SOME(some_reduced, some_sum(v, 0, size, reads))
SOME(some_until, some_sum(v, 0, i + 1, reads))
SOME(some_before, some_sum(v, 0, i, reads))
SOME(some_of_four, some_sum(v, i / 4 * 4, i / 4 * 4 + 4 < size ? i / 4 * 4 + 4 : size, reads))
SOME(some_first, taken(v, first_odd(v), reads))
SOME(some_elected, first_odd(v) == i)
SOME(some_ballot, ballot_of(v, size))
SOME(some_itself, taken(v, i, reads))
SOME(some_fifth, taken(v, 4, reads))
SOME(some_all, 1)

static void some_take_part(void **state)
{
    (void)state;
    static const struct {
        const char *operation; /* computes %p, an int */
        some *compute;
        bool is_fold; /* its results have no defined bits if one of their inputs has not all */
    } rows[] = {
        {"%p = OpGroupNonUniformIAdd %int %c3 Reduce %a\n", some_reduced, true},
        {"%p = OpGroupNonUniformIAdd %int %c3 InclusiveScan %a\n", some_until, true},
        {"%p = OpGroupNonUniformIAdd %int %c3 ExclusiveScan %a\n", some_before, true},
        {"%p = OpGroupNonUniformIAdd %int %c3 ClusteredReduce %a %c4\n", some_of_four, true},
        {"%p = OpGroupNonUniformUMax %int %c3 Reduce %a\n", greatest, true},
        {"%p = OpGroupNonUniformBroadcastFirst %int %c3 %a\n", some_first, false},
        {"%p = OpSubgroupFirstInvocationKHR %int %a\n", some_first, false},
        {"%p = OpGroupNonUniformBroadcast %int %c3 %a %c4\n", some_fifth, false},
        {"%p = OpGroupNonUniformShuffle %int %c3 %a %c4\n", some_fifth, false},
        {"%p = OpGroupNonUniformShuffle %int %c3 %a %s\n", some_itself, false},
        {"%p = OpGroupNonUniformShuffleXor %int %c3 %a %c0\n", some_itself, false},
        {"%p = OpGroupNonUniformShuffleUp %int %c3 %a %c0\n", some_itself, false},
        {"%q = OpGroupNonUniformBallot %v4 %c3 %t\n%p = OpCompositeExtract %int %q 0\n",
         some_ballot, false},
        {"%q = OpGroupNonUniformElect %bool %c3\n%p = OpSelect %int %q %c1 %c0\n", some_elected,
         false},
        {"%q = OpGroupNonUniformAll %bool %c3 %t\n%p = OpSelect %int %q %c1 %c0\n", some_all,
         false},
        {"%q = OpGroupNonUniformAllEqual %bool %c3 %low\n%p = OpSelect %int %q %c1 %c0\n", some_all,
         false},
    };
    /* Which elements of each sub-group are odd; the fifth always is. */
    static const uint32_t odd[] = {0x2492, 0xfffe, 0x0010, 0x7fff, 0xffff};
    static const uint32_t undefined_at[] = {1, 4, 20, 33};
    for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
        char body[512];
        snprintf(body, sizeof body,
                 "%%kept = OpShiftLeftLogical %%int %%c4 %%c4\n"
                 "OpSelectionMerge %%no None\nOpBranchConditional %%t %%yes %%no\n%%yes = OpLabel\n"
                 "%sOpBranch %%no\n%%no = OpLabel\n%%v = OpPhi %%int %%p %%yes %%kept %%b\n",
                 rows[row].operation);
        harness h = open_body(body, 'i', sim_engine_best());
        for (size_t k = 0; k < sizeof odd / sizeof *odd; k++) {
            for (size_t u = 0; u < sizeof undefined_at / sizeof *undefined_at; u++) {
                uint32_t values[UNDEFINED_COUNT], undefined[UNDEFINED_COUNT], at = undefined_at[u];
                for (uint32_t i = 0; i < UNDEFINED_COUNT; i++)
                    values[i] = 2 * (i * 7 % 50) + 64 * i + (odd[k] >> i % 16 & 1);
                uint32_t result[UNDEFINED_COUNT];
                sim_object to = undefined_run(&h, values, at, 2, 0, undefined);
                harness_read_back(&h, to, result, sizeof result);
                for (uint32_t i = 0; i < UNDEFINED_COUNT; i++) {
                    uint32_t first = i / 16 * 16, left = UNDEFINED_COUNT - first, reads = 0;
                    uint32_t size = left < 16 ? left : 16, wanted = 64, wanted_undefined = 0;
                    if (values[i] & 1) {
                        wanted = rows[row].compute(values + first, size, i - first, &reads);
                        if (at / 16 == i / 16 && reads >> (at - first) & 1)
                            wanted_undefined = rows[row].is_fold ? UINT32_MAX : 2;
                    }
                    if (undefined[i] == wanted_undefined &&
                        (wanted_undefined || result[i] == wanted))
                        continue;
                    fail_msg("%selement %u, %u undefined: %#x, expected %#x; undefined bits %#x, "
                             "expected %#x",
                             rows[row].operation, i, at, result[i], wanted, undefined[i],
                             wanted_undefined);
                }
            }
        }
        harness_close(&h);
    }
}

/* ---- Other types ----------------------------------------------------------------------------- */

/* Small integers as numbers of a type: bits of a signed integer, or of a float. */
static const struct {
    const char *type, *declaration;
    uint32_t bits, exponent_bits; /* 0: an integer */
} types[] = {
    {"t8", "%t8 = OpTypeInt 8 0\n", 8, 0},
    {"t16", "%t16 = OpTypeInt 16 0\n", 16, 0},
    {"long", "", 64, 0},
    {"t16f", "%t16f = OpTypeFloat 16\n", 16, 5},
    {"t64f", "%t64f = OpTypeFloat 64\n", 64, 11},
};

static const struct {
    const char *operation; /* after "OpGroup" */
    bool is_float;
    int64_t first_8, first_16, first_64; /* what an exclusive scan begins with */
} wide_folds[] = {
    {"IAdd", false, 0, 0, 0},
    {"SMin", false, INT8_MAX, INT16_MAX, INT64_MAX},
    {"SMax", false, INT8_MIN, INT16_MIN, INT64_MIN},
    {"UMin", false, -1, -1, -1},
    {"UMax", false, 0, 0, 0},
    {"IMulKHR", false, 1, 1, 1},
    {"BitwiseAndKHR", false, -1, -1, -1},
    {"BitwiseOrKHR", false, 0, 0, 0},
    {"BitwiseXorKHR", false, 0, 0, 0},
    {"FAdd", true, 0, 0, 0},
    {"FMulKHR", true, 0, 0x3c00, INT64_C(0x3ff0000000000000)},
    {"FMin", true, 0, 0x7c00, INT64_C(0x7ff0000000000000)},
    {"FMax", true, 0, 0xfc00, INT64_C(-0x10000000000000)},
};

/* The bits of an integer as a number of the type; its magnitude is below 2048. */
static uint64_t number_bits(size_t type, int64_t value)
{
    uint32_t bits = types[type].bits, exponent_bits = types[type].exponent_bits;
    if (exponent_bits == 0) return (uint64_t)value & UINT64_MAX >> (64 - bits);
    if (value == 0) return 0;
    uint64_t magnitude = (uint64_t)(value < 0 ? -value : value), exponent = 0;
    uint32_t fraction_bits = bits - 1 - exponent_bits;
    while (magnitude >> (exponent + 1))
        exponent++;
    uint64_t bias = (UINT64_C(1) << (exponent_bits - 1)) - 1;
    uint64_t fraction = (magnitude << (fraction_bits - exponent)) - (UINT64_C(1) << fraction_bits);
    return (uint64_t)(value < 0) << (bits - 1) | (exponent + bias) << fraction_bits | fraction;
}

static int64_t wide_step(const char *operation, uint32_t bits, int64_t a, int64_t b)
{
    uint64_t mask = UINT64_MAX >> (64 - bits), x = (uint64_t)a & mask, y = (uint64_t)b & mask;
    if (strcmp(operation, "SMin") == 0 || strcmp(operation, "FMin") == 0) return a < b ? a : b;
    if (strcmp(operation, "SMax") == 0 || strcmp(operation, "FMax") == 0) return a > b ? a : b;
    if (strcmp(operation, "UMin") == 0) return x < y ? a : b;
    if (strcmp(operation, "UMax") == 0) return x > y ? a : b;
    if (strstr(operation, "Mul")) return a * b;
    if (strcmp(operation, "BitwiseAndKHR") == 0) return a & b;
    if (strcmp(operation, "BitwiseOrKHR") == 0) return a | b;
    if (strcmp(operation, "BitwiseXorKHR") == 0) return a ^ b;
    return a + b;
}

enum { WIDE_COUNT = 21 };

static void wide_try(size_t type, size_t row, group_form form, bool is_work_group)
{
    static char text[8192];
    const char *name = types[type].type, *operation = wide_folds[row].operation;
    uint32_t bits = types[type].bits, bytes = bits / 8;
    snprintf(
        text, sizeof text,
        "%s%s%s%%pw = OpTypePointer CrossWorkgroup %%%s\n%%fw = OpTypeFunction %%void %%pw %%pw\n"
        "%%k = OpFunction %%void None %%fw\n%%from = OpFunctionParameter %%pw\n"
        "%%to = OpFunctionParameter %%pw\n%%b = OpLabel\n%%ids = OpLoad %%v3 %%gid\n"
        "%%x = OpCompositeExtract %%long %%ids 0\n"
        "%%e = OpInBoundsPtrAccessChain %%pw %%from %%x\n%%a = OpLoad %%%s %%e Aligned %u\n"
        "%%v = OpGroup%s %%%s %s %s %%a\n%%er = OpInBoundsPtrAccessChain %%pw %%to %%x\n"
        "OpStore %%er %%v Aligned %u\nOpReturn\nOpFunctionEnd\n",
        CAPABILITIES, TYPES, types[type].declaration, name, name, bytes, operation, name,
        is_work_group ? "%c2" : "%c3", form_names[form], bytes);
    harness h = harness_text(text);
    uint8_t values[8 * WIDE_COUNT] = {0}, seen[8 * WIDE_COUNT];
    int64_t numbers[WIDE_COUNT];
    bool is_product = strstr(operation, "Mul") != NULL;
    bool is_ordered = operation[0] != 'F' && strpbrk(operation, "nx") != NULL; /* Min, Max, And */
    for (uint32_t i = 0; i < WIDE_COUNT; i++) {
        numbers[i] = is_product ? (i % 5 == 2   ? -1
                                   : i % 4 == 1 ? 2
                                                : 1)
                                : (int64_t)(i * 5 % 13) - 6;
        if (is_ordered) numbers[i] *= INT64_C(1) << (bits - 4); /* up to the highest bits */
        uint64_t value = number_bits(type, numbers[i]);
        memcpy(values + i * bytes, &value, bytes);
    }
    sim_object to = harness_memory(&h, "to", NULL, (size_t)bytes * WIDE_COUNT);
    sim_argument arguments[] = {
        harness_global(harness_memory(&h, "from", values, (size_t)bytes * WIDE_COUNT)),
        harness_global(to)};
    harness_run(&h, "k", harness_range(WIDE_COUNT, WIDE_COUNT), arguments, 2);
    harness_read_back(&h, to, seen, (size_t)bytes * WIDE_COUNT);
    int64_t first = bits == 8    ? wide_folds[row].first_8
                    : bits == 16 ? wide_folds[row].first_16
                                 : wide_folds[row].first_64;
    for (uint32_t i = 0; i < WIDE_COUNT; i++) {
        uint32_t size = is_work_group ? WIDE_COUNT : 16, begin = i / size * size;
        uint32_t end = begin + size < WIDE_COUNT ? begin + size : WIDE_COUNT;
        if (form != REDUCE) end = form == INCLUSIVE ? i + 1 : i;
        int64_t result = 0;
        for (uint32_t k = begin; k < end; k++)
            result = k == begin ? numbers[k] : wide_step(operation, bits, result, numbers[k]);
        uint64_t got = 0, mask = UINT64_MAX >> (64 - bits);
        uint64_t wanted = begin == end ? (uint64_t)first & mask : number_bits(type, result);
        memcpy(&got, seen + i * bytes, bytes);
        if (got == wanted) continue;
        fail_msg("OpGroup%s %s of %s, element %u: %#llx, expected %#llx", operation,
                 form_names[form], name, i, (unsigned long long)got, (unsigned long long)wanted);
    }
    harness_close(&h);
}

static void other_types(void **state)
{
    (void)state;
    for (size_t type = 0; type < sizeof types / sizeof *types; type++) {
        for (size_t row = 0; row < sizeof wide_folds / sizeof *wide_folds; row++) {
            if (wide_folds[row].is_float != (types[type].exponent_bits != 0)) continue;
            for (group_form form = REDUCE; form <= EXCLUSIVE; form++) {
                wide_try(type, row, form, false);
                wide_try(type, row, form, true);
            }
        }
    }
}

/* "If for any two Values one of them is a NaN, the other is chosen" (OpGroupNonUniformFMin); floats
 * of both signs that are zero are equal, and a NaN equals nothing, not even itself
 * (OpGroupNonUniformAllEqual). */
static void numbers_that_are_none(void **state)
{
    (void)state;
    enum { COUNT = 21 };
    const uint32_t nan_bits = 0x7fc00000, minus_zero = 0x80000000;
    static const struct {
        const char *body;
        char type;
        uint32_t others,
            wanted[2]; /* the bits of all other elements, and each sub-group's result */
    } rows[] = {
        {"%v = OpGroupNonUniformFMin %float %c3 Reduce %f\n",
         'f',
         0x40000000,
         {0x40000000, 0x40000000}},
        {"%v = OpGroupNonUniformFMax %float %c3 Reduce %f\n",
         'f',
         0xc0000000,
         {0xc0000000, 0xc0000000}},
        {"%v = OpGroupNonUniformAllEqual %bool %c3 %f\n", 'b', 0x40000000, {0, 0}},
    };
    for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
        harness h = open_body(rows[row].body, rows[row].type, sim_engine_best());
        static const uint32_t places[] = {0, 7, 15};
        for (size_t k = 0; k < sizeof places / sizeof *places; k++) {
            uint32_t values[COUNT], seen[COUNT];
            for (uint32_t i = 0; i < COUNT; i++)
                values[i] = i % 16 == places[k] % 5 || i == places[k] ? nan_bits : rows[row].others;
            run(&h, values, COUNT, 0, seen);
            for (uint32_t i = 0; i < COUNT; i++)
                assert_int_equal(seen[i], rows[row].wanted[i / 16]);
        }
        harness_close(&h);
    }
    harness h = open_body(rows[2].body, 'b', sim_engine_best());
    uint32_t values[COUNT], seen[COUNT];
    for (uint32_t i = 0; i < COUNT; i++)
        values[i] = i < 16 && i % 3 == 1 ? minus_zero : 0;
    run(&h, values, COUNT, 0, seen);
    for (uint32_t i = 0; i < COUNT; i++)
        assert_int_equal(seen[i], 1);
    harness_close(&h);
}

/* ---- Findings -------------------------------------------------------------------------------- */

/* Which work-item's request is wrong, and how often. */
static void wrong_requests(void **state)
{
    (void)state;
    HARNESS_IN_ORDER();
    static const struct {
        const char *body;
        uint32_t wrong_at, wrong; /* the element that differs, and its value; the others are 2 */
        const char *message;      /* NULL: nothing is wrong */
        uint64_t count;
    } rows[] = {
        {"%v = OpGroupNonUniformShuffle %int %c3 %s %a\n", 34, 4, NULL, 0},
        {"%v = OpGroupNonUniformShuffle %int %c3 %s %a\n", 34, 5,
         "shuffle from a work-item that does not take part, by work-item (34, 0, 0)", 1},
        {"%v = OpGroupNonUniformShuffle %int %c3 %s %a\n", 19, 15, NULL, 0},
        {"%v = OpGroupNonUniformShuffle %int %c3 %s %a\n", 19, 16,
         "shuffle from a work-item that does not take part, by work-item (19, 0, 0)", 1},
        {"%v = OpGroupNonUniformShuffleUp %int %c3 %s %a\n", 34, 3, NULL, 0},
        {"%v = OpGroupBroadcast %int %c3 %s %a\n", 18, 3,
         "broadcast with a source that differs between work-items, by work-item (16, 0, 0)", 16},
        {"%v = OpGroupBroadcast %int %c3 %s %a\n", 36, 3,
         "broadcast with a source that differs between work-items, by work-item (32, 0, 0)", 5},
        {"%v = OpGroupBroadcast %int %c2 %s %a\n", 36, 3,
         "broadcast with a source that differs between work-items, by work-item (0, 0, 0)", 37},
        {"%v = OpGroupBroadcast %int %c3 %s %c16\n", 0, 2,
         "broadcast from a work-item that does not take part, by work-item (0, 0, 0)", 37},
        {"%v = OpGroupNonUniformIAdd %int %c3 ClusteredReduce %s %c32\n", 0, 2,
         "cluster of more work-items than the sub-group has, by work-item (0, 0, 0)", 37},
        {"%v = OpGroupNonUniformIAdd %int %c3 ClusteredReduce %s %c16\n", 0, 2, NULL, 0},
    };
    for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
        harness h = open_body(rows[row].body, 'i', sim_engine_best());
        uint32_t values[UNDEFINED_COUNT], n = 0;
        for (uint32_t i = 0; i < UNDEFINED_COUNT; i++)
            values[i] = i == rows[row].wrong_at ? rows[row].wrong : 2;
        sim_argument arguments[] = {
            harness_global(harness_memory(&h, "from", values, sizeof values)),
            harness_global(harness_memory(&h, "to", NULL, sizeof values)), harness_value(&n, 4)};
        harness_try(&h, "k", harness_range(UNDEFINED_COUNT, UNDEFINED_COUNT), arguments, 3);
        assert_true(rt_ok(h.status));
        assert_int_equal(h.finding_count, rows[row].message ? 1 : 0);
        if (rows[row].message) {
            assert_string_equal(h.findings[0].message.data, rows[row].message);
            assert_int_equal(h.findings[0].count, rows[row].count);
            assert_string_equal(h.findings[0].kind, strstr(rows[row].body, "%c2")
                                                        ? "undefined-arithmetic"
                                                        : "subgroup-misuse");
        }
        harness_close(&h);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reductions_and_scans),  cmocka_unit_test(votes_and_shuffles),
        cmocka_unit_test(undefined_values),      cmocka_unit_test(undefined_indices),
        cmocka_unit_test(some_take_part),        cmocka_unit_test(other_types),
        cmocka_unit_test(numbers_that_are_none), cmocka_unit_test(wrong_requests),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
