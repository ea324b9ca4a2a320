/* The search for the nearest name, by Levenshtein distance. */
#include "reference/base/nearest.h"

#include "reference/base/utf8.h"

enum { COMPARED_SIZE_MAX = 64 }; /* longest name that is compared, in bytes */

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

uint32_t rt_text_distance(rt_text a, rt_text b, uint32_t limit)
{
    if (a.length > COMPARED_SIZE_MAX || b.length > COMPARED_SIZE_MAX) return limit;
    /* row[j] is the distance between the first i bytes of a and the first j bytes of b. */
    uint32_t row[COMPARED_SIZE_MAX + 1];
    for (uint32_t j = 0; j <= b.length; j++)
        row[j] = j;
    for (uint32_t i = 1; i <= a.length; i++) {
        uint32_t diagonal = row[0];
        row[0] = i;
        for (uint32_t j = 1; j <= b.length; j++) {
            uint32_t replaced = diagonal + (a.data[i - 1] != b.data[j - 1]);
            diagonal = row[j];
            row[j] = least(replaced, 1 + least(row[j], row[j - 1]));
        }
    }
    return least(row[b.length], limit);
}

rt_nearest rt_nearest_to(rt_text wanted)
{
    uint32_t length =
        wanted.length < COMPARED_SIZE_MAX ? (uint32_t)wanted.length : COMPARED_SIZE_MAX;
    return (rt_nearest){.wanted = wanted, .distance = least(length / 3 + 2, length)};
}

/* Adds a candidate to the list unless it is already there; two modules may have a name in common.
 */
static void offered_add(rt_nearest *nearest, rt_text candidate)
{
    if (nearest->offered_count > RT_NEAREST_LISTED_MAX) return;
    for (uint32_t i = 0; i < nearest->offered_count; i++)
        if (rt_text_equal(nearest->offered[i], candidate)) return;
    if (nearest->offered_count < RT_NEAREST_LISTED_MAX)
        nearest->offered[nearest->offered_count] = candidate;
    nearest->offered_count++;
}

void rt_nearest_offer(rt_nearest *nearest, rt_text candidate)
{
    offered_add(nearest, candidate);
    uint32_t distance = rt_text_distance(nearest->wanted, candidate, nearest->distance);
    if (distance >= nearest->distance) return;
    nearest->best = candidate;
    nearest->distance = distance;
}

bool rt_nearest_suggest(const rt_nearest *nearest, rt_buffer *out)
{
    if (nearest->best.length == 0) return false;
    rt_buffer_printf(out, "; did you mean '");
    rt_buffer_append_excerpt(out, nearest->best);
    rt_buffer_printf(out, "'?");
    return true;
}

void rt_nearest_hint(const rt_nearest *nearest, rt_buffer *out)
{
    if (rt_nearest_suggest(nearest, out)) return;
    if (nearest->offered_count > RT_NEAREST_LISTED_MAX) return;
    for (uint32_t i = 0; i < nearest->offered_count; i++) {
        rt_buffer_printf(out, "%s", i > 0 ? ", " : "; expected one of: ");
        rt_buffer_append_excerpt(out, nearest->offered[i]);
    }
}
