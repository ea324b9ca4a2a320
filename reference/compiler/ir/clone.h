/* Operations that LLVM's C interface lacks: copying what a function reaches, dropping parameters
 * and named metadata, inferring address spaces. */
#ifndef REFERENCE_COMPILER_IR_CLONE_H
#define REFERENCE_COMPILER_IR_CLONE_H

#include <llvm-c/Types.h>

#ifdef __cplusplus
extern "C" {
#endif

#include "reference/base/text.h"

/* Copies a defined function, every defined function that its code names, directly or through
 * another, and every variable of work-group memory (address space 3) among their operands.  The
 * copy shares only declarations and other variables with the original.  The copies are internal and
 * their names end in `suffix`.  *out_copies receives the copied functions, the root's first; the
 * caller frees it (rt_free).  Returns their number.  What is reached through a variable's initial
 * value (a vtable) is not copied. */
uint32_t pl_clone_reachable(LLVMValueRef root, const char *suffix, LLVMValueRef **out_copies);

/* Replaces a defined function without users by one that has only the parameters for which keep[i]
 * is true; the body does not use the others. Name, linkage, calling convention and the remaining
 * parameters' attributes stay; the function's metadata does not. Returns the new function. */
LLVMValueRef pl_drop_parameters(LLVMValueRef function, const bool *keep);

/* Removes a list of named metadata if the module has it. */
void pl_drop_named_metadata(LLVMModuleRef module, const char *name);

/* Runs InferAddressSpaces on every function, with `generic` as the number of the generic address
 * space: the C interface cannot pass it, and the target spir64 does not define it. */
void pl_infer_address_spaces(LLVMModuleRef module, unsigned generic);

#ifdef __cplusplus
}
#endif

#endif
