/* Folds operations on constants before the program runs, where possible. */
#ifndef SIM_FOLD_H
#define SIM_FOLD_H

#include "sim/module/module.h"
#include "sim/number/convert.h"

/* The size in bytes of the largest value that is computed early; larger ones are computed where
 * they are used. */
#define SIM_FOLD_BYTES_MAX 4096u

/* Returns the conversion from `from` to `to` that instruction `opcode` performs, given the
 * decorations of `id`. */
sim_numeric sim_numeric_of(const sim_module *module, sim_id id, uint16_t opcode,
                           const sim_type *from, const sim_type *to);

/* True if the operands of an OpSpecConstantOp are constants that precede it, so that its types can
 * be checked and its value may be computable. */
bool sim_fold_is_ready(const sim_module *module, const sim_constant *constant);

/* Computes an OpSpecConstantOp that is ready and whose types are correct: a scalar becomes a
 * constant of kind BITS, a vector or aggregate gets a memory image.  The constant is left unchanged
 * if an operand is unknown, if the operation involves addresses, or if its result is undefined; a
 * division by zero, for example, is reported where the constant is used. */
void sim_fold_operation(sim_module *module, sim_constant *constant);

#endif
