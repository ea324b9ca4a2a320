/* Unit tests of kernel bundles: their units, their calls to the device, refusals, and lifetimes. */
#include "reference/program/bundle.h"
#include "reference/program/test/fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* main needs f from library, which also has a kernel; left and right need each other. */
static const fixture_module modules[] = {
    {"main", "k", "f", NULL, .constants = "n", .link_options = "-main"},
    {"library", "lk", NULL, "f", .link_options = "-library"},
    {"alone", "solo", NULL, NULL},
    {"left", "l", "r_of", "l_of"},
    {"right", "r", "l_of", "r_of"},
    {"broken", "b", "nowhere", NULL},
    {"ahead", "ahead", NULL, NULL, RT_FORMAT_NATIVE},
    {"aheadlib", "aheadlib", NULL, "g", RT_FORMAT_NATIVE},
    {"needing", "needing", NULL, NULL, .aspect = 6 /* fp64 */},
    {"twin", "twin", NULL, NULL},
    {"later", "twin", NULL, NULL},
    {"aheadtwin", "twin", NULL, "h", RT_FORMAT_NATIVE},
    {"aheadlater", "twin", "h", NULL, RT_FORMAT_NATIVE},
    {"ptx", "p", NULL, NULL, RT_FORMAT_PTX},
};
enum {
    MAIN,
    LIBRARY,
    ALONE,
    LEFT,
    RIGHT,
    BROKEN,
    AHEAD,
    AHEADLIB,
    NEEDING,
    TWIN,
    LATER,
    AHEADTWIN,
    AHEADLATER,
    PTX,
    MODULES
};

/* What every call must overwrite, even if it fails. */
static char garbage;
#define GARBAGE ((void *)&garbage)

typedef struct world {
    fixture *f;
    rt_bundle *bundles[16]; /* released at the end */
    uint32_t bundle_count;
    rt_status status; /* of the last call */
} world;

static int set_up(void **state)
{
    world *w = rt_alloc(sizeof *w);
    w->f = fixture_create(modules, MODULES, "");
    w->f->device.capabilities.formats_taken |= 1u << RT_FORMAT_NATIVE | 1u << RT_FORMAT_PTX;
    *state = w;
    return 0;
}

static int tear_down(void **state)
{
    world *w = *state;
    for (uint32_t i = 0; i < w->bundle_count; i++)
        rt_bundle_release(w->f->manager, w->bundles[i]);
    fixture_destroy(w->f);
    rt_free(w);
    return 0;
}

static const rt_bundle *keep(world *w, rt_status status, rt_bundle *bundle)
{
    w->status = status;
    assert_int_equal(rt_ok(status), bundle != NULL);
    assert_true(w->bundle_count < 16);
    if (bundle) w->bundles[w->bundle_count++] = bundle;
    return bundle;
}

/* If kernel is NULL, all kernels are requested. */
static const rt_bundle *get(world *w, rt_bundle_state state, const char *kernel)
{
    rt_text name = rt_text_of(kernel);
    const rt_bundle_request request = {
        .state = state, .device = &w->f->device, .kernels = &name, .kernel_count = kernel != NULL};
    rt_bundle *bundle = GARBAGE;
    rt_status status = rt_bundle_get(w->f->manager, &request, &bundle);
    return keep(w, status, bundle);
}

static const rt_bundle *compile(world *w, const rt_bundle *input, const char *options)
{
    rt_bundle *bundle = GARBAGE;
    rt_status status = rt_bundle_compile(w->f->manager, input, rt_text_of(options), &bundle);
    return keep(w, status, bundle);
}

static const rt_bundle *link_with(world *w, const rt_bundle *a, const rt_bundle *b,
                                  const char *options)
{
    const rt_bundle *pair[] = {a, b};
    rt_bundle *bundle = GARBAGE;
    rt_status status = rt_bundle_link(w->f->manager, pair, 2, rt_text_of(options), &bundle);
    return keep(w, status, bundle);
}

