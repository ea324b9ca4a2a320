/* The scheduler of a run: one thread, one pool of children.
 *
 * A scenario goes from a file to a model, to requests, to a pack, to one case per subject.  At any
 * time a bounded number of scenarios is in between, and the furthest one is served first, so that
 * memory does not grow with the suite.  It does not judge (compare/) and does not print (report/).
 * Source: ARCHITECTURE.md, "The life of one scenario" and "Comparison and results". */
#include "conformance/run/run.h"

#include "conformance/compare/differential.h"
#include "conformance/compare/parting.h"
#include "conformance/run/explore.h"
#include "conformance/run/modules.h"
#include "reference/base/vector.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum {
    ACTIVE_PER_JOB = 2,       /* scenarios in between, for each job */
    PROBE_TIMEOUT_MS = 30000, /* a device that answers later than this hangs; compiles too */
    MESSAGES_MAX = 1 << 28,   /* bytes of one child's messages: final memories are among them */
    PROBE_MESSAGES_MAX = 1 << 20
};

typedef enum case_state {
    CASE_WAITING, /* for the pack or for a job */
    CASE_RUNNING,
    CASE_PROBING, /* died or timed out; a probe asks whether the device still computes */
    CASE_HELD,    /* judged, waits for the oracle */
    CASE_DONE     /* its record is out */
} case_state;

/* One scenario on one subject. */
typedef struct run_case {
    case_state state;
    bool unsaid; /* it has a record already and runs for the sake of other subjects only */
    bool heard;  /* a child of it has ended; the messages are what that said */
    double seconds;
    cnf_messages messages;
    cnf_judgement judgement;
    rt_text script;         /* of the choices of the child that runs, or ran last */
    cnf_explorer *explorer; /* NULL: runs once */
    struct run_case *worst; /* of the runs explored so far; NULL: none yet */
} run_case;

typedef struct run_scenario {
    const cnf_file *file;
    rt_text hash; /* of the file's content */
    rt_arena arena;
    rt_sink *sink;
    rt_buffer text;
    const scn_scenario *scenario;
    cnf_modules modules;
    const scn_scenario *compiled; /* with its images; NULL: not yet, or never */
    rt_buffer pack;
    bool packed;     /* the cases can begin, or are decided */
    run_case *cases; /* per subject */
    uint32_t done_count;
} run_scenario;

