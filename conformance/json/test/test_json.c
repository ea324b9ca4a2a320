/* Unit tests of JSON strings made from arbitrary bytes, and of filling objects and arrays. */
#include "conformance/json/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static void texts_of_any_bytes_become_strings(void **state)
{
    (void)state;
    static const struct {
        rt_text text, expected;
    } rows[] = {
        {{NULL, 0}, {"", 0}},
        {{"a\"\\\n\x01", 5}, {"a\"\\\n\x01", 5}},
        {{"a\0b", 3}, {"a\0b", 3}},
        {{"g\xC3\xBC \xF0\x9F\x98\x80", 8}, {"g\xC3\xBC \xF0\x9F\x98\x80", 8}},
        {{"\xFF\xC3.", 3}, {"\xEF\xBF\xBD\xEF\xBF\xBD.", 7}},
        {{"\xED\xA0\x80", 3}, {"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD", 9}}, /* a surrogate */
        {{"\xE2\x82", 2}, {"\xEF\xBF\xBD", 3}},                             /* truncated */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        json_t *string = cnf_json_text(rows[i].text);
        assert_int_equal(json_string_length(string), rows[i].expected.length);
        assert_memory_equal(json_string_value(string), rows[i].expected.data,
                            rows[i].expected.length);
        /* Written directly, it is the same string. */
        rt_buffer written = {0};
        cnf_json_write_text(&written, rows[i].text);
        json_t *read =
            json_loadb(written.data, written.size, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
        assert_true(json_equal(read, string));
        rt_buffer_free(&written);
        json_decref(read);
        json_decref(string);
    }
}

static void objects_and_arrays_take_their_values(void **state)
{
    (void)state;
    json_t *object = json_object(), *array = json_array();
    cnf_json_append(array, json_integer(1));
    cnf_json_append(array, cnf_json_text(RT_TEXT("two")));
    cnf_json_set(object, "list", array);
    cnf_json_set(object, "list2", json_null());
    char *text = json_dumps(object, JSON_COMPACT | JSON_SORT_KEYS);
    assert_string_equal(text, "{\"list\":[1,\"two\"],\"list2\":null}");
    free(text); /* allocated by jansson */
    json_decref(object);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_of_any_bytes_become_strings),
        cmocka_unit_test(objects_and_arrays_take_their_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
