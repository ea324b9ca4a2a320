/* Removes vectors of lengths that SPIR-V does not have, and selects between whole vectors. */
#ifndef REFERENCE_COMPILER_LOWER_VECTORS_H
#define REFERENCE_COMPILER_LOWER_VECTORS_H

#include "reference/compiler/ir/job.h"

/* Replaces components that are extracted, by constant index or by a shuffle, from vectors of other
 * than 2, 3, 4, 8 or 16 components.  If the vector is a cast of another one, by a part of a
 * component of that; if it is loaded, by a load of the component; if it is the result of a binary
 * operation, a select or a phi outside loops, by the same of the components.  A select between two
 * whole vectors becomes one for each component.  Leaves dead instructions. Source: SPIR-V
 * specification 1.6 section 2.16.1 (universal validation rules, vector types) and OpSelect. */
void pl_lower_vectors(pl_job *job, LLVMModuleRef module);

#endif
