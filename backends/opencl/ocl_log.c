/* Prepares the driver's log of a compile, link or build for messages.  Drivers also log progress,
 * successful steps and optimiser remarks, but the reader is looking for the error.
 *
 * Source: OpenCL 3.0 API specification, clGetProgramBuildInfo (CL_PROGRAM_BUILD_LOG). */
#include "backends/opencl/ocl_internal.h"
#include "backends/vendor/log.h"
#include "reference/base/alloc.h"

#include <string.h>

/* Prefixes and suffixes of progress lines. */
static const char *const progress_begins[] = {"remark: "};
static const char *const progress_ends[] = {" started", " done"};

static bool text_ends(rt_text text, const char *end)
{
    size_t length = strlen(end);
    return text.length >= length && memcmp(text.data + text.length - length, end, length) == 0;
}

/* True if a line is not about an error. */
static bool line_is_progress(rt_text line)
{
    if (line.length == 0) return true;
    for (size_t i = 0; i < sizeof progress_begins / sizeof *progress_begins; i++) {
        if (rt_text_starts(line, progress_begins[i])) return true;
    }
    for (size_t i = 0; i < sizeof progress_ends / sizeof *progress_ends; i++) {
        if (text_ends(line, progress_ends[i])) return true;
    }
    return false;
}

static rt_text line_trim(rt_text line)
{
    while (line.length > 0 && strchr(" \t\r", line.data[line.length - 1]) != NULL)
        line.length--;
    return line;
}

/* Appends the lines about errors, without a newline after the last. */
static void log_clean(rt_text log, rt_buffer *out_log)
{
    for (size_t begin = 0, end; begin < log.length; begin = end + 1) {
        const char *newline = memchr(log.data + begin, '\n', log.length - begin);
        end = newline ? (size_t)(newline - log.data) : log.length;
        rt_text line = line_trim((rt_text){log.data + begin, end - begin});
        if (line_is_progress(line)) continue;
        if (out_log->size > 0) rt_buffer_append_byte(out_log, '\n');
        rt_buffer_append_text(out_log, line);
    }
}

void ocl_log_read(const ocl_device *device, cl_program program, rt_buffer *out_log)
{
    CHECK(out_log->size == 0);
    const ocl_library *cl = &device->library;
    size_t size = 0;
    cl_int asked =
        cl->clGetProgramBuildInfo(program, device->id, CL_PROGRAM_BUILD_LOG, 0, NULL, &size);
    if (asked != CL_SUCCESS || size == 0) return;
    char *text = rt_alloc(size);
    if (cl->clGetProgramBuildInfo(program, device->id, CL_PROGRAM_BUILD_LOG, size, text, NULL) ==
        CL_SUCCESS)
        log_clean((rt_text){text, strnlen(text, size)}, out_log);
    vendor_log_cut(out_log);
    rt_free(text);
}
