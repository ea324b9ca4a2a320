/* Queues, events, and the steps that all commands share.
 *
 * Waiting for an event of another queue is only guaranteed to end if that queue has been flushed,
 * so an enqueue first flushes the queues of the events in its wait list.  An event therefore holds
 * a reference to its queue; a host event, which OpenCL calls a user event, has none.
 *
 * Source: OpenCL 3.0 API specification, 5.1, 5.11, 5.15 ("Flush and Finish"). */
#include "backends/opencl/ocl_internal.h"
#include "reference/base/alloc.h"

typedef struct ocl_event {
    vendor_event base;
    ocl_device *device;
    ocl_queue *queue; /* a reference; NULL: a host event */
    cl_event event;
    atomic_bool is_completed; /* of a host event: by the host */
} ocl_event;

/* The status with which the host fails an event: any negative number (clSetUserEventStatus); this
 * one is not an error of OpenCL's. */
enum { HOST_FAILURE = -10000 };

/* ---- Queue lifetime ----------------------------------------------------------------------- */

static void queue_release(ocl_queue *queue)
{
    unsigned before = atomic_fetch_sub(&queue->references, 1);
    CHECK(before >= 1);
    if (before > 1) return;
    queue->device->library.clReleaseCommandQueue(queue->queue);
    rt_free(queue);
}

/* ---- Events ------------------------------------------------------------------------------- */

static void ocl_event_destroy(dev_event *base)
{
    ocl_event *event = (ocl_event *)base;
    const ocl_library *cl = &event->device->library;
    bool is_open = !event->queue && !atomic_load(&event->is_completed);
    if (is_open) cl->clSetUserEventStatus(event->event, HOST_FAILURE); /* frees its waiters */
    cl->clReleaseEvent(event->event);
    if (event->queue) queue_release(event->queue);
    vendor_event_end(&event->base);
    rt_free(event);
}

/* Queries the execution status of the event's command: CL_COMPLETE, a positive value if it is still
 * pending, or a negative error. */
static cl_int execution_status(const ocl_event *event, cl_int *out_status)
{
    *out_status = CL_QUEUED;
    return event->device->library.clGetEventInfo(event->event, CL_EVENT_COMMAND_EXECUTION_STATUS,
                                                 sizeof *out_status, out_status, NULL);
}

static rt_status event_wait(dev_event *base)
{
    const ocl_event *event = (const ocl_event *)base;
    rt_sink *sink = event->device->sink;
    cl_int waited = event->device->library.clWaitForEvents(1, &event->event);
    cl_int status;
    cl_int result = execution_status(event, &status);
    if (result == CL_SUCCESS && status < 0)
        return ocl_fail(sink, OCL_STAGE_WAIT,
                        !event->queue ? "the host completed an event with an error"
                        : status == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST
                            ? "a command did not run because a command that it waits for failed"
                            : "a command failed while it ran",
                        status, (rt_text){0});
    OCL_TRY(sink, OCL_STAGE_WAIT, "clWaitForEvents", waited);
    OCL_TRY(sink, OCL_STAGE_WAIT, "clGetEventInfo(CL_EVENT_COMMAND_EXECUTION_STATUS)", result);
    return RT_STATUS_OK;
}

static dev_event_state event_state(dev_event *base)
{
    const ocl_event *event = (const ocl_event *)base;
    cl_int status;
    if (execution_status(event, &status) != CL_SUCCESS) return DEV_EVENT_FAILED;
    if (status < 0) return DEV_EVENT_FAILED;
    return status == CL_COMPLETE ? DEV_EVENT_COMPLETE : DEV_EVENT_PENDING;
}

/* An enqueue places the command in its queue, which OpenCL calls QUEUED; that is the time of
 * submission here, since the driver decides when it passes the command on to the device (SUBMIT).
 */
static rt_status ocl_event_times(dev_event *base, dev_times *out_times)
{
    const ocl_event *event = (const ocl_event *)base;
    const struct {
        cl_profiling_info name;
        uint64_t *out;
    } rows[] = {
        {CL_PROFILING_COMMAND_QUEUED, &out_times->submit},
        {CL_PROFILING_COMMAND_START, &out_times->start},
        {CL_PROFILING_COMMAND_END, &out_times->end},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cl_ulong time = 0;
        OCL_TRY(event->device->sink, OCL_STAGE_QUEUE, "clGetEventProfilingInfo",
                event->device->library.clGetEventProfilingInfo(event->event, rows[i].name,
                                                               sizeof time, &time, NULL));
        *rows[i].out = time;
    }
    if (out_times->submit <= out_times->start && out_times->start <= out_times->end)
        return RT_STATUS_OK;
    return rt_fail(event->device->sink, RT_DRIVER_ERROR, RT_RULE_NONE,
                   "the driver reports that a command was queued at %llu, began at %llu and ended "
                   "at %llu; these times are out of order",
                   (unsigned long long)out_times->submit, (unsigned long long)out_times->start,
                   (unsigned long long)out_times->end);
}

static const dev_event_ops ocl_event_ops = {
    .destroy = ocl_event_destroy,
    .wait = vendor_event_wait,
    .state = vendor_event_state,
    .times = ocl_event_times,
};

/* ---- Host events -------------------------------------------------------------------------- */

static rt_status host_event_complete(dev_event *base, bool has_failed)
{
    ocl_event *event = (ocl_event *)base;
    OCL_TRY(event->device->sink, OCL_STAGE_COMPLETE, "clSetUserEventStatus",
            event->device->library.clSetUserEventStatus(event->event,
                                                        has_failed ? HOST_FAILURE : CL_COMPLETE));
    atomic_store(&event->is_completed, true);
    return RT_STATUS_OK;
}

