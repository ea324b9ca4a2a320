/* Queues, the command graph, and synchronisation with the host.
 *
 * Submitting creates a node of the graph with its dependencies, which result from the memories that
 * commands read and write, from explicit `after` lists, and from the order of an in-order queue.
 * Handing a node to its device is a separate step (enqueue.c is the only file that submits commands
 * to devices), so that fusion can remove a node before that.  No function waits unless its comment
 * says so, except that a submission that depends on a command of another device waits for it: no
 * device can wait for another's events.
 *
 * Threads: all functions may be called from several threads.  One lock guards the graph; kernels
 * are resolved and built without it.
 *
 * Source: SYCL 2020, 3.7.1 "SYCL application execution model", 4.6.5 "Queue class". */
#ifndef REFERENCE_SCHED_SCHED_H
#define REFERENCE_SCHED_SCHED_H

#include "reference/memory/device_global.h"
#include "reference/program/bundle.h"

typedef struct rt_scheduler rt_scheduler;

typedef uint32_t rt_queue_id;
typedef uint32_t rt_command_id; /* in order of submission; a command depends on smaller ids only */

typedef enum rt_access { RT_ACCESS_READ, RT_ACCESS_WRITE, RT_ACCESS_READ_WRITE } rt_access;

typedef enum rt_argument_kind {
    RT_ARGUMENT_MEMORY,  /* a buffer, and how the kernel accesses it */
    RT_ARGUMENT_POINTER, /* a pointer into unified shared memory; the runtime derives no
                          * dependencies from it
                          */
    RT_ARGUMENT_NULL,    /* the null pointer */
    RT_ARGUMENT_BYTES,
    RT_ARGUMENT_LOCAL,
} rt_argument_kind;

/* A pointer into unified shared memory inside the bytes of a value. */
typedef struct rt_inner_pointer {
    uint64_t at;       /* offset in the value's bytes, where 8 bytes are reserved for it */
    rt_memory *memory; /* USM */
    uint64_t offset;   /* bytes from its start */
} rt_inner_pointer;

typedef struct rt_argument {
    rt_argument_kind kind;
    rt_memory *memory;                /* MEMORY: a buffer; POINTER: USM */
    rt_access access;                 /* MEMORY */
    rt_promotion promotion;           /* MEMORY: the promotion that the accessor requests if the
                                       * kernel is fused */
    uint64_t offset;                  /* POINTER: bytes from the memory's start */
    rt_bytes bytes;                   /* BYTES; borrowed for the call */
    const rt_inner_pointer *pointers; /* BYTES: their addresses are written into a copy of the bytes
                                       */
    uint32_t pointer_count;
    uint64_t size; /* LOCAL: bytes >= 1 */
} rt_argument;

/* One kernel launch as requested by the application; borrowed for the call. */
typedef struct rt_launch {
    rt_text kernel;
    dev_nd_range range;
    const rt_argument *arguments;
    uint32_t argument_count;
    const rt_command_id *after; /* explicit dependencies */
    uint32_t after_count;
    rt_text options;                   /* for the device's compiler, appended to each image's own */
    const rt_spec_constant *constants; /* each name once */
    uint32_t constant_count;
    bool has_module; /* see rt_kernel_request */
    rt_module_id module;
    const rt_bundle *bundle; /* an executable bundle from which the kernel is taken, in which case
                              * options and module are not set; NULL: the program manager finds the
                              * kernel */
} rt_launch;

/* A copy between memories, or a fill, as requested by the application; borrowed for the call.
 * Source: SYCL 2020, 4.9.4.3 "SYCL functions for explicit memory operations". */
typedef struct rt_transfer {
    rt_memory *from; /* NULL for a fill */
    uint64_t from_offset;
    rt_memory *to;
    uint64_t to_offset;
    uint64_t size; /* in bytes; for a fill, a multiple of the pattern's size */
    rt_bytes
        pattern; /* fill: 1 to DEV_PATTERN_SIZE_MAX bytes; to_offset is a multiple of its size */
    const rt_command_id *after;
    uint32_t after_count;
} rt_transfer;

/* A copy between a device_global and a memory, as the application requests it from a queue or a
 * handler; borrowed for the call.  The members include what the functions derive from the
 * variable's type (DG-COPY-02).  Source: document 002, "Implementing the copy and memcpy functions
 * in queue and handler"; sycl_ext_oneapi_device_global. */
typedef struct rt_global_copy {
    rt_host_address address;    /* address of the host object */
    rt_text name;               /* for messages */
    uint64_t type_size;         /* sizeof(T), bytes */
    bool image_scope;           /* property device_image_scope */
    rt_host_access host_access; /* property host_access */
    bool to_global;
    uint64_t offset; /* byte offset in the variable */
    rt_memory *memory;
    uint64_t memory_offset;
    uint64_t size;   /* bytes */
    bool by_handler; /* requested from the handler of a command group */
    const rt_command_id *after;
    uint32_t after_count;
} rt_global_copy;

