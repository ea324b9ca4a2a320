/* The enqueue step: the only code that hands commands to a device. */
#include "reference/sched/sched_internal.h"

#include "reference/base/number.h"

#include <string.h>

/* The device's copy of a memory, which must exist. */
static dev_memory *copy_on(const rt_memory *memory, const rt_device *device)
{
    CHECK(device->id < memory->copies.count);
    dev_memory *copy = memory->copies.items[device->id].memory;
    CHECK(copy != NULL);
    CHECK_IMPLIES(rt_memory_is_usm(memory), memory->usm_device == device);
    return copy;
}

/* ---- Dependencies ------------------------------------------------------------------------- */

/* Waits for the commands that the end of a fusion represents and returns the first failure.  The
 * end of a fusion is a host event (KF-EVENT-06), so no device has an event for it. */
static rt_status wait_for_fusion(rt_scheduler *scheduler, const rt_command *fusion)
{
    RT_TRY(rt_command_wait_check(scheduler, fusion->id));
    CHECK(fusion->kind == RT_COMMAND_FUSION && !fusion->event);
    rt_status failure = RT_STATUS_OK;
    for (uint32_t i = 0; i < fusion->dependencies.count; i++) {
        const rt_command *other = scheduler->commands.items[fusion->dependencies.items[i]];
        CHECK(!rt_command_is_pending(other));
        rt_status result = other->event ? dev_event_wait(other->event) : other->result;
        if (rt_ok(failure)) failure = result;
    }
    return failure;
}

/* A command on its way to a device. */
typedef struct handover {
    const rt_queue *queue;
    dev_command command;
    dev_event **events; /* the command's wait list; owned */
    /* The failure of a predecessor for whose event the device cannot wait.  The device cannot hold
     * the command back, so the command is not handed over at all. */
    rt_status failure;
} handover;

/* Waits for a command whose event the device of another one does not know. */
static rt_status wait_on_host(rt_scheduler *scheduler, const rt_command *other)
{
    if (!other->event) return other->result;
    RT_TRY(rt_command_wait_check(scheduler, other->id));
    return dev_event_wait(other->event);
}

/* Waits until a barrier lets a host task run, which the device's queue does not hold back. */
static void wait_for_barrier(rt_scheduler *scheduler, const rt_command *barrier)
{
    rt_status ordered = wait_on_host(scheduler, barrier);
    for (uint32_t i = 0; i < barrier->dependencies.count && !barrier->event; i++)
        ordered =
            wait_on_host(scheduler, scheduler->commands.items[barrier->dependencies.items[i]]);
    (void)ordered; /* a barrier only orders */
}

static rt_status predecessor_wait(rt_scheduler *scheduler, const rt_command *other)
{
    return other->kind == RT_COMMAND_FUSION ? RULE(KF_EVENT_06, wait_for_fusion(scheduler, other))
                                            : wait_on_host(scheduler, other);
}

rt_status rt_await_predecessors(rt_scheduler *scheduler, const rt_command *command)
{
    CHECK(command->kind == RT_COMMAND_HOST_TASK);
    rt_status failure = RT_STATUS_OK;
    for (uint32_t i = 0; i < command->dependencies.count; i++) {
        const rt_command *other = scheduler->commands.items[command->dependencies.items[i]];
        CHECK(!rt_command_is_pending(other));
        if (other->id == command->barrier) {
            wait_for_barrier(scheduler, other);
            continue;
        }
        rt_status result = predecessor_wait(scheduler, other);
        if (rt_ok(failure)) failure = result;
    }
    return failure;
}

/* Splits the dependencies: events of the command's own device become its wait list; other events
 * are waited for here. */
static handover handover_begin(rt_scheduler *scheduler, rt_command *command)
{
    CHECK(rt_command_is_pending(command) && !command->event);
    rt_sync_dependencies(scheduler, command);
    const rt_device *device = command->device;
    dev_event **events = rt_alloc_array(command->dependencies.count, sizeof(dev_event *));
    uint32_t count = 0;
    rt_status failure = RT_STATUS_OK;
    for (uint32_t i = 0; i < command->dependencies.count; i++) {
        const rt_command *other = scheduler->commands.items[command->dependencies.items[i]];
        CHECK(!rt_command_is_pending(other));
        /* The device's queue holds the command back, without an entry in the list. */
        if (other->id == command->barrier) continue;
        if (other->event && other->device == device) {
            events[count++] = other->event;
            continue;
        }
        rt_status result = predecessor_wait(scheduler, other);
        if (rt_ok(failure)) failure = result;
    }
    CHECK(count <= command->dependencies.count);
    return (handover){
        .queue = &scheduler->queues.items[command->queue],
        .command = {.tag = command->id, .wait = events, .wait_count = count},
        .events = events,
        .failure = failure,
    };
}

