/* Tests of comparisons between runs, with hand-made records. */
#include "conformance/verdict/comparison.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const cnf_slower_bound bound = {2, 0.5};
static const char bound_line[] = "slower: more than 2 times as long, and at least 0.5 s longer\n";

static cnf_record record_make(cnf_verdict verdict, const char *signature, double seconds)
{
    return (cnf_record){.scenario = RT_TEXT("linking/a.yaml"),
                        .subject = RT_TEXT("pocl"),
                        .seconds = seconds,
                        .judgement = {.verdict = verdict, .signature = rt_text_of(signature)}};
}

/* Compares two single records; NULL: that run has none. Returns true if there is a regression. */
static bool is_regression(const cnf_record *before, const cnf_record *after, const char *expected)
{
    cnf_records old_run = {before, before ? 1 : 0, 0}, new_run = {after, after ? 1 : 0, 0};
    rt_buffer text = {0};
    bool worse = cnf_comparison_write(&text, &old_run, &new_run, bound, false);
    size_t length = strlen(expected);
    assert_true(text.size > length);
    assert_memory_equal(text.data, expected, length);
    assert_string_equal(text.data + text.size - strlen(bound_line), bound_line);
    rt_buffer_free(&text);
    return worse;
}

static void every_change_is_named_and_judged(void **state)
{
    (void)state;
    cnf_record pass = record_make(CNF_VERDICT_PASS, "", 1);
    cnf_record fail = record_make(CNF_VERDICT_FAIL, "step0:a", 1);
    cnf_record other_failure = record_make(CNF_VERDICT_FAIL, "step1:b", 1);
    cnf_record known = record_make(CNF_VERDICT_XFAIL, "step0:a", 1);
    cnf_record skip = record_make(CNF_VERDICT_SKIP, "", 0);
    skip.judgement.capability = RT_TEXT("fp64");
    skip.judgement.answer = RT_TEXT("no");
    assert_true(is_regression(&pass, &fail,
                              "new failure: linking/a.yaml on pocl: FAIL step0:a, was PASS\n"
                              "new failure: 1\n"));
    assert_true(is_regression(&known, &other_failure,
                              "new failure: linking/a.yaml on pocl: FAIL step1:b, was XFAIL"));
    cnf_record flake = record_make(CNF_VERDICT_FLAKE, "step0:a", 1);
    assert_false(is_regression(&pass, &flake,
                               "flaky now: linking/a.yaml on pocl: FLAKE step0:a, was PASS\n"));
    assert_false(is_regression(&flake, &flake, "nothing changed\n"));
    assert_false(is_regression(&fail, &flake, "fixed: linking/a.yaml on pocl: FLAKE step0:a, was"));
    assert_true(is_regression(&flake, &fail, "new failure: linking/a.yaml on pocl: FAIL step0:a"));
    assert_true(is_regression(NULL, &fail,
                              "new failure: linking/a.yaml on pocl: FAIL step0:a, was nothing"));
    assert_true(is_regression(&pass, &skip,
                              "skipped now: linking/a.yaml on pocl: SKIP (fp64: no), was PASS"));
    assert_true(is_regression(&pass, NULL,
                              "not in the new run: linking/a.yaml on pocl: nothing, was PASS"));
    assert_false(is_regression(&fail, &other_failure,
                               "changed failure: linking/a.yaml on pocl: FAIL step1:b, was"));
    assert_false(
        is_regression(&fail, &pass, "fixed: linking/a.yaml on pocl: PASS, was FAIL step0:a"));
    assert_false(
        is_regression(&known, &pass, "fixed: linking/a.yaml on pocl: PASS, was XFAIL step0:a"));
    assert_false(
        is_regression(&pass, &known, "known failure now: linking/a.yaml on pocl: XFAIL step0:a"));
    assert_false(
        is_regression(&skip, &pass, "no longer skipped: linking/a.yaml on pocl: PASS, was SKIP"));
    assert_false(is_regression(NULL, &pass, "added: linking/a.yaml on pocl: PASS, was nothing"));
    assert_false(is_regression(&fail, &fail, "nothing changed\n"));
    assert_false(is_regression(&skip, NULL, "nothing changed\n"));
}

/* The old run has 11 scenarios that the new one lacks, and both have linking/a.yaml: one line says
 * so. With 10 such scenarios each is named, unless the runs have none in common. */
