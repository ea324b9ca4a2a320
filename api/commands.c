/* Memories, queues, events, commands, device_globals and fusion. */
#include "api/objects.h"

static rt_scheduler *scheduler_of(const assay_runtime *runtime)
{
    return rt_runtime_scheduler(runtime->runtime);
}

/* ---- Memories ------------------------------------------------------------------------------ */

/* Gives the caller the handle of a memory, or NULL if it could not be created. */
static assay_status memory_finish(assay_runtime *runtime, rt_status status, rt_memory *created,
                                  assay_memory **out_memory)
{
    if (!rt_ok(status)) return api_status(runtime, status);
    rt_lock_take(&runtime->lock);
    assay_memory *memory = rt_arena_alloc(&runtime->arena, sizeof *memory);
    rt_lock_release(&runtime->lock);
    memory->runtime = runtime;
    memory->memory = created;
    *out_memory = memory;
    return api_ok();
}

/* Copies the name, which a memory borrows, and checks the size. */
static rt_status memory_begin(assay_runtime *runtime, const char *name, uint64_t size,
                              rt_text *out_name)
{
    rt_lock_take(&runtime->lock);
    *out_name = rt_arena_text(&runtime->arena, rt_text_of(name));
    rt_lock_release(&runtime->lock);
    if (size >= 1 && size <= RT_MEMORY_SIZE_MAX) return RT_STATUS_OK;
    return rt_fail_naming(runtime->sink, size == 0 ? RT_ERRC_INVALID : RT_LIMIT, RT_RULE_NONE,
                          out_name, 1, "memory '%s' of %llu bytes: it must have 1 to %llu", name,
                          (unsigned long long)size, (unsigned long long)RT_MEMORY_SIZE_MAX);
}

assay_status assay_buffer_create(assay_runtime *runtime, const char *name, uint64_t size,
                                 const void *initial, assay_memory **out_memory)
{
    API_REQUIRE(out_memory, "the result's place is a null pointer");
    *out_memory = NULL;
    API_REQUIRE(runtime, "the runtime is a null pointer");
    API_REQUIRE(name, "the memory's name is a null pointer");
    rt_memory *created = NULL;
    rt_text text;
    rt_status status = memory_begin(runtime, name, size, &text);
    if (rt_ok(status))
        status = rt_runtime_memory_create(runtime->runtime, text, size, initial, &created);
    return memory_finish(runtime, status, created, out_memory);
}

assay_status assay_usm_create(assay_device *device, assay_usm_kind kind, const char *name,
                              uint64_t size, const void *initial, assay_memory **out_memory)
{
    static const dev_memory_kind kinds[] = {
        [ASSAY_USM_DEVICE] = DEV_MEMORY_USM_DEVICE,
        [ASSAY_USM_HOST] = DEV_MEMORY_USM_HOST,
        [ASSAY_USM_SHARED] = DEV_MEMORY_USM_SHARED,
    };
    API_REQUIRE(out_memory, "the result's place is a null pointer");
    *out_memory = NULL;
    API_REQUIRE(device, "the device is a null pointer");
    API_REQUIRE(name, "the memory's name is a null pointer");
    API_REQUIRE((size_t)kind < sizeof kinds / sizeof *kinds,
                "the kind of unified shared memory is unknown");
    assay_runtime *runtime = device->runtime;
    rt_memory *created = NULL;
    rt_text text;
    rt_status status = memory_begin(runtime, name, size, &text);
    if (rt_ok(status))
        status = rt_runtime_usm_create(runtime->runtime, text, device->device, kinds[kind], size,
                                       initial, &created);
    return memory_finish(runtime, status, created, out_memory);
}

static bool promotion_is_valid(assay_promotion promotion)
{
    _Static_assert((int)ASSAY_PROMOTION_NONE == (int)RT_PROMOTION_NONE &&
                       (int)ASSAY_PROMOTION_PRIVATE == (int)RT_PROMOTION_PRIVATE &&
                       (int)ASSAY_PROMOTION_LOCAL == (int)RT_PROMOTION_LOCAL,
                   "the header's promotions are the runtime's");
    return (unsigned)promotion <= ASSAY_PROMOTION_LOCAL;
}

