/* Unit tests of executing and judging, on a device that launches but executes nothing: every way in
 * which an expectation can fail is planted, and fails with its own code. */
#include "conformance/subject/execute.h"
#include "conformance/subject/layer.h"
#include "conformance/subject/skip.h"
#include "conformance/subject/test/scenario_fixture.h"
#include "conformance/verdict/messages.h"
#include "reference/program/test/counting_device.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

/* Two modules: app/0 has kernel `apply` and imports `twice`, library/0 exports it. */
static const char head[] = "assay: 1\n"
                           "summary: A test.\n"
                           "modules:\n"
                           "  app: {sources: [{language: opencl-c, code: a}]}\n"
                           "  library: {host_symbols: [here], sources: [{language: opencl-c, "
                           "code: b}]}\n"
                           "memory:\n"
                           "  data: {type: int, values: [1, 2, 3]}\n"
                           "  more: {type: float, values: [0.5]}\n"
                           "steps:\n";

static const rt_text kernels[] = {{"apply", 5}};
static const rt_property symbols[] = {
    {.name = {"twice", 5}, .type = RT_PROPERTY_UINT32, .number = 1}};
static const rt_property_set imports[] = {{{RT_SET_IMPORTED_SYMBOLS, 21}, symbols, 1}};
static const rt_property provided[] = {{.name = {"virtual-functions-set", 21},
                                        .type = RT_PROPERTY_BYTES,
                                        .bytes = {(const uint8_t *)"areas", 5}}};
static const rt_property_set exports[] = {{{RT_SET_EXPORTED_SYMBOLS, 21}, symbols, 1},
                                          {{"SYCL/virtual functions", 22}, provided, 1}};
static const rt_image app_images[] = {{.name = {"app/0", 5},
                                       .kernels = kernels,
                                       .kernel_count = 1,
                                       .sets = imports,
                                       .set_count = 1,
                                       .code = {(const uint8_t *)"code", 4}}};
static const rt_image library_images[] = {{.name = {"library/0", 9},
                                           .sets = exports,
                                           .set_count = 2,
                                           .code = {(const uint8_t *)"code", 4}}};

static const cnf_subject counting_subject = {.name = "counting",
                                             .runtime = &cnf_reference_operations,
                                             .backend = &counting_backend,
                                             .selector = ""};

typedef struct fixture {
    rt_arena arena;
    cnf_messages messages;
} fixture;

static int set_up(void **state)
{
    *state = rt_alloc(sizeof(fixture));
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    rt_arena_reset(&f->arena);
    rt_free(f);
    return 0;
}

static const scenario_fixture scenarios = {.head = head,
                                           .images = {{app_images, 1}, {library_images, 1}}};

/* The OpenCL layer beneath the next run's device; NULL: none. */
static const cnf_layer *layer_under;

/* Runs the steps and returns the first check that failed, or the last one. */
static const cnf_check *run(fixture *f, const char *steps, const dev_finding *finding)
{
    rt_sink *sink = rt_sink_create();
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    cnf_emitter emitter = {.descriptor = ends[1]};
    cnf_execution execution = {.scenario = scenario_fixture_read(&f->arena, &scenarios, steps),
                               .subject = &counting_subject,
                               .options = &(cnf_subject_options){0},
                               .emitter = &emitter,
                               .sink = sink,
                               .layer = layer_under};
    pthread_mutex_init(&execution.findings_lock, NULL);
    assert_true(rt_ok(cnf_execution_open(&execution)));
    if (finding) cnf_execution_finding(&execution, finding);
    assert_true(cnf_output_open(&execution.output, execution.scenario));
    cnf_execute(&execution);
    cnf_execution_close(&execution);
    cnf_output_close(&execution.output);
    cnf_emit_end(&emitter);
    pthread_mutex_destroy(&execution.findings_lock);
    rt_sink_destroy(sink);
    close(ends[1]);
    scenario_fixture_messages(&f->arena, ends[0], &f->messages);
    assert_null(f->messages.fault);
    assert_int_equal(f->messages.end, CNF_MESSAGES_ENDED);
    assert_true(f->messages.check_count >= 1);
    for (uint32_t i = 0; i < f->messages.check_count; i++)
        if (!f->messages.checks[i].ok) return &f->messages.checks[i];
    return &f->messages.checks[f->messages.check_count - 1];
}

