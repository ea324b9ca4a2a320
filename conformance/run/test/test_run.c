/* Tests the scheduler: every pair of file and subject gets its record, however children behave. */
#include "conformance/run/run.h"
#include "conformance/run/test/fakes.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

enum { RECORDS_MAX = 256 };

/* A folder of fake scenarios, and the records of a run. */
typedef struct run_fixture {
    char folder[64];
    rt_arena arena;
    cnf_file files[64];
    uint32_t file_count;
    cnf_record records[RECORDS_MAX];
    rt_text warnings[RECORDS_MAX];      /* one per record */
    uint32_t record_count, known_count; /* done_before reports the first known_count as done */
    cnf_run_options options;            /* other than subjects, jobs and time limit */
    const char *const *driver_options;  /* for the subject "vendor" */
    uint32_t stop_after;                /* stop after this many records; 0: never */
    rt_text lost;                       /* what child_lost was called with */
    bool interrupts;                    /* raises SIGINT after the first record */
} run_fixture;

static int fixture_make(void **state)
{
    run_fixture *fixture = calloc(1, sizeof *fixture);
    strcpy(fixture->folder, "/tmp/assay-run-XXXXXX");
    assert_non_null(mkdtemp(fixture->folder));
    *state = fixture;
    setenv("FAKE_PROBE", "right", 1);
    return 0;
}

static int fixture_remove(void **state)
{
    run_fixture *fixture = *state;
    for (uint32_t i = 0; i < fixture->file_count; i++)
        unlink(fixture->files[i].file.data);
    rmdir(fixture->folder);
    rt_arena_reset(&fixture->arena);
    free(fixture);
    return 0;
}

