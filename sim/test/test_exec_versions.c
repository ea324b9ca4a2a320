/* Tests of modules of every version of SPIR-V and with every extension that is implemented or
 * treated as a hint, and constants longer than one instruction. */
#include "sim/sim.h"
#include "sim/test/harness.h"

/* ---- Kernels of one value ---------------------------------------------------------------------
 */

/* A kernel that writes %r, which a body computes from %x (7 + the work-item's number), to its
 * element of %out. */
#define HEAD(capabilities, interface, decorations)                                                 \
    "OpCapability Addresses\nOpCapability Linkage\nOpCapability Kernel\nOpCapability Int64\n"      \
    "OpCapability Int8\n" capabilities "%std = OpExtInstImport \"OpenCL.std\"\n"                   \
    "OpMemoryModel Physical64 OpenCL\nOpEntryPoint Kernel %k \"k\" " interface "\n"                \
    "OpDecorate %gid BuiltIn GlobalLinearId\n" decorations                                         \
    "%void = OpTypeVoid\n%bool = OpTypeBool\n%i8 = OpTypeInt 8 0\n%i32 = OpTypeInt 32 0\n"         \
    "%i64 = OpTypeInt 64 0\n%f = OpTypeFloat 32\n%c1 = OpConstant %i32 1\n"                        \
    "%c2 = OpConstant %i32 2\n%c3 = OpConstant %i32 3\n%c7 = OpConstant %i32 7\n"                  \
    "%g = OpTypePointer CrossWorkgroup %i32\n%pin = OpTypePointer Input %i64\n"                    \
    "%gid = OpVariable %pin Input\n%kt = OpTypeFunction %void %g\n"
#define START                                                                                      \
    "%k = OpFunction %void None %kt\n%out = OpFunctionParameter %g\n%l = OpLabel\n"                \
    "%i = OpLoad %i64 %gid\n%i0 = OpUConvert %i32 %i\n%x = OpIAdd %i32 %i0 %c7\n"
#define END "%to = OpInBoundsPtrAccessChain %g %out %i\nOpStore %to %r\nOpReturn\nOpFunctionEnd\n"

enum { ITEMS = 20 };

/* Runs the module with the given version, or with the assembler's if 0; the results must be x *
 * factor. */
static void run(const char *text, uint32_t version, uint32_t factor)
{
    rt_bytes code = sim_test_assemble(text);
    uint32_t *words = (uint32_t *)(void *)code.data;
    if (version) words[1] = version;
    rt_sink *sink = rt_sink_create();
    sim_module *module = NULL;
    rt_status status = sim_module_create(sink, code, NULL, 0, &module);
    rt_free(words);
    if (!rt_ok(status)) fail_msg("%s", rt_sink_diagnostic(sink, status)->message.data);
    harness h = harness_link(sink, &module, 1, sim_engine_best());
    uint32_t out[ITEMS];
    sim_object to = harness_memory(&h, "out", NULL, sizeof out);
    sim_argument arguments[] = {harness_global(to)};
    harness_run(&h, "k", harness_range(ITEMS, ITEMS), arguments, 1);
    harness_read_back(&h, to, out, sizeof out);
    for (uint32_t i = 0; i < ITEMS; i++)
        assert_int_equal(out[i], (i + 7) * factor);
    harness_close(&h);
}

/* ---- Versions ---------------------------------------------------------------------------------
 */

/* What each version added for kernels: sizes of types (1.1), constants as execution modes (1.2),
 * sub-group votes (1.3), selections of aggregates, pointer comparisons, copies between equal types,
 * two sets of memory operands and the complete interface of a kernel (1.4), expectations (1.6). 1.5
 * added nothing. */
