/* Tests of images for shipped DPC++: every image keeps the entries that it has, and gets no
 * others. */
#include "conformance/subject/shipped_images.h"

#include "reference/image/image.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define TEXT(literal)                                                                              \
    {                                                                                              \
        literal, sizeof(literal) - 1                                                               \
    }

static const rt_property provides = {
    TEXT("virtual-functions-set"), RT_PROPERTY_BYTES, 0, {(const uint8_t *)"areas", 5}};
static const rt_property dummy[] = {
    {TEXT("virtual-functions-set"), RT_PROPERTY_BYTES, 0, {(const uint8_t *)"areas", 5}},
    {TEXT("dummy-image"), RT_PROPERTY_UINT32, 1, {0}}};
static const rt_property calls = {
    TEXT("calls-virtual-functions-set"), RT_PROPERTY_BYTES, 0, {(const uint8_t *)"areas", 5}};
static const rt_property exported = {TEXT("area"), RT_PROPERTY_UINT32, 1, {0}};

static const rt_property_set provider_sets[] = {{TEXT("SYCL/virtual functions"), &provides, 1},
                                                {TEXT("SYCL/exported symbols"), &exported, 1}};
static const rt_property_set dummy_sets[] = {{TEXT("SYCL/virtual functions"), dummy, 2}};
static const rt_property_set caller_sets[] = {{TEXT("SYCL/virtual functions"), &calls, 1}};
static const rt_text kernel[] = {TEXT("report")};

/* The image as libsycl would get it, for a scenario with just this image. */
static rt_image shipped(rt_arena *arena, rt_image image)
{
    image.name = rt_text_of("app/0");
    scn_module *module = rt_arena_alloc(arena, sizeof *module);
    *module = (scn_module){.images = {&image, 1}};
    scn_scenario scenario = {.modules = module, .module_count = 1};
    return cnf_shipped_images(arena, &scenario)->modules[0].images.images[0];
}

/* An image without entries stays without them, whatever it provides. */
static void test_images_keep_their_entries(void **state)
{
    (void)state;
    const rt_image without_entry[] = {
        {.sets = provider_sets, .set_count = 1},
        {.sets = provider_sets, .set_count = 2}, /* its export becomes the entry later */
        {.sets = dummy_sets, .set_count = 1},
        {.sets = NULL, .set_count = 0},
    };
    rt_arena arena = {0};
    for (size_t i = 0; i < sizeof without_entry / sizeof *without_entry; i++)
        assert_int_equal(shipped(&arena, without_entry[i]).kernel_count, 0);
    rt_image caller = {.sets = caller_sets, .set_count = 1, .kernels = kernel, .kernel_count = 1};
    rt_image result = shipped(&arena, caller);
    assert_int_equal(result.kernel_count, 1);
    assert_true(rt_text_is(result.kernels[0], "report"));
    rt_arena_reset(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_images_keep_their_entries),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
