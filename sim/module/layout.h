/* Types that have the same values at the same offsets in memory, even if they are nested in
 * different structures. */
#ifndef SIM_LAYOUT_H
#define SIM_LAYOUT_H

#include "sim/module/module.h"

/* True when both have the same size, and the same values that are no structures at the same
 * offsets; arrays of bytes are padding, which one type may write out and the other leave to
 * alignment.  Also false if a type has too many values to compare.
 * Observed: the shipped compiler of DPC++ declares a variable of class type in one module as its
 * base, packed, and an array of bytes, and defines it in another as the base alone; SPIR-V 2.16.1
 * "Universal Validation Rules" wants one type, and Intel's linker takes it. */
bool sim_type_same_layout(const sim_type *a, const sim_type *b);

#endif
