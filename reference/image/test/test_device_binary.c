/* Tests of the entries that DPC++ lists for an image: its kernels, and functions for other images.
 */
#include "reference/image/device_binary.h"
#include "reference/image/virtual_functions.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define TEXT(literal)                                                                              \
    {                                                                                              \
        literal, sizeof literal - 1                                                                \
    }

static const rt_property exported[] = {{.name = TEXT("f"), .type = RT_PROPERTY_UINT32}};
static const rt_property virtual_functions[] = {
    {.name = TEXT("f"), .type = RT_PROPERTY_BYTES},
    {.name = TEXT("area"), .type = RT_PROPERTY_BYTES},
};
static const rt_property dummy[] = {
    {.name = TEXT(RT_VIRTUAL_FUNCTIONS_DUMMY), .type = RT_PROPERTY_UINT32, .number = 1}};
static const rt_property_set sets[] = {
    {TEXT(RT_SET_EXPORTED_SYMBOLS), exported, 1},
    {TEXT(RT_SET_VIRTUAL_FUNCTION_SETS), virtual_functions, 2},
    {TEXT(RT_SET_VIRTUAL_FUNCTIONS), dummy, 1},
};
static const rt_text kernels[] = {TEXT("k")};

static rt_image image_with(uint32_t set_count)
{
    return (rt_image){.sets = sets, .set_count = set_count, .kernels = kernels, .kernel_count = 1};
}

static void functions_are_entries_once_each_and_kernels_first(void **state)
{
    (void)state;
    rt_arena arena = {0};
    rt_image image = image_with(2);
    rt_device_binary binary = rt_device_binary_of(&image);
    rt_device_binary_add_exports(&arena, &image, &binary);
    assert_int_equal(binary.entry_count, 3);
    assert_true(rt_text_is(binary.entries[0], "k"));
    assert_true(rt_text_is(binary.entries[1], "f"));
    assert_true(rt_text_is(binary.entries[2], "area"));
    rt_arena_reset(&arena);
}

static void functions_of_a_dummy_are_not_entries(void **state)
{
    (void)state;
    rt_arena arena = {0};
    rt_image image = image_with(3);
    image.kernel_count = 0;
    rt_device_binary binary = rt_device_binary_of(&image);
    rt_device_binary_add_exports(&arena, &image, &binary);
    assert_int_equal(binary.entry_count, 1); /* its exports are unchanged */
    rt_arena_reset(&arena);
}

/* When the image is read back, the added entries are not among its kernels. */
static void entries_that_are_functions_are_dropped_again(void **state)
{
    (void)state;
    rt_arena arena = {0};
    rt_image image = image_with(2);
    rt_device_binary binary = rt_device_binary_of(&image);
    rt_device_binary_add_exports(&arena, &image, &binary);
    image.kernels = binary.entries;
    image.kernel_count = binary.entry_count;
    rt_image_drop_exported_entries(&arena, &image);
    assert_int_equal(image.kernel_count, 1);
    assert_true(rt_text_is(image.kernels[0], "k"));
    rt_arena_reset(&arena);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_are_entries_once_each_and_kernels_first),
        cmocka_unit_test(functions_of_a_dummy_are_not_entries),
        cmocka_unit_test(entries_that_are_functions_are_dropped_again),
    };
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
