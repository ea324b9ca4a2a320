/* A program for PTX devices as bytes: its kernels, and the machine code that was linked. */
#ifndef BACKENDS_PTX_BINARY_H
#define BACKENDS_PTX_BINARY_H

#include "backends/ptx/kernels.h"

/* Appends the form that ptx_binary_read takes. */
void ptx_binary_write(rt_buffer *out, const ptx_kernels *kernels, rt_bytes cubin);

/* Reads such bytes, which are untrusted, into an empty table; the cubin is borrowed from them.
 * MALFORMED: they are cut off, damaged or of another version; the table may have rows then. */
RT_MUST_USE rt_status ptx_binary_read(rt_sink *sink, rt_bytes binary, ptx_kernels *out_kernels,
                                      rt_bytes *out_cubin);

#endif
