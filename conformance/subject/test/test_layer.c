/* Tests of the observations made from an OpenCL layer's log, and of their comparison with a trace:
 * every way in which the two can differ is planted. */
#include "conformance/subject/layer.h"
#include "reference/base/hash.h"
#include "reference/base/store.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* app/0, library/0, and copy/0, which has library/0's code. */
static const rt_image images[] = {
    {.name = {"app/0", 5}, .code = {(const uint8_t *)"app", 3}},
    {.name = {"library/0", 9}, .code = {(const uint8_t *)"lib", 3}},
    {.name = {"copy/0", 6}, .code = {(const uint8_t *)"lib", 3}},
};
enum { IMAGE_COUNT = sizeof images / sizeof *images };

typedef struct fixture {
    rt_sink *sink;
    rt_arena arena;
    rt_trace *trace;
    const cnf_image_name *names;
    ocl_call_log log;
} fixture;

static int set_up(void **state)
{
    fixture *f = rt_alloc(sizeof *f);
    f->sink = rt_sink_create();
    f->trace = rt_trace_create();
    const rt_image *list[IMAGE_COUNT];
    for (int i = 0; i < IMAGE_COUNT; i++)
        list[i] = &images[i];
    f->names = cnf_image_names_make(&f->arena, list, IMAGE_COUNT);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    rt_trace_destroy(f->trace);
    rt_arena_reset(&f->arena);
    rt_sink_destroy(f->sink);
    rt_free(f);
    return 0;
}

/* ---- Logs ----------------------------------------------------------------------------------- */

/* Observes lines of calls; APP and LIB are replaced by the hash and size of the images' code. */
static cnf_observations observe(fixture *f, const char *const *lines)
{
    rt_buffer text = {0};
    rt_buffer_printf(&text, "7 0 0 < layer version=1 hides= result=0\n");
    for (uint32_t i = 0; lines[i]; i++) {
        const char *marks[] = {"APP", "LIB"};
        const char *line = lines[i];
        rt_buffer_printf(&text, "7 %u 0 < ", i + 1);
        while (*line != '\0') {
            int found = -1;
            for (int k = 0; k < 2; k++)
                if (strncmp(line, marks[k], 3) == 0) found = k;
            if (found >= 0) {
                rt_bytes code = images[found].code;
                rt_buffer_printf(&text, "%s:3",
                                 rt_hash_print(rt_hash128(code.data, code.size)).digits);
                line += 3;
            } else {
                rt_buffer_append_byte(&text, *line++);
            }
        }
        rt_buffer_append_byte(&text, '\n');
    }
    rt_status status = ocl_call_log_read(f->sink, &f->arena, rt_buffer_text(&text), false, &f->log);
    rt_buffer_free(&text);
    assert_true(rt_ok(status));
    return cnf_observe(&f->arena, &f->log, f->names, IMAGE_COUNT);
}

static void assert_images(const cnf_observed *observed, const char *expected)
{
    rt_buffer text = {0};
    for (uint32_t i = 0; i < observed->image_count; i++)
        rt_buffer_printf(&text, "%s%.*s", i > 0 ? " " : "", RT_TEXT_ARG(observed->images[i]));
    assert_string_equal(rt_buffer_string(&text), expected);
    rt_buffer_free(&text);
}

static const char *const linked[] = {
    "clCreateProgramWithIL code=APP made=0 result=0",
    "clCompileProgram program=0 options=-g result=0",
    "clCreateProgramWithILKHR code=LIB made=1 result=0",
    "clCompileProgram program=1 options=- result=0",
    "clLinkProgram inputs=0,1 options=-l made=2 result=0",
    "clCreateKernel program=2 name=apply made=0 result=0",
    "clEnqueueNDRangeKernel queue=3 kernel=0 name=apply dimensions=2 global=8,4 local=2,1 "
    "offset=- result=0",
    NULL};

