/* A child process that is given input and whose output is collected, with a time limit.
 *
 * Used for clang by the worker and for the worker by everyone else.  A child is the leader of a
 * process group of its own, so that what it started can be killed with it.  Safe in processes with
 * threads: nothing but posix_spawn runs between the parent's code and the child's. */
#ifndef CONFORMANCE_BUILD_PROCESS_H
#define CONFORMANCE_BUILD_PROCESS_H

#include "reference/base/text.h"

#include <sys/types.h>

typedef struct cnf_process {
    pid_t pid;     /* 0: not running */
    int input;     /* our ends; -1: closed */
    int output;    /* the child's standard output */
    int errors;    /* its standard error */
    rt_bytes rest; /* input still to be written; borrowed */
} cnf_process;

typedef enum cnf_process_end {
    CNF_PROCESS_EXITED,      /* code: exit status */
    CNF_PROCESS_SIGNALLED,   /* code: signal number */
    CNF_PROCESS_TIMED_OUT,   /* killed with its group */
    CNF_PROCESS_OVERFLOWED,  /* wrote too much and was killed */
    CNF_PROCESS_NOT_STARTED, /* code: errno */
} cnf_process_end;

typedef struct cnf_process_result {
    cnf_process_end end;
    int code;
} cnf_process_result;

/* Starts the program at `path`.  `arguments` and `environment` end with NULL.  `input` is borrowed
 * until the process is finished.  Returns 0 or an errno; on failure there is nothing to finish. */
int cnf_process_start(cnf_process *out_process, const char *path, const char *const *arguments,
                      const char *const *environment, rt_bytes input);

/* Feeds the process, appends what it writes and waits for its end, at most timeout_ms.  Kills and
 * reaps the process and its group in every case. */
cnf_process_result cnf_process_finish(cnf_process *process, uint32_t timeout_ms,
                                      rt_buffer *out_output, rt_buffer *out_errors);

/* Describes how a process ended, in words: "ended by signal 11 (Segmentation fault)". */
void cnf_process_describe(rt_buffer *out, cnf_process_result result, uint32_t timeout_ms);

#endif
