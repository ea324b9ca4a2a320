/* The fusion compiler's entry point and stages. */
#ifndef REFERENCE_COMPILER_FUSE_FUSE_H
#define REFERENCE_COMPILER_FUSE_FUSE_H

#include "reference/compiler/fuse/passes.h"

/* Observes a fusion; for tests. */
typedef struct pl_fusion_observer {
    void *user;
    /* Called with the module before each pass and after the last one; `next` is the name of the
     * pass that follows, or "emit". */
    void (*before)(void *user, const char *next, LLVMModuleRef module);
} pl_fusion_observer;

/* Runs all passes on a module with a stub, in the document's order. `observer` may be NULL. Returns
 * the error of the first pass that fails. */
RT_MUST_USE rt_status pl_fuse_module(pl_fusing *fusing, const pl_fusion_observer *observer);

/* The function fuse of the plugin's table (reference/compiler_api.h). */
RT_MUST_USE rt_status pl_fuse(rt_sink *sink, const rt_fusion_request *request, rt_text library,
                              rt_buffer *out_result);

#endif