static const rt_bundle *link_two(world *w, const rt_bundle *a, const rt_bundle *b)
{
    return link_with(w, a, b, NULL);
}

static const rt_bundle *join_two(world *w, const rt_bundle *a, const rt_bundle *b)
{
    const rt_bundle *pair[] = {a, b};
    rt_bundle *bundle = GARBAGE;
    rt_status status = rt_bundle_join(w->f->manager, pair, 2, &bundle);
    return keep(w, status, bundle);
}

static rt_status launch(world *w, const rt_bundle *bundle, const rt_kernel_request *request)
{
    rt_program *program = GARBAGE;
    dev_kernel *kernel = GARBAGE;
    rt_status status = rt_bundle_kernel(w->f->manager, bundle, request, &program, &kernel);
    assert_int_equal(rt_ok(status), kernel != NULL);
    assert_int_equal(rt_ok(status), program != NULL);
    rt_program_release(w->f->manager, program);
    return status;
}

static rt_status launch_kernel(world *w, const rt_bundle *bundle, const char *kernel)
{
    return launch(w, bundle,
                  &(rt_kernel_request){.device = &w->f->device, .kernel = rt_text_of(kernel)});
}

static void assert_names(const rt_text *names, uint32_t count, const char *expected)
{
    rt_buffer text = {0};
    for (uint32_t i = 0; i < count; i++)
        rt_buffer_printf(&text, "%s%.*s", i ? " " : "", RT_TEXT_ARG(names[i]));
    assert_string_equal(rt_buffer_string(&text), expected);
    rt_buffer_free(&text);
}

static void assert_images(world *w, const rt_bundle *bundle, const char *expected)
{
    uint32_t count;
    const rt_text *names = rt_bundle_images(bundle, &w->f->arena, &count);
    assert_names(names, count, expected);
}

static void assert_kernels(world *w, const rt_bundle *bundle, const char *expected)
{
    uint32_t count;
    const rt_text *names = rt_bundle_kernels(bundle, &w->f->arena, &count);
    assert_names(names, count, expected);
}

static void assert_unresolved(world *w, const rt_bundle *bundle, const char *expected)
{
    uint32_t count;
    const rt_text *names = rt_bundle_unresolved(bundle, &w->f->arena, &count);
    assert_names(names, count, expected);
}

static void assert_message(world *w, const char *expected)
{
    assert_string_equal(rt_sink_diagnostic(w->f->sink, w->status)->message.data, expected);
}

static void load(world *w, uint32_t module)
{
    rt_loader_open(&w->f->loader, module);
}

/* ---- Getting ------------------------------------------------------------------------------ */

static void input_has_the_dependencies_and_does_not_call_the_device(void **state)
{
    world *w = *state;
    load(w, LIBRARY), load(w, MAIN), load(w, ALONE);
    const rt_bundle *input = get(w, RT_BUNDLE_INPUT, "k");
    assert_images(w, input, "main/0 library/0");
    assert_int_equal(rt_bundle_unit_count(input), 2);
    assert_kernels(w, input, "k lk"); /* f is exported but is not a kernel */
    assert_int_equal(w->f->counting->compiles + w->f->counting->builds, 0);
}

/* A symbol is unresolved unless an image of the bundle exports it, wherever that is in the bundle.
 */
