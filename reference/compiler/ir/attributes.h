/* Attributes of functions, parameters and calls.
 *
 * LLVM has two kinds: strings, with a name and a text, by which front ends say what they know, and
 * those that LLVM itself knows by name ("convergent"), here called flags where they have no value.
 */
#ifndef REFERENCE_COMPILER_IR_ATTRIBUTES_H
#define REFERENCE_COMPILER_IR_ATTRIBUTES_H

#include "reference/compiler/ir/job.h"

/* The function itself, where LLVM's C interface takes the index of a parameter. */
#define PL_AT_FUNCTION ((LLVMAttributeIndex)LLVMAttributeFunctionIndex)

/* Reports whether the function has the string attribute. */
bool pl_attribute_has(LLVMValueRef function, const char *name);

/* The text of a string attribute, borrowed from LLVM; empty where the function lacks it. */
rt_text pl_attribute(LLVMValueRef function, const char *name);

/* Gives the function a string attribute, in place of one of that name. */
void pl_attribute_set(LLVMValueRef function, const char *name, rt_text value);

/* Removes a string attribute, where the function has it. */
void pl_attribute_remove(LLVMValueRef function, const char *name);

/* Adds or removes a flag of the function. */
void pl_flag_add(LLVMValueRef function, const char *name);
void pl_flag_remove(LLVMValueRef function, const char *name);

/* Removes a flag from all calls of the function. */
void pl_flag_remove_from_calls(LLVMValueRef function, const char *name);

/* The type of what is passed by value through a pointer (attribute byval), NULL otherwise. */
LLVMTypeRef pl_by_value_type(LLVMValueRef function, uint32_t parameter);

/* Copies the attributes that say how an argument is passed, from a parameter of a function to one
 * of `to`, a function or a call.  All other attributes promise what holds in one function only. */
void pl_passing_copy(LLVMValueRef from, uint32_t parameter, LLVMValueRef to, uint32_t to_parameter);

#endif
