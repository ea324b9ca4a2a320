/* Applies the entries of expectation files and records each entry's state. */
#include "conformance/verdict/expectations.h"

#include "conformance/verdict/differential.h"
#include "conformance/verdict/interval.h"
#include "reference/base/nearest.h"
#include "reference/base/number.h"

#include <ctype.h>
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

bool cnf_pattern_matches(rt_text pattern, rt_text text)
{
    /* After a star, each suffix of the text is tried; only the last star can still take more. */
    size_t at = 0, next = 0, star = SIZE_MAX, resumed = 0;
    while (at < text.length) {
        if (next < pattern.length && pattern.data[next] == '*') {
            star = next++;
            resumed = at;
        } else if (next < pattern.length && pattern.data[next] == text.data[at]) {
            next++;
            at++;
        } else if (star != SIZE_MAX) {
            next = star + 1;
            at = ++resumed;
        } else {
            return false;
        }
    }
    while (next < pattern.length && pattern.data[next] == '*')
        next++;
    return next == pattern.length;
}

static bool is_pattern(rt_text text)
{
    return text.length > 0 && memchr(text.data, '*', text.length);
}

static bool is_about(const cnf_expectation *entry, rt_text scenario, rt_text subject)
{
    return rt_text_equal(entry->subject, subject) && cnf_pattern_matches(entry->scenario, scenario);
}

/* Compares two versions number by number. Numbers that only one of them has do not count, so "6.0"
 * equals "6.0.3". */
static int version_compare(rt_text a, rt_text b)
{
    while (a.length > 0 && b.length > 0) {
        uint64_t left = 0, right = 0;
        if (!rt_number_read(rt_text_take_until(&a, '.'), 0, UINT64_MAX, &left) ||
            !rt_number_read(rt_text_take_until(&b, '.'), 0, UINT64_MAX, &right))
            return 0;
        if (left != right) return left < right ? -1 : 1;
    }
    return 0;
}

/* The first number in the text, such as "3.1"; empty if there is none. */
static rt_text version_find(rt_text text)
{
    size_t begin = 0, length = 0;
    while (begin < text.length && !isdigit((unsigned char)text.data[begin]))
        begin++;
    rt_text rest = rt_text_skip(text, begin);
    while (length < rest.length && (isdigit((unsigned char)rest.data[length]) ||
                                    (rest.data[length] == '.' && length + 1 < rest.length &&
                                     isdigit((unsigned char)rest.data[length + 1]))))
        length++;
    return (rt_text){rest.data, length};
}

static bool applies(const cnf_expectation *entry, rt_text driver)
{
    const rt_text part = entry->driver;
    rt_text rest = driver;
    if (part.length > 0) {
        const char *found =
            driver.length > 0 ? memmem(driver.data, driver.length, part.data, part.length) : NULL;
        if (!found) return false;
        rest = rt_text_skip(driver, (size_t)(found - driver.data) + part.length);
    }
    if (entry->versions.length == 0) return true;
    const char *dots = memmem(entry->versions.data, entry->versions.length, "..", 2);
    CHECK(dots); /* checked when the file was read, and again when a pack was */
    const rt_text from = {entry->versions.data, (size_t)(dots - entry->versions.data)};
    const rt_text to = rt_text_skip(entry->versions, from.length + 2), version = version_find(rest);
    return version.length > 0 && (from.length == 0 || version_compare(version, from) >= 0) &&
           (to.length == 0 || version_compare(version, to) <= 0);
}

/* The entries found for a judged scenario, in the order of their file. */
typedef struct entry_list {
    cnf_expectation **items;
    uint32_t count;
} entry_list;

/* Finds the entries about the scenario and subject that apply to the driver, and keeps only those
 * with the longest driver text. With `note_others`, marks the entries for other drivers. */
