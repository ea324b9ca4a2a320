/* Demangling with the C++ library's function. The library is opened at the first mangled name,
 * because linking it would slow down the start of every child. Source: Itanium C++ ABI, "External
 * Names (a.k.a. Mangling)" and, for the function, 3.4 "Demangler API". */
#include "reference/base/demangle.h"

#include "reference/base/number.h"

#include <ctype.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* The type of __cxa_demangle, which allocates the result if the buffer is NULL; the caller frees it
 * with free().
 */
typedef char *demangle_function(const char *symbol, char *buffer, size_t *length, int *status);

/* POSIX allows converting dlsym's object pointer to a function pointer; C does not, so the bytes
 * are copied. */
_Static_assert(sizeof(void *) == sizeof(demangle_function *),
               "function pointers have the size of object pointers");

static demangle_function *demangle_find(void)
{
    void *library = dlopen("libstdc++.so.6", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    void *symbol = library ? dlsym(library, "__cxa_demangle") : NULL;
    demangle_function *function = NULL;
    memcpy(&function, &symbol, sizeof function);
    return function;
}

#define KERNEL_PREFIX "__sycl_kernel_"

/* The name of a free-function kernel, from the demangled form of its symbol, for example
 * "deep::twice<int>" from "void __sycl_kernel_deep::twice<int>(int*)": without the return type, the
 * prefix and the parameters. Any other name is unchanged. */
static rt_text kernel_name(rt_text demangled)
{
    size_t prefix = sizeof KERNEL_PREFIX - 1;
    const char *begin = memmem(demangled.data, demangled.length, KERNEL_PREFIX, prefix);
    if (!begin) return demangled;
    rt_text name = rt_text_skip(demangled, (size_t)(begin - demangled.data) + prefix);
    if (name.length == 0 || name.data[name.length - 1] != ')') return name;
    size_t at = name.length, depth = 0;
    do {
        at--;
        depth += name.data[at] == ')';
        depth -= name.data[at] == '(';
    } while (at > 0 && depth > 0);
    return (rt_text){name.data, at > 0 ? at : name.length};
}

rt_text rt_demangle(rt_arena *arena, rt_text symbol)
{
    if (!rt_text_starts(symbol, "_Z")) return (rt_text){0};
    demangle_function *demangle = demangle_find();
    if (!demangle) return (rt_text){0};
    rt_text terminated = rt_arena_text(arena, symbol);
    int status = 0;
    char *text = demangle(terminated.data, NULL, NULL, &status);
    if (!text) return (rt_text){0};
    rt_text demangled = rt_text_of(text);
    /* What the symbol of a type's name stands for is clear from its context. */
    (void)rt_text_take_prefix(&demangled, "typeinfo name for ");
    demangled = rt_arena_text(arena, kernel_name(demangled));
    free(text);
    return demangled;
}

static bool is_symbol_byte(char byte)
{
    return isalnum((unsigned char)byte) || byte == '_' || byte == '$' || byte == '.';
}

/* The mangled name at the front of a text; empty: there is none. A full stop at its end belongs to
 * the sentence. */
static rt_text symbol_at(rt_text text)
{
    size_t length = 0;
    if (!rt_text_starts(text, "_Z")) return (rt_text){0};
    while (length < text.length && is_symbol_byte(text.data[length]))
        length++;
    while (text.data[length - 1] == '.')
        length--;
    return (rt_text){text.data, length};
}

/* True for the symbol of a variable, which is also the variable's unique id in property sets and in
 * calls of the runtime. */
static bool is_variable(rt_text symbol, rt_text name)
{
    rt_text rest = name;
    bool has_parameters = rt_text_take_until(&rest, '(').length < name.length;
    return !rt_text_starts(symbol, "_ZT") && !has_parameters &&
           !memmem(symbol.data, symbol.length, KERNEL_PREFIX, sizeof KERNEL_PREFIX - 1);
}

rt_text rt_demangle_text(rt_arena *arena, rt_text text)
{
    rt_buffer out = {0};
    size_t copied = 0;
    for (size_t at = 0; at + 1 < text.length; at++) {
        if (at > 0 && is_symbol_byte(text.data[at - 1])) continue;
        rt_text symbol = symbol_at(rt_text_skip(text, at));
        if (symbol.length == 0) continue;
        rt_text name = rt_demangle(arena, symbol);
        if (name.length == 0 || is_variable(symbol, name)) continue;
        rt_buffer_append(&out, text.data + copied, at - copied);
        rt_buffer_append_text(&out, name);
        at += symbol.length;
        copied = at;
    }
    if (copied == 0) return text;
    rt_buffer_append(&out, text.data + copied, text.length - copied);
    rt_text readable = rt_arena_text(arena, rt_buffer_text(&out));
    rt_buffer_free(&out);
    return readable;
}

rt_text rt_mangled_name(rt_text symbol)
{
    uint64_t length;
    bool is_name = rt_text_take_prefix(&symbol, "_Z") &&
                   rt_number_take(&symbol, 10, symbol.length, &length) && length > 0 &&
                   length <= symbol.length;
    return is_name ? (rt_text){symbol.data, (size_t)length} : (rt_text){0};
}
