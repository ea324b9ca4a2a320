/* Unit tests of the descriptions of device_globals in images and modules: the written form of
 * values and lists, and invalid ones. */
#include "reference/image/device_global.h"

#include "reference/base/alloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define STATIC_TEXT(literal)                                                                       \
    {                                                                                              \
        literal, sizeof(literal) - 1                                                               \
    }

static bool value_of(const char *bytes, size_t size, rt_property_type type,
                     rt_device_global_value *out)
{
    const rt_property property = {
        .name = RT_TEXT("id"), .type = type, .bytes = {(const uint8_t *)bytes, size}};
    return rt_device_global_value_read(&property, out);
}

static void a_value_has_eight_bytes(void **state)
{
    (void)state;
    rt_buffer bytes = {0};
    rt_device_global_value_write(&bytes, (rt_device_global_value){0x01020304, true});
    assert_int_equal(bytes.size, 8);
    assert_memory_equal(bytes.data, "\x04\x03\x02\x01\x01\0\0\0", 8);
    rt_buffer_free(&bytes);
    rt_device_global_value_write(&bytes, (rt_device_global_value){24, false});
    assert_memory_equal(bytes.data, "\x18\0\0\0\0\0\0\0", 8);
    rt_buffer_free(&bytes);
}

static void values_of_five_and_of_eight_bytes_are_the_same(void **state)
{
    (void)state;
    rt_device_global_value five, eight;
    assert_true(value_of("\x18\0\0\0\1", 5, RT_PROPERTY_BYTES, &five));
    assert_true(value_of("\x18\0\0\0\1\xaa\xbb\xcc", 8, RT_PROPERTY_BYTES, &eight));
    assert_true(five.size == 24 && five.image_scope);
    assert_true(eight.size == 24 && eight.image_scope);
    assert_true(value_of("\x18\1\0\0\0\1\1\1", 8, RT_PROPERTY_BYTES, &eight));
    assert_true(eight.size == 280 && !eight.image_scope);
}

static void invalid_values_are_reported(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t size;
        rt_property_type type;
    } rows[] = {
        {"\1\0\0\0", 4, RT_PROPERTY_BYTES},           {"\1\0\0\0\0\0", 6, RT_PROPERTY_BYTES},
        {"\1\0\0\0\0\0\0\0\0", 9, RT_PROPERTY_BYTES}, {"", 0, RT_PROPERTY_BYTES},
        {"\0\0\0\0\0", 5, RT_PROPERTY_BYTES},         {"\1\0\0\0\2", 5, RT_PROPERTY_BYTES},
        {"\1\0\0\0\0", 5, RT_PROPERTY_UINT32},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rt_device_global_value value = {7, true};
        assert_false(value_of(rows[i].bytes, rows[i].size, rows[i].type, &value));
        assert_true(value.size == 0 && !value.image_scope);
    }
}

/* ---- Lists --------------------------------------------------------------------------------- */

static const rt_device_global globals[] = {
    {.unique_id = STATIC_TEXT("_Z1v"), .name = STATIC_TEXT("v"), .size = 4},
    {.unique_id = STATIC_TEXT("app/0____ZL1w"),
     .name = STATIC_TEXT("w"),
     .size = UINT64_C(1) << 33,
     .image_scope = true,
     .host_access = RT_HOST_ACCESS_NONE},
};

/* Reads from a block of exactly the given size, so that sanitizers detect a read past the end. */
static uint32_t count_read(const char *bytes, size_t size, bool *out_finished)
{
    uint8_t *block = rt_alloc(size ? size : 1);
    rt_arena arena = {0};
    if (size > 0) memcpy(block, bytes, size);
    rt_reader reader = rt_reader_of((rt_bytes){block, size});
    rt_device_global_list list = rt_device_global_list_read(&arena, &reader);
    *out_finished = rt_reader_finished(&reader);
    rt_arena_reset(&arena);
    rt_free(block);
    return list.count;
}

