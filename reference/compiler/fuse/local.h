/* The total local memory that the kernels of a list need. */
#ifndef REFERENCE_COMPILER_FUSE_LOCAL_H
#define REFERENCE_COMPILER_FUSE_LOCAL_H

#include "reference/compiler/fuse/passes.h"

/* The number of bytes of a work-group's local memory that the module's variables occupy. Variables
 * do not share space, although those of two kernels are never needed at the same time: no known
 * driver exploits that. */
uint64_t pl_fuse_local_size(LLVMModuleRef module);

/* True if `more` bytes of local memory fit in addition to the module's variables, or if the limit
 * is unknown. */
bool pl_fuse_local_fits(const pl_fusing *fusing, uint64_t more);

#endif
