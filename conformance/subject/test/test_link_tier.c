/* Tests of the link tier, from the pack to the verdict: how a device that builds and links, but
 * runs nothing, is judged. The null device, which links everything, plays that part. */
#include "backends/null/null.h"
#include "conformance/subject/runtime.h"
#include "conformance/subject/skip.h"
#include "conformance/subject/subject.h"
#include "conformance/subject/test/scenario_fixture.h"
#include "conformance/verdict/judge.h"
#include "conformance/verdict/verdict.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* Two modules: app/0 has kernel `apply` and imports `twice`, library/0 exports it. */
static const char head[] = "assay: 1\n"
                           "summary: A test.\n"
                           "modules:\n"
                           "  app: {sources: [{language: opencl-c, code: a}]}\n"
                           "  library: {sources: [{language: opencl-c, code: b}]}\n"
                           "memory:\n"
                           "  data: {type: int, values: [1, 2, 3]}\n"
                           "  more: {type: int, values: [4, 5, 6]}\n"
                           "steps:\n";

#define LOAD   "  - load: library\n"
#define LAUNCH "  - submit: {kernel: apply, range: [3], args: [data]}\n    id: first\n"

/* The null device checks only the first word. */
static const uint32_t words[] = {0x07230203, 0x00010000, 0, 1, 0};
#define CODE                                                                                       \
    {                                                                                              \
        (const uint8_t *)words, sizeof words                                                       \
    }
static const rt_text kernels[] = {{"apply", 5}};
static const rt_property symbols[] = {
    {.name = {"twice", 5}, .type = RT_PROPERTY_UINT32, .number = 1}};
static const rt_property_set imports[] = {{{RT_SET_IMPORTED_SYMBOLS, 21}, symbols, 1}};
static const rt_property_set exports[] = {{{RT_SET_EXPORTED_SYMBOLS, 21}, symbols, 1}};
static const rt_image app_images[] = {{.name = {"app/0", 5},
                                       .kernels = kernels,
                                       .kernel_count = 1,
                                       .sets = imports,
                                       .set_count = 1,
                                       .code = CODE}};
static const rt_image library_images[] = {
    {.name = {"library/0", 9}, .sets = exports, .set_count = 1, .code = CODE}};

static const cnf_subject links_only = {.name = "links-only",
                                       .runtime = &cnf_reference_operations,
                                       .backend = &null_backend,
                                       .selector = ""};

typedef struct fixture {
    rt_arena arena;
    cnf_messages messages;
    cnf_judgement judgement;
} fixture;

static int set_up(void **state)
{
    *state = rt_alloc(sizeof(fixture));
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    rt_arena_reset(&f->arena);
    rt_free(f);
    return 0;
}

static const scenario_fixture scenarios = {.head = head,
                                           .images = {{app_images, 1}, {library_images, 1}}};

/* Runs the steps on the null device as a child does, and judges its messages. */
static const cnf_judgement *judged(fixture *f, const char *steps)
{
    static const cnf_subject_options options = {0};
    const cnf_child_result child = {.end = CNF_PROCESS_EXITED};
    const scn_scenario *scenario = scenario_fixture_read(&f->arena, &scenarios, steps);
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(cnf_subject_run(&links_only, &options, scenario, ends[1]), 0);
    close(ends[1]);
    scenario_fixture_messages(&f->arena, ends[0], &f->messages);
    cnf_judge(&f->arena, &child, &f->messages, &f->judgement);
    return &f->judgement;
}

/* Expectations about execution, even wrong ones, are unobserved, but the launch was still linked.
 */
static void what_runs_is_unobserved_and_the_verdict_is_linked(void **state)
{
    static const char *const expectations[] = {
        "  - expect: {memory: data, equals: [7, 7, 7]}\n",
        "  - expect: {output: \"seven\"}\n",
        "  - expect: {finding: out-of-bounds, kernel: apply}\n",
        "  - expect: {event: first, status: submitted}\n",
    };
    for (size_t i = 0; i < sizeof expectations / sizeof *expectations; i++) {
        fixture *f = *state;
        char steps[512];
        snprintf(steps, sizeof steps, LOAD LAUNCH "%s", expectations[i]);
        const cnf_judgement *judgement = judged(f, steps);
        assert_int_equal(judgement->verdict, CNF_VERDICT_LINKED);
        assert_int_equal(judgement->expected, 1);
        assert_int_equal(judgement->observed, 0);
        assert_true(f->messages.links_only);
        assert_int_equal(f->messages.memory_count, 0); /* There is nothing to compare with the
                                                        * oracle. */
    }
}

