/* Tests of the differential report: it lists the verdicts that are differences, in order, each with
 * an explanation and a command. */
#include "conformance/report/differences.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static const cnf_column columns[] = {{{"sim", 3}, {0}}, {{"pocl", 4}, {0}}};

typedef struct run {
    cnf_report report;
    cnf_differences differences;
    rt_buffer page;
} run;

static void signed_add(run *fixture, const char *scenario, const char *subject, cnf_verdict verdict,
                       const char *signature)
{
    const cnf_record record = {
        .scenario = rt_text_of(scenario),
        .file = rt_text_of(scenario),
        .subject = rt_text_of(subject),
        .judgement = {.verdict = verdict,
                      .step = SCN_NONE,
                      .rule = {"DL-REQ-01", 9},
                      .signature = rt_text_of(signature)},
    };
    const cnf_why why = {.record = &record, .sim = "PASS"};
    cnf_report_add(&fixture->report, &record);
    cnf_differences_add(&fixture->differences, &why, &fixture->report);
}

static void verdict_add(run *fixture, const char *scenario, const char *subject,
                        cnf_verdict verdict)
{
    signed_add(fixture, scenario, subject, verdict, NULL);
}

static void page_make(run *fixture)
{
    cnf_differences_write(&fixture->page, &fixture->differences, &fixture->report, columns, 2);
}

static void run_free(run *fixture)
{
    cnf_report_free(&fixture->report);
    cnf_differences_free(&fixture->differences);
    rt_buffer_free(&fixture->page);
}

/* Returns where a part of the page begins; it must occur exactly once. */
static const char *find_once(const run *fixture, const char *part)
{
    const char *at = strstr(rt_buffer_string(&fixture->page), part);
    if (!at) fail_msg("the page does not say: %s\n%s", part, rt_buffer_string(&fixture->page));
    if (strstr(at + 1, part)) fail_msg("the page says twice: %s", part);
    return at;
}

static void disagreements_come_first(void **state)
{
    (void)state;
    run fixture = {0};
    verdict_add(&fixture, "a/agrees.yaml", "sim", CNF_VERDICT_PASS);
    verdict_add(&fixture, "a/agrees.yaml", "pocl", CNF_VERDICT_SKIP);
    verdict_add(&fixture, "b/known.yaml", "sim", CNF_VERDICT_PASS);
    verdict_add(&fixture, "b/known.yaml", "pocl", CNF_VERDICT_XFAIL);
    verdict_add(&fixture, "c/new.yaml", "pocl", CNF_VERDICT_CRASH);
    verdict_add(&fixture, "c/new.yaml", "sim", CNF_VERDICT_PASS);
    page_make(&fixture);
    const char *unexpected = find_once(&fixture, "| c/new.yaml | PASS | **CRASH** |\n");
    const char *known = find_once(&fixture, "| b/known.yaml | PASS | **XFAIL** |\n");
    const char *agrees = find_once(&fixture, "| a/agrees.yaml | PASS | SKIP |\n");
    assert_true(unexpected < known && known < agrees);
    find_once(
        &fixture,
        "2 verdicts depart from the documents, 1 of them without an entry in an expectation file");
    assert_true(find_once(&fixture, "## c/new.yaml on pocl\n") <
                find_once(&fixture, "## b/known.yaml on pocl (known)\n"));
    run_free(&fixture);
}

static void each_difference_has_its_explanation_and_command(void **state)
{
    (void)state;
    run fixture = {0};
    verdict_add(&fixture, "c/new.yaml", "pocl", CNF_VERDICT_FAIL);
    page_make(&fixture);
    find_once(&fixture, "FAIL c/new.yaml on pocl\n");
    find_once(&fixture, "  sim: PASS\n");
    find_once(&fixture, "Rule DL-REQ-01");
    find_once(&fixture, "To reproduce: `assay run c/new.yaml --on pocl`\n");
    run_free(&fixture);
}

/* The comparison with sim requires that both have run. */
static void a_differential_verdict_is_repeated_with_sim(void **state)
{
    (void)state;
    run fixture = {0};
    signed_add(&fixture, "a/end.yaml", "pocl", CNF_VERDICT_FAIL, "differential:memory:values:data");
    signed_add(&fixture, "b/step.yaml", "pocl", CNF_VERDICT_FAIL,
               "step1:memory:values:differential:");
    page_make(&fixture);
    find_once(&fixture, "To reproduce: `assay run a/end.yaml --on sim,pocl`\n");
    find_once(&fixture, "To reproduce: `assay run b/step.yaml --on pocl`\n");
    run_free(&fixture);
}

static void agreement_has_no_explanation(void **state)
{
    (void)state;
    static const cnf_verdict verdicts[] = {
        CNF_VERDICT_PASS,    CNF_VERDICT_SKIP,     CNF_VERDICT_LINKED, CNF_VERDICT_UNAVAILABLE,
        CNF_VERDICT_NOT_RUN, CNF_VERDICT_POISONED, CNF_VERDICT_XPASS};
    for (size_t i = 0; i < sizeof verdicts / sizeof *verdicts; i++) {
        run fixture = {0};
        verdict_add(&fixture, "a/a.yaml", "pocl", verdicts[i]);
        page_make(&fixture);
        assert_null(strstr(rt_buffer_string(&fixture.page), "## "));
        find_once(&fixture, "0 verdicts depart from the documents");
        run_free(&fixture);
    }
}

static void an_invalid_scenario_is_in_every_column(void **state)
{
    (void)state;
    run fixture = {0};
    verdict_add(&fixture, "a/a.yaml", "-", CNF_VERDICT_INVALID);
    page_make(&fixture);
    find_once(&fixture, "| a/a.yaml | **INVALID** | **INVALID** |\n");
    run_free(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(disagreements_come_first),
        cmocka_unit_test(each_difference_has_its_explanation_and_command),
        cmocka_unit_test(a_differential_verdict_is_repeated_with_sim),
        cmocka_unit_test(agreement_has_no_explanation),
        cmocka_unit_test(an_invalid_scenario_is_in_every_column),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
