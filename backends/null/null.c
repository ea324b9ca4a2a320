/* The null device: shows the runtime's own decisions and costs, without those of a real device.
 *
 * It is also the pattern for adapters.  A new adapter starts as a copy of this file and then
 *   1. gives each object its own struct, whose first member is the base struct;
 *   2. fills the five tables of operations, one function per operation, in device.h's order;
 *   3. turns every failure of its library into rt_fail(sink, code, …) with a code that device.h
 *      lists for the operation and a message that names the call, its result and the remedy;
 *   4. passes the suite in reference/device/test.
 * checked.c has verified every argument before it arrives here, so an adapter needs few assertions:
 * those for the invariants of its own code.
 *
 * The null device does not inspect programs: it resolves no symbols and links anything. Source of
 * the rules: reference/device/device.h. */
#include "backends/null/null.h"

#include "reference/base/alloc.h"
#include "reference/base/spirv.h"

#include <string.h>

typedef struct null_device {
    dev_device base;
} null_device;

typedef struct null_memory {
    dev_memory base;
} null_memory;

typedef struct null_program {
    dev_program base;
} null_program;

typedef struct null_kernel {
    dev_kernel base;
} null_kernel;

typedef struct null_queue {
    dev_queue base;
} null_queue;

typedef struct null_event {
    dev_event base;
} null_event;

/* ---- Events: always complete -------------------------------------------------------------- */

static void null_event_destroy(dev_event *event)
{
    rt_free(event);
}

static rt_status null_event_wait(dev_event *event)
{
    (void)event;
    return RT_STATUS_OK;
}

static dev_event_state null_event_state(dev_event *event)
{
    (void)event;
    return DEV_EVENT_COMPLETE;
}

static const dev_event_ops null_event_ops = {
    .destroy = null_event_destroy,
    .wait = null_event_wait,
    .state = null_event_state,
};

static dev_event *null_event_create(void)
{
    null_event *event = rt_alloc(sizeof *event);
    event->base.ops = &null_event_ops;
    return &event->base;
}

/* ---- Queues: every command is done when its enqueue returns ------------------------------- */

static void null_queue_destroy(dev_queue *queue)
{
    rt_free(queue);
}

static rt_status null_enqueue_kernel(dev_queue *queue, dev_command command, dev_kernel *kernel,
                                     const dev_nd_range *range, const dev_argument *arguments,
                                     uint32_t argument_count, dev_event **out_event)
{
    (void)command, (void)kernel, (void)arguments, (void)argument_count;
    RT_TRY(dev_nd_range_validate(queue->device->sink, range, RT_WORK_GROUP_SIZE_MAX));
    *out_event = null_event_create();
    return RT_STATUS_OK;
}

static rt_status null_enqueue_read(dev_queue *queue, dev_command command, dev_memory *memory,
                                   uint64_t offset, uint64_t size, void *destination,
                                   dev_event **out_event)
{
    (void)queue, (void)command;
    CHECK(offset < memory->size && size <= memory->size - offset);
    memset(destination, 0, (size_t)size); /* Always zeros, so that every run reads the same bytes
                                           * whatever the buffer held before. */
    *out_event = null_event_create();
    return RT_STATUS_OK;
}

static rt_status null_enqueue_write(dev_queue *queue, dev_command command, dev_memory *memory,
                                    uint64_t offset, uint64_t size, const void *source,
                                    dev_event **out_event)
{
    (void)queue, (void)command, (void)source;
    CHECK(offset < memory->size && size <= memory->size - offset);
    *out_event = null_event_create();
    return RT_STATUS_OK;
}

static rt_status null_enqueue_copy(dev_queue *queue, dev_command command, dev_memory *source,
                                   uint64_t source_offset, dev_memory *destination,
                                   uint64_t destination_offset, uint64_t size,
                                   dev_event **out_event)
{
    (void)queue, (void)command;
    CHECK(source_offset < source->size && size <= source->size - source_offset);
    CHECK(destination_offset < destination->size);
    CHECK(size <= destination->size - destination_offset);
    *out_event = null_event_create();
    return RT_STATUS_OK;
}

static rt_status null_enqueue_fill(dev_queue *queue, dev_command command, dev_memory *memory,
                                   uint64_t offset, uint64_t size, rt_bytes pattern,
                                   dev_event **out_event)
{
    (void)queue, (void)command;
    CHECK(offset < memory->size && size <= memory->size - offset);
    CHECK(pattern.size >= 1 && size % pattern.size == 0);
    *out_event = null_event_create();
    return RT_STATUS_OK;
}

static rt_status null_enqueue_marker(dev_queue *queue, dev_command command, dev_marker marker,
                                     dev_event **out_event)
{
    (void)queue, (void)command, (void)marker;
    *out_event = null_event_create();
    return RT_STATUS_OK;
}

static rt_status null_queue_flush(dev_queue *queue)
{
    (void)queue;
    return RT_STATUS_OK;
}

static const dev_queue_ops null_queue_ops = {
    .destroy = null_queue_destroy,
    .enqueue_kernel = null_enqueue_kernel,
    .enqueue_read = null_enqueue_read,
    .enqueue_write = null_enqueue_write,
    .enqueue_copy = null_enqueue_copy,
    .enqueue_fill = null_enqueue_fill,
    .enqueue_marker = null_enqueue_marker,
    .flush = null_queue_flush,
};

static rt_status null_queue_create(dev_device *device, dev_queue **out_queue)
{
    (void)device;
    null_queue *queue = rt_alloc(sizeof *queue);
    queue->base.ops = &null_queue_ops;
    *out_queue = &queue->base;
    return RT_STATUS_OK;
}

/* ---- Kernels: with any name --------------------------------------------------------------- */

