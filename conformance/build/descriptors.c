/* Reading and writing whole streams, although signals interrupt calls and pipes split data. */
#include "conformance/build/descriptors.h"

#include <errno.h>
#include <unistd.h>

bool cnf_read_all(int input, rt_buffer *out)
{
    char block[65536];
    for (;;) {
        ssize_t size = read(input, block, sizeof block);
        if (size < 0 && errno == EINTR) continue;
        if (size <= 0) return size == 0;
        rt_buffer_append(out, block, (size_t)size);
    }
}

bool cnf_write_all(int output, rt_bytes bytes)
{
    while (bytes.size > 0) {
        ssize_t written = write(output, bytes.data, bytes.size);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        bytes.data += written;
        bytes.size -= (size_t)written;
    }
    return true;
}
