/* Writes SARIF's objects: each rule at its first use, and results that refer to rules by index. */
#include "conformance/report/sarif.h"

#include "conformance/report/sarif_document.h"

#include <ctype.h>
#include <string.h>

/* ---- Verdicts ------------------------------------------------------------------------------ */

/* Descriptions of verdicts for results that cite no rule of the documents; NULL: the verdict is not
 * a result. */
static const char *const verdict_texts[CNF_VERDICT_COUNT] = {
    [CNF_VERDICT_FAIL] = "An expectation of a scenario does not hold on a subject.",
    [CNF_VERDICT_XFAIL] = "A scenario fails on a subject as an expectation file predicts.",
    [CNF_VERDICT_XPASS] = "A scenario passes although an expectation file predicts that it fails.",
    [CNF_VERDICT_XFAIL_MISMATCH] =
        "A scenario fails, but not in the way that an expectation file predicts.",
    [CNF_VERDICT_UNAVAILABLE] = "A compiler that a scenario needs is not installed.",
    [CNF_VERDICT_CRASH] = "The process that ran a scenario on a subject died.",
    [CNF_VERDICT_TIMEOUT] = "A scenario on a subject did not end within its time limit.",
    [CNF_VERDICT_HANG] = "A scenario did not end, and the device no longer responds.",
    [CNF_VERDICT_INVALID] = "The scenario itself, or the source of a kernel, is wrong.",
    [CNF_VERDICT_NOT_RUN] = "A scenario could not be run.",
    [CNF_VERDICT_POISONED] = "A scenario was not run because an earlier one lost the device.",
};

/* "assay-xfail-mismatch" for XFAIL_MISMATCH. */
static rt_text verdict_rule(rt_arena *arena, cnf_verdict verdict)
{
    rt_buffer id = {0};
    rt_buffer_printf(&id, "assay-");
    for (const char *at = cnf_verdict_word(verdict); *at; at++)
        rt_buffer_append_byte(&id, *at == '_' ? '-' : (char)tolower((unsigned char)*at));
    rt_text copy = rt_arena_text(arena, rt_buffer_text(&id));
    rt_buffer_free(&id);
    return copy;
}

/* ---- Rules --------------------------------------------------------------------------------- */

typedef struct sarif {
    rt_arena arena;
    const cnf_rules *rules;
    cnf_sarif_document document;
} sarif;

static void rule_describe(json_t *descriptor, const cnf_rule *rule)
{
    rt_buffer help = {0}, uri = {0};
    cnf_rule_source_print(&help, rule);
    /* The address of the rule's document: "https://…/SharedLibraries.md". */
    int length = (int)strcspn(rt_buffer_string(&help), ", ");
    rt_buffer_printf(&uri, "https://github.com/intel/llvm/blob/sycl/sycl/doc/design/%.*s", length,
                     rt_buffer_string(&help));
    if (rule->reading.length > 0)
        rt_buffer_printf(&help, "\nreading: %.*s", RT_TEXT_ARG(rule->reading));
    cnf_json_set(descriptor, "shortDescription", cnf_sarif_message(rule->statement));
    cnf_json_set(descriptor, "help", cnf_sarif_message(rt_buffer_text(&help)));
    if (length > 0) cnf_json_set(descriptor, "helpUri", cnf_json_text(rt_buffer_text(&uri)));
    rt_buffer_free(&uri);
    rt_buffer_free(&help);
}

/* The index of the rule's descriptor, which is added at its first use. */
static size_t descriptor_index(sarif *out, rt_text id, cnf_verdict verdict, bool is_cited)
{
    json_t *descriptor;
    size_t place = cnf_sarif_rule(&out->document, id, &descriptor);
    if (!descriptor) return place;
    uint32_t index = is_cited && out->rules ? cnf_rules_find(out->rules, id) : UINT32_MAX;
    if (index != UINT32_MAX) rule_describe(descriptor, &out->rules->items[index]);
    if (!is_cited)
        cnf_json_set(descriptor, "shortDescription",
                     cnf_sarif_message(rt_text_of(verdict_texts[verdict])));
    return place;
}

/* ---- Results ------------------------------------------------------------------------------- */

/* The code that failed if it is in a file, such as that of a kernel without a scenario; otherwise
 * the line of the scenario. */
static json_t *locations_json(const cnf_record *record)
{
    rt_text path = record->file.length > 0 ? record->file : record->scenario;
    const cnf_code_place *code = &record->judgement.code;
    json_t *place = code->file.length > 0 ? cnf_sarif_place(code->file, code->line, code->column)
                                          : cnf_sarif_place(path, record->judgement.line, 0);
    return json_pack("[{s:o}]", "physicalLocation", place);
}

