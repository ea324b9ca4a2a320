/* Unit tests of what the host does beside commands: user events, host tasks, maps, markers, and
 * looking at commands and contents without waiting for everything. */
#include "reference/sched/sched_internal.h"
#include "reference/sched/test/scheduler.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { SIZE = 4 };

typedef struct world {
    fixture *f;
    rt_scheduler *scheduler;
    rt_queue_id queue, other; /* other: a queue of the other device */
    rt_memory *a, *b, *longer, *shared, *device;
} world;

static rt_memory *make(world *w, uint32_t id, rt_text name, uint64_t size, const char *initial)
{
    rt_memory *memory = NULL;
    assert_true(rt_ok(rt_memory_create(w->f->sink, id, name, size, initial, &memory)));
    return memory;
}

static rt_memory *make_usm(world *w, uint32_t id, rt_text name, dev_memory_kind kind)
{
    rt_memory *memory = NULL;
    assert_true(rt_ok(
        rt_memory_usm_create(w->f->sink, id, name, &w->f->device, kind, SIZE, "uuuu", &memory)));
    return memory;
}

static int set_up(void **state)
{
    world *w = rt_alloc(sizeof *w);
    w->scheduler = scheduler_create(&w->f);
    w->queue = queue_create(w->scheduler, &w->f->device, false);
    w->other = queue_create(w->scheduler, &w->f->other, false);
    w->a = make(w, 0, RT_TEXT("a"), SIZE, "aaaa");
    w->b = make(w, 1, RT_TEXT("b"), SIZE, "bbbb");
    w->longer = make(w, 2, RT_TEXT("longer"), 2 * SIZE, "llllllll");
    w->shared = make_usm(w, 3, RT_TEXT("shared"), DEV_MEMORY_USM_SHARED);
    w->device = make_usm(w, 4, RT_TEXT("device"), DEV_MEMORY_USM_DEVICE);
    *state = w;
    return 0;
}

static int tear_down(void **state)
{
    world *w = *state;
    if (w->scheduler) rt_scheduler_destroy(w->scheduler);
    rt_memory *const memories[] = {w->a, w->b, w->longer, w->shared, w->device};
    for (uint32_t i = 0; i < sizeof memories / sizeof *memories; i++)
        rt_memory_destroy(memories[i]);
    fixture_destroy(w->f);
    rt_free(w);
    return 0;
}

/* ---- Shorthands --------------------------------------------------------------------------- */

static rt_status launch_on(world *w, rt_queue_id queue, rt_memory *memory, rt_command_id *out)
{
    rt_argument first = {.kind = RT_ARGUMENT_MEMORY, .memory = memory, .access = RT_ACCESS_WRITE};
    if (rt_memory_is_usm(memory))
        first = (rt_argument){.kind = RT_ARGUMENT_POINTER, .memory = memory};
    const rt_argument arguments[] = {first, {.kind = RT_ARGUMENT_NULL}};
    const rt_launch request = {.kernel = RT_TEXT("k"),
                               .range = {.dimensions = 1, .global = {1, 1, 1}},
                               .arguments = arguments,
                               .argument_count = 2};
    return rt_scheduler_launch(w->scheduler, queue, &request, out);
}

static rt_command_id launch(world *w, rt_memory *memory)
{
    rt_command_id command;
    assert_true(rt_ok(launch_on(w, w->queue, memory, &command)));
    return command;
}

static rt_command_id user_event(world *w)
{
    rt_command_id event;
    assert_true(rt_ok(rt_scheduler_user_event(w->scheduler, &w->f->device, &event)));
    return event;
}

static void expect_message(world *w, rt_status status, const char *message)
{
    assert_int_equal(status.code, RT_ERRC_INVALID);
    assert_string_equal(rt_sink_diagnostic(w->f->sink, status)->message.data, message);
}

/* The next call of the device, or the one `later` calls after it, fails. */
static void fail_call(world *w, uint32_t later)
{
    w->f->counting->fail_call = w->f->counting->calls + 1 + later;
}