static void calls_become_events(void **state)
{
    static const rt_event_kind kinds[] = {RT_EVENT_CREATE, RT_EVENT_CREATE,        RT_EVENT_LINK,
                                          RT_EVENT_BUILD,  RT_EVENT_KERNEL_CREATE, RT_EVENT_LAUNCH};
    cnf_observations seen = observe(*state, linked);
    assert_int_equal(seen.count, sizeof kinds / sizeof *kinds);
    for (uint32_t i = 0; i < seen.count; i++) {
        assert_int_equal(seen.items[i].kind, kinds[i]);
        assert_true(seen.items[i].ok);
    }
    assert_images(&seen.items[0], "app/0");
    assert_false(seen.items[0].executable);
    assert_true(rt_text_is(seen.items[0].options, "-g"));
    /* If two images have the same code, the first is named. */
    assert_images(&seen.items[1], "library/0");
    assert_images(&seen.items[2], "app/0 library/0");
    assert_true(rt_text_is(seen.items[2].options, "-l"));
    assert_images(&seen.items[3], "app/0 library/0");
    assert_int_equal(seen.items[3].program, 2);
    assert_int_equal(seen.items[4].program, 2);
    const cnf_observed *launch = &seen.items[5];
    assert_true(rt_text_is(launch->kernel, "apply"));
    assert_int_equal(launch->queue, 3);
    assert_int_equal(launch->range.dimensions, 2);
    assert_int_equal(launch->range.global[0], 8);
    assert_int_equal(launch->range.global[1], 4);
    assert_int_equal(launch->range.global[2], 1);
    assert_int_equal(launch->range.local[0], 2);
    assert_int_equal(launch->range.offset[0], 0);
}

static void builds_of_one_program_are_executable_at_once(void **state)
{
    static const char *const lines[] = {"clCreateProgramWithIL code=LIB made=0 result=0",
                                        "clBuildProgram program=0 options=-O result=0", NULL};
    cnf_observations seen = observe(*state, lines);
    assert_int_equal(seen.count, 2);
    assert_true(seen.items[0].executable);
    assert_true(rt_text_is(seen.items[0].options, "-O"));
    assert_int_equal(seen.items[1].kind, RT_EVENT_BUILD);
    assert_images(&seen.items[1], "library/0");
}

/* A failed link creates nothing; unknown code, sources and objects are reported as unknown. */
static void what_is_not_known_is_told_as_such(void **state)
{
    static const char *const lines[] = {"clCreateProgramWithBinary code=00:9 made=0 result=0",
                                        "clCreateProgramWithSource code=00:9 made=1 result=0",
                                        "clLinkProgram inputs=0,1,? options=- made=- result=-17",
                                        "clBuildProgram program=8 options=- result=0",
                                        "clEnqueueTask name=- result=-5",
                                        "clFinish result=0",
                                        NULL};
    cnf_observations seen = observe(*state, lines);
    assert_int_equal(seen.count, 5);
    assert_images(&seen.items[0], "00:9");
    assert_images(&seen.items[1], "source");
    assert_images(&seen.items[2], "00:9 source ?");
    assert_false(seen.items[2].ok);
    assert_true(seen.items[2].program == UINT64_MAX);
    assert_images(&seen.items[3], "?");
    assert_int_equal(seen.items[4].range.dimensions, 1);
    assert_false(seen.items[4].ok);
}

/* ---- Comparing ------------------------------------------------------------------------------ */

static void trace_create(fixture *f, const char *image, const char *executable)
{
    RT_TRACE(f->trace, CREATE, RT_T("image", rt_text_of(image)),
             RT_T("executable", rt_text_of(executable)));
}

static void trace_select(fixture *f)
{
    RT_TRACE(f->trace, SELECT, RT_T("kernel", RT_TEXT("apply")), RT_T("image", RT_TEXT("app/0")));
}

static const rt_text inputs[] = {{"app/0", 5}, {"copy/0", 6}};

static void trace_launch(fixture *f)
{
    RT_TRACE(f->trace, LAUNCH, RT_N("command", 0), RT_T("kernel", RT_TEXT("apply")));
}

/* What a runtime traces for a program of two images; copy/0 was loaded in place of library/0.
 */
