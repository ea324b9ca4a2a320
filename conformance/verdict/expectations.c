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

/* Finds the entry about a subject that applies to the driver: of several, the one with the longest
 * text. NULL: none. With `note_others`, marks the entries for other drivers. */
static cnf_expectation *entry_find(cnf_expectations *expectations, rt_text scenario,
                                   rt_text subject, rt_text driver, bool note_others)
{
    cnf_expectation *best = NULL;
    for (uint32_t i = 0; i < expectations->entries.count; i++) {
        cnf_expectation *entry = &expectations->entries.items[i];
        if (!rt_text_equal(entry->scenario, scenario) || !rt_text_equal(entry->subject, subject))
            continue;
        rt_text part = entry->driver;
        bool applies = part.length == 0 || (driver.length > 0 && memmem(driver.data, driver.length,
                                                                        part.data, part.length));
        if (applies) {
            if (!best || part.length > best->driver.length) best = entry;
        } else if (note_others) {
            entry->state = CNF_ENTRY_OTHER_DRIVER;
            entry->note = rt_arena_text(&expectations->arena, driver);
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

void cnf_expectations_apply(cnf_expectations *expectations, rt_text scenario, rt_text subject,
                            rt_text driver, cnf_judgement *inout_judgement, cnf_known *out_known)
{
    *out_known = (cnf_known){0};
    cnf_verdict seen = inout_judgement->verdict;
    CHECK(seen != CNF_VERDICT_XFAIL && seen != CNF_VERDICT_XPASS &&
          seen != CNF_VERDICT_XFAIL_MISMATCH);
    if (!cnf_verdict_ran(seen) && seen != CNF_VERDICT_SKIP) return;
    /* Skipped before a driver was opened: this machine cannot compile the scenario, but others may.
     */
    if (seen == CNF_VERDICT_SKIP && driver.length == 0) return;
    cnf_expectation *entry = entry_find(expectations, scenario, subject, driver, true);
    bool failed = cnf_verdict_effect(seen) == CNF_EFFECT_UNEXPECTED;
    if (!entry) {
        /* The entry of the bare subject, "intel-cpu" of "intel-cpu{A=1}", excuses the identical
         * failure only, because options change the subject's behaviour; other results prove nothing
         * about that entry, and its state is unchanged. */
        const char *brace = subject.length ? memchr(subject.data, '{', subject.length) : NULL;
        if (!brace || brace == subject.data || !failed) return;
        rt_text bare = {subject.data, (size_t)(brace - subject.data)};
        entry = entry_find(expectations, scenario, bare, driver, false);
        if (!entry || !entry_matches(entry, inout_judgement)) return;
    } else if (seen == CNF_VERDICT_SKIP) {
        entry->state = CNF_ENTRY_UNUSED;
        entry->note = rt_arena_printf(&expectations->arena, "SKIP, %.*s: %.*s",
                                      RT_TEXT_ARG(inout_judgement->capability),
                                      RT_TEXT_ARG(inout_judgement->answer));
        return;
    } else {
        entry->state = CNF_ENTRY_JUDGED;
    }
    *out_known = known_make(&expectations->arena, entry, seen);
    if (!failed)
        inout_judgement->verdict = CNF_VERDICT_XPASS;
    else if (entry_matches(entry, inout_judgement))
        inout_judgement->verdict = CNF_VERDICT_XFAIL;
    else
        inout_judgement->verdict = CNF_VERDICT_XFAIL_MISMATCH;
    CHECK(out_known->entry.length > 0);
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