static void unresolved_symbols_are_named(void **state)
{
    world *w = *state;
    load(w, MAIN), load(w, BROKEN);
    assert_unresolved(w, get(w, RT_BUNDLE_INPUT, "k"), "f");
    assert_unresolved(w, get(w, RT_BUNDLE_INPUT, NULL), "f nowhere");
    load(w, LIBRARY);
    assert_unresolved(w, get(w, RT_BUNDLE_INPUT, "k"), "");
    assert_unresolved(w, get(w, RT_BUNDLE_EXECUTABLE, "k"), "");
    assert_unresolved(w, get(w, RT_BUNDLE_INPUT, NULL), "nowhere");
    load(w, LEFT), load(w, RIGHT);
    assert_unresolved(w, get(w, RT_BUNDLE_INPUT, "r"), "");
    /* An image may have no property sets at all. */
    static const rt_text kernel = {"bare", 4};
    static const rt_image bare = {.name = {"bare/0", 6}, .kernels = &kernel, .kernel_count = 1};
    assert_true(rt_ok(rt_loader_image_load(&w->f->loader, MAIN, &bare)));
    assert_unresolved(w, get(w, RT_BUNDLE_INPUT, "bare"), "");
    assert_unresolved(w, get(w, RT_BUNDLE_INPUT, NULL), "nowhere");
}

static void all_kernels_without_a_list(void **state)
{
    world *w = *state;
    const rt_bundle *empty = get(w, RT_BUNDLE_INPUT, NULL);
    assert_int_equal(rt_bundle_unit_count(empty), 0);
    load(w, LIBRARY), load(w, MAIN), load(w, ALONE), load(w, AHEAD);
    assert_images(w, get(w, RT_BUNDLE_INPUT, NULL), "library/0 main/0 alone/0");
    const rt_bundle *executable = get(w, RT_BUNDLE_EXECUTABLE, NULL);
    /* library/0 is in the program of main/0 and has no separate program. */
    assert_int_equal(rt_bundle_unit_count(executable), 3);
    assert_images(w, executable, "main/0 library/0 alone/0 ahead/0");
}

static void images_that_need_each_other_share_a_program(void **state)
{
    world *w = *state;
    load(w, LEFT), load(w, RIGHT);
    const rt_bundle *executable = get(w, RT_BUNDLE_EXECUTABLE, NULL);
    assert_int_equal(rt_bundle_unit_count(executable), 1);
    assert_images(w, executable, "left/0 right/0");
    assert_int_equal(w->f->counting->links_done, 1);
}

static void code_compiled_ahead_begins_further(void **state)
{
    world *w = *state;
    load(w, AHEAD), load(w, AHEADLIB);
    assert_null(get(w, RT_BUNDLE_INPUT, "aheadlib"));
    assert_int_equal(w->status.code, RT_ERRC_INVALID);
    assert_message(w, "kernel 'aheadlib' exists only in images that were compiled ahead of time "
                      "beyond state input");
    assert_non_null(get(w, RT_BUNDLE_OBJECT, "aheadlib"));
    assert_null(get(w, RT_BUNDLE_OBJECT, "ahead")); /* nothing to link: an executable */
    assert_int_equal(w->status.code, RT_ERRC_INVALID);
    assert_non_null(get(w, RT_BUNDLE_EXECUTABLE, "ahead"));
}

/* PTX begins in state input: a driver compiles it (bundle.h). */
static void ptx_is_compiled_like_spirv(void **state)
{
    world *w = *state;
    load(w, PTX);
    const rt_bundle *input = get(w, RT_BUNDLE_INPUT, "p");
    assert_images(w, input, "ptx/0");
    assert_non_null(compile(w, input, NULL));
}

/* Of several images of a kernel, a bundle has the first of those that are furthest on their way to
 * its state, but not beyond it. */
static void the_first_of_the_furthest_images_is_taken(void **state)
{
    world *w = *state;
    load(w, TWIN), load(w, LATER);
    assert_images(w, get(w, RT_BUNDLE_INPUT, "twin"), "twin/0");
    assert_images(w, get(w, RT_BUNDLE_OBJECT, "twin"), "twin/0");
    load(w, AHEADTWIN), load(w, AHEADLATER);
    assert_images(w, get(w, RT_BUNDLE_INPUT, "twin"), "twin/0");
    assert_images(w, get(w, RT_BUNDLE_OBJECT, "twin"), "aheadtwin/0");
}