static void expect_failure(void **state, const char *steps, const char *kind, const char *code)
{
    const cnf_check *check = run(*state, steps, NULL);
    assert_false(check->ok);
    assert_string_equal(check->kind.data, kind);
    assert_string_equal(check->code.data, code);
    assert_true(check->message.length > 0);
}

#define LAUNCH "  - submit: {kernel: apply, range: [1], args: [data, more]}\n"

static void all_expectations_hold(void **state)
{
    const cnf_check *check =
        run(*state,
            LAUNCH "    expect: {error: {documents: exception, reference: "
                   "{class: \"errc::build\", names: [twice], text: exports}}}\n"
                   "  - load: library\n" LAUNCH "  - expect: {launches: 1}\n"
                   "  - expect: {builds: 1}\n  - expect: {builds: 0}\n"
                   "  - expect: {program_of: apply, images: [library/0, app/0]}\n"
                   "  - expect: {trace: [{event: link}, {event: launch}]}\n"
                   "  - wait\n"
                   "  - expect: {memory: more, equals: [0x1p-1]}\n",
            NULL);
    assert_true(check->ok);
    assert_int_equal(((fixture *)*state)->messages.check_count, 7);
    assert_int_equal(((fixture *)*state)->messages.memory_count, 2);
}

static void errors_are_compared_in_every_part(void **state)
{
    expect_failure(state, LAUNCH "  - expect: {launches: 0}\n", "launch", "errc::build");
    expect_failure(state, LAUNCH "    expect: {error: {documents: \"errc::invalid\"}}\n", "error",
                   "documents-class");
    expect_failure(state, LAUNCH "    expect: {error: {reference: {class: \"link-error\"}}}\n",
                   "error", "reference-class");
    expect_failure(state,
                   LAUNCH "    expect: {error: {documents: exception, reference: {names: [g]}}}\n",
                   "error", "names");
    expect_failure(
        state, LAUNCH "    expect: {error: {documents: exception, reference: {text: elephants}}}\n",
        "error", "text");
    expect_failure(state,
                   "  - load: library\n" LAUNCH "    expect: {error: {documents: exception}}\n",
                   "error", "succeeded");
    expect_failure(state, "  - unload: library\n  - expect: {launches: 0}\n", "step",
                   "errc::invalid");
}

/* The counting device completes every command immediately. */
static void events_differ_from_their_expected_status(void **state)
{
#define NAMED "  - load: library\n" LAUNCH "    id: one\n"
    const cnf_check *check =
        run(*state, NAMED "  - expect: {event: one, status: complete}\n", NULL);
    assert_true(check->ok);
    assert_true(check->observed);
    expect_failure(state, NAMED "  - expect: {event: one, status: submitted}\n", "event",
                   "event-status");
    /* The step was refused, so it has no event. */
    expect_failure(state,
                   LAUNCH "    id: two\n"
                          "    expect: {error: {documents: exception}}\n"
                          "  - expect: {event: two, status: complete}\n",
                   "event", "no-event");
#undef NAMED
}

