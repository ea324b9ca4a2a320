/* The order of the steps to PTX, symbols' names, and what is refused on the way. */
#include "reference/compiler/ptx/ptx_internal.h"

#include "reference/compiler/ir/clone.h"
#include "reference/compiler/ir/place.h"

#include <llvm-c/DebugInfo.h>

/* ---- Names --------------------------------------------------------------------------------- */

static bool is_ptx_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '$';
}

static void give_name(pl_job *job, LLVMValueRef value)
{
    rt_text name = pl_job_name(job, value);
    rt_buffer made = {0};
    for (size_t i = 0; i < name.length; i++) {
        if (is_ptx_letter(name.data[i]))
            rt_buffer_append_byte(&made, name.data[i]);
        else
            rt_buffer_printf(&made, "_$%02x", (unsigned)(unsigned char)name.data[i]);
    }
    if (made.size != name.length) LLVMSetValueName2(value, made.data, made.size);
    rt_buffer_free(&made);
}

void pl_ptx_take(pl_job *job, LLVMModuleRef module)
{
    pl_drop_named_metadata(module, "nvvm.annotations");
    pl_ptx_names(job, module);
}

void pl_ptx_names(pl_job *job, LLVMModuleRef module)
{
    LLVMValueRef function = LLVMGetFirstFunction(module);
    for (; function; function = LLVMGetNextFunction(function))
        if (LLVMGetIntrinsicID(function) == 0) give_name(job, function);
    LLVMValueRef variable = LLVMGetFirstGlobal(module);
    for (; variable; variable = LLVMGetNextGlobal(variable))
        if (!rt_text_starts(pl_job_name(job, variable), "llvm.")) give_name(job, variable);
}

/* ---- Refusals ------------------------------------------------------------------------------ */

rt_status pl_ptx_refuse(pl_job *job, LLVMValueRef at, rt_text symbol, const char *what)
{
    rt_text place = at ? pl_place(job, at) : (rt_text){0};
    return rt_fail_naming(job->sink, RT_UNSUPPORTED, RT_RULE_NONE, &symbol, 1, "%.*s'%.*s' %s",
                          RT_TEXT_ARG(place), RT_TEXT_ARG(symbol), what);
}

/* ---- The steps ----------------------------------------------------------------------------- */

/* The conventions of OpenCL say nothing to PTX, and a call has to have that of its function,
 * whichever of our sources and libclc either comes from. */
static void drop_conventions(LLVMValueRef function)
{
    /* Kernels are told by their convention until they have entries. */
    if (!pl_is_kernel(function)) LLVMSetFunctionCallConv(function, LLVMCCallConv);
    LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function);
    for (; block; block = LLVMGetNextBasicBlock(block)) {
        LLVMValueRef instruction = LLVMGetFirstInstruction(block);
        for (; instruction; instruction = LLVMGetNextInstruction(instruction))
            if (LLVMIsACallInst(instruction))
                LLVMSetInstructionCallConv(instruction, LLVMCCallConv);
    }
}

/* Functions of one processor are not inlined into those of another, and all are for ours. */
static void drop_targets(LLVMValueRef function)
{
    static const char *const attributes[] = {"target-cpu", "target-features"};
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++)
        LLVMRemoveStringAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                                         attributes[i], (unsigned)rt_text_of(attributes[i]).length);
}

static void make_uniform(LLVMModuleRef module)
{
    LLVMValueRef function = LLVMGetFirstFunction(module);
    for (; function; function = LLVMGetNextFunction(function)) {
        drop_targets(function);
        drop_conventions(function);
    }
}

static rt_status write_text(pl_job *job, LLVMModuleRef *module, rt_text library, rt_buffer *out)
{
    RT_TRY(pl_ptx_print(job, *module));
    RT_TRY(pl_ptx_link_builtins(job, *module, library));
    LLVMStripModuleDebugInfo(*module);
    make_uniform(*module);
    RT_TRY(pl_ptx_make_entries(job, *module, out));
    RT_TRY(pl_module_verify(job, *module, "making entries of PTX"));
    RT_TRY(pl_ptx_join_spaces(job, module));
    return pl_ptx_emit(job, *module, out);
}

rt_status pl_ptx_write(pl_job *job, LLVMModuleRef module, rt_text library, rt_bytes *out_ptx)
{
    *out_ptx = (rt_bytes){0};
    rt_buffer text = {0};
    /* The steps may replace a module, which must stay the caller's. */
    LLVMModuleRef own = LLVMCloneModule(module);
    rt_status status = write_text(job, &own, library, &text);
    if (rt_ok(status)) *out_ptx = rt_arena_bytes(&job->arena, rt_buffer_bytes(&text));
    if (own) LLVMDisposeModule(own);
    rt_buffer_free(&text);
    CHECK_IMPLIES(rt_ok(status), out_ptx->size > 0);
    return status;
}