static void refusals_of_get_have_their_class(void **state)
{
    world *w = *state;
    load(w, BROKEN), load(w, NEEDING);
    assert_null(get(w, RT_BUNDLE_INPUT, "unknown"));
    assert_int_equal(w->status.code, RT_ERRC_RUNTIME);
    w->f->device.capabilities.aspects = 0;
    assert_null(get(w, RT_BUNDLE_INPUT, "needing"));
    assert_int_equal(w->status.code, RT_ERRC_INVALID);
    assert_null(get(w, RT_BUNDLE_EXECUTABLE, "b"));
    assert_int_equal(w->status.code, RT_ERRC_BUILD);
    assert_int_equal(w->status.rule, RT_RULE_DL_RESOLVE_09);
    assert_images(w, get(w, RT_BUNDLE_INPUT, "b"), "broken/0"); /* its import is left to a later
                                                                 * link */
}

/* ---- Compiling, linking, joining ---------------------------------------------------------- */

static void objects_are_linked_by_hand(void **state)
{
    world *w = *state;
    load(w, LIBRARY), load(w, MAIN);
    const rt_bundle *object = compile(w, get(w, RT_BUNDLE_INPUT, "k"), "-mine");
    assert_int_equal(w->f->counting->compiles, 2);
    assert_string_equal(rt_buffer_string(&w->f->counting->codes), "[-mine][-mine]");
    const rt_bundle *library = get(w, RT_BUNDLE_OBJECT, "lk");
    assert_int_equal(w->f->counting->compiles, 3);
    /* library/0 was compiled both with and without options, so both device images are linked. */
    const rt_bundle *linked = link_two(w, object, library);
    assert_int_equal(w->f->counting->last_link_inputs, 3);
    assert_int_equal(rt_bundle_unit_count(linked), 1);
    assert_int_equal(rt_bundle_state_of(linked), RT_BUNDLE_EXECUTABLE);
    assert_true(rt_ok(launch_kernel(w, linked, "lk")));
}

/* The options of the first image, then those of the call; those of other images do not count. */
static void link_options_are_the_first_images_and_the_calls(void **state)
{
    world *w = *state;
    load(w, LIBRARY), load(w, MAIN);
    assert_true(rt_ok(fixture_ask(w->f, "k")));
    const rt_bundle *object = get(w, RT_BUNDLE_OBJECT, "k");
    assert_non_null(link_with(w, object, object, "-call"));
    assert_non_null(link_with(w, object, object, NULL));
    const rt_bundle *library = get(w, RT_BUNDLE_OBJECT, "lk");
    assert_non_null(link_with(w, library, object, "-call"));
    assert_string_equal(rt_buffer_string(&w->f->counting->link_options),
                        "[-main][-main -call][-main][-library -call]");
}

static void the_device_is_told_the_images_names(void **state)
{
    world *w = *state;
    load(w, LIBRARY), load(w, MAIN), load(w, ALONE);
    assert_non_null(get(w, RT_BUNDLE_OBJECT, "k"));
    assert_non_null(get(w, RT_BUNDLE_EXECUTABLE, "solo"));
    assert_string_equal(rt_buffer_string(&w->f->counting->names), "[main/0][library/0][alone/0]");
}

static void a_unit_is_linked_once(void **state)
{
    world *w = *state;
    load(w, LIBRARY), load(w, MAIN);
    const rt_bundle *object = get(w, RT_BUNDLE_OBJECT, "k");
    assert_non_null(link_two(w, object, get(w, RT_BUNDLE_OBJECT, "lk")));
    assert_int_equal(w->f->counting->last_link_inputs, 2);
}

