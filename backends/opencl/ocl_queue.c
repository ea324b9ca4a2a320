/* Queues, commands and events.
 *
 * Waiting for an event of another queue is only promised to end when that queue was flushed, so an
 * enqueue first flushes the queues of the events that it names.  An event therefore holds its
 * queue.  What a wait found is kept: a driver that lost its device answers differently each time.
 * Source: OpenCL 3.0 API specification, 5.2.2 to 5.2.4, 5.10, 5.11, 5.15 ("Flush and Finish"). */
#include "backends/opencl/ocl_internal.h"
#include "reference/base/alloc.h"

typedef struct ocl_event {
    dev_event base;
    ocl_device *device;
    ocl_queue *queue; /* a reference */
    cl_event event;
    pthread_mutex_t lock; /* of the two below */
    bool waited;          /* a wait has returned: */
    rt_status outcome;    /* this */
} ocl_event;

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
    event->device->library.clReleaseEvent(event->event);
    queue_release(event->queue);
    pthread_mutex_destroy(&event->lock);
    rt_free(event);
}

/* The execution status of the driver's command: CL_COMPLETE, a positive state, or an error. */
static cl_int execution_status(const ocl_event *event, cl_int *out_status)
{
    *out_status = CL_QUEUED;
    return event->device->library.clGetEventInfo(event->event, CL_EVENT_COMMAND_EXECUTION_STATUS,
                                                 sizeof *out_status, out_status, NULL);
}

static rt_status event_wait(const ocl_event *event)
{
    rt_sink *sink = event->device->sink;
    cl_int waited = event->device->library.clWaitForEvents(1, &event->event);
    cl_int status;
    cl_int asked = execution_status(event, &status);
    if (asked == CL_SUCCESS && status < 0)
        return ocl_fail(sink, OCL_STAGE_WAIT,
                        status == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST
                            ? "a command did not run, because one that it waits for failed"
                            : "a command failed while it ran",
                        status, (rt_text){0});
    OCL_TRY(sink, OCL_STAGE_WAIT, "clWaitForEvents", waited);
    OCL_TRY(sink, OCL_STAGE_WAIT, "clGetEventInfo(CL_EVENT_COMMAND_EXECUTION_STATUS)", asked);
    return RT_STATUS_OK;
}

static rt_status ocl_event_wait(dev_event *base)
{
    ocl_event *event = (ocl_event *)base;
    pthread_mutex_lock(&event->lock);
    if (!event->waited) {
        event->outcome = event_wait(event);
        event->waited = true;
    }
    rt_status outcome = event->outcome;
    pthread_mutex_unlock(&event->lock);
    return outcome;
}

/* A look must not wait, not even for the lock of one who does. */
static dev_event_state ocl_event_state(dev_event *base)
{
    ocl_event *event = (ocl_event *)base;
    bool known = false;
    rt_status outcome = RT_STATUS_OK;
    if (pthread_mutex_trylock(&event->lock) == 0) {
        known = event->waited;
        outcome = event->outcome;
        pthread_mutex_unlock(&event->lock);
    }
    if (known) return rt_ok(outcome) ? DEV_EVENT_COMPLETE : DEV_EVENT_FAILED;
    cl_int status;
    if (execution_status(event, &status) != CL_SUCCESS) return DEV_EVENT_FAILED;
    if (status < 0) return DEV_EVENT_FAILED;
    return status == CL_COMPLETE ? DEV_EVENT_COMPLETE : DEV_EVENT_PENDING;
}

static const dev_event_ops ocl_event_ops = {
    .destroy = ocl_event_destroy,
    .wait = ocl_event_wait,
    .state = ocl_event_state,
};

/* Takes the driver's event over. */
static dev_event *event_wrap(ocl_queue *queue, cl_event taken)
{
    ocl_event *event = rt_alloc(sizeof *event);
    event->base.ops = &ocl_event_ops;
    event->device = queue->device;
    event->queue = queue;
    event->event = taken;
    pthread_mutex_init(&event->lock, NULL);
    unsigned before = atomic_fetch_add(&queue->references, 1);
    CHECK(before >= 1);
    return &event->base;
}

/* ---- Around every enqueue ----------------------------------------------------------------- */

/* The driver's events of a wait list; `events` is NULL for an empty one, as OpenCL wants it. */
typedef struct wait_list {
    cl_event *events;
    cl_uint count;
} wait_list;

/* Prepares a wait list; the caller frees out_list->events, also after a failure. */
static rt_status wait_list_make(const ocl_queue *queue, dev_command command, wait_list *out_list)
{
    *out_list = (wait_list){.count = command.wait_count};
    if (command.wait_count == 0) return RT_STATUS_OK;
    out_list->events = rt_alloc_array(command.wait_count, sizeof *out_list->events);
    const ocl_queue *flushed = queue; /* its own commands need no flush to be waited for */
    for (uint32_t i = 0; i < command.wait_count; i++) {
        const ocl_event *event = (const ocl_event *)command.wait[i];
        out_list->events[i] = event->event;
        if (event->queue == queue || event->queue == flushed) continue;
        OCL_TRY(queue->device->sink, OCL_STAGE_QUEUE, "clFlush",
                queue->device->library.clFlush(event->queue->queue));
        flushed = event->queue;
    }
    return RT_STATUS_OK;
}

