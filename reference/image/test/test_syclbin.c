/* Unit tests of SYCLBIN.  The bytes of the first file are assembled by hand from the format's
 * description in syclbin.h. */
#include "reference/image/syclbin.h"
#include "reference/image/test/fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void words_write(rt_buffer *out, const uint64_t *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        rt_write_u64(out, words[i]);
}

/* Two modules: one of SPIR-V (12 bytes), one with a native image (3 bytes).  Texts are 36, 39, 0,
 * 67 and 73 bytes long. */
#define GLOBAL "[SYCLBIN/global metadata]\nstate=1|1\n"
#define MODULE "[SYCL/kernel names]\nadd=1|1\nmul_it=1|1\n"
#define IR     "[SYCLBIN/ir module metadata]\ntarget=2|wAAAAAAAAAwcwlmc2QD\ntype=1|0\n"
#define NATIVE "[SYCLBIN/native device code image metadata]\ntarget=2|wAAAAAAAAAwcwlmc2QD\n"
#define SPIRV  "\x03\x02\x23\x07spirv-1\x0A"

enum {
    GLOBAL_SIZE = sizeof GLOBAL - 1,
    MODULE_SIZE = sizeof MODULE - 1,
    IR_SIZE = sizeof IR - 1,
    NATIVE_SIZE = sizeof NATIVE - 1,
    METADATA_SIZE = GLOBAL_SIZE + MODULE_SIZE + IR_SIZE + NATIVE_SIZE,
    HEADERS_SIZE = 56 + 4 * 32,
    TABLE = (HEADERS_SIZE + METADATA_SIZE + 7) / 8 * 8, /* start of the code in the image */
    IMAGE_SIZE = TABLE + 16,
};

static void file_make(rt_buffer *out)
{
    rt_buffer_append(out, "\x10\xFF\x10\xAD\2\0\0\0", 8);
    const uint64_t offload[] = {72 + IMAGE_SIZE, 32, 1, 0x80007, 0, 0, 72, IMAGE_SIZE};
    words_write(out, offload, 8);
    rt_buffer_append(out, "IBYS\1\0\0\0\2\0\0\0\1\0\0\0\1\0\0\0\0\0\0\0", 24);
    const uint64_t header[] = {METADATA_SIZE, 15, 0, GLOBAL_SIZE};
    words_write(out, header, 4);
    const uint64_t first_ir = GLOBAL_SIZE + MODULE_SIZE, first_native = first_ir + IR_SIZE;
    const uint64_t headers[] = {
        GLOBAL_SIZE,
        MODULE_SIZE,
        1,
        0, /* one IR module, the first; no native image */
        first_ir,
        0,
        (UINT64_C(1) << 32),
        1, /* no IR module; one native image */
        first_ir,
        IR_SIZE,
        0,
        12, /* IR module */
        first_native,
        NATIVE_SIZE,
        12,
        3, /* native image */
    };
    words_write(out, headers, 16);
    rt_buffer_append_text(out, RT_TEXT(GLOBAL MODULE IR NATIVE));
    while ((out->size - 72) % 8 != 0)
        rt_buffer_append_byte(out, 0);
    assert_int_equal(out->size, 72 + TABLE);
    rt_buffer_append(out,
                     SPIRV "\x7F"
                           "EL\0",
                     16);
}

static rt_status file_read(fixture *f, size_t size, rt_syclbin *out)
{
    return rt_syclbin_read(f->sink, &f->arena, (rt_bytes){(const uint8_t *)f->file.data, size},
                           out);
}

static void file_is_read(void **state)
{
    fixture *f = *state;
    file_make(&f->file);
    rt_syclbin syclbin;
    assert_true(rt_ok(file_read(f, f->file.size, &syclbin)));
    assert_int_equal(syclbin.module_count, 2);
    assert_int_equal(syclbin.metadata.sets[0].properties[0].number, 1);
    assert_int_equal(syclbin.modules[0].ir_count, 1);
    assert_int_equal(syclbin.modules[0].native_count, 0);
    assert_int_equal(syclbin.modules[1].ir_count, 0);
    assert_int_equal(syclbin.modules[1].native_count, 1);
    rt_device_binaries binaries;
    assert_true(rt_ok(rt_syclbin_binaries(f->sink, &f->arena, &syclbin, &binaries)));
    assert_int_equal(binaries.count, 2);
    const rt_device_binary *spirv = &binaries.items[0], *native = &binaries.items[1];
    assert_int_equal(spirv->format, RT_BINARY_SPIRV);
    assert_true(rt_text_is(spirv->target, "spir64"));
    assert_int_equal(spirv->entry_count, 2);
    assert_true(rt_text_is(spirv->entries[1], "mul_it"));
    assert_int_equal(spirv->code.size, 12);
    assert_memory_equal(spirv->code.data, SPIRV, 12);
    assert_int_equal(native->format, RT_BINARY_NATIVE);
    assert_int_equal(native->entry_count, 0);
    assert_memory_equal(native->code.data,
                        "\x7F"
                        "EL",
                        3);
    rt_image image;
    assert_true(rt_ok(rt_device_binary_image(f->sink, RT_TEXT("a/0"), spirv, &image)));
    assert_int_equal(image.format, RT_FORMAT_SPIRV64);
    rt_status status = rt_device_binary_image(f->sink, RT_TEXT("a/1"), native, &image);
    assert_int_equal(status.code, RT_UNSUPPORTED); /* native code for spir64 */
}