static void test_versions(void **state)
{
    (void)state;
    static const char plain[] = HEAD("", "%gid", "") START "%r = OpIMul %i32 %x %c3\n" END;
    for (uint32_t minor = 0; minor <= 6; minor++)
        run(plain, 0x10000 | minor << 8, 3);
    static const char sizes[] =
        HEAD("", "%gid", "") START "%size = OpSizeOf %i32 %out\n%r = OpIMul %i32 %x %size\n" END;
    run(sizes, 0x10100, 4);
    static const char modes[] =
        "OpCapability Addresses\nOpCapability Linkage\nOpCapability Kernel\nOpCapability Int64\n"
        "OpCapability SubgroupDispatch\nOpMemoryModel Physical64 OpenCL\n"
        "OpEntryPoint Kernel %k \"k\" %gid\nOpExecutionModeId %k LocalSizeHintId %c20 %c1 %c1\n"
        "OpExecutionModeId %k LocalSizeId %c20 %c1 %c1\nOpDecorate %gid BuiltIn GlobalLinearId\n"
        "%void = OpTypeVoid\n%i32 = OpTypeInt 32 0\n%i64 = OpTypeInt 64 0\n"
        "%c1 = OpConstant %i32 1\n%c7 = OpConstant %i32 7\n%c20 = OpConstant %i32 20\n"
        "%g = OpTypePointer CrossWorkgroup %i32\n%pin = OpTypePointer Input %i64\n"
        "%gid = OpVariable %pin Input\n%kt = OpTypeFunction %void %g\n" START
        "%r = OpCopyObject %i32 %x\n" END;
    run(modes, 0x10200, 1);
    static const char votes[] =
        HEAD("OpCapability GroupNonUniform\nOpCapability GroupNonUniformVote\n", "%gid", "") START
        "%any = OpULessThan %bool %i0 %c7\n%all = OpULessThanEqual %bool %c7 %x\n"
        "%v = OpGroupNonUniformAll %bool %c3 %all\n%r = OpSelect %i32 %v %x %c7\n" END;
    run(votes, 0x10300, 1);
    static const char aggregates[] = HEAD(
        "", "%gid %table",
        "") "%S = OpTypeStruct %i32 %i8\n%T = OpTypeStruct %i32 %i8\n%pS = OpTypePointer "
            "CrossWorkgroup %S\n%n8 = OpConstantNull %i8\n%init = OpConstantComposite %S %c3 %n8\n"
            "%table = OpVariable %pS CrossWorkgroup %init\n%pf = OpTypePointer Function %S\n" START
            "%own = OpVariable %pf Function\nOpCopyMemory %own %table Aligned 4 Aligned 4\n"
            "%loaded = OpLoad %S %own\n%other = OpCompositeConstruct %S %c7 %n8\n"
            "%same = OpPtrEqual %bool %out %out\n%chosen = OpSelect %S %same %loaded %other\n"
            "%copy = OpCopyLogical %T %chosen\n%three = OpCompositeExtract %i32 %copy 0\n"
            "%r = OpIMul %i32 %x %three\n" END;
    run(aggregates, 0x10400, 3);
    run(aggregates, 0x10500, 3);
    static const char expectations[] =
        HEAD("OpCapability ExpectAssumeKHR\nOpExtension \"SPV_KHR_expect_assume\"\n", "%gid", "")
            START "%true = OpIEqual %bool %x %x\nOpAssumeTrueKHR %true\n"
                  "%r = OpExpectKHR %i32 %x %c7\n" END;
    run(expectations, 0x10600, 1);
    static const char uniform[] =
        HEAD("OpCapability UniformDecoration\n", "%gid",
             "OpDecorate %sum Uniform\nOpDecorateId %seven UniformId %c3\n") START
        "%sum = OpIAdd %i32 %c3 %c7\n%seven = OpISub %i32 %sum %c3\n"
        "%three = OpISub %i32 %sum %seven\n%r = OpIMul %i32 %x %three\n" END;
    run(uniform, 0x10600, 3);
}

