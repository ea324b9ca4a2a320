/* Demangled names, for everything that people read. Signatures, traces and files keep the symbols.
 */
#ifndef REFERENCE_BASE_DEMANGLE_H
#define REFERENCE_BASE_DEMANGLE_H

#include "reference/base/arena.h"

/* Returns a symbol demangled by the rules of the Itanium C++ ABI, in the arena; empty if the symbol
 * is not mangled or the C++ library is not installed. A SYCL kernel is named as in its source: a
 * free function (`__sycl_kernel_NAME`, sycl_ext_oneapi_free_function_kernels) by its name, any
 * other kernel, whose symbol is the type's name (`_ZTS`), by that type. */
rt_text rt_demangle(rt_arena *arena, rt_text symbol);

/* Returns the text with the mangled names of functions, types and kernels demangled: the text
 * itself if there are none, otherwise a copy in the arena. Variables keep their symbols, which are
 * also their unique ids (sycl-unique-id). */
rt_text rt_demangle_text(rt_arena *arena, rt_text text);

/* Returns the source name of a symbol that is a function's or variable's name at global scope, for
 * example "twice" of "_Z5twicei", borrowed from the symbol; empty for any other symbol. */
rt_text rt_mangled_name(rt_text symbol);

#endif