/* Replaces the contents of the fake scenario. */
static void rewrite(const run_fixture *fixture, uint32_t index, const char *text)
{
    FILE *file = fopen(fixture->files[index].file.data, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void add(run_fixture *fixture, const char *name, const char *text)
{
    rt_text path = rt_arena_printf(&fixture->arena, "%s/%s", fixture->folder, name);
    fixture->files[fixture->file_count++] =
        (cnf_file){path, rt_arena_text(&fixture->arena, rt_text_of(name))};
    rewrite(fixture, fixture->file_count - 1, text);
}

static bool keep(void *user, const cnf_record *record, const cnf_run_detail *detail)
{
    run_fixture *fixture = user;
    assert_true(!detail->messages || detail->scenario);
    assert_true(!detail->oracle || detail->scenario);
    bool refused = rt_text_is(record->scenario, "refused"); /* judged without a child */
    if (record->judgement.verdict == CNF_VERDICT_PASS && !refused)
        assert_non_null(detail->messages);
    assert_true(fixture->record_count < RECORDS_MAX);
    fixture->warnings[fixture->record_count] = rt_arena_text(&fixture->arena, detail->warning);
    fixture->records[fixture->record_count++] = cnf_record_copy(&fixture->arena, record);
    if (fixture->interrupts && fixture->record_count == 1) raise(SIGINT);
    return fixture->record_count != fixture->stop_after;
}

static cnf_run_end run(run_fixture *fixture, uint32_t job_count, uint32_t timeout_ms)
{
    const cnf_run_subject subjects[] = {
        {&cnf_subjects[0], rt_text_of("sim"), NULL},
        {&cnf_subjects[1], rt_text_of("vendor"), fixture->driver_options},
    };
    fixture->options.subjects = subjects;
    fixture->options.subject_count = 2;
    fixture->options.job_count = job_count;
    fixture->options.timeout_ms = timeout_ms;
    const cnf_run_options options = fixture->options;
    return cnf_run(&options, fixture->files, fixture->file_count, keep, fixture);
}

static const cnf_record *record_of(const run_fixture *fixture, const char *path,
                                   const char *subject)
{
    const cnf_record *found = NULL;
    for (uint32_t i = 0; i < fixture->record_count; i++) {
        const cnf_record *record = &fixture->records[i];
        if (!rt_text_is(record->scenario, path) || !rt_text_is(record->subject, subject)) continue;
        assert_null(found); /* one record for each pair */
        found = record;
    }
    assert_non_null(found);
    return found;
}

static const cnf_record *assert_verdict(const run_fixture *fixture, const char *path,
                                        const char *subject, const char *verdict,
                                        const char *signature)
{
    const cnf_record *record = record_of(fixture, path, subject);
    assert_string_equal(cnf_verdict_word(record->judgement.verdict), verdict);
    assert_string_equal(record->judgement.signature.data, signature);
    return record;
}

/* ---- Subjects ------------------------------------------------------------------------------ */

static void every_end_has_its_verdict(void **state)
{
    run_fixture *fixture = *state;
    add(fixture, "pass", "ok\nsim pass\nvendor pass\n");
    add(fixture, "fail", "cached\nsim pass\nvendor fail\n");
    add(fixture, "crash", "cached\nsim crash\nvendor crash\n");
    add(fixture, "half", "cached\nsim half\nvendor half\n");
    add(fixture, "garbage", "cached\nsim garbage\nvendor garbage\n");
    add(fixture, "early", "cached\nsim early\nvendor early\n");
    add(fixture, "status", "cached\nsim status\nvendor memory\n");
    add(fixture, "skip", "cached\nsim pass\nvendor skip\n");
    assert_int_equal(run(fixture, 3, 20000), CNF_RUN_COMPLETE);
    assert_int_equal(fixture->record_count, 2 * fixture->file_count);
    const cnf_record *pass = assert_verdict(fixture, "pass", "vendor", "PASS", "");
    assert_string_equal(pass->device.data, "fake device");
    assert_int_equal(pass->judgement.observed, 1);
    const cnf_record *fail =
        assert_verdict(fixture, "fail", "vendor", "FAIL", "step0:memory:differs:data/element-3");
    assert_int_equal(fail->judgement.line, 31);
    assert_string_equal(fail->step_id.data, "first");
    assert_string_equal(fail->judgement.message.data, "expected 1, got 2");
    const char *const subjects[] = {"sim", "vendor"};
    for (int i = 0; i < 2; i++) {
        const cnf_record *crash =
            assert_verdict(fixture, "crash", subjects[i], "CRASH", "run:crash:SIGSEGV:-");
        assert_non_null(strstr(crash->judgement.message.data, "a driver's babble"));
        assert_verdict(fixture, "half", subjects[i], "FAIL", "run:protocol:cut:-");
        assert_verdict(fixture, "garbage", subjects[i], "FAIL", "start:protocol:no-json:-");
        assert_verdict(fixture, "early", subjects[i], "FAIL", "run:protocol:no-end:-");
    }
    assert_verdict(fixture, "status", "sim", "CRASH", "run:crash:exit-3:-");
    assert_verdict(fixture, "status", "vendor", "CRASH", "run:crash:out-of-memory:-");
    const cnf_record *skip = assert_verdict(fixture, "skip", "vendor", "SKIP", "");
    assert_string_equal(skip->judgement.capability.data, "fp64");
    assert_string_equal(skip->judgement.answer.data, "no");
}

static void subjects_are_compared_with_sim(void **state)
{
    run_fixture *fixture = *state;
    add(fixture, "same", "cached\nsim pass\nvendor pass\n");
    add(fixture, "other", "cached\nsim pass\nvendor pass2\n");
    add(fixture, "blind", "cached\nsim fail\nvendor pass2\n"); /* no sim to compare with */
    assert_int_equal(run(fixture, 2, 20000), CNF_RUN_COMPLETE);
    assert_verdict(fixture, "same", "vendor", "PASS", "");
    assert_verdict(fixture, "other", "vendor", "FAIL",
                   "differential:memory:differs:data/element-0");
    /* A comparison that was not possible is noted in the record. */
    const cnf_record *blind = assert_verdict(fixture, "blind", "vendor", "PASS", "");
    const cnf_record *equal = record_of(fixture, "same", "vendor");
    assert_int_equal(equal->judgement.unobserved_count, 0);
    assert_int_equal(blind->judgement.unobserved_count, 1);
    assert_int_equal(blind->judgement.expected, equal->judgement.expected + 1);
    assert_int_equal(blind->judgement.observed, equal->judgement.observed);
}

static void an_unavailable_subject_is_asked_once(void **state)
{
    run_fixture *fixture = *state;
    add(fixture, "a", "cached\nsim pass\nvendor unavailable\n");
    add(fixture, "b", "cached\nsim pass\nvendor crash\n");
    assert_int_equal(run(fixture, 1, 20000), CNF_RUN_COMPLETE);
    assert_verdict(fixture, "a", "vendor", "UNAVAILABLE", "");
    const cnf_record *second = assert_verdict(fixture, "b", "vendor", "UNAVAILABLE", "");
    assert_string_equal(second->judgement.message.data, "no driver");
    assert_verdict(fixture, "b", "sim", "PASS", "");
}

static void a_device_that_answers_was_only_slow(void **state)
{
    run_fixture *fixture = *state;
    add(fixture, "a", "cached\nsim hang\nvendor hang\n");
    add(fixture, "b", "cached\nsim pass\nvendor pass\n");
    assert_int_equal(run(fixture, 1, 300), CNF_RUN_COMPLETE);
    assert_verdict(fixture, "a", "sim", "TIMEOUT", "run:timeout:-:-");
    assert_verdict(fixture, "a", "vendor", "TIMEOUT", "run:timeout:-:-");
    assert_verdict(fixture, "b", "vendor", "PASS", "");
}

static void a_device_that_is_lost_is_not_asked_again(void **state)
{
    static const struct lost_row {
        const char *probe, *behaviour, *verdict, *signature, *complaint;
    } rows[] = {
        {"silent", "hang", "HANG", "run:timeout:-:-", "the device no longer answers"},
        {"wrong", "hang", "HANG", "run:timeout:-:-", "no longer computes: 7 is 8"},
        {"gone", "hang", "HANG", "run:timeout:-:-", "can no longer be opened: no device"},
        {"wrong", "crash", "CRASH", "run:crash:SIGSEGV:-", "no longer computes: 7 is 8"},
    };
    run_fixture *fixture = *state;
    add(fixture, "a", "");
    add(fixture, "b", "cached\nsim pass\nvendor pass\n");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[64];
        snprintf(text, sizeof text, "cached\nsim pass\nvendor %s\n", rows[i].behaviour);
        rewrite(fixture, 0, text);
        setenv("FAKE_PROBE", rows[i].probe, 1);
        assert_int_equal(run(fixture, 1, 300), CNF_RUN_COMPLETE);
        const cnf_record *first =
            assert_verdict(fixture, "a", "vendor", rows[i].verdict, rows[i].signature);
        assert_non_null(strstr(first->judgement.message.data, rows[i].complaint));
        const cnf_record *second =
            assert_verdict(fixture, "b", "vendor", "POISONED", "start:poisoned:-:-");
        assert_true(rt_text_starts(second->judgement.message, "after a the device "));
        assert_non_null(strstr(second->judgement.message.data, rows[i].complaint));
        assert_verdict(fixture, "b", "sim", "PASS", "");
        fixture->record_count = 0;
    }
}

static void a_crash_alone_loses_no_device(void **state)
{
    run_fixture *fixture = *state;
    add(fixture, "a", "cached\nsim pass\nvendor crash\n");
    add(fixture, "b", "cached\nsim pass\nvendor pass\n");
    assert_int_equal(run(fixture, 1, 20000), CNF_RUN_COMPLETE);
    assert_verdict(fixture, "a", "vendor", "CRASH", "run:crash:SIGSEGV:-");
    assert_verdict(fixture, "b", "vendor", "PASS", "");
}

static void driver_options_reach_the_subject(void **state)
{
    run_fixture *fixture = *state;
    static const char *const options[] = {"FAKE_OPTION=1", NULL};
    add(fixture, "a", "cached\nsim option\nvendor option\n");
    fixture->driver_options = options;
    assert_int_equal(run(fixture, 1, 20000), CNF_RUN_COMPLETE);
    assert_verdict(fixture, "a", "vendor", "PASS", "");
    assert_verdict(fixture, "a", "sim", "FAIL", "run:protocol:no-end:-");
}

#ifndef RT_ARENA_BLOCKS /* AddressSanitizer's shadow leaves no room for a limit */
static void a_limit_of_memory_costs_one_scenario(void **state)
{
    run_fixture *fixture = *state;
    add(fixture, "a", "cached\nsim eat\nvendor eat\n");
    add(fixture, "b", "cached\nsim refuse\nvendor pass\n");
    fixture->options.memory_bytes = 256 << 20;
    assert_int_equal(run(fixture, 2, 20000), CNF_RUN_COMPLETE);
    assert_verdict(fixture, "a", "sim", "CRASH", "run:crash:out-of-memory:-");
    const cnf_record *record =
        assert_verdict(fixture, "a", "vendor", "CRASH", "run:crash:out-of-memory:-");
    assert_non_null(strstr(record->judgement.message.data, "256 MiB"));
    assert_non_null(strstr(record->judgement.message.data, "--memory"));
    assert_verdict(fixture, "b", "vendor", "PASS", "");
    record =
        assert_verdict(fixture, "b", "sim", "FAIL", "step0:step:errc-memory_allocation:submit");
    assert_string_equal(record->judgement.message.data,
                        "it does not fit; the memory limit of a process is 256 MiB (--memory MIB)");
}
#endif

/* ---- Exploring ----------------------------------------------------------------------------- */

static void every_way_to_choose_is_run(void **state)
{
    run_fixture *fixture = *state;
    add(fixture, "a", "cached\nsim choose\nvendor pass\n");
    fixture->options.explore_max = 64;
    assert_int_equal(run(fixture, 2, 20000), CNF_RUN_COMPLETE);
    const cnf_record *record =
        assert_verdict(fixture, "a", "sim", "FAIL", "step0:one_of:differs:data");
    assert_string_equal(record->choices.data, "1,2");
    assert_string_equal(record->judgement.message.data,
                        "with --choices 1,2 (DL-RESOLVE-05: 1 of 2, DL-RESOLVE-06: 2 of 3):\n"
                        "no branch holds");
    assert_string_equal(fixture->warnings[record - fixture->records].data,
                        "one_of at line 14: branch 4 never happened in 4 runs");
    assert_verdict(fixture, "a", "vendor", "PASS", "");
}

static void exploring_is_bounded_and_says_so(void **state)
{
    run_fixture *fixture = *state;
    add(fixture, "a", "cached\nsim choose\nvendor stray\n");
    fixture->options.explore_max = 2;
    assert_int_equal(run(fixture, 2, 20000), CNF_RUN_COMPLETE);
    const cnf_record *record = assert_verdict(fixture, "a", "sim", "PASS", "");
    assert_non_null(strstr(fixture->warnings[record - fixture->records].data,
                           "branch 3 never happened in 2 runs"));
    assert_non_null(strstr(fixture->warnings[record - fixture->records].data,
                           "exploring stopped after 2 runs"));
    record = assert_verdict(fixture, "a", "vendor", "FAIL", "finish:choices:-:-");
    assert_non_null(strstr(record->judgement.message.data,
                           "did not follow its script: choice 0 took alternative 0 of 2, not 1"));
}

static void a_script_is_run_again(void **state)
{
    static const struct script_row {
        const char *script, *verdict;
    } rows[] = {{"", "PASS"}, {"1", "PASS"}, {"1,1", "PASS"}, {"1,2", "FAIL"}};
    run_fixture *fixture = *state;
    add(fixture, "a", "cached\nsim choose\nvendor choose\n");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        fixture->options.choices = rt_text_of(rows[i].script);
        fixture->record_count = 0;
        assert_int_equal(run(fixture, 1, 20000), CNF_RUN_COMPLETE);
        bool passes = strcmp(rows[i].verdict, "PASS") == 0;
        const char *signature = passes ? "" : "step0:one_of:differs:data";
        assert_verdict(fixture, "a", "sim", rows[i].verdict, signature);
        assert_verdict(fixture, "a", "vendor", rows[i].verdict, signature);
    }
}