/* Versions that do not exist, or do not exist yet. */
static void test_other_versions(void **state)
{
    (void)state;
    static const struct {
        uint32_t version;
        rt_code code;
    } cases[] = {
        {0x00000900, RT_MALFORMED}, {0x00010700, RT_UNSUPPORTED}, {0x01010000, RT_MALFORMED}};
    for (uint32_t i = 0; i < 3; i++) {
        rt_bytes code = sim_test_assemble(HEAD("", "%gid", ""));
        ((uint32_t *)(void *)code.data)[1] = cases[i].version;
        rt_sink *sink = rt_sink_create();
        sim_module *module = NULL;
        assert_int_equal(sim_module_create(sink, code, NULL, 0, &module).code, cases[i].code);
        rt_free((void *)code.data);
        rt_sink_destroy(sink);
    }
}

/* ---- Extensions -------------------------------------------------------------------------------
 */

#define USING(name, capability) "OpCapability " capability "\nOpExtension \"" name "\"\n"

/* A use of each extension; those that other tests cover better only have their names declared. */
static void test_extensions(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint32_t factor;
    } cases[] = {
        {HEAD(USING("SPV_KHR_bit_instructions", "BitInstructions"), "%gid", "") START
         "%b = OpBitReverse %i32 %x\n%r = OpBitReverse %i32 %b\n" END,
         1},
        {HEAD("OpCapability DotProductInputAllKHR\n" USING("SPV_KHR_integer_dot_product",
                                                           "DotProductKHR"),
              "%gid",
              "") "%v2 = OpTypeVector %i32 2\n" START
                  "%a = OpCompositeConstruct %v2 %x %x\n%b = OpCompositeConstruct %v2 %c1 %c2\n"
                  "%r = OpUDot %i32 %a %b\n" END,
         3},
        {HEAD(USING("SPV_KHR_subgroup_rotate", "GroupNonUniformRotateKHR"), "%gid", "") START
         "%r = OpGroupNonUniformRotateKHR %i32 %c3 %x %c1 %c1\n" END,
         1},
        {HEAD(USING("SPV_KHR_shader_ballot", "SubgroupBallotKHR"), "%gid", "") START
         "%first = OpSubgroupFirstInvocationKHR %i32 %c3\n%r = OpIMul %i32 %x %first\n" END,
         3},
        {HEAD(USING("SPV_KHR_subgroup_vote", "SubgroupVoteKHR"), "%gid", "") START
         "%t = OpIEqual %bool %x %x\n%all = OpSubgroupAllKHR %bool %t\n"
         "%r = OpSelect %i32 %all %x %c7\n" END,
         1},
        {HEAD(USING("SPV_KHR_uniform_group_instructions", "GroupUniformArithmeticKHR"), "%gid", "")
             START
         "%one = OpGroupBitwiseAndKHR %i32 %c2 Reduce %c3\n%r = OpIMul %i32 %x %one\n" END,
         3},
        {HEAD(USING("SPV_INTEL_subgroups", "SubgroupShuffleINTEL"), "%gid", "") START
         "%zero = OpISub %i32 %c1 %c1\n%r = OpSubgroupShuffleXorINTEL %i32 %x %zero\n" END,
         1},
        {HEAD(USING("SPV_INTEL_shader_integer_functions2", "IntegerFunctions2INTEL"), "%gid", "")
             START "%r = OpUMul32x16INTEL %i32 %x %c3\n" END,
         3},
        {HEAD("OpExtension \"SPV_KHR_no_integer_wrap_decoration\"\n", "%gid",
              "OpDecorate %r NoSignedWrap\nOpDecorate %r NoUnsignedWrap\n") START
         "%r = OpIMul %i32 %x %c3\n" END,
         3},
        {HEAD(
             "OpExtension \"SPV_KHR_linkonce_odr\"\n", "%gid",
             "OpDecorate %help LinkageAttributes \"help\" LinkOnceODR\n") "%ht = OpTypeFunction %i32 %i32\n%help = OpFunction %i32 None %ht\n"
                                                                          "%p = OpFunctionParameter %i32\n%hl = OpLabel\n%d = OpIAdd %i32 %p %p\n"
                                                                          "OpReturnValue %d\nOpFunctionEnd\n" START
                                                                          "%r = OpFunctionCall %i32 %help %x\n" END,
         2},
        {HEAD(USING("SPV_INTEL_optnone", "OptNoneINTEL"), "%gid",
              "") "%ht = OpTypeFunction %i32 %i32\n%help = OpFunction %i32 OptNoneINTEL %ht\n"
                  "%p = OpFunctionParameter %i32\n%hl = OpLabel\n%d = OpIAdd %i32 %p %p\n"
                  "OpReturnValue %d\nOpFunctionEnd\n" START
                  "%r = OpFunctionCall %i32 %help %x\n" END,
         2},
        {HEAD(USING("SPV_KHR_float_controls", "DenormPreserve"), "%gid", "") START
         "%r = OpCopyObject %i32 %x\n" END,
         1},
        {HEAD("OpExtension \"SPV_KHR_non_semantic_info\"\n%ns = OpExtInstImport "
              "\"NonSemantic.Any\"\n",
              "%gid", "") START
         "%ignored = OpExtInst %void %ns 1 %x\n%r = OpCopyObject %i32 %x\n" END,
         1},
        {HEAD(USING("SPV_INTEL_unstructured_loop_controls", "UnstructuredLoopControlsINTEL"),
              "%gid", "") START "OpLoopControlINTEL 1\nOpBranch %next\n%next = OpLabel\n"
                                "%r = OpCopyObject %i32 %x\n" END,
         1},
        {HEAD(USING("SPV_INTEL_kernel_attributes", "KernelAttributesINTEL"), "%gid", "") START
         "%r = OpCopyObject %i32 %x\n" END,
         1},
        {HEAD(USING("SPV_INTEL_fp_fast_math_mode", "FPFastMathModeINTEL"), "%gid",
              "OpDecorate %h FPFastMathMode AllowContractFastINTEL|AllowReassocINTEL\n") START
         "%a = OpConvertUToF %f %x\n%h = OpFAdd %f %a %a\n%r = OpConvertFToU %i32 %h\n" END,
         2},
    };
    for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        run(cases[i].text, 0, cases[i].factor);
    sim_test_refused("OpCapability Kernel\nOpCapability Addresses\n"
                     "OpExtension \"SPV_INTEL_arbitrary_precision_integers\"\n"
                     "OpMemoryModel Physical64 OpenCL\n",
                     RT_UNSUPPORTED, "extension SPV_INTEL_arbitrary_precision_integers is refused");
    sim_test_refused("OpCapability Kernel\nOpCapability Addresses\nOpExtension \"SPV_X_new\"\n"
                     "OpMemoryModel Physical64 OpenCL\n",
                     RT_UNSUPPORTED, "extension SPV_X_new is refused");
}

