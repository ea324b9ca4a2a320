/* Turns annotations into attributes, and prepares vtables and thunks before anything is split. */
#include "reference/compiler/postlink/virtual_functions.h"

#include "reference/base/vector.h"
#include "reference/compiler/describe/aspects.h"
#include "reference/compiler/ir/attributes.h"
#include "reference/compiler/ir/place.h"
#include "reference/compiler/ir/values.h"
#include "reference/compiler/refuse/refuse.h"
#include "reference/image/virtual_functions.h"

#include <string.h>

/* ---- Annotations --------------------------------------------------------------------------- */

static rt_status refuse(pl_job *job, rt_text source, LLVMValueRef value, unsigned line,
                        const char *problem)
{
    return pl_refuse_symbol(job, source, line, pl_job_name(job, value), problem);
}

static bool is_between(char c)
{
    return c == ',' || c == '"' || c == ' ' || c == '\t' || c == '\n';
}

/* The arguments of a macro as written in the source, `"a", "b"` or `fp16, fp64`, as names separated
 * by commas (VF-PROP-02). */
static rt_text list_of(pl_job *job, rt_text written)
{
    rt_buffer list = {0};
    size_t at = 0;
    while (at < written.length) {
        size_t start = at;
        while (at < written.length && !is_between(written.data[at]))
            at++;
        if (at == start) {
            at++;
            continue;
        }
        if (list.size > 0) RULE(VF_PROP_02, rt_buffer_append_byte(&list, ','));
        rt_buffer_append(&list, written.data + start, at - start);
    }
    rt_text result = rt_arena_text(&job->arena, rt_buffer_text(&list));
    rt_buffer_free(&list);
    return result;
}

/* Reports whether the arguments of a macro are strings that can each be a set's name; other
 * arguments would be read as names that the author did not intend. */
static bool are_strings(rt_text written)
{
    bool inside = false;
    for (size_t i = 0; i < written.length; i++) {
        char c = written.data[i];
        if (c == '"') {
            inside = !inside;
        } else if (inside ? is_between(c) || c == '\\' : !is_between(c)) {
            return false;
        }
    }
    return true;
}

typedef struct annotation_row {
    const char *prefix;
    const char *attribute;
    bool is_list; /* the text is the list of a macro's arguments */
    bool of_sets;
} annotation_row;

static const annotation_row annotation_rows[] = {
    {"assay:indirectly-callable=", PL_INDIRECTLY_CALLABLE, false, true},
    {"assay:calls-indirectly=", PL_CALLS_INDIRECTLY, true, true},
    {"assay:uses-aspects=", PL_USES_ASPECTS, true, false},
};

static rt_status take_annotation(pl_job *job, rt_text source, const pl_annotation *annotation)
{
    rt_text text;
    const annotation_row *row = annotation_rows;
    const annotation_row *end = row + sizeof annotation_rows / sizeof *annotation_rows;
    while (row < end && !pl_annotation_is(annotation, row->prefix, &text))
        row++;
    if (row == end) return RT_STATUS_OK;
    LLVMValueRef function = LLVMIsAFunction(annotation->value);
    unsigned line = annotation->line;
    if (!function) {
        return refuse(job, source, annotation->value, line,
                      "has a property that only functions may have");
    }
    if (row->is_list && row->of_sets && !are_strings(text)) {
        return refuse(job, source, function, line,
                      "calls sets whose names are not all strings without commas, quotation "
                      "marks, backslashes or blanks; write them as \"a\", \"b\"");
    }
    rt_text value = row->is_list ? list_of(job, text) : text;
    /* A property without an argument names the default set. */
    if (row->of_sets && RULE(VF_PROP_04, value.length == 0)) value = RT_TEXT(PL_DEFAULT_SET);
    rt_text old = pl_attribute(function, row->attribute);
    if (pl_attribute_has(function, row->attribute) && !rt_text_equal(old, value)) {
        return refuse(
            job, source, function, line,
            "has a virtual-function or aspect property twice, with different "
            "values; put a virtual function into only one set, and write each list only once");
    }
    RULE(VF_PROP_01, pl_attribute_set(function, row->attribute, value));
    return RT_STATUS_OK;
}

