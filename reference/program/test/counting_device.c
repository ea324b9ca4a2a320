/* The counting device's function tables.  Every kernel takes two arguments. */
#include "reference/program/test/counting_device.h"

#include "reference/base/alloc.h"
#include "reference/base/hash.h"

#include <string.h>
#include <unistd.h>

static void count(uint32_t *counter)
{
    __atomic_add_fetch(counter, 1, __ATOMIC_RELAXED);
}

static rt_status refused(counting_device *device, const char *message)
{
    return rt_fail(device->base.sink, RT_ERRC_BUILD, RT_RULE_NONE, "%s fails on demand", message);
}

/* Counts a call, and fails it if its number is that of fail_call. */
static rt_status call(dev_device *device, const char *operation)
{
    counting_device *self = (counting_device *)device;
    if (__atomic_add_fetch(&self->calls, 1, __ATOMIC_RELAXED) != self->fail_call)
        return RT_STATUS_OK;
    return rt_fail(device->sink, RT_DRIVER_ERROR, RT_RULE_NONE, "call %u, %s, fails on demand",
                   self->fail_call, operation);
}

static void destroy_event(dev_event *event)
{
    rt_free(event);
}

typedef struct counting_event {
    dev_event base;
    bool failed;
    bool pending; /* until it is waited for, or advanced; a host event: until it is completed */
    bool is_completed;
    dev_times times;
} counting_event;

static rt_status wait_event(dev_event *event)
{
    counting_event *self = (counting_event *)event;
    self->pending = false;
    rt_status status = call(event->device, "wait");
    if (!rt_ok(status)) self->failed = true;
    if (rt_ok(status) && self->failed)
        status = rt_fail(event->device->sink, RT_DRIVER_ERROR, RT_RULE_NONE, "fails on demand");
    return status;
}

static dev_event_state event_state(dev_event *event)
{
    if (((counting_event *)event)->pending) return DEV_EVENT_PENDING;
    return ((counting_event *)event)->failed ? DEV_EVENT_FAILED : DEV_EVENT_COMPLETE;
}

static rt_status event_times(dev_event *event, dev_times *out_times)
{
    RT_TRY(call(event->device, "times"));
    *out_times = ((counting_event *)event)->times;
    return RT_STATUS_OK;
}

static void advance_event(dev_event *event)
{
    count(&((counting_device *)event->device)->advances);
    ((counting_event *)event)->pending = false;
}

/* Of a host event. */
static rt_status complete_event(dev_event *event, bool has_failed)
{
    counting_event *self = (counting_event *)event;
    RT_TRY(call(event->device, "complete"));
    if (self->is_completed && !((counting_device *)event->device)->completes_twice)
        return rt_fail(event->device->sink, RT_ERRC_INVALID, RT_RULE_NONE, "it is complete");
    self->failed = has_failed;
    self->pending = false;
    self->is_completed = true;
    return RT_STATUS_OK;
}

static const dev_event_ops event_ops = {.destroy = destroy_event,
                                        .wait = wait_event,
                                        .state = event_state,
                                        .times = event_times,
                                        .advance = advance_event,
                                        .complete = complete_event};

/* Commands are numbered by their tag: command n is submitted at time 10n, begins at 10n + 3 and
 * ends at 10n + 5. */
static dev_event *make_event(dev_command command, bool failed)
{
    counting_event *event = rt_alloc(sizeof *event);
    uint64_t submit = UINT64_C(10) * command.tag;
    event->base.ops = &event_ops;
    event->times = (dev_times){submit, submit + 3, submit + 5};
    event->failed = failed;
    for (uint32_t i = 0; i < command.wait_count; i++) {
        event->failed = event->failed || ((counting_event *)command.wait[i])->failed;
    }
    return &event->base;
}

static rt_status make_host_event(dev_device *device, dev_event **out_event)
{
    RT_TRY(call(device, "host_event_create"));
    *out_event = make_event((dev_command){0}, false);
    ((counting_event *)*out_event)->pending = true;
    return RT_STATUS_OK;
}

typedef struct counting_memory {
    dev_memory base;
    uint8_t *bytes;
    rt_buffer name; /* of a variable */
} counting_memory;

