/* Tests of expectation files: which files are rejected, and how entries change verdicts. */
#include "conformance/verdict/baseline.h"
#include "conformance/verdict/expectations.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* A scenarios' root with expectations/pocl.yaml, and a second folder of expectations. */
typedef struct fixture {
    char root[64];
    cnf_expectations read;
    rt_buffer problems;
    bool is_valid;
} fixture;

static void file_write(const char *root, const char *path, const char *content)
{
    char name[160];
    snprintf(name, sizeof name, "%s/%s", root, path);
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    fputs(content, file);
    assert_int_equal(fclose(file), 0);
}

static const char *const folders[] = {"device", "expectations", "expectations/findings", "more",
                                      "more/findings"};
static const char *const files[] = {"requirements.yaml", "device/a.yaml", "device/b.yaml",
                                    "expectations/findings/pocl.yaml", "more/findings/pocl.yaml"};
enum { FOLDERS = sizeof folders / sizeof *folders, FILES = sizeof files / sizeof *files };

#define RECORDS_HEAD "assay_findings: 1\nfindings:\n"
#define RECORD(id, class)                                                                          \
    "  - id: " id                                                                                  \
    "\n    title: It hangs\n    class: " class "\n    expected: An end\n    got: None\n"
#define RECORDS                                                                                              \
    RECORDS_HEAD RECORD("hangs", "crash-or-hang") "    reproduction: {}\n" RECORD(                           \
        "wrong",                                                                                             \
        "violates-a-must") "    reference: DL-RESOLVE-09, OpenCL 3.0\n    reproduction: {}\n" RECORD("open", \
                                                                                                     "permitted-divergence")

static int set_up(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    snprintf(f->root, sizeof f->root, "/tmp/assay-expectations-XXXXXX");
    if (!mkdtemp(f->root)) return -1;
    for (size_t i = 0; i < FOLDERS; i++) {
        char name[96];
        snprintf(name, sizeof name, "%s/%s", f->root, folders[i]);
        if (mkdir(name, 0777) != 0) return -1;
    }
    for (size_t i = 0; i < FILES; i++)
        file_write(f->root, files[i], i == 3 ? RECORDS : i == 4 ? RECORDS_HEAD "    []\n" : "");
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    static const char *const written[] = {"expectations/pocl.yaml", "expectations/polc.yaml",
                                          "expectations/sim.yaml", "more/pocl.yaml"};
    fixture *f = *state;
    char name[160];
    for (size_t i = 0; i < 4; i++) {
        snprintf(name, sizeof name, "%s/%s", f->root, written[i]);
        unlink(name);
    }
    for (size_t i = 0; i < FILES; i++) {
        snprintf(name, sizeof name, "%s/%s", f->root, files[i]);
        unlink(name);
    }
    for (size_t i = FOLDERS; i > 0; i--) {
        snprintf(name, sizeof name, "%s/%s", f->root, folders[i - 1]);
        rmdir(name);
    }
    int status = rmdir(f->root);
    cnf_expectations_free(&f->read);
    rt_buffer_free(&f->problems);
    free(f);
    return status;
}

/* Reads the fixture's expectations again, including those of `more` if requested. */
static void expectations_read(fixture *f, bool with_folder)
{
    static const rt_text subjects[] = {{"sim", 3}, {"pocl", 4}, {"intel-cpu", 9}};
    cnf_expectations_free(&f->read);
    rt_buffer_free(&f->problems);
    char name[96], folder[96];
    snprintf(name, sizeof name, "%s/device/a.yaml", f->root);
    snprintf(folder, sizeof folder, "%s/more", f->root);
    const cnf_file file = {rt_text_of(name), RT_TEXT("device/a.yaml")};
    const cnf_files found = {&file, 1};
    rt_text required_folder = rt_text_of(folder);
    f->is_valid = cnf_expectations_read(&f->read, &found, &required_folder, with_folder ? 1 : 0,
                                        subjects, 3, RT_TEXT("sim"), &f->problems);
}

#define HEAD       "assay_expectations: 1\nsubject: pocl\nentries:\n"
#define A          "  - scenario: device/a.yaml\n"
#define SIG        "    signature: \"step1:memory:differs:data/element-3\"\n"
#define REST       "    class: crash-or-hang\n    reason: It hangs.\n"
#define OTHER_SEEN "step2:count:count:launch"
#define OTHER_SIG  "    signature: \"" OTHER_SEEN "\"\n"
#define FIND       "    finding: pocl/hangs\n"

/* ---- Wrong files --------------------------------------------------------------------------- */

