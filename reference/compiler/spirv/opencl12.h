/* Builtin calls in the form that OpenCL 1.2 knows. */
#ifndef REFERENCE_COMPILER_SPIRV_OPENCL12_H
#define REFERENCE_COMPILER_SPIRV_OPENCL12_H

#include "reference/compiler/ir/job.h"

/* Calls `vload3`, `sincos`, `frexp` and the like, which OpenCL C 2.0 declares for generic pointers
 * alone, by the overload of the address space that the pointer came from.  Pointers whose origin is
 * not known at the call keep the generic overload. */
void pl_opencl12_builtins(pl_job *job, LLVMModuleRef module);

#endif
