/* Unit tests of the program manager: building once, caching, refusing, unloading. */
#include "reference/program/test/fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const fixture_module modules[] = {
    {"main", "k1 k2", "f", NULL},
    {"library", "lk", NULL, "f"},
    {"alone", "solo", NULL, NULL},
    {"native", "nk", NULL, NULL, RT_FORMAT_SPIRV64_GEN},
};
enum { MAIN, LIBRARY, ALONE, NATIVE, MODULES };

static int set_up(void **state)
{
    *state = fixture_create(modules, MODULES, "");
    return 0;
}

static int tear_down(void **state)
{
    fixture_destroy(*state);
    return 0;
}

/* Asks for a kernel and gives it back at once. */
static rt_status ask(fixture *f, const char *kernel_name)
{
    rt_program *program;
    dev_kernel *kernel;
    rt_status status = rt_program_manager_kernel(f->manager, &f->device, rt_text_of(kernel_name),
                                                 &program, &kernel);
    assert_int_equal(rt_ok(status), kernel != NULL);
    rt_program_release(f->manager, program);
    return status;
}

static void linked_once_for_all_kernels_of_the_set(void **state)
{
    fixture *f = *state;
    rt_loader_open(&f->loader, LIBRARY);
    rt_loader_open(&f->loader, MAIN);
    assert_true(rt_ok(ask(f, "k1")));
    assert_true(rt_ok(ask(f, "k2")));
    assert_true(rt_ok(ask(f, "k1")));
    assert_true(rt_ok(ask(f, "lk")));
    assert_int_equal(f->counting->compiles, 2);
    assert_int_equal(f->counting->links_done, 1);
    assert_int_equal(f->counting->last_link_inputs, 2);
    assert_int_equal(f->counting->builds, 0);
    assert_int_equal(f->counting->kernels, 3);
    assert_int_equal(fixture_count(f, RT_EVENT_CACHE_HIT), 3);
}

static void a_self_contained_image_is_built_without_a_link(void **state)
{
    fixture *f = *state;
    rt_loader_open(&f->loader, ALONE);
    assert_true(rt_ok(ask(f, "solo")));
    assert_int_equal(f->counting->builds, 1);
    assert_int_equal(f->counting->links_done + f->counting->compiles, 0);
}

static void no_failure_is_cached(void **state)
{
    fixture *f = *state;
    rt_loader_open(&f->loader, MAIN);
    assert_int_equal(ask(f, "k1").code, RT_ERRC_BUILD); /* f is missing */
    rt_loader_open(&f->loader, LIBRARY);
    f->counting->fail_builds = true;
    assert_int_equal(ask(f, "k1").code, RT_ERRC_BUILD);
    f->counting->fail_builds = false;
    assert_true(rt_ok(ask(f, "k1")));
    assert_int_equal(fixture_count(f, RT_EVENT_BUILD), 1);
}

static void refusals_have_their_class(void **state)
{
    fixture *f = *state;
    assert_int_equal(ask(f, "k1").code, RT_ERRC_RUNTIME); /* nothing is loaded */
    rt_loader_open(&f->loader, NATIVE);
    assert_int_equal(ask(f, "nk").code, RT_ERRC_KERNEL_NOT_SUPPORTED);
}

static void a_refused_kernel_gets_a_hint(void **state)
{
    fixture *f = *state;
    rt_status status = ask(f, "solo");
    assert_non_null(strstr(rt_sink_diagnostic(f->sink, status)->message.data,
                           "module 'alone' has it and is not loaded"));
    rt_loader_open(&f->loader, ALONE);
    status = ask(f, "slo");
    assert_non_null(
        strstr(rt_sink_diagnostic(f->sink, status)->message.data, "did you mean 'solo'?"));
}

static void a_device_that_does_not_link_is_asked_for_nothing(void **state)
{
    (void)state;
    fixture *f = fixture_create(modules, MODULES, "unlinked");
    rt_loader_open(&f->loader, LIBRARY);
    rt_loader_open(&f->loader, MAIN);
    rt_loader_open(&f->loader, ALONE);
    rt_status status = ask(f, "k1");
    assert_int_equal(status.code, RT_ERRC_FEATURE_NOT_SUPPORTED);
    assert_int_equal(status.rule, RT_RULE_DL_BACKEND_06);
    assert_int_equal(f->counting->compiles, 0);
    assert_true(rt_ok(ask(f, "solo")));
    fixture_destroy(f);
}

static void unloading_drops_programs_and_running_ones_live_on(void **state)
{
    fixture *f = *state;
    rt_loader_open(&f->loader, LIBRARY);
    rt_loader_open(&f->loader, MAIN);
    rt_program *running;
    dev_kernel *kernel;
    assert_true(
        rt_ok(rt_program_manager_kernel(f->manager, &f->device, RT_TEXT("k1"), &running, &kernel)));
    assert_true(rt_ok(rt_loader_close(&f->loader, LIBRARY)));
    assert_int_equal(fixture_count(f, RT_EVENT_RELEASE), 0);
    assert_int_equal(ask(f, "k1").code, RT_ERRC_BUILD);
    rt_loader_open(&f->loader, LIBRARY);
    assert_true(rt_ok(ask(f, "k1")));
    assert_int_equal(f->counting->links_done, 2);
    rt_program_release(f->manager, running);
    assert_int_equal(fixture_count(f, RT_EVENT_RELEASE), 1);
}

typedef struct asker {
    fixture *f;
    const char *kernel;
    rt_status status;
} asker;

static void *ask_in_thread(void *user)
{
    asker *a = user;
    rt_program *program;
    dev_kernel *kernel;
    a->status = rt_program_manager_kernel(a->f->manager, &a->f->device, rt_text_of(a->kernel),
                                          &program, &kernel);
    rt_program_release(a->f->manager, program);
    return NULL;
}

static void threads_that_want_the_same_program_build_it_once(void **state)
{
    fixture *f = *state;
    enum { THREADS = 8 };
    f->counting->build_delay_us = 20000;
    rt_loader_open(&f->loader, LIBRARY);
    rt_loader_open(&f->loader, MAIN);
    pthread_t threads[THREADS];
    asker askers[THREADS];
    for (uint32_t i = 0; i < THREADS; i++) {
        askers[i] = (asker){.f = f, .kernel = i % 2 ? "k1" : "k2"};
        assert_int_equal(pthread_create(&threads[i], NULL, ask_in_thread, &askers[i]), 0);
    }
    for (uint32_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (uint32_t i = 0; i < THREADS; i++)
        assert_true(rt_ok(askers[i].status));
    assert_int_equal(f->counting->links_done, 1);
    assert_int_equal(fixture_count(f, RT_EVENT_BUILD), 1);
    assert_int_equal(fixture_count(f, RT_EVENT_CACHE_HIT), THREADS - 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(linked_once_for_all_kernels_of_the_set),
        TEST(a_self_contained_image_is_built_without_a_link),
        TEST(no_failure_is_cached),
        TEST(refusals_have_their_class),
        TEST(a_refused_kernel_gets_a_hint),
        cmocka_unit_test(a_device_that_does_not_link_is_asked_for_nothing),
        TEST(unloading_drops_programs_and_running_ones_live_on),
        TEST(threads_that_want_the_same_program_build_it_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
