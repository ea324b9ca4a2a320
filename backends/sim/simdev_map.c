/* Mappings: bytes of buffers that the host accesses between a map and an unmap.
 *
 * A mapping has its own bytes: the map copies the range into them, and the unmap copies back what
 * the host says that it has written, so that a program that forgets one of them, or does not wait
 * for it, gets other values than on a device that shares its memory with the host.  A command that
 * runs between the two and accesses the buffer is a finding, "mapped-buffer"; one that nothing
 * orders with the two is a finding because of that, whenever it runs (simdev_order.h): a map reads
 * the range, or makes it undefined, and an unmap reads or writes it.
 * Source: OpenCL 3.0 API, 5.2.4 "Mapping Buffer Objects" and 5.5.3 "Accessing mapped regions of a
 * memory object". */
#include "backends/sim/simdev_internal.h"

#include <string.h>

static bool is_for_writing(const simdev_mapping *mapping)
{
    return mapping->base.map.access != DEV_MAP_READ;
}

static bool is_invalidating(const simdev_mapping *mapping)
{
    return mapping->base.map.access == DEV_MAP_WRITE_INVALIDATE;
}

static rt_text label_of(const simdev_mapping *mapping)
{
    return sim_object_label(mapping->device->world, mapping->object);
}

/* ---- Lifetime ----------------------------------------------------------------------------- */

/* Refuses a mapping for writing of bytes that another one maps for writing. */
static rt_status overlap_check(const simdev_mapping *mapping)
{
    const simdev_device *device = mapping->device;
    for (uint32_t i = 0; i < device->mappings.count && is_for_writing(mapping); i++) {
        const simdev_mapping *other = device->mappings.items[i];
        bool is_apart = other->object != mapping->object || !other->is_open ||
                        other->offset >= mapping->offset + mapping->base.map.size ||
                        mapping->offset >= other->offset + other->base.map.size;
        if (is_apart || !is_for_writing(other)) continue;
        return rt_fail(device->base.sink, RT_ERRC_INVALID, RT_RULE_NONE,
                       "bytes %llu to %llu of '%.*s' cannot be mapped for writing, because bytes "
                       "%llu to %llu are mapped for writing; unmap them first",
                       (unsigned long long)mapping->offset,
                       (unsigned long long)(mapping->offset + mapping->base.map.size),
                       RT_TEXT_ARG(label_of(mapping)), (unsigned long long)other->offset,
                       (unsigned long long)(other->offset + other->base.map.size));
    }
    return RT_STATUS_OK;
}

static void mapping_free(simdev_mapping *mapping)
{
    uint64_t begin = (uintptr_t)mapping->base.bytes;
    if (mapping->base.bytes) /* another mapping may get the same addresses */
        simdev_history_forget_host(&mapping->device->history, begin,
                                   begin + mapping->base.map.size);
    rt_free(mapping->base.bytes);
    rt_free(mapping->written);
    rt_free(mapping);
}

rt_status simdev_mapping_create(simdev_memory *memory, dev_map map, uint32_t tag,
                                simdev_mapping **out_mapping)
{
    simdev_device *device = memory->device;
    simdev_mapping *mapping = rt_alloc(sizeof *mapping);
    const dev_memory *base = &memory->base;
    mapping->device = device;
    mapping->references = 1;
    mapping->tag = tag;
    mapping->object = memory->whole ? memory->whole->object : memory->object;
    mapping->offset = base->origin + map.offset;
    mapping->begin = base->origin;
    mapping->end = base->origin + base->size;
    mapping->is_open = true;
    mapping->base.map = map;
    rt_status status = overlap_check(mapping);
    if (rt_ok(status)) {
        mapping->base.bytes = rt_try_alloc((size_t)map.size);
        mapping->written = rt_try_alloc((size_t)map.size);
        if (!mapping->base.bytes || !mapping->written)
            status = rt_fail(device->base.sink, RT_ERRC_MEMORY_ALLOCATION, RT_RULE_NONE,
                             "the system cannot provide %llu bytes to map '%.*s'",
                             (unsigned long long)map.size, RT_TEXT_ARG(label_of(mapping)));
    }
    if (!rt_ok(status)) {
        mapping_free(mapping);
        return status;
    }
    CHECK(mapping->base.bytes && mapping->written);
    memset(mapping->base.bytes, DEV_NEW_MEMORY_BYTE, (size_t)map.size);
    memset(mapping->written, 0, (size_t)map.size);
    *rt_vector_push(&device->mappings) = mapping;
    *out_mapping = mapping;
    return RT_STATUS_OK;
}

static void mapping_remove(simdev_device *device, uint32_t index)
{
    mapping_free(device->mappings.items[index]);
    device->mappings.items[index] = device->mappings.items[--device->mappings.count];
}

void simdev_mapping_release(simdev_mapping *mapping)
{
    simdev_device *device = mapping->device;
    CHECK(mapping->references >= 1);
    if (--mapping->references > 0 || mapping->is_active) return;
    uint32_t index = 0;
    while (device->mappings.items[index] != mapping)
        index++;
    mapping_remove(device, index);
}

void simdev_mappings_forget(simdev_device *device, sim_object object)
{
    for (uint32_t i = device->mappings.count; i-- > 0;) {
        if (device->mappings.items[i]->object != object) continue;
        CHECK(device->mappings.items[i]->references == 0); /* only its unmap has failed */
        mapping_remove(device, i);
    }
}

/* ---- The commands ------------------------------------------------------------------------- */

void simdev_mapping_begin(simdev_mapping *mapping)
{
    CHECK(!mapping->is_active);
    mapping->is_active = true;
    if (is_invalidating(mapping)) return;
    sim_object_read(mapping->device->world, mapping->object, mapping->offset,
                    mapping->base.map.size, mapping->base.bytes);
}

