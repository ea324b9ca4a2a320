/* Tests the Level Zero adapter against a fake loader: the calls it makes, and how it handles every
 * failure.  No driver is needed. */
#include "backends/level_zero/l0_internal.h"
#include "backends/level_zero/test/fake_level_zero.h"
#include "backends/vendor/test/fixture.h"
#include "reference/base/alloc.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static fake_level_zero *fake; /* in the fake's shared object; main looks it up */

static void fake_reset(void)
{
    *fake = (fake_level_zero){
        .drivers = 1,
        .devices = 1,
        .lists_program = true,
        .lists_offset = true,
        .fill_max = 16,
        .spirv = ZE_MAKE_VERSION(1, 2),
        .module_flags = ZE_DEVICE_MODULE_FLAG_FP16 | ZE_DEVICE_MODULE_FLAG_INT64_ATOMICS,
        .shared_access = ZE_MEMORY_ACCESS_CAP_FLAG_RW,
        .suggested = {1, 1, 1},
        .log = "Module <0x55aa01>: Unresolved Symbol <twice>\n",
    };
}

static rt_status fake_open(const dev_open_parameters *parameters, rt_text selector,
                           dev_device **out_device)
{
    return l0_device_open(FAKE_LIBRARY, parameters, selector, out_device);
}
static const dev_backend fake_backend = {"level_zero over a fake", fake_open};

/* ---- Images: a header whose third word is the fake's bits, then decorations --------------- */

#define HEADER(bits) 0x07230203, 0x00010200, (bits), 10, 0
/* Result id 1 has the host name "x" and the linkage name "y". */
#define NAMES        5u << 16 | 71, 1, 6147, 0, 'x', 5u << 16 | 71, 1, 41, 'y', 0
#define LINKAGE_ONLY 5u << 16 | 71, 1, 41, 'y', 0

