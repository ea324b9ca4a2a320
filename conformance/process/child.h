/* Child processes: everything that may crash, hang or flood runs in one.
 *
 * A pool belongs to one single-threaded process and owns that process's children: it turns SIGCHLD,
 * SIGINT and SIGTERM into events, so that there is no signal handler and nothing global.  Each
 * child leads a process group of its own and the pool's process adopts orphans
 * (PR_SET_CHILD_SUBREAPER): when a child has ended, its group and whatever it left behind are
 * killed before its result is handed out.  What a child sends is kept whatever happens to it. */
#ifndef CONFORMANCE_PROCESS_CHILD_H
#define CONFORMANCE_PROCESS_CHILD_H

#include "conformance/process/start.h"

/* The descriptor on which every child but the compile worker sends its messages. */
enum { CNF_CHILD_MESSAGES = 3 };

/* The descriptor of an executed child's log, a file in memory that survives the child, and the
 * number of bytes of its end that a result keeps. */
enum { CNF_CHILD_LOG = 4, CNF_CHILD_LOG_KEPT = 1 << 16 };

/* Runs in a forked child; messages go to the descriptor; returns the child's exit status. */
typedef int cnf_child_body(void *user, int messages);

/* How to start one child.  Everything is borrowed for the call only, except `user`, which a forked
 * child sees as it was at the call. */
typedef struct cnf_child_start {
    cnf_child_body *body; /* forked child; NULL: a program is executed */
    void *user;
    const char *program;            /* path of what is executed; NULL: this program, anew */
    const char *const *arguments;   /* of an executed child, from argv[1], NULL-terminated */
    const char *const *environment; /* changes, "NAME=value", NULL-terminated; NULL: none */
    rt_bytes input;                 /* of an executed child, on descriptor 0 */
    int messages;                   /* an executed child's descriptor for messages: 1 or 3 */
    bool has_log;                   /* an executed child with messages on 3 gets CNF_CHILD_LOG */
    uint32_t timeout_ms;            /* > 0; then the child's group is killed */
    uint64_t memory_bytes;          /* that a process of it may allocate; 0: no limit */
    size_t messages_max;            /* bytes > 0; a child that sends more is killed */
    uint64_t tag;                   /* comes back in the result */
    int error;                      /* errno of what it needs and could not be had; 0: nothing */
} cnf_child_start;

typedef struct cnf_child_result {
    uint64_t tag;
    cnf_process_end end;
    int code;
    rt_buffer messages;      /* what it sent, at most messages_max bytes */
    rt_buffer output;        /* the last part of its stdout and stderr */
    rt_buffer log;           /* the end of its log, at most CNF_CHILD_LOG_KEPT bytes */
    bool log_is_tail;        /* it was longer */
    double seconds;          /* from start to end */
    uint64_t memory_bytes;   /* the limit that it ran under; 0: none */
    uint64_t resident_bytes; /* the most that it had in memory at once, with waited-for children */
} cnf_child_result;

/* What to do about a code of NOT_STARTED, to be appended to its message; "" where nothing is known.
 * Static. */
const char *cnf_child_advice(int code);

/* Frees what a result holds. */
void cnf_child_result_free(cnf_child_result *result);

typedef struct cnf_pool cnf_pool;

/* Makes this process's pool; one at a time.  SIGCHLD, SIGINT and SIGTERM are blocked while it
 * exists.  NULL with errno set where the system has no descriptors left. */
cnf_pool *cnf_pool_create(void);

/* Kills all children with all that they left, and restores the signal mask. */
void cnf_pool_destroy(cnf_pool *pool);

/* Starts a child.  A failure to start is a result (NOT_STARTED) like every other end, and so is an
 * error given in `start`. */
void cnf_pool_start(cnf_pool *pool, const cnf_child_start *start);

/* Children started whose results were not handed out yet. */
uint32_t cnf_pool_count(const cnf_pool *pool);

typedef enum cnf_pool_event {
    CNF_POOL_ENDED,       /* a result was handed out */
    CNF_POOL_INTERRUPTED, /* SIGINT or SIGTERM came; children are still running */
} cnf_pool_event;

/* Waits for the next event; there must be a child.  The caller frees a result that it got. */
cnf_pool_event cnf_pool_wait(cnf_pool *pool, cnf_child_result *out_result);

#endif
