/* The parts of an nd-range as scenarios write them. */
#ifndef CONFORMANCE_SCENARIO_READ_RANGE_H
#define CONFORMANCE_SCENARIO_READ_RANGE_H

#include "conformance/scenario/schema/schema.h"

extern const scn_shape
    scn_shape_sizes; /* LIST of uint64_t[RT_ND_RANGE_DIMENSIONS]: work-item counts */
/* the same, with zeros, which check.c allows if the launch must be refused */
extern const scn_shape scn_shape_local_sizes;
extern const scn_shape scn_shape_offsets; /* the same, with zeros */

/* The schema's condition for objects with `range`: `offset` and `local` have the same number of
 * dimensions. */
#define SCN_DIMENSIONS_ARE(count)                                                                  \
    "{'if': {'properties': {'range': {'minItems': " count ", 'maxItems': " count "}}},"            \
    " 'then': {'properties': {'offset': {'minItems': " count ", 'maxItems': " count "},"           \
    " 'local': {'minItems': " count ", 'maxItems': " count "}}}}"
#define SCN_SAME_DIMENSIONS                                                                        \
    "{'allOf': [" SCN_DIMENSIONS_ARE("1") "," SCN_DIMENSIONS_ARE("2") "," SCN_DIMENSIONS_ARE(      \
        "3") "]}"

#endif
