/* Finds patterns in the indices of differing elements, to show which work-items, work-groups or
 * lanes went wrong. */
#ifndef CONFORMANCE_VERDICT_PATTERN_H
#define CONFORMANCE_VERDICT_PATTERN_H

#include "reference/base/arena.h"

typedef struct cnf_pattern {
    uint64_t count; /* number of indices */
    uint64_t first; /* the lowest */
    rt_text text;   /* "odd indices", "every 4th from 2", "runs of 64, every 128th from 64", … */
} cnf_pattern;

/* Describes the indices below `total` whose byte is nonzero; returns a zeroed pattern if there are
 * none. The text lives in the arena or is static. */
cnf_pattern cnf_pattern_find(rt_arena *arena, const uint8_t *differs, uint64_t total);

#endif