static entry_list entries_find(cnf_expectations *expectations, rt_text scenario, rt_text subject,
                               rt_text driver, bool note_others)
{
    size_t longest = 0;
    for (uint32_t i = 0; i < expectations->entries.count; i++) {
        cnf_expectation *entry = &expectations->entries.items[i];
        if (!is_about(entry, scenario, subject)) continue;
        bool is_longer = applies(entry, driver) && entry->driver.length > longest;
        if (is_longer) longest = entry->driver.length;
        if (!applies(entry, driver) && note_others) {
            entry->state = CNF_ENTRY_OTHER_DRIVER;
            entry->note = rt_arena_text(&expectations->arena, driver);
        }
    }
    entry_list found = {rt_arena_alloc_array(&expectations->arena, expectations->entries.count,
                                             sizeof *found.items),
                        0};
    for (uint32_t i = 0; i < expectations->entries.count; i++) {
        cnf_expectation *entry = &expectations->entries.items[i];
        bool is_best = is_about(entry, scenario, subject) && applies(entry, driver) &&
                       entry->driver.length == longest;
        if (is_best) found.items[found.count++] = entry;
    }
    return found;
}

static bool poisons(const cnf_expectation *entry, const cnf_failure *failure)
{
    for (uint32_t i = 0; i < entry->poison_count; i++)
        for (uint32_t k = 0; k < failure->memory_count; k++)
            if (rt_text_equal(entry->poisons[i], failure->memories[k])) return true;
    return false;
}

/* True if the entry names the failure; an entry without a signature names the failure that ended
 * the process. */
static bool names(const cnf_expectation *entry, const cnf_failure *failure)
{
    if (entry->signature.length == 0) return failure->cause == CNF_CAUSE_PROCESS;
    return cnf_pattern_matches(entry->signature, failure->signature);
}

static rt_text entry_place(rt_arena *arena, const cnf_expectation *entry)
{
    return rt_arena_printf(arena, "%.*s:%u", RT_TEXT_ARG(entry->file), entry->at.line);
}

/* Marks the failures that the entries name, and the failures of checks that depend on a poisoned
 * memory. Returns true if that covers all failures and every entry that is not flaky names one. */
static bool failures_cover(rt_arena *arena, const entry_list *entries, cnf_verdict verdict,
                           cnf_failure *failures, uint32_t failure_count)
{
    bool is_exact = true;
    for (uint32_t i = 0; i < failure_count; i++) {
        failures[i].entry = (rt_text){0};
        failures[i].is_poisoned = false;
    }
    for (uint32_t e = 0; e < entries->count; e++) {
        const cnf_expectation *entry = entries->items[e];
        uint32_t named = 0;
        while (named < failure_count && !names(entry, &failures[named]))
            named++;
        bool has_failed = named < failure_count &&
                          (entry->verdict == CNF_VERDICT_COUNT || entry->verdict == verdict);
        is_exact = is_exact && (has_failed || entry->is_flaky);
        if (!has_failed) continue;
        for (uint32_t i = named; i < failure_count; i++) {
            /* Without a pattern, an entry names one failure. */
            if (i > named && (!is_pattern(entry->signature) || !names(entry, &failures[i])))
                continue;
            failures[i].entry = entry_place(arena, entry);
            failures[i].is_poisoned = false;
        }
        for (uint32_t i = 0; i < failure_count; i++) {
            /* A crash may be noticed in any step, and may spoil checks of earlier steps. */
            bool is_later = failures[named].cause == CNF_CAUSE_PROCESS ||
                            failures[i].step >= failures[named].step;
            if (!is_later || failures[i].cause != CNF_CAUSE_CHECK || i == named ||
                failures[i].entry.length > 0 || !poisons(entry, &failures[i]))
                continue;
            failures[i].entry = failures[named].entry;
            failures[i].is_poisoned = true;
        }
    }
    for (uint32_t i = 0; i < failure_count; i++)
        is_exact = is_exact && failures[i].entry.length > 0;
    return is_exact;
}

/* Appends a line to a message, unless a record that is judged again has it already. */
static rt_text line_add(rt_arena *arena, rt_text message, rt_text line)
{
    if (message.length > 0 && memmem(message.data, message.length, line.data, line.length))
        return message;
    return rt_arena_printf(arena, "%.*s%s%.*s", RT_TEXT_ARG(message),
                           message.length > 0 ? "\n" : "", RT_TEXT_ARG(line));
}

