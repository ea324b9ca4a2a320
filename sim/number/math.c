/* Functions over lanes: computed in double by the host's library if that determines the float,
 * otherwise by math_exact.c.  Functions that need no rounding are implemented here. */
#include "sim/number/math.h"

#include "reference/base/check.h"

#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

/* ---- Rounded functions, approximated in double ---------------------------------------------- */

/* clang-format off */
#define LIBRARY_1(X) \
    X(acos) X(acosh) X(asin) X(asinh) X(atan) X(atanh) X(cbrt) X(cos) X(cosh) X(erf) X(erfc) \
    X(exp) X(exp2) X(exp10) X(expm1) X(log) X(log2) X(log10) X(log1p) X(sin) X(sinh) X(tan) \
    X(tanh) X(tgamma)
/* clang-format on */

#define NEAR_1(function)                                                                           \
    static double near_##function(double a, double b)                                              \
    {                                                                                              \
        (void)b;                                                                                   \
        return function(a);                                                                        \
    }
LIBRARY_1(NEAR_1)

/* Uses lgamma_r, because lgamma writes a global variable. */
static double near_lgamma(double a, double b)
{
    int sign;
    (void)b;
    return lgamma_r(a, &sign);
}

static double near_rsqrt(double a, double b)
{
    (void)b;
    return 1 / sqrt(a);
}

#define OVER_PI(function, of)                                                                      \
    static double near_##function(double a, double b)                                              \
    {                                                                                              \
        (void)b;                                                                                   \
        return of(a) / M_PI;                                                                       \
    }
OVER_PI(acospi, acos)
OVER_PI(asinpi, asin)
OVER_PI(atanpi, atan)

static double near_atan2pi(double a, double b)
{
    return atan2(a, b) / M_PI;
}

/* Splits pi * a into a number of quarter turns (returned, modulo whole turns) and a remaining angle
 * of at most pi / 4 either way. Everything is exact except the product with pi. */
static int quarter_turns(double a, double *out_angle)
{
    double turn = fmod(a, 2), quarters = rint(2 * turn);
    *out_angle = (turn - quarters / 2) * M_PI;
    return (int)quarters;
}

static double near_sinpi(double a, double b)
{
    double angle;
    (void)b;
    if (!isfinite(a)) return (double)NAN;
    int quarters = quarter_turns(a, &angle);
    bool is_integer = angle == 0 && quarters % 2 == 0;
    if (is_integer) return copysign(0, a);
    double size = quarters & 1 ? cos(angle) : sin(angle);
    return quarters & 2 ? -size : size;
}

static double near_cospi(double a, double b)
{
    double angle;
    (void)b;
    if (!isfinite(a)) return (double)NAN;
    int quarters = quarter_turns(a, &angle);
    if (angle == 0 && quarters & 1) return 0;
    double size = quarters & 1 ? sin(angle) : cos(angle);
    return (quarters + 1) & 2 ? -size : size;
}

static double near_tanpi(double a, double b)
{
    double angle;
    (void)b;
    if (!isfinite(a)) return (double)NAN;
    int quarters = quarter_turns(a, &angle);
    if (angle == 0 && quarters & 1) return copysign((double)INFINITY, quarters & 2 ? -1 : 1);
    if (angle == 0) return copysign(0, quarters & 2 ? -a : a);
    return quarters & 1 ? -1 / tan(angle) : tan(angle);
}

static double near_powr(double a, double b)
{
    bool is_wrong = isnan(a) || isnan(b) || a < 0 || (a == 0 && b == 0) || (isinf(a) && b == 0) ||
                    (a == 1 && isinf(b));
    return is_wrong ? (double)NAN : pow(fabs(a), b);
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

typedef struct math_row {
    math_function *narrow; /* for float */
    math_function *wide;   /* for double; NULL: rounded, and `narrow` has an error below 2^-40 */
    bool takes_integer;    /* b */
    bool gives_integer;
} math_row;

/* Library functions of two doubles are listed here directly; the others have wrappers that ignore
 * their second operand. */
static const math_row rows[SIM_MATH_COUNT] = {
#define ROUNDED(f)     [SIM_MATH_##f] = {near_##f, NULL, false, false},
#define DIRECT(f, ...) [SIM_MATH_##f] = {direct_##f, direct_##f, __VA_ARGS__},
    SIM_MATH_ROUNDED_1(ROUNDED)
        /* clang-format off */
    [SIM_MATH_atan2] = {atan2, NULL, false, false},
    ROUNDED(atan2pi)
    [SIM_MATH_hypot] = {hypot, NULL, false, false},
    [SIM_MATH_pow] = {pow, NULL, false, false},
    ROUNDED(powr)
    [SIM_MATH_pown] = {pow, NULL, true, false},
    [SIM_MATH_rootn] = {near_rootn, NULL, true, false},
    DIRECT(fdim, false, false)
    [SIM_MATH_fmod] = {fmod, fmod, false, false},
    [SIM_MATH_fract] = {direct_fract_float, direct_fract, false, false},
    DIRECT(frexp, false, false)
    DIRECT(logb, false, false)
    DIRECT(maxmag, false, false)
    DIRECT(minmag, false, false)
    DIRECT(modf, false, false)
    [SIM_MATH_nextafter] = {direct_nextafter_float, nextafter, false, false},
    [SIM_MATH_remainder] = {remainder, remainder, false, false},
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
    double result = row->wide ? row->wide(a, b) : sim_math_exact(function, a, b, false);
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
