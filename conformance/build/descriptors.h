/* Reading all input and writing all output of the hidden commands, which talk through pipes. */
#ifndef CONFORMANCE_BUILD_DESCRIPTORS_H
#define CONFORMANCE_BUILD_DESCRIPTORS_H

#include "reference/base/text.h"

/* Appends everything up to the end of the input.  False: reading failed, errno says why. */
bool cnf_read_all(int input, rt_buffer *out);

/* Writes all bytes. False: writing failed, errno says why. */
bool cnf_write_all(int output, rt_bytes bytes);

#endif
