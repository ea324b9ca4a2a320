/* Unit tests of specialisation constants in images: the positions of defaults, and malformed
 * tables. */
#include "reference/image/spec_constants.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define BYTES(array)                                                                               \
    {                                                                                              \
        (const uint8_t *)(array), sizeof(array)                                                    \
    }
#define ROWS(text, rows)                                                                           \
    {                                                                                              \
        .name = {text, sizeof(text) - 1}, .type = RT_PROPERTY_BYTES, .bytes = BYTES(rows)          \
    }

/* A byte, a double immediately after it, two scalars with padding between and after them, and an
 * int. Offsets by hand: 0, 1, 9 (4 + 4 of padding, then 8, then 8 of padding: 24), 33. */
static const uint32_t small[] = {4, 0, 1}, wide[] = {0, 0, 8};
static const uint32_t pair[] = {7, 0, 4, 8, 8, 8, RT_SPEC_PADDING, 16, 8}, last[] = {3, 0, 4};
static const rt_property constants[] = {ROWS("small", small), ROWS("wide", wide),
                                        ROWS("pair", pair), ROWS("last", last)};
enum { SMALL, WIDE, PAIR, LAST, CONSTANTS, DEFAULTS_SIZE = 37 };

/* Each byte's value is its offset. */
static uint8_t defaults[DEFAULTS_SIZE];

static rt_spec_descriptor read_of(const rt_property *properties, uint32_t index, size_t size)
{
    for (uint32_t i = 0; i < DEFAULTS_SIZE; i++)
        defaults[i] = (uint8_t)i;
    const rt_property block = {
        .name = RT_TEXT("all"), .type = RT_PROPERTY_BYTES, .bytes = {defaults, size}};
    const rt_property_set sets[] = {{RT_TEXT(RT_SET_SPEC_CONSTANTS), properties, CONSTANTS},
                                    {RT_TEXT(RT_SET_SPEC_CONSTANT_DEFAULTS), &block, 1}};
    const rt_image image = {.sets = sets, .set_count = 2};
    rt_spec_descriptor descriptor;
    bool is_read = rt_spec_descriptor_read(&image, index, &descriptor);
    assert_int_equal(is_read, descriptor.scalar_count > 0);
    return descriptor;
}

static void defaults_are_consecutive(void **state)
{
    (void)state;
    static const struct {
        uint32_t id, scalar_count, size, place;
    } expected[] = {{4, 1, 1, 0}, {0, 1, 8, 1}, {7, 2, 24, 9}, {3, 1, 4, 33}};
    for (uint32_t i = 0; i < CONSTANTS; i++) {
        rt_spec_descriptor descriptor = read_of(constants, i, DEFAULTS_SIZE);
        assert_int_equal(descriptor.id, expected[i].id);
        assert_int_equal(descriptor.scalar_count, expected[i].scalar_count);
        assert_int_equal(descriptor.size_bytes, expected[i].size);
        assert_int_equal(descriptor.default_value.size, expected[i].size);
        assert_int_equal(descriptor.default_value.data[0], expected[i].place);
    }
}

/* If the block is too short, only constants entirely within it have a default. */
static void missing_defaults_are_not_read(void **state)
{
    (void)state;
    assert_int_equal(read_of(constants, LAST, DEFAULTS_SIZE - 1).default_value.size, 0);
    assert_int_equal(read_of(constants, LAST, DEFAULTS_SIZE - 1).size_bytes, 4);
    assert_int_equal(read_of(constants, PAIR, DEFAULTS_SIZE - 1).default_value.size, 24);
    assert_int_equal(read_of(constants, SMALL, 0).default_value.size, 0);
}

/* The padding after the last scalar is not one. */
static void scalars_are_taken_in_order(void **state)
{
    (void)state;
    static const rt_spec_scalar expected[] = {{7, 0, 4}, {8, 8, 8}};
    rt_bytes rows = read_of(constants, PAIR, DEFAULTS_SIZE).rows;
    rt_spec_scalar scalar;
    for (uint32_t i = 0; i < 2; i++) {
        assert_true(rt_spec_scalar_take(&rows, &scalar));
        assert_int_equal(scalar.id, expected[i].id);
        assert_int_equal(scalar.offset, expected[i].offset);
        assert_int_equal(scalar.size_bytes, expected[i].size_bytes);
    }
    assert_false(rt_spec_scalar_take(&rows, &scalar));
}

/* The positions of constants after a damaged one are unknown; those before it are unaffected. */
static void damaged_tables_are_reported(void **state)
{
    (void)state;
    static const uint32_t overlapping[] = {0, 0, 8, 1, 4, 4}, backwards[] = {0, 4, 4, 1, 0, 4},
                          room[] = {RT_SPEC_PADDING, 0, 8}, endless[] = {0, 0, 1, 1, UINT32_MAX, 9};
    const rt_property damaged[] = {
        ROWS("wide", overlapping),
        ROWS("wide", backwards),
        ROWS("wide", room),
        ROWS("wide", endless),
        {.name = RT_TEXT("wide"), .type = RT_PROPERTY_BYTES, .bytes = {(const uint8_t *)wide, 11}},
        {.name = RT_TEXT("wide"), .type = RT_PROPERTY_BYTES},
        {.name = RT_TEXT("wide"), .type = RT_PROPERTY_UINT32, .number = 1},
    };
    for (size_t i = 0; i < sizeof damaged / sizeof *damaged; i++) {
        const rt_property table[] = {constants[SMALL], damaged[i], constants[PAIR],
                                     constants[LAST]};
        assert_int_equal(read_of(table, WIDE, DEFAULTS_SIZE).scalar_count, 0);
        assert_int_equal(read_of(table, SMALL, DEFAULTS_SIZE).default_value.size, 1);
        assert_int_equal(read_of(table, LAST, DEFAULTS_SIZE).size_bytes, 4);
        assert_int_equal(read_of(table, LAST, DEFAULTS_SIZE).default_value.size, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_are_consecutive),
        cmocka_unit_test(missing_defaults_are_not_read),
        cmocka_unit_test(scalars_are_taken_in_order),
        cmocka_unit_test(damaged_tables_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
