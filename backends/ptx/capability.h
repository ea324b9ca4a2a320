/* The features and limits of every GPU of a compute capability. */
#ifndef BACKENDS_PTX_CAPABILITY_H
#define BACKENDS_PTX_CAPABILITY_H

#include "backends/ptx/launch.h"

/* The aspects (bit 1u << dev_aspect) of a compute capability, 90 for 9.0.
 * Source: CUDA C++ programming guide, "Feature Support per Compute Capability". */
uint32_t ptx_aspects(uint32_t capability);

/* Bytes of shared memory that a work-group can have on a compute capability at most, which kernels
 * are launched with by the driver's opt-in; of one that the table has no row for, what all of the
 * next older one in it have.
 * Source: CUDA C++ programming guide, "Technical Specifications per Compute Capability", "Maximum
 * amount of shared memory per thread block". */
uint32_t ptx_shared_size_max(uint32_t capability);

/* What a device of a compute capability answers, without name, driver, `executes` and `usm`, which
 * the adapter adds.  `warp_size` is in threads; *link_extension is set and stays the caller's, and
 * the answer points to it. */
dev_capabilities ptx_capabilities(uint32_t capability, uint32_t warp_size, const ptx_limits *limits,
                                  const char **link_extension);

#endif
