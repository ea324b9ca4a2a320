/* The report at the end of a run, as text. It contains no decisions: verdicts and messages come
 * from the records. Rows are ordered by path, columns as requested, so that two reports can be
 * compared with diff. */
#include "conformance/report/matrix.h"

#include "conformance/report/record_text.h"

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
    bool unused = report->expectations && !cnf_expectations_hold(report->expectations);
    if (unused && status < CNF_EFFECT_UNEXPECTED) status = CNF_EFFECT_UNEXPECTED;
    CHECK(status >= CNF_EFFECT_EXPECTED && status <= CNF_EFFECT_INFRASTRUCTURE);
    enum { NOTHING_RAN = 4 };
    return status == 0 && !ran ? NOTHING_RAN : status;
}

/* ---- Layout -------------------------------------------------------------------------------- */

typedef struct report_layout {
    rt_buffer *out;
    const cnf_report *report;
    const cnf_column *columns;
    uint32_t column_count;
    bool colour;
    size_t path_width;
    size_t *widths; /* per column; 0: hidden */
} report_layout;

/* True if the subject was UNAVAILABLE in every record that is not a SKIP (a scenario can be skipped
 * before its subject is opened). */
static bool column_hidden(const report_layout *layout, uint32_t column)
{
    bool unavailable = false;
    for (uint32_t i = 0; i < layout->report->records.count; i++) {
        const cnf_record *record = &layout->report->records.items[i];
        if (!rt_text_equal(record->subject, layout->columns[column].subject)) continue;
        if (record->judgement.verdict == CNF_VERDICT_SKIP) continue;
        if (!cnf_report_is_missing(record)) return false;
        unavailable = true;
    }
    return unavailable && layout->columns[column].install.length > 0;
}

/* True if everything observed agrees, but some checks were not observed. */
static bool is_partial(const cnf_judgement *judgement)
{
    bool agrees =
        judgement->verdict == CNF_VERDICT_PASS || judgement->verdict == CNF_VERDICT_LINKED;
    return agrees && judgement->observed < judgement->expected;
}

/* "PASS", or "PASS 3/5" if some checks were not observed. */
static rt_text cell_text(rt_arena *arena, const cnf_record *record)
{
    const cnf_judgement *judgement = &record->judgement;
    const char *word = cnf_verdict_word(judgement->verdict);
    if (!is_partial(judgement)) return rt_text_of(word);
    return rt_arena_printf(arena, "%s %u/%u", word, judgement->observed, judgement->expected);
}

static void layout_measure(report_layout *layout, rt_arena *arena)
{
    layout->widths = rt_arena_alloc_array(arena, layout->column_count + 1, sizeof(size_t));
    layout->path_width = strlen("scenario");
    for (uint32_t i = 0; i < layout->report->records.count; i++) {
        size_t length = layout->report->records.items[i].scenario.length;
        if (length > layout->path_width) layout->path_width = length;
    }
    for (uint32_t column = 0; column < layout->column_count; column++) {
        if (column_hidden(layout, column)) continue;
        rt_text subject = layout->columns[column].subject;
        layout->widths[column] = subject.length;
        for (uint32_t i = 0; i < layout->report->records.count; i++) {
            const cnf_record *record = &layout->report->records.items[i];
            bool here = rt_text_equal(record->subject, subject) || !cnf_record_has_subject(record);
            size_t length = here ? cell_text(arena, record).length : 0;
            if (length > layout->widths[column]) layout->widths[column] = length;
        }
    }
}

static const char *verdict_colour(cnf_verdict verdict)
{
    if (cnf_verdict_effect(verdict) != CNF_EFFECT_EXPECTED) return "\033[31m";
    return verdict == CNF_VERDICT_PASS ? "\033[32m" : "\033[33m";
}

static void write_padding(rt_buffer *out, size_t used, size_t width)
{
    for (; used < width; used++)
        rt_buffer_append_byte(out, ' ');
}

