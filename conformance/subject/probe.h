/* Checks whether a device still computes, with a small computation whose answer is known.
 *
 * After a crash or a hang of another process a driver may still answer queries but compute nothing,
 * or wrongly; later results of such a device prove nothing. */
#ifndef CONFORMANCE_SUBJECT_PROBE_H
#define CONFORMANCE_SUBJECT_PROBE_H

#include "conformance/scenario/model/model.h"
#include "reference/device/device.h"

/* The computation as a scenario: one device; the executable has the kernel "assay_probe"; for each
 * of COUNT elements of memory 0 the kernel multiplies the element by 3 and adds its index. Static.
 */
extern const scn_scenario cnf_probe_scenario;

/* True if the scenario's memory is right after the kernel ran; otherwise out_message gets a line
 * about the first wrong element. */
bool cnf_probe_answers(rt_bytes content, rt_buffer *out_message);

/* Writes, fills and copies memories, runs a kernel from SPIR-V over the result if the device takes
 * that format, and compares every number. A device that executes nothing must build the kernel; a
 * device whose linker is missing on this machine skips this. True: everything is right. False:
 * out_message gets a line that describes the error. */
bool cnf_probe_device(dev_device *device, rt_sink *sink, rt_buffer *out_message);

#endif
