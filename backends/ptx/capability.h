/* What every GPU of a compute capability can do. */
#ifndef BACKENDS_PTX_CAPABILITY_H
#define BACKENDS_PTX_CAPABILITY_H

#include <stdint.h>

/* The aspects (bit 1u << dev_aspect) of a compute capability, 90 for 9.0.
 * Source: CUDA C++ programming guide, "Feature Support per Compute Capability". */
uint32_t ptx_aspects(uint32_t capability);

#endif