/* Ends the step with the status that the device returned.  True: the device has the command, which
 * the caller now traces.  False: nothing reached the device, which either refused the command
 * (whose state has not changed) or was not called because of the failure of a predecessor (which
 * has stopped the command). */
static bool handover_end(rt_command *command, const handover *step, rt_status answer)
{
    rt_free(step->events);
    CHECK_IMPLIES(!rt_ok(answer), rt_ok(step->failure) && !command->event);
    if (!rt_ok(answer)) return false;
    bool is_handed_over = rt_ok(step->failure);
    CHECK(is_handed_over == (command->event != NULL));
    command->result = step->failure;
    rt_command_step(command, is_handed_over ? RT_STEP_HAND_OVER : RT_STEP_STOP);
    return is_handed_over;
}

/* ---- Arguments ---------------------------------------------------------------------------- */

/* A copy of the value, allocated in the arena, with the addresses of its inner pointers filled in.
 */
static rt_bytes value_with_pointers(rt_arena *arena, const rt_argument *argument,
                                    const rt_device *device)
{
    uint8_t *bytes = rt_arena_alloc(arena, argument->bytes.size);
    memcpy(bytes, argument->bytes.data, argument->bytes.size);
    for (uint32_t i = 0; i < argument->pointer_count; i++) {
        const rt_inner_pointer *pointer = &argument->pointers[i];
        CHECK(pointer->at <= argument->bytes.size && argument->bytes.size - pointer->at >= 8);
        uint64_t address = dev_memory_address(copy_on(pointer->memory, device));
        CHECK(pointer->offset <= pointer->memory->size);
        address += pointer->offset;
        for (uint32_t k = 0; k < 8; k++)
            bytes[pointer->at + k] = (uint8_t)(address >> (8 * k));
    }
    return (rt_bytes){bytes, argument->bytes.size};
}

/* The arguments in the form that devices take, allocated in the arena. */
static dev_argument *device_arguments(rt_arena *arena, const rt_launch *launch,
                                      const rt_device *device)
{
    static const dev_access accesses[] = {
        [RT_ACCESS_READ] = DEV_ACCESS_READ,
        [RT_ACCESS_WRITE] = DEV_ACCESS_WRITE,
        [RT_ACCESS_READ_WRITE] = DEV_ACCESS_READ_WRITE,
    };
    dev_argument *arguments =
        rt_arena_alloc_array(arena, launch->argument_count, sizeof *arguments);
    for (uint32_t i = 0; i < launch->argument_count; i++) {
        const rt_argument *argument = &launch->arguments[i];
        switch (argument->kind) {
        case RT_ARGUMENT_NULL: arguments[i].kind = DEV_ARGUMENT_MEMORY; break;
        case RT_ARGUMENT_MEMORY:
            CHECK(!rt_memory_is_usm(argument->memory));
            arguments[i] = (dev_argument){.kind = DEV_ARGUMENT_MEMORY,
                                          .memory = copy_on(argument->memory, device),
                                          .access = accesses[argument->access]};
            break;
        case RT_ARGUMENT_POINTER:
            CHECK(rt_memory_is_usm(argument->memory));
            CHECK(argument->offset <= argument->memory->size);
            arguments[i] = (dev_argument){.kind = DEV_ARGUMENT_POINTER,
                                          .memory = copy_on(argument->memory, device),
                                          .offset = argument->offset};
            break;
        case RT_ARGUMENT_BYTES:
            arguments[i] = (dev_argument){
                .kind = DEV_ARGUMENT_BYTES,
                .bytes = argument->pointer_count ? value_with_pointers(arena, argument, device)
                                                 : argument->bytes};
            break;
        case RT_ARGUMENT_LOCAL:
            arguments[i] = (dev_argument){.kind = DEV_ARGUMENT_LOCAL, .size = argument->size};
            break;
        }
    }
    return arguments;
}

/* ---- Enqueueing --------------------------------------------------------------------------- */

