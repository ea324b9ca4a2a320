/* The copies of a memory, and which of them hold its latest contents.
 *
 *                        host is latest   copy on a device is latest
 *   created              yes              -
 *   uploaded             yes              also this one
 *   written by a device  no               this one only
 *   downloaded           yes              as before
 *   written by the host  yes              none
 *
 * The host bytes of unified shared memory are its contents until the first command has used it. */
#include "reference/memory/memory.h"

#include <string.h>

/* Checks that the memory is in one of the states above, so that its latest contents exist
 * somewhere. */
static bool memory_check(const rt_memory *memory)
{
    if (memory->whole) {
        CHECK(memory->kind == DEV_MEMORY_BUFFER && memory->parts.count == 0);
        CHECK(memory->host == memory->whole->host + memory->origin);
        memory = memory->whole;
    }
    bool is_usm = memory->kind != DEV_MEMORY_BUFFER;
    CHECK(memory->size >= 1 && memory->size <= RT_MEMORY_SIZE_MAX);
    CHECK(is_usm == (memory->usm_device != NULL));
    CHECK(memory->host_valid || rt_memory_valid_device(memory) != UINT32_MAX);
    CHECK_IMPLIES(!memory->initialised, memory->host_valid);
    for (uint32_t i = 0; i < memory->copies.count; i++) {
        const rt_memory_copy *copy = &memory->copies.items[i];
        CHECK_IMPLIES(copy->valid, copy->memory != NULL);
        CHECK_IMPLIES(is_usm, (copy->memory != NULL) == (i == memory->usm_device->id));
    }
    if (memory->written_on == UINT32_MAX) return true;
    CHECK(memory->written_on < memory->copies.count);
    CHECK(memory->initialised && memory->copies.items[memory->written_on].memory != NULL);
    return true;
}

/* The entry for a device's copy; the copy itself may not be allocated yet. */
static rt_memory_copy *copy_of(rt_memory *memory, const rt_device *device)
{
    while (memory->copies.count <= device->id)
        *rt_vector_push(&memory->copies) = (rt_memory_copy){0};
    return &memory->copies.items[device->id];
}

rt_status rt_memory_create(rt_sink *sink, uint32_t id, rt_text name, uint64_t size,
                           const void *initial, rt_memory **out_memory)
{
    CHECK(size >= 1);
    *out_memory = NULL;
    uint8_t *host = size <= RT_MEMORY_SIZE_MAX ? rt_try_alloc((size_t)size) : NULL;
    if (!host) {
        return rt_fail(sink, RT_ERRC_MEMORY_ALLOCATION, RT_RULE_NONE,
                       "memory '%.*s' of %llu bytes cannot be allocated on the host",
                       RT_TEXT_ARG(name), (unsigned long long)size);
    }
    if (initial) memcpy(host, initial, (size_t)size);
    rt_memory *memory = rt_alloc(sizeof *memory);
    *memory = (rt_memory){
        .id = id,
        .name = name,
        .size = size,
        .host = host,
        .host_valid = true,
        .initialised = initial != NULL,
        .written_on = UINT32_MAX,
    };
    CHECK(memory_check(memory));
    *out_memory = memory;
    return RT_STATUS_OK;
}

rt_status rt_memory_part_create(rt_sink *sink, uint32_t id, rt_text name, rt_memory *whole,
                                uint64_t offset, uint64_t size, rt_memory **out_memory)
{
    CHECK(size >= 1);
    *out_memory = NULL;
    const char *obstacle = whole->whole                       ? "itself part of a buffer"
                           : whole->kind != DEV_MEMORY_BUFFER ? "not a buffer"
                           : offset > whole->size || size > whole->size - offset ? "too small"
                                                                                 : NULL;
    if (obstacle)
        return rt_fail_naming(sink, RT_ERRC_INVALID, RT_RULE_NONE, &name, 1,
                              "'%.*s' cannot be the %llu bytes at offset %llu of '%.*s', which is "
                              "%s",
                              RT_TEXT_ARG(name), (unsigned long long)size,
                              (unsigned long long)offset, RT_TEXT_ARG(whole->name), obstacle);
    rt_memory *part = rt_alloc(sizeof *part);
    *part = (rt_memory){
        .id = id,
        .name = name,
        .size = size,
        .host = whole->host + offset,
        .whole = whole,
        .origin = offset,
        .written_on = UINT32_MAX,
    };
    *rt_vector_push(&whole->parts) = part;
    CHECK(memory_check(part));
    *out_memory = part;
    return RT_STATUS_OK;
}

void rt_memory_part_end(rt_memory *part)
{
    CHECK(part->whole);
    for (uint32_t i = 0; i < part->copies.count; i++)
        dev_memory_destroy(part->copies.items[i].memory);
    rt_vector_free(&part->copies);
}

rt_memory *rt_memory_whole(rt_memory *memory)
{
    return memory->whole ? memory->whole : memory;
}

bool rt_memory_overlap(const rt_memory *a, const rt_memory *b)
{
    CHECK((a->whole ? a->whole : a) == (b->whole ? b->whole : b));
    return a->origin < b->origin + b->size && b->origin < a->origin + a->size;
}

