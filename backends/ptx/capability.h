/* The features and limits that all GPUs of a compute capability share. */
#ifndef BACKENDS_PTX_CAPABILITY_H
#define BACKENDS_PTX_CAPABILITY_H

#include "backends/ptx/launch.h"

/* Returns the aspects (bit 1u << dev_aspect) of a compute capability, 90 for 9.0.
 * Source: CUDA C++ programming guide, "Feature Support per Compute Capability". */
uint32_t ptx_aspects(uint32_t capability);

/* Returns the most bytes of shared memory that a work-group can have on a compute capability;
 * launches obtain that much through the driver's opt-in.  For a capability that the table lacks,
 * the value of the next lower one applies.
 * Source: CUDA C++ programming guide, "Technical Specifications per Compute Capability", "Maximum
 * amount of shared memory per thread block". */
uint32_t ptx_shared_size_max(uint32_t capability);

/* Returns the capabilities of a device with a compute capability, without name, driver, `executes`
 * and `usm`, which the adapter adds.  `warp_size` is in threads.  *link_extension is filled in and
 * owned by the caller; the result points to it. */
dev_capabilities ptx_capabilities(uint32_t capability, uint32_t warp_size, const ptx_limits *limits,
                                  const char **link_extension);

#endif
