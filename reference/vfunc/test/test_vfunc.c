/* Unit tests of the discovery of images by sets of virtual functions.  Expected values follow from
 * the algorithm of document 004, "Changes to the runtime". */
#include "reference/vfunc/vfunc.h"

#include "reference/program/test/fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { FP64 = 6 };

static fixture *started; /* freed when the test ends, even if it fails */

/* Loads all modules; the first device has no fp64. */
static fixture *start_in(rt_profile profile, const fixture_module *modules, uint32_t count)
{
    if (started) fixture_destroy(started);
    fixture *f = started = fixture_create_in(profile, modules, count, "");
    f->manager->contribute = rt_vfunc_contribute;
    f->device.capabilities.aspects &= ~(1u << DEV_ASPECT_FP64);
    for (uint32_t i = 0; i < count; i++)
        rt_loader_open(&f->loader, i);
    return f;
}

static fixture *start(const fixture_module *modules, uint32_t count)
{
    return start_in(RT_PROFILE_DOCUMENTS, modules, count);
}

static int end(void **state)
{
    (void)state;
    fixture_destroy(started);
    started = NULL;
    return 0;
}

static rt_status ask(fixture *f, const rt_device *device)
{
    return fixture_ask_as(f, &(rt_kernel_request){.device = device, .kernel = RT_TEXT("k")});
}

/* The images in the program that kernel k gets on a device. */
static void expect_images(fixture *f, const rt_device *device, const char *images)
{
    assert_true(rt_ok(ask(f, device)));
    assert_string_equal(fixture_newest(f, RT_EVENT_BUILD, "images"), images);
}

static void expect_refusal(fixture *f, rt_code code, rt_rule rule, const char *part)
{
    rt_status status = fixture_ask(f, "k");
    assert_int_equal(status.code, code);
    assert_int_equal(status.rule, rule);
    rt_text message = rt_sink_diagnostic(f->sink, status)->message;
    assert_non_null(memmem(message.data, message.length, part, strlen(part)));
    assert_int_equal(fixture_count(f, RT_EVENT_CREATE), 0); /* nothing was compiled */
}

/* ---- Joining ------------------------------------------------------------------------------ */

static void a_called_set_brings_all_its_providers(void **state)
{
    (void)state;
    static const fixture_module modules[] = {
        {.name = "main", .kernels = "k", .virtual_functions = "calls=a,b"},
        {.name = "first", .virtual_functions = "provides=a"},
        {.name = "other", .virtual_functions = "provides=c"},
        {.name = "second", .virtual_functions = "provides=a"},
        {.name = "third", .virtual_functions = "provides=b", .with_dummy = true}};
    fixture *f = start(modules, 5);
    expect_images(f, &f->device, "main/0 first/0 second/0 third/0");
    assert_int_equal(f->counting->links_done, 1);
    assert_string_equal(fixture_newest(f, RT_EVENT_JOIN, "relation"), "calls");
    assert_string_equal(fixture_newest(f, RT_EVENT_JOIN, "provider"), "third/0");
}

static void created_sets_suit_the_device_or_get_dummies(void **state)
{
    (void)state;
    static const fixture_module modules[] = {
        {.name = "main", .kernels = "k", .virtual_functions = "creates=plain,precise"},
        {.name = "l", .virtual_functions = "provides=plain"},
        {.name = "m", .virtual_functions = "provides=precise", .with_dummy = true, .aspect = FP64}};
    fixture *f = start(modules, 3);
    expect_images(f, &f->device, "main/0 l/0 m/1");
    assert_string_equal(fixture_newest(f, RT_EVENT_JOIN, "stands_for"), "m/0");
    expect_images(f, &f->other, "main/0 l/0 m/0");
}

static void the_dummy_is_of_the_same_module(void **state)
{
    (void)state;
    static const fixture_module modules[] = {
        {.name = "main", .kernels = "k", .virtual_functions = "creates=s"},
        {.name = "whole", .virtual_functions = "provides=s", .with_dummy = true, .aspect = FP64},
        {.name = "bare", .virtual_functions = "provides=s", .aspect = FP64}};
    fixture *f = start(modules, 2);
    expect_images(f, &f->device, "main/0 whole/1");
    f = start(modules, 3);
    expect_refusal(f, RT_ERRC_BUILD, RT_RULE_VF_LINK_11,
                   "image bare/0, which provides them, cannot run: it needs aspect fp64");
}

static void an_image_joins_once(void **state)
{
    (void)state;
    static const fixture_module modules[] = {
        {.name = "main",
         .kernels = "k",
         .imports = "f",
         .virtual_functions = "calls=s,s creates=s"},
        {.name = "l", .exports = "f", .virtual_functions = "provides=s"}};
    fixture *f = start(modules, 2);
    expect_images(f, &f->device, "main/0 l/0");
}

