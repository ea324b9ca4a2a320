/* Links bodies for OpenCL C's builtin functions: ours first, then libclc's.
 *
 * Both libraries have thousands of functions; their modules are read lazily, so only functions that
 * are called cost time. Afterwards, all linked functions are internal to the image. */
#include "reference/compiler/ptx/ptx_internal.h"

#include "reference/base/map.h"
#include "reference/base/ptx.h"
#include "reference/base/vector.h"
#include "reference/compiler/ir/builtins.h"
#include "reference/compiler/ir/values.h"
#include "reference/compiler/ir/version.h"

#include <llvm-c/BitReader.h>
#include <llvm-c/Linker.h>

static const uint8_t our_builtins[] = {
#include "ptx_builtins.inc"
};

/* ---- Reading ------------------------------------------------------------------------------- */

static rt_status read_ours(pl_job *job, LLVMModuleRef *out_module)
{
    LLVMMemoryBufferRef memory = LLVMCreateMemoryBufferWithMemoryRangeCopy(
        (const char *)our_builtins, sizeof our_builtins, "builtins");
    if (LLVMGetBitcodeModuleInContext2(job->context, memory, out_module)) {
        LLVMDisposeMemoryBuffer(memory);
        return rt_fail(job->sink, RT_TOOL, RT_RULE_NONE,
                       "assay's own builtin functions for PTX cannot be read: %s",
                       pl_job_reason(job));
    }
    /* Our functions get the linkage that libclc's have, so that functions that are not called are
     * not linked. */
    LLVMValueRef function = LLVMGetFirstFunction(*out_module);
    for (; function; function = LLVMGetNextFunction(function))
        if (!LLVMIsDeclaration(function) && LLVMGetLinkage(function) == LLVMExternalLinkage)
            LLVMSetLinkage(function, LLVMLinkOnceODRLinkage);
    return RT_STATUS_OK;
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
        return rt_fail_naming(
            job->sink, RT_UNAVAILABLE, RT_RULE_NONE, &capability, 1,
            "libclc for nvptx64, which provides OpenCL C's builtin functions, "
            "is not installed; install it with: apt-get install libclc-" PL_LLVM_NUMBER);
    if (!LLVMGetBitcodeModuleInContext2(job->context, memory, out_module)) return RT_STATUS_OK;
    LLVMDisposeMemoryBuffer(memory);
    return rt_fail(job->sink, RT_TOOL, RT_RULE_NONE,
                   "%s is not bitcode that LLVM " PL_LLVM_NUMBER " can read: %s", name.data,
                   pl_job_reason(job));
}

/* ---- Refusals ------------------------------------------------------------------------------ */

static bool defines(LLVMModuleRef module, const char *name)
{
    LLVMValueRef function = LLVMGetNamedFunction(module, name);
    return function && !LLVMIsDeclaration(function);
}

/* Names for which entries.c adds definitions, for use by our builtins. */
static rt_status refuse_reserved(pl_job *job, LLVMModuleRef module)
{
    static const char *const reserved[] = {"__assay_launch", "__assay_scratch",
                                           RT_PTX_SHARED_ARRAY};
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++) {
        LLVMValueRef function = LLVMGetNamedFunction(module, reserved[i]);
        if (!function && !LLVMGetNamedGlobal(module, reserved[i])) continue;
        return pl_ptx_refuse(job, function, rt_text_of(reserved[i]),
                             "is a name that assay's own builtin functions for PTX use; rename it");
    }
    return RT_STATUS_OK;
}

static bool is_import(const pl_job *job, rt_text name)
{
    return job->spirv_imports && rt_map_find(job->spirv_imports, name) != RT_MAP_NONE;
}

