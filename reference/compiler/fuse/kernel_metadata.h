/* What OpenCL's metadata says of the fused kernel: its arguments, and the work-group size that it
 * was compiled for. */
#ifndef REFERENCE_COMPILER_FUSE_KERNEL_METADATA_H
#define REFERENCE_COMPILER_FUSE_KERNEL_METADATA_H

#include "reference/compiler/fuse/passes.h"

/* Gives fusing->kernel the metadata of `kernels`, the functions of the list: of each parameter what
 * its origin says, and the required sizes of work-groups and sub-groups, which must be the same
 * wherever they are given and in the launch.  FUSION_REJECTED, naming the kernels: they are not. */
RT_MUST_USE rt_status pl_kernel_metadata_join(pl_fusing *fusing, const LLVMValueRef *kernels);

/* Gives fusing->kernel, which is a new function, what `from` says of the parameters that are not
 * dropped, and what concerns no parameter. */
void pl_kernel_metadata_keep(pl_fusing *fusing, LLVMValueMetadataEntry *from, size_t count);

#endif
