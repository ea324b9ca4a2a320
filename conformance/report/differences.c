/* The differential report as Markdown. It contains no decisions: verdicts come from the records,
 * explanations from `assay why`. */
#include "conformance/report/differences.h"

#include "conformance/report/record_text.h"

#include <stdlib.h>
#include <string.h>

/* True for verdicts of a subject whose behaviour departs from the documents. */
static bool is_difference(cnf_verdict verdict)
{
    switch (verdict) {
    case CNF_VERDICT_FAIL:
    case CNF_VERDICT_XFAIL:
    case CNF_VERDICT_XFAIL_MISMATCH:
    case CNF_VERDICT_CRASH:
    case CNF_VERDICT_TIMEOUT:
    case CNF_VERDICT_HANG:
    case CNF_VERDICT_INVALID: return true;
    default: return false;
    }
}

void cnf_differences_add(cnf_differences *differences, const cnf_why *why, const cnf_report *report)
{
    const cnf_record *record = why->record;
    if (!is_difference(record->judgement.verdict)) return;
    rt_arena *arena = &differences->arena;
    rt_buffer text = {0}, rerun = {0};
    cnf_why_write(&text, why);
    cnf_report_rerun_write(&rerun, report, record);
    *rt_vector_push(&differences->items) = (cnf_difference){
        .scenario = rt_arena_text(arena, record->scenario),
        .subject = rt_arena_text(arena, record->subject),
        .expected = cnf_verdict_effect(record->judgement.verdict) == CNF_EFFECT_EXPECTED,
        .text = rt_arena_text(arena, rt_buffer_text(&text)),
        .rerun = rt_arena_text(arena, rt_buffer_text(&rerun)),
    };
    rt_buffer_free(&text);
    rt_buffer_free(&rerun);
}

void cnf_differences_free(cnf_differences *differences)
{
    rt_vector_free(&differences->items);
    rt_arena_reset(&differences->arena);
}

/* ---- The table ----------------------------------------------------------------------------- */

/* The order of the scenarios' rows: unexpected verdicts, then known failures, then agreement. */
typedef enum row_rank { RANK_UNEXPECTED, RANK_KNOWN, RANK_AGREES, RANKS } row_rank;

/* The records of one scenario, which are adjacent in the sorted report. */
typedef struct table_row {
    const cnf_record *records;
    uint32_t count;
    row_rank rank;
} table_row;

static void write_table(rt_buffer *out, const cnf_report *report, const cnf_column *columns,
                        uint32_t column_count)
{
    rt_arena arena = {0};
    uint32_t count = 0, total = report->records.count;
    table_row *rows = rt_arena_alloc_array(&arena, total + 1, sizeof *rows);
    for (uint32_t first = 0, end; first < total; first = end) {
        end = cnf_row_end(report->records.items, total, first);
        table_row *row = &rows[count++];
        *row = (table_row){&report->records.items[first], end - first, RANK_AGREES};
        for (uint32_t i = 0; i < row->count; i++) {
            cnf_verdict verdict = row->records[i].judgement.verdict;
            if (cnf_verdict_effect(verdict) != CNF_EFFECT_EXPECTED)
                row->rank = RANK_UNEXPECTED;
            else if (is_difference(verdict) && row->rank == RANK_AGREES)
                row->rank = RANK_KNOWN;
        }
    }
    CHECK(count <= total);
    rt_buffer_printf(out, "| scenario |");
    for (uint32_t i = 0; i < column_count; i++)
        rt_buffer_printf(out, " %.*s |", RT_TEXT_ARG(columns[i].subject));
    rt_buffer_printf(out, "\n|---|");
    for (uint32_t i = 0; i < column_count; i++)
        rt_buffer_printf(out, "---|");
    rt_buffer_append_byte(out, '\n');
    uint32_t written = 0;
    for (row_rank rank = 0; rank < RANKS; rank++) {
        for (uint32_t i = 0; i < count; i++) {
            if (rows[i].rank != rank) continue;
            rt_buffer_printf(out, "| %.*s |", RT_TEXT_ARG(rows[i].records[0].scenario));
            for (uint32_t k = 0; k < column_count; k++) {
                const cnf_record *cell =
                    cnf_row_cell(rows[i].records, rows[i].count, columns[k].subject);
                bool differs = cell && is_difference(cell->judgement.verdict);
                rt_buffer_printf(out, differs ? " **%s** |" : " %s |",
                                 cell ? cnf_verdict_word(cell->judgement.verdict) : "");
            }
            rt_buffer_append_byte(out, '\n');
            written++;
        }
    }
    CHECK(written == count);
    rt_arena_reset(&arena);
}

/* ---- The page ------------------------------------------------------------------------------ */

static int difference_compare(const void *a, const void *b)
{
    const cnf_difference *left = a, *right = b;
    if (left->expected != right->expected) return left->expected ? 1 : -1;
    int order = rt_text_compare(left->scenario, right->scenario);
    return order ? order : rt_text_compare(left->subject, right->subject);
}

static void write_difference(rt_buffer *out, const cnf_difference *difference)
{
    CHECK(difference->rerun.length > 0);
    CHECK(difference->rerun.data[difference->rerun.length - 1] == '\n');
    /* A code fence that no line of the text starts with. */
    static const char *const fences[] = {"```", "~~~~", "`````", "~~~~~~"};
    enum { FENCES = sizeof fences / sizeof *fences };
    const rt_text text = difference->text;
    uint32_t fence = 0;
    while (fence < FENCES - 1 &&
           memmem(text.data, text.length, fences[fence], strlen(fences[fence])))
        fence++;
    rt_buffer_printf(out, "\n## %.*s on %.*s%s\n\n%s\n%.*s%s\n\nTo reproduce: `%.*s`\n",
                     RT_TEXT_ARG(difference->scenario), RT_TEXT_ARG(difference->subject),
                     difference->expected ? " (known)" : "", fences[fence], RT_TEXT_ARG(text),
                     fences[fence], (int)difference->rerun.length - 1, difference->rerun.data);
}

void cnf_differences_write(rt_buffer *out, cnf_differences *differences, cnf_report *report,
                           const cnf_column *columns, uint32_t column_count)
{
    uint32_t unexpected = 0;
    if (differences->items.count > 0)
        qsort(differences->items.items, differences->items.count, sizeof *differences->items.items,
              difference_compare);
    for (uint32_t i = 0; i < differences->items.count; i++)
        unexpected += !differences->items.items[i].expected;
    CHECK(unexpected <= differences->items.count);
    cnf_report_sort(report);
    rt_buffer_printf(
        out,
        "# Differences between subjects\n\n%u verdicts depart from the documents, %u of them "
        "without an entry in an expectation file.  Scenarios with such verdicts come first.\n\n",
        differences->items.count, unexpected);
    write_table(out, report, columns, column_count);
    for (uint32_t i = 0; i < differences->items.count; i++)
        write_difference(out, &differences->items.items[i]);
}
