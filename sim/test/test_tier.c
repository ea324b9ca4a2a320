/* Tests of the choice of a tier, and of which kernels run compiled; test_accesses.c and the tests
 * of launches, which also run compiled, show that compiled code does the same. */
#include "sim/compiled/tier.h"
#include "sim/test/harness.h"

#include <ftw.h>
#include <sys/wait.h>
#include <unistd.h>

static void test_choice(void **state)
{
    (void)state;
    static const struct {
        const char *name, *path;
        rt_code code;
        const char *words;
    } cases[] = {
        {"interpreted", NULL, RT_OK, ""},
        {"interpreted", "/nowhere/tier.so", RT_OK, ""},
        {"compiled", NULL, RT_OK, ""},
        {"measured", NULL, RT_OK, ""},
        {"fast", NULL, RT_ERRC_INVALID, "has no tier 'fast'"},
        {"", NULL, RT_ERRC_INVALID, "has no tier ''"},
        {"compiled", "/nowhere/tier.so", RT_UNAVAILABLE, "/nowhere/tier.so"},
        /* A library that has no such symbol. */
        {"compiled", "libm.so.6", RT_UNAVAILABLE, "libassay_tier.so has another version"},
    };
    for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        rt_sink *sink = rt_sink_create();
        sim_world *world = sim_world_create(sink, 7);
        rt_status status = sim_world_choose_tier(world, rt_text_of(cases[i].name), cases[i].path);
        const char *message = rt_ok(status) ? "" : rt_sink_diagnostic(sink, status)->message.data;
        if (status.code != cases[i].code || !strstr(message, cases[i].words))
            fail_msg("'%s': %s: %s", cases[i].name, rt_code_name(status.code), message);
        bool is_compiled = rt_ok(status) && strcmp(cases[i].name, "interpreted") != 0;
        assert_true((world->tier != NULL) == is_compiled);
        /* A later choice replaces it. */
        assert_true(rt_ok(sim_world_choose_tier(world, RT_TEXT("interpreted"), NULL)));
        assert_null(world->tier);
        sim_world_destroy(world);
        rt_sink_destroy(sink);
    }
}

#define MODULE(body)                                                                                     \
    "OpCapability Addresses\nOpCapability Linkage\nOpCapability Kernel\nOpCapability Int64\n"            \
    "OpCapability Groups\nOpCapability Int8\n%std = OpExtInstImport \"OpenCL.std\"\n"                    \
    "OpMemoryModel Physical64 OpenCL\nOpEntryPoint Kernel %k \"k\" %gid\n"                               \
    "OpDecorate %gid BuiltIn GlobalInvocationId\n%void = OpTypeVoid\n%bool = OpTypeBool\n"               \
    "%i8 = OpTypeInt 8 0\n%i32 = OpTypeInt 32 0\n%i64 = OpTypeInt 64 0\n"                                \
    "%v3 = OpTypeVector %i64 3\n%pin = OpTypePointer Input %v3\n%event = OpTypeEvent\n"                  \
    "%g = OpTypePointer CrossWorkgroup %i32\n%gg = OpTypePointer CrossWorkgroup %g\n"                    \
    "%l = OpTypePointer Workgroup %i32\n%c0 = OpConstant %i32 0\n%c1 = OpConstant %i32 1\n"              \
    "%c2 = OpConstant %i32 2\n%c3 = OpConstant %i32 3\n%l1 = OpConstant %i64 1\n"                        \
    "%none = OpConstantNull %event\n%fe = OpTypePointer Function %event\n"                               \
    "%n3 = OpConstant %i32 3\n%c8 = OpConstant %i32 8\n%h = OpConstant %i8 104\n%z = OpConstant %i8 0\n" \
    "%text = OpTypeArray %i8 %c2\n%hello = OpConstantComposite %text %h %z\n"                            \
    "%ptext = OpTypePointer UniformConstant %text\n%pchar = OpTypePointer UniformConstant %i8\n"         \
    "%format = OpVariable %ptext UniformConstant %hello\n"                                               \
    "%var = OpVariable %g CrossWorkgroup %c1\n%local = OpVariable %l Workgroup\n"                        \
    "%gid = OpVariable %pin Input\n%kt = OpTypeFunction %void %g %gg\n"                                  \
    "%k = OpFunction %void None %kt\n%out = OpFunctionParameter %g\n"                                    \
    "%table = OpFunctionParameter %gg\n%entry = OpLabel\n%ev = OpVariable %fe Function\n"                \
    "%all = OpLoad %v3 %gid\n%x = OpCompositeExtract %i64 %all 0\n%w = OpUConvert %i32 %x\n"             \
    "%to = OpInBoundsPtrAccessChain %g %out %x\n" body "OpReturn\nOpFunctionEnd\n"

#define STORE "OpStore %to %w\n"

