/* The explanation of one verdict, from its record, the children's messages and the table of rules.
 * It makes no decisions. */
#include "conformance/report/why.h"

#include "backends/opencl/layer/log.h"
#include "conformance/report/matrix.h"
#include "conformance/report/record_text.h"
#include "conformance/verdict/parting.h"
#include "reference/base/demangle.h"
#include "reference/base/lines.h"

#include <ctype.h>
#include <string.h>

/* ---- Text ---------------------------------------------------------------------------------- */

enum { WIDTH = 100 };

/* Writes a label and the words of a text, wrapped to lines of at most WIDTH bytes and aligned after
 * the label. */
static void write_wrapped(rt_buffer *out, const char *label, rt_text text)
{
    size_t column = 2 + strlen(label), at = 0;
    rt_buffer_printf(out, "  %s", label);
    while (at < text.length) {
        size_t end = at;
        while (end < text.length && !isspace((unsigned char)text.data[end]))
            end++;
        if (end > at) {
            bool breaks = column + 1 + (end - at) > WIDTH;
            rt_buffer_printf(out, breaks ? "\n    %.*s" : " %.*s", (int)(end - at), text.data + at);
            column = breaks ? 4 + (end - at) : column + 1 + (end - at);
        }
        at = end + 1;
    }
    rt_buffer_append_byte(out, '\n');
}

/* ---- The verdict --------------------------------------------------------------------------- */

static void write_verdict(rt_buffer *out, const cnf_why *why)
{
    const cnf_record *record = why->record;
    const cnf_judgement *judgement = &record->judgement;
    rt_buffer_printf(out, "%s", cnf_verdict_word(judgement->verdict));
    if (judgement->observed < judgement->expected)
        rt_buffer_printf(out, " %u/%u", judgement->observed, judgement->expected);
    rt_buffer_printf(out, " %.*s", RT_TEXT_ARG(record->file));
    if (cnf_record_has_subject(record))
        rt_buffer_printf(out, " on %.*s", RT_TEXT_ARG(record->subject));
    rt_buffer_append_byte(out, '\n');
    cnf_field_write(out, "signature", judgement->signature);
    if (judgement->capability.length > 0)
        rt_buffer_printf(out, "  required of the device: %.*s; its answer: %.*s\n",
                         RT_TEXT_ARG(judgement->capability), RT_TEXT_ARG(judgement->answer));
    cnf_device_write(out, "  ", record);
    cnf_field_write(out, "choices", record->choices);
    if (why->sim) rt_buffer_printf(out, "  sim: %s\n", why->sim);
    cnf_known_write(out, &record->known);
}

/* Writes the scenario's lines around the failing one, which is marked. */
static void write_excerpt(rt_buffer *out, const cnf_why *why)
{
    enum { BEFORE = 2, AFTER = 1 };
    uint32_t failing = why->record->judgement.line, number = 0;
    CHECK(failing > 0);
    rt_text rest = why->source, line;
    rt_buffer_printf(out, "\n%.*s:%u", RT_TEXT_ARG(why->record->file), failing);
    if (why->record->step_id.length > 0)
        rt_buffer_printf(out, ", step '%.*s'", RT_TEXT_ARG(why->record->step_id));
    rt_buffer_printf(out, "\n");
    while (number < failing + AFTER && rt_line_take(&rest, &line)) {
        number++;
        if (number + BEFORE < failing) continue;
        rt_buffer_printf(out, "%c %4u | %.*s\n", number == failing ? '>' : ' ', number,
                         RT_TEXT_ARG(line));
    }
}

/* ---- Checks -------------------------------------------------------------------------------- */

const char *cnf_check_word(const cnf_check *check)
{
    if (!check->observed) return "unseen";
    return check->ok ? "agrees" : "FAILS";
}

void cnf_check_print(rt_buffer *out, const cnf_check *check)
{
    rt_buffer_printf(out, "%.*s", RT_TEXT_ARG(check->kind));
    if (check->step == SCN_NONE && rt_text_is(check->kind, "finding")) /* no check expects it */
        rt_buffer_printf(out, " %.*s", RT_TEXT_ARG(check->code));
    if (check->what.length > 0) {
        rt_arena arena = {0};
        rt_text readable = rt_demangle_text(&arena, check->what);
        rt_buffer_printf(out, " %.*s", RT_TEXT_ARG(readable));
        rt_arena_reset(&arena);
    }
    if (check->branch > 0)
        rt_buffer_printf(out, ", branch %u of %u", check->branch, check->branches);
}