static const struct wrong_row {
    const char *name, *text;
    const char *says; /* the text after the file's name */
} wrong_rows[] = {
    {"pocl", "", ":1:1: error: "},
    {"pocl", "subject: pocl\nentries: []\n",
     ":1:1: error: an expectation file needs the key "
     "'assay_expectations'"},
    {"pocl", "assay_expectations: 2\nsubject: pocl\nentries: []\n",
     ":1:21: error: format version '2'; this assay reads version 1: write "
     "'assay_expectations: 1'\n"},
    {"pocl", HEAD "  - {}\n", ":4:5: error: an entry needs the key 'scenario'"},
    {"pocl", HEAD A SIG "    clas: crash-or-hang\n    reason: x\n",
     ":6:5: error: unknown key 'clas' in an entry; did you mean 'class'?\n"},
    {"pocl", HEAD A SIG "    class: bug\n    reason: x\n",
     ":6:12: error: unknown class 'bug'; expected one of: silent-wrong-result, "
     "crash-or-hang, violates-a-must, violates-a-reading, permitted-divergence, untriaged\n"},
    {"pocl", HEAD A SIG "    class: silent-wrong-result\n    reason: x\n",
     ":4:5: error: class 'silent-wrong-result' needs 'finding': the id of a record"},
    {"pocl", HEAD A SIG "    poisons: data\n" REST,
     ":6:14: error: expected a list of memories, found 'data'\n"},
    {"pocl", HEAD A REST, ":4:5: error: an entry needs 'signature' or 'verdict'"},
    {"pocl", HEAD A "    signature: memory differs\n" REST, ":5:16: error: expected a signature"},
    {"pocl", HEAD A "    signature: \"a:*:b:c:d\"\n" REST, ":5:16: error: expected a signature"},
    {"sim",
     "assay_expectations: 1\nsubject: sim\nentries:\n" A SIG REST
     "    flaky: true\n    bound: 20\n",
     ":4:5: error: subject 'sim' is deterministic, so no entry of it is flaky; remove 'flaky' and "
     "'bound'\n"},
    {"pocl", HEAD A "    verdict: FAIL\n" REST,
     ":5:14: error: unknown verdict 'FAIL'; expected one of: CRASH, TIMEOUT, HANG\n"},
    {"pocl", HEAD A SIG "    class: violates-a-must\n    reason: x\n",
     ":4:5: error: class 'violates-a-must' needs 'finding'"},
    {"pocl", HEAD A SIG, ":4:5: error: an entry needs 'finding', or 'class' and 'reason'"},
    {"pocl", HEAD A SIG "    class: untriaged\n",
     ":4:5: error: an entry of class 'untriaged' needs 'since': the day on which it was written\n"},
    {"pocl", HEAD A SIG REST "    since: yesterday\n",
     ":8:12: error: expected a date such as 2026-11-28, found 'yesterday'\n"},
    {"pocl", HEAD A SIG REST "    flaky: true\n", ":8:5: error: 'flaky' requires 'bound'\n"},
    {"pocl", HEAD A SIG REST "    bound: 20\n", ":8:5: error: 'bound' requires 'flaky'\n"},
    {"pocl", HEAD A SIG REST "    flaky: true\n    bound: 101\n", ":9:12: error: "},
    {"pocl", HEAD A SIG REST "    versions: 3.1\n",
     ":8:15: error: expected a range of versions, \"3.1..6.0\", \"3.1..\" or \"..6.0\", found '3.1'\n"},
    {"pocl", HEAD A SIG REST "    versions: 3...4\n", ":8:15: error: expected a range of versions"},
    {"pocl", HEAD A SIG "    reason: x\n",
     ":4:5: error: an entry needs 'finding', or 'class' and 'reason'"},
    {"pocl", HEAD A SIG FIND "    class: crash-or-hang\n",
     ":6:5: error: 'class' and 'reference' come from the record of the finding; remove them"},
    {"pocl", HEAD A SIG FIND "    reference: DL-RESOLVE-09\n",
     ":6:5: error: 'class' and 'reference' come from the record of the finding; remove them"},
    {"pocl", HEAD A SIG "    finding: pocl/hung\n",
     ":4:5: error: unknown finding 'pocl/hung'; did you mean 'pocl/hangs'?\n"},
    {"pocl", HEAD A "    verdict: CRASH\n    finding: pocl/open\n",
     ":4:5: error: a crash or hang is not a permitted divergence, which finding 'pocl/open' is\n"},
    {"pocl", HEAD A "    verdict: CRASH\n    class: permitted-divergence\n    reason: x\n",
     ":4:5: error: a crash or hang is not a permitted divergence"},
    {"pocl", HEAD A SIG REST "    reference: DL-RESOLV-09 decides\n",
     ":8:16: error: unknown rule 'DL-RESOLV-09'; did you mean 'DL-RESOLVE-09'?\n"},
    {"pocl", HEAD A SIG REST "    reason: again\n", ":8:5: error: "},
    {"pocl", HEAD A SIG REST A SIG REST, ":8:5: error: the entry at "},
    {"pocl", "assay_expectations: 1\nsubject: polc\nentries: []\n",
     ":2:10: error: unknown subject 'polc'; did you mean 'pocl'?\n"},
    {"sim", "assay_expectations: 1\nsubject: pocl\nentries: []\n",
     ":2:10: error: the entries of subject 'pocl' belong in the file pocl.yaml\n"},
    /* A name without a subject: every file of the folder is checked. */
    {"polc", "assay_expectations: 1\nsubject: polc\nentries: []\n",
     ":2:10: error: unknown subject"},
};

static void wrong_files_are_refused(void **state)
{
    fixture *f = *state;
    for (size_t i = 0; i < sizeof wrong_rows / sizeof *wrong_rows; i++) {
        char path[64], expected[256];
        snprintf(path, sizeof path, "expectations/%s.yaml", wrong_rows[i].name);
        file_write(f->root, path, wrong_rows[i].text);
        expectations_read(f, false);
        snprintf(expected, sizeof expected, "%s/%s%s", f->root, path, wrong_rows[i].says);
        if (f->is_valid || !rt_text_starts(rt_buffer_text(&f->problems), expected))
            fail_msg("row %zu: %s\nexpected %s", i, rt_buffer_string(&f->problems), expected);
        char name[160];
        snprintf(name, sizeof name, "%s/%s", f->root, path);
        unlink(name);
    }
}

/* ---- Wrong records ------------------------------------------------------------------------- */

static const struct wrong_record {
    const char *text, *says;
} wrong_records[] = {
    {"assay_findings: 2\nfindings: []\n",
     ":1:17: error: format version '2'; this assay reads version 1: write 'assay_findings: 1'\n"},
    {"findings: []\n", ":1:1: error: a file of findings needs the key 'assay_findings'"},
    {RECORDS_HEAD "  - id: a\n    title: b\n    clas: c\n",
     ":5:5: error: unknown key 'clas' in a finding; did you mean 'class'?\n"},
    {RECORDS_HEAD "  - id: a\n    title: b\n    class: crash-or-hang\n    got: c\n",
     ":3:5: error: a finding needs the key 'expected'"},
    {RECORDS_HEAD RECORD("a", "bug"), ":5:12: error: unknown class 'bug'; expected one of: "},
    {RECORDS_HEAD RECORD("a b", "crash-or-hang"), ":3:9: error: 'a b' is not a name"},
    {RECORDS_HEAD RECORD("a", "violates-a-must"),
     ":3:5: error: a finding of class 'violates-a-must' needs 'reproduction': "},
    {RECORDS_HEAD RECORD("a", "silent-wrong-result"),
     ":3:5: error: a finding of class 'silent-wrong-result' needs 'reproduction': "},
    {RECORDS_HEAD RECORD("a", "crash-or-hang"),
     ":3:5: error: a finding of class 'crash-or-hang' needs 'reproduction': "},
    {RECORDS_HEAD RECORD("a", "permitted-divergence") "    reference: DL-RESOLV-09\n",
     ":8:16: error: unknown rule 'DL-RESOLV-09'; did you mean 'DL-RESOLVE-09'?\n"},
    {RECORDS_HEAD RECORD("a", "permitted-divergence") RECORD("a", "permitted-divergence"),
     ":8:5: error: there is another finding 'pocl/a'\n"},
};

static void wrong_records_are_refused(void **state)
{
    fixture *f = *state;
    for (size_t i = 0; i < sizeof wrong_records / sizeof *wrong_records; i++) {
        char expected[256];
        file_write(f->root, "expectations/findings/pocl.yaml", wrong_records[i].text);
        expectations_read(f, false);
        snprintf(expected, sizeof expected, "%s/expectations/findings/pocl.yaml%s", f->root,
                 wrong_records[i].says);
        if (f->is_valid || !rt_text_starts(rt_buffer_text(&f->problems), expected))
            fail_msg("row %zu: %s\nexpected %s", i, rt_buffer_string(&f->problems), expected);
    }
}

/* An entry may name a record of another folder; two folders may not have the same record. */
static void records_of_all_folders_can_be_named(void **state)
{
    fixture *f = *state;
    file_write(f->root, "more/pocl.yaml", HEAD A SIG FIND);
    expectations_read(f, true);
    if (!f->is_valid) fail_msg("%s", rt_buffer_string(&f->problems));
    assert_int_equal(f->read.entries.items[0].class, CNF_CLASS_CRASH_OR_HANG);
    file_write(f->root, "more/findings/pocl.yaml", RECORDS);
    expectations_read(f, true);
    assert_false(f->is_valid);
    assert_non_null(strstr(rt_buffer_string(&f->problems),
                           "more/findings/pocl.yaml:3:5: error: there is another finding "
                           "'pocl/hangs'\n"));
}

