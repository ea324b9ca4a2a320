/* Which parameters the fused kernel has: those of its kernels in the order of the list, of which
 * those that get the same argument are one. */
#ifndef REFERENCE_COMPILER_FUSE_PARAMETERS_H
#define REFERENCE_COMPILER_FUSE_PARAMETERS_H

#include "reference/compiler/fuse/metadata.h"

/* Tables live in the job's arena. */
typedef struct pl_parameters {
    uint32_t count;                 /* of the fused kernel, before any is dropped */
    const rt_fusion_place *origins; /* for each: the first parameter that it stands for */
    const uint32_t *const *numbers; /* numbers[kernel][parameter]: which one it is */
} pl_parameters;

/* Numbers the parameters of `kernels`, functions in the order of the list.  FUSION_REJECTED: an
 * identity names a parameter that is not there, or two that one argument cannot be passed to. */
RT_MUST_USE rt_status pl_parameters_number(pl_job *job, const pl_fusion *fusion,
                                           const LLVMValueRef *kernels,
                                           pl_parameters *out_parameters);

/* Turns the places in the request's promotions and constants into numbers of the fused kernel's
 * parameters and adds them to `fusion`, whose identities are there.  What an element is for the
 * request is turned into what the parameter points to; a promotion for which that cannot be done is
 * left out, with its entry of out_reasons.  FUSION_REJECTED: a place that is not there, a constant
 * of another size than its parameter. */
RT_MUST_USE rt_status pl_fusion_parameters_convert(pl_job *job, const rt_fusion_request *request,
                                                   const LLVMValueRef *kernels, pl_fusion *fusion,
                                                   rt_text *out_reasons);

/* The type of what is passed by value through a pointer (attribute byval), NULL otherwise. */
LLVMTypeRef pl_by_value_type(LLVMValueRef function, uint32_t parameter);

/* How many bytes an argument of the parameter has. */
uint64_t pl_parameter_bytes(LLVMValueRef function, uint32_t parameter);

#endif
