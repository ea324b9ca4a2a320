/* Reads all input from a file descriptor, and writes all output to one, even if signals interrupt
 * the calls or pipes split the data. */
#ifndef REFERENCE_BASE_DESCRIPTORS_H
#define REFERENCE_BASE_DESCRIPTORS_H

#include "reference/base/text.h"

/* Appends everything up to the end of the input.  False: reading failed; errno says why. */
bool rt_read_all(int input, rt_buffer *out);

/* Writes all bytes.  False: writing failed; errno says why, and some bytes may have been written.
 */
bool rt_write_all(int output, rt_bytes bytes);

#endif
