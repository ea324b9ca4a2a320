/* Removes vectors of lengths that SPIR-V does not have, and choices of whole vectors. */
#ifndef REFERENCE_COMPILER_LOWER_VECTORS_H
#define REFERENCE_COMPILER_LOWER_VECTORS_H

#include "reference/compiler/ir/job.h"

/* Replaces the components that are taken, by constant index or by a shuffle, out of vectors of
 * other than 2, 3, 4, 8 or 16 components: where the vector is a cast of another one, by a part of
 * that one's component; where it is loaded, by a load of the component; where it is a sum or the
 * like of such vectors, a choice, or a phi outside loops, by that of their components.  A choice of
 * one of two vectors becomes one that is made for each component.  Leaves dead instructions behind.
 * Source: SPIR-V specification 1.6 section 2.16.1 (universal validation rules, vector types) and
 * OpSelect. */
void pl_lower_vectors(pl_job *job, LLVMModuleRef module);

#endif
