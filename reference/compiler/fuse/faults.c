/* Mistakes of kernel fusion that are larger than a mutant of a mark (fault.h). */
#include "reference/base/fault.h"
#include "reference/compiler/fuse/barrier.h"
#include "reference/compiler/fuse/fuse.h"
#include "reference/compiler/fuse/remap.h"
#include "reference/compiler/ir/passes.h"
#include "reference/compiler/spirv/link.h"

#include <string.h>

static _Thread_local bool is_fusing;  /* within pl_fuse */
static _Thread_local bool rejects;    /* the list is to be rejected when it is written */
static _Thread_local bool remaps_ptx; /* what pl_remap_functions was called with */

/* ---- The list ------------------------------------------------------------------------------- */

rt_status __real_pl_fuse(rt_sink *sink, const rt_fusion_request *request, rt_text library,
                         rt_buffer *out_result);
rt_status __wrap_pl_fuse(rt_sink *sink, const rt_fusion_request *request, rt_text library,
                         rt_buffer *out_result);
void __real_rt_fusion_result_write(rt_buffer *out, const rt_fusion_result *result);
void __wrap_rt_fusion_result_write(rt_buffer *out, const rt_fusion_result *result);

rt_status __wrap_pl_fuse(rt_sink *sink, const rt_fusion_request *request, rt_text library,
                         rt_buffer *out_result)
{
    if (RT_FAULT(KF_JIT_01, "the plugin has no fusion compiler"))
        return rt_fail(sink, RT_UNAVAILABLE, RT_RULE_NONE, "no fusion compiler");
    is_fusing = true;
    rejects = false;
    rt_status status = __real_pl_fuse(sink, request, library, out_result);
    is_fusing = false;
    if (rt_ok(status) && rejects)
        return rt_fail(sink, RT_FUSION_REJECTED, RT_RULE_KF_PROMOTE_04,
                       "a buffer cannot be promoted");
    return status;
}

void __wrap_rt_fusion_result_write(rt_buffer *out, const rt_fusion_result *result)
{
    for (uint32_t i = 0; i < result->promotion_count; i++)
        rejects = rejects ||
                  (!result->promoted[i] &&
                   RT_FAULT(KF_PROMOTE_04, "a buffer that cannot be promoted rejects the list"));
    rt_fusion_result written = *result;
    if (RT_FAULT(KF_JIT_13, "the image names no kernel")) written.image.kernel_count = 0;
    __real_rt_fusion_result_write(out, &written);
}

/* ---- The passes ----------------------------------------------------------------------------- */

rt_status __real_pl_link_codes(pl_job *job, const rt_link_code *codes, uint32_t count,
                               LLVMModuleRef *out_module);
rt_status __wrap_pl_link_codes(pl_job *job, const rt_link_code *codes, uint32_t count,
                               LLVMModuleRef *out_module);
rt_status __real_pl_passes_run_native(pl_job *job, LLVMModuleRef module, const char *passes);
rt_status __wrap_pl_passes_run_native(pl_job *job, LLVMModuleRef module, const char *passes);

rt_status __wrap_pl_link_codes(pl_job *job, const rt_link_code *codes, uint32_t count,
                               LLVMModuleRef *out_module)
{
    if (is_fusing && RT_FAULT(KF_JIT_07, "kernels in SPIR-V are rejected"))
        return rt_fail(job->sink, RT_FUSION_REJECTED, RT_RULE_NONE, "it is not LLVM IR");
    return __real_pl_link_codes(job, codes, count, out_module);
}

rt_status __wrap_pl_passes_run_native(pl_job *job, LLVMModuleRef module, const char *passes)
{
    if (strcmp(passes, "function(early-cse)") == 0 &&
        RT_FAULT(KF_JIT_12, "the last of the generic passes is left out"))
        return RT_STATUS_OK;
    return __real_pl_passes_run_native(job, module, passes);
}

/* ---- Promotion ------------------------------------------------------------------------------ */

rt_status __real_pl_fusion_parameters_convert(pl_job *job, const rt_fusion_request *request,
                                              const LLVMValueRef *kernels, pl_fusion *fusion,
                                              rt_text *out_reasons);