static void trace_linked(fixture *f, const char *by)
{
    trace_select(f);
    trace_create(f, "app/0", "false");
    trace_create(f, "copy/0", "false");
    RT_TRACE(f->trace, LINK, RT_N("program", 0), RT_TS("inputs", inputs, 2),
             RT_T("by", rt_text_of(by)));
    RT_TRACE(f->trace, BUILD, RT_N("program", 0), RT_TS("images", inputs, 2));
    RT_TRACE(f->trace, KERNEL_CREATE, RT_T("kernel", RT_TEXT("apply")), RT_N("program", 0));
    trace_launch(f);
}

static uint32_t compare(fixture *f, bool by_tool, const char *const *lines,
                        const cnf_layer_difference **out_differences)
{
    uint32_t count;
    cnf_layer_compare(&f->arena, f->trace, by_tool, f->names, IMAGE_COUNT, observe(f, lines),
                      out_differences, &count);
    return count;
}

static void assert_difference(const cnf_layer_difference *difference, rt_event_kind kind,
                              const char *what, uint32_t claimed, uint32_t seen)
{
    assert_int_equal(difference->kind, kind);
    if (!rt_text_is(difference->what, what))
        fail_msg("'%.*s' instead of '%s'", RT_TEXT_ARG(difference->what), what);
    assert_int_equal(difference->claimed, claimed);
    assert_int_equal(difference->seen, seen);
}

static void a_true_trace_has_no_difference(void **state)
{
    const cnf_layer_difference *differences;
    trace_linked(*state, "driver");
    assert_int_equal(compare(*state, false, linked, &differences), 0);
}

/* Each line of the log is omitted in turn, as if the driver had not received that call. */
static void whatever_the_driver_did_not_see_is_found(void **state)
{
    fixture *f = *state;
    static const struct {
        uint32_t line;
        rt_event_kind kind;
        const char *what;
    } rows[] = {
        {0, RT_EVENT_CREATE, "image app/0"},
        {2, RT_EVENT_CREATE, "image library/0"},
        {5, RT_EVENT_KERNEL_CREATE, "kernel apply"},
        {6, RT_EVENT_LAUNCH, "kernel apply"},
    };
    trace_linked(f, "driver");
    for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
        const char *lines[8];
        uint32_t count = 0;
        for (uint32_t i = 0; linked[i]; i++)
            if (i != rows[row].line) lines[count++] = linked[i];
        lines[count] = NULL;
        const cnf_layer_difference *differences;
        assert_true(compare(f, false, lines, &differences) >= 1);
        assert_difference(&differences[0], rows[row].kind, rows[row].what, 1, 0);
    }
}

/* A runtime that claims to have linked two images but handed over only one. */
static void a_link_of_other_inputs_is_found(void **state)
{
    static const char *const lines[] = {"clCreateProgramWithIL code=APP made=0 result=0",
                                        "clCreateProgramWithIL code=LIB made=1 result=0",
                                        "clLinkProgram inputs=0 options=- made=2 result=0",
                                        "clCreateKernel program=2 name=apply made=0 result=0",
                                        "clEnqueueNDRangeKernel name=apply result=0",
                                        NULL};
    const cnf_layer_difference *differences;
    trace_linked(*state, "driver");
    assert_int_equal(compare(*state, false, lines, &differences), 4);
    assert_difference(&differences[0], RT_EVENT_LINK, "images app/0, library/0", 1, 0);
    assert_difference(&differences[1], RT_EVENT_LINK, "image app/0", 0, 1);
    assert_difference(&differences[2], RT_EVENT_BUILD, "images app/0, library/0", 1, 0);
    assert_difference(&differences[3], RT_EVENT_BUILD, "image app/0", 0, 1);
}

static void an_event_too_many_is_found(void **state)
{
    const cnf_layer_difference *differences;
    trace_linked(*state, "driver");
    trace_launch(*state);
    assert_int_equal(compare(*state, false, linked, &differences), 1);
    assert_difference(&differences[0], RT_EVENT_LAUNCH, "kernel apply", 2, 1);
}

/* The trace does not mention a launch that the driver refused, nor a launch that counts executions.
 */
