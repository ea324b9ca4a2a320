/* Tests control flow: every function of flow.h against plain C, with groups of many sizes, so that
 * lanes diverge and meet in all ways; calls; and control flow that only assembly can express. */
#include "sim/test/harness.h"

#define NOINLINE
typedef unsigned int uint;
#pragma GCC diagnostic ignored "-Wconversion"
#include "sim/test/flow.h"

#define ITEMS_MAX 1024u

static void check_flow(harness *h, const char *kernel, int (*expected)(int), uint items, uint group)
{
    int32_t out[2 * ITEMS_MAX], base = (int32_t)group;
    sim_object to = harness_memory(h, "out", NULL, 2 * items * sizeof *out);
    sim_argument arguments[] = {harness_global(to), harness_value(&base, sizeof base)};
    harness_run(h, kernel, harness_range(items, group), arguments, 2);
    harness_read_back(h, to, out, 2 * items * sizeof *out);
    for (uint i = 0; i < items; i++) {
        if (out[i] != expected((int)i)) {
            fail_msg("%s, item %u of groups of %u: got %d, expected %d", kernel, i, group, out[i],
                     expected((int)i));
        }
        if (out[items + i] != expected(base)) {
            fail_msg("%s, uniform %d, item %u of groups of %u: got %d, expected %d", kernel, base,
                     i, group, out[items + i], expected(base));
        }
    }
    sim_object_destroy(h->world, to);
}

static const struct {
    uint items, group;
} shapes[] = {{7, 1}, {21, 7}, {256, 64}, {512, 256}, {600, 300}, {1024, 1024}};

