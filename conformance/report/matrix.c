/* The matrix of scenarios and subjects, as text. Rows are in the order of paths, columns in the
 * requested order, so that two matrices can be compared with diff. If a terminal is too narrow,
 * long paths lose their beginning, and the columns that still do not fit follow in a second matrix.
 */
#include "conformance/report/matrix_internal.h"

#include "conformance/report/record_text.h"

#include <string.h>

enum {
    GAP = 2,        /* blanks between columns */
    PATH_LEAST = 24 /* shorter paths are never cut */
};

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

static bool is_continuation(char byte)
{
    return ((unsigned char)byte & 0xc0) == 0x80;
}

/* The number of characters, each of which takes one column. */
static size_t columns_of(rt_text text)
{
    size_t count = 0;
    for (size_t i = 0; i < text.length; i++)
        count += !is_continuation(text.data[i]);
    return count;
}

/* ---- Layout -------------------------------------------------------------------------------- */

void cnf_layout_measure(cnf_layout *layout, rt_arena *arena)
{
    const cnf_record *records = layout->report->records.items;
    const uint32_t count = layout->report->records.count;
    layout->widths = rt_arena_alloc_array(arena, layout->column_count + 1, sizeof(size_t));
    layout->path_width = strlen("scenario");
    for (uint32_t i = 0; i < count; i++) {
        size_t width = columns_of(records[i].scenario);
        if (width > layout->path_width) layout->path_width = width;
    }
    size_t total = layout->path_width;
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
        if (layout->widths[column] > 0) total += GAP + width;
    }
    const size_t limit = layout->style->width;
    if (limit == 0 || total <= limit || layout->path_width <= PATH_LEAST) return;
    size_t excess = total - limit, spare = layout->path_width - PATH_LEAST;
    layout->path_width -= excess < spare ? excess : spare;
}

bool cnf_layout_shows(const cnf_layout *layout, const cnf_record *record)
{
    for (uint32_t column = 0; column < layout->column_count; column++) {
        if (rt_text_equal(layout->columns[column].subject, record->subject))
            return layout->widths[column] != 0;
    }
    return true;
}

/* The end of the columns, from `first`, that fit next to the paths; at least one column fits. */
static uint32_t band_end(const cnf_layout *layout, uint32_t first)
{
    size_t used = layout->path_width;
    uint32_t end = first;
    for (; end < layout->column_count; end++) {
        if (layout->widths[end] == 0) continue;
        used += GAP + layout->widths[end];
        bool is_only = used == layout->path_width + GAP + layout->widths[end];
        if (layout->style->width > 0 && used > layout->style->width && !is_only) break;
    }
    CHECK(end > first || end == layout->column_count);
    return end;
}

/* ---- The matrix ---------------------------------------------------------------------------- */

static void write_padding(rt_buffer *out, size_t used, size_t width)
{
    for (; used < width; used++)
        rt_buffer_append_byte(out, ' ');
}

/* Ends a line; trailing blanks are removed. */
static void write_line_end(rt_buffer *out)
{
    while (out->size > 0 && out->data[out->size - 1] == ' ')
        out->data[--out->size] = '\0';
    rt_buffer_append_byte(out, '\n');
}

/* The end of a path is what distinguishes it, so its beginning is cut. */
static void write_path(const cnf_layout *layout, rt_text path)
{
    size_t columns = columns_of(path);
    const bool is_cut = columns > layout->path_width;
    while (is_cut && columns > layout->path_width - 1) {
        path = rt_text_skip(path, 1);
        while (path.length > 0 && is_continuation(path.data[0]))
            path = rt_text_skip(path, 1);
        columns--;
    }
    rt_buffer_printf(layout->out, "%s%.*s", is_cut ? "…" : "", RT_TEXT_ARG(path));
    write_padding(layout->out, columns + is_cut, layout->path_width);
}

static const char *colour_of(cnf_verdict verdict)
{
    if (cnf_verdict_effect(verdict) != CNF_EFFECT_EXPECTED) return "\033[31m";
    switch (verdict) {
    case CNF_VERDICT_PASS:
    case CNF_VERDICT_LINKED: return "\033[32m";
    case CNF_VERDICT_XFAIL: return "\033[33m";
    default: return "\033[2m";
    }
}

