/* The persistent cache: executable programs in a folder that processes share.
 *
 * An entry is a device's own binary of a linked program (dev_program_binary), kept in a store
 * (reference/base/store.h) under the key of persistent_key.h.  The persistent cache is searched
 * when the in-memory cache has no program; a hit replaces compiling and linking, and nothing else
 * changes: resolution, selection and the in-memory cache work as without it.  An entry that is
 * damaged, or that the device refuses, is traced and replaced; a folder that cannot be written is
 * traced once, and the run continues.  Only devices with the capability program_binaries take part.
 *
 * Source: document 003 (SharedLibraries.md), "Persistent cache". */
#ifndef REFERENCE_PROGRAM_PERSISTENT_H
#define REFERENCE_PROGRAM_PERSISTENT_H

#include "reference/base/store.h"
#include "reference/program/program.h"

/* The maximum total size of all entries, and the total size to which a sweep reduces them, in
 * bytes. */
#define RT_PERSISTENT_SIZE_MAX  (UINT64_C(1) << 30)
#define RT_PERSISTENT_SIZE_KEPT (RT_PERSISTENT_SIZE_MAX / 2)

typedef struct rt_persistent rt_persistent;
struct rt_build_target;

/* Opens the cache in a folder, which is created when the first entry is stored; the caller closes
 * it (NULL does nothing).  `calls` as in rt_store_parameters. */
rt_persistent *rt_persistent_open(rt_text folder, const rt_store_calls *calls);
void rt_persistent_close(rt_persistent *persistent);

/* Like rt_program_build, but searches the manager's persistent cache first and stores what it
 * builds there.  *out_loaded: the program came from the cache.  Called without the lock. */
RT_MUST_USE rt_status rt_persistent_build(rt_program_manager *manager,
                                          const struct rt_build_target *target, uint32_t program_id,
                                          const rt_link_set *set, dev_program **out_executable,
                                          bool *out_loaded);

#endif
