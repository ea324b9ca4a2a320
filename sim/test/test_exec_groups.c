/* Tests of groups and sub-groups of work-items, asynchronous copies, and atomics on 64-bit values,
 * floats and flags; expected values are computed here, work-item by work-item. */
#include "sim/test/harness.h"

#define ITEMS     1200u
#define ROWS      15u
#define IN(i)     ((int32_t)((i)*37u % 101u))
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))

typedef struct expected {
    int32_t sum, least, most, all, any, last;
} expected;

/* The reductions over the items [first, end). */
static expected whole(uint32_t first, uint32_t end)
{
    expected e = {0, INT32_MAX, INT32_MIN, 1, 0, IN(end - 1)};
    for (uint32_t i = first; i < end; i++) {
        e.sum += IN(i);
        e.least = MIN(e.least, IN(i));
        e.most = MAX(e.most, IN(i));
        e.all &= IN(i) < 90;
        e.any |= IN(i) == 7;
    }
    return e;
}

/* Rows 0 to 9 of both kernels, for the group [first, end). */
static void check_rows(const int32_t *out, uint32_t items, uint32_t first, uint32_t end)
{
    expected e = whole(first, end);
    int32_t sum = 0, least = INT32_MAX, most = INT32_MIN;
    for (uint32_t i = first; i < end; i++) {
        int32_t before = sum, least_before = least;
        sum += IN(i);
        least = MIN(least, IN(i));
        most = MAX(most, IN(i));
        int32_t want[10] = {e.sum,        e.least, e.most, sum,   before,
                            least_before, most,    e.all,  e.any, e.last};
        for (uint32_t k = 0; k < 10; k++) {
            int32_t got = out[k * items + i];
            if (k == 7 || k == 8) got = got != 0;
            if (got != want[k])
                fail_msg("row %u, item %u: got %d, expected %d", k, i, got, want[k]);
        }
    }
}

static const struct {
    uint32_t items, group;
} shapes[] = {{1, 1}, {60, 20}, {256, 256}, {600, 300}, {1200, 600}, {64, 16}, {1000, 1000}};

static void test_work_group(void **state)
{
    (void)state;
    static int32_t in[ITEMS], out[10 * ITEMS];
    static float sums[ITEMS];
    for (uint32_t i = 0; i < ITEMS; i++)
        in[i] = IN(i);
    FOR_EACH_BUILD(level, engine)
    {
        harness h = harness_open_file("groups", level, engine);
        for (uint32_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
            uint32_t items = shapes[s].items, group = shapes[s].group;
            sim_object to = harness_memory(&h, "out", NULL, 10 * items * sizeof *out);
            sim_object floats = harness_memory(&h, "sums", NULL, items * sizeof *sums);
            sim_argument arguments[] = {harness_global(harness_memory(&h, "in", in, sizeof in)),
                                        harness_global(to), harness_global(floats)};
            harness_run(&h, "work_group", harness_range(items, group), arguments, 3);
            harness_read_back(&h, to, out, 10 * items * sizeof *out);
            harness_read_back(&h, floats, sums, items * sizeof *sums);
            for (uint32_t first = 0; first < items; first += group) {
                check_rows(out, items, first, first + group);
                float sum = 0;
                for (uint32_t i = first; i < first + group; i++) {
                    sum += 1.0f / (float)(IN(i) + 200);
                    assert_true(sums[i] == sum);
                }
            }
        }
        harness_close(&h);
    }
}

static void test_sub_group(void **state)
{
    (void)state;
    static int32_t in[ITEMS], out[ROWS * ITEMS];
    for (uint32_t i = 0; i < ITEMS; i++)
        in[i] = IN(i);
    FOR_EACH_BUILD(level, engine)
    {
        harness h = harness_open_file("groups", level, engine);
        for (uint32_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
            uint32_t items = shapes[s].items, group = shapes[s].group;
            sim_object to = harness_memory(&h, "out", NULL, ROWS * items * sizeof *out);
            sim_argument arguments[] = {harness_global(harness_memory(&h, "in", in, sizeof in)),
                                        harness_global(to)};
            harness_run(&h, "sub_group", harness_range(items, group), arguments, 2);
            harness_read_back(&h, to, out, ROWS * items * sizeof *out);
            for (uint32_t i = 0; i < items; i++) {
                uint32_t number = i % group / 16, first = i / group * group + number * 16;
                uint32_t end = MIN(first + 16, i / group * group + group);
                if (i == first) check_rows(out, items, first, end);
                uint32_t want[5] = {number, i - first, end - first, 16, (group + 15) / 16};
                for (uint32_t k = 0; k < 5; k++)
                    assert_int_equal(out[(10 + k) * items + i], want[k]);
            }
        }
        harness_close(&h);
    }
}