static void file_is_written_as_it_was(void **state)
{
    fixture *f = *state;
    file_make(&f->file);
    rt_syclbin syclbin;
    assert_true(rt_ok(file_read(f, f->file.size, &syclbin)));
    rt_buffer out = {0};
    assert_true(rt_ok(rt_syclbin_write(f->sink, &out, &syclbin)));
    assert_int_equal(out.size, f->file.size);
    assert_memory_equal(out.data, f->file.data, out.size);
    rt_buffer_free(&out);
}

static void binaries_become_modules(void **state)
{
    fixture *f = *state;
    static const rt_text entries[] = {{"k", 1}};
    const rt_device_binary items[] = {
        {.format = RT_BINARY_SPIRV,
         .target = RT_TEXT("spir64"),
         .entries = entries,
         .entry_count = 1,
         .code = {(const uint8_t *)SPIRV, 12}},
        {.format = RT_BINARY_NATIVE,
         .target = RT_TEXT("spir64_gen"),
         .code = {(const uint8_t *)"xyz", 3}},
    };
    rt_syclbin syclbin;
    assert_true(rt_ok(rt_syclbin_of(f->sink, &f->arena, (rt_device_binaries){items, 2}, &syclbin)));
    assert_true(rt_ok(rt_syclbin_write(f->sink, &f->file, &syclbin)));
    assert_true(rt_ok(file_read(f, f->file.size, &syclbin)));
    assert_int_equal(syclbin.metadata.sets[0].properties[0].number, RT_SYCLBIN_OBJECT);
    const rt_bytes triple = syclbin.modules[1].native[0].metadata.sets[0].properties[0].bytes;
    assert_int_equal(triple.size, 26);
    assert_memory_equal(triple.data, "spir64_gen-unknown-unknown", 26);
    rt_device_binaries binaries;
    assert_true(rt_ok(rt_syclbin_binaries(f->sink, &f->arena, &syclbin, &binaries)));
    assert_int_equal(binaries.count, 2);
    assert_true(rt_text_is(binaries.items[0].entries[0], "k"));
    assert_true(rt_text_is(binaries.items[1].target, "spir64_gen"));
    assert_memory_equal(binaries.items[1].code.data, "xyz", 3);
    rt_syclbin native;
    assert_true(
        rt_ok(rt_syclbin_of(f->sink, &f->arena, (rt_device_binaries){items + 1, 1}, &native)));
    assert_int_equal(native.metadata.sets[0].properties[0].number, RT_SYCLBIN_EXECUTABLE);
}

static void content_without_a_form_is_refused(void **state)
{
    fixture *f = *state;
    const rt_device_binary items[] = {
        {.format = RT_BINARY_SPIRV, .target = RT_TEXT("spir64"), .compile_options = RT_TEXT("-g")},
        {.format = RT_BINARY_SPIRV, .target = RT_TEXT("spir64"), .link_options = RT_TEXT("-g")},
        {.format = RT_BINARY_COMPRESSED, .target = RT_TEXT("spir64")},
        {.format = RT_BINARY_LLVM_BITCODE, .target = RT_TEXT("spir64")},
    };
    for (size_t i = 0; i < 4; i++) {
        rt_syclbin syclbin;
        rt_status status =
            rt_syclbin_of(f->sink, &f->arena, (rt_device_binaries){items + i, 1}, &syclbin);
        assert_int_equal(status.code, RT_UNSUPPORTED);
    }
}

