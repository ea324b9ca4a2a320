/* String attributes of module-scope variables, and demangled symbols: what LLVM's C interface lacks
 * and post-link needs for device_global variables. */
#ifndef REFERENCE_COMPILER_GLOBAL_ATTRIBUTES_H
#define REFERENCE_COMPILER_GLOBAL_ATTRIBUTES_H

#include <llvm-c/Types.h>

#ifdef __cplusplus
extern "C" {
#endif

#include "reference/base/text.h" /* C, and only this file brings it to C++ */

/* The value of a variable's attribute, borrowed from LLVM's context; false: it has none of that
 * name. */
bool pl_global_attribute(LLVMValueRef variable, const char *name, rt_text *out_value);

/* Gives a variable an attribute, in place of one of that name. */
void pl_global_attribute_set(LLVMValueRef variable, const char *name, rt_text value);

/* Appends a symbol as its source has it, "inner::Bar" for _ZN5inner3BarE, or unchanged where the
 * C++ ABI (Itanium, 5.1 "External Names") does not have such a name. */
void pl_demangle(const char *symbol, rt_buffer *out_name);

#ifdef __cplusplus
}
#endif

#endif
