/* What the files of the device global database share. */
#ifndef REFERENCE_MEMORY_GLOBAL_INTERNAL_H
#define REFERENCE_MEMORY_GLOBAL_INTERNAL_H

#include "reference/memory/device_global.h"

struct rt_global_database {
    rt_global_database_parameters parameters;
    pthread_mutex_t lock;
    rt_arena arena; /* of texts */
    rt_map ids;     /* unique id -> entries; of those that have not ended */
    RT_VECTOR(rt_global_entry *) entries;
    RT_VECTOR(rt_global_entry *) addresses;   /* index is the address; NULL: the object has gone */
    RT_VECTOR(rt_program_globals *) programs; /* index is rt_program.id; NULL: not there */
};

/* The entry of a unique id, made where there is none.  Called with the lock held. */
rt_global_entry *rt_global_entry_of(rt_global_database *database, rt_text unique_id);

#endif
