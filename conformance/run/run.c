/* The scheduler of a run: one thread, one pool of children.
 *
 * A scenario goes from a file to a model, to requests, to a pack, to one case per subject.  At any
 * time a bounded number of scenarios is in between, and the furthest one is served first, so that
 * memory does not grow with the suite.  It does not judge (compare/) and does not print (report/).
 * Source: ARCHITECTURE.md, "The life of one scenario" and "Comparison and results". */
#include "conformance/run/run.h"

#include "conformance/compare/differential.h"
#include "conformance/compare/parting.h"
#include "conformance/run/modules.h"
#include "reference/base/vector.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum {
    ACTIVE_PER_JOB = 2,       /* scenarios in between, for each job */
    PROBE_TIMEOUT_MS = 10000, /* a device that answers later than this hangs */
    MESSAGES_MAX = 1 << 28,   /* bytes of one child's messages: final memories are among them */
    PROBE_MESSAGES_MAX = 1 << 20
};

typedef enum case_state {
    CASE_WAITING, /* for the pack or for a job */
    CASE_RUNNING,
    CASE_PROBING, /* timed out; a probe asks whether the device still answers */
    CASE_HELD,    /* judged, waits for the oracle */
    CASE_DONE     /* its record is out */
} case_state;

/* One scenario on one subject. */
typedef struct run_case {
    case_state state;
    double seconds;
    cnf_messages messages;
    cnf_judgement judgement;
} run_case;

typedef struct run_scenario {
    const cnf_file *file;
    rt_arena arena;
    rt_sink *sink;
    rt_buffer text;
    const scn_scenario *scenario;
    cnf_modules modules;
    rt_buffer pack;
    bool packed;
    run_case *cases; /* per subject */
    uint32_t done_count;
} run_scenario;

/* What became known about a subject during the run. */
typedef struct run_subject {
    bool unavailable, lost;
    rt_text reason; /* of unavailable */
} run_subject;

typedef struct run_state {
    const cnf_run_options *options;
    const cnf_file *files;
    uint32_t file_count, next_file;
    cnf_run_listener *listener;
    void *user;
    bool stopped; /* by the listener */
    rt_arena arena;
    cnf_pool *pool;
    cnf_cache *cache;
    run_subject *subjects;
    uint32_t oracle;      /* index of sim; SCN_NONE where it does not run */
    run_scenario **slots; /* active scenarios; NULL: free */
    uint32_t slot_count;
} run_state;

/* ---- Tags of children: what, for which slot, which module or subject --------------------------
 */

typedef enum job_kind { JOB_COMPILE, JOB_CASE, JOB_PROBE } job_kind;

static uint64_t tag_make(job_kind kind, uint32_t slot, uint32_t item)
{
    CHECK(slot < 1u << 24);
    return (uint64_t)kind << 56 | (uint64_t)slot << 32 | item;
}

static job_kind tag_kind(uint64_t tag)
{
    CHECK(tag >> 56 <= JOB_PROBE);
    return (job_kind)(tag >> 56);
}

static uint32_t tag_slot(uint64_t tag)
{
    return (uint32_t)(tag >> 32) & 0xffffff;
}

static uint32_t tag_item(uint64_t tag)
{
    return (uint32_t)tag;
}

/* ---- Records ------------------------------------------------------------------------------- */

static void record_send(run_state *run, const cnf_record *record)
{
    if (run->stopped) return;
    run->stopped = !run->listener(run->user, record);
}

static rt_text step_id(const run_scenario *scenario, uint32_t step)
{
    if (step == SCN_NONE || !scenario->scenario) return (rt_text){0};
    /* The number came from a child. */
    if (step >= scenario->scenario->step_count) return (rt_text){0};
    return scenario->scenario->steps[step].id;
}

static void case_done(run_state *run, run_scenario *scenario, uint32_t subject)
{
    run_case *one = &scenario->cases[subject];
    CHECK(one->state != CASE_DONE);
    one->state = CASE_DONE;
    scenario->done_count++;
    const cnf_record record = {.scenario = scenario->file->path,
                               .file = scenario->file->file,
                               .subject = rt_text_of(run->options->subjects[subject]->name),
                               .judgement = one->judgement,
                               .step_id = step_id(scenario, one->judgement.step),
                               .seconds = one->seconds,
                               .device = one->messages.device,
                               .driver = one->messages.driver};
    record_send(run, &record);
}

/* A case that ends without a child of its own. */
static void case_decide(run_state *run, run_scenario *scenario, uint32_t subject,
                        const cnf_judgement *judgement)
{
    CHECK(scenario->cases[subject].state == CASE_WAITING);
    scenario->cases[subject].judgement = *judgement;
    case_done(run, scenario, subject);
}

