/* Each program (the list of pieces of code that a kernel is linked from) is read once, regardless
 * of how many of its kernels are in the list.
 *
 * The stub's metadata names functions of the module. These names may differ from the kernels'
 * names, since two programs may have kernels with the same name. */
#include "reference/compiler/fuse/input.h"

#include "reference/compiler/fuse/kernel_metadata.h"
#include "reference/compiler/fuse/metadata.h"
#include "reference/compiler/fuse/parameters.h"
#include "reference/compiler/fuse/range.h"
#include "reference/compiler/spirv/link.h"

#include <string.h>

/* The state while the module is being built. */
typedef struct fusion_input {
    pl_job *job;
    const rt_fusion_request *request;
    LLVMModuleRef module;
    uint32_t *programs; /* for each kernel of the list, the index of the first one with the same
                         * code */
} fusion_input;

/* ---- Programs ------------------------------------------------------------------------------ */

static bool same_bytes(rt_bytes a, rt_bytes b)
{
    return a.size == b.size && (a.data == b.data || memcmp(a.data, b.data, a.size) == 0);
}

static bool same_program(const rt_fusion_kernel *a, const rt_fusion_kernel *b)
{
    if (a->code_count != b->code_count) return false;
    for (uint32_t i = 0; i < a->code_count; i++) {
        const rt_link_code *x = &a->codes[i], *y = &b->codes[i];
        if (!same_bytes(x->spirv, y->spirv) || x->constant_count != y->constant_count) return false;
        for (uint32_t k = 0; k < x->constant_count; k++) {
            if (x->constants[k].id != y->constants[k].id) return false;
            if (!same_bytes(x->constants[k].value, y->constants[k].value)) return false;
        }
    }
    return true;
}

/* If a program does not link, the list is not fused; the runtime can still launch the kernels that
 * it has linked itself. */
static rt_status read_program(pl_job *job, const rt_fusion_kernel *kernel,
                              LLVMModuleRef *out_module)
{
    rt_status status = pl_link_codes(job, kernel->codes, kernel->code_count, out_module);
    if (status.code != RT_LINK_ERROR) return status;
    const rt_diagnostic *diagnostic = rt_sink_diagnostic(job->sink, status);
    return rt_fail_naming(job->sink, RT_FUSION_REJECTED, RT_RULE_NONE, diagnostic->names,
                          diagnostic->name_count, "the code of kernel %.*s does not link: %.*s",
                          RT_TEXT_ARG(kernel->name), RT_TEXT_ARG(diagnostic->message));
}

static bool is_shared(const rt_fusion_request *request, rt_text name)
{
    for (uint32_t i = 0; i < request->variable_count; i++) {
        if (rt_text_equal(request->variables[i], name)) return true;
    }
    return false;
}

/* The fused kernel is a separate program, which would have its own copies of variables that kernels
 * write. A list that uses such a variable is rejected unless programs share the variable: shared
 * variables are merged by name, and stay if no kernel of the list uses them, because the runtime
 * sets those of each program. Linking has removed variables without uses. */
static rt_status check_variables(const fusion_input *input, LLVMModuleRef program, rt_text kernel)
{
    pl_job *job = input->job;
    LLVMValueRef variable = LLVMGetFirstGlobal(program);
    for (; variable; variable = LLVMGetNextGlobal(variable)) {
        rt_text name = pl_job_name(job, variable);
        bool shared = is_shared(input->request, name);
        if (shared) LLVMSetLinkage(variable, LLVMWeakODRLinkage);
        if (shared || LLVMIsGlobalConstant(variable)) continue;
        if (LLVMGetPointerAddressSpace(LLVMTypeOf(variable)) != PL_SPACE_GLOBAL) continue;
        return rt_fail_naming(job->sink, RT_FUSION_REJECTED, RT_RULE_NONE, &name, 1,
                              "kernel %.*s cannot be fused: its program has the variable %.*s in "
                              "global memory, of which the fused kernel would have a copy",
                              RT_TEXT_ARG(kernel), RT_TEXT_ARG(name));
    }
    return RT_STATUS_OK;
}