#define IMAGE(name, ...)                                                                           \
    static const uint32_t name##_words[] = {__VA_ARGS__};                                          \
    static const dev_code name = {.format = RT_FORMAT_SPIRV64,                                     \
                                  .bytes = {(const uint8_t *)name##_words, sizeof name##_words}}

IMAGE(plain, HEADER(0));
IMAGE(importing, HEADER(FAKE_IMPORTS), 5u << 16 | 71, 1, 41, 's', 1);
IMAGE(exporting, HEADER(FAKE_EXPORTS), 5u << 16 | 71, 1, 41, 's', 0);
IMAGE(named, HEADER(FAKE_HAS_X | FAKE_HAS_Y), NAMES);
IMAGE(repeated, HEADER(FAKE_HAS_Y), 5u << 16 | 71, 1, 6147, 0, 'x', 5u << 16 | 71, 1, 41, 'y', 2);
IMAGE(unnamed, HEADER(FAKE_HAS_X | FAKE_HAS_Y), LINKAGE_ONLY);
IMAGE(hidden, HEADER(FAKE_HAS_HOST_X), 5u << 16 | 71, 1, 6188, 0, 'x');
/* Result id 2 is a constant of 32 bits with SpecId 7. */
IMAGE(constant, HEADER(0), 4u << 16 | 71, 2, 1, 7, 4u << 16 | 21, 3, 32, 0, 4u << 16 | 50, 3, 2, 5);

static int setup(void **state)
{
    fake_reset();
    unsetenv("NEOReadDebugKeys");
    unsetenv("SetCommandStreamReceiver");
    return fixture_begin(state, &fake_backend, NULL, &fake->script);
}

static int teardown(void **state)
{
    fixture_close(*state);
    assert_int_equal(fake->misuses, 0);
    return fixture_end(state);
}

/* ---- Opening ------------------------------------------------------------------------------ */

static void loaders_that_are_none_are_unavailable(void **state)
{
    const fixture *f = *state;
    expect_unavailable(f, l0_device_open, "libze1", "zeInit");
}

static void selectors_choose_by_index(void **state)
{
    fixture *f = *state;
    const struct {
        const char *selector;
        rt_code code;
        const char *name; /* of the device */
    } rows[] = {
        {"", RT_OK, "Fake GPU 0"},
        {"device=0", RT_OK, "Fake GPU 0"},
        {"link=dynamic", RT_OK, "Fake GPU 0"},
        {"device=1,link=dynamic", RT_OK, "Fake GPU 1"},
        {"link=dynamic,device=2", RT_OK, "Fake GPU 0"}, /* of the second driver */
        {"device=4", RT_UNAVAILABLE, NULL},
        {"device=", RT_ERRC_INVALID, NULL},
        {"device=1x", RT_ERRC_INVALID, NULL},
        {"device=99999999", RT_ERRC_INVALID, NULL},
        {"link=static", RT_ERRC_INVALID, NULL},
        {"platform=Fake", RT_ERRC_INVALID, NULL},
    };
    fake->drivers = fake->devices = 2;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rt_status status = fixture_open(f, rows[i].selector);
        assert_int_equal(status.code, rows[i].code);
        if (!rows[i].name) continue;
        dev_capabilities found;
        dev_device_capabilities(f->device, &found);
        assert_true(rt_text_is(found.name, rows[i].name));
        fixture_close(f);
    }
    assert_true(message_has(f->sink, fixture_open(f, "device=4"), "offers 4"));
    fake->drivers = 0;
    assert_int_equal(fixture_open(f, "").code, RT_UNAVAILABLE);
}

static void capabilities_are_the_drivers_answers(void **state)
{
    fixture *f = *state;
    assert_true(rt_ok(fixture_open(f, "")));
    dev_capabilities found;
    dev_device_capabilities(f->device, &found);
    assert_true(rt_text_is(found.driver, "Level Zero 1.3, driver 2.7.300"));
    assert_int_equal(found.aspects, 1u << DEV_ASPECT_FP16 | 1u << DEV_ASPECT_ATOMIC64 |
                                        1u << DEV_ASPECT_VIRTUAL_FUNCTIONS);
    assert_int_equal(found.local_size_max, 4096);
    assert_int_equal(found.group_size_max, 256);
    assert_true(found.sub_group_sizes == (UINT64_C(1) << 7 | UINT64_C(1) << 31));
    assert_true(found.executes && found.usm);
    assert_true(dev_capabilities_link(&found, RT_FORMAT_SPIRV64));
    fixture_close(f);
    fake->shared_access = 0;
    assert_true(rt_ok(fixture_open(f, "")));
    dev_device_capabilities(f->device, &found);
    assert_false(found.usm);
    fixture_close(f);
    fake->no_compute = true;
    rt_status status = fixture_open(f, "");
    expect_status(f->sink, status, RT_UNAVAILABLE, "no compute queue");
}

/* The driver is configured to accept commands but run none, so the adapter must never wait for
 * them. */
static void captured_commands_are_not_waited_for(void **state)
{
    fixture *f = *state;
    setenv("NEOReadDebugKeys", "1", 1);
    setenv("SetCommandStreamReceiver", "1", 1);
    assert_true(rt_ok(fixture_open(f, "")));
    dev_capabilities found;
    dev_device_capabilities(f->device, &found);
    assert_false(found.executes);
    dev_memory *memory;
    dev_queue *queue;
    dev_event *event;
    const uint8_t bytes[4] = {1, 2, 3, 4};
    assert_true(rt_ok(dev_memory_create(f->device, 4, none, &memory)));
    assert_true(rt_ok(dev_queue_create(f->device, &queue)));
    assert_true(rt_ok(dev_enqueue_write(queue, no_wait, memory, 0, 4, bytes, &event)));
    assert_int_equal(dev_event_query(event), DEV_EVENT_COMPLETE);
    assert_true(rt_ok(dev_event_wait(event)));
    dev_event_destroy(event);
    dev_memory_destroy(memory);
    dev_queue_destroy(queue);
    assert_null(strstr(fake->script.trace, "zeEventHostSynchronize"));
    fixture_close(f);
    setenv("SetCommandStreamReceiver", "0", 1);
    assert_true(rt_ok(fixture_open(f, "")));
    dev_device_capabilities(f->device, &found);
    assert_true(found.executes);
}

/* ---- A whole run -------------------------------------------------------------------------- */

enum { EVENTS_MAX = 16, MEMORIES = 3 };

/* All objects of a small program, so that a test can free them at any point. */
typedef struct run {
    dev_device *device;
    dev_queue *queue;
    dev_memory *memories[MEMORIES], *variable;
    dev_program *programs[3];
    dev_kernel *kernel;
    dev_event *events[EVENTS_MAX];
    uint32_t event_count;
    uint8_t read[8], variable_read[12];
} run;

static dev_event **run_event(run *r)
{
    CHECK(r->event_count < EVENTS_MAX);
    return &r->events[r->event_count++];
}

/* Returns the parameters of a command that waits for the last `count` events. */
static dev_command after_last(const run *r, uint32_t count)
{
    CHECK(count <= r->event_count);
    return (dev_command){.wait = &r->events[r->event_count - count], .wait_count = count};
}

static rt_status run_link(run *r)
{
    RT_TRY(dev_program_compile(r->device, &importing, &r->programs[0]));
    RT_TRY(dev_program_compile(r->device, &exporting, &r->programs[1]));
    RT_TRY(dev_program_link(r->device, r->programs, 2, RT_TEXT("-l"), &r->programs[2]));
    return dev_kernel_create(r->programs[2], RT_TEXT("k"), &r->kernel);
}

static rt_status run_prepare(const fixture *f, const char *selector, run *r)
{
    static const dev_memory_kind kinds[] = {DEV_MEMORY_USM_DEVICE, DEV_MEMORY_USM_SHARED};
    const dev_open_parameters parameters = {.sink = f->sink};
    *r = (run){0};
    RT_TRY(dev_device_open(&fake_backend, &parameters, rt_text_of(selector), &r->device));
    RT_TRY(dev_queue_create(r->device, &r->queue));
    RT_TRY(dev_memory_create(r->device, 8, RT_TEXT("buffer"), &r->memories[0]));
    for (int i = 0; i < 2; i++)
        RT_TRY(dev_usm_create(r->device, kinds[i], 8, RT_TEXT("usm"), &r->memories[1 + i]));
    return run_link(r);
}

static rt_status run_commands(run *r)
{
    static const uint8_t bytes[8] = {1, 2, 3, 4, 5, 6, 7, 8}, pattern[2] = {9, 10}, value = 42;
    const dev_argument arguments[] = {
        {.kind = DEV_ARGUMENT_BYTES, .bytes = {&value, 1}},
        {.kind = DEV_ARGUMENT_POINTER, .memory = r->memories[2], .offset = 5},
    };
    RT_TRY(dev_enqueue_write(r->queue, no_wait, r->memories[0], 0, 8, bytes, run_event(r)));
    dev_command after = after_last(r, 1);
    RT_TRY(dev_enqueue_fill(r->queue, after, r->memories[0], 2, 4, (rt_bytes){pattern, 2},
                            run_event(r)));
    after = after_last(r, 1);
    RT_TRY(
        dev_enqueue_copy(r->queue, after, r->memories[0], 0, r->memories[2], 0, 8, run_event(r)));
    after = after_last(r, 1);
    RT_TRY(dev_enqueue_kernel(r->queue, after, r->kernel, &one_item, arguments, 2, run_event(r)));
    after = after_last(r, 2);
    RT_TRY(dev_enqueue_read(r->queue, after, r->memories[2], 0, 8, r->read, run_event(r)));
    RT_TRY(dev_queue_flush(r->queue));
    return dev_event_wait(r->events[r->event_count - 1]);
}

static rt_status run_variable(run *r)
{
    static const uint8_t bytes[4] = {3, 1, 4, 1};
    RT_TRY(dev_global_find(r->programs[2], RT_TEXT("shared"), &r->variable));
    RT_TRY(dev_enqueue_write(r->queue, no_wait, r->variable, 8, 4, bytes, run_event(r)));
    dev_command after = after_last(r, 1);
    RT_TRY(dev_enqueue_read(r->queue, after, r->variable, 0, 12, r->variable_read, run_event(r)));
    return dev_event_wait(r->events[r->event_count - 1]);
}

static void run_end(run *r)
{
    for (uint32_t i = 0; i < r->event_count; i++)
        dev_event_destroy(r->events[i]);
    dev_memory_destroy(r->variable);
    dev_kernel_destroy(r->kernel);
    for (int i = 0; i < 3; i++)
        dev_program_destroy(r->programs[i]);
    for (int i = 0; i < MEMORIES; i++)
        dev_memory_destroy(r->memories[i]);
    dev_queue_destroy(r->queue);
    dev_device_destroy(r->device);
}

static rt_status run_whole(const fixture *f, const char *selector, run *r)
{
    rt_status status = run_prepare(f, selector, r);
    if (rt_ok(status)) status = run_commands(r);
    if (rt_ok(status)) status = run_variable(r);
    run_end(r);
    return status;
}

/* No failure makes the adapter destroy an object too early. */
static rt_status use_whole(const fixture *f, const void *selector)
{
    run r;
    rt_status status = run_whole(f, selector, &r);
    assert_int_equal(fake->misuses, 0);
    return status;
}

/* Saves a program as a binary, loads that as a new program, and frees everything. */
static rt_status run_binary(const fixture *f, const char *selector, run *r)
{
    const dev_open_parameters parameters = {.sink = f->sink};
    *r = (run){0};
    rt_status status =
        dev_device_open(&fake_backend, &parameters, rt_text_of(selector), &r->device);
    if (rt_ok(status)) status = dev_program_build(r->device, &named, &r->programs[0]);
    if (rt_ok(status)) status = program_reload(r->device, r->programs[0], &r->programs[1]);
    if (rt_ok(status)) status = dev_kernel_create(r->programs[1], RT_TEXT("k"), &r->kernel);
    run_end(r);
    return status;
}

static rt_status use_binary(const fixture *f, const void *selector)
{
    run r;
    rt_status status = run_binary(f, selector, &r);
    assert_int_equal(fake->misuses, 0);
    return status;
}

static void commands_have_their_effect(void **state)
{
    fixture *f = *state;
    static const char *const selectors[] = {"", "link=dynamic"};
    for (int i = 0; i < 2; i++) {
        run r;
        fake_reset();
        assert_true(rt_ok(run_whole(f, selectors[i], &r)));
        const uint8_t expected[8] = {1, 2, 9, 10, 9, 42, 7, 8};
        const uint8_t expected_variable[12] = {[8] = 3, 1, 4, 1};
        assert_memory_equal(r.read, expected, 8);
        assert_memory_equal(r.variable_read, expected_variable, 12);
        assert_int_equal(fake->indirect, 7); /* host, device and shared */
    }
}

/* Tests that prove a rule free everything before their assertions, so that a planted fault fails an
 * assertion and leaves nothing that would cause a panic. */

/* ---- Linking ------------------------------------------------------------------------------ */

static void DL_BACKEND_09_the_driver_joins_spirv(void **state)
{
    fixture *f = *state;
    run r;
    bool ran = rt_ok(run_prepare(f, "", &r));
    run_end(&r);
    assert_true(ran);
    assert_int_equal(fake->joined, 2);
    assert_int_equal(fake->linked, 1); /* the link detects unresolved symbols */
    assert_string_equal(fake->flags, "-library-compilation -ze-take-global-address -l");
}

static void DL_BACKEND_10_without_that_modules_are_linked_dynamically(void **state)
{
    fixture *f = *state;
    for (int i = 0; i < 2; i++) {
        run r;
        fake_reset();
        fake->lists_program = i > 0; /* if listed, it must not be used */
        bool ran = rt_ok(run_prepare(f, i > 0 ? "link=dynamic" : "", &r));
        run_end(&r);
        assert_true(ran);
        assert_int_equal(fake->joined, 1);
        assert_int_equal(fake->linked, 2);
        assert_string_equal(fake->flags, "-library-compilation -ze-take-global-address");
    }
}

/* zeModuleDynamicLink modifies the modules that it links, so every link needs its own. */
static void compiled_programs_are_linked_again(void **state)
{
    fixture *f = *state;
    run r;
    assert_true(rt_ok(run_prepare(f, "link=dynamic", &r)));
    *fake->script.trace = '\0';
    dev_program *relinked;
    assert_true(rt_ok(dev_program_link(r.device, r.programs, 2, none, &relinked)));
    assert_non_null(strstr(fake->script.trace, "zeModuleCreate"));
    dev_program_destroy(relinked);
    run_end(&r);
}

static void open_symbols_are_link_errors(void **state)
{
    fixture *f = *state;
    static const char *const selectors[] = {"", "link=dynamic"};
    for (int i = 0; i < 2; i++) {
        dev_program *program, *linked;
        assert_true(rt_ok(fixture_open(f, selectors[i])));
        assert_true(rt_ok(dev_program_compile(f->device, &importing, &program)));
        rt_status status = dev_program_link(f->device, &program, 1, none, &linked);
        assert_int_equal(status.code, RT_LINK_ERROR);
        /* The message contains nothing that differs from run to run. */
        assert_true(message_has(f->sink, status, "Module <>: Unresolved Symbol <twice>"));
        status = dev_program_build(f->device, &importing, &linked);
        assert_int_equal(status.code, RT_LINK_ERROR);
        dev_program_destroy(program);
        fixture_close(f);
    }
}

static void long_logs_are_cut(void **state)
{
    fixture *f = *state;
    static char log[9000]; /* three-byte characters, which must not be split */
    for (size_t i = 0; i + 3 < sizeof log; i += 3)
        memcpy(log + i, "\xE2\x82\xAC", 3);
    fake->log = log;
    dev_program *program;
    assert_true(rt_ok(fixture_open(f, "")));
    rt_status status = dev_program_build(f->device, &importing, &program);
    assert_true(message_has(f->sink, status, "\xE2\x82\xAC… (4998 more bytes)"));
    fake->log = "";
    status = dev_program_build(f->device, &importing, &program);
    assert_false(message_has(f->sink, status, "log"));
}

/* ---- Variables ---------------------------------------------------------------------------- */

static void DG_PLUGIN_07_variables_are_copied_at_their_pointer(void **state)
{
    fixture *f = *state;
    run r;
    bool ran = rt_ok(run_prepare(f, "", &r));
    *fake->script.trace = '\0';
    ran = ran && rt_ok(run_variable(&r));
    run_end(&r);
    assert_true(ran);
    const char *pointer = strstr(fake->script.trace, "zeModuleGetGlobalPointer");
    const char *write = pointer ? strstr(pointer, "zeCommandListAppendMemoryCopy") : NULL;
    const char *read = write ? strstr(write + 1, "zeCommandListAppendMemoryCopy") : NULL;
    assert_non_null(read);
    assert_null(strstr(fake->script.trace, "zeCommandListAppendMemoryFill"));
}

/* Returns the size of the variable "x" in a program built from the code, or loaded from its binary;
 * 0 if there is none. */
static uint64_t size_of_x(const fixture *f, const dev_code *code, bool loaded)
{
    dev_program *program = NULL, *reloaded = NULL;
    dev_memory *variable = NULL;
    rt_buffer binary = {0};
    rt_status status = dev_program_build(f->device, code, &program);
    if (rt_ok(status) && loaded) status = dev_program_binary(program, &binary);
    if (rt_ok(status) && loaded)
        status = dev_program_load(f->device, rt_buffer_bytes(&binary), &reloaded);
    if (rt_ok(status))
        status = dev_global_find(loaded ? reloaded : program, RT_TEXT("x"), &variable);
    uint64_t size = rt_ok(status) ? variable->size : 0;
    dev_memory_destroy(variable);
    dev_program_destroy(program);
    dev_program_destroy(reloaded);
    rt_buffer_free(&binary);
    return size;
}

/* The variable "y" has 8 bytes and the host name "x"; another, of 4 bytes, has the linkage name
 * "x".
 */
static void DG_PLUGIN_08_names_for_the_host_come_first(void **state)
{
    fixture *f = *state;
    assert_true(rt_ok(fixture_open(f, "")));
    assert_int_equal(size_of_x(f, &unnamed, false), 4);
    assert_int_equal(size_of_x(f, &named, false), 8);
    /* If a variable has only a host name, the lookup is left to the driver. */
    assert_int_equal(size_of_x(f, &hidden, false), 20);
    assert_string_equal(fake->flags, "-ze-take-global-address");
}

static void variables_that_other_images_may_define_are_found(void **state)
{
    fixture *f = *state;
    assert_true(rt_ok(fixture_open(f, "")));
    assert_int_equal(size_of_x(f, &repeated, false), 8);
    assert_int_equal(size_of_x(f, &repeated, true), 8);
}

static void DG_PLUGIN_09_binaries_keep_names_for_the_host(void **state)
{
    fixture *f = *state;
    assert_true(rt_ok(fixture_open(f, "")));
    assert_int_equal(size_of_x(f, &named, true), 8);
    assert_int_equal(size_of_x(f, &unnamed, true), 4);
}

/* Calls the adapter directly, since checked.c refuses the query for a program that is not
 * executable. */
static void DG_PLUGIN_10_imported_variables_are_found_after_the_link(void **state)
{
    fixture *f = *state;
    run r;
    dev_memory *variables[3] = {NULL};
    rt_status before[2] = {RT_STATUS_OK, RT_STATUS_OK}, after = RT_STATUS_OK;
    bool ran = rt_ok(run_prepare(f, "link=dynamic", &r));
    dev_program *compiled[2] = {NULL};
    const dev_code *codes[] = {&importing, &exporting};
    for (int i = 0; i < 2 && ran; i++) {
        ran = rt_ok(dev_program_compile(r.device, codes[i], &compiled[i]));
        if (ran)
            before[i] =
                compiled[i]->ops->global_find(compiled[i], RT_TEXT("shared"), &variables[i]);
    }
    bool is_queried = strstr(fake->script.trace, "zeModuleGetGlobalPointer") != NULL;
    if (ran) after = dev_global_find(r.programs[2], RT_TEXT("shared"), &variables[2]);
    uint64_t address = ran && rt_ok(after) ? dev_memory_address(variables[2]) : 0;
    for (int i = 0; i < 2; i++) {
        if (variables[i]) variables[i]->ops->destroy(variables[i]); /* unknown to checked.c */
        dev_program_destroy(compiled[i]);
    }
    dev_memory_destroy(variables[2]);
    run_end(&r);
    assert_true(ran);
    assert_int_equal(before[0].code, RT_ERRC_INVALID);
    assert_int_equal(before[1].code, RT_ERRC_INVALID);
    assert_true(message_has(f->sink, before[0], "when its program is linked"));
    assert_false(is_queried);
    assert_int_equal(address, (uint64_t)(uintptr_t)fake->shared);
}

static void variables_that_cannot_be_are_refused(void **state)
{
    fixture *f = *state;
    dev_program *program;
    dev_memory *variable;
    assert_true(rt_ok(fixture_open(f, "")));
    assert_true(rt_ok(dev_program_build(f->device, &named, &program)));
    rt_status status = dev_global_find(program, RT_TEXT("z"), &variable);
    expect_status(f->sink, status, RT_ERRC_INVALID, "no variable 'z'");
    assert_int_equal(dev_global_find(program, (rt_text){"x\0x", 3}, &variable).code,
                     RT_ERRC_INVALID);
    fake->variable_size = (size_t)RT_MEMORY_SIZE_MAX + 1;
    assert_int_equal(dev_global_find(program, RT_TEXT("x"), &variable).code, RT_LIMIT);
    dev_program_destroy(program);
}

/* ---- Codes -------------------------------------------------------------------------------- */

static void constants_reach_the_driver(void **state)
{
    fixture *f = *state;
    const uint32_t value = 0x01020304;
    const dev_spec_constant constants[] = {
        {.id = 8, .value = {(const uint8_t *)&value, 2}}, /* the code has no such constant, so the
                                                           * value is ignored */
        {.id = 7, .value = {(const uint8_t *)&value, 4}},
    };
    dev_code code = constant;
    code.constants = constants;
    code.constant_count = 2;
    dev_program *program;
    assert_true(rt_ok(fixture_open(f, "")));
    assert_true(rt_ok(dev_program_build(f->device, &code, &program)));
    assert_int_equal(fake->constant_count, 1);
    assert_int_equal(fake->constant_id, 7);
    assert_int_equal(fake->constant_value, value);
    dev_program_destroy(program);
    const dev_spec_constant wide = {.id = 7, .value = {(const uint8_t[8]){1}, 8}};
    code.constants = &wide;
    code.constant_count = 1;
    rt_status status = dev_program_build(f->device, &code, &program);
    expect_status(f->sink, status, RT_ERRC_INVALID, "constant 7 has 4 bytes");
}

static void code_in_other_formats_is_refused(void **state)
{
    fixture *f = *state;
    static const uint32_t newer[] = {0x07230203, 0x00010300, 0, 1, 0};
    static const uint32_t cut[] = {0x07230203, 0x00010200, 0, 1, 0, 4u << 16 | 71};
    const struct {
        dev_code code;
        rt_code answer;
        const char *part;
    } rows[] = {
        {{.format = RT_FORMAT_SPIRV64, .bytes = {(const uint8_t *)newer, sizeof newer}},
         RT_UNSUPPORTED,
         "SPIR-V 1.3, but 'Fake GPU 0' supports versions up to 1.2"},
        {{.format = RT_FORMAT_SPIRV64, .bytes = {(const uint8_t *)cut, sizeof cut}},
         RT_MALFORMED,
         "at byte 20"},
        {{.format = RT_FORMAT_SPIRV64, .bytes = {(const uint8_t *)"no", 2}},
         RT_MALFORMED,
         "ends at byte 2, inside its header"},
        {{.format = RT_FORMAT_PTX, .bytes = {(const uint8_t *)newer, sizeof newer}},
         RT_UNSUPPORTED,
         "takes images of format spirv64"},
    };
    dev_program *program;
    assert_true(rt_ok(fixture_open(f, "")));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rt_status status = dev_program_build(f->device, &rows[i].code, &program);
        expect_status(f->sink, status, rows[i].answer, rows[i].part);
        assert_int_equal(dev_program_compile(f->device, &rows[i].code, &program).code,
                         rows[i].answer);
    }
    assert_null(strstr(fake->script.trace, "zeModuleCreate"));
}

