/* Tests of histories of verdicts, in files of a scratch folder. */
#include "conformance/verdict/verdict_history.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[] = "/tmp/verdict_history_XXXXXX";
static char file[sizeof folder + 8];

static int folder_make(void **state)
{
    (void)state;
    memcpy(folder + sizeof folder - 7, "XXXXXX", 6);
    if (!mkdtemp(folder)) return -1;
    snprintf(file, sizeof file, "%s/h.db", folder);
    return 0;
}

static int folder_remove(void **state)
{
    (void)state;
    unlink(file);
    return rmdir(folder);
}

static cnf_record record_make(cnf_verdict verdict, const char *signature, const char *driver)
{
    return (cnf_record){.scenario = RT_TEXT("linking/a.yaml"),
                        .subject = RT_TEXT("pocl"),
                        .driver = rt_text_of(driver),
                        .hash = RT_TEXT("00"),
                        .judgement = {.verdict = verdict, .signature = rt_text_of(signature)}};
}

static rt_status add(rt_sink *sink, const char *at, const cnf_record *record)
{
    cnf_history *history;
    RT_TRY(cnf_history_open(sink, file, &history));
    rt_status status = cnf_history_add(sink, history, at, record, 1);
    cnf_history_close(history);
    return status;
}

static rt_status show(rt_sink *sink, const char *scenario, rt_buffer *out, bool *out_found)
{
    cnf_history *history;
    RT_TRY(cnf_history_open_read(sink, file, &history));
    rt_status status = cnf_history_write(sink, history, rt_text_of(scenario), out, out_found);
    cnf_history_close(history);
    return status;
}

static void stretches_are_told_by_driver_and_verdict(void **state)
{
    (void)state;
    rt_sink *sink = rt_sink_create();
    cnf_record pass = record_make(CNF_VERDICT_PASS, "", "PoCL 3.1");
    cnf_record fail = record_make(CNF_VERDICT_FAIL, "step0:x", "PoCL 4.0");
    assert_true(rt_ok(add(sink, "2026-01-01T00:00:00Z", &pass)));
    assert_true(rt_ok(add(sink, "2026-01-02T00:00:00Z", &pass)));
    rt_buffer text = {0};
    bool found;
    assert_true(rt_ok(show(sink, "", &text, &found)));
    assert_string_equal(rt_buffer_string(&text),
                        "no verdict ever changed\n2 runs in this history\n");
    rt_buffer_free(&text);
    assert_true(rt_ok(add(sink, "2026-01-03T00:00:00Z", &fail)));
    static const char lines[] =
        "2026-01-01T00:00:00Z to 2026-01-02T00:00:00Z, 2 runs: linking/a.yaml on pocl: PASS "
        "(PoCL 3.1)\n"
        "2026-01-03T00:00:00Z: linking/a.yaml on pocl: FAIL step0:x (PoCL 4.0)\n"
        "3 runs in this history\n";
    assert_true(rt_ok(show(sink, "linking/a.yaml", &text, &found)) && found);
    assert_string_equal(rt_buffer_string(&text), lines);
    rt_buffer_free(&text);
    assert_true(rt_ok(show(sink, "", &text, &found)) && found);
    assert_string_equal(rt_buffer_string(&text), lines);
    rt_buffer_free(&text);
    assert_true(rt_ok(show(sink, "linking/b.yaml", &text, &found)));
    assert_false(found);
    rt_buffer_free(&text);
    rt_sink_destroy(sink);
}

/* Adds runs of the attempts that the letters give: P passes, F fails; a blank begins the next run.
 */
static void attempts_add(rt_sink *sink, cnf_record record, const char *letters)
{
    cnf_attempt attempts[128];
    while (*letters) {
        uint32_t count = 0;
        for (; *letters && *letters != ' '; letters++)
            attempts[count++] =
                (cnf_attempt){*letters == 'P' ? CNF_VERDICT_PASS : CNF_VERDICT_FAIL, {0}, 0};
        letters += *letters == ' ';
        record.judgement.attempts = attempts;
        record.judgement.attempt_count = count;
        assert_true(rt_ok(add(sink, "2026-01-01T00:00:00Z", &record)));
    }
}

/* Both outcomes with one driver and unchanged contents make a scenario flaky. The intervals are
 * Wilson's: 1 of 4 is 0.25 in 0.0456 to 0.6994, 1 of 74 is 0.0135 in 0.0024 to 0.0727; 0 of 72
 * reach 0.0507, and 0 of 73 only 0.0499. */
