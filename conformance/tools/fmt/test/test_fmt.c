/* Unit tests of the formatter: its result for single constructs, its refusal of text that is not
 * YAML, and its idempotence for every scenario of the tree and mutations of them. */
#include "conformance/process/files.h"
#include "conformance/scenario/test/cases.h"
#include "conformance/tools/fmt/fmt.h"
#include "conformance/tools/fmt/fmt_internal.h"

#include <dirent.h>
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- Helpers ------------------------------------------------------------------------------- */

static cnf_fmt_end format(rt_text text, rt_buffer *out)
{
    rt_arena arena = {0};
    scn_problems problems;
    cnf_fmt_end end = cnf_fmt_text(&arena, text, out, &problems);
    assert_true((end == CNF_FMT_DONE) == (problems.count == 0));
    rt_arena_reset(&arena);
    return end;
}

/* Formatting gives `wanted`, and formatting `wanted` changes nothing. */
static void assert_formatted(const char *text, const char *wanted)
{
    rt_buffer once = {0}, twice = {0};
    assert_int_equal(format(rt_text_of(text), &once), CNF_FMT_DONE);
    assert_string_equal(rt_buffer_string(&once), wanted);
    assert_int_equal(format(rt_buffer_text(&once), &twice), CNF_FMT_DONE);
    assert_string_equal(rt_buffer_string(&twice), wanted);
    rt_buffer_free(&once);
    rt_buffer_free(&twice);
}

static void assert_unchanged(const char *text)
{
    assert_formatted(text, text);
}

/* ---- Single constructs --------------------------------------------------------------------- */

static void blanks_between_tokens(void **state)
{
    (void)state;
    assert_formatted("a:   1\n", "a: 1\n");
    assert_formatted("a :  { b :1 , \"c\":2,d: [ 1 ,2,3 ] }\n",
                     "a: {b :1, \"c\": 2, d: [1, 2, 3]}\n");
    assert_formatted("a: [ ]\nb: { }\n", "a: []\nb: {}\n");
    assert_formatted("a: {b: , c: }\n", "a: {b: , c: }\n");
    assert_formatted("a: [1,2 , ]\n", "a: [1, 2,]\n");
    assert_formatted("a: [x: 1,? y : 2]\n", "a: [x: 1, ? y: 2]\n");
    assert_unchanged("a: [b:c, ':', -, -1]\n");
    assert_formatted("-   -  a\n", "- - a\n");
}

static void indentation(void **state)
{
    (void)state;
    assert_formatted("a:\n    b: 1\n    c:\n            d: 2\ne: 3\n",
                     "a:\n  b: 1\n  c:\n    d: 2\ne: 3\n");
    assert_formatted("  a: 1\n  b: 2\n", "a: 1\nb: 2\n");
    assert_formatted("a:\n- b: 1\n  c:\n  - d\n  -   e: 1\n      f: 2\n- g\nh: 1\n",
                     "a:\n  - b: 1\n    c:\n      - d\n      - e: 1\n        f: 2\n  - g\nh: 1\n");
    assert_formatted("a:\n    1\nb:\n -\n   x: 1\n", "a:\n  1\nb:\n  -\n    x: 1\n");
    assert_formatted("a:\n - - b\n   - c\n -  - d\n    - e\n",
                     "a:\n  - - b\n    - c\n  - - d\n    - e\n");
    assert_formatted("?   a\n:   b\n? c\n:\n- d\n", "? a\n: b\n? c\n:\n  - d\n");
    assert_formatted("---\n  - a\n...\n", "---\n- a\n...\n");
}

static void lines_inside_brackets(void **state)
{
    (void)state;
    assert_formatted("a: [1,\n 2,\n   3]\n", "a: [1,\n    2,\n    3]\n");
    assert_formatted("a: [\n 1,\n     2\n]\n", "a: [\n  1,\n  2\n  ]\n");
    assert_formatted("a:\n- {b: 1,\n c: [\n 2]}\n", "a:\n  - {b: 1,\n     c: [\n       2]}\n");
    assert_formatted("\xC3\xA4: [1,\n2]\n", "\xC3\xA4: [1,\n    2]\n");
    assert_formatted("a: [ # one\n1]\n", "a: [  # one\n  1]\n");
    assert_formatted("a: [1, # one\n  # two\n2]\n", "a: [1,  # one\n    # two\n    2]\n");
}

