/* Chooses the range of a fused kernel, or refuses lists that have none, as the documents say: with
 * the offset and the local size on which the ranges agree, the first input with the most work-items
 * into whose range every input fits.  If there is none, the refusal is that of the first such
 * input. */
#include "reference/fusion/plan_internal.h"

#include "reference/base/check.h"

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

bool rt_fusion_remaps_ids(const rt_fusion_range *input, const rt_fusion_range *fused)
{
    if (input->dimensions != fused->dimensions) return true;
    for (uint32_t d = 0; d + 1 < input->dimensions; d++) {
        if (input->global[d] != fused->global[d]) return true;
    }
    return false;
}

/* ---- Sizes and offsets of the list -------------------------------------------------------- */

/* Refuses different offsets, and stores the local size on which the ranges agree; all 0 if no range
 * specifies one. */
static rt_status common_local(rt_sink *sink, const rt_fusion_range *ranges, uint32_t count,
                              uint64_t *out_local)
{
    memset(out_local, 0, DIMENSIONS * sizeof *out_local);
    for (uint32_t i = 0; i < count; i++) {
        if (!has_local(&ranges[i])) continue;
        bool is_other = out_local[0] != 0 && !sizes_equal(out_local, ranges[i].local);
        if (RULE(KF_RANGE_10, is_other))
            return PLAN_REFUSE(sink, RT_RULE_KF_RANGE_10, PLAN_OTHER_LOCAL);
        memcpy(out_local, ranges[i].local, sizeof ranges[i].local);
    }
    for (uint32_t i = 1; i < count; i++) {
        bool is_other = !sizes_equal(ranges[0].offset, ranges[i].offset);
        if (RULE(KF_RANGE_09, is_other))
            return PLAN_REFUSE(sink, RT_RULE_KF_RANGE_09, PLAN_OTHER_OFFSET);
    }
    return RT_STATUS_OK;
}

/* ---- Checks of a candidate ---------------------------------------------------------------- */

/* Checks that all inputs fit into the candidate.  Nothing else restricts the combination, neither
 * numbers of dimensions (KF-RANGE-13) nor equal offsets without remapping (KF-RANGE-12). */
static rt_status check_candidate(rt_sink *sink, const rt_fusion_range *ranges, uint32_t count,
                                 const rt_fusion_range *fused)
{
    if (has_local(fused) && RULE(KF_RANGE_06, !rt_fusion_local_divides(fused)))
        return PLAN_REFUSE(sink, RT_RULE_KF_RANGE_06, PLAN_NO_UNIFORM_GROUPS);
    for (uint32_t i = 0; i < count; i++) {
        const rt_fusion_range *input = &ranges[i];
        bool remaps = rt_fusion_remaps_ids(input, fused);
        if (remaps && RULE(KF_RANGE_11, has_offset(fused)))
            return PLAN_REFUSE(sink, RT_RULE_KF_RANGE_11, PLAN_REMAPPED_OFFSETS);
        bool is_split = has_local(input) && !rt_fusion_groups_stay_whole(input, fused);
        if (RULE(KF_RANGE_15, is_split))
            return PLAN_REFUSE(sink, RT_RULE_KF_RANGE_15, PLAN_REMAPPED_LOCAL);
    }
    return RT_STATUS_OK;
}

/* ---- The plan ----------------------------------------------------------------------------- */

static rt_status plan(rt_sink *sink, const rt_fusion_range *ranges, uint32_t count,
                      rt_fusion_range *out_fused)
{
    uint64_t local[DIMENSIONS], items = 0;
    RT_TRY(common_local(sink, ranges, count, local));
    for (uint32_t i = 0; i < count; i++)
        items = rt_fusion_items(&ranges[i]) > items ? rt_fusion_items(&ranges[i]) : items;
    /* A fused kernel has as many work-items as its largest input (KF-RANGE-02, KF-RANGE-05); which
     * of several ranges it has is open (KF-RANGE-17). */
    rt_status refusal = RT_STATUS_OK;
    for (uint32_t i = 0; i < count; i++) {
        if (rt_fusion_items(&ranges[i]) != items) continue;
        *out_fused = ranges[i];
        /* The common local size keeps the groups of every input whole (KF-RANGE-03). */
        memcpy(out_fused->local, local, sizeof local);
        rt_status checked = check_candidate(sink, ranges, count, out_fused);
        if (rt_ok(checked)) return RT_STATUS_OK;
        if (rt_ok(refusal)) refusal = checked;
    }
    CHECK(!rt_ok(refusal)); /* An input has the most work-items. */
    return refusal;
}

rt_status rt_fusion_plan(rt_sink *sink, rt_profile profile, const rt_fusion_range *ranges,
                         uint32_t count, rt_fusion_range *out_fused)
{
    CHECK(count >= 1 && (unsigned)profile < RT_PROFILE_COUNT);
    for (uint32_t i = 0; i < count; i++) {
        CHECK(ranges[i].dimensions >= 1);
        /* No document speaks of them; the list runs kernel by kernel. */
        if (rt_fusion_items(&ranges[i]) == 0) return PLAN_REFUSE(sink, RT_RULE_NONE, PLAN_NO_ITEMS);
    }
    return profile == RT_PROFILE_DPCPP ? rt_fusion_plan_shipped(sink, ranges, count, out_fused)
                                       : plan(sink, ranges, count, out_fused);
}
