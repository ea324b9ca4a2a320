/* Compares the records of two runs: both are sorted and traversed together. */
#include "conformance/verdict/comparison.h"

#include "reference/base/vector.h"

#include <stdlib.h>
#include <string.h>

static const struct change_row {
    const char *words;
    bool worse;
} change_rows[CNF_CHANGE_COUNT] = {
#define CHANGE_ROW(change, words, worse) {words, worse},
    CNF_CHANGES(CHANGE_ROW)
#undef CHANGE_ROW
};

typedef struct difference {
    cnf_change change;
    const cnf_record *before, *after; /* at most one of the two is NULL */
} difference;

typedef RT_VECTOR(difference) differences;

/* ---- Pairs --------------------------------------------------------------------------------- */

static int key_compare(const cnf_record *a, const cnf_record *b)
{
    int order = rt_text_compare(a->scenario, b->scenario);
    if (order == 0) order = rt_text_compare(a->subject, b->subject);
    return order != 0 ? order : rt_text_compare(a->conditions, b->conditions);
}

/* Orders by key, then by position in the file. */
static int pointer_compare(const void *left, const void *right)
{
    const cnf_record *a = *(const cnf_record *const *)left, *b = *(const cnf_record *const *)right;
    int order = key_compare(a, b);
    return order != 0 ? order : a < b ? -1 : a > b;
}

/* Returns the last record of each key, sorted by key. The caller frees the array. */
static const cnf_record **sorted(const cnf_records *records, uint32_t *out_count)
{
    const cnf_record **items = rt_alloc(((size_t)records->count + 1) * sizeof *items);
    for (uint32_t i = 0; i < records->count; i++)
        items[i] = &records->items[i];
    qsort(items, records->count, sizeof *items, pointer_compare);
    uint32_t unique_count = 0;
    for (uint32_t i = 0; i < records->count; i++) {
        bool is_same_key = unique_count > 0 && key_compare(items[unique_count - 1], items[i]) == 0;
        items[is_same_key ? unique_count - 1 : unique_count++] = items[i];
    }
    CHECK(unique_count <= records->count);
    *out_count = unique_count;
    return items;
}

/* ---- Judging a pair ------------------------------------------------------------------------ */

typedef enum standing {
    STANDING_GOOD,  /* passes */
    STANDING_KNOWN, /* fails as its expectation entry predicts */
    STANDING_BAD,   /* makes the run's exit status nonzero */
    STANDING_NONE,  /* did not run: skipped, or the subject is not installed */
    STANDINGS
} standing;

static standing standing_of(const cnf_record *record)
{
    cnf_verdict verdict = record->judgement.verdict;
    if (cnf_verdict_effect(verdict) != CNF_EFFECT_EXPECTED) return STANDING_BAD;
    switch (verdict) {
    case CNF_VERDICT_SKIP:
    case CNF_VERDICT_UNAVAILABLE: return STANDING_NONE;
    case CNF_VERDICT_XFAIL: return STANDING_KNOWN;
    default: return STANDING_GOOD;
    }
}

enum { SAME = CNF_CHANGE_COUNT }; /* the standing did not change */

static const int changes[STANDINGS][STANDINGS] = {
    [STANDING_GOOD] = {[STANDING_GOOD] = SAME,
                       [STANDING_KNOWN] = CNF_CHANGE_KNOWN,
                       [STANDING_BAD] = CNF_CHANGE_NEW,
                       [STANDING_NONE] = CNF_CHANGE_SKIPPED},
    [STANDING_KNOWN] = {[STANDING_GOOD] = CNF_CHANGE_FIXED,
                        [STANDING_KNOWN] = SAME,
                        [STANDING_BAD] = CNF_CHANGE_NEW,
                        [STANDING_NONE] = CNF_CHANGE_SKIPPED},
    [STANDING_BAD] = {[STANDING_GOOD] = CNF_CHANGE_FIXED,
                      [STANDING_KNOWN] = CNF_CHANGE_KNOWN,
                      [STANDING_BAD] = SAME,
                      [STANDING_NONE] = CNF_CHANGE_SKIPPED},
    [STANDING_NONE] = {[STANDING_GOOD] = CNF_CHANGE_RESUMED,
                       [STANDING_KNOWN] = CNF_CHANGE_KNOWN,
                       [STANDING_BAD] = CNF_CHANGE_NEW,
                       [STANDING_NONE] = SAME},
};

/* True if every failure in the list of signatures is also in the other list. */
static bool is_part(rt_text signatures, rt_text whole)
{
    while (signatures.length > 0) {
        rt_text signature = rt_text_take_until(&signatures, ' '), rest = whole;
        bool is_found = false;
        while (rest.length > 0 && !is_found)
            is_found = rt_text_equal(rt_text_take_until(&rest, ' '), signature);
        if (!is_found) return false;
    }
    return true;
}

