/* Fusion: reads the kernels as LLVM IR, fuses them in a new module, optimises and emits it
 * (document 001, "Fusion Process"). */
#include "reference/compiler/fuse/fuse.h"

#include "reference/compiler/describe/aspects.h"
#include "reference/compiler/describe/properties.h"
#include "reference/compiler/fuse/input.h"
#include "reference/compiler/fuse/local.h"
#include "reference/compiler/ir/clone.h"
#include "reference/compiler/ir/passes.h"
#include "reference/compiler/ir/version.h"
#include "reference/compiler/lower/prepare.h"
#include "reference/compiler/ptx/ptx.h"
#include "reference/compiler/refuse/refuse.h"
#include "reference/compiler/spirv/translate.h"

/* The parameters of a function that every implementation takes.  Source: SPIR-V 1.2, 2.17
 * "Universal Limits". */
enum { PARAMETERS_MAX = 255 };

/* ---- The passes ---------------------------------------------------------------------------- */

static rt_status infer_address_spaces(pl_fusing *fusing)
{
    bool ptx = fusing->job->format == RT_FORMAT_PTX;
    unsigned generic = ptx ? PL_PTX_SPACE_GENERIC : PL_SPACE_GENERIC;
    RULE(KF_JIT_09, pl_infer_address_spaces(fusing->module, generic));
    return RT_STATUS_OK;
}

static rt_status promote(pl_fusing *fusing)
{
    RULE(KF_JIT_10, pl_fuse_promote(fusing));
    return pl_module_verify(fusing->job, fusing->module, "promotion");
}

static rt_status propagate(pl_fusing *fusing)
{
    pl_fuse_constants(fusing);
    return pl_module_verify(fusing->job, fusing->module, "constant propagation");
}

static rt_status finish(pl_fusing *fusing)
{
    pl_fuse_finish(fusing);
    return pl_passes_run_native(fusing->job, fusing->module, "globaldce,strip-dead-prototypes");
}

/* One of our own passes, or an LLVM pass under its pass builder name. */
typedef struct pass_row {
    const char *name; /* the document's */
    rt_status (*run)(pl_fusing *fusing);
    const char *llvm;
} pass_row;

/* The passes of "Kernel fusion pipeline" in the document's order; the last row is ours. */
static const pass_row passes[] = {
    {"SYCLKernelFusion", pl_fuse_kernels, NULL},
    {"IndVarSimplifyPass", NULL, "function(loop-simplify,lcssa,loop(indvars))"},
    {"LoopUnrollPass", NULL, "function(loop-unroll)"},
    {"SROAPass", NULL, "function(sroa)"},
    {"InferAddressSpacesPass", infer_address_spaces, NULL},
    {"SYCLInternalizer", promote, NULL},
    {"SYCLCP", propagate, NULL},
    {"SROAPass", NULL, "function(sroa)"},
    {"SCCPPass", NULL, "function(sccp)"},
    {"InstCombinePass", NULL, "function(" PL_INSTCOMBINE ")"},
    {"SimplifyCFGPass", NULL, "function(simplifycfg)"},
    {"SROAPass", NULL, "function(sroa)"},
    {"InstCombinePass", NULL, "function(" PL_INSTCOMBINE ")"},
    {"SimplifyCFGPass", NULL, "function(simplifycfg)"},
    {"ADCEPass", NULL, "function(adce)"},
    {"EarlyCSEPass", NULL, "function(early-cse)"},
    {"finish", finish, NULL},
};

rt_status pl_fuse_module(pl_fusing *fusing, const pl_fusion_observer *observer)
{
    CHECK(LLVMGetModuleContext(fusing->module) == fusing->job->context);
    for (size_t i = 0; i < sizeof passes / sizeof *passes; i++) {
        const pass_row *pass = &passes[i];
        if (observer) observer->before(observer->user, pass->name, fusing->module);
        CHECK_SLOW(pl_fusing_check(fusing));
        RT_TRY(pass->run ? pass->run(fusing)
                         : pl_passes_run_native(fusing->job, fusing->module, pass->llvm));
        CHECK_SLOW(pl_fusing_check(fusing));
    }
    if (observer) observer->before(observer->user, "emit", fusing->module);
    return RT_STATUS_OK;
}

/* ---- The result ---------------------------------------------------------------------------- */

/* A fused kernel that the SPIR-V writer cannot express means that the list is not fused; its
 * kernels can still run one by one. */
static rt_status as_rejection(pl_job *job, rt_status status)
{
    if (status.code != RT_POSTLINK_ERROR && status.code != RT_UNSUPPORTED) return status;
    const rt_diagnostic *diagnostic = rt_sink_diagnostic(job->sink, status);
    return rt_fail_naming(job->sink, RT_FUSION_REJECTED, RT_RULE_NONE, diagnostic->names,
                          diagnostic->name_count, "the fused kernel cannot be translated: %.*s",
                          RT_TEXT_ARG(diagnostic->message));
}

