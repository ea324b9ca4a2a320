/* Mappings of buffers.  The driver does not report which bytes the host has written, so all bytes
 * count as defined.
 *
 * Source: OpenCL 3.0 API specification, 5.2.4 "Mapping Buffer Objects", 5.5.2 "Unmapping Mapped
 * Memory Objects". */
#include "backends/opencl/ocl_internal.h"
#include "reference/base/alloc.h"

static const cl_map_flags flags_of[DEV_MAP_ACCESSES] = {
    [DEV_MAP_READ] = CL_MAP_READ,
    [DEV_MAP_WRITE] = CL_MAP_WRITE,
    [DEV_MAP_READ_WRITE] = CL_MAP_READ | CL_MAP_WRITE,
    [DEV_MAP_WRITE_INVALIDATE] = CL_MAP_WRITE_INVALIDATE_REGION,
};

rt_status ocl_enqueue_map(dev_queue *base, dev_command command, dev_memory *memory, dev_map map,
                          dev_mapping **out_mapping, dev_event **out_event)
{
    ocl_queue *queue = (ocl_queue *)base;
    const ocl_library *cl = &queue->device->library;
    CHECK(((const ocl_memory *)memory)->buffer != NULL);
    ocl_waits waits;
    RT_TRY(ocl_waits_make(queue, command, &waits));
    cl_int result = CL_SUCCESS;
    cl_event event = NULL;
    void *bytes = cl->clEnqueueMapBuffer(
        queue->queue, ((const ocl_memory *)memory)->buffer, map.is_blocking, flags_of[map.access],
        (size_t)map.offset, (size_t)map.size, waits.count, waits.events, &event, &result);
    rt_free(waits.events);
    if (result == CL_SUCCESS && !bytes) {
        result = CL_MAP_FAILURE;
        if (event) cl->clReleaseEvent(event);
    }
    RT_TRY(
        ocl_command_finish(queue, OCL_STAGE_MAP, "clEnqueueMapBuffer", result, event, out_event));
    *out_mapping = rt_alloc(sizeof **out_mapping);
    (*out_mapping)->bytes = bytes;
    return RT_STATUS_OK;
}

rt_status ocl_enqueue_unmap(dev_queue *base, dev_command command, dev_mapping *mapping,
                            dev_event **out_event)
{
    ocl_queue *queue = (ocl_queue *)base;
    cl_mem buffer = ((const ocl_memory *)mapping->memory)->buffer;
    void *bytes = mapping->bytes;
    rt_free(mapping);
    ocl_waits waits;
    RT_TRY(ocl_waits_make(queue, command, &waits));
    cl_event event = NULL;
    cl_int result = queue->device->library.clEnqueueUnmapMemObject(
        queue->queue, buffer, bytes, waits.count, waits.events, &event);
    rt_free(waits.events);
    return ocl_command_finish(queue, OCL_STAGE_QUEUE, "clEnqueueUnmapMemObject", result, event,
                              out_event);
}
