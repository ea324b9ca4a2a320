/* A process that serves requests (service.h), for programs that are not ours and their threads.
 *
 * It is not a child of the program, which may wait for all of its children, or ignore them. So the
 * program that is started must fork, exit and serve in its own child, and end when its socket is
 * closed, also while it answers a request. */
#ifndef CONFORMANCE_PROCESS_SERVER_H
#define CONFORMANCE_PROCESS_SERVER_H

#include "conformance/process/process.h"

typedef struct cnf_server {
    int service;  /* our end of its socket; -1: it does not run */
    int messages; /* our end of its descriptor CNF_CHILD_MESSAGES */
    int errors;   /* our end of its standard output and standard error */
} cnf_server;

/* Starts the server at `path`; `arguments` (argv) and `environment` (complete) end with NULL.
 * Returns 0 or an errno; after an error there is nothing to stop. */
int cnf_server_start(cnf_server *out_server, const char *path, const char *const *arguments,
                     const char *const *environment);

/* Sends a request, appends the messages that answer it, and what the server wrote to its standard
 * error. EXITED with code 0: it is answered, and the server takes the next one. EXITED, SIGNALLED:
 * the process for this request ended so, without an answer; the server takes the next one.
 * TIMED_OUT, OVERFLOWED: the server is stopped. NOT_STARTED: it had ended, or ended with the
 * request, and is stopped; the code is an errno. */
cnf_process_result cnf_server_request(cnf_server *server, rt_bytes input, uint32_t timeout_ms,
                                      rt_buffer *out_messages, rt_buffer *out_errors);

/* Closes our ends, so that the server ends. */
void cnf_server_stop(cnf_server *server);

#endif