assay_status assay_buffer_promote(assay_memory *memory, uint32_t element_size,
                                  assay_promotion promotion)
{
    API_REQUIRE(memory, "the memory is a null pointer");
    API_REQUIRE(!rt_memory_is_usm(memory->memory), "the memory is not a buffer");
    API_REQUIRE(promotion_is_valid(promotion), "the promotion is unknown");
    API_REQUIRE(element_size > 0 && memory->memory->size % element_size == 0,
                "the buffer's size is not a multiple of the element's");
    API_REQUIRE(!atomic_load(&memory->is_used), "commands already use the buffer");
    memory->memory->element_size = element_size;
    memory->memory->promotion = (rt_promotion)promotion;
    return api_ok();
}

assay_status assay_memory_read(assay_memory *memory, uint64_t offset, uint64_t size,
                               void *destination)
{
    API_REQUIRE(memory, "the memory is a null pointer");
    API_REQUIRE(destination || size == 0, "the destination is a null pointer");
    const rt_memory *read = memory->memory;
    if (offset > read->size || size > read->size - offset)
        return api_refuse(memory->runtime,
                          "read of %llu bytes at offset %llu of '%.*s': it has only %llu bytes",
                          (unsigned long long)size, (unsigned long long)offset,
                          RT_TEXT_ARG(read->name), (unsigned long long)read->size);
    assay_runtime *runtime = memory->runtime;
    /* All of these reads wait for all commands, so a lock for each memory would save nothing. */
    const bool is_usm = rt_memory_is_usm(read);
    if (is_usm) rt_lock_take(&runtime->usm_reads);
    rt_status status =
        rt_scheduler_host_copy(scheduler_of(runtime), memory->memory, offset, size, destination);
    if (is_usm) rt_lock_release(&runtime->usm_reads);
    return api_status(runtime, status);
}

assay_status assay_buffer_end(assay_memory *memory)
{
    API_REQUIRE(memory, "the memory is a null pointer");
    API_REQUIRE(!rt_memory_is_usm(memory->memory), "the memory is not a buffer");
    API_REQUIRE(!atomic_exchange(&memory->is_ended, true), "the buffer has already ended");
    return api_status(memory->runtime,
                      rt_scheduler_memory_end(scheduler_of(memory->runtime), memory->memory));
}

/* ---- Queues and events --------------------------------------------------------------------- */

assay_status assay_queue_create(assay_device *device, assay_context *context, uint32_t properties,
                                assay_queue **out_queue)
{
    API_REQUIRE(out_queue, "the result's place is a null pointer");
    *out_queue = NULL;
    API_REQUIRE(device, "the device is a null pointer");
    API_REQUIRE(!context || context->runtime == device->runtime,
                "the context belongs to another runtime");
    API_REQUIRE((properties & ~(uint32_t)(ASSAY_QUEUE_IN_ORDER | ASSAY_QUEUE_PROFILING |
                                          ASSAY_QUEUE_FUSION)) == 0,
                "a property of the queue is unknown");
    assay_runtime *runtime = device->runtime;
    rt_context_id id = context ? context->id : 0;
    if (!rt_runtime_context_holds(runtime->runtime, id, device->device))
        return api_refuse(runtime, "the context does not hold device '%.*s'",
                          RT_TEXT_ARG(device->device->name));
    const bool profiles = properties & ASSAY_QUEUE_PROFILING;
    if (profiles && !device->device->capabilities.profiling)
        return api_status(runtime, rt_fail(runtime->sink, RT_ERRC_FEATURE_NOT_SUPPORTED,
                                           RT_RULE_NONE, "device '%.*s' records no times",
                                           RT_TEXT_ARG(device->device->name)));
    rt_scheduler *scheduler = scheduler_of(runtime);
    rt_queue_id queue;
    rt_status status = rt_scheduler_queue_create(scheduler, device->device, id,
                                                 properties & ASSAY_QUEUE_IN_ORDER, &queue);
    if (rt_ok(status) && (properties & ASSAY_QUEUE_FUSION))
        rt_scheduler_queue_enable_fusion(scheduler, queue);
    if (rt_ok(status) && profiles) status = rt_scheduler_queue_enable_profiling(scheduler, queue);
    if (!rt_ok(status)) return api_status(runtime, status);
    rt_lock_take(&runtime->lock);
    *out_queue = rt_arena_alloc(&runtime->arena, sizeof **out_queue);
    rt_lock_release(&runtime->lock);
    **out_queue = (assay_queue){runtime, device->device, queue};
    return api_ok();
}

