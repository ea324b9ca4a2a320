/* Tests of the generator of host programs: what the model predicts, compared with document 003 by
 * hand; the same seed gives the same text; and the text is a scenario, whatever is left out. */
#include "conformance/scenario/model/scenario.h"
#include "conformance/tools/generate/host/host.h"
#include "conformance/tools/generate/host/model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* ---- The model ---------------------------------------------------------------------------- */

enum { APP, ONE, TWO, THREE };
enum { F0, F1, F2 };

static const gen_target first; /* the first device, no constants set */

/* The executable has the kernel 0, which calls f0; libraries 1 to 3 have an image each, with the
 * number of their module. */
static gen_program program_of_four(void)
{
    gen_program program = {.module_count = 4, .image_count = 4};
    for (uint32_t i = 0; i < 4; i++)
        program.images[i].module = i;
    program.images[APP].kernels = 1;
    program.images[APP].kernel_bodies[0] = (gen_body){.number = 1, .callees = 1u << F0};
    return program;
}

static void define(gen_program *program, uint32_t image, uint32_t function, uint64_t number,
                   uint32_t callees)
{
    program->images[image].functions |= 1u << function;
    program->images[image].function_bodies[function] = (gen_body){number, callees, 0};
}

static void assert_outcome(const gen_outcome *outcome, bool may_be_refused, uint32_t count, ...)
{
    assert_false(outcome->is_unknown);
    assert_int_equal(outcome->may_be_refused, may_be_refused);
    assert_int_equal(outcome->value_count, count);
    va_list values;
    va_start(values, count);
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(outcome->values[i], va_arg(values, unsigned));
    va_end(values);
}

static void an_import_without_a_provider_is_refused(void **state)
{
    (void)state;
    gen_program program = program_of_four();
    define(&program, ONE, F0, 2, 0);
    gen_state process = gen_state_start(&program);
    gen_outcome outcome = gen_predict(&process, APP, 0, first);
    assert_outcome(&outcome, true, 0);
    gen_open(&process, ONE);
    outcome = gen_predict(&process, APP, 0, first);
    assert_outcome(&outcome, false, 1, 3u);
}

/* DL-RESOLVE-05: any of several providers; the program that was linked then serves later launches.
 */
static void each_provider_is_an_alternative(void **state)
{
    (void)state;
    gen_program program = program_of_four();
    define(&program, ONE, F0, 2, 0);
    define(&program, TWO, F0, 4, 0);
    gen_state process = gen_state_start(&program);
    gen_open(&process, ONE);
    gen_open(&process, TWO);
    gen_outcome outcome = gen_predict(&process, APP, 0, first);
    assert_outcome(&outcome, false, 2, 3u, 5u);
    assert_true(outcome.tells_programs_apart);
    gen_launch(&process, APP, 0, first);
    gen_close(&process, ONE);
    /* Either the program from ONE is gone, and TWO is linked, or the one from TWO is used again. */
    outcome = gen_predict(&process, APP, 0, first);
    assert_outcome(&outcome, false, 1, 5u);
}

/* DL-LINK-05: a library that comes later does not change a program that exists. */
static void a_program_that_exists_is_used_again(void **state)
{
    (void)state;
    gen_program program = program_of_four();
    define(&program, ONE, F0, 2, 0);
    define(&program, TWO, F0, 4, 0);
    gen_state process = gen_state_start(&program);
    gen_open(&process, ONE);
    gen_launch(&process, APP, 0, first);
    gen_open(&process, TWO);
    gen_outcome outcome = gen_predict(&process, APP, 0, first);
    assert_outcome(&outcome, false, 1, 3u);
    gen_close(&process, ONE);
    outcome = gen_predict(&process, APP, 0, first);
    assert_outcome(&outcome, false, 1, 5u);
}

/* f0 calls f1, which two libraries define; the one that also defines f0 cannot be linked with the
 * provider of f0. */