/* ---- Files and compilers ------------------------------------------------------------------- */

/* ---- Repeating ----------------------------------------------------------------------------- */

/* Runs one scenario whose subjects take turns, and checks the verdict on one of them and its
 * attempts: the first letters of their verdicts. */
static void assert_turns(run_fixture *fixture, const char *text, const char *subject,
                         const char *verdict, const char *signature, const char *attempts)
{
    char turns[96], seen[32] = "";
    snprintf(turns, sizeof turns, "%s.turns", fixture->folder);
    setenv("FAKE_TURNS", turns, 1);
    unlink(turns);
    fixture->record_count = fixture->file_count = 0;
    add(fixture, "a", text);
    assert_int_equal(run(fixture, 2, 20000), CNF_RUN_COMPLETE);
    unlink(turns);
    const cnf_record *record = assert_verdict(fixture, "a", subject, verdict, signature);
    for (uint32_t i = 0; i < record->judgement.attempt_count; i++)
        seen[i] = *cnf_verdict_word(record->judgement.attempts[i].verdict);
    assert_string_equal(seen, attempts);
}

#define FAILED "step0:memory:differs:data/element-3"

static void what_fails_is_tried_again(void **state)
{
    run_fixture *fixture = *state;
    fixture->options.retries = 2;
    assert_turns(fixture, "ok\nsim pass\nvendor pass\n", "vendor", "PASS", "", "");
    assert_turns(fixture, "ok\nsim pass\nvendor turns fail,pass\n", "vendor", "FLAKE", FAILED,
                 "FP");
    assert_turns(fixture, "ok\nsim pass\nvendor turns crash,fail,pass\n", "vendor", "FLAKE",
                 "run:crash:SIGSEGV:-", "CFP");
    assert_turns(fixture, "ok\nsim pass\nvendor turns fail,fail,fail,pass\n", "vendor", "FAIL",
                 FAILED, "FFF");
    /* A wrong memory that only the comparison with sim notices. */
    assert_turns(fixture, "ok\nsim pass\nvendor turns pass2,pass\n", "vendor", "FLAKE",
                 "differential:memory:differs:data/element-0", "FP");
    /* What cannot run once cannot run twice. */
    assert_turns(fixture, "ok\nsim pass\nvendor skip\n", "vendor", "SKIP", "", "");
    /* A deterministic subject is never tried again. */
    assert_turns(fixture, "ok\nsim turns fail,pass\nvendor pass\n", "sim", "FAIL", FAILED, "");
}

static void a_repeated_scenario_has_its_worst_verdict(void **state)
{
    run_fixture *fixture = *state;
    fixture->options.repeat = 4;
    assert_turns(fixture, "ok\nsim pass\nvendor pass\n", "vendor", "PASS", "", "PPPP");
    assert_turns(fixture, "ok\nsim pass\nvendor turns pass,fail,crash,pass\n", "vendor", "FAIL",
                 FAILED, "PFCP");
    assert_turns(fixture, "ok\nsim pass\nvendor skip\n", "vendor", "SKIP", "", "");
    /* On a deterministic subject a difference is our defect, also between two failures. */
    assert_turns(fixture, "ok\nsim turns pass,pass,fail\nvendor pass\n", "sim", "FAIL",
                 "repeat:differs:-:-", "PPFF");
    assert_turns(fixture, "ok\nsim turns fail,refuse\nvendor pass\n", "sim", "FAIL",
                 "repeat:differs:-:-", "FFFF");
    assert_turns(fixture, "ok\nsim fail\nvendor pass\n", "sim", "FAIL", FAILED, "FFFF");
}

