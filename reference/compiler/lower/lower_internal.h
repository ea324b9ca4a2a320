/* The steps of pl_prepare_lower, in order, and one repair from pl_prepare_for_writer. */
#ifndef REFERENCE_COMPILER_LOWER_LOWER_INTERNAL_H
#define REFERENCE_COMPILER_LOWER_LOWER_INTERNAL_H

#include "reference/compiler/ir/job.h"

/* ---- intrinsics.c ---------------------------------------------------------------------------- */

/* Replaces rotates and funnel shifts, byte and bit reversal, saturating and overflow-checking
 * arithmetic with plain instructions, and `freeze` with its operand (SPIR-V has no poison).  The
 * writer ends the process when it meets one of these, or turns it into an exported helper function,
 * which would clash when images are linked.  Leaves dead instructions. */
void pl_lower_intrinsics(pl_job *job, LLVMModuleRef module);

/* ---- vectors.c ------------------------------------------------------------------------------- */

/* Replaces components that are extracted, by constant index or by a shuffle, from vectors whose
 * length is not 2, 3, 4, 8 or 16. The replacement depends on where the vector comes from: for a
 * cast, it is part of a component of the original vector; for a load, a load of the component; for
 * a binary operation, a select or a phi outside loops, the same operation on components. A select
 * between two vectors by a single bit becomes a select by a vector of bits. Leaves dead
 * instructions. Source: SPIR-V specification 1.6 section 2.16.1 (universal validation rules, vector
 * types) and OpSelect. */
void pl_lower_vectors(pl_job *job, LLVMModuleRef module);

/* ---- dimensions.c ---------------------------------------------------------------------------- */

/* Makes every call to a work-item function whose dimension may be out of range (3 or more) return
 * the value that OpenCL C specifies in that case: 0 for ids and offsets, 1 for sizes and counts.
 * The SPIR-V writer would turn the call into an access beyond the end of a vector of three. Source:
 * OpenCL C 2.0, 6.13.1 "Work-Item Functions". */
void pl_lower_dimensions(pl_job *job, LLVMModuleRef module);

/* ---- integers.c ------------------------------------------------------------------------------ */

/* Replaces scalar integers of up to 64 bits whose width is not 1, 8, 16, 32 or 64 with integers of
 * the next wider of these widths, in functions that only compute with, compare, select or switch
 * over them. A function that loads, stores, passes or bit-casts one stays as it is.  Leaves dead
 * instructions.  Source: SPIR-V specification 1.6 section 2.16.1 (universal validation rules,
 * integer types). */
void pl_lower_integers(pl_job *job, LLVMModuleRef module);

/* ---- forward.c ------------------------------------------------------------------------------- */

/* Between a saturating or rounding conversion and a phi that uses it, inserts a select that always
 * yields the conversion's value. Must run after all passes, which would drop the select, and before
 * the writer. Source: SPIR-V specification 1.6 section 3.20 (SaturatedConversion, FPRoundingMode).
 */
void pl_forward_conversions(pl_job *job, LLVMValueRef function);

#endif
