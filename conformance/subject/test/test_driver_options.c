/* Unit tests of the warning about options that no library knows. This program is one of the files
 * that are searched, so the names here are built at run time unless they are to be found. */
#include "conformance/subject/driver_options.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

/* Two names that the program contains, as a driver would. */
static const char *volatile known[] = {"ASSAYTEST_VECTOR_MODE", "ASSAYTEST_THREADS"};

static void expect_warning(const char *names, const char *warning)
{
    rt_buffer out = {0};
    cnf_driver_options_check(rt_text_of(names), &out);
    assert_string_equal(rt_buffer_string(&out), warning);
    rt_buffer_free(&out);
}

static void a_name_in_a_library_is_known(void **state)
{
    (void)state;
    expect_warning("", "");
    expect_warning(known[0], "");
    char both[64];
    (void)snprintf(both, sizeof both, "%s,%s", known[0], known[1]);
    expect_warning(both, "");
}

static void other_names_are_reported_with_the_nearest(void **state)
{
    (void)state;
    char name[64], warning[160];
    (void)snprintf(name, sizeof name, "%sX,%s,Q%dZZ_NONE", known[0], known[1], 7);
    (void)snprintf(warning, sizeof warning,
                   "no loaded library knows option '%sX'; did you mean '%s'?\n"
                   "no loaded library knows option 'Q7ZZ_NONE'",
                   known[0], known[0]);
    expect_warning(name, warning);
    /* Part of a longer name. */
    (void)snprintf(name, sizeof name, "%.*s", 16, known[0]);
    (void)snprintf(warning, sizeof warning, "no loaded library knows option '%s'", name);
    rt_buffer out = {0};
    cnf_driver_options_check(rt_text_of(name), &out);
    assert_memory_equal(rt_buffer_string(&out), warning, 48);
    rt_buffer_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_name_in_a_library_is_known),
        cmocka_unit_test(other_names_are_reported_with_the_nearest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
