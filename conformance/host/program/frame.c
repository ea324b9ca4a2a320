/* Frames; see frame.h. */
#include "conformance/host/program/frame.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* ---- Reading ------------------------------------------------------------------------------- */

/* Returns the next `size` bytes; if there are fewer, sets `failed` and returns NULL. */
static const unsigned char *take(host_reader *in, uint64_t size)
{
    if (in->failed || size > in->size - in->position) {
        in->failed = true;
        return NULL;
    }
    const unsigned char *data = in->data + in->position;
    in->position += (size_t)size;
    return data;
}

static uint64_t number(host_reader *in, unsigned size)
{
    const unsigned char *data = take(in, size);
    uint64_t value = 0;
    for (unsigned i = size; data && i-- > 0;)
        value = value << 8 | data[i];
    return value;
}

uint8_t host_read_u8(host_reader *in)
{
    return (uint8_t)number(in, 1);
}

uint32_t host_read_u32(host_reader *in)
{
    return (uint32_t)number(in, 4);
}

uint64_t host_read_u64(host_reader *in)
{
    return number(in, 8);
}

host_span host_read_bytes(host_reader *in)
{
    uint64_t size = host_read_u64(in);
    const unsigned char *data = take(in, size);
    if (!data) return (host_span){"", 0};
    return (host_span){(const char *)data, (size_t)size};
}

bool host_reader_finished(const host_reader *in)
{
    return !in->failed && in->position == in->size;
}

/* ---- Writing ------------------------------------------------------------------------------- */

static void reserve(host_writer *out, size_t capacity)
{
    if (capacity <= out->capacity) return;
    unsigned char *grown = (unsigned char *)realloc(out->data, capacity);
    if (!grown) abort();
    out->data = grown;
    out->capacity = capacity;
}

static void append(host_writer *out, const void *data, size_t size)
{
    if (size > out->capacity - out->size) reserve(out, (out->size + size) * 2);
    if (size > 0) memcpy(out->data + out->size, data, size);
    out->size += size;
}

static void append_number(host_writer *out, uint64_t value, unsigned size)
{
    unsigned char bytes[8];
    for (unsigned i = 0; i < size; i++)
        bytes[i] = (unsigned char)(value >> (8 * i));
    append(out, bytes, size);
}

void host_write_u8(host_writer *out, uint8_t value)
{
    append_number(out, value, 1);
}

void host_write_u32(host_writer *out, uint32_t value)
{
    append_number(out, value, 4);
}

void host_write_u64(host_writer *out, uint64_t value)
{
    append_number(out, value, 8);
}

void host_write_bytes(host_writer *out, const void *data, size_t size)
{
    host_write_u64(out, size);
    append(out, data, size);
}

void host_write_text(host_writer *out, const char *text)
{
    host_write_bytes(out, text, strlen(text));
}

void host_writer_free(host_writer *out)
{
    free(out->data);
    *out = (host_writer){NULL, 0, 0};
}

void host_refuse(host_writer *out, const char *error_class, const char *message)
{
    out->size = 0;
    host_write_u8(out, 0);
    host_write_text(out, error_class);
    host_write_text(out, message);
}

/* ---- Sockets ------------------------------------------------------------------------------- */

static bool receive_all(int channel, unsigned char *data, size_t size)
{
    while (size > 0) {
        ssize_t got = recv(channel, data, size, 0);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        data += got;
        size -= (size_t)got;
    }
    return true;
}

static bool send_all(int channel, const unsigned char *data, size_t size)
{
    while (size > 0) {
        ssize_t sent = send(channel, data, size, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent <= 0) return false;
        data += sent;
        size -= (size_t)sent;
    }
    return true;
}

bool host_frame_receive(int channel, host_writer *frame)
{
    unsigned char header[8];
    if (!receive_all(channel, header, sizeof header)) return false;
    host_reader in = {header, sizeof header, 0, false};
    uint64_t size = host_read_u64(&in);
    if (size > HOST_FRAME_SIZE_MAX) return false;
    reserve(frame, (size_t)size);
    frame->size = (size_t)size;
    return receive_all(channel, frame->data, frame->size);
}

bool host_frame_send(int channel, const host_writer *frame)
{
    host_writer header = {NULL, 0, 0};
    host_write_u64(&header, frame->size);
    bool sent =
        send_all(channel, header.data, header.size) && send_all(channel, frame->data, frame->size);
    host_writer_free(&header);
    return sent;
}