static void folders_must_be_there_when_they_are_named(void **state)
{
    fixture *f = *state;
    static const rt_text subject = {"pocl", 4}, none = {"/nowhere/at/all", 15};
    rt_buffer problems = {0};
    const cnf_files no_files = {0};
    assert_false(
        cnf_expectations_read(&f->read, &no_files, &none, 1, &subject, 1, subject, &problems));
    assert_string_equal(rt_buffer_string(&problems),
                        "/nowhere/at/all: cannot be read: No such file or directory\n");
    rt_buffer_free(&problems);
    expectations_read(f, true);
    assert_true(f->is_valid);
    assert_int_equal(f->read.entries.count, 0);
}

static void the_same_entry_in_two_folders_is_refused(void **state)
{
    fixture *f = *state;
    file_write(f->root, "expectations/pocl.yaml", HEAD A SIG REST);
    file_write(f->root, "more/pocl.yaml", HEAD A SIG REST);
    expectations_read(f, true);
    assert_false(f->is_valid);
    assert_non_null(strstr(rt_buffer_string(&f->problems), "more/pocl.yaml:4:5: error: "));
}

/* A valid file truncated at every byte, or with many different bytes changed, is read, or rejected
 * with a message that names it. */
static void damaged_files_are_read_or_refused(void **state)
{
    fixture *f = *state;
    static const char whole[] =
        HEAD A SIG "    driver: \"3.1\"\n    finding: pocl/hangs\n    reason: >-\n"
                   "      Two\n      lines.\n" A OTHER_SIG
                   "    class: crash-or-hang\n    reason: x\n    reference: DL-RESOLVE-09\n";
    static const char bytes[] = {'\n', '"', ':', '-', '9', '\t', '[', (char)0xff};
    char text[sizeof whole], start[96];
    snprintf(start, sizeof start, "%s/expectations/pocl.yaml:", f->root);
    uint32_t refused = 0;
    for (size_t at = 0; at < sizeof whole - 1; at++) {
        for (size_t i = 0; i <= sizeof bytes; i++) {
            memcpy(text, whole, sizeof whole);
            text[at] = i < sizeof bytes ? bytes[i] : '\0'; /* truncates the text there */
            file_write(f->root, "expectations/pocl.yaml", text);
            expectations_read(f, false);
            refused += !f->is_valid;
            assert_true(f->is_valid == (f->problems.size == 0));
            assert_true(f->is_valid || rt_text_starts(rt_buffer_text(&f->problems), start));
        }
    }
    assert_true(refused > sizeof whole);
}

/* ---- Judging ------------------------------------------------------------------------------- */

#define SEEN         "step1:memory:differs:data/element-3"
#define EARLIER_SEEN "step0:memory:differs:data/element-0"
#define LATER_SEEN   "step9:memory:differs:data/element-0"
#define CRASHED      "run:crash:SIGSEGV:-"

/* A judgement with the failures of a list of signatures; those of memories depend on `data`. */
static cnf_judgement judgement_of(rt_arena *arena, cnf_verdict verdict, const char *signatures)
{
    static const rt_text data = {"data", 4};
    cnf_judgement judgement = {.verdict = verdict,
                               .signature = rt_text_of(signatures),
                               .capability = RT_TEXT("fp64"),
                               .answer = RT_TEXT("no")};
    for (rt_text rest = rt_text_of(signatures);
         memchr(signatures, ' ', strlen(signatures)) && rest.length > 0;) {
        rt_text signature = rt_text_take_until(&rest, ' ');
        bool is_process = rt_text_starts(signature, "run");
        const cnf_failure failure = {
            .cause = is_process ? CNF_CAUSE_PROCESS : CNF_CAUSE_CHECK,
            .signature = signature,
            .step = (uint32_t)(signature.data[4] - '0'),
            .memories = &data,
            .memory_count = memmem(signature.data, signature.length, ":memory:", 8) != NULL};
        cnf_judgement_add(arena, &judgement, &failure, 1);
    }
    return judgement;
}

typedef struct judge_row {
    const char *entries;
    const char *subject, *driver;
    cnf_verdict verdict;
    const char *signature;
    cnf_verdict with;
    const char *failure; /* the failure that the applied entry expects; NULL: none was applied */
    const char *written; /* the report on the entries, without the file's folder */
} judge_row;

#define OTHER "  - scenario: device/b.yaml\n"

