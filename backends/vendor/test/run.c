/* A small program on a device that executes. */
#include "backends/vendor/test/run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const uint8_t content[8] = {1, 2, 3, 4, 5, 6, 7, 8};

static rt_status memories_make(run *r)
{
    static const dev_memory_kind kinds[] = {
        [ON_DEVICE] = DEV_MEMORY_USM_DEVICE,
        [ON_HOST] = DEV_MEMORY_USM_HOST,
        [SHARED] = DEV_MEMORY_USM_SHARED,
    };
    RT_TRY(dev_memory_create(r->device, 8, RT_TEXT("m"), &r->memories[FIRST]));
    RT_TRY(dev_memory_create(r->device, 8, RT_TEXT("m"), &r->memories[SECOND]));
    for (int i = ON_DEVICE; i <= SHARED && r->capabilities.usm; i++)
        RT_TRY(dev_usm_create(r->device, kinds[i], 8, RT_TEXT("m"), &r->memories[i]));
    return RT_STATUS_OK;
}

rt_status run_open(const fixture *f, run *out_run)
{
    const dev_open_parameters parameters = {.sink = f->sink, .tools = f->tools};
    *out_run = (run){.value_size = 1};
    RT_TRY(dev_device_open(f->backend, &parameters, none, &out_run->device));
    dev_device_capabilities(out_run->device, &out_run->capabilities);
    return memories_make(out_run);
}

dev_event **run_event(run *r)
{
    CHECK(r->event_count < sizeof r->events / sizeof *r->events);
    return &r->events[r->event_count++];
}

rt_status run_wait(const run *r)
{
    CHECK(r->event_count > 0);
    return dev_event_wait(r->events[r->event_count - 1]);
}

rt_status run_launch(run *r, dev_command after, int memory, uint64_t offset)
{
    static const uint8_t value[4] = {42};
    CHECK(r->value_size >= 1 && r->value_size <= sizeof value);
    const dev_argument arguments[] = {
        {.kind = DEV_ARGUMENT_BYTES, .bytes = {value, r->value_size}},
        {.kind = memory < ON_DEVICE ? DEV_ARGUMENT_MEMORY : DEV_ARGUMENT_POINTER,
         .memory = r->memories[memory],
         .offset = offset},
    };
    return dev_enqueue_kernel(r->queues[0], after, r->kernel, &one_item, arguments, 2,
                              run_event(r));
}

/* Performs all transfers on a memory that is not a buffer. */
static rt_status run_pointers(run *r, int memory)
{
    dev_queue *queue = r->queues[0];
    dev_memory *it = r->memories[memory];
    if (!it) return RT_STATUS_OK; /* its creation is skipped if a query about USM failed */
    RT_TRY(dev_enqueue_write(queue, no_wait, it, 0, 8, content, run_event(r)));
    RT_TRY(dev_enqueue_fill(queue, no_wait, it, 4, 4, (rt_bytes){content, 2}, run_event(r)));
    RT_TRY(run_launch(r, no_wait, memory, 3));
    RT_TRY(dev_enqueue_read(queue, no_wait, it, 0, 8, r->seen[memory], run_event(r)));
    return run_wait(r);
}

rt_status run_commands(run *r, rt_bytes pattern)
{
    CHECK(r->event_count == 0);
    dev_event **e = r->events;
    const dev_command after_first = {.wait = &e[0], .wait_count = 1};
    const dev_command after_three = {.wait = &e[0], .wait_count = 3};
    dev_memory **m = r->memories;
    RT_TRY(dev_enqueue_write(r->queues[0], no_wait, m[FIRST], 0, 8, content, run_event(r)));
    RT_TRY(run_launch(r, after_first, FIRST, 0));
    RT_TRY(dev_enqueue_fill(r->queues[1], no_wait, m[SECOND], 4, 4, pattern, run_event(r)));
    RT_TRY(dev_enqueue_copy(r->queues[1], after_three, m[FIRST], 0, m[SECOND], 0, 4, run_event(r)));
    RT_TRY(dev_enqueue_marker(r->queues[1], after_three, (dev_marker){.is_barrier = true},
                              run_event(r)));
    RT_TRY(dev_enqueue_marker(r->queues[0], no_wait, (dev_marker){true, true}, run_event(r)));
    RT_TRY(dev_enqueue_marker(r->queues[0], no_wait, (dev_marker){0}, run_event(r)));
    for (int i = ON_DEVICE; i < MEMORIES; i++)
        RT_TRY(run_pointers(r, i));
    return RT_STATUS_OK;
}

void run_expect_seen(const run *r)
{
    /* 1 to 8 were written, the second half was filled with 1 2, and the kernel stored the fourth
     * byte. */
    static const uint8_t seen[8] = {1, 2, 3, 42, 1, 2, 1, 2};
    for (int i = ON_DEVICE; i < MEMORIES; i++)
        assert_memory_equal(r->seen[i], seen, 8);
}

void run_end(run *r)
{
    for (uint32_t i = 0; i < r->event_count; i++)
        dev_event_destroy(r->events[i]);
    for (int i = MEMORIES - 1; i >= 0; i--)
        dev_memory_destroy(r->memories[i]);
    /* A kernel outlives its program. */
    for (int i = 0; i < PROGRAMS; i++)
        dev_program_destroy(r->programs[i]);
    dev_kernel_destroy(r->kernel);
    for (int i = 0; i < 2; i++)
        dev_queue_destroy(r->queues[i]);
    dev_device_destroy(r->device);
}

/* ---- The variable ------------------------------------------------------------------------- */

void run_move_variable(const run *r, uint8_t out_read[4])
{
    dev_queue *queue = r->queues[0];
    dev_memory *variable = r->memories[VARIABLE], *shared = r->memories[SHARED];
    const dev_command command = {.tag = 1};
    dev_event *events[4];
    assert_true(rt_ok(dev_enqueue_write(queue, command, variable, 2, 4, content, &events[0])));
    assert_true(rt_ok(dev_enqueue_copy(queue, command, variable, 3, shared, 1, 2, &events[1])));
    assert_true(rt_ok(dev_enqueue_copy(queue, command, shared, 1, variable, 4, 2, &events[2])));
    assert_true(rt_ok(dev_enqueue_read(queue, command, variable, 2, 4, out_read, &events[3])));
    for (int i = 0; i < 4; i++) {
        assert_true(rt_ok(dev_event_wait(events[i])));
        dev_event_destroy(events[i]);
    }
}

void run_refuse_variables(const fixture *f, const run *r, size_t *told_size)
{
    const struct {
        rt_text name;
        size_t size;
        rt_code code;
        const char *part;
    } rows[] = {
        {{"missing", 7}, 4, RT_ERRC_INVALID, "no variable 'missing'"},
        {{"", 0}, 4, RT_ERRC_INVALID, "no variable ''"},
        {{"counter\0x", 9}, 4, RT_ERRC_INVALID, "NUL"},
        {{"counter", 7}, 0, RT_DRIVER_ERROR, "without a result"},
        {{"counter", 7}, (size_t)RT_MEMORY_SIZE_MAX + 1, RT_LIMIT, "4294967297 bytes"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        dev_memory *memory;
        *told_size = rows[i].size;
        rt_status status = dev_global_find(r->programs[LINKED], rows[i].name, &memory);
        expect_status(f->sink, status, rows[i].code, rows[i].part);
    }
}
