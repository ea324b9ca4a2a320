/* Maps: what the host accesses through a pointer into a buffer.
 *
 * A map and an unmap are commands on the device that has the contents.  While a buffer is mapped,
 * the runtime orders other commands that use it after the map and before the unmap, as it orders
 * all that use one buffer; that the specification forbids them then is for the device to find.
 * Source: OpenCL 3.0 API, 5.2.4 "Mapping Buffer Objects" and 5.5.3 "Accessing mapped regions of a
 * memory object". */
#include "reference/sched/sched_internal.h"

#include "reference/base/handover.h"

#include <string.h>

/* How commands of the graph are ordered with a map and its unmap: what the host writes arrives with
 * the unmap, but from the map on the buffer's contents are undefined. */
static rt_access access_of(dev_map_access access)
{
    static const rt_access accesses[DEV_MAP_ACCESSES] = {
        [DEV_MAP_READ] = RT_ACCESS_READ,
        [DEV_MAP_WRITE] = RT_ACCESS_READ_WRITE,
        [DEV_MAP_READ_WRITE] = RT_ACCESS_READ_WRITE,
        [DEV_MAP_WRITE_INVALIDATE] = RT_ACCESS_WRITE,
    };
    CHECK((unsigned)access < DEV_MAP_ACCESSES);
    return accesses[access];
}

static rt_status map_check(rt_scheduler *scheduler, const rt_map_request *map)
{
    const rt_memory *memory = map->memory;
    if (rt_memory_is_usm(memory))
        return rt_fail_naming(scheduler->sink, RT_ERRC_INVALID, RT_RULE_NONE, &memory->name, 1,
                              "'%.*s' is not a buffer, so it cannot be mapped",
                              RT_TEXT_ARG(memory->name));
    const dev_map *range = &map->range;
    bool is_inside = range->offset <= memory->size && range->size <= memory->size - range->offset;
    if (range->size >= 1 && is_inside) return RT_STATUS_OK;
    return rt_fail_naming(scheduler->sink, RT_ERRC_INVALID, RT_RULE_NONE, &memory->name, 1,
                          "map of %llu bytes at offset %llu of '%.*s', which has %llu bytes; map "
                          "at least one byte, inside it",
                          (unsigned long long)range->size, (unsigned long long)range->offset,
                          RT_TEXT_ARG(memory->name), (unsigned long long)memory->size);
}

static rt_status map_submit(rt_scheduler *scheduler, rt_queue_id queue, const rt_map_request *map,
                            rt_command_id *out_command)
{
    RT_TRY(map_check(scheduler, map));
    CHECK(scheduler->queues.items[queue].device->capabilities.maps);
    rt_access access = access_of(map->range.access);
    bool overwrites = access == RT_ACCESS_WRITE && map->range.size == map->memory->size;
    rt_access_list accesses = {0};
    *rt_vector_push(&accesses) = (rt_memory_access){map->memory, access, overwrites};
    const rt_submission submission = {.queue = queue,
                                      .kind = RT_COMMAND_MAP,
                                      .accesses = &accesses,
                                      .after = map->after,
                                      .after_count = map->after_count};
    rt_command *command = NULL;
    rt_status status = rt_submission_begin(scheduler, &submission, &command);
    if (rt_ok(status)) {
        command->mapping = rt_alloc(sizeof *command->mapping);
        *command->mapping = (rt_mapping){.memory = map->memory};
        status = rt_enqueue_map(scheduler, command, &map->range);
        status = rt_submission_end(scheduler, command, &accesses, status, out_command);
    }
    rt_vector_free(&accesses);
    return status;
}

rt_status rt_scheduler_map(rt_scheduler *scheduler, rt_queue_id queue, const rt_map_request *map,
                           rt_command_id *out_command)
{
    *out_command = RT_COMMAND_NONE;
    rt_handover_point();
    rt_scheduler_lock(scheduler);
    CHECK(queue < scheduler->queues.count);
    rt_status status = map_submit(scheduler, queue, map, out_command);
    rt_scheduler_unlock(scheduler);
    return status;
}

/* Refuses a map that is not, or no longer, mapped. */
static rt_status mapped_check(rt_scheduler *scheduler, rt_command_id map)
{
    CHECK(map < scheduler->commands.count);
    const rt_command *mapped = scheduler->commands.items[map];
    CHECK(mapped->kind == RT_COMMAND_MAP);
    if (mapped->mapping->mapping) return RT_STATUS_OK;
    rt_text name = mapped->mapping->memory->name;
    return rt_fail_naming(scheduler->sink, RT_ERRC_INVALID, RT_RULE_NONE, &name, 1,
                          "the bytes of '%.*s' that command %u maps are not mapped",
                          RT_TEXT_ARG(name), map);
}

