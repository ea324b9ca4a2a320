/* Tests the nvJitLink adapter with a fake library: how it handles every result and log. */
#include "backends/nvjitlink/nvj_internal.h"
#include "backends/nvjitlink/test/fake_nvjitlink.h"
#include "backends/vendor/test/fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static fake_nvjitlink *fake; /* in the fake's shared object; main looks it up */

static void fake_reset(void)
{
    *fake = (fake_nvjitlink){.functions = "k helper", .variables = "counter"};
}

static rt_status fake_open(const dev_open_parameters *parameters, rt_text selector,
                           dev_device **out_device)
{
    return nvj_device_open(FAKE_LIBRARY, parameters, selector, out_device);
}
static const dev_backend fake_backend = {"nvjitlink over a fake", fake_open};

static const char ptx_text[] = "//@kernel k value:4 pointer:8\n.version 6.4\n";
static const dev_code image = {
    .format = RT_FORMAT_PTX,
    .bytes = {(const uint8_t *)ptx_text, sizeof ptx_text - 1},
    .options = {"-cl-mad-enable -O3", 18},
};

static int setup(void **state)
{
    fake_reset();
    return fixture_begin(state, &fake_backend, NULL, &fake->script);
}

/* ---- Opening ------------------------------------------------------------------------------ */

static void libraries_that_are_none_are_unavailable(void **state)
{
    const fixture *f = *state;
    expect_unavailable(f, nvj_device_open, "ci/setup --with nvidia", "has no nvJitLinkVersion");
}

