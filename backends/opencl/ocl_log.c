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

/* True if the line reports only progress, or is empty. */
static bool line_is_progress(rt_text line)
{
    if (line.length == 0) return true;
    for (size_t i = 0; i < sizeof progress_begins / sizeof *progress_begins; i++) {
        if (rt_text_starts(line, progress_begins[i])) return true;
    }
    for (size_t i = 0; i < sizeof progress_ends / sizeof *progress_ends; i++) {
        size_t length = strlen(progress_ends[i]);
        if (line.length < length) continue;
        if (rt_text_is(rt_text_skip(line, line.length - length), progress_ends[i])) return true;
    }
    return false;
}

/* Appends all lines except those that report only progress, without a newline after the last. */
static void log_clean(rt_text log, rt_buffer *out_log)
{
    while (log.length > 0) {
        rt_text line = rt_text_take_until(&log, '\n');
        while (line.length > 0 && strchr(" \t\r", line.data[line.length - 1]) != NULL)
            line.length--;
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
