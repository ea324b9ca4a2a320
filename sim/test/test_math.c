/* Tests the functions of math.c against MPFR at edge values and random values, and against the
 * special cases that the OpenCL C specification and annex F.9 of ISO C99 list, written here by
 * hand.  The oracle uses a different method from math_exact.c: a value of many bits is rounded to
 * nearest twice, which gives the same value as rounding once unless the result is within 2^-250 of
 * a tie without being one. */
#include "sim/number/math.h"
#include "sim/number/rsqrt.h"

#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <mpfr.h>

#define INF ((double)INFINITY)
#define NUL ((double)NAN)

/* ---- One value ------------------------------------------------------------------------------ */

static double float_of(sim_math function, double a, double b)
{
    float in_a = (float)a, in_b = (float)b, out = 0;
    int32_t n = 0;
    bool integer =
        function == SIM_MATH_pown || function == SIM_MATH_rootn || function == SIM_MATH_ldexp;
    if (integer) n = (int32_t)b;
    sim_math_lanes lanes = {.count = 1, .a = &in_a, .out = &out};
    lanes.b = integer ? (const void *)&n : (const void *)&in_b;
    sim_math_float(function, &lanes);
    if (function < SIM_MATH_ilogb) return (double)out;
    memcpy(&n, &out, sizeof n);
    return n;
}

static double double_of(sim_math function, double a, double b)
{
    double out = 0;
    int64_t n = 0;
    bool integer =
        function == SIM_MATH_pown || function == SIM_MATH_rootn || function == SIM_MATH_ldexp;
    if (integer) n = (int64_t)b;
    sim_math_lanes lanes = {.count = 1, .a = &a, .out = &out};
    lanes.b = integer ? (const void *)&n : (const void *)&b;
    sim_math_double(function, &lanes);
    if (function < SIM_MATH_ilogb) return out;
    memcpy(&n, &out, sizeof n);
    return (double)n;
}

/* True if equal bit for bit; all NaNs are equal. */
static bool is_equal(double x, double y)
{
    return isnan(x) ? isnan(y) : x == y && signbit(x) == signbit(y);
}

static const char *const names[] = {
#define NAME(function) #function,
    SIM_MATH_FUNCTIONS(NAME)};

/* ---- Special cases -------------------------------------------------------------------------- */

typedef struct special {
    sim_math function;
    double a, b, result; /* exactly, in both formats */
} special;

#define S(function, ...)                                                                           \
    {                                                                                              \
        SIM_MATH_##function, __VA_ARGS__                                                           \
    }

