/* Tests checked.c with an adapter that misbehaves on request: successes, failures that are passed
 * on, and a panic for every breach of the contract by either side. */
#include "reference/device/device.h"

#include "reference/base/alloc.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- An adapter with configurable answers ------------------------------------------------- */

typedef struct bad_device {
    dev_device base;
    rt_code answer;       /* status code of every operation except open */
    bool object_anyhow;   /* creates the object even if the answer is a failure */
    bool no_object;       /* succeeds without an object */
    bool holes;           /* leaves operations out of the tables */
    bool foreign;         /* returns statuses that were not created in the sink */
    rt_code times_answer; /* status code of a query of times; RT_OK: reports them */
    bool timeless;        /* reports events that end before they begin */
    bool restless;        /* reports events as pending after a wait */
    bool null_address;    /* reports address 0 for memories */
    bool empty_global;    /* reports variables of 0 bytes */
    bool shares_address;  /* reports the same address for all memories */
    bool refuses_fills;   /* fails when a memory is filled */
    bool incapable; /* lacks unified shared memory, globals by name and specialisation constants */
} bad_device;

static rt_code open_answer; /* status code of the next open; global, as the tests are
                             * single-threaded */

/* The last fill of any device; `byte` is a pattern of one byte. */
static struct fill {
    const dev_memory *memory;
    uint64_t offset, size;
    uint8_t byte;
} last_fill;

static rt_status answer(dev_device *base)
{
    const bad_device *device = (const bad_device *)base;
    if (device->answer == RT_OK) return RT_STATUS_OK;
    if (device->foreign) return (rt_status){(uint16_t)device->answer, 0, 12345};
    return rt_fail(base->sink, device->answer, RT_RULE_NONE, "told to");
}

static bool gives_object(const dev_device *base)
{
    const bad_device *device = (const bad_device *)base;
    return device->answer == RT_OK ? !device->no_object : device->object_anyhow;
}

static void memory_free(dev_memory *memory)
{
    rt_free(memory);
}
static void program_free(dev_program *program)
{
    rt_free(program);
}
static void kernel_free(dev_kernel *kernel)
{
    rt_free(kernel);
}
static void queue_free(dev_queue *queue)
{
    rt_free(queue);
}
static void event_free(dev_event *event)
{
    rt_free(event);
}
static void device_free(dev_device *device)
{
    rt_free(device);
}

static rt_status event_wait(dev_event *event)
{
    return answer(event->device);
}

static dev_event_state event_state(dev_event *event)
{
    const bad_device *device = (const bad_device *)event->device;
    if (device->restless) return DEV_EVENT_PENDING;
    return device->answer == RT_OK ? DEV_EVENT_COMPLETE : DEV_EVENT_FAILED;
}

static rt_status event_times(dev_event *event, dev_times *out_times)
{
    const bad_device *device = (const bad_device *)event->device;
    *out_times = (dev_times){1, 2, device->timeless ? 1 : 2};
    if (device->times_answer == RT_OK) return RT_STATUS_OK;
    return rt_fail(event->device->sink, device->times_answer, RT_RULE_NONE, "told to");
}
static const dev_event_ops event_ops = {event_free, event_wait, event_state, event_times};

static rt_status event_make(dev_queue *queue, dev_event **out_event)
{
    if (gives_object(queue->device)) {
        *out_event = rt_alloc(sizeof **out_event);
        (*out_event)->ops = &event_ops;
    }
    return answer(queue->device);
}

static rt_status enqueue_kernel(dev_queue *queue, dev_command command, dev_kernel *kernel,
                                const dev_nd_range *range, const dev_argument *arguments,
                                uint32_t argument_count, dev_event **out_event)
{
    (void)command, (void)kernel, (void)range, (void)arguments, (void)argument_count;
    return event_make(queue, out_event);
}
static rt_status enqueue_read(dev_queue *queue, dev_command command, dev_memory *memory,
                              uint64_t offset, uint64_t size, void *destination,
                              dev_event **out_event)
{
    (void)command, (void)memory, (void)offset, (void)size, (void)destination;
    return event_make(queue, out_event);
}
static rt_status enqueue_write(dev_queue *queue, dev_command command, dev_memory *memory,
                               uint64_t offset, uint64_t size, const void *source,
                               dev_event **out_event)
{
    (void)command, (void)memory, (void)offset, (void)size, (void)source;
    return event_make(queue, out_event);
}
static rt_status enqueue_copy(dev_queue *queue, dev_command command, dev_memory *source,
                              uint64_t source_offset, dev_memory *destination,
                              uint64_t destination_offset, uint64_t size, dev_event **out_event)
{
    (void)command, (void)source, (void)source_offset;
    (void)destination, (void)destination_offset, (void)size;
    return event_make(queue, out_event);
}
static rt_status enqueue_fill(dev_queue *queue, dev_command command, dev_memory *memory,
                              uint64_t offset, uint64_t size, rt_bytes pattern,
                              dev_event **out_event)
{
    (void)command;
    last_fill = (struct fill){memory, offset, size, pattern.size == 1 ? *pattern.data : 0};
    if (((const bad_device *)queue->device)->refuses_fills)
        return rt_fail(queue->device->sink, RT_DRIVER_ERROR, RT_RULE_NONE, "told to");
    return event_make(queue, out_event);
}
static rt_status enqueue_marker(dev_queue *queue, dev_command command, dev_marker marker,
                                dev_event **out_event)
{
    (void)command, (void)marker;
    return event_make(queue, out_event);
}
static rt_status queue_flush(dev_queue *queue)
{
    return answer(queue->device);
}

