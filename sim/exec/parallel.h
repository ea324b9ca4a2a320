/* Runs the work-groups of one launch on several threads, provided that this cannot affect the
 * result. */
#ifndef SIM_PARALLEL_H
#define SIM_PARALLEL_H

#include "sim/exec/exec.h"

/* Some of a launch's work-groups, in the schedule's order. */
typedef struct sim_part {
    uint64_t first, count;
} sim_part;

/* Returns the number of work-groups in the launch; UINT64_MAX: too many to count. */
uint64_t sim_launch_group_count(const sim_launch_state *launch);
/* Allocates the launch's local memory: LIMIT if it is too large. */
RT_MUST_USE rt_status sim_launch_open(sim_launch_state *launch, const sim_argument *arguments);
/* Runs the groups of a part, with separate race detection. */
void sim_launch_run(sim_launch_state *launch, const sim_argument *arguments, sim_part part);
/* Writes the arguments to the uniform registers of the kernel's frame or, if they are structures,
 * to the private memory of every lane of the wave; a NULL wave's lanes are left to the caller. */
void sim_launch_arguments(const sim_launch_state *launch, sim_wave *wave, const sim_frame *frame,
                          const sim_argument *arguments);
/* Adds a number to all elements of a row of built-ins. */
typedef void sim_row_adder(uint64_t *row, uint32_t lanes, uint64_t number);
void sim_row_add(uint64_t *row, uint32_t lanes, uint64_t number);
/* Sets the wave's built-in rows for the running group. */
void sim_launch_rows(const sim_launch_state *launch, const sim_wave *wave, sim_row_adder *add);
/* All work-items of the group pass a barrier with that order (sim_order_pack). */
void sim_launch_barrier(sim_launch_state *launch, uint32_t order);
/* Frees the launch's memory; its findings must have been reported. */
void sim_launch_close(sim_launch_state *launch);

/* Runs all groups on the world's threads.  False, with memory unchanged, if the results may depend
 * on the order of the groups; the caller must then run the launch on one thread. */
bool sim_launch_parallel(sim_launch_state *launch, const sim_argument *arguments);

#endif
