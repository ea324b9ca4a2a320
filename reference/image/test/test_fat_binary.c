/* Unit tests of fat binaries: as a real module registers them in this process, as that module's ELF
 * file stores them, and as words assembled by hand from the layout in fat_binary.h.
 *
 *     fat_binary_tests MODULE80 MODULE96 MODULE96Z */
#include "reference/image/compression.h"
#include "reference/image/elf.h"
#include "reference/image/fat_binary.h"
#include "reference/image/image_file.h"
#include "reference/image/test/fixture.h"
#include "reference/image/test/sample_binaries.h"

#include <dlfcn.h>
#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const char *modules[2]; /* with the 80-byte and the 96-byte layout */
static const char *compressed_module;
static const rt_fat_layout layouts[2] = {RT_FAT_80, RT_FAT_96};
static const void *registered; /* by the most recently loaded module */

/* The functions that the modules call, replacing DPC++'s runtime. */
void __sycl_register_lib(const void *descriptor);
void __sycl_unregister_lib(const void *descriptor);

void __sycl_register_lib(const void *descriptor)
{
    registered = descriptor;
}

void __sycl_unregister_lib(const void *descriptor)
{
    if (descriptor == registered) registered = NULL;
}

static void assert_same_text(rt_text a, rt_text b)
{
    assert_int_equal(a.length, b.length);
    if (a.length > 0) assert_memory_equal(a.data, b.data, a.length);
}

static void assert_same_property(const rt_property *a, const rt_property *b)
{
    assert_same_text(a->name, b->name);
    assert_int_equal(a->type, b->type);
    assert_int_equal(a->number, b->number);
    assert_int_equal(a->unused_bits, b->unused_bits);
    assert_int_equal(a->bytes.size, b->bytes.size);
    if (a->bytes.size > 0) assert_memory_equal(a->bytes.data, b->bytes.data, a->bytes.size);
}

static void assert_sample(const rt_device_binaries *binaries)
{
    assert_int_equal(binaries->count, 3);
    for (uint32_t i = 0; i < 3; i++) {
        const rt_device_binary *a = &binaries->items[i], *b = &sample_items[i];
        assert_int_equal(a->format, b->format);
        assert_same_text(a->target, b->target);
        assert_same_text(a->compile_options, b->compile_options);
        assert_same_text(a->link_options, b->link_options);
        assert_int_equal(a->entry_count, b->entry_count);
        for (uint32_t k = 0; k < b->entry_count; k++)
            assert_same_text(a->entries[k], b->entries[k]);
        assert_int_equal(a->code.size, b->code.size);
        assert_memory_equal(a->code.data, b->code.data, b->code.size);
        assert_int_equal(a->properties.count, b->properties.count);
        for (uint32_t k = 0; k < b->properties.count; k++) {
            const rt_property_set *x = &a->properties.sets[k], *y = &b->properties.sets[k];
            assert_same_text(x->name, y->name);
            assert_int_equal(x->property_count, y->property_count);
            for (uint32_t m = 0; m < y->property_count; m++)
                assert_same_property(&x->properties[m], &y->properties[m]);
        }
    }
}

static void modules_are_read_from_memory(void **state)
{
    fixture *f = *state;
    for (int i = 0; i < 2; i++) {
        void *module = dlopen(modules[i], RTLD_NOW | RTLD_LOCAL);
        assert_non_null(module);
        assert_non_null(registered);
        rt_mapping mapping = rt_mapping_of_process(&f->arena);
        rt_fat_binary fat;
        assert_true(
            rt_ok(rt_fat_binary_read(f->sink, &f->arena, &mapping, (uintptr_t)registered, &fat)));
        assert_int_equal(fat.layout, layouts[i]);
        assert_int_equal(fat.version, i == 0 ? 3 : 2);
        assert_sample(&fat.binaries);
        /* A property's bytes end where its length says; a runtime that treats them as text reads
         * another byte. */
        const rt_property *mask = &fat.binaries.items[0].properties.sets[1].properties[0];
        assert_int_equal(mask->bytes.data[mask->bytes.size], '~');
        assert_int_equal(mask->bytes.data[mask->bytes.size + 1], 0);
        dlclose(module);
        assert_null(registered);
    }
}

