/* Functions of doubles over rows of lanes: the frequent ones are approximated here, for eight lanes
 * at once, by pairs of doubles whose sum is the result. An approximation has a relative error below
 * 2^-65, so a result that it decides is the correctly rounded one; lanes that it does not decide,
 * one in about a thousand, and those whose operands are not ordinary, are left to number/math.c.
 *
 * The series are Taylor's. Their first terms are pairs; from where a term is below 2^-17 of the
 * sum, the sum of the rest is a double. The first term that is left out is below 2^-70 of the sum.
 * That of expm1_of is better by 2^-10, because pow multiplies logarithms by numbers up to that
 * size.
 *
 * Source for sums and products of pairs: Dekker, "A floating-point technique for extending the
 * available precision", 1971. */
#include "sim/exec/math_vectors.h"

#include <string.h>

typedef struct pair {
    doubles high, low; /* |low| is at most half a unit in the last place of high */
} pair;

/* ---- Sums and products ---------------------------------------------------------------------- */

/* The exact sum of two numbers of which the first is the larger, or 0. */
static ALWAYS pair ordered_sum(doubles a, doubles b)
{
    doubles sum = a + b;
    return (pair){sum, b - (sum - a)};
}

/* The exact sum of two numbers. */
static ALWAYS pair sum_of(doubles a, doubles b)
{
    doubles sum = a + b, from_b = sum - a;
    return (pair){sum, (a - (sum - from_b)) + (b - from_b)};
}

#ifdef __FMA__
static ALWAYS doubles product_error(doubles a, doubles b, doubles product)
{
    double x[NEAR_LANES], y[NEAR_LANES], xy[NEAR_LANES];
    memcpy(x, &a, sizeof x);
    memcpy(y, &b, sizeof y);
    memcpy(xy, &product, sizeof xy);
    CHUNK_LANES for (uint32_t i = 0; i < NEAR_LANES; i++) x[i] = __builtin_fma(x[i], y[i], -xy[i]);
    memcpy(&a, x, sizeof a);
    return a;
}
#else
/* The upper 26 bits of a number: products of two such halves are exact. */
static ALWAYS doubles upper_half(doubles a)
{
    doubles scaled = a * 0x1.0000002p27;
    return scaled - (scaled - a);
}
static ALWAYS doubles product_error(doubles a, doubles b, doubles product)
{
    doubles a1 = upper_half(a), a2 = a - a1, b1 = upper_half(b), b2 = b - b1;
    return ((a1 * b1 - product) + a1 * b2 + a2 * b1) + a2 * b2;
}
#endif

/* The exact product of two numbers. */
static ALWAYS pair product_of(doubles a, doubles b)
{
    doubles product = a * b;
    return (pair){product, product_error(a, b, product)};
}

static ALWAYS pair pair_times(pair a, pair b)
{
    pair product = product_of(a.high, b.high);
    return ordered_sum(product.high, product.low + (a.high * b.low + a.low * b.high));
}

/* The numbers must not nearly cancel each other. */
static ALWAYS pair pair_plus(pair a, pair b)
{
    pair sum = sum_of(a.high, b.high);
    return ordered_sum(sum.high, sum.low + (a.low + b.low));
}

static ALWAYS pair pair_over(pair a, pair b)
{
    doubles quotient = a.high / b.high;
    pair product = product_of(quotient, b.high);
    doubles rest = ((a.high - product.high) - product.low) + (a.low - quotient * b.low);
    return ordered_sum(quotient, rest / b.high);
}

typedef struct constant {
    double high, low;
} constant;

static ALWAYS pair pair_of(constant c)
{
    return (pair){all(c.high), all(c.low)};
}

/* first[0] + x (first[1] + x (… + x rest)) */
static ALWAYS pair series(pair x, const constant *first, uint32_t count, doubles rest)
{
    pair sum = {rest, all(0)};
    while (count-- > 0)
        sum = pair_plus(pair_of(first[count]), pair_times(x, sum));
    return sum;
}

/* Reciprocals of factorials. */
#define OVER_3 0x1.5555555555555p-3, 0x1.5555555555555p-57
#define OVER_4 0x1.5555555555555p-5, 0x1.5555555555555p-59
#define OVER_5 0x1.1111111111111p-7, 0x1.1111111111111p-63
#define OVER_6 0x1.6c16c16c16c17p-10, -0x1.f49f49f49f49fp-65
#define OVER_7 0x1.a01a01a01a01ap-13, 0x1.a01a01a01a01ap-73

/* ---- Powers --------------------------------------------------------------------------------- */

