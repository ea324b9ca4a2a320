/* The fused kernel's OpenCL metadata: the sizes of work-groups and sub-groups that it requires. */
#ifndef REFERENCE_COMPILER_FUSE_KERNEL_METADATA_H
#define REFERENCE_COMPILER_FUSE_KERNEL_METADATA_H

#include "reference/compiler/fuse/passes.h"

/* Gives fusing->kernel the required work-group and sub-group sizes of `kernels`, the functions of
 * the list, which must be the same in all of them. FUSION_REJECTED, naming the kernels: the sizes
 * disagree. */
RT_MUST_USE rt_status pl_kernel_metadata_join(pl_fusing *fusing, const LLVMValueRef *kernels);

/* The work-group size that a kernel requires, in the order of get_local_size; false: it requires
 * none, and out_size stays as it is. */
bool pl_required_group_size(pl_job *job, LLVMValueRef kernel,
                            uint64_t out_size[RT_ND_RANGE_DIMENSIONS]);

/* Gives fusing->kernel, a new function, the sizes in `entries`, the metadata of the old one. */
void pl_kernel_metadata_keep(pl_fusing *fusing, LLVMValueMetadataEntry *entries, size_t count);

#endif