static const judge_row judge_rows[] = {
    /* By signature. */
    {A SIG REST, "pocl", "3.1", CNF_VERDICT_FAIL, SEEN, CNF_VERDICT_XFAIL, SEEN, ""},
    {A SIG REST, "pocl", "3.1", CNF_VERDICT_FAIL, "step2:a:b:c", CNF_VERDICT_XFAIL_MISMATCH, SEEN,
     ""},
    {A SIG REST, "pocl", "3.1", CNF_VERDICT_PASS, "", CNF_VERDICT_XPASS, SEEN, ""},
    {A SIG REST, "pocl", "3.1", CNF_VERDICT_LINKED, "", CNF_VERDICT_XPASS, SEEN, ""},
    {A SIG REST, "pocl", "3.1", CNF_VERDICT_HANG, SEEN, CNF_VERDICT_XFAIL, SEEN, ""},
    /* By verdict; by verdict and signature. */
    {A "    verdict: CRASH\n" REST, "pocl", "", CNF_VERDICT_CRASH, "any", CNF_VERDICT_XFAIL,
     "CRASH", ""},
    {A "    verdict: CRASH\n" REST, "pocl", "", CNF_VERDICT_TIMEOUT, "any",
     CNF_VERDICT_XFAIL_MISMATCH, "CRASH", ""},
    {A "    verdict: TIMEOUT\n" SIG REST, "pocl", "", CNF_VERDICT_TIMEOUT, SEEN, CNF_VERDICT_XFAIL,
     "TIMEOUT " SEEN, ""},
    {A "    verdict: TIMEOUT\n" SIG REST, "pocl", "", CNF_VERDICT_HANG, SEEN,
     CNF_VERDICT_XFAIL_MISMATCH, "TIMEOUT " SEEN, ""},
    /* An entry for each failing check. */
    {A SIG REST, "pocl", "", CNF_VERDICT_FAIL, SEEN " " OTHER_SEEN, CNF_VERDICT_XFAIL_MISMATCH,
     SEEN, ""},
    {A SIG REST A OTHER_SIG REST, "pocl", "", CNF_VERDICT_FAIL, SEEN " " OTHER_SEEN,
     CNF_VERDICT_XFAIL, SEEN ", " OTHER_SEEN, ""},
    {A SIG REST A OTHER_SIG REST, "pocl", "", CNF_VERDICT_FAIL, SEEN, CNF_VERDICT_XFAIL_MISMATCH,
     SEEN ", " OTHER_SEEN, ""},
    {A "    verdict: CRASH\n" REST A SIG REST, "pocl", "", CNF_VERDICT_CRASH, CRASHED " " SEEN,
     CNF_VERDICT_XFAIL, "CRASH, " SEEN, ""},
    {A "    verdict: CRASH\n" REST, "pocl", "", CNF_VERDICT_CRASH, CRASHED " " SEEN,
     CNF_VERDICT_XFAIL_MISMATCH, "CRASH", ""},
    /* A poisoned memory: later checks that depend on it need no entry; others do, and so do earlier
     * ones. */
    {A SIG "    poisons: [other, data]\n" REST, "pocl", "", CNF_VERDICT_FAIL, SEEN " " LATER_SEEN,
     CNF_VERDICT_XFAIL, SEEN, ""},
    {A SIG "    poisons: [other]\n" REST, "pocl", "", CNF_VERDICT_FAIL, SEEN " " LATER_SEEN,
     CNF_VERDICT_XFAIL_MISMATCH, SEEN, ""},
    {A SIG "    poisons: [data]\n" REST, "pocl", "", CNF_VERDICT_FAIL, EARLIER_SEEN " " SEEN,
     CNF_VERDICT_XFAIL_MISMATCH, SEEN, ""},
    {A SIG "    poisons: [data]\n" REST, "pocl", "", CNF_VERDICT_FAIL, LATER_SEEN,
     CNF_VERDICT_XFAIL_MISMATCH, SEEN, ""},
    /* These prove nothing about the entry. */
    {A SIG REST, "pocl", "", CNF_VERDICT_SKIP, "", CNF_VERDICT_SKIP, NULL, ""},
    {A SIG REST, "pocl", "", CNF_VERDICT_UNAVAILABLE, "", CNF_VERDICT_UNAVAILABLE, NULL, ""},
    {A SIG REST, "pocl", "", CNF_VERDICT_NOT_RUN, "", CNF_VERDICT_NOT_RUN, NULL, ""},
    {A SIG REST, "pocl", "", CNF_VERDICT_POISONED, "", CNF_VERDICT_POISONED, NULL, ""},
    {A SIG REST, "-", "", CNF_VERDICT_INVALID, "", CNF_VERDICT_INVALID, NULL, ""},
    {A SIG REST, "sim", "", CNF_VERDICT_FAIL, SEEN, CNF_VERDICT_FAIL, NULL, ""},
    {OTHER SIG REST, "pocl", "", CNF_VERDICT_FAIL, SEEN, CNF_VERDICT_FAIL, NULL, ""},
    /* Drivers. */
    {A SIG "    driver: 3.1\n" REST, "pocl", "PoCL 3.1, LLVM 14", CNF_VERDICT_FAIL, SEEN,
     CNF_VERDICT_XFAIL, SEEN, ""},
    {A SIG "    driver: 3.1\n" REST, "pocl", "PoCL 4.0", CNF_VERDICT_FAIL, SEEN, CNF_VERDICT_FAIL,
     NULL,
     "not applied: /expectations/pocl.yaml:4: device/a.yaml on pocl: the driver is 'PoCL 4.0', and "
     "the entry is about '3.1'\n"},
    {A SIG "    driver: 3.1\n" REST A "    verdict: CRASH\n" REST, "pocl", "PoCL 3.1",
     CNF_VERDICT_FAIL, SEEN, CNF_VERDICT_XFAIL, SEEN, ""},
    {A "    verdict: CRASH\n" REST A SIG "    driver: 3.1\n" REST, "pocl", "PoCL 3.1",
     CNF_VERDICT_FAIL, SEEN, CNF_VERDICT_XFAIL, SEEN, ""},
    {A "    verdict: CRASH\n" REST A SIG "    driver: 4.0\n" REST, "pocl", "PoCL 3.1",
     CNF_VERDICT_CRASH, "x", CNF_VERDICT_XFAIL, "CRASH",
     "not applied: /expectations/pocl.yaml:8: device/a.yaml on pocl: the driver is 'PoCL 3.1', and "
     "the entry is about '4.0'\n"},
    /* With driver options, only the identical failure is excused. */
    {A SIG REST, "pocl{A=1}", "3.1", CNF_VERDICT_FAIL, SEEN, CNF_VERDICT_XFAIL, SEEN, ""},
    {A SIG REST, "pocl{A=1}", "3.1", CNF_VERDICT_FAIL, "step2:a:b:c", CNF_VERDICT_FAIL, NULL, ""},
    {A SIG REST, "pocl{A=1}", "3.1", CNF_VERDICT_PASS, "", CNF_VERDICT_PASS, NULL, ""},
    {A SIG REST, "pocl{A=1}", "3.1", CNF_VERDICT_SKIP, "", CNF_VERDICT_SKIP, NULL, ""},
    {A SIG REST, "pocl{A=1}", "3.1", CNF_VERDICT_POISONED, SEEN, CNF_VERDICT_POISONED, NULL, ""},
    {A SIG REST, "poc{A=1}", "3.1", CNF_VERDICT_FAIL, SEEN, CNF_VERDICT_FAIL, NULL, ""},
    {OTHER SIG REST, "pocl{A=1}", "3.1", CNF_VERDICT_FAIL, SEEN, CNF_VERDICT_FAIL, NULL, ""},
    {A "    verdict: CRASH\n" REST, "pocl{A=1}", "", CNF_VERDICT_CRASH, "any", CNF_VERDICT_XFAIL,
     "CRASH", ""},
    {A SIG "    driver: 4.0\n" REST, "pocl{A=1}", "PoCL 3.1", CNF_VERDICT_FAIL, SEEN,
     CNF_VERDICT_FAIL, NULL, ""},
    {A "    verdict: CRASH\n" REST A SIG "    driver: 3.1\n" REST, "pocl{A=1}", "PoCL 3.1",
     CNF_VERDICT_CRASH, "x", CNF_VERDICT_CRASH, NULL, ""},
    /* Unused. */
    {A SIG REST, "pocl", "3.1", CNF_VERDICT_SKIP, "", CNF_VERDICT_SKIP, NULL,
     "unused: /expectations/pocl.yaml:4: device/a.yaml on pocl: SKIP, fp64: no; remove the "
     "entry\n"},
    {"  - scenario: device/gone.yaml\n" SIG REST, "sim", "", CNF_VERDICT_PASS, "", CNF_VERDICT_PASS,
     NULL,
     "unused: /expectations/pocl.yaml:4: device/gone.yaml on pocl: there is no such scenario; "
     "remove the entry\n"},
    {"  - scenario: device/aa.yaml\n" SIG REST, "sim", "", CNF_VERDICT_PASS, "", CNF_VERDICT_PASS,
     NULL,
     "unused: /expectations/pocl.yaml:4: device/aa.yaml on pocl: there is no such scenario; did you "
     "mean 'device/a.yaml'?\n"},
    {"  - scenario: gone/*\n" SIG REST, "sim", "", CNF_VERDICT_PASS, "", CNF_VERDICT_PASS, NULL,
     "unused: /expectations/pocl.yaml:4: gone/* on pocl: there is no such scenario; remove the "
     "entry\n"},
    /* Patterns: of scenarios, of signatures; each entry must name a failing check. */
    {"  - scenario: dev*.yaml\n" SIG REST, "pocl", "", CNF_VERDICT_FAIL, SEEN, CNF_VERDICT_XFAIL,
     SEEN, ""},
    {"  - scenario: '*'\n" SIG REST, "pocl", "", CNF_VERDICT_PASS, "", CNF_VERDICT_XPASS, SEEN, ""},
    {"  - scenario: '*'\n" SIG REST, "pocl", "", CNF_VERDICT_FAIL, "step2:a:b:c",
     CNF_VERDICT_XFAIL_MISMATCH, SEEN, ""},
    {"  - scenario: device/b*\n" SIG REST, "pocl", "", CNF_VERDICT_FAIL, SEEN, CNF_VERDICT_FAIL,
     NULL, ""},
    {"  - scenario: device/*\n" SIG REST, "pocl", "3.1", CNF_VERDICT_SKIP, "", CNF_VERDICT_SKIP,
     NULL, ""},
    {A "    signature: \"*:memory:differs:data*\"\n" REST, "pocl", "", CNF_VERDICT_FAIL,
     SEEN " " LATER_SEEN, CNF_VERDICT_XFAIL, "*:memory:differs:data*", ""},
    {A "    signature: \"*:memory:differs:data*\"\n" REST, "pocl", "", CNF_VERDICT_FAIL,
     SEEN " " OTHER_SEEN, CNF_VERDICT_XFAIL_MISMATCH, "*:memory:differs:data*", ""},
    {A "    signature: \"step1:memory:*\"\n" REST, "pocl", "", CNF_VERDICT_FAIL, SEEN,
     CNF_VERDICT_XFAIL, "step1:memory:*", ""},
    {A "    signature: \"*\"\n" REST, "pocl", "", CNF_VERDICT_FAIL, SEEN " " OTHER_SEEN,
     CNF_VERDICT_XFAIL, "*", ""},
    /* Versions of a driver. */
    {A SIG "    driver: PoCL\n    versions: 3.1..6.0\n" REST, "pocl", "LLVM 14, PoCL 3.1, x 9",
     CNF_VERDICT_FAIL, SEEN, CNF_VERDICT_XFAIL, SEEN, ""},
    {A SIG "    driver: PoCL\n    versions: 3.1..6.0\n" REST, "pocl", "PoCL 6.0.1",
     CNF_VERDICT_FAIL, SEEN, CNF_VERDICT_XFAIL, SEEN, ""},
    {A SIG "    driver: PoCL\n    versions: 3.1..6.0\n" REST, "pocl", "PoCL 6.1", CNF_VERDICT_FAIL,
     SEEN, CNF_VERDICT_FAIL, NULL,
     "not applied: /expectations/pocl.yaml:4: device/a.yaml on pocl: the driver is 'PoCL 6.1', and "
     "the entry is about 'PoCL' in versions 3.1..6.0\n"},
    {A SIG "    versions: 3.10..\n" REST, "pocl", "PoCL 3.9", CNF_VERDICT_FAIL, SEEN,
     CNF_VERDICT_FAIL, NULL,
     "not applied: /expectations/pocl.yaml:4: device/a.yaml on pocl: the driver is 'PoCL 3.9', and "
     "the entry is about versions 3.10..\n"},
    {A SIG "    versions: ..3\n" REST, "pocl", "PoCL 3.9", CNF_VERDICT_FAIL, SEEN,
     CNF_VERDICT_XFAIL, SEEN, ""},
    /* A flaky entry excuses the failure, and a pass is one. */
    {A SIG REST "    flaky: true\n    bound: 25\n", "pocl", "", CNF_VERDICT_FAIL, SEEN,
     CNF_VERDICT_XFAIL, SEEN " in at most 25 % of attempts", ""},
    {A SIG REST "    flaky: true\n    bound: 25\n", "pocl", "", CNF_VERDICT_FLAKE, SEEN,
     CNF_VERDICT_XFAIL, SEEN " in at most 25 % of attempts", ""},
    {A SIG REST, "pocl", "", CNF_VERDICT_FLAKE, SEEN, CNF_VERDICT_FLAKE, NULL, ""},
    {A SIG REST "    flaky: true\n    bound: 25\n", "pocl", "", CNF_VERDICT_PASS, "",
     CNF_VERDICT_PASS, NULL, ""},
    {A SIG REST "    flaky: true\n    bound: 25\n", "pocl", "", CNF_VERDICT_FAIL, "step2:a:b:c",
     CNF_VERDICT_XFAIL_MISMATCH, SEEN " in at most 25 % of attempts", ""},
    /* It is left out of the comparison: the other entry's failure alone is exact. */
    {A SIG REST "    flaky: true\n    bound: 25\n" A OTHER_SIG REST, "pocl", "", CNF_VERDICT_FAIL,
     OTHER_SEEN, CNF_VERDICT_XFAIL, SEEN " in at most 25 % of attempts, " OTHER_SEEN, ""},
    {A SIG REST "    flaky: true\n    bound: 25\n" A OTHER_SIG REST, "pocl", "", CNF_VERDICT_PASS,
     "", CNF_VERDICT_XPASS, SEEN " in at most 25 % of attempts, " OTHER_SEEN, ""},
};

