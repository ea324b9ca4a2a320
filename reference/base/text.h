/* Spans of text and bytes, and a buffer that grows.
 *
 * A span borrows: it is valid as long as the memory it points into.  Text is UTF-8 where it comes
 * from a scenario and any bytes where it comes from an image; it is not NUL-terminated unless a
 * declaration says so. */
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

/* printf arguments for "%.*s". */
#define RT_TEXT_ARG(text) (int)(text).length, (text).data ? (text).data : ""

/* Span over a NUL-terminated string; NULL gives the empty span. */
rt_text rt_text_of(const char *string);

/* True when both hold the same bytes. */
bool rt_text_equal(rt_text a, rt_text b);

/* True when `text` equals the NUL-terminated `string`. */
bool rt_text_is(rt_text text, const char *string);

/* True when `text` begins with the NUL-terminated `prefix`. */
bool rt_text_starts(rt_text text, const char *prefix);

/* The size bytes of `whole` from an offset on.  False, and *out_part is empty: they do not lie
 * inside; offset and size may be anything, such as what a damaged file says. */
bool rt_bytes_slice(rt_bytes whole, uint64_t offset, uint64_t size, rt_bytes *out_part);

/* `text` without its first `count` <= text.length bytes. */
rt_text rt_text_skip(rt_text text, size_t count);

/* Takes `prefix` off the front of *inout_rest; false: the text begins otherwise, and stays. */
bool rt_text_take_prefix(rt_text *inout_rest, const char *prefix);

/* Takes what precedes the first `separator` off the front of *inout_rest, or all of it where there
 * is none, and gives it back.  The separator goes too, but is not part of the result. */
rt_text rt_text_take_until(rt_text *inout_rest, char separator);

/* The beginning of `text`, of at most size_max bytes.  It ends between characters where the text is
 * UTF-8; other bytes are cut anywhere. */
rt_text rt_text_cut(rt_text text, size_t size_max);

/* Byte order: negative, zero or positive as memcmp, the shorter first where one is a prefix. */
int rt_text_compare(rt_text a, rt_text b);

/* A growing run of bytes, always followed by a NUL byte that does not count.  Zero-initialise it.
 */
typedef struct rt_buffer {
    char *data;  /* NULL while empty */
    size_t size; /* bytes, without the NUL */
    size_t capacity;
} rt_buffer;

/* Appends size bytes from data (which may be NULL when size is 0). */
void rt_buffer_append(rt_buffer *buffer, const void *data, size_t size);

/* Appends text, formatted text, one byte. */
void rt_buffer_append_text(rt_buffer *buffer, rt_text text);
void rt_buffer_printf(rt_buffer *buffer, const char *format, ...) RT_PRINTF(2, 3);
void rt_buffer_vprintf(rt_buffer *buffer, const char *format, va_list arguments) RT_PRINTF(2, 0);
void rt_buffer_append_byte(rt_buffer *buffer, char byte);

/* Appends printable ASCII as it is and each other byte as "\xNN". */
void rt_buffer_append_escaped(rt_buffer *buffer, rt_text text);

/* Drops what follows the first `size` bytes, of which the buffer has at least as many. */
void rt_buffer_truncate(rt_buffer *buffer, size_t size);

/* Views of the content, valid until the next append or free. */
rt_text rt_buffer_text(const rt_buffer *buffer);
rt_bytes rt_buffer_bytes(const rt_buffer *buffer);

/* The content as a C string; "" while empty. */
const char *rt_buffer_string(const rt_buffer *buffer);

/* Frees the content and leaves the buffer empty and usable. */
void rt_buffer_free(rt_buffer *buffer);

#endif
