/* Findings about lanes of the running fragment, and values chosen for them. */
#ifndef SIM_NOTE_H
#define SIM_NOTE_H

#include "sim/memory/state.h"

/* Returns the first active lane. */
uint32_t sim_first_lane(const sim_exec *x);

/* Returns a number that depends only on the seed, the site and the lane's work-item, so that runs
 * are repeatable. */
uint64_t sim_lane_choose(const sim_exec *x, uint32_t site, uint32_t lane);

/* Notes a finding that is not about an access; its message is `text` followed by "by work-item (x,
 * y, z)". */
void sim_note(sim_exec *x, uint32_t site, sim_finding_kind kind, uint32_t lane, uint64_t count,
              const char *text);

/* Reads the global id of a lane from the wave's built-in rows. */
void sim_work_item_of(const sim_wave *wave, uint32_t lane, uint64_t *out_ids);

/* Fills in a new finding's row: its work-item and its message, `text` followed by "by work-item (x,
 * y, z)". */
void sim_row_fill(sim_exec *x, sim_finding_row *row, uint32_t lane, rt_text text);

#endif
