/* The reasons for verdicts: a paragraph for each unexpected one, and a line for each reason for
 * skips. */
#include "conformance/report/matrix_internal.h"

#include "conformance/report/record_text.h"
#include "conformance/verdict/baseline.h"

#include <stdlib.h>
#include <string.h>

/* ---- Reasons ------------------------------------------------------------------------------- */

void cnf_known_write(rt_buffer *out, const cnf_known *known)
{
    if (known->entry.length == 0) return;
    if (known->seen == CNF_VERDICT_PASS || known->seen == CNF_VERDICT_LINKED)
        rt_buffer_printf(
            out,
            "    it passes; if the fix is permanent, remove the entry, or narrow its pattern\n");
    rt_buffer_printf(out, "  expected: %.*s (%.*s)\n  class: %s\n", RT_TEXT_ARG(known->failure),
                     RT_TEXT_ARG(known->entry), cnf_class_text(known->class));
    cnf_field_write(out, "reason", known->reason); /* an untriaged entry has none */
    cnf_field_write(out, "reference", known->reference);
    cnf_field_write(out, "finding", known->finding);
}

void cnf_shell_word_write(rt_buffer *out, rt_text word)
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
        cnf_shell_word_write(out, record->file);
    if (!on_subject) {
        rt_buffer_append_byte(out, '\n');
        return;
    }
    /* A differential verdict needs sim in the same run; no other option requests it. */
    bool is_differential = rt_text_starts(record->judgement.signature, "differential:");
    rt_buffer_printf(out, " --on %s", is_differential ? "sim," : "");
    cnf_shell_word_write(out, record->subject);
    rt_buffer_append_text(out, report->run_options);
    write_rerun_options(out, report, record);
}

void cnf_report_why_write(rt_buffer *out, const cnf_report *report, const cnf_record *record)
{
    CHECK(cnf_record_has_subject(record));
    rt_buffer_printf(out, "assay why ");
    cnf_shell_word_write(out, record->file);
    rt_buffer_append_byte(out, ' ');
    cnf_shell_word_write(out, record->subject);
    write_rerun_options(out, report, record);
}

void cnf_trouble_write(const cnf_layout *layout, const char *word)
{
    bool colour = layout->style->colour;
    rt_buffer_printf(layout->out, "%s%s%s", colour ? "\033[31m" : "", word,
                     colour ? "\033[0m" : "");
}

static void write_reason(const cnf_layout *layout, const cnf_record *record)
{
    const cnf_judgement *judgement = &record->judgement;
    rt_buffer *out = layout->out;
    cnf_trouble_write(layout, cnf_verdict_word(judgement->verdict));
    rt_buffer_printf(out, " %.*s", RT_TEXT_ARG(record->file));
    if (judgement->line > 0) rt_buffer_printf(out, ":%u", judgement->line);
    bool on_subject = cnf_record_has_subject(record);
    if (on_subject) rt_buffer_printf(out, " on %.*s", RT_TEXT_ARG(record->subject));
    rt_buffer_append_byte(out, '\n');
    cnf_indented_write(out, "    ", judgement->message);
    cnf_field_write(out, "signature", judgement->signature);
    cnf_attempts_write(out, judgement);
    cnf_known_write(out, &record->known);
    cnf_field_write(out, "rule", judgement->rule);
    cnf_device_write(out, "  ", record);
    rt_buffer_printf(out, "  again: ");
    cnf_report_rerun_write(out, layout->report, record);
    /* `assay why` takes the file of a scenario, and entries are about scenarios. */
    if (!on_subject || record->again.length > 0) return;
    rt_buffer_printf(out, "  why: ");
    cnf_report_why_write(out, layout->report, record);
    rt_buffer entries = {0};
    const rt_text began = layout->report->began;
    const rt_text since = {began.data, began.length >= 10 ? sizeof "2026-01-31" - 1 : 0};
    if (cnf_baseline_write(&entries, 4, record, since) > 0) {
        const char *brace = memchr(record->subject.data, '{', record->subject.length);
        size_t length = brace ? (size_t)(brace - record->subject.data) : record->subject.length;
        rt_buffer_printf(out, "  to expect it, in %.*s.yaml:\n%s", (int)length,
                         record->subject.data, rt_buffer_string(&entries));
    }
    rt_buffer_free(&entries);
}

