/* A guarded function: however the program ends, no process that it started survives.
 *
 * The function runs in a child (the worker), which adopts the processes that its own children leave
 * behind (child.h); the program's own process (the guard) only waits, and adopts the processes that
 * the worker leaves behind. If the guard is killed, the worker gets SIGTERM and ends as after any
 * interruption; if the worker is killed, the guard kills every descendant. The last of the two to
 * end removes the command's temporary folder (scratch.h). The worker has its own session, so that
 * one signal to a process group cannot kill both; the guard forwards signals from the terminal and
 * from other processes. Linux: PR_SET_CHILD_SUBREAPER and PR_SET_PDEATHSIG of prctl(2). */
#ifndef CONFORMANCE_PROCESS_GUARD_H
#define CONFORMANCE_PROCESS_GUARD_H

/* Runs the body in the worker, with `user` as it was at the call, and returns, in the guard, the
 * status that the body returned. If the worker was killed or could not be started, reports that on
 * stderr and returns `status_lost`. The process must be single-threaded. */
int cnf_guard(int (*body)(void *user), void *user, int status_lost);

#endif