static const dev_queue_ops queue_ops = {
    .destroy = queue_free,
    .enqueue_kernel = enqueue_kernel,
    .enqueue_read = enqueue_read,
    .enqueue_write = enqueue_write,
    .enqueue_copy = enqueue_copy,
    .enqueue_fill = enqueue_fill,
    .enqueue_marker = enqueue_marker,
    .flush = queue_flush,
};
static const dev_queue_ops queue_ops_with_hole = {.destroy = queue_free};

static uint32_t two_arguments(dev_kernel *kernel)
{
    (void)kernel;
    return 2;
}
static const dev_kernel_ops kernel_ops = {.destroy = kernel_free, .argument_count = two_arguments};

static rt_status kernel_create(dev_program *program, rt_text name, dev_kernel **out_kernel)
{
    (void)name;
    if (gives_object(program->device)) {
        *out_kernel = rt_alloc(sizeof **out_kernel);
        (*out_kernel)->ops = &kernel_ops;
    }
    return answer(program->device);
}

/* Reports the address of the base struct, which is as good as any. */
static uint64_t memory_address(dev_memory *memory)
{
    const bad_device *device = (const bad_device *)memory->device;
    if (device->null_address) return 0;
    return device->shares_address ? (uintptr_t)device : (uintptr_t)memory;
}
static const dev_memory_ops memory_ops = {.destroy = memory_free};
static const dev_memory_ops addressed_ops = {.destroy = memory_free, .address = memory_address};

static rt_status memory_make(dev_device *device, const dev_memory_ops *ops, uint64_t size,
                             dev_memory **out_memory)
{
    if (gives_object(device)) {
        *out_memory = rt_alloc(sizeof **out_memory);
        (*out_memory)->ops = ops;
        (*out_memory)->size = size;
    }
    return answer(device);
}

static rt_status global_find(dev_program *program, rt_text name, dev_memory **out_memory)
{
    (void)name;
    const bad_device *device = (const bad_device *)program->device;
    return memory_make(program->device, &addressed_ops, device->empty_global ? 0 : 16, out_memory);
}
static rt_status program_binary(dev_program *program, rt_buffer *out_binary)
{
    if (gives_object(program->device)) rt_buffer_append_byte(out_binary, 'b');
    return answer(program->device);
}
static const dev_program_ops program_ops = {program_free, kernel_create, global_find,
                                            program_binary};

static rt_status program_make(dev_device *device, dev_program **out_program)
{
    if (gives_object(device)) {
        *out_program = rt_alloc(sizeof **out_program);
        (*out_program)->ops = &program_ops;
    }
    return answer(device);
}
static rt_status program_compile(dev_device *device, const dev_code *code,
                                 dev_program **out_program)
{
    (void)code;
    return program_make(device, out_program);
}
static rt_status program_link(dev_device *device, dev_program *const *programs, uint32_t count,
                              rt_text options, dev_program **out_program)
{
    (void)programs, (void)count, (void)options;
    return program_make(device, out_program);
}

static rt_status program_load(dev_device *device, rt_bytes binary, dev_program **out_program)
{
    (void)binary;
    return program_make(device, out_program);
}

static rt_status memory_create(dev_device *device, uint64_t size, rt_text label,
                               dev_memory **out_memory)
{
    (void)label;
    return memory_make(device, &memory_ops, size, out_memory);
}
static rt_status usm_create(dev_device *device, dev_memory_kind kind, uint64_t size, rt_text label,
                            dev_memory **out_memory)
{
    (void)kind, (void)label;
    bool holes = ((const bad_device *)device)->holes;
    return memory_make(device, holes ? &memory_ops : &addressed_ops, size, out_memory);
}

static rt_status part_create(dev_memory *whole, uint64_t offset, uint64_t size, rt_text label,
                             dev_memory **out_memory)
{
    (void)offset, (void)label;
    return memory_make(whole->device, &memory_ops, size, out_memory);
}

static rt_status queue_create(dev_device *device, dev_queue **out_queue)
{
    if (gives_object(device)) {
        *out_queue = rt_alloc(sizeof **out_queue);
        (*out_queue)->ops = ((const bad_device *)device)->holes ? &queue_ops_with_hole : &queue_ops;
    }
    return answer(device);
}

static void capabilities(dev_device *device, dev_capabilities *out_capabilities)
{
    bool capable = !((const bad_device *)device)->incapable;
    static const char *const extensions[] = {"other", "pi_ext_spirv64_linking"};
    *out_capabilities = (dev_capabilities){
        .name = RT_TEXT("bad"),
        .formats_taken = 1u << RT_FORMAT_SPIRV64,
        .extensions = extensions,
        .extension_count = 2,
        .globals_by_name = capable,
        .usm = capable,
        .spec_constants = capable,
        .program_binaries = capable,
        .profiling = capable,
        .part_alignment = capable ? 4 : 0,
        .group_size_max = 64,
    };
}

static const dev_device_ops device_ops = {
    device_free,  capabilities,    memory_create, usm_create,   program_compile,
    program_link, program_compile, queue_create,  program_load, queue_create,
    NULL,         part_create,
};

static rt_status bad_open(const dev_open_parameters *parameters, rt_text selector,
                          dev_device **out_device)
{
    (void)selector;
    if (open_answer != RT_OK)
        return rt_fail(parameters->sink, open_answer, RT_RULE_NONE, "told to");
    bad_device *device = rt_alloc(sizeof *device);
    device->base.ops = &device_ops;
    *out_device = &device->base;
    return RT_STATUS_OK;
}
static const dev_backend bad_backend = {"bad", bad_open};

/* ---- The fixture: one of each object ------------------------------------------------------ */

