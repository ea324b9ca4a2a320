/* From a request to the module that the passes of fusion work on: the kernels, what they depend on,
 * and a stub with the fused kernel's name and the metadata. */
#ifndef REFERENCE_COMPILER_FUSE_INPUT_H
#define REFERENCE_COMPILER_FUSE_INPUT_H

#include "reference/compiler/ir/job.h"
#include "reference/image/fusion_request.h"

/* Reads and links the kernels' codes and builds the module; the caller owns it, NULL on failure. If
 * the parameter's type rules out a promotion, the metadata omits it, and its entry of out_reasons
 * (one for each promotion of the request, empty before the call) states the reason, in the job's
 * arena. MALFORMED: code that cannot be read; FUSION_REJECTED: codes that do not link, a kernel
 * that they lack, a variable that the fused kernel would have a copy of, incorrect parameters in
 * the request. Source: document 001, "Kernel fusion pipeline". */
RT_MUST_USE rt_status pl_fusion_input(pl_job *job, const rt_fusion_request *request,
                                      rt_text *out_reasons, LLVMModuleRef *out_module);

#endif
