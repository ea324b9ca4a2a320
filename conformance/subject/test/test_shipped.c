/* Tests the subject over a host program that misbehaves (fake_host.c). The misbehaviour must become
 * a status, a verdict, or death by the same signal, but never a fault in the subject's own process.
 */
#include "conformance/host/protocol.h"
#include "conformance/host/unreachable.h"
#include "conformance/subject/layer.h"
#include "conformance/subject/skip.h"
#include "conformance/subject/test/scenario_fixture.h"
#include "conformance/verdict/judge.h"
#include "conformance/verdict/verdict.h"
#include "reference/base/descriptors.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static const char head[] = "assay: 1\n"
                           "summary: A test.\n"
                           "modules:\n"
                           "  app: {sources: [{language: opencl-c, code: a n}]}\n"
                           "  plugin: {host_symbols: [here], sources: [{language: opencl-c, "
                           "code: b}]}\n"
                           "memory:\n"
                           "  data: {type: int, values: [1, 2]}\n"
                           "steps:\n";

static const rt_text kernels[] = {{"apply", 5}};
static const rt_image app_images[] = {{.name = {"app/0", 5},
                                       .kernels = kernels,
                                       .kernel_count = 1,
                                       .code = {(const uint8_t *)"code", 4}}};
static const rt_image plugin_images[] = {
    {.name = {"plugin/0", 8}, .code = {(const uint8_t *)"edoc", 4}}};

static const cnf_subject fake = {.name = "fake",
                                 .runtime = &cnf_shipped_operations,
                                 .offline =
                                     "fake", /* no image of these tests is compiled ahead of time */
                                 .selector = "assay/libfake.so"};

typedef struct fixture {
    rt_text library; /* file name of the second module; empty: the default name */
    char folder[64]; /* replaces the packages' folder */
    rt_arena arena;
    cnf_child_result child;
    cnf_messages messages;
    cnf_judgement judgement;
} fixture;

static void make_link(fixture *f, const char *name)
{
    rt_text path = rt_arena_printf(&f->arena, "%s/lib/%s", f->folder, name);
    assert_int_equal(symlink(FAKE_HOST, path.data), 0);
}

static int set_up(void **state)
{
    fixture *f = rt_alloc(sizeof *f);
    strcpy(f->folder, "/tmp/assay-shipped-test-XXXXXX");
    assert_non_null(mkdtemp(f->folder));
    for (const char *const *name = (const char *const[]){"lib", "lib/assay", "cache", NULL}; *name;
         name++)
        assert_int_equal(mkdir(rt_arena_printf(&f->arena, "%s/%s", f->folder, *name).data, 0700),
                         0);
    make_link(f, "assay/libfake.so");
    make_link(f, "libsycl.so");
    assert_int_equal(setenv("ASSAY_VENV", f->folder, 1), 0);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    rt_text remove = rt_arena_printf(&f->arena, "rm -r %s", f->folder);
    int status = system(remove.data);
    rt_arena_reset(&f->arena);
    rt_free(f);
    return status;
}

/* ---- The subject's process ----------------------------------------------------------------- */

static void subject_main(fixture *f, const scn_scenario *scenario, int messages)
{
    rt_sink *sink = rt_sink_create();
    cnf_emitter emitter = {.descriptor = messages};
    cnf_subject_options options = {.cache = rt_arena_printf(&f->arena, "%s/cache", f->folder)};
    cnf_execution execution = {.scenario = scenario,
                               .subject = &fake,
                               .options = &options,
                               .emitter = &emitter,
                               .sink = sink};
    pthread_mutex_init(&execution.findings_lock, NULL);
    cnf_layer layer;
    cnf_layer_begin(&layer, 0);
    execution.layer = &layer;
    cnf_emit_stage(&emitter, "open", SCN_NONE, 0);
    rt_status status = cnf_execution_open(&execution);
    bool is_skipped = rt_ok(status) && cnf_skip(&emitter, scenario, execution.runtime);
    if (rt_ok(status) && !is_skipped)
        cnf_execute(&execution);
    else if (!is_skipped)
        cnf_emit_unavailable(&emitter, rt_sink_diagnostic(sink, status)->message);
    cnf_execution_close(&execution);
    cnf_layer_end(&layer);
    if (rt_ok(status) && !is_skipped && !execution.skipped &&
        !cnf_skip_unused(&emitter, &fake, execution.was_used, true, execution.lack))
        cnf_emit_end(&emitter);
    rt_sink_destroy(sink);
    _exit(0);
}

