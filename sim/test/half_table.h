/* Computes the value of any half from the definition, and rounds a number by a binary search among
 * all halves: the reference for the tests. Source: IEEE 754-2019, sections 3.4 and 4.3. */
#ifndef SIM_TEST_HALF_TABLE_H
#define SIM_TEST_HALF_TABLE_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#define HALF_INFINITY 0x7c00u

/* The value of a half that is not a NaN; infinity counts as 65536, the number after the largest. */
static inline long double half_value(uint16_t half)
{
    int exponent = half >> 10 & 31, fraction = half & 1023;
    long double size = exponent ? ldexpl(1024 + fraction, exponent - 25) : ldexpl(fraction, -24);
    return half & 0x8000 ? -size : size;
}

/* The largest half that does not exceed the number; the number must be >= 0. */
static inline uint16_t half_below(long double size)
{
    uint32_t low = 0, high = HALF_INFINITY + 1;
    while (high - low > 1) {
        uint32_t middle = (low + high) / 2;
        if (half_value((uint16_t)middle) <= size) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return (uint16_t)low;
}

/* Rounds a number that is not a NaN; mode as in FPRoundingMode: nearest even, zero, up, down. */
static inline uint16_t half_rounded(long double number, uint32_t mode)
{
    uint16_t sign = signbit(number) ? 0x8000 : 0;
    long double size = fabsl(number);
    if (isinf(size)) return (uint16_t)(sign | HALF_INFINITY);
    uint16_t low = half_below(size);
    if (low == HALF_INFINITY) low = HALF_INFINITY - 1; /* the largest finite half */
    long double below = half_value(low), above = half_value((uint16_t)(low + 1));
    bool up = mode == 2 ? !sign : mode == 3 ? sign != 0 : false;
    if (below == size) return (uint16_t)(sign | low);
    if (mode == 0) up = size - below > above - size || (size - below == above - size && (low & 1));
    if (mode == 0 && size > above) up = true;
    return (uint16_t)(sign | (low + up));
}

static inline bool half_is_nan(uint16_t half)
{
    return (half & 0x7fff) > HALF_INFINITY;
}

/* True if equal bit for bit; all NaNs are equal. */
static inline bool half_equal(uint16_t a, uint16_t b)
{
    return a == b || (half_is_nan(a) && half_is_nan(b));
}

static const uint64_t half_edges[] = {0,      0x8000, 1,      0x8001, 0x3ff,  0x400,  0x8400,
                                      0x3c00, 0xbc00, 0x3c01, 0x3bff, 0x3800, 0x4000, 0x4200,
                                      0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0x6801, 0x5640,
                                      0xd640, 0x2e66, 0x1234, 0x9234, 0x7800, 0x0200};
#define HALF_EDGES (sizeof half_edges / sizeof half_edges[0])

/* The value of the half in the low bits, and the half nearest to a number, NaN included. */
static inline long double value_of(uint64_t half)
{
    uint16_t h = (uint16_t)half;
    if (half_is_nan(h)) return NAN;
    if ((h & 0x7fff) == HALF_INFINITY) return h >> 15 ? -INFINITY : INFINITY;
    return half_value(h);
}
static inline uint64_t half_of(long double number)
{
    return isnan(number) ? 0x7e00 : half_rounded(number, 0);
}

#endif
