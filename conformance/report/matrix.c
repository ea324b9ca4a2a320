/* The report at the end of a run, as text. It makes no decisions: verdicts and messages come from
 * the records. Rows are in the order of paths, columns in the requested order, so that two reports
 * can be compared with diff. */
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
    const cnf_record *records = layout->report->records.items;
    const uint32_t count = layout->report->records.count;
    layout->widths = rt_arena_alloc_array(arena, layout->column_count + 1, sizeof(size_t));
    layout->path_width = strlen("scenario");
    for (uint32_t i = 0; i < count; i++)
        if (records[i].scenario.length > layout->path_width)
            layout->path_width = records[i].scenario.length;
    for (uint32_t column = 0; column < layout->column_count; column++) {
        rt_text subject = layout->columns[column].subject;
        size_t width = subject.length;
        bool is_missing = false, was_opened = false;
        for (uint32_t i = 0; i < count; i++) {
            const cnf_record *record = &records[i];
            bool is_own = rt_text_equal(record->subject, subject);
            if (!is_own && cnf_record_has_subject(record)) continue;
            size_t length = cell_text(arena, record).length;
            if (length > width) width = length;
            /* A scenario can be skipped before its subject is opened. */
            if (!is_own || record->judgement.verdict == CNF_VERDICT_SKIP) continue;
            is_missing = is_missing || cnf_report_is_missing(record);
            was_opened = was_opened || !cnf_report_is_missing(record);
        }
        bool can_install = layout->columns[column].install.length > 0;
        layout->widths[column] = is_missing && !was_opened && can_install ? 0 : width;
    }
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

static void write_matrix(const report_layout *layout, rt_arena *arena)
{
    const cnf_record *records = layout->report->records.items;
    rt_buffer *out = layout->out;
    rt_buffer_printf(out, "%-*s", (int)layout->path_width, "scenario");
    for (uint32_t column = 0; column < layout->column_count; column++) {
        if (layout->widths[column] == 0) continue;
        rt_text subject = layout->columns[column].subject;
        CHECK(subject.length <= layout->widths[column]);
        rt_buffer_printf(out, "  %.*s", RT_TEXT_ARG(subject));
        write_padding(out, subject.length, layout->widths[column]);
    }
    write_line_end(out);
    for (uint32_t first = 0, end; first < layout->report->records.count; first = end) {
        end = cnf_row_end(records, layout->report->records.count, first);
        rt_text path = records[first].scenario;
        CHECK(path.length <= layout->path_width);
        rt_buffer_append_text(out, path);
        write_padding(out, path.length, layout->path_width);
        for (uint32_t column = 0; column < layout->column_count; column++) {
            size_t width = layout->widths[column];
            if (width == 0) continue;
            const cnf_record *cell =
                cnf_row_cell(&records[first], end - first, layout->columns[column].subject);
            rt_text text = cell ? cell_text(arena, cell) : RT_TEXT("");
            CHECK(text.length <= width);
            const char *colour = "";
            if (cell && layout->colour) {
                cnf_verdict verdict = cell->judgement.verdict;
                bool is_expected = cnf_verdict_effect(verdict) == CNF_EFFECT_EXPECTED;
                colour = !is_expected                  ? "\033[31m"
                         : verdict == CNF_VERDICT_PASS ? "\033[32m"
                                                       : "\033[33m";
            }
            rt_buffer_printf(out, "  %s%.*s%s", colour, RT_TEXT_ARG(text),
                             *colour ? "\033[0m" : "");
            write_padding(out, text.length, width);
        }
        write_line_end(out);
    }
}

/* ---- Reasons ------------------------------------------------------------------------------- */

void cnf_known_write(rt_buffer *out, const cnf_known *known)
{
    if (known->entry.length == 0) return;
    if (known->seen == CNF_VERDICT_PASS || known->seen == CNF_VERDICT_LINKED)
        rt_buffer_printf(out, "    it passes; remove the entry if the fix is permanent\n");
    rt_buffer_printf(out, "  expected: %.*s (%.*s)\n  class: %s\n  reason: %.*s\n",
                     RT_TEXT_ARG(known->failure), RT_TEXT_ARG(known->entry),
                     cnf_class_text(known->class), RT_TEXT_ARG(known->reason));
    cnf_field_write(out, "reference", known->reference);
    cnf_field_write(out, "finding", known->finding);
}

/* Appends a word, quoted for a shell if necessary. */
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

/* Appends the run's options, the record's choices and a newline. */
static void write_rerun_options(rt_buffer *out, const cnf_report *report, const cnf_record *record)
{
    rt_buffer_append_text(out, report->rerun_options);
    if (record->choices.length > 0)
        rt_buffer_printf(out, " --choices %.*s", RT_TEXT_ARG(record->choices));
    rt_buffer_append_byte(out, '\n');
}

