/* Unit tests of reading numbers: syntax, range, rounding, bytes. */
#include "conformance/scenario/yaml/number.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static bool number_of(scn_type type, const char *text, uint8_t *out_bytes)
{
    rt_arena arena = {0};
    scn_reporter reporter = {.arena = &arena};
    scn_node node = {.kind = SCN_NODE_SCALAR, .at = {1, 1}, .text = rt_text_of(text)};
    bool is_valid = scn_number_read(&reporter, type, &node, out_bytes);
    assert_int_equal(reporter.count, is_valid ? 0 : 1);
    rt_arena_reset(&arena);
    return is_valid;
}

static void assert_number(scn_type type, const char *text, uint64_t bits)
{
    uint8_t bytes[8] = {0};
    assert_true(number_of(type, text, bytes));
    uint64_t got = 0;
    for (uint32_t i = 0; i < scn_type_size(type); i++)
        got |= (uint64_t)bytes[i] << (8 * i);
    assert_true(got == bits);
}

static void assert_no_number(scn_type type, const char *text)
{
    uint8_t bytes[8] = {0};
    assert_false(number_of(type, text, bytes));
}

static void integers_have_the_range_of_their_type(void **state)
{
    (void)state;
    for (int t = 0; t < SCN_TYPE_COUNT; t++) {
        scn_type type = (scn_type)t;
        if (scn_type_class(type) == 'f') continue;
        uint32_t bits = 8 * scn_type_size(type);
        bool is_signed = scn_type_class(type) == 'i';
        uint64_t most = UINT64_MAX >> (64 - bits + is_signed);
        char text[32];
        snprintf(text, sizeof text, "%" PRIu64, most);
        assert_number(type, text, most);
        snprintf(text, sizeof text, "0x%" PRIx64, most);
        assert_number(type, text, most);
        snprintf(text, sizeof text, "-%" PRIu64, most + 1);
        if (is_signed)
            assert_number(type, text, most + 1);
        else
            assert_no_number(type, "-1");
        if (most == UINT64_MAX) continue;
        snprintf(text, sizeof text, "%" PRIu64, most + 1);
        assert_no_number(type, text);
        snprintf(text, sizeof text, "-%" PRIu64, most + 2);
        assert_no_number(type, text);
    }
}

