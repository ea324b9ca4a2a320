/* Removes integers of widths that SPIR-V does not have. */
#ifndef REFERENCE_COMPILER_LOWER_INTEGERS_H
#define REFERENCE_COMPILER_LOWER_INTEGERS_H

#include "reference/compiler/ir/job.h"

/* Computes scalar integers of up to 64 bits that are not of 1, 8, 16, 32 or 64 in the next wider of
 * these, in functions where they are only computed with, compared, chosen among or switched over; a
 * function that loads, stores, passes or casts one stays as it is.  Leaves dead instructions
 * behind.  Source: SPIR-V specification 1.6 section 2.16.1 (universal validation rules, integer
 * types). */
void pl_lower_integers(pl_job *job, LLVMModuleRef module);

#endif
