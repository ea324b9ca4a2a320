/* Unit tests of "did you mean". */
#include "reference/base/nearest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define COUNT(table) (sizeof(table) / sizeof *(table))

static void text_distance_counts_edits(void **state)
{
    (void)state;
    assert_int_equal(rt_text_distance(RT_TEXT("kernel"), RT_TEXT("kernel"), 9), 0);
    assert_int_equal(rt_text_distance(RT_TEXT("kernle"), RT_TEXT("kernel"), 9), 2);
    assert_int_equal(rt_text_distance(RT_TEXT("rang"), RT_TEXT("range"), 9), 1);
    assert_int_equal(rt_text_distance(RT_TEXT(""), RT_TEXT("abc"), 9), 3);
    assert_int_equal(rt_text_distance(RT_TEXT("abcdef"), RT_TEXT("uvwxyz"), 4), 4);
}

/* Searches the names (up to the first NULL) for `wanted` and expects the hint. */
static void expect_hint(const char *wanted, const char *const *names, const char *hint)
{
    rt_nearest nearest = rt_nearest_to(rt_text_of(wanted));
    for (; *names; names++)
        rt_nearest_offer(&nearest, rt_text_of(*names));
    rt_buffer out = {0};
    rt_nearest_hint(&nearest, &out);
    assert_string_equal(rt_buffer_string(&out), hint);
    rt_buffer suggestion = {0};
    bool is_near = rt_nearest_suggest(&nearest, &suggestion);
    assert_int_equal(is_near, rt_text_starts(rt_text_of(hint), "; did you mean"));
    assert_string_equal(rt_buffer_string(&suggestion), is_near ? hint : "");
    rt_buffer_free(&suggestion);
    rt_buffer_free(&out);
}

static void the_nearest_name_is_suggested(void **state)
{
    (void)state;
    static const char *const names[] = {"kernel", "range", "device", "devices", NULL};
    expect_hint("kernle", names, "; did you mean 'kernel'?"); /* two edits, of at most three */
    expect_hint("devise", names, "; did you mean 'device'?");
    expect_hint("devicess", names, "; did you mean 'devices'?");
    expect_hint("rnage", names, "; did you mean 'range'?"); /* two edits, of at most two */
    /* Of equally near names, the first is suggested. */
    static const char *const equal[] = {"abcx", "abcy", NULL};
    expect_hint("abcz", equal, "; did you mean 'abcx'?");
}

static void names_that_are_far_are_listed_or_not(void **state)
{
    (void)state;
    static const char *const few[] = {"kernel", "range", "kernel", NULL};
    expect_hint("zzzzzz", few, "; expected one of: kernel, range");
    expect_hint("rxxxe", few, "; expected one of: kernel, range"); /* three edits, of at most two */
    /* Nothing of the mistyped name would remain. */
    static const char *const letters[] = {"y", "z", NULL};
    expect_hint("x", letters, "; expected one of: y, z");
    expect_hint("", letters, "; expected one of: y, z");
    static const char *const none[] = {NULL};
    expect_hint("x", none, "");
    static const char *const eight[] = {"1", "2", "3", "4", "5", "6", "7", "8", NULL};
    expect_hint("x", eight, "; expected one of: 1, 2, 3, 4, 5, 6, 7, 8");
    static const char *const nine[] = {"1", "2", "3", "4", "5", "6", "7", "8", "9", NULL};
    expect_hint("x", nine, "");
}

/* Names come from images and files and may contain any bytes, but a hint is one line. */
static void hints_are_one_line_of_utf8(void **state)
{
    (void)state;
    static const char *const names[] = {"ab\ncd\xFF", NULL};
    expect_hint("ab cd", names, "; did you mean 'ab cd\xEF\xBF\xBD'?");
}

static void long_names_are_not_compared(void **state)
{
    (void)state;
    char name[66];
    for (size_t i = 0; i < sizeof name; i++)
        name[i] = 'a';
    name[65] = '\0';
    const char *const names[] = {name, NULL};
    assert_int_equal(rt_text_distance(rt_text_of(name), rt_text_of(name), 7), 7);
    expect_hint(name, names,
                "; expected one of: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa...");
    name[64] = '\0';
    expect_hint(name, names,
                "; did you mean 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa...'?");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_distance_counts_edits),
        cmocka_unit_test(the_nearest_name_is_suggested),
        cmocka_unit_test(names_that_are_far_are_listed_or_not),
        cmocka_unit_test(hints_are_one_line_of_utf8),
        cmocka_unit_test(long_names_are_not_compared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
