/* Spans of text and bytes, and a buffer that grows.
 *
 * A span borrows: it is valid as long as the memory it points into.  Text from a scenario is UTF-8;
 * text from an image may be any bytes; it is not NUL-terminated unless a declaration says so. */
#ifndef REFERENCE_BASE_TEXT_H
#define REFERENCE_BASE_TEXT_H

#include "reference/base/check.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

typedef struct rt_text {
    const char *data;
    size_t length; /* bytes */
} rt_text;

typedef struct rt_bytes {
    const uint8_t *data;
    size_t size; /* bytes */
} rt_bytes;

/* A string literal as a constant span. */
#define RT_TEXT(literal) ((rt_text){"" literal "", sizeof(literal) - 1})

/* printf arguments for "%.*s".  `text` is evaluated more than once and must not have a side effect.
 */
#define RT_TEXT_ARG(text) (int)(text).length, (text).data ? (text).data : ""

/* Span over a NUL-terminated string; NULL gives the empty span. */
rt_text rt_text_of(const char *string);

/* The bytes of a text. */
rt_bytes rt_text_bytes(rt_text text);

/* True if both hold the same bytes. */
bool rt_text_equal(rt_text a, rt_text b);

/* True if `text` equals the NUL-terminated `string`. */
bool rt_text_is(rt_text text, const char *string);

/* True if `text` begins with the NUL-terminated `prefix`. */
bool rt_text_starts(rt_text text, const char *prefix);

/* Takes the `size` bytes of `bytes` that start at an offset.  False, and *out_part is empty: they
 * are not all inside `bytes`.  Offset and size may have any values, such as those in a damaged
 * file. */
bool rt_bytes_slice(rt_bytes bytes, uint64_t offset, uint64_t size, rt_bytes *out_part);

/* `text` without its first `count` <= text.length bytes. */
rt_text rt_text_skip(rt_text text, size_t count);

/* Takes `prefix` off the front of *inout_rest; false: the text begins differently, and is
 * unchanged. */
bool rt_text_take_prefix(rt_text *inout_rest, const char *prefix);

/* Takes the text up to the first `separator` off the front of *inout_rest, or all of it if there is
 * none, and returns it.  The separator is removed too, but is not part of the result. */
rt_text rt_text_take_until(rt_text *inout_rest, char separator);

/* The beginning of `text`, at most size_max bytes of it.  UTF-8 text is cut between characters,
 * other bytes anywhere. */
rt_text rt_text_cut(rt_text text, size_t size_max);

/* Compares bytewise; returns a negative, zero or positive value, like memcmp; a prefix sorts before
 * the longer text. */
int rt_text_compare(rt_text a, rt_text b);

/* rt_text_compare as the comparator of an array of texts, for qsort(3). */
int rt_text_order(const void *left, const void *right);

/* A growing sequence of bytes, followed by a NUL byte that is not part of the size. Zero-initialise
 * it. */
typedef struct rt_buffer {
    char *data;  /* NULL while empty */
    size_t size; /* bytes, without the NUL */
    size_t capacity;
} rt_buffer;

/* Appends size bytes from data (which may be NULL if size is 0). */
void rt_buffer_append(rt_buffer *buffer, const void *data, size_t size);

/* Append a text, formatted text or one byte. */
void rt_buffer_append_text(rt_buffer *buffer, rt_text text);
void rt_buffer_printf(rt_buffer *buffer, const char *format, ...) RT_PRINTF(2, 3);
void rt_buffer_vprintf(rt_buffer *buffer, const char *format, va_list arguments) RT_PRINTF(2, 0);
void rt_buffer_append_byte(rt_buffer *buffer, char byte);

/* Appends printable ASCII unchanged and every other byte as "\xNN". */
void rt_buffer_append_escaped(rt_buffer *buffer, rt_text text);

/* Drops everything after the first `size` bytes, of which the buffer must have at least as many. */
void rt_buffer_truncate(rt_buffer *buffer, size_t size);

/* Views of the contents, valid until the next append or free. */
rt_text rt_buffer_text(const rt_buffer *buffer);
rt_bytes rt_buffer_bytes(const rt_buffer *buffer);

/* The contents as a C string; "" while empty. */
const char *rt_buffer_string(const rt_buffer *buffer);

/* Frees the contents and leaves the buffer empty and usable. */
void rt_buffer_free(rt_buffer *buffer);

#endif