/* Says in the messages of poisoned failures, and in the verdict's, what they are consequences of.
 */
static void poisoned_explain(rt_arena *arena, cnf_failure *failures, uint32_t failure_count,
                             cnf_judgement *inout_judgement)
{
    for (uint32_t i = 0; i < failure_count; i++) {
        cnf_failure *failure = &failures[i];
        if (!failure->is_poisoned) continue;
        rt_text line =
            rt_arena_printf(arena,
                            "%.*s follows from a known failure that poisons what it reads: "
                            "%.*s",
                            RT_TEXT_ARG(failure->signature), RT_TEXT_ARG(failure->entry));
        failure->message = line_add(arena, failure->message, line);
        inout_judgement->message = line_add(arena, inout_judgement->message, line);
    }
}

/* Says in the verdict's message that a word of the entry was probably mistyped, if a failure that
 * no entry covers has nearly the same. */
static void typo_explain(rt_arena *arena, const cnf_expectation *entry, const char *verb,
                         const rt_nearest *nearest, cnf_judgement *inout_judgement)
{
    rt_buffer hint = {0};
    if (nearest->distance > 0 && nearest->distance <= RT_NEAREST_TYPO_MAX &&
        rt_nearest_suggest(nearest, &hint)) {
        rt_text line =
            rt_arena_printf(arena, "%.*s:%u %s '%.*s'%s", RT_TEXT_ARG(entry->file), entry->at.line,
                            verb, RT_TEXT_ARG(nearest->wanted), rt_buffer_string(&hint));
        inout_judgement->message = line_add(arena, inout_judgement->message, line);
    }
    rt_buffer_free(&hint);
}

/* Looks for typing mistakes in entries that do not cover what failed. */
static void typos_explain(rt_arena *arena, const entry_list *entries, const cnf_failure *failures,
                          uint32_t failure_count, cnf_judgement *inout_judgement)
{
    for (uint32_t e = 0; e < entries->count; e++) {
        const cnf_expectation *entry = entries->items[e];
        rt_nearest nearest = rt_nearest_to(entry->signature);
        uint32_t named = 0;
        for (uint32_t i = 0; i < failure_count; i++) {
            named += names(entry, &failures[i]);
            if (failures[i].entry.length == 0) rt_nearest_offer(&nearest, failures[i].signature);
        }
        if (named == 0) typo_explain(arena, entry, "expects", &nearest, inout_judgement);
        for (uint32_t p = 0; p < entry->poison_count; p++) {
            nearest = rt_nearest_to(entry->poisons[p]);
            for (uint32_t i = 0; i < failure_count; i++)
                for (uint32_t k = 0; k < failures[i].memory_count; k++)
                    if (failures[i].entry.length == 0)
                        rt_nearest_offer(&nearest, failures[i].memories[k]);
            typo_explain(arena, entry, "poisons", &nearest, inout_judgement);
        }
    }
}

/* The distinct non-empty texts that the entries have at `offset`, joined by the separator. */
static rt_text texts_join(rt_arena *arena, const entry_list *entries, size_t offset,
                          const char *separator)
{
    rt_buffer out = {0};
    for (uint32_t i = 0; i < entries->count; i++) {
        rt_text text, earlier;
        memcpy(&text, (const char *)entries->items[i] + offset, sizeof text);
        bool is_repeated = false;
        for (uint32_t k = 0; k < i && !is_repeated; k++) {
            memcpy(&earlier, (const char *)entries->items[k] + offset, sizeof earlier);
            is_repeated = rt_text_equal(text, earlier);
        }
        if (text.length == 0 || is_repeated) continue;
        rt_buffer_printf(&out, "%s%.*s", out.size > 0 ? separator : "", RT_TEXT_ARG(text));
    }
    rt_text joined = rt_arena_text(arena, rt_buffer_text(&out));
    rt_buffer_free(&out);
    return joined;
}

