/* Types that have the same values at the same offsets in memory, even if they are nested in
 * different structures. */
#ifndef SIM_LAYOUT_H
#define SIM_LAYOUT_H

#include "sim/module/module.h"

/* True if both types have the same size, and the same non-struct values at the same offsets.
 * Arrays of bytes count as padding, which one type may declare and the other leave to alignment.
 * Also false if a type has too many values to compare.
 *
 * Observed: the DPC++ compiler as shipped declares a variable of class type in one module as its
 * packed base followed by an array of bytes, and defines it in another as the base alone; SPIR-V
 * 2.16.1 "Universal Validation Rules" requires the same type, but Intel's linker accepts it. */
bool sim_type_same_layout(const sim_type *a, const sim_type *b);

#endif