static void blank_lines_and_ends_of_lines(void **state)
{
    (void)state;
    assert_formatted("\n\na: 1  \n\n\n\nb: 2\n\n", "a: 1\n\nb: 2\n");
    assert_formatted("a: 1", "a: 1\n");
    assert_formatted("\xEF\xBB\xBF"
                     "a: 1\r\nb: |\r\n  x\r\n\r\n  y\r\n",
                     "a: 1\nb: |\n  x\n\n  y\n");
    assert_formatted("a: 1\n   \n# c   \n", "a: 1\n\n# c\n");
}

static void comments(void **state)
{
    (void)state;
    assert_formatted("a: 1 # one\nb: 2      # two\n", "a: 1  # one\nb: 2  # two\n");
    assert_formatted(
        "    # first\na:\n      # of b\n    b: 1\n    # last of a\n# of c\nc: 1\n  # end\n",
        "# first\na:\n  # of b\n  b: 1\n  # last of a\n# of c\nc: 1\n# end\n");
    assert_formatted("a:\n- b\n# of the key\nc:\n- d\n  # of the list\ne: 1\n",
                     "a:\n  - b\n# of the key\nc:\n  - d\n  # of the list\ne: 1\n");
    assert_formatted("a:\n      # of the value\n    1\n", "a:\n  # of the value\n  1\n");
    assert_formatted("a: | # code\n  x\n# after\n", "a: |  # code\n  x\n# after\n");
    assert_unchanged("# nothing but 'quotes: [ and # signs\na: 'no # comment'\n");
}

static void scalars_of_several_lines(void **state)
{
    (void)state;
    assert_formatted("a: one\n two   \n\n\n     three\n", "a: one\n  two\n\n\n  three\n");
    assert_formatted("a: 'one   \n two\n\n  three'\n", "a: 'one\n  two\n\n  three'\n");
    assert_formatted("a: \"one\\\n      \\  two\\ \n  three \\\n four\"\n",
                     "a: \"one\\\n  \\  two\\ \n  three \\\n  four\"\n");
    assert_formatted("a: [one\n two, 3]\n", "a: [one\n    two, 3]\n");
}

static void block_scalars(void **state)
{
    (void)state;
    assert_formatted(
        "a: |\n        int a;\n          int b;\n\n\n        \n        int c;  \n\n\nb: 1\n",
        "a: |\n  int a;\n    int b;\n\n\n\n  int c;  \n\nb: 1\n");
    assert_formatted("a:\n    b: |4\n            x\n          y\n",
                     "a:\n  b: |2\n        x\n      y\n");
    assert_formatted("a: |-2\n    x\n   y\n", "a: |2-\n    x\n   y\n");
    assert_formatted("a: |+\n x\n\n\nb: >+\n\n\n", "a: |+\n  x\n\n\nb: >+\n\n\n");
    assert_formatted("a: |\n\n\n\nb: 1\n", "a: |\n\nb: 1\n");
    assert_formatted("a: >-\n     folded\n     text\n\n       deeper\n     end\n",
                     "a: >-\n  folded\n  text\n\n    deeper\n  end\n");
    assert_formatted("- |\n x\n- |1\n  y\n", "- |\n  x\n- |2\n   y\n");
    assert_formatted("a: |1\n  x\n     \n   \n", "a: |2\n   x\n      \n    \n");
    assert_formatted("--- |\n x\n", "--- |\n  x\n");
}

/* Without a line feed at the end the text is "x"; with one it must not become "x\n". */
static void text_cut_by_the_end_stays_cut(void **state)
{
    (void)state;
    assert_formatted("a: |\n  x", "a: |-\n  x\n");
    assert_formatted("a: |2+\n    x\n  ", "a: |2+\n    x\n");
    assert_formatted("a: >+\n  x\n\n  y", "a: >-\n  x\n\n  y\n");
    assert_formatted("a: |", "a: |\n");
}

static void text_that_is_not_yaml_is_refused(void **state)
{
    (void)state;
    static const char *const wrong[] = {"a: [1\n",  "a: &x 1\n", "a: 1\na: 2\n",
                                        "\ta: 1\n", "",          "a: 1\n---\nb: 1\n",
                                        " ---",     "[?\n]]",    " a: 1\n ... b: 2\n"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        rt_buffer out = {0};
        assert_int_equal(format(rt_text_of(wrong[i]), &out), CNF_FMT_REFUSED);
        assert_int_equal(out.size, 0);
        rt_buffer_free(&out);
    }
}

