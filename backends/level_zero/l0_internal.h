/* The Level Zero adapter's objects, shared by the files of this folder. */
#ifndef BACKENDS_LEVEL_ZERO_L0_INTERNAL_H
#define BACKENDS_LEVEL_ZERO_L0_INTERNAL_H

#include "backends/level_zero/l0_library.h"
#include "backends/vendor/outcome.h"
#include "reference/base/vector.h"
#include "reference/device/device.h"

#include <pthread.h>
#include <stdatomic.h>

typedef struct l0_device l0_device;

/* ---- Signals (l0_signal.c): the driver's events ------------------------------------------- */

/* Events of one pool of the driver's; a pool stays until the device is closed. */
enum { L0_POOL_EVENTS = 64 };
typedef struct l0_pool {
    ze_event_pool_handle_t pool;
    uint64_t used; /* bit i: event i exists */
} l0_pool;

/* What one command signals when it is done.  Its owner's event, the list of what is pending and
 * every command that waits for it have a reference: the driver reads an event until then. */
typedef struct l0_signal {
    ze_event_handle_t event;
    uint32_t pool, slot;
    uint32_t references;
    struct l0_signal **waits; /* what its command waits for; references, until it is done */
    uint32_t wait_count;
    struct l0_signal *next; /* pending after it */
} l0_signal;

/* ---- Objects ------------------------------------------------------------------------------ */

struct l0_device {
    dev_device base;
    rt_sink *sink; /* known before base.sink is set */
    l0_library library;
    ze_driver_handle_t driver;
    ze_device_handle_t id;
    ze_context_handle_t context;
    uint32_t queue_ordinal;  /* of the first group of queues that computes */
    size_t fill_pattern_max; /* bytes that such a queue fills with */
    bool joins_spirv;        /* several modules of SPIR-V are linked when one module is made */
    bool offsets;            /* launches may have an offset */
    bool captures;           /* commands are taken and never run */
    dev_capabilities capabilities;
    rt_buffer name; /* texts that the capabilities point to */
    rt_buffer driver_text;
    const char *link_extension;
    pthread_mutex_t lock; /* of all below, and of the module that a compiled program has */
    RT_VECTOR(l0_pool) pools;
    l0_signal *pending, **pending_end; /* not known to be done, the oldest first */
};

typedef struct l0_memory {
    dev_memory base;
    l0_device *device;
    char *pointer;    /* of the device, never followed here */
    bool is_variable; /* of a program; the driver frees it */
} l0_memory;

/* The driver's modules of an executable program, linked with each other.  The program and every
 * kernel taken from it have a reference. */
typedef struct l0_modules {
    atomic_uint references;
    uint32_t count;
    ze_module_handle_t handles[];
} l0_modules;

typedef struct l0_queue {
    dev_queue base;
    l0_device *device;
    ze_command_list_handle_t list;
    pthread_mutex_t lock; /* a list must not be appended to by two threads at once */
} l0_queue;

typedef struct l0_kernel {
    dev_kernel base;
    l0_device *device;
    l0_modules *modules; /* a reference */
    ze_kernel_handle_t kernel;
    uint32_t argument_count;
    uint32_t required_group[RT_ND_RANGE_DIMENSIONS]; /* all 0: free */
    pthread_mutex_t lock; /* from the first argument to the launch that takes them */
} l0_kernel;

/* ---- Errors (l0_error.c) ------------------------------------------------------------------ */

/* What was being done, which decides the class of some results. */
typedef enum l0_stage {
    L0_STAGE_OPEN,
    L0_STAGE_MEMORY,
    L0_STAGE_MODULE, /* making a module of one image */
    L0_STAGE_LINK,   /* joining several */
    L0_STAGE_KERNEL,
    L0_STAGE_GLOBAL,
    L0_STAGE_BINARY,
    L0_STAGE_LAUNCH,
    L0_STAGE_QUEUE, /* making a queue, other commands */
    L0_STAGE_WAIT,
    L0_STAGE_COUNT
} l0_stage;

/* The name of a result, NULL for one that the table lacks. */
const char *l0_result_name(ze_result_t result);

/* The code of a failed call: one that device.h allows at that stage, whatever the driver answered.
 */
rt_code l0_result_code(l0_stage stage, ze_result_t result);

/* Makes a status of a failed call.  ZE_RESULT_SUCCESS is a call that gave nothing although it
 * should have.  `log` (may be empty) is the compiler's or the linker's. */
RT_MUST_USE rt_status l0_fail(rt_sink *sink, l0_stage stage, const char *call, ze_result_t result,
                              rt_text log);

/* Returns from the calling function with a status when the call did not succeed. */
#define L0_TRY(sink, stage, call, result)                                                          \
    do {                                                                                           \
        ze_result_t l0_try_ = (result);                                                            \
        if (l0_try_ != ZE_RESULT_SUCCESS)                                                          \
            return l0_fail((sink), (stage), (call), l0_try_, (rt_text){0});                        \
    } while (0)

/* ---- Around every command (l0_signal.c) --------------------------------------------------- */

/* A command that is being appended: the driver's list of events to wait for, and its own. */
typedef struct l0_append {
    l0_signal *signal;
    ze_event_handle_t *waits; /* NULL for none */
    uint32_t wait_count;
} l0_append;

/* Begins a command.  After success l0_append_end follows in any case. */
RT_MUST_USE rt_status l0_append_begin(l0_device *device, dev_command command,
                                      l0_append *out_append);

/* Ends it: by an event after the driver took it, else by a status. */
RT_MUST_USE rt_status l0_append_end(l0_device *device, l0_append *append, l0_stage stage,
                                    const char *call, ze_result_t result, dev_event **out_event);

/* Ends one that was never given to the driver, for the reason in `status`, which is returned. */
RT_MUST_USE rt_status l0_append_drop(l0_device *device, l0_append *append, rt_status status);

/* Waits until every command is done, so that what commands use may go. */
void l0_device_settle(l0_device *device);

/* Frees the pools; no command is pending. */
void l0_pools_free(l0_device *device);

/* ---- Operations of the tables, defined in other files than the tables --------------------- */

dev_memory_create_op l0_memory_create;
dev_usm_create_op l0_usm_create;
dev_program_compile_op l0_program_compile, l0_program_build;
dev_program_link_op l0_program_link;
dev_program_load_op l0_program_load;
dev_queue_create_op l0_queue_create;
dev_enqueue_kernel_op l0_enqueue_kernel;
dev_enqueue_read_op l0_enqueue_read;
dev_enqueue_write_op l0_enqueue_write;
dev_enqueue_copy_op l0_enqueue_copy;
dev_enqueue_fill_op l0_enqueue_fill;

/* Gives a reference up; the last one waits for commands and destroys the modules (l0_program.c). */
void l0_modules_release(l0_device *device, l0_modules *modules);

/* Takes a kernel from one of the modules of an executable program (l0_kernel.c). */
rt_status l0_kernel_take(l0_device *device, l0_modules *modules, rt_text name,
                         dev_kernel **out_kernel);

/* Makes a memory for a program's variable at a pointer (l0_memory.c). */
dev_memory *l0_variable_wrap(l0_device *device, void *pointer, size_t size);

/* Opens a device through the loader at `library_path`; the backend gives the usual name, tests give
 * a fake. */
rt_status l0_device_open(const char *library_path, const dev_open_parameters *parameters,
                         rt_text selector, dev_device **out_device);

#endif
