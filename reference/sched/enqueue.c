/* The enqueue step: the only place that hands commands to a device. */
#include "reference/sched/sched_internal.h"

#include "reference/base/number.h"

#include <string.h>

static const rt_device *device_of(const rt_scheduler *scheduler, const rt_command *command)
{
    return scheduler->queues.items[command->queue].device;
}

/* The device's copy of a memory that was brought there. */
static dev_memory *copy_on(const rt_memory *memory, const rt_device *device)
{
    CHECK(device->id < memory->copies.count);
    dev_memory *copy = memory->copies.items[device->id].memory;
    CHECK(copy != NULL);
    return copy;
}

/* ---- Dependencies ------------------------------------------------------------------------- */

/* No device has an event for the end of a fusion, which is the host's (KF-EVENT-06): waits for what
 * it stands for and returns the first failure. */
static rt_status wait_for_fusion(const rt_scheduler *scheduler, const rt_command *fusion)
{
    CHECK(!fusion->event);
    rt_status failure = RT_STATUS_OK;
    for (uint32_t i = 0; i < fusion->dependencies.count; i++) {
        const rt_command *other = scheduler->commands.items[fusion->dependencies.items[i]];
        CHECK(other->state != RT_COMMAND_SUBMITTED);
        rt_status result = other->result;
        if (other->event && other->state != RT_COMMAND_DONE) result = dev_event_wait(other->event);
        if (rt_ok(failure)) failure = result;
    }
    return failure;
}

/* Splits the dependencies: events of the command's own device become its wait list, which the
 * caller frees; the others are waited for here.  Returns the failure of one that did not go to the
 * command's device, so that the device cannot hold the command back. */
