/* A runtime that executes scenarios, as one table of operations.
 *
 * Steps, judges and messages depend only on this table. Two runtimes implement it: the reference
 * runtime (reference.c), over a device that a backend opens, and the shipped one (shipped.c),
 * driven by a host program. */
#ifndef CONFORMANCE_SUBJECT_RUNTIME_H
#define CONFORMANCE_SUBJECT_RUNTIME_H

#include "conformance/scenario/model/scenario.h"
#include "reference/base/choose.h"
#include "reference/device/device.h"
#include "reference/trace/trace.h"

typedef struct cnf_execution cnf_execution;
typedef struct cnf_runtime_operations cnf_runtime_operations;

/* The runtime chooses the numbers of queues, contexts, bundles and commands, but never this one. */
#define CNF_NO_OBJECT UINT32_MAX

/* The part common to all runtimes; the first member of each runtime's structure. */
typedef struct cnf_runtime {
    const cnf_runtime_operations *operations;
    dev_capabilities capabilities; /* of the device that represents all of the scenario's devices */
    uint32_t device_count;         /* devices that the shipped runtime has for the scenario */
    rt_trace *trace;               /* NULL until set-up; lives as long as the runtime */
} cnf_runtime;

/* The result of a host read of a memory. */
typedef struct cnf_content {
    rt_bytes bytes;         /* the whole memory, borrowed until the next operation */
    const uint8_t *defined; /* one bit per byte, as in dev_memory_defined; NULL: not tracked */
    rt_arena arena;         /* holds copies made for the read; the caller always resets it, even on
                             * failure */
} cnf_content;

/* The contents of a kernel bundle. */
typedef struct cnf_bundle_content {
    uint32_t unit_count; /* number of device images, in SYCL's sense */
    const rt_text *kernels;
    uint32_t kernel_count;
    bool shows_images; /* false: this runtime does not report a bundle's images */
    const rt_text *images;
    uint32_t image_count;
    rt_arena arena; /* holds the lists; the caller always resets it, even on failure */
} cnf_bundle_content;

/* The commands that a command waits for. */
typedef struct cnf_after {
    const uint32_t *commands;
    uint32_t count;
} cnf_after;

/* Kernel fusion, and the operations that end a fusion. Statuses as in cnf_runtime_operations. */
typedef struct cnf_fusion_operations {
    /* Sets the property enable_fusion of a queue that was just created. */
    rt_status (*enable)(cnf_execution *execution, uint32_t queue);
    rt_status (*start)(cnf_execution *execution, uint32_t queue);
    rt_status (*complete)(cnf_execution *execution, uint32_t queue, bool no_barriers,
                          uint32_t *out_command);
    rt_status (*cancel)(cnf_execution *execution, uint32_t queue);
    bool (*is_active)(cnf_execution *execution, uint32_t queue);
    rt_status (*end_queue)(cnf_execution *execution, uint32_t queue);
    rt_status (*end_memory)(cnf_execution *execution, uint32_t memory);
} cnf_fusion_operations;

/* Profiling times of commands. Statuses as in cnf_runtime_operations. */
typedef struct cnf_profiling_operations {
    /* Waits for the command and reads its profiling times, which are in order. */
    rt_status (*times)(cnf_execution *execution, uint32_t command, dev_times *out_times);
} cnf_profiling_operations;

/* For a refusal, a status carries the code that an application would see; the diagnostic is in the
 * execution's sink. Modules, devices and memories are indices into the scenario. */
struct cnf_runtime_operations {
    /* If true, messages, rules and codes that no document specifies are judged too, since they are
     * specific to this runtime. */
    bool is_reference;

    /* Opens the subject's device and reports its capabilities. Any failure means that the device is
     * not available. */
    rt_status (*open)(cnf_execution *execution, cnf_runtime **out_runtime);
    /* Frees everything; NULL does nothing. */
    void (*close)(cnf_execution *execution, cnf_runtime *runtime);

    /* Runs a small computation with a known answer on the open runtime, before anything else; a
     * wrong result appends a line to out_message. The scenario is cnf_probe_scenario. */
    bool (*probe)(cnf_execution *execution, rt_buffer *out_message);

