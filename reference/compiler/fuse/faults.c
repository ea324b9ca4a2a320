/* Mistakes of the fusion compiler that are larger than a mutant of a mark (fault.h). */
#include "reference/base/fault.h"
#include "reference/compiler/fuse/fuse.h"
#include "reference/compiler/fuse/passes.h"
#include "reference/compiler/fuse/remap.h"
#include "reference/compiler/fuse/values.h"
#include "reference/compiler/spirv/link.h"

/* ---- The request and the result ------------------------------------------------------------- */

rt_status __real_pl_fuse(rt_sink *sink, const rt_fusion_request *request, rt_text library,
                         rt_buffer *out_result);
rt_status __wrap_pl_fuse(rt_sink *sink, const rt_fusion_request *request, rt_text library,
                         rt_buffer *out_result);
rt_status __real_pl_link_codes(pl_job *job, const rt_link_code *codes, uint32_t count,
                               LLVMModuleRef *out_module);
rt_status __wrap_pl_link_codes(pl_job *job, const rt_link_code *codes, uint32_t count,
                               LLVMModuleRef *out_module);
void __real_pl_fuse_promote(pl_fusing *fusing);
void __wrap_pl_fuse_promote(pl_fusing *fusing);
void __real_rt_fusion_result_write(rt_buffer *out, const rt_fusion_result *result);
void __wrap_rt_fusion_result_write(rt_buffer *out, const rt_fusion_result *result);

static _Thread_local bool is_fusing;
static _Thread_local bool has_refusals; /* of promotions, in the list being fused */

rt_status __wrap_pl_fuse(rt_sink *sink, const rt_fusion_request *request, rt_text library,
                         rt_buffer *out_result)
{
    if (RT_FAULT(KF_JIT_01, "the plugin has no fusion compiler"))
        return rt_fail(sink, RT_UNAVAILABLE, RT_RULE_KF_JIT_01, "there is no fusion compiler");
    is_fusing = true;
    has_refusals = false;
    rt_status status = __real_pl_fuse(sink, request, library, out_result);
    is_fusing = false;
    if (rt_ok(status) && has_refusals &&
        RT_FAULT(KF_PROMOTE_04, "a list with a buffer that cannot be promoted is rejected"))
        return rt_fail(sink, RT_FUSION_REJECTED, RT_RULE_KF_PROMOTE_04,
                       "a buffer cannot be promoted");
    return status;
}

rt_status __wrap_pl_link_codes(pl_job *job, const rt_link_code *codes, uint32_t count,
                               LLVMModuleRef *out_module)
{
    if (is_fusing && (RT_FAULT(KF_JIT_07, "SPIR-V is not translated to LLVM IR") ||
                      RT_FAULT(KF_TARGET_02, "images must be compiled for fusion"))) {
        *out_module = NULL;
        return rt_fail(job->sink, RT_FUSION_REJECTED, RT_RULE_NONE, "the image cannot be fused");
    }
    return __real_pl_link_codes(job, codes, count, out_module);
}

/* True if parameters of several kernels get the argument with that number. */
static bool is_joined(const pl_fusing *fusing, uint32_t number)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < fusing->fusion.identity_count; i++) {
        rt_fusion_place original = fusing->fusion.identities[i].original;
        count += fusing->parameters.numbers[original.kernel][original.parameter] == number;
    }
    return count > 0;
}

void __wrap_pl_fuse_promote(pl_fusing *fusing)
{
    pl_fusion *fusion = &fusing->fusion;
    const pl_promotion *promotions = fusion->promotions;
    const char **refusals = fusing->refusals;
    uint32_t count = fusion->promotion_count;
    for (uint32_t i = 0; i < count; i++) {
        if (is_joined(fusing, promotions[i].parameter) &&
            RT_FAULT(KF_PROMOTE_05, "a parameter of several kernels is not promoted")) {
            refusals[i] = "it is a parameter of several kernels";
            continue;
        }
        fusion->promotions = &promotions[i];
        fusion->promotion_count = 1;
        fusing->refusals = &refusals[i];
        __real_pl_fuse_promote(fusing);
        has_refusals = has_refusals || refusals[i];
    }
    fusion->promotions = promotions;
    fusion->promotion_count = count;
    fusing->refusals = refusals;
}

void __wrap_rt_fusion_result_write(rt_buffer *out, const rt_fusion_result *result)
{
    rt_fusion_result written = *result;
    if (RT_FAULT(KF_JIT_13, "the image does not describe its kernel"))
        written.image.kernel_count = 0;
    __real_rt_fusion_result_write(out, &written);
}

/* ---- Remapping ------------------------------------------------------------------------------ */

rt_status __real_pl_remap_functions(pl_job *job, const pl_view *view, bool ptx,
                                    const LLVMValueRef *functions, uint32_t count, rt_text kernel);
rt_status __wrap_pl_remap_functions(pl_job *job, const pl_view *view, bool ptx,
                                    const LLVMValueRef *functions, uint32_t count, rt_text kernel);
