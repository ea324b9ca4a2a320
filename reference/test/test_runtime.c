/* Unit tests of the whole runtime: devices, contexts, images loaded one by one, choices, threads
 * that take turns, and restarts. */
#include "reference/base/handover.h"
#include "reference/program/test/counting_device.h"
#include "reference/runtime.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* ---- A world ------------------------------------------------------------------------------ */

/* app has kernels k1 and k2, and imports f; lib and twin export f; lib has kernel lk; plugin has
 * kernel pk, and no module needs it */
enum { APP, LIB, TWIN, PLUGIN, MODULES };

#define SYMBOL(text)                                                                               \
    {                                                                                              \
        .name = {text, sizeof(text) - 1}, .type = RT_PROPERTY_UINT32, .number = 1                  \
    }
static const rt_property f_symbol[] = {SYMBOL("f")};
static const rt_property_set imports_f[] = {
    {{RT_SET_IMPORTED_SYMBOLS, sizeof RT_SET_IMPORTED_SYMBOLS - 1}, f_symbol, 1}};
static const rt_property_set exports_f[] = {
    {{RT_SET_EXPORTED_SYMBOLS, sizeof RT_SET_EXPORTED_SYMBOLS - 1}, f_symbol, 1}};
static const rt_text app_kernels[] = {{"k1", 2}, {"k2", 2}}, lib_kernels[] = {{"lk", 2}},
                     plugin_kernels[] = {{"pk", 2}};
#define IMAGE(text, kernel_list, n, set_list, m)                                                   \
    {                                                                                              \
        .name = {text, sizeof(text) - 1}, .kernels = (kernel_list), .kernel_count = (n),           \
        .sets = (set_list), .set_count = (m), .code = {                                            \
            (const uint8_t *)"code",                                                               \
            4                                                                                      \
        }                                                                                          \
    }
static const rt_image images[MODULES] = {
    [APP] = IMAGE("app/0", app_kernels, 2, imports_f, 1),
    [LIB] = IMAGE("lib/0", lib_kernels, 1, exports_f, 1),
    [TWIN] = IMAGE("twin/0", NULL, 0, exports_f, 1),
    [PLUGIN] = IMAGE("plugin/0", plugin_kernels, 1, NULL, 0),
};

typedef struct world {
    rt_sink *sink;
    dev_device *opened[2];
    rt_runtime *runtime;
    const rt_device *devices[2];
    rt_queue_id queue;
    rt_memory *memory;
} world;

static world *world_create(uint64_t seed, const uint32_t *choices, uint32_t choice_count)
{
    static const rt_module modules[MODULES] = {
        [APP] = {.name = {"app", 3}, .images = {&images[APP], 1}},
        [LIB] = {.name = {"lib", 3}, .images = {&images[LIB], 1}},
        [TWIN] = {.name = {"twin", 4}, .images = {&images[TWIN], 1}},
        [PLUGIN] = {.name = {"plugin", 6}, .images = {&images[PLUGIN], 1}},
    };
    world *w = rt_alloc(sizeof *w);
    w->sink = rt_sink_create();
    w->runtime = rt_runtime_create(&(rt_runtime_parameters){
        .sink = w->sink,
        .modules = modules,
        .module_count = MODULES,
        .seed = seed,
        .choices = choices,
        .choice_count = choice_count,
    });
    for (uint32_t i = 0; i < 2; i++) {
        dev_open_parameters parameters = {.sink = w->sink};
        assert_true(
            rt_ok(dev_device_open(&counting_backend, &parameters, RT_TEXT(""), &w->opened[i])));
        w->devices[i] = rt_runtime_device_add(w->runtime, i ? RT_TEXT("second") : RT_TEXT("first"),
                                              w->opened[i], i ? 1u << DEV_ASPECT_FP64 : 0);
    }
    rt_scheduler *scheduler = rt_runtime_scheduler(w->runtime);
    assert_true(rt_ok(rt_scheduler_queue_create(scheduler, w->devices[0], 0, false, &w->queue)));
    assert_true(
        rt_ok(rt_runtime_memory_create(w->runtime, RT_TEXT("data"), 4, "data", &w->memory)));
    rt_loader_start(rt_runtime_loader(w->runtime), APP, NULL, 0);
    return w;
}

static void world_destroy(world *w)
{
    rt_runtime_destroy(w->runtime);
    dev_device_destroy(w->opened[0]);
    dev_device_destroy(w->opened[1]);
    rt_sink_destroy(w->sink);
    rt_free(w);
}

