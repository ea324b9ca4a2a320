/* From a request to the module that the passes of fusion work on: the kernels, what they depend on,
 * and a stub of the fused kernel's name with the metadata. */
#ifndef REFERENCE_COMPILER_FUSE_INPUT_H
#define REFERENCE_COMPILER_FUSE_INPUT_H

#include "reference/compiler/ir/job.h"
#include "reference/image/fusion_request.h"

/* Reads and links the kernels' codes and makes the module; it belongs to the caller, NULL on
 * failure.  A promotion that the parameter's type rules out is not in the metadata: its entry of
 * out_reasons (one for each promotion of the request, empty before the call) then says why, in the
 * job's arena.  MALFORMED: code that cannot be read; FUSION_REJECTED: codes that do not link, a
 * kernel that they do not have, what the fused kernel would have a copy of its own of, parameters
 * that the request gets wrong.  Source: document 001, "Kernel fusion pipeline". */
RT_MUST_USE rt_status pl_fusion_input(pl_job *job, const rt_fusion_request *request,
                                      rt_text *out_reasons, LLVMModuleRef *out_module);

#endif
