/* Every failure of a device reaches the application.  A script exercises all parts of the runtime
 * on two devices; it is run once for every call that a device receives, with that call failing.
 * Some step of the script must then return the failure, and the runtime must remain in a state in
 * which the rest of the script runs and everything is freed. */
#include "reference/image/image.h"
#include "reference/program/bundle.h"
#include "reference/program/test/counting_device.h"
#include "reference/runtime.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* ---- A world ------------------------------------------------------------------------------ */

/* app has kernel k, imports f and has two device_globals: shared, and scoped, which has image
 * scope; lib exports f. */
enum { APP, LIB, MODULES };

#define TEXT(text)                                                                                 \
    {                                                                                              \
        text, sizeof(text) - 1                                                                     \
    }
static const uint8_t shared_value[] = {4, 0, 0, 0, 0}, scoped_value[] = {4, 0, 0, 0, 1};
static const rt_property f_symbol[] = {
    {.name = TEXT("f"), .type = RT_PROPERTY_UINT32, .number = 1}};
static const rt_property variables[] = {
    {.name = TEXT("shared"), .type = RT_PROPERTY_BYTES, .bytes = {shared_value, 5}},
    {.name = TEXT("scoped"), .type = RT_PROPERTY_BYTES, .bytes = {scoped_value, 5}},
};
static const rt_property_set app_sets[] = {{TEXT(RT_SET_IMPORTED_SYMBOLS), f_symbol, 1},
                                           {TEXT(RT_SET_DEVICE_GLOBALS), variables, 2}};
static const rt_property_set lib_sets[] = {{TEXT(RT_SET_EXPORTED_SYMBOLS), f_symbol, 1}};
static const rt_text app_kernels[] = {TEXT("k")};
static const rt_image images[MODULES] = {
    [APP] = {.name = TEXT("app/0"),
             .kernels = app_kernels,
             .kernel_count = 1,
             .sets = app_sets,
             .set_count = 2,
             .code = {(const uint8_t *)"code", 4}},
    [LIB] = {.name = TEXT("lib/0"),
             .sets = lib_sets,
             .set_count = 1,
             .code = {(const uint8_t *)"code", 4}},
};
static const rt_device_global globals[] = {
    {.unique_id = TEXT("shared"), .name = TEXT("shared"), .size = 4},
    {.unique_id = TEXT("scoped"), .name = TEXT("scoped"), .size = 4, .image_scope = true},
};

typedef struct world {
    rt_sink *sink;
    rt_runtime *runtime;
    rt_scheduler *scheduler;
    counting_device *opened[2];
    const rt_device *devices[2];
    rt_queue_id queues[2];
    rt_memory *a, *b, *usm;
    uint32_t failure_count; /* steps that returned a failure */
} world;

/* Notes what a step of the script returned. */
static bool step(world *w, rt_status status)
{
    if (rt_ok(status)) return true;
    if (status.code == RT_DRIVER_ERROR) w->failure_count++;
    return false;
}

static rt_argument buffer(rt_memory *memory, rt_access access)
{
    return (rt_argument){.kind = RT_ARGUMENT_MEMORY, .memory = memory, .access = access};
}

static void launch(world *w, uint32_t device, rt_argument first, rt_argument second,
                   rt_bundle *bundle)
{
    const rt_argument arguments[] = {first, second};
    const rt_launch request = {
        .kernel = RT_TEXT("k"),
        .range = {.dimensions = 1, .global = {4, 1, 1}},
        .arguments = arguments,
        .argument_count = 2,
        .bundle = bundle,
    };
    rt_command_id command;
    step(w, rt_scheduler_launch(w->scheduler, w->queues[device], &request, &command));
}

static rt_global_copy global_copy_of(world *w, const rt_device_global *global, bool to_global)
{
    return (rt_global_copy){
        .address = rt_global_database_address(rt_runtime_globals(w->runtime), global->unique_id),
        .name = global->name,
        .type_size = global->size,
        .image_scope = global->image_scope,
        .to_global = to_global,
        .memory = w->a,
        .size = global->size,
    };
}

static void global_copy(world *w, uint32_t device, const rt_device_global *global, bool to_global)
{
    const rt_global_copy copy = global_copy_of(w, global, to_global);
    rt_command_id command;
    step(w, rt_scheduler_global_copy(w->scheduler, w->queues[device], &copy, &command));
}

static void global_read(world *w, const rt_device_global *global)
{
    const rt_global_copy copy = global_copy_of(w, global, false);
    rt_buffer bytes = {0}, defined = {0};
    step(w, rt_scheduler_global_read(w->scheduler, w->queues[0], &copy, false, &bytes, &defined));
    rt_buffer_free(&bytes);
    rt_buffer_free(&defined);
}