static void refused_launches_do_not_count(void **state)
{
    fixture *f = *state;
    static const char *const lines[] = {"clEnqueueNDRangeKernel name=apply result=-54", NULL};
    const cnf_layer_difference *differences;
    assert_int_equal(compare(f, false, lines, &differences), 0);
    trace_launch(f);
    assert_int_equal(compare(f, false, lines, &differences), 1);
}

/* A link that failed, whether in the driver or before the driver was called, is one refused step.
 */
static void a_refused_step_excuses_one_claim(void **state)
{
    fixture *f = *state;
    static const char *const none[] = {NULL};
    static const char *const refused[] = {"clCreateProgramWithIL code=APP made=- result=-42", NULL};
    const cnf_layer_difference *differences;
    RT_TRACE(f->trace, ERROR, RT_T("class", RT_TEXT("errc::build")));
    trace_create(f, "app/0", "true");
    assert_int_equal(compare(f, false, none, &differences), 0);
    assert_int_equal(compare(f, false, refused, &differences), 0);
    trace_create(f, "library/0", "true");
    assert_int_equal(compare(f, false, none, &differences), 1);
    assert_difference(&differences[0], RT_EVENT_CREATE, "image library/0", 1, 0);
}

static void trace_kept(fixture *f)
{
    RT_TRACE(f->trace, PERSISTENT_HIT, RT_N("program", 0), RT_TS("images", inputs, 2));
}

static void trace_rejected(fixture *f, const char *reason)
{
    RT_TRACE(f->trace, PERSISTENT_REJECT, RT_N("program", 0), RT_TS("images", inputs, 2),
             RT_T("reason", rt_text_of(reason)));
}

/* A cached program has code that no image has; the number of programs handed over is still
 * compared. */
static void programs_of_the_persistent_cache_are_claimed(void **state)
{
    fixture *f = *state;
    static const char *const none[] = {NULL};
    static const char *const once[] = {"clCreateProgramWithBinary code=00:9 made=0 result=0",
                                       "clBuildProgram program=0 options=- result=0", NULL};
    static const char *const twice[] = {"clCreateProgramWithBinary code=00:9 made=0 result=0",
                                        "clBuildProgram program=0 options=- result=0",
                                        "clCreateProgramWithBinary code=11:9 made=1 result=0",
                                        "clBuildProgram program=1 options=- result=0", NULL};
    const cnf_layer_difference *differences;
    trace_kept(f);
    assert_int_equal(compare(f, false, once, &differences), 0);
    assert_int_equal(compare(f, true, once, &differences), 0);
    assert_int_equal(compare(f, false, none, &differences), 2);
    assert_difference(&differences[0], RT_EVENT_CREATE, "a program of the persistent cache", 1, 0);
    assert_difference(&differences[1], RT_EVENT_BUILD, "a program of the persistent cache", 1, 0);
    assert_int_equal(compare(f, false, twice, &differences), 2);
    assert_difference(&differences[0], RT_EVENT_CREATE, "image 11:9", 0, 1);
    assert_difference(&differences[1], RT_EVENT_BUILD, "image 11:9", 0, 1);
}

/* The driver sees only those rejected entries that it rejects itself. */
static void what_the_driver_rejects_is_claimed(void **state)
{
    fixture *f = *state;
    static const char *const none[] = {NULL};
    static const char *const refused[] = {"clCreateProgramWithBinary code=00:9 made=- result=-42",
                                          NULL};
    const cnf_layer_difference *differences;
    trace_rejected(f, rt_store_answer_name(RT_STORE_CUT));
    assert_int_equal(compare(f, false, none, &differences), 0);
    trace_rejected(f, rt_code_name(RT_DRIVER_ERROR));
    assert_int_equal(compare(f, false, refused, &differences), 0);
    assert_int_equal(compare(f, false, none, &differences), 1);
    assert_difference(&differences[0], RT_EVENT_CREATE, "a program of the persistent cache", 1, 0);
}

