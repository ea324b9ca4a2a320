/* The suite declared in device_suite.h.  It tests what a runtime requires of a device: linking or a
 * reported reason for its failure, geometry, kinds of arguments, ordering by events across several
 * queues, lifetimes; and, for a device that advertises them: unified shared memory, variables by
 * name, specialisation constants. */
#include "reference/device/test/device_suite.h"

#include "reference/base/alloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

typedef struct fixture {
    const device_suite *suite;
    rt_sink *sink;
    dev_device *device;
    dev_queue *queue;
    dev_capabilities capabilities;
    rt_buffer apply; /* modules */
    rt_buffer twice;
    rt_buffer kernels;
    rt_buffer usm;
    rt_buffer globals;
    rt_buffer constants;
    /* The last finding, and the number of findings. */
    char finding_kind[32], finding_object[32];
    uint64_t finding_offset;
    uint32_t finding_count;
} fixture;

static const rt_text no_options = {"", 0};
static const dev_command no_wait = {0};

/* Fails the test with the status's message unless the status is success. */
static void ok(const fixture *f, rt_status status)
{
    if (rt_ok(status)) return;
    const rt_diagnostic *diagnostic = rt_sink_diagnostic(f->sink, status);
    fail_msg("%s: %.*s", rt_code_name(diagnostic->code), RT_TEXT_ARG(diagnostic->message));
}

/* Waits for the event, expects success, and destroys the event. */
static void finish(const fixture *f, dev_event *event)
{
    ok(f, dev_event_wait(event));
    assert_int_equal(dev_event_query(event), DEV_EVENT_COMPLETE);
    dev_event_destroy(event);
}

/* ---- Helpers that perform one operation and wait for it ----------------------------------- */

static dev_memory *memory_with(const fixture *f, const void *content, uint64_t size)
{
    dev_memory *memory;
    dev_event *event;
    ok(f, dev_memory_create(f->device, size, RT_TEXT("suite"), &memory));
    ok(f, dev_enqueue_write(f->queue, no_wait, memory, 0, size, content, &event));
    finish(f, event);
    return memory;
}

static void memory_get(const fixture *f, dev_memory *memory, void *out_content, uint64_t size)
{
    dev_event *event;
    ok(f, dev_enqueue_read(f->queue, no_wait, memory, 0, size, out_content, &event));
    finish(f, event);
}

/* False for a device that does not execute, whose memory has no contents to compare. */
static bool shows(const fixture *f)
{
    return f->capabilities.executes;
}

static dev_code code_of(const rt_buffer *module)
{
    return (dev_code){.format = RT_FORMAT_SPIRV64, .bytes = rt_buffer_bytes(module)};
}

static dev_program *built(const fixture *f, const rt_buffer *module)
{
    const dev_code code = code_of(module);
    dev_program *program;
    ok(f, dev_program_build(f->device, &code, &program));
    return program;
}

static dev_kernel *kernel_of(const fixture *f, const rt_buffer *module, const char *name)
{
    dev_program *program = built(f, module);
    dev_kernel *kernel;
    ok(f, dev_kernel_create(program, rt_text_of(name), &kernel));
    dev_program_destroy(program);
    return kernel;
}

/* A kernel of the module `kernels`. */
static dev_kernel *kernel_named(const fixture *f, const char *name)
{
    return kernel_of(f, &f->kernels, name);
}

static dev_program *compiled(const fixture *f, const rt_buffer *module)
{
    const dev_code code = code_of(module);
    dev_program *program;
    ok(f, dev_program_compile(f->device, &code, &program));
    return program;
}

static dev_argument of_memory(dev_memory *memory)
{
    return (dev_argument){.kind = DEV_ARGUMENT_MEMORY, .memory = memory};
}

static dev_argument of_pointer(dev_memory *memory, uint64_t offset)
{
    return (dev_argument){.kind = DEV_ARGUMENT_POINTER, .memory = memory, .offset = offset};
}

static dev_argument of_bytes(const void *bytes, size_t size)
{
    return (dev_argument){.kind = DEV_ARGUMENT_BYTES, .bytes = {bytes, size}};
}

static void run_kernel(const fixture *f, dev_kernel *kernel, dev_nd_range range,
                       const dev_argument *arguments, uint32_t argument_count)
{
    dev_event *event;
    ok(f, dev_enqueue_kernel(f->queue, no_wait, kernel, &range, arguments, argument_count, &event));
    finish(f, event);
}

static dev_nd_range range_1d(uint64_t global, uint64_t local)
{
    uint64_t other_size = local > 0 ? 1 : 0;
    return (dev_nd_range){
        .dimensions = 1, .global = {global, 1, 1}, .local = {local, other_size, other_size}};
}

/* ---- Programs ----------------------------------------------------------------------------- */

