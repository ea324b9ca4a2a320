/* A device's capabilities as text, for `assay subjects`. */
#ifndef CONFORMANCE_SUBJECT_CAPABILITIES_H
#define CONFORMANCE_SUBJECT_CAPABILITIES_H

#include "reference/device/device.h"

/* Appends every capability as a line "NAME: VALUE". A SPIR-V version that the device does not
 * report is "not reported". */
void cnf_capabilities_write(rt_buffer *out, const dev_capabilities *capabilities);

/* The same for the shipped runtime: appends the aspects of its device, and the capabilities that it
 * lacks on every device; scenarios that need these are skipped. */
void cnf_capabilities_shipped_write(rt_buffer *out, const dev_capabilities *capabilities);

#endif
