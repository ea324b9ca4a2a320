/* Operations on constants: their values before the program runs, where they can be known. */
#ifndef SIM_FOLD_H
#define SIM_FOLD_H

#include "sim/module/module.h"
#include "sim/number/convert.h"

/* A value as large as this in memory is known at most; larger ones are computed where they are
 * used. */
#define SIM_FOLD_BYTES_MAX 4096u

/* The conversion that an instruction of a converting group means, with the decorations of `id`. */
sim_numeric sim_numeric_of(const sim_module *module, sim_id id, uint16_t opcode,
                           const sim_type *from, const sim_type *to);

/* True where the operands of an OpSpecConstantOp are constants that come before it, so that its
 * types can be checked and its value may be known. */
bool sim_fold_is_ready(const sim_module *module, const sim_constant *constant);

/* Computes an OpSpecConstantOp that is ready and whose types are right: a scalar becomes a constant
 * of kind BITS, a vector or aggregate gets its image.  It stays as it is where an operand is not
 * known, where it is about addresses, and where it has no defined result, a division by zero for
 * example: that is a finding where something uses it. */
void sim_fold_operation(sim_module *module, sim_constant *constant);

#endif
