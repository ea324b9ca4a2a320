/* Tests of the generator: the same seed gives the same text; the text is still a scenario after any
 * statements have been removed; and a tree prints what its used parts need. */
#include "conformance/scenario/model/scenario.h"
#include "conformance/tools/generate/generate.h"
#include "conformance/tools/generate/generate_internal.h"
#include "reference/base/alloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { SEEDS = 150 };

/* ---- Random numbers and types ----------------------------------------------------------- */

/* The first numbers of SplitMix64 for seed 1234567, as published with the algorithm in several
 * places. */
static void random_is_splitmix64(void **state)
{
    (void)state;
    gen_random random = {1234567};
    assert_true(gen_random_bits(&random) == UINT64_C(6457827717110365317));
    assert_true(gen_random_bits(&random) == UINT64_C(3203168211198807973));
    assert_true(gen_random_bits(&random) == UINT64_C(9817491932198370423));
}

static void random_below_draws_every_number(void **state)
{
    (void)state;
    gen_random random = {7};
    uint32_t seen[3] = {0};
    for (uint32_t i = 0; i < 300; i++) {
        uint32_t number = gen_random_below(&random, 3);
        assert_true(number < 3);
        seen[number]++;
    }
    assert_true(seen[0] > 50 && seen[1] > 50 && seen[2] > 50);
    assert_int_equal(gen_random_below(&random, 1), 0);
}

static void types_have_counterparts(void **state)
{
    (void)state;
    rt_arena arena = {0};
    gen_type uchar4 = {GEN_UCHAR, 4}, real = {GEN_DOUBLE, 2}, word = {GEN_INT, 1};
    assert_true(rt_text_is(gen_type_name(&arena, uchar4), "uchar4"));
    assert_true(rt_text_is(gen_type_name(&arena, gen_type_signed(uchar4)), "char4"));
    assert_true(rt_text_is(gen_type_name(&arena, gen_type_unsigned(real)), "ulong2"));
    assert_true(rt_text_is(gen_type_name(&arena, gen_type_signed(real)), "long2"));
    assert_true(rt_text_is(gen_type_name(&arena, gen_type_unsigned(word)), "uint"));
    assert_true(gen_type_equal(gen_type_component(real), (gen_type){GEN_DOUBLE, 1}));
    assert_string_equal(gen_type_accessor(uchar4, 3), "w");
    assert_string_equal(gen_type_accessor((gen_type){GEN_INT, 16}, 10), "sa");
    assert_true(gen_type_is_signed(word) && !gen_type_is_signed(uchar4));
    assert_true(gen_type_is_real(real) && !gen_type_is_real(word));
    rt_arena_reset(&arena);
}

/* ---- The tree --------------------------------------------------------------------------- */

typedef struct tree {
    rt_arena arena;
    gen_declaration function;
    gen_statement body;
} tree;

static void tree_begin(tree *t)
{
    *t = (tree){0};
    t->function.body = &t->body;
    t->function.locals_end = &t->function.locals;
}

static void tree_declare(tree *t, gen_declaration *declaration, const char *text)
{
    *declaration = (gen_declaration){.text = rt_text_of(text)};
    *t->function.locals_end = declaration;
    t->function.locals_end = &declaration->next;
}

static gen_statement *tree_line(tree *t, gen_statement *block, const char *text,
                                gen_declaration *uses)
{
    gen_statement *statement = gen_tree_append(&t->arena, block);
    statement->open = rt_text_of(text);
    if (uses) gen_tree_use(&t->arena, &statement->uses, uses);
    return statement;
}

static void tree_expect(tree *t, const char *expected)
{
    rt_buffer text = {0};
    gen_tree_mark(&t->function);
    gen_tree_print(&t->function, 0, &text);
    assert_string_equal(rt_buffer_string(&text), expected);
    rt_buffer_free(&text);
    rt_arena_reset(&t->arena);
}

