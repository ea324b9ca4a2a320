/* Unit tests of the loader with the simulated system: order, sharing, cycles, dlopen, dlclose, and
 * systems that report impossible states.  Expected orders are derived by hand: the modules of a
 * start or dlopen, listed breadth first, are taken from the last to the first, each after the
 * modules that it needs (glibc, elf/dl-sort-maps.c). */
#include "reference/module/test/loader_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const rt_image image_list[] = {{.name = {"image", 5}}};

/* app -> a -> c, app -> b -> c; plugin -> c, plugin -> d; x <-> y */
enum { APP, A, B, C, PLUGIN, D, X, Y, MODULES };
static const rt_module_id needs_app[] = {A, B}, needs_c[] = {C}, needs_plugin[] = {C, D},
                          needs_x[] = {Y}, needs_y[] = {X};
#define MODULE(text, list, n)                                                                      \
    {                                                                                              \
        .name = {text, sizeof(text) - 1}, .needs = (list), .need_count = (n), .images = {          \
            image_list,                                                                            \
            1                                                                                      \
        }                                                                                          \
    }
static const rt_module modules[MODULES] = {
    [APP] = MODULE("app", needs_app, 2),
    [A] = MODULE("a", needs_c, 1),
    [B] = MODULE("b", needs_c, 1),
    [C] = MODULE("c", NULL, 0),
    [PLUGIN] = MODULE("plugin", needs_plugin, 2),
    [D] = MODULE("d", NULL, 0),
    [X] = MODULE("x", needs_x, 1),
    [Y] = MODULE("y", needs_y, 1),
};

/* The log: "+c " means that module c's image is registered, "-c " that it is unregistered. */
static void note_registered(void *user, const rt_registered_image *image)
{
    fixture *f = user;
    rt_buffer_printf(&f->log, "+%.*s ", RT_TEXT_ARG(image->module_name));
}

static void note_unregistered(void *user, const rt_registered_image *image)
{
    fixture *f = user;
    assert_true(image->registered);
    rt_buffer_printf(&f->log, "-%.*s ", RT_TEXT_ARG(image->module_name));
}

static int set_up(void **state)
{
    fixture *f = fixture_open(modules, MODULES,
                              (rt_registry_observer){NULL, note_registered, note_unregistered});
    *state = f;
    return 0;
}

static void needed_modules_register_first_and_once(void **state)
{
    fixture *f = *state;
    rt_loader_start(&f->loader, APP, NULL, 0);
    expect_log(f, "+c +b +a +app ");
}

static void a_module_is_described_before_it_is_loaded(void **state)
{
    fixture *f = *state;
    rt_loader_start(&f->loader, APP, NULL, 0);
    expect_log(f, "+c +b +a +app ");
    rt_loader_describe(&f->loader, D, RT_TEXT("renamed"), RT_TEXT("librenamed.so"),
                       (rt_device_global_list){0});
    rt_loader_open(&f->loader, D);
    expect_log(f, "+renamed ");
    assert_true(rt_text_is(f->loader.modules[D].path, "librenamed.so"));
}

static void opening_twice_loads_once_and_closing_twice_unloads(void **state)
{
    fixture *f = *state;
    rt_loader_start(&f->loader, APP, NULL, 0);
    expect_log(f, "+c +b +a +app ");
    rt_loader_open(&f->loader, PLUGIN);
    rt_loader_open(&f->loader, PLUGIN);
    expect_log(f, "+d +plugin ");
    assert_true(rt_ok(rt_loader_close(&f->loader, PLUGIN)));
    expect_log(f, "");
    assert_true(rt_ok(rt_loader_close(&f->loader, PLUGIN)));
    expect_log(f, "-plugin -d ");
    assert_int_equal(rt_loader_close(&f->loader, PLUGIN).code, RT_ERRC_INVALID);
    expect_log(f, "");
}

