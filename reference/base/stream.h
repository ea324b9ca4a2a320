/* Reading and writing the serialised forms (images, packs): little-endian, no padding, lengths
 * before contents.
 *
 * The reader is for data that may be damaged: it never reads outside, and after the first fault
 * every further read gives zero or an empty span, so that a decoder checks `failed` once at its
 * end. */
#ifndef REFERENCE_BASE_STREAM_H
#define REFERENCE_BASE_STREAM_H

#include "reference/base/text.h"

/* Appends to a buffer. */
void rt_write_u8(rt_buffer *out, uint8_t value);
void rt_write_u32(rt_buffer *out, uint32_t value);
void rt_write_u64(rt_buffer *out, uint64_t value);
/* A u64 length, then the bytes. */
void rt_write_text(rt_buffer *out, rt_text text);
void rt_write_bytes(rt_buffer *out, rt_bytes bytes);

typedef struct rt_reader {
    rt_bytes input;
    size_t position; /* bytes consumed */
    bool failed;     /* something read past the end or out of its range */
    size_t fault;    /* position of the first fault */
} rt_reader;

/* A reader over input, which is borrowed; spans that it returns point into input. */
rt_reader rt_reader_of(rt_bytes input);

/* Each consumes what the writer's function of the same name wrote. */
uint8_t rt_read_u8(rt_reader *reader);
uint32_t rt_read_u32(rt_reader *reader);
uint64_t rt_read_u64(rt_reader *reader);
rt_text rt_read_text(rt_reader *reader);
rt_bytes rt_read_bytes(rt_reader *reader);

/* Reads a u32 count of items of which each takes at least item_size_min >= 1 bytes; a count that
 * the rest of the input cannot hold is a fault and gives 0.  This bounds what a decoder allocates.
 */
uint32_t rt_read_count(rt_reader *reader, size_t item_size_min);

/* Reads a u32 that must be below `limit`; anything else is a fault and gives 0. */
uint32_t rt_read_below(rt_reader *reader, uint32_t limit);

/* Marks the input as faulty at the current position. */
void rt_reader_fail(rt_reader *reader);

/* True when nothing failed and all input was consumed. */
bool rt_reader_finished(const rt_reader *reader);

#endif
