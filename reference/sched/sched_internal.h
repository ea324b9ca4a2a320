/* The graph's nodes, shared by the files of this folder. */
#ifndef REFERENCE_SCHED_SCHED_INTERNAL_H
#define REFERENCE_SCHED_SCHED_INTERNAL_H

#include "reference/sched/sched.h"

typedef enum rt_command_kind {
    /* the application's */
    RT_COMMAND_LAUNCH,
    RT_COMMAND_COPY,
    RT_COMMAND_FILL,
    /* the runtime's own moves of content, ordered by their memories and not by their queue */
    RT_COMMAND_UPLOAD,
    RT_COMMAND_HOST_READ,
    RT_COMMAND_ZERO,  /* fills the new content of a device_global */
    RT_COMMAND_POINT, /* writes the address of that into a program */
} rt_command_kind;

typedef enum rt_command_state {
    RT_COMMAND_SUBMITTED, /* in the graph only */
    RT_COMMAND_ENQUEUED,  /* handed to the device; event is set, or else result: it was held back
                             because a predecessor failed that its device does not know */
    RT_COMMAND_DONE,      /* result is set */
} rt_command_state;

typedef RT_VECTOR(rt_command_id) rt_command_list;

typedef struct rt_command {
    rt_command_id id;
    rt_command_kind kind;
    rt_command_state state;
    uint32_t queue;               /* index into the scheduler's queues */
    rt_command_list dependencies; /* smaller ids, each once */
    rt_program *program;          /* LAUNCH, COPY of a variable in it: held until done */
    bool moves_variable;          /* COPY: of a variable in a program */
    dev_event *event;  /* kept until the scheduler goes: later commands may wait for it */
    rt_status result;  /* when DONE or held back */
    bool failure_told; /* its failure was returned to the application */
    uint64_t visit;    /* the walk that met it last (wait.c) */
} rt_command;

typedef struct rt_queue {
    const rt_device *device;
    rt_context_id context;
    dev_queue *queue;
    bool in_order;
    rt_command_id last; /* of the application's commands; RT_COMMAND_NONE before the first */
} rt_queue;

#define RT_COMMAND_NONE UINT32_MAX

/* What a command of the application does to a memory. */
typedef struct rt_memory_access {
    rt_memory *memory;
    rt_access access;
    bool overwrites; /* every byte of it, so that what it held before need not be brought */
} rt_memory_access;

typedef RT_VECTOR(rt_memory_access) rt_access_list;

/* Who last wrote a memory and who has read it since.  Of unified shared memory only the command
 * that brings its initial content is booked, as the writer. */
typedef struct rt_memory_use {
    rt_command_id writer;    /* RT_COMMAND_NONE: nobody */
    rt_command_list readers; /* since the writer */
    rt_command_id download;  /* the host read of the latest content; RT_COMMAND_NONE: none */
} rt_memory_use;

struct rt_scheduler {
    rt_sink *sink;
    rt_trace *trace;
    rt_program_manager *programs;
    rt_global_database *globals; /* NULL: there are none */
    /* Whether two contexts of a device share the content of a variable, which DG-INIT-11 leaves
     * open: chosen when it first matters, for good. */
    enum { RT_SHARING_OPEN, RT_SHARING_PER_DEVICE, RT_SHARING_PER_CONTEXT } sharing;
    pthread_mutex_t lock;
    RT_VECTOR(rt_queue) queues;
    RT_VECTOR(rt_command *) commands; /* index is the id */
    RT_VECTOR(rt_memory_use) uses;    /* index is rt_memory.id */
    uint64_t visit_count;             /* walks over the graph so far */
    uint32_t settled; /* commands before this one are done and their failures told */
};

/* ---- graph.c (lock held) ------------------------------------------------------------------ */

/* Adds a node without dependencies. */
rt_command *rt_graph_add(rt_scheduler *scheduler, rt_command_kind kind, rt_queue_id queue);

/* Takes the newest node out again: the device refused it. */
void rt_graph_remove_last(rt_scheduler *scheduler, rt_command *command);

/* Makes `command` wait for `other` (RT_COMMAND_NONE: nothing to do). */
void rt_graph_depend(rt_command *command, rt_command_id other);

/* Adds the dependencies that an access to a memory brings: a read waits for the last writer, a
 * write also for those who read since.  Unified shared memory brings none but that its initial
 * content is there: its users order their commands themselves (SYCL 2020, 3.8.1 and 4.8.3). */
void rt_graph_depend_on_memory(rt_scheduler *scheduler, rt_command *command,
                               const rt_memory *memory, rt_access access);

/* Books the access, for the commands that come later. */
void rt_graph_book_access(rt_scheduler *scheduler, const rt_command *command,
                          const rt_memory *memory, rt_access access);

/* ---- content.c (lock held) ---------------------------------------------------------------- */

/* Makes the latest content of the memory present on the queue's device; with `overwrites` only its
 * copy there. */