static void null_kernel_destroy(dev_kernel *kernel)
{
    rt_free(kernel);
}

static uint32_t null_kernel_argument_count(dev_kernel *kernel)
{
    (void)kernel;
    return DEV_ARGUMENT_COUNT_UNKNOWN;
}

static const dev_kernel_ops null_kernel_ops = {
    .destroy = null_kernel_destroy,
    .argument_count = null_kernel_argument_count,
};

static rt_status null_kernel_create(dev_program *program, rt_text name, dev_kernel **out_kernel)
{
    if (name.length == 0)
        return rt_fail(program->device->sink, RT_ERRC_INVALID, RT_RULE_NONE,
                       "the kernel name is empty; give a name");
    null_kernel *kernel = rt_alloc(sizeof *kernel);
    kernel->base.ops = &null_kernel_ops;
    *out_kernel = &kernel->base;
    return RT_STATUS_OK;
}

/* ---- Programs: anything that begins like SPIR-V ------------------------------------------- */

static void null_program_destroy(dev_program *program)
{
    rt_free(program);
}

static const dev_program_ops null_program_ops = {
    .destroy = null_program_destroy,
    .kernel_create = null_kernel_create,
};

static dev_program *null_program_create(void)
{
    null_program *program = rt_alloc(sizeof *program);
    program->base.ops = &null_program_ops;
    return &program->base;
}

static rt_status null_program_compile(dev_device *device, const dev_code *code,
                                      dev_program **out_program)
{
    if (code->format != RT_FORMAT_SPIRV64)
        return rt_fail(device->sink, RT_UNSUPPORTED, RT_RULE_NONE,
                       "the null device takes images of format %s, not %s",
                       rt_format_name(RT_FORMAT_SPIRV64), rt_format_name(code->format));
    uint32_t word = 0;
    if (code->bytes.size >= sizeof word) memcpy(&word, code->bytes.data, sizeof word);
    if (word != RT_SPIRV_MAGIC && word != __builtin_bswap32(RT_SPIRV_MAGIC))
        return rt_fail(device->sink, RT_MALFORMED, RT_RULE_NONE,
                       "an image of %zu bytes does not begin with SPIR-V's magic number",
                       code->bytes.size);
    *out_program = null_program_create();
    return RT_STATUS_OK;
}

static rt_status null_program_link(dev_device *device, dev_program *const *programs, uint32_t count,
                                   rt_text options, dev_program **out_program)
{
    (void)device, (void)programs, (void)count, (void)options;
    *out_program = null_program_create();
    return RT_STATUS_OK;
}

/* ---- Memory: sizes without bytes ---------------------------------------------------------- */

static void null_memory_destroy(dev_memory *memory)
{
    rt_free(memory);
}

static rt_status null_memory_defined(dev_memory *memory, uint64_t offset, uint64_t size,
                                     uint8_t *out_bits)
{
    (void)memory, (void)offset;
    memset(out_bits, 0, (size_t)((size + 7) / 8));
    return RT_STATUS_OK;
}

static const dev_memory_ops null_memory_ops = {
    .destroy = null_memory_destroy,
    .defined = null_memory_defined,
};

static rt_status null_memory_create(dev_device *device, uint64_t size, rt_text label,
                                    dev_memory **out_memory)
{
    (void)device, (void)size, (void)label;
    null_memory *memory = rt_alloc(sizeof *memory);
    memory->base.ops = &null_memory_ops;
    *out_memory = &memory->base;
    return RT_STATUS_OK;
}

static rt_status null_memory_part_create(dev_memory *whole, uint64_t offset, uint64_t size,
                                         rt_text label, dev_memory **out_memory)
{
    (void)offset;
    return null_memory_create(whole->device, size, label, out_memory);
}

/* ---- The device --------------------------------------------------------------------------- */

static void null_device_destroy(dev_device *device)
{
    rt_free(device);
}

static void null_device_capabilities(dev_device *device, dev_capabilities *out_capabilities)
{
    (void)device;
    static const char *const extensions[] = {"pi_ext_spirv64_linking"};
    *out_capabilities = (dev_capabilities){
        .name = RT_TEXT("null"),
        .driver = RT_TEXT("assay"),
        .formats_taken = 1u << RT_FORMAT_SPIRV64,
        .extensions = extensions,
        .extension_count = sizeof extensions / sizeof *extensions,
        .aspects = (1u << DEV_ASPECT_COUNT) - 1,
        .executes = false,
        .program_variables = true, /* nothing runs, so nothing is lost */
        .sub_groups = true,
        .sub_group_operations = true,
        .asserts = true,
        .local_size_max = UINT64_C(64) << 10,
        .group_size_max = RT_WORK_GROUP_SIZE_MAX,
        .part_alignment = 1,
        .sub_group_sizes = UINT64_MAX,
    };
}

static const dev_device_ops null_device_ops = {
    .destroy = null_device_destroy,
    .capabilities = null_device_capabilities,
    .memory_create = null_memory_create,
    .memory_part_create = null_memory_part_create,
    .program_compile = null_program_compile,
    .program_link = null_program_link,
    /* Building an image in one step is the same as compiling it for a link. */
    .program_build = null_program_compile,
    .queue_create = null_queue_create,
};

static rt_status null_open(const dev_open_parameters *parameters, rt_text selector,
                           dev_device **out_device)
{
    if (selector.length > 0)
        return rt_fail(parameters->sink, RT_ERRC_INVALID, RT_RULE_NONE,
                       "the null device takes no selector, but was given '%.*s'",
                       RT_TEXT_ARG(selector));
    null_device *device = rt_alloc(sizeof *device);
    device->base.ops = &null_device_ops;
    *out_device = &device->base;
    return RT_STATUS_OK;
}

const dev_backend null_backend = {.name = "null", .open = null_open};
