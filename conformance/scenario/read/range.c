/* Sizes and offsets of an nd-range, of a submit or an oracle. */
#include "conformance/scenario/read/range.h"

#include <string.h>

static const scn_shape shape_size = {
    .kind = SCN_SHAPE_INTEGER,
    .noun = "a number of work-items",
    .least = 1,
    .most = UINT32_MAX,
};
const scn_shape scn_shape_sizes = {
    .kind = SCN_SHAPE_LIST,
    .noun = "a list of 1 to 3 numbers of work-items",
    .element = &shape_size,
    .element_size = sizeof(uint64_t),
    .least = 1,
    .most = RT_ND_RANGE_DIMENSIONS,
};
static const scn_shape shape_offset = {
    .kind = SCN_SHAPE_INTEGER,
    .noun = "an offset",
    .most = UINT32_MAX,
};
const scn_shape scn_shape_offsets = {
    .kind = SCN_SHAPE_LIST,
    .noun = "a list of 1 to 3 offsets",
    .element = &shape_offset,
    .element_size = sizeof(uint64_t),
    .least = 1,
    .most = RT_ND_RANGE_DIMENSIONS,
};

bool scn_extent_copy(scn_reader *reader, const scn_node *node, const char *key, scn_extent from,
                     uint32_t dimensions, uint64_t *out_sizes)
{
    if (!from.items) return true;
    if (from.count != dimensions) {
        return scn_report(reader->reporter, scn_node_entry(node, key)->value.at,
                          "dimensions of %s: %u, of range: %u; give both the same number", key,
                          from.count, dimensions);
    }
    memcpy(out_sizes, from.items, dimensions * sizeof *out_sizes);
    return true;
}
