/* Optional kernel features: the device aspects that code uses.
 *
 * A function uses an aspect if it is declared to use it, or if its code handles values of a type
 * that only some devices support; so do its callers, and the kernels that may call it through a set
 * of virtual functions (document 004, "Aspects propagation"; SYCL 2020, 5.7 "Optional kernel
 * features"). */
#ifndef REFERENCE_COMPILER_DESCRIBE_ASPECTS_H
#define REFERENCE_COMPILER_DESCRIBE_ASPECTS_H

#include "reference/base/text.h"

#include <llvm-c/Types.h>

/* Aspects; bit n represents the aspect whose number in SYCL is n. */
typedef uint64_t pl_aspects;

/* Our own function attribute: the comma-separated names of the aspects that the function uses. */
#define PL_USES_ASPECTS "uses-aspects"

/* The names that pl_aspects_of_names accepts, for messages. */
#define PL_ASPECT_NAMES "fp16, fp64 and atomic64"

/* Reads the aspects in a list of names. False: *out_unknown is the first unknown name, and
 * *out_aspects holds only the aspects before it. */
bool pl_aspects_of_names(rt_text list, pl_aspects *out_aspects, rt_text *out_unknown);

/* The aspects that the capabilities of a SPIR-V module require. The module's layout has already
 * been checked. */
pl_aspects pl_aspects_of_spirv(rt_bytes spirv);

/* The aspects that a function is declared to use or whose types its code handles, not counting its
 * callees. The function's attribute PL_USES_ASPECTS, if present, must contain only known names. */
pl_aspects pl_aspects_of_function(LLVMValueRef function);

/* The union of pl_aspects_of_function over the functions that a module defines. */
pl_aspects pl_aspects_of_module(LLVMModuleRef module);

#endif
