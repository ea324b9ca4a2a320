/* Decides which symbols an image needs and offers.
 *
 * Names are recorded as in the IR (DL-IMPORT-06).  Source: document 003, "sycl-post-link changes",
 * rules DL-EXPORT-01 to -05 and DL-IMPORT-01 to -10.  Where shipped DPC++ deviates, the profile
 * decides which behaviour applies (tags A2 to A6 of requirements.yaml). */
#include "reference/compiler/postlink/symbols.h"

#include "reference/compiler/ir/attributes.h"
#include "reference/compiler/ir/builtins.h"
#include "reference/compiler/ir/values.h"
#include "reference/compiler/ir/variable_attributes.h"
#include "reference/compiler/postlink/device_globals.h"
#include "reference/compiler/postlink/input.h"
#include "reference/compiler/postlink/virtual_functions.h"

/* ---- Names --------------------------------------------------------------------------------- */

/* Reports whether the demangled form starts with two underscores. The form of a template starts
 * with its return type and that of a nested name with its namespace, so these never do
 * (DL-IMPORT-10: either way is conforming). */
static bool is_reserved(rt_text symbol)
{
    if (rt_text_starts(symbol, "__")) return true;
    rt_text name, rest;
    return pl_symbol_split(symbol, &name, &rest) && rt_text_starts(name, "__") &&
           !rt_text_starts(rest, "I");
}

/* ---- Declarations -------------------------------------------------------------------------- */

bool pl_is_hidden_entry(const pl_job *job, LLVMValueRef function)
{
    static const char *const prefixes[] = {"__spirv_", "__sycl", "__esimd_", "__builtin_"};
    rt_text name = pl_name(function), plain, rest;
    if (job->profile != RT_PROFILE_DPCPP) return false;
    if (pl_attribute_has(function, PL_INDIRECTLY_CALLABLE)) return true;
    if (!pl_symbol_split(name, &plain, &rest)) plain = name;
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (rt_text_starts(plain, prefixes[i])) return true;
    return false;
}

pl_declaration pl_declaration_classify(const pl_job *job, LLVMValueRef function)
{
    CHECK(LLVMIsDeclaration(function));
    rt_text name = pl_name(function);
    if (RULE(DL_IMPORT_07, rt_text_starts(name, "llvm."))) return PL_DECLARED_BUILTIN;
    if (pl_symbol_is_spirv_operation(name)) return PL_DECLARED_BUILTIN; /* DL-IMPORT-03 */
    if (pl_symbol_is_opencl_builtin(name)) return PL_DECLARED_BUILTIN;
    if (RULE(DL_IMPORT_02, is_reserved(name))) return PL_DECLARED_UNLISTED;
    if (RULE(DL_IMPORT_04, pl_attribute_has(function, PL_NOT_IMPORTED)))
        return PL_DECLARED_UNLISTED;
    /* The function's set determines which image defines the function. */
    if (RULE(VF_SPLIT_10, pl_attribute_has(function, PL_INDIRECTLY_CALLABLE)))
        return PL_DECLARED_UNLISTED;
    /* Of the rest, shipped DPC++ lists as imports (A3, A4) only declarations that its front end
     * marked. */
    bool marked = pl_attribute_has(function, PL_MODULE_ID);
    return job->profile == RT_PROFILE_DPCPP && !marked ? PL_DECLARED_UNLISTED : PL_DECLARED_IMPORT;
}

/* Other images cannot see the variables of a work-item or a work-group. */
static bool lies_in_shared_memory(const pl_job *job, LLVMValueRef variable)
{
    unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(variable));
    if (job->format == RT_FORMAT_PTX)
        return space == PL_PTX_SPACE_GLOBAL || space == PL_PTX_SPACE_CONSTANT;
    return space == PL_SPACE_GLOBAL || space == PL_SPACE_CONSTANT;
}

/* For shipped DPC++, the symbols are functions and, among variables, only device_globals. */
static bool lists_variable(const pl_job *job, LLVMValueRef variable)
{
    return job->profile == RT_PROFILE_DOCUMENTS || pl_is_device_global(variable);
}

bool pl_variable_is_offered(const pl_job *job, LLVMValueRef variable)
{
    CHECK(LLVMIsAGlobalVariable(variable));
    return lists_variable(job, variable) && !LLVMIsDeclaration(variable) &&
           !pl_is_local(variable) && lies_in_shared_memory(job, variable) &&
           !pl_is_vtable(variable);
}

/* The name that the lists contain: the symbol, unchanged. */
static rt_text recorded_name(pl_job *job, LLVMValueRef function)
{
    rt_text name = pl_job_name(job, function);
    CHECK(name.length > 0);
    return RULE(DL_IMPORT_06, name);
}

/* ---- Collection ---------------------------------------------------------------------------- */

