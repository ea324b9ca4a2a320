/* The result of a proof, as text and as JSON. */
#include "conformance/requirements/prove.h"

#include "conformance/json/json.h"
#include "reference/base/vector.h"

#include <jansson.h>
#include <stdlib.h>

static const char *const state_words[CNF_PROOF_STATES] = {
    [CNF_PROOF_UNCITED] = "uncited",   [CNF_PROOF_NOT_HIT] = "not hit",
    [CNF_PROOF_UNTESTED] = "untested", [CNF_PROOF_SURVIVED] = "survived",
    [CNF_PROOF_ASSERTED] = "asserted", [CNF_PROOF_COVERED] = "covered",
};

/* The subject that a kind of proof requires; reported only for rules that are not closed yet. */
static const struct need_row {
    const char *proof, *subject;
} need_rows[] = {{"front-end", "dpcpp"}};

/* The kinds of proof that can close a rule, in report order; all but the first are values of
 * `proof:`. */
static const char *const closers[] = {"scenario", "tool", "unit", "vendor", "front-end", "parts"};
enum { CLOSER_COUNT = sizeof closers / sizeof *closers };

const char *cnf_proof_state_word(cnf_proof_state state)
{
    CHECK((unsigned)state < CNF_PROOF_STATES);
    return state_words[state];
}

void cnf_site_print(rt_buffer *out, const cnf_site *site)
{
    rt_buffer_printf(out, "%.*s", RT_TEXT_ARG(site->text));
    if (site->original.length > 0)
        rt_buffer_printf(out, ": %.*s: %.*s =>", RT_TEXT_ARG(site->operation),
                         RT_TEXT_ARG(site->original));
    else if (site->mutated.length > 0)
        rt_buffer_append_byte(out, ':');
    if (site->mutated.length > 0) rt_buffer_printf(out, " %.*s", RT_TEXT_ARG(site->mutated));
}

/* ---- Families ------------------------------------------------------------------------------ */

/* The index after the last rule of the family that begins at `first`. Families are contiguous in
 * the table. */
static uint32_t family_end(const cnf_rules *rules, uint32_t first)
{
    CHECK(first < rules->count);
    uint32_t end = first + 1;
    while (end < rules->count &&
           rt_text_equal(rules->items[end].family, rules->items[first].family))
        end++;
    return end;
}

static uint32_t states_count(const cnf_proof *proof, uint32_t first, uint32_t end,
                             cnf_proof_state state)
{
    uint32_t count = 0;
    for (uint32_t i = first; i < end; i++)
        count += proof->states[i] == state;
    return count;
}

/* The number of rules of the family that a kind of proof closes. */
static uint32_t closed_count(const cnf_proof *proof, uint32_t first, uint32_t end, uint32_t closer)
{
    CHECK(closer < CLOSER_COUNT);
    uint32_t count = 0;
    for (uint32_t i = first; i < end; i++) {
        const cnf_rule *rule = &proof->rules->items[i];
        bool by_scenario = !proof->by_program[i] && rule->part_count == 0;
        bool is_closer =
            by_scenario ? closer == 0 : closer > 0 && rt_text_is(rule->proof, closers[closer]);
        count += proof->states[i] == CNF_PROOF_COVERED && is_closer;
    }
    CHECK(count <= end - first);
    return count;
}

/* ---- For people ---------------------------------------------------------------------------- */

/* Writes a fault whose state matters to the reader: the place, since the id has been printed. */
static void site_write(rt_buffer *out, const cnf_proof *proof, const cnf_site *site)
{
    if (site->state < CNF_PROOF_UNTESTED || site->is_equivalent) return;
    const rt_text id = proof->rules->items[site->rule].id;
    CHECK(site->text.length > id.length);
    rt_text place = rt_text_skip(site->text, id.length + 1);
    rt_buffer_printf(out, "    %-9s %.*s (%.*s)\n", cnf_proof_state_word(site->state),
                     RT_TEXT_ARG(place), RT_TEXT_ARG(site->detail));
}