static rt_bytes file_load(fixture *f, const char *name)
{
    FILE *file = fopen(name, "rb");
    assert_non_null(file);
    rt_buffer content = {0};
    char portion[4096];
    size_t size;
    while ((size = fread(portion, 1, sizeof portion, file)) > 0)
        rt_buffer_append(&content, portion, size);
    fclose(file);
    rt_bytes bytes = rt_arena_bytes(&f->arena, rt_buffer_bytes(&content));
    rt_buffer_free(&content);
    return bytes;
}

/* Reads everything in an ELF file; *out_fat receives the last descriptor's images. */
static rt_status elf_read(fixture *f, rt_bytes file, uint32_t *out_count, rt_fat_binary *out_fat)
{
    rt_mapping mapping;
    *out_count = 0;
    RT_TRY(rt_elf_map(f->sink, &f->arena, file, &mapping));
    rt_descriptors found = rt_fat_binary_find(&f->arena, &mapping);
    *out_count = found.count;
    for (uint32_t i = 0; i < found.count; i++)
        RT_TRY(rt_fat_binary_read(f->sink, &f->arena, &mapping, found.addresses[i], out_fat));
    return RT_STATUS_OK;
}

static void modules_are_read_from_their_files(void **state)
{
    fixture *f = *state;
    for (int i = 0; i < 2; i++) {
        uint32_t count;
        rt_fat_binary fat;
        assert_true(rt_ok(elf_read(f, file_load(f, modules[i]), &count, &fat)));
        assert_int_equal(count, 1);
        assert_int_equal(fat.layout, layouts[i]);
        assert_sample(&fat.binaries);
    }
}

/* The version of the first image determines only which layout is tried first.  The test locates the
 * image in the file by its version 2, kind 4 and format 2. */
static void layout_of_96_bytes_is_found_whatever_the_version(void **state)
{
    fixture *f = *state;
    rt_bytes file = file_load(f, modules[1]);
    uint8_t *head = memmem(file.data, file.size, "\2\0\4\2\0\0\0\0", 8);
    assert_non_null(head);
    for (uint8_t version = 1; version < 6; version++) {
        uint32_t count;
        rt_fat_binary fat;
        *head = version;
        assert_true(rt_ok(elf_read(f, file, &count, &fat)));
        assert_int_equal(count, 1);
        assert_int_equal(fat.layout, RT_FAT_96);
        assert_int_equal(fat.version, version);
        assert_sample(&fat.binaries);
    }
}

/* ---- Compression --------------------------------------------------------------------------- */

static void compressed_images_come_back(void **state)
{
    fixture *f = *state;
    rt_image_file file;
    rt_device_binaries plain;
    rt_bytes bytes = file_load(f, compressed_module);
    assert_true(rt_ok(rt_image_file_read(f->sink, &f->arena, bytes, &file)));
    assert_int_equal(file.kind, RT_IMAGE_FILE_ELF);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(file.binaries.items[i].format, RT_BINARY_COMPRESSED);
        assert_memory_equal(file.binaries.items[i].code.data, "\x28\xB5\x2F\xFD", 4);
    }
    assert_true(rt_ok(rt_device_binaries_decompress(f->sink, &f->arena, file.binaries, &plain)));
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(plain.items[i].code.size, sample_items[i].code.size);
        assert_memory_equal(plain.items[i].code.data, sample_items[i].code.data,
                            sample_items[i].code.size);
    }
    assert_int_equal(plain.items[0].format, RT_BINARY_SPIRV);
    assert_int_equal(plain.items[1].format, RT_BINARY_NATIVE);
}

static rt_status frame_read(fixture *f, rt_bytes frame)
{
    const rt_device_binary binary = {.format = RT_BINARY_COMPRESSED, .code = frame};
    rt_device_binaries plain;
    return rt_device_binaries_decompress(f->sink, &f->arena, (rt_device_binaries){&binary, 1},
                                         &plain);
}

/* Frames assembled by hand (RFC 8878): magic number, header descriptor, sizes, one raw block.
 * 0x20: a single segment whose content size takes one byte; 0xA0: four bytes. */