/* Runs the steps in a separate process, over a host program that behaves as `wish` tells it to, and
 * judges the result as the runner does. */
static void run(fixture *f, const char *wish, const char *steps)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(setenv("ASSAY_FAKE", wish, 1), 0);
    const scenario_fixture scenarios = {
        .head = head, .images = {{app_images, 1}, {plugin_images, 1}}, .library = f->library};
    const scn_scenario *scenario = scenario_fixture_read(&f->arena, &scenarios, steps);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) subject_main(f, scenario, ends[1]);
    close(ends[1]);
    f->child = (cnf_child_result){.end = CNF_PROCESS_EXITED};
    assert_true(rt_read_all(ends[0], &f->child.messages));
    close(ends[0]);
    int wait_status;
    assert_int_equal(waitpid(pid, &wait_status, 0), pid);
    f->child.code = WIFSIGNALED(wait_status) ? WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
    if (WIFSIGNALED(wait_status)) f->child.end = CNF_PROCESS_SIGNALLED;
    cnf_messages_read(&f->arena, rt_buffer_text(&f->child.messages), &f->messages);
    cnf_judge(&f->arena, &f->child, &f->messages, &f->judgement);
    rt_buffer_free(&f->child.messages);
}

/* ---- The effects of misbehaviour ------------------------------------------------------------ */

#define STEPS                                                                                      \
    "  - submit: {kernel: apply, range: [2], args: [data]}\n"                                      \
    "  - wait\n"                                                                                   \
    "  - expect: {memory: data, equals: [1, 2]}\n"

static const struct misbehaviour_row {
    host_request at;
    const char *failure;
    cnf_verdict verdict;
    const char *signature;
} misbehaviours[] = {
    {HOST_REQUEST_END, "segv", CNF_VERDICT_PASS, ""},
    {HOST_DEVICES, "segv", CNF_VERDICT_CRASH, "open:crash:SIGSEGV:-"},
    {HOST_MEMORY, "segv", CNF_VERDICT_CRASH, "load:crash:SIGSEGV:-"},
    {HOST_QUEUE, "abort", CNF_VERDICT_CRASH, "run:crash:SIGABRT:-"},
    {HOST_SUBMIT, "segv", CNF_VERDICT_CRASH, "run:crash:SIGSEGV:-"},
    {HOST_SUBMIT, "kill", CNF_VERDICT_CRASH, "run:crash:SIGKILL:-"},
    {HOST_WAIT, "segv", CNF_VERDICT_CRASH, "run:crash:SIGSEGV:-"},
    {HOST_READ, "abort", CNF_VERDICT_CRASH, "run:crash:SIGABRT:-"},
    {HOST_SUBMIT, "atexit", CNF_VERDICT_CRASH, "run:crash:SIGABRT:-"},
    {HOST_DEVICES, "exit", CNF_VERDICT_FAIL, "step:step:tool:set-up/end"},
    {HOST_SUBMIT, "exit", CNF_VERDICT_FAIL, "step0:launch:tool:apply"},
    {HOST_SUBMIT, "cut", CNF_VERDICT_FAIL, "step0:launch:tool:apply"},
    {HOST_SUBMIT, "endless", CNF_VERDICT_FAIL, "step0:launch:malformed:apply"},
    {HOST_SUBMIT, "status", CNF_VERDICT_FAIL, "step0:launch:malformed:apply"},
    {HOST_SUBMIT, "none", CNF_VERDICT_FAIL, "step0:launch:malformed:apply"},
    {HOST_SUBMIT, "short", CNF_VERDICT_FAIL, "step0:launch:malformed:apply"},
    {HOST_SUBMIT, "more", CNF_VERDICT_FAIL, "step0:launch:malformed:apply"},
    {HOST_SUBMIT, "nonsense", CNF_VERDICT_FAIL, "step0:launch:malformed:apply"},
    {HOST_DEVICES, "short", CNF_VERDICT_FAIL, "step:step:malformed:set-up/end"},
    {HOST_DEVICES, "more", CNF_VERDICT_FAIL, "step:step:malformed:set-up/end"},
    {HOST_MEMORY, "none", CNF_VERDICT_FAIL, "step:step:malformed:set-up/end"},
    {HOST_QUEUE, "short", CNF_VERDICT_FAIL, "step0:launch:malformed:apply"},
    {HOST_WAIT, "more", CNF_VERDICT_FAIL, "step1:step:malformed:wait"},
    {HOST_READ, "short", CNF_VERDICT_FAIL, "step2:memory:malformed:data"},
    {HOST_READ, "more", CNF_VERDICT_FAIL, "step2:memory:malformed:data"},
    {HOST_SUBMIT, "build", CNF_VERDICT_FAIL, "step0:launch:errc-build:apply"},
    {HOST_SUBMIT, "exception", CNF_VERDICT_FAIL, "step0:launch:errc-runtime:apply"},
    {HOST_WAIT, "build", CNF_VERDICT_FAIL, "step1:step:errc-build:wait"},
    {HOST_READ, "exception", CNF_VERDICT_FAIL, "step2:memory:errc-runtime:data"},
};

