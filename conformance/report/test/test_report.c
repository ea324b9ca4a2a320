/* Records as lines of JSON, and the report at the end against a golden text. */
#include "conformance/report/matrix.h"
#include "conformance/report/progress.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const rt_text launches = {"launches", 8};

static cnf_record record_make(const char *scenario, const char *subject, cnf_verdict verdict)
{
    rt_text path = rt_text_of(scenario);
    return (cnf_record){
        .scenario = path,
        .file = path,
        .subject = rt_text_of(subject),
        .judgement = {.verdict = verdict, .step = SCN_NONE, .expected = 3, .observed = 3}};
}

static cnf_record failed_make(void)
{
    cnf_record record = record_make("linking/chain.yaml", "pocl", CNF_VERDICT_FAIL);
    record.file = RT_TEXT("scenarios/linking/chain.yaml");
    record.judgement.signature = RT_TEXT("step2:memory:differs:data/element-3");
    record.judgement.message = RT_TEXT("data[3]: expected 1,\ngot \"2\"");
    record.judgement.rule = RT_TEXT("DL-RESOLVE-09");
    record.judgement.line = 31;
    record.judgement.step = 2;
    record.judgement.unobserved = &launches;
    record.judgement.unobserved_count = 1;
    record.judgement.observed = 2;
    record.step_id = RT_TEXT("second");
    record.seconds = 0.25;
    record.device = RT_TEXT("basic");
    record.driver = RT_TEXT("PoCL 3.1");
    return record;
}

/* ---- Records ------------------------------------------------------------------------------- */

static void a_record_is_one_line(void **state)
{
    (void)state;
    cnf_record record = failed_make();
    rt_buffer line = {0};
    cnf_record_write(&line, &record);
    assert_string_equal(
        rt_buffer_string(&line),
        "{\"scenario\":\"linking/chain.yaml\",\"subject\":\"pocl\",\"verdict\":\"FAIL\","
        "\"signature\":\"step2:memory:differs:data/element-3\",\"observed\":2,"
        "\"unobserved\":[\"launches\"],\"seconds\":0.25,\"expected\":3,"
        "\"file\":\"scenarios/linking/chain.yaml\",\"line\":31,\"step\":2,\"step_id\":\"second\","
        "\"rule\":\"DL-RESOLVE-09\",\"message\":\"data[3]: expected 1,\\ngot \\\"2\\\"\","
        "\"device\":\"basic\",\"driver\":\"PoCL 3.1\"}\n");
    rt_buffer_free(&line);
}

static void any_bytes_make_valid_json(void **state)
{
    (void)state;
    cnf_record record = record_make("a.yaml", "sim", CNF_VERDICT_CRASH);
    record.judgement.message = RT_TEXT("g\xc3\xbc \xff\xc3 \xf0\x9f\x98\x80 \x01\xed\xa0\x80");
    rt_buffer line = {0};
    cnf_record_write(&line, &record);
    json_t *object = json_loads(rt_buffer_string(&line), 0, NULL);
    assert_non_null(object);
    assert_string_equal(json_string_value(json_object_get(object, "message")),
                        "g\xc3\xbc ?? \xf0\x9f\x98\x80 \x01???");
    json_decref(object);
    rt_buffer_free(&line);
}

static void records_are_appended(void **state)
{
    (void)state;
    char name[] = "/tmp/assay-report-XXXXXX";
    int made = mkstemp(name);
    assert_true(made >= 0);
    close(made);
    int file = open(name, O_RDWR | O_APPEND);
    cnf_record record = record_make("a.yaml", "sim", CNF_VERDICT_PASS);
    assert_int_equal(cnf_record_append(file, &record), 0);
    assert_int_equal(cnf_record_append(file, &record), 0);
    rt_buffer line = {0};
    cnf_record_write(&line, &record);
    assert_int_equal(lseek(file, 0, SEEK_END), 2 * (off_t)line.size);
    rt_buffer_free(&line);
    close(file);
    unlink(name);
    int full = open("/dev/full", O_WRONLY);
    assert_int_equal(cnf_record_append(full, &record), ENOSPC);
    close(full);
}

/* ---- The report ---------------------------------------------------------------------------- */

static const cnf_column columns[] = {
    {{"sim", 3}, {0}},
    {{"pocl", 4}, {"apt-get install pocl-opencl-icd", 31}},
    {{"cuda", 4}, {"install a driver", 16}},
};

