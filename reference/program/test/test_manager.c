/* Unit tests of the program manager: building once, caching, refusing, unloading. */
#include "reference/base/hash.h"
#include "reference/program/global_program.h"
#include "reference/program/test/fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const fixture_module modules[] = {
    {"main", "k1 k2", "f", NULL},
    {"library", "lk", NULL, "f"},
    {"alone", "solo", NULL, NULL},
    {"native", "nk", NULL, NULL, RT_FORMAT_SPIRV64_GEN},
};
enum { MAIN, LIBRARY, ALONE, NATIVE, MODULES };

static int set_up(void **state)
{
    *state = fixture_create(modules, MODULES, "");
    return 0;
}

static int tear_down(void **state)
{
    fixture_destroy(*state);
    return 0;
}

static void linked_once_for_all_kernels_of_the_set(void **state)
{
    fixture *f = *state;
    rt_loader_open(&f->loader, LIBRARY);
    rt_loader_open(&f->loader, MAIN);
    assert_true(rt_ok(fixture_ask(f, "k1")));
    assert_true(rt_ok(fixture_ask(f, "k2")));
    assert_true(rt_ok(fixture_ask(f, "k1")));
    assert_true(rt_ok(fixture_ask(f, "lk")));
    assert_int_equal(f->counting->compiles, 2);
    assert_int_equal(f->counting->links_done, 1);
    assert_int_equal(f->counting->last_link_inputs, 2);
    assert_int_equal(f->counting->builds, 0);
    assert_int_equal(f->counting->kernels, 3);
    assert_int_equal(fixture_count(f, RT_EVENT_KERNEL_CREATE), 3);
    assert_int_equal(fixture_count(f, RT_EVENT_CACHE_HIT), 3);
}

static void a_self_contained_image_is_built_without_a_link(void **state)
{
    fixture *f = *state;
    rt_loader_open(&f->loader, ALONE);
    assert_true(rt_ok(fixture_ask(f, "solo")));
    assert_int_equal(f->counting->builds, 1);
    assert_int_equal(f->counting->links_done + f->counting->compiles, 0);
}

/* For every member of the set, and for an image without imports, the device is given the bytes that
 * the image was registered with. */
static void DL_LINK_03_the_device_gets_the_registered_bytes(void **state)
{
    static const uint32_t order[] = {MAIN, LIBRARY, ALONE};
    fixture *f = *state;
    rt_buffer expected = {0};
    for (uint32_t i = 0; i < MODULES; i++)
        rt_loader_open(&f->loader, i);
    for (uint32_t i = 0; i < sizeof order / sizeof *order; i++) {
        rt_bytes code = fixture_image(f, modules[order[i]].name)->image->code;
        rt_buffer_printf(&expected, "[%s]", rt_hash_print(rt_hash128(code.data, code.size)).digits);
    }
    assert_true(rt_ok(fixture_ask(f, "k1")));
    assert_true(rt_ok(fixture_ask(f, "solo")));
    assert_string_equal(rt_buffer_string(&f->counting->hashes), rt_buffer_string(&expected));
    rt_buffer_free(&expected);
}

static void no_failure_is_cached(void **state)
{
    fixture *f = *state;
    rt_loader_open(&f->loader, MAIN);
    assert_int_equal(fixture_ask(f, "k1").code, RT_ERRC_BUILD); /* f is missing */
    rt_loader_open(&f->loader, LIBRARY);
    f->counting->fail_builds = true;
    assert_int_equal(fixture_ask(f, "k1").code, RT_ERRC_BUILD);
    f->counting->fail_builds = false;
    assert_true(rt_ok(fixture_ask(f, "k1")));
    assert_int_equal(fixture_count(f, RT_EVENT_BUILD), 1);
}

static void refusals_have_their_class(void **state)
{
    fixture *f = *state;
    assert_int_equal(fixture_ask(f, "k1").code, RT_ERRC_RUNTIME); /* nothing is loaded */
    rt_loader_open(&f->loader, NATIVE);
    assert_int_equal(fixture_ask(f, "nk").code, RT_ERRC_KERNEL_NOT_SUPPORTED);
}

static void a_refused_kernel_gets_a_hint(void **state)
{
    fixture *f = *state;
    rt_status status = fixture_ask(f, "solo");
    assert_non_null(strstr(rt_sink_diagnostic(f->sink, status)->message.data,
                           "module 'alone' has it but is not loaded"));
    rt_loader_open(&f->loader, ALONE);
    status = fixture_ask(f, "slo");
    assert_non_null(
        strstr(rt_sink_diagnostic(f->sink, status)->message.data, "did you mean 'solo'?"));
}

