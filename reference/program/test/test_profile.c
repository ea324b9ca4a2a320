/* Unit tests of the deviations of profile dpcpp, each compared with the documents. */
#include "reference/program/test/fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* Opens all modules in order. */
static fixture *start(rt_profile profile, const fixture_module *modules, uint32_t count)
{
    fixture *f = fixture_create_in(profile, modules, count, "");
    for (uint32_t i = 0; i < count; i++)
        rt_loader_open(&f->loader, i);
    return f;
}

/* Checks the images of the program that is built for kernel k, in both profiles. */
static void expect_images(const fixture_module *modules, uint32_t count, const char *documents,
                          const char *dpcpp)
{
    const char *const expected[RT_PROFILE_COUNT] = {documents, dpcpp};
    for (rt_profile profile = 0; profile < RT_PROFILE_COUNT; profile++) {
        fixture *f = start(profile, modules, count);
        assert_true(rt_ok(fixture_ask(f, "k")));
        assert_string_equal(fixture_newest(f, RT_EVENT_BUILD, "images"), expected[profile]);
        fixture_destroy(f);
    }
}

static void A25_each_symbol_is_resolved_by_itself(void **state)
{
    (void)state;
    /* The image found for f also exports g, and a later image exports only g. */
    static const fixture_module shared_provider[] = {
        {"main", "k", "f g", NULL}, {"y", NULL, NULL, "f g"}, {"x", NULL, NULL, "g"}};
    expect_images(shared_provider, 3, "main/0 y/0", "main/0 y/0 x/0");
    /* An image that is found twice is linked once. */
    static const fixture_module duplicate[] = {{"main", "k", "f g", NULL},
                                               {"y", NULL, NULL, "f g"}};
    expect_images(duplicate, 2, "main/0 y/0", "main/0 y/0");
    /* An import of a provider is also searched for among all images. */
    static const fixture_module closure[] = {{"main", "k", "f a", NULL},
                                             {"y", NULL, NULL, "f g"},
                                             {"x", NULL, NULL, "g"},
                                             {"a", NULL, "g", "a"}};
    expect_images(closure, 4, "main/0 y/0 a/0", "main/0 y/0 a/0 x/0");
}

static void A26_the_image_registered_last_is_taken(void **state)
{
    (void)state;
    static const fixture_module equal[] = {{"main", "k", "f", NULL},
                                           {"x", NULL, NULL, "f"},
                                           {"y", NULL, NULL, "f"},
                                           {"z", NULL, NULL, "f"}};
    expect_images(equal, 4, "main/0 x/0", "main/0 z/0");
}

static void A20_cycles_end_in_both(void **state)
{
    (void)state;
    static const fixture_module cycle[] = {
        {"main", "k", "f", "m"}, {"a", NULL, "m g", "f"}, {"b", NULL, "f m", "g"}};
    expect_images(cycle, 3, "main/0 a/0 b/0", "main/0 a/0 b/0");
}

static void A32_a_single_image_is_not_linked(void **state)
{
    (void)state;
    static const fixture_module self_import[] = {{"main", "k", "m", "m"}};
    for (rt_profile profile = 0; profile < RT_PROFILE_COUNT; profile++) {
        fixture *f = start(profile, self_import, 1);
        assert_true(rt_ok(fixture_ask(f, "k")));
        assert_int_equal(f->counting->links_done, profile == RT_PROFILE_DOCUMENTS);
        assert_int_equal(f->counting->builds, profile == RT_PROFILE_DPCPP);
        fixture_destroy(f);
    }
}

static void A38_A43_options_are_the_first_images_and_not_in_the_key(void **state)
{
    (void)state;
    static const fixture_module with_options[] = {{"main", "k", "f", NULL, .options = "-m"},
                                                  {"a", NULL, NULL, "f", .options = "-a"}};
    for (rt_profile profile = 0; profile < RT_PROFILE_COUNT; profile++) {
        fixture *f = start(profile, with_options, 2);
        assert_true(rt_ok(fixture_ask(f, "k")));
        assert_string_equal(rt_buffer_string(&f->counting->codes),
                            profile == RT_PROFILE_DOCUMENTS ? "[-m][-a]" : "[-m][-m]");
        const rt_kernel_request other = {
            .device = &f->device, .kernel = RT_TEXT("k"), .options = RT_TEXT("-o")};
        assert_true(rt_ok(fixture_ask_as(f, &other)));
        assert_int_equal(f->counting->links_done, profile == RT_PROFILE_DOCUMENTS ? 2 : 1);
        fixture_destroy(f);
    }
}