static void expect_content(world *w, rt_memory *memory, const char *expected)
{
    char bytes[SIZE];
    assert_true(rt_ok(rt_scheduler_host_copy(w->scheduler, memory, 0, SIZE, bytes)));
    assert_memory_equal(bytes, expected, SIZE);
}

/* ---- User events -------------------------------------------------------------------------- */

static void a_user_event_is_open_until_it_is_completed(void **state)
{
    world *w = *state;
    rt_command_id event = user_event(w);
    assert_int_equal(rt_scheduler_progress(w->scheduler, event), RT_PROGRESS_SUBMITTED);
    expect_message(w, rt_scheduler_wait_command(w->scheduler, event),
                   "a wait would never end, because it depends on user event 0, which is not "
                   "complete; complete the event first");
    assert_true(rt_ok(rt_scheduler_user_event_complete(w->scheduler, event, false)));
    assert_int_equal(rt_scheduler_progress(w->scheduler, event), RT_PROGRESS_COMPLETE);
    assert_true(rt_ok(rt_scheduler_wait(w->scheduler)));
    assert_true(rt_ok(rt_scheduler_command_result(w->scheduler, event)));
    /* The device answers a second call. */
    assert_int_equal(rt_scheduler_user_event_complete(w->scheduler, event, true).code,
                     RT_ERRC_INVALID);
    w->f->counting->completes_twice = true;
    assert_true(rt_ok(rt_scheduler_user_event_complete(w->scheduler, event, true)));
    assert_true(rt_ok(rt_scheduler_command_result(w->scheduler, event)));
    assert_int_equal(w->scheduler->open_events, 0);
    assert_int_equal(fixture_count(w->f, RT_EVENT_EVENT_COMPLETE), 1);
    assert_string_equal(fixture_newest(w->f, RT_EVENT_EVENT_COMPLETE, "failed"), "0");
}

static void a_user_event_that_the_device_does_not_complete_stays_open(void **state)
{
    world *w = *state;
    rt_command_id event = user_event(w);
    fail_call(w, 0);
    assert_int_equal(rt_scheduler_user_event_complete(w->scheduler, event, false).code,
                     RT_DRIVER_ERROR);
    assert_int_equal(rt_scheduler_progress(w->scheduler, event), RT_PROGRESS_SUBMITTED);
    assert_int_equal(w->scheduler->open_events, 1);
    assert_true(rt_ok(rt_scheduler_user_event_complete(w->scheduler, event, true)));
    assert_int_equal(rt_scheduler_command_result(w->scheduler, event).code, RT_DRIVER_ERROR);
    assert_string_equal(fixture_newest(w->f, RT_EVENT_EVENT_COMPLETE, "failed"), "1");
    rt_command_id none = 0;
    fail_call(w, 0);
    assert_int_equal(rt_scheduler_user_event(w->scheduler, &w->f->device, &none).code,
                     RT_DRIVER_ERROR);
    assert_int_equal(none, RT_COMMAND_NONE);
}

/* What waits for an event that the application leaves open must end all the same. */
static void open_events_fail_with_the_scheduler(void **state)
{
    world *w = *state;
    user_event(w);
    launch(w, w->a);
    rt_command_id closed = user_event(w);
    user_event(w);
    assert_true(rt_ok(rt_scheduler_user_event_complete(w->scheduler, closed, false)));
    assert_int_equal(fixture_count(w->f, RT_EVENT_EVENT_COMPLETE), 1);
    rt_scheduler_destroy(w->scheduler);
    w->scheduler = NULL;
    assert_int_equal(fixture_count(w->f, RT_EVENT_EVENT_COMPLETE), 3);
    assert_string_equal(fixture_newest(w->f, RT_EVENT_EVENT_COMPLETE, "failed"), "1");
}

/* ---- Host tasks --------------------------------------------------------------------------- */

static rt_status task(world *w, rt_queue_id queue, rt_memory *from, rt_memory *to,
                      const rt_command_id *after, rt_command_id *out)
{
    const rt_host_task request = {
        .from = from, .to = to, .after = after, .after_count = after != NULL};
    *out = 0;
    return rt_scheduler_host_task(w->scheduler, queue, &request, out);
}

