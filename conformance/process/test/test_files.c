/* Tests which files the paths on the command line denote. */
#include "conformance/process/files.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

typedef struct files_fixture {
    char folder[64];
    char before[4096];
    rt_arena arena;
    rt_sink *sink;
} files_fixture;

static void write_file(const char *name, const char *text)
{
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

/* Creates a folder with every relevant kind of file; the test runs inside it. */
static int fixture_make(void **state)
{
    files_fixture *fixture = calloc(1, sizeof *fixture);
    fixture->sink = rt_sink_create();
    strcpy(fixture->folder, "/tmp/assay-files-XXXXXX");
    assert_non_null(mkdtemp(fixture->folder));
    assert_non_null(getcwd(fixture->before, sizeof fixture->before));
    assert_int_equal(chdir(fixture->folder), 0);
    const char *const folders[] = {"suite",         "suite/b", "suite/expectations",
                                   "suite/.hidden", "loose",   "empty"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        assert_int_equal(mkdir(folders[i], 0777), 0);
    const char *const files[] = {
        "suite/requirements.yaml", "suite/z.yaml",   "suite/b/a.yaml",
        "suite/.x.yaml",           "suite/note.md",  "suite/b/.yaml",
        "suite/.hidden/h.yaml",    "loose/one.yaml", "suite/expectations/pocl.yaml"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        write_file(files[i], "");
    *state = fixture;
    return 0;
}

static int fixture_remove(void **state)
{
    files_fixture *fixture = *state;
    assert_int_equal(chdir(fixture->before), 0);
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", fixture->folder);
    assert_int_equal(system(command), 0);
    rt_arena_reset(&fixture->arena);
    rt_sink_destroy(fixture->sink);
    free(fixture);
    return 0;
}

/* Finds the files that up to two paths denote and compares their record paths, joined by blanks. */
static cnf_files assert_found(files_fixture *fixture, const char *first, const char *second,
                              const char *expected)
{
    const rt_text paths[] = {rt_text_of(first), rt_text_of(second)};
    cnf_files files;
    rt_status status =
        cnf_files_find(fixture->sink, &fixture->arena, paths, second ? 2 : 1, &files);
    assert_true(rt_ok(status));
    rt_buffer joined = {0};
    for (uint32_t i = 0; i < files.count; i++) {
        if (i > 0) rt_buffer_append_byte(&joined, ' ');
        rt_buffer_append_text(&joined, files.items[i].path);
    }
    assert_string_equal(rt_buffer_string(&joined), expected);
    rt_buffer_free(&joined);
    return files;
}

static void a_folder_stands_for_its_scenarios(void **state)
{
    cnf_files files = assert_found(*state, "suite", NULL, "b/a.yaml z.yaml");
    assert_string_equal(files.items[0].file.data, "suite/b/a.yaml");
}

/* Files about failures, in a folder of any name; a scenario that only mentions their key stays. */
static void files_about_failures_are_not_scenarios(void **state)
{
    write_file("loose/known.yaml", "# Ours.\n\n---\nassay_expectations: 1\nsubject: sim\n");
    write_file("loose/findings.yaml", "assay_findings: 1\n");
    write_file("loose/two.yaml", "assay: 1\nassay_expectations: 1\n");
    write_file("loose/three.yaml", "  assay_findings: 1\n");
    assert_found(*state, "loose", NULL, "one.yaml three.yaml two.yaml");
    assert_found(*state, "loose/known.yaml", NULL, "known.yaml");
}

static void paths_begin_at_the_root(void **state)
{
    files_fixture *fixture = *state;
    assert_found(fixture, "suite/b", NULL, "b/a.yaml");
    assert_found(fixture, "suite/b/a.yaml", NULL, "b/a.yaml");
    assert_found(fixture, "loose", NULL, "one.yaml");
    assert_found(fixture, "loose/one.yaml", NULL, "one.yaml");
    assert_found(fixture, "loose/", NULL, "one.yaml");
    rt_text root = cnf_files_root(&fixture->arena, RT_TEXT("suite/b/a.yaml"));
    rt_text below = cnf_files_root(&fixture->arena, RT_TEXT("suite"));
    assert_true(root.length > 0 && rt_text_equal(root, below));
    assert_int_equal(cnf_files_root(&fixture->arena, RT_TEXT("loose")).length, 0);
}

static void a_file_counts_once(void **state)
{
    files_fixture *fixture = *state;
    assert_int_equal(symlink("z.yaml", "suite/y.yaml"), 0);
    assert_found(fixture, "suite", "suite/../suite/z.yaml", "b/a.yaml z.yaml");
    assert_found(fixture, "empty", NULL, "");
}

static void links_out_of_the_root_are_files_too(void **state)
{
    files_fixture *fixture = *state;
    assert_int_equal(symlink("../../loose/one.yaml", "suite/b/link.yaml"), 0);
    assert_int_equal(symlink("../..", "suite/b/loop"), 0);
    assert_found(fixture, "suite/b", NULL, "b/a.yaml one.yaml");
}

static void what_is_not_there_is_an_error(void **state)
{
    files_fixture *fixture = *state;
    const rt_text path = RT_TEXT("suite/none.yaml");
    cnf_files files;
    rt_status status = cnf_files_find(fixture->sink, &fixture->arena, &path, 1, &files);
    assert_int_equal(status.code, RT_IO);
    assert_string_equal(rt_sink_diagnostic(fixture->sink, status)->message.data,
                        "suite/none.yaml: No such file or directory");
}

static void files_are_read_up_to_a_bound(void **state)
{
    files_fixture *fixture = *state;
    write_file("loose/text", "0123456789");
    rt_buffer content;
    assert_true(rt_ok(cnf_file_read(fixture->sink, RT_TEXT("loose/text"), 10, &content)));
    assert_string_equal(rt_buffer_string(&content), "0123456789");
    rt_buffer_free(&content);
    rt_status large = cnf_file_read(fixture->sink, RT_TEXT("loose/text"), 9, &content);
    assert_int_equal(large.code, RT_LIMIT);
    assert_int_equal(cnf_file_read(fixture->sink, RT_TEXT("loose"), 9, &content).code, RT_IO);
    assert_int_equal(cnf_file_read(fixture->sink, RT_TEXT("none"), 9, &content).code, RT_IO);
}

static void a_pipe_without_a_writer_is_empty(void **state)
{
    files_fixture *fixture = *state;
    rt_buffer content;
    assert_int_equal(mkfifo("loose/pipe.yaml", 0600), 0);
    alarm(20); /* Waiting for a writer would never end. */
    assert_true(rt_ok(cnf_file_read(fixture->sink, RT_TEXT("loose/pipe.yaml"), 10, &content)));
    alarm(0);
    assert_int_equal(content.size, 0);
    rt_buffer_free(&content);
}

#define FILES_TEST(test) cmocka_unit_test_setup_teardown(test, fixture_make, fixture_remove)

int main(void)
{
    const struct CMUnitTest tests[] = {
        FILES_TEST(a_folder_stands_for_its_scenarios),
        FILES_TEST(files_about_failures_are_not_scenarios),
        FILES_TEST(paths_begin_at_the_root),
        FILES_TEST(a_file_counts_once),
        FILES_TEST(links_out_of_the_root_are_files_too),
        FILES_TEST(what_is_not_there_is_an_error),
        FILES_TEST(files_are_read_up_to_a_bound),
        FILES_TEST(a_pipe_without_a_writer_is_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