/* What became known about a subject during the run. */
typedef struct run_subject {
    bool unavailable, lost;
    rt_text reason;           /* of unavailable; after which scenario it was lost */
    const char **environment; /* of its executed children, NULL at the end */
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
    uint32_t oracle; /* index of the subject; SCN_NONE where it does not run */
    const char **worker_environment;
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

static void record_send(run_state *run, const cnf_record *record, const cnf_run_detail *detail)
{
    if (run->stopped) return;
    run->stopped = !run->listener(run->user, record, detail);
}

/* What the oracle's child said, where that proves something. */
static const cnf_messages *oracle_messages(const run_state *run, const run_scenario *scenario)
{
    if (run->oracle == SCN_NONE) return NULL;
    const run_case *oracle = &scenario->cases[run->oracle];
    bool passed = oracle->state == CASE_DONE && oracle->judgement.verdict == CNF_VERDICT_PASS;
    CHECK_IMPLIES(passed, oracle->heard);
    return passed ? &oracle->messages : NULL;
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
    rt_buffer warning = {0};
    if (one->explorer) {
        cnf_explorer_warn(one->explorer, &warning);
        cnf_explorer_free(one->explorer);
    }
    const cnf_record record = {.scenario = scenario->file->path,
                               .file = scenario->file->file,
                               .subject = run->options->subjects[subject].name,
                               .judgement = one->judgement,
                               .step_id = step_id(scenario, one->judgement.step),
                               .seconds = one->seconds,
                               .device = one->messages.device,
                               .driver = one->messages.driver,
                               .hash = scenario->hash,
                               .choices = one->script};
    const cnf_run_detail detail = {.scenario = scenario->compiled,
                                   .messages = one->heard ? &one->messages : NULL,
                                   .oracle = oracle_messages(run, scenario),
                                   .warning = rt_buffer_text(&warning)};
    if (!one->unsaid) record_send(run, &record, &detail);
    rt_buffer_free(&warning);
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

/* A subject is compared with the oracle where both chose alike; scripts say what was prescribed. */
static void case_compare(run_scenario *scenario, const run_case *oracle, run_case *other)
{
    CHECK(oracle->judgement.verdict == CNF_VERDICT_PASS);
    if (!rt_text_equal(oracle->script, other->script)) return;
    if (other->judgement.verdict == CNF_VERDICT_PASS)
        cnf_differential(&scenario->arena, scenario->compiled, &oracle->messages, &other->messages,
                         &other->judgement);
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
static void case_settle(run_state *run, run_scenario *scenario, uint32_t subject)
{
    if (subject == run->oracle) {
        case_done(run, scenario, subject);
    } else {
        scenario->cases[subject].state = CASE_HELD;
    }
    cases_release(run, scenario);
}

/* ---- Exploring ----------------------------------------------------------------------------- */

/* What a run of a script showed is unexpected: says which choices led there. */
static void explored_explain(run_scenario *scenario, run_case *one)
{
    if (cnf_verdict_effect(one->judgement.verdict) == CNF_EFFECT_EXPECTED) return;
    rt_buffer text = {0};
    rt_buffer_printf(&text, "with --choices %.*s", RT_TEXT_ARG(one->script));
    for (uint32_t i = 0; i < one->messages.choice_count; i++) {
        const cnf_choice *choice = &one->messages.choices[i];
        rt_buffer_printf(&text, "%s%.*s: %u of %u", i ? ", " : " (", RT_TEXT_ARG(choice->rule),
                         choice->taken, choice->of);
    }
    rt_buffer_printf(&text, "%s:\n%.*s", one->messages.choice_count ? ")" : "",
                     RT_TEXT_ARG(one->judgement.message));
    one->judgement.message = rt_arena_text(&scenario->arena, rt_buffer_text(&text));
    rt_buffer_free(&text);
}

/* Keeps the run if it is the first or worse than those before it. */
static void explored_keep(run_scenario *scenario, run_case *one)
{
    if (!one->worst) {
        one->worst = rt_arena_alloc(&scenario->arena, sizeof *one->worst);
    } else if (cnf_verdict_effect(one->judgement.verdict) <=
               cnf_verdict_effect(one->worst->judgement.verdict)) {
        return;
    }
    *one->worst = *one;
    explored_explain(scenario, one->worst);
}

/* Takes what the run of one script came to.  True: the case has another script to run. */
static bool case_explore(run_scenario *scenario, run_case *one)
{
    const cnf_verdict verdict = one->judgement.verdict;
    rt_text reason;
    if (one->messages.end == CNF_MESSAGES_ENDED &&
        !cnf_explorer_add(one->explorer, one->script, &one->messages, &reason)) {
        one->judgement.verdict = CNF_VERDICT_FAIL;
        one->judgement.signature = cnf_signature(&scenario->arena, RT_TEXT("finish"),
                                                 RT_TEXT("choices"), (rt_text){0}, (rt_text){0});
        one->judgement.message = rt_arena_printf(
            &scenario->arena, "the run did not follow its script: %.*s", RT_TEXT_ARG(reason));
    } else if (one->messages.choice_count > 0) {
        one->script = cnf_explorer_script(&scenario->arena, &one->messages);
    }
    explored_keep(scenario, one);
    /* What cannot be asked stays so, and further time limits would only cost time. */
    bool goes_on = cnf_verdict_ran(verdict) && verdict != CNF_VERDICT_TIMEOUT &&
                   verdict != CNF_VERDICT_HANG && verdict != CNF_VERDICT_LINKED;
    if (goes_on && cnf_explorer_next(one->explorer, &one->script)) return true;
    double seconds = one->seconds;
    *one = *one->worst;
    one->seconds = seconds;
    return false;
}

/* A child of the case has been judged, and its device found to answer or not. */
static void case_judged(run_state *run, run_scenario *scenario, uint32_t subject)
{
    run_case *one = &scenario->cases[subject];
    if (one->explorer && case_explore(scenario, one)) {
        one->state = CASE_WAITING;
    } else {
        case_settle(run, scenario, subject);
    }
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
                               .judgement = *judgement,
                               .hash = scenario->hash};
    record_send(run, &record, &(cnf_run_detail){0});
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

static bool pair_done(const run_state *run, const run_scenario *scenario, rt_text subject)
{
    const cnf_run_options *options = run->options;
    return options->is_done &&
           options->is_done(run->user, scenario->file->path, scenario->hash, subject);
}

/* Finds out which cases have their records already; false: all of them.  The oracle still runs for
 * the sake of a subject that is to be compared with it. */
static bool cases_begin(run_state *run, run_scenario *scenario)
{
    const cnf_run_options *options = run->options;
    if (pair_done(run, scenario, RT_TEXT("-"))) return false;
    for (uint32_t i = 0; i < options->subject_count; i++) {
        run_case *one = &scenario->cases[i];
        one->script = options->choices;
        one->unsaid = pair_done(run, scenario, options->subjects[i].name);
        if (one->unsaid && i != run->oracle) {
            one->state = CASE_DONE;
            scenario->done_count++;
        } else if (options->explore_max > 0) {
            one->explorer = rt_arena_alloc(&scenario->arena, sizeof *one->explorer);
        }
    }
    bool oracle_only = scenario->done_count + 1 == options->subject_count &&
                       run->oracle != SCN_NONE && scenario->cases[run->oracle].unsaid;
    return !oracle_only && scenario->done_count < options->subject_count;
}

/* Reads the file; false: nothing is to be run, because it is INVALID, which has been recorded, or
 * because all its records are there. */
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
    scenario->hash = cnf_file_hash(&scenario->arena, rt_buffer_text(&scenario->text));
    if (!cases_begin(run, scenario)) return false;
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
    if (cnf_modules_finish(&scenario->modules, &scenario->compiled, &judgement)) {
        scn_pack_write(&scenario->pack, scenario->compiled);
        return;
    }
    if (judgement.verdict == CNF_VERDICT_INVALID) {
        scenario_invalid(run, scenario, &judgement);
        scenario->done_count = run->options->subject_count;
    }
    for (uint32_t i = 0; scenario->done_count < run->options->subject_count; i++)
        if (scenario->cases[i].state != CASE_DONE) case_decide(run, scenario, i, &judgement);
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

/* What every child of the run gets. */
static cnf_child_start start_of(const run_state *run, uint64_t tag)
{
    return (cnf_child_start){.tag = tag,
                             .messages = CNF_CHILD_MESSAGES,
                             .timeout_ms = run->options->timeout_ms,
                             .memory_bytes = run->options->memory_bytes,
                             .messages_max = MESSAGES_MAX};
}

/* The arguments of an executed subject; the numbers are printed into `digits`. */
static void case_arguments(const run_state *run, const run_case *one, const char *name,
                           char digits[32], const char **out_arguments)
{
    const cnf_run_options *options = run->options;
    snprintf(digits, 32, "%llu", (unsigned long long)options->seed);
    uint32_t count = 0;
    out_arguments[count++] = "subject";
    out_arguments[count++] = name;
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
    if (one->script.length > 0) {
        out_arguments[count++] = "--choices";
        out_arguments[count++] = one->script.data;
    }
    out_arguments[count] = NULL;
}

static void case_start(run_state *run, uint32_t slot, uint32_t index)
{
    enum { ARGUMENTS = 11 };
    const run_scenario *scenario = run->slots[slot];
    const cnf_subject *subject = run->options->subjects[index].subject;
    run_case *one = &scenario->cases[index];
    cnf_child_start start = start_of(run, tag_make(JOB_CASE, slot, index));
    one->state = CASE_RUNNING;
    if (run->options->begun)
        run->options->begun(run->user, scenario->file->path, run->options->subjects[index].name);
    if (one->explorer && !one->worst) {
        cnf_explorer_begin(one->explorer, &run->slots[slot]->arena, one->script,
                           run->options->explore_max);
        bool begun = cnf_explorer_next(one->explorer, &one->script);
        CHECK(begun);
    }
    if (subject->forked) {
        forked_case forked = {
            subject,
            {run->options->seed, run->options->cache, run->options->profile, one->script},
            rt_buffer_bytes(&scenario->pack)};
        start.body = forked_body;
        start.user = &forked;
        cnf_pool_start(run->pool, &start);
        return;
    }
    char digits[32];
    const char *arguments[ARGUMENTS];
    case_arguments(run, one, subject->name, digits, arguments);
    start.arguments = arguments;
    start.environment = run->subjects[index].environment;
    start.input = rt_buffer_bytes(&scenario->pack);
    cnf_pool_start(run->pool, &start);
}

static void probe_start(run_state *run, uint32_t slot, uint32_t index)
{
    const char *arguments[] = {"probe", run->options->subjects[index].subject->name, "--compute",
                               NULL};
    cnf_child_start start = start_of(run, tag_make(JOB_PROBE, slot, index));
    start.timeout_ms = PROBE_TIMEOUT_MS;
    start.messages_max = PROBE_MESSAGES_MAX;
    start.arguments = arguments;
    start.environment = run->subjects[index].environment;
    run->slots[slot]->cases[index].state = CASE_PROBING;
    cnf_pool_start(run->pool, &start);
}

static void compile_start(run_state *run, uint32_t slot, uint32_t module)
{
    static const char *const arguments[] = {"worker", NULL};
    cnf_child_start start = start_of(run, tag_make(JOB_COMPILE, slot, module));
    start.messages = 1;
    start.arguments = arguments;
    start.environment = run->worker_environment;
    start.input = rt_buffer_bytes(&run->slots[slot]->modules.works[module].request);
    cnf_pool_start(run->pool, &start);
}

/* Decides a waiting case without a child where the subject is known not to run anything. */
static bool case_forestalled(run_state *run, run_scenario *scenario, uint32_t index)
{
    const run_subject *subject = &run->subjects[index];
    run_case *one = &scenario->cases[index];
    cnf_judgement judgement = {.step = SCN_NONE};
    if (!subject->unavailable && !subject->lost) return false;
    if (one->worst) { /* It was being explored when the device was lost. */
        *one = *one->worst;
        case_settle(run, scenario, index);
        return true;
    }
    if (subject->unavailable) {
        judgement.verdict = CNF_VERDICT_UNAVAILABLE;
        judgement.message = subject->reason;
    } else {
        judgement.verdict = CNF_VERDICT_POISONED;
        judgement.message =
            rt_arena_printf(&scenario->arena, "%.*s; the device was not asked again in this run",
                            RT_TEXT_ARG(subject->reason));
        judgement.signature = cnf_signature(&scenario->arena, RT_TEXT("start"), RT_TEXT("poisoned"),
                                            (rt_text){0}, (rt_text){0});
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
    one->heard = true;
    cnf_judge(&scenario->arena, result, &one->messages, &one->judgement);
    one->seconds += result->seconds;
    cnf_verdict verdict = one->judgement.verdict;
    if (verdict == CNF_VERDICT_UNAVAILABLE && !run->subjects[index].unavailable) {
        run->subjects[index].unavailable = true;
        run->subjects[index].reason = rt_arena_text(&run->arena, one->judgement.message);
    }
    /* A forked subject has no device that could be lost. */
    bool probes = (verdict == CNF_VERDICT_TIMEOUT || verdict == CNF_VERDICT_CRASH) &&
                  !run->options->subjects[index].subject->forked;
    if (probes) {
        probe_start(run, slot, index);
    } else {
        case_judged(run, scenario, index);
    }
}

/* What is wrong with the device after a crash or a time limit; empty: it computes. */
static rt_text probe_complaint(rt_arena *arena, const cnf_child_result *result)
{
    cnf_messages answer;
    cnf_messages_read(arena, rt_buffer_text(&result->messages), &answer);
    if (result->end == CNF_CHILD_NOT_STARTED) return (rt_text){0}; /* Nobody asked the device. */
    if (answer.probe == CNF_PROBE_RIGHT && result->end == CNF_CHILD_EXITED) return (rt_text){0};
    if (answer.probe == CNF_PROBE_WRONG)
        return rt_arena_printf(arena, "the device does not compute any more: %.*s",
                               RT_TEXT_ARG(answer.reason));
    if (answer.end == CNF_MESSAGES_UNAVAILABLE)
        return rt_arena_printf(arena, "the device cannot be opened any more: %.*s",
                               RT_TEXT_ARG(answer.reason));
    if (result->end == CNF_CHILD_TIMED_OUT)
        return rt_arena_printf(arena, "the device does not answer any more (asked for %d s)",
                               PROBE_TIMEOUT_MS / 1000);
    return RT_TEXT("the device does not answer any more: the process that asked it died");
}

static void probe_ended(run_state *run, uint32_t slot, uint32_t index, cnf_child_result *result)
{
    run_scenario *scenario = run->slots[slot];
    run_case *one = &scenario->cases[index];
    run_subject *subject = &run->subjects[index];
    CHECK(one->state == CASE_PROBING);
    rt_text complaint = probe_complaint(&scenario->arena, result);
    if (complaint.length > 0) {
        if (one->judgement.verdict == CNF_VERDICT_TIMEOUT)
            one->judgement.verdict = CNF_VERDICT_HANG;
        one->judgement.message =
            rt_arena_printf(&scenario->arena, "%.*s\n%.*s", RT_TEXT_ARG(one->judgement.message),
                            RT_TEXT_ARG(complaint));
        if (!subject->lost) {
            subject->reason =
                rt_arena_printf(&run->arena, "after %.*s %.*s", RT_TEXT_ARG(scenario->file->path),
                                RT_TEXT_ARG(complaint));
        }
        subject->lost = true;
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

static uint32_t list_length(const char *const *list)
{
    uint32_t count = 0;
    while (list && list[count])
        count++;
    return count;
}

/* Joins lists of "NAME=value" with what tells children where the cache is.  Of several values the
 * last counts. */
static const char **environment_make(run_state *run, const char *const *first,
                                     const char *const *second)
{
    uint32_t count = 0, first_count = list_length(first), second_count = list_length(second);
    const char **joined =
        rt_arena_alloc_array(&run->arena, first_count + second_count + 2, sizeof *joined);
    rt_text cache = run->options->cache;
    if (cache.length > 0) {
        joined[count++] =
            rt_arena_printf(&run->arena, "ASSAY_CACHE_DIR=%.*s", RT_TEXT_ARG(cache)).data;
    }
    for (uint32_t i = 0; i < first_count; i++)
        joined[count++] = first[i];
    for (uint32_t i = 0; i < second_count; i++)
        joined[count++] = second[i];
    return joined;
}

static void run_begin(run_state *run)
{
    const cnf_run_options *options = run->options;
    run->subjects =
        rt_arena_alloc_array(&run->arena, options->subject_count, sizeof *run->subjects);
    run->slot_count = options->job_count * ACTIVE_PER_JOB;
    run->slots = rt_arena_alloc_array(&run->arena, run->slot_count, sizeof(run_scenario *));
    run->worker_environment = environment_make(run, NULL, NULL);
    run->oracle = SCN_NONE;
    for (uint32_t i = 0; i < options->subject_count; i++) {
        const cnf_run_subject *column = &options->subjects[i];
        const char *const *own =
            column->subject->environment ? column->subject->environment(&run->arena) : NULL;
        run->subjects[i].environment = environment_make(run, own, column->options);
        if (!column->subject->oracle) continue;
        CHECK(run->oracle == SCN_NONE);
        run->oracle = i;
    }
    rt_text warning;
    run->cache = cnf_cache_open(options->cache, &warning);
    if (warning.length > 0) fprintf(stderr, "assay: warning: %.*s\n", RT_TEXT_ARG(warning));
}

/* The records of a file that was not begun.  It is read all the same, because what has its record
 * from an earlier run is known by the content; what is no file has no hash and is not run. */
static void file_abandon(run_state *run, const cnf_file *file, const cnf_judgement *not_run)
{
    run_scenario scenario = {.file = file, .sink = rt_sink_create()};
    rt_status status =
        cnf_file_read(scenario.sink, file->file, RT_SCENARIO_SIZE_MAX, &scenario.text);
    if (rt_ok(status))
        scenario.hash = cnf_file_hash(&scenario.arena, rt_buffer_text(&scenario.text));
    bool invalid = pair_done(run, &scenario, RT_TEXT("-"));
    for (uint32_t i = 0; i < run->options->subject_count && !invalid; i++) {
        const cnf_record record = {.scenario = file->path,
                                   .file = file->file,
                                   .subject = run->options->subjects[i].name,
                                   .judgement = *not_run,
                                   .hash = scenario.hash};
        if (!pair_done(run, &scenario, record.subject))
            record_send(run, &record, &(cnf_run_detail){0});
    }
    rt_buffer_free(&scenario.text);
    rt_sink_destroy(scenario.sink);
    rt_arena_reset(&scenario.arena);
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
            if (!judged) one->heard = false;
            case_done(run, scenario, i);
        }
        if (scenario) scenario_close(run, slot);
    }
    for (; run->next_file < run->file_count; run->next_file++)
        file_abandon(run, &run->files[run->next_file], &not_run);
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
