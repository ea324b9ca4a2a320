/* The launch geometry of a fused kernel: whether the ranges of a list can be combined, and which
 * range the fused kernel gets.
 *
 * Indices are those of get_global_id: index 0 varies fastest. The document uses SYCL's indices, in
 * which 0 varies slowest; its "any component in the range [2, num_dims]" means any component but
 * the last here. Source: document 001 (KernelFusionJIT.md), "Restrictions" and "Work-item
 * remapping". */
#ifndef REFERENCE_FUSION_PLAN_H
#define REFERENCE_FUSION_PLAN_H

#include "reference/base/profile.h"
#include "reference/base/status.h"
#include "reference/image/fusion_request.h"

/* Finds the fused range for the ranges of count >= 1 input kernels.  FUSION_REJECTED, with the
 * restriction's rule: they cannot be fused; the message gives the reason in DPC++'s wording.  If
 * several ranges are possible, profile `documents` takes that of one of the inputs; profile `dpcpp`
 * takes the one that shipped DPC++ takes, and refuses what shipped DPC++ refuses
 * (requirements.yaml, key dpcpp, tags B23 to B29). */
RT_MUST_USE rt_status rt_fusion_plan(rt_sink *sink, rt_profile profile,
                                     const rt_fusion_range *ranges, uint32_t count,
                                     rt_fusion_range *out_fused);

/* True if an input kernel's ids must be recomputed under the fused range: the number of dimensions
 * differs, or the global size differs in a dimension other than the slowest. */
bool rt_fusion_remaps_ids(const rt_fusion_range *input, const rt_fusion_range *fused);

/* The number of work-items in a range, and in one of its work-groups (0 if the local size is
 * unspecified). */
uint64_t rt_fusion_items(const rt_fusion_range *range);
uint64_t rt_fusion_group_items(const rt_fusion_range *range);

#endif
