/* Queues, and the commands that transfer the bytes of memories.  A queue is an immediate command
 * list; only events order its commands.  The driver takes every memory as a pointer, whatever its
 * kind, so all transfers use the same call.
 *
 * Source: Level Zero specification 1.8, "Command Lists" (immediate), "Copying". */
#include "backends/level_zero/l0_internal.h"
#include "reference/base/alloc.h"
#include "reference/base/rule.h"

#include <string.h>

/* ---- Transfers ---------------------------------------------------------------------------- */

/* Appends a copy or, if pattern_size is not 0, a fill with the pattern at `from`.  Bytes of
 * `staging` (NULL: none) are freed once the command is done. */
static rt_status transfer(dev_queue *base, dev_command command, void *to, const void *from,
                          size_t pattern_size, uint64_t size, void *staging, dev_event **out_event)
{
    l0_queue *queue = (l0_queue *)base;
    const l0_library *ze = &queue->device->library;
    l0_append append;
    CHECK(size >= 1 && pattern_size <= size);
    rt_status status = l0_append_begin(queue->device, command, &append);
    if (!rt_ok(status)) {
        rt_free(staging);
        return status;
    }
    append.signal->staging = staging;
    CHECK(append.wait_count == command.wait_count);
    pthread_mutex_lock(&queue->lock);
    ze_result_t result =
        pattern_size > 0 ? ze->zeCommandListAppendMemoryFill(queue->list, to, from, pattern_size,
                                                             (size_t)size, append.signal->event,
                                                             append.wait_count, append.waits)
                         : ze->zeCommandListAppendMemoryCopy(queue->list, to, from, (size_t)size,
                                                             append.signal->event,
                                                             append.wait_count, append.waits);
    pthread_mutex_unlock(&queue->lock);
    return l0_append_end(queue->device, &append, L0_STAGE_QUEUE,
                         pattern_size > 0 ? "zeCommandListAppendMemoryFill"
                                          : "zeCommandListAppendMemoryCopy",
                         result, out_event);
}

static char *pointer_at(const dev_memory *memory, uint64_t offset)
{
    CHECK(offset < memory->size);
    return ((const l0_memory *)memory)->pointer + offset;
}

rt_status l0_enqueue_read(dev_queue *queue, dev_command command, dev_memory *memory,
                          uint64_t offset, uint64_t size, void *destination, dev_event **out_event)
{
    return transfer(queue, command, destination, pointer_at(memory, offset), 0, size, NULL,
                    out_event);
}

rt_status l0_enqueue_write(dev_queue *queue, dev_command command, dev_memory *memory,
                           uint64_t offset, uint64_t size, const void *source,
                           dev_event **out_event)
{
    const size_t pattern_size = RULE(DG_PLUGIN_07, 0); /* a copy: zeCommandListAppendMemoryCopy */
    return transfer(queue, command, pointer_at(memory, offset), source, pattern_size, size, NULL,
                    out_event);
}

rt_status l0_enqueue_copy(dev_queue *queue, dev_command command, dev_memory *source,
                          uint64_t source_offset, dev_memory *destination,
                          uint64_t destination_offset, uint64_t size, dev_event **out_event)
{
    return transfer(queue, command, pointer_at(destination, destination_offset),
                    pointer_at(source, source_offset), 0, size, NULL, out_event);
}

/* A pattern that the queue does not take is repeated here and copied. */
rt_status l0_enqueue_fill(dev_queue *queue, dev_command command, dev_memory *memory,
                          uint64_t offset, uint64_t size, rt_bytes pattern, dev_event **out_event)
{
    const l0_device *device = ((const l0_queue *)queue)->device;
    CHECK(pattern.size >= 1 && size % pattern.size == 0);
    char *to = pointer_at(memory, offset);
    bool is_power = (pattern.size & (pattern.size - 1)) == 0;
    if (is_power && pattern.size <= device->fill_pattern_max)
        return transfer(queue, command, to, pattern.data, pattern.size, size, NULL, out_event);
    char *staging = rt_try_alloc((size_t)size);
    if (!staging)
        return rt_fail(device->sink, RT_ERRC_MEMORY_ALLOCATION, RT_RULE_NONE,
                       "no memory for the %llu bytes of a fill, whose pattern of %zu bytes the "
                       "queues of '%s' do not take",
                       (unsigned long long)size, pattern.size, rt_buffer_string(&device->name));
    for (uint64_t done = 0; done < size; done += pattern.size)
        memcpy(staging + done, pattern.data, pattern.size);
    return transfer(queue, command, to, staging, 0, size, staging, out_event);
}

/* ---- Markers ------------------------------------------------------------------------------ */

/* Level Zero's barrier waits for its list or, without one, for everything before it, and holds back
 * everything after it.  There is no marker that does not, so every marker is a barrier, which only
 * orders more; one that waits for nothing is a signal. */
rt_status l0_enqueue_marker(dev_queue *base, dev_command command, dev_marker marker,
                            dev_event **out_event)
{
    l0_queue *queue = (l0_queue *)base;
    const l0_library *ze = &queue->device->library;
    bool is_signal = command.wait_count == 0 && !marker.waits_for_all;
    l0_append append;
    RT_TRY(l0_append_begin(queue->device, command, &append));
    pthread_mutex_lock(&queue->lock);
    ze_result_t result = is_signal
                             ? ze->zeCommandListAppendSignalEvent(queue->list, append.signal->event)
                             : ze->zeCommandListAppendBarrier(queue->list, append.signal->event,
                                                              append.wait_count, append.waits);
    pthread_mutex_unlock(&queue->lock);
    return l0_append_end(queue->device, &append, L0_STAGE_QUEUE,
                         is_signal ? "zeCommandListAppendSignalEvent"
                                   : "zeCommandListAppendBarrier",
                         result, out_event);
}

/* ---- Queues ------------------------------------------------------------------------------- */

static void l0_queue_destroy(dev_queue *base)
{
    l0_queue *queue = (l0_queue *)base;
    l0_device_settle(queue->device);
    queue->device->library.zeCommandListDestroy(queue->list);
    pthread_mutex_destroy(&queue->lock);
    rt_free(queue);
}

static const dev_queue_ops l0_queue_ops = {
    .destroy = l0_queue_destroy,
    .enqueue_kernel = l0_enqueue_kernel,
    .enqueue_read = l0_enqueue_read,
    .enqueue_write = l0_enqueue_write,
    .enqueue_copy = l0_enqueue_copy,
    .enqueue_fill = l0_enqueue_fill,
    .enqueue_marker = l0_enqueue_marker,
};

rt_status l0_queue_create(dev_device *base, dev_queue **out_queue)
{
    l0_device *device = (l0_device *)base;
    const ze_command_queue_desc_t description = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                                 .ordinal = device->queue_ordinal,
                                                 .mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS};
    ze_command_list_handle_t list = NULL;
    ze_result_t result = device->library.zeCommandListCreateImmediate(device->context, device->id,
                                                                      &description, &list);
    if (result != ZE_RESULT_SUCCESS || !list)
        return l0_fail(device->sink, L0_STAGE_QUEUE, "zeCommandListCreateImmediate", result,
                       (rt_text){0});
    l0_queue *queue = rt_alloc(sizeof *queue);
    queue->base.ops = &l0_queue_ops;
    queue->device = device;
    queue->list = list;
    pthread_mutex_init(&queue->lock, NULL);
    *out_queue = &queue->base;
    return RT_STATUS_OK;
}