/* A device that links both formats gets one call with all programs, which it may refuse. */
static void DL_LINK_06_programs_of_two_formats_are_handed_over_together(void **state)
{
    world *w = *state;
    const char *const extensions[] = {rt_format_link_extension(RT_FORMAT_SPIRV64),
                                      rt_format_link_extension(RT_FORMAT_NATIVE)};
    w->f->device.capabilities.extensions = extensions;
    w->f->device.capabilities.extension_count = 2;
    load(w, LIBRARY), load(w, MAIN), load(w, AHEADLIB);
    const rt_bundle *spirv = get(w, RT_BUNDLE_OBJECT, "k");
    const rt_bundle *native = get(w, RT_BUNDLE_OBJECT, "aheadlib");
    const rt_bundle *linked = link_two(w, spirv, native);
    assert_non_null(linked);
    assert_images(w, linked, "main/0 library/0 aheadlib/0");
    assert_int_equal(w->f->counting->links_done, 1);
    assert_int_equal(w->f->counting->last_link_inputs, 3);
    w->f->counting->fail_builds = true;
    assert_null(link_two(w, spirv, native));
    assert_int_equal(w->status.code, RT_ERRC_BUILD); /* the device's refusal */
    assert_int_equal(w->f->counting->links_done, 2);
    w->f->counting->fail_builds = false;
    /* A format that it does not link is named with the first image that has it. */
    load(w, PTX);
    const rt_bundle *ptx = get(w, RT_BUNDLE_OBJECT, "p");
    w->f->device.capabilities.extension_count = 1;
    assert_null(link_two(w, spirv, join_two(w, native, ptx)));
    assert_message(w, "image main/0 must be linked with 3 other images, but device device does not "
                      "link programs of format native (it lacks the extension "
                      "assay_ext_native_linking), the format of image aheadlib/0");
}

static void joined_units_are_there_once(void **state)
{
    world *w = *state;
    load(w, LIBRARY), load(w, MAIN), load(w, ALONE);
    const rt_bundle *pair = get(w, RT_BUNDLE_INPUT, "k");
    const rt_bundle *joined = join_two(w, pair, get(w, RT_BUNDLE_INPUT, "lk"));
    assert_images(w, joined, "main/0 library/0");
    const rt_bundle *solo = get(w, RT_BUNDLE_EXECUTABLE, "solo");
    const rt_bundle *executables = join_two(w, solo, solo);
    assert_int_equal(rt_bundle_unit_count(executables), 1);
    assert_true(rt_ok(launch_kernel(w, executables, "solo")));
    /* Each kernel is launched from its own unit. */
    const rt_bundle *both = join_two(w, get(w, RT_BUNDLE_EXECUTABLE, "k"), solo);
    assert_true(rt_ok(launch_kernel(w, both, "solo")));
    assert_true(rt_ok(launch_kernel(w, both, "k")));
    assert_int_equal(launch_kernel(w, both, "p").code, RT_ERRC_KERNEL_NOT_SUPPORTED);
    /* The devices are there once, too. */
    const rt_bundle *object = get(w, RT_BUNDLE_OBJECT, "solo");
    const rt_bundle *objects = join_two(w, object, object);
    assert_int_equal(rt_bundle_unit_count(link_two(w, objects, objects)), 1);
}

static void built_in_one_step(void **state)
{
    world *w = *state;
    load(w, LIBRARY), load(w, MAIN);
    rt_bundle *built = GARBAGE;
    rt_status status = rt_bundle_build(w->f->manager, get(w, RT_BUNDLE_INPUT, "k"), &built);
    assert_images(w, keep(w, status, built), "main/0 library/0");
    assert_string_equal(fixture_newest(w->f, RT_EVENT_BUNDLE_BUILD, "of"), "0");
    assert_int_equal(w->f->counting->compiles, 2);
    assert_int_equal(w->f->counting->links_done, 1);
}

