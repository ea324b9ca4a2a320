/* Function attributes that have a name and a text, in which front ends tell what they know. */
#ifndef REFERENCE_COMPILER_IR_ATTRIBUTES_H
#define REFERENCE_COMPILER_IR_ATTRIBUTES_H

#include "reference/compiler/ir/job.h"

/* True where the function has the attribute. */
bool pl_attribute_has(LLVMValueRef function, const char *name);

/* The attribute's text, borrowed from LLVM; empty where it has none or is not there. */
rt_text pl_attribute(LLVMValueRef function, const char *name);

/* Gives the function the attribute, in place of one of that name. */
void pl_attribute_set(pl_job *job, LLVMValueRef function, const char *name, rt_text value);

#endif