/* ---- The script --------------------------------------------------------------------------- */

static void transfers_and_launches(world *w)
{
    const rt_argument none = {.kind = RT_ARGUMENT_NULL};
    const rt_argument pointer = {.kind = RT_ARGUMENT_POINTER, .memory = w->usm};
    const rt_transfer copying = {.from = w->a, .to = w->b, .size = 4};
    const rt_transfer filling = {.to = w->a, .size = 4, .pattern = {(const uint8_t *)"x", 1}};
    const rt_host_task task = {.from = w->b, .to = w->a};
    rt_command_id command;
    launch(w, 0, buffer(w->a, RT_ACCESS_READ_WRITE), none, NULL);
    step(w, rt_scheduler_transfer(w->scheduler, w->queues[0], &copying, &command));
    launch(w, 1, buffer(w->b, RT_ACCESS_READ_WRITE), none, NULL); /* moves b between devices */
    step(w, rt_scheduler_host_task(w->scheduler, w->queues[1], &task, &command));
    launch(w, 0, pointer, none, NULL);
    step(w, rt_scheduler_wait_queue(w->scheduler, w->queues[0]));
    if (step(w, rt_scheduler_transfer(w->scheduler, w->queues[1], &filling, &command))) {
        dev_times times;
        step(w, rt_scheduler_wait_command(w->scheduler, command));
        step(w, rt_scheduler_times(w->scheduler, command, &times));
    }
}

static void cancelled_fusion(world *w)
{
    rt_fusion *fusion = rt_runtime_fusion(w->runtime);
    if (!step(w, rt_fusion_start(fusion, w->queues[0]))) return;
    launch(w, 0, buffer(w->a, RT_ACCESS_READ_WRITE), buffer(w->b, RT_ACCESS_READ), NULL);
    launch(w, 0, buffer(w->a, RT_ACCESS_READ), buffer(w->b, RT_ACCESS_WRITE), NULL);
    dev_times times;
    step(w, rt_fusion_cancel(fusion, w->queues[0]));
    step(w, rt_scheduler_times(w->scheduler, rt_fusion_command_event(w->scheduler, w->queues[0]),
                               &times));
    step(w, rt_scheduler_wait(w->scheduler));
}

/* Hands the bundle to the runtime, unless the step that was to create it failed. */
static void keep(world *w, rt_status status, rt_bundle *const *bundle)
{
    if (step(w, status)) rt_runtime_bundle_keep(w->runtime, *bundle);
}

static rt_bundle *bundle_get(world *w, rt_bundle_state state)
{
    const rt_bundle_request request = {
        .state = state, .device = w->devices[0], .kernels = app_kernels, .kernel_count = 1};
    rt_bundle *bundle = NULL;
    keep(w, rt_bundle_get(rt_runtime_programs(w->runtime), &request, &bundle), &bundle);
    return bundle;
}

static void bundles(world *w)
{
    rt_program_manager *programs = rt_runtime_programs(w->runtime);
    const rt_argument none = {.kind = RT_ARGUMENT_NULL};
    const rt_text no_options = {0};
    rt_bundle *input = bundle_get(w, RT_BUNDLE_INPUT), *object = bundle_get(w, RT_BUNDLE_OBJECT);
    rt_bundle *ready = bundle_get(w, RT_BUNDLE_EXECUTABLE), *built = NULL, *compiled = NULL;
    rt_bundle *linked = NULL, *relinked = NULL;
    keep(w, rt_bundle_build(programs, input, &built), &built);
    keep(w, rt_bundle_compile(programs, input, no_options, &compiled), &compiled);
    const rt_bundle *const objects[] = {object, compiled};
    if (object) keep(w, rt_bundle_link(programs, &objects[0], 1, no_options, &linked), &linked);
    if (compiled)
        keep(w, rt_bundle_link(programs, &objects[1], 1, no_options, &relinked), &relinked);
    rt_bundle *const executable[] = {ready, built, linked, relinked};
    for (uint32_t i = 0; i < sizeof executable / sizeof *executable; i++)
        if (executable[i]) launch(w, 0, buffer(w->a, RT_ACCESS_READ_WRITE), none, executable[i]);
}

