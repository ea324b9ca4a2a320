/* The children of a run: their start parameters, and the handling of results from a subject's
 * children and from probes of its device. The order of the jobs is decided in run.c, and records
 * are sent in cases.c. Source: docs/internals/conformance.md. */
#include "conformance/run/run_internal.h"

#include "conformance/process/scratch.h"
#include "conformance/verdict/judge.h"
#include "reference/base/descriptors.h"

#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    PROBE_TIMEOUT_MS = 30000, /* a device hangs if its probe, including compiling, takes longer */
    MESSAGES_MAX = 1 << 28,   /* bytes of one child's messages, which include the final contents of
                               * memory */
    PROBE_MESSAGES_MAX = 1 << 20
};

/* ---- Tags ---------------------------------------------------------------------------------- */

run_job cnf_run_job_decode(uint64_t tag)
{
    const run_job job = {(job_kind)(tag >> 56), (uint32_t)(tag >> 32) & 0xffffff, (uint32_t)tag};
    CHECK((unsigned)job.kind < JOB_KINDS);
    return job;
}

uint64_t cnf_run_job_encode(job_kind kind, uint32_t slot, uint32_t item)
{
    CHECK(slot < 1u << 24);
    return (uint64_t)kind << 56 | (uint64_t)slot << 32 | item;
}

/* ---- Starting ------------------------------------------------------------------------- */

typedef struct forked_case {
    const cnf_subject *subject;
    cnf_subject_options options;
    const scn_scenario *scenario;
} forked_case;

static int forked_body(void *user, int messages)
{
    const forked_case *forked = user;
    return cnf_subject_run(forked->subject, &forked->options, forked->scenario, messages);
}

/* The settings common to all children of the run; the tag is read by cnf_run_job_decode. */
static cnf_child_start start_of(const run_state *run, job_kind kind, uint32_t slot, uint32_t item)
{
    CHECK(slot < run->slot_count);
    return (cnf_child_start){.tag = cnf_run_job_encode(kind, slot, item),
                             .messages = CNF_CHILD_MESSAGES,
                             .timeout_ms = run->options->timeout_ms,
                             .memory_bytes = run->options->memory_bytes,
                             .messages_max = MESSAGES_MAX};
}

void cnf_run_case_tidy(run_case *test_case)
{
    if (test_case->scratch.length > 0) cnf_scratch_remove(test_case->scratch);
    test_case->scratch = (rt_text){0};
}

static void probe_start(run_state *run, uint32_t slot, uint32_t index)
{
    const char *arguments[] = {"probe", run->options->subjects[index].subject->name, "--compute",
                               NULL};
    cnf_child_start start = start_of(run, JOB_PROBE, slot, index);
    start.timeout_ms = PROBE_TIMEOUT_MS;
    start.memory_bytes = 0; /* a driver that needs more memory does not mean a lost device */
    start.messages_max = PROBE_MESSAGES_MAX;
    start.arguments = arguments;
    start.environment = run->subjects[index].environment;
    cnf_pool_start(run->pool, &start);
}

/* ---- Judging ------------------------------------------------------------------------------- */

/* Judges what the case's messages say, and how its child ended; if the device may have been
 * damaged, probes it first. */
static void case_judge(run_state *run, uint32_t slot, uint32_t index,
                       const cnf_child_result *result)
{
    run_scenario *scenario = run->slots[slot];
    run_case *test_case = &scenario->cases[index];
    CHECK(test_case->state == CASE_RUNNING);
    cnf_run_case_tidy(test_case);
    test_case->has_messages = true;
    cnf_judge(&scenario->arena, result, &test_case->messages, &test_case->judgement);
    test_case->seconds += result->seconds;
    test_case->log = rt_arena_text(&scenario->arena, rt_buffer_text(&result->log));
    test_case->log_is_tail = result->log_is_tail;
    cnf_verdict verdict = test_case->judgement.verdict;
    if (verdict == CNF_VERDICT_UNAVAILABLE && !cnf_run_case_follows(test_case) &&
        !run->subjects[index].unavailable) {
        run->subjects[index].unavailable = true;
        run->subjects[index].reason = rt_arena_text(&run->arena, test_case->judgement.message);
    }
    if (verdict == CNF_VERDICT_SKIP &&
        rt_text_is(test_case->messages.capability, CNF_CAPABILITY_FAULTS))
        run->subjects[index].lacks_faults = true;
    /* A forked subject has no device that could be lost. */
    bool probes = (verdict == CNF_VERDICT_TIMEOUT || verdict == CNF_VERDICT_CRASH) &&
                  !run->options->subjects[index].subject->forked;
    cnf_run_case_advance(run, scenario, index, probes ? CASE_DOUBTED : CASE_JUDGED);
    if (probes) probe_start(run, slot, index);
}

/* ---- Running a case ------------------------------------------------------------------------ */

static void on_message(void *user, const struct json_t *message)
{
    cnf_message_reader_take(user, message);
}

