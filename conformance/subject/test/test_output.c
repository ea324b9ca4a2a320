/* Tests of capturing what is printed while a scenario that expects output runs: the output is
 * stored, read piece by piece, and passed on. */
#include "conformance/subject/output.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void expect_read(const cnf_output *output, const char *text)
{
    rt_buffer read = {0};
    assert_true(cnf_output_read(output, SCN_EXPECT_OUTPUT, &read));
    assert_string_equal(rt_buffer_string(&read), text);
    rt_buffer_free(&read);
}

/* Prints both ways: through the C library, as drivers do, and directly, as the simulated device
 * does. */
static void print_twice(const char *buffered, const char *direct)
{
    printf("%s", buffered);
    fflush(stdout);
    assert_int_equal(write(STDOUT_FILENO, direct, strlen(direct)), (ssize_t)strlen(direct));
}

static void kept_and_handed_on(void **state)
{
    (void)state;
    fflush(stdout);
    int before = dup(STDOUT_FILENO);
    char path[] = "/tmp/assay-output-XXXXXX";
    int file = mkstemp(path);
    assert_true(before >= 0 && file >= 0 && unlink(path) == 0);
    assert_int_equal(dup2(file, STDOUT_FILENO), STDOUT_FILENO);

    const scn_expect inner = {.kind = SCN_EXPECT_OUTPUT};
    const scn_outcome outcome = {.expects = &inner, .expect_count = 1};
    const scn_expect expect = {.kind = SCN_EXPECT_ONE_OF, .one_of = {&outcome, 1}};
    const scn_step step = {.verb = SCN_VERB_EXPECT, .expect = &expect, .expect_count = 1};
    const scn_scenario scenario = {.steps = &step, .step_count = 1};
    cnf_output output;
    printf("of a parent");
    assert_true(cnf_output_open(&output, &scenario));
    expect_read(&output, "");
    print_twice("one ", "two\n");
    expect_read(&output, "one two\n");
    expect_read(&output, "one two\n");
    cnf_output_seen(&output, SCN_EXPECT_OUTPUT, 4);
    expect_read(&output, "two\n");
    print_twice("three", "");
    expect_read(&output, "two\nthree");
    cnf_output_close(&output);

    char content[64] = "";
    assert_int_equal(pread(file, content, sizeof content - 1, 0), 13);
    assert_string_equal(content, "one two\nthree");
    assert_int_equal(dup2(before, STDOUT_FILENO), STDOUT_FILENO);
    close(before);
    close(file);
}

/* Warnings are captured apart from output, and reach the original standard error in the end. */
static void warnings_have_their_own_stream(void **state)
{
    (void)state;
    int before = dup(STDERR_FILENO);
    int file = memfd_create("assay-test", MFD_CLOEXEC);
    assert_true(before >= 0 && file >= 0);
    assert_int_equal(dup2(file, STDERR_FILENO), STDERR_FILENO);

    const scn_expect expect = {.kind = SCN_EXPECT_WARNINGS, .warnings = 1};
    const scn_step step = {.verb = SCN_VERB_EXPECT, .expect = &expect, .expect_count = 1};
    const scn_scenario scenario = {.steps = &step, .step_count = 1};
    cnf_output output;
    rt_buffer read = {0};
    assert_true(cnf_output_open(&output, &scenario));
    fprintf(stderr, "WARNING: one\n");
    assert_true(cnf_output_read(&output, SCN_EXPECT_WARNINGS, &read));
    assert_string_equal(rt_buffer_string(&read), "WARNING: one\n");
    cnf_output_seen(&output, SCN_EXPECT_WARNINGS, read.size);
    rt_buffer_free(&read);
    assert_true(cnf_output_read(&output, SCN_EXPECT_WARNINGS, &read));
    assert_int_equal(read.size, 0);
    cnf_output_close(&output);

    char content[64] = "";
    assert_int_equal(pread(file, content, sizeof content - 1, 0), 13);
    assert_string_equal(content, "WARNING: one\n");
    assert_int_equal(dup2(before, STDERR_FILENO), STDERR_FILENO);
    rt_buffer_free(&read);
    close(before);
    close(file);
}

static void streams_stay_where_nothing_is_expected(void **state)
{
    (void)state;
    const scn_expect expect = {.kind = SCN_EXPECT_COUNT};
    const scn_step step = {.verb = SCN_VERB_EXPECT, .expect = &expect, .expect_count = 1};
    const scn_scenario scenario = {.steps = &step, .step_count = 1};
    cnf_output output;
    assert_true(cnf_output_open(&output, &scenario));
    for (uint32_t i = 0; i < CNF_STREAM_COUNT; i++)
        assert_true(output.streams[i].file == -1 && output.streams[i].original == -1);
    cnf_output_close(&output);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kept_and_handed_on),
        cmocka_unit_test(warnings_have_their_own_stream),
        cmocka_unit_test(streams_stay_where_nothing_is_expected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