/* All parameters are borrowed.  If globals is NULL, no program has device_globals. */
rt_scheduler *rt_scheduler_create(rt_sink *sink, rt_trace *trace, rt_program_manager *programs,
                                  rt_global_database *globals);

/* Waits for every command, then frees queues and commands.  Failures that no wait has returned are
 * dropped, as at the end of an application. */
void rt_scheduler_destroy(rt_scheduler *scheduler);

/* Creates a queue on a device, in a context that contains the device.  Returns the codes of
 * dev_queue_create. */
RT_MUST_USE rt_status rt_scheduler_queue_create(rt_scheduler *scheduler, const rt_device *device,
                                                rt_context_id context, bool in_order,
                                                rt_queue_id *out_queue);

/* Allows the queue to enter fusion mode (extension sycl_ext_codeplay_kernel_fusion, property
 * enable_fusion). */
void rt_scheduler_queue_enable_fusion(rt_scheduler *scheduler, rt_queue_id queue);

/* Makes the queue, which has no command yet, record the times of its commands (SYCL 2020, 4.6.5.2
 * "Queue properties": enable_profiling).  Requires the device's capability profiling.  Returns the
 * codes of dev_queue_create. */
RT_MUST_USE rt_status rt_scheduler_queue_enable_profiling(rt_scheduler *scheduler,
                                                          rt_queue_id queue);

/* Ends a queue, as its destruction does: a fusion in it ends, and its commands continue.  Every
 * later submission to it is refused with ERRC_INVALID. */
RT_MUST_USE rt_status rt_scheduler_queue_end(rt_scheduler *scheduler, rt_queue_id queue);

/* A marker as requested by the application; borrowed for the call. */
typedef struct rt_marker {
    bool is_barrier;    /* later commands of the queue wait for it */
    bool waits_for_all; /* for all earlier commands of the queue; `after` is empty */
    const rt_command_id *after;
    uint32_t after_count;
} rt_marker;

/* Submits a marker, which does nothing once what it waits for is done.  A marker that waits for
 * kernels that a fusion holds back ends the fusion.  The failure of a barrier is that of the
 * commands that name it in `after`; those that it only holds back run.  Source:
 * sycl_ext_oneapi_enqueue_barrier; OpenCL 3.0 API, 5.12 "Markers, Barriers and Waiting for Events".
 */
RT_MUST_USE rt_status rt_scheduler_marker(rt_scheduler *scheduler, rt_queue_id queue,
                                          const rt_marker *marker, rt_command_id *out_command);

/* Submits a copy or a fill, which does nothing if it covers 0 bytes.  The caller need not check
 * ranges and pattern: ERRC_INVALID if a range is not inside its memory, if the ranges of a copy
 * overlap, if a pattern is not as described above, or if USM of one device is used in a queue of
 * another device.  Later failures are reported to the waiter. */
RT_MUST_USE rt_status rt_scheduler_transfer(rt_scheduler *scheduler, rt_queue_id queue,
                                            const rt_transfer *transfer,
                                            rt_command_id *out_command);

/* Submits a copy to or from a device_global.  ERRC_INVALID: the range is not inside the variable
 * (DG-COPY-07) or the memory, no loaded module has the variable, or several programs or images have
 * it (rt_program_manager_global).  COMPILE_TIME: the property host_access forbids the copy, so such
 * a program would not compile.  Also returns the codes of rt_memory_usm_create for the variable's
 * first use on a device, of rt_global_variable, and of building a program if one must be built.  On
 * failure nothing is changed.  Later failures are reported to the waiter. */
RT_MUST_USE rt_status rt_scheduler_global_copy(rt_scheduler *scheduler, rt_queue_id queue,
                                               const rt_global_copy *copy,
                                               rt_command_id *out_command);

/* Copies the whole variable to the host and waits for the copy; only address, name, type_size and
 * image_scope of `copy` are used.  If `existing` is set, the copy is made only if the variable has
 * storage on the queue's device; otherwise nothing is appended or created.  Waits for every command
 * submitted so far. Appends the bytes and, for each, whether it has a value, as reported by
 * dev_memory_defined. Returns the codes of rt_scheduler_global_copy and of rt_scheduler_host_read.
 */
RT_MUST_USE rt_status rt_scheduler_global_read(rt_scheduler *scheduler, rt_queue_id queue,
                                               const rt_global_copy *copy, bool existing,
                                               rt_buffer *out_bytes, rt_buffer *out_defined);

