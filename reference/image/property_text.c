/* Property sets as text: conversion between lines and sets. */
#include "reference/image/property_text.h"

#include "reference/base/number.h"
#include "reference/image/property_value.h"

#include <string.h>

/* ---- Base64 -------------------------------------------------------------------------------- */

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static void base64_write(rt_buffer *out, rt_bytes bytes)
{
    uint32_t pending = 0, pending_bits = 0;
    for (size_t i = 0; i < bytes.size; i++) {
        pending |= (uint32_t)bytes.data[i] << pending_bits;
        for (pending_bits += 8; pending_bits >= 6; pending_bits -= 6) {
            rt_buffer_append_byte(out, digits[pending & 63]);
            pending >>= 6;
        }
    }
    if (pending_bits > 0) rt_buffer_append_byte(out, digits[pending & 63]);
}

/* Decodes base64.  False if a character is not a base64 digit, or if the last digit is superfluous
 * or sets bits beyond the last byte; *out_fault is the index of that character. */
static bool base64_read(rt_arena *arena, rt_text text, rt_bytes *out_bytes, size_t *out_fault)
{
    uint8_t *bytes = rt_arena_alloc_array(arena, text.length / 4 * 3 + 3, 1);
    size_t size = 0;
    uint32_t pending = 0, pending_bits = 0;
    for (size_t i = 0; i < text.length; i++) {
        *out_fault = i;
        const char *digit = text.data[i] ? strchr(digits, text.data[i]) : NULL;
        if (!digit) return false;
        pending |= (uint32_t)(digit - digits) << pending_bits;
        pending_bits += 6;
        if (pending_bits < 8) continue;
        bytes[size++] = (uint8_t)pending;
        pending >>= 8;
        pending_bits -= 8;
    }
    CHECK(size <= text.length / 4 * 3 + 3);
    *out_bytes = (rt_bytes){bytes, size};
    return pending == 0 && pending_bits < 6;
}

/* ---- Writing ------------------------------------------------------------------------------- */

static bool text_has(rt_text text, char character)
{
    return text.length > 0 && memchr(text.data, character, text.length) != NULL;
}

static rt_status name_check(rt_sink *sink, rt_text name, bool of_property)
{
    bool writable = name.length > 0 && !text_has(name, '\n') && !text_has(name, '\0');
    if (of_property && writable) writable = name.data[0] != '[' && !text_has(name, '=');
    if (writable) return RT_STATUS_OK;
    return rt_fail(sink, RT_UNSUPPORTED, RT_RULE_NONE,
                   "the text form of property sets cannot hold the name '%.*s' of a %s",
                   RT_TEXT_ARG(name), of_property ? "property" : "set");
}

rt_status rt_property_text_write(rt_sink *sink, rt_buffer *out, rt_property_sets sets)
{
    for (uint32_t i = 0; i < sets.count; i++) {
        const rt_property_set *set = &sets.sets[i];
        RT_TRY(name_check(sink, set->name, false));
        rt_buffer_printf(out, "[%.*s]\n", RT_TEXT_ARG(set->name));
        for (uint32_t k = 0; k < set->property_count; k++) {
            const rt_property *property = &set->properties[k];
            RT_TRY(name_check(sink, property->name, true));
            rt_buffer_printf(out, "%.*s=%d|", RT_TEXT_ARG(property->name), (int)property->type);
            if (property->type == RT_PROPERTY_UINT32) {
                rt_buffer_printf(out, "%u\n", property->number);
                continue;
            }
            rt_buffer value = {0};
            rt_property_value_write(&value, property);
            base64_write(out, rt_buffer_bytes(&value));
            rt_buffer_free(&value);
            rt_buffer_append_byte(out, '\n');
        }
    }
    return RT_STATUS_OK;
}

/* ---- Reading ------------------------------------------------------------------------------- */

typedef struct text_reader {
    rt_sink *sink;
    rt_arena *arena;
    rt_text text;
    size_t position; /* start of the next line */
    size_t offset;   /* offset of the text in its file */
} text_reader;

static rt_status fault(const text_reader *reader, const char *at, const char *reason)
{
    return rt_fail(reader->sink, RT_MALFORMED, RT_RULE_NONE,
                   "damaged property text at byte %zu: %s",
                   reader->offset + (size_t)(at - reader->text.data), reason);
}