/* Each further run has another call that fails; the fourth is the first whose failure is lost. */
static void each_call_fails_in_turn(void **state)
{
    run_fixture *fixture = *state;
    assert_turns(fixture, "ok\nsim lose\nvendor lose\n", "vendor", "PASS", "", "");
    fixture->options.fail_max = 64;
    assert_turns(fixture, "ok\nsim lose\nvendor lose\n", "sim", "FAIL", FAILED, "PPPPF");
    assert_turns(fixture, "ok\nsim pass\nvendor lose\n", "vendor", "FAIL", FAILED, "PPPPF");
    const cnf_record *record = assert_verdict(fixture, "a", "vendor", "FAIL", FAILED);
    assert_non_null(
        strstr(record->judgement.message.data, "with call 4 of 5 of the device failing"));
    /* The first run is still compared with sim. */
    assert_turns(fixture, "ok\nsim pass\nvendor pass2\n", "vendor", "FAIL",
                 "differential:memory:differs:data/element-0", "");
    /* Without calls there is only the first run. */
    assert_turns(fixture, "ok\nsim pass\nvendor skip\n", "sim", "PASS", "", "");
    /* Of two parts of the run, calls 1 and 2, and 3 to 5, the seed chooses the call. */
    fixture->options.fail_max = 2;
    assert_turns(fixture, "ok\nsim lose\nvendor pass\n", "sim", "PASS", "", "PPP");
    fixture->options.seed = 1;
    assert_turns(fixture, "ok\nsim lose\nvendor pass\n", "sim", "FAIL", FAILED, "PPF");
}

/* The device is lost in the second run: the runs so far are the result. */
static void a_lost_device_ends_repeating(void **state)
{
    run_fixture *fixture = *state;
    setenv("FAKE_PROBE", "wrong", 1);
    fixture->options.repeat = 4;
    assert_turns(fixture, "ok\nsim pass\nvendor turns pass,crash,pass\n", "vendor", "CRASH",
                 "run:crash:SIGSEGV:-", "PC");
}

/* The caller decides what is unexpected. */
static bool passing_is_unexpected(void *user, const cnf_record *record)
{
    (void)user;
    return record->judgement.verdict == CNF_VERDICT_PASS;
}

static void an_unexpected_pass_is_tried_again(void **state)
{
    run_fixture *fixture = *state;
    fixture->options.retries = 3;
    fixture->options.is_unexpected = passing_is_unexpected;
    assert_turns(fixture, "ok\nsim pass\nvendor turns pass,fail\n", "vendor", "FLAKE", FAILED,
                 "PF");
    assert_turns(fixture, "ok\nsim pass\nvendor pass\n", "vendor", "PASS", "", "PPPP");
    assert_turns(fixture, "ok\nsim pass\nvendor fail\n", "vendor", "FAIL", FAILED, "");
}

static void a_wrong_scenario_is_one_record(void **state)
{
    run_fixture *fixture = *state;
    add(fixture, "wrong", "invalid");
    add(fixture, "right", "cached\nsim pass\nvendor pass\n");
    fixture->files[fixture->file_count++] =
        (cnf_file){RT_TEXT("/nowhere/at/all.yaml"), RT_TEXT("gone")};
    assert_int_equal(run(fixture, 2, 20000), CNF_RUN_COMPLETE);
    assert_int_equal(fixture->record_count, 4);
    const cnf_record *wrong = assert_verdict(fixture, "wrong", "-", "INVALID", "read:scenario:-:-");
    assert_int_equal(wrong->judgement.line, 3);
    assert_non_null(strstr(wrong->judgement.message.data, "/wrong:3:4: error: it is broken"));
    assert_verdict(fixture, "gone", "-", "INVALID", "read:file:-:-");
    assert_verdict(fixture, "right", "sim", "PASS", "");
}

static void what_the_compiler_says_decides(void **state)
{
    run_fixture *fixture = *state;
    add(fixture, "bad", "bad\nsim pass\nvendor pass\n");
    add(fixture, "postlink", "postlink\nsim pass\nvendor pass\n");
    add(fixture, "absent", "absent\nsim pass\nvendor pass\n");
    add(fixture, "crash", "crash\nsim pass\nvendor pass\n");
    add(fixture, "hang", "hang\nsim pass\nvendor pass\n");
    add(fixture, "garbage", "garbage\nsim pass\nvendor pass\n");
    add(fixture, "stray-half", "stray-half\nsim pass\nvendor pass\n");
    /* Only "hang" may exceed the time limit, even on a busy machine. */
    assert_int_equal(run(fixture, 4, 4000), CNF_RUN_COMPLETE);
    const cnf_record *bad =
        assert_verdict(fixture, "bad", "-", "INVALID", "compile:source:compile-time:app");
    assert_non_null(
        strstr(bad->judgement.message.data, "/bad:12:6: error: use of undeclared identifier"));
    assert_int_equal(bad->judgement.line, 12);
    const cnf_record *crash =
        assert_verdict(fixture, "crash", "-", "INVALID", "compile:status:tool.signal-6:app");
    assert_non_null(strstr(crash->judgement.message.data, "error: module app has no images"));
    const char *const subjects[] = {"sim", "vendor"};
    for (int i = 0; i < 2; i++) {
        assert_verdict(fixture, "postlink", subjects[i], "FAIL",
                       "compile:status:postlink-error:app");
        assert_verdict(fixture, "absent", subjects[i], "UNAVAILABLE", "compile:tool:unavailable:-");
        assert_verdict(fixture, "hang", subjects[i], "FAIL", "compile:status:tool.timeout:app");
        assert_verdict(fixture, "garbage", subjects[i], "FAIL", "compile:status:tool.answer:app");
        assert_verdict(fixture, "stray-half", subjects[i], "FAIL",
                       "compile:status:tool.answer:app");
    }
}

/* ---- The end of a run ---------------------------------------------------------------------- */

