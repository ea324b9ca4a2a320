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

/* The subject that a kind of proof requires; not reported for rules that are already closed. */
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

static bool closed_by(const cnf_proof *proof, uint32_t rule, uint32_t closer)
{
    CHECK(closer < CLOSER_COUNT);
    if (proof->states[rule] != CNF_PROOF_COVERED) return false;
    const cnf_rule *about = &proof->rules->items[rule];
    if (!proof->by_program[rule] && about->part_count == 0) return closer == 0;
    return closer > 0 && rt_text_is(about->proof, closers[closer]);
}

static uint32_t closed_count(const cnf_proof *proof, uint32_t first, uint32_t end, uint32_t closer)
{
    uint32_t count = 0;
    for (uint32_t i = first; i < end; i++)
        count += closed_by(proof, i, closer);
    return count;
}

/* ---- For people ---------------------------------------------------------------------------- */

static void sites_write(rt_buffer *out, const cnf_proof *proof, uint32_t rule)
{
    for (uint32_t i = 0; i < proof->site_count; i++) {
        const cnf_site *site = &proof->sites[i];
        if (site->rule != rule || site->state < CNF_PROOF_UNTESTED) continue;
        /* The id is printed already, so only the place follows. */
        rt_text id = proof->rules->items[rule].id;
        rt_text place = {site->text.data + id.length + 1, site->text.length - id.length - 1};
        rt_buffer_printf(out, "    %-9s %.*s (%.*s)\n", cnf_proof_state_word(site->state),
                         RT_TEXT_ARG(place), RT_TEXT_ARG(site->detail));
    }
}

static void parts_write(rt_buffer *out, const cnf_proof *proof, uint32_t rule)
{
    const cnf_rule *about = &proof->rules->items[rule];
    for (uint32_t i = 0; i < about->part_count; i++) {
        uint32_t part = about->parts[i];
        rt_buffer_printf(out, "    %-9s %.*s\n", cnf_proof_state_word(proof->states[part]),
                         RT_TEXT_ARG(proof->rules->items[part].id));
    }
}

static void unmentioned_write(rt_buffer *out, const cnf_proof *proof)
{
    for (uint32_t i = 0; i < proof->site_count; i++) {
        const cnf_site *site = &proof->sites[i];
        if (proof->states[site->rule] != CNF_PROOF_UNCITED) continue;
        rt_buffer_printf(out, "reached, but cited by no scenario: %.*s\n", RT_TEXT_ARG(site->text));
    }
}

/* Reports faults that fail more than a tenth of all scenarios: they are too blunt (design, "Rules
 * in the code"). */
static void blunt_write(rt_buffer *out, const cnf_proof *proof)
{
    for (uint32_t i = 0; i < proof->site_count; i++) {
        const cnf_site *site = &proof->sites[i];
        CHECK(site->kill_count <= proof->scenario_count);
        if (site->kill_count * 10 <= proof->scenario_count) continue;
        rt_buffer_printf(out, "blunt, it kills %u of %u scenarios: %.*s\n", site->kill_count,
                         proof->scenario_count, RT_TEXT_ARG(site->text));
    }
}

static void rule_write(rt_buffer *out, const cnf_proof *proof, uint32_t rule)
{
    const cnf_rule *about = &proof->rules->items[rule];
    /* An umbrella's missing parts are listed even if all are missing. */
    if (proof->states[rule] == CNF_PROOF_UNCITED && about->part_count == 0) return;
    rt_buffer_printf(out, "%-16.*s %s", RT_TEXT_ARG(about->id),
                     cnf_proof_state_word(proof->states[rule]));
    if (proof->by_program[rule] || about->part_count > 0)
        rt_buffer_printf(out, " (%.*s)", RT_TEXT_ARG(about->proof));
    rt_buffer_append_byte(out, '\n');
    parts_write(out, proof, rule);
    sites_write(out, proof, rule);
}

static void family_write(rt_buffer *out, const cnf_proof *proof, uint32_t first, uint32_t end)
{
    uint32_t closed = states_count(proof, first, end, CNF_PROOF_COVERED);
    uint32_t asserted = states_count(proof, first, end, CNF_PROOF_ASSERTED);
    rt_buffer_printf(out, "%.*s: %u rules, %u closed",
                     RT_TEXT_ARG(proof->rules->items[first].family), end - first, closed);
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

void cnf_proof_write(rt_buffer *out, const cnf_proof *proof)
{
    for (uint32_t i = 0; i < proof->rules->count; i++)
        rule_write(out, proof, i);
    unmentioned_write(out, proof);
    blunt_write(out, proof);
    for (uint32_t i = 0; i < proof->complaint_count; i++)
        rt_buffer_printf(out, "%.*s\n", RT_TEXT_ARG(proof->complaints[i]));
    for (uint32_t i = 0; i < proof->note_count; i++)
        rt_buffer_printf(out, "%.*s\n", RT_TEXT_ARG(proof->notes[i]));
    rt_buffer_append_byte(out, '\n');
    for (uint32_t first = 0, end; first < proof->rules->count; first = end) {
        end = family_end(proof->rules, first);
        family_write(out, proof, first, end);
    }
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
    json_t *by = json_object(), *family = json_object();
    uint32_t closed = 0;
    for (uint32_t closer = 0; closer < CLOSER_COUNT; closer++) {
        uint32_t count = closed_count(proof, first, end, closer);
        if (count > 0) cnf_json_set(by, closers[closer], json_integer(count));
        closed += count;
    }
    CHECK(closed == states_count(proof, first, end, CNF_PROOF_COVERED));
    cnf_json_set(family, "rules", json_integer(end - first));
    cnf_json_set(family, "closed", json_integer(closed));
    cnf_json_set(family, "by", by);
    cnf_json_set(family, "asserted", asserted);
    cnf_json_set(family, "missing", missing);
    cnf_json_set(family, "needs", needs);
    return family;
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