static void import_is_resolved_by_another_image(void **state)
{
    const fixture *f = *state;
    if (!dev_capabilities_link(&f->capabilities, RT_FORMAT_SPIRV64)) skip();
    dev_program *programs[] = {compiled(f, &f->apply), compiled(f, &f->twice)}, *linked;
    ok(f, dev_program_link(f->device, programs, 2, no_options, &linked));
    dev_program_destroy(programs[0]);
    dev_program_destroy(programs[1]);
    dev_kernel *kernel;
    ok(f, dev_kernel_create(linked, RT_TEXT("apply"), &kernel));
    dev_program_destroy(linked);

    int data[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    const int expected[8] = {0, 2, 4, 6, 8, 10, 12, 14};
    dev_memory *memory = memory_with(f, data, sizeof data);
    const dev_argument argument = of_memory(memory);
    run_kernel(f, kernel, range_1d(8, 0), &argument, 1);
    memory_get(f, memory, data, sizeof data);
    if (shows(f)) assert_memory_equal(data, expected, sizeof data);
    dev_memory_destroy(memory);
    dev_kernel_destroy(kernel);
}

static void links_that_cannot_be_are_refused(void **state)
{
    const fixture *f = *state;
    if (!dev_capabilities_link(&f->capabilities, RT_FORMAT_SPIRV64)) skip();
    dev_program *apply = compiled(f, &f->apply), *failed_program;
    rt_status unresolved = dev_program_link(f->device, &apply, 1, no_options, &failed_program);
    assert_int_equal(unresolved.code, RT_LINK_ERROR);
    dev_program *twins[] = {apply, compiled(f, &f->twice), compiled(f, &f->twice)};
    rt_status duplicate = dev_program_link(f->device, twins, 3, no_options, &failed_program);
    if (f->suite->misjudges_duplicates) {
        if (rt_ok(duplicate)) dev_program_destroy(failed_program);
    } else {
        assert_int_equal(duplicate.code, RT_LINK_ERROR);
    }
    for (int i = 0; i < 3; i++)
        dev_program_destroy(twins[i]);
}

static void same_images_link_twice(void **state)
{
    const fixture *f = *state;
    if (!dev_capabilities_link(&f->capabilities, RT_FORMAT_SPIRV64)) skip();
    dev_program *programs[] = {compiled(f, &f->apply), compiled(f, &f->twice)};
    for (int i = 0; i < 2; i++) {
        dev_program *linked;
        dev_kernel *kernel;
        ok(f, dev_program_link(f->device, programs, 2, no_options, &linked));
        ok(f, dev_kernel_create(linked, RT_TEXT("apply"), &kernel));
        dev_kernel_destroy(kernel);
        dev_program_destroy(linked);
    }
    dev_program_destroy(programs[0]);
    dev_program_destroy(programs[1]);
}

/* A program that is restored from its bytes, at any address, runs as before. */
static void programs_survive_as_binaries(void **state)
{
    const fixture *f = *state;
    if (!f->capabilities.program_binaries) skip();
    dev_program *first = built(f, &f->kernels), *restored, *failed_program;
    rt_buffer binary = {0};
    ok(f, dev_program_binary(first, &binary));
    dev_program_destroy(first);
    ok(f, dev_program_load(f->device, rt_buffer_bytes(&binary), &restored));
    rt_buffer_free(&binary);
    ok(f, dev_program_binary(restored, &binary));
    dev_kernel *kernel;
    ok(f, dev_kernel_create(restored, RT_TEXT("geometry"), &kernel));
    assert_int_equal(dev_kernel_create(restored, RT_TEXT("geometri"), &(dev_kernel *){NULL}).code,
                     RT_ERRC_INVALID);
    dev_kernel_destroy(kernel);
    dev_program_destroy(restored);
    rt_buffer_free(&binary);
    static const uint8_t text[] = "no binary of a program";
    assert_false(
        rt_ok(dev_program_load(f->device, (rt_bytes){text, sizeof text}, &failed_program)));
    assert_false(rt_ok(dev_program_load(f->device, (rt_bytes){0}, &failed_program)));
}

static void unknown_kernel_is_refused(void **state)
{
    const fixture *f = *state;
    dev_program *program = built(f, &f->kernels);
    dev_kernel *kernel;
    assert_int_equal(dev_kernel_create(program, RT_TEXT("geometri"), &kernel).code,
                     RT_ERRC_INVALID);
    assert_int_equal(dev_kernel_create(program, RT_TEXT(""), &kernel).code, RT_ERRC_INVALID);
    assert_int_equal(dev_kernel_create(program, (rt_text){"geometry\0x", 10}, &kernel).code,
                     RT_ERRC_INVALID);
    dev_program_destroy(program);
}

static void images_that_are_no_spirv_are_refused(void **state)
{
    const fixture *f = *state;
    dev_program *program;
    const dev_code text = {.format = RT_FORMAT_SPIRV64, .bytes = {(const uint8_t *)"int main;", 9}};
    const dev_code nothing = {.format = RT_FORMAT_SPIRV64};
    const dev_code other = {.format = RT_FORMAT_SPIRV64_FPGA, .bytes = rt_buffer_bytes(&f->twice)};
    assert_int_equal(dev_program_compile(f->device, &text, &program).code, RT_MALFORMED);
    assert_int_equal(dev_program_build(f->device, &nothing, &program).code, RT_MALFORMED);
    dev_capabilities capabilities;
    dev_device_capabilities(f->device, &capabilities);
    bool accepts_fpga = capabilities.formats_taken >> RT_FORMAT_SPIRV64_FPGA & 1;
    assert_int_equal(dev_program_compile(f->device, &other, &program).code,
                     accepts_fpga ? RT_MALFORMED : RT_UNSUPPORTED);
}

/* ---- Images compiled ahead of time -------------------------------------------------------- */

static rt_buffer compiled_offline(const fixture *f, const rt_buffer *module)
{
    rt_buffer image = {0};
    if (f->suite->offline_compile) {
        ok(f, f->suite->offline_compile(f->sink, rt_buffer_bytes(module), &image));
        return image;
    }
    bool links = dev_capabilities_link(&f->capabilities, RT_FORMAT_NATIVE);
    dev_program *program = links ? compiled(f, module) : built(f, module);
    ok(f, dev_program_binary(program, &image));
    dev_program_destroy(program);
    return image;
}

/* Checks the status of a device that was given SPIR-V as a native image.  A driver that takes it
 * builds it like other SPIR-V, and this module may not be a whole program for it. */
static void assert_spirv_is_not_native(const fixture *f, bool is_native_taken, rt_status status,
                                       dev_program *program)
{
    const char *unless = f->suite->takes_spirv_as_binary_unless;
    rt_text driver = f->capabilities.driver;
    bool may_take =
        is_native_taken && unless && !memmem(driver.data, driver.length, unless, strlen(unless));
    if (may_take && rt_ok(status))
        dev_program_destroy(program);
    else if (!may_take || status.code != RT_ERRC_BUILD)
        assert_int_equal(status.code, is_native_taken ? RT_MALFORMED : RT_UNSUPPORTED);
}

/* What a device accepts and links agrees with its capabilities. */
static void native_images_are_accepted_or_refused_as_advertised(void **state)
{
    const fixture *f = *state;
    bool takes = (f->capabilities.formats_taken >> RT_FORMAT_NATIVE & 1) != 0;
    bool links = dev_capabilities_link(&f->capabilities, RT_FORMAT_NATIVE);
    assert_true(takes || !(links || f->suite->offline_compile));
    dev_program *program;
    dev_code code = code_of(&f->twice);
    code.format = RT_FORMAT_NATIVE;
    rt_status status = dev_program_compile(f->device, &code, &program);
    assert_spirv_is_not_native(f, links, status, program);
    status = dev_program_build(f->device, &code, &program);
    assert_spirv_is_not_native(f, takes, status, program);
    if (!f->suite->offline_compile) return;
    rt_buffer image = compiled_offline(f, &f->twice);
    image.data[image.size / 2] = (char)~image.data[image.size / 2];
    code.bytes = rt_buffer_bytes(&image);
    assert_int_equal(dev_program_compile(f->device, &code, &program).code, RT_MALFORMED);
    /* A native image that is labelled as SPIR-V. */
    image.data[image.size / 2] = (char)~image.data[image.size / 2];
    code.format = RT_FORMAT_SPIRV64;
    assert_int_equal(dev_program_compile(f->device, &code, &program).code, RT_MALFORMED);
    rt_buffer_free(&image);
}

/* A native image without imports is a whole program. */
static void native_images_run_alone(void **state)
{
    const fixture *f = *state;
    if (!(f->capabilities.formats_taken >> RT_FORMAT_NATIVE & 1)) skip();
    rt_buffer image = compiled_offline(f, &f->kernels);
    const dev_code code = {.format = RT_FORMAT_NATIVE, .bytes = rt_buffer_bytes(&image)};
    dev_program *program;
    dev_kernel *kernel;
    ok(f, dev_program_build(f->device, &code, &program));
    rt_buffer_free(&image);
    ok(f, dev_kernel_create(program, RT_TEXT("geometry"), &kernel));
    dev_kernel_destroy(kernel);
    dev_program_destroy(program);
}

static void native_images_link_with_each_other(void **state)
{
    const fixture *f = *state;
    if (!dev_capabilities_link(&f->capabilities, RT_FORMAT_NATIVE)) skip();
    const rt_buffer *modules[2] = {&f->apply, &f->twice};
    dev_program *programs[2], *linked, *failed_program;
    for (int i = 0; i < 2; i++) {
        rt_buffer image = compiled_offline(f, modules[i]);
        const dev_code code = {.format = RT_FORMAT_NATIVE, .bytes = rt_buffer_bytes(&image)};
        ok(f, dev_program_compile(f->device, &code, &programs[i]));
        rt_buffer_free(&image);
    }
    assert_int_equal(dev_program_link(f->device, programs, 1, no_options, &failed_program).code,
                     RT_LINK_ERROR);
    ok(f, dev_program_link(f->device, programs, 2, no_options, &linked));
    for (int i = 0; i < 2; i++)
        dev_program_destroy(programs[i]);
    dev_kernel *kernel;
    ok(f, dev_kernel_create(linked, RT_TEXT("apply"), &kernel));
    dev_program_destroy(linked);
    int data[4] = {5, 6, 7, -8};
    const int expected[4] = {10, 12, 14, -16};
    dev_memory *memory = memory_with(f, data, sizeof data);
    const dev_argument argument = of_memory(memory);
    run_kernel(f, kernel, range_1d(4, 0), &argument, 1);
    memory_get(f, memory, data, sizeof data);
    if (shows(f)) assert_memory_equal(data, expected, sizeof data);
    dev_memory_destroy(memory);
    dev_kernel_destroy(kernel);
}

/* ---- Launches ----------------------------------------------------------------------------- */

/* Compares one work-item's record of kernel geometry with what OpenCL C defines. */
static void geometry_check(const dev_nd_range *range, const uint64_t at[3], const uint32_t *record)
{
    for (uint32_t d = 0; d < 3; d++) {
        assert_int_equal(record[d], at[d] + range->offset[d]);
        assert_int_equal(record[3 + d], at[d] % range->local[d]);
    }
    assert_int_equal(record[6], at[0] / range->local[0] + 10 * (at[1] / range->local[1]) +
                                    100 * (at[2] / range->local[2]));
    assert_int_equal(record[7], range->dimensions);
}

static void ranges_number_their_items(void **state)
{
    const fixture *f = *state;
    const dev_nd_range ranges[] = {
        {.dimensions = 1, .global = {12, 1, 1}, .local = {4, 1, 1}},
        {.dimensions = 1, .global = {12, 1, 1}, .local = {3, 1, 1}, .offset = {100, 0, 0}},
        {.dimensions = 2, .global = {6, 4, 1}, .local = {3, 2, 1}, .offset = {1, 20, 0}},
        {.dimensions = 3, .global = {4, 6, 2}, .local = {2, 3, 1}, .offset = {5, 0, 7}},
    };
    dev_kernel *kernel = kernel_named(f, "geometry");
    static const uint32_t zeros[48 * 8] = {0};
    uint32_t records[48 * 8];
    for (size_t r = 0; r < sizeof ranges / sizeof *ranges; r++) {
        dev_memory *memory = memory_with(f, zeros, sizeof zeros);
        const dev_argument argument = of_memory(memory);
        run_kernel(f, kernel, ranges[r], &argument, 1);
        memory_get(f, memory, records, sizeof records);
        const uint32_t *record = records;
        uint64_t at[3];
        for (at[2] = 0; shows(f) && at[2] < ranges[r].global[2]; at[2]++)
            for (at[1] = 0; at[1] < ranges[r].global[1]; at[1]++)
                for (at[0] = 0; at[0] < ranges[r].global[0]; at[0]++, record += 8)
                    geometry_check(&ranges[r], at, record);
        dev_memory_destroy(memory);
    }
    dev_kernel_destroy(kernel);
}

static void groups_share_local_memory(void **state)
{
    const fixture *f = *state;
    int in[64], sums[4];
    for (int i = 0; i < 64; i++)
        in[i] = i;
    dev_kernel *kernel = kernel_named(f, "reduce");
    dev_memory *from = memory_with(f, in, sizeof in), *to = memory_with(f, in, sizeof sums);
    const dev_argument arguments[] = {
        of_memory(from), of_memory(to), {.kind = DEV_ARGUMENT_LOCAL, .size = 16 * sizeof(int)}};
    assert_int_equal(dev_kernel_argument_count(kernel), 3);
    run_kernel(f, kernel, range_1d(64, 16), arguments, 3);
    memory_get(f, to, sums, sizeof sums);
    /* Group g sums 16 g … 16 g + 15: 256 g + 120. */
    for (int g = 0; shows(f) && g < 4; g++)
        assert_int_equal(sums[g], 256 * g + 120);
    dev_memory_destroy(from);
    dev_memory_destroy(to);
    dev_kernel_destroy(kernel);
}

static void values_arrive_unchanged(void **state)
{
    const fixture *f = *state;
    const int8_t a = -3;
    const int16_t b = 1000;
    const int32_t c = -70000;
    int64_t d = INT64_C(1) << 40;
    const float e = 2.25f;
    int64_t out[4] = {0};
    dev_kernel *kernel = kernel_named(f, "mix_values");
    dev_memory *memory = memory_with(f, out, sizeof out);
    dev_argument arguments[] = {of_memory(memory),      of_bytes(&a, sizeof a),
                                of_bytes(&b, sizeof b), of_bytes(&c, sizeof c),
                                of_bytes(&d, sizeof d), of_bytes(&e, sizeof e)};
    dev_event *event;
    const dev_nd_range range = range_1d(4, 0);
    ok(f, dev_enqueue_kernel(f->queue, no_wait, kernel, &range, arguments, 6, &event));
    d = 0; /* the enqueue has copied the argument */
    finish(f, event);
    memory_get(f, memory, out, sizeof out);
    /* -3 + 2000 - 210000 + 2^42 + 18 + i */
    for (int64_t i = 0; shows(f) && i < 4; i++)
        assert_int_equal(out[i], (INT64_C(1) << 42) - 207985 + i);
    dev_memory_destroy(memory);
    dev_kernel_destroy(kernel);
}

static void null_pointers_arrive_as_null(void **state)
{
    const fixture *f = *state;
    int out = 0;
    const int in = 5;
    dev_kernel *kernel = kernel_named(f, "or_default");
    dev_memory *to = memory_with(f, &out, sizeof out), *from = memory_with(f, &in, sizeof in);
    const dev_argument with[] = {of_memory(to), of_memory(from)};
    const dev_argument without[] = {of_memory(to), of_memory(NULL)};
    run_kernel(f, kernel, range_1d(1, 1), with, 2);
    memory_get(f, to, &out, sizeof out);
    if (shows(f)) assert_int_equal(out, 5);
    run_kernel(f, kernel, range_1d(1, 1), without, 2);
    memory_get(f, to, &out, sizeof out);
    if (shows(f)) assert_int_equal(out, 7);
    dev_memory_destroy(to);
    dev_memory_destroy(from);
    dev_kernel_destroy(kernel);
}

static void launches_that_cannot_be_are_refused(void **state)
{
    const fixture *f = *state;
    dev_kernel *kernel = kernel_named(f, "add_one");
    const int zeros[8] = {0};
    dev_memory *memory = memory_with(f, zeros, sizeof zeros);
    const dev_argument arguments[] = {of_memory(memory), of_memory(memory)};
    dev_event *event;
    dev_nd_range range = range_1d(8, 0);
    assert_int_equal(
        dev_enqueue_kernel(f->queue, no_wait, kernel, &range, arguments, 0, &event).code,
        RT_ERRC_KERNEL_ARGUMENT);
    assert_int_equal(
        dev_enqueue_kernel(f->queue, no_wait, kernel, &range, arguments, 2, &event).code,
        RT_ERRC_KERNEL_ARGUMENT);
    range = range_1d(8, 3);
    assert_int_equal(
        dev_enqueue_kernel(f->queue, no_wait, kernel, &range, arguments, 1, &event).code,
        RT_ERRC_ND_RANGE);
    const uint64_t huge = (uint64_t)f->capabilities.group_size_max + 1;
    range = range_1d(huge, huge);
    assert_int_equal(
        dev_enqueue_kernel(f->queue, no_wait, kernel, &range, arguments, 1, &event).code,
        RT_ERRC_ND_RANGE);
    dev_memory_destroy(memory);
    dev_kernel_destroy(kernel);
}

/* ---- Commands and their order ------------------------------------------------------------- */

static void fills_repeat_their_pattern(void **state)
{
    const fixture *f = *state;
    enum { REPEATED = 3 };
    static const size_t sizes[] = {1, 2, 3, 4, 8, 12, 16, 24, 32, 64, 100, DEV_PATTERN_SIZE_MAX};
    uint8_t pattern[DEV_PATTERN_SIZE_MAX];
    uint8_t content[(REPEATED + 2) * DEV_PATTERN_SIZE_MAX], expected[sizeof content];
    for (size_t i = 0; i < sizeof pattern; i++)
        pattern[i] = (uint8_t)(0xFF - i);
    for (size_t n = 0; n < sizeof sizes / sizeof *sizes; n++) {
        const size_t size = sizes[n];
        memset(expected, 0x11, sizeof expected);
        dev_memory *memory = memory_with(f, expected, sizeof expected);
        for (size_t i = 0; i < REPEATED * size; i++)
            expected[size + i] = pattern[i % size];
        dev_event *event;
        ok(f, dev_enqueue_fill(f->queue, no_wait, memory, size, REPEATED * size,
                               (rt_bytes){pattern, size}, &event));
        finish(f, event);
        memory_get(f, memory, content, sizeof content);
        if (shows(f)) assert_memory_equal(content, expected, sizeof content);
        dev_memory_destroy(memory);
    }
}

static void events_order_commands_of_two_queues(void **state)
{
    const fixture *f = *state;
    dev_queue *other;
    ok(f, dev_queue_create(f->device, &other));
    dev_kernel *kernel = kernel_named(f, "add_one");
    int data[64];
    for (int i = 0; i < 64; i++)
        data[i] = 10 * i;
    dev_memory *first, *second;
    ok(f, dev_memory_create(f->device, sizeof data, RT_TEXT("first"), &first));
    ok(f, dev_memory_create(f->device, sizeof data, RT_TEXT("second"), &second));
    const dev_argument argument = of_memory(first);
    const dev_nd_range range = range_1d(64, 0);
    dev_event *chain[14];
    ok(f, dev_enqueue_write(f->queue, no_wait, first, 0, sizeof data, data, &chain[0]));
    for (uint32_t i = 1; i <= 10; i++) {
        const dev_command after = {.tag = i, .wait = &chain[i - 1], .wait_count = 1};
        ok(f, dev_enqueue_kernel(i % 2 != 0 ? other : f->queue, after, kernel, &range, &argument, 1,
                                 &chain[i]));
    }
    int copied[64], tail = 0;
    const dev_command after_10 = {.wait = &chain[10], .wait_count = 1};
    const dev_command after_11 = {.wait = &chain[11], .wait_count = 1};
    ok(f, dev_enqueue_copy(other, after_10, first, 4, second, 0, sizeof data - 4, &chain[11]));
    ok(f, dev_enqueue_read(f->queue, after_11, second, 0, sizeof data - 4, copied, &chain[12]));
    ok(f, dev_enqueue_read(other, after_10, first, 0, 4, &tail, &chain[13]));
    ok(f, dev_event_wait(chain[12]));
    ok(f, dev_event_wait(chain[13]));
    for (int i = 0; shows(f) && i < 63; i++)
        assert_int_equal(copied[i], 10 * (i + 1) + 10);
    if (shows(f)) assert_int_equal(tail, 10);
    for (uint32_t i = 0; i < 14; i++)
        finish(f, chain[i]);
    dev_memory_destroy(first);
    dev_memory_destroy(second);
    dev_kernel_destroy(kernel);
    dev_queue_destroy(other);
}

/* Increments 64 elements on the queue, after nothing but what a barrier holds back. */
static dev_event *add_one(const fixture *f, dev_queue *queue, dev_kernel *kernel,
                          dev_memory *memory, dev_nd_range range)
{
    const dev_argument argument = of_memory(memory);
    dev_event *event;
    ok(f, dev_enqueue_kernel(queue, no_wait, kernel, &range, &argument, 1, &event));
    return event;
}

/* Commands without wait lists, which only barriers order: three increments and a copy of their
 * result.  The second barrier waits for an event of another queue. */
static void barriers_order_the_commands_of_their_queue(void **state)
{
    const fixture *f = *state;
    dev_queue *other;
    ok(f, dev_queue_create(f->device, &other));
    dev_kernel *kernel = kernel_named(f, "add_one");
    int data[64] = {0}, seen[64] = {0};
    dev_memory *memory = memory_with(f, data, sizeof data);
    const dev_marker barrier = {.is_barrier = true}, full = {true, true}, marker = {true, false};
    dev_event *events[8];
    events[0] = add_one(f, f->queue, kernel, memory, range_1d(64, 0));
    ok(f, dev_enqueue_marker(f->queue, no_wait, full, &events[1]));
    events[2] = add_one(f, f->queue, kernel, memory, range_1d(64, 0));
    ok(f, dev_enqueue_marker(f->queue, no_wait, marker, &events[3]));
    const dev_command after_marker = {.wait = &events[3], .wait_count = 1};
    ok(f, dev_enqueue_marker(other, after_marker, barrier, &events[4]));
    events[5] = add_one(f, other, kernel, memory, range_1d(64, 0));
    ok(f, dev_enqueue_marker(other, no_wait, full, &events[6]));
    ok(f, dev_enqueue_read(other, no_wait, memory, 0, sizeof seen, seen, &events[7]));
    for (uint32_t i = 8; i-- > 0;)
        finish(f, events[i]);
    for (int i = 0; shows(f) && i < 64; i++)
        assert_int_equal(seen[i], 3);
    dev_memory_destroy(memory);
    dev_kernel_destroy(kernel);
    dev_queue_destroy(other);
}

/* Markers and launches that do nothing: their events complete, and commands that wait for them run.
 */
static void markers_and_launches_without_items_complete(void **state)
{
    const fixture *f = *state;
    dev_kernel *kernel = kernel_named(f, "add_one");
    int data[4] = {7, 7, 7, 7}, seen[4] = {0};
    dev_memory *memory = memory_with(f, data, sizeof data);
    dev_nd_range plane = {.dimensions = 2, .global = {3, 0, 1}, .local = {0}};
    dev_event *events[5];
    ok(f, dev_enqueue_marker(f->queue, no_wait, (dev_marker){0}, &events[0]));
    events[1] = add_one(f, f->queue, kernel, memory, range_1d(0, 0));
    events[2] = add_one(f, f->queue, kernel, memory, range_1d(0, 2));
    events[3] = add_one(f, f->queue, kernel, memory, plane);
    const dev_command after = {.wait = events, .wait_count = 4};
    ok(f, dev_enqueue_read(f->queue, after, memory, 0, sizeof seen, seen, &events[4]));
    for (uint32_t i = 5; i-- > 0;)
        finish(f, events[i]);
    if (shows(f)) assert_memory_equal(seen, data, sizeof data);
    dev_memory_destroy(memory);
    dev_kernel_destroy(kernel);
}

/* Maps a range, blocking or not, waits for the map and checks what the host sees. */
static dev_mapping *mapping_of(fixture *f, dev_memory *memory, dev_map map, const int *expected)
{
    dev_mapping *mapping;
    dev_event *event;
    ok(f, dev_enqueue_map(f->queue, no_wait, memory, map, &mapping, &event));
    finish(f, event);
    dev_mapping_access(mapping, 0, 0, map.size, false);
    if (shows(f) && expected) assert_memory_equal(mapping->bytes, expected, (size_t)map.size);
    return mapping;
}

/* Maps of a buffer and of a part, one after another; the device may refuse to map for writing what
 * is mapped for writing already, and one that finds faults does. */
static void maps_show_and_take_bytes(void **state)
{
    fixture *f = *state;
    if (!f->capabilities.maps) skip();
    int data[4] = {1, 2, 3, 4};
    dev_memory *memory = memory_with(f, data, sizeof data);
    dev_event *event;
    dev_mapping *mapping =
        mapping_of(f, memory, (dev_map){4, 8, DEV_MAP_READ, .is_blocking = true}, &data[1]);
    ok(f, dev_enqueue_unmap(f->queue, no_wait, mapping, &event));
    finish(f, event);
    mapping = mapping_of(f, memory, (dev_map){8, 8, DEV_MAP_WRITE, false}, &data[2]);
    uint8_t bits[1];
    dev_mapping_defined(mapping, bits);
    assert_int_equal(bits[0], 0xff);
    if (f->capabilities.finds_faults) {
        dev_mapping *refused;
        const dev_map map = {0, 12, DEV_MAP_READ_WRITE, false};
        assert_int_equal(dev_enqueue_map(f->queue, no_wait, memory, map, &refused, &event).code,
                         RT_ERRC_INVALID);
    }
    data[3] = 40;
    memcpy(mapping->bytes + 4, &data[3], sizeof(int));
    dev_mapping_access(mapping, 0, 4, sizeof(int), true);
    ok(f, dev_enqueue_unmap(f->queue, no_wait, mapping, &event));
    finish(f, event);
    mapping = mapping_of(f, memory, (dev_map){0, 8, DEV_MAP_WRITE_INVALIDATE, true}, NULL);
    dev_mapping_defined(mapping, bits);
    if (f->capabilities.finds_faults) assert_int_equal(bits[0], 0);
    data[0] = 10, data[1] = 20;
    memcpy(mapping->bytes, data, 8);
    dev_mapping_access(mapping, 0, 0, 8, true);
    dev_mapping_defined(mapping, bits);
    assert_int_equal(bits[0], 0xff);
    ok(f, dev_enqueue_unmap(f->queue, no_wait, mapping, &event));
    finish(f, event);
    int seen[4] = {0};
    memory_get(f, memory, seen, sizeof seen);
    if (shows(f)) assert_memory_equal(seen, data, sizeof data);
    /* The unmap needs no more than the mapping. */
    mapping = mapping_of(f, memory, (dev_map){0, 8, DEV_MAP_READ, true}, data);
    ok(f, dev_enqueue_unmap(f->queue, no_wait, mapping, &event));
    dev_memory_destroy(memory);
    finish(f, event);
}

/* A kernel, a fill and a copy on a part of a buffer, some of them after the buffer or the part
 * itself has been destroyed; a part that the device cannot address. */
static void parts_of_buffers_are_buffers(void **state)
{
    fixture *f = *state;
    uint32_t unit = f->capabilities.part_alignment;
    if (unit == 0) skip();
    while (unit % sizeof(int) != 0)
        unit *= 2;
    const uint32_t count = unit / sizeof(int);
    int *data = rt_alloc_array(4 * (size_t)count, sizeof *data);
    dev_memory *whole = memory_with(f, data, 4 * unit), *part, *last, *refused;
    dev_event *event;
    ok(f, dev_memory_part_create(whole, unit, 2 * unit, RT_TEXT("part"), &part));
    ok(f, dev_memory_part_create(whole, 3 * unit, unit, RT_TEXT("last"), &last));
    if (f->capabilities.part_alignment > 1)
        assert_int_equal(dev_memory_part_create(whole, 1, unit, RT_TEXT("refused"), &refused).code,
                         RT_ERRC_INVALID);
    dev_kernel *kernel = kernel_named(f, "add_one");
    f->finding_count = 0;
    finish(f, add_one(f, f->queue, kernel, part, range_1d(2 * count, 0)));
    assert_int_equal(f->finding_count, 0);
    if (f->capabilities.finds_faults) { /* the bytes past its end exist, but not in the part */
        finish(f, add_one(f, f->queue, kernel, last, range_1d(count, 0)));
        finish(f, add_one(f, f->queue, kernel, part, range_1d(2 * count + 1, 0)));
        assert_int_equal(f->finding_count, 2); /* a load and a store */
        assert_string_equal(f->finding_kind, "out-of-bounds");
        assert_string_equal(f->finding_object, "part");
        assert_int_equal(f->finding_offset, 2 * unit);
        memset(data, 0, 4 * (size_t)unit);
        ok(f, dev_enqueue_write(f->queue, no_wait, whole, 0, 4 * unit, data, &event));
        finish(f, event);
        finish(f, add_one(f, f->queue, kernel, part, range_1d(2 * count, 0)));
    }
    static const uint8_t seven[] = {7, 0, 0, 0};
    const rt_bytes pattern = {seven, sizeof seven};
    ok(f, dev_enqueue_fill(f->queue, no_wait, part, unit, unit, pattern, &event));
    finish(f, event);
    ok(f, dev_enqueue_copy(f->queue, no_wait, part, unit, last, 0, unit, &event));
    dev_memory_destroy(part);
    finish(f, event);
    memory_get(f, whole, data, 4 * unit);
    for (uint32_t i = 0; shows(f) && i < 4 * count; i++)
        assert_int_equal(data[i], i < count ? 0 : i < 2 * count ? 1 : 7);
    dev_memory_destroy(whole);
    finish(f, add_one(f, f->queue, kernel, last, range_1d(count, 0)));
    memory_get(f, last, data, unit);
    for (uint32_t i = 0; shows(f) && i < count; i++)
        assert_int_equal(data[i], 8);
    dev_memory_destroy(last);
    dev_kernel_destroy(kernel);
    rt_free(data);
}

/* A read after an increment, both after an event that the host completes: the read sees the
 * increment, or, if the event fails, neither runs.  An event that is destroyed fails. */
static void host_events_hold_commands_back(void **state)
{
    const fixture *f = *state;
    if (!f->capabilities.host_events) skip();
    dev_kernel *kernel = kernel_named(f, "add_one");
    const dev_nd_range range = range_1d(4, 0);
    enum { COMPLETES, FAILS, IS_DESTROYED };
    int last = f->suite->crashes_after_failed_events ? COMPLETES : IS_DESTROYED;
    for (int ending = COMPLETES; ending <= last; ending++) {
        int data[4] = {7, 7, 7, 7}, seen[4] = {0};
        dev_memory *memory = memory_with(f, data, sizeof data);
        const dev_argument argument = of_memory(memory);
        dev_event *host, *run, *read;
        ok(f, dev_host_event_create(f->device, &host));
        const dev_command after_host = {.wait = &host, .wait_count = 1};
        ok(f, dev_enqueue_kernel(f->queue, after_host, kernel, &range, &argument, 1, &run));
        const dev_command after_run = {.wait = &run, .wait_count = 1};
        ok(f, dev_enqueue_read(f->queue, after_run, memory, 0, sizeof seen, seen, &read));
        if (f->capabilities.finds_faults) /* the others may complete commands at once */
            assert_int_equal(dev_event_advance(read), DEV_EVENT_PENDING);
        if (ending != IS_DESTROYED) {
            ok(f, dev_host_event_complete(host, ending == FAILS));
            assert_int_equal(dev_host_event_complete(host, false).code, RT_ERRC_INVALID);
            assert_int_equal(rt_ok(dev_event_wait(host)), ending == COMPLETES);
        }
        dev_event_destroy(host);
        bool is_ok = rt_ok(dev_event_wait(read));
        if (shows(f)) assert_int_equal(is_ok, ending == COMPLETES);
        if (shows(f)) assert_int_equal(rt_ok(dev_event_wait(run)), ending == COMPLETES);
        for (int i = 0; shows(f) && i < 4; i++)
            assert_int_equal(seen[i], ending == COMPLETES ? 8 : 0);
        dev_event_destroy(run);
        dev_event_destroy(read);
        dev_memory_destroy(memory);
    }
    dev_kernel_destroy(kernel);
}

static void enqueued_commands_keep_what_they_use(void **state)
{
    const fixture *f = *state;
    dev_queue *queue;
    ok(f, dev_queue_create(f->device, &queue));
    dev_kernel *kernel = kernel_named(f, "add_one");
    int data[16] = {0}, result[16] = {0};
    dev_memory *memory = memory_with(f, data, sizeof data);
    const dev_argument argument = of_memory(memory);
    const dev_nd_range range = range_1d(16, 0);
    dev_event *launched, *read;
    ok(f, dev_enqueue_kernel(queue, no_wait, kernel, &range, &argument, 1, &launched));
    const dev_command after = {.wait = &launched, .wait_count = 1};
    ok(f, dev_enqueue_read(queue, after, memory, 0, sizeof result, result, &read));
    dev_event_destroy(launched);
    dev_memory_destroy(memory);
    dev_kernel_destroy(kernel);
    ok(f, dev_queue_flush(queue));
    dev_queue_destroy(queue); /* waits */
    assert_int_equal(dev_event_query(read), DEV_EVENT_COMPLETE);
    finish(f, read);
    for (int i = 0; shows(f) && i < 16; i++)
        assert_int_equal(result[i], 1);
}

/* Times are in order, even across two commands, one of which waits for the other. */
static void queues_keep_times_where_they_can(void **state)
{
    const fixture *f = *state;
    if (!f->capabilities.profiling) skip();
    dev_queue *queue;
    ok(f, dev_queue_create_profiling(f->device, &queue));
    int data[16] = {0}, result[16] = {0};
    dev_memory *memory = memory_with(f, data, sizeof data);
    dev_kernel *kernel = kernel_named(f, "add_one");
    const dev_argument argument = of_memory(memory);
    const dev_nd_range range = range_1d(16, 0);
    dev_event *launched, *read;
    ok(f, dev_enqueue_kernel(queue, no_wait, kernel, &range, &argument, 1, &launched));
    const dev_command after = {.wait = &launched, .wait_count = 1};
    ok(f, dev_enqueue_read(queue, after, memory, 0, sizeof result, result, &read));
    ok(f, dev_event_wait(read));
    ok(f, dev_event_wait(launched));
    dev_times first, second;
    ok(f, dev_event_times(launched, &first)); /* checked.c checks the order within one command */
    ok(f, dev_event_times(read, &second));
    assert_true(first.submit <= second.submit && first.end <= second.start);
    dev_event_destroy(read);
    dev_event_destroy(launched);
    dev_kernel_destroy(kernel);
    dev_memory_destroy(memory);
    dev_queue_destroy(queue);
}

static void bytes_written_count_as_defined(void **state)
{
    const fixture *f = *state;
    dev_memory *memory;
    dev_event *event;
    const uint8_t bytes[3] = {1, 2, 3};
    uint8_t bits[2];
    ok(f, dev_memory_create(f->device, 12, RT_TEXT("suite"), &memory));
    ok(f, dev_enqueue_write(f->queue, no_wait, memory, 2, 3, bytes, &event));
    finish(f, event);
    ok(f, dev_memory_defined(memory, 0, 12, bits));
    assert_int_equal(bits[0] & 0x1C, 0x1C);
    if (f->capabilities.finds_faults) {
        assert_int_equal(bits[0], 0x1C);
        assert_int_equal(bits[1], 0);
    }
    dev_memory_destroy(memory);
}

/* ---- Unified shared memory ---------------------------------------------------------------- */

static const dev_memory_kind usm_kinds[] = {DEV_MEMORY_USM_DEVICE, DEV_MEMORY_USM_HOST,
                                            DEV_MEMORY_USM_SHARED};
#define USM_KIND_COUNT (sizeof usm_kinds / sizeof *usm_kinds)

static dev_memory *usm_with(const fixture *f, dev_memory_kind kind, const void *content,
                            uint64_t size)
{
    dev_memory *memory;
    dev_event *event;
    ok(f, dev_usm_create(f->device, kind, size, RT_TEXT("shared"), &memory));
    ok(f, dev_enqueue_write(f->queue, no_wait, memory, 0, size, content, &event));
    finish(f, event);
    return memory;
}

static void pointers_lead_into_usm_of_every_kind(void **state)
{
    const fixture *f = *state;
    if (!f->capabilities.usm || !f->capabilities.executes) skip();
    dev_kernel *kernel = kernel_named(f, "add_one");
    for (size_t k = 0; k < USM_KIND_COUNT; k++) {
        int data[8] = {0, 10, 20, 30, 40, 50, 60, 70};
        const int expected[8] = {0, 10, 21, 31, 41, 50, 60, 70};
        dev_memory *memory = usm_with(f, usm_kinds[k], data, sizeof data);
        const dev_argument argument = of_pointer(memory, 2 * sizeof(int));
        run_kernel(f, kernel, range_1d(3, 0), &argument, 1);
        memory_get(f, memory, data, sizeof data);
        assert_memory_equal(data, expected, sizeof data);
        dev_memory_destroy(memory);
    }
    dev_kernel_destroy(kernel);
}

/* Writes memory of one kind, copies it through a buffer to the next kind, fills that, and reads it.
 */
static void commands_move_bytes_of_usm(void **state)
{
    const fixture *f = *state;
    if (!f->capabilities.usm) skip();
    const uint8_t content[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
    const uint16_t pattern = 0xABCD;
    for (size_t k = 0; k < USM_KIND_COUNT; k++) {
        dev_memory *from = usm_with(f, usm_kinds[k], content, sizeof content), *to, *between;
        dev_event *events[4];
        uint8_t bits[2] = {0}, result[12];
        ok(f,
           dev_usm_create(f->device, usm_kinds[(k + 1) % USM_KIND_COUNT], 16, RT_TEXT("to"), &to));
        ok(f, dev_memory_create(f->device, 16, RT_TEXT("between"), &between));
        ok(f, dev_enqueue_copy(f->queue, no_wait, from, 4, between, 0, 8, &events[0]));
        const dev_command second = {.wait = &events[0], .wait_count = 1};
        ok(f, dev_enqueue_copy(f->queue, second, between, 0, to, 2, 8, &events[1]));
        const dev_command third = {.wait = &events[1], .wait_count = 1};
        ok(f, dev_enqueue_fill(f->queue, third, to, 10, 4, (rt_bytes){(const uint8_t *)&pattern, 2},
                               &events[2]));
        const dev_command fourth = {.wait = &events[2], .wait_count = 1};
        ok(f, dev_enqueue_read(f->queue, fourth, to, 2, 12, result, &events[3]));
        for (size_t i = 4; i > 0; i--)
            finish(f, events[i - 1]);
        const uint8_t expected[12] = {5, 6, 7, 8, 9, 10, 11, 12, 0xCD, 0xAB, 0xCD, 0xAB};
        if (shows(f)) assert_memory_equal(result, expected, sizeof expected);
        ok(f, dev_memory_defined(to, 0, 16, bits));
        assert_int_equal(bits[0] & 0xFC, 0xFC);
        assert_int_equal(bits[1] & 0x3F, 0x3F);
        if (f->capabilities.finds_faults) {
            assert_int_equal(bits[0], 0xFC);
            assert_int_equal(bits[1], 0x3F);
        }
        dev_memory_destroy(from);
        dev_memory_destroy(between);
        dev_memory_destroy(to);
    }
}

/* The types that usm.cl declares. */
typedef struct node {
    uint64_t next;
    int32_t value;
} node;
typedef struct list {
    int32_t scale;
    uint64_t first;
} list;

static void pointers_in_values_and_in_memory_are_followed(void **state)
{
    const fixture *f = *state;
    if (!f->capabilities.usm || !f->capabilities.executes) skip();
    const node end[2] = {{0, 1000}, {0, 3}};
    int sum = 0;
    dev_kernel *kernel = kernel_of(f, &f->usm, "sum_list");
    /* Three nodes in three memories; the last one is the second node of its memory. */
    dev_memory *third = usm_with(f, DEV_MEMORY_USM_HOST, end, sizeof end);
    const node middle = {dev_memory_address(third) + sizeof(node), 20};
    dev_memory *second = usm_with(f, DEV_MEMORY_USM_DEVICE, &middle, sizeof middle);
    const node begin = {dev_memory_address(second), 100};
    dev_memory *first = usm_with(f, DEV_MEMORY_USM_SHARED, &begin, sizeof begin);
    dev_memory *out = memory_with(f, &sum, sizeof sum);
    const list nodes = {2, dev_memory_address(first)};
    const dev_argument arguments[] = {of_memory(out), of_bytes(&nodes, sizeof nodes)};
    run_kernel(f, kernel, range_1d(1, 1), arguments, 2);
    memory_get(f, out, &sum, sizeof sum);
    assert_int_equal(sum, 2 * (100 + 20 + 3));
    dev_memory_destroy(first);
    dev_memory_destroy(second);
    dev_memory_destroy(third);
    dev_memory_destroy(out);
    dev_kernel_destroy(kernel);
}

static void finding_check(const fixture *f, const char *kind, uint64_t offset)
{
    assert_int_equal(f->finding_count, 1);
    assert_string_equal(f->finding_kind, kind);
    assert_string_equal(f->finding_object, "shared");
    assert_int_equal(f->finding_offset, offset);
}

static void pointers_past_the_end_are_found(void **state)
{
    fixture *f = *state;
    if (!f->capabilities.usm || !f->capabilities.finds_faults) skip();
    const int data[8] = {0};
    dev_kernel *kernel = kernel_named(f, "or_default");
    dev_memory *memory = usm_with(f, DEV_MEMORY_USM_SHARED, data, sizeof data);
    dev_memory *out = memory_with(f, data, sizeof data);
    const dev_argument arguments[] = {of_memory(out), of_pointer(memory, sizeof data)};
    f->finding_count = 0;
    run_kernel(f, kernel, range_1d(1, 1), arguments, 2);
    finding_check(f, "out-of-bounds", sizeof data);
    dev_memory_destroy(memory);
    dev_memory_destroy(out);
    dev_kernel_destroy(kernel);
}

static void pointers_to_freed_usm_are_found(void **state)
{
    fixture *f = *state;
    if (!f->capabilities.usm || !f->capabilities.finds_faults) skip();
    const int content[4] = {1, 2, 3, 4};
    int value = 0;
    dev_kernel *kernel = kernel_of(f, &f->usm, "load");
    dev_memory *memory = usm_with(f, DEV_MEMORY_USM_DEVICE, content, sizeof content);
    dev_memory *out = memory_with(f, &value, sizeof value);
    const uint64_t address = dev_memory_address(memory) + 8;
    const dev_argument arguments[] = {of_memory(out), of_bytes(&address, sizeof address)};
    run_kernel(f, kernel, range_1d(1, 1), arguments, 2);
    memory_get(f, out, &value, sizeof value);
    assert_int_equal(value, 3);
    dev_memory_destroy(memory);
    f->finding_count = 0;
    run_kernel(f, kernel, range_1d(1, 1), arguments, 2);
    finding_check(f, "use-after-free", 8);
    dev_memory_destroy(out);
    dev_kernel_destroy(kernel);
}

/* ---- Program variables -------------------------------------------------------------------- */

static dev_memory *global_named(const fixture *f, dev_program *program, const char *name,
                                uint64_t size)
{
    dev_memory *memory;
    ok(f, dev_global_find(program, rt_text_of(name), &memory));
    assert_int_equal(memory->kind, DEV_MEMORY_GLOBAL);
    assert_int_equal(memory->size, size);
    return memory;
}

/* Runs kernel `count` of module `globals`, which outputs counter, zeros[2] and the sum of the
 * table, then adds 1 to counter and 100 to zeros[2]. */
static void count_run(const fixture *f, dev_program *program, int out_read[3])
{
    const int nothing[3] = {0};
    dev_kernel *kernel;
    ok(f, dev_kernel_create(program, RT_TEXT("count"), &kernel));
    dev_memory *out = memory_with(f, nothing, sizeof nothing);
    const dev_argument argument = of_memory(out);
    run_kernel(f, kernel, range_1d(1, 1), &argument, 1);
    memory_get(f, out, out_read, sizeof nothing);
    dev_memory_destroy(out);
    dev_kernel_destroy(kernel);
}

static void counted(const fixture *f, dev_program *program, int counter, int zero, int sum)
{
    int read[3];
    count_run(f, program, read);
    assert_int_equal(read[0], counter);
    assert_int_equal(read[1], zero);
    assert_int_equal(read[2], sum);
}

static void variables_have_names_and_values(void **state)
{
    const fixture *f = *state;
    if (!f->capabilities.globals_by_name) skip();
    dev_program *program = built(f, &f->globals);
    dev_memory *counter = global_named(f, program, "counter", 4);
    dev_memory *zeros = global_named(f, program, "zeros", 16);
    dev_memory *table = global_named(f, program, "table", 12);
    const int expected_zeros[4] = {0}, expected_table[3] = {10, 20, 30}, written = 40;
    int value = 0, values[4];
    uint8_t bits[2] = {0};
    memory_get(f, counter, &value, sizeof value);
    if (shows(f)) assert_int_equal(value, 5);
    memory_get(f, zeros, values, sizeof expected_zeros);
    if (shows(f)) assert_memory_equal(values, expected_zeros, sizeof expected_zeros);
    memory_get(f, table, values, sizeof expected_table);
    if (shows(f)) assert_memory_equal(values, expected_table, sizeof expected_table);
    ok(f, dev_memory_defined(zeros, 0, 16, bits));
    assert_int_equal(bits[0] & bits[1], 0xFF);
    if (f->capabilities.executes) {
        dev_event *event;
        ok(f, dev_enqueue_write(f->queue, no_wait, counter, 0, sizeof written, &written, &event));
        finish(f, event);
        counted(f, program, 40, 0, 60);
        counted(f, program, 41, 100, 60);
        memory_get(f, counter, &value, sizeof value);
        assert_int_equal(value, 42);
    }
    dev_memory_destroy(counter);
    dev_memory_destroy(zeros);
    dev_memory_destroy(table);
    dev_program_destroy(program);
}

/* Copies between variables, buffers and, if supported, unified shared memory; fills variables; and
 * passes pointers into variables to a kernel of another program. */
static void variables_take_part_in_commands(void **state)
{
    const fixture *f = *state;
    if (!f->capabilities.globals_by_name || !f->capabilities.executes) skip();
    const int content[4] = {1, 2, 3, 4};
    int values[4] = {0};
    dev_program *program = built(f, &f->globals);
    dev_memory *zeros = global_named(f, program, "zeros", 16);
    dev_memory *table = global_named(f, program, "table", 12);
    dev_memory *memory = f->capabilities.usm
                             ? usm_with(f, DEV_MEMORY_USM_DEVICE, content, sizeof content)
                             : memory_with(f, content, sizeof content);
    dev_event *events[4];
    ok(f, dev_enqueue_copy(f->queue, no_wait, memory, 0, zeros, 0, 8, &events[0]));
    const dev_command second = {.wait = &events[0], .wait_count = 1};
    ok(f, dev_enqueue_copy(f->queue, second, zeros, 0, table, 4, 8, &events[1]));
    const dev_command third = {.wait = &events[1], .wait_count = 1};
    ok(f, dev_enqueue_fill(f->queue, third, zeros, 8, 4,
                           (rt_bytes){(const uint8_t *)&content[3], 4}, &events[2]));
    const dev_command fourth = {.wait = &events[2], .wait_count = 1};
    ok(f, dev_enqueue_copy(f->queue, fourth, zeros, 4, memory, 0, 8, &events[3]));
    for (size_t i = 4; i > 0; i--)
        finish(f, events[i - 1]);
    memory_get(f, memory, values, sizeof values);
    const int expected[4] = {2, 4, 3, 4};
    assert_memory_equal(values, expected, sizeof values);
    counted(f, program, 5, 4, 10 + 1 + 2);

    dev_kernel *kernel = kernel_named(f, "add_one");
    const dev_argument argument = of_pointer(zeros, 4);
    run_kernel(f, kernel, range_1d(3, 0), &argument, 1);
    memory_get(f, zeros, values, sizeof values);
    const int added[4] = {1, 3, 105, 1};
    assert_memory_equal(values, added, sizeof values);
    dev_kernel_destroy(kernel);
    dev_memory_destroy(zeros);
    dev_memory_destroy(table);
    dev_memory_destroy(memory);
    dev_program_destroy(program);
}

static void unknown_variables_are_refused(void **state)
{
    const fixture *f = *state;
    if (!f->capabilities.globals_by_name) skip();
    dev_program *program = built(f, &f->globals);
    dev_memory *memory;
    assert_int_equal(dev_global_find(program, RT_TEXT("counte"), &memory).code, RT_ERRC_INVALID);
    assert_int_equal(dev_global_find(program, RT_TEXT("count"), &memory).code, RT_ERRC_INVALID);
    assert_int_equal(dev_global_find(program, RT_TEXT(""), &memory).code, RT_ERRC_INVALID);
    dev_program_destroy(program);
}

static void programs_have_separate_variables(void **state)
{
    const fixture *f = *state;
    if (!f->capabilities.globals_by_name || !f->capabilities.executes) skip();
    dev_program *first = built(f, &f->globals), *other = built(f, &f->globals);
    counted(f, first, 5, 0, 60);
    counted(f, first, 6, 100, 60);
    counted(f, other, 5, 0, 60);
    dev_memory *of_first = global_named(f, first, "counter", 4);
    dev_memory *of_other = global_named(f, other, "counter", 4);
    assert_true(dev_memory_address(of_first) != dev_memory_address(of_other));
    int value = 0;
    memory_get(f, of_other, &value, sizeof value);
    assert_int_equal(value, 6);
    memory_get(f, of_first, &value, sizeof value);
    assert_int_equal(value, 7);
    dev_memory_destroy(of_first);
    dev_memory_destroy(of_other);
    dev_program_destroy(first);
    dev_program_destroy(other);
}

/* ---- Specialisation constants ------------------------------------------------------------- */

/* Number of values that kernel `constants` of module `constants` stores. */
#define CONSTANT_COUNT 6u

/* Builds code of module `constants`, or compiles and links it if `links`, and runs it. */
static void constants_run_code(const fixture *f, dev_code code, bool links,
                               int64_t out_values[CONSTANT_COUNT])
{
    dev_program *program, *part;
    dev_kernel *kernel;
    if (links) {
        ok(f, dev_program_compile(f->device, &code, &part));
        ok(f, dev_program_link(f->device, &part, 1, no_options, &program));
        dev_program_destroy(part);
    } else {
        ok(f, dev_program_build(f->device, &code, &program));
    }
    ok(f, dev_kernel_create(program, RT_TEXT("constants"), &kernel));
    memset(out_values, 0, CONSTANT_COUNT * sizeof *out_values);
    dev_memory *memory = memory_with(f, out_values, CONSTANT_COUNT * sizeof *out_values);
    const dev_argument argument = of_memory(memory);
    run_kernel(f, kernel, range_1d(1, 1), &argument, 1);
    memory_get(f, memory, out_values, CONSTANT_COUNT * sizeof *out_values);
    dev_memory_destroy(memory);
    dev_kernel_destroy(kernel);
    dev_program_destroy(program);
}

/* Like constants_run_code, for the module's SPIR-V specialised with the given values. */
static void constants_run(const fixture *f, const dev_spec_constant *constants, uint32_t count,
                          bool links, int64_t out_values[CONSTANT_COUNT])
{
    dev_code code = code_of(&f->constants);
    code.constants = constants;
    code.constant_count = count;
    constants_run_code(f, code, links, out_values);
}

static bool can_specialise(const fixture *f)
{
    return f->capabilities.spec_constants && f->capabilities.executes;
}

static void constants_have_defaults(void **state)
{
    const fixture *f = *state;
    if (!can_specialise(f)) skip();
    const int64_t expected[CONSTANT_COUNT] = {1, -2, -300, 70000, INT64_C(5000000000), 10};
    const uint8_t value[4] = {1, 2, 3, 4};
    const dev_spec_constant unknown = {.id = 99, .value = {value, 4}};
    int64_t values[CONSTANT_COUNT];
    constants_run(f, NULL, 0, false, values);
    assert_memory_equal(values, expected, sizeof values);
    constants_run(f, &unknown, 1, false, values);
    assert_memory_equal(values, expected, sizeof values);
}

static void constants_of_every_size_are_set(void **state)
{
    const fixture *f = *state;
    if (!can_specialise(f)) skip();
    const uint8_t no = 0;
    const int8_t small = 100;
    const int16_t middle = -32768;
    const int32_t large = -1;
    const int64_t huge = INT64_MIN;
    const float fraction = -0.75f;
    const dev_spec_constant constants[] = {
        {.id = 15, .value = {(const uint8_t *)&fraction, 4}},
        {.id = 14, .value = {(const uint8_t *)&huge, 8}},
        {.id = 13, .value = {(const uint8_t *)&large, 4}},
        {.id = 12, .value = {(const uint8_t *)&middle, 2}},
        {.id = 11, .value = {(const uint8_t *)&small, 1}},
        {.id = 10, .value = {&no, 1}},
    };
    const int64_t expected[CONSTANT_COUNT] = {0, 100, -32768, -1, INT64_MIN, -3};
    int64_t values[CONSTANT_COUNT];
    constants_run(f, constants, CONSTANT_COUNT, false, values);
    assert_memory_equal(values, expected, sizeof values);
}

static void programs_of_one_code_have_separate_constants(void **state)
{
    const fixture *f = *state;
    if (!can_specialise(f)) skip();
    bool links = dev_capabilities_link(&f->capabilities, RT_FORMAT_SPIRV64);
    int64_t values[CONSTANT_COUNT];
    for (int32_t step = 1; step <= 3; step++) {
        const dev_spec_constant constant = {.id = 13, .value = {(const uint8_t *)&step, 4}};
        constants_run(f, &constant, 1, links, values);
        assert_int_equal(values[3], step);
        assert_int_equal(values[2], -300);
    }
    constants_run(f, NULL, 0, links, values);
    assert_int_equal(values[3], 70000);
}

static void constants_that_do_not_fit_are_refused(void **state)
{
    const fixture *f = *state;
    if (!f->capabilities.spec_constants) skip();
    const uint8_t value[8] = {1};
    const dev_spec_constant wide = {.id = 13, .value = {value, 8}};
    dev_code code = code_of(&f->constants);
    code.constants = &wide;
    code.constant_count = 1;
    dev_program *program;
    assert_int_equal(dev_program_build(f->device, &code, &program).code, RT_ERRC_INVALID);
    assert_null(program);
}

/* Code that was compiled ahead of time can no longer be specialised. */
static void native_images_have_their_constants(void **state)
{
    const fixture *f = *state;
    if (!can_specialise(f) || !f->suite->offline_compile) skip();
    rt_buffer image = compiled_offline(f, &f->constants);
    const int32_t number = 5;
    const dev_spec_constant constant = {.id = 13, .value = {(const uint8_t *)&number, 4}};
    const dev_code code = {.format = RT_FORMAT_NATIVE,
                           .bytes = rt_buffer_bytes(&image),
                           .constants = &constant,
                           .constant_count = 1};
    const int64_t expected[CONSTANT_COUNT] = {1, -2, -300, 70000, INT64_C(5000000000), 10};
    int64_t values[CONSTANT_COUNT];
    constants_run_code(f, code, false, values);
    assert_memory_equal(values, expected, sizeof values);
    constants_run_code(f, code, true, values);
    assert_memory_equal(values, expected, sizeof values);
    rt_buffer_free(&image);
}

/* ---- Opening ------------------------------------------------------------------------------ */

static rt_buffer module_read(const char *folder, const char *name)
{
    rt_buffer path = {0}, content = {0};
    rt_buffer_printf(&path, "%s/%s.spv", folder, name);
    FILE *file = fopen(rt_buffer_string(&path), "rb");
    if (!file) fail_msg("%s cannot be read", rt_buffer_string(&path));
    char chunk[4096];
    for (size_t size; (size = fread(chunk, 1, sizeof chunk, file)) > 0;)
        rt_buffer_append(&content, chunk, size);
    fclose(file);
    rt_buffer_free(&path);
    return content;
}

static void finding_keep(void *user, const dev_finding *finding)
{
    fixture *f = user;
    snprintf(f->finding_kind, sizeof f->finding_kind, "%s", finding->kind);
    snprintf(f->finding_object, sizeof f->finding_object, "%.*s", RT_TEXT_ARG(finding->object));
    f->finding_offset = finding->offset;
    f->finding_count++;
}

static fixture *suite_fixture; /* cmocka passes no parameter of ours to a group's setup */

static int fixture_setup(void **state)
{
    fixture *f = suite_fixture;
    dev_device_capabilities(f->device, &f->capabilities);
    ok(f, dev_queue_create(f->device, &f->queue));
    f->apply = module_read(f->suite->modules, "apply");
    f->twice = module_read(f->suite->modules, "twice");
    f->kernels = module_read(f->suite->modules, "kernels");
    f->usm = module_read(f->suite->modules, "usm");
    f->globals = module_read(f->suite->modules, "globals");
    f->constants = module_read(f->suite->modules, "constants");
    *state = f;
    return 0;
}

static int fixture_teardown(void **state)
{
    fixture *f = *state;
    rt_buffer_free(&f->apply);
    rt_buffer_free(&f->twice);
    rt_buffer_free(&f->kernels);
    rt_buffer_free(&f->usm);
    rt_buffer_free(&f->globals);
    rt_buffer_free(&f->constants);
    dev_queue_destroy(f->queue);
    return 0;
}

int device_suite_run(const device_suite *suite)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(import_is_resolved_by_another_image),
        cmocka_unit_test(links_that_cannot_be_are_refused),
        cmocka_unit_test(same_images_link_twice),
        cmocka_unit_test(programs_survive_as_binaries),
        cmocka_unit_test(unknown_kernel_is_refused),
        cmocka_unit_test(images_that_are_no_spirv_are_refused),
        cmocka_unit_test(native_images_are_accepted_or_refused_as_advertised),
        cmocka_unit_test(native_images_run_alone),
        cmocka_unit_test(native_images_link_with_each_other),
        cmocka_unit_test(ranges_number_their_items),
        cmocka_unit_test(groups_share_local_memory),
        cmocka_unit_test(values_arrive_unchanged),
        cmocka_unit_test(null_pointers_arrive_as_null),
        cmocka_unit_test(launches_that_cannot_be_are_refused),
        cmocka_unit_test(fills_repeat_their_pattern),
        cmocka_unit_test(events_order_commands_of_two_queues),
        cmocka_unit_test(barriers_order_the_commands_of_their_queue),
        cmocka_unit_test(markers_and_launches_without_items_complete),
        cmocka_unit_test(parts_of_buffers_are_buffers),
        cmocka_unit_test(maps_show_and_take_bytes),
        cmocka_unit_test(host_events_hold_commands_back),
        cmocka_unit_test(queues_keep_times_where_they_can),
        cmocka_unit_test(enqueued_commands_keep_what_they_use),
        cmocka_unit_test(bytes_written_count_as_defined),
        cmocka_unit_test(pointers_lead_into_usm_of_every_kind),
        cmocka_unit_test(commands_move_bytes_of_usm),
        cmocka_unit_test(pointers_in_values_and_in_memory_are_followed),
        cmocka_unit_test(pointers_past_the_end_are_found),
        cmocka_unit_test(pointers_to_freed_usm_are_found),
        cmocka_unit_test(variables_have_names_and_values),
        cmocka_unit_test(variables_take_part_in_commands),
        cmocka_unit_test(unknown_variables_are_refused),
        cmocka_unit_test(programs_have_separate_variables),
        cmocka_unit_test(constants_have_defaults),
        cmocka_unit_test(constants_of_every_size_are_set),
        cmocka_unit_test(programs_of_one_code_have_separate_constants),
        cmocka_unit_test(constants_that_do_not_fit_are_refused),
        cmocka_unit_test(native_images_have_their_constants),
    };
    fixture f = {.suite = suite, .sink = rt_sink_create()};
    const dev_open_parameters parameters = {.sink = f.sink,
                                            .tools = suite->tools,
                                            .seed = 1,
                                            .on_finding = finding_keep,
                                            .finding_user = &f};
    rt_status status =
        dev_device_open(suite->backend, &parameters, rt_text_of(suite->selector), &f.device);
    int failed = -1;
    if (rt_ok(status)) {
        suite_fixture = &f;
        failed = cmocka_run_group_tests_name(suite->backend->name, tests, fixture_setup,
                                             fixture_teardown);
        /* A failed test leaves its objects alive, so destroying the device would panic. */
        if (failed == 0) dev_device_destroy(f.device);
    } else {
        const rt_diagnostic *diagnostic = rt_sink_diagnostic(f.sink, status);
        fprintf(stderr, "%s: %.*s\n", rt_code_name(diagnostic->code),
                RT_TEXT_ARG(diagnostic->message));
    }
    rt_sink_destroy(f.sink);
    return failed;
}