static void destroy_memory(dev_memory *memory)
{
    rt_buffer_free(&((counting_memory *)memory)->name);
    rt_free(((counting_memory *)memory)->bytes);
    rt_free(memory);
}

static uint64_t memory_address(dev_memory *memory)
{
    (void)memory;
    return COUNTING_ADDRESS;
}

static void access_mapping(dev_mapping *mapping, uint32_t tag, uint64_t offset, uint64_t size,
                           bool is_write)
{
    counting_device *self = (counting_device *)mapping->memory->device;
    pthread_mutex_lock(&self->lock);
    rt_buffer_printf(&self->accesses, "[%s %u %llu+%llu]", is_write ? "write" : "read", tag,
                     (unsigned long long)offset, (unsigned long long)size);
    pthread_mutex_unlock(&self->lock);
}

static const dev_memory_ops memory_ops = {
    .destroy = destroy_memory, .address = memory_address, .mapping_access = access_mapping};

static rt_status make_memory(dev_device *device, uint64_t size, rt_text label,
                             dev_memory **out_memory)
{
    (void)label;
    RT_TRY(call(device, "memory_create"));
    counting_memory *memory = rt_alloc(sizeof *memory);
    memory->base.ops = &memory_ops;
    memory->bytes = rt_alloc((size_t)size);
    *out_memory = &memory->base;
    return RT_STATUS_OK;
}

static rt_status make_usm(dev_device *device, dev_memory_kind kind, uint64_t size, rt_text label,
                          dev_memory **out_memory)
{
    static const char *const kinds[] = {[DEV_MEMORY_USM_DEVICE] = "device",
                                        [DEV_MEMORY_USM_HOST] = "host",
                                        [DEV_MEMORY_USM_SHARED] = "shared"};
    counting_device *self = (counting_device *)device;
    count(&self->usms);
    pthread_mutex_lock(&self->lock);
    rt_buffer_printf(&self->usm_sizes, "[%s %llu]", kinds[kind], (unsigned long long)size);
    pthread_mutex_unlock(&self->lock);
    return make_memory(device, size, label, out_memory);
}

static rt_status find_global(dev_program *program, rt_text name, dev_memory **out_memory)
{
    counting_device *self = (counting_device *)program->device;
    if (self->fail_globals)
        return rt_fail_naming(self->base.sink, RT_ERRC_INVALID, RT_RULE_NONE, &name, 1,
                              "no variable on demand");
    pthread_mutex_lock(&self->lock);
    rt_buffer_printf(&self->globals, "[%.*s]", RT_TEXT_ARG(name));
    pthread_mutex_unlock(&self->lock);
    uint64_t size = self->global_size ? self->global_size : 64;
    RT_TRY(make_memory(program->device, size, name, out_memory));
    (*out_memory)->size = size;
    rt_buffer_append_text(&((counting_memory *)*out_memory)->name, name);
    return RT_STATUS_OK;
}

/* Records a write to a variable. */
static void log_write(counting_device *self, const counting_memory *memory, uint64_t offset,
                      uint64_t size, const void *source)
{
    if (memory->name.size == 0) return;
    pthread_mutex_lock(&self->lock);
    rt_buffer_printf(&self->globals, "[%s+%llu:", rt_buffer_string(&memory->name),
                     (unsigned long long)offset);
    for (uint64_t i = size; i-- > 0;)
        rt_buffer_printf(&self->globals, "%02x", ((const uint8_t *)source)[i]);
    rt_buffer_printf(&self->globals, "]");
    pthread_mutex_unlock(&self->lock);
}

static void destroy_kernel(dev_kernel *kernel)
{
    rt_free(kernel);
}

static uint32_t argument_count(dev_kernel *kernel)
{
    (void)kernel;
    return 2;
}

static const dev_kernel_ops kernel_ops = {destroy_kernel, argument_count};

static rt_status make_kernel(dev_program *program, rt_text name, dev_kernel **out_kernel)
{
    (void)name;
    RT_TRY(call(program->device, "kernel_create"));
    count(&((counting_device *)program->device)->kernels);
    *out_kernel = rt_alloc(sizeof **out_kernel);
    (*out_kernel)->ops = &kernel_ops;
    return RT_STATUS_OK;
}

static void destroy_program(dev_program *program)
{
    rt_free(program);
}

