/* Captures the streams of the process; see output.h. */
#include "conformance/subject/output.h"

#include <errno.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <sys/mman.h>
#include <unistd.h>

/* The expectation that is about each stream, and the stream's descriptor. */
static const struct {
    scn_expect_kind kind;
    int descriptor;
} streams[CNF_STREAM_COUNT] = {
    {SCN_EXPECT_OUTPUT, STDOUT_FILENO},
    {SCN_EXPECT_WARNINGS, STDERR_FILENO},
};

static uint32_t stream_of(scn_expect_kind kind)
{
    uint32_t i = 0;
    while (i < CNF_STREAM_COUNT && streams[i].kind != kind)
        i++;
    CHECK(i < CNF_STREAM_COUNT);
    return i;
}

static bool is_expected(const scn_scenario *scenario, scn_expect_kind kind)
{
    for (uint32_t i = 0; i < scenario->step_count; i++) {
        const scn_step *step = &scenario->steps[i];
        if (scn_expects_contain(step->expect, step->expect_count, kind)) return true;
    }
    return false;
}

bool cnf_output_open(cnf_output *output, const scn_scenario *scenario)
{
    for (uint32_t i = 0; i < CNF_STREAM_COUNT; i++)
        output->streams[i] = (struct cnf_stream){.file = -1, .original = -1};
    /* A forked child inherits its parent's unflushed output, which no kernel printed. */
    __fpurge(stdout);
    for (uint32_t i = 0; i < CNF_STREAM_COUNT; i++) {
        struct cnf_stream *stream = &output->streams[i];
        if (!is_expected(scenario, streams[i].kind)) continue;
        stream->original = dup(streams[i].descriptor);
        stream->file = memfd_create("assay-output", MFD_CLOEXEC);
        if (stream->original < 0 || stream->file < 0) return false;
        if (dup2(stream->file, streams[i].descriptor) < 0) return false;
    }
    return true;
}

static bool stream_read(const struct cnf_stream *stream, rt_buffer *out_text)
{
    CHECK(stream->file >= 0);
    char chunk[4096];
    fflush(NULL); /* drivers print through the C library */
    for (;;) {
        off_t at = (off_t)(stream->seen + out_text->size);
        ssize_t size = pread(stream->file, chunk, sizeof chunk, at);
        if (size == 0) return true;
        if (size > 0)
            rt_buffer_append(out_text, chunk, (size_t)size);
        else if (errno != EINTR)
            return false;
    }
}

bool cnf_output_read(const cnf_output *output, scn_expect_kind kind, rt_buffer *out_text)
{
    return stream_read(&output->streams[stream_of(kind)], out_text);
}

void cnf_output_seen(cnf_output *output, scn_expect_kind kind, size_t size)
{
    struct cnf_stream *stream = &output->streams[stream_of(kind)];
    CHECK(stream->file >= 0);
    stream->seen += size;
}

void cnf_output_close(cnf_output *output)
{
    for (uint32_t i = 0; i < CNF_STREAM_COUNT; i++) {
        struct cnf_stream *stream = &output->streams[i];
        rt_buffer text = {0};
        if (stream->file >= 0) {
            stream->seen = 0;
            bool is_read = stream_read(stream, &text);
            if (dup2(stream->original, streams[i].descriptor) >= 0 && is_read) {
                FILE *file = streams[i].descriptor == STDOUT_FILENO ? stdout : stderr;
                fwrite(rt_buffer_string(&text), 1, text.size, file);
                fflush(file);
            }
            close(stream->file);
        }
        if (stream->original >= 0) close(stream->original);
        rt_buffer_free(&text);
        *stream = (struct cnf_stream){.file = -1, .original = -1};
    }
}