static const special specials[] = {
    S(acos, 1, 0, 0),
    S(acos, 1.5, 0, NUL),
    S(acosh, 1, 0, 0),
    S(acosh, 0.5, 0, NUL),
    S(acosh, INF, 0, INF),
    S(acospi, 1, 0, 0),
    S(acospi, -1, 0, 1),
    S(acospi, 0, 0, 0.5),
    S(acospi, 2, 0, NUL),
    S(asin, -0.0, 0, -0.0),
    S(asin, -2, 0, NUL),
    S(asinh, -0.0, 0, -0.0),
    S(asinh, -INF, 0, -INF),
    S(asinpi, -0.0, 0, -0.0),
    S(asinpi, 1, 0, 0.5),
    S(asinpi, -2, 0, NUL),
    S(atan, -0.0, 0, -0.0),
    S(atan2, 0, 1, 0),
    S(atan2, -0.0, 1, -0.0),
    S(atan2, 1, INF, 0),
    S(atan2, -1, INF, -0.0),
    S(atan2, NUL, 1, NUL),
    S(atanh, -0.0, 0, -0.0),
    S(atanh, 1, 0, INF),
    S(atanh, -1, 0, -INF),
    S(atanh, 1.5, 0, NUL),
    S(atanpi, -0.0, 0, -0.0),
    S(atanpi, INF, 0, 0.5),
    S(atanpi, -INF, 0, -0.5),
    S(atanpi, 1, 0, 0.25),
    S(atan2pi, 0, -0.0, 1),
    S(atan2pi, -0.0, -0.0, -1),
    S(atan2pi, -0.0, 0, -0.0),
    S(atan2pi, 0, 0, 0),
    S(atan2pi, -0.0, -3, -1),
    S(atan2pi, -0.0, 3, -0.0),
    S(atan2pi, -7, -0.0, -0.5),
    S(atan2pi, 7, 0, 0.5),
    S(atan2pi, 2, -INF, 1),
    S(atan2pi, -2, -INF, -1),
    S(atan2pi, -2, INF, -0.0),
    S(atan2pi, -INF, 2, -0.5),
    S(atan2pi, INF, -INF, 0.75),
    S(atan2pi, -INF, INF, -0.25),
    S(cbrt, -27, 0, -3),
    S(cbrt, -0.0, 0, -0.0),
    S(cbrt, -INF, 0, -INF),
    S(cos, 0, 0, 1),
    S(cos, INF, 0, NUL),
    S(cosh, -INF, 0, INF),
    S(cosh, -0.0, 0, 1),
    S(cospi, -0.0, 0, 1),
    S(cospi, 0.5, 0, 0),
    S(cospi, -0.5, 0, 0),
    S(cospi, 1.5, 0, 0),
    S(cospi, -2.5, 0, 0),
    S(cospi, 3, 0, -1),
    S(cospi, 16777216, 0, 1),
    S(cospi, -INF, 0, NUL),
    S(erf, INF, 0, 1),
    S(erf, -0.0, 0, -0.0),
    S(erfc, INF, 0, 0),
    S(erfc, -INF, 0, 2),
    S(exp, -INF, 0, 0),
    S(exp, INF, 0, INF),
    S(exp, -0.0, 0, 1),
    S(exp, 1e30, 0, INF),
    S(exp, -1e30, 0, 0),
    S(exp2, -3, 0, 0.125),
    S(exp10, 3, 0, 1000),
    S(exp10, -INF, 0, 0),
    S(exp10, INF, 0, INF),
    S(expm1, -0.0, 0, -0.0),
    S(expm1, -INF, 0, -1),
    S(fdim, 5, 3, 2),
    S(fdim, 3, 5, 0),
    S(fdim, INF, INF, 0),
    S(fdim, INF, NUL, NUL),
    S(fdim, NUL, 1, NUL),
    S(fmod, -0.0, 2, -0.0),
    S(fmod, 0, NUL, NUL),
    S(fmod, -7, 2, -1),
    S(fmod, 7, -4, 3),
    S(fmod, 1, 0, NUL),
    S(fmod, INF, 2, NUL),
    S(fmod, 3, INF, 3),
    S(fract, 2.75, 0, 0.75),
    S(fract, -2.75, 0, 0.25),
    S(fract, -0.0, 0, -0.0),
    S(fract, 0, 0, 0),
    S(fract, 4, 0, 0),
    S(fract, INF, 0, 0),
    S(fract, -INF, 0, -0.0),
    S(fract, NUL, 0, NUL),
    S(frexp, 8, 0, 0.5),
    S(frexp, -0.0, 0, -0.0),
    S(frexp, -INF, 0, -INF),
    S(frexp, NUL, 0, NUL),
    S(exponent, 8, 0, 4),
    S(exponent, 0x1p-140, 0, -139),
    S(exponent, 0, 0, 0),
    S(exponent, INF, 0, 0),
    S(exponent, NUL, 0, 0),
    S(hypot, 3, -4, 5),
    S(hypot, NUL, -INF, INF),
    S(hypot, -0.0, 0, 0),
    S(ilogb, 8, 0, 3),
    S(ilogb, -0x1p-140, 0, -140),
    S(ilogb, 0, 0, INT_MIN),
    S(ilogb, NUL, 0, INT_MAX),
    S(ilogb, -INF, 0, INT_MAX),
    S(ldexp, 3, 4, 48),
    S(ldexp, -3, -2000, -0.0),
    S(ldexp, 1, INT_MAX, INF),
    S(ldexp, 0x1p-100, -40, 0x1p-140),
    S(ldexp, NUL, 3, NUL),
    S(ldexp, -INF, INT_MIN, -INF),
    S(lgamma, 1, 0, 0),
    S(lgamma, 2, 0, 0),
    S(lgamma, 0, 0, INF),
    S(lgamma, -3, 0, INF),
    S(lgamma, -INF, 0, INF),
    S(lgamma, INF, 0, INF),
    S(gamma_sign, 3.5, 0, 1),
    S(gamma_sign, -0.5, 0, -1),
    S(gamma_sign, -1.5, 0, 1),
    S(gamma_sign, -2.5, 0, -1),
    S(gamma_sign, 0, 0, 0),
    S(gamma_sign, -0.0, 0, 0),
    S(gamma_sign, -4, 0, 0),
    S(log, 1, 0, 0),
    S(log, -0.0, 0, -INF),
    S(log, -1, 0, NUL),
    S(log2, 0x1p-149, 0, -149),
    S(log10, 1000, 0, 3),
    S(log1p, -0.0, 0, -0.0),
    S(log1p, -1, 0, -INF),
    S(logb, 0x1p-140, 0, -140),
    S(logb, -0.0, 0, -INF),
    S(logb, -INF, 0, INF),
    S(logb, 12, 0, 3),
    S(maxmag, -3, 2, -3),
    S(maxmag, -3, 3, 3),
    S(maxmag, NUL, 2, 2),
    S(maxmag, 2, NUL, 2),
    S(minmag, -3, 2, 2),
    S(minmag, -3, 3, -3),
    S(minmag, NUL, 2, 2),
    S(modf, -2.75, 0, -0.75),
    S(modf, -4, 0, -0.0),
    S(modf, INF, 0, 0),
    S(modf, -INF, 0, -0.0),
    S(nextafter, 1, 1, 1),
    S(nextafter, 0, -0.0, -0.0),
    S(nextafter, 1, NUL, NUL),
    S(nextafter, NUL, 1, NUL),
    S(pow, 0, -INF, INF),
    S(pow, -0.0, -INF, INF),
    S(pow, -0.0, -3, -INF),
    S(pow, -0.0, 3, -0.0),
    S(pow, -1, INF, 1),
    S(pow, 1, NUL, 1),
    S(pow, NUL, 0, 1),
    S(pow, -8, 0.5, NUL),
    S(pow, 2, 10, 1024),
    S(pow, 0.5, INF, 0),
    S(pown, NUL, 0, 1),
    S(pown, 0, 0, 1),
    S(pown, -0.0, -3, -INF),
    S(pown, -0.0, -2, INF),
    S(pown, -0.0, 2, 0),
    S(pown, -0.0, 3, -0.0),
    S(pown, -2, 5, -32),
    S(pown, -1, INT_MIN, 1),
    S(pown, -1, INT_MAX, -1),
    S(powr, 5, -0.0, 1),
    S(powr, -0.0, -3, INF),
    S(powr, 0, -INF, INF),
    S(powr, -0.0, 3, 0),
    S(powr, 1, 7, 1),
    S(powr, -1, 2, NUL),
    S(powr, 0, 0, NUL),
    S(powr, INF, -0.0, NUL),
    S(powr, 1, INF, NUL),
    S(powr, 1, NUL, NUL),
    S(powr, NUL, 0, NUL),
    S(powr, 4, 0.5, 2),
    S(remainder, 5, 2, 1),
    S(remainder, 7, 2, -1),
    S(remainder, -0.0, 2, -0.0),
    S(remainder, 1, 0, NUL),
    S(remainder, INF, 2, NUL),
    S(remainder, 3, INF, 3),
    S(quotient, 5, 2, 2),
    S(quotient, 7, 2, 4),
    S(quotient, -7, 2, -4),
    S(quotient, 7, -2, -4),
    S(quotient, 1000, 3, 77), /* 333 = 2 * 128 + 77 */
    S(quotient, -1000, 3, -77),
    S(quotient, 0x1p127, 0x1p120, 0),
    S(quotient, 0x1.8p127, 0x1p127, 2),
    S(quotient, 3, INF, 0),
    S(quotient, INF, 3, 0),
    S(quotient, 3, 0, 0),
    S(quotient, NUL, 3, 0),
    S(rootn, -0.0, -3, -INF),
    S(rootn, -0.0, -2, INF),
    S(rootn, -0.0, 2, 0),
    S(rootn, -0.0, 3, -0.0),
    S(rootn, -8, 3, -2),
    S(rootn, -8, 2, NUL),
    S(rootn, 8, 0, NUL),
    S(rootn, 16, -4, 0.5),
    S(rootn, -INF, 3, -INF),
    S(rsqrt, 4, 0, 0.5),
    S(rsqrt, 0, 0, INF),
    S(rsqrt, -0.0, 0, -INF),
    S(rsqrt, INF, 0, 0),
    S(rsqrt, -1, 0, NUL),
    S(sin, -0.0, 0, -0.0),
    S(sin, -INF, 0, NUL),
    S(sinh, -0.0, 0, -0.0),
    S(sinh, -INF, 0, -INF),
    S(sinpi, -0.0, 0, -0.0),
    S(sinpi, 3, 0, 0),
    S(sinpi, -3, 0, -0.0),
    S(sinpi, -4, 0, -0.0),
    S(sinpi, 0.5, 0, 1),
    S(sinpi, 1.5, 0, -1),
    S(sinpi, -2.5, 0, -1),
    S(sinpi, 0x1p100, 0, 0),
    S(sinpi, INF, 0, NUL),
    S(tan, -0.0, 0, -0.0),
    S(tan, INF, 0, NUL),
    S(tanh, INF, 0, 1),
    S(tanh, -0.0, 0, -0.0),
    S(tanpi, -0.0, 0, -0.0),
    S(tanpi, 2, 0, 0),
    S(tanpi, -2, 0, -0.0),
    S(tanpi, 1, 0, -0.0),
    S(tanpi, -1, 0, 0),
    S(tanpi, 0.5, 0, INF),
    S(tanpi, 1.5, 0, -INF),
    S(tanpi, -0.5, 0, -INF),
    S(tanpi, -1.5, 0, INF),
    S(tanpi, 0.25, 0, 1),
    S(tanpi, 0.75, 0, -1),
    S(tanpi, INF, 0, NUL),
    S(tgamma, 5, 0, 24),
    S(tgamma, 0, 0, INF),
    S(tgamma, -0.0, 0, -INF),
    S(tgamma, -2, 0, NUL),
    S(tgamma, -INF, 0, NUL),
    S(tgamma, INF, 0, INF),
    S(tgamma, -2000.5, 0, -0.0), /* floor is odd */
    S(tgamma, -2001.5, 0, 0),
};