/* A builtin function without a body would be an import that no image defines. */
static rt_status refuse_missing(pl_job *job, LLVMModuleRef module, LLVMModuleRef ours,
                                LLVMModuleRef library)
{
    LLVMValueRef function = LLVMGetFirstFunction(module);
    for (; function; function = LLVMGetNextFunction(function)) {
        if (!LLVMIsDeclaration(function) || LLVMGetIntrinsicID(function) != 0) continue;
        rt_text name = pl_job_name(job, function);
        bool builtin = pl_symbol_is_opencl_builtin(name) || pl_symbol_is_spirv_operation(name);
        if (!builtin || is_import(job, name) || defines(ours, name.data) ||
            defines(library, name.data))
            continue;
        LLVMUseRef use = LLVMGetFirstUse(function); /* prefer a call, since it has a line */
        while (use && !LLVMIsACallInst(LLVMGetUser(use)))
            use = LLVMGetNextUse(use);
        return pl_ptx_refuse(job, use ? LLVMGetUser(use) : NULL, pl_symbol_builtin_name(name),
                             "is a builtin function that neither PTX nor libclc " PL_LLVM_NUMBER
                             " has for these "
                             "types, so the code cannot be expressed in PTX");
    }
    return RT_STATUS_OK;
}

/* ---- Linking ------------------------------------------------------------------------------- */

/* Links a library, treating it as if it were for the module's target. */
static rt_status link_library(pl_job *job, LLVMModuleRef module, LLVMModuleRef *inout_source)
{
    LLVMModuleRef source = *inout_source;
    *inout_source = NULL; /* linking consumes it */
    LLVMSetTarget(source, LLVMGetTarget(module));
    LLVMSetDataLayout(source, LLVMGetDataLayoutStr(module));
    return pl_module_link(job, RT_LINK_ERROR, module, source);
}

/* A function that SPIR-V code imports may have the name of a builtin function that the libraries
 * define; it has none while they are linked. */
typedef struct import_row {
    LLVMValueRef function;
    rt_text name;
} import_row;
typedef RT_VECTOR(import_row) import_list;

static void imports_hide(pl_job *job, LLVMModuleRef module, import_list *out)
{
    LLVMValueRef function = LLVMGetFirstFunction(module);
    for (; function; function = LLVMGetNextFunction(function)) {
        rt_text name = pl_job_name(job, function);
        if (!LLVMIsDeclaration(function) || !is_import(job, name)) continue;
        *rt_vector_push(out) = (import_row){function, name};
        LLVMSetValueName2(function, "", 0);
    }
}

static void imports_restore(LLVMModuleRef module, import_list *imports)
{
    for (uint32_t i = 0; i < imports->count; i++) {
        const import_row *row = &imports->items[i];
        LLVMValueRef other = LLVMGetNamedFunction(module, row->name.data);
        if (other) LLVMSetValueName2(other, "", 0); /* a library's, which becomes internal */
        LLVMSetValueName2(row->function, row->name.data, row->name.length);
    }
    rt_vector_free(imports);
}

static rt_status link_libraries(pl_job *job, LLVMModuleRef module, LLVMModuleRef *ours,
                                LLVMModuleRef *library)
{
    rt_map names = {0};
    RT_TRY(refuse_reserved(job, module));
    if (job->spirv_imports) pl_ptx_adopt_builtins(job, module, *ours, *library);
    RT_TRY(refuse_missing(job, module, *ours, *library));
    for (LLVMValueRef v = pl_first_symbol(module); v; v = pl_next_symbol(v))
        if (!LLVMIsAFunction(v) || !LLVMIsDeclaration(v))
            rt_map_set(&names, pl_job_name(job, v), 0);
    import_list imports = {0};
    imports_hide(job, module, &imports);
    rt_status status = link_library(job, module, ours);
    if (rt_ok(status)) status = link_library(job, module, library);
    imports_restore(module, &imports);
    CHECK_IMPLIES(rt_ok(status), !*ours && !*library);
    /* Symbols from the libraries become internal; otherwise two images would define them. */
    for (LLVMValueRef v = pl_first_symbol(module); v && rt_ok(status); v = pl_next_symbol(v))
        if (!LLVMIsDeclaration(v) && rt_map_find(&names, pl_name(v)) == RT_MAP_NONE)
            LLVMSetLinkage(v, LLVMInternalLinkage);
    rt_map_free(&names);
    return status;
}

rt_status pl_ptx_link_builtins(pl_job *job, LLVMModuleRef module, rt_text library)
{
    LLVMModuleRef ours = NULL, clc = NULL;
    rt_status status = read_ours(job, &ours);
    if (rt_ok(status)) status = read_library(job, library, &clc);
    if (rt_ok(status)) status = link_libraries(job, module, &ours, &clc);
    if (ours) LLVMDisposeModule(ours);
    if (clc) LLVMDisposeModule(clc);
    return status;
}