static void a_failing_device_leaves_nothing(void **state)
{
    world *w = *state;
    load(w, ALONE);
    const rt_bundle *input = get(w, RT_BUNDLE_INPUT, "solo");
    const rt_bundle *object = compile(w, input, NULL);
    w->f->counting->fail_builds = true;
    assert_null(compile(w, input, NULL));
    assert_int_equal(w->status.code, RT_ERRC_BUILD);
    assert_null(link_two(w, object, object));
    assert_null(get(w, RT_BUNDLE_OBJECT, "solo"));
    assert_null(get(w, RT_BUNDLE_EXECUTABLE, "solo"));
    rt_bundle *built = GARBAGE;
    rt_status status = rt_bundle_build(w->f->manager, input, &built);
    assert_null(keep(w, status, built));
}

static void a_device_that_does_not_link_links_one_image(void **state)
{
    (void)state;
    world *w = &(world){.f = fixture_create(modules, MODULES, "unlinked")};
    load(w, LIBRARY), load(w, MAIN), load(w, ALONE);
    const rt_bundle *object = get(w, RT_BUNDLE_OBJECT, "k");
    assert_null(link_two(w, object, object));
    assert_int_equal(w->status.code, RT_ERRC_FEATURE_NOT_SUPPORTED);
    assert_int_equal(w->status.rule, RT_RULE_DL_BACKEND_06);
    assert_message(w, "image main/0 must be linked with 1 other images, but device device does not "
                      "link programs of format spirv64 (it lacks the extension "
                      "pi_ext_spirv64_linking)");
    const rt_bundle *solo = get(w, RT_BUNDLE_OBJECT, "solo");
    assert_non_null(link_two(w, solo, solo));
    for (uint32_t i = 0; i < w->bundle_count; i++)
        rt_bundle_release(w->f->manager, w->bundles[i]);
    fixture_destroy(w->f);
}

/* ---- Contexts and devices ----------------------------------------------------------------- */

static const rt_bundle *get_as(world *w, const rt_device *device, rt_context_id context)
{
    const rt_text solo = RT_TEXT("solo");
    const rt_bundle_request request = {.state = RT_BUNDLE_OBJECT,
                                       .device = device,
                                       .context = context,
                                       .kernels = &solo,
                                       .kernel_count = 1};
    rt_bundle *bundle = GARBAGE;
    rt_status status = rt_bundle_get(w->f->manager, &request, &bundle);
    return keep(w, status, bundle);
}

static void contexts_do_not_mix(void **state)
{
    world *w = *state;
    load(w, ALONE);
    const rt_bundle *here = get_as(w, &w->f->device, 0), *there = get_as(w, &w->f->device, 1);
    assert_null(link_two(w, here, there));
    assert_int_equal(w->status.code, RT_ERRC_INVALID);
    assert_null(join_two(w, here, there));
    assert_int_equal(w->status.code, RT_ERRC_INVALID);
    const rt_bundle *linked = link_two(w, there, there);
    assert_int_equal(launch_kernel(w, linked, "solo").code, RT_ERRC_INVALID);
    const rt_kernel_request request = {
        .device = &w->f->device, .context = 1, .kernel = RT_TEXT("solo")};
    assert_true(rt_ok(launch(w, linked, &request)));
}

static void linked_for_the_devices_that_all_have(void **state)
{
    world *w = *state;
    load(w, ALONE);
    const rt_bundle *first = get_as(w, &w->f->device, 0), *other = get_as(w, &w->f->other, 0);
    assert_null(link_two(w, first, other));
    assert_int_equal(w->status.code, RT_ERRC_INVALID);
    assert_message(w, "cannot link 2 kernel bundles: no device is in all of them");
    const rt_bundle *pair = join_two(w, first, other);
    assert_string_equal(fixture_newest(w->f, RT_EVENT_BUNDLE_JOIN, "bundles"), "0 1");
    assert_int_equal(rt_bundle_unit_count(link_two(w, pair, pair)), 2);
    const rt_bundle *linked = link_two(w, pair, other);
    assert_int_equal(rt_bundle_unit_count(linked), 1);
    assert_int_equal(launch_kernel(w, linked, "solo").code, RT_ERRC_KERNEL_NOT_SUPPORTED);
    const rt_kernel_request request = {.device = &w->f->other, .kernel = RT_TEXT("solo")};
    assert_true(rt_ok(launch(w, linked, &request)));
}