typedef struct fixture {
    rt_sink *sink;
    dev_device *device;
    bad_device *bad;
    dev_memory *memory;
    dev_memory *usm;
    dev_memory *global;
    dev_program *compiled;
    dev_program *program;
    dev_kernel *kernel;
    dev_queue *queue;
    dev_event *event;
} fixture;

static const dev_code no_code = {.format = RT_FORMAT_SPIRV64};
static const dev_command no_wait = {0};
static uint8_t host[16];

static int setup(void **state)
{
    fixture *f = rt_alloc(sizeof *f);
    open_answer = RT_OK;
    f->sink = rt_sink_create();
    const dev_open_parameters parameters = {.sink = f->sink};
    assert_true(rt_ok(dev_device_open(&bad_backend, &parameters, RT_TEXT(""), &f->device)));
    f->bad = (bad_device *)f->device;
    assert_true(rt_ok(dev_memory_create(f->device, 16, RT_TEXT("m"), &f->memory)));
    assert_true(rt_ok(dev_usm_create(f->device, DEV_MEMORY_USM_SHARED, 16, RT_TEXT("u"), &f->usm)));
    assert_true(rt_ok(dev_program_compile(f->device, &no_code, &f->compiled)));
    assert_true(rt_ok(dev_program_link(f->device, &f->compiled, 1, RT_TEXT(""), &f->program)));
    assert_true(rt_ok(dev_global_find(f->program, RT_TEXT("g"), &f->global)));
    assert_true(rt_ok(dev_kernel_create(f->program, RT_TEXT("k"), &f->kernel)));
    assert_true(rt_ok(dev_queue_create_profiling(f->device, &f->queue)));
    assert_true(rt_ok(dev_enqueue_read(f->queue, no_wait, f->memory, 0, 16, host, &f->event)));
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    dev_event_destroy(f->event);
    dev_queue_destroy(f->queue);
    dev_kernel_destroy(f->kernel);
    dev_memory_destroy(f->global);
    dev_program_destroy(f->program);
    dev_program_destroy(f->compiled);
    dev_memory_destroy(f->memory);
    dev_memory_destroy(f->usm);
    dev_device_destroy(f->device);
    rt_sink_destroy(f->sink);
    rt_free(f);
    return 0;
}

/* Runs the action in a child process and reports whether it panicked there. */
static bool panics(void (*action)(fixture *f), fixture *f)
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (!freopen("/dev/null", "w", stderr)) _exit(3);
        signal(SIGABRT, SIG_DFL); /* cmocka has installed a handler */
        action(f);
        _exit(0);
    }
    int result;
    assert_int_equal(waitpid(child, &result, 0), child);
    assert_true(WIFSIGNALED(result) || WEXITSTATUS(result) == 0);
    return WIFSIGNALED(result) && WTERMSIG(result) == SIGABRT;
}

/* Ignores a status that the compiler requires the caller to use. */
static void use(rt_status status)
{
    (void)status;
}

/* ---- Each operation, as an action --------------------------------------------------------- */

static const dev_nd_range single_item = {.dimensions = 1, .global = {1, 1, 1}};

static void do_open(fixture *f)
{
    const dev_open_parameters parameters = {.sink = f->sink};
    dev_device *device;
    use(dev_device_open(&bad_backend, &parameters, RT_TEXT(""), &device));
    dev_device_destroy(device);
}
static void do_memory_create(fixture *f)
{
    dev_memory *memory;
    use(dev_memory_create(f->device, 8, RT_TEXT("m"), &memory));
    dev_memory_destroy(memory);
}
static void do_usm_create(fixture *f)
{
    dev_memory *memory;
    use(dev_usm_create(f->device, DEV_MEMORY_USM_DEVICE, 8, RT_TEXT("u"), &memory));
    dev_memory_destroy(memory);
}
static void do_part_create(fixture *f)
{
    dev_memory *part;
    use(dev_memory_part_create(f->memory, 4, 8, RT_TEXT("p"), &part));
    dev_memory_destroy(part);
}
static void do_global_find(fixture *f)
{
    dev_memory *memory;
    use(dev_global_find(f->program, RT_TEXT("g"), &memory));
    dev_memory_destroy(memory);
}
static void do_address(fixture *f)
{
    if (dev_memory_address(f->usm) == dev_memory_address(f->global)) _exit(4);
}
static void do_compile(fixture *f)
{
    dev_program *program;
    use(dev_program_compile(f->device, &no_code, &program));
    dev_program_destroy(program);
}
static void do_link(fixture *f)
{
    dev_program *program;
    use(dev_program_link(f->device, &f->compiled, 1, RT_TEXT(""), &program));
    dev_program_destroy(program);
}
static void do_build(fixture *f)
{
    dev_program *program;
    use(dev_program_build(f->device, &no_code, &program));
    dev_program_destroy(program);
}
static void do_binary(fixture *f)
{
    rt_buffer binary = {0};
    use(dev_program_binary(f->program, &binary));
    rt_buffer_free(&binary);
}
static void do_load(fixture *f)
{
    dev_program *program;
    use(dev_program_load(f->device, (rt_bytes){0}, &program));
    dev_program_destroy(program);
}
static void do_kernel_create(fixture *f)
{
    dev_kernel *kernel;
    use(dev_kernel_create(f->program, RT_TEXT("k"), &kernel));
    dev_kernel_destroy(kernel);
}
static void do_queue_create(fixture *f)
{
    dev_queue *queue;
    use(dev_queue_create(f->device, &queue));
    dev_queue_destroy(queue);
}
static void do_launch(fixture *f)
{
    dev_event *event;
    use(dev_enqueue_kernel(f->queue, no_wait, f->kernel, &single_item, NULL, 0, &event));
    dev_event_destroy(event);
}
static void do_read(fixture *f)
{
    dev_event *event;
    use(dev_enqueue_read(f->queue, no_wait, f->memory, 0, 16, host, &event));
    dev_event_destroy(event);
}
static void do_write(fixture *f)
{
    dev_event *event;
    use(dev_enqueue_write(f->queue, no_wait, f->memory, 0, 16, host, &event));
    dev_event_destroy(event);
}
static void do_copy(fixture *f)
{
    dev_event *event;
    use(dev_enqueue_copy(f->queue, no_wait, f->memory, 0, f->memory, 8, 8, &event));
    dev_event_destroy(event);
}
static void do_fill(fixture *f)
{
    dev_event *event;
    use(dev_enqueue_fill(f->queue, no_wait, f->memory, 0, 16, (rt_bytes){host, 4}, &event));
    dev_event_destroy(event);
}
static void do_marker(fixture *f)
{
    dev_event *event;
    use(dev_enqueue_marker(f->queue, no_wait, (dev_marker){.waits_for_all = true}, &event));
    dev_event_destroy(event);
}
static void do_flush(fixture *f)
{
    use(dev_queue_flush(f->queue));
}
static void do_wait(fixture *f)
{
    use(dev_event_wait(f->event));
}

