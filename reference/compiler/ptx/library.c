/* Bodies for OpenCL C's builtin functions: ours first, then libclc's.
 *
 * Both have thousands of functions; their modules are read lazily, so that only those that are
 * called are.  Both bring functions that nobody else is to see. */
#include "reference/compiler/ptx/ptx_internal.h"

#include "reference/base/map.h"
#include "reference/compiler/ir/builtins.h"

#include <llvm-c/BitReader.h>
#include <llvm-c/Linker.h>
#include <string.h>

static const uint8_t own_builtins[] = {
#include "ptx_builtins.inc"
};

/* ---- Reading ------------------------------------------------------------------------------- */

/* As libclc has its own: what nobody calls is not linked. */
static void make_optional(LLVMModuleRef module)
{
    LLVMValueRef function = LLVMGetFirstFunction(module);
    for (; function; function = LLVMGetNextFunction(function))
        if (!LLVMIsDeclaration(function) && LLVMGetLinkage(function) == LLVMExternalLinkage)
            LLVMSetLinkage(function, LLVMLinkOnceODRLinkage);
}

static rt_status read_own(pl_job *job, LLVMModuleRef *out_module)
{
    LLVMMemoryBufferRef memory = LLVMCreateMemoryBufferWithMemoryRangeCopy(
        (const char *)own_builtins, sizeof own_builtins, "builtins");
    if (!LLVMGetBitcodeModuleInContext2(job->context, memory, out_module)) {
        make_optional(*out_module);
        return RT_STATUS_OK;
    }
    LLVMDisposeMemoryBuffer(memory);
    return rt_fail(job->sink, RT_TOOL, RT_RULE_NONE,
                   "assay's own builtin functions for PTX cannot be read: %s", pl_job_reason(job));
}

static rt_status read_library(pl_job *job, rt_text path, LLVMModuleRef *out_module)
{
    static const rt_text capability = {"libclc", 6};
    LLVMMemoryBufferRef memory = NULL;
    char *reason = NULL;
    rt_text name = rt_arena_text(&job->arena, path);
    bool missing =
        path.length == 0 || LLVMCreateMemoryBufferWithContentsOfFile(name.data, &memory, &reason);
    LLVMDisposeMessage(reason);
    if (missing)
        return rt_fail_naming(job->sink, RT_UNAVAILABLE, RT_RULE_NONE, &capability, 1,
                              "libclc for nvptx64, which has OpenCL C's builtin functions, is not "
                              "installed; apt-get install libclc-14");
    if (!LLVMGetBitcodeModuleInContext2(job->context, memory, out_module)) return RT_STATUS_OK;
    LLVMDisposeMemoryBuffer(memory);
    return rt_fail(job->sink, RT_TOOL, RT_RULE_NONE, "%s is not bitcode that LLVM 14 reads: %s",
                   name.data, pl_job_reason(job));
}

/* ---- What is lacking ----------------------------------------------------------------------- */

static bool defines(LLVMModuleRef module, const char *name)
{
    LLVMValueRef function = LLVMGetNamedFunction(module, name);
    return function && !LLVMIsDeclaration(function);
}

/* The first call of a function, for its line. */
static LLVMValueRef first_call(LLVMValueRef function)
{
    for (LLVMUseRef use = LLVMGetFirstUse(function); use; use = LLVMGetNextUse(use))
        if (LLVMIsACallInst(LLVMGetUser(use))) return LLVMGetUser(use);
    return NULL;
}

/* What has a builtin's name and no body anywhere would be an import that no image defines. */
static rt_status refuse_missing(pl_job *job, LLVMModuleRef module, LLVMModuleRef own,
                                LLVMModuleRef library)
{
    LLVMValueRef function = LLVMGetFirstFunction(module);
    for (; function; function = LLVMGetNextFunction(function)) {
        if (!LLVMIsDeclaration(function) || LLVMGetIntrinsicID(function) != 0) continue;
        rt_text name = pl_job_name(job, function);
        bool builtin = pl_symbol_is_opencl_builtin(name) || pl_symbol_is_spirv_operation(name);
        if (!builtin || defines(own, name.data) || defines(library, name.data)) continue;
        return pl_ptx_refuse(job, first_call(function), pl_symbol_builtin_name(name),
                             "is a builtin function that neither PTX nor libclc 14 has for these "
                             "types, so that the code has no form in PTX");
    }
    return RT_STATUS_OK;
}

/* ---- Linking ------------------------------------------------------------------------------- */

static void note_names(pl_job *job, LLVMModuleRef module, rt_map *names)
{
    LLVMValueRef function = LLVMGetFirstFunction(module);
    for (; function; function = LLVMGetNextFunction(function))
        if (!LLVMIsDeclaration(function)) rt_map_set(names, pl_job_name(job, function), 0);
    LLVMValueRef variable = LLVMGetFirstGlobal(module);
    for (; variable; variable = LLVMGetNextGlobal(variable))
        rt_map_set(names, pl_job_name(job, variable), 0);
}

/* What the libraries brought is this image's own, or two images would define it. */
static void hide_new(pl_job *job, LLVMModuleRef module, const rt_map *names)
{
    LLVMValueRef function = LLVMGetFirstFunction(module);
    for (; function; function = LLVMGetNextFunction(function)) {
        bool known = rt_map_find(names, pl_job_name(job, function)) != RT_MAP_NONE;
        if (!known && !LLVMIsDeclaration(function)) LLVMSetLinkage(function, LLVMInternalLinkage);
    }
    LLVMValueRef variable = LLVMGetFirstGlobal(module);
    for (; variable; variable = LLVMGetNextGlobal(variable)) {
        bool known = rt_map_find(names, pl_job_name(job, variable)) != RT_MAP_NONE;
        if (!known && !LLVMIsDeclaration(variable)) LLVMSetLinkage(variable, LLVMInternalLinkage);
    }
}

/* A module is linked as one for the same target. */
static rt_status link_one(pl_job *job, LLVMModuleRef module, LLVMModuleRef *inout_source)
{
    LLVMModuleRef source = *inout_source;
    *inout_source = NULL; /* linking consumes it */
    LLVMSetTarget(source, LLVMGetTarget(module));
    LLVMSetDataLayout(source, LLVMGetDataLayoutStr(module));
    return pl_module_link(job, RT_LINK_ERROR, module, source);
}

static rt_status link_both(pl_job *job, LLVMModuleRef module, LLVMModuleRef *own,
                           LLVMModuleRef *library)
{
    rt_map names = {0};
    RT_TRY(refuse_missing(job, module, *own, *library));
    note_names(job, module, &names);
    rt_status status = link_one(job, module, own);
    if (rt_ok(status)) status = link_one(job, module, library);
    if (rt_ok(status)) hide_new(job, module, &names);
    rt_map_free(&names);
    return status;
}

rt_status pl_ptx_link_builtins(pl_job *job, LLVMModuleRef module, rt_text library)
{
    LLVMModuleRef own = NULL, clc = NULL;
    rt_status status = read_own(job, &own);
    if (rt_ok(status)) status = read_library(job, library, &clc);
    if (rt_ok(status)) status = link_both(job, module, &own, &clc);
    if (own) LLVMDisposeModule(own);
    if (clc) LLVMDisposeModule(clc);
    return status;
}