rt_status rt_memory_usm_create(rt_sink *sink, uint32_t id, rt_text name, const rt_device *device,
                               dev_memory_kind kind, uint64_t size, const void *initial,
                               rt_memory **out_memory)
{
    CHECK(kind == DEV_MEMORY_USM_DEVICE || kind == DEV_MEMORY_USM_HOST ||
          kind == DEV_MEMORY_USM_SHARED);
    *out_memory = NULL;
    if (!device->capabilities.usm) {
        return rt_fail_naming(sink, RT_ERRC_FEATURE_NOT_SUPPORTED, RT_RULE_NONE, &name, 1,
                              "memory '%.*s' cannot be created: device %.*s has no unified shared "
                              "memory",
                              RT_TEXT_ARG(name), RT_TEXT_ARG(device->name));
    }
    rt_memory *memory = NULL;
    RT_TRY(rt_memory_create(sink, id, name, size, initial, &memory));
    CHECK(memory != NULL);
    memory->kind = kind;
    memory->usm_device = device;
    rt_status status =
        dev_usm_create(device->device, kind, size, name, &copy_of(memory, device)->memory);
    if (!rt_ok(status)) {
        rt_memory_destroy(memory);
        return status;
    }
    CHECK(memory_check(memory));
    *out_memory = memory;
    return RT_STATUS_OK;
}

rt_status rt_memory_global_create(rt_sink *sink, uint32_t id, rt_text name, const rt_device *device,
                                  dev_memory *variable, rt_memory **out_memory)
{
    CHECK(variable->kind == DEV_MEMORY_GLOBAL && variable->device == device->device);
    *out_memory = NULL;
    rt_memory *memory = NULL;
    RT_TRY(rt_memory_create(sink, id, name, variable->size, NULL, &memory));
    CHECK(memory != NULL);
    memory->kind = DEV_MEMORY_GLOBAL;
    memory->usm_device = device;
    copy_of(memory, device)->memory = variable;
    rt_memory_written(memory, device);
    *out_memory = memory;
    return RT_STATUS_OK;
}

bool rt_memory_is_usm(const rt_memory *memory)
{
    CHECK((memory->kind == DEV_MEMORY_BUFFER) == (memory->usm_device == NULL));
    return memory->kind != DEV_MEMORY_BUFFER;
}

void rt_memory_destroy(rt_memory *memory)
{
    if (!memory) return;
    for (uint32_t i = 0; i < memory->copies.count; i++)
        dev_memory_destroy(memory->copies.items[i].memory);
    rt_vector_free(&memory->copies);
    rt_vector_free(&memory->parts);
    if (!memory->whole) rt_free(memory->host);
    rt_free(memory);
}

/* NOLINTNEXTLINE(misc-no-recursion): one level, to the whole buffer of a part */
rt_status rt_memory_on_device(rt_memory *memory, const rt_device *device, dev_memory **out_copy)
{
    CHECK_IMPLIES(rt_memory_is_usm(memory), device == memory->usm_device);
    rt_memory_copy *copy = copy_of(memory, device);
    if (!copy->memory && memory->whole) {
        dev_memory *whole = NULL;
        RT_TRY(rt_memory_on_device(memory->whole, device, &whole));
        RT_TRY(dev_memory_part_create(whole, memory->origin, memory->size, memory->name,
                                      &copy->memory));
    } else if (!copy->memory) {
        RT_TRY(dev_memory_create(device->device, memory->size, memory->name, &copy->memory));
    }
    *out_copy = copy->memory;
    CHECK(memory_check(memory));
    return RT_STATUS_OK;
}

bool rt_memory_needs_upload(const rt_memory *memory, const rt_device *device)
{
    CHECK(device->id < memory->copies.count);
    return memory->initialised && !memory->copies.items[device->id].valid;
}

uint32_t rt_memory_valid_device(const rt_memory *memory)
{
    for (uint32_t i = 0; i < memory->copies.count; i++) {
        if (memory->copies.items[i].valid) return i;
    }
    return UINT32_MAX;
}

void rt_memory_uploaded(rt_memory *memory, const rt_device *device)
{
    CHECK(memory->host_valid);
    CHECK(device->id < memory->copies.count && memory->copies.items[device->id].memory);
    memory->copies.items[device->id].valid = true;
    CHECK(memory_check(memory));
}

void rt_memory_downloaded(rt_memory *memory)
{
    CHECK(rt_memory_valid_device(memory) != UINT32_MAX);
    CHECK(!rt_memory_is_usm(memory));
    memory->host_valid = true;
    CHECK(memory_check(memory));
}

void rt_memory_written(rt_memory *memory, const rt_device *device)
{
    memory = rt_memory_whole(memory);
    CHECK(device->id < memory->copies.count && memory->copies.items[device->id].memory);
    for (uint32_t i = 0; i < memory->copies.count; i++)
        memory->copies.items[i].valid = i == device->id;
    memory->host_valid = false;
    memory->initialised = true;
    memory->written_on = device->id;
    CHECK(memory_check(memory));
}

void rt_memory_host_written(rt_memory *memory)
{
    CHECK(!rt_memory_is_usm(memory));
    for (uint32_t i = 0; i < memory->copies.count; i++)
        memory->copies.items[i].valid = false;
    memory->host_valid = memory->initialised = true;
    memory->written_on = UINT32_MAX;
    CHECK(memory_check(memory));
}
