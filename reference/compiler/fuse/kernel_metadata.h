/* OpenCL's metadata of the fused kernel: its arguments, and the work-group size that it was
 * compiled for. */
#ifndef REFERENCE_COMPILER_FUSE_KERNEL_METADATA_H
#define REFERENCE_COMPILER_FUSE_KERNEL_METADATA_H

#include "reference/compiler/fuse/passes.h"

/* Gives fusing->kernel the metadata of `kernels`, the functions of the list: for each parameter
 * that of its origin, and the required sizes of work-groups and sub-groups, which must agree with
 * each other and with the launch. FUSION_REJECTED, naming the kernels: the sizes disagree. */
RT_MUST_USE rt_status pl_kernel_metadata_join(pl_fusing *fusing, const LLVMValueRef *kernels);

/* Gives fusing->kernel, a new function, the metadata of `entries`, without that of dropped
 * parameters. */
void pl_kernel_metadata_keep(pl_fusing *fusing, LLVMValueMetadataEntry *entries, size_t count);

#endif