static rt_status resolve_dependencies(rt_scheduler *scheduler, rt_command *command,
                                      dev_event ***out_events, uint32_t *out_count)
{
    rt_sync_dependencies(scheduler, command);
    const rt_device *device = device_of(scheduler, command);
    dev_event **events = rt_alloc_array(command->dependencies.count + 1, sizeof(dev_event *));
    uint32_t count = 0;
    rt_status failure = RT_STATUS_OK;
    for (uint32_t i = 0; i < command->dependencies.count; i++) {
        const rt_command *other = scheduler->commands.items[command->dependencies.items[i]];
        CHECK(other->state != RT_COMMAND_SUBMITTED);
        rt_status result = other->result;
        if (other->kind == RT_COMMAND_FUSION && RULE(KF_EVENT_06))
            result = wait_for_fusion(scheduler, other);
        if (other->event && device_of(scheduler, other) == device) {
            events[count++] = other->event;
            continue;
        }
        if (other->event && other->state != RT_COMMAND_DONE) result = dev_event_wait(other->event);
        if (rt_ok(failure)) failure = result;
    }
    *out_events = events;
    *out_count = count;
    return failure;
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

/* ---- Trace -------------------------------------------------------------------------------- */

static void trace_move(rt_scheduler *scheduler, const rt_command *command, const rt_memory *memory)
{
    uint64_t *after = after_list(command);
    const rt_trace_value values[] = {
        RT_N("command", command->id),
        RT_T("memory", memory->name),
        RT_N("device", device_of(scheduler, command)->id),
        RT_NS("after", after, command->dependencies.count),
    };
    bool is_upload = command->kind == RT_COMMAND_UPLOAD;
    rt_trace_emit(scheduler->trace, is_upload ? RT_EVENT_UPLOAD : RT_EVENT_HOST_READ, values,
                  sizeof values / sizeof *values);
    rt_free(after);
}

static void trace_copy(rt_scheduler *scheduler, const rt_command *command,
                       const rt_transfer *transfer)
{
    uint64_t *after = after_list(command);
    RT_TRACE(scheduler->trace, COPY, RT_N("command", command->id),
             RT_T("from", transfer->from->name), RT_N("from_offset", transfer->from_offset),
             RT_T("to", transfer->to->name), RT_N("to_offset", transfer->to_offset),
             RT_N("size", transfer->size), RT_N("queue", command->queue),
             RT_N("device", device_of(scheduler, command)->id),
             RT_NS("after", after, command->dependencies.count));
    rt_free(after);
}

/* A copy one end of which is a variable of a program. */
static void trace_variable(rt_scheduler *scheduler, const rt_command *command,
                           const rt_transfer *transfer)
{
    uint64_t *after = after_list(command);
    bool writes = transfer->to->kind == DEV_MEMORY_GLOBAL;
    const rt_memory *memory = writes ? transfer->from : transfer->to;
    const rt_trace_value values[] = {
        RT_N("command", command->id),
        RT_T("variable", (writes ? transfer->to : transfer->from)->name),
        RT_N("program", command->program->id),
        RT_N("offset", writes ? transfer->to_offset : transfer->from_offset),
        RT_T("memory", memory->name),
        RT_N("memory_offset", writes ? transfer->from_offset : transfer->to_offset),
        RT_N("size", transfer->size),
        RT_N("queue", command->queue),
        RT_N("device", device_of(scheduler, command)->id),
        RT_NS("after", after, command->dependencies.count),
    };
    rt_trace_emit(scheduler->trace,
                  writes ? RT_EVENT_DEVICE_GLOBAL_WRITE : RT_EVENT_DEVICE_GLOBAL_READ, values,
                  sizeof values / sizeof *values);
    rt_free(after);
}

static void trace_zero(rt_scheduler *scheduler, const rt_command *command, const rt_memory *memory,
                       uint64_t size)
{
    uint64_t *after = after_list(command);
    RT_TRACE(scheduler->trace, DEVICE_GLOBAL_ZERO, RT_N("command", command->id),
             RT_T("variable", memory->name), RT_N("size", size),
             RT_N("device", device_of(scheduler, command)->id),
             RT_NS("after", after, command->dependencies.count));
    rt_free(after);
}

static void trace_point(rt_scheduler *scheduler, const rt_command *command,
                        const rt_program *program, const rt_program_global *global)
{
    uint64_t *after = after_list(command);
    RT_TRACE(scheduler->trace, DEVICE_GLOBAL_POINT, RT_N("command", command->id),
             RT_T("variable", global->entry->name), RT_T("id", global->entry->unique_id),
             RT_N("program", program->id), RT_N("offset", 0), RT_N("size", sizeof global->pointer),
             RT_N("device", device_of(scheduler, command)->id),
             RT_NS("after", after, command->dependencies.count));
    rt_free(after);
}

static void trace_fill(rt_scheduler *scheduler, const rt_command *command,
                       const rt_transfer *transfer)
{
    uint64_t *after = after_list(command);
    rt_buffer pattern = {0}; /* The bytes in their order. */
    rt_buffer_append_hex(&pattern, transfer->pattern);
    RT_TRACE(scheduler->trace, FILL, RT_N("command", command->id),
             RT_T("memory", transfer->to->name), RT_N("offset", transfer->to_offset),
             RT_N("size", transfer->size), RT_T("pattern", rt_buffer_text(&pattern)),
             RT_N("queue", command->queue), RT_N("device", device_of(scheduler, command)->id),
             RT_NS("after", after, command->dependencies.count));
    rt_buffer_free(&pattern);
    rt_free(after);
}

static void trace_launch(rt_scheduler *scheduler, const rt_command *command,
                         const rt_launch *launch)
{
    uint64_t *after = after_list(command);
    const dev_nd_range *range = &launch->range;
    RT_TRACE(scheduler->trace, LAUNCH, RT_N("command", command->id), RT_T("kernel", launch->kernel),
             RT_N("program", command->program->id), RT_N("queue", command->queue),
             RT_N("device", device_of(scheduler, command)->id),
             RT_NS("global", range->global, range->dimensions),
             RT_NS("local", range->local, range->dimensions),
             RT_NS("offset", range->offset, range->dimensions),
             RT_NS("after", after, command->dependencies.count));
    rt_free(after);
}

/* ---- Arguments ---------------------------------------------------------------------------- */

/* A copy of the value with the addresses of its inner pointers in place, in the arena. */
static rt_bytes value_with_pointers(rt_arena *arena, const rt_argument *given,
                                    const rt_device *device)
{
    uint8_t *bytes = rt_arena_alloc(arena, given->bytes.size);
    memcpy(bytes, given->bytes.data, given->bytes.size);
    for (uint32_t i = 0; i < given->pointer_count; i++) {
        const rt_inner_pointer *pointer = &given->pointers[i];
        CHECK(pointer->at <= given->bytes.size && given->bytes.size - pointer->at >= 8);
        uint64_t address = dev_memory_address(copy_on(pointer->memory, device));
        address += pointer->offset;
        for (uint32_t k = 0; k < 8; k++)
            bytes[pointer->at + k] = (uint8_t)(address >> (8 * k));
    }
    return (rt_bytes){bytes, given->bytes.size};
}

static dev_argument device_argument(rt_arena *arena, const rt_argument *given,
                                    const rt_device *device)
{
    switch (given->kind) {
    case RT_ARGUMENT_MEMORY:
        CHECK(!rt_memory_is_usm(given->memory));
        return (dev_argument){.kind = DEV_ARGUMENT_MEMORY,
                              .memory = copy_on(given->memory, device)};
    case RT_ARGUMENT_POINTER:
        CHECK(rt_memory_is_usm(given->memory));
        return (dev_argument){.kind = DEV_ARGUMENT_POINTER,
                              .memory = copy_on(given->memory, device),
                              .offset = given->offset};
    case RT_ARGUMENT_NULL: return (dev_argument){.kind = DEV_ARGUMENT_MEMORY};
    case RT_ARGUMENT_BYTES:
        return (dev_argument){.kind = DEV_ARGUMENT_BYTES,
                              .bytes = given->pointer_count
                                           ? value_with_pointers(arena, given, device)
                                           : given->bytes};
    case RT_ARGUMENT_LOCAL: return (dev_argument){.kind = DEV_ARGUMENT_LOCAL, .size = given->size};
    }
    UNREACHABLE();
}

/* The arguments as the device takes them, in the arena. */
static dev_argument *device_arguments(rt_arena *arena, const rt_launch *launch,
                                      const rt_device *device)
{
    dev_argument *arguments =
        rt_arena_alloc_array(arena, launch->argument_count, sizeof *arguments);
    for (uint32_t i = 0; i < launch->argument_count; i++)
        arguments[i] = device_argument(arena, &launch->arguments[i], device);
    return arguments;
}

/* ---- Enqueueing --------------------------------------------------------------------------- */

/* The command is the device's from now on, or held back for ever with that failure. */
static void enqueued(rt_command *command, rt_status held_back)
{
    CHECK(command->state == RT_COMMAND_SUBMITTED);
    CHECK(rt_ok(held_back) == (command->event != NULL));
    command->state = RT_COMMAND_ENQUEUED;
    command->result = held_back;
}

rt_status rt_enqueue_launch(rt_scheduler *scheduler, rt_command *command, dev_kernel *kernel,
                            const rt_launch *launch)
{
    const rt_queue *queue = &scheduler->queues.items[command->queue];
    dev_command how = {.tag = command->id};
    dev_event **wait = NULL;
    rt_status held_back = resolve_dependencies(scheduler, command, &wait, &how.wait_count);
    how.wait = wait;
    rt_arena arena = {0};
    rt_status status = RT_STATUS_OK;
    if (rt_ok(held_back)) {
        rt_launch passed = rt_launch_pass(&arena, command->program, launch);
        dev_argument *arguments = device_arguments(&arena, &passed, queue->device);
        status = dev_enqueue_kernel(queue->queue, how, kernel, &passed.range, arguments,
                                    passed.argument_count, &command->event);
    }
    if (rt_ok(status)) {
        trace_launch(scheduler, command, launch);
        enqueued(command, held_back);
    }
    rt_arena_reset(&arena);
    rt_free(wait);
    return status;
}

rt_status rt_enqueue_transfer(rt_scheduler *scheduler, rt_command *command,
                              const rt_transfer *transfer)
{
    const rt_queue *queue = &scheduler->queues.items[command->queue];
    bool is_copy = transfer->from != NULL;
    CHECK(command->kind == (is_copy ? RT_COMMAND_COPY : RT_COMMAND_FILL));
    dev_command how = {.tag = command->id};
    dev_event **wait = NULL;
    rt_status held_back = resolve_dependencies(scheduler, command, &wait, &how.wait_count);
    how.wait = wait;
    dev_memory *to = copy_on(transfer->to, queue->device);
    rt_status status = RT_STATUS_OK;
    if (rt_ok(held_back) && is_copy) {
        uint64_t from_offset = transfer->from_offset, to_offset = transfer->to_offset;
        if (transfer->from->kind == DEV_MEMORY_GLOBAL && !RULE(DG_PLUGIN_01)) from_offset = 0;
        if (transfer->to->kind == DEV_MEMORY_GLOBAL && !RULE(DG_PLUGIN_02)) to_offset = 0;
        status = dev_enqueue_copy(queue->queue, how, copy_on(transfer->from, queue->device),
                                  from_offset, to, to_offset, transfer->size, &command->event);
    } else if (rt_ok(held_back)) {
        status = dev_enqueue_fill(queue->queue, how, to, transfer->to_offset, transfer->size,
                                  transfer->pattern, &command->event);
    }
    if (rt_ok(status)) {
        if (is_copy && command->moves_variable) trace_variable(scheduler, command, transfer);
        if (is_copy && !command->moves_variable) trace_copy(scheduler, command, transfer);
        if (!is_copy) trace_fill(scheduler, command, transfer);
        enqueued(command, held_back);
    }
    rt_free(wait);
    return status;
}

rt_status rt_enqueue_move(rt_scheduler *scheduler, rt_command *command, rt_memory *memory)
{
    bool is_upload = command->kind == RT_COMMAND_UPLOAD;
    CHECK(is_upload || command->kind == RT_COMMAND_HOST_READ);
    const rt_queue *queue = &scheduler->queues.items[command->queue];
    dev_memory *copy = copy_on(memory, queue->device);
    dev_command how = {.tag = command->id};
    dev_event **wait = NULL;
    rt_status held_back = resolve_dependencies(scheduler, command, &wait, &how.wait_count);
    how.wait = wait;
    rt_status status = RT_STATUS_OK;
    if (rt_ok(held_back) && is_upload) {
        status = dev_enqueue_write(queue->queue, how, copy, 0, memory->size, memory->host,
                                   &command->event);
    } else if (rt_ok(held_back)) {
        status = dev_enqueue_read(queue->queue, how, copy, 0, memory->size, memory->host,
                                  &command->event);
    }
    if (rt_ok(status)) {
        trace_move(scheduler, command, memory);
        enqueued(command, held_back);
    }
    rt_free(wait);
    return status;
}

rt_status rt_enqueue_zero(rt_scheduler *scheduler, rt_command *command, rt_memory *memory,
                          uint64_t size)
{
    CHECK(command->kind == RT_COMMAND_ZERO && command->dependencies.count == 0);
    const rt_queue *queue = &scheduler->queues.items[command->queue];
    static const uint8_t zero[1] = {0};
    RT_TRY(dev_enqueue_fill(queue->queue, (dev_command){.tag = command->id},
                            copy_on(memory, queue->device), 0, size, (rt_bytes){zero, sizeof zero},
                            &command->event));
    trace_zero(scheduler, command, memory, size);
    enqueued(command, RT_STATUS_OK);
    return RT_STATUS_OK;
}

rt_status rt_enqueue_point(rt_scheduler *scheduler, rt_command *command, const rt_program *program,
                           const rt_program_global *global)
{
    CHECK(command->kind == RT_COMMAND_POINT && command->dependencies.count == 0);
    CHECK(global->variable && global->variable->kind == DEV_MEMORY_GLOBAL);
    const rt_queue *queue = &scheduler->queues.items[command->queue];
    dev_memory *variable = copy_on(global->variable, queue->device);
    dev_command how = {.tag = command->id};
    /* Broken: a fill, of which no pattern but zeros would be known to fit. */
    static const uint8_t zeros[sizeof global->pointer];
    RT_TRY(RULE(DG_INIT_07)
               ? dev_enqueue_write(queue->queue, how, variable, 0, sizeof global->pointer,
                                   global->pointer, &command->event)
               : dev_enqueue_fill(queue->queue, how, variable, 0, sizeof global->pointer,
                                  (rt_bytes){zeros, sizeof zeros}, &command->event));
    trace_point(scheduler, command, program, global);
    enqueued(command, RT_STATUS_OK);
    return RT_STATUS_OK;
}

rt_status rt_enqueue_host_task(rt_scheduler *scheduler, rt_command *command)
{
    dev_event **events = NULL;
    uint32_t count = 0;
    rt_status failure = resolve_dependencies(scheduler, command, &events, &count);
    for (uint32_t i = 0; i < count; i++) {
        rt_status waited = dev_event_wait(events[i]);
        if (rt_ok(failure)) failure = waited;
    }
    rt_free(events);
    return failure;
}