static rt_status launch_on(world *w, rt_queue_id queue, const char *kernel)
{
    const rt_argument arguments[] = {
        {.kind = RT_ARGUMENT_MEMORY, .memory = w->memory, .access = RT_ACCESS_READ_WRITE},
        {.kind = RT_ARGUMENT_NULL},
    };
    const rt_launch launch = {
        .kernel = rt_text_of(kernel),
        .range = {.dimensions = 1, .global = {4, 1, 1}},
        .arguments = arguments,
        .argument_count = 2,
    };
    rt_command_id command;
    return rt_scheduler_launch(rt_runtime_scheduler(w->runtime), queue, &launch, &command);
}

static rt_status launch(world *w, const char *kernel)
{
    return launch_on(w, w->queue, kernel);
}

/* Returns the trace as text: every event, with every field. */
static rt_buffer trace_text(world *w)
{
    rt_buffer text = {0};
    rt_trace *trace = rt_runtime_trace(w->runtime);
    for (uint32_t i = 0; i < rt_trace_count(trace); i++) {
        const rt_event *event = rt_trace_event(trace, i);
        rt_buffer_printf(&text, "%s", rt_event_name(event->kind));
        for (uint32_t k = 0; k < event->field_count; k++) {
            rt_buffer_printf(&text, " %s=", event->fields[k].key);
            for (uint32_t v = 0; v < event->fields[k].value_count; v++)
                rt_buffer_printf(&text, "%.*s,", RT_TEXT_ARG(event->fields[k].values[v]));
        }
        rt_buffer_append_byte(&text, '\n');
    }
    return text;
}

static uint32_t event_count(world *w, rt_event_kind kind)
{
    uint32_t count = 0;
    rt_trace *trace = rt_runtime_trace(w->runtime);
    for (uint32_t i = 0; i < rt_trace_count(trace); i++)
        count += rt_trace_event(trace, i)->kind == kind;
    return count;
}

/* ---- Composition -------------------------------------------------------------------------- */

static void aspects_can_be_masked(void **state)
{
    (void)state;
    world *w = world_create(0, NULL, 0);
    assert_true(w->devices[0]->capabilities.aspects & (1u << DEV_ASPECT_FP64));
    assert_false(w->devices[1]->capabilities.aspects & (1u << DEV_ASPECT_FP64));
    assert_true(w->devices[1]->capabilities.aspects & (1u << DEV_ASPECT_FP16));
    world_destroy(w);
}

/* Only the extensions of the formats that are to be hidden disappear; the others keep their order.
 */
static void links_can_be_hidden(void **state)
{
    (void)state;
    world *w = world_create(0, NULL, 0);
    const char *all[RT_FORMAT_COUNT + 1];
    for (uint32_t format = 0; format < RT_FORMAT_COUNT; format++)
        all[format] = rt_format_link_extension((rt_format)format);
    all[RT_FORMAT_COUNT] = "another extension";
    for (uint32_t i = 0; i < 2; i++) {
        dev_capabilities *visible = (dev_capabilities *)&w->devices[i]->capabilities;
        visible->extensions = all;
        visible->extension_count = RT_FORMAT_COUNT + 1;
    }
    /* The first format and the last one. */
    assert_int_equal(RT_FORMAT_SPIRV64, 0);
    assert_int_equal(RT_FORMAT_AMDGCN, RT_FORMAT_COUNT - 1);
    rt_runtime_device_hide_links(w->runtime, w->devices[0],
                                 1u << RT_FORMAT_SPIRV64 | 1u << RT_FORMAT_AMDGCN);
    const dev_capabilities *visible = &w->devices[0]->capabilities;
    assert_int_equal(visible->extension_count, RT_FORMAT_COUNT - 1);
    for (uint32_t i = 0; i + 1 < visible->extension_count; i++)
        assert_string_equal(visible->extensions[i], all[i + 1]);
    assert_string_equal(visible->extensions[RT_FORMAT_COUNT - 2], "another extension");
    rt_runtime_device_hide_links(w->runtime, w->devices[1], 0);
    assert_int_equal(w->devices[1]->capabilities.extension_count, RT_FORMAT_COUNT + 1);
    world_destroy(w);
}

