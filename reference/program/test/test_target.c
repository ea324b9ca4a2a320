/* Tests of images' requirements on devices: aspects, and sizes of work-groups and sub-groups. */
#include "reference/image/virtual_functions.h"
#include "reference/program/target.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* A GPU with fp64, groups of at most 64 work-items, and sub-groups of 8 and 64. */
static const rt_device device = {
    .name = {"d", 1},
    .capabilities = {.architecture = {"intel_gpu_pvc", 13},
                     .formats_taken = 1u << RT_FORMAT_SPIRV64_GEN,
                     .aspects = 1u << DEV_ASPECT_FP64,
                     .group_size_max = 64,
                     .sub_group_sizes = UINT64_C(1) << 7 | UINT64_C(1) << 63},
};

typedef struct target_row {
    const char *property;
    uint32_t number;     /* the value of a property without bytes */
    uint32_t words[8];   /* its bytes, little-endian like this machine */
    size_t size;         /* size of the bytes; 0: the property is a number */
    const char *lacking; /* the message; NULL: the device meets the requirement */
} target_row;

static void assert_row(const target_row *row)
{
    rt_property property = {.name = rt_text_of(row->property),
                            .type = row->size ? RT_PROPERTY_BYTES : RT_PROPERTY_UINT32,
                            .number = row->number,
                            .bytes = {(const uint8_t *)row->words, row->size}};
    rt_property_set set = {RT_TEXT(RT_SET_DEVICE_REQUIREMENTS), &property, 1};
    rt_image image = {.sets = &set, .set_count = 1};
    rt_buffer lack = {0};
    assert_int_equal(rt_device_meets(&device, &image, &lack), row->lacking == NULL);
    assert_int_equal(rt_device_meets(&device, &image, NULL), row->lacking == NULL);
    assert_string_equal(rt_buffer_string(&lack), row->lacking ? row->lacking : "");
    rt_buffer_free(&lack);
}