static void test_special_cases(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof specials / sizeof specials[0]; i++) {
        const special *s = &specials[i];
        double narrow = float_of(s->function, s->a, s->b);
        double wide = double_of(s->function, s->a, s->b);
        if (!is_equal(narrow, s->result) || !is_equal(wide, s->result)) {
            fail_msg("%s(%a, %a): got %a for float and %a for double, expected %a",
                     names[s->function], s->a, s->b, narrow, wide, s->result);
        }
    }
}

/* Results that differ between the formats. */
static void test_formats(void **state)
{
    (void)state;
    assert_true(is_equal(float_of(SIM_MATH_nextafter, -0.0, 1), 0x1p-149));
    assert_true(is_equal(float_of(SIM_MATH_nextafter, 0, -1), -0x1p-149));
    assert_true(is_equal(float_of(SIM_MATH_nextafter, 1, 2), 1 + 0x1p-23));
    assert_true(is_equal(double_of(SIM_MATH_nextafter, -0.0, 1), 0x1p-1074));
    assert_true(is_equal(double_of(SIM_MATH_nextafter, 1, 0), 1 - 0x1p-53));
    /* A fraction that would round to 1. */
    assert_true(is_equal(float_of(SIM_MATH_fract, -0x1p-60, 0), 1 - 0x1p-24));
    assert_true(is_equal(double_of(SIM_MATH_fract, -0x1p-60, 0), 1 - 0x1p-53));
    /* Half of the smallest float is a tie and rounds to 0; a little more does not. */
    assert_true(is_equal(float_of(SIM_MATH_ldexp, 1, -150), 0));
    assert_true(is_equal(float_of(SIM_MATH_ldexp, 1.5, -150), 0x1p-149));
    assert_true(is_equal(double_of(SIM_MATH_ldexp, 1.5, -1075), 0x1p-1074));
    /* Squares that are a tie between two floats are rounded to the even one. */
    assert_true(is_equal(float_of(SIM_MATH_pow, 1 + 0x1p-12, 2), 1 + 0x1p-11));
    assert_true(is_equal(float_of(SIM_MATH_pown, 1 + 0x3p-12, 2), 1 + 0x3p-11 + 0x1p-21));
    /* 128 times the divisor overflows double. */
    assert_true(is_equal(double_of(SIM_MATH_quotient, 0x1.8p1023, 0x1p1022), 3));
    assert_true(is_equal(double_of(SIM_MATH_quotient, 0x1p-1074, 0x1p1023), 0));
}

