/* Applies the entries of expectation files and records their state. */
#include "conformance/verdict/expectations.h"

#include <string.h>

static const struct class_row {
    const char *word, *text;
} class_rows[] = {
#define CLASS_ROW(class, word, text) [CNF_CLASS_##class] = {word, text},
    CNF_CLASSES(CLASS_ROW)
#undef CLASS_ROW
};

const char *cnf_class_text(rt_text word)
{
    for (cnf_class class = 0; class < CNF_CLASS_COUNT; class ++)
        if (rt_text_is(word, class_rows[class].word)) return class_rows[class].text;
    return "";
}

void cnf_expectations_free(cnf_expectations *expectations)
{
    rt_vector_free(&expectations->entries);
    rt_arena_reset(&expectations->arena);
}

/* ---- Applying ------------------------------------------------------------------------------ */

static bool holds_text(rt_text whole, rt_text part)
{
    return part.length == 0 ||
           (whole.length > 0 && memmem(whole.data, whole.length, part.data, part.length));
}

/* Finds the entry that applies, or NULL; marks entries for other drivers. */
static cnf_expectation *entry_find(cnf_expectations *expectations, rt_text scenario,
                                   rt_text subject, rt_text driver)
{
    cnf_expectation *best = NULL;
    for (uint32_t i = 0; i < expectations->entries.count; i++) {
        cnf_expectation *entry = &expectations->entries.items[i];
        if (!rt_text_equal(entry->scenario, scenario) || !rt_text_equal(entry->subject, subject))
            continue;
        if (!holds_text(driver, entry->driver)) {
            entry->state = CNF_ENTRY_OTHER_DRIVER;
            entry->note = rt_arena_text(&expectations->arena, driver);
        } else if (!best || entry->driver.length > best->driver.length) {
            best = entry;
        }
    }
    return best;
}

static bool entry_matches(const cnf_expectation *entry, const cnf_judgement *judgement)
{
    bool verdict = entry->verdict == CNF_VERDICT_COUNT || entry->verdict == judgement->verdict;
    bool signature =
        entry->signature.length == 0 || rt_text_equal(entry->signature, judgement->signature);
    return verdict && signature;
}

static cnf_known known_make(rt_arena *arena, const cnf_expectation *entry, cnf_verdict seen)
{
    bool has_verdict = entry->verdict != CNF_VERDICT_COUNT;
    const char *word = has_verdict ? cnf_verdict_word(entry->verdict) : "";
    const char *blank = has_verdict && entry->signature.length > 0 ? " " : "";
    return (cnf_known){
        .entry = rt_arena_printf(arena, "%.*s:%u", RT_TEXT_ARG(entry->file), entry->at.line),
        .seen = seen,
        .class = rt_text_of(class_rows[entry->class].word),
        .reason = entry->reason,
        .reference = entry->reference,
        .failure = rt_arena_printf(arena, "%s%s%.*s", word, blank, RT_TEXT_ARG(entry->signature))};
}

/* The subject without driver options: "intel-cpu" of "intel-cpu{A=1}"; empty if it has none. */
static rt_text bare_subject(rt_text subject)
{
    const char *brace = subject.length ? memchr(subject.data, '{', subject.length) : NULL;
    return (rt_text){subject.data, brace ? (size_t)(brace - subject.data) : 0};
}

/* Applies the entry of the bare subject to a failure on a subject with options. Options change the
 * subject's behaviour, so only the identical failure is excused; other results prove nothing about
 * the entry, and its state is unchanged. */
