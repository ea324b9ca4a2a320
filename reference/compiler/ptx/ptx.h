/* From the code of an image to PTX, the assembly language of NVIDIA's virtual machine.
 *
 * The module is for nvptx64 and knows OpenCL C's builtin functions by name alone; here they get
 * bodies: ours (builtins.cl) before those of libclc.  What kernels look like to who launches
 * them is in reference/base/ptx.h.  Source: PTX ISA 6.4; LLVM 14, "User Guide for NVPTX Back-end".
 */
#ifndef REFERENCE_COMPILER_PTX_PTX_H
#define REFERENCE_COMPILER_PTX_PTX_H

#include "reference/compiler/ir/job.h"

/* The target that every device of today takes: nvJitLink 13 wants sm_75, which PTX 6.4 was the
 * first to know but one. */
#define PL_PTX_PROCESSOR "sm_75"
#define PL_PTX_FEATURES  "+ptx64"

/* Takes linked sources in hand: names, and clang's list of kernels, which refers to functions that
 * a part of the module does not have; calling conventions tell kernels, too. */
void pl_ptx_take(pl_job *job, LLVMModuleRef module);

/* Gives the module's symbols names that PTX takes: characters other than letters, digits, '_' and
 * '$' become `_$HH`, their number in hexadecimal.  To be done in every image alike, before symbols
 * are listed. */
void pl_ptx_names(pl_job *job, LLVMModuleRef module);

/* Writes the module, which stays as it is, as PTX text in the job's arena; `library` is the path of
 * libclc for nvptx64.  UNSUPPORTED: something that PTX or libclc lacks, which the
 * diagnostic names, at the line of its use where that is known; UNAVAILABLE, naming the capability
 * libclc: there is no library; TOOL. */
RT_MUST_USE rt_status pl_ptx_write(pl_job *job, LLVMModuleRef module, rt_text library,
                                   rt_bytes *out_ptx);

#endif
