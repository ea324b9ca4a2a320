/* The launch geometry of a fused kernel: whether the ranges of a list can be combined, and which
 * range the fused kernel gets.
 *
 * Indices are get_global_id's: index 0 is the fastest.  The document uses SYCL's indices, of
 * which 0 is the slowest; its "any component in the range [2, num_dims]" is any but the last here.
 * Source: document 001 (KernelFusionJIT.md), "Restrictions" and "Work-item remapping". */
#ifndef REFERENCE_FUSION_PLAN_H
#define REFERENCE_FUSION_PLAN_H

#include "reference/base/profile.h"
#include "reference/base/status.h"
#include "reference/image/fusion_request.h"

/* Finds the range for count >= 1 ranges of input kernels.  FUSION_REJECTED, with the restriction's
 * rule: they cannot be fused; the message gives the reason in DPC++'s wording.  If several ranges
 * are possible, the profile documents takes one of the inputs; dpcpp takes the one that shipped
 * DPC++ takes, and refuses what it refuses (requirements.yaml, key dpcpp, tags B23 to B29). */
RT_MUST_USE rt_status rt_fusion_plan(rt_sink *sink, rt_profile profile,
                                     const rt_fusion_range *ranges, uint32_t count,
                                     rt_fusion_range *out_fused);

/* True if the ids of an input kernel are computed anew under that fused range: the number of
 * dimensions differs, or any component of the global size except the slowest. */
bool rt_fusion_remaps_ids(const rt_fusion_range *input, const rt_fusion_range *fused);

/* The number of work-items of a range; of a work-group, 0 if the size is unspecified. */
uint64_t rt_fusion_items(const rt_fusion_range *range);
uint64_t rt_fusion_group_items(const rt_fusion_range *range);

#endif
