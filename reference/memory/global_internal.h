/* Shared by the files of the device global database. */
#ifndef REFERENCE_MEMORY_GLOBAL_INTERNAL_H
#define REFERENCE_MEMORY_GLOBAL_INTERNAL_H

#include "reference/memory/device_global.h"

struct rt_global_database {
    rt_global_database_parameters parameters;
    pthread_mutex_t lock;
    rt_arena arena; /* holds texts */
    rt_map ids;     /* unique id -> index in entries, for entries that have not ended */
    RT_VECTOR(rt_global_entry *) entries;
    RT_VECTOR(rt_global_entry *) addresses;   /* indexed by address; NULL: no longer registered */
    RT_VECTOR(rt_program_globals *) programs; /* indexed by rt_program.id; NULL: no such program */
};

#endif
