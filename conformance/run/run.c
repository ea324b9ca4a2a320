/* The scheduler of a run: one thread, one pool of children.
 *
 * A file becomes a model, then requests, then images, then one case per subject. The number of
 * scenarios in progress is bounded, and the one that has advanced furthest is served first, so that
 * memory does not grow with the suite. Verdicts are decided in verdict/ and printed by report/.
 * Source: docs/internals/conformance.md. */
#include "conformance/run/run_internal.h"

#include "conformance/verdict/judge.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { ACTIVE_PER_JOB = 2 }; /* scenarios in progress per job */

/* ---- Scenarios ----------------------------------------------------------------------------- */

static void scenario_close(run_state *run, uint32_t slot)
{
    run_scenario *scenario = run->slots[slot];
    run->slots[slot] = NULL;
    for (uint32_t i = 0; i < run->options->subject_count; i++)
        CHECK(scenario->cases[i].scratch.length == 0); /* no child of the case is alive */
    for (uint32_t i = 0; i < RUN_BUILDS; i++) {
        cnf_modules_free(&scenario->builds[i].modules);
        rt_buffer_free(&scenario->builds[i].pack);
    }
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
                               .again = scenario->file->again,
                               .subject = RT_TEXT("-"),
                               .judgement = *judgement,
                               .hash = scenario->hash};
    cnf_run_record_send(run, &record, &(cnf_run_detail){.source = rt_buffer_text(&scenario->text)});
}

static bool pair_done(const run_state *run, const run_scenario *scenario, rt_text subject)
{
    const cnf_run_options *options = run->options;
    return options->is_done &&
           options->is_done(run->user, scenario->file->path, scenario->hash, subject);
}

/* Finds the cases that already have their records. Returns false if all of them have. The oracle
 * runs again if another subject must be compared with it. */
static bool cases_begin(run_state *run, run_scenario *scenario)
{
    const cnf_run_options *options = run->options;
    if (pair_done(run, scenario, RT_TEXT("-"))) return false;
    for (uint32_t i = 0; i < options->subject_count; i++) {
        run_case *test_case = &scenario->cases[i];
        test_case->script = options->choices;
        test_case->is_recorded = pair_done(run, scenario, options->subjects[i].name);
        if (test_case->is_recorded && i != run->oracle) {
            test_case->state = CASE_DONE;
            scenario->done_count++;
        } else if (options->explore_max > 0) {
            test_case->explorer = rt_arena_alloc(&scenario->arena, sizeof *test_case->explorer);
        }
    }
    bool oracle_only = scenario->done_count + 1 == options->subject_count &&
                       run->oracle != SCN_NONE && scenario->cases[run->oracle].is_recorded;
    return !oracle_only && scenario->done_count < options->subject_count;
}

/* A copy of a scenario that is in no file, without the positions of its parts, which messages would
 * otherwise refer to. */
static const scn_scenario *positions_forget(rt_arena *arena, const scn_scenario *scenario)
{
    scn_scenario *copy = rt_arena_copy(arena, scenario, 1, sizeof *copy);
    scn_module *modules =
        rt_arena_copy(arena, scenario->modules, scenario->module_count, sizeof *modules);
    scn_step *steps = rt_arena_copy(arena, scenario->steps, scenario->step_count, sizeof *steps);
    for (uint32_t i = 0; i < scenario->module_count; i++) {
        scn_source *sources =
            rt_arena_copy(arena, modules[i].sources, modules[i].source_count, sizeof *sources);
        for (uint32_t k = 0; k < modules[i].source_count; k++)
            sources[k].at = sources[k].code_at = (scn_position){0};
        modules[i].sources = sources;
        modules[i].at = (scn_position){0};
    }
    for (uint32_t i = 0; i < scenario->step_count; i++) {
        scn_expect *expects =
            rt_arena_copy(arena, steps[i].expect, steps[i].expect_count, sizeof *expects);
        for (uint32_t k = 0; k < steps[i].expect_count; k++)
            expects[k].at = (scn_position){0};
        steps[i].expect = expects;
        steps[i].at = (scn_position){0};
    }
    copy->modules = modules;
    copy->steps = steps;
    return copy;
}

/* Adds the contents of files that the scenario names without a hash to the hash in its records. No
 * record of an earlier run then counts as this scenario's: --resume runs it again. */
