/* The life of a child: read the pack, if there is one, open the device, check whether it can run
 * the scenario, execute. */
#include "conformance/subject/subject.h"

#include "conformance/build/packed_answer.h"
#include "conformance/process/service.h"
#include "conformance/subject/capabilities.h"
#include "conformance/subject/driver_options.h"
#include "conformance/subject/kept.h"
#include "conformance/subject/layer.h"
#include "conformance/subject/probe.h"
#include "conformance/subject/skip.h"
#include "conformance/subject/source_images.h"
#include "conformance/subject/tools.h"
#include "conformance/subject/twin.h"
#include "conformance/subject/unfused.h"
#include "reference/base/descriptors.h"
#include "reference/base/number.h"
#include "reference/base/script.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Exit statuses of a child: it sent its last message, or could not begin the scenario. */
enum { CHILD_DONE = 0, CHILD_FAILED = 3 };

/* Number of trace events that a panic's message shows. */
enum { PANIC_EVENTS = 32 };

/* Descriptors of an exec'd child. */
enum { PACK_DESCRIPTOR = 0, MESSAGE_DESCRIPTOR = 3 };

/* What a child has for all its scenarios. */
typedef struct child_session {
    const cnf_subject *subject;
    const cnf_subject_options *options;
    rt_sink *sink;
    cnf_emitter emitter;
    cnf_tool_store store;
    dev_tools tools;
    cnf_kept *kept; /* NULL: the child runs one scenario, and its devices are closed with it */
} child_session;

/* ---- One scenario ------------------------------------------------------------------------- */

/* Adds the scenario and the newest trace events to a panic's message. Must not take locks. */
static void report_panic(void *user)
{
    cnf_execution *execution = user;
    cnf_output_close(&execution->output); /* so that the panic's own message is not lost */
    fprintf(stderr, "assay: in scenario %.*s with seed %llu\n",
            RT_TEXT_ARG(execution->scenario->path), (unsigned long long)execution->options->seed);
    if (!execution->runtime || !execution->runtime->trace) return;
    fprintf(stderr, "assay: the newest events of its trace:\n");
    rt_trace_print_newest(execution->runtime->trace, PANIC_EVENTS);
}

/* Opens the subject's device and reports it, or reports that it is unavailable. */
static bool open_runtime(cnf_execution *execution)
{
    rt_status status = cnf_execution_open(execution);
    if (!rt_ok(status)) {
        rt_text message = rt_sink_diagnostic(execution->sink, status)->message;
        cnf_emit_unavailable(execution->emitter, message);
        return false;
    }
    /* The shipped runtime's driver is in another process. */
    rt_buffer warning = {0};
    if (execution->runtime->operations->is_reference)
        cnf_driver_options_check(rt_text_of(getenv(CNF_DRIVER_OPTIONS)), &warning);
    cnf_emit_device(execution->emitter, &execution->runtime->capabilities,
                    rt_buffer_text(&warning));
    rt_buffer_free(&warning);
    return true;
}

/* Reports that the subject's driver could not compile an image ahead of time. A driver that lacks a
 * tool for it, or for the code, skips the scenario; every other failure is the driver's. */
static void emit_offline(cnf_execution *execution)
{
    rt_status status = execution->offline;
    rt_text message = rt_sink_diagnostic(execution->sink, status)->message;
    if (status.code == RT_UNAVAILABLE || status.code == RT_UNSUPPORTED) {
        cnf_emit_skip(execution->emitter, "offline-compiler", "no", message);
        return;
    }
    const cnf_emitted_check check = {.step = SCN_NONE,
                                     .kind = "offline",
                                     .observed = true,
                                     .code = rt_text_of(rt_code_name((rt_code)status.code)),
                                     .message = message};
    cnf_emit_check(execution->emitter, &check);
    cnf_emit_end(execution->emitter);
}

