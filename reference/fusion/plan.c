/* Chooses the range of a fused kernel, or refuses lists that have none, as the documents say.
 *
 *   equal ranges        that range
 *   different ranges    one offset, and one local size for all ranges that specify any; then, of
 *                       the inputs with the most work-items, the first in DPC++'s order of
 *                       preference into which every input fits
 *   no candidate fits   the refusal of the preferred one */
#include "reference/fusion/plan_internal.h"

#include "reference/base/check.h"
#include "reference/base/vector.h"

#include <string.h>

enum { DIMENSIONS = RT_ND_RANGE_DIMENSIONS };

/* ---- Ranges ------------------------------------------------------------------------------- */

static uint64_t product(const uint64_t *sizes)
{
    uint64_t all = 1;
    for (uint32_t d = 0; d < DIMENSIONS; d++)
        all *= sizes[d];
    return all;
}

uint64_t rt_fusion_items(const rt_fusion_range *range)
{
    return product(range->global);
}

uint64_t rt_fusion_group_items(const rt_fusion_range *range)
{
    return product(range->local);
}

static bool has_local(const rt_fusion_range *range)
{
    return range->local[0] != 0;
}

static bool has_offset(const rt_fusion_range *range)
{
    return range->offset[0] != 0 || range->offset[1] != 0 || range->offset[2] != 0;
}

static bool sizes_equal(const uint64_t *a, const uint64_t *b)
{
    return memcmp(a, b, DIMENSIONS * sizeof *a) == 0;
}

static bool global_equal(const rt_fusion_range *a, const rt_fusion_range *b)
{
    return a->dimensions == b->dimensions && sizes_equal(a->global, b->global);
}

bool rt_fusion_remaps_ids(const rt_fusion_range *input, const rt_fusion_range *fused)
{
    if (input->dimensions != fused->dimensions) return true;
    for (uint32_t d = 0; d + 1 < input->dimensions; d++) {
        if (input->global[d] != fused->global[d]) return true;
    }
    return false;
}

/* ---- Sizes and offsets of the list -------------------------------------------------------- */

/* Stores in *out_common the local size and the offset on which the ranges agree; the local size
 * stays unspecified if no range specifies one. */
static rt_status common_sizes(rt_sink *sink, const rt_fusion_range *ranges, uint32_t count,
                              rt_fusion_range *out_common)
{
    *out_common = (rt_fusion_range){0};
    memcpy(out_common->offset, ranges[0].offset, sizeof out_common->offset);
    for (uint32_t i = 0; i < count; i++) {
        if (!has_local(&ranges[i])) continue;
        bool first = !has_local(out_common);
        bool is_other = !first && !sizes_equal(out_common->local, ranges[i].local);
        if (RULE(KF_RANGE_10, is_other))
            return PLAN_REFUSE(sink, RT_RULE_KF_RANGE_10, PLAN_OTHER_LOCAL);
        if (first) memcpy(out_common->local, ranges[i].local, sizeof out_common->local);
    }
    for (uint32_t i = 1; i < count; i++) {
        bool is_other = !sizes_equal(out_common->offset, ranges[i].offset);
        if (RULE(KF_RANGE_09, is_other))
            return PLAN_REFUSE(sink, RT_RULE_KF_RANGE_09, PLAN_OTHER_OFFSET);
    }
    return RT_STATUS_OK;
}

/* ---- Checks of a candidate ---------------------------------------------------------------- */

/* True if every work-group of the input lies within a single group of the fused range, whose groups
 * have the same size.
 *
 * A group consists of local[1] * local[2] runs of local[0] neighbouring linear ids. Both ranges cut
 * the sequence of linear ids into runs at the multiples of that length, so only the distances
 * between the runs of a group remain to be compared: a row along dimension 1, a plane along
 * dimension 2.
 */
static bool groups_stay_whole(const rt_fusion_range *input, const rt_fusion_range *fused)
{
    bool rows = input->local[1] == 1 || input->global[0] == fused->global[0];
    bool planes = input->local[2] == 1 ||
                  input->global[0] * input->global[1] == fused->global[0] * fused->global[1];
    return rows && planes;
}

static bool divides(const uint64_t *local, const uint64_t *global)
{
    for (uint32_t d = 0; d < DIMENSIONS; d++) {
        if (global[d] % local[d] != 0) return false;
    }
    return true;
}

/* Checks that all inputs fit into the candidate.  Nothing else restricts the combination, neither
 * numbers of dimensions (KF-RANGE-13) nor equal offsets without remapping (KF-RANGE-12). */
static rt_status check_candidate(rt_sink *sink, const rt_fusion_range *ranges, uint32_t count,
                                 const rt_fusion_range *fused)
{
    if (has_local(fused) && RULE(KF_RANGE_06, !divides(fused->local, fused->global)))
        return PLAN_REFUSE(sink, RT_RULE_KF_RANGE_06, PLAN_NO_UNIFORM_GROUPS);
    for (uint32_t i = 0; i < count; i++) {
        const rt_fusion_range *input = &ranges[i];
        bool remaps = rt_fusion_remaps_ids(input, fused);
        if (remaps && RULE(KF_RANGE_11, has_offset(fused)))
            return PLAN_REFUSE(sink, RT_RULE_KF_RANGE_11, PLAN_REMAPPED_OFFSETS);
        bool is_split = has_local(input) && !groups_stay_whole(input, fused);
        if (remaps && RULE(KF_RANGE_15, is_split))
            return PLAN_REFUSE(sink, RT_RULE_KF_RANGE_15, PLAN_REMAPPED_LOCAL);
    }
    return RT_STATUS_OK;
}