/* Offset in the file, the byte stored there, and the resulting message. */
static const struct wrong_file {
    size_t at;
    uint8_t byte;
    const char *message;
} wrong_files[] = {
    {0, 0x11, "damaged SYCLBIN at byte 0 of 488: expected the bytes 10 FF 10 AD"},
    {4, 1, "unsupported SYCLBIN field at byte 4: the version of the offload binary is 1"},
    {8, 1, "damaged SYCLBIN at byte 8 of 488: the file's size differs from the stated size"},
    {18, 1, "damaged SYCLBIN at byte 16 of 488: the entry lies outside the file"},
    {24, 2, "unsupported SYCLBIN field at byte 24: the number of entries is 2"},
    {58, 1, "damaged SYCLBIN at byte 56 of 488: the image lies outside the file"},
    {72, 'J', "damaged SYCLBIN at byte 72 of 488: expected the bytes IBYS"},
    {76, 9, "unsupported SYCLBIN field at byte 76: the version is 9"},
    {82, 1, "damaged SYCLBIN at byte 80 of 488: the headers are cut off"},
    {98, 1, "damaged SYCLBIN at byte 96 of 488: the metadata is cut off"},
    {106, 1, "damaged SYCLBIN at byte 104 of 488: the code is cut off"},
    {114, 1, "damaged SYCLBIN at byte 112 of 488: metadata lies outside its table"},
    {144, 2, "damaged SYCLBIN at byte 144 of 488: the range of IR modules exceeds their number"},
    {152, 1, NULL}, /* the native image belongs to both modules */
    {152, 2, "damaged SYCLBIN at byte 152 of 488: the range of native images exceeds their number"},
    {168, 90, "damaged property text at byte 398: expected [set]"}, /* the IR's text and 23 bytes
                                                                     * more */
    {210, 1, "damaged SYCLBIN at byte 208 of 488: code lies outside its table"},
};

static void wrong_files_are_refused_with_their_place(void **state)
{
    fixture *f = *state;
    file_make(&f->file);
    assert_int_equal(f->file.size, 488);
    for (size_t i = 0; i < sizeof wrong_files / sizeof *wrong_files; i++) {
        const struct wrong_file *wrong = &wrong_files[i];
        char original = f->file.data[wrong->at];
        f->file.data[wrong->at] = (char)wrong->byte;
        rt_syclbin syclbin;
        rt_status status = file_read(f, f->file.size, &syclbin);
        assert_int_equal(rt_ok(status), wrong->message == NULL);
        if (wrong->message) {
            assert_string_equal(rt_sink_diagnostic(f->sink, status)->message.data, wrong->message);
            assert_int_equal(syclbin.module_count, 0);
        }
        f->file.data[wrong->at] = original;
    }
}

/* The second module claims the whole metadata table: with n such modules, a file would have n times
 * its own size parsed. */
static void metadata_that_overlaps_is_refused(void **state)
{
    fixture *f = *state;
    file_make(&f->file);
    f->file.data[168] = (char)(METADATA_SIZE & 0xFF); /* second module: offset 0, all of it */
    f->file.data[160] = 0;
    rt_syclbin syclbin;
    rt_status status = file_read(f, f->file.size, &syclbin);
    assert_int_equal(status.code, RT_MALFORMED);
    assert_string_equal(rt_sink_diagnostic(f->sink, status)->message.data,
                        "damaged SYCLBIN at byte 160 of 488: metadata overlaps");
}

static void every_truncation_and_bit_flip_is_survived(void **state)
{
    fixture *f = *state;
    file_make(&f->file);
    rt_syclbin syclbin;
    rt_device_binaries binaries;
    for (size_t size = 0; size < f->file.size; size++) {
        uint8_t *copy = rt_alloc(size); /* of exactly this size, so that sanitizers detect an
                                         * overrun */
        memcpy(copy, f->file.data, size);
        rt_status status = rt_syclbin_read(f->sink, &f->arena, (rt_bytes){copy, size}, &syclbin);
        assert_int_equal(status.code, RT_MALFORMED);
        rt_free(copy);
    }
    for (size_t bit = 0; bit < 8 * f->file.size; bit++) {
        f->file.data[bit / 8] = (char)(f->file.data[bit / 8] ^ (1 << bit % 8));
        rt_status status = file_read(f, f->file.size, &syclbin);
        if (rt_ok(status)) status = rt_syclbin_binaries(f->sink, &f->arena, &syclbin, &binaries);
        assert_true(rt_ok(status) || status.code == RT_MALFORMED || status.code == RT_UNSUPPORTED ||
                    status.code == RT_LIMIT);
        f->file.data[bit / 8] = (char)(f->file.data[bit / 8] ^ (1 << bit % 8));
        rt_arena_reset(&f->arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(file_is_read, set_up, tear_down),
        cmocka_unit_test_setup_teardown(file_is_written_as_it_was, set_up, tear_down),
        cmocka_unit_test_setup_teardown(binaries_become_modules, set_up, tear_down),
        cmocka_unit_test_setup_teardown(content_without_a_form_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(wrong_files_are_refused_with_their_place, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(metadata_that_overlaps_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(every_truncation_and_bit_flip_is_survived, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