static void a_host_task_copies_in_host_memory(void **state)
{
    world *w = *state;
    rt_command_id command;
    const uint32_t calls = w->f->counting->calls;
    assert_true(rt_ok(task(w, w->queue, w->a, w->b, NULL, &command)));
    assert_int_equal(rt_scheduler_progress(w->scheduler, command), RT_PROGRESS_COMPLETE);
    assert_memory_equal(w->b->host, "aaaa", SIZE);
    assert_int_equal(w->f->counting->calls, calls);
    assert_string_equal(fixture_newest(w->f, RT_EVENT_HOST_TASK, "from"), "a");
    assert_string_equal(fixture_newest(w->f, RT_EVENT_HOST_TASK, "to"), "b");
    assert_true(rt_ok(task(w, w->queue, w->a, NULL, NULL, &command)));
    assert_string_equal(fixture_newest(w->f, RT_EVENT_HOST_TASK, "to"), "");
}

static void a_host_task_uses_shared_memory_where_it_is(void **state)
{
    world *w = *state;
    rt_command_id command;
    assert_true(rt_ok(task(w, w->queue, w->shared, w->b, NULL, &command)));
    assert_memory_equal(w->b->host, "uuuu", SIZE);
    assert_true(rt_ok(task(w, w->queue, w->a, w->shared, NULL, &command)));
    assert_int_equal(w->shared->written_on, w->f->device.id);
    expect_content(w, w->shared, "aaaa");
    /* The upload of what it began with, and the task's own write; the task's read, and that of the
     * content. */
    assert_int_equal(w->f->counting->writes, 2);
    assert_int_equal(w->f->counting->reads, 2);
    /* A read leaves the mark of the last write. */
    w->shared->written_on = UINT32_MAX;
    assert_true(rt_ok(task(w, w->queue, w->shared, w->b, NULL, &command)));
    assert_int_equal(w->shared->written_on, UINT32_MAX);
    assert_memory_equal(w->b->host, "aaaa", SIZE);
}

/* The transfer of the bytes fails, or the wait for it. */
static void a_host_task_that_cannot_reach_shared_memory_fails(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 4; i++) {
        void *fresh;
        set_up(&fresh);
        world *w = fresh;
        rt_command_id command;
        bool reads = i < 2;
        launch(w, w->shared);
        assert_true(rt_ok(rt_scheduler_wait(w->scheduler)));
        w->shared->written_on = UINT32_MAX;
        fail_call(w, i % 2);
        assert_true(rt_ok(
            task(w, w->queue, reads ? w->shared : w->a, reads ? w->b : w->shared, NULL, &command)));
        assert_int_equal(rt_scheduler_command_result(w->scheduler, command).code, RT_DRIVER_ERROR);
        assert_int_equal(w->shared->written_on, UINT32_MAX);
        assert_int_equal(w->f->counting->calls, w->f->counting->fail_call);
        if (reads) assert_memory_equal(w->b->host, "bbbb", SIZE);
        tear_down(&fresh);
    }
}

/* What shared memory begins with is moved before the task; without it there is no task. */
static void a_host_task_needs_what_shared_memory_begins_with(void **state)
{
    world *w = *state;
    rt_command_id command;
    fail_call(w, 0);
    assert_int_equal(task(w, w->queue, w->shared, w->b, NULL, &command).code, RT_DRIVER_ERROR);
    assert_int_equal(command, RT_COMMAND_NONE);
    fail_call(w, 0);
    assert_int_equal(task(w, w->queue, w->a, w->shared, NULL, &command).code, RT_DRIVER_ERROR);
    assert_true(rt_ok(task(w, w->queue, w->shared, w->b, NULL, &command)));
    expect_content(w, w->b, "uuuu");
}