static void write_checks(rt_buffer *out, const cnf_messages *messages)
{
    if (!messages || messages->check_count == 0) return;
    rt_buffer_printf(out, "\nExpectations and observations:\n");
    for (uint32_t i = 0; i < messages->check_count; i++) {
        const cnf_check *check = &messages->checks[i];
        rt_buffer_printf(out, "  %-6s  ", cnf_check_word(check));
        if (check->line > 0) rt_buffer_printf(out, "line %u: ", check->line);
        cnf_check_print(out, check);
        rt_buffer_append_byte(out, '\n');
    }
}

/* Writes the failures whose messages the judgement's message shortens to their first lines. */
static void write_other_failures(rt_buffer *out, const cnf_judgement *judgement)
{
    for (uint32_t i = 1; i < judgement->failure_count; i++) {
        const cnf_failure *failure = &judgement->failures[i];
        if (!memchr(failure->message.data, '\n', failure->message.length)) continue;
        rt_buffer_printf(out, "\n  %.*s:\n", RT_TEXT_ARG(failure->signature));
        cnf_indented_write(out, "    ", failure->message);
    }
}

/* ---- Rules --------------------------------------------------------------------------------- */

static void write_rule(rt_buffer *out, const cnf_why *why, rt_text id)
{
    uint32_t index = why->rules ? cnf_rules_find(why->rules, id) : UINT32_MAX;
    rt_buffer_printf(out, "\nRule %.*s", RT_TEXT_ARG(id));
    if (index == UINT32_MAX) {
        rt_buffer_printf(out, ": its text is not installed\n");
        return;
    }
    const cnf_rule *rule = &why->rules->items[index];
    rt_buffer_printf(out, " (");
    cnf_rule_source_print(out, rule);
    rt_buffer_printf(out, "; %.*s)\n", RT_TEXT_ARG(rule->outcome));
    write_wrapped(out, "The rule:", rule->statement);
    if (rule->reading.length > 0) write_wrapped(out, "Our reading:", rule->reading);
    if (rule->dpcpp.length > 0) write_wrapped(out, "Shipped DPC++:", rule->dpcpp);
}

/* Writes the rule that the check cites; if it cites none, the rules that the scenario covers at the
 * failing step; if there are none, all rules that it covers. */
static void write_rules(rt_buffer *out, const cnf_why *why)
{
    rt_text cited = why->record->judgement.rule, step = why->record->step_id;
    if (cited.length > 0) {
        write_rule(out, why, cited);
        return;
    }
    const uint32_t count = why->scenario ? why->scenario->cover_count : 0;
    bool is_covered = false;
    for (uint32_t i = 0; i < count && step.length > 0; i++)
        is_covered = is_covered || rt_text_equal(why->scenario->covers[i].at, step);
    for (uint32_t i = 0; i < count; i++) {
        const scn_cover *cover = &why->scenario->covers[i];
        if (!is_covered || rt_text_equal(cover->at, step))
            write_rule(out, why, rt_text_of(rt_rule_name(cover->rule)));
    }
}

/* ---- Traces -------------------------------------------------------------------------------- */

/* Writes the events around the first difference; events common to both traces are written once. */
static void write_parting(rt_buffer *out, const cnf_parting *parting, rt_text subject)
{
    enum { BEFORE = 3, AFTER = 3 };
    uint32_t longer = parting->oracle_count > parting->subject_count ? parting->oracle_count
                                                                     : parting->subject_count;
    uint32_t first = parting->index > BEFORE ? parting->index - BEFORE : 0;
    CHECK(!parting->is_equal && parting->index < longer);
    CHECK(first <= parting->index);
    int width = (int)(subject.length > 4 ? subject.length : 4);
    rt_buffer_printf(out, "\nThe traces of sim and %.*s part at event %u:\n", RT_TEXT_ARG(subject),
                     parting->index);
    for (uint32_t i = first; i < longer && i <= parting->index + AFTER; i++) {
        rt_text sim_event = RT_TEXT("nothing more"), event = RT_TEXT("nothing more");
        if (i < parting->oracle_count) sim_event = parting->oracle[i];
        if (i < parting->subject_count) event = parting->subject[i];
        bool is_same = i < parting->index || rt_text_equal(sim_event, event);
        char mark = i == parting->index ? '>' : ' ';
        rt_buffer_printf(out, "%c %4u  %-*s  %.*s\n", mark, i, width, is_same ? "both" : "sim",
                         RT_TEXT_ARG(sim_event));
        if (!is_same)
            rt_buffer_printf(out, "%c       %-*.*s  %.*s\n", mark, width, RT_TEXT_ARG(subject),
                             RT_TEXT_ARG(event));
    }
}