static void tree_prints_used_declarations(void **state)
{
    (void)state;
    tree t;
    tree_begin(&t);
    gen_declaration a, b, c;
    tree_declare(&t, &a, "int a;");
    tree_declare(&t, &b, "int b = a;");
    tree_declare(&t, &c, "int c;");
    gen_tree_use(&t.arena, &b.uses, &a);
    tree_line(&t, &t.body, "b = 1;", &b);
    tree_line(&t, &t.body, "c = 1;", &c)->is_omitted = true;
    tree_expect(&t, "int a;\nint b = a;\nb = 1;\n");
}

/* The third line is printed only because of the second, and adds its own declaration. */
static void tree_prints_statements_with_their_declaration(void **state)
{
    (void)state;
    tree t;
    tree_begin(&t);
    gen_declaration a, b, c;
    tree_declare(&t, &a, "int a;");
    tree_declare(&t, &b, "int b;");
    tree_declare(&t, &c, "int c;");
    tree_line(&t, &t.body, "b = 0;", &b)->only_with = &a;
    tree_line(&t, &t.body, "c = 0;", &c)->only_with = &b;
    tree_line(&t, &t.body, "a = 0;", &a);
    tree_expect(&t, "int a;\nint b;\nint c;\nb = 0;\nc = 0;\na = 0;\n");
    tree_begin(&t);
    tree_declare(&t, &a, "int a;");
    tree_line(&t, &t.body, "f();", NULL)->only_with = &a;
    tree_expect(&t, "");
}

static void tree_omits_statements_with_their_contents(void **state)
{
    (void)state;
    for (int way = 0; way < 3; way++) {
        tree t;
        tree_begin(&t);
        gen_declaration a;
        tree_declare(&t, &a, "int a;");
        gen_statement *branch = tree_line(&t, &t.body, "if (x) {", NULL);
        branch->close = RT_TEXT("}");
        branch->otherwise = rt_arena_alloc(&t.arena, sizeof *branch->otherwise);
        tree_line(&t, branch, "f();", NULL);
        tree_line(&t, branch->otherwise, "a = 1;", &a);
        branch->is_omitted = way == 2;
        branch->otherwise->is_omitted = way == 1;
        static const char *const expected[] = {"int a;\nif (x) {\n  f();\n} else {\n  a = 1;\n}\n",
                                               "if (x) {\n  f();\n}\n", ""};
        tree_expect(&t, expected[way]);
    }
}

/* ---- Scenarios -------------------------------------------------------------------------- */

static uint32_t write_seed(uint64_t seed, const uint32_t *without, uint32_t count, rt_buffer *out)
{
    gen_request request = {.seed = seed, .without = without, .without_count = count};
    uint32_t statement_count;
    gen_scenario_write(&request, out, &statement_count);
    return statement_count;
}

static void expect_readable(const rt_buffer *text, uint64_t seed)
{
    rt_arena arena = {0};
    scn_problems problems;
    const scn_scenario *scenario = scn_read(&arena, rt_buffer_text(text), RT_TEXT("seed.yaml"),
                                            RT_TEXT("seed.yaml"), &problems);
    if (!scenario)
        fail_msg("seed %llu: %.*s", (unsigned long long)seed, RT_TEXT_ARG(problems.items[0].text));
    rt_arena_reset(&arena);
}

static void same_seed_same_scenario(void **state)
{
    (void)state;
    rt_buffer before = {0};
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        rt_buffer first = {0}, second = {0};
        uint32_t count = write_seed(seed, NULL, 0, &first);
        assert_true(count >= 3);
        assert_int_equal(write_seed(seed, NULL, 0, &second), count);
        assert_string_equal(rt_buffer_string(&first), rt_buffer_string(&second));
        assert_string_not_equal(rt_buffer_string(&first), rt_buffer_string(&before));
        assert_null(strchr(rt_buffer_string(&first), '$')); /* of a template */
        expect_readable(&first, seed);
        rt_buffer_free(&second);
        rt_buffer_free(&before);
        before = first;
    }
    rt_buffer_free(&before);
}

