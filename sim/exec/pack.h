/* Packs: several small groups that run as one wave.
 *
 * An instruction costs the interpreter nearly as much for 16 work-items as for 256. So once a
 * kernel has taken long, its modules are decoded again, with ids of groups that may differ between
 * lanes, and as many of its groups as fit into a wave run together. Each lane accesses its own
 * group's local memory, at the addresses that it would have by itself: an object of local memory
 * has the bytes of all groups, one after the other (sim_local_object.stride), and a lane's offset
 * is checked against one group's bytes before that of its group is added.
 *
 * To the race search, a pack is one group, whose barriers order local memory only. So it takes
 * accesses of global memory by work-items of one group for unordered where a barrier orders them,
 * and never misses that those of different groups are not. A launch in which any finding is made,
 * for that or another reason, or in which undefined bits are loaded, is undone and run again, one
 * group after the other, and its kernel is not run in packs again. Otherwise no work-item has seen
 * what another group did, so the bytes are those of any order of the groups. */
#ifndef SIM_PACK_H
#define SIM_PACK_H

#include "sim/exec/exec.h"

/* Runs the launch in packs; false, with nothing changed, if that is not worth it or is not
 * possible. `instance` is the program's. */
bool sim_launch_packed(sim_launch_state *launch, const sim_instance *instance,
                       const sim_argument *arguments);
/* Records what a launch without packs has taken: call after it, with launch->steps before it. */
void sim_pack_measure(const sim_launch_state *launch, const sim_instance *instance,
                      uint64_t steps_before);

/* For launch.c, while the launch runs in packs: sets the wave's built-in rows for the pack of which
 * launch->group is the first group. */
void sim_pack_rows(const sim_launch_state *launch, const sim_wave *wave);

#endif