static void test_kernels(void **state)
{
    (void)state;
    static const struct {
        const char *text, *reason; /* the reason is empty if the kernel is compiled */
    } cases[] = {
        {MODULE(STORE), ""},
        {MODULE(STORE "%s = OpGroupIAdd %i32 %c3 Reduce %w\nOpStore %to %s\n"), ""},
        {MODULE(STORE "%s = OpGroupIAdd %i32 %c2 Reduce %w\nOpStore %to %s\n"),
         "has operations of the work-group"},
        {MODULE("OpControlBarrier %c3 %c3 %c8\n" STORE), "has barriers of a sub-group"},
        {MODULE("%s = OpAtomicIAdd %i32 %to %c1 %c0 %w\n"), ""},
        {MODULE("%s = OpAtomicIAdd %i32 %to %c2 %c0 %w\n%t = OpAtomicISub %i32 %to %c2 %c0 %w\n"
                "%v = OpAtomicIIncrement %i32 %to %c1 %c0\n"),
         ""},
        {MODULE("%s = OpAtomicUMax %i32 %to %c1 %c0 %w\n%t = OpAtomicIAdd %i32 %to %c1 %c0 %w\n"),
         "has several kinds of atomics"},
        {MODULE("%s = OpAtomicIAdd %i32 %to %c1 %c0 %w\nOpStore %to %s\n"),
         "uses the results of atomics"},
        {MODULE("%s = OpAtomicExchange %i32 %to %c1 %c0 %w\n"), "has atomics whose order matters"},
        {MODULE("%s = OpAtomicIAdd %i32 %to %c1 %c8 %w\n"), "has atomics that order work-items"},
        {MODULE("%s = OpAtomicIAdd %i32 %to %c3 %c0 %w\n"), "has atomics that order work-items"},
        {MODULE("OpCopyMemory %to %to\n"), ""},
        {MODULE("%e = OpGroupAsyncCopy %event %c2 %local %out %l1 %l1 %none\nOpStore %ev %e\n"
                "OpGroupWaitEvents %c2 %c1 %ev\n"),
         "has asynchronous copies"},
        {MODULE("%f = OpInBoundsAccessChain %pchar %format %c0\n"
                "%s = OpExtInst %i32 %std printf %f\n" STORE),
         "calls printf"},
        {MODULE("%p = OpLoad %g %table\n%e = OpInBoundsPtrAccessChain %g %p %x\nOpStore %e %w\n"),
         "may write through pointers loaded from memory"},
        {MODULE("%t = OpIEqual %bool %w %c0\nOpBranchConditional %t %yes %no\n%yes = OpLabel\n"
                "OpStore %var %w\nOpBranch %no\n%no = OpLabel\n" STORE),
         "may write variables of the program"},
    };
    enum { ITEMS = 16 };
    for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        harness h = harness_text(cases[i].text);
        assert_true(rt_ok(sim_world_choose_tier(h.world, RT_TEXT("compiled"), NULL)));
        uint32_t zeros[ITEMS] = {0};
        sim_object out = harness_memory(&h, "out", zeros, sizeof zeros);
        uint64_t address = sim_object_address(out);
        sim_argument arguments[] = {
            harness_global(out),
            harness_global(harness_memory(&h, "table", &address, sizeof address))};
        for (uint32_t launch = 0; launch < 2; launch++) {
            harness_run(&h, "k", harness_range(ITEMS, ITEMS), arguments, 2);
            sim_tier_report report = sim_world_tier_report(h.world);
            bool is_compiled = cases[i].reason[0] == '\0';
            assert_int_equal(report.compiled, is_compiled ? launch + 1 : 0);
            assert_int_equal(report.undone, 0);
            assert_true(rt_text_is(report.kernel, "k"));
            if (!rt_text_is(report.reason, cases[i].reason))
                fail_msg("%u: '%.*s'", i, RT_TEXT_ARG(report.reason));
            assert_int_equal(report.is_news, !is_compiled && launch == 0);
        }
        harness_close(&h);
    }
}

/* Sub-groups of more work-items than a chunk has run interpreted if they meet. */
static void test_large_subgroups(void **state)
{
    (void)state;
    enum { ITEMS = 32 };
    static const char begin[] = "OpCapability SubgroupDispatch\n";
    static const struct {
        const char *text, *reason;
        uint32_t size;
    } cases[] = {
        {MODULE("%s = OpGroupIAdd %i32 %c3 Reduce %w\nOpStore %to %s\n"),
         "has sub-groups of more than 16 work-items", 32},
        {MODULE("%s = OpGroupIAdd %i32 %c3 Reduce %w\nOpStore %to %s\n"), "", 16},
        {MODULE(STORE), "", 32},
    };
    for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[8192];
        const char *modes = strstr(cases[i].text, "OpDecorate");
        snprintf(text, sizeof text, "%s%.*sOpExecutionMode %%k SubgroupSize %u\n%s", begin,
                 (int)(modes - cases[i].text), cases[i].text, cases[i].size, modes);
        harness h = harness_text(text);
        assert_true(rt_ok(sim_world_choose_tier(h.world, RT_TEXT("compiled"), NULL)));
        uint32_t zeros[ITEMS] = {0};
        const sim_argument arguments[] = {
            harness_global(harness_memory(&h, "out", zeros, sizeof zeros)), harness_global(0)};
        harness_run(&h, "k", harness_range(ITEMS, ITEMS), arguments, 2);
        sim_tier_report report = sim_world_tier_report(h.world);
        if (!rt_text_is(report.reason, cases[i].reason))
            fail_msg("%u: '%.*s'", i, RT_TEXT_ARG(report.reason));
        assert_int_equal(report.compiled, cases[i].reason[0] == '\0');
        harness_close(&h);
    }
}

/* A kernel whose code has given up twice is not tried again, at the same level. */
static void test_gives_up(void **state)
{
    (void)state;
    enum { ITEMS = 16, LAUNCHES = 4 };
    uint32_t zeros[ITEMS - 1] = {0};
    harness h = harness_text(MODULE(STORE));
    assert_true(rt_ok(sim_world_choose_tier(h.world, RT_TEXT("compiled"), NULL)));
    const sim_argument arguments[] = {
        harness_global(harness_memory(&h, "out", zeros, sizeof zeros)), harness_global(0)};
    for (uint32_t launch = 0; launch < LAUNCHES; launch++) {
        harness_try(&h, "k", harness_range(ITEMS, ITEMS), arguments, 2);
        assert_int_equal(h.finding_count, 1);
        assert_string_equal(h.findings[0].kind, "out-of-bounds");
        sim_tier_report report = sim_world_tier_report(h.world);
        assert_int_equal(report.compiled, 0);
        assert_int_equal(report.undone, launch < 2 ? launch + 1 : 2);
        assert_int_equal(report.is_news, launch == 0);
        assert_true(
            rt_text_is(report.reason, launch < 2 ? "makes an access that may be wrong" : ""));
    }
    if (sim_engine_best() > 0) {
        h.world->engine = 0;
        harness_try(&h, "k", harness_range(ITEMS, ITEMS), arguments, 2);
        assert_int_equal(sim_world_tier_report(h.world).undone, 3);
    }
    harness_close(&h);
}

