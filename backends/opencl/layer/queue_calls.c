/* Queues: creation, launches, and waiting. */
#include "backends/opencl/layer/layer_internal.h"
#include "reference/base/alloc.h"

/* A kernel's name is queried from its driver, since there are several ways to create a kernel. */
static layer_record launch_begin(const char *call, cl_command_queue queue, cl_kernel kernel,
                                 cl_uint wait_count, const cl_event *wait, layer_launch *out_launch)
{
    const cl_icd_dispatch *next = layer_next();
    layer_record record = layer_begin_on(call, LAYER_QUEUE, queue);
    layer_put_object(&record, "kernel", LAYER_KERNEL, kernel);
    *out_launch = (layer_launch){0};
    if (record.off) return record;
    char *name = NULL;
    size_t size = 0;
    if (kernel && next->clGetKernelInfo &&
        next->clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, 0, NULL, &size) == CL_SUCCESS &&
        size > 0)
        name = rt_alloc(size + 1);
    if (name &&
        next->clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, size, name, NULL) != CL_SUCCESS)
        *name = '\0';
    layer_put_text(&record, "name", name && *name != '\0' ? name : NULL);
    if (layer_captures())
        layer_capture_before(&record, queue, kernel, name ? name : "", wait_count, wait,
                             out_launch);
    rt_free(name);
    return record;
}

static CL_API_ENTRY cl_int CL_API_CALL
record_clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                              const size_t *offset, const size_t *global, const size_t *local,
                              cl_uint wait_count, const cl_event *wait, cl_event *out_event)
{
    layer_launch launch;
    layer_record record =
        launch_begin("clEnqueueNDRangeKernel", queue, kernel, wait_count, wait, &launch);
    cl_uint shown = dimensions <= 3 ? dimensions : 0; /* the driver refuses any other number */
    layer_put_number(&record, "dimensions", dimensions);
    layer_put_sizes(&record, "global", global, shown);
    layer_put_sizes(&record, "local", local, shown);
    layer_put_sizes(&record, "offset", offset, shown);
    layer_put_number(&record, "waits_for", wait_count);
    layer_record_announce(&record);
    cl_int result = layer_next()->clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global,
                                                         local, wait_count, wait, out_event);
    layer_capture_after(&record, queue, result, &launch);
    return layer_command_end(&record, result, out_event);
}

static CL_API_ENTRY cl_int CL_API_CALL record_clEnqueueTask(cl_command_queue queue,
                                                            cl_kernel kernel, cl_uint wait_count,
                                                            const cl_event *wait,
                                                            cl_event *out_event)
{
    layer_launch launch;
    layer_record record = launch_begin("clEnqueueTask", queue, kernel, wait_count, wait, &launch);
    layer_put_number(&record, "waits_for", wait_count);
    layer_record_announce(&record);
    cl_int result = layer_next()->clEnqueueTask(queue, kernel, wait_count, wait, out_event);
    layer_capture_after(&record, queue, result, &launch);
    return layer_command_end(&record, result, out_event);
}

static CL_API_ENTRY cl_command_queue CL_API_CALL
record_clCreateCommandQueue(cl_context context, cl_device_id device,
                            cl_command_queue_properties properties, cl_int *out_result)
{
    cl_int result = CL_SUCCESS;
    layer_record record = layer_begin_on("clCreateCommandQueue", LAYER_CONTEXT, context);
    layer_put_object(&record, "device", LAYER_DEVICE, device);
    layer_put_number(&record, "properties", properties);
    if (layer_captures()) layer_capture_device(&record, device);
    cl_command_queue object =
        layer_next()->clCreateCommandQueue(context, device, properties, &result);
    return layer_record_end_create(&record, LAYER_QUEUE, object, result, out_result);
}

static CL_API_ENTRY cl_command_queue CL_API_CALL
record_clCreateCommandQueueWithProperties(cl_context context, cl_device_id device,
                                          const cl_queue_properties *properties, cl_int *out_result)
{
    cl_int result = CL_SUCCESS;
    layer_record record =
        layer_begin_on("clCreateCommandQueueWithProperties", LAYER_CONTEXT, context);
    layer_put_object(&record, "device", LAYER_DEVICE, device);
    cl_queue_properties value = 0;
    for (const cl_queue_properties *at = properties; at && *at != 0; at += 2) {
        if (*at != CL_QUEUE_PROPERTIES) continue;
        value = at[1];
        break;
    }
    layer_put_number(&record, "properties", value);
    if (layer_captures()) layer_capture_device(&record, device);
    cl_command_queue object =
        layer_next()->clCreateCommandQueueWithProperties(context, device, properties, &result);
    return layer_record_end_create(&record, LAYER_QUEUE, object, result, out_result);
}

static CL_API_ENTRY cl_int CL_API_CALL record_clFlush(cl_command_queue queue)
{
    layer_record record = layer_begin_on("clFlush", LAYER_QUEUE, queue);
    return layer_record_end(&record, layer_next()->clFlush(queue));
}

static CL_API_ENTRY cl_int CL_API_CALL record_clFinish(cl_command_queue queue)
{
    layer_record record = layer_begin_on("clFinish", LAYER_QUEUE, queue);
    layer_record_announce(&record);
    return layer_record_end(&record, layer_next()->clFinish(queue));
}

static CL_API_ENTRY cl_int CL_API_CALL record_clWaitForEvents(cl_uint count, const cl_event *events)
{
    layer_record record = layer_record_begin("clWaitForEvents");
    layer_put_number(&record, "events", count);
    if (layer_captures())
        layer_put_objects(&record, "wait", LAYER_EVENT, (const void *const *)events, count);
    layer_record_announce(&record);
    return layer_record_end(&record, layer_next()->clWaitForEvents(count, events));
}

static CL_API_ENTRY cl_int CL_API_CALL record_clEnqueueMarkerWithWaitList(cl_command_queue queue,
                                                                          cl_uint wait_count,
                                                                          const cl_event *wait,
                                                                          cl_event *out_event)
{
    layer_record record =
        layer_command_begin("clEnqueueMarkerWithWaitList", queue, wait_count, wait);
    cl_int result = layer_next()->clEnqueueMarkerWithWaitList(queue, wait_count, wait, out_event);
    return layer_command_end(&record, result, out_event);
}

static CL_API_ENTRY cl_int CL_API_CALL record_clEnqueueBarrierWithWaitList(cl_command_queue queue,
                                                                           cl_uint wait_count,
                                                                           const cl_event *wait,
                                                                           cl_event *out_event)
{
    layer_record record =
        layer_command_begin("clEnqueueBarrierWithWaitList", queue, wait_count, wait);
    cl_int result = layer_next()->clEnqueueBarrierWithWaitList(queue, wait_count, wait, out_event);
    return layer_command_end(&record, result, out_event);
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
