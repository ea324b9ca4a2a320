/* Unit tests of the times of commands.  On the counting device, command n is submitted at 10 n,
 * starts at 10 n + 3 and ends at 10 n + 5. */
#include "reference/sched/sched_internal.h"
#include "reference/sched/test/scheduler.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

typedef struct world {
    fixture *f;
    rt_scheduler *scheduler;
    rt_queue_id queue, plain; /* the first records times */
    rt_memory *a;
} world;

static int set_up(void **state)
{
    world *w = rt_alloc(sizeof *w);
    w->scheduler = scheduler_create(&w->f);
    w->queue = queue_create(w->scheduler, &w->f->device, false);
    w->plain = queue_create(w->scheduler, &w->f->device, false);
    assert_true(rt_ok(rt_scheduler_queue_enable_profiling(w->scheduler, w->queue)));
    rt_scheduler_queue_enable_fusion(w->scheduler, w->queue);
    assert_true(rt_ok(rt_memory_create(w->f->sink, 0, RT_TEXT("a"), 4, "1234", &w->a)));
    *state = w;
    return 0;
}

static int tear_down(void **state)
{
    world *w = *state;
    rt_scheduler_destroy(w->scheduler);
    rt_memory_destroy(w->a);
    fixture_destroy(w->f);
    rt_free(w);
    return 0;
}

static rt_command_id launch(world *w, rt_queue_id queue)
{
    const rt_argument argument = {
        .kind = RT_ARGUMENT_MEMORY, .memory = w->a, .access = RT_ACCESS_READ_WRITE};
    const rt_argument arguments[] = {argument, argument};
    const rt_launch request = {.kernel = RT_TEXT("k"),
                               .range = {.dimensions = 1, .global = {4, 1, 1}},
                               .arguments = arguments,
                               .argument_count = 2};
    rt_command_id command;
    assert_true(rt_ok(rt_scheduler_launch(w->scheduler, queue, &request, &command)));
    return command;
}

static dev_times times_of(world *w, rt_command_id command)
{
    dev_times times;
    assert_true(rt_ok(rt_scheduler_times(w->scheduler, command, &times)));
    return times;
}

static void refuses(world *w, rt_command_id command, const char *part)
{
    dev_times times;
    rt_status status = rt_scheduler_times(w->scheduler, command, &times);
    assert_int_equal(status.code, RT_ERRC_INVALID);
    assert_non_null(strstr(rt_sink_diagnostic(w->f->sink, status)->message.data, part));
}

static void a_command_has_its_devices_times(void **state)
{
    world *w = *state;
    rt_command_id command = launch(w, w->queue);
    dev_times times = times_of(w, command);
    assert_int_equal(times.submit, 10 * command);
    assert_int_equal(times.start, 10 * command + 3);
    assert_int_equal(times.end, 10 * command + 5);
}

static void a_queue_without_the_property_keeps_none(void **state)
{
    world *w = *state;
    refuses(w, launch(w, w->plain), "enable_profiling");
}

/* The query waits, which ends the fusion; the fusion's event represents both kernels. */
static void a_fusion_lasts_from_its_first_kernel_to_its_last(void **state)
{
    world *w = *state;
    assert_true(rt_ok(rt_fusion_command_start(w->scheduler, w->queue)));
    rt_command_id event = launch(w, w->queue);
    assert_int_equal(launch(w, w->queue), event);
    const rt_fusion_command *fusion = w->scheduler->queues.items[w->queue].fusion;
    assert_int_equal(fusion->kernels.count, 2);
    rt_command_id first = fusion->kernels.items[0], second = fusion->kernels.items[1];
    dev_times times = times_of(w, event);
    assert_false(rt_fusion_command_is_active(w->scheduler, w->queue));
    assert_int_equal(times.submit, 10 * first);
    assert_int_equal(times.start, 10 * first + 3);
    assert_int_equal(times.end, 10 * second + 5);
}

static void commands_without_a_device_have_no_times(void **state)
{
    world *w = *state;
    assert_true(rt_ok(rt_fusion_command_start(w->scheduler, w->queue)));
    assert_true(rt_fusion_command_cancel(w->scheduler, w->queue, RT_SYNC_REASON_CALL));
    refuses(w, rt_fusion_command_event(w->scheduler, w->queue), "a fusion without kernels");
    rt_command_id task;
    const rt_host_task reads = {.from = w->a};
    assert_true(rt_ok(rt_scheduler_host_task(w->scheduler, w->queue, &reads, &task)));
    refuses(w, task, "a host task");
}

/* Each query returns the failure, not only the first, which waits. */
static void failed_commands_have_no_times(void **state)
{
    world *w = *state;
    w->f->counting->fail_waits = true;
    rt_command_id failed = launch(w, w->queue);
    assert_true(rt_ok(rt_fusion_command_start(w->scheduler, w->queue)));
    rt_command_id event = launch(w, w->queue);
    assert_true(rt_fusion_command_cancel(w->scheduler, w->queue, RT_SYNC_REASON_CALL));
    dev_times times;
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(rt_scheduler_times(w->scheduler, failed, &times).code, RT_DRIVER_ERROR);
        assert_int_equal(rt_scheduler_times(w->scheduler, event, &times).code, RT_DRIVER_ERROR);
    }
}

/* The device may fail to say when a command ran. */
static void times_that_a_device_does_not_know_are_refused(void **state)
{
    world *w = *state;
    dev_times times;
    rt_command_id command = launch(w, w->queue);
    assert_true(rt_ok(rt_fusion_command_start(w->scheduler, w->queue)));
    rt_command_id event = launch(w, w->queue);
    assert_true(rt_fusion_command_cancel(w->scheduler, w->queue, RT_SYNC_REASON_CALL));
    assert_true(rt_ok(rt_scheduler_wait(w->scheduler)));
    for (uint32_t i = 0; i < 2; i++) {
        rt_command_id asked = i == 0 ? command : event;
        w->f->counting->fail_call = w->f->counting->calls + 1;
        assert_int_equal(rt_scheduler_times(w->scheduler, asked, &times).code, RT_DRIVER_ERROR);
        assert_true(rt_ok(rt_scheduler_times(w->scheduler, asked, &times)));
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_command_has_its_devices_times),
        TEST(a_queue_without_the_property_keeps_none),
        TEST(a_fusion_lasts_from_its_first_kernel_to_its_last),
        TEST(commands_without_a_device_have_no_times),
        TEST(failed_commands_have_no_times),
        TEST(times_that_a_device_does_not_know_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
