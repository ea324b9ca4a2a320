/* Correct rounding with MPFR: the function is computed with more bits than any format has, rounding
 * towards zero, and the last bit is set if the result was truncated.  Rounding this value to a
 * format, with its subnormal numbers, gives the same as rounding the exact result.  Source: OpenCL
 * C specification, "Edge Case Behavior"; MPFR 4.2 manual, section 5.6. */
#include "reference/base/check.h"
#include "sim/number/math.h"

#include <float.h>
#include <math.h>
#include <mpfr.h>

#define BITS 64 /* double has 53 */
_Static_assert(BITS >= DBL_MANT_DIG + 2, "a bit to round by, and one for what was truncated");

typedef int exact_function(mpfr_t result, const mpfr_t a, const mpfr_t b);

/* clang-format off */
#define SAME_NAME_1(X) \
    X(acos) X(acosh) X(acospi) X(asin) X(asinh) X(asinpi) X(atan) X(atanh) X(atanpi) X(cbrt) \
    X(cos) X(cosh) X(cospi) X(erf) X(erfc) X(exp) X(exp2) X(exp10) X(expm1) X(log) X(log2) \
    X(log10) X(log1p) X(sin) X(sinh) X(sinpi) X(tan) X(tanh) X(tanpi)
/* clang-format on */
#define EXACT_1(function)                                                                          \
    static int exact_##function(mpfr_t result, const mpfr_t a, const mpfr_t b)                     \
    {                                                                                              \
        (void)b;                                                                                   \
        return mpfr_##function(result, a, MPFR_RNDZ);                                              \
    }
SAME_NAME_1(EXACT_1)

#define EXACT_2(function)                                                                          \
    static int exact_##function(mpfr_t result, const mpfr_t a, const mpfr_t b)                     \
    {                                                                                              \
        return mpfr_##function(result, a, b, MPFR_RNDZ);                                           \
    }
EXACT_2(atan2)
EXACT_2(atan2pi)
EXACT_2(hypot)
EXACT_2(pow)

/* The result must be NaN for a NaN exponent, but MPFR returns powr(1, NaN) = 1. */
static int exact_powr(mpfr_t result, const mpfr_t a, const mpfr_t b)
{
    if (!mpfr_nan_p(b)) return mpfr_powr(result, a, b, MPFR_RNDZ);
    mpfr_set_nan(result);
    return 0;
}

static int exact_lgamma(mpfr_t result, const mpfr_t a, const mpfr_t b)
{
    int sign;
    (void)b;
    return mpfr_lgamma(result, &sign, a, MPFR_RNDZ);
}

/* Far below zero the result is 0 in every format, and MPFR would take minutes to find out. */
static int exact_tgamma(mpfr_t result, const mpfr_t a, const mpfr_t b)
{
    (void)b;
    if (!mpfr_number_p(a) || mpfr_integer_p(a) || mpfr_cmp_si(a, -1000) > 0) {
        return mpfr_gamma(result, a, MPFR_RNDZ);
    }
    bool is_negative = fmod(floor(mpfr_get_d(a, MPFR_RNDN)), 2) != 0;
    mpfr_set_zero(result, is_negative ? -1 : 1);
    return is_negative ? 1 : -1;
}

/* rsqrt(-0) is -infinity, but MPFR returns +infinity. */
static int exact_rsqrt(mpfr_t result, const mpfr_t a, const mpfr_t b)
{
    (void)b;
    int ternary = mpfr_rec_sqrt(result, a, MPFR_RNDZ);
    return mpfr_zero_p(a) ? mpfr_copysign(result, result, a, MPFR_RNDZ) : ternary;
}

static int exact_pown(mpfr_t result, const mpfr_t a, const mpfr_t b)
{
    return mpfr_pow_si(result, a, mpfr_get_si(b, MPFR_RNDZ), MPFR_RNDZ);
}

static int exact_rootn(mpfr_t result, const mpfr_t a, const mpfr_t b)
{
    return mpfr_rootn_si(result, a, mpfr_get_si(b, MPFR_RNDZ), MPFR_RNDZ);
}

static exact_function *const functions[] = {
#define EXACT_ROW(function) [SIM_MATH_##function] = exact_##function,
    SIM_MATH_ROUNDED(EXACT_ROW)
#undef EXACT_ROW
};

double sim_math_exact(sim_math function, double a, double b, bool to_float)
{
    CHECK(function < sizeof functions / sizeof functions[0]);
    MPFR_DECL_INIT(in_a, 53);
    MPFR_DECL_INIT(in_b, 53);
    MPFR_DECL_INIT(result, BITS);
    mpfr_set_d(in_a, a, MPFR_RNDN);
    mpfr_set_d(in_b, b, MPFR_RNDN);
    int ternary = functions[function](result, in_a, in_b);
    if (mpfr_nan_p(result)) return (double)NAN;
    CHECK(mpfr_get_prec(result) == BITS);
    if (ternary != 0 && !(mpfr_regular_p(result) && mpfr_min_prec(result) == BITS)) {
        /* Sets the last bit to record that the result was truncated (a sticky bit). */
        if (mpfr_signbit(result)) {
            mpfr_nextbelow(result);
        } else {
            mpfr_nextabove(result);
        }
    }
    return to_float ? (double)mpfr_get_flt(result, MPFR_RNDN) : mpfr_get_d(result, MPFR_RNDN);
}

void sim_math_thread_end(void)
{
    mpfr_free_cache();
}
