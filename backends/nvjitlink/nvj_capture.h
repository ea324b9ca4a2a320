/* Captures what a library writes to the process's standard error during a call. */
#ifndef BACKENDS_NVJITLINK_NVJ_CAPTURE_H
#define BACKENDS_NVJITLINK_NVJ_CAPTURE_H

#include "reference/base/text.h"

/* Only one capture at a time: descriptor 2 is shared by the whole process. */
typedef struct nvj_capture {
    int saved; /* the real standard error; -1 if nothing is captured */
    int file;  /* receives the output during the call */
} nvj_capture;

/* Begins a capture; if the system refuses, nothing is captured.  If another thread's capture is in
 * progress, waits until it ends.
 */
void nvj_capture_begin(nvj_capture *out_capture);

/* Ends the capture and appends the library's lines to out_log: those that contain `mark`, each from
 * the end of the mark on.  All other lines are written to the real standard error. */
void nvj_capture_end(nvj_capture *capture, const char *mark, rt_buffer *out_log);

#endif
