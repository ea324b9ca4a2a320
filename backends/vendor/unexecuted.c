/* Memory objects without storage, and queues whose commands do nothing: just enough of a device to
 * check launches. */
#include "backends/vendor/unexecuted.h"

#include "reference/base/alloc.h"

#include <string.h>

typedef struct memory_object {
    dev_memory base;
    uint64_t address;
} memory_object;

typedef struct event_object {
    dev_event base;
    uint64_t step; /* time on the device's clock */
} event_object;

typedef struct queue_object {
    dev_queue base;
    vendor_unexecuted *device;
    vendor_launch_check *check;
} queue_object;

void vendor_unexecuted_begin(vendor_unexecuted *out_device)
{
    atomic_init(&out_device->steps, 0);
    atomic_init(&out_device->next_address, UINT64_C(1) << 20); /* address 0 is never used */
    vendor_mappings_begin(&out_device->mappings);
}

void vendor_unexecuted_end(vendor_unexecuted *device)
{
    vendor_mappings_end(&device->mappings);
}

/* ---- Memories ----------------------------------------------------------------------------- */

uint64_t vendor_address_take(vendor_unexecuted *device, uint64_t size)
{
    enum { ALIGN = 256 };
    /* Reserves at least one extra byte, so that the end address of one memory object is never the
     * start of the next. */
    uint64_t reserved = (size + ALIGN) / ALIGN * ALIGN;
    CHECK(reserved > size && reserved % ALIGN == 0);
    return atomic_fetch_add(&device->next_address, reserved);
}

static void memory_destroy(dev_memory *memory)
{
    rt_free(memory);
}

static rt_status memory_defined(dev_memory *memory, uint64_t offset, uint64_t size,
                                uint8_t *out_bits)
{
    CHECK(offset < memory->size && size <= memory->size - offset);
    memset(out_bits, 0, (size_t)((size + 7) / 8));
    return RT_STATUS_OK;
}

static uint64_t memory_address(dev_memory *memory)
{
    return ((const memory_object *)memory)->address;
}

static const dev_memory_ops memory_ops = {
    .destroy = memory_destroy,
    .defined = memory_defined,
    .address = memory_address,
};

dev_memory *vendor_memory_make(uint64_t address, uint64_t size)
{
    CHECK(size >= 1 && address <= UINT64_MAX - size);
    memory_object *memory = rt_alloc(sizeof *memory);
    memory->base.ops = &memory_ops;
    memory->base.size = size;
    memory->address = address;
    return &memory->base;
}

rt_status vendor_memory_part_create(dev_memory *base, uint64_t offset, uint64_t size, rt_text label,
                                    dev_memory **out_memory)
{
    RT_TRY(dev_part_validate(base->device->sink, label, offset));
    *out_memory = vendor_memory_make(((const memory_object *)base)->address + offset, size);
    return RT_STATUS_OK;
}

/* ---- Events: always complete -------------------------------------------------------------- */

static void event_destroy(dev_event *event)
{
    rt_free(event);
}

static rt_status event_wait(dev_event *event)
{
    (void)event;
    return RT_STATUS_OK;
}

static dev_event_state event_state(dev_event *event)
{
    (void)event;
    return DEV_EVENT_COMPLETE;
}

/* A command takes no time, but each has its own step of the clock. */
static rt_status event_times(dev_event *event, dev_times *out_times)
{
    uint64_t step = ((const event_object *)event)->step;
    *out_times = (dev_times){.submit = step, .start = step, .end = step};
    return RT_STATUS_OK;
}

static const dev_event_ops event_ops = {
    .destroy = event_destroy,
    .wait = event_wait,
    .state = event_state,
    .times = event_times,
};

static rt_status event_give(dev_queue *queue, dev_event **out_event)
{
    event_object *event = rt_alloc(sizeof *event);
    event->base.ops = &event_ops;
    event->step = atomic_fetch_add(&((queue_object *)queue)->device->steps, 1);
    *out_event = &event->base;
    return RT_STATUS_OK;
}

/* ---- Queues ------------------------------------------------------------------------------- */

static void queue_destroy(dev_queue *queue)
{
    rt_free(queue);
}