static void lists_come_back_as_they_were(void **state)
{
    (void)state;
    rt_buffer bytes = {0};
    rt_arena arena = {0};
    rt_device_global_list_write(&bytes, (rt_device_global_list){globals, 2});
    rt_reader reader = rt_reader_of(rt_buffer_bytes(&bytes));
    rt_device_global_list list = rt_device_global_list_read(&arena, &reader);
    assert_true(rt_reader_finished(&reader));
    assert_int_equal(list.count, 2);
    for (uint32_t i = 0; i < 2; i++) {
        const rt_device_global *read = &list.globals[i], *expected = &globals[i];
        assert_true(rt_text_equal(read->unique_id, expected->unique_id));
        assert_true(rt_text_equal(read->name, expected->name));
        assert_true(read->size == expected->size && read->image_scope == expected->image_scope);
        assert_int_equal(read->host_access, expected->host_access);
    }
    rt_arena_reset(&arena);
    rt_buffer_free(&bytes);
}

static void a_truncated_list_is_refused(void **state)
{
    (void)state;
    rt_buffer bytes = {0};
    bool finished;
    rt_device_global_list_write(&bytes, (rt_device_global_list){globals, 2});
    for (size_t size = 0; size < bytes.size; size++) {
        assert_int_equal(count_read(bytes.data, size, &finished), 0);
        assert_false(finished);
    }
    rt_buffer_free(&bytes);
}

/* Replaces one byte of the serialised list and expects a refusal. */
static void assert_damaged(const rt_device_global *list, uint32_t count, size_t at, char byte)
{
    rt_buffer bytes = {0};
    bool finished;
    rt_device_global_list_write(&bytes, (rt_device_global_list){list, count});
    assert_true(at < bytes.size && bytes.data[at] != byte);
    bytes.data[at] = byte;
    assert_int_equal(count_read(bytes.data, bytes.size, &finished), 0);
    assert_false(finished);
    rt_buffer_free(&bytes);
}

static void damaged_lists_are_refused(void **state)
{
    (void)state;
    /* Bytes: count 4, id 8 + 4, name 8 + 1, size 8, image scope, host access, initial 8 + 0. */
    enum {
        SIZE_AT = 25,
        SCOPE_AT = SIZE_AT + 8,
        ACCESS_AT = SCOPE_AT + 1,
        INITIAL_AT = ACCESS_AT + 1
    };
    assert_damaged(globals, 1, SIZE_AT, 0);
    assert_damaged(globals, 1, SCOPE_AT, 2);
    assert_damaged(globals, 1, ACCESS_AT, RT_HOST_ACCESS_COUNT);
    assert_damaged(globals, 1, 0, 2);    /* a count of two */
    assert_damaged(globals, 1, 3, 0x40); /* a count that no memory could hold */
    /* The second id is changed to equal the first. */
    static const rt_device_global alike[] = {
        {.unique_id = STATIC_TEXT("_Z1v"), .name = STATIC_TEXT("v"), .size = 4},
        {.unique_id = STATIC_TEXT("_Z1w"), .name = STATIC_TEXT("w"), .size = 4}};
    assert_damaged(alike, 2, INITIAL_AT + 8 + 8 + 3, 'v');
    /* An initial value of another size than the variable: the size becomes 5. */
    static const uint8_t four[4] = {1, 2, 3, 4};
    static const rt_device_global initialised[] = {{.unique_id = STATIC_TEXT("_Z1v"),
                                                    .name = STATIC_TEXT("v"),
                                                    .size = 4,
                                                    .initial = {four, sizeof four}}};
    assert_damaged(initialised, 1, SIZE_AT, 5);
}

static void accesses_have_names(void **state)
{
    (void)state;
    assert_string_equal(rt_host_access_name(RT_HOST_ACCESS_READ_WRITE), "read_write");
    assert_string_equal(rt_host_access_name(RT_HOST_ACCESS_READ), "read");
    assert_string_equal(rt_host_access_name(RT_HOST_ACCESS_WRITE), "write");
    assert_string_equal(rt_host_access_name(RT_HOST_ACCESS_NONE), "none");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_value_has_eight_bytes),
        cmocka_unit_test(values_of_five_and_of_eight_bytes_are_the_same),
        cmocka_unit_test(invalid_values_are_reported),
        cmocka_unit_test(lists_come_back_as_they_were),
        cmocka_unit_test(a_truncated_list_is_refused),
        cmocka_unit_test(damaged_lists_are_refused),
        cmocka_unit_test(accesses_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
