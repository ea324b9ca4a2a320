/* Unit tests of the program manager with several threads: builds, failures, and modules that are
 * loaded and unloaded meanwhile.  Also meant to be run under ThreadSanitizer
 * (-DASSAY_SANITIZE=thread).
 */
#include "reference/program/test/fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <unistd.h>

#include <cmocka.h>

static const fixture_module modules[] = {
    {"main", "k1 k2", "f", NULL},
    {"library", "lk", "g", "f"},
    {"deeper", NULL, NULL, "g"},
};
enum { MAIN, LIBRARY, DEEPER, MODULES, THREADS = 8 };

static int set_up(void **state)
{
    fixture *f = fixture_create(modules, MODULES, "");
    rt_loader_open(&f->loader, MAIN);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    fixture_destroy(*state);
    return 0;
}

static void open_libraries(fixture *f)
{
    rt_loader_open(&f->loader, DEEPER);
    rt_loader_open(&f->loader, LIBRARY);
}

static void close_module(fixture *f, rt_module_id module)
{
    assert_true(rt_ok(rt_loader_close(&f->loader, module)));
}

typedef struct asker {
    fixture *f;
    const char *kernel;
    uint32_t rounds;
    uint32_t served, unresolved, absent, other; /* number of rounds with each outcome */
} asker;

static void *ask_often(void *user)
{
    asker *a = user;
    for (uint32_t i = 0; i < a->rounds; i++) {
        rt_status status = fixture_ask(a->f, a->kernel);
        a->served += rt_ok(status);
        a->unresolved += status.code == RT_ERRC_BUILD;
        a->absent += status.code == RT_ERRC_RUNTIME;
    }
    a->other = a->rounds - a->served - a->unresolved - a->absent;
    return NULL;
}

static void start(pthread_t *threads, asker *askers, fixture *f, uint32_t rounds)
{
    static const char *const kernels[] = {"k1", "k2", "lk"};
    for (uint32_t i = 0; i < THREADS; i++) {
        askers[i] = (asker){.f = f, .kernel = kernels[i % 3], .rounds = rounds};
        assert_int_equal(pthread_create(&threads[i], NULL, ask_often, &askers[i]), 0);
    }
}

static void join(pthread_t *threads)
{
    for (uint32_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

/* The application's kernels share a program, which also has the library's kernel unless that was
 * requested first.  So there are at most two programs, no matter how many threads ask. */
static void one_thread_builds_and_the_others_wait(void **state)
{
    fixture *f = *state;
    pthread_t threads[THREADS];
    asker askers[THREADS];
    f->counting->build_delay_us = 10000;
    open_libraries(f);
    start(threads, askers, f, 4);
    join(threads);
    for (uint32_t i = 0; i < THREADS; i++)
        assert_int_equal(askers[i].served, 4);
    uint32_t builds = fixture_count(f, RT_EVENT_BUILD);
    assert_in_range(builds, 1, 2);
    assert_int_equal(f->counting->links_done, builds);
    assert_int_equal(fixture_count(f, RT_EVENT_CACHE_HIT), THREADS * 4 - builds);
}

/* A thread that waited for a failed build tries again and fails in its own attempt. */
static void no_failure_of_a_build_is_shared(void **state)
{
    fixture *f = *state;
    pthread_t threads[THREADS];
    asker askers[THREADS];
    f->counting->build_delay_us = 2000;
    f->counting->fail_builds = true;
    open_libraries(f);
    start(threads, askers, f, 2);
    join(threads);
    for (uint32_t i = 0; i < THREADS; i++)
        assert_int_equal(askers[i].unresolved, 2); /* the same error code: errc::build */
    assert_int_equal(f->counting->compiles, THREADS * 2);
    assert_int_equal(fixture_count(f, RT_EVENT_CACHE_STORE), 0);
    f->counting->fail_builds = false;
    assert_true(rt_ok(fixture_ask(f, "k1")));
}

static void no_failure_of_resolution_is_shared(void **state)
{
    fixture *f = *state;
    pthread_t threads[THREADS];
    asker askers[THREADS];
    rt_loader_open(&f->loader, LIBRARY); /* g is missing */
    start(threads, askers, f, 3);
    join(threads);
    for (uint32_t i = 0; i < THREADS; i++)
        assert_int_equal(askers[i].unresolved, 3);
    assert_int_equal(f->counting->compiles, 0);
    rt_loader_open(&f->loader, DEEPER);
    assert_true(rt_ok(fixture_ask(f, "k2")));
}

/* Regardless of the order of events, a launch either gets a program linked from registered images
 * or is refused. */
static void modules_are_loaded_and_unloaded_during_launches(void **state)
{
    fixture *f = *state;
    pthread_t threads[THREADS];
    asker askers[THREADS];
    f->counting->build_delay_us = 200;
    start(threads, askers, f, 60);
    for (uint32_t i = 0; i < 30; i++) {
        open_libraries(f);
        usleep(500);
        close_module(f, i % 2 ? LIBRARY : DEEPER);
        usleep(200);
        close_module(f, i % 2 ? DEEPER : LIBRARY);
    }
    join(threads);
    for (uint32_t i = 0; i < THREADS; i++)
        assert_int_equal(askers[i].other, 0);
    /* Nothing remains: a kernel that was served before is now refused. */
    assert_int_equal(fixture_ask(f, "k1").code, RT_ERRC_BUILD);
    assert_int_equal(fixture_ask(f, "lk").code, RT_ERRC_RUNTIME);
    open_libraries(f);
    assert_true(rt_ok(fixture_ask(f, "k1")));
}

/* The library is unloaded while a program that contains it is being built: the launch that
 * requested the program gets it, but no later launch does. */
static void a_program_of_an_unloaded_image_is_not_cached(void **state)
{
    fixture *f = *state;
    f->counting->build_delay_us = 30000;
    open_libraries(f);
    asker first = {.f = f, .kernel = "k1", .rounds = 1};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, ask_often, &first), 0);
    while (fixture_count(f, RT_EVENT_CREATE) == 0)
        usleep(100);
    close_module(f, LIBRARY);
    pthread_join(thread, NULL);
    assert_int_equal(first.served, 1);
    assert_int_equal(fixture_count(f, RT_EVENT_CACHE_STORE), 0);
    assert_int_equal(fixture_ask(f, "k1").code, RT_ERRC_BUILD);
}

/* A reloaded library's images are at the same addresses, but they are new registrations, so each
 * reload needs a new build. */
static void an_address_may_be_reused_by_another_image(void **state)
{
    fixture *f = *state;
    enum { ROUNDS = 20 };
    for (uint32_t i = 0; i < ROUNDS; i++) {
        open_libraries(f);
        assert_true(rt_ok(fixture_ask(f, "k1")));
        assert_true(rt_ok(fixture_ask(f, "lk")));
        assert_int_equal(f->counting->links_done, i + 1);
        close_module(f, LIBRARY);
        close_module(f, DEEPER);
    }
    assert_int_equal(f->manager->programs_alive, 0);
    assert_int_equal(f->manager->tables.sets.count, MODULES); /* a combination keeps its id */
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(one_thread_builds_and_the_others_wait),
        TEST(no_failure_of_a_build_is_shared),
        TEST(no_failure_of_resolution_is_shared),
        TEST(modules_are_loaded_and_unloaded_during_launches),
        TEST(a_program_of_an_unloaded_image_is_not_cached),
        TEST(an_address_may_be_reused_by_another_image),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
