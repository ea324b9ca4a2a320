/* Classification of symbols by name: builtin functions of OpenCL C, and operations of SPIR-V. */
#ifndef REFERENCE_COMPILER_IR_BUILTINS_H
#define REFERENCE_COMPILER_IR_BUILTINS_H

#include "reference/base/text.h"

/* Splits `_Z<length><name>...` into the unqualified name and the text after it. False, with both
 * outputs unset, for any other form, including nested names (`_ZN...`). */
bool pl_symbol_split(rt_text symbol, rt_text *out_name, rt_text *out_rest);

/* Reports whether a symbol is a builtin function of OpenCL C: `_Z13get_global_idj`, `printf`. */
bool pl_symbol_is_opencl_builtin(rt_text symbol);

/* False if a symbol is a mangled builtin function of OpenCL C of which no overload has so many
 * parameters; the translator, which reads its arguments by position, would crash on a call. True
 * for every other symbol. */
bool pl_symbol_takes_parameters(rt_text symbol, uint32_t count);

/* The source-level name of a builtin function: "get_global_id" for `_Z13get_global_idj`; the symbol
 * itself if it is not mangled. */
rt_text pl_symbol_builtin_name(rt_text symbol);

/* Reports whether a symbol is an atomic operation of OpenCL C or SPIR-V, written as a function
 * whose first parameter is the address. */
bool pl_symbol_is_atomic(rt_text symbol);

/* Reports whether a symbol is a SPIR-V operation written as a function: `__spirv_...`, mangled or
 * not. */
bool pl_symbol_is_spirv_operation(rt_text symbol);

#endif
