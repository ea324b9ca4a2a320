/* Asks SPIRV-Tools' validator for a second opinion about thousands of modules that differ from a
 * valid one in a few places: whatever one of us refuses, the other must refuse too, except for the
 * disagreements listed in second_opinion.h.  Each list of changes comes from the fuzzers' mutator
 * and a number, so a disagreement can be repeated. */
#include "sim/test/assembler.h"
#include "sim/test/second_opinion.h"

#define CHANGED 8000u

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

/* What the mutator does to modules that it does not understand: nothing. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size)
{
    (void)data, (void)max_size;
    return size;
}

static const char declarations[] =
    "OpCapability Addresses\nOpCapability Linkage\nOpCapability Kernel\nOpCapability Int64\n"
    "OpCapability Int8\nOpCapability GenericPointer\nOpCapability Groups\nOpCapability Float64\n"
    "OpCapability Vector16\n%std = OpExtInstImport \"OpenCL.std\"\n"
    "OpMemoryModel Physical64 OpenCL\nOpEntryPoint Kernel %k \"k\" %gid\n"
    "OpExecutionMode %k LocalSizeHint 4 1 1\nOpSource OpenCL_C 200000\n"
    "%file = OpString \"file.cl\"\nOpName %k \"k\"\nOpMemberName %pair 0 \"first\"\n"
    "OpDecorate %gid BuiltIn GlobalInvocationId\nOpDecorate %gid Constant\n"
    "OpDecorate %gid LinkageAttributes \"gid\" Import\n"
    "OpDecorate %f LinkageAttributes \"f\" Export\nOpDecorate %spec SpecId 7\n"
    "OpDecorate %a Alignment 8\nOpDecorate %b FuncParamAttr NoCapture\n"
    "OpDecorate %sum NoSignedWrap\n"
    "%void = OpTypeVoid\n%bool = OpTypeBool\n%char = OpTypeInt 8 0\n%int = OpTypeInt 32 0\n"
    "%long = OpTypeInt 64 0\n%float = OpTypeFloat 32\n%double = OpTypeFloat 64\n"
    "%ints = OpTypeVector %int 4\n%pairs = OpTypeVector %int 2\n%bools = OpTypeVector %bool 4\n"
    "%floats = OpTypeVector %float 4\n%longs = OpTypeVector %long 3\n"
    "%three = OpConstant %int 3\n%row = OpTypeArray %int %three\n"
    "%pair = OpTypeStruct %int %row\n%event = OpTypeEvent\n"
    "%p_gid = OpTypePointer Input %longs\n%p_int = OpTypePointer CrossWorkgroup %int\n"
    "%p_long = OpTypePointer CrossWorkgroup %long\n%p_float = OpTypePointer CrossWorkgroup %float\n"
    "%p_char = OpTypePointer CrossWorkgroup %char\n%p_ints = OpTypePointer CrossWorkgroup %ints\n"
    "%p_pair = OpTypePointer CrossWorkgroup %pair\n%l_int = OpTypePointer Workgroup %int\n"
    "%f_int = OpTypePointer Function %int\n%f_pair = OpTypePointer Function %pair\n"
    "%f_float = OpTypePointer Function %float\n%f_event = OpTypePointer Function %event\n"
    "%g_int = OpTypePointer Generic %int\n%c_int = OpTypePointer UniformConstant %int\n"
    "%k_t = OpTypeFunction %void %p_int %p_float %l_int %p_pair\n"
    "%f_t = OpTypeFunction %int %int %p_int\n"
    "%zero = OpConstant %int 0\n%one = OpConstant %int 1\n%two = OpConstant %int 2\n"
    "%device = OpConstant %int 1\n%group = OpConstant %int 2\n%order = OpConstant %int 264\n"
    "%long1 = OpConstant %long 1\n%char1 = OpConstant %char 1\n%half = OpConstant %float 0.5\n"
    "%yes = OpConstantTrue %bool\n%no = OpConstantFalse %bool\n%none = OpConstantNull %p_int\n"
    "%vector = OpConstantComposite %ints %one %two %three %zero\n"
    "%array = OpConstantComposite %row %one %two %three\n"
    "%record = OpConstantComposite %pair %one %array\n%undef = OpUndef %float\n"
    "%no_event = OpConstantNull %event\n%spec = OpSpecConstant %int 5\n%spec2 = OpSpecConstantOp %int IAdd %spec %one\n"
    "%gid = OpVariable %p_gid Input\n%table = OpVariable %c_int UniformConstant %three\n";
static const char functions[] =
    "%f = OpFunction %int Inline %f_t\n%x = OpFunctionParameter %int\n"
    "%y = OpFunctionParameter %p_int\n%f0 = OpLabel\n%fa = OpLoad %int %y Aligned 4\n"
    "%fb = OpIAdd %int %fa %x\nOpReturnValue %fb\nOpFunctionEnd\n"
    "%k = OpFunction %void None %k_t\n%a = OpFunctionParameter %p_int\n"
    "%b = OpFunctionParameter %p_float\n%c = OpFunctionParameter %l_int\n"
    "%d = OpFunctionParameter %p_pair\n%k0 = OpLabel\n%local = OpVariable %f_pair Function\n"
    "%word = OpVariable %f_int Function %one\n%rest = OpVariable %f_float Function\n"
    "%done = OpVariable %f_event Function\nOpLine %file 3 4\n"
    "%ids = OpLoad %longs %gid Aligned 32\n%i = OpCompositeExtract %long %ids 0\n"
    "%i32 = OpUConvert %int %i\n%s64 = OpSConvert %long %i32\n"
    "%at = OpInBoundsPtrAccessChain %p_int %a %i\n%member = OpInBoundsPtrAccessChain %p_int %d %i "
    "%one %i\n%inner = OpInBoundsAccessChain %f_int %local %one %two\n"
    "%loaded = OpLoad %int %at Aligned 4\n%other = OpLoad %int %member Aligned 4\n"
    "OpStore %inner %loaded Aligned 4\n%sum = OpIAdd %int %loaded %other\n"
    "%product = OpIMul %int %sum %spec2\n%quotient = OpUDiv %int %product %three\n"
    "%shifted = OpShiftLeftLogical %int %quotient %one\n%bits = OpBitwiseAnd %int %shifted %sum\n"
    "%inverse = OpNot %int %bits\n%negative = OpSNegate %int %inverse\n"
    "%less = OpULessThan %bool %sum %three\n%both = OpLogicalAnd %bool %less %yes\n"
    "%chosen = OpSelect %int %both %sum %one\n%as_float = OpConvertSToF %float %chosen\n"
    "%scaled = OpFMul %float %as_float %half\n%wide = OpFConvert %double %scaled\n"
    "%back = OpConvertFToS %long %wide\n%raw = OpBitcast %int %scaled\n"
    "%root = OpExtInst %float %std sqrt %scaled\n%fused = OpExtInst %float %std fma %root %half "
    "%scaled\n%part = OpExtInst %float %std fract %fused %rest\n"
    "%smaller = OpExtInst %int %std u_min %raw %sum\n"
    "%v = OpCompositeConstruct %ints %sum %product %raw %smaller\n"
    "%w = OpCompositeInsert %ints %one %v 2\n%sh = OpVectorShuffle %pairs %v %w 0 6\n"
    "%el = OpVectorExtractDynamic %int %w %i32\n%in = OpVectorInsertDynamic %ints %w %el %one\n"
    "%eq = OpIEqual %bools %v %in\n%some = OpAny %bool %eq\n%vs = OpSelect %ints %eq %v %in\n"
    "%fv = OpConvertUToF %floats %vs\n%dot = OpDot %float %fv %fv\n"
    "%vp = OpBitcast %p_ints %a\n%v4 = OpExtInst %ints %std vloadn %i %a 4\n"
    "%u = OpConvertPtrToU %long %a\n%up = OpConvertUToPtr %p_int %u\n"
    "%gen = OpPtrCastToGeneric %g_int %a\n%spc = OpGenericCastToPtr %p_int %gen\n"
    "%same = OpPtrEqual %bool %a %up\n%bytes = OpBitcast %p_char %a\n"
    "OpCopyMemorySized %bytes %bytes %long1 Aligned 1\nOpCopyMemory %at %spc Aligned 4\n"
    "%old = OpAtomicIAdd %int %at %device %order %one\n"
    "%seen = OpAtomicLoad %int %at %device %zero\nOpAtomicStore %at %device %zero %one\n"
    "%cas = OpAtomicCompareExchange %int %at %device %order %zero %one %two\n"
    "OpControlBarrier %group %group %order\nOpMemoryBarrier %device %order\n"
    "%all = OpGroupAll %bool %group %some\n%total = OpGroupIAdd %int %group Reduce %old\n"
    "%cast = OpGroupBroadcast %int %group %total %i\n"
    "%ev = OpGroupAsyncCopy %event %group %c %a %long1 %long1 %no_event\n"
    "OpStore %done %ev\nOpGroupWaitEvents %group %one %done\n"
    "%result = OpFunctionCall %int %f %cast %at\n"
    "OpSwitch %result %k3 1 %k1 2 %k2\n%k1 = OpLabel\nOpBranch %k4\n%k2 = OpLabel\n"
    "OpBranchConditional %same %k4 %k3 1 2\n%k3 = OpLabel\nOpBranch %k4\n%k4 = OpLabel\n"
    "%phi = OpPhi %int %one %k1 %result %k2 %two %k3\nOpStore %at %phi Aligned 4\n"
    "OpLifetimeStop %word 0\nOpReturn\nOpFunctionEnd\n";

static void test_changed_modules(void **state)
{
    (void)state;
    static uint32_t words[1 << 14];
    char ours[512], theirs[512];
    uint32_t wrong = 0, accepted = 0;
    char text[8192];
    snprintf(text, sizeof text, "%s%s", declarations, functions);
    rt_bytes code = sim_test_assemble(text);
    assert_int_equal(opinion_ours((const uint32_t *)(const void *)code.data,
                                  (uint32_t)(code.size / 4), ours, sizeof ours),
                     OPINION_VALID);
    for (uint32_t seed = 1; seed <= CHANGED; seed++) {
        memcpy(words, code.data, code.size);
        size_t size =
            LLVMFuzzerCustomMutator((uint8_t *)words, code.size, sizeof words, seed * 2654435761u);
        uint32_t count = (uint32_t)(size / 4);
        opinion our = opinion_ours(words, count, ours, sizeof ours);
        opinion their = opinion_theirs(words, count, theirs, sizeof theirs);
        accepted += our == OPINION_VALID;
        if (opinion_agrees(our, ours, their, theirs)) continue;
        print_error("change %u: ours [%s], SPIRV-Tools [%s]\n", seed, ours, theirs);
        wrong++;
    }
    rt_free((void *)code.data);
    assert_int_equal(wrong, 0);
    assert_in_range(accepted, CHANGED / 10, CHANGED - CHANGED / 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_changed_modules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