rt_status __wrap_pl_fusion_parameters_convert(pl_job *job, const rt_fusion_request *request,
                                              const LLVMValueRef *kernels, pl_fusion *fusion,
                                              rt_text *out_reasons);
void __real_pl_fuse_promote(pl_fusing *fusing);
void __wrap_pl_fuse_promote(pl_fusing *fusing);

/* True if other parameters get the argument of this one. */
static bool is_joined(const pl_fusion *fusion, rt_fusion_place place)
{
    for (uint32_t i = 0; i < fusion->identity_count; i++) {
        rt_fusion_place first = fusion->identities[i].original;
        if (first.kernel == place.kernel && first.parameter == place.parameter) return true;
    }
    return false;
}

rt_status __wrap_pl_fusion_parameters_convert(pl_job *job, const rt_fusion_request *request,
                                              const LLVMValueRef *kernels, pl_fusion *fusion,
                                              rt_text *out_reasons)
{
    RT_TRY(__real_pl_fusion_parameters_convert(job, request, kernels, fusion, out_reasons));
    pl_promotion *kept =
        rt_arena_alloc_array(&job->arena, request->promotion_count + 1, sizeof *kept);
    uint32_t count = 0, at = 0;
    for (uint32_t i = 0; i < request->promotion_count; i++) {
        if (out_reasons[i].length > 0) continue;
        if (is_joined(fusion, request->promotions[i].parameter) &&
            RT_FAULT(KF_PROMOTE_05, "a parameter of several kernels is not promoted"))
            out_reasons[i] = RT_TEXT("it is a parameter of several kernels");
        else
            kept[count++] = fusion->promotions[at];
        at++;
    }
    fusion->promotions = kept;
    fusion->promotion_count = count;
    return RT_STATUS_OK;
}

void __wrap_pl_fuse_promote(pl_fusing *fusing)
{
    const pl_promotion *promotions = fusing->fusion.promotions;
    const uint32_t count = fusing->fusion.promotion_count;
    pl_promotion *changed = rt_arena_alloc_array(&fusing->job->arena, count + 1, sizeof *changed);
    for (uint32_t i = 0; i < count; i++) {
        changed[i] = promotions[i];
        if (changed[i].kind == RT_FUSION_LOCAL &&
            RT_FAULT(KF_PROMOTE_02, "local promotion uses private memory"))
            changed[i].kind = RT_FUSION_PRIVATE;
    }
    fusing->fusion.promotions = changed;
    __real_pl_fuse_promote(fusing);
    fusing->fusion.promotions = promotions;
}

/* ---- Barriers ------------------------------------------------------------------------------- */

void __real_pl_emit_barrier(pl_job *job, LLVMModuleRef module, LLVMBuilderRef builder);
void __wrap_pl_emit_barrier(pl_job *job, LLVMModuleRef module, LLVMBuilderRef builder);

void __wrap_pl_emit_barrier(pl_job *job, LLVMModuleRef module, LLVMBuilderRef builder)
{
    LLVMBasicBlockRef after = LLVMGetInsertBlock(builder);
    LLVMValueRef inner = NULL; /* the branch with which the guarded block ends */
    for (LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(after)); use;
         use = LLVMGetNextUse(use))
        if (!LLVMIsConditional(LLVMGetUser(use))) inner = LLVMGetUser(use);
    bool is_inside = inner && RT_FAULT(KF_RANGE_04, "the barrier is within the guard");
    if (is_inside) LLVMPositionBuilderBefore(builder, inner);
    __real_pl_emit_barrier(job, module, builder);
    LLVMPositionBuilderAtEnd(builder, after);
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

rt_status __wrap_pl_remap_functions(pl_job *job, const pl_view *view, bool ptx,
                                    const LLVMValueRef *functions, uint32_t count, rt_text kernel)
{
    remaps_ptx = ptx;
    return __real_pl_remap_functions(job, view, ptx, functions, count, kernel);
}

/* True if the fault is planted that leaves the queries of a component as they are; PTX has none of
 * global ids and sizes. */