static void test_lanes(void **state)
{
    (void)state;
    float a[4] = {1, 4, 9, 16}, out[4] = {-1, -1, -1, -1};
    uint8_t mask[4] = {1, 0, 1, 0};
    sim_math_float(SIM_MATH_cbrt, &(sim_math_lanes){4, mask, a, NULL, out});
    assert_true(out[0] == 1 && out[1] == -1 && out[2] == cbrtf(9) && out[3] == -1);
    uint32_t bits;
    float nothing = -NAN;
    sim_math_float(SIM_MATH_sin, &(sim_math_lanes){1, NULL, &nothing, NULL, &nothing});
    memcpy(&bits, &nothing, sizeof bits);
    assert_int_equal(bits, 0x7fc00000);
}

/* ---- Rows ----------------------------------------------------------------------------------- */

/* Rows of the engine for any x86-64 (exec/exec.h); those for newer processors differ from it only
 * in the width of vectors. */
void sim_math_rows_base(sim_math function, const sim_math_lanes *lanes);
void sim_math_rows_double_base(sim_math function, const sim_math_lanes *lanes);

static uint32_t random_word(void)
{
    static uint64_t state = UINT64_C(0x2545f4914f6cdd1d);
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 16);
}

/* Any float, one with a small integer part, one near 1, an integer, also a large one, or a zero. */
static float random_float(void)
{
    uint32_t word = random_word();
    float any;
    memcpy(&any, &word, sizeof any);
    const float values[] = {
        any, (float)(word * 0x1p-32 * 200 - 100), (float)(1 + ((double)word - 0x1p31) * 0x1p-40),
        (float)(int32_t)(word >> (random_word() % 31)), word & 1 ? -0.0f : 0.0f};
    return values[random_word() % 5];
}

