/* Tests of images as they are registered: with their target, and cut. */
#include "conformance/subject/native_images.h"

#include "reference/image/image.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define CODE_OF(text)                                                                              \
    {                                                                                              \
        (const uint8_t *)(text), sizeof(text) - 1                                                  \
    }

static const rt_property aspects = {
    .name = {"aspects", 7}, .type = RT_PROPERTY_BYTES, .bytes = CODE_OF("\6\0\0\0")};
static const rt_property_set requirements = {{"SYCL/device requirements", 24}, &aspects, 1};
static const rt_image images[] = {
    {.format = RT_FORMAT_NATIVE, .code = CODE_OF("0123456789"), .spirv = CODE_OF("spirv")},
    {.format = RT_FORMAT_NATIVE,
     .code = CODE_OF("abc"),
     .spirv = CODE_OF("spirv"),
     .sets = &requirements,
     .set_count = 1},
    {.format = RT_FORMAT_NATIVE, .code = CODE_OF("by hand")},
};

/* Of a subject without a driver, the images stay as the build made them. */
static const cnf_subject simulated = {.name = "simulated"};
static const dev_capabilities capabilities = {.formats_taken = 1u << RT_FORMAT_NATIVE};

static rt_text target_of(const rt_image *image)
{
    const rt_property *property = rt_property_set_find(
        rt_image_set(image, RT_SET_DEVICE_REQUIREMENTS), RT_TEXT(RT_REQUIREMENT_TARGET));
    return property ? (rt_text){(const char *)property->bytes.data, property->bytes.size}
                    : (rt_text){0};
}

static void images_get_their_target_and_are_cut(void **state)
{
    (void)state;
    const scn_module modules[] = {
        {.compile_target = RT_TEXT("intel_gpu_pvc"), .truncate = 4, .images = {images, 3}},
        {.images = {images, 1}},
    };
    const scn_scenario scenario = {.modules = modules, .module_count = 2};
    cnf_execution execution = {.scenario = &scenario, .subject = &simulated};
    cnf_images_prepare(&execution, &capabilities);
    assert_true(rt_ok(execution.offline));
    const rt_image *changed = execution.scenario->modules[0].images.images;
    assert_true(rt_text_is(target_of(&changed[0]), "intel_gpu_pvc"));
    assert_true(rt_text_is(target_of(&changed[1]), "intel_gpu_pvc"));
    assert_int_equal(rt_image_set(&changed[1], RT_SET_DEVICE_REQUIREMENTS)->property_count, 2);
    assert_int_equal(target_of(&changed[2]).length, 0); /* it claims what the scenario says */
    assert_int_equal(changed[0].code.size, 4);
    assert_int_equal(changed[1].code.size, 3);
    assert_int_equal(changed[2].code.size, 4);
    const rt_image *unchanged = execution.scenario->modules[1].images.images;
    assert_int_equal(target_of(&unchanged[0]).length, 0);
    assert_int_equal(unchanged[0].code.size, 10);
    assert_int_equal(images[0].code.size, 10);
    rt_arena_reset(&execution.arena);
}

static void nothing_to_change_is_no_copy(void **state)
{
    (void)state;
    const scn_module module = {.images = {images, 3}};
    const scn_scenario scenario = {.modules = &module, .module_count = 1};
    cnf_execution execution = {.scenario = &scenario, .subject = &simulated};
    cnf_images_prepare(&execution, &capabilities);
    assert_ptr_equal(execution.scenario, &scenario);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(images_get_their_target_and_are_cut),
        cmocka_unit_test(nothing_to_change_is_no_copy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
