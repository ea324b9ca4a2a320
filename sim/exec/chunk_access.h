/* What compiled code calls (compiled/tier.h): one table for each engine level. */
#ifndef SIM_CHUNK_ACCESS_H
#define SIM_CHUNK_ACCESS_H

#include "sim/compiled/tier.h"
#include "sim/exec/exec.h"

/* What a load through the view needs: SIM_TIER_HELPED and so on. Only views of local memory have
 * `all_defined`. */
static inline uint64_t sim_chunk_loads(const sim_tier_view *view)
{
    if (!view->all_defined) return view->defined || view->race ? SIM_TIER_HELPED : 0;
    uint64_t flags = *view->all_defined ? 0 : SIM_TIER_SHADOWED;
    return view->race ? flags | SIM_TIER_LOGGED : flags;
}

extern const sim_tier_helpers sim_chunk_helpers_base, sim_chunk_helpers_v3, sim_chunk_helpers_v4;

#endif
