/* Tests exploring: every leaf of a tree of choices runs exactly once, whatever the tree, and
 * scripts are parsed strictly. */
#include "conformance/run/explore.h"

#include "reference/base/hash.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { DEPTH_MAX = 5, ALTERNATIVES_MAX = 4, TREES = 200, LEAVES_MAX = 1024 };

/* The number of alternatives after the choices made so far; 1: no further choice. The tree's shape
 * is derived from its number. */
static uint32_t alternatives(uint64_t tree, const cnf_choice *choices, uint32_t count)
{
    uint64_t state = tree;
    for (uint32_t i = 0; i < count; i++)
        state = rt_mix64(state + RT_MIX_STEP * (choices[i].alternative + 1));
    return count == DEPTH_MAX ? 1 : 1 + (uint32_t)(rt_mix64(state) % ALTERNATIVES_MAX);
}

static uint32_t leaves(uint64_t tree, cnf_choice *choices, uint32_t count)
{
    uint32_t alternative_count = alternatives(tree, choices, count), sum = 0;
    if (alternative_count == 1) return 1;
    for (choices[count].alternative = 0; choices[count].alternative < alternative_count;
         choices[count].alternative++)
        sum += leaves(tree, choices, count + 1);
    return sum;
}

/* The messages of a run of the script; choices past its end take the first alternative, as with
 * seed 0. */
static cnf_messages run_script(uint64_t tree, rt_text script, cnf_choice choices[DEPTH_MAX])
{
    cnf_messages messages = {.choices = choices, .end = CNF_MESSAGES_ENDED};
    const char *at = script.data;
    for (;;) {
        uint32_t alternative_count = alternatives(tree, choices, messages.choice_count);
        if (alternative_count == 1) return messages;
        bool prescribed = at && at < script.data + script.length;
        uint32_t alternative = prescribed ? (uint32_t)strtoul(at, NULL, 10) : 0;
        at = prescribed ? at + strcspn(at, ",") + 1 : at;
        assert_true(alternative < alternative_count);
        choices[messages.choice_count++] =
            (cnf_choice){RT_TEXT("DL-RESOLVE-05"), alternative_count, alternative};
    }
}

static void every_leaf_is_run_once(void **state)
{
    (void)state;
    for (uint64_t tree = 0; tree < TREES; tree++) {
        rt_arena arena = {0};
        cnf_choice choices[DEPTH_MAX + 1] = {0};
        uint32_t expected = leaves(tree, choices, 0), count = 0;
        static rt_text seen[LEAVES_MAX];
        cnf_explorer explorer;
        rt_text script, reason;
        cnf_explorer_begin(&explorer, &arena, RT_TEXT(""), LEAVES_MAX);
        while (cnf_explorer_next(&explorer, &script)) {
            cnf_messages messages = run_script(tree, script, choices);
            assert_true(cnf_explorer_add(&explorer, script, &messages, &reason));
            rt_text leaf = cnf_explorer_script(&arena, &messages);
            for (uint32_t i = 0; i < count; i++)
                assert_false(rt_text_equal(seen[i], leaf));
            seen[count++] = leaf;
        }
        assert_int_equal(count, expected);
        assert_false(explorer.cut);
        cnf_explorer_free(&explorer);
        rt_arena_reset(&arena);
    }
}

static void the_bound_is_exact(void **state)
{
    (void)state;
    enum { LEAVES = 30 };
    cnf_choice path[DEPTH_MAX + 1] = {0};
    uint64_t tree = 0;
    while (leaves(tree, path, 0) < LEAVES)
        tree++;
    uint32_t expected = leaves(tree, path, 0);
    for (uint32_t run_max = 1; run_max < expected + 2; run_max++) {
        rt_arena arena = {0};
        cnf_choice choices[DEPTH_MAX + 1] = {0};
        uint32_t count = 0;
        cnf_explorer explorer;
        rt_text script, reason;
        cnf_explorer_begin(&explorer, &arena, RT_TEXT(""), run_max);
        for (; cnf_explorer_next(&explorer, &script); count++) {
            cnf_messages messages = run_script(tree, script, choices);
            assert_true(cnf_explorer_add(&explorer, script, &messages, &reason));
        }
        assert_int_equal(count, run_max < expected ? run_max : expected);
        assert_int_equal(explorer.cut, run_max < expected);
        cnf_explorer_free(&explorer);
        rt_arena_reset(&arena);
    }
}

/* A run of COMMANDS commands, all ready from the start, under a script of orders. Commands of one
 * class conflict. Writes the order in which they ran to `ran`. */
