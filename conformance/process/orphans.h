/* Processes left behind by children that have ended. */
#ifndef CONFORMANCE_PROCESS_ORPHANS_H
#define CONFORMANCE_PROCESS_ORPHANS_H

#include "reference/base/vector.h"

#include <sys/types.h>

typedef RT_VECTOR(pid_t) cnf_process_list;

/* Makes this process adopt the orphans among its descendants. If the system refuses, orphans that
 * lead their own process group escape; orphans that are still in the group of the child that left
 * them are killed with that group. */
void cnf_orphans_adopt(void);

/* Appends the ids of this process's current children. If a shell started this program with exec,
 * they include the shell's children, which are not orphans. */
void cnf_orphans_list(cnf_process_list *out_processes);

/* Kills and reaps every child of this process that is neither among the known processes nor in the
 * process group of one of them, and then the processes that the killed ones leave behind. Waits a
 * few seconds at most for the killed processes to die. A process that daemonised out of a *running*
 * child's group cannot be distinguished from an orphan of an ended child and is killed as well. */
void cnf_orphans_kill(const cnf_process_list *known);

#endif
