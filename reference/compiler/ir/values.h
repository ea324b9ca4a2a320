/* Traverses and changes modules: operations that take several calls to LLVM's C interface. */
#ifndef REFERENCE_COMPILER_IR_VALUES_H
#define REFERENCE_COMPILER_IR_VALUES_H

#include "reference/compiler/ir/job.h"

/* The functions of a module and then its variables, each in the module's order: for (v =
 * pl_first_symbol(module); v; v = pl_next_symbol(v)).  Erase a symbol only after stepping past it.
 */
LLVMValueRef pl_first_symbol(LLVMModuleRef module);
LLVMValueRef pl_next_symbol(LLVMValueRef symbol);

/* The number of functions and variables in the module. */
uint32_t pl_symbol_count(LLVMModuleRef module);

/* The instructions of a function, block by block in the function's order; NULL: there is no
 * (further) one.
 */
LLVMValueRef pl_first_instruction(LLVMValueRef function);
LLVMValueRef pl_next_instruction(LLVMValueRef instruction);

/* A constant of an integer type of at most 64 bits; bits that the type lacks are dropped. */
LLVMValueRef pl_integer(LLVMTypeRef type, uint64_t value);

/* The name of a value, borrowed from LLVM until the value is renamed or erased. */
rt_text pl_name(LLVMValueRef value);

/* Reports whether an instruction calls the function (its other operands do not count). */
bool pl_calls(LLVMValueRef user, LLVMValueRef function);

/* Any direct call to the function; NULL: there is none. */
LLVMValueRef pl_any_call(LLVMValueRef function);

/* The function that a call calls as if it had another type, which linking leaves if one source
 * declares a function with another type than the one it is defined with; NULL: the call is not
 * such a call. */
LLVMValueRef pl_mistyped_callee(LLVMValueRef call);

/* True for equal types, and for pointers into one address space. */
bool pl_type_fits(LLVMTypeRef from, LLVMTypeRef to);

/* The base of an address that constant expressions (casts and offsets) compute: a function, a
 * variable or another constant. */
LLVMValueRef pl_strip_constant(LLVMValueRef value);

/* Replaces all uses of an instruction by `value`, which has the same type, and erases the
 * instruction.
 */
void pl_replace(LLVMValueRef instruction, LLVMValueRef value);

/* LLVM's number for a kind of metadata. */
unsigned pl_metadata_kind(const pl_job *job, const char *kind);

/* A function's metadata node of the named kind; NULL: it has none. */
LLVMValueRef pl_metadata(pl_job *job, LLVMValueRef function, const char *kind);

/* The operands of a node, in the job's arena. */
LLVMValueRef *pl_metadata_operands(pl_job *job, LLVMValueRef node, uint32_t *out_count);

/* What a kernel's metadata of the named kind (`kernel_arg_base_type`, `kernel_arg_type` …) says
 * about a parameter, borrowed from LLVM; empty: nothing.  Source: SPIR 1.2, 2.7 "Kernel Arg Info".
 */
rt_text pl_parameter_text(LLVMValueRef kernel, const char *kind, uint32_t parameter);

/* Appends the module as bitcode. */
void pl_write_bitcode(LLVMModuleRef module, rt_buffer *out_bitcode);

#endif