static void misbehaviour_becomes_a_verdict(void **state)
{
    fixture *f = *state;
    for (size_t i = 0; i < sizeof misbehaviours / sizeof *misbehaviours; i++) {
        const struct misbehaviour_row *row = &misbehaviours[i];
        char wish[32];
        snprintf(wish, sizeof wish, "%d:%s", (int)row->at, row->failure);
        run(f, wish, STEPS);
        if (f->judgement.verdict != row->verdict)
            fprintf(stderr, "%s: %.*s\n", wish, RT_TEXT_ARG(f->judgement.message));
        assert_int_equal(f->judgement.verdict, row->verdict);
        const char *signature = f->judgement.signature.data;
        assert_string_equal(signature ? signature : "", row->signature);
    }
}

/* Whatever the host program refuses by itself makes the scenario a SKIP with the reason, even if
 * the step expects a refusal or an earlier check has failed. */
static void what_no_program_can_do_is_skipped(void **state)
{
    fixture *f = *state;
    static const char *const reasons[] = {
#define REASON(name, reason) reason,
        HOST_UNREACHABLE(REASON)
#undef REASON
    };
    static const char *const steps[] = {
        STEPS,
        "  - expect: {launches: 1}\n" STEPS,
        "  - submit: {kernel: apply, range: [2], args: [data]}\n"
        "    expect: {error: {documents: exception}}\n",
        "  - submit: {kernel: apply, range: [2], args: [data]}\n"
        "    expect: {one_of: [{error: none}, {error: {documents: exception}}]}\n",
    };
    for (size_t i = 0; i < HOST_UNREACHABLE_COUNT; i++) {
        for (size_t k = 0; k < sizeof steps / sizeof *steps; k++) {
            char wish[32];
            snprintf(wish, sizeof wish, "%d:unreachable%zu", (int)HOST_SUBMIT, i);
            run(f, wish, steps[k]);
            assert_int_equal(f->judgement.verdict, CNF_VERDICT_SKIP);
            assert_string_equal(f->judgement.capability.data, "real-program");
            assert_non_null(strstr(f->judgement.message.data, reasons[i]));
        }
    }
}

/* ---- Devices and restarts ------------------------------------------------------------------- */

/* The fake runtime has one device, whatever it is asked for. */
static void scenarios_with_more_devices_than_there_are_are_skipped(void **state)
{
    fixture *f = *state;
    run(f, "99:segv", STEPS "devices: {one: {}, two: {}}\n");
    assert_int_equal(f->judgement.verdict, CNF_VERDICT_SKIP);
    assert_string_equal(f->judgement.capability.data, "devices");
}

