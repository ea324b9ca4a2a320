/* Child processes: anything that may crash, hang or flood its output runs in one.
 *
 * A pool belongs to one single-threaded process and owns that process's children: it turns SIGCHLD,
 * SIGINT and SIGTERM into events, so it needs no signal handler and no global state. Each child
 * leads its own process group, and the pool's process adopts orphans (PR_SET_CHILD_SUBREAPER): when
 * a child has ended, its group and every process that it left behind are killed before its result
 * is returned. Everything that a child has sent is kept, however the child ends. */
#ifndef CONFORMANCE_PROCESS_CHILD_H
#define CONFORMANCE_PROCESS_CHILD_H

#include "conformance/process/start.h"

/* The descriptor to which the children of a run send their messages. */
enum { CNF_CHILD_MESSAGES = 3 };

/* The descriptor of an executed child's log, which is a file in memory that outlives the child, and
 * the number of bytes that a result keeps from the log's end. */
enum { CNF_CHILD_LOG = 4, CNF_CHILD_LOG_MAX = 1 << 16 };

/* Runs in a forked child and writes messages to the descriptor `messages`. Returns the child's exit
 * status. */
typedef int cnf_child_body(void *user, int messages);

/* The start parameters of a child. Everything is borrowed for the call only; a forked child sees
 * `user` as it was at the call. */
typedef struct cnf_child_start {
    cnf_child_body *body; /* forked child; NULL: a program is executed */
    void *user;
    const char *program;            /* path of the program to execute; NULL: this program */
    const char *const *arguments;   /* of an executed child, from argv[1], NULL-terminated */
    const char *const *environment; /* changes to this process's environment, "NAME=value",
                                     * NULL-terminated; NULL: none */
    rt_bytes input;                 /* of an executed child, on descriptor 0 */
    int messages;                   /* an executed child's descriptor for messages: 1 or 3 */
    bool has_log;                   /* an executed child with messages on 3 gets CNF_CHILD_LOG */
    uint32_t timeout_ms;            /* > 0; the child's group is killed after this time */
    uint64_t memory_bytes;          /* limit on allocations in each of the child's processes; 0: no
                                     * limit */
    size_t messages_max;            /* bytes > 0; a child that sends more is killed */
    uint64_t tag;                   /* returned in the result */
    int error;                      /* errno if preparing the child has failed; otherwise 0 */
    bool serves;        /* an executed child with messages on 3 and a log, which takes this input
                         * and further ones as requests (service.h) */
    bool is_last;       /* SERVES: this is the child's last request */
    uint64_t child_tag; /* SERVES: the tag of the result if the child ends while it has no request
                         */
} cnf_child_start;

/* How a child, or a request to a child that serves several, ended. A request that was answered
 * counts as EXITED with code 0. */
typedef struct cnf_child_result {
    uint64_t tag;
    uint32_t child; /* number of the child that has answered and waits for a request; 0: it has
                     * ended */
    cnf_process_end end;
    int code;
    rt_buffer messages;      /* the messages that it sent, at most messages_max bytes */
    rt_buffer output;        /* the last part of its stdout and stderr */
    rt_buffer log;           /* the end of its log, at most CNF_CHILD_LOG_MAX bytes */
    bool log_is_tail;        /* the log was longer */
    double seconds;          /* elapsed time from start to end */
    uint64_t memory_bytes;   /* its memory limit; 0: none */
    uint64_t resident_bytes; /* peak resident size, including its reaped children */
} cnf_child_result;

/* Advice on an errno of NOT_STARTED, to be appended to its message; "" if there is none. Static. */
const char *cnf_child_advice(int code);

/* Frees what a result holds. */
void cnf_child_result_free(cnf_child_result *result);

typedef struct cnf_pool cnf_pool;

/* Creates this process's pool; there can be only one at a time. SIGCHLD, SIGINT and SIGTERM are
 * blocked while it exists. Returns NULL with errno set if the system has no descriptors left. */
cnf_pool *cnf_pool_create(void);

/* Kills all children and every process that they left behind, and restores the signal mask. */
void cnf_pool_destroy(cnf_pool *pool);

/* Starts a child and returns its number, which is not 0. A failure to start yields a result
 * (NOT_STARTED), like any other end; so does an error given in `start`. */
uint32_t cnf_pool_start(cnf_pool *pool, const cnf_child_start *start);

/* Gives a child that waits for a request the next one: the input, tag, limits and `is_last` of
 * `start`. Returns false if it cannot take it, because it has ended or the system lacks resources;
 * it is then dismissed. */
bool cnf_pool_request(cnf_pool *pool, uint32_t child, const cnf_child_start *start);

/* Tells a child that waits for a request that there is none: it has timeout_ms to end, and then
 * yields a result with its `child_tag`. */
void cnf_pool_dismiss(cnf_pool *pool, uint32_t child, uint32_t timeout_ms);

/* The number of children and requests started whose results have not been returned yet; children
 * that wait for a request, or have been dismissed, do not count. */
uint32_t cnf_pool_count(const cnf_pool *pool);

/* True if the pool has any child. */
bool cnf_pool_has_children(const cnf_pool *pool);

typedef enum cnf_pool_event {
    CNF_POOL_ENDED,       /* a result was returned: of a child, or of a request to one */
    CNF_POOL_INTERRUPTED, /* SIGINT or SIGTERM arrived; children are still running */
} cnf_pool_event;

/* Waits for the next event; there must be a child. The caller frees a returned result. */
cnf_pool_event cnf_pool_wait(cnf_pool *pool, cnf_child_result *out_result);

#endif
