/* The front end's part of device_globals, for clang 14 with assay's prelude: it turns their
 * declarations into attributes and lists what the host code of each source registers.
 *
 * Source: document 002, "Changes to the DPC++ front-end"; sycl_ext_oneapi_device_global,
 * "Properties" and the restrictions on declarations. The unique id has the form of DPC++'s
 * __builtin_sycl_unique_stable_id: the mangled name, preceded by the translation unit if no other
 * unit can name the variable. */
#include "reference/compiler/postlink/device_globals.h"

#include "reference/base/rule.h"
#include "reference/compiler/ir/place.h"
#include "reference/compiler/ir/values.h"
#include "reference/compiler/ir/variable_attributes.h"

#include <llvm-c/Target.h>
#include <stdlib.h>
#include <string.h>

/* A declaration of the current source. */
typedef struct declaration {
    LLVMValueRef variable;
    rt_text properties; /* as written in the source; NULL data: given by attributes instead */
    uint64_t size;      /* of the type in bytes; 0: not known */
    unsigned line;      /* 0: not known */
    uint32_t number;    /* in order of discovery */
} declaration;

typedef RT_VECTOR(declaration) declaration_list;

typedef struct taking {
    pl_job *job;
    rt_text source;
    declaration_list declarations;
    rt_map indices;                   /* variable -> index in declarations */
    RT_VECTOR(LLVMValueRef) pointers; /* the annotated variables that point to declarations */
} taking;

/* ---- Refusals ------------------------------------------------------------------------------ */

static rt_text place_of(pl_job *job, rt_text source, unsigned line)
{
    if (line == 0) return rt_arena_printf(&job->arena, "%.*s: ", RT_TEXT_ARG(source));
    return rt_arena_printf(&job->arena, "%.*s:%u: ", RT_TEXT_ARG(source), line);
}

RT_PRINTF(4, 5)
static rt_status refuse(taking *take, const declaration *at, rt_text name, const char *problem, ...)
{
    rt_text place = place_of(take->job, take->source, at->line);
    rt_buffer text = {0};
    va_list arguments;
    va_start(arguments, problem);
    rt_buffer_vprintf(&text, problem, arguments);
    va_end(arguments);
    rt_status status = rt_fail_naming(take->job->sink, RT_COMPILE_TIME, RT_RULE_NONE, &name, 1,
                                      "%.*serror: device_global '%.*s' %s", RT_TEXT_ARG(place),
                                      RT_TEXT_ARG(name), rt_buffer_string(&text));
    rt_buffer_free(&text);
    return status;
}

/* ---- Properties ---------------------------------------------------------------------------- */

typedef struct property_row {
    const char *name;
    const char *attribute;
    const char *arguments;    /* the accepted arguments, for messages; "": none */
    const char *values[4][2]; /* pairs of argument and attribute value, ended by NULL */
} property_row;

static const property_row property_rows[] = {
    {"device_image_scope", PL_GLOBAL_IMAGE_SCOPE, "", {{"", "true"}}},
    {"host_access",
     PL_GLOBAL_HOST_ACCESS,
     "read, write, read_write or none",
     {{"read", "0"}, {"write", "1"}, {"read_write", "2"}, {"none", "3"}}},
    {"init_mode", PL_GLOBAL_INIT_MODE, "reprogram or reset", {{"reprogram", "0"}, {"reset", "1"}}},
    {"implement_in_csr", PL_GLOBAL_IN_CSR, "true or false", {{"true", "true"}, {"false", "false"}}},
};

static rt_text trim(rt_text text)
{
    while (text.length > 0 && text.data[0] == ' ')
        text = (rt_text){text.data + 1, text.length - 1};
    while (text.length > 0 && text.data[text.length - 1] == ' ')
        text.length--;
    return text;
}

/* Consumes the text before the next comma outside parentheses. */
static rt_text next_property(rt_text *rest)
{
    size_t length = 0, depth = 0;
    for (; length < rest->length; length++) {
        char c = rest->data[length];
        if (c == ',' && depth == 0) break;
        depth += c == '(';
        depth -= c == ')' && depth > 0;
    }
    rt_text property = {rest->data, length};
    size_t consumed = length < rest->length ? length + 1 : length;
    *rest = (rt_text){rest->data + consumed, rest->length - consumed};
    return trim(property);
}

/* Splits `host_access(read)` into its name and its argument; false: it does not have that form. */
static bool split_property(rt_text property, rt_text *out_name, rt_text *out_argument)
{
    const char *open = memchr(property.data, '(', property.length);
    *out_name = property;
    *out_argument = (rt_text){"", 0};
    if (!open) return true;
    size_t length = (size_t)(open - property.data);
    if (property.data[property.length - 1] != ')') return false;
    *out_name = trim((rt_text){property.data, length});
    *out_argument = trim((rt_text){open + 1, property.length - length - 2});
    return out_argument->length > 0;
}

