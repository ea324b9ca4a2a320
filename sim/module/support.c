/* The tables of support.h.  A module that declares anything else is refused with a message that
 * names it: a module that requires more than is modelled must not run as if it required less.
 *
 * Source: SPIR-V specification 1.6, sections 3.6, 3.21, 3.31; OpenCL SPIR-V environment
 * specification 3.0, sections 2.3 and 3; the extensions' own documents. */
#include "sim/module/support.h"

#include "sim_spirv.h"

static bool contains(const uint16_t *numbers, size_t count, uint32_t number)
{
    for (size_t i = 0; i < count; i++) {
        if (numbers[i] == number) return true;
    }
    return false;
}

#define CONTAINS(numbers, number) contains(numbers, sizeof(numbers) / sizeof(numbers)[0], number)

bool sim_supports_capability(uint32_t capability)
{
    static const uint16_t accepted[] = {
        SIM_CapabilityAddresses,
        SIM_CapabilityLinkage,
        SIM_CapabilityKernel,
        SIM_CapabilityVector16,
        SIM_CapabilityFloat16Buffer,
        SIM_CapabilityFloat16,
        SIM_CapabilityFloat64,
        SIM_CapabilityInt64,
        SIM_CapabilityInt64Atomics,
        SIM_CapabilityInt16,
        SIM_CapabilityInt8,
        SIM_CapabilityGenericPointer,
        SIM_CapabilityGroups,
        SIM_CapabilitySubgroupDispatch,
        SIM_CapabilityGroupNonUniform,
        SIM_CapabilityGroupNonUniformVote,
        SIM_CapabilityGroupNonUniformArithmetic,
        SIM_CapabilityGroupNonUniformBallot,
        SIM_CapabilityGroupNonUniformShuffle,
        SIM_CapabilityGroupNonUniformShuffleRelative,
        SIM_CapabilityGroupNonUniformClustered,
        SIM_CapabilityGroupNonUniformQuad,
        SIM_CapabilityGroupNonUniformRotateKHR,
        SIM_CapabilityGroupUniformArithmeticKHR,
        SIM_CapabilitySubgroupBallotKHR,
        SIM_CapabilitySubgroupVoteKHR,
        SIM_CapabilitySubgroupShuffleINTEL,
        SIM_CapabilitySubgroupBufferBlockIOINTEL,
        SIM_CapabilityIntegerFunctions2INTEL,
        SIM_CapabilitySignedZeroInfNanPreserve,
        SIM_CapabilityDenormPreserve,
        SIM_CapabilityRoundingModeRTE,
        SIM_CapabilityFunctionPointersINTEL,
        SIM_CapabilityIndirectReferencesINTEL,
        SIM_CapabilityExpectAssumeKHR,
        SIM_CapabilityAtomicFloat16AddEXT,
        SIM_CapabilityAtomicFloat32AddEXT,
        SIM_CapabilityAtomicFloat64AddEXT,
        SIM_CapabilityAtomicFloat16MinMaxEXT,
        SIM_CapabilityAtomicFloat32MinMaxEXT,
        SIM_CapabilityAtomicFloat64MinMaxEXT,
        SIM_CapabilityKernelAttributesINTEL,
        SIM_CapabilityUnstructuredLoopControlsINTEL,
        SIM_CapabilityMemoryAccessAliasingINTEL,
        SIM_CapabilityFPFastMathModeINTEL,
        SIM_CapabilityOptNoneINTEL,
        SIM_CapabilityBitInstructions,
        SIM_CapabilityUniformDecoration,
        SIM_CapabilityDotProduct,
        SIM_CapabilityDotProductInputAll,
        SIM_CapabilityDotProductInput4x8Bit,
        SIM_CapabilityDotProductInput4x8BitPacked,
        SIM_CapabilityDebugInfoModuleINTEL,
        SIM_CapabilitySplitBarrierINTEL,
        SIM_CapabilityLongCompositesINTEL,
        SIM_CapabilityVariableLengthArrayINTEL,
        SIM_CapabilityArithmeticFenceEXT,
        SIM_CapabilityGlobalVariableDecorationsINTEL,
        SIM_CapabilityGlobalVariableHostAccessINTEL,
        SIM_CapabilityGlobalVariableFPGADecorationsINTEL,
    };
    return CONTAINS(accepted, capability);
}

/* Extensions whose instructions, decorations and capabilities are implemented. */
static const char *const extensions[] = {
    "SPV_EXT_arithmetic_fence",
    "SPV_EXT_shader_atomic_float16_add",
    "SPV_EXT_shader_atomic_float_add",
    "SPV_EXT_shader_atomic_float_min_max",
    "SPV_INTEL_arithmetic_fence",
    "SPV_INTEL_function_pointers",
    "SPV_INTEL_long_composites",
    "SPV_INTEL_long_constant_composite",
    "SPV_INTEL_shader_integer_functions2",
    "SPV_INTEL_split_barrier",
    "SPV_INTEL_subgroups",
    "SPV_KHR_bit_instructions",
    "SPV_KHR_expect_assume",
    "SPV_KHR_integer_dot_product",
    "SPV_KHR_linkonce_odr",
    "SPV_KHR_shader_ballot",
    "SPV_KHR_subgroup_rotate",
    "SPV_KHR_subgroup_vote",
    "SPV_KHR_uniform_group_instructions",
};