static void a_closed_module_stays_while_something_needs_it(void **state)
{
    fixture *f = *state;
    rt_loader_start(&f->loader, APP, NULL, 0);
    rt_loader_open(&f->loader, D);
    rt_loader_open(&f->loader, PLUGIN);
    expect_log(f, "+c +b +a +app +d +plugin ");
    assert_true(rt_ok(rt_loader_close(&f->loader, D)));
    expect_log(f, "");
    assert_true(rt_ok(rt_loader_close(&f->loader, PLUGIN)));
    expect_log(f, "-plugin -d ");
}

static void a_cycle_is_loaded_once(void **state)
{
    fixture *f = *state;
    rt_loader_start(&f->loader, X, NULL, 0);
    expect_log(f, "+y +x ");
    expect_log(f, "");
    rt_loader_open(&f->loader, X);
    assert_true(rt_ok(rt_loader_close(&f->loader, X)));
    expect_log(f, "");
}

/* Constructors: X was opened, so it is first in the list, and the first module is constructed last.
 * Destructors: the walk begins with Y, which was loaded last, and reaches X from Y, so X's
 * destructor runs after Y's. */
static void an_opened_cycle_is_unloaded_as_a_whole(void **state)
{
    fixture *f = *state;
    rt_loader_start(&f->loader, D, NULL, 0);
    rt_loader_open(&f->loader, X);
    expect_log(f, "+d +y +x ");
    assert_true(rt_ok(rt_loader_close(&f->loader, X)));
    expect_log(f, "-y -x ");
}

/* In glibc 2.39 and newer, the closed module's destructor runs first, although X would precede Y
 * as above: Y was opened after X, and X was closed before Y. */
static void newer_releases_begin_with_the_closed_module(void **state)
{
    fixture *f = *state;
    for (uint32_t newer = 0; newer < 2; newer++) {
        rt_simulated_module table[MODULES] = {0};
        for (uint32_t i = 0; i < MODULES; i++)
            table[i] = (rt_simulated_module){.needs = modules[i].needs,
                                             .need_count = modules[i].need_count,
                                             .images = modules[i].images};
        rt_simulated *simulated = rt_simulated_create(table, MODULES);
        if (newer) rt_simulated_destroy_closed_first(simulated);
        rt_registry registry;
        rt_registry_init(&registry, f->trace);
        registry.observer = f->registry.observer;
        rt_loader loader;
        rt_loader_init(&loader, f->sink, &registry, modules, MODULES);
        rt_loader_use(&loader, rt_simulated_system(simulated));
        rt_loader_start(&loader, D, NULL, 0);
        rt_loader_open(&loader, X);
        rt_loader_open(&loader, A);
        expect_log(f, "+d +y +x +c +a ");
        assert_true(rt_ok(rt_loader_close(&loader, X)));
        expect_log(f, newer ? "-x -y " : "-y -x ");
        assert_true(rt_ok(rt_loader_close(&loader, A)));
        expect_log(f, "-a -c ");
        rt_loader_free(&loader);
        rt_simulated_destroy(simulated);
        rt_registry_free(&registry);
    }
}

static void a_new_load_gives_new_ids(void **state)
{
    fixture *f = *state;
    rt_loader_start(&f->loader, A, NULL, 0);
    rt_loader_open(&f->loader, D);
    assert_true(rt_ok(rt_loader_close(&f->loader, D)));
    rt_loader_open(&f->loader, D);
    assert_int_equal(f->registry.images.count, 4);
    assert_false(f->registry.images.items[2]->registered);
    assert_true(f->registry.images.items[3]->registered);
}

static void a_preloaded_module_is_constructed_before_the_executable_and_stays(void **state)
{
    fixture *f = *state;
    static const rt_module_id preloaded[] = {PLUGIN, X};
    rt_loader_start(&f->loader, APP, preloaded, 2);
    expect_log(f, "+x +y +d +c +b +a +plugin +app ");
    assert_int_equal(rt_loader_close(&f->loader, PLUGIN).code, RT_ERRC_INVALID);
    rt_loader_open(&f->loader, PLUGIN);
    assert_true(rt_ok(rt_loader_close(&f->loader, PLUGIN)));
    expect_log(f, "");
}