/* The change between two records of one key, or SAME. */
static int change_of(const cnf_record *before, const cnf_record *after, cnf_slower_bound bound)
{
    CHECK(key_compare(before, after) == 0);
    standing was = standing_of(before), is = standing_of(after);
    if (changes[was][is] != SAME) return changes[was][is];
    bool differs = before->judgement.verdict != after->judgement.verdict ||
                   !rt_text_equal(before->judgement.signature, after->judgement.signature);
    rt_text old_failures = before->judgement.signature, new_failures = after->judgement.signature;
    bool grew = old_failures.length < new_failures.length && is_part(old_failures, new_failures);
    if (is == STANDING_BAD && old_failures.length > 0 && grew) return CNF_CHANGE_NEW;
    if ((is == STANDING_BAD || is == STANDING_KNOWN) && differs) return CNF_CHANGE_CHANGED;
    bool is_flaky = after->judgement.verdict == CNF_VERDICT_FLAKE;
    if (is_flaky && before->judgement.verdict != CNF_VERDICT_FLAKE) return CNF_CHANGE_FLAKY;
    bool slower = after->seconds > before->seconds * bound.factor &&
                  after->seconds - before->seconds >= bound.least_seconds;
    return is == STANDING_GOOD && slower ? CNF_CHANGE_SLOWER : SAME;
}

/* Appends what differs. Returns whether the runs have a record in common. */
static bool compare(const cnf_records *old_run, const cnf_records *new_run, cnf_slower_bound bound,
                    differences *out)
{
    bool is_common = false;
    uint32_t old_count, new_count, i = 0, j = 0;
    const cnf_record **olds = sorted(old_run, &old_count), **news = sorted(new_run, &new_count);
    while (i < old_count || j < new_count) {
        int order = i == old_count ? 1 : j == new_count ? -1 : key_compare(olds[i], news[j]);
        difference pair = {.before = order <= 0 ? olds[i++] : NULL,
                           .after = order >= 0 ? news[j++] : NULL};
        int change;
        is_common = is_common || order == 0;
        if (order == 0)
            change = change_of(pair.before, pair.after, bound);
        else if (order < 0) /* a scenario that did not run before loses no check */
            change = standing_of(pair.before) == STANDING_NONE ? SAME : CNF_CHANGE_REMOVED;
        else
            change = standing_of(pair.after) == STANDING_BAD ? CNF_CHANGE_NEW : CNF_CHANGE_ADDED;
        if (change == SAME) continue;
        pair.change = (cnf_change)change;
        *rt_vector_push(out) = pair;
    }
    CHECK(i == old_count && j == new_count);
    rt_free(olds);
    rt_free(news);
    return is_common;
}

/* ---- Writing ------------------------------------------------------------------------------- */

/* Appends a verdict with its details, such as "SKIP (fp64: no)", "FAIL step0:…" or "PASS in 1.50
 * s". */
static void side_print(rt_buffer *out, const cnf_record *record, cnf_change change)
{
    if (!record) {
        rt_buffer_printf(out, "nothing");
        return;
    }
    const cnf_judgement *judgement = &record->judgement;
    rt_buffer_printf(out, "%s", cnf_verdict_word(judgement->verdict));
    if (judgement->signature.length > 0)
        rt_buffer_printf(out, " %.*s", RT_TEXT_ARG(judgement->signature));
    if (judgement->capability.length > 0)
        rt_buffer_printf(out, " (%.*s: %.*s)", RT_TEXT_ARG(judgement->capability),
                         RT_TEXT_ARG(judgement->answer));
    if (change == CNF_CHANGE_SLOWER) rt_buffer_printf(out, " in %.2f s", record->seconds);
}

/* Appends text as one line of a Markdown table cell, escaping all markup. */
static void cell_print(rt_buffer *out, rt_text text)
{
    for (size_t i = 0; i < text.length; i++) {
        char byte = text.data[i];
        if (byte == '\n') byte = ' ';
        if (byte != '\0' && strchr("\\`*_{}[]<>|#~", byte)) rt_buffer_append_byte(out, '\\');
        rt_buffer_append_byte(out, byte);
    }
}