static void a_device_that_does_not_link_gets_no_call(void **state)
{
    (void)state;
    fixture *f = fixture_create(modules, MODULES, "unlinked");
    rt_loader_open(&f->loader, LIBRARY);
    rt_loader_open(&f->loader, MAIN);
    rt_loader_open(&f->loader, ALONE);
    rt_status status = fixture_ask(f, "k1");
    assert_int_equal(status.code, RT_ERRC_FEATURE_NOT_SUPPORTED);
    assert_int_equal(status.rule, RT_RULE_DL_BACKEND_06);
    assert_int_equal(f->counting->compiles, 0);
    assert_true(rt_ok(fixture_ask(f, "solo")));
    fixture_destroy(f);
}

static void unloading_drops_programs_and_running_ones_live_on(void **state)
{
    fixture *f = *state;
    rt_loader_open(&f->loader, LIBRARY);
    rt_loader_open(&f->loader, MAIN);
    rt_program *running;
    dev_kernel *kernel;
    const rt_kernel_request request = {.device = &f->device, .kernel = RT_TEXT("k1")};
    assert_true(rt_ok(rt_program_manager_kernel(f->manager, &request, &running, &kernel)));
    assert_true(rt_ok(rt_loader_close(&f->loader, LIBRARY)));
    assert_int_equal(fixture_count(f, RT_EVENT_RELEASE), 0);
    assert_int_equal(fixture_ask(f, "k1").code, RT_ERRC_BUILD);
    rt_loader_open(&f->loader, LIBRARY);
    assert_true(rt_ok(fixture_ask(f, "k1")));
    assert_int_equal(f->counting->links_done, 2);
    rt_program_release(f->manager, running);
    assert_int_equal(fixture_count(f, RT_EVENT_RELEASE), 1);
}

/* ---- Which image is taken ----------------------------------------------------------------- */

static const char *selected(fixture *f, rt_kernel_request request, const char *kernel)
{
    request.device = &f->device;
    request.kernel = rt_text_of(kernel);
    assert_true(rt_ok(fixture_ask_as(f, &request)));
    return fixture_newest(f, RT_EVENT_SELECT, "image");
}

static void expect_message(fixture *f, rt_status status, rt_code code, const char *message)
{
    assert_int_equal(status.code, code);
    assert_string_equal(rt_sink_diagnostic(f->sink, status)->message.data, message);
}

/* A module's own kernel comes before one of that name of another module; a function of that name
 * that the module exports is none. */
static void a_request_may_name_the_module(void **state)
{
    (void)state;
    static const fixture_module named[] = {
        {"x", "k other", NULL, NULL}, {"y", "k", NULL, NULL}, {"z", "unrelated", NULL, "k"}};
    fixture *f = fixture_create(named, 3, "");
    for (uint32_t i = 0; i < 3; i++)
        rt_loader_open(&f->loader, i);
    for (uint32_t round = 0; round < 2; round++) {
        assert_string_equal(selected(f, (rt_kernel_request){0}, "k"), "x/0");
        assert_string_equal(selected(f, (rt_kernel_request){.has_module = true, .module = 1}, "k"),
                            "y/0");
        assert_string_equal(selected(f, (rt_kernel_request){.has_module = true, .module = 0}, "k"),
                            "x/0");
    }
    /* Every launch says which image it takes, also of a program that exists. */
    assert_int_equal(fixture_count(f, RT_EVENT_SELECT), 6);
    assert_int_equal(fixture_count(f, RT_EVENT_BUILD), 2);
    rt_kernel_request request = {
        .device = &f->device, .kernel = RT_TEXT("k"), .has_module = true, .module = 2};
    expect_message(f, fixture_ask_as(f, &request), RT_ERRC_RUNTIME,
                   "no registered image of module 'z' has a kernel named 'k', nor is it in a "
                   "program that was linked for the module; other modules have it");
    request.kernel = RT_TEXT("other");
    request.module = 1;
    expect_message(f, fixture_ask_as(f, &request), RT_ERRC_RUNTIME,
                   "no registered image of module 'y' has a kernel named 'other', nor is it in a "
                   "program that was linked for the module; other modules have it");
    fixture_destroy(f);
}