/* The decorations of SPV_INTEL_global_variable_decorations have had two sets of numbers. */
static void test_global_variable_decorations(void **state)
{
    (void)state;
    static const char text[] = HEAD(
        "OpCapability !6146\nOpCapability !6189\n" /* SPIRV-Tools 2023 does not know their names */
        "OpExtension \"SPV_INTEL_global_variable_decorations\"\n",
        "%gid",
        "OpDecorate %table Alignment 8\n") "%init = OpConstant %i32 3\n%table = OpVariable %g CrossWorkgroup %init\n" START
                                           "%three = OpLoad %i32 %table\n%r = OpIMul %i32 %x %three\n" END;
    run(text, 0, 3);
    /* Replaces `Alignment 8`, of four words, by ImplementInCSRINTEL and …RegisterMapINTEL. */
    static const uint32_t numbers[] = {6149, 6191};
    for (uint32_t n = 0; n < 2; n++) {
        rt_bytes code = sim_test_assemble(text);
        uint32_t *words = (uint32_t *)(void *)code.data, changed = 0;
        for (size_t at = 5; at < code.size / 4; at += words[at] >> 16) {
            if ((words[at] & 0xffff) != 71 || words[at + 2] != 44) continue; /* OpDecorate */
            words[at + 2] = numbers[n];
            words[at + 3] = 1;
            changed++;
        }
        assert_int_equal(changed, 1);
        rt_sink *sink = rt_sink_create();
        sim_module *module = NULL;
        assert_true(rt_ok(sim_module_create(sink, code, NULL, 0, &module)));
        rt_free(words);
        sim_module_destroy(module);
        rt_sink_destroy(sink);
    }
}