static bool oracle_settled(const run_state *run, const run_scenario *scenario)
{
    return run->oracle == SCN_NONE || scenario->cases[run->oracle].state == CASE_DONE;
}

static void case_compare(run_scenario *scenario, const run_case *oracle, run_case *other)
{
    CHECK(oracle->judgement.verdict == CNF_VERDICT_PASS);
    if (other->judgement.verdict == CNF_VERDICT_PASS)
        cnf_differential(&scenario->arena, &oracle->messages, &other->messages, &other->judgement);
    if (other->judgement.verdict == CNF_VERDICT_FAIL)
        cnf_traces_part(&scenario->arena, &oracle->messages, &other->messages, &other->judgement);
}

/* The oracle has its verdict: what waited for it is compared and done. */
static void cases_release(run_state *run, run_scenario *scenario)
{
    if (!oracle_settled(run, scenario)) return;
    const run_case *oracle = run->oracle == SCN_NONE ? NULL : &scenario->cases[run->oracle];
    for (uint32_t i = 0; i < run->options->subject_count; i++) {
        run_case *one = &scenario->cases[i];
        if (one->state != CASE_HELD) continue;
        /* An oracle that failed itself proves nothing about others. */
        if (oracle && oracle->judgement.verdict == CNF_VERDICT_PASS)
            case_compare(scenario, oracle, one);
        case_done(run, scenario, i);
    }
}

/* The case has its own verdict. */
static void case_judged(run_state *run, run_scenario *scenario, uint32_t subject)
{
    if (subject == run->oracle) {
        case_done(run, scenario, subject);
    } else {
        scenario->cases[subject].state = CASE_HELD;
    }
    cases_release(run, scenario);
}

/* ---- Scenarios ----------------------------------------------------------------------------- */

static void scenario_close(run_state *run, uint32_t slot)
{
    run_scenario *scenario = run->slots[slot];
    run->slots[slot] = NULL;
    cnf_modules_free(&scenario->modules);
    rt_buffer_free(&scenario->pack);
    rt_buffer_free(&scenario->text);
    rt_sink_destroy(scenario->sink);
    rt_arena_reset(&scenario->arena);
    rt_free(scenario);
}

static void scenario_invalid(run_state *run, const run_scenario *scenario,
                             const cnf_judgement *judgement)
{
    CHECK(judgement->verdict == CNF_VERDICT_INVALID);
    const cnf_record record = {.scenario = scenario->file->path,
                               .file = scenario->file->file,
                               .subject = RT_TEXT("-"),
                               .judgement = *judgement};
    record_send(run, &record);
}

static void problems_judge(run_scenario *scenario, const scn_problems *problems, cnf_judgement *out)
{
    rt_buffer text = {0};
    for (uint32_t i = 0; i < problems->count; i++) {
        const scn_problem *problem = &problems->items[i];
        rt_buffer_printf(&text, "%s%.*s:%u:%u: error: %.*s", i ? "\n" : "",
                         RT_TEXT_ARG(scenario->file->file), problem->at.line, problem->at.column,
                         RT_TEXT_ARG(problem->text));
    }
    *out = (cnf_judgement){.verdict = CNF_VERDICT_INVALID, .step = SCN_NONE};
    out->line = problems->count > 0 ? problems->items[0].at.line : 0;
    out->message = rt_arena_text(&scenario->arena, rt_buffer_text(&text));
    out->signature = cnf_signature(&scenario->arena, RT_TEXT("read"), RT_TEXT("scenario"),
                                   (rt_text){0}, (rt_text){0});
    rt_buffer_free(&text);
}

/* Reads the file; false: it is INVALID, which has been recorded. */
static bool scenario_read(run_state *run, run_scenario *scenario)
{
    const cnf_file *file = scenario->file;
    cnf_judgement judgement = {.verdict = CNF_VERDICT_INVALID, .step = SCN_NONE};
    rt_status status =
        cnf_file_read(scenario->sink, file->file, RT_SCENARIO_SIZE_MAX, &scenario->text);
    if (!rt_ok(status)) {
        judgement.message = rt_sink_diagnostic(scenario->sink, status)->message;
        judgement.signature = cnf_signature(&scenario->arena, RT_TEXT("read"), RT_TEXT("file"),
                                            (rt_text){0}, (rt_text){0});
        scenario_invalid(run, scenario, &judgement);
        return false;
    }
    scn_problems problems;
    scenario->scenario = scn_read(&scenario->arena, rt_buffer_text(&scenario->text), file->file,
                                  file->path, &problems);
    if (scenario->scenario) return true;
    problems_judge(scenario, &problems, &judgement);
    scenario_invalid(run, scenario, &judgement);
    return false;
}

