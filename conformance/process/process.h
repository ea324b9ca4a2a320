/* Runs a program with input and a time limit and collects its output. The compile worker uses it
 * for compilers and tools, and the worker's callers use it for the worker. The program leads its
 * own process group, so that the processes that it started can be killed with it. Safe in processes
 * with threads. */
#ifndef CONFORMANCE_PROCESS_PROCESS_H
#define CONFORMANCE_PROCESS_PROCESS_H

#include "conformance/process/start.h"

typedef struct cnf_process {
    pid_t pid;  /* 0: not running */
    int output; /* our end of its standard output; -1: closed */
    int errors; /* our end of its standard error; -1: closed */
} cnf_process;

typedef struct cnf_process_result {
    cnf_process_end end;
    int code;
} cnf_process_result;

enum {
    CNF_PROCESS_OUTPUT_MAX = 256 << 20, /* bytes; larger than any answer */
    CNF_PROCESS_ERRORS_MAX = 1 << 20,   /* bytes kept of standard error */
};

/* Starts the program at `path`, with a file that holds a copy of `input` as its standard input.
 * `arguments` (argv) and `environment` (complete) end with NULL. Returns 0 or an errno; after an
 * error there is nothing to finish. */
int cnf_process_start(cnf_process *out_process, const char *path, const char *const *arguments,
                      const char *const *environment, rt_bytes input);

/* Appends the output of the process and waits for its end, at most timeout_ms. Kills and reaps the
 * process and its group in every case. */
cnf_process_result cnf_process_finish(cnf_process *process, uint32_t timeout_ms,
                                      rt_buffer *out_output, rt_buffer *out_errors);

/* Describes how a process ended, in words: "ended by signal 11 (Segmentation fault)". */
void cnf_process_describe(rt_buffer *out, cnf_process_result result, uint32_t timeout_ms);

#endif
