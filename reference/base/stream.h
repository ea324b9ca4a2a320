/* Reading and writing of serialised forms (images, packs): little-endian, no padding, lengths
 * before contents.
 *
 * The reader accepts damaged data: it never reads outside its input, and after the first fault
 * every further read returns zero or an empty span, so a decoder needs to check `failed` only once,
 * at its end. */
#ifndef REFERENCE_BASE_STREAM_H
#define REFERENCE_BASE_STREAM_H

#include "reference/base/text.h"

/* Append to a buffer. */
void rt_write_u8(rt_buffer *out, uint8_t value);
void rt_write_u32(rt_buffer *out, uint32_t value);
void rt_write_u64(rt_buffer *out, uint64_t value);
/* Append a u64 length, then the bytes. */
void rt_write_text(rt_buffer *out, rt_text text);
void rt_write_bytes(rt_buffer *out, rt_bytes bytes);

typedef struct rt_reader {
    rt_bytes input;
    size_t position; /* bytes consumed */
    bool failed;     /* a read went past the end, or the value read was out of range */
    size_t fault;    /* position of the first fault */
} rt_reader;

/* Creates a reader of `input`, which is borrowed; returned spans point into it. */
rt_reader rt_reader_of(rt_bytes input);

/* Each consumes what the corresponding rt_write function wrote. */
uint8_t rt_read_u8(rt_reader *reader);
uint32_t rt_read_u32(rt_reader *reader);
uint64_t rt_read_u64(rt_reader *reader);
rt_text rt_read_text(rt_reader *reader);
rt_bytes rt_read_bytes(rt_reader *reader);

/* Reads a u32 count of items that take at least item_size_min >= 1 bytes each; a count that the
 * rest of the input cannot hold is a fault and reads as 0.  This bounds what a decoder allocates.
 */
uint32_t rt_read_count(rt_reader *reader, size_t item_size_min);

/* Reads a u32 that must be below `limit`; any other value is a fault and reads as 0. */
uint32_t rt_read_below(rt_reader *reader, uint32_t limit);

/* Marks the input as faulty at the current position. */
void rt_reader_fail(rt_reader *reader);

/* True if no read failed and all input was consumed. */
bool rt_reader_finished(const rt_reader *reader);

#endif
