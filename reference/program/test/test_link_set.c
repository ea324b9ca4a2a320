/* Unit tests of resolution: document 003, "Device images collection and linking". */
#include "reference/program/test/fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* Loads all modules and collects the link set of the first; returns "main/0 a/0 …" or the names of
 * the unresolved symbols after a '!'. */
static rt_text collect(fixture *f, uint32_t module_count, uint64_t seed)
{
    rt_chooser_free(&f->chooser);
    rt_chooser_init(&f->chooser, seed, NULL, 0);
    for (uint32_t i = 0; i < module_count; i++) {
        if (!f->loader.modules[i].loaded) rt_loader_open(&f->loader, i);
    }
    rt_link_context context = {
        .sink = f->sink,
        .trace = f->trace,
        .chooser = &f->chooser,
        .loader = &f->loader,
        .tables = &f->manager->tables,
        .device = &f->device,
        .profile = f->manager->profile,
        .prefer_preloaded = f->manager->prefer_preloaded,
    };
    rt_link_set set = {0};
    rt_buffer text = {0};
    rt_status status = rt_link_set_collect(&context, fixture_image(f, "main"), &set);
    if (rt_ok(status)) {
        for (uint32_t i = 0; i < set.images.count; i++) {
            rt_buffer_printf(&text, "%s%.*s", i ? " " : "",
                             RT_TEXT_ARG(set.images.items[i]->image->name));
        }
    } else {
        const rt_diagnostic *diagnostic = rt_sink_diagnostic(f->sink, status);
        assert_int_equal(diagnostic->code, RT_ERRC_BUILD);
        assert_int_equal(diagnostic->rule, RT_RULE_DL_RESOLVE_09);
        for (uint32_t i = 0; i < diagnostic->name_count; i++) {
            rt_buffer_printf(&text, "!%.*s", RT_TEXT_ARG(diagnostic->names[i]));
        }
    }
    rt_text result = rt_arena_text(&f->arena, rt_buffer_text(&text));
    rt_buffer_free(&text);
    rt_link_set_free(&set);
    assert_true(set.images.count == 0 && !set.searched);
    return result;
}

static void expect_set(const fixture_module *modules, uint32_t module_count, const char *expected)
{
    fixture *f = fixture_create(modules, module_count, "");
    assert_string_equal(collect(f, module_count, 0).data, expected);
    fixture_destroy(f);
}

#define EXPECT_SET(expected, ...)                                                                  \
    do {                                                                                           \
        const fixture_module modules[] = {__VA_ARGS__};                                            \
        expect_set(modules, sizeof modules / sizeof *modules, expected);                           \
    } while (0)

static void an_image_without_imports_stands_alone(void **state)
{
    (void)state;
    EXPECT_SET("main/0", {"main", "k", NULL, "f"}, {"a", NULL, NULL, "f g"});
}

static void providers_join_in_the_order_of_the_imports(void **state)
{
    (void)state;
    EXPECT_SET("main/0 b/0 a/0", {"main", "k", "f g", NULL}, {"a", NULL, NULL, "g"},
               {"b", NULL, NULL, "f"}, {"c", NULL, NULL, "h"});
}

static void a_member_resolves_everything_that_it_exports(void **state)
{
    (void)state;
    EXPECT_SET("main/0 b/0", {"main", "k", "f g", NULL}, {"a", NULL, NULL, "g"},
               {"b", NULL, NULL, "f g"});
}

static void imports_of_providers_are_resolved_too(void **state)
{
    (void)state;
    EXPECT_SET("main/0 a/0 b/0 c/0", {"main", "k", "f", NULL}, {"a", NULL, "g", "f"},
               {"b", NULL, "h", "g"}, {"c", NULL, NULL, "h"});
    EXPECT_SET("!h", {"main", "k", "f", NULL}, {"a", NULL, "g", "f"}, {"b", NULL, "h", "g"});
}

static void cycles_end(void **state)
{
    (void)state;
    EXPECT_SET("main/0 a/0 b/0", {"main", "k", "f", "m"}, {"a", NULL, "g m", "f"},
               {"b", NULL, "f m", "g"});
    EXPECT_SET("main/0", {"main", "k", "m", "m"});
}

static void all_unresolved_symbols_are_named_once(void **state)
{
    (void)state;
    EXPECT_SET("!g!h", {"main", "k", "f g h", NULL}, {"a", NULL, "g", "f"});
}

static void another_format_does_not_count(void **state)
{
    (void)state;
    EXPECT_SET("!f", {"main", "k", "f", NULL}, {"a", NULL, NULL, "f", RT_FORMAT_SPIRV64_X86_64});
    EXPECT_SET("main/0 b/0", {"main", "k", "f", NULL},
               {"a", NULL, NULL, "f", RT_FORMAT_SPIRV64_X86_64}, {"b", NULL, NULL, "f"});
}

