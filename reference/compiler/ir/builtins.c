/* Classifies symbols by their names only.
 *
 * OpenCL C's builtin functions lack the double underscore of SYCL's `__spirv_` functions but serve
 * the same purpose: they are operations that the translator turns into instructions. A table of
 * their names, generated from clang's own headers, recognises them. Source: Itanium C++ ABI, 5.1
 * "External Names"; OpenCL C 2.0, 6.13 "Built-in Functions". */
#include "reference/compiler/ir/builtins.h"

#include "reference/base/check.h"
#include "reference/base/number.h"

#include <stdlib.h>

typedef struct builtin {
    const char *name;
    uint32_t parameters; /* bit N: an overload has N parameters */
} builtin;

static const builtin builtins[] = {
#include "builtin_names.inc"
};

enum { BUILTIN_COUNT = sizeof builtins / sizeof *builtins };
_Static_assert(BUILTIN_COUNT > 500, "too few names: clang's headers declare more builtins");

static int compare_to_name(const void *key, const void *row)
{
    const char *name = ((const builtin *)row)->name;
    CHECK(name[0] != '\0');
    return rt_text_compare(*(const rt_text *)key, rt_text_of(name));
}

bool pl_symbol_split(rt_text symbol, rt_text *out_name, rt_text *out_rest)
{
    uint64_t length;
    if (!rt_text_take_prefix(&symbol, "_Z") || !rt_number_take(&symbol, 10, SIZE_MAX, &length))
        return false;
    if (length == 0 || length > symbol.length) return false;
    *out_name = (rt_text){symbol.data, (size_t)length};
    *out_rest = rt_text_skip(symbol, (size_t)length);
    CHECK(out_name->length + out_rest->length == symbol.length);
    return true;
}

/* The row of a mangled symbol; NULL: it is not a builtin function. */
static const builtin *builtin_find(rt_text symbol)
{
    rt_text name, rest;
    if (!pl_symbol_split(symbol, &name, &rest)) return NULL;
    return bsearch(&name, builtins, BUILTIN_COUNT, sizeof *builtins, compare_to_name);
}

bool pl_symbol_is_opencl_builtin(rt_text symbol)
{
    return rt_text_is(symbol, "printf") || builtin_find(symbol);
}

bool pl_symbol_takes_parameters(rt_text symbol, uint32_t count)
{
    const builtin *found = builtin_find(symbol);
    return !found || (count < 32 && found->parameters >> count & 1);
}

rt_text pl_symbol_builtin_name(rt_text symbol)
{
    rt_text name, rest;
    return pl_symbol_split(symbol, &name, &rest) ? name : symbol;
}

bool pl_symbol_is_spirv_operation(rt_text symbol)
{
    if (rt_text_starts(symbol, "__spirv_")) return true;
    rt_text name, rest;
    return pl_symbol_split(symbol, &name, &rest) && rt_text_starts(name, "__spirv_");
}

bool pl_symbol_is_atomic(rt_text symbol)
{
    rt_text name = pl_symbol_builtin_name(symbol);
    return rt_text_starts(name, "__spirv_Atomic") ||
           (builtin_find(symbol) &&
            (rt_text_starts(name, "atomic_") || rt_text_starts(name, "atom_")));
}
