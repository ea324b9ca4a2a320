/* Replaces intrinsics that the passes produce and the SPIR-V writer of version 14 cannot write. */
#ifndef REFERENCE_COMPILER_LOWER_INTRINSICS_H
#define REFERENCE_COMPILER_LOWER_INTRINSICS_H

#include "reference/compiler/ir/job.h"

/* Replaces rotates and funnel shifts, byte and bit reversal, saturating and overflow-checking
 * arithmetic by plain instructions, and `freeze` by its operand (SPIR-V has no poison).  The writer
 * ends the process when it meets these, or makes exported helper functions of them, which would
 * clash when images are linked.  Leaves dead instructions. */
void pl_lower_intrinsics(pl_job *job, LLVMModuleRef module);

#endif
