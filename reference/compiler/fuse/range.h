/* Compares a kernel's nd-range with that of the fused launch; arithmetic only. */
#ifndef REFERENCE_COMPILER_FUSE_RANGE_H
#define REFERENCE_COMPILER_FUSE_RANGE_H

#include "reference/image/fusion_request.h"

/* Which values have to be remapped for one kernel of the list. Source: document 001, "Work-item
 * remapping". */
typedef struct pl_remap {
    bool sizes;  /* global_size, global_offset and the number of dimensions are the kernel's own */
    bool groups; /* local_size and num_work_groups too */
    bool ids;    /* global_id, local_id and group_id are computed from the global linear id */
    bool guard;  /* some work-items of the launch are past the kernel's range */
    /* Each work-group of the launch is entirely inside or entirely past the kernel's range, so the
     * guarded code may contain the kernel's own barriers (restriction 4). */
    bool guard_uniform;
} pl_remap;

/* Compares a kernel's range with that of the launch, for a list whose ranges are not all the same.
 */
pl_remap pl_remap_of(const rt_fusion_range *kernel, const rt_fusion_range *launch);

/* Reports whether two ranges are equal in every component. */
bool pl_range_equal(const rt_fusion_range *a, const rt_fusion_range *b);

/* The number of work-items; it does not overflow because rt_fusion_request_read accepted the range.
 */
uint64_t pl_range_items(const rt_fusion_range *range);

/* Reports whether the local size was given. */
bool pl_range_has_local(const rt_fusion_range *range);

#endif
