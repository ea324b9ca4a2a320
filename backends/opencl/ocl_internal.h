/* The OpenCL adapter's objects, shared by the files of this folder. */
#ifndef BACKENDS_OPENCL_OCL_INTERNAL_H
#define BACKENDS_OPENCL_OCL_INTERNAL_H

#include "backends/opencl/ocl_library.h"
#include "backends/vendor/event.h"
#include "backends/vendor/result.h"
#include "reference/base/arena.h"
#include "reference/device/device.h"

#include <pthread.h>
#include <stdatomic.h>

/* How programs are built (opencl.h). */
typedef enum ocl_route {
    OCL_ROUTE_SPIRV,   /* the driver compiles and links SPIR-V */
    OCL_ROUTE_BITCODE, /* dev_tools link SPIR-V into bitcode, which the driver builds */
    OCL_ROUTE_SOURCE,  /* the driver compiles and links OpenCL C */
} ocl_route;

typedef struct ocl_device {
    dev_device base;
    rt_sink *sink; /* same as base.sink, which is set only after opening */
    ocl_library library;
    ocl_extensions extensions; /* the platform's */
    const dev_tools *tools;
    cl_platform_id platform;
    cl_device_id id;
    cl_context context;
    ocl_route route;
    cl_command_queue_properties queue_properties; /* for every queue */
    bool empty_ranges;                            /* a launch may have no work-items */
    dev_capabilities capabilities;
    rt_buffer name; /* texts that the capabilities point to */
    rt_buffer driver;
    uint32_t native_formats;        /* bit 1u << rt_format: formats of the driver's own binaries */
    const char *link_extensions[3]; /* of the route's format and the native ones */
} ocl_device;

typedef struct ocl_memory {
    dev_memory base;
    ocl_device *device;
    cl_mem buffer;      /* a buffer's handle; otherwise NULL */
    char *pointer;      /* the address if the memory is not a buffer; otherwise NULL.  A device
                         * pointer is never dereferenced here */
    cl_program program; /* of a variable: its program, borrowed; otherwise NULL */
    rt_buffer name;     /* a variable's name */
} ocl_memory;

typedef struct ocl_program {
    dev_program base;
    ocl_device *device;
    cl_program program; /* NULL if compiled on the bitcode route */
    dev_code code;      /* if compiled on the bitcode route: a copy of the image's code, for a later
                         * link */
    rt_arena arena;     /* holds the copy */
} ocl_program;

/* A queue lives until its owner has destroyed it and its last event has been released, because a
 * wait for an event from another queue must flush the event's queue. */
typedef struct ocl_queue {
    dev_queue base;
    ocl_device *device;
    cl_command_queue queue;
    atomic_uint references;
} ocl_queue;

typedef struct ocl_kernel {
    dev_kernel base;
    ocl_device *device;
    cl_kernel kernel;
    cl_uint argument_count;
    size_t required_local[RT_ND_RANGE_DIMENSIONS]; /* reqd_work_group_size; all 0 if a launch may
                                                    * choose */
    pthread_mutex_t lock; /* held from the first clSetKernelArg until the enqueue has captured the
                           * arguments */
} ocl_kernel;

/* Returns the format of the images from which a route builds programs (ocl_program.c). */
rt_format ocl_route_format(ocl_route route);

/* ---- Errors (ocl_error.c) ----------------------------------------------------------------- */

/* The operation in progress, which determines the status code of some results. */
typedef enum ocl_stage {
    OCL_STAGE_OPEN,
    OCL_STAGE_MEMORY,
    OCL_STAGE_PART,    /* creating a part of a buffer */
    OCL_STAGE_READ,    /* passing an image to the driver */
    OCL_STAGE_COMPILE, /* compiling one image */
    OCL_STAGE_LINK,    /* linking, and building in one step */
    OCL_STAGE_KERNEL,  /* creating a kernel */
    OCL_STAGE_GLOBAL,  /* finding a program's variable */
    OCL_STAGE_BINARY,  /* serialising a program */
    OCL_STAGE_LAUNCH,
    OCL_STAGE_QUEUE, /* creating a queue, and commands other than launches */
    OCL_STAGE_MAP,
    OCL_STAGE_WAIT,
    OCL_STAGE_COMPLETE, /* completing a host event */
    OCL_STAGE_COUNT
} ocl_stage;

