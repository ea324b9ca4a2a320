/* What orders the commands of a device, and which of them conflict although nothing does.
 *
 * Two commands are ordered if one is in the wait list of the other, directly or through commands
 * between them; if a barrier of their queue separates them; or if the host knew that the first one
 * was done when it enqueued the second, or when it completed a host event that the second one waits
 * for: it had waited for it, or found it complete, or had done so for a command that waited for it.
 * That the device happened to run one of them first orders nothing. Commands that access a common
 * byte, at least one of them writing and not both with atomics, must be ordered; so must the host's
 * own accesses to unified shared memory. Two that are not are a finding, "command-race", whichever
 * of them ran first.
 *
 * Workload: as simdev_queue.c. Accesses are recorded only while some other command may be unordered
 * with the one that runs; a chain of commands costs nothing. What is recorded is kept until
 * the host knows the command, and is compared with everything else that is kept: n commands that
 * nothing orders cost n * n / 2 comparisons.
 *
 * In doubt, nothing is reported. These can be missed:
 *  - The knowledge of one thread of the host counts for all threads.
 *  - A command that is enqueued by another thread during a wait, which includes the command that
 *    runs, counts as ordered after it.
 *  - Of a command, at most 2^16 ranges of each object and kind are kept.
 *  - Accesses of a launch that uses up all stamps (sim/check/race.h).
 *  - Accesses of the host to its own pointers into USM, which no call announces.
 * Source: OpenCL API 3.0, 3.2.4 "Synchronization"
 * and 5.13 "Out-of-order Execution of Kernels and Memory Object Commands"; SYCL 2020, 3.9.8
 * "Coordination and synchronization".
 *
 * Everything is called with the device's lock held. */
#ifndef BACKENDS_SIM_SIMDEV_ORDER_H
#define BACKENDS_SIM_SIMDEV_ORDER_H

#include "reference/base/text.h"
#include "reference/base/vector.h"
#include "sim/sim.h"

struct simdev_device;

/* Consecutive entries of `ranges`: what a command does to one object in one way. */
typedef struct simdev_accesses {
    sim_object object; /* 0: the host's memory, whose offsets are addresses */
    bool is_write, is_atomic;
    uint32_t first, count; /* >= 1, ascending and disjoint; a forgotten one is empty */
} simdev_accesses;

typedef struct simdev_range {
    uint64_t begin, end; /* bytes */
} simdev_range;

/* A command, or an access of the host, in the order of what happened before what. */
typedef struct simdev_node {
    uint32_t references;
    uint64_t serial; /* grows with the time of submission */
    /* What the host knew to be done before this, and what it accessed before, happened before the
     * node: its serial or, if it waits for a host event, the time at which the host completed it.
     */
    uint64_t horizon;
    uint32_t tag;
    const char *what;  /* "copy", "kernel", …; static */
    char *kernel;      /* name, owned; NULL: not a kernel */
    bool is_done;      /* it is not pending */
    bool is_known;     /* the host knows that it is done, */
    uint64_t known_at; /* and knew it before anything with a higher serial was submitted */
    bool is_host;      /* an access of the host: ordered before whatever is enqueued later */
    bool has_printed;
    uint32_t findings; /* reported for which this was the later of the two */
    uint64_t visit, wanted;
    uint32_t point;                         /* index of the choice that ran it; UINT32_MAX: none */
    RT_VECTOR(struct simdev_node *) before; /* references to those that it waits for */
    RT_VECTOR(simdev_accesses) accesses;
    RT_VECTOR(simdev_range) ranges;
} simdev_node;

/* A choice among several ready commands, kept while a caller explores orders. */
typedef struct simdev_point {
    uint32_t number;     /* the caller's number of it */
    uint64_t serial;     /* of the newest command at that time */
    simdev_node **ready; /* references, ready_count of them */
    uint32_t ready_count;
} simdev_point;

typedef struct simdev_history {
    uint64_t serial, visits, wants;
    /* References to nodes. */
    RT_VECTOR(simdev_node *) recorded; /* have run, and their accesses are kept */
    RT_VECTOR(simdev_node *) learned;  /* are known, and what they waited for is kept */
    RT_VECTOR(simdev_node *) pending;  /* in order; those before pending_first are NULL */
    uint32_t pending_first;
    uint32_t settle_at; /* number of learned nodes at which what is no longer needed is dropped */
    RT_VECTOR(simdev_point) points;
    RT_VECTOR(simdev_node *) stack; /* of the walks */
    bool is_kept;                   /* orders are explored: edges and points are kept */
} simdev_history;

/* Makes the node of a command.  The caller holds the only reference. */
simdev_node *simdev_node_make(simdev_history *history, uint32_t tag, const char *what);
/* Notes that the host completes the event now. */
void simdev_node_complete(simdev_history *history, simdev_node *node);
/* Notes that the command begins. */
void simdev_node_begin(simdev_node *node);
/* Notes that the command has ended. */
void simdev_node_end(simdev_history *history, simdev_node *node);
/* Names the kernel that the command launches; the name is copied. */
void simdev_node_name(simdev_node *node, rt_text kernel);
void simdev_node_release(simdev_history *history, simdev_node *node);
/* Records that `node` waits for `before`; known ones need no record. */
void simdev_node_follow(simdev_node *node, simdev_node *before);
/* Notes that the host knows that a command that is done is done, and all those that it waited for.
 */
void simdev_node_learn(simdev_history *history, simdev_node *node);

/* Begins a set of wanted commands; those that are then added, with all that they wait for, are
 * wanted until the next set begins. */
void simdev_want_begin(simdev_history *history);
void simdev_want(simdev_history *history, simdev_node *node);

/* True if a command that is about to run may be unordered with another one, so that its accesses
 * must be recorded. `is_alone`: every other pending command waits for it. */
bool simdev_order_matters(struct simdev_device *device, simdev_node *node, bool is_alone);
/* Adds to what the node accesses. */
void simdev_node_accesses(simdev_node *node, const sim_accessed *accessed);
/* Appends who it is: "the host", "kernel 'k'", "a copy". */
void simdev_node_print(rt_buffer *out, const simdev_node *node);
/* Compares a node that has run with those that are kept, reports the conflicts, and keeps it. */
void simdev_node_judge(struct simdev_device *device, simdev_node *node);
/* Notes an access of the host to unified shared memory, and reports what it conflicts with, under
 * the tag. */
void simdev_host_judge(struct simdev_device *device, uint32_t tag, const sim_accessed *accessed);

/* Keeps what is ready at a choice with that number; the node that is chosen has run there. */
void simdev_point_add(simdev_history *history, uint32_t number, simdev_node *const *ready,
                      uint32_t count, simdev_node *chosen);
/* Drops what is kept about an object whose number will be used again. */
void simdev_history_forget(simdev_history *history, sim_object object);
/* Drops what is kept about the host's memory [begin, end), which is freed. */
void simdev_history_forget_host(simdev_history *history, uint64_t begin, uint64_t end);
void simdev_history_free(simdev_history *history);

#endif
