/* The runtime that executes a scenario, as one table of operations.
 *
 * Steps, judges and messages know nothing else of it.  The reference runtime is one
 * (reference.c), over a device that a backend opens; the shipped one, which a host program
 * drives, is another (shipped.c). */
#ifndef CONFORMANCE_SUBJECT_RUNTIME_H
#define CONFORMANCE_SUBJECT_RUNTIME_H

#include "conformance/scenario/model/scenario.h"
#include "reference/base/choose.h"
#include "reference/device/device.h"
#include "reference/trace/trace.h"

typedef struct cnf_execution cnf_execution;
typedef struct cnf_runtime_operations cnf_runtime_operations;

/* Numbers of queues, contexts, bundles and commands are the runtime's own; this is none. */
#define CNF_NOT_MADE UINT32_MAX

/* What every runtime shows; the first member of each one's own structure. */
typedef struct cnf_runtime {
    const cnf_runtime_operations *operations;
    dev_capabilities capabilities; /* of the device that the scenario's devices are */
    rt_trace *trace;               /* NULL until it is set up; lives as long as the runtime */
} cnf_runtime;

/* What a host read of a memory found. */
typedef struct cnf_content {
    rt_bytes bytes;         /* the whole memory, borrowed until the next operation */
    const uint8_t *defined; /* a bit a byte as dev_memory_defined has it; NULL: not tracked */
    rt_arena arena;         /* of what was made for it; the reader resets it in any case */
} cnf_content;

/* What a kernel bundle holds. */
typedef struct cnf_bundle_content {
    uint32_t unit_count; /* SYCL's device images */
    const rt_text *kernels;
    uint32_t kernel_count;
    bool shows_images; /* else this runtime does not tell which images they are made of */
    const rt_text *images;
    uint32_t image_count;
    rt_arena arena; /* of the lists; whoever asked resets it in any case */
} cnf_bundle_content;

/* The commands that a command waits for. */
typedef struct cnf_after {
    const uint32_t *commands;
    uint32_t count;
} cnf_after;

/* Kernel fusion, and what is there to end one.  Statuses as below. */
typedef struct cnf_fusion_operations {
    /* The property enable_fusion of a queue that was made just now. */
    rt_status (*enable)(cnf_execution *execution, uint32_t queue);
    rt_status (*start)(cnf_execution *execution, uint32_t queue);
    rt_status (*complete)(cnf_execution *execution, uint32_t queue, bool no_barriers,
                          uint32_t *out_command);
    rt_status (*cancel)(cnf_execution *execution, uint32_t queue);
    bool (*is_active)(cnf_execution *execution, uint32_t queue);
    rt_status (*host_task)(cnf_execution *execution, uint32_t queue, const scn_host_task *task,
                           cnf_after after, uint32_t *out_command);
    rt_status (*end_queue)(cnf_execution *execution, uint32_t queue);
    rt_status (*end_memory)(cnf_execution *execution, uint32_t memory);
} cnf_fusion_operations;

/* Times of commands.  Statuses as below. */
typedef struct cnf_profiling_operations {
    /* The property enable_profiling of a queue that was made just now. */
    rt_status (*enable)(cnf_execution *execution, uint32_t queue);
    /* Waits for the command and tells its times. */
    rt_status (*times)(cnf_execution *execution, uint32_t command, dev_times *out_times);
} cnf_profiling_operations;

/* Where a function returns a status, its codes are what the application would see of a refusal, and
 * the diagnostic is in the execution's sink.  Modules, devices and memories go by their index in
 * the scenario. */
struct cnf_runtime_operations {
    /* The texts, rules and codes that no document fixes are this runtime's, and judged as such. */
    bool is_reference;

    /* Opens what the subject runs on and says what it can do.  Any failure: it is not available. */
    rt_status (*open)(cnf_execution *execution, cnf_runtime **out_runtime);
    /* Frees everything; NULL does nothing. */
    void (*close)(cnf_execution *execution, cnf_runtime *runtime);

    /* Whether a small computation with a known answer comes out right, on the open runtime and
     * before anything else; else out_message gets a line.  The scenario is cnf_probe_scenario. */
    bool (*probe)(cnf_execution *execution, rt_buffer *out_message);