static void architectures_are_chosen_by_name(void **state)
{
    fixture *f = *state;
    const struct {
        const char *selector, *options; /* NULL if the selector is refused */
    } rows[] = {
        {"", "-arch=sm_90 "},
        {"arch=sm_75", "-arch=sm_75 "},
        {"arch=sm_90a", "-arch=sm_90a "},
        {"arch=", NULL},
        {"arch=sm_", NULL},
        {"arch=sm_x", NULL},
        {"arch=sm_9x0", NULL},
        {"arch=sm_123456", NULL},
        {"sm_90", NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rt_status status = fixture_open(f, rows[i].selector);
        assert_int_equal(status.code, rows[i].options ? RT_OK : RT_ERRC_INVALID);
        if (rows[i].options) assert_string_equal(fake->options, rows[i].options);
        fixture_close(f);
    }
    fake->script.fail_call = "nvJitLinkCreate";
    fake->script.fail_with = 16;
    fake->log = "unrecognized architecture (compute_999)\n";
    rt_status status = fixture_open(f, "arch=sm_999");
    assert_int_equal(status.code, RT_ERRC_INVALID);
    assert_true(message_has(f->sink, status, "NVJITLINK_ERROR_UNRECOGNIZED_ARCH (16); its log:"));
    assert_true(message_has(f->sink, status, "compute_999"));
}

static void it_links_and_runs_nothing(void **state)
{
    fixture *f = *state;
    dev_capabilities found;
    assert_true(rt_ok(fixture_open(f, "arch=sm_75")));
    dev_device_capabilities(f->device, &found);
    assert_true(rt_text_is(found.name, "sm_75"));
    assert_true(rt_text_is(found.driver, "nvJitLink 13.7"));
    assert_false(found.executes);
    assert_int_equal(found.formats_taken, 1u << RT_FORMAT_PTX | 1u << RT_FORMAT_NATIVE);
    assert_true(dev_capabilities_link(&found, RT_FORMAT_PTX));
}

/* ---- A whole run, any call of which may fail ---------------------------------------------- */

typedef struct run {
    dev_device *device;
    dev_program *programs[5]; /* two compiled, one linked, one built, one loaded from a binary */
    dev_kernel *kernel;
    dev_memory *memories[3]; /* a buffer, unified shared memory, a variable */
    dev_queue *queue;
    dev_event *events[5];
    uint8_t read[12];
    dev_times times[2]; /* times of the copy and the launch */
} run;

static rt_status run_programs(const fixture *f, run *r)
{
    const dev_open_parameters parameters = {.sink = f->sink};
    RT_TRY(dev_device_open(&fake_backend, &parameters, none, &r->device));
    for (int i = 0; i < 2; i++)
        RT_TRY(dev_program_compile(r->device, &image, &r->programs[i]));
    RT_TRY(dev_program_link(r->device, r->programs, 2, RT_TEXT("-lineinfo -O3"), &r->programs[2]));
    RT_TRY(dev_program_build(r->device, &image, &r->programs[3]));
    RT_TRY(program_reload(r->device, r->programs[2], &r->programs[4]));
    RT_TRY(dev_kernel_create(r->programs[4], RT_TEXT("k"), &r->kernel));
    return dev_global_find(r->programs[2], RT_TEXT("counter"), &r->memories[2]);
}

static rt_status run_commands(run *r)
{
    static const uint8_t content[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    dev_memory **m = r->memories;
    const dev_argument arguments[] = {
        {.kind = DEV_ARGUMENT_BYTES, .bytes = {content, 4}},
        {.kind = DEV_ARGUMENT_POINTER, .memory = m[1], .offset = 3},
    };
    RT_TRY(dev_enqueue_write(r->queue, no_wait, m[0], 0, 8, content, &r->events[0]));
    RT_TRY(dev_enqueue_copy(r->queue, no_wait, m[0], 0, m[1], 0, 8, &r->events[1]));
    RT_TRY(dev_enqueue_fill(r->queue, no_wait, m[2], 0, 4, (rt_bytes){content, 2}, &r->events[2]));
    RT_TRY(
        dev_enqueue_kernel(r->queue, no_wait, r->kernel, &one_item, arguments, 2, &r->events[3]));
    RT_TRY(dev_enqueue_read(r->queue, no_wait, m[2], 0, 12, r->read, &r->events[4]));
    RT_TRY(dev_queue_flush(r->queue));
    for (int i = 1; i < 5; i++)
        RT_TRY(dev_event_wait(r->events[i]));
    RT_TRY(dev_event_times(r->events[1], &r->times[0]));
    return dev_event_times(r->events[3], &r->times[1]);
}

static rt_status run_whole(const fixture *f, run *r)
{
    *r = (run){0};
    memset(r->read, 7, sizeof r->read);
    rt_status status = run_programs(f, r);
    if (rt_ok(status)) status = dev_memory_create(r->device, 8, none, &r->memories[0]);
    if (rt_ok(status))
        status = dev_usm_create(r->device, DEV_MEMORY_USM_SHARED, 8, none, &r->memories[1]);
    if (rt_ok(status)) status = dev_queue_create_profiling(r->device, &r->queue);
    if (rt_ok(status)) status = run_commands(r);
    for (int i = 0; i < 5; i++)
        dev_event_destroy(r->events[i]);
    dev_queue_destroy(r->queue);
    for (int i = 0; i < 3; i++)
        dev_memory_destroy(r->memories[i]);
    for (int i = 0; i < 5; i++)
        dev_program_destroy(r->programs[i]);
    dev_kernel_destroy(r->kernel);
    dev_device_destroy(r->device);
    return status;
}

static void what_is_linked_is_what_was_given(void **state)
{
    fixture *f = *state;
    run r;
    assert_true(rt_ok(run_whole(f, &r)));
    for (size_t i = 0; i < sizeof r.read; i++)
        assert_int_equal(r.read[i], 0);
    /* Commands are counted from 0: the copy is the second, the launch the fourth. */
    assert_int_equal(r.times[0].end, 1);
    assert_int_equal(r.times[1].submit, 3);
    assert_non_null(strstr(fake->script.trace,
                           "nvJitLinkCreate nvJitLinkGetErrorLogSize nvJitLinkAddData "
                           "nvJitLinkGetErrorLogSize nvJitLinkDestroy "));
    assert_true(rt_ok(fixture_open(f, "")));
    dev_program *programs[2], *linked;
    for (int i = 0; i < 2; i++)
        assert_true(rt_ok(dev_program_compile(f->device, &image, &programs[i])));
    assert_true(rt_ok(dev_program_link(f->device, programs, 2, RT_TEXT("-lineinfo"), &linked)));
    /* Each option is passed once, and options for the OpenCL C compiler are not passed at all. */
    assert_string_equal(fake->options, "-arch=sm_90 -lineinfo -O3 ");
    assert_int_equal(fake->added, 2);
    for (int i = 0; i < 2; i++)
        dev_program_destroy(programs[i]);
    dev_program_destroy(linked);
}

static rt_status use_whole(const fixture *f, const void *context)
{
    (void)context;
    run r;
    return run_whole(f, &r);
}

static void fake_reset_talking(void)
{
    fake_reset();
    fake->log = "error   : something\n";
}

static void no_failure_leaks_or_panics(void **state)
{
    const fixture *f = *state;
    const whole_use silent = {fake_reset, use_whole, NULL, 15, 80};
    const whole_use talking = {fake_reset_talking, use_whole, NULL, 15, 80};
    for (nvj_result result = -1; result <= 20; result++) {
        fail_each_call(f, &silent, result, false);
        fail_each_call(f, &talking, result, false);
    }
}

static void failures_have_the_class_of_their_call(void **state)
{
    fixture *f = *state;
    const struct {
        const char *call;
        nvj_result result;
        const char *log, *written;
        rt_code code;
        const char *part; /* part of the message */
    } rows[] = {
        {"nvJitLinkVersion", 6, NULL, NULL, RT_DRIVER_ERROR, "nvJitLinkVersion: result 6"},
        {"nvJitLinkCreate", 1, "unrecognized option: -x", NULL, RT_ERRC_INVALID, "option: -x"},
        {"nvJitLinkCreate", 0, NULL, NULL, RT_DRIVER_ERROR, "without a link"},
        {"nvJitLinkAddData", 4, "ptxas line 7", NULL, RT_ERRC_BUILD,
         "nvJitLinkAddData: NVJITLINK_ERROR_PTX_COMPILE (4); its log:\nptxas line 7"},
        {"nvJitLinkAddData", 12, "bad input", NULL, RT_MALFORMED, "INCORRECT_INPUT_TYPE (12)"},
        {"nvJitLinkAddData", 0, "error: said and not meant", NULL, RT_ERRC_BUILD,
         "NVJITLINK_SUCCESS (0); its log:\nerror: said"},
        {"nvJitLinkComplete", 6, "error   : Undefined reference to 'f'\nERROR 9: complete\n", NULL,
         RT_LINK_ERROR, "Undefined reference to 'f'"},
        {"nvJitLinkComplete", 6, NULL, NULL, RT_DRIVER_ERROR, "NVJITLINK_ERROR_INTERNAL (6)"},
        {"nvJitLinkComplete", 9, "sections overlap", NULL, RT_LINK_ERROR, "ERROR_FINALIZE"},
        {"nvJitLinkComplete", 0, "error: Multiple definition of 'f'", NULL, RT_LINK_ERROR,
         "Multiple definition"},
        {"nvJitLinkComplete", 0, NULL, "@E@error   : Multiple definition of 'f'", RT_LINK_ERROR,
         "nvJitLinkComplete: NVJITLINK_SUCCESS (0); its log:\nerror   : Multiple definition"},
        {"nvJitLinkComplete", 77, NULL, NULL, RT_DRIVER_ERROR, "nvJitLink 13 does not name (77)"},
        {"nvJitLinkGetLinkedCubinSize", 3, NULL, NULL, RT_MALFORMED, "GetLinkedCubinSize"},
        {"nvJitLinkGetLinkedCubinSize", 0, NULL, NULL, RT_LIMIT, "the cubin has 0 bytes"},
        {"nvJitLinkGetLinkedCubin", 3, NULL, NULL, RT_MALFORMED, "nvJitLinkGetLinkedCubin"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        fake_reset();
        fake->script.fail_call = rows[i].call;
        fake->script.fail_with = rows[i].result;
        fake->log = rows[i].log;
        fake->written = rows[i].written;
        run r;
        rt_status status = run_whole(f, &r);
        expect_status(f->sink, status, rows[i].code, rows[i].part);
    }
}

/* An error logged while a text is added to others counts as a link error, not a compile error. */
static void a_second_definition_is_refused_where_it_is_added(void **state)
{
    fixture *f = *state;
    assert_true(rt_ok(fixture_open(f, "")));
    dev_program *programs[2], *linked;
    for (int i = 0; i < 2; i++)
        assert_true(rt_ok(dev_program_compile(f->device, &image, &programs[i])));
    fake->script.calls = 0;
    fake->script.fail_at = 5; /* create and its log, the first text and its log, the second text */
    fake->written = "@E@error   : Multiple definition of 'f' in 'image 1'";
    rt_status status = dev_program_link(f->device, programs, 2, none, &linked);
    expect_status(f->sink, status, RT_LINK_ERROR, "nvJitLinkAddData: NVJITLINK_SUCCESS (0)");
    assert_true(message_has(f->sink, status, "Multiple definition of 'f' in 'image 1'"));
    for (int i = 0; i < 2; i++)
        dev_program_destroy(programs[i]);
}

/* A reported success whose cubin lacks the linked code counts as a failure. */
static void empty_and_damaged_cubins_are_the_librarys_failure(void **state)
{
    fixture *f = *state;
    const struct {
        const char *functions;
        bool no_cubin;
        size_t cut, size;
        rt_code code;
        const char *part;
    } rows[] = {
        {"", false, 0, 0, RT_DRIVER_ERROR, "reported success, but the cubin lacks kernel 'k'"},
        {"kk", false, 0, 0, RT_DRIVER_ERROR, "lacks kernel 'k'"},
        {"k", true, 0, 0, RT_DRIVER_ERROR, "not a cubin with symbols"},
        {"k", false, 20, 0, RT_DRIVER_ERROR, "not a cubin with symbols"},
        {"k", false, 0, (size_t)RT_IMAGE_SIZE_MAX + 1, RT_LIMIT, "assay accepts 1 to"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        fake_reset();
        fake->functions = rows[i].functions;
        fake->no_cubin = rows[i].no_cubin;
        fake->cubin_cut = rows[i].cut;
        fake->cubin_size = rows[i].size;
        run r;
        rt_status status = run_whole(f, &r);
        expect_status(f->sink, status, rows[i].code, rows[i].part);
    }
}

/* ---- Programs ----------------------------------------------------------------------------- */

static void symbols_are_found_in_what_was_linked(void **state)
{
    fixture *f = *state;
    dev_program *program;
    dev_memory *counter, *same_counter, *other;
    dev_kernel *kernel;
    fake->variables = "first counter";
    assert_true(rt_ok(fixture_open(f, "")));
    assert_true(rt_ok(dev_program_build(f->device, &image, &program)));
    assert_true(rt_ok(dev_global_find(program, RT_TEXT("counter"), &counter)));
    assert_true(rt_ok(dev_global_find(program, RT_TEXT("counter"), &same_counter)));
    assert_true(rt_ok(dev_global_find(program, RT_TEXT("first"), &other)));
    assert_int_equal(counter->size, 12);
    assert_true(dev_memory_address(counter) == dev_memory_address(same_counter));
    assert_true(dev_memory_address(counter) != dev_memory_address(other));
    dev_memory_destroy(counter);
    dev_memory_destroy(same_counter);
    dev_memory_destroy(other);
    static const char *const missing[] = {"count", "counters", "k", "elsewhere", ""};
    for (size_t i = 0; i < sizeof missing / sizeof *missing; i++) {
        rt_status status = dev_global_find(program, rt_text_of(missing[i]), &counter);
        assert_int_equal(status.code, RT_ERRC_INVALID);
    }
    /* A function that is not a kernel cannot be launched. */
    assert_int_equal(dev_kernel_create(program, RT_TEXT("helper"), &kernel).code, RT_ERRC_INVALID);
    assert_true(rt_ok(dev_kernel_create(program, RT_TEXT("k"), &kernel)));
    assert_int_equal(dev_kernel_argument_count(kernel), 2);
    dev_program_destroy(program);
    dev_kernel_destroy(kernel);
}

static void images_that_are_not_ptx_are_refused(void **state)
{
    fixture *f = *state;
    assert_true(rt_ok(fixture_open(f, "")));
    const struct {
        rt_format format;
        const char *text;
        size_t length;
        rt_code code;
    } rows[] = {
        {RT_FORMAT_SPIRV64, "x", 1, RT_UNSUPPORTED},
        {RT_FORMAT_PTX, "", 0, RT_MALFORMED},
        {RT_FORMAT_PTX, "a\0b", 3, RT_MALFORMED},
        {RT_FORMAT_PTX, "//@kernel k what:4\n", 19, RT_MALFORMED},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const dev_code code = {.format = rows[i].format,
                               .bytes = {(const uint8_t *)rows[i].text, rows[i].length}};
        dev_program *program;
        assert_int_equal(dev_program_compile(f->device, &code, &program).code, rows[i].code);
        assert_int_equal(dev_program_build(f->device, &code, &program).code, rows[i].code);
    }
    dev_program *program;
    assert_int_equal(dev_program_load(f->device, image.bytes, &program).code, RT_MALFORMED);
}

/* Lines that other code writes to standard error during a call are not taken for the library's. */
static void other_lines_of_stderr_are_not_part_of_the_log(void **state)
{
    fixture *f = *state;
    run r;
    fake->script.fail_call = "nvJitLinkComplete";
    fake->script.fail_with = 0;
    fake->written = "(a line of a test, which belongs on standard error)\n";
    assert_true(rt_ok(run_whole(f, &r)));
}

int main(int argc, char **argv)
{
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    fake = fixture_find_fake(FAKE_LIBRARY);
    if (!fake) return 1;
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, fixture_end)
    const struct CMUnitTest tests[] = {
        TEST(libraries_that_are_none_are_unavailable),
        TEST(architectures_are_chosen_by_name),
        TEST(it_links_and_runs_nothing),
        TEST(what_is_linked_is_what_was_given),
        TEST(no_failure_leaks_or_panics),
        TEST(failures_have_the_class_of_their_call),
        TEST(a_second_definition_is_refused_where_it_is_added),
        TEST(empty_and_damaged_cubins_are_the_librarys_failure),
        TEST(symbols_are_found_in_what_was_linked),
        TEST(images_that_are_not_ptx_are_refused),
        TEST(other_lines_of_stderr_are_not_part_of_the_log),
    };
#undef TEST
    return cmocka_run_group_tests(tests, NULL, NULL);
}