static void write_cell(const cnf_layout *layout, rt_arena *arena, const cnf_record *cell,
                       size_t width)
{
    rt_text text = cell ? cell_text(arena, cell) : RT_TEXT("");
    CHECK(text.length <= width);
    const char *colour = cell && layout->style->colour ? colour_of(cell->judgement.verdict) : "";
    rt_buffer_printf(layout->out, "  %s%.*s%s", colour, RT_TEXT_ARG(text),
                     *colour ? "\033[0m" : "");
    write_padding(layout->out, text.length, width);
}

static bool is_row_expected(const cnf_record *records, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (cnf_verdict_effect(records[i].judgement.verdict) != CNF_EFFECT_EXPECTED) return false;
    return true;
}

/* Writes the columns from `first` to `end`. */
static void write_band(const cnf_layout *layout, rt_arena *arena, uint32_t first, uint32_t end)
{
    const cnf_record *records = layout->report->records.items;
    rt_buffer *out = layout->out;
    write_path(layout, RT_TEXT("scenario"));
    for (uint32_t column = first; column < end; column++) {
        if (layout->widths[column] == 0) continue;
        rt_text subject = layout->columns[column].subject;
        CHECK(subject.length <= layout->widths[column]);
        rt_buffer_printf(out, "  %.*s", RT_TEXT_ARG(subject));
        write_padding(out, subject.length, layout->widths[column]);
    }
    write_line_end(out);
    for (uint32_t row = 0, row_end; row < layout->report->records.count; row = row_end) {
        row_end = cnf_row_end(records, layout->report->records.count, row);
        if (layout->style->has_failures_only && is_row_expected(&records[row], row_end - row))
            continue;
        write_path(layout, records[row].scenario);
        for (uint32_t column = first; column < end; column++) {
            if (layout->widths[column] == 0) continue;
            write_cell(layout, arena,
                       cnf_row_cell(&records[row], row_end - row, layout->columns[column].subject),
                       layout->widths[column]);
        }
        write_line_end(out);
    }
}

void cnf_matrix_write(const cnf_layout *layout, rt_arena *arena)
{
    for (uint32_t first = 0, end; first < layout->column_count; first = end) {
        end = band_end(layout, first);
        if (first > 0) rt_buffer_append_byte(layout->out, '\n');
        write_band(layout, arena, first, end);
    }
}

/* ---- Notes --------------------------------------------------------------------------------- */

void cnf_notes_write(const cnf_layout *layout, rt_arena *arena)
{
    rt_buffer *out = layout->out;
    bool has_notes = false;
    for (uint32_t i = 0; i < layout->report->records.count; i++) {
        const cnf_record *record = &layout->report->records.items[i];
        const cnf_judgement *judgement = &record->judgement;
        const cnf_known *known = &record->known;
        cnf_verdict verdict = judgement->verdict;
        /* LINKED already means that nothing ran, so no note repeats it for every scenario. */
        bool is_partial_pass = verdict != CNF_VERDICT_LINKED && is_partial(judgement);
        bool needs_note =
            verdict == CNF_VERDICT_SKIP || verdict == CNF_VERDICT_XFAIL || is_partial_pass;
        if (!needs_note || !cnf_layout_shows(layout, record)) continue;
        rt_buffer_printf(out, "%.*s %.*s on %.*s", RT_TEXT_ARG(cell_text(arena, record)),
                         RT_TEXT_ARG(record->scenario), RT_TEXT_ARG(record->subject));
        has_notes = true;
        if (verdict == CNF_VERDICT_SKIP) {
            rt_buffer_printf(out, ": %.*s: %.*s\n", RT_TEXT_ARG(judgement->capability),
                             RT_TEXT_ARG(judgement->answer));
        } else if (verdict == CNF_VERDICT_XFAIL) {
            rt_buffer_printf(out, ": %s%s%.*s (%.*s%s%.*s)\n", cnf_class_text(known->class),
                             known->reason.length > 0 ? ": " : "", RT_TEXT_ARG(known->reason),
                             RT_TEXT_ARG(known->reference), known->reference.length > 0 ? ", " : "",
                             RT_TEXT_ARG(known->entry));
        } else {
            rt_buffer_printf(out, ", unobserved: ");
            for (uint32_t k = 0; k < judgement->unobserved_count; k++)
                rt_buffer_printf(out, "%s%.*s", k ? ", " : "",
                                 RT_TEXT_ARG(judgement->unobserved[k]));
            rt_buffer_append_byte(out, '\n');
        }
    }
    if (has_notes) rt_buffer_append_byte(out, '\n');
}