static void scenario_hash_extend(run_scenario *scenario)
{
    rt_hash unpinned = scenario->scenario->unpinned;
    if (unpinned.low == 0 && unpinned.high == 0) return;
    rt_hash_text digits = rt_hash_print(unpinned);
    rt_text identity =
        rt_arena_printf(&scenario->arena, "%.*s%s", RT_TEXT_ARG(scenario->hash), digits.digits);
    scenario->hash = cnf_file_hash(&scenario->arena, identity);
}

/* INVALID, as from the compile worker, for errors that are known without it. */
static cnf_judgement judge_errors(rt_arena *arena, const scn_scenario *scenario,
                                  const cnf_file_errors *errors)
{
    CHECK(scenario->module_count > 0 && errors->message.length > 0);
    return (cnf_judgement){
        .verdict = CNF_VERDICT_INVALID,
        .signature =
            cnf_signature(arena, RT_TEXT("compile"), RT_TEXT("source"),
                          rt_text_of(rt_code_name(RT_COMPILE_TIME)), scenario->modules[0].name),
        .message = errors->message,
        .step = SCN_NONE,
        .code = {errors->file, errors->line, errors->column},
    };
}

/* Reads the file, or the checked scenario from its pack. Returns false if nothing needs to run: the
 * scenario is INVALID, which has been recorded, or all its records already exist. */
static bool scenario_read(run_state *run, run_scenario *scenario)
{
    const cnf_file *file = scenario->file;
    rt_arena *arena = &scenario->arena;
    cnf_judgement invalid;
    rt_status status = cnf_file_text(scenario->sink, file, &scenario->text);
    if (!rt_ok(status)) {
        invalid = cnf_judge_unreadable(arena, "file",
                                       rt_sink_diagnostic(scenario->sink, status)->message, 1);
        scenario_invalid(run, scenario, &invalid);
        return false;
    }
    scenario->hash = cnf_file_hash(arena, rt_buffer_text(&scenario->text));
    if (!cases_begin(run, scenario)) return false;
    if (file->packed) {
        const scn_scenario *read;
        status = scn_pack_read(scenario->sink, arena, file->packed->model, &read);
        if (rt_ok(status)) { /* messages name it as the command line does */
            scn_scenario *named = rt_arena_alloc(arena, sizeof *named);
            *named = *read;
            named->file = file->file;
            named->path = file->path;
            named->packed = true;
            scenario->scenario = named;
            return true;
        }
        rt_text message =
            rt_arena_printf(arena, "%.*s:1:1: error: %.*s", RT_TEXT_ARG(file->file),
                            RT_TEXT_ARG(rt_sink_diagnostic(scenario->sink, status)->message));
        invalid = cnf_judge_unreadable(arena, "pack", message, 1);
    } else {
        scn_problems problems;
        scenario->scenario =
            scn_read(arena, rt_buffer_text(&scenario->text), file->file, file->path, &problems);
        if (scenario->scenario && file->errors) {
            /* The text lacks the headers with the errors, so --resume runs it again. */
            scenario->hash =
                cnf_file_hash(arena, rt_arena_printf(arena, "%.*s%.*s", RT_TEXT_ARG(scenario->hash),
                                                     RT_TEXT_ARG(file->errors->message)));
            invalid = judge_errors(arena, scenario->scenario, file->errors);
            scenario_invalid(run, scenario, &invalid);
            return false;
        }
        if (scenario->scenario) {
            if (file->text.length > 0)
                scenario->scenario = positions_forget(arena, scenario->scenario);
            scenario_hash_extend(scenario);
            return true;
        }
        rt_buffer text = {0};
        scn_problems_write(&text, file->file, &problems);
        if (text.size > 0) text.size--; /* messages have no final line feed */
        bool is_in_file = problems.count > 0 && problems.items[0].file.length == 0;
        invalid =
            cnf_judge_unreadable(arena, "scenario", rt_arena_text(arena, rt_buffer_text(&text)),
                                 is_in_file ? problems.items[0].at.line : 0);
        rt_buffer_free(&text);
    }
    scenario_invalid(run, scenario, &invalid);
    return false;
}

/* ---- Builds -------------------------------------------------------------------------------- */

static const rt_format build_formats[RUN_BUILDS] = {RT_FORMAT_SPIRV64, RT_FORMAT_PTX};

