/* See sample.h. */
#include "conformance/report/html/test/sample.h"

#include "conformance/report/html/html.h"
#include "conformance/scenario/model/scenario.h"

#include <stdio.h>
#include <string.h>

/* Characters that are markup in HTML, JSON or XML. */
#define HOSTILE "</script><b>bold</b><!-- <img src=x onerror=alert(1)> & \\u003c ]]>"

static const char source[] = "assay: 1\n"
                             "summary: 'Says " HOSTILE "'\n"
                             "covers: [DL-LINK-01, {rule: DL-LINK-02, at: look}]\n"
                             "modules:\n"
                             "  app:\n"
                             "    sources:\n"
                             "      - language: opencl-c\n"
                             "        code: |\n"
                             "          kernel void apply(global int *data) { data[0] = 1 < 2; }\n"
                             "memory:\n"
                             "  data: {type: int, values: [0]}\n"
                             "steps:\n"
                             "  - submit: {kernel: apply, range: [1], args: [data]}\n"
                             "  - id: look\n"
                             "    expect: {memory: data, equals: [1]}\n";

#define EVENT_LOAD "{\"event\":\"module_load\",\"module\":\"app\"}"
#define EVENT_LINK "{\"event\":\"link\",\"program\":\"1\",\"inputs\":[\"app/0\"],\"by\":\"driver\"}"
#define EVENT_LAUNCH                                                                               \
    "{\"event\":\"launch\",\"command\":\"1\",\"kernel\":\"apply\",\"queue\":\"0\",\"after\":[\"0\"]}"

static const char trace_sim[] =
    "{\"type\":\"trace\",\"events\":[" EVENT_LOAD ","
    "{\"event\":\"upload\",\"command\":\"0\",\"memory\":\"data\",\"after\":[]},"
    "{\"event\":\"select\",\"kernel\":\"apply\",\"image\":\"app/0\"},"
    "{\"event\":\"link\",\"program\":\"1\",\"inputs\":[\"app/0\"],\"by\":\"tool\"}," EVENT_LAUNCH
    "]}";
/* Has two events in place of one; its link, made by a different tool, counts as the same event. */
static const char trace_pocl[] =
    "{\"type\":\"trace\",\"events\":[" EVENT_LOAD ","
    "{\"event\":\"upload\",\"command\":\"0\",\"memory\":\"data\",\"after\":[]},"
    "{\"event\":\"create\",\"image\":\"<i>app</i>\",\"executable\":\"false\"},"
    "{\"event\":\"create\",\"image\":\"app/1\",\"executable\":\"false\"}," EVENT_LINK
    "," EVENT_LAUNCH "]}";

static const cnf_check checks_pocl[] = {
    {.line = 15, .kind = {"memory", 6}, .what = {"data", 4}, .observed = true},
};

static const cnf_rule rule_items[] = {
    {.id = {"DL-LINK-01", 10},
     .family = {"DL", 2},
     .source = {"003_SharedLibraries.txt § linking", 34},
     .statement = {"Statement <u>one</u>.", 21},
     .outcome = {"must", 4},
     .reading = {"Read so.", 8}},
    {.id = {"DL-LINK-02", 10},
     .family = {"DL", 2},
     .source = {"003_SharedLibraries.txt § linking", 34},
     .statement = {"Statement two.", 14},
     .outcome = {"must", 4}},
};
static const cnf_rules rules = {rule_items, 2};

static const cnf_column columns[] = {
    {{"sim", 3}, {NULL, 0}}, {{"pocl", 4}, {NULL, 0}}, {{"nowhere", 7}, {"ci/setup", 8}}};

/* A record as a run creates it; the page omits empty texts. */
static cnf_record record_of(const char *path, const char *subject, cnf_verdict verdict)
{
    return (cnf_record){
        .scenario = rt_text_of(path),
        .file = rt_text_of(path),
        .subject = rt_text_of(subject),
        .host = rt_text_of(strcmp(subject, "pocl") == 0 ? "node-2" : "node-1"),
        .judgement = {.verdict = verdict, .step = SCN_NONE, .observed = 1, .expected = 1}};
}

static void record_add(cnf_report *report, cnf_html *html, const cnf_record *record,
                       const cnf_run_detail *detail)
{
    cnf_report_add(report, record);
    if (detail) cnf_html_note(html, record, detail);
}

