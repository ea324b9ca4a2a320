/* Submission: from what the application asks for to nodes of the graph. */
#include "reference/sched/sched_internal.h"

rt_scheduler *rt_scheduler_create(rt_sink *sink, rt_trace *trace, rt_program_manager *programs)
{
    rt_scheduler *scheduler = rt_alloc(sizeof *scheduler);
    scheduler->sink = sink;
    scheduler->trace = trace;
    scheduler->programs = programs;
    pthread_mutex_init(&scheduler->lock, NULL);
    return scheduler;
}

void rt_scheduler_destroy(rt_scheduler *scheduler)
{
    if (!scheduler) return;
    rt_status lost = rt_scheduler_wait(scheduler);
    (void)lost; /* Nobody is left to be told. */
    for (uint32_t i = 0; i < scheduler->commands.count; i++) {
        rt_command *command = scheduler->commands.items[i];
        CHECK(command->state == RT_COMMAND_DONE && !command->program);
        dev_event_destroy(command->event);
        rt_vector_free(&command->dependencies);
        rt_free(command);
    }
    for (uint32_t i = 0; i < scheduler->queues.count; i++) {
        dev_queue_destroy(scheduler->queues.items[i].queue);
    }
    for (uint32_t i = 0; i < scheduler->uses.count; i++) {
        rt_vector_free(&scheduler->uses.items[i].readers);
    }
    rt_vector_free(&scheduler->uses);
    rt_vector_free(&scheduler->commands);
    rt_vector_free(&scheduler->queues);
    pthread_mutex_destroy(&scheduler->lock);
    rt_free(scheduler);
}

rt_status rt_scheduler_queue_create(rt_scheduler *scheduler, const rt_device *device, bool in_order,
                                    rt_queue_id *out_queue)
{
    *out_queue = UINT32_MAX;
    dev_queue *queue = NULL;
    RT_TRY(dev_queue_create(device->device, &queue));
    pthread_mutex_lock(&scheduler->lock);
    *out_queue = scheduler->queues.count;
    *rt_vector_push(&scheduler->queues) =
        (rt_queue){.device = device, .queue = queue, .in_order = in_order, .last = RT_COMMAND_NONE};
    pthread_mutex_unlock(&scheduler->lock);
    return RT_STATUS_OK;
}

/* The first queue of a device: commands that the runtime adds itself go there. */
static rt_queue_id queue_of_device(const rt_scheduler *scheduler, uint32_t device)
{
    for (uint32_t i = 0; i < scheduler->queues.count; i++) {
        if (scheduler->queues.items[i].device->id == device) return i;
    }
    UNREACHABLE(); /* Content is on a device only after a command of one of its queues. */
}

/* Adds the command that reads a device's copy to the host bytes. */
static rt_status add_host_read(rt_scheduler *scheduler, rt_memory *memory,
                               rt_command_id *out_command)
{
    uint32_t device = rt_memory_valid_device(memory);
    CHECK(device != UINT32_MAX);
    rt_queue_id queue = queue_of_device(scheduler, device);
    rt_command *command = rt_graph_add(scheduler, RT_COMMAND_HOST_READ, queue);
    rt_graph_depend_on_memory(scheduler, command, memory, RT_ACCESS_READ);
    rt_status status = rt_enqueue_transfer(scheduler, command, memory);
    if (!rt_ok(status)) {
        rt_graph_remove_last(scheduler, command);
        return status;
    }
    rt_graph_book_access(scheduler, command, memory, RT_ACCESS_READ);
    rt_memory_downloaded(memory);
    *out_command = command->id;
    return RT_STATUS_OK;
}

/* Makes the memory's latest content present on the queue's device. */
static rt_status bring_to_device(rt_scheduler *scheduler, rt_queue_id queue, rt_memory *memory)
{
    const rt_device *device = scheduler->queues.items[queue].device;
    dev_memory *copy = NULL;
    RT_TRY(rt_memory_on_device(memory, device, &copy));
    if (!rt_memory_needs_upload(memory, device)) return RT_STATUS_OK;
    rt_command_id download = RT_COMMAND_NONE;
    if (!memory->host_valid) RT_TRY(add_host_read(scheduler, memory, &download));
    rt_command *command = rt_graph_add(scheduler, RT_COMMAND_UPLOAD, queue);
    rt_graph_depend(command, download);
    rt_graph_depend_on_memory(scheduler, command, memory, RT_ACCESS_WRITE);
    rt_status status = rt_enqueue_transfer(scheduler, command, memory);
    if (!rt_ok(status)) {
        rt_graph_remove_last(scheduler, command);
        return status;
    }
    rt_graph_book_access(scheduler, command, memory, RT_ACCESS_WRITE);
    rt_memory_uploaded(memory, device);
    return RT_STATUS_OK;
}

