/* Unit tests of SYCL kernels: the names in symbols, and how steps are resolved once the images are
 * known. */
#include "conformance/scenario/resolve/sycl_kernels.h"
#include "reference/image/syclbin.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define TEXT(literal)                                                                              \
    {                                                                                              \
        literal, sizeof literal - 1                                                                \
    }

/* ---- Names --------------------------------------------------------------------------------- */

/* Symbols of the Itanium ABI; an empty name means that the symbol yields no name for scenarios. */
static const struct {
    const char *symbol, *name;
} symbols[] = {
    {"__sycl_kernel_apply", "apply"},
    {"_Z19__sycl_kernel_applyPi", "apply"},
    {"_ZN16__sycl_kernel_ns6rangedEPi", "ns::ranged"},
    {"_ZN2ns20__sycl_kernel_rangedEPi", "ns::ranged"},
    {"_Z18__sycl_kernel_fillIiEvPT_S0_", "fill<int>"},
    {"_Z18__sycl_kernel_fillIfLi3ELb1EEvPT_", "fill<float, 3, true>"},
    {"_Z18__sycl_kernel_fillILin3E5ShapeEvPT_", "fill<-3, Shape>"},
    {"_ZTS5Apply", "Apply"},
    {"_ZTSN2ns5ApplyE", "ns::Apply"},
    {"_ZTS5ApplyIjE", "Apply<unsigned int>"},
    /* Neither a free-function kernel nor a type. */
    {"apply", ""},
    {"_Z5applyPi", ""},
    /* Compound types, a class inside a function, and truncated symbols. */
    {"_Z18__sycl_kernel_fillIPiEvT_", ""},
    {"_ZTSZ6submitvE5Apply", ""},
    {"_ZTS5Appl", ""},
    {"_ZTS99999999Apply", ""},
    {"_ZTS0", ""},
    {"_ZTSN2ns5Apply", ""},
    {"_ZTS5ApplyILi3", ""},
    {"_ZTS5ApplyIi", ""},
    {"_ZTS", ""},
    {"_Z", ""},
    {"", ""},
};

static void names_are_those_of_the_source(void **state)
{
    (void)state;
    rt_arena arena = {0};
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        rt_text name = scn_sycl_name(&arena, rt_text_of(symbols[i].symbol));
        if (!rt_text_is(name, symbols[i].name))
            fail_msg("%s: '%.*s'", symbols[i].symbol, RT_TEXT_ARG(name));
    }
    rt_arena_reset(&arena);
}

static void names_of_variables_are_those_of_the_source(void **state)
{
    static const struct {
        const char *id, *name;
    } rows[] = {
        {"_Z7counter", "counter"},
        {"_ZN5inner3BarE", "inner::Bar"},
        {"_ZN5outer5inner3BarE", "outer::inner::Bar"},
        {"_ZN6holder6memberE", "holder::member"},
        {"_Z5valueIiE", "value<int>"},
        {"____ZL6hidden", "hidden"},
        {"uid0123____ZL6hidden", "hidden"},
        {"uid0123____ZN12_GLOBAL__N_15FuBarE", "(anonymous namespace)::FuBar"},
        {"uid0123____ZN2nsL6hiddenE", "ns::hidden"},
        {"counter", ""},
        {"_Z7counterv", ""},
        {"_Z9counter", ""},
        {"____Z", ""},
        {"", ""},
    };
    (void)state;
    rt_arena arena = {0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rt_text name = scn_sycl_variable_name(&arena, rt_text_of(rows[i].id));
        if (!rt_text_is(name, rows[i].name)) fail_msg("%s: '%.*s'", rows[i].id, RT_TEXT_ARG(name));
    }
    rt_arena_reset(&arena);
}

/* ---- Steps --------------------------------------------------------------------------------- */

static const rt_text sycl_kernels[] = {
    TEXT("_Z19__sycl_kernel_applyPi"), TEXT("__sycl_kernel_plain"),
    TEXT("_Z19__sycl_kernel_twicePi"), TEXT("_Z19__sycl_kernel_twicePf")};
static const rt_text opencl_kernels[] = {TEXT("plain"), TEXT("other")};
static const rt_property_set sets[] = {{.name = TEXT(RT_SET_KERNEL_NAMES)}};
static const rt_image images[] = {
    {.kernels = sycl_kernels, .kernel_count = 4, .sets = sets, .set_count = 1},
    {.kernels = opencl_kernels, .kernel_count = 2},
};
static const scn_module modules[] = {{.name = TEXT("app"), .images = {images, 2}}};