static rt_status apply_property(taking *take, const declaration *at, rt_text name, rt_text property)
{
    rt_text word, argument, before;
    bool formed = split_property(property, &word, &argument);
    const property_row *row = NULL;
    for (size_t i = 0; formed && i < sizeof property_rows / sizeof *property_rows; i++)
        if (rt_text_is(word, property_rows[i].name)) row = &property_rows[i];
    if (!row)
        return refuse(take, at, name,
                      "has the unknown property '%.*s'; the known ones are device_image_scope, "
                      "host_access(...), init_mode(...) and implement_in_csr(...)",
                      RT_TEXT_ARG(property));
    const char *value = NULL;
    for (size_t i = 0; i < 4 && row->values[i][0]; i++)
        if (rt_text_is(argument, row->values[i][0])) value = row->values[i][1];
    if (!value)
        return refuse(take, at, name, "has the property '%.*s', but %s takes %s",
                      RT_TEXT_ARG(property), row->name,
                      row->arguments[0] ? row->arguments : "no argument");
    if (pl_variable_attribute(at->variable, row->attribute, &before))
        return refuse(take, at, name, "has the property %s %s; state each property only once",
                      row->name,
                      rt_text_is(before, value) ? "twice" : "twice, with different values");
    pl_variable_attribute_set(at->variable, row->attribute, rt_text_of(value));
    return RT_STATUS_OK;
}

/* ---- Names and types ----------------------------------------------------------------------- */

/* Whether a variable has the form that the prelude gives to a device_global of the type T: a
 * structure whose last member is an array of one T or a pointer to T. */
static bool has_form(LLVMValueRef variable, bool image_scope)
{
    LLVMTypeRef type = LLVMGlobalGetValueType(variable);
    if (LLVMGetTypeKind(type) != LLVMStructTypeKind || LLVMIsOpaqueStruct(type)) return false;
    unsigned member_count = LLVMCountStructElementTypes(type);
    if (member_count == 0) return false;
    LLVMTypeKind last = LLVMGetTypeKind(LLVMStructGetTypeAtIndex(type, member_count - 1));
    return last == (image_scope ? LLVMArrayTypeKind : LLVMPointerTypeKind);
}

static rt_status take_declaration(taking *take, const declaration *at)
{
    pl_job *job = take->job;
    LLVMValueRef variable = at->variable;
    rt_text symbol = pl_job_name(job, variable), name = pl_place_name(job, variable), scope, old_id;
    /* A static variable in a C function is named `f.x`, which is not a C identifier. */
    bool mangled = rt_text_starts(symbol, "_Z");
    if (rt_text_starts(symbol, "_ZZ") || (!mangled && memchr(symbol.data, '.', symbol.length)))
        return refuse(take, at, name,
                      "is declared in a function; it has to be declared in a namespace");
    if (pl_variable_attribute(variable, PL_GLOBAL_ID, &old_id)) return RT_STATUS_OK;
    rt_text properties = trim(at->properties);
    while (properties.length > 0)
        RT_TRY(apply_property(take, at, name, next_property(&properties)));
    bool image_scope = pl_variable_attribute(variable, PL_GLOBAL_IMAGE_SCOPE, &scope);
    uint64_t size = has_form(variable, image_scope) ? at->size : 0;
    if (size == 0 || size > UINT32_MAX)
        return refuse(take, at, name,
                      "does not have a type of 1 to 4294967295 bytes; declare it with "
                      "DEVICE_GLOBAL(type, name, properties...)");
    rt_text bytes = rt_arena_printf(&job->arena, "%llu", (unsigned long long)size);
    pl_variable_attribute_set(variable, PL_GLOBAL_SIZE, RULE(DG_HEADER_08, bytes));
    bool local = pl_is_local(variable);
    rt_text id = symbol;
    if (!mangled)
        id = rt_arena_printf(&job->arena, "_Z%s%zu%.*s", local ? "L" : "", symbol.length,
                             RT_TEXT_ARG(symbol));
    if (local)
        id =
            rt_arena_printf(&job->arena, "%.*s___%.*s", RT_TEXT_ARG(take->source), RT_TEXT_ARG(id));
    pl_variable_attribute_set(variable, PL_GLOBAL_ID, id);
    pl_variable_attribute_set(variable, PL_GLOBAL_NAME, name);
    pl_variable_attribute_set(variable, PL_GLOBAL_PLACE, place_of(job, take->source, at->line));
    CHECK(id.length > 0 && pl_variable_attribute(variable, PL_GLOBAL_ID, &old_id));
    return RT_STATUS_OK;
}

/* ---- The source ---------------------------------------------------------------------------- */

static void note(taking *take, LLVMValueRef variable, rt_text properties,
                 const pl_annotation *annotation)
{
    uint32_t number = take->declarations.count;
    rt_map_set_number(&take->indices, (uintptr_t)variable, number);
    *rt_vector_push(&take->declarations) =
        (declaration){variable, properties, annotation->number, annotation->line, number};
}

