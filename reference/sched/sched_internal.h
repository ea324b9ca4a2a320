/* The graph's nodes; shared by the files of this folder. */
#ifndef REFERENCE_SCHED_SCHED_INTERNAL_H
#define REFERENCE_SCHED_SCHED_INTERNAL_H

#include "reference/sched/fusion_command.h"

typedef enum rt_command_kind {
    /* the application's */
    RT_COMMAND_LAUNCH,
    RT_COMMAND_COPY,
    RT_COMMAND_FILL,
    RT_COMMAND_MARKER,
    RT_COMMAND_MAP,
    RT_COMMAND_UNMAP,
    RT_COMMAND_HOST_TASK,
    RT_COMMAND_USER_EVENT, /* the application completes it; it belongs to no queue */
    /* the end of a queue's fusion, however it ends; does no work */
    RT_COMMAND_FUSION,
    /* the runtime's own moves of content, ordered by their memories, not by their queue */
    RT_COMMAND_UPLOAD,
    RT_COMMAND_HOST_READ,
    RT_COMMAND_ZERO,  /* fills new storage of a device_global */
    RT_COMMAND_POINT, /* writes the address of that storage into a program */
} rt_command_kind;

/* The states of a command, and the steps between them; `-`: not permitted (state.c).
 *
 *                hold     hand over  stop      finish     remove    restore
 *   SUBMITTED    HELD     ENQUEUED   STOPPED   DONE (1)   -         -
 *   HELD         -        ENQUEUED   STOPPED   -          REMOVED   -
 *   ENQUEUED     -        -          -         DONE       -         -
 *   STOPPED      -        -          -         DONE       -         -
 *   DONE         -        -          -         -          -         -
 *   REMOVED      -        -          -         -          -         HELD (2)
 *
 *   (1) host tasks only, which run inside their submission, unless they are deferred
 *   (2) the device refused the fused kernel, so the list is restored
 *
 * A user event is ENQUEUED until the application completes it, and a deferred host task until it
 * has run: its event is one that the runtime completes then. The end of a fusion (kind FUSION) is
 * SUBMITTED while its list is open, ENQUEUED when everything that it waits for has been handed
 * over, and never has an event.  A command that the device refuses during its submission is removed
 * from the graph (rt_graph_remove_last). */
typedef enum rt_command_state {
    RT_COMMAND_SUBMITTED, /* in the graph only */
    RT_COMMAND_HELD,      /* in a fusion's list, or created for a kernel there: `held` is set */
    RT_COMMAND_ENQUEUED,  /* handed to the device: `event` is set */
    RT_COMMAND_STOPPED,   /* no device will run it: `result` is the failure that stopped it, either
                           * the device's refusal or the failure of a predecessor whose event the
                           * device cannot wait for */
    RT_COMMAND_DONE,      /* `result` is final */
    RT_COMMAND_REMOVED,   /* removed from the graph: a fused kernel does its work */
} rt_command_state;

typedef enum rt_step {
    RT_STEP_HOLD,
    RT_STEP_HAND_OVER,
    RT_STEP_STOP,
    RT_STEP_FINISH,
    RT_STEP_REMOVE,
    RT_STEP_RESTORE,
} rt_step;

/* The data of a HELD command until it is handed to its device; lives in the fusion command's arena.
 */
typedef struct rt_held {
    rt_fusion_command *fusion;
    bool auxiliary;     /* created for a kernel of the list, but not itself in the list */
    dev_kernel *kernel; /* LAUNCH; lives as long as the command's program */
    rt_launch launch;   /* LAUNCH: a copy of the application's request */
    rt_memory *memory;  /* UPLOAD, HOST_READ */
} rt_held;

/* What a MAP makes available to the host. */
typedef struct rt_mapping {
    rt_memory *memory;
    dev_mapping *mapping; /* the device's; NULL once it is unmapped */
} rt_mapping;

/* What a host task does; its dependencies are those of its command. */
typedef struct rt_task {
    rt_memory *from, *to;  /* to: NULL if it only reads */
    rt_command_id awaited; /* RT_COMMAND_NONE: none */
} rt_task;