rt_status rt_enqueue_launch(rt_scheduler *scheduler, rt_command *command, dev_kernel *kernel,
                            const rt_launch *launch)
{
    CHECK(command->kind == RT_COMMAND_LAUNCH && command->program);
    handover step = handover_begin(scheduler, command);
    rt_status status = RT_STATUS_OK;
    if (rt_ok(step.failure)) {
        rt_arena arena = {0};
        rt_launch passed = rt_launch_pass(&arena, command->program, launch);
        dev_argument *arguments = device_arguments(&arena, &passed, step.queue->device);
        status = dev_enqueue_kernel(step.queue->queue, step.command, kernel, &passed.range,
                                    arguments, passed.argument_count, &command->event);
        rt_arena_reset(&arena);
    }
    if (!handover_end(command, &step, status)) return status;
    const dev_nd_range *range = &launch->range;
    RT_COMMAND_TRACE(scheduler, command, LAUNCH, RT_T("kernel", launch->kernel),
                     RT_N("program", command->program->id), RT_N("queue", command->queue),
                     RT_N("device", command->device->id),
                     RT_NS("global", range->global, range->dimensions),
                     RT_NS("local", range->local, range->dimensions),
                     RT_NS("offset", range->offset, range->dimensions));
    return RT_STATUS_OK;
}

static void trace_transfer(rt_scheduler *scheduler, const rt_command *command,
                           const rt_transfer *transfer)
{
    rt_trace_value queue = RT_N("queue", command->queue);
    rt_trace_value device = RT_N("device", command->device->id);
    rt_trace_value size = RT_N("size", transfer->size);
    if (!transfer->from) {
        rt_buffer pattern = {0}; /* hexadecimal, in byte order */
        rt_buffer_append_hex(&pattern, transfer->pattern);
        RT_COMMAND_TRACE(scheduler, command, FILL, RT_T("memory", transfer->to->name),
                         RT_N("offset", transfer->to_offset), size,
                         RT_T("pattern", rt_buffer_text(&pattern)), queue, device);
        rt_buffer_free(&pattern);
        return;
    }
    if (!command->moves_variable) {
        RT_COMMAND_TRACE(scheduler, command, COPY, RT_T("from", transfer->from->name),
                         RT_N("from_offset", transfer->from_offset), RT_T("to", transfer->to->name),
                         RT_N("to_offset", transfer->to_offset), size, queue, device);
        return;
    }
    bool writes = transfer->to->kind == DEV_MEMORY_GLOBAL;
    const rt_memory *variable = writes ? transfer->to : transfer->from;
    const rt_memory *memory = writes ? transfer->from : transfer->to;
    const rt_trace_value values[] = {
        RT_T("variable", variable->name),
        RT_N("program", command->program->id),
        RT_N("offset", writes ? transfer->to_offset : transfer->from_offset),
        RT_T("memory", memory->name),
        RT_N("memory_offset", writes ? transfer->from_offset : transfer->to_offset),
        size,
        queue,
        device,
    };
    rt_command_trace(scheduler, command,
                     writes ? RT_EVENT_DEVICE_GLOBAL_WRITE : RT_EVENT_DEVICE_GLOBAL_READ, values,
                     sizeof values / sizeof *values);
}

rt_status rt_enqueue_transfer(rt_scheduler *scheduler, rt_command *command,
                              const rt_transfer *transfer)
{
    bool is_copy = transfer->from != NULL;
    CHECK(command->kind == (is_copy ? RT_COMMAND_COPY : RT_COMMAND_FILL));
    CHECK(command->moves_variable == (command->program != NULL));
    CHECK_IMPLIES(command->moves_variable, is_copy);
    handover step = handover_begin(scheduler, command);
    const rt_device *device = step.queue->device;
    dev_memory *to = copy_on(transfer->to, device);
    rt_status status = RT_STATUS_OK;
    if (rt_ok(step.failure) && transfer->size == 0) {
        status =
            dev_enqueue_marker(step.queue->queue, step.command, (dev_marker){0}, &command->event);
    } else if (rt_ok(step.failure) && is_copy) {
        /* From or to a variable in a program, this is the plugin's interface for reading and
         * writing variables (DG-PLUGIN-01, DG-PLUGIN-02). */
        status = dev_enqueue_copy(step.queue->queue, step.command, copy_on(transfer->from, device),
                                  transfer->from_offset, to, transfer->to_offset, transfer->size,
                                  &command->event);
    } else if (rt_ok(step.failure)) {
        status = dev_enqueue_fill(step.queue->queue, step.command, to, transfer->to_offset,
                                  transfer->size, transfer->pattern, &command->event);
    }
    if (!handover_end(command, &step, status)) return status;
    trace_transfer(scheduler, command, transfer);
    return RT_STATUS_OK;
}