run_build *cnf_run_build(const run_state *run, run_scenario *scenario, uint32_t subject)
{
    CHECK(subject < run->options->subject_count);
    rt_format format = run->options->subjects[subject].subject->format;
    for (uint32_t i = 0; i < RUN_BUILDS; i++)
        if (build_formats[i] == format) return &scenario->builds[i];
    UNREACHABLE();
}

static bool builds_complete(const run_scenario *scenario)
{
    for (uint32_t i = 0; i < RUN_BUILDS; i++) {
        const run_build *build = &scenario->builds[i];
        if (build->is_used && !cnf_modules_complete(&build->modules)) return false;
    }
    return true;
}

/* Lets the cases of the compiled scenario begin; or, if it has no images or is not to run, ends
 * them with the judgement that says why. */
static void scenario_complete(run_state *run, uint32_t slot)
{
    run_scenario *scenario = run->slots[slot];
    CHECK(!scenario->is_complete && builds_complete(scenario));
    scenario->is_complete = true;
    for (uint32_t i = 0; i < RUN_BUILDS; i++) {
        run_build *build = &scenario->builds[i];
        if (!build->is_used) continue;
        cnf_judgement judgement;
        if (cnf_modules_finish(&build->modules, &build->compiled, &judgement)) {
            if (!run->options->compile_only) continue;
            judgement = (cnf_judgement){.verdict = CNF_VERDICT_PASS, .step = SCN_NONE};
        }
        /* A source that compiles for one target but not for another does not make the scenario
         * invalid. */
        if (judgement.verdict == CNF_VERDICT_INVALID) {
            if (i == 0 || !scenario->builds[0].is_used) {
                scenario_invalid(run, scenario, &judgement);
                scenario_close(run, slot);
                return;
            }
            cnf_judge_other_format(&judgement);
        }
        for (uint32_t j = 0; j < run->options->subject_count; j++) {
            bool waits = scenario->cases[j].state != CASE_DONE;
            if (!waits || cnf_run_build(run, scenario, j) != build) continue;
            const cnf_judgement refusal =
                cnf_judge_refusal(&judgement, run->options->subjects[j].subject->oracle);
            cnf_run_case_decide(run, scenario, j, &refusal);
        }
    }
    if (scenario->done_count == run->options->subject_count) scenario_close(run, slot);
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
    CHECK(scenario->done_count < run->options->subject_count);
    for (uint32_t i = 0; i < run->options->subject_count; i++)
        if (scenario->cases[i].state != CASE_DONE) cnf_run_build(run, scenario, i)->is_used = true;
    for (uint32_t i = 0; i < RUN_BUILDS; i++) {
        run_build *build = &scenario->builds[i];
        if (!build->is_used) continue;
        rt_format format = build_formats[i];
        if (format == RT_FORMAT_PTX) format = cnf_modules_ptx_format(scenario->scenario);
        cnf_modules_begin(&build->modules, &scenario->arena, scenario->sink, scenario->scenario,
                          run->cache, run->options->profile, format);
    }
    if (builds_complete(scenario)) scenario_complete(run, slot);
}

/* ---- Choosing the next case ----------------------------------------------------------------- */

/* Starts the next waiting case of a scenario. Returns true if there was one. */
static bool slot_start_case(run_state *run, uint32_t slot)
{
    run_scenario *scenario = run->slots[slot];
    if (!scenario || !scenario->is_complete) return false;
    for (uint32_t i = 0; i < run->options->subject_count; i++) {
        const run_subject *subject = &run->subjects[i];
        if (scenario->cases[i].state != CASE_WAITING) continue;
        if (!subject->unavailable && !subject->lost) {
            cnf_run_case_start(run, slot, i);
            if (scenario->done_count == run->options->subject_count) scenario_close(run, slot);
            return true;
        }
        /* The device may have been lost while the case's choices were being explored. */
        if (scenario->cases[i].worst) {
            cnf_run_case_advance(run, scenario, i, CASE_CUT_SHORT);
            continue;
        }
        const cnf_judgement judgement = subject->unavailable
                                            ? cnf_judge_unavailable(subject->reason)
                                            : cnf_judge_poisoned(&scenario->arena, subject->reason);
        cnf_run_case_decide(run, scenario, i, &judgement);
    }
    if (scenario->done_count == run->options->subject_count) scenario_close(run, slot);
    return false;
}

