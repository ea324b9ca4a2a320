/* Proof by scenarios: the green run and the runs with faults; and the combined result of all proofs
 * of a rule. See prove.h for the method. Each run starts this program as `assay run FILE --on sim`
 * and reads back its record. programs.c contains proofs by tests. A rule without any proof is
 * missing, except for umbrellas, which are closed when all their parts are. Source:
 * ARCHITECTURE.md, "Rules in the code". */
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

/* ---- One run ------------------------------------------------------------------------------- */

/* Starts `assay run FILE --on sim`, which writes its records to a file called `name`; `variable` is
 * the entry for the environment. A scenario's artefacts are kept for its runs with faults, most of
 * which do not change them; otherwise, compiling would take most of a proof's time. */
static void run_start(prove_state *prove, uint32_t file, const char *name, const char *variable,
                      uint64_t tag)
{
    rt_arena *arena = prove->run.arena;
    rt_text json = rt_arena_printf(arena, "%.*s/%s.json", RT_TEXT_ARG(prove->run.scratch), name);
    rt_text cache = rt_arena_printf(arena, "%.*s/%u.cache", RT_TEXT_ARG(prove->run.scratch), file);
    rt_text limit = rt_arena_printf(arena, "%u", prove->run.options->timeout_s);
    const char *arguments[] = {"run",       prove->files->items[file].file.data,
                               "--on",      "sim",
                               "--jobs",    "1",
                               "--json",    json.data,
                               "--cache",   cache.data,
                               "--timeout", limit.data,
                               NULL};
    const char *environment[] = {variable, NULL};
    const cnf_child_start start = {.arguments = arguments,
                                   .environment = environment,
                                   .messages = 1,
                                   .timeout_ms = cnf_prove_limit_ms(prove->run.options),
                                   .messages_max = CNF_REPORT_MAX,
                                   .tag = tag};
    cnf_pool_start(prove->run.pool, &start);
}

typedef struct run_outcome {
    rt_text verdict, signature;
    const rt_text *step_ids; /* of each expectation that failed; empty: its step has none */
    uint32_t step_count;
} run_outcome;

static rt_text json_text(rt_arena *arena, const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return rt_arena_text(arena, rt_text_of(json_is_string(value) ? json_string_value(value) : ""));
}

/* Reads the steps whose expectations failed; a crash is no such failure. */
static void failed_steps_read(rt_arena *arena, const json_t *failures, run_outcome *out)
{
    rt_text *ids = rt_arena_alloc_array(arena, json_array_size(failures), sizeof *ids);
    size_t index;
    const json_t *failure;
    json_array_foreach(failures, index, failure)
    {
        if (rt_text_starts(json_text(arena, failure, "signature"), "step"))
            ids[out->step_count++] = json_text(arena, failure, "step_id");
    }
    out->step_ids = ids;
}

/* True if an expectation failed: at the cited step, if the citation names one. */
static bool expectation_failed(const run_outcome *outcome, rt_text at)
{
    for (uint32_t i = 0; i < outcome->step_count; i++)
        if (at.length == 0 || rt_text_equal(at, outcome->step_ids[i])) return true;
    return false;
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
        if (citation->scenario == file && citation->rule != UINT32_MAX) return true;
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
    run_start(prove, (uint32_t)file, name, variable.data, file);
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
    cnf_hits hits;
    cnf_hits_read(prove->run.arena, prove->run.rules, path, &hits);
    for (uint32_t i = 0; i < hits.count; i++)
        cnf_reached_add(&prove->reached, file, &hits.items[i], false);
}

/* ---- The runs with faults ------------------------------------------------------------------ */

