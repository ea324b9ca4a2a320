/* The order in which a launch runs its work-groups, and a work-group its units.
 *
 * Units run one at a time: a unit is one work-item or, if the kernel can reach sub-group
 * operations, one sub-group, whose work-items run in lockstep as those operations assume.  A unit
 * runs until it waits for others or ends; then the next one runs.  After every barrier the units
 * are put in a new order.
 *
 * Source: OpenCL API specification 3.0, section 3.2.1 ("work-groups may be executed in any order")
 * and 3.2.2 ("work-items … execute concurrently"): a correct kernel gives the same results under
 * each schedule. */
#ifndef SIM_SCHEDULE_H
#define SIM_SCHEDULE_H

#include "sim/exec/exec.h"

/* Work-groups are numbered so that dimension 0 varies fastest. After group `at` comes group `at` +
 * `step`, modulo the count. */
typedef struct sim_group_walk {
    uint64_t at, step, count;
} sim_group_walk;

/* Returns the order in which the launch runs its count >= 1 work-groups. */
sim_group_walk sim_schedule_groups(const sim_launch_state *launch, uint64_t count);

static inline void sim_group_walk_on(sim_group_walk *walk)
{
    CHECK(walk->at < walk->count && walk->step <= walk->count);
    uint64_t left = walk->count - walk->step;
    walk->at = walk->at >= left ? walk->at - left : walk->at + walk->step;
}

/* Determines the order of the running group's waves until the next barrier. */
void sim_schedule_waves(const sim_launch_state *launch, uint32_t count, uint32_t *out_order);

/* Determines the turns of a wave's units until the next barrier. */
void sim_schedule_units(const sim_launch_state *launch, const sim_wave *wave, sim_turns *out_turns);

#endif