/* Code that was compiled ahead of time keeps the defaults of its constants. */
static void a_launch_that_sets_constants_prefers_spirv(void **state)
{
    (void)state;
    static const fixture_module formats[] = {{"gen", "k", NULL, NULL, RT_FORMAT_SPIRV64_GEN},
                                             {"spirv", "k", NULL, NULL, .constants = "c"},
                                             {"later", "k", NULL, NULL, .constants = "c"}};
    fixture *f = fixture_create(formats, 3, "");
    f->device.capabilities.formats_taken |= 1u << RT_FORMAT_SPIRV64_GEN;
    for (uint32_t i = 0; i < 3; i++)
        rt_loader_open(&f->loader, i);
    static const uint8_t two[] = {2, 0, 0, 0};
    const rt_spec_constant constant = {RT_TEXT("c"), {two, 4}};
    const rt_kernel_request sets = {.constants = &constant, .constant_count = 1};
    assert_string_equal(selected(f, (rt_kernel_request){0}, "k"), "gen/0");
    assert_string_equal(selected(f, sets, "k"), "spirv/0");
    fixture_destroy(f);
}

/* The message is about an image in a format that the device takes, if there is one. */
static void a_refusal_is_about_an_image_that_could_run(void **state)
{
    (void)state;
    static const fixture_module candidates[] = {
        {"native", "k n", NULL, NULL, RT_FORMAT_NATIVE, .aspect = 6 /* fp64 */},
        {"needing", "k", NULL, NULL, .aspect = 6}};
    fixture *f = fixture_create(candidates, 2, "");
    f->device.capabilities.aspects = 0;
    rt_loader_open(&f->loader, 0);
    rt_loader_open(&f->loader, 1);
    expect_message(f, fixture_ask(f, "k"), RT_ERRC_KERNEL_NOT_SUPPORTED,
                   "kernel 'k' of image needing/0 cannot run: it needs aspect fp64, which device "
                   "device does not have");
    expect_message(f, fixture_ask(f, "n"), RT_ERRC_KERNEL_NOT_SUPPORTED,
                   "kernel 'n' exists only in formats that device device does not accept");
    fixture_destroy(f);
}

/* The program is built, but does not have the kernel. */
static void a_kernel_that_cannot_be_created_has_no_program(void **state)
{
    fixture *f = *state;
    rt_loader_open(&f->loader, ALONE);
    f->counting->fail_call = f->counting->calls + 2;
    assert_int_equal(fixture_ask(f, "solo").code, RT_DRIVER_ERROR);
    assert_int_equal(f->counting->builds, 1);
    assert_true(rt_ok(fixture_ask(f, "solo")));
    assert_int_equal(f->counting->builds, 1);
}

/* A choice among one is none. */
static void choices_are_traced(void **state)
{
    fixture *f = *state;
    assert_int_equal(rt_program_manager_choose(f->manager, RT_RULE_DL_RESOLVE_13, 1), 0);
    assert_int_equal(fixture_count(f, RT_EVENT_CHOICE), 0);
    assert_true(rt_program_manager_choose(f->manager, RT_RULE_DL_RESOLVE_13, 2) < 2);
    assert_int_equal(fixture_count(f, RT_EVENT_CHOICE), 1);
    assert_string_equal(fixture_newest(f, RT_EVENT_CHOICE, "of"), "2");
}

static void options_are_joined_with_one_blank(void **state)
{
    fixture *f = *state;
    static const struct {
        const char *first, *second, *joined;
    } rows[] = {{"", "", ""}, {"a", "", "a"}, {"", "b", "b"}, {"a", "b", "a b"}};
    for (uint32_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rt_text joined = rt_program_options_join(&f->arena, rt_text_of(rows[i].first),
                                                 rt_text_of(rows[i].second));
        assert_true(rt_text_is(joined, rows[i].joined));
    }
}

/* ---- Variables of programs ---------------------------------------------------------------- */