static void different_selections_take_one_line(void **state)
{
    (void)state;
    static const char *const names[] = {"b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"};
    cnf_record records[12];
    for (size_t i = 0; i < 12; i++) {
        records[i] = record_make(CNF_VERDICT_PASS, "", 1);
        if (i > 0) records[i].scenario = rt_text_of(names[i - 1]);
    }
    cnf_records all = {records, 12, 0}, ten_more = {records, 11, 0}, first = {records, 1, 0};
    rt_buffer text = {0};
    assert_true(cnf_comparison_write(&text, &all, &first, bound, false));
    assert_string_equal(
        rt_buffer_string(&text),
        "the runs selected different scenarios, subjects or options: 11 verdicts are only in "
        "the old run, 0 only in the new one\n"
        "not in the new run: 11\n"
        "slower: more than 2 times as long, and at least 0.5 s longer\n");
    rt_buffer_free(&text);
    assert_false(cnf_comparison_write(&text, &first, &all, bound, true));
    assert_non_null(strstr(rt_buffer_string(&text),
                           "only in the old run, 11 only in the new one\n\n| change |"));
    assert_null(strstr(rt_buffer_string(&text), "| added |"));
    rt_buffer_free(&text);
    assert_true(cnf_comparison_write(&text, &ten_more, &first, bound, false));
    assert_null(strstr(rt_buffer_string(&text), "selected"));
    assert_non_null(strstr(rt_buffer_string(&text), "not in the new run: b on pocl: nothing"));
    rt_buffer_free(&text);
    cnf_records second = {&records[1], 1, 0};
    assert_true(cnf_comparison_write(&text, &first, &second, bound, false));
    assert_string_equal(rt_buffer_string(&text),
                        "the runs selected different scenarios, subjects or options: 1 verdict is "
                        "only in the old run, 1 only in the new one\n"
                        "not in the new run: 1, added: 1\n"
                        "slower: more than 2 times as long, and at least 0.5 s longer\n");
    rt_buffer_free(&text);
}

static void slower_is_beyond_both_bounds(void **state)
{
    (void)state;
    cnf_record quick = record_make(CNF_VERDICT_PASS, "", 0.1), one_second = quick, at = quick,
               past = quick;
    cnf_record short_time = quick;
    one_second.seconds = 1;
    at.seconds = 2;
    past.seconds = 2.25;
    short_time.seconds = 0.5;
    assert_false(is_regression(&one_second, &at, "nothing changed\n"));
    assert_true(
        is_regression(&one_second, &past,
                      "slower: linking/a.yaml on pocl: PASS in 2.25 s, was PASS in 1.00 s\n"));
    assert_false(is_regression(&quick, &short_time, "nothing changed\n"));
}

static void the_last_record_of_a_key_counts_and_conditions_are_part_of_it(void **state)
{
    (void)state;
    cnf_record old_items[2] = {record_make(CNF_VERDICT_FAIL, "x", 1),
                               record_make(CNF_VERDICT_PASS, "", 1)};
    cnf_record new_items[2] = {old_items[1], old_items[1]};
    new_items[1].conditions = RT_TEXT("--seed 5");
    cnf_records old_run = {old_items, 2, 0}, new_run = {new_items, 2, 0};
    rt_buffer text = {0};
    assert_false(cnf_comparison_write(&text, &old_run, &new_run, bound, false));
    static const char lines[] =
        "added: linking/a.yaml on pocl --seed 5: PASS, was nothing\nadded: 1\n";
    assert_true(rt_text_starts(rt_buffer_text(&text), lines));
    rt_buffer_free(&text);
}

static void markdown_is_a_table_without_markup_in_its_cells(void **state)
{
    (void)state;
    cnf_record pass = record_make(CNF_VERDICT_PASS, "", 1);
    cnf_record fail = record_make(CNF_VERDICT_FAIL, "step0:a|b_c", 1);
    fail.judgement.rule = RT_TEXT("DL-RESOLVE-09");
    cnf_records old_run = {&pass, 1, 0}, new_run = {&fail, 1, 0};
    rt_buffer text = {0};
    assert_true(cnf_comparison_write(&text, &old_run, &new_run, bound, true));
    assert_string_equal(
        rt_buffer_string(&text),
        "### assay: something got worse\n\nnew failure: 1\n\n"
        "| change | scenario | subject | before | now | rule |\n|---|---|---|---|---|---|\n"
        "| new failure | linking/a.yaml | pocl | PASS | FAIL step0:a\\|b\\_c | DL-RESOLVE-09 |\n"
        "\nslower: more than 2 times as long, and at least 0.5 s longer\n");
    rt_buffer_free(&text);
    assert_false(cnf_comparison_write(&text, &old_run, &old_run, bound, true));
    assert_int_equal(strncmp(rt_buffer_string(&text), "### assay: nothing changed\n", 27), 0);
    rt_buffer_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_change_is_named_and_judged),
        cmocka_unit_test(different_selections_take_one_line),
        cmocka_unit_test(slower_is_beyond_both_bounds),
        cmocka_unit_test(the_last_record_of_a_key_counts_and_conditions_are_part_of_it),
        cmocka_unit_test(markdown_is_a_table_without_markup_in_its_cells),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
