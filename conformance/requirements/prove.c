/* Proof by scenarios: the green run and the runs with faults. See prove.h for the method. Each run
 * starts this program as `assay run FILE --on sim` and reads back its record. programs.c contains
 * proofs by tests; decide.c combines all results. Source: ARCHITECTURE.md, "Rules in the code". */
#include "conformance/requirements/prove.h"

#include "conformance/process/scratch.h"
#include "conformance/requirements/prove_internal.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

typedef struct prove_state {
    cnf_prove_run run;
    const cnf_files *files;
    const cnf_citations *citations;
    bool *green; /* per file: passes without a fault */
    cnf_reached reached;
} prove_state;

rt_status cnf_prove_phase_run(cnf_prove_run *run, const cnf_prove_phase *phase, uint32_t total)
{
    uint64_t next = 0;
    run->done = 0;
    run->total = total;
    for (;;) {
        while (next < phase->count && cnf_pool_count(run->pool) < run->options->job_count)
            phase->start(phase->state, next++);
        CHECK(run->done <= run->total);
        if (run->options->shows_progress) {
            fprintf(stderr, "\r\033[K%s [%u/%u]", phase->name, run->done, run->total);
            fflush(stderr);
        }
        if (cnf_pool_count(run->pool) == 0) return RT_STATUS_OK;
        cnf_child_result result;
        if (cnf_pool_wait(run->pool, &result) == CNF_POOL_INTERRUPTED)
            return rt_fail(run->sink, RT_IO, RT_RULE_NONE, "interrupted; nothing is proven");
        phase->end(phase->state, &result);
        cnf_child_result_free(&result);
    }
}

uint32_t cnf_prove_limit_ms(const cnf_prove_options *options)
{
    enum { STAGES = 3, REPORTING_S = 30 };
    return (STAGES * options->timeout_s + REPORTING_S) * 1000;
}

/* Runs use the common artefact cache. The green run compiles everything, so that it reaches the
 * marks of the compiler, and keeps the artefacts for the runs with faults, most of which do not
 * change them; otherwise, compiling would take most of a proof's time. Artefacts that a fault
 * changes are not kept. What clang and the SYCL compiler print depends on no fault, and is often in
 * the cache already. */
#define GREEN_ANSWERS "ASSAY_CACHE_ANSWERS=keep"
#define FAULT_ANSWERS "ASSAY_CACHE_ANSWERS=find"

/* ---- One run ------------------------------------------------------------------------------- */

/* Starts `assay run FILE --on sim`, which writes its records to a file called `name`; `variable`
 * and `answers` are the entries for the environment. */
static void run_start(prove_state *prove, uint32_t file, const char *name, const char *variable,
                      const char *answers, uint64_t tag)
{
    rt_arena *arena = prove->run.arena;
    rt_text json = rt_arena_printf(arena, "%.*s/%s.json", RT_TEXT_ARG(prove->run.scratch), name);
    rt_text limit = rt_arena_printf(arena, "%u", prove->run.options->timeout_s);
    const char *arguments[] = {"run",       prove->files->items[file].file.data,
                               "--on",      "sim",
                               "--jobs",    "1",
                               "--json",    json.data,
                               "--timeout", limit.data,
                               NULL};
    const char *environment[] = {variable, answers, NULL};
    const cnf_child_start start = {.arguments = arguments,
                                   .environment = environment,
                                   .messages = 1,
                                   .timeout_ms = cnf_prove_limit_ms(prove->run.options),
                                   .messages_max = CNF_REPORT_MAX,
                                   .tag = tag};
    cnf_pool_start(prove->run.pool, &start);
}

/* An expectation that failed. */
typedef struct failed_step {
    rt_text id; /* empty: the step has none */
    cnf_evidence evidence;
} failed_step;

typedef struct run_outcome {
    rt_text verdict, signature;
    const failed_step *steps;
    uint32_t step_count;
} run_outcome;

static rt_text json_text(rt_arena *arena, const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return rt_arena_text(arena, rt_text_of(json_is_string(value) ? json_string_value(value) : ""));
}

/* Only the reference shows these. */
static const char *const internal_kinds[] = {"trace", "count", "program"};
/* Results of steps that should succeed. */
static const char *const refusal_codes[] = {"errc-", "link-error", "driver-error",
                                            "postlink-error"};

/* What a failed expectation shows; its signature is STEP:KIND:CODE:PLACE. */
static cnf_evidence evidence_of(rt_text signature)
{
    rt_text_take_until(&signature, ':');
    rt_text kind = rt_text_take_until(&signature, ':');
    for (size_t i = 0; i < sizeof internal_kinds / sizeof *internal_kinds; i++)
        if (rt_text_is(kind, internal_kinds[i])) return CNF_EVIDENCE_INTERNAL;
    if (rt_text_is(kind, "error")) return CNF_EVIDENCE_RESULT;
    for (size_t i = 0; i < sizeof refusal_codes / sizeof *refusal_codes; i++)
        if (rt_text_starts(signature, refusal_codes[i])) return CNF_EVIDENCE_REFUSAL;
    return CNF_EVIDENCE_RESULT;
}

