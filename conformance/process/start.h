/* Starting a process: the one place of assay that forks, for a program or a function of its own.
 *
 * What is done between fork and exec is the same for every child: it dies with the thread that
 * started it, has default signals and no core dump, and gets the given descriptors and no other.
 * Collecting what a child sends is the business of process.h (one program, waited for) and child.h
 * (a pool of children).  Linux: close_range(2), memfd_create(2), prctl(2). */
#ifndef CONFORMANCE_PROCESS_START_H
#define CONFORMANCE_PROCESS_START_H

#include "reference/base/arena.h"
#include "reference/base/text.h"

#include <sys/types.h>

/* The program and the settings of a new process. Everything is borrowed for the call. */
typedef struct cnf_start {
    /* Of a program: its path, argv and complete environment, the lists NULL-terminated. */
    const char *program;
    const char *const *arguments;
    const char *const *environment; /* NULL: that of this process */
    /* Instead of a program, a function that returns the exit status.  It sees `user` as it
     * was at the call.  The process must then be single-threaded. */
    int (*body)(void *user);
    void *user;
    /* The child's descriptors 0, 1, 2 and so on; a negative one is /dev/null. */
    int *descriptors;          /* changed in the child's copy only */
    uint32_t descriptor_count; /* >= 3 */
    bool stays_in_group;       /* it joins our process group; otherwise it leads one of its own */
    uint64_t memory_bytes;     /* that a process of it may allocate; 0: no limit */
} cnf_start;

/* Starts the process.  Returns 0, or the errno of what the system refused, which may be executing
 * the program; then there is no process to wait for.  A function's process is not waited for: one
 * that could not be set up ends with status 127. */
int cnf_start_process(const cnf_start *start, pid_t *out_pid);

/* A new file in memory that holds the input, at its beginning; -1 with errno set. */
int cnf_start_input(rt_bytes input);

/* True where memory_bytes has an effect: AddressSanitizer needs more than any limit allows. */
extern const bool cnf_start_limits_memory;

/* This process's environment with changes ("NAME=value", NULL-terminated, or NULL for none), of
 * which the last for a name counts.  In the arena. */
const char *const *cnf_start_environment(rt_arena *arena, const char *const *changes);

/* How a process ended.  `code` of a result that has one says more. */
typedef enum cnf_process_end {
    CNF_PROCESS_EXITED,      /* code: exit status */
    CNF_PROCESS_SIGNALLED,   /* code: signal number */
    CNF_PROCESS_TIMED_OUT,   /* killed at its time limit, with its group */
    CNF_PROCESS_OVERFLOWED,  /* it sent too much and was killed */
    CNF_PROCESS_NOT_STARTED, /* code: errno; the system lacks the program, a process, memory */
} cnf_process_end;

/* Milliseconds of a clock that is never set. */
double cnf_process_now_ms(void);

/* Closes a descriptor, unless it is -1, and makes it -1. */
void cnf_process_close(int *descriptor);

/* Reads once from a pipe that does not block.  Returns the number of bytes, 0 where nothing can be
 * read now; closes the descriptor at the pipe's end or on an error. */
size_t cnf_process_read(int *descriptor, char *out_data, size_t size_max);

#endif
