/* The hook by which the runtime reaches the fusion compiler.
 *
 * The compiler links LLVM, so it lives in a process of its own; whoever runs scenarios implements
 * the hook over that process and its artefact cache, and unit tests with a function that makes what
 * they need.  Source: document 001 (KernelFusionJIT.md), "Fusion JIT integration". */
#ifndef REFERENCE_FUSION_COMPILER_H
#define REFERENCE_FUSION_COMPILER_H

#include "reference/base/arena.h"
#include "reference/base/status.h"
#include "reference/image/fusion_request.h"

typedef struct rt_fusion_compiler {
    void *user;
    /* Makes one kernel of the request's list, which is borrowed for the call.  What *out_result
     * holds is allocated in the arena.  FUSION_REJECTED: the list cannot be fused, the message says
     * why; MALFORMED, TOOL, IO, UNAVAILABLE, LIMIT, UNSUPPORTED: as the compiler or its process
     * say.  None of them reaches the application: the kernels run one by one (KF-GRAPH-09).  Called
     * without locks, and from several threads. */
    rt_status (*fuse)(void *user, rt_sink *sink, rt_arena *arena, const rt_fusion_request *request,
                      rt_fusion_result *out_result);
} rt_fusion_compiler;

#endif
