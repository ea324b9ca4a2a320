/* Attributes of functions, parameters and calls.
 *
 * LLVM has two kinds: string attributes, which have a name and a text and through which front ends
 * pass on information; and attributes that LLVM itself defines, such as "convergent", called flags
 * here if they have no value. */
#ifndef REFERENCE_COMPILER_IR_ATTRIBUTES_H
#define REFERENCE_COMPILER_IR_ATTRIBUTES_H

#include "reference/compiler/ir/job.h"

/* Denotes the function itself in calls of LLVM's C interface that take a parameter's index. */
#define PL_AT_FUNCTION ((LLVMAttributeIndex)LLVMAttributeFunctionIndex)

/* Reports whether the function has the string attribute. */
bool pl_attribute_has(LLVMValueRef function, const char *name);

/* The text of a string attribute, borrowed from LLVM; empty if the function does not have it. */
rt_text pl_attribute(LLVMValueRef function, const char *name);

/* Gives the function a string attribute, replacing one of that name. */
void pl_attribute_set(LLVMValueRef function, const char *name, rt_text value);

/* Removes a string attribute if the function has it. */
void pl_attribute_remove(LLVMValueRef function, const char *name);

/* Adds or removes a flag of the function. */
void pl_flag_add(LLVMValueRef function, const char *name);
void pl_flag_remove(LLVMValueRef function, const char *name);

/* Removes a flag from all calls to the function. */
void pl_flag_remove_from_calls(LLVMValueRef function, const char *name);

/* The type of an argument that is passed by value through a pointer (attribute byval), NULL
 * otherwise. */
LLVMTypeRef pl_by_value_type(LLVMValueRef function, uint32_t parameter);

/* Copies the attributes that specify how an argument is passed, from a parameter of a function to a
 * parameter of `to`, a function or a call. All other attributes make promises that hold only in the
 * function that has them. */
void pl_passing_copy(LLVMValueRef from, uint32_t parameter, LLVMValueRef to, uint32_t to_parameter);

#endif
