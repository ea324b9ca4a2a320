/* Tests of joining parts: two scenarios on two subjects, with every way to be incomplete. */
#include "conformance/verdict/parts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const cnf_part_scenario scenarios[] = {{{"a.yaml", 6}, {"0a", 2}},
                                              {{"b.yaml", 6}, {"0b", 2}}};
static const rt_text subjects[] = {{"sim", 3}, {"pocl", 4}};
static const cnf_whole whole = {scenarios, 2, subjects, 2};

static cnf_record record_make(const char *scenario, const char *subject)
{
    return (cnf_record){.scenario = rt_text_of(scenario),
                        .subject = rt_text_of(subject),
                        .hash = *scenario == 'a' ? RT_TEXT("0a") : RT_TEXT("0b")};
}

/* Joins two parts; the first has first_count of the records. */
static bool join(const cnf_record *records, uint32_t first_count, uint32_t count,
                 const char *problems, const char *expected)
{
    rt_arena arena = {0};
    rt_buffer text = {0}, seen = {0};
    const cnf_part parts[] = {
        {RT_TEXT("one"), {records, first_count, 0}},
        {RT_TEXT("two"), {records + first_count, count - first_count, 0}},
    };
    cnf_records joined;
    bool is_complete = cnf_parts_join(&arena, parts, 2, &whole, &joined, &text);
    assert_string_equal(rt_buffer_string(&text), problems);
    assert_int_equal(is_complete, text.size == 0);
    for (uint32_t i = 0; i < joined.count; i++)
        rt_buffer_printf(&seen, "%c%c ", joined.items[i].scenario.data[0],
                         joined.items[i].subject.data[0]);
    assert_string_equal(rt_buffer_string(&seen), expected);
    rt_buffer_free(&text);
    rt_buffer_free(&seen);
    rt_arena_reset(&arena);
    return is_complete;
}

static void a_whole_is_put_in_order(void **state)
{
    (void)state;
    const cnf_record records[] = {record_make("b.yaml", "pocl"), record_make("a.yaml", "sim"),
                                  record_make("b.yaml", "sim"), record_make("a.yaml", "pocl")};
    for (uint32_t i = 0; i <= 4; i++)
        assert_true(join(records, i, 4, "", "as ap bs bp "));
    /* The hash of a scenario that names files goes on after that of its own contents. */
    cnf_record longer[] = {records[0], records[1], records[2], records[3]};
    longer[0].hash = RT_TEXT("0bff");
    assert_true(join(longer, 2, 4, "", "as ap bs bp "));
}

static void what_is_not_whole_is_named(void **state)
{
    (void)state;
    cnf_record records[] = {record_make("a.yaml", "sim"), record_make("a.yaml", "pocl"),
                            record_make("b.yaml", "sim"), record_make("b.yaml", "pocl"),
                            record_make("a.yaml", "pocl")};
    join(records, 2, 5, "a.yaml on pocl: in one and in two\n", "as ap bs bp ");
    join(records, 2, 3, "b.yaml on pocl: missing\n", "as ap bs ");
    join(records, 0, 0,
         "a.yaml on sim: missing\na.yaml on pocl: missing\nb.yaml on sim: missing\n"
         "b.yaml on pocl: missing\n",
         "");
    records[4] = record_make("c.yaml", "sim");
    join(records, 4, 5, "two: c.yaml on sim: the suite or the list of subjects does not have it\n",
         "as ap bs bp ");
    records[4] = record_make("a.yaml", "cuda");
    join(records, 4, 5, "two: a.yaml on cuda: the suite or the list of subjects does not have it\n",
         "as ap bs bp ");
    records[3].hash = RT_TEXT("ff");
    join(records, 3, 4, "two: b.yaml on pocl: the scenario had other contents; run it again\n",
         "as ap bs bp ");
    records[3].hash = RT_TEXT("0b");
    records[3].conditions = RT_TEXT("--seed 5");
    join(records, 3, 4, "two: b.yaml on pocl: ran with '--seed 5', but the first record with ''\n",
         "as ap bs bp ");
}

/* A wrong scenario has one record for all subjects, which the jobs of different subjects have each.
 */
static void a_wrong_scenario_is_complete(void **state)
{
    (void)state;
    const cnf_record records[] = {record_make("a.yaml", "-"), record_make("b.yaml", "sim"),
                                  record_make("b.yaml", "pocl"), record_make("a.yaml", "-")};
    assert_true(join(records, 2, 4, "", "a- bs bp "));
}

/* 25 records too many: 20 are named. */
static void long_lists_are_cut(void **state)
{
    (void)state;
    rt_arena arena = {0};
    rt_buffer text = {0};
    cnf_record records[25];
    for (uint32_t i = 0; i < 25; i++)
        records[i] = record_make("x.yaml", "sim");
    const cnf_part part = {RT_TEXT("one"), {records, 25, 0}};
    const cnf_whole none = {scenarios, 0, subjects, 2};
    cnf_records joined;
    assert_false(cnf_parts_join(&arena, &part, 1, &none, &joined, &text));
    uint32_t lines = 0;
    for (const char *at = rt_buffer_string(&text); *at; at++)
        lines += *at == '\n';
    assert_int_equal(lines, 21);
    assert_non_null(strstr(rt_buffer_string(&text), "\n5 more not of this suite\n"));
    rt_buffer_free(&text);
    rt_arena_reset(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_whole_is_put_in_order),
        cmocka_unit_test(what_is_not_whole_is_named),
        cmocka_unit_test(a_wrong_scenario_is_complete),
        cmocka_unit_test(long_lists_are_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
