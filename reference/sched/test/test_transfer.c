/* Unit tests of copies, fills, unified shared memory, several devices, and waiting for some of the
 * commands. */
#include "reference/sched/test/scheduler.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { SIZE = 8 };

typedef struct world {
    fixture *f;
    rt_scheduler *scheduler;
    rt_queue_id queue, in_order, other; /* other: a queue of the other device */
    rt_memory *a, *b, *undefined, *usm, *usm_undefined;
} world;

static rt_memory *make_memory(world *w, uint32_t id, rt_text name, const void *initial)
{
    rt_memory *memory = NULL;
    assert_true(rt_ok(rt_memory_create(w->f->sink, id, name, SIZE, initial, &memory)));
    return memory;
}

static rt_memory *make_usm(world *w, uint32_t id, rt_text name, const void *initial)
{
    rt_memory *memory = NULL;
    assert_true(rt_ok(rt_memory_usm_create(w->f->sink, id, name, &w->f->device,
                                           DEV_MEMORY_USM_SHARED, SIZE, initial, &memory)));
    return memory;
}

static int set_up(void **state)
{
    world *w = rt_alloc(sizeof *w);
    w->scheduler = scheduler_create(&w->f);
    const rt_device *device = &w->f->device;
    w->queue = queue_create(w->scheduler, device, false);
    w->in_order = queue_create(w->scheduler, device, true);
    w->other = queue_create(w->scheduler, &w->f->other, false);
    w->a = make_memory(w, 0, RT_TEXT("a"), "aaaaaaaa");
    w->b = make_memory(w, 1, RT_TEXT("b"), "bbbbbbbb");
    w->undefined = make_memory(w, 2, RT_TEXT("undefined"), NULL);
    w->usm = make_usm(w, 3, RT_TEXT("usm"), "uuuuuuuu");
    w->usm_undefined = make_usm(w, 4, RT_TEXT("usm_undefined"), NULL);
    *state = w;
    return 0;
}

static int tear_down(void **state)
{
    world *w = *state;
    rt_scheduler_destroy(w->scheduler);
    rt_memory *const memories[] = {w->a, w->b, w->undefined, w->usm, w->usm_undefined};
    for (uint32_t i = 0; i < sizeof memories / sizeof *memories; i++)
        rt_memory_destroy(memories[i]);
    fixture_destroy(w->f);
    rt_free(w);
    return 0;
}

/* ---- Shorthands --------------------------------------------------------------------------- */

static rt_command_id transfer(world *w, rt_queue_id queue, rt_transfer request)
{
    rt_command_id command = 0;
    assert_true(rt_ok(rt_scheduler_transfer(w->scheduler, queue, &request, &command)));
    return command;
}

static rt_transfer copy(rt_memory *from, uint64_t from_offset, rt_memory *to, uint64_t to_offset,
                        uint64_t size)
{
    return (rt_transfer){
        .from = from, .from_offset = from_offset, .to = to, .to_offset = to_offset, .size = size};
}

static rt_transfer fill(rt_memory *to, uint64_t offset, uint64_t size, const char *pattern)
{
    return (rt_transfer){.to = to,
                         .to_offset = offset,
                         .size = size,
                         .pattern = {(const uint8_t *)pattern, strlen(pattern)}};
}

static void expect_refused(world *w, rt_queue_id queue, rt_transfer request, const char *message)
{
    rt_command_id command = 0;
    rt_status status = rt_scheduler_transfer(w->scheduler, queue, &request, &command);
    assert_int_equal(status.code, RT_ERRC_INVALID);
    const rt_diagnostic *diagnostic = rt_sink_diagnostic(w->f->sink, status);
    assert_string_equal(diagnostic->message.data, message);
    assert_int_equal(diagnostic->name_count, 1);
    assert_int_equal(command, UINT32_MAX);
}

static void expect_content(world *w, rt_memory *memory, const char *expected)
{
    assert_true(rt_ok(rt_scheduler_host_read(w->scheduler, memory)));
    assert_memory_equal(memory->host, expected, SIZE);
}

static rt_status launch(world *w, rt_queue_id queue, rt_argument first, rt_argument second)
{
    const rt_argument arguments[] = {first, second};
    const rt_launch request = {
        .kernel = RT_TEXT("k"),
        .range = {.dimensions = 1, .global = {1, 1, 1}},
        .arguments = arguments,
        .argument_count = 2,
    };
    rt_command_id command;
    return rt_scheduler_launch(w->scheduler, queue, &request, &command);
}

