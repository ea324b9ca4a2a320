/* Unit tests of the loader: the device_globals that modules' host code registers. */
#include "reference/module/test/loader_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define STATIC_TEXT(literal)                                                                       \
    {                                                                                              \
        literal, sizeof(literal) - 1                                                               \
    }

static const rt_image image_list[] = {{.name = {"image", 5}}};
static const rt_device_global of_app[] = {
    {.unique_id = STATIC_TEXT("_Z1v"), .name = STATIC_TEXT("v"), .size = 4},
    {.unique_id = STATIC_TEXT("_Z1w"), .name = STATIC_TEXT("w"), .size = 24, .image_scope = true},
};
static const rt_device_global of_plugin[] = {
    {.unique_id = STATIC_TEXT("_Z1p"), .name = STATIC_TEXT("p"), .size = 1}};

/* The plugin has no images, but its host code registers variables. */
enum { APP, PLUGIN, MODULES };
static const rt_module modules[MODULES] = {
    [APP] = {.name = STATIC_TEXT("app"), .images = {image_list, 1}, .globals = {of_app, 2}},
    [PLUGIN] = {.name = STATIC_TEXT("plugin"), .globals = {of_plugin, 1}},
};

/* The log: "+v " means that variable v is registered, "-v " that it is removed; "[ " and "] " mean
 * the same for an image. */
static void note_global(void *user, rt_module_id module, const rt_device_global *global)
{
    fixture *f = user;
    assert_true(module == (rt_text_is(global->name, "p") ? PLUGIN : APP));
    rt_buffer_printf(&f->log, "+%.*s ", RT_TEXT_ARG(global->name));
}

static void note_unregistered(void *user, rt_module_id module, const rt_device_global *global)
{
    fixture *f = user;
    assert_true(module == PLUGIN);
    rt_buffer_printf(&f->log, "-%.*s ", RT_TEXT_ARG(global->name));
}

static void note_image(void *user, const rt_registered_image *image)
{
    fixture *f = user;
    assert_non_null(image->image);
    rt_buffer_printf(&f->log, "[ ");
}

static void note_image_unregistered(void *user, const rt_registered_image *image)
{
    (void)image;
    rt_buffer_printf(&((fixture *)user)->log, "] ");
}

static int set_up(void **state)
{
    fixture *f = fixture_open(modules, MODULES,
                              (rt_registry_observer){NULL, note_image, note_image_unregistered});
    rt_loader_observe_globals(&f->loader, (rt_global_observer){note_global, note_unregistered, f},
                              &f->chooser);
    *state = f;
    return 0;
}

static void either_order_may_be_drawn(void **state)
{
    fixture *f = *state;
    assert_true(rt_ok(rt_loader_start(&f->loader, APP, NULL, 0)));
    expect_log(f, "+v +w [ ");
    assert_int_equal(f->chooser.choices.count, 1);
    assert_int_equal(f->chooser.choices.items[0].rule, RT_RULE_DG_FE_04);
    assert_int_equal(f->chooser.choices.items[0].alternative_count, 2);
}

static void the_other_order_too(void **state)
{
    fixture *f = *state;
    static const uint32_t script[] = {1};
    rt_chooser_free(&f->chooser);
    rt_chooser_init(&f->chooser, 0, script, 1);
    assert_true(rt_ok(rt_loader_start(&f->loader, APP, NULL, 0)));
    expect_log(f, "[ +v +w ");
}

static void a_module_without_images_leaves_nothing_to_choose(void **state)
{
    fixture *f = *state;
    assert_true(rt_ok(rt_loader_start(&f->loader, APP, NULL, 0)));
    expect_log(f, "+v +w [ ");
    assert_true(rt_ok(rt_loader_open(&f->loader, PLUGIN)));
    assert_true(rt_ok(rt_loader_open(&f->loader, PLUGIN)));
    expect_log(f, "+p ");
    assert_int_equal(f->chooser.choices.count, 1);
}

static void unloaded_globals_are_removed_and_may_return(void **state)
{
    fixture *f = *state;
    assert_true(rt_ok(rt_loader_start(&f->loader, APP, NULL, 0)));
    assert_true(rt_ok(rt_loader_open(&f->loader, PLUGIN)));
    expect_log(f, "+v +w [ +p ");
    assert_true(rt_ok(rt_loader_close(&f->loader, PLUGIN)));
    expect_log(f, "-p ");
    assert_true(rt_ok(rt_loader_open(&f->loader, PLUGIN)));
    expect_log(f, "+p ");
}

static void the_trace_tells_of_each(void **state)
{
    fixture *f = *state;
    static const char *const expected[][5] = {{"app", "v", "_Z1v", "4", "0"},
                                              {"app", "w", "_Z1w", "24", "1"}};
    static const char *const keys[] = {"module", "variable", "id", "size", "image_scope"};
    assert_true(rt_ok(rt_loader_start(&f->loader, APP, NULL, 0)));
    uint32_t found = 0;
    for (uint32_t i = 0; i < rt_trace_count(f->trace); i++) {
        const rt_event *event = rt_trace_event(f->trace, i);
        if (event->kind != RT_EVENT_DEVICE_GLOBAL_REGISTER) continue;
        assert_true(found < 2);
        for (uint32_t k = 0; k < 5; k++) {
            const rt_event_field *field = rt_event_field_find(event, rt_text_of(keys[k]));
            assert_true(field && rt_text_is(field->values[0], expected[found][k]));
        }
        found++;
    }
    assert_int_equal(found, 2);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, fixture_close)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(either_order_may_be_drawn),
        TEST(the_other_order_too),
        TEST(a_module_without_images_leaves_nothing_to_choose),
        TEST(unloaded_globals_are_removed_and_may_return),
        TEST(the_trace_tells_of_each),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
