/* The CUDA adapter's objects, shared by the files of this folder. */
#ifndef BACKENDS_CUDA_CUDA_INTERNAL_H
#define BACKENDS_CUDA_CUDA_INTERNAL_H

#include "backends/cuda/cuda_api.h"
#include "backends/ptx/capability.h"
#include "backends/ptx/launch.h"
#include "backends/ptx/program.h"
#include "backends/vendor/event.h"
#include "backends/vendor/mappings.h"
#include "reference/device/device.h"

#include <pthread.h>
#include <stdatomic.h>

struct cuda_staging; /* cuda_staging.c */

/* The driver's entry points (cuda_device.c). */
typedef struct cuda_library {
    void *handle;
#define CUDA_ENTRY_MEMBER(name, parameters) name##_call *name;
    CUDA_ENTRIES(CUDA_ENTRY_MEMBER)
#undef CUDA_ENTRY_MEMBER
} cuda_library;

typedef struct cuda_device {
    dev_device base;
    rt_sink *sink; /* same as base.sink, which is set only after opening */
    cuda_library library;
    cuda_ordinal ordinal;
    cuda_context *context; /* the GPU's primary context; NULL until it is retained */
    dev_capabilities capabilities;
    rt_buffer name; /* texts that the capabilities point to */
    rt_buffer target;
    rt_buffer driver;
    const dev_tools *tools;
    const char *extensions[PTX_EXTENSIONS];
    char options[8];              /* of every link, before those of the programs; or "" */
    ptx_limits limits;            /* for a kernel that uses no resources itself */
    pthread_mutex_t lock;         /* guards the members below, up to `mappings` */
    struct cuda_staging *staging; /* list of all blocks, free or in use */
    cuda_stream *clock;           /* a stream for timing events only; NULL until profiling is first
                                   * requested */
    cuda_driver_event *epoch;     /* zero point of all times */
    struct cuda_event *launches;  /* in order; those not known to be complete (cuda_launches.c) */
    vendor_mappings mappings;     /* has its own lock */
} cuda_device;

typedef struct cuda_memory {
    dev_memory base;
    cuda_device *device;
    cuda_address address;
    void *host;       /* for host USM, the pointer that the driver must free; otherwise NULL */
    bool is_variable; /* a program's variable, so nothing to free */
    struct cuda_memory *whole; /* of a part: the buffer that it is in, a reference */
    atomic_uint references;    /* held by its owner and its parts */
} cuda_memory;

typedef struct cuda_program {
    ptx_program ptx; /* begins with the base */
    cuda_device *device;
    cuda_module *module;    /* of an executable program; otherwise NULL */
    atomic_uint references; /* held by its owner and its kernels */
} cuda_program;

typedef struct cuda_kernel {
    dev_kernel base;
    cuda_program *program; /* a reference */
    cuda_function *function;
    const ptx_kernel *entry; /* in the program's table */
    ptx_limits limits;       /* the device's limits minus the kernel's own use */
} cuda_kernel;

/* Streams per queue: enough to let commands overtake each other. */
enum { CUDA_STREAMS = 4 };

typedef struct cuda_queue {
    dev_queue base;
    cuda_device *device;
    cuda_stream *streams[CUDA_STREAMS];
    atomic_uint next; /* number of commands so far */
    bool keeps_times;
} cuda_queue;

typedef struct cuda_event {
    vendor_event base;
    cuda_device *device;
    cuda_driver_event *event;
    cuda_driver_event *submitted, *started; /* of a profiling queue; otherwise NULL */
    rt_buffer kernel;                       /* name of the kernel; empty: not a launch */
    uint32_t tag;                           /* dev_command.tag of a launch */
    struct cuda_event *next_launch;         /* in the device's list, under its lock */
} cuda_event;

/* ---- Launches (cuda_launches.c) ------------------------------------------------------------ */

/* Adds a launch's event to the device's list. */
void cuda_launch_add(cuda_event *event, rt_text kernel, uint32_t tag);
/* Removes an event that is about to be freed; does nothing for commands other than launches. */
void cuda_launch_remove(cuda_event *event);
/* Removes complete launches from the list. */
void cuda_launches_settle(cuda_device *device);
/* Adds to the message of a lost device the launches that were not complete, one of which is the
 * cause; returns other statuses unchanged. */
rt_status cuda_launches_blame(cuda_device *device, rt_status status);

/* ---- Errors (cuda_error.c) ---------------------------------------------------------------- */

/* The operation in progress, on which the status code for some results depends. */
typedef enum cuda_stage {
    CUDA_STAGE_OPEN,
    CUDA_STAGE_MEMORY,
    CUDA_STAGE_COMPILE, /* adding an image, which the driver compiles */
    CUDA_STAGE_LINK,
    CUDA_STAGE_LOAD,   /* loading linked code or a program's binary */
    CUDA_STAGE_KERNEL, /* looking up a kernel */
    CUDA_STAGE_GLOBAL, /* finding a program's variable */
    CUDA_STAGE_LAUNCH,
    CUDA_STAGE_QUEUE, /* creating a queue, and commands other than launches */
    CUDA_STAGE_WAIT,
    CUDA_STAGE_COUNT
} cuda_stage;

/* Makes a status, in the driver's own words, for a failed call.  CUDA_SUCCESS means that the call
 * succeeded but returned nothing where it should have.  `log`, which may be empty, is the
 * compiler's or linker's log. */
