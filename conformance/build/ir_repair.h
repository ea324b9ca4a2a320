/* What clang writes for C++ for OpenCL and LLVM refuses: virtual base classes (clang 14), and
 * annotations of which only some have arguments (clang 19 and 21). */
#ifndef CONFORMANCE_BUILD_IR_REPAIR_H
#define CONFORMANCE_BUILD_IR_REPAIR_H

#include "reference/base/text.h"

/* Appends the module, which is LLVM IR as text, repaired; a module that has neither is appended
 * unchanged. */
void cnf_ir_repair(rt_text module, rt_buffer *out);

#endif
