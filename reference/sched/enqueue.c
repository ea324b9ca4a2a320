/* The enqueue step: the only place that hands commands to a device. */
#include "reference/sched/sched_internal.h"

/* The wait list of a command: the events of its dependencies, in an array that the caller frees. */
static dev_event **wait_list(rt_scheduler *scheduler, const rt_command *command)
{
    dev_event **events = rt_alloc_array(command->dependencies.count + 1, sizeof(dev_event *));
    for (uint32_t i = 0; i < command->dependencies.count; i++) {
        const rt_command *other = scheduler->commands.items[command->dependencies.items[i]];
        CHECK(other->state != RT_COMMAND_SUBMITTED && other->event);
        events[i] = other->event;
    }
    return events;
}

/* The dependencies as numbers for the trace; the caller frees the array. */
static uint64_t *after_list(const rt_command *command)
{
    uint64_t *after = rt_alloc_array(command->dependencies.count + 1, sizeof *after);
    for (uint32_t i = 0; i < command->dependencies.count; i++) {
        after[i] = command->dependencies.items[i];
    }
    return after;
}

static void trace_transfer(rt_scheduler *scheduler, const rt_command *command,
                           const rt_memory *memory)
{
    uint64_t *after = after_list(command);
    const rt_trace_value values[] = {
        RT_N("command", command->id),
        RT_T("memory", memory->name),
        RT_N("device", scheduler->queues.items[command->queue].device->id),
        RT_NS("after", after, command->dependencies.count),
    };
    bool is_upload = command->kind == RT_COMMAND_UPLOAD;
    rt_trace_emit(scheduler->trace, is_upload ? RT_EVENT_UPLOAD : RT_EVENT_HOST_READ, values,
                  sizeof values / sizeof *values);
    rt_free(after);
}

static void trace_launch(rt_scheduler *scheduler, const rt_command *command,
                         const rt_launch *launch)
{
    uint64_t *after = after_list(command);
    const dev_nd_range *range = &launch->range;
    RT_TRACE(scheduler->trace, LAUNCH, RT_N("command", command->id), RT_T("kernel", launch->kernel),
             RT_N("program", command->program->id), RT_N("queue", command->queue),
             RT_NS("global", range->global, range->dimensions),
             RT_NS("local", range->local, range->dimensions),
             RT_NS("offset", range->offset, range->dimensions),
             RT_NS("after", after, command->dependencies.count));
    rt_free(after);
}

/* The arguments as the device takes them; the caller frees the array. */
static dev_argument *device_arguments(const rt_launch *launch, const rt_device *device)
{
    dev_argument *arguments = rt_alloc_array(launch->argument_count + 1, sizeof *arguments);
    for (uint32_t i = 0; i < launch->argument_count; i++) {
        const rt_argument *given = &launch->arguments[i];
        switch (given->kind) {
        case RT_ARGUMENT_MEMORY:
            arguments[i].kind = DEV_ARGUMENT_MEMORY;
            CHECK(device->id < given->memory->copies.count);
            arguments[i].memory = given->memory->copies.items[device->id].memory;
            break;
        case RT_ARGUMENT_BYTES:
            arguments[i].kind = DEV_ARGUMENT_BYTES;
            arguments[i].bytes = given->bytes;
            break;
        case RT_ARGUMENT_LOCAL:
            arguments[i].kind = DEV_ARGUMENT_LOCAL;
            arguments[i].size = given->size;
            break;
        }
    }
    return arguments;
}

static void enqueued(rt_scheduler *scheduler, rt_command *command)
{
    CHECK(command->state == RT_COMMAND_SUBMITTED);
    CHECK(command->event);
    command->state = RT_COMMAND_ENQUEUED;
    /* The runtime's own moves of content are ordered by their memories, not by the queue. */
    if (command->kind == RT_COMMAND_LAUNCH)
        scheduler->queues.items[command->queue].last = command->id;
}

rt_status rt_enqueue_launch(rt_scheduler *scheduler, rt_command *command, dev_kernel *kernel,
                            const rt_launch *launch)
{
    const rt_queue *queue = &scheduler->queues.items[command->queue];
    dev_event **wait = wait_list(scheduler, command);
    dev_argument *arguments = device_arguments(launch, queue->device);
    dev_command how = {command->id, wait, command->dependencies.count};
    rt_status status = dev_enqueue_kernel(queue->queue, how, kernel, &launch->range, arguments,
                                          launch->argument_count, &command->event);
    if (rt_ok(status)) {
        trace_launch(scheduler, command, launch);
        enqueued(scheduler, command);
    }
    rt_free(arguments);
    rt_free(wait);
    return status;
}

rt_status rt_enqueue_transfer(rt_scheduler *scheduler, rt_command *command, rt_memory *memory)
{
    bool is_upload = command->kind == RT_COMMAND_UPLOAD;
    CHECK(is_upload || command->kind == RT_COMMAND_HOST_READ);
    const rt_queue *queue = &scheduler->queues.items[command->queue];
    dev_memory *copy = memory->copies.items[queue->device->id].memory;
    dev_event **wait = wait_list(scheduler, command);
    dev_command how = {command->id, wait, command->dependencies.count};
    rt_status status = is_upload ? dev_enqueue_write(queue->queue, how, copy, 0, memory->size,
                                                     memory->host, &command->event)
                                 : dev_enqueue_read(queue->queue, how, copy, 0, memory->size,
                                                    memory->host, &command->event);
    if (rt_ok(status)) {
        trace_transfer(scheduler, command, memory);
        enqueued(scheduler, command);
    }
    rt_free(wait);
    return status;
}
