/* The steps of the translation to PTX. */
#ifndef REFERENCE_COMPILER_PTX_PTX_INTERNAL_H
#define REFERENCE_COMPILER_PTX_PTX_INTERNAL_H

#include "reference/compiler/ptx/ptx.h"

/* Refuses with UNSUPPORTED: "PLACE'symbol' problem"; `at` is a function or an instruction, or NULL.
 */
rt_status pl_ptx_refuse(pl_job *job, LLVMValueRef at, rt_text symbol, const char *problem);

/* Turns calls to printf into calls to vprintf. UNSUPPORTED: a format that is not a literal, that
 * OpenCL C does not define, or that does not match the arguments. */
RT_MUST_USE rt_status pl_ptx_print(pl_job *job, LLVMModuleRef module);

/* Links bodies for the builtin functions that the module calls. UNSUPPORTED: the module has a
 * symbol with a name that our builtins use, or calls a function without a body; otherwise as
 * pl_ptx_write.
 */
RT_MUST_USE rt_status pl_ptx_link_builtins(pl_job *job, LLVMModuleRef module, rt_text library);

/* Makes a PTX entry for each kernel, whose code becomes an ordinary function, and appends the lines
 * that describe the kernels' parameters.  UNSUPPORTED: a parameter that cannot be expressed in PTX.
 */
RT_MUST_USE rt_status pl_ptx_make_entries(pl_job *job, LLVMModuleRef module, rt_buffer *out_lines);

/* Turns constant memory into global memory in all types of the module. *module is replaced: the old
 * module is disposed of, and the result is NULL on failure. Constant memory that the host passes is
 * ordinary device memory, and none of its addresses is in PTX's `.const` bank. UNSUPPORTED: code
 * that distinguishes the two spaces. */
RT_MUST_USE rt_status pl_ptx_join_spaces(pl_job *job, LLVMModuleRef *module);

/* Reduces the amounts of 64-bit rotations modulo 64, as the back end requires. No pass may change
 * the module afterwards. */
void pl_ptx_mask_rotations(LLVMModuleRef module);

/* Optimises the module for the processor and writes it. */
RT_MUST_USE rt_status pl_ptx_emit(pl_job *job, LLVMModuleRef module, rt_buffer *out_text);

#endif