static void assert_row(fixture *f, size_t index)
{
    const judge_row *row = &judge_rows[index];
    char text[1024];
    snprintf(text, sizeof text, HEAD "%s", row->entries);
    file_write(f->root, "expectations/pocl.yaml", text);
    expectations_read(f, false);
    if (!f->is_valid) fail_msg("row %zu: %s", index, rt_buffer_string(&f->problems));
    rt_arena arena = {0};
    cnf_judgement judgement = judgement_of(&arena, row->verdict, row->signature);
    cnf_known known;
    cnf_expectations_apply(&f->read, RT_TEXT("device/a.yaml"), rt_text_of(row->subject),
                           rt_text_of(row->driver), &judgement, &known);
    if (judgement.verdict != row->with)
        fail_msg("row %zu: %s", index, cnf_verdict_word(judgement.verdict));
    assert_string_equal(judgement.signature.data, row->signature);
    const char *poisoned = LATER_SEEN " follows from a known failure that poisons what it reads: ";
    bool is_poisoned = strstr(row->entries, "poisons: [other, data]") != NULL;
    assert_int_equal(is_poisoned, judgement.message.length > 0 &&
                                      strstr(judgement.message.data, poisoned) != NULL);
    rt_text message = judgement.message;
    cnf_judgement again = judgement;
    again.verdict = row->verdict; /* as read from a record */
    cnf_expectations_apply(&f->read, RT_TEXT("device/a.yaml"), rt_text_of(row->subject),
                           rt_text_of(row->driver), &again, &known);
    assert_true(rt_text_equal(again.message, message));
    assert_true(!row->failure == (known.entry.length == 0));
    if (row->failure) {
        assert_string_equal(known.failure.data, row->failure);
        assert_int_equal(known.seen, row->verdict);
        assert_true(rt_text_is(known.class, "crash-or-hang"));
        assert_true(rt_text_starts(known.reason, "It hangs."));
    }
    rt_arena_reset(&arena);
    rt_buffer written = {0};
    cnf_expectations_unused_write(&written, &f->read);
    cnf_expectations_others_write(&written, &f->read, true);
    char expected[512] = "";
    const char *colon = strstr(row->written, "/expectations");
    if (colon) {
        snprintf(expected, sizeof expected, "%.*s%s%s", (int)(colon - row->written), row->written,
                 f->root, colon);
    }
    assert_string_equal(rt_buffer_string(&written), expected);
    assert_int_equal(cnf_expectations_unused(&f->read) == 0,
                     !rt_text_starts(rt_buffer_text(&written), "unused"));
    rt_buffer_free(&written);
}

