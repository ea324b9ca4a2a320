/* Keeps the decorations of conversions whose values are used before they are computed. */
#ifndef REFERENCE_COMPILER_LOWER_FORWARD_H
#define REFERENCE_COMPILER_LOWER_FORWARD_H

#include "reference/compiler/ir/job.h"

/* Puts a select that always yields the value between a saturating or rounding conversion and a phi
 * that uses it.  For the time between all passes, which would drop the select, and the writer.
 * Source: SPIR-V specification 1.6 section 3.20 (SaturatedConversion, FPRoundingMode). */
void pl_forward_conversions(pl_job *job, LLVMValueRef function);

#endif