/* ---- Constants ---------------------------------------------------------------------------- */

static const rt_bundle *get_with(world *w, const char *constant)
{
    const rt_text k = RT_TEXT("k");
    uint8_t value[] = {5, 0, 0, 0}; /* overwritten after the call: the bundle has a copy */
    const rt_spec_constant constants[] = {{rt_text_of(constant), {value, sizeof value}}};
    const rt_bundle_request request = {.state = RT_BUNDLE_INPUT,
                                       .device = &w->f->device,
                                       .kernels = &k,
                                       .kernel_count = 1,
                                       .constants = constants,
                                       .constant_count = 1};
    rt_bundle *bundle = GARBAGE;
    rt_status status = rt_bundle_get(w->f->manager, &request, &bundle);
    memset(value, 0xff, sizeof value);
    return keep(w, status, bundle);
}

static void constants_are_set_in_input(void **state)
{
    world *w = *state;
    load(w, LIBRARY), load(w, MAIN);
    const rt_bundle *unknown = compile(w, get_with(w, "m"), NULL);
    const rt_bundle *object = compile(w, get_with(w, "n"), NULL);
    assert_string_equal(rt_buffer_string(&w->f->counting->codes), "[][][ 1=05000000][]");
    link_two(w, unknown, unknown);
    assert_string_equal(fixture_newest(w->f, RT_EVENT_BUILD, "constants"), "");
    const rt_bundle *linked = link_two(w, object, object);
    assert_string_equal(fixture_newest(w->f, RT_EVENT_BUILD, "constants"), "n=5");
    const uint8_t value[] = {6, 0, 0, 0};
    const rt_spec_constant late[] = {{RT_TEXT("n"), {value, sizeof value}}};
    const rt_kernel_request request = {
        .device = &w->f->device, .kernel = RT_TEXT("k"), .constants = late, .constant_count = 1};
    assert_int_equal(launch(w, linked, &request).code, RT_ERRC_INVALID);
}

/* Units with and without a value for a constant are different units. */
static void values_tell_units_apart(void **state)
{
    world *w = *state;
    load(w, LIBRARY), load(w, MAIN);
    const rt_bundle *set = get_with(w, "n");
    assert_int_equal(rt_bundle_unit_count(join_two(w, set, get_with(w, "n"))), 2);
    assert_int_equal(rt_bundle_unit_count(join_two(w, set, get(w, RT_BUNDLE_INPUT, "k"))), 4);
}

/* ---- Lifetimes ---------------------------------------------------------------------------- */

static void a_bundle_outlives_the_modules_of_its_images(void **state)
{
    world *w = *state;
    load(w, LIBRARY), load(w, MAIN);
    const rt_bundle *input = get(w, RT_BUNDLE_INPUT, "k");
    const rt_bundle *executable = get(w, RT_BUNDLE_EXECUTABLE, "k");
    assert_true(rt_ok(rt_loader_close(&w->f->loader, LIBRARY)));
    assert_true(rt_ok(launch_kernel(w, executable, "k")));
    assert_non_null(compile(w, input, NULL));
    assert_null(get(w, RT_BUNDLE_EXECUTABLE, "k"));
    assert_images(w, get(w, RT_BUNDLE_INPUT, "k"), "main/0");
}

static void caches_know_nothing_of_bundles(void **state)
{
    world *w = *state;
    load(w, ALONE);
    assert_non_null(get(w, RT_BUNDLE_EXECUTABLE, "solo"));
    assert_int_equal(fixture_count(w->f, RT_EVENT_CACHE_STORE), 0);
    assert_true(rt_ok(fixture_ask(w->f, "solo")));
    assert_int_equal(w->f->counting->builds, 2);
    assert_non_null(get(w, RT_BUNDLE_EXECUTABLE, "solo"));
    assert_int_equal(w->f->counting->builds, 3);
}

