/* Unit tests of an image's declarations of virtual functions: properties, lists, and damage. */
#include "reference/image/virtual_functions.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define VALUE(name_text, value_text)                                                               \
    {                                                                                              \
        .name = {name_text, sizeof(name_text) - 1}, .type = RT_PROPERTY_BYTES,                     \
        .bytes = {(const uint8_t *)(value_text), sizeof(value_text) - 1},                          \
    }
#define NUMBER(name_text, value)                                                                   \
    {                                                                                              \
        .name = {name_text, sizeof(name_text) - 1}, .type = RT_PROPERTY_UINT32, .number = (value), \
    }

static const char *read_from(const rt_property *properties, uint32_t count,
                             rt_virtual_functions *out_functions)
{
    const rt_property_set set = {RT_TEXT(RT_SET_VIRTUAL_FUNCTIONS), properties, count};
    const rt_image image = {.sets = &set, .set_count = 1};
    return rt_virtual_functions_read(&image, out_functions);
}

static void every_property_has_its_field(void **state)
{
    (void)state;
    static const rt_property user[] = {VALUE("calls-virtual-functions-set", "a,b"),
                                       VALUE("creates-virtual-functions-set", "c\0"),
                                       VALUE("uses-virtual-functions-set", "d")};
    rt_virtual_functions read;
    assert_null(read_from(user, 3, &read));
    assert_true(rt_text_is(read.calls, "a,b"));
    assert_true(rt_text_is(read.creates, "c")); /* the NUL byte does not count */
    assert_true(rt_text_is(read.uses, "d"));
    assert_int_equal(read.provides.length, 0);
    assert_false(read.dummy);
    static const rt_property provider[] = {VALUE("virtual-functions-set", "set_fp64"),
                                           NUMBER("dummy-image", 1), NUMBER("of another time", 3)};
    assert_null(read_from(provider, 3, &read));
    assert_true(rt_text_is(read.provides, "set_fp64"));
    assert_true(read.dummy);
    static const rt_property no_dummy[] = {NUMBER("dummy-image", 0)};
    assert_null(read_from(no_dummy, 1, &read));
    assert_false(read.dummy);
}

static void an_image_without_the_set_says_nothing(void **state)
{
    (void)state;
    const rt_image image = {0};
    rt_virtual_functions read;
    assert_null(rt_virtual_functions_read(&image, &read));
    assert_int_equal(read.provides.length + read.calls.length + read.creates.length, 0);
}

static void damaged_properties_are_named(void **state)
{
    (void)state;
    static const struct {
        rt_property property;
        const char *name;
    } cases[] = {
        {NUMBER("calls-virtual-functions-set", 1), "calls-virtual-functions-set"},
        {VALUE("dummy-image", "1"), "dummy-image"},
        {VALUE("virtual-functions-set", "a,b"), "virtual-functions-set"},
        {NUMBER("virtual-functions-set", 1), "virtual-functions-set"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rt_property properties[] = {VALUE("creates-virtual-functions-set", "a"), cases[i].property};
        rt_virtual_functions read;
        const char *damaged = read_from(properties, 2, &read);
        assert_non_null(damaged);
        assert_string_equal(damaged, cases[i].name);
        assert_int_equal(read.creates.length, 0); /* no part of it is used */
    }
}

static void a_list_gives_its_names(void **state)
{
    (void)state;
    rt_text list = RT_TEXT(",_ZTSv,,b,"), name;
    assert_true(rt_set_names_next(&list, &name));
    assert_true(rt_text_is(name, "_ZTSv"));
    assert_true(rt_set_names_next(&list, &name));
    assert_true(rt_text_is(name, "b"));
    assert_false(rt_set_names_next(&list, &name));
    list = (rt_text){0};
    assert_false(rt_set_names_next(&list, &name));
    assert_true(rt_set_names_hold(RT_TEXT("a,,bc"), RT_TEXT("bc")));
    assert_false(rt_set_names_hold(RT_TEXT("a,,bc"), RT_TEXT("b")));
    assert_false(rt_set_names_hold(list, RT_TEXT("a")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_property_has_its_field),
        cmocka_unit_test(an_image_without_the_set_says_nothing),
        cmocka_unit_test(damaged_properties_are_named),
        cmocka_unit_test(a_list_gives_its_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