/* Everything is compiled: packs the scenario, or gives every subject the reason why not. */
static void scenario_pack(run_state *run, uint32_t slot)
{
    run_scenario *scenario = run->slots[slot];
    CHECK(!scenario->packed);
    scenario->packed = true;
    cnf_judgement judgement;
    if (cnf_modules_finish(&scenario->modules, &scenario->pack, &judgement)) return;
    if (judgement.verdict == CNF_VERDICT_INVALID) {
        scenario_invalid(run, scenario, &judgement);
        scenario->done_count = run->options->subject_count;
    }
    for (uint32_t i = 0; scenario->done_count < run->options->subject_count; i++)
        case_decide(run, scenario, i, &judgement);
    scenario_close(run, slot);
}

static void scenario_open(run_state *run, uint32_t slot, const cnf_file *file)
{
    CHECK(!run->slots[slot]);
    run_scenario *scenario = rt_alloc(sizeof *scenario);
    run->slots[slot] = scenario;
    scenario->file = file;
    scenario->sink = rt_sink_create();
    scenario->cases = rt_arena_alloc_array(&scenario->arena, run->options->subject_count,
                                           sizeof *scenario->cases);
    if (!scenario_read(run, scenario)) {
        scenario_close(run, slot);
        return;
    }
    cnf_modules_begin(&scenario->modules, &scenario->arena, scenario->sink, scenario->scenario,
                      run->cache);
    if (cnf_modules_complete(&scenario->modules)) scenario_pack(run, slot);
}

/* ---- Starting jobs ------------------------------------------------------------------------- */

typedef struct forked_case {
    const cnf_subject *subject;
    cnf_subject_options options;
    rt_bytes pack;
} forked_case;

static int forked_body(void *user, int messages)
{
    const forked_case *one = user;
    return cnf_subject_run(one->subject, &one->options, one->pack, messages);
}

/* Starts a child that executes this program; workers and subjects find the cache by the
 * environment when they compile. */
static void job_execute(run_state *run, cnf_child_start *start, const char *const *arguments)
{
    rt_text cache = run->options->cache;
    const char *environment[] = {NULL, NULL};
    if (cache.length > 0) {
        environment[0] =
            rt_arena_printf(&run->arena, "ASSAY_CACHE_DIR=%.*s", RT_TEXT_ARG(cache)).data;
    }
    start->arguments = arguments;
    start->environment = environment;
    cnf_pool_start(run->pool, start);
}

static void case_start(run_state *run, uint32_t slot, uint32_t index)
{
    const run_scenario *scenario = run->slots[slot];
    const cnf_subject *subject = run->options->subjects[index];
    cnf_child_start start = {.tag = tag_make(JOB_CASE, slot, index),
                             .messages = CNF_CHILD_MESSAGES,
                             .timeout_ms = run->options->timeout_ms,
                             .messages_max = MESSAGES_MAX};
    scenario->cases[index].state = CASE_RUNNING;
    forked_case forked = {
        subject, {run->options->seed, run->options->cache}, rt_buffer_bytes(&scenario->pack)};
    if (subject->forked) {
        start.body = forked_body;
        start.user = &forked;
        cnf_pool_start(run->pool, &start);
        return;
    }
    char seed[32];
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)run->options->seed);
    const char *arguments[8] = {"subject", subject->name, "--seed", seed};
    if (run->options->cache.length > 0) {
        arguments[4] = "--cache";
        arguments[5] = rt_arena_text(&run->arena, run->options->cache).data;
    }
    start.input = rt_buffer_bytes(&scenario->pack);
    job_execute(run, &start, arguments);
}

static void probe_start(run_state *run, uint32_t slot, uint32_t index)
{
    const char *arguments[] = {"probe", run->options->subjects[index]->name, NULL};
    cnf_child_start start = {.tag = tag_make(JOB_PROBE, slot, index),
                             .messages = CNF_CHILD_MESSAGES,
                             .timeout_ms = PROBE_TIMEOUT_MS,
                             .messages_max = PROBE_MESSAGES_MAX};
    run->slots[slot]->cases[index].state = CASE_PROBING;
    job_execute(run, &start, arguments);
}

static void compile_start(run_state *run, uint32_t slot, uint32_t module)
{
    static const char *const arguments[] = {"worker", NULL};
    cnf_child_start start = {.tag = tag_make(JOB_COMPILE, slot, module),
                             .input =
                                 rt_buffer_bytes(&run->slots[slot]->modules.works[module].request),
                             .messages = 1,
                             .timeout_ms = run->options->timeout_ms,
                             .messages_max = MESSAGES_MAX};
    job_execute(run, &start, arguments);
}