/* Ends an enqueue: the event on success, a status otherwise. */
static rt_status enqueue_finish(ocl_queue *queue, ocl_stage stage, const char *call, cl_int result,
                                cl_event taken, dev_event **out_event)
{
    if (result != CL_SUCCESS || !taken)
        return ocl_fail(queue->device->sink, stage, call, result, (rt_text){0});
    *out_event = event_wrap(queue, taken);
    return RT_STATUS_OK;
}

/* ---- Launches ----------------------------------------------------------------------------- */

static cl_int argument_set(const ocl_library *cl, cl_kernel kernel, cl_uint index,
                           const dev_argument *argument)
{
    switch (argument->kind) {
    case DEV_ARGUMENT_MEMORY: {
        cl_mem buffer = argument->memory ? ((const ocl_memory *)argument->memory)->buffer : NULL;
        return cl->clSetKernelArg(kernel, index, sizeof buffer, buffer ? &buffer : NULL);
    }
    case DEV_ARGUMENT_BYTES:
        return cl->clSetKernelArg(kernel, index, argument->bytes.size, argument->bytes.data);
    case DEV_ARGUMENT_LOCAL: return cl->clSetKernelArg(kernel, index, (size_t)argument->size, NULL);
    case DEV_ARGUMENT_KINDS: break;
    }
    UNREACHABLE();
}

static rt_status arguments_set(ocl_kernel *kernel, const dev_argument *arguments, uint32_t count)
{
    rt_sink *sink = kernel->device->sink;
    for (uint32_t i = 0; i < count; i++) {
        cl_int result = argument_set(&kernel->device->library, kernel->kernel, i, &arguments[i]);
        if (result == CL_SUCCESS) continue;
        rt_buffer call = {0};
        rt_buffer_printf(&call, "clSetKernelArg of argument %u", i);
        rt_status status =
            ocl_fail(sink, OCL_STAGE_LAUNCH, rt_buffer_string(&call), result, (rt_text){0});
        rt_buffer_free(&call);
        return status;
    }
    return RT_STATUS_OK;
}

/* Sets the arguments and enqueues; the kernel's lock is held. */
static rt_status launch(ocl_queue *queue, wait_list waits, ocl_kernel *kernel,
                        const dev_nd_range *range, const dev_argument *arguments,
                        uint32_t argument_count, dev_event **out_event)
{
    RT_TRY(arguments_set(kernel, arguments, argument_count));
    size_t global[RT_ND_RANGE_DIMENSIONS], local[RT_ND_RANGE_DIMENSIONS];
    size_t offset[RT_ND_RANGE_DIMENSIONS];
    bool is_open = range->local[0] == 0;
    for (uint32_t d = 0; d < RT_ND_RANGE_DIMENSIONS; d++) {
        global[d] = (size_t)range->global[d];
        /* A driver refuses a launch that leaves open what the kernel requires. */
        local[d] = is_open ? kernel->required_local[d] : (size_t)range->local[d];
        offset[d] = (size_t)range->offset[d];
    }
    cl_event taken = NULL;
    cl_int result = queue->device->library.clEnqueueNDRangeKernel(
        queue->queue, kernel->kernel, range->dimensions, offset, global,
        local[0] != 0 ? local : NULL, waits.count, waits.events, &taken);
    return enqueue_finish(queue, OCL_STAGE_LAUNCH, "clEnqueueNDRangeKernel", result, taken,
                          out_event);
}

static rt_status ocl_enqueue_kernel(dev_queue *base, dev_command command, dev_kernel *kernel_base,
                                    const dev_nd_range *range, const dev_argument *arguments,
                                    uint32_t argument_count, dev_event **out_event)
{
    ocl_queue *queue = (ocl_queue *)base;
    ocl_kernel *kernel = (ocl_kernel *)kernel_base;
    rt_sink *sink = queue->device->sink;
    if (argument_count != kernel->argument_count)
        return rt_fail(sink, RT_ERRC_KERNEL_ARGUMENT, RT_RULE_NONE,
                       "the kernel has %u parameters but was given %u arguments",
                       kernel->argument_count, argument_count);
    RT_TRY(dev_nd_range_validate(sink, range, queue->device->capabilities.group_size_max));
    wait_list waits;
    rt_status status = wait_list_make(queue, command, &waits);
    if (rt_ok(status)) {
        pthread_mutex_lock(&kernel->lock);
        status = launch(queue, waits, kernel, range, arguments, argument_count, out_event);
        pthread_mutex_unlock(&kernel->lock);
    }
    rt_free(waits.events);
    return status;
}