rt_status rt_enqueue_move(rt_scheduler *scheduler, rt_command *command, rt_memory *memory)
{
    bool is_upload = command->kind == RT_COMMAND_UPLOAD;
    CHECK(is_upload || command->kind == RT_COMMAND_HOST_READ);
    handover step = handover_begin(scheduler, command);
    dev_queue *queue = step.queue->queue;
    dev_memory *copy = copy_on(memory, step.queue->device);
    rt_status status = RT_STATUS_OK;
    if (rt_ok(step.failure))
        status = is_upload ? dev_enqueue_write(queue, step.command, copy, 0, memory->size,
                                               memory->host, &command->event)
                           : dev_enqueue_read(queue, step.command, copy, 0, memory->size,
                                              memory->host, &command->event);
    if (!handover_end(command, &step, status)) return status;
    if (!is_upload) rt_memory_whole(memory)->host_read = command->event;
    const rt_trace_value values[] = {RT_T("memory", memory->name),
                                     RT_N("device", command->device->id)};
    rt_command_trace(scheduler, command, is_upload ? RT_EVENT_UPLOAD : RT_EVENT_HOST_READ, values,
                     2);
    return RT_STATUS_OK;
}

rt_status rt_enqueue_zero(rt_scheduler *scheduler, rt_command *command, rt_memory *memory,
                          uint64_t size)
{
    CHECK(command->kind == RT_COMMAND_ZERO && command->dependencies.count == 0);
    CHECK(size >= 1 && size <= memory->size);
    const rt_queue *queue = &scheduler->queues.items[command->queue];
    static const uint8_t zero[1] = {0};
    RT_TRY(dev_enqueue_fill(queue->queue, (dev_command){.tag = command->id},
                            copy_on(memory, queue->device), 0, size, (rt_bytes){zero, sizeof zero},
                            &command->event));
    rt_command_step(command, RT_STEP_HAND_OVER);
    RT_COMMAND_TRACE(scheduler, command, DEVICE_GLOBAL_ZERO, RT_T("variable", memory->name),
                     RT_N("size", size), RT_N("device", queue->device->id));
    return RT_STATUS_OK;
}

rt_status rt_enqueue_initial(rt_scheduler *scheduler, rt_command *command, rt_memory *memory,
                             rt_bytes initial)
{
    CHECK(command->kind == RT_COMMAND_ZERO && command->dependencies.count == 0);
    CHECK(initial.size == memory->size);
    const rt_queue *queue = &scheduler->queues.items[command->queue];
    RT_TRY(dev_enqueue_write(queue->queue, (dev_command){.tag = command->id},
                             copy_on(memory, queue->device), 0, initial.size, initial.data,
                             &command->event));
    rt_command_step(command, RT_STEP_HAND_OVER);
    RT_COMMAND_TRACE(scheduler, command, DEVICE_GLOBAL_INITIAL, RT_T("variable", memory->name),
                     RT_N("size", initial.size), RT_N("device", queue->device->id));
    return RT_STATUS_OK;
}

rt_status rt_enqueue_point(rt_scheduler *scheduler, rt_command *command, const rt_program *program,
                           const rt_program_global *global)
{
    CHECK(command->kind == RT_COMMAND_POINT && command->dependencies.count == 0);
    CHECK(global->variable && global->variable->kind == DEV_MEMORY_GLOBAL);
    const rt_queue *queue = &scheduler->queues.items[command->queue];
    CHECK(program->device == queue->device);
    dev_memory *variable = copy_on(global->variable, queue->device);
    const dev_command pointing = {.tag = command->id};
    /* The plugin's interface for writing variables (DG-INIT-07). */
    RT_TRY(dev_enqueue_write(queue->queue, pointing, variable, 0, sizeof global->pointer,
                             global->pointer, &command->event));
    rt_command_step(command, RT_STEP_HAND_OVER);
    RT_COMMAND_TRACE(scheduler, command, DEVICE_GLOBAL_POINT, RT_T("variable", global->entry->name),
                     RT_T("id", global->entry->unique_id), RT_N("program", program->id),
                     RT_N("offset", 0), RT_N("size", sizeof global->pointer),
                     RT_N("device", queue->device->id));
    return RT_STATUS_OK;
}

