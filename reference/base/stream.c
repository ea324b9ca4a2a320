/* Little-endian streams; a fault of the reader is sticky. */
#include "reference/base/stream.h"

static void write_little_endian(rt_buffer *out, uint64_t value, uint32_t size_bytes)
{
    uint8_t bytes[sizeof value];
    for (uint32_t i = 0; i < size_bytes; i++)
        bytes[i] = (uint8_t)(value >> (8 * i));
    rt_buffer_append(out, bytes, size_bytes);
}

void rt_write_u8(rt_buffer *out, uint8_t value)
{
    write_little_endian(out, value, 1);
}

void rt_write_u32(rt_buffer *out, uint32_t value)
{
    write_little_endian(out, value, 4);
}

void rt_write_u64(rt_buffer *out, uint64_t value)
{
    write_little_endian(out, value, 8);
}

void rt_write_text(rt_buffer *out, rt_text text)
{
    rt_write_u64(out, text.length);
    rt_buffer_append_text(out, text);
}

void rt_write_bytes(rt_buffer *out, rt_bytes bytes)
{
    rt_write_u64(out, bytes.size);
    rt_buffer_append(out, bytes.data, bytes.size);
}

rt_reader rt_reader_of(rt_bytes input)
{
    return (rt_reader){.input = input};
}

void rt_reader_fail(rt_reader *reader)
{
    if (!reader->failed) reader->fault = reader->position;
    reader->failed = true;
}

/* Consumes size bytes and returns their address, or NULL after a fault. */
static const uint8_t *take(rt_reader *reader, uint64_t size)
{
    CHECK(reader->position <= reader->input.size);
    if (size > reader->input.size - reader->position) rt_reader_fail(reader);
    if (reader->failed) return NULL;
    const uint8_t *bytes = reader->input.data + reader->position;
    reader->position += (size_t)size;
    return bytes;
}

static uint64_t read_little_endian(rt_reader *reader, uint32_t size_bytes)
{
    const uint8_t *bytes = take(reader, size_bytes);
    uint64_t value = 0;
    for (uint32_t i = 0; bytes && i < size_bytes; i++)
        value |= (uint64_t)bytes[i] << (8 * i);
    return value;
}

uint8_t rt_read_u8(rt_reader *reader)
{
    return (uint8_t)read_little_endian(reader, 1);
}

uint32_t rt_read_u32(rt_reader *reader)
{
    return (uint32_t)read_little_endian(reader, 4);
}

uint64_t rt_read_u64(rt_reader *reader)
{
    return read_little_endian(reader, 8);
}

rt_bytes rt_read_bytes(rt_reader *reader)
{
    uint64_t size = rt_read_u64(reader);
    const uint8_t *bytes = take(reader, size);
    return bytes ? (rt_bytes){bytes, (size_t)size} : (rt_bytes){0};
}

rt_text rt_read_text(rt_reader *reader)
{
    rt_bytes bytes = rt_read_bytes(reader);
    return (rt_text){(const char *)bytes.data, bytes.size};
}

uint32_t rt_read_count(rt_reader *reader, size_t item_size_min)
{
    CHECK(item_size_min >= 1);
    uint32_t count = rt_read_u32(reader);
    if (count > (reader->input.size - reader->position) / item_size_min) rt_reader_fail(reader);
    return reader->failed ? 0 : count;
}

uint32_t rt_read_below(rt_reader *reader, uint32_t limit)
{
    uint32_t value = rt_read_u32(reader);
    if (value >= limit) rt_reader_fail(reader);
    return reader->failed ? 0 : value;
}

bool rt_reader_finished(const rt_reader *reader)
{
    return !reader->failed && reader->position == reader->input.size;
}