static void do_times(fixture *f)
{
    dev_times times;
    use(dev_event_times(f->event, &times));
}
static void do_queue_create_profiling(fixture *f)
{
    dev_queue *queue;
    use(dev_queue_create_profiling(f->device, &queue));
    dev_queue_destroy(queue);
}
/* Queries times of an event whose queue records none. */
static void do_times_unkept(fixture *f)
{
    dev_queue *queue;
    dev_event *event;
    dev_times times;
    use(dev_queue_create(f->device, &queue));
    use(dev_enqueue_read(queue, no_wait, f->memory, 0, 16, host, &event));
    use(dev_event_times(event, &times));
}

/* For each operation, a code that it may return and one that it must not. */
static const struct {
    const char *name;
    void (*action)(fixture *f);
    rt_code listed;
    rt_code unlisted;
    bool makes_object;
} actions[] = {
    {"memory_create", do_memory_create, RT_ERRC_MEMORY_ALLOCATION, RT_ERRC_BUILD, true},
    {"usm_create", do_usm_create, RT_ERRC_MEMORY_ALLOCATION, RT_ERRC_INVALID, true},
    {"memory_part_create", do_part_create, RT_ERRC_INVALID, RT_ERRC_BUILD, true},
    {"global_find", do_global_find, RT_ERRC_INVALID, RT_LINK_ERROR, true},
    {"program_compile", do_compile, RT_ERRC_BUILD, RT_LINK_ERROR, true},
    {"program_link", do_link, RT_LINK_ERROR, RT_ERRC_ND_RANGE, true},
    {"program_build", do_build, RT_TOOL, RT_BUDGET, true},
    {"program_binary", do_binary, RT_UNSUPPORTED, RT_MALFORMED, true},
    {"program_load", do_load, RT_MALFORMED, RT_BUDGET, true},
    {"kernel_create", do_kernel_create, RT_ERRC_INVALID, RT_LINK_ERROR, true},
    {"queue_create", do_queue_create, RT_DRIVER_ERROR, RT_ERRC_INVALID, true},
    {"enqueue_kernel", do_launch, RT_ERRC_ND_RANGE, RT_BUDGET, true},
    {"enqueue_read", do_read, RT_DEVICE_LOST, RT_ERRC_ND_RANGE, true},
    {"enqueue_write", do_write, RT_DRIVER_ERROR, RT_ERRC_ND_RANGE, true},
    {"enqueue_copy", do_copy, RT_LIMIT, RT_ERRC_KERNEL_ARGUMENT, true},
    {"enqueue_fill", do_fill, RT_DRIVER_ERROR, RT_UNSUPPORTED, true},
    {"enqueue_marker", do_marker, RT_DRIVER_ERROR, RT_ERRC_ND_RANGE, true},
    {"flush", do_flush, RT_DEVICE_LOST, RT_BUDGET, false},
    {"wait", do_wait, RT_BUDGET, RT_LINK_ERROR, false},
    {"queue_create_profiling", do_queue_create_profiling, RT_DRIVER_ERROR, RT_ERRC_INVALID, true},
};

static void listed_statuses_pass_and_others_panic(void **state)
{
    fixture *f = *state;
    for (size_t i = 0; i < sizeof actions / sizeof *actions; i++) {
        f->bad->answer = RT_OK;
        if (panics(actions[i].action, f)) fail_msg("%s panics on success", actions[i].name);
        f->bad->answer = actions[i].listed;
        if (panics(actions[i].action, f)) fail_msg("%s panics on a listed code", actions[i].name);
        f->bad->answer = actions[i].unlisted;
        if (!panics(actions[i].action, f)) fail_msg("%s lets a code through", actions[i].name);
    }
    f->bad->answer = RT_OK;
    open_answer = RT_UNAVAILABLE;
    assert_false(panics(do_open, f));
    open_answer = RT_ERRC_BUILD;
    assert_true(panics(do_open, f));
}

static void object_and_status_must_agree(void **state)
{
    fixture *f = *state;
    for (size_t i = 0; i < sizeof actions / sizeof *actions; i++) {
        if (!actions[i].makes_object) continue;
        f->bad->answer = actions[i].listed;
        f->bad->object_anyhow = true;
        if (!panics(actions[i].action, f)) fail_msg("%s: object beside failure", actions[i].name);
        f->bad->object_anyhow = false;
        f->bad->answer = RT_OK;
        f->bad->no_object = true;
        if (!panics(actions[i].action, f)) fail_msg("%s: success without object", actions[i].name);
        f->bad->no_object = false;
    }
}