assay_status assay_queue_end(assay_queue *queue)
{
    API_REQUIRE(queue, "the queue is a null pointer");
    return api_status(queue->runtime,
                      rt_scheduler_queue_end(scheduler_of(queue->runtime), queue->id));
}

assay_status assay_queue_wait(assay_queue *queue)
{
    API_REQUIRE(queue, "the queue is a null pointer");
    return api_status(queue->runtime,
                      rt_scheduler_wait_queue(scheduler_of(queue->runtime), queue->id));
}

/* True if a call has returned the event. */
static bool event_exists(const assay_event *event)
{
    return event->runtime && event->number > 0 &&
           event->number <= atomic_load(&event->runtime->command_count);
}

static rt_command_id command_of(const assay_event *event)
{
    return (rt_command_id)(event->number - 1);
}

assay_status assay_event_wait(assay_event event)
{
    API_REQUIRE(event_exists(&event), "the event does not identify a command");
    return api_status(event.runtime,
                      rt_scheduler_command_result(scheduler_of(event.runtime), command_of(&event)));
}

assay_status assay_event_query(assay_event event, assay_event_state *out_state)
{
    static const assay_event_state states[] = {
        [RT_PROGRESS_SUBMITTED] = ASSAY_EVENT_SUBMITTED,
        [RT_PROGRESS_HANDED_OVER] = ASSAY_EVENT_RUNNING,
        [RT_PROGRESS_COMPLETE] = ASSAY_EVENT_COMPLETE,
    };
    API_REQUIRE(out_state, "the result's place is a null pointer");
    API_REQUIRE(event_exists(&event), "the event does not identify a command");
    rt_scheduler_advance(scheduler_of(event.runtime), command_of(&event));
    *out_state = states[rt_scheduler_progress(scheduler_of(event.runtime), command_of(&event))];
    return api_ok();
}

assay_status assay_event_times(assay_event event, assay_times *out_times)
{
    API_REQUIRE(out_times, "the result's place is a null pointer");
    *out_times = (assay_times){0};
    API_REQUIRE(event_exists(&event), "the event does not identify a command");
    dev_times times;
    rt_status status = rt_scheduler_times(scheduler_of(event.runtime), command_of(&event), &times);
    if (rt_ok(status)) *out_times = (assay_times){times.submit, times.start, times.end};
    return api_status(event.runtime, status);
}

assay_status api_after(assay_runtime *runtime, rt_arena *arena, const assay_event *after,
                       uint32_t count, const rt_command_id **out_after)
{
    API_REQUIRE(after || count == 0, "the list of events is a null pointer");
    rt_command_id *list = rt_arena_alloc_array(arena, count, sizeof *list);
    for (uint32_t i = 0; i < count; i++) {
        if (!event_exists(&after[i]) || after[i].runtime != runtime)
            return api_refuse(runtime,
                              "event %u of the wait list does not identify a command of "
                              "this runtime",
                              i);
        list[i] = command_of(&after[i]);
    }
    *out_after = list;
    return api_ok();
}

