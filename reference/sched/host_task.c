/* Host tasks: host code as nodes of the command graph.
 *
 * A task runs inside its submission, as soon as all its dependencies are done; SYCL does not
 * specify when.  Source: SYCL 2020, 4.10 "Host tasks". */
#include "reference/sched/sched_internal.h"

#include "reference/base/handover.h"

#include <string.h>

static rt_status check_task(rt_scheduler *scheduler, rt_queue_id queue, const rt_host_task *task)
{
    const rt_memory *memories[] = {task->from, task->to ? task->to : task->from};
    for (uint32_t i = 0; i < 2; i++) {
        const rt_memory *memory = memories[i];
        RT_TRY(rt_submission_check_device(scheduler, queue, memory, RT_TEXT("a host task")));
        if (memory->kind != DEV_MEMORY_USM_DEVICE) continue;
        return rt_fail_naming(scheduler->sink, RT_ERRC_INVALID, RT_RULE_NONE, &memory->name, 1,
                              "a host task uses '%.*s', which is device memory; host code cannot "
                              "access it",
                              RT_TEXT_ARG(memory->name));
    }
    if (!task->to || (task->to != task->from && task->to->size == task->from->size))
        return RT_STATUS_OK;
    return rt_fail_naming(scheduler->sink, RT_ERRC_INVALID, RT_RULE_NONE, &task->to->name, 1,
                          "a host task copies '%.*s' to '%.*s': they must be two different "
                          "memories of the same size",
                          RT_TEXT_ARG(task->from->name), RT_TEXT_ARG(task->to->name));
}

/* Reads or writes unified shared memory as host code does through a pointer: at this moment, and
 * without any order. The device moves the bytes, since the host may not have them. */
static rt_status access_usm(rt_scheduler *scheduler, const rt_command *command, rt_memory *memory,
                            rt_access access)
{
    CHECK(rt_memory_is_usm(memory) && access != RT_ACCESS_READ_WRITE);
    const rt_queue *queue = &scheduler->queues.items[command->queue];
    const dev_command move = {.tag = command->id};
    dev_memory *allocation = NULL;
    dev_event *event = NULL;
    RT_TRY(rt_memory_on_device(memory, queue->device, &allocation));
    RT_TRY(access == RT_ACCESS_WRITE ? dev_enqueue_write(queue->queue, move, allocation, 0,
                                                         memory->size, memory->host, &event)
                                     : dev_enqueue_read(queue->queue, move, allocation, 0,
                                                        memory->size, memory->host, &event));
    rt_status status = dev_event_wait(event);
    dev_event_destroy(event);
    if (rt_ok(status) && access == RT_ACCESS_WRITE) rt_memory_written(memory, queue->device);
    return status;
}

/* The task's own code: waits for the command that it is to wait for, then copies. */
static rt_status task_body(rt_scheduler *scheduler, const rt_command *command,
                           const rt_host_task *task)
{
    if (task->awaited) {
        rt_sync_command(scheduler, *task->awaited);
        const rt_command *awaited = scheduler->commands.items[*task->awaited];
        rt_status ignored = awaited->event ? dev_event_wait(awaited->event) : awaited->result;
        (void)ignored;
    }
    if (!task->to) return RT_STATUS_OK;
    if (rt_memory_is_usm(task->from))
        RT_TRY(access_usm(scheduler, command, task->from, RT_ACCESS_READ));
    CHECK(rt_memory_is_usm(task->from) || task->from->host_valid);
    CHECK(task->from->size == task->to->size);
    memcpy(task->to->host, task->from->host, task->to->size);
    if (rt_memory_is_usm(task->to))
        return access_usm(scheduler, command, task->to, RT_ACCESS_WRITE);
    rt_memory_host_written(task->to);
    return RT_STATUS_OK;
}

/* Brings the contents to where the task can read them: a buffer's to the host, those that unified
 * shared memory begins with to its device. */
static rt_status contents_bring(rt_scheduler *scheduler, rt_queue_id queue,
                                const rt_host_task *task, rt_command_id *out_download)
{
    if (rt_memory_is_usm(task->from))
        RT_TRY(rt_content_bring(scheduler, queue, task->from, false, NULL));
    else if (!task->from->host_valid)
        RT_TRY(rt_content_read(scheduler, task->from, NULL, out_download));
    if (task->to && rt_memory_is_usm(task->to))
        RT_TRY(rt_content_bring(scheduler, queue, task->to, false, NULL));
    return RT_STATUS_OK;
}

/* Creates the node, waits for its predecessors and runs the task. The first failure of a
 * predecessor becomes the task's result.  An error is returned only if the queue has ended or the
 * device refuses to move the contents before the task. */
static rt_status task_run(rt_scheduler *scheduler, rt_queue_id queue, const rt_host_task *task,
                          rt_command_id *out_command)
{
    rt_command_id download = RT_COMMAND_NONE;
    rt_not_fused_task(scheduler, queue);
    scheduler->cause = RT_SYNC_REASON_HOST_TASK;
    RT_TRY(contents_bring(scheduler, queue, task, &download));
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
    bool runs = rt_ok(command->result);
    if (runs) command->result = task_body(scheduler, command, task);
    rt_command_step(command, RT_STEP_FINISH);
    rt_graph_book_access(scheduler, command, task->from, RT_ACCESS_READ);
    if (task->to) rt_graph_book_access(scheduler, command, task->to, RT_ACCESS_WRITE);
    scheduler->queues.items[queue].last = command->id;
    *out_command = command->id;
    if (runs)
        RT_COMMAND_TRACE(scheduler, command, HOST_TASK, RT_T("from", task->from->name),
                         RT_T("to", task->to ? task->to->name : (rt_text){0}),
                         RT_N("queue", queue));
    return RT_STATUS_OK;
}

rt_status rt_scheduler_host_task(rt_scheduler *scheduler, rt_queue_id queue,
                                 const rt_host_task *task, rt_command_id *out_command)
{
    *out_command = RT_COMMAND_NONE;
    rt_handover_point();
    rt_scheduler_lock(scheduler);
    CHECK(queue < scheduler->queues.count);
    rt_status status = check_task(scheduler, queue, task);
    if (rt_ok(status)) status = task_run(scheduler, queue, task, out_command);
    CHECK(rt_ok(status) == (*out_command != RT_COMMAND_NONE));
    rt_scheduler_unlock(scheduler);
    return status;
}
