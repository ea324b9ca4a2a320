/* Tests the ocloc adapter with a fake library. */
#include "backends/ocloc/ocloc_internal.h"
#include "backends/ocloc/test/fake_ocloc.h"
#include "backends/vendor/test/fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static fake_ocloc *fake; /* in the fake's shared object; main looks it up */

static void fake_reset(void)
{
    *fake = (fake_ocloc){.functions = "k helper",
                         .variables = "counter",
                         .ze_info = "kernels:\n  - name: k\n    payload_arguments:\n"
                                    "      - arg_index: 1\n",
                         .extensions = "cl_khr_fp16 cl_intel_subgroups cl_khr_fp64_x "
                                       "cl_intel_unified_shared_memory ",
                         .log = "Build succeeded.\n",
                         .machine = OCLOC_MACHINE};
}

static rt_status fake_open(const dev_open_parameters *parameters, rt_text selector,
                           dev_device **out_device)
{
    return ocloc_device_open(FAKE_LIBRARY, parameters, selector, out_device);
}
static const dev_backend fake_backend = {"ocloc over a fake", fake_open};

/* A header and no instruction. */
static const uint32_t spirv[] = {0x07230203, 0x00010000, 0, 1, 0};
static const dev_code image = {
    .format = RT_FORMAT_SPIRV64,
    .bytes = {(const uint8_t *)spirv, sizeof spirv},
    .options = {"-cl-mad-enable", 14},
};

static int setup(void **state)
{
    fake_reset();
    return fixture_begin(state, &fake_backend, NULL, &fake->script);
}

static void libraries_that_are_none_are_unavailable(void **state)
{
    const fixture *f = *state;
    expect_unavailable(f, ocloc_device_open, "run ci/setup --with gpu", "has no oclocInvoke");
}

static void products_are_chosen_by_name(void **state)
{
    fixture *f = *state;
    assert_true(rt_ok(fixture_open(f, "")));
    assert_string_equal(fake->command, "ocloc query CL_DEVICE_EXTENSIONS -device tgllp ");
    fixture_close(f);
    assert_true(rt_ok(fixture_open(f, "product=bmg")));
    assert_string_equal(fake->command, "ocloc query CL_DEVICE_EXTENSIONS -device bmg ");
    fixture_close(f);
    expect_status(f->sink, fixture_open(f, "bmg"), RT_ERRC_INVALID,
                  "'bmg' does not name a product");
    expect_status(f->sink, fixture_open(f, "product="), RT_ERRC_INVALID, "does not name a product");
    fake->script.fail_call = "compile";
    fake->script.fail_with = -33;
    fake->log = "Error: Cannot get HW Info for device x.\n";
    expect_status(f->sink, fixture_open(f, "product=x"), RT_UNAVAILABLE,
                  "does not compile for product 'x': ocloc compile: result -33; its log:\n"
                  "Error: Cannot get HW Info for device x.");
}

static void features_are_the_extensions(void **state)
{
    fixture *f = *state;
    dev_capabilities found;
    assert_true(rt_ok(fixture_open(f, "product=dg2")));
    dev_device_capabilities(f->device, &found);
    assert_true(rt_text_is(found.name, "dg2"));
    assert_true(rt_text_is(found.driver, "ocloc 26.27.1"));
    assert_int_equal(found.aspects, 1u << DEV_ASPECT_FP16 | 1u << DEV_ASPECT_VIRTUAL_FUNCTIONS);
    assert_true(found.sub_groups && found.globals_by_name && found.usm);
    assert_false(found.sub_group_operations || found.spec_constants || found.executes ||
                 found.bfloat16_conversions);
    assert_true(dev_capabilities_link(&found, RT_FORMAT_SPIRV64));
    fixture_close(f);
    fake->extensions = "cl_khr_subgroup_ballot cl_khr_fp64 cl_khr_subgroup_clustered_reduce";
    assert_true(rt_ok(fixture_open(f, "")));
    dev_device_capabilities(f->device, &found);
    assert_int_equal(found.aspects, 1u << DEV_ASPECT_FP64 | 1u << DEV_ASPECT_VIRTUAL_FUNCTIONS);
    assert_false(found.sub_groups);
    assert_true(found.sub_group_operations && found.sub_group_sizes == 0);
    fixture_close(f);
    /* Release 22.43 cannot be asked. */
    fake->script.fail_at = fake->script.calls + 4;
    fake->script.fail_with = -5150;
    assert_true(rt_ok(fixture_open(f, "")));
    dev_device_capabilities(f->device, &found);
    assert_int_equal(found.aspects, 1u << DEV_ASPECT_VIRTUAL_FUNCTIONS);
    assert_false(found.sub_groups || found.sub_group_operations);
}