static void on_trace(void *user, rt_text message)
{
    cnf_message_reader_take_trace(user, message);
}

/* Runs a case in this process, as a child of its own would. */
static void case_run_here(run_state *run, uint32_t slot, uint32_t index, forked_case *forked)
{
    run_scenario *scenario = run->slots[slot];
    run_case *test_case = &scenario->cases[index];
    cnf_message_reader *reader = cnf_message_reader_begin(&scenario->arena, &test_case->messages);
    const cnf_receiver receiver = {on_message, on_trace, reader};
    forked->options.receiver = &receiver;
    cnf_child_result result = {.end = CNF_PROCESS_EXITED};
    result.code = forked_body(forked, -1);
    cnf_message_reader_end(reader);
    case_judge(run, slot, index, &result);
}

void cnf_run_case_start(run_state *run, uint32_t slot, uint32_t index)
{
    run_scenario *scenario = run->slots[slot];
    const cnf_run_subject *column = &run->options->subjects[index];
    run_case *test_case = &scenario->cases[index];
    cnf_child_start start = start_of(run, JOB_CASE, slot, index);
    cnf_run_case_advance(run, scenario, index, CASE_STARTED);
    if (run->options->begun) run->options->begun(run->user, scenario->file->path, column->name);
    if (test_case->explorer && !test_case->worst) {
        cnf_explorer_begin(test_case->explorer, &scenario->arena, test_case->script,
                           run->options->explore_max);
        bool begun = cnf_explorer_next(test_case->explorer, &test_case->script);
        CHECK(begun);
    }
    CHECK(test_case->scratch.length == 0);
    bool shares = cnf_run_case_shares(run, scenario, index);
    test_case->child = 0;
    if (scenario->scenario->persistent_cache) {
        rt_status status =
            cnf_scratch_make_small(scenario->sink, &scenario->arena, &test_case->scratch);
        if (!rt_ok(status)) {
            start.error = errno;
            rt_text message = rt_sink_diagnostic(scenario->sink, status)->message;
            fprintf(stderr, "assay: %.*s\n", RT_TEXT_ARG(message));
        }
    }
    run_build *build = cnf_run_build(run, scenario, index);
    CHECK(build->compiled);
    const uint32_t fail_call = cnf_run_fail_call(run->options, test_case);
    forked_case forked = {column->subject,
                          {run->options->seed, run->options->cache, run->options->profile,
                           test_case->script, column->settings, run->options->real_loader,
                           run->options->threads, fail_call, test_case->scratch,
                           run->options->record},
                          build->compiled};
    if (column->subject->forked && run->options->in_process && start.error == 0) {
        case_run_here(run, slot, index, &forked);
        return;
    }
    if (column->subject->forked) {
        start.body = forked_body;
        start.user = &forked;
    } else {
        start.arguments = cnf_subject_arguments(&scenario->arena, column->subject->name,
                                                &forked.options, shares ? "--serve" : NULL) +
                          1; /* the pool adds the program's name */
        start.environment = run->subjects[index].environment;
        if (build->pack.size == 0) scn_pack_write(&build->pack, build->compiled);
        start.input = rt_buffer_bytes(&build->pack);
        start.has_log = true;
    }
    if (shares)
        cnf_run_shared_start(run, slot, index, &start);
    else
        cnf_pool_start(run->pool, &start);
}

void cnf_run_compile_start(run_state *run, uint32_t slot, uint32_t build, uint32_t module)
{
    static const char *const arguments[] = {"worker", "--serve", NULL};
    CHECK(build < RUN_BUILDS && module < UINT32_MAX / RUN_BUILDS);
    cnf_child_start start = start_of(run, JOB_COMPILE, slot, module * RUN_BUILDS + build);
    start.child_tag = cnf_run_job_encode(JOB_WORKER, 0, 0);
    start.arguments = arguments;
    start.environment = run->worker_environment;
    start.input = rt_buffer_bytes(&run->slots[slot]->builds[build].modules.works[module].request);
    start.serves = start.has_log = true;
    while (run->workers.count > 0)
        if (cnf_pool_request(run->pool, run->workers.items[--run->workers.count], &start)) return;
    cnf_pool_start(run->pool, &start);
}

void cnf_run_workers_dismiss(run_state *run)
{
    while (run->workers.count > 0)
        cnf_pool_dismiss(run->pool, run->workers.items[--run->workers.count],
                         run->options->timeout_ms);
}

/* ---- Ending -------------------------------------------------------------------------------- */

void cnf_run_case_ended(run_state *run, uint32_t slot, uint32_t index, cnf_child_result *result)
{
    run_scenario *scenario = run->slots[slot];
    run_case *test_case = &scenario->cases[index];
    CHECK_IMPLIES(result->child != 0, result->child == test_case->child);
    if (test_case->child != 0) cnf_run_shared_answered(run, test_case->child, result->child != 0);
    cnf_messages_read(&scenario->arena, rt_buffer_text(&result->messages), &test_case->messages);
    case_judge(run, slot, index, result);
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
