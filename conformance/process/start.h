/* Starts processes that run a program or a function: all child processes of assay except the
 * guard's worker (guard.h). The steps between fork and exec are the same for every child: it dies
 * with the thread that started it, has default signal handling and no core dump, and gets only the
 * given descriptors. process.h (which waits for one program) and child.h (a pool of children)
 * collect their output. Linux: close_range(2), memfd_create(2), prctl(2). */
#ifndef CONFORMANCE_PROCESS_START_H
#define CONFORMANCE_PROCESS_START_H

#include "reference/base/arena.h"
#include "reference/base/text.h"

#include <sys/types.h>

/* The path at which assay starts itself again, as a process with another task. */
#define CNF_THIS_PROGRAM "/proc/self/exe"

/* The program and the settings of a new process. Everything is borrowed for the call. */
typedef struct cnf_start {
    /* For a program: its path, argv and complete environment, the lists NULL-terminated. */
    const char *program;
    const char *const *arguments;
    const char *const *environment; /* NULL: this process's environment */
    /* Instead of a program, a function that returns the exit status. It sees `user` as it was at
     * the call. The process must then be single-threaded. */
    int (*body)(void *user);
    void *user;
    /* The child's descriptors 0, 1, 2 and so on; a negative descriptor is replaced by /dev/null. */
    int *descriptors;          /* changed in the child's copy only */
    uint32_t descriptor_count; /* >= 3 */
    bool stays_in_group;       /* in our process group; otherwise it leads its own */
    uint64_t memory_bytes;     /* limit on allocations in each of its processes; 0: no limit */
} cnf_start;

/* Starts the process. Returns 0, or the errno of the call that failed, which may be the exec in the
 * child; there is then no process to wait for. The set-up of a function's process is not checked:
 * if it fails, the process ends with status 127. */
int cnf_start_process(const cnf_start *start, pid_t *out_pid);

/* Creates a file in memory that holds the input, positioned at its beginning; -1 with errno set. */
int cnf_start_input(rt_bytes input);

/* True if memory_bytes has an effect: AddressSanitizer needs more than any limit allows. */
extern const bool cnf_start_limits_memory;

/* This process's environment with changes ("NAME=value", NULL-terminated, or NULL for none); the
 * last change of a name wins. In the arena. */
const char *const *cnf_start_environment(rt_arena *arena, const char *const *changes);

/* How a process ended. The `code` of a result has the details, if any. */
typedef enum cnf_process_end {
    CNF_PROCESS_EXITED,      /* code: exit status */
    CNF_PROCESS_SIGNALLED,   /* code: signal number */
    CNF_PROCESS_TIMED_OUT,   /* exceeded its time limit and was killed with its group */
    CNF_PROCESS_OVERFLOWED,  /* sent too much and was killed */
    CNF_PROCESS_NOT_STARTED, /* code: errno; the program, a process or memory was not available */
} cnf_process_end;

/* Milliseconds of a monotonic clock. */
double cnf_process_now_ms(void);

/* Closes a descriptor, unless it is -1, and sets it to -1. */
void cnf_process_close(int *descriptor);

/* Reads once from a non-blocking pipe. Returns the number of bytes, or 0 if nothing can be read
 * now; closes the descriptor at end of file or on an error. */
size_t cnf_process_read(int *descriptor, char *out_data, size_t size_max);

/* Appends everything that can be read from a non-blocking pipe now, but keeps only the first
 * size_max bytes in total; closes the descriptor like cnf_process_read. */
void cnf_process_drain(int *descriptor, rt_buffer *out, size_t size_max);

#endif
