/* What a device says that it can do, for people: `assay subjects`. */
#ifndef CONFORMANCE_SUBJECT_CAPABILITIES_H
#define CONFORMANCE_SUBJECT_CAPABILITIES_H

#include "reference/device/device.h"

/* Appends every capability as a line "NAME: VALUE"; what the device does not say is "not told". */
void cnf_capabilities_write(rt_buffer *out, const dev_capabilities *capabilities);

#endif
