/* Numbers as scenarios write them, and their bytes. */
#ifndef CONFORMANCE_SCENARIO_NUMBER_H
#define CONFORMANCE_SCENARIO_NUMBER_H

#include "conformance/scenario/yaml/yaml.h"

#include <inttypes.h>

/* A whole number that has no type yet. */
typedef struct scn_integer {
    bool negative; /* never with magnitude 0 */
    uint64_t magnitude;
} scn_integer;

/* Reads a plain scalar: an optional sign, then decimal digits or "0x" and hexadecimal digits; no
 * leading zeros, no underscores.  `noun` is what messages expect: "a count".  False after a
 * problem. */
bool scn_integer_read(scn_reporter *reporter, const scn_node *node, const char *noun,
                      scn_integer *out_integer);

/* Reads one number of `type` into scn_type_size(type) little-endian bytes.  Integers must be in
 * the type's range.  Floating types take whole numbers and decimals (rounded once, to nearest, ties
 * to even), hexadecimal floats (which must be exact), inf and nan, each with an optional sign, and
 * nan(0x1): a NaN with that fraction field.  False after a problem. */
bool scn_number_read(scn_reporter *reporter, scn_type type, const scn_node *node,
                     uint8_t *out_bytes);

/* Writes a whole number as a number of `type`; false if the type cannot hold it exactly. */
bool scn_number_of_integer(scn_type type, scn_integer integer, uint8_t *out_bytes);

/* Writes the number of `type` that 64 random bits stand for. Integers take their lowest bits, so
 * every value can occur. Floating-point numbers are n / 2^p - 1, where n is the highest p + 1 bits
 * and p the type's precision (11, 24, 53): evenly spread over [-1, 1), and exact. */
void scn_number_of_bits(scn_type type, uint64_t bits, uint8_t *out_bytes);

/* Reads a number that is finite and not negative, as a double.  False after a problem. */
bool scn_magnitude_read(scn_reporter *reporter, const scn_node *node, const char *noun,
                        double *out_value);

/* Reads a text of hexadecimal digits, two for each byte, with blanks allowed between bytes, into
 * bytes in the reporter's arena; one or more. False after a problem. */
bool scn_hexadecimal_read(scn_reporter *reporter, const scn_node *node, rt_bytes *out_bytes);

#endif
