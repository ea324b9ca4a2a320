/* Writes JUnit's XML. */
#include "conformance/report/junit.h"

#include "conformance/report/record_text.h"
#include "reference/base/utf8.h"

#include <string.h>

/* ---- Text ---------------------------------------------------------------------------------- */

/* Appends text, escaped for an element or for a quoted attribute; in attributes, line breaks and
 * tabs are escaped too, because a parser would turn them into blanks (XML 1.0, section 3.3.3). */
static void escape(rt_buffer *out, rt_text text, bool is_attribute)
{
    while (text.length > 0) {
        rt_character character = rt_utf8_take(&text);
        bool is_space = character.code == '\n' || character.code == '\t';
        switch (character.code) {
        case '&': rt_buffer_printf(out, "&amp;"); break;
        case '<': rt_buffer_printf(out, "&lt;"); break;
        case '>': rt_buffer_printf(out, "&gt;"); break;
        case '"': rt_buffer_printf(out, "&quot;"); break;
        default:
            if (character.code == '\r' || (is_space && is_attribute))
                rt_buffer_printf(out, "&#%u;", character.code);
            else if (rt_character_is_xml(character))
                rt_buffer_append_text(out, character.bytes);
            else
                rt_buffer_printf(out, RT_UTF8_REPLACEMENT);
        }
    }
}

static void attribute(rt_buffer *out, const char *name, rt_text value)
{
    rt_buffer_printf(out, " %s=\"", name);
    escape(out, value, true);
    rt_buffer_printf(out, "\"");
}

/* ---- Verdicts ------------------------------------------------------------------------------ */

typedef enum outcome { OUTCOME_GOOD, OUTCOME_SKIPPED, OUTCOME_FAILURE, OUTCOME_ERROR } outcome;

static const outcome outcomes[CNF_VERDICT_COUNT] = {
    [CNF_VERDICT_PASS] = OUTCOME_GOOD,           [CNF_VERDICT_LINKED] = OUTCOME_GOOD,
    [CNF_VERDICT_SKIP] = OUTCOME_SKIPPED,        [CNF_VERDICT_XFAIL] = OUTCOME_SKIPPED,
    [CNF_VERDICT_UNAVAILABLE] = OUTCOME_SKIPPED, [CNF_VERDICT_FAIL] = OUTCOME_FAILURE,
    [CNF_VERDICT_CRASH] = OUTCOME_FAILURE,       [CNF_VERDICT_TIMEOUT] = OUTCOME_FAILURE,
    [CNF_VERDICT_HANG] = OUTCOME_FAILURE,        [CNF_VERDICT_POISONED] = OUTCOME_FAILURE,
    [CNF_VERDICT_XPASS] = OUTCOME_FAILURE,       [CNF_VERDICT_XFAIL_MISMATCH] = OUTCOME_FAILURE,
    [CNF_VERDICT_INVALID] = OUTCOME_ERROR,       [CNF_VERDICT_NOT_RUN] = OUTCOME_ERROR,
};
static const char *const outcome_elements[] = {NULL, "skipped", "failure", "error"};

static outcome outcome_of(const cnf_record *record)
{
    cnf_verdict verdict = record->judgement.verdict;
    bool compiler = verdict == CNF_VERDICT_UNAVAILABLE && !cnf_report_is_missing(record);
    return compiler ? OUTCOME_ERROR : outcomes[verdict];
}

