/* The green run and the runs with faults; see prove.h for the method.
 *
 * Each run is this program as `assay run FILE --on sim`, whose record is read back.  It does not
 * close rules by anything but scenarios: a rule whose `proof:` names another kind of evidence and
 * that no scenario covers is missing.  Source: the design, "Rules in the code". */
#include "conformance/requirements/prove.h"

#include "conformance/requirements/scratch.h"
#include "conformance/run/child.h"
#include "reference/base/vector.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

enum { REPORT_MAX = 1 << 24 /* bytes of one run's printed report */ };

/* One site with its fault: which citing scenario to try next. */
typedef struct prove_site {
    cnf_site site;
    uint32_t next_citation;
    uint32_t number;
} prove_site;

typedef struct prove_state {
    rt_sink *sink;
    rt_arena *arena;
    const cnf_rules *rules;
    const cnf_files *files;
    const cnf_citations *citations;
    const cnf_prove_options *options;
    rt_text scratch; /* temporary folder of everything */
    cnf_pool *pool;
    bool *green; /* per file: passes without a fault */
    RT_VECTOR(prove_site) sites;
    RT_VECTOR(uint64_t) reached; /* pairs file << 32 | site: the green run of file reached site */
    RT_VECTOR(rt_text) complaints;
    uint32_t done, total;
} prove_state;

static rt_status interrupted(prove_state *prove)
{
    return rt_fail(prove->sink, RT_IO, RT_RULE_NONE, "interrupted; nothing is proven");
}

static void progress_show(const prove_state *prove, const char *phase)
{
    if (!prove->options->shows_progress) return;
    fprintf(stderr, "\r\033[K%s [%u/%u]", phase, prove->done, prove->total);
    fflush(stderr);
}

static void complain(prove_state *prove, uint32_t file, const char *what, rt_text detail)
{
    *rt_vector_push(&prove->complaints) =
        rt_arena_printf(prove->arena, "%.*s: %s%.*s", RT_TEXT_ARG(prove->files->items[file].path),
                        what, RT_TEXT_ARG(detail));
}

/* ---- One run ------------------------------------------------------------------------------- */

/* Starts `assay run FILE --on sim` whose records, hits and artefacts go to files called `name`.
 * `variable` is the entry for the environment. */
static void run_start(prove_state *prove, uint32_t file, const char *name, const char *variable,
                      uint64_t tag)
{
    rt_arena *arena = prove->arena;
    rt_text json = rt_arena_printf(arena, "%.*s/%s.json", RT_TEXT_ARG(prove->scratch), name);
    rt_text cache = rt_arena_printf(arena, "%.*s/%s.cache", RT_TEXT_ARG(prove->scratch), name);
    rt_text limit = rt_arena_printf(arena, "%u", prove->options->timeout_s);
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
                                   /* Reading, compiling and running, and time to report. */
                                   .timeout_ms = (3 * prove->options->timeout_s + 30) * 1000,
                                   .messages_max = REPORT_MAX,
                                   .tag = tag};
    cnf_pool_start(prove->pool, &start);
}

typedef struct run_outcome {
    rt_text verdict, signature, step_id;
} run_outcome;

static rt_text json_text(rt_arena *arena, const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return rt_arena_text(arena, rt_text_of(json_is_string(value) ? json_string_value(value) : ""));
}

/* Reads the first record of a run; an empty verdict where there is none. */
static run_outcome run_read(prove_state *prove, const char *name)
{
    run_outcome outcome = {0};
    rt_buffer text;
    rt_text path = rt_arena_printf(prove->arena, "%.*s/%s.json", RT_TEXT_ARG(prove->scratch), name);
    /* A sink of its own: a missing file is an answer here, not a failure. */
    rt_sink *sink = rt_sink_create();
    if (rt_ok(cnf_file_read(sink, path, REPORT_MAX, &text))) {
        json_t *record = json_loadb(rt_buffer_string(&text), text.size,
                                    JSON_DISABLE_EOF_CHECK | JSON_REJECT_DUPLICATES, NULL);
        outcome.verdict = json_text(prove->arena, record, "verdict");
        outcome.signature = json_text(prove->arena, record, "signature");
        outcome.step_id = json_text(prove->arena, record, "step_id");
        json_decref(record);
    }
    rt_buffer_free(&text);
    rt_sink_destroy(sink);
    return outcome;
}

/* ---- The green run ------------------------------------------------------------------------- */