static const dev_event_ops host_event_ops = {
    .destroy = ocl_event_destroy,
    .wait = vendor_event_wait,
    .state = vendor_event_state,
    .complete = host_event_complete,
};

rt_status ocl_host_event_create(dev_device *base, dev_event **out_event)
{
    ocl_device *device = (ocl_device *)base;
    cl_int result = CL_SUCCESS;
    cl_event handle = device->library.clCreateUserEvent(device->context, &result);
    if (!handle || result != CL_SUCCESS)
        return ocl_fail(device->sink, OCL_STAGE_QUEUE, "clCreateUserEvent", result, (rt_text){0});
    ocl_event *event = rt_alloc(sizeof *event);
    vendor_event_begin(&event->base, &host_event_ops, event_wait, event_state);
    event->device = device;
    event->event = handle;
    atomic_init(&event->is_completed, false);
    *out_event = &event->base.base;
    return RT_STATUS_OK;
}

/* ---- Before and after every enqueue ------------------------------------------------------- */

rt_status ocl_waits_make(const ocl_queue *queue, dev_command command, ocl_waits *out_waits)
{
    CHECK_IMPLIES(command.wait_count > 0, command.wait);
    *out_waits = (ocl_waits){.count = command.wait_count};
    if (command.wait_count == 0) return RT_STATUS_OK;
    out_waits->events = rt_alloc_array(command.wait_count, sizeof *out_waits->events);
    const ocl_queue *flushed = queue; /* the queue's own commands need no flush */
    for (uint32_t i = 0; i < command.wait_count; i++) {
        const ocl_event *event = (const ocl_event *)command.wait[i];
        CHECK(event->device == queue->device);
        out_waits->events[i] = event->event;
        if (!event->queue || event->queue == queue || event->queue == flushed) continue;
        CHECK(atomic_load(&event->queue->references) >= 1);
        flushed = event->queue;
        cl_int result = queue->device->library.clFlush(flushed->queue);
        if (result == CL_SUCCESS) continue;
        rt_free(out_waits->events);
        return ocl_fail(queue->device->sink, OCL_STAGE_QUEUE, "clFlush", result, (rt_text){0});
    }
    return RT_STATUS_OK;
}

rt_status ocl_command_finish(ocl_queue *queue, ocl_stage stage, const char *call, cl_int result,
                             cl_event handle, dev_event **out_event)
{
    CHECK(stage == OCL_STAGE_LAUNCH || stage == OCL_STAGE_QUEUE || stage == OCL_STAGE_MAP);
    if (result != CL_SUCCESS || !handle)
        return ocl_fail(queue->device->sink, stage, call, result, (rt_text){0});
    ocl_event *event = rt_alloc(sizeof *event);
    vendor_event_begin(&event->base, &ocl_event_ops, event_wait, event_state);
    event->device = queue->device;
    event->queue = queue;
    event->event = handle;
    unsigned before = atomic_fetch_add(&queue->references, 1);
    CHECK(before >= 1);
    *out_event = &event->base.base;
    return RT_STATUS_OK;
}

/* ---- Queues ------------------------------------------------------------------------------- */

static rt_status ocl_queue_flush(dev_queue *base)
{
    ocl_queue *queue = (ocl_queue *)base;
    OCL_TRY(queue->device->sink, OCL_STAGE_QUEUE, "clFlush",
            queue->device->library.clFlush(queue->queue));
    return RT_STATUS_OK;
}

/* A failure here means that the device is lost; waits for the queue's events report that. */
static void ocl_queue_destroy(dev_queue *base)
{
    ocl_queue *queue = (ocl_queue *)base;
    queue->device->library.clFinish(queue->queue);
    queue_release(queue);
}

static const dev_queue_ops ocl_queue_ops = {
    .destroy = ocl_queue_destroy,
    .enqueue_kernel = ocl_enqueue_kernel,
    .enqueue_read = ocl_enqueue_read,
    .enqueue_write = ocl_enqueue_write,
    .enqueue_copy = ocl_enqueue_copy,
    .enqueue_fill = ocl_enqueue_fill,
    .enqueue_marker = ocl_enqueue_marker,
    .enqueue_map = ocl_enqueue_map,
    .enqueue_unmap = ocl_enqueue_unmap,
    .flush = ocl_queue_flush,
};

static rt_status queue_create(ocl_device *device, cl_queue_properties more, dev_queue **out_queue)
{
    const cl_queue_properties properties[] = {CL_QUEUE_PROPERTIES, device->queue_properties | more,
                                              0};
    cl_int result = CL_SUCCESS;
    cl_command_queue handle = device->library.clCreateCommandQueueWithProperties(
        device->context, device->id, properties, &result);
    if (!handle || result != CL_SUCCESS)
        return ocl_fail(device->sink, OCL_STAGE_QUEUE, "clCreateCommandQueueWithProperties", result,
                        (rt_text){0});
    ocl_queue *queue = rt_alloc(sizeof *queue);
    queue->base.ops = &ocl_queue_ops;
    queue->device = device;
    queue->queue = handle;
    atomic_init(&queue->references, 1);
    *out_queue = &queue->base;
    return RT_STATUS_OK;
}

rt_status ocl_queue_create(dev_device *device, dev_queue **out_queue)
{
    return queue_create((ocl_device *)device, 0, out_queue);
}

rt_status ocl_queue_create_profiling(dev_device *device, dev_queue **out_queue)
{
    return queue_create((ocl_device *)device, CL_QUEUE_PROFILING_ENABLE, out_queue);
}