static void two_definitions_in_one_program_are_refused(void **state)
{
    (void)state;
    gen_program program = program_of_four();
    define(&program, ONE, F0, 2, 1u << F1);
    define(&program, TWO, F1, 4, 0);
    define(&program, THREE, F1, 8, 0);
    define(&program, THREE, F2, 16, 0);
    gen_state process = gen_state_start(&program);
    gen_open(&process, ONE);
    gen_open(&process, TWO);
    gen_open(&process, THREE);
    gen_outcome outcome = gen_predict(&process, APP, 0, first);
    assert_outcome(&outcome, false, 2, 7u, 11u);
    program.images[THREE].functions |= 1u << F0;
    program.images[THREE].function_bodies[F0] = (gen_body){32, 0, 0};
    /* f0 from ONE and f1 from TWO; f0 from ONE and f1 from THREE, refused; f0 from THREE. */
    outcome = gen_predict(&process, APP, 0, first);
    assert_outcome(&outcome, true, 2, 7u, 33u);
}

/* DL-RESOLVE-07: everything that a provider exports is resolved with it. */
static void the_exports_of_a_provider_need_no_search(void **state)
{
    (void)state;
    gen_program program = program_of_four();
    program.images[APP].kernel_bodies[0].callees = 1u << F0 | 1u << F1;
    define(&program, ONE, F0, 2, 0);
    define(&program, ONE, F1, 4, 0);
    gen_state process = gen_state_start(&program);
    gen_open(&process, ONE);
    gen_outcome outcome = gen_predict(&process, APP, 0, first);
    assert_outcome(&outcome, false, 1, 7u);
}

static void modules_stay_while_something_needs_them(void **state)
{
    (void)state;
    gen_program program = program_of_four();
    program.modules[ONE].needs = 1u << TWO;
    program.modules[TWO].needs = 1u << THREE;
    gen_state process = gen_state_start(&program);
    assert_int_equal(gen_loaded(&process), 1u);
    gen_open(&process, ONE);
    gen_open(&process, TWO);
    gen_open(&process, TWO);
    assert_int_equal(gen_loaded(&process), 0xFu);
    gen_close(&process, ONE);
    gen_close(&process, TWO);
    assert_int_equal(gen_loaded(&process), 0xDu);
    gen_close(&process, TWO);
    assert_int_equal(gen_loaded(&process), 1u);
}

/* DL-LOAD: dlclose leaves a preloaded module, and what it needs, in memory. */
static void a_preloaded_module_stays(void **state)
{
    (void)state;
    gen_program program = program_of_four();
    program.preloaded = 1u << ONE;
    program.modules[ONE].needs = 1u << TWO;
    define(&program, TWO, F0, 4, 0);
    gen_state process = gen_state_start(&program);
    assert_int_equal(gen_loaded(&process), 7u);
    gen_open(&process, ONE);
    gen_close(&process, ONE);
    assert_int_equal(gen_loaded(&process), 7u);
    gen_outcome outcome = gen_predict(&process, APP, 0, first);
    assert_outcome(&outcome, false, 1, 5u);
}

/* Each context has programs of its own: one that exists in a context, and may be used again there,
 * says nothing about another one. Whether both have one instance of a variable is open
 * (DG-INIT-11).
 */
static void each_context_has_its_programs(void **state)
{
    (void)state;
    gen_program program = program_of_four();
    program.without_fp64 = 1u << 1;
    define(&program, ONE, F0, 2, 0);
    define(&program, TWO, F0, 4, 0);
    program.images[ONE].needs_fp64 = true;
    gen_state process = gen_state_start(&program);
    gen_open(&process, ONE);
    const gen_target other = {.place = GEN_OTHER_CONTEXT};
    gen_launch(&process, APP, 0, first);
    gen_open(&process, TWO);
    gen_outcome outcome = gen_predict(&process, APP, 0, first);
    assert_outcome(&outcome, false, 1, 3u);
    outcome = gen_predict(&process, APP, 0, other);
    assert_outcome(&outcome, false, 2, 3u, 5u);
    program.images[APP].increment = 1;
    assert_false(gen_predict(&process, APP, 0, first).is_unknown);
    assert_true(gen_predict(&process, APP, 0, other).is_unknown);
}