/* ---- The matrix ---------------------------------------------------------------------------- */

/* Ends a line; trailing blanks are removed. */
static void write_line_end(rt_buffer *out)
{
    while (out->size > 0 && out->data[out->size - 1] == ' ')
        out->data[--out->size] = '\0';
    rt_buffer_append_byte(out, '\n');
}

static void write_heading(const report_layout *layout)
{
    rt_buffer_printf(layout->out, "%-*s", (int)layout->path_width, "scenario");
    for (uint32_t column = 0; column < layout->column_count; column++) {
        if (layout->widths[column] == 0) continue;
        rt_text subject = layout->columns[column].subject;
        CHECK(subject.length <= layout->widths[column]);
        rt_buffer_printf(layout->out, "  %.*s", RT_TEXT_ARG(subject));
        write_padding(layout->out, subject.length, layout->widths[column]);
    }
    write_line_end(layout->out);
}

static void write_cell(const report_layout *layout, rt_arena *arena, const cnf_record *record,
                       size_t width)
{
    rt_text text = record ? cell_text(arena, record) : RT_TEXT("");
    CHECK(width > 0 && text.length <= width);
    rt_buffer_printf(layout->out, "  ");
    if (record && layout->colour)
        rt_buffer_append_text(layout->out, rt_text_of(verdict_colour(record->judgement.verdict)));
    rt_buffer_append_text(layout->out, text);
    if (record && layout->colour) rt_buffer_printf(layout->out, "\033[0m");
    write_padding(layout->out, text.length, width);
}

/* Writes the row of the records [first, end), which belong to one scenario. */
static void write_row(const report_layout *layout, rt_arena *arena, uint32_t first, uint32_t end)
{
    CHECK(first < end && end <= layout->report->records.count);
    const cnf_record *records = layout->report->records.items;
    rt_text path = records[first].scenario;
    CHECK(path.length <= layout->path_width);
    rt_buffer_append_text(layout->out, path);
    write_padding(layout->out, path.length, layout->path_width);
    for (uint32_t column = 0; column < layout->column_count; column++) {
        if (layout->widths[column] == 0) continue;
        const cnf_record *cell =
            cnf_row_cell(&records[first], end - first, layout->columns[column].subject);
        write_cell(layout, arena, cell, layout->widths[column]);
    }
    write_line_end(layout->out);
}

static void write_matrix(const report_layout *layout, rt_arena *arena)
{
    write_heading(layout);
    const cnf_record *records = layout->report->records.items;
    for (uint32_t first = 0, end; first < layout->report->records.count; first = end) {
        end = cnf_row_end(records, layout->report->records.count, first);
        write_row(layout, arena, first, end);
    }
}

/* ---- Reasons ------------------------------------------------------------------------------- */

void cnf_known_write(rt_buffer *out, const cnf_known *known)
{
    if (known->entry.length == 0) return;
    if (known->seen == CNF_VERDICT_PASS || known->seen == CNF_VERDICT_LINKED)
        rt_buffer_printf(out, "    it passes; remove the entry if that is meant to stay\n");
    rt_buffer_printf(out, "  expected: %.*s (%.*s)\n  class: %s\n  reason: %.*s\n",
                     RT_TEXT_ARG(known->failure), RT_TEXT_ARG(known->entry),
                     cnf_class_text(known->class), RT_TEXT_ARG(known->reason));
    cnf_field_write(out, "reference", known->reference);
}

/* Appends a word, quoted for a shell if it needs that. */
static void write_word(rt_buffer *out, rt_text word)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=:@%+";
    bool quotes = word.length == 0;
    for (size_t i = 0; i < word.length && !quotes; i++)
        quotes = !memchr(plain, word.data[i], sizeof plain - 1);
    if (!quotes) {
        rt_buffer_append_text(out, word);
        return;
    }
    rt_buffer_append_byte(out, '\'');
    for (size_t i = 0; i < word.length; i++) {
        if (word.data[i] == '\'') rt_buffer_printf(out, "'\\'");
        rt_buffer_append_byte(out, word.data[i]);
        if (word.data[i] == '\'') rt_buffer_append_byte(out, '\'');
    }
    rt_buffer_append_byte(out, '\'');
}