static void refused_host_tasks_name_the_memory(void **state)
{
    world *w = *state;
    rt_command_id command;
    expect_message(w, task(w, w->queue, w->device, w->b, NULL, &command),
                   "a host task uses 'device', which is device memory; host code cannot access it");
    assert_int_equal(command, RT_COMMAND_NONE);
    expect_message(w, task(w, w->queue, w->a, w->device, NULL, &command),
                   "a host task uses 'device', which is device memory; host code cannot access it");
    expect_message(w, task(w, w->other, w->shared, w->b, NULL, &command),
                   "a host task uses 'shared', which is unified shared memory of device device, in "
                   "a queue of device other");
    expect_message(w, task(w, w->queue, w->a, w->a, NULL, &command),
                   "a host task copies 'a' to 'a': they must be two different memories of the same "
                   "size");
    expect_message(w, task(w, w->queue, w->a, w->longer, NULL, &command),
                   "a host task copies 'a' to 'longer': they must be two different memories of the "
                   "same size");
}

static void a_host_task_after_an_open_event_is_deferred(void **state)
{
    world *w = *state;
    rt_command_id command, event = user_event(w);
    assert_true(rt_ok(task(w, w->queue, w->a, w->b, &event, &command)));
    assert_int_equal(rt_scheduler_progress(w->scheduler, command), RT_PROGRESS_HANDED_OVER);
    expect_message(w, rt_scheduler_wait_command(w->scheduler, command),
                   "a wait would never end, because it depends on user event 0, which is not "
                   "complete; complete the event first");
    assert_memory_equal(w->b->host, "bbbb", SIZE);
    assert_true(rt_ok(rt_scheduler_user_event_complete(w->scheduler, event, false)));
    assert_int_equal(rt_scheduler_progress(w->scheduler, command), RT_PROGRESS_COMPLETE);
    assert_true(rt_ok(rt_scheduler_command_result(w->scheduler, command)));
    expect_content(w, w->b, "aaaa"); /* from the device, where the task has left it */
    assert_int_equal(w->f->counting->writes, 1);
    assert_int_equal(w->f->counting->reads, 1);
}

static void a_deferred_host_task_fails_with_its_event(void **state)
{
    world *w = *state;
    rt_command_id command, event = user_event(w);
    assert_true(rt_ok(task(w, w->queue, w->a, w->b, &event, &command)));
    assert_true(rt_ok(rt_scheduler_user_event_complete(w->scheduler, event, true)));
    assert_int_equal(rt_scheduler_command_result(w->scheduler, command).code, RT_DRIVER_ERROR);
    assert_int_equal(dev_event_query(w->scheduler->commands.items[command]->event),
                     DEV_EVENT_FAILED);
    assert_int_equal(w->f->counting->writes, 0);
    assert_int_equal(fixture_count(w->f, RT_EVENT_HOST_TASK), 0);
}

/* Each call of the device may fail that completing the event makes, from the first after the event
 * itself: then the task has failed, too, whose own completion is the last call. */
static void a_deferred_host_task_fails_with_each_call(void **state)
{
    (void)state;
    rt_buffer operations = {0};
    bool has_failed = true;
    for (uint32_t later = 1; has_failed; later++) {
        void *fresh;
        set_up(&fresh);
        world *w = fresh;
        rt_command_id command, event = user_event(w);
        assert_true(rt_ok(task(w, w->queue, w->a, w->b, &event, &command)));
        fail_call(w, later);
        assert_true(rt_ok(rt_scheduler_user_event_complete(w->scheduler, event, false)));
        w->f->counting->fail_call = 0;
        rt_status result = rt_scheduler_command_result(w->scheduler, command);
        has_failed = !rt_ok(result);
        if (has_failed) {
            const char *message = rt_sink_diagnostic(w->f->sink, result)->message.data;
            const char *operation = strchr(message, ',') + 2;
            rt_buffer_printf(&operations, "[%.*s]", (int)strcspn(operation, ","), operation);
        }
        tear_down(&fresh);
    }
    assert_string_equal(rt_buffer_string(&operations),
                        "[wait][wait][enqueue_write][wait][complete]");
    rt_buffer_free(&operations);
}

