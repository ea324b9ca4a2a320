/* The steps on the way to PTX. */
#ifndef REFERENCE_COMPILER_PTX_PTX_INTERNAL_H
#define REFERENCE_COMPILER_PTX_PTX_INTERNAL_H

#include "reference/compiler/ptx/ptx.h"

/* Refuses with UNSUPPORTED: "PLACE'symbol' problem"; `at` is a function or an instruction, or NULL.
 */
rt_status pl_ptx_refuse(pl_job *job, LLVMValueRef at, rt_text symbol, const char *problem);

/* Turns calls of printf into calls of vprintf.  UNSUPPORTED: a format that is not a literal, that
 * OpenCL C does not define, or that does not suit the arguments. */
RT_MUST_USE rt_status pl_ptx_print(pl_job *job, LLVMModuleRef module);

/* Links bodies of the builtin functions that the module calls. UNSUPPORTED: the module has a symbol
 * with a name that our builtins use, or calls a function without a body; otherwise as pl_ptx_write.
 */
RT_MUST_USE rt_status pl_ptx_link_builtins(pl_job *job, LLVMModuleRef module, rt_text library);

/* Makes a PTX entry for each kernel, whose code becomes an ordinary function, and appends the lines
 * that describe the kernels' parameters.  UNSUPPORTED: a parameter that has no form in PTX. */
RT_MUST_USE rt_status pl_ptx_make_entries(pl_job *job, LLVMModuleRef module, rt_buffer *out_lines);

/* Turns constant memory into global memory in every type of the module, which is replaced (the old
 * one is disposed of; NULL on failure). Constant memory from the host is ordinary memory of the
 * device, and none of its addresses is in PTX's bank `.const`. UNSUPPORTED: code that distinguishes
 * the two spaces. */
RT_MUST_USE rt_status pl_ptx_join_spaces(pl_job *job, LLVMModuleRef *module);

/* Reduces the amounts of 64-bit rotations modulo 64, as the back end requires. No pass may change
 * the module afterwards. */
void pl_ptx_mask_rotations(LLVMModuleRef module);

/* Optimises the module for the processor and writes it. */
RT_MUST_USE rt_status pl_ptx_emit(pl_job *job, LLVMModuleRef module, rt_buffer *out_text);

#endif