static void contexts_hold_their_devices_and_their_programs(void **state)
{
    (void)state;
    world *w = world_create(0, NULL, 0);
    rt_context_id context = rt_runtime_context_create(w->runtime, &w->devices[0], 1);
    assert_int_equal(context, 1);
    assert_true(rt_runtime_context_holds(w->runtime, 0, w->devices[1]));
    assert_true(rt_runtime_context_holds(w->runtime, context, w->devices[0]));
    assert_false(rt_runtime_context_holds(w->runtime, context, w->devices[1]));
    rt_queue_id queue;
    assert_true(rt_ok(rt_scheduler_queue_create(rt_runtime_scheduler(w->runtime), w->devices[0],
                                                context, false, &queue)));
    rt_loader_open(rt_runtime_loader(w->runtime), LIB);
    assert_true(rt_ok(launch(w, "k1")));
    assert_true(rt_ok(launch_on(w, queue, "k1")));
    assert_int_equal(event_count(w, RT_EVENT_BUILD), 2);
    assert_true(rt_ok(launch_on(w, queue, "k2")));
    assert_int_equal(event_count(w, RT_EVENT_BUILD), 2);
    world_destroy(w);
}

static void a_loaded_image_serves_launches_that_failed_before(void **state)
{
    (void)state;
    world *w = world_create(0, NULL, 0);
    assert_int_equal(launch(w, "k1").code, RT_ERRC_BUILD);
    assert_true(rt_ok(rt_runtime_image_load(w->runtime, LIB, &images[LIB])));
    assert_true(rt_ok(launch(w, "k1")));
    assert_int_equal(rt_runtime_image_load(w->runtime, LIB, &images[LIB]).code, RT_ERRC_INVALID);
    assert_true(rt_ok(rt_runtime_image_load(w->runtime, TWIN, &images[TWIN])));
    assert_true(rt_ok(launch(w, "k1"))); /* cached: not built again */
    assert_int_equal(event_count(w, RT_EVENT_BUILD), 1);
    assert_int_equal(event_count(w, RT_EVENT_IMAGE_LOAD), 2);
    assert_int_equal(event_count(w, RT_EVENT_MODULE_LOAD), 1);
    world_destroy(w);
}

static void a_script_selects_the_provider(void **state)
{
    (void)state;
    for (uint32_t choice = 0; choice < 2; choice++) {
        world *w = world_create(99, &choice, 1);
        rt_loader_open(rt_runtime_loader(w->runtime), LIB);
        rt_loader_open(rt_runtime_loader(w->runtime), TWIN);
        assert_true(rt_ok(launch(w, "k1")));
        rt_buffer trace = trace_text(w);
        assert_non_null(strstr(rt_buffer_string(&trace),
                               choice ? "images=app/0,twin/0," : "images=app/0,lib/0,"));
        rt_buffer_free(&trace);
        const rt_choice *choices = NULL;
        uint32_t count = 0;
        rt_runtime_choices(w->runtime, &choices, &count);
        assert_int_equal(count, 1);
        assert_int_equal(choices[0].rule, RT_RULE_DL_RESOLVE_05);
        assert_int_equal(choices[0].alternative_count, 2);
        assert_int_equal(choices[0].alternative, choice);
        world_destroy(w);
    }
}

/* ---- Threads ------------------------------------------------------------------------------ */

enum { THREADS_MAX = 4 };

/* The body of a thread.  It uses CHECK, since a failing cmocka assertion would end only the thread.
 */
typedef void thread_body(world *w);

typedef struct thread {
    world *w;
    rt_handover *handover;
    uint32_t index;
    thread_body *body;
} thread;

static void *run_thread(void *user)
{
    thread *self = user;
    rt_handover_enter(self->handover, self->index);
    self->body(self->w);
    rt_handover_leave();
    return NULL;
}

/* Runs each body in a separate thread; the threads take turns. */
static void run_parallel(world *w, uint64_t seed, thread_body *const *bodies, uint32_t count)
{
    rt_handover *handover = rt_handover_create(count, seed);
    pthread_t ids[THREADS_MAX];
    thread threads[THREADS_MAX];
    for (uint32_t i = 0; i < count; i++) {
        threads[i] = (thread){w, handover, i, bodies[i]};
        assert_int_equal(pthread_create(&ids[i], NULL, run_thread, &threads[i]), 0);
    }
    for (uint32_t i = 0; i < count; i++)
        pthread_join(ids[i], NULL);
    rt_handover_destroy(handover);
}

static void launch_k1(world *w)
{
    CHECK(rt_ok(launch(w, "k1")));
}

static void launch_k2(world *w)
{
    CHECK(rt_ok(launch(w, "k2")));
}

/* Finds the kernel whose launch was the first to select an image, and the kernel that was enqueued
 * first. */
static void first_kernels(world *w, rt_text *out_selected, rt_text *out_launched)
{
    *out_selected = *out_launched = (rt_text){0};
    rt_trace *trace = rt_runtime_trace(w->runtime);
    for (uint32_t i = rt_trace_count(trace); i-- > 0;) {
        const rt_event *event = rt_trace_event(trace, i);
        if (event->kind != RT_EVENT_SELECT && event->kind != RT_EVENT_LAUNCH) continue;
        rt_text kernel = rt_event_field_find(event, RT_TEXT("kernel"))->values[0];
        *(event->kind == RT_EVENT_SELECT ? out_selected : out_launched) = kernel;
    }
}