/* Reports a submission: publishes that the command exists, and returns its event. */
static assay_status submitted(assay_runtime *runtime, rt_status status, rt_command_id command,
                              assay_event *out_event)
{
    if (!rt_ok(status)) return api_status(runtime, status);
    unsigned known = atomic_load(&runtime->command_count);
    while (known < command + 1 &&
           !atomic_compare_exchange_weak(&runtime->command_count, &known, command + 1)) {
    }
    if (out_event) *out_event = (assay_event){runtime, (uint64_t)command + 1};
    return api_ok();
}

/* Checks a memory that a command of the queue is to use. */
static assay_status memory_check(const assay_queue *queue, assay_memory *memory)
{
    API_REQUIRE(memory, "a memory of the command is a null pointer");
    API_REQUIRE(memory->runtime == queue->runtime, "a memory belongs to another runtime");
    API_REQUIRE(!atomic_load(&memory->is_ended), "a buffer of the command has ended");
    return api_ok();
}

/* Records that a command uses the memory, unless its submission was refused. */
static void memory_note(assay_memory *memory, assay_status submission)
{
    if (assay_ok(submission)) atomic_store(&memory->is_used, true);
}

#define API_TRY(expression)                                                                        \
    do {                                                                                           \
        assay_status api_try_ = (expression);                                                      \
        if (!assay_ok(api_try_)) return api_try_;                                                  \
    } while (0)

/* ---- Launches ------------------------------------------------------------------------------ */

static assay_status argument_convert(const assay_queue *queue, const assay_argument *argument,
                                     rt_argument *out_argument)
{
    static const rt_access accesses[] = {
        [ASSAY_READ_WRITE] = RT_ACCESS_READ_WRITE,
        [ASSAY_READ] = RT_ACCESS_READ,
        [ASSAY_WRITE] = RT_ACCESS_WRITE,
    };
    switch (argument->kind) {
    case ASSAY_ARGUMENT_BUFFER:
        API_TRY(memory_check(queue, argument->memory));
        API_REQUIRE(!rt_memory_is_usm(argument->memory->memory),
                    "unified shared memory is passed as a buffer; pass it as a pointer");
        API_REQUIRE((size_t)argument->access < sizeof accesses / sizeof *accesses,
                    "the access of an argument is unknown");
        API_REQUIRE(promotion_is_valid(argument->promotion), "the promotion is unknown");
        *out_argument = (rt_argument){.kind = RT_ARGUMENT_MEMORY,
                                      .memory = argument->memory->memory,
                                      .access = accesses[argument->access],
                                      .promotion = (rt_promotion)argument->promotion};
        return api_ok();
    case ASSAY_ARGUMENT_POINTER:
        API_TRY(memory_check(queue, argument->memory));
        API_REQUIRE(rt_memory_is_usm(argument->memory->memory),
                    "a buffer is passed as a pointer; only unified shared memory has one");
        *out_argument = (rt_argument){.kind = RT_ARGUMENT_POINTER,
                                      .memory = argument->memory->memory,
                                      .offset = argument->offset};
        return api_ok();
    case ASSAY_ARGUMENT_NULL:
        *out_argument = (rt_argument){.kind = RT_ARGUMENT_NULL};
        return api_ok();
    case ASSAY_ARGUMENT_VALUE:
        API_REQUIRE(argument->value && argument->size > 0, "the value of an argument is empty");
        *out_argument =
            (rt_argument){.kind = RT_ARGUMENT_BYTES, .bytes = {argument->value, argument->size}};
        return api_ok();
    case ASSAY_ARGUMENT_LOCAL:
        API_REQUIRE(argument->size > 0, "an argument is local memory of 0 bytes");
        *out_argument = (rt_argument){.kind = RT_ARGUMENT_LOCAL, .size = argument->size};
        return api_ok();
    }
    API_REQUIRE(false, "the kind of an argument is unknown");
}

