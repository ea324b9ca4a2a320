/* Tests of aggregates passed by value: a callee has its own copy, with and without divergent lanes,
 * called directly, through a pointer, from another module, and with the kernel's own parameter.
 * Each test has a twin without the attribute, in which the caller sees every change.
 *
 * The callee adds 1, 10 and 100 to three members, nested and direct, and returns their sum. */
#include "sim/test/harness.h"

#define ITEMS 40u

/* Types: S is {i32, {i64, i8}, [2 x i32]}, of 32 bytes. */
#define TYPES                                                                                      \
    "%void = OpTypeVoid\n%bool = OpTypeBool\n%i8 = OpTypeInt 8 0\n%i32 = OpTypeInt 32 0\n"         \
    "%i64 = OpTypeInt 64 0\n%c0 = OpConstant %i32 0\n%c1 = OpConstant %i32 1\n"                    \
    "%c2 = OpConstant %i32 2\n%c100 = OpConstant %i32 100\n%w10 = OpConstant %i64 10\n"            \
    "%w1 = OpConstant %i64 1\n%inner = OpTypeStruct %i64 %i8\n%pair = OpTypeArray %i32 %c2\n"      \
    "%S = OpTypeStruct %i32 %inner %pair\n%pS = OpTypePointer Function %S\n"                       \
    "%p32 = OpTypePointer Function %i32\n%p64 = OpTypePointer Function %i64\n"                     \
    "%gS = OpTypePointer CrossWorkgroup %S\n%g32 = OpTypePointer CrossWorkgroup %i32\n"            \
    "%ids = OpTypeVector %i64 3\n%pids = OpTypePointer Input %ids\n"                               \
    "%gid = OpVariable %pids Input\n%ft = OpTypeFunction %i32 %pS\n"                               \
    "%kt = OpTypeFunction %void %g32 %pS\n"

#define CALLEE                                                                                     \
    "%f = OpFunction %i32 None %ft\n%p = OpFunctionParameter %pS\n%fl = OpLabel\n"                 \
    "%pa = OpInBoundsAccessChain %p32 %p %c0\n%pb = OpInBoundsAccessChain %p64 %p %c1 %c0\n"       \
    "%pd = OpInBoundsAccessChain %p32 %p %c2 %c1\n%va = OpLoad %i32 %pa\n%vb = OpLoad %i64 %pb\n"  \
    "%vd = OpLoad %i32 %pd\n%na = OpIAdd %i32 %va %c1\n%nb = OpIAdd %i64 %vb %w10\n"               \
    "%nd = OpIAdd %i32 %vd %c100\nOpStore %pa %na\nOpStore %pb %nb\nOpStore %pd %nd\n"             \
    "%sb = OpUConvert %i32 %nb\n%s0 = OpIAdd %i32 %na %sb\n%s1 = OpIAdd %i32 %s0 %nd\n"            \
    "OpReturnValue %s1\nOpFunctionEnd\n"

/* %x is the work-item's number; members of %v get x, x + 1 and x + 2; %after is their sum. */
#define KERNEL_START                                                                               \
    "%k = OpFunction %void None %kt\n%out = OpFunctionParameter %g32\n"                            \
    "%given = OpFunctionParameter %pS\n%kl = OpLabel\n%v = OpVariable %pS Function\n"              \
    "%all = OpLoad %ids %gid\n%w = OpCompositeExtract %i64 %all 0\n%x = OpUConvert %i32 %w\n"      \
    "%x1 = OpIAdd %i64 %w %w1\n%x2 = OpIAdd %i32 %x %c2\n"                                         \
    "%ka = OpInBoundsAccessChain %p32 %v %c0\n%kb = OpInBoundsAccessChain %p64 %v %c1 %c0\n"       \
    "%kd = OpInBoundsAccessChain %p32 %v %c2 %c1\nOpStore %ka %x\nOpStore %kb %x1\n"               \
    "OpStore %kd %x2\n"
#define KERNEL_END                                                                                 \
    "%la = OpLoad %i32 %ka\n%lb = OpLoad %i64 %kb\n%ld = OpLoad %i32 %kd\n"                        \
    "%lc = OpUConvert %i32 %lb\n%s2 = OpIAdd %i32 %la %lc\n%after = OpIAdd %i32 %s2 %ld\n"         \
    "%two = OpIMul %i32 %x %c2\n%one = OpIAdd %i32 %two %c1\n"                                     \
    "%o0 = OpInBoundsPtrAccessChain %g32 %out %two\n"                                              \
    "%o1 = OpInBoundsPtrAccessChain %g32 %out %one\nOpStore %o0 %r\nOpStore %o1 %after\n"          \
    "OpReturn\nOpFunctionEnd\n"

#define HEAD                                                                                       \
    SIM_TEST_PRELUDE "OpEntryPoint Kernel %k \"k\" %gid\n"                                         \
                     "OpDecorate %gid BuiltIn GlobalInvocationId\n"                                \
                     "OpDecorate %given FuncParamAttr ByVal\n"
#define BY_VALUE "OpDecorate %p FuncParamAttr NoAlias\nOpDecorate %p FuncParamAttr ByVal\n"

/* Runs a kernel of ITEMS work-items in groups of 20 and returns what each wrote; every kernel also
 * gets a structure whose members are 1000, 2000 and 3000. */
static void run(harness *h, int32_t (*out)[2])
{
    struct {
        int32_t a;
        struct {
            int64_t b;
            int8_t c;
        } inner;
        int32_t d[2];
    } argument = {.a = 1000, .inner = {.b = 2000}, .d = {0, 3000}};
    _Static_assert(sizeof argument == 32, "laid out as the module has it");
    sim_object to = harness_memory(h, "out", NULL, ITEMS * sizeof *out);
    sim_argument arguments[] = {harness_global(to), harness_value(&argument, sizeof argument)};
    harness_run(h, "k", harness_range(ITEMS, 20), arguments, 2);
    harness_read_back(h, to, out, ITEMS * sizeof *out);
}

