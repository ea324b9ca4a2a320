/* The fused kernel's OpenCL metadata: its arguments, and the work-group size for which it was
 * compiled. */
#ifndef REFERENCE_COMPILER_FUSE_KERNEL_METADATA_H
#define REFERENCE_COMPILER_FUSE_KERNEL_METADATA_H

#include "reference/compiler/fuse/passes.h"

/* Gives fusing->kernel the metadata of `kernels`, the functions of the list: for each parameter,
 * the metadata of its origin; and the required work-group and sub-group sizes, which must be the
 * same in all kernels and agree with the launch. FUSION_REJECTED, naming the kernels: the sizes
 * disagree. */
RT_MUST_USE rt_status pl_kernel_metadata_join(pl_fusing *fusing, const LLVMValueRef *kernels);

/* Gives fusing->kernel, a new function, the metadata in `entries`, except that of dropped
 * parameters. */
void pl_kernel_metadata_keep(pl_fusing *fusing, LLVMValueMetadataEntry *entries, size_t count);

#endif
