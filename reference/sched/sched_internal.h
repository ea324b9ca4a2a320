/* The graph's nodes, shared by the files of this folder. */
#ifndef REFERENCE_SCHED_SCHED_INTERNAL_H
#define REFERENCE_SCHED_SCHED_INTERNAL_H

#include "reference/sched/sched.h"

typedef enum rt_command_kind {
    RT_COMMAND_LAUNCH,
    RT_COMMAND_UPLOAD,
    RT_COMMAND_HOST_READ
} rt_command_kind;

typedef enum rt_command_state {
    RT_COMMAND_SUBMITTED, /* in the graph only */
    RT_COMMAND_ENQUEUED,  /* handed to the device; event is set */
    RT_COMMAND_DONE,      /* result is set */
} rt_command_state;

typedef RT_VECTOR(rt_command_id) rt_command_list;

typedef struct rt_command {
    rt_command_id id;
    rt_command_kind kind;
    rt_command_state state;
    uint32_t queue;               /* index into the scheduler's queues */
    rt_command_list dependencies; /* smaller ids, each once */
    rt_program *program;          /* LAUNCH: held until done */
    dev_event *event;  /* kept until the scheduler goes: later commands may wait for it */
    rt_status result;  /* when DONE */
    bool failure_told; /* its failure was returned to the application */
    uint64_t visit;    /* the walk that met it last (wait.c) */
} rt_command;

typedef struct rt_queue {
    const rt_device *device;
    dev_queue *queue;
    bool in_order;
    rt_command_id last; /* launch; RT_COMMAND_NONE before the first */
} rt_queue;

#define RT_COMMAND_NONE UINT32_MAX

/* Who last wrote a memory and who has read it since. */
typedef struct rt_memory_use {
    rt_command_id writer;    /* RT_COMMAND_NONE: nobody */
    rt_command_list readers; /* since the writer */
    rt_command_id download;  /* the host read since the writer; RT_COMMAND_NONE: none */
} rt_memory_use;

struct rt_scheduler {
    rt_sink *sink;
    rt_trace *trace;
    rt_program_manager *programs;
    pthread_mutex_t lock;
    RT_VECTOR(rt_queue) queues;
    RT_VECTOR(rt_command *) commands; /* index is the id */
    RT_VECTOR(rt_memory_use) uses;    /* index is rt_memory.id */
    uint64_t visit_count;             /* walks over the graph so far */
};

/* ---- graph.c (lock held) ------------------------------------------------------------------ */

/* Adds a node without dependencies. */
rt_command *rt_graph_add(rt_scheduler *scheduler, rt_command_kind kind, rt_queue_id queue);

/* Takes the newest node out again: the device refused it. */
void rt_graph_remove_last(rt_scheduler *scheduler, rt_command *command);

/* Makes `command` wait for `other` (RT_COMMAND_NONE: nothing to do). */
void rt_graph_depend(rt_command *command, rt_command_id other);

/* Adds the dependencies that an access to a memory brings: a read waits for the last writer, a
 * write also for those who read since. */
void rt_graph_depend_on_memory(rt_scheduler *scheduler, rt_command *command,
                               const rt_memory *memory, rt_access access);

/* Books the access, for the commands that come later. */
void rt_graph_book_access(rt_scheduler *scheduler, const rt_command *command,
                          const rt_memory *memory, rt_access access);

/* ---- enqueue.c (lock held) ---------------------------------------------------------------- */

/* Hands a launch, or a move of content (upload, host read), to the device; sets event and state. */
RT_MUST_USE rt_status rt_enqueue_launch(rt_scheduler *scheduler, rt_command *command,
                                        dev_kernel *kernel, const rt_launch *launch);
RT_MUST_USE rt_status rt_enqueue_transfer(rt_scheduler *scheduler, rt_command *command,
                                          rt_memory *memory);

/* ---- wait.c (called without the lock) ----------------------------------------------------- */

/* Waits for the command and everything it depends on, oldest first; returns the first failure. */
RT_MUST_USE rt_status rt_command_wait(rt_scheduler *scheduler, rt_command_id command);

#endif