static bool is_overlooked(bool ptx, pl_component component)
{
    switch (component) {
    case PL_GLOBAL_SIZE: return !ptx && RT_FAULT(KF_REMAP_18, "queries of the global size stay");
    case PL_LOCAL_SIZE:
        return ptx ? RT_FAULT(KF_PTX_09, "reads of ntid stay")
                   : RT_FAULT(KF_REMAP_19, "queries of the local size stay");
    case PL_NUM_WORK_GROUPS:
        return ptx ? RT_FAULT(KF_PTX_10, "reads of nctaid stay")
                   : RT_FAULT(KF_REMAP_20, "queries of the number of groups stay");
    case PL_GLOBAL_ID: return !ptx && RT_FAULT(KF_REMAP_21, "queries of the global id stay");
    case PL_LOCAL_ID:
        return ptx ? RT_FAULT(KF_PTX_07, "reads of tid stay")
                   : RT_FAULT(KF_REMAP_22, "queries of the local id stay");
    case PL_GROUP_ID:
        return ptx ? RT_FAULT(KF_PTX_08, "reads of ctaid stay")
                   : RT_FAULT(KF_REMAP_23, "queries of the group id stay");
    case PL_GLOBAL_OFFSET:
        return ptx ? RT_FAULT(KF_PTX_11, "calls of implicit.offset stay")
                   : RT_FAULT(KF_REMAP_24, "queries of the offset stay");
    default: return false;
    }
}

/* Calls from remap.c only. */
bool __wrap_pl_is_remapped(const pl_view *view, pl_component component)
{
    return __real_pl_is_remapped(view, component) && !is_overlooked(remaps_ptx, component);
}

/* Changes the range from which an id is computed, so that the kernel's formula gives the global
 * linear id, undivided and without modulo. */
static void id_is_linear(pl_view *view, uint32_t index)
{
    for (uint32_t i = 0; i < index; i++)
        view->kernel.global[i] = 1;
    view->kernel.global[index] = UINT32_MAX;
}

/* Changes the view in which a global id is computed, for the faults of its formulas. */
static void global_id_spoil(pl_view *view, uint32_t index)
{
    if (RT_FAULT(KF_REMAP_16, "the global linear id is that of the kernel's range"))
        view->launch = view->kernel;
    if (index >= view->kernel.dimensions) return;
    switch (view->kernel.dimensions - 1 - index) { /* SYCL's index */
    case 0:
        if (RT_FAULT(KF_REMAP_07, "the slowest id is the global linear id"))
            id_is_linear(view, index);
        break;
    case 1:
        if (RT_FAULT(KF_REMAP_08, "the second id has no modulo"))
            view->kernel.global[index] = UINT32_MAX;
        break;
    default:
        if (RT_FAULT(KF_REMAP_09, "the fastest id of three has no modulo"))
            view->kernel.global[index] = UINT32_MAX;
    }
}

LLVMValueRef __wrap_pl_emit_seen(pl_emitter *emitter, const pl_view *view, pl_component component,
                                 uint32_t index)
{
    pl_view seen = *view;
    const bool is_one_group = emitter->ptx && !pl_range_has_local(&view->kernel);
    if (!__real_pl_is_remapped(view, component))
        return __real_pl_emit_seen(emitter, view, component, index);
    switch (component) {
    case PL_GLOBAL_ID: global_id_spoil(&seen, index); break;
    case PL_LOCAL_ID:
        if (is_one_group && RT_FAULT(KF_PTX_06, "the local id is that of the launch"))
            return pl_emit_raw(emitter, &view->launch, PL_LOCAL_ID, index);
        if (!is_one_group && RT_FAULT(KF_REMAP_10, "the local id is cut from the linear id"))
            id_is_linear(&seen, index);
        break;
    case PL_GROUP_ID:
        if (is_one_group ? RT_FAULT(KF_PTX_04, "the group id is that of the launch")
                         : RT_FAULT(KF_REMAP_11, "the group id is that of the launch"))
            return pl_emit_raw(emitter, &view->launch, PL_GROUP_ID, index);
        break;
    default: break;
    }
    return __real_pl_emit_seen(emitter, &seen, component, index);
}
