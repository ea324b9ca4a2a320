/* Processes that ended children left behind. */
#ifndef CONFORMANCE_RUN_ORPHANS_H
#define CONFORMANCE_RUN_ORPHANS_H

#include <stdint.h>
#include <sys/types.h>

/* Makes this process adopt the orphans among its descendants.  Where the system refuses, orphans in
 * a process group of their own escape; those in their child's group never do. */
void cnf_orphans_adopt(void);

/* Kills and reaps every child of this process that is not among the known ones and not in a known
 * one's process group, and then what they leave in turn.  Waits at most a second for the killed to
 * die.  A process that daemonised out of a *running* child's group cannot be told from what an
 * ended one left, and is killed as well. */
void cnf_orphans_kill(const pid_t *known, uint32_t known_count);

#endif