/* Returns one line that says why the record is not a plain success. */
static rt_text outcome_message(rt_arena *arena, const cnf_record *record)
{
    const cnf_judgement *judgement = &record->judgement;
    const cnf_known *known = &record->known;
    const char *word = cnf_verdict_word(judgement->verdict);
    bool failed = judgement->signature.length > 0;
    rt_text actual = failed ? judgement->signature : rt_text_of(cnf_verdict_word(known->seen));
    switch (judgement->verdict) {
    case CNF_VERDICT_SKIP:
        return rt_arena_printf(arena, "%s, %.*s: %.*s", word, RT_TEXT_ARG(judgement->capability),
                               RT_TEXT_ARG(judgement->answer));
    case CNF_VERDICT_XFAIL:
        return rt_arena_printf(arena, "%s, %s%s%.*s", word, cnf_class_text(known->class),
                               known->reason.length > 0 ? ": " : "", RT_TEXT_ARG(known->reason));
    case CNF_VERDICT_XPASS:
    case CNF_VERDICT_XFAIL_MISMATCH:
        return rt_arena_printf(arena, "%s: %.*s, but %.*s expects %.*s", word, RT_TEXT_ARG(actual),
                               RT_TEXT_ARG(known->entry), RT_TEXT_ARG(known->failure));
    default: return rt_arena_printf(arena, "%s %.*s", word, RT_TEXT_ARG(judgement->signature));
    }
}

/* Appends the lines of <system-out>: the attempts of a flake, the message, if no other element has
 * it, the rule, the unobserved kinds of checks, the device, the host if the suite has none, and the
 * command that repeats the run. */
static void write_details(rt_buffer *out, const cnf_report *report, const cnf_record *record,
                          bool states_host)
{
    const cnf_judgement *judgement = &record->judgement;
    if (judgement->verdict == CNF_VERDICT_FLAKE) {
        rt_buffer_printf(out, "%s: %.*s\n", cnf_verdict_word(judgement->verdict),
                         RT_TEXT_ARG(judgement->signature));
        cnf_attempts_write(out, judgement);
    }
    if (outcome_of(record) == OUTCOME_GOOD) rt_buffer_append_text(out, judgement->message);
    if (out->size > 0) rt_buffer_append_byte(out, '\n');
    if (judgement->rule.length > 0)
        rt_buffer_printf(out, "rule: %.*s\n", RT_TEXT_ARG(judgement->rule));
    for (uint32_t i = 0; i < judgement->unobserved_count; i++)
        rt_buffer_printf(out, "unobserved: %.*s\n", RT_TEXT_ARG(judgement->unobserved[i]));
    cnf_device_write(out, "", record);
    if (states_host && record->host.length > 0)
        rt_buffer_printf(out, "host: %.*s\n", RT_TEXT_ARG(record->host));
    bool has_message = out->size > 0 || judgement->message.length > 0;
    if (has_message && cnf_record_has_subject(record)) {
        rt_buffer_printf(out, "again: ");
        cnf_report_rerun_write(out, report, record);
    }
}

/* ---- Cases and suites ---------------------------------------------------------------------- */

static void write_case(rt_buffer *out, const cnf_report *report, const cnf_record *record,
                       bool states_host)
{
    rt_arena arena = {0};
    rt_buffer details = {0};
    rt_text path = record->scenario;
    const char *slash = memrchr(path.data, '/', path.length);
    size_t folder = slash ? (size_t)(slash - path.data) : 0, skipped = slash ? folder + 1 : 0;
    rt_buffer_printf(out, "  <testcase");
    attribute(out, "name", (rt_text){path.data + skipped, path.length - skipped});
    attribute(out, "classname", folder > 0 ? (rt_text){path.data, folder} : RT_TEXT("."));
    if (record->file.length > 0) attribute(out, "file", record->file);
    if (record->judgement.line > 0) rt_buffer_printf(out, " line=\"%u\"", record->judgement.line);
    rt_buffer_printf(out, " time=\"%.6f\"", record->seconds);
    outcome result = outcome_of(record);
    CHECK_IMPLIES(result == OUTCOME_GOOD,
                  cnf_verdict_effect(record->judgement.verdict) == CNF_EFFECT_EXPECTED);
    write_details(&details, report, record, states_host);
    bool is_empty = result == OUTCOME_GOOD && details.size == 0;
    rt_buffer_printf(out, is_empty ? "/>\n" : ">\n");
    if (result != OUTCOME_GOOD) {
        rt_buffer_printf(out, "   <%s", outcome_elements[result]);
        attribute(out, "message", outcome_message(&arena, record));
        if (result != OUTCOME_SKIPPED)
            attribute(out, "type", rt_text_of(cnf_verdict_word(record->judgement.verdict)));
        rt_text message = record->judgement.message;
        if (message.length > 0) {
            rt_buffer_append_byte(out, '>');
            escape(out, message, false);
            rt_buffer_printf(out, "</%s>\n", outcome_elements[result]);
        } else {
            rt_buffer_printf(out, "/>\n");
        }
    }
    if (details.size > 0) {
        rt_buffer_printf(out, "   <system-out>");
        escape(out, rt_buffer_text(&details), false);
        rt_buffer_printf(out, "</system-out>\n");
    }
    if (!is_empty) rt_buffer_printf(out, "  </testcase>\n");
    rt_buffer_free(&details);
    rt_arena_reset(&arena);
}

