/* When commands were submitted, began and ended.
 *
 * Devices keep times; the runtime finds those whose times an event of the application's means.
 * Source: SYCL 2020, 4.6.6.1 "Event information and profiling descriptors"; document 001
 * (KernelFusionJIT.md), "Event Handling". */
#include "reference/sched/sched_internal.h"

rt_status rt_scheduler_queue_enable_profiling(rt_scheduler *scheduler, rt_queue_id queue)
{
    pthread_mutex_lock(&scheduler->lock);
    CHECK(queue < scheduler->queues.count);
    rt_queue *found = &scheduler->queues.items[queue];
    CHECK(found->device->capabilities.profiling);
    CHECK(found->last == RT_COMMAND_NONE && !found->enable_profiling);
    /* A device's queue has the property from its making on. */
    dev_queue *made = NULL;
    rt_status status = dev_queue_create_profiling(found->device->device, &made);
    if (rt_ok(status)) {
        dev_queue_destroy(found->queue);
        found->queue = made;
        found->enable_profiling = true;
    }
    pthread_mutex_unlock(&scheduler->lock);
    return status;
}

static void widen(dev_times *span, const dev_times *times)
{
    if (times->submit < span->submit) span->submit = times->submit;
    if (times->start < span->start) span->start = times->start;
    if (times->end > span->end) span->end = times->end;
}

/* Of the kernels that a fusion's end waited for, or of the one in their place; moves of content
 * that were made for them are none of the application's commands. */
static rt_status fusion_times(const rt_scheduler *scheduler, const rt_command *fusion,
                              dev_times *out_times)
{
    *out_times = (dev_times){.submit = UINT64_MAX, .start = UINT64_MAX};
    bool any = false;
    for (uint32_t i = 0; i < fusion->dependencies.count; i++) {
        const rt_command *kernel = scheduler->commands.items[fusion->dependencies.items[i]];
        if (kernel->kind != RT_COMMAND_LAUNCH) continue;
        CHECK(kernel->state == RT_COMMAND_DONE && kernel->event);
        dev_times times;
        RT_TRY(dev_event_times(kernel->event, &times));
        widen(out_times, &times);
        any = true;
    }
    if (any) return RT_STATUS_OK;
    return rt_fail(scheduler->sink, RT_ERRC_INVALID, RT_RULE_NONE,
                   "the event of a fusion without kernels has no times: no device ran anything");
}

static rt_status times_of(const rt_scheduler *scheduler, const rt_command *command,
                          dev_times *out_times)
{
    CHECK(command->state == RT_COMMAND_DONE);
    RT_TRY(command->result);
    if (command->kind == RT_COMMAND_FUSION) return fusion_times(scheduler, command, out_times);
    if (command->event) return dev_event_times(command->event, out_times);
    return rt_fail(scheduler->sink, RT_ERRC_INVALID, RT_RULE_NONE,
                   "a host task has no times: no device ran it");
}

static rt_status check_kept(rt_scheduler *scheduler, rt_command_id command)
{
    pthread_mutex_lock(&scheduler->lock);
    CHECK(command < scheduler->commands.count);
    rt_queue_id queue = scheduler->commands.items[command]->queue;
    bool kept = scheduler->queues.items[queue].enable_profiling;
    pthread_mutex_unlock(&scheduler->lock);
    if (kept) return RT_STATUS_OK;
    return rt_fail(scheduler->sink, RT_ERRC_INVALID, RT_RULE_NONE,
                   "queue %u keeps no times of its commands; make it with the property "
                   "enable_profiling",
                   queue);
}

rt_status rt_scheduler_times(rt_scheduler *scheduler, rt_command_id command, dev_times *out_times)
{
    *out_times = (dev_times){0};
    RT_TRY(check_kept(scheduler, command));
    RT_TRY(rt_scheduler_wait_command(scheduler, command));
    pthread_mutex_lock(&scheduler->lock);
    rt_status status = times_of(scheduler, scheduler->commands.items[command], out_times);
    pthread_mutex_unlock(&scheduler->lock);
    return status;
}
