/* How far commands are, for who does not want to wait.
 *
 * Source: SYCL 2020, 4.6.6.1 "Event information and profiling descriptors"; document 001
 * (KernelFusionJIT.md), "Event Handling". */
#include "reference/sched/sched_internal.h"

static rt_progress progress_of(const rt_scheduler *scheduler, const rt_command *command);

/* The end of a fusion has no work of its own: it is as far as the least of what it waits for. */
static rt_progress fusion_progress(const rt_scheduler *scheduler, const rt_command *command)
{
    rt_progress least = RT_PROGRESS_COMPLETE;
    for (uint32_t i = 0; i < command->dependencies.count; i++) {
        const rt_command *other = scheduler->commands.items[command->dependencies.items[i]];
        /* What it waits for are kernels and moves of content, so that this ends. */
        CHECK(other->kind != RT_COMMAND_FUSION);
        rt_progress progress = progress_of(scheduler, other);
        if (progress < least) least = progress;
    }
    return least;
}

static rt_progress progress_of(const rt_scheduler *scheduler, const rt_command *command)
{
    if (command->state == RT_COMMAND_DONE) return RT_PROGRESS_COMPLETE;
    if (command->state == RT_COMMAND_SUBMITTED) return RT_PROGRESS_SUBMITTED;
    CHECK(command->state == RT_COMMAND_ENQUEUED);
    if (command->kind == RT_COMMAND_FUSION) return fusion_progress(scheduler, command);
    /* Without an event it was held back for good, since a predecessor has failed. */
    if (!command->event) return RT_PROGRESS_COMPLETE;
    return dev_event_query(command->event) == DEV_EVENT_PENDING ? RT_PROGRESS_HANDED_OVER
                                                                : RT_PROGRESS_COMPLETE;
}

rt_progress rt_scheduler_progress(rt_scheduler *scheduler, rt_command_id command)
{
    pthread_mutex_lock(&scheduler->lock);
    CHECK(command < scheduler->commands.count);
    rt_progress progress = progress_of(scheduler, scheduler->commands.items[command]);
    pthread_mutex_unlock(&scheduler->lock);
    return progress;
}
