/* Distinguishes containers. */
#include "reference/image/image_file.h"

#include "reference/image/elf.h"

#include <string.h>

/* The binaries of all descriptors one after the other. */
static rt_status binaries_join(rt_sink *sink, rt_arena *arena, rt_image_file *file)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < file->fat_count; i++)
        count += file->fats[i].binaries.count;
    if (count > RT_IMAGE_COUNT_MAX) {
        return rt_fail(sink, RT_LIMIT, RT_RULE_NONE, "%llu images, at most %u are allowed",
                       (unsigned long long)count, RT_IMAGE_COUNT_MAX);
    }
    rt_device_binary *items = rt_arena_alloc_array(arena, count, sizeof *items), *next = items;
    for (uint32_t i = 0; i < file->fat_count; i++) {
        const rt_device_binaries *binaries = &file->fats[i].binaries;
        if (binaries->count > 0) memcpy(next, binaries->items, binaries->count * sizeof *next);
        next += binaries->count;
    }
    file->binaries = (rt_device_binaries){items, (uint32_t)count};
    return RT_STATUS_OK;
}

static rt_status elf_read(rt_sink *sink, rt_arena *arena, rt_bytes bytes, rt_image_file *file)
{
    enum {
        DESCRIPTORS_MAX = 4096
    }; /* a module has one; an object linked from several has several */
    rt_mapping mapping;
    RT_TRY(rt_elf_map(sink, arena, bytes, &mapping));
    rt_descriptors found = rt_fat_binary_find(arena, &mapping);
    if (found.count == 0) {
        return rt_fail(sink, RT_MALFORMED, RT_RULE_NONE,
                       "an ELF file without device images: nothing in it looks like what "
                       "__sycl_register_lib takes");
    }
    if (found.count > DESCRIPTORS_MAX) {
        return rt_fail(sink, RT_LIMIT, RT_RULE_NONE, "%u descriptors, at most %d are allowed",
                       found.count, DESCRIPTORS_MAX);
    }
    rt_fat_binary *fats = rt_arena_alloc_array(arena, found.count, sizeof *fats);
    for (uint32_t i = 0; i < found.count; i++)
        RT_TRY(rt_fat_binary_read(sink, arena, &mapping, found.addresses[i], &fats[i]));
    file->fats = fats;
    file->fat_count = found.count;
    return binaries_join(sink, arena, file);
}

rt_status rt_image_file_read(rt_sink *sink, rt_arena *arena, rt_bytes bytes,
                             rt_image_file *out_file)
{
    *out_file = (rt_image_file){0};
    rt_image_file file = {0};
    if (rt_syclbin_is(bytes)) {
        file.kind = RT_IMAGE_FILE_SYCLBIN;
        RT_TRY(rt_syclbin_read(sink, arena, bytes, &file.syclbin));
        RT_TRY(rt_syclbin_binaries(sink, arena, &file.syclbin, &file.binaries));
    } else if (rt_elf_is(bytes)) {
        file.kind = RT_IMAGE_FILE_ELF;
        RT_TRY(elf_read(sink, arena, bytes, &file));
    } else {
        return rt_fail(sink, RT_UNSUPPORTED, RT_RULE_NONE,
                       "neither SYCLBIN (10 FF 10 AD) nor an ELF file: byte 0 begins neither");
    }
    *out_file = file;
    return RT_STATUS_OK;
}