/* Without an event, or without room on the device for what it writes, the task is refused. */
static void a_host_task_that_cannot_be_deferred_is_refused(void **state)
{
    world *w = *state;
    rt_command_id command, event = user_event(w);
    for (uint32_t later = 0; later < 2; later++) {
        fail_call(w, later);
        assert_int_equal(task(w, w->queue, w->a, w->b, &event, &command).code, RT_DRIVER_ERROR);
        assert_int_equal(command, RT_COMMAND_NONE);
    }
    assert_true(rt_ok(rt_scheduler_user_event_complete(w->scheduler, event, false)));
    expect_content(w, w->b, "bbbb");
}

/* ---- Maps --------------------------------------------------------------------------------- */

static rt_status map(world *w, rt_queue_id queue, rt_memory *memory, dev_map range,
                     rt_command_id *out)
{
    const rt_map_request request = {.memory = memory, .range = range};
    *out = 0;
    return rt_scheduler_map(w->scheduler, queue, &request, out);
}

static rt_status unmap(world *w, rt_queue_id queue, rt_command_id mapped, rt_command_id *out)
{
    *out = 0;
    return rt_scheduler_unmap(w->scheduler, queue, mapped, NULL, 0, out);
}

static void mapped_bytes_are_read_and_written_until_they_are_unmapped(void **state)
{
    world *w = *state;
    rt_command_id mapped, unmapped;
    rt_bytes bytes = {0};
    uint8_t defined = 0;
    const dev_map range = {1, 2, DEV_MAP_READ_WRITE, false};
    assert_true(rt_ok(map(w, w->queue, w->a, range, &mapped)));
    assert_string_equal(fixture_newest(w->f, RT_EVENT_MAP, "memory"), "a");
    assert_string_equal(fixture_newest(w->f, RT_EVENT_MAP, "access"), "read_write");
    assert_true(rt_ok(rt_scheduler_mapping_read(w->scheduler, mapped, 1, &bytes, &defined)));
    assert_int_equal(bytes.size, 2);
    assert_memory_equal(bytes.data, "aa", 2);
    assert_int_equal(defined, 3);
    const rt_bytes written = {(const uint8_t *)"z", 1};
    assert_true(rt_ok(rt_scheduler_mapping_write(w->scheduler, mapped, 2, 1, written)));
    expect_message(w, unmap(w, w->other, mapped, &unmapped),
                   "'a' is mapped on device device; unmap it in a queue of that device, not of "
                   "other");
    assert_int_equal(unmapped, RT_COMMAND_NONE);
    assert_true(rt_ok(unmap(w, w->queue, mapped, &unmapped)));
    expect_content(w, w->a, "aaza");

    static const char message[] = "the bytes of 'a' that command 1 maps are not mapped";
    assert_int_equal(mapped, 1);
    expect_message(w, unmap(w, w->queue, mapped, &unmapped), message);
    assert_int_equal(unmapped, RT_COMMAND_NONE);
    expect_message(w, rt_scheduler_mapping_read(w->scheduler, mapped, 3, &bytes, NULL), message);
    expect_message(w, rt_scheduler_mapping_write(w->scheduler, mapped, 4, 0, written), message);
    assert_int_equal(w->f->counting->maps, 1);
    assert_int_equal(w->f->counting->unmaps, 1);
    assert_string_equal(rt_buffer_string(&w->f->counting->accesses), "[read 1 0+2][write 2 1+1]");
}