static void counts_programs_traces_and_memories_differ(void **state)
{
#define LOADED "  - load: library\n" LAUNCH
    expect_failure(state, LOADED "  - expect: {launches: 2}\n", "count", "fewer");
    expect_failure(state, LOADED "  - expect: {links: 0}\n", "count", "more");
    expect_failure(state, LOADED "  - expect: {output: \"\"}\n  - expect: {output: \"7\"}\n",
                   "output", "differs");
    expect_failure(state, LOADED "  - expect: {program_of: apply, images: [app/0]}\n", "program",
                   "images");
    expect_failure(state, LOADED "  - expect: {program_of: apply, images: [app/0, app/0]}\n",
                   "program", "images");
    expect_failure(state, LOADED "  - expect: {program_of: other, images: [app/0]}\n", "program",
                   "not-launched");
    expect_failure(state, LOADED "  - expect: {trace: [{event: launch}, {event: link}]}\n", "trace",
                   "missing");
    expect_failure(state, LOADED "  - expect: {trace: [{event: link, inputs: [app/0]}]}\n", "trace",
                   "missing");
    expect_failure(state, "  - expect: {memory: data, equals: [1, 5, 3]}\n", "memory", "differs");
    const cnf_check *check =
        &((fixture *)*state)->messages.checks[((fixture *)*state)->messages.check_count - 1];
    assert_string_equal(check->place.data, "element 1");
    assert_int_equal(check->line, 10);
}

#define BUNDLE                                                                                     \
    "  - load: library\n"                                                                          \
    "  - bundle: {id: i, get: input, kernels: [apply]}\n"

static void bundles_are_made_shown_and_launched_from(void **state)
{
    const cnf_check *check =
        run(*state,
            BUNDLE "  - bundle: {id: o, compile: i}\n"
                   "  - bundle: {id: e, link: [o]}\n"
                   "  - bundle: {id: b, build: i}\n"
                   "  - bundle: {id: j, join: [e, b]}\n"
                   "  - expect: {bundle: i, has: [apply], lacks: [twice], device_images: 2}\n"
                   "  - expect: {bundle: j, images: [library/0, app/0], device_images: 2}\n"
                   "  - submit: {kernel: apply, range: [1], args: [data, more], bundle: j}\n"
                   "  - submit: {kernel: none, range: [1], bundle: j}\n"
                   "    expect: {error: {documents: \"errc::kernel_not_supported\"}}\n"
                   "  - expect: {launches: 1}\n",
            NULL);
    assert_true(check->ok);
}

static void bundles_differ(void **state)
{
    expect_failure(state, BUNDLE "  - expect: {bundle: i, has: [apply, twice]}\n", "bundle",
                   "lacks");
    expect_failure(state, BUNDLE "  - expect: {bundle: i, lacks: [apply]}\n", "bundle", "has");
    expect_failure(state, BUNDLE "  - expect: {bundle: i, device_images: 1}\n", "bundle", "more");
    expect_failure(state, BUNDLE "  - expect: {bundle: i, device_images: 3}\n", "bundle", "fewer");
    expect_failure(state, BUNDLE "  - expect: {bundle: i, images: [app/0]}\n", "bundle", "images");
    expect_failure(state, BUNDLE "  - expect: {bundle: i, images: [app/0, app/0]}\n", "bundle",
                   "images");
}

#define NO_BUNDLE                                                                                  \
    "  - bundle: {id: i, get: executable, kernels: [apply]}\n"                                     \
    "    expect: {error: {documents: \"errc::build\"}}\n"

static void what_was_refused_makes_no_bundle(void **state)
{
    expect_failure(state, NO_BUNDLE "  - expect: {bundle: i, has: [apply]}\n", "bundle",
                   "errc::invalid");
    expect_failure(state,
                   NO_BUNDLE "  - submit: {kernel: apply, range: [1], args: [data, more], bundle: "
                             "i}\n",
                   "launch", "errc::invalid");
    expect_failure(state, NO_BUNDLE "  - bundle: {id: j, join: [i]}\n", "step", "errc::invalid");
}

