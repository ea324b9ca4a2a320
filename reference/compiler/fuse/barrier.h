/* The barriers that fusion inserts. */
#ifndef REFERENCE_COMPILER_FUSE_BARRIER_H
#define REFERENCE_COMPILER_FUSE_BARRIER_H

#include "reference/compiler/ir/job.h"

/* Emits, at the builder's position, a barrier of the work-group that orders local and global
 * memory. Source: document 001, "Synchronization in kernels". */
void pl_emit_barrier(pl_job *job, LLVMModuleRef module, LLVMBuilderRef builder);

#endif