/* Lanes of a row have the bits of single lanes, and lanes that are not computed keep theirs. */
static void test_rows(void **state)
{
    (void)state;
    enum { LANES = 32, ROUNDS = 2000 };
    for (int f = 0; f < SIM_MATH_COUNT; f++) {
        for (int round = 0; round < ROUNDS; round++) {
            float a[LANES], b[LANES], rows[LANES], lanes[LANES];
            uint8_t mask[LANES];
            for (uint32_t i = 0; i < LANES; i++) {
                a[i] = f == SIM_MATH_pow && i % 2 ? fabsf(random_float()) : random_float();
                b[i] = random_float();
                rows[i] = lanes[i] = -1;
                mask[i] = round % 2 || random_word() % 4;
            }
            sim_math_rows_base((sim_math)f, &(sim_math_lanes){LANES, mask, a, b, rows});
            sim_math_float((sim_math)f, &(sim_math_lanes){LANES, mask, a, b, lanes});
            assert_memory_equal(rows, lanes, sizeof rows);
        }
    }
}

/* As random_float, with all bits of a double. */
static double random_double(void)
{
    uint64_t bits = (uint64_t)random_word() << 32 | random_word();
    double any;
    memcpy(&any, &bits, sizeof any);
    const double values[] = {any, (double)bits * 0x1p-64 * 200 - 100,
                             1 + ((double)bits - 0x1p63) * 0x1p-72, (double)random_float()};
    return values[random_word() % 4];
}

/* A second operand of functions of doubles: an int is in a row of 64-bit integers. */
static double second_double(sim_math function)
{
    bool is_integer =
        function == SIM_MATH_ldexp || function == SIM_MATH_pown || function == SIM_MATH_rootn;
    if (!is_integer) return random_double();
    int64_t integer = (int32_t)random_word();
    double bits;
    memcpy(&bits, &integer, sizeof bits);
    return bits;
}

