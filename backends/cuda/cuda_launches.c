/* The launches that are not known to be complete, to say which of them a fault may be due to.
 *
 * The driver reports a fault of a kernel (an illegal address, a failed assertion) from whatever
 * call comes next, without naming the kernel, and afterwards no event can be queried any more.
 * Source: CUDA Driver API reference manual, "CUresult", CUDA_ERROR_ILLEGAL_ADDRESS and others. */
#include "backends/cuda/cuda_internal.h"
#include "reference/base/alloc.h"

/* Unlinks an event; the caller holds the lock. */
static void unlink_launch(cuda_device *device, const cuda_event *event)
{
    for (cuda_event **at = &device->launches; *at; at = &(*at)->next_launch) {
        if (*at != event) continue;
        *at = event->next_launch;
        return;
    }
}

void cuda_launch_add(cuda_event *event, rt_text kernel, uint32_t tag)
{
    cuda_device *device = event->device;
    CHECK(event->kernel.size == 0 && !event->next_launch);
    rt_buffer_append_text(&event->kernel, kernel);
    event->tag = tag;
    pthread_mutex_lock(&device->lock);
    cuda_event **at = &device->launches;
    while (*at)
        at = &(*at)->next_launch;
    *at = event;
    pthread_mutex_unlock(&device->lock);
}

void cuda_launch_remove(cuda_event *event)
{
    if (event->kernel.size == 0) return; /* not a launch */
    pthread_mutex_lock(&event->device->lock);
    unlink_launch(event->device, event);
    pthread_mutex_unlock(&event->device->lock);
    rt_buffer_free(&event->kernel);
}

void cuda_launches_settle(cuda_device *device)
{
    pthread_mutex_lock(&device->lock);
    for (cuda_event **at = &device->launches; *at;) {
        bool is_complete = device->library.cuEventQuery((*at)->event) == CUDA_SUCCESS;
        cuda_event *event = *at;
        if (is_complete)
            *at = event->next_launch;
        else
            at = &event->next_launch;
    }
    pthread_mutex_unlock(&device->lock);
}

rt_status cuda_launches_blame(cuda_device *device, rt_status status)
{
    enum { NAMED_MAX = 4 };
    if (status.code != RT_DEVICE_LOST) return status;
    rt_buffer names = {0};
    uint32_t count = 0;
    pthread_mutex_lock(&device->lock);
    for (const cuda_event *event = device->launches; event; event = event->next_launch, count++) {
        if (count < NAMED_MAX)
            rt_buffer_printf(&names, "%skernel '%s' (command %u)", count > 0 ? ", " : "",
                             rt_buffer_string(&event->kernel), event->tag);
    }
    pthread_mutex_unlock(&device->lock);
    if (count > NAMED_MAX) rt_buffer_printf(&names, " and %u more", count - NAMED_MAX);
    if (count > 0) {
        rt_text message = rt_sink_diagnostic(device->sink, status)->message;
        status = rt_fail(
            device->sink, RT_DEVICE_LOST, RT_RULE_NONE, "%.*s; %s: %s", RT_TEXT_ARG(message),
            count == 1 ? "the launch that was not complete" : "the launches that were not complete",
            rt_buffer_string(&names));
    }
    rt_buffer_free(&names);
    return status;
}