static void a_variable_is_in_one_program_or_in_none(void **state)
{
    (void)state;
    static const fixture_module scoped[] = {{"scoped", "k", NULL, NULL, .globals = "g!"},
                                            {"plain", "l", NULL, NULL}};
    fixture *f = fixture_create(scoped, 2, "");
    rt_loader_open(&f->loader, 1);
    rt_loader_open(&f->loader, 0);
    rt_program_manager *m = f->manager;
    rt_program *program = (rt_program *)f, *again = (rt_program *)f;
    assert_true(rt_program_manager_has_global(m, RT_TEXT("g")));
    assert_false(rt_program_manager_has_global(m, RT_TEXT("h")));
    assert_true(rt_ok(rt_program_manager_global(m, &f->device, 0, RT_TEXT("g"), true, &program)));
    assert_null(program); /* none exists */
    program = (rt_program *)f;
    assert_true(rt_ok(rt_program_manager_global(m, &f->device, 0, RT_TEXT("h"), false, &program)));
    assert_null(program);
    assert_true(rt_ok(rt_program_manager_global(m, &f->device, 0, RT_TEXT("g"), false, &program)));
    assert_non_null(program);
    assert_true(rt_ok(rt_program_manager_global(m, &f->device, 0, RT_TEXT("g"), true, &again)));
    assert_ptr_equal(again, program);
    rt_program_release(m, program);
    rt_program_release(m, again);
    assert_true(rt_ok(rt_loader_close(&f->loader, 0)));
    assert_false(rt_program_manager_has_global(m, RT_TEXT("g")));
    fixture_destroy(f);
}

/* DG-SCOPE-05: which of two programs is meant is unclear. */
static void a_variable_in_two_programs_is_refused(void **state)
{
    (void)state;
    static const fixture_module linked[] = {{"first", "k1", "f", NULL},
                                            {"second", "k2", "f", NULL},
                                            {"l", NULL, NULL, "f", .globals = "g!"}};
    fixture *f = fixture_create(linked, 3, "");
    for (uint32_t i = 0; i < 3; i++)
        rt_loader_open(&f->loader, i);
    assert_true(rt_ok(fixture_ask(f, "k1")));
    assert_true(rt_ok(fixture_ask(f, "k2")));
    rt_program *program = (rt_program *)f;
    rt_status status =
        rt_program_manager_global(f->manager, &f->device, 0, RT_TEXT("g"), false, &program);
    assert_int_equal(status.rule, RT_RULE_DG_SCOPE_05);
    expect_message(f, status, RT_ERRC_INVALID,
                   "the device_global 'g' has image scope and is contained in several programs on "
                   "device device (0 and 1), so it is unclear which one a copy refers to");
    assert_null(program);
    fixture_destroy(f);
}

static void a_variable_that_no_image_for_the_device_has_is_refused(void **state)
{
    (void)state;
    static const fixture_module scoped[] = {
        {"needing", "k", NULL, NULL, .globals = "g!", .aspect = 6 /* fp64 */}};
    fixture *f = fixture_create(scoped, 1, "");
    rt_loader_open(&f->loader, 0);
    f->device.capabilities.aspects = 0;
    rt_program *program = (rt_program *)f;
    rt_status status =
        rt_program_manager_global(f->manager, &f->device, 0, RT_TEXT("g"), false, &program);
    expect_message(f, status, RT_ERRC_KERNEL_NOT_SUPPORTED,
                   "the device_global 'g' is only in images that device device cannot run");
    assert_null(program);
    fixture_destroy(f);
}

/* ---- What the cache distinguishes --------------------------------------------------------- */

static void each_device_and_context_has_separate_programs(void **state)
{
    fixture *f = *state;
    rt_loader_open(&f->loader, ALONE);
    const rt_kernel_request requests[] = {
        {.device = &f->device, .kernel = RT_TEXT("solo")},
        {.device = &f->other, .kernel = RT_TEXT("solo")},
        {.device = &f->device, .context = 1, .kernel = RT_TEXT("solo")},
    };
    for (uint32_t round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < 3; i++)
            assert_true(rt_ok(fixture_ask_as(f, &requests[i])));
    }
    assert_int_equal(f->counting->builds, 2);
    assert_int_equal(f->other_counting->builds, 1);
    assert_int_equal(fixture_count(f, RT_EVENT_CACHE_HIT), 3);
    assert_string_equal(fixture_newest(f, RT_EVENT_BUILD, "context"), "1");
}

