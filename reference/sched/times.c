/* The times at which commands were submitted, started and ended.
 *
 * Devices record times; the runtime finds the device events that an event of the application
 * represents.
 *
 * Source: SYCL 2020, 4.6.6.1 "Event information and profiling descriptors"; document 001
 * (KernelFusionJIT.md), "Event Handling". */
#include "reference/sched/sched_internal.h"

rt_status rt_scheduler_queue_enable_profiling(rt_scheduler *scheduler, rt_queue_id queue)
{
    rt_scheduler_lock(scheduler);
    CHECK(queue < scheduler->queues.count);
    rt_queue *profiled = &scheduler->queues.items[queue];
    CHECK(profiled->device->capabilities.profiling);
    CHECK(profiled->last == RT_COMMAND_NONE && !profiled->enable_profiling);
    /* A device's queue cannot gain the property later, so it is replaced. */
    dev_queue *replacement = NULL;
    rt_status status = dev_queue_create_profiling(profiled->device->device, &replacement);
    if (rt_ok(status)) {
        dev_queue_destroy(profiled->queue);
        profiled->queue = replacement;
        profiled->enable_profiling = true;
    }
    rt_scheduler_unlock(scheduler);
    return status;
}

/* The times of a command.  For a fusion's end, the time span of the kernels that it waited for, or
 * of the fused kernel; moves of content for them do not count, because the application did not
 * submit them. */
static rt_status times_of(const rt_scheduler *scheduler, const rt_command *command,
                          dev_times *out_times)
{
    CHECK(rt_command_is_over(command));
    RT_TRY(command->result);
    if (command->event) return dev_event_times(command->event, out_times);
    if (command->kind != RT_COMMAND_FUSION)
        return rt_fail(scheduler->sink, RT_ERRC_INVALID, RT_RULE_NONE,
                       "a host task has no times: no device ran it");
    dev_times span = {.submit = UINT64_MAX, .start = UINT64_MAX};
    bool has_kernel = false;
    for (uint32_t i = 0; i < command->dependencies.count; i++) {
        const rt_command *kernel = scheduler->commands.items[command->dependencies.items[i]];
        if (kernel->kind != RT_COMMAND_LAUNCH) continue;
        CHECK(kernel->state == RT_COMMAND_DONE);
        RT_TRY(kernel->result); /* an earlier wait has already returned this failure */
        CHECK(kernel->event != NULL);
        dev_times times;
        RT_TRY(dev_event_times(kernel->event, &times));
        if (times.submit < span.submit) span.submit = times.submit;
        if (times.start < span.start) span.start = times.start;
        if (times.end > span.end) span.end = times.end;
        has_kernel = true;
    }
    if (!has_kernel)
        return rt_fail(scheduler->sink, RT_ERRC_INVALID, RT_RULE_NONE,
                       "the event of a fusion without kernels has no times: no device ran "
                       "anything");
    CHECK(span.submit <= span.start && span.start <= span.end);
    *out_times = span;
    return RT_STATUS_OK;
}

rt_status rt_scheduler_times(rt_scheduler *scheduler, rt_command_id command, dev_times *out_times)
{
    *out_times = (dev_times){0};
    rt_scheduler_lock(scheduler);
    CHECK(command < scheduler->commands.count);
    rt_queue_id queue = scheduler->commands.items[command]->queue;
    CHECK(queue != RT_QUEUE_NONE);
    bool is_profiling = scheduler->queues.items[queue].enable_profiling;
    rt_scheduler_unlock(scheduler);
    if (!is_profiling)
        return rt_fail(scheduler->sink, RT_ERRC_INVALID, RT_RULE_NONE,
                       "queue %u records no times; create it with the property "
                       "enable_profiling",
                       queue);
    RT_TRY(rt_scheduler_wait_command(scheduler, command));
    rt_scheduler_lock(scheduler);
    rt_status status = times_of(scheduler, scheduler->commands.items[command], out_times);
    rt_scheduler_unlock(scheduler);
    return status;
}
