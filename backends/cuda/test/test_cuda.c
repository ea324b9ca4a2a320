/* Tests the CUDA adapter against a fake driver: the calls it makes, and how it handles every
 * failure.  No GPU is needed. */
#include "backends/cuda/cuda_internal.h"
#include "backends/cuda/test/fake_cuda.h"
#include "backends/vendor/test/run.h"
#include "reference/base/alloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static fake_cuda *fake; /* in the fake's shared object; main looks it up */

static void fake_reset(void)
{
    *fake = (fake_cuda){
        .name = "Fake GPU",
        .variable_size = FAKE_VARIABLE_SIZE,
        .function_threads = 512,
        .function_shared = 1000,
        .time_step = 0.5f,
        .log = "",
    };
    for (int i = 0; i < FAKE_ATTRIBUTES; i++)
        fake->attributes[i] = -1;
    const struct {
        int attribute, value;
    } rows[] = {
        {CUDA_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 1024},
        {CUDA_ATTRIBUTE_MAX_BLOCK_DIM_X, 1024},
        {CUDA_ATTRIBUTE_MAX_BLOCK_DIM_X + 1, 1024},
        {CUDA_ATTRIBUTE_MAX_BLOCK_DIM_X + 2, 64},
        {CUDA_ATTRIBUTE_MAX_GRID_DIM_X, 2147483647},
        {CUDA_ATTRIBUTE_MAX_GRID_DIM_X + 1, 65535},
        {CUDA_ATTRIBUTE_MAX_GRID_DIM_X + 2, 65535},
        {CUDA_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, 5000},
        {CUDA_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 9000},
        {CUDA_ATTRIBUTE_WARP_SIZE, 32},
        {CUDA_ATTRIBUTE_CAN_MAP_HOST_MEMORY, 1},
        {CUDA_ATTRIBUTE_UNIFIED_ADDRESSING, 1},
        {CUDA_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 9},
        {CUDA_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 0},
        {CUDA_ATTRIBUTE_MANAGED_MEMORY, 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        fake->attributes[rows[i].attribute] = rows[i].value;
}

static rt_status fake_open(const dev_open_parameters *parameters, rt_text selector,
                           dev_device **out_device)
{
    return cuda_device_open(FAKE_LIBRARY, parameters, selector, out_device);
}
static const dev_backend fake_backend = {"cuda over a fake", fake_open};

static const char ptx_text[] = "//@kernel k value:4 pointer:8\n"
                               "//@kernel l value:4 pointer:8 local:4 local:4\n"
                               "//@kernel fixed value:4 pointer:8\n"
                               "//@kernel missing_one value:4 pointer:8\n"
                               ".version 6.4\n"
                               ".visible .entry k(.param .u32 a) { ret; }\n"
                               ".visible .entry fixed_other() .reqntid 3 { ret; }\n"
                               ".visible .entry fixed(.param .u32 a)\n"
                               ".reqntid 4, 2, 1\n{ ret; }\n";
static const dev_code image = {
    .format = RT_FORMAT_PTX,
    .bytes = {(const uint8_t *)ptx_text, sizeof ptx_text - 1},
    .options = {"-cl-mad-enable -O2", 18},
};

static int setup(void **state)
{
    fake_reset();
    return fixture_begin(state, &fake_backend, NULL, &fake->script);
}

/* ---- Opening ------------------------------------------------------------------------------ */

static void drivers_that_are_none_are_unavailable(void **state)
{
    const fixture *f = *state;
    expect_unavailable(f, cuda_device_open, "NVIDIA's driver cannot be opened",
                       "has no cuGetErrorName");
}

static void devices_are_chosen_by_number(void **state)
{
    fixture *f = *state;
    const struct {
        const char *selector;
        rt_code code;
        int ordinal;
    } rows[] = {
        {"", RT_OK, 0},
        {"device=0", RT_OK, 0},
        {"device=1", RT_OK, 1},
        {"device=2", RT_UNAVAILABLE, 0},
        {"device=12345678901234567890", RT_ERRC_INVALID, 0},
        {"device=", RT_ERRC_INVALID, 0},
        {"device=x", RT_ERRC_INVALID, 0},
        {"device=1 ", RT_ERRC_INVALID, 0},
        {"1", RT_ERRC_INVALID, 0},
        {"optimisation=0", RT_OK, 0},
        {"device=1,optimisation=4", RT_OK, 1},
        {"optimisation=5", RT_ERRC_INVALID, 0},
        {"optimisation=", RT_ERRC_INVALID, 0},
        {",device=0", RT_ERRC_INVALID, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rt_status status = fixture_open(f, rows[i].selector);
        assert_int_equal(status.code, rows[i].code);
        if (rt_ok(status)) assert_int_equal(fake->ordinal, rows[i].ordinal);
        fixture_close(f);
    }
    assert_true(message_has(f->sink, fixture_open(f, "device=2"), "NVIDIA's driver shows 2"));
}

static void capabilities_are_the_drivers_answers(void **state)
{
    fixture *f = *state;
    dev_capabilities found;
    assert_true(rt_ok(fixture_open(f, "")));
    dev_device_capabilities(f->device, &found);
    assert_true(rt_text_is(found.name, "Fake GPU"));
    assert_true(rt_text_is(found.driver, "CUDA 13.2, compute capability 9.0"));
    assert_int_equal(found.formats_taken, 1u << RT_FORMAT_PTX | 1u << RT_FORMAT_NATIVE);
    assert_true(dev_capabilities_link(&found, RT_FORMAT_PTX));
    assert_false(dev_capabilities_link(&found, RT_FORMAT_SPIRV64));
    assert_int_equal(found.aspects, 1u << DEV_ASPECT_FP16 | 1u << DEV_ASPECT_FP64 |
                                        1u << DEV_ASPECT_ATOMIC64 |
                                        1u << DEV_ASPECT_VIRTUAL_FUNCTIONS);
    assert_true(found.executes && found.usm && found.globals_by_name && found.profiling);
    assert_false(found.spec_constants);
    assert_int_equal(found.local_size_max, 9000 - RT_PTX_LOCAL_ALIGNMENT);
    assert_int_equal(found.group_size_max, 1024);
    assert_true(found.sub_group_sizes == UINT64_C(1) << 31);
}

/* An attribute that is missing or too low removes only the capabilities that depend on it. */
static void missing_features_are_not_capabilities(void **state)
{
    fixture *f = *state;
    const struct {
        int attribute, value;
        bool usm;
        uint32_t aspects_gone;
        uint64_t local_size;
    } rows[] = {
        {CUDA_ATTRIBUTE_UNIFIED_ADDRESSING, 0, false, 0, 9000 - 128},
        {CUDA_ATTRIBUTE_MANAGED_MEMORY, 0, false, 0, 9000 - 128},
        {CUDA_ATTRIBUTE_CAN_MAP_HOST_MEMORY, -1, false, 0, 9000 - 128},
        {CUDA_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, -1, true, 0, 5000 - 128},
        {CUDA_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 16, true, 0, 0},
        {CUDA_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 5, true,
         1u << DEV_ASPECT_FP16 | 1u << DEV_ASPECT_ATOMIC64, 9000 - 128},
        {CUDA_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, -1, true, (1u << DEV_ASPECT_COUNT) - 1,
         9000 - 128},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        dev_capabilities found;
        fake_reset();
        fake->attributes[rows[i].attribute] = rows[i].value;
        assert_true(rt_ok(fixture_open(f, "")));
        dev_device_capabilities(f->device, &found);
        assert_int_equal(found.usm, rows[i].usm);
        assert_int_equal(found.aspects, ((1u << DEV_ASPECT_COUNT) - 1) & ~rows[i].aspects_gone);
        assert_int_equal(found.function_pointers,
                         found.aspects >> DEV_ASPECT_VIRTUAL_FUNCTIONS & 1);
        assert_int_equal(found.local_size_max, rows[i].local_size);
        fixture_close(f);
    }
}

/* ---- A whole run, in which any call may fail ---------------------------------------------- */

static rt_status run_prepare(const fixture *f, run *r)
{
    RT_TRY(run_open(f, r));
    r->value_size = 4;
    RT_TRY(dev_queue_create(r->device, &r->queues[0]));
    RT_TRY(dev_queue_create_profiling(r->device, &r->queues[1]));
    for (int i = 0; i < 2; i++)
        RT_TRY(dev_program_compile(r->device, &image, &r->programs[i]));
    RT_TRY(dev_program_link(r->device, r->programs, 2, RT_TEXT("-O3"), &r->programs[LINKED]));
    RT_TRY(dev_program_build(r->device, &image, &r->programs[3]));
    RT_TRY(program_reload(r->device, r->programs[LINKED], &r->programs[4]));
    RT_TRY(dev_kernel_create(r->programs[4], RT_TEXT("k"), &r->kernel));
    return dev_global_find(r->programs[LINKED], RT_TEXT("counter"), &r->memories[VARIABLE]);
}

static const uint8_t one = 1;

/* Maps bytes 2 to 5 of FIRST, writes 7 to the first of them, and unmaps them. */
static rt_status run_map(run *r)
{
    const dev_map map = {.offset = 2, .size = 4, .access = DEV_MAP_WRITE, .is_blocking = true};
    dev_mapping *mapping;
    RT_TRY(dev_enqueue_map(r->queues[0], no_wait, r->memories[FIRST], map, &mapping, run_event(r)));
    mapping->bytes[0] = 7;
    RT_TRY(dev_enqueue_unmap(r->queues[0], no_wait, mapping, run_event(r)));
    return run_wait(r);
}

static rt_status run_enqueue(run *r)
{
    dev_event *const *copied = &r->events[3];
    const dev_command after_copy = {.wait = copied, .wait_count = 1};
    RT_TRY(run_commands(r, (rt_bytes){&one, 1}));
    RT_TRY(dev_enqueue_read(r->queues[0], after_copy, r->memories[SECOND], 0, 8, r->read,
                            run_event(r)));
    RT_TRY(dev_queue_flush(r->queues[0]));
    RT_TRY(run_wait(r));
    RT_TRY(dev_event_wait(*copied));
    RT_TRY(run_map(r));
    return dev_event_times(*copied, &r->times);
}

static rt_status run_whole(const fixture *f, run *r)
{
    rt_status status = run_prepare(f, r);
    if (rt_ok(status)) status = run_enqueue(r);
    run_end(r);
    return status;
}

static rt_status use_whole(const fixture *f, const void *context)
{
    (void)context;
    run r;
    return run_whole(f, &r);
}

static void every_kind_of_memory_moves_its_bytes(void **state)
{
    fixture *f = *state;
    run r;
    assert_true(rt_ok(run_whole(f, &r)));
    run_expect_seen(&r);
    /* 42 2 3 4 from FIRST, then 1 four times. */
    const uint8_t expected[8] = {42, 2, 3, 4, 1, 1, 1, 1};
    assert_memory_equal(r.read, expected, 8);
}

/* A fill of a part, and a read of its buffer's other part once the buffer and the first part have
 * been destroyed; the last part frees the allocation.  A part cannot begin anywhere. */
static void parts_keep_their_buffer(void **state)
{
    enum { UNIT = DEV_PART_ALIGNMENT };
    fixture *f = *state;
    run r = {0};
    assert_true(rt_ok(run_prepare(f, &r)));
    dev_memory *whole, *first, *second, *refused;
    assert_true(rt_ok(dev_memory_create(r.device, 3 * UNIT, RT_TEXT("whole"), &whole)));
    assert_true(rt_ok(dev_memory_part_create(whole, UNIT, UNIT, RT_TEXT("first"), &first)));
    assert_true(rt_ok(dev_memory_part_create(whole, UNIT, 2 * UNIT, RT_TEXT("second"), &second)));
    expect_status(f->sink, dev_memory_part_create(whole, 4, UNIT, RT_TEXT("third"), &refused),
                  RT_ERRC_INVALID, "part 'third' begins at byte 4 of its buffer");
    assert_true(rt_ok(dev_enqueue_fill(r.queues[0], no_wait, whole, 0, 3 * UNIT,
                                       (rt_bytes){&one, 1}, run_event(&r))));
    const uint8_t two = 2;
    assert_true(rt_ok(
        dev_enqueue_fill(r.queues[0], no_wait, first, 4, 4, (rt_bytes){&two, 1}, run_event(&r))));
    fake->script.trace[0] = '\0';
    dev_memory_destroy(whole);
    dev_memory_destroy(first);
    assert_null(strstr(fake->script.trace, "cuMemFree_v2"));
    assert_true(rt_ok(
        dev_enqueue_read(r.queues[0], no_wait, second, 0, sizeof r.read, r.read, run_event(&r))));
    assert_true(rt_ok(run_wait(&r)));
    const uint8_t expected[8] = {1, 1, 1, 1, 2, 2, 2, 2};
    assert_memory_equal(r.read, expected, sizeof expected);
    dev_memory_destroy(second);
    assert_non_null(strstr(fake->script.trace, "cuMemFree_v2"));
    run_end(&r);
}

/* Maps bytes of a memory; the queue is the one that records no times. */
static rt_status bytes_map(run *r, int memory, uint64_t offset, uint64_t size,
                           dev_map_access access, dev_mapping **out_mapping)
{
    const dev_map map = {.offset = offset, .size = size, .access = access};
    return dev_enqueue_map(r->queues[0], no_wait, r->memories[memory], map, out_mapping,
                           run_event(r));
}

/* What the host wrote through a mapping for writing is in the buffer, and so is what it left alone.
 * FIRST holds 1 to 8 and then 1 2 9 4 5 6 7 8; what is written through a mapping for reading is
 * lost; and a mapping that invalidates copies nothing to the host. */
static void a_mapping_is_a_copy_that_comes_back(void **state)
{
    static const uint8_t content[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    const uint8_t expected[8] = {1, 2, 9, 4, 5, 6, 7, 8};
    fixture *f = *state;
    run r = {0};
    dev_mapping *mapping;
    assert_true(rt_ok(run_prepare(f, &r)));
    assert_true(rt_ok(
        dev_enqueue_write(r.queues[0], no_wait, r.memories[FIRST], 0, 8, content, run_event(&r))));
    assert_true(rt_ok(bytes_map(&r, FIRST, 1, 4, DEV_MAP_READ_WRITE, &mapping)));
    assert_memory_equal(mapping->bytes, content + 1, 4);
    mapping->bytes[1] = 9;
    fake->script.trace[0] = '\0';
    assert_true(rt_ok(dev_enqueue_unmap(r.queues[0], no_wait, mapping, run_event(&r))));
    assert_non_null(strstr(fake->script.trace, "cuStreamWaitEvent cuMemcpyAsync cuLaunchHostFunc"));
    assert_true(rt_ok(bytes_map(&r, FIRST, 0, 8, DEV_MAP_READ, &mapping)));
    assert_memory_equal(mapping->bytes, expected, 8);
    mapping->bytes[0] = 77;
    fake->script.trace[0] = '\0';
    assert_true(rt_ok(dev_enqueue_unmap(r.queues[0], no_wait, mapping, run_event(&r))));
    assert_null(strstr(fake->script.trace, "cuMemcpyAsync"));
    fake->script.trace[0] = '\0';
    assert_true(rt_ok(bytes_map(&r, FIRST, 7, 1, DEV_MAP_WRITE_INVALIDATE, &mapping)));
    assert_null(strstr(fake->script.trace, "cuMemcpyAsync"));
    mapping->bytes[0] = 8;
    assert_true(rt_ok(dev_enqueue_unmap(r.queues[0], no_wait, mapping, run_event(&r))));
    assert_true(rt_ok(
        dev_enqueue_read(r.queues[0], no_wait, r.memories[FIRST], 0, 8, r.read, run_event(&r))));
    assert_true(rt_ok(run_wait(&r)));
    assert_memory_equal(r.read, expected, 8);
    run_end(&r);
}

/* Bytes 2 to 5 are mapped for writing: a mapping for writing must not touch them, one for reading
 * may, and one of another buffer too. */
static void bytes_are_mapped_for_writing_once(void **state)
{
    static const struct {
        int memory;
        uint64_t offset, size;
        dev_map_access access;
        rt_code code;
    } rows[] = {
        {FIRST, 5, 3, DEV_MAP_WRITE, RT_ERRC_INVALID},
        {FIRST, 0, 3, DEV_MAP_READ_WRITE, RT_ERRC_INVALID},
        {FIRST, 3, 1, DEV_MAP_WRITE_INVALIDATE, RT_ERRC_INVALID},
        {FIRST, 0, 2, DEV_MAP_WRITE, RT_OK},
        {FIRST, 6, 2, DEV_MAP_WRITE, RT_OK},
        {FIRST, 0, 8, DEV_MAP_READ, RT_OK},
        {SECOND, 2, 4, DEV_MAP_WRITE, RT_OK},
    };
    fixture *f = *state;
    run r = {0};
    dev_mapping *mapping, *other;
    assert_true(rt_ok(run_prepare(f, &r)));
    assert_true(rt_ok(bytes_map(&r, FIRST, 2, 4, DEV_MAP_WRITE, &mapping)));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rt_status status =
            bytes_map(&r, rows[i].memory, rows[i].offset, rows[i].size, rows[i].access, &other);
        if (rows[i].code == RT_OK) {
            assert_true(rt_ok(status));
            assert_true(rt_ok(dev_enqueue_unmap(r.queues[0], no_wait, other, run_event(&r))));
        } else {
            r.event_count--; /* there is none */
            expect_status(f->sink, status, rows[i].code, "are mapped for writing; unmap them");
        }
    }
    assert_true(rt_ok(dev_enqueue_unmap(r.queues[0], no_wait, mapping, run_event(&r))));
    assert_true(rt_ok(bytes_map(&r, FIRST, 3, 1, DEV_MAP_WRITE, &mapping)));
    assert_true(rt_ok(dev_enqueue_unmap(r.queues[0], no_wait, mapping, run_event(&r))));
    run_end(&r);
}

static void the_driver_compiles_each_image_and_links_all(void **state)
{
    fixture *f = *state;
    run r = {0};
    assert_true(rt_ok(run_prepare(f, &r)));
    assert_non_null(strstr(fake->script.trace, "cuLinkCreate_v2 cuLinkAddData_v2 cuLinkDestroy "));
    assert_non_null(strstr(fake->script.trace, "cuLinkCreate_v2 cuLinkAddData_v2 cuLinkAddData_v2 "
                                               "cuLinkComplete cuModuleLoadDataEx cuLinkDestroy "));
    assert_int_equal(fake->added_size, sizeof ptx_text);
    run_end(&r);
}

/* A queue guarantees no order: its commands are distributed over several streams in turn, and wait
 * only for the events in their wait lists. */
static void commands_of_a_queue_overtake_each_other(void **state)
{
    fixture *f = *state;
    run r = {0};
    cuda_stream *streams[CUDA_STREAMS + 1];
    assert_true(rt_ok(run_prepare(f, &r)));
    fake->script.trace[0] = '\0';
    for (int i = 0; i <= CUDA_STREAMS; i++) {
        assert_true(rt_ok(run_launch(&r, no_wait, FIRST, 0)));
        streams[i] = fake->stream;
        for (int k = 0; k < i && i < CUDA_STREAMS; k++)
            assert_ptr_not_equal(streams[k], streams[i]);
    }
    assert_ptr_equal(streams[0], streams[CUDA_STREAMS]);
    assert_null(strstr(fake->script.trace, "cuStreamWaitEvent"));
    const dev_command after = {.wait = r.events, .wait_count = 2};
    assert_true(rt_ok(run_launch(&r, after, FIRST, 0)));
    assert_non_null(strstr(fake->script.trace, "cuStreamWaitEvent cuStreamWaitEvent cuLaunchKernel "
                                               "cuEventRecord "));
    run_end(&r);
}

/* The fake's recorded events are half a millisecond apart: the epoch; the fill's submission, start
 * and end; then the copy's. */
static void times_count_from_one_epoch(void **state)
{
    fixture *f = *state;
    run r = {0};
    dev_times fill;
    assert_true(rt_ok(run_prepare(f, &r)));
    assert_true(rt_ok(dev_enqueue_fill(r.queues[1], no_wait, r.memories[SECOND], 4, 4,
                                       (rt_bytes){&one, 1}, run_event(&r))));
    assert_true(rt_ok(run_wait(&r)));
    assert_true(rt_ok(dev_event_times(r.events[0], &fill)));
    assert_int_equal(fill.submit, 500000);
    assert_int_equal(fill.start, 1000000);
    assert_int_equal(fill.end, 1500000);
    run_end(&r);
}

/* The start of a marker that waits for all commands is recorded once its stream has joined the
 * others. */
static void a_marker_starts_after_what_it_waits_for(void **state)
{
    fixture *f = *state;
    run r = {0};
    assert_true(rt_ok(run_prepare(f, &r)));
    assert_true(rt_ok(dev_enqueue_fill(r.queues[1], no_wait, r.memories[SECOND], 4, 4,
                                       (rt_bytes){&one, 1}, run_event(&r))));
    fake->script.trace[0] = '\0';
    assert_true(rt_ok(dev_enqueue_marker(r.queues[1], no_wait, (dev_marker){.waits_for_all = true},
                                         run_event(&r))));
    const char *last = fake->script.trace, *next = last;
    while ((next = strstr(next + 1, "cuStreamWaitEvent")))
        last = next;
    const char *start = strstr(last, "cuEventRecord");
    assert_non_null(start);
    assert_non_null(strstr(start + 1, "cuEventRecord"));
    run_end(&r);
}

static void times_in_no_order_are_refused(void **state)
{
    fixture *f = *state;
    run r;
    fake->time_step = -0.5f;
    rt_status status = run_whole(f, &r);
    expect_status(f->sink, status, RT_DRIVER_ERROR, "cuEventElapsedTime");
}

/* From the first failing call on, the context is lost for good. */
static void fake_reset_sticky(void)
{
    fake_reset();
    fake->sticky = true;
}

static void fake_reset_talking(void)
{
    fake_reset();
    fake->log = "ptxas: line 3\n";
}

static void no_failure_leaks_or_panics(void **state)
{
    const fixture *f = *state;
    const whole_use whole = {fake_reset, use_whole, NULL, 150, 600};
    const whole_use losing = {fake_reset_sticky, use_whole, NULL, 150, 600};
    const cuda_result results[] = {
        CUDA_SUCCESS, CUDA_INVALID_VALUE, CUDA_OUT_OF_MEMORY, 46,  100, 200, 209,
        218,          CUDA_NOT_FOUND,     CUDA_NOT_READY,     700, 701, 719, 999,
        4242};
    for (size_t i = 0; i < sizeof results / sizeof *results; i++)
        fail_each_call(f, &whole, results[i], false);
    fail_each_call(f, &losing, 700, false);
    fail_each_call(f, &losing, 719, false);
}

static void failures_have_the_class_of_their_call(void **state)
{
    fixture *f = *state;
    static const failure rows[] = {
        {"cuInit", CUDA_NO_DEVICE, RT_UNAVAILABLE,
         "cuInit: CUDA_ERROR_NO_DEVICE (100): no CUDA-capable device is detected"},
        {"cuInit", 803, RT_UNAVAILABLE, "cuInit: a result that the driver does not name (803)"},
        {"cuInit", 999, RT_DRIVER_ERROR, "CUDA_ERROR_UNKNOWN (999): unknown error"},
        {"cuDeviceGetCount", 4242, RT_DRIVER_ERROR, "(4242)"},
        {"cuDevicePrimaryCtxRetain", 46, RT_UNAVAILABLE, "cuDevicePrimaryCtxRetain"},
        {"cuDevicePrimaryCtxRetain", CUDA_SUCCESS, RT_DRIVER_ERROR, "without a result"},
        {"cuCtxSetCurrent", 46, RT_DEVICE_LOST, "cuCtxSetCurrent"},
        {"cuMemAlloc_v2", CUDA_OUT_OF_MEMORY, RT_ERRC_MEMORY_ALLOCATION,
         "CUDA_ERROR_OUT_OF_MEMORY (2): out of memory"},
        {"cuMemAlloc_v2", CUDA_SUCCESS, RT_DRIVER_ERROR, "CUDA_SUCCESS without a result"},
        {"cuMemAllocManaged", 1, RT_DRIVER_ERROR, "cuMemAllocManaged: CUDA_ERROR_INVALID_VALUE"},
        {"cuMemHostGetDevicePointer_v2", 1, RT_DRIVER_ERROR, "cuMemHostGetDevicePointer_v2"},
        {"cuStreamCreate", CUDA_OUT_OF_MEMORY, RT_ERRC_MEMORY_ALLOCATION, "cuStreamCreate"},
        {"cuLinkCreate_v2", 221, RT_UNSUPPORTED, "cuLinkCreate_v2"},
        {"cuLinkAddData_v2", 218, RT_ERRC_BUILD,
         "cuLinkAddData_v2: CUDA_ERROR_INVALID_PTX (218): a PTX JIT compilation failed; the "
         "driver's log:\nptxas: line 3"},
        {"cuLinkAddData_v2", 222, RT_UNSUPPORTED, "(222)"},
        {"cuLinkAddData_v2", 200, RT_MALFORMED, "CUDA_ERROR_INVALID_IMAGE"},
        {"cuLinkComplete", 999, RT_LINK_ERROR, "cuLinkComplete: CUDA_ERROR_UNKNOWN (999)"},
        {"cuLinkComplete", 209, RT_LINK_ERROR, "ptxas: line 3"},
        {"cuLinkComplete", 700, RT_DEVICE_LOST, "CUDA_ERROR_ILLEGAL_ADDRESS"},
        {"cuLinkComplete", 2, RT_ERRC_MEMORY_ALLOCATION, "CUDA_ERROR_OUT_OF_MEMORY"},
        {"cuLinkComplete", CUDA_SUCCESS, RT_DRIVER_ERROR, "without a result"},
        {"cuModuleLoadDataEx", 200, RT_MALFORMED, "cuModuleLoadDataEx"},
        {"cuModuleGetFunction", CUDA_NOT_FOUND, RT_ERRC_INVALID, "no kernel 'k'"},
        {"cuModuleGetFunction", 999, RT_DRIVER_ERROR, "cuModuleGetFunction"},
        {"cuFuncSetAttribute", 1, RT_DRIVER_ERROR, "cuFuncSetAttribute"},
        {"cuModuleGetGlobal_v2", 999, RT_DRIVER_ERROR, "cuModuleGetGlobal_v2"},
        {"cuEventCreate", CUDA_OUT_OF_MEMORY, RT_ERRC_MEMORY_ALLOCATION, "cuEventCreate"},
        {"cuStreamWaitEvent", 719, RT_DEVICE_LOST, "cuStreamWaitEvent"},
        {"cuMemHostAlloc", CUDA_OUT_OF_MEMORY, RT_ERRC_MEMORY_ALLOCATION, "cuMemHostAlloc"},
        {"cuMemcpyAsync", 1, RT_DRIVER_ERROR, "cuMemcpyAsync"},
        {"cuLaunchHostFunc", 1, RT_DRIVER_ERROR, "cuLaunchHostFunc"},
        {"cuLaunchKernel", 701, RT_ERRC_ND_RANGE, "cuLaunchKernel"},
        {"cuLaunchKernel", 1, RT_DRIVER_ERROR, "cuLaunchKernel"},
        {"cuMemsetD8Async", 1, RT_DRIVER_ERROR, "cuMemsetD8Async"},
        {"cuEventRecord", 1, RT_DRIVER_ERROR, "cuEventRecord"},
        {"cuEventSynchronize", 700, RT_DEVICE_LOST, "an illegal memory access was encountered"},
        {"cuEventSynchronize", 702, RT_DEVICE_LOST, "cuEventSynchronize"},
        {"cuEventElapsedTime", 1, RT_DRIVER_ERROR, "cuEventElapsedTime"},
    };
    const whole_use whole = {fake_reset_talking, use_whole, NULL, 0, 0};
    expect_failures(f, &whole, rows, sizeof rows / sizeof *rows);
}

/* If the linker logs nothing, there is no sign that symbols are the cause. */
static void a_link_that_fails_silently_is_the_drivers_failure(void **state)
{
    fixture *f = *state;
    run r;
    fake->script.fail_call = "cuLinkComplete";
    fake->script.fail_with = 999;
    rt_status status = run_whole(f, &r);
    expect_status(f->sink, status, RT_DRIVER_ERROR, "unknown error");
}

/* Driver 580.159.04 refuses a second definition as soon as the text is added, with the result for
 * invalid PTX, although the text compiled on its own. */
static void a_text_that_does_not_fit_the_others_is_a_failure_to_link(void **state)
{
    fixture *f = *state;
    run r;
    fake->second_text = true;
    fake->script.fail_with = 300;
    fake->log = "error   : Multiple definition of 'f' in 'image 1', first defined in 'image 0'\n";
    rt_status status = run_whole(f, &r);
    expect_status(f->sink, status, RT_LINK_ERROR, "cuLinkAddData_v2");
    assert_true(message_has(f->sink, status, "Multiple definition of 'f'"));
}

/* ---- Programs ----------------------------------------------------------------------------- */

static void images_that_are_not_ptx_are_refused(void **state)
{
    fixture *f = *state;
    assert_true(rt_ok(fixture_open(f, "")));
    const struct {
        rt_format format;
        const char *text;
        size_t length;
        const char *options;
        rt_code code;
        const char *part;
    } rows[] = {
        {RT_FORMAT_SPIRV64, "x", 1, "", RT_UNSUPPORTED, "takes images of format ptx, not spirv64"},
        {RT_FORMAT_PTX, "", 0, "", RT_MALFORMED, "is empty or holds a NUL"},
        {RT_FORMAT_PTX, ".x\0y", 4, "", RT_MALFORMED, "is empty or holds a NUL"},
        {RT_FORMAT_PTX, "//@kernel k what:4\n", 19, "", RT_MALFORMED, "line 1"},
        {RT_FORMAT_PTX, "//@kernel k\n.entry k() .reqntid 0 {", 35, "", RT_MALFORMED, ".reqntid"},
        {RT_FORMAT_PTX, "//@kernel k\n.entry k() .reqntid", 31, "", RT_MALFORMED, ".reqntid"},
        {RT_FORMAT_PTX, ".version", 8, "-fast", RT_ERRC_BUILD, "'-fast' is not an option"},
        {RT_FORMAT_PTX, ".version", 8, "-O", RT_ERRC_BUILD, "'-O' is not an option"},
        {RT_FORMAT_PTX, ".version", 8, "-g1", RT_ERRC_BUILD, "'-g1' is not an option"},
        {RT_FORMAT_PTX, ".version", 8, "-maxrregcount=1234", RT_ERRC_BUILD, "is not an option"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const dev_code code = {
            .format = rows[i].format,
            .bytes = {(const uint8_t *)rows[i].text, rows[i].length},
            .options = rt_text_of(rows[i].options),
        };
        dev_program *program;
        rt_status compiled = dev_program_compile(f->device, &code, &program);
        rt_status built = dev_program_build(f->device, &code, &program);
        assert_int_equal(compiled.code, rows[i].code);
        assert_int_equal(built.code, rows[i].code);
        assert_true(message_has(f->sink, compiled, rows[i].part));
        assert_true(message_has(f->sink, built, rows[i].part));
    }
}

/* The image's -O2 follows the link's -O1, and the last one wins. */
static void options_reach_the_drivers_linker(void **state)
{
    fixture *f = *state;
    run r = {0};
    dev_program *linked;
    assert_true(rt_ok(run_prepare(f, &r)));
    assert_int_equal(fake->optimisation, 2);
    assert_int_equal(fake->registers, ~0u);
    rt_text options = RT_TEXT("-O1  -maxrregcount=64 -g -lineinfo");
    assert_true(rt_ok(dev_program_link(r.device, r.programs, 1, options, &linked)));
    assert_int_equal(fake->optimisation, 2);
    assert_int_equal(fake->registers, 64);
    dev_program_destroy(linked);
    run_end(&r);
}

static void the_devices_level_is_that_of_programs_without_one(void **state)
{
    fixture *f = *state;
    assert_true(rt_ok(fixture_open(f, "optimisation=1")));
    dev_code code = image;
    dev_program *programs[2];
    code.options = RT_TEXT("");
    assert_true(rt_ok(dev_program_build(f->device, &code, &programs[0])));
    assert_int_equal(fake->optimisation, 1);
    code.options = RT_TEXT("-O3");
    assert_true(rt_ok(dev_program_build(f->device, &code, &programs[1])));
    assert_int_equal(fake->optimisation, 3);
    for (int i = 0; i < 2; i++)
        dev_program_destroy(programs[i]);
}

/* Damage to any byte of a program's binary is detected. */
static void damaged_binaries_are_refused(void **state)
{
    fixture *f = *state;
    run r = {0};
    rt_buffer binary = {0};
    dev_program *program;
    assert_true(rt_ok(run_prepare(f, &r)));
    assert_true(rt_ok(dev_program_binary(r.programs[2], &binary)));
    for (size_t i = 0; i < binary.size; i++) {
        binary.data[i] ^= 1;
        rt_status status = dev_program_load(r.device, rt_buffer_bytes(&binary), &program);
        assert_int_equal(status.code, RT_MALFORMED);
        binary.data[i] ^= 1;
        rt_bytes cut = {(const uint8_t *)binary.data, i};
        assert_int_equal(dev_program_load(r.device, cut, &program).code, RT_MALFORMED);
    }
    assert_true(rt_ok(dev_program_load(r.device, rt_buffer_bytes(&binary), &program)));
    dev_program_destroy(program);
    rt_buffer_free(&binary);
    run_end(&r);
}

/* ---- Variables ---------------------------------------------------------------------------- */

/* A round trip from and to the host, then a copy of some of the bytes to unified shared memory and
 * back: cuModuleGetGlobal supplies the variable's address, and only cuMemcpyAsync moves bytes, from
 * the requested offset. */
static void DG_PLUGIN_12_variables_are_moved_by_address(void **state)
{
    fixture *f = *state;
    run r = {0};
    uint8_t back[4] = {0};
    assert_true(rt_ok(run_prepare(f, &r)));
    assert_non_null(strstr(fake->script.trace, "cuModuleGetGlobal_v2"));
    memset(fake->variable, 9, sizeof fake->variable);
    fake->script.trace[0] = '\0';
    run_move_variable(&r, back);
    uint8_t variable_then[FAKE_VARIABLE_SIZE];
    memcpy(variable_then, fake->variable, sizeof variable_then);
    bool only_copies =
        strstr(fake->script.trace, "cuMemcpyAsync") && !strstr(fake->script.trace, "cuMemset");
    run_end(&r); /* before any assertion can fail, since a device must outlive its objects */
    assert_true(only_copies);
    /* 1 2 3 4 at byte 2; then the variable's bytes 3 and 4, which are 2 and 3, at byte 4. */
    const uint8_t expected[4] = {1, 2, 2, 3};
    const uint8_t whole[FAKE_VARIABLE_SIZE] = {9, 9, 1, 2, 2, 3, 9, 9, 9, 9, 9, 9};
    assert_memory_equal(back, expected, 4);
    assert_memory_equal(variable_then, whole, sizeof whole);
}

static void variables_that_cannot_be_are_refused(void **state)
{
    fixture *f = *state;
    run r = {0};
    assert_true(rt_ok(run_prepare(f, &r)));
    assert_int_equal(dev_memory_address(r.memories[VARIABLE]), (uintptr_t)fake->variable);
    run_refuse_variables(f, &r, &fake->variable_size);
    run_end(&r);
}

/* Patterns of every size, at an aligned and at an unaligned address. */
static void fills_repeat_their_pattern(void **state)
{
    fixture *f = *state;
    assert_true(rt_ok(fixture_open(f, "")));
    dev_memory *memory;
    dev_queue *queue;
    assert_true(rt_ok(dev_memory_create(f->device, 256, RT_TEXT("m"), &memory)));
    assert_true(rt_ok(dev_queue_create(f->device, &queue)));
    uint8_t pattern[16], back[256];
    for (uint8_t i = 0; i < 16; i++)
        pattern[i] = (uint8_t)(i * 7 + 1);
    ((cuda_memory *)memory)->address += 1; /* unaligned, as an array of bytes may be */
    for (int odd = 1; odd >= 0; odd--) {
        for (size_t size = 1; size <= 16; size *= 2) {
            dev_event *events[2];
            const dev_command after = {.wait = events, .wait_count = 1};
            assert_true(rt_ok(dev_enqueue_fill(queue, no_wait, memory, 16, 96,
                                               (rt_bytes){pattern, size}, &events[0])));
            assert_true(rt_ok(dev_enqueue_read(queue, after, memory, 15, 98, back, &events[1])));
            assert_true(rt_ok(dev_event_wait(events[1])));
            for (size_t i = 0; i < 96; i++)
                assert_int_equal(back[1 + i], pattern[i % size]);
            assert_int_equal(back[0],
                             0xA5); /* the fake's initial contents, next to the filled bytes */
            assert_int_equal(back[97], 0xA5);
            dev_event_destroy(events[0]);
            dev_event_destroy(events[1]);
        }
        if (odd) ((cuda_memory *)memory)->address -= 1;
        if (odd) memset((void *)(uintptr_t)((cuda_memory *)memory)->address, 0xA5, 256);
    }
    dev_memory_destroy(memory);
    dev_queue_destroy(queue);
}

/* ---- Kernels ------------------------------------------------------------------------------ */

static void kernels_that_are_not_there_are_refused(void **state)
{
    fixture *f = *state;
    run r = {0};
    assert_true(rt_ok(run_prepare(f, &r)));
    const struct {
        rt_text name;
        const char *part;
    } rows[] = {
        {{"no", 2}, "no kernel 'no' (no PTX of it declares one)"},
        {{"k\0k", 3}, "no PTX of it declares one"},
        {{"missing_one", 11}, "no kernel 'missing_one' (cuModuleGetFunction"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        dev_kernel *kernel;
        rt_status status = dev_kernel_create(r.programs[2], rows[i].name, &kernel);
        expect_status(f->sink, status, RT_ERRC_INVALID, rows[i].part);
    }
    assert_int_equal(dev_kernel_argument_count(r.kernel), 2);
    run_end(&r);
}

/* A launch as ptx.h specifies it: the hidden parameter holds the offset and the number of
 * dimensions. */
static void launches_follow_the_contract(void **state)
{
    fixture *f = *state;
    run r = {0};
    const uint8_t value[4] = {7};
    const dev_nd_range range = {
        .dimensions = 2, .global = {12, 6, 1}, .local = {4, 3, 1}, .offset = {5, 9, 0}};
    const dev_argument arguments[] = {
        {.kind = DEV_ARGUMENT_BYTES, .bytes = {value, 4}},
        {.kind = DEV_ARGUMENT_MEMORY, .memory = NULL},
    };
    assert_true(rt_ok(run_prepare(f, &r)));
    assert_int_equal(fake->dynamic_shared, 9000 - 1000); /* the device's limit minus the kernel's
                                                          * own use */
    assert_true(rt_ok(
        dev_enqueue_kernel(r.queues[0], no_wait, r.kernel, &range, arguments, 2, run_event(&r))));
    const unsigned grid[3] = {3, 2, 1}, block[3] = {4, 3, 1};
    assert_memory_equal(fake->grid, grid, sizeof grid);
    assert_memory_equal(fake->block, block, sizeof block);
    assert_int_equal(fake->shared_size, RT_PTX_LAUNCH_SIZE);
    const rt_ptx_launch hidden = {.global_offset = {5, 9, 0}, .dimensions = 2};
    assert_memory_equal(&fake->hidden, &hidden, sizeof hidden);
    run_end(&r);
}

/* ---- Lost devices, and calls that do not return ------------------------------------------- */

/* The waiter detects a failed kernel; afterwards every operation fails, but all objects can still
 * be released. */
static void a_lost_device_stays_lost(void **state)
{
    fixture *f = *state;
    run r = {0};
    dev_program *program;
    dev_memory *memory;
    dev_event *event;
    assert_true(rt_ok(run_prepare(f, &r)));
    assert_true(rt_ok(run_launch(&r, no_wait, FIRST, 0)));
    fake->script.fail_call = "cuEventSynchronize";
    fake->script.fail_with = 700;
    fake->sticky = true;
    rt_status first = run_wait(&r), second = run_wait(&r);
    assert_int_equal(first.code, RT_DEVICE_LOST);
    assert_int_equal(first.detail, second.detail);
    /* The driver does not name the kernel. */
    const char *message = rt_sink_diagnostic(f->sink, first)->message.data;
    assert_non_null(strstr(message, "; the launch that was not complete: kernel '"));
    assert_non_null(strstr(message, "' (command "));
    assert_int_equal(dev_event_query(r.events[0]), DEV_EVENT_FAILED);
    assert_int_equal(dev_memory_create(r.device, 8, none, &memory).code, RT_DEVICE_LOST);
    assert_int_equal(dev_program_compile(r.device, &image, &program).code, RT_DEVICE_LOST);
    assert_int_equal(
        dev_enqueue_read(r.queues[0], no_wait, r.memories[FIRST], 0, 8, r.read, &event).code,
        RT_DEVICE_LOST);
    run_end(&r);
}

/* A launch that a later wait finds complete is not blamed; a launch that no call has waited for is,
 * whatever the wait is for. */
static void a_fault_is_blamed_on_launches_that_were_not_complete(void **state)
{
    fixture *f = *state;
    run r = {0};
    dev_command tagged = {.tag = 7};
    dev_event *read = NULL;
    assert_true(rt_ok(run_prepare(f, &r)));
    assert_true(rt_ok(run_launch(&r, no_wait, FIRST, 0)));
    assert_true(rt_ok(run_wait(&r)));
    assert_true(rt_ok(run_launch(&r, tagged, FIRST, 0)));
    assert_true(
        rt_ok(dev_enqueue_read(r.queues[0], no_wait, r.memories[FIRST], 0, 8, r.read, &read)));
    fake->script.fail_call = "cuEventSynchronize";
    fake->script.fail_with = 710;
    fake->sticky = true;
    rt_status status = dev_event_wait(read);
    assert_int_equal(status.code, RT_DEVICE_LOST);
    const char *message = rt_sink_diagnostic(f->sink, status)->message.data;
    assert_non_null(strstr(message, "the launch that was not complete: kernel '"));
    assert_non_null(strstr(message, "(command 7)"));
    assert_null(strstr(message, "(command 0)"));
    dev_event_destroy(read);
    run_end(&r);
}

static void *waiter(void *event)
{
    CHECK(rt_ok(dev_event_wait(event)));
    return NULL;
}

/* A wait that does not return does not block callers that only poll. */
static void a_wait_that_hangs_lets_others_look(void **state)
{
    fixture *f = *state;
    run r = {0};
    pthread_t thread;
    assert_true(rt_ok(run_prepare(f, &r)));
    assert_true(rt_ok(run_launch(&r, no_wait, FIRST, 0)));
    fake->pending = true;
    fake->hang_call = "cuEventSynchronize";
    assert_int_equal(pthread_create(&thread, NULL, waiter, r.events[0]), 0);
    while (!atomic_load(&fake->hanging))
        continue;
    assert_int_equal(dev_event_query(r.events[0]), DEV_EVENT_PENDING);
    fake->hang_call = NULL;
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(dev_event_query(r.events[0]), DEV_EVENT_COMPLETE);
    run_end(&r);
}

/* Reads and writes from several threads share page-locked blocks. */
static void *mover(void *user)
{
    const run *r = user;
    dev_memory *memory;
    CHECK(rt_ok(dev_memory_create(r->device, 8, RT_TEXT("m"), &memory)));
    for (uint8_t i = 0; i < 200; i++) {
        uint8_t read = 0;
        dev_event *written, *done;
        CHECK(rt_ok(dev_enqueue_write(r->queues[0], no_wait, memory, 3, 1, &i, &written)));
        const dev_command after = {.wait = &written, .wait_count = 1};
        CHECK(rt_ok(dev_enqueue_read(r->queues[1], after, memory, 3, 1, &read, &done)));
        CHECK(rt_ok(dev_event_wait(done)));
        CHECK(read == i);
        dev_event_destroy(written);
        dev_event_destroy(done);
    }
    dev_memory_destroy(memory);
    return NULL;
}

static void threads_share_a_device(void **state)
{
    fixture *f = *state;
    run r = {0};
    pthread_t threads[4];
    assert_true(rt_ok(run_prepare(f, &r)));
    fake->ignore_streams = true;
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, mover, &r), 0);
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    run_end(&r);
}

int main(int argc, char **argv)
{
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    fake = fixture_find_fake(FAKE_LIBRARY);
    if (!fake) return 1;
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, fixture_end)
    const struct CMUnitTest tests[] = {
        TEST(drivers_that_are_none_are_unavailable),
        TEST(devices_are_chosen_by_number),
        TEST(capabilities_are_the_drivers_answers),
        TEST(missing_features_are_not_capabilities),
        TEST(every_kind_of_memory_moves_its_bytes),
        TEST(parts_keep_their_buffer),
        TEST(a_mapping_is_a_copy_that_comes_back),
        TEST(bytes_are_mapped_for_writing_once),
        TEST(the_driver_compiles_each_image_and_links_all),
        TEST(commands_of_a_queue_overtake_each_other),
        TEST(times_count_from_one_epoch),
        TEST(a_marker_starts_after_what_it_waits_for),
        TEST(times_in_no_order_are_refused),
        TEST(no_failure_leaks_or_panics),
        TEST(failures_have_the_class_of_their_call),
        TEST(a_link_that_fails_silently_is_the_drivers_failure),
        TEST(a_text_that_does_not_fit_the_others_is_a_failure_to_link),
        TEST(images_that_are_not_ptx_are_refused),
        TEST(options_reach_the_drivers_linker),
        TEST(the_devices_level_is_that_of_programs_without_one),
        TEST(damaged_binaries_are_refused),
        TEST(DG_PLUGIN_12_variables_are_moved_by_address),
        TEST(variables_that_cannot_be_are_refused),
        TEST(fills_repeat_their_pattern),
        TEST(kernels_that_are_not_there_are_refused),
        TEST(launches_follow_the_contract),
        TEST(a_lost_device_stays_lost),
        TEST(a_fault_is_blamed_on_launches_that_were_not_complete),
        TEST(a_wait_that_hangs_lets_others_look),
        TEST(threads_share_a_device),
    };
#undef TEST
    return cmocka_run_group_tests(tests, NULL, NULL);
}