static void A70_programs_of_other_images_survive_an_unload(void **state)
{
    (void)state;
    static const fixture_module linked[] = {{"main", "k", "f", NULL}, {"a", "lk", NULL, "f"}};
    for (rt_profile profile = 0; profile < RT_PROFILE_COUNT; profile++) {
        fixture *f = start(profile, linked, 2);
        assert_true(rt_ok(fixture_ask(f, "k")));
        assert_true(rt_ok(rt_loader_close(&f->loader, 1)));
        /* The imports are searched for again, even if the program exists. */
        assert_int_equal(fixture_ask(f, "k").code, RT_ERRC_BUILD);
        assert_int_equal(fixture_ask(f, "lk").code, RT_ERRC_RUNTIME);
        rt_loader_open(&f->loader, 1);
        assert_true(rt_ok(fixture_ask(f, "k")));
        assert_int_equal(f->counting->links_done, profile == RT_PROFILE_DOCUMENTS ? 2 : 1);
        /* The new registration is a different image: its kernel is not in the old program. */
        assert_true(rt_ok(fixture_ask(f, "lk")));
        assert_int_equal(f->counting->builds, profile == RT_PROFILE_DPCPP);
        fixture_destroy(f);
    }
}

static void A14_a_kernel_named_like_an_export_is_not_found(void **state)
{
    (void)state;
    static const fixture_module same_name[] = {{"a", NULL, NULL, "k"}, {"main", "k", NULL, NULL}};
    for (rt_profile profile = 0; profile < RT_PROFILE_COUNT; profile++) {
        fixture *f = start(profile, same_name, 2);
        rt_code expected = profile == RT_PROFILE_DOCUMENTS ? RT_OK : RT_ERRC_RUNTIME;
        assert_int_equal(fixture_ask(f, "k").code, expected);
        assert_true(rt_ok(rt_loader_close(&f->loader, 1)));
        assert_true(rt_ok(rt_loader_close(&f->loader, 0)));
        rt_loader_open(&f->loader, 1);
        assert_true(rt_ok(fixture_ask(f, "k")));
        fixture_destroy(f);
    }
}

static void A29_only_two_formats_are_linked(void **state)
{
    (void)state;
    static const struct {
        rt_format format;
        rt_code documents, dpcpp;
    } rows[] = {
        {RT_FORMAT_SPIRV64, RT_OK, RT_OK},
        {RT_FORMAT_SPIRV64_GEN, RT_OK, RT_OK},
        {RT_FORMAT_SPIRV64_X86_64, RT_OK, RT_ERRC_FEATURE_NOT_SUPPORTED},
        {RT_FORMAT_SPIRV64_FPGA, RT_OK, RT_ERRC_FEATURE_NOT_SUPPORTED},
        {RT_FORMAT_NATIVE, RT_OK, RT_ERRC_FEATURE_NOT_SUPPORTED},
    };
    for (uint32_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const fixture_module native[] = {{"main", "k", "f", NULL, rows[i].format},
                                         {"a", NULL, NULL, "f", rows[i].format}};
        const char *const extensions[] = {rt_format_link_extension(rows[i].format)};
        for (rt_profile profile = 0; profile < RT_PROFILE_COUNT; profile++) {
            fixture *f = start(profile, native, 2);
            f->device.capabilities.formats_taken = 1u << rows[i].format;
            f->device.capabilities.extensions = extensions;
            rt_code expected = profile == RT_PROFILE_DOCUMENTS ? rows[i].documents : rows[i].dpcpp;
            assert_int_equal(fixture_ask(f, "k").code, expected);
            fixture_destroy(f);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(A25_each_symbol_is_resolved_by_itself),
        cmocka_unit_test(A26_the_image_registered_last_is_taken),
        cmocka_unit_test(A20_cycles_end_in_both),
        cmocka_unit_test(A32_a_single_image_is_not_linked),
        cmocka_unit_test(A38_A43_options_are_the_first_images_and_not_in_the_key),
        cmocka_unit_test(A70_programs_of_other_images_survive_an_unload),
        cmocka_unit_test(A14_a_kernel_named_like_an_export_is_not_found),
        cmocka_unit_test(A29_only_two_formats_are_linked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