static rt_status bring_arguments(rt_scheduler *scheduler, rt_queue_id queue,
                                 const rt_launch *launch)
{
    for (uint32_t i = 0; i < launch->argument_count; i++) {
        const rt_argument *argument = &launch->arguments[i];
        if (argument->kind != RT_ARGUMENT_MEMORY) continue;
        RT_TRY(bring_to_device(scheduler, queue, argument->memory));
    }
    return RT_STATUS_OK;
}

static void add_dependencies(rt_scheduler *scheduler, rt_command *command, const rt_launch *launch)
{
    const rt_queue *queue = &scheduler->queues.items[command->queue];
    if (queue->in_order) rt_graph_depend(command, queue->last);
    for (uint32_t i = 0; i < launch->after_count; i++) {
        CHECK(launch->after[i] < command->id);
        rt_graph_depend(command, launch->after[i]);
    }
    for (uint32_t i = 0; i < launch->argument_count; i++) {
        const rt_argument *argument = &launch->arguments[i];
        if (argument->kind != RT_ARGUMENT_MEMORY) continue;
        rt_graph_depend_on_memory(scheduler, command, argument->memory, argument->access);
    }
}

static void book_accesses(rt_scheduler *scheduler, const rt_command *command,
                          const rt_launch *launch)
{
    const rt_device *device = scheduler->queues.items[command->queue].device;
    for (uint32_t i = 0; i < launch->argument_count; i++) {
        const rt_argument *argument = &launch->arguments[i];
        if (argument->kind != RT_ARGUMENT_MEMORY) continue;
        rt_graph_book_access(scheduler, command, argument->memory, argument->access);
        if (argument->access != RT_ACCESS_READ) rt_memory_written(argument->memory, device);
    }
}

/* The graph's part of a launch, called with the lock held.  On success the command owns program. */
static rt_status submit_launch(rt_scheduler *scheduler, rt_queue_id queue, const rt_launch *launch,
                               rt_program *program, dev_kernel *kernel, rt_command_id *out_command)
{
    RT_TRY(bring_arguments(scheduler, queue, launch));
    rt_command *command = rt_graph_add(scheduler, RT_COMMAND_LAUNCH, queue);
    add_dependencies(scheduler, command, launch);
    command->program = program;
    rt_status status = rt_enqueue_launch(scheduler, command, kernel, launch);
    if (!rt_ok(status)) {
        rt_graph_remove_last(scheduler, command);
        return status;
    }
    book_accesses(scheduler, command, launch);
    *out_command = command->id;
    return RT_STATUS_OK;
}

static rt_status check_argument_count(rt_scheduler *scheduler, const rt_launch *launch,
                                      dev_kernel *kernel)
{
    uint32_t parameter_count = dev_kernel_argument_count(kernel);
    if (parameter_count == DEV_ARGUMENT_COUNT_UNKNOWN) return RT_STATUS_OK;
    if (parameter_count == launch->argument_count) return RT_STATUS_OK;
    return rt_fail_naming(scheduler->sink, RT_ERRC_KERNEL_ARGUMENT, RT_RULE_NONE, &launch->kernel,
                          1, "kernel '%.*s' has %u parameters, the launch gives %u arguments",
                          RT_TEXT_ARG(launch->kernel), parameter_count, launch->argument_count);
}

rt_status rt_scheduler_launch(rt_scheduler *scheduler, rt_queue_id queue, const rt_launch *launch,
                              rt_command_id *out_command)
{
    *out_command = RT_COMMAND_NONE;
    pthread_mutex_lock(&scheduler->lock);
    CHECK(queue < scheduler->queues.count);
    const rt_device *device = scheduler->queues.items[queue].device;
    pthread_mutex_unlock(&scheduler->lock);

    rt_program *program = NULL;
    dev_kernel *kernel = NULL;
    RT_TRY(
        rt_program_manager_kernel(scheduler->programs, device, launch->kernel, &program, &kernel));
    rt_status status = check_argument_count(scheduler, launch, kernel);
    if (rt_ok(status)) {
        pthread_mutex_lock(&scheduler->lock);
        status = submit_launch(scheduler, queue, launch, program, kernel, out_command);
        pthread_mutex_unlock(&scheduler->lock);
    }
    if (!rt_ok(status)) rt_program_release(scheduler->programs, program);
    return status;
}

rt_status rt_scheduler_host_read(rt_scheduler *scheduler, rt_memory *memory)
{
    rt_command_id newest = RT_COMMAND_NONE;
    rt_status status = RT_STATUS_OK;
    pthread_mutex_lock(&scheduler->lock);
    if (!memory->host_valid) {
        status = add_host_read(scheduler, memory, &newest);
    } else if (memory->id < scheduler->uses.count) {
        /* A read that another host access asked for may still be on its way. */
        newest = scheduler->uses.items[memory->id].download;
    }
    pthread_mutex_unlock(&scheduler->lock);
    if (rt_ok(status) && newest != RT_COMMAND_NONE) status = rt_command_wait(scheduler, newest);
    return status;
}