static void findings_are_matched_or_fail(void **state)
{
    const dev_finding finding = {.kind = "out-of-bounds",
                                 .message = RT_TEXT("a store"),
                                 .kernel = RT_TEXT("apply"),
                                 .source = RT_TEXT("app/0"),
                                 .source_line = 1,
                                 .object = RT_TEXT("data"),
                                 .offset = 12};
    const cnf_check *check =
        run(*state, "  - expect: {finding: out-of-bounds, memory: data, offset: 12}\n", &finding);
    assert_true(check->ok);
    check = run(*state, "  - expect: {launches: 0}\n", &finding);
    assert_false(check->ok);
    assert_string_equal(check->code.data, "out-of-bounds");
    assert_int_equal(check->line, 4); /* of the source in the scenario */
    check =
        run(*state, "  - expect: {finding: out-of-bounds, memory: data, offset: 8}\n", &finding);
    assert_false(check->ok);
    expect_failure(state, "  - expect: {finding: out-of-bounds}\n", "finding", "not-found");
}

static const cnf_check *expect_branch(void **state, const char *steps, uint32_t branch)
{
    const cnf_check *check = run(*state, steps, NULL);
    assert_true(check->ok);
    assert_string_equal(check->kind.data, "one_of");
    assert_int_equal(check->branch, branch);
    return check;
}

static void one_of_several_outcomes_holds(void **state)
{
    expect_branch(state, LOADED "  - expect: {one_of: [{launches: 2}, {launches: 1, builds: 1}]}\n",
                  2);
    expect_branch(state,
                  LAUNCH "    expect: {one_of: [{error: none}, {error: {documents: exception}}]}\n",
                  2);
    const cnf_check *check = expect_branch(
        state, LOADED "    expect: {one_of: [{error: none}, {error: {documents: exception}}]}\n",
        1);
    assert_int_equal(check->branches, 2);
    expect_failure(state,
                   LOADED "  - expect: {one_of: [{launches: 2}, {launches: 1, builds: 2}]}\n",
                   "one_of", "no-outcome");
    expect_failure(state,
                   LOADED "    expect: {one_of: [{error: {documents: link-error}}, {error: "
                          "{documents: exception}}]}\n",
                   "one_of", "no-outcome");
    /* A branch about a step's own outcome may also list the consequences of that outcome. */
    expect_branch(
        state,
        LOADED "    expect: {one_of: [{error: none, launches: 2}, {error: none, launches: 1}]}\n",
        2);
    expect_failure(state,
                   LOADED "    expect: {one_of: [{error: none, launches: 2}, {error: {documents: "
                          "exception}}]}\n",
                   "one_of", "no-outcome");
    /* Both branches expect counts, so both counts restart. */
    check = run(*state,
                LOADED "  - expect: {one_of: [{launches: 1}, {builds: 1}]}\n"
                       "  - expect: {launches: 0, builds: 0}\n",
                NULL);
    assert_true(check->ok);
}

#define OUTCOMES                                                                                   \
    LOADED "    expect: {one_of: [{error: {documents: exception}, name: refused}, {error: none, "  \
           "name: linked}]}\n"

/* The launch succeeds, so later branches named `refused` cannot hold, whatever they expect. */
static void outcomes_with_one_name_hold_together(void **state)
{
    expect_branch(state,
                  OUTCOMES "  - expect: {one_of: [{name: refused, launches: 1}, {name: linked, "
                           "launches: 1}]}\n",
                  2);
    expect_branch(
        state,
        OUTCOMES
        "  - expect: {one_of: [{name: refused, launches: 1}, {launches: 1}, {name: linked, "
        "launches: 1}]}\n",
        2);
    expect_failure(state,
                   OUTCOMES "  - expect: {one_of: [{name: refused, launches: 1}, {name: linked, "
                            "launches: 2}]}\n",
                   "one_of", "no-outcome");
}

