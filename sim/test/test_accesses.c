/* Tests what a launch reports of the bytes that it accessed, and who wrote a byte last.  Expected
 * values follow from the kernels. */
#include "sim/test/harness.h"

#define INTS 64u

typedef struct access_log {
    sim_accessed items[16];
    uint32_t count;
} access_log;

static void accessed_log(void *user, const sim_accessed *accessed)
{
    access_log *log = user;
    assert_true(log->count < 16);
    log->items[log->count++] = *accessed;
}

typedef struct setup {
    harness h;
    sim_object a, b;
} setup;

static setup setup_make(void)
{
    static const int32_t zeros[INTS];
    setup s = {.h = harness_open_file("accesses", 2, sim_engine_best())};
    s.a = harness_memory(&s.h, "a", zeros, sizeof zeros);
    s.b = harness_memory(&s.h, "b", zeros, sizeof zeros);
    return s;
}

static void launch_with(setup *s, const char *kernel, uint64_t global, uint64_t local,
                        const sim_launch_options *options, sim_object a, sim_object b)
{
    const sim_argument arguments[] = {harness_global(a), harness_global(b)};
    const sim_range range = harness_range(global, local);
    const sim_kernel *found = sim_program_kernel(s->h.program, rt_text_of(kernel));
    assert_non_null(found);
    assert_true(rt_ok(sim_launch(s->h.world, found, &range, arguments, 2, options)));
}

static void launch(setup *s, const char *kernel, uint64_t global, uint64_t local,
                   const sim_launch_options *options)
{
    launch_with(s, kernel, global, local, options, s->a, s->b);
}

static sim_object window_make(setup *s, uint64_t element, uint64_t count)
{
    sim_object window;
    assert_true(rt_ok(sim_object_create_window(s->h.world, s->a, 4 * element, 4 * count,
                                               RT_TEXT("window"), &window)));
    return window;
}

static void expect_access(const sim_accessed *found, sim_object object, uint64_t offset,
                          uint64_t size, bool is_write, bool is_atomic)
{
    assert_int_equal(found->object, object);
    assert_int_equal(found->offset, offset);
    assert_int_equal(found->size, size);
    assert_int_equal(found->is_write, is_write);
    assert_int_equal(found->is_atomic, is_atomic);
}

/* An earlier launch's accesses do not count, nor does memory that is only an argument. */
static void ranges_are_those_of_the_launch(void **state)
{
    (void)state;
    setup s = setup_make();
    access_log log = {0};
    const sim_launch_options options = {.on_accessed = accessed_log, .user = &log};
    launch(&s, "reversed", INTS, 16, NULL);
    launch(&s, "shifted", 8, 4, &options);
    assert_int_equal(log.count, 2);
    expect_access(&log.items[0], s.a, 8, 32, true, false);
    expect_access(&log.items[1], s.b, 4, 32, false, false);
    log.count = 0;
    launch(&s, "scattered", 4, 2, &options);
    assert_int_equal(log.count, 4);
    for (uint32_t i = 0; i < 4; i++)
        expect_access(&log.items[i], s.a, 8 * i + 1, 1, true, false);
    log.count = 0;
    launch(&s, "counted", 8, 4, &options);
    assert_int_equal(log.count, 1);
    expect_access(&log.items[0], s.a, 12, 4, true, true);
    log.count = 0;
    launch(&s, "once", 1, 1, &options); /* one work-item cannot race, and is recorded still */
    assert_int_equal(log.count, 1);
    expect_access(&log.items[0], s.a, 20, 4, true, false);
    harness_close(&s.h);
}

/* Windows of the same object may overlap each other and the object. */
static void ranges_of_a_window_are_those_of_its_object(void **state)
{
    (void)state;
    setup s = setup_make();
    access_log log = {0};
    const sim_launch_options options = {.on_accessed = accessed_log, .user = &log};
    sim_object low = window_make(&s, 8, 8), high = window_make(&s, 12, 8);
    launch_with(&s, "shifted", 4, 4, &options, high, low);
    assert_int_equal(log.count, 2);
    expect_access(&log.items[0], s.a, 4 * 9, 16, false, false);
    expect_access(&log.items[1], s.a, 4 * 14, 16, true, false);
    log.count = 0;
    launch_with(&s, "shifted", 4, 4, &options, low, s.a);
    assert_int_equal(log.count, 2);
    expect_access(&log.items[0], s.a, 4, 16, false, false);
    expect_access(&log.items[1], s.a, 4 * 10, 16, true, false);
    harness_close(&s.h);
}

static void expect_writer(setup *s, uint32_t element, const char *kernel, uint64_t item)
{
    sim_writer writer;
    bool is_known = sim_object_writer(s->h.world, s->a, 4 * element, &writer);
    assert_int_equal(is_known, kernel != NULL);
    if (!is_known) return;
    assert_true(rt_text_is(writer.kernel, kernel));
    assert_false(writer.is_copy);
    assert_int_equal(writer.work_item[0], item);
    assert_int_equal(writer.work_item[1], 0);
}

