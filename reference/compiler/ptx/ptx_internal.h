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

/* Address spaces of nvptx64 for those of a module read from SPIR-V, by number. */
enum { PL_SPIR_SPACES = 10 };
extern const uint8_t pl_ptx_spir_spaces[PL_SPIR_SPACES];

/* The prefix of the variable that holds the address of a function which kernels of other programs
 * may call; the rest is the function's name. */
#define PL_PTX_ADDRESS_OF "__assay_address_of_"

/* Gives each function whose address such a variable holds an entry that calls it, if it calls
 * others. It is never launched. Follows the passes, which would remove the call. */
void pl_ptx_reach_callees(pl_job *job, LLVMModuleRef module);

/* Changes the numbers of address spaces in all types of the module: space n becomes to[n], and
 * several may become one. *module is replaced: the old module is disposed of, and the result is
 * NULL on failure. TOOL. */
RT_MUST_USE rt_status pl_ptx_change_spaces(pl_job *job, LLVMModuleRef *module,
                                           const uint8_t to[PL_SPIR_SPACES]);

/* Gives the module NVPTX's triple and data layout. UNAVAILABLE: LLVM has no such back end. */
RT_MUST_USE rt_status pl_ptx_target(pl_job *job, LLVMModuleRef module);

/* Renames variables of a module read from SPIR-V to the names by which the host finds them, if they
 * are not exported. */
void pl_ptx_name_host_variables(pl_job *job, rt_bytes spirv, LLVMModuleRef module);

/* Gives the declarations of builtin functions, whose names are those of spir64 although their types
 * are nvptx64's, the names that they have in one of the two libraries, if any. */
void pl_ptx_adopt_builtins(pl_job *job, LLVMModuleRef module, LLVMModuleRef ours,
                           LLVMModuleRef library);

/* Reduces the amounts of 64-bit rotations modulo 64, as the back end requires. No pass may change
 * the module afterwards. */
void pl_ptx_mask_rotations(LLVMModuleRef module);

/* Keeps the back end from extracting bits above the sign of a 64-bit number. No pass may change the
 * module afterwards. */
void pl_ptx_keep_signs(LLVMModuleRef module);

/* Gives initial values the padding of vectors of three, which the back end leaves out. No pass may
 * change the module afterwards. */
void pl_ptx_pad_initial_values(pl_job *job, LLVMModuleRef module);

/* Optimises the module for the processor and writes it. */
RT_MUST_USE rt_status pl_ptx_emit(pl_job *job, LLVMModuleRef module, rt_buffer *out_text);

#endif