/* e^r - 1 for |r| < 0.35 */
static ALWAYS pair expm1_of(pair r)
{
    static const constant first[] = {{1, 0},   {0.5, 0}, {OVER_3}, {OVER_4},
                                     {OVER_5}, {OVER_6}, {OVER_7}};
    static const double rest[] = {1.0 / 40320,
                                  1.0 / 362880,
                                  1.0 / 3628800,
                                  1.0 / 39916800,
                                  1.0 / 479001600,
                                  1.0 / 6227020800,
                                  1.0 / 87178291200,
                                  1.0 / 1307674368000,
                                  1.0 / 20922789888000,
                                  1.0 / 355687428096000,
                                  1.0 / 6402373705728000,
                                  1.0 / 121645100408832000,
                                  1.0 / 2432902008176640000};
    return pair_times(r, series(r, first, 7, polynomial(r.high, rest, 13)));
}

/* 2^k e^r for |r| < 0.35 and whole numbers k, given as k + TO_INTEGER, below 900 either way. */
static ALWAYS pair scaled_exp(doubles shifted, pair r)
{
    doubles scale = power_of_2(shifted);
    pair power = pair_plus((pair){all(1), all(0)}, expm1_of(r));
    return (pair){power.high * scale, power.low * scale};
}

/* ln 2 and log10 2 in two parts, the first with so few bits that products with exponents are exact.
 */
#define LN_2_HIGH    0x1.62e42fefa38p-1
#define LN_2_LOW     0x1.ef35793c7673p-45
#define LOG10_2_HIGH 0x1.34413509f78p-2
#define LOG10_2_LOW  0x1.fef311f12b358p-46

/* e^(a.high + a.low), where a.high is ordinary. */
static ALWAYS pair exp_of(pair a)
{
    doubles shifted = a.high * 0x1.71547652b82fep+0 + TO_INTEGER, k = shifted - TO_INTEGER;
    pair left = sum_of(a.high, -k * LN_2_HIGH);
    return scaled_exp(shifted, sum_of(left.high, left.low + (a.low - k * LN_2_LOW)));
}

static ALWAYS longs is_between(doubles x, double limit)
{
    return (x > -limit) & (x < limit);
}

static ALWAYS pair if_ordinary(longs is_ordinary, pair value)
{
    return (pair){only_if(is_ordinary, value.high), value.low};
}

static ALWAYS pair near_exp(doubles x, doubles unused)
{
    (void)unused;
    return if_ordinary(is_between(x, 600), exp_of((pair){x, all(0)}));
}

static ALWAYS pair near_exp2(doubles x, doubles unused)
{
    (void)unused;
    doubles shifted = x + TO_INTEGER;
    pair whole_left = {x - (shifted - TO_INTEGER), all(0)};
    static const constant ln_2 = {0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};
    return if_ordinary(is_between(x, 800),
                       scaled_exp(shifted, pair_times(whole_left, pair_of(ln_2))));
}

static ALWAYS pair near_exp10(doubles x, doubles unused)
{
    (void)unused;
    static const constant ln_10 = {0x1.26bb1bbb55516p+1, -0x1.f48ad494ea3e9p-53};
    return if_ordinary(is_between(x, 250), exp_of(pair_times((pair){x, all(0)}, pair_of(ln_10))));
}

/* ---- Logarithms ----------------------------------------------------------------------------- */

/* ln m, where x = 2^exponent m, by a step of Newton's method: to y, an approximation of ln m, it
 * adds m e^-y - 1. */
static ALWAYS pair log_of(doubles x, doubles *out_exponent)
{
    doubles m = mantissa_near_1(x, out_exponent), y = log_near_1(m);
    pair power = expm1_of((pair){-y, all(0)}), part = product_of(m, power.high);
    return ordered_sum(y, ((m - 1) + part.high) + (part.low + m * power.low));
}

static ALWAYS pair if_normal(doubles x, pair value)
{
    return if_ordinary((x >= 0x1p-1022) & (x < (double)__builtin_inf()), value);
}

/* exponent (high + low) + part, where the product with high is exact. */
static ALWAYS pair with_exponent(doubles exponent, double high, double low, pair part)
{
    pair sum = sum_of(exponent * high, part.high);
    return ordered_sum(sum.high, sum.low + (part.low + exponent * low));
}

static ALWAYS pair natural_log(doubles x)
{
    doubles exponent;
    pair part = log_of(x, &exponent);
    return if_normal(x, with_exponent(exponent, LN_2_HIGH, LN_2_LOW, part));
}

