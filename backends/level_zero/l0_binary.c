/* A program's binary: a header, the sizes of its modules, the names of variables in host code
 * (native code need not contain them), and the native code of each module.  The modules are
 * relinked when they are loaded.
 *
 * Source: DeviceGlobal.md, "New PI interface to copy to or from a module scope variable"; Level
 * Zero specification 1.8, zeModuleGetNativeBinary. */
#include "backends/level_zero/l0_binary.h"

#include <string.h>

typedef struct binary_header {
    char magic[8]; /* changes with the format */
    uint64_t module_count;
    uint64_t names_size; /* bytes */
} binary_header;
static const char binary_magic[] = "assayL01";

rt_status l0_program_binary(dev_program *base, rt_buffer *out_binary)
{
    const l0_program *program = (const l0_program *)base;
    const l0_modules *modules = program->modules;
    const l0_names *names = base->executable ? &program->names : &program->code.names;
    CHECK(modules && modules->count >= 1);
    pthread_mutex_lock(&program->device->lock); /* a link takes the module of a compiled program */
    if (!modules->handles[0]) {
        pthread_mutex_unlock(&program->device->lock);
        return rt_fail(program->device->sink, RT_UNSUPPORTED, RT_RULE_NONE,
                       "the module of a compiled program is part of the program that it was linked "
                       "into; store the compiled program before it is linked");
    }
    binary_header header = {.module_count = modules->count, .names_size = names->size};
    memcpy(header.magic, binary_magic, sizeof header.magic);
    rt_buffer sizes = {0}, natives = {0};
    rt_status status = RT_STATUS_OK;
    for (uint32_t i = 0; i < modules->count && rt_ok(status); i++) {
        uint64_t before = natives.size;
        status = l0_module_binary(program->device, modules->handles[i], &natives);
        uint64_t size = natives.size - before;
        rt_buffer_append(&sizes, &size, sizeof size);
    }
    pthread_mutex_unlock(&program->device->lock);
    if (rt_ok(status)) {
        CHECK(sizes.size == modules->count * sizeof(uint64_t));
        rt_buffer_append(out_binary, &header, sizeof header);
        rt_buffer_append(out_binary, sizes.data, sizes.size);
        rt_buffer_append_text(out_binary, rt_buffer_text(names));
        rt_buffer_append(out_binary, natives.data, natives.size);
    }
    rt_buffer_free(&sizes);
    rt_buffer_free(&natives);
    return status;
}

static uint64_t module_size(const l0_binary *parts, uint32_t index)
{
    uint64_t size;
    CHECK(parts->sizes.size == parts->module_count * sizeof size);
    memcpy(&size, parts->sizes.data + index * sizeof size, sizeof size);
    return size;
}

rt_bytes l0_binary_module(const l0_binary *parts, uint32_t index)
{
    CHECK(index < parts->module_count);
    uint64_t before = 0;
    for (uint32_t i = 0; i < index; i++)
        before += module_size(parts, i);
    uint64_t size = module_size(parts, index);
    CHECK(before <= parts->natives.size && size <= parts->natives.size - before);
    return (rt_bytes){parts->natives.data + before, size};
}

/* Finds the parts after the header. */
static bool parts_find(const binary_header *header, rt_bytes rest, l0_binary *out_parts)
{
    uint64_t left = rest.size;
    if (header->module_count == 0 || header->module_count > left / sizeof(uint64_t)) return false;
    out_parts->module_count = (uint32_t)header->module_count;
    out_parts->sizes = (rt_bytes){rest.data, header->module_count * sizeof(uint64_t)};
    left -= out_parts->sizes.size;
    if (header->names_size > left) return false;
    out_parts->names =
        (rt_bytes){out_parts->sizes.data + out_parts->sizes.size, header->names_size};
    left -= header->names_size;
    out_parts->natives = (rt_bytes){out_parts->names.data + out_parts->names.size, left};
    for (uint32_t i = 0; i < out_parts->module_count; i++) {
        uint64_t size = module_size(out_parts, i);
        if (size == 0 || size > left) return false;
        left -= size;
    }
    /* The names come in pairs, and the last one is NUL-terminated. */
    rt_bytes names = out_parts->names;
    size_t ends = 0;
    for (size_t i = 0; i < names.size; i++)
        ends += names.data[i] == '\0';
    return left == 0 && ends % 2 == 0 && (names.size == 0 || names.data[names.size - 1] == '\0');
}

rt_status l0_binary_read(rt_sink *sink, rt_bytes binary, l0_binary *out_parts)
{
    binary_header header;
    *out_parts = (l0_binary){0};
    bool whole = binary.size > sizeof header && binary.size <= RT_MEMORY_SIZE_MAX;
    if (whole) memcpy(&header, binary.data, sizeof header);
    whole =
        whole && memcmp(header.magic, binary_magic, sizeof header.magic) == 0 &&
        parts_find(&header, (rt_bytes){binary.data + sizeof header, binary.size - sizeof header},
                   out_parts);
    if (whole) return RT_STATUS_OK;
    return rt_fail(sink, RT_MALFORMED, RT_RULE_NONE,
                   "a program binary of %zu bytes is damaged or was not written by this adapter",
                   binary.size);
}
