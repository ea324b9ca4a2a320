/* Functions of floats over rows of lanes: the frequent ones are approximated here, for eight lanes
 * at once, in double. Like the C library's in number/math.c, an approximation has a relative error
 * below 2^-41, so a result that it decides is the correctly rounded one; lanes that it does not
 * decide, and those whose operands are not ordinary, are left to number/math.c.
 *
 * The series are Taylor's. Their lengths follow from the range of the reduced argument: the first
 * term that is left out is below 2^-44 of the sum, and below 2^-49 in the logarithm, which pow
 * multiplies by up to 128. */
#include "sim/exec/math_vectors.h"

#include <math.h>
#include <string.h>

typedef float floats __attribute__((vector_size(32)));
typedef int32_t words __attribute__((vector_size(32)));
_Static_assert(sizeof(floats) == NEAR_LANES * sizeof(float), "a vector of each kind");

/* ---- Powers --------------------------------------------------------------------------------- */

/* 2^k e^r for |r| < 0.35 and whole numbers k, given as k + TO_INTEGER, below 1020 either way. */
static ALWAYS doubles scaled_exp(doubles shifted, doubles r)
{
    static const double inverse_factorials[] = {
        1.0,       1.0,        1.0 / 2,     1.0 / 6,      1.0 / 24,      1.0 / 120,
        1.0 / 720, 1.0 / 5040, 1.0 / 40320, 1.0 / 362880, 1.0 / 3628800, 1.0 / 39916800};
    return polynomial(r, inverse_factorials, 12) * power_of_2(shifted);
}

/* Results beyond the limits round to infinity or 0 in float. */
static ALWAYS doubles limited(doubles x, double limit)
{
    x = choose(x > limit, all(limit), x);
    return choose(x < -limit, all(-limit), x);
}

/* Returns what is left of x, which it limits, after k times ln 2; *out_shifted is k + TO_INTEGER.
 */
static ALWAYS doubles exp_reduce(doubles x, doubles *out_shifted)
{
    x = limited(x, 700);
    *out_shifted = x * 0x1.71547652b82fep+0 + TO_INTEGER;
    doubles k = *out_shifted - TO_INTEGER;
    /* ln 2 in two parts, the first with so few bits that its product with k is exact. */
    return (x - k * 0x1.62e42fefa2p-1) - k * 0x1.9ef35793c7673p-41;
}

static ALWAYS doubles near_exp(doubles x, doubles unused)
{
    (void)unused;
    doubles shifted, r = exp_reduce(x, &shifted);
    return scaled_exp(shifted, r);
}

/* e^x - 1 */
static ALWAYS doubles expm1_of(doubles x)
{
    static const double coefficients[] = {
        1.0,        1.0 / 2,     1.0 / 6,      1.0 / 24,      1.0 / 120,      1.0 / 720,
        1.0 / 5040, 1.0 / 40320, 1.0 / 362880, 1.0 / 3628800, 1.0 / 39916800, 1.0 / 479001600};
    doubles shifted, r = exp_reduce(x, &shifted), scale = power_of_2(shifted);
    return scale * (r * polynomial(r, coefficients, 12)) + (scale - 1);
}

static ALWAYS doubles near_expm1(doubles x, doubles unused)
{
    (void)unused;
    return only_if(x != 0, expm1_of(x));
}

static ALWAYS doubles near_sinh(doubles x, doubles unused)
{
    (void)unused;
    doubles power = expm1_of(magnitude(x));
    return with_sign_of(x, 0.5 * (power + power / (power + 1)));
}

static ALWAYS doubles near_cosh(doubles x, doubles unused)
{
    doubles power = near_exp(x, unused);
    return 0.5 * (power + 1 / power);
}

static ALWAYS doubles near_tanh(doubles x, doubles unused)
{
    (void)unused;
    doubles power = expm1_of(limited(2 * x, 100));
    return only_if(x != 0, power / (power + 2));
}

static ALWAYS doubles exp2_of(doubles x)
{
    x = limited(x, 1000);
    doubles shifted = x + TO_INTEGER;
    return scaled_exp(shifted, (x - (shifted - TO_INTEGER)) * 0x1.62e42fefa39efp-1);
}

static ALWAYS doubles near_exp2(doubles x, doubles unused)
{
    (void)unused;
    return exp2_of(x);
}