static ALWAYS pair near_log(doubles x, doubles unused)
{
    (void)unused;
    return natural_log(x);
}

static ALWAYS pair near_log2(doubles x, doubles unused)
{
    (void)unused;
    static const constant log2_e = {0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56};
    doubles exponent;
    pair part = pair_times(log_of(x, &exponent), pair_of(log2_e));
    return if_normal(x, with_exponent(exponent, 1, 0, part));
}

static ALWAYS pair near_log10(doubles x, doubles unused)
{
    (void)unused;
    static const constant log10_e = {0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57};
    doubles exponent;
    pair part = pair_times(log_of(x, &exponent), pair_of(log10_e));
    return if_normal(x, with_exponent(exponent, LOG10_2_HIGH, LOG10_2_LOW, part));
}

/* ---- Powers of two operands, and roots ------------------------------------------------------- */

static ALWAYS pair near_pow(doubles x, doubles y)
{
    pair log = natural_log(magnitude(x)), exponent = pair_times((pair){y, all(0)}, log);
    pair size = exp_of(exponent);
    pair power = {sign_of_power(x, y, size.high), sign_of_power(x, y, size.low)};
    longs is_ordinary = has_power(x, y) & is_between(exponent.high, 600);
    return if_ordinary(is_ordinary, power);
}

/* A step of Newton's method: from r it goes to r + r (1 - x r^2) / 2. */
static ALWAYS pair near_rsqrt(doubles x, doubles unused)
{
    (void)unused;
    doubles r = 1 / root(x);
    pair square = product_of(r, r), one = product_of(x, square.high);
    doubles rest = ((1 - one.high) - one.low) - x * square.low;
    return if_ordinary((x > 0x1p-900) & (x < 0x1p900), ordered_sum(r, 0.5 * r * rest));
}

/* ---- Angles --------------------------------------------------------------------------------- */

/* Computes the sine and the cosine of what is left of x after a number of quarter turns, which is
 * returned. */
static ALWAYS bits quarter_of(doubles x, pair *out_sine, pair *out_cosine)
{
    static const constant sines[] = {{1, 0},
                                     {-0x1.5555555555555p-3, -0x1.5555555555555p-57},
                                     {OVER_5},
                                     {-0x1.a01a01a01a01ap-13, -0x1.a01a01a01a01ap-73}};
    static const double more_sines[] = {1.0 / 362880,
                                        -1.0 / 39916800,
                                        1.0 / 6227020800,
                                        -1.0 / 1307674368000,
                                        1.0 / 355687428096000,
                                        -1.0 / 121645100408832000,
                                        1.0 / 51090942171709440000.0};
    static const constant cosines[] = {
        {1, 0}, {-0.5, 0}, {OVER_4}, {-0x1.6c16c16c16c17p-10, 0x1.f49f49f49f49fp-65}};
    static const double more_cosines[] = {
        1.0 / 40320,          -1.0 / 3628800,          1.0 / 479001600,          -1.0 / 87178291200,
        1.0 / 20922789888000, -1.0 / 6402373705728000, 1.0 / 2432902008176640000};
    doubles shifted = x * 0x1.45f306dc9c883p-1 + TO_INTEGER, k = shifted - TO_INTEGER;
    /* pi / 2 in three parts; the products with the first two, of 33 bits, are exact, and so is the
     * first difference. */
    pair left = sum_of(x - k * 0x1.921fb544p+0, -k * 0x1.0b4611a6p-34);
    pair r = sum_of(left.high, left.low - k * 0x1.3198a2e037073p-69), square = pair_times(r, r);
    *out_sine = pair_times(r, series(square, sines, 4, polynomial(square.high, more_sines, 7)));
    *out_cosine = series(square, cosines, 4, polynomial(square.high, more_cosines, 7));
    return (bits)shifted - (bits)all(TO_INTEGER);
}

static ALWAYS pair pair_choose(longs condition, pair yes, pair no)
{
    return (pair){choose(condition, yes.high, no.high), choose(condition, yes.low, no.low)};
}

static ALWAYS pair pair_negated_if(bits number, int bit, pair value)
{
    return (pair){negated_if(number, bit, value.high), negated_if(number, bit, value.low)};
}

/* True for angles whose quarter turns fit in 20 bits, other than those whose sine is 0. */
static ALWAYS longs is_moderate(doubles x)
{
    return is_between(x, 0x1p20) & ((x < -0x1p-200) | (x > 0x1p-200));
}