/* The second process is another program, whose memories have their initial contents; the first
 * one's end is judged before it starts. */
static void a_restart_is_a_new_process(void **state)
{
    fixture *f = *state;
    static const char steps[] =
        STEPS "  - restart\n" STEPS "  - expect: {memory: data, equals: [1, 2]}\n"
              "  - expect: {trace: [{event: module_load, module: app},"
              " {event: restart}, {event: module_load, module: app}]}\n";
    run(f, "99:segv", steps);
    assert_int_equal(f->judgement.verdict, CNF_VERDICT_PASS);
    char wish[32];
    snprintf(wish, sizeof wish, "%d:atexit", (int)HOST_SUBMIT);
    run(f, wish, steps);
    assert_int_equal(f->judgement.verdict, CNF_VERDICT_CRASH);
}

/* ---- Variables that do not exist ------------------------------------------------------------ */

/* The source of `app` mentions `a`, and no module has such a variable. */
static void a_variable_that_was_not_found_is_a_status(void **state)
{
    fixture *f = *state;
    run(f, "99:segv",
        "  - copy: {from: data, to: a}\n  - expect: {memory: data, equals: [1, 2]}\n");
    assert_int_equal(f->judgement.verdict, CNF_VERDICT_FAIL);
    assert_string_equal(f->judgement.signature.data, "step0:step:malformed:a");
    run(f, "99:segv", "  - expect: {variable: a, type: int, equals: [1]}\n");
    assert_int_equal(f->judgement.verdict, CNF_VERDICT_FAIL);
    assert_string_equal(f->judgement.signature.data, "step0:variable:malformed:a");
}

/* ---- Programs that are not available -------------------------------------------------------- */

static void a_program_that_cannot_be_built_is_not_a_failure(void **state)
{
    fixture *f = *state;
    const char *before = getenv("CC");
    setenv("CC", "false", 1);
    run(f, "99:segv", STEPS);
    if (before)
        setenv("CC", before, 1);
    else
        unsetenv("CC");
    assert_int_equal(f->judgement.verdict, CNF_VERDICT_NOT_RUN);
    assert_string_equal(f->judgement.signature.data, "step:start:input-output:set-up/end");
    f->library = RT_TEXT("libc.so.6");
    run(f, "99:segv", STEPS);
    assert_int_equal(f->judgement.verdict, CNF_VERDICT_SKIP);
    assert_string_equal(f->judgement.capability.data, "real-program");
}

/* ---- Refusals that are expected ------------------------------------------------------------- */

#define REFUSED(expected)                                                                          \
    "  - submit: {kernel: apply, range: [2], args: [data]}\n"                                      \
    "    expect: {error: " expected "}\n"

static const struct refusal_row {
    const char *wish, *steps;
    cnf_verdict verdict;
    const char *signature;
    uint32_t observed; /* checks */
} refusals[] = {
    {"12:build", REFUSED("{documents: exception}"), CNF_VERDICT_PASS, "", 1},
    {"12:build", REFUSED("{documents: \"errc::build\"}"), CNF_VERDICT_PASS, "", 1},
    /* An application sees a linker's refusal as errc::build. */
    {"12:build", REFUSED("{documents: link-error}"), CNF_VERDICT_PASS, "", 1},
    {"12:exception", REFUSED("{documents: exception}"), CNF_VERDICT_PASS, "", 1},
    {"12:exception", REFUSED("{documents: link-error}"), CNF_VERDICT_FAIL,
     "step0:error:documents-class:apply", 1},
    {"12:build", REFUSED("{documents: \"errc::invalid\"}"), CNF_VERDICT_FAIL,
     "step0:error:documents-class:apply", 1},
    /* A refusal need not have our class and text, but it must have the names. */
    {"12:build",
     REFUSED(
         "{documents: exception, reference: {class: link-error, text: ours, names: [missing]}}"),
     CNF_VERDICT_PASS, "", 1},
    {"12:build", REFUSED("{documents: exception, reference: {names: [other]}}"), CNF_VERDICT_FAIL,
     "step0:error:names:apply", 1},
    {"12:build", REFUSED("{documents: exception, reference: {names: [data]}}"), CNF_VERDICT_PASS,
     "", 1},
    /* The host program did not refuse the step. */
    {"99:build", REFUSED("{documents: exception}"), CNF_VERDICT_FAIL, "step0:error:succeeded:apply",
     1},
    /* libsycl need not refuse if no document requires it to: the check is then unobserved, which
     * alone does not make a PASS. */
    {"99:build", REFUSED("{reference: {class: \"errc::build\"}}"), CNF_VERDICT_SKIP, "", 0},
    /* Death, silence and garbage are not refusals, and nothing can wait for a process that has
     * ended. */
    {"12:segv", REFUSED("{documents: exception}"), CNF_VERDICT_CRASH, "run:crash:SIGSEGV:-", 0},
    {"12:exit", REFUSED("{documents: exception}"), CNF_VERDICT_FAIL, "step0:error:tool:apply", 1},
    {"12:short", REFUSED("{documents: exception}"), CNF_VERDICT_FAIL, "step0:error:malformed:apply",
     1},
    /* The contents of a memory that a refused command was to write may be lost. */
    {"12:build", REFUSED("{documents: exception}") "  - expect: {memory: data, equals: [1, 2]}\n",
     CNF_VERDICT_PASS, "", 2},
};

