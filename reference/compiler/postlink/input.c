/* Sources to one module: parse, mark, look for duplicates, link.
 *
 * It does not split and does not optimise.  Source: document 003, "DPC++ front-end changes".
 *
 * Who is SYCL_EXTERNAL.  The DPC++ front end marks SYCL_EXTERNAL functions with an attribute. Clang
 * knows no such thing in OpenCL C, where every function that is not static can be called from other
 * translation units: so every such function counts as SYCL_EXTERNAL.  A source in which any
 * function has the attribute was marked by its front end (or by hand) and keeps its marks. */
#include "reference/compiler/postlink/input.h"

#include "reference/base/map.h"
#include "reference/base/vector.h"
#include "reference/compiler/ir/annotations.h"
#include "reference/compiler/ir/attributes.h"
#include "reference/compiler/ir/variable_attributes.h"
#include "reference/compiler/postlink/spec_constants.h"
#include "reference/compiler/postlink/virtual_functions.h"
#include "reference/compiler/refuse/refuse.h"

#include <llvm-c/Comdat.h>

static bool was_marked(LLVMModuleRef module)
{
    LLVMValueRef function = LLVMGetFirstFunction(module);
    for (; function; function = LLVMGetNextFunction(function)) {
        if (pl_attribute_has(function, PL_MODULE_ID)) return true;
    }
    return false;
}

/* What a C99 `inline` function without an external definition has is a body for copying. */
static bool is_inline_body(LLVMValueRef function)
{
    return LLVMGetLinkage(function) == LLVMAvailableExternallyLinkage;
}

/* Functions that other sources may call by name: external ones, `weak` ones, and templates that a
 * C++ source instantiates explicitly.  Inline functions and other templates are compiled into every
 * source that uses them, so nobody needs them from elsewhere. */
static bool is_external(LLVMValueRef value)
{
    LLVMLinkage linkage = LLVMGetLinkage(value);
    return linkage == LLVMExternalLinkage || linkage == LLVMWeakAnyLinkage ||
           linkage == LLVMWeakODRLinkage;
}

/* Gives each function of a source the marks of the front end, and "no-builtins": a user's `isdigit`
 * must not be taken for the C library's, which OpenCL C does not have. */
static void mark_functions(pl_job *job, LLVMModuleRef module, rt_text source, bool marked)
{
    CHECK(source.length > 0);
    LLVMValueRef function = LLVMGetFirstFunction(module);
    for (; function; function = LLVMGetNextFunction(function)) {
        bool wanted = pl_is_kernel(function)
                          ? !pl_attribute_has(function, PL_MODULE_ID)
                          : !marked && is_external(function) && LLVMGetIntrinsicID(function) == 0;
        if (wanted && RULE(DL_FE_01)) pl_attribute_set(job, function, PL_MODULE_ID, source);
        if (!LLVMIsDeclaration(function)) {
            pl_attribute_set(job, function, "no-builtins", RT_TEXT(""));
        }
    }
}

/* A variable is a symbol as a function is: where the front end marks nothing, each that other
 * sources know by its name. */
static void mark_variables(LLVMModuleRef module, rt_text source, bool marked)
{
    LLVMValueRef variable = LLVMGetFirstGlobal(module);
    for (; variable; variable = LLVMGetNextGlobal(variable)) {
        bool wanted = !marked && !LLVMIsDeclaration(variable) && is_external(variable);
        if (wanted) pl_variable_attribute_set(variable, PL_MODULE_ID, source);
    }
}

/* Removes what only names places of this machine or keeps code alive that nobody needs: debug
 * information of declarations (clang's own headers), lists such as llvm.used, and the groups of an
 * object file (comdat), which would tie functions together and which a declaration must not have.
 */
static void strip_module(LLVMModuleRef module)
{
    LLVMValueRef function = LLVMGetFirstFunction(module);
    for (; function; function = LLVMGetNextFunction(function)) {
        if (LLVMIsDeclaration(function)) LLVMGlobalClearMetadata(function);
        LLVMSetComdat(function, NULL);
    }
    LLVMValueRef variable = LLVMGetFirstGlobal(module);
    for (; variable; variable = LLVMGetNextGlobal(variable))
        LLVMSetComdat(variable, NULL);
    static const char *const lists[] = {"llvm.used", "llvm.compiler.used"};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        LLVMValueRef list = LLVMGetNamedGlobal(module, lists[i]);
        if (list) LLVMDeleteGlobal(list);
    }
}

/* Symbols defined so far, and those found a second time. */
typedef struct definition_table {
    rt_map names;
    RT_VECTOR(rt_text) duplicates;
} definition_table;

