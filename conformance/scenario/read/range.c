/* Sizes and offsets of an nd-range, of a submit or an oracle. */
#include "conformance/scenario/read/range.h"

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
    .in_place = true,
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
    .in_place = true,
};