static void test_rows_of_doubles(void **state)
{
    (void)state;
    enum { LANES = 32, ROUNDS = 200 };
    for (int f = 0; f < SIM_MATH_COUNT; f++) {
        for (int round = 0; round < ROUNDS; round++) {
            double a[LANES], b[LANES], rows[LANES], lanes[LANES];
            uint8_t mask[LANES];
            for (uint32_t i = 0; i < LANES; i++) {
                a[i] = f == SIM_MATH_pow && i % 2 ? fabs(random_double()) : random_double();
                b[i] = second_double((sim_math)f);
                rows[i] = lanes[i] = -1;
                mask[i] = round % 2 || random_word() % 4;
            }
            sim_math_rows_double_base((sim_math)f, &(sim_math_lanes){LANES, mask, a, b, rows});
            sim_math_double((sim_math)f, &(sim_math_lanes){LANES, mask, a, b, lanes});
            assert_memory_equal(rows, lanes, sizeof rows);
        }
    }
}

/* ---- The oracle ----------------------------------------------------------------------------- */

#define ORACLE_BITS 1400 /* room for 1 + 2^-1074 */

/* Computes the function at a (and b) into r; false for special cases, tested elsewhere. */
static bool oracle(sim_math function, double a, double b, mpfr_t r)
{
    static mpfr_t x, y, pi;
    static bool is_set;
    if (!is_set) {
        mpfr_inits2(ORACLE_BITS, x, y, pi, (mpfr_ptr)NULL);
        mpfr_const_pi(pi, MPFR_RNDN);
        is_set = true;
    }
    int sign;
    mpfr_set_d(x, a, MPFR_RNDN);
    mpfr_set_d(y, b, MPFR_RNDN);
    switch (function) {
#define ORACLE_1(f)                                                                                \
    case SIM_MATH_##f: mpfr_##f(r, x, MPFR_RNDN); return true;
        ORACLE_1(acos)
        ORACLE_1(acosh)
        ORACLE_1(asin)
        ORACLE_1(asinh)
        ORACLE_1(atan)
        ORACLE_1(atanh)
        ORACLE_1(cbrt)
        ORACLE_1(cos)
        ORACLE_1(cosh)
        ORACLE_1(erf)
        ORACLE_1(erfc)
        ORACLE_1(exp)
        ORACLE_1(exp2)
        ORACLE_1(exp10)
        ORACLE_1(expm1)
        ORACLE_1(log)
        ORACLE_1(log2)
        ORACLE_1(log10)
        ORACLE_1(log1p)
        ORACLE_1(sin)
        ORACLE_1(sinh)
        ORACLE_1(tan)
        ORACLE_1(tanh)
    case SIM_MATH_acospi: mpfr_acos(r, x, MPFR_RNDN); break;
    case SIM_MATH_asinpi: mpfr_asin(r, x, MPFR_RNDN); break;
    case SIM_MATH_atanpi: mpfr_atan(r, x, MPFR_RNDN); break;
    case SIM_MATH_atan2pi: mpfr_atan2(r, x, y, MPFR_RNDN); break;
    case SIM_MATH_lgamma: mpfr_lgamma(r, &sign, x, MPFR_RNDN); return true;
    case SIM_MATH_tgamma: mpfr_gamma(r, x, MPFR_RNDN); return fabs(a) < 300;
    case SIM_MATH_rsqrt: mpfr_rec_sqrt(r, x, MPFR_RNDN); return a > 0;
    case SIM_MATH_sinpi:
    case SIM_MATH_cospi:
    case SIM_MATH_tanpi:
        /* Multiples of a quarter turn are special cases. */
        if (!isfinite(a) || 2 * a == rint(2 * a) || fabs(a) > 1e9) return false;
        mpfr_mul(x, x, pi, MPFR_RNDN);
        if (function == SIM_MATH_sinpi) mpfr_sin(r, x, MPFR_RNDN);
        if (function == SIM_MATH_cospi) mpfr_cos(r, x, MPFR_RNDN);
        if (function == SIM_MATH_tanpi) mpfr_tan(r, x, MPFR_RNDN);
        return true;
    case SIM_MATH_fdim: mpfr_dim(r, x, y, MPFR_RNDN); return true;
    case SIM_MATH_fmod: mpfr_fmod(r, x, y, MPFR_RNDN); return true;
    case SIM_MATH_remainder: mpfr_remainder(r, x, y, MPFR_RNDN); return true;
    case SIM_MATH_atan2: mpfr_atan2(r, x, y, MPFR_RNDN); return true;
    case SIM_MATH_hypot: mpfr_hypot(r, x, y, MPFR_RNDN); return true;
    case SIM_MATH_pow:
    case SIM_MATH_pown: mpfr_pow(r, x, y, MPFR_RNDN); return true;
    case SIM_MATH_powr: mpfr_pow(r, x, y, MPFR_RNDN); return a > 0 && isfinite(a) && isfinite(b);
    case SIM_MATH_rootn:
        if (a <= 0 || b == 0 || !isfinite(a)) return false;
        mpfr_ui_div(y, 1, y, MPFR_RNDN);
        mpfr_pow(r, x, y, MPFR_RNDN);
        return true;
    default: return false;
    }
    mpfr_div(r, r, pi, MPFR_RNDN);
    return true;
}

