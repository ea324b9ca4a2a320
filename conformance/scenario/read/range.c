/* The sizes and offsets of an nd-range, for submits and oracles. */
#include "conformance/scenario/read/range.h"

static const scn_shape shape_size = {SCN_INTEGER("a number of work-items", 1, UINT32_MAX)};
const scn_shape scn_shape_sizes = {
    SCN_LIST("a list of 1 to 3 work-item counts", uint64_t, &shape_size),
    .least = 1,
    .most = RT_ND_RANGE_DIMENSIONS,
    .in_place = true,
};
static const scn_shape shape_local = {SCN_INTEGER("a number of work-items", 0, UINT32_MAX)};
const scn_shape scn_shape_local_sizes = {
    SCN_LIST("a list of 1 to 3 work-item counts", uint64_t, &shape_local),
    .least = 1,
    .most = RT_ND_RANGE_DIMENSIONS,
    .in_place = true,
};
static const scn_shape shape_offset = {SCN_INTEGER("an offset", 0, UINT32_MAX)};
const scn_shape scn_shape_offsets = {
    SCN_LIST("a list of 1 to 3 offsets", uint64_t, &shape_offset),
    .least = 1,
    .most = RT_ND_RANGE_DIMENSIONS,
    .in_place = true,
};