static void inherited_apply(cnf_expectations *expectations, rt_text scenario, rt_text bare,
                            rt_text driver, cnf_judgement *inout_judgement, cnf_known *out_known)
{
    bool failed = cnf_verdict_effect(inout_judgement->verdict) == CNF_EFFECT_UNEXPECTED;
    if (bare.length == 0 || !failed) return;
    const cnf_expectation *best = NULL;
    for (uint32_t i = 0; i < expectations->entries.count; i++) {
        const cnf_expectation *entry = &expectations->entries.items[i];
        bool about =
            rt_text_equal(entry->scenario, scenario) && rt_text_equal(entry->subject, bare);
        if (!about || !holds_text(driver, entry->driver)) continue;
        if (!best || entry->driver.length > best->driver.length) best = entry;
    }
    if (!best || !entry_matches(best, inout_judgement)) return;
    *out_known = known_make(&expectations->arena, best, inout_judgement->verdict);
    inout_judgement->verdict = CNF_VERDICT_XFAIL;
}

/* The verdict of a completed run, given the entry. */
static cnf_verdict verdict_with(const cnf_expectation *entry, const cnf_judgement *judgement)
{
    switch (judgement->verdict) {
    case CNF_VERDICT_PASS:
    case CNF_VERDICT_LINKED: return CNF_VERDICT_XPASS;
    case CNF_VERDICT_FAIL:
    case CNF_VERDICT_CRASH:
    case CNF_VERDICT_TIMEOUT:
    case CNF_VERDICT_HANG:
        return entry_matches(entry, judgement) ? CNF_VERDICT_XFAIL : CNF_VERDICT_XFAIL_MISMATCH;
    default: UNREACHABLE();
    }
}

void cnf_expectations_apply(cnf_expectations *expectations, rt_text scenario, rt_text subject,
                            rt_text driver, cnf_judgement *inout_judgement, cnf_known *out_known)
{
    *out_known = (cnf_known){0};
    cnf_verdict seen = inout_judgement->verdict;
    if (!cnf_verdict_ran(seen) && seen != CNF_VERDICT_SKIP) return;
    /* Skipped before a driver was opened: this machine cannot compile the scenario, but others may.
     */
    if (seen == CNF_VERDICT_SKIP && driver.length == 0) return;
    cnf_expectation *entry = entry_find(expectations, scenario, subject, driver);
    if (!entry) {
        inherited_apply(expectations, scenario, bare_subject(subject), driver, inout_judgement,
                        out_known);
        return;
    }
    if (seen == CNF_VERDICT_SKIP) {
        entry->state = CNF_ENTRY_UNUSED;
        entry->note = rt_arena_printf(&expectations->arena, "SKIP, %.*s: %.*s",
                                      RT_TEXT_ARG(inout_judgement->capability),
                                      RT_TEXT_ARG(inout_judgement->answer));
        return;
    }
    entry->state = CNF_ENTRY_JUDGED;
    *out_known = known_make(&expectations->arena, entry, seen);
    inout_judgement->verdict = verdict_with(entry, inout_judgement);
}

/* ---- What became of the entries ------------------------------------------------------------ */

void cnf_expectations_write(rt_buffer *out, const cnf_expectations *expectations)
{
    for (uint32_t i = 0; i < expectations->entries.count; i++) {
        const cnf_expectation *entry = &expectations->entries.items[i];
        bool unused = entry->state == CNF_ENTRY_UNUSED;
        if (!unused && entry->state != CNF_ENTRY_OTHER_DRIVER) continue;
        rt_buffer_printf(out, "%s: %.*s:%u: %.*s on %.*s: ", unused ? "unused" : "not applied",
                         RT_TEXT_ARG(entry->file), entry->at.line, RT_TEXT_ARG(entry->scenario),
                         RT_TEXT_ARG(entry->subject));
        if (unused) {
            rt_buffer_printf(out, "%.*s; remove the entry\n", RT_TEXT_ARG(entry->note));
        } else {
            rt_buffer_printf(out, "driver '%.*s' is not a part of '%.*s'\n",
                             RT_TEXT_ARG(entry->driver), RT_TEXT_ARG(entry->note));
        }
    }
}

bool cnf_expectations_hold(const cnf_expectations *expectations)
{
    for (uint32_t i = 0; i < expectations->entries.count; i++)
        if (expectations->entries.items[i].state == CNF_ENTRY_UNUSED) return false;
    return true;
}