/* The entries, those of the gravest class first, otherwise in their order. */
static entry_list gravest_first(rt_arena *arena, const entry_list *entries)
{
    entry_list sorted = {rt_arena_alloc_array(arena, entries->count, sizeof *sorted.items), 0};
    for (uint32_t class = 0; class < CNF_CLASS_COUNT; class ++)
        for (uint32_t i = 0; i < entries->count; i++)
            if (entries->items[i]->class == (cnf_class) class)
                sorted.items[sorted.count++] = entries->items[i];
    CHECK(sorted.count == entries->count);
    return sorted;
}

static cnf_known known_make(rt_arena *arena, const entry_list *entries, cnf_verdict seen)
{
    CHECK(entries->count > 0);
    rt_buffer failure = {0};
    for (uint32_t i = 0; i < entries->count; i++) {
        const cnf_expectation *entry = entries->items[i];
        bool has_verdict = entry->verdict != CNF_VERDICT_COUNT;
        const char *blank = has_verdict && entry->signature.length > 0 ? " " : "";
        rt_buffer_printf(&failure, "%s%s%s%.*s", i > 0 ? ", " : "",
                         has_verdict ? cnf_verdict_word(entry->verdict) : "", blank,
                         RT_TEXT_ARG(entry->signature));
        if (entry->is_flaky)
            rt_buffer_printf(&failure, " in at most %u %% of attempts", entry->bound_percent);
    }
    const entry_list sorted = gravest_first(arena, entries);
    const cnf_known known = {
        .entry = entry_place(arena, entries->items[0]),
        .seen = seen,
        .class = rt_text_of(class_rows[sorted.items[0]->class].word),
        .reason = texts_join(arena, &sorted, offsetof(cnf_expectation, reason), "\n"),
        .reference = texts_join(arena, &sorted, offsetof(cnf_expectation, reference), ", "),
        .finding = texts_join(arena, &sorted, offsetof(cnf_expectation, finding), ", "),
        .failure = rt_arena_text(arena, rt_buffer_text(&failure))};
    rt_buffer_free(&failure);
    return known;
}

/* A pack without the subject's format, and a skip before a driver was opened (this machine cannot
 * compile the scenario), say nothing about the subject. */
static bool is_skip_of_subject(const cnf_judgement *judgement, rt_text driver)
{
    return driver.length > 0 && !rt_text_is(judgement->capability, CNF_PACKED_CAPABILITY);
}

/* Marks the entries of a scenario that its subject skips. */
static void entries_skip(rt_arena *arena, const entry_list *entries, const cnf_judgement *skip)
{
    for (uint32_t i = 0; i < entries->count; i++) {
        cnf_expectation *entry = entries->items[i];
        if (is_pattern(entry->scenario)) continue;
        entry->state = CNF_ENTRY_UNUSED;
        entry->note = rt_arena_printf(arena, "SKIP, %.*s: %.*s; remove the entry",
                                      RT_TEXT_ARG(skip->capability), RT_TEXT_ARG(skip->answer));
    }
}

static bool is_comparison(rt_text signature)
{
    return rt_text_starts(signature, CNF_STAGE_DIFFERENTIAL ":");
}

/* Takes out the entries about differences from the oracle: a run without it, or in which it failed,
 * proves nothing about them. */
static void comparisons_drop(entry_list *entries, bool is_bare)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < entries->count; i++) {
        if (!is_comparison(entries->items[i]->signature))
            entries->items[kept++] = entries->items[i];
        else if (!is_bare)
            entries->items[i]->state = CNF_ENTRY_JUDGED;
    }
    entries->count = kept;
}

/* True if every entry is flaky. */
static bool are_flaky(const entry_list *entries)
{
    for (uint32_t i = 0; i < entries->count; i++)
        if (!entries->items[i]->is_flaky) return false;
    return true;
}

static bool has_flaky(const entry_list *entries)
{
    for (uint32_t i = 0; i < entries->count; i++)
        if (entries->items[i]->is_flaky) return true;
    return false;
}

