/* Unit tests of the variables that a fused program shares, as its images describe them. */
#include "reference/fusion/shared_variables.h"
#include "reference/image/device_global.h"
#include "reference/image/virtual_functions.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const uint8_t plain[8] = {4}, scoped[8] = {4, 0, 0, 0, 1}, nonsense[2] = {4};

/* One image that describes one variable; `symbol` is NULL for a variable without a symbol. */
typedef struct variable {
    const char *id;
    const uint8_t *value;
    size_t value_size;
    const char *symbol;
} variable;

typedef struct image_case {
    rt_property described, mapped;
    rt_property_set sets[2];
    rt_image image;
    rt_registered_image registered;
    const rt_registered_image *list;
    rt_program program;
} image_case;

static void image_make(image_case *test, rt_arena *arena, const variable *description)
{
    *test = (image_case){0};
    test->described = (rt_property){.name = rt_text_of(description->id),
                                    .type = RT_PROPERTY_BYTES,
                                    .bytes = {description->value, description->value_size}};
    test->mapped =
        (rt_property){.name = rt_arena_printf(arena, "%s@global_id_mapping", description->id),
                      .type = RT_PROPERTY_BYTES};
    if (description->symbol)
        test->mapped.bytes =
            (rt_bytes){(const uint8_t *)description->symbol, strlen(description->symbol)};
    test->sets[0] = (rt_property_set){RT_TEXT(RT_SET_DEVICE_GLOBALS), &test->described, 1};
    test->sets[1] = (rt_property_set){RT_TEXT("SYCL/program metadata"), &test->mapped, 1};
    test->image = (rt_image){.name = RT_TEXT("app/0"), .sets = test->sets, .set_count = 2};
    test->registered.image = &test->image;
    test->list = &test->registered;
    test->program.images = &test->list;
    test->program.image_count = 1;
}

/* Two kernels, each from a program with one image. */
static rt_status find(rt_sink *sink, rt_arena *arena, image_case images[2], const variable *first,
                      const variable *second, rt_shared_variables *out_variables)
{
    image_make(&images[0], arena, first);
    image_make(&images[1], arena, second);
    const rt_listed_kernel kernels[] = {
        {.kernel = RT_TEXT("k1"), .program = &images[0].program},
        {.kernel = RT_TEXT("k2"), .program = &images[1].program},
    };
    const rt_fusion_list list = {.kernels = kernels, .count = 2};
    return rt_shared_variables_find(sink, arena, &list, out_variables);
}

static const variable a = {"id_a", plain, 8, "a"};
static const variable b = {"id_b", plain, 8, "b"};

static void each_variable_is_shared_once(void **state)
{
    (void)state;
    rt_sink *sink = rt_sink_create();
    rt_arena arena = {0};
    image_case images[2];
    rt_shared_variables found;
    assert_true(rt_ok(find(sink, &arena, images, &a, &a, &found)));
    assert_int_equal(found.count, 1);
    assert_true(rt_ok(find(sink, &arena, images, &a, &b, &found)));
    assert_int_equal(found.count, 2);
    assert_true(rt_text_is(found.symbols[1], "b"));

    rt_image fused = {.name = RT_TEXT("fused_0")};
    rt_shared_variables_add(&arena, &found, &fused);
    const rt_property_set *globals = rt_image_set(&fused, RT_SET_DEVICE_GLOBALS);
    const rt_property_set *metadata = rt_image_set(&fused, RT_SET_PROGRAM_METADATA);
    assert_true(globals && metadata);
    assert_int_equal(globals->property_count, 2);
    assert_true(rt_text_is(globals->properties[0].name, "id_a"));
    assert_memory_equal(globals->properties[0].bytes.data, plain, 8);
    assert_true(rt_text_is(metadata->properties[1].name, "id_b@global_id_mapping"));
    assert_memory_equal(metadata->properties[1].bytes.data, "b", 1);
    rt_arena_reset(&arena);
    rt_sink_destroy(sink);
}

/* The images that describe the variables may be unloaded before the fused kernel is: the fused
 * image has copies, after the sets that the compiler gave it. */