static void site_reached(prove_state *prove, uint32_t file, rt_text text)
{
    const char *mark = memchr(text.data, '@', text.length);
    if (!mark) return; /* cut short by a full disk */
    rt_text id = {text.data, (size_t)(mark - text.data)};
    uint32_t rule = cnf_rules_find(prove->rules, id);
    if (rule == UINT32_MAX) return;
    uint32_t site = 0;
    while (site < prove->sites.count && !rt_text_equal(prove->sites.items[site].site.text, text))
        site++;
    if (site == prove->sites.count) {
        cnf_site added = {.text = rt_arena_text(prove->arena, text), .rule = rule};
        *rt_vector_push(&prove->sites) = (prove_site){.site = added, .number = site};
    }
    *rt_vector_push(&prove->reached) = (uint64_t)file << 32 | site;
}

static void green_ended(prove_state *prove, uint32_t file)
{
    char name[32];
    snprintf(name, sizeof name, "green%u", file);
    run_outcome outcome = run_read(prove, name);
    prove->green[file] = rt_text_is(outcome.verdict, "PASS");
    if (!prove->green[file]) {
        complain(prove, file, "proves nothing, it does not pass without a fault: ",
                 outcome.verdict.length > 0 ? outcome.verdict : RT_TEXT("no record"));
        return;
    }
    rt_text path = rt_arena_printf(prove->arena, "%.*s/%s.hits", RT_TEXT_ARG(prove->scratch), name);
    rt_buffer text;
    rt_sink *sink = rt_sink_create();
    rt_status status = cnf_file_read(sink, path, REPORT_MAX, &text);
    rt_text rest = rt_ok(status) ? rt_buffer_text(&text) : (rt_text){0};
    while (rest.length > 0) {
        const char *newline = memchr(rest.data, '\n', rest.length);
        size_t length = newline ? (size_t)(newline - rest.data) : rest.length;
        site_reached(prove, file, (rt_text){rest.data, length});
        size_t used = newline ? length + 1 : length;
        rest = (rt_text){rest.data + used, rest.length - used};
    }
    rt_buffer_free(&text);
    rt_sink_destroy(sink);
}

static bool file_cites(const prove_state *prove, uint32_t file)
{
    for (uint32_t i = 0; i < prove->citations->count; i++) {
        const cnf_citation *citation = &prove->citations->items[i];
        if (citation->scenario == file && citation->rule != UINT32_MAX) return true;
    }
    return false;
}

static void green_start(prove_state *prove, uint32_t file)
{
    char name[32];
    snprintf(name, sizeof name, "green%u", file);
    rt_text variable = rt_arena_printf(prove->arena, "ASSAY_RULE_HITS=%.*s/%s.hits",
                                       RT_TEXT_ARG(prove->scratch), name);
    run_start(prove, file, name, variable.data, file);
}

static rt_status green_run(prove_state *prove)
{
    uint32_t next = 0;
    for (uint32_t file = 0; file < prove->files->count; file++)
        prove->total += file_cites(prove, file);
    for (;;) {
        while (next < prove->files->count &&
               cnf_pool_count(prove->pool) < prove->options->job_count) {
            if (file_cites(prove, next)) green_start(prove, next);
            next++;
        }
        progress_show(prove, "green run");
        if (cnf_pool_count(prove->pool) == 0) return RT_STATUS_OK;
        cnf_child_result result;
        if (cnf_pool_wait(prove->pool, &result) == CNF_POOL_INTERRUPTED) return interrupted(prove);
        green_ended(prove, (uint32_t)result.tag);
        cnf_child_result_free(&result);
        prove->done++;
    }
}

/* ---- The runs with faults ------------------------------------------------------------------ */

static bool reached(const prove_state *prove, uint32_t file, uint32_t site)
{
    for (uint32_t i = 0; i < prove->reached.count; i++)
        if (prove->reached.items[i] == ((uint64_t)file << 32 | site)) return true;
    return false;
}

/* Starts the next citing scenario that reaches the site; false: none is left. */
static bool fault_start(prove_state *prove, prove_site *site)
{
    while (site->next_citation < prove->citations->count) {
        const cnf_citation *citation = &prove->citations->items[site->next_citation++];
        if (citation->rule != site->site.rule || !reached(prove, citation->scenario, site->number))
            continue;
        char name[48];
        snprintf(name, sizeof name, "fault%u.%u", site->number, site->next_citation - 1);
        rt_text variable =
            rt_arena_printf(prove->arena, "ASSAY_FAULT=%.*s", RT_TEXT_ARG(site->site.text));
        run_start(prove, citation->scenario, name, variable.data,
                  (uint64_t)site->number << 32 | (site->next_citation - 1));
        return true;
    }
    return false;
}