typedef struct rt_command {
    rt_command_id id;
    rt_command_kind kind;
    rt_command_state state;
    uint32_t queue;               /* index into the scheduler's queues; RT_QUEUE_NONE: USER_EVENT */
    const rt_device *device;      /* that of the queue, or of a USER_EVENT */
    rt_command_list dependencies; /* smaller ids, each once */
    rt_command_id barrier; /* the dependency that only orders it: the newest barrier of its queue,
                            * unless it names the barrier itself; RT_COMMAND_NONE: none */
    rt_program *program;   /* LAUNCH, COPY of a variable in the program: kept until DONE */
    bool moves_variable;   /* COPY: to or from a variable in a program */
    dev_marker marker;     /* MARKER */
    rt_mapping *mapping;   /* MAP: owned */
    rt_task *task;         /* HOST_TASK that the application has to release: owned, until it runs */
    dev_event *event;      /* lives as long as the scheduler: later commands may wait for it */
    rt_status result;      /* STOPPED, DONE */
    bool failure_is_reported;  /* its failure was reported to the application */
    uint64_t visit;            /* the last walk that reached it (wait.c) */
    rt_command_id dependent;   /* the most recent command that waits for this one, or NONE */
    rt_held *held;             /* HELD; NULL otherwise */
    rt_command_id ended_after; /* FUSION, once it has ended: the newest command that it waits for */
} rt_command;

typedef struct rt_queue {
    const rt_device *device;
    rt_context_id context;
    dev_queue *queue;
    bool in_order;
    rt_command_id last;        /* the newest of the application's commands; RT_COMMAND_NONE before
                                * the first */
    rt_command_id barrier;     /* the newest barrier; RT_COMMAND_NONE: none */
    bool ended;                /* the application has destroyed it */
    bool enable_fusion;        /* the property */
    bool enable_profiling;     /* the property */
    rt_fusion_command *fusion; /* created by the last start_fusion; NULL before the first */
} rt_queue;

/* An access to a memory by a command of the application. */
typedef struct rt_memory_access {
    rt_memory *memory;
    rt_access access;
    bool
        overwrites; /* writes every byte, so the previous contents need not be brought to the device
                     */
} rt_memory_access;

typedef RT_VECTOR(rt_memory_access) rt_access_list;

/* The last writer of a memory, and its readers since then.  For unified shared memory, only the
 * command that uploads the initial contents is recorded, as the writer. */
typedef struct rt_memory_use {
    rt_command_id writer;    /* RT_COMMAND_NONE: none */
    rt_command_list readers; /* since the writer */
    rt_command_id download;  /* the host read of the latest contents; RT_COMMAND_NONE: none */
} rt_memory_use;

struct rt_scheduler {
    rt_sink *sink;
    rt_trace *trace;
    rt_program_manager *programs;
    rt_global_database *globals; /* NULL: there are none */
    /* Whether two contexts of a device share the storage of a variable, which DG-INIT-11 leaves
     * open: chosen once, when it first matters. */
    enum { RT_SHARING_OPEN, RT_SHARING_PER_DEVICE, RT_SHARING_PER_CONTEXT } sharing;
    pthread_mutex_t lock;
    RT_VECTOR(rt_queue) queues;
    RT_VECTOR(rt_command *) commands;       /* index is the id */
    RT_VECTOR(rt_memory_use) uses;          /* index is rt_memory.id */
    RT_VECTOR(rt_fusion_command *) fusions; /* fusions that clean-up has not reclaimed */
    rt_sync_reason cause; /* the reason to report if the operation in progress ends a fusion */
    rt_fusion_observer observer;
    uint64_t visit_count;     /* number of walks over the graph */
    uint32_t open_events;     /* user events that the application has not completed */
    rt_command_list deferred; /* host tasks that wait for them, in order of their ids */
    uint32_t settled;         /* commands before this one are over and their failures reported */
};

/* ---- check.c ------------------------------------------------------------------------------ */

/* Takes and releases the lock around a public operation; in sanitizer builds, both check the whole
 * scheduler. */
void rt_scheduler_lock(rt_scheduler *scheduler);
void rt_scheduler_unlock(rt_scheduler *scheduler);

/* Panics unless all invariants between two public operations hold; returns true.  Called with the
 * lock held. */
bool rt_scheduler_check(const rt_scheduler *scheduler);

/* ---- state.c (lock held) ------------------------------------------------------------------ */

/* Moves the command from one state to the next; the fields that the new state requires must already
 * be set. */
void rt_command_step(rt_command *command, rt_step step);

/* rt_command_is_pending: true before the command is handed over (SUBMITTED, HELD).
 * rt_command_is_open_event: true for a user event that the application has not completed.
 * rt_command_is_over: true once it need no longer be waited for (DONE, REMOVED). */
bool rt_command_is_pending(const rt_command *command);
bool rt_command_is_open_event(const rt_command *command);
bool rt_command_is_over(const rt_command *command);

/* Moves a fusion to its next status (see the table in fusion_command.h) and traces the change. */
void rt_fusion_set_status(rt_scheduler *scheduler, rt_fusion_command *fusion,
                          rt_fusion_status status);

