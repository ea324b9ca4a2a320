/* Types that SPIR-V does not have: the translator ends the process where it meets one. */
#ifndef REFERENCE_COMPILER_REFUSE_TYPES_H
#define REFERENCE_COMPILER_REFUSE_TYPES_H

#include "reference/compiler/ir/job.h"

/* POSTLINK_ERROR: some value of the image has a type that no SPIR-V of OpenCL has; the diagnostic
 * names the function or variable, and the line where it is known.  To be asked when the passes are
 * done, which remove most such types where the code has no need of them.  Source: SPIR-V
 * specification 1.6, 2.16.1 "Universal Validation Rules"; OpenCL SPIR-V Environment Specification,
 * 2.2 "Source Language Encoding" and following. */
RT_MUST_USE rt_status pl_refuse_types(pl_job *job, LLVMModuleRef module);

#endif