static void accessed_ignore(void *user, const sim_accessed *accessed)
{
    (void)accessed;
    ++*(uint32_t *)user;
}

/* Launches that record their accesses, and those of a world without checks, are interpreted. */
static void test_interpreted_launches(void **state)
{
    (void)state;
    enum { ITEMS = 16 };
    for (uint32_t i = 0; i < 4; i++) {
        bool records = i & 1, is_unchecked = i & 2;
        uint32_t ranges = 0, out[ITEMS] = {0};
        harness h = harness_text(MODULE(STORE));
        sim_world_keep_code(h.world, RT_TEXT("/proc/nowhere")); /* there is no tier yet */
        assert_int_equal(sim_world_tier_report(h.world).compiled, 0);
        assert_true(rt_ok(sim_world_choose_tier(h.world, RT_TEXT("compiled"), NULL)));
        if (is_unchecked) sim_world_drop_checks(h.world);
        sim_object to = harness_memory(&h, "out", out, sizeof out);
        const sim_argument arguments[] = {harness_global(to), harness_global(0)};
        const sim_launch_options options = {.on_accessed = records ? accessed_ignore : NULL,
                                            .user = &ranges};
        const sim_range range = harness_range(ITEMS, ITEMS);
        assert_true(rt_ok(sim_launch(h.world, sim_program_kernel(h.program, RT_TEXT("k")), &range,
                                     arguments, 2, &options)));
        assert_int_equal(ranges, records && !is_unchecked);
        assert_int_equal(sim_world_tier_report(h.world).compiled, i == 0);
        harness_read_back(&h, to, out, sizeof out);
        for (uint32_t k = 0; k < ITEMS; k++)
            assert_int_equal(out[k], k);
        harness_close(&h);
    }
}

/* Compiled code reads a structure that is passed by value from each work-item's own memory. */
static void test_structure(void **state)
{
    (void)state;
    static const char text[] =
        "OpCapability Addresses\nOpCapability Linkage\nOpCapability Kernel\nOpCapability Int64\n"
        "OpCapability Int8\nOpMemoryModel Physical64 OpenCL\nOpEntryPoint Kernel %k \"k\" %gid\n"
        "OpDecorate %gid BuiltIn GlobalInvocationId\nOpDecorate %s FuncParamAttr ByVal\n"
        "%void = OpTypeVoid\n%i8 = OpTypeInt 8 0\n%i32 = OpTypeInt 32 0\n%i64 = OpTypeInt 64 0\n"
        "%v3 = OpTypeVector %i64 3\n%pin = OpTypePointer Input %v3\n%gid = OpVariable %pin Input\n"
        "%S = OpTypeStruct %i32 %i64 %i8\n%ps = OpTypePointer Function %S\n"
        "%p8 = OpTypePointer Function %i8\n%p32 = OpTypePointer Function %i32\n"
        "%p64 = OpTypePointer Function %i64\n%g = OpTypePointer CrossWorkgroup %i32\n"
        "%c0 = OpConstant %i32 0\n%c1 = OpConstant %i32 1\n%c2 = OpConstant %i32 2\n"
        "%kt = OpTypeFunction %void %g %ps\n%k = OpFunction %void None %kt\n"
        "%out = OpFunctionParameter %g\n%s = OpFunctionParameter %ps\n%entry = OpLabel\n"
        "%all = OpLoad %v3 %gid\n%x = OpCompositeExtract %i64 %all 0\n%w = OpUConvert %i32 %x\n"
        "%a0 = OpInBoundsAccessChain %p32 %s %c0\n%a1 = OpInBoundsAccessChain %p64 %s %c1\n"
        "%a2 = OpInBoundsAccessChain %p8 %s %c2\n%v0 = OpLoad %i32 %a0\n%v1 = OpLoad %i64 %a1\n"
        "%v2 = OpLoad %i8 %a2\n%n1 = OpUConvert %i32 %v1\n%n2 = OpUConvert %i32 %v2\n"
        "%s0 = OpIAdd %i32 %w %v0\n%s1 = OpIAdd %i32 %s0 %n1\n%s2 = OpIAdd %i32 %s1 %n2\n"
        "OpStore %a0 %s2\n%again = OpLoad %i32 %a0\n"
        "%to = OpInBoundsPtrAccessChain %g %out %x\nOpStore %to %again\nOpReturn\nOpFunctionEnd\n";
    enum { ITEMS = 80 };
    const struct {
        uint32_t a;
        uint64_t b;
        uint8_t c;
    } value = {1000, 70000, 200};
    uint32_t out[ITEMS];
    harness h = harness_text(text);
    assert_true(rt_ok(sim_world_choose_tier(h.world, RT_TEXT("compiled"), NULL)));
    sim_object to = harness_memory(&h, "out", NULL, sizeof out);
    const sim_argument arguments[] = {harness_global(to), harness_value(&value, sizeof value)};
    harness_run(&h, "k", harness_range(ITEMS, 40), arguments, 2);
    sim_tier_report report = sim_world_tier_report(h.world);
    if (report.compiled != 1) fail_msg("it %.*s", RT_TEXT_ARG(report.reason));
    harness_read_back(&h, to, out, sizeof out);
    for (uint32_t i = 0; i < ITEMS; i++)
        assert_int_equal(out[i], i + 1000 + 70000 + 200);
    harness_close(&h);
}

/* A work-item stores to an array at an index and loads what it has stored. One of the numbers marks
 * undefined memory: the launch is undone, and the result is the same. */
