/* Tests conversions of single numbers against the definitions, half's fast paths for every half and
 * every midpoint between two halves, and half arithmetic via float and double, as the decoder
 * performs it, against exact results. */
#include "sim/number/convert.h"
#include "sim/number/half.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

#include "sim/test/half_table.h"

__extension__ typedef __int128 big;

static uint64_t random_state = 1;
static uint64_t random_bits(void)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    uint64_t v = random_state;
    v = (v ^ v >> 32) * UINT64_C(0xd6e8feb86659fd93);
    return v ^ v >> 29;
}

static uint64_t bits_of_float(float value)
{
    sim_float_bits f = {.value = value};
    return f.bits;
}
static uint64_t bits_of_double(double value)
{
    sim_double_bits f = {.value = value};
    return f.bits;
}
static double double_of_half(uint16_t half)
{
    return sim_float_of_half(half);
}

static uint64_t convert(sim_number_type from, sim_number_type to, uint32_t rounding, uint64_t bits)
{
    uint64_t out;
    sim_numeric conversion = {.from = from, .to = to, .rounding = (sim_rounding)rounding};
    assert_true(sim_convert(conversion, bits, &out));
    return out;
}

/* ---- Half ------------------------------------------------------------------------------------ */

static void test_half_widened(void **state)
{
    (void)state;
    for (uint32_t h = 0; h < 65536; h++) {
        uint16_t half = (uint16_t)h;
        float value = sim_float_of_half(half);
        uint64_t general = convert(SIM_NUMBER_HALF, SIM_NUMBER_FLOAT, 0, half);
        if (half_is_nan(half)) {
            assert_true(isnan(value) && (general & 0x7fffffff) > 0x7f800000);
            assert_int_equal(signbit(value) != 0, half >> 15);
            assert_true(half_is_nan(sim_half_of_float(value)));
            continue;
        }
        long double want = (half & 0x7fff) == HALF_INFINITY ? (half >> 15 ? -INFINITY : INFINITY)
                                                            : half_value(half);
        assert_true(value == want && (signbit(value) != 0) == half >> 15);
        assert_int_equal(general, bits_of_float(value));
        assert_int_equal(convert(SIM_NUMBER_HALF, SIM_NUMBER_DOUBLE, 0, half),
                         bits_of_double((double)value));
        assert_int_equal(sim_half_of_float(value), half);
        assert_int_equal(sim_half_of_double((double)value), half);
    }
}

static void check_narrowed(double value)
{
    uint64_t bits = bits_of_double(value);
    uint16_t want = half_rounded(value, 0);
    if (sim_half_of_double(value) != want) {
        fail_msg("%a: got %#x, expected %#x", value, sim_half_of_double(value), want);
    }
    for (uint32_t mode = 0; mode < SIM_ROUNDINGS; mode++) {
        want = half_rounded(value, mode);
        assert_int_equal(convert(SIM_NUMBER_DOUBLE, SIM_NUMBER_HALF, mode, bits), want);
    }
    if ((float)value != value) return;
    assert_int_equal(sim_half_of_float((float)value), half_rounded(value, 0));
    for (uint32_t mode = 0; mode < SIM_ROUNDINGS; mode++) {
        uint64_t narrow = bits_of_float((float)value);
        want = half_rounded(value, mode);
        assert_int_equal(convert(SIM_NUMBER_FLOAT, SIM_NUMBER_HALF, mode, narrow), want);
    }
}

/* Every half, every midpoint, and their neighbours in float and in double. */
static void test_half_narrowed(void **state)
{
    (void)state;
    for (uint32_t h = 0; h < HALF_INFINITY; h++) {
        double low = (double)half_value((uint16_t)h), high = (double)half_value((uint16_t)(h + 1));
        double points[] = {low, (low + high) / 2};
        for (uint32_t i = 0; i < 2; i++) {
            double p = points[i];
            double near[] = {p, nextafter(p, INFINITY), p > 0 ? nextafter(p, 0) : p,
                             (double)nextafterf((float)p, INFINITY),
                             p > 0 ? (double)nextafterf((float)p, 0) : p};
            for (uint32_t k = 0; k < 5; k++) {
                check_narrowed(near[k]);
                check_narrowed(-near[k]);
            }
        }
    }
    static const double far[] = {65504, 65519.99, 65520,  65536, 1e10,
                                 1e300, INFINITY, 1e-300, 1e-40};
    for (uint32_t i = 0; i < sizeof far / sizeof far[0]; i++) {
        check_narrowed(far[i]);
        check_narrowed(-far[i]);
    }
    assert_true(half_is_nan(sim_half_of_float(NAN)) && half_is_nan(sim_half_of_double(-NAN)));
    assert_true(half_is_nan(
        (uint16_t)convert(SIM_NUMBER_DOUBLE, SIM_NUMBER_HALF, 1, bits_of_double(-NAN))));
}