static void adapters_may_not_invent_statuses_or_leave_holes(void **state)
{
    fixture *f = *state;
    f->bad->answer = RT_DRIVER_ERROR;
    f->bad->foreign = true;
    assert_true(panics(do_memory_create, f));
    f->bad->foreign = false;
    f->bad->answer = RT_OK;
    f->bad->holes = true;
    assert_true(panics(do_queue_create, f));
    assert_true(panics(do_usm_create, f));
    f->bad->holes = false;
    assert_false(panics(do_address, f));
    f->bad->null_address = true;
    assert_true(panics(do_address, f));
    f->bad->null_address = false;
    f->bad->empty_global = true;
    assert_true(panics(do_global_find, f));
    f->bad->empty_global = false;
    f->bad->restless = true;
    assert_true(panics(do_wait, f));
    f->bad->restless = false;
    f->bad->timeless = true;
    assert_true(panics(do_times, f));
    f->bad->timeless = false;
    f->bad->times_answer = RT_DRIVER_ERROR;
    assert_false(panics(do_times, f));
    f->bad->times_answer = RT_BUDGET;
    assert_true(panics(do_times, f));
    f->bad->times_answer = RT_OK;
    assert_true(panics(do_times_unkept, f));
}

/* ---- What callers must not do ------------------------------------------------------------- */