static void test_marks(void **state)
{
    (void)state;
    static const char body[] = MODULE(
        "%m = OpBitwiseAnd %i32 %w %c1\n%slots = OpVariable %pa Function\n"
        "%slot = OpInBoundsAccessChain %pi %slots %m\n%v = OpLoad %i32 %to\nOpStore %slot %v\n"
        "%again = OpLoad %i32 %slot\n%sum = OpIAdd %i32 %again %c1\nOpStore %to %sum\n");
    static const char more[] = "%a = OpTypeArray %i32 %c2\n%pa = OpTypePointer Function %a\n"
                               "%pi = OpTypePointer Function %i32\n";
    char text[8192];
    const char *types = strstr(body, "%gid = OpVariable");
    snprintf(text, sizeof text, "%.*s%s%s", (int)(types - body), body, more, types);
    enum { ITEMS = 40 };
    static const uint32_t numbers[] = {0, UINT32_MAX, SIM_TIER_MARK - 1, SIM_TIER_MARK};
    for (uint32_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
        uint32_t out[ITEMS];
        for (uint32_t i = 0; i < ITEMS; i++)
            out[i] = i == 33 ? numbers[k] : i;
        harness h = harness_text(text);
        assert_true(rt_ok(sim_world_choose_tier(h.world, RT_TEXT("compiled"), NULL)));
        sim_object to = harness_memory(&h, "out", out, sizeof out);
        const sim_argument arguments[] = {harness_global(to), harness_global(0)};
        harness_run(&h, "k", harness_range(ITEMS, ITEMS), arguments, 2);
        harness_read_back(&h, to, out, sizeof out);
        for (uint32_t i = 0; i < ITEMS; i++)
            assert_int_equal(out[i], (i == 33 ? numbers[k] : i) + 1);
        sim_tier_report report = sim_world_tier_report(h.world);
        assert_int_equal(report.compiled, numbers[k] != SIM_TIER_MARK);
        assert_int_equal(report.undone, numbers[k] == SIM_TIER_MARK);
        harness_close(&h);
    }
}

/* With the tier `measured`, a kernel is interpreted until it has done enough work. */
static void test_measured(void **state)
{
    (void)state;
    enum { ITEMS = 4096, ROUNDS = 8 };
    static const char body[] =
        MODULE("OpBranch %head\n%head = OpLabel\n%i = OpPhi %i32 %c0 %entry %next %head\n"
               "%next = OpIAdd %i32 %i %c1\n%more = OpULessThan %bool %next %times\n"
               "OpBranchConditional %more %head %done\n%done = OpLabel\nOpStore %to %next\n");
    /* The loop runs 300 times: 4096 work-items execute some 1200 instructions each, so four
     * launches execute more than 2 to the power of 24. */
    char text[8192];
    const char *types = strstr(body, "%gid = OpVariable");
    snprintf(text, sizeof text, "%.*s%%times = OpConstant %%i32 300\n%s", (int)(types - body), body,
             types);
    harness h = harness_text(text);
    assert_true(rt_ok(sim_world_choose_tier(h.world, RT_TEXT("measured"), NULL)));
    static uint32_t out[ITEMS];
    sim_object to = harness_memory(&h, "out", NULL, sizeof out);
    sim_argument arguments[] = {harness_global(to), harness_global(0)};
    uint32_t interpreted = 0;
    for (uint32_t launch = 0; launch < ROUNDS; launch++) {
        harness_run(&h, "k", harness_range(ITEMS, 256), arguments, 2);
        harness_read_back(&h, to, out, sizeof out);
        for (uint32_t i = 0; i < ITEMS; i++)
            assert_int_equal(out[i], 300);
        sim_tier_report report = sim_world_tier_report(h.world);
        bool is_measured = rt_text_is(report.reason, "has not done enough work to be compiled");
        if (!is_measured) assert_int_equal(report.reason.length, 0);
        assert_int_equal(report.compiled, is_measured ? 0 : launch + 1 - interpreted);
        interpreted += is_measured;
    }
    assert_true(interpreted >= 3 && interpreted <= 4);
    harness_close(&h);
}

/* ---- Atomics and copies -----------------------------------------------------------------------
 */

/* k(global T *out, global const T *in): work-item i applies an operation with in[i] to out[i % 3],
 * or only odd ones do. */
static void atomic_text(char *text, size_t size, const char *operation, uint32_t bits, bool is_part)
{
    snprintf(
        text, size,
        "OpCapability Addresses\nOpCapability Linkage\nOpCapability Kernel\nOpCapability Int64\n"
        "OpCapability Int64Atomics\nOpMemoryModel Physical64 OpenCL\n"
        "OpEntryPoint Kernel %%k \"k\" %%gid\nOpDecorate %%gid BuiltIn GlobalInvocationId\n"
        "%%void = OpTypeVoid\n%%bool = OpTypeBool\n%%i32 = OpTypeInt 32 0\n%%i64 = OpTypeInt 64 0\n"
        "%%v3 = OpTypeVector %%i64 3\n%%pin = OpTypePointer Input %%v3\n"
        "%%gid = OpVariable %%pin Input\n%%g = OpTypePointer CrossWorkgroup %%i%u\n"
        "%%c0 = OpConstant %%i32 0\n%%c1 = OpConstant %%i32 1\n%%l0 = OpConstant %%i64 0\n"
        "%%l1 = OpConstant %%i64 1\n%%l3 = OpConstant %%i64 3\n%%mask = OpConstant %%i64 %u\n"
        "%%kt = OpTypeFunction %%void %%g %%g\n%%k = OpFunction %%void None %%kt\n"
        "%%out = OpFunctionParameter %%g\n%%in = OpFunctionParameter %%g\n%%entry = OpLabel\n"
        "%%all = OpLoad %%v3 %%gid\n%%x = OpCompositeExtract %%i64 %%all 0\n"
        "%%from = OpInBoundsPtrAccessChain %%g %%in %%x\n%%v = OpLoad %%i%u %%from Aligned %u\n"
        "%%third = OpUMod %%i64 %%x %%l3\n%%to = OpInBoundsPtrAccessChain %%g %%out %%third\n"
        "%%bits = OpBitwiseAnd %%i64 %%x %%mask\n%%takes = OpIEqual %%bool %%bits %%mask\n"
        "OpSelectionMerge %%done None\nOpBranchConditional %%takes %%yes %%done\n%%yes = OpLabel\n"
        "%%old = %s %%i%u %%to %%c1 %%c0 %%v\nOpBranch %%done\n%%done = OpLabel\nOpReturn\n"
        "OpFunctionEnd\n",
        bits, is_part ? 1 : 0, bits, bits / 8, operation, bits);
}

