/* The tools that a driver may lack, served by the compile worker. */
#ifndef CONFORMANCE_SUBJECT_TOOLS_H
#define CONFORMANCE_SUBJECT_TOOLS_H

#include "conformance/build/compile.h"
#include "conformance/subject/emit.h"
#include "reference/device/device.h"
#include "reference/fusion/compiler.h"

#include <pthread.h>

/* Where links are looked up.  The cache is opened by the first of them: most children need none,
 * and finding the compilers that are part of its keys takes longer than a small scenario. */
typedef struct cnf_tool_store {
    rt_text folder; /* as cnf_cache_open takes it */
    cnf_cache *cache;
    const scn_scenario *packed; /* has all answers with it; NULL: the cache and workers are asked */
    bool misses;                /* `packed` had no answer to something that was asked */
    /* Every answer is sent at once, for assay pack: the driver may crash over it.  NULL: none is.
     * Nobody else sends meanwhile, since the threads of a scenario take turns. */
    cnf_emitter *records;
    pthread_mutex_t lock; /* of all this; drivers may link from several threads */
} cnf_tool_store;

/* Makes the store, which must not move until it is closed, and gives the table whose links are
 * answered from its cache or by a worker process; who opens it may set `packed` and `records`. What
 * is wrong with the cache's folder is told on stderr and costs nothing else. */
dev_tools cnf_tools_open(cnf_tool_store *store, rt_text folder);
void cnf_tools_close(cnf_tool_store *store);

/* The fusion compiler over the same store, which must outlive it. */
rt_fusion_compiler cnf_tools_fusion_compiler(cnf_tool_store *store);

#endif