/* ---- Half arithmetic, as decode/half.c and decode/value.c do it ------------------------------ */

enum { TRIES = 400000 };

/* A random finite half; small halves and those near `near` occur more often than by chance. */
static uint16_t random_half(uint16_t near)
{
    uint64_t r = random_bits();
    uint16_t half = (uint16_t)(r >> 16);
    if (r % 4 == 0) half &= 0x87ff;
    if (r % 4 == 1) half = (uint16_t)((near & 0xfc00) | (half & 0x3ff));
    return (half & 0x7fff) < HALF_INFINITY ? half : (uint16_t)(half & 0xbfff);
}

static void test_half_arithmetic(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < TRIES; i++) {
        uint16_t a = random_half(0), b = random_half(a);
        float x = sim_float_of_half(a), y = sim_float_of_half(b);
        long double u = x, v = y;
        assert_int_equal(sim_half_of_float(x + y), half_rounded(u + v, 0));
        assert_int_equal(sim_half_of_float(x - y), half_rounded(u - v, 0));
        assert_int_equal(sim_half_of_float(x * y), half_rounded(u * v, 0));
        if (y != 0) assert_int_equal(sim_half_of_float(x / y), half_rounded(u / v, 0));
    }
    for (uint32_t h = 0; h < HALF_INFINITY; h++) {
        float x = sim_float_of_half((uint16_t)h);
        assert_int_equal(sim_half_of_float(sqrtf(x)), half_rounded(sqrtl(x), 0));
        assert_int_equal(sim_half_of_double(sqrt((double)x)), half_rounded(sqrtl(x), 0));
    }
}

/* Returns a half in units of 2^-24, which represent it exactly; a product of two is in units of
 * 2^-48. */
static big fixed(uint16_t half)
{
    return (big)ldexpl(half_value(half), 24);
}

static uint16_t half_of_fixed(big sum, bool is_negative_zero)
{
    big size = sum < 0 ? -sum : sum;
    uint32_t low = 0, high = HALF_INFINITY + 1;
    while (high - low > 1) {
        uint32_t middle = (low + high) / 2;
        if (fixed((uint16_t)middle) << 24 <= size) {
            low = middle;
        } else {
            high = middle;
        }
    }
    if (low < HALF_INFINITY) {
        big below = size - (fixed((uint16_t)low) << 24);
        big above = (fixed((uint16_t)(low + 1)) << 24) - size;
        low += below > above || (below == above && (low & 1));
    }
    return (uint16_t)(low | (sum < 0 || is_negative_zero ? 0x8000u : 0));
}

static void check_fma(uint16_t a, uint16_t b, uint16_t c)
{
    double x = double_of_half(a), y = double_of_half(b), z = double_of_half(c);
    bool is_negative_zero = fma(x, y, z) == 0 && signbit(fma(x, y, z));
    uint16_t want = half_of_fixed(fixed(a) * fixed(b) + fixed(c) * (1 << 24), is_negative_zero);
    assert_int_equal(sim_half_of_double(fma(x, y, z)), want);
}

static void test_half_fma(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < TRIES; i++) {
        uint16_t a = random_half(0), b = random_half(a);
        uint16_t near = half_rounded(half_value(a) * half_value(b), 0);
        check_fma(a, b, random_half((near & 0x7fff) < HALF_INFINITY ? near : a));
    }
    /* Products that are midpoints, with the smallest addend on either side. */
    static const uint16_t products[][2] = {
        {0x3c01, 0x3e00}, {0x3c03, 0x3a00}, {0x6801, 0x3e00}, {0x0c01, 0x3800}, {0x0403, 0x3800}};
    for (uint32_t i = 0; i < 5; i++) {
        static const uint16_t addends[] = {0, 1, 0x8001, 0x0400, 0x8400};
        for (uint32_t k = 0; k < 5; k++)
            check_fma(products[i][0], products[i][1], addends[k]);
    }
}