static void read_past_end(fixture *f)
{
    dev_event *event;
    use(dev_enqueue_read(f->queue, no_wait, f->memory, 8, 9, host, &event));
}
static void read_wrapping(fixture *f)
{
    dev_event *event;
    use(dev_enqueue_read(f->queue, no_wait, f->memory, 8, UINT64_MAX - 4, host, &event));
}
static void read_nothing(fixture *f)
{
    dev_event *event;
    use(dev_enqueue_read(f->queue, no_wait, f->memory, 8, 0, host, &event));
}
/* The copy overlaps within one variable, although it names two memories. */
static void copy_overlapping_in_a_variable(fixture *f)
{
    dev_event *event;
    dev_memory *alias;
    f->bad->shares_address = true;
    use(dev_global_find(f->program, RT_TEXT("g"), &alias));
    use(dev_enqueue_copy(f->queue, no_wait, f->global, 0, alias, 4, 8, &event));
}
static void copy_overlapping(fixture *f)
{
    dev_event *event;
    use(dev_enqueue_copy(f->queue, no_wait, f->memory, 0, f->memory, 4, 8, &event));
}
/* The part begins at byte 4 of the memory. */
static void copy_overlapping_in_a_part(fixture *f)
{
    dev_event *event;
    dev_memory *part;
    use(dev_memory_part_create(f->memory, 4, 8, RT_TEXT("p"), &part));
    use(dev_enqueue_copy(f->queue, no_wait, f->memory, 0, part, 0, 8, &event));
}
static void part_past_the_end(fixture *f)
{
    dev_memory *part;
    use(dev_memory_part_create(f->memory, 12, 8, RT_TEXT("p"), &part));
}
static void part_of_a_part(fixture *f)
{
    dev_memory *part, *inner;
    use(dev_memory_part_create(f->memory, 4, 8, RT_TEXT("p"), &part));
    use(dev_memory_part_create(part, 0, 4, RT_TEXT("i"), &inner));
}
static void part_of_a_variable(fixture *f)
{
    dev_memory *part;
    use(dev_memory_part_create(f->global, 0, 4, RT_TEXT("p"), &part));
}
static void part_of_an_incapable_device(fixture *f)
{
    f->bad->incapable = true;
    do_part_create(f);
}
static void fill_unaligned(fixture *f)
{
    dev_event *event;
    use(dev_enqueue_fill(f->queue, no_wait, f->memory, 2, 8, (rt_bytes){host, 4}, &event));
}
static void fill_part_of_a_pattern(fixture *f)
{
    dev_event *event;
    use(dev_enqueue_fill(f->queue, no_wait, f->memory, 0, 8, (rt_bytes){host, 3}, &event));
}
/* A marker waits for its list or for everything, not for both. */
static void marker_with_a_list_that_waits_for_all(fixture *f)
{
    dev_event *event;
    const dev_command after = {.wait = &f->event, .wait_count = 1};
    use(dev_enqueue_marker(f->queue, after, (dev_marker){.waits_for_all = true}, &event));
}
static void launch_with(fixture *f, dev_argument argument)
{
    dev_event *event;
    use(dev_enqueue_kernel(f->queue, no_wait, f->kernel, &single_item, &argument, 1, &event));
}
static void pointer_to_nothing(fixture *f)
{
    launch_with(f, (dev_argument){.kind = DEV_ARGUMENT_POINTER});
}
static void pointer_into_a_buffer(fixture *f)
{
    launch_with(f, (dev_argument){.kind = DEV_ARGUMENT_POINTER, .memory = f->memory});
}
static void pointer_past_the_end(fixture *f)
{
    launch_with(f, (dev_argument){.kind = DEV_ARGUMENT_POINTER, .memory = f->usm, .offset = 17});
}
static void usm_as_a_buffer(fixture *f)
{
    launch_with(f, (dev_argument){.kind = DEV_ARGUMENT_MEMORY, .memory = f->usm});
}
static void address_of_a_buffer(fixture *f)
{
    if (dev_memory_address(f->memory) == 1) _exit(4);
}
static void usm_that_is_a_buffer(fixture *f)
{
    dev_memory *memory;
    use(dev_usm_create(f->device, DEV_MEMORY_BUFFER, 8, RT_TEXT("u"), &memory));
}
static void usm_of_no_bytes(fixture *f)
{
    dev_memory *memory;
    use(dev_usm_create(f->device, DEV_MEMORY_USM_HOST, 0, RT_TEXT("u"), &memory));
}
static void usm_of_an_incapable_device(fixture *f)
{
    f->bad->incapable = true;
    do_usm_create(f);
}
static void variable_of_an_incapable_device(fixture *f)
{
    f->bad->incapable = true;
    do_global_find(f);
}
static void binary_of_an_incapable_device(fixture *f)
{
    f->bad->incapable = true;
    do_binary(f);
}
static void load_on_an_incapable_device(fixture *f)
{
    f->bad->incapable = true;
    do_load(f);
}
static void binary_of_compiled_program(fixture *f)
{
    rt_buffer binary = {0};
    use(dev_program_binary(f->compiled, &binary));
}
static void variable_of_compiled_program(fixture *f)
{
    dev_memory *memory;
    use(dev_global_find(f->compiled, RT_TEXT("g"), &memory));
}
static void program_before_its_variable(fixture *f)
{
    dev_program_destroy(f->program);
}
static void compile_with(fixture *f, dev_spec_constant first, dev_spec_constant second)
{
    const dev_spec_constant constants[] = {first, second};
    const dev_code code = {
        .format = RT_FORMAT_SPIRV64, .constants = constants, .constant_count = 2};
    dev_program *program;
    use(dev_program_compile(f->device, &code, &program));
    dev_program_destroy(program);
}
static void constant_twice(fixture *f)
{
    const dev_spec_constant constant = {7, {host, 4}};
    compile_with(f, constant, constant);
}
static void constant_of_three_bytes(fixture *f)
{
    compile_with(f, (dev_spec_constant){7, {host, 4}}, (dev_spec_constant){8, {host, 3}});
}
static void constant_without_value(fixture *f)
{
    compile_with(f, (dev_spec_constant){7, {NULL, 4}}, (dev_spec_constant){8, {host, 4}});
}
static void two_constants(fixture *f)
{
    compile_with(f, (dev_spec_constant){7, {host, 8}}, (dev_spec_constant){8, {host, 1}});
}
static void constants_of_an_incapable_device(fixture *f)
{
    f->bad->incapable = true;
    two_constants(f);
}
static void launch_in_four_dimensions(fixture *f)
{
    const dev_nd_range range = {.dimensions = 4, .global = {1, 1, 1}};
    dev_event *event;
    use(dev_enqueue_kernel(f->queue, no_wait, f->kernel, &range, NULL, 0, &event));
}
static void launch_with_half_a_local_size(fixture *f)
{
    const dev_nd_range range = {.dimensions = 2, .global = {4, 4, 1}, .local = {2, 0, 1}};
    dev_event *event;
    use(dev_enqueue_kernel(f->queue, no_wait, f->kernel, &range, NULL, 0, &event));
}
static void kernel_of_compiled_program(fixture *f)
{
    dev_kernel *kernel;
    use(dev_kernel_create(f->compiled, RT_TEXT("k"), &kernel));
}
static void link_of_executable(fixture *f)
{
    dev_program *program;
    use(dev_program_link(f->device, &f->program, 1, RT_TEXT(""), &program));
}
/* Opens a second device with a queue and a memory, to test uses across devices. */
static void open_other(fixture *f, dev_queue **out_queue, dev_memory **out_memory)
{
    dev_device *other;
    const dev_open_parameters parameters = {.sink = f->sink};
    use(dev_device_open(&bad_backend, &parameters, RT_TEXT(""), &other));
    use(dev_queue_create(other, out_queue));
    use(dev_memory_create(other, 16, RT_TEXT("m"), out_memory));
}
static void wait_for_event_of_another_device(fixture *f)
{
    dev_queue *queue;
    dev_memory *memory;
    dev_event *event;
    open_other(f, &queue, &memory);
    const dev_command command = {.wait = &f->event, .wait_count = 1};
    use(dev_enqueue_read(queue, command, memory, 0, 16, host, &event));
}
static void read_of_another_device(fixture *f)
{
    dev_queue *queue;
    dev_memory *memory;
    dev_event *event;
    open_other(f, &queue, &memory);
    use(dev_enqueue_read(queue, no_wait, f->memory, 0, 16, host, &event));
}
static void write_of_another_device(fixture *f)
{
    dev_queue *queue;
    dev_memory *memory;
    dev_event *event;
    open_other(f, &queue, &memory);
    use(dev_enqueue_write(queue, no_wait, f->memory, 0, 16, host, &event));
}
static void argument_of_another_device(fixture *f)
{
    dev_queue *queue;
    dev_memory *memory;
    dev_event *event;
    open_other(f, &queue, &memory);
    const dev_argument argument = {.kind = DEV_ARGUMENT_MEMORY, .memory = memory};
    use(dev_enqueue_kernel(f->queue, no_wait, f->kernel, &single_item, &argument, 1, &event));
}
static void close_with_objects_alive(fixture *f)
{
    dev_device_destroy(f->device);
}
static void allocate_nothing(fixture *f)
{
    dev_memory *memory;
    use(dev_memory_create(f->device, 0, RT_TEXT("m"), &memory));
}

