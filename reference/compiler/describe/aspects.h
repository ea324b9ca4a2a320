/* Optional kernel features: which aspects of a device code uses.
 *
 * An aspect is used by a function that says so or whose code handles values of a type that only
 * some devices have; by its callers; and by the kernels that may call it through a set of virtual
 * functions (document 004, "Aspects propagation"; SYCL 2020, 5.7 "Optional kernel features"). */
#ifndef REFERENCE_COMPILER_DESCRIBE_ASPECTS_H
#define REFERENCE_COMPILER_DESCRIBE_ASPECTS_H

#include "reference/base/text.h"

#include <llvm-c/Types.h>

/* Aspects; bit n stands for the one whose number in SYCL is n. */
typedef uint64_t pl_aspects;

/* Function attribute: names of aspects that the function uses, separated by commas; ours. */
#define PL_USES_ASPECTS "uses-aspects"

/* The names that pl_aspects_of_names knows, in words. */
#define PL_ASPECT_NAMES "fp16, fp64 and atomic64"

/* The aspects in a list of names; false: one of them is not known, and *out_unknown is it. */
bool pl_aspects_of_names(rt_text list, pl_aspects *out_aspects, rt_text *out_unknown);

/* What the capabilities of a SPIR-V module, whose layout was checked, ask of a device. */
pl_aspects pl_aspects_of_spirv(rt_bytes spirv);

/* What a function uses by itself, its code and what it says, whatever it calls.  The attribute
 * PL_USES_ASPECTS, where it has one, names known aspects only. */
pl_aspects pl_aspects_of_function(LLVMValueRef function);

/* What the functions that a module defines use by themselves, whatever they say or call. */
pl_aspects pl_aspects_of_module(LLVMModuleRef module);

#endif
