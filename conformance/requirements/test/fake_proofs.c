/* A proof program for test_programs.c: a cmocka program whose tests react to planted faults in
 * every possible way. It contains no marks, since those of base/rule.h exist only in the prove
 * preset; it imitates their effects. It acts as several programs, selected by the name under which
 * it is started. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* The marks that a program reaches; the last line of the first program is truncated, as on a full
 * disk. */
static const struct program_row {
    const char *name, *hits;
} program_rows[] = {
    {"first", "VF-C-01@a.c:1\nVF-C-01@a.c:2\nVF-C-02@a.c:3\nVF-C-03@a.c:4\nVF-C-04@a.c:5\n"
              "VF-C-05@a.c:6\nVF-C-06@a.c:7\nVF-C-07@a.c:8\nVF-C-08@a.c:9\nVF-C-0"},
    {"second", "VF-C-01@a.c:2\nVF-C-06@a.c:7\n"},
    {"red", "VF-C-05@a.c:6\n"},
    {"markless", ""},
    {"deaf", "VF-C-06@a.c:7\n"},
    {"shower", ""},
    {"bare", ""},
};

static const struct program_row *program_find(const char *path)
{
    const char *slash = strrchr(path, '/');
    for (size_t i = 0; i < sizeof program_rows / sizeof *program_rows; i++)
        if (strcmp(program_rows[i].name, slash ? slash + 1 : path) == 0) return &program_rows[i];
    fprintf(stderr, "fake_proofs: no program %s\n", path);
    exit(9);
}

static bool armed(const char *site)
{
    const char *fault = getenv("ASSAY_FAULT");
    return fault && strcmp(fault, site) == 0;
}

/* cmocka passes the program's row as `state`; only the second program notices a.c:2. */
static void VF_C_01_is_killed_site_by_site(void **state)
{
    const struct program_row *program = *state;
    bool second = strcmp(program->name, "second") == 0;
    assert_false(armed(second ? "VF-C-01@a.c:2" : "VF-C-01@a.c:1"));
}

static void VF_C_02_is_killed(void **state)
{
    (void)state;
    assert_false(armed("VF-C-02@a.c:3"));
}

static void VF_C_02_passes(void **state)
{
    (void)state;
}

static void VF_C_03_aborts(void **state)
{
    (void)state;
    if (armed("VF-C-03@a.c:4")) abort();
}

/* cmocka catches the signal and counts a failure. */
static void VF_C_04_crashes(void **state)
{
    (void)state;
    if (armed("VF-C-04@a.c:5")) raise(SIGSEGV);
}

static void VF_C_05_notices_nothing(void **state)
{
    const struct program_row *program = *state;
    assert_string_not_equal(program->name, "red");
}

/* Only a test of another rule notices VF-C-06, which therefore has no test. */
static void another_rules_test(void **state)
{
    (void)state;
    assert_false(armed("VF-C-06@a.c:7"));
}

static void VF_C_07_is_killed(void **state)
{
    (void)state;
    assert_false(armed("VF-C-07@a.c:8"));
}

static void VF_C_08_exits_silently(void **state)
{
    (void)state;
    if (armed("VF-C-08@a.c:9")) _exit(1);
}

static void passes(void **state)
{
    (void)state;
}

/* Tests about a front end that is not ours; "bare" has none. */
static int show_front_end(const struct program_row *program)
{
    const struct CMUnitTest tests[] = {
        {.name = "VF_D_01_is_shown", .test_func = passes},
        {.name = "VF_D_01_twin_could_fail", .test_func = passes},
        {.name = "VF_D_02_has_no_twin", .test_func = passes},
        {.name = "VF_D_03_departs_somewhere", .test_func = passes},
        {.name = "VF_D_03_twin_could_fail", .test_func = passes},
        {.name = "VF_D_04_twin_of_nothing", .test_func = passes},
        {.name = "VF_D_05_is_a_tools", .test_func = passes},
        {.name = "VF_D_05_twin_is_a_tools", .test_func = passes},
    };
    if (strcmp(program->name, "bare") == 0) return 77;
    printf("shown with: compiler 7\n");
    fflush(stdout);
    return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(int argument_count, char **arguments)
{
    const struct program_row *program = program_find(arguments[0]);
    if (strcmp(program->name, "shower") == 0 || strcmp(program->name, "bare") == 0)
        return show_front_end(program);
    const char *hits = getenv("ASSAY_RULE_HITS");
    FILE *file = hits && program->hits[0] ? fopen(hits, "w") : NULL;
    if (file) {
        fputs(program->hits, file);
        fclose(file);
    }
#define FAKE_TEST(test) cmocka_unit_test_prestate(test, (void *)(uintptr_t)program)
    const struct CMUnitTest tests[] = {
        FAKE_TEST(VF_C_01_is_killed_site_by_site),
        FAKE_TEST(VF_C_02_is_killed),
        FAKE_TEST(VF_C_02_passes),
        FAKE_TEST(VF_C_03_aborts),
        FAKE_TEST(VF_C_04_crashes),
        FAKE_TEST(VF_C_05_notices_nothing),
        FAKE_TEST(another_rules_test),
        FAKE_TEST(VF_C_07_is_killed),
        FAKE_TEST(VF_C_08_exits_silently),
    };
    bool listens = strcmp(program->name, "deaf") != 0;
    if (listens && argument_count > 1) cmocka_set_test_filter(arguments[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