/* Extensions that are accepted but have no effect, and why. */
static const char *const hints[] = {
    "SPV_INTEL_fp_fast_math_mode",                /* allows inexact results; ours are exact */
    "SPV_INTEL_global_variable_decorations",      /* see the two extensions that replaced it */
    "SPV_INTEL_global_variable_fpga_decorations", /* how hardware implements a variable */
    "SPV_INTEL_global_variable_host_access",      /* names and access of variables, for the host */
    "SPV_INTEL_inline_assembly",                  /* its instructions are refused */
    "SPV_INTEL_kernel_attributes",          /* promises about ranges; launches need not keep them */
    "SPV_INTEL_memory_access_aliasing",     /* promises about aliasing, which are not relied on */
    "SPV_INTEL_optnone",                    /* a request not to optimise; results are the same */
    "SPV_INTEL_unstructured_loop_controls", /* advice about loops */
    "SPV_INTEL_variable_length_array",      /* its instructions are refused */
    "SPV_KHR_float_controls", /* modes that always hold; others are refused as execution modes */
    "SPV_KHR_no_integer_wrap_decoration", /* promises about overflow, which are not relied on */
    "SPV_KHR_non_semantic_info",          /* instruction sets without semantics */
};

static bool names(const char *const *list, size_t count, rt_text name)
{
    for (size_t i = 0; i < count; i++) {
        if (rt_text_is(name, list[i])) return true;
    }
    return false;
}

bool sim_supports_extension(rt_text name)
{
    return names(extensions, sizeof extensions / sizeof extensions[0], name) ||
           names(hints, sizeof hints / sizeof hints[0], name);
}

/* LocalSize, LocalSizeId and SubgroupSize take effect; the others are hints, promises by the
 * author, or the simulator's behaviour anyway (no contraction, denormals preserved, rounding to
 * nearest even). */
bool sim_supports_mode(uint32_t mode)
{
    static const uint16_t accepted[] = {
        SIM_ExecutionModeLocalSize,
        SIM_ExecutionModeLocalSizeId,
        SIM_ExecutionModeLocalSizeHint,
        SIM_ExecutionModeLocalSizeHintId,
        SIM_ExecutionModeVecTypeHint,
        SIM_ExecutionModeContractionOff,
        SIM_ExecutionModeSubgroupSize,
        SIM_ExecutionModeDenormPreserve,
        SIM_ExecutionModeSignedZeroInfNanPreserve,
        SIM_ExecutionModeRoundingModeRTE,
        SIM_ExecutionModeMaxWorkgroupSizeINTEL,
        SIM_ExecutionModeMaxWorkDimINTEL,
        SIM_ExecutionModeNoGlobalOffsetINTEL,
        SIM_ExecutionModeNumSIMDWorkitemsINTEL,
        SIM_ExecutionModeSchedulerTargetFmaxMhzINTEL,
        SIM_ExecutionModeNamedBarrierCountINTEL,
    };
    return CONTAINS(accepted, mode);
}

uint32_t sim_built_in_components(uint32_t built_in)
{
    static const uint16_t vectors[] = {
        SIM_BuiltInNumWorkgroups,         SIM_BuiltInWorkgroupSize,      SIM_BuiltInWorkgroupId,
        SIM_BuiltInLocalInvocationId,     SIM_BuiltInGlobalInvocationId, SIM_BuiltInGlobalSize,
        SIM_BuiltInEnqueuedWorkgroupSize, SIM_BuiltInGlobalOffset,
    };
    static const uint16_t scalars[] = {
        SIM_BuiltInLocalInvocationIndex,
        SIM_BuiltInWorkDim,
        SIM_BuiltInGlobalLinearId,
        SIM_BuiltInSubgroupSize,
        SIM_BuiltInSubgroupMaxSize,
        SIM_BuiltInNumSubgroups,
        SIM_BuiltInNumEnqueuedSubgroups,
        SIM_BuiltInSubgroupId,
        SIM_BuiltInSubgroupLocalInvocationId,
    };
    static const uint16_t masks[] = {
        SIM_BuiltInSubgroupEqMask, SIM_BuiltInSubgroupGeMask, SIM_BuiltInSubgroupGtMask,
        SIM_BuiltInSubgroupLeMask, SIM_BuiltInSubgroupLtMask,
    };
    if (CONTAINS(vectors, built_in)) return 3;
    if (CONTAINS(masks, built_in)) return 4;
    return CONTAINS(scalars, built_in) ? 1 : 0;
}
