/* Unit tests of submission: dependencies, moves of content, failures. */
#include "reference/sched/test/scheduler.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

typedef struct world {
    fixture *f;
    rt_scheduler *scheduler;
    rt_queue_id queue, in_order;
    rt_memory *a, *b, *undefined;
} world;

static rt_memory *make_memory(world *w, uint32_t id, const void *initial)
{
    rt_memory *memory = NULL;
    assert_true(rt_ok(rt_memory_create(w->f->sink, id, RT_TEXT("memory"), 4, initial, &memory)));
    return memory;
}

static int set_up(void **state)
{
    world *w = rt_alloc(sizeof *w);
    w->scheduler = scheduler_create(&w->f);
    w->queue = queue_create(w->scheduler, &w->f->device, false);
    w->in_order = queue_create(w->scheduler, &w->f->device, true);
    w->a = make_memory(w, 0, "aaaa");
    w->b = make_memory(w, 1, "bbbb");
    w->undefined = make_memory(w, 2, NULL);
    *state = w;
    return 0;
}

static int tear_down(void **state)
{
    world *w = *state;
    rt_scheduler_destroy(w->scheduler);
    rt_memory_destroy(w->a);
    rt_memory_destroy(w->b);
    rt_memory_destroy(w->undefined);
    fixture_destroy(w->f);
    rt_free(w);
    return 0;
}

static rt_status launch(world *w, rt_queue_id queue, rt_memory *first, rt_access first_access,
                        rt_memory *second, rt_access second_access, rt_command_id *out_command)
{
    const rt_argument arguments[] = {
        {.kind = RT_ARGUMENT_MEMORY, .memory = first, .access = first_access},
        {.kind = RT_ARGUMENT_MEMORY, .memory = second, .access = second_access},
    };
    const rt_launch request = {
        .kernel = RT_TEXT("k"),
        .range = {.dimensions = 1, .global = {4, 1, 1}},
        .arguments = arguments,
        .argument_count = 2,
    };
    return rt_scheduler_launch(w->scheduler, queue, &request, out_command);
}

/* The `after` list of the newest launch, as "0 1". */
static const char *last_after(world *w)
{
    return fixture_newest(w->f, RT_EVENT_LAUNCH, "after");
}

static void readers_do_not_wait_for_each_other_but_writers_wait_for_all(void **state)
{
    world *w = *state;
    rt_command_id command;
    assert_true(rt_ok(launch(w, w->queue, w->a, RT_ACCESS_READ, w->b, RT_ACCESS_READ, &command)));
    assert_int_equal(command, 2); /* after the uploads of a and b */
    assert_string_equal(last_after(w), "0 1");
    assert_true(rt_ok(launch(w, w->queue, w->a, RT_ACCESS_READ, w->b, RT_ACCESS_READ, &command)));
    assert_string_equal(last_after(w), "0 1");
    assert_true(rt_ok(launch(w, w->queue, w->a, RT_ACCESS_WRITE, w->b, RT_ACCESS_READ, &command)));
    assert_string_equal(last_after(w), "0 2 3 1");
    assert_true(rt_ok(launch(w, w->queue, w->a, RT_ACCESS_READ, w->b, RT_ACCESS_READ, &command)));
    assert_string_equal(last_after(w), "4 1");
    assert_int_equal(w->f->counting->writes, 2);
}

static void the_same_memory_twice_does_not_wait_for_itself(void **state)
{
    world *w = *state;
    rt_command_id command;
    assert_true(
        rt_ok(launch(w, w->queue, w->a, RT_ACCESS_READ, w->a, RT_ACCESS_READ_WRITE, &command)));
    assert_string_equal(last_after(w), "0");
    assert_true(rt_ok(rt_scheduler_wait(w->scheduler)));
}

static void an_in_order_queue_orders_by_itself(void **state)
{
    world *w = *state;
    rt_command_id command;
    assert_true(rt_ok(launch(w, w->in_order, w->undefined, RT_ACCESS_READ, w->undefined,
                             RT_ACCESS_READ, &command)));
    assert_string_equal(last_after(w), "");
    assert_true(rt_ok(launch(w, w->in_order, w->undefined, RT_ACCESS_READ, w->undefined,
                             RT_ACCESS_READ, &command)));
    assert_string_equal(last_after(w), "0");
    assert_int_equal(w->f->counting->writes, 0); /* Undefined contents are not moved. */
    /* A move of content in between (command 2) does not relax the order of launches. */
    assert_true(rt_ok(
        launch(w, w->in_order, w->a, RT_ACCESS_READ, w->undefined, RT_ACCESS_READ, &command)));
    assert_string_equal(last_after(w), "1 2");
}

