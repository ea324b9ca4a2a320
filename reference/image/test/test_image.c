/* Unit tests of images: look-ups, hashes and the serialised form. */
#include "reference/image/image.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const rt_property imports[] = {
    {.name = {"f", 1}, .type = RT_PROPERTY_UINT32, .number = 1},
    {.name = {"g", 1},
     .type = RT_PROPERTY_BYTES,
     .bytes = {(const uint8_t *)"xyz", 3},
     .unused_bits = 2},
};
static const rt_property_set sets[] = {{{RT_SET_IMPORTED_SYMBOLS, 21}, imports, 2}};
static const rt_text kernels[] = {{"apply", 5}};

static rt_image sample(void)
{
    return (rt_image){
        .name = RT_TEXT("app/0"),
        .format = RT_FORMAT_SPIRV64,
        .kernels = kernels,
        .kernel_count = 1,
        .sets = sets,
        .set_count = 1,
        .code = {(const uint8_t *)"\3\2\43\7code", 8},
    };
}

static void look_up_by_name_only(void **state)
{
    (void)state;
    rt_image image = sample();
    const rt_property_set *set = rt_image_set(&image, RT_SET_IMPORTED_SYMBOLS);
    assert_non_null(set);
    assert_true(rt_property_set_has(set, RT_TEXT("f")));
    assert_true(rt_property_set_has(set, RT_TEXT("g")));
    assert_false(rt_property_set_has(set, RT_TEXT("h")));
    assert_null(rt_image_set(&image, RT_SET_EXPORTED_SYMBOLS));
    assert_false(rt_property_set_has(NULL, RT_TEXT("f")));
}

static void hash_covers_content_not_name(void **state)
{
    (void)state;
    rt_image first = sample(), renamed = sample(), stripped = sample();
    renamed.name = RT_TEXT("lib/3");
    stripped.set_count = 0;
    rt_image_hash(&first);
    rt_image_hash(&renamed);
    rt_image_hash(&stripped);
    assert_true(first.hash.low == renamed.hash.low && first.hash.high == renamed.hash.high);
    assert_false(first.hash.low == stripped.hash.low);
}

static void list_survives_a_round_trip(void **state)
{
    (void)state;
    rt_sink *sink = rt_sink_create();
    rt_arena arena = {0};
    rt_image image = sample();
    rt_image_hash(&image);
    rt_buffer stream = {0};
    rt_image_list_write(&stream, (rt_image_list){&image, 1});
    rt_reader reader = rt_reader_of(rt_buffer_bytes(&stream));
    rt_image_list list;
    assert_true(rt_ok(rt_image_list_read(sink, &arena, &reader, &list)));
    assert_true(rt_reader_finished(&reader));
    assert_int_equal(list.count, 1);
    assert_true(rt_text_is(list.images[0].name, "app/0"));
    assert_true(rt_text_is(list.images[0].kernels[0], "apply"));
    assert_int_equal(list.images[0].sets[0].properties[1].bytes.size, 3);
    assert_int_equal(list.images[0].sets[0].properties[1].unused_bits, 2);
    assert_true(list.images[0].hash.low == image.hash.low);
    rt_buffer_free(&stream);
    rt_arena_reset(&arena);
    rt_sink_destroy(sink);
}

/* The SPIR-V of native code travels with the image, is not part of its hash, and belongs to no
 * other format. */
static void spirv_of_native_code_survives(void **state)
{
    (void)state;
    rt_sink *sink = rt_sink_create();
    rt_arena arena = {0};
    rt_image image = sample();
    image.format = RT_FORMAT_NATIVE;
    rt_image_hash(&image);
    rt_hash before = image.hash;
    image.spirv = (rt_bytes){(const uint8_t *)"spirv", 5};
    rt_image_hash(&image);
    assert_true(before.low == image.hash.low && before.high == image.hash.high);
    static const struct {
        rt_format format;
        rt_code code;
    } rows[] = {{RT_FORMAT_NATIVE, RT_OK}, {RT_FORMAT_SPIRV64, RT_MALFORMED}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rt_buffer stream = {0};
        rt_image_list list;
        image.format = rows[i].format;
        rt_image_list_write(&stream, (rt_image_list){&image, 1});
        rt_reader reader = rt_reader_of(rt_buffer_bytes(&stream));
        assert_int_equal(rt_image_list_read(sink, &arena, &reader, &list).code, rows[i].code);
        if (rows[i].code == RT_OK) assert_int_equal(list.images[0].spirv.size, 5);
        rt_buffer_free(&stream);
    }
    rt_arena_reset(&arena);
    rt_sink_destroy(sink);
}

static void every_truncation_and_bit_flip_is_survived(void **state)
{
    (void)state;
    rt_sink *sink = rt_sink_create();
    rt_arena arena = {0};
    rt_image image = sample();
    rt_buffer stream = {0};
    rt_image_list_write(&stream, (rt_image_list){&image, 1});
    rt_image_list list;
    for (size_t size = 0; size < stream.size; size++) {
        rt_reader reader = rt_reader_of((rt_bytes){(const uint8_t *)stream.data, size});
        rt_status status = rt_image_list_read(sink, &arena, &reader, &list);
        assert_int_equal(status.code, RT_MALFORMED);
    }
    for (size_t bit = 0; bit < 8 * stream.size; bit++) {
        stream.data[bit / 8] = (char)(stream.data[bit / 8] ^ (1 << bit % 8));
        rt_reader reader = rt_reader_of(rt_buffer_bytes(&stream));
        rt_status status = rt_image_list_read(sink, &arena, &reader, &list);
        assert_true(rt_ok(status) || status.code == RT_MALFORMED || status.code == RT_LIMIT);
        stream.data[bit / 8] = (char)(stream.data[bit / 8] ^ (1 << bit % 8));
    }
    rt_buffer_free(&stream);
    rt_arena_reset(&arena);
    rt_sink_destroy(sink);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(look_up_by_name_only),
        cmocka_unit_test(hash_covers_content_not_name),
        cmocka_unit_test(list_survives_a_round_trip),
        cmocka_unit_test(spirv_of_native_code_survives),
        cmocka_unit_test(every_truncation_and_bit_flip_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
