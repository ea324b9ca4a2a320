/* Frames of the protocol from the program's side: reading a request, which may be malformed,
 * building an answer, and sending both over a socket. For C and C++. It needs only the C library,
 * because every library that the program is linked with becomes part of the observation. */
#ifndef CONFORMANCE_HOST_PROGRAM_FRAME_H
#define CONFORMANCE_HOST_PROGRAM_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Largest accepted frame, in bytes; a longer one is not a request. */
#define HOST_FRAME_SIZE_MAX ((uint64_t)1 << 31)

/* Text or bytes inside a request; borrowed, not NUL-terminated. */
typedef struct host_span {
    const char *data;
    size_t size;
} host_span;

/* After the first fault every further read returns zero or an empty span, so a decoder checks
 * `failed` once. */
typedef struct host_reader {
    const unsigned char *data;
    size_t size, position;
    bool failed;
} host_reader;

/* Each reads what the subject's rt_write_* function of the same name wrote
 * (reference/base/stream.h). */
uint8_t host_read_u8(host_reader *in);
uint32_t host_read_u32(host_reader *in);
uint64_t host_read_u64(host_reader *in);
host_span host_read_bytes(host_reader *in);

/* True if nothing failed and everything was consumed. */
bool host_reader_finished(const host_reader *in);

/* Zero-initialised, it is empty; its creator frees it with host_writer_free. */
typedef struct host_writer {
    unsigned char *data;
    size_t size, capacity;
} host_writer;

/* Each appends; if memory runs out, the program calls abort(). */
void host_write_u8(host_writer *out, uint8_t value);
void host_write_u32(host_writer *out, uint32_t value);
void host_write_u64(host_writer *out, uint64_t value);
void host_write_bytes(host_writer *out, const void *data, size_t size);
void host_write_text(host_writer *out, const char *text);
void host_writer_free(host_writer *out);

/* Replaces the answer with a refusal: the name of the error code, and a message. */
void host_refuse(host_writer *out, const char *error_class, const char *message);

/* Receive a frame into `frame`, replacing its contents; send one. They return false if the other
 * side has closed the channel or does not send a frame. */
bool host_frame_receive(int channel, host_writer *frame);
bool host_frame_send(int channel, const host_writer *frame);

#ifdef __cplusplus
}
#endif

#endif