/* This check protects a user's file from a bug in assay. */
static void a_change_of_meaning_is_noticed(void **state)
{
    (void)state;
    static const struct {
        const char *text, *formatted;
        uint32_t line;
    } rows[] = {
        {"a: 1\nb:  2\n", "a: 1\nb: 2\n", 0},
        {"a: 1\nb: 2\n", "a: 1\nb: 3\n", 2},
        {"a: 1\nb: 2\n", "a: 1\nb: '2'\n", 2},
        {"a: [1]\n", "a:\n- 1\n", 1},
        {"a: {}\n", "a: []\n", 1},
        {"a: 1\nb: 2\n", "a: 1\n", 2},
        {"a: 1\n", "a: 1\nb: 2\n", 2},
        {"a: 1\nb: 2\n", "a: 1\nb: [\n", 2},
        {"a: |\n  x\n", "a: |\n  x", 1},
        {"a: |\n  x\n", "a: >\n  x\n", 1},
        {"a: 1\n# c\n", "a: 1\n", 2},
        {"a: 1\n# c\n", "a: 1\n# d\n", 2},
        {"a: 1\nb: 2\n", "a: 1\nb: 2 # c\n", 2},
        {"---\na: 1\n", "a: 1\n", 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rt_arena arena = {0};
        assert_int_equal(
            cnf_fmt_differs(&arena, rt_text_of(rows[i].text), rt_text_of(rows[i].formatted)),
            rows[i].line);
        rt_arena_reset(&arena);
    }
}

/* ---- Every file, and mutations ------------------------------------------------------------- */

typedef struct tally {
    uint32_t formatted, refused;
} tally;

/* Formatting is idempotent; a text that cannot be read gives no result. */
static void assert_property(rt_text text, tally *count)
{
    rt_buffer once = {0}, twice = {0};
    cnf_fmt_end end = format(text, &once);
    assert_int_not_equal(end, CNF_FMT_BROKEN);
    if (end == CNF_FMT_DONE) {
        count->formatted++;
        assert_int_equal(format(rt_buffer_text(&once), &twice), CNF_FMT_DONE);
        assert_string_equal(rt_buffer_string(&twice), rt_buffer_string(&once));
    } else {
        count->refused++;
    }
    rt_buffer_free(&once);
    rt_buffer_free(&twice);
}

/* A step of xorshift, so that the mutations are the same on every machine. */
static uint32_t draw(uint64_t *state, uint32_t count)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return (uint32_t)(*state >> 33) % count;
}

/* Replaces, inserts or removes a few characters or strings that are significant in YAML. */
static void mutate(rt_buffer *out, rt_text text, uint64_t *state)
{
    static const char *const pieces[] = {
        " ",   "  ", "\n", "\n\n", "# c\n", ":",  ": ", "- ",  ", ", "[",     "]", "{",    "}",
        "|\n", ">",  "? ", "'",    "\"",    "\\", "+",  "|1-", "\t", "---\n", "x", "\r\n", " #"};
    size_t from = 0;
    uint32_t changes = 1 + draw(state, 3);
    for (uint32_t i = 0; i < changes && from < text.length; i++) {
        size_t to = from + draw(state, (uint32_t)(text.length - from));
        rt_buffer_append(out, text.data + from, to - from);
        if (draw(state, 3) > 0)
            rt_buffer_printf(out, "%s", pieces[draw(state, sizeof pieces / sizeof *pieces)]);
        from = to + draw(state, 3);
    }
    if (from < text.length) rt_buffer_append(out, text.data + from, text.length - from);
}

enum { FILE_MAX = 1 << 20 };

/* Checks the text itself and mutations drawn from the seed. */
static void mutations_format(rt_text text, uint64_t seed, tally *count)
{
    enum { MUTATIONS = 20 };
    uint64_t state = 0x9E3779B97F4A7C15u + seed;
    assert_property(text, count);
    for (uint32_t m = 0; m < MUTATIONS; m++) {
        rt_buffer mutation = {0};
        mutate(&mutation, text, &state);
        assert_property(rt_buffer_text(&mutation), count);
        rt_buffer_free(&mutation);
    }
}