static void the_order_of_builders_and_waiters_is_chosen(void **state)
{
    (void)state;
    static thread_body *const bodies[] = {launch_k1, launch_k2};
    bool is_observed[2][2] = {0}; /* [which kernel builds][which launches first] */
    for (uint64_t seed = 0; seed < 64; seed++) {
        world *w = world_create(0, NULL, 0);
        rt_loader_open(rt_runtime_loader(w->runtime), LIB);
        run_parallel(w, seed, bodies, 2);
        assert_int_equal(event_count(w, RT_EVENT_BUILD), 1);
        assert_int_equal(event_count(w, RT_EVENT_CACHE_HIT), 1);
        rt_text selected, launched;
        first_kernels(w, &selected, &launched);
        is_observed[rt_text_is(selected, "k2")][rt_text_is(launched, "k2")] = true;
        world_destroy(w);
    }
    assert_true(is_observed[0][0] && is_observed[0][1] && is_observed[1][0] && is_observed[1][1]);
}

static void load_and_unload(world *w)
{
    rt_loader *loader = rt_runtime_loader(w->runtime);
    for (uint32_t i = 0; i < 2; i++) {
        rt_loader_open(loader, PLUGIN);
        rt_status status = launch(w, "pk");
        CHECK(rt_ok(status));
        CHECK(rt_ok(rt_loader_close(loader, PLUGIN)));
    }
}

static void move_and_read(world *w)
{
    rt_scheduler *scheduler = rt_runtime_scheduler(w->runtime);
    const rt_transfer fill = {.to = w->memory, .size = 2, .pattern = {(const uint8_t *)"x", 1}};
    rt_command_id command;
    CHECK(rt_ok(rt_scheduler_transfer(scheduler, w->queue, &fill, &command)));
    CHECK(rt_ok(rt_scheduler_wait_command(scheduler, command)));
    CHECK(rt_ok(rt_scheduler_host_read(scheduler, w->memory)));
    CHECK(memcmp(w->memory->host, "xxta", 4) == 0);
    CHECK(rt_ok(rt_scheduler_wait(scheduler)));
}

/* While another thread loads and unloads the library, a launch either finds it or is refused. */
static void launch_while_the_library_goes(world *w)
{
    for (uint32_t i = 0; i < 3; i++) {
        rt_status status = launch(w, "k1");
        CHECK(rt_ok(status) || status.code == RT_ERRC_BUILD);
    }
}

static void reload_the_library(world *w)
{
    rt_loader *loader = rt_runtime_loader(w->runtime);
    for (uint32_t i = 0; i < 2; i++) {
        CHECK(rt_ok(rt_loader_close(loader, LIB)));
        rt_loader_open(loader, LIB);
    }
}

static rt_buffer stress(uint64_t seed)
{
    static thread_body *const bodies[THREADS_MAX] = {
        launch_while_the_library_goes, reload_the_library, load_and_unload, move_and_read};
    world *w = world_create(seed, NULL, 0);
    rt_loader_open(rt_runtime_loader(w->runtime), LIB);
    run_parallel(w, seed, bodies, THREADS_MAX);
    rt_buffer trace = trace_text(w);
    world_destroy(w);
    return trace;
}

static void any_seed_ends_and_gives_the_same_trace_twice(void **state)
{
    (void)state;
    enum { SEEDS = 1000 };
    rt_buffer before = {0};
    uint32_t changes = 0;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        rt_buffer first = stress(seed), second = stress(seed);
        assert_string_equal(rt_buffer_string(&first), rt_buffer_string(&second));
        changes += strcmp(rt_buffer_string(&before), rt_buffer_string(&first)) != 0;
        rt_buffer_free(&before);
        rt_buffer_free(&second);
        before = first;
    }
    rt_buffer_free(&before);
    assert_true(changes > SEEDS / 2); /* different seeds yield different orders */
}

/* Runs a body without turns, so that the operating system schedules the threads; this lets the
 * sanitizers find races. */
static void *run_freely(void *user)
{
    thread *self = user;
    self->body(self->w);
    return NULL;
}

