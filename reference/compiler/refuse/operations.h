/* Operations that the SPIR-V writer does not know: it ends the process where it meets one. */
#ifndef REFERENCE_COMPILER_REFUSE_OPERATIONS_H
#define REFERENCE_COMPILER_REFUSE_OPERATIONS_H

#include "reference/compiler/ir/job.h"

/* POSTLINK_ERROR: a function of the image, prepared for the writer but for the order of its blocks,
 * calls an intrinsic that the writer does not know, or does what SPIR-V has no instruction for; the
 * diagnostic names the function, and the line where it is known. */
RT_MUST_USE rt_status pl_refuse_operations(pl_job *job, LLVMModuleRef module);

#endif
