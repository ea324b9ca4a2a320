/* From split code to code that the SPIR-V writer takes: passes and three cures. */
#ifndef REFERENCE_COMPILER_LOWER_PREPARE_H
#define REFERENCE_COMPILER_LOWER_PREPARE_H

#include "reference/compiler/ir/job.h"

/* Optimises an image: inlining, memory to registers, scalar and loop clean-up; nothing that makes
 * what the SPIR-V writer of version 14 cannot write. */
RT_MUST_USE rt_status pl_prepare_optimise(pl_job *job, LLVMModuleRef module);

/* The same without what only the SPIR-V writer needs. */
RT_MUST_USE rt_status pl_prepare_simplify(pl_job *job, LLVMModuleRef module);

/* Replaces what passes made and the SPIR-V writer of version 14 cannot write, and drops what
 * nothing uses. */
RT_MUST_USE rt_status pl_prepare_lower(pl_job *job, LLVMModuleRef module);

/* Cures the writer's five silent faults: it leaves out the capability Float16 unless the module
 * lists the extension cl_khr_fp16, which a module with values of type half then does; a switch over
 * one bit gets a selector of 8 bits; conversions in loops keep their decorations (forward.h);
 * blocks are brought into reverse post-order, since it writes them in the module's order and an
 * identifier must be defined before its use; loop metadata is removed, since it misplaces the
 * instructions that it makes of it. */
void pl_prepare_for_writer(pl_job *job, LLVMModuleRef module);

#endif
