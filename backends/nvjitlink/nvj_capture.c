/* Captures standard error: during a call, descriptor 2 refers to an in-memory file. */
#include "backends/nvjitlink/nvj_capture.h"

#include "reference/base/check.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Descriptor 2 belongs to the whole process, so one lock per process guards it. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void nvj_capture_begin(nvj_capture *out_capture)
{
    pthread_mutex_lock(&lock);
    *out_capture = (nvj_capture){.saved = -1, .file = memfd_create("assay-stderr", MFD_CLOEXEC)};
    if (out_capture->file < 0) return;
    fflush(stderr);
    int saved = dup(STDERR_FILENO);
    if (saved >= 0 && dup2(out_capture->file, STDERR_FILENO) == STDERR_FILENO) {
        out_capture->saved = saved;
        return;
    }
    if (saved >= 0) close(saved);
}

/* Separates the lines that contain the mark from the others. */
static void lines_sort(rt_text text, const char *mark, rt_buffer *out_marked, rt_buffer *out_rest)
{
    while (text.length > 0) {
        const char *newline = memchr(text.data, '\n', text.length);
        size_t length = newline ? (size_t)(newline - text.data) : text.length;
        size_t used = newline ? length + 1 : length;
        const char *found = memmem(text.data, length, mark, strlen(mark));
        if (found) {
            if (out_marked->size > 0) rt_buffer_append_byte(out_marked, '\n');
            const char *begin = found + strlen(mark);
            rt_buffer_append(out_marked, begin, (size_t)(text.data + length - begin));
        } else {
            rt_buffer_append(out_rest, text.data, used);
        }
        text = (rt_text){text.data + used, text.length - used};
    }
}

void nvj_capture_end(nvj_capture *capture, const char *mark, rt_buffer *out_log)
{
    CHECK(*mark != '\0');
    CHECK_IMPLIES(capture->saved >= 0, capture->file >= 0);
    if (capture->saved >= 0) {
        rt_buffer text = {0}, rest = {0};
        fflush(stderr);
        dup2(capture->saved, STDERR_FILENO);
        close(capture->saved);
        char block[1024];
        bool is_readable = lseek(capture->file, 0, SEEK_SET) == 0;
        for (ssize_t got; is_readable && (got = read(capture->file, block, sizeof block)) > 0;)
            rt_buffer_append(&text, block, (size_t)got);
        lines_sort(rt_buffer_text(&text), mark, out_log, &rest);
        if (rest.size > 0) fwrite(rest.data, 1, rest.size, stderr);
        rt_buffer_free(&text);
        rt_buffer_free(&rest);
    }
    if (capture->file >= 0) close(capture->file);
    pthread_mutex_unlock(&lock);
}
