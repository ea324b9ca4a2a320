/* Tests of case files: how a case changes its base, and how invalid files are reported. */
#include "conformance/scenario/test/cases.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define BASE "# About.\n\na: 1\nb: 2\nc:\n  b: 2\n\n"

static void assert_text(rt_text text, const char *expected)
{
    assert_int_equal(text.length, strlen(expected));
    assert_memory_equal(text.data, expected, text.length);
}

/* Reads a file with a single case, and compares the resulting scenario. */
static void assert_scenario(const char *changes, const char *expected)
{
    rt_arena arena = {0};
    golden_cases cases;
    rt_text error;
    rt_text file = rt_arena_printf(&arena, BASE "== one\n%s! 1:2: error: x\n", changes);
    assert_true(golden_cases_read(&arena, file, &cases, &error));
    assert_int_equal(cases.list.count, 1);
    assert_text(cases.base, "a: 1\nb: 2\nc:\n  b: 2\n");
    assert_text(cases.list.items[0].name, "one");
    assert_text(cases.list.items[0].scenario, expected);
    assert_text(cases.list.items[0].message, "one.yaml:1:2: error: x\n");
    rt_vector_free(&cases.list);
    rt_arena_reset(&arena);
}

static void changes_are_made_in_the_order_of_the_base(void **state)
{
    (void)state;
    assert_scenario("", "a: 1\nb: 2\nc:\n  b: 2\n");
    assert_scenario("-b: 2\n+b: 3\n", "a: 1\nb: 3\nc:\n  b: 2\n");
    assert_scenario("-a: 1\n-  b: 2\n", "b: 2\nc:\n");
    assert_scenario(" c:\n+  a: 1\n", "a: 1\nb: 2\nc:\n  a: 1\n  b: 2\n");
    assert_scenario("+d:\n+\n", "a: 1\nb: 2\nc:\n  b: 2\nd:\n\n");
}

static void escapes_are_bytes(void **state)
{
    (void)state;
    rt_arena arena = {0};
    golden_cases cases;
    rt_text error;
    assert_true(golden_cases_read(&arena, RT_TEXT("== one\n\\a\\x00\\xff\n! 1:1: x\n! b:2: y\n"),
                                  &cases, &error));
    assert_int_equal(cases.base.length, 0);
    assert_int_equal(cases.list.items[0].scenario.length, 4);
    assert_memory_equal(cases.list.items[0].scenario.data, "a\0\xff\n", 4);
    assert_text(cases.list.items[0].message, "one.yaml:1:1: x\nb:2: y\n");
    rt_vector_free(&cases.list);
    rt_arena_reset(&arena);
}

static void invalid_case_files_are_refused(void **state)
{
    (void)state;
    static const char *const wrong[][2] = {
        {BASE, "7: the file has no case"},
        {BASE "== \n", "8: a case without a name"},
        {BASE "== one\n-d\n", "9: the rest of the base has no line d"},
        {BASE "== one\n-b: 2\n a: 1\n", "10: the rest of the base has no line a: 1"},
        {BASE "== one\n+d\n-b: 2\n", "10: the rest of the base has no line b: 2"},
        {BASE "== one\n? d\n", "9: a line of a case begins with ' ', '-', '+', '\\' or '!'"},
        {BASE "== one\n! 1:1: x\n+d\n", "10: a change after the message"},
        {BASE "== one\n\\\\xg0\n", "9: an escape that is not \\xNN"},
        {BASE "== one\n\\\\x0\n", "9: an escape that is not \\xNN"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        rt_arena arena = {0};
        golden_cases cases;
        rt_text error;
        assert_false(golden_cases_read(&arena, rt_text_of(wrong[i][0]), &cases, &error));
        assert_text(error, wrong[i][1]);
        rt_vector_free(&cases.list);
        rt_arena_reset(&arena);
    }
}

static void an_update_replaces_messages_only(void **state)
{
    (void)state;
    rt_arena arena = {0};
    golden_cases cases;
    rt_text error;
    rt_buffer updated = {0};
    rt_text file = RT_TEXT(BASE "== one\n+d\n! 1:1: old\n! 1:2: old\n\n== two\n-a: 1\n");
    const rt_text messages[] = {RT_TEXT("one.yaml:3:1: new\n"),
                                RT_TEXT("two.yaml:1:1: x\nb:1: y\n")};
    assert_true(golden_cases_read(&arena, file, &cases, &error));
    golden_cases_update(&updated, file, &cases, messages);
    assert_text(rt_buffer_text(&updated),
                BASE "== one\n+d\n! 3:1: new\n\n== two\n-a: 1\n! 1:1: x\n! b:1: y\n");
    rt_buffer_free(&updated);
    rt_vector_free(&cases.list);
    rt_arena_reset(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(changes_are_made_in_the_order_of_the_base),
        cmocka_unit_test(escapes_are_bytes),
        cmocka_unit_test(invalid_case_files_are_refused),
        cmocka_unit_test(an_update_replaces_messages_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