static void the_last_writer_of_an_element_is_known(void **state)
{
    (void)state;
    for (uint32_t threads = 1; threads <= 2; threads++) {
        setup s = setup_make();
        const int32_t seven = 7;
        sim_world_keep_writers(s.h.world);
        sim_world_use_threads(s.h.world, threads);
        expect_writer(&s, 0, NULL, 0);
        launch(&s, "reversed", INTS, 16, NULL);
        /* Of groups that ran on several threads it is not known. */
        expect_writer(&s, 0, threads == 1 ? "reversed" : NULL, INTS - 1);
        launch(&s, "reversed", 32, 32, NULL);
        launch(&s, "once", 1, 1, NULL);
        sim_object_write(s.h.world, s.a, 4 * 7, 4, &seven);
        sim_object_copy(s.h.world, s.b, 0, s.a, 4 * 8, 4);
        expect_writer(&s, 4, "reversed", 27);
        expect_writer(&s, 5, "once", 0);
        expect_writer(&s, 6, "reversed", 25);
        expect_writer(&s, 7, NULL, 0);
        expect_writer(&s, 8, NULL, 0);
        expect_writer(&s, 9, "reversed", 22);
        assert_false(sim_object_took_undefined(s.h.world, s.a));
        sim_object unwritten = 0;
        assert_true(
            rt_ok(sim_object_create(s.h.world, 4 * INTS, RT_TEXT("unwritten"), &unwritten)));
        sim_object_copy(s.h.world, unwritten, 0, s.a, 0, 4);
        assert_true(sim_object_took_undefined(s.h.world, s.a));
        harness_close(&s.h);
    }
}

/* Also if the launch records single bytes, and if it was compiled and recorded nothing. */
static void stores_through_a_window_have_a_writer(void **state)
{
    (void)state;
    setup s = setup_make();
    const int32_t seven = 7;
    sim_world_keep_writers(s.h.world);
    sim_object window = window_make(&s, 32, 8);
    launch_with(&s, "once", 1, 1, NULL, window, s.b);
    expect_writer(&s, 36, NULL, 0);
    expect_writer(&s, 37, "once", 0); /* although nothing has stored to the object itself */
    launch(&s, "reversed", INTS, 16, NULL);
    launch_with(&s, "reversed", 4, 2, NULL, window, s.b);
    expect_writer(&s, 31, "reversed", 32);
    expect_writer(&s, 32, "reversed", 3);
    expect_writer(&s, 35, "reversed", 0);
    expect_writer(&s, 36, "reversed", 27);
    launch_with(&s, "scattered", 2, 2, NULL, window, s.b);
    expect_writer(&s, 32, "reversed", 3); /* its first byte; "scattered" stored the second */
    sim_writer writer;
    assert_true(sim_object_writer(s.h.world, s.a, 4 * 34 + 1, &writer));
    assert_true(rt_text_is(writer.kernel, "scattered"));
    assert_int_equal(writer.work_item[0], 1);
    launch(&s, "reversed", INTS, 16, NULL);
    expect_writer(&s, 32, "reversed", 31);
    launch_with(&s, "once", 1, 1, NULL, window, s.b);
    sim_object_write(s.h.world, s.a, 4 * 32, 4, &seven);
    expect_writer(&s, 32, NULL, 0);
    expect_writer(&s, 37, "once", 0);
    if (harness_compile(&s.h)) {
        launch_with(&s, "reversed", 8, 8, NULL, window, s.b);
        assert_int_equal(sim_world_tier_report(s.h.world).compiled, 1);
        expect_writer(&s, 31, "reversed", 32);
        expect_writer(&s, 37, NULL, 0);
        expect_writer(&s, 40, "reversed", 23);
    }
    harness_close(&s.h);
}

/* Also in groups of several sizes, and with an offset. */
static void writers_have_three_dimensions(void **state)
{
    (void)state;
    setup s = setup_make();
    sim_world_keep_writers(s.h.world);
    const sim_range range = {.global = {5, 3, 4},
                             .local = {2, 2, 3},
                             .offset = {100, 20, 3},
                             .dimensions = 3,
                             .is_non_uniform = true};
    const sim_argument arguments[] = {harness_global(s.a), harness_global(s.b)};
    const sim_kernel *placed = sim_program_kernel(s.h.program, RT_TEXT("placed"));
    for (uint32_t launches = 0; launches < 2; launches++) {
        assert_true(rt_ok(sim_launch(s.h.world, placed, &range, arguments, 2, NULL)));
        for (uint32_t i = 0; i < 60; i++) {
            sim_writer writer;
            assert_true(sim_object_writer(s.h.world, s.a, 4 * i, &writer));
            assert_true(rt_text_is(writer.kernel, "placed"));
            assert_int_equal(writer.work_item[0], 100 + i % 5);
            assert_int_equal(writer.work_item[1], 20 + i / 5 % 3);
            assert_int_equal(writer.work_item[2], 3 + i / 15);
            assert_false(writer.is_copy);
        }
    }
    expect_writer(&s, 60, NULL, 0);
    harness_close(&s.h);
}