static void refused_maps_have_their_messages(void **state)
{
    world *w = *state;
    rt_command_id command;
    expect_message(w, map(w, w->queue, w->shared, (dev_map){0, 1, DEV_MAP_READ, false}, &command),
                   "'shared' is not a buffer, so it cannot be mapped");
    assert_int_equal(command, RT_COMMAND_NONE);
    expect_message(w, map(w, w->queue, w->a, (dev_map){1, 0, DEV_MAP_READ, false}, &command),
                   "map of 0 bytes at offset 1 of 'a', which has 4 bytes; map at least one byte, "
                   "inside it");
    expect_message(w, map(w, w->queue, w->a, (dev_map){2, 3, DEV_MAP_READ, false}, &command),
                   "map of 3 bytes at offset 2 of 'a', which has 4 bytes; map at least one byte, "
                   "inside it");
    expect_message(w, map(w, w->queue, w->a, (dev_map){5, 1, DEV_MAP_READ, false}, &command),
                   "map of 1 bytes at offset 5 of 'a', which has 4 bytes; map at least one byte, "
                   "inside it");
    assert_int_equal(w->f->counting->maps, 0);
    assert_true(rt_ok(map(w, w->queue, w->a, (dev_map){3, 1, DEV_MAP_READ, false}, &command)));
    assert_int_equal(w->f->counting->maps, 1);
}

static void a_failed_map_points_to_nothing(void **state)
{
    world *w = *state;
    rt_command_id mapped, unmapped;
    rt_bytes bytes = {0};
    const rt_bytes written = {(const uint8_t *)"z", 1};
    static const char message[] = "the map of 'a' has failed, so the host cannot access its bytes";
    w->f->counting->fail_waits = true;
    launch(w, w->a);
    w->f->counting->fail_waits = false;
    const dev_map range = {0, SIZE, DEV_MAP_READ_WRITE, false};
    assert_true(rt_ok(map(w, w->queue, w->a, range, &mapped)));
    assert_int_equal(rt_scheduler_command_result(w->scheduler, mapped).code, RT_DRIVER_ERROR);
    expect_message(w, rt_scheduler_mapping_read(w->scheduler, mapped, 1, &bytes, NULL), message);
    expect_message(w, rt_scheduler_mapping_write(w->scheduler, mapped, 2, 0, written), message);
    /* An unmap that fails ends the mapping, too. */
    fail_call(w, 0);
    assert_int_equal(unmap(w, w->queue, mapped, &unmapped).code, RT_DRIVER_ERROR);
    assert_int_equal(unmapped, RT_COMMAND_NONE);
    assert_int_equal(unmap(w, w->queue, mapped, &unmapped).code, RT_ERRC_INVALID);
}

static void a_map_that_the_device_refuses_is_no_command(void **state)
{
    world *w = *state;
    rt_command_id mapped;
    launch(w, w->a);
    assert_true(rt_ok(rt_scheduler_wait(w->scheduler)));
    fail_call(w, 0);
    const dev_map range = {0, SIZE, DEV_MAP_READ, true};
    assert_int_equal(map(w, w->queue, w->a, range, &mapped).code, RT_DRIVER_ERROR);
    assert_int_equal(mapped, RT_COMMAND_NONE);
    assert_int_equal(fixture_count(w->f, RT_EVENT_MAP), 0);
}

static void the_scheduler_unmaps_what_is_left(void **state)
{
    world *w = *state;
    rt_command_id mapped;
    const dev_map range = {0, SIZE, DEV_MAP_READ, false};
    /* One map is the first command: its memory has no contents to move. */
    rt_memory *undefined = make(w, 5, RT_TEXT("undefined"), SIZE, NULL);
    assert_true(rt_ok(map(w, w->queue, undefined, range, &mapped)));
    assert_int_equal(mapped, 0);
    assert_true(rt_ok(map(w, w->queue, w->a, range, &mapped)));
    rt_scheduler_destroy(w->scheduler);
    w->scheduler = NULL;
    assert_int_equal(w->f->counting->maps, 2);
    assert_int_equal(w->f->counting->unmaps, 2);
    rt_memory_destroy(undefined);
}

/* ---- Markers ------------------------------------------------------------------------------ */