/* A failed expectation has a signature whose stage is a step; everything else that goes wrong is
 * noticed, but not by what the scenario expects. */
static cnf_proof_state outcome_state(const run_outcome *outcome, const cnf_citation *citation)
{
    if (rt_text_is(outcome->verdict, "PASS") || rt_text_is(outcome->verdict, "SKIP"))
        return CNF_PROOF_SURVIVED;
    bool expected = rt_text_is(outcome->verdict, "FAIL") &&
                    rt_text_starts(outcome->signature, "step") &&
                    (citation->at.length == 0 || rt_text_equal(citation->at, outcome->step_id));
    return expected ? CNF_PROOF_COVERED : CNF_PROOF_ASSERTED;
}

static void fault_ended(prove_state *prove, uint64_t tag)
{
    prove_site *site = &prove->sites.items[tag >> 32];
    const cnf_citation *citation = &prove->citations->items[(uint32_t)tag];
    char name[48];
    snprintf(name, sizeof name, "fault%u.%u", site->number, (uint32_t)tag);
    run_outcome outcome = run_read(prove, name);
    cnf_proof_state state = outcome_state(&outcome, citation);
    if (state <= site->site.state) return;
    site->site.state = state;
    site->site.detail = rt_arena_printf(
        prove->arena, "%.*s: %.*s %.*s", RT_TEXT_ARG(prove->files->items[citation->scenario].path),
        RT_TEXT_ARG(outcome.verdict.length > 0 ? outcome.verdict : RT_TEXT("no record")),
        RT_TEXT_ARG(outcome.signature));
}

static rt_status fault_run(prove_state *prove)
{
    uint32_t next = 0;
    prove->done = 0;
    prove->total = prove->sites.count;
    for (;;) {
        while (next < prove->sites.count &&
               cnf_pool_count(prove->pool) < prove->options->job_count) {
            prove->done += !fault_start(prove, &prove->sites.items[next]);
            next++;
        }
        progress_show(prove, "faults");
        if (cnf_pool_count(prove->pool) == 0) return RT_STATUS_OK;
        cnf_child_result result;
        if (cnf_pool_wait(prove->pool, &result) == CNF_POOL_INTERRUPTED) return interrupted(prove);
        fault_ended(prove, result.tag);
        prove_site *site = &prove->sites.items[result.tag >> 32];
        bool settled = site->site.state == CNF_PROOF_COVERED || !fault_start(prove, site);
        prove->done += settled;
        cnf_child_result_free(&result);
    }
}

/* ---- Blunt faults -------------------------------------------------------------------------- */

/* The next pair of a covered site and a file after `pair`, as site * files + file; the number of
 * all pairs where there is none. */
static uint64_t pair_next(const prove_state *prove, uint64_t pair)
{
    uint64_t end = (uint64_t)prove->sites.count * prove->files->count;
    while (pair < end &&
           prove->sites.items[pair / prove->files->count].site.state != CNF_PROOF_COVERED)
        pair++;
    return pair;
}

static void blunt_name(char *out_name, size_t size, uint64_t pair)
{
    snprintf(out_name, size, "blunt%llu", (unsigned long long)pair);
}

static void blunt_start(prove_state *prove, uint64_t pair)
{
    char name[48];
    blunt_name(name, sizeof name, pair);
    const prove_site *site = &prove->sites.items[pair / prove->files->count];
    rt_text variable =
        rt_arena_printf(prove->arena, "ASSAY_FAULT=%.*s", RT_TEXT_ARG(site->site.text));
    run_start(prove, (uint32_t)(pair % prove->files->count), name, variable.data, pair);
}

/* Every scenario with every covered fault: a fault that fails many of them says little about its
 * rule. */
