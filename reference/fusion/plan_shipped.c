/* Chooses the range of a fused kernel, or refuses, as shipped DPC++ does (requirements.yaml, key
 * dpcpp, tags B23 to B29): with its order of checks, its wording, and its order of indices, in
 * which 0 varies slowest and unused dimensions have size 1. */
#include "reference/fusion/plan.h"

#include "reference/base/check.h"
#include "reference/fusion/plan_internal.h"

#include <string.h>

enum { DIMENSIONS = RT_ND_RANGE_DIMENSIONS };

/* A range in SYCL's order; local all 0: unspecified. */
typedef struct shipped_range {
    uint32_t dimensions;
    uint64_t global[DIMENSIONS], local[DIMENSIONS], offset[DIMENSIONS];
} shipped_range;

static const uint64_t zeros[DIMENSIONS];

static bool equal(const uint64_t *a, const uint64_t *b)
{
    return memcmp(a, b, DIMENSIONS * sizeof *a) == 0;
}

static bool is_specified(const uint64_t *indices)
{
    return !equal(indices, zeros);
}

static shipped_range shipped_of(const rt_fusion_range *range)
{
    bool open = range->local[0] == 0;
    CHECK(range->dimensions >= 1 && range->dimensions <= DIMENSIONS);
    shipped_range turned = {.dimensions = range->dimensions};
    for (uint32_t i = 0; i < DIMENSIONS; i++) {
        bool used = i < range->dimensions;
        uint32_t from = used ? range->dimensions - 1 - i : 0;
        turned.global[i] = used ? range->global[from] : 1;
        turned.local[i] = open ? 0 : used ? range->local[from] : 1;
        turned.offset[i] = used ? range->offset[from] : 0;
    }
    return turned;
}

static rt_fusion_range range_of(const shipped_range *turned)
{
    rt_fusion_range range = {.dimensions = turned->dimensions};
    for (uint32_t d = 0; d < DIMENSIONS; d++) {
        bool used = d < turned->dimensions;
        uint32_t from = used ? turned->dimensions - 1 - d : 0;
        range.global[d] = used ? turned->global[from] : 1;
        range.local[d] = !is_specified(turned->local) ? 0 : used ? turned->local[from] : 1;
        range.offset[d] = used ? turned->offset[from] : 0;
    }
    return range;
}

/* ---- What is common ------------------------------------------------------------------------- */

/* Combines sizes or offsets, which must be equal if specified; all zeros count as unspecified.
 * False: they differ. */
static bool override(uint64_t *common, const uint64_t *indices)
{
    if (!is_specified(indices)) return true;
    if (is_specified(common)) return equal(common, indices);
    memcpy(common, indices, DIMENSIONS * sizeof *common);
    return true;
}

static uint64_t linear_size(const uint64_t *global)
{
    return global[0] * global[1] * global[2];
}

static uint32_t frequency(const rt_fusion_range *ranges, uint32_t count, const uint64_t *global)
{
    uint32_t equals = 0;
    for (uint32_t i = 0; i < count; i++) {
        shipped_range other = shipped_of(&ranges[i]);
        equals += equal(other.global, global);
    }
    CHECK(equals >= 1); /* `global` is the global size of one of `ranges`. */
    return equals;
}

/* The sizes have as many work-items, so two equal ones make all three equal. */
static bool is_greater(const uint64_t *a, const uint64_t *b)
{
    return a[0] != b[0] ? a[0] > b[0] : a[1] > b[1];
}

/* True if `a` is preferred for the fused kernel (tag B23): it has more work-items; with equal
 * numbers, it is more frequent; with equal frequency, it is lexicographically greater. */
static bool is_preferred(const rt_fusion_range *ranges, uint32_t count, const uint64_t *a,
                         const uint64_t *b)
{
    if (linear_size(a) != linear_size(b)) return linear_size(a) > linear_size(b);
    uint32_t often_a = frequency(ranges, count, a), often_b = frequency(ranges, count, b);
    return often_a != often_b ? often_a > often_b : is_greater(a, b);
}

/* ---- Checks --------------------------------------------------------------------------------- */

/* True if an input that is remapped has an offset or a local size. */
static bool some_remapped(const rt_fusion_range *ranges, uint32_t count, const shipped_range *fused,
                          bool with_offset)
{
    for (uint32_t i = 0; i < count; i++) {
        shipped_range input = shipped_of(&ranges[i]);
        bool remaps = input.dimensions != fused->dimensions ||
                      input.global[1] != fused->global[1] || input.global[2] != fused->global[2];
        if (remaps && is_specified(with_offset ? input.offset : input.local)) return true;
    }
    return false;
}

rt_status rt_fusion_plan_shipped(rt_sink *sink, const rt_fusion_range *ranges, uint32_t count,
                                 rt_fusion_range *out_fused)
{
    shipped_range fused = shipped_of(&ranges[0]);
    bool is_uniform = true;
    for (uint32_t i = 1; i < count; i++) {
        shipped_range next = shipped_of(&ranges[i]);
        if (next.dimensions > fused.dimensions) fused.dimensions = next.dimensions;
        if (!override(fused.local, next.local))
            return PLAN_REFUSE(sink, RT_RULE_KF_RANGE_10, PLAN_OTHER_LOCAL);
        if (!override(fused.offset, next.offset))
            return PLAN_REFUSE(sink, RT_RULE_KF_RANGE_09, PLAN_OTHER_OFFSET);
        if (is_preferred(ranges, count, next.global, fused.global))
            memcpy(fused.global, next.global, sizeof next.global);
    }
    for (uint32_t d = 0; d < DIMENSIONS && is_specified(fused.local); d++)
        is_uniform = is_uniform && fused.global[d] % fused.local[d] == 0;
    if (some_remapped(ranges, count, &fused, true))
        return PLAN_REFUSE(sink, RT_RULE_KF_RANGE_11, PLAN_REMAPPED_OFFSETS);
    if (!is_uniform) return PLAN_REFUSE(sink, RT_RULE_KF_RANGE_06, PLAN_NO_UNIFORM_GROUPS);
    if (some_remapped(ranges, count, &fused, false))
        return PLAN_REFUSE(sink, RT_RULE_KF_RANGE_16, PLAN_REMAPPED_LOCAL);
    CHECK(fused.dimensions >= 1 && fused.dimensions <= DIMENSIONS);
    *out_fused = range_of(&fused);
    CHECK(out_fused->dimensions == fused.dimensions);
    CHECK(linear_size(fused.global) == rt_fusion_items(out_fused));
    return RT_STATUS_OK;
}
