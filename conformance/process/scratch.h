/* Temporary folders that are removed even if a process of the command is killed.
 *
 * Each folder is removed at the end by the process that created it. Folders left by a killed child
 * are inside the folder of the whole command, which the guard (conformance/process/guard.h) removes
 * once all processes of the command have ended. That folder is left only if both the guard and its
 * worker are killed while another program runs. */
#ifndef CONFORMANCE_PROCESS_SCRATCH_H
#define CONFORMANCE_PROCESS_SCRATCH_H

#include "reference/base/arena.h"
#include "reference/base/status.h"

/* Where folders are made that belong to a command: the name of its folder. */
#define CNF_SCRATCH_VARIABLE "ASSAY_SCRATCH"

/* A name below $TMPDIR, else /tmp, that cannot be guessed, for a command's folder; nothing is made
 * until cnf_scratch_make needs it.  False: the system gives no random number. */
bool cnf_scratch_name(rt_arena *arena, rt_text *out_folder);

/* Makes a folder of our own below $ASSAY_SCRATCH, else $TMPDIR, else /tmp; a NUL byte follows its
 * name.  IO: refused, and errno says why. */
RT_MUST_USE rt_status cnf_scratch_make(rt_sink *sink, rt_arena *arena, rt_text *out_folder);

/* Removes the folder with everything in it, as far as the system lets us. */
void cnf_scratch_remove(rt_text folder);

#endif