static void write_traces(rt_buffer *out, const cnf_why *why)
{
    if (!why->sim || !why->messages || !why->oracle) return;
    rt_arena arena = {0};
    cnf_parting parting;
    cnf_traces_compare(&arena, why->oracle, why->messages, &parting);
    if (parting.is_complete && parting.is_equal)
        rt_buffer_printf(out, "\nThe traces are the same as on sim: %u event%s.\n",
                         parting.oracle_count, parting.oracle_count == 1 ? "" : "s");
    if (parting.is_complete && !parting.is_equal)
        write_parting(out, &parting, why->record->subject);
    rt_arena_reset(&arena);
}

/* Lists the exporters of imports that were not taken, with the reasons, from the subject's trace.
 */
static void write_passed_over(rt_buffer *out, const cnf_why *why)
{
    if (!why->messages) return;
    rt_arena arena = {0};
    uint32_t count, listed = 0;
    const cnf_trace_line *lines = cnf_trace_lines(&arena, why->messages, &count);
    for (uint32_t i = 0; i < count; i++) {
        rt_text line = lines[i].line;
        if (!rt_text_take_prefix(&line, "pass_over ")) continue;
        if (listed++ == 0) rt_buffer_printf(out, "\nExporters that were not taken:\n");
        rt_buffer_printf(out, "  %.*s\n", RT_TEXT_ARG(line));
    }
    rt_arena_reset(&arena);
}

/* ---- OpenCL calls --------------------------------------------------------------------------- */

/* Writes the OpenCL calls, which show where a run went wrong; writes nothing for expected verdicts.
 */
static void write_log(rt_buffer *out, const cnf_why *why)
{
    enum { CALLS_MAX = 10 };
    cnf_verdict verdict = why->record->judgement.verdict;
    if (why->log.length == 0 || verdict == CNF_VERDICT_PASS || verdict == CNF_VERDICT_SKIP) return;
    rt_sink *sink = rt_sink_create();
    rt_arena arena = {0};
    ocl_call_log log;
    rt_status status = ocl_call_log_read(sink, &arena, why->log, why->log_is_tail, &log);
    if (!rt_ok(status)) {
        rt_buffer_printf(out, "\nThe calls to the OpenCL driver are unknown: %.*s\n",
                         RT_TEXT_ARG(rt_sink_diagnostic(sink, status)->message));
    } else if (log.call_count > 0) {
        /* Every program releases its objects at the end, so these calls are left out. */
        uint32_t first = log.call_count;
        for (uint32_t count = 0; first > 0 && count < CALLS_MAX; first--)
            count += !rt_text_starts(log.calls[first - 1].name, "clRelease");
        CHECK(first <= log.call_count);
        rt_buffer_printf(out, "\nThe last calls to the OpenCL driver:\n");
        for (uint32_t i = first; i < log.call_count; i++) {
            if (rt_text_starts(log.calls[i].name, "clRelease")) continue;
            rt_buffer_printf(out, "  ");
            ocl_call_print(out, &log.calls[i]);
            rt_buffer_append_byte(out, '\n');
        }
        if (log.is_full) rt_buffer_printf(out, "  and later ones, which the log could not hold\n");
    }
    rt_arena_reset(&arena);
    rt_sink_destroy(sink);
}

void cnf_why_write(rt_buffer *out, const cnf_why *why)
{
    const cnf_judgement *judgement = &why->record->judgement;
    CHECK(judgement->observed <= judgement->expected);
    CHECK_IMPLIES(why->record->step_id.length > 0, judgement->step != SCN_NONE);
    write_verdict(out, why);
    if (judgement->line > 0) write_excerpt(out, why);
    if (judgement->message.length > 0) {
        rt_buffer_append_byte(out, '\n');
        cnf_indented_write(out, "  ", judgement->message);
    }
    write_other_failures(out, judgement);
    write_checks(out, why->messages);
    write_rules(out, why);
    write_passed_over(out, why);
    write_traces(out, why);
    write_log(out, why);
}