static void entries_decide_verdicts(void **state)
{
    for (size_t i = 0; i < sizeof judge_rows / sizeof *judge_rows; i++)
        assert_row(*state, i);
}

/* What nearly has the name of something that fails is probably mistyped. Not so what names another
 * failure already, and what differs in more than two characters. */
static void mistyped_entries_get_a_hint(void **state)
{
    static const struct {
        const char *entry, *seen;
        const char *hint; /* NULL: none */
    } rows[] = {
        {"    signature: \"step1:memroy:differs:data/element-3\"\n", SEEN,
         "expects 'step1:memroy:differs:data/element-3'; did you mean '" SEEN "'?"},
        {"    signature: \"step1:memory:equals:data/element-3\"\n", SEEN, NULL},
        {SIG "    poisons: [dat]\n", SEEN " " LATER_SEEN, "poisons 'dat'; did you mean 'data'?"},
        {SIG "    poisons: [other]\n", SEEN " " LATER_SEEN, NULL},
        {SIG "    poisons: [dat]\n", SEEN, NULL}, /* covers what fails */
        {SIG, SEEN " step1:memory:differs:data/element-4", NULL},
        {SIG "    verdict: TIMEOUT\n", SEEN, NULL}, /* the same text */
    };
    fixture *f = *state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[512];
        snprintf(text, sizeof text, HEAD A "%s" REST, rows[i].entry);
        file_write(f->root, "expectations/pocl.yaml", text);
        expectations_read(f, true);
        rt_arena arena = {0};
        cnf_judgement judgement = judgement_of(&arena, CNF_VERDICT_FAIL, rows[i].seen);
        cnf_known known;
        cnf_expectations_apply(&f->read, RT_TEXT("device/a.yaml"), RT_TEXT("pocl"), RT_TEXT("3.1"),
                               &judgement, &known);
        snprintf(text, sizeof text, "%s/expectations/pocl.yaml:4 %s", f->root,
                 rows[i].hint ? rows[i].hint : "");
        const char *message = judgement.message.length > 0 ? judgement.message.data : "";
        if (rows[i].hint ? !strstr(message, text) : strstr(message, "did you mean") != NULL)
            fail_msg("row %zu: %s", i, message);
        rt_arena_reset(&arena);
    }
}

/* 8 of 10 failures: Wilson's interval begins at 0.49, so a bound of 49 % is exceeded and one of 50
 * % is not; 10 of 10 exceed 72 % and not 73 %. */
static void a_flaky_entry_has_a_bound(void **state)
{
    static const struct {
        uint32_t failed, bound;
        cnf_verdict with;
    } rows[] = {
        {8, 49, CNF_VERDICT_XFAIL_MISMATCH},  {8, 50, CNF_VERDICT_XFAIL},
        {10, 72, CNF_VERDICT_XFAIL_MISMATCH}, {10, 73, CNF_VERDICT_XFAIL},
        {1, 1, CNF_VERDICT_XFAIL_MISMATCH},   {1, 2, CNF_VERDICT_XFAIL},
    };
    fixture *f = *state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[512];
        snprintf(text, sizeof text, HEAD A SIG REST "    flaky: true\n    bound: %u\n",
                 rows[i].bound);
        file_write(f->root, "expectations/pocl.yaml", text);
        expectations_read(f, false);
        assert_true(f->is_valid);
        cnf_attempt attempts[10];
        for (uint32_t k = 0; k < 10; k++)
            attempts[k].verdict = k < rows[i].failed ? CNF_VERDICT_FAIL : CNF_VERDICT_PASS;
        cnf_judgement judgement = judgement_of(NULL, CNF_VERDICT_FAIL, SEEN);
        judgement.attempts = attempts;
        judgement.attempt_count = 10;
        cnf_known known;
        cnf_expectations_apply(&f->read, RT_TEXT("device/a.yaml"), RT_TEXT("pocl"),
                               RT_TEXT("PoCL 3.1"), &judgement, &known);
        if (judgement.verdict != rows[i].with)
            fail_msg("row %zu: %s", i, cnf_verdict_word(judgement.verdict));
    }
}

/* Runs that say nothing about entries: without scenarios, with scenarios of another root, and with
 * a pack that lacks the subject's format. */
static void a_selection_makes_no_entry_unused(void **state)
{
    static const rt_text subjects[] = {{"pocl", 4}};
    fixture *f = *state;
    file_write(f->root, "more/pocl.yaml", HEAD "  - scenario: elsewhere/x.yaml\n" SIG REST);
    const cnf_files none = {0};
    expectations_read(f, true);
    assert_true(f->is_valid);
    assert_int_equal(cnf_expectations_unused(&f->read), 0);
    cnf_expectations_free(&f->read);
    char name[96];
    snprintf(name, sizeof name, "%s/more", f->root);
    rt_text folder = rt_text_of(name);
    assert_true(cnf_expectations_read(&f->read, &none, &folder, 1, subjects, 1, RT_TEXT("sim"),
                                      &f->problems));
    assert_int_equal(cnf_expectations_unused(&f->read), 0);
    file_write(f->root, "more/pocl.yaml", HEAD A SIG REST);
    expectations_read(f, true);
    assert_true(f->is_valid);
    cnf_judgement skip = judgement_of(NULL, CNF_VERDICT_SKIP, "");
    skip.capability = RT_TEXT(CNF_PACKED_CAPABILITY);
    cnf_known known;
    cnf_expectations_apply(&f->read, RT_TEXT("device/a.yaml"), RT_TEXT("pocl"), RT_TEXT("PoCL"),
                           &skip, &known);
    assert_int_equal(cnf_expectations_unused(&f->read), 0);
}