/* ---- graph.c (lock held) ------------------------------------------------------------------ */

#define RT_QUEUE_NONE (UINT32_MAX - 1) /* the queue of a command that belongs to none */

/* Adds a node without dependencies; the caller sets the device of one without a queue. */
rt_command *rt_graph_add(rt_scheduler *scheduler, rt_command_kind kind, rt_queue_id queue);

/* Removes the newest node, which the device has refused. */
void rt_graph_remove_last(rt_scheduler *scheduler, rt_command *command);

/* Makes `command` wait for `other` (RT_COMMAND_NONE: nothing to do). */
void rt_graph_depend(rt_scheduler *scheduler, rt_command *command, rt_command_id other);

/* Adds the dependencies that result from an access to a memory: a read waits for the last writer,
 * and a write also for the readers since then; so it does for each part of a buffer that overlaps
 * the accessed one, and for the whole buffer.  For unified shared memory, a command waits only for
 * the initial contents, because applications order the commands that use it themselves (SYCL 2020,
 * 3.8.1 and 4.8.3). */
void rt_graph_depend_on_memory(rt_scheduler *scheduler, rt_command *command,
                               const rt_memory *memory, rt_access access);

/* Records the access for the commands that follow. */
void rt_graph_book_access(rt_scheduler *scheduler, const rt_command *command,
                          const rt_memory *memory, rt_access access);

/* The command's rank in a topological order: a command that was handed over ranks after everything
 * that it waits for. */
uint64_t rt_command_rank(const rt_command *command);

/* Emits an event of a command: its number, the values, and its dependencies as the list `after`
 * (FUSION_HOLD: `held_after`). */
void rt_command_trace(rt_scheduler *scheduler, const rt_command *command, rt_event_kind kind,
                      const rt_trace_value *values, uint32_t value_count);

/* RT_COMMAND_TRACE(scheduler, command, FILL, RT_T("memory", name), …) */
#define RT_COMMAND_TRACE(scheduler, command, kind, ...)                                            \
    rt_command_trace((scheduler), (command), RT_EVENT_##kind,                                      \
                     (const rt_trace_value[]){__VA_ARGS__},                                        \
                     sizeof((const rt_trace_value[]){__VA_ARGS__}) / sizeof(rt_trace_value))

/* ---- content.c (lock held) ---------------------------------------------------------------- */

/* Brings the latest contents of the memory to the queue's device; with `overwrites`, only allocates
 * its copy there.  The commands that do so are held with `fusion` unless it is NULL. */
RT_MUST_USE rt_status rt_content_bring(rt_scheduler *scheduler, rt_queue_id queue,
                                       rt_memory *memory, bool overwrites,
                                       rt_fusion_command *fusion);

/* Adds the command that reads a device's copy, which must be valid, into the host bytes: of a whole
 * buffer, which are then its latest contents, or of a part.  It is held with `fusion` unless
 * that is NULL. */
RT_MUST_USE rt_status rt_content_read(rt_scheduler *scheduler, rt_memory *memory,
                                      rt_fusion_command *fusion, rt_command_id *out_command);

/* ---- scheduler.c (lock held) -------------------------------------------------------------- */

/* The request of a submission to the graph; borrowed. */
typedef struct rt_submission {
    rt_queue_id queue;
    rt_command_kind kind;
    const rt_access_list *accesses;
    const rt_command_id *after;
    uint32_t after_count;
    rt_fusion_command
        *fusion; /* the fusion whose list it joins; NULL: it is enqueued immediately */
} rt_submission;

/* The graph's part of a submission.  `begin` brings the memories' contents to the device and
 * creates the node with its dependencies; the caller enqueues it and passes the status to `end`,
 * which removes the node again or records its accesses. */
RT_MUST_USE rt_status rt_submission_begin(rt_scheduler *scheduler, const rt_submission *submission,
                                          rt_command **out_command);
RT_MUST_USE rt_status rt_submission_end(rt_scheduler *scheduler, rt_command *command,
                                        const rt_access_list *accesses, rt_status enqueued,
                                        rt_command_id *out_command);

/* The memory accesses of a launch; the caller frees the list. */
rt_access_list rt_launch_accesses(const rt_launch *launch);

/* ERRC_KERNEL_ARGUMENT if the launch's number of arguments differs from the kernel's number of
 * parameters. */
RT_MUST_USE rt_status rt_launch_check_arguments(rt_scheduler *scheduler, const rt_launch *launch,
                                                const rt_program *program, dev_kernel *kernel);