static uint64_t seed = 42;

static uint64_t draw(void)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    uint64_t x = seed;
    return (x ^ x >> 32) * UINT64_C(0x9e3779b97f4a7c15);
}

static double draw_size(void)
{
    return (double)(draw() >> 11) * 0x1p-53;
}

/* Draws a number of a random kind: any bits, around 1, within +-1, within +-40, within +-200, or a
 * multiple of 1/4. */
static double draw_operand(bool is_float)
{
    double v;
    uint64_t bits = draw();
    double side = bits & 1 ? -1 : 1;
    switch (bits >> 8 & 7) {
    case 0:
    case 1:
        if (is_float) {
            uint32_t narrow = (uint32_t)(bits >> 16);
            float f;
            memcpy(&f, &narrow, sizeof f);
            return (double)f;
        }
        bits = draw();
        memcpy(&v, &bits, sizeof v);
        return v;
    case 2: v = 1 + side * draw_size() * 0x1p-4; break;
    case 3:
    case 4: v = side * draw_size(); break;
    case 5: v = side * draw_size() * 200; break;
    case 6: v = side * rint(draw_size() * 64) / 4; break;
    default: v = side * draw_size() * 40; break;
    }
    return is_float ? (double)(float)v : v;
}

static const double edges[] = {
    0,       -0.0,    1,        -1,        0.5,      -0.5,    2,
    -2,      3,       0x1p-149, -0x1p-149, 0x1p-126, 0x1p127, 0x1.fffffep127,
    0x1p-24, 88.7228, 89,       -103.97,   -104,     1e-10,   1e10};
#define EDGES (sizeof edges / sizeof edges[0])

static bool takes_integer(sim_math function)
{
    return function == SIM_MATH_pown || function == SIM_MATH_rootn;
}

static void check_one(sim_math function, double a, double b, bool is_float)
{
    MPFR_DECL_INIT(r, 320);
    if (is_float) a = (double)(float)a;
    if (takes_integer(function)) {
        b = isfinite(b) ? rint(b) : 3;
        if (fabs(b) > INT_MAX) b = copysign(INT_MAX, b);
    } else if (is_float) {
        b = (double)(float)b;
    }
    if (!oracle(function, a, b, r)) return;
    double want = is_float ? (double)mpfr_get_flt(r, MPFR_RNDN) : mpfr_get_d(r, MPFR_RNDN);
    double got = is_float ? float_of(function, a, b) : double_of(function, a, b);
    if (is_float && function <= SIM_MATH_rootn) {
        /* The library's result, which decides for most floats, must be that of MPFR. */
        double exact = sim_math_exact(function, a, b, true);
        if (!is_equal(want, exact)) got = exact;
    }
    if (is_equal(want, got)) return;
    fail_msg("%s(%a, %a) of %s: got %a, expected %a", names[function], a, b,
             is_float ? "float" : "double", got, want);
}

static bool has_two(sim_math function)
{
    return function >= SIM_MATH_atan2;
}

