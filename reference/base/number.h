/* Numbers and bytes written as digits.
 *
 * One parser for command lines, logs, properties and names: digits without blanks, without a sign
 * unless the declaration says so, leading zeros allowed, and never a value past its bound.  The
 * numbers of a scenario have more forms (conformance's number.h), which end here too. */
#ifndef REFERENCE_BASE_NUMBER_H
#define REFERENCE_BASE_NUMBER_H

#include "reference/base/text.h"

/* Takes the digits at the front of *inout_rest, in base 10 or 16 (letters of either case), all of
 * them even where the number is too large.  False, and *out_number is 0: there is no digit, or the
 * number exceeds `most`; the two differ by whether *inout_rest has become shorter. */
bool rt_number_take(rt_text *inout_rest, uint32_t base, uint64_t most, uint64_t *out_number);

/* The decimal number that is all of `text`.  False, and *out_number is 0: it is not digits alone,
 * or not from `least` to `most`. */
bool rt_number_read(rt_text text, uint64_t least, uint64_t most, uint64_t *out_number);
bool rt_number_read_u32(rt_text text, uint32_t least, uint32_t most, uint32_t *out_number);

/* The same with a minus sign in front where the number is negative. */
bool rt_number_read_signed(rt_text text, int64_t least, int64_t most, int64_t *out_number);

/* Takes the next number of a list such as "3,0,12" off the front of *inout_list, with the comma
 * that follows it.  False: there is none, it exceeds `most`, or nothing follows its comma. */
bool rt_number_next(rt_text *inout_list, uint64_t most, uint64_t *out_number);

/* The value of a hexadecimal digit of either case; -1: it is not one. */
int rt_hex_digit(char digit);

/* Writes the bytes that `digits` stand for, two digits each, to out_bytes, which has room for
 * digits.length / 2.  False: an odd number of characters, or one that is not a digit; what
 * out_bytes then holds is unspecified. */
bool rt_hex_read(rt_text digits, uint8_t *out_bytes);

/* Appends two lower-case digits for each byte, in the order of the bytes. */
void rt_buffer_append_hex(rt_buffer *out, rt_bytes bytes);

#endif
