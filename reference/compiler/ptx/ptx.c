/* The sequence of steps that lead to PTX, the names of symbols, and refusals. */
#include "reference/compiler/ptx/ptx_internal.h"

#include "reference/base/ptx.h"
#include "reference/compiler/ir/attributes.h"
#include "reference/compiler/ir/clone.h"
#include "reference/compiler/ir/place.h"
#include "reference/compiler/ir/values.h"

#include <llvm-c/DebugInfo.h>

/* ---- Names --------------------------------------------------------------------------------- */

void pl_ptx_take(pl_job *job, LLVMModuleRef module)
{
    pl_drop_named_metadata(module, "nvvm.annotations");
    pl_ptx_names(job, module);
}

void pl_ptx_names(pl_job *job, LLVMModuleRef module)
{
    for (LLVMValueRef v = pl_first_symbol(module); v; v = pl_next_symbol(v)) {
        rt_text name = pl_job_name(job, v);
        bool internal =
            LLVMIsAFunction(v) ? LLVMGetIntrinsicID(v) != 0 : rt_text_starts(name, "llvm.");
        if (internal) continue;
        rt_buffer ptx_name = {0};
        rt_ptx_name_write(&ptx_name, name);
        CHECK(ptx_name.size >= name.length);
        if (ptx_name.size != name.length) LLVMSetValueName2(v, ptx_name.data, ptx_name.size);
        rt_buffer_free(&ptx_name);
    }
}

/* ---- Refusals ------------------------------------------------------------------------------ */

rt_status pl_ptx_refuse(pl_job *job, LLVMValueRef at, rt_text symbol, const char *problem)
{
    CHECK(problem[0] != '\0');
    rt_text place = at ? pl_place(job, at) : (rt_text){0};
    return rt_fail_naming(job->sink, RT_UNSUPPORTED, RT_RULE_NONE, &symbol, 1, "%.*s'%.*s' %s",
                          RT_TEXT_ARG(place), RT_TEXT_ARG(symbol), problem);
}

/* PTX can allocate private memory while code runs only since version 7.3, and LLVM's back end would
 * end the process. */
static rt_status refuse_dynamic_arrays(pl_job *job, LLVMModuleRef module)
{
    LLVMValueRef function = LLVMGetFirstFunction(module);
    for (; function; function = LLVMGetNextFunction(function)) {
        for (LLVMValueRef i = pl_first_instruction(function); i; i = pl_next_instruction(i)) {
            if (!LLVMIsAAllocaInst(i) || LLVMIsAConstantInt(LLVMGetOperand(i, 0))) continue;
            return pl_ptx_refuse(job, i, pl_job_name(job, function),
                                 "has a private array whose length is not a constant, which cannot "
                                 "be expressed in PTX; give it a constant length");
        }
    }
    return RT_STATUS_OK;
}

/* ---- The steps ----------------------------------------------------------------------------- */

/* A kernel may call a virtual function of its program at an address that came from another program.
 * NVIDIA's linker gives a kernel that calls through pointers as many registers as any function
 * needs whose address is taken in its own program, so the member functions of an image without
 * kernels have their addresses taken: with fewer registers, the call ends in an illegal
 * instruction. Other functions do not, because the linker no longer compares the type of a function
 * whose address is taken with that of its imports; a member's name contains its type. */
static void take_addresses(pl_job *job, LLVMModuleRef module)
{
    LLVMValueRef function = LLVMGetFirstFunction(module);
    for (; function; function = LLVMGetNextFunction(function))
        if (pl_is_kernel(function)) return;
    function = LLVMGetFirstFunction(module);
    for (; function; function = LLVMGetNextFunction(function)) {
        rt_text name = pl_job_name(job, function);
        bool is_member = rt_text_starts(name, "_ZN"); /* or in a namespace */
        if (!is_member || LLVMIsDeclaration(function) || pl_is_local(function)) continue;
        const char *address =
            rt_arena_printf(&job->arena, PL_PTX_ADDRESS_OF "%.*s", RT_TEXT_ARG(name)).data;
        if (LLVMGetNamedGlobal(module, address)) continue;
        LLVMValueRef variable =
            LLVMAddGlobalInAddressSpace(module, LLVMTypeOf(function), address, PL_PTX_SPACE_GLOBAL);
        LLVMSetInitializer(variable, function);
        LLVMSetLinkage(variable, LLVMWeakODRLinkage);
    }
}

/* Constant memory becomes global memory: what the host passes is ordinary device memory, none of
 * whose addresses is in PTX's `.const` bank. */
static const uint8_t joined_spaces[PL_SPIR_SPACES] = {
    0, 1, 2, 3, [PL_PTX_SPACE_CONSTANT] = PL_PTX_SPACE_GLOBAL, 5, 6, 7, 8, 9};

static rt_status write_text(pl_job *job, LLVMModuleRef *module, rt_text library, rt_buffer *out)
{
    RT_TRY(refuse_dynamic_arrays(job, *module));
    take_addresses(job, *module);
    RT_TRY(pl_ptx_print(job, *module));
    RT_TRY(pl_ptx_link_builtins(job, *module, library));
    LLVMStripModuleDebugInfo(*module);
    /* Gives functions from the sources, our builtins and libclc the same attributes. OpenCL's
     * calling conventions mean nothing to PTX, and a call must have its function's convention;
     * kernels keep theirs, which identifies them until they have entries. The target attributes are
     * removed, since LLVM does not inline a function for one processor into a function for
     * another. */
    LLVMValueRef function = LLVMGetFirstFunction(*module);
    for (; function; function = LLVMGetNextFunction(function)) {
        pl_attribute_remove(function, "target-cpu");
        pl_attribute_remove(function, "target-features");
        if (!pl_is_kernel(function)) LLVMSetFunctionCallConv(function, LLVMCCallConv);
        for (LLVMValueRef i = pl_first_instruction(function); i; i = pl_next_instruction(i))
            if (LLVMIsACallInst(i)) LLVMSetInstructionCallConv(i, LLVMCCallConv);
    }
    RT_TRY(pl_ptx_make_entries(job, *module, out));
    RT_TRY(pl_module_verify(job, *module, "making PTX entries"));
    RT_TRY(pl_ptx_change_spaces(job, module, joined_spaces));
    return pl_ptx_emit(job, *module, out);
}

rt_status pl_ptx_write(pl_job *job, LLVMModuleRef module, rt_text library, rt_bytes *out_ptx)
{
    CHECK(job->format == RT_FORMAT_PTX);
    *out_ptx = (rt_bytes){0};
    rt_buffer text = {0};
    /* The steps may replace the module that they work on, but the caller's module must remain. */
    LLVMModuleRef copy = LLVMCloneModule(module);
    rt_status status = write_text(job, &copy, library, &text);
    if (rt_ok(status)) *out_ptx = rt_arena_bytes(&job->arena, rt_buffer_bytes(&text));
    if (copy) LLVMDisposeModule(copy);
    rt_buffer_free(&text);
    CHECK_IMPLIES(rt_ok(status), out_ptx->size > 0);
    return status;
}
