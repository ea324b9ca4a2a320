/* Removes integers of widths that SPIR-V does not have. */
#ifndef REFERENCE_COMPILER_LOWER_INTEGERS_H
#define REFERENCE_COMPILER_LOWER_INTEGERS_H

#include "reference/compiler/ir/job.h"

/* Replaces scalar integers of up to 64 bits whose width is not 1, 8, 16, 32 or 64 by the next wider
 * of these, in functions that only compute with, compare, select or switch over them.  A function
 * that loads, stores, passes or casts one stays as it is.  Leaves dead instructions.  Source:
 * SPIR-V specification 1.6 section 2.16.1 (universal validation rules, integer types). */
void pl_lower_integers(pl_job *job, LLVMModuleRef module);

#endif
