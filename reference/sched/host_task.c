/* Host tasks: host code as nodes of the command graph.
 *
 * A task runs inside its submission, as soon as all its dependencies are done; SYCL does not
 * specify when.  One that the application has yet to release, by completing a user event, is
 * deferred: it runs inside that call, and other commands wait for an event that the runtime
 * completes.  Source: SYCL 2020, 4.10 "Host tasks". */
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

/* Writes a memory on the queue's device, where a deferred task has to leave it: commands that were
 * submitted meanwhile use it there. */
static rt_status write_on_device(rt_scheduler *scheduler, const rt_command *command,
                                 rt_memory *memory, const void *bytes)
{
    const rt_queue *queue = &scheduler->queues.items[command->queue];
    const dev_command move = {.tag = command->id};
    dev_memory *copy = NULL;
    dev_event *event = NULL;
    RT_TRY(rt_memory_on_device(memory, queue->device, &copy));
    RT_TRY(dev_enqueue_write(queue->queue, move, copy, 0, memory->size, bytes, &event));
    rt_status status = dev_event_wait(event);
    dev_event_destroy(event);
    return status;
}

/* The task's own code: waits for the command that it is to wait for, then copies. */
static rt_status task_body(rt_scheduler *scheduler, const rt_command *command, const rt_task *task)
{
    if (task->awaited != RT_COMMAND_NONE) {
        rt_sync_command(scheduler, task->awaited);
        const rt_command *awaited = scheduler->commands.items[task->awaited];
        rt_status ignored = awaited->event ? dev_event_wait(awaited->event) : awaited->result;
        (void)ignored;
    }
    if (!task->to) return RT_STATUS_OK;
    bool is_deferred = command->event != NULL;
    if (rt_memory_is_usm(task->from))
        RT_TRY(access_usm(scheduler, command, task->from, RT_ACCESS_READ));
    CHECK(rt_memory_is_usm(task->from) || task->from->host_valid || is_deferred);
    CHECK(task->from->size == task->to->size);
    if (is_deferred) return write_on_device(scheduler, command, task->to, task->from->host);
    memcpy(task->to->host, task->from->host, task->to->size);
    if (rt_memory_is_usm(task->to))
        return access_usm(scheduler, command, task->to, RT_ACCESS_WRITE);
    rt_memory_host_written(task->to);
    return RT_STATUS_OK;
}

static void task_trace(rt_scheduler *scheduler, const rt_command *command, const rt_task *task)
{
    RT_COMMAND_TRACE(scheduler, command, HOST_TASK, RT_T("from", task->from->name),
                     RT_T("to", task->to ? task->to->name : (rt_text){0}),
                     RT_N("queue", command->queue));
}

/* Waits for the predecessors, the first failure of which becomes the task's result, and runs it. */
static void task_finish(rt_scheduler *scheduler, rt_command *command, const rt_task *task)
{
    command->result = rt_await_predecessors(scheduler, command);
    bool runs = rt_ok(command->result);
    if (runs) command->result = task_body(scheduler, command, task);
    if (command->event) {
        rt_status completed = dev_host_event_complete(command->event, !rt_ok(command->result));
        if (rt_ok(command->result)) command->result = completed;
    }
    rt_command_step(command, RT_STEP_FINISH);
    if (runs) task_trace(scheduler, command, task);
}

/* ---- Deferred tasks ----------------------------------------------------------------------- */

/* True if the application has to complete a user event before the task can end. */
static bool is_held_back(rt_scheduler *scheduler, const rt_command *command, const rt_task *task)
{
    /* The task itself does not count. */
    for (uint32_t i = 0; i < command->dependencies.count; i++)
        if (rt_command_opener(scheduler, command->dependencies.items[i])) return true;
    return task->awaited != RT_COMMAND_NONE && rt_command_opener(scheduler, task->awaited);
}

/* Keeps the task for later.  What it writes is then on the device. */
static rt_status task_defer(rt_scheduler *scheduler, rt_command *command, const rt_task *task)
{
    dev_memory *copy = NULL;
    if (task->to) RT_TRY(rt_memory_on_device(task->to, command->device, &copy));
    RT_TRY(dev_host_event_create(command->device->device, &command->event));
    command->task = rt_alloc(sizeof *command->task);
    *command->task = *task;
    *rt_vector_push(&scheduler->deferred) = command->id;
    rt_command_step(command, RT_STEP_HAND_OVER);
    if (task->to) rt_memory_written(task->to, command->device);
    return RT_STATUS_OK;
}

void rt_tasks_run(rt_scheduler *scheduler)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < scheduler->deferred.count; i++) {
        rt_command *command = scheduler->commands.items[scheduler->deferred.items[i]];
        const rt_task task = *command->task;
        if (is_held_back(scheduler, command, &task)) {
            scheduler->deferred.items[kept++] = command->id;
            continue;
        }
        rt_free(command->task);
        command->task = NULL;
        task_finish(scheduler, command, &task);
    }
    scheduler->deferred.count = kept;
}

/* ---- Submission --------------------------------------------------------------------------- */

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

/* Creates the node, waits for its predecessors and runs the task, or defers it.  An error is
 * returned only if the queue has ended, or the device refuses to move the contents before the task
 * or has no event for it. */
static rt_status task_run(rt_scheduler *scheduler, rt_queue_id queue, const rt_host_task *request,
                          rt_command_id *out_command)
{
    const rt_task task = {request->from, request->to,
                          request->awaited ? *request->awaited : RT_COMMAND_NONE};
    rt_command_id download = RT_COMMAND_NONE;
    rt_not_fused_task(scheduler, queue);
    scheduler->cause = RT_SYNC_REASON_HOST_TASK;
    RT_TRY(contents_bring(scheduler, queue, request, &download));
    const rt_access_list no_accesses = {0};
    const rt_submission submission = {.queue = queue,
                                      .kind = RT_COMMAND_HOST_TASK,
                                      .accesses = &no_accesses,
                                      .after = request->after,
                                      .after_count = request->after_count};
    rt_command *command = NULL;
    RT_TRY(rt_submission_begin(scheduler, &submission, &command));
    rt_graph_depend(scheduler, command, download);
    rt_graph_depend_on_memory(scheduler, command, task.from, RT_ACCESS_READ);
    if (task.to) rt_graph_depend_on_memory(scheduler, command, task.to, RT_ACCESS_WRITE);
    rt_sync_dependencies(scheduler, command);
    bool is_deferred =
        command->device->capabilities.host_events && is_held_back(scheduler, command, &task);
    if (!is_deferred) {
        task_finish(scheduler, command, &task);
    } else {
        rt_status deferred = task_defer(scheduler, command, &task);
        if (!rt_ok(deferred)) {
            rt_graph_remove_last(scheduler, command);
            return deferred;
        }
    }
    rt_graph_book_access(scheduler, command, task.from, RT_ACCESS_READ);
    if (task.to) rt_graph_book_access(scheduler, command, task.to, RT_ACCESS_WRITE);
    scheduler->queues.items[queue].last = command->id;
    *out_command = command->id;
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