/* Decides a waiting case without a child where the subject is known not to run anything. */
static bool case_forestalled(run_state *run, run_scenario *scenario, uint32_t index)
{
    const run_subject *subject = &run->subjects[index];
    cnf_judgement judgement = {.step = SCN_NONE};
    if (subject->unavailable) {
        judgement.verdict = CNF_VERDICT_UNAVAILABLE;
        judgement.message = subject->reason;
    } else if (subject->lost) {
        judgement.verdict = CNF_VERDICT_POISONED;
        judgement.message = RT_TEXT("an earlier scenario lost the device; it was not asked again");
        judgement.signature = cnf_signature(&scenario->arena, RT_TEXT("start"), RT_TEXT("poisoned"),
                                            (rt_text){0}, (rt_text){0});
    } else {
        return false;
    }
    case_decide(run, scenario, index, &judgement);
    cases_release(run, scenario);
    return true;
}

static bool slot_start_case(run_state *run, uint32_t slot)
{
    run_scenario *scenario = run->slots[slot];
    if (!scenario || !scenario->packed) return false;
    for (uint32_t i = 0; i < run->options->subject_count; i++) {
        if (scenario->cases[i].state != CASE_WAITING) continue;
        if (case_forestalled(run, scenario, i)) continue;
        case_start(run, slot, i);
        return true;
    }
    if (scenario->done_count == run->options->subject_count) scenario_close(run, slot);
    return false;
}

/* Opens files into free slots; returns whether it opened one. */
static bool slot_fill(run_state *run)
{
    for (uint32_t slot = 0; slot < run->slot_count; slot++) {
        if (run->slots[slot] || run->next_file == run->file_count) continue;
        scenario_open(run, slot, &run->files[run->next_file++]);
        return true;
    }
    return false;
}

/* Does the next thing that can be done without waiting, what is nearest to its end first; returns
 * whether there was one. */
static bool job_start(run_state *run)
{
    for (uint32_t slot = 0; slot < run->slot_count; slot++)
        if (slot_start_case(run, slot)) return true;
    for (uint32_t slot = 0; slot < run->slot_count; slot++) {
        run_scenario *scenario = run->slots[slot];
        uint32_t module;
        if (!scenario || scenario->packed || !cnf_modules_next(&scenario->modules, &module))
            continue;
        compile_start(run, slot, module);
        return true;
    }
    return slot_fill(run);
}

/* ---- Ending jobs --------------------------------------------------------------------------- */

static void compile_ended(run_state *run, uint32_t slot, uint32_t module, cnf_child_result *result)
{
    run_scenario *scenario = run->slots[slot];
    cnf_modules_answer(&scenario->modules, module, result);
    if (cnf_modules_complete(&scenario->modules)) scenario_pack(run, slot);
}

static void case_ended(run_state *run, uint32_t slot, uint32_t index, cnf_child_result *result)
{
    run_scenario *scenario = run->slots[slot];
    run_case *one = &scenario->cases[index];
    CHECK(one->state == CASE_RUNNING);
    cnf_messages_read(&scenario->arena, rt_buffer_text(&result->messages), &one->messages);
    cnf_judge(&scenario->arena, result, &one->messages, &one->judgement);
    one->seconds = result->seconds;
    if (one->judgement.verdict == CNF_VERDICT_UNAVAILABLE && !run->subjects[index].unavailable) {
        run->subjects[index].unavailable = true;
        run->subjects[index].reason = rt_arena_text(&run->arena, one->judgement.message);
    }
    /* sim has no device that could be lost. */
    bool probes =
        one->judgement.verdict == CNF_VERDICT_TIMEOUT && !run->options->subjects[index]->forked;
    if (probes) {
        probe_start(run, slot, index);
    } else {
        case_judged(run, scenario, index);
    }
}

static void probe_ended(run_state *run, uint32_t slot, uint32_t index, cnf_child_result *result)
{
    run_scenario *scenario = run->slots[slot];
    run_case *one = &scenario->cases[index];
    CHECK(one->state == CASE_PROBING);
    cnf_messages answer;
    cnf_messages_read(&scenario->arena, rt_buffer_text(&result->messages), &answer);
    bool answers = result->end == CNF_CHILD_EXITED && answer.device.length > 0;
    if (!answers) {
        one->judgement.verdict = CNF_VERDICT_HANG;
        one->judgement.message = rt_arena_printf(
            &scenario->arena, "%.*s\nthe device does not answer any more (asked for %d s)",
            RT_TEXT_ARG(one->judgement.message), PROBE_TIMEOUT_MS / 1000);
        run->subjects[index].lost = true;
    }
    case_judged(run, scenario, index);
}