/* A program's binary is code of the device's native formats: a whole program, which is not linked.
 */
static void native_code_is_a_whole_program(void **state)
{
    fixture *f = *state;
    dev_program *program, *loaded;
    rt_buffer binary = {0};
    assert_true(rt_ok(fixture_open(f, "")));
    assert_true(rt_ok(dev_program_build(f->device, &named, &program)));
    assert_true(rt_ok(dev_program_binary(program, &binary)));
    dev_program_destroy(program);
    static const rt_format formats[] = {RT_FORMAT_NATIVE, RT_FORMAT_SPIRV64_GEN};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        dev_code code = {.format = formats[i], .bytes = rt_buffer_bytes(&binary)};
        rt_status status = dev_program_compile(f->device, &code, &program);
        expect_status(f->sink, status, RT_UNSUPPORTED, "takes images of format spirv64");
        assert_true(rt_ok(dev_program_build(f->device, &code, &loaded)));
        dev_program_destroy(loaded);
        code.bytes.size--;
        status = dev_program_build(f->device, &code, &loaded);
        expect_status(f->sink, status, RT_MALFORMED, "damaged");
    }
    rt_buffer_free(&binary);
}

static void binaries_are_checked(void **state)
{
    fixture *f = *state;
    dev_program *program, *linked;
    rt_buffer binary = {0};
    assert_true(rt_ok(fixture_open(f, "")));
    assert_true(rt_ok(dev_program_build(f->device, &named, &program)));
    assert_true(rt_ok(dev_program_binary(program, &binary)));
    for (size_t size = 0; size < binary.size; size++) /* truncated at every byte */
        assert_int_equal(
            dev_program_load(f->device, (rt_bytes){rt_buffer_bytes(&binary).data, size}, &linked)
                .code,
            RT_MALFORMED);
    for (size_t i = 0; i < 32; i++) { /* every byte of the header and of the module's size */
        binary.data[i] ^= (char)0x81;
        assert_int_equal(dev_program_load(f->device, rt_buffer_bytes(&binary), &linked).code,
                         RT_MALFORMED);
        binary.data[i] ^= (char)0x81;
    }
    rt_buffer_free(&binary);
    fake->no_binary = true;
    assert_int_equal(dev_program_binary(program, &binary).code, RT_UNSUPPORTED);
    rt_buffer_free(&binary);
    dev_program_destroy(program);
}