static void an_image_is_loaded_once(void **state)
{
    fixture *f = *state;
    static const rt_image extra = {.name = {"extra", 5}};
    rt_loader_start(&f->loader, D, NULL, 0);
    expect_log(f, "+d ");
    assert_true(rt_ok(rt_loader_image_load(&f->loader, A, &extra)));
    expect_log(f, "+a ");
    rt_status status = rt_loader_image_load(&f->loader, A, &extra);
    assert_int_equal(status.code, RT_ERRC_INVALID);
    assert_string_equal(rt_sink_diagnostic(f->sink, status)->message.data,
                        "image extra cannot be loaded: it has already been loaded");
    assert_int_equal(rt_loader_image_load(&f->loader, D, image_list).code, RT_ERRC_INVALID);
    expect_log(f, "");
    assert_true(rt_ok(rt_loader_image_load(&f->loader, C, image_list)));
    expect_log(f, "+c ");
}

/* ---- Systems that report impossible states ------------------------------------------------- */

static rt_status fake_start(void *state, rt_module_id executable, const rt_module_id *preloaded,
                            uint32_t preloaded_count, rt_system_events *out_events)
{
    (void)executable;
    (void)preloaded;
    (void)preloaded_count;
    for (const rt_system_event *event = state; event->module != RT_MODULE_NONE; event++)
        *rt_vector_push(out_events) = *event;
    return RT_STATUS_OK;
}

static void impossible_events_are_refused(void **state)
{
    fixture *f = *state;
    static const rt_system_operations operations = {.start = fake_start};
#define IMAGES                                                                                     \
    {                                                                                              \
        image_list, 1                                                                              \
    }
    static rt_system_event events[][4] = {
        {{RT_SYSTEM_LOADED, A, {0}}, {RT_SYSTEM_LOADED, A, {0}}, {.module = RT_MODULE_NONE}},
        {{RT_SYSTEM_REGISTERED, A, IMAGES}, {.module = RT_MODULE_NONE}},
        {{RT_SYSTEM_LOADED, A, {0}},
         {RT_SYSTEM_REGISTERED, A, IMAGES},
         {RT_SYSTEM_REGISTERED, A, IMAGES},
         {.module = RT_MODULE_NONE}},
        {{RT_SYSTEM_LOADED, A, {0}},
         {RT_SYSTEM_REGISTERED, A, IMAGES},
         {RT_SYSTEM_UNLOADED, A, {0}},
         {.module = RT_MODULE_NONE}},
        {{RT_SYSTEM_UNREGISTERED, A, {0}}, {.module = RT_MODULE_NONE}},
        {{RT_SYSTEM_UNLOADED, A, {0}}, {.module = RT_MODULE_NONE}},
    };
#undef IMAGES
    for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
        rt_loader loader;
        rt_loader_init(&loader, f->sink, &f->registry, modules, MODULES);
        loader.system = (rt_system){&operations, events[i]};
        rt_status status = rt_loader_start(&loader, APP, NULL, 0);
        assert_int_equal(status.code, RT_MALFORMED);
        rt_text message = rt_sink_diagnostic(f->sink, status)->message;
        assert_true(
            rt_text_starts(message, "the loader reports an impossible event for module 'a'"));
        rt_loader_free(&loader);
    }
}

/* A system that fails, with or without a module that was loaded before. */
static rt_status failing(fixture *f)
{
    return rt_fail(f->sink, RT_TOOL, RT_RULE_NONE, "ld.so has died");
}