static void line_print(rt_buffer *out, const difference *pair, bool markdown)
{
    const cnf_record *record = pair->after ? pair->after : pair->before;
    rt_buffer before = {0}, after = {0}, subject = {0};
    side_print(&before, pair->before, pair->change);
    side_print(&after, pair->after, pair->change);
    rt_buffer_append_text(&subject, record->subject);
    if (record->conditions.length > 0)
        rt_buffer_printf(&subject, " %.*s", RT_TEXT_ARG(record->conditions));
    if (markdown) {
        const rt_text cells[] = {rt_text_of(change_rows[pair->change].words),
                                 record->scenario,
                                 rt_buffer_text(&subject),
                                 rt_buffer_text(&before),
                                 rt_buffer_text(&after),
                                 record->judgement.rule};
        for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
            rt_buffer_printf(out, "| ");
            cell_print(out, cells[i]);
            rt_buffer_append_byte(out, ' ');
        }
        rt_buffer_printf(out, "|\n");
    } else {
        rt_buffer_printf(out, "%s: %.*s on %s: %s, was %s\n", change_rows[pair->change].words,
                         RT_TEXT_ARG(record->scenario), rt_buffer_string(&subject),
                         rt_buffer_string(&after), rt_buffer_string(&before));
    }
    rt_buffer_free(&before);
    rt_buffer_free(&after);
    rt_buffer_free(&subject);
}

/* Appends the number of changes of each kind, such as "new failure: 2, fixed: 1", or "nothing
 * changed". */
static void counts_print(rt_buffer *out, const uint32_t counts[CNF_CHANGE_COUNT])
{
    const char *separator = "";
    for (int i = 0; i < CNF_CHANGE_COUNT; i++) {
        if (counts[i] == 0) continue;
        rt_buffer_printf(out, "%s%s: %u", separator, change_rows[i].words, counts[i]);
        separator = ", ";
    }
    if (!*separator) rt_buffer_printf(out, "nothing changed");
}

/* More changes of one kind than this are not listed: the runs had different selections, as runs
 * without a common record have. */
enum { UNPAIRED_LISTED_MAX = 10 };

static bool is_listed(const uint32_t counts[CNF_CHANGE_COUNT], int kind, bool disjoint)
{
    bool is_unpaired = kind == CNF_CHANGE_REMOVED || kind == CNF_CHANGE_ADDED;
    return !is_unpaired || (counts[kind] <= UNPAIRED_LISTED_MAX && !disjoint);
}

/* Appends one line if records without a partner are not listed. */
static void selections_print(rt_buffer *out, const uint32_t counts[CNF_CHANGE_COUNT], bool disjoint)
{
    if (is_listed(counts, CNF_CHANGE_REMOVED, disjoint) &&
        is_listed(counts, CNF_CHANGE_ADDED, disjoint))
        return;
    const uint32_t removed = counts[CNF_CHANGE_REMOVED];
    rt_buffer_printf(out,
                     "the runs selected different scenarios, subjects or options: %u %s only in "
                     "the old run, %u only in the new one\n",
                     removed, removed == 1 ? "verdict is" : "verdicts are",
                     counts[CNF_CHANGE_ADDED]);
}

bool cnf_comparison_write(rt_buffer *out, const cnf_records *old_run, const cnf_records *new_run,
                          cnf_slower_bound bound, bool markdown)
{
    differences found = {0};
    const bool is_common = compare(old_run, new_run, bound, &found);
    const bool disjoint = !is_common && old_run->count > 0 && new_run->count > 0;
    bool worse = false;
    uint32_t counts[CNF_CHANGE_COUNT] = {0};
    for (uint32_t i = 0; i < found.count; i++) {
        worse = worse || change_rows[found.items[i].change].worse;
        counts[found.items[i].change]++;
    }
    if (markdown) {
        rt_buffer_printf(out, "### assay: %s\n\n",
                         worse             ? "something got worse"
                         : found.count > 0 ? "nothing got worse"
                                           : "nothing changed");
        if (found.count > 0) counts_print(out, counts);
        if (found.count > 0) rt_buffer_printf(out, "\n\n");
        size_t before = out->size;
        selections_print(out, counts, disjoint);
        if (out->size > before) rt_buffer_append_byte(out, '\n');
        if (found.count > 0)
            rt_buffer_printf(out, "| change | scenario | subject | before | now | rule |\n"
                                  "|---|---|---|---|---|---|\n");
    }
    for (int kind = 0; kind < CNF_CHANGE_COUNT; kind++)
        for (uint32_t i = 0; i < found.count; i++)
            if ((int)found.items[i].change == kind && is_listed(counts, kind, disjoint))
                line_print(out, &found.items[i], markdown);
    if (!markdown) {
        selections_print(out, counts, disjoint);
        counts_print(out, counts);
        rt_buffer_append_byte(out, '\n');
    }
    rt_buffer_printf(out, "%sslower: more than %g times as long, and at least %g s longer\n",
                     markdown ? "\n" : "", bound.factor, bound.least_seconds);
    rt_vector_free(&found);
    return worse;
}