static void set_up(world *w, uint32_t failing_device, uint32_t fail_call)
{
    static const rt_module modules[MODULES] = {
        [APP] = {.name = TEXT("app"), .images = {&images[APP], 1}, .globals = {globals, 2}},
        [LIB] = {.name = TEXT("lib"), .images = {&images[LIB], 1}},
    };
    w->sink = rt_sink_create();
    w->runtime = rt_runtime_create(
        &(rt_runtime_parameters){.sink = w->sink, .modules = modules, .module_count = MODULES});
    w->scheduler = rt_runtime_scheduler(w->runtime);
    for (uint32_t i = 0; i < 2; i++) {
        const dev_open_parameters parameters = {.sink = w->sink};
        dev_device *device = NULL;
        assert_true(rt_ok(dev_device_open(&counting_backend, &parameters, RT_TEXT(""), &device)));
        w->opened[i] = (counting_device *)device;
        w->devices[i] = rt_runtime_device_add(w->runtime, RT_TEXT("device"), device, 0);
    }
    w->opened[failing_device]->fail_call = fail_call;
    assert_true(rt_ok(rt_loader_start(rt_runtime_loader(w->runtime), APP, NULL, 0)));
    assert_true(rt_ok(rt_loader_open(rt_runtime_loader(w->runtime), LIB)));
    assert_true(rt_ok(rt_runtime_memory_create(w->runtime, RT_TEXT("a"), 4, "aaaa", &w->a)));
    assert_true(rt_ok(rt_runtime_memory_create(w->runtime, RT_TEXT("b"), 4, "bbbb", &w->b)));
}

static void tear_down(world *w)
{
    rt_runtime_destroy(w->runtime);
    for (uint32_t i = 0; i < 2; i++)
        dev_device_destroy(&w->opened[i]->base);
    rt_sink_destroy(w->sink);
}

/* Runs the script.  Without a queue or the USM allocation on the first device, nothing more is
 * possible. */
static void run(world *w)
{
    for (uint32_t i = 0; i < 2; i++) {
        rt_status status =
            rt_scheduler_queue_create(w->scheduler, w->devices[i], 0, false, &w->queues[i]);
        if (!step(w, status)) return;
        if (!step(w, rt_scheduler_queue_enable_profiling(w->scheduler, w->queues[i]))) return;
        rt_scheduler_queue_enable_fusion(w->scheduler, w->queues[i]);
    }
    if (!step(w, rt_runtime_usm_create(w->runtime, RT_TEXT("usm"), w->devices[0],
                                       DEV_MEMORY_USM_SHARED, 4, "uuuu", &w->usm)))
        return;
    global_copy(w, 0, &globals[0], true);
    global_copy(w, 1, &globals[1], true); /* builds the program that has the variable */
    transfers_and_launches(w);
    cancelled_fusion(w);
    global_copy(w, 0, &globals[0], false);
    global_copy(w, 0, &globals[1], true);
    global_read(w, &globals[1]);
    global_read(w, &globals[0]);
    bundles(w);
    step(w, rt_scheduler_host_read(w->scheduler, w->a));
    step(w, rt_scheduler_host_read(w->scheduler, w->b));
    step(w, rt_scheduler_host_read(w->scheduler, w->usm));
    step(w, rt_scheduler_memory_end(w->scheduler, w->b));
    step(w, rt_scheduler_wait(w->scheduler));
    assert_true(rt_ok(rt_scheduler_wait(w->scheduler))); /* Each failure is reported once. */
}

/* ---- Tests -------------------------------------------------------------------------------- */

static void fail_every_call_of(uint32_t device, uint32_t call_count_min)
{
    uint32_t call_count = UINT32_MAX;
    for (uint32_t fail_call = 0; fail_call <= call_count; fail_call++) {
        world w = {0};
        set_up(&w, device, fail_call);
        run(&w);
        if (fail_call == 0) {
            assert_int_equal(w.failure_count, 0);
            call_count = w.opened[device]->calls;
            assert_true(call_count >= call_count_min);
        } else if (w.failure_count == 0) {
            fail_msg("the failure of call %u is lost", fail_call);
        }
        tear_down(&w);
    }
}

static void every_failing_call_is_reported(void **state)
{
    (void)state;
    fail_every_call_of(0, 60);
}

static void every_failing_call_of_another_device_is_reported(void **state)
{
    (void)state;
    fail_every_call_of(1, 10);
}

static void a_memory_that_is_too_large_is_refused(void **state)
{
    (void)state;
    world w = {0};
    set_up(&w, 0, 0);
    rt_memory *memory = NULL;
    assert_int_equal(
        rt_runtime_memory_create(w.runtime, RT_TEXT("large"), RT_MEMORY_SIZE_MAX + 1, NULL, &memory)
            .code,
        RT_ERRC_MEMORY_ALLOCATION);
    assert_int_equal(rt_runtime_usm_create(w.runtime, RT_TEXT("large"), w.devices[0],
                                           DEV_MEMORY_USM_SHARED, RT_MEMORY_SIZE_MAX + 1, NULL,
                                           &memory)
                         .code,
                     RT_ERRC_MEMORY_ALLOCATION);
    assert_null(memory);
    tear_down(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_failing_call_is_reported),
        cmocka_unit_test(every_failing_call_of_another_device_is_reported),
        cmocka_unit_test(a_memory_that_is_too_large_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
