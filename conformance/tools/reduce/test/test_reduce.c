/* Tests of cutting trees: what is written means the same, and what remains is the least that the
 * test accepts. */
#include "conformance/process/files.h"
#include "conformance/tools/reduce/reduce.h"
#include "conformance/tools/reduce/tree.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static const scn_node *read_text(rt_arena *arena, rt_text text)
{
    scn_reporter reporter = {.arena = arena};
    const scn_node *root = scn_yaml_read(&reporter, text);
    if (!root)
        print_error("%u: %s\n%.*s\n", reporter.items[0].at.line, reporter.items[0].text.data,
                    RT_TEXT_ARG(text));
    assert_non_null(root);
    return root;
}

/* ---- Writing ------------------------------------------------------------------------------ */

/* A text of one line without its line feed; another text unchanged. */
static rt_text line_of(rt_text text)
{
    rt_text rest = text, line = rt_text_take_until(&rest, '\n');
    return rest.length == 0 ? line : text;
}

static void assert_same(const scn_node *a, const scn_node *b)
{
    assert_int_equal(a->kind, b->kind);
    if (a->kind == SCN_NODE_SCALAR) {
        assert_true(rt_text_equal(line_of(a->text), line_of(b->text)));
        assert_int_equal(a->style == SCN_STYLE_PLAIN, b->style == SCN_STYLE_PLAIN);
        return;
    }
    assert_int_equal(a->count, b->count);
    for (uint32_t i = 0; i < a->count; i++) {
        bool is_list = a->kind == SCN_NODE_LIST;
        if (!is_list) assert_true(rt_text_equal(a->entries[i].key, b->entries[i].key));
        assert_same(is_list ? &a->items[i] : &a->entries[i].value,
                    is_list ? &b->items[i] : &b->entries[i].value);
    }
}

static void assert_round_trip(rt_text text)
{
    rt_arena arena = {0};
    rt_buffer written = {0};
    const scn_node *root = read_text(&arena, text);
    red_tree_write(red_tree_copy(&arena, root), &written);
    assert_same(root, read_text(&arena, rt_buffer_text(&written)));
    rt_buffer_free(&written);
    rt_arena_reset(&arena);
}

static void every_scenario_is_written_as_it_was_read(void **state)
{
    (void)state;
    rt_arena arena = {0};
    rt_sink *sink = rt_sink_create();
    rt_text folder = RT_TEXT(ASSAY_ROOT "/scenarios");
    cnf_files files;
    assert_true(rt_ok(cnf_files_find(sink, &arena, &folder, 1, &files)));
    assert_true(files.count > 700);
    for (uint32_t i = 0; i < files.count; i++) {
        rt_buffer text;
        assert_true(rt_ok(cnf_file_text(sink, &files.items[i], &text)));
        assert_round_trip(rt_buffer_text(&text));
        rt_buffer_free(&text);
    }
    rt_sink_destroy(sink);
    rt_arena_reset(&arena);
}

static void unusual_texts_are_written_as_they_were_read(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "a: \"x: y\"\nb: 'it''s'\nc: \"\"\nd:\ne: -1\nf: \"- 1\"\n",
        "a: [x, \"y, z\", {k: v, \"l m: n\": -0x1p-3}]\n",
        "a: |\n  first\n\n    third\n",
        "a: |2\n    first is indented\n  second\n",
        "a: |-\n  no line feed\nb: |-\n  two\n  lines\n",
        "a: >-\n  folded\n  text\nb: \"tab\\tand \\\"quote\\\" and \\\\\"\n",
        "a:\n  - - 1\n    - [2, 3]\n  - b: |\n      text\n    c: []\n  - {}\n",
        "a: \"é\\n\"\nb: caf\xc3\xa9\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_round_trip(rt_text_of(texts[i]));
}

/* ---- Reducing ----------------------------------------------------------------------------- */

/* A test that accepts texts with all of the words. */
typedef struct word_test {
    const char *const *words;
    uint32_t count, runs, runs_max;
} word_test;