static void an_interrupted_run_loses_no_record(void **state)
{
    run_fixture *fixture = *state;
    fixture->interrupts = true;
    add(fixture, "a", "cached\nsim pass\nvendor hang\n");
    for (int i = 0; i < 9; i++) {
        char name[16];
        snprintf(name, sizeof name, "b%d", i);
        add(fixture, name, "cached\nsim hang\nvendor hang\n");
    }
    assert_int_equal(run(fixture, 2, 20000), CNF_RUN_INTERRUPTED);
    assert_int_equal(fixture->record_count, 20);
    assert_verdict(fixture, "a", "sim", "PASS", "");
    assert_verdict(fixture, "b8", "vendor", "NOT_RUN", "start:interrupted:-:-");
}

/* True for the pairs that are known to have records, by path, contents and subject. */
static bool done_before(void *user, rt_text path, rt_text hash, rt_text subject)
{
    const run_fixture *fixture = user;
    for (uint32_t i = 0; i < fixture->known_count; i++) {
        const cnf_record *record = &fixture->records[i];
        if (rt_text_equal(record->scenario, path) && rt_text_equal(record->hash, hash) &&
            rt_text_equal(record->subject, subject))
            return true;
    }
    return false;
}

static void what_has_its_record_does_not_run(void **state)
{
    run_fixture *fixture = *state;
    add(fixture, "a", "cached\nsim pass\nvendor pass\n");
    add(fixture, "b", "cached\nsim pass\nvendor pass\n");
    add(fixture, "c", "invalid");
    assert_int_equal(run(fixture, 1, 20000), CNF_RUN_COMPLETE);
    assert_int_equal(fixture->record_count, 5);
    assert_int_equal(record_of(fixture, "c", "-")->hash.length, 32);
    fixture->options.is_done = done_before;
    fixture->known_count = 5;
    assert_int_equal(run(fixture, 1, 20000), CNF_RUN_COMPLETE);
    assert_int_equal(fixture->record_count, 5);
    rewrite(fixture, 1, "cached\nsim pass\nvendor crash\n");
    assert_int_equal(run(fixture, 1, 20000), CNF_RUN_COMPLETE);
    assert_int_equal(fixture->record_count, 7);
}

/* One subject's record is missing: it is compared with the oracle, which runs again but sends no
 * record. */
static void the_oracle_runs_for_the_others_sake(void **state)
{
    run_fixture *fixture = *state;
    add(fixture, "a", "cached\nsim pass\nvendor pass2\n");
    assert_int_equal(run(fixture, 1, 20000), CNF_RUN_COMPLETE);
    assert_int_equal(fixture->record_count, 2);
    assert_string_equal(fixture->records[0].subject.data, "sim");
    fixture->options.is_done = done_before;
    fixture->known_count = 1;
    fixture->record_count = 1;
    assert_int_equal(run(fixture, 1, 20000), CNF_RUN_COMPLETE);
    assert_int_equal(fixture->record_count, 2);
    assert_verdict(fixture, "a", "vendor", "FAIL", "differential:memory:differs:data/element-0");
}

static void a_listener_stops_the_run(void **state)
{
    run_fixture *fixture = *state;
    fixture->stop_after = 1;
    add(fixture, "a", "cached\nsim pass\nvendor pass\n");
    add(fixture, "b", "cached\nsim hang\nvendor hang\n");
    assert_int_equal(run(fixture, 2, 20000), CNF_RUN_STOPPED);
    assert_int_equal(fixture->record_count, 1);
}

static void many_scenarios_go_through_few_slots(void **state)
{
    run_fixture *fixture = *state;
    for (int i = 0; i < 40; i++) {
        char name[16];
        snprintf(name, sizeof name, "s%d", i);
        add(fixture, name,
            i % 3 ? "cached\nsim pass\nvendor pass\n" : "ok\nsim pass\nvendor fail\n");
    }
    assert_int_equal(run(fixture, 5, 20000), CNF_RUN_COMPLETE);
    assert_int_equal(fixture->record_count, 80);
    assert_verdict(fixture, "s39", "vendor", "FAIL", "step0:memory:differs:data/element-3");
    assert_verdict(fixture, "s38", "vendor", "PASS", "");
}

/* Each case has its own empty folder, which is removed when its child ends, for whatever reason. */
static void nothing_stays_of_a_childs_folder(void **state)
{
    run_fixture *fixture = *state;
    char temporary[96];
    snprintf(temporary, sizeof temporary, "%s/temporary", fixture->folder);
    assert_int_equal(mkdir(temporary, 0700), 0);
    const char *before = getenv("TMPDIR");
    setenv("TMPDIR", temporary, 1);
    add(fixture, "a", "cached\nsim scratch\nvendor scratch\n");
    add(fixture, "b", "cached\nsim scratch-and-die\nvendor scratch-and-die\n");
    assert_int_equal(run(fixture, 4, 20000), CNF_RUN_COMPLETE);
    assert_verdict(fixture, "a", "sim", "PASS", "");
    assert_verdict(fixture, "a", "vendor", "PASS", "");
    assert_verdict(fixture, "b", "sim", "CRASH", "run:crash:SIGSEGV:-");
    assert_verdict(fixture, "b", "vendor", "CRASH", "run:crash:SIGSEGV:-");
    assert_int_equal(rmdir(temporary), 0); /* it is empty */
    if (before)
        setenv("TMPDIR", before, 1);
    else
        unsetenv("TMPDIR");
}

/* If the system refuses to start a child, that is not a FAIL; it is reported for each child. */
static void without_a_folder_for_it_nothing_runs(void **state)
{
    run_fixture *fixture = *state;
    setenv("TMPDIR", "/nowhere", 1);
    add(fixture, "a", "cached\nsim scratch\nvendor scratch\n");
    assert_int_equal(run(fixture, 4, 20000), CNF_RUN_COMPLETE);
    unsetenv("TMPDIR");
    assert_verdict(fixture, "a", "sim", "NOT_RUN", "start:start:ENOENT:-");
    assert_verdict(fixture, "a", "vendor", "NOT_RUN", "start:start:ENOENT:-");
}

/* An interrupted run also removes the folders of children that are still running. */
static void an_interrupted_run_leaves_no_folder(void **state)
{
    run_fixture *fixture = *state;
    char temporary[96];
    snprintf(temporary, sizeof temporary, "%s/temporary", fixture->folder);
    assert_int_equal(mkdir(temporary, 0700), 0);
    setenv("TMPDIR", temporary, 1);
    add(fixture, "a", "cached\nsim scratch\nvendor hang\n");
    add(fixture, "b", "cached\nsim hang\nvendor scratch\n");
    fixture->interrupts = true;
    assert_int_equal(run(fixture, 4, 20000), CNF_RUN_INTERRUPTED);
    assert_int_equal(rmdir(temporary), 0);
    unsetenv("TMPDIR");
}

