/* Turns a request into the module that the fusion passes work on: the kernels, what they depend on,
 * and a stub with the fused kernel's name and the metadata. */
#ifndef REFERENCE_COMPILER_FUSE_INPUT_H
#define REFERENCE_COMPILER_FUSE_INPUT_H

#include "reference/compiler/ir/job.h"
#include "reference/image/fusion_request.h"

/* Reads and links the kernels' code and builds the module, which the caller owns; *out_module is
 * NULL on failure. If a promotion is impossible because of its parameter's type, the metadata omits
 * it, and its entry of out_reasons (one for each promotion of the request, empty before the call)
 * states the reason, in the job's arena. MALFORMED: code that cannot be read; FUSION_REJECTED: code
 * that does not link or lacks a kernel, a variable of which the fused kernel would have its own
 * copy, or incorrect parameters in the request. Source: document 001, "Kernel fusion pipeline". */
RT_MUST_USE rt_status pl_fusion_input(pl_job *job, const rt_fusion_request *request,
                                      rt_text *out_reasons, LLVMModuleRef *out_module);

#endif