static void needs_of_providers_and_of_imported_images_are_followed(void **state)
{
    (void)state;
    static const fixture_module modules[] = {
        {.name = "main", .kernels = "k", .imports = "make", .virtual_functions = "calls=s"},
        {.name = "l", .imports = "f", .virtual_functions = "provides=s creates=t"},
        {.name = "m", .exports = "f"},
        {.name = "n", .virtual_functions = "provides=t"},
        {.name = "o", .exports = "make", .virtual_functions = "creates=u"},
        {.name = "p", .virtual_functions = "provides=u"}};
    fixture *f = start(modules, 6);
    expect_images(f, &f->device, "main/0 o/0 l/0 p/0 m/0 n/0");
}

static void other_formats_do_not_provide(void **state)
{
    (void)state;
    static const fixture_module modules[] = {
        {.name = "main", .kernels = "k", .virtual_functions = "calls=s"},
        {.name = "native", .format = RT_FORMAT_NATIVE, .virtual_functions = "provides=s"}};
    fixture *f = start(modules, 2);
    expect_images(f, &f->device, "main/0");
    assert_int_equal(f->counting->links_done, 1); /* the device's linker detects missing symbols */
}

static void without_the_property_set_nothing_joins(void **state)
{
    (void)state;
    static const fixture_module modules[] = {{.name = "main", .kernels = "k"},
                                             {.name = "l", .virtual_functions = "provides=s"}};
    fixture *f = start(modules, 2);
    expect_images(f, &f->device, "main/0");
    assert_int_equal(f->counting->links_done, 0);
}

static void an_unloaded_module_does_not_provide(void **state)
{
    (void)state;
    static const fixture_module modules[] = {
        {.name = "main", .kernels = "k", .virtual_functions = "calls=s"},
        {.name = "l", .virtual_functions = "provides=s"}};
    fixture *f = start(modules, 2);
    expect_images(f, &f->device, "main/0 l/0");
    assert_true(rt_ok(rt_loader_close(&f->loader, 1)));
    expect_images(f, &f->device, "main/0");
}

/* ---- Refusals ----------------------------------------------------------------------------- */

static void a_called_provider_must_suit_the_device(void **state)
{
    (void)state;
    static const fixture_module modules[] = {
        {.name = "main", .kernels = "k", .virtual_functions = "calls=s"},
        {.name = "l", .virtual_functions = "provides=s", .with_dummy = true, .aspect = FP64}};
    fixture *f = start(modules, 2);
    expect_refusal(f, RT_ERRC_KERNEL_NOT_SUPPORTED, RT_RULE_VF_LINK_10,
                   "image main/0 calls virtual functions of set 's'");
    expect_images(f, &f->other, "main/0 l/0");
}

static void expect_message(const fixture_module *modules, const char *message)
{
    fixture *f = start(modules, 2);
    rt_status status = fixture_ask(f, "k");
    assert_int_equal(status.code, RT_ERRC_KERNEL_NOT_SUPPORTED);
    assert_string_equal(rt_sink_diagnostic(f->sink, status)->message.data, message);
}

#define CALLERS(kernel_names, sets, calls)                                                         \
    {                                                                                              \
        {.name = "main",                                                                           \
         .kernels = (kernel_names),                                                                \
         .virtual_functions = (sets),                                                              \
         .kernel_calls = (calls)},                                                                 \
        {                                                                                          \
            .name = "l", .virtual_functions = "provides=s", .aspect = FP64                         \
        }                                                                                          \
    }
#define LACK                                                                                       \
    " virtual functions of set 's'; image l/0, which provides them, cannot run: it needs aspect "  \
    "fp64, which device device does not have"
#define SPLIT "; to launch the image's other kernels, split the module with split: per_kernel"

/* The message says which kernels call the set, as far as the image says it, and how to launch the
 * others, if there are any. */
static void a_refusal_names_the_callers(void **state)
{
    (void)state;
    expect_message((const fixture_module[])CALLERS("k", "calls=s", NULL),
                   "image main/0 calls" LACK);
    expect_message((const fixture_module[])CALLERS("k j", "calls=s", NULL),
                   "image main/0 calls" LACK);
    expect_message((const fixture_module[])CALLERS("k j", "calls=s", "j=t"),
                   "image main/0 calls" LACK);
    expect_message((const fixture_module[])CALLERS("k", "calls=s", "k=s"),
                   "kernel 'k' of image main/0 calls" LACK);
    expect_message((const fixture_module[])CALLERS("k j", "calls=s", "k=s j=s"),
                   "kernels 'k', 'j' of image main/0 call" LACK);
    expect_message((const fixture_module[])CALLERS("k j", "calls=s", "k=t,s j=t"),
                   "kernel 'k' of image main/0 calls" LACK SPLIT);
    expect_message((const fixture_module[])CALLERS("k j i", "calls=s", "j=t i=s k=s"),
                   "kernels 'i', 'k' of image main/0 call" LACK SPLIT);
}

