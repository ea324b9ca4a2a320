/* The OpenCL adapter's objects, shared by the files of this folder. */
#ifndef BACKENDS_OPENCL_OCL_INTERNAL_H
#define BACKENDS_OPENCL_OCL_INTERNAL_H

#include "backends/opencl/ocl_library.h"
#include "reference/device/device.h"

#include <pthread.h>
#include <stdatomic.h>

/* How programs are made (opencl.h). */
typedef enum ocl_route {
    OCL_ROUTE_SPIRV,   /* the driver compiles and links SPIR-V */
    OCL_ROUTE_BITCODE, /* dev_tools link SPIR-V into bitcode, the driver builds it */
} ocl_route;

typedef struct ocl_device {
    dev_device base;
    rt_sink *sink; /* known before base.sink is set */
    ocl_library library;
    const dev_tools *tools;
    cl_platform_id platform;
    cl_device_id id;
    cl_context context;
    ocl_route route;
    cl_command_queue_properties queue_properties; /* of every queue */
    dev_capabilities capabilities;
    rt_buffer name; /* texts that the capabilities point to */
    rt_buffer driver;
} ocl_device;

typedef struct ocl_memory {
    dev_memory base;
    ocl_device *device;
    cl_mem buffer;
} ocl_memory;

/* A queue lives until its owner has destroyed it and its last event is gone: who waits for an event
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

/* ---- Errors (ocl_error.c) ----------------------------------------------------------------- */

/* What was being done, which decides the class of some results. */
typedef enum ocl_stage {
    OCL_STAGE_OPEN,
    OCL_STAGE_MEMORY,
    OCL_STAGE_READ,    /* handing an image over */
    OCL_STAGE_COMPILE, /* one image */
    OCL_STAGE_LINK,    /* also a build in one step */
    OCL_STAGE_KERNEL,  /* taking a kernel */
    OCL_STAGE_LAUNCH,
    OCL_STAGE_QUEUE, /* making a queue, other commands */
    OCL_STAGE_WAIT,
    OCL_STAGE_COUNT
} ocl_stage;

/* The name of a result ("CL_INVALID_VALUE"), NULL for one that the table lacks. */
const char *ocl_result_name(cl_int result);

/* Makes a status of a failed call.  The code is one that device.h allows at that stage, whatever
 * the driver answered; CL_SUCCESS is a call that gave nothing although it should have.  `log` (may
 * be empty) is the compiler's. */
RT_MUST_USE rt_status ocl_fail(rt_sink *sink, ocl_stage stage, const char *call, cl_int result,
                               rt_text log);

/* Returns from the calling function with a status when the call did not succeed. */
#define OCL_TRY(sink, stage, call, result)                                                         \
    do {                                                                                           \
        cl_int ocl_try_ = (result);                                                                \
        if (ocl_try_ != CL_SUCCESS)                                                                \
            return ocl_fail((sink), (stage), (call), ocl_try_, (rt_text){0});                      \
    } while (0)

/* ---- Create operations of the device's table ---------------------------------------------- */

rt_status ocl_memory_create(dev_device *device, uint64_t size, rt_text label,
                            dev_memory **out_memory);
rt_status ocl_program_compile(dev_device *device, rt_format format, rt_bytes code, rt_text options,
                              dev_program **out_program);
rt_status ocl_program_link(dev_device *device, dev_program *const *programs, uint32_t count,
                           rt_text options, dev_program **out_program);
rt_status ocl_program_build(dev_device *device, rt_format format, rt_bytes code, rt_text options,
                            dev_program **out_program);
rt_status ocl_queue_create(dev_device *device, dev_queue **out_queue);

/* Opens a device through the loader at `library_path`; ocl_backend gives the usual name, tests give
 * a fake. */
rt_status ocl_device_open(const char *library_path, const dev_open_parameters *parameters,
                          rt_text selector, dev_device **out_device);

#endif
