/* Kernels and launches.  A driver's kernel holds the arguments of its next launch, so setting them
 * and enqueuing is one step under the kernel's lock.
 *
 * Source: OpenCL 3.0 API specification, 5.9 and 5.10; cl_intel_unified_shared_memory. */
#include "backends/opencl/ocl_internal.h"
#include "backends/vendor/argument.h"
#include "backends/vendor/validate.h"
#include "reference/base/alloc.h"

/* ---- Kernels ------------------------------------------------------------------------------ */

/* Enqueued launches keep the driver's kernel (clReleaseKernel), and it keeps its program. */
static void ocl_kernel_destroy(dev_kernel *base)
{
    ocl_kernel *kernel = (ocl_kernel *)base;
    kernel->device->library.clReleaseKernel(kernel->kernel);
    pthread_mutex_destroy(&kernel->lock);
    rt_free(kernel);
}

static uint32_t ocl_kernel_argument_count(dev_kernel *kernel)
{
    return ((const ocl_kernel *)kernel)->argument_count;
}

static const dev_kernel_ops ocl_kernel_ops = {
    .destroy = ocl_kernel_destroy,
    .argument_count = ocl_kernel_argument_count,
};

/* Creates the driver's kernel with that name. */
static rt_status kernel_find(const ocl_device *device, cl_program program, rt_text name,
                             cl_kernel *out_kernel)
{
    *out_kernel = NULL;
    RT_TRY(vendor_name_validate(device->sink, "a kernel", "OpenCL", name));
    rt_buffer terminated = {0};
    rt_buffer_append_text(&terminated, name);
    cl_int result = CL_SUCCESS;
    *out_kernel = device->library.clCreateKernel(program, rt_buffer_string(&terminated), &result);
    rt_buffer_free(&terminated);
    if (*out_kernel && result == CL_SUCCESS) return RT_STATUS_OK;
    if (result == CL_INVALID_KERNEL_NAME)
        return rt_fail_naming(device->sink, RT_ERRC_INVALID, RT_RULE_NONE, &name, 1,
                              "clCreateKernel: the program has no kernel '%.*s' (%s)",
                              RT_TEXT_ARG(name), ocl_result_name(result));
    return ocl_fail(device->sink, OCL_STAGE_KERNEL, "clCreateKernel", result, (rt_text){0});
}

/* Queries the kernel's parameters and required work-group size from the driver. */
static rt_status kernel_ask(const ocl_device *device, cl_kernel taken, ocl_kernel *out_kernel)
{
    const ocl_library *cl = &device->library;
    cl_int result = cl->clGetKernelInfo(taken, CL_KERNEL_NUM_ARGS, sizeof(cl_uint),
                                        &out_kernel->argument_count, NULL);
    OCL_TRY(device->sink, OCL_STAGE_KERNEL, "clGetKernelInfo(CL_KERNEL_NUM_ARGS)", result);
    result = cl->clGetKernelWorkGroupInfo(taken, device->id, CL_KERNEL_COMPILE_WORK_GROUP_SIZE,
                                          sizeof out_kernel->required_local,
                                          out_kernel->required_local, NULL);
    OCL_TRY(device->sink, OCL_STAGE_KERNEL,
            "clGetKernelWorkGroupInfo(CL_KERNEL_COMPILE_WORK_GROUP_SIZE)", result);
    return RT_STATUS_OK;
}

/* Permits the kernel to follow pointers that it finds in memory: which ones it follows is unknown
 * until it runs. */
static rt_status kernel_permit_pointers(const ocl_device *device, cl_kernel taken)
{
    static const struct {
        cl_kernel_exec_info what;
        const char *call;
    } permissions[] = {
        {CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL,
         "clSetKernelExecInfo(CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL)"},
        {CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL,
         "clSetKernelExecInfo(CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL)"},
        {CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL,
         "clSetKernelExecInfo(CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL)"},
    };
    if (!device->capabilities.usm) return RT_STATUS_OK;
    const cl_bool yes = CL_TRUE;
    for (size_t i = 0; i < sizeof permissions / sizeof *permissions; i++)
        OCL_TRY(device->sink, OCL_STAGE_KERNEL, permissions[i].call,
                device->library.clSetKernelExecInfo(taken, permissions[i].what, sizeof yes, &yes));
    return RT_STATUS_OK;
}

rt_status ocl_kernel_take(ocl_device *device, cl_program program, rt_text name,
                          dev_kernel **out_kernel)
{
    CHECK(program != NULL);
    cl_kernel taken;
    RT_TRY(kernel_find(device, program, name, &taken));
    ocl_kernel *kernel = rt_alloc(sizeof *kernel);
    rt_status status = kernel_ask(device, taken, kernel);
    if (rt_ok(status)) status = kernel_permit_pointers(device, taken);
    if (!rt_ok(status)) {
        device->library.clReleaseKernel(taken);
        rt_free(kernel);
        return status;
    }
    kernel->base.ops = &ocl_kernel_ops;
    kernel->device = device;
    kernel->kernel = taken;
    pthread_mutex_init(&kernel->lock, NULL);
    *out_kernel = &kernel->base;
    return RT_STATUS_OK;
}