/* Appends the options of the run and the newline. */
static void write_again_options(rt_buffer *out, const cnf_report *report, const cnf_record *record)
{
    rt_buffer_append_text(out, report->again);
    if (record->choices.length > 0)
        rt_buffer_printf(out, " --choices %.*s", RT_TEXT_ARG(record->choices));
    rt_buffer_append_byte(out, '\n');
}

void cnf_report_again_write(rt_buffer *out, const cnf_report *report, const cnf_record *record)
{
    bool on_subject = cnf_record_has_subject(record);
    bool unread = !on_subject && rt_text_starts(record->judgement.signature, "read");
    rt_buffer_printf(out, "assay %s ", unread ? "check" : "run");
    write_word(out, record->file);
    if (!on_subject) {
        rt_buffer_append_byte(out, '\n');
        return;
    }
    /* A differential verdict needs sim in the same run; no other option requests it. */
    bool beside_sim = rt_text_starts(record->judgement.signature, "differential:");
    rt_buffer_printf(out, " --on %s", beside_sim ? "sim," : "");
    write_word(out, record->subject);
    write_again_options(out, report, record);
}

void cnf_report_why_write(rt_buffer *out, const cnf_report *report, const cnf_record *record)
{
    CHECK(cnf_record_has_subject(record));
    rt_buffer_printf(out, "assay why ");
    write_word(out, record->file);
    rt_buffer_append_byte(out, ' ');
    write_word(out, record->subject);
    write_again_options(out, report, record);
}

static void write_reason(const report_layout *layout, const cnf_record *record)
{
    const cnf_judgement *judgement = &record->judgement;
    rt_buffer *out = layout->out;
    rt_buffer_printf(out, "\n%s %.*s", cnf_verdict_word(judgement->verdict),
                     RT_TEXT_ARG(record->file));
    if (judgement->line > 0) rt_buffer_printf(out, ":%u", judgement->line);
    bool on_subject = cnf_record_has_subject(record);
    if (on_subject) rt_buffer_printf(out, " on %.*s", RT_TEXT_ARG(record->subject));
    rt_buffer_append_byte(out, '\n');
    cnf_indented_write(out, "    ", judgement->message);
    cnf_field_write(out, "signature", judgement->signature);
    cnf_known_write(out, &record->known);
    cnf_field_write(out, "rule", judgement->rule);
    cnf_device_write(out, "  ", record);
    rt_buffer_printf(out, "  again: ");
    cnf_report_again_write(out, layout->report, record);
    if (!on_subject) return;
    rt_buffer_printf(out, "  why: ");
    cnf_report_why_write(out, layout->report, record);
}

static bool is_shown(const report_layout *layout, const cnf_record *record)
{
    for (uint32_t column = 0; column < layout->column_count; column++) {
        if (rt_text_equal(layout->columns[column].subject, record->subject))
            return layout->widths[column] != 0;
    }
    return true;
}

/* The reason why a subject is not installed is written once, with its counts. */
static bool needs_reason(const report_layout *layout, const cnf_record *record)
{
    if (record->judgement.verdict != CNF_VERDICT_UNAVAILABLE)
        return cnf_verdict_effect(record->judgement.verdict) != CNF_EFFECT_EXPECTED;
    return is_shown(layout, record);
}

/* True for verdicts caused by an earlier event: only the first of several is explained. */
static bool is_aftermath(const cnf_record *record)
{
    return record->judgement.verdict == CNF_VERDICT_NOT_RUN ||
           record->judgement.verdict == CNF_VERDICT_POISONED;
}