static ALWAYS doubles near_exp10(doubles x, doubles unused)
{
    (void)unused;
    return exp2_of(x * 0x1.a934f0979a371p+1);
}

/* ---- Logarithms ----------------------------------------------------------------------------- */

static ALWAYS doubles near_log(doubles x, doubles unused)
{
    (void)unused;
    doubles exponent, part = log_near_1(mantissa_near_1(x, &exponent));
    return only_if(is_positive(x), exponent * 0x1.62e42fefa39efp-1 + part);
}

static ALWAYS doubles near_log2(doubles x, doubles unused)
{
    (void)unused;
    doubles exponent, part = log_near_1(mantissa_near_1(x, &exponent));
    return only_if(is_positive(x), exponent + part * 0x1.71547652b82fep+0);
}

static ALWAYS doubles near_log10(doubles x, doubles unused)
{
    (void)unused;
    doubles exponent, part = log_near_1(mantissa_near_1(x, &exponent));
    return only_if(is_positive(x), exponent * 0x1.34413509f79ffp-2 + part * 0x1.bcb7b1526e50ep-2);
}

/* The part of 1 + x that its rounding loses is added to the logarithm of the rest. */
static ALWAYS doubles near_log1p(doubles x, doubles unused)
{
    (void)unused;
    doubles sum = 1 + x, exponent, part = log_near_1(mantissa_near_1(sum, &exponent));
    doubles lost = (x - (sum - 1)) / sum;
    return only_if(is_positive(sum) & (x != 0), exponent * 0x1.62e42fefa39efp-1 + (part + lost));
}

/* A float has a finite power only if the logarithm of that is below 128 either way, so the relative
 * error of near_log2 becomes an absolute one that is small enough. */
static ALWAYS doubles near_pow(doubles x, doubles y)
{
    longs is_ordinary = has_power(x, y) & (y > -1e30) & (y < 1e30);
    return only_if(is_ordinary, sign_of_power(x, y, exp2_of(y * near_log2(magnitude(x), y))));
}

static ALWAYS doubles near_pown(doubles x, doubles y)
{
    return near_pow(x, y);
}

static ALWAYS doubles near_powr(doubles x, doubles y)
{
    return only_if(is_positive(x), near_pow(x, y));
}

static ALWAYS doubles near_cbrt(doubles x, doubles unused)
{
    doubles size = exp2_of(near_log2(magnitude(x), unused) / 3);
    return with_sign_of(x, size);
}

/* ---- Angles --------------------------------------------------------------------------------- */

/* For angles of at most an eighth of a turn. */
static ALWAYS void sine_and_cosine(doubles r, doubles *out_sine, doubles *out_cosine)
{
    static const double sines[] = {1.0,          -1.0 / 6,        1.0 / 120,       -1.0 / 5040,
                                   1.0 / 362880, -1.0 / 39916800, 1.0 / 6227020800};
    static const double cosines[] = {
        1.0,         -1.0 / 2,       1.0 / 24,        -1.0 / 720,
        1.0 / 40320, -1.0 / 3628800, 1.0 / 479001600, -1.0 / 87178291200};
    doubles square = r * r;
    *out_sine = r * polynomial(square, sines, 7);
    *out_cosine = polynomial(square, cosines, 8);
}

/* Computes the sine and the cosine of what is left of x after a number of quarter turns, which is
 * returned. */
static ALWAYS bits quarter_of(doubles x, doubles *out_sine, doubles *out_cosine)
{
    doubles shifted = x * 0x1.45f306dc9c883p-1 + TO_INTEGER, k = shifted - TO_INTEGER;
    /* pi / 2 in three parts; the products with the first two, of 33 bits, are exact. */
    doubles r = ((x - k * 0x1.921fb544p+0) - k * 0x1.0b4611a6p-34) - k * 0x1.3198a2e037073p-69;
    sine_and_cosine(r, out_sine, out_cosine);
    return (bits)shifted - (bits)all(TO_INTEGER);
}

/* True for angles whose quarter turns fit in 20 bits. */
static ALWAYS longs is_moderate(doubles x)
{
    return (x > -0x1p20) & (x < 0x1p20);
}

/* The sine of an angle after a number of quarter turns. That of one more is the cosine. */
static ALWAYS doubles sine_after(bits quarter, doubles sine, doubles cosine)
{
    return negated_if(quarter, 1, choose(is_odd(quarter), cosine, sine));
}