/* ---- A whole run, any call of which may fail ---------------------------------------------- */

typedef struct run {
    dev_device *device;
    dev_program *programs[5]; /* two compiled, one linked, one built, one loaded from a binary */
    dev_kernel *kernel;
    dev_memory *memories[3]; /* a buffer, unified shared memory, a variable */
    dev_queue *queue;
    dev_event *event;
    uint8_t read[12];
} run;

static rt_status run_programs(const fixture *f, run *r)
{
    const dev_open_parameters parameters = {.sink = f->sink};
    RT_TRY(dev_device_open(&fake_backend, &parameters, none, &r->device));
    for (int i = 0; i < 2; i++)
        RT_TRY(dev_program_compile(r->device, &image, &r->programs[i]));
    RT_TRY(dev_program_build(r->device, &image, &r->programs[3]));
    RT_TRY(dev_program_link(r->device, r->programs, 2, RT_TEXT("-O3"), &r->programs[2]));
    RT_TRY(program_reload(r->device, r->programs[2], &r->programs[4]));
    RT_TRY(dev_kernel_create(r->programs[4], RT_TEXT("k"), &r->kernel));
    return dev_global_find(r->programs[2], RT_TEXT("counter"), &r->memories[2]);
}

static rt_status run_launch(run *r)
{
    static const uint8_t content[4] = {1, 2, 3, 4};
    RT_TRY(dev_memory_create(r->device, 8, none, &r->memories[0]));
    RT_TRY(dev_usm_create(r->device, DEV_MEMORY_USM_SHARED, 8, none, &r->memories[1]));
    RT_TRY(dev_queue_create(r->device, &r->queue));
    const dev_argument arguments[] = {
        {.kind = DEV_ARGUMENT_BYTES, .bytes = {content, 4}},
        {.kind = DEV_ARGUMENT_POINTER, .memory = r->memories[1], .offset = 3},
    };
    RT_TRY(dev_enqueue_kernel(r->queue, no_wait, r->kernel, &one_item, arguments, 2, &r->event));
    RT_TRY(dev_event_wait(r->event));
    dev_event_destroy(r->event);
    RT_TRY(dev_enqueue_read(r->queue, no_wait, r->memories[2], 0, 12, r->read, &r->event));
    return dev_event_wait(r->event);
}

static rt_status run_whole(const fixture *f, run *r)
{
    *r = (run){0};
    memset(r->read, 7, sizeof r->read);
    rt_status status = run_programs(f, r);
    if (rt_ok(status)) status = run_launch(r);
    dev_event_destroy(r->event);
    dev_queue_destroy(r->queue);
    for (int i = 0; i < 3; i++)
        dev_memory_destroy(r->memories[i]);
    for (int i = 0; i < 5; i++)
        dev_program_destroy(r->programs[i]);
    dev_kernel_destroy(r->kernel);
    dev_device_destroy(r->device);
    return status;
}

static void images_are_joined_and_compiled(void **state)
{
    fixture *f = *state;
    run r;
    assert_true(rt_ok(run_whole(f, &r)));
    for (size_t i = 0; i < sizeof r.read; i++)
        assert_int_equal(r.read[i], 0);
    /* A compiled program is only kept: the built one, and the linked one of both. */
    assert_string_equal(fake->script.trace, "query link compile query link compile link compile ");
    assert_string_equal(
        fake->command,
        "ocloc compile -llvm_input -file linked.bc -device tgllp -output linked "
        "-output_no_suffix --format zebin -options -O3 -cl-mad-enable -cl-mad-enable ");
    assert_int_equal(fake->joined, 2 * sizeof spirv);
}

static rt_status use_whole(const fixture *f, const void *context)
{
    (void)context;
    run r;
    return run_whole(f, &r);
}

static void no_failure_leaks_or_panics(void **state)
{
    const fixture *f = *state;
    const whole_use whole = {fake_reset, use_whole, NULL, 8, 8};
    for (int result = -1; result <= 1; result += 2) {
        fail_each_call(f, &whole, result, false);
        fail_each_call(f, &whole, result, true);
    }
}

static void failures_have_the_class_of_their_command(void **state)
{
    const fixture *f = *state;
    const whole_use whole = {fake_reset, use_whole, NULL, 8, 8};
    const failure rows[] = {
        {"query", 1, RT_DRIVER_ERROR, "ocloc query: result 1; its log:\nBuild succeeded."},
        {"query", 0, RT_DRIVER_ERROR, "ocloc query: reports success, but returns no output"},
    };
    expect_failures(f, &whole, rows, sizeof rows / sizeof *rows);
}

