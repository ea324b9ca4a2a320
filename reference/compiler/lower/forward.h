/* Keeps decorations of conversions that the code names before it has them. */
#ifndef REFERENCE_COMPILER_LOWER_FORWARD_H
#define REFERENCE_COMPILER_LOWER_FORWARD_H

#include "reference/compiler/ir/job.h"

/* Between a call of a conversion that saturates or rounds and a phi that takes its value, puts a
 * select that always takes it.  Run before the writer, after all passes, which would drop it.
 * Source: SPIR-V specification 1.6 section 3.20 (SaturatedConversion, FPRoundingMode). */
void pl_forward_conversions(pl_job *job, LLVMValueRef function);

#endif