static rt_status blunt_run(prove_state *prove)
{
    uint64_t end = (uint64_t)prove->sites.count * prove->files->count;
    uint64_t next = pair_next(prove, 0);
    prove->done = prove->total = 0;
    for (uint32_t i = 0; i < prove->sites.count; i++) {
        bool covered = prove->sites.items[i].site.state == CNF_PROOF_COVERED;
        prove->total += covered ? prove->files->count : 0;
    }
    for (;;) {
        while (next < end && cnf_pool_count(prove->pool) < prove->options->job_count) {
            blunt_start(prove, next);
            next = pair_next(prove, next + 1);
        }
        progress_show(prove, "blunt faults");
        if (cnf_pool_count(prove->pool) == 0) return RT_STATUS_OK;
        cnf_child_result result;
        if (cnf_pool_wait(prove->pool, &result) == CNF_POOL_INTERRUPTED) return interrupted(prove);
        char name[48];
        blunt_name(name, sizeof name, result.tag);
        run_outcome outcome = run_read(prove, name);
        prove_site *site = &prove->sites.items[result.tag / prove->files->count];
        site->site.kill_count +=
            !rt_text_is(outcome.verdict, "PASS") && !rt_text_is(outcome.verdict, "SKIP");
        cnf_child_result_free(&result);
        prove->done++;
    }
}

/* ---- The whole ----------------------------------------------------------------------------- */

/* The state of a rule is that of its weakest site that was tried. */
static void states_combine(const prove_state *prove, cnf_proof *proof)
{
    proof->states = rt_arena_alloc_array(prove->arena, prove->rules->count, sizeof *proof->states);
    for (uint32_t i = 0; i < prove->citations->count; i++) {
        const cnf_citation *citation = &prove->citations->items[i];
        if (citation->rule != UINT32_MAX) proof->states[citation->rule] = CNF_PROOF_NOT_HIT;
    }
    for (uint32_t i = 0; i < prove->sites.count; i++) {
        const cnf_site *site = &prove->sites.items[i].site;
        cnf_proof_state *state = &proof->states[site->rule];
        if (site->state < CNF_PROOF_SURVIVED) continue; /* no citing scenario reaches it */
        if (*state == CNF_PROOF_NOT_HIT || site->state < *state) *state = site->state;
    }
}

static void proof_keep(const prove_state *prove, cnf_proof *out_proof)
{
    *out_proof =
        (cnf_proof){.rules = prove->rules,
                    .site_count = prove->sites.count,
                    .scenario_count = prove->options->counts_kills ? prove->files->count : 0,
                    .complaint_count = prove->complaints.count};
    cnf_site *sites = rt_arena_alloc_array(prove->arena, prove->sites.count + 1, sizeof *sites);
    for (uint32_t i = 0; i < prove->sites.count; i++)
        sites[i] = prove->sites.items[i].site;
    out_proof->sites = sites;
    rt_text *texts = rt_arena_alloc_array(prove->arena, prove->complaints.count + 1, sizeof *texts);
    for (uint32_t i = 0; i < prove->complaints.count; i++)
        texts[i] = prove->complaints.items[i];
    out_proof->complaints = texts;
    states_combine(prove, out_proof);
}

rt_status cnf_prove(rt_sink *sink, rt_arena *arena, const cnf_rules *rules, const cnf_files *files,
                    const cnf_citations *citations, const cnf_prove_options *options,
                    cnf_proof *out_proof)
{
    CHECK(options->job_count > 0 && options->timeout_s > 0);
    *out_proof = (cnf_proof){0};
    prove_state prove = {.sink = sink,
                         .arena = arena,
                         .rules = rules,
                         .files = files,
                         .citations = citations,
                         .options = options};
    RT_TRY(cnf_scratch_make(sink, arena, &prove.scratch));
    prove.green = rt_arena_alloc_array(arena, files->count + 1, sizeof *prove.green);
    prove.pool = cnf_pool_create();
    rt_status status = RT_STATUS_OK;
    if (!prove.pool) {
        status =
            rt_fail(sink, RT_IO, RT_RULE_NONE, "no children can be watched: %s", strerror(errno));
    }
    if (rt_ok(status)) status = green_run(&prove);
    if (rt_ok(status)) status = fault_run(&prove);
    if (rt_ok(status) && options->counts_kills) status = blunt_run(&prove);
    if (options->shows_progress) fprintf(stderr, "\r\033[K");
    cnf_pool_destroy(prove.pool);
    cnf_scratch_remove(prove.scratch);
    if (rt_ok(status)) proof_keep(&prove, out_proof);
    rt_vector_free(&prove.sites);
    rt_vector_free(&prove.reached);
    rt_vector_free(&prove.complaints);
    return status;
}
