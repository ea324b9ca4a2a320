/* The records of a run, its exit status, and the report at its end: counts and the answer. It makes
 * no decisions: verdicts and messages come from the records. */
#include "conformance/report/matrix_internal.h"

#include "conformance/report/record_text.h"
#include "reference/base/number.h"

#include <stdlib.h>
#include <string.h>

void cnf_report_add(cnf_report *report, const cnf_record *record)
{
    CHECK(record->scenario.length > 0 && record->subject.length > 0);
    CHECK((unsigned)record->judgement.verdict < CNF_VERDICT_COUNT);
    CHECK(record->judgement.observed <= record->judgement.expected);
    cnf_record copy = cnf_record_copy(&report->arena, record);
    *rt_vector_push(&report->records) = copy;
}

void cnf_report_free(cnf_report *report)
{
    rt_vector_free(&report->records);
    rt_arena_reset(&report->arena);
}

bool cnf_report_is_missing(const cnf_record *record)
{
    return record->judgement.verdict == CNF_VERDICT_UNAVAILABLE &&
           record->judgement.signature.length == 0;
}

static int record_compare(const void *a, const void *b)
{
    const cnf_record *left = a, *right = b;
    int order = rt_text_compare(left->scenario, right->scenario);
    return order ? order : rt_text_compare(left->subject, right->subject);
}

void cnf_report_sort(cnf_report *report)
{
    if (report->records.count == 0) return;
    qsort(report->records.items, report->records.count, sizeof *report->records.items,
          record_compare);
}

int cnf_report_exit_status(const cnf_report *report)
{
    int status = CNF_EFFECT_EXPECTED;
    bool ran = false;
    for (uint32_t i = 0; i < report->records.count; i++) {
        cnf_verdict verdict = report->records.items[i].judgement.verdict;
        int effect = (int)cnf_verdict_effect(verdict);
        if (effect > status) status = effect;
        ran = ran || cnf_verdict_ran(verdict);
    }
    bool unused = report->expectations && cnf_expectations_unused(report->expectations) > 0;
    if (unused && status < CNF_EFFECT_UNEXPECTED) status = CNF_EFFECT_UNEXPECTED;
    CHECK(status >= CNF_EFFECT_EXPECTED && status <= CNF_EFFECT_INFRASTRUCTURE);
    enum { NOTHING_RAN = 4 };
    return status == 0 && !ran ? NOTHING_RAN : status;
}

/* ---- Flaky scenarios ----------------------------------------------------------------------- */

/* Writes two lines for each verdict that became as expected when it was tried again. */
static void write_flakes(const cnf_layout *layout)
{
    bool has_flakes = false;
    for (uint32_t i = 0; i < layout->report->records.count; i++) {
        const cnf_record *record = &layout->report->records.items[i];
        if (record->judgement.verdict != CNF_VERDICT_FLAKE) continue;
        rt_buffer_printf(layout->out, "FLAKE %.*s on %.*s: %.*s\n", RT_TEXT_ARG(record->file),
                         RT_TEXT_ARG(record->subject), RT_TEXT_ARG(record->judgement.signature));
        cnf_attempts_write(layout->out, &record->judgement);
        has_flakes = true;
    }
    if (has_flakes) rt_buffer_append_byte(layout->out, '\n');
}

/* ---- The slowest --------------------------------------------------------------------------- */

static int slower_compare(const void *left, const void *right)
{
    const cnf_record *a = *(const cnf_record *const *)left, *b = *(const cnf_record *const *)right;
    if (a->seconds != b->seconds) return a->seconds > b->seconds ? -1 : 1;
    return record_compare(a, b);
}

