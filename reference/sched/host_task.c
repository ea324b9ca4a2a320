/* Host tasks: host code as nodes of the command graph.
 *
 * A task runs inside its submission, as soon as all its dependencies are done; SYCL does not
 * specify when.  Source: SYCL 2020, 4.10 "Host tasks". */
#include "reference/sched/sched_internal.h"

#include "reference/base/handover.h"

#include <string.h>

static rt_status check_task(rt_scheduler *scheduler, const rt_host_task *task)
{
    const rt_memory *memories[] = {task->from, task->to ? task->to : task->from};
    for (uint32_t i = 0; i < 2; i++) {
        if (!rt_memory_is_usm(memories[i])) continue;
        return rt_fail_naming(scheduler->sink, RT_ERRC_INVALID, RT_RULE_NONE, &memories[i]->name, 1,
                              "a host task uses '%.*s', which is not a buffer",
                              RT_TEXT_ARG(memories[i]->name));
    }
    if (!task->to || (task->to != task->from && task->to->size == task->from->size))
        return RT_STATUS_OK;
    return rt_fail_naming(scheduler->sink, RT_ERRC_INVALID, RT_RULE_NONE, &task->to->name, 1,
                          "a host task copies '%.*s' to '%.*s': they must be two different "
                          "buffers of the same size",
                          RT_TEXT_ARG(task->from->name), RT_TEXT_ARG(task->to->name));
}

/* Brings the contents to the host, creates the node, waits for its predecessors and runs the task.
 * The first failure of a predecessor becomes the task's result.  An error is returned only if the
 * queue has ended or the device refuses to move the contents. */
static rt_status task_run(rt_scheduler *scheduler, rt_queue_id queue, const rt_host_task *task,
                          rt_command_id *out_command)
{
    rt_command_id download = RT_COMMAND_NONE;
    rt_not_fused_task(scheduler, queue);
    scheduler->cause = RT_SYNC_REASON_HOST_TASK;
    if (!task->from->host_valid) RT_TRY(rt_content_read(scheduler, task->from, NULL, &download));
    const rt_access_list no_accesses = {0};
    const rt_submission submission = {.queue = queue,
                                      .kind = RT_COMMAND_HOST_TASK,
                                      .accesses = &no_accesses,
                                      .after = task->after,
                                      .after_count = task->after_count};
    rt_command *command = NULL;
    RT_TRY(rt_submission_begin(scheduler, &submission, &command));
    rt_graph_depend(scheduler, command, download);
    rt_graph_depend_on_memory(scheduler, command, task->from, RT_ACCESS_READ);
    if (task->to) rt_graph_depend_on_memory(scheduler, command, task->to, RT_ACCESS_WRITE);
    command->result = rt_enqueue_host_task(scheduler, command);
    rt_command_step(command, RT_STEP_FINISH);
    rt_graph_book_access(scheduler, command, task->from, RT_ACCESS_READ);
    if (task->to) rt_graph_book_access(scheduler, command, task->to, RT_ACCESS_WRITE);
    scheduler->queues.items[queue].last = command->id;
    *out_command = command->id;
    if (!rt_ok(command->result)) return RT_STATUS_OK; /* the task did not run */
    RT_COMMAND_TRACE(scheduler, command, HOST_TASK, RT_T("from", task->from->name),
                     RT_T("to", task->to ? task->to->name : (rt_text){0}), RT_N("queue", queue));
    if (!task->to) return RT_STATUS_OK;
    CHECK(task->from->host_valid && task->from->size == task->to->size);
    memcpy(task->to->host, task->from->host, task->to->size);
    rt_memory_host_written(task->to);
    return RT_STATUS_OK;
}

rt_status rt_scheduler_host_task(rt_scheduler *scheduler, rt_queue_id queue,
                                 const rt_host_task *task, rt_command_id *out_command)
{
    *out_command = RT_COMMAND_NONE;
    rt_handover_point();
    rt_scheduler_lock(scheduler);
    CHECK(queue < scheduler->queues.count);
    rt_status status = check_task(scheduler, task);
    if (rt_ok(status)) status = task_run(scheduler, queue, task, out_command);
    CHECK(rt_ok(status) == (*out_command != RT_COMMAND_NONE));
    rt_scheduler_unlock(scheduler);
    return status;
}
