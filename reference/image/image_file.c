/* Distinguishes containers. */
#include "reference/image/image_file.h"

#include "reference/image/elf.h"

#include <string.h>

/* Reads all descriptors of an ELF file, and lists their binaries one after the other. */
static rt_status elf_read(rt_sink *sink, rt_arena *arena, rt_bytes bytes, rt_image_file *file)
{
    /* A module has one descriptor; an object linked from several has several. */
    enum { DESCRIPTORS_MAX = 4096 };
    rt_mapping mapping;
    RT_TRY(rt_elf_map(sink, arena, bytes, &mapping));
    rt_descriptors found = rt_fat_binary_find(arena, &mapping);
    if (found.count == 0) {
        return rt_fail(sink, RT_MALFORMED, RT_RULE_NONE,
                       "the ELF file has no device images: it contains no descriptor for "
                       "__sycl_register_lib");
    }
    if (found.count > DESCRIPTORS_MAX) {
        return rt_fail(sink, RT_LIMIT, RT_RULE_NONE,
                       "the file has %u device image descriptors; at most %d are allowed",
                       found.count, DESCRIPTORS_MAX);
    }
    rt_fat_binary *fats = rt_arena_alloc_array(arena, found.count, sizeof *fats);
    uint64_t count = 0;
    for (uint32_t i = 0; i < found.count; i++) {
        RT_TRY(rt_fat_binary_read(sink, arena, &mapping, found.addresses[i], &fats[i]));
        count += fats[i].binaries.count;
    }
    if (count > RT_IMAGE_COUNT_MAX) {
        return rt_fail(sink, RT_LIMIT, RT_RULE_NONE,
                       "the file has %llu device images; at most %u are allowed",
                       (unsigned long long)count, RT_IMAGE_COUNT_MAX);
    }
    rt_device_binary *items = rt_arena_alloc_array(arena, count, sizeof *items), *next = items;
    for (uint32_t i = 0; i < found.count; i++) {
        const rt_device_binaries *binaries = &fats[i].binaries;
        if (binaries->count > 0) memcpy(next, binaries->items, binaries->count * sizeof *next);
        next += binaries->count;
    }
    CHECK(next == items + count);
    file->fats = fats;
    file->fat_count = found.count;
    file->binaries = (rt_device_binaries){items, (uint32_t)count};
    return RT_STATUS_OK;
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
                       "the file is neither SYCLBIN (10 FF 10 AD) nor an ELF file (7F E L F)");
    }
    *out_file = file;
    return RT_STATUS_OK;
}