static void damaged_frames_are_refused(void **state)
{
    fixture *f = *state;
    static const uint8_t right[] = {0x28, 0xB5, 0x2F, 0xFD, 0x20, 2, 0x11, 0, 0, 'h', 'i'};
    static const uint8_t no_size[] = {0x28, 0xB5, 0x2F, 0xFD, 0x00, 0, 0x11, 0, 0, 'h', 'i'};
    static const uint8_t huge[] = {0x28, 0xB5, 0x2F, 0xFD, 0xA0, 0, 0, 0, 0x10, 0x01, 0, 0};
    static const uint8_t nested[] = {0x28, 0xB5, 0x2F, 0xFD, 0x20, 4,   0x21,
                                     0,    0,    0x28, 0xB5, 0x2F, 0xFD};
    assert_true(rt_ok(frame_read(f, (rt_bytes){right, sizeof right})));
    for (size_t size = 0; size < sizeof right; size++)
        assert_int_equal(frame_read(f, (rt_bytes){right, size}).code, RT_MALFORMED);
    assert_int_equal(frame_read(f, (rt_bytes){no_size, sizeof no_size}).code, RT_MALFORMED);
    assert_int_equal(frame_read(f, (rt_bytes){huge, sizeof huge}).code, RT_LIMIT);
    rt_status status = frame_read(f, (rt_bytes){nested, sizeof nested});
    assert_string_equal(rt_sink_diagnostic(f->sink, status)->message.data,
                        "image 0 has a damaged Zstandard frame: it decompresses to another frame");
}

/* ---- Words by hand ------------------------------------------------------------------------- */

/* One image of a newer compiler: kind 8, version 3, an entry of 56 bytes.  At address 0x1000:
 * descriptor 0, image 32, entry 112, set 168, properties 192 (two), texts and code from 256. */
enum {
    BASE = 0x1000,
    PLACE_IMAGE = 32,
    PLACE_ENTRY = 112,
    PLACE_SET = 168,
    PLACE_PROPERTY = 192,
    PLACE_END = 256
};
enum {
    PLACE_TARGET = 256,
    PLACE_NAME = 264,
    PLACE_SET_NAME = 272,
    PLACE_VALUE = 280,
    PLACE_CODE = 296,
    SIZE = 304
};

static const uint64_t words_by_hand[] = {
    0x10001,
    BASE + PLACE_IMAGE,
    0,
    0, /* descriptor: version 1, one image */
    0x02080003,
    BASE + PLACE_TARGET,
    0,
    0,
    BASE + PLACE_CODE,
    BASE + PLACE_CODE + 8,
    BASE + PLACE_ENTRY,
    BASE + PLACE_SET,
    BASE + PLACE_SET,
    BASE + PLACE_PROPERTY,
    0,
    0x80001,
    0,
    BASE + PLACE_NAME,
    0,
    0,
    0, /* entry: version 1, kind 8 */
    BASE + PLACE_SET_NAME,
    BASE + PLACE_PROPERTY,
    BASE + PLACE_END,
    BASE + PLACE_NAME,
    0,
    1,
    7, /* k = 7 */
    BASE + PLACE_TARGET,
    BASE + PLACE_VALUE,
    2,
    10, /* spir64 = twelve bits */
};

static void memory_make(uint8_t *memory)
{
    rt_buffer out = {0};
    for (size_t i = 0; i < sizeof words_by_hand / sizeof *words_by_hand; i++)
        rt_write_u64(&out, words_by_hand[i]);
    assert_int_equal(out.size, PLACE_END);
    rt_buffer_append(&out, "spir64\0\0k\0\0\0\0\0\0\0set\0\0\0\0\0", 24);
    rt_buffer_append(&out, "\x0C\0\0\0\0\0\0\0\xAB\x0C\0\0\0\0\0\0" SAMPLE_SPIRV, 24);
    assert_int_equal(out.size, SIZE);
    memcpy(memory, out.data, SIZE);
    rt_buffer_free(&out);
}