/* ERRC_INVALID if the memory is USM of a device other than the queue's; `user` names the command in
 * the message, as in "kernel 'k'". */
RT_MUST_USE rt_status rt_submission_check_device(rt_scheduler *scheduler, rt_queue_id queue,
                                                 const rt_memory *memory, rt_text user);

/* ---- enqueue.c (lock held) ---------------------------------------------------------------- */

/* Hands a launch, a copy or fill, a marker, a map or unmap, or a move of content (upload, host
 * read) to the device; sets event and state.  If it depends on a command of another device, waits
 * for that command: no device knows another's events. */
RT_MUST_USE rt_status rt_enqueue_launch(rt_scheduler *scheduler, rt_command *command,
                                        dev_kernel *kernel, const rt_launch *launch);
RT_MUST_USE rt_status rt_enqueue_transfer(rt_scheduler *scheduler, rt_command *command,
                                          const rt_transfer *transfer);
RT_MUST_USE rt_status rt_enqueue_marker(rt_scheduler *scheduler, rt_command *command);
RT_MUST_USE rt_status rt_enqueue_map(rt_scheduler *scheduler, rt_command *command,
                                     const dev_map *map);
RT_MUST_USE rt_status rt_enqueue_unmap(rt_scheduler *scheduler, rt_command *command,
                                       rt_command *mapped);
/* Waits for the predecessors of a host task, which no device gets, and returns the first failure.
 */
RT_MUST_USE rt_status rt_await_predecessors(rt_scheduler *scheduler, const rt_command *command);
RT_MUST_USE rt_status rt_enqueue_move(rt_scheduler *scheduler, rt_command *command,
                                      rt_memory *memory);
/* Like rt_enqueue_launch, for a fill with `size` zero bytes and for a write of a variable's
 * pointer. */
RT_MUST_USE rt_status rt_enqueue_zero(rt_scheduler *scheduler, rt_command *command,
                                      rt_memory *memory, uint64_t size);
RT_MUST_USE rt_status rt_enqueue_point(rt_scheduler *scheduler, rt_command *command,
                                       const rt_program *program, const rt_program_global *global);

/* Like rt_enqueue_zero, for a write of a device_global's initial value (borrowed until the command
 * has ended), which is as large as the memory. */
RT_MUST_USE rt_status rt_enqueue_initial(rt_scheduler *scheduler, rt_command *command,
                                         rt_memory *memory, rt_bytes initial);

/* ---- transfer.c (lock held) --------------------------------------------------------------- */

/* Submits a transfer whose memories may be variables of `program` (NULL: none).  The command
 * takes ownership of a reference to the program unless it is refused. */
RT_MUST_USE rt_status rt_transfer_submit(rt_scheduler *scheduler, rt_queue_id queue,
                                         const rt_transfer *transfer, rt_program *program,
                                         rt_command_id *out_command);

/* ---- global_prepare.c (lock held) --------------------------------------------------------- */

/* Prepares the device_globals of a program for its first kernel and appends to `commands` the
 * commands that a launch of the program must wait for.  Source: document 002, "Initializing the
 * device global variables in device code".  MALFORMED: an image's description of a variable is
 * wrong.  Also returns the codes of rt_global_instance_make and rt_global_variable. */
RT_MUST_USE rt_status rt_globals_prepare(rt_scheduler *scheduler, rt_queue_id queue,
                                         const rt_program *program, rt_command_list *commands);

/* The storage of a variable without image scope on the queue's device, created with `size` bytes if
 * there is none. */
RT_MUST_USE rt_status rt_globals_instance(rt_scheduler *scheduler, rt_queue_id queue,
                                          rt_global_entry *entry, uint64_t size,
                                          rt_global_instance **out_instance);

/* Like rt_globals_instance, but never creates storage; NULL if there is none. */
rt_global_instance *rt_globals_instance_find(rt_scheduler *scheduler, rt_queue_id queue,
                                             const rt_global_entry *entry);

/* ---- host_task.c (lock held) -------------------------------------------------------------- */

/* Runs the deferred host tasks that no open user event holds back any more. */
void rt_tasks_run(rt_scheduler *scheduler);

/* ---- map.c (lock held) -------------------------------------------------------------------- */

/* Unmaps everything that is still mapped, as the end of a process does; failures are dropped. */
void rt_mappings_end(rt_scheduler *scheduler);

/* ---- sync.c (lock held) ------------------------------------------------------------------- */

/* True while the queue is in fusion mode. */
bool rt_queue_in_fusion_mode(const rt_scheduler *scheduler, rt_queue_id queue);