/* Checks after a failed one are judged, except those about what the failed step did not create. */
static void checks_after_a_failure_are_judged(void **state)
{
    fixture *f = *state;
    run(f, LOADED "  - expect: {launches: 2}\n  - expect: {builds: 2}\n", NULL);
    uint32_t failed = 0;
    for (uint32_t i = 0; i < f->messages.check_count; i++)
        failed += !f->messages.checks[i].ok;
    assert_int_equal(failed, 2);
    run(f,
        "  - bundle: {id: b, get: executable, kernels: [nothing]}\n"
        "  - bundle: {id: c, join: [b]}\n"
        "  - expect: {bundle: c, has: [apply]}\n"
        "  - expect: {launches: 0}\n",
        NULL);
    const cnf_check *checks = f->messages.checks;
    assert_int_equal(f->messages.check_count, 4);
    assert_false(checks[0].ok);
    assert_true(checks[1].ok && !checks[1].observed);
    assert_true(checks[2].ok && !checks[2].observed);
    assert_true(checks[3].ok && checks[3].observed);
}

static void what_must_not_happen_is_noticed(void **state)
{
    const cnf_check *check =
        run(*state, LOADED "  - expect: {never: [{event: cache_hit}]}\n", NULL);
    assert_true(check->ok);
    expect_failure(state, LOADED "  - expect: {never: [{event: cache_hit}, {event: link}]}\n",
                   "never", "happened");
    check = run(*state, LOADED "  - expect: {trace: [{event: build, program_of: apply}]}\n", NULL);
    assert_true(check->ok);
    expect_failure(state, LOADED "  - expect: {trace: [{event: build, program_of: other}]}\n",
                   "trace", "missing");
}

/* The program links app/0, which has the kernel, and library/0, which provides set `areas`. */
static void images_of_events_are_judged(void **state)
{
    static const char *const right[] = {
        "holds: {set: areas, dummy: false, module: library, exports: twice}",
        "holds: {kernel: apply, module: app}", "holds: {set: areas}, not: {dummy: true}",
        "not: {set: areas, kernel: apply}", /* not all in one image */
    };
    static const char *const wrong[] = {
        "holds: {set: other}",
        "holds: {set: areas, dummy: true}",
        "holds: {set: areas, module: app}",
        "holds: {kernel: twice}",
        "holds: {exports: apply}",
        "holds: {set: areas}, not: {kernel: apply}",
        "not: {set: areas}",
    };
    rt_arena arena = {0};
    for (size_t i = 0; i < sizeof right / sizeof *right; i++) {
        rt_text steps =
            rt_arena_printf(&arena, LOADED "  - expect: {trace: [{event: link, %s}]}\n", right[i]);
        const cnf_check *check = run(*state, steps.data, NULL);
        if (!check->ok) fail_msg("%s: %.*s", right[i], RT_TEXT_ARG(check->message));
        steps =
            rt_arena_printf(&arena, LOADED "  - expect: {never: [{event: link, %s}]}\n", right[i]);
        expect_failure(state, steps.data, "never", "happened");
    }
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        rt_text steps =
            rt_arena_printf(&arena, LOADED "  - expect: {trace: [{event: link, %s}]}\n", wrong[i]);
        expect_failure(state, steps.data, "trace", "missing");
    }
    rt_arena_reset(&arena);
}

static void host_symbols_bind(void **state)
{
    const cnf_check *check = run(*state,
                                 "  - expect: {host_symbol: here, from: none}\n"
                                 "  - load: library\n"
                                 "  - expect: {host_symbol: here, by: library, from: library}\n",
                                 NULL);
    assert_true(check->ok);
    expect_failure(state, "  - expect: {host_symbol: here, from: library}\n", "host_symbol",
                   "binding");
    expect_failure(state, "  - expect: {host_symbol: here, by: library, from: library}\n",
                   "host_symbol", "not-loaded");
}

static void steps_of_another_profile_are_left_out(void **state)
{
    const cnf_check *check = run(
        *state, "  - expect: {launches: 7}\n    profile: dpcpp\n  - expect: {launches: 0}\n", NULL);
    assert_true(check->ok);
    assert_int_equal(((fixture *)*state)->messages.check_count, 1);
    expect_failure(state, "  - expect: {launches: 7}\n    profile: documents\n", "count", "fewer");
}