/* Operations of several waves in quick succession. */
static void test_in_a_loop(void **state)
{
    (void)state;
    enum { GROUP = 600 };
    harness h = harness_open_file("groups", 1, sim_engine_best());
    int32_t out[GROUP], want[GROUP], rounds = 6;
    sim_object to = harness_memory(&h, "out", NULL, sizeof out);
    sim_argument arguments[] = {harness_global(to), harness_value(&rounds, sizeof rounds)};
    harness_run(&h, "many_in_a_loop", harness_range(GROUP, GROUP), arguments, 2);
    harness_read_back(&h, to, out, sizeof out);
    for (int i = 0; i < GROUP; i++)
        want[i] = i;
    for (int k = 0; k < rounds; k++) {
        int32_t most = INT32_MIN, sum = 0;
        for (int i = 0; i < GROUP; i++)
            most = MAX(most, want[i]);
        for (int i = 0; i < GROUP; i++) {
            int32_t here = want[i] & 15;
            want[i] = sum + most + k;
            sum += here;
        }
    }
    assert_memory_equal(out, want, sizeof out);
    harness_close(&h);
}

static void test_divergent(void **state)
{
    (void)state;
    HARNESS_IN_ORDER();
    FOR_EACH_BUILD(level, engine)
    {
        harness h = harness_open_file("groups", level, engine);
        sim_object to = harness_memory(&h, "out", NULL, 128);
        sim_argument argument = harness_global(to);
        harness_try(&h, "divergent_sub_group", harness_range(32, 32), &argument, 1);
        assert_int_equal(h.finding_count, 1);
        assert_string_equal(h.findings[0].kind, "subgroup-misuse");
        assert_string_equal(h.findings[0].message.data,
                            "operation not reached by all work-items of the sub-group; reached by "
                            "work-item (0, 0, 0)");
        assert_int_equal(h.findings[0].count, 10);
        harness_try(&h, "divergent_work_group", harness_range(32, 32), &argument, 1);
        assert_int_equal(h.finding_count, 1);
        assert_string_equal(h.findings[0].kind, "divergent-barrier");
        harness_close(&h);
    }
}

/* ---- Asynchronous copies -------------------------------------------------------------------- */

static void test_async(void **state)
{
    (void)state;
    int32_t in[600], out[1200];
    for (int i = 0; i < 600; i++)
        in[i] = 3 * i;
    FOR_EACH_BUILD(level, engine)
    {
        harness h = harness_open_file("groups", level, engine);
        memset(out, 0xff, sizeof out);
        sim_object to = harness_memory(&h, "out", out, sizeof out);
        sim_argument arguments[] = {harness_global(harness_memory(&h, "in", in, sizeof in)),
                                    harness_global(to), harness_local(300 * 4)};
        harness_run(&h, "async", harness_range(600, 300), arguments, 3);
        harness_read_back(&h, to, out, sizeof out);
        for (int i = 0; i < 600; i++) {
            assert_int_equal(out[2 * i], in[i / 300 * 300 + 299 - i % 300]);
            assert_int_equal(out[2 * i + 1], -1);
        }
        harness_close(&h);
    }
}

static void test_async_misuse(void **state)
{
    (void)state;
    HARNESS_IN_ORDER();
    int32_t in[8] = {0};
    harness h = harness_open_file("groups", 1, sim_engine_best());
    sim_object to = harness_memory(&h, "out", NULL, 16);
    sim_argument arguments[] = {harness_global(harness_memory(&h, "in", in, sizeof in)),
                                harness_global(to), harness_local(16)};
    harness_try(&h, "async_beyond", harness_range(4, 4), arguments, 3);
    assert_int_equal(h.finding_count, 1);
    assert_string_equal(h.findings[0].kind, "out-of-bounds");
    assert_string_equal(h.findings[0].message.data,
                        "store of 4 bytes at offset 16 of 'local argument 2' (16 bytes) by "
                        "work-item (0, 0, 0)");
    harness_try(&h, "async_divergent", harness_range(4, 4), arguments, 3);
    assert_int_equal(h.finding_count, 1); /* the null events are a consequence */
    assert_string_equal(h.findings[0].kind, "divergent-barrier");
    harness_close(&h);
}

