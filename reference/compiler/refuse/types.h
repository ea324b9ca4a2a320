/* Types that SPIR-V does not have: the translator ends the process when it meets one. */
#ifndef REFERENCE_COMPILER_REFUSE_TYPES_H
#define REFERENCE_COMPILER_REFUSE_TYPES_H

#include "reference/compiler/ir/job.h"

/* POSTLINK_ERROR: a value of the image has a type that OpenCL's SPIR-V does not have; the
 * diagnostic names the function or variable, and the line if it is known.  For optimised code,
 * since the passes remove most such types if the code does not need them.  Source: SPIR-V
 * specification 1.6, 2.16.1 "Universal Validation Rules"; OpenCL SPIR-V Environment Specification,
 * 2.2 "Source Language Encoding" and following. */
RT_MUST_USE rt_status pl_refuse_types(pl_job *job, LLVMModuleRef module);

#endif
