/* The checks of pl_refuse_unwritable, in the order in which they run. */
#ifndef REFERENCE_COMPILER_REFUSE_REFUSE_INTERNAL_H
#define REFERENCE_COMPILER_REFUSE_REFUSE_INTERNAL_H

#include "reference/compiler/ir/job.h"

/* ---- types.c --------------------------------------------------------------------------------- */

/* POSTLINK_ERROR: a value of the image has a type that OpenCL's SPIR-V does not have; the
 * diagnostic names the function or variable, and the line if it is known. Only for optimised code,
 * because the passes remove most of these types unless the code needs them. Source: SPIR-V
 * specification 1.6, 2.16.1 "Universal Validation Rules"; OpenCL SPIR-V Environment Specification,
 * 2.2 "Source Language Encoding" and following. */
RT_MUST_USE rt_status pl_refuse_types(pl_job *job, LLVMModuleRef module);

/* ---- operations.c ---------------------------------------------------------------------------- */

/* POSTLINK_ERROR: a function of the lowered image calls an intrinsic that the writer does not know
 * or uses an operation that SPIR-V does not have; the diagnostic names the function, and the line
 * if it is known. */
RT_MUST_USE rt_status pl_refuse_operations(pl_job *job, LLVMModuleRef module);

#endif
