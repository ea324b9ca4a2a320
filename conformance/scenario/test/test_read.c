/* Unit tests of reading: references and limits. Messages about invalid files are covered by golden
 * tests (test/wrong). */
#include "conformance/scenario/model/build_options.h"
#include "conformance/scenario/model/scenario.h"
#include "conformance/scenario/test/sample.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

static const scn_scenario *sample(rt_arena *arena)
{
    scn_problems problems;
    return scn_read(arena, scn_sample(), RT_TEXT("dir/sample.yaml"), RT_TEXT("sample.yaml"),
                    &problems);
}

static void names_become_indices(void **state)
{
    (void)state;
    rt_arena arena = {0};
    const scn_scenario *scenario = sample(&arena);
    assert_non_null(scenario);
    assert_true(rt_text_is(scenario->file, "dir/sample.yaml"));
    assert_true(rt_text_is(scenario->path, "sample.yaml"));
    assert_int_equal(scenario->modules[0].needs[0], 1);
    assert_true(rt_text_is(scenario->modules[1].sources[0].name, "lib/0"));
    const scn_step *second = &scenario->steps[2];
    assert_int_equal(second->submit.command.after_count, 1);
    assert_int_equal(second->submit.command.after[0], 1);
    assert_int_equal(scenario->steps[1].submit.arguments[1].memory, 1);
    assert_int_equal(scenario->steps[1].submit.arguments[1].access, SCN_ACCESS_READ);
    assert_int_equal(scenario->covers[1].rule, RT_RULE_DL_RESOLVE_09);
    assert_null(scenario->memories[1].initial.data);
    assert_int_equal(scenario->memories[0].initial.size, 16);
    rt_arena_reset(&arena);
}

static void a_scenario_outlives_its_text(void **state)
{
    (void)state;
    rt_arena arena = {0};
    rt_buffer text = {0};
    scn_problems problems;
    rt_buffer_append_text(&text, scn_sample());
    const scn_scenario *scenario =
        scn_read(&arena, rt_buffer_text(&text), RT_TEXT("f"), RT_TEXT("p"), &problems);
    memset(text.data, '#', text.size);
    rt_buffer_free(&text);
    assert_true(rt_text_is(scenario->summary, "Every part of the model."));
    assert_true(rt_text_is(scenario->steps[1].submit.kernel, "k"));
    assert_true(rt_text_is(scenario->memories[1].name, "b"));
    assert_true(rt_text_is(scenario->steps[1].id, "s"));
    rt_arena_reset(&arena);
}

static void every_truncation_of_a_file_is_read_or_refused(void **state)
{
    (void)state;
    size_t read = 0;
    for (size_t length = 0; length <= scn_sample().length; length++) {
        rt_arena arena = {0};
        scn_problems problems;
        rt_text text = {scn_sample().data, length};
        const scn_scenario *scenario =
            scn_read(&arena, text, RT_TEXT("f"), RT_TEXT("p"), &problems);
        assert_true((scenario != NULL) == (problems.count == 0));
        read += scenario != NULL;
        rt_arena_reset(&arena);
    }
    assert_true(read > 10); /* this includes prefixes that lack only the last steps */
}

static void at_most_twenty_problems_are_reported(void **state)
{
    (void)state;
    rt_arena arena = {0};
    rt_buffer text = {0};
    rt_buffer_printf(&text, "assay: 1\nsummary: s\nmodules: {}\nsteps:\n");
    for (int i = 0; i < 50; i++)
        rt_buffer_printf(&text, "  - leap: %d\n", i);
    scn_problems problems;
    assert_null(scn_read(&arena, rt_buffer_text(&text), RT_TEXT("f"), RT_TEXT("p"), &problems));
    assert_int_equal(problems.count, 20);
    rt_buffer_free(&text);
    rt_arena_reset(&arena);
}

/* Reading the hello-world of linking takes well under a millisecond; the limit is ten times what a
 * loaded machine needs, so the test detects only gross regressions. */
static void reading_is_fast(void **state)
{
    (void)state;
    const int rounds = 100;
    clock_t start = clock();
    for (int i = 0; i < rounds; i++) {
        rt_arena arena = {0};
        assert_non_null(sample(&arena));
        rt_arena_reset(&arena);
    }
    double ms = 1000.0 * (double)(clock() - start) / CLOCKS_PER_SEC / rounds;
    print_message("reading the sample: %.3f ms\n", ms);
    assert_true(ms < 10);
}

static void build_options_are_taken_from_a_list(void **state)
{
    (void)state;
    rt_text refused;
    assert_true(scn_build_options_check((rt_text){0}, &refused));
    assert_true(scn_build_options_check(RT_TEXT(""), &refused));
    assert_true(scn_build_options_check(RT_TEXT(" -DN=4  -cl-std=CL1.2\t-O2 "), &refused));
    static const char *const wrong[] = {
        "-o",       "-I/tmp", "@file",       "-Xclang", "-D", "-fplugin=x.so",
        "-include", "x.cl",   "-save-temps", "-O9"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char options[64];
        snprintf(options, sizeof options, "-DA %s -DB", wrong[i]);
        assert_false(scn_build_options_check(rt_text_of(options), &refused));
        assert_true(rt_text_is(refused, wrong[i]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(build_options_are_taken_from_a_list),
        cmocka_unit_test(names_become_indices),
        cmocka_unit_test(a_scenario_outlives_its_text),
        cmocka_unit_test(every_truncation_of_a_file_is_read_or_refused),
        cmocka_unit_test(at_most_twenty_problems_are_reported),
        cmocka_unit_test(reading_is_fast),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