static void write_slowest(const cnf_layout *layout, rt_arena *arena)
{
    const uint32_t count = layout->report->records.count;
    const cnf_record **sorted = rt_arena_alloc_array(arena, count + 1, sizeof *sorted);
    for (uint32_t i = 0; i < count; i++)
        sorted[i] = &layout->report->records.items[i];
    qsort(sorted, count, sizeof *sorted, slower_compare);
    rt_buffer_printf(layout->out, "slowest:\n");
    for (uint32_t i = 0; i < count && i < layout->style->slowest; i++)
        rt_buffer_printf(layout->out, "%8.2f s  %.*s on %.*s\n", sorted[i]->seconds,
                         RT_TEXT_ARG(sorted[i]->scenario), RT_TEXT_ARG(sorted[i]->subject));
    rt_buffer_append_byte(layout->out, '\n');
}

/* ---- Untriaged failures -------------------------------------------------------------------- */

/* The number of a day of the Gregorian calendar, "2026-01-31…"; differences of numbers are days.
 * Source: March-based years, whose leap day is last, so that the days before a month follow one
 * formula. */
static bool day_number(rt_text date, int64_t *out_day)
{
    uint64_t year, month, day;
    if (date.length < 10 || !rt_number_read((rt_text){date.data, 4}, 1, 9999, &year) ||
        !rt_number_read((rt_text){date.data + 5, 2}, 1, 12, &month) ||
        !rt_number_read((rt_text){date.data + 8, 2}, 1, 31, &day))
        return false;
    int64_t y = (int64_t)year - (month <= 2), m = ((int64_t)month + 9) % 12;
    *out_day = 365 * y + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 + (int64_t)day;
    return true;
}

static int since_compare(const void *left, const void *right)
{
    const cnf_expectation *a = *(const cnf_expectation *const *)left;
    const cnf_expectation *b = *(const cnf_expectation *const *)right;
    int order = rt_text_compare(a->since, b->since);
    return order ? order : rt_text_compare(a->file, b->file);
}

/* Writes how many untriaged entries of each file and day applied, the oldest first. */
static void write_untriaged(const cnf_layout *layout, rt_arena *arena)
{
    const cnf_expectations *expectations = layout->report->expectations;
    const uint32_t total = expectations ? expectations->entries.count : 0;
    const cnf_expectation **found = rt_arena_alloc_array(arena, total + 1, sizeof *found);
    uint32_t count = 0;
    for (uint32_t i = 0; i < total; i++) {
        const cnf_expectation *entry = &expectations->entries.items[i];
        if (entry->class == CNF_CLASS_UNTRIAGED && entry->state == CNF_ENTRY_JUDGED)
            found[count++] = entry;
    }
    if (count == 0) return;
    qsort(found, count, sizeof *found, since_compare);
    rt_buffer *out = layout->out;
    rt_buffer_printf(out, "untriaged:\n");
    for (uint32_t first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count && since_compare(&found[first], &found[end]) == 0;)
            end++;
        rt_buffer_printf(out, "%6u  %.*s, since %.*s", end - first, RT_TEXT_ARG(found[first]->file),
                         RT_TEXT_ARG(found[first]->since));
        int64_t then, now;
        if (day_number(found[first]->since, &then) && day_number(layout->report->began, &now))
            rt_buffer_printf(out, " (%lld %s)", (long long)(now - then),
                             now - then == 1 ? "day" : "days");
        rt_buffer_append_byte(out, '\n');
    }
    rt_buffer_append_byte(out, '\n');
}

/* ---- Counts -------------------------------------------------------------------------------- */