    /* Creates memories; loads the executable, the preloaded modules and their dependencies. */
    rt_status (*set_up)(cnf_execution *execution);
    /* Ends the program, whose commands have all ended, and starts it again as set_up did; NULL:
     * this runtime cannot restart. */
    rt_status (*restart)(cnf_execution *execution);
    /* Ends the program, which unloads its modules and exits. Only close may follow. */
    rt_status (*end)(cnf_execution *execution);
    rt_status (*load)(cnf_execution *execution, uint32_t module);   /* dlopen */
    rt_status (*unload)(cnf_execution *execution, uint32_t module); /* dlclose */
    rt_status (*load_image)(cnf_execution *execution, uint32_t module, uint32_t image);
    rt_status (*context)(cnf_execution *execution, const uint32_t *devices, uint32_t device_count,
                         uint32_t *out_context);
    /* Creates a queue with all its properties except enable_fusion. context CNF_NO_OBJECT: the
     * context of all devices. */
    rt_status (*queue)(cnf_execution *execution, const scn_queue *queue, uint32_t context,
                       uint32_t *out_queue);
    /* Creates a kernel bundle from the bundles numbered `sources` (bundle->source_count of them);
     * context CNF_NO_OBJECT: the context of all devices. */
    rt_status (*bundle)(cnf_execution *execution, const scn_bundle *bundle, uint32_t context,
                        const uint32_t *sources, uint32_t *out_bundle);
    rt_status (*bundle_show)(cnf_execution *execution, uint32_t bundle,
                             cnf_bundle_content *out_content);
    /* bundle: the executable bundle that provides the kernel; CNF_NO_OBJECT: the runtime finds the
     * kernel. */
    rt_status (*submit)(cnf_execution *execution, uint32_t queue, const scn_submit *submit,
                        uint32_t bundle, cnf_after after, uint32_t *out_command);
    /* A copy if the transfer has no pattern, otherwise a fill. A copy that involves a variable,
     * which must have been resolved, uses the member function of queue or handler that copies to or
     * from a device_global. */
    rt_status (*transfer)(cnf_execution *execution, uint32_t queue, const scn_transfer *transfer,
                          cnf_after after, uint32_t *out_command);
    /* A barrier or a marker; with `waits_for_all`, for all earlier commands of the queue. */
    rt_status (*marker)(cnf_execution *execution, uint32_t queue, bool is_barrier,
                        bool waits_for_all, cnf_after after, uint32_t *out_command);
    /* Makes a memory part of a buffer, from a byte offset; ends a part. */
    rt_status (*part)(cnf_execution *execution, uint32_t memory, uint32_t whole, uint64_t offset);
    rt_status (*end_part)(cnf_execution *execution, uint32_t memory);
    /* Creates an event of the device that the host completes, and completes one.  The shipped
     * runtime has none for commands, but host tasks can wait for something that the host does. */
    rt_status (*user_event)(cnf_execution *execution, uint32_t device, uint32_t *out_command);
    rt_status (*complete_event)(cnf_execution *execution, uint32_t command, bool has_failed);
    /* Maps a range of a buffer for the host, and ends a mapping.  A runtime whose maps are not
     * commands leaves *out_command unchanged; every step of the host waits for them. */
    rt_status (*map)(cnf_execution *execution, uint32_t queue, const scn_map *map, cnf_after after,
                     uint32_t *out_command, uint32_t *out_mapping);
    rt_status (*unmap)(cnf_execution *execution, uint32_t queue, uint32_t mapping, cnf_after after,
                       uint32_t *out_command);
    /* The step's access through a mapping, which waits for nothing: a read of all of its `size`
     * bytes, or a write of some. */
    rt_status (*mapped_read)(cnf_execution *execution, uint32_t step, uint32_t mapping,
                             uint64_t size, cnf_content *out_content);
    rt_status (*mapped_write)(cnf_execution *execution, uint32_t step, uint32_t mapping,
                              uint64_t offset, rt_bytes bytes);
    /* awaited: the command that the task waits for; CNF_NO_OBJECT: none. */
    rt_status (*host_task)(cnf_execution *execution, uint32_t queue, const scn_host_task *task,
                           uint32_t awaited, cnf_after after, uint32_t *out_command);
    rt_status (*wait)(cnf_execution *execution); /* for everything */
    rt_status (*wait_queue)(cnf_execution *execution, uint32_t queue);
    rt_status (*wait_command)(cnf_execution *execution, uint32_t command);
    /* The status of a command's event, without waiting; *out_known is false if the command has not
     * ended and this runtime does not report whether it has started. The operation is NULL if this
     * runtime reports no status. */
    scn_event_status (*status)(cnf_execution *execution, uint32_t command, bool *out_known);
    /* A synchronising host read; out_content may be NULL. */
    rt_status (*read)(cnf_execution *execution, uint32_t memory, cnf_content *out_content);
    /* Finds who wrote a byte of a memory last, after `read`.  False: that is not known.  NULL: it
     * never is. */
    bool (*writer)(cnf_execution *execution, uint32_t memory, uint64_t offset,
                   dev_writer *out_writer);
    /* The step's read of unified shared memory of the kinds host and shared through its pointer,
     * which waits for nothing; NULL: such a read shows nothing, and `read` is used. */
    rt_status (*look_at)(cnf_execution *execution, uint32_t step, uint32_t memory);
    /* A synchronising host read of a whole device_global, which must have been resolved: a copy to
     * the host in the given queue, and a wait for it. With `existing`, reads only if the queue's
     * device already has an instance: otherwise bytes.data is NULL and no instance is created. The
     * operation is NULL if this runtime does not support it. */
    rt_status (*read_global)(cnf_execution *execution, const scn_variable *variable, uint32_t queue,
                             bool existing, cnf_content *out_content);
    /* The module to which a reference to a host symbol from module `by` binds; SCN_NONE: none.
     * *out_loaded false: module `by` is not loaded. */
    rt_status (*host_symbol)(cnf_execution *execution, uint32_t by, rt_text symbol,
                             bool *out_loaded, uint32_t *out_found);

    const cnf_fusion_operations *fusion;       /* NULL: not supported by this runtime */
    const cnf_profiling_operations *profiling; /* as above */

    /* Adds to the trace any events since the last call that this runtime does not record as they
     * happen. */
    void (*look)(cnf_execution *execution);
    /* True if events of the kind reach the trace and, unless `field` is empty, carry that field. */
    bool (*observes)(const cnf_runtime *runtime, rt_event_kind kind, rt_text field);
    /* True if traced events of the kind identify their program by a number that recurs in other
     * events, although no scenario can know that number. */
    bool (*identifies_program)(const cnf_runtime *runtime, rt_event_kind kind);
    /* The choices made wherever the documents leave something open; valid until the next operation.
     */
    void (*choices)(const cnf_runtime *runtime, const rt_choice **out_choices, uint32_t *out_count);
    /* True once the runtime under test, or the device beneath the reference runtime, has been used.
     */
    bool (*was_used)(const cnf_runtime *runtime);
};

/* assay's reference runtime (reference/), in this process, over cnf_subject.backend. */
extern const cnf_runtime_operations cnf_reference_operations;

/* The shipped DPC++ runtime, over a host program linked with the library cnf_subject.selector,
 * which is in the folder that packages.h names. */
extern const cnf_runtime_operations cnf_shipped_operations;

#endif
