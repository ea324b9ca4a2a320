/* The progress of commands, for callers that do not wait.
 *
 * Source: SYCL 2020, 4.6.6.1 "Event information and profiling descriptors"; document 001
 * (KernelFusionJIT.md), "Event Handling". */
#include "reference/sched/sched_internal.h"

static rt_progress progress_of(const rt_scheduler *scheduler, const rt_command *command)
{
    if (rt_command_is_open_event(command)) return RT_PROGRESS_SUBMITTED;
    switch (command->state) {
    case RT_COMMAND_SUBMITTED:
    case RT_COMMAND_HELD: return RT_PROGRESS_SUBMITTED;
    case RT_COMMAND_STOPPED:
    case RT_COMMAND_DONE:
    case RT_COMMAND_REMOVED: return RT_PROGRESS_COMPLETE;
    case RT_COMMAND_ENQUEUED: break;
    }
    if (command->kind != RT_COMMAND_FUSION) {
        CHECK(command->event != NULL);
        return dev_event_query(command->event) == DEV_EVENT_PENDING ? RT_PROGRESS_HANDED_OVER
                                                                    : RT_PROGRESS_COMPLETE;
    }
    /* The end of a fusion does no work: its progress is the least among the commands that it waits
     * for, which are only kernels and moves of content, so the recursion is one level deep. */
    rt_progress least = RT_PROGRESS_COMPLETE;
    for (uint32_t i = 0; i < command->dependencies.count; i++) {
        const rt_command *other = scheduler->commands.items[command->dependencies.items[i]];
        CHECK(other->kind != RT_COMMAND_FUSION);
        rt_progress progress = progress_of(scheduler, other);
        if (progress < least) least = progress;
    }
    return least;
}

rt_progress rt_scheduler_progress(rt_scheduler *scheduler, rt_command_id command)
{
    rt_scheduler_lock(scheduler);
    CHECK(command < scheduler->commands.count);
    rt_progress progress = progress_of(scheduler, scheduler->commands.items[command]);
    rt_scheduler_unlock(scheduler);
    return progress;
}

void rt_scheduler_advance(rt_scheduler *scheduler, rt_command_id id)
{
    RT_VECTOR(dev_event *) events = {0};
    rt_scheduler_lock(scheduler);
    CHECK(id < scheduler->commands.count);
    const rt_command *command = scheduler->commands.items[id];
    const bool is_end = command->kind == RT_COMMAND_FUSION && command->state == RT_COMMAND_ENQUEUED;
    const uint32_t count = is_end ? command->dependencies.count : 1;
    for (uint32_t i = 0; i < count; i++) {
        const rt_command *other =
            is_end ? scheduler->commands.items[command->dependencies.items[i]] : command;
        if (other->state == RT_COMMAND_ENQUEUED) *rt_vector_push(&events) = other->event;
    }
    rt_scheduler_unlock(scheduler);
    /* Events live as long as the scheduler.  Kernels run without its lock. */
    for (uint32_t i = 0; i < events.count; i++)
        dev_event_advance(events.items[i]);
    rt_vector_free(&events);
}