static rt_status program_binary(dev_program *program, rt_buffer *out_binary)
{
    if (((counting_device *)program->device)->no_binaries)
        return rt_fail(program->device->sink, RT_UNSUPPORTED, RT_RULE_NONE, "fails on demand");
    rt_buffer_printf(out_binary, COUNTING_BINARY);
    return RT_STATUS_OK;
}

static const dev_program_ops program_ops = {
    .destroy = destroy_program,
    .kernel_create = make_kernel,
    .global_find = find_global,
    .binary = program_binary,
};

static rt_status make_program(dev_device *device, uint32_t *counter, const char *message,
                              dev_program **out_program)
{
    counting_device *self = (counting_device *)device;
    RT_TRY(call(device, message));
    count(counter);
    if (self->build_delay_us) usleep(self->build_delay_us);
    if (self->fail_builds) return refused(self, message);
    *out_program = rt_alloc(sizeof **out_program);
    (*out_program)->ops = &program_ops;
    return RT_STATUS_OK;
}

static void log_code(counting_device *self, const dev_code *code)
{
    pthread_mutex_lock(&self->lock);
    rt_buffer_printf(&self->codes, "[%.*s", RT_TEXT_ARG(code->options));
    for (uint32_t i = 0; i < code->constant_count; i++) {
        rt_buffer_printf(&self->codes, " %u=", code->constants[i].id);
        for (size_t k = 0; k < code->constants[i].value.size; k++)
            rt_buffer_printf(&self->codes, "%02x", code->constants[i].value.data[k]);
    }
    rt_buffer_printf(&self->codes, "]");
    rt_buffer_printf(&self->names, "[%.*s]", RT_TEXT_ARG(code->image));
    rt_buffer_printf(&self->hashes, "[%s]",
                     rt_hash_print(rt_hash128(code->bytes.data, code->bytes.size)).digits);
    pthread_mutex_unlock(&self->lock);
}

static rt_status compile(dev_device *device, const dev_code *code, dev_program **out_program)
{
    counting_device *self = (counting_device *)device;
    log_code(self, code);
    return make_program(device, &self->compiles, "compile", out_program);
}

static rt_status link_programs(dev_device *device, dev_program *const *programs, uint32_t number,
                               rt_text options, dev_program **out_program)
{
    (void)programs;
    counting_device *self = (counting_device *)device;
    pthread_mutex_lock(&self->lock);
    self->last_link_inputs = number;
    rt_buffer_printf(&self->link_options, "[%.*s]", RT_TEXT_ARG(options));
    pthread_mutex_unlock(&self->lock);
    return make_program(device, &self->links_done, "link", out_program);
}

static rt_status build(dev_device *device, const dev_code *code, dev_program **out_program)
{
    counting_device *self = (counting_device *)device;
    log_code(self, code);
    return make_program(device, &self->builds, "build", out_program);
}

static rt_status load(dev_device *device, rt_bytes binary, dev_program **out_program)
{
    static const char expected[] = COUNTING_BINARY;
    counting_device *self = (counting_device *)device;
    if (self->fail_loads || binary.size != sizeof expected - 1 ||
        memcmp(binary.data, expected, binary.size) != 0)
        return rt_fail(device->sink, RT_MALFORMED, RT_RULE_NONE, "fails on demand");
    count(&self->loads);
    *out_program = rt_alloc(sizeof **out_program);
    (*out_program)->ops = &program_ops;
    return RT_STATUS_OK;
}

static void destroy_queue(dev_queue *queue)
{
    rt_free(queue);
}

static counting_device *device_of(dev_queue *queue)
{
    return (counting_device *)queue->device;
}

static void log_argument(rt_buffer *out, const dev_argument *argument)
{
    switch (argument->kind) {
    case DEV_ARGUMENT_MEMORY: rt_buffer_printf(out, argument->memory ? "m" : "0"); break;
    case DEV_ARGUMENT_POINTER: rt_buffer_printf(out, "p%u", (unsigned)argument->offset); break;
    case DEV_ARGUMENT_BYTES:
        rt_buffer_printf(out, "b");
        for (size_t i = 0; i < argument->bytes.size; i++)
            rt_buffer_printf(out, "%02x", argument->bytes.data[i]);
        break;
    case DEV_ARGUMENT_LOCAL: rt_buffer_printf(out, "l%u", (unsigned)argument->size); break;
    case DEV_ARGUMENT_KINDS: UNREACHABLE();
    }
}