void cnf_report_rerun_write(rt_buffer *out, const cnf_report *report, const cnf_record *record)
{
    bool on_subject = cnf_record_has_subject(record);
    bool is_unreadable = !on_subject && rt_text_starts(record->judgement.signature, "read");
    rt_buffer_printf(out, "assay %s ", is_unreadable ? "check" : "run");
    if (record->again.length > 0)
        rt_buffer_append_text(out, record->again);
    else
        write_word(out, record->file);
    if (!on_subject) {
        rt_buffer_append_byte(out, '\n');
        return;
    }
    /* A differential verdict needs sim in the same run; no other option requests it. */
    bool is_differential = rt_text_starts(record->judgement.signature, "differential:");
    rt_buffer_printf(out, " --on %s", is_differential ? "sim," : "");
    write_word(out, record->subject);
    write_rerun_options(out, report, record);
}

void cnf_report_why_write(rt_buffer *out, const cnf_report *report, const cnf_record *record)
{
    CHECK(cnf_record_has_subject(record));
    rt_buffer_printf(out, "assay why ");
    write_word(out, record->file);
    rt_buffer_append_byte(out, ' ');
    write_word(out, record->subject);
    write_rerun_options(out, report, record);
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
    cnf_report_rerun_write(out, layout->report, record);
    /* `assay why` takes the file of a scenario. */
    if (!on_subject || record->again.length > 0) return;
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

static void write_reasons(const report_layout *layout)
{
    bool is_explained[CNF_VERDICT_COUNT] = {false};
    for (uint32_t i = 0; i < layout->report->records.count; i++) {
        const cnf_record *record = &layout->report->records.items[i];
        cnf_verdict verdict = record->judgement.verdict;
        /* The reason why a subject is not installed is written once, with its counts. */
        bool needs_reason = verdict == CNF_VERDICT_UNAVAILABLE
                                ? is_shown(layout, record)
                                : cnf_verdict_effect(verdict) != CNF_EFFECT_EXPECTED;
        /* These two verdicts result from an earlier event, so only the first record with each is
         * explained. */
        bool is_aftermath = verdict == CNF_VERDICT_NOT_RUN || verdict == CNF_VERDICT_POISONED;
        if (!needs_reason || (is_aftermath && is_explained[verdict])) continue;
        write_reason(layout, record);
        is_explained[verdict] = true;
    }
}

/* Writes a line about each expected verdict that needs a remark. */
static void write_notes(const report_layout *layout, rt_arena *arena)
{
    rt_buffer *out = layout->out;
    bool first = true;
    for (uint32_t i = 0; i < layout->report->records.count; i++) {
        const cnf_record *record = &layout->report->records.items[i];
        const cnf_judgement *judgement = &record->judgement;
        const cnf_known *known = &record->known;
        cnf_verdict verdict = judgement->verdict;
        /* LINKED already means that nothing ran, so no note repeats it for every scenario. */
        bool is_partial_pass = verdict != CNF_VERDICT_LINKED && is_partial(judgement);
        bool needs_note =
            verdict == CNF_VERDICT_SKIP || verdict == CNF_VERDICT_XFAIL || is_partial_pass;
        if (!needs_note || !is_shown(layout, record)) continue;
        rt_buffer_printf(out, "%s%.*s %.*s on %.*s", first ? "\n" : "",
                         RT_TEXT_ARG(cell_text(arena, record)), RT_TEXT_ARG(record->scenario),
                         RT_TEXT_ARG(record->subject));
        first = false;
        if (verdict == CNF_VERDICT_SKIP) {
            rt_buffer_printf(out, ": %.*s: %.*s\n", RT_TEXT_ARG(judgement->capability),
                             RT_TEXT_ARG(judgement->answer));
        } else if (verdict == CNF_VERDICT_XFAIL) {
            rt_buffer_printf(out, ": %s: %.*s (%.*s%s%.*s)\n", cnf_class_text(known->class),
                             RT_TEXT_ARG(known->reason), RT_TEXT_ARG(known->reference),
                             known->reference.length > 0 ? ", " : "", RT_TEXT_ARG(known->entry));
        } else {
            rt_buffer_printf(out, ", unobserved: ");
            for (uint32_t k = 0; k < judgement->unobserved_count; k++)
                rt_buffer_printf(out, "%s%.*s", k ? ", " : "",
                                 RT_TEXT_ARG(judgement->unobserved[k]));
            rt_buffer_append_byte(out, '\n');
        }
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
    uint32_t invalid_count = 0;
    for (uint32_t i = 0; i < report->records.count; i++)
        invalid_count += report->records.items[i].judgement.verdict == CNF_VERDICT_INVALID;
    if (invalid_count > 0) rt_buffer_printf(out, "-: %u INVALID\n", invalid_count);
    for (uint32_t column = 0; column < column_count; column++)
        write_counts(&layout, column);
    rt_arena_reset(&arena);
}
