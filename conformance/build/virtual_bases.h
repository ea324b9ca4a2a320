/* Virtual base classes in C++ for OpenCL, of which clang 14 writes LLVM IR that LLVM does not take.
 */
#ifndef CONFORMANCE_COMPILE_VIRTUAL_BASES_H
#define CONFORMANCE_COMPILE_VIRTUAL_BASES_H

#include "reference/base/text.h"

/* Appends the module, which is LLVM IR as text, with the wrong instructions put right; a module
 * without any is appended as it is. */
void cnf_virtual_bases_mend(rt_text module, rt_buffer *out);

#endif