static ALWAYS doubles near_sin(doubles x, doubles unused)
{
    (void)unused;
    doubles sine, cosine;
    bits quarter = quarter_of(x, &sine, &cosine);
    return only_if(is_moderate(x), sine_after(quarter, sine, cosine));
}

static ALWAYS doubles near_cos(doubles x, doubles unused)
{
    (void)unused;
    doubles sine, cosine;
    bits quarter = quarter_of(x, &sine, &cosine);
    return only_if(is_moderate(x), sine_after(quarter + 1, sine, cosine));
}

static ALWAYS doubles near_tan(doubles x, doubles unused)
{
    (void)unused;
    doubles sine, cosine;
    bits quarter = quarter_of(x, &sine, &cosine);
    longs has_swapped = is_odd(quarter);
    doubles size = choose(has_swapped, cosine, sine) / choose(has_swapped, sine, cosine);
    return only_if(is_moderate(x), negated_if(quarter, 0, size));
}

/* Angles in half turns. Multiples of a quarter are left to number/math.c, for the signs of zeros.
 */
static ALWAYS bits quarter_of_half_turns(doubles x, doubles *out_sine, doubles *out_cosine)
{
    doubles shifted = 2 * x + TO_INTEGER, r = (x - 0.5 * (shifted - TO_INTEGER)) * M_PI;
    sine_and_cosine(only_if(r != 0, r), out_sine, out_cosine);
    return (bits)shifted - (bits)all(TO_INTEGER);
}

static ALWAYS doubles near_sinpi(doubles x, doubles unused)
{
    (void)unused;
    doubles sine, cosine;
    bits quarter = quarter_of_half_turns(x, &sine, &cosine);
    return only_if(is_moderate(x), sine_after(quarter, sine, cosine));
}

static ALWAYS doubles near_cospi(doubles x, doubles unused)
{
    (void)unused;
    doubles sine, cosine;
    bits quarter = quarter_of_half_turns(x, &sine, &cosine);
    return only_if(is_moderate(x), sine_after(quarter + 1, sine, cosine));
}

/* Reduces the tangent t >= 0 of an angle below a quarter turn to one of at most an eighth of pi. */
static ALWAYS doubles atan_of(doubles t)
{
    static const double odd[] = {1.0,      -1.0 / 3,  1.0 / 5,  -1.0 / 7,  1.0 / 9,  -1.0 / 11,
                                 1.0 / 13, -1.0 / 15, 1.0 / 17, -1.0 / 19, 1.0 / 21, -1.0 / 23,
                                 1.0 / 25, -1.0 / 27, 1.0 / 29, -1.0 / 31, 1.0 / 33};
    longs is_large = t > 0x1.3504f333f9de6p+1, is_small = t < 0x1.a827999fcef32p-2;
    doubles above = choose(is_large, all(-1), t - 1), below = choose(is_large, t, t + 1);
    doubles s = choose(is_small, t, above / below);
    doubles start = choose(is_large, all(M_PI_2), choose(is_small, all(0), all(M_PI_4)));
    return start + s * polynomial(s * s, odd, 17);
}

static ALWAYS doubles near_atan(doubles x, doubles unused)
{
    (void)unused;
    return with_sign_of(x, atan_of(magnitude(x)));
}

static ALWAYS doubles near_atan2(doubles y, doubles x)
{
    doubles angle = atan_of(magnitude(y) / magnitude(x));
    longs is_ordinary = (x != 0) & (y != 0);
    return only_if(is_ordinary, with_sign_of(y, choose(x < 0, M_PI - angle, angle)));
}

static ALWAYS doubles near_asin(doubles x, doubles unused)
{
    (void)unused;
    return with_sign_of(x, atan_of(magnitude(x) / root((1 - x) * (1 + x))));
}

static ALWAYS doubles near_acos(doubles x, doubles unused)
{
    (void)unused;
    return 2 * atan_of(root((1 - x) / (1 + x)));
}

static ALWAYS doubles near_hypot(doubles x, doubles y)
{
    return root(x * x + y * y);
}

/* ---- Rows ----------------------------------------------------------------------------------- */

/* Rounds the lanes of a chunk; returns a bit for each lane that is decided. The results are stored
 * as one vector: what loads them as one would wait for two. */