static rt_argument buffer(rt_memory *memory, rt_access access)
{
    return (rt_argument){.kind = RT_ARGUMENT_MEMORY, .memory = memory, .access = access};
}

static rt_argument pointer(rt_memory *memory, uint64_t offset)
{
    return (rt_argument){.kind = RT_ARGUMENT_POINTER, .memory = memory, .offset = offset};
}

static const rt_argument null_pointer = {.kind = RT_ARGUMENT_NULL};

/* ---- Copies and fills --------------------------------------------------------------------- */

static void a_copy_moves_a_part_and_keeps_the_rest(void **state)
{
    world *w = *state;
    transfer(w, w->queue, copy(w->a, 1, w->b, 4, 3));
    expect_content(w, w->b, "bbbbaaab");
    expect_content(w, w->a, "aaaaaaaa");
    assert_string_equal(fixture_newest(w->f, RT_EVENT_COPY, "from"), "a");
    assert_string_equal(fixture_newest(w->f, RT_EVENT_COPY, "to"), "b");
    assert_string_equal(fixture_newest(w->f, RT_EVENT_COPY, "from_offset"), "1");
    assert_string_equal(fixture_newest(w->f, RT_EVENT_COPY, "to_offset"), "4");
    assert_string_equal(fixture_newest(w->f, RT_EVENT_COPY, "size"), "3");
    assert_string_equal(fixture_newest(w->f, RT_EVENT_COPY, "after"), "0 1"); /* both uploads */
    assert_int_equal(w->f->counting->writes, 2);
}

static void content_that_is_overwritten_is_not_moved(void **state)
{
    world *w = *state;
    transfer(w, w->queue, copy(w->a, 0, w->b, 0, SIZE));
    assert_int_equal(w->f->counting->writes, 1);
    transfer(w, w->queue, fill(w->undefined, 0, SIZE, "xy"));
    assert_int_equal(w->f->counting->writes, 1);
    expect_content(w, w->b, "aaaaaaaa");
    expect_content(w, w->undefined, "xyxyxyxy");
    assert_string_equal(fixture_newest(w->f, RT_EVENT_FILL, "pattern"), "7879");
}

static void a_copy_within_one_memory_keeps_apart_what_does_not_overlap(void **state)
{
    world *w = *state;
    transfer(w, w->queue, fill(w->a, 0, 2, "z"));
    transfer(w, w->queue, copy(w->a, 0, w->a, 4, 4));
    expect_content(w, w->a, "zzaazzaa");
    expect_refused(w, w->queue, copy(w->a, 0, w->a, 3, 4),
                   "copy of 4 bytes within 'a': the ranges from offsets 0 and 3 overlap");
}

static void ranges_outside_are_refused_with_names_and_sizes(void **state)
{
    world *w = *state;
    expect_refused(w, w->queue, copy(w->a, 6, w->b, 0, 3),
                   "copy of 3 bytes at offset 6 of 'a': it has only 8 bytes");
    expect_refused(w, w->queue, copy(w->a, 0, w->b, 9, 1),
                   "copy of 1 bytes at offset 9 of 'b': it has only 8 bytes");
    expect_refused(w, w->queue, fill(w->a, 4, UINT64_MAX - 3, "x"),
                   "fill of 18446744073709551612 bytes at offset 4 of 'a': it has only 8 bytes");
    expect_refused(w, w->queue, fill(w->a, 1, 4, "xy"),
                   "fill of 4 bytes at offset 1 of 'a': both must be multiples of the pattern's 2 "
                   "bytes");
    char longest[DEV_PATTERN_SIZE_MAX + 2];
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    expect_refused(w, w->queue, fill(w->a, 0, 0, longest),
                   "fill of 'a' with a pattern of 129 bytes: it must have 1 to 128");
    assert_int_equal(w->f->counting->copies + w->f->counting->fills, 0);
    expect_content(w, w->a, "aaaaaaaa");
}

static void dependencies_come_from_memories_queues_and_the_application(void **state)
{
    world *w = *state;
    rt_command_id first = transfer(w, w->queue, fill(w->undefined, 0, 4, "x"));
    assert_int_equal(first, 0);
    rt_transfer explicit = fill(w->a, 0, SIZE, "y");
    explicit.after = &first;
    explicit.after_count = 1;
    assert_int_equal(transfer(w, w->queue, explicit), 1);
    assert_string_equal(fixture_newest(w->f, RT_EVENT_FILL, "after"), "0");
    transfer(w, w->queue, copy(w->a, 0, w->undefined, 0, 4)); /* 2: after the writers of both */
    assert_string_equal(fixture_newest(w->f, RT_EVENT_COPY, "after"), "1 0");
    transfer(w, w->queue, fill(w->b, 0, SIZE, "z")); /* 3 */
    assert_string_equal(fixture_newest(w->f, RT_EVENT_FILL, "after"), "");
}