static void callers_that_break_the_contract_panic(void **state)
{
    void (*const violations[])(fixture * f) = {
        read_past_end,
        read_wrapping,
        read_nothing,
        copy_overlapping,
        copy_overlapping_in_a_variable,
        copy_overlapping_in_a_part,
        part_past_the_end,
        part_of_a_part,
        part_of_a_variable,
        part_of_an_incapable_device,
        pointer_to_nothing,
        pointer_into_a_buffer,
        pointer_past_the_end,
        usm_as_a_buffer,
        address_of_a_buffer,
        usm_that_is_a_buffer,
        usm_of_no_bytes,
        usm_of_an_incapable_device,
        variable_of_an_incapable_device,
        variable_of_compiled_program,
        binary_of_an_incapable_device,
        load_on_an_incapable_device,
        binary_of_compiled_program,
        program_before_its_variable,
        constant_twice,
        constant_of_three_bytes,
        constant_without_value,
        constants_of_an_incapable_device,
        fill_unaligned,
        fill_part_of_a_pattern,
        marker_with_a_list_that_waits_for_all,
        launch_in_four_dimensions,
        launch_with_half_a_local_size,
        kernel_of_compiled_program,
        link_of_executable,
        wait_for_event_of_another_device,
        read_of_another_device,
        write_of_another_device,
        argument_of_another_device,
        close_with_objects_alive,
        allocate_nothing,
    };
    for (size_t i = 0; i < sizeof violations / sizeof *violations; i++) {
        if (!panics(violations[i], *state)) fail_msg("violation %zu goes unnoticed", i);
    }
}

/* ---- What callers may do ------------------------------------------------------------------ */

static void pointer_to_the_end(fixture *f)
{
    launch_with(f, (dev_argument){.kind = DEV_ARGUMENT_POINTER, .memory = f->usm, .offset = 16});
}
static void pointer_into_a_variable(fixture *f)
{
    launch_with(f, (dev_argument){.kind = DEV_ARGUMENT_POINTER, .memory = f->global, .offset = 4});
}
static void null_pointer(fixture *f)
{
    launch_with(f, (dev_argument){.kind = DEV_ARGUMENT_MEMORY});
}
static void copy_beside_itself(fixture *f)
{
    dev_event *event;
    use(dev_enqueue_copy(f->queue, no_wait, f->usm, 0, f->usm, 8, 8, &event));
    use(dev_enqueue_copy(f->queue, no_wait, f->usm, 0, f->global, 0, 16, &event));
    use(dev_enqueue_copy(f->queue, no_wait, f->memory, 0, f->usm, 0, 16, &event));
}

static void callers_that_keep_it_do_not(void **state)
{
    void (*const uses[])(fixture * f) = {pointer_to_the_end, pointer_into_a_variable, null_pointer,
                                         copy_beside_itself, two_constants};
    for (size_t i = 0; i < sizeof uses / sizeof *uses; i++) {
        if (panics(uses[i], *state)) fail_msg("use %zu panics", i);
    }
}

/* ---- The rest ----------------------------------------------------------------------------- */

static void untracked_memory_counts_as_defined(void **state)
{
    fixture *f = *state;
    uint8_t bits[2] = {0};
    assert_true(rt_ok(dev_memory_defined(f->memory, 3, 11, bits)));
    assert_int_equal(bits[0], 0xFF);
    assert_int_equal(bits[1], 0x07);
}

static void assert_live(dev_device *device, const char *expected)
{
    rt_buffer text = {0};
    const dev_live live = dev_device_live(device);
    dev_live_print(&text, &live);
    assert_string_equal(rt_buffer_string(&text), expected);
    assert_int_equal(dev_live_is_none(&live), *expected == '\0');
    rt_buffer_free(&text);
}

/* The fixture has a buffer, USM and a variable; two programs; and one each of the rest. */
static void live_objects_are_counted_by_kind(void **state)
{
    fixture *f = *state;
    assert_live(f->device, "3 memories, 2 programs, 1 kernel, 1 queue and 1 event");
    dev_device_keep(f->device);
    assert_live(f->device, "");
    dev_event *event;
    dev_memory *memory;
    assert_true(rt_ok(dev_enqueue_read(f->queue, no_wait, f->memory, 0, 16, host, &event)));
    assert_live(f->device, "1 event");
    assert_true(rt_ok(dev_memory_create(f->device, 8, RT_TEXT("n"), &memory)));
    assert_live(f->device, "1 memory and 1 event");
    dev_memory_destroy(memory);
    dev_event_destroy(event);
    assert_live(f->device, "");
}

static void new_memories_are_filled_on_request(void **state)
{
    fixture *f = *state;
    dev_memory *memory;
    last_fill = (struct fill){0};
    assert_true(rt_ok(dev_memory_create(f->device, 24, RT_TEXT("n"), &memory)));
    assert_null(last_fill.memory);
    dev_memory_destroy(memory);
    dev_device_fill_memories(f->device, f->queue);
    dev_device_keep(f->device);
    assert_true(rt_ok(dev_memory_create(f->device, 24, RT_TEXT("n"), &memory)));
    assert_ptr_equal(last_fill.memory, memory);
    assert_int_equal(last_fill.offset, 0);
    assert_int_equal(last_fill.size, 24);
    assert_int_equal(last_fill.byte, DEV_NEW_MEMORY_BYTE);
    assert_live(f->device, "1 memory");
    dev_memory_destroy(memory);
    assert_true(rt_ok(dev_usm_create(f->device, DEV_MEMORY_USM_HOST, 40, RT_TEXT("u"), &memory)));
    assert_ptr_equal(last_fill.memory, memory);
    assert_int_equal(last_fill.size, 40);
    dev_memory_destroy(memory);
    f->bad->refuses_fills = true;
    rt_status status = dev_memory_create(f->device, 24, RT_TEXT("n"), &memory);
    assert_int_equal(status.code, RT_DRIVER_ERROR);
    assert_null(memory);
    assert_live(f->device, "");
    dev_device_fill_memories(f->device, NULL);
    assert_true(rt_ok(dev_memory_create(f->device, 24, RT_TEXT("n"), &memory)));
    dev_memory_destroy(memory);
}

