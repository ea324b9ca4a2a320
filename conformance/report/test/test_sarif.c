/* Tests of the SARIF of a report with hand-made records. */
#include "conformance/report/sarif.h"

#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define TEXT(literal)                                                                              \
    {                                                                                              \
        literal, sizeof literal - 1                                                                \
    }

static const cnf_rule rule_items[] = {{.id = TEXT("DL-RESOLVE-09"),
                                       .family = TEXT("DL"),
                                       .source = TEXT("003_7bcb16774cd09d34.txt § introduction"),
                                       .statement = TEXT("An import without export is refused."),
                                       .reading = TEXT("Before the launch.")}};
static const cnf_rules rules = {rule_items, 1};

static cnf_record record_make(const char *scenario, cnf_verdict verdict)
{
    rt_text path = rt_text_of(scenario);
    return (cnf_record){.scenario = path,
                        .file = path,
                        .subject = RT_TEXT("pocl"),
                        .judgement = {.verdict = verdict, .step = SCN_NONE}};
}

/* The document's only run; the caller drops *out_document. */
static json_t *run_of(cnf_report *report, const cnf_rules *table, json_t **out_document)
{
    rt_buffer text = {0};
    cnf_sarif_write(&text, report, table, RT_TEXT("1.2.3"));
    *out_document = json_loadb(text.data, text.size, JSON_REJECT_DUPLICATES, NULL);
    rt_buffer_free(&text);
    assert_non_null(*out_document);
    json_t *runs = json_object_get(*out_document, "runs");
    assert_int_equal(json_array_size(runs), 1);
    return json_array_get(runs, 0);
}

static const char *text_at(json_t *object, const char *a, const char *b)
{
    return json_string_value(json_object_get(json_object_get(object, a), b));
}

static json_t *place_of(json_t *result)
{
    json_t *location = json_array_get(json_object_get(result, "locations"), 0);
    return json_object_get(location, "physicalLocation");
}

static void a_failure_has_its_line_and_rule(void **state)
{
    (void)state;
    cnf_report report = {0};
    cnf_record record = record_make("linking/a b.yaml", CNF_VERDICT_FAIL);
    record.judgement.line = 20;
    record.judgement.rule = RT_TEXT("DL-RESOLVE-09");
    record.judgement.message = RT_TEXT("expected 1, got \xff");
    record.judgement.signature = RT_TEXT("step0:memory:differs:a");
    cnf_report_add(&report, &record);
    json_t *document, *run = run_of(&report, &rules, &document);
    assert_string_equal(json_string_value(json_object_get(document, "version")), "2.1.0");
    json_t *driver = json_object_get(json_object_get(run, "tool"), "driver");
    assert_string_equal(json_string_value(json_object_get(driver, "version")), "1.2.3");
    json_t *rule = json_array_get(json_object_get(driver, "rules"), 0);
    assert_string_equal(json_string_value(json_object_get(rule, "id")), "DL-RESOLVE-09");
    assert_string_equal(text_at(rule, "shortDescription", "text"),
                        "An import without export is refused.");
    assert_non_null(strstr(text_at(rule, "help", "text"), "reading: Before the launch."));
    assert_string_equal(
        json_string_value(json_object_get(rule, "helpUri")),
        "https://github.com/intel/llvm/blob/sycl/sycl/doc/design/SharedLibraries.md");
    json_t *result = json_array_get(json_object_get(run, "results"), 0);
    assert_string_equal(json_string_value(json_object_get(result, "level")), "error");
    assert_int_equal(json_integer_value(json_object_get(result, "ruleIndex")), 0);
    assert_string_equal(text_at(place_of(result), "artifactLocation", "uri"), "linking/a%20b.yaml");
    json_t *region = json_object_get(place_of(result), "region");
    assert_int_equal(json_integer_value(json_object_get(region, "startLine")), 20);
    const char *message = text_at(result, "message", "text");
    assert_non_null(strstr(message, "FAIL on pocl: expected 1, got \xEF\xBF\xBD\n"));
    assert_non_null(strstr(message, "again: assay run"));
    assert_string_equal(text_at(result, "partialFingerprints", "assay/v1"),
                        "linking/a b.yaml|pocl|step0:memory:differs:a");
    assert_null(json_object_get(result, "suppressions"));
    json_decref(document);
    cnf_report_free(&report);
}

static void a_known_failure_is_a_suppressed_note(void **state)
{
    (void)state;
    cnf_report report = {0};
    cnf_record record = record_make("a.yaml", CNF_VERDICT_XFAIL);
    record.known = (cnf_known){.entry = RT_TEXT("pocl.yaml:4"),
                               .seen = CNF_VERDICT_CRASH,
                               .reason = RT_TEXT("It dies."),
                               .failure = RT_TEXT("CRASH")};
    cnf_report_add(&report, &record);
    json_t *document, *run = run_of(&report, NULL, &document);
    json_t *result = json_array_get(json_object_get(run, "results"), 0);
    assert_string_equal(json_string_value(json_object_get(result, "level")), "note");
    assert_string_equal(json_string_value(json_object_get(result, "ruleId")), "assay-xfail");
    json_t *suppression = json_array_get(json_object_get(result, "suppressions"), 0);
    assert_string_equal(json_string_value(json_object_get(suppression, "justification")),
                        "It dies.");
    assert_null(json_object_get(place_of(result), "region"));
    json_decref(document);
    cnf_report_free(&report);
}

