/* Whether a device still computes: a small computation whose answer is known.
 *
 * A driver may answer questions after a crash or a hang of another process and yet compute no more,
 * or wrongly; what runs on such a device afterwards proves nothing. */
#ifndef CONFORMANCE_SUBJECT_PROBE_H
#define CONFORMANCE_SUBJECT_PROBE_H

#include "conformance/scenario/model/model.h"
#include "reference/device/device.h"

/* The computation as a scenario: one device; the executable has the kernel "assay_probe"; memory 0
 * has COUNT elements, which the kernel multiplies by 3 and adds their index to.  Static. */
extern const scn_scenario cnf_probe_scenario;

/* True when the content of the scenario's memory is right after the kernel ran; else out_message
 * gets a line about the first element that is not. */
bool cnf_probe_answers(rt_bytes content, rt_buffer *out_message);

/* Writes, fills and copies memories, runs a kernel from SPIR-V over the result where the device
 * takes that format, and compares every number.  A device that executes nothing must build the
 * kernel; of one that needs a tool to link, nothing is asked where the machine has none.  True: all
 * is right.  False: out_message gets a line about what is wrong. */
bool cnf_probe_device(dev_device *device, rt_sink *sink, rt_buffer *out_message);

#endif