static void an_in_order_queue_orders_copies_and_fills_too(void **state)
{
    world *w = *state;
    transfer(w, w->in_order, fill(w->a, 0, SIZE, "y"));
    transfer(w, w->in_order, fill(w->undefined, 0, SIZE, "z"));
    assert_string_equal(fixture_newest(w->f, RT_EVENT_FILL, "after"), "0");
    transfer(w, w->in_order, copy(w->b, 0, w->undefined, 0, SIZE)); /* 3, after the upload of b */
    assert_string_equal(fixture_newest(w->f, RT_EVENT_COPY, "after"), "1 2");
    assert_true(rt_ok(launch(w, w->in_order, null_pointer, null_pointer)));
    assert_string_equal(fixture_newest(w->f, RT_EVENT_LAUNCH, "after"), "3");
}

/* ---- Unified shared memory ---------------------------------------------------------------- */

static void usm_has_its_initial_content_before_its_first_use(void **state)
{
    world *w = *state;
    expect_content(w, w->usm, "uuuuuuuu");
    assert_int_equal(w->f->counting->writes + w->f->counting->reads, 0);
    assert_true(rt_ok(launch(w, w->queue, pointer(w->usm, 3), pointer(w->usm_undefined, 8))));
    assert_string_equal(rt_buffer_string(&w->f->counting->arguments), "p3 p8");
    assert_string_equal(fixture_newest(w->f, RT_EVENT_LAUNCH, "after"), "0"); /* the upload */
    assert_int_equal(w->f->counting->writes, 1);
}

static void usm_brings_no_dependencies(void **state)
{
    world *w = *state;
    transfer(w, w->queue, fill(w->usm_undefined, 0, SIZE, "x"));
    assert_true(rt_ok(launch(w, w->queue, pointer(w->usm_undefined, 0), null_pointer)));
    assert_string_equal(fixture_newest(w->f, RT_EVENT_LAUNCH, "after"), "");
    transfer(w, w->queue, copy(w->usm, 0, w->usm_undefined, 0, 4));
    assert_string_equal(fixture_newest(w->f, RT_EVENT_COPY, "after"), "2"); /* the upload of usm */
    transfer(w, w->queue, copy(w->usm_undefined, 0, w->usm, 0, 4));
    assert_string_equal(fixture_newest(w->f, RT_EVENT_COPY, "after"), "2");
    transfer(w, w->in_order, fill(w->usm, 0, 4, "y"));
    transfer(w, w->in_order, fill(w->usm, 4, 4, "y"));
    assert_string_equal(fixture_newest(w->f, RT_EVENT_FILL, "after"), "5 2"); /* ordered by the
                                                                               * in-order queue */
}

static void a_host_read_of_usm_is_done_anew_each_time(void **state)
{
    world *w = *state;
    transfer(w, w->queue, copy(w->a, 0, w->usm, 0, 4));
    expect_content(w, w->usm, "aaaauuuu");
    expect_content(w, w->usm, "aaaauuuu");
    assert_int_equal(w->f->counting->reads, 2);
    transfer(w, w->queue, copy(w->usm, 2, w->b, 0, 4));
    expect_content(w, w->b, "aauubbbb");
    expect_content(w, w->usm_undefined, "\0\0\0\0\0\0\0"); /* never used, so there is nothing to
                                                            * read */
    assert_int_equal(w->f->counting->reads, 3);
}

static void pointers_are_put_into_a_copy_of_the_value(void **state)
{
    world *w = *state;
    static const uint8_t bytes[20] = {[0] = 0xAA, [19] = 0xBB};
    const rt_inner_pointer inner[] = {{1, w->usm, 2}, {9, w->usm_undefined, 0}};
    const rt_argument value = {.kind = RT_ARGUMENT_BYTES,
                               .bytes = {bytes, sizeof bytes},
                               .pointers = inner,
                               .pointer_count = 2};
    assert_true(rt_ok(launch(w, w->queue, value, null_pointer)));
    assert_string_equal(rt_buffer_string(&w->f->counting->arguments),
                        "baa0200665544332211000066554433221100"
                        "00bb 0");
    assert_int_equal(bytes[1], 0);
    assert_int_equal(w->f->counting->writes, 1); /* usm's initial contents */
}