/* Call 2 does not reach the adapter. */
static void one_call_fails_on_demand(void **state)
{
    fixture *f = *state;
    dev_calls calls = {.failing = 2};
    dev_memory *memory;
    dev_event *event;
    dev_device_count_calls(f->device, &calls);
    assert_true(rt_ok(dev_memory_create(f->device, 24, RT_TEXT("n"), &memory)));
    assert_null(atomic_load(&calls.failed));
    last_fill = (struct fill){0};
    rt_status status = dev_enqueue_fill(f->queue, no_wait, memory, 0, 8,
                                        (rt_bytes){(const uint8_t *)"x", 1}, &event);
    assert_int_equal(status.code, RT_DRIVER_ERROR);
    assert_non_null(
        strstr(rt_sink_diagnostic(f->sink, status)->message.data, DEV_FAILED_ON_DEMAND));
    assert_null(event);
    assert_null(last_fill.memory);
    assert_string_equal(atomic_load(&calls.failed), "enqueue_fill");
    assert_true(rt_ok(dev_queue_flush(f->queue)));
    assert_int_equal(atomic_load(&calls.count), 3);
    dev_memory_destroy(memory);
}

static void link_ability_is_found_by_extension(void **state)
{
    fixture *f = *state;
    dev_capabilities found;
    dev_device_capabilities(f->device, &found);
    assert_true(dev_capabilities_link(&found, RT_FORMAT_SPIRV64));
    assert_false(dev_capabilities_link(&found, RT_FORMAT_SPIRV64_GEN));
}

static void uneven_ranges_are_refused(void **state)
{
    fixture *f = *state;
    const struct {
        dev_nd_range range;
        rt_code code;
    } rows[] = {
        {{.dimensions = 1, .global = {10, 1, 1}}, RT_OK},
        {{.dimensions = 1, .global = {10, 1, 1}, .local = {5, 1, 1}}, RT_OK},
        {{.dimensions = 1, .global = {10, 1, 1}, .local = {4, 1, 1}}, RT_ERRC_ND_RANGE},
        {{.dimensions = 2, .global = {8, 8, 1}, .local = {8, 8, 1}}, RT_OK},
        {{.dimensions = 2, .global = {8, 16, 1}, .local = {8, 16, 1}}, RT_ERRC_ND_RANGE},
        {{.dimensions = 2,
          .global = {UINT64_C(1) << 40, UINT64_C(1) << 40, 1},
          .local = {UINT64_C(1) << 40, UINT64_C(1) << 40, 1}},
         RT_ERRC_ND_RANGE},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(dev_nd_range_validate(f->sink, &rows[i].range, 64).code, rows[i].code);
}

static void every_parameter_takes_one_argument(void **state)
{
    const fixture *f = *state;
    assert_true(rt_ok(dev_argument_count_validate(f->sink, 0, 0)));
    assert_true(rt_ok(dev_argument_count_validate(f->sink, 2, 2)));
    for (uint32_t count = 1; count <= 3; count += 2) {
        rt_status status = dev_argument_count_validate(f->sink, 2, count);
        assert_int_equal(status.code, RT_ERRC_KERNEL_ARGUMENT);
    }
}

static void aspects_have_their_names_of_sycl(void **state)
{
    (void)state;
    assert_string_equal(dev_aspect_name(DEV_ASPECT_FP16), "fp16");
    assert_string_equal(dev_aspect_name(DEV_ASPECT_FP64), "fp64");
    assert_string_equal(dev_aspect_name(DEV_ASPECT_ATOMIC64), "atomic64");
    assert_string_equal(dev_aspect_number_name(6), "fp64"); /* 6 is SYCL's aspect::fp64 */
    assert_null(dev_aspect_number_name(1)); /* aspect::cpu, which cannot be queried */
    assert_string_equal(dev_aspect_name(DEV_ASPECT_VIRTUAL_FUNCTIONS),
                        "ext_oneapi_virtual_functions");
}

static void destroying_nothing_is_allowed(void **state)
{
    (void)state;
    dev_memory_destroy(NULL);
    dev_program_destroy(NULL);
    dev_kernel_destroy(NULL);
    dev_queue_destroy(NULL);
    dev_event_destroy(NULL);
    dev_device_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(listed_statuses_pass_and_others_panic),
        cmocka_unit_test(object_and_status_must_agree),
        cmocka_unit_test(adapters_may_not_invent_statuses_or_leave_holes),
        cmocka_unit_test(callers_that_break_the_contract_panic),
        cmocka_unit_test(callers_that_keep_it_do_not),
        cmocka_unit_test(untracked_memory_counts_as_defined),
        cmocka_unit_test(one_call_fails_on_demand),
        cmocka_unit_test(live_objects_are_counted_by_kind),
        cmocka_unit_test(new_memories_are_filled_on_request),
        cmocka_unit_test(link_ability_is_found_by_extension),
        cmocka_unit_test(uneven_ranges_are_refused),
        cmocka_unit_test(every_parameter_takes_one_argument),
        cmocka_unit_test(aspects_have_their_names_of_sycl),
        cmocka_unit_test(destroying_nothing_is_allowed),
    };
    struct CMUnitTest with_fixture[sizeof tests / sizeof *tests];
    memcpy(with_fixture, tests, sizeof tests);
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {
        with_fixture[i].setup_func = setup;
        with_fixture[i].teardown_func = teardown;
    }
    return cmocka_run_group_tests(with_fixture, NULL, NULL);
}