static void report_fill(cnf_report *report)
{
    cnf_record record = failed_make();
    cnf_report_add(report, &record);
    record = record_make("linking/chain.yaml", "sim", CNF_VERDICT_PASS);
    cnf_report_add(report, &record);
    record = record_make("device/bounds.yaml", "sim", CNF_VERDICT_PASS);
    record.judgement.observed = 1;
    cnf_report_add(report, &record);
    record = record_make("device/bounds.yaml", "pocl", CNF_VERDICT_SKIP);
    record.judgement.capability = RT_TEXT("finds_faults");
    record.judgement.answer = RT_TEXT("no");
    cnf_report_add(report, &record);
    record = record_make("broken.yaml", "-", CNF_VERDICT_INVALID);
    record.judgement.message = RT_TEXT("broken.yaml:3:4: error: what");
    record.judgement.signature = RT_TEXT("read:scenario:-:-");
    record.judgement.line = 3;
    cnf_report_add(report, &record);
    record = record_make("linking/chain.yaml", "cuda", CNF_VERDICT_UNAVAILABLE);
    record.judgement.message = RT_TEXT("no libcuda.so.1");
    cnf_report_add(report, &record);
    record.scenario = RT_TEXT("device/bounds.yaml");
    cnf_report_add(report, &record);
}

static const char golden[] =
    "scenario            sim       pocl\n"
    "broken.yaml         INVALID   INVALID\n"
    "device/bounds.yaml  PASS 1/3  SKIP\n"
    "linking/chain.yaml  PASS      FAIL\n"
    "\n"
    "INVALID broken.yaml:3\n"
    "    broken.yaml:3:4: error: what\n"
    "  signature: read:scenario:-:-\n"
    "  again: assay check broken.yaml\n"
    "\n"
    "FAIL scenarios/linking/chain.yaml:31 on pocl\n"
    "    data[3]: expected 1,\n"
    "    got \"2\"\n"
    "  signature: step2:memory:differs:data/element-3\n"
    "  rule: DL-RESOLVE-09\n"
    "  device: basic (PoCL 3.1)\n"
    "  again: assay run scenarios/linking/chain.yaml --on pocl\n"
    "\n"
    "SKIP device/bounds.yaml on pocl: finds_faults: no\n"
    "\n"
    "-: 1 INVALID\n"
    "sim: 2 PASS, 0 SKIP, 0 XFAIL\n"
    "pocl: 0 PASS, 1 SKIP, 0 XFAIL, 1 FAIL\n"
    "cuda: 0 PASS, 0 SKIP, 0 XFAIL, 2 UNAVAILABLE (no libcuda.so.1; to install: install a "
    "driver)\n";

static void the_report_is_as_written_by_hand(void **state)
{
    (void)state;
    cnf_report report = {0};
    report_fill(&report);
    rt_buffer text = {0};
    cnf_report_write(&text, &report, columns, 3, false);
    assert_string_equal(rt_buffer_string(&text), golden);
    rt_buffer_free(&text);
    cnf_report_write(&text, &report, columns, 3, true);
    assert_non_null(strstr(rt_buffer_string(&text), "\033[32mPASS 1/3\033[0m  "));
    assert_non_null(strstr(rt_buffer_string(&text), "\033[31mFAIL\033[0m\n"));
    rt_buffer_free(&text);
    assert_int_equal(cnf_report_exit_status(&report), 2);
    cnf_report_free(&report);
}

static int exit_status_of(const cnf_verdict *verdicts, uint32_t count)
{
    cnf_report report = {0};
    for (uint32_t i = 0; i < count; i++) {
        cnf_record record = record_make("a.yaml", "sim", verdicts[i]);
        cnf_report_add(&report, &record);
    }
    int status = cnf_report_exit_status(&report);
    cnf_report_free(&report);
    return status;
}

static void the_worst_record_decides_the_status(void **state)
{
    (void)state;
    const cnf_verdict all[] = {CNF_VERDICT_NOT_RUN, CNF_VERDICT_INVALID, CNF_VERDICT_FAIL,
                               CNF_VERDICT_PASS,    CNF_VERDICT_SKIP,    CNF_VERDICT_UNAVAILABLE};
    const int expected[] = {3, 2, 1, 0, 4, 4};
    for (uint32_t i = 0; i < 6; i++)
        assert_int_equal(exit_status_of(&all[i], 6 - i), expected[i]);
    assert_int_equal(exit_status_of(NULL, 0), 4);
}

/* ---- Progress ------------------------------------------------------------------------------ */

static void progress_names_what_is_unexpected(void **state)
{
    (void)state;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    cnf_progress progress = cnf_progress_begin(out, false, 2);
    cnf_record good = record_make("a.yaml", "sim", CNF_VERDICT_PASS), bad = failed_make();
    cnf_progress_add(&progress, &good);
    cnf_progress_add(&progress, &bad);
    cnf_progress_end(&progress);
    assert_string_equal(text, "FAIL linking/chain.yaml on pocl\n");
    progress = cnf_progress_begin(out, true, 2);
    cnf_progress_add(&progress, &good);
    fflush(out);
    assert_non_null(strstr(text, "\r\033[K[1/2] 0 unexpected"));
    fclose(out);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_record_is_one_line),
        cmocka_unit_test(any_bytes_make_valid_json),
        cmocka_unit_test(records_are_appended),
        cmocka_unit_test(the_report_is_as_written_by_hand),
        cmocka_unit_test(the_worst_record_decides_the_status),
        cmocka_unit_test(progress_names_what_is_unexpected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
