/* The parameters of the fused kernel: those of its kernels, in the order of the list; parameters
 * that get the same argument become one. */
#ifndef REFERENCE_COMPILER_FUSE_PARAMETERS_H
#define REFERENCE_COMPILER_FUSE_PARAMETERS_H

#include "reference/compiler/fuse/metadata.h"

/* Tables live in the job's arena. */
typedef struct pl_parameters {
    uint32_t count;                 /* parameters of the fused kernel, before any is dropped */
    const rt_fusion_place *origins; /* for each: the first parameter that it replaces */
    const uint32_t *const *numbers; /* numbers[kernel][parameter]: its number in the fused kernel */
} pl_parameters;

/* Numbers the parameters of `kernels`, functions in the order of the list.  FUSION_REJECTED: an
 * identity names a parameter that does not exist, two parameters that cannot share an argument, or
 * an original that does not precede its duplicate.
 */
RT_MUST_USE rt_status pl_parameters_number(pl_job *job, const pl_fusion *fusion,
                                           const LLVMValueRef *kernels,
                                           pl_parameters *out_parameters);

/* Converts the request's promotions and constants, which refer to parameters of its kernels, to the
 * fused kernel's parameter numbers and adds them to `fusion`, which already has its identities.
 * Sizes that the request gives in its own elements are converted to elements of the type that the
 * parameter points to; a promotion for which that is impossible is omitted, and its entry of
 * out_reasons says why. FUSION_REJECTED: a parameter that does not exist, or a constant whose size
 * differs from its parameter's. */
RT_MUST_USE rt_status pl_fusion_parameters_convert(pl_job *job, const rt_fusion_request *request,
                                                   const LLVMValueRef *kernels, pl_fusion *fusion,
                                                   rt_text *out_reasons);

/* The type of the elements that a pointer parameter steps over or, if no code steps, accesses; a
 * byte if there is no access. */
LLVMTypeRef pl_element_type(LLVMValueRef function, uint32_t parameter);

/* The size in bytes of the parameter's argument. */
uint64_t pl_parameter_bytes(LLVMValueRef function, uint32_t parameter);

#endif