static void a_marker_waits_for_what_it_names_or_for_the_queue(void **state)
{
    world *w = *state;
    rt_command_id first = launch(w, w->b), marker = 0;
    launch(w, w->a);
    const rt_marker named = {.after = &first, .after_count = 1};
    assert_true(rt_ok(rt_scheduler_marker(w->scheduler, w->queue, &named, &marker)));
    assert_string_equal(fixture_newest(w->f, RT_EVENT_MARKER, "after"), "1");
    assert_string_equal(fixture_newest(w->f, RT_EVENT_MARKER, "queue"), "0");
    assert_string_equal(fixture_newest(w->f, RT_EVENT_MARKER, "device"), "0");
    const rt_marker barrier = {.is_barrier = true, .waits_for_all = true};
    assert_true(rt_ok(rt_scheduler_marker(w->scheduler, w->queue, &barrier, &marker)));
    /* Both launches and the marker, but no upload, which the application has not submitted. */
    assert_string_equal(fixture_newest(w->f, RT_EVENT_BARRIER, "after"), "1 3 4");
    assert_string_equal(fixture_newest(w->f, RT_EVENT_BARRIER, "device"), "0");
    /* The device's queue knows what the barrier waits for. */
    assert_string_equal(rt_buffer_string(&w->f->counting->markers), "[1][all barrier 0]");
    /* The barrier stands for everything before it. */
    const rt_marker all = {.waits_for_all = true};
    assert_true(rt_ok(rt_scheduler_marker(w->scheduler, w->queue, &all, &marker)));
    assert_string_equal(fixture_newest(w->f, RT_EVENT_MARKER, "after"), "5");
}

static void a_marker_that_the_device_refuses_is_no_command(void **state)
{
    world *w = *state;
    rt_command_id marker = 0;
    const rt_marker barrier = {.is_barrier = true, .waits_for_all = true};
    fail_call(w, 0);
    assert_int_equal(rt_scheduler_marker(w->scheduler, w->queue, &barrier, &marker).code,
                     RT_DRIVER_ERROR);
    assert_int_equal(marker, RT_COMMAND_NONE);
    assert_int_equal(w->scheduler->queues.items[w->queue].barrier, RT_COMMAND_NONE);
    assert_int_equal(fixture_count(w->f, RT_EVENT_BARRIER), 0);
}

/* ---- Looking ------------------------------------------------------------------------------ */

static void a_command_that_is_looked_at_may_be_advanced(void **state)
{
    world *w = *state;
    w->f->counting->holds = true;
    rt_command_id held = launch(w, w->a);
    assert_int_equal(rt_scheduler_progress(w->scheduler, held), RT_PROGRESS_HANDED_OVER);
    assert_int_equal(rt_scheduler_progress(w->scheduler, held), RT_PROGRESS_HANDED_OVER);
    rt_scheduler_advance(w->scheduler, held);
    assert_int_equal(w->f->counting->advances, 1);
    assert_int_equal(rt_scheduler_progress(w->scheduler, held), RT_PROGRESS_COMPLETE);
    /* One that is known to be done needs nothing. */
    assert_true(rt_ok(rt_scheduler_wait(w->scheduler)));
    rt_scheduler_advance(w->scheduler, held);
    assert_int_equal(w->f->counting->advances, 1);
}

/* The event of a fusion has no device event: what it waits for is advanced, each command once. */
static void the_end_of_a_fusion_is_advanced_with_its_kernels(void **state)
{
    world *w = *state;
    w->f->counting->holds = true;
    rt_scheduler_queue_enable_fusion(w->scheduler, w->queue);
    assert_true(rt_ok(rt_fusion_command_start(w->scheduler, w->queue)));
    launch(w, w->a);
    launch(w, w->b);
    rt_command_id event = rt_fusion_command_event(w->scheduler, w->queue);
    assert_int_equal(rt_scheduler_progress(w->scheduler, event), RT_PROGRESS_SUBMITTED);
    rt_scheduler_advance(w->scheduler, event); /* nothing was handed over */
    assert_int_equal(w->f->counting->advances, 0);
    assert_true(rt_fusion_command_cancel(w->scheduler, w->queue, RT_SYNC_REASON_CALL));
    assert_int_equal(rt_scheduler_progress(w->scheduler, event), RT_PROGRESS_HANDED_OVER);
    rt_scheduler_advance(w->scheduler, event);
    assert_int_equal(w->f->counting->advances,
                     w->scheduler->commands.items[event]->dependencies.count);
    assert_int_equal(rt_scheduler_progress(w->scheduler, event), RT_PROGRESS_COMPLETE);
}