/* Submits a launch.  Fails immediately, and without enqueuing anything, with the codes of
 * rt_program_manager_kernel (rt_bundle_kernel) and of dev_enqueue_kernel.  ERRC_INVALID: unified
 * shared memory of another device, or a pointer beyond its end.  ERRC_KERNEL_ARGUMENT: the number
 * of arguments differs from the number of the kernel's parameters.  Failures while the kernel runs
 * are reported to the waiter. */
RT_MUST_USE rt_status rt_scheduler_launch(rt_scheduler *scheduler, rt_queue_id queue,
                                          const rt_launch *launch, rt_command_id *out_command);

/* Host access: brings the latest contents of the memory, which may be a part of a buffer, to its
 * host bytes and waits until they have arrived, so that memory->host may be read until the next
 * submission that writes the memory. Returns the first failure among the commands that the contents
 * depend on.  For unified shared memory those commands are unknown, so the function waits for every
 * command submitted so far, and ignores failures that were already reported. */
RT_MUST_USE rt_status rt_scheduler_host_read(rt_scheduler *scheduler, rt_memory *memory);

/* Like rt_scheduler_host_read, and copies `size` bytes at the offset, a range inside the memory,
 * while no command writes the host bytes, so that other threads may submit commands and read
 * meanwhile: the bytes are at least as new as those of rt_scheduler_host_read.  Submissions of
 * other threads wait for the copy.  Reads of the same unified shared memory have no order, so the
 * caller serialises them. */
RT_MUST_USE rt_status rt_scheduler_host_copy(rt_scheduler *scheduler, rt_memory *memory,
                                             uint64_t offset, uint64_t size, void *destination);

/* The application reads unified shared memory of the kinds host or shared through its pointer,
 * which waits for nothing but the contents that the memory began with; the device examines whether
 * the read is ordered after what writes the memory (dev_memory_host_access), under the tag. Returns
 * the codes of rt_command_wait. */
RT_MUST_USE rt_status rt_scheduler_host_look(rt_scheduler *scheduler, const rt_memory *memory,
                                             uint32_t tag);

/* Ends a buffer, as its destruction does: waits for every command that uses it and brings its
 * contents to its host bytes (SYCL 2020, 4.7.2.3 "Buffer synchronization rules").  A part of a
 * buffer ends immediately, even while commands use it: the buffer keeps its contents. */
RT_MUST_USE rt_status rt_scheduler_memory_end(rt_scheduler *scheduler, rt_memory *memory);

/* A map of a range of a buffer, as requested by the application; borrowed for the call. */
typedef struct rt_map_request {
    rt_memory *memory; /* a buffer or a part of one */
    dev_map range;
    const rt_command_id *after;
    uint32_t after_count;
} rt_map_request;

/* Submits a map, whose bytes the application may access once the command is done and until it
 * unmaps them.  In the graph, a map for reading reads the buffer, and one for writing writes it.
 * ERRC_INVALID: unified shared memory, a range that is not inside the buffer or empty, or bytes
 * that are mapped for writing already.  A blocking map also returns the command's failure; it
 * refuses to wait like rt_scheduler_wait.  Requires the device's capability maps.  Later failures
 * are reported to the waiter.  Source: OpenCL 3.0 API, 5.2.4 "Mapping Buffer Objects". */
RT_MUST_USE rt_status rt_scheduler_map(rt_scheduler *scheduler, rt_queue_id queue,
                                       const rt_map_request *map, rt_command_id *out_command);

/* Submits the unmap of what a map has mapped, which waits for the map, too.  ERRC_INVALID: it is
 * not mapped (any more), or the queue is one of another device.  A failure of the device ends the
 * mapping, too.  Source: OpenCL 3.0 API, 5.5.2 "Unmapping Mapped Memory Objects". */
RT_MUST_USE rt_status rt_scheduler_unmap(rt_scheduler *scheduler, rt_queue_id queue,
                                         rt_command_id map, const rt_command_id *after,
                                         uint32_t after_count, rt_command_id *out_command);

/* The application reads all bytes of a mapping, or writes some of them, through the pointer.
 * Neither waits: the device examines whether the access follows the map, under the tag.  *out_bytes
 * is valid until the unmap; `out_defined` gets a bit for each of the bytes, as from
 * dev_mapping_defined (NULL: not asked).  The range of a write is inside the mapping, which is for
 * writing.  ERRC_INVALID: it is not mapped (any more), or the map has failed. */
RT_MUST_USE rt_status rt_scheduler_mapping_read(rt_scheduler *scheduler, rt_command_id map,
                                                uint32_t tag, rt_bytes *out_bytes,
                                                uint8_t *out_defined);
RT_MUST_USE rt_status rt_scheduler_mapping_write(rt_scheduler *scheduler, rt_command_id map,
                                                 uint32_t tag, uint64_t offset, rt_bytes bytes);

/* A host task that copies the whole contents of one memory into another of the same size; borrowed
 * for the call. */
