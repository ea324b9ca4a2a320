/* "Did you mean": the valid name that a mistyped one was probably meant to be.
 *
 * One threshold for every message: a name is near when one edit for three of the mistyped name's
 * bytes, and one more, turn one into the other (a swap of two letters counts as two), and fewer
 * than the mistyped name has bytes, as otherwise nothing of it remains. */
#ifndef REFERENCE_BASE_NEAREST_H
#define REFERENCE_BASE_NEAREST_H

#include "reference/base/text.h"

/* Names up to this many are listed where none is near. */
#define RT_NEAREST_LISTED_MAX 8

/* A search.  The texts are borrowed. */
typedef struct rt_nearest {
    rt_text wanted;
    rt_text best;                           /* empty: none near enough so far */
    uint32_t distance;                      /* best's; without one, the first that is too far */
    uint32_t offered_count;                 /* different names; more than LISTED_MAX: many */
    rt_text offered[RT_NEAREST_LISTED_MAX]; /* the first of them */
} rt_nearest;

/* Begins a search for a name near `wanted`. */
rt_nearest rt_nearest_to(rt_text wanted);

/* Considers a valid name.  The first of equally near ones is kept. */
void rt_nearest_offer(rt_nearest *nearest, rt_text candidate);

/* Appends "; did you mean 'NAME'?" and returns true; false where no name is near. */
bool rt_nearest_suggest(const rt_nearest *nearest, rt_buffer *out);

/* The same; where no name is near, appends "; expected one of: A, B", or nothing where no name or
 * more than RT_NEAREST_LISTED_MAX were offered. */
void rt_nearest_hint(const rt_nearest *nearest, rt_buffer *out);

/* Number of single-byte insertions, deletions and replacements that turn a into b, at most `limit`
 * (then `limit` is returned).  Texts of more than 64 bytes are `limit` apart. */
uint32_t rt_text_distance(rt_text a, rt_text b, uint32_t limit);

#endif