static void write_counts(const cnf_layout *layout, uint32_t column)
{
    uint32_t counts[CNF_VERDICT_COUNT] = {0};
    const cnf_record *unavailable = NULL;
    for (uint32_t i = 0; i < layout->report->records.count; i++) {
        const cnf_record *record = &layout->report->records.items[i];
        if (!rt_text_equal(record->subject, layout->columns[column].subject)) continue;
        counts[record->judgement.verdict]++;
        if (record->judgement.verdict == CNF_VERDICT_UNAVAILABLE) unavailable = record;
    }
    rt_buffer_printf(layout->out, "%.*s: %u PASS, %u SKIP, %u XFAIL",
                     RT_TEXT_ARG(layout->columns[column].subject), counts[CNF_VERDICT_PASS],
                     counts[CNF_VERDICT_SKIP], counts[CNF_VERDICT_XFAIL]);
    counts[CNF_VERDICT_PASS] = counts[CNF_VERDICT_SKIP] = counts[CNF_VERDICT_XFAIL] = 0;
    for (cnf_verdict verdict = 0; verdict < CNF_VERDICT_COUNT; verdict++) {
        if (counts[verdict] == 0) continue;
        rt_buffer_printf(layout->out, ", %u %s", counts[verdict], cnf_verdict_word(verdict));
    }
    if (unavailable && layout->widths[column] == 0) {
        rt_buffer_printf(layout->out, " (%.*s; to install: %.*s)",
                         RT_TEXT_ARG(unavailable->judgement.message),
                         RT_TEXT_ARG(layout->columns[column].install));
    }
    rt_buffer_append_byte(layout->out, '\n');
}

/* ---- The answer ---------------------------------------------------------------------------- */

static void write_duration(rt_buffer *out, double seconds)
{
    if (seconds < 10) {
        rt_buffer_printf(out, "%.1f s", seconds);
        return;
    }
    unsigned whole = (unsigned)(seconds + 0.5);
    if (whole >= 3600)
        rt_buffer_printf(out, "%u h %02u min", whole / 3600, whole / 60 % 60);
    else if (whole >= 60)
        rt_buffer_printf(out, "%u min %02u s", whole / 60, whole % 60);
    else
        rt_buffer_printf(out, "%u s", whole);
}

/* Writes the last line, without its newline. `reasons` is the number of reasons for skips. */
static void write_answer(const cnf_layout *layout, uint32_t reasons)
{
    uint32_t unexpected = 0, good = 0, known = 0, untriaged = 0, flaky = 0, skipped = 0,
             missing = 0;
    for (uint32_t i = 0; i < layout->report->records.count; i++) {
        const cnf_record *record = &layout->report->records.items[i];
        cnf_verdict verdict = record->judgement.verdict;
        bool is_missing = cnf_report_is_missing(record);
        if (cnf_verdict_effect(verdict) != CNF_EFFECT_EXPECTED ||
            (verdict == CNF_VERDICT_UNAVAILABLE && !is_missing))
            unexpected++;
        else if (is_missing)
            missing++;
        else if (verdict == CNF_VERDICT_SKIP)
            skipped++;
        else if (verdict == CNF_VERDICT_XFAIL && rt_text_is(record->known.class, "untriaged"))
            untriaged++;
        else if (verdict == CNF_VERDICT_XFAIL)
            known++;
        else if (verdict == CNF_VERDICT_FLAKE)
            flaky++;
        else
            good++;
    }
    CHECK(unexpected + good + known + untriaged + flaky + skipped + missing ==
          layout->report->records.count);
    uint32_t unused =
        layout->report->expectations ? cnf_expectations_unused(layout->report->expectations) : 0;
    rt_buffer *out = layout->out;
    bool is_good = unexpected + unused == 0;
    if (layout->style->colour) rt_buffer_printf(out, "\033[%sm", is_good ? "32" : "31");
    rt_buffer_printf(out, "%u unexpected", unexpected + unused);
    if (layout->style->colour) rt_buffer_printf(out, "\033[0m");
    if (unused > 0)
        rt_buffer_printf(out, " (%u unused %s)", unused, unused == 1 ? "entry" : "entries");
    rt_buffer_printf(out, ": %u as expected", good);
    if (known > 0)
        rt_buffer_printf(out, ", %u known %s", known, known == 1 ? "failure" : "failures");
    if (untriaged > 0)
        rt_buffer_printf(out, ", %u untriaged %s", untriaged,
                         untriaged == 1 ? "failure" : "failures");
    if (flaky > 0) rt_buffer_printf(out, ", %u flaky", flaky);
    if (skipped > 0)
        rt_buffer_printf(out, ", %u skipped for %u %s", skipped, reasons,
                         reasons == 1 ? "reason" : "reasons");
    if (missing > 0) rt_buffer_printf(out, ", %u on subjects that are not installed", missing);
    rt_buffer_printf(out, ", ");
    write_duration(out, layout->style->seconds);
}