static rt_status memory_read(fixture *f, const uint8_t *memory, size_t size, rt_fat_binary *out_fat)
{
    const rt_mapped range = {BASE, {memory, size}};
    const rt_mapping mapping = {&range, 1};
    return rt_fat_binary_read(f->sink, &f->arena, &mapping, BASE, out_fat);
}

static void words_of_a_newer_compiler_are_read(void **state)
{
    fixture *f = *state;
    uint8_t memory[SIZE];
    memory_make(memory);
    rt_fat_binary fat;
    assert_true(rt_ok(memory_read(f, memory, SIZE, &fat)));
    assert_int_equal(fat.layout, RT_FAT_80);
    assert_int_equal(fat.binaries.count, 1);
    const rt_device_binary *binary = fat.binaries.items;
    assert_int_equal(binary->format, RT_BINARY_SPIRV);
    assert_int_equal(binary->entry_count, 1);
    assert_true(rt_text_is(binary->entries[0], "k"));
    assert_int_equal(binary->code.size, 8);
    const rt_property_set *set = binary->properties.sets;
    assert_true(rt_text_is(set->name, "set"));
    assert_int_equal(set->properties[0].number, 7);
    assert_memory_equal(set->properties[1].bytes.data, "\xAB\x0C", 2);
    assert_int_equal(set->properties[1].unused_bits, 4);
}

/* The runtime does not check the version, so files may state any version. */
static void layout_is_found_whatever_the_version(void **state)
{
    fixture *f = *state;
    uint8_t memory[SIZE];
    for (uint8_t version = 0; version < 6; version++) {
        memory_make(memory);
        memory[PLACE_IMAGE] = version;
        rt_fat_binary fat;
        assert_true(rt_ok(memory_read(f, memory, SIZE, &fat)));
        assert_int_equal(fat.layout, RT_FAT_80);
        assert_int_equal(fat.version, version);
    }
}

static const struct wrong_word {
    size_t at;
    uint64_t word;
    rt_code code;
    const char *message;
} wrong_words[] = {
    {0, 0x10002, RT_MALFORMED,
     "damaged device images at address 0x1000: the descriptor's version is not 1"},
    {8, 0x10, RT_MALFORMED,
     "damaged device images at address 0x1008: the images lie outside the mapped memory"},
    {32, 0x02070003, RT_MALFORMED,
     "damaged device images at address 0x1022: this is not a SYCL image"},
    {32, 0x05080003, RT_MALFORMED, "damaged device images at address 0x1023: unknown image format"},
    {40, 0, RT_MALFORMED,
     "damaged device images at address 0x1028: expected a pointer to a string"},
    {40, BASE + PLACE_CODE, RT_MALFORMED, /* no NUL byte up to the end */
     "damaged device images at address 0x1028: expected a pointer to a string"},
    {72, 0x1500, RT_MALFORMED,
     "damaged device images at address 0x1040: expected the image's code"},
    {80, BASE + PLACE_ENTRY + 1, RT_MALFORMED,
     "damaged device images at address 0x1050: expected entries"},
    {104, BASE + PLACE_SET + 8, RT_MALFORMED,
     "damaged device images at address 0x1060: expected property sets"},
    {136, 0x10, RT_MALFORMED,
     "damaged device images at address 0x1088: expected a pointer to a string"},
    {184, BASE + PLACE_END - 8, RT_MALFORMED,
     "damaged device images at address 0x10b0: expected properties"},
    {216, UINT64_C(1) << 32, RT_MALFORMED,
     "damaged device images at address 0x10d8: the number exceeds 32 bits"},
    {240, 3, RT_UNSUPPORTED,
     "property 'spir64' at address 0x10e0 has type 3, expected 1 (number) or 2 (bytes)"},
    {232, 0x10, RT_MALFORMED,
     "damaged device images at address 0x10e8: the value lies outside the mapped memory"},
    {248, 11, RT_MALFORMED,
     "damaged device images at address 0x10f8: the value's size differs from the length at its "
     "beginning"},
};

