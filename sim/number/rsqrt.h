/* Reciprocal square roots of floats. */
#ifndef SIM_RSQRT_H
#define SIM_RSQRT_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#ifdef __FP_FAST_FMA
#define SIM_RSQRT_FUSES true
#else
#define SIM_RSQRT_FUSES false
#endif

/* Computes x * y + z, rounded once if told, and otherwise once or twice. */
static inline double sim_rsqrt_step(bool fuses, double x, double y, double z)
{
#ifdef __clang__
#pragma STDC FP_CONTRACT ON
#endif
    return fuses ? __builtin_fma(x, y, z) : x * y + z;
}

/* Returns the correctly rounded reciprocal square root without a division or a root, which take
 * most processors ten times as long. Half of the exponent and a constant for the rest are a guess,
 * 3.5 % from the truth; two of Newton's steps, whose constants balance the error, reduce that to
 * 6.2e-7, and a step of third order to that of doubles. The result depends only on the significand
 * and on whether the exponent is odd; test_math.c examines all of these, fused and not. */
static inline float sim_rsqrt_near(bool fuses, float a)
{
    double x = (double)a, half = -0.5 * x, r, wrong;
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits = UINT64_C(0x5fe6eb50c7b537a9) - (bits >> 1);
    memcpy(&r, &bits, sizeof r);
    r = r * sim_rsqrt_step(fuses, half, r * r, 1.500876);
    r = r * sim_rsqrt_step(fuses, half, r * r, 1.5000006);
    wrong = sim_rsqrt_step(fuses, -x, r * r, 1.0);
    r = sim_rsqrt_step(fuses, r * wrong, sim_rsqrt_step(fuses, 0.375, wrong, 0.5), r);
    /* Selected as bits, so that the loop over a row has no branch. */
    float near = (float)r;
    uint32_t sign, out;
    memcpy(&sign, &a, sizeof sign);
    memcpy(&out, &near, sizeof out);
    out &= 0u - (uint32_t)((a > 0.0f) & (a < __builtin_inff()));
    out |= ((sign & 0x80000000u) | 0x7f800000u) & (0u - (uint32_t)(a == 0.0f));
    out |= 0x7fc00000u & (0u - (uint32_t) !(a >= 0.0f));
    memcpy(&near, &out, sizeof near);
    return near;
}

static inline float sim_rsqrt_float(float a)
{
    return sim_rsqrt_near(SIM_RSQRT_FUSES, a);
}

#endif