static void errors_programs_and_traces_are_observed(void **state)
{
    const cnf_judgement *judgement =
        judged(*state, LAUNCH "    expect: {error: {documents: exception, reference: {class: "
                              "\"errc::build\", names: [twice]}}}\n" LOAD
                              "  - submit: {kernel: apply, range: [3], args: [data]}\n"
                              "  - expect: {program_of: apply, images: [app/0, library/0]}\n"
                              "  - expect: {links: 1}\n"
                              "  - expect: {trace: [{event: link}, {event: launch}]}\n"
                              "  - expect: {memory: data, equals: [7, 7, 7]}\n");
    assert_int_equal(judgement->verdict, CNF_VERDICT_LINKED);
    assert_int_equal(judgement->expected, 5);
    assert_int_equal(judgement->observed, 4);
}

static void a_wrong_program_fails(void **state)
{
    const cnf_judgement *judgement =
        judged(*state, LOAD LAUNCH "  - expect: {program_of: apply, images: [app/0]}\n");
    assert_int_equal(judgement->verdict, CNF_VERDICT_FAIL);
}

/* The twin: a device that links what it must refuse fails at the one thing it does. */
static void what_is_linked_and_must_be_refused_fails(void **state)
{
    const cnf_judgement *judgement =
        judged(*state, LOAD LAUNCH "    expect: {error: {documents: link-error}}\n"
                                   "  - expect: {memory: data, equals: [1, 2, 3]}\n");
    assert_int_equal(judgement->verdict, CNF_VERDICT_FAIL);
    assert_true(rt_text_is(judgement->signature, "step1:error:succeeded:apply"));
}

/* Commands alone have no effect on this device, and no code is built, so nothing is observed. */
static void what_makes_no_code_is_skipped(void **state)
{
    const cnf_judgement *judgement =
        judged(*state, "  - copy: {from: data, to: more}\n  - wait\n"
                       "  - expect: {memory: more, equals: [1, 2, 3]}\n");
    assert_int_equal(judgement->verdict, CNF_VERDICT_SKIP);
    assert_true(rt_text_is(judgement->capability, "observation"));
}

/* If no code is made because the device lacks an aspect, that is the reason, whether or not the
 * device could have run the code. */
static void what_needs_a_lacking_aspect_is_skipped_for_it(void **state)
{
    (void)state;
    const rt_diagnostic lack = {
        .message = RT_TEXT("kernel 'k' needs aspect fp64, which device d does not have")};
    for (int executes = 0; executes <= 1; executes++) {
        int ends[2];
        char sent[512] = "";
        assert_int_equal(pipe(ends), 0);
        cnf_emitter emitter = {.descriptor = ends[1]};
        assert_true(cnf_skip_unused(&emitter, &links_only, false, executes, &lack));
        close(ends[1]);
        assert_true(read(ends[0], sent, sizeof sent - 1) >= 0);
        close(ends[0]);
        assert_non_null(strstr(sent, "\"fp64\""));
        assert_null(strstr(sent, "observation"));
    }
}

/* The images are SPIR-V 1.0; the newest version that a device reports is trusted. */
static void images_of_newer_spirv_are_skipped(void **state)
{
    fixture *f = *state;
    const scn_scenario *scenario = scenario_fixture_read(
        &f->arena, &scenarios, LOAD LAUNCH "  - expect: {memory: data, equals: [7, 7, 7]}\n");
    const struct {
        uint32_t spirv_max;
        bool skipped;
    } rows[] = {{0, false}, {0x00010000, false}, {0x00010200, false}, {0x0000ff00, true}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int ends[2];
        char sent[512] = "";
        assert_int_equal(pipe(ends), 0);
        cnf_emitter emitter = {.descriptor = ends[1]};
        const cnf_runtime runtime = {.operations = &cnf_reference_operations,
                                     .capabilities = {.name = RT_TEXT("d"),
                                                      .formats_taken = 1u << RT_FORMAT_SPIRV64,
                                                      .spirv_max = rows[i].spirv_max}};
        assert_int_equal(cnf_skip(&emitter, scenario, &runtime), rows[i].skipped);
        close(ends[1]);
        assert_true(read(ends[0], sent, sizeof sent - 1) >= 0);
        close(ends[0]);
        assert_int_equal(strstr(sent, "spirv-1.0") != NULL, rows[i].skipped);
    }
}

/* Shipped DPC++ links SPIR-V and Intel's GPU code and caches what it builds from SPIR-V, so only a
 * device that does not take it is skipped, and only for images that must be linked or if builds are
 * counted that a cache makes unnecessary. */