assay_status api_constants(assay_runtime *runtime, rt_arena *arena, const assay_constant *constants,
                           uint32_t count, const rt_spec_constant **out_constants)
{
    API_REQUIRE(constants || count == 0, "the list of constants is a null pointer");
    rt_spec_constant *list = rt_arena_alloc_array(arena, count, sizeof *list);
    for (uint32_t i = 0; i < count; i++) {
        API_REQUIRE(constants[i].name, "the name of a constant is a null pointer");
        API_REQUIRE(constants[i].value && constants[i].size > 0,
                    "the value of a constant is empty");
        list[i] = (rt_spec_constant){rt_text_of(constants[i].name),
                                     {constants[i].value, constants[i].size}};
        for (uint32_t k = 0; k < i; k++)
            if (rt_text_equal(list[k].name, list[i].name))
                return api_refuse(runtime, "constant '%s' has two values", constants[i].name);
    }
    *out_constants = list;
    return api_ok();
}

/* Fills the entries that the launch's dimensions do not use. */
static assay_status range_convert(const assay_launch *launch, dev_nd_range *out_range)
{
    API_REQUIRE(launch->dimensions >= 1 && launch->dimensions <= RT_ND_RANGE_DIMENSIONS,
                "a launch has 1 to 3 dimensions");
    const bool is_chosen = launch->local[0] != 0;
    *out_range = (dev_nd_range){.dimensions = launch->dimensions};
    for (uint32_t d = 0; d < RT_ND_RANGE_DIMENSIONS; d++) {
        const bool is_used = d < launch->dimensions;
        API_REQUIRE(!is_used || (launch->local[d] != 0) == is_chosen,
                    "give the local sizes of all dimensions, or of none");
        out_range->global[d] = is_used ? launch->global[d] : 1;
        out_range->local[d] = !is_chosen ? 0 : is_used ? launch->local[d] : 1;
        out_range->offset[d] = is_used ? launch->offset[d] : 0;
    }
    return api_ok();
}

/* Converts a launch; tables are in the arena. */
static assay_status launch_convert(const assay_queue *queue, const assay_launch *launch,
                                   rt_arena *arena, rt_launch *out_launch)
{
    API_REQUIRE(launch->kernel, "the kernel's name is a null pointer");
    API_REQUIRE(launch->arguments || launch->argument_count == 0,
                "the list of arguments is a null pointer");
    API_REQUIRE(launch->argument_count <= RT_KERNEL_ARGUMENT_MAX,
                "a kernel has too many arguments");
    API_REQUIRE(!launch->module || launch->module->runtime == queue->runtime,
                "the module belongs to another runtime");
    API_REQUIRE(!launch->bundle || launch->bundle->runtime == queue->runtime,
                "the bundle belongs to another runtime");
    API_REQUIRE(!launch->bundle || (!launch->options && !launch->module),
                "a launch through a bundle has neither options nor a module");
    API_REQUIRE(!launch->bundle ||
                    rt_bundle_state_of(launch->bundle->bundle) == RT_BUNDLE_EXECUTABLE,
                "the bundle of a launch is not executable");
    rt_argument *arguments = rt_arena_alloc_array(arena, launch->argument_count, sizeof *arguments);
    for (uint32_t i = 0; i < launch->argument_count; i++)
        API_TRY(argument_convert(queue, &launch->arguments[i], &arguments[i]));
    *out_launch = (rt_launch){
        .kernel = rt_text_of(launch->kernel),
        .arguments = arguments,
        .argument_count = launch->argument_count,
        .after_count = launch->after_count,
        .options = launch->options ? rt_text_of(launch->options) : (rt_text){0},
        .constant_count = launch->constant_count,
        .has_module = launch->module != NULL,
        .module = launch->module ? launch->module->id : 0,
        .bundle = launch->bundle ? launch->bundle->bundle : NULL,
    };
    API_TRY(range_convert(launch, &out_launch->range));
    API_TRY(api_constants(queue->runtime, arena, launch->constants, launch->constant_count,
                          &out_launch->constants));
    return api_after(queue->runtime, arena, launch->after, launch->after_count, &out_launch->after);
}

