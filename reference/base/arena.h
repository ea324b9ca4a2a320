/* Memory whose objects share one lifetime (that of a scenario, an image, a link or a submission)
 * and are freed together, never one by one.
 *
 * An arena is used by one thread at a time.  Under Valgrind, unallocated memory is marked
 * inaccessible and a redzone separates objects; with RT_ARENA_BLOCKS defined (the sanitizer preset
 * does) each object is a heap block of its size, so that the sanitizer also detects overruns and
 * uses after the reset. */
#ifndef REFERENCE_BASE_ARENA_H
#define REFERENCE_BASE_ARENA_H

#include "reference/base/text.h"

#include <stddef.h>

typedef struct rt_arena {
    struct rt_arena_block *blocks; /* newest first */
    size_t used;                   /* bytes allocated from the newest block */
    size_t total;                  /* bytes allocated since the last reset */
} rt_arena;

/* Returns size_bytes zeroed bytes, aligned for any object, valid until the arena is reset.  Never
 * NULL.  Zero-initialise the arena before its first use. */
void *rt_arena_alloc(rt_arena *arena, size_t size_bytes);

/* Like rt_arena_alloc for count objects of size_bytes each. */
void *rt_arena_alloc_array(rt_arena *arena, size_t count, size_t size_bytes);

/* Copies text into the arena, followed by a NUL byte that is not part of the length. */
rt_text rt_arena_text(rt_arena *arena, rt_text text);

/* Formats into the arena, followed by a NUL byte that is not part of the length. */
rt_text rt_arena_printf(rt_arena *arena, const char *format, ...) RT_PRINTF(2, 3);

/* Copies count objects of size_bytes each; items may be NULL if count is 0. */
void *rt_arena_copy(rt_arena *arena, const void *items, size_t count, size_t size_bytes);

/* Copies bytes into the arena. */
rt_bytes rt_arena_bytes(rt_arena *arena, rt_bytes bytes);

/* Frees everything allocated from the arena and leaves it empty and usable. */
void rt_arena_reset(rt_arena *arena);

#endif
