/* What compiled code calls (compiled/tier.h): one table for each engine level. */
#ifndef SIM_CHUNK_ACCESS_H
#define SIM_CHUNK_ACCESS_H

#include "sim/compiled/tier.h"
#include "sim/exec/exec.h"

/* Sets what an access through the view needs, in its present state. */
void sim_chunk_view_renew(sim_tier_context *c, sim_tier_access *access);
/* Does so for all views of local memory. Call when a group begins and, if c->views_change, at its
 * barriers, since bytes may have become defined or undefined; and after anything that makes other
 * accesses to local memory than writes known to the race search, or moves its cells. */
void sim_chunk_views_renew(sim_tier_context *c);

extern const sim_tier_helpers sim_chunk_helpers_base, sim_chunk_helpers_v3, sim_chunk_helpers_v4;

#endif