static void wrong_words_are_refused_with_their_address(void **state)
{
    fixture *f = *state;
    for (size_t i = 0; i < sizeof wrong_words / sizeof *wrong_words; i++) {
        uint8_t memory[SIZE];
        memory_make(memory);
        for (int byte = 0; byte < 8; byte++)
            memory[wrong_words[i].at + (size_t)byte] = (uint8_t)(wrong_words[i].word >> 8 * byte);
        if (wrong_words[i].at == 40) memset(memory + PLACE_CODE, 'x', 8);
        rt_fat_binary fat;
        rt_status status = memory_read(f, memory, SIZE, &fat);
        assert_int_equal(status.code, wrong_words[i].code);
        assert_string_equal(rt_sink_diagnostic(f->sink, status)->message.data,
                            wrong_words[i].message);
    }
}

static void every_truncation_and_bit_flip_is_survived(void **state)
{
    fixture *f = *state;
    uint8_t memory[SIZE];
    memory_make(memory);
    rt_fat_binary fat;
    for (size_t size = 0; size < SIZE; size++) {
        uint8_t *copy = rt_alloc(size); /* of exactly this size, so that sanitizers detect an
                                         * overrun */
        memcpy(copy, memory, size);
        assert_int_equal(memory_read(f, copy, size, &fat).code, RT_MALFORMED);
        rt_free(copy);
    }
    for (size_t bit = 0; bit < 8 * SIZE; bit++) {
        memory[bit / 8] = (uint8_t)(memory[bit / 8] ^ 1 << bit % 8);
        rt_status status = memory_read(f, memory, SIZE, &fat);
        assert_true(rt_ok(status) || status.code == RT_MALFORMED || status.code == RT_LIMIT ||
                    status.code == RT_UNSUPPORTED);
        memory[bit / 8] = (uint8_t)(memory[bit / 8] ^ 1 << bit % 8);
        rt_arena_reset(&f->arena);
    }
}

/* ---- ELF files ----------------------------------------------------------------------------- */

static const struct wrong_elf {
    size_t at;
    uint8_t byte;
    rt_code code;
    const char *message; /* start of the message */
} wrong_elves[] = {
    {1, 'F', RT_MALFORMED, "damaged ELF file at byte 0"},
    {EI_CLASS, ELFCLASS32, RT_UNSUPPORTED,
     "unsupported ELF file at byte 4: it is not 64-bit little-endian"},
    {EI_DATA, ELFDATA2MSB, RT_UNSUPPORTED,
     "unsupported ELF file at byte 4: it is not 64-bit little-endian"},
    {16, ET_REL, RT_UNSUPPORTED,
     "unsupported ELF file at byte 16: it is an object file that has not been linked"},
    {18, EM_AARCH64, RT_UNSUPPORTED, "unsupported ELF file at byte 18: it is for another machine"},
    {54, 57, RT_MALFORMED, "damaged ELF file at byte 54"},
    {39, 1, RT_MALFORMED, "damaged ELF file at byte 32"}, /* program headers past the end */
};

static void wrong_elf_files_are_refused_by_name(void **state)
{
    fixture *f = *state;
    rt_bytes file = file_load(f, modules[0]);
    for (size_t i = 0; i < sizeof wrong_elves / sizeof *wrong_elves; i++) {
        rt_bytes copy = rt_arena_bytes(&f->arena, file);
        ((uint8_t *)copy.data)[wrong_elves[i].at] = wrong_elves[i].byte;
        rt_mapping mapping;
        rt_status status = rt_elf_map(f->sink, &f->arena, copy, &mapping);
        assert_int_equal(status.code, wrong_elves[i].code);
        assert_true(
            rt_text_starts(rt_sink_diagnostic(f->sink, status)->message, wrong_elves[i].message));
    }
}

/* Truncates the file at every 61st byte, and damages each of its first 1024 bytes, which hold the
 * headers, and every fifth byte after them. */
