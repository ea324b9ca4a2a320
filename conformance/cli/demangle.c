/* Demangling with the C++ library's function. The library is opened at the first mangled name,
 * because linking it would slow down the start of every child. Source: Itanium C++ ABI, "External
 * Names (a.k.a. Mangling)" and, for the function, 3.4 "Demangler API". */
#include "conformance/cli/demangle.h"

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

rt_text cnf_demangle(rt_arena *arena, rt_text symbol)
{
    if (!rt_text_starts(symbol, "_Z")) return (rt_text){0};
    demangle_function *demangle = demangle_find();
    if (!demangle) return (rt_text){0};
    rt_text terminated = rt_arena_text(arena, symbol);
    int status = 0;
    char *text = demangle(terminated.data, NULL, NULL, &status);
    rt_text demangled = {0};
    if (text) demangled = rt_arena_text(arena, rt_text_of(text));
    free(text);
    return demangled;
}