assay_status assay_submit(assay_queue *queue, const assay_launch *launch, assay_event *out_event)
{
    if (out_event) *out_event = (assay_event){0};
    API_REQUIRE(queue, "the queue is a null pointer");
    API_REQUIRE(launch, "the launch is a null pointer");
    assay_runtime *runtime = queue->runtime;
    api_modules_follow(runtime);
    rt_arena arena = {0};
    rt_launch converted;
    assay_status status = launch_convert(queue, launch, &arena, &converted);
    if (assay_ok(status)) {
        rt_command_id command;
        rt_status launched =
            rt_scheduler_launch(scheduler_of(runtime), queue->id, &converted, &command);
        status = submitted(runtime, launched, command, out_event);
        for (uint32_t i = 0; i < launch->argument_count; i++)
            if (converted.arguments[i].memory) memory_note(launch->arguments[i].memory, status);
    }
    rt_arena_reset(&arena);
    return status;
}

/* ---- Copies, fills, barriers --------------------------------------------------------------- */

static assay_status transfer_submit(assay_queue *queue, rt_transfer *transfer,
                                    const assay_event *after, uint32_t after_count,
                                    assay_event *out_event)
{
    rt_arena arena = {0};
    transfer->after_count = after_count;
    assay_status status = api_after(queue->runtime, &arena, after, after_count, &transfer->after);
    if (assay_ok(status)) {
        rt_command_id command;
        rt_status result =
            rt_scheduler_transfer(scheduler_of(queue->runtime), queue->id, transfer, &command);
        status = submitted(queue->runtime, result, command, out_event);
    }
    rt_arena_reset(&arena);
    return status;
}

assay_status assay_copy(assay_queue *queue, assay_memory *to, uint64_t to_offset,
                        assay_memory *from, uint64_t from_offset, uint64_t size,
                        const assay_event *after, uint32_t after_count, assay_event *out_event)
{
    if (out_event) *out_event = (assay_event){0};
    API_REQUIRE(queue, "the queue is a null pointer");
    API_TRY(memory_check(queue, to));
    API_TRY(memory_check(queue, from));
    rt_transfer transfer = {.from = from->memory,
                            .from_offset = from_offset,
                            .to = to->memory,
                            .to_offset = to_offset,
                            .size = size};
    assay_status status = transfer_submit(queue, &transfer, after, after_count, out_event);
    memory_note(to, status);
    memory_note(from, status);
    return status;
}

assay_status assay_fill(assay_queue *queue, assay_memory *to, uint64_t offset, uint64_t size,
                        const void *pattern, size_t pattern_size, const assay_event *after,
                        uint32_t after_count, assay_event *out_event)
{
    if (out_event) *out_event = (assay_event){0};
    API_REQUIRE(queue, "the queue is a null pointer");
    API_REQUIRE(pattern, "the pattern is a null pointer");
    API_TRY(memory_check(queue, to));
    rt_transfer transfer = {
        .to = to->memory, .to_offset = offset, .size = size, .pattern = {pattern, pattern_size}};
    assay_status status = transfer_submit(queue, &transfer, after, after_count, out_event);
    memory_note(to, status);
    return status;
}

assay_status assay_barrier(assay_queue *queue, const assay_event *after, uint32_t after_count,
                           assay_event *out_event)
{
    if (out_event) *out_event = (assay_event){0};
    API_REQUIRE(queue, "the queue is a null pointer");
    rt_arena arena = {0};
    rt_marker marker = {
        .is_barrier = true, .waits_for_all = after_count == 0, .after_count = after_count};
    assay_status status = api_after(queue->runtime, &arena, after, after_count, &marker.after);
    if (assay_ok(status)) {
        rt_command_id command;
        rt_status result =
            rt_scheduler_marker(scheduler_of(queue->runtime), queue->id, &marker, &command);
        status = submitted(queue->runtime, result, command, out_event);
    }
    rt_arena_reset(&arena);
    return status;
}

/* ---- device_globals ------------------------------------------------------------------------ */