static void log_arguments(counting_device *self, const dev_argument *arguments, uint32_t number)
{
    pthread_mutex_lock(&self->lock);
    rt_buffer_free(&self->arguments);
    for (uint32_t i = 0; i < number; i++) {
        if (i) rt_buffer_append_byte(&self->arguments, ' ');
        log_argument(&self->arguments, &arguments[i]);
    }
    pthread_mutex_unlock(&self->lock);
}

static rt_status launch(dev_queue *queue, dev_command command, dev_kernel *kernel,
                        const dev_nd_range *range, const dev_argument *arguments, uint32_t number,
                        dev_event **out_event)
{
    (void)kernel, (void)range;
    RT_TRY(call(queue->device, "enqueue_kernel"));
    log_arguments(device_of(queue), arguments, number);
    count(&device_of(queue)->launches);
    if (device_of(queue)->fail_kernels) {
        return rt_fail(queue->device->sink, RT_ERRC_ND_RANGE, RT_RULE_NONE, "fails on demand");
    }
    *out_event = make_event(command, device_of(queue)->fail_waits);
    ((counting_event *)*out_event)->pending = device_of(queue)->holds;
    return RT_STATUS_OK;
}

static rt_status read_memory(dev_queue *queue, dev_command command, dev_memory *memory,
                             uint64_t offset, uint64_t size, void *destination,
                             dev_event **out_event)
{
    RT_TRY(call(queue->device, "enqueue_read"));
    count(&device_of(queue)->reads);
    memcpy(destination, ((counting_memory *)memory)->bytes + offset, (size_t)size);
    *out_event = make_event(command, false);
    return RT_STATUS_OK;
}

static rt_status write_memory(dev_queue *queue, dev_command command, dev_memory *memory,
                              uint64_t offset, uint64_t size, const void *source,
                              dev_event **out_event)
{
    RT_TRY(call(queue->device, "enqueue_write"));
    count(&device_of(queue)->writes);
    if (device_of(queue)->fail_writes)
        return rt_fail(queue->device->sink, RT_DRIVER_ERROR, RT_RULE_NONE, "fails on demand");
    log_write(device_of(queue), (const counting_memory *)memory, offset, size, source);
    memcpy(((counting_memory *)memory)->bytes + offset, source, (size_t)size);
    *out_event = make_event(command, false);
    return RT_STATUS_OK;
}

static rt_status copy_memory(dev_queue *queue, dev_command command, dev_memory *source,
                             uint64_t source_offset, dev_memory *destination,
                             uint64_t destination_offset, uint64_t size, dev_event **out_event)
{
    RT_TRY(call(queue->device, "enqueue_copy"));
    count(&device_of(queue)->copies);
    memcpy(((counting_memory *)destination)->bytes + destination_offset,
           ((counting_memory *)source)->bytes + source_offset, (size_t)size);
    *out_event = make_event(command, false);
    return RT_STATUS_OK;
}

static rt_status fill_memory(dev_queue *queue, dev_command command, dev_memory *memory,
                             uint64_t offset, uint64_t size, rt_bytes pattern,
                             dev_event **out_event)
{
    RT_TRY(call(queue->device, "enqueue_fill"));
    count(&device_of(queue)->fills);
    if (device_of(queue)->fail_fills)
        return rt_fail(queue->device->sink, RT_DRIVER_ERROR, RT_RULE_NONE, "fails on demand");
    for (uint64_t i = 0; i < size; i += pattern.size) {
        memcpy(((counting_memory *)memory)->bytes + offset + i, pattern.data, pattern.size);
    }
    *out_event = make_event(command, false);
    return RT_STATUS_OK;
}

static rt_status enqueue_marker(dev_queue *queue, dev_command command, dev_marker marker,
                                dev_event **out_event)
{
    counting_device *self = device_of(queue);
    RT_TRY(call(queue->device, "enqueue_marker"));
    pthread_mutex_lock(&self->lock);
    rt_buffer_printf(&self->markers, "[%s%s%u]", marker.waits_for_all ? "all " : "",
                     marker.is_barrier ? "barrier " : "", command.wait_count);
    pthread_mutex_unlock(&self->lock);
    *out_event = make_event(command, false);
    return RT_STATUS_OK;
}

