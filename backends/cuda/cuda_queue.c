/* Queues, events, and the steps that all commands share.
 *
 * A stream runs its commands in order, whereas a queue of the device interface guarantees no order;
 * a queue therefore spreads its commands over several streams, and wait lists become stream waits.
 * The events in a wait list were enqueued earlier, so in-order streams cannot wait for each other
 * in a cycle.  An event is a driver event recorded after the command; it outlives the queue and the
 * stream.
 *
 * Source: CUDA Driver API reference manual, "Stream Management", "Event Management". */
#include "backends/cuda/cuda_internal.h"
#include "reference/base/alloc.h"

/* ---- Events ------------------------------------------------------------------------------- */

static void cuda_event_destroy(dev_event *base)
{
    cuda_event *event = (cuda_event *)base;
    const cuda_library *driver = &event->device->library;
    cuda_launch_remove(event);
    cuda_enter_to_free(event->device);
    driver->cuEventDestroy_v2(event->event);
    if (event->submitted) driver->cuEventDestroy_v2(event->submitted);
    if (event->started) driver->cuEventDestroy_v2(event->started);
    vendor_event_end(&event->base);
    rt_free(event);
}

static rt_status event_wait(dev_event *base)
{
    const cuda_event *event = (const cuda_event *)base;
    cuda_device *device = event->device;
    RT_TRY(cuda_enter(device, CUDA_STAGE_WAIT));
    rt_status status = cuda_check(device, CUDA_STAGE_WAIT, "cuEventSynchronize",
                                  device->library.cuEventSynchronize(event->event));
    if (!rt_ok(status)) return cuda_launches_blame(device, status);
    cuda_launches_settle(device);
    return status;
}

static dev_event_state event_state(dev_event *base)
{
    const cuda_event *event = (const cuda_event *)base;
    cuda_enter_to_free(event->device);
    cuda_result result = event->device->library.cuEventQuery(event->event);
    if (result == CUDA_NOT_READY) return DEV_EVENT_PENDING;
    return result == CUDA_SUCCESS ? DEV_EVENT_COMPLETE : DEV_EVENT_FAILED;
}

static const dev_event_ops cuda_event_ops = {
    .destroy = cuda_event_destroy,
    .wait = vendor_event_wait,
    .state = vendor_event_state,
    .times = cuda_times_read,
};

/* ---- Around every command ----------------------------------------------------------------- */

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
    CUDA_MAKE(device, CUDA_STAGE_QUEUE, cuEventCreate, &out_command->event, CUDA_EVENT_DEFAULT);
    rt_status status = RT_STATUS_OK;
    if (queue->keeps_times) status = cuda_times_submit(out_command);
    for (uint32_t i = 0; i < command.wait_count && rt_ok(status); i++) {
        cuda_result result = device->library.cuStreamWaitEvent(
            out_command->stream, ((const cuda_event *)command.wait[i])->event, 0);
        status = cuda_check(device, CUDA_STAGE_QUEUE, "cuStreamWaitEvent", result);
    }
    if (rt_ok(status) && queue->keeps_times) status = cuda_times_start(out_command);
    if (!rt_ok(status)) command_free(out_command);
    return status;
}

rt_status cuda_command_end(cuda_command *command, rt_status status, dev_event **out_event)
{
    const cuda_library *driver = &command->device->library;
    CHECK((command->submitted == NULL) == (command->started == NULL));
    if (rt_ok(status)) {
        cuda_result result = driver->cuEventRecord(command->event, command->stream);
        status = cuda_check(command->device, CUDA_STAGE_QUEUE, "cuEventRecord", result);
        /* The command runs nevertheless.  Wait for it here, because the caller is told that nothing
         * was enqueued and may free the operands. */
        if (!rt_ok(status)) driver->cuStreamSynchronize(command->stream);
    }
    if (!rt_ok(status)) {
        command_free(command);
        return status;
    }
    cuda_event *event = rt_alloc(sizeof *event);
    vendor_event_begin(&event->base, &cuda_event_ops, event_wait, event_state);
    event->device = command->device;
    event->event = command->event;
    event->submitted = command->submitted;
    event->started = command->started;
    *out_event = &event->base.base;
    return RT_STATUS_OK;
}

/* ---- Markers ------------------------------------------------------------------------------ */

/* Makes the marker's stream wait for what every stream of the queue holds now. The marker starts
 * once that is done: recording its start again moves it. */
