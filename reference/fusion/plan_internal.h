/* The refusal messages, in DPC++'s wording, for both ways of choosing a fused range. */
#ifndef REFERENCE_FUSION_PLAN_INTERNAL_H
#define REFERENCE_FUSION_PLAN_INTERNAL_H

#include "reference/fusion/plan.h"

#define PLAN_OTHER_LOCAL  "Cannot fuse kernels with different local sizes"
#define PLAN_OTHER_OFFSET "Cannot fuse kernels with different offsets"
#define PLAN_NO_UNIFORM_GROUPS                                                                     \
    "Cannot fuse kernels whose fusion would yield non-uniform work-group sizes"
#define PLAN_REMAPPED_OFFSETS                                                                      \
    "Cannot fuse kernels with different global sizes in dimensions [2, N) and non-zero offsets"
#define PLAN_REMAPPED_LOCAL                                                                        \
    "Cannot fuse kernels when any of the fused kernels with a specific local size has different "  \
    "global sizes in dimensions [2, N) or different number of dimensions"

#define PLAN_NO_ITEMS "Cannot fuse kernels without work-items" /* ours */

#define PLAN_REFUSE(sink, rule, text) rt_fail((sink), RT_FUSION_REJECTED, (rule), "%s", (text))

/* rt_fusion_plan in profile dpcpp (plan_shipped.c). */
RT_MUST_USE rt_status rt_fusion_plan_shipped(rt_sink *sink, const rt_fusion_range *ranges,
                                             uint32_t count, rt_fusion_range *out_fused);

#endif