/* Where memories were not compared with sim's, nothing is known of an entry about a difference. */
static void a_run_without_comparison_leaves_differences_open(void **state)
{
    static const char differs[] = "differential:memory:differs:out/element-0";
    static const struct {
        uint32_t compared;
        cnf_verdict seen;
        const char *signature;
        cnf_verdict with_both, with_difference; /* entries: a failing check and a difference */
    } rows[] = {
        {2, CNF_VERDICT_FAIL, SEEN, CNF_VERDICT_XFAIL_MISMATCH, CNF_VERDICT_XFAIL_MISMATCH},
        {0, CNF_VERDICT_FAIL, SEEN, CNF_VERDICT_XFAIL, CNF_VERDICT_FAIL},
        {2, CNF_VERDICT_PASS, "", CNF_VERDICT_XPASS, CNF_VERDICT_XPASS},
        {0, CNF_VERDICT_PASS, "", CNF_VERDICT_XPASS, CNF_VERDICT_PASS},
        {2, CNF_VERDICT_FAIL, differs, CNF_VERDICT_XFAIL_MISMATCH, CNF_VERDICT_XFAIL},
    };
    static const char difference[] =
        A "    signature: \"differential:memory:differs:out/element-0\"\n" REST;
    fixture *f = *state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (uint32_t both = 0; both < 2; both++) {
            char text[1024];
            snprintf(text, sizeof text, HEAD "%s%s", both ? A SIG REST : "", difference);
            file_write(f->root, "expectations/pocl.yaml", text);
            expectations_read(f, true);
            assert_true(f->is_valid);
            cnf_judgement judgement = judgement_of(NULL, rows[i].seen, rows[i].signature);
            judgement.compared = rows[i].compared;
            cnf_known known;
            cnf_expectations_apply(&f->read, RT_TEXT("device/a.yaml"), RT_TEXT("pocl"),
                                   RT_TEXT("PoCL 3.1"), &judgement, &known);
            cnf_verdict with = both ? rows[i].with_both : rows[i].with_difference;
            if (judgement.verdict != with)
                fail_msg("row %zu, %u: %s", i, both, cnf_verdict_word(judgement.verdict));
            assert_int_equal(cnf_expectations_unused(&f->read), 0);
            cnf_expectations_free(&f->read);
        }
    }
    expectations_read(f, true);
}

static void assert_others(fixture *f, bool is_each, const char *expected)
{
    rt_buffer written = {0};
    cnf_expectations_others_write(&written, &f->read, is_each);
    char *text = strdup(rt_buffer_string(&written)), *root;
    while ((root = strstr(text, f->root)) != NULL)
        memmove(root, root + strlen(f->root), strlen(root + strlen(f->root)) + 1);
    assert_string_equal(text, expected);
    free(text);
    rt_buffer_free(&written);
    assert_int_equal(cnf_expectations_unused(&f->read), 0);
}

/* Entries about other drivers, or about no scenario, are counted for each file; those with a path
 * that begins in another folder are named. */
static void entries_that_were_not_applied_are_written(void **state)
{
    fixture *f = *state;
    file_write(f->root, "expectations/pocl.yaml",
               HEAD A SIG "    driver: 4.0\n" REST A SIG "    driver: 5.0\n" REST);
    file_write(f->root, "more/pocl.yaml",
               HEAD "  - scenario: mine/device/a.yaml\n" SIG REST
                    "  - scenario: mine/device/aa.yaml\n" SIG REST "  - scenario: a.yaml\n" SIG REST
                    "  - scenario: e/a.yaml\n" SIG REST);
    expectations_read(f, true);
    assert_true(f->is_valid);
    cnf_judgement judgement = judgement_of(NULL, CNF_VERDICT_FAIL, SEEN);
    cnf_known known;
    cnf_expectations_apply(&f->read, RT_TEXT("device/a.yaml"), RT_TEXT("pocl"), RT_TEXT("PoCL 3.1"),
                           &judgement, &known);
    static const char each[] =
        "not applied: /expectations/pocl.yaml:4: device/a.yaml on pocl: the driver is 'PoCL 3.1', "
        "and the entry is about '4.0'\n"
        "not applied: /expectations/pocl.yaml:9: device/a.yaml on pocl: the driver is 'PoCL 3.1', "
        "and the entry is about '5.0'\n";
    static const char grouped[] =
        "not applied: 2 entries of /expectations/pocl.yaml, about other drivers than 'PoCL 3.1'\n";
    static const char longer[] =
        "not applied: /more/pocl.yaml:4: mine/device/a.yaml on pocl: this run calls it "
        "'device/a.yaml'; run the folder in which the entry's path begins, or change the entry\n";
    static const char shorter[] =
        "not applied: /more/pocl.yaml:12: a.yaml on pocl: this run calls it 'device/a.yaml'; run the "
        "folder in which the entry's path begins, or change the entry\n";
    char expected[2048];
    snprintf(expected, sizeof expected,
             "%s%snot applied: /more/pocl.yaml:8: mine/device/aa.yaml on pocl: there is no such "
             "scenario\n%snot applied: /more/pocl.yaml:16: e/a.yaml on pocl: there is no such "
             "scenario\n",
             each, longer, shorter);
    assert_others(f, true, expected);
    snprintf(expected, sizeof expected,
             "%s%snot applied: 2 entries of /more/pocl.yaml, about scenarios that do not exist "
             "here\n%s",
             grouped, longer, shorter);
    assert_others(f, false, expected);
}

/* What fails in some attempts gets a flaky entry: 7 of 20 is a rate of at most 57 % (Wilson's
 * interval ends at 0.567), 1 of 2 of at most 91 % (0.905). What differs between runs of a
 * deterministic subject gets none. */