/* ---- Candidates --------------------------------------------------------------------------- */

static uint32_t frequency(const rt_fusion_range *ranges, uint32_t count,
                          const rt_fusion_range *range)
{
    uint32_t equal = 0;
    for (uint32_t i = 0; i < count; i++)
        equal += global_equal(&ranges[i], range);
    CHECK(equal >= 1); /* The range is one of `ranges`. */
    return equal;
}

/* True if `a` is lexicographically greater, in SYCL's order of dimensions. */
static bool is_greater(const rt_fusion_range *a, const rt_fusion_range *b)
{
    for (uint32_t i = 0; i < DIMENSIONS; i++) {
        uint64_t size_a = i < a->dimensions ? a->global[a->dimensions - 1 - i] : 1;
        uint64_t size_b = i < b->dimensions ? b->global[b->dimensions - 1 - i] : 1;
        if (size_a != size_b) return size_a > size_b;
    }
    return a->dimensions > b->dimensions;
}

/* True if shipped DPC++ prefers `a` of two ranges with equally many work-items (tag B23): the one
 * whose global size is more frequent in the list, otherwise the lexicographically greater one. */
static bool is_preferred(const rt_fusion_range *ranges, uint32_t count, const rt_fusion_range *a,
                         const rt_fusion_range *b)
{
    uint32_t often_a = frequency(ranges, count, a), often_b = frequency(ranges, count, b);
    if (often_a != often_b) return often_a > often_b;
    return is_greater(a, b);
}

/* The inputs whose range can be the fused range, one per global size, the preferred one first; the
 * caller frees the array.  A fused kernel has as many work-items as its largest input (KF-RANGE-02,
 * KF-RANGE-05); which of several ranges it has is open (KF-RANGE-17). */
static rt_fusion_range *candidates_make(const rt_fusion_range *ranges, uint32_t count,
                                        uint32_t *out_count)
{
    rt_fusion_range *candidates = rt_alloc_array(count, sizeof *candidates);
    uint64_t items = 0;
    for (uint32_t i = 0; i < count; i++)
        items = rt_fusion_items(&ranges[i]) > items ? rt_fusion_items(&ranges[i]) : items;
    *out_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (rt_fusion_items(&ranges[i]) != items) continue;
        uint32_t at = 0;
        while (at < *out_count && !global_equal(&candidates[at], &ranges[i]) &&
               is_preferred(ranges, count, &candidates[at], &ranges[i]))
            at++;
        CHECK(at <= *out_count && *out_count < count);
        bool is_candidate = false;
        for (uint32_t k = at; k < *out_count; k++)
            is_candidate = is_candidate || global_equal(&candidates[k], &ranges[i]);
        if (is_candidate) continue;
        for (uint32_t k = (*out_count)++; k > at; k--)
            candidates[k] = candidates[k - 1];
        candidates[at] = ranges[i];
        CHECK(rt_fusion_items(&candidates[at]) == items);
    }
    CHECK(*out_count >= 1 && *out_count <= count);
    return candidates;
}

/* ---- The plan ----------------------------------------------------------------------------- */

static rt_status plan_different(rt_sink *sink, const rt_fusion_range *ranges, uint32_t count,
                                rt_fusion_range *out_fused)
{
    rt_fusion_range common;
    RT_TRY(common_sizes(sink, ranges, count, &common));
    uint32_t candidate_count = 0;
    rt_fusion_range *candidates = candidates_make(ranges, count, &candidate_count);
    rt_status refusal = RT_STATUS_OK;
    bool found = false;
    for (uint32_t i = 0; i < candidate_count && !found; i++) {
        rt_fusion_range fused = candidates[i];
        /* The common local size keeps the groups of every input whole (KF-RANGE-03). */
        memcpy(fused.local, common.local, sizeof common.local);
        memcpy(fused.offset, common.offset, sizeof common.offset);
        rt_status checked = check_candidate(sink, ranges, count, &fused);
        found = rt_ok(checked);
        if (found) *out_fused = fused;
        if (i == 0) refusal = checked;
    }
    rt_free(candidates);
    return found ? RT_STATUS_OK : refusal;
}

rt_status rt_fusion_plan(rt_sink *sink, rt_profile profile, const rt_fusion_range *ranges,
                         uint32_t count, rt_fusion_range *out_fused)
{
    CHECK(count >= 1);
    for (uint32_t i = 0; i < count; i++) {
        CHECK(ranges[i].dimensions >= 1);
        /* No document speaks of them; the list runs kernel by kernel. */
        if (rt_fusion_items(&ranges[i]) == 0) return PLAN_REFUSE(sink, RT_RULE_NONE, PLAN_NO_ITEMS);
    }
    if (profile == RT_PROFILE_DPCPP) return rt_fusion_plan_shipped(sink, ranges, count, out_fused);
    CHECK((unsigned)profile < RT_PROFILE_COUNT);
    *out_fused = ranges[0];
    bool all_equal = true;
    for (uint32_t i = 1; i < count && all_equal; i++)
        all_equal = global_equal(&ranges[i], out_fused) &&
                    sizes_equal(ranges[i].local, out_fused->local) &&
                    sizes_equal(ranges[i].offset, out_fused->offset);
    return all_equal ? RT_STATUS_OK : plan_different(sink, ranges, count, out_fused);
}
