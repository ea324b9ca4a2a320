/* The passes of fusion that are our own.  Each works on a module by the metadata of its stub alone.
 * Source: document 001, "Kernel fusion pipeline". */
#ifndef REFERENCE_COMPILER_FUSE_PASSES_H
#define REFERENCE_COMPILER_FUSE_PASSES_H

#include "reference/compiler/fuse/parameters.h"

/* What is known of a module on its way through the passes.  Zero-initialise it with a job and a
 * module, which stay the caller's. */
typedef struct pl_fusing {
    pl_job *job;
    LLVMModuleRef module;
    uint64_t local_size_max; /* as in rt_fusion_request */
    /* Set by pl_fuse_kernels. */
    pl_fusion fusion;
    pl_parameters parameters;
    LLVMValueRef kernel;   /* the fused one, with its metadata */
    bool *dropped;         /* for each of its parameters: nothing needs it any more */
    const char **refusals; /* for each promotion of the metadata: why it was not made, or NULL */
} pl_fusing;

/* Pass SYCLKernelFusion: gives the stub parameters and a body, which has each kernel of the list
 * inlined in order, remapped where ranges differ, barriers between them.  FUSION_REJECTED: as
 * pl_fusion_read, pl_parameters_number and pl_remap_functions; a name without a function; kernels
 * that were compiled for different work-group sizes. */
RT_MUST_USE rt_status pl_fuse_kernels(pl_fusing *fusing);

/* Pass SYCLInternalizer: private or local memory takes the place of buffers, where every use of the
 * parameter allows that. */
void pl_fuse_promote(pl_fusing *fusing);

/* Pass SYCLCP: parameters whose value is known become constants. */
void pl_fuse_constants(pl_fusing *fusing);

/* Drops the parameters that nothing needs and all metadata of the fusion. */
void pl_fuse_finish(pl_fusing *fusing);

#endif