/* If a tool links, the driver receives whole programs; only their number is compared. */
static void programs_linked_by_a_tool_are_counted(void **state)
{
    static const char *const once[] = {"clCreateProgramWithBinary code=00:9 made=0 result=0",
                                       "clBuildProgram program=0 options=- result=0",
                                       "clCreateKernel program=0 name=apply made=0 result=0",
                                       "clEnqueueNDRangeKernel name=apply result=0", NULL};
    static const char *const twice[] = {"clCreateProgramWithBinary code=00:9 made=0 result=0",
                                        "clBuildProgram program=0 options=- result=0",
                                        "clCreateProgramWithBinary code=00:9 made=1 result=0",
                                        "clBuildProgram program=1 options=- result=0",
                                        "clCreateKernel program=0 name=apply made=0 result=0",
                                        "clEnqueueNDRangeKernel name=apply result=0",
                                        NULL};
    const cnf_layer_difference *differences;
    trace_linked(*state, "tool");
    assert_int_equal(compare(*state, true, once, &differences), 0);
    assert_int_equal(compare(*state, true, twice, &differences), 2);
    assert_difference(&differences[0], RT_EVENT_CREATE, "", 1, 2);
    assert_difference(&differences[1], RT_EVENT_BUILD, "", 1, 2);
    assert_true(compare(*state, true, linked, &differences) > 0);
}

/* ---- The variables -------------------------------------------------------------------------- */

static void the_environment_names_layer_log_and_hidden_aspects(void **state)
{
    fixture *f = *state;
    rt_text path = cnf_layer_find(&f->arena);
    assert_true(path.length > 0); /* The layer is built with the tests. */
    setenv("OPENCL_LAYERS", "/users/own.so", 1);
    const char *const *list = cnf_layer_environment(
        &f->arena, RT_TEXT("/tmp/log"), 1u << DEV_ASPECT_FP64 | 1u << DEV_ASPECT_ATOMIC64);
    assert_non_null(list);
    rt_text loader =
        rt_arena_printf(&f->arena, "OPENCL_LAYERS=%.*s:/users/own.so", RT_TEXT_ARG(path));
    assert_string_equal(list[0], loader.data);
    assert_string_equal(list[1], "ASSAY_OPENCL_LOG=/tmp/log");
    assert_string_equal(list[2], "ASSAY_OPENCL_HIDE=fp64,atomic64");
    assert_null(list[3]);
}

/* The user's environment is restored once the loader has read it. */
static void the_variables_are_unregistered(void **state)
{
    (void)state;
    static const char *const before[] = {"/users/own.so", NULL};
    for (int i = 0; i < 2; i++) {
        unsetenv("OPENCL_LAYERS");
        if (before[i]) setenv("OPENCL_LAYERS", before[i], 1);
        cnf_layer layer;
        cnf_layer_begin(&layer, 0);
        assert_true(layer.found && layer.log >= 0);
        assert_non_null(strstr(getenv("OPENCL_LAYERS"), OCL_LAYER_FILE));
        assert_int_equal(atoi(getenv(OCL_LAYER_LOG)), layer.log);
        cnf_layer_begun(&layer);
        assert_null(getenv(OCL_LAYER_LOG));
        assert_null(getenv(OCL_LAYER_HIDE));
        if (before[i]) assert_string_equal(getenv("OPENCL_LAYERS"), before[i]);
        if (!before[i]) assert_null(getenv("OPENCL_LAYERS"));
        cnf_layer_end(&layer);
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(calls_become_events),
        TEST(builds_of_one_program_are_executable_at_once),
        TEST(what_is_not_known_is_told_as_such),
        TEST(a_true_trace_has_no_difference),
        TEST(whatever_the_driver_did_not_see_is_found),
        TEST(a_link_of_other_inputs_is_found),
        TEST(an_event_too_many_is_found),
        TEST(refused_launches_do_not_count),
        TEST(a_refused_step_excuses_one_claim),
        TEST(programs_of_the_persistent_cache_are_claimed),
        TEST(what_the_driver_rejects_is_claimed),
        TEST(programs_linked_by_a_tool_are_counted),
        TEST(the_environment_names_layer_log_and_hidden_aspects),
        TEST(the_variables_are_unregistered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