static uint64_t atomic_step(const char *operation, uint32_t bits, uint64_t a, uint64_t b)
{
    uint32_t unused = 64 - bits;
    int64_t x = (int64_t)(a << unused), y = (int64_t)(b << unused);
    if (strstr(operation, "SMin")) return x < y ? a : b;
    if (strstr(operation, "SMax")) return x > y ? a : b;
    if (strstr(operation, "UMin")) return a < b ? a : b;
    if (strstr(operation, "UMax")) return a > b ? a : b;
    if (strstr(operation, "IAdd")) return a + b;
    if (strstr(operation, "ISub")) return a - b;
    if (strstr(operation, "And")) return a & b;
    return strstr(operation, "Or") ? a | b : a ^ b;
}

enum { ATOMIC_ITEMS = 40 };

static void atomic_try(const char *operation, uint32_t bits, bool is_part)
{
    static char text[4096];
    uint8_t in[8 * ATOMIC_ITEMS], out[8 * 3];
    uint64_t mask = UINT64_MAX >> (64 - bits), wanted[3];
    uint32_t bytes = bits / 8;
    atomic_text(text, sizeof text, operation, bits, is_part);
    for (uint32_t i = 0; i < 3; i++) {
        wanted[i] = i == 0 ? 1000 : i == 1 ? mask - 5 : mask >> 1;
        memcpy(out + i * bytes, &wanted[i], bytes);
    }
    for (uint32_t i = 0; i < ATOMIC_ITEMS; i++) {
        uint64_t value = (i * UINT64_C(0x9e3779b97f4a7c15) >> 3 | 0x40) & mask;
        memcpy(in + i * bytes, &value, bytes);
        if (is_part && i % 2 == 0) continue;
        wanted[i % 3] = atomic_step(operation, bits, wanted[i % 3], value) & mask;
    }
    harness h = harness_text(text);
    assert_true(rt_ok(sim_world_choose_tier(h.world, RT_TEXT("compiled"), NULL)));
    sim_object to = harness_memory(&h, "out", out, (size_t)bytes * 3);
    const sim_argument arguments[] = {
        harness_global(to),
        harness_global(harness_memory(&h, "in", in, (size_t)bytes * ATOMIC_ITEMS))};
    harness_run(&h, "k", harness_range(ATOMIC_ITEMS, ATOMIC_ITEMS / 2), arguments, 2);
    sim_tier_report report = sim_world_tier_report(h.world);
    if (report.compiled != 1) fail_msg("%s: it %.*s", operation, RT_TEXT_ARG(report.reason));
    harness_read_back(&h, to, out, (size_t)bytes * 3);
    for (uint32_t i = 0; i < 3; i++) {
        uint64_t seen = 0;
        memcpy(&seen, out + i * bytes, bytes);
        if (seen == wanted[i]) continue;
        fail_msg("%s of %u bits, element %u: %#llx, expected %#llx", operation, bits, i,
                 (unsigned long long)seen, (unsigned long long)wanted[i]);
    }
    harness_close(&h);
}

static void test_atomics(void **state)
{
    (void)state;
    static const char *const operations[] = {
        "OpAtomicIAdd", "OpAtomicISub", "OpAtomicSMin", "OpAtomicUMin", "OpAtomicSMax",
        "OpAtomicUMax", "OpAtomicAnd",  "OpAtomicOr",   "OpAtomicXor",
    };
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++) {
        atomic_try(operations[i], 32, i % 2 == 0);
        atomic_try(operations[i], 64, i % 2 == 1);
    }
}

/* An atomic past the end, of a misaligned place, or of undefined bytes: the launch is undone, and
 * what the interpreter finds is reported. */
static void test_wrong_atomics(void **state)
{
    (void)state;
    static const struct {
        uint64_t offset;
        bool is_undefined;
        const char *kind, *reason;
    } cases[] = {
        {4, false, NULL, ""},
        {8, false, "out-of-bounds", "makes an access that may be wrong"},
        {2, false, "misaligned", "makes an access that may be wrong"},
        {0, true, NULL, "has undefined bits that may matter"},
    };
    static char text[4096];
    atomic_text(text, sizeof text, "OpAtomicIAdd", 32, false);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t in[ATOMIC_ITEMS] = {0}, out[4] = {7, 7, 7, 7};
        harness h = harness_text(text);
        assert_true(rt_ok(sim_world_choose_tier(h.world, RT_TEXT("compiled"), NULL)));
        sim_object to = harness_memory(&h, "out", cases[i].is_undefined ? NULL : out, sizeof out);
        sim_argument arguments[] = {harness_global(to),
                                    harness_global(harness_memory(&h, "in", in, sizeof in))};
        arguments[0].offset = cases[i].offset;
        harness_try(&h, "k", harness_range(ATOMIC_ITEMS, 20), arguments, 2);
        assert_true(rt_ok(h.status));
        sim_tier_report report = sim_world_tier_report(h.world);
        assert_int_equal(report.undone, cases[i].reason[0] != '\0');
        if (!rt_text_is(report.reason, cases[i].reason))
            fail_msg("%u: '%.*s'", (unsigned)i, RT_TEXT_ARG(report.reason));
        if (cases[i].kind) {
            assert_true(h.finding_count >= 1);
            assert_string_equal(h.findings[0].kind, cases[i].kind);
        } else {
            assert_int_equal(h.finding_count, 0);
        }
        harness_close(&h);
    }
}

