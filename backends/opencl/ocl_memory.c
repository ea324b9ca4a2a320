/* Buffers.  OpenCL does not tell which bytes were written, so that all count as defined.
 * Source: OpenCL 3.0 API specification, 5.2. */
#include "backends/opencl/ocl_internal.h"
#include "reference/base/alloc.h"

/* The driver keeps the buffer while enqueued commands use it (clReleaseMemObject). */
static void ocl_memory_destroy(dev_memory *base)
{
    ocl_memory *memory = (ocl_memory *)base;
    memory->device->library.clReleaseMemObject(memory->buffer);
    rt_free(memory);
}

static const dev_memory_ops ocl_memory_ops = {.destroy = ocl_memory_destroy};

rt_status ocl_memory_create(dev_device *base, uint64_t size, rt_text label, dev_memory **out_memory)
{
    (void)label;
    ocl_device *device = (ocl_device *)base;
    cl_int result = CL_SUCCESS;
    cl_mem buffer = device->library.clCreateBuffer(device->context, CL_MEM_READ_WRITE, (size_t)size,
                                                   NULL, &result);
    if (!buffer || result != CL_SUCCESS)
        return ocl_fail(device->sink, OCL_STAGE_MEMORY, "clCreateBuffer", result, (rt_text){0});
    ocl_memory *memory = rt_alloc(sizeof *memory);
    memory->base.ops = &ocl_memory_ops;
    memory->device = device;
    memory->buffer = buffer;
    *out_memory = &memory->base;
    return RT_STATUS_OK;
}
