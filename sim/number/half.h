/* Half (IEEE 754 binary16) as bits: to float, and from float and double to nearest even, without
 * branches, so that loops over lanes are vectorised.
 *
 * Arithmetic on half is done in a wider format and rounded once:
 *
 *   - +, -, *, / and sqrt in binary32.  A format with at least 2p + 2 bits gives the same result
 *     as one rounding to p bits (Figueroa, "When is double rounding innocuous?"): half has
 *     p = 11, float 24 = 2 * 11 + 2.  That holds for subnormal results too: sums and differences
 *     of halves are multiples of 2^-24 and exact where they are small, products have at most 22
 *     bits above 2^-48 and are exact in float, and a quotient or root of halves below 2^-14 is
 *     rounded to fewer bits, which requires less.
 *
 *   - fma in binary64.  The product is exact in 22 bits.  If the sum has more than 53 bits, the
 *     product is less than 2^-30 of the addend, which is itself a half: whether it is rounded to
 *     double or not, the sum is nearer to that half than to any midpoint.
 *
 *   - other functions of OpenCL.std are computed in double and rounded to half.
 *
 * Source: IEEE 754-2019, sections 3.4 and 4.3.1. */
#ifndef SIM_HALF_H
#define SIM_HALF_H

#include <float.h>
#include <stdint.h>

typedef union sim_float_bits {
    float value;
    uint32_t bits;
} sim_float_bits;
typedef union sim_double_bits {
    double value;
    uint64_t bits;
} sim_double_bits;

/* The functions below, and those of math.c, rely on the formats of IEEE 754 and on operations
 * without excess precision. */
_Static_assert(sizeof(sim_float_bits) == 4 && sizeof(sim_double_bits) == 8, "no padding");
_Static_assert(FLT_MANT_DIG == 24 && FLT_MAX_EXP == 128, "float is binary32");
_Static_assert(DBL_MANT_DIG == 53 && DBL_MAX_EXP == 1024, "double is binary64");
_Static_assert(FLT_EVAL_METHOD == 0, "operations on floats round to float");

/* Exact; a NaN keeps its sign and payload. */
static inline float sim_float_of_half(uint16_t half)
{
    uint32_t size = half & 0x7fffu, sign = (uint32_t)(half & 0x8000u) << 16;
    uint32_t is_subnormal = size < 0x400u, is_special = size >= 0x7c00u;
    /* Rebiases the exponent; one of a subnormal becomes that of 2^-14, which is subtracted again.
     * The subtraction is done for all, because compilers make a branch of one that is not. */
    sim_float_bits moved = {.bits = (size << 13) + ((112u + is_subnormal) << 23)};
    sim_float_bits excess = {.bits = (113u << 23) & (0u - is_subnormal)};
    sim_float_bits out = {.value = moved.value - excess.value};
    out.bits |= sign | (0x7f800000u & (0u - is_special));
    return out.value;
}

/* `a` if the condition is 1, `b` if it is 0. Compilers tend to make a branch of `?:`. */
#define SIM_PICK(type, condition, a, b)                                                            \
    (((a) & (type)(0 - (type)(condition))) | ((b) & (type)((type)(condition)-1)))

/* Rounds to nearest even; values that round to 65536 or more become infinite; a NaN becomes a quiet
 * NaN. */
static inline uint16_t sim_half_of_float(float value)
{
    sim_float_bits in = {.value = value};
    uint32_t sign = in.bits >> 16 & 0x8000u, size = in.bits & 0x7fffffffu;
    sim_float_bits positive = {.bits = size};
    /* The last place of 0.5 is 2^-24, as in subnormal halves, so the addition rounds. */
    sim_float_bits small = {.value = positive.value + 0.5f};
    uint32_t normal = (size - (112u << 23) + 0xfffu + (size >> 13 & 1u)) >> 13;
    uint32_t bits = SIM_PICK(uint32_t, size < 0x38800000u, small.bits - 0x3f000000u, normal);
    bits = SIM_PICK(uint32_t, size >= 0x477ff000u, 0x7c00u, bits);
    bits = SIM_PICK(uint32_t, size > 0x7f800000u, 0x7e00u | (size >> 13 & 0x3ffu), bits);
    return (uint16_t)(bits | sign);
}

/* Like sim_half_of_float, with a single rounding from double. */
static inline uint16_t sim_half_of_double(double value)
{
    sim_double_bits in = {.value = value};
    uint64_t sign = in.bits >> 48 & 0x8000u, size = in.bits & INT64_MAX;
    sim_double_bits positive = {.bits = size};
    /* The last place of 2^28 is 2^-24. */
    sim_double_bits small = {.value = positive.value + 0x1p28};
    uint64_t half_place = (UINT64_C(1) << 41) - 1;
    uint64_t normal = (size - (UINT64_C(1008) << 52) + half_place + (size >> 42 & 1)) >> 42;
    uint64_t bits = SIM_PICK(uint64_t, size < UINT64_C(0x3f10000000000000),
                             small.bits - UINT64_C(0x41b0000000000000), normal);
    bits = SIM_PICK(uint64_t, size >= UINT64_C(0x40effe0000000000), UINT64_C(0x7c00), bits);
    bits = SIM_PICK(uint64_t, size > UINT64_C(0x7ff0000000000000), 0x7e00u | (size >> 42 & 0x3ffu),
                    bits);
    return (uint16_t)(bits | sign);
}

#endif
