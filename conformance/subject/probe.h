/* Whether a device still computes: a small computation whose answer is known.
 *
 * A driver may answer questions after a crash or a hang of another process and yet compute no more,
 * or wrongly; what runs on such a device afterwards proves nothing. */
#ifndef CONFORMANCE_SUBJECT_PROBE_H
#define CONFORMANCE_SUBJECT_PROBE_H

#include "reference/device/device.h"

/* Writes, fills and copies memories, runs a kernel from SPIR-V over the result where the device
 * takes that format, and compares every number.  A device that executes nothing must build the
 * kernel.  True: all is right.  False: out_message gets a line about what is wrong. */
bool cnf_probe_device(dev_device *device, rt_sink *sink, rt_buffer *out_message);

#endif