/* A mapping is the bytes of the memory itself. */
static rt_status map_memory(dev_queue *queue, dev_command command, dev_memory *memory, dev_map map,
                            dev_mapping **out_mapping, dev_event **out_event)
{
    RT_TRY(call(queue->device, "enqueue_map"));
    count(&device_of(queue)->maps);
    *out_mapping = rt_alloc(sizeof **out_mapping);
    (*out_mapping)->bytes = ((counting_memory *)memory)->bytes + map.offset;
    *out_event = make_event(command, false);
    return RT_STATUS_OK;
}

static rt_status unmap_memory(dev_queue *queue, dev_command command, dev_mapping *mapping,
                              dev_event **out_event)
{
    rt_free(mapping); /* even if it fails */
    RT_TRY(call(queue->device, "enqueue_unmap"));
    count(&device_of(queue)->unmaps);
    *out_event = make_event(command, false);
    return RT_STATUS_OK;
}

static rt_status flush(dev_queue *queue)
{
    (void)queue;
    return RT_STATUS_OK;
}

static const dev_queue_ops queue_ops = {
    .destroy = destroy_queue,
    .enqueue_kernel = launch,
    .enqueue_read = read_memory,
    .enqueue_write = write_memory,
    .enqueue_copy = copy_memory,
    .enqueue_fill = fill_memory,
    .enqueue_marker = enqueue_marker,
    .enqueue_map = map_memory,
    .enqueue_unmap = unmap_memory,
    .flush = flush,
};

static rt_status make_queue(dev_device *device, dev_queue **out_queue)
{
    RT_TRY(call(device, "queue_create"));
    *out_queue = rt_alloc(sizeof **out_queue);
    (*out_queue)->ops = &queue_ops;
    return RT_STATUS_OK;
}

static void destroy_device(dev_device *device)
{
    counting_device *self = (counting_device *)device;
    rt_buffer_free(&self->codes);
    rt_buffer_free(&self->names);
    rt_buffer_free(&self->hashes);
    rt_buffer_free(&self->link_options);
    rt_buffer_free(&self->usm_sizes);
    rt_buffer_free(&self->arguments);
    rt_buffer_free(&self->globals);
    rt_buffer_free(&self->markers);
    rt_buffer_free(&self->accesses);
    pthread_mutex_destroy(&self->lock);
    rt_free(device);
}

static void capabilities(dev_device *device, dev_capabilities *out_capabilities)
{
    static const char *const extensions[] = {"pi_ext_spirv64_linking"};
    *out_capabilities = (dev_capabilities){
        .name = ((counting_device *)device)->renamed ? RT_TEXT("renamed") : RT_TEXT("counting"),
        .driver = RT_TEXT("none"),
        .formats_taken = 1u << RT_FORMAT_SPIRV64,
        .extensions = extensions,
        .extension_count = ((counting_device *)device)->links ? 1 : 0,
        .aspects = (1u << DEV_ASPECT_COUNT) - 1,
        .executes = true,
        .usm = true,
        .globals_by_name = true,
        .spec_constants = true,
        .program_binaries = true,
        .profiling = true,
        .host_events = true,
        .maps = true,
        .local_size_max = 1024,
        .group_size_max = 64,
    };
}

static const dev_device_ops device_ops = {
    .destroy = destroy_device,
    .capabilities = capabilities,
    .memory_create = make_memory,
    .usm_create = make_usm,
    .program_compile = compile,
    .program_link = link_programs,
    .program_build = build,
    .queue_create = make_queue,
    .program_load = load,
    .queue_create_profiling = make_queue,
    .host_event_create = make_host_event,
};

static rt_status open_device(const dev_open_parameters *parameters, rt_text selector,
                             dev_device **out_device)
{
    (void)parameters;
    counting_device *device = rt_alloc(sizeof *device);
    device->base.ops = &device_ops;
    pthread_mutex_init(&device->lock, NULL);
    device->links = !rt_text_is(selector, "unlinked");
    device->renamed = rt_text_is(selector, "renamed");
    *out_device = &device->base;
    return RT_STATUS_OK;
}

const dev_backend counting_backend = {"counting", open_device};