/* k(global int *out, global int *in, long size): each work-item has an array of four words, 100 to
 * 103 and more, copies to it or from it, and stores its words to out[4 i] and after. */
#define COPY_SIZE 12
typedef struct copy_case {
    const char *size; /* %l12, a constant, or %size, an argument */
    bool is_of_each;  /* the source is the work-item's own, or the same for all */
    bool is_part;     /* only odd work-items copy */
    uint64_t at;      /* word in the array at which the copy begins */
} copy_case;

static void copy_text(char *text, size_t size, const copy_case *c)
{
    snprintf(
        text, size,
        "OpCapability Addresses\nOpCapability Linkage\nOpCapability Kernel\nOpCapability Int64\n"
        "OpCapability Int8\nOpMemoryModel Physical64 OpenCL\n"
        "OpEntryPoint Kernel %%k \"k\" %%gid\nOpDecorate %%gid BuiltIn GlobalInvocationId\n"
        "%%void = OpTypeVoid\n%%bool = OpTypeBool\n%%i32 = OpTypeInt 32 0\n%%i64 = OpTypeInt 64 0\n"
        "%%v3 = OpTypeVector %%i64 3\n%%pin = OpTypePointer Input %%v3\n"
        "%%gid = OpVariable %%pin Input\n%%g = OpTypePointer CrossWorkgroup %%i32\n"
        "%%l0 = OpConstant %%i64 0\n%%l1 = OpConstant %%i64 1\n%%l2 = OpConstant %%i64 2\n"
        "%%l3 = OpConstant %%i64 3\n%%l4 = OpConstant %%i64 4\n%%l12 = OpConstant %%i64 12\n"
        "%%c100 = OpConstant %%i32 100\n%%mask = OpConstant %%i64 %u\n"
        "%%times = OpConstant %%i64 %u\n%%at = OpConstant %%i64 %u\n"
        "%%a = OpTypeArray %%i32 %%l4\n%%pa = OpTypePointer Function %%a\n"
        "%%pi = OpTypePointer Function %%i32\n%%kt = OpTypeFunction %%void %%g %%g %%i64\n"
        "%%k = OpFunction %%void None %%kt\n%%out = OpFunctionParameter %%g\n"
        "%%in = OpFunctionParameter %%g\n%%size = OpFunctionParameter %%i64\n%%entry = OpLabel\n"
        "%%array = OpVariable %%pa Function\n%%all = OpLoad %%v3 %%gid\n"
        "%%x = OpCompositeExtract %%i64 %%all 0\n%%w = OpUConvert %%i32 %%x\n"
        "%%base = OpIAdd %%i32 %%w %%c100\n"
        "%%s0 = OpInBoundsAccessChain %%pi %%array %%l0\nOpStore %%s0 %%base\n"
        "%%s1 = OpInBoundsAccessChain %%pi %%array %%l1\nOpStore %%s1 %%base\n"
        "%%s2 = OpInBoundsAccessChain %%pi %%array %%l2\nOpStore %%s2 %%base\n"
        "%%s3 = OpInBoundsAccessChain %%pi %%array %%l3\nOpStore %%s3 %%base\n"
        "%%index = OpIMul %%i64 %%x %%times\n"
        "%%from = OpInBoundsPtrAccessChain %%g %%in %%index\n"
        "%%to = OpInBoundsAccessChain %%pi %%array %%at\n"
        "%%bits = OpBitwiseAnd %%i64 %%x %%mask\n%%takes = OpIEqual %%bool %%bits %%mask\n"
        "OpSelectionMerge %%done None\nOpBranchConditional %%takes %%yes %%done\n%%yes = OpLabel\n"
        "OpCopyMemorySized %%to %%from %s Aligned 4\nOpBranch %%done\n%%done = OpLabel\n"
        "%%first = OpIMul %%i64 %%x %%l4\n%%o0 = OpInBoundsPtrAccessChain %%g %%out %%first\n"
        "%%o1 = OpInBoundsPtrAccessChain %%g %%o0 %%l1\n"
        "%%o2 = OpInBoundsPtrAccessChain %%g %%o0 %%l2\n"
        "%%o3 = OpInBoundsPtrAccessChain %%g %%o0 %%l3\n%%v0 = OpLoad %%i32 %%s0\n"
        "%%v1 = OpLoad %%i32 %%s1\n%%v2 = OpLoad %%i32 %%s2\n%%v3w = OpLoad %%i32 %%s3\n"
        "OpStore %%o0 %%v0\nOpStore %%o1 %%v1\nOpStore %%o2 %%v2\nOpStore %%o3 %%v3w\nOpReturn\n"
        "OpFunctionEnd\n",
        c->is_part ? 1 : 0, c->is_of_each ? 3 : 0, (unsigned)c->at, c->size);
}

/* What is wrong with a copy; the interpreter reports it. */
typedef enum copy_fault { COPY_RIGHT, COPY_SOURCE_ENDS, COPY_UNALIGNED, COPY_UNDEFINED } copy_fault;

