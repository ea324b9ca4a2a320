/* The fused kernel's OpenCL metadata: its arguments, and the work-group size for which it was
 * compiled. */
#ifndef REFERENCE_COMPILER_FUSE_KERNEL_METADATA_H
#define REFERENCE_COMPILER_FUSE_KERNEL_METADATA_H

#include "reference/compiler/fuse/passes.h"

/* Gives fusing->kernel the metadata of `kernels`, the functions of the list: for each parameter,
 * the metadata of its origin; and the required work-group and sub-group sizes, which must be the
 * same in all kernels. FUSION_REJECTED, naming the kernels: the sizes disagree. */
RT_MUST_USE rt_status pl_kernel_metadata_join(pl_fusing *fusing, const LLVMValueRef *kernels);

/* The work-group size that a kernel requires, in the order of get_local_size; false: it requires
 * none, and out_size stays as it is. */
bool pl_required_group_size(pl_job *job, LLVMValueRef kernel,
                            uint64_t out_size[RT_ND_RANGE_DIMENSIONS]);

/* Gives fusing->kernel, a new function, the metadata in `entries`, except that of dropped
 * parameters. */
void pl_kernel_metadata_keep(pl_fusing *fusing, LLVMValueMetadataEntry *entries, size_t count);

#endif