void cnf_reasons_write(const cnf_layout *layout)
{
    bool is_explained[CNF_VERDICT_COUNT] = {false};
    for (uint32_t i = 0; i < layout->report->records.count; i++) {
        const cnf_record *record = &layout->report->records.items[i];
        cnf_verdict verdict = record->judgement.verdict;
        /* The reason why a subject is not installed is written once, with its counts. */
        bool needs_reason = verdict == CNF_VERDICT_UNAVAILABLE
                                ? cnf_layout_shows(layout, record)
                                : cnf_verdict_effect(verdict) != CNF_EFFECT_EXPECTED;
        /* These two verdicts result from an earlier event, so only the first record with each is
         * explained. */
        bool is_aftermath = verdict == CNF_VERDICT_NOT_RUN || verdict == CNF_VERDICT_POISONED;
        if (!needs_reason || (is_aftermath && is_explained[verdict])) continue;
        write_reason(layout, record);
        rt_buffer_append_byte(layout->out, '\n');
        is_explained[verdict] = true;
    }
}

/* ---- Skips --------------------------------------------------------------------------------- */

/* The records that were skipped for one reason. */
typedef struct skip_group {
    const cnf_record *first;
    uint32_t count;
    bool has_same_message; /* all records have the message of the first */
} skip_group;

/* Orders by count, the largest first, then by reason. */
static int group_compare(const void *left, const void *right)
{
    const skip_group *a = left, *b = right;
    if (a->count != b->count) return a->count > b->count ? -1 : 1;
    return rt_text_compare(a->first->judgement.capability, b->first->judgement.capability);
}

/* Writes one reason, for example "  12  pocl, cuda: reports-faults: the scenario expects …". */
static void group_write(const cnf_layout *layout, const skip_group *group)
{
    const cnf_judgement *judgement = &group->first->judgement;
    rt_buffer *out = layout->out;
    const char *separator = "";
    rt_buffer_printf(out, "%6u  ", group->count);
    for (uint32_t column = 0; column < layout->column_count; column++) {
        rt_text subject = layout->columns[column].subject;
        bool is_own = false;
        for (uint32_t i = 0; i < layout->report->records.count && !is_own; i++) {
            const cnf_record *record = &layout->report->records.items[i];
            is_own = record->judgement.verdict == CNF_VERDICT_SKIP &&
                     rt_text_equal(record->subject, subject) &&
                     rt_text_equal(record->judgement.capability, judgement->capability);
        }
        if (!is_own) continue;
        rt_buffer_printf(out, "%s%.*s", separator, RT_TEXT_ARG(subject));
        separator = ", ";
    }
    rt_text message = judgement->message;
    rt_text line = rt_text_take_until(&message, '\n');
    rt_buffer_printf(out, ": %.*s%s: %.*s\n", RT_TEXT_ARG(judgement->capability),
                     group->has_same_message ? "" : ", for example",
                     RT_TEXT_ARG(line.length > 0 ? line : judgement->answer));
}

uint32_t cnf_skips_write(const cnf_layout *layout, rt_arena *arena, bool is_shown)
{
    const uint32_t count = layout->report->records.count;
    skip_group *groups = rt_arena_alloc_array(arena, count + 1, sizeof *groups);
    uint32_t group_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        const cnf_record *record = &layout->report->records.items[i];
        if (record->judgement.verdict != CNF_VERDICT_SKIP) continue;
        uint32_t at = 0;
        while (at < group_count &&
               !rt_text_equal(groups[at].first->judgement.capability, record->judgement.capability))
            at++;
        if (at == group_count) groups[group_count++] = (skip_group){record, 0, true};
        groups[at].count++;
        groups[at].has_same_message =
            groups[at].has_same_message &&
            rt_text_equal(groups[at].first->judgement.message, record->judgement.message);
    }
    CHECK(group_count <= count);
    if (!is_shown || group_count == 0) return group_count;
    qsort(groups, group_count, sizeof *groups, group_compare);
    rt_buffer_printf(layout->out, "skipped:\n");
    for (uint32_t i = 0; i < group_count; i++)
        group_write(layout, &groups[i]);
    rt_buffer_append_byte(layout->out, '\n');
    return group_count;
}
