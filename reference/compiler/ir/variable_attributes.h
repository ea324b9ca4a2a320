/* String attributes of module-scope variables; LLVM's C interface supports only function
 * attributes.
 */
#ifndef REFERENCE_COMPILER_IR_VARIABLE_ATTRIBUTES_H
#define REFERENCE_COMPILER_IR_VARIABLE_ATTRIBUTES_H

#ifdef __cplusplus
extern "C" {
#endif

#include "reference/base/text.h"

#include <llvm-c/Types.h>

/* Reports whether a variable has the attribute `name`; *out_value receives its text, which may be
 * empty and lives as long as the variable's context; empty if there is no such attribute. */
bool pl_variable_attribute(LLVMValueRef variable, const char *name, rt_text *out_value);

/* Gives a variable an attribute, replacing one of that name. */
void pl_variable_attribute_set(LLVMValueRef variable, const char *name, rt_text value);

#ifdef __cplusplus
}
#endif

#endif