RT_MUST_USE rt_status rt_content_bring(rt_scheduler *scheduler, rt_queue_id queue,
                                       rt_memory *memory, bool overwrites);

/* Adds the command that reads a device's copy to the host bytes. */
RT_MUST_USE rt_status rt_content_read(rt_scheduler *scheduler, rt_memory *memory,
                                      rt_command_id *out_command);

/* ---- scheduler.c (lock held) -------------------------------------------------------------- */

/* The graph's part of a submission.  Begin brings the contents, and makes the node with its
 * dependencies; the caller enqueues it, and end takes the status of that: the node goes again, or
 * its accesses are booked. */
RT_MUST_USE rt_status rt_submission_begin(rt_scheduler *scheduler, rt_queue_id queue,
                                          rt_command_kind kind, const rt_access_list *accesses,
                                          const rt_command_id *after, uint32_t after_count,
                                          rt_command **out_command);
RT_MUST_USE rt_status rt_submission_end(rt_scheduler *scheduler, rt_command *command,
                                        const rt_access_list *accesses, rt_status enqueued,
                                        rt_command_id *out_command);

/* ERRC_INVALID where the memory is USM of another device than the queue's; `what` is who uses it,
 * as in "kernel 'k'". */
RT_MUST_USE rt_status rt_submission_check_device(rt_scheduler *scheduler, rt_queue_id queue,
                                                 const rt_memory *memory, rt_text what);

/* ---- enqueue.c (lock held) ---------------------------------------------------------------- */

/* Hands a launch, a copy or fill, or a move of content (upload, host read) to the device; sets
 * event and state.  Where it depends on a command of another device, that one is waited for: no
 * device knows another's events. */
RT_MUST_USE rt_status rt_enqueue_launch(rt_scheduler *scheduler, rt_command *command,
                                        dev_kernel *kernel, const rt_launch *launch);
RT_MUST_USE rt_status rt_enqueue_transfer(rt_scheduler *scheduler, rt_command *command,
                                          const rt_transfer *transfer);
RT_MUST_USE rt_status rt_enqueue_move(rt_scheduler *scheduler, rt_command *command,
                                      rt_memory *memory);
/* The same for the fill with zeros of `size` bytes and the write of a variable's pointer. */
RT_MUST_USE rt_status rt_enqueue_zero(rt_scheduler *scheduler, rt_command *command,
                                      rt_memory *memory, uint64_t size);
RT_MUST_USE rt_status rt_enqueue_point(rt_scheduler *scheduler, rt_command *command,
                                       const rt_program *program, const rt_program_global *global);

/* ---- transfer.c (lock held) --------------------------------------------------------------- */

/* Submits a transfer whose memories may be variables of `program` (NULL: none), of which the
 * command takes a reference over, unless it is refused. */
RT_MUST_USE rt_status rt_transfer_submit(rt_scheduler *scheduler, rt_queue_id queue,
                                         const rt_transfer *transfer, rt_program *program,
                                         rt_command_id *out_command);

/* ---- globals.c (lock held) ---------------------------------------------------------------- */

/* Makes the device_globals of a program ready for its first kernel and appends the commands that a
 * launch of it must wait for.  Source: document 002, "Initializing the device global variables in
 * device code".  MALFORMED: an image tells nonsense of a variable; and the codes of
 * rt_global_instance_make and rt_global_variable. */
RT_MUST_USE rt_status rt_globals_prepare(rt_scheduler *scheduler, rt_queue_id queue,
                                         const rt_program *program, rt_command_list *commands);

/* The content of a variable without image scope on the queue's device, made of `size` bytes where
 * there is none. */
RT_MUST_USE rt_status rt_globals_instance(rt_scheduler *scheduler, rt_queue_id queue,
                                          rt_global_entry *entry, uint64_t size, bool by_copy,
                                          rt_global_instance **out_instance);

/* The same without making one; NULL: there is none. */
rt_global_instance *rt_globals_instance_find(rt_scheduler *scheduler, rt_queue_id queue,
                                             const rt_global_entry *entry, bool by_copy);

/* ---- wait.c (called without the lock) ----------------------------------------------------- */

/* Waits for the command and everything it depends on, oldest first; returns the first failure. */
RT_MUST_USE rt_status rt_command_wait(rt_scheduler *scheduler, rt_command_id command);

/* Waits for everything submitted so far; returns the first failure that was not told before. */
RT_MUST_USE rt_status rt_commands_wait(rt_scheduler *scheduler);

/* ---- Arguments (eliminated.c) -------------------------------------------------------------- */

/* How many of the source's arguments the kernel's code does not take. */
uint32_t rt_launch_eliminated(const rt_program *program, rt_text kernel);

/* The launch with those arguments alone that the kernel's code takes, in the arena; everything else
 * is borrowed from `launch`. */
rt_launch rt_launch_pass(rt_arena *arena, const rt_program *program, const rt_launch *launch);

#endif