static void options_follow_the_images_and_distinguish_programs(void **state)
{
    (void)state;
    static const fixture_module with_options[] = {{"main", "k", "f", NULL, .options = "-main"},
                                                  {"library", NULL, NULL, "f"}};
    fixture *f = fixture_create(with_options, 2, "");
    rt_loader_open(&f->loader, 1);
    rt_loader_open(&f->loader, 0);
    rt_kernel_request request = {.device = &f->device, .kernel = RT_TEXT("k")};
    assert_true(rt_ok(fixture_ask_as(f, &request)));
    assert_string_equal(rt_buffer_string(&f->counting->codes), "[-main][]");
    request.options = RT_TEXT("-cl-opt-disable");
    assert_true(rt_ok(fixture_ask_as(f, &request)));
    assert_string_equal(rt_buffer_string(&f->counting->codes),
                        "[-main][][-main -cl-opt-disable][-cl-opt-disable]");
    request.options = (rt_text){0};
    assert_true(rt_ok(fixture_ask_as(f, &request)));
    assert_int_equal(f->counting->links_done, 2);
    fixture_destroy(f);
}

/* ---- Aspects ------------------------------------------------------------------------------ */

enum { FP64 = 6 };

static void a_kernel_that_needs_a_missing_aspect_is_refused(void **state)
{
    (void)state;
    static const fixture_module needing[] = {{"main", "k", NULL, NULL, .aspect = FP64}};
    fixture *f = fixture_create(needing, 1, "");
    rt_loader_open(&f->loader, 0);
    assert_true(rt_ok(fixture_ask(f, "k")));
    f->device.capabilities.aspects &= ~(1u << DEV_ASPECT_FP64);
    rt_status status = fixture_ask(f, "k");
    assert_int_equal(status.code, RT_ERRC_KERNEL_NOT_SUPPORTED);
    assert_string_equal(rt_sink_diagnostic(f->sink, status)->message.data,
                        "kernel 'k' of image main/0 cannot run: it needs aspect fp64, which device "
                        "device does not have");
    fixture_destroy(f);
}

static void an_aspect_that_nobody_knows_no_device_has(void **state)
{
    (void)state;
    static const fixture_module needing[] = {{"main", "k", NULL, NULL, .aspect = 99}};
    fixture *f = fixture_create(needing, 1, "");
    rt_loader_open(&f->loader, 0);
    rt_status status = fixture_ask(f, "k");
    assert_int_equal(status.code, RT_ERRC_KERNEL_NOT_SUPPORTED);
    assert_non_null(
        strstr(rt_sink_diagnostic(f->sink, status)->message.data, "it needs aspect number 99"));
    fixture_destroy(f);
}

static void the_image_that_the_device_can_run_is_selected(void **state)
{
    (void)state;
    static const fixture_module candidates[] = {{"doubles", "k", NULL, NULL, .aspect = FP64},
                                                {"singles", "k", NULL, NULL}};
    fixture *f = fixture_create(candidates, 2, "");
    rt_loader_open(&f->loader, 0);
    rt_loader_open(&f->loader, 1);
    assert_true(rt_ok(fixture_ask(f, "k")));
    assert_string_equal(fixture_newest(f, RT_EVENT_SELECT, "image"), "doubles/0");
    f->other.capabilities.aspects = 0;
    const rt_kernel_request request = {.device = &f->other, .kernel = RT_TEXT("k")};
    assert_true(rt_ok(fixture_ask_as(f, &request)));
    assert_string_equal(fixture_newest(f, RT_EVENT_SELECT, "image"), "singles/0");
    fixture_destroy(f);
}

static void a_provider_that_needs_a_missing_aspect_is_not_a_candidate(void **state)
{
    (void)state;
    static const fixture_module provided[] = {{"main", "k", "f", NULL},
                                              {"doubles", NULL, NULL, "f", .aspect = FP64},
                                              {"singles", NULL, NULL, "f"}};
    fixture *f = fixture_create(provided, 3, "");
    f->device.capabilities.aspects &= ~(1u << DEV_ASPECT_FP64);
    rt_loader_open(&f->loader, 0);
    rt_loader_open(&f->loader, 1);
    rt_status status = fixture_ask(f, "k");
    assert_int_equal(status.code, RT_ERRC_BUILD);
    assert_string_equal(rt_sink_diagnostic(f->sink, status)->message.data,
                        "image main/0 cannot be linked: no registered image of format spirv64 "
                        "exports 'f'; before the launch, load a module that defines it; image "
                        "doubles/0 exports 'f', but it needs aspect fp64, which device device does "
                        "not have");
    rt_loader_open(&f->loader, 2);
    assert_true(rt_ok(fixture_ask(f, "k")));
    assert_string_equal(fixture_newest(f, RT_EVENT_BUILD, "images"), "main/0 singles/0");
    fixture_destroy(f);
}

