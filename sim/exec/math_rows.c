/* Functions of floats over rows of lanes: the frequent ones are approximated here, for eight lanes
 * at once, in double. Like the C library's in number/math.c, an approximation has a relative error
 * below 2^-41, so a result that it decides is the correctly rounded one; lanes that it does not
 * decide, and those whose operands are not ordinary, are left to number/math.c.
 *
 * The series are Taylor's. Their lengths follow from the range of the reduced argument: the first
 * term that is left out is below 2^-44 of the sum, and below 2^-49 in the logarithm, which pow
 * multiplies by up to 128. */
#include "sim/exec/chunks.h"

#include <string.h>

enum { NEAR_LANES = 8, HALVES = SIM_CHUNK / NEAR_LANES };
typedef double doubles __attribute__((vector_size(64)));
typedef int64_t longs __attribute__((vector_size(64))); /* a condition: 0 or -1 */
typedef uint64_t bits __attribute__((vector_size(64)));
typedef float floats __attribute__((vector_size(32)));
typedef int32_t words __attribute__((vector_size(32)));
_Static_assert(sizeof(doubles) == NEAR_LANES * sizeof(double), "a vector of each kind");
_Static_assert(sizeof(floats) == NEAR_LANES * sizeof(float), "a vector of each kind");
#define ALWAYS inline __attribute__((always_inline))

static ALWAYS doubles all(double value)
{
    return (doubles){value, value, value, value, value, value, value, value};
}

/* The lanes of `yes` where the condition is -1, those of `no` where it is 0. */
static ALWAYS doubles choose(longs condition, doubles yes, doubles no)
{
    return (doubles)((condition & (longs)yes) | (~condition & (longs)no));
}

static ALWAYS longs is_odd(bits number)
{
    return (longs)(0 - (number & 1));
}

/* Makes a lane undecided unless the condition is -1. */
static ALWAYS doubles only_if(longs condition, doubles value)
{
    return (doubles)((longs)value | ~condition);
}

/* Adding this to a double below 2^51 either way rounds it to an integer, which is then in the low
 * bits of the sum. */
#define TO_INTEGER 0x1.8p52

/* Sums up even and odd powers apart, since each sum waits for the one before it. */
static ALWAYS doubles polynomial(doubles x, const double *coefficients, uint32_t count)
{
    doubles square = x * x, sums[2];
    sums[(count - 1) & 1] = all(coefficients[count - 1]);
    sums[(count - 2) & 1] = all(coefficients[count - 2]);
    for (uint32_t i = count - 2; i-- > 0;)
        sums[i & 1] = sums[i & 1] * square + coefficients[i];
    return sums[1] * x + sums[0];
}

/* ---- Powers --------------------------------------------------------------------------------- */

/* 2^k e^r for |r| < 0.35 and whole numbers k, given as k + TO_INTEGER, below 1020 either way. */
static ALWAYS doubles scaled_exp(doubles shifted, doubles r)
{
    static const double inverse_factorials[] = {
        1.0,       1.0,        1.0 / 2,     1.0 / 6,      1.0 / 24,      1.0 / 120,
        1.0 / 720, 1.0 / 5040, 1.0 / 40320, 1.0 / 362880, 1.0 / 3628800, 1.0 / 39916800};
    bits exponent = ((bits)shifted - (bits)all(TO_INTEGER) + 1023) << 52;
    return polynomial(r, inverse_factorials, 12) * (doubles)exponent;
}

/* Results beyond the limits round to infinity or 0 in float. */
static ALWAYS doubles limited(doubles x, double limit)
{
    x = choose(x > limit, all(limit), x);
    return choose(x < -limit, all(-limit), x);
}