/* Loading links the native code of the modules again. */
static void modules_survive_together_as_binaries(void **state)
{
    fixture *f = *state;
    run r;
    rt_buffer binary = {0};
    dev_program *reloaded;
    assert_true(rt_ok(run_prepare(f, "link=dynamic", &r)));
    assert_true(rt_ok(dev_program_binary(r.programs[2], &binary)));
    fake->linked = 0;
    assert_true(rt_ok(dev_program_load(r.device, rt_buffer_bytes(&binary), &reloaded)));
    assert_int_equal(fake->linked, 2);
    dev_memory *variable;
    assert_true(rt_ok(dev_global_find(reloaded, RT_TEXT("shared"), &variable)));
    dev_memory_destroy(variable);
    dev_program_destroy(reloaded);
    rt_buffer_free(&binary);
    run_end(&r);
}

/* Where modules are linked, binaries of compiled programs are linked with each other and with
 * SPIR-V; where the driver joins SPIR-V, they are not. */
static void binaries_of_compiled_programs_are_linked(void **state)
{
    fixture *f = *state;
    dev_program *programs[2], *objects[2], *linked;
    dev_memory *variable;
    rt_buffer binaries[2] = {0};
    assert_true(rt_ok(fixture_open(f, "link=dynamic")));
    dev_capabilities capabilities;
    dev_device_capabilities(f->device, &capabilities);
    assert_true(dev_capabilities_link(&capabilities, RT_FORMAT_NATIVE));
    assert_true(dev_capabilities_link(&capabilities, RT_FORMAT_SPIRV64_GEN));
    assert_true(rt_ok(dev_program_compile(f->device, &importing, &programs[0])));
    assert_true(rt_ok(dev_program_compile(f->device, &exporting, &programs[1])));
    for (int i = 0; i < 2; i++) {
        assert_true(rt_ok(dev_program_binary(programs[i], &binaries[i])));
        const dev_code code = {.format = i == 0 ? RT_FORMAT_NATIVE : RT_FORMAT_SPIRV64_GEN,
                               .bytes = rt_buffer_bytes(&binaries[i])};
        assert_true(rt_ok(dev_program_compile(f->device, &code, &objects[i])));
    }
    /* Two objects, twice, since a link modifies its modules; then one with SPIR-V. */
    dev_program *const pairs[][2] = {
        {objects[0], objects[1]}, {objects[0], objects[1]}, {objects[0], programs[1]}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        fake->linked = 0;
        assert_true(rt_ok(dev_program_link(f->device, pairs[i], 2, none, &linked)));
        assert_int_equal(fake->linked, 2);
        assert_true(rt_ok(dev_global_find(linked, RT_TEXT("shared"), &variable)));
        dev_memory_destroy(variable);
        dev_program_destroy(linked);
    }
    /* Alone, the import is unresolved; a linked program cannot be linked again, nor a compiled one
     * be stored after it was linked. */
    assert_int_equal(dev_program_link(f->device, objects, 1, none, &linked).code, RT_LINK_ERROR);
    rt_buffer binary = {0};
    rt_status status = dev_program_binary(programs[1], &binary);
    expect_status(f->sink, status, RT_UNSUPPORTED, "store the compiled program before");
    assert_true(rt_ok(dev_program_link(f->device, pairs[0], 2, none, &linked)));
    assert_true(rt_ok(dev_program_binary(linked, &binary)));
    dev_program_destroy(linked);
    const dev_code code = {.format = RT_FORMAT_NATIVE, .bytes = rt_buffer_bytes(&binary)};
    status = dev_program_compile(f->device, &code, &linked);
    expect_status(f->sink, status, RT_UNSUPPORTED, "2 modules, which have been linked");
    rt_buffer_free(&binary);
    for (int i = 0; i < 2; i++) {
        dev_program_destroy(programs[i]);
        dev_program_destroy(objects[i]);
        rt_buffer_free(&binaries[i]);
    }
}