/* Kernels that call a set say nothing about one whose objects the image creates. */
static void a_refusal_for_a_created_set_names_the_image(void **state)
{
    (void)state;
    fixture *f = start((const fixture_module[])CALLERS("k j", "creates=s", "k=s"), 2);
    expect_refusal(f, RT_ERRC_BUILD, RT_RULE_VF_LINK_11,
                   "image main/0 creates virtual functions of set 's'");
}

static void a_device_without_the_aspect_calls_nothing(void **state)
{
    (void)state;
    static const fixture_module modules[] = {
        {.name = "main", .kernels = "k", .virtual_functions = "calls=s"},
        {.name = "l", .virtual_functions = "provides=s"}};
    fixture *f = start(modules, 2);
    f->device.capabilities.aspects &= ~(1u << DEV_ASPECT_VIRTUAL_FUNCTIONS);
    expect_refusal(f, RT_ERRC_KERNEL_NOT_SUPPORTED, RT_RULE_NONE,
                   "it calls virtual functions (of s), which needs aspect "
                   "ext_oneapi_virtual_functions, but device device does not have that aspect");
}

static void a_damaged_property_is_named(void **state)
{
    (void)state;
    static const fixture_module modules[] = {
        {.name = "main", .kernels = "k", .virtual_functions = "provides=s,t calls=s"}};
    fixture *f = start(modules, 1);
    expect_refusal(f, RT_MALFORMED, RT_RULE_NONE,
                   "property 'virtual-functions-set' of image main/0");
}

/* ---- Profile dpcpp ------------------------------------------------------------------------ */

/* Tags D5, D6 and D9: users of a set join too and bring along the sets that they use, unsuitable
 * images are left out, and the imports of images that joined stay unresolved. */
static void shipped_dpcpp_joins_users_and_no_dummies(void **state)
{
    (void)state;
    static const fixture_module modules[] = {
        {.name = "main", .kernels = "k", .virtual_functions = "uses=s"},
        {.name = "user", .kernels = "k2", .virtual_functions = "uses=s,t"},
        {.name = "l", .imports = "f", .virtual_functions = "provides=s"},
        {.name = "m", .exports = "f"},
        {.name = "n", .virtual_functions = "provides=t", .with_dummy = true, .aspect = FP64}};
    fixture *f = start_in(RT_PROFILE_DPCPP, modules, 4);
    expect_images(f, &f->device, "main/0 user/0 l/0");
    f = start_in(RT_PROFILE_DPCPP, modules, 5);
    expect_images(f, &f->other, "main/0 user/0 l/0 n/0 n/1");
    /* According to the documents, an image from that compiler gets its providers and nothing else.
     */
    f = start(modules, 5);
    expect_images(f, &f->device, "main/0 l/0 m/0");
}

/* A user is found by each of the sets that it uses, as long as it is registered. */
static void shipped_dpcpp_finds_users_by_every_set(void **state)
{
    (void)state;
    static const fixture_module modules[] = {
        {.name = "main", .kernels = "k", .virtual_functions = "uses=t"},
        {.name = "user", .kernels = "k2", .virtual_functions = "uses=r,s,t"},
        {.name = "l", .virtual_functions = "provides=r"}};
    fixture *f = start_in(RT_PROFILE_DPCPP, modules, 3);
    expect_images(f, &f->device, "main/0 user/0 l/0");
    assert_true(rt_ok(rt_loader_close(&f->loader, 1)));
    expect_images(f, &f->other, "main/0");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_teardown(name, end)
    const struct CMUnitTest tests[] = {
        TEST(a_called_set_brings_all_its_providers),
        TEST(created_sets_suit_the_device_or_get_dummies),
        TEST(the_dummy_is_of_the_same_module),
        TEST(an_image_joins_once),
        TEST(needs_of_providers_and_of_imported_images_are_followed),
        TEST(other_formats_do_not_provide),
        TEST(without_the_property_set_nothing_joins),
        TEST(an_unloaded_module_does_not_provide),
        TEST(a_called_provider_must_suit_the_device),
        TEST(a_refusal_names_the_callers),
        TEST(a_refusal_for_a_created_set_names_the_image),
        TEST(a_device_without_the_aspect_calls_nothing),
        TEST(a_damaged_property_is_named),
        TEST(shipped_dpcpp_joins_users_and_no_dummies),
        TEST(shipped_dpcpp_finds_users_by_every_set),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