/* Reads the steps whose expectations failed; a crash is no such failure. */
static void failed_steps_read(rt_arena *arena, const json_t *failures, run_outcome *out)
{
    failed_step *steps = rt_arena_alloc_array(arena, json_array_size(failures), sizeof *steps);
    size_t index;
    const json_t *failure;
    json_array_foreach(failures, index, failure)
    {
        rt_text signature = json_text(arena, failure, "signature");
        if (rt_text_starts(signature, "step"))
            steps[out->step_count++] =
                (failed_step){json_text(arena, failure, "step_id"), evidence_of(signature)};
    }
    out->steps = steps;
}

/* The best evidence of the expectations that failed, at the cited step if the citation names one;
 * NONE: no such expectation failed. */
static cnf_evidence outcome_evidence(const run_outcome *outcome, rt_text at)
{
    cnf_evidence best = CNF_EVIDENCE_NONE;
    for (uint32_t i = 0; i < outcome->step_count; i++)
        if ((at.length == 0 || rt_text_equal(at, outcome->steps[i].id)) &&
            outcome->steps[i].evidence > best)
            best = outcome->steps[i].evidence;
    return best;
}

/* Reads the first record of a run; if there is none, the verdict is empty. */
static run_outcome run_read(prove_state *prove, const char *name)
{
    run_outcome outcome = {0};
    rt_buffer text;
    rt_text path =
        rt_arena_printf(prove->run.arena, "%.*s/%s.json", RT_TEXT_ARG(prove->run.scratch), name);
    /* Uses a separate sink, because a missing file is not a failure here. */
    rt_sink *sink = rt_sink_create();
    if (rt_ok(cnf_file_read(sink, path, CNF_REPORT_MAX, &text))) {
        json_t *record = json_loadb(rt_buffer_string(&text), text.size,
                                    JSON_DISABLE_EOF_CHECK | JSON_REJECT_DUPLICATES, NULL);
        outcome.verdict = json_text(prove->run.arena, record, "verdict");
        outcome.signature = json_text(prove->run.arena, record, "signature");
        failed_steps_read(prove->run.arena, json_object_get(record, "failures"), &outcome);
        json_decref(record);
    }
    rt_buffer_free(&text);
    rt_sink_destroy(sink);
    return outcome;
}

/* ---- The green run ------------------------------------------------------------------------- */

static bool file_cites(const prove_state *prove, uint64_t file)
{
    for (uint32_t i = 0; i < prove->citations->count; i++) {
        const cnf_citation *citation = &prove->citations->items[i];
        if (citation->scenario == file && citation->rule != UINT32_MAX &&
            prove->run.is_wanted[citation->rule])
            return true;
    }
    return false;
}

static void green_start(void *user, uint64_t file)
{
    prove_state *prove = user;
    if (!file_cites(prove, file)) return;
    char name[32];
    snprintf(name, sizeof name, "green%u", (uint32_t)file);
    rt_text variable = rt_arena_printf(prove->run.arena, "ASSAY_RULE_HITS=%.*s/%s.hits",
                                       RT_TEXT_ARG(prove->run.scratch), name);
    run_start(prove, (uint32_t)file, name, variable.data, GREEN_ANSWERS, file);
}

static void green_ended(void *user, cnf_child_result *result)
{
    prove_state *prove = user;
    uint32_t file = (uint32_t)result->tag;
    CHECK(file < prove->files->count);
    char name[32];
    snprintf(name, sizeof name, "green%u", file);
    run_outcome outcome = run_read(prove, name);
    prove->run.done++;
    prove->green[file] = rt_text_is(outcome.verdict, "PASS");
    /* A scenario whose compiler is not installed proves nothing on this machine, but may on
     * another. */
    if (rt_text_is(outcome.verdict, "SKIP")) return;
    if (!prove->green[file]) {
        rt_text verdict = outcome.verdict.length > 0 ? outcome.verdict : RT_TEXT("no record");
        *rt_vector_push(&prove->run.complaints) = rt_arena_printf(
            prove->run.arena, "%.*s: proves nothing because it does not pass without a fault: %.*s",
            RT_TEXT_ARG(prove->files->items[file].path), RT_TEXT_ARG(verdict));
        return;
    }
    rt_text path =
        rt_arena_printf(prove->run.arena, "%.*s/%s.hits", RT_TEXT_ARG(prove->run.scratch), name);
    cnf_hits_read(&prove->run, path, file, false, &prove->reached);
}

