/* Operations that the SPIR-V writer does not know: it ends the process where it meets one. */
#ifndef REFERENCE_COMPILER_REFUSE_OPERATIONS_H
#define REFERENCE_COMPILER_REFUSE_OPERATIONS_H

#include "reference/compiler/ir/job.h"

/* POSTLINK_ERROR: a function of the image, which is lowered already, calls an intrinsic that the
 * writer does not know or uses an operation that SPIR-V does not have; the diagnostic names the
 * function, and the line if it is known. */
RT_MUST_USE rt_status pl_refuse_operations(pl_job *job, LLVMModuleRef module);

#endif
