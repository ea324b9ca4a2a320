/* The input of the fusion passes: metadata on the function that becomes the fused kernel, so that a
 * module that was written to a file can be run through the passes on its own.  Source: document
 * 001, "Passing information to the fusion pipeline". */
#ifndef REFERENCE_COMPILER_FUSE_METADATA_H
#define REFERENCE_COMPILER_FUSE_METADATA_H

#include "reference/compiler/ir/job.h"
#include "reference/image/fusion_request.h"

/* The kinds of metadata, under the document's names. */
#define PL_FUSED        "sycl.kernel.fused"
#define PL_PARAM        "sycl.kernel.param"
#define PL_PROMOTE      "sycl.kernel.promote"
#define PL_PROMOTE_SIZE "sycl.kernel.promote.size"
#define PL_CONSTANTS    "sycl.kernel.constants"
#define PL_ND_RANGE     "sycl.kernel.nd-range"
#define PL_ND_RANGES    "sycl.kernel.nd-ranges"

/* The sizes of the elements that PL_PROMOTE_SIZE counts.  The document has pointers that state what
 * they point to; since LLVM removed them, the shipped compiler adds these sizes. */
#define PL_PROMOTE_UNIT "sycl.kernel.promote.elemsize"

/* Our own function attribute for the property no_barriers, for which the document defines no
 * metadata. */
#define PL_NO_BARRIERS "assay-no-barriers"

/* A buffer to promote, identified by the number of a parameter of the fused kernel. */
typedef struct pl_promotion {
    uint32_t parameter;
    rt_fusion_promotion_kind kind;
    uint64_t elements; /* number of elements, of the type that the parameter points to */
    uint64_t unit;     /* size of an element in bytes */
} pl_promotion;

typedef struct pl_constant {
    uint32_t parameter; /* of the fused kernel */
    rt_bytes value;
} pl_constant;

/* The contents of the metadata. Tables live in the job's arena. */
typedef struct pl_fusion {
    const rt_text *kernels; /* names of functions of the module, in the order of the list */
    uint32_t kernel_count;
    const rt_fusion_identity *identities;
    uint32_t identity_count;
    const pl_promotion *promotions;
    uint32_t promotion_count;
    const pl_constant *constants;
    uint32_t constant_count;
    bool heterogeneous;            /* the ranges differ; `ranges` and `launch` are set only then */
    rt_fusion_range launch;        /* of the fused kernel */
    const rt_fusion_range *ranges; /* one for each kernel of the list */
    bool barriers;
} pl_fusion;

/* Attaches everything to `stub`, a function of the module. */
void pl_fusion_attach(pl_job *job, LLVMValueRef stub, const pl_fusion *fusion);

/* Reads the metadata that pl_fusion_attach attached to a function of the module; returns that
 * function.  The texts and tables of *out_fusion live in the job's arena. */
LLVMValueRef pl_fusion_read(pl_job *job, LLVMModuleRef module, pl_fusion *out_fusion);

/* Returns FUSION_REJECTED with the message "kernel KERNEL cannot be fused: PROBLEM". */
RT_MUST_USE rt_status pl_fusion_reject(pl_job *job, rt_text kernel, const char *problem);

#endif