/* ---- Atomics -------------------------------------------------------------------------------- */

static void test_atomics64(void **state)
{
    (void)state;
    FOR_EACH_BUILD(level, engine)
    {
        harness h = harness_open_file("groups", level, engine);
        uint64_t out[7] = {0}, sum = 0, mix = 0;
        sim_object to = harness_memory(&h, "out", out, sizeof out);
        sim_argument argument = harness_global(to);
        harness_run(&h, "atomics64", harness_range(100, 50), &argument, 1);
        harness_read_back(&h, to, out, sizeof out);
        for (uint64_t i = 0; i < 100; i++) {
            sum += i << 32;
            mix ^= i << 40;
        }
        uint64_t want[7] = {sum, UINT64_C(99) << 33, 0 - (UINT64_C(99) << 34), UINT64_MAX, mix, 77,
                            100};
        for (int k = 0; k < 7; k++)
            assert_true(out[k] == want[k]);
        harness_close(&h);
    }
}

static void test_flags(void **state)
{
    (void)state;
    HARNESS_IN_ORDER();
    harness h = harness_open_file("groups", 1, sim_engine_best());
    int32_t out[21], clear = 0;
    sim_object to = harness_memory(&h, "out", NULL, sizeof out);
    sim_argument arguments[] = {harness_global(to),
                                harness_global(harness_memory(&h, "flag", &clear, sizeof clear))};
    harness_run(&h, "flags", harness_range(20, 20), arguments, 2);
    harness_read_back(&h, to, out, sizeof out);
    for (int i = 0; i < 20; i++)
        assert_int_equal(out[i] != 0, i != 0);
    assert_int_equal(out[20], 0);
    harness_close(&h);
}

/* A launch allocates only the local variables that its kernel can reach, in any function. */
static void test_local_memory_of_the_kernel_only(void **state)
{
    (void)state;
    FOR_EACH_BUILD(level, engine)
    {
        harness h = harness_open_file("groups", level, engine);
        int32_t out[16] = {0};
        sim_object to = harness_memory(&h, "out", out, sizeof out);
        sim_argument argument = harness_global(to);
        static const char *const kernels[] = {"large_one", "large_other"};
        for (int k = 0; k < 2; k++) {
            harness_run(&h, kernels[k], harness_range(16, 8), &argument, 1);
            harness_read_back(&h, to, out, sizeof out);
            for (int i = 0; i < 16; i++)
                assert_int_equal(out[i], 3 + k);
        }
        harness_try(&h, "large_both", harness_range(16, 8), &argument, 1);
        assert_int_equal(h.status.code, RT_LIMIT);
        assert_string_equal(
            rt_sink_diagnostic(h.sink, h.status)->message.data,
            "kernel 'large_both' needs 81920 bytes of local memory, for its variables and "
            "arguments together; a work-group has 65536");
        harness_read_back(&h, to, out, sizeof out);
        assert_int_equal(out[0], 4);
        harness_close(&h);
    }
}

/* ---- Assembly: floats, and operations that this compiler's OpenCL C lacks ------------------- */

#define HEAD(capabilities)                                                                         \
    capabilities SIM_TEST_PRELUDE                                                                  \
        "OpEntryPoint Kernel %main \"main\" %id\nOpDecorate %id BuiltIn GlobalInvocationId\n"      \
        "%void = OpTypeVoid\n%bool = OpTypeBool\n%int = OpTypeInt 32 0\n"                          \
        "%long = OpTypeInt 64 0\n%float = OpTypeFloat 32\n%double = OpTypeFloat 64\n"              \
        "%v3 = OpTypeVector %long 3\n%v4 = OpTypeVector %int 4\n%in = OpTypePointer Input %v3\n"   \
        "%global = OpTypePointer CrossWorkgroup %int\n%floats = OpTypePointer CrossWorkgroup "     \
        "%float\n%doubles = OpTypePointer CrossWorkgroup %double\n"                                \
        "%kernel = OpTypeFunction %void %global\n%c0 = OpConstant %int 0\n"                        \
        "%c1 = OpConstant %int 1\n%c2 = OpConstant %int 2\n%c3 = OpConstant %int 3\n"              \
        "%c4 = OpConstant %int 4\n%c5 = OpConstant %int 5\n%c6 = OpConstant %int 6\n"              \
        "%id = OpVariable %in Input\n%main = OpFunction %void None %kernel\n"                      \
        "%out = OpFunctionParameter %global\n%m0 = OpLabel\n%ids = OpLoad %v3 %id Aligned 32\n"    \
        "%x = OpCompositeExtract %long %ids 0\n%i = OpUConvert %int %x\n"
