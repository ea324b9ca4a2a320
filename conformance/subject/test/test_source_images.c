/* Tests of converting a scenario's images to OpenCL C: the result for each image, and the images
 * that cannot be converted. */
#include "conformance/subject/source_images.h"

#include "conformance/build/prelude.h"

#include "reference/image/image.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define TEXT(literal)                                                                              \
    {                                                                                              \
        literal, sizeof(literal) - 1                                                               \
    }

static const uint8_t spirv[4] = {0x03, 0x02, 0x23, 0x07};
static const rt_text kernels[] = {TEXT("k")};
static const rt_property imports[] = {{TEXT("f"), RT_PROPERTY_UINT32, 1, {0}}};
static const rt_property_set sets[] = {{TEXT("SYCL/imported symbols"), imports, 1}};
static const rt_property_set constant_sets[] = {{TEXT("SYCL/specialization constants"), NULL, 0}};
static const rt_image images[] = {
    {.name = TEXT("app/0"),
     .kernels = kernels,
     .kernel_count = 1,
     .sets = sets,
     .set_count = 1,
     .compile_options = TEXT("-cl-mad-enable"),
     .code = {spirv, sizeof spirv}},
    {.name = TEXT("app/1"), .code = {spirv, sizeof spirv}},
    {.name = TEXT("app/2"), .format = RT_FORMAT_NATIVE, .code = {spirv, sizeof spirv}},
};
static const scn_source sources[] = {
    {.language = SCN_LANGUAGE_OPENCL_C, .name = TEXT("app/0"), .code = TEXT("int f(int);\n")},
    {.language = SCN_LANGUAGE_OPENCL_C, .name = TEXT("app/1"), .code = TEXT("int g(int);\n")},
};
static const scn_hand_image by_hand[] = {
    {.source = {.language = SCN_LANGUAGE_OPENCL_C, .name = TEXT("hand"), .code = TEXT("int h;\n")}},
    {.source = {.language = SCN_LANGUAGE_SPIRV_ASM, .name = TEXT("asm"), .code = TEXT("Op\n")},
     .format = RT_FORMAT_NATIVE},
};
static const scn_module plain = {.name = TEXT("app"),
                                 .sources = sources,
                                 .source_count = 1,
                                 .build_options = TEXT("-DN=2"),
                                 .images = {images, 1}};

static bool code_has(const rt_image *image, const char *part)
{
    return memmem(image->code.data, image->code.size, part, strlen(part)) != NULL;
}

static void an_image_is_its_source(void **state)
{
    (void)state;
    rt_arena arena = {0};
    const scn_scenario scenario = {.modules = &plain, .module_count = 1};
    assert_null(cnf_source_obstacle_find(&scenario));
    const scn_scenario *result = cnf_source_images(&arena, &scenario);
    const rt_image *image = &result->modules[0].images.images[0];
    assert_int_equal(result->modules[0].images.count, 1);
    assert_int_equal(image->format, RT_FORMAT_OPENCL_C);
    assert_true(rt_text_is(image->name, "app/0"));
    assert_ptr_equal(image->kernels, kernels);
    assert_ptr_equal(image->sets, sets);
    assert_true(rt_text_is(image->compile_options, "-cl-std=CL3.0 -DN=2 -cl-mad-enable"));
    assert_false(code_has(image, "#define")); /* it uses none of our macros */
    assert_true(code_has(image, "FP_CONTRACT OFF\n"));
    const char end[] = "#line 1 \"app/0\"\nint f(int);\n";
    size_t length = sizeof end - 1;
    assert_memory_equal(image->code.data + image->code.size - length, end, length);
    rt_image hashed = *image;
    rt_image_hash(&hashed);
    assert_memory_equal(&hashed.hash, &image->hash, sizeof hashed.hash);
    assert_int_equal(images[0].format, RT_FORMAT_SPIRV64); /* the input is unchanged */
    rt_arena_reset(&arena);
}