static int compare_places(const void *left, const void *right)
{
    const declaration *a = left, *b = right;
    if (a->line != b->line) return a->line < b->line ? -1 : 1;
    return (a->number > b->number) - (a->number < b->number);
}

static bool agrees(const pl_device_global *a, const pl_device_global *b)
{
    return a->host.size == b->host.size && a->host.image_scope == b->host.image_scope &&
           a->host.host_access == b->host.host_access && a->init_mode == b->init_mode &&
           a->in_csr == b->in_csr;
}

/* Adds a declaration to the table of all sources and, if it is a definition, to the table of what
 * host code registers.
 */
static rt_status enter(taking *take, const declaration *at, pl_device_globals *globals)
{
    pl_device_global global;
    RT_TRY(pl_device_global_read(take->job, at->variable, &global));
    rt_text id = global.host.unique_id;
    uint32_t known = rt_map_find(&globals->declared_ids, id);
    if (known == RT_MAP_NONE) {
        CHECK(globals->declared_ids.count == globals->declared.count);
        rt_map_set(&globals->declared_ids, id, globals->declared.count);
        *rt_vector_push(&globals->declared) = global;
    } else if (!rt_text_equal(global.symbol, globals->declared.items[known].symbol)) {
        rt_text owner = globals->declared.items[known].symbol;
        return refuse(take, at, global.host.name,
                      "has the same unique id '%.*s' as '%.*s'; rename one of them",
                      RT_TEXT_ARG(id), RT_TEXT_ARG(owner));
    } else if (!agrees(&global, &globals->declared.items[known])) {
        return refuse(take, at, global.host.name,
                      "was declared before with a different size or different properties; make "
                      "the declarations agree");
    }
    if (LLVMIsDeclaration(at->variable)) return RT_STATUS_OK;
    if (rt_map_find(&globals->registered_ids, id) != RT_MAP_NONE) return RT_STATUS_OK;
    CHECK(globals->registered_ids.count == globals->registered.count);
    rt_map_set(&globals->registered_ids, id, globals->registered.count);
    *rt_vector_push(&globals->registered) = global.host;
    return RT_STATUS_OK;
}

static rt_status take_all(taking *take, LLVMModuleRef module, const pl_annotations *annotations,
                          pl_device_globals *globals)
{
    for (uint32_t i = 0; i < annotations->count; i++) {
        const pl_annotation *annotation = &annotations->items[i];
        LLVMValueRef variable = LLVMIsAGlobalVariable(annotation->value);
        rt_text properties;
        if (!variable) continue;
        if (pl_annotation_is(annotation, PL_GLOBAL_ANNOTATION, &properties)) {
            note(take, variable, properties, annotation);
        } else if (pl_annotation_is(annotation, PL_GLOBAL_ANNOTATION_EXTERN, &properties)) {
            /* The variable stands for the declaration that it points to. */
            LLVMValueRef value = LLVMGetInitializer(variable);
            LLVMValueRef declared = value ? LLVMIsAGlobalVariable(pl_strip_constant(value)) : NULL;
            if (!declared) continue;
            *rt_vector_push(&take->pointers) = variable;
            note(take, declared, properties, annotation);
        }
    }
    /* In LLVM IR input, device_globals may already have their attributes. */
    LLVMValueRef variable = LLVMGetFirstGlobal(module);
    for (; variable; variable = LLVMGetNextGlobal(variable)) {
        bool known = rt_map_find_number(&take->indices, (uintptr_t)variable) != RT_MAP_NONE;
        if (!known && pl_is_device_global(variable))
            note(take, variable, (rt_text){0}, &(pl_annotation){0});
    }
    uint32_t count = take->declarations.count;
    declaration *items = take->declarations.items;
    if (count > 1) qsort(items, count, sizeof *items, compare_places);
    for (uint32_t i = 0; i < count; i++)
        if (items[i].properties.data) RT_TRY(take_declaration(take, &items[i]));
    for (uint32_t i = 0; i < take->pointers.count; i++)
        if (!LLVMGetFirstUse(take->pointers.items[i])) LLVMDeleteGlobal(take->pointers.items[i]);
    for (uint32_t i = 0; i < count; i++)
        RT_TRY(enter(take, &items[i], globals));
    return RT_STATUS_OK;
}

rt_status pl_device_globals_take(pl_job *job, LLVMModuleRef module, rt_text source,
                                 const pl_annotations *annotations, pl_device_globals *globals)
{
    CHECK(source.length > 0);
    RT_TRY(pl_device_globals_undecorate(job, module));
    taking take = {.job = job, .source = source};
    rt_status status = take_all(&take, module, annotations, globals);
    rt_vector_free(&take.declarations);
    rt_vector_free(&take.pointers);
    rt_map_free(&take.indices);
    return status;
}