/* The trace says why an exporter is passed over: its format, or what the device lacks for it. */
static void an_exporter_that_is_passed_over_is_explained(void **state)
{
    (void)state;
    const fixture_module modules[] = {{"main", "k", "f", NULL},
                                      {"native", NULL, NULL, "f", RT_FORMAT_NATIVE},
                                      {"needing", NULL, NULL, "f", .aspect = 6 /* fp64 */},
                                      {"a", NULL, NULL, "f"}};
    fixture *f = fixture_create(modules, 4, "");
    f->device.capabilities.aspects = 0;
    assert_string_equal(collect(f, 2, 0).data, "!f");
    assert_string_equal(fixture_newest(f, RT_EVENT_PASS_OVER, "image"), "main/0");
    assert_string_equal(fixture_newest(f, RT_EVENT_PASS_OVER, "symbol"), "f");
    assert_string_equal(fixture_newest(f, RT_EVENT_PASS_OVER, "provider"), "native/0");
    assert_string_equal(fixture_newest(f, RT_EVENT_PASS_OVER, "reason"), "its format is native");
    assert_string_equal(collect(f, 4, 0).data, "main/0 a/0");
    assert_string_equal(fixture_newest(f, RT_EVENT_PASS_OVER, "provider"), "needing/0");
    assert_string_equal(fixture_newest(f, RT_EVENT_PASS_OVER, "reason"),
                        "it needs aspect fp64, which device device does not have");
    fixture_destroy(f);
}

static void seeds_reach_every_suitable_provider(void **state)
{
    (void)state;
    const fixture_module modules[] = {
        {"main", "k", "f", NULL}, {"a", NULL, NULL, "f"}, {"b", NULL, NULL, "f"}};
    fixture *f = fixture_create(modules, 3, "");
    bool a = false, b = false;
    for (uint64_t seed = 0; seed < 32; seed++) {
        rt_text set = collect(f, 3, seed);
        a = a || rt_text_is(set, "main/0 a/0");
        b = b || rt_text_is(set, "main/0 b/0");
    }
    assert_true(a && b);
    fixture_destroy(f);
}

static void a_preloaded_provider_is_preferred_where_the_policy_is_on(void **state)
{
    (void)state;
    const fixture_module modules[] = {
        {"main", "k", "f g", NULL}, {"a", NULL, NULL, "f g"}, {"b", NULL, NULL, "f"}};
    fixture *f = fixture_create(modules, 3, "");
    f->loader.modules[2].preloaded = true;
    f->manager->prefer_preloaded = true;
    for (uint64_t seed = 0; seed < 16; seed++)
        assert_string_equal(collect(f, 3, seed).data, "main/0 b/0 a/0");
    assert_int_equal(fixture_count(f, RT_EVENT_CHOICE), 0);
    f->manager->prefer_preloaded = false;
    assert_string_equal(collect(f, 3, 0).data, "main/0 a/0");
    assert_string_equal(fixture_newest(f, RT_EVENT_CHOICE, "rule"), "DL-RESOLVE-05");
    assert_string_equal(fixture_newest(f, RT_EVENT_CHOICE, "of"), "2");
    fixture_destroy(f);
}

static void a_preloaded_image_that_replaces_a_part_stands_beside_the_whole(void **state)
{
    (void)state;
    /* In this order, b provides f, and a is required for g.  In the other order, a is found first,
     * for g, which also resolves f. */
    const fixture_module in_part[] = {
        {"main", "k", "f g", NULL}, {"a", NULL, NULL, "f g"}, {"b", NULL, NULL, "f"}};
    const fixture_module whole[] = {
        {"main", "k", "g f", NULL}, {"a", NULL, NULL, "f g"}, {"b", NULL, NULL, "f"}};
    for (uint32_t i = 0; i < 2; i++) {
        fixture *f = fixture_create(i ? whole : in_part, 3, "");
        f->loader.modules[2].preloaded = true;
        f->manager->prefer_preloaded = true;
        assert_string_equal(collect(f, 3, 0).data, i ? "main/0 a/0" : "main/0 b/0 a/0");
        fixture_destroy(f);
    }
}

