/* What becomes of a kernel's work-items in a fused launch: arithmetic on nd-ranges alone. */
#ifndef REFERENCE_COMPILER_FUSE_RANGE_H
#define REFERENCE_COMPILER_FUSE_RANGE_H

#include "reference/image/fusion_request.h"

/* What is asked of one kernel of the list.  Source: document 001, "Work-item remapping". */
typedef struct pl_remap {
    bool sizes;  /* global_size, global_offset and the number of dimensions are the kernel's own */
    bool groups; /* local_size and num_work_groups too */
    bool ids;    /* global_id, local_id and group_id follow from the global linear id */
    bool guard;  /* some work-items of the launch are past the kernel's range */
    /* Each work-group of the launch is wholly inside or wholly past the kernel's range, so that the
     * kernel's own barriers may stand under the guard (restriction 4). */
    bool guard_uniform;
} pl_remap;

/* Compares a kernel's range with that of the launch.  `heterogeneous`: the ranges of the list are
 * not all the same. */
pl_remap pl_remap_of(const rt_fusion_range *kernel, const rt_fusion_range *launch,
                     bool heterogeneous);

/* Equal in every component. */
bool pl_range_equal(const rt_fusion_range *a, const rt_fusion_range *b);

/* The number of work-items; the range is one that rt_fusion_request_read lets through, so that it
 * fits. */
uint64_t pl_range_items(const rt_fusion_range *range);

/* The local size was given. */
bool pl_range_has_local(const rt_fusion_range *range);

#endif
