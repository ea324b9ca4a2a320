/* The KernelFusionCommand: a queue's fusion in the command graph.
 *
 * Between start_fusion and the end of the fusion, launches to the queue become nodes with all their
 * dependencies but are held back: they form the list of the queue's fusion command, which is itself
 * a node that waits for all of them and does no work.  submit returns that node's id.  A fusion
 * ends in one of three ways: every kernel is handed to its device as it was submitted (cancel); the
 * kernels leave the graph and one launch takes their place (replace); or a command needs one of
 * them, and the scheduler cancels the fusion and reports the reason to the observer.
 *
 *               start        cancel, or a kernel    replace, or an    start of the   clean-up
 *                            is needed              empty list ends   next fusion
 *   NEW         ACTIVE       -                      -                 -              -
 *   ACTIVE      refused (1)  CANCELLED              COMPLETED         -              kept
 *   CANCELLED   -            no effect              -                 DELETE         kept
 *   COMPLETED   -            no effect              -                 DELETE         kept
 *   DELETE      -            -                      -                 -              freed (2)
 *
 *   (1) KF-QUEUE-03: the queue is in fusion mode already
 *   (2) unless a thread still reads the list (rt_fusion_list_open)
 *
 * reference/fusion decides what is fused and how; this file covers only the graph's part.
 * Source: document 001 (KernelFusionJIT.md), "Scheduler Integration". */
#ifndef REFERENCE_SCHED_FUSION_COMMAND_H
#define REFERENCE_SCHED_FUSION_COMMAND_H

#include "reference/base/arena.h"
#include "reference/sched/sched.h"

/* status, name in traces (document 001, "Behavior on queue::ext_codeplay_start_fusion") */
#define RT_FUSION_STATUSES(STATUS)                                                                 \
    STATUS(NEW, "NEW")             /* being created; never in a trace */                           \
    STATUS(ACTIVE, "ACTIVE")       /* the queue is in fusion mode */                               \
    STATUS(CANCELLED, "CANCELLED") /* the kernels run one by one */                                \
    STATUS(COMPLETED, "COMPLETED") /* a fused kernel runs in their place */                        \
    STATUS(DELETE, "DELETE")       /* the queue has a newer fusion; clean-up may reclaim this one */

typedef enum rt_fusion_status {
#define RT_FUSION_STATUS_ENUM(status, name) RT_FUSION_##status,
    RT_FUSION_STATUSES(RT_FUSION_STATUS_ENUM)
#undef RT_FUSION_STATUS_ENUM
        RT_FUSION_STATUS_COUNT
} rt_fusion_status;

/* reason, name in traces, text of the warning */
#define RT_SYNC_EVENT "Aborting fusion because of event dependency from a different fusion"
#define RT_SYNC_WAIT                                                                               \
    "Aborting fusion because synchronization with one of the kernels in the fusion list was "      \
    "requested"
#define RT_SYNC_REASONS(REASON)                                                                    \
    REASON(CALL, "cancel_fusion", "") /* requested by the application */                           \
    REASON(REJECTED, "rejected", "")  /* the list could not be fused */                            \
    REASON(OTHER_QUEUE, "other-queue", RT_SYNC_EVENT)                                              \
    REASON(MEMORY_OPERATION, "memory-operation", RT_SYNC_WAIT)                                     \
    REASON(HOST_TASK, "host-task", RT_SYNC_WAIT)                                                   \
    REASON(HOST_ACCESS, "host-access", RT_SYNC_WAIT)                                               \
    REASON(WAIT, "wait", RT_SYNC_WAIT)                                                             \
    REASON(QUEUE_END, "queue-end", RT_SYNC_WAIT)                                                   \
    REASON(BUFFER_END, "buffer-end", RT_SYNC_WAIT)

typedef enum rt_sync_reason {
#define RT_SYNC_REASON_ENUM(reason, name, warning) RT_SYNC_REASON_##reason,
    RT_SYNC_REASONS(RT_SYNC_REASON_ENUM)
#undef RT_SYNC_REASON_ENUM
        RT_SYNC_REASON_COUNT
} rt_sync_reason;

/* The columns of the tables, as static strings. */
const char *rt_fusion_status_name(rt_fusion_status status);
const char *rt_sync_reason_name(rt_sync_reason reason);
const char *rt_sync_reason_warning(rt_sync_reason reason); /* "": no warning */

#define RT_COMMAND_NONE UINT32_MAX

typedef RT_VECTOR(rt_command_id) rt_command_list;

/* The last writer of a memory, and its download, before the first kernel of the list wrote it. */
typedef struct rt_saved_leaves {
    uint32_t memory; /* rt_memory.id */
    rt_command_id writer, download;
} rt_saved_leaves;