typedef struct totals {
    uint32_t outcomes[4];
    uint32_t tests;
    double seconds;
    rt_text host;         /* of the records; empty: unknown */
    bool has_other_hosts; /* some ran elsewhere */
} totals;

/* Counts the records of a subject's suite; with an empty subject, all records. */
static totals count(const cnf_report *report, rt_text subject)
{
    totals sum = {0};
    for (uint32_t i = 0; i < report->records.count; i++) {
        const cnf_record *record = &report->records.items[i];
        if (subject.length > 0 && !rt_text_equal(record->subject, subject)) continue;
        sum.outcomes[outcome_of(record)]++;
        if (sum.tests == 0) sum.host = record->host;
        sum.has_other_hosts |= !rt_text_equal(record->host, sum.host);
        sum.tests++;
        sum.seconds += record->seconds;
    }
    return sum;
}

static void write_totals(rt_buffer *out, totals sum)
{
    CHECK(sum.outcomes[OUTCOME_FAILURE] + sum.outcomes[OUTCOME_ERROR] +
              sum.outcomes[OUTCOME_SKIPPED] <=
          sum.tests);
    rt_buffer_printf(out,
                     " tests=\"%u\" failures=\"%u\" errors=\"%u\" skipped=\"%u\" time=\"%.6f\">\n",
                     sum.tests, sum.outcomes[OUTCOME_FAILURE], sum.outcomes[OUTCOME_ERROR],
                     sum.outcomes[OUTCOME_SKIPPED], sum.seconds);
}

static void write_suite(rt_buffer *out, const cnf_report *report, rt_text subject, rt_text name)
{
    totals sum = count(report, subject);
    if (sum.tests == 0) return;
    rt_buffer_printf(out, " <testsuite");
    attribute(out, "name", name);
    if (sum.host.length > 0 && !sum.has_other_hosts) attribute(out, "hostname", sum.host);
    if (report->began.length > 0) attribute(out, "timestamp", report->began);
    write_totals(out, sum);
    uint32_t written = 0;
    for (uint32_t i = 0; i < report->records.count; i++) {
        const cnf_record *record = &report->records.items[i];
        if (!rt_text_equal(record->subject, subject)) continue;
        write_case(out, report, record, sum.has_other_hosts);
        written++;
    }
    CHECK(written == sum.tests);
    rt_buffer_printf(out, " </testsuite>\n");
}

void cnf_junit_write(rt_buffer *out, cnf_report *report, const cnf_column *columns,
                     uint32_t column_count)
{
    cnf_report_sort(report);
    rt_buffer_printf(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"assay\"");
    write_totals(out, count(report, (rt_text){0}));
    for (uint32_t i = 0; i < column_count; i++)
        write_suite(out, report, columns[i].subject, columns[i].subject);
    write_suite(out, report, RT_TEXT("-"), RT_TEXT("scenarios"));
    rt_buffer_printf(out, "</testsuites>\n");
}