/* ---- Arguments ---------------------------------------------------------------------------- */

/* Sets one argument; *out_call is the name of the OpenCL call used. */
static cl_int argument_set(const ocl_kernel *kernel, cl_uint index, const dev_argument *argument,
                           const char **out_call)
{
    const ocl_device *device = kernel->device;
    const ocl_memory *memory = (const ocl_memory *)argument->memory;
    *out_call = "clSetKernelArg";
    switch (argument->kind) {
    case DEV_ARGUMENT_MEMORY: {
        cl_mem buffer = memory ? memory->buffer : NULL;
        return device->library.clSetKernelArg(kernel->kernel, index, sizeof buffer,
                                              buffer ? &buffer : NULL);
    }
    case DEV_ARGUMENT_POINTER:
        *out_call = "clSetKernelArgMemPointerINTEL";
        return device->extensions.clSetKernelArgMemPointerINTEL(kernel->kernel, index,
                                                                memory->pointer + argument->offset);
    case DEV_ARGUMENT_BYTES:
        return device->library.clSetKernelArg(kernel->kernel, index, argument->bytes.size,
                                              argument->bytes.data);
    case DEV_ARGUMENT_LOCAL:
        return device->library.clSetKernelArg(kernel->kernel, index, (size_t)argument->size, NULL);
    case DEV_ARGUMENT_KINDS: break;
    }
    UNREACHABLE();
}

static rt_status argument_fail(const ocl_kernel *kernel, cl_uint index,
                               const dev_argument *argument, const char *call, cl_int result)
{
    rt_buffer said = {0};
    const char *name = ocl_result_name(result);
    rt_buffer_printf(&said, "%s: %s (%d)", call,
                     name ? name : "a result that OpenCL 3.0 does not name", (int)result);
    rt_status status =
        vendor_argument_refuse(kernel->device->sink, ocl_result_code(OCL_STAGE_LAUNCH, result),
                               index, kernel->argument_count, argument, rt_buffer_text(&said));
    rt_buffer_free(&said);
    return status;
}

static rt_status arguments_set(const ocl_kernel *kernel, const dev_argument *arguments,
                               uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const char *call;
        cl_int result = argument_set(kernel, i, &arguments[i], &call);
        if (result != CL_SUCCESS) return argument_fail(kernel, i, &arguments[i], call, result);
    }
    return RT_STATUS_OK;
}

/* ---- Launches ----------------------------------------------------------------------------- */

/* Sets the arguments and enqueues the launch; the caller holds the kernel's lock. */
static rt_status launch(ocl_queue *queue, ocl_waits waits, const ocl_kernel *kernel,
                        const dev_nd_range *range, const dev_argument *arguments,
                        uint32_t argument_count, dev_event **out_event)
{
    RT_TRY(arguments_set(kernel, arguments, argument_count));
    size_t global[RT_ND_RANGE_DIMENSIONS], local[RT_ND_RANGE_DIMENSIONS];
    size_t offset[RT_ND_RANGE_DIMENSIONS];
    bool is_open = range->local[0] == 0;
    for (uint32_t d = 0; d < RT_ND_RANGE_DIMENSIONS; d++) {
        global[d] = (size_t)range->global[d];
        /* Drivers refuse a launch that leaves the work-group size open if the kernel requires one.
         */
        local[d] = is_open ? kernel->required_local[d] : (size_t)range->local[d];
        offset[d] = (size_t)range->offset[d];
    }
    cl_event taken = NULL;
    cl_int result = queue->device->library.clEnqueueNDRangeKernel(
        queue->queue, kernel->kernel, range->dimensions, offset, global,
        local[0] != 0 ? local : NULL, waits.count, waits.events, &taken);
    return ocl_command_finish(queue, OCL_STAGE_LAUNCH, "clEnqueueNDRangeKernel", result, taken,
                              out_event);
}

rt_status ocl_enqueue_kernel(dev_queue *base, dev_command command, dev_kernel *kernel_base,
                             const dev_nd_range *range, const dev_argument *arguments,
                             uint32_t argument_count, dev_event **out_event)
{
    ocl_queue *queue = (ocl_queue *)base;
    ocl_kernel *kernel = (ocl_kernel *)kernel_base;
    rt_sink *sink = queue->device->sink;
    RT_TRY(dev_argument_count_validate(sink, kernel->argument_count, argument_count));
    RT_TRY(dev_nd_range_validate(sink, range, queue->device->capabilities.group_size_max));
    ocl_waits waits;
    rt_status status = ocl_waits_make(queue, command, &waits);
    if (rt_ok(status)) {
        pthread_mutex_lock(&kernel->lock);
        status = launch(queue, waits, kernel, range, arguments, argument_count, out_event);
        pthread_mutex_unlock(&kernel->lock);
    }
    rt_free(waits.events);
    return status;
}