#define STORE(value)                                                                               \
    "%to = OpInBoundsPtrAccessChain %global %out %x\nOpStore %to " value " Aligned 4\nOpReturn\n"  \
    "OpFunctionEnd\n"
#define NON_UNIFORM                                                                                \
    "OpCapability GroupNonUniform\nOpCapability GroupNonUniformVote\n"                             \
    "OpCapability GroupNonUniformBallot\nOpCapability GroupNonUniformShuffle\n"                    \
    "OpCapability GroupNonUniformShuffleRelative\nOpCapability GroupNonUniformArithmetic\n"        \
    "OpCapability GroupNonUniformClustered\n"
#define SUB(text) HEAD(NON_UNIFORM) text STORE("%r")

static void run_text(const char *text, uint32_t items, int32_t *out)
{
    harness h = harness_text(text);
    sim_object to = harness_memory(&h, "out", out, items * sizeof *out);
    sim_argument argument = harness_global(to);
    harness_run(&h, "main", harness_range(items, items), &argument, 1);
    harness_read_back(&h, to, out, items * sizeof *out);
    harness_close(&h);
}

#define BALLOT                                                                                     \
    "%odd = OpBitwiseAnd %int %i %c1\n%is = OpINotEqual %bool %odd %c0\n"                          \
    "%mask = OpGroupNonUniformBallot %v4 %c3 %is\n"
#define TRUTH "%r = OpSelect %int %t %c1 %c0\n"

/* Results of work-item i of two sub-groups of 16, all active. */
static const struct {
    const char *text;
    int32_t want[32];
} operations[] = {
    {SUB(BALLOT "%r = OpCompositeExtract %int %mask 0\n"),
     {0xaaaa, 0xaaaa, [15] = 0xaaaa, [16] = 0xaaaa}},
    {SUB(BALLOT "%r = OpGroupNonUniformBallotBitCount %int %c3 ExclusiveScan %mask\n"),
     {0, 0, 1, 1, 2, [15] = 7, [16] = 0, [31] = 7}},
    {SUB(BALLOT "%r = OpGroupNonUniformBallotFindLSB %int %c3 %mask\n"), {1, 1, [31] = 1}},
    {SUB(BALLOT "%r = OpGroupNonUniformBallotFindMSB %int %c3 %mask\n"), {15, 15, [31] = 15}},
    {SUB(BALLOT "%t = OpGroupNonUniformInverseBallot %bool %c3 %mask\n" TRUTH),
     {0, 1, 0, 1, [15] = 1, [16] = 0, [31] = 1}},
    {SUB(BALLOT "%t = OpGroupNonUniformBallotBitExtract %bool %c3 %mask %c5\n" TRUTH),
     {1, 1, [31] = 1}},
    {SUB("%t = OpGroupNonUniformElect %bool %c3\n" TRUTH), {1, 0, 0, [16] = 1}},
    {SUB("%r = OpGroupNonUniformShuffle %int %c3 %i %c5\n"), {5, 5, [15] = 5, [16] = 21}},
    {SUB("%r = OpGroupNonUniformShuffleXor %int %c3 %i %c6\n"), {6, 7, 4, [16] = 22, [31] = 25}},
    {SUB("%r = OpGroupNonUniformBroadcastFirst %int %c3 %i\n"), {0, 0, [16] = 16, [31] = 16}},
    {SUB("%r = OpGroupNonUniformIAdd %int %c3 ClusteredReduce %i %c4\n"),
     {6, 6, 6, 6, 22, [16] = 70, [31] = 118}},
    {SUB("%r = OpGroupNonUniformIMul %int %c3 ExclusiveScan %c2\n"),
     {1, 2, 4, 8, 16, [15] = 32768, [16] = 1}},
};

