/* The output of a library to the standard error of the process during one of its calls. */
#ifndef BACKENDS_NVJITLINK_NVJ_CAPTURE_H
#define BACKENDS_NVJITLINK_NVJ_CAPTURE_H

#include "reference/base/text.h"

/* One capture at a time in a process: descriptor 2 is everybody's. */
typedef struct nvj_capture {
    int saved; /* the real standard error; -1: nothing is captured */
    int file;  /* where it goes during the call */
} nvj_capture;

/* Begins; where the system refuses, nothing is captured.  Another thread waits until the end. */
void nvj_capture_begin(nvj_capture *out_capture);

/* Ends, and appends the library's lines to out_log: those that hold `mark`, from behind it.  All
 * others are written to the real standard error. */
void nvj_capture_end(nvj_capture *capture, const char *mark, rt_buffer *out_log);

#endif