/* True if an earlier build of the scenario has made the same request to a worker. */
static bool earlier_build_awaits(const run_scenario *scenario, uint32_t index, uint32_t module)
{
    const cnf_modules *modules = &scenario->builds[index].modules;
    for (uint32_t i = 0; i < index; i++) {
        const run_build *build = &scenario->builds[i];
        if (build->is_used && cnf_modules_awaits(&build->modules, modules, module)) return true;
    }
    return false;
}

/* Starts the next task, preferring the scenarios nearest to completion: first a case, then a worker
 * for a module, then a new file. Never blocks. Returns true if there was a task. */
static bool job_start(run_state *run)
{
    for (uint32_t slot = 0; slot < run->slot_count; slot++)
        if (slot_start_case(run, slot)) return true;
    for (uint32_t slot = 0; slot < run->slot_count; slot++) {
        run_scenario *scenario = run->slots[slot];
        if (!scenario || scenario->is_complete) continue;
        for (uint32_t i = 0; i < RUN_BUILDS; i++) {
            uint32_t module;
            run_build *build = &scenario->builds[i];
            while (build->is_used && cnf_modules_next(&build->modules, &module)) {
                if (earlier_build_awaits(scenario, i, module)) continue;
                cnf_run_compile_start(run, slot, i, module);
                return true;
            }
        }
    }
    for (uint32_t slot = 0; slot < run->slot_count && run->next_file < run->file_count; slot++) {
        if (run->slots[slot]) continue;
        scenario_open(run, slot, &run->files[run->next_file++]);
        return true;
    }
    return false;
}

/* ---- Ending jobs --------------------------------------------------------------------------- */

/* Gives a worker's answer to its build, and to those that wait for the same one. */
static void worker_ended(run_scenario *scenario, uint32_t index, uint32_t module,
                         cnf_child_result *result)
{
    cnf_modules *modules = &scenario->builds[index].modules;
    bool awaits[RUN_BUILDS];
    for (uint32_t i = 0; i < RUN_BUILDS; i++) {
        const run_build *build = &scenario->builds[i];
        awaits[i] =
            i != index && build->is_used && cnf_modules_awaits(&build->modules, modules, module);
    }
    cnf_modules_answer(modules, module, result);
    for (uint32_t i = 0; i < RUN_BUILDS; i++)
        if (awaits[i]) cnf_modules_copy(&scenario->builds[i].modules, modules, module);
}

static void job_ended(run_state *run, cnf_child_result *result)
{
    const run_job job = cnf_run_job_decode(result->tag);
    uint32_t slot = job.slot;
    if (job.kind == JOB_SHARED || job.kind == JOB_WORKER) {
        if (job.kind == JOB_SHARED) cnf_run_shared_ended(run, job.item, result);
        cnf_child_result_free(result);
        return;
    }
    CHECK(slot < run->slot_count && run->slots[slot]);
    run_scenario *scenario = run->slots[slot];
    switch (job.kind) {
    case JOB_COMPILE:
        CHECK(!scenario->is_complete && scenario->builds[job.item % RUN_BUILDS].is_used);
        if (result->child != 0) *rt_vector_push(&run->workers) = result->child;
        worker_ended(scenario, job.item % RUN_BUILDS, job.item / RUN_BUILDS, result);
        if (builds_complete(scenario)) scenario_complete(run, slot);
        break;
    case JOB_CASE: cnf_run_case_ended(run, slot, job.item, result); break;
    case JOB_PROBE: cnf_run_probe_ended(run, slot, job.item, result); break;
    case JOB_SHARED:
    case JOB_WORKER:
    case JOB_KINDS: UNREACHABLE();
    }
    scenario = run->slots[slot]; /* NULL: completing it also closed it */
    if (scenario && scenario->done_count == run->options->subject_count) scenario_close(run, slot);
    cnf_child_result_free(result);
}

/* ---- The run ------------------------------------------------------------------------------- */

/* Joins the variable that names the cache's folder and two lists of "NAME=value", each NULL or
 * NULL-terminated. If a variable has several values, the last one counts. */