/* The name of a kernel while programs are linked; it is unique among the functions. */
static const char *joining_name(pl_job *job, uint32_t program, rt_text kernel)
{
    return rt_arena_printf(&job->arena, "assay.fused.%u.%.*s", program, RT_TEXT_ARG(kernel)).data;
}

/* Kernels become ordinary functions, since the fused kernel is the only entry point. */
static void hide_kernels(const fusion_input *input, LLVMModuleRef program, uint32_t number)
{
    const rt_fusion_request *request = input->request;
    LLVMValueRef function = LLVMGetFirstFunction(program);
    for (; function; function = LLVMGetNextFunction(function)) {
        if (!pl_is_kernel(function)) continue;
        pl_make_plain_function(function);
        rt_text name = pl_job_name(input->job, function);
        bool is_listed = false;
        for (uint32_t i = number; i < request->kernel_count && !is_listed; i++)
            is_listed =
                input->programs[i] == number && rt_text_equal(request->kernels[i].name, name);
        if (is_listed) {
            const char *joining = joining_name(input->job, number, name);
            LLVMSetValueName2(function, joining, strlen(joining));
        } else {
            LLVMSetLinkage(function, LLVMInternalLinkage);
        }
    }
}

static rt_status check_kernels(fusion_input *input, LLVMModuleRef program, uint32_t number)
{
    const rt_fusion_request *request = input->request;
    for (uint32_t i = number; i < request->kernel_count; i++) {
        if (input->programs[i] != number) continue;
        rt_text name = request->kernels[i].name;
        const char *c_name = rt_arena_text(&input->job->arena, name).data;
        LLVMValueRef kernel = LLVMGetNamedFunction(program, c_name);
        if (!kernel || !RULE(KF_TARGET_02, pl_is_kernel(kernel)) || LLVMIsDeclaration(kernel))
            return pl_fusion_reject(input->job, name, "its code has no kernel of that name");
    }
    return RT_STATUS_OK;
}

static rt_status add_program(fusion_input *input, uint32_t number)
{
    pl_job *job = input->job;
    const rt_fusion_kernel *kernel = &input->request->kernels[number];
    LLVMModuleRef program = NULL;
    RT_TRY(read_program(job, kernel, &program));
    rt_status status = check_kernels(input, program, number);
    if (rt_ok(status)) status = check_variables(input, program, kernel->name);
    if (!rt_ok(status)) {
        LLVMDisposeModule(program);
        return status;
    }
    hide_kernels(input, program, number);
    /* The first program gives the module its target and layout. */
    return pl_module_link(job, RT_LINK_ERROR, input->module, program);
}

/* ---- The stub ------------------------------------------------------------------------------ */

/* The size that a kernel requires is its local size even if its launch leaves the size open, and
 * then it is the fused launch's, too. Ranges that are all the same need none: the fused kernel
 * requires what its kernels require. */
static rt_status required_sizes_take(pl_job *job, const LLVMValueRef *kernels, pl_fusion *fusion,
                                     rt_fusion_range *ranges)
{
    rt_fusion_range *launch = &fusion->launch;
    if (!fusion->heterogeneous) return RT_STATUS_OK;
    for (uint32_t i = 0; i < fusion->kernel_count; i++) {
        if (pl_range_has_local(&ranges[i])) continue;
        if (!pl_required_group_size(job, kernels[i], ranges[i].local)) continue;
        if (!pl_range_has_local(launch))
            memcpy(launch->local, ranges[i].local, sizeof launch->local);
    }
    for (uint32_t i = 0; i < fusion->kernel_count; i++) {
        if (!pl_range_has_local(&ranges[i])) continue;
        if (memcmp(ranges[i].local, launch->local, sizeof launch->local) != 0)
            return pl_fusion_reject(job, fusion->kernels[i],
                                    "its work-groups have another size than those of the kernels "
                                    "before it");
        if (!rt_fusion_local_divides(launch) || !rt_fusion_groups_stay_whole(&ranges[i], launch))
            return pl_fusion_reject(job, fusion->kernels[i],
                                    "its work-groups would be torn apart in the fused range");
    }
    return RT_STATUS_OK;
}

