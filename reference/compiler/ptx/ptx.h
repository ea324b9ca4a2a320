/* Translates the code of an image to PTX, the assembly language of NVIDIA's virtual machine.
 *
 * The module is for nvptx64 and only declares OpenCL C's builtin functions; here they get bodies:
 * ours (builtins.cl) if there are any, otherwise libclc's.  reference/base/ptx.h defines what
 * kernels look like to a backend that launches them.  Source: PTX ISA 6.4; LLVM 14, "User Guide for
 * NVPTX Back-end".
 */
#ifndef REFERENCE_COMPILER_PTX_PTX_H
#define REFERENCE_COMPILER_PTX_PTX_H

#include "reference/compiler/ir/job.h"

/* The target of the PTX, from cmake/llvm.cmake.  The default, sm_75 with PTX 6.4, is the oldest
 * that nvJitLink 13 accepts; drivers compile it for every newer processor. */
#define PL_PTX_PROCESSOR ASSAY_PTX_PROCESSOR
#define PL_PTX_FEATURES  ASSAY_PTX_FEATURES

/* Prepares linked sources: gives symbols PTX names and drops clang's list of kernels, which refers
 * to functions that a part of the module may not have; kernels can be identified by their calling
 * convention instead.
 */
void pl_ptx_take(pl_job *job, LLVMModuleRef module);

/* Gives the module's symbols names that PTX accepts (rt_ptx_name_write). This is done in the same
 * way for every image, before its symbols are listed. */
void pl_ptx_names(pl_job *job, LLVMModuleRef module);

/* Writes the module, which stays unchanged, as PTX text in the job's arena; `library` is the path
 * of libclc for nvptx64.  UNSUPPORTED: PTX or libclc lacks something that the code uses; the
 * diagnostic names it, with the line of its use if that is known. UNAVAILABLE, naming the
 * capability libclc: there is no library. TOOL. */
RT_MUST_USE rt_status pl_ptx_write(pl_job *job, LLVMModuleRef module, rt_text library,
                                   rt_bytes *out_ptx);

#endif