static rt_status failing_start(void *state, rt_module_id executable, const rt_module_id *preloaded,
                               uint32_t preloaded_count, rt_system_events *out_events)
{
    (void)preloaded, (void)preloaded_count;
    *rt_vector_push(out_events) = (rt_system_event){.kind = RT_SYSTEM_LOADED, .module = executable};
    return failing(state);
}

static rt_status failing_open(void *state, rt_module_id module, rt_system_events *out_events)
{
    (void)module, (void)out_events;
    return failing(state);
}

static rt_status working_open(void *state, rt_module_id module, rt_system_events *out_events)
{
    (void)state;
    *rt_vector_push(out_events) = (rt_system_event){.kind = RT_SYSTEM_LOADED, .module = module};
    return RT_STATUS_OK;
}

static rt_status failing_binds(void *state, rt_module_id from, rt_text symbol,
                               rt_module_id *out_module)
{
    (void)from, (void)symbol;
    *out_module = RT_MODULE_NONE;
    return failing(state);
}

/* A failure reaches the caller, and what the system reported before it counts. */
static void a_system_may_fail(void **state)
{
    fixture *f = *state;
    static const rt_system_operations fails = {.start = failing_start,
                                               .open = failing_open,
                                               .close = failing_open,
                                               .binds = failing_binds},
                                      works = {.open = working_open, .close = failing_open};
    rt_loader loader;
    rt_module_id bound = A;
    rt_loader_init(&loader, f->sink, &f->registry, modules, MODULES);
    rt_loader_use(&loader, (rt_system){&fails, f});
    assert_int_equal(rt_loader_start(&loader, APP, NULL, 0).code, RT_TOOL);
    assert_true(loader.modules[APP].loaded);
    assert_int_equal(rt_loader_binds(&loader, APP, RT_TEXT("s"), &bound).code, RT_TOOL);
    assert_int_equal(bound, RT_MODULE_NONE);
    bound = A;
    assert_true(rt_ok(rt_loader_binds(&loader, B, RT_TEXT("s"), &bound))); /* it is not loaded */
    assert_int_equal(bound, RT_MODULE_NONE);
    assert_int_equal(rt_loader_open(&loader, A).code, RT_TOOL);
    assert_int_equal(rt_loader_close(&loader, A).code, RT_ERRC_INVALID); /* it is not open */
    rt_loader_use(&loader, (rt_system){&works, f});
    assert_true(rt_ok(rt_loader_open(&loader, A)));
    assert_true(loader.modules[A].loaded);
    assert_int_equal(rt_loader_close(&loader, A).code, RT_TOOL);
    /* The second time, it is loaded already. */
    assert_int_equal(rt_loader_open(&loader, A).code, RT_MALFORMED);
    rt_loader_free(&loader);
}

/* system.h: RT_MODULE_NONE if there is no definition. */
static void the_simulated_system_says_that_nothing_is_bound(void **state)
{
    fixture *f = *state;
    rt_module_id bound = A;
    assert_true(rt_ok(rt_loader_open(&f->loader, D))); /* before the program starts */
    assert_true(
        rt_ok(f->loader.system.operations->binds(f->loader.system.state, D, RT_TEXT("s"), &bound)));
    assert_int_equal(bound, RT_MODULE_NONE);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, fixture_close)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(needed_modules_register_first_and_once),
        TEST(a_module_is_described_before_it_is_loaded),
        TEST(opening_twice_loads_once_and_closing_twice_unloads),
        TEST(a_closed_module_stays_while_something_needs_it),
        TEST(a_cycle_is_loaded_once),
        TEST(an_opened_cycle_is_unloaded_as_a_whole),
        TEST(newer_releases_begin_with_the_closed_module),
        TEST(a_new_load_gives_new_ids),
        TEST(a_preloaded_module_is_constructed_before_the_executable_and_stays),
        TEST(an_image_is_loaded_once),
        TEST(impossible_events_are_refused),
        TEST(a_system_may_fail),
        TEST(the_simulated_system_says_that_nothing_is_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
