/* Tests the journal: which records of an earlier run --resume keeps, and which files it refuses. */
#include "conformance/cli/journal.h"
#include "conformance/cli/options.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { FILES = 4 };

typedef struct journal_fixture {
    char folder[64];
    rt_arena arena;
    cnf_file items[FILES]; /* a.yaml … */
    cnf_files files;
    const char *name;   /* of the journal */
    rt_text conditions; /* of the resumed run */
} journal_fixture;

static const cnf_subject the_sim = {.name = "sim"}, the_vendor = {.name = "vendor"};
static const cnf_run_subject subjects[] = {
    {&the_sim, {"sim", 3}, NULL},
    {&the_vendor, {"vendor", 6}, NULL},
};

static int fixture_make(void **state)
{
    journal_fixture *fixture = calloc(1, sizeof *fixture);
    strcpy(fixture->folder, "/tmp/assay-journal-XXXXXX");
    assert_non_null(mkdtemp(fixture->folder));
    for (uint32_t i = 0; i < FILES; i++) {
        rt_text path = rt_arena_printf(&fixture->arena, "%c.yaml", 'a' + (int)i);
        rt_text name = rt_arena_printf(&fixture->arena, "%s/%s", fixture->folder, path.data);
        FILE *file = fopen(name.data, "w");
        fprintf(file, "scenario %u\n", i);
        fclose(file);
        fixture->items[i] = (cnf_file){name, path};
    }
    fixture->files = (cnf_files){fixture->items, FILES};
    fixture->name = rt_arena_printf(&fixture->arena, "%s/journal", fixture->folder).data;
    *state = fixture;
    return 0;
}

static int fixture_remove(void **state)
{
    journal_fixture *fixture = *state;
    for (uint32_t i = 0; i < FILES; i++)
        unlink(fixture->items[i].file.data);
    unlink(fixture->name);
    assert_int_equal(rmdir(fixture->folder), 0); /* no other file is left */
    rt_arena_reset(&fixture->arena);
    free(fixture);
    return 0;
}

/* A record of a file, as a run would have written it. */
static cnf_record record_make(journal_fixture *fixture, uint32_t file, const char *subject,
                              cnf_verdict verdict)
{
    char content[32];
    snprintf(content, sizeof content, "scenario %u\n", file);
    cnf_record record = {.scenario = fixture->items[file].path,
                         .file = fixture->items[file].file,
                         .subject = rt_text_of(subject),
                         .hash = cnf_file_hash(&fixture->arena, rt_text_of(content)),
                         .judgement = {.verdict = verdict, .step = SCN_NONE}};
    if (cnf_verdict_effect(verdict) != CNF_EFFECT_EXPECTED)
        record.judgement.signature = RT_TEXT("step0:memory:differs:data");
    if (verdict == CNF_VERDICT_PASS) record.judgement.observed = record.judgement.expected = 1;
    if (verdict == CNF_VERDICT_SKIP) {
        record.judgement.capability = RT_TEXT("fp64");
        record.judgement.answer = RT_TEXT("no");
    }
    return record;
}

static void append(journal_fixture *fixture, const cnf_record *record)
{
    int file = open(fixture->name, O_WRONLY | O_APPEND | O_CREAT, 0640);
    assert_true(file >= 0);
    assert_int_equal(cnf_record_append(file, record), 0);
    close(file);
}

/* The journal's records as "a.yaml sim PASS", one per line. */
static const char *summary(journal_fixture *fixture)
{
    rt_sink *sink = rt_sink_create();
    rt_buffer content, text = {0};
    cnf_records records;
    rt_status status = cnf_file_read(sink, rt_text_of(fixture->name), 1 << 20, &content);
    assert_true(rt_ok(status));
    status = cnf_records_read(sink, &fixture->arena, rt_text_of(fixture->name),
                              rt_buffer_text(&content), &records);
    assert_true(rt_ok(status));
    assert_int_equal(records.size, content.size); /* no truncated line is left */
    for (uint32_t i = 0; i < records.count; i++)
        rt_buffer_printf(&text, "%.*s %.*s %s\n", RT_TEXT_ARG(records.items[i].scenario),
                         RT_TEXT_ARG(records.items[i].subject),
                         cnf_verdict_word(records.items[i].judgement.verdict));
    const char *copy = rt_arena_text(&fixture->arena, rt_buffer_text(&text)).data;
    rt_buffer_free(&text);
    rt_buffer_free(&content);
    rt_sink_destroy(sink);
    return copy;
}