/* ---- The runs with faults ------------------------------------------------------------------ */

/* True if no further scenario can say more about the fault. */
static bool fault_is_decided(const prove_state *prove, const cnf_site *site)
{
    return site->state == CNF_PROOF_COVERED &&
           (!prove->run.options->lists_internal || site->evidence > CNF_EVIDENCE_INTERNAL);
}

/* Starts the next citing scenario that reaches the fault; false if there is none. */
static bool fault_try(prove_state *prove, uint32_t number)
{
    cnf_reached_site *site = &prove->reached.sites.items[number];
    while (site->site.is_chosen && site->next < prove->citations->count) {
        uint32_t index = site->next++;
        const cnf_citation *citation = &prove->citations->items[index];
        if (citation->rule != site->site.rule || !cnf_reached_by(site, citation->scenario))
            continue;
        char name[48];
        snprintf(name, sizeof name, "fault%u.%u", number, index);
        rt_text variable =
            rt_arena_printf(prove->run.arena, "ASSAY_FAULT=%.*s", RT_TEXT_ARG(site->site.text));
        run_start(prove, citation->scenario, name, variable.data, FAULT_ANSWERS,
                  (uint64_t)number << 32 | index);
        return true;
    }
    return false;
}

static void fault_start(void *user, uint64_t number)
{
    prove_state *prove = user;
    prove->run.done += !fault_try(prove, (uint32_t)number);
}

static void fault_ended(void *user, cnf_child_result *result)
{
    prove_state *prove = user;
    uint32_t number = (uint32_t)(result->tag >> 32), index = (uint32_t)result->tag;
    CHECK(number < prove->reached.sites.count);
    CHECK(index < prove->citations->count);
    cnf_site *site = &prove->reached.sites.items[number].site;
    const cnf_citation *citation = &prove->citations->items[index];
    char name[48];
    snprintf(name, sizeof name, "fault%u.%u", number, index);
    run_outcome outcome = run_read(prove, name);
    /* Any other failure means that the fault was noticed, but not by the scenario's expectation. */
    cnf_evidence evidence = outcome_evidence(&outcome, citation->at);
    cnf_proof_state state = evidence != CNF_EVIDENCE_NONE ? CNF_PROOF_COVERED : CNF_PROOF_ASSERTED;
    if (rt_text_is(outcome.verdict, "PASS") || rt_text_is(outcome.verdict, "SKIP"))
        state = CNF_PROOF_SURVIVED;
    if (state > site->state || (state == site->state && evidence > site->evidence)) {
        rt_text verdict = outcome.verdict.length > 0 ? outcome.verdict : RT_TEXT("no record");
        site->state = state;
        site->evidence = evidence;
        site->detail = rt_arena_printf(prove->run.arena, "%.*s: %.*s %.*s",
                                       RT_TEXT_ARG(prove->files->items[citation->scenario].path),
                                       RT_TEXT_ARG(verdict), RT_TEXT_ARG(outcome.signature));
    }
    prove->run.done += fault_is_decided(prove, site) || !fault_try(prove, number);
}

/* ---- Blunt faults -------------------------------------------------------------------------- */

/* All scenarios run with every covered fault: a fault that makes many of them fail says little
 * about its rule. The number of a pair is site * files + file. */
static void blunt_start(void *user, uint64_t pair)
{
    prove_state *prove = user;
    const cnf_site *site = &prove->reached.sites.items[pair / prove->files->count].site;
    if (site->state != CNF_PROOF_COVERED) return;
    char name[48];
    snprintf(name, sizeof name, "blunt%llu", (unsigned long long)pair);
    rt_text variable =
        rt_arena_printf(prove->run.arena, "ASSAY_FAULT=%.*s", RT_TEXT_ARG(site->text));
    run_start(prove, (uint32_t)(pair % prove->files->count), name, variable.data, FAULT_ANSWERS,
              pair);
}

static void blunt_ended(void *user, cnf_child_result *result)
{
    prove_state *prove = user;
    char name[48];
    snprintf(name, sizeof name, "blunt%llu", (unsigned long long)result->tag);
    run_outcome outcome = run_read(prove, name);
    uint64_t number = result->tag / prove->files->count;
    CHECK(number < prove->reached.sites.count);
    prove->reached.sites.items[number].site.kill_count +=
        !rt_text_is(outcome.verdict, "PASS") && !rt_text_is(outcome.verdict, "SKIP");
    prove->run.done++;
}

/* ---- The whole ----------------------------------------------------------------------------- */