/* ---- Checks -------------------------------------------------------------------------------- */

/* Lists separate names with commas, and DPC++ puts names into NUL-terminated strings. */
static bool is_set_name(rt_text name)
{
    for (size_t i = 0; i < name.length; i++)
        if (is_between(name.data[i]) || memchr("\\", name.data[i], 2)) return false;
    return name.length > 0;
}

static rt_status check_function(pl_job *job, rt_text source, LLVMValueRef function)
{
    unsigned line = pl_place_line(function);
    if (pl_attribute_has(function, PL_INDIRECTLY_CALLABLE)) {
        if (pl_is_kernel(function))
            return refuse(job, source, function, line,
                          "is a kernel, which cannot be indirectly callable");
        if (!is_set_name(pl_attribute(function, PL_INDIRECTLY_CALLABLE)))
            return refuse(job, source, function, line,
                          "is in a set whose name is empty or has a comma, a quotation mark, a "
                          "backslash or a blank; give the set another name");
    }
    if (pl_attribute_has(function, PL_CALLS_INDIRECTLY)) {
        if (!pl_is_kernel(function))
            return refuse(job, source, function, line,
                          "calls sets of virtual functions indirectly, which is a property of "
                          "kernels, but it is not a kernel; give the property to the kernels that "
                          "call the function");
        rt_text name, sets = pl_attribute(function, PL_CALLS_INDIRECTLY);
        bool valid = sets.length > 0;
        while (valid && rt_set_names_next(&sets, &name))
            valid = is_set_name(name);
        if (!valid)
            return refuse(job, source, function, line,
                          "calls a set whose name is empty or has a comma, a quotation mark, a "
                          "backslash or a blank; give the set another name");
    }
    pl_aspects aspects;
    rt_text unknown, names = pl_attribute(function, PL_USES_ASPECTS);
    if (pl_aspects_of_names(names, &aspects, &unknown)) return RT_STATUS_OK;
    rt_text problem = rt_arena_printf(
        &job->arena, "uses aspect '%.*s', which assay does not know; it knows " PL_ASPECT_NAMES,
        RT_TEXT_ARG(unknown));
    return refuse(job, source, function, line, problem.data);
}

rt_status pl_virtual_functions_take(pl_job *job, LLVMModuleRef module, rt_text source,
                                    const pl_annotations *annotations)
{
    for (uint32_t i = 0; i < annotations->count; i++)
        RT_TRY(take_annotation(job, source, &annotations->items[i]));
    LLVMValueRef function = LLVMGetFirstFunction(module);
    for (; function; function = LLVMGetNextFunction(function))
        RT_TRY(check_function(job, source, function));
    return RT_STATUS_OK;
}

/* ---- Vtables ------------------------------------------------------------------------------- */

bool pl_is_vtable(LLVMValueRef variable)
{
    CHECK(LLVMIsAGlobalVariable(variable));
    rt_text name = pl_name(variable);
    return rt_text_starts(name, "_ZTV") || rt_text_starts(name, "_ZTC");
}

static LLVMValueRef empty_slots(LLVMValueRef constant, pl_slot_rule *rule, const void *user)
{
    LLVMTypeRef type = LLVMTypeOf(constant);
    if (!LLVMIsAConstantStruct(constant) && !LLVMIsAConstantArray(constant)) {
        LLVMValueRef function = LLVMIsAFunction(pl_strip_constant(constant));
        bool emptied = function && rule(function, user);
        return emptied ? LLVMConstNull(type) : constant;
    }
    /* A struct or an array of slots is rebuilt from its parts. */
    unsigned count = (unsigned)LLVMGetNumOperands(constant);
    RT_VECTOR(LLVMValueRef) parts = {0};
    for (unsigned i = 0; i < count; i++)
        *rt_vector_push(&parts) = empty_slots(LLVMGetOperand(constant, i), rule, user);
    LLVMValueRef rebuilt;
    if (LLVMGetTypeKind(type) == LLVMArrayTypeKind) {
        rebuilt = LLVMConstArray(LLVMGetElementType(type), parts.items, count);
    } else if (LLVMGetStructName(type)) {
        rebuilt = LLVMConstNamedStruct(type, parts.items, count);
    } else {
        rebuilt = LLVMConstStructInContext(LLVMGetTypeContext(type), parts.items, count,
                                           LLVMIsPackedStruct(type));
    }
    rt_vector_free(&parts);
    CHECK(LLVMTypeOf(rebuilt) == type);
    return rebuilt;
}