/* Without any statements, only the arrival of work-items remains, and no count changes. */
static void omitting_all_statements_leaves_a_scenario(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        rt_buffer full = {0}, bare = {0};
        uint32_t count = write_seed(seed, NULL, 0, &full);
        uint32_t *numbers = rt_alloc(count * sizeof *numbers);
        for (uint32_t i = 0; i < count; i++)
            numbers[i] = i + 1;
        assert_int_equal(write_seed(seed, numbers, count, &bare), count);
        assert_non_null(strstr(rt_buffer_string(&bare),
                               "kernel void k(global uint *arrived) {\n"
                               "            atomic_inc(arrived);\n          }\n"));
        assert_null(strstr(rt_buffer_string(&bare), "barrier"));
        expect_readable(&bare, seed);
        rt_free(numbers);
        rt_buffer_free(&full);
        rt_buffer_free(&bare);
    }
}

/* Removes each statement in turn: the text gets shorter unless the statement was not printed, and
 * every remaining line is a line of the full text. */
static void omitting_a_statement_keeps_the_others(void **state)
{
    (void)state;
    uint32_t shorter = 0, tried = 0;
    for (uint64_t seed = 0; seed < 10; seed++) {
        rt_buffer full = {0};
        uint32_t count = write_seed(seed, NULL, 0, &full);
        for (uint32_t number = 1; number <= count; number++) {
            rt_buffer part = {0};
            write_seed(seed, &number, 1, &part);
            assert_true(part.size <= full.size);
            shorter += part.size < full.size;
            tried++;
            expect_readable(&part, seed);
            rt_buffer_free(&part);
        }
        rt_buffer_free(&full);
    }
    assert_true(shorter > tried / 2);
}

/* The lists of kernels: the same seed gives the same one, and each kernel can be omitted, or all.
 */
static void lists_are_readable_with_and_without_kernels(void **state)
{
    (void)state;
    static void (*const writers[])(const gen_request *, rt_buffer *,
                                   uint32_t *) = {gen_list_write, gen_flat_list_write};
    static const uint32_t all[] = {1, 2, 3, 4, 5, 6, 7};
    for (uint64_t seed = 0; seed < 2 * SEEDS; seed++) {
        gen_request request = {.seed = seed / 2};
        rt_buffer full = {0}, again = {0}, part = {0}, none = {0};
        uint32_t count, same_count;
        writers[seed % 2](&request, &full, &count);
        assert_true(count >= 2 && count <= 7);
        writers[seed % 2](&request, &again, &same_count);
        assert_string_equal(rt_buffer_string(&full), rt_buffer_string(&again));
        request.without = all + seed % count;
        request.without_count = 1;
        writers[seed % 2](&request, &part, &same_count);
        assert_true(part.size < full.size);
        request.without = all;
        request.without_count = 7;
        writers[seed % 2](&request, &none, &same_count);
        assert_int_equal(same_count, count);
        assert_null(strstr(rt_buffer_string(&none), "submit"));
        expect_readable(&full, seed);
        expect_readable(&part, seed);
        expect_readable(&none, seed);
        rt_buffer_free(&full);
        rt_buffer_free(&again);
        rt_buffer_free(&part);
        rt_buffer_free(&none);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_is_splitmix64),
        cmocka_unit_test(random_below_draws_every_number),
        cmocka_unit_test(types_have_counterparts),
        cmocka_unit_test(tree_prints_used_declarations),
        cmocka_unit_test(tree_prints_statements_with_their_declaration),
        cmocka_unit_test(tree_omits_statements_with_their_contents),
        cmocka_unit_test(same_seed_same_scenario),
        cmocka_unit_test(omitting_all_statements_leaves_a_scenario),
        cmocka_unit_test(omitting_a_statement_keeps_the_others),
        cmocka_unit_test(lists_are_readable_with_and_without_kernels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