/* True if one of the patterns, which are separated by commas, matches the id. */
static bool rule_is_wanted(rt_text patterns, rt_text id)
{
    if (patterns.length == 0) return true;
    while (patterns.length > 0) {
        rt_text pattern = rt_text_take_until(&patterns, ',');
        bool is_prefix = pattern.length > 0 && pattern.data[pattern.length - 1] == '*';
        if (is_prefix) pattern.length--;
        if (is_prefix
                ? id.length >= pattern.length && memcmp(id.data, pattern.data, pattern.length) == 0
                : rt_text_equal(id, pattern))
            return true;
    }
    return false;
}

static const bool *wanted_rules(const cnf_prove_run *run)
{
    bool *is_wanted = rt_arena_alloc_array(run->arena, run->rules->count + 1, sizeof *is_wanted);
    for (uint32_t i = 0; i < run->rules->count; i++)
        is_wanted[i] = rule_is_wanted(run->options->rules, run->rules->items[i].id);
    return is_wanted;
}

static rt_status tables_read(prove_state *prove)
{
    const cnf_prove_options *options = prove->run.options;
    for (uint32_t i = 0; i < options->fault_table_count; i++)
        RT_TRY(cnf_fault_table_read(&prove->run, options->fault_tables[i], &prove->reached));
    return RT_STATUS_OK;
}

static rt_status green_run(prove_state *prove)
{
    const cnf_prove_phase green = {"green run", prove->files->count, green_start, green_ended,
                                   prove};
    uint32_t citing_count = 0;
    for (uint32_t i = 0; i < prove->files->count; i++)
        citing_count += file_cites(prove, i);
    return cnf_prove_phase_run(&prove->run, &green, citing_count);
}

static rt_status faults_run(prove_state *prove)
{
    const uint32_t count = prove->reached.sites.count;
    const cnf_prove_phase faults = {"faults", count, fault_start, fault_ended, prove};
    return cnf_prove_phase_run(&prove->run, &faults, count);
}

static rt_status blunt_run(prove_state *prove)
{
    const uint32_t site_count = prove->reached.sites.count, file_count = prove->files->count;
    const cnf_prove_phase blunt = {"blunt faults", (uint64_t)site_count * file_count, blunt_start,
                                   blunt_ended, prove};
    uint32_t covered_count = 0;
    if (!prove->run.options->counts_kills) return RT_STATUS_OK;
    for (uint32_t i = 0; i < site_count; i++)
        covered_count += prove->reached.sites.items[i].site.state == CNF_PROOF_COVERED;
    return cnf_prove_phase_run(&prove->run, &blunt, covered_count * file_count);
}

/* Runs everything; the results are in prove->reached and `out_front_end`. */
static rt_status prove_all(prove_state *prove, cnf_sites *out_front_end)
{
    RT_TRY(tables_read(prove));
    RT_TRY(green_run(prove));
    cnf_sample_choose(&prove->run, &prove->reached);
    RT_TRY(faults_run(prove));
    RT_TRY(cnf_programs_prove(&prove->run, &prove->reached, out_front_end));
    RT_TRY(cnf_same_code_find(&prove->run, &prove->reached));
    return blunt_run(prove);
}

rt_status cnf_prove(rt_sink *sink, rt_arena *arena, const cnf_rules *rules, const cnf_files *files,
                    const cnf_citations *citations, const cnf_prove_options *options,
                    cnf_proof *out_proof)
{
    CHECK(options->job_count > 0 && options->timeout_s > 0);
    *out_proof = (cnf_proof){0};
    prove_state prove = {.run = {.sink = sink, .arena = arena, .rules = rules, .options = options},
                         .files = files,
                         .citations = citations};
    RT_TRY(cnf_scratch_make(sink, arena, &prove.run.scratch));
    prove.green = rt_arena_alloc_array(arena, (size_t)files->count + 1, sizeof *prove.green);
    prove.run.is_wanted = wanted_rules(&prove.run);
    prove.run.pool = cnf_pool_create();
    rt_status status = RT_STATUS_OK;
    if (!prove.run.pool) {
        status = rt_fail(sink, RT_IO, RT_RULE_NONE, "child processes cannot be watched: %s",
                         strerror(errno));
    }
    cnf_sites front_end = {0};
    if (rt_ok(status)) status = prove_all(&prove, &front_end);
    if (options->shows_progress) fprintf(stderr, "\r\033[K");
    if (rt_ok(status))
        cnf_proof_decide(&prove.run, files, citations, prove.green, &prove.reached, &front_end,
                         out_proof);
    cnf_pool_destroy(prove.run.pool);
    cnf_scratch_remove(prove.run.scratch);
    cnf_reached_free(&prove.reached);
    rt_vector_free(&front_end);
    rt_vector_free(&prove.run.complaints);
    rt_vector_free(&prove.run.notes);
    return status;
}