static void expect(const char *text, bool is_by_value, bool odd_only)
{
    for (uint32_t engine = 0; engine < SIM_ENGINE_COUNT; engine++) {
        if (!sim_engine_at(engine)) continue;
        int32_t out[ITEMS][2];
        harness h = harness_text(text);
        h.world->engine = engine;
        run(&h, out);
        for (int32_t x = 0; x < (int32_t)ITEMS; x++) {
            bool calls = !odd_only || x % 2;
            assert_int_equal(out[x][0], calls ? 3 * x + 114 : 0);
            assert_int_equal(out[x][1], calls && !is_by_value ? 3 * x + 114 : 3 * x + 3);
        }
        harness_close(&h);
    }
}

static void test_call(void **state)
{
    (void)state;
    static const char body[] =
        TYPES CALLEE KERNEL_START "%r = OpFunctionCall %i32 %f %v\n" KERNEL_END;
    char text[8192];
    for (uint32_t by_value = 0; by_value < 2; by_value++) {
        snprintf(text, sizeof text, "%s%s%s", HEAD, by_value ? BY_VALUE : "", body);
        expect(text, by_value, false);
    }
}

/* Odd work-items call twice, from a branch: the copies of the first call no longer exist. */
static void test_divergent_call(void **state)
{
    (void)state;
    static const char body[] = TYPES CALLEE KERNEL_START
        "%odd = OpBitwiseAnd %i32 %x %c1\n%is = OpINotEqual %bool %odd %c0\n"
        "OpBranchConditional %is %then %join\n%then = OpLabel\n"
        "%first = OpFunctionCall %i32 %f %v\n%again = OpFunctionCall %i32 %f %v\n"
        "OpBranch %join\n%join = OpLabel\n%r = OpPhi %i32 %c0 %kl %again %then\n" KERNEL_END;
    char text[8192];
    snprintf(text, sizeof text, "%s%s%s", HEAD, BY_VALUE, body);
    expect(text, true, true);
}

static void test_call_pointer(void **state)
{
    (void)state;
    static const char head[] =
        "OpCapability FunctionPointersINTEL\nOpCapability Addresses\nOpCapability Linkage\n"
        "OpCapability Kernel\nOpCapability Int64\nOpCapability Int8\n"
        "OpExtension \"SPV_INTEL_function_pointers\"\nOpMemoryModel Physical64 OpenCL\n"
        "OpEntryPoint Kernel %k \"k\" %gid\nOpDecorate %gid BuiltIn GlobalInvocationId\n"
        "OpDecorate %given FuncParamAttr ByVal\n";
    static const char body[] = TYPES
        "%pf = OpTypePointer Function %ft\n%address = OpConstantFunctionPointerINTEL %pf %f\n" CALLEE
            KERNEL_START "%r = OpFunctionPointerCallINTEL %i32 %address %v\n" KERNEL_END;
    char text[8192];
    for (uint32_t by_value = 0; by_value < 2; by_value++) {
        snprintf(text, sizeof text, "%s%s%s", head, by_value ? BY_VALUE : "", body);
        expect(text, by_value, false);
    }
}

/* The function is defined in another module, and both declare the parameter by value. */
static void test_call_import(void **state)
{
    (void)state;
    static const char caller[] = HEAD
        "OpDecorate %f LinkageAttributes \"f\" Import\n" BY_VALUE TYPES
        "%f = OpFunction %i32 None %ft\n%p = OpFunctionParameter %pS\nOpFunctionEnd\n" KERNEL_START
        "%r = OpFunctionCall %i32 %f %v\n" KERNEL_END;
    static const char callee[] = SIM_TEST_PRELUDE
        "OpDecorate %f LinkageAttributes \"f\" Export\nOpDecorate %gid BuiltIn GlobalInvocationId\n" BY_VALUE
            TYPES CALLEE;
    rt_sink *sink = rt_sink_create();
    sim_module *modules[2] = {sim_test_module(sink, caller), sim_test_module(sink, callee)};
    harness h = harness_link(sink, modules, 2, sim_engine_best());
    int32_t out[ITEMS][2];
    run(&h, out);
    for (int32_t x = 0; x < (int32_t)ITEMS; x++) {
        assert_int_equal(out[x][0], 3 * x + 114);
        assert_int_equal(out[x][1], 3 * x + 3);
    }
    harness_close(&h);
}

/* All calls share the kernel's own structure: it is passed on, twice, and is not changed. */
static void test_kernel_parameter(void **state)
{
    (void)state;
    static const char body[] = TYPES CALLEE KERNEL_START
        "%once = OpFunctionCall %i32 %f %given\n%r = OpFunctionCall %i32 %f %given\n" KERNEL_END;
    char text[8192];
    for (int32_t by_value = 0; by_value < 2; by_value++) {
        int32_t out[ITEMS][2];
        snprintf(text, sizeof text, "%s%s%s", HEAD, by_value ? BY_VALUE : "", body);
        harness h = harness_text(text);
        run(&h, out);
        for (int32_t x = 0; x < (int32_t)ITEMS; x++)
            assert_int_equal(out[x][0], by_value ? 6111 : 6222);
        harness_close(&h);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_call),
        cmocka_unit_test(test_divergent_call),
        cmocka_unit_test(test_call_pointer),
        cmocka_unit_test(test_call_import),
        cmocka_unit_test(test_kernel_parameter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