#define RUN_TEST(test) cmocka_unit_test_setup_teardown(test, fixture_make, fixture_remove)

/* A module that is refused as expected is judged on the oracle alone: no device is involved,
 * whether the device is present, only links, or is missing. */
static void a_refusal_is_not_a_pass_for_subjects_that_were_not_asked(void **state)
{
    run_fixture *fixture = *state;
    add(fixture, "refused", "refused\n");
    const cnf_run_subject subjects[] = {
        {&cnf_subjects[0], rt_text_of("sim"), NULL},
        {&cnf_subjects[1], rt_text_of("vendor"), NULL},
        {&cnf_subjects[2], rt_text_of("links"), NULL},
    };
    fixture->options.subjects = subjects;
    fixture->options.subject_count = 3;
    fixture->options.job_count = 1;
    fixture->options.timeout_ms = 10000;
    assert_int_equal(cnf_run(&fixture->options, fixture->files, 1, keep, fixture),
                     CNF_RUN_COMPLETE);
    assert_verdict(fixture, "refused", "sim", "PASS", "");
    static const char *const executed_subjects[] = {"vendor", "links"};
    for (size_t i = 0; i < sizeof executed_subjects / sizeof *executed_subjects; i++) {
        assert_verdict(fixture, "refused", executed_subjects[i], "SKIP", "");
        const cnf_record *record = record_of(fixture, "refused", executed_subjects[i]);
        assert_true(rt_text_is(record->judgement.capability, "only-on-sim"));
        assert_true(rt_text_is(record->judgement.answer, "yes"));
    }
}

/* Copies the name of the file that records the workers to `out`, of 128 bytes, and returns it. */
static const char *workers_file(const run_fixture *fixture, char *out)
{
    snprintf(out, 128, "%s.workers", fixture->folder);
    return out;
}

/* Records the workers from here on. */
static void workers_begin(const run_fixture *fixture)
{
    setenv("FAKE_WORKERS", workers_file(fixture, (char[128]){0}), 1);
}

/* Reads the record: a W for each worker, and a dot for each request. */
static void workers_end(const run_fixture *fixture, char *out_record, size_t size)
{
    const char *name = workers_file(fixture, (char[128]){0});
    unsetenv("FAKE_WORKERS");
    FILE *file = fopen(name, "r");
    assert_non_null(file);
    out_record[fread(out_record, 1, size - 1, file)] = '\0';
    fclose(file);
    unlink(name);
}

/* A worker that died concerns the module whose request it had, and no other. */
static void a_worker_serves_until_it_dies(void **state)
{
    run_fixture *fixture = *state;
    add(fixture, "a", "ok\nsim pass\nvendor pass\n");
    add(fixture, "b", "postlink\nsim pass\nvendor pass\n");
    add(fixture, "c", "crash\nsim pass\nvendor pass\n");
    add(fixture, "d", "hang\nsim pass\nvendor pass\n");
    add(fixture, "e", "ok\nsim pass\nvendor pass\n");
    char workers[32];
    workers_begin(fixture);
    assert_int_equal(run(fixture, 1, 1000), CNF_RUN_COMPLETE);
    workers_end(fixture, workers, sizeof workers);
    assert_string_equal(workers, "W...W.W.");
    assert_verdict(fixture, "a", "sim", "PASS", "");
    assert_verdict(fixture, "b", "sim", "FAIL", "compile:status:postlink-error:app");
    assert_int_equal(record_of(fixture, "c", "-")->judgement.verdict, CNF_VERDICT_INVALID);
    assert_verdict(fixture, "d", "sim", "FAIL", "compile:status:tool.timeout:app");
    assert_verdict(fixture, "e", "sim", "PASS", "");
}

/* Both formats are made of the same request here, so one worker answers for both, well or badly. */
static void one_worker_answers_the_same_request_of_two_builds(void **state)
{
    run_fixture *fixture = *state;
    add(fixture, "a", "ok\nsim pass\nptx pass\n");
    add(fixture, "b", "bad\nsim pass\nptx pass\n");
    add(fixture, "c", "postlink\nsim pass\nptx pass\n");
    add(fixture, "d", "hang\nsim pass\nptx pass\n");
    char workers[32];
    workers_begin(fixture);
    const cnf_run_subject subjects[] = {
        {&cnf_subjects[0], rt_text_of("sim"), NULL},
        {&cnf_subjects[3], rt_text_of("ptx"), NULL},
    };
    fixture->options.subjects = subjects;
    fixture->options.subject_count = 2;
    fixture->options.job_count = 2;
    fixture->options.timeout_ms = 2000;
    assert_int_equal(cnf_run(&fixture->options, fixture->files, 4, keep, fixture),
                     CNF_RUN_COMPLETE);
    workers_end(fixture, workers, sizeof workers);
    int requests = 0;
    for (const char *at = workers; *at; at++)
        requests += *at == '.';
    assert_int_equal(requests, 4);
    assert_verdict(fixture, "a", "sim", "PASS", "");
    assert_verdict(fixture, "a", "ptx", "PASS", "");
    assert_int_equal(record_of(fixture, "b", "-")->judgement.verdict, CNF_VERDICT_INVALID);
    static const char *const names[] = {"sim", "ptx"};
    for (int i = 0; i < 2; i++) {
        assert_verdict(fixture, "c", names[i], "FAIL", "compile:status:postlink-error:app");
        assert_verdict(fixture, "d", names[i], "FAIL", "compile:status:tool.timeout:app");
    }
}

/* ---- Devices that stay open ---------------------------------------------------------------- */

/* Runs the fixture's scenarios on sim and the vendor, with children that run up to `reuse` of them
 * and one job, so that the order is that of the files. */
static void run_reusing(run_fixture *fixture, uint32_t reuse)
{
    fixture->options.reuse = reuse;
    assert_int_equal(run(fixture, 1, 5000), CNF_RUN_COMPLETE);
    assert_int_equal(fixture->record_count, 2 * fixture->file_count);
}

/* Checks what a record says about the device: its predecessors, separated by blanks, and whether
 * the result was taken back. */
static void assert_reuse(const run_fixture *fixture, const char *path, const char *predecessors,
                         const char *reuse, const char *signature)
{
    const cnf_record *record = record_of(fixture, path, "vendor");
    rt_buffer text = {0};
    for (uint32_t i = 0; i < record->predecessor_count; i++)
        rt_buffer_printf(&text, "%s%.*s", i ? " " : "", RT_TEXT_ARG(record->predecessors[i]));
    assert_string_equal(rt_buffer_string(&text), predecessors);
    rt_buffer_free(&text);
    assert_true(rt_text_is(record->reuse, reuse));
    assert_true(rt_text_is(record->reuse_signature, signature));
}

