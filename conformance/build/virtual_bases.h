/* Virtual base classes in C++ for OpenCL, for which clang 14 writes LLVM IR that LLVM refuses. */
#ifndef CONFORMANCE_BUILD_VIRTUAL_BASES_H
#define CONFORMANCE_BUILD_VIRTUAL_BASES_H

#include "reference/base/text.h"

/* Appends the module, which is LLVM IR as text, with wrong instructions repaired; a module without
 * wrong instructions is appended unchanged. */
void cnf_virtual_bases_mend(rt_text module, rt_buffer *out);

#endif
