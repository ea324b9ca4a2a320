/* Feeds bytes to the readers of device images: as a file (SYCLBIN, ELF), as property text, or as
 * memory with a fat binary at its beginning. No input may crash a reader; whatever is read can be
 * written, and reading the output gives the same value.
 *
 * Build with clang and -DASSAY_FUZZ=ON; `ci/fuzz image` runs it. */
#include "reference/image/compression.h"
#include "reference/image/device_global.h"
#include "reference/image/image_file.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct image_fuzzer {
    rt_sink *sink;
    rt_arena arena;
} image_fuzzer;

static void check_same(const rt_buffer *first, const rt_buffer *second)
{
    CHECK(first->size == second->size);
    CHECK(first->size == 0 || memcmp(first->data, second->data, first->size) == 0);
}

static void syclbin_round_trip(image_fuzzer *fuzzer, const rt_syclbin *syclbin)
{
    rt_buffer first = {0}, second = {0};
    if (rt_ok(rt_syclbin_write(fuzzer->sink, &first, syclbin))) {
        rt_syclbin reread;
        CHECK(
            rt_ok(rt_syclbin_read(fuzzer->sink, &fuzzer->arena, rt_buffer_bytes(&first), &reread)));
        CHECK(rt_ok(rt_syclbin_write(fuzzer->sink, &second, &reread)));
        check_same(&first, &second);
    }
    rt_buffer_free(&first);
    rt_buffer_free(&second);
}

/* A device_global's value that can be read is written back identically, except for its padding. */
static void globals_use(const rt_image *image)
{
    const rt_property_set *set = rt_image_set(image, RT_SET_DEVICE_GLOBALS);
    for (uint32_t i = 0; set && i < set->property_count; i++) {
        rt_device_global_value value;
        rt_buffer written = {0};
        if (!rt_device_global_value_read(&set->properties[i], &value)) continue;
        rt_device_global_value_write(&written, value);
        CHECK(memcmp(written.data, set->properties[i].bytes.data,
                     RT_DEVICE_GLOBAL_VALUE_SIZE_MIN) == 0);
        rt_buffer_free(&written);
    }
}

/* Treats arbitrary bytes as a pack's list of device_globals. */
static void list_use(image_fuzzer *fuzzer, rt_bytes bytes)
{
    rt_reader reader = rt_reader_of(bytes);
    rt_device_global_list list = rt_device_global_list_read(&fuzzer->arena, &reader);
    rt_buffer written = {0};
    rt_device_global_list_write(&written, list);
    if (!reader.failed)
        CHECK(written.size == reader.position &&
              memcmp(written.data, bytes.data, written.size) == 0);
    rt_buffer_free(&written);
}

static void binaries_use(image_fuzzer *fuzzer, rt_device_binaries binaries)
{
    rt_device_binaries plain;
    if (!rt_ok(rt_device_binaries_decompress(fuzzer->sink, &fuzzer->arena, binaries, &plain)))
        return;
    rt_buffer source = {0};
    (void)!rt_ok(rt_fat_binary_write_c(fuzzer->sink, &source, RT_FAT_80, plain));
    rt_buffer_free(&source);
    for (uint32_t i = 0; i < plain.count; i++) {
        rt_image image;
        if (rt_ok(rt_device_binary_image(fuzzer->sink, RT_TEXT("a/0"), &plain.items[i], &image)))
            globals_use(&image);
    }
    rt_syclbin syclbin;
    if (rt_ok(rt_syclbin_of(fuzzer->sink, &fuzzer->arena, plain, &syclbin)))
        syclbin_round_trip(fuzzer, &syclbin);
}

static void file_use(image_fuzzer *fuzzer, rt_bytes bytes)
{
    rt_image_file file;
    if (!rt_ok(rt_image_file_read(fuzzer->sink, &fuzzer->arena, bytes, &file))) return;
    if (file.kind == RT_IMAGE_FILE_SYCLBIN) syclbin_round_trip(fuzzer, &file.syclbin);
    binaries_use(fuzzer, file.binaries);
}

static void text_use(image_fuzzer *fuzzer, rt_bytes bytes)
{
    const rt_text text = {(const char *)bytes.data, bytes.size};
    rt_property_sets sets;
    if (!rt_ok(rt_property_text_read(fuzzer->sink, &fuzzer->arena, text, 0, &sets))) return;
    rt_buffer first = {0}, second = {0};
    CHECK(rt_ok(rt_property_text_write(fuzzer->sink, &first, sets)));
    CHECK(rt_ok(
        rt_property_text_read(fuzzer->sink, &fuzzer->arena, rt_buffer_text(&first), 0, &sets)));
    CHECK(rt_ok(rt_property_text_write(fuzzer->sink, &second, sets)));
    check_same(&first, &second);
    rt_buffer_free(&first);
    rt_buffer_free(&second);
}

static void memory_use(image_fuzzer *fuzzer, rt_bytes bytes)
{
    enum { BASE = 0x1000 };
    const rt_mapped range = {BASE, bytes};
    const rt_mapping mapping = {&range, 1};
    rt_fat_binary fat;
    (void)rt_fat_binary_find(&fuzzer->arena, &mapping);
    if (rt_ok(rt_fat_binary_read(fuzzer->sink, &fuzzer->arena, &mapping, BASE, &fat)))
        binaries_use(fuzzer, fat.binaries);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    image_fuzzer fuzzer = {.sink = rt_sink_create()};
    const rt_bytes bytes = {data, size};
    if (size > 0 && (data[0] == 0x10 || data[0] == 0x7F))
        file_use(&fuzzer, bytes);
    else if (size > 0 && data[0] == '[')
        text_use(&fuzzer, bytes);
    else
        memory_use(&fuzzer, bytes);
    list_use(&fuzzer, bytes);
    rt_arena_reset(&fuzzer.arena);
    rt_sink_destroy(fuzzer.sink);
    return 0;
}