static void check_function(sim_math function, bool is_float, uint32_t count)
{
    for (size_t i = 0; i < EDGES; i++) {
        for (size_t k = 0; k < (has_two(function) ? EDGES : 1); k++) {
            check_one(function, edges[i], edges[k], is_float);
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        double a = draw_operand(is_float), b = draw_operand(is_float);
        if (has_two(function) && i % 2) a = fabs(a);
        check_one(function, a, b, is_float);
    }
}

/* Checks a double in a row as well, where a pair of doubles decides for most. */
static void check_double(sim_math function, double a)
{
    double row[16], out[16];
    for (int i = 0; i < 16; i++)
        row[i] = a;
    check_one(function, a, 0, false);
    sim_math_rows_double_base(function, &(sim_math_lanes){16, NULL, row, NULL, out});
    assert_true(is_equal(out[15], double_of(function, a, 0)));
}

/* Numbers whose result is so close to a tie that one with more bits, rounded again, gives the wrong
 * one: floats below 2^-53 of it, doubles below 2^-76. */
static void test_hard_cases(void **state)
{
    (void)state;
    check_one(SIM_MATH_log, 0x1.b121a6p+76, 0, true);
    check_one(SIM_MATH_log, 0x1.6351d8p+95, 0, true);
    check_one(SIM_MATH_sin, 0x1.33333p+13, 0, true);
    check_one(SIM_MATH_asinh, 0x1.bacb4ap+24, 0, true);
    check_double(SIM_MATH_exp, 0x1.b7bc9968da51ap+4);
    check_double(SIM_MATH_exp2, 0x1.9557da3582344p+3);
    check_double(SIM_MATH_exp10, 0x1.1426d0de4fe8ap+4);
    check_double(SIM_MATH_log, 0x1.6bf0303cf36a3p+0);
    check_double(SIM_MATH_log2, 0x1.b6c0931c9caabp+3);
    check_double(SIM_MATH_log10, 0x1.6a2bf98aaec2bp+2);
    check_double(SIM_MATH_sin, 0x1.2581087ca3d3bp+4);
    check_double(SIM_MATH_cos, 0x1.79bf92b2f03e5p+4);
    check_double(SIM_MATH_tan, 0x1.d73d8892685d2p+2);
}

/* Rounds A * 2^scale, a number in [1, 4), to a root R * 2^-24 that is correct if the reciprocal
 * root is between the midpoints on both sides of R: (2 R - 1)^2 A < 2^(50 - scale) < (2 R + 1)^2 A.
 */
static bool rsqrt_is_right(uint32_t significand, int scale)
{
    __extension__ typedef unsigned __int128 wide;
    float a = ldexpf((float)significand, scale), root = sim_rsqrt_in_double(a);
    if (root != sim_rsqrt_fused(a)) return false;
    uint64_t twice = (uint64_t)ldexpf(root, 25);
    wide one = (wide)1 << (50 - scale);
    return (wide)(twice - 1) * (twice - 1) * significand < one &&
           one < (wide)(twice + 1) * (twice + 1) * significand;
}

/* All significands, with an even and an odd exponent, and all pairs of exponents. */
static void test_rsqrt(void **state)
{
    (void)state;
    uint32_t wrong = 0;
    for (uint32_t significand = 1u << 23; significand < 1u << 24; significand++)
        if (!rsqrt_is_right(significand, -23) || !rsqrt_is_right(significand, -22)) wrong++;
    assert_int_equal(wrong, 0);
    for (int k = -74; k < 64; k++) {
        for (uint32_t i = 0; i < 64; i++) {
            float a = ldexpf((float)(1 + i), -6 - 2 * (i > 2)), scaled = ldexpf(a, 2 * k);
            if (ldexpf(scaled, -2 * k) != a) continue; /* a denormal with fewer bits, or infinity */
            assert_true(sim_rsqrt_float(scaled) == ldexpf(sim_rsqrt_float(a), -k));
        }
    }
    assert_true(sim_rsqrt_float(0.0f) == INFINITY && sim_rsqrt_float(-0.0f) == -INFINITY);
    assert_true(sim_rsqrt_float(INFINITY) == 0.0f && isnan(sim_rsqrt_float(NAN)));
    assert_true(isnan(sim_rsqrt_float(-INFINITY)) && isnan(sim_rsqrt_float(-0x1p-149f)));
}

static void test_floats(void **state)
{
    (void)state;
    for (int f = 0; f < SIM_MATH_COUNT; f++)
        check_function((sim_math)f, true, 3000);
}

static void test_doubles(void **state)
{
    (void)state;
    for (int f = 0; f < SIM_MATH_COUNT; f++)
        check_function((sim_math)f, false, 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_special_cases), cmocka_unit_test(test_formats),
        cmocka_unit_test(test_lanes),         cmocka_unit_test(test_floats),
        cmocka_unit_test(test_doubles),       cmocka_unit_test(test_hard_cases),
        cmocka_unit_test(test_rows),          cmocka_unit_test(test_rows_of_doubles),
        cmocka_unit_test(test_rsqrt),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
