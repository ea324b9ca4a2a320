/* Finds the builtin functions of the libraries that a module read from SPIR-V calls.
 *
 * Mangled names hold the numbers of address spaces, which differ between spir64 and nvptx64, and
 * abbreviations that depend on them: `_Z5fractfPU3AS4f` denotes a function of a generic pointer in
 * one, of a constant pointer in the other. So parameters are compared in a form without
 * abbreviations, in which the generic space has no qualifier.
 *
 * Only what builtin functions have for parameters is read: pointers, qualifiers, vectors, and
 * arithmetic and named types. Abbreviations are numbered as clang does it: all qualifiers of a type
 * together count once, _Atomic is not a qualifier, and what a pointer points to always has an
 * address space, even one without a name. The translator's names have no such space.
 * Source: Itanium C++ ABI, 5.1 "External Names"; clang 14 and its names for nvptx64. */
#include "reference/compiler/ptx/ptx_internal.h"

#include "reference/base/number.h"
#include "reference/base/vector.h"
#include "reference/compiler/ir/builtins.h"
#include "reference/compiler/ir/values.h"

#include <string.h>

/* The deepest types are `PU3AS4VU7_Atomici` and `PU3AS4P9ocl_event`: each has three parts before
 * its last. */
enum { DEPTH_MAX = 3 };

typedef struct name_reader {
    rt_arena *arena;
    rt_text rest;
    bool is_spir;               /* the numbers of address spaces are spir64's */
    RT_VECTOR(rt_text) earlier; /* types that later ones may abbreviate, in the result's form */
} name_reader;

static bool type_read(name_reader *reader, uint32_t depth, rt_text *out);

static rt_text keep(name_reader *reader, rt_text type)
{
    *rt_vector_push(&reader->earlier) = type;
    return type;
}

/* <length><name>; the name may be "AS1" or "_Atomic". */
static bool source_name_read(rt_text *rest, rt_text *out)
{
    uint64_t length;
    if (!rt_number_take(rest, 10, SIZE_MAX, &length) || length > rest->length) return false;
    *out = (rt_text){rest->data, (size_t)length};
    *rest = rt_text_skip(*rest, (size_t)length);
    return true;
}

/* `S_` is the first type, `S0_` the second; the numbers have base 36, and few are needed. */
static bool abbreviation_read(name_reader *reader, rt_text *out)
{
    uint64_t index = 0;
    if (!rt_text_take_prefix(&reader->rest, "_")) {
        if (!rt_number_take(&reader->rest, 10, 9, &index)) return false;
        index++;
        if (!rt_text_take_prefix(&reader->rest, "_")) return false;
    }
    if (index >= reader->earlier.count) return false;
    *out = reader->earlier.items[index];
    return true;
}

/* Takes an address space's qualifier, and gives it its number for nvptx64. */
static bool space_take(name_reader *reader, unsigned *out_space)
{
    rt_text rest = reader->rest, name;
    if (!rt_text_take_prefix(&rest, "U") || !source_name_read(&rest, &name)) return false;
    if (name.length != 3 || !rt_text_starts(name, "AS")) return false;
    unsigned space = (unsigned)(name.data[2] - '0');
    if (space >= PL_SPIR_SPACES) return false;
    *out_space = reader->is_spir ? pl_ptx_spir_spaces[space] : space;
    reader->rest = rest;
    return true;
}

static bool is_qualifier(rt_text rest)
{
    return rest.length > 0 && (strchr("rVK", rest.data[0]) || rt_text_starts(rest, "U3AS"));
}

static bool qualified_read(name_reader *reader, uint32_t depth, rt_text *out)
{
    rt_text start = reader->rest, inner, name;
    unsigned space = PL_PTX_SPACE_GENERIC;
    bool has_space = space_take(reader, &space);
    rt_text flags = {reader->rest.data, 0};
    while (flags.length < reader->rest.length && strchr("rVK", flags.data[flags.length]))
        flags.length++;
    reader->rest = rt_text_skip(reader->rest, flags.length);
    if (has_space || flags.length > 0) {
        if (!type_read(reader, depth + 1, &inner)) return false;
        rt_text number = space == PL_PTX_SPACE_GENERIC
                             ? RT_TEXT("")
                             : rt_arena_printf(reader->arena, "U3AS%u", space);
        *out = keep(reader, rt_arena_printf(reader->arena, "%.*s%.*s%.*s", RT_TEXT_ARG(number),
                                            RT_TEXT_ARG(flags), RT_TEXT_ARG(inner)));
        return true;
    }
    reader->rest = rt_text_skip(start, 1); /* U7_Atomic */
    if (!source_name_read(&reader->rest, &name) || !type_read(reader, depth + 1, &inner))
        return false;
    *out = keep(reader, rt_arena_printf(reader->arena, "U%zu%.*s%.*s", name.length,
                                        RT_TEXT_ARG(name), RT_TEXT_ARG(inner)));
    return true;
}

