/* Frames of the protocol from the program's side: reading a request that may be anything, building
 * an answer, and both over a socket.  C and C++; nothing but the C library is needed, because
 * whatever the program is linked with is part of what is observed. */
#ifndef CONFORMANCE_HOST_PROGRAM_FRAME_H
#define CONFORMANCE_HOST_PROGRAM_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes of the longest frame that is taken; a longer one is no request. */
#define HOST_FRAME_SIZE_MAX ((uint64_t)1 << 31)

/* A text or bytes inside a request; borrowed from it, no NUL byte follows. */
typedef struct host_span {
    const char *data;
    size_t size;
} host_span;

/* After the first fault every further read gives zero or an empty span, so that a decoder looks at
 * `failed` once. */
typedef struct host_reader {
    const unsigned char *data;
    size_t size, position;
    bool failed;
} host_reader;

/* Each consumes what the subject's rt_write_* of the same name wrote (reference/base/stream.h). */
uint8_t host_read_u8(host_reader *in);
uint32_t host_read_u32(host_reader *in);
uint64_t host_read_u64(host_reader *in);
host_span host_read_bytes(host_reader *in);

/* True when nothing failed and all was consumed. */
bool host_reader_finished(const host_reader *in);

/* Zero is an empty one; whoever made it frees it with host_writer_free. */
typedef struct host_writer {
    unsigned char *data;
    size_t size, capacity;
} host_writer;

/* Each appends; the program ends by abort() where memory is out. */
void host_write_u8(host_writer *out, uint8_t value);
void host_write_u32(host_writer *out, uint32_t value);
void host_write_u64(host_writer *out, uint64_t value);
void host_write_bytes(host_writer *out, const void *data, size_t size);
void host_write_text(host_writer *out, const char *text);
void host_writer_free(host_writer *out);

/* Replaces what was written by a refusal: its class by name, and its message. */
void host_refuse(host_writer *out, const char *error_class, const char *message);

/* Receives a frame into `frame`, whose content is replaced; sends one.  False: the other side is
 * gone, or sends what is no frame. */
bool host_frame_receive(int channel, host_writer *frame);
bool host_frame_send(int channel, const host_writer *frame);

#ifdef __cplusplus
}
#endif

#endif