static rt_status emit_spirv(pl_fusing *fusing, const rt_fusion_request *request,
                            rt_bytes *out_spirv)
{
    static const char *const extensions[] = {"SPV_INTEL_function_pointers"};
    pl_job *job = fusing->job;
    LLVMModuleRef module = fusing->module;
    RT_TRY(pl_prepare_lower(job, module));
    RT_TRY(as_rejection(job, pl_refuse_unwritable(job, module)));
    pl_prepare_for_writer(job, module);
    RT_TRY(pl_module_verify(job, module, "ordering its blocks"));
    rt_buffer spirv = {0}, reason = {0};
    rt_status status = RT_STATUS_OK;
    if (pl_translate_to_spirv(module, request->spirv_version_max, extensions, 1, false, &spirv,
                              &reason)) {
        CHECK(spirv.size > 0 && spirv.size % 4 == 0);
        *out_spirv = rt_arena_bytes(&job->arena, rt_buffer_bytes(&spirv));
    } else {
        status = rt_fail(job->sink, RT_FUSION_REJECTED, RT_RULE_NONE,
                         "the SPIR-V translator rejected the fused kernel: %s",
                         rt_buffer_string(&reason));
    }
    rt_buffer_free(&spirv);
    rt_buffer_free(&reason);
    return status;
}

static rt_status emit(pl_fusing *fusing, const rt_fusion_request *request, rt_text library,
                      rt_image *image)
{
    pl_job *job = fusing->job;
    pl_properties properties = {0};
    if (request->format == RT_FORMAT_PTX) {
        RT_TRY(as_rejection(job, pl_ptx_write(job, fusing->module, library, &image->code)));
        pl_properties_add_module_requirements(job, &properties,
                                              pl_aspects_of_module(fusing->module), fusing->module);
    } else {
        RT_TRY(emit_spirv(fusing, request, &image->code));
        pl_properties_add_requirements(job, &properties, pl_aspects_of_spirv(image->code),
                                       image->code);
    }
    pl_properties_finish(job, &properties, image);
    CHECK(image->code.size > 0 && image->set_count == properties.count);
    image->name = request->name;
    image->kernels = &request->name;
    image->kernel_count = 1;
    return RT_STATUS_OK;
}

/* Promotions that the parameter's type ruled out are not in the metadata; their entries of
 * `reasons` are already set. */
static void report_promotions(const pl_fusing *fusing, const rt_fusion_request *request,
                              rt_text *reasons, rt_fusion_result *result)
{
    bool *promoted =
        rt_arena_alloc_array(&fusing->job->arena, request->promotion_count, sizeof *promoted);
    uint32_t at = 0;
    for (uint32_t i = 0; i < request->promotion_count; i++) {
        if (reasons[i].length == 0) {
            CHECK(at < fusing->fusion.promotion_count);
            const char *refusal = fusing->refusals[at++];
            if (refusal) reasons[i] = rt_text_of(refusal);
        }
        /* A buffer that cannot be promoted stays in global memory, and the list is fused all the
         * same (KF-PROMOTE-04). */
        promoted[i] = reasons[i].length == 0;
    }
    CHECK(at == fusing->fusion.promotion_count);
    result->promoted = promoted;
    result->reasons = reasons;
    result->promotion_count = request->promotion_count;
}

static rt_status fuse_module(pl_fusing *fusing, const rt_fusion_request *request, rt_text library,
                             rt_text *reasons, rt_buffer *out_result)
{
    RT_TRY(pl_fuse_module(fusing, NULL));
    const pl_parameters *parameters = &fusing->parameters;
    rt_fusion_place *places =
        rt_arena_alloc_array(&fusing->job->arena, parameters->count, sizeof *places);
    rt_fusion_result result = {.image = {.format = request->format},
                               .local_size = pl_fuse_local_size(fusing->module),
                               .parameters = places};
    if (fusing->fusion.heterogeneous) result.range = fusing->fusion.launch;
    for (uint32_t i = 0; i < parameters->count; i++) {
        if (!fusing->dropped[i]) places[result.parameter_count++] = parameters->origins[i];
    }
    CHECK(fusing->finished && result.parameter_count == LLVMCountParams(fusing->kernel));
    if (result.parameter_count > PARAMETERS_MAX)
        return rt_fail(
            fusing->job->sink, RT_FUSION_REJECTED, RT_RULE_NONE,
            "together, the kernels have %u parameters, but a function of SPIR-V can have "
            "only %u; fuse fewer of them",
            result.parameter_count, (unsigned)PARAMETERS_MAX);
    report_promotions(fusing, request, reasons, &result);
    RT_TRY(emit(fusing, request, library, &result.image));
    rt_fusion_result_write(out_result, &result);
    return RT_STATUS_OK;
}

static rt_status fuse(pl_job *job, const rt_fusion_request *request, rt_text library,
                      rt_buffer *out_result)
{
    bool fusible = RULE(KF_TARGET_03, request->format == RT_FORMAT_PTX) ||
                   RULE(KF_TARGET_01, request->format == RT_FORMAT_SPIRV64);
    if (!fusible) {
        return rt_fail(job->sink, RT_UNSUPPORTED, RT_RULE_NONE,
                       "kernels of format %s cannot be fused: only spirv64 and ptx can",
                       rt_format_name(request->format));
    }
    job->format = request->format;
    rt_text *reasons = rt_arena_alloc_array(&job->arena, request->promotion_count, sizeof *reasons);
    pl_fusing fusing = {.job = job, .local_size_max = request->local_size_max};
    RT_TRY(pl_fusion_input(job, request, reasons, &fusing.module));
    rt_status status = fuse_module(&fusing, request, library, reasons, out_result);
    LLVMDisposeModule(fusing.module);
    return status;
}

rt_status pl_fuse(rt_sink *sink, const rt_fusion_request *request, rt_text library,
                  rt_buffer *out_result)
{
    CHECK(request->kernel_count > 0 && out_result->size == 0);
    pl_job job;
    pl_job_open(&job, sink);
    rt_status status = fuse(&job, request, library, out_result);
    pl_job_close(&job);
    return status;
}