static void write_reasons(const report_layout *layout)
{
    bool explained[CNF_VERDICT_COUNT] = {false};
    for (uint32_t i = 0; i < layout->report->records.count; i++) {
        const cnf_record *record = &layout->report->records.items[i];
        bool *already = &explained[record->judgement.verdict];
        if (!needs_reason(layout, record) || (is_aftermath(record) && *already)) continue;
        write_reason(layout, record);
        *already = true;
    }
}

/* Writes one line about an expected verdict that needs a remark; nothing for a complete PASS. */
static void note_write(rt_buffer *out, rt_arena *arena, const cnf_record *record)
{
    const cnf_judgement *judgement = &record->judgement;
    rt_buffer_printf(out, "%.*s %.*s on %.*s", RT_TEXT_ARG(cell_text(arena, record)),
                     RT_TEXT_ARG(record->scenario), RT_TEXT_ARG(record->subject));
    if (judgement->verdict == CNF_VERDICT_SKIP) {
        rt_buffer_printf(out, ": %.*s: %.*s\n", RT_TEXT_ARG(judgement->capability),
                         RT_TEXT_ARG(judgement->answer));
    } else if (judgement->verdict == CNF_VERDICT_XFAIL) {
        const char *comma = record->known.reference.length > 0 ? ", " : "";
        rt_buffer_printf(out, ": %s: %.*s (%.*s%s%.*s)\n", cnf_class_text(record->known.class),
                         RT_TEXT_ARG(record->known.reason), RT_TEXT_ARG(record->known.reference),
                         comma, RT_TEXT_ARG(record->known.entry));
    } else {
        rt_buffer_printf(out, ", unobserved: ");
        for (uint32_t i = 0; i < judgement->unobserved_count; i++)
            rt_buffer_printf(out, "%s%.*s", i ? ", " : "", RT_TEXT_ARG(judgement->unobserved[i]));
        rt_buffer_append_byte(out, '\n');
    }
}

/* LINKED already means that nothing ran, so no note repeats it for every scenario. */
static bool needs_note(const cnf_judgement *judgement)
{
    if (judgement->verdict == CNF_VERDICT_LINKED) return false;
    return judgement->verdict == CNF_VERDICT_SKIP || judgement->verdict == CNF_VERDICT_XFAIL ||
           is_partial(judgement);
}

static void write_notes(const report_layout *layout, rt_arena *arena)
{
    bool first = true;
    for (uint32_t i = 0; i < layout->report->records.count; i++) {
        const cnf_record *record = &layout->report->records.items[i];
        if (!needs_note(&record->judgement) || !is_shown(layout, record)) continue;
        if (first) rt_buffer_append_byte(layout->out, '\n');
        note_write(layout->out, arena, record);
        first = false;
    }
}

/* ---- Counts -------------------------------------------------------------------------------- */

static void write_counts(const report_layout *layout, uint32_t column)
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

static void write_invalid_count(const report_layout *layout)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < layout->report->records.count; i++)
        count += layout->report->records.items[i].judgement.verdict == CNF_VERDICT_INVALID;
    if (count > 0) rt_buffer_printf(layout->out, "-: %u INVALID\n", count);
}

void cnf_report_write(rt_buffer *out, cnf_report *report, const cnf_column *columns,
                      uint32_t column_count, bool colour)
{
    CHECK(column_count > 0);
    cnf_report_sort(report);
    rt_arena arena = {0};
    report_layout layout = {.out = out,
                            .report = report,
                            .columns = columns,
                            .column_count = column_count,
                            .colour = colour};
    layout_measure(&layout, &arena);
    write_matrix(&layout, &arena);
    write_reasons(&layout);
    write_notes(&layout, &arena);
    rt_buffer_append_byte(out, '\n');
    if (report->expectations) cnf_expectations_write(out, report->expectations);
    write_invalid_count(&layout);
    for (uint32_t column = 0; column < column_count; column++)
        write_counts(&layout, column);
    rt_arena_reset(&arena);
}
