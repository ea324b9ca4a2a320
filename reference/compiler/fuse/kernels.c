/* Pass SYCLKernelFusion.
 *
 * Each kernel of the list gets a copy of everything that it reaches, so that its queries can be
 * answered for its own range without affecting other kernels, and so that it has work-group memory
 * of its own. */
#include "reference/compiler/fuse/passes.h"

#include "reference/base/alloc.h"
#include "reference/compiler/fuse/barrier.h"
#include "reference/compiler/fuse/kernel_metadata.h"
#include "reference/compiler/fuse/remap.h"
#include "reference/compiler/ir/attributes.h"
#include "reference/compiler/ir/clone.h"
#include "reference/compiler/ir/passes.h"
#include "reference/compiler/ir/values.h"

#include <string.h>

/* The fused kernel while it is being built. */
typedef struct fused_body {
    pl_fusing *fusing;
    LLVMValueRef *kernels; /* of the list, found by the names in the metadata */
    LLVMBuilderRef builder;
    bool ptx;
} fused_body;

/* ---- The function -------------------------------------------------------------------------- */

/* Replaces the stub with a function that has the kernels' parameters. */
static LLVMValueRef make_function(const fused_body *body, LLVMValueRef stub)
{
    pl_fusing *fusing = body->fusing;
    const pl_parameters *parameters = &fusing->parameters;
    LLVMTypeRef *types =
        rt_arena_alloc_array(&fusing->job->arena, parameters->count, sizeof(LLVMTypeRef));
    for (uint32_t i = 0; i < parameters->count; i++) {
        rt_fusion_place origin = parameters->origins[i];
        types[i] = LLVMTypeOf(LLVMGetParam(body->kernels[origin.kernel], origin.parameter));
    }
    rt_text name = pl_job_name(fusing->job, stub);
    LLVMSetValueName2(stub, "", 0);
    LLVMTypeRef type =
        LLVMFunctionType(LLVMVoidTypeInContext(fusing->job->context), types, parameters->count, 0);
    LLVMValueRef function = LLVMAddFunction(fusing->module, name.data, type);
    LLVMSetFunctionCallConv(function, LLVMGetFunctionCallConv(stub));
    for (uint32_t i = 0; i < parameters->count; i++) {
        rt_fusion_place origin = parameters->origins[i];
        pl_passing_copy(body->kernels[origin.kernel], origin.parameter, function, i);
    }
    pl_fusion_attach(fusing->job, function, &fusing->fusion);
    LLVMDeleteFunction(stub);
    return function;
}

/* ---- The body ------------------------------------------------------------------------------ */

static pl_view view_of(const fused_body *body, uint32_t index)
{
    const pl_fusion *fusion = &body->fusing->fusion;
    pl_view view = {0};
    if (!fusion->heterogeneous) return view;
    view.kernel = fusion->ranges[index];
    view.launch = fusion->launch;
    view.remap = pl_remap_of(&fusion->ranges[RULE(KF_REMAP_02, index)], &view.launch);
    if (body->ptx && !pl_range_has_local(&view.kernel)) {
        view.remap.ids = RULE(KF_PTX_02, true);
        view.remap.groups =
            RULE(KF_PTX_12, true); /* a global size is a product of both registers */
    }
    return view;
}

/* Copies a kernel and remaps the copy. */
static rt_status copy_kernel(const fused_body *body, uint32_t index, const pl_view *view,
                             LLVMValueRef *out_copy)
{
    pl_job *job = body->fusing->job;
    LLVMValueRef *copies;
    rt_text suffix = rt_arena_printf(&job->arena, ".%u", index);
    uint32_t count = pl_clone_reachable(body->kernels[index], suffix.data, &copies);
    CHECK(count >= 1);
    /* All copies are inlined, even if the source forbids it, so that later passes see every access.
     */
    for (uint32_t i = 0; i < count; i++) {
        pl_flag_remove(copies[i], "optnone");
        pl_flag_remove(copies[i], "noinline");
        pl_flag_remove_from_calls(copies[i], "noinline");
        RULE(KF_JIT_08, pl_flag_add(copies[i], "alwaysinline"));
    }
    rt_status status = RULE(KF_REMAP_03, pl_remap_functions(job, view, body->ptx, copies, count,
                                                            body->fusing->fusion.kernels[index]));
    *out_copy = copies[0];
    rt_free(copies);
    return status;
}