/* ---- Long composites --------------------------------------------------------------------------
 */

/* A number, because SPIRV-Tools 2023 and 2025 have different names for this capability. */
#define LONG_COMPOSITES "!6089"

enum { LONG = 70000, FIRST = 65000 }; /* all elements, and those in the first instruction */

static const char long_head[] =
    HEAD(USING("SPV_INTEL_long_composites", LONG_COMPOSITES), "%gid %table",
         "") "%n = OpConstant %i32 70000\n%array = OpTypeArray %i32 %n\n"
             "%pa = OpTypePointer CrossWorkgroup %array\n";
/* Element 64990 + i is 7 + i: the boundary between the instructions is within the range that the
 * kernel reads. */
static void test_long_composites(void **state)
{
    (void)state;
    size_t size = 1u << 20, used = 0;
    char *text = rt_alloc(size);
    for (uint32_t wrong = 0; wrong < 2; wrong++) {
        used = (size_t)snprintf(text, size, "%s%%far = OpConstant %%i64 64990\n", long_head);
        for (uint32_t i = 0; i < ITEMS; i++)
            used += (size_t)snprintf(text + used, size - used, "%%e%u = OpConstant %%i32 %u\n", i,
                                     i + 7);
        used += (size_t)snprintf(text + used, size - used, "%%all = OpConstantComposite %%array");
        for (uint32_t i = 0; i < LONG; i++) {
            if (i == FIRST)
                used += (size_t)snprintf(text + used, size - used,
                                         "\n%sOpConstantCompositeContinuedINTEL",
                                         wrong ? "%late = OpConstant %i32 99\n" : "");
            if (i >= 64990 && i < 64990 + ITEMS) {
                used += (size_t)snprintf(text + used, size - used, " %%e%u", i - 64990);
            } else {
                used += (size_t)snprintf(text + used, size - used, " %%c1");
            }
        }
        snprintf(text + used, size - used, "%s",
                 "\n%table = OpVariable %pa CrossWorkgroup %all\n" START
                 "%at = OpIAdd %i64 %i %far\n%e = OpInBoundsAccessChain %g %table %at\n"
                 "%r = OpLoad %i32 %e\n" END);
        if (wrong) {
            sim_test_refused(text, RT_MALFORMED, "does not follow one");
        } else {
            run(text, 0, 1);
        }
    }
    rt_free(text);
}

/* A struct in two pieces has the members of both. */
static void test_long_struct(void **state)
{
    (void)state;
    static const char text[] = HEAD(
        USING("SPV_INTEL_long_composites", LONG_COMPOSITES), "%gid",
        "") "%S = OpTypeStruct %i8 %i64\nOpTypeStructContinuedINTEL %i8 %i32\n"
            "%pS = OpTypePointer Function %S\n%pi = OpTypePointer Function %i32\n" START
            "%v = OpVariable %pS Function\n%m = OpInBoundsAccessChain %pi %v %c3\nOpStore %m %x\n"
            "%size = OpSizeOf %i32 %v\n%back = OpLoad %i32 %m\n%r = OpIMul %i32 %back %size\n" END;
    run(text, 0, 24); /* 0: i8, 8: i64, 16: i8, 20: i32 */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_versions),        cmocka_unit_test(test_other_versions),
        cmocka_unit_test(test_extensions),      cmocka_unit_test(test_global_variable_decorations),
        cmocka_unit_test(test_long_composites), cmocka_unit_test(test_long_struct),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
