/* The fusion passes that are our own.  Each works on a module and needs only its stub's metadata.
 * Source: document 001, "Kernel fusion pipeline". */
#ifndef REFERENCE_COMPILER_FUSE_PASSES_H
#define REFERENCE_COMPILER_FUSE_PASSES_H

#include "reference/compiler/fuse/parameters.h"

/* A module on its way through the passes.  Zero-initialise it with a job and a module, both of
 * which the caller continues to own. */
typedef struct pl_fusing {
    pl_job *job;
    LLVMModuleRef module;
    uint64_t local_size_max; /* as in rt_fusion_request */
    /* Set by pl_fuse_kernels. */
    pl_fusion fusion;
    pl_parameters parameters;
    LLVMValueRef kernel;   /* the fused kernel, with its metadata */
    bool *dropped;         /* for each of its parameters: it is no longer used */
    const char **refusals; /* for each promotion in the metadata: the reason for refusing it, or
                            * NULL */
    bool finished;         /* pl_fuse_finish has run and removed the dropped parameters */
} pl_fusing;

/* Pass SYCLKernelFusion: gives the stub parameters and a body in which each kernel of the list is
 * inlined in order, remapped if ranges differ, with barriers between them. FUSION_REJECTED: as for
 * pl_parameters_number and pl_remap_functions; also a name that is not a function's, or kernels
 * that were compiled for different work-group sizes. */
RT_MUST_USE rt_status pl_fuse_kernels(pl_fusing *fusing);

/* Pass SYCLInternalizer: replaces a buffer with private or local memory if every use of its
 * parameter allows that. */
void pl_fuse_promote(pl_fusing *fusing);

/* Pass SYCLCP: parameters whose value is known become constants. */
void pl_fuse_constants(pl_fusing *fusing);

/* Drops the parameters that nothing uses, and all fusion metadata. */
void pl_fuse_finish(pl_fusing *fusing);

/* Checks the invariants that hold between the passes; for CHECK_SLOW. */
bool pl_fusing_check(const pl_fusing *fusing);

#endif
