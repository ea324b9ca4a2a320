/* The children of a run: their start parameters, and the handling of results from a subject's
 * children and from probes of its device. The order of the jobs is decided in run.c, and records
 * are sent in cases.c. Source: docs/internals/conformance.md. */
#include "conformance/run/run_internal.h"

#include "conformance/process/scratch.h"
#include "conformance/verdict/judge.h"

#include <errno.h>
#include <stdio.h>

enum {
    PROBE_TIMEOUT_MS = 30000, /* a device that takes longer hangs; includes compiling */
    MESSAGES_MAX = 1 << 28,   /* bytes of one child's messages, which include final memories */
    PROBE_MESSAGES_MAX = 1 << 20
};

/* ---- Tags ---------------------------------------------------------------------------------- */

static uint64_t tag_make(job_kind kind, uint32_t slot, uint32_t item)
{
    CHECK(slot < 1u << 24);
    return (uint64_t)kind << 56 | (uint64_t)slot << 32 | item;
}

run_job cnf_run_job_of(uint64_t tag)
{
    CHECK(tag >> 56 <= JOB_PROBE);
    return (run_job){(job_kind)(tag >> 56), (uint32_t)(tag >> 32) & 0xffffff, (uint32_t)tag};
}

/* ---- Starting ------------------------------------------------------------------------- */

typedef struct forked_case {
    const cnf_subject *subject;
    cnf_subject_options options;
    rt_bytes pack;
} forked_case;

static int forked_body(void *user, int messages)
{
    const forked_case *forked = user;
    return cnf_subject_run(forked->subject, &forked->options, forked->pack, messages);
}

/* The settings common to all children of the run. */
static cnf_child_start start_of(const run_state *run, uint64_t tag)
{
    return (cnf_child_start){.tag = tag,
                             .messages = CNF_CHILD_MESSAGES,
                             .timeout_ms = run->options->timeout_ms,
                             .memory_bytes = run->options->memory_bytes,
                             .messages_max = MESSAGES_MAX};
}

/* Makes the folder that the next child of a case needs. Returns 0 or an errno. */
static int scratch_make(run_scenario *scenario, run_case *test_case)
{
    CHECK(test_case->scratch.length == 0);
    if (!scenario->scenario->persistent_cache) return 0;
    rt_status status = cnf_scratch_make(scenario->sink, &scenario->arena, &test_case->scratch);
    if (rt_ok(status)) return 0;
    int error = errno;
    rt_text message = rt_sink_diagnostic(scenario->sink, status)->message;
    fprintf(stderr, "assay: %.*s\n", RT_TEXT_ARG(message));
    return error;
}

void cnf_run_case_tidy(run_case *test_case)
{
    if (test_case->scratch.length > 0) cnf_scratch_remove(test_case->scratch);
    test_case->scratch = (rt_text){0};
}

/* The arguments of an executed subject; the numbers are printed into `digits`. */
static void case_arguments(const run_state *run, const run_case *test_case,
                           const cnf_run_subject *column, char digits[32],
                           const char **out_arguments)
{
    const cnf_run_options *options = run->options;
    snprintf(digits, 32, "%llu", (unsigned long long)options->seed);
    uint32_t count = 0;
    out_arguments[count++] = "subject";
    out_arguments[count++] = column->subject->name;
    out_arguments[count++] = "--seed";
    out_arguments[count++] = digits;
    if (options->cache.length > 0) {
        out_arguments[count++] = "--cache";
        out_arguments[count++] = options->cache.data;
    }
    if (options->profile != RT_PROFILE_DOCUMENTS) {
        out_arguments[count++] = "--profile";
        out_arguments[count++] = rt_profile_name(options->profile);
    }
    if (options->real_loader) {
        out_arguments[count++] = "--loader";
        out_arguments[count++] = CNF_LOADER_REAL;
    }
    if (test_case->script.length > 0) {
        out_arguments[count++] = "--choices";
        out_arguments[count++] = test_case->script.data;
    }
    if (column->settings.length > 0) {
        out_arguments[count++] = "--settings";
        out_arguments[count++] = column->settings.data;
    }
    if (test_case->scratch.length > 0) {
        out_arguments[count++] = "--scratch";
        out_arguments[count++] = test_case->scratch.data;
    }
    if (options->record) out_arguments[count++] = "--record";
    out_arguments[count] = NULL;
}

