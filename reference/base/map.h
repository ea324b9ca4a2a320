/* A hash map from texts or 64-bit numbers to 32-bit values (usually indices).
 *
 * Workload: filled while modules load, probed on every launch; entries are replaced and removed
 * when modules are unloaded.  There is no iteration, because nothing observable may depend on hash
 * order. */
#ifndef REFERENCE_BASE_MAP_H
#define REFERENCE_BASE_MAP_H

#include "reference/base/text.h"

typedef struct rt_map {
    struct rt_map_slot *slots;
    uint32_t slot_count; /* power of two, or 0 */
    uint32_t used;       /* slots that hold an entry or a tombstone */
    uint32_t count;      /* entries */
} rt_map;

/* Returned by the find functions for an absent key. */
#define RT_MAP_NONE UINT32_MAX

/* Sets the value of `key` (any value but RT_MAP_NONE).  The key's bytes are borrowed and must live
 * as long as the entry.  Zero-initialise the map before its first use; a map holds keys of one kind
 * only, texts or numbers. */
void rt_map_set(rt_map *map, rt_text key, uint32_t value);
void rt_map_set_number(rt_map *map, uint64_t key, uint32_t value);

/* Returns the value of `key`, or RT_MAP_NONE. */
uint32_t rt_map_find(const rt_map *map, rt_text key);
uint32_t rt_map_find_number(const rt_map *map, uint64_t key);

/* Removes `key`; true if it was present. */
bool rt_map_remove(rt_map *map, rt_text key);

/* Frees the table and leaves the map empty and usable. */
void rt_map_free(rt_map *map);

#endif
