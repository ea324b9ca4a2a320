/* Functions over lanes: computed by the host's library in a type with more bits if that determines
 * the result, otherwise by math_exact.c.  Functions that need no rounding are implemented here. */
#include "sim/number/math.h"

#include "reference/base/check.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

/* ---- Rounded functions, approximated --------------------------------------------------------- */

/* clang-format off */
#define LIBRARY_1(X) \
    X(acos) X(acosh) X(asin) X(asinh) X(atan) X(atanh) X(cbrt) X(cos) X(cosh) X(erf) X(erfc) \
    X(exp) X(exp2) X(exp10) X(expm1) X(log) X(log2) X(log10) X(log1p) X(sin) X(sinh) X(tan) \
    X(tanh) X(tgamma)
/* clang-format on */

#define REAL       double
#define LIBRARY(f) f
#define NEAR(f)    near_##f
#include "sim/number/math_near.inc"
/* x86-64's long double has 11 bits more than double; elsewhere it is double, or slower than MPFR.
 */
#if LDBL_MANT_DIG == 64
#define REAL       long double
#define LIBRARY(f) f##l
#define NEAR(f)    long_##f
#include "sim/number/math_near.inc"
#define LONG(f) long_##f
#else
#define LONG(f) NULL
#endif

/* Uses lgamma_r, because lgamma writes a global variable. */
static double near_lgamma(double a, double b)
{
    int sign;
    (void)b;
    return lgamma_r(a, &sign);
}

/* b is an integer; the error of 1 / b, times the logarithm of a, stays far below the margin. */
static double near_rootn(double a, double b)
{
    bool is_odd = fmod(b, 2) != 0;
    if (b == 0 || (a < 0 && !is_odd)) return (double)NAN;
    double size = pow(fabs(a), 1 / b);
    return is_odd ? copysign(size, a) : size;
}

/* True if every number within a relative error of 2^-40 rounds to the same float. */
static inline bool is_decided(double near)
{
    if (!(fabs(near) < 0x1p200)) return true; /* rounds to infinity either way, or is NaN */
    double margin = near * 0x1p-40;
    return (float)(near - margin) == (float)(near + margin);
}

/* True if every number within a relative error of 2^-59 rounds to the same double, `*out`.
 * Valgrind computes with 53 bits; there, nothing is decided. */
static inline bool is_decided_double(long double near, double *out)
{
    volatile long double one = 1;
    long double margin = near * 0x1p-59L;
    *out = (double)(near + margin);
    return one + 0x1p-60L != 1 && *out == (double)(near - margin);
}

/* ---- Functions that need no rounding -------------------------------------------------------- */

/* For floats these are computed in double: rounding the sum of two floats to double and then to
 * float equals a single rounding, since double has more than twice the bits. */
static double direct_fdim(double a, double b)
{
    return isnan(a) || isnan(b) ? (double)NAN : a > b ? a - b : 0;
}

/* The rounded fraction, or `below`, the largest number below 1, if rounding reached 1. */
static double fraction(double a, double rounded, double below)
{
    if (isinf(a) || a == 0) return copysign(0, a);
    return rounded < 1 ? rounded : isnan(a) ? a : below;
}

static double direct_fract(double a, double b)
{
    (void)b;
    return fraction(a, a - floor(a), 1 - 0x1p-53);
}

static double direct_fract_float(double a, double b)
{
    (void)b;
    return fraction(a, (double)(float)(a - floor(a)), 1 - 0x1p-24);
}

static double direct_frexp(double a, double b)
{
    int exponent;
    (void)b;
    return frexp(a, &exponent);
}

static double direct_exponent(double a, double b)
{
    int exponent = 0;
    (void)b;
    if (isfinite(a)) frexp(a, &exponent);
    return exponent;
}

static double direct_logb(double a, double b)
{
    (void)b;
    return logb(a);
}

/* OpenCL C defines FP_ILOGB0 as INT_MIN and FP_ILOGBNAN as INT_MAX. */
static double direct_ilogb(double a, double b)
{
    (void)b;
    return a == 0 ? INT_MIN : isfinite(a) ? ilogb(a) : INT_MAX;
}

static double direct_maxmag(double a, double b)
{
    double size_a = fabs(a), size_b = fabs(b);
    if (size_a != size_b && !isnan(a) && !isnan(b)) return size_a > size_b ? a : b;
    return isnan(b) || a > b ? a : b;
}

static double direct_minmag(double a, double b)
{
    double size_a = fabs(a), size_b = fabs(b);
    if (size_a != size_b && !isnan(a) && !isnan(b)) return size_a < size_b ? a : b;
    return isnan(b) || a < b ? a : b;
}

