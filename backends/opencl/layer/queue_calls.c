/* Queues: creation, launches, and waiting. */
#include "backends/opencl/layer/layer_internal.h"
#include "reference/base/alloc.h"

/* Queries a kernel's name from its driver, since there are several ways to create a kernel; the
 * caller frees the buffer. */
static rt_buffer kernel_name(cl_kernel kernel)
{
    rt_buffer name = {0};
    size_t size = 0;
    if (!kernel || !layer_next()->clGetKernelInfo) return name;
    if (layer_next()->clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, 0, NULL, &size) !=
            CL_SUCCESS ||
        size == 0)
        return name;
    char *text = rt_alloc(size + 1);
    cl_int result =
        layer_next()->clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, size, text, NULL);
    if (result == CL_SUCCESS) rt_buffer_printf(&name, "%s", text);
    rt_free(text);
    return name;
}

static layer_record launch_begin(const char *call, cl_command_queue queue, cl_kernel kernel)
{
    layer_record record = layer_record_begin(call);
    layer_put_object(&record, "queue", LAYER_QUEUE, queue);
    layer_put_object(&record, "kernel", LAYER_KERNEL, kernel);
    rt_buffer name = record.off ? (rt_buffer){0} : kernel_name(kernel);
    layer_put_text(&record, "name", name.size > 0 ? rt_buffer_string(&name) : NULL);
    rt_buffer_free(&name);
    return record;
}

static CL_API_ENTRY cl_int CL_API_CALL
record_clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                              const size_t *offset, const size_t *global, const size_t *local,
                              cl_uint wait_count, const cl_event *wait, cl_event *out_event)
{
    layer_record record = launch_begin("clEnqueueNDRangeKernel", queue, kernel);
    cl_uint shown = dimensions <= 3 ? dimensions : 0; /* the driver refuses any other number */
    layer_put_number(&record, "dimensions", dimensions);
    layer_put_sizes(&record, "global", global, shown);
    layer_put_sizes(&record, "local", local, shown);
    layer_put_sizes(&record, "offset", offset, shown);
    layer_put_number(&record, "waits_for", wait_count);
    layer_record_announce(&record);
    return layer_record_end(
        &record, layer_next()->clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global,
                                                      local, wait_count, wait, out_event));
}

static CL_API_ENTRY cl_int CL_API_CALL record_clEnqueueTask(cl_command_queue queue,
                                                            cl_kernel kernel, cl_uint wait_count,
                                                            const cl_event *wait,
                                                            cl_event *out_event)
{
    layer_record record = launch_begin("clEnqueueTask", queue, kernel);
    layer_put_number(&record, "waits_for", wait_count);
    layer_record_announce(&record);
    return layer_record_end(
        &record, layer_next()->clEnqueueTask(queue, kernel, wait_count, wait, out_event));
}

static CL_API_ENTRY cl_command_queue CL_API_CALL
record_clCreateCommandQueue(cl_context context, cl_device_id device,
                            cl_command_queue_properties properties, cl_int *out_result)
{
    cl_int result = CL_SUCCESS;
    layer_record record = layer_record_begin("clCreateCommandQueue");
    layer_put_object(&record, "context", LAYER_CONTEXT, context);
    layer_put_object(&record, "device", LAYER_DEVICE, device);
    layer_put_number(&record, "properties", properties);
    cl_command_queue made =
        layer_next()->clCreateCommandQueue(context, device, properties, &result);
    layer_record_end_made(&record, LAYER_QUEUE, made, result);
    if (out_result) *out_result = result;
    return made;
}

/* Returns the value of CL_QUEUE_PROPERTIES in a list, which ends with 0. */
static cl_queue_properties queue_properties(const cl_queue_properties *list)
{
    for (; list && *list != 0; list += 2)
        if (*list == CL_QUEUE_PROPERTIES) return list[1];
    return 0;
}

static CL_API_ENTRY cl_command_queue CL_API_CALL
record_clCreateCommandQueueWithProperties(cl_context context, cl_device_id device,
                                          const cl_queue_properties *properties, cl_int *out_result)
{
    cl_int result = CL_SUCCESS;
    layer_record record = layer_record_begin("clCreateCommandQueueWithProperties");
    layer_put_object(&record, "context", LAYER_CONTEXT, context);
    layer_put_object(&record, "device", LAYER_DEVICE, device);
    layer_put_number(&record, "properties", queue_properties(properties));
    cl_command_queue made =
        layer_next()->clCreateCommandQueueWithProperties(context, device, properties, &result);
    layer_record_end_made(&record, LAYER_QUEUE, made, result);
    if (out_result) *out_result = result;
    return made;
}

static CL_API_ENTRY cl_int CL_API_CALL record_clFlush(cl_command_queue queue)
{
    layer_record record = layer_record_begin("clFlush");
    layer_put_object(&record, "queue", LAYER_QUEUE, queue);
    return layer_record_end(&record, layer_next()->clFlush(queue));
}

static CL_API_ENTRY cl_int CL_API_CALL record_clFinish(cl_command_queue queue)
{
    layer_record record = layer_record_begin("clFinish");
    layer_put_object(&record, "queue", LAYER_QUEUE, queue);
    layer_record_announce(&record);
    return layer_record_end(&record, layer_next()->clFinish(queue));
}

static CL_API_ENTRY cl_int CL_API_CALL record_clWaitForEvents(cl_uint count, const cl_event *events)
{
    layer_record record = layer_record_begin("clWaitForEvents");
    layer_put_number(&record, "events", count);
    layer_record_announce(&record);
    return layer_record_end(&record, layer_next()->clWaitForEvents(count, events));
}

static CL_API_ENTRY cl_int CL_API_CALL record_clEnqueueMarkerWithWaitList(cl_command_queue queue,
                                                                          cl_uint wait_count,
                                                                          const cl_event *wait,
                                                                          cl_event *out_event)
{
    layer_record record = layer_command_begin("clEnqueueMarkerWithWaitList", queue, wait_count);
    return layer_record_end(
        &record, layer_next()->clEnqueueMarkerWithWaitList(queue, wait_count, wait, out_event));
}

static CL_API_ENTRY cl_int CL_API_CALL record_clEnqueueBarrierWithWaitList(cl_command_queue queue,
                                                                           cl_uint wait_count,
                                                                           const cl_event *wait,
                                                                           cl_event *out_event)
{
    layer_record record = layer_command_begin("clEnqueueBarrierWithWaitList", queue, wait_count);
    return layer_record_end(
        &record, layer_next()->clEnqueueBarrierWithWaitList(queue, wait_count, wait, out_event));
}

void layer_queue_calls(cl_icd_dispatch *dispatch)
{
    LAYER_RECORD(dispatch, clEnqueueNDRangeKernel);
    LAYER_RECORD(dispatch, clEnqueueTask);
    LAYER_RECORD(dispatch, clCreateCommandQueue);
    LAYER_RECORD(dispatch, clCreateCommandQueueWithProperties);
    LAYER_RECORD(dispatch, clFlush);
    LAYER_RECORD(dispatch, clFinish);
    LAYER_RECORD(dispatch, clWaitForEvents);
    LAYER_RECORD(dispatch, clEnqueueMarkerWithWaitList);
    LAYER_RECORD(dispatch, clEnqueueBarrierWithWaitList);
}
