/* A child's life: read the pack, open the device, ask whether it can be asked, execute. */
#include "conformance/subject/subject.h"

#include "conformance/subject/layer.h"
#include "conformance/subject/probe.h"
#include "conformance/subject/skip.h"
#include "conformance/subject/tools.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Exit statuses of a child: it said all it had to say, or it could not even begin. */
enum { CHILD_DONE = 0, CHILD_FAILED = 3 };

/* Events of the trace that a panic's message shows. */
enum { PANIC_EVENTS = 32 };

/* Descriptors of an exec'd child. */
enum { PACK_DESCRIPTOR = 0, MESSAGE_DESCRIPTOR = 3 };

/* ---- One scenario ------------------------------------------------------------------------- */

/* What a panic's message adds; reads without locks, as it must. */
static void report_panic(void *user)
{
    const cnf_execution *execution = user;
    fprintf(stderr, "assay: in scenario %.*s with seed %llu\n",
            RT_TEXT_ARG(execution->scenario->path), (unsigned long long)execution->seed);
    if (!execution->runtime) return;
    fprintf(stderr, "assay: the newest events of its trace:\n");
    rt_trace_print_newest(rt_runtime_trace(execution->runtime), PANIC_EVENTS);
}

/* How the subject's device is asked for. */
static rt_text selector_of(const cnf_subject *subject, const cnf_subject_options *options)
{
    CHECK_IMPLIES(options->settings.length > 0, subject->settings != NULL);
    return options->settings.length > 0 ? options->settings : rt_text_of(subject->selector);
}

/* Opens the subject's device and says so, or says that it is unavailable and returns NULL. */
static dev_device *open_device(const cnf_subject *subject, const cnf_subject_options *options,
                               const dev_open_parameters *parameters, cnf_emitter *emitter,
                               dev_capabilities *out_capabilities)
{
    dev_device *device = NULL;
    rt_status status =
        dev_device_open(subject->backend, parameters, selector_of(subject, options), &device);
    if (!rt_ok(status)) {
        cnf_emit_unavailable(emitter, rt_sink_diagnostic(parameters->sink, status)->message);
        return NULL;
    }
    dev_device_capabilities(device, out_capabilities);
    cnf_emit_device(emitter, out_capabilities);
    return device;
}

/* Opens the other devices of the scenario: the same one of the subject, once more for each. */
static bool open_others(const cnf_subject *subject, const cnf_subject_options *options,
                        const dev_open_parameters *parameters, cnf_emitter *emitter,
                        dev_device **devices, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        rt_status status = dev_device_open(subject->backend, parameters,
                                           selector_of(subject, options), &devices[i]);
        if (rt_ok(status)) continue;
        cnf_emit_unavailable(emitter, rt_sink_diagnostic(parameters->sink, status)->message);
        return false;
    }
    return true;
}

/* What no device of the scenario has is hidden from the drivers' own answers too. */
static uint32_t hidden_on_all(const scn_scenario *scenario)
{
    uint32_t hidden = UINT32_MAX;
    for (uint32_t i = 0; i < scenario->device_count; i++)
        hidden &= scenario->devices[i].hidden_aspects;
    return hidden;
}

static void run_on_devices(const cnf_subject *subject, const cnf_subject_options *options,
                           cnf_execution *execution, const dev_tools *tools)
{
    cnf_emitter *emitter = execution->emitter;
    const scn_scenario *scenario = execution->scenario;
    const dev_open_parameters parameters = {
        .sink = execution->sink,
        .tools = tools,
        .seed = options->seed,
        .on_finding = cnf_execution_finding,
        .finding_user = execution,
    };
    cnf_emit_stage(emitter, "open", SCN_NONE, 0);
    cnf_layer layer;
    bool layered = cnf_layer_fits(subject);
    if (layered) cnf_layer_begin(&layer, hidden_on_all(scenario));
    dev_capabilities capabilities;
    dev_device **devices = rt_alloc_array(scenario->device_count, sizeof(dev_device *));
    devices[0] = open_device(subject, options, &parameters, emitter, &capabilities);
    if (layered) cnf_layer_begun(&layer);
    execution->layer = layered ? &layer : NULL;
    bool runs =
        devices[0] && !cnf_skip(emitter, scenario, &capabilities) &&
        open_others(subject, options, &parameters, emitter, devices, scenario->device_count);
    if (runs) cnf_execute(execution, devices);
    for (uint32_t i = scenario->device_count; i-- > 0;)
        dev_device_destroy(devices[i]);
    rt_free(devices);
    execution->layer = NULL;
    if (layered) cnf_layer_end(&layer);
    if (runs && !cnf_skip_unasked(emitter, subject, execution->device_was_asked))
        cnf_emit_end(emitter);
}