/* Resolves a scenario with a single step. */
static bool resolve(rt_arena *arena, const scn_step *step, scn_step *out_step, rt_text *out_problem)
{
    scn_scenario scenario = {.modules = modules, .module_count = 1, .steps = step, .step_count = 1};
    scn_position at;
    bool is_valid = scn_sycl_kernels_resolve(arena, &scenario, &at, out_problem);
    *out_step = scenario.steps[0];
    if (!is_valid) assert_int_equal(at.line, step->at.line);
    return is_valid;
}

static scn_step launch_of(const char *kernel)
{
    return (scn_step){.verb = SCN_VERB_SUBMIT,
                      .at = {7, 3},
                      .submit = {.kernel = rt_text_of(kernel),
                                 .dimensions = 3,
                                 .range = {2, 3, 4},
                                 .offset = {5, 6, 7},
                                 .local = {1, 3, 2}}};
}

static void a_launch_gets_the_symbol_and_reversed_ranges(void **state)
{
    (void)state;
    rt_arena arena = {0};
    rt_text problem;
    static const char *const ways[] = {"apply", "_Z19__sycl_kernel_applyPi"};
    for (size_t i = 0; i < 2; i++) {
        scn_step resolved, step = launch_of(ways[i]);
        assert_true(resolve(&arena, &step, &resolved, &problem));
        assert_true(rt_text_is(resolved.submit.kernel, "_Z19__sycl_kernel_applyPi"));
        assert_memory_equal(resolved.submit.range, ((uint64_t[]){4, 3, 2}), 24);
        assert_memory_equal(resolved.submit.offset, ((uint64_t[]){7, 6, 5}), 24);
        assert_memory_equal(resolved.submit.local, ((uint64_t[]){2, 3, 1}), 24);
    }
    scn_step resolved, flat = launch_of("apply");
    flat.submit.dimensions = 2;
    assert_true(resolve(&arena, &flat, &resolved, &problem));
    assert_memory_equal(resolved.submit.range, ((uint64_t[]){3, 2, 4}), 24);
    rt_arena_reset(&arena);
}

/* Twins, which stay unchanged: OpenCL kernels, even if a SYCL kernel has that name in its source,
 * and unknown kernels. */
static void other_launches_stay(void **state)
{
    (void)state;
    rt_arena arena = {0};
    rt_text problem;
    static const char *const ways[] = {"plain", "other", "nowhere"};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        scn_step resolved, step = launch_of(ways[i]);
        assert_true(resolve(&arena, &step, &resolved, &problem));
        assert_true(rt_text_is(resolved.submit.kernel, ways[i]));
        assert_memory_equal(resolved.submit.range, step.submit.range, 24);
    }
    rt_arena_reset(&arena);
}

static void an_ambiguous_launch_is_refused_by_name(void **state)
{
    (void)state;
    rt_arena arena = {0};
    rt_text problem;
    scn_step resolved, step = launch_of("twice");
    assert_false(resolve(&arena, &step, &resolved, &problem));
    assert_string_equal(problem.data,
                        "several kernels have the name 'twice': _Z19__sycl_kernel_twicePi "
                        "_Z19__sycl_kernel_twicePf; "
                        "write the symbol of the intended kernel");
    step = launch_of("_Z19__sycl_kernel_twicePf");
    assert_true(resolve(&arena, &step, &resolved, &problem));
    rt_arena_reset(&arena);
}

static void expectations_name_the_symbol(void **state)
{
    (void)state;
    static const rt_text apply = TEXT("apply"), image = TEXT("app/0");
    static const scn_trace_field fields[] = {
        {.key = TEXT("kernel"), .values = &apply, .value_count = 1},
        {.key = TEXT("image"), .values = &image, .value_count = 1}};
    static const scn_trace_event event = {
        .fields = fields, .field_count = 2, .program_of = TEXT("apply")};
    static const scn_error error = {.names = &apply, .name_count = 1};
    static const scn_expect inner = {.kind = SCN_EXPECT_FINDING,
                                     .finding = {.kernel = TEXT("apply")}};
    static const scn_outcome outcome = {.expects = &inner, .expect_count = 1, .error = &error};
    const scn_expect expects[] = {
        {.kind = SCN_EXPECT_PROGRAM_OF, .program = {.kernel = apply}},
        {.kind = SCN_EXPECT_TRACE, .trace = {&event, 1}},
        {.kind = SCN_EXPECT_ONE_OF, .one_of = {&outcome, 1}},
    };
    const scn_step step = {
        .verb = SCN_VERB_EXPECT, .expect = expects, .expect_count = 3, .error = &error};
    rt_arena arena = {0};
    rt_text problem;
    scn_step resolved;
    const char *symbol = "_Z19__sycl_kernel_applyPi";
    assert_true(resolve(&arena, &step, &resolved, &problem));
    assert_true(rt_text_is(resolved.expect[0].program.kernel, symbol));
    assert_true(rt_text_is(resolved.expect[1].trace.events[0].program_of, symbol));
    assert_true(rt_text_is(resolved.expect[1].trace.events[0].fields[0].values[0], symbol));
    assert_true(rt_text_is(resolved.expect[1].trace.events[0].fields[1].values[0], "app/0"));
    assert_true(
        rt_text_is(resolved.expect[2].one_of.outcomes[0].expects[0].finding.kernel, symbol));
    assert_true(rt_text_is(resolved.expect[2].one_of.outcomes[0].error->names[0], symbol));
    assert_true(rt_text_is(resolved.error->names[0], symbol));
    rt_arena_reset(&arena);
}

