/* Spans, and the growing buffer. */
#include "reference/base/text.h"

#include "reference/base/alloc.h"

#include <stdio.h>
#include <string.h>

rt_text rt_text_of(const char *string)
{
    return (rt_text){string, string ? strlen(string) : 0};
}

rt_bytes rt_text_bytes(rt_text text)
{
    return (rt_bytes){(const uint8_t *)text.data, text.length};
}

bool rt_text_equal(rt_text a, rt_text b)
{
    return a.length == b.length && (a.length == 0 || memcmp(a.data, b.data, a.length) == 0);
}

bool rt_text_is(rt_text text, const char *string)
{
    /* Most questions are about rows of a table, whose first character differs already. */
    if (text.length > 0 && text.data[0] != string[0]) return false;
    return rt_text_equal(text, rt_text_of(string));
}

bool rt_text_starts(rt_text text, const char *prefix)
{
    size_t length = strlen(prefix);
    return text.length >= length && (length == 0 || memcmp(text.data, prefix, length) == 0);
}

bool rt_bytes_slice(rt_bytes bytes, uint64_t offset, uint64_t size, rt_bytes *out_part)
{
    *out_part = (rt_bytes){0};
    if (offset > bytes.size || size > bytes.size - offset) return false;
    *out_part = (rt_bytes){bytes.data ? bytes.data + offset : NULL, (size_t)size};
    return true;
}

rt_text rt_text_skip(rt_text text, size_t count)
{
    CHECK(count <= text.length);
    return count > 0 ? (rt_text){text.data + count, text.length - count} : text;
}

bool rt_text_take_prefix(rt_text *inout_rest, const char *prefix)
{
    if (!rt_text_starts(*inout_rest, prefix)) return false;
    *inout_rest = rt_text_skip(*inout_rest, strlen(prefix));
    return true;
}

rt_text rt_text_take_until(rt_text *inout_rest, char separator)
{
    rt_text rest = *inout_rest;
    const char *end = rest.length > 0 ? memchr(rest.data, separator, rest.length) : NULL;
    rt_text part = {rest.data, end ? (size_t)(end - rest.data) : rest.length};
    *inout_rest = rt_text_skip(rest, part.length + (end != NULL));
    return part;
}

rt_text rt_text_cut(rt_text text, size_t size_max)
{
    enum { CONTINUED_MAX = 3 }; /* maximum number of continuation bytes of a character */
    if (text.length <= size_max) return text;
    size_t length = size_max;
    for (int i = 0; i < CONTINUED_MAX && length > 0; i++) {
        if (((unsigned char)text.data[length] & 0xC0u) != 0x80u) break;
        length--;
    }
    bool is_between = ((unsigned char)text.data[length] & 0xC0u) != 0x80u;
    return (rt_text){text.data, is_between ? length : size_max};
}

int rt_text_compare(rt_text a, rt_text b)
{
    size_t common = a.length < b.length ? a.length : b.length;
    int order = common ? memcmp(a.data, b.data, common) : 0;
    if (order) return order;
    return (a.length > b.length) - (a.length < b.length);
}

int rt_text_order(const void *left, const void *right)
{
    return rt_text_compare(*(const rt_text *)left, *(const rt_text *)right);
}

static void buffer_reserve(rt_buffer *buffer, size_t extra)
{
    CHECK(extra < SIZE_MAX / 4 && buffer->size < SIZE_MAX / 4);
    size_t needed = buffer->size + extra + 1;
    if (needed <= buffer->capacity) return;
    size_t capacity = buffer->capacity ? buffer->capacity : 64;
    while (capacity < needed)
        capacity *= 2;
    buffer->data = rt_realloc(buffer->data, capacity);
    buffer->capacity = capacity;
}

void rt_buffer_append(rt_buffer *buffer, const void *data, size_t size)
{
    buffer_reserve(buffer, size);
    if (size) memcpy(buffer->data + buffer->size, data, size);
    buffer->size += size;
    buffer->data[buffer->size] = '\0';
}

void rt_buffer_append_text(rt_buffer *buffer, rt_text text)
{
    rt_buffer_append(buffer, text.data, text.length);
}

void rt_buffer_append_byte(rt_buffer *buffer, char byte)
{
    rt_buffer_append(buffer, &byte, 1);
}

void rt_buffer_append_escaped(rt_buffer *buffer, rt_text text)
{
    for (size_t i = 0; i < text.length; i++) {
        char byte = text.data[i];
        if (byte >= ' ' && byte <= '~')
            rt_buffer_append_byte(buffer, byte);
        else
            rt_buffer_printf(buffer, "\\x%02x", (unsigned char)byte);
    }
}

void rt_buffer_truncate(rt_buffer *buffer, size_t size)
{
    CHECK(size <= buffer->size);
    buffer->size = size;
    if (buffer->data) buffer->data[size] = '\0';
}

void rt_buffer_vprintf(rt_buffer *buffer, const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    buffer_reserve(buffer, 0);
    size_t room = buffer->capacity - buffer->size;
    int length = vsnprintf(buffer->data + buffer->size, room, format, arguments);
    CHECK(length >= 0);
    if ((size_t)length >= room) {
        buffer_reserve(buffer, (size_t)length);
        vsnprintf(buffer->data + buffer->size, (size_t)length + 1, format, again);
    }
    va_end(again);
    buffer->size += (size_t)length;
}

void rt_buffer_printf(rt_buffer *buffer, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    rt_buffer_vprintf(buffer, format, arguments);
    va_end(arguments);
}

rt_text rt_buffer_text(const rt_buffer *buffer)
{
    return (rt_text){buffer->data, buffer->size};
}

rt_bytes rt_buffer_bytes(const rt_buffer *buffer)
{
    return (rt_bytes){(const uint8_t *)buffer->data, buffer->size};
}

const char *rt_buffer_string(const rt_buffer *buffer)
{
    return buffer->data ? buffer->data : "";
}

void rt_buffer_free(rt_buffer *buffer)
{
    rt_free(buffer->data);
    *buffer = (rt_buffer){0};
}
