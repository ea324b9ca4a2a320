/* User events: events that the application completes.
 *
 * Source: OpenCL 3.0 API, 5.11 "Event Objects" (clCreateUserEvent, clSetUserEventStatus). */
#include "reference/sched/sched_internal.h"

#include "reference/base/handover.h"

rt_status rt_scheduler_user_event(rt_scheduler *scheduler, const rt_device *device,
                                  rt_command_id *out_command)
{
    *out_command = RT_COMMAND_NONE;
    CHECK(device->capabilities.host_events);
    rt_handover_point();
    dev_event *event = NULL;
    RT_TRY(dev_host_event_create(device->device, &event));
    rt_scheduler_lock(scheduler);
    rt_command *command = rt_graph_add(scheduler, RT_COMMAND_USER_EVENT, RT_QUEUE_NONE);
    command->device = device;
    command->event = event;
    rt_command_step(command, RT_STEP_HAND_OVER);
    scheduler->open_events++;
    RT_TRACE(scheduler->trace, USER_EVENT, RT_N("command", command->id),
             RT_N("device", device->id));
    *out_command = command->id;
    rt_scheduler_unlock(scheduler);
    return RT_STATUS_OK;
}

rt_status rt_scheduler_user_event_complete(rt_scheduler *scheduler, rt_command_id event,
                                           bool has_failed)
{
    rt_handover_point();
    rt_scheduler_lock(scheduler);
    CHECK(event < scheduler->commands.count);
    rt_command *command = scheduler->commands.items[event];
    CHECK(command->kind == RT_COMMAND_USER_EVENT);
    /* The device answers a second call, too. */
    rt_status status = dev_host_event_complete(command->event, has_failed);
    if (rt_ok(status) && rt_command_is_open_event(command)) {
        command->result = dev_event_wait(command->event);
        rt_command_step(command, RT_STEP_FINISH);
        CHECK(scheduler->open_events >= 1);
        scheduler->open_events--;
        RT_TRACE(scheduler->trace, EVENT_COMPLETE, RT_N("command", event),
                 RT_N("failed", has_failed));
        rt_tasks_run(scheduler);
    }
    rt_scheduler_unlock(scheduler);
    return status;
}
