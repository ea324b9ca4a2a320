/* What a device says that it can do, for people: `assay subjects`. */
#ifndef CONFORMANCE_SUBJECT_CAPABILITIES_H
#define CONFORMANCE_SUBJECT_CAPABILITIES_H

#include "reference/device/device.h"

/* Appends every capability as a line "NAME: VALUE"; what the device does not say is "not told". */
void cnf_capabilities_write(rt_buffer *out, const dev_capabilities *capabilities);

/* Appends what there is to say of a runtime that is not ours: the aspects of its device, and the
 * capabilities for which scenarios are skipped on it, whatever the device. */
void cnf_capabilities_shipped_write(rt_buffer *out, const dev_capabilities *capabilities);

#endif