static void what_shipped_dpcpp_does_not_do_is_skipped(void **state)
{
    fixture *f = *state;
    static const scenario_fixture without_imports = {.head = head};
    const char *const launched = LOAD LAUNCH "  - expect: {memory: data, equals: [7, 7, 7]}\n";
    const char *const counted = LAUNCH "  - expect: {builds: 0}\n";
    const struct {
        const scenario_fixture *fixture;
        const char *steps;
        bool has_cache;
        rt_profile profile;
        rt_format format;
        const char *capability;
    } rows[] = {
        {&scenarios, launched, false, RT_PROFILE_DPCPP, RT_FORMAT_PTX, "shipped-linking"},
        {&scenarios, launched, false, RT_PROFILE_DPCPP, RT_FORMAT_SPIRV64, NULL},
        {&scenarios, launched, false, RT_PROFILE_DPCPP, RT_FORMAT_SPIRV64_GEN, NULL},
        {&scenarios, launched, false, RT_PROFILE_DOCUMENTS, RT_FORMAT_PTX, NULL},
        {&without_imports, counted, true, RT_PROFILE_DPCPP, RT_FORMAT_PTX, "shipped-caching"},
        {&without_imports, counted, true, RT_PROFILE_DPCPP, RT_FORMAT_SPIRV64_GEN,
         "shipped-caching"},
        {&without_imports, counted, true, RT_PROFILE_DPCPP, RT_FORMAT_SPIRV64, NULL},
        {&without_imports, counted, false, RT_PROFILE_DPCPP, RT_FORMAT_PTX, NULL},
        {&without_imports, launched, true, RT_PROFILE_DPCPP, RT_FORMAT_PTX, NULL},
        {&without_imports, counted, true, RT_PROFILE_DOCUMENTS, RT_FORMAT_PTX, NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int ends[2];
        char sent[512] = "";
        scn_scenario *scenario = scenario_fixture_read(&f->arena, rows[i].fixture, rows[i].steps);
        scenario->persistent_cache = rows[i].has_cache;
        assert_int_equal(pipe(ends), 0);
        cnf_emitter emitter = {.descriptor = ends[1]};
        const cnf_runtime runtime = {
            .operations = &cnf_reference_operations,
            .capabilities = {.name = RT_TEXT("d"), .formats_taken = 1u << rows[i].format}};
        bool skipped = cnf_skip_shipped(&emitter, scenario, &runtime, rows[i].profile);
        assert_int_equal(skipped, rows[i].capability != NULL);
        close(ends[1]);
        assert_true(read(ends[0], sent, sizeof sent - 1) >= 0);
        close(ends[0]);
        if (skipped) assert_non_null(strstr(sent, rows[i].capability));
    }
}

/* A driver compiles images ahead of time only if it can link them, has the aspects that their code
 * needs, and is of the architecture that the scenario asks for. */
static void what_a_driver_cannot_compile_ahead_is_skipped(void **state)
{
    (void)state;
    /* Magic, version, generator, bound, schema; OpCapability Float64. */
    static const uint32_t precise[] = {0x07230203, 0x00010000, 0, 1, 0, 2u << 16 | 17, 10};
    static const rt_property symbol = {.name = {"f", 1}, .type = RT_PROPERTY_UINT32, .number = 1};
    static const rt_property_set set = {{RT_SET_IMPORTED_SYMBOLS, 21}, &symbol, 1};
    static const char *const extensions[] = {"assay_ext_native_linking"};
    const rt_bytes code = {(const uint8_t *)precise, sizeof precise};
    const struct {
        bool has_imports, links, has_fp64, takes;
        const char *architecture, *capability;
    } rows[] = {
        {false, false, true, true, "", NULL},
        {true, false, true, true, "", "assay_ext_native_linking"},
        {true, true, true, true, "", NULL},
        {true, false, true, false, "", NULL}, /* it is for other devices */
        {false, false, false, true, "", "fp64"},
        {false, false, false, false, "", NULL},
        {false, false, true, true, "intel_gpu_pvc", "architecture"},
        {false, false, true, true, "x86_64", NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const rt_image image = {.format = RT_FORMAT_NATIVE,
                                .code = code,
                                .spirv = code,
                                .sets = &set,
                                .set_count = rows[i].has_imports};
        const scn_module module = {.images = {&image, 1}};
        const scn_device device = {.architecture = rt_text_of(rows[i].architecture)};
        const scn_scenario scenario = {
            .modules = &module, .module_count = 1, .devices = &device, .device_count = 1};
        const cnf_runtime runtime = {
            .operations = &cnf_reference_operations,
            .capabilities = {.name = RT_TEXT("d"),
                             .architecture = RT_TEXT("x86_64"),
                             .formats_taken =
                                 1u << (rows[i].takes ? RT_FORMAT_NATIVE : RT_FORMAT_SPIRV64),
                             .extensions = extensions,
                             .extension_count = rows[i].links,
                             .aspects = rows[i].has_fp64 ? 1u << DEV_ASPECT_FP64 : 0}};
        int ends[2];
        char sent[512] = "";
        assert_int_equal(pipe(ends), 0);
        cnf_emitter emitter = {.descriptor = ends[1]};
        bool skipped = cnf_skip(&emitter, &scenario, &runtime);
        close(ends[1]);
        assert_true(read(ends[0], sent, sizeof sent - 1) >= 0);
        close(ends[0]);
        assert_int_equal(skipped, rows[i].capability != NULL);
        if (skipped) assert_non_null(strstr(sent, rows[i].capability));
    }
}

static rt_status translate(void *user, rt_sink *sink, const dev_code *code, rt_buffer *out_ptx)
{
    const rt_code *result = user;
    assert_int_equal(code->format, RT_FORMAT_SPIRV64);
    if (*result != RT_OK) return rt_fail(sink, *result, RT_RULE_NONE, "'frob' has no form");
    rt_buffer_printf(out_ptx, ".version 6.4\n");
    return RT_STATUS_OK;
}

/* Code that cannot be translated is a lack of the device; every other failure is the runtime's to
 * report, and devices of one format have no translation. */
static void what_has_no_form_in_ptx_is_skipped(void **state)
{
    fixture *f = *state;
    const uint32_t spirv = 1u << RT_FORMAT_SPIRV64, ptx = 1u << RT_FORMAT_PTX;
    const struct {
        uint32_t formats;
        rt_code result;
        bool skips;
    } rows[] = {
        {spirv | ptx, RT_UNSUPPORTED, true},  {spirv | ptx, RT_OK, false},
        {spirv | ptx, RT_UNAVAILABLE, false}, {spirv | ptx, RT_MALFORMED, false},
        {spirv, RT_UNSUPPORTED, false},       {ptx, RT_UNSUPPORTED, false},
    };
    const scn_scenario *scenario = scenario_fixture_read(
        &f->arena, &scenarios, LOAD LAUNCH "  - expect: {memory: data, equals: [7, 7, 7]}\n");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int ends[2];
        char sent[512] = "";
        rt_code result = rows[i].result;
        const dev_tools tools = {.user = &result, .spirv_to_ptx = translate};
        const dev_capabilities capabilities = {.formats_taken = rows[i].formats};
        assert_int_equal(pipe(ends), 0);
        cnf_emitter emitter = {.descriptor = ends[1]};
        assert_int_equal(cnf_skip_untranslated(&emitter, scenario, &capabilities, &tools),
                         rows[i].skips);
        close(ends[1]);
        assert_true(read(ends[0], sent, sizeof sent - 1) >= 0);
        close(ends[0]);
        assert_true((strstr(sent, CNF_PTX_CAPABILITY) != NULL) == rows[i].skips);
        assert_true((strstr(sent, "frob") != NULL) == rows[i].skips);
    }
}

/* Nothing runs here, so no kernel is stopped and no step fails because of one. */
static void what_fails_because_a_kernel_was_stopped_is_skipped(void **state)
{
    const cnf_judgement *judgement =
        judged(*state, LOAD LAUNCH "  - wait: {step: first}\n"
                                   "    expect: {error: {documents: \"errc::runtime\", "
                                   "reference: {class: budget}}}\n");
    assert_int_equal(judgement->verdict, CNF_VERDICT_SKIP);
    assert_true(rt_text_is(judgement->capability, "executes"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
        T(what_runs_is_unobserved_and_the_verdict_is_linked),
        T(errors_programs_and_traces_are_observed),
        T(a_wrong_program_fails),
        T(what_is_linked_and_must_be_refused_fails),
        T(what_makes_no_code_is_skipped),
        T(what_needs_a_lacking_aspect_is_skipped_for_it),
        T(images_of_newer_spirv_are_skipped),
        T(what_shipped_dpcpp_does_not_do_is_skipped),
        T(what_a_driver_cannot_compile_ahead_is_skipped),
        T(what_has_no_form_in_ptx_is_skipped),
        T(what_fails_because_a_kernel_was_stopped_is_skipped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