/* ---- Launches ----------------------------------------------------------------------------- */

static rt_status launch(run *r, const dev_nd_range *range)
{
    const uint8_t value = 1;
    const dev_argument arguments[] = {
        {.kind = DEV_ARGUMENT_BYTES, .bytes = {&value, 1}},
        {.kind = DEV_ARGUMENT_MEMORY, .memory = NULL},
    };
    return dev_enqueue_kernel(r->queue, no_wait, r->kernel, range, arguments, 2, run_event(r));
}

static void groups_are_chosen(void **state)
{
    fixture *f = *state;
    const struct {
        dev_nd_range range;
        uint32_t required[3], suggested[3];
        uint32_t group[3], counts[3];
    } rows[] = {
        {{1, {12, 1, 1}, {0}, {0}}, {0}, {4, 1, 1}, {4, 1, 1}, {3, 1, 1}},
        {{1, {12, 1, 1}, {0}, {0}}, {0}, {5, 1, 1}, {1, 1, 1}, {12, 1, 1}}, /* does not divide */
        {{1, {12, 1, 1}, {0}, {0}}, {0}, {0, 0, 0}, {1, 1, 1}, {12, 1, 1}}, /* invalid */
        {{1, {512, 1, 1}, {0}, {0}}, {0}, {512, 1, 1}, {1, 1, 1}, {512, 1, 1}}, /* too large */
        {{1, {12, 1, 1}, {0}, {0}}, {6, 1, 1}, {4, 1, 1}, {6, 1, 1}, {2, 1, 1}},
        {{1, {12, 1, 1}, {0}, {0}},
         {6, 0, 1},
         {4, 1, 1},
         {4, 1, 1},
         {3, 1, 1}}, /* not a group size */
        {{3, {8, 6, 4}, {4, 3, 2}, {0}}, {0}, {1, 1, 1}, {4, 3, 2}, {2, 2, 2}},
        {{2, {8, 6, 1}, {4, 3, 1}, {5, 7, 0}}, {0}, {1, 1, 1}, {4, 3, 1}, {2, 2, 1}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        run r;
        fake_reset();
        memcpy(fake->required_group, rows[i].required, sizeof fake->required_group);
        memcpy(fake->suggested, rows[i].suggested, sizeof fake->suggested);
        assert_true(rt_ok(run_prepare(f, "", &r)));
        assert_true(rt_ok(launch(&r, &rows[i].range)));
        for (int d = 0; d < 3; d++) {
            assert_int_equal(fake->group[d], rows[i].group[d]);
            assert_int_equal(fake->counts[d], rows[i].counts[d]);
            assert_int_equal(fake->offset[d], rows[i].range.offset[d]);
        }
        run_end(&r);
    }
}

static void launches_that_cannot_be_are_refused(void **state)
{
    fixture *f = *state;
    const struct {
        dev_nd_range range;
        uint32_t required[3];
        bool offsets;
        rt_code code;
        const char *part;
    } rows[] = {
        {{1, {7, 1, 1}, {0}, {0}}, {2, 1, 1}, true, RT_ERRC_ND_RANGE, "not a multiple"},
        {{1, {7, 1, 1}, {2, 1, 1}, {0}}, {0}, true, RT_ERRC_ND_RANGE, ""},
        {{1, {UINT64_C(1) << 33, 1, 1}, {0}, {0}}, {0}, true, RT_LIMIT, "counts both in 32 bits"},
        {{1, {4, 1, 1}, {0}, {UINT64_C(1) << 33, 0, 0}}, {0}, true, RT_LIMIT, "32 bits"},
        {{1, {4, 1, 1}, {0}, {1, 0, 0}}, {0}, false, RT_LIMIT, "ZE_experimental_global_offset"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        run r;
        fake_reset();
        memcpy(fake->required_group, rows[i].required, sizeof fake->required_group);
        fake->lists_offset = rows[i].offsets;
        assert_true(rt_ok(run_prepare(f, "", &r)));
        rt_status status = launch(&r, &rows[i].range);
        expect_status(f->sink, status, rows[i].code, rows[i].part);
        run_end(&r);
    }
    run r;
    dev_event *event;
    fake_reset();
    assert_true(rt_ok(run_prepare(f, "", &r)));
    assert_int_equal(
        dev_enqueue_kernel(r.queue, no_wait, r.kernel, &one_item, NULL, 0, &event).code,
        RT_ERRC_KERNEL_ARGUMENT);
    assert_int_equal(dev_kernel_create(r.programs[2], RT_TEXT("missing"), &(dev_kernel *){0}).code,
                     RT_ERRC_INVALID);
    assert_int_equal(
        dev_kernel_create(r.programs[2], (rt_text){"k\0k", 3}, &(dev_kernel *){0}).code,
        RT_ERRC_INVALID);
    run_end(&r);
}

static void patterns_that_the_queue_does_not_take_are_copied(void **state)
{
    static const uint8_t pattern[4] = {9, 8, 7, 6};
    fixture *f = *state;
    const struct {
        size_t size;
        uint64_t filled;
        uint8_t seen[8];
    } rows[] = {{4, 8, {9, 8, 7, 6, 9, 8, 7, 6}}, {3, 6, {9, 8, 7, 9, 8, 7, 0, 0}}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        run r;
        dev_event *events[2];
        fake->fill_max = 2;
        assert_true(rt_ok(run_prepare(f, "", &r)));
        assert_true(rt_ok(dev_enqueue_fill(r.queue, no_wait, r.memories[0], 0, rows[i].filled,
                                           (rt_bytes){pattern, rows[i].size}, &events[0])));
        assert_true(rt_ok(dev_event_wait(events[0])));
        assert_true(rt_ok(dev_enqueue_read(r.queue, no_wait, r.memories[0], 0, rows[i].filled,
                                           r.read, &events[1])));
        assert_true(rt_ok(dev_event_wait(events[1])));
        assert_memory_equal(r.read, rows[i].seen, rows[i].filled);
        assert_null(strstr(fake->script.trace, "zeCommandListAppendMemoryFill"));
        dev_event_destroy(events[0]);
        dev_event_destroy(events[1]);
        run_end(&r);
    }
}

/* ---- Lifetimes ---------------------------------------------------------------------------- */

/* Nothing is destroyed before its commands are done: the fake counts violations. */
static void what_commands_use_outlives_them(void **state)
{
    fixture *f = *state;
    run r;
    assert_true(rt_ok(run_prepare(f, "", &r)));
    fake->pending = true;
    for (int i = 0; i < 70; i++) { /* more events than one pool has */
        dev_event *event;
        assert_true(rt_ok(dev_enqueue_read(r.queue, no_wait, r.memories[0], 0, 8, r.read, &event)));
        dev_event_destroy(event);
    }
    assert_true(rt_ok(launch(&r, &one_item)));
    assert_int_equal(dev_event_query(r.events[0]), DEV_EVENT_PENDING);
    const dev_command after = {.wait = r.events, .wait_count = 1};
    dev_event *last;
    assert_true(rt_ok(dev_enqueue_read(r.queue, after, r.memories[0], 0, 8, r.read, &last)));
    dev_event_destroy(last);
    assert_int_equal(fake->unsettled, 72);
    run_end(&r);
    assert_int_equal(fake->unsettled, 0);
    assert_int_equal(fake->misuses, 0);
}

static void events_are_used_again(void **state)
{
    fixture *f = *state;
    run r;
    assert_true(rt_ok(run_prepare(f, "", &r)));
    for (int i = 0; i < 1000; i++) {
        dev_event *event;
        assert_true(rt_ok(dev_enqueue_read(r.queue, no_wait, r.memories[0], 0, 8, r.read, &event)));
        dev_event_destroy(event);
    }
    const char *first = strstr(fake->script.trace, "zeEventPoolCreate");
    assert_non_null(first);
    assert_null(strstr(first + 1, "zeEventPoolCreate"));
    run_end(&r);
}

/* A wait that never ends is left to the time limit; no call before it blocks. */
static void who_waits_for_a_hanging_device_hangs_there(void **state)
{
    fixture *f = *state;
    run r;
    assert_true(rt_ok(run_prepare(f, "", &r)));
    fake->pending = true;
    assert_true(rt_ok(launch(&r, &one_item)));
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        fake->hangs = true;
        assert_int_equal(dev_event_query(r.events[0]), DEV_EVENT_PENDING);
        (void)!rt_ok(dev_event_wait(r.events[0]));
        _exit(1);
    }
    usleep(200 * 1000);
    int status;
    assert_int_equal(waitpid(child, &status, WNOHANG), 0); /* the child is still running */
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, &status, 0), child);
    run_end(&r);
}

