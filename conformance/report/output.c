/* Atomic replacement of a file's contents. Source: rename(2), "If newpath already exists, it will
 * be atomically replaced". */
#include "conformance/report/output.h"

#include "reference/base/descriptors.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Returns 0, or an errno if writing failed. */
static int write_content(int file, rt_text content)
{
    return rt_write_all(file, rt_text_bytes(content)) ? 0 : errno;
}

/* Closes the file; if there was no error and `syncs` is set, flushes it to disk first. Returns
 * the first error: `error`, an errno of its own, or 0. */
static int close_durably(int file, int error, bool syncs)
{
    if (error == 0 && syncs && fsync(file) != 0) error = errno;
    if (close(file) != 0 && error == 0) error = errno;
    return error;
}

/* Opens a temporary file next to a file. Its name, which the caller frees, is in out_name; the
 * result is -1, with errno set, if it cannot be created. */
static int temporary_open(const char *name, rt_buffer *out_name)
{
    rt_buffer_printf(out_name, "%s.XXXXXX", name);
    return mkostemp(out_name->data, O_CLOEXEC);
}

/* Replaces or creates a regular file. Returns 0 or an errno. */
static int replace_regular(const char *name, mode_t mode, rt_text content)
{
    rt_buffer temporary = {0};
    int file = temporary_open(name, &temporary);
    int error = file < 0 ? errno : 0;
    if (error == 0) {
        error = write_content(file, content);
        if (error == 0 && fchmod(file, mode) != 0) error = errno;
        error = close_durably(file, error, true);
        if (error == 0 && rename(temporary.data, name) != 0) error = errno;
        if (error != 0) unlink(temporary.data);
    }
    rt_buffer_free(&temporary);
    return error;
}

/* /dev/stdout is a link to the standard output, which may be a regular file. */
static bool is_standard_output(const struct stat *info)
{
    struct stat output;
    return fstat(STDOUT_FILENO, &output) == 0 && output.st_dev == info->st_dev &&
           output.st_ino == info->st_ino;
}

int cnf_file_replace(const char *name, rt_text content)
{
    struct stat info;
    if (stat(name, &info) != 0) {
        /* The permissions that open(2) would have given a new file. */
        mode_t mask = umask(0);
        umask(mask);
        return replace_regular(name, 0666 & ~mask, content);
    }
    if (is_standard_output(&info)) return write_content(STDOUT_FILENO, content);
    if (!S_ISREG(info.st_mode)) {
        int file = open(name, O_WRONLY | O_CLOEXEC);
        return file < 0 ? errno : close_durably(file, write_content(file, content), false);
    }
    char *target = realpath(name, NULL); /* a link is kept; its target is replaced */
    int error = target ? replace_regular(target, info.st_mode & 07777, content) : errno;
    free(target); /* allocated by the C library */
    return error;
}

int cnf_file_probe(const char *name)
{
    struct stat info;
    bool exists = stat(name, &info) == 0;
    if (exists && is_standard_output(&info)) return 0;
    if (exists && !S_ISREG(info.st_mode)) {
        /* A pipe may have no reader yet. */
        int file = open(name, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
        int error = file < 0 && errno != ENXIO ? errno : 0;
        if (file >= 0) close(file);
        return error;
    }
    char *target = exists ? realpath(name, NULL) : NULL;
    rt_buffer temporary = {0};
    int file = exists && !target ? -1 : temporary_open(target ? target : name, &temporary);
    int error = file < 0 ? errno : 0;
    if (file >= 0) {
        close(file);
        unlink(temporary.data);
    }
    rt_buffer_free(&temporary);
    free(target); /* allocated by the C library */
    return error;
}