static const char **environment_make(run_state *run, const char *const *first,
                                     const char *const *second)
{
    const char *const *const lists[] = {first, second};
    uint32_t count = 2; /* the cache, and the NULL */
    for (uint32_t list = 0; list < 2; list++)
        for (const char *const *entry = lists[list]; entry && *entry; entry++)
            count++;
    const char **joined = rt_arena_alloc_array(&run->arena, count, sizeof *joined);
    uint32_t used = 0;
    rt_text cache = run->options->cache;
    if (cache.length > 0) {
        joined[used++] =
            rt_arena_printf(&run->arena, "ASSAY_CACHE_DIR=%.*s", RT_TEXT_ARG(cache)).data;
    }
    for (uint32_t list = 0; list < 2; list++)
        for (const char *const *entry = lists[list]; entry && *entry; entry++)
            joined[used++] = *entry;
    CHECK(used < count && !joined[used]);
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
        const char *const *variables = column->subject->environment
                                           ? column->subject->environment(&run->arena, column->root)
                                           : NULL;
        run->subjects[i].environment = environment_make(run, variables, column->options);
        if (!column->subject->oracle || column->settings.length > 0) continue;
        CHECK(run->oracle == SCN_NONE);
        run->oracle = i;
    }
    rt_text warning;
    run->cache = cnf_cache_open(options->cache, &warning);
    /* Packed scenarios contain the answers that would be cached, so the cache's warning does not
     * matter. */
    bool packed = run->file_count > 0 && run->files[0].packed;
    if (warning.length > 0 && !packed)
        fprintf(stderr, "assay: warning: %.*s\n", RT_TEXT_ARG(warning));
}

/* Records NOT_RUN for a file that was not begun. The file is read nevertheless, because a record
 * from an earlier run is identified by the hash of the file's contents; a file that cannot be read
 * has no hash and is recorded as NOT_RUN. */
static void file_abandon(run_state *run, const cnf_file *file, const cnf_judgement *not_run)
{
    run_scenario scenario = {.file = file, .sink = rt_sink_create()};
    rt_status status = cnf_file_text(scenario.sink, file, &scenario.text);
    if (rt_ok(status))
        scenario.hash = cnf_file_hash(&scenario.arena, rt_buffer_text(&scenario.text));
    bool invalid = pair_done(run, &scenario, RT_TEXT("-"));
    for (uint32_t i = 0; i < run->options->subject_count && !invalid; i++) {
        const cnf_record record = {.scenario = file->path,
                                   .file = file->file,
                                   .again = file->again,
                                   .subject = run->options->subjects[i].name,
                                   .judgement = *not_run,
                                   .hash = scenario.hash};
        if (!pair_done(run, &scenario, record.subject))
            cnf_run_record_send(run, &record, &(cnf_run_detail){0});
    }
    rt_buffer_free(&scenario.text);
    rt_sink_destroy(scenario.sink);
    rt_arena_reset(&scenario.arena);
}

/* Records NOT_RUN for every case without a record; cases that have been judged keep their verdicts.
 */
static void run_abandon(run_state *run)
{
    const cnf_judgement not_run = cnf_judge_interrupted();
    for (uint32_t slot = 0; slot < run->slot_count; slot++) {
        run_scenario *scenario = run->slots[slot];
        for (uint32_t i = 0; scenario && i < run->options->subject_count; i++) {
            run_case *test_case = &scenario->cases[i];
            if (test_case->state == CASE_DONE) continue;
            bool judged = test_case->state == CASE_HELD || test_case->state == CASE_PROBING;
            if (!judged) test_case->judgement = not_run;
            if (!judged) test_case->has_messages = false;
            cnf_run_case_tidy(test_case); /* its child was killed with the run */
            cnf_run_case_advance(run, scenario, i, CASE_ABANDONED);
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
        if (cnf_pool_count(run->pool) == 0) {
            /* No case is left, so the children that wait for one close their devices. */
            cnf_run_shared_dismiss(run);
            cnf_run_workers_dismiss(run);
            if (!cnf_pool_has_children(run->pool)) return CNF_RUN_COMPLETE;
        }
        CHECK_SLOW(cnf_run_check(run));
        cnf_child_result result;
        if (cnf_pool_wait(run->pool, &result) == CNF_POOL_INTERRUPTED) return CNF_RUN_INTERRUPTED;
        job_ended(run, &result);
        CHECK_SLOW(cnf_run_check(run));
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
        fprintf(stderr, "assay: child processes cannot be watched: %s\n", strerror(errno));
    }
    cnf_pool_destroy(run.pool);
    run_abandon(&run);
    CHECK(run.next_file == file_count);
    cnf_cache_close(run.cache);
    cnf_run_shared_free(&run);
    rt_vector_free(&run.workers);
    rt_arena_reset(&run.arena);
    return end;
}