/* DG-INIT and DG-COPY: a variable belongs to the device, not to a program, and its module. */
static void a_variable_lives_as_long_as_its_module(void **state)
{
    (void)state;
    gen_program program = program_of_four();
    program.images[APP].kernel_bodies[0].callees = 0;
    program.images[ONE].kernels = 1;
    program.images[ONE].kernel_bodies[0] = (gen_body){.number = 2, .callees = 1u << F0};
    program.images[ONE].increment = 1;
    define(&program, TWO, F0, 4, 0);
    gen_state process = gen_state_start(&program);
    gen_open(&process, ONE);
    gen_open(&process, TWO);
    gen_launch(&process, ONE, 0, first);
    assert_int_equal(gen_predict(&process, ONE, 0, first).sum, 2);
    /* Its program goes with TWO; the content does not. */
    gen_close(&process, TWO);
    gen_open(&process, TWO);
    assert_int_equal(gen_predict(&process, ONE, 0, first).sum, 2);
    gen_close(&process, ONE);
    gen_open(&process, ONE);
    assert_int_equal(gen_predict(&process, ONE, 0, first).sum, 1);
}

/* DL-RESOLVE-02 and VF-ASPECT: what a device cannot run is neither launched nor linked. */
static void a_device_without_fp64_runs_no_image_that_needs_it(void **state)
{
    (void)state;
    gen_program program = program_of_four();
    program.without_fp64 = 1u << 1;
    define(&program, ONE, F0, 2, 0);
    define(&program, TWO, F0, 4, 0);
    program.images[ONE].needs_fp64 = true;
    gen_state process = gen_state_start(&program);
    gen_open(&process, ONE);
    const gen_target second = {.place = 1};
    gen_outcome outcome = gen_predict(&process, APP, 0, second);
    assert_outcome(&outcome, true, 0);
    gen_open(&process, TWO);
    outcome = gen_predict(&process, APP, 0, second);
    assert_outcome(&outcome, false, 1, 5u);
    outcome = gen_predict(&process, APP, 0, first);
    assert_outcome(&outcome, false, 2, 3u, 5u);
    program.images[APP].needs_fp64 = true;
    outcome = gen_predict(&process, APP, 0, second);
    assert_outcome(&outcome, true, 0);
}

/* DG-SCOPE: each program has an instance of a variable with image scope; so it ends with the
 * library that the program needs, and another setting of a constant has another one. */
static void a_variable_with_image_scope_lives_in_its_program(void **state)
{
    (void)state;
    gen_program program = program_of_four();
    program.images[APP].kernel_bodies[0].constants = 1;
    program.images[APP].increment = 1;
    program.images[APP].has_image_scope = true;
    define(&program, ONE, F0, 2, 0);
    define(&program, TWO, F0, 4, 0);
    gen_state process = gen_state_start(&program);
    gen_open(&process, ONE);
    gen_launch(&process, APP, 0, first);
    gen_launch(&process, APP, 0, first);
    assert_int_equal(gen_predict(&process, APP, 0, first).sum, 3);
    assert_int_equal(gen_predict(&process, APP, 0, (gen_target){.setting = 1}).sum, 1);
    gen_close(&process, ONE);
    gen_open(&process, ONE);
    assert_int_equal(gen_predict(&process, APP, 0, first).sum, 1);
    /* Linked with either library: if one of them goes, the program may have been the other one. */
    gen_open(&process, TWO);
    gen_launch(&process, APP, 0, first);
    assert_int_equal(gen_predict(&process, APP, 0, first).sum, 2);
    gen_close(&process, TWO);
    assert_true(gen_predict(&process, APP, 0, first).is_unknown);
    gen_close(&process, ONE);
    gen_open(&process, ONE);
    assert_int_equal(gen_predict(&process, APP, 0, first).sum, 1);
}

