/* The steps of pl_prepare_lower, in their order, and a repair of pl_prepare_for_writer. */
#ifndef REFERENCE_COMPILER_LOWER_LOWER_INTERNAL_H
#define REFERENCE_COMPILER_LOWER_LOWER_INTERNAL_H

#include "reference/compiler/ir/job.h"

/* ---- intrinsics.c ------------------------------------------------------------------------------
 */

/* Replaces rotates and funnel shifts, byte and bit reversal, saturating and overflow-checking
 * arithmetic by plain instructions, and `freeze` by its operand (SPIR-V has no poison).  The writer
 * ends the process when it meets these, or makes exported helper functions of them, which would
 * clash when images are linked.  Leaves dead instructions. */
void pl_lower_intrinsics(pl_job *job, LLVMModuleRef module);

/* ---- vectors.c ---------------------------------------------------------------------------------
 */

/* Replaces components that are extracted, by constant index or by a shuffle, from vectors whose
 * length is not 2, 3, 4, 8 or 16. The replacement depends on the vector: part of a component of the
 * original vector if it is a cast, a load of the component if it is loaded, and the same operation
 * on components if it is the result of a binary operation, a select or a phi outside loops. A
 * select between two whole vectors becomes one for each component. Leaves dead instructions.
 * Source: SPIR-V specification 1.6 section 2.16.1 (universal validation rules, vector types) and
 * OpSelect. */
void pl_lower_vectors(pl_job *job, LLVMModuleRef module);

/* ---- dimensions.c ------------------------------------------------------------------------------
 */

/* Makes every call of a work-item function whose dimension is not known to be below 3 return the
 * value that OpenCL C specifies: 0 for ids and offsets, 1 for sizes and counts. The SPIR-V writer
 * would turn the call into an access beyond the end of a vector of three. Source: OpenCL C 2.0,
 * 6.13.1 "Work-Item Functions". */
void pl_lower_dimensions(pl_job *job, LLVMModuleRef module);

/* ---- integers.c --------------------------------------------------------------------------------
 */

/* Replaces scalar integers of up to 64 bits whose width is not 1, 8, 16, 32 or 64 by the next wider
 * of these, in functions that only compute with, compare, select or switch over them.  A function
 * that loads, stores, passes or casts one stays as it is.  Leaves dead instructions.  Source:
 * SPIR-V specification 1.6 section 2.16.1 (universal validation rules, integer types). */
void pl_lower_integers(pl_job *job, LLVMModuleRef module);

/* ---- forward.c ---------------------------------------------------------------------------------
 */

/* Inserts a select that always yields the value between a saturating or rounding conversion and a
 * phi that uses it. Must run after all passes, which would drop the select, and before the writer.
 * Source: SPIR-V specification 1.6 section 3.20 (SaturatedConversion, FPRoundingMode). */
void pl_forward_conversions(pl_job *job, LLVMValueRef function);

#endif
