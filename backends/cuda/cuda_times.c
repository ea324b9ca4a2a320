/* Submission, start and end times of commands.
 *
 * CUDA reports the time between two events but no absolute time. All times are therefore measured
 * from one event of the device, the epoch, so that times of different queues are comparable.  The
 * submission time is that of a separate event in an otherwise empty stream, so the device records
 * it immediately; the command's stream waits for it, so it is never recorded after the command has
 * started.
 *
 * Source: CUDA Driver API reference manual, cuEventElapsedTime (milliseconds, as a float). */
#include "backends/cuda/cuda_internal.h"

/* After a failure, the objects made so far are freed with the device. */
static rt_status clock_make(cuda_device *device)
{
    if (!device->clock)
        CUDA_MAKE(device, CUDA_STAGE_QUEUE, cuStreamCreate, &device->clock,
                  CUDA_STREAM_NON_BLOCKING);
    if (device->epoch) return RT_STATUS_OK;
    CUDA_MAKE(device, CUDA_STAGE_QUEUE, cuEventCreate, &device->epoch, CUDA_EVENT_DEFAULT);
    CUDA_TRY(device, CUDA_STAGE_QUEUE, cuEventRecord, device->epoch, device->clock);
    return RT_STATUS_OK;
}

rt_status cuda_times_begin(cuda_device *device)
{
    pthread_mutex_lock(&device->lock);
    rt_status status = clock_make(device);
    pthread_mutex_unlock(&device->lock);
    return status;
}

rt_status cuda_times_submit(cuda_command *command)
{
    const cuda_device *device = command->device;
    CHECK(device->clock != NULL);
    CUDA_MAKE(device, CUDA_STAGE_QUEUE, cuEventCreate, &command->submitted, CUDA_EVENT_DEFAULT);
    CUDA_MAKE(device, CUDA_STAGE_QUEUE, cuEventCreate, &command->started, CUDA_EVENT_DEFAULT);
    CUDA_TRY(device, CUDA_STAGE_QUEUE, cuEventRecord, command->submitted, device->clock);
    CUDA_TRY(device, CUDA_STAGE_QUEUE, cuStreamWaitEvent, command->stream, command->submitted, 0);
    return RT_STATUS_OK;
}

rt_status cuda_times_start(const cuda_command *command)
{
    CUDA_TRY(command->device, CUDA_STAGE_QUEUE, cuEventRecord, command->started, command->stream);
    return RT_STATUS_OK;
}

/* Reads the time from the epoch to an event, in nanoseconds. */
static rt_status time_read(const cuda_device *device, cuda_driver_event *event, uint64_t *out_time)
{
    float milliseconds = 0;
    CUDA_TRY(device, CUDA_STAGE_WAIT, cuEventElapsedTime, &milliseconds, device->epoch, event);
    if (!(milliseconds >= 0))
        return rt_fail(
            device->sink, RT_DRIVER_ERROR, RT_RULE_NONE,
            "cuEventElapsedTime: the time from an event to a later one is %g ms; it must not be "
            "negative",
            (double)milliseconds);
    *out_time = (uint64_t)((double)milliseconds * 1e6);
    return RT_STATUS_OK;
}

rt_status cuda_times_read(dev_event *base, dev_times *out_times)
{
    const cuda_event *event = (const cuda_event *)base;
    const cuda_device *device = event->device;
    CHECK(event->submitted && event->started);
    RT_TRY(cuda_enter(device, CUDA_STAGE_WAIT));
    RT_TRY(time_read(device, event->submitted, &out_times->submit));
    RT_TRY(time_read(device, event->started, &out_times->start));
    RT_TRY(time_read(device, event->event, &out_times->end));
    if (out_times->submit <= out_times->start && out_times->start <= out_times->end)
        return RT_STATUS_OK;
    return rt_fail(
        device->sink, RT_DRIVER_ERROR, RT_RULE_NONE,
        "cuEventElapsedTime: a command was submitted at %llu ns, began at %llu and ended "
        "at %llu, which is out of order",
        (unsigned long long)out_times->submit, (unsigned long long)out_times->start,
        (unsigned long long)out_times->end);
}

void cuda_times_end(cuda_device *device)
{
    if (device->epoch) device->library.cuEventDestroy_v2(device->epoch);
    if (device->clock) device->library.cuStreamDestroy_v2(device->clock);
}