static void test_flow(void **state)
{
    (void)state;
    FOR_EACH_BUILD(level, engine)
    {
        harness h = harness_open(level, engine);
        for (uint i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
#define CHECK_FLOW(name)                                                                           \
    check_flow(&h, "flow_kernel_" #name, flow_##name, shapes[i].items, shapes[i].group);
            FLOWS(CHECK_FLOW)
        }
        harness_close(&h);
    }
}

/* ---- Assembly ------------------------------------------------------------------------------- */

#define TYPES                                                                                      \
    "%void = OpTypeVoid\n%bool = OpTypeBool\n%int = OpTypeInt 32 0\n%long = OpTypeInt 64 0\n"      \
    "%v3 = OpTypeVector %long 3\n%in = OpTypePointer Input %v3\n"                                  \
    "%global = OpTypePointer CrossWorkgroup %int\n%kernel = OpTypeFunction %void %global\n"        \
    "%unary = OpTypeFunction %int %int\n"                                                          \
    "%c0 = OpConstant %int 0\n%c1 = OpConstant %int 1\n%c2 = OpConstant %int 2\n"                  \
    "%c3 = OpConstant %int 3\n%c100 = OpConstant %int 100\n%c2000 = OpConstant %int 2000\n"        \
    "%id = OpVariable %in Input\n"
#define HEAD                                                                                       \
    SIM_TEST_PRELUDE "OpEntryPoint Kernel %main \"main\" %id\n"                                    \
                     "OpDecorate %id BuiltIn GlobalInvocationId\n" TYPES
#define MAIN                                                                                       \
    "%main = OpFunction %void None %kernel\n%out = OpFunctionParameter %global\n"                  \
    "%entry = OpLabel\n%ids = OpLoad %v3 %id Aligned 32\n%x = OpCompositeExtract %long %ids 0\n"   \
    "%i = OpUConvert %int %x\n%to = OpInBoundsPtrAccessChain %global %out %x\n"

static void run_text(const char *text, uint items, uint group, int32_t *out)
{
    harness h = harness_text(text);
    sim_object to = harness_memory(&h, "out", NULL, items * sizeof *out);
    sim_argument arguments[] = {harness_global(to)};
    harness_run(&h, "main", harness_range(items, group), arguments, 1);
    harness_read_back(&h, to, out, items * sizeof *out);
    harness_close(&h);
}

/* f(n) = n < 1 ? 0 : n + f(n - 1), with every lane recursing to its own depth. */
static const char recursion[] =
    HEAD "%f = OpFunction %int None %unary\n%n = OpFunctionParameter %int\n%f0 = OpLabel\n"
         "%stop = OpSLessThan %bool %n %c1\nOpBranchConditional %stop %f1 %f2\n"
         "%f1 = OpLabel\nOpReturnValue %c0\n"
         "%f2 = OpLabel\n%less = OpISub %int %n %c1\n%rest = OpFunctionCall %int %f %less\n"
         "%sum = OpIAdd %int %rest %n\nOpReturnValue %sum\nOpFunctionEnd\n" MAIN
         "%r = OpFunctionCall %int %f %i\nOpStore %to %r Aligned 4\nOpReturn\nOpFunctionEnd\n";

static void test_recursion(void **state)
{
    (void)state;
    int32_t out[300];
    run_text(recursion, 300, 100, out);
    for (int32_t i = 0; i < 300; i++)
        assert_int_equal(out[i], i * (i + 1) / 2);
}

static const char endless_recursion[] =
    HEAD "%f = OpFunction %int None %unary\n%n = OpFunctionParameter %int\n%f0 = OpLabel\n"
         "%rest = OpFunctionCall %int %f %n\nOpReturnValue %rest\nOpFunctionEnd\n" MAIN
         "%r = OpFunctionCall %int %f %i\nOpStore %to %r Aligned 4\nOpReturn\nOpFunctionEnd\n";

static void test_recursion_without_end(void **state)
{
    (void)state;
    harness h = harness_text(endless_recursion);
    sim_object to = harness_memory(&h, "out", NULL, 64);
    sim_argument arguments[] = {harness_global(to)};
    harness_try(&h, "main", harness_range(16, 16), arguments, 1);
    assert_int_equal(h.status.code, RT_BUDGET);
    harness_close(&h);
}

/* A loop with two back edges, taken by different lanes, and a uniform counter in its header. */
static const char two_latches[] =
    HEAD MAIN "OpBranch %head\n"
              "%head = OpLabel\n%k = OpPhi %int %c0 %entry %k1 %odd %k1 %even\n"
              "%sum = OpPhi %int %c0 %entry %s1 %odd %s2 %even\n%k1 = OpIAdd %int %k %c1\n"
              "%mix = OpIAdd %int %k %i\n%bit = OpBitwiseAnd %int %mix %c1\n"
              "%is_odd = OpIEqual %bool %bit %c1\nOpBranchConditional %is_odd %odd %test\n"
              "%odd = OpLabel\n%s1 = OpIAdd %int %sum %k1\nOpBranch %head\n"
              "%test = OpLabel\n%more = OpULessThan %bool %k1 %c100\n"
              "OpBranchConditional %more %even %done\n"
              "%even = OpLabel\n%s2 = OpIAdd %int %sum %c2\nOpBranch %head\n"
              "%done = OpLabel\n%r = OpIAdd %int %sum %k\nOpStore %to %r Aligned 4\nOpReturn\n"
              "OpFunctionEnd\n";

static int expected_two_latches(int i)
{
    int sum = 0;
    for (int k = 0;; k++) {
        if ((k + i) & 1) {
            sum += k + 1;
        } else if (k + 1 < 100) {
            sum += 2;
        } else {
            return sum + k;
        }
    }
}

static void test_two_latches(void **state)
{
    (void)state;
    int32_t out[64];
    run_text(two_latches, 64, 64, out);
    for (int i = 0; i < 64; i++)
        assert_int_equal(out[i], expected_two_latches(i));
}

/* A loop of one block that lanes leave in different iterations, with the value of a counter that is
 * uniform inside: the back edge's move must not come before the leaving lanes have read it. */
static const char leaving[] =
    HEAD MAIN "%limit = OpBitwiseAnd %int %i %c3\nOpBranch %head\n"
              "%head = OpLabel\n%k = OpPhi %int %c0 %entry %k1 %head\n%k1 = OpIAdd %int %k %c1\n"
              "%more = OpULessThan %bool %k %limit\nOpBranchConditional %more %head %done\n"
              "%done = OpLabel\n%r = OpPhi %int %k %head\nOpStore %to %r Aligned 4\nOpReturn\n"
              "OpFunctionEnd\n";

static void test_leaving_with_uniform_value(void **state)
{
    (void)state;
    int32_t out[64];
    run_text(leaving, 64, 64, out);
    for (int i = 0; i < 64; i++)
        assert_int_equal(out[i], i & 3);
}

/* A kernel that calls another module's function. */
static const char importer[] = SIM_TEST_PRELUDE
    "OpEntryPoint Kernel %main \"main\" %id\nOpDecorate %id BuiltIn GlobalInvocationId\n"
    "OpDecorate %twice LinkageAttributes \"twice\" Import\n" TYPES
    "%twice = OpFunction %int None %unary\n%p = OpFunctionParameter %int\nOpFunctionEnd\n" MAIN
    "%r = OpFunctionCall %int %twice %i\nOpStore %to %r Aligned 4\nOpReturn\nOpFunctionEnd\n";
static const char exporter[] = SIM_TEST_PRELUDE
    "OpDecorate %twice LinkageAttributes \"twice\" Export\n%int = OpTypeInt 32 0\n"
    "%unary = OpTypeFunction %int %int\n%twice = OpFunction %int None %unary\n"
    "%p = OpFunctionParameter %int\n%e = OpLabel\n%r = OpIAdd %int %p %p\nOpReturnValue %r\n"
    "OpFunctionEnd\n";

static void test_two_modules(void **state)
{
    (void)state;
    rt_sink *sink = rt_sink_create();
    sim_module *modules[] = {sim_test_module(sink, importer), sim_test_module(sink, exporter)};
    harness h = harness_link(sink, modules, 2, sim_engine_best());
    int32_t out[8];
    sim_object to = harness_memory(&h, "out", NULL, sizeof out);
    sim_argument arguments[] = {harness_global(to)};
    harness_run(&h, "main", harness_range(8, 8), arguments, 1);
    harness_read_back(&h, to, out, sizeof out);
    for (int32_t i = 0; i < 8; i++)
        assert_int_equal(out[i], 2 * i);
    harness_close(&h);
}

static void test_unresolved(void **state)
{
    (void)state;
    rt_sink *sink = rt_sink_create();
    sim_module *module = sim_test_module(sink, importer);
    sim_program *program;
    rt_status status = sim_program_link(sink, (const sim_module *const *)&module, 1, &program);
    assert_int_equal(status.code, RT_LINK_ERROR);
    assert_null(program);
    const rt_diagnostic *diagnostic = rt_sink_diagnostic(sink, status);
    assert_int_equal(diagnostic->name_count, 1);
    assert_true(rt_text_is(diagnostic->names[0], "twice"));
    sim_module_destroy(module);
    rt_sink_destroy(sink);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_flow),
        cmocka_unit_test(test_recursion),
        cmocka_unit_test(test_recursion_without_end),
        cmocka_unit_test(test_two_latches),
        cmocka_unit_test(test_leaving_with_uniform_value),
        cmocka_unit_test(test_two_modules),
        cmocka_unit_test(test_unresolved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