/* The part of a copy to or from a device_global that does not depend on its direction. */
typedef struct global_transfer {
    const char *unique_id;
    uint64_t offset, memory_offset, size;
    assay_memory *memory;
    const assay_event *after;
    uint32_t after_count;
} global_transfer;

static assay_status global_submit(assay_queue *queue, const global_transfer *transfer,
                                  bool to_global, assay_event *out_event)
{
    if (out_event) *out_event = (assay_event){0};
    API_REQUIRE(queue, "the queue is a null pointer");
    API_REQUIRE(transfer->unique_id, "the variable's unique id is a null pointer");
    API_TRY(memory_check(queue, transfer->memory));
    assay_runtime *runtime = queue->runtime;
    api_modules_follow(runtime);
    rt_device_global global;
    rt_text id = rt_text_of(transfer->unique_id);
    if (!api_global_find(runtime, id, &global))
        return api_refuse(runtime,
                          "no registered image has a device_global with the unique id "
                          "'%s'; register its module before the copy",
                          transfer->unique_id);
    rt_arena arena = {0};
    rt_global_copy copy = {
        .address = rt_global_database_address(rt_runtime_globals(runtime->runtime), id),
        .name = global.name,
        .type_size = global.size,
        .image_scope = global.image_scope,
        .host_access = global.host_access,
        .to_global = to_global,
        .offset = transfer->offset,
        .memory = transfer->memory->memory,
        .memory_offset = transfer->memory_offset,
        .size = transfer->size,
        .after_count = transfer->after_count,
    };
    assay_status status =
        api_after(runtime, &arena, transfer->after, transfer->after_count, &copy.after);
    if (assay_ok(status)) {
        rt_command_id command;
        rt_status result =
            rt_scheduler_global_copy(scheduler_of(runtime), queue->id, &copy, &command);
        status = submitted(runtime, result, command, out_event);
        memory_note(transfer->memory, status);
    }
    rt_arena_reset(&arena);
    return status;
}

assay_status assay_global_write(assay_queue *queue, const char *unique_id, uint64_t offset,
                                assay_memory *from, uint64_t from_offset, uint64_t size,
                                const assay_event *after, uint32_t after_count,
                                assay_event *out_event)
{
    const global_transfer transfer = {unique_id, offset, from_offset, size,
                                      from,      after,  after_count};
    return global_submit(queue, &transfer, true, out_event);
}

assay_status assay_global_read(assay_queue *queue, const char *unique_id, uint64_t offset,
                               assay_memory *to, uint64_t to_offset, uint64_t size,
                               const assay_event *after, uint32_t after_count,
                               assay_event *out_event)
{
    const global_transfer transfer = {unique_id, offset, to_offset, size, to, after, after_count};
    return global_submit(queue, &transfer, false, out_event);
}

/* ---- Kernel fusion ------------------------------------------------------------------------- */

assay_status assay_fusion_start(assay_queue *queue)
{
    API_REQUIRE(queue, "the queue is a null pointer");
    assay_runtime *runtime = queue->runtime;
    return api_status(runtime, rt_fusion_start(rt_runtime_fusion(runtime->runtime), queue->id));
}

assay_status assay_fusion_complete(assay_queue *queue, bool no_barriers, assay_event *out_event)
{
    if (out_event) *out_event = (assay_event){0};
    API_REQUIRE(queue, "the queue is a null pointer");
    assay_runtime *runtime = queue->runtime;
    rt_command_id command;
    rt_status status =
        rt_fusion_complete(rt_runtime_fusion(runtime->runtime), queue->id, no_barriers, &command);
    return submitted(runtime, status, command, out_event);
}

assay_status assay_fusion_cancel(assay_queue *queue)
{
    API_REQUIRE(queue, "the queue is a null pointer");
    assay_runtime *runtime = queue->runtime;
    return api_status(runtime, rt_fusion_cancel(rt_runtime_fusion(runtime->runtime), queue->id));
}

bool assay_fusion_is_active(assay_queue *queue)
{
    return queue && rt_fusion_is_active(rt_runtime_fusion(queue->runtime->runtime), queue->id);
}
