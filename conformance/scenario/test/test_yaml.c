/* Unit tests of the YAML subset: tree, positions, refusals. */
#include "conformance/scenario/yaml/yaml.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

typedef struct reading {
    rt_arena arena;
    scn_reporter reporter;
    const scn_node *root;
} reading;

static void read_text(reading *out, rt_text text)
{
    *out = (reading){0};
    out->reporter.arena = &out->arena;
    out->root = scn_yaml_read(&out->reporter, text);
    assert_true((out->root == NULL) == (out->reporter.count > 0));
}

static void read_string(reading *out, const char *text)
{
    read_text(out, rt_text_of(text));
}

static void assert_position(scn_position at, uint32_t line, uint32_t column)
{
    assert_int_equal(at.line, line);
    assert_int_equal(at.column, column);
}

static void assert_refused(const char *text, uint32_t line, uint32_t column, const char *part)
{
    reading got;
    read_string(&got, text);
    assert_null(got.root);
    scn_problems problems = scn_reporter_finish(&got.reporter);
    assert_position(problems.items[0].at, line, column);
    assert_non_null(strstr(problems.items[0].text.data, part));
    rt_arena_reset(&got.arena);
}

static void a_tree_has_kinds_styles_and_positions(void **state)
{
    (void)state;
    reading got;
    read_string(&got, "a: 1\nb: ['x', \"y\", {c: z}]\nd:\n");
    assert_int_equal(got.root->kind, SCN_NODE_MAPPING);
    assert_int_equal(got.root->count, 3);
    const scn_node *list = &scn_node_entry(got.root, "b")->value;
    assert_int_equal(list->kind, SCN_NODE_LIST);
    assert_int_equal(list->items[0].style, SCN_STYLE_QUOTED);
    assert_position(list->items[1].at, 2, 10);
    assert_position(list->items[1].content_at, 2, 11);
    const scn_entry *inner = scn_node_entry(&list->items[2], "c");
    assert_position(inner->at, 2, 16);
    assert_position(inner->value.at, 2, 19);
    assert_int_equal(inner->value.style, SCN_STYLE_PLAIN);
    assert_true(scn_node_is_nothing(&scn_node_entry(got.root, "d")->value));
    assert_null(scn_node_entry(got.root, "e"));
    rt_arena_reset(&got.arena);
}

static void columns_count_code_points(void **state)
{
    (void)state;
    reading got;
    read_string(&got, "a: {'\xC3\xA4\xE2\x82\xAC\xF0\x9D\x84\x9E': 1}\n");
    const scn_entry *entry = &got.root->entries[0].value.entries[0];
    assert_int_equal(entry->key.length, 9);
    assert_position(entry->value.at, 1, 12);
    rt_arena_reset(&got.arena);
}

/* Checks the position of a literal block as compiler messages use it: line n of the text is line
 * content_at.line + n - 1 of the file, starting at content_at.column. */
static void assert_literal_maps_back(const char *text)
{
    reading got;
    read_string(&got, text);
    assert_non_null(got.root);
    const scn_node *node = &scn_node_entry(got.root, "code")->value;
    assert_int_equal(node->style, SCN_STYLE_LITERAL);
    const char *file = text;
    for (uint32_t line = 1; line < node->content_at.line; line++)
        file = strchr(file, '\n') + 1;
    const char *code = node->text.data;
    while (*code) {
        size_t length = strcspn(code, "\n");
        if (length > 0) assert_memory_equal(file + node->content_at.column - 1, code, length);
        code += length + (code[length] == '\n');
        file = strchr(file, '\n') ? strchr(file, '\n') + 1 : "";
    }
    rt_arena_reset(&got.arena);
}

static void literal_blocks_map_back_to_the_file(void **state)
{
    (void)state;
    assert_literal_maps_back("code: |\n  int a;\n    int b;\n");
    assert_literal_maps_back("x: 1\ncode: |-\n        int a;\n\n        int b;");
    assert_literal_maps_back("code: | # a comment\n\n  \n  int a;\n");
    assert_literal_maps_back("code: |2\n    int a;\n   int b;\nx: 1\n");
    assert_literal_maps_back("code: |+1\n int a;\n\n\n");
    assert_literal_maps_back("code: |\n  int \xC3\xA4; // wide\n  \tint tabbed;\n");
    assert_literal_maps_back("code: |\n\n\n\n");
}