static double direct_modf(double a, double b)
{
    (void)b;
    return copysign(isinf(a) ? 0 : a - trunc(a), a);
}

static double direct_nextafter_float(double a, double b)
{
    return (double)nextafterf((float)a, (float)b);
}

/* A float result is rounded only once: where even the double is rounded, the float is 0. */
static double direct_ldexp(double a, double b)
{
    return scalbn(a, (int)b);
}

/* 0 at a pole of gamma, otherwise the sign of gamma. */
static double direct_gamma_sign(double a, double b)
{
    (void)b;
    if (isnan(a) || isinf(a) || a > 0) return 1;
    if (a == floor(a)) return 0;
    return fmod(floor(a), 2) == 0 ? 1 : -1;
}

/* The low seven bits of the quotient that belongs to remainder(a, b), with the quotient's sign. */
static double direct_quotient(double a, double b)
{
    if (isnan(a) || isnan(b) || isinf(a) || b == 0 || isinf(b)) return 0;
    double sign = copysign(1, a) * copysign(1, b);
    a = fabs(a);
    b = fabs(b);
    if (b > 0x1p900) {
        /* Makes room for 128 b; a loses bits only if the quotient is 0. */
        a *= 0x1p-200;
        b *= 0x1p-200;
    }
    a = fmod(a, 128 * b);
    /* The error is too small to reach the next integer. */
    double quotient = rint((a - remainder(a, b)) / b);
    return sign * fmod(quotient, 128);
}

/* ---- The table ------------------------------------------------------------------------------ */

typedef double math_function(double a, double b);
typedef long double math_long_function(long double a, long double b);

typedef struct math_row {
    math_function *narrow; /* for float */
    math_function *wide;   /* for double; NULL: rounded, and `narrow` has an error below 2^-40 */
    math_long_function *longer; /* rounded, with an error below 2^-59; NULL: none */
    bool takes_integer;         /* b */
    bool gives_integer;
} math_row;

static const math_row rows[SIM_MATH_COUNT] = {
#define ROUNDED(f)     [SIM_MATH_##f] = {near_##f, NULL, LONG(f), false, false},
#define DIRECT(f, ...) [SIM_MATH_##f] = {direct_##f, direct_##f, NULL, __VA_ARGS__},
#define long_lgamma    NULL /* its error is not bounded near its zeros */
    SIM_MATH_ROUNDED_1(ROUNDED) SIM_MATH_ROUNDED_2(ROUNDED)
        /* clang-format off */
    [SIM_MATH_pown] = {near_pow, NULL, LONG(pow), true, false},
    [SIM_MATH_rootn] = {near_rootn, NULL, NULL, true, false}, /* 1 / b is not exact enough */
    DIRECT(fdim, false, false)
    [SIM_MATH_fmod] = {fmod, fmod, NULL, false, false},
    [SIM_MATH_fract] = {direct_fract_float, direct_fract, NULL, false, false},
    DIRECT(frexp, false, false)
    DIRECT(logb, false, false)
    DIRECT(maxmag, false, false)
    DIRECT(minmag, false, false)
    DIRECT(modf, false, false)
    [SIM_MATH_nextafter] = {direct_nextafter_float, nextafter, NULL, false, false},
    [SIM_MATH_remainder] = {remainder, remainder, NULL, false, false},
    DIRECT(ldexp, true, false)
    DIRECT(ilogb, false, true)
    DIRECT(exponent, false, true)
    DIRECT(gamma_sign, false, true)
    DIRECT(quotient, false, true)
    /* clang-format on */
};

_Static_assert(sizeof(int) == 4, "results of ilogb are ints of OpenCL C");
_Static_assert(SIM_MATH_COUNT <= UINT16_MAX, "a function fits in an operation");

/* ---- Lanes ---------------------------------------------------------------------------------- */

static inline float one_float(sim_math function, const math_row *row, double a, double b)
{
    double result = row->narrow(a, b);
    if (!row->wide && !is_decided(result)) result = sim_math_exact(function, a, b, true);
    return isnan(result) ? NAN : (float)result;
}

static inline double one_double(sim_math function, const math_row *row, double a, double b)
{
    double result;
    if (row->wide) {
        result = row->wide(a, b);
    } else if (!row->longer || !is_decided_double(row->longer(a, b), &result)) {
        result = sim_math_exact(function, a, b, false);
    }
    return isnan(result) ? (double)NAN : result;
}

#define SIM_MATH_LANES sim_math_float
#define MATH_OF_ONE    one_float
#define FLOAT          float
#define INTEGER        int32_t
#include "sim/number/math_lanes.inc"
#define SIM_MATH_LANES sim_math_double
#define MATH_OF_ONE    one_double
#define FLOAT          double
#define INTEGER        int64_t
#include "sim/number/math_lanes.inc"