/* The scenario with everything that a page shows. */
static void full_add(rt_arena *arena, cnf_report *report, cnf_html *html)
{
    scn_problems problems;
    const scn_scenario *scenario = scn_read(arena, rt_text_of(source), RT_TEXT("linking/a.yaml"),
                                            RT_TEXT("linking/a.yaml"), &problems);
    CHECK(scenario);
    const cnf_messages sim = {.trace = rt_text_of(trace_sim)};
    const cnf_messages pocl = {
        .trace = rt_text_of(trace_pocl), .checks = checks_pocl, .check_count = 1};
    const cnf_run_detail sim_detail = {
        .scenario = scenario, .source = rt_text_of(source), .messages = &sim, .oracle = &sim};
    const cnf_run_detail pocl_detail = {.scenario = scenario,
                                        .source = rt_text_of(source),
                                        .messages = &pocl,
                                        .oracle = &sim,
                                        .log = RT_TEXT("no record of the layer\n")};
    cnf_record passes = record_of("linking/a.yaml", "sim", CNF_VERDICT_PASS);
    cnf_record fails = record_of("linking/a.yaml", "pocl", CNF_VERDICT_FAIL);
    fails.judgement.line = 15;
    fails.judgement.signature = RT_TEXT("step2:memory:-:-");
    fails.judgement.message = RT_TEXT(
        "data[0]: expected 1, got " HOSTILE "\n1 more:\n"
        "  step3:memory:-:- (line 16): copy[0]: expected 2 (0x00000002), got 3 (0x00000003)\n"
        "a byte that is not UTF-8: \xff");
    fails.judgement.rule = RT_TEXT("DL-LINK-02");
    fails.step_id = RT_TEXT("look");
    static const cnf_attempt attempts[] = {{CNF_VERDICT_FAIL, {"step2:memory:-:-", 16}, 1},
                                           {CNF_VERDICT_PASS, {NULL, 0}, 1}};
    fails.judgement.attempts = attempts;
    fails.judgement.attempt_count = 2;
    record_add(report, html, &fails, &pocl_detail); /* in the order in which they may end */
    record_add(report, html, &passes, &sim_detail);
    cnf_record missing = record_of("linking/a.yaml", "nowhere", CNF_VERDICT_UNAVAILABLE);
    record_add(report, html, &missing,
               &(cnf_run_detail){.scenario = scenario, .source = rt_text_of(source)});
}

static void extra_add(cnf_report *report, cnf_html *html, uint32_t count)
{
    static const char *const names[] = {"sim", "pocl", "nowhere"};
    for (uint32_t i = 0; i < count; i++) {
        char path[64];
        snprintf(path, sizeof path, "memory/number_%04u.yaml", i);
        for (uint32_t k = 0; k < 3; k++) {
            cnf_record record =
                record_of(path, names[k], k == 1 ? CNF_VERDICT_SKIP : CNF_VERDICT_PASS);
            record_add(report, html, &record, &(cnf_run_detail){.source = rt_text_of(source)});
        }
    }
}

void sample_page(rt_buffer *out, uint32_t extra_count)
{
    rt_arena arena = {0};
    cnf_report report = {0};
    cnf_html *html = cnf_html_create(RT_TEXT("sim"));
    cnf_files files = {0};
    full_add(&arena, &report, html);
    cnf_record skips = record_of("fusion/b.yaml", "pocl", CNF_VERDICT_SKIP);
    skips.judgement.capability = RT_TEXT("fusion");
    skips.judgement.answer = RT_TEXT("no");
    cnf_record partial = record_of("fusion/b.yaml", "sim", CNF_VERDICT_PASS);
    partial.judgement.expected = 3;
    cnf_record invalid = record_of("linking/wrong.yaml", "-", CNF_VERDICT_INVALID);
    invalid.judgement.line = 2;
    invalid.judgement.signature = RT_TEXT("read:scenario:-:-");
    invalid.judgement.message = RT_TEXT("linking/wrong.yaml:2:1: error: unknown key");
    record_add(&report, html, &skips, NULL); /* of an earlier run */
    record_add(&report, html, &partial, NULL);
    record_add(&report, html, &invalid,
               &(cnf_run_detail){.source = RT_TEXT("assay: 1\nsumary: x\n")});
    extra_add(&report, html, extra_count);
    const cnf_html_run run = {.report = &report,
                              .columns = columns,
                              .column_count = 3,
                              .files = &files,
                              .rules = &rules,
                              .version = RT_TEXT("0.0"),
                              .conditions = RT_TEXT("--seed 5"),
                              .command = RT_TEXT("assay run linking --on sim,pocl"),
                              .seconds = 12,
                              .job_count = 2};
    report.began = RT_TEXT("2026-01-31T12:00:00");
    cnf_html_write(html, &run, out);
    cnf_html_free(html);
    cnf_report_free(&report);
    rt_arena_reset(&arena);
}