static void start_up_and_dlopened_providers_are_equal(void **state)
{
    (void)state;
    const fixture_module modules[] = {
        {"main", "k", "f", NULL}, {"a", NULL, NULL, "f"}, {"b", NULL, NULL, "f"}};
    fixture *f = fixture_create(modules, 3, "");
    static const rt_module_id needs[] = {1};
    f->loader.modules[0].needs = needs;
    f->loader.modules[0].need_count = 1;
    rt_loader_start(&f->loader, 0, NULL, 0);
    assert_string_equal(collect(f, 2, 0).data, "main/0 a/0");
    bool a = false, b = false;
    for (uint64_t seed = 0; seed < 32; seed++) {
        rt_text set = collect(f, 3, seed);
        a = a || rt_text_is(set, "main/0 a/0");
        b = b || rt_text_is(set, "main/0 b/0");
    }
    assert_true(a && b);
    fixture_destroy(f);
}

static void an_unloaded_provider_is_not_found(void **state)
{
    (void)state;
    const fixture_module modules[] = {{"main", "k", "f", NULL}, {"a", NULL, NULL, "f"}};
    fixture *f = fixture_create(modules, 2, "");
    assert_string_equal(collect(f, 2, 0).data, "main/0 a/0");
    assert_true(rt_ok(rt_loader_close(&f->loader, 1)));
    assert_string_equal(collect(f, 1, 0).data, "!f");
    fixture_destroy(f);
}

static void a_long_chain_costs_linear_work(void **state)
{
    (void)state;
    enum { LENGTH = 1000 };
    rt_arena arena = {0};
    fixture_module *modules = rt_arena_alloc_array(&arena, LENGTH, sizeof *modules);
    for (uint32_t i = 0; i < LENGTH; i++) {
        modules[i].name = i ? rt_arena_printf(&arena, "m%u", i).data : "main";
        modules[i].imports = i + 1 < LENGTH ? rt_arena_printf(&arena, "f%u", i + 1).data : NULL;
        modules[i].exports = rt_arena_printf(&arena, "f%u", i).data;
    }
    fixture *f = fixture_create(modules, LENGTH, "");
    collect(f, LENGTH, 0);
    assert_int_equal(fixture_count(f, RT_EVENT_SEARCH), LENGTH - 1);
    assert_int_equal(fixture_count(f, RT_EVENT_RESOLVE), LENGTH - 1);
    fixture_destroy(f);
    rt_arena_reset(&arena);
}

/* Image i imports an export of image i + 1, and the last one an export of the first: a chain of a
 * thousand images, closed into a ring.  The images are collected in order, each once. */
static void a_ring_of_a_thousand_images(void **state)
{
    (void)state;
    enum { DEPTH = 1000 };
    rt_arena arena = {0};
    rt_buffer expected = {0};
    fixture_module *ring = rt_arena_alloc_array(&arena, DEPTH, sizeof *ring);
    for (uint32_t i = 0; i < DEPTH; i++) {
        const char *name = i == 0 ? "main" : rt_arena_printf(&arena, "m%u", i).data;
        ring[i] = (fixture_module){.name = name,
                                   .kernels = i == 0 ? "k" : NULL,
                                   .imports = rt_arena_printf(&arena, "f%u", (i + 1) % DEPTH).data,
                                   .exports = rt_arena_printf(&arena, "f%u", i).data};
        rt_buffer_printf(&expected, "%s%s/0", i ? " " : "", name);
    }
    fixture *f = fixture_create(ring, DEPTH, "");
    assert_string_equal(collect(f, DEPTH, 0).data, rt_buffer_string(&expected));
    assert_true(rt_ok(fixture_ask(f, "k")));
    assert_int_equal(f->counting->last_link_inputs, DEPTH);
    fixture_destroy(f);
    rt_buffer_free(&expected);
    rt_arena_reset(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_image_without_imports_stands_alone),
        cmocka_unit_test(providers_join_in_the_order_of_the_imports),
        cmocka_unit_test(a_member_resolves_everything_that_it_exports),
        cmocka_unit_test(imports_of_providers_are_resolved_too),
        cmocka_unit_test(cycles_end),
        cmocka_unit_test(a_ring_of_a_thousand_images),
        cmocka_unit_test(all_unresolved_symbols_are_named_once),
        cmocka_unit_test(another_format_does_not_count),
        cmocka_unit_test(an_exporter_that_is_passed_over_is_explained),
        cmocka_unit_test(seeds_reach_every_suitable_provider),
        cmocka_unit_test(a_preloaded_provider_is_preferred_where_the_policy_is_on),
        cmocka_unit_test(a_preloaded_image_that_replaces_a_part_stands_beside_the_whole),
        cmocka_unit_test(start_up_and_dlopened_providers_are_equal),
        cmocka_unit_test(an_unloaded_provider_is_not_found),
        cmocka_unit_test(a_long_chain_costs_linear_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