/* Dv<lanes>_<type>, or a type of two letters, such as Dh. */
static bool vector_read(name_reader *reader, uint32_t depth, rt_text *out)
{
    rt_text inner, start = reader->rest;
    uint64_t lanes;
    if (!rt_text_take_prefix(&reader->rest, "Dv")) {
        if (start.length < 2) return false;
        *out = (rt_text){start.data, 2};
        reader->rest = rt_text_skip(start, 2);
        return true;
    }
    if (!rt_number_take(&reader->rest, 10, 16, &lanes) ||
        !rt_text_take_prefix(&reader->rest, "_") || !type_read(reader, depth + 1, &inner))
        return false;
    *out = keep(reader,
                rt_arena_printf(reader->arena, "Dv%u_%.*s", (unsigned)lanes, RT_TEXT_ARG(inner)));
    return true;
}

static bool type_read(name_reader *reader, uint32_t depth, rt_text *out)
{
    rt_text inner;
    if (depth > DEPTH_MAX || reader->rest.length == 0) return false;
    char first = reader->rest.data[0];
    if (first == 'P') {
        reader->rest = rt_text_skip(reader->rest, 1);
        bool is_qualified = is_qualifier(reader->rest);
        if (!type_read(reader, depth + 1, &inner)) return false;
        if (!is_qualified && !reader->is_spir) keep(reader, inner);
        *out = keep(reader, rt_arena_printf(reader->arena, "P%.*s", RT_TEXT_ARG(inner)));
        return true;
    }
    if (strchr("UrVK", first)) return qualified_read(reader, depth, out);
    if (first == 'D') return vector_read(reader, depth, out);
    if (first == 'S') {
        reader->rest = rt_text_skip(reader->rest, 1);
        return abbreviation_read(reader, out);
    }
    if (first >= '0' && first <= '9') {
        if (!source_name_read(&reader->rest, out)) return false;
        keep(reader, *out);
        return true;
    }
    *out = (rt_text){reader->rest.data, 1};
    reader->rest = rt_text_skip(reader->rest, 1);
    return first >= 'a' && first <= 'z';
}

/* Reads the parameters of a mangled name; false: they have another form. */
static bool parameters_read(rt_arena *arena, rt_text mangled, bool is_spir, rt_buffer *out)
{
    name_reader reader = {.arena = arena, .rest = mangled, .is_spir = is_spir};
    bool is_read = true;
    while (reader.rest.length > 0 && is_read) {
        rt_text type;
        is_read = type_read(&reader, 0, &type);
        if (is_read) rt_buffer_printf(out, "%.*s,", RT_TEXT_ARG(type));
    }
    rt_vector_free(&reader.earlier);
    return is_read;
}

/* The symbol of a function of that name and those parameters in a library; NULL: it has none. */
static const char *symbol_find(pl_job *job, LLVMModuleRef library, rt_text name, rt_text parameters)
{
    const char *found = NULL;
    LLVMValueRef function = LLVMGetFirstFunction(library);
    for (; function && !found; function = LLVMGetNextFunction(function)) {
        rt_text other, rest;
        if (LLVMIsDeclaration(function) || !pl_symbol_split(pl_name(function), &other, &rest) ||
            !rt_text_equal(name, other))
            continue;
        rt_buffer read = {0};
        if (parameters_read(&job->arena, rest, false, &read) &&
            rt_text_equal(rt_buffer_text(&read), parameters))
            found = LLVMGetValueName(function);
        rt_buffer_free(&read);
    }
    return found;
}

/* Gives a declaration the library's name. Two declarations may become one: of a private and of a
 * generic pointer. */
static void rename_to(LLVMModuleRef module, LLVMValueRef function, const char *symbol)
{
    LLVMValueRef other = LLVMGetNamedFunction(module, symbol);
    if (other == function) return;
    if (!other) {
        LLVMSetValueName2(function, symbol, strlen(symbol));
        return;
    }
    if (LLVMGlobalGetValueType(other) != LLVMGlobalGetValueType(function))
        return; /* the code declares both itself */
    LLVMReplaceAllUsesWith(function, other);
    LLVMDeleteFunction(function);
}

void pl_ptx_adopt_builtins(pl_job *job, LLVMModuleRef module, LLVMModuleRef ours,
                           LLVMModuleRef library)
{
    LLVMValueRef next = NULL, function = LLVMGetFirstFunction(module);
    for (; function; function = next) {
        next = LLVMGetNextFunction(function);
        rt_text symbol = pl_job_name(job, function), name, mangled;
        bool is_builtin = LLVMIsDeclaration(function) && pl_symbol_is_opencl_builtin(symbol) &&
                          rt_map_find(job->spirv_imports, symbol) == RT_MAP_NONE;
        if (!is_builtin || !pl_symbol_split(symbol, &name, &mangled)) continue;
        rt_buffer parameters = {0};
        const char *found = NULL;
        bool is_read = parameters_read(&job->arena, mangled, true, &parameters);
        if (is_read) found = symbol_find(job, ours, name, rt_buffer_text(&parameters));
        if (is_read && !found) found = symbol_find(job, library, name, rt_buffer_text(&parameters));
        if (found) rename_to(module, function, found);
        rt_buffer_free(&parameters);
    }
}