static void refusals_are_compared_with_the_documents_part(void **state)
{
    fixture *f = *state;
    assert_int_equal(HOST_SUBMIT, 12); /* the number in the rows' `wish` */
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        const struct refusal_row *row = &refusals[i];
        run(f, row->wish, row->steps);
        if (f->judgement.verdict != row->verdict)
            fprintf(stderr, "row %zu: %.*s\n", i, RT_TEXT_ARG(f->judgement.message));
        assert_int_equal(f->judgement.verdict, row->verdict);
        const char *signature = f->judgement.signature.data;
        assert_string_equal(signature ? signature : "", row->signature);
        assert_int_equal(f->judgement.observed, row->observed);
    }
}

/* ---- Kernel bundles ------------------------------------------------------------------------- */

#define BUNDLES                                                                                    \
    "  - bundle: {id: i, get: input, kernels: [apply], spec_constants: {n: 3}}\n"                  \
    "  - bundle: {id: o, compile: i}\n"                                                            \
    "  - bundle: {id: e, link: [o, o]}\n"                                                          \
    "  - bundle: {id: b, build: i}\n"                                                              \
    "  - bundle: {id: j, join: [e, b]}\n"                                                          \
    "  - submit: {kernel: apply, range: [2], args: [data], bundle: j}\n"

#define EXPECTED "  - expect: {bundle: j, has: [apply]}\n"

static const struct bundle_row {
    const char *failure, *steps;
    cnf_verdict verdict;
    const char *signature;
} bundle_rows[] = {
    /* The images from which a bundle was built are not observed. */
    {"", BUNDLES "  - expect: {bundle: j, has: [apply], device_images: 1, images: [app/9]}\n",
     CNF_VERDICT_PASS, ""},
    {"", BUNDLES "  - expect: {bundle: j, images: [app/9]}\n", CNF_VERDICT_SKIP, ""},
    {"", BUNDLES "  - expect: {bundle: j, lacks: [apply]}\n", CNF_VERDICT_FAIL,
     "step6:bundle:has:j/apply"},
    {"", BUNDLES "  - expect: {bundle: j, device_images: 2}\n", CNF_VERDICT_FAIL,
     "step6:bundle:fewer:j"},
    {"short", BUNDLES EXPECTED, CNF_VERDICT_FAIL, "step0:step:malformed:i"},
    {"more", BUNDLES EXPECTED, CNF_VERDICT_FAIL, "step0:step:malformed:i"},
    {"build", BUNDLES EXPECTED, CNF_VERDICT_FAIL, "step0:step:errc-build:i"},
};

