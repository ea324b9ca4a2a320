/* Numbers in memories: their bits, values and texts, and the distance between two of them. */
#ifndef CONFORMANCE_VERDICT_VALUE_H
#define CONFORMANCE_VERDICT_VALUE_H

#include "conformance/scenario/model/model.h"

/* The number's bits as an unsigned number; `bytes` holds scn_type_size(type) bytes, little-endian.
 */
uint64_t cnf_value_bits(scn_type type, const uint8_t *bytes);

/* The value of a floating-point number with the given bits, which a double holds exactly: IEEE 754
 * binary16, binary32 or binary64, by the type's size. */
double cnf_value_float(scn_type type, uint64_t bits);

/* The position of a number among all numbers of its type: equal for equal bits and for all NaNs,
 * which come last; otherwise in numerical order, with -0 just below +0. */
uint64_t cnf_value_order(scn_type type, uint64_t bits);

/* The distance between two numbers of a floating-point type, in steps between adjacent
 * representable numbers. Neither may be NaN; -0 and +0 are 0 apart, the largest number and infinity
 * are 1 apart. */
uint64_t cnf_value_ulp(scn_type type, uint64_t a, uint64_t b);

/* Appends the number in decimal, as scenarios write it (floating-point numbers also in
 * hexadecimal), then its bits. */
void cnf_value_print(rt_buffer *out, scn_type type, const uint8_t *bytes);
/* Appends the number in decimal only. */
void cnf_value_print_decimal(rt_buffer *out, scn_type type, const uint8_t *bytes);

#endif
