/* The hook through which the runtime requests a fused kernel; the fusion compiler needs LLVM, so it
 * runs in a separate process. */
#ifndef REFERENCE_FUSION_COMPILER_H
#define REFERENCE_FUSION_COMPILER_H

#include "reference/image/fusion_request.h"

typedef struct rt_fusion_compiler {
    void *user;
    /* Compiles the request's list into one kernel.  out_result is initialised and freed by the
     * caller, and receives the input of rt_fusion_result_read.  FUSION_REJECTED: the list cannot be
     * fused, and the message gives the reason; MALFORMED: damaged code; TOOL: the compiler died;
     * IO, LIMIT; UNAVAILABLE: there is no fusion compiler. No other code is returned.  May be
     * called from several threads.  Source: document 001, "Fusion JIT integration" (fuseKernels).
     */
    rt_status (*fuse)(void *user, rt_sink *sink, const rt_fusion_request *request,
                      rt_buffer *out_result);
} rt_fusion_compiler;

#endif
