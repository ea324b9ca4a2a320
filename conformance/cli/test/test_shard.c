/* Tests sharding: every file is in exactly one shard, and CI systems' variables are understood. */
#include "conformance/cli/shard.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void a_shard_is_read_or_refused(void **state)
{
    (void)state;
    static const struct read_row {
        const char *text;
        bool read;
        uint32_t index, count;
    } rows[] = {
        {"1/1", true, 0, 1},   {"2/3", true, 1, 3},   {"3/3", true, 2, 3}, {"0/3", false, 0, 1},
        {"4/3", false, 0, 1},  {"1", false, 0, 1},    {"/", false, 0, 1},  {"1/", false, 0, 1},
        {"-1/3", false, 0, 1}, {"1/3/", false, 0, 1}, {"", false, 0, 1},   {"1/0", false, 0, 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cnf_shard shard;
        assert_int_equal(cnf_shard_read(rows[i].text, &shard), rows[i].read);
        assert_int_equal(shard.index, rows[i].index);
        assert_int_equal(shard.count, rows[i].count);
    }
}

/* ---- CI systems ---------------------------------------------------------------------------- */

static const char *const variables[] = {
    "TEST_SHARD_INDEX",    "TEST_TOTAL_SHARDS",   "TEST_SHARD_STATUS_FILE",
    "CIRCLE_NODE_INDEX",   "CIRCLE_NODE_TOTAL",   "BUILDKITE_PARALLEL_JOB",
    "CI_NODE_INDEX",       "CI_NODE_TOTAL",       "BUILDKITE_PARALLEL_JOB_COUNT",
    "SEMAPHORE_JOB_INDEX", "SEMAPHORE_JOB_COUNT",
};

static int variables_clear(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        unsetenv(variables[i]);
    return 0;
}

static void the_shard_is_read_from_the_environment(void **state)
{
    static const struct variables_row {
        const char *index_name, *index, *count_name, *count;
        uint32_t shard_index, shard_count;
        const char *error; /* NULL: none */
    } rows[] = {
        {NULL, NULL, NULL, NULL, 0, 1, NULL},
        {"CI_NODE_INDEX", "1", "CI_NODE_TOTAL", "4", 0, 4, NULL},
        {"CI_NODE_INDEX", "4", "CI_NODE_TOTAL", "4", 3, 4, NULL},
        {NULL, NULL, "CI_NODE_TOTAL", "1", 0, 1, NULL}, /* GitLab without `parallel:` */
        {"CIRCLE_NODE_INDEX", "0", "CIRCLE_NODE_TOTAL", "2", 0, 2, NULL},
        {"CIRCLE_NODE_INDEX", "1", "CIRCLE_NODE_TOTAL", "2", 1, 2, NULL},
        {"BUILDKITE_PARALLEL_JOB", "2", "BUILDKITE_PARALLEL_JOB_COUNT", "3", 2, 3, NULL},
        {"SEMAPHORE_JOB_INDEX", "3", "SEMAPHORE_JOB_COUNT", "3", 2, 3, NULL},
        {"TEST_SHARD_INDEX", "0", "TEST_TOTAL_SHARDS", "5", 0, 5, NULL},
        {"CI_NODE_INDEX", "0", "CI_NODE_TOTAL", "4", 0, 1, "CI_NODE_INDEX=0 and CI_NODE_TOTAL=4"},
        {"CIRCLE_NODE_INDEX", "2", "CIRCLE_NODE_TOTAL", "2", 0, 1, "CIRCLE_NODE_INDEX=2"},
        {"TEST_SHARD_INDEX", "x", "TEST_TOTAL_SHARDS", "5", 0, 1, "TEST_SHARD_INDEX=x"},
        {"CIRCLE_NODE_INDEX", "1", NULL, NULL, 0, 1,
         "CIRCLE_NODE_INDEX is set, but CIRCLE_NODE_TOTAL is not; set both or neither, or write I/N"},
        {NULL, NULL, "CI_NODE_TOTAL", "3", 0, 1,
         "CI_NODE_TOTAL is set, but CI_NODE_INDEX is not; set both or neither, or write I/N"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        variables_clear(state);
        if (rows[i].index_name) setenv(rows[i].index_name, rows[i].index, 1);
        if (rows[i].count_name) setenv(rows[i].count_name, rows[i].count, 1);
        cnf_shard shard;
        rt_buffer error = {0};
        bool read = cnf_shard_from_environment(&shard, &error);
        assert_int_equal(read, rows[i].error == NULL);
        if (!read) assert_non_null(strstr(rt_buffer_string(&error), rows[i].error));
        if (read) assert_int_equal(shard.index, rows[i].shard_index);
        if (read) assert_int_equal(shard.count, rows[i].shard_count);
        rt_buffer_free(&error);
    }
}

static void the_status_file_is_touched(void **state)
{
    (void)state;
    char name[] = "/tmp/assay-shard-XXXXXX";
    int file = mkstemp(name);
    assert_true(file >= 0);
    close(file);
    unlink(name);
    setenv("TEST_SHARD_INDEX", "0", 1);
    setenv("TEST_TOTAL_SHARDS", "2", 1);
    setenv("TEST_SHARD_STATUS_FILE", name, 1);
    cnf_shard shard;
    rt_buffer error = {0};
    assert_true(cnf_shard_from_environment(&shard, &error));
    assert_int_equal(access(name, F_OK), 0);
    unlink(name);
    setenv("TEST_SHARD_STATUS_FILE", "/nowhere/at/all", 1);
    assert_false(cnf_shard_from_environment(&shard, &error));
    assert_non_null(strstr(rt_buffer_string(&error), "TEST_SHARD_STATUS_FILE=/nowhere/at/all: "));
    rt_buffer_free(&error);
}

/* ---- Files --------------------------------------------------------------------------------- */

enum { FILES = 40, SHARDS = 3 };

static void every_file_is_always_in_the_same_shard(void **state)
{
    (void)state;
    char folder[] = "/tmp/assay-shard-XXXXXX";
    assert_non_null(mkdtemp(folder));
    rt_arena arena = {0};
    cnf_file files[FILES + 1];
    for (uint32_t i = 0; i < FILES; i++) {
        rt_text name = rt_arena_printf(&arena, "%s/%u", folder, i);
        FILE *file = fopen(name.data, "w");
        fprintf(file, "content %u\n", i);
        fclose(file);
        files[i] = (cnf_file){name, name};
    }
    files[FILES] = (cnf_file){RT_TEXT("/nowhere"), RT_TEXT("nowhere")};
    uint32_t total = 0;
    for (uint32_t index = 0; index < SHARDS; index++) {
        cnf_files all = {files, FILES + 1}, fewer = {files + 1, FILES};
        cnf_files part = cnf_shard_apply(&arena, all, (cnf_shard){index, SHARDS}, NULL, 0);
        cnf_files later = cnf_shard_apply(&arena, fewer, (cnf_shard){index, SHARDS}, NULL, 0);
        total += part.count;
        assert_true(part.count > 0);
        /* Without the first file, the others keep their shards. */
        bool had_first = rt_text_equal(part.items[0].file, files[0].file);
        assert_int_equal(later.count, part.count - had_first);
        for (uint32_t i = 0; i < later.count; i++)
            assert_true(rt_text_equal(later.items[i].file, part.items[i + had_first].file));
    }
    assert_int_equal(total, FILES + 1);
    for (uint32_t i = 0; i < FILES; i++)
        unlink(files[i].file.data);
    rmdir(folder);
    rt_arena_reset(&arena);
}

/* Times 1 to 9 in three shards, the longest first: 9 4 3, 8 5 2 and 7 6 1, or a shard per file. */
static void shards_take_equally_long(void **state)
{
    (void)state;
    rt_arena arena = {0};
    cnf_file files[9];
    cnf_scenario_time times[9];
    for (uint32_t i = 0; i < 9; i++) {
        rt_text name = rt_arena_printf(&arena, "%u", i + 1);
        files[i] = (cnf_file){name, name};
        times[i] = (cnf_scenario_time){name, i + 1};
    }
    static const char *const golden[] = {"3 4 9 ", "2 5 8 ", "1 6 7 "};
    const cnf_files all = {files, 9};
    for (uint32_t index = 0; index < 3; index++) {
        rt_buffer seen = {0};
        cnf_files part = cnf_shard_apply(&arena, all, (cnf_shard){index, 3}, times, 9);
        for (uint32_t i = 0; i < part.count; i++)
            rt_buffer_printf(&seen, "%.*s ", RT_TEXT_ARG(part.items[i].path));
        assert_string_equal(rt_buffer_string(&seen), golden[index]);
        rt_buffer_free(&seen);
    }
    uint32_t total = 0;
    for (uint32_t index = 0; index < 20; index++)
        total += cnf_shard_apply(&arena, all, (cnf_shard){index, 20}, times, 9).count;
    assert_int_equal(total, 9);
    rt_arena_reset(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_shard_is_read_or_refused),
        cmocka_unit_test_setup_teardown(the_shard_is_read_from_the_environment, variables_clear,
                                        variables_clear),
        cmocka_unit_test_setup_teardown(the_status_file_is_touched, variables_clear,
                                        variables_clear),
        cmocka_unit_test(every_file_is_always_in_the_same_shard),
        cmocka_unit_test(shards_take_equally_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