static void an_entry_follows_the_attempts(void **state)
{
    static const struct {
        uint32_t failed, total;
        const char *signature, *lines;
        uint32_t count;
    } rows[] = {
        {0, 0, SEEN, "", 1},
        {3, 3, SEEN, "", 1},
        {7, 20, SEEN, "  flaky: true\n  bound: 57\n", 1},
        {1, 2, SEEN, "  flaky: true\n  bound: 91\n", 1},
        {1, 2, "repeat:differs:-:-", NULL, 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rt_arena arena = {0};
        cnf_attempt attempts[20];
        for (uint32_t k = 0; k < rows[i].total; k++)
            attempts[k].verdict = k < rows[i].failed ? CNF_VERDICT_FAIL : CNF_VERDICT_PASS;
        cnf_record record = {.scenario = RT_TEXT("device/a.yaml"),
                             .subject = RT_TEXT("pocl"),
                             .judgement =
                                 judgement_of(&arena, CNF_VERDICT_FAIL, rows[i].signature)};
        record.judgement.attempts = attempts;
        record.judgement.attempt_count = rows[i].total;
        rt_buffer written = {0};
        assert_int_equal(cnf_baseline_write(&written, 0, &record, (rt_text){0}), rows[i].count);
        char expected[256] = "";
        if (rows[i].count > 0)
            snprintf(expected, sizeof expected,
                     "- scenario: device/a.yaml\n  signature: \"%s\"\n%s  class: untriaged\n",
                     rows[i].signature, rows[i].lines);
        assert_string_equal(rt_buffer_string(&written), expected);
        rt_buffer_free(&written);
        rt_arena_reset(&arena);
    }
}

static void patterns_have_stars(void **state)
{
    (void)state;
    static const struct {
        const char *pattern, *text;
        bool matches;
    } rows[] = {
        {"a", "a", true},          {"a", "ab", false},        {"*", "", true},
        {"*", "a/b", true},        {"a*", "a", true},         {"*a", "ba", true},
        {"*ab*c", "xaabbc", true}, {"*ab*c", "xaabb", false}, {"a**b", "ab", true},
        {"*b", "abab", true},      {"", "a", false},          {"a[*", "a[x", true},
        {"?", "a", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (cnf_pattern_matches(rt_text_of(rows[i].pattern), rt_text_of(rows[i].text)) !=
            rows[i].matches)
            fail_msg("%s %s", rows[i].pattern, rows[i].text);
}

/* An entry of the subject with options takes precedence over that of the bare subject, which still
 * applies to the bare subject. */
static void entries_with_options_come_first(void **state)
{
    static const struct {
        const char *subject, *signature;
        cnf_verdict with;
    } rows[] = {
        {"pocl{A=1}", "step2:a:b:c", CNF_VERDICT_XFAIL},
        {"pocl{A=1}", SEEN, CNF_VERDICT_XFAIL_MISMATCH},
        {"pocl{A=2}", SEEN, CNF_VERDICT_XFAIL},
        {"pocl", SEEN, CNF_VERDICT_XFAIL},
    };
    fixture *f = *state;
    file_write(f->root, "expectations/pocl.yaml", HEAD A SIG REST);
    file_write(f->root, "more/pocl.yaml",
               "assay_expectations: 1\nsubject: pocl{A=1}\nentries:\n" A
               "    signature: \"step2:a:b:c\"\n" REST);
    expectations_read(f, true);
    assert_true(f->is_valid);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cnf_judgement judgement = judgement_of(NULL, CNF_VERDICT_FAIL, rows[i].signature);
        cnf_known known;
        cnf_expectations_apply(&f->read, RT_TEXT("device/a.yaml"), rt_text_of(rows[i].subject),
                               RT_TEXT("PoCL 3.1"), &judgement, &known);
        if (judgement.verdict != rows[i].with)
            fail_msg("row %zu: %s", i, cnf_verdict_word(judgement.verdict));
    }
}

/* Whether there is an entry, for any driver, is known before a scenario runs. */
static void entries_are_found_before_a_run(void **state)
{
    static const struct {
        const char *scenario, *subject;
        bool has;
    } rows[] = {
        {"device/a.yaml", "pocl", true},       {"device/a.yaml", "pocl{A=1}", true},
        {"device/b.yaml", "pocl", false},      {"device/a.yaml", "sim", false},
        {"device/b.yaml", "pocl{A=2}", false}, {"device/b.yaml", "pocl{A=1}", true},
    };
    fixture *f = *state;
    file_write(f->root, "expectations/pocl.yaml", HEAD A SIG "    driver: Other\n" REST);
    file_write(f->root, "more/pocl.yaml",
               "assay_expectations: 1\nsubject: pocl{A=1}\nentries:\n"
               "  - scenario: device/*\n" SIG REST);
    expectations_read(f, true);
    assert_true(f->is_valid);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (cnf_expectations_has(&f->read, rt_text_of(rows[i].scenario),
                                 rt_text_of(rows[i].subject)) != rows[i].has)
            fail_msg("row %zu", i);
}

static void every_key_is_kept(void **state)
{
    fixture *f = *state;
    file_write(f->root, "expectations/pocl.yaml",
               HEAD A SIG "    driver: \"3.1\"\n    class: crash-or-hang\n    reason: >-\n"
                          "      Two\n      lines.\n    reference: DL-RESOLVE-09, OpenCL 3.0\n");
    expectations_read(f, false);
    if (!f->is_valid) fail_msg("%s", rt_buffer_string(&f->problems));
    const cnf_expectation *entry = &f->read.entries.items[0];
    assert_true(rt_text_is(entry->reason, "Two lines."));
    assert_true(rt_text_is(entry->reference, "DL-RESOLVE-09, OpenCL 3.0"));
    assert_true(rt_text_is(entry->driver, "3.1"));
    assert_int_equal(entry->class, CNF_CLASS_CRASH_OR_HANG);
    assert_int_equal(entry->verdict, CNF_VERDICT_COUNT);
    assert_string_equal(cnf_class_text(RT_TEXT("permitted-divergence")),
                        "permitted divergence, left open by the documents");
    assert_string_equal(cnf_class_text(RT_TEXT("bug")), "");
}

/* Entries take class, reason and reference from the record; if two entries name the same record,
 * these appear only once. */
static void records_supply_class_and_reason(void **state)
{
    fixture *f = *state;
    file_write(f->root, "expectations/pocl.yaml",
               HEAD A SIG "    finding: pocl/wrong\n" A OTHER_SIG "    finding: pocl/wrong\n" A
                          "    signature: \"" EARLIER_SEEN
                          "\"\n    finding: pocl/wrong\n    reason: Because.\n");
    expectations_read(f, false);
    if (!f->is_valid) fail_msg("%s", rt_buffer_string(&f->problems));
    const cnf_expectation *entry = &f->read.entries.items[2];
    assert_true(rt_text_is(entry->reason, "It hangs. Because."));
    assert_true(rt_text_is(entry->finding, "pocl/wrong"));
    rt_arena arena = {0};
    cnf_judgement judgement =
        judgement_of(&arena, CNF_VERDICT_FAIL, EARLIER_SEEN " " SEEN " " OTHER_SEEN);
    cnf_known known;
    cnf_expectations_apply(&f->read, RT_TEXT("device/a.yaml"), RT_TEXT("pocl"), RT_TEXT("3.1"),
                           &judgement, &known);
    assert_int_equal(judgement.verdict, CNF_VERDICT_XFAIL);
    assert_string_equal(known.class.data, "violates-a-must");
    assert_string_equal(known.reason.data, "It hangs.\nIt hangs. Because.");
    assert_string_equal(known.reference.data, "DL-RESOLVE-09, OpenCL 3.0");
    assert_string_equal(known.finding.data, "pocl/wrong");
    assert_string_equal(known.failure.data, SEEN ", " OTHER_SEEN ", " EARLIER_SEEN);
    rt_arena_reset(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(wrong_files_are_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(folders_must_be_there_when_they_are_named, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(the_same_entry_in_two_folders_is_refused, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(damaged_files_are_read_or_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(entries_decide_verdicts, set_up, tear_down),
        cmocka_unit_test_setup_teardown(mistyped_entries_get_a_hint, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_flaky_entry_has_a_bound, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_selection_makes_no_entry_unused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(entries_that_were_not_applied_are_written, set_up,
                                        tear_down),
        cmocka_unit_test(an_entry_follows_the_attempts),
        cmocka_unit_test(patterns_have_stars),
        cmocka_unit_test_setup_teardown(entries_with_options_come_first, set_up, tear_down),
        cmocka_unit_test_setup_teardown(entries_are_found_before_a_run, set_up, tear_down),
        cmocka_unit_test_setup_teardown(every_key_is_kept, set_up, tear_down),
        cmocka_unit_test_setup_teardown(wrong_records_are_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(records_of_all_folders_can_be_named, set_up, tear_down),
        cmocka_unit_test_setup_teardown(records_supply_class_and_reason, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_run_without_comparison_leaves_differences_open, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