static void line_ends_and_byte_order_mark_do_not_matter(void **state)
{
    (void)state;
    reading got;
    read_string(&got, "\xEF\xBB\xBF"
                      "a: 1\r\ncode: |\r\n  x\r\n   y\r\nb: 2\r\n");
    assert_position(got.root->entries[0].at, 1, 1);
    const scn_node *code = &scn_node_entry(got.root, "code")->value;
    assert_string_equal(code->text.data, "x\n y\n");
    assert_position(code->content_at, 3, 3);
    assert_position(scn_node_entry(got.root, "b")->at, 5, 1);
    rt_arena_reset(&got.arena);
}

static void a_leading_document_mark_is_allowed(void **state)
{
    (void)state;
    reading got;
    read_string(&got, "# comment\n---\na: 1\n...\n");
    assert_non_null(got.root);
    assert_position(got.root->at, 3, 1);
    rt_arena_reset(&got.arena);
}

static void tabs_are_refused_between_tokens_only(void **state)
{
    (void)state;
    reading got;
    read_string(&got, "a: 'x\ty' #\tcomment\nb: |\n  x\ty\nc: x\ty\n");
    assert_non_null(got.root);
    rt_arena_reset(&got.arena);
    assert_refused("a:\t1\n", 1, 3, "a tab");
    assert_refused("a: [1,\t2]\n", 1, 7, "a tab");
    assert_refused("a:\n\tb: 1\n", 2, 1, "a tab");
    assert_refused("a: 'x'\t\n", 1, 7, "a tab");
    assert_refused("a: |\n  \tx\n", 2, 3, "a tab");
}

static void unsupported_yaml_is_refused(void **state)
{
    (void)state;
    assert_refused("a: &x 1\n", 1, 4, "anchors");
    assert_refused("a: [*x]\n", 1, 5, "aliases");
    assert_refused("a: !!str 1\n", 1, 4, "tags");
    assert_refused("%YAML 1.1\n---\na: 1\n", 1, 1, "directives");
    assert_refused("a: 1\n---\nb: 1\n", 2, 1, "second document");
    assert_refused("a: {b: 1, c: 2, b: 3}\n", 1, 17, "repeated");
    assert_refused("? [a]\n: 1\n", 1, 3, "must be a name");
    assert_refused("", 1, 1, "empty");
    assert_refused("a: {b: ", 1, 8, "expected a value");
    assert_refused("a: {b: 1, c", 1, 4, "never closed");
    assert_refused("a: [b,", 1, 7, "expected a value");
    assert_refused("--- # nothing\n--- a\n", 2, 1, "second document");
}

static void bytes_that_are_not_text_are_refused(void **state)
{
    (void)state;
    assert_refused("a: \xC3(", 1, 4, "0xc3 is not valid UTF-8");
    assert_refused("a: \xED\xA0\x80", 1, 4, "not valid UTF-8");
    assert_refused("a: \xF4\x90\x80\x80", 1, 4, "not valid UTF-8");
    assert_refused("a: \xE2\x82", 1, 4, "not valid UTF-8");
    assert_refused("a: \x1B[0m", 1, 4, "control character");
    assert_refused("a: b\rc: d\n", 1, 5, "carriage return");
    reading got;
    read_text(&got, RT_TEXT("a: 1\nb: \0\n"));
    assert_position(got.reporter.items[0].at, 2, 4);
    rt_arena_reset(&got.arena);
}

static void large_and_deep_files_are_refused(void **state)
{
    (void)state;
    rt_buffer text = {0};
    rt_buffer_printf(&text, "a: ");
    for (int i = 0; i < 100; i++)
        rt_buffer_append_byte(&text, '[');
    assert_refused(rt_buffer_string(&text), 1, 36, "nested more than");
    while (text.size <= RT_SCENARIO_SIZE_MAX)
        rt_buffer_append_byte(&text, 'x');
    assert_refused(rt_buffer_string(&text), 1, 1, "at most 4194304");
    rt_buffer_free(&text);
}

