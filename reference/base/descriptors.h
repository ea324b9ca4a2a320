/* Reading all input and writing all output of a file descriptor: signals interrupt the calls, and
 * pipes split the data. */
#ifndef REFERENCE_BASE_DESCRIPTORS_H
#define REFERENCE_BASE_DESCRIPTORS_H

#include "reference/base/text.h"

/* Appends everything up to the end of the input.  False: reading failed, errno says why. */
bool rt_read_all(int input, rt_buffer *out);

/* Writes all bytes.  False: writing failed, errno says why; some of them may have been written. */
bool rt_write_all(int output, rt_bytes bytes);

#endif