static rt_status unmap_submit(rt_scheduler *scheduler, rt_queue_id queue, rt_command_id map,
                              const rt_command_id *after, uint32_t after_count,
                              rt_command_id *out_command)
{
    RT_TRY(mapped_check(scheduler, map));
    rt_command *mapped = scheduler->commands.items[map];
    rt_memory *memory = mapped->mapping->memory;
    const rt_device *device = scheduler->queues.items[queue].device;
    if (device != mapped->device)
        return rt_fail_naming(
            scheduler->sink, RT_ERRC_INVALID, RT_RULE_NONE, &memory->name, 1,
            "'%.*s' is mapped on device %.*s; unmap it in a queue of that device, "
            "not of %.*s",
            RT_TEXT_ARG(memory->name), RT_TEXT_ARG(mapped->device->name),
            RT_TEXT_ARG(device->name));
    const rt_access access = access_of(mapped->mapping->mapping->map.access);
    /* Without moving contents: they are where the bytes were mapped. */
    const rt_access_list none = {0};
    rt_access_list accesses = {0};
    *rt_vector_push(&accesses) = (rt_memory_access){memory, access, false};
    const rt_submission submission = {.queue = queue,
                                      .kind = RT_COMMAND_UNMAP,
                                      .accesses = &none,
                                      .after = after,
                                      .after_count = after_count};
    rt_command *command = NULL;
    rt_status status = rt_submission_begin(scheduler, &submission, &command);
    if (rt_ok(status)) {
        rt_graph_depend(scheduler, command, map);
        rt_graph_depend_on_memory(scheduler, command, memory, access);
        status = rt_enqueue_unmap(scheduler, command, mapped);
        status = rt_submission_end(scheduler, command, &accesses, status, out_command);
    }
    rt_vector_free(&accesses);
    return status;
}

rt_status rt_scheduler_unmap(rt_scheduler *scheduler, rt_queue_id queue, rt_command_id map,
                             const rt_command_id *after, uint32_t after_count,
                             rt_command_id *out_command)
{
    *out_command = RT_COMMAND_NONE;
    rt_handover_point();
    rt_scheduler_lock(scheduler);
    CHECK(queue < scheduler->queues.count);
    rt_status status = unmap_submit(scheduler, queue, map, after, after_count, out_command);
    rt_scheduler_unlock(scheduler);
    return status;
}

void rt_mappings_end(rt_scheduler *scheduler)
{
    for (uint32_t i = 0; i < scheduler->commands.count; i++) {
        const rt_command *command = scheduler->commands.items[i];
        if (!command->mapping || !command->mapping->mapping) continue;
        const dev_command last = {.tag = command->id};
        dev_event *event = NULL;
        dev_queue *queue = scheduler->queues.items[command->queue].queue;
        rt_status mapped = dev_event_wait(command->event);
        rt_status unmapped = dev_enqueue_unmap(queue, last, command->mapping->mapping, &event);
        if (rt_ok(unmapped)) unmapped = dev_event_wait(event);
        (void)mapped, (void)unmapped;
        dev_event_destroy(event);
        command->mapping->mapping = NULL;
    }
}

/* ---- The application's accesses ----------------------------------------------------------- */

/* Finds the device's mapping.  What a map that has failed returned points to nothing. */
static rt_status mapping_find(rt_scheduler *scheduler, rt_command_id map, dev_mapping **out_mapping)
{
    RT_TRY(mapped_check(scheduler, map));
    const rt_command *mapped = scheduler->commands.items[map];
    *out_mapping = mapped->mapping->mapping;
    if (!rt_command_is_over(mapped) || rt_ok(mapped->result)) return RT_STATUS_OK;
    rt_text name = mapped->mapping->memory->name;
    return rt_fail_naming(scheduler->sink, RT_ERRC_INVALID, RT_RULE_NONE, &name, 1,
                          "the map of '%.*s' has failed, so the host cannot access its bytes",
                          RT_TEXT_ARG(name));
}

rt_status rt_scheduler_mapping_read(rt_scheduler *scheduler, rt_command_id map, uint32_t tag,
                                    rt_bytes *out_bytes, uint8_t *out_defined)
{
    dev_mapping *mapping = NULL;
    rt_handover_point();
    rt_scheduler_lock(scheduler);
    rt_status status = mapping_find(scheduler, map, &mapping);
    if (rt_ok(status)) {
        dev_mapping_access(mapping, tag, 0, mapping->map.size, false);
        if (out_defined) dev_mapping_defined(mapping, out_defined);
        *out_bytes = (rt_bytes){mapping->bytes, (size_t)mapping->map.size};
    }
    rt_scheduler_unlock(scheduler);
    return status;
}

rt_status rt_scheduler_mapping_write(rt_scheduler *scheduler, rt_command_id map, uint32_t tag,
                                     uint64_t offset, rt_bytes bytes)
{
    dev_mapping *mapping = NULL;
    rt_handover_point();
    rt_scheduler_lock(scheduler);
    rt_status status = mapping_find(scheduler, map, &mapping);
    if (rt_ok(status)) {
        memcpy(mapping->bytes + offset, bytes.data, bytes.size);
        dev_mapping_access(mapping, tag, offset, bytes.size, true);
    }
    rt_scheduler_unlock(scheduler);
    return status;
}