static void rule_write(rt_buffer *out, const cnf_proof *proof, uint32_t index)
{
    const cnf_rule *rule = &proof->rules->items[index];
    /* An umbrella's missing parts are listed even if all are missing. */
    if (!proof->is_wanted[index]) return;
    if (proof->states[index] == CNF_PROOF_UNCITED && rule->part_count == 0) return;
    rt_buffer_printf(out, "%-16.*s %s", RT_TEXT_ARG(rule->id),
                     cnf_proof_state_word(proof->states[index]));
    if (proof->by_program[index] || rule->part_count > 0)
        rt_buffer_printf(out, " (%.*s)", RT_TEXT_ARG(rule->proof));
    rt_buffer_append_byte(out, '\n');
    for (uint32_t i = 0; i < rule->part_count; i++) {
        uint32_t part = rule->parts[i];
        CHECK(part < proof->rules->count);
        rt_buffer_printf(out, "    %-9s %.*s\n", cnf_proof_state_word(proof->states[part]),
                         RT_TEXT_ARG(proof->rules->items[part].id));
    }
    for (uint32_t i = 0; i < proof->site_count; i++) {
        const cnf_site *site = &proof->sites[i];
        if (site->rule == index) site_write(out, proof, site);
    }
}

/* Writes how many of some rules are closed, and how. */
static void closed_write(rt_buffer *out, const cnf_proof *proof, rt_text name, uint32_t first,
                         uint32_t end)
{
    uint32_t closed = states_count(proof, first, end, CNF_PROOF_COVERED);
    uint32_t asserted = states_count(proof, first, end, CNF_PROOF_ASSERTED);
    rt_buffer_printf(out, "%.*s: %u rules, %u closed", RT_TEXT_ARG(name), end - first, closed);
    const char *before = " (";
    for (uint32_t closer = 0; closer < CLOSER_COUNT; closer++) {
        uint32_t count = closed_count(proof, first, end, closer);
        if (count == 0) continue;
        rt_buffer_printf(out, "%s%s %u", before, closers[closer], count);
        before = ", ";
    }
    rt_buffer_printf(out, "%s, %u asserted, %u missing\n", closed > 0 ? ")" : "", asserted,
                     end - first - closed - asserted);
}

/* Lists the faults with no better evidence than the given one. */
static void evidence_write(rt_buffer *out, const cnf_proof *proof, cnf_evidence evidence,
                           const char *sentence)
{
    for (uint32_t i = 0; i < proof->site_count; i++) {
        const cnf_site *site = &proof->sites[i];
        if (site->state != CNF_PROOF_COVERED || site->evidence != evidence) continue;
        rt_buffer_printf(out, "%s: ", sentence);
        cnf_site_print(out, site);
        rt_buffer_append_byte(out, '\n');
    }
}

/* Counts of all faults, and of rules by their evidence. */
static void faults_write(rt_buffer *out, const cnf_proof *proof)
{
    uint32_t noticed = 0, badly = 0, unnoticed = 0, reviewed = 0, equivalent = 0, refusals = 0,
             internal = 0;
    for (uint32_t i = 0; i < proof->site_count; i++) {
        const cnf_site *site = &proof->sites[i];
        if (!site->is_chosen) continue;
        equivalent += site->is_equivalent;
        noticed += site->state == CNF_PROOF_COVERED;
        badly += site->state == CNF_PROOF_ASSERTED;
        bool is_open = site->state < CNF_PROOF_ASSERTED && !site->is_equivalent;
        unnoticed += is_open;
        reviewed += is_open && site->is_reviewed;
    }
    for (uint32_t i = 0; i < proof->rules->count; i++) {
        if (proof->states[i] != CNF_PROOF_COVERED) continue;
        refusals += proof->evidence[i] == CNF_EVIDENCE_REFUSAL;
        internal += proof->evidence[i] == CNF_EVIDENCE_INTERNAL;
    }
    rt_buffer_printf(out,
                     "faults: %u noticed, %u noticed only by a crash, a CHECK or another step, %u "
                     "unnoticed (%u reviewed); %u more compile to the original's code\n"
                     "of the closed rules, %u have a fault that is only a refusal, and %u have one "
                     "that only the trace shows\n",
                     noticed, badly, unnoticed, reviewed, equivalent, refusals, internal);
}

