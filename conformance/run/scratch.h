/* A temporary folder. */
#ifndef CONFORMANCE_RUN_SCRATCH_H
#define CONFORMANCE_RUN_SCRATCH_H

#include "reference/base/arena.h"
#include "reference/base/status.h"

/* Makes a folder of our own below $TMPDIR or /tmp; a NUL byte follows its name.  IO: refused. */
RT_MUST_USE rt_status cnf_scratch_make(rt_sink *sink, rt_arena *arena, rt_text *out_folder);

/* Removes the folder with everything in it, as far as the system lets us. */
void cnf_scratch_remove(rt_text folder);

#endif