static void call_kernel(const fused_body *body, uint32_t index, LLVMValueRef copy)
{
    pl_fusing *fusing = body->fusing;
    uint32_t count = LLVMCountParams(copy);
    LLVMValueRef *arguments =
        rt_arena_alloc_array(&fusing->job->arena, count, sizeof(LLVMValueRef));
    CHECK(index < fusing->fusion.kernel_count);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t number = fusing->parameters.numbers[RULE(KF_JIT_05, index)][i];
        CHECK(number < fusing->parameters.count);
        arguments[i] = LLVMGetParam(fusing->kernel, number);
        LLVMTypeRef type = LLVMTypeOf(LLVMGetParam(copy, i));
        if (LLVMTypeOf(arguments[i]) != type)
            arguments[i] = LLVMBuildBitCast(body->builder, arguments[i], type, "");
    }
    LLVMValueRef call =
        LLVMBuildCall2(body->builder, LLVMGlobalGetValueType(copy), copy, arguments, count, "");
    LLVMSetInstructionCallConv(call, LLVMGetFunctionCallConv(copy));
}

static LLVMBasicBlockRef append_block(const fused_body *body)
{
    return LLVMAppendBasicBlockInContext(body->fusing->job->context, body->fusing->kernel, "");
}

static rt_status emit_kernel(const fused_body *body, uint32_t index)
{
    pl_view view = view_of(body, index);
    LLVMValueRef copy = NULL;
    RT_TRY(copy_kernel(body, index, &view, &copy));
    LLVMBasicBlockRef after = NULL;
    if (RULE(KF_RANGE_01, view.remap.guard)) {
        /* Only work-items whose global linear id is in the kernel's range execute it (restriction
         * 1). */
        pl_emitter emitter = {body->fusing->job, body->fusing->module, body->builder, body->ptx};
        LLVMValueRef linear = pl_emit_linear_id(&emitter, &view.launch);
        uint64_t count = RULE(KF_RANGE_02, pl_range_items(&view.kernel));
        LLVMValueRef items = pl_integer(LLVMTypeOf(linear), count);
        LLVMValueRef within = LLVMBuildICmp(body->builder, LLVMIntULT, linear, items, "");
        LLVMBasicBlockRef guarded = append_block(body);
        after = append_block(body);
        LLVMBuildCondBr(body->builder, within, guarded, after);
        LLVMPositionBuilderAtEnd(body->builder, guarded);
    }
    call_kernel(body, index, copy);
    bool more = index + 1 < body->fusing->fusion.kernel_count;
    if (after) {
        LLVMBuildBr(body->builder, after);
        LLVMPositionBuilderAtEnd(body->builder, after);
    }
    /* All work-items of a group get here, whether they executed the kernel or not (KF-RANGE-04). */
    if (more && body->fusing->fusion.barriers)
        pl_emit_barrier(body->fusing->job, body->fusing->module, body->builder);
    return RT_STATUS_OK;
}

static rt_status fill(fused_body *body, LLVMValueRef stub)
{
    pl_fusing *fusing = body->fusing;
    pl_job *job = fusing->job;
    const pl_fusion *fusion = &fusing->fusion;
    for (uint32_t i = 0; i < fusion->kernel_count; i++) {
        rt_text name = fusion->kernels[i];
        LLVMValueRef kernel =
            LLVMGetNamedFunction(fusing->module, rt_arena_text(&job->arena, name).data);
        if (!kernel || LLVMIsDeclaration(kernel))
            return rt_fail_naming(job->sink, RT_FUSION_REJECTED, RT_RULE_NONE, &name, 1,
                                  "%s names %.*s, which is not a function of the module", PL_FUSED,
                                  RT_TEXT_ARG(name));
        body->kernels[i] = kernel;
    }
    RT_TRY(pl_parameters_number(job, fusion, body->kernels, &fusing->parameters));
    fusing->kernel = make_function(body, stub);
    CHECK(LLVMCountParams(fusing->kernel) == fusing->parameters.count);
    RT_TRY(pl_kernel_metadata_join(fusing, body->kernels));
    LLVMPositionBuilderAtEnd(body->builder, append_block(body));
    for (uint32_t i = 0; i < RULE(KF_JIT_14, fusion->kernel_count); i++)
        RT_TRY(emit_kernel(body, i));
    LLVMBuildRetVoid(body->builder);
    fusing->dropped =
        rt_arena_alloc_array(&job->arena, fusing->parameters.count, sizeof *fusing->dropped);
    fusing->refusals =
        rt_arena_alloc_array(&job->arena, fusion->promotion_count, sizeof *fusing->refusals);
    return pl_passes_run_native(job, fusing->module,
                                "always-inline,globaldce,strip-dead-prototypes");
}

rt_status pl_fuse_kernels(pl_fusing *fusing)
{
    LLVMValueRef stub = pl_fusion_read(fusing->job, fusing->module, &fusing->fusion);
    fused_body body = {fusing,
                       rt_arena_alloc_array(&fusing->job->arena, fusing->fusion.kernel_count,
                                            sizeof(LLVMValueRef)),
                       LLVMCreateBuilderInContext(fusing->job->context),
                       strncmp(LLVMGetTarget(fusing->module), "nvptx", 5) == 0};
    rt_status status = fill(&body, stub);
    LLVMDisposeBuilder(body.builder);
    return status;
}