static rt_status enqueue_kernel(dev_queue *base, dev_command command, dev_kernel *kernel,
                                const dev_nd_range *range, const dev_argument *arguments,
                                uint32_t argument_count, dev_event **out_event)
{
    (void)command;
    RT_TRY(((const queue_object *)base)->check(base, kernel, range, arguments, argument_count));
    return event_give(base, out_event);
}

static rt_status enqueue_read(dev_queue *queue, dev_command command, dev_memory *memory,
                              uint64_t offset, uint64_t size, void *destination,
                              dev_event **out_event)
{
    (void)command;
    CHECK(offset < memory->size && size <= memory->size - offset);
    memset(destination, 0, (size_t)size); /* Always zeros, so that every run reads the same bytes
                                           * whatever the buffer held before. */
    return event_give(queue, out_event);
}

static rt_status enqueue_write(dev_queue *queue, dev_command command, dev_memory *memory,
                               uint64_t offset, uint64_t size, const void *source,
                               dev_event **out_event)
{
    (void)command, (void)source;
    CHECK(offset < memory->size && size <= memory->size - offset);
    return event_give(queue, out_event);
}

static rt_status enqueue_copy(dev_queue *queue, dev_command command, dev_memory *source,
                              uint64_t source_offset, dev_memory *destination,
                              uint64_t destination_offset, uint64_t size, dev_event **out_event)
{
    (void)command;
    CHECK(source_offset < source->size && size <= source->size - source_offset);
    CHECK(destination_offset < destination->size);
    CHECK(size <= destination->size - destination_offset);
    return event_give(queue, out_event);
}

static rt_status enqueue_fill(dev_queue *queue, dev_command command, dev_memory *memory,
                              uint64_t offset, uint64_t size, rt_bytes pattern,
                              dev_event **out_event)
{
    (void)command;
    CHECK(offset < memory->size && size <= memory->size - offset);
    CHECK(pattern.size >= 1 && size % pattern.size == 0);
    return event_give(queue, out_event);
}

static rt_status enqueue_marker(dev_queue *queue, dev_command command, dev_marker marker,
                                dev_event **out_event)
{
    (void)command, (void)marker;
    return event_give(queue, out_event);
}

static rt_status enqueue_map(dev_queue *queue, dev_command command, dev_memory *memory, dev_map map,
                             dev_mapping **out_mapping, dev_event **out_event)
{
    (void)command;
    CHECK(map.offset < memory->size && map.size <= memory->size - map.offset);
    vendor_mapping *mapping = rt_alloc(sizeof *mapping);
    rt_status status =
        vendor_mapping_open(&((queue_object *)queue)->device->mappings, queue->device->sink,
                            ((const memory_object *)memory)->address, map, mapping);
    if (!rt_ok(status)) {
        rt_free(mapping);
        return status;
    }
    mapping->base.bytes = rt_alloc((size_t)map.size); /* zeros */
    *out_mapping = &mapping->base;
    return event_give(queue, out_event);
}

static rt_status enqueue_unmap(dev_queue *queue, dev_command command, dev_mapping *mapping,
                               dev_event **out_event)
{
    (void)command;
    vendor_mapping_close(&((queue_object *)queue)->device->mappings, (vendor_mapping *)mapping);
    rt_free(mapping->bytes);
    rt_free(mapping);
    return event_give(queue, out_event);
}

static const dev_queue_ops queue_ops = {
    .destroy = queue_destroy,
    .enqueue_kernel = enqueue_kernel,
    .enqueue_read = enqueue_read,
    .enqueue_write = enqueue_write,
    .enqueue_copy = enqueue_copy,
    .enqueue_fill = enqueue_fill,
    .enqueue_marker = enqueue_marker,
    .enqueue_map = enqueue_map,
    .enqueue_unmap = enqueue_unmap,
};

dev_queue *vendor_queue_make(vendor_unexecuted *device, vendor_launch_check *check)
{
    queue_object *queue = rt_alloc(sizeof *queue);
    queue->base.ops = &queue_ops;
    queue->device = device;
    queue->check = check;
    return &queue->base;
}