/* A mismatch: one failure is covered by an entry, the other is not. */
static void each_failure_is_a_result(void **state)
{
    (void)state;
    cnf_report report = {0};
    rt_arena arena = {0};
    cnf_record record = record_make("a.yaml", CNF_VERDICT_XFAIL_MISMATCH);
    const cnf_failure failures[] = {
        {.cause = CNF_CAUSE_CHECK,
         .signature = RT_TEXT("step0:launch:errc-build:apply"),
         .message = RT_TEXT("refused"),
         .rule = RT_TEXT("DL-RESOLVE-09"),
         .line = 20,
         .entry = RT_TEXT("pocl.yaml:4")},
        {.cause = CNF_CAUSE_CHECK,
         .signature = RT_TEXT("step1:memory:differs:data"),
         .message = RT_TEXT("expected 1, got 2"),
         .step = 1,
         .line = 21},
    };
    cnf_judgement_add(&arena, &record.judgement, failures, 2);
    record.known = (cnf_known){.entry = RT_TEXT("pocl.yaml:4"),
                               .seen = CNF_VERDICT_FAIL,
                               .reason = RT_TEXT("It is refused."),
                               .failure = RT_TEXT("step0:launch:errc-build:apply")};
    cnf_report_add(&report, &record);
    json_t *document, *run = run_of(&report, &rules, &document);
    json_t *results = json_object_get(run, "results");
    assert_int_equal(json_array_size(results), 2);
    json_t *covered = json_array_get(results, 0), *unknown = json_array_get(results, 1);
    assert_string_equal(json_string_value(json_object_get(covered, "level")), "note");
    assert_string_equal(json_string_value(json_object_get(covered, "ruleId")), "DL-RESOLVE-09");
    assert_string_equal(json_string_value(json_object_get(unknown, "level")), "error");
    assert_string_equal(text_at(unknown, "partialFingerprints", "assay/v1"),
                        "a.yaml|pocl|step1:memory:differs:data");
    json_t *region = json_object_get(place_of(unknown), "region");
    assert_int_equal(json_integer_value(json_object_get(region, "startLine")), 21);
    json_decref(document);
    cnf_report_free(&report);
    rt_arena_reset(&arena);
}

/* A kernel in a file: each finding has its place there, and a check, which has none, that of the
 * record's file. */
static void code_in_a_file_has_its_place(void **state)
{
    (void)state;
    cnf_report report = {0};
    rt_arena arena = {0};
    cnf_record record = record_make("k.cl", CNF_VERDICT_FAIL);
    const cnf_failure failures[] = {
        {.cause = CNF_CAUSE_FINDING,
         .signature = RT_TEXT("step:finding:out-of-bounds:in/k"),
         .line = 7,
         .code = {RT_TEXT("inc/k b.h"), 3, 21}},
        {.cause = CNF_CAUSE_FINDING,
         .signature = RT_TEXT("step:finding:race:out/k"),
         .code = {RT_TEXT("/tmp/k.cl"), 4, 0}},
        {.cause = CNF_CAUSE_CHECK, .signature = RT_TEXT("step1:memory:differs:out")},
    };
    cnf_judgement_add(&arena, &record.judgement, failures, 3);
    cnf_report_add(&report, &record);
    json_t *document, *run = run_of(&report, NULL, &document);
    json_t *results = json_object_get(run, "results");
    assert_int_equal(json_array_size(results), 3);
    json_t *places[3], *regions[3];
    for (size_t i = 0; i < 3; i++) {
        places[i] = place_of(json_array_get(results, i));
        regions[i] = json_object_get(places[i], "region");
    }
    assert_string_equal(text_at(places[0], "artifactLocation", "uri"), "inc/k%20b.h");
    assert_int_equal(json_integer_value(json_object_get(regions[0], "startLine")), 3);
    assert_int_equal(json_integer_value(json_object_get(regions[0], "startColumn")), 21);
    assert_string_equal(text_at(places[1], "artifactLocation", "uri"), "file:///tmp/k.cl");
    assert_int_equal(json_integer_value(json_object_get(regions[1], "startLine")), 4);
    assert_null(json_object_get(regions[1], "startColumn"));
    assert_string_equal(text_at(places[2], "artifactLocation", "uri"), "k.cl");
    assert_null(regions[2]);
    json_decref(document);
    cnf_report_free(&report);
    rt_arena_reset(&arena);
}

static void success_is_not_a_result_and_rules_are_described_once(void **state)
{
    (void)state;
    cnf_report report = {0};
    static const cnf_verdict verdicts[] = {
        CNF_VERDICT_PASS,           CNF_VERDICT_LINKED, CNF_VERDICT_SKIP, CNF_VERDICT_UNAVAILABLE,
        CNF_VERDICT_XFAIL_MISMATCH, CNF_VERDICT_CRASH,  CNF_VERDICT_CRASH};
    static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g"};
    for (size_t i = 0; i < sizeof verdicts / sizeof *verdicts; i++) {
        cnf_record record = record_make(names[i], verdicts[i]);
        cnf_report_add(&report, &record);
    }
    json_t *document, *run = run_of(&report, &rules, &document);
    json_t *results = json_object_get(run, "results");
    json_t *described =
        json_object_get(json_object_get(json_object_get(run, "tool"), "driver"), "rules");
    assert_int_equal(json_array_size(results), 3);
    assert_int_equal(json_array_size(described), 2);
    assert_string_equal(json_string_value(json_object_get(json_array_get(results, 0), "ruleId")),
                        "assay-xfail-mismatch");
    json_t *last = json_array_get(results, 2);
    assert_int_equal(json_integer_value(json_object_get(last, "ruleIndex")), 1);
    json_decref(document);
    cnf_report_free(&report);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_failure_has_its_line_and_rule),
        cmocka_unit_test(a_known_failure_is_a_suppressed_note),
        cmocka_unit_test(each_failure_is_a_result),
        cmocka_unit_test(code_in_a_file_has_its_place),
        cmocka_unit_test(success_is_not_a_result_and_rules_are_described_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