static void writers_are_copies_and_atomics_too(void **state)
{
    (void)state;
    setup s = setup_make();
    sim_writer writer;
    sim_world_keep_writers(s.h.world);
    launch(&s, "copied", 4, 4, NULL);
    for (uint32_t i = 4; i < 8; i++) {
        assert_true(sim_object_writer(s.h.world, s.a, 4 * i, &writer));
        assert_true(rt_text_is(writer.kernel, "copied"));
        assert_true(writer.is_copy);
        assert_int_equal(writer.work_item[0], 0);
    }
    expect_writer(&s, 3, NULL, 0);
    expect_writer(&s, 8, NULL, 0);
    /* Of a plain store and an atomic operation the later one counts. */
    launch(&s, "reversed", 4, 2, NULL);
    expect_writer(&s, 3, "reversed", 0);
    launch(&s, "counted", 1, 1, NULL);
    expect_writer(&s, 3, "counted", 0);
    launch(&s, "reversed", 4, 2, NULL);
    expect_writer(&s, 3, "reversed", 0);
    assert_false(sim_object_writer(s.h.world, s.b, 0, &writer));
    /* What the host changes has no writer, whichever kind of store it was. */
    const int32_t seven = 7;
    launch(&s, "reversed", INTS, 16, NULL);
    launch(&s, "counted", 1, 1, NULL);
    sim_object_write(s.h.world, s.a, 4 * 3, 4, &seven);
    expect_writer(&s, 2, "reversed", INTS - 3);
    expect_writer(&s, 3, NULL, 0);
    expect_writer(&s, 4, "reversed", INTS - 5);
    sim_object_undefine(s.h.world, s.a, 4 * 6, 8);
    expect_writer(&s, 5, "reversed", INTS - 6);
    expect_writer(&s, 6, NULL, 0);
    expect_writer(&s, 7, NULL, 0);
    expect_writer(&s, 8, "reversed", INTS - 9);
    harness_close(&s.h);
}

/* A launch that records nothing only changes what it may write. */
static void writers_of_other_memory_stay(void **state)
{
    (void)state;
    setup s = setup_make();
    sim_writer writer;
    sim_world_keep_writers(s.h.world);
    sim_world_use_threads(s.h.world, 2);
    launch(&s, "reversed", 32, 32, NULL);
    launch_with(&s, "reversed", INTS, 16, NULL, s.b, s.a);
    expect_writer(&s, 0, "reversed", 31);
    assert_false(sim_object_writer(s.h.world, s.b, 0, &writer));
    launch_with(&s, "reversed", 32, 32, NULL, s.b, s.a);
    launch(&s, "reversed", INTS, 16, NULL);
    expect_writer(&s, 0, NULL, 0);
    assert_true(sim_object_writer(s.h.world, s.b, 4, &writer));
    assert_int_equal(writer.work_item[0], 30);
    harness_close(&s.h);
}

/* Of many launches the older half is forgotten. */
static void writers_of_old_launches_are_forgotten(void **state)
{
    (void)state;
    enum { KEPT = 4096 };
    setup s = setup_make();
    sim_world_keep_writers(s.h.world);
    launch(&s, "once", 1, 1, NULL);
    for (uint32_t i = 1; i < KEPT; i++) {
        if (i == KEPT / 2 + 1)
            launch(&s, "shifted", 1, 1, NULL);
        else
            launch(&s, "counted", 1, 1, NULL);
    }
    expect_writer(&s, 5, "once", 0);
    launch(&s, "reversed", 1, 1, NULL);
    expect_writer(&s, 5, NULL, 0);
    expect_writer(&s, 2, "shifted", 0); /* the first that is not forgotten */
    expect_writer(&s, 0, "reversed", 0);
    harness_close(&s.h);
}

/* When stamps run out, what is known of earlier launches is dropped, and nothing is invented. */
static void writers_are_forgotten_when_stamps_run_out(void **state)
{
    (void)state;
    setup s = setup_make();
    sim_world_keep_writers(s.h.world);
    s.h.world->race_limit = 300;
    for (uint32_t i = 0; i < 8; i++) {
        launch(&s, "reversed", INTS, 16, NULL);
        launch(&s, "once", 1, 1, NULL);
        expect_writer(&s, 5, "once", 0);
    }
    harness_close(&s.h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges_are_those_of_the_launch),
        cmocka_unit_test(ranges_of_a_window_are_those_of_its_object),
        cmocka_unit_test(the_last_writer_of_an_element_is_known),
        cmocka_unit_test(stores_through_a_window_have_a_writer),
        cmocka_unit_test(writers_have_three_dimensions),
        cmocka_unit_test(writers_are_copies_and_atomics_too),
        cmocka_unit_test(writers_of_other_memory_stay),
        cmocka_unit_test(writers_of_old_launches_are_forgotten),
        cmocka_unit_test(writers_are_forgotten_when_stamps_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
