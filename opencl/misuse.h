/* Findings about uses of the API that return no error and that the specification leaves undefined.
 * All are called with the platform's lock held. Source: OpenCL 3.0 API, at each function. */
#ifndef OPENCL_MISUSE_H
#define OPENCL_MISUSE_H

#include "opencl/report.h"

/* Surround a callback of the program, on the thread that runs it; they need no lock. */
void icd_callback_begin(void);
void icd_callback_end(void);
/* Reports a call that blocks or creates a context or queue, if a callback makes it
 * (clSetEventCallback, clSetMemObjectDestructorCallback). */
void icd_misuse_in_callback(icd_call call);

/* Reports a command that uses a mapped memory object: one that is mapped for writing must not be
 * read or written, one that is mapped for reading must not be written; the same for parts of it and
 * for what it is a part of (clEnqueueMapBuffer). `index` is that of the kernel's argument; kernel
 * NULL: a transfer. */
void icd_misuse_mapped(const icd_command *command, cl_mem memory, bool is_write, cl_kernel kernel,
                       cl_uint index);

/* Reports two buffers that one command uses and whose memory of the host overlaps
 * (clCreateBuffer, CL_MEM_USE_HOST_PTR). */
void icd_misuse_host_overlap(const icd_command *command, cl_mem a, cl_mem b);

/* Notes that a command waits for a user event without a status, and reports the release of another
 * object before that has a status (clSetUserEventStatus). */
void icd_misuse_wait(cl_event event);
void icd_misuse_release(icd_call call, const char *what, uint32_t number);
/* Forgets a user event, which has got its status or is freed. */
void icd_misuse_wait_end(cl_event event);

#endif