static bool has_words(void *user, const rt_text *candidates, uint32_t count, uint32_t *out_passed)
{
    word_test *words = user;
    *out_passed = count;
    words->runs += count;
    for (uint32_t i = count; i-- > 0;) {
        bool has_all = true;
        for (uint32_t k = 0; k < words->count; k++)
            has_all = has_all && memmem(candidates[i].data, candidates[i].length, words->words[k],
                                        strlen(words->words[k]));
        if (has_all) *out_passed = i;
    }
    return words->runs <= words->runs_max;
}

static const char scenario[] = "assay: 1\n"
                               "summary: A test.\n"
                               "modules:\n"
                               "  app:\n"
                               "    sources:\n"
                               "      - language: opencl-c\n"
                               "        code: |\n"
                               "          int one;\n"
                               "          int two;\n"
                               "          int three;\n"
                               "  library: {sources: [{language: opencl-c, code: a}]}\n"
                               "memory:\n"
                               "  data: {type: int, values: [1, 2, 3]}\n"
                               "  more: {type: int, count: 640}\n"
                               "steps:\n"
                               "  - load: library\n"
                               "  - submit: {kernel: k, range: [640], args: [data]}\n"
                               "  - wait\n";

static bool reduced(word_test *words, uint32_t batch, rt_buffer *out)
{
    rt_arena arena = {0};
    const red_request request = {.root = read_text(&arena, rt_text_of(scenario)),
                                 .batch = batch,
                                 .test = has_words,
                                 .user = words,
                                 .summary = RT_TEXT("Short.")};
    bool is_complete = red_reduce(&request, out);
    rt_arena_reset(&arena);
    return is_complete;
}

/* The same for every size of a batch. A number is replaced wherever it is written. */
static void only_what_the_test_needs_remains(void **state)
{
    (void)state;
    static const char *const kept[] = {"int two;", "kernel: k", "count:"};
    for (uint32_t batch = 1; batch <= RED_BATCH_MAX; batch *= 4) {
        word_test words = {kept, 3, 0, UINT32_MAX};
        rt_buffer text = {0};
        assert_true(reduced(&words, batch, &text));
        assert_string_equal(rt_buffer_string(&text), "assay: 1\n"
                                                     "summary: \"Short.\"\n"
                                                     "modules:\n"
                                                     "  app: {sources: [{code: \"int two;\"}]}\n"
                                                     "memory: {more: {count: 1}}\n"
                                                     "steps:\n"
                                                     "  - submit: {kernel: k}\n");
        rt_buffer_free(&text);
    }
}

/* Reduces the scenario by the test, four candidates at a time, and compares the result. */
static void assert_reduced(const char *original,
                           bool (*test)(void *user, const rt_text *candidates, uint32_t count,
                                        uint32_t *out_passed),
                           const char *expected)
{
    rt_arena arena = {0};
    rt_buffer text = {0};
    const red_request request = {.root = read_text(&arena, rt_text_of(original)),
                                 .batch = 4,
                                 .test = test,
                                 .summary = RT_TEXT("Short.")};
    assert_true(red_reduce(&request, &text));
    assert_string_equal(rt_buffer_string(&text), expected);
    rt_buffer_free(&text);
    rt_arena_reset(&arena);
}

static bool has(rt_text text, const char *words)
{
    return memmem(text.data, text.length, words, strlen(words)) != NULL;
}

/* Accepts texts whose application needs the library, directly or not. */
static bool reaches_library(void *user, const rt_text *candidates, uint32_t count,
                            uint32_t *out_passed)
{
    (void)user;
    *out_passed = count;
    for (uint32_t i = count; i-- > 0;) {
        rt_text text = candidates[i];
        bool reaches =
            has(text, "app: {needs: [library]}") ||
            (has(text, "app: {needs: [middle]}") && has(text, "middle: {needs: [library]}"));
        if (reaches && has(text, "load: ") && has(text, "opencl-c") && has(text, "int two;") &&
            has(text, "int three;"))
            *out_passed = i;
    }
    return true;
}

