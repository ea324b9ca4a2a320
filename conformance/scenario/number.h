/* Numbers as scenarios write them, and elements of memories made of them. */
#ifndef CONFORMANCE_SCENARIO_NUMBER_H
#define CONFORMANCE_SCENARIO_NUMBER_H

#include "conformance/scenario/yaml.h"

#include <inttypes.h>

/* A whole number before anyone said which type it shall have. */
typedef struct scn_integer {
    bool negative; /* never with magnitude 0 */
    uint64_t magnitude;
} scn_integer;

/* Reads a plain scalar: an optional sign, then decimal digits or "0x" and hexadecimal digits; no
 * leading zeros, no underscores.  `noun` is what messages expect: "a count".  False after a
 * problem. */
bool scn_integer_read(scn_reporter *reporter, const scn_node *node, const char *noun,
                      scn_integer *out_integer);

/* Reads one element of `type` into scn_type_size(type) little-endian bytes.  Integers must be in
 * the type's range.  Floating types take whole numbers, decimals (rounded to nearest, ties to
 * even), hexadecimal floats (which must be exact), inf, -inf and nan (the quiet NaN, 0x7fc00000 or
 * 0x7ff8000000000000).  False after a problem. */
bool scn_element_read(scn_reporter *reporter, scn_type type, const scn_node *node,
                      uint8_t *out_bytes);

/* Writes the number n as an element of `type`; false where the type cannot hold it exactly. */
bool scn_element_of_index(scn_type type, uint64_t n, uint8_t *out_bytes);

#endif