/* The same commands once the device is open. */
static void a_link_fails_where_its_command_fails(void **state)
{
    fixture *f = *state;
    const failure rows[] = {
        {"link", -11, RT_LINK_ERROR, "ocloc link: result -11; its log:\nBuild succeeded."},
        {"link", 0, RT_DRIVER_ERROR, "ocloc link: reports success, but returns no output"},
        {"compile", -43, RT_ERRC_BUILD, "ocloc compile: result -43"},
        {"compile", 0, RT_DRIVER_ERROR, "ocloc compile: reports success, but returns no output"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        dev_program *program;
        fake_reset();
        assert_true(rt_ok(fixture_open(f, "")));
        fake->script.fail_call = rows[i].call;
        fake->script.fail_with = rows[i].result;
        expect_status(f->sink, dev_program_build(f->device, &image, &program), rows[i].code,
                      rows[i].part);
        fixture_close(f);
    }
}

static void images_that_are_unusable_are_refused(void **state)
{
    fixture *f = *state;
    dev_program *program;
    assert_true(rt_ok(fixture_open(f, "")));
    fake->machine = 62; /* x86-64 */
    /* Five headers of 64 bytes, four symbols of 24, 18 bytes of names, 65 of .ze_info. */
    expect_status(f->sink, dev_program_build(f->device, &image, &program), RT_DRIVER_ERROR,
                  "ocloc compile: 499 bytes are not machine code of an Intel GPU");
    fake_reset();
    fake->output_size = (uint64_t)RT_IMAGE_SIZE_MAX + 1;
    expect_status(f->sink, dev_program_build(f->device, &image, &program), RT_LIMIT,
                  "an output is larger than");
    static const uint8_t text[] = "no ELF file";
    expect_status(f->sink, dev_program_load(f->device, (rt_bytes){text, sizeof text}, &program),
                  RT_MALFORMED, "a program's binary: 12 bytes are not machine code");
    const dev_code ptx = {.format = RT_FORMAT_PTX, .bytes = {text, sizeof text}};
    expect_status(f->sink, dev_program_compile(f->device, &ptx, &program), RT_UNSUPPORTED, "ptx");
    const dev_code cut = {.format = RT_FORMAT_SPIRV64, .bytes = {text, 3}};
    assert_int_equal(dev_program_compile(f->device, &cut, &program).code, RT_MALFORMED);
}

static void what_the_code_lacks_is_named(void **state)
{
    fixture *f = *state;
    assert_true(rt_ok(fixture_open(f, "")));
    dev_program *program;
    dev_kernel *kernel;
    dev_memory *memory;
    assert_true(rt_ok(dev_program_build(f->device, &image, &program)));
    expect_status(f->sink, dev_kernel_create(program, RT_TEXT("kk"), &kernel), RT_ERRC_INVALID,
                  "the machine code has no kernel 'kk'");
    /* A variable is not a kernel, nor a function a variable. */
    expect_status(f->sink, dev_kernel_create(program, RT_TEXT("counter"), &kernel), RT_ERRC_INVALID,
                  "no kernel 'counter'");
    expect_status(f->sink, dev_global_find(program, RT_TEXT("k"), &memory), RT_ERRC_INVALID,
                  "the machine code has no variable 'k'");
    dev_program_destroy(program);
}

static void parameters_are_counted(void **state)
{
    (void)state;
    static const struct {
        const char *ze_info;
        uint32_t count;
    } rows[] = {
        {"kernels:\n  - name: k\n", 0},
        {"kernels:\n  - name: 'k'\n    x:\n      - arg_index: 0\n", 1},
        {"kernels:\n  - name:   k\n      - size: 8\n        arg_index:  3\n        arg_index: 0\n",
         4},
        /* Of another kernel, or of none. */
        {"kernels:\n  - name: k\n  - name: kk\n      - arg_index: 3\n", 0},
        {"kernels:\n  - name: k\nmore:\n  - name: k\n      - arg_index: 3\n", 0},
        {"kernels:\n  - name: k\n      - arg_index: x\n      - arg_index: 10000\n", 0},
        {"kernels:\n  - name: kk\n      - arg_index: 3\n", DEV_ARGUMENT_COUNT_UNKNOWN},
        {"", DEV_ARGUMENT_COUNT_UNKNOWN},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ocloc_kernel_info info;
        ocloc_kernel_read(rt_text_of(rows[i].ze_info), RT_TEXT("k"), &info);
        assert_int_equal(info.parameter_count, rows[i].count);
        assert_int_equal(info.required_group[0], 0);
    }
}

static void required_groups_are_read(void **state)
{
    (void)state;
    static const struct {
        const char *sizes;
        uint32_t groups[3];
    } rows[] = {
        {"[ 8, 2, 1 ]", {8, 2, 1}},
        {"[8,2,1]", {8, 2, 1}},
        {"8, 2, 1", {0}},
        {"[ 8, 2 ]", {0}},
        {"[ 8, 0, 1 ]", {0}},
        {"[ 8, x, 1 ]", {0}},
        {"", {0}},
        {"[ 8, 4294967296, 1 ]", {0}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[128];
        ocloc_kernel_info info;
        snprintf(text, sizeof text, "kernels:\n  - name: k\n    required_work_group_size: %s\n",
                 rows[i].sizes);
        ocloc_kernel_read(rt_text_of(text), RT_TEXT("k"), &info);
        assert_memory_equal(info.required_group, rows[i].groups, sizeof info.required_group);
    }
}

static void groups_are_those_that_the_kernel_requires(void **state)
{
    fixture *f = *state;
    dev_program *program;
    dev_kernel *kernel;
    dev_queue *queue;
    dev_event *event;
    fake->ze_info = "kernels:\n  - name: k\n    required_work_group_size: [ 8, 2, 1 ]\n";
    assert_true(rt_ok(fixture_open(f, "")));
    assert_true(rt_ok(dev_program_build(f->device, &image, &program)));
    assert_true(rt_ok(dev_kernel_create(program, RT_TEXT("k"), &kernel)));
    assert_true(rt_ok(dev_queue_create(f->device, &queue)));
    dev_nd_range range = {.dimensions = 2, .global = {16, 4, 1}, .local = {8, 2, 1}};
    assert_true(rt_ok(dev_enqueue_kernel(queue, no_wait, kernel, &range, NULL, 0, &event)));
    dev_event_destroy(event);
    range.local[1] = 4;
    expect_status(f->sink, dev_enqueue_kernel(queue, no_wait, kernel, &range, NULL, 0, &event),
                  RT_ERRC_ND_RANGE, "requires groups of 8 x 2 x 1 work-items, but was given 8 x 4");
    memset(range.local, 0, sizeof range.local);
    assert_true(rt_ok(dev_enqueue_kernel(queue, no_wait, kernel, &range, NULL, 0, &event)));
    dev_event_destroy(event);
    dev_queue_destroy(queue);
    dev_kernel_destroy(kernel);
    dev_program_destroy(program);
}

static void groups_and_arguments_are_limited(void **state)
{
    fixture *f = *state;
    assert_true(rt_ok(fixture_open(f, "")));
    dev_program *program;
    dev_kernel *kernel;
    dev_queue *queue;
    dev_event *event;
    assert_true(rt_ok(dev_program_build(f->device, &image, &program)));
    assert_true(rt_ok(dev_kernel_create(program, RT_TEXT("k"), &kernel)));
    assert_true(rt_ok(dev_queue_create_profiling(f->device, &queue)));
    static const uint8_t value[4];
    const dev_argument argument = {.kind = DEV_ARGUMENT_BYTES, .bytes = {value, sizeof value}};
    const dev_argument two[] = {argument, argument};
    dev_nd_range range = {.dimensions = 1, .global = {1024, 1, 1}, .local = {1024, 1, 1}};
    assert_int_equal(dev_enqueue_kernel(queue, no_wait, kernel, &range, two, 2, &event).code,
                     RT_ERRC_ND_RANGE);
    range.local[0] = 512;
    assert_int_equal(dev_enqueue_kernel(queue, no_wait, kernel, &range, two, 1, &event).code,
                     RT_ERRC_KERNEL_ARGUMENT);
    assert_true(rt_ok(dev_enqueue_kernel(queue, no_wait, kernel, &range, two, 2, &event)));
    dev_event_destroy(event);
    dev_queue_destroy(queue);
    dev_kernel_destroy(kernel);
    dev_program_destroy(program);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, fixture_end)
    const struct CMUnitTest tests[] = {
        TEST(libraries_that_are_none_are_unavailable),
        TEST(products_are_chosen_by_name),
        TEST(features_are_the_extensions),
        TEST(images_are_joined_and_compiled),
        TEST(no_failure_leaks_or_panics),
        TEST(failures_have_the_class_of_their_command),
        TEST(a_link_fails_where_its_command_fails),
        TEST(images_that_are_unusable_are_refused),
        TEST(what_the_code_lacks_is_named),
        TEST(parameters_are_counted),
        TEST(required_groups_are_read),
        TEST(groups_are_those_that_the_kernel_requires),
        TEST(groups_and_arguments_are_limited),
    };
    fake = fixture_find_fake(FAKE_LIBRARY);
    if (!fake) return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
