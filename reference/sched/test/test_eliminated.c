/* Unit tests of eliminated arguments: those that a kernel's code does not take. */
#include "reference/sched/sched_internal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define TEXT(literal)                                                                              \
    {                                                                                              \
        literal, sizeof literal - 1                                                                \
    }

/* Eliminates arguments 1 and 9 of ten, counted from 0; its first byte alone, only argument 1. */
static const uint8_t mask[] = {0x02, 0x02};
static const rt_property properties[] = {
    {.name = TEXT("number"), .type = RT_PROPERTY_UINT32, .number = 1},
    {.name = TEXT("k"), .type = RT_PROPERTY_BYTES, .bytes = {mask, sizeof mask}},
    {.name = TEXT("short"), .type = RT_PROPERTY_BYTES, .bytes = {mask, 1}},
};
static const rt_property_set set = {TEXT("SYCL/kernel param opt"), properties, 3};
static const rt_image other = {.name = TEXT("app/0")};
static const rt_image image = {.name = TEXT("app/1"), .sets = &set, .set_count = 1};
static const rt_registered_image registered[] = {{.image = &other}, {.image = &image}};
static const rt_registered_image *linked[] = {&registered[0], &registered[1]};

/* Launches the kernel with `count` arguments, whose sizes are 0, 1, 2 and so on, and returns the
 * sizes of those that are passed to the device, as digits. */
static const char *passed(const char *kernel, uint32_t count)
{
    static char digits[16];
    rt_arena arena = {0};
    rt_argument arguments[10];
    for (uint32_t i = 0; i < 10; i++)
        arguments[i] = (rt_argument){.kind = RT_ARGUMENT_LOCAL, .size = i};
    const rt_program program = {.images = linked, .image_count = 2};
    const rt_launch launch = {
        .kernel = rt_text_of(kernel), .arguments = arguments, .argument_count = count};
    rt_launch passed_launch = rt_launch_pass(&arena, &program, &launch);
    for (uint32_t i = 0; i < passed_launch.argument_count; i++)
        digits[i] = (char)('0' + passed_launch.arguments[i].size);
    digits[passed_launch.argument_count] = '\0';
    rt_arena_reset(&arena);
    return digits;
}

static void eliminated_arguments_are_not_passed(void **state)
{
    (void)state;
    const rt_program program = {.images = linked, .image_count = 2};
    assert_string_equal(passed("k", 10), "02345678");
    assert_string_equal(passed("k", 1), "0");
    assert_int_equal(rt_launch_eliminated(&program, RT_TEXT("k")), 2);
}

static void arguments_beyond_the_mask_are_passed(void **state)
{
    (void)state;
    const rt_program program = {.images = linked, .image_count = 2};
    assert_string_equal(passed("short", 10), "023456789");
    assert_int_equal(rt_launch_eliminated(&program, RT_TEXT("short")), 1);
}

static void without_a_mask_everything_is_passed(void **state)
{
    (void)state;
    const rt_program program = {.images = linked, .image_count = 2};
    const rt_program without = {.images = linked, .image_count = 1};
    assert_string_equal(passed("j", 10), "0123456789");
    assert_string_equal(passed("number", 10), "0123456789"); /* a property that is not a mask */
    assert_int_equal(rt_launch_eliminated(&program, RT_TEXT("number")), 0);
    assert_int_equal(rt_launch_eliminated(&without, RT_TEXT("k")), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(eliminated_arguments_are_not_passed),
        cmocka_unit_test(arguments_beyond_the_mask_are_passed),
        cmocka_unit_test(without_a_mask_everything_is_passed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