void cnf_proof_write(rt_buffer *out, const cnf_proof *proof)
{
    for (uint32_t i = 0; i < proof->rules->count; i++)
        rule_write(out, proof, i);
    /* A fault that makes more than a tenth of all scenarios fail is too blunt (design, "Rules in
     * the code"). */
    for (uint32_t i = 0; i < proof->site_count; i++) {
        const cnf_site *site = &proof->sites[i];
        CHECK(site->kill_count <= proof->scenario_count);
        if (site->kill_count * 10 > proof->scenario_count)
            rt_buffer_printf(out, "blunt, it kills %u of %u scenarios: %.*s\n", site->kill_count,
                             proof->scenario_count, RT_TEXT_ARG(site->text));
    }
    if (proof->lists_refusals)
        evidence_write(out, proof, CNF_EVIDENCE_REFUSAL, "with the fault, the runtime refuses");
    if (proof->lists_internal)
        evidence_write(out, proof, CNF_EVIDENCE_INTERNAL, "only the trace shows the fault");
    for (uint32_t i = 0; i < proof->complaint_count; i++)
        rt_buffer_printf(out, "%.*s\n", RT_TEXT_ARG(proof->complaints[i]));
    for (uint32_t i = 0; i < proof->note_count; i++)
        rt_buffer_printf(out, "%.*s\n", RT_TEXT_ARG(proof->notes[i]));
    rt_buffer_append_byte(out, '\n');
    for (uint32_t first = 0, end; first < proof->rules->count; first = end) {
        end = family_end(proof->rules, first);
        closed_write(out, proof, proof->rules->items[first].family, first, end);
    }
    closed_write(out, proof, RT_TEXT("all"), 0, proof->rules->count);
    faults_write(out, proof);
}

/* ---- As JSON ------------------------------------------------------------------------------- */

static json_t *family_json(const cnf_proof *proof, uint32_t first, uint32_t end)
{
    json_t *asserted = json_array(), *missing = json_array(), *needs = json_object();
    for (uint32_t i = first; i < end; i++) {
        const cnf_rule *rule = &proof->rules->items[i];
        if (proof->states[i] == CNF_PROOF_COVERED) continue;
        cnf_json_append(missing, cnf_json_text(rule->id));
        if (proof->states[i] == CNF_PROOF_ASSERTED)
            cnf_json_append(asserted, cnf_json_text(rule->id));
        for (size_t need = 0; need < sizeof need_rows / sizeof *need_rows; need++) {
            if (rt_text_is(rule->proof, need_rows[need].proof))
                cnf_json_set(needs, rule->id.data, json_string(need_rows[need].subject));
        }
    }
    json_t *by = json_object();
    uint32_t closed = 0;
    for (uint32_t closer = 0; closer < CLOSER_COUNT; closer++) {
        uint32_t count = closed_count(proof, first, end, closer);
        if (count > 0) cnf_json_set(by, closers[closer], json_integer(count));
        closed += count;
    }
    CHECK(closed == states_count(proof, first, end, CNF_PROOF_COVERED));
    CHECK(closed + json_array_size(missing) == end - first);
    return cnf_json_checked(json_pack(
        "{s:I, s:I, s:o, s:o, s:o, s:o}", "rules", (json_int_t)(end - first), "closed",
        (json_int_t)closed, "by", by, "asserted", asserted, "missing", missing, "needs", needs));
}

void cnf_proof_write_json(rt_buffer *out, const cnf_proof *proof)
{
    json_t *families = json_object();
    for (uint32_t first = 0, end; first < proof->rules->count; first = end) {
        end = family_end(proof->rules, first);
        rt_text family = proof->rules->items[first].family;
        json_object_setn_new(families, family.data, family.length, family_json(proof, first, end));
    }
    cnf_json_write(out, families, JSON_INDENT(2) | JSON_PRESERVE_ORDER);
    rt_buffer_append_byte(out, '\n');
}
