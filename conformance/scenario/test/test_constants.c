/* Unit tests of the names of specialisation constants: those of sources, and the symbolic ids that
 * they stand for. */
#include "conformance/scenario/resolve/constants.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define ONE  "uid0000000000000001____ZL5width"
#define TWO  "uid0000000000000002____ZL5width"
#define BOTH "_ZN5inner4bothE"

#define TEXT(literal)                                                                              \
    {                                                                                              \
        literal, sizeof literal - 1                                                                \
    }
static const rt_property first_table[] = {{.name = TEXT(ONE)}, {.name = TEXT(BOTH)}};
static const rt_property second_table[] = {
    {.name = TEXT(BOTH)}, {.name = TEXT(TWO)}, {.name = TEXT("plain")}};
static const rt_property_set first_set = {TEXT(RT_SET_SPEC_CONSTANTS), first_table, 2};
static const rt_property_set second_set = {TEXT(RT_SET_SPEC_CONSTANTS), second_table, 3};

/* The name that a submit's constant gets if the first `image_count` images exist, in the arena;
 * empty after a problem. */
static rt_text resolved(rt_arena *arena, const char *name, uint32_t image_count,
                        rt_text *out_problem)
{
    const rt_image images[] = {{.sets = &first_set, .set_count = 1},
                               {.sets = &second_set, .set_count = 1}};
    const scn_module module = {.images = {images, image_count}};
    const scn_spec_constant constant = {.name = rt_text_of(name), .at = {7, 3}};
    const scn_step step = {.verb = SCN_VERB_SUBMIT,
                           .submit = {.constants = &constant, .constant_count = 1}};
    scn_scenario scenario = {
        .modules = &module, .module_count = 1, .steps = &step, .step_count = 1};
    scn_position at;
    if (!scn_constants_resolve(arena, &scenario, &at, out_problem)) {
        assert_int_equal(at.line, 7);
        return (rt_text){0};
    }
    assert_int_equal(out_problem->length, 0);
    return scenario.steps[0].submit.constants[0].name;
}

static void names_of_sources_become_ids(void **state)
{
    (void)state;
    static const struct {
        const char *name, *id;
        uint32_t image_count;
    } rows[] = {
        {"width", ONE, 1},     {"inner::both", BOTH, 2},
        {"plain", "plain", 2}, {"unknown", "unknown", 2},
        {ONE, ONE, 2},         {TWO, TWO, 2},
    };
    rt_arena arena = {0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rt_text problem, id = resolved(&arena, rows[i].name, rows[i].image_count, &problem);
        assert_string_equal(id.data, rows[i].id);
    }
    rt_arena_reset(&arena);
}

static void a_name_of_two_constants_is_refused(void **state)
{
    (void)state;
    rt_arena arena = {0};
    rt_text problem;
    assert_int_equal(resolved(&arena, "width", 2, &problem).length, 0);
    assert_string_equal(problem.data, "several specialisation constants have the name 'width': " ONE
                                      " " TWO "; write the id of the intended constant");
    rt_arena_reset(&arena);
}

/* A mistyped name is one that no source has as a word. */
static void sources_mention_names_as_words(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        bool is_possible;
    } rows[] = {
        {"stride", true},        {"strid", false},   {"tride", false},
        {"number", true},        {"numbers", false}, {"inner::stride", true},
        {"inner::other", false}, {"", false},        {BOTH, true},
    };
    const scn_source sources[] = {
        {.code = RT_TEXT("SPEC_CONSTANT(int, stride, 1)")},
        {.code = RT_TEXT("@__assay_spec_constant_number = external addrspace(2) constant i8")},
    };
    const rt_image image = {.sets = &first_set, .set_count = 1};
    const scn_module module = {.sources = sources, .source_count = 2, .images = {&image, 1}};
    scn_scenario scenario = {.modules = &module, .module_count = 1};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(scn_constant_may_be(&scenario, rt_text_of(rows[i].name)),
                         rows[i].is_possible);
    const scn_source in_a_file = {.file = RT_TEXT("kernels.cl")};
    const scn_module other = {.sources = &in_a_file, .source_count = 1};
    scenario.modules = &other;
    assert_true(scn_constant_may_be(&scenario, RT_TEXT("anything")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_of_sources_become_ids),
        cmocka_unit_test(a_name_of_two_constants_is_refused),
        cmocka_unit_test(sources_mention_names_as_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