/* Ensures that everything the command waits for is handed to its device before the command itself:
 * ends every fusion that holds any of it back (KF-SYNC-06). */
void rt_sync_dependencies(rt_scheduler *scheduler, rt_command *command);

/* Like rt_sync_dependencies, for a command under construction that the fusion `holder` will hold,
 * either a kernel or a move of content for one (KF-SYNC-09). */
void rt_sync_at_construction(rt_scheduler *scheduler, const rt_command *command,
                             const rt_fusion_command *holder);

/* Hands over a held command with everything that it waits for; does nothing for other commands. */
void rt_sync_command(rt_scheduler *scheduler, rt_command_id command);

/* Ends the fusions that hold kernels back: those of one queue, or all (RT_QUEUE_ALL). */
void rt_sync_queue(rt_scheduler *scheduler, rt_queue_id queue, rt_sync_reason reason);
#define RT_QUEUE_ALL UINT32_MAX

/* ---- not_fused.c (lock held) -------------------------------------------------------------- */

/* Notifies the observer that a transfer or a host task is being submitted to a queue in fusion
 * mode, before it becomes a node. */
void rt_not_fused_transfer(rt_scheduler *scheduler, rt_queue_id queue, const rt_transfer *transfer);
void rt_not_fused_task(rt_scheduler *scheduler, rt_queue_id queue);

/* ---- fusion_command.c (lock held) --------------------------------------------------------- */

/* Frees the command's record, whatever its status. */
void rt_fusion_command_free(rt_fusion_command *fusion);

/* The fusion whose list a launch to the queue joins; NULL: it is enqueued immediately. */
rt_fusion_command *rt_fusion_to_join(rt_scheduler *scheduler, rt_queue_id queue);

/* Hands over the moves of contents that the fusion holds back for its kernels. */
void rt_fusion_moves_enqueue(rt_scheduler *scheduler, const rt_fusion_command *fusion);

/* Ends an ACTIVE fusion as rt_fusion_command_cancel does. */
void rt_fusion_end(rt_scheduler *scheduler, rt_fusion_command *fusion, rt_sync_reason reason);

/* ---- held.c (lock held) ------------------------------------------------------------------- */

/* Checks a launch before it is held, as its device will later, so that a mistake that can be found
 * without a compiler is reported at submission.  ERRC_ND_RANGE: the work-group size does not divide
 * the range, or is larger than the device allows. */
RT_MUST_USE rt_status rt_hold_check(rt_scheduler *scheduler, rt_queue_id queue,
                                    const rt_launch *launch);

/* Appends a launch that rt_hold_check has accepted to the list of a fusion, instead of handing it
 * to the device. */
void rt_hold_launch(rt_scheduler *scheduler, rt_fusion_command *fusion, rt_command *command,
                    dev_kernel *kernel, const rt_launch *launch);

/* Makes a kernel that names the fusion's own event wait for the kernels already in the list. */
void rt_hold_after_list(rt_scheduler *scheduler, rt_fusion_command *fusion, rt_command *command);

/* Holds a move of content for a fusion. */
void rt_hold_move(rt_fusion_command *fusion, rt_command *command, rt_memory *memory);

/* Hands over one held command.  A refusal of the device is reported to the waiter. */
void rt_held_enqueue(rt_scheduler *scheduler, rt_command *command);

/* Saves the leaves of a memory that a kernel of the list is about to change. */
void rt_leaves_save(rt_scheduler *scheduler, rt_fusion_command *fusion, const rt_memory *memory,
                    rt_access access);

/* ---- wait.c (called without the lock) ----------------------------------------------------- */

/* Waits for the command and everything it depends on, oldest first; returns the first failure. */
RT_MUST_USE rt_status rt_command_wait(rt_scheduler *scheduler, rt_command_id command);

/* Waits for everything submitted so far; returns the first failure that has not yet been reported.
 */
RT_MUST_USE rt_status rt_commands_wait(rt_scheduler *scheduler);

/* The open user event, or the deferred host task, for which a wait for the command would wait;
 * NULL: there is none.  Called with the lock held. */
const rt_command *rt_command_opener(rt_scheduler *scheduler, rt_command_id command);

/* ERRC_INVALID if a wait for the command would never end, because the command depends on a user
 * event that the application has not completed.  Called with the lock held. */
RT_MUST_USE rt_status rt_command_wait_check(rt_scheduler *scheduler, rt_command_id command);

/* ---- Arguments (eliminated.c) -------------------------------------------------------------- */

/* The number of arguments that the kernel has in its source but not in its compiled code. */
uint32_t rt_launch_eliminated(const rt_program *program, rt_text kernel);

#endif
