/* Processes that ended children left behind. */
#ifndef CONFORMANCE_PROCESS_ORPHANS_H
#define CONFORMANCE_PROCESS_ORPHANS_H

#include "reference/base/vector.h"

#include <sys/types.h>

typedef RT_VECTOR(pid_t) cnf_process_list;

/* Makes this process adopt the orphans among its descendants.  Where the system refuses, orphans in
 * a process group of their own escape; those in their child's group never do. */
void cnf_orphans_adopt(void);

/* Appends the ids of the children that this process has now.  A program that a shell was
 * replaced with (exec) has inherited that shell's children, which are not orphans. */
void cnf_orphans_list(cnf_process_list *out_processes);

/* Kills and reaps every child of this process that is not among the known ones and not in a known
 * one's process group, and then what they leave in turn.  Waits some seconds at most for the killed
 * to die.  A process that daemonised out of a *running* child's group cannot be told from what an
 * ended one left, and is killed as well. */
void cnf_orphans_kill(const cnf_process_list *known);

#endif