static void bundles_are_asked_for_and_shown(void **state)
{
    fixture *f = *state;
    for (size_t i = 0; i < sizeof bundle_rows / sizeof *bundle_rows; i++) {
        const struct bundle_row *row = &bundle_rows[i];
        char wish[32];
        snprintf(wish, sizeof wish, "%d:%s", *row->failure ? (int)HOST_BUNDLE : 99, row->failure);
        run(f, wish, row->steps);
        if (f->judgement.verdict != row->verdict)
            fprintf(stderr, "row %zu: %.*s\n", i, RT_TEXT_ARG(f->judgement.message));
        assert_int_equal(f->judgement.verdict, row->verdict);
        const char *signature = f->judgement.signature.data;
        assert_string_equal(signature ? signature : "", row->signature);
    }
}

/* ---- What is observed ----------------------------------------------------------------------- */

/* Module loads and registrations are observed; launches, programs and choices are not. */
static const struct observation_row {
    const char *expect;
    bool ok, observed;
} observations[] = {
    {"{launches: 7}", true, false},
    {"{program_of: apply, images: [plugin/0]}", true, false},
    {"{trace: [{event: module_load, module: app}, {event: module_load, module: plugin}]}", true,
     true},
    {"{trace: [{event: module_load, module: plugin}, {event: module_load, module: app}]}", false,
     true},
    {"{trace: [{event: module_load, module: plugin, path: plugin.so}]}", true, true},
    {"{trace: [{event: image_register, image: plugin/0, module: plugin}]}", true, true},
    {"{trace: [{event: launch, kernel: none}, {event: module_load, module: plugin}]}", true, false},
    {"{trace: [{event: launch, kernel: none}, {event: module_unload, module: app}]}", false, true},
    {"{never: [{event: module_unload, module: app}]}", true, true},
    {"{never: [{event: launch, kernel: apply}]}", true, false},
    {"{never: [{event: launch, kernel: apply}, {event: module_load, module: app}]}", false, true},
    {"{host_symbol: here, by: plugin, from: plugin}", true, true},
    {"{host_symbol: here, by: plugin, from: app}", false, true},
    {"{one_of: [{launches: 7}, {memory: data, equals: [1, 2]}]}", true, true},
    {"{one_of: [{launches: 7}, {memory: data, equals: [3, 4]}]}", true, false},
};

/* What the OpenCL layer records in the host program is observed, except for what only our runtime
 * has. */
static const struct observation_row recorded[] = {
    {"{launches: 1}", true, true},
    {"{launches: 2}", false, true},
    {"{builds: 1}", true, true},
    {"{links: 1}", false, true},
    {"{cache_hits: 1}", true, false},
    {"{program_of: apply, images: [app/0]}", true, true},
    {"{program_of: apply, images: [plugin/0]}", false, true},
    {"{trace: [{event: create, image: app/0}, {event: launch, kernel: apply, global: [2]}]}", true,
     true},
    {"{trace: [{event: launch, kernel: apply}, {event: create, image: app/0}]}", false, true},
    {"{trace: [{event: launch, kernel: apply, global: [3]}]}", false, true},
    {"{trace: [{event: launch, kernel: apply, command: 7}]}", true, false},
    {"{trace: [{event: kernel_create, kernel: apply, program_of: apply}]}", true, true},
    {"{never: [{event: create, image: plugin/0}]}", true, true},
    {"{never: [{event: build, images: [app/0]}]}", false, true},
};

static void observe(fixture *f, const char *calls, const struct observation_row *rows, size_t count)
{
    assert_int_equal(setenv("ASSAY_FAKE_CALLS", calls, 1), 0);
    for (size_t i = 0; i < count; i++) {
        rt_text steps = rt_arena_printf(&f->arena,
                                        "  - load: plugin\n"
                                        "  - submit: {kernel: apply, range: [2], args: [data]}\n"
                                        "  - expect: %s\n",
                                        rows[i].expect);
        run(f, "", steps.data);
        assert_int_equal(f->child.end, CNF_PROCESS_EXITED);
        assert_true(f->messages.check_count >= 1);
        const cnf_check *check = &f->messages.checks[0];
        if (check->ok != rows[i].ok || check->observed != rows[i].observed)
            fprintf(stderr, "%s: %.*s\n", rows[i].expect, RT_TEXT_ARG(check->message));
        assert_int_equal(check->ok, rows[i].ok);
        assert_int_equal(check->observed, rows[i].observed);
    }
    assert_int_equal(unsetenv("ASSAY_FAKE_CALLS"), 0);
}