void pl_vtables_empty(LLVMModuleRef module, pl_slot_rule *rule, const void *user)
{

    LLVMValueRef variable = LLVMGetFirstGlobal(module);
    for (; variable; variable = LLVMGetNextGlobal(variable)) {
        LLVMValueRef value = pl_is_vtable(variable) ? LLVMGetInitializer(variable) : NULL;
        if (value) LLVMSetInitializer(variable, empty_slots(value, rule, user));
    }
}

/* ---- The linked sources -------------------------------------------------------------------- */

/* The function that a thunk calls; NULL if it calls none. */
static LLVMValueRef target_of(LLVMValueRef thunk)
{
    for (LLVMValueRef i = pl_first_instruction(thunk); i; i = pl_next_instruction(i)) {
        LLVMValueRef callee = LLVMIsACallInst(i) ? LLVMIsAFunction(LLVMGetCalledValue(i)) : NULL;
        if (callee && LLVMGetIntrinsicID(callee) == 0) return callee;
    }
    return NULL;
}

/* An unmarked function is not device code, so its slot is emptied.  So is the slot of a pure
 * virtual function: the function that would report a call to it does not exist on devices. */
static bool is_host_code(LLVMValueRef function, const void *user)
{
    (void)user;
    if (pl_attribute_has(function, PL_INDIRECTLY_CALLABLE)) return false;
    return LLVMIsDeclaration(function) ? RULE(VF_FE_06, true) : RULE(VF_FE_02, true);
}

void pl_virtual_functions_prepare(pl_job *job, LLVMModuleRef module, rt_text name)
{
    LLVMValueRef function = LLVMGetFirstFunction(module);
    for (; function; function = LLVMGetNextFunction(function)) {
        /* Itanium C++ ABI, 5.1.4.2 "Virtual Override Thunks". */
        rt_text symbol = pl_name(function);
        bool thunk = rt_text_starts(symbol, "_ZTh") || rt_text_starts(symbol, "_ZTv") ||
                     rt_text_starts(symbol, "_ZTc");
        LLVMValueRef target = thunk ? target_of(function) : NULL;
        bool marked = target && pl_attribute_has(target, PL_INDIRECTLY_CALLABLE);
        if (!marked) continue;
        RULE(VF_SPLIT_12, pl_attribute_set(function, PL_INDIRECTLY_CALLABLE,
                                           pl_attribute(target, PL_INDIRECTLY_CALLABLE)));
    }
    /* For its optimiser, clang copies vtables that another source defines; the copies lack what
     * only that source knows, such as the functions' marks. */
    LLVMValueRef variable = LLVMGetFirstGlobal(module);
    for (; variable; variable = LLVMGetNextGlobal(variable)) {
        bool copy = LLVMGetLinkage(variable) == LLVMAvailableExternallyLinkage;
        if (!copy || !pl_is_vtable(variable)) continue;
        LLVMSetInitializer(variable, NULL);
        LLVMSetLinkage(variable, LLVMExternalLinkage);
    }
    pl_vtables_empty(module, is_host_code, NULL);
    /* Internal functions become external under names that no other module has: another source may
     * have an internal function of the same name. */
    for (function = LLVMGetFirstFunction(module); function;
         function = LLVMGetNextFunction(function)) {
        bool hidden = pl_is_local(function) && !LLVMIsDeclaration(function);
        if (!hidden || !pl_attribute_has(function, PL_INDIRECTLY_CALLABLE)) continue;
        rt_text unique =
            rt_arena_printf(&job->arena, "%s.%.*s", LLVMGetValueName(function), RT_TEXT_ARG(name));
        LLVMSetValueName2(function, unique.data, unique.length);
        LLVMSetLinkage(function, LLVMExternalLinkage);
    }
}