/* `twin`: NULL if the scenario is run by one process; otherwise both meet before the first step. */
static void run_on_devices(cnf_execution *execution, const cnf_tool_store *store, cnf_twin *twin)
{
    cnf_emitter *emitter = execution->emitter;
    const scn_scenario *original = execution->scenario;
    cnf_emit_stage(emitter, "open", SCN_NONE, 0);
    cnf_layer layer;
    bool layered = cnf_layer_fits(execution->subject);
    bool is_loaded = execution->kept && execution->kept->devices.count > 0;
    if (layered && is_loaded)
        cnf_layer_again(&layer);
    else if (layered)
        /* Hidden by every device, so in the driver's own answers too. */
        cnf_layer_begin(&layer, scn_scenario_hidden_aspects(execution->scenario));
    execution->layer = layered ? &layer : NULL;
    bool opened = open_runtime(execution);
    if (layered && !is_loaded) cnf_layer_begun(&layer);
    bool runs = opened && !cnf_skip(emitter, execution->scenario, execution->runtime) &&
                !cnf_skip_untranslated(emitter, execution->scenario,
                                       &execution->runtime->capabilities, execution->tools) &&
                !cnf_skip_shipped(emitter, execution->scenario, execution->runtime,
                                  execution->options->profile);
    bool executes = opened && execution->runtime->capabilities.executes;
    if (runs && cnf_takes_source(&execution->runtime->capabilities))
        execution->scenario = cnf_source_images(&execution->arena, execution->scenario);
    bool compiled = runs && rt_ok(execution->offline);
    if (runs && !compiled && !store->misses) emit_offline(execution);
    if (compiled && twin) cnf_twin_meet(twin->channel);
    if (compiled) cnf_execute(execution);
    cnf_execution_close(execution);
    execution->scenario = original; /* converted ones were in the execution's arena */
    execution->layer = NULL;
    if (layered) cnf_layer_end(&layer);
    if (twin && !execution->options->is_twin)
        cnf_twin_finish(twin, emitter, compiled && !execution->skipped);
    if (runs && store->misses) {
        /* The outcome is meaningless: the runtime may have continued without the missing answer. */
        cnf_emit_skip(emitter, CNF_PACKED_CAPABILITY, CNF_PACKED_MISSING,
                      RT_TEXT(CNF_PACKED_MISSING));
        return;
    }
    if (compiled && !execution->skipped &&
        !cnf_skip_unused(emitter, execution->subject, execution->was_used, executes,
                         execution->lack))
        cnf_emit_end(emitter);
}

/* Runs one scenario. Returns an exit status. */
static int scenario_run(child_session *session, const scn_scenario *scenario)
{
    cnf_tool_store *store = &session->store;
    cnf_execution execution = {.scenario = scenario,
                               .subject = session->subject,
                               .options = session->options,
                               .emitter = &session->emitter,
                               .sink = session->sink,
                               .tools = &session->tools,
                               .kept = session->kept};
    int exit_status = CHILD_DONE;
    pthread_mutex_init(&execution.findings_lock, NULL);
    rt_panic_set_reporter(report_panic, &execution);
    store->packed = scenario->packed ? scenario : NULL;
    store->misses = false;
    rt_fusion_compiler compiler = cnf_tools_fusion_compiler(store);
    if (scenario->persistent_cache && session->options->scratch.length == 0) {
        fprintf(stderr,
                "assay: the scenario's persistent cache needs a folder: pass --scratch FOLDER\n");
        exit_status = CHILD_FAILED;
    } else if (!cnf_output_open(&execution.output, scenario)) {
        perror("assay: capturing what the process prints");
        exit_status = CHILD_FAILED;
    } else {
        execution.unfused = cnf_unfused(session->options);
        execution.fusion_compiler = execution.unfused ? NULL : &compiler;
        cnf_twin twin = {.channel = CNF_TWIN_DESCRIPTOR, .messages = -1};
        if (scenario->twin && !session->options->is_twin)
            cnf_twin_start(&twin, session->subject, session->options, scenario);
        run_on_devices(&execution, store, scenario->twin ? &twin : NULL);
    }
    cnf_output_close(&execution.output);
    store->packed = NULL;
    rt_panic_set_reporter(NULL, NULL);
    pthread_mutex_destroy(&execution.findings_lock);
    return session->emitter.failed ? CHILD_FAILED : exit_status;
}

/* The same for a scenario that another process has packed. */
static int pack_run(child_session *session, rt_bytes pack)
{
    rt_arena arena = {0};
    const scn_scenario *scenario;
    int exit_status = CHILD_FAILED;
    rt_status status = scn_pack_read(session->sink, &arena, pack, &scenario);
    if (rt_ok(status)) {
        exit_status = scenario_run(session, scenario);
    } else {
        rt_text message = rt_sink_diagnostic(session->sink, status)->message;
        fprintf(stderr, "assay: %.*s\n", RT_TEXT_ARG(message));
    }
    rt_arena_reset(&arena);
    return exit_status;
}

static void session_begin(child_session *session, const cnf_subject *subject,
                          const cnf_subject_options *options, int messages)
{
    *session = (child_session){.subject = subject,
                               .options = options,
                               .sink = rt_sink_create(),
                               .emitter = {options->receiver, messages, false}};
    session->tools = cnf_tools_open(&session->store, options->cache);
    session->store.records = options->record ? &session->emitter : NULL;
    session->store.asker.fuses_as_shipped = cnf_fuses_as_shipped(options);
}