static void copy_try(const copy_case *c, uint64_t size, copy_fault fault)
{
    enum { ITEMS = 40 };
    static char text[8192];
    uint32_t in[3 * ITEMS + 1], out[4 * ITEMS], words = (c->is_of_each ? 3 * ITEMS : 3);
    for (uint32_t i = 0; i < words + 1; i++)
        in[i] = 7000 + 3 * i;
    copy_text(text, sizeof text, c);
    harness h = harness_text(text);
    assert_true(rt_ok(sim_world_choose_tier(h.world, RT_TEXT("compiled"), NULL)));
    sim_object to = harness_memory(&h, "out", NULL, sizeof out);
    size_t in_size = words * sizeof *in;
    if (fault == COPY_SOURCE_ENDS) in_size--;
    if (fault == COPY_UNALIGNED) in_size += sizeof *in;
    sim_object from = harness_memory(&h, "in", fault == COPY_UNDEFINED ? NULL : in, in_size);
    sim_argument arguments[] = {harness_global(to), harness_global(from),
                                harness_value(&size, sizeof size)};
    if (fault == COPY_UNALIGNED) arguments[1].offset = 2;
    harness_try(&h, "k", harness_range(ITEMS, ITEMS / 2), arguments, 3);
    assert_true(rt_ok(h.status));
    sim_tier_report report = sim_world_tier_report(h.world);
    static const char *const kinds[] = {
        [COPY_RIGHT] = "none",
        [COPY_SOURCE_ENDS] = "out-of-bounds",
        [COPY_UNALIGNED] = "misaligned",
        [COPY_UNDEFINED] = "none",
    };
    const char *kind = h.finding_count ? h.findings[0].kind : "none";
    if (strcmp(kind, kinds[fault]) != 0)
        fail_msg("%s: %s, expected %s", c->size, kind, kinds[fault]);
    if ((report.undone == 0) != (fault == COPY_RIGHT) ||
        (report.compiled == 0) == (fault == COPY_RIGHT))
        fail_msg("%s, fault %d: %u compiled; it %.*s", c->size, (int)fault,
                 (unsigned)report.compiled, RT_TEXT_ARG(report.reason));
    harness_read_back(&h, to, out, sizeof out);
    for (uint32_t i = 0; i < 4 * ITEMS && fault == COPY_RIGHT; i++) {
        uint32_t item = i / 4, word = i % 4, wanted = 100 + item;
        bool takes = !c->is_part || item % 2 == 1;
        if (takes && word >= c->at && 4 * (word - c->at) < size) {
            uint32_t source = in[(c->is_of_each ? 3 * item : 0) + word - c->at];
            uint64_t left = size - 4 * (word - c->at);
            memcpy(&wanted, &source, left < 4 ? left : 4);
        }
        if (out[i] != wanted) fail_msg("%s, word %u: %u, expected %u", c->size, i, out[i], wanted);
    }
    harness_close(&h);
}

