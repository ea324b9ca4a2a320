/* Dimensions are numbered as for get_global_id: the last one varies slowest. The document numbers
 * them in the opposite order.
 */
#include "reference/compiler/fuse/range.h"

bool pl_range_equal(const rt_fusion_range *a, const rt_fusion_range *b)
{
    bool equal = a->dimensions == b->dimensions;
    for (uint32_t i = 0; i < RT_ND_RANGE_DIMENSIONS; i++) {
        equal = equal && a->global[i] == b->global[i] && a->local[i] == b->local[i] &&
                a->offset[i] == b->offset[i];
    }
    return equal;
}

uint64_t pl_range_items(const rt_fusion_range *range)
{
    return range->global[0] * range->global[1] * range->global[2];
}

bool pl_range_has_local(const rt_fusion_range *range)
{
    return range->local[0] > 0;
}

/* True if no group of the launch contains work-items on both sides of `items` in linear order. The
 * boundary is a point (x, y, z): it cuts slab z unless x and y are 0, and row y unless x is 0; a
 * slab or row that is cut must consist of groups that are one work-item thick there. */
static bool is_uniform(const rt_fusion_range *launch, uint64_t items)
{
    uint64_t row = launch->global[0], slab = row * launch->global[1];
    if (items == pl_range_items(launch)) return true;
    if (!pl_range_has_local(launch)) return false;
    uint64_t x = items % row, y = items % slab / row, z = items / slab;
    if (x == 0 && y == 0) return z % launch->local[2] == 0;
    if (launch->local[2] != 1) return false;
    if (x == 0) return y % launch->local[1] == 0;
    return launch->local[1] == 1 && x % launch->local[0] == 0;
}

pl_remap pl_remap_of(const rt_fusion_range *kernel, const rt_fusion_range *launch)
{
    uint64_t items = pl_range_items(kernel);
    CHECK(items <= pl_range_items(launch));
    /* Ids depend on the number of dimensions and on every global size except that of the slowest
     * dimension. */
    bool differs = kernel->dimensions != launch->dimensions;
    for (uint32_t i = 0; i + 1 < kernel->dimensions; i++)
        differs = differs || kernel->global[i] != launch->global[i];
    const pl_remap remap = {
        .sizes = RULE(KF_REMAP_04, true),
        .groups = RULE(KF_REMAP_05, pl_range_has_local(kernel)),
        .ids = RULE(KF_REMAP_06, differs),
        .guard = items < pl_range_items(launch),
        .guard_uniform = is_uniform(launch, items),
    };
    CHECK_IMPLIES(!remap.guard, remap.guard_uniform);
    return remap;
}
