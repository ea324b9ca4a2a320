/* The Level Zero adapter's objects, shared by the files of this folder. */
#ifndef BACKENDS_LEVEL_ZERO_L0_INTERNAL_H
#define BACKENDS_LEVEL_ZERO_L0_INTERNAL_H

#include "backends/level_zero/l0_library.h"
#include "backends/vendor/event.h"
#include "backends/vendor/result.h"
#include "reference/base/vector.h"
#include "reference/device/device.h"

#include <pthread.h>
#include <stdatomic.h>

typedef struct l0_device l0_device;

/* ---- Signals (l0_signal.c): the driver's events ------------------------------------------- */

/* Events per driver pool; a pool lives until the device is closed. */
enum { L0_POOL_EVENTS = 64 };
typedef struct l0_pool {
    ze_event_pool_handle_t pool;
    uint64_t used; /* bit i: event i exists */
} l0_pool;

/* A driver event that one command signals on completion.  References are held by the caller's
 * event, by the list of pending commands, and by every command that waits for it, since the driver
 * reads the event until that command is done. */
typedef struct l0_signal {
    ze_event_handle_t event;
    uint32_t pool, slot;
    uint32_t references;
    struct l0_signal **waits; /* references to the signals that its command waits for, released when
                               * the command is done */
    uint32_t wait_count;
    void *staging;          /* bytes that its command copies; freed with the signal */
    struct l0_signal *next; /* next in the list of pending commands */
} l0_signal;

/* ---- Objects ------------------------------------------------------------------------------ */

struct l0_device {
    dev_device base;
    rt_sink *sink; /* same as base.sink, which is set only after opening */
    l0_library library;
    ze_driver_handle_t driver;
    ze_device_handle_t id;
    ze_context_handle_t context;
    uint32_t queue_ordinal;  /* ordinal of the first queue group that supports compute */
    size_t fill_pattern_max; /* largest fill pattern of a queue in that group, in bytes */
    bool joins_spirv; /* the driver can link several SPIR-V modules while creating one module */
    bool offsets;     /* launches may have an offset */
    bool captures;    /* commands are accepted but never run */
    dev_capabilities capabilities;
    rt_buffer name; /* texts that the capabilities point to */
    rt_buffer driver_text;
    const char *link_extensions[3]; /* of SPIR-V; if modules are linked, of native formats too */
    pthread_mutex_t lock; /* guards all members below, and the module of a compiled program */
    RT_VECTOR(l0_pool) pools;
    l0_signal *pending, **pending_end; /* commands not known to be done, oldest first */
};

typedef struct l0_memory {
    dev_memory base;
    l0_device *device;
    char *pointer;    /* device pointer, never dereferenced here */
    bool is_variable; /* a program's variable; the driver frees it */
} l0_memory;

/* The driver's modules for an executable program, linked together.  The program and every kernel
 * created from it hold a reference. */
typedef struct l0_modules {
    atomic_uint references;
    uint32_t count;
    ze_module_handle_t handles[];
} l0_modules;

typedef struct l0_queue {
    dev_queue base;
    l0_device *device;
    ze_command_list_handle_t list;
    pthread_mutex_t lock; /* two threads must not append to a list at the same time */
} l0_queue;

typedef struct l0_kernel {
    dev_kernel base;
    l0_device *device;
    l0_modules *modules; /* a reference */
    ze_kernel_handle_t kernel;
    uint32_t argument_count;
    uint32_t required_group[RT_ND_RANGE_DIMENSIONS]; /* all 0: free */
    pthread_mutex_t
        lock; /* held from setting the first argument until the launch has captured them */
} l0_kernel;

/* ---- Errors (l0_error.c) ------------------------------------------------------------------ */

/* The operation in progress, on which the status code for some results depends. */
typedef enum l0_stage {
    L0_STAGE_OPEN,
    L0_STAGE_MEMORY,
    L0_STAGE_MODULE, /* creating a module from one image */
    L0_STAGE_LINK,   /* linking several */
    L0_STAGE_KERNEL,
    L0_STAGE_GLOBAL,
    L0_STAGE_BINARY,
    L0_STAGE_ARGUMENT, /* setting an argument; everything but its value has been checked */
    L0_STAGE_LAUNCH,
    L0_STAGE_QUEUE, /* creating a queue, and commands other than launches */
    L0_STAGE_WAIT,
    L0_STAGE_COUNT
} l0_stage;

/* The table of results. It gives only codes that device.h allows at the stage, whatever the
 * driver's result.
 */
extern const vendor_results l0_results;

/* Makes a status for a failed call.  ZE_RESULT_SUCCESS means that the call succeeded but returned
 * nothing where it should have.  `log`, which may be empty, is the compiler's or linker's log. */
RT_MUST_USE rt_status l0_fail(rt_sink *sink, l0_stage stage, const char *call, ze_result_t result,
                              rt_text log);

/* If the call failed, returns a status for it from the enclosing function. */
#define L0_TRY(sink, stage, call, result)                                                          \
    do {                                                                                           \
        ze_result_t l0_try_ = (result);                                                            \
        if (l0_try_ != ZE_RESULT_SUCCESS)                                                          \
            return l0_fail((sink), (stage), (call), l0_try_, (rt_text){0});                        \
    } while (0)

/* ---- Around every command (l0_signal.c) --------------------------------------------------- */

/* A command being appended: its signal, and the driver events that it waits for. */
typedef struct l0_append {
    l0_signal *signal;
    ze_event_handle_t *waits; /* NULL if there are none */
    uint32_t wait_count;
} l0_append;

/* Begins a command.  On success the caller must call l0_append_end or l0_append_drop. */
RT_MUST_USE rt_status l0_append_begin(l0_device *device, dev_command command,
                                      l0_append *out_append);

/* Ends a command once the driver's call has returned: if the driver accepted the command,
 * *out_event is the command's event; otherwise returns a status for the failed call. */
RT_MUST_USE rt_status l0_append_end(l0_device *device, l0_append *append, l0_stage stage,
                                    const char *call, ze_result_t result, dev_event **out_event);

/* Ends a command that the driver was not given or did not accept; returns `status`, the reason. */
RT_MUST_USE rt_status l0_append_drop(l0_device *device, l0_append *append, rt_status status);

/* Waits until all commands are done, so that the objects they use can be freed. */
void l0_device_settle(l0_device *device);

/* Frees the pools; no command may be pending. */
void l0_pools_free(l0_device *device);

/* ---- Operations defined in a different file from the table that lists them ---------------- */

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
dev_enqueue_marker_op l0_enqueue_marker;

/* Releases a reference; the last release waits for commands and destroys the modules
 * (l0_program.c). */
void l0_modules_release(l0_device *device, l0_modules *modules);

/* Operations of a program's table: creates a kernel from one of its modules (l0_kernel.c), writes
 * its binary (l0_binary.c). */
rt_status l0_kernel_create(dev_program *base, rt_text name, dev_kernel **out_kernel);
rt_status l0_program_binary(dev_program *base, rt_buffer *out_binary);

/* Makes a memory for a program's variable at a pointer (l0_memory.c). */
dev_memory *l0_variable_wrap(l0_device *device, void *pointer, size_t size);

/* Opens a device through the loader at `library_path`; the backend passes the usual name, tests
 * pass a fake. */
rt_status l0_device_open(const char *library_path, const dev_open_parameters *parameters,
                         rt_text selector, dev_device **out_device);

#endif
