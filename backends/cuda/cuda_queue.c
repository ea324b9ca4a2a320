/* Queues, events, and the steps that all commands share.
 *
 * A stream runs its commands in order, whereas a queue of the device interface guarantees no order:
 * it spreads its commands over several streams, and wait lists become stream waits.  The events in
 * a wait list were enqueued earlier, so in-order streams cannot wait for each other in a cycle.  An
 * event is a driver event recorded after the command; it outlives queue and stream.
 *
 * Source: CUDA Driver API reference manual, "Stream Management", "Event Management". */
#include "backends/cuda/cuda_internal.h"
#include "reference/base/alloc.h"

/* ---- Events ------------------------------------------------------------------------------- */

static void cuda_event_destroy(dev_event *base)
{
    cuda_event *event = (cuda_event *)base;
    const cuda_library *driver = &event->device->library;
    cuda_enter_to_free(event->device);
    driver->cuEventDestroy_v2(event->event);
    if (event->submitted) driver->cuEventDestroy_v2(event->submitted);
    if (event->started) driver->cuEventDestroy_v2(event->started);
    vendor_outcome_end(&event->outcome);
    rt_free(event);
}

static rt_status event_wait(dev_event *base)
{
    const cuda_event *event = (const cuda_event *)base;
    RT_TRY(cuda_enter(event->device, CUDA_STAGE_WAIT));
    CUDA_TRY(event->device, CUDA_STAGE_WAIT, cuEventSynchronize, event->event);
    return RT_STATUS_OK;
}

static rt_status cuda_event_wait(dev_event *base)
{
    return vendor_outcome_wait(&((cuda_event *)base)->outcome, base, event_wait);
}

static dev_event_state cuda_event_state(dev_event *base)
{
    cuda_event *event = (cuda_event *)base;
    dev_event_state known = vendor_outcome_state(&event->outcome);
    if (known != DEV_EVENT_PENDING) return known;
    cuda_enter_to_free(event->device);
    cuda_result result = event->device->library.cuEventQuery(event->event);
    if (result == CUDA_NOT_READY) return DEV_EVENT_PENDING;
    return result == CUDA_SUCCESS ? DEV_EVENT_COMPLETE : DEV_EVENT_FAILED;
}

static const dev_event_ops cuda_event_ops = {
    .destroy = cuda_event_destroy,
    .wait = cuda_event_wait,
    .state = cuda_event_state,
    .times = cuda_times_read,
};

/* Takes ownership of the driver's events. */
static dev_event *event_wrap(const cuda_command *command)
{
    cuda_event *event = rt_alloc(sizeof *event);
    event->base.ops = &cuda_event_ops;
    event->device = command->device;
    event->event = command->event;
    event->submitted = command->submitted;
    event->started = command->started;
    vendor_outcome_begin(&event->outcome);
    return &event->base;
}

/* ---- Around every command ----------------------------------------------------------------- */

static rt_status stream_wait(const cuda_command *command, dev_command wanted)
{
    for (uint32_t i = 0; i < wanted.wait_count; i++)
        CUDA_TRY(command->device, CUDA_STAGE_QUEUE, cuStreamWaitEvent, command->stream,
                 ((const cuda_event *)wanted.wait[i])->event, 0);
    return RT_STATUS_OK;
}

static void command_free(const cuda_command *command)
{
    cuda_driver_event *const events[] = {command->event, command->submitted, command->started};
    for (size_t i = 0; i < sizeof events / sizeof *events; i++)
        if (events[i]) command->device->library.cuEventDestroy_v2(events[i]);
}

rt_status cuda_command_begin(cuda_queue *queue, dev_command command, cuda_command *out_command)
{
    cuda_device *device = queue->device;
    uint32_t index = atomic_fetch_add(&queue->next, 1) % CUDA_STREAMS;
    *out_command = (cuda_command){.device = device, .stream = queue->streams[index]};
    RT_TRY(cuda_enter(device, CUDA_STAGE_QUEUE));
    CUDA_TRY(device, CUDA_STAGE_QUEUE, cuEventCreate, &out_command->event, CUDA_EVENT_DEFAULT);
    if (!out_command->event)
        return cuda_fail(device, CUDA_STAGE_QUEUE, "cuEventCreate", CUDA_SUCCESS, (rt_text){0});
    rt_status status = RT_STATUS_OK;
    if (queue->keeps_times) status = cuda_times_submit(out_command);
    if (rt_ok(status)) status = stream_wait(out_command, command);
    if (rt_ok(status) && queue->keeps_times) status = cuda_times_start(out_command);
    if (!rt_ok(status)) command_free(out_command);
    return status;
}