static void an_export_with_the_other_linkage_is_named(void **state)
{
    (void)state;
    static const struct {
        const char *import, *export, *hint;
    } rows[] = {
        {"_Z5twicei", "twice",
         "; image library/0 exports 'twice' with C linkage; declare it extern \"C\" where it is "
         "imported"},
        {"twice", "_Z5twicei",
         "; image library/0 exports '_Z5twicei' with C++ linkage; declare it extern \"C\" where it "
         "is defined"},
        {"_Z5twicei", "_Z5twicel", ""},
        {"_ZN5inner5twiceEi", "twice", ""},
        {"twice", "twice2", ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const fixture_module provided[] = {{"main", "k", rows[i].import, NULL},
                                           {"library", NULL, NULL, rows[i].export}};
        fixture *f = fixture_create(provided, 2, "");
        rt_loader_open(&f->loader, 0);
        rt_loader_open(&f->loader, 1);
        rt_status status = fixture_ask(f, "k");
        assert_int_equal(status.code, RT_ERRC_BUILD);
        rt_buffer expected = {0};
        rt_buffer_printf(&expected,
                         "image main/0 cannot be linked: no registered image of format spirv64 "
                         "exports '%s'; before the launch, load a module that defines it%s",
                         rows[i].import, rows[i].hint);
        assert_string_equal(rt_sink_diagnostic(f->sink, status)->message.data,
                            rt_buffer_string(&expected));
        rt_buffer_free(&expected);
        fixture_destroy(f);
    }
}

/* ---- Threads ------------------------------------------------------------------------------ */

typedef struct asker {
    fixture *f;
    const char *kernel;
    rt_status status;
} asker;

static void *ask_in_thread(void *user)
{
    asker *a = user;
    a->status = fixture_ask(a->f, a->kernel);
    return NULL;
}

static void threads_that_want_the_same_program_build_it_once(void **state)
{
    fixture *f = *state;
    enum { THREADS = 8 };
    f->counting->build_delay_us = 20000;
    rt_loader_open(&f->loader, LIBRARY);
    rt_loader_open(&f->loader, MAIN);
    pthread_t threads[THREADS];
    asker askers[THREADS];
    for (uint32_t i = 0; i < THREADS; i++) {
        askers[i] = (asker){.f = f, .kernel = i % 2 ? "k1" : "k2"};
        assert_int_equal(pthread_create(&threads[i], NULL, ask_in_thread, &askers[i]), 0);
    }
    for (uint32_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (uint32_t i = 0; i < THREADS; i++)
        assert_true(rt_ok(askers[i].status));
    assert_int_equal(f->counting->links_done, 1);
    assert_int_equal(fixture_count(f, RT_EVENT_BUILD), 1);
    assert_int_equal(fixture_count(f, RT_EVENT_CACHE_HIT), THREADS - 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        TEST(linked_once_for_all_kernels_of_the_set),
        TEST(a_self_contained_image_is_built_without_a_link),
        TEST(DL_LINK_03_the_device_gets_the_registered_bytes),
        TEST(no_failure_is_cached),
        TEST(refusals_have_their_class),
        TEST(a_refused_kernel_gets_a_hint),
        cmocka_unit_test(a_request_may_name_the_module),
        cmocka_unit_test(a_launch_that_sets_constants_prefers_spirv),
        cmocka_unit_test(a_refusal_is_about_an_image_that_could_run),
        TEST(a_kernel_that_cannot_be_created_has_no_program),
        TEST(choices_are_traced),
        TEST(options_are_joined_with_one_blank),
        cmocka_unit_test(a_variable_is_in_one_program_or_in_none),
        cmocka_unit_test(a_variable_in_two_programs_is_refused),
        cmocka_unit_test(a_variable_that_no_image_for_the_device_has_is_refused),
        cmocka_unit_test(a_device_that_does_not_link_gets_no_call),
        TEST(unloading_drops_programs_and_running_ones_live_on),
        TEST(each_device_and_context_has_separate_programs),
        cmocka_unit_test(options_follow_the_images_and_distinguish_programs),
        cmocka_unit_test(a_kernel_that_needs_a_missing_aspect_is_refused),
        cmocka_unit_test(an_aspect_that_nobody_knows_no_device_has),
        cmocka_unit_test(the_image_that_the_device_can_run_is_selected),
        cmocka_unit_test(a_provider_that_needs_a_missing_aspect_is_not_a_candidate),
        cmocka_unit_test(an_export_with_the_other_linkage_is_named),
        TEST(threads_that_want_the_same_program_build_it_once),
    };
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
