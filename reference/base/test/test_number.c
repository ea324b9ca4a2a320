/* Unit tests of numbers and bytes written as digits, and of parsing a text from its front. */
#include "reference/base/number.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define COUNT(table) (sizeof(table) / sizeof *(table))

static void numbers_within_their_bounds_are_read(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t least, most, number;
    } rows[] = {
        {"0", 0, 0, 0},
        {"7", 7, 7, 7},
        {"0042", 0, 100, 42},
        {"4294967295", 0, UINT32_MAX, UINT32_MAX},
        {"18446744073709551615", 0, UINT64_MAX, UINT64_MAX},
        {"000000000000000000000000000001", 1, 1, 1},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        uint64_t number = 99;
        assert_true(rt_number_read(rt_text_of(rows[i].text), rows[i].least, rows[i].most, &number));
        assert_true(number == rows[i].number);
    }
}

static void other_texts_and_numbers_out_of_bounds_are_refused(void **state)
{
    (void)state;
    static const struct {
        rt_text text;
        uint64_t least, most;
    } rows[] = {
        {{"", 0}, 0, 9},
        {{NULL, 0}, 0, 9},
        {{"-1", 2}, 0, 9},
        {{"+1", 2}, 0, 9},
        {{" 1", 2}, 0, 9},
        {{"1 ", 2}, 0, 9},
        {{"1\0", 2}, 0, 9},
        {{"\0", 1}, 0, 9},
        {{"0x1", 3}, 0, 9},
        {{"1e1", 3}, 0, 99},
        {{"/", 1}, 0, 99}, /* the characters before '0' and after '9' */
        {{":", 1}, 0, 99},
        {{"\xB2", 1}, 0, 99},
        {{"6", 1}, 7, 9},
        {{"10", 2}, 7, 9},
        {{"18446744073709551615", 20}, 0, UINT64_MAX - 1},
        {{"18446744073709551616", 20}, 0, UINT64_MAX}, /* 2^64 */
        {{"18446744073709551620", 20}, 0, UINT64_MAX},
        {{"99999999999999999999999999", 26}, 0, UINT64_MAX},
        {{"36893488147419103232", 20}, 0, UINT64_MAX}, /* 2^65 wraps around to 0 */
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        uint64_t number = 99;
        assert_false(rt_number_read(rows[i].text, rows[i].least, rows[i].most, &number));
        assert_int_equal(number, 0);
    }
}

static void numbers_of_32_bits_end_at_32_bits(void **state)
{
    (void)state;
    uint32_t number = 99;
    assert_true(rt_number_read_u32(RT_TEXT("4294967295"), 1, UINT32_MAX, &number));
    assert_true(number == UINT32_MAX);
    assert_false(rt_number_read_u32(RT_TEXT("4294967296"), 0, UINT32_MAX, &number));
    assert_int_equal(number, 0);
    assert_false(rt_number_read_u32(RT_TEXT("0"), 1, UINT32_MAX, &number));
}

static void signed_numbers_reach_both_ends(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t number;
    } rows[] = {
        {"0", 0},
        {"-0", 0},
        {"-1", -1},
        {"9223372036854775807", INT64_MAX},
        {"-9223372036854775808", INT64_MIN},
    };
    int64_t number;
    for (size_t i = 0; i < COUNT(rows); i++) {
        assert_true(rt_number_read_signed(rt_text_of(rows[i].text), INT64_MIN, INT64_MAX, &number));
        assert_true(number == rows[i].number);
    }
    static const char *const refused[] = {
        "", "-", "--1", "+1", "- 1", "1-", "9223372036854775808", "-9223372036854775809"};
    for (size_t i = 0; i < COUNT(refused); i++) {
        number = 99;
        assert_false(rt_number_read_signed(rt_text_of(refused[i]), INT64_MIN, INT64_MAX, &number));
        assert_true(number == 0);
    }
    assert_false(rt_number_read_signed(RT_TEXT("-3"), -2, 5, &number));
    assert_false(rt_number_read_signed(RT_TEXT("6"), -2, 5, &number));
    assert_true(rt_number_read_signed(RT_TEXT("-2"), -2, 5, &number));
}

/* A parser of a longer text can distinguish a missing number from one that is too large. */
static void taking_a_number_leaves_what_follows(void **state)
{
    (void)state;
    uint64_t number;
    rt_text rest = RT_TEXT("12,3");
    assert_true(rt_number_take(&rest, 10, 99, &number));
    assert_int_equal(number, 12);
    assert_true(rt_text_is(rest, ",3"));
    assert_false(rt_number_take(&rest, 10, 99, &number));
    assert_true(rt_text_is(rest, ",3"));
    rest = RT_TEXT("100,3");
    assert_false(rt_number_take(&rest, 10, 99, &number));
    assert_int_equal(number, 0);
    assert_true(rt_text_is(rest, ",3"));
    rest = RT_TEXT("fFg");
    assert_true(rt_number_take(&rest, 16, 255, &number));
    assert_int_equal(number, 255);
    assert_true(rt_text_is(rest, "g"));
    rest = RT_TEXT("10000000000000000"); /* 2^64 */
    assert_false(rt_number_take(&rest, 16, UINT64_MAX, &number));
    assert_int_equal(rest.length, 0);
    rest = (rt_text){0};
    assert_false(rt_number_take(&rest, 10, 99, &number));
}

