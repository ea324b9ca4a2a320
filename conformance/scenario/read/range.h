/* The parts of an nd-range as scenarios write them. */
#ifndef CONFORMANCE_SCENARIO_READ_RANGE_H
#define CONFORMANCE_SCENARIO_READ_RANGE_H

#include "conformance/scenario/schema/schema.h"

/* One to three numbers, as a list shape reads them; items NULL: the key is not there. */
typedef struct scn_extent {
    const uint64_t *items;
    uint32_t count;
} scn_extent;

extern const scn_shape scn_shape_sizes;   /* LIST of uint64_t: numbers of work-items */
extern const scn_shape scn_shape_offsets; /* LIST of uint64_t */

/* Copies the numbers under a key of the object, if it is there, into the first `dimensions` places
 * of the array; false after the problem that they are not as many. */
bool scn_extent_copy(scn_reader *reader, const scn_node *node, const char *key, scn_extent from,
                     uint32_t dimensions, uint64_t *out_sizes);

/* For objects with `range`, whose offset and local have as many numbers: in the schema's words. */
#define SCN_DIMENSIONS_ARE(count)                                                                  \
    "{'if': {'properties': {'range': {'minItems': " count ", 'maxItems': " count "}}},"            \
    " 'then': {'properties': {'offset': {'minItems': " count ", 'maxItems': " count "},"           \
    " 'local': {'minItems': " count ", 'maxItems': " count "}}}}"
#define SCN_SAME_DIMENSIONS                                                                        \
    "{'allOf': [" SCN_DIMENSIONS_ARE("1") "," SCN_DIMENSIONS_ARE("2") "," SCN_DIMENSIONS_ARE(      \
        "3") "]}"

#endif
