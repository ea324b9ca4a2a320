/* Numbers, and bytes, written as digits.
 *
 * One parser for command lines, logs, properties and names: it accepts digits with leading zeros
 * but no blanks, a sign only where the declaration says so, and no value beyond its bound.  A
 * scenario's numbers have more forms (conformance's number.h); this parser reads their digits too.
 */
#ifndef REFERENCE_BASE_NUMBER_H
#define REFERENCE_BASE_NUMBER_H

#include "reference/base/text.h"

/* Takes the digits off the front of *inout_rest, in base 10 or 16 (letters of either case); all of
 * them, even if the number is too large.  False, and *out_number is 0: there is no digit, or the
 * number exceeds `most`; only in the second case has *inout_rest become shorter. */
bool rt_number_take(rt_text *inout_rest, uint32_t base, uint64_t most, uint64_t *out_number);

/* Parses all of `text` as a decimal number.  False, and *out_number is 0: it contains anything but
 * digits, or the number is not between `least` and `most`. */
bool rt_number_read(rt_text text, uint64_t least, uint64_t most, uint64_t *out_number);
bool rt_number_read_u32(rt_text text, uint32_t least, uint32_t most, uint32_t *out_number);

/* Like rt_number_read, but also accepts negative numbers, which begin with a minus sign. */
bool rt_number_read_signed(rt_text text, int64_t least, int64_t most, int64_t *out_number);

/* Takes the next number of a list such as "3,0,12" off the front of *inout_list, with the comma
 * that follows it.  False: there is no number, it exceeds `most`, or what follows it is neither the
 * end of the list nor a comma and another item. */
bool rt_number_next(rt_text *inout_list, uint64_t most, uint64_t *out_number);

/* The value of a hexadecimal digit of either case; -1: not a digit. */
int rt_hex_digit(char digit);

/* Decodes `digits`, two per byte, into out_bytes, which has room for digits.length / 2.  False: an
 * odd number of characters, or one that is not a digit; out_bytes is then unspecified. */
bool rt_hex_read(rt_text digits, uint8_t *out_bytes);

/* Appends two lower-case digits per byte, in byte order. */
void rt_buffer_append_hex(rt_buffer *out, rt_bytes bytes);

#endif