/* Reads the next non-empty line; false at the end. */
static bool line_next(text_reader *reader, rt_text *out_line)
{
    while (reader->position < reader->text.length) {
        rt_text rest = rt_text_skip(reader->text, reader->position);
        *out_line = rt_text_take_until(&rest, '\n');
        reader->position = reader->text.length - rest.length;
        if (out_line->length > 0) return true;
    }
    return false;
}

static rt_status number_read(const text_reader *reader, rt_text value, uint32_t *out_number)
{
    rt_text rest = value;
    uint64_t number;
    bool fits = rt_number_take(&rest, 10, UINT32_MAX, &number);
    if (value.length == 0) return fault(reader, value.data, "expected a number");
    if (rest.length > 0) return fault(reader, rest.data, "expected a digit");
    if (!fits) return fault(reader, value.data, "the number exceeds 32 bits");
    *out_number = (uint32_t)number;
    return RT_STATUS_OK;
}

static rt_status property_read(const text_reader *reader, rt_text line, rt_property *out_property)
{
    *out_property = (rt_property){0};
    const char *end = line.data + line.length;
    const char *equal = memchr(line.data, '=', line.length);
    if (!equal || equal == line.data) return fault(reader, line.data, "expected name=type|value");
    out_property->name = (rt_text){line.data, (size_t)(equal - line.data)};
    if (text_has(out_property->name, '\0')) return fault(reader, line.data, "a NUL byte in a name");
    const char *type = equal + 1;
    const char *bar = memchr(type, '|', (size_t)(end - type));
    if (!bar) return fault(reader, type, "expected type|value");
    uint32_t number = 0;
    RT_TRY(number_read(reader, (rt_text){type, (size_t)(bar - type)}, &number));
    const rt_text value = {bar + 1, (size_t)(end - bar - 1)};
    CHECK(out_property->name.length + value.length < line.length);
    out_property->type = (rt_property_type)number;
    if (number == RT_PROPERTY_UINT32) return number_read(reader, value, &out_property->number);
    if (number != RT_PROPERTY_BYTES) {
        return rt_fail(reader->sink, RT_UNSUPPORTED, RT_RULE_NONE,
                       "property text at byte %zu: type %u, expected 1 (number) or 2 (bytes)",
                       reader->offset + (size_t)(type - reader->text.data), number);
    }
    rt_bytes bytes = {0};
    size_t at = 0;
    if (!base64_read(reader->arena, value, &bytes, &at))
        return fault(reader, value.data + at, "expected base64 without padding");
    if (!rt_property_value_read(bytes, out_property))
        return fault(reader, value.data,
                     "the value's size differs from the length at its beginning");
    return RT_STATUS_OK;
}

rt_status rt_property_text_read(rt_sink *sink, rt_arena *arena, rt_text text, size_t offset,
                                rt_property_sets *out_sets)
{
    *out_sets = (rt_property_sets){0};
    text_reader reader = {sink, arena, text, 0, offset};
    /* The first pass counts the lines of both kinds to size the tables. */
    size_t set_count = 0, property_count = 0;
    rt_text line;
    while (line_next(&reader, &line)) {
        bool is_set = line.data[0] == '[';
        set_count += is_set;
        property_count += !is_set;
    }
    reader.position = 0;
    rt_property_set *sets = rt_arena_alloc_array(arena, set_count, sizeof *sets);
    rt_property *properties = rt_arena_alloc_array(arena, property_count, sizeof *properties);
    uint32_t count = 0;
    while (line_next(&reader, &line)) {
        if (line.data[0] == '[') {
            CHECK(count < set_count);
            if (line.length < 3 || line.data[line.length - 1] != ']')
                return fault(&reader, line.data, "expected [set]");
            rt_text name = {line.data + 1, line.length - 2};
            if (text_has(name, '\0')) return fault(&reader, line.data, "a NUL byte in a name");
            sets[count++] = (rt_property_set){name, properties, 0};
        } else {
            if (count == 0) return fault(&reader, line.data, "a property before the first [set]");
            CHECK(property_count > 0);
            property_count--;
            RT_TRY(property_read(&reader, line, properties++));
            sets[count - 1].property_count++;
        }
    }
    CHECK(count == set_count && property_count == 0);
    *out_sets = (rt_property_sets){sets, count};
    return RT_STATUS_OK;
}
