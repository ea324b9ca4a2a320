/* A module built from some functions and variables of another one, in the same context.
 *
 * LLVM's C interface copies only whole modules, so splitting a module into n parts would copy all
 * of it n times; the cost of this function is proportional to the part. */
#ifndef REFERENCE_COMPILER_IR_CLONE_PART_H
#define REFERENCE_COMPILER_IR_CLONE_PART_H

#ifdef __cplusplus
extern "C" {
#endif

#include "reference/base/text.h"

#include <llvm-c/Types.h>

typedef struct pl_clone_item {
    LLVMValueRef original; /* a function or a variable of the input */
    bool defines;          /* true: copy the item's definition; false: only declare the item */
    LLVMValueRef clone;    /* output */
} pl_clone_item;

/* Creates a module with the items in the given order, under their names and with their linkage
 * (external for declared items), and with the input's named metadata. Everything that a definition
 * refers to must be an item. The caller owns the module. */
LLVMModuleRef pl_clone_part(LLVMModuleRef input, rt_text name, pl_clone_item *items,
                            uint32_t count);

#ifdef __cplusplus
}
#endif

#endif