    /* Creates memories; loads the executable, what is preloaded, and what they need. */
    rt_status (*set_up)(cnf_execution *execution);
    /* Ends the program, all of whose commands are done, and starts it anew as set_up did; NULL:
     * this runtime cannot be. */
    rt_status (*restart)(cnf_execution *execution);
    /* Ends the program: it exits, and modules are unloaded.  Nothing but close follows. */
    rt_status (*end)(cnf_execution *execution);
    rt_status (*load)(cnf_execution *execution, uint32_t module);   /* dlopen */
    rt_status (*unload)(cnf_execution *execution, uint32_t module); /* dlclose */
    rt_status (*load_image)(cnf_execution *execution, uint32_t module, uint32_t image);
    rt_status (*context)(cnf_execution *execution, const uint32_t *devices, uint32_t device_count,
                         uint32_t *out_context);
    /* context CNF_NOT_MADE: the one of all devices. */
    rt_status (*queue)(cnf_execution *execution, uint32_t device, uint32_t context, bool in_order,
                       uint32_t *out_queue);
    /* Makes a kernel bundle, of those whose numbers are given (as many as bundle->sources);
     * context CNF_NOT_MADE: the one of all devices. */
    rt_status (*bundle)(cnf_execution *execution, const scn_bundle *bundle, uint32_t context,
                        const uint32_t *sources, uint32_t *out_bundle);
    rt_status (*bundle_show)(cnf_execution *execution, uint32_t bundle,
                             cnf_bundle_content *out_content);
    /* bundle: an executable one to take the kernel from; CNF_NOT_MADE: the runtime finds it. */
    rt_status (*submit)(cnf_execution *execution, uint32_t queue, const scn_submit *submit,
                        uint32_t bundle, cnf_after after, uint32_t *out_command);
    /* A copy where the transfer has no pattern, else a fill.  A copy with a variable, which was
     * found, is that function of queue or handler which copies to or from a device_global. */
    rt_status (*transfer)(cnf_execution *execution, uint32_t queue, const scn_transfer *transfer,
                          cnf_after after, uint32_t *out_command);
    rt_status (*wait)(cnf_execution *execution); /* for everything */
    rt_status (*wait_queue)(cnf_execution *execution, uint32_t queue);
    rt_status (*wait_command)(cnf_execution *execution, uint32_t command);
    /* The status of a command's event, without waiting; *out_known false: it has not ended, and
     * whether it has begun this runtime does not tell.  NULL: this runtime tells nothing. */
    scn_event_status (*status)(cnf_execution *execution, uint32_t command, bool *out_known);
    /* A synchronising host read; out_content may be NULL. */
    rt_status (*read)(cnf_execution *execution, uint32_t memory, cnf_content *out_content);
    /* A synchronising host read of a whole device_global, which was found: a copy from it to the
     * host in that queue, and a wait for it.  With `existing` only where the queue's device has an
     * instance of it already: bytes.data is NULL where it has none, and nothing is made.  NULL:
     * this runtime cannot. */
    rt_status (*read_global)(cnf_execution *execution, const scn_variable *variable, uint32_t queue,
                             bool existing, cnf_content *out_content);
    /* What a reference to a host symbol from a module binds to: a module or SCN_NONE.
     * *out_loaded false: that module is not loaded. */
    rt_status (*host_symbol)(cnf_execution *execution, uint32_t by, rt_text symbol,
                             bool *out_loaded, uint32_t *out_found);

    const cnf_fusion_operations *fusion;       /* NULL: this runtime has none of it */
    const cnf_profiling_operations *profiling; /* the same */

    /* Brings into the trace what has happened since and did not come there by itself. */
    void (*look)(cnf_execution *execution);
    /* Whether events of a kind reach the trace (field empty), and that field of them. */
    bool (*observes)(const cnf_runtime *runtime, rt_event_kind kind, rt_text field);
    /* Whether the events of a kind that reach the trace tell which program they are about, as a
     * number that other events have too but no scenario can know. */
    bool (*tells_program)(const cnf_runtime *runtime, rt_event_kind kind);
    /* What was chosen among what the documents leave open; valid until the next operation. */
    void (*choices)(const cnf_runtime *runtime, const rt_choice **out_choices, uint32_t *out_count);
    /* Whether anything was asked of the runtime under test, or of the device under ours. */
    bool (*was_asked)(const cnf_runtime *runtime);
};

/* The documents' runtime (reference/), in this process, over cnf_subject.backend. */
extern const cnf_runtime_operations cnf_reference_operations;

/* The shipped DPC++ runtime, over a host program that is linked with cnf_subject.selector, a
 * library in the folder of packages.h. */
extern const cnf_runtime_operations cnf_shipped_operations;

#endif
