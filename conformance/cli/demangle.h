/* Symbols as people write them. */
#ifndef CONFORMANCE_CLI_DEMANGLE_H
#define CONFORMANCE_CLI_DEMANGLE_H

#include "reference/base/arena.h"

/* The demangled form of a symbol of the Itanium C++ ABI, in the arena; empty where the symbol is
 * not mangled, or where the C++ library, which knows how, is not installed. */
rt_text cnf_demangle(rt_arena *arena, rt_text symbol);

#endif