/* True if the attempts show that the scenario fails more often than a flaky entry allows. */
static bool exceeds_bound(const entry_list *entries, const cnf_judgement *judgement)
{
    uint32_t failed = 0;
    for (uint32_t i = 0; i < judgement->attempt_count; i++)
        failed += cnf_verdict_effect(judgement->attempts[i].verdict) == CNF_EFFECT_UNEXPECTED;
    const cnf_interval interval = cnf_interval_of(failed, judgement->attempt_count);
    for (uint32_t i = 0; i < entries->count; i++)
        if (entries->items[i]->is_flaky && interval.low > entries->items[i]->bound_percent / 100.0)
            return true;
    return false;
}

bool cnf_expectations_has(const cnf_expectations *expectations, rt_text scenario, rt_text subject)
{
    rt_text rest = subject, bare = rt_text_take_until(&rest, '{');
    for (uint32_t i = 0; i < expectations->entries.count; i++) {
        const cnf_expectation *entry = &expectations->entries.items[i];
        bool is_about =
            rt_text_equal(entry->subject, subject) || rt_text_equal(entry->subject, bare);
        if (is_about && cnf_pattern_matches(entry->scenario, scenario)) return true;
    }
    return false;
}

void cnf_expectations_apply(cnf_expectations *expectations, rt_text scenario, rt_text subject,
                            rt_text driver, cnf_judgement *inout_judgement, cnf_known *out_known)
{
    *out_known = (cnf_known){0};
    rt_arena *arena = &expectations->arena;
    cnf_verdict seen = inout_judgement->verdict;
    CHECK(seen != CNF_VERDICT_XFAIL && seen != CNF_VERDICT_XPASS &&
          seen != CNF_VERDICT_XFAIL_MISMATCH);
    if (!cnf_verdict_ran(seen) && seen != CNF_VERDICT_SKIP) return;
    if (seen == CNF_VERDICT_SKIP && !is_skip_of_subject(inout_judgement, driver)) return;
    entry_list entries = entries_find(expectations, scenario, subject, driver, true);
    bool failed = seen == CNF_VERDICT_FLAKE || cnf_verdict_effect(seen) == CNF_EFFECT_UNEXPECTED;
    bool is_bare = false;
    const char *brace = subject.length ? memchr(subject.data, '{', subject.length) : NULL;
    if (entries.count == 0 && failed && brace && brace > subject.data) {
        const rt_text bare = {subject.data, (size_t)(brace - subject.data)};
        entries = entries_find(expectations, scenario, bare, driver, false);
        is_bare = true;
    }
    if (entries.count == 0) return;
    if (seen == CNF_VERDICT_SKIP) {
        entries_skip(arena, &entries, inout_judgement);
        return;
    }
    uint32_t failure_count = 0;
    cnf_failure *failures = NULL;
    if (failed) failures = cnf_judgement_failures(arena, inout_judgement, &failure_count);
    bool is_compared = inout_judgement->compared > 0;
    for (uint32_t i = 0; i < failure_count; i++)
        is_compared = is_compared || is_comparison(failures[i].signature);
    if (!is_compared) comparisons_drop(&entries, is_bare);
    if (entries.count == 0) return;
    bool is_exact = failures_cover(arena, &entries, seen, failures, failure_count) &&
                    !exceeds_bound(&entries, inout_judgement);
    /* The bare subject's entries excuse only identical failures, because options change the
     * subject's behaviour. Other results prove nothing about those entries, whose state is left
     * unchanged. */
    if (is_bare && !is_exact) return;
    for (uint32_t i = 0; i < entries.count && !is_bare; i++)
        entries.items[i]->state = CNF_ENTRY_JUDGED;
    if (!failed && are_flaky(&entries)) return;
    /* An entry that does not say so does not excuse that the scenario sometimes passes. */
    if (seen == CNF_VERDICT_FLAKE && !has_flaky(&entries)) return;
    *out_known = known_make(arena, &entries, seen);
    poisoned_explain(arena, failures, failure_count, inout_judgement);
    if (failed && !is_exact)
        typos_explain(arena, &entries, failures, failure_count, inout_judgement);
    if (inout_judgement->failure_count > 0) inout_judgement->failures = failures;
    if (!failed)
        inout_judgement->verdict = CNF_VERDICT_XPASS;
    else
        inout_judgement->verdict = is_exact ? CNF_VERDICT_XFAIL : CNF_VERDICT_XFAIL_MISMATCH;
    CHECK(out_known->entry.length > 0);
}