static void session_end(child_session *session)
{
    cnf_tools_close(&session->store);
    rt_sink_destroy(session->sink);
}

int cnf_subject_run(const cnf_subject *subject, const cnf_subject_options *options,
                    const scn_scenario *scenario, int messages)
{
    child_session session;
    session_begin(&session, subject, options, messages);
    int exit_status = scenario_run(&session, scenario);
    session_end(&session);
    return exit_status;
}

/* ---- Several scenarios -------------------------------------------------------------------- */

/* Checks the devices after a scenario and reports the result. False: they are not fit for another
 * one, and cannot be closed. */
static bool devices_release(child_session *session)
{
    static const char *const codes[] = {
        [CNF_KEPT_CLEAN] = "", [CNF_KEPT_OBJECTS] = "objects", [CNF_KEPT_ANSWER] = "answer"};
    rt_buffer message = {0};
    /* What the probe asks of tools belongs to no scenario. */
    cnf_emitter *records = session->store.records;
    session->store.records = NULL;
    cnf_kept_fault fault = cnf_kept_release(session->kept, &message);
    session->store.records = records;
    cnf_emit_released(&session->emitter, codes[fault], rt_buffer_text(&message));
    rt_buffer_free(&message);
    return fault == CNF_KEPT_CLEAN;
}

int cnf_subject_serve(const cnf_subject *subject, const cnf_subject_options *options, int socket,
                      int messages)
{
    CHECK(subject->runtime->is_reference);
    child_session session;
    session_begin(&session, subject, options, messages);
    cnf_kept kept = {.sink = session.sink};
    session.kept = &kept;
    int exit_status = CHILD_DONE, input;
    bool is_last = false, is_fit = true;
    while (exit_status == CHILD_DONE && is_fit && !is_last &&
           cnf_service_receive(socket, &input, &is_last)) {
        rt_buffer pack = {0};
        bool is_read = rt_read_all(input, &pack);
        close(input);
        if (!is_read) perror("assay: reading the pack");
        exit_status = is_read ? pack_run(&session, rt_buffer_bytes(&pack)) : CHILD_FAILED;
        rt_buffer_free(&pack);
        /* After the last scenario, closing the devices checks that they have no objects. A subject
         * that is not installed has no devices. */
        if (exit_status != CHILD_DONE || is_last || kept.devices.count == 0) break;
        is_fit = devices_release(&session);
        fflush(NULL);
        if (is_fit && !cnf_service_ready(socket)) exit_status = CHILD_FAILED;
    }
    if (!is_fit) return exit_status; /* the devices cannot be closed, nor what they use be freed */
    cnf_kept_close(&kept);
    session_end(&session);
    return exit_status;
}

/* ---- Exec'd children ---------------------------------------------------------------------- */

bool cnf_loader_find(rt_text word, bool *out_real)
{
    *out_real = rt_text_is(word, CNF_LOADER_REAL);
    return *out_real || rt_text_is(word, CNF_LOADER_SIMULATED);
}

/* Parses "NAME" and the options below. Only assay itself passes these arguments, so errors are
 * brief. */