static void folder_formats(const char *folder, tally *count)
{
    rt_arena arena = {0};
    rt_sink *sink = rt_sink_create();
    cnf_files files;
    const rt_text path = rt_text_of(folder);
    assert_true(rt_ok(cnf_files_find(sink, &arena, &path, 1, &files)));
    assert_true(files.count > 0);
    for (uint32_t i = 0; i < files.count; i++) {
        rt_buffer text;
        assert_true(rt_ok(cnf_file_read(sink, files.items[i].file, FILE_MAX, &text)));
        mutations_format(rt_buffer_text(&text), i, count);
        rt_buffer_free(&text);
    }
    rt_sink_destroy(sink);
    rt_arena_reset(&arena);
}

static void cases_format(const char *path, tally *count)
{
    rt_arena arena = {0};
    rt_sink *sink = rt_sink_create();
    rt_buffer file;
    golden_cases cases;
    rt_text error;
    assert_true(rt_ok(cnf_file_read(sink, rt_text_of(path), FILE_MAX, &file)));
    assert_true(golden_cases_read(&arena, rt_buffer_text(&file), &cases, &error));
    for (uint32_t i = 0; i < cases.list.count; i++)
        mutations_format(cases.list.items[i].scenario, i, count);
    rt_vector_free(&cases.list);
    rt_buffer_free(&file);
    rt_sink_destroy(sink);
    rt_arena_reset(&arena);
}

static void wrong_scenarios_format(tally *count)
{
    glob_t found;
    assert_int_equal(glob(ASSAY_ROOT "/conformance/scenario/test/wrong/*.cases", 0, NULL, &found),
                     0);
    for (size_t i = 0; i < found.gl_pathc; i++)
        cases_format(found.gl_pathv[i], count);
    globfree(&found);
}

static void every_file_of_the_tree_and_mutations_of_them(void **state)
{
    (void)state;
    tally count = {0};
    folder_formats(ASSAY_ROOT "/scenarios", &count);
    folder_formats(ASSAY_ROOT "/conformance/scenario/test/right", &count);
    wrong_scenarios_format(&count);
    /* Some of the mutations are YAML, and some are not. */
    assert_true(count.formatted > 500 && count.refused > 500);
}

/* ---- Files --------------------------------------------------------------------------------- */

static void replacing_keeps_mode_and_links_and_leaves_no_other_file(void **state)
{
    (void)state;
    char folder[] = "/tmp/fmt_tests.XXXXXX", file[64], link_name[64];
    assert_non_null(mkdtemp(folder));
    snprintf(file, sizeof file, "%s/a.yaml", folder);
    snprintf(link_name, sizeof link_name, "%s/b.yaml", folder);
    FILE *stream = fopen(file, "w");
    assert_non_null(stream);
    fputs("old", stream);
    fclose(stream);
    assert_int_equal(chmod(file, 0640), 0);
    assert_int_equal(symlink("a.yaml", link_name), 0);

    rt_sink *sink = rt_sink_create();
    assert_true(rt_ok(cnf_fmt_replace(sink, rt_text_of(link_name), RT_TEXT("new"))));
    rt_buffer content;
    assert_true(rt_ok(cnf_file_read(sink, rt_text_of(file), 100, &content)));
    assert_string_equal(rt_buffer_string(&content), "new");
    rt_buffer_free(&content);
    struct stat now;
    assert_int_equal(lstat(link_name, &now), 0);
    assert_true(S_ISLNK(now.st_mode));
    assert_int_equal(stat(file, &now), 0);
    assert_int_equal(now.st_mode & 07777, 0640);

    assert_int_equal(unlink(file), 0);
    rt_status status = cnf_fmt_replace(sink, rt_text_of(file), RT_TEXT("new"));
    assert_int_equal(status.code, RT_IO);
    rt_sink_destroy(sink);
    assert_int_equal(unlink(link_name), 0);
    assert_int_equal(rmdir(folder), 0); /* this fails if a temporary file was left */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blanks_between_tokens),
        cmocka_unit_test(indentation),
        cmocka_unit_test(lines_inside_brackets),
        cmocka_unit_test(blank_lines_and_ends_of_lines),
        cmocka_unit_test(comments),
        cmocka_unit_test(scalars_of_several_lines),
        cmocka_unit_test(block_scalars),
        cmocka_unit_test(text_cut_by_the_end_stays_cut),
        cmocka_unit_test(text_that_is_not_yaml_is_refused),
        cmocka_unit_test(a_change_of_meaning_is_noticed),
        cmocka_unit_test(every_file_of_the_tree_and_mutations_of_them),
        cmocka_unit_test(replacing_keeps_mode_and_links_and_leaves_no_other_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