static ALWAYS doubles near_exp(doubles x, doubles unused)
{
    (void)unused;
    x = limited(x, 700);
    doubles shifted = x * 0x1.71547652b82fep+0 + TO_INTEGER, k = shifted - TO_INTEGER;
    /* ln 2 in two parts, the first with so few bits that its product with k is exact. */
    return scaled_exp(shifted, (x - k * 0x1.62e42fefa2p-1) - k * 0x1.9ef35793c7673p-41);
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

/* Splits positive x into 2^exponent m, with m from 1/sqrt(2) to sqrt(2); returns ln m. */
static ALWAYS doubles log_parts(doubles x, doubles *out_exponent)
{
    static const double odd[] = {2.0,      2.0 / 3,  2.0 / 5,  2.0 / 7, 2.0 / 9,
                                 2.0 / 11, 2.0 / 13, 2.0 / 15, 2.0 / 17};
    longs exponent = (longs)((bits)x - (bits)all(0x1.6a09e667f3bcdp-1)) >> 52;
    doubles m = (doubles)((bits)x - ((bits)exponent << 52));
    *out_exponent = (doubles)((bits)exponent + (bits)all(TO_INTEGER)) - TO_INTEGER;
    /* ln m = 2 artanh s */
    doubles s = (m - 1) / (m + 1);
    return s * polynomial(s * s, odd, 9);
}

static ALWAYS longs is_positive(doubles x)
{
    return (x > 0) & (x < (double)__builtin_inf());
}

static ALWAYS doubles near_log(doubles x, doubles unused)
{
    (void)unused;
    doubles exponent, part = log_parts(x, &exponent);
    return only_if(is_positive(x), exponent * 0x1.62e42fefa39efp-1 + part);
}

static ALWAYS doubles near_log2(doubles x, doubles unused)
{
    (void)unused;
    doubles exponent, part = log_parts(x, &exponent);
    return only_if(is_positive(x), exponent + part * 0x1.71547652b82fep+0);
}

static ALWAYS doubles near_log10(doubles x, doubles unused)
{
    (void)unused;
    doubles exponent, part = log_parts(x, &exponent);
    return only_if(is_positive(x), exponent * 0x1.34413509f79ffp-2 + part * 0x1.bcb7b1526e50ep-2);
}

/* A float has a finite power only if the logarithm of that is below 128 either way, so the relative
 * error of near_log2 becomes an absolute one that is small enough. */
static ALWAYS doubles near_pow(doubles x, doubles y)
{
    longs is_ordinary = is_positive(x) & (y > -1e30) & (y < 1e30);
    return only_if(is_ordinary, exp2_of(y * near_log2(x, y)));
}

/* ---- Angles --------------------------------------------------------------------------------- */

/* Computes the sine and the cosine of what is left of x after a number of quarter turns, which is
 * returned. */
static ALWAYS bits quarter_of(doubles x, doubles *out_sine, doubles *out_cosine)
{
    static const double sines[] = {1.0,          -1.0 / 6,        1.0 / 120,       -1.0 / 5040,
                                   1.0 / 362880, -1.0 / 39916800, 1.0 / 6227020800};
    static const double cosines[] = {
        1.0,         -1.0 / 2,       1.0 / 24,        -1.0 / 720,
        1.0 / 40320, -1.0 / 3628800, 1.0 / 479001600, -1.0 / 87178291200};
    doubles shifted = x * 0x1.45f306dc9c883p-1 + TO_INTEGER, k = shifted - TO_INTEGER;
    /* pi / 2 in three parts; the products with the first two, of 33 bits, are exact. */
    doubles r = ((x - k * 0x1.921fb544p+0) - k * 0x1.0b4611a6p-34) - k * 0x1.3198a2e037073p-69;
    doubles square = r * r;
    *out_sine = r * polynomial(square, sines, 7);
    *out_cosine = polynomial(square, cosines, 8);
    return (bits)shifted - (bits)all(TO_INTEGER);
}

/* True for angles whose quarter turns fit in 20 bits. */
static ALWAYS longs is_moderate(doubles x)
{
    return (x > -0x1p20) & (x < 0x1p20);
}

/* Changes the sign of the lanes in which that bit of a number is set. */
static ALWAYS doubles negated_if(bits number, int bit, doubles value)
{
    return (doubles)((bits)value ^ (number >> bit << 63));
}

static ALWAYS doubles near_sin(doubles x, doubles unused)
{
    (void)unused;
    doubles sine, cosine;
    bits quarter = quarter_of(x, &sine, &cosine);
    return only_if(is_moderate(x), negated_if(quarter, 1, choose(is_odd(quarter), cosine, sine)));
}

static ALWAYS doubles near_cos(doubles x, doubles unused)
{
    (void)unused;
    doubles sine, cosine;
    bits quarter = quarter_of(x, &sine, &cosine);
    return only_if(is_moderate(x),
                   negated_if(quarter + 1, 1, choose(is_odd(quarter), sine, cosine)));
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

/* ---- Rows ----------------------------------------------------------------------------------- */

/* Returns a bit for each lane in which the condition is -1. */
static ALWAYS uint32_t bits_of(words condition)
{
    typedef uint8_t lane_bytes __attribute__((vector_size(NEAR_LANES)));
    lane_bytes lanes = __builtin_convertvector(-condition, lane_bytes);
    uint64_t number;
    memcpy(&number, &lanes, sizeof number);
    /* Multiplication by this moves bit 0 of byte i to bit 56 + i. */
    return (uint32_t)(number * UINT64_C(0x0102040810204080) >> 56);
}

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
        decided |= bits_of(low == results[h]) << h * NEAR_LANES;
    }
    typedef float chunk __attribute__((vector_size(SIM_CHUNK * sizeof(float))));
    chunk whole = __builtin_shufflevector(results[0], results[1], 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
                                          11, 12, 13, 14, 15);
    memcpy(out, &whole, sizeof whole);
    return decided;
}

/* Applies a function to whole chunks of lanes. */
#define NEAR_ROWS(function)                                                                        \
    static void rows_##function(const sim_math_lanes *lanes)                                       \
    {                                                                                              \
        const float *a = lanes->a, *b = lanes->b;                                                  \
        for (uint32_t c = 0; c < lanes->count; c += SIM_CHUNK) {                                   \
            doubles near[HALVES];                                                                  \
            for (uint32_t h = 0; h < HALVES; h++) {                                                \
                floats x, y = {0};                                                                 \
                memcpy(&x, a + c + h * NEAR_LANES, sizeof x);                                      \
                if (b) memcpy(&y, b + c + h * NEAR_LANES, sizeof y);                               \
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

#define NEAR_FUNCTIONS(X)                                                                          \
    X(exp) X(exp2) X(exp10) X(log) X(log2) X(log10) X(pow) X(sin) X(cos) X(tan)
NEAR_FUNCTIONS(NEAR_ROWS)

typedef void rows_function(const sim_math_lanes *lanes);
#define NEAR_ENTRY(function) [SIM_MATH_##function] = rows_##function,
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