static rt_status streams_join(const cuda_queue *queue, const cuda_command *marker)
{
    cuda_device *device = marker->device;
    for (int i = 0; i < CUDA_STREAMS; i++) {
        if (queue->streams[i] == marker->stream) continue;
        cuda_driver_event *event = NULL;
        CUDA_MAKE(device, CUDA_STAGE_QUEUE, cuEventCreate, &event, CUDA_EVENT_DEFAULT);
        const char *call = "cuEventRecord";
        cuda_result result = device->library.cuEventRecord(event, queue->streams[i]);
        if (result == CUDA_SUCCESS) {
            call = "cuStreamWaitEvent";
            result = device->library.cuStreamWaitEvent(marker->stream, event, 0);
        }
        device->library.cuEventDestroy_v2(event); /* the driver keeps it until the wait is over */
        RT_TRY(cuda_check(device, CUDA_STAGE_QUEUE, call, result));
    }
    return queue->keeps_times ? cuda_times_start(marker) : RT_STATUS_OK;
}

/* Makes every stream of the queue wait for a barrier. */
static rt_status streams_block(const cuda_queue *queue, const cuda_event *barrier)
{
    for (int i = 0; i < CUDA_STREAMS; i++)
        CUDA_TRY(queue->device, CUDA_STAGE_QUEUE, cuStreamWaitEvent, queue->streams[i],
                 barrier->event, 0);
    return RT_STATUS_OK;
}

rt_status cuda_enqueue_marker(dev_queue *base, dev_command command, dev_marker marker,
                              dev_event **out_event)
{
    cuda_queue *queue = (cuda_queue *)base;
    cuda_command begun;
    RT_TRY(cuda_command_begin(queue, command, &begun));
    rt_status status = marker.waits_for_all ? streams_join(queue, &begun) : RT_STATUS_OK;
    RT_TRY(cuda_command_end(&begun, status, out_event));
    if (marker.is_barrier) status = streams_block(queue, (const cuda_event *)*out_event);
    if (rt_ok(status)) return status;
    cuda_event_destroy(*out_event);
    *out_event = NULL;
    return status;
}

/* ---- Queues ------------------------------------------------------------------------------- */

/* A failure here means that the device is lost; waits for the queue's events report that. */
static void cuda_queue_destroy(dev_queue *base)
{
    cuda_queue *queue = (cuda_queue *)base;
    const cuda_library *driver = &queue->device->library;
    cuda_enter_to_free(queue->device);
    for (int i = 0; i < CUDA_STREAMS && queue->streams[i]; i++) {
        driver->cuStreamSynchronize(queue->streams[i]);
        driver->cuStreamDestroy_v2(queue->streams[i]);
    }
    rt_free(queue);
}

static const dev_queue_ops cuda_queue_ops = {
    .destroy = cuda_queue_destroy,
    .enqueue_kernel = cuda_enqueue_kernel,
    .enqueue_read = cuda_enqueue_read,
    .enqueue_write = cuda_enqueue_write,
    .enqueue_copy = cuda_enqueue_copy,
    .enqueue_fill = cuda_enqueue_fill,
    .enqueue_marker = cuda_enqueue_marker,
    .enqueue_map = cuda_enqueue_map,
    .enqueue_unmap = cuda_enqueue_unmap,
};

static rt_status queue_create(cuda_device *device, bool keeps_times, dev_queue **out_queue)
{
    RT_TRY(cuda_enter(device, CUDA_STAGE_QUEUE));
    if (keeps_times) RT_TRY(cuda_times_begin(device));
    cuda_queue *queue = rt_alloc(sizeof *queue);
    queue->base.ops = &cuda_queue_ops;
    queue->device = device;
    queue->keeps_times = keeps_times;
    atomic_init(&queue->next, 0);
    for (int i = 0; i < CUDA_STREAMS; i++) {
        /* Not synchronised with the default stream, which other code in the process may use. */
        cuda_result result =
            device->library.cuStreamCreate(&queue->streams[i], CUDA_STREAM_NON_BLOCKING);
        if (result == CUDA_SUCCESS && queue->streams[i]) continue;
        cuda_queue_destroy(&queue->base);
        return cuda_fail(device, CUDA_STAGE_QUEUE, "cuStreamCreate", result, (rt_text){0});
    }
    *out_queue = &queue->base;
    return RT_STATUS_OK;
}

rt_status cuda_queue_create(dev_device *device, dev_queue **out_queue)
{
    return queue_create((cuda_device *)device, false, out_queue);
}

rt_status cuda_queue_create_profiling(dev_device *device, dev_queue **out_queue)
{
    return queue_create((cuda_device *)device, true, out_queue);
}