static void job_ended(run_state *run, cnf_child_result *result)
{
    uint32_t slot = tag_slot(result->tag), item = tag_item(result->tag);
    CHECK(slot < run->slot_count && run->slots[slot]);
    switch (tag_kind(result->tag)) {
    case JOB_COMPILE: compile_ended(run, slot, item, result); break;
    case JOB_CASE: case_ended(run, slot, item, result); break;
    case JOB_PROBE: probe_ended(run, slot, item, result); break;
    }
    run_scenario *scenario = run->slots[slot];
    if (scenario && scenario->done_count == run->options->subject_count) scenario_close(run, slot);
    cnf_child_result_free(result);
}

/* ---- The run ------------------------------------------------------------------------------- */

static void run_begin(run_state *run)
{
    const cnf_run_options *options = run->options;
    run->subjects =
        rt_arena_alloc_array(&run->arena, options->subject_count, sizeof *run->subjects);
    run->slot_count = options->job_count * ACTIVE_PER_JOB;
    run->slots = rt_arena_alloc_array(&run->arena, run->slot_count, sizeof(run_scenario *));
    run->oracle = SCN_NONE;
    for (uint32_t i = 0; i < options->subject_count; i++)
        if (strcmp(options->subjects[i]->name, "sim") == 0) run->oracle = i;
    rt_text warning;
    run->cache = cnf_cache_open(options->cache, &warning);
    if (warning.length > 0) fprintf(stderr, "assay: warning: %.*s\n", RT_TEXT_ARG(warning));
}

/* NOT_RUN for everything that has no record; what is judged already keeps its verdict. */
static void run_abandon(run_state *run)
{
    const cnf_judgement not_run = {.verdict = CNF_VERDICT_NOT_RUN,
                                   .step = SCN_NONE,
                                   .signature = RT_TEXT("start:interrupted:-:-"),
                                   .message = RT_TEXT("the run was interrupted")};
    for (uint32_t slot = 0; slot < run->slot_count; slot++) {
        run_scenario *scenario = run->slots[slot];
        for (uint32_t i = 0; scenario && i < run->options->subject_count; i++) {
            run_case *one = &scenario->cases[i];
            if (one->state == CASE_DONE) continue;
            bool judged = one->state == CASE_HELD || one->state == CASE_PROBING;
            if (!judged) one->judgement = not_run;
            case_done(run, scenario, i);
        }
        if (scenario) scenario_close(run, slot);
    }
    for (; run->next_file < run->file_count; run->next_file++) {
        const cnf_file *file = &run->files[run->next_file];
        for (uint32_t i = 0; i < run->options->subject_count; i++) {
            const cnf_record record = {.scenario = file->path,
                                       .file = file->file,
                                       .subject = rt_text_of(run->options->subjects[i]->name),
                                       .judgement = not_run};
            record_send(run, &record);
        }
    }
}

static cnf_run_end run_loop(run_state *run)
{
    for (;;) {
        while (!run->stopped && cnf_pool_count(run->pool) < run->options->job_count &&
               job_start(run)) {
        }
        if (run->stopped) return CNF_RUN_STOPPED;
        if (cnf_pool_count(run->pool) == 0) return CNF_RUN_COMPLETE;
        cnf_child_result result;
        if (cnf_pool_wait(run->pool, &result) == CNF_POOL_INTERRUPTED) return CNF_RUN_INTERRUPTED;
        job_ended(run, &result);
    }
}

cnf_run_end cnf_run(const cnf_run_options *options, const cnf_file *files, uint32_t file_count,
                    cnf_run_listener *listener, void *user)
{
    CHECK(options->subject_count > 0 && options->job_count > 0 && options->timeout_ms > 0);
    run_state run = {.options = options,
                     .files = files,
                     .file_count = file_count,
                     .listener = listener,
                     .user = user,
                     .pool = cnf_pool_create()};
    run_begin(&run);
    cnf_run_end end = CNF_RUN_INTERRUPTED;
    if (run.pool) {
        end = run_loop(&run);
    } else {
        fprintf(stderr, "assay: no children can be watched: %s\n", strerror(errno));
    }
    cnf_pool_destroy(run.pool);
    run_abandon(&run);
    CHECK(run.next_file == file_count);
    cnf_cache_close(run.cache);
    rt_arena_reset(&run.arena);
    return end;
}