/* The table of results: whatever the driver answers, a stage yields only codes that device.h allows
 * there. */
extern const vendor_results ocl_results;

/* Makes a status for a failed call.  CL_SUCCESS means that the call succeeded but returned nothing
 * where it should have.  `log` (may be empty) is the compiler's. */
RT_MUST_USE rt_status ocl_fail(rt_sink *sink, ocl_stage stage, const char *call, cl_int result,
                               rt_text log);

/* If the call failed, returns its status from the enclosing function. */
#define OCL_TRY(sink, stage, call, result)                                                         \
    do {                                                                                           \
        cl_int ocl_try_ = (result);                                                                \
        if (ocl_try_ != CL_SUCCESS)                                                                \
            return ocl_fail((sink), (stage), (call), ocl_try_, (rt_text){0});                      \
    } while (0)

/* Reads the driver's log of a compile, link or build into an empty buffer; progress lines are
 * removed, and a long log is truncated (ocl_log.c).  The caller frees the buffer. */
void ocl_log_read(const ocl_device *device, cl_program program, rt_buffer *out_log);

/* ---- Before and after every enqueue (ocl_queue.c) ----------------------------------------- */

/* The driver's events in a wait list; `events` is NULL for an empty list, as OpenCL requires. */
typedef struct ocl_waits {
    cl_event *events;
    cl_uint count;
} ocl_waits;

/* Prepares a wait list; on success the caller frees out_waits->events with rt_free. */
RT_MUST_USE rt_status ocl_waits_make(const ocl_queue *queue, dev_command command,
                                     ocl_waits *out_waits);

/* Ends an enqueue: on success, *out_event takes ownership of the driver's event; otherwise returns
 * a status for the failed call. */
RT_MUST_USE rt_status ocl_command_finish(ocl_queue *queue, ocl_stage stage, const char *call,
                                         cl_int result, cl_event handle, dev_event **out_event);

/* ---- Operations defined in a different file from the table that lists them ---------------- */

dev_memory_create_op ocl_memory_create;
dev_usm_create_op ocl_usm_create;
dev_memory_part_create_op ocl_memory_part_create;
dev_program_compile_op ocl_program_compile, ocl_program_build;
dev_program_link_op ocl_program_link;
dev_program_load_op ocl_program_load;
dev_queue_create_op ocl_queue_create, ocl_queue_create_profiling;
dev_host_event_create_op ocl_host_event_create;
dev_enqueue_kernel_op ocl_enqueue_kernel;
dev_enqueue_read_op ocl_enqueue_read;
dev_enqueue_write_op ocl_enqueue_write;
dev_enqueue_copy_op ocl_enqueue_copy;
dev_enqueue_fill_op ocl_enqueue_fill;
dev_enqueue_marker_op ocl_enqueue_marker;
dev_enqueue_map_op ocl_enqueue_map;
dev_enqueue_unmap_op ocl_enqueue_unmap;

/* Operations of a program: creates a kernel (ocl_kernel.c); finds a variable and creates a memory
 * object for it (ocl_memory.c). */
rt_status ocl_kernel_create(dev_program *base, rt_text name, dev_kernel **out_kernel);
rt_status ocl_global_find(dev_program *base, rt_text name, dev_memory **out_memory);

/* What programs are built from. */
typedef enum ocl_input {
    OCL_INPUT_IMAGES, /* SPIR-V, by the route that the device's capabilities determine */
    OCL_INPUT_SOURCE, /* OpenCL C */
} ocl_input;

/* Opens a device through the loader at `library_path`; the backends pass the usual name, and tests
 * pass the path of a fake. */
rt_status ocl_device_open(const char *library_path, const dev_open_parameters *parameters,
                          rt_text selector, ocl_input input, dev_device **out_device);

#endif