void simdev_mapping_end(simdev_mapping *mapping)
{
    if (!mapping->is_active) return; /* nothing orders it after the map, which is a finding */
    mapping->is_active = false;
    sim_world *world = mapping->device->world;
    const uint64_t size = mapping->base.map.size;
    if (is_invalidating(mapping))
        sim_object_undefine(world, mapping->object, mapping->offset, size);
    for (uint64_t i = 0, end; i < size; i = end) {
        for (end = i; end < size && mapping->written[end] == mapping->written[i];)
            end++;
        if (mapping->written[i])
            sim_object_write(world, mapping->object, mapping->offset + i, end - i,
                             mapping->base.bytes + i);
    }
}

void simdev_mapping_note(const simdev_mapping *mapping, simdev_node *node, bool is_unmap)
{
    const uint64_t size = mapping->base.map.size;
    bool writes = is_unmap ? is_for_writing(mapping) : is_invalidating(mapping);
    const sim_accessed in_buffer = {mapping->object, mapping->offset, size, writes, false};
    /* The host's accesses must follow the map and precede the unmap. */
    const sim_accessed on_host = {0, (uintptr_t)mapping->base.bytes, size, true, false};
    simdev_node_accesses(node, &in_buffer);
    simdev_node_accesses(node, &on_host);
}

/* ---- Commands between a map and its unmap ------------------------------------------------- */

bool simdev_is_mapped(const simdev_device *device)
{
    for (uint32_t i = 0; i < device->mappings.count; i++)
        if (device->mappings.items[i]->is_active) return true;
    return false;
}

static void mapped_report(const simdev_mapping *mapping, const simdev_node *node,
                          const simdev_range *range, bool is_write)
{
    simdev_device *device = mapping->device;
    if (!device->on_finding) return;
    rt_text label = label_of(mapping);
    rt_buffer message = {0};
    unsigned long long begin = mapping->offset, size = mapping->base.map.size;
    rt_buffer_printf(&message, "%s at offset %llu of '%.*s' by ", is_write ? "write" : "read",
                     (unsigned long long)range->begin, RT_TEXT_ARG(label));
    simdev_node_print(&message, node);
    rt_buffer_printf(&message,
                     ", while the host had mapped bytes %llu to %llu for %s; unmap them before the "
                     "command begins",
                     begin, begin + size, is_for_writing(mapping) ? "writing" : "reading");
    const dev_finding finding = {.kind = "mapped-buffer",
                                 .message = rt_buffer_text(&message),
                                 .tag = node->tag,
                                 .kernel = rt_text_of(node->kernel ? node->kernel : ""),
                                 .object = label,
                                 .offset = range->begin,
                                 .count = 1};
    device->on_finding(device->finding_user, &finding);
    rt_buffer_free(&message);
}

/* Reports the first access that the mapping forbids. */
static void mapping_judge(const simdev_mapping *mapping, const simdev_node *node, uint64_t begin,
                          uint64_t end)
{
    for (uint32_t i = 0; i < node->accesses.count; i++) {
        const simdev_accesses *accesses = &node->accesses.items[i];
        bool is_forbidden = accesses->is_write || is_for_writing(mapping);
        if (accesses->object != mapping->object || !is_forbidden) continue;
        for (uint32_t k = 0; k < accesses->count; k++) {
            const simdev_range *range = &node->ranges.items[accesses->first + k];
            if (range->begin >= end || begin >= range->end) continue;
            mapped_report(mapping, node, range, accesses->is_write);
            return;
        }
    }
}

/* The whole buffer counts as mapped, but other ranges of it may be mapped and unmapped. */
void simdev_mapped_judge(simdev_device *device, const simdev_node *node, const simdev_mapping *own)
{
    for (uint32_t i = 0; i < device->mappings.count; i++) {
        const simdev_mapping *mapping = device->mappings.items[i];
        if (!mapping->is_active || mapping == own) continue;
        if (own)
            mapping_judge(mapping, node, mapping->offset, mapping->offset + mapping->base.map.size);
        else
            mapping_judge(mapping, node, mapping->begin, mapping->end);
    }
}

/* ---- The host's accesses ------------------------------------------------------------------ */

const simdev_mapping *simdev_mapping_at(const simdev_device *device, uint64_t address)
{
    for (uint32_t i = 0; i < device->mappings.count; i++) {
        const simdev_mapping *mapping = device->mappings.items[i];
        uint64_t first = (uintptr_t)mapping->base.bytes;
        if (address >= first && address - first < mapping->base.map.size) return mapping;
    }
    return NULL;
}

void simdev_mapping_access(dev_mapping *base, uint32_t tag, uint64_t offset, uint64_t size,
                           bool is_write)
{
    simdev_mapping *mapping = (simdev_mapping *)base;
    const sim_accessed accessed = {0, (uintptr_t)base->bytes + offset, size, is_write, false};
    pthread_mutex_lock(&mapping->device->lock);
    if (is_write) memset(mapping->written + offset, 1, (size_t)size);
    simdev_host_judge(mapping->device, tag, &accessed);
    pthread_mutex_unlock(&mapping->device->lock);
}

void simdev_mapping_defined(dev_mapping *base, uint8_t *out_bits)
{
    const simdev_mapping *mapping = (const simdev_mapping *)base;
    pthread_mutex_lock(&mapping->device->lock);
    if (!is_invalidating(mapping))
        sim_object_defined(mapping->device->world, mapping->object, mapping->offset, base->map.size,
                           out_bits);
    for (uint64_t i = 0; i < base->map.size; i++)
        if (mapping->written[i]) out_bits[i / 8] = (uint8_t)(out_bits[i / 8] | 1u << i % 8);
    pthread_mutex_unlock(&mapping->device->lock);
}