bool __real_pl_is_remapped(const pl_view *view, pl_component component);
bool __wrap_pl_is_remapped(const pl_view *view, pl_component component);
LLVMValueRef __real_pl_emit_seen(pl_emitter *emitter, const pl_view *view, pl_component component,
                                 uint32_t index);
LLVMValueRef __wrap_pl_emit_seen(pl_emitter *emitter, const pl_view *view, pl_component component,
                                 uint32_t index);

static _Thread_local bool is_ptx; /* the functions being remapped are for PTX */

rt_status __wrap_pl_remap_functions(pl_job *job, const pl_view *view, bool ptx,
                                    const LLVMValueRef *functions, uint32_t count, rt_text kernel)
{
    is_ptx = ptx;
    if (count > 1 && RT_FAULT(KF_REMAP_03, "only the kernel itself is remapped")) count = 1;
    return __real_pl_remap_functions(job, view, ptx, functions, count, kernel);
}

static bool overlooks_builtin(pl_component component)
{
    switch (component) {
    case PL_GLOBAL_SIZE: return RT_FAULT(KF_REMAP_18, "GlobalSize is no query");
    case PL_LOCAL_SIZE: return RT_FAULT(KF_REMAP_19, "WorkgroupSize is no query");
    case PL_NUM_WORK_GROUPS: return RT_FAULT(KF_REMAP_20, "NumWorkgroups is no query");
    case PL_GLOBAL_ID: return RT_FAULT(KF_REMAP_21, "GlobalInvocationId is no query");
    case PL_LOCAL_ID: return RT_FAULT(KF_REMAP_22, "LocalInvocationId is no query");
    case PL_GROUP_ID: return RT_FAULT(KF_REMAP_23, "WorkgroupId is no query");
    case PL_GLOBAL_OFFSET: return RT_FAULT(KF_REMAP_24, "GlobalOffset is no query");
    default: return false;
    }
}

static bool overlooks_register(pl_component component)
{
    switch (component) {
    case PL_LOCAL_ID: return RT_FAULT(KF_PTX_07, "tid is no query");
    case PL_GROUP_ID: return RT_FAULT(KF_PTX_08, "ctaid is no query");
    case PL_LOCAL_SIZE: return RT_FAULT(KF_PTX_09, "ntid is no query");
    case PL_NUM_WORK_GROUPS: return RT_FAULT(KF_PTX_10, "nctaid is no query");
    case PL_GLOBAL_OFFSET: return RT_FAULT(KF_PTX_11, "implicit.offset is no query");
    default: return false;
    }
}

bool __wrap_pl_is_remapped(const pl_view *view, pl_component component)
{
    if (!__real_pl_is_remapped(view, component)) return false;
    return is_ptx ? !overlooks_register(component) : !overlooks_builtin(component);
}

LLVMValueRef __wrap_pl_emit_seen(pl_emitter *emitter, const pl_view *view, pl_component component,
                                 uint32_t index)
{
    if (emitter->ptx && !pl_range_has_local(&view->kernel)) {
        if (component == PL_LOCAL_ID && RT_FAULT(KF_PTX_06, "local_id is that of the launch"))
            return pl_emit_raw(emitter, &view->launch, component, index);
        if (RT_FAULT(KF_PTX_12, "the parts of global sizes and ids are those of the launch") &&
            component != PL_LOCAL_LINEAR_ID && component != PL_WORK_DIM)
            return pl_emit_raw(emitter, &view->launch, component, index);
    }
    if (!RT_FAULT(KF_REMAP_16, "the global linear id is that of the kernel's own range"))
        return __real_pl_emit_seen(emitter, view, component, index);
    pl_view changed = *view;
    changed.launch = view->kernel;
    return __real_pl_emit_seen(emitter, &changed, component, index);
}

/* ---- Barriers ------------------------------------------------------------------------------- */

LLVMValueRef __real_LLVMBuildBr(LLVMBuilderRef builder, LLVMBasicBlockRef target);
LLVMValueRef __wrap_LLVMBuildBr(LLVMBuilderRef builder, LLVMBasicBlockRef target);

/* While kernels are fused, only guards end with an unconditional branch. */
LLVMValueRef __wrap_LLVMBuildBr(LLVMBuilderRef builder, LLVMBasicBlockRef target)
{
    LLVMModuleRef module = LLVMGetGlobalParent(LLVMGetBasicBlockParent(target));
    LLVMValueRef barrier = LLVMGetNamedFunction(module, "_Z7barrierj");
    if (is_fusing && barrier && RT_FAULT(KF_RANGE_04, "there is a barrier within the guard too")) {
        LLVMTypeRef word = LLVMInt32TypeInContext(LLVMGetModuleContext(module));
        LLVMValueRef fence = LLVMConstInt(word, 1, 0);
        LLVMValueRef call =
            LLVMBuildCall2(builder, LLVMGlobalGetValueType(barrier), barrier, &fence, 1, "");
        LLVMSetInstructionCallConv(call, PL_SPIR_FUNCTION);
    }
    return __real_LLVMBuildBr(builder, target);
}