static ALWAYS uint32_t chunk_round(const doubles *near, float *out)
{
    uint32_t decided = 0;
    floats results[HALVES];
    for (uint32_t h = 0; h < HALVES; h++) {
        doubles margin = near[h] * 0x1p-40;
        floats low = __builtin_convertvector(near[h] - margin, floats);
        results[h] = __builtin_convertvector(near[h] + margin, floats); /* -0 stays -0 in it */
        words is_decided = low == results[h];
        decided |= bits_of(__builtin_convertvector(is_decided, lane_bytes)) << h * NEAR_LANES;
    }
    typedef float chunk __attribute__((vector_size(SIM_CHUNK * sizeof(float))));
    chunk whole = __builtin_shufflevector(results[0], results[1], 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
                                          11, 12, 13, 14, 15);
    memcpy(out, &whole, sizeof whole);
    return decided;
}

/* Applies a function to whole chunks of lanes; the second operand is of type `second`. */
#define NEAR_ROWS(function, second)                                                                \
    static void rows_##function(const sim_math_lanes *lanes)                                       \
    {                                                                                              \
        const char *b = lanes->b;                                                                  \
        for (uint32_t c = 0; c < lanes->count; c += SIM_CHUNK) {                                   \
            doubles near[HALVES];                                                                  \
            for (uint32_t h = 0; h < HALVES; h++) {                                                \
                floats x;                                                                          \
                second y = {0};                                                                    \
                memcpy(&x, (const char *)lanes->a + (c + h * NEAR_LANES) * 4, sizeof x);           \
                if (b) memcpy(&y, b + (c + h * NEAR_LANES) * 4, sizeof y);                         \
                near[h] = near_##function(__builtin_convertvector(x, doubles),                     \
                                          __builtin_convertvector(y, doubles));                    \
            }                                                                                      \
            chunk_finish(SIM_MATH_##function, lanes, c, near);                                     \
        }                                                                                          \
    }
/* Stores the results of a chunk's active lanes. */
static ALWAYS void chunk_finish(sim_math function, const sim_math_lanes *lanes, uint32_t c,
                                const doubles *near)
{
    float results[SIM_CHUNK], *out = (float *)lanes->out + c;
    uint32_t active = lanes->mask ? sim_chunk_active(lanes->mask + c) : SIM_CHUNK_ALL;
    uint32_t undecided = active & ~chunk_round(near, results);
    for (; undecided; undecided &= undecided - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(undecided);
        const float *b = lanes->b ? (const float *)lanes->b + c + i : NULL;
        sim_math_float(function,
                       &(sim_math_lanes){1, NULL, (const float *)lanes->a + c + i, b, &results[i]});
    }
    if (active == SIM_CHUNK_ALL) {
        memcpy(out, results, sizeof results);
        return;
    }
    FOR_CHUNK_LANES out[i] = active >> i & 1 ? results[i] : out[i];
}

/* clang-format off */
#define NEAR_FUNCTIONS(X) \
    X(acos, floats) X(asin, floats) X(atan, floats) X(atan2, floats) X(cbrt, floats) X(cos, floats) \
    X(cosh, floats) X(cospi, floats) X(exp, floats) X(exp2, floats) X(exp10, floats) X(expm1, floats) \
    X(hypot, floats) X(log, floats) X(log2, floats) X(log10, floats) X(log1p, floats) X(pow, floats) \
    X(pown, words) X(powr, floats) X(sin, floats) X(sinh, floats) X(sinpi, floats) X(tan, floats) \
    X(tanh, floats)
/* clang-format on */
NEAR_FUNCTIONS(NEAR_ROWS)

typedef void rows_function(const sim_math_lanes *lanes);
#define NEAR_ENTRY(function, second) [SIM_MATH_##function] = rows_##function,
static rows_function *const near_rows[SIM_MATH_COUNT] = {NEAR_FUNCTIONS(NEAR_ENTRY)};

void SIM_NAME(sim_math_rows)(sim_math function, const sim_math_lanes *lanes)
{
    CHECK(function < SIM_MATH_COUNT && lanes->count % SIM_CHUNK == 0);
    if (near_rows[function]) {
        near_rows[function](lanes);
    } else {
        sim_math_float(function, lanes);
    }
}