static void flaky_scenarios_have_a_rate(void **state)
{
    (void)state;
    rt_sink *sink = rt_sink_create();
    rt_buffer text = {0};
    cnf_history *history;
    cnf_record record = record_make(CNF_VERDICT_FAIL, "", "PoCL 3.1");
    attempts_add(sink, record, "PF PP");
    record.scenario = RT_TEXT("b.yaml"); /* it passes with one driver, and fails with the other */
    attempts_add(sink, record, "PPP");
    record.driver = RT_TEXT("PoCL 6.0");
    attempts_add(sink, record, "FFF");
    record.scenario = RT_TEXT("c.yaml"); /* it was changed */
    attempts_add(sink, record, "F");
    record.hash = RT_TEXT("01");
    attempts_add(sink, record, "P");
    char passes[75] = "F";
    memset(passes + 1, 'P', 73);
    record.scenario = RT_TEXT("d.yaml");
    attempts_add(sink, record, passes);
    passes[73] = '\0';
    record.scenario = RT_TEXT("e.yaml");
    attempts_add(sink, record, passes);
    record = record_make(CNF_VERDICT_SKIP, "", "PoCL 3.1"); /* says nothing */
    assert_true(rt_ok(add(sink, "2026-01-01T00:00:00Z", &record)));
    assert_true(rt_ok(cnf_history_open_read(sink, file, &history)));
    assert_true(rt_ok(cnf_history_flaky_write(sink, history, &text)));
    assert_string_equal(
        rt_buffer_string(&text),
        "release: d.yaml on pocl (PoCL 6.0): 1 of 74 failed, 1.4 % (0.2 to 7.3 %); 73 since the "
        "last\n"
        "quarantine: e.yaml on pocl (PoCL 6.0): 1 of 73 failed, 1.4 % (0.2 to 7.4 %); 72 since the "
        "last\n"
        "quarantine: linking/a.yaml on pocl (PoCL 3.1): 1 of 4 failed, 25.0 % (4.6 to 69.9 %); 2 "
        "since the last\n"
        "3 flaky in 9 runs\n");
    cnf_history_close(history);
    rt_buffer_free(&text);
    rt_sink_destroy(sink);
}

/* Every writer adds its own runs; none is lost, and each has a number. */
static void several_writers_at_once_lose_nothing(void **state)
{
    (void)state;
    enum { WRITERS = 4, RUNS = 10 };
    pid_t writers[WRITERS];
    cnf_record pass = record_make(CNF_VERDICT_PASS, "", "");
    for (int i = 0; i < WRITERS; i++) {
        writers[i] = fork();
        assert_true(writers[i] >= 0);
        if (writers[i] > 0) continue;
        rt_sink *sink = rt_sink_create();
        bool is_ok = true;
        for (int run = 0; run < RUNS; run++)
            is_ok = is_ok && rt_ok(add(sink, "2026-01-01T00:00:00Z", &pass));
        _exit(is_ok ? 0 : 1);
    }
    for (int i = 0; i < WRITERS; i++) {
        int status;
        assert_int_equal(waitpid(writers[i], &status, 0), writers[i]);
        assert_int_equal(status, 0);
    }
    rt_sink *sink = rt_sink_create();
    rt_buffer text = {0};
    bool found;
    assert_true(rt_ok(show(sink, "linking/a.yaml", &text, &found)));
    assert_non_null(strstr(rt_buffer_string(&text), ", 40 runs: "));
    assert_non_null(strstr(rt_buffer_string(&text), "\n40 runs in this history\n"));
    rt_buffer_free(&text);
    rt_sink_destroy(sink);
}

static void file_write(const char *content, size_t size, long at)
{
    FILE *out = fopen(file, at < 0 ? "w" : "r+");
    assert_non_null(out);
    if (at >= 0) assert_int_equal(fseek(out, at, SEEK_SET), 0);
    assert_int_equal(fwrite(content, 1, size, out), size);
    assert_int_equal(fclose(out), 0);
}

static void refused_as(rt_status status, rt_sink *sink, rt_code code, const char *part)
{
    assert_int_equal(status.code, code);
    rt_text message = rt_sink_diagnostic(sink, status)->message;
    assert_non_null(memmem(message.data, message.length, part, strlen(part)));
}

static void a_file_that_is_not_a_history_is_a_message(void **state)
{
    (void)state;
    rt_sink *sink = rt_sink_create();
    cnf_history *history;
    refused_as(cnf_history_open_read(sink, file, &history), sink, RT_IO, "unable to open");
    static const char prose[] = "This is a letter, and long enough to be looked at as a header.\n";
    file_write(prose, sizeof prose, -1);
    refused_as(cnf_history_open(sink, file, &history), sink, RT_MALFORMED,
               "not a history of assay");
    unlink(file);
    cnf_record pass = record_make(CNF_VERDICT_PASS, "", "");
    assert_true(rt_ok(add(sink, "2026-01-01T00:00:00Z", &pass)));
    static const char damage[4096] = {1, 2, 3};
    file_write(damage, sizeof damage, 4096); /* overwrites the page of the table */
    refused_as(add(sink, "2026-01-02T00:00:00Z", &pass), sink, RT_MALFORMED, "damaged");
    file_write("\0\0\0\2", 4, 60); /* user_version, SQLite's file format, section 1.3 */
    refused_as(cnf_history_open(sink, file, &history), sink, RT_UNSUPPORTED, "version is 2");
    file_write("else", 4, 68); /* application_id */
    refused_as(cnf_history_open(sink, file, &history), sink, RT_MALFORMED, "another program");
    rt_sink_destroy(sink);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(stretches_are_told_by_driver_and_verdict, folder_make,
                                        folder_remove),
        cmocka_unit_test_setup_teardown(flaky_scenarios_have_a_rate, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(several_writers_at_once_lose_nothing, folder_make,
                                        folder_remove),
        cmocka_unit_test_setup_teardown(a_file_that_is_not_a_history_is_a_message, folder_make,
                                        folder_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