static void a_device_meets_what_it_has(void **state)
{
    (void)state;
    static const target_row rows[] = {
        {"aspects", 0, {6}, 4, NULL},
        {"aspects", 0, {6, 5}, 8, "it needs aspect fp16, which device d does not have"},
        {"aspects", 0, {6, 77}, 8, "it needs aspect number 77, which device d does not have"},
        {"reqd_work_group_size_uint64_t", 0, {64, 0, 1, 0}, 16, NULL},
        {"reqd_work_group_size_uint64_t",
         0,
         {8, 0, 9, 0},
         16,
         "it needs work-groups of 72 work-items, but device d supports 1 to 64"},
        {"reqd_work_group_size_uint64_t",
         0,
         {0, 1},
         8,
         "it needs work-groups of more than 4294967295 work-items, but device d supports 1 to 64"},
        {"reqd_work_group_size_uint64_t",
         0,
         {UINT32_MAX, 0, 1, 0},
         16,
         "it needs work-groups of 4294967295 work-items, but device d supports 1 to 64"},
        {"reqd_work_group_size_uint64_t",
         0,
         {1 << 16, 0, 1 << 16, 0, 1, 0},
         24,
         "it needs work-groups of more than 4294967295 work-items, but device d supports 1 to 64"},
        {"reqd_work_group_size_uint64_t",
         0,
         {8, 0, 0, 0},
         16,
         "it needs work-groups of 0 work-items, but device d supports 1 to 64"},
        {"reqd_work_group_size", 0, {4, 16}, 8, NULL},
        {"reqd_work_group_size",
         0,
         {65},
         4,
         "it needs work-groups of 65 work-items, but device d supports 1 to 64"},
        {"reqd_sub_group_size", 8, {0}, 0, NULL},
        {"reqd_sub_group_size", 64, {0}, 0, NULL},
        {"reqd_sub_group_size",
         16,
         {0},
         0,
         "it needs sub-groups of 16 work-items, which device d does not support"},
        {"reqd_sub_group_size",
         0,
         {0},
         0,
         "it needs sub-groups of 0 work-items, which device d does not support"},
        {"reqd_sub_group_size",
         65,
         {0},
         0,
         "it needs sub-groups of 65 work-items, which device d does not support"},
        {"fixed_target", 0, {1}, 4, NULL}, /* not a requirement on this device */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_row(&rows[i]);
}

static void a_damaged_requirement_is_met_by_none(void **state)
{
    (void)state;
    static const target_row rows[] = {
        {"aspects", 0, {6}, 3, "its property 'aspects' is not a list of u32 numbers"},
        {"reqd_work_group_size_uint64_t",
         0,
         {1},
         4,
         "its property 'reqd_work_group_size_uint64_t' is not a list of u64 numbers"},
        {"reqd_work_group_size",
         4,
         {0},
         0,
         "its property 'reqd_work_group_size' is not a list of u32 numbers"},
        {"reqd_sub_group_size",
         0,
         {8},
         4,
         "its property 'reqd_sub_group_size' is not a u32 number"},
        {"compile_target", 1, {0}, 0, "its property 'compile_target' is not a text"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_row(&rows[i]);
}

/* An architecture's name fits that architecture, a format's target every device that takes the
 * format. */
static void a_target_is_an_architecture_or_a_format(void **state)
{
    (void)state;
    static const struct {
        const char *target, *architecture, *lacking;
    } rows[] = {
        {"intel_gpu_pvc", "intel_gpu_pvc", NULL},
        {"spir64_gen", "intel_gpu_pvc", NULL},
        {"spir64_gen", "", NULL},
        {"x", "x", NULL},
        {"spir64_x86_64", "intel_gpu_pvc",
         "it was compiled ahead of time for 'spir64_x86_64', but device d is 'intel_gpu_pvc'"},
        {"intel_gpu_pvc_vg", "intel_gpu_pvc",
         "it was compiled ahead of time for 'intel_gpu_pvc_vg', but device d is 'intel_gpu_pvc'"},
        {"intel_gpu_pvc", "",
         "it was compiled ahead of time for 'intel_gpu_pvc', but device d is 'unknown'"},
        {"", "", "it was compiled ahead of time for '', but device d is 'unknown'"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rt_device at = device;
        at.capabilities.architecture = rt_text_of(rows[i].architecture);
        rt_property property = {.name = RT_TEXT("compile_target"),
                                .type = RT_PROPERTY_BYTES,
                                .bytes = {(const uint8_t *)rows[i].target, strlen(rows[i].target)}};
        rt_property_set set = {RT_TEXT(RT_SET_DEVICE_REQUIREMENTS), &property, 1};
        rt_image image = {.sets = &set, .set_count = 1};
        rt_buffer lack = {0};
        assert_int_equal(rt_device_meets(&at, &image, &lack), rows[i].lacking == NULL);
        assert_string_equal(rt_buffer_string(&lack), rows[i].lacking ? rows[i].lacking : "");
        rt_buffer_free(&lack);
    }
}

/* The target of each format fits exactly the devices that take the format. */
static void every_format_has_its_target(void **state)
{
    (void)state;
    for (uint32_t format = 0; format < RT_FORMAT_COUNT; format++) {
        const char *target = rt_format_target((rt_format)format);
        rt_property property = {.name = RT_TEXT("compile_target"),
                                .type = RT_PROPERTY_BYTES,
                                .bytes = {(const uint8_t *)target, strlen(target)}};
        rt_property_set set = {RT_TEXT(RT_SET_DEVICE_REQUIREMENTS), &property, 1};
        rt_image image = {.sets = &set, .set_count = 1};
        rt_device taking = device, refusing = device;
        taking.capabilities.formats_taken = 1u << format;
        refusing.capabilities.formats_taken = ~(1u << format);
        assert_true(rt_device_meets(&taking, &image, NULL));
        assert_false(rt_device_meets(&refusing, &image, NULL));
    }
}

/* Sub-groups of one work-item, the smallest size, are the lowest bit. */
static void the_smallest_sub_group_has_one_work_item(void **state)
{
    (void)state;
    rt_device at = device;
    rt_property property = {
        .name = RT_TEXT("reqd_sub_group_size"), .type = RT_PROPERTY_UINT32, .number = 1};
    rt_property_set set = {RT_TEXT(RT_SET_DEVICE_REQUIREMENTS), &property, 1};
    rt_image image = {.sets = &set, .set_count = 1};
    assert_false(rt_device_meets(&at, &image, NULL));
    at.capabilities.sub_group_sizes = 1;
    assert_true(rt_device_meets(&at, &image, NULL));
}

static void calls_of_virtual_functions_need_the_aspect(void **state)
{
    (void)state;
    static const char sets[] = "set_a,set_b";
    rt_property property = {.name = RT_TEXT(RT_VIRTUAL_FUNCTIONS_CALLS),
                            .type = RT_PROPERTY_BYTES,
                            .bytes = {(const uint8_t *)sets, sizeof sets - 1}};
    rt_property_set set = {RT_TEXT(RT_SET_VIRTUAL_FUNCTIONS), &property, 1};
    rt_image image = {.sets = &set, .set_count = 1};
    rt_device at = device;
    rt_buffer lack = {0};
    assert_false(rt_device_meets(&at, &image, &lack));
    assert_string_equal(rt_buffer_string(&lack),
                        "it calls virtual functions (of set_a,set_b), which needs aspect "
                        "ext_oneapi_virtual_functions, but device d does not have that aspect");
    rt_buffer_free(&lack);
    at.capabilities.aspects |= UINT64_C(1) << DEV_ASPECT_VIRTUAL_FUNCTIONS;
    assert_true(rt_device_meets(&at, &image, NULL));
}

static void the_device_library_has_two_flavours(void **state)
{
    (void)state;
    for (uint32_t flavour = 0; flavour < 2; flavour++) {
        for (uint32_t converts = 0; converts < 2; converts++) {
            rt_device at = device;
            at.capabilities.bfloat16_conversions = converts;
            rt_property property = {
                .name = RT_TEXT("bfloat16"), .type = RT_PROPERTY_UINT32, .number = flavour};
            rt_property_set set = {RT_TEXT("SYCL/devicelib metadata"), &property, 1};
            rt_image image = {.sets = &set, .set_count = 1};
            rt_buffer lack = {0};
            assert_int_equal(rt_device_meets(&at, &image, &lack), flavour == converts);
            if (flavour == 1 && !converts)
                assert_string_equal(rt_buffer_string(&lack),
                                    "it is the device library for devices with bfloat16 "
                                    "conversions, and device d lacks them");
            if (flavour == 0 && converts)
                assert_string_equal(rt_buffer_string(&lack),
                                    "it is the device library for devices without bfloat16 "
                                    "conversions, and device d has them");
            rt_buffer_free(&lack);
            property.name = RT_TEXT("something else");
            assert_true(rt_device_meets(&at, &image, NULL));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_format_has_its_target),
        cmocka_unit_test(the_smallest_sub_group_has_one_work_item),
        cmocka_unit_test(calls_of_virtual_functions_need_the_aspect),
        cmocka_unit_test(the_device_library_has_two_flavours),
        cmocka_unit_test(a_target_is_an_architecture_or_a_format),
        cmocka_unit_test(a_device_meets_what_it_has),
        cmocka_unit_test(a_damaged_requirement_is_met_by_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
