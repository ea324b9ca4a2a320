/* Reciprocal square roots of floats. */
#ifndef SIM_RSQRT_H
#define SIM_RSQRT_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Whether the target rounds a product and a sum at once. lane.c, whose bitcode is for all
 * processors, defines it: those without such an instruction compute the same, slowly. */
#ifndef SIM_RSQRT_FUSES
#if defined __FMA__ || defined __FP_FAST_FMAF
#define SIM_RSQRT_FUSES true
#else
#define SIM_RSQRT_FUSES false
#endif
#endif

/* Returns the correctly rounded reciprocal square root of a positive number without a division or a
 * root, which take most processors ten times as long. Half of the exponent and a constant for the
 * rest are a guess, 3.5 % from the truth; two of Newton's steps, whose constants balance the error,
 * reduce that to 6.2e-7, and a step of third order to that of doubles. The result depends only on
 * the significand and on whether the exponent is odd; test_math.c examines all of these. */
static inline float sim_rsqrt_in_double(float a)
{
    double x = (double)a, half = -0.5 * x, r, wrong;
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits = UINT64_C(0x5fe6eb50c7b537a9) - (bits >> 1);
    memcpy(&r, &bits, sizeof r);
    r = r * (half * (r * r) + 1.500876);
    r = r * (half * (r * r) + 1.5000006);
    wrong = 1.0 - x * (r * r);
    return (float)(r + r * wrong * (0.375 * wrong + 0.5));
}

/* The same in floats, of which a vector holds twice as many, where a product and a sum are rounded
 * once. Two steps of third order leave little more than the error of floats; the last one starts
 * from an error that is known beyond floats, since it includes what the root lost when it was
 * rounded. */
static inline float sim_rsqrt_fused(float a)
{
    const bool is_denormal = a < 0x1p-126f;
    const float x = is_denormal ? a * 0x1p24f : a;
    float r, wrong;
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits = UINT32_C(0x5f3759df) - (bits >> 1);
    memcpy(&r, &bits, sizeof r);
    for (int i = 0; i < 2; i++) {
        wrong = __builtin_fmaf(-x, r * r, 1.0f);
        r = __builtin_fmaf(r * wrong, __builtin_fmaf(0.375f, wrong, 0.5f), r);
    }
    const float root = x * r, lost = __builtin_fmaf(x, r, -root);
    wrong = __builtin_fmaf(-lost, r, __builtin_fmaf(-root, r, 1.0f));
    r = __builtin_fmaf(0.5f * r, wrong, r);
    return is_denormal ? r * 0x1p12f : r;
}

/* The reciprocal square root of any number, given the result for positive ones. */
static inline float sim_rsqrt_of_any(float a, float near)
{
    /* Selected as bits, so that the loop over a row has no branch. */
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
    return sim_rsqrt_of_any(a, SIM_RSQRT_FUSES ? sim_rsqrt_fused(a) : sim_rsqrt_in_double(a));
}

#endif
