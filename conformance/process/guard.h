/* A guarded body of work: whatever ends the program, nothing that it started stays behind.
 *
 * The work is done in a child (the worker) that adopts what its own children leave (child.h); the
 * program's own process (the guard) only waits, and adopts what the worker leaves.  Killing the
 * guard interrupts the worker, which ends as after SIGTERM; killing the worker makes the guard kill
 * every descendant.  The last of them to end removes the command's temporary folder (scratch.h).
 * The worker has a session of its own, so that one signal to a process group
 * cannot take both; the guard passes on what the terminal and others send.
 * Linux: PR_SET_CHILD_SUBREAPER and PR_SET_PDEATHSIG of prctl(2). */
#ifndef CONFORMANCE_PROCESS_GUARD_H
#define CONFORMANCE_PROCESS_GUARD_H

/* Runs the body in the worker, where `user` is as it was at the call, and returns in the guard with
 * the status that the body returned.  Where the worker was killed, or could not be started, that is
 * said on stderr and `status_lost` is returned.  The process must be single-threaded. */
int cnf_guard(int (*body)(void *user), void *user, int status_lost);

#endif