/* ---- Failures ----------------------------------------------------------------------------- */

static void no_failure_leaks_or_panics(void **state)
{
    const fixture *f = *state;
    static const char *const selectors[] = {"", "link=dynamic"};
    const ze_result_t results[] = {ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY,
                                   ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY,
                                   ZE_RESULT_ERROR_MODULE_BUILD_FAILURE,
                                   ZE_RESULT_ERROR_MODULE_LINK_FAILURE,
                                   ZE_RESULT_ERROR_INVALID_KERNEL_NAME,
                                   ZE_RESULT_ERROR_INVALID_GLOBAL_NAME,
                                   ZE_RESULT_ERROR_INVALID_ARGUMENT,
                                   ZE_RESULT_ERROR_UNSUPPORTED_FEATURE,
                                   ZE_RESULT_NOT_READY,
                                   ZE_RESULT_ERROR_DEVICE_LOST,
                                   (ze_result_t)0x7abcdef0};
    for (size_t i = 0; i < sizeof results / sizeof *results; i++) {
        for (int k = 0; k < 2; k++) {
            const whole_use whole = {fake_reset, use_whole, selectors[k], 20, 250};
            const whole_use binary = {fake_reset, use_binary, selectors[k], 20, 250};
            fail_each_call(f, &whole, (int)results[i], false);
            fail_each_call(f, &whole, (int)results[i], true);
            fail_each_call(f, &binary, (int)results[i], false);
        }
    }
}