static void the_fused_image_has_copies(void **state)
{
    (void)state;
    rt_sink *sink = rt_sink_create();
    rt_arena arena = {0}, own = {0};
    image_case images[2];
    rt_shared_variables found;
    char id[] = "id_a", symbol[] = "a";
    uint8_t value[8] = {4};
    const variable written = {id, value, sizeof value, symbol};
    assert_true(rt_ok(find(sink, &arena, images, &written, &written, &found)));
    static const rt_property_set given[] = {{{"first", 5}, NULL, 0}, {{"second", 6}, NULL, 0}};
    rt_image fused = {.name = RT_TEXT("fused_0"), .sets = given, .set_count = 2};
    rt_shared_variables_add(&own, &found, &fused);
    memset(id, '?', sizeof id - 1);
    memset(symbol, '?', sizeof symbol - 1);
    memset(value, '?', sizeof value);
    rt_arena_reset(&arena);
    assert_int_equal(fused.set_count, 4);
    assert_true(rt_text_is(fused.sets[0].name, "first"));
    assert_true(rt_text_is(fused.sets[1].name, "second"));
    const rt_property_set *globals = rt_image_set(&fused, RT_SET_DEVICE_GLOBALS);
    const rt_property_set *metadata = rt_image_set(&fused, RT_SET_PROGRAM_METADATA);
    assert_true(rt_text_is(globals->properties[0].name, "id_a"));
    assert_memory_equal(globals->properties[0].bytes.data, plain, 8);
    assert_true(rt_text_is(metadata->properties[0].name, "id_a@global_id_mapping"));
    assert_memory_equal(metadata->properties[0].bytes.data, "a", 1);
    rt_arena_reset(&own);
    rt_sink_destroy(sink);
}

static void variables_that_cannot_be_shared_are_named(void **state)
{
    (void)state;
    const struct {
        variable second;
        const char *part;
    } rows[] = {
        {{"id_b", scoped, 8, "b"}, "the device_global 'id_b' with device_image_scope"},
        {{"id_b", nonsense, 2, "b"}, "'id_b' without a valid size and scope"},
        {{"id_b", plain, 8, NULL}, "'id_b' without its symbol"},
        {{"id_b", plain, 8, "a"}, "'id_b' under the symbol of another variable"},
        {{"id_a", plain, 8, "b"}, "'id_a' under the symbol of another variable"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rt_sink *sink = rt_sink_create();
        rt_arena arena = {0};
        image_case images[2];
        rt_shared_variables found;
        rt_status status = find(sink, &arena, images, &a, &rows[i].second, &found);
        assert_int_equal(status.code, RT_FUSION_REJECTED);
        assert_int_equal(found.count, 0);
        const rt_diagnostic *diagnostic = rt_sink_diagnostic(sink, status);
        if (!strstr(diagnostic->message.data, rows[i].part))
            fail_msg("%s", diagnostic->message.data);
        assert_true(rt_text_is(diagnostic->names[0], "k2"));
        rt_arena_reset(&arena);
        rt_sink_destroy(sink);
    }
}

static void virtual_functions_are_refused(void **state)
{
    (void)state;
    rt_sink *sink = rt_sink_create();
    rt_arena arena = {0};
    image_case test;
    image_make(&test, &arena, &a);
    test.sets[0].name = RT_TEXT(RT_SET_VIRTUAL_FUNCTIONS);
    const rt_listed_kernel kernel = {.kernel = RT_TEXT("k"), .program = &test.program};
    const rt_fusion_list list = {.kernels = &kernel, .count = 1};
    rt_shared_variables found;
    rt_status status = rt_shared_variables_find(sink, &arena, &list, &found);
    assert_int_equal(status.code, RT_FUSION_REJECTED);
    assert_non_null(strstr(rt_sink_diagnostic(sink, status)->message.data, "virtual functions"));
    rt_arena_reset(&arena);
    rt_sink_destroy(sink);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_variable_is_shared_once),
        cmocka_unit_test(the_fused_image_has_copies),
        cmocka_unit_test(variables_that_cannot_be_shared_are_named),
        cmocka_unit_test(virtual_functions_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
