/* Turns calls to builtin functions into their OpenCL 1.2 form. */
#ifndef REFERENCE_COMPILER_SPIRV_OPENCL12_H
#define REFERENCE_COMPILER_SPIRV_OPENCL12_H

#include "reference/compiler/ir/job.h"

/* Replaces calls to `vload3`, `sincos`, `frexp` and the like, which OpenCL C 2.0 declares only for
 * generic pointers, with calls to the overload for the pointer's original address space. If the
 * call does not show that space, the generic overload stays. */
void pl_opencl12_builtins(pl_job *job, LLVMModuleRef module);

#endif