static void a_copy_to_the_host_has_a_range(void **state)
{
    world *w = *state;
    char bytes[3] = "??";
    launch(w, w->longer);
    assert_null(w->longer->host_read); /* there was an upload alone */
    assert_true(rt_ok(rt_scheduler_host_copy(w->scheduler, w->longer, 7, 1, bytes)));
    assert_string_equal(bytes, "l?");
    assert_true(rt_ok(rt_scheduler_host_copy(w->scheduler, w->longer, 8, 0, bytes)));
    assert_string_equal(bytes, "l?");
    assert_int_equal(w->f->counting->reads, 1);
    assert_non_null(w->longer->host_read);
    launch(w, w->longer);
    fail_call(w, 0);
    assert_int_equal(rt_scheduler_host_copy(w->scheduler, w->longer, 0, 1, bytes).code,
                     RT_DRIVER_ERROR);
}

/* Another thread's read that brings newer contents is waited for. */
static void a_copy_to_the_host_waits_for_newer_reads(void **state)
{
    world *w = *state;
    char bytes[SIZE];
    rt_command_id event = user_event(w);
    w->a->host_read = w->scheduler->commands.items[event]->event;
    assert_int_equal(dev_event_query(w->a->host_read), DEV_EVENT_PENDING);
    assert_true(rt_ok(rt_scheduler_host_copy(w->scheduler, w->a, 0, SIZE, bytes)));
    assert_int_equal(dev_event_query(w->a->host_read), DEV_EVENT_COMPLETE);
    assert_memory_equal(bytes, "aaaa", SIZE);
    uint32_t calls = w->f->counting->calls;
    assert_true(rt_ok(rt_scheduler_host_copy(w->scheduler, w->a, 0, SIZE, bytes)));
    assert_int_equal(w->f->counting->calls, calls);
    assert_true(rt_ok(rt_scheduler_user_event_complete(w->scheduler, event, false)));
    w->a->host_read = NULL;
}

static void a_look_at_shared_memory_waits_for_what_it_began_with(void **state)
{
    world *w = *state;
    assert_true(rt_ok(rt_scheduler_host_look(w->scheduler, w->shared, 1)));
    launch(w, w->shared);
    fail_call(w, 0);
    assert_int_equal(rt_scheduler_host_look(w->scheduler, w->shared, 2).code, RT_DRIVER_ERROR);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_user_event_is_open_until_it_is_completed),
        TEST(a_user_event_that_the_device_does_not_complete_stays_open),
        TEST(open_events_fail_with_the_scheduler),
        TEST(a_host_task_copies_in_host_memory),
        TEST(a_host_task_uses_shared_memory_where_it_is),
        TEST(a_host_task_that_cannot_reach_shared_memory_fails),
        TEST(a_host_task_needs_what_shared_memory_begins_with),
        TEST(refused_host_tasks_name_the_memory),
        TEST(a_host_task_after_an_open_event_is_deferred),
        TEST(a_deferred_host_task_fails_with_its_event),
        TEST(a_deferred_host_task_fails_with_each_call),
        TEST(a_host_task_that_cannot_be_deferred_is_refused),
        TEST(mapped_bytes_are_read_and_written_until_they_are_unmapped),
        TEST(refused_maps_have_their_messages),
        TEST(a_failed_map_points_to_nothing),
        TEST(a_map_that_the_device_refuses_is_no_command),
        TEST(the_scheduler_unmaps_what_is_left),
        TEST(a_marker_waits_for_what_it_names_or_for_the_queue),
        TEST(a_marker_that_the_device_refuses_is_no_command),
        TEST(a_command_that_is_looked_at_may_be_advanced),
        TEST(the_end_of_a_fusion_is_advanced_with_its_kernels),
        TEST(a_copy_to_the_host_has_a_range),
        TEST(a_copy_to_the_host_waits_for_newer_reads),
        TEST(a_look_at_shared_memory_waits_for_what_it_began_with),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