static void a_program_lives_as_long_as_some_bundle_or_launch(void **state)
{
    world *w = *state;
    load(w, ALONE);
    const rt_text solo = RT_TEXT("solo");
    const rt_bundle_request request = {.state = RT_BUNDLE_EXECUTABLE,
                                       .device = &w->f->device,
                                       .kernels = &solo,
                                       .kernel_count = 1};
    rt_bundle *first = NULL, *joined = NULL;
    assert_true(rt_ok(rt_bundle_get(w->f->manager, &request, &first)));
    const rt_bundle *single[] = {first};
    assert_true(rt_ok(rt_bundle_join(w->f->manager, single, 1, &joined)));
    rt_bundle_release(w->f->manager, first);
    rt_program *running = NULL;
    dev_kernel *kernel = NULL;
    const rt_kernel_request launch = {.device = &w->f->device, .kernel = solo};
    assert_true(rt_ok(rt_bundle_kernel(w->f->manager, joined, &launch, &running, &kernel)));
    rt_bundle_release(w->f->manager, joined);
    assert_int_equal(fixture_count(w->f, RT_EVENT_RELEASE), 0);
    rt_program_release(w->f->manager, running);
    assert_int_equal(fixture_count(w->f, RT_EVENT_RELEASE), 1);
}

static void traces_record_the_origin_of_bundles(void **state)
{
    world *w = *state;
    load(w, LIBRARY), load(w, MAIN);
    const rt_bundle *object = compile(w, get(w, RT_BUNDLE_INPUT, "k"), NULL);
    assert_string_equal(fixture_newest(w->f, RT_EVENT_BUNDLE_GET, "state"), "input");
    assert_string_equal(fixture_newest(w->f, RT_EVENT_BUNDLE_COMPILE, "of"), "0");
    link_two(w, object, object);
    assert_string_equal(fixture_newest(w->f, RT_EVENT_BUNDLE_LINK, "bundle"), "2");
    assert_string_equal(fixture_newest(w->f, RT_EVENT_BUNDLE_LINK, "bundles"), "1 1");
    assert_string_equal(fixture_newest(w->f, RT_EVENT_BUNDLE_LINK, "images"), "main/0 library/0");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        TEST(input_has_the_dependencies_and_does_not_call_the_device),
        TEST(unresolved_symbols_are_named),
        TEST(all_kernels_without_a_list),
        TEST(images_that_need_each_other_share_a_program),
        TEST(code_compiled_ahead_begins_further),
        TEST(ptx_is_compiled_like_spirv),
        TEST(the_first_of_the_furthest_images_is_taken),
        TEST(refusals_of_get_have_their_class),
        TEST(objects_are_linked_by_hand),
        TEST(link_options_are_the_first_images_and_the_calls),
        TEST(the_device_is_told_the_images_names),
        TEST(a_unit_is_linked_once),
        TEST(DL_LINK_06_programs_of_two_formats_are_handed_over_together),
        TEST(joined_units_are_there_once),
        TEST(built_in_one_step),
        TEST(a_failing_device_leaves_nothing),
        cmocka_unit_test(a_device_that_does_not_link_links_one_image),
        TEST(contexts_do_not_mix),
        TEST(linked_for_the_devices_that_all_have),
        TEST(constants_are_set_in_input),
        TEST(values_tell_units_apart),
        TEST(a_bundle_outlives_the_modules_of_its_images),
        TEST(caches_know_nothing_of_bundles),
        TEST(a_program_lives_as_long_as_some_bundle_or_launch),
        TEST(traces_record_the_origin_of_bundles),
    };
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
