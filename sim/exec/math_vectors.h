/* Vectors of eight doubles, for the functions over rows of lanes: those of floats (math_rows.c) are
 * computed in double, those of doubles (math_pairs.c) in pairs of doubles.
 *
 * A condition is a vector of 0 and -1. Included by these two files. */
#ifndef SIM_MATH_VECTORS_H
#define SIM_MATH_VECTORS_H

#include "sim/exec/chunks.h"

#include <string.h>

enum { NEAR_LANES = 8, HALVES = SIM_CHUNK / NEAR_LANES };
typedef double doubles __attribute__((vector_size(64)));
typedef int64_t longs __attribute__((vector_size(64))); /* a condition: 0 or -1 */
typedef uint64_t bits __attribute__((vector_size(64)));
_Static_assert(sizeof(doubles) == NEAR_LANES * sizeof(double), "a vector of each kind");
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

/* A bit for each lane in which a condition, converted to bytes, is -1. */
typedef uint8_t lane_bytes __attribute__((vector_size(NEAR_LANES)));
static ALWAYS uint32_t bits_of(lane_bytes condition)
{
    uint64_t bytes;
    condition &= 1;
    memcpy(&bytes, &condition, sizeof bytes);
    return sim_bits_of_bytes(bytes);
}

/* Makes a lane undecided unless the condition is -1. */
static ALWAYS doubles only_if(longs condition, doubles value)
{
    return (doubles)((longs)value | ~condition);
}

/* Adding this to a double below 2^51 either way rounds it to an integer, which is then in the low
 * bits of the sum. */
#define TO_INTEGER 0x1.8p52

/* 2^k for a whole number that is given as k + TO_INTEGER. */
static ALWAYS doubles power_of_2(doubles shifted)
{
    return (doubles)(((bits)shifted - (bits)all(TO_INTEGER) + 1023) << 52);
}

static ALWAYS doubles root(doubles x)
{
    double roots[NEAR_LANES];
    memcpy(roots, &x, sizeof roots);
    CHUNK_LANES for (uint32_t i = 0; i < NEAR_LANES; i++) roots[i] = __builtin_sqrt(roots[i]);
    memcpy(&x, roots, sizeof x);
    return x;
}

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

static ALWAYS longs is_positive(doubles x)
{
    return (x > 0) & (x < (double)__builtin_inf());
}

/* Changes the sign of the lanes in which that bit of a number is set. */
static ALWAYS doubles negated_if(bits number, int bit, doubles value)
{
    return (doubles)((bits)value ^ (number >> bit << 63));
}

static ALWAYS doubles magnitude(doubles x)
{
    return (doubles)((bits)x & INT64_MAX);
}

/* Gives a positive number the sign of x. */
static ALWAYS doubles with_sign_of(doubles x, doubles positive)
{
    return (doubles)((bits)positive | ((bits)x & (bits)all(-0.0)));
}

/* True where x is finite and not 0 and, if it is negative, y is a whole number below 2^31. */
static ALWAYS longs has_power(doubles x, doubles y)
{
    longs is_whole = (y == (y + TO_INTEGER) - TO_INTEGER) & (y > -0x1p31) & (y < 0x1p31);
    return is_positive(x) | (is_positive(-x) & is_whole);
}

/* Gives |x|^y the sign of x^y. */
static ALWAYS doubles sign_of_power(doubles x, doubles y, doubles size)
{
    longs is_negative = (x < 0) & is_odd((bits)(y + TO_INTEGER));
    return choose(is_negative, -size, size);
}

/* Splits positive x into 2^exponent m, with m from 1/sqrt(2) to sqrt(2); returns m. */
static ALWAYS doubles mantissa_near_1(doubles x, doubles *out_exponent)
{
    longs exponent = (longs)((bits)x - (bits)all(0x1.6a09e667f3bcdp-1)) >> 52;
    *out_exponent = (doubles)((bits)exponent + (bits)all(TO_INTEGER)) - TO_INTEGER;
    return (doubles)((bits)x - ((bits)exponent << 52));
}

/* ln m for such m, with an error below 2^-49 */
static ALWAYS doubles log_near_1(doubles m)
{
    static const double odd[] = {2.0,      2.0 / 3,  2.0 / 5,  2.0 / 7, 2.0 / 9,
                                 2.0 / 11, 2.0 / 13, 2.0 / 15, 2.0 / 17};
    /* ln m = 2 artanh s */
    doubles s = (m - 1) / (m + 1);
    return s * polynomial(s * s, odd, 9);
}

#endif