typedef struct collector {
    pl_job *job;
    pl_text_list imports, exports, unlisted, provided, kernels;
} collector;

/* Any reference counts, not only a call (DL-REQ-09). */
static void collect_declaration(collector *lists, LLVMValueRef function)
{
    CHECK(LLVMIsDeclaration(function));
    pl_declaration kind = pl_declaration_classify(lists->job, function);
    if (kind == PL_DECLARED_BUILTIN) return;
    bool is_listed = kind == PL_DECLARED_IMPORT;
    if (RULE(DL_IMPORT_01, is_listed))
        *rt_vector_push(&lists->imports) = recorded_name(lists->job, function);
    else
        *rt_vector_push(&lists->unlisted) = pl_job_name(lists->job, function);
}

static void collect_export(collector *lists, LLVMValueRef function)
{
    bool declared = LLVMIsDeclaration(function);
    if (RULE(DL_EXPORT_03, declared)) return;
    if (RULE(DL_EXPORT_02, pl_is_kernel(function))) return;
    if (RULE(VF_SPLIT_10, pl_attribute_has(function, PL_INDIRECTLY_CALLABLE))) {
        *rt_vector_push(&lists->provided) = pl_job_name(lists->job, function);
        return;
    }
    bool offered = pl_attribute_has(function, PL_MODULE_ID) &&
                   LLVMGetLinkage(function) == LLVMExternalLinkage &&
                   !pl_is_hidden_entry(lists->job, function);
    if (RULE(DL_EXPORT_01, offered))
        *rt_vector_push(&lists->exports) = recorded_name(lists->job, function);
}

/* The document's wording covers undefined variables, but its exclusions and its list of exports
 * mention only functions, so listing variables is as correct as not listing them; we list those
 * that another image can define and leave the others to the device (DL-IMPORT-08). */
static void collect_variables(collector *lists, LLVMModuleRef module)
{
    LLVMValueRef variable = LLVMGetFirstGlobal(module);
    for (; variable; variable = LLVMGetNextGlobal(variable)) {
        rt_text id, name = pl_name(variable);
        if (!LLVMIsDeclaration(variable)) {
            bool marked = pl_variable_attribute(variable, PL_MODULE_ID, &id);
            if (marked && LLVMGetLinkage(variable) == LLVMExternalLinkage &&
                pl_variable_is_offered(lists->job, variable) && !pl_is_image_scope(variable))
                *rt_vector_push(&lists->exports) = recorded_name(lists->job, variable);
            continue;
        }
        if (rt_text_starts(name, "llvm.")) continue;
        bool imported = lists_variable(lists->job, variable) &&
                        lies_in_shared_memory(lists->job, variable) && !is_reserved(name);
        pl_text_list *list = imported ? &lists->imports : &lists->unlisted;
        *rt_vector_push(list) = recorded_name(lists->job, variable);
    }
}

static void check_apart(rt_map *seen, const rt_text *names, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        CHECK(names[i].length > 0 && rt_map_find(seen, names[i]) == RT_MAP_NONE);
        rt_map_set(seen, names[i], i);
    }
}

/* Checks that each symbol is in only one list, and only once. */
static bool symbols_check(const pl_symbols *symbols)
{
    rt_map seen = {0};
    check_apart(&seen, symbols->imports, symbols->import_count);
    check_apart(&seen, symbols->exports, symbols->export_count);
    check_apart(&seen, symbols->unlisted, symbols->unlisted_count);
    check_apart(&seen, symbols->provided, symbols->provided_count);
    check_apart(&seen, symbols->kernels, symbols->kernel_count);
    rt_map_free(&seen);
    return true;
}

void pl_symbols_collect(pl_job *job, LLVMModuleRef module, pl_symbols *out_symbols)
{
    collector lists = {.job = job};
    LLVMValueRef function = LLVMGetFirstFunction(module);
    for (; function; function = LLVMGetNextFunction(function)) {
        collect_export(&lists, function);
        if (LLVMIsDeclaration(function)) {
            collect_declaration(&lists, function);
        } else if (pl_is_kernel(function)) {
            *rt_vector_push(&lists.kernels) = pl_job_name(job, function);
        }
    }
    collect_variables(&lists, module);
    out_symbols->imports = pl_job_keep_texts(job, &lists.imports, &out_symbols->import_count);
    out_symbols->exports = pl_job_keep_texts(job, &lists.exports, &out_symbols->export_count);
    out_symbols->unlisted = pl_job_keep_texts(job, &lists.unlisted, &out_symbols->unlisted_count);
    out_symbols->provided = pl_job_keep_texts(job, &lists.provided, &out_symbols->provided_count);
    out_symbols->kernels = pl_job_keep_texts(job, &lists.kernels, &out_symbols->kernel_count);
    CHECK_SLOW(symbols_check(out_symbols));
}