static void usm_of_another_device_and_pointers_beyond_the_end_are_refused(void **state)
{
    world *w = *state;
    rt_status status = launch(w, w->other, pointer(w->usm, 0), null_pointer);
    assert_int_equal(status.code, RT_ERRC_INVALID);
    assert_string_equal(rt_sink_diagnostic(w->f->sink, status)->message.data,
                        "kernel 'k' uses 'usm', which is unified shared memory of device device, "
                        "in a queue of device other");
    status = launch(w, w->queue, pointer(w->usm, 9), null_pointer);
    assert_int_equal(status.code, RT_ERRC_INVALID);
    assert_string_equal(rt_sink_diagnostic(w->f->sink, status)->message.data,
                        "kernel 'k' gets a pointer to offset 9 of 'usm', which has 8 bytes");
    expect_refused(w, w->other, copy(w->a, 0, w->usm, 0, 1),
                   "copy uses 'usm', which is unified shared memory of device device, in a queue "
                   "of device other");
    expect_refused(w, w->other, fill(w->usm, 0, 1, "x"),
                   "fill uses 'usm', which is unified shared memory of device device, in a queue "
                   "of device other");
    assert_int_equal(w->f->counting->launches + w->f->other_counting->launches, 0);
}

static void a_device_without_usm_gives_none(void **state)
{
    world *w = *state;
    rt_device plain = w->f->device;
    plain.capabilities.usm = false;
    rt_memory *memory = NULL;
    rt_status status = rt_memory_usm_create(w->f->sink, 9, RT_TEXT("m"), &plain,
                                            DEV_MEMORY_USM_HOST, 4, NULL, &memory);
    assert_int_equal(status.code, RT_ERRC_FEATURE_NOT_SUPPORTED);
    assert_null(memory);
}

/* ---- Several devices ---------------------------------------------------------------------- */

static void content_goes_from_device_to_device_through_the_host(void **state)
{
    world *w = *state;
    transfer(w, w->queue, fill(w->a, 0, 4, "x"));
    transfer(w, w->other, copy(w->a, 2, w->b, 0, 4));
    assert_int_equal(w->f->counting->reads, 1);
    assert_int_equal(w->f->other_counting->writes, 2);
    assert_int_equal(w->f->other_counting->copies, 1);
    assert_string_equal(fixture_newest(w->f, RT_EVENT_COPY, "device"), "1");
    expect_content(w, w->b, "xxaabbbb");
    expect_content(w, w->a, "xxxxaaaa");
    assert_int_equal(w->f->counting->reads, 1); /* The host already has the contents. */
}

static void a_failure_on_another_device_holds_commands_back(void **state)
{
    world *w = *state;
    w->f->counting->fail_waits = true;
    assert_true(rt_ok(launch(w, w->queue, buffer(w->a, RT_ACCESS_WRITE), null_pointer)));
    w->f->counting->fail_waits = false;
    /* The copy depends on the failed launch, the fill on the copy; neither reaches its device. */
    rt_command_id copied = transfer(w, w->other, copy(w->a, 0, w->b, 0, 4));
    transfer(w, w->other, fill(w->b, 0, 4, "x"));
    rt_command_id independent = transfer(w, w->other, fill(w->undefined, 0, 4, "y"));
    rt_command_id task = 0;
    const rt_host_task reading = {.from = w->a, .to = w->undefined};
    assert_true(rt_ok(launch(w, w->other, buffer(w->a, RT_ACCESS_READ), null_pointer)));
    assert_true(rt_ok(rt_scheduler_host_task(w->scheduler, w->queue, &reading, &task)));
    assert_int_equal(w->f->other_counting->launches, 0);
    assert_int_equal(w->f->other_counting->copies, 0);
    assert_int_equal(w->f->other_counting->fills, 1);
    /* Only what reached a device, or ran on the host, is in the trace. */
    assert_int_equal(fixture_count(w->f, RT_EVENT_LAUNCH), 1);
    assert_int_equal(fixture_count(w->f, RT_EVENT_COPY), 0);
    assert_int_equal(fixture_count(w->f, RT_EVENT_FILL), 1);
    assert_int_equal(fixture_count(w->f, RT_EVENT_UPLOAD),
                     w->f->counting->writes + w->f->other_counting->writes);
    assert_int_equal(fixture_count(w->f, RT_EVENT_HOST_TASK), 0);
    assert_true(rt_ok(rt_scheduler_wait_command(w->scheduler, independent)));
    assert_int_equal(rt_scheduler_wait_command(w->scheduler, task).code, RT_DRIVER_ERROR);
    assert_int_equal(rt_scheduler_wait_command(w->scheduler, copied).code, RT_DRIVER_ERROR);
    assert_int_equal(rt_scheduler_host_read(w->scheduler, w->b).code, RT_DRIVER_ERROR);
    assert_int_equal(rt_scheduler_host_read(w->scheduler, w->a).code, RT_DRIVER_ERROR);
}