/* Both processes have a program 0: an event refers only to the program of a launch in its own
 * process. */
static void a_restart_begins_a_process_of_its_own(void **state)
{
#define PROCESS "  - load: library\n" LAUNCH
    const cnf_check *check =
        run(*state,
            PROCESS "  - copy: {from: data, to: data, from_offset: 2, count: 1}\n"
                    "  - expect: {memory: data, equals: [3, 2, 3]}\n"
                    "  - restart\n"
                    "  - expect: {memory: data, equals: [1, 2, 3]}\n" LAUNCH
                    "    expect: {error: {reference: {names: [twice]}}}\n" PROCESS
                    "  - expect: {builds: 2}\n"
                    "  - expect: {program_of: apply, images: [app/0, library/0]}\n"
                    "  - expect: {trace: [{event: restart}, {event: build}, {event: launch}]}\n",
            NULL);
    assert_true(check->ok);
    static const char before[] =
        PROCESS "  - restart\n" PROCESS
                "  - expect: {trace: [{event: build, program_of: apply}, {event: restart}]}\n";
    expect_failure(state, before, "trace", "missing");
    check = run(*state,
                PROCESS "  - restart\n" PROCESS
                        "  - expect: {trace: [{event: restart}, {event: build, program_of: "
                        "apply}]}\n",
                NULL);
    assert_true(check->ok);
#undef PROCESS
}

/* The finding belongs to the step of its own process, although a command of the next process has
 * the same number. */
static void findings_of_an_ended_process_keep_their_step(void **state)
{
    const dev_finding finding = {.kind = "out-of-bounds",
                                 .message = RT_TEXT("store of 4 bytes"),
                                 .tag = 5, /* a number that no command has */
                                 .kernel = RT_TEXT("apply"),
                                 .object = RT_TEXT("data"),
                                 .count = 1};
    const cnf_check *check = run(*state,
                                 "  - restart\n"
                                 "  - load: library\n" LAUNCH LAUNCH LAUNCH LAUNCH LAUNCH LAUNCH
                                 "  - expect: {launches: 6}\n",
                                 &finding);
    assert_false(check->ok);
    assert_null(strstr(check->message.data, ", step"));
}

static const scn_scenario *with_persistent_cache(fixture *f)
{
    scn_scenario *scenario = rt_arena_alloc(&f->arena, sizeof *scenario);
    *scenario =
        *scenario_fixture_read(&f->arena, &scenarios, "  - restart\n  - expect: {builds: 0}\n");
    scenario->persistent_cache = true;
    return scenario;
}

static void a_persistent_cache_needs_programs_as_bytes(void **state)
{
    fixture *f = *state;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    cnf_emitter emitter = {.descriptor = ends[1]};
    const scn_scenario *scenario = with_persistent_cache(f);
    cnf_runtime runtime = {.operations = &cnf_reference_operations,
                           .capabilities = {.name = RT_TEXT("d"), .program_binaries = true}};
    assert_false(cnf_skip(&emitter, scenario, &runtime));
    runtime.capabilities.program_binaries = false;
    assert_true(cnf_skip(&emitter, scenario, &runtime));
    close(ends[1]);
    scenario_fixture_messages(&f->arena, ends[0], &f->messages);
    assert_int_equal(f->messages.end, CNF_MESSAGES_SKIPPED);
    assert_true(rt_text_is(f->messages.capability, "program_binaries"));
}

static void a_persistent_cache_needs_a_folder(void **state)
{
    fixture *f = *state;
    const scn_scenario *scenario = with_persistent_cache(f);
    char folder[] = "/tmp/subject-test-XXXXXX";
    assert_non_null(mkdtemp(folder));
    cnf_subject_options options = {0};
    const cnf_subject *sim = cnf_subject_find(RT_TEXT("sim"));
    int nowhere = open("/dev/null", O_WRONLY);
    assert_int_equal(cnf_subject_run(sim, &options, scenario, nowhere), 3);
    options.scratch = rt_text_of(folder);
    assert_int_equal(cnf_subject_run(sim, &options, scenario, nowhere), 0);
    close(nowhere);
    assert_int_equal(rmdir(folder), 0); /* nothing was built, so the folder is empty */
}

