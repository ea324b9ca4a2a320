/* Unit tests of specialisation constants: which programs they distinguish, which values reach the
 * device, and refusals. */
#include "reference/program/test/fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* Every constant has 4 bytes and the default 7; `step` has number 1 in main and 2 in library. */
static const fixture_module modules[] = {
    {"main", "k", "f", NULL, .constants = "step scale"},
    {"library", "lk", NULL, "f", .constants = "bias step"},
};
enum { MAIN, LIBRARY, MODULES };

static int set_up(void **state)
{
    fixture *f = fixture_create(modules, MODULES, "");
    rt_loader_open(&f->loader, LIBRARY);
    rt_loader_open(&f->loader, MAIN);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    fixture_destroy(*state);
    return 0;
}

static const uint8_t value_1[] = {1, 0, 0, 0}, value_7[] = {7, 0, 0, 0}, wide[8] = {1};
#define CONSTANT(text, value)                                                                      \
    {                                                                                              \
        {text, sizeof(text) - 1},                                                                  \
        {                                                                                          \
            value, sizeof(value)                                                                   \
        }                                                                                          \
    }

static rt_status ask(fixture *f, const char *kernel, const rt_spec_constant *constants,
                     uint32_t count)
{
    return fixture_ask_as(f, &(rt_kernel_request){.device = &f->device,
                                                  .kernel = rt_text_of(kernel),
                                                  .constants = constants,
                                                  .constant_count = count});
}

static void every_image_that_has_the_constant_gets_it_by_its_own_number(void **state)
{
    fixture *f = *state;
    static const rt_spec_constant constants[] = {CONSTANT("step", value_1),
                                                 CONSTANT("bias", value_1)};
    assert_true(rt_ok(ask(f, "k", constants, 2)));
    assert_string_equal(rt_buffer_string(&f->counting->codes),
                        "[ 1=01000000][ 1=01000000 2=01000000]");
    assert_string_equal(fixture_newest(f, RT_EVENT_BUILD, "constants"), "bias=1 step=1");
}

static void another_value_is_another_program(void **state)
{
    fixture *f = *state;
    static const rt_spec_constant step[] = {CONSTANT("step", value_1)};
    assert_true(rt_ok(ask(f, "k", NULL, 0)));
    assert_true(rt_ok(ask(f, "k", step, 1)));
    assert_true(rt_ok(ask(f, "k", NULL, 0)));
    assert_true(rt_ok(ask(f, "k", step, 1)));
    assert_int_equal(f->counting->links_done, 2);
}

static void order_and_default_values_make_no_difference(void **state)
{
    fixture *f = *state;
    static const rt_spec_constant there[] = {CONSTANT("step", value_1), CONSTANT("bias", value_1)},
                                  back[] = {CONSTANT("bias", value_1), CONSTANT("step", value_1)},
                                  defaults[] = {CONSTANT("scale", value_7),
                                                CONSTANT("step", value_7)};
    assert_true(rt_ok(ask(f, "k", there, 2)));
    assert_true(rt_ok(ask(f, "k", back, 2)));
    assert_int_equal(f->counting->links_done, 1);
    assert_true(rt_ok(ask(f, "k", defaults, 2)));
    assert_true(rt_ok(ask(f, "k", NULL, 0)));
    assert_int_equal(f->counting->links_done, 2);
    assert_string_equal(fixture_newest(f, RT_EVENT_BUILD, "constants"), "");
}

static void a_library_kernel_finds_the_program_of_the_same_values(void **state)
{
    fixture *f = *state;
    static const rt_spec_constant step[] = {CONSTANT("step", value_1)};
    assert_true(rt_ok(ask(f, "k", step, 1)));
    assert_true(rt_ok(ask(f, "lk", step, 1)));
    assert_int_equal(fixture_count(f, RT_EVENT_CACHE_HIT), 1);
    assert_true(rt_ok(ask(f, "lk", NULL, 0)));
    assert_int_equal(f->counting->builds, 1);
}

/* SYCL 2020, 4.9.5: a value for a constant that the kernel does not use has no effect. */
static void an_unknown_name_does_nothing(void **state)
{
    fixture *f = *state;
    static const rt_spec_constant unknown[] = {CONSTANT("stepp", value_1)};
    f->device.capabilities.spec_constants = false;
    assert_true(rt_ok(ask(f, "k", unknown, 1)));
    assert_string_equal(rt_buffer_string(&f->counting->codes), "[][]");
}

static void a_wrong_size_is_refused(void **state)
{
    fixture *f = *state;
    static const rt_spec_constant wrong[] = {CONSTANT("step", wide)};
    rt_status status = ask(f, "k", wrong, 1);
    assert_int_equal(status.code, RT_ERRC_INVALID);
    const rt_diagnostic *diagnostic = rt_sink_diagnostic(f->sink, status);
    assert_string_equal(diagnostic->message.data,
                        "specialisation constant 'step' has 4 bytes in image main/0, but the "
                        "given value has 8");
    assert_true(rt_text_is(diagnostic->names[0], "step"));
    assert_int_equal(f->counting->compiles, 0);
}

static void a_device_without_constants_refuses_values_but_not_defaults(void **state)
{
    fixture *f = *state;
    static const rt_spec_constant step[] = {CONSTANT("step", value_1)},
                                  defaults[] = {CONSTANT("step", value_7)};
    f->device.capabilities.spec_constants = false;
    rt_status status = ask(f, "k", step, 1);
    assert_int_equal(status.code, RT_ERRC_FEATURE_NOT_SUPPORTED);
    assert_string_equal(
        rt_sink_diagnostic(f->sink, status)->message.data,
        "specialisation constant 'step' cannot be set: device device does not support setting any");
    assert_true(rt_ok(ask(f, "k", defaults, 1)));
}

