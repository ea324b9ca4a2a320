/* A child that serves several requests, one after another.
 *
 * The pool (child.h) or a server's user (server.h) starts it with a socket of datagrams on
 * descriptor 0. A request is one datagram with two descriptors: the input, a file in memory, and
 * the log, if there is one. The child answers each request with its messages, and when it is ready
 * for the next one with a datagram of one byte; a server can also say that it has no answer. It
 * ends by exiting, at the latest after the last request. Linux: unix(7), SCM_RIGHTS. */
#ifndef CONFORMANCE_PROCESS_SERVICE_H
#define CONFORMANCE_PROCESS_SERVICE_H

#include <stdbool.h>

/* The descriptor of the socket in the child. */
enum { CNF_SERVICE_SOCKET = 0 };

/* Creates the two ends of a service; the pool's end does not block and neither survives an exec.
 * Returns 0 or an errno; on failure both are -1. */
int cnf_service_create(int *out_pool, int *out_child);

/* Sends a request; the descriptors are duplicated. `log` -1: none. Returns 0 or an errno: EPIPE if
 * the child has ended. */
int cnf_service_send(int socket, int input, int log, bool is_last);

/* For the pool: true if the child has said that it is ready for the next request. */
bool cnf_service_is_ready(int socket);

/* For the user of a server: takes what it says about the end of a request, whose wait status is
 * that of the process that should have answered it, 0 if it did. False: the server has ended. */
bool cnf_service_end(int socket, int *out_status);

/* For the child: waits for the next request. The caller closes *out_input; the request's log, if
 * any, replaces descriptor CNF_CHILD_LOG, which must be open. False: there is no further request,
 * or it cannot be received, which is reported on stderr. */
bool cnf_service_receive(int socket, int *out_input, bool *out_last);

/* For the child: says that it has answered the request and is ready for the next. False: the pool
 * has gone away. */
bool cnf_service_ready(int socket);

/* For a server: says that the request has no answer, but that it is ready for the next. False: its
 * user has gone away. */
bool cnf_service_failed(int socket, int status);

#endif
