/* The source-level names of symbols. */
#ifndef REFERENCE_COMPILER_IR_DEMANGLE_H
#define REFERENCE_COMPILER_IR_DEMANGLE_H

#ifdef __cplusplus
extern "C" {
#endif

#include "reference/base/text.h"

/* Appends the demangled name of a symbol, for example "inner::Bar" for _ZN5inner3BarE, or the
 * symbol itself if it is not mangled. Source: Itanium C++ ABI, 5.1 "External Names". */
void pl_demangle(const char *symbol, rt_buffer *out_name);

#ifdef __cplusplus
}
#endif

#endif
