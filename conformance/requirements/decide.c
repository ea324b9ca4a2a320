/* The combined result of all proofs. A rule without any proof is missing, except for umbrellas,
 * which are closed when all their parts are. Source: ARCHITECTURE.md, "Rules in the code". */
#include "conformance/requirements/prove_internal.h"

typedef struct decision {
    cnf_prove_run *run;
    const cnf_files *files;
    const cnf_citations *citations;
    const bool *green;
    const cnf_reached *reached;
    cnf_proof *proof;
} decision;

/* ---- The states ---------------------------------------------------------------------------- */

/* The weakest of a rule's faults decides, and of those that scenarios noticed, the evidence of the
 * weakest. */
static void site_decides(cnf_proof *proof, bool *has_state, const cnf_site *site)
{
    cnf_proof_state *state = &proof->states[site->rule];
    cnf_evidence *evidence = &proof->evidence[site->rule];
    proof->by_program[site->rule] |= site->by_program;
    if (!has_state[site->rule] || site->state < *state) *state = site->state;
    has_state[site->rule] = true;
    if (site->evidence != CNF_EVIDENCE_NONE &&
        (*evidence == CNF_EVIDENCE_NONE || site->evidence < *evidence))
        *evidence = site->evidence;
}

static bool is_cited(const decision *d, uint32_t rule)
{
    for (uint32_t i = 0; i < d->citations->count; i++)
        if (d->citations->items[i].rule == rule) return true;
    return false;
}

