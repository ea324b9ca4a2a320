/* Demangled symbols. */
#ifndef CONFORMANCE_CLI_DEMANGLE_H
#define CONFORMANCE_CLI_DEMANGLE_H

#include "reference/base/arena.h"

/* Returns a symbol demangled by the rules of the Itanium C++ ABI, in the arena; empty if the symbol
 * is not mangled or the C++ library is not installed. */
rt_text cnf_demangle(rt_arena *arena, rt_text symbol);

#endif