static void integers_have_one_spelling(void **state)
{
    (void)state;
    assert_number(SCN_TYPE_INT, "+7", 7);
    assert_number(SCN_TYPE_INT, "-0", 0);
    assert_number(SCN_TYPE_UINT, "0XfF", 255);
    static const char *const wrong[] = {"",    "-",   "+",    "0x",  "00", "07",  "1_000", "1.0",
                                        "1e3", "0b1", "true", "--1", "1 ", "0o7", "1f",    "- 1"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_no_number(SCN_TYPE_INT, wrong[i]);
    assert_no_number(SCN_TYPE_ULONG, "18446744073709551616");
    assert_no_number(SCN_TYPE_ULONG, "0x10000000000000000");
}

static void floats_are_rounded_once(void **state)
{
    (void)state;
    assert_number(SCN_TYPE_FLOAT, "1", 0x3F800000);
    assert_number(SCN_TYPE_FLOAT, "-0.0", 0x80000000);
    /* Just above the midpoint of two floats; rounding to double first would give exactly the
     * midpoint. */
    assert_number(SCN_TYPE_FLOAT, "1.00000005960464477540", 0x3F800001);
    assert_number(SCN_TYPE_FLOAT, "3.4028235e38", 0x7F7FFFFF);
    assert_number(SCN_TYPE_FLOAT, "0x1p-149", 1);
    assert_number(SCN_TYPE_FLOAT, "1e-45", 1);
    assert_number(SCN_TYPE_DOUBLE, "0.1", UINT64_C(0x3FB999999999999A));
    assert_number(SCN_TYPE_DOUBLE, "0x1.fffffffffffffp+1023", UINT64_C(0x7FEFFFFFFFFFFFFF));
}

static void floats_have_their_spellings(void **state)
{
    (void)state;
    assert_number(SCN_TYPE_FLOAT, "nan", 0x7FC00000);
    assert_number(SCN_TYPE_FLOAT, "-inf", 0xFF800000);
    assert_number(SCN_TYPE_DOUBLE, "inf", UINT64_C(0x7FF0000000000000));
    assert_number(SCN_TYPE_DOUBLE, "nan", UINT64_C(0x7FF8000000000000));
    assert_number(SCN_TYPE_HALF, "nan", 0x7E00);
    assert_number(SCN_TYPE_HALF, "-inf", 0xFC00);
    assert_number(SCN_TYPE_HALF, "nan(0x1)", 0x7C01);
    assert_number(SCN_TYPE_FLOAT, "-nan(0x7fffff)", 0xFFFFFFFF);
    assert_number(SCN_TYPE_DOUBLE, "nan(0x1)", UINT64_C(0x7FF0000000000001));
    assert_number(SCN_TYPE_DOUBLE, ".5", UINT64_C(0x3FE0000000000000));
    assert_number(SCN_TYPE_DOUBLE, "5.", UINT64_C(0x4014000000000000));
    assert_number(SCN_TYPE_DOUBLE, "0x.8p0", UINT64_C(0x3FE0000000000000));
    static const char *const wrong[] = {
        "",        ".",         "e3",       "1e",  "1e+",    "0x",    "0xp1",     "1.0f",
        "NaN",     ".nan",      "infinity", "Inf", "1p3",    "0x1e",  "1e39",     "1e-60",
        "1,5",     "0x1p200",   "+",        "--1", "nan(1)", "nan()", "nan(0x0)", "nan(0x800000)",
        "nan(0x1", "nan(0x1)x", "nan0x1"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        if (strcmp(wrong[i], "0x1e") == 0)
            assert_number(SCN_TYPE_FLOAT, wrong[i], 0x41F00000); /* thirty in hexadecimal */
        else
            assert_no_number(SCN_TYPE_FLOAT, wrong[i]);
    }
    assert_no_number(SCN_TYPE_FLOAT, "0x1.0000001p0");
    assert_no_number(SCN_TYPE_DOUBLE, "0x1.00000000000001p0");
    assert_no_number(SCN_TYPE_DOUBLE, "0x1.0000000000000000001p0");
    assert_number(SCN_TYPE_DOUBLE, "-0X1.00000000000000000000P+0", UINT64_C(0xBFF0000000000000));
    assert_number(SCN_TYPE_DOUBLE, "0x1.0000001p0", UINT64_C(0x3FF0000001000000));
}

/* The value of a half, computed from its bits by definition (IEEE 754-2019, 3.4). */
static double half_value(uint32_t bits)
{
    int exponent = (int)(bits >> 10 & 31), fraction = (int)(bits & 1023);
    double magnitude = exponent == 0 ? ldexp(fraction, -24) : ldexp(1024 + fraction, exponent - 25);
    return bits >> 15 ? -magnitude : magnitude;
}

static void every_half_is_read_from_its_digits(void **state)
{
    (void)state;
    for (uint32_t bits = 0; bits < 0x10000; bits++) {
        if ((bits >> 10 & 31) == 31) continue;
        char text[64];
        snprintf(text, sizeof text, "%.17g", half_value(bits));
        assert_number(SCN_TYPE_HALF, text, bits);
        snprintf(text, sizeof text, "%a", half_value(bits));
        assert_number(SCN_TYPE_HALF, text, bits);
    }
}

/* Between any two neighbouring halves, a tie goes to the even one, and a number that differs from
 * the tie by less than a double can express goes to the nearer half. */
static void halves_are_rounded_once(void **state)
{
    (void)state;
    for (uint32_t bits = 1; bits < 0x7BFF; bits++) {
        double middle = (half_value(bits) + half_value(bits + 1)) / 2;
        char exact[128], above[160], below[160];
        snprintf(exact, sizeof exact, "%.30f", middle); /* every midpoint has at most 25 places */
        snprintf(above, sizeof above, "%s00000000000000000001", exact);
        /* The tie, less one unit in the last of many digits: the last nonzero digit is decremented,
         * and nines follow it. */
        snprintf(below, sizeof below, "%s00000000000000000000", exact);
        size_t last = strlen(below) - 1;
        for (; below[last] == '0' || below[last] == '.'; last--)
            if (below[last] == '0') below[last] = '9';
        below[last]--;
        assert_number(SCN_TYPE_HALF, exact, bits + (bits & 1));
        assert_number(SCN_TYPE_HALF, above, bits + 1);
        assert_number(SCN_TYPE_HALF, below, bits);
    }
}

static void halves_have_limits(void **state)
{
    (void)state;
    assert_number(SCN_TYPE_HALF, "65504", 0x7BFF);
    assert_number(SCN_TYPE_HALF, "65519.999999999999999999999999", 0x7BFF);
    assert_no_number(SCN_TYPE_HALF, "65520");
    assert_no_number(SCN_TYPE_HALF, "-1e300");
    assert_no_number(SCN_TYPE_HALF, "1e400");
    assert_number(SCN_TYPE_HALF, "0x1p-24", 1);
    assert_number(SCN_TYPE_HALF, "-0.0", 0x8000);
    assert_number(SCN_TYPE_HALF, "2.98023223876953125001e-8", 1); /* just above half of 2^-24 */
    assert_no_number(SCN_TYPE_HALF, "2.98023223876953125e-8");
    assert_no_number(SCN_TYPE_HALF, "1e-400");
    assert_no_number(SCN_TYPE_HALF, "0x1.002p0");
    assert_number(SCN_TYPE_HALF, "0x1.ffcp15", 0x7BFF);
    assert_no_number(SCN_TYPE_HALF, "0x1.ffep15");
    assert_no_number(SCN_TYPE_HALF, "0x1p-25");
}

static bool of_integer(scn_type type, bool negative, uint64_t magnitude, uint64_t *out_bits)
{
    uint8_t bytes[8] = {0};
    *out_bits = 0;
    if (!scn_number_of_integer(type, (scn_integer){negative, magnitude}, bytes)) return false;
    for (uint32_t i = 0; i < scn_type_size(type); i++)
        *out_bits |= (uint64_t)bytes[i] << (8 * i);
    return true;
}

static void whole_numbers_are_exact_or_refused(void **state)
{
    (void)state;
    uint64_t bits;
    assert_true(of_integer(SCN_TYPE_CHAR, false, 127, &bits));
    assert_false(of_integer(SCN_TYPE_CHAR, false, 128, &bits));
    assert_true(of_integer(SCN_TYPE_CHAR, true, 128, &bits) && bits == 0x80);
    assert_false(of_integer(SCN_TYPE_UCHAR, true, 1, &bits));
    assert_true(of_integer(SCN_TYPE_FLOAT, false, 1 << 24, &bits));
    assert_false(of_integer(SCN_TYPE_FLOAT, false, (1 << 24) + 1, &bits));
    assert_true(of_integer(SCN_TYPE_FLOAT, true, (1 << 24) + 2, &bits) && bits == 0xCB800001);
    assert_true(of_integer(SCN_TYPE_HALF, false, 2050, &bits) && bits == 0x6801);
    assert_false(of_integer(SCN_TYPE_HALF, false, 2049, &bits));
    assert_true(of_integer(SCN_TYPE_HALF, true, 65504, &bits) && bits == 0xFBFF);
    assert_false(of_integer(SCN_TYPE_HALF, false, 65536, &bits));
    assert_true(of_integer(SCN_TYPE_DOUBLE, false, UINT64_C(1) << 63, &bits));
    assert_false(of_integer(SCN_TYPE_DOUBLE, false, UINT64_MAX, &bits));
    assert_true(of_integer(SCN_TYPE_ULONG, false, UINT64_MAX, &bits));
    assert_false(of_integer(SCN_TYPE_LONG, false, UINT64_MAX, &bits));
}

static uint64_t of_bits(scn_type type, uint64_t drawn)
{
    uint8_t bytes[8] = {0};
    uint64_t bits = 0;
    scn_number_of_bits(type, drawn, bytes);
    for (uint32_t i = 0; i < scn_type_size(type); i++)
        bits |= (uint64_t)bytes[i] << (8 * i);
    return bits;
}

static void drawn_numbers_fill_their_range(void **state)
{
    (void)state;
    const uint64_t drawn = UINT64_C(0x0123456789ABCDEF);
    assert_true(of_bits(SCN_TYPE_SHORT, drawn) == 0xCDEF);
    assert_true(of_bits(SCN_TYPE_ULONG, drawn) == drawn);
    /* The results lie between -1 and the greatest number below 1. */
    assert_true(of_bits(SCN_TYPE_HALF, 0) == 0xBC00);
    assert_true(of_bits(SCN_TYPE_HALF, UINT64_MAX) == 0x3BFF);
    assert_true(of_bits(SCN_TYPE_FLOAT, 0) == 0xBF800000);
    assert_true(of_bits(SCN_TYPE_FLOAT, UINT64_MAX) == 0x3F7FFFFF);
    assert_true(of_bits(SCN_TYPE_DOUBLE, 0) == UINT64_C(0xBFF0000000000000));
    assert_true(of_bits(SCN_TYPE_DOUBLE, UINT64_MAX) == UINT64_C(0x3FEFFFFFFFFFFFFF));
    assert_true(of_bits(SCN_TYPE_FLOAT, UINT64_C(1) << 63) == 0);
}

static void magnitudes_are_finite_and_have_no_sign(void **state)
{
    (void)state;
    static const char *const wrong[] = {"-1", "+1", "nan", "inf", "-0.0", "", "1e400", "x"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong + 1; i++) {
        rt_arena arena = {0};
        scn_reporter reporter = {.arena = &arena};
        bool right = i == sizeof wrong / sizeof *wrong;
        rt_text text = rt_text_of(right ? "1e-3" : wrong[i]);
        scn_node node = {.kind = SCN_NODE_SCALAR, .at = {1, 1}, .text = text};
        double value;
        assert_true(scn_magnitude_read(&reporter, &node, "a distance", &value) == right);
        assert_int_equal(reporter.count, right ? 0 : 1);
        if (right) assert_true(value == 1e-3);
        rt_arena_reset(&arena);
    }
}

static bool bytes_of(const char *text, rt_buffer *out)
{
    rt_arena arena = {0};
    scn_reporter reporter = {.arena = &arena};
    scn_node node = {.kind = SCN_NODE_SCALAR, .at = {1, 1}, .text = rt_text_of(text)};
    rt_bytes bytes;
    bool is_valid = scn_hexadecimal_read(&reporter, &node, &bytes);
    assert_int_equal(reporter.count, is_valid ? 0 : 1);
    if (is_valid) rt_buffer_append(out, bytes.data, bytes.size);
    rt_arena_reset(&arena);
    return is_valid;
}

static void bytes_are_pairs_of_digits(void **state)
{
    (void)state;
    rt_buffer bytes = {0};
    assert_true(bytes_of(" 00fF  1a2b\n3C", &bytes));
    assert_int_equal(bytes.size, 5);
    assert_memory_equal(bytes.data, "\x00\xFF\x1A\x2B\x3C", 5);
    rt_buffer_free(&bytes);
    static const char *const wrong[] = {"",   " ",    "0",     "0 0",   "000",
                                        "0g", "0x00", "00,11", "00\t11"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_false(bytes_of(wrong[i], &bytes));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers_have_the_range_of_their_type),
        cmocka_unit_test(integers_have_one_spelling),
        cmocka_unit_test(floats_are_rounded_once),
        cmocka_unit_test(floats_have_their_spellings),
        cmocka_unit_test(every_half_is_read_from_its_digits),
        cmocka_unit_test(halves_are_rounded_once),
        cmocka_unit_test(halves_have_limits),
        cmocka_unit_test(whole_numbers_are_exact_or_refused),
        cmocka_unit_test(drawn_numbers_fill_their_range),
        cmocka_unit_test(magnitudes_are_finite_and_have_no_sign),
        cmocka_unit_test(bytes_are_pairs_of_digits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
