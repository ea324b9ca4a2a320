/* Replaces a file atomically: a concurrent reader, or a reader after a crash, finds either the old
 * contents or the new. */
#include "conformance/tools/fmt/fmt.h"

#include "reference/base/descriptors.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The rename only survives a crash if its folder is synced, too; some systems cannot sync folders,
 * so failures are ignored. */
static void folder_sync(const char *path)
{
    const char *slash = strrchr(path, '/');
    CHECK(slash); /* realpath gives absolute paths */
    rt_buffer folder = {0};
    rt_buffer_append(&folder, path, (size_t)(slash - path) + 1);
    int descriptor = open(rt_buffer_string(&folder), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor >= 0) {
        fsync(descriptor);
        close(descriptor);
    }
    rt_buffer_free(&folder);
}

/* Writes a new file with the same mode next to `path` and renames it.  On failure, removes the new
 * file and returns false with errno set. */
static bool replace(const char *path, rt_text content)
{
    struct stat now;
    if (stat(path, &now) != 0) return false;
    rt_buffer temporary = {0};
    rt_buffer_printf(&temporary, "%s.XXXXXX", path);
    int descriptor = mkostemp(temporary.data, O_CLOEXEC);
    bool is_replaced = descriptor >= 0 && fchmod(descriptor, now.st_mode & 07777) == 0 &&
                       rt_write_all(descriptor, rt_text_bytes(content)) && fsync(descriptor) == 0;
    int error = errno;
    if (descriptor >= 0 && close(descriptor) != 0 && is_replaced) {
        is_replaced = false;
        error = errno;
    }
    if (is_replaced && rename(temporary.data, path) != 0) {
        is_replaced = false;
        error = errno;
    }
    if (is_replaced) folder_sync(path);
    if (!is_replaced && descriptor >= 0) unlink(temporary.data);
    rt_buffer_free(&temporary);
    errno = error;
    return is_replaced;
}

rt_status cnf_fmt_replace(rt_sink *sink, rt_text file, rt_text content)
{
    /* The target of a symbolic link is replaced, not the link. */
    char *path = realpath(file.data, NULL);
    bool is_replaced = path && replace(path, content);
    int error = errno;
    free(path);
    if (is_replaced) return RT_STATUS_OK;
    return rt_fail(sink, RT_IO, RT_RULE_NONE, "%.*s: cannot be written: %s", RT_TEXT_ARG(file),
                   strerror(error));
}