/* Starts the next citing scenario that reaches the site; false if there is none. */
static bool fault_try(prove_state *prove, uint32_t number)
{
    cnf_reached_site *site = &prove->reached.sites.items[number];
    while (site->next < prove->citations->count) {
        uint32_t index = site->next++;
        const cnf_citation *citation = &prove->citations->items[index];
        if (citation->rule != site->site.rule ||
            !cnf_reached_by(&prove->reached, citation->scenario, number))
            continue;
        char name[48];
        snprintf(name, sizeof name, "fault%u.%u", number, index);
        rt_text variable =
            rt_arena_printf(prove->run.arena, "ASSAY_FAULT=%.*s", RT_TEXT_ARG(site->site.text));
        run_start(prove, citation->scenario, name, variable.data, (uint64_t)number << 32 | index);
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
    bool is_expected = expectation_failed(&outcome, citation->at);
    cnf_proof_state state = is_expected ? CNF_PROOF_COVERED : CNF_PROOF_ASSERTED;
    if (rt_text_is(outcome.verdict, "PASS") || rt_text_is(outcome.verdict, "SKIP"))
        state = CNF_PROOF_SURVIVED;
    if (state > site->state) {
        rt_text verdict = outcome.verdict.length > 0 ? outcome.verdict : RT_TEXT("no record");
        site->state = state;
        site->detail = rt_arena_printf(prove->run.arena, "%.*s: %.*s %.*s",
                                       RT_TEXT_ARG(prove->files->items[citation->scenario].path),
                                       RT_TEXT_ARG(verdict), RT_TEXT_ARG(outcome.signature));
    }
    prove->run.done += site->state == CNF_PROOF_COVERED || !fault_try(prove, number);
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
    run_start(prove, (uint32_t)(pair % prove->files->count), name, variable.data, pair);
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

/* Derives each rule's state from the scenarios: the state of its weakest tested site. */
static void scenarios_decide(const prove_state *prove, cnf_proof *proof)
{
    for (uint32_t i = 0; i < prove->citations->count; i++) {
        const cnf_citation *citation = &prove->citations->items[i];
        if (citation->rule != UINT32_MAX) proof->states[citation->rule] = CNF_PROOF_NOT_HIT;
    }
    for (uint32_t i = 0; i < prove->reached.sites.count; i++) {
        const cnf_site *site = &prove->reached.sites.items[i].site;
        cnf_proof_state *state = &proof->states[site->rule];
        if (site->state < CNF_PROOF_SURVIVED) continue; /* no citing scenario reaches it */
        if (*state == CNF_PROOF_NOT_HIT || site->state < *state) *state = site->state;
    }
}

/* Adds the programs' results: where they give a rule a higher state than the scenarios do, that
 * state counts. */
static void programs_decide(cnf_prove_run *run, const cnf_site *sites, uint32_t count,
                            cnf_proof *proof)
{
    cnf_proof_state *states = rt_arena_alloc_array(run->arena, run->rules->count, sizeof *states);
    for (uint32_t i = 0; i < count; i++) {
        cnf_proof_state *state = &states[sites[i].rule];
        CHECK(sites[i].by_program && sites[i].state >= CNF_PROOF_UNTESTED);
        if (*state == CNF_PROOF_UNCITED || sites[i].state < *state) *state = sites[i].state;
    }
    for (uint32_t i = 0; i < run->rules->count; i++) {
        if (states[i] <= proof->states[i]) continue;
        proof->states[i] = states[i];
        proof->by_program[i] = true;
    }
}

/* An umbrella has no mark: the weakest of its parts decides. */
static void parts_decide(const cnf_rules *rules, cnf_proof *proof)
{
    for (uint32_t i = 0; i < rules->count; i++) {
        const cnf_rule *rule = &rules->items[i];
        if (rule->part_count == 0) continue;
        cnf_proof_state weakest = CNF_PROOF_COVERED;
        for (uint32_t k = 0; k < rule->part_count; k++) {
            CHECK(rule->parts[k] < rules->count && rules->items[rule->parts[k]].part_count == 0);
            cnf_proof_state state = proof->states[rule->parts[k]];
            if (state < weakest) weakest = state;
        }
        proof->states[i] = weakest;
    }
}

/* A citation claims that the scenario shows the rule. If no scenario supports the claim and nothing
 * else closes the rule, the claim is false. Scenarios that do not pass were already reported. */
static void citations_complain(prove_state *prove, const cnf_proof *proof)
{
    for (uint32_t i = 0; i < prove->citations->count; i++) {
        const cnf_citation *citation = &prove->citations->items[i];
        if (citation->rule == UINT32_MAX || !prove->green[citation->scenario]) continue;
        cnf_proof_state state = proof->states[citation->rule];
        bool is_noticed = state == CNF_PROOF_ASSERTED && !proof->by_program[citation->rule];
        if (state == CNF_PROOF_COVERED || is_noticed) continue;
        rt_text path = prove->files->items[citation->scenario].path;
        bool reaches = false;
        for (uint32_t k = 0; k < prove->reached.sites.count; k++) {
            const cnf_site *site = &prove->reached.sites.items[k].site;
            if (site->rule != citation->rule ||
                !cnf_reached_by(&prove->reached, citation->scenario, k))
                continue;
            reaches = true;
            if (site->state != CNF_PROOF_SURVIVED) continue;
            *rt_vector_push(&prove->run.complaints) =
                rt_arena_printf(prove->run.arena,
                                "%.*s: cited by %.*s, but the scenario passes with the rule broken",
                                RT_TEXT_ARG(site->text), RT_TEXT_ARG(path));
        }
        if (reaches) continue;
        *rt_vector_push(&prove->run.complaints) = rt_arena_printf(
            prove->run.arena, "%.*s: cited by %.*s, but the scenario reaches no mark of the rule",
            RT_TEXT_ARG(citation->id), RT_TEXT_ARG(path));
    }
}

static const rt_text *texts_keep(rt_arena *arena, const rt_text *items, uint32_t count)
{
    rt_text *texts = rt_arena_alloc_array(arena, (size_t)count + 1, sizeof *texts);
    for (uint32_t i = 0; i < count; i++)
        texts[i] = items[i];
    return texts;
}

static void proof_keep(prove_state *prove, const cnf_site *program_sites, uint32_t count,
                       cnf_proof *out_proof)
{
    cnf_prove_run *run = &prove->run;
    *out_proof = (cnf_proof){
        .rules = run->rules,
        .scenario_count = run->options->counts_kills ? prove->files->count : 0,
        .states = rt_arena_alloc_array(run->arena, run->rules->count, sizeof *out_proof->states),
        .by_program =
            rt_arena_alloc_array(run->arena, run->rules->count, sizeof *out_proof->by_program)};
    scenarios_decide(prove, out_proof);
    programs_decide(run, program_sites, count, out_proof);
    citations_complain(prove, out_proof); /* must precede parts_decide, because an umbrella has no
                                           * mark that a citation could reach */
    parts_decide(run->rules, out_proof);
    /* First the sites of scenarios, then those of programs. */
    const uint32_t first = prove->reached.sites.count;
    cnf_site *sites = rt_arena_alloc_array(run->arena, (size_t)first + count + 1, sizeof *sites);
    for (uint32_t i = 0; i < first + count; i++)
        sites[i] = i < first ? prove->reached.sites.items[i].site : program_sites[i - first];
    out_proof->sites = sites;
    out_proof->site_count = first + count;
    out_proof->complaints = texts_keep(run->arena, run->complaints.items, run->complaints.count);
    out_proof->complaint_count = run->complaints.count;
    out_proof->notes = texts_keep(run->arena, run->notes.items, run->notes.count);
    out_proof->note_count = run->notes.count;
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
    prove.run.pool = cnf_pool_create();
    rt_status status = RT_STATUS_OK;
    if (!prove.run.pool) {
        status = rt_fail(sink, RT_IO, RT_RULE_NONE, "child processes cannot be watched: %s",
                         strerror(errno));
    }
    const cnf_site *program_sites = NULL;
    uint32_t program_site_count = 0;
    const cnf_prove_phase green = {"green run", files->count, green_start, green_ended, &prove};
    uint32_t citing_count = 0, covered_count = 0;
    for (uint32_t i = 0; i < files->count; i++)
        citing_count += file_cites(&prove, i);
    if (rt_ok(status)) status = cnf_prove_phase_run(&prove.run, &green, citing_count);
    const uint32_t site_count = prove.reached.sites.count;
    const cnf_prove_phase faults = {"faults", site_count, fault_start, fault_ended, &prove};
    if (rt_ok(status)) status = cnf_prove_phase_run(&prove.run, &faults, site_count);
    if (rt_ok(status)) status = cnf_programs_prove(&prove.run, &program_sites, &program_site_count);
    for (uint32_t i = 0; i < site_count; i++)
        covered_count += prove.reached.sites.items[i].site.state == CNF_PROOF_COVERED;
    const cnf_prove_phase blunt = {"blunt faults", (uint64_t)site_count * files->count, blunt_start,
                                   blunt_ended, &prove};
    if (rt_ok(status) && options->counts_kills)
        status = cnf_prove_phase_run(&prove.run, &blunt, covered_count * files->count);
    if (options->shows_progress) fprintf(stderr, "\r\033[K");
    if (rt_ok(status)) proof_keep(&prove, program_sites, program_site_count, out_proof);
    cnf_pool_destroy(prove.run.pool);
    cnf_scratch_remove(prove.run.scratch);
    cnf_reached_free(&prove.reached);
    rt_vector_free(&prove.run.complaints);
    rt_vector_free(&prove.run.notes);
    return status;
}