static void test_copies(void **state)
{
    (void)state;
    static const copy_case cases[] = {
        {"%l12", false, false, 1}, {"%l12", false, true, 0},  {"%l12", true, false, 1},
        {"%l12", true, true, 0},   {"%size", false, true, 1}, {"%size", true, false, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        copy_try(&cases[i], COPY_SIZE, COPY_RIGHT);
        if (strcmp(cases[i].size, "%size") == 0) copy_try(&cases[i], 7, COPY_RIGHT);
        if (i % 2) copy_try(&cases[i], COPY_SIZE, COPY_SOURCE_ENDS);
        if (i % 2 == 0) copy_try(&cases[i], COPY_SIZE, COPY_UNALIGNED);
        if (i < 3) copy_try(&cases[i], COPY_SIZE, COPY_UNDEFINED);
    }
    /* A copy that begins one word later than it may leaves the array. */
    const copy_case beyond = {"%l12", false, false, 2};
    static char text[8192];
    copy_text(text, sizeof text, &beyond);
    harness h = harness_text(text);
    assert_true(rt_ok(sim_world_choose_tier(h.world, RT_TEXT("compiled"), NULL)));
    uint32_t in[3] = {1, 2, 3};
    uint64_t size = 0;
    const sim_argument arguments[] = {harness_global(harness_memory(&h, "out", NULL, 16 * 16)),
                                      harness_global(harness_memory(&h, "in", in, sizeof in)),
                                      harness_value(&size, sizeof size)};
    harness_try(&h, "k", harness_range(16, 16), arguments, 3);
    assert_int_equal(sim_world_tier_report(h.world).undone, 1);
    assert_int_equal(h.finding_count, 1);
    assert_string_equal(h.findings[0].kind, "out-of-bounds");
    harness_close(&h);
}

/* ---- Machine code in a folder ---------------------------------------------------------------- */

/* Runs a kernel whose code calls helpers with data of this process; returns for how many kernels
 * code was found. */
static uint32_t kept_run(const char *folder, uint32_t engine)
{
    enum { ITEMS = 16 };
    harness h = harness_text(MODULE("%s = OpGroupIAdd %i32 %c3 Reduce %w\nOpStore %to %s\n"));
    h.world->engine = engine;
    assert_true(rt_ok(sim_world_choose_tier(h.world, RT_TEXT("compiled"), NULL)));
    sim_world_keep_code(h.world, rt_text_of(folder));
    uint32_t out[ITEMS];
    sim_object to = harness_memory(&h, "out", NULL, sizeof out);
    sim_argument arguments[] = {harness_global(to), harness_global(0)};
    harness_run(&h, "k", harness_range(ITEMS, ITEMS), arguments, 2);
    harness_read_back(&h, to, out, sizeof out);
    for (uint32_t i = 0; i < ITEMS; i++)
        assert_int_equal(out[i], 120); /* 0 + 1 + … + 15 */
    sim_tier_report report = sim_world_tier_report(h.world);
    assert_int_equal(report.compiled, 1);
    harness_close(&h);
    return report.found;
}

/* The same in another process, which has the library and its data elsewhere. */
static int kept_elsewhere(char *folder)
{
    char name[] = "sim_tier_tests", word[] = "kept";
    char *arguments[] = {name, word, folder, NULL};
    int status;
    pid_t child = fork();
    if (child == 0) {
        execv("/proc/self/exe", arguments);
        _exit(127);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static int file_damage(const char *path, const struct stat *status, int kind, struct FTW *place)
{
    (void)place;
    return kind == FTW_F ? truncate(path, status->st_size / 2) : 0;
}

static int file_remove(const char *path, const struct stat *status, int kind, struct FTW *place)
{
    (void)status, (void)kind, (void)place;
    return remove(path);
}

static void test_kept(void **state)
{
    (void)state;
    char folder[] = "/tmp/sim_tier_XXXXXX";
    assert_non_null(mkdtemp(folder));
    assert_int_equal(kept_elsewhere(folder), 0);
    assert_int_equal(kept_elsewhere(folder), 1);
    assert_int_equal(kept_run(folder, sim_engine_best()), 1);
    /* Other processors have other code. */
    if (sim_engine_best() > 0) assert_int_equal(kept_run(folder, 0), 0);
    assert_int_equal(nftw(folder, file_damage, 8, FTW_PHYS), 0);
    assert_int_equal(kept_run(folder, sim_engine_best()), 0);
    assert_int_equal(kept_run(folder, sim_engine_best()), 1);
    assert_int_equal(nftw(folder, file_remove, 8, FTW_DEPTH | FTW_PHYS), 0);
    /* Where nothing can be kept, kernels are compiled every time. */
    assert_int_equal(kept_run("/proc/nowhere", sim_engine_best()), 0);
    assert_int_equal(kept_run("/proc/nowhere", sim_engine_best()), 0);
}

/* The kernel's work-item i of n reads element 5 * i % n. */
static harness gather_open(uint32_t bits)
{
    static const char text[] =
        "%sOpEntryPoint Kernel %%k \"k\" %%gid\nOpDecorate %%gid BuiltIn GlobalInvocationId\n"
        "%%void = OpTypeVoid\n%%e = OpTypeInt %u 0\n%%i64 = OpTypeInt 64 0\n"
        "%%v3 = OpTypeVector %%i64 3\n%%pin = OpTypePointer Input %%v3\n"
        "%%gid = OpVariable %%pin Input\n%%g = OpTypePointer CrossWorkgroup %%e\n"
        "%%c5 = OpConstant %%i64 5\n%%kt = OpTypeFunction %%void %%g %%g %%i64\n"
        "%%k = OpFunction %%void None %%kt\n%%out = OpFunctionParameter %%g\n"
        "%%in = OpFunctionParameter %%g\n%%n = OpFunctionParameter %%i64\n%%entry = OpLabel\n"
        "%%all = OpLoad %%v3 %%gid\n%%x = OpCompositeExtract %%i64 %%all 0\n"
        "%%x5 = OpIMul %%i64 %%x %%c5\n%%at = OpUMod %%i64 %%x5 %%n\n"
        "%%from = OpInBoundsPtrAccessChain %%g %%in %%at\n%%value = OpLoad %%e %%from\n"
        "%%to = OpInBoundsPtrAccessChain %%g %%out %%x\nOpStore %%to %%value\nOpReturn\n"
        "OpFunctionEnd\n";
    char whole[sizeof text + sizeof SIM_TEST_PRELUDE];
    snprintf(whole, sizeof whole, text, SIM_TEST_PRELUDE, bits);
    harness h = harness_text(whole);
    sim_world_reserve_mapped(h.world);
    assert_true(rt_ok(sim_world_choose_tier(h.world, RT_TEXT("compiled"), NULL)));
    return h;
}

/* Compiled code reads small elements as parts of whole words. It must not touch the page behind
 * the one in which the elements end, which does not exist; it gives up where an element is in two
 * words. */
static void test_small_elements(void **state)
{
    (void)state;
    enum { COUNT_MIN = 16, COUNT_MAX = 19, ELEMENTS = 64 };
    static const struct {
        uint32_t bytes, before_end;
        bool is_compiled;
    } cases[] = {{1, 0, true}, {1, 1, true}, {2, 0, true}, {2, 2, true}, {2, 3, false}};
    uint64_t size = (uint64_t)sysconf(_SC_PAGESIZE);
    for (uint32_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        uint64_t bytes = cases[c].bytes;
        uint8_t wanted[2 * COUNT_MAX], found[2 * COUNT_MAX] = {0};
        harness h = gather_open(8 * cases[c].bytes);
        sim_object whole, window, out;
        assert_true(rt_ok(sim_object_create_mapped(h.world, size, RT_TEXT("page"), &whole)));
        out = harness_memory(&h, "out", found, sizeof found);
        uint8_t *page = (uint8_t *)(uintptr_t)sim_object_address(whole);
        for (uint32_t i = 0; i < ELEMENTS; i++)
            page[size - ELEMENTS + i] = (uint8_t)i;
        uint32_t launches = 0;
        for (uint64_t n = COUNT_MIN; n <= COUNT_MAX; n++, launches++) {
            uint64_t origin = size - cases[c].before_end - n * bytes;
            assert_true(rt_ok(sim_object_create_window(h.world, whole, origin, n * bytes,
                                                       RT_TEXT("window"), &window)));
            sim_argument arguments[] = {harness_global(out), harness_global(window),
                                        harness_value(&n, sizeof n)};
            harness_run(&h, "k", harness_range(n, n), arguments, 3);
            harness_read_back(&h, out, found, sizeof found);
            for (uint32_t i = 0; i < n; i++)
                memcpy(wanted + i * bytes, page + origin + 5 * i % n * bytes, bytes);
            assert_memory_equal(found, wanted, n * bytes);
        }
        /* The oldest processors gather lane by lane. */
        bool is_compiled = cases[c].is_compiled || sim_engine_best() == 0;
        assert_int_equal(sim_world_tier_report(h.world).compiled, is_compiled ? launches : 0);
        harness_close(&h);
    }
}

int main(int count, char **words)
{
    if (count == 3 && strcmp(words[1], "kept") == 0)
        return (int)kept_run(words[2], sim_engine_best());
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_choice),
        cmocka_unit_test(test_kernels),
        cmocka_unit_test(test_structure),
        cmocka_unit_test(test_marks),
        cmocka_unit_test(test_measured),
        cmocka_unit_test(test_kept),
        cmocka_unit_test(test_small_elements),
        cmocka_unit_test(test_atomics),
        cmocka_unit_test(test_large_subgroups),
        cmocka_unit_test(test_gives_up),
        cmocka_unit_test(test_interpreted_launches),
        cmocka_unit_test(test_wrong_atomics),
        cmocka_unit_test(test_copies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
