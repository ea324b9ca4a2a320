/* Barriers of a work-group, once all of its waves wait or have ended. */
#ifndef SIM_BARRIER_H
#define SIM_BARRIER_H

#include "sim/exec/exec.h"

/* True when all work-items of the group wait at the same barrier, reached by the same calls.  Else
 * that is noted, with every place at which some wait and who has ended.
 * Source: SPIR-V specification 1.6 section 3.42.20 (OpControlBarrier); OpenCL C specification 3.0
 * section 6.15.8. */
bool sim_barrier_judge(sim_exec *x, sim_wave *waves, uint32_t count);

/* At a barrier, or where the group has ended: notes the instructions to which a part of the group
 * has come since the last one (sim_arrive), and forgets them. */
void sim_arrivals_judge(sim_exec *x);

#endif
