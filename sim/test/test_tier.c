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
        assert_int_equal(sim_world_tier_report(h.world).compiled,
                         cases[c].is_compiled ? launches : 0);
        harness_close(&h);
    }
}

int main(int count, char **words)
{
    if (count == 3 && strcmp(words[1], "kept") == 0)
        return (int)kept_run(words[2], sim_engine_best());
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_choice),         cmocka_unit_test(test_kernels),
        cmocka_unit_test(test_structure),      cmocka_unit_test(test_marks),
        cmocka_unit_test(test_measured),       cmocka_unit_test(test_kept),
        cmocka_unit_test(test_small_elements),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
