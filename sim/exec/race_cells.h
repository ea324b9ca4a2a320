/* What one cell of a race shadow says, for the quick ways that handle many lanes. */
#ifndef SIM_RACE_CELLS_H
#define SIM_RACE_CELLS_H

#include "sim/check/race.h"
#include "sim/exec/chunks.h"

/* True if the accesses recorded in the cell are not settled for the work-item with stamp `mine`.
 * Works for single cells and for vectors of them. */
#define SIM_CELL_IS_OPEN(r, cell, mine)                                                            \
    (((cell) != (mine)) & (((cell)&SIM_RACE_STAMP) >= (r)->launch_first) &                         \
     ((((cell)&SIM_RACE_STAMP) - (r)->group_first >= (r)->ordered_from - (r)->group_first) |       \
      (((cell)&SIM_RACE_OLDER) != 0)))

/* Returns -1 for each lane of a chunk of which one of the `count` cells from at[i] on is one of
 * those from `place` on, and 0 for the others. */
static inline sim_words sim_cells_common(sim_words at, uint32_t place, uint32_t count)
{
    return (sim_words)(at - place + (count - 1) < 2 * count - 1);
}

/* Returns the cell after a read, as sim_race_join computes it, but only for a clock that has given
 * no work-item two stamps since the last barrier. */
static inline uint32_t sim_cell_joined(uint32_t cell, uint32_t mine, uint32_t first, uint32_t group,
                                       uint32_t ordered)
{
    uint32_t stamp = cell & SIM_RACE_STAMP;
    bool here = stamp >= ordered;
    bool several = here & ((stamp != mine) | ((cell & SIM_RACE_SEVERAL) != 0));
    bool older = (stamp >= first) & ((stamp < group) | ((cell & SIM_RACE_OLDER) != 0));
    return mine | (several ? SIM_RACE_SEVERAL : 0) | (older ? SIM_RACE_OLDER : 0);
}

#endif