void cnf_report_answer_write(rt_buffer *out, const cnf_report *report, double seconds)
{
    rt_arena arena = {0};
    const cnf_report_style style = {.seconds = seconds};
    const cnf_layout layout = {.out = out, .report = report, .style = &style};
    write_answer(&layout, cnf_skips_write(&layout, &arena, false));
    rt_arena_reset(&arena);
}

/* ---- The report ---------------------------------------------------------------------------- */

/* Writes a line for each unexpected verdict. */
static void write_names(const cnf_layout *layout)
{
    for (uint32_t i = 0; i < layout->report->records.count; i++) {
        const cnf_record *record = &layout->report->records.items[i];
        cnf_verdict verdict = record->judgement.verdict;
        if (cnf_verdict_effect(verdict) == CNF_EFFECT_EXPECTED) continue;
        cnf_trouble_write(layout, cnf_verdict_word(verdict));
        rt_buffer_printf(layout->out, " %.*s", RT_TEXT_ARG(record->file));
        if (cnf_record_has_subject(record))
            rt_buffer_printf(layout->out, " on %.*s", RT_TEXT_ARG(record->subject));
        rt_buffer_append_byte(layout->out, '\n');
    }
}

static bool has_missing(const cnf_layout *layout, uint32_t column)
{
    for (uint32_t i = 0; i < layout->report->records.count; i++) {
        const cnf_record *record = &layout->report->records.items[i];
        if (rt_text_equal(record->subject, layout->columns[column].subject) &&
            cnf_report_is_missing(record))
            return true;
    }
    return false;
}

/* If every scenario is INVALID, there is nothing to count on a subject. */
static void write_all_counts(const cnf_layout *layout)
{
    const uint32_t count = layout->report->records.count;
    uint32_t invalid_count = 0;
    for (uint32_t i = 0; i < count; i++)
        invalid_count += layout->report->records.items[i].judgement.verdict == CNF_VERDICT_INVALID;
    if (invalid_count > 0) rt_buffer_printf(layout->out, "-: %u INVALID\n", invalid_count);
    if (invalid_count > 0 && invalid_count == count) return;
    for (uint32_t column = 0; column < layout->column_count; column++)
        write_counts(layout, column);
}

void cnf_report_write(rt_buffer *out, cnf_report *report, const cnf_column *columns,
                      uint32_t column_count, const cnf_report_style *style)
{
    CHECK(column_count > 0);
    cnf_report_sort(report);
    rt_arena arena = {0};
    cnf_layout layout = {.out = out,
                         .report = report,
                         .columns = columns,
                         .column_count = column_count,
                         .style = style};
    cnf_layout_measure(&layout, &arena);
    if (style->has_matrix) {
        cnf_matrix_write(&layout, &arena);
        rt_buffer_append_byte(out, '\n');
        if (!style->has_failures_only && !style->is_brief) cnf_notes_write(&layout, &arena);
    }
    if (style->is_brief)
        write_names(&layout);
    else
        cnf_reasons_write(&layout);
    if (!style->is_brief) write_flakes(&layout);
    bool has_all = !style->is_brief && !style->has_failures_only;
    uint32_t reasons = cnf_skips_write(&layout, &arena, has_all);
    if (has_all) write_untriaged(&layout, &arena);
    if (style->slowest > 0) write_slowest(&layout, &arena);
    if (report->expectations) cnf_expectations_unused_write(out, report->expectations);
    if (report->expectations && has_all)
        cnf_expectations_others_write(out, report->expectations, style->has_matrix);
    if (has_all) write_all_counts(&layout);
    for (uint32_t column = 0; column < column_count && !has_all && style->names_subjects; column++)
        if (has_missing(&layout, column)) write_counts(&layout, column);
    write_answer(&layout, reasons);
    rt_buffer_append_byte(out, '\n');
    rt_arena_reset(&arena);
}