/* An image whose table for `step` has other rows; it lives longer than the fixture. */
typedef struct changed_image {
    rt_buffer table;
    rt_property properties[2];
    rt_property_set sets[2];
    rt_image image;
} changed_image;

/* Asks for the library's kernel after its image has been registered with another table for `step`,
 * whose rows are numbers, offsets and sizes; `scale` keeps number 2. */
static rt_status ask_with_table(fixture *f, changed_image *changed, const uint32_t *rows,
                                size_t table_bytes, rt_bytes value)
{
    const rt_image *original = &f->loader.modules[LIBRARY].images.images[0];
    const rt_property *known = original->sets[2].properties;
    *changed = (changed_image){.image = *original};
    for (size_t i = 0; i < (table_bytes + 3) / 4; i++)
        rt_write_u32(&changed->table, rows[i]);
    changed->properties[0] = known[1];
    changed->properties[0].bytes = (rt_bytes){rt_buffer_bytes(&changed->table).data, table_bytes};
    changed->properties[1] = (rt_property){RT_TEXT("scale"), RT_PROPERTY_BYTES, 0, known[1].bytes};
    changed->sets[0] = original->sets[1];
    changed->sets[1] = (rt_property_set){RT_TEXT(RT_SET_SPEC_CONSTANTS), changed->properties, 2};
    changed->image.sets = changed->sets;
    changed->image.set_count = 2;
    assert_true(rt_ok(rt_loader_image_load(&f->loader, LIBRARY, &changed->image)));
    const rt_spec_constant constants[] = {{RT_TEXT("step"), value}, CONSTANT("scale", value_1)};
    return ask(f, "lk", constants, 2);
}

/* Two numbers are given twice: the message is about the lower one. */
static void the_first_number_that_is_given_twice_is_named(void **state)
{
    (void)state;
    static const uint32_t rows[] = {1, 0, 4, 1, 4, 4, 2, 8, 4};
    static const uint8_t value[12] = {0};
    fixture *f = fixture_create(modules, MODULES, "");
    changed_image changed;
    rt_status status =
        ask_with_table(f, &changed, rows, sizeof rows, (rt_bytes){value, sizeof value});
    assert_int_equal(status.code, RT_MALFORMED);
    assert_string_equal(rt_sink_diagnostic(f->sink, status)->message.data,
                        "image library/0: scalars of specialisation constants 'step' and 'step' "
                        "have the same number, 1");
    fixture_destroy(f);
    rt_buffer_free(&changed.table);
}

static void damaged_tables_are_refused(void **state)
{
    (void)state;
    static const struct {
        size_t table_bytes;
        uint32_t rows[6];
        size_t value_bytes;
        rt_code code;
    } lies[] = {
        {11, {1, 0, 4}, 4, RT_MALFORMED},
        {12, {2, 0, 4}, 4, RT_MALFORMED},          /* the number of `scale` */
        {24, {1, 0, 4, 1, 4, 4}, 8, RT_MALFORMED}, /* one number for two scalars */
        {24, {1, 0, 4, 0, 2, 4}, 8, RT_MALFORMED}, /* the scalars overlap */
        {12, {1, 0, 3}, 3, RT_UNSUPPORTED},
        {12, {1, 0, 4}, 4, RT_OK},
        {24, {1, 0, 4, 3, 4, 4}, 8, RT_OK},
    };
    for (uint32_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        fixture *f = fixture_create(modules, MODULES, "");
        rt_bytes value = {wide, lies[i].value_bytes};
        changed_image changed;
        rt_status status = ask_with_table(f, &changed, lies[i].rows, lies[i].table_bytes, value);
        assert_int_equal(status.code, lies[i].code);
        fixture_destroy(f);
        rt_buffer_free(&changed.table);
    }
}

/* A byte, 3 bytes of padding, 4 bytes, then 4 bytes of padding at the end. */
static void each_scalar_of_a_composite_gets_its_part_of_the_value(void **state)
{
    (void)state;
    static const uint32_t rows[] = {1, 0, 1, 9, 4, 4, UINT32_MAX, 8, 4};
    static const uint8_t value[12] = {0x11, 0xee, 0xee, 0xee, 0x22, 0x33, 0x44, 0x55, 0xee};
    fixture *f = fixture_create(modules, MODULES, "");
    changed_image changed;
    rt_status status =
        ask_with_table(f, &changed, rows, sizeof rows, (rt_bytes){value, sizeof value});
    assert_true(rt_ok(status));
    assert_string_equal(rt_buffer_string(&f->counting->codes), "[ 2=01000000 1=11 9=22334455]");
    assert_string_equal(fixture_newest(f, RT_EVENT_BUILD, "constants"),
                        "scale=1 step=0x000000ee55443322eeeeee11");
    fixture_destroy(f);
    rt_buffer_free(&changed.table);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(every_image_that_has_the_constant_gets_it_by_its_own_number),
        TEST(another_value_is_another_program),
        TEST(order_and_default_values_make_no_difference),
        TEST(a_library_kernel_finds_the_program_of_the_same_values),
        TEST(an_unknown_name_does_nothing),
        TEST(a_wrong_size_is_refused),
        TEST(a_device_without_constants_refuses_values_but_not_defaults),
        cmocka_unit_test(the_first_number_that_is_given_twice_is_named),
        cmocka_unit_test(damaged_tables_are_refused),
        cmocka_unit_test(each_scalar_of_a_composite_gets_its_part_of_the_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
