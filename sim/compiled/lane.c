/* The operations on single lanes as functions, compiled to bitcode at build time. The tier widens
 * each of them from one lane to a chunk, so they must be straight lines: no branches, no memory.
 *
 * lane_NAME computes the result. ok_NAME is 1 if the result is defined; if it is 0, lane_NAME must
 * not be called, because it may trap. quick_NAME computes the same for a division where ok_NAME and
 * is_quick_NAME are 1. */
#define SIM_RSQRT_FUSES true
#include "sim/decode/code.h"
#include "sim/number/half.h"
#include "sim/number/lane_types.h"
#include "sim/number/rsqrt.h"

#define FOUR_SHAPES(name, T, R, EXPRESSION)                                                        \
    R lane_##name(T a, T b);                                                                       \
    R lane_##name(T a, T b)                                                                        \
    {                                                                                              \
        return (R)(EXPRESSION);                                                                    \
    }
#define TWO_SHAPES FOUR_SHAPES
#define ONE_SHAPES(name, T, R, EXPRESSION)                                                         \
    R lane_##name(T a);                                                                            \
    R lane_##name(T a)                                                                             \
    {                                                                                              \
        return (R)(EXPRESSION);                                                                    \
    }
#define SHIFT_SHAPES(name, T, bits, EXPRESSION)                                                    \
    T lane_##name(T a, T amount);                                                                  \
    T lane_##name(T a, T amount)                                                                   \
    {                                                                                              \
        T b = amount & (bits - 1);                                                                 \
        return (T)(EXPRESSION);                                                                    \
    }                                                                                              \
    uint8_t ok_##name(T a, T amount);                                                              \
    uint8_t ok_##name(T a, T amount)                                                               \
    {                                                                                              \
        (void)a;                                                                                   \
        return amount < bits;                                                                      \
    }
#define TO_INT_SHAPES(name, T, R, V, trunc_function, low_bound, high_bound)                        \
    uint8_t ok_##name(T a);                                                                        \
    uint8_t ok_##name(T a)                                                                         \
    {                                                                                              \
        T whole = trunc_function(a);                                                               \
        return (whole >= (low_bound)) & (whole < (high_bound));                                    \
    }                                                                                              \
    R lane_##name(T a);                                                                            \
    R lane_##name(T a)                                                                             \
    {                                                                                              \
        T whole = trunc_function(a);                                                               \
        bool ok = (whole >= (low_bound)) & (whole < (high_bound));                                 \
        return (R)(V)(ok ? whole : 0);                                                             \
    }
#define DIVIDE_SHAPES(name, T, WRONG, EXPRESSION, IS_QUICK, QUICK)                                 \
    uint8_t ok_##name(T a, T b);                                                                   \
    uint8_t ok_##name(T a, T b)                                                                    \
    {                                                                                              \
        (void)a;                                                                                   \
        return !(WRONG);                                                                           \
    }                                                                                              \
    T lane_##name(T a, T b);                                                                       \
    T lane_##name(T a, T b)                                                                        \
    {                                                                                              \
        return (T)(EXPRESSION);                                                                    \
    }                                                                                              \
    uint8_t is_quick_##name(T a, T b);                                                             \
    uint8_t is_quick_##name(T a, T b)                                                              \
    {                                                                                              \
        (void)a;                                                                                   \
        (void)b;                                                                                   \
        return IS_QUICK;                                                                           \
    }                                                                                              \
    T quick_##name(T a, T b);                                                                      \
    T quick_##name(T a, T b)                                                                       \
    {                                                                                              \
        return (T)(QUICK);                                                                         \
    }
/* Multiplies by the reciprocal, which LLVM computes once, before a loop, if all lanes divide by the
 * same number for long. It is exact for numbers below 2^(p-5), p the bits of the significand, so
 * that e, EPSILON, is 2^(1-p). Let a = q * b + c, c < b. The factor r is at least 1 / b, since 1 /
 * b is rounded by at most e / 2 of it and then made larger by more; so a * r is at least q, which
 * is a float. And r is at most (1 + 3 e) / b, so a * r is at most q + 1 - 1 / b + 3 e * a / b. The
 * last part is less than 3/16 of 1 / b, and half of the distance of floats at q + 1 is less than
 * another 1/16 of it, so the product is not rounded to q + 1 either. */
#define EPSILON_I8            0x1p-23f
#define EPSILON_I16           0x1p-23f
#define EPSILON_I32           0x1p-52
#define EPSILON_I64           0x1p-52
#define SIM_QUOTIENT(t, x, y) ((x) * (1 / (y) * (1 + EPSILON_##t)))
#include "sim/number/operations.inc"

float lane_FMA_F32(float a, float b, float c);
float lane_FMA_F32(float a, float b, float c)
{
    return __builtin_fmaf(a, b, c);
}
double lane_FMA_F64(double a, double b, double c);
double lane_FMA_F64(double a, double b, double c)
{
    return __builtin_fma(a, b, c);
}

float lane_HTOF_I16_F32(uint16_t a);
float lane_HTOF_I16_F32(uint16_t a)
{
    return sim_float_of_half(a);
}
uint16_t lane_FTOH_F32_I16(float a);
uint16_t lane_FTOH_F32_I16(float a)
{
    return sim_half_of_float(a);
}
uint16_t lane_FTOH_F64_I16(double a);
uint16_t lane_FTOH_F64_I16(double a)
{
    return sim_half_of_double(a);
}