static void states_decide(const decision *d)
{
    const uint32_t rule_count = d->run->rules->count;
    bool *has_state = rt_arena_alloc_array(d->run->arena, rule_count, sizeof *has_state);
    for (uint32_t i = 0; i < d->proof->site_count; i++) {
        const cnf_site *site = &d->proof->sites[i];
        if (site->is_chosen && !site->is_equivalent) site_decides(d->proof, has_state, site);
    }
    for (uint32_t rule = 0; rule < rule_count; rule++)
        if (d->proof->states[rule] == CNF_PROOF_UNCITED && is_cited(d, rule))
            d->proof->states[rule] = CNF_PROOF_NOT_HIT;
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

/* ---- The complaints ------------------------------------------------------------------------ */

/* Complains of citations whose scenarios reach no fault of the rule. Scenarios that do not pass
 * were already reported. */
static void citations_complain(const decision *d)
{
    for (uint32_t i = 0; i < d->citations->count; i++) {
        const cnf_citation *citation = &d->citations->items[i];
        if (citation->rule == UINT32_MAX || !d->green[citation->scenario]) continue;
        if (!d->run->is_wanted[citation->rule]) continue;
        if (d->proof->states[citation->rule] >= CNF_PROOF_ASSERTED) continue;
        bool reaches = false;
        for (uint32_t k = 0; k < d->reached->sites.count && !reaches; k++) {
            const cnf_reached_site *site = &d->reached->sites.items[k];
            reaches = site->site.rule == citation->rule && cnf_reached_by(site, citation->scenario);
        }
        if (reaches) continue;
        *rt_vector_push(&d->run->complaints) = rt_arena_printf(
            d->run->arena, "%.*s: cited by %.*s, but the scenario reaches no mark of the rule",
            RT_TEXT_ARG(citation->id), RT_TEXT_ARG(d->files->items[citation->scenario].path));
    }
}

/* Appends the scenarios and the number of programs that ran with the fault. */
static void trials_print(rt_buffer *out, const decision *d, const cnf_reached_site *site)
{
    const char *before = "";
    for (uint32_t i = 0; i < site->scenarios.count; i++) {
        const uint32_t file = site->scenarios.items[i];
        bool cites = false;
        for (uint32_t k = 0; k < d->citations->count && !cites; k++)
            cites = d->citations->items[k].scenario == file &&
                    d->citations->items[k].rule == site->site.rule;
        if (!cites) continue;
        rt_buffer_printf(out, "%s%.*s", before, RT_TEXT_ARG(d->files->items[file].path));
        before = ", ";
    }
    if (site->site.by_program)
        rt_buffer_printf(out, "%s%.*s", before, RT_TEXT_ARG(site->site.detail));
}

/* True if a fault of the mark is reached by something that can prove its rule. */
static bool mark_is_reached(const decision *d, rt_text mark)
{
    for (uint32_t i = 0; i < d->reached->sites.count; i++) {
        const cnf_site *site = &d->reached->sites.items[i].site;
        if (site->state > CNF_PROOF_NOT_HIT && rt_text_equal(cnf_site_mark(site), mark))
            return true;
    }
    return false;
}

/* Complains of a fault that nothing notices, and once of a mark that nothing reaches. */
static void site_complain(const decision *d, uint32_t index, rt_text *inout_unreached)
{
    const cnf_reached_site *reached = &d->reached->sites.items[index];
    const cnf_site *site = &reached->site;
    rt_arena *arena = d->run->arena;
    if (!site->is_chosen || site->is_equivalent || site->is_reviewed) return;
    if (site->state > CNF_PROOF_SURVIVED) return;
    rt_text mark = cnf_site_mark(site);
    if (site->state < CNF_PROOF_UNTESTED && !mark_is_reached(d, mark)) {
        if (d->run->options->sample > 0 || rt_text_equal(mark, *inout_unreached)) return;
        *inout_unreached = mark;
        *rt_vector_push(&d->run->complaints) =
            rt_arena_printf(arena, "%.*s: no scenario or test that cites the rule reaches the mark",
                            RT_TEXT_ARG(mark));
        return;
    }
    rt_buffer text = {0};
    cnf_site_print(&text, site);
    if (site->state >= CNF_PROOF_UNTESTED) {
        rt_buffer_printf(&text, " (passes unnoticed: ");
        trials_print(&text, d, reached);
        rt_buffer_append_byte(&text, ')');
    } else {
        rt_buffer_printf(&text, " (not reached)");
    }
    *rt_vector_push(&d->run->complaints) = rt_arena_text(arena, rt_buffer_text(&text));
    rt_buffer_free(&text);
}

/* ---- The whole ----------------------------------------------------------------------------- */

static const rt_text *texts_keep(rt_arena *arena, const rt_text *items, uint32_t count)
{
    rt_text *texts = rt_arena_alloc_array(arena, (size_t)count + 1, sizeof *texts);
    for (uint32_t i = 0; i < count; i++)
        texts[i] = items[i];
    return texts;
}

void cnf_proof_decide(cnf_prove_run *run, const cnf_files *files, const cnf_citations *citations,
                      const bool *green, const cnf_reached *reached, const cnf_sites *front_end,
                      cnf_proof *out_proof)
{
    const uint32_t rule_count = run->rules->count, first = reached->sites.count;
    rt_arena *arena = run->arena;
    cnf_site *sites =
        rt_arena_alloc_array(arena, (size_t)first + front_end->count + 1, sizeof *sites);
    for (uint32_t i = 0; i < first + front_end->count; i++)
        sites[i] = i < first ? reached->sites.items[i].site : front_end->items[i - first];
    *out_proof = (cnf_proof){
        .rules = run->rules,
        .is_wanted = run->is_wanted,
        .lists_refusals = run->options->lists_refusals,
        .lists_internal = run->options->lists_internal,
        .scenario_count = run->options->counts_kills ? files->count : 0,
        .states = rt_arena_alloc_array(arena, rule_count, sizeof *out_proof->states),
        .evidence = rt_arena_alloc_array(arena, rule_count, sizeof *out_proof->evidence),
        .by_program = rt_arena_alloc_array(arena, rule_count, sizeof *out_proof->by_program),
        .sites = sites,
        .site_count = first + front_end->count};
    const decision d = {run, files, citations, green, reached, out_proof};
    states_decide(&d);
    citations_complain(&d); /* must precede parts_decide, because an umbrella has no mark that a
                             * citation could reach */
    rt_text unreached = {0};
    for (uint32_t i = 0; i < first; i++)
        site_complain(&d, i, &unreached);
    parts_decide(run->rules, out_proof);
    out_proof->complaints = texts_keep(arena, run->complaints.items, run->complaints.count);
    out_proof->complaint_count = run->complaints.count;
    out_proof->notes = texts_keep(arena, run->notes.items, run->notes.count);
    out_proof->note_count = run->notes.count;
}
