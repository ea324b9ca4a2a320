/* Operations that LLVM's C interface lacks: copying a function together with everything that it
 * reaches, dropping parameters and named metadata, inferring address spaces. */
#ifndef REFERENCE_COMPILER_IR_CLONE_H
#define REFERENCE_COMPILER_IR_CLONE_H

#include <llvm-c/Types.h>

#ifdef __cplusplus
extern "C" {
#endif

#include "reference/base/text.h"

/* Copies a defined function, every defined function that its code refers to, directly or
 * indirectly, and every work-group memory variable (address space 3) among their operands.  The
 * copy shares only declarations and other variables with the original.  The copies are internal and
 * their names end in `suffix`.  *out_copies receives the copies of the functions, beginning with
 * that of `function`; the caller frees it (rt_free).  Returns their number.  Functions reached only
 * through a variable's initial value, such as a vtable, are not copied. */
uint32_t pl_clone_reachable(LLVMValueRef root, const char *suffix, LLVMValueRef **out_copies);

/* Replaces a defined function without users by one that has only the parameters for which keep[i]
 * is true; the body must not use the others. The name, linkage, calling convention and the
 * remaining parameters' attributes are kept; the function's metadata is not. Returns the new
 * function. */
LLVMValueRef pl_drop_parameters(LLVMValueRef function, const bool *keep);

/* Removes a list of named metadata if the module has it. */
void pl_drop_named_metadata(LLVMModuleRef module, const char *name);

/* Runs InferAddressSpaces on every function, with `generic` as the number of the generic address
 * space, which the C interface cannot pass and the target spir64 does not define. */
void pl_infer_address_spaces(LLVMModuleRef module, unsigned generic);

#ifdef __cplusplus
}
#endif

#endif