/* Functions computed in double and then rounded once: for no half is the result so close to a
 * midpoint that the error of the double would matter. */
static void test_half_functions(void **state)
{
    (void)state;
    static const struct {
        double (*function)(double);
        long double (*exact)(long double);
    } rows[] = {{exp, expl},     {exp2, exp2l}, {log, logl}, {log2, log2l},
                {log10, log10l}, {sin, sinl},   {cos, cosl}, {tan, tanl}};
    for (uint32_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        for (uint32_t h = 0; h < 65536; h++) {
            uint16_t half = (uint16_t)h;
            if ((half & 0x7fff) >= HALF_INFINITY) continue;
            double x = double_of_half(half), y = rows[i].function(x);
            if (isnan(y)) continue;
            assert_int_equal(sim_half_of_double(y), half_rounded(rows[i].exact(x), 0));
        }
    }
}

/* ---- Every type ------------------------------------------------------------------------------ */

/* The number that the bits represent; every number is exact in long double. */
static long double number_value(sim_number_type type, uint64_t bits)
{
    sim_float_bits f = {.bits = (uint32_t)bits};
    sim_double_bits d = {.bits = bits};
    switch (type) {
    case SIM_NUMBER_U8: return (uint8_t)bits;
    case SIM_NUMBER_U16: return (uint16_t)bits;
    case SIM_NUMBER_U32: return (uint32_t)bits;
    case SIM_NUMBER_U64: return (long double)bits;
    case SIM_NUMBER_S8: return (int8_t)bits;
    case SIM_NUMBER_S16: return (int16_t)bits;
    case SIM_NUMBER_S32: return (int32_t)bits;
    case SIM_NUMBER_S64: return (long double)(int64_t)bits;
    case SIM_NUMBER_HALF: return sim_float_of_half((uint16_t)bits);
    case SIM_NUMBER_FLOAT: return f.value;
    default: return d.value;
    }
}

static long double whole(long double number, uint32_t mode)
{
    switch (mode) {
    case SIM_ROUND_NEAREST: return rintl(number);
    case SIM_ROUND_ZERO: return truncl(number);
    case SIM_ROUND_UP: return ceill(number);
    default: return floorl(number);
    }
}

/* Moves the nearest float or double to the side that the rounding mode requires. */
#define TO_SIDE(T, next, number, mode)                                                             \
    T near = (T)(number);                                                                          \
    bool larger = near > (number), negative = (number) < 0;                                        \
    bool wants_down = (mode) == SIM_ROUND_DOWN || ((mode) == SIM_ROUND_ZERO && !negative);         \
    bool wants_up = (mode) == SIM_ROUND_UP || ((mode) == SIM_ROUND_ZERO && negative);              \
    if (larger && wants_down) near = next(near, (T)-INFINITY);                                     \
    if (near < (number) && wants_up) near = next(near, (T)INFINITY);

static uint64_t float_wanted(sim_number_type to, uint32_t mode, long double number)
{
    if (to == SIM_NUMBER_HALF) return half_rounded(number, mode);
    if (to == SIM_NUMBER_FLOAT) {
        TO_SIDE(float, nextafterf, number, mode)
        return bits_of_float(near);
    }
    TO_SIDE(double, nextafter, number, mode)
    return bits_of_double(near);
}

static void check_to_float(sim_number_type from, sim_number_type to, uint32_t mode, uint64_t bits)
{
    long double number = number_value(from, bits);
    uint64_t out = convert(from, to, mode, bits);
    if (isnan(number)) {
        assert_true(isnan(number_value(to, out)));
        return;
    }
    uint64_t want = float_wanted(to, mode, number);
    if (out != want) {
        fail_msg("%La from %d to %d, mode %u: got %#llx, expected %#llx", number, from, to, mode,
                 (unsigned long long)out, (unsigned long long)want);
    }
}

