/* Which work-item wrote a byte last, for people who look for the reason of a wrong value.
 *
 * The race shadow of an object (race.h) keeps the stamp of the last store to every cell after the
 * launch has ended, but not who had that stamp.  A world that keeps writers keeps, for each launch,
 * the intervals of its clock as well. Stores of the host, fills and copies clear the stamps of the
 * bytes that they change, and so do launches that record no stamps. */
#ifndef SIM_WRITERS_H
#define SIM_WRITERS_H

#include "sim/check/race.h"

/* Keeps the intervals of a launch that is about to close; takes them from its clock. */
void sim_writers_keep(sim_launch_state *launch);
/* Before a window is closed: its object takes over the stamps of the launch's stores through it.
 * Does nothing for other memory. */
void sim_writers_pass(sim_world *world, const sim_memory *window);
/* Forgets who wrote what the launch may have written, because it recorded no stamps. */
void sim_writers_forget(const sim_launch_state *launch, const sim_argument *arguments);
/* Forgets all launches: stamps will be handed out again. */
void sim_writers_restart(sim_world *world);

#endif