static void note_definition(pl_job *job, definition_table *table, LLVMValueRef value)
{
    if (LLVMIsDeclaration(value) || LLVMGetLinkage(value) != LLVMExternalLinkage) return;
    rt_text name = pl_job_name(job, value);
    if (rt_map_find(&table->names, name) != RT_MAP_NONE) {
        *rt_vector_push(&table->duplicates) = name;
    }
    rt_map_set(&table->names, name, 0);
}

static void note_definitions(pl_job *job, definition_table *table, LLVMModuleRef module)
{
    LLVMValueRef function = LLVMGetFirstFunction(module);
    for (; function; function = LLVMGetNextFunction(function))
        note_definition(job, table, function);
    LLVMValueRef variable = LLVMGetFirstGlobal(module);
    for (; variable; variable = LLVMGetNextGlobal(variable))
        note_definition(job, table, variable);
}

static rt_status refuse_duplicates(pl_job *job, const definition_table *table, rt_text source,
                                   rt_text module)
{
    if (table->duplicates.count == 0) return RT_STATUS_OK;
    CHECK(table->names.count > 0);
    rt_buffer list = {0};
    for (uint32_t i = 0; i < table->duplicates.count; i++) {
        rt_buffer_printf(&list, "%s'%.*s'", i ? ", " : "", RT_TEXT_ARG(table->duplicates.items[i]));
    }
    rt_status status =
        rt_fail_naming(job->sink, RT_POSTLINK_ERROR, RT_RULE_NONE, table->duplicates.items,
                       table->duplicates.count,
                       "source %.*s defines %s, which another source of module %.*s defines too; "
                       "make one of them static or remove it",
                       RT_TEXT_ARG(source), rt_buffer_string(&list), RT_TEXT_ARG(module));
    rt_buffer_free(&list);
    return status;
}

/* Parses one source, marks it and links it into *module (or becomes it). */
static rt_status add_source(pl_job *job, const rt_postlink_request *request, uint32_t index,
                            definition_table *table, pl_device_globals *globals,
                            LLVMModuleRef *module)
{
    CHECK(index < request->source_count);
    CHECK_IMPLIES(index == 0, !*module);
    const rt_postlink_source *source = &request->sources[index];
    rt_text what = rt_arena_printf(&job->arena, "source %.*s", RT_TEXT_ARG(source->name));
    LLVMModuleRef part = NULL;
    RT_TRY(pl_module_parse(job, source->bitcode, what, &part));
    strip_module(part);
    pl_annotations annotations = {0};
    rt_status taken = pl_refuse_foreign(job, part, source->name);
    if (rt_ok(taken)) taken = pl_annotations_take(job, part, source->name, &annotations);
    if (rt_ok(taken)) {
        pl_assumptions_take(job, part, &annotations);
        taken = pl_virtual_functions_take(job, part, source->name, &annotations);
    }
    if (rt_ok(taken)) {
        bool marked = was_marked(part);
        mark_functions(job, part, source->name, marked);
        mark_variables(part, source->name, marked);
        taken = pl_spec_constants_take(job, part);
    }
    if (rt_ok(taken))
        taken = pl_device_globals_take(job, part, source->name, &annotations, globals);
    if (!rt_ok(taken)) {
        LLVMDisposeModule(part);
        return taken;
    }
    note_definitions(job, table, part);
    rt_status status = refuse_duplicates(job, table, source->name, request->module);
    if (!rt_ok(status)) {
        LLVMDisposeModule(part);
        return status;
    }
    if (*module) return pl_module_link(job, RT_POSTLINK_ERROR, *module, part);
    *module = part;
    LLVMSetModuleIdentifier(part, request->module.data, request->module.length);
    return RT_STATUS_OK;
}

/* Bodies of inline functions are kept for copying now that no external definition can come. */
static void keep_inline_bodies(LLVMModuleRef module)
{
    LLVMValueRef function = LLVMGetFirstFunction(module);
    for (; function; function = LLVMGetNextFunction(function)) {
        if (is_inline_body(function)) LLVMSetLinkage(function, LLVMInternalLinkage);
    }
}

rt_status pl_input_link(pl_job *job, const rt_postlink_request *request, pl_device_globals *globals,
                        LLVMModuleRef *out_module)
{
    *out_module = NULL;
    CHECK(request->source_count > 0);
    definition_table table = {0};
    LLVMModuleRef module = NULL;
    rt_status status = RT_STATUS_OK;
    for (uint32_t i = 0; i < request->source_count && rt_ok(status); i++)
        status = add_source(job, request, i, &table, globals, &module);
    rt_map_free(&table.names);
    rt_vector_free(&table.duplicates);
    if (!rt_ok(status)) {
        if (module) LLVMDisposeModule(module);
        return status;
    }
    CHECK(module);
    keep_inline_bodies(module);
    pl_virtual_functions_settle(job, module, request->module);
    *out_module = module;
    return RT_STATUS_OK;
}