static void check_to_integer(sim_numeric c, uint64_t bits)
{
    uint32_t width = 8 * sim_number_bytes(c.to);
    bool is_signed = c.to >= SIM_NUMBER_S8;
    long double number = number_value(c.from, bits);
    long double least = is_signed ? -ldexpl(1, (int)width - 1) : 0;
    long double most = ldexpl(1, (int)width - is_signed) - 1;
    long double rounded = whole(number, c.rounding);
    bool fits = rounded >= least && rounded <= most;
    uint64_t out, want;
    bool done = sim_convert(c, bits, &out);
    assert_int_equal(done, fits || c.is_saturated);
    if (isnan(number)) rounded = 0;
    if (rounded < least) rounded = least;
    if (rounded > most) rounded = most;
    want = rounded < 0 ? (uint64_t)(int64_t)rounded : (uint64_t)rounded;
    if (!done) want = 0;
    assert_int_equal(out, want & UINT64_MAX >> (64 - width));
}

static void check_all_ways(uint64_t bits)
{
    for (int from = 0; from < SIM_NUMBER_TYPES; from++) {
        for (int to = 0; to < SIM_NUMBER_TYPES; to++) {
            for (uint32_t mode = 0; mode < SIM_ROUNDINGS; mode++) {
                if (to >= SIM_NUMBER_HALF) {
                    check_to_float((sim_number_type)from, (sim_number_type)to, mode, bits);
                    continue;
                }
                sim_numeric c = {.from = (sim_number_type)from,
                                 .to = (sim_number_type)to,
                                 .rounding = (sim_rounding)mode};
                check_to_integer(c, bits);
                c.is_saturated = true;
                check_to_integer(c, bits);
            }
        }
    }
}

static void test_every_type(void **state)
{
    (void)state;
    static const double floats[] = {0.0,
                                    -0.0,
                                    0.5,
                                    -0.5,
                                    1.5,
                                    2.5,
                                    -1.5,
                                    127.5,
                                    -128.5,
                                    255.5,
                                    256,
                                    32767.5,
                                    65535.5,
                                    -32768.5,
                                    1e9,
                                    2147483647.5,
                                    4294967295.5,
                                    -2147483648.5,
                                    9e18,
                                    9223372036854775807.0,
                                    -9223372036854775808.0,
                                    1.8e19,
                                    18446744073709551615.0,
                                    1e30,
                                    -1e30,
                                    1e-30,
                                    5e-324,
                                    1e-45};
    static const uint64_t edges[] = {0,
                                     1,
                                     2,
                                     0x7f,
                                     0x80,
                                     0xff,
                                     0x7fff,
                                     0x8000,
                                     0xffff,
                                     0x7ff,
                                     0x801,
                                     0x7c00,
                                     0x7e00,
                                     0x7fffffff,
                                     0x80000000,
                                     0xffffffff,
                                     0x7f800000,
                                     0x7fc00000,
                                     0xfc00,
                                     0xff800000,
                                     0x1000001,
                                     0x1ffffff,
                                     0x7bff,
                                     0x3ff,
                                     UINT64_C(0x7fffffffffffffff),
                                     UINT64_C(0x8000000000000000),
                                     UINT64_C(0xffffffffffffffff),
                                     UINT64_C(0x7ff0000000000000),
                                     UINT64_C(0x7ff8000000000000),
                                     UINT64_C(0x20000000000001),
                                     UINT64_C(0x3fffffffffffff),
                                     UINT64_C(0x8000000000000001)};
    for (uint32_t i = 0; i < sizeof edges / sizeof edges[0]; i++)
        check_all_ways(edges[i]);
    for (uint32_t i = 0; i < sizeof floats / sizeof floats[0]; i++) {
        check_all_ways(bits_of_double(floats[i]));
        check_all_ways(bits_of_float((float)floats[i]));
        check_all_ways(half_rounded(floats[i], 0));
    }
    for (uint32_t i = 0; i < 3000; i++)
        check_all_ways(random_bits() >> (random_bits() % 64));
}

static void test_packing(void **state)
{
    (void)state;
    sim_numeric c = {SIM_NUMBER_DOUBLE, SIM_NUMBER_S64, SIM_ROUND_DOWN, true};
    sim_numeric back = sim_numeric_unpack(sim_numeric_pack(c));
    assert_true(back.from == c.from && back.to == c.to && back.rounding == c.rounding);
    assert_true(back.is_saturated);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_half_widened),    cmocka_unit_test(test_half_narrowed),
        cmocka_unit_test(test_half_arithmetic), cmocka_unit_test(test_half_fma),
        cmocka_unit_test(test_half_functions),  cmocka_unit_test(test_every_type),
        cmocka_unit_test(test_packing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
