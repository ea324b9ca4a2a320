/* Turns sources into one module: parses, marks, looks for duplicates, links.
 *
 * Nothing is split or optimised here.  Source: document 003, "DPC++ front-end changes".
 *
 * Which functions are SYCL_EXTERNAL: the DPC++ front end marks them with an attribute.  Clang has
 * no such attribute in OpenCL C, where other translation units can call every function that is not
 * static, so every such function counts as SYCL_EXTERNAL.  A source in which any function has the
 * attribute was marked by its front end (or by hand) and keeps its marks. */
#include "reference/compiler/postlink/input.h"

#include "reference/base/map.h"
#include "reference/compiler/ir/annotations.h"
#include "reference/compiler/ir/attributes.h"
#include "reference/compiler/ir/values.h"
#include "reference/compiler/ir/variable_attributes.h"
#include "reference/compiler/ir/version.h"
#include "reference/compiler/postlink/spec_constants.h"
#include "reference/compiler/postlink/virtual_functions.h"
#include "reference/compiler/refuse/refuse.h"

#include <llvm-c/Comdat.h>

/* Functions that other sources may call by name: external ones, `weak` ones, and templates that a
 * C++ source instantiates explicitly.  Inline functions and other templates are compiled into every
 * source that uses them, so no other source needs them. */
static bool is_external(LLVMValueRef value)
{
    LLVMLinkage linkage = LLVMGetLinkage(value);
    return linkage == LLVMExternalLinkage || linkage == LLVMWeakAnyLinkage ||
           linkage == LLVMWeakODRLinkage;
}

/* Gives the functions of a source the front end's marks, and "no-builtins": a user's `isdigit` must
 * not be mistaken for the C library's, which OpenCL C does not have. If the front end marked
 * nothing, every defined variable that other sources can name is marked as a symbol too. */
static void mark_symbols(LLVMModuleRef module, rt_text source)
{
    CHECK(source.length > 0);
    bool marked = false;
    LLVMValueRef function = LLVMGetFirstFunction(module);
    for (; function && !marked; function = LLVMGetNextFunction(function))
        marked = pl_attribute_has(function, PL_MODULE_ID);
    function = LLVMGetFirstFunction(module);
    for (; function; function = LLVMGetNextFunction(function)) {
        bool is_symbol = pl_is_kernel(function) ? !pl_attribute_has(function, PL_MODULE_ID)
                                                : !marked && is_external(function) &&
                                                      LLVMGetIntrinsicID(function) == 0;
        if (is_symbol) RULE(DL_FE_01, pl_attribute_set(function, PL_MODULE_ID, source));
        if (!LLVMIsDeclaration(function)) {
            pl_attribute_set(function, "no-builtins", RT_TEXT(""));
        }
    }
    LLVMValueRef variable = marked ? NULL : LLVMGetFirstGlobal(module);
    for (; variable; variable = LLVMGetNextGlobal(variable)) {
        bool is_symbol = !LLVMIsDeclaration(variable) && is_external(variable);
        if (is_symbol) pl_variable_attribute_set(variable, PL_MODULE_ID, source);
    }
}

/* Removes the debug information of declarations (paths of clang's own headers), lists such as
 * llvm.used, which keep unused code alive, and comdats, which would tie functions together and
 * which a declaration must not have. */
static void strip_module(LLVMModuleRef module)
{
    for (LLVMValueRef v = pl_first_symbol(module); v; v = pl_next_symbol(v)) {
        if (LLVMIsAFunction(v) && LLVMIsDeclaration(v)) LLVMGlobalClearMetadata(v);
        LLVMSetComdat(v, NULL);
    }
    static const char *const lists[] = {"llvm.used", "llvm.compiler.used"};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        LLVMValueRef list = LLVMGetNamedGlobal(module, lists[i]);
        if (list) LLVMDeleteGlobal(list);
    }
}

/* Adds the definitions of a source to `names`, which contains the definitions of all earlier
 * sources; refuses duplicates. */
