/* What compiled code calls (compiled/tier.h): one table for each engine level. */
#ifndef SIM_CHUNK_ACCESS_H
#define SIM_CHUNK_ACCESS_H

#include "sim/compiled/tier.h"
#include "sim/exec/exec.h"

extern const sim_tier_helpers sim_chunk_helpers_base, sim_chunk_helpers_v3, sim_chunk_helpers_v4;

#endif