/* A macro comes with the macros that it uses, including those whose names it pastes together. */
static void a_source_has_the_macros_that_it_uses(void **state)
{
    (void)state;
    static const struct {
        const char *code, *macro;
        bool is_used;
    } rows[] = {
        {"SYCL_EXTERNAL int f(int);", "#define SYCL_EXTERNAL\n", true},
        {"SYCL_EXTERNAL int f(int);", "#define __ASSAY", false},
        {"int SYCL_EXTERNAL_2;", "#define SYCL_EXTERNAL\n", false},
        {"DEVICE_GLOBAL(int, n)", "#define __ASSAY_VALUE_0(", true},
        {"DEVICE_GLOBAL(int, n)", "#define __ASSAY_SCOPE_device_image_scope ", true},
        {"DEVICE_GLOBAL(int, n)", "#define __ASSAY_OR_10 ", true},
        {"DEVICE_GLOBAL(int, n)", "#define DG(", false},
        {"DEVICE_GLOBAL(int, n)", "#define SPEC_CONSTANT(", false},
        {"USES_ASPECTS(fp64) void f(void);", "#define __ASSAY_SAYS(", true},
        {"USES_ASPECTS(fp64) void f(void);", "#define __ASSAY_OR", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rt_buffer unit = {0};
        cnf_prelude_used_unit(&unit, RT_TEXT("app/0"), rt_text_of(rows[i].code));
        if ((strstr(unit.data, rows[i].macro) != NULL) != rows[i].is_used)
            fail_msg("%s of %s", rows[i].macro, rows[i].code);
        rt_buffer_free(&unit);
    }
}

/* Handwritten images follow the image of the sources; an image in a format other than SPIR-V is
 * left unchanged. */
static void images_by_hand_have_sources_of_their_own(void **state)
{
    (void)state;
    rt_arena arena = {0};
    scn_module module = plain;
    module.hand_images = by_hand;
    module.hand_image_count = 2;
    module.images.count = 3;
    module.images.images = images;
    const scn_scenario scenario = {.modules = &module, .module_count = 1};
    assert_null(cnf_source_obstacle_find(&scenario));
    const rt_image_list list = cnf_source_images(&arena, &scenario)->modules[0].images;
    assert_int_equal(list.count, 3);
    assert_true(code_has(&list.images[0], "int f(int);"));
    assert_true(code_has(&list.images[1], "int h;"));
    assert_false(code_has(&list.images[1], "int f(int);"));
    assert_int_equal(list.images[2].format, RT_FORMAT_NATIVE);
    assert_ptr_equal(list.images[2].code.data, spirv);
    rt_arena_reset(&arena);
}

static void what_source_cannot_say_is_named(void **state)
{
    (void)state;
    static const scn_source assembly[] = {
        {.language = SCN_LANGUAGE_SPIRV_ASM, .name = TEXT("app/0"), .code = TEXT("Op\n")}};
    static const scn_hand_image by_hand_in_assembly[] = {
        {.source = {.language = SCN_LANGUAGE_SPIRV_ASM, .name = TEXT("a"), .code = TEXT("Op\n")}}};
    static const rt_image constants[] = {{.sets = constant_sets, .set_count = 1}};
    scn_module rows[6];
    const char *const capabilities[] = {
        "opencl-c-sources", "opencl-c-sources", "formats", "split", "split", "spec_constants"};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        rows[i] = plain;
    rows[0].sources = assembly;
    rows[1].hand_images = by_hand_in_assembly;
    rows[1].hand_image_count = 1;
    rows[1].images.count = 2;
    rows[2].formats = 1u << RT_FORMAT_SPIRV64;
    rows[3].source_count = 2; /* in one image */
    rows[4].images.count = 2; /* of one source */
    rows[5].images.images = constants;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const scn_module modules[] = {plain, rows[i]};
        const scn_scenario scenario = {.modules = modules, .module_count = 2};
        const cnf_source_obstacle *obstacle = cnf_source_obstacle_find(&scenario);
        assert_non_null(obstacle);
        assert_string_equal(obstacle->capability, capabilities[i]);
    }
}

static void modules_without_images_do_not_matter(void **state)
{
    (void)state;
    rt_arena arena = {0};
    const scn_module empty = {.name = TEXT("app")};
    const scn_scenario scenario = {.modules = &empty, .module_count = 1};
    assert_null(cnf_source_obstacle_find(&scenario));
    assert_int_equal(cnf_source_images(&arena, &scenario)->modules[0].images.count, 0);
    rt_arena_reset(&arena);
}

static void devices_that_take_spirv_are_given_it(void **state)
{
    (void)state;
    dev_capabilities capabilities = {.formats_taken = 1u << RT_FORMAT_OPENCL_C};
    assert_true(cnf_takes_source(&capabilities));
    capabilities.formats_taken |= 1u << RT_FORMAT_SPIRV64;
    assert_false(cnf_takes_source(&capabilities));
    capabilities.formats_taken = 1u << RT_FORMAT_NATIVE;
    assert_false(cnf_takes_source(&capabilities));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_image_is_its_source),
        cmocka_unit_test(a_source_has_the_macros_that_it_uses),
        cmocka_unit_test(images_by_hand_have_sources_of_their_own),
        cmocka_unit_test(what_source_cannot_say_is_named),
        cmocka_unit_test(modules_without_images_do_not_matter),
        cmocka_unit_test(devices_that_take_spirv_are_given_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
