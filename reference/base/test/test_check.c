/* Unit tests of the assertions: what each one evaluates, and that a failing one ends the process.
 */
#include "reference/base/check.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#if defined RT_CHECK_SLOW && !defined ASSAY_PROVE
#define SLOW_IS_ON 1
#elif defined MUTANT_CHECKS_SLOW
#define SLOW_IS_ON (MUTANT_CHECKS_SLOW != 0)
#else
#define SLOW_IS_ON 0
#endif

/* Returns `value` and counts the call. */
static bool counted(bool value, int *count)
{
    ++*count;
    return value;
}

static void check_evaluates_once(void **state)
{
    (void)state;
    int count = 0;
    CHECK(counted(true, &count));
    assert_int_equal(count, 1);
}

static void implication_evaluates_the_conclusion_only_if_the_premise_holds(void **state)
{
    (void)state;
    int premises = 0, conclusions = 0;
    CHECK_IMPLIES(counted(false, &premises), counted(false, &conclusions));
    assert_int_equal(premises, 1);
    assert_int_equal(conclusions, 0);
    CHECK_IMPLIES(counted(true, &premises), counted(true, &conclusions));
    assert_int_equal(premises, 2);
    assert_int_equal(conclusions, 1);
}

/* A walk must cost nothing in builds whose speed matters to users. */
static void slow_check_evaluates_in_builds_with_sanitizers_only(void **state)
{
    (void)state;
    int count = 0;
    CHECK_SLOW(counted(true, &count));
    assert_int_equal(count, SLOW_IS_ON);
}

static void fail_check(void)
{
    CHECK(1 + 1 == 3);
}

static void fail_implication(void)
{
    CHECK_IMPLIES(1 + 1 == 2, 1 + 1 == 3);
}

static void fail_slow_check(void)
{
    CHECK_SLOW(1 + 1 == 3);
}

/* True if the function aborts when run in a separate process. */
static bool aborts(void (*function)(void))
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        signal(SIGABRT, SIG_DFL); /* cmocka has installed a handler */
        close(STDERR_FILENO);
        function();
        _exit(0);
    }
    int result = 0;
    assert_int_equal(waitpid(child, &result, 0), child);
    if (WIFSIGNALED(result)) return WTERMSIG(result) == SIGABRT;
    assert_int_equal(result, 0);
    return false;
}

static void failing_assertions_abort(void **state)
{
    (void)state;
    assert_true(aborts(fail_check));
    assert_true(aborts(fail_implication));
    assert_int_equal(aborts(fail_slow_check), SLOW_IS_ON);
}

/* The reporter writes to file descriptor 1, which the parent reads. */
static void report(void *user)
{
    const char *word = user;
    if (write(STDOUT_FILENO, word, 4) != 4) _exit(1);
}

static void panic_asks_the_reporter_once(void **state)
{
    (void)state;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        signal(SIGABRT, SIG_DFL);
        close(STDERR_FILENO);
        if (dup2(ends[1], STDOUT_FILENO) < 0) _exit(1);
        rt_panic_set_reporter(report, "seed");
        UNREACHABLE();
    }
    close(ends[1]);
    char output[16];
    assert_int_equal(read(ends[0], output, sizeof output), 4);
    assert_memory_equal(output, "seed", 4);
    close(ends[0]);
    int result = 0;
    assert_int_equal(waitpid(child, &result, 0), child);
    assert_true(WIFSIGNALED(result) && WTERMSIG(result) == SIGABRT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(check_evaluates_once),
        cmocka_unit_test(implication_evaluates_the_conclusion_only_if_the_premise_holds),
        cmocka_unit_test(slow_check_evaluates_in_builds_with_sanitizers_only),
        cmocka_unit_test(failing_assertions_abort),
        cmocka_unit_test(panic_asks_the_reporter_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
