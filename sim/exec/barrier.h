/* Judges a work-group's barriers, once all of its waves wait or have ended. */
#ifndef SIM_BARRIER_H
#define SIM_BARRIER_H

#include "sim/exec/exec.h"

/* True if all work-items of the group wait at the same barrier, reached by the same calls.
 * Otherwise reports a finding that names the places at which work-items wait, and how many have
 * ended. Source: SPIR-V specification 1.6 section 3.42.20 (OpControlBarrier); OpenCL C
 * specification 3.0 section 6.15.8. */
bool sim_barrier_judge(sim_exec *x, sim_wave *waves, uint32_t count);

/* Call at a barrier and when the group has ended: reports the instructions that only part of the
 * group has reached since the last barrier (sim_arrive), and clears the arrivals. */
void sim_arrivals_judge(sim_exec *x);

#endif