/* ---- Other commands ----------------------------------------------------------------------- */

static rt_status ocl_enqueue_read(dev_queue *base, dev_command command, dev_memory *memory,
                                  uint64_t offset, uint64_t size, void *destination,
                                  dev_event **out_event)
{
    ocl_queue *queue = (ocl_queue *)base;
    wait_list waits;
    rt_status status = wait_list_make(queue, command, &waits);
    if (rt_ok(status)) {
        cl_event taken = NULL;
        cl_int result = queue->device->library.clEnqueueReadBuffer(
            queue->queue, ((const ocl_memory *)memory)->buffer, CL_FALSE, (size_t)offset,
            (size_t)size, destination, waits.count, waits.events, &taken);
        status =
            enqueue_finish(queue, OCL_STAGE_QUEUE, "clEnqueueReadBuffer", result, taken, out_event);
    }
    rt_free(waits.events);
    return status;
}

static rt_status ocl_enqueue_write(dev_queue *base, dev_command command, dev_memory *memory,
                                   uint64_t offset, uint64_t size, const void *source,
                                   dev_event **out_event)
{
    ocl_queue *queue = (ocl_queue *)base;
    wait_list waits;
    rt_status status = wait_list_make(queue, command, &waits);
    if (rt_ok(status)) {
        cl_event taken = NULL;
        cl_int result = queue->device->library.clEnqueueWriteBuffer(
            queue->queue, ((const ocl_memory *)memory)->buffer, CL_FALSE, (size_t)offset,
            (size_t)size, source, waits.count, waits.events, &taken);
        status = enqueue_finish(queue, OCL_STAGE_QUEUE, "clEnqueueWriteBuffer", result, taken,
                                out_event);
    }
    rt_free(waits.events);
    return status;
}

static rt_status ocl_enqueue_copy(dev_queue *base, dev_command command, dev_memory *source,
                                  uint64_t source_offset, dev_memory *destination,
                                  uint64_t destination_offset, uint64_t size, dev_event **out_event)
{
    ocl_queue *queue = (ocl_queue *)base;
    wait_list waits;
    rt_status status = wait_list_make(queue, command, &waits);
    if (rt_ok(status)) {
        cl_event taken = NULL;
        cl_int result = queue->device->library.clEnqueueCopyBuffer(
            queue->queue, ((const ocl_memory *)source)->buffer,
            ((const ocl_memory *)destination)->buffer, (size_t)source_offset,
            (size_t)destination_offset, (size_t)size, waits.count, waits.events, &taken);
        status =
            enqueue_finish(queue, OCL_STAGE_QUEUE, "clEnqueueCopyBuffer", result, taken, out_event);
    }
    rt_free(waits.events);
    return status;
}

static rt_status ocl_enqueue_fill(dev_queue *base, dev_command command, dev_memory *memory,
                                  uint64_t offset, uint64_t size, rt_bytes pattern,
                                  dev_event **out_event)
{
    ocl_queue *queue = (ocl_queue *)base;
    wait_list waits;
    rt_status status = wait_list_make(queue, command, &waits);
    if (rt_ok(status)) {
        cl_event taken = NULL;
        cl_int result = queue->device->library.clEnqueueFillBuffer(
            queue->queue, ((const ocl_memory *)memory)->buffer, pattern.data, pattern.size,
            (size_t)offset, (size_t)size, waits.count, waits.events, &taken);
        status =
            enqueue_finish(queue, OCL_STAGE_QUEUE, "clEnqueueFillBuffer", result, taken, out_event);
    }
    rt_free(waits.events);
    return status;
}

/* ---- Queues ------------------------------------------------------------------------------- */

static rt_status ocl_queue_flush(dev_queue *base)
{
    ocl_queue *queue = (ocl_queue *)base;
    OCL_TRY(queue->device->sink, OCL_STAGE_QUEUE, "clFlush",
            queue->device->library.clFlush(queue->queue));
    return RT_STATUS_OK;
}

/* What fails here was lost with the device; those who wait for its events are told. */
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
    .flush = ocl_queue_flush,
};

rt_status ocl_queue_create(dev_device *base, dev_queue **out_queue)
{
    ocl_device *device = (ocl_device *)base;
    const cl_queue_properties properties[] = {CL_QUEUE_PROPERTIES, device->queue_properties, 0};
    cl_int result = CL_SUCCESS;
    cl_command_queue taken = device->library.clCreateCommandQueueWithProperties(
        device->context, device->id, properties, &result);
    if (!taken || result != CL_SUCCESS)
        return ocl_fail(device->sink, OCL_STAGE_QUEUE, "clCreateCommandQueueWithProperties", result,
                        (rt_text){0});
    ocl_queue *queue = rt_alloc(sizeof *queue);
    queue->base.ops = &ocl_queue_ops;
    queue->device = device;
    queue->queue = taken;
    atomic_init(&queue->references, 1);
    *out_queue = &queue->base;
    return RT_STATUS_OK;
}
