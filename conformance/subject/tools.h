/* The tools that a driver may lack, served by the compile worker. */
#ifndef CONFORMANCE_SUBJECT_TOOLS_H
#define CONFORMANCE_SUBJECT_TOOLS_H

#include "conformance/build/asker.h"
#include "conformance/build/compile.h"
#include "conformance/subject/emit.h"
#include "reference/device/device.h"
#include "reference/fusion/compiler.h"

#include <pthread.h>

/* Where links are looked up. The cache is opened by the first link, because most children never
 * link, and identifying the compilers, which are part of the keys, takes longer than a small
 * scenario. */
typedef struct cnf_tool_store {
    rt_text folder; /* as cnf_cache_open takes it */
    cnf_cache *cache;
    const scn_scenario *packed; /* contains all answers; NULL: answers come from the cache and the
                                 * workers */
    bool misses;                /* `packed` lacked an answer */
    /* For assay pack, each answer is sent immediately, because the driver may crash on it. NULL:
     * answers are not sent. No other thread emits at the same time, since the threads of a scenario
     * take turns. */
    cnf_emitter *records;
    cnf_asker asker;      /* answers from this store */
    pthread_mutex_t lock; /* guards all members; drivers may link from several threads */
} cnf_tool_store;

/* Initialises the store, which must not move until it is closed, and returns the table whose
 * functions link from the store's cache or in a worker process; the caller may set `packed` and
 * `records`. A problem with the cache's folder is only reported on stderr. */
dev_tools cnf_tools_open(cnf_tool_store *store, rt_text folder);
void cnf_tools_close(cnf_tool_store *store);

/* The fusion compiler over the same store, which must outlive it. */
rt_fusion_compiler cnf_tools_fusion_compiler(cnf_tool_store *store);

#endif