static void lists_have_numbers_between_commas(void **state)
{
    (void)state;
    rt_text list = RT_TEXT("3,0,12");
    static const uint64_t expected[] = {3, 0, 12};
    uint64_t number;
    for (size_t i = 0; i < COUNT(expected); i++) {
        assert_true(rt_number_next(&list, 12, &number));
        assert_int_equal(number, expected[i]);
    }
    assert_int_equal(list.length, 0);
    static const char *const refused[] = {"", ",", "1,", "1,,2", "13", "1 ,2", "1;2", "x"};
    for (size_t i = 0; i < COUNT(refused); i++) {
        bool is_list = true;
        list = rt_text_of(refused[i]);
        do {
            is_list = rt_number_next(&list, 12, &number);
        } while (is_list && list.length > 0);
        assert_false(is_list);
    }
}

static void hexadecimal_digits_have_values(void **state)
{
    (void)state;
    static const char digits[] = "0123456789abcdef", upper[] = "ABCDEF";
    for (int i = 0; i < 16; i++)
        assert_int_equal(rt_hex_digit(digits[i]), i);
    for (int i = 0; i < 6; i++)
        assert_int_equal(rt_hex_digit(upper[i]), 10 + i);
    static const char wrong[] = "/:@G`g \x80\xFF";
    for (size_t i = 0; i < sizeof wrong; i++) /* includes the NUL */
        assert_int_equal(rt_hex_digit(wrong[i]), -1);
}

static void bytes_and_digits_convert_both_ways(void **state)
{
    (void)state;
    static const uint8_t bytes[] = {0x00, 0x7F, 0x80, 0xFF, 0x1a};
    rt_buffer out = {0};
    rt_buffer_append_hex(&out, (rt_bytes){bytes, sizeof bytes});
    assert_string_equal(rt_buffer_string(&out), "007f80ff1a");
    uint8_t read[sizeof bytes];
    assert_true(rt_hex_read(rt_buffer_text(&out), read));
    assert_memory_equal(read, bytes, sizeof bytes);
    rt_buffer_free(&out);
    assert_true(rt_hex_read(RT_TEXT("FfAa"), read));
    assert_int_equal(read[0], 0xFF);
    assert_int_equal(read[1], 0xAA);
    assert_true(rt_hex_read((rt_text){0}, read));
    assert_false(rt_hex_read(RT_TEXT("f"), read));
    assert_false(rt_hex_read(RT_TEXT("0g"), read));
    assert_false(rt_hex_read(RT_TEXT("g0"), read));
    assert_false(rt_hex_read(RT_TEXT("0x"), read));
    rt_buffer_append_hex(&out, (rt_bytes){0});
    assert_int_equal(out.size, 0);
}

static void texts_are_split_from_the_front(void **state)
{
    (void)state;
    rt_text rest = RT_TEXT("key=a,,b");
    assert_false(rt_text_take_prefix(&rest, "kez"));
    assert_true(rt_text_take_prefix(&rest, "key="));
    assert_true(rt_text_is(rest, "a,,b"));
    assert_true(rt_text_is(rt_text_take_until(&rest, ','), "a"));
    assert_true(rt_text_is(rt_text_take_until(&rest, ','), ""));
    assert_true(rt_text_is(rt_text_take_until(&rest, ','), "b"));
    assert_int_equal(rest.length, 0);
    assert_int_equal(rt_text_take_until(&rest, ',').length, 0);
    assert_true(rt_text_take_prefix(&rest, ""));
    rest = (rt_text){0};
    assert_int_equal(rt_text_take_until(&rest, ',').length, 0);
    assert_false(rt_text_take_prefix(&rest, "a"));
    assert_int_equal(rt_text_skip(rest, 0).length, 0);
    assert_true(rt_text_is(rt_text_skip(RT_TEXT("abc"), 3), ""));
    assert_true(rt_text_is(rt_text_skip(RT_TEXT("abc"), 1), "bc"));
    rest = (rt_text){"a\0b c", 5};
    assert_int_equal(rt_text_take_until(&rest, ' ').length, 3);
    assert_true(rt_text_is(rest, "c"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_within_their_bounds_are_read),
        cmocka_unit_test(other_texts_and_numbers_out_of_bounds_are_refused),
        cmocka_unit_test(numbers_of_32_bits_end_at_32_bits),
        cmocka_unit_test(signed_numbers_reach_both_ends),
        cmocka_unit_test(taking_a_number_leaves_what_follows),
        cmocka_unit_test(lists_have_numbers_between_commas),
        cmocka_unit_test(hexadecimal_digits_have_values),
        cmocka_unit_test(bytes_and_digits_convert_both_ways),
        cmocka_unit_test(texts_are_split_from_the_front),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