static rt_status make_stub(fusion_input *input, LLVMValueRef stub, rt_text *out_reasons)
{
    pl_job *job = input->job;
    const rt_fusion_request *request = input->request;
    uint32_t count = request->kernel_count;
    rt_text *names = rt_arena_alloc_array(&job->arena, count, sizeof *names);
    LLVMValueRef *kernels = rt_arena_alloc_array(&job->arena, count, sizeof(LLVMValueRef));
    rt_fusion_range *ranges = rt_arena_alloc_array(&job->arena, count, sizeof *ranges);
    pl_fusion fusion = {.kernels = names,
                        .kernel_count = count,
                        .identities = request->identities,
                        .identity_count = RULE(KF_JIT_04, request->identity_count),
                        .launch = request->range,
                        .ranges = ranges,
                        .barriers = request->barriers};
    for (uint32_t i = 0; i < count; i++) {
        const char *joining = joining_name(job, input->programs[i], request->kernels[i].name);
        kernels[i] = LLVMGetNamedFunction(input->module, joining);
        CHECK(kernels[i] && !LLVMIsDeclaration(kernels[i]));
        ranges[i] = request->kernels[i].range;
        if (!pl_range_equal(&ranges[i], &request->range)) fusion.heterogeneous = true;
    }
    /* Each kernel gets its name back, or a similar one if another function has it. */
    for (uint32_t i = 0; i < count; i++) {
        rt_text name = request->kernels[i].name;
        if (LLVMGetLinkage(kernels[i]) != LLVMInternalLinkage) {
            LLVMSetLinkage(kernels[i], LLVMInternalLinkage);
            LLVMSetValueName2(kernels[i], name.data, name.length);
        }
        names[i] = pl_job_name(job, kernels[i]);
    }
    RT_TRY(required_sizes_take(job, kernels, &fusion, ranges));
    RT_TRY(pl_fusion_parameters_convert(job, request, kernels, &fusion, out_reasons));
    pl_fusion_attach(job, stub, &fusion);
    return RT_STATUS_OK;
}

rt_status pl_fusion_input(pl_job *job, const rt_fusion_request *request, rt_text *out_reasons,
                          LLVMModuleRef *out_module)
{
    *out_module = NULL;
    uint32_t count = request->kernel_count;
    CHECK(count > 0);
    for (uint32_t i = 0; i < count; i++) {
        if (pl_range_items(&request->kernels[i].range) > pl_range_items(&request->range))
            return pl_fusion_reject(
                job, request->kernels[i].name,
                "the fused launch has fewer work-items than the kernel's own range");
    }
    fusion_input input = {job, request, LLVMModuleCreateWithNameInContext("fused", job->context),
                          rt_arena_alloc_array(&job->arena, count, sizeof *input.programs)};
    /* The stub is added first, so that it gets the requested name even if another symbol has it
     * too. */
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(job->context), NULL, 0, 0);
    const char *stub_name = rt_arena_text(&job->arena, RULE(KF_JIT_06, request->name)).data;
    LLVMValueRef stub = LLVMAddFunction(input.module, stub_name, type);
    LLVMSetFunctionCallConv(stub, PL_SPIR_KERNEL);
    rt_status status = RT_STATUS_OK;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t first = 0;
        while (!same_program(&request->kernels[first], &request->kernels[i]))
            first++;
        CHECK(first <= i);
        input.programs[i] = first;
    }
    for (uint32_t i = 0; i < count && rt_ok(status); i++)
        if (input.programs[i] == i) status = add_program(&input, i);
    /* The fused program exports shared variables, which are found by name. */
    LLVMValueRef variable = rt_ok(status) ? LLVMGetFirstGlobal(input.module) : NULL;
    for (; variable; variable = LLVMGetNextGlobal(variable)) {
        if (is_shared(request, pl_job_name(job, variable)))
            LLVMSetLinkage(variable, LLVMExternalLinkage);
    }
    if (rt_ok(status)) status = make_stub(&input, stub, out_reasons);
    if (rt_ok(status)) status = pl_module_verify(job, input.module, "joining the kernels");
    if (rt_ok(status)) {
        *out_module = input.module;
    } else {
        LLVMDisposeModule(input.module);
    }
    return status;
}
