/* The steps on the way to PTX; only files of this folder include this. */
#ifndef REFERENCE_COMPILER_PTX_PTX_INTERNAL_H
#define REFERENCE_COMPILER_PTX_PTX_INTERNAL_H

#include "reference/compiler/ptx/ptx.h"

/* Address spaces of nvptx64 (LLVM 14, "User Guide for NVPTX Back-end"). */
enum {
    PL_PTX_SPACE_GENERIC = 0,
    PL_PTX_SPACE_GLOBAL = 1,
    PL_PTX_SPACE_SHARED = 3,
    PL_PTX_SPACE_CONSTANT = 4
};

/* Refuses with UNSUPPORTED: "PLACE'symbol' what"; `at` is a function or an instruction, or NULL. */
rt_status pl_ptx_refuse(pl_job *job, LLVMValueRef at, rt_text symbol, const char *what);

/* Makes calls of printf calls of vprintf.  UNSUPPORTED: a format that is not known here, or that
 * does not suit the arguments. */
RT_MUST_USE rt_status pl_ptx_print(pl_job *job, LLVMModuleRef module);

/* Links bodies of the builtin functions that the module calls.  As pl_ptx_write. */
RT_MUST_USE rt_status pl_ptx_link_builtins(pl_job *job, LLVMModuleRef module, rt_text library);

/* Makes an entry of PTX for each kernel, whose code becomes an ordinary function, and appends the
 * lines that tell the kernels' parameters.  UNSUPPORTED: a parameter that PTX has no form of. */
RT_MUST_USE rt_status pl_ptx_make_entries(pl_job *job, LLVMModuleRef module, rt_buffer *out_lines);

/* Makes constant memory global memory in every type of the module, which is another one afterwards
 * (the old one is disposed of, NULL on failure).  What the host passes as constant is memory of the
 * device like any other, and PTX's `.const` is a bank that no address of it lies in.  UNSUPPORTED:
 * code that tells the two spaces from each other. */
RT_MUST_USE rt_status pl_ptx_join_spaces(pl_job *job, LLVMModuleRef *module);

/* Gives rotations of 64 bits by what is not known an amount below 64, as the back end wants it. For
 * a module that no pass changes any more. */
void pl_ptx_mask_rotations(LLVMModuleRef module);

/* Optimises the module for the processor and writes it. */
RT_MUST_USE rt_status pl_ptx_emit(pl_job *job, LLVMModuleRef module, rt_buffer *out_text);

#endif
