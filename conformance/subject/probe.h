/* Checks whether a device still computes, using a small computation with a known answer.
 *
 * After another process has crashed or hung, a driver may still answer queries but compute wrongly
 * or not at all; any later results from that device prove nothing. */
#ifndef CONFORMANCE_SUBJECT_PROBE_H
#define CONFORMANCE_SUBJECT_PROBE_H

#include "conformance/scenario/model/model.h"
#include "reference/device/device.h"

/* The computation as a scenario, with one device. The executable has the kernel "assay_probe",
 * which multiplies each of the COUNT elements of memory 0 by 3 and adds the element's index. Static
 * storage. */
extern const scn_scenario cnf_probe_scenario;

/* True if `content` is what the scenario's memory must hold once the kernel has run; otherwise a
 * line about the first wrong element is appended to out_message. */
bool cnf_probe_answers(rt_bytes content, rt_buffer *out_message);

/* The computation on a device that is probed repeatedly: its kernel is built once. */
typedef struct cnf_probe cnf_probe;

/* Builds the kernel, if the device accepts one of its formats, and creates the other objects. Never
 * NULL; a failure is reported by cnf_probe_run. The sink and the device must outlive the probe,
 * which cnf_probe_close frees (NULL does nothing). */
cnf_probe *cnf_probe_open(dev_device *device, rt_sink *sink);
void cnf_probe_close(cnf_probe *probe);

/* Runs the computation; the result is that of cnf_probe_device. It leaves no object. */
bool cnf_probe_run(cnf_probe *probe, rt_buffer *out_message);

/* Writes, fills and copies memories, runs a kernel over the result if the device accepts one of the
 * kernel's formats, and compares every number. A device that executes nothing only has to build the
 * kernel; a device whose linker is missing on this machine skips the check. True: everything is
 * correct. False: a line that describes the error is appended to out_message. */
bool cnf_probe_device(dev_device *device, rt_sink *sink, rt_buffer *out_message);

#endif
