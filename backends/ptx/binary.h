/* Serialised programs for PTX devices: the kernels and the linked machine code. */
#ifndef BACKENDS_PTX_BINARY_H
#define BACKENDS_PTX_BINARY_H

#include "backends/ptx/kernels.h"

/* Appends the program in the form that ptx_binary_read reads. */
void ptx_binary_write(rt_buffer *out, const ptx_kernels *kernels, rt_bytes cubin);

/* Reads a serialised program, which is untrusted input, into an empty table; the cubin points into
 * `binary`.  MALFORMED: the bytes are truncated, damaged or of a different version; the table may
 * then contain rows. */
RT_MUST_USE rt_status ptx_binary_read(rt_sink *sink, rt_bytes binary, ptx_kernels *out_kernels,
                                      rt_bytes *out_cubin);

#endif