/* The documents do not say what a kernel and a function of one name in one program are. */
static void a_kernel_named_like_a_function_of_its_program_is_unknown(void **state)
{
    (void)state;
    gen_program program = program_of_four();
    define(&program, ONE, F0, 2, 0);
    define(&program, ONE, GEN_SHARED_FUNCTION, 4, 0);
    program.images[APP].kernels |= 1u << GEN_SHARED_KERNEL;
    program.images[APP].kernel_bodies[GEN_SHARED_KERNEL].number = 8;
    gen_state process = gen_state_start(&program);
    gen_open(&process, ONE);
    assert_true(gen_predict(&process, APP, 0, first).is_unknown);
    program.images[ONE].functions &= ~(1u << GEN_SHARED_FUNCTION);
    assert_false(gen_predict(&process, APP, 0, first).is_unknown);
}

/* ---- The scenarios ------------------------------------------------------------------------ */

static void assert_is_scenario(rt_text text)
{
    rt_arena arena = {0};
    scn_problems problems;
    const rt_text file = RT_TEXT("seed.yaml");
    if (!scn_read(&arena, text, file, file, &problems))
        fail_msg("%.*s\n%.*s", RT_TEXT_ARG(problems.items[0].text), RT_TEXT_ARG(text));
    rt_arena_reset(&arena);
}

static void seeds_are_valid_and_reproducible(void **state)
{
    (void)state;
    enum { SEEDS = 1000 };
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        rt_buffer text = {0}, again = {0};
        uint32_t unit_count;
        gen_host_write(&(gen_request){.seed = seed}, &text, &unit_count);
        gen_host_write(&(gen_request){.seed = seed}, &again, &unit_count);
        assert_true(rt_text_equal(rt_buffer_text(&text), rt_buffer_text(&again)));
        assert_is_scenario(rt_buffer_text(&text));
        rt_buffer_free(&text);
        rt_buffer_free(&again);
    }
}

/* What is left out leaves a scenario, unless nothing is left to expect. */
static void any_unit_can_be_left_out(void **state)
{
    (void)state;
    enum { SEEDS = 40 };
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        rt_buffer text = {0};
        uint32_t unit_count, same_count;
        gen_host_write(&(gen_request){.seed = seed}, &text, &unit_count);
        for (uint32_t unit = 1; unit <= unit_count; unit++) {
            rt_buffer less = {0};
            gen_host_write(&(gen_request){.seed = seed, .without = &unit, .without_count = 1},
                           &less, &same_count);
            assert_int_equal(same_count, unit_count);
            if (strstr(rt_buffer_string(&less), "expect"))
                assert_is_scenario(rt_buffer_text(&less));
            rt_buffer_free(&less);
        }
        rt_buffer_free(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_import_without_a_provider_is_refused),
        cmocka_unit_test(each_provider_is_an_alternative),
        cmocka_unit_test(a_program_that_exists_is_used_again),
        cmocka_unit_test(two_definitions_in_one_program_are_refused),
        cmocka_unit_test(the_exports_of_a_provider_need_no_search),
        cmocka_unit_test(modules_stay_while_something_needs_them),
        cmocka_unit_test(a_preloaded_module_stays),
        cmocka_unit_test(each_context_has_its_programs),
        cmocka_unit_test(a_variable_lives_as_long_as_its_module),
        cmocka_unit_test(a_device_without_fp64_runs_no_image_that_needs_it),
        cmocka_unit_test(a_variable_with_image_scope_lives_in_its_program),
        cmocka_unit_test(a_kernel_named_like_a_function_of_its_program_is_unknown),
        cmocka_unit_test(seeds_are_valid_and_reproducible),
        cmocka_unit_test(any_unit_can_be_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
