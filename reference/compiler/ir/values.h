/* Traversing and changing modules: operations for which LLVM's C interface needs several calls. */
#ifndef REFERENCE_COMPILER_IR_VALUES_H
#define REFERENCE_COMPILER_IR_VALUES_H

#include "reference/compiler/ir/job.h"

/* The functions of a module and then its variables, each in the module's order:
 * for (v = pl_first_symbol(module); v; v = pl_next_symbol(v)).  Erase a symbol only after the step
 * past it. */
LLVMValueRef pl_first_symbol(LLVMModuleRef module);
LLVMValueRef pl_next_symbol(LLVMValueRef symbol);

/* The number of those symbols. */
uint32_t pl_symbol_count(LLVMModuleRef module);

/* The instructions of a function, block by block in the function's order; NULL: no (further) one.
 */
LLVMValueRef pl_first_instruction(LLVMValueRef function);
LLVMValueRef pl_next_instruction(LLVMValueRef instruction);

/* The name of a value, borrowed from LLVM until the value is renamed or erased. */
rt_text pl_name(LLVMValueRef value);

/* Reports whether an instruction calls the function (its other operands do not count). */
bool pl_calls(LLVMValueRef user, LLVMValueRef function);

/* Any call of the function; NULL: it is not called directly. */
LLVMValueRef pl_any_call(LLVMValueRef function);

/* The base that an address is computed from by casts and offsets in constant expressions: the
 * function or variable itself, or another constant. */
LLVMValueRef pl_strip_constant(LLVMValueRef value);

/* Replaces all uses of an instruction by `value`, which has its type, and erases the instruction.
 */
void pl_replace(LLVMValueRef instruction, LLVMValueRef value);

/* LLVM's number for a kind of metadata. */
unsigned pl_metadata_kind(const pl_job *job, const char *kind);

/* The metadata node that a function has under a kind's name; NULL: none. */
LLVMValueRef pl_metadata(pl_job *job, LLVMValueRef function, const char *kind);

/* The operands of a node, in the job's arena. */
LLVMValueRef *pl_metadata_operands(pl_job *job, LLVMValueRef node, uint32_t *out_count);

/* Appends the module as bitcode. */
void pl_write_bitcode(LLVMModuleRef module, rt_buffer *out_bitcode);

#endif
