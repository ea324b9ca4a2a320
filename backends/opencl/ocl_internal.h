/* The OpenCL adapter's objects, shared by the files of this folder. */
#ifndef BACKENDS_OPENCL_OCL_INTERNAL_H
#define BACKENDS_OPENCL_OCL_INTERNAL_H

#include "backends/opencl/ocl_library.h"
#include "backends/vendor/outcome.h"
#include "reference/device/device.h"

#include <pthread.h>
#include <stdatomic.h>

/* How programs are made (opencl.h). */
typedef enum ocl_route {
    OCL_ROUTE_SPIRV,   /* the driver compiles and links SPIR-V */
    OCL_ROUTE_BITCODE, /* dev_tools link SPIR-V into bitcode, the driver builds it */
    OCL_ROUTE_SOURCE,  /* the driver compiles and links OpenCL C */
} ocl_route;

typedef struct ocl_device {
    dev_device base;
    rt_sink *sink; /* known before base.sink is set */
    ocl_library library;
    ocl_extensions extensions; /* of the platform */
    const dev_tools *tools;
    cl_platform_id platform;
    cl_device_id id;
    cl_context context;
    ocl_route route;
    cl_command_queue_properties queue_properties; /* of every queue */
    dev_capabilities capabilities;
    rt_buffer name; /* texts that the capabilities point to */
    rt_buffer driver;
    const char *link_extension;
} ocl_device;

typedef struct ocl_memory {
    dev_memory base;
    ocl_device *device;
    cl_mem buffer;      /* of a buffer, else NULL */
    char *pointer;      /* of every other kind, else NULL; of a device, never followed here */
    cl_program program; /* of a program's variable, else NULL; borrowed */
    rt_buffer name;     /* of a program's variable */
} ocl_memory;

/* A queue lives until its owner has destroyed it and its last event is gone: a wait for an event
 * in another queue has to flush the queue that it comes from. */
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
    size_t required_local[RT_ND_RANGE_DIMENSIONS]; /* reqd_work_group_size; all 0: free */
    pthread_mutex_t lock; /* from the first clSetKernelArg to the enqueue that takes them */
} ocl_kernel;

/* The format of the images that programs are made from on a route (ocl_program.c). */
rt_format ocl_route_format(ocl_route route);

/* ---- Errors (ocl_error.c) ----------------------------------------------------------------- */

/* What was being done, which decides the class of some results. */
typedef enum ocl_stage {
    OCL_STAGE_OPEN,
    OCL_STAGE_MEMORY,
    OCL_STAGE_READ,    /* handing an image over */
    OCL_STAGE_COMPILE, /* one image */
    OCL_STAGE_LINK,    /* also a build in one step */
    OCL_STAGE_KERNEL,  /* taking a kernel */
    OCL_STAGE_GLOBAL,  /* finding a program's variable */
    OCL_STAGE_BINARY,  /* taking a program out as bytes */
    OCL_STAGE_LAUNCH,
    OCL_STAGE_QUEUE, /* making a queue, other commands */
    OCL_STAGE_WAIT,
    OCL_STAGE_COUNT
} ocl_stage;

/* The name of a result ("CL_INVALID_VALUE"), NULL for one that the table lacks. */
const char *ocl_result_name(cl_int result);

/* The code of a failed call: one that device.h allows at that stage, whatever the driver answered.
 */
rt_code ocl_result_code(ocl_stage stage, cl_int result);

/* Makes a status of a failed call.  CL_SUCCESS is a call that gave nothing although it should
 * have.  `log` (may be empty) is the compiler's. */
RT_MUST_USE rt_status ocl_fail(rt_sink *sink, ocl_stage stage, const char *call, cl_int result,
                               rt_text log);

/* Returns from the calling function with a status when the call did not succeed. */
#define OCL_TRY(sink, stage, call, result)                                                         \
    do {                                                                                           \
        cl_int ocl_try_ = (result);                                                                \
        if (ocl_try_ != CL_SUCCESS)                                                                \
            return ocl_fail((sink), (stage), (call), ocl_try_, (rt_text){0});                      \
    } while (0)

/* Reads the driver's log of a compile, link or build into an empty buffer, without the lines that
 * only tell of progress, and cut where it is long (ocl_log.c).  The caller frees it. */
void ocl_log_read(const ocl_device *device, cl_program program, rt_buffer *out_log);

/* ---- Around every command (ocl_queue.c) --------------------------------------------------- */

/* The driver's events of a wait list; `events` is NULL for an empty one, as OpenCL wants it. */
typedef struct ocl_waits {
    cl_event *events;
    cl_uint count;
} ocl_waits;

/* Prepares a wait list; the caller frees out_waits->events with rt_free, also after a failure. */
RT_MUST_USE rt_status ocl_waits_make(const ocl_queue *queue, dev_command command,
                                     ocl_waits *out_waits);

/* Ends an enqueue: takes the driver's event over on success, makes a status otherwise. */
RT_MUST_USE rt_status ocl_command_finish(ocl_queue *queue, ocl_stage stage, const char *call,
                                         cl_int result, cl_event taken, dev_event **out_event);

/* ---- Operations of the tables, defined in other files than the tables --------------------- */

dev_memory_create_op ocl_memory_create;
dev_usm_create_op ocl_usm_create;
dev_program_compile_op ocl_program_compile, ocl_program_build;
dev_program_link_op ocl_program_link;
dev_program_load_op ocl_program_load;
dev_queue_create_op ocl_queue_create, ocl_queue_create_profiling;
dev_enqueue_kernel_op ocl_enqueue_kernel;
dev_enqueue_read_op ocl_enqueue_read;
dev_enqueue_write_op ocl_enqueue_write;
dev_enqueue_copy_op ocl_enqueue_copy;
dev_enqueue_fill_op ocl_enqueue_fill;

/* Takes a kernel of an executable program by name (ocl_kernel.c). */
rt_status ocl_kernel_take(ocl_device *device, cl_program program, rt_text name,
                          dev_kernel **out_kernel);

/* Makes a memory for a program's variable (ocl_memory.c). */
rt_status ocl_global_take(ocl_device *device, cl_program program, rt_text name,
                          dev_memory **out_memory);

/* What programs are made from. */
typedef enum ocl_input {
    OCL_INPUT_IMAGES, /* SPIR-V, by the route that the device's answers decide */
    OCL_INPUT_SOURCE, /* OpenCL C */
} ocl_input;

/* Opens a device through the loader at `library_path`; the backends give the usual name, tests give
 * a fake. */
rt_status ocl_device_open(const char *library_path, const dev_open_parameters *parameters,
                          rt_text selector, ocl_input input, dev_device **out_device);

#endif
