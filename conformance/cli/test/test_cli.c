/* Tests the command line: valid arguments, and the refusal of invalid ones. */
#include "conformance/cli/options.h"

#include "reference/base/number.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const cnf_option test_options[] = {
    {CNF_OPTION_ON, "--on", NULL, "SUBJECT", "Where.", NULL},
    {CNF_OPTION_JOBS, "--jobs", "-j", "N", "How many.", NULL},
    {CNF_OPTION_PROVE, "--prove", NULL, NULL, "Whether.", NULL},
    {CNF_OPTION_JSON, "--json", NULL, "FILE.json", "Output.", ".json"},
    {CNF_OPTION_CL, "-cl-*", NULL, NULL, "Passed on.", NULL},
};
static const cnf_command with_paths = {"run",        "[PATH…]", "Runs.", "More.",
                                       test_options, 5,         false,   NULL};
static const cnf_command without_paths = {"list",       NULL, "Lists.", NULL,
                                          test_options, 5,    false,    NULL};

typedef struct parse_row {
    const char *words[5]; /* NULL-terminated */
    const char *on, *jobs, *prove;
    uint32_t path_count;
    const char *error; /* NULL: valid */
    const char *json;
} parse_row;

static const parse_row parse_rows[] = {
    {{NULL}, NULL, NULL, NULL, 0, NULL},
    {{"a", "--on", "sim", "b"}, "sim", NULL, NULL, 2, NULL},
    {{"--on=sim,pocl", "-j4", "--prove"}, "sim,pocl", "4", "", 0, NULL},
    {{"-j", "4", "--jobs", "5"}, NULL, "5", NULL, 0, NULL},
    {{"--", "--on", "-"}, NULL, NULL, NULL, 2, NULL},
    {{"-"}, NULL, NULL, NULL, 1, NULL},
    {{"--on="}, "", NULL, NULL, 0, NULL},
    {{"--json"}, NULL, NULL, NULL, 0, NULL, "-"},
    {{"--json", "folder"}, NULL, NULL, NULL, 1, NULL, "-"},
    {{"--json", "a.json", "folder"}, NULL, NULL, NULL, 1, NULL, "a.json"},
    {{"--json=a", "folder"}, NULL, NULL, NULL, 1, NULL, "a"},
    {{"--job", "3"}, NULL, NULL, NULL, 0, "assay run has no option --job; did you mean '--jobs'?"},
    {{"-x"},
     NULL,
     NULL,
     NULL,
     0,
     "assay run has no option -x; expected one of: --on, --jobs, --prove, --json, -cl-*"},
    {{"--onn"}, NULL, NULL, NULL, 0, "assay run has no option --onn; did you mean '--on'?"},
    {{"--on"}, NULL, NULL, NULL, 0, "option --on needs a value: SUBJECT"},
    {{"-cl-std=CL3.0", "a", "-cl-mad-enable"}, NULL, NULL, NULL, 1, NULL},
    {{"--prove=1"}, NULL, NULL, NULL, 0, "option --prove takes no value"},
};

static void assert_value(const char *value, const char *expected)
{
    if (!expected) assert_null(value);
    if (expected) assert_string_equal(value, expected);
}

static void command_lines_are_parsed_or_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof parse_rows / sizeof *parse_rows; i++) {
        const parse_row *row = &parse_rows[i];
        char *words[5] = {0};
        int count = 0;
        for (; row->words[count]; count++)
            words[count] = strdup(row->words[count]);
        rt_arena arena = {0};
        rt_buffer error = {0};
        cnf_arguments arguments;
        bool is_valid = cnf_arguments_parse(&with_paths, count, words, &arena, &arguments, &error);
        assert_int_equal(is_valid, row->error == NULL);
        assert_string_equal(rt_buffer_string(&error), row->error ? row->error : "");
        if (is_valid) {
            assert_value(arguments.values[CNF_OPTION_ON], row->on);
            assert_value(arguments.values[CNF_OPTION_JOBS], row->jobs);
            assert_value(arguments.values[CNF_OPTION_PROVE], row->prove);
            assert_value(arguments.values[CNF_OPTION_JSON], row->json);
            assert_int_equal(arguments.path_count, row->path_count);
        }
        for (int word = 0; word < count; word++)
            free(words[word]);
        rt_buffer_free(&error);
        rt_arena_reset(&arena);
    }
}