/* Every call on a lost device reports the loss. */
static void a_lost_device_is_told_by_every_call(void **state)
{
    fixture *f = *state;
    run r;
    assert_true(rt_ok(run_prepare(f, "", &r)));
    fake->script.fail_from = fake->script.calls + 1;
    fake->script.fail_with = ZE_RESULT_ERROR_DEVICE_LOST;
    dev_memory *memory;
    dev_program *program;
    dev_kernel *kernel;
    assert_int_equal(dev_memory_create(r.device, 8, none, &memory).code, RT_DEVICE_LOST);
    assert_int_equal(dev_program_build(r.device, &plain, &program).code, RT_DEVICE_LOST);
    assert_int_equal(dev_kernel_create(r.programs[2], RT_TEXT("k"), &kernel).code, RT_DEVICE_LOST);
    assert_int_equal(dev_global_find(r.programs[2], RT_TEXT("shared"), &memory).code,
                     RT_DEVICE_LOST);
    assert_int_equal(launch(&r, &one_item).code, RT_DEVICE_LOST);
    r.event_count = 0;
    run_end(&r);
}

/* If the device is lost after it has accepted a command, waits for that command report the loss. */
static void a_device_lost_later_is_told_by_the_wait(void **state)
{
    fixture *f = *state;
    run r;
    assert_true(rt_ok(run_prepare(f, "", &r)));
    fake->pending = true;
    assert_true(rt_ok(launch(&r, &one_item)));
    fake->script.fail_from = fake->script.calls + 1;
    fake->script.fail_with = ZE_RESULT_ERROR_DEVICE_LOST;
    assert_int_equal(dev_event_query(r.events[0]), DEV_EVENT_FAILED);
    rt_status first = dev_event_wait(r.events[0]), second = dev_event_wait(r.events[0]);
    assert_int_equal(first.code, RT_DEVICE_LOST);
    assert_int_equal(first.detail, second.detail);
    assert_int_equal(dev_event_query(r.events[0]), DEV_EVENT_FAILED);
    run_end(&r);
}

