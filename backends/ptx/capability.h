/* The features and limits that all GPUs of a compute capability share. */
#ifndef BACKENDS_PTX_CAPABILITY_H
#define BACKENDS_PTX_CAPABILITY_H

#include "backends/ptx/launch.h"

/* Returns the aspects (a bit 1u << dev_aspect for each) of a compute capability, given as 90 for
 * 9.0. Source: CUDA C++ programming guide, "Feature Support per Compute Capability". */
uint32_t ptx_aspects(uint32_t capability);

/* Returns the maximum number of bytes of shared memory per work-group for a compute capability;
 * launches obtain that much through the driver's opt-in. A capability that the table lacks has the
 * value of the next lower one. Source: CUDA C++ programming guide, "Technical Specifications per
 * Compute Capability", "Maximum amount of shared memory per thread block". */
uint32_t ptx_shared_size_max(uint32_t capability);

/* The extensions that a PTX device may advertise: linking of PTX, and of SPIR-V. */
enum { PTX_EXTENSIONS = 2 };

/* True if the tools translate SPIR-V to PTX; they may be NULL. */
bool ptx_translates(const dev_tools *tools);

/* Returns the capabilities of a device of the given compute capability, except its name, driver,
 * `executes` and `usm`, which the adapter adds.  `warp_size` is in threads.  With tools that
 * translate SPIR-V, the device takes it as well, and constants are set in the translation.
 * `extensions` is filled in here but belongs to the caller; the result points to it. */
dev_capabilities ptx_capabilities(uint32_t capability, uint32_t warp_size, const ptx_limits *limits,
                                  const dev_tools *tools, const char *extensions[PTX_EXTENSIONS]);

#endif