static const cnf_subject *parse(int argument_count, char **arguments,
                                cnf_subject_options *out_options, bool *out_compute,
                                bool *out_serves)
{
    static const struct option known[] = {
        {"seed", required_argument, NULL, 's'},
        {"cache", required_argument, NULL, 'c'},
        {"profile", required_argument, NULL, 'p'},
        {"choices", required_argument, NULL, 'o'},
        {"compute", no_argument, NULL, 'x'},
        {"settings", required_argument, NULL, 't'},
        {"loader", required_argument, NULL, 'l'},
        {"scratch", required_argument, NULL, 'f'},
        {"record", no_argument, NULL, 'r'},
        {"twin", no_argument, NULL, 'w'},
        {"serve", no_argument, NULL, 'v'},
        {"fail-call", required_argument, NULL, 'a'},
        {0},
    };
    *out_options = (cnf_subject_options){0};
    *out_compute = *out_serves = false;
    bool loader_known = true, seed_known = true, call_known = true;
    uint64_t fail_call = 0;
    optind = 1;
    for (int option; (option = getopt_long(argument_count, arguments, "", known, NULL)) != -1;) {
        if (option == 's')
            seed_known = rt_number_read(rt_text_of(optarg), 0, UINT64_MAX, &out_options->seed);
        else if (option == 'a')
            call_known = rt_number_read(rt_text_of(optarg), 1, UINT32_MAX, &fail_call);
        else if (option == 'c')
            out_options->cache = rt_text_of(optarg);
        else if (option == 'p')
            out_options->profile = rt_profile_find(rt_text_of(optarg));
        else if (option == 'o')
            out_options->choices = rt_text_of(optarg);
        else if (option == 't')
            out_options->settings = rt_text_of(optarg);
        else if (option == 'f')
            out_options->scratch = rt_text_of(optarg);
        else if (option == 'l')
            loader_known = cnf_loader_find(rt_text_of(optarg), &out_options->real_loader);
        else if (option == 'r')
            out_options->record = true;
        else if (option == 'w')
            out_options->is_twin = true;
        else if (option == 'x')
            *out_compute = true;
        else if (option == 'v')
            *out_serves = true;
        else
            return NULL;
    }
    bool choices_known = rt_script_valid(out_options->choices);
    if (!loader_known || !seed_known || !choices_known || !call_known ||
        out_options->profile == RT_PROFILE_COUNT)
        return NULL;
    out_options->fail_call = (uint32_t)fail_call;
    if (optind + 1 != argument_count) return NULL;
    const cnf_subject *subject = cnf_subject_find(rt_text_of(arguments[optind]));
    return subject && out_options->settings.length > 0 && !subject->settings ? NULL : subject;
}

int cnf_subject_main(int argument_count, char **arguments)
{
    cnf_subject_options options;
    bool compute, serves;
    const cnf_subject *subject = parse(argument_count, arguments, &options, &compute, &serves);
    if (!subject) {
        fprintf(stderr,
                "assay: usage: assay subject NAME [--seed N] [--cache FOLDER] [--profile NAME] "
                "[--choices 0,1,...] [--settings NAME=VALUE,...] [--loader KIND] "
                "[--scratch FOLDER] [--record] [--fail-call N] [--twin] [--serve]\n");
        return CHILD_FAILED;
    }
    if (serves) return cnf_subject_serve(subject, &options, CNF_SERVICE_SOCKET, MESSAGE_DESCRIPTOR);
    rt_buffer pack = {0};
    int exit_status = CHILD_FAILED;
    if (rt_read_all(PACK_DESCRIPTOR, &pack)) {
        child_session session;
        session_begin(&session, subject, &options, MESSAGE_DESCRIPTOR);
        exit_status = pack_run(&session, rt_buffer_bytes(&pack));
        session_end(&session);
    } else {
        perror("assay: reading the pack");
    }
    rt_buffer_free(&pack);
    return exit_status;
}

int cnf_subject_probe_main(int argument_count, char **arguments)
{
    cnf_subject_options options;
    bool compute, serves;
    const cnf_subject *subject = parse(argument_count, arguments, &options, &compute, &serves);
    if (!subject) {
        fprintf(stderr, "assay: usage: assay probe NAME [--compute]\n");
        return CHILD_FAILED;
    }
    cnf_emitter emitter = {.descriptor = MESSAGE_DESCRIPTOR};
    rt_sink *sink = rt_sink_create();
    cnf_tool_store store;
    dev_tools tools = cnf_tools_open(&store, options.cache);
    cnf_execution execution = {.scenario = &cnf_probe_scenario,
                               .subject = subject,
                               .options = &options,
                               .emitter = &emitter,
                               .sink = sink,
                               .tools = &tools};
    pthread_mutex_init(&execution.findings_lock, NULL);
    bool opened = open_runtime(&execution);
    if (opened) {
        /* All capabilities of the reference runtime's device are known, but only a few of the
         * shipped runtime's. */
        const cnf_runtime *runtime = execution.runtime;
        rt_buffer lines = {0};
        if (runtime->operations->is_reference)
            cnf_capabilities_write(&lines, &runtime->capabilities);
        else
            cnf_capabilities_shipped_write(&lines, &runtime->capabilities);
        cnf_emit_capabilities(&emitter, rt_buffer_text(&lines));
        rt_buffer_free(&lines);
    }
    if (opened && compute) {
        rt_buffer message = {0};
        bool ok = subject->runtime->probe(&execution, &message);
        cnf_emit_probe(&emitter, ok, rt_buffer_text(&message));
        rt_buffer_free(&message);
    }
    cnf_execution_close(&execution);
    pthread_mutex_destroy(&execution.findings_lock);
    cnf_tools_close(&store);
    rt_sink_destroy(sink);
    return emitter.failed ? CHILD_FAILED : CHILD_DONE;
}