void cnf_run_case_start(run_state *run, uint32_t slot, uint32_t index)
{
    enum { ARGUMENTS = 18 };
    run_scenario *scenario = run->slots[slot];
    const cnf_run_subject *column = &run->options->subjects[index];
    run_case *test_case = &scenario->cases[index];
    cnf_child_start start = start_of(run, tag_make(JOB_CASE, slot, index));
    cnf_run_case_advance(run, scenario, index, CASE_STARTED);
    if (run->options->begun) run->options->begun(run->user, scenario->file->path, column->name);
    if (test_case->explorer && !test_case->worst) {
        cnf_explorer_begin(test_case->explorer, &run->slots[slot]->arena, test_case->script,
                           run->options->explore_max);
        bool begun = cnf_explorer_next(test_case->explorer, &test_case->script);
        CHECK(begun);
    }
    start.error = scratch_make(scenario, test_case);
    if (column->subject->forked) {
        forked_case forked = {column->subject,
                              {run->options->seed, run->options->cache, run->options->profile,
                               test_case->script, column->settings, run->options->real_loader,
                               run->options->threads, test_case->scratch, run->options->record},
                              rt_buffer_bytes(&cnf_run_build(run, scenario, index)->pack)};
        start.body = forked_body;
        start.user = &forked;
        cnf_pool_start(run->pool, &start);
        return;
    }
    char digits[32];
    const char *arguments[ARGUMENTS];
    case_arguments(run, test_case, column, digits, arguments);
    start.arguments = arguments;
    start.environment = run->subjects[index].environment;
    start.input = rt_buffer_bytes(&cnf_run_build(run, scenario, index)->pack);
    start.has_log = true;
    cnf_pool_start(run->pool, &start);
}

static void probe_start(run_state *run, uint32_t slot, uint32_t index)
{
    const char *arguments[] = {"probe", run->options->subjects[index].subject->name, "--compute",
                               NULL};
    cnf_child_start start = start_of(run, tag_make(JOB_PROBE, slot, index));
    start.timeout_ms = PROBE_TIMEOUT_MS;
    start.memory_bytes = 0; /* a driver that needs more is not a lost device */
    start.messages_max = PROBE_MESSAGES_MAX;
    start.arguments = arguments;
    start.environment = run->subjects[index].environment;
    cnf_pool_start(run->pool, &start);
}

void cnf_run_compile_of(const run_job *job, uint32_t *out_build, uint32_t *out_module)
{
    CHECK(job->kind == JOB_COMPILE);
    *out_build = job->item % RUN_BUILDS;
    *out_module = job->item / RUN_BUILDS;
}

void cnf_run_compile_start(run_state *run, uint32_t slot, uint32_t build, uint32_t module)
{
    static const char *const arguments[] = {"worker", NULL};
    CHECK(build < RUN_BUILDS && module < UINT32_MAX / RUN_BUILDS);
    cnf_child_start start = start_of(run, tag_make(JOB_COMPILE, slot, module * RUN_BUILDS + build));
    start.messages = 1;
    start.arguments = arguments;
    start.environment = run->worker_environment;
    start.input = rt_buffer_bytes(&run->slots[slot]->builds[build].modules.works[module].request);
    cnf_pool_start(run->pool, &start);
}

/* ---- Ending -------------------------------------------------------------------------------- */

void cnf_run_case_ended(run_state *run, uint32_t slot, uint32_t index, cnf_child_result *result)
{
    run_scenario *scenario = run->slots[slot];
    run_case *test_case = &scenario->cases[index];
    CHECK(test_case->state == CASE_RUNNING);
    cnf_run_case_tidy(test_case);
    cnf_messages_read(&scenario->arena, rt_buffer_text(&result->messages), &test_case->messages);
    test_case->has_messages = true;
    cnf_judge(&scenario->arena, result, &test_case->messages, &test_case->judgement);
    test_case->seconds += result->seconds;
    test_case->log = rt_arena_text(&scenario->arena, rt_buffer_text(&result->log));
    test_case->log_is_tail = result->log_is_tail;
    cnf_verdict verdict = test_case->judgement.verdict;
    if (verdict == CNF_VERDICT_UNAVAILABLE && !run->subjects[index].unavailable) {
        run->subjects[index].unavailable = true;
        run->subjects[index].reason = rt_arena_text(&run->arena, test_case->judgement.message);
    }
    /* A forked subject has no device that could be lost. */
    bool probes = (verdict == CNF_VERDICT_TIMEOUT || verdict == CNF_VERDICT_CRASH) &&
                  !run->options->subjects[index].subject->forked;
    cnf_run_case_advance(run, scenario, index, probes ? CASE_DOUBTED : CASE_JUDGED);
    if (probes) probe_start(run, slot, index);
}

void cnf_run_probe_ended(run_state *run, uint32_t slot, uint32_t index, cnf_child_result *result)
{
    run_scenario *scenario = run->slots[slot];
    run_case *test_case = &scenario->cases[index];
    run_subject *subject = &run->subjects[index];
    CHECK(test_case->state == CASE_PROBING);
    rt_text complaint = cnf_judge_device(&scenario->arena, result, &test_case->judgement);
    if (complaint.length > 0 && !subject->lost) {
        subject->lost = true;
        subject->reason =
            rt_arena_printf(&run->arena, "after %.*s %.*s", RT_TEXT_ARG(scenario->file->path),
                            RT_TEXT_ARG(complaint));
    }
    cnf_run_case_advance(run, scenario, index, CASE_JUDGED);
}
