/* Reads numbers as scenarios write them, and converts them to bytes. */
#ifndef CONFORMANCE_SCENARIO_NUMBER_H
#define CONFORMANCE_SCENARIO_NUMBER_H

#include "conformance/scenario/yaml/yaml.h"

#include <inttypes.h>

/* A whole number whose type has not been determined yet. */
typedef struct scn_integer {
    bool negative; /* never if the magnitude is 0 */
    uint64_t magnitude;
} scn_integer;

/* Reads a plain scalar: an optional sign, then decimal digits or "0x" and hexadecimal digits; no
 * leading zeros, no underscores.  `noun` is what messages say was expected, for example "a count".
 * False after a problem. */
bool scn_integer_read(scn_reporter *reporter, const scn_node *node, const char *noun,
                      scn_integer *out_integer);

/* Reads one number of `type` into scn_type_size(type) little-endian bytes.  Integers must be in the
 * type's range.  Floating types take whole numbers and decimals (rounded once, to nearest, ties to
 * even), hexadecimal floats (which must be exact), inf and nan, each with an optional sign, and
 * nan(0x1), a NaN with that fraction field.  False after a problem. */
bool scn_number_read(scn_reporter *reporter, scn_type type, const scn_node *node,
                     uint8_t *out_bytes);

/* The type that a node suggests for a number that is written without one, static: "int" or "long"
 * for a whole number and "float" for any other; NULL if it is not a plain scalar or not a number.
 */
const char *scn_number_type(const scn_node *node);

/* Writes a whole number as a number of `type`; false if the type cannot represent it exactly. */
bool scn_number_of_integer(scn_type type, scn_integer integer, uint8_t *out_bytes);

/* Converts 64 random bits to a number of `type`, and writes it. Integers take the lowest bits, so
 * every value can occur. Floating-point numbers are n / 2^p - 1, where n is the highest p + 1 bits
 * and p is the type's precision (11, 24, 53): evenly spread over [-1, 1), and exact. */
void scn_number_of_bits(scn_type type, uint64_t bits, uint8_t *out_bytes);

/* Reads a finite, non-negative number as a double.  False after a problem. */
bool scn_magnitude_read(scn_reporter *reporter, const scn_node *node, const char *noun,
                        double *out_value);

/* Reads a text of hexadecimal digits, two for each byte, with spaces and line feeds allowed between
 * bytes, into one or more bytes in the reporter's arena. False after a problem. */
bool scn_hexadecimal_read(scn_reporter *reporter, const scn_node *node, rt_bytes *out_bytes);

#endif