static void threads_without_turns_end_too(void **state)
{
    (void)state;
    static thread_body *const bodies[THREADS_MAX] = {launch_while_the_library_goes,
                                                     reload_the_library, load_and_unload,
                                                     launch_while_the_library_goes};
    for (uint32_t round = 0; round < 50; round++) {
        world *w = world_create(0, NULL, 0);
        rt_loader_open(rt_runtime_loader(w->runtime), LIB);
        pthread_t ids[THREADS_MAX];
        thread threads[THREADS_MAX];
        for (uint32_t i = 0; i < THREADS_MAX; i++) {
            threads[i] = (thread){.w = w, .body = bodies[i]};
            assert_int_equal(pthread_create(&ids[i], NULL, run_freely, &threads[i]), 0);
        }
        for (uint32_t i = 0; i < THREADS_MAX; i++)
            pthread_join(ids[i], NULL);
        world_destroy(w);
    }
}

/* ---- A second process --------------------------------------------------------------------- */

/* Restarts the process and sets up the world again. */
static void world_restart(world *w)
{
    rt_runtime_restart(w->runtime, NULL);
    rt_scheduler *scheduler = rt_runtime_scheduler(w->runtime);
    assert_true(rt_ok(rt_scheduler_queue_create(scheduler, w->devices[0], 0, false, &w->queue)));
    assert_true(
        rt_ok(rt_runtime_memory_create(w->runtime, RT_TEXT("data"), 4, "data", &w->memory)));
    rt_loader_start(rt_runtime_loader(w->runtime), APP, NULL, 0);
}

static void a_restart_begins_with_nothing_but_the_devices(void **state)
{
    (void)state;
    world *w = world_create(1, NULL, 0);
    rt_loader_open(rt_runtime_loader(w->runtime), LIB);
    assert_true(rt_ok(launch(w, "k1")));
    assert_int_equal(rt_runtime_context_create(w->runtime, w->devices, 1), 1);
    const counting_device *counting = (const counting_device *)w->opened[0];
    world_restart(w);
    assert_int_equal(w->queue, 0);
    assert_int_equal(event_count(w, RT_EVENT_RESTART), 1);
    assert_int_equal(event_count(w, RT_EVENT_RELEASE), 1);
    assert_int_equal(launch(w, "k1").code, RT_ERRC_BUILD); /* lib is not loaded */
    rt_loader_open(rt_runtime_loader(w->runtime), LIB);
    assert_true(rt_ok(launch(w, "k1"))); /* built again: the in-memory cache does not outlive the
                                          * process */
    assert_int_equal(counting->links_done, 2);
    assert_int_equal(event_count(w, RT_EVENT_MODULE_LOAD), 4);
    assert_int_equal(event_count(w, RT_EVENT_MODULE_UNLOAD), 0);
    assert_int_equal(rt_runtime_context_create(w->runtime, w->devices, 1), 1);
    /* Ids start from 0 again after the restart event. */
    rt_buffer trace = trace_text(w);
    const char *second = strstr(rt_buffer_string(&trace), "restart process=1,\n");
    assert_non_null(second);
    assert_non_null(strstr(second, "build program=0,"));
    assert_non_null(strstr(second, "launch command=1,"));
    rt_buffer_free(&trace);
    world_restart(w);
    assert_int_equal(event_count(w, RT_EVENT_RESTART), 2);
    world_destroy(w);
}

/* The choices of all processes form one sequence. */
static void a_script_continues_after_a_restart(void **state)
{
    (void)state;
    const uint32_t script[] = {0, 1};
    world *w = world_create(1, script, 2);
    for (uint32_t process = 0; process < 2; process++) {
        if (process > 0) world_restart(w);
        rt_loader_open(rt_runtime_loader(w->runtime), LIB);
        rt_loader_open(rt_runtime_loader(w->runtime), TWIN);
        assert_true(rt_ok(launch(w, "k1")));
    }
    const rt_choice *choices;
    uint32_t count;
    rt_runtime_choices(w->runtime, &choices, &count);
    assert_int_equal(count, 2);
    assert_int_equal(choices[0].alternative, 0);
    assert_int_equal(choices[1].alternative, 1);
    world_destroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(aspects_can_be_masked),
        cmocka_unit_test(links_can_be_hidden),
        cmocka_unit_test(contexts_hold_their_devices_and_their_programs),
        cmocka_unit_test(a_loaded_image_serves_launches_that_failed_before),
        cmocka_unit_test(a_script_selects_the_provider),
        cmocka_unit_test(the_order_of_builders_and_waiters_is_chosen),
        cmocka_unit_test(any_seed_ends_and_gives_the_same_trace_twice),
        cmocka_unit_test(threads_without_turns_end_too),
        cmocka_unit_test(a_restart_begins_with_nothing_but_the_devices),
        cmocka_unit_test(a_script_continues_after_a_restart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