enum { COMMANDS = 4 };
static cnf_messages run_orders(rt_text script, const char *classes, char ran[COMMANDS + 1],
                               rt_order *taken, rt_order *wanted)
{
    cnf_messages messages = {.end = CNF_MESSAGES_ENDED};
    char ready[COMMANDS + 1] = "0123", before[COMMANDS][COMMANDS + 1] = {{0}};
    rt_order next;
    bool has_next = rt_script_order(&script, &next);
    for (uint32_t i = 0, left = COMMANDS; left > 0; i++, left--) {
        uint32_t index = 0;
        strcpy(before[i], ready);
        if (has_next && next.number == i && left > 1) {
            taken[messages.orders_taken.count++] = next;
            index = next.alternative;
            has_next = rt_script_order(&script, &next);
        }
        assert_true(index < left);
        ran[i] = ready[index];
        memmove(ready + index, ready + index + 1, left - index);
    }
    ran[COMMANDS] = '\0';
    for (uint32_t second = 1; second < COMMANDS; second++) {
        for (uint32_t first = 0; first < second; first++) {
            if (classes[ran[first] - '0'] != classes[ran[second] - '0']) continue;
            uint32_t at = (uint32_t)(strchr(before[first], ran[second]) - before[first]);
            wanted[messages.orders_wanted.count++] = (rt_order){first, at};
        }
    }
    messages.orders_taken.items = taken;
    messages.orders_wanted.items = wanted;
    return messages;
}

/* Adds what can be told apart of an order to `seen`, unless it is there: the order of the commands
 * of each class. */
static uint32_t order_see(const char *ran, const char *classes, char seen[][2 * COMMANDS],
                          uint32_t count)
{
    char orders[2 * COMMANDS] = "";
    uint32_t length = 0;
    for (const char *class = "ab"; *class; class ++)
        for (uint32_t i = 0; i < COMMANDS; i++)
            if (classes[ran[i] - '0'] == *class) orders[length++] = ran[i];
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(seen[i], orders) == 0) return count;
    strcpy(seen[count], orders);
    return count + 1;
}

/* All orders of commands that conflict, and no more runs than orders of what does not. */
static void orders_are_explored_where_they_matter(void **state)
{
    (void)state;
    static const struct {
        const char *classes;
        uint32_t orders, runs_max;
    } rows[] = {{"abcd", 1, 1}, {"aabb", 4, 23}, {"aaab", 6, 23}, {"aaaa", 24, 64}};
    for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
        rt_arena arena = {0};
        cnf_explorer explorer;
        rt_text script, reason;
        char seen[32][2 * COMMANDS];
        uint32_t count = 0;
        cnf_explorer_begin(&explorer, &arena, RT_TEXT(""), 1000);
        while (cnf_explorer_next(&explorer, &script)) {
            char ran[COMMANDS + 1];
            rt_order taken[COMMANDS], wanted[COMMANDS * COMMANDS];
            cnf_messages messages = run_orders(script, rows[row].classes, ran, taken, wanted);
            assert_true(cnf_explorer_add(&explorer, script, &messages, &reason));
            count = order_see(ran, rows[row].classes, seen, count);
        }
        assert_int_equal(count, rows[row].orders);
        assert_in_range(explorer.run_count, rows[row].orders, rows[row].runs_max);
        cnf_explorer_free(&explorer);
        rt_arena_reset(&arena);
    }
}

static void an_order_that_is_not_made_is_reported(void **state)
{
    (void)state;
    rt_arena arena = {0};
    cnf_explorer explorer;
    rt_text script, reason;
    const rt_order other = {2, 1};
    cnf_explorer_begin(&explorer, &arena, RT_TEXT(";2:0"), 4);
    assert_true(cnf_explorer_next(&explorer, &script));
    const cnf_messages messages = {.end = CNF_MESSAGES_ENDED, .orders_taken = {&other, 1}};
    assert_false(cnf_explorer_add(&explorer, script, &messages, &reason));
    assert_true(rt_text_is(reason, "the choice among ready commands 2 did not take command 0"));
    cnf_explorer_free(&explorer);
    rt_arena_reset(&arena);
}

static void scripts_are_numbers_and_commas(void **state)
{
    (void)state;
    static const char *const valid[] = {"", "0", "0,1", "10,0,999999999", ";0:1", "0,1;5:2,9:0"};
    static const char *const wrong[] = {
        ",",  "0,",  ",0",         "a",     "-1",        "0,,1",     "1 ",  "1;",      ";",
        ";1", ";1:", "1234567890", ";1:2,", "0;1:2;3:4", ";3:0,2:0", "0:1", ";1:2,1:2"};
    for (size_t i = 0; i < sizeof valid / sizeof *valid; i++)
        assert_true(rt_script_valid(rt_text_of(valid[i])));
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_false(rt_script_valid(rt_text_of(wrong[i])));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_leaf_is_run_once),
        cmocka_unit_test(the_bound_is_exact),
        cmocka_unit_test(orders_are_explored_where_they_matter),
        cmocka_unit_test(an_order_that_is_not_made_is_reported),
        cmocka_unit_test(scripts_are_numbers_and_commas),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
