/* Turns split code into code that the SPIR-V writer accepts: LLVM's passes, lowering, workarounds.
 */
#ifndef REFERENCE_COMPILER_LOWER_PREPARE_H
#define REFERENCE_COMPILER_LOWER_PREPARE_H

#include "reference/compiler/ir/job.h"

/* Optimises an image: inlining, memory to registers, scalar and loop clean-up.  TOOL. */
RT_MUST_USE rt_status pl_prepare_optimise(pl_job *job, LLVMModuleRef module);

/* Replaces instructions and types that the passes produce but the SPIR-V writer of version 14
 * cannot write, and drops unused code. TOOL. */
RT_MUST_USE rt_status pl_prepare_lower(pl_job *job, LLVMModuleRef module);

/* Works around cases in which the writer silently produces wrong code. The writer omits the
 * capability Float16 unless the module lists the extension cl_khr_fp16: modules with values of type
 * half are made to list it. It writes a switch over a one-bit selector as it is: the selector is
 * widened to 8 bits. It loses decorations of conversions in loops (forward.c). It writes blocks in
 * the module's order, but an identifier must be defined before its use: blocks are put into reverse
 * post-order. It misplaces the instructions that it generates from loop metadata: the metadata is
 * removed. */
void pl_prepare_for_writer(pl_job *job, LLVMModuleRef module);

#endif