RT_MUST_USE rt_status cuda_fail(const cuda_device *device, cuda_stage stage, const char *call,
                                cuda_result result, rt_text log);

/* Returns success, or the status for a failed call. */
RT_MUST_USE rt_status cuda_check(const cuda_device *device, cuda_stage stage, const char *call,
                                 cuda_result result);

/* Calls the driver; if the call fails, returns its status from the enclosing function. */
#define CUDA_TRY(device, stage, call, ...)                                                         \
    RT_TRY(cuda_check((device), (stage), #call, (device)->library.call(__VA_ARGS__)))

/* Like CUDA_TRY, for a call that makes an object; also fails if the call leaves *out_object null.
 */
#define CUDA_MAKE(device, stage, call, out_object, ...)                                            \
    do {                                                                                           \
        cuda_result cuda_make_ = (device)->library.call((out_object), __VA_ARGS__);                \
        if (cuda_make_ != CUDA_SUCCESS || !*(out_object))                                          \
            return cuda_fail((device), (stage), #call, cuda_make_, (rt_text){0});                  \
    } while (0)

/* Makes the device's context current on this thread, which every other driver call requires. */
RT_MUST_USE rt_status cuda_enter(const cuda_device *device, cuda_stage stage);

/* Like cuda_enter, for use before calls that free objects: they are made even if this fails, and no
 * failure can be reported. */
void cuda_enter_to_free(const cuda_device *device);

/* ---- Around every command (cuda_queue.c) -------------------------------------------------- */

/* A command being enqueued: its stream already waits for the command's wait list. */
typedef struct cuda_command {
    cuda_device *device;
    cuda_stream *stream;
    cuda_driver_event *event;               /* recorded by cuda_command_end */
    cuda_driver_event *submitted, *started; /* of a profiling queue; otherwise NULL */
} cuda_command;

/* Chooses a stream and makes it wait for the wait list.  On success the caller must call
 * cuda_command_end. */
RT_MUST_USE rt_status cuda_command_begin(cuda_queue *queue, dev_command command,
                                         cuda_command *out_command);

/* Ends a command.  If `status` is a success, *out_event becomes an event that the caller owns;
 * otherwise returns `status`. */
RT_MUST_USE rt_status cuda_command_end(cuda_command *command, rt_status status,
                                       dev_event **out_event);

/* ---- The times of commands (cuda_times.c) ------------------------------------------------- */

/* Creates the clock and the epoch, the zero point of all times of the device, unless they already
 * exist. */
RT_MUST_USE rt_status cuda_times_begin(cuda_device *device);
/* Records when a command is submitted, and makes its stream wait for that record. */
RT_MUST_USE rt_status cuda_times_submit(cuda_command *command);
/* Records when the stream reaches the command, after all waits. */
RT_MUST_USE rt_status cuda_times_start(const cuda_command *command);
/* Reads the times of a completed command. */
rt_status cuda_times_read(dev_event *event, dev_times *out_times);
/* Destroys the clock and the epoch, if they exist. */
void cuda_times_end(cuda_device *device);

/* ---- Memory for copies that do not block (cuda_staging.c) --------------------------------- */

/* Acquires a block of at least `size` bytes. */
RT_MUST_USE rt_status cuda_staging_take(cuda_device *device, uint64_t size,
                                        struct cuda_staging **out_staging);
/* Returns the address of the block's bytes. */
void *cuda_staging_bytes(const struct cuda_staging *staging);
/* Enqueues the release of the block: when the stream reaches it, `size` bytes are copied to
 * `destination` unless that is NULL, and the block becomes free. */
RT_MUST_USE rt_status cuda_staging_release(cuda_command *command, struct cuda_staging *staging,
                                           void *destination, uint64_t size);
/* Releases a block that no command uses. */
void cuda_staging_give(struct cuda_staging *staging);
/* Frees all blocks; the device's commands must be done or lost. */
void cuda_staging_free(cuda_device *device);

/* ---- Operations defined in a different file from the table that lists them ---------------- */

dev_memory_create_op cuda_memory_create;
dev_memory_part_create_op cuda_memory_part_create;
dev_usm_create_op cuda_usm_create;
dev_program_compile_op cuda_program_compile, cuda_program_build;
dev_program_link_op cuda_program_link;
dev_program_load_op cuda_program_load;
dev_queue_create_op cuda_queue_create, cuda_queue_create_profiling;
dev_enqueue_kernel_op cuda_enqueue_kernel;
dev_enqueue_read_op cuda_enqueue_read;
dev_enqueue_write_op cuda_enqueue_write;
dev_enqueue_marker_op cuda_enqueue_marker;
dev_enqueue_copy_op cuda_enqueue_copy;
dev_enqueue_fill_op cuda_enqueue_fill;
dev_enqueue_map_op cuda_enqueue_map;
dev_enqueue_unmap_op cuda_enqueue_unmap;

/* Operations of a program's table: looks up a kernel (cuda_kernel.c), makes a memory for a variable
 * (cuda_memory.c), releases a reference (cuda_program.c). */
rt_status cuda_kernel_create(dev_program *base, rt_text name, dev_kernel **out_kernel);
rt_status cuda_global_find(dev_program *base, rt_text name, dev_memory **out_memory);
void cuda_program_destroy(dev_program *base);

/* Opens a device through the driver at `library_path`; the backend passes the usual name, tests
 * pass a fake. */
rt_status cuda_device_open(const char *library_path, const dev_open_parameters *parameters,
                           rt_text selector, dev_device **out_device);

#endif