static void a_long_line_takes_linear_time(void **state)
{
    (void)state;
    rt_buffer text = {0};
    rt_buffer_printf(&text, "a: [0");
    while (text.size < 1 << 20)
        rt_buffer_printf(&text, ",1");
    rt_buffer_printf(&text, "]\n");
    reading got;
    read_text(&got, rt_buffer_text(&text));
    assert_int_equal(got.root->entries[0].value.count, (text.size - 5) / 2);
    rt_arena_reset(&got.arena);
    rt_buffer_free(&text);
}

static void problems_come_in_the_order_of_the_file_and_end(void **state)
{
    (void)state;
    rt_arena arena = {0};
    scn_reporter reporter = {.arena = &arena};
    for (uint32_t i = 0; i < 2 * SCN_PROBLEM_COUNT_MAX; i++)
        assert_false(scn_report(&reporter, (scn_position){100 - i / 2, 1 + i % 2}, "%u", i));
    scn_problems problems = scn_reporter_finish(&reporter);
    assert_int_equal(problems.count, SCN_PROBLEM_COUNT_MAX);
    for (uint32_t i = 1; i < problems.count; i++) {
        scn_position a = problems.items[i - 1].at, b = problems.items[i].at;
        assert_true(a.line < b.line || (a.line == b.line && a.column < b.column));
    }
    rt_arena_reset(&arena);
}

static void messages_show_text_on_one_short_line(void **state)
{
    (void)state;
    rt_arena arena = {0};
    assert_string_equal(scn_excerpt(&arena, RT_TEXT("a\nb\x7F")), "a b ");
    rt_buffer text = {0};
    for (int i = 0; i < 47; i++)
        rt_buffer_append_byte(&text, 'x');
    rt_buffer_printf(&text, "\xE2\x82\xAC and more");
    const char *excerpt = scn_excerpt(&arena, rt_buffer_text(&text));
    assert_int_equal(strlen(excerpt), 50); /* the euro sign is dropped, not split */
    assert_string_equal(excerpt + 47, "...");
    rt_buffer_free(&text);
    rt_arena_reset(&arena);
}

static void nearest_names_are_near(void **state)
{
    (void)state;
    rt_arena arena = {0};
    rt_nearest nearest = rt_nearest_to(RT_TEXT("submt"));
    assert_string_equal(scn_nearest_hint(&arena, &nearest), "");
    rt_nearest_offer(&nearest, RT_TEXT("unload"));
    rt_nearest_offer(&nearest, RT_TEXT("wait"));
    rt_nearest_offer(&nearest, RT_TEXT("unload"));
    assert_string_equal(scn_nearest_hint(&arena, &nearest), "; expected one of: unload, wait");
    rt_nearest_offer(&nearest, RT_TEXT("submit"));
    rt_nearest_offer(&nearest, RT_TEXT("summit"));
    assert_string_equal(scn_nearest_hint(&arena, &nearest), "; did you mean 'submit'?");
    nearest = rt_nearest_to(RT_TEXT("x"));
    const char *const many[] = {"a", "b", "c", "d", "e", "f", "g", "h"}; /* no similar name */
    for (size_t i = 0; i < sizeof many / sizeof *many; i++)
        rt_nearest_offer(&nearest, rt_text_of(many[i]));
    assert_string_equal(scn_nearest_hint(&arena, &nearest),
                        "; expected one of: a, b, c, d, e, f, g, h");
    rt_nearest_offer(&nearest, RT_TEXT("i")); /* too many to list */
    assert_string_equal(scn_nearest_hint(&arena, &nearest), "");
    rt_arena_reset(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tree_has_kinds_styles_and_positions),
        cmocka_unit_test(columns_count_code_points),
        cmocka_unit_test(literal_blocks_map_back_to_the_file),
        cmocka_unit_test(line_ends_and_byte_order_mark_do_not_matter),
        cmocka_unit_test(a_leading_document_mark_is_allowed),
        cmocka_unit_test(tabs_are_refused_between_tokens_only),
        cmocka_unit_test(unsupported_yaml_is_refused),
        cmocka_unit_test(bytes_that_are_not_text_are_refused),
        cmocka_unit_test(large_and_deep_files_are_refused),
        cmocka_unit_test(a_long_line_takes_linear_time),
        cmocka_unit_test(problems_come_in_the_order_of_the_file_and_end),
        cmocka_unit_test(messages_show_text_on_one_short_line),
        cmocka_unit_test(nearest_names_are_near),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
