/* Kernels and launches.  A driver's kernel holds the arguments of its next launch, so the arguments
 * are set and the launch is enqueued in one step, under the kernel's lock.
 *
 * Source: OpenCL 3.0 API specification, 5.9 and 5.10; cl_intel_unified_shared_memory. */
#include "backends/opencl/ocl_internal.h"
#include "backends/vendor/argument.h"
#include "backends/vendor/validate.h"
#include "reference/base/alloc.h"

/* ---- Kernels ------------------------------------------------------------------------------ */

/* The driver's kernel stays alive while enqueued launches use it (clReleaseKernel), and keeps its
 * program alive. */
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

/* Permits the kernel to follow pointers that it finds in memory: which ones it follows is unknown
 * until it runs. */
static rt_status kernel_permit_pointers(const ocl_device *device, cl_kernel handle)
{
    static const struct {
        cl_kernel_exec_info info;
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
                device->library.clSetKernelExecInfo(handle, permissions[i].info, sizeof yes, &yes));
    return RT_STATUS_OK;
}

rt_status ocl_kernel_create(dev_program *base, rt_text name, dev_kernel **out_kernel)
{
    const ocl_program *program = (const ocl_program *)base;
    ocl_device *device = program->device;
    const ocl_library *cl = &device->library;
    CHECK(program->program != NULL);
    RT_TRY(vendor_name_validate(device->sink, "a kernel", "OpenCL", name));
    rt_buffer terminated = {0};
    rt_buffer_append_text(&terminated, name);
    cl_int result = CL_SUCCESS;
    cl_kernel handle = cl->clCreateKernel(program->program, rt_buffer_string(&terminated), &result);
    rt_buffer_free(&terminated);
    if ((!handle || result != CL_SUCCESS) && result == CL_INVALID_KERNEL_NAME)
        return rt_fail_naming(device->sink, RT_ERRC_INVALID, RT_RULE_NONE, &name, 1,
                              "clCreateKernel: the program has no kernel '%.*s' "
                              "(CL_INVALID_KERNEL_NAME)",
                              RT_TEXT_ARG(name));
    if (!handle || result != CL_SUCCESS)
        return ocl_fail(device->sink, OCL_STAGE_KERNEL, "clCreateKernel", result, (rt_text){0});
    /* The kernel's parameters and required work-group size. */
    const char *call = "clGetKernelInfo(CL_KERNEL_NUM_ARGS)";
    ocl_kernel *kernel = rt_alloc(sizeof *kernel);
    result = cl->clGetKernelInfo(handle, CL_KERNEL_NUM_ARGS, sizeof(cl_uint),
                                 &kernel->argument_count, NULL);
    if (result == CL_SUCCESS) {
        call = "clGetKernelWorkGroupInfo(CL_KERNEL_COMPILE_WORK_GROUP_SIZE)";
        result = cl->clGetKernelWorkGroupInfo(handle, device->id, CL_KERNEL_COMPILE_WORK_GROUP_SIZE,
                                              sizeof kernel->required_local, kernel->required_local,
                                              NULL);
    }
    rt_status status = RT_STATUS_OK;
    if (result != CL_SUCCESS)
        status = ocl_fail(device->sink, OCL_STAGE_KERNEL, call, result, (rt_text){0});
    if (rt_ok(status)) status = kernel_permit_pointers(device, handle);
    if (!rt_ok(status)) {
        cl->clReleaseKernel(handle);
        rt_free(kernel);
        return status;
    }
    kernel->base.ops = &ocl_kernel_ops;
    kernel->device = device;
    kernel->kernel = handle;
    pthread_mutex_init(&kernel->lock, NULL);
    *out_kernel = &kernel->base;
    return RT_STATUS_OK;
}

/* ---- Launches ----------------------------------------------------------------------------- */

static rt_status arguments_set(const ocl_kernel *kernel, const dev_argument *arguments,
                               uint32_t count)
{
    const ocl_device *device = kernel->device;
    for (uint32_t i = 0; i < count; i++) {
        const dev_argument *argument = &arguments[i];
        const ocl_memory *memory = (const ocl_memory *)argument->memory;
        const char *call = "clSetKernelArg";
        cl_mem buffer = NULL;
        const void *value = NULL; /* NULL for the null pointer and for local memory */
        size_t size = 0;
        switch (argument->kind) {
        case DEV_ARGUMENT_MEMORY:
            CHECK_IMPLIES(memory != NULL, memory->base.kind == DEV_MEMORY_BUFFER);
            if (memory) buffer = memory->buffer;
            size = sizeof buffer;
            if (buffer) value = &buffer;
            break;
        case DEV_ARGUMENT_POINTER:
            CHECK(argument->offset <= memory->base.size);
            call = "clSetKernelArgMemPointerINTEL";
            value = memory->pointer + argument->offset;
            break;
        case DEV_ARGUMENT_BYTES:
            size = argument->bytes.size;
            value = argument->bytes.data;
            break;
        case DEV_ARGUMENT_LOCAL: size = (size_t)argument->size; break;
        case DEV_ARGUMENT_KINDS: UNREACHABLE();
        }
        cl_int result =
            argument->kind == DEV_ARGUMENT_POINTER
                ? device->extensions.clSetKernelArgMemPointerINTEL(kernel->kernel, i, value)
                : device->library.clSetKernelArg(kernel->kernel, i, size, value);
        if (result != CL_SUCCESS)
            return vendor_argument_refuse(device->sink, &ocl_results, OCL_STAGE_LAUNCH, call,
                                          (int)result, i, count, argument);
    }
    return RT_STATUS_OK;
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
    size_t global[RT_ND_RANGE_DIMENSIONS], local[RT_ND_RANGE_DIMENSIONS];
    size_t offset[RT_ND_RANGE_DIMENSIONS];
    bool is_open = range->local[0] == 0;
    for (uint32_t d = 0; d < RT_ND_RANGE_DIMENSIONS; d++) {
        global[d] = (size_t)range->global[d];
        /* If the kernel requires a work-group size, drivers refuse a launch that does not specify
         * one. */
        local[d] = is_open ? kernel->required_local[d] : (size_t)range->local[d];
        offset[d] = (size_t)range->offset[d];
    }
    ocl_waits waits;
    RT_TRY(ocl_waits_make(queue, command, &waits));
    pthread_mutex_lock(&kernel->lock);
    rt_status status = arguments_set(kernel, arguments, argument_count);
    bool is_marker = dev_nd_range_is_empty(range) && !queue->device->empty_ranges;
    if (rt_ok(status) && is_marker) {
        status = ocl_enqueue_marker(base, command, (dev_marker){0}, out_event);
    } else if (rt_ok(status)) {
        cl_event handle = NULL;
        cl_int result = queue->device->library.clEnqueueNDRangeKernel(
            queue->queue, kernel->kernel, range->dimensions, offset, global,
            local[0] != 0 ? local : NULL, waits.count, waits.events, &handle);
        status = ocl_command_finish(queue, OCL_STAGE_LAUNCH, "clEnqueueNDRangeKernel", result,
                                    handle, out_event);
    }
    pthread_mutex_unlock(&kernel->lock);
    rt_free(waits.events);
    return status;
}