static rt_status note_definitions(pl_job *job, rt_map *names, LLVMModuleRef part, rt_text source,
                                  rt_text module)
{
    pl_text_list duplicates = {0};
    for (LLVMValueRef v = pl_first_symbol(part); v; v = pl_next_symbol(v)) {
        if (LLVMIsDeclaration(v) || LLVMGetLinkage(v) != LLVMExternalLinkage) continue;
        rt_text name = pl_job_name(job, v);
        if (rt_map_find(names, name) != RT_MAP_NONE) *rt_vector_push(&duplicates) = name;
        rt_map_set(names, name, 0);
    }
    CHECK(duplicates.count <= names->count);
    rt_status status = RT_STATUS_OK;
    if (duplicates.count > 0) {
        rt_buffer list = {0};
        for (uint32_t i = 0; i < duplicates.count; i++)
            rt_buffer_printf(&list, "%s'%.*s'", i ? ", " : "", RT_TEXT_ARG(duplicates.items[i]));
        status = rt_fail_naming(
            job->sink, RT_POSTLINK_ERROR, RT_RULE_NONE, duplicates.items, duplicates.count,
            "source %.*s defines %s, which another source of module %.*s also defines; make one "
            "of the definitions static or remove it",
            RT_TEXT_ARG(source), rt_buffer_string(&list), RT_TEXT_ARG(module));
        rt_buffer_free(&list);
    }
    rt_vector_free(&duplicates);
    return status;
}

/* Processes one source on its own: strips it, checks it, and turns its declarations into attributes
 * and calls. */
static rt_status take_source(pl_job *job, LLVMModuleRef part, rt_text name,
                             pl_device_globals *globals)
{
    pl_annotations annotations;
    strip_module(part);
    pl_kernels_repair(part);
    if (job->format != RT_FORMAT_PTX) pl_front_end_repair(part);
    RT_TRY(pl_refuse_foreign(job, part, name));
    RT_TRY(pl_annotations_take(job, part, name, &annotations));
    pl_assumptions_take(job, part, &annotations);
    RT_TRY(pl_virtual_functions_take(job, part, name, &annotations));
    mark_symbols(part, name);
    RT_TRY(pl_spec_constants_take(job, part));
    return pl_device_globals_take(job, part, name, &annotations, globals);
}

/* Parses one source and links it into *module, or makes it *module if that is NULL. */
static rt_status add_source(pl_job *job, const rt_postlink_request *request, uint32_t index,
                            rt_map *names, pl_device_globals *globals, LLVMModuleRef *module)
{
    CHECK(index < request->source_count);
    CHECK_IMPLIES(index == 0, !*module);
    const rt_postlink_source *source = &request->sources[index];
    rt_text label = rt_arena_printf(&job->arena, "source %.*s", RT_TEXT_ARG(source->name));
    LLVMModuleRef part = NULL;
    RT_TRY(pl_module_parse(job, source->bitcode, label, &part));
    rt_status status = take_source(job, part, source->name, globals);
    if (rt_ok(status)) status = note_definitions(job, names, part, source->name, request->module);
    if (!rt_ok(status)) {
        LLVMDisposeModule(part);
        return status;
    }
    if (*module) return pl_module_link(job, RT_POSTLINK_ERROR, *module, part);
    *module = part;
    LLVMSetModuleIdentifier(part, request->module.data, request->module.length);
    return RT_STATUS_OK;
}

rt_status pl_input_link(pl_job *job, const rt_postlink_request *request, pl_device_globals *globals,
                        LLVMModuleRef *out_module)
{
    *out_module = NULL;
    CHECK(request->source_count > 0);
    rt_map names = {0};
    LLVMModuleRef module = NULL;
    rt_status status = RT_STATUS_OK;
    for (uint32_t i = 0; i < request->source_count && rt_ok(status); i++)
        status = add_source(job, request, i, &names, globals, &module);
    rt_map_free(&names);
    if (!rt_ok(status)) {
        if (module) LLVMDisposeModule(module);
        return status;
    }
    CHECK(module);
    /* A C99 `inline` function without an external definition has a body that is meant only for
     * inlining; all sources are linked now, so no other definition can follow, and the body is
     * kept. */
    LLVMValueRef function = LLVMGetFirstFunction(module);
    for (; function; function = LLVMGetNextFunction(function))
        if (LLVMGetLinkage(function) == LLVMAvailableExternallyLinkage)
            LLVMSetLinkage(function, LLVMInternalLinkage);
    pl_virtual_functions_prepare(job, module, request->module);
    *out_module = module;
    return RT_STATUS_OK;
}