static void a_child_runs_several_scenarios(void **state)
{
    run_fixture *fixture = *state;
    static const char *const names[] = {"a", "b", "c", "d", "e"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        add(fixture, names[i], "ok\nsim pass\nvendor pass\n");
    run_reusing(fixture, 3);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_verdict(fixture, names[i], "vendor", "PASS", "");
    assert_reuse(fixture, "a", "", "", "");
    assert_reuse(fixture, "b", "a", "", "");
    assert_reuse(fixture, "c", "a b", "", "");
    assert_reuse(fixture, "d", "", "", ""); /* a new child */
    assert_reuse(fixture, "e", "d", "", "");
    /* A forked child is cheap, and is never used again. */
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_int_equal(record_of(fixture, names[i], "sim")->predecessor_count, 0);
}

/* A result that is not good is taken back, and what the scenario gives alone counts. The device
 * that gave it is not used again. */
static void what_is_not_good_runs_again_alone(void **state)
{
    run_fixture *fixture = *state;
    add(fixture, "a", "ok\nsim pass\nvendor poison\n");
    add(fixture, "b", "ok\nsim pass\nvendor pass\n");
    add(fixture, "c", "ok\nsim pass\nvendor victim\n");
    add(fixture, "d", "ok\nsim pass\nvendor victim\n");
    add(fixture, "e", "ok\nsim pass\nvendor fail\n");
    add(fixture, "f", "ok\nsim pass\nvendor skip\n");
    add(fixture, "g", "ok\nsim pass\nvendor pass2\n"); /* sim's memory differs */
    add(fixture, "h", "ok\nsim pass\nvendor pass\n");
    run_reusing(fixture, 100);
    assert_verdict(fixture, "a", "vendor", "PASS", "");
    assert_verdict(fixture, "c", "vendor", "PASS", "");
    assert_reuse(fixture, "c", "a b", "poisoned", "step0:memory:differs:data/element-3");
    bool is_told = false;
    for (uint32_t i = 0; i < fixture->record_count; i++)
        is_told = is_told ||
                  rt_text_is(fixture->warnings[i],
                             "PASS alone, but FAIL step0:memory:differs:data/element-3 on a device "
                             "that had run a, b");
    assert_true(is_told);
    assert_verdict(fixture, "d", "vendor", "PASS", "");
    assert_reuse(fixture, "d", "", "", "");
    assert_verdict(fixture, "e", "vendor", "FAIL", "step0:memory:differs:data/element-3");
    assert_reuse(fixture, "e", "d", "confirmed", "step0:memory:differs:data/element-3");
    assert_verdict(fixture, "f", "vendor", "SKIP", "");
    assert_reuse(fixture, "f", "", "", "");
    const cnf_record *differs = record_of(fixture, "g", "vendor");
    assert_int_equal(differs->judgement.verdict, CNF_VERDICT_FAIL);
    assert_true(rt_text_is(differs->reuse, "confirmed"));
    assert_reuse(fixture, "h", "", "", "");
}

/* A subject is unavailable if a scenario finds no device alone, not if it does in a child that ran
 * others. */
static void a_used_child_makes_no_subject_unavailable(void **state)
{
    run_fixture *fixture = *state;
    add(fixture, "a", "ok\nsim pass\nvendor poison\n");
    add(fixture, "b", "ok\nsim pass\nvendor shut\n");
    add(fixture, "c", "ok\nsim pass\nvendor pass\n");
    add(fixture, "d", "ok\nsim pass\nvendor unavailable\n");
    add(fixture, "e", "ok\nsim pass\nvendor pass\n");
    run_reusing(fixture, 100);
    assert_verdict(fixture, "b", "vendor", "PASS", "");
    assert_true(rt_text_is(record_of(fixture, "b", "vendor")->reuse, CNF_REUSE_POISONED));
    assert_true(rt_text_is(record_of(fixture, "b", "vendor")->reuse_verdict, "UNAVAILABLE"));
    assert_verdict(fixture, "c", "vendor", "PASS", "");
    assert_reuse(fixture, "c", "", "", "");
    assert_verdict(fixture, "d", "vendor", "UNAVAILABLE", "");
    assert_reuse(fixture, "d", "c", CNF_REUSE_CONFIRMED, "");
    assert_verdict(fixture, "e", "vendor", "UNAVAILABLE", "");
    assert_reuse(fixture, "e", "", "", "");
}

/* Leaks and devices that no longer compute are noticed, whatever the scenario's own result. */
static void an_unfit_device_is_not_used_again(void **state)
{
    run_fixture *fixture = *state;
    add(fixture, "a", "ok\nsim pass\nvendor pass\n");
    add(fixture, "b", "ok\nsim pass\nvendor leak\n");
    add(fixture, "c", "ok\nsim pass\nvendor pass\n");
    add(fixture, "d", "ok\nsim pass\nvendor wrong\n");
    add(fixture, "e", "ok\nsim pass\nvendor pass\n");
    add(fixture, "f", "ok\nsim pass\nvendor unsaid\n");
    add(fixture, "g", "ok\nsim pass\nvendor pass\n");
    run_reusing(fixture, 100);
    static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_verdict(fixture, names[i], "vendor", "PASS", "");
    assert_reuse(fixture, "b", "a", "poisoned", "release:device:objects:-");
    assert_reuse(fixture, "c", "", "", "");
    assert_reuse(fixture, "d", "c", "poisoned", "release:device:answer:-");
    assert_reuse(fixture, "e", "", "", "");
    assert_reuse(fixture, "f", "e", "poisoned", "run:protocol:not-released:-");
    assert_reuse(fixture, "g", "", "", "");
}

/* A crash or a hang costs its scenario alone; the others continue in a new child. */
static void a_crash_costs_one_scenario_of_many(void **state)
{
    run_fixture *fixture = *state;
    add(fixture, "a", "ok\nsim pass\nvendor pass\n");
    add(fixture, "b", "ok\nsim pass\nvendor crash\n");
    add(fixture, "c", "ok\nsim pass\nvendor pass\n");
    add(fixture, "d", "ok\nsim pass\nvendor hang\n");
    add(fixture, "e", "ok\nsim pass\nvendor pass\n");
    fixture->options.reuse = 100;
    assert_int_equal(run(fixture, 1, 400), CNF_RUN_COMPLETE);
    assert_verdict(fixture, "a", "vendor", "PASS", "");
    assert_verdict(fixture, "b", "vendor", "CRASH", "run:crash:SIGSEGV:-");
    assert_reuse(fixture, "b", "a", "confirmed", "run:crash:SIGSEGV:-");
    assert_verdict(fixture, "c", "vendor", "PASS", "");
    assert_reuse(fixture, "c", "", "", "");
    assert_verdict(fixture, "d", "vendor", "TIMEOUT", "run:timeout:-:-");
    assert_reuse(fixture, "d", "c", "confirmed", "run:timeout:-:-");
    assert_reuse(fixture, "e", "", "", "");
}

static bool lonely_runs_alone(void *user, rt_text path, rt_text subject)
{
    (void)user;
    assert_true(rt_text_is(subject, "vendor"));
    return rt_text_is(path, "b");
}

/* By the listener's word, by a persistent cache, and by options of the driver. */
static void some_scenarios_have_their_process_to_themselves(void **state)
{
    run_fixture *fixture = *state;
    static const char *const options[] = {"FAKE_OPTION=1", NULL};
    add(fixture, "a", "ok\nsim pass\nvendor pass\n");
    add(fixture, "b", "ok\nsim pass\nvendor lonely\n");
    add(fixture, "c", "ok\nsim pass\nvendor scratch\n");
    add(fixture, "d", "ok\nsim pass\nvendor pass\n");
    fixture->options.runs_alone = lonely_runs_alone;
    run_reusing(fixture, 100);
    assert_verdict(fixture, "b", "vendor", "PASS", "");
    assert_reuse(fixture, "b", "", "", "");
    assert_verdict(fixture, "c", "vendor", "PASS", "");
    assert_reuse(fixture, "c", "", "", "");
    assert_reuse(fixture, "d", "a", "", "");
    fixture->driver_options = options;
    fixture->record_count = 0;
    run_reusing(fixture, 100);
    assert_reuse(fixture, "d", "", "", "");
}

static void note_lost(void *user, rt_text subject, rt_text message)
{
    run_fixture *fixture = user;
    assert_true(rt_text_is(subject, "vendor"));
    fixture->lost = rt_arena_text(&fixture->arena, message);
}

/* A process that dies between two scenarios is reported: no record says it. */
static void a_death_between_scenarios_is_told(void **state)
{
    run_fixture *fixture = *state;
    add(fixture, "a", "ok\nsim pass\nvendor pass\n");
    add(fixture, "b", "ok\nsim pass\nvendor dies\n");
    fixture->options.child_lost = note_lost;
    run_reusing(fixture, 100);
    assert_verdict(fixture, "b", "vendor", "PASS", "");
    assert_true(
        rt_text_is(fixture->lost, "the process was ended by SIGABRT after 2 scenarios: a, b"));
}

/* Retries and repeats see only results that are believed. */
static void repeats_and_retries_are_unchanged(void **state)
{
    run_fixture *fixture = *state;
    add(fixture, "a", "ok\nsim pass\nvendor poison\n");
    add(fixture, "b", "ok\nsim pass\nvendor victim\n");
    fixture->options.retries = 3;
    run_reusing(fixture, 100);
    assert_verdict(fixture, "b", "vendor", "PASS", "");
    assert_int_equal(record_of(fixture, "b", "vendor")->judgement.attempt_count, 0);
    assert_reuse(fixture, "b", "a", "poisoned", "step0:memory:differs:data/element-3");
    fixture->options.retries = 0;
    fixture->options.repeat = 3;
    fixture->record_count = 0;
    run_reusing(fixture, 100);
    assert_verdict(fixture, "b", "vendor", "PASS", "");
    assert_int_equal(record_of(fixture, "b", "vendor")->judgement.attempt_count, 3);
}

int main(int argument_count, char **arguments)
{
    int status;
    if (fakes_main(argument_count, arguments, &status)) return status;
    const struct CMUnitTest tests[] = {
        RUN_TEST(every_end_has_its_verdict),
        RUN_TEST(subjects_are_compared_with_sim),
        RUN_TEST(an_unavailable_subject_is_asked_once),
        RUN_TEST(a_device_that_answers_was_only_slow),
        RUN_TEST(a_device_that_is_lost_is_not_asked_again),
        RUN_TEST(a_crash_alone_loses_no_device),
        RUN_TEST(driver_options_reach_the_subject),
#ifndef RT_ARENA_BLOCKS
        RUN_TEST(a_limit_of_memory_costs_one_scenario),
#endif
        RUN_TEST(every_way_to_choose_is_run),
        RUN_TEST(exploring_is_bounded_and_says_so),
        RUN_TEST(a_script_is_run_again),
        RUN_TEST(what_fails_is_tried_again),
        RUN_TEST(a_repeated_scenario_has_its_worst_verdict),
        RUN_TEST(each_call_fails_in_turn),
        RUN_TEST(a_lost_device_ends_repeating),
        RUN_TEST(an_unexpected_pass_is_tried_again),
        RUN_TEST(a_wrong_scenario_is_one_record),
        RUN_TEST(what_the_compiler_says_decides),
        RUN_TEST(a_refusal_is_not_a_pass_for_subjects_that_were_not_asked),
        RUN_TEST(an_interrupted_run_loses_no_record),
        RUN_TEST(what_has_its_record_does_not_run),
        RUN_TEST(the_oracle_runs_for_the_others_sake),
        RUN_TEST(a_listener_stops_the_run),
        RUN_TEST(many_scenarios_go_through_few_slots),
        RUN_TEST(nothing_stays_of_a_childs_folder),
        RUN_TEST(without_a_folder_for_it_nothing_runs),
        RUN_TEST(an_interrupted_run_leaves_no_folder),
        RUN_TEST(a_worker_serves_until_it_dies),
        RUN_TEST(one_worker_answers_the_same_request_of_two_builds),
        RUN_TEST(a_child_runs_several_scenarios),
        RUN_TEST(what_is_not_good_runs_again_alone),
        RUN_TEST(a_used_child_makes_no_subject_unavailable),
        RUN_TEST(an_unfit_device_is_not_used_again),
        RUN_TEST(a_crash_costs_one_scenario_of_many),
        RUN_TEST(some_scenarios_have_their_process_to_themselves),
        RUN_TEST(a_death_between_scenarios_is_told),
        RUN_TEST(repeats_and_retries_are_unchanged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
