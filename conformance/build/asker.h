/* The tools that a driver lacks and the fusion compiler, as requests: which request each one makes,
 * and which codes may answer it. Who answers is the caller's: a cache, a pack or a worker. */
#ifndef CONFORMANCE_BUILD_ASKER_H
#define CONFORMANCE_BUILD_ASKER_H

#include "reference/device/device.h"
#include "reference/image/fusion_request.h"

typedef struct cnf_asker {
    /* Appends the artefact that answers a request; `codes` as in cnf_answer_take.  May be called
     * from several threads. */
    rt_status (*ask)(void *user, rt_sink *sink, rt_bytes request, uint64_t codes,
                     rt_buffer *out_artefact);
    void *user;
    bool fuses_as_shipped; /* with the original fusion compiler, not with ours */
} cnf_asker;

/* The tools over an asker, which must outlive them and not move. */
dev_tools cnf_asker_tools(cnf_asker *asker);

/* rt_fusion_compiler.fuse; `asker` is a cnf_asker. */
rt_status cnf_asker_fuse(void *asker, rt_sink *sink, const rt_fusion_request *fusion,
                         rt_buffer *out_result);

#endif