static void failures_have_the_class_of_their_call(void **state)
{
    fixture *f = *state;
    static const failure rows[] = {
        {"zeInit", ZE_RESULT_ERROR_UNINITIALIZED, RT_UNAVAILABLE, "intel-opencl-icd"},
        {"zeContextCreate", ZE_RESULT_SUCCESS, RT_DRIVER_ERROR, "without a result"},
        {"zeMemAllocDevice", ZE_RESULT_ERROR_UNSUPPORTED_SIZE, RT_ERRC_MEMORY_ALLOCATION,
         "zeMemAllocDevice: ZE_RESULT_ERROR_UNSUPPORTED_SIZE (0x78000009)"},
        {"zeMemAllocShared", ZE_RESULT_SUCCESS, RT_DRIVER_ERROR, "zeMemAllocShared"},
        {"zeModuleCreate", ZE_RESULT_ERROR_MODULE_BUILD_FAILURE, RT_ERRC_BUILD,
         "the driver's log:\nModule <>: Unresolved"},
        {"zeModuleCreate", ZE_RESULT_SUCCESS, RT_DRIVER_ERROR, "without a result"},
        {"zeModuleDynamicLink", ZE_RESULT_ERROR_MODULE_LINK_FAILURE, RT_LINK_ERROR, "Symbol"},
        {"zeModuleDynamicLink", ZE_RESULT_ERROR_INVALID_ARGUMENT, RT_DRIVER_ERROR, "Symbol"},
        {"zeKernelCreate", ZE_RESULT_ERROR_INVALID_KERNEL_NAME, RT_ERRC_INVALID, "no kernel 'k'"},
        {"zeKernelSetArgumentValue", ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE,
         RT_ERRC_KERNEL_ARGUMENT,
         "argument 0 of 2 (from 0), a value of 1 bytes, was refused: zeKernelSetArgumentValue: "
         "ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE (0x"},
        {"zeKernelSetGroupSize", ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION, RT_ERRC_ND_RANGE,
         "zeKernelSetGroupSize"},
        {"zeCommandListAppendLaunchKernel", ZE_RESULT_ERROR_UNKNOWN, RT_DRIVER_ERROR,
         "zeCommandListAppendLaunchKernel"},
        {"zeCommandListAppendMemoryCopy", ZE_RESULT_ERROR_DEVICE_REQUIRES_RESET, RT_DEVICE_LOST,
         "REQUIRES_RESET"},
        {"zeEventCreate", ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY, RT_ERRC_MEMORY_ALLOCATION,
         "zeEventCreate"},
        {"zeEventPoolCreate", ZE_RESULT_SUCCESS, RT_DRIVER_ERROR, "zeEventPoolCreate"},
        {"zeEventHostSynchronize", ZE_RESULT_ERROR_DEVICE_LOST, RT_DEVICE_LOST,
         "zeEventHostSynchronize"},
        {"zeModuleGetGlobalPointer", ZE_RESULT_ERROR_INVALID_ARGUMENT, RT_ERRC_INVALID,
         "no variable 'shared'"},
        {"zeDriverGet", (ze_result_t)0x12345, RT_DRIVER_ERROR, "does not name (0x12345)"},
    };
    const whole_use whole = {fake_reset, use_whole, "", 0, 0};
    expect_failures(f, &whole, rows, sizeof rows / sizeof *rows);
}

static void results_have_names(void **state)
{
    (void)state;
    const char *no_name = vendor_result_name(&l0_results, 0x12345);
    assert_string_equal(no_name, "a result that Level Zero does not name");
    assert_string_equal(vendor_result_name(&l0_results, ZE_RESULT_ERROR_DEVICE_LOST),
                        "ZE_RESULT_ERROR_DEVICE_LOST");
    for (int result = 0x78000001; result <= 0x7800001a; result++)
        assert_string_not_equal(vendor_result_name(&l0_results, result), no_name);
}

int main(int argc, char **argv)
{
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    fake = fixture_find_fake(FAKE_LIBRARY);
    if (!fake) return 1;
    const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
        T(loaders_that_are_none_are_unavailable),
        T(selectors_choose_by_index),
        T(capabilities_are_the_drivers_answers),
        T(captured_commands_are_not_waited_for),
        T(commands_have_their_effect),
        T(DL_BACKEND_09_the_driver_joins_spirv),
        T(DL_BACKEND_10_without_that_modules_are_linked_dynamically),
        T(compiled_programs_are_linked_again),
        T(open_symbols_are_link_errors),
        T(long_logs_are_cut),
        T(DG_PLUGIN_07_variables_are_copied_at_their_pointer),
        T(DG_PLUGIN_08_names_for_the_host_come_first),
        T(variables_that_other_images_may_define_are_found),
        T(DG_PLUGIN_09_binaries_keep_names_for_the_host),
        T(DG_PLUGIN_10_imported_variables_are_found_after_the_link),
        T(variables_that_cannot_be_are_refused),
        T(constants_reach_the_driver),
        T(code_in_other_formats_is_refused),
        T(native_code_is_a_whole_program),
        T(binaries_are_checked),
        T(modules_survive_together_as_binaries),
        T(binaries_of_compiled_programs_are_linked),
        T(groups_are_chosen),
        T(launches_that_cannot_be_are_refused),
        T(patterns_that_the_queue_does_not_take_are_copied),
        T(what_commands_use_outlives_them),
        T(events_are_used_again),
        T(who_waits_for_a_hanging_device_hangs_there),
        T(no_failure_leaks_or_panics),
        T(a_lost_device_is_told_by_every_call),
        T(a_device_lost_later_is_told_by_the_wait),
        T(failures_have_the_class_of_their_call),
        T(results_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