rt_status rt_enqueue_marker(rt_scheduler *scheduler, rt_command *command)
{
    CHECK(command->kind == RT_COMMAND_MARKER);
    handover step = handover_begin(scheduler, command);
    /* The device's queue knows all of its commands. */
    if (command->marker.waits_for_all) step.command.wait_count = 0;
    rt_status status = RT_STATUS_OK;
    if (rt_ok(step.failure)) {
        status =
            dev_enqueue_marker(step.queue->queue, step.command, command->marker, &command->event);
    } else if (command->marker.is_barrier) {
        /* The failure of a command of another device stops the barrier, but not the order that it
         * makes; if the device refuses even that, the waiter gets the first failure. */
        dev_event *order = NULL;
        rt_status ordered =
            dev_enqueue_marker(step.queue->queue, step.command, command->marker, &order);
        (void)ordered;
        dev_event_destroy(order);
    }
    if (!handover_end(command, &step, status)) return status;
    const rt_trace_value values[] = {RT_N("queue", command->queue),
                                     RT_N("device", command->device->id)};
    rt_command_trace(scheduler, command,
                     command->marker.is_barrier ? RT_EVENT_BARRIER : RT_EVENT_MARKER, values, 2);
    return RT_STATUS_OK;
}

/* The name of an access in the trace, as scenarios write it. */
static const char *access_name(dev_map_access access)
{
    static const char *const names[DEV_MAP_ACCESSES] = {
        [DEV_MAP_READ] = "read",
        [DEV_MAP_WRITE] = "write",
        [DEV_MAP_READ_WRITE] = "read_write",
        [DEV_MAP_WRITE_INVALIDATE] = "write_invalidate",
    };
    CHECK((unsigned)access < DEV_MAP_ACCESSES);
    return names[access];
}

rt_status rt_enqueue_map(rt_scheduler *scheduler, rt_command *command, const dev_map *map)
{
    CHECK(command->kind == RT_COMMAND_MAP && !command->mapping->mapping);
    handover step = handover_begin(scheduler, command);
    rt_mapping *mapping = command->mapping;
    rt_status status = RT_STATUS_OK;
    if (map->is_blocking)
        status = rt_ok(step.failure) ? rt_command_wait_check(scheduler, command->id) : step.failure;
    if (rt_ok(status) && rt_ok(step.failure))
        status = dev_enqueue_map(step.queue->queue, step.command,
                                 copy_on(mapping->memory, step.queue->device), *map,
                                 &mapping->mapping, &command->event);
    if (!rt_ok(status)) step.failure = RT_STATUS_OK;
    if (!handover_end(command, &step, status)) return status;
    RT_COMMAND_TRACE(scheduler, command, MAP, RT_T("memory", mapping->memory->name),
                     RT_N("offset", map->offset), RT_N("size", map->size),
                     RT_T("access", rt_text_of(access_name(map->access))),
                     RT_N("queue", command->queue), RT_N("device", command->device->id));
    return RT_STATUS_OK;
}

rt_status rt_enqueue_unmap(rt_scheduler *scheduler, rt_command *command, rt_command *mapped)
{
    CHECK(command->kind == RT_COMMAND_UNMAP && mapped->kind == RT_COMMAND_MAP);
    handover step = handover_begin(scheduler, command);
    rt_mapping *mapping = mapped->mapping;
    CHECK(mapping->mapping && mapped->device == command->device);
    const dev_map map = mapping->mapping->map;
    rt_status status = RT_STATUS_OK;
    if (rt_ok(step.failure)) {
        status =
            dev_enqueue_unmap(step.queue->queue, step.command, mapping->mapping, &command->event);
        mapping->mapping = NULL;
    }
    if (!handover_end(command, &step, status)) return status;
    RT_COMMAND_TRACE(scheduler, command, UNMAP, RT_T("memory", mapping->memory->name),
                     RT_N("offset", map.offset), RT_N("size", map.size), RT_N("map", mapped->id),
                     RT_N("queue", command->queue), RT_N("device", command->device->id));
    return RT_STATUS_OK;
}