static int resume(journal_fixture *fixture, cnf_journal *journal)
{
    return cnf_journal_resume(journal, fixture->name, &fixture->files, subjects, 2,
                              fixture->conditions);
}

static void final_verdicts_are_kept(void **state)
{
    journal_fixture *fixture = *state;
    static const struct kept_row {
        uint32_t file;
        const char *subject;
        cnf_verdict verdict;
    } rows[] = {
        {1, "vendor", CNF_VERDICT_FAIL}, {0, "sim", CNF_VERDICT_PASS},
        {1, "sim", CNF_VERDICT_NOT_RUN}, {2, "vendor", CNF_VERDICT_POISONED},
        {0, "vendor", CNF_VERDICT_SKIP}, {2, "sim", CNF_VERDICT_UNAVAILABLE},
        {0, "other", CNF_VERDICT_CRASH}, {3, "-", CNF_VERDICT_INVALID},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cnf_record record = record_make(fixture, rows[i].file, rows[i].subject, rows[i].verdict);
        append(fixture, &record);
    }
    cnf_record changed = record_make(fixture, 2, "sim", CNF_VERDICT_PASS);
    changed.hash = RT_TEXT("00000000000000000000000000000000");
    append(fixture, &changed);
    cnf_record elsewhere = record_make(fixture, 0, "sim", CNF_VERDICT_PASS);
    elsewhere.scenario = RT_TEXT("z.yaml");
    append(fixture, &elsewhere);
    FILE *file = fopen(fixture->name, "a");
    fputs("{\"scenario\":\"a.yam", file); /* the run was killed while writing */
    fclose(file);

    cnf_journal journal;
    assert_int_equal(resume(fixture, &journal), CNF_EXIT_EXPECTED);
    assert_int_equal(journal.record_count, 4);
    assert_string_equal(summary(fixture), "a.yaml other CRASH\n"
                                          "z.yaml sim PASS\n"
                                          "a.yaml sim PASS\n"
                                          "a.yaml vendor SKIP\n"
                                          "b.yaml vendor FAIL\n"
                                          "d.yaml - INVALID\n");
    rt_text hash = record_make(fixture, 0, "sim", CNF_VERDICT_PASS).hash;
    assert_true(cnf_journal_has(&journal, RT_TEXT("a.yaml"), hash, RT_TEXT("sim")));
    assert_false(cnf_journal_has(&journal, RT_TEXT("b.yaml"), hash, RT_TEXT("sim")));
    assert_false(cnf_journal_has(&journal, RT_TEXT("a.yaml"), RT_TEXT("0"), RT_TEXT("sim")));
    assert_false(cnf_journal_has(&journal, RT_TEXT("a.yaml"), hash, RT_TEXT("other")));
    cnf_record record = record_make(fixture, 1, "sim", CNF_VERDICT_PASS);
    assert_true(cnf_journal_append(&journal, &record));
    assert_true(cnf_journal_close(&journal));
    assert_non_null(strstr(summary(fixture), "d.yaml - INVALID\nb.yaml sim PASS\n"));
    struct stat info;
    assert_int_equal(stat(fixture->name, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0640);
}

static void records_of_other_conditions_are_dropped(void **state)
{
    journal_fixture *fixture = *state;
    cnf_record plain = record_make(fixture, 0, "sim", CNF_VERDICT_PASS);
    cnf_record explored = record_make(fixture, 1, "sim", CNF_VERDICT_PASS);
    explored.conditions = RT_TEXT("--explore --explore-max 64");
    append(fixture, &plain);
    append(fixture, &explored);
    cnf_journal journal;
    fixture->conditions = explored.conditions;
    assert_int_equal(resume(fixture, &journal), CNF_EXIT_EXPECTED);
    assert_int_equal(journal.record_count, 1);
    assert_string_equal(summary(fixture), "b.yaml sim PASS\n");
    assert_true(cnf_journal_close(&journal));
    fixture->conditions = RT_TEXT("--seed 5");
    assert_int_equal(resume(fixture, &journal), CNF_EXIT_EXPECTED);
    assert_int_equal(journal.record_count, 0);
    assert_true(cnf_journal_close(&journal));
}

static void a_missing_journal_is_created(void **state)
{
    journal_fixture *fixture = *state;
    cnf_journal journal;
    assert_int_equal(resume(fixture, &journal), CNF_EXIT_EXPECTED);
    assert_int_equal(journal.record_count, 0);
    assert_true(cnf_journal_close(&journal));
    assert_string_equal(summary(fixture), "");
}

static void a_file_that_is_not_a_journal_is_not_changed(void **state)
{
    journal_fixture *fixture = *state;
    FILE *file = fopen(fixture->name, "w");
    fputs("a diary\nof mine\n", file);
    fclose(file);
    cnf_journal journal;
    assert_int_equal(resume(fixture, &journal), CNF_EXIT_USAGE);
    cnf_journal_close(&journal);
    struct stat info;
    assert_int_equal(stat(fixture->name, &info), 0);
    assert_int_equal(info.st_size, 16);
    assert_int_equal(
        cnf_journal_resume(&journal, NULL, &fixture->files, subjects, 2, fixture->conditions),
        CNF_EXIT_USAGE);
    assert_int_equal(cnf_journal_resume(&journal, "/dev/null", &fixture->files, subjects, 2,
                                        fixture->conditions),
                     CNF_EXIT_USAGE);
    cnf_journal_close(&journal);
}

static void opening_truncates(void **state)
{
    journal_fixture *fixture = *state;
    cnf_record record = record_make(fixture, 0, "sim", CNF_VERDICT_PASS);
    append(fixture, &record);
    cnf_journal journal;
    assert_int_equal(cnf_journal_open(&journal, fixture->name), CNF_EXIT_EXPECTED);
    assert_true(cnf_journal_close(&journal));
    assert_string_equal(summary(fixture), "");
    assert_int_equal(cnf_journal_open(&journal, "/nowhere/journal"), CNF_EXIT_INFRASTRUCTURE);
    assert_int_equal(cnf_journal_open(&journal, NULL), CNF_EXIT_EXPECTED);
    assert_true(cnf_journal_append(&journal, &record));
}

/* A run that is being killed still locks its journal for a moment; a live run keeps the lock. */
static void one_run_writes_at_a_time(void **state)
{
    journal_fixture *fixture = *state;
    cnf_journal journal;
    int held = open(fixture->name, O_RDWR | O_CREAT, 0666);
    assert_int_equal(flock(held, LOCK_EX), 0);
    pid_t child = fork();
    if (child == 0) {
        usleep(300000);
        flock(held, LOCK_UN); /* the lock belongs to the open file description, which we share */
        _exit(0);
    }
    assert_int_equal(resume(fixture, &journal), CNF_EXIT_EXPECTED);
    waitpid(child, NULL, 0);
    cnf_journal second;
    assert_int_equal(cnf_journal_open(&second, fixture->name), CNF_EXIT_INFRASTRUCTURE);
    cnf_journal_close(&second);
    assert_true(cnf_journal_close(&journal));
    close(held);
}

#define JOURNAL_TEST(test) cmocka_unit_test_setup_teardown(test, fixture_make, fixture_remove)

int main(void)
{
    const struct CMUnitTest tests[] = {
        JOURNAL_TEST(final_verdicts_are_kept),
        JOURNAL_TEST(records_of_other_conditions_are_dropped),
        JOURNAL_TEST(a_missing_journal_is_created),
        JOURNAL_TEST(a_file_that_is_not_a_journal_is_not_changed),
        JOURNAL_TEST(opening_truncates),
        JOURNAL_TEST(one_run_writes_at_a_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
