/* Temporary folders that are removed even if a process of the command is killed.
 *
 * Each folder is removed at the end by the process that created it. Folders left by a killed child
 * are inside the folder of the whole command, which the guard (conformance/process/guard.h) removes
 * once all processes of the command have ended. That folder remains only if both the guard and its
 * worker are killed while another program runs. */
#ifndef CONFORMANCE_PROCESS_SCRATCH_H
#define CONFORMANCE_PROCESS_SCRATCH_H

#include "reference/base/arena.h"
#include "reference/base/status.h"

/* The environment variable that names the command's folder. */
#define CNF_SCRATCH_VARIABLE "ASSAY_SCRATCH"

/* Generates an unguessable name below $TMPDIR (/tmp if that is not set) for a command's folder;
 * cnf_scratch_make creates the folder when it is needed. Returns false if the system provides no
 * random number. */
bool cnf_scratch_name(rt_arena *arena, rt_text *out_folder);

/* Creates a private folder below $ASSAY_SCRATCH, or $TMPDIR if that is not set, or /tmp if neither
 * is; a NUL byte follows its name. IO: the system refused, and errno says why. */
RT_MUST_USE rt_status cnf_scratch_make(rt_sink *sink, rt_arena *arena, rt_text *out_folder);

/* The same, in memory (/dev/shm) if there is room, the command has a folder and $TMPDIR is not set:
 * for a few small files that are never executed. On a disk, making and removing such a folder takes
 * longer than running a small scenario. */
RT_MUST_USE rt_status cnf_scratch_make_small(rt_sink *sink, rt_arena *arena, rt_text *out_folder);

/* Removes the folder with all its contents, as far as the system permits. */
void cnf_scratch_remove(rt_text folder);

/* Removes the command's folder, named by cnf_scratch_name, and what it has in memory. */
void cnf_scratch_remove_command(rt_text folder);

/* A process that removes a folder once the one that started it has ended, for a command without a
 * guard. */
typedef struct cnf_scratch_keeper {
    int pid; /* 0: none */
    int end; /* its pipe, which closes when this process ends */
} cnf_scratch_keeper;

/* Starts it; false: the system refused, and errno says why. */
bool cnf_scratch_keep(rt_text folder, cnf_scratch_keeper *out_keeper);

/* Lets it remove the folder now, and waits for it. */
void cnf_scratch_end(cnf_scratch_keeper *keeper);

#endif