static json_t *result_message(const cnf_report *report, const cnf_record *record)
{
    const cnf_judgement *judgement = &record->judgement;
    rt_buffer text = {0};
    rt_buffer_printf(&text, "%s on %.*s", cnf_verdict_word(judgement->verdict),
                     RT_TEXT_ARG(record->subject));
    if (judgement->message.length > 0) rt_buffer_printf(&text, ": ");
    rt_buffer_append_text(&text, judgement->message); /* it may hold NUL bytes */
    if (judgement->signature.length > 0)
        rt_buffer_printf(&text, "\nsignature: %.*s", RT_TEXT_ARG(judgement->signature));
    if (record->known.entry.length > 0)
        rt_buffer_printf(&text, "\nentry: %.*s expects %.*s", RT_TEXT_ARG(record->known.entry),
                         RT_TEXT_ARG(record->known.failure));
    if (cnf_record_has_subject(record)) {
        rt_buffer_printf(&text, "\nagain: ");
        cnf_report_rerun_write(&text, report, record);
        text.size -= text.size > 0 && text.data[text.size - 1] == '\n';
    }
    json_t *object = cnf_sarif_message(rt_buffer_text(&text));
    rt_buffer_free(&text);
    return object;
}

static json_t *result_json(sarif *out, const cnf_report *report, const cnf_record *record,
                           bool is_known)
{
    cnf_verdict verdict = record->judgement.verdict;
    bool is_cited = record->judgement.rule.length > 0;
    rt_text id = is_cited ? record->judgement.rule : verdict_rule(&out->arena, verdict);
    CHECK(verdict_texts[verdict]);
    CHECK_IMPLIES(is_known, record->known.entry.length > 0);
    /* The fingerprint identifies the same result in different runs. */
    rt_text fingerprint =
        rt_arena_printf(&out->arena, "%.*s|%.*s|%.*s", RT_TEXT_ARG(record->scenario),
                        RT_TEXT_ARG(record->subject), RT_TEXT_ARG(record->judgement.signature));
    json_t *properties =
        cnf_json_checked(json_pack("{s:o, s:s}", "subject", cnf_json_text(record->subject),
                                   "verdict", cnf_verdict_word(verdict)));
    if (record->device.length > 0)
        cnf_json_set(properties, "device", cnf_json_text(record->device));
    if (record->driver.length > 0)
        cnf_json_set(properties, "driver", cnf_json_text(record->driver));
    if (is_known && record->known.finding.length > 0)
        cnf_json_set(properties, "finding", cnf_json_text(record->known.finding));
    json_t *result = cnf_json_checked(json_pack(
        "{s:o, s:I, s:s, s:o, s:o, s:{s:o}}", "ruleId", cnf_json_text(id), "ruleIndex",
        (json_int_t)descriptor_index(out, id, verdict, is_cited), "level",
        is_known ? "note" : "error", "message", result_message(report, record), "locations",
        locations_json(record), "partialFingerprints", "assay/v1", cnf_json_text(fingerprint)));
    if (is_known)
        cnf_json_set(result, "suppressions", cnf_sarif_suppressions(record->known.reason));
    cnf_json_set(result, "properties", properties);
    return result;
}

/* Appends a result for each failure. Those that an entry covers are suppressed; but if entries
 * cover all failures of a mismatch, none is, because an entry then names a failure that did not
 * happen. */
static void results_append(sarif *out, const cnf_report *report, const cnf_record *record)
{
    json_t *results = out->document.results;
    const cnf_judgement *judgement = &record->judgement;
    bool is_known = judgement->verdict == CNF_VERDICT_XFAIL, has_unknown = false;
    if (judgement->failure_count == 0)
        cnf_json_append(results, result_json(out, report, record, is_known));
    for (uint32_t i = 0; i < judgement->failure_count; i++)
        has_unknown = has_unknown || judgement->failures[i].entry.length == 0;
    for (uint32_t i = 0; i < judgement->failure_count; i++) {
        const cnf_failure *failure = &judgement->failures[i];
        cnf_record single = *record;
        single.judgement.signature = failure->signature;
        single.judgement.message = failure->message;
        single.judgement.rule = failure->rule;
        single.judgement.line = failure->line;
        single.judgement.code = failure->code;
        bool is_covered = has_unknown && failure->entry.length > 0;
        cnf_json_append(results, result_json(out, report, &single, is_known || is_covered));
    }
}

/* ---- The document -------------------------------------------------------------------------- */

void cnf_sarif_write(rt_buffer *out, cnf_report *report, const cnf_rules *rules, rt_text version)
{
    cnf_report_sort(report);
    sarif writer = {.rules = rules, .document = cnf_sarif_document_make()};
    for (uint32_t i = 0; i < report->records.count; i++) {
        const cnf_record *record = &report->records.items[i];
        if (verdict_texts[record->judgement.verdict] && !cnf_report_is_missing(record))
            results_append(&writer, report, record);
    }
    cnf_sarif_document_write(out, &writer.document, version);
    rt_arena_reset(&writer.arena);
}
