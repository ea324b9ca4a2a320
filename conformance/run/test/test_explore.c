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

static void scripts_are_numbers_and_commas(void **state)
{
    (void)state;
    static const char *const valid[] = {"", "0", "0,1", "10,0,999999999"};
    static const char *const wrong[] = {",", "0,", ",0", "a", "-1", "0,,1", "1 ", "1234567890"};
    for (size_t i = 0; i < sizeof valid / sizeof *valid; i++)
        assert_true(cnf_explorer_script_valid(rt_text_of(valid[i])));
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_false(cnf_explorer_script_valid(rt_text_of(wrong[i])));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_leaf_is_run_once),
        cmocka_unit_test(the_bound_is_exact),
        cmocka_unit_test(scripts_are_numbers_and_commas),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
