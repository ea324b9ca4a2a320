/* Launches whose groups run as compiled code (compiled/tier.h). */
#ifndef SIM_COMPILED_H
#define SIM_COMPILED_H

#include "sim/exec/parallel.h"

/* Runs the launch as compiled code.  False, with memory unchanged, if the kernel is not compiled or
 * its code gave up; the caller must then interpret it. */
bool sim_compiled_launch(sim_launch_state *launch, const sim_argument *arguments);

/* Runs one group; sets x->stop if the code gives up. For launch.c. */
void sim_compiled_group(sim_exec *x, sim_wave *waves);

#endif