enum { OBSERVATIONS = sizeof observations / sizeof *observations };

static void events_that_are_not_seen_are_unobserved(void **state)
{
    observe(*state, "", observations, OBSERVATIONS);
}

static void what_the_layer_recorded_is_seen(void **state)
{
    rt_hash_text hash = rt_hash_print(rt_hash128("code", 4));
    observe(*state, hash.digits, recorded, sizeof recorded / sizeof *recorded);
}

/* If the log is malformed, the driver calls are unknown, as if there were no layer. */
static void a_wrong_log_shows_nothing(void **state)
{
    observe(*state, "garbage", observations, OBSERVATIONS);
}

/* The simulated device below the runtime: its findings are judged, and a line that a dying process
 * left unfinished, or that is not JSON, is none. */
static void findings_of_the_driver_are_judged(void **state)
{
    fixture *f = *state;
#define OVERRUN                                                                                    \
    "{\"finding\": \"out-of-bounds\", \"message\": \"store of 4 bytes\", \"kernel\": \"apply\", "  \
    "\"source\": \"a\", \"line\": 1, \"offset\": 8}\n"
    const struct {
        const char *findings, *expect;
        cnf_verdict verdict;
        const char *signature;
    } rows[] = {
        {"", "", CNF_VERDICT_PASS, ""},
        {OVERRUN, "", CNF_VERDICT_FAIL, "step:finding:out-of-bounds:/apply"},
        {OVERRUN, "  - expect: {finding: out-of-bounds, kernel: apply, memory: data, offset: 8}\n",
         CNF_VERDICT_PASS, ""},
        {OVERRUN, "  - expect: {finding: race}\n", CNF_VERDICT_FAIL,
         "step:finding:out-of-bounds:/apply step3:finding:not-found:race"},
        {"{\"finding\": \"out-of", "", CNF_VERDICT_PASS, ""},
        {"no JSON\n[]\n{}\n", "", CNF_VERDICT_PASS, ""},
    };
    assert_int_equal(setenv("ONEAPI_DEVICE_SELECTOR", "sim", 1), 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(setenv("ASSAY_FAKE_FINDINGS", rows[i].findings, 1), 0);
        run(f, "", rt_arena_printf(&f->arena, STEPS "%s", rows[i].expect).data);
        assert_int_equal(f->judgement.verdict, rows[i].verdict);
        assert_string_equal(rt_arena_text(&f->arena, f->judgement.signature).data,
                            rows[i].signature);
    }
    assert_int_equal(unsetenv("ASSAY_FAKE_FINDINGS"), 0);
    assert_int_equal(unsetenv("ONEAPI_DEVICE_SELECTOR"), 0);
}

static void a_missing_runtime_is_unavailable(void **state)
{
    fixture *f = *state;
    rt_text library = rt_arena_printf(&f->arena, "%s/lib/libsycl.so", f->folder);
    assert_int_equal(unlink(library.data), 0);
    run(f, "", STEPS);
    assert_int_equal(f->judgement.verdict, CNF_VERDICT_UNAVAILABLE);
    assert_non_null(strstr(f->judgement.message.data, "lib/libsycl.so is missing"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(misbehaviour_becomes_a_verdict, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_no_program_can_do_is_skipped, set_up, tear_down),
        cmocka_unit_test_setup_teardown(scenarios_with_more_devices_than_there_are_are_skipped,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_restart_is_a_new_process, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_variable_that_was_not_found_is_a_status, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_program_that_cannot_be_built_is_not_a_failure, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(refusals_are_compared_with_the_documents_part, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(bundles_are_asked_for_and_shown, set_up, tear_down),
        cmocka_unit_test_setup_teardown(events_that_are_not_seen_are_unobserved, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_the_layer_recorded_is_seen, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_wrong_log_shows_nothing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(findings_of_the_driver_are_judged, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_missing_runtime_is_unavailable, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