static void damaged_elf_files_are_handled(void **state)
{
    fixture *f = *state;
    rt_bytes file = file_load(f, modules[1]);
    fixture scratch = {.sink = f->sink};
    uint32_t count;
    rt_fat_binary fat;
    for (size_t size = 0; size < file.size; size += 61) {
        uint8_t *copy = rt_alloc(size);
        memcpy(copy, file.data, size);
        rt_status status = elf_read(&scratch, (rt_bytes){copy, size}, &count, &fat);
        assert_true(rt_ok(status) || status.code == RT_MALFORMED || status.code == RT_LIMIT);
        rt_free(copy);
        rt_arena_reset(&scratch.arena);
    }
    for (size_t at = 0; at < file.size; at += at < 1024 ? 1 : 5) {
        uint8_t *byte = (uint8_t *)file.data + at, original = *byte;
        *byte = (uint8_t)~original;
        rt_status status = elf_read(&scratch, file, &count, &fat);
        assert_true(rt_ok(status) || status.code == RT_MALFORMED || status.code == RT_LIMIT ||
                    status.code == RT_UNSUPPORTED);
        *byte = original;
        rt_arena_reset(&scratch.arena);
    }
}

/* ---- Writing ------------------------------------------------------------------------------- */

static void texts_that_c_cannot_express_are_refused(void **state)
{
    fixture *f = *state;
    rt_buffer out = {0};
    const rt_device_binary damaged = {.target = {"a\0b", 3}};
    rt_status status =
        rt_fat_binary_write_c(f->sink, &out, RT_FAT_80, (rt_device_binaries){&damaged, 1});
    assert_int_equal(status.code, RT_UNSUPPORTED);
    status = rt_fat_binary_write_c(f->sink, &out, RT_FAT_80, (rt_device_binaries){&damaged, 65536});
    assert_int_equal(status.code, RT_LIMIT);
    rt_buffer_free(&out);
}

/* The bytes of the property, 1 and 2, follow their length in bits, 16. */
static void what_follows_a_property_is_chosen(void **state)
{
    fixture *f = *state;
    static const struct {
        rt_fat_after after;
        const char *written;
    } cases[] = {
        {RT_FAT_AFTER_OTHER, "16,0,0,0,0,0,0,0,1,2,\n    /* after the value: */ 126,0,\n};"},
        {RT_FAT_AFTER_NUL, "16,0,0,0,0,0,0,0,1,2,\n    /* after the value: */ 0,\n};"},
    };
    static const rt_property property = {
        .name = {"p", 1}, .type = RT_PROPERTY_BYTES, .bytes = {(const uint8_t *)"\1\2", 2}};
    static const rt_property_set set = {{"s", 1}, &property, 1};
    const rt_device_binary binary = {.target = {"spir64", 6}, .properties = {&set, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rt_buffer out = {0};
        rt_status status = rt_fat_binary_write_tables(f->sink, &out, RT_FAT_80, cases[i].after,
                                                      (rt_device_binaries){&binary, 1});
        assert_true(rt_ok(status));
        assert_non_null(strstr(rt_buffer_string(&out), cases[i].written));
        assert_non_null(strstr(rt_buffer_string(&out), "value_0_0_0, 2, 10}"));
        rt_buffer_free(&out);
    }
}

int main(int argument_count, char **arguments)
{
    CHECK(argument_count == 4);
    modules[0] = arguments[1];
    modules[1] = arguments[2];
    compressed_module = arguments[3];
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(modules_are_read_from_memory, set_up, tear_down),
        cmocka_unit_test_setup_teardown(modules_are_read_from_their_files, set_up, tear_down),
        cmocka_unit_test_setup_teardown(layout_of_96_bytes_is_found_whatever_the_version, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(compressed_images_come_back, set_up, tear_down),
        cmocka_unit_test_setup_teardown(damaged_frames_are_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(words_of_a_newer_compiler_are_read, set_up, tear_down),
        cmocka_unit_test_setup_teardown(layout_is_found_whatever_the_version, set_up, tear_down),
        cmocka_unit_test_setup_teardown(wrong_words_are_refused_with_their_address, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(every_truncation_and_bit_flip_is_survived, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(wrong_elf_files_are_refused_by_name, set_up, tear_down),
        cmocka_unit_test_setup_teardown(damaged_elf_files_are_handled, set_up, tear_down),
        cmocka_unit_test_setup_teardown(texts_that_c_cannot_express_are_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_follows_a_property_is_chosen, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
