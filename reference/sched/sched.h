/* Queues, the command graph, and synchronisation with the host.
 *
 * Submitting makes a node of the graph with its dependencies: by the memories that commands read
 * and write, by explicit `after` lists, by the order of an in-order queue.  Handing a node to its
 * device is a separate step (enqueue.c), the only place that calls a device for commands, so that
 * fusion can take a node back before that.  Nothing waits except the functions that say so.
 *
 * Threads  All functions may be called from several threads; one lock guards the graph.  Kernels
 * are resolved and built outside it. Source: SYCL 2020, 3.7.1 "SYCL application execution
 * model", 4.6.5 "Queue class". */
#ifndef REFERENCE_SCHED_SCHED_H
#define REFERENCE_SCHED_SCHED_H

#include "reference/memory/memory.h"

typedef struct rt_scheduler rt_scheduler;

typedef uint32_t rt_queue_id;
typedef uint32_t rt_command_id; /* order of submission; a command depends on smaller ids only */

typedef enum rt_access { RT_ACCESS_READ, RT_ACCESS_WRITE, RT_ACCESS_READ_WRITE } rt_access;

typedef enum rt_argument_kind {
    RT_ARGUMENT_MEMORY,
    RT_ARGUMENT_BYTES,
    RT_ARGUMENT_LOCAL,
} rt_argument_kind;

typedef struct rt_argument {
    rt_argument_kind kind;
    rt_memory *memory; /* MEMORY */
    rt_access access;  /* MEMORY */
    rt_bytes bytes;    /* BYTES; borrowed for the call */
    uint64_t size;     /* LOCAL: bytes >= 1 */
} rt_argument;

/* One kernel launch as the application asks for it; borrowed for the call. */
typedef struct rt_launch {
    rt_text kernel;
    dev_nd_range range;
    const rt_argument *arguments;
    uint32_t argument_count;
    const rt_command_id *after; /* explicit dependencies */
    uint32_t after_count;
} rt_launch;

/* All parameters are borrowed. */
rt_scheduler *rt_scheduler_create(rt_sink *sink, rt_trace *trace, rt_program_manager *programs);

/* Waits for every command, then frees queues and commands.  Failures of commands that nobody waited
 * for are lost, as at the end of an application. */
void rt_scheduler_destroy(rt_scheduler *scheduler);

/* Makes a queue on a device.  Codes of dev_queue_create. */
RT_MUST_USE rt_status rt_scheduler_queue_create(rt_scheduler *scheduler, const rt_device *device,
                                                bool in_order, rt_queue_id *out_queue);

/* Submits a launch.  Fails at once with the codes of rt_program_manager_kernel and of
 * dev_enqueue_kernel; nothing was enqueued then.  ERRC_KERNEL_ARGUMENT: not as many arguments as
 * the kernel has parameters.  What goes wrong while the kernel runs is told to who waits. */
RT_MUST_USE rt_status rt_scheduler_launch(rt_scheduler *scheduler, rt_queue_id queue,
                                          const rt_launch *launch, rt_command_id *out_command);

/* Host access: brings the latest content of the memory to its host bytes and waits for it, so that
 * memory->host may be read until the next submission that writes it.  Returns the first failure
 * among the commands that the content depends on. */
RT_MUST_USE rt_status rt_scheduler_host_read(rt_scheduler *scheduler, rt_memory *memory);

/* Waits for every command submitted so far; returns the first failure that was not told before. */
RT_MUST_USE rt_status rt_scheduler_wait(rt_scheduler *scheduler);

#endif