/* The sine of an angle after a number of quarter turns. That of one more is the cosine. */
static ALWAYS pair sine_after(bits quarter, pair sine, pair cosine)
{
    return pair_negated_if(quarter, 1, pair_choose(is_odd(quarter), cosine, sine));
}

static ALWAYS pair near_sin(doubles x, doubles unused)
{
    (void)unused;
    pair sine, cosine;
    bits quarter = quarter_of(x, &sine, &cosine);
    return if_ordinary(is_moderate(x), sine_after(quarter, sine, cosine));
}

static ALWAYS pair near_cos(doubles x, doubles unused)
{
    (void)unused;
    pair sine, cosine;
    bits quarter = quarter_of(x, &sine, &cosine);
    return if_ordinary(is_between(x, 0x1p20), sine_after(quarter + 1, sine, cosine));
}

static ALWAYS pair near_tan(doubles x, doubles unused)
{
    (void)unused;
    pair sine, cosine;
    bits quarter = quarter_of(x, &sine, &cosine);
    longs has_swapped = is_odd(quarter);
    pair size =
        pair_over(pair_choose(has_swapped, cosine, sine), pair_choose(has_swapped, sine, cosine));
    return if_ordinary(is_moderate(x), pair_negated_if(quarter, 0, size));
}

/* ---- Rows ----------------------------------------------------------------------------------- */

/* Rounds the results of eight lanes; returns a bit for each lane that is decided. */
static ALWAYS uint32_t pairs_round(pair near, double *out)
{
    doubles margin = near.high * 0x1p-64;
    doubles rounded = near.high + (near.low + margin);
    longs is_decided = rounded == near.high + (near.low - margin);
    memcpy(out, &rounded, sizeof rounded);
    return bits_of(__builtin_convertvector(is_decided, lane_bytes));
}

/* Stores the results of a chunk's active lanes. */
static ALWAYS void chunk_finish(sim_math function, const sim_math_lanes *lanes, uint32_t c,
                                const pair *near)
{
    double results[SIM_CHUNK], *out = (double *)lanes->out + c;
    uint32_t active = lanes->mask ? sim_chunk_active(lanes->mask + c) : SIM_CHUNK_ALL;
    uint32_t decided = 0;
    for (uint32_t h = 0; h < HALVES; h++)
        decided |= pairs_round(near[h], results + h * NEAR_LANES) << h * NEAR_LANES;
    for (uint32_t left = active & ~decided; left; left &= left - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(left);
        const double *a = (const double *)lanes->a + c + i;
        const double *b = lanes->b ? (const double *)lanes->b + c + i : NULL;
        sim_math_double(function, &(sim_math_lanes){1, NULL, a, b, &results[i]});
    }
    FOR_CHUNK_LANES out[i] = active >> i & 1 ? results[i] : out[i];
}

/* Applies a function to whole chunks of lanes. */
#define NEAR_ROWS(function)                                                                        \
    static void rows_##function(const sim_math_lanes *lanes)                                       \
    {                                                                                              \
        const double *a = lanes->a, *b = lanes->b;                                                 \
        for (uint32_t c = 0; c < lanes->count; c += SIM_CHUNK) {                                   \
            pair near[HALVES];                                                                     \
            for (uint32_t h = 0; h < HALVES; h++) {                                                \
                doubles x, y = {0};                                                                \
                memcpy(&x, a + c + h * NEAR_LANES, sizeof x);                                      \
                if (b) memcpy(&y, b + c + h * NEAR_LANES, sizeof y);                               \
                near[h] = near_##function(x, y);                                                   \
            }                                                                                      \
            chunk_finish(SIM_MATH_##function, lanes, c, near);                                     \
        }                                                                                          \
    }
/* clang-format off */
#define NEAR_FUNCTIONS(X) \
    X(exp) X(exp2) X(exp10) X(log) X(log2) X(log10) X(pow) X(rsqrt) X(sin) X(cos) X(tan)
/* clang-format on */
NEAR_FUNCTIONS(NEAR_ROWS)

typedef void rows_function(const sim_math_lanes *lanes);
#define NEAR_ENTRY(function) [SIM_MATH_##function] = rows_##function,
static rows_function *const near_rows[SIM_MATH_COUNT] = {NEAR_FUNCTIONS(NEAR_ENTRY)};

void SIM_NAME(sim_math_rows_double)(sim_math function, const sim_math_lanes *lanes)
{
    CHECK(function < SIM_MATH_COUNT && lanes->count % SIM_CHUNK == 0);
    if (near_rows[function]) {
        near_rows[function](lanes);
    } else {
        sim_math_double(function, lanes);
    }
}