/* Guarded by the scheduler's lock. */
typedef struct rt_fusion_command {
    rt_command_id command; /* its node */
    rt_queue_id queue;
    rt_fusion_status status;
    rt_command_list kernels;   /* the fusion list, in submission order */
    rt_command_list auxiliary; /* created for the kernels: moves of content */
    uint32_t covered; /* number of kernels at the start of the list that a later kernel waits for,
                       * because it depends on the fusion's own event */
    rt_command_id last_before; /* rt_queue.last when the fusion began */
    RT_VECTOR(rt_saved_leaves) leaves;
    rt_arena arena; /* holds the held commands */
    uint32_t users; /* number of threads that are reading the list without the lock; not reclaimed
                     * until it is 0 */
} rt_fusion_command;

/* The observer of fusions that the scheduler ends.  It is called with the scheduler's lock held, so
 * it must not take the lock.  `ended` must be set; `not_fused` may be NULL. */
typedef struct rt_fusion_observer {
    void *user;
    void (*ended)(void *user, rt_queue_id queue, rt_sync_reason reason);
    /* A command other than a kernel is submitted to a queue in fusion mode; called before `ended`
     * if it ends the fusion.  `kind` is static and uses DPC++'s wording: "copy acc to acc". */
    void (*not_fused)(void *user, const char *kind);
} rt_fusion_observer;

/* Sets the observer, once. */
void rt_scheduler_observe(rt_scheduler *scheduler, rt_fusion_observer observer);

/* Puts the queue into fusion mode: creates a new fusion command, ACTIVE.  Its predecessor, which
 * has ended, becomes DELETE and is left to clean-up.  ERRC_INVALID: the queue is already in fusion
 * mode (KF-QUEUE-03), was not created with the property enable_fusion, or has ended. */
RT_MUST_USE rt_status rt_fusion_command_start(rt_scheduler *scheduler, rt_queue_id queue);

/* True while the queue is in fusion mode. */
bool rt_fusion_command_is_active(rt_scheduler *scheduler, rt_queue_id queue);

/* The queue's newest fusion command, as a command to wait for; RT_COMMAND_NONE if there was none.
 */
rt_command_id rt_fusion_command_event(rt_scheduler *scheduler, rt_queue_id queue);

/* Ends the queue's fusion: every held command is handed to its device as it was submitted.  False:
 * the queue was not in fusion mode, and nothing was done. */
bool rt_fusion_command_cancel(rt_scheduler *scheduler, rt_queue_id queue, rt_sync_reason reason);

/* One kernel of a list, for reference/fusion; borrowed until rt_fusion_list_close. */
typedef struct rt_listed_kernel {
    rt_text kernel;
    const rt_launch *launch; /* as submitted by the application */
    rt_program *program;     /* the program that would run it unfused */
} rt_listed_kernel;

typedef struct rt_fusion_list {
    rt_fusion_command *fusion;
    const rt_device *device;
    rt_context_id context;
    const rt_listed_kernel *kernels; /* in the arena */
    uint32_t count;
} rt_fusion_list;

/* Opens the list of a queue in fusion mode for reading without the lock; the caller closes it
 * before resetting the arena.  The programs stay alive until then, even if the list ends or a
 * module is unloaded.  False: the queue is not in fusion mode. */
bool rt_fusion_list_open(rt_scheduler *scheduler, rt_queue_id queue, rt_arena *arena,
                         rt_fusion_list *out_list);
void rt_fusion_list_close(rt_scheduler *scheduler, rt_fusion_list *list);

/* Ends the fusion if it is still ACTIVE and its list is empty: it becomes COMPLETED, and its event
 * completes. */
void rt_fusion_command_finish_empty(rt_scheduler *scheduler, const rt_fusion_list *list);

/* Removes the kernels of the list from the graph, restores the leaves of the memories that they
 * use, and submits `fused`, whose `after` is ignored, with the union of the kernels' requirements
 * and of their dependencies on commands outside the list (KF-GRAPH-10 to KF-GRAPH-16).  On
 * success with *out_replaced false, another thread has ended the fusion or added to its list in the
 * meantime, and nothing was done; otherwise *out_command is the fused kernel's command.  On
 * failure, returns a code of rt_scheduler_launch and changes nothing. */
RT_MUST_USE rt_status rt_fusion_command_replace(rt_scheduler *scheduler, const rt_fusion_list *list,
                                                const rt_launch *fused, bool *out_replaced,
                                                rt_command_id *out_command);

/* Reclaims fusion commands whose status is DELETE; commands that wait for their events are not
 * affected.
 */
void rt_fusion_clean_up(rt_scheduler *scheduler);

#endif