static void bundles_name_the_symbol(void **state)
{
    (void)state;
    static const rt_text apply = TEXT("apply"), plain = TEXT("plain"), twice = TEXT("twice");
    const scn_expect expect = {
        .kind = SCN_EXPECT_BUNDLE,
        .bundle = {.has = &apply, .has_count = 1, .lacks = &plain, .lacks_count = 1}};
    const scn_step bundle = {
        .verb = SCN_VERB_BUNDLE, .at = {7, 3}, .bundle = {.kernels = &apply, .kernel_count = 1}};
    const scn_step content = {.verb = SCN_VERB_EXPECT, .expect = &expect, .expect_count = 1};
    rt_arena arena = {0};
    rt_text problem;
    scn_step resolved;
    assert_true(resolve(&arena, &bundle, &resolved, &problem));
    assert_true(rt_text_is(resolved.bundle.kernels[0], "_Z19__sycl_kernel_applyPi"));
    assert_true(resolve(&arena, &content, &resolved, &problem));
    assert_true(rt_text_is(resolved.expect[0].bundle.has[0], "_Z19__sycl_kernel_applyPi"));
    assert_true(rt_text_is(resolved.expect[0].bundle.lacks[0], "plain")); /* OpenCL's */
    /* Twins: an ambiguous name is refused, because an expectation that the bundle `lacks` it could
     * never fail. */
    scn_step ambiguous = bundle;
    ambiguous.bundle.kernels = &twice;
    assert_false(resolve(&arena, &ambiguous, &resolved, &problem));
    scn_expect wrong = expect;
    wrong.bundle.lacks = &twice;
    ambiguous = content;
    ambiguous.at = (scn_position){9, 3};
    ambiguous.expect = &wrong;
    assert_false(resolve(&arena, &ambiguous, &resolved, &problem));
    assert_string_equal(problem.data,
                        "several kernels have the name 'twice': _Z19__sycl_kernel_twicePi "
                        "_Z19__sycl_kernel_twicePf; "
                        "write the symbol of the intended kernel");
    rt_arena_reset(&arena);
}

/* An image written by hand may have any property sets; its language decides. */
static void an_image_by_hand_has_the_language_of_its_source(void **state)
{
    (void)state;
    rt_arena arena = {0};
    for (int is_sycl = 0; is_sycl < 2; is_sycl++) {
        const rt_image image = {.kernels = sycl_kernels,
                                .kernel_count = 1,
                                .sets = is_sycl ? NULL : sets,
                                .set_count = is_sycl ? 0 : 1};
        const scn_hand_image by_hand = {.source.language =
                                            is_sycl ? SCN_LANGUAGE_SYCL : SCN_LANGUAGE_SPIRV_ASM};
        const scn_module module = {
            .images = {&image, 1}, .hand_images = &by_hand, .hand_image_count = 1};
        const scn_step step = launch_of("apply");
        scn_scenario scenario = {
            .modules = &module, .module_count = 1, .steps = &step, .step_count = 1};
        scn_position at;
        rt_text problem;
        assert_true(scn_sycl_kernels_resolve(&arena, &scenario, &at, &problem));
        assert_int_equal(scenario.steps[0].submit.range[0], is_sycl ? 4 : 2);
    }
    rt_arena_reset(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_those_of_the_source),
        cmocka_unit_test(names_of_variables_are_those_of_the_source),
        cmocka_unit_test(a_launch_gets_the_symbol_and_reversed_ranges),
        cmocka_unit_test(other_launches_stay),
        cmocka_unit_test(an_ambiguous_launch_is_refused_by_name),
        cmocka_unit_test(expectations_name_the_symbol),
        cmocka_unit_test(bundles_name_the_symbol),
        cmocka_unit_test(an_image_by_hand_has_the_language_of_its_source),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