static void test_non_uniform(void **state)
{
    (void)state;
    for (uint32_t k = 0; k < sizeof operations / sizeof *operations; k++) {
        int32_t out[32];
        run_text(operations[k].text, 32, out);
        for (int i = 0; i < 32; i++) {
            bool stated = i < 2 || operations[k].want[i] != 0;
            if (stated && out[i] != operations[k].want[i]) {
                fail_msg("operation %u, item %d: got %d, expected %d", k, i, out[i],
                         operations[k].want[i]);
            }
        }
    }
}

/* Sum, minimum and maximum of floats or doubles; work-item i contributes i. */
#define FLOAT_ATOMICS(type, pointer)                                                               \
    HEAD("OpCapability AtomicFloat32AddEXT\nOpCapability AtomicFloat64AddEXT\n"                    \
         "OpCapability AtomicFloat32MinMaxEXT\nOpCapability AtomicFloat64MinMaxEXT\n")             \
    "%at = OpBitcast %" pointer " %out\n%at1 = OpPtrAccessChain %" pointer " %at %c1\n"            \
    "%at2 = OpPtrAccessChain %" pointer " %at %c2\n%f = OpConvertUToF %" type " %i\n"              \
    "%s = OpAtomicFAddEXT %" type " %at %c1 %c0 %f\n"                                              \
    "%n = OpAtomicFMinEXT %" type " %at1 %c1 %c0 %f\n"                                             \
    "%g = OpAtomicFMaxEXT %" type " %at2 %c1 %c0 %f\nOpReturn\nOpFunctionEnd\n"

static void test_float_atomics(void **state)
{
    (void)state;
    union {
        int32_t words[100];
        float floats[100];
        double doubles[50];
    } m = {.floats = {0.5f, 3.0f, 4.0f}};
    run_text(FLOAT_ATOMICS("float", "floats"), 100, m.words);
    assert_true(m.floats[0] == 4950.5f && m.floats[1] == 0 && m.floats[2] == 99);
    m.doubles[0] = 0.5;
    m.doubles[1] = -3;
    m.doubles[2] = 1e9;
    run_text(FLOAT_ATOMICS("double", "doubles"), 100, m.words);
    assert_true(m.doubles[0] == 4950.5 && m.doubles[1] == -3 && m.doubles[2] == 1e9);
}

static void test_refused(void **state)
{
    (void)state;
    sim_test_refused(SUB("%r = OpGroupNonUniformShuffle %int %c3 %x %c5\n"), RT_MALFORMED,
                     "the result must have the type of the value");
    sim_test_refused(SUB("%t = OpGroupNonUniformAll %bool %c3 %i\n" TRUTH), RT_MALFORMED,
                     "the operand must be a bool");
    sim_test_refused(SUB("%r = OpGroupNonUniformFAdd %int %c3 Reduce %i\n"), RT_MALFORMED,
                     "the operation does not accept the operand's type");
    sim_test_refused(SUB("%r = OpGroupNonUniformBallotFindLSB %int %c3 %i\n"), RT_MALFORMED,
                     "the mask must be a vector of four 32-bit integers");
    sim_test_refused(
        HEAD("OpCapability AtomicFloat32AddEXT\n") "%n = OpAtomicFAddEXT %float %out %c1 %c0 %c1\n%r = OpCopyObject %int %i\n" STORE(
            "%r"),
        RT_MALFORMED, "must have the type of the result");
    sim_test_refused(SUB("OpAtomicFlagClear %i %c1 %c0\n%r = OpCopyObject %int %i\n"), RT_MALFORMED,
                     "must be a pointer");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_work_group),  cmocka_unit_test(test_sub_group),
        cmocka_unit_test(test_in_a_loop),   cmocka_unit_test(test_divergent),
        cmocka_unit_test(test_async),       cmocka_unit_test(test_async_misuse),
        cmocka_unit_test(test_atomics64),   cmocka_unit_test(test_flags),
        cmocka_unit_test(test_non_uniform), cmocka_unit_test(test_float_atomics),
        cmocka_unit_test(test_refused),     cmocka_unit_test(test_local_memory_of_the_kernel_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
