/* "Did you mean": finds the valid name that was probably meant by a mistyped one.
 *
 * All messages share one threshold: a name is near if at most one edit per three bytes of the
 * mistyped name, plus one, turns one into the other (a swap of two letters counts as two edits),
 * and if the number of edits is less than the number of bytes in the mistyped name (otherwise
 * nothing of it would remain). */
#ifndef REFERENCE_BASE_NEAREST_H
#define REFERENCE_BASE_NEAREST_H

#include "reference/base/text.h"

/* If no name is near, up to this many names are listed. */
#define RT_NEAREST_LISTED_MAX 8

/* Names of different things that share most of their bytes, such as paths, are typing mistakes of
 * each other only up to this many edits. */
#define RT_NEAREST_TYPO_MAX 2

/* A search for a name.  The texts are borrowed. */
typedef struct rt_nearest {
    rt_text wanted;
    rt_text best;                           /* empty: no name is near so far */
    uint32_t distance;                      /* distance of `best` or, if that is empty, the smallest
                                             * distance that is too far */
    uint32_t offered_count;                 /* distinct names offered, up to LISTED_MAX + 1, which
                                             * means too many to list */
    rt_text offered[RT_NEAREST_LISTED_MAX]; /* the first names offered */
} rt_nearest;

/* Begins a search for a name near `wanted`. */
rt_nearest rt_nearest_to(rt_text wanted);

/* Considers a valid name.  Of equally near names the first is kept. */
void rt_nearest_offer(rt_nearest *nearest, rt_text candidate);

/* Appends "; did you mean 'NAME'?" and returns true; false if no name is near. */
bool rt_nearest_suggest(const rt_nearest *nearest, rt_buffer *out);

/* Like rt_nearest_suggest; if no name is near, appends "; expected one of: A, B", or nothing if no
 * name, or more than RT_NEAREST_LISTED_MAX, were offered. */
void rt_nearest_hint(const rt_nearest *nearest, rt_buffer *out);

/* Smallest number of single-byte insertions, deletions and replacements that turn a into b, or
 * `limit` if that is smaller.  The distance to or from a text of more than 64 bytes counts as
 * `limit`. */
uint32_t rt_text_distance(rt_text a, rt_text b, uint32_t limit);

#endif