static void lists_run_on_threads(void **state)
{
    const cnf_check *check = run(*state,
                                 "  - load: library\n"
                                 "  - parallel:\n"
                                 "    - - submit: {kernel: apply, range: [1], args: [data, more]}\n"
                                 "      - host_access: data\n"
                                 "    - - submit: {kernel: apply, range: [1], args: [data, more]}\n"
                                 "  - expect: {launches: 2, builds: 1}\n",
                                 NULL);
    assert_true(check->ok);
    expect_failure(state,
                   "  - parallel:\n"
                   "    - [wait]\n"
                   "    - - submit: {kernel: apply, range: [1], args: [data, more]}\n"
                   "  - expect: {launches: 1}\n",
                   "launch", "errc::build");
}

static void scripts_of_choices_are_lists_of_numbers(void **state)
{
    fixture *f = *state;
    const uint32_t *choices;
    uint32_t count;
    cnf_choices_read(&f->arena, RT_TEXT(""), &choices, &count);
    assert_int_equal(count, 0);
    cnf_choices_read(&f->arena, RT_TEXT("0,12,3"), &choices, &count);
    assert_int_equal(count, 3);
    assert_int_equal(choices[1], 12);
    cnf_choices_read(&f->arena, RT_TEXT("7;3:1"), &choices, &count);
    assert_int_equal(count, 1);
    assert_int_equal(choices[0], 7);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

/* ---- The OpenCL layer ----------------------------------------------------------------------- */

#define LAYER_BEGINS "7 0 0 < layer version=1 hides= result=0\n"
#define LAYER_BUILDS                                                                               \
    "7 1 0 < clCreateProgramWithIL code=HASH:4 made=0 result=0\n"                                  \
    "7 2 0 < clCompileProgram program=0 options= result=0\n"                                       \
    "7 3 0 < clCreateProgramWithIL code=HASH:4 made=1 result=0\n"                                  \
    "7 4 0 < clCompileProgram program=1 options= result=0\n"                                       \
    "7 5 0 < clLinkProgram inputs=0,1 options= made=2 result=0\n"                                  \
    "7 6 0 < clCreateKernel program=2 name=apply made=0 result=0\n"
#define LAYER_LAUNCHES "7 7 0 < clEnqueueNDRangeKernel name=apply dimensions=1 global=1 result=0\n"

/* Runs a load and a launch on a driver whose recorded calls are `log`. */
static const cnf_check *run_layered(fixture *f, const char *log, bool found)
{
    rt_hash_text hash = rt_hash_print(rt_hash128("code", 4));
    cnf_layer layer = {.log = memfd_create("log", MFD_CLOEXEC), .found = found};
    assert_true(layer.log >= 0);
    rt_buffer text = {0};
    /* Both images have the same code; its hash replaces HASH. */
    for (const char *at = log; *at != '\0'; at++) {
        bool is_hash = strncmp(at, "HASH", 4) == 0;
        rt_buffer_append_text(&text, is_hash ? rt_text_of(hash.digits) : (rt_text){at, 1});
        at += is_hash ? 3 : 0;
    }
    assert_int_equal(write(layer.log, rt_buffer_string(&text), text.size), text.size);
    rt_buffer_free(&text);
    layer_under = &layer;
    const cnf_check *last = run(f, LOADED "  - expect: {launches: 1}\n", NULL);
    layer_under = NULL;
    close(layer.log);
    return last;
}

static void assert_layer_check(const cnf_check *check, const char *code, const char *what,
                               const char *part)
{
    assert_string_equal(check->kind.data, "layer");
    assert_string_equal(check->code.data, code);
    assert_string_equal(check->what.data, what);
    if (!strstr(check->message.data, part)) fail_msg("'%s' lacks '%s'", check->message.data, part);
}

static void a_driver_that_saw_what_the_trace_says_adds_no_check(void **state)
{
    const cnf_check *check = run_layered(*state, LAYER_BEGINS LAYER_BUILDS LAYER_LAUNCHES, true);
    assert_string_equal(check->kind.data, "count");
    assert_true(check->ok);
}

static void a_launch_that_no_driver_saw_fails(void **state)
{
    const cnf_check *check = run_layered(*state, LAYER_BEGINS LAYER_BUILDS, true);
    assert_false(check->ok);
    assert_layer_check(check, "unseen", "launch",
                       "launch of kernel apply: the trace has 1, the driver was called 0 times");
    assert_string_equal(check->place.data, "kernel apply");
}

static void a_launch_that_the_trace_lacks_fails(void **state)
{
    const cnf_check *check =
        run_layered(*state, LAYER_BEGINS LAYER_BUILDS LAYER_LAUNCHES LAYER_LAUNCHES, true);
    assert_false(check->ok);
    assert_layer_check(check, "unclaimed", "launch",
                       "the trace has 1, the driver was called 2 times");
    /* A kernel that only the driver names is not part of a signature. */
    check = run_layered(*state,
                        LAYER_BEGINS LAYER_BUILDS LAYER_LAUNCHES
                        "7 8 0 < clEnqueueNDRangeKernel name=secret result=0\n",
                        true);
    assert_layer_check(check, "unclaimed", "launch", "launch of kernel secret: the trace has 0");
    assert_int_equal(check->place.length, 0);
}

static void an_invalid_log_fails_and_a_missing_one_is_unobserved(void **state)
{
    const cnf_check *check = run_layered(*state, "nonsense\n", true);
    assert_false(check->ok);
    assert_layer_check(check, "malformed", "log", "line 1");
    check = run_layered(*state, "", true);
    assert_true(check->ok && !check->observed);
    assert_layer_check(check, "not-loaded", "log", "OPENCL_LAYERS");
    check = run_layered(*state, "", false);
    assert_true(check->ok && !check->observed);
    assert_layer_check(check, "not-found", "log", "is not next to assay");
    check = run_layered(*state, LAYER_BEGINS "7 1 0 < full\n", true);
    assert_true(check->ok && !check->observed);
    assert_layer_check(check, "full", "log", "more calls than the log can hold");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(all_expectations_hold),
        TEST(errors_are_compared_in_every_part),
        TEST(events_differ_from_their_expected_status),
        TEST(counts_programs_traces_and_memories_differ),
        TEST(images_of_events_are_judged),
        TEST(bundles_are_made_shown_and_launched_from),
        TEST(bundles_differ),
        TEST(what_was_refused_makes_no_bundle),
        TEST(findings_are_matched_or_fail),
        TEST(one_of_several_outcomes_holds),
        TEST(outcomes_with_one_name_hold_together),
        TEST(checks_after_a_failure_are_judged),
        TEST(what_must_not_happen_is_noticed),
        TEST(host_symbols_bind),
        TEST(steps_of_another_profile_are_left_out),
        TEST(a_restart_begins_a_process_of_its_own),
        TEST(findings_of_an_ended_process_keep_their_step),
        TEST(a_persistent_cache_needs_programs_as_bytes),
        TEST(a_persistent_cache_needs_a_folder),
        TEST(lists_run_on_threads),
        TEST(scripts_of_choices_are_lists_of_numbers),
        TEST(a_driver_that_saw_what_the_trace_says_adds_no_check),
        TEST(a_launch_that_no_driver_saw_fails),
        TEST(a_launch_that_the_trace_lacks_fails),
        TEST(an_invalid_log_fails_and_a_missing_one_is_unobserved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