int cnf_subject_run(const cnf_subject *subject, const cnf_subject_options *options, rt_bytes pack,
                    int messages)
{
    rt_sink *sink = rt_sink_create();
    rt_arena arena = {0};
    cnf_emitter emitter = {.descriptor = messages};
    cnf_execution execution = {.emitter = &emitter,
                               .sink = sink,
                               .seed = options->seed,
                               .profile = options->profile,
                               .choices = options->choices};
    int exit_status = CHILD_DONE;
    rt_status status = scn_pack_read(sink, &arena, pack, &execution.scenario);
    if (rt_ok(status)) {
        pthread_mutex_init(&execution.findings_lock, NULL);
        rt_panic_set_reporter(report_panic, &execution);
        cnf_tool_store store;
        dev_tools tools = cnf_tools_open(&store, options->cache);
        if (!cnf_output_open(&execution.output, execution.scenario)) {
            perror("assay: keeping the output of kernels");
            exit_status = CHILD_FAILED;
        } else {
            run_on_devices(subject, options, &execution, &tools);
        }
        cnf_output_close(&execution.output);
        cnf_tools_close(&store);
        rt_panic_set_reporter(NULL, NULL);
        pthread_mutex_destroy(&execution.findings_lock);
    } else {
        rt_text message = rt_sink_diagnostic(sink, status)->message;
        fprintf(stderr, "assay: %.*s\n", RT_TEXT_ARG(message));
        exit_status = CHILD_FAILED;
    }
    if (emitter.failed) exit_status = CHILD_FAILED;
    rt_arena_reset(&arena);
    rt_sink_destroy(sink);
    return exit_status;
}

/* ---- Exec'd children ---------------------------------------------------------------------- */

static bool read_all(int descriptor, rt_buffer *out)
{
    char chunk[65536];
    for (;;) {
        ssize_t count = read(descriptor, chunk, sizeof chunk);
        if (count == 0) return true;
        if (count > 0)
            rt_buffer_append(out, chunk, (size_t)count);
        else if (errno != EINTR)
            return false;
    }
}

static bool choices_fine(rt_text script)
{
    rt_arena arena = {0};
    const uint32_t *choices;
    uint32_t count;
    bool fine = cnf_choices_read(&arena, script, &choices, &count);
    rt_arena_reset(&arena);
    return fine;
}

/* Reads "NAME" and the options below; only assay itself calls this, so a wrong line is told
 * briefly. */
static const cnf_subject *parse(int argument_count, char **arguments,
                                cnf_subject_options *out_options, bool *out_compute)
{
    static const struct option known[] = {
        {"seed", required_argument, NULL, 's'},
        {"cache", required_argument, NULL, 'c'},
        {"profile", required_argument, NULL, 'p'},
        {"choices", required_argument, NULL, 'o'},
        {"compute", no_argument, NULL, 'x'},
        {"settings", required_argument, NULL, 't'},
        {0},
    };
    *out_options = (cnf_subject_options){0};
    *out_compute = false;
    optind = 1;
    for (int option; (option = getopt_long(argument_count, arguments, "", known, NULL)) != -1;) {
        if (option == 's')
            out_options->seed = strtoull(optarg, NULL, 10);
        else if (option == 'c')
            out_options->cache = rt_text_of(optarg);
        else if (option == 'p')
            out_options->profile = rt_profile_find(rt_text_of(optarg));
        else if (option == 'o')
            out_options->choices = rt_text_of(optarg);
        else if (option == 't')
            out_options->settings = rt_text_of(optarg);
        else if (option == 'x')
            *out_compute = true;
        else
            return NULL;
    }
    if (out_options->profile == RT_PROFILE_COUNT || !choices_fine(out_options->choices))
        return NULL;
    if (optind + 1 != argument_count) return NULL;
    const cnf_subject *subject = cnf_subject_find(rt_text_of(arguments[optind]));
    return subject && out_options->settings.length > 0 && !subject->settings ? NULL : subject;
}

int cnf_subject_main(int argument_count, char **arguments)
{
    cnf_subject_options options;
    bool compute;
    const cnf_subject *subject = parse(argument_count, arguments, &options, &compute);
    if (!subject) {
        fprintf(stderr,
                "assay: usage: assay subject NAME [--seed N] [--cache FOLDER] [--profile NAME] "
                "[--choices 0,1,...] [--settings NAME=VALUE,...]\n");
        return CHILD_FAILED;
    }
    rt_buffer pack = {0};
    int exit_status = CHILD_FAILED;
    if (read_all(PACK_DESCRIPTOR, &pack)) {
        exit_status =
            cnf_subject_run(subject, &options, rt_buffer_bytes(&pack), MESSAGE_DESCRIPTOR);
    } else {
        perror("assay: reading the pack");
    }
    rt_buffer_free(&pack);
    return exit_status;
}

int cnf_subject_probe_main(int argument_count, char **arguments)
{
    cnf_subject_options options;
    bool compute;
    const cnf_subject *subject = parse(argument_count, arguments, &options, &compute);
    if (!subject) {
        fprintf(stderr, "assay: usage: assay probe NAME [--compute]\n");
        return CHILD_FAILED;
    }
    cnf_emitter emitter = {.descriptor = MESSAGE_DESCRIPTOR};
    rt_sink *sink = rt_sink_create();
    cnf_tool_store store;
    dev_tools tools = cnf_tools_open(&store, options.cache);
    const dev_open_parameters parameters = {.sink = sink, .tools = &tools};
    dev_capabilities capabilities;
    dev_device *device = open_device(subject, &options, &parameters, &emitter, &capabilities);
    if (device && compute) {
        rt_buffer message = {0};
        bool ok = cnf_probe_device(device, sink, &message);
        cnf_emit_probe(&emitter, ok, rt_buffer_text(&message));
        rt_buffer_free(&message);
    }
    dev_device_destroy(device);
    cnf_tools_close(&store);
    rt_sink_destroy(sink);
    return emitter.failed ? CHILD_FAILED : CHILD_DONE;
}