static rt_status event_record(const cuda_command *command)
{
    CUDA_TRY(command->device, CUDA_STAGE_QUEUE, cuEventRecord, command->event, command->stream);
    return RT_STATUS_OK;
}

/* A command was enqueued but its event cannot be recorded: the command runs nevertheless.  Wait for
 * it here, because the caller learns that there is no command and may free its operands. */
rt_status cuda_command_end(cuda_command *command, rt_status status, dev_event **out_event)
{
    const cuda_library *driver = &command->device->library;
    if (rt_ok(status)) {
        status = event_record(command);
        if (!rt_ok(status)) driver->cuStreamSynchronize(command->stream);
    }
    if (rt_ok(status))
        *out_event = event_wrap(command);
    else
        command_free(command);
    return status;
}

/* ---- Queues ------------------------------------------------------------------------------- */

/* The driver makes progress by itself. */
static rt_status cuda_queue_flush(dev_queue *queue)
{
    (void)queue;
    return RT_STATUS_OK;
}

static void streams_destroy(const cuda_queue *queue)
{
    const cuda_library *driver = &queue->device->library;
    for (int i = 0; i < CUDA_STREAMS; i++) {
        if (!queue->streams[i]) continue;
        driver->cuStreamSynchronize(queue->streams[i]);
        driver->cuStreamDestroy_v2(queue->streams[i]);
    }
}

/* A failure here means that the device is lost; waits for the queue's events report that. */
static void cuda_queue_destroy(dev_queue *base)
{
    cuda_queue *queue = (cuda_queue *)base;
    cuda_enter_to_free(queue->device);
    streams_destroy(queue);
    rt_free(queue);
}

static const dev_queue_ops cuda_queue_ops = {
    .destroy = cuda_queue_destroy,
    .enqueue_kernel = cuda_enqueue_kernel,
    .enqueue_read = cuda_enqueue_read,
    .enqueue_write = cuda_enqueue_write,
    .enqueue_copy = cuda_enqueue_copy,
    .enqueue_fill = cuda_enqueue_fill,
    .flush = cuda_queue_flush,
};

/* Creates streams that do not synchronise with the default stream, which other code in the process
 * may use. */
static rt_status streams_create(cuda_queue *queue)
{
    const cuda_device *device = queue->device;
    for (int i = 0; i < CUDA_STREAMS; i++) {
        CUDA_TRY(device, CUDA_STAGE_QUEUE, cuStreamCreate, &queue->streams[i],
                 CUDA_STREAM_NON_BLOCKING);
        if (!queue->streams[i])
            return cuda_fail(device, CUDA_STAGE_QUEUE, "cuStreamCreate", CUDA_SUCCESS,
                             (rt_text){0});
    }
    return RT_STATUS_OK;
}

static rt_status queue_create(cuda_device *device, bool keeps_times, dev_queue **out_queue)
{
    RT_TRY(cuda_enter(device, CUDA_STAGE_QUEUE));
    if (keeps_times) RT_TRY(cuda_times_begin(device));
    cuda_queue *queue = rt_alloc(sizeof *queue);
    queue->base.ops = &cuda_queue_ops;
    queue->device = device;
    queue->keeps_times = keeps_times;
    atomic_init(&queue->next, 0);
    rt_status status = streams_create(queue);
    if (rt_ok(status)) {
        *out_queue = &queue->base;
        return status;
    }
    streams_destroy(queue);
    rt_free(queue);
    return status;
}

rt_status cuda_queue_create(dev_device *device, dev_queue **out_queue)
{
    return queue_create((cuda_device *)device, false, out_queue);
}

rt_status cuda_queue_create_profiling(dev_device *device, dev_queue **out_queue)
{
    return queue_create((cuda_device *)device, true, out_queue);
}