/* ---- Waiting ------------------------------------------------------------------------------ */

static void waiting_for_a_queue_or_a_command_leaves_others_pending(void **state)
{
    world *w = *state;
    w->f->counting->fail_waits = true;
    assert_true(rt_ok(launch(w, w->in_order, null_pointer, null_pointer))); /* 0 */
    w->f->counting->fail_waits = false;
    rt_command_id command = transfer(w, w->queue, fill(w->a, 0, SIZE, "x")); /* 1 */
    assert_true(rt_ok(rt_scheduler_wait_queue(w->scheduler, w->queue)));
    assert_string_equal(fixture_newest(w->f, RT_EVENT_WAIT, "commands"), "1");
    assert_true(rt_ok(rt_scheduler_wait_command(w->scheduler, command)));
    assert_string_equal(fixture_newest(w->f, RT_EVENT_WAIT, "command"), "1");
    assert_int_equal(rt_scheduler_wait_queue(w->scheduler, w->in_order).code, RT_DRIVER_ERROR);
    assert_true(rt_ok(rt_scheduler_wait_queue(w->scheduler, w->in_order))); /* reported once */
    assert_true(rt_ok(rt_scheduler_wait(w->scheduler)));
}

static void a_failure_in_another_queue_is_reported_to_its_dependents(void **state)
{
    world *w = *state;
    w->f->counting->fail_waits = true;
    assert_true(rt_ok(launch(w, w->in_order, buffer(w->undefined, RT_ACCESS_WRITE), null_pointer)));
    w->f->counting->fail_waits = false;
    transfer(w, w->queue, copy(w->undefined, 0, w->a, 0, SIZE));
    assert_int_equal(rt_scheduler_wait_queue(w->scheduler, w->queue).code, RT_DRIVER_ERROR);
}

static void a_host_read_of_usm_returns_failures_not_yet_reported(void **state)
{
    world *w = *state;
    w->f->counting->fail_waits = true;
    assert_true(rt_ok(launch(w, w->queue, pointer(w->usm, 0), null_pointer)));
    w->f->counting->fail_waits = false;
    assert_int_equal(rt_scheduler_host_read(w->scheduler, w->usm).code, RT_DRIVER_ERROR);
    assert_true(rt_ok(rt_scheduler_host_read(w->scheduler, w->usm)));
}

/* The failed kernel only read the buffer, so its contents are still good. */
static void the_end_of_a_buffer_returns_the_failure_of_its_reader(void **state)
{
    world *w = *state;
    w->f->counting->fail_waits = true;
    assert_true(rt_ok(launch(w, w->queue, buffer(w->a, RT_ACCESS_READ), null_pointer)));
    w->f->counting->fail_waits = false;
    assert_true(rt_ok(rt_scheduler_host_read(w->scheduler, w->a)));
    assert_int_equal(rt_scheduler_memory_end(w->scheduler, w->a).code, RT_DRIVER_ERROR);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_copy_moves_a_part_and_keeps_the_rest),
        TEST(content_that_is_overwritten_is_not_moved),
        TEST(a_copy_within_one_memory_keeps_apart_what_does_not_overlap),
        TEST(ranges_outside_are_refused_with_names_and_sizes),
        TEST(dependencies_come_from_memories_queues_and_the_application),
        TEST(an_in_order_queue_orders_copies_and_fills_too),
        TEST(usm_has_its_initial_content_before_its_first_use),
        TEST(usm_brings_no_dependencies),
        TEST(a_host_read_of_usm_is_done_anew_each_time),
        TEST(pointers_are_put_into_a_copy_of_the_value),
        TEST(usm_of_another_device_and_pointers_beyond_the_end_are_refused),
        TEST(a_device_without_usm_gives_none),
        TEST(content_goes_from_device_to_device_through_the_host),
        TEST(a_failure_on_another_device_holds_commands_back),
        TEST(waiting_for_a_queue_or_a_command_leaves_others_pending),
        TEST(a_failure_in_another_queue_is_reported_to_its_dependents),
        TEST(a_host_read_of_usm_returns_failures_not_yet_reported),
        TEST(the_end_of_a_buffer_returns_the_failure_of_its_reader),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