typedef struct rt_host_task {
    rt_memory *from;
    rt_memory *to;                /* NULL: the task only reads */
    const rt_command_id *awaited; /* a command whose event the task itself waits for, before it
                                   * reads; NULL: none */
    const rt_command_id *after;
    uint32_t after_count;
} rt_host_task;

/* Submits a host task and runs it: it is done when the function returns, unless it depends on a
 * user event that the application has not completed, or waits for one inside.  Such a task runs
 * when the last of those events is completed.  Unified shared memory is accessed without
 * dependencies on other commands.  ERRC_INVALID: device memory, unified shared memory of another
 * device than the queue's, the same memory twice, or memories of different sizes. A failure of a
 * command that it depends on is reported to the waiter; one of the command that it waits for is not
 * (SYCL 2020, 4.10 "Host tasks"). */
RT_MUST_USE rt_status rt_scheduler_host_task(rt_scheduler *scheduler, rt_queue_id queue,
                                             const rt_host_task *task, rt_command_id *out_command);

/* Creates a user event on the device: a command of no queue, which the application completes. Other
 * commands can wait for it; one of another device would have to wait for it on the host, and is
 * stopped instead.  Requires the device's capability host_events.  Returns the codes of
 * dev_host_event_create.  Source: OpenCL 3.0 API, 5.11 "Event Objects" (clCreateUserEvent). */
RT_MUST_USE rt_status rt_scheduler_user_event(rt_scheduler *scheduler, const rt_device *device,
                                              rt_command_id *out_command);

/* Completes a user event, and runs the host tasks that waited for it.  With `has_failed`, it fails,
 * and so do the commands that wait for it, without running.  Returns the codes of
 * dev_host_event_complete, ERRC_INVALID for a second call among them. */
RT_MUST_USE rt_status rt_scheduler_user_event_complete(rt_scheduler *scheduler, rt_command_id event,
                                                       bool has_failed);

/* Waits for every command submitted so far; returns the first failure that has not yet been
 * reported.  Like every function that waits, it refuses, with ERRC_INVALID, to wait for a command
 * that depends on a user event that is not complete: the wait would never end. */
RT_MUST_USE rt_status rt_scheduler_wait(rt_scheduler *scheduler);

/* Like rt_scheduler_wait, for the commands of one queue or for one command, each with all their
 * dependencies. */
RT_MUST_USE rt_status rt_scheduler_wait_queue(rt_scheduler *scheduler, rt_queue_id queue);
RT_MUST_USE rt_status rt_scheduler_wait_command(rt_scheduler *scheduler, rt_command_id command);

/* Like rt_scheduler_wait_command, but returns the first failure among the command and its
 * dependencies even if an earlier wait has returned it: the command's result. */
RT_MUST_USE rt_status rt_scheduler_command_result(rt_scheduler *scheduler, rt_command_id command);

/* The progress of a command, as far as it is known without waiting. */
typedef enum rt_progress {
    RT_PROGRESS_SUBMITTED,   /* not yet handed to a device */
    RT_PROGRESS_HANDED_OVER, /* handed over, but not finished by its device; devices do not report
                              * whether it has begun */
    RT_PROGRESS_COMPLETE,    /* a wait for it would not block; it may have failed */
} rt_progress;

/* Queries the progress of a command; neither waits nor ends a fusion.  The event of a fusion is
 * SUBMITTED while its kernels are held back, and COMPLETE when they, or the fused kernel that
 * replaces them, are complete. Source: SYCL 2020, 4.6.6.1 "Event information and profiling
 * descriptors"; document 001, "Event Handling". */
rt_progress rt_scheduler_progress(rt_scheduler *scheduler, rt_command_id command);

/* Lets a command that was handed to its device, and what it waits for, make progress if the device
 * runs commands only while the host waits (dev_event_advance): for hosts that poll
 * rt_scheduler_progress, which changes nothing. */
void rt_scheduler_advance(rt_scheduler *scheduler, rt_command_id command);

/* Gets the times of a command, not of a user event, after waiting for it, which may end a fusion as
 * rt_scheduler_wait_command does. The event of a fusion does no work: its times are the first
 * submission and start and the last end among its kernels.  ERRC_INVALID: the command's queue
 * records no times, or no device ran it, as with a host task or a fusion without kernels.  If the
 * command failed, its failure is returned.  Source: SYCL 2020, 4.6.6.1 "Event information and
 * profiling descriptors"; document 001, "Event Handling", by which that event is a host event. */
RT_MUST_USE rt_status rt_scheduler_times(rt_scheduler *scheduler, rt_command_id command,
                                         dev_times *out_times);

/* A copy of the launch with only the arguments that the kernel's code takes, allocated in the
 * arena; everything else is borrowed from `launch` (eliminated.c). */
rt_launch rt_launch_pass(rt_arena *arena, const rt_program *program, const rt_launch *launch);

#endif
