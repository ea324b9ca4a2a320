/* A program that is given input and whose output is collected, with a time limit.
 *
 * Used for compilers and tools by the worker, and for the worker by its callers.  The program leads
 * a process group of its own, so that what it started can be killed with it.  Safe in processes
 * with threads. */
#ifndef CONFORMANCE_PROCESS_PROCESS_H
#define CONFORMANCE_PROCESS_PROCESS_H

#include "conformance/process/start.h"

typedef struct cnf_process {
    pid_t pid;  /* 0: not running */
    int output; /* our end of its standard output; -1: closed */
    int errors; /* of its standard error */
} cnf_process;

typedef struct cnf_process_result {
    cnf_process_end end;
    int code;
} cnf_process_result;

/* Starts the program at `path`, whose standard input is a file that holds a copy of `input`.
 * `arguments` (argv) and `environment` (complete) end with NULL.  Returns 0 or an errno; on failure
 * there is nothing to finish. */
int cnf_process_start(cnf_process *out_process, const char *path, const char *const *arguments,
                      const char *const *environment, rt_bytes input);

/* Appends what the process writes and waits for its end, at most timeout_ms.  Kills and reaps the
 * process and its group in every case. */
cnf_process_result cnf_process_finish(cnf_process *process, uint32_t timeout_ms,
                                      rt_buffer *out_output, rt_buffer *out_errors);

/* Describes how a process ended, in words: "ended by signal 11 (Segmentation fault)". */
void cnf_process_describe(rt_buffer *out, cnf_process_result result, uint32_t timeout_ms);

#endif