static void repeated_options_are_kept_in_order(void **state)
{
    (void)state;
    char words[][16] = {"-cl-a", "-j1", "x", "-cl-b=1", "--jobs=2"};
    char *arguments[5];
    for (size_t i = 0; i < 5; i++)
        arguments[i] = words[i];
    static const cnf_given expected[] = {
        {CNF_OPTION_CL, "-cl-a"},
        {CNF_OPTION_JOBS, "1"},
        {CNF_OPTION_CL, "-cl-b=1"},
        {CNF_OPTION_JOBS, "2"},
    };
    rt_arena arena = {0};
    rt_buffer error = {0};
    cnf_arguments parsed;
    assert_true(cnf_arguments_parse(&with_paths, 5, arguments, &arena, &parsed, &error));
    assert_int_equal(parsed.given_count, 4);
    for (uint32_t i = 0; i < parsed.given_count; i++) {
        assert_int_equal(parsed.given[i].id, expected[i].id);
        assert_string_equal(parsed.given[i].value, expected[i].value);
    }
    rt_arena_reset(&arena);
}

static void a_command_without_operands_refuses_paths(void **state)
{
    (void)state;
    char word[] = "a";
    char *words[] = {word};
    rt_arena arena = {0};
    rt_buffer error = {0};
    cnf_arguments arguments;
    assert_false(cnf_arguments_parse(&without_paths, 1, words, &arena, &arguments, &error));
    assert_string_equal(rt_buffer_string(&error), "assay list takes no operands; remove 'a'");
    rt_buffer_free(&error);
    rt_arena_reset(&arena);
}

static void help_comes_from_the_table(void **state)
{
    (void)state;
    rt_buffer help = {0};
    cnf_command_help(&help, &with_paths);
    assert_string_equal(rt_buffer_string(&help), "assay run [PATH…] [OPTION…]\n"
                                                 "\n"
                                                 "Runs.\n"
                                                 "\n"
                                                 "More.\n"
                                                 "\n"
                                                 "Options:\n"
                                                 "  --on SUBJECT           Where.\n"
                                                 "  -j, --jobs N           How many.\n"
                                                 "  --prove                Whether.\n"
                                                 "  --json[=FILE.json]     Output.\n"
                                                 "  -cl-*                  Passed on.\n");
    rt_buffer_free(&help);
}

static void numbers_are_integers_within_bounds(void **state)
{
    (void)state;
    uint64_t number;
    assert_true(rt_number_read(rt_text_of("18446744073709551615"), 0, UINT64_MAX, &number));
    assert_true(number == UINT64_MAX);
    assert_true(rt_number_read(rt_text_of("7"), 7, 7, &number));
    const char *const refused[] = {"", "-1", "1.5", "0x10", "8", "6", "18446744073709551616", " 7"};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        assert_false(rt_number_read(rt_text_of(refused[i]), 7, 7, &number));
}

static void similar_names_are_suggested(void **state)
{
    (void)state;
    const char *const names[] = {"run", "check", "requirements"};
    rt_buffer text = {0};
    cnf_suggest(&text, "chekc", names, 3);
    cnf_suggest(&text, "elephant", names, 3);
    cnf_suggest(&text, "requirement", names, 3);
    assert_string_equal(rt_buffer_string(&text),
                        "; did you mean 'check'?; expected one of: run, check, requirements"
                        "; did you mean 'requirements'?");
    rt_buffer_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(command_lines_are_parsed_or_refused),
        cmocka_unit_test(repeated_options_are_kept_in_order),
        cmocka_unit_test(a_command_without_operands_refuses_paths),
        cmocka_unit_test(help_comes_from_the_table),
        cmocka_unit_test(numbers_are_integers_within_bounds),
        cmocka_unit_test(similar_names_are_suggested),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