static void host_reads_happen_once_per_change(void **state)
{
    world *w = *state;
    rt_command_id command;
    assert_true(rt_ok(rt_scheduler_host_read(w->scheduler, w->a)));
    assert_int_equal(w->f->counting->reads, 0);
    assert_true(rt_ok(launch(w, w->queue, w->a, RT_ACCESS_WRITE, w->b, RT_ACCESS_READ, &command)));
    assert_true(rt_ok(rt_scheduler_host_read(w->scheduler, w->a)));
    assert_true(rt_ok(rt_scheduler_host_read(w->scheduler, w->a)));
    assert_true(rt_ok(rt_scheduler_host_read(w->scheduler, w->b)));
    assert_int_equal(w->f->counting->reads, 1);
    assert_memory_equal(w->a->host, "aaaa", 4);
}

static void a_wrong_argument_count_is_refused_and_leaves_nothing(void **state)
{
    world *w = *state;
    rt_command_id command;
    rt_launch request = {.kernel = RT_TEXT("k"), .range = {.dimensions = 1, .global = {1, 1, 1}}};
    rt_status status = rt_scheduler_launch(w->scheduler, w->queue, &request, &command);
    assert_int_equal(status.code, RT_ERRC_KERNEL_ARGUMENT);
    assert_int_equal(w->f->counting->launches, 0);
    assert_true(rt_ok(rt_scheduler_wait(w->scheduler)));
}

static void a_refused_launch_is_not_a_command(void **state)
{
    world *w = *state;
    rt_command_id command;
    w->f->counting->fail_kernels = true;
    assert_int_equal(
        launch(w, w->queue, w->a, RT_ACCESS_WRITE, w->b, RT_ACCESS_READ, &command).code,
        RT_ERRC_ND_RANGE);
    w->f->counting->fail_kernels = false;
    assert_true(rt_ok(launch(w, w->queue, w->a, RT_ACCESS_READ, w->b, RT_ACCESS_READ, &command)));
    assert_string_equal(last_after(w), "0 1");
}

static void a_failure_is_reported_where_it_began_and_once_by_wait(void **state)
{
    world *w = *state;
    rt_command_id command;
    w->f->counting->fail_waits = true;
    assert_true(rt_ok(launch(w, w->queue, w->a, RT_ACCESS_WRITE, w->b, RT_ACCESS_READ, &command)));
    w->f->counting->fail_waits = false;
    assert_int_equal(rt_scheduler_host_read(w->scheduler, w->a).code, RT_DRIVER_ERROR);
    assert_true(rt_ok(rt_scheduler_host_read(w->scheduler, w->b)));
    assert_true(rt_ok(rt_scheduler_wait(w->scheduler)));
    assert_true(rt_ok(rt_scheduler_wait_command(w->scheduler, command)));
    for (unsigned i = 0; i < 2; i++)
        assert_int_equal(rt_scheduler_command_result(w->scheduler, command).code, RT_DRIVER_ERROR);
}

static void a_result_that_was_returned_is_no_news_for_a_wait(void **state)
{
    world *w = *state;
    rt_command_id command;
    w->f->counting->fail_waits = true;
    assert_true(rt_ok(launch(w, w->queue, w->a, RT_ACCESS_WRITE, w->b, RT_ACCESS_READ, &command)));
    w->f->counting->fail_waits = false;
    assert_int_equal(rt_scheduler_command_result(w->scheduler, command).code, RT_DRIVER_ERROR);
    assert_true(rt_ok(rt_scheduler_wait_queue(w->scheduler, w->queue)));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(readers_do_not_wait_for_each_other_but_writers_wait_for_all),
        TEST(the_same_memory_twice_does_not_wait_for_itself),
        TEST(an_in_order_queue_orders_by_itself),
        TEST(host_reads_happen_once_per_change),
        TEST(a_wrong_argument_count_is_refused_and_leaves_nothing),
        TEST(a_refused_launch_is_not_a_command),
        TEST(a_failure_is_reported_where_it_began_and_once_by_wait),
        TEST(a_result_that_was_returned_is_no_news_for_a_wait),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