/* A module that only needs another one is left out, and short code gets one line. */
static void modules_and_lines_are_joined(void **state)
{
    (void)state;
    static const char chain[] = "assay: 1\n"
                                "summary: A test.\n"
                                "modules:\n"
                                "  app: {needs: [middle]}\n"
                                "  middle: {needs: [library]}\n"
                                "  library:\n"
                                "    sources:\n"
                                "      - language: opencl-c\n"
                                "        code: |\n"
                                "          int two;\n"
                                "          int three;\n"
                                "steps:\n"
                                "  - load: middle\n";
    assert_reduced(chain, reaches_library,
                   "assay: 1\n"
                   "summary: \"Short.\"\n"
                   "modules:\n"
                   "  app: {needs: [library]}\n"
                   "  library: {sources: [{language: opencl-c, code: \"int two; int three;\"}]}\n"
                   "steps:\n"
                   "  - load: library\n");
}

static uint32_t occurrences(rt_text text, const char *words)
{
    uint32_t count = 0;
    for (const char *at; (at = memmem(text.data, text.length, words, strlen(words))); count++)
        text = rt_text_skip(text, (size_t)(at - text.data) + 1);
    return count;
}

/* Accepts what assay run would: no outcome has a name that no other one has, and something is
 * expected; and the fill, which fails. */
static bool expects_and_fails(void *user, const rt_text *candidates, uint32_t count,
                              uint32_t *out_passed)
{
    (void)user;
    *out_passed = count;
    for (uint32_t i = count; i-- > 0;) {
        rt_text text = candidates[i];
        bool is_valid = occurrences(text, "name: same") != 1 && has(text, "expect: {") &&
                        (!has(text, "submit: k") || has(text, "app: {sources: [code]}"));
        if (is_valid && has(text, "fill: data")) *out_passed = i;
    }
    return true;
}

/* Linked outcomes lose their name together, and then their steps go one by one. Of the two steps
 * that expect something, the one that needs code goes, although the other one went before. */
static void links_go_and_the_simpler_expectation_stays(void **state)
{
    (void)state;
    static const char linked[] = "assay: 1\n"
                                 "summary: A test.\n"
                                 "modules:\n"
                                 "  app: {sources: [code]}\n"
                                 "steps:\n"
                                 "  - expect: {memory: data}\n"
                                 "  - submit: k\n"
                                 "    expect: {one_of: [{name: same}, {name: other}]}\n"
                                 "  - fill: data\n"
                                 "  - submit: k\n"
                                 "    expect: {one_of: [{name: same}, {name: third}]}\n";
    assert_reduced(linked, expects_and_fails,
                   "assay: 1\n"
                   "summary: \"Short.\"\n"
                   "modules: {}\n"
                   "steps:\n"
                   "  - expect: {}\n"
                   "  - fill: data\n");
}

/* What is written then is the smallest text that has passed. */
static void a_test_that_stops_ends_the_reduction(void **state)
{
    (void)state;
    static const char *const kept[] = {"int two;"};
    word_test words = {kept, 1, 0, 1};
    rt_buffer text = {0};
    uint32_t passed = 0;
    assert_false(reduced(&words, 1, &text));
    words.runs_max = UINT32_MAX;
    rt_text result = rt_buffer_text(&text);
    assert_true(has_words(&words, &result, 1, &passed));
    assert_int_equal(passed, 0);
    rt_buffer_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_scenario_is_written_as_it_was_read),
        cmocka_unit_test(unusual_texts_are_written_as_they_were_read),
        cmocka_unit_test(only_what_the_test_needs_remains),
        cmocka_unit_test(modules_and_lines_are_joined),
        cmocka_unit_test(links_go_and_the_simpler_expectation_stays),
        cmocka_unit_test(a_test_that_stops_ends_the_reduction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