/* ---- Reporting the entries ----------------------------------------------------------------- */

void cnf_expectations_unused_write(rt_buffer *out, const cnf_expectations *expectations)
{
    for (uint32_t i = 0; i < expectations->entries.count; i++) {
        const cnf_expectation *entry = &expectations->entries.items[i];
        if (entry->state != CNF_ENTRY_UNUSED) continue;
        rt_buffer_printf(out, "unused: %.*s:%u: %.*s on %.*s: %.*s\n", RT_TEXT_ARG(entry->file),
                         entry->at.line, RT_TEXT_ARG(entry->scenario), RT_TEXT_ARG(entry->subject),
                         RT_TEXT_ARG(entry->note));
    }
}

/* The line of an entry that was not applied. */
static void other_write(rt_buffer *out, const cnf_expectation *entry)
{
    rt_buffer_printf(out, "not applied: %.*s:%u: %.*s on %.*s: ", RT_TEXT_ARG(entry->file),
                     entry->at.line, RT_TEXT_ARG(entry->scenario), RT_TEXT_ARG(entry->subject));
    if (entry->state == CNF_ENTRY_OTHER_FOLDER) {
        rt_buffer_printf(out,
                         "this run calls it '%.*s'; run the folder in which the entry's path "
                         "begins, or change the entry\n",
                         RT_TEXT_ARG(entry->note));
        return;
    }
    if (entry->state == CNF_ENTRY_NO_SCENARIO) {
        rt_buffer_printf(out, "there is no such scenario\n");
        return;
    }
    rt_buffer_printf(out, "the driver is '%.*s', and the entry is about", RT_TEXT_ARG(entry->note));
    if (entry->driver.length > 0) rt_buffer_printf(out, " '%.*s'", RT_TEXT_ARG(entry->driver));
    if (entry->versions.length > 0)
        rt_buffer_printf(out, "%s versions %.*s", entry->driver.length > 0 ? " in" : "",
                         RT_TEXT_ARG(entry->versions));
    rt_buffer_append_byte(out, '\n');
}

static bool are_of_one_group(const cnf_expectation *a, const cnf_expectation *b)
{
    return a->state == b->state && rt_text_equal(a->file, b->file) &&
           rt_text_equal(a->note, b->note);
}

void cnf_expectations_others_write(rt_buffer *out, const cnf_expectations *expectations,
                                   bool is_each)
{
    const cnf_expectation *entries = expectations->entries.items;
    const uint32_t count = expectations->entries.count;
    for (uint32_t i = 0; i < count; i++) {
        const cnf_expectation *entry = &entries[i];
        const bool is_counted =
            entry->state == CNF_ENTRY_OTHER_DRIVER || entry->state == CNF_ENTRY_NO_SCENARIO;
        if (entry->state == CNF_ENTRY_OTHER_FOLDER || (is_counted && is_each))
            other_write(out, entry);
        if (!is_counted || is_each) continue;
        uint32_t first = 0, alike = 0;
        while (!are_of_one_group(&entries[first], entry))
            first++;
        for (uint32_t k = i; k < count; k++)
            alike += are_of_one_group(&entries[k], entry);
        if (first != i) continue;
        rt_buffer_printf(out, "not applied: %u %s of %.*s, about ", alike,
                         alike == 1 ? "entry" : "entries", RT_TEXT_ARG(entry->file));
        if (entry->state == CNF_ENTRY_NO_SCENARIO)
            rt_buffer_printf(out, "scenarios that do not exist here\n");
        else
            rt_buffer_printf(out, "other drivers than '%.*s'\n", RT_TEXT_ARG(entry->note));
    }
}

uint32_t cnf_expectations_unused(const cnf_expectations *expectations)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < expectations->entries.count; i++)
        count += expectations->entries.items[i].state == CNF_ENTRY_UNUSED;
    return count;
}
