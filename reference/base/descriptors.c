/* Loops around read(2) and write(2), for complete transfers. */
#include "reference/base/descriptors.h"

#include <errno.h>
#include <unistd.h>

bool rt_read_all(int input, rt_buffer *out)
{
    char block[65536];
    for (;;) {
        ssize_t size = read(input, block, sizeof block);
        if (size < 0 && errno == EINTR) continue;
        if (size <= 0) return size == 0;
        rt_buffer_append(out, block, (size_t)size);
    }
}

bool rt_write_all(int output, rt_bytes bytes)
{
    while (bytes.size > 0) {
        ssize_t written = write(output, bytes.data, bytes.size);
        if (written < 0 && errno == EINTR) continue;
        if (written == 0) errno = EIO; /* Cannot happen; guards against looping forever. */
        if (written <= 0) return false;
        bytes.data += written;
        bytes.size -= (size_t)written;
    }
    return true;
}
