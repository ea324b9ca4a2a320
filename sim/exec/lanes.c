/* Arithmetic, comparisons, conversions, moves: elementwise operations on lane arrays.
 *
 * Every handler works on all lanes of [low, high), active or not.  It writes to the target or, if
 * inactive lanes must keep their values, to a scratch row that is then blended in.  So nothing here
 * may trap or be undefined if inactive lanes hold garbage: shift amounts are reduced and
 * conversions guarded first, and divisions are done lane by lane. Integers are computed in unsigned
 * types.
 *
 * Source: SPIR-V specification 1.6 sections 3.42.13, 3.42.14, 3.42.15; OpenCL extended instruction
 * set 1.0. */
#include "sim/exec/exec.h"
#include "sim/number/math.h"

#include <string.h>

/* ---- Types of lanes: a type wide enough to compute in, and one twice as wide ---------------- */

__extension__ typedef unsigned __int128 wide_unsigned;
__extension__ typedef __int128 wide_signed;

#define W_I8   uint32_t
#define W_I16  uint32_t
#define W_I32  uint32_t
#define W_I64  uint64_t
#define D_I8   uint32_t
#define D_I16  uint32_t
#define D_I32  uint64_t
#define D_I64  wide_unsigned
#define DS_I8  int32_t
#define DS_I16 int32_t
#define DS_I32 int64_t
#define DS_I64 wide_signed

/* The operand's lanes from `low` on. */
#define ROW(type, place) ((const type *)__builtin_assume_aligned(sim_at(x, place), 64) + x->low)

static inline void *target_row(sim_exec *x, const sim_op *op, uint32_t bytes)
{
    bool keep = op->blend && x->partial;
    uint8_t *row = keep ? x->scratch : (uint8_t *)sim_at(x, op->target);
    return row + x->low * bytes;
}

#define BLEND(bits)                                                                                \
    static void blend_##bits(sim_exec *x, const sim_op *op)                                        \
    {                                                                                              \
        uint32_t n = LANE_COUNT(x);                                                                \
        uint##bits##_t *d = (uint##bits##_t *)sim_at(x, op->target) + x->low;                      \
        const uint##bits##_t *s = (const uint##bits##_t *)(const void *)x->scratch + x->low;       \
        const uint8_t *m = x->mask + x->low;                                                       \
        FOR_LANES d[i] = m[i] ? s[i] : d[i];                                                       \
    }
BLEND(8)
BLEND(16)
BLEND(32)
BLEND(64)

static inline void target_done(sim_exec *x, const sim_op *op, uint32_t bytes)
{
    if (!op->blend || !x->partial) return;
    switch (bytes) {
    case 1: blend_8(x, op); break;
    case 2: blend_16(x, op); break;
    case 4: blend_32(x, op); break;
    default: blend_64(x, op); break;
    }
}

/* ---- Shapes: loops around an expression of a and b ------------------------------------------ */

/* Declare, in this order: operand o as a row of lanes, its value in lane i, and operand o as one
 * value for all lanes. */
#define ROW_OPERAND(T, o)     const T *row_##o = ROW(T, op->o)
#define LANE(T, o)            T o = row_##o[i]
#define UNIFORM_OPERAND(T, o) T o = *(const T *)sim_at(x, op->o)

/* The loop. OPERANDS declares the operands; VALUES declares, for operands that are rows, their
 * values in one lane. */
#define LANES_SHAPE(function, T, R, OPERANDS, VALUES, EXPRESSION)                                  \
    static void function(sim_exec *x, const sim_op *op)                                            \
    {                                                                                              \
        uint32_t n = LANE_COUNT(x);                                                                \
        OPERANDS;                                                                                  \
        R *d = target_row(x, op, sizeof(R));                                                       \
        FOR_LANES                                                                                  \
        {                                                                                          \
            VALUES;                                                                                \
            d[i] = (R)(EXPRESSION);                                                                \
        }                                                                                          \
        target_done(x, op, sizeof(R));                                                             \
    }
#define UNIFORM_SHAPE(function, T, R, OPERANDS, EXPRESSION)                                        \
    static void function(sim_exec *x, const sim_op *op)                                            \
    {                                                                                              \
        OPERANDS;                                                                                  \
        *(R *)sim_at(x, op->target) = (R)(EXPRESSION);                                             \
    }
/* Declares both operands, a and b, with the given macro. */
#define A_AND_B(OPERAND, T)                                                                        \
    OPERAND(T, a);                                                                                 \
    OPERAND(T, b)

#define FOUR_SHAPES(name, T, R, EXPRESSION)                                                        \
    LANES_SHAPE(name##_VV, T, R, A_AND_B(ROW_OPERAND, T), A_AND_B(LANE, T), EXPRESSION)            \
    LANES_SHAPE(name##_VS, T, R, ROW_OPERAND(T, a); UNIFORM_OPERAND(T, b), LANE(T, a), EXPRESSION) \
    LANES_SHAPE(name##_SV, T, R, UNIFORM_OPERAND(T, a); ROW_OPERAND(T, b), LANE(T, b), EXPRESSION) \
    UNIFORM_SHAPE(name##_SS, T, R, A_AND_B(UNIFORM_OPERAND, T), EXPRESSION)

/* Forms VV and SS of the shapes above, named _V and _S. */
#define TWO_SHAPES(name, T, R, EXPRESSION)                                                         \
    LANES_SHAPE(name##_V, T, R, A_AND_B(ROW_OPERAND, T), A_AND_B(LANE, T), EXPRESSION)             \
    UNIFORM_SHAPE(name##_S, T, R, A_AND_B(UNIFORM_OPERAND, T), EXPRESSION)

#define ONE_SHAPES(name, T, R, EXPRESSION)                                                         \
    LANES_SHAPE(name##_V, T, R, ROW_OPERAND(T, a), LANE(T, a), EXPRESSION)                         \
    UNIFORM_SHAPE(name##_S, T, R, UNIFORM_OPERAND(T, a), EXPRESSION)

/* ---- Integer operations that are always defined --------------------------------------------- */

#define W(t, v)  ((W_##t)(v))
#define SG(t, v) ((S_##t)(v))
#define ALL_INT(SHAPES, name, EXPRESSION)                                                          \
    SHAPES(name##_I8, uint8_t, uint8_t, EXPRESSION(I8))                                            \
    SHAPES(name##_I16, uint16_t, uint16_t, EXPRESSION(I16))                                        \
    SHAPES(name##_I32, uint32_t, uint32_t, EXPRESSION(I32))                                        \
    SHAPES(name##_I64, uint64_t, uint64_t, EXPRESSION(I64))

#define E_ADD(t) W(t, a) + W(t, b)
#define E_SUB(t) W(t, a) - W(t, b)
#define E_MUL(t) W(t, a) * W(t, b)
#define E_AND(t) a &b
#define E_OR(t)  a | b
#define E_XOR(t) a ^ b
ALL_INT(FOUR_SHAPES, ADD, E_ADD)
ALL_INT(FOUR_SHAPES, SUB, E_SUB)
ALL_INT(FOUR_SHAPES, MUL, E_MUL)
ALL_INT(FOUR_SHAPES, AND, E_AND)
ALL_INT(FOUR_SHAPES, OR, E_OR)
ALL_INT(FOUR_SHAPES, XOR, E_XOR)

#define E_UMIN(t)     a < b ? a : b
#define E_UMAX(t)     a > b ? a : b
#define E_SMIN(t)     SG(t, a) < SG(t, b) ? a : b
#define E_SMAX(t)     SG(t, a) > SG(t, b) ? a : b
#define E_ROTATE(t)   W(t, a) << (b & (BITS_##t - 1)) | W(t, a) >> (-b & (BITS_##t - 1))
#define E_UMULHI(t)   ((D_##t)a * (D_##t)b) >> BITS_##t
#define E_SMULHI(t)   ((DS_##t)SG(t, a) * (DS_##t)SG(t, b)) >> BITS_##t
#define E_UADDSAT(t)  (U_##t)(a + b) < a ? (U_##t) - 1 : (U_##t)(a + b)
#define E_USUBSAT(t)  a < b ? 0 : a - b
#define E_UHADD(t)    (a & b) + ((a ^ b) >> 1)
#define E_URHADD(t)   (a | b) - ((a ^ b) >> 1)
#define E_SHADD(t)    SG(t, a &b) + (SG(t, a ^ b) >> 1)
#define E_SRHADD(t)   SG(t, a | b) - (SG(t, a ^ b) >> 1)
#define E_UABSDIFF(t) a < b ? b - a : a - b
#define E_SABSDIFF(t) SG(t, a) < SG(t, b) ? W(t, b) - W(t, a) : W(t, a) - W(t, b)
/* The maximum of the type, or the minimum if v is negative. */
#define LIMIT(t, v) ((U_##t)((U_##t)((U_##t) - 1 >> 1) + ((v) >> (BITS_##t - 1))))
#define E_SADDSAT(t)                                                                               \
    ((U_##t)((U_##t)(W(t, a) + W(t, b)) ^ a) & (U_##t)((U_##t)(W(t, a) + W(t, b)) ^ b)) >>         \
            (BITS_##t - 1)                                                                         \
        ? LIMIT(t, a)                                                                              \
        : (U_##t)(W(t, a) + W(t, b))
#define E_SSUBSAT(t)                                                                               \
    ((U_##t)(a ^ b) & (U_##t)(a ^ (U_##t)(W(t, a) - W(t, b)))) >> (BITS_##t - 1)                   \
        ? LIMIT(t, a)                                                                              \
        : (U_##t)(W(t, a) - W(t, b))
ALL_INT(TWO_SHAPES, UMIN, E_UMIN)
ALL_INT(TWO_SHAPES, UMAX, E_UMAX)
ALL_INT(TWO_SHAPES, SMIN, E_SMIN)
ALL_INT(TWO_SHAPES, SMAX, E_SMAX)
ALL_INT(TWO_SHAPES, ROTATE, E_ROTATE)
ALL_INT(TWO_SHAPES, UMULHI, E_UMULHI)
ALL_INT(TWO_SHAPES, SMULHI, E_SMULHI)
ALL_INT(TWO_SHAPES, UADDSAT, E_UADDSAT)
ALL_INT(TWO_SHAPES, SADDSAT, E_SADDSAT)
ALL_INT(TWO_SHAPES, USUBSAT, E_USUBSAT)
ALL_INT(TWO_SHAPES, SSUBSAT, E_SSUBSAT)
ALL_INT(TWO_SHAPES, UHADD, E_UHADD)
ALL_INT(TWO_SHAPES, SHADD, E_SHADD)
ALL_INT(TWO_SHAPES, URHADD, E_URHADD)
ALL_INT(TWO_SHAPES, SRHADD, E_SRHADD)
ALL_INT(TWO_SHAPES, UABSDIFF, E_UABSDIFF)
ALL_INT(TWO_SHAPES, SABSDIFF, E_SABSDIFF)

static inline uint64_t reverse_bits(uint64_t v)
{
    v = (v >> 1 & UINT64_C(0x5555555555555555)) | (v & UINT64_C(0x5555555555555555)) << 1;
    v = (v >> 2 & UINT64_C(0x3333333333333333)) | (v & UINT64_C(0x3333333333333333)) << 2;
    v = (v >> 4 & UINT64_C(0x0f0f0f0f0f0f0f0f)) | (v & UINT64_C(0x0f0f0f0f0f0f0f0f)) << 4;
    return __builtin_bswap64(v);
}
#define E_CLZ(t)      a ? __builtin_clzll(a) - (64 - BITS_##t) : BITS_##t
#define E_CTZ(t)      a ? __builtin_ctzll(a) : BITS_##t
#define E_POPCOUNT(t) __builtin_popcountll(a)
#define E_REVERSE(t)  reverse_bits(a) >> (64 - BITS_##t)
ALL_INT(ONE_SHAPES, CLZ, E_CLZ)
ALL_INT(ONE_SHAPES, CTZ, E_CTZ)
ALL_INT(ONE_SHAPES, POPCOUNT, E_POPCOUNT)
ALL_INT(ONE_SHAPES, REVERSE, E_REVERSE)

/* ---- Comparisons ---------------------------------------------------------------------------- */

#define ALL_INT_COMPARE(name, EXPRESSION)                                                          \
    FOUR_SHAPES(name##_I8, uint8_t, uint8_t, EXPRESSION(I8))                                       \
    FOUR_SHAPES(name##_I16, uint16_t, uint8_t, EXPRESSION(I16))                                    \
    FOUR_SHAPES(name##_I32, uint32_t, uint8_t, EXPRESSION(I32))                                    \
    FOUR_SHAPES(name##_I64, uint64_t, uint8_t, EXPRESSION(I64))
#define E_EQ(t)  a == b
#define E_NE(t)  a != b
#define E_ULT(t) a < b
#define E_ULE(t) a <= b
#define E_SLT(t) SG(t, a) < SG(t, b)
#define E_SLE(t) SG(t, a) <= SG(t, b)
ALL_INT_COMPARE(EQ, E_EQ)
ALL_INT_COMPARE(NE, E_NE)
ALL_INT_COMPARE(ULT, E_ULT)
ALL_INT_COMPARE(ULE, E_ULE)
ALL_INT_COMPARE(SLT, E_SLT)
ALL_INT_COMPARE(SLE, E_SLE)

#define ALL_FLOAT_COMPARE(name, EXPRESSION)                                                        \
    FOUR_SHAPES(name##_F32, float, uint8_t, EXPRESSION)                                            \
    FOUR_SHAPES(name##_F64, double, uint8_t, EXPRESSION)
ALL_FLOAT_COMPARE(FEQ, a == b)
ALL_FLOAT_COMPARE(FONE, (a < b) | (a > b))
ALL_FLOAT_COMPARE(FUNE, a != b)
ALL_FLOAT_COMPARE(FLT, a < b)
ALL_FLOAT_COMPARE(FLE, a <= b)
ALL_FLOAT_COMPARE(FORD, (a == a) & (b == b))

/* ---- Floats --------------------------------------------------------------------------------- */

#define ALL_FLOAT(SHAPES, name, F32_EXPRESSION, F64_EXPRESSION)                                    \
    SHAPES(name##_F32, float, float, F32_EXPRESSION)                                               \
    SHAPES(name##_F64, double, double, F64_EXPRESSION)
ALL_FLOAT(FOUR_SHAPES, FADD, a + b, a + b)
ALL_FLOAT(FOUR_SHAPES, FSUB, a - b, a - b)
ALL_FLOAT(FOUR_SHAPES, FMUL, a *b, a *b)
ALL_FLOAT(FOUR_SHAPES, FDIV, a / b, a / b)
/* If one operand is a NaN, the result is the other operand. */
ALL_FLOAT(TWO_SHAPES, FMIN, a < b || b != b ? a : b, a < b || b != b ? a : b)
ALL_FLOAT(TWO_SHAPES, FMAX, a > b || b != b ? a : b, a > b || b != b ? a : b)
ALL_FLOAT(ONE_SHAPES, SQRT, __builtin_sqrtf(a), __builtin_sqrt(a))
/* Computed in double: two much finer roundings precede the rounding to float. No float gives a
 * value so close to a rounding boundary that they would change the result. */
ONE_SHAPES(RSQRT_F32, float, float, 1.0 / __builtin_sqrt((double)a))
ALL_FLOAT(ONE_SHAPES, FLOOR, __builtin_floorf(a), __builtin_floor(a))
ALL_FLOAT(ONE_SHAPES, CEIL, __builtin_ceilf(a), __builtin_ceil(a))
ALL_FLOAT(ONE_SHAPES, TRUNC, __builtin_truncf(a), __builtin_trunc(a))
ALL_FLOAT(ONE_SHAPES, RINT, __builtin_rintf(a), __builtin_rint(a))

/* Round halfway cases away from zero; a - trunc(a) is exact. */
static inline float round_f32(float a)
{
    float t = __builtin_truncf(a), fraction = __builtin_fabsf(a - t);
    return fraction >= 0.5f ? t + __builtin_copysignf(1.0f, a) : t;
}
static inline double round_f64(double a)
{
    double t = __builtin_trunc(a), fraction = __builtin_fabs(a - t);
    return fraction >= 0.5 ? t + __builtin_copysign(1.0, a) : t;
}
ALL_FLOAT(ONE_SHAPES, ROUND, round_f32(a), round_f64(a))

#define LANE_TYPE     F32
#define FMA_FUNCTION  __builtin_fmaf
#define MATH_FUNCTION sim_math_float
#include "sim/exec/lanes_float.inc"
#define LANE_TYPE     F64
#define FMA_FUNCTION  __builtin_fma
#define MATH_FUNCTION sim_math_double
#include "sim/exec/lanes_float.inc"

/* ---- Conversions ---------------------------------------------------------------------------- */

#define CONVERT_ZEXT(from, to) ONE_SHAPES(ZEXT_##from##_##to, U_##from, U_##to, a)
#define CONVERT_SEXT(from, to) ONE_SHAPES(SEXT_##from##_##to, U_##from, U_##to, (S_##to)SG(from, a))
#define CONVERT_CUT(from, to)  ONE_SHAPES(CUT_##from##_##to, U_##from, U_##to, a)
#define CONVERT_UTOF(from, to) ONE_SHAPES(UTOF_##from##_##to, U_##from, U_##to, a)
#define CONVERT_STOF(from, to) ONE_SHAPES(STOF_##from##_##to, U_##from, U_##to, SG(from, a))
#define CONVERT_FTOF(from, to) ONE_SHAPES(FTOF_##from##_##to, U_##from, U_##to, a)
#define CONVERT(op, from, to)  CONVERT_##op(from, to)
SIM_CONVERSIONS(CONVERT)
#undef CONVERT

/* ---- Operations that can be undefined: shifts, conversions to integers, division ------------ */

static const char shift_wrong[] = "shift by the width of the value or more,";
static const char convert_wrong[] = "conversion to an integer type that cannot hold the value,";
static const char divide_wrong[] = "integer division by zero or with a quotient that does not fit,";

/* In the uniform form all lanes get the same chosen value, since the register is uniform. */
#define WRONG_UNIFORM(T, misuse)                                                                   \
    *(T *)sim_at(x, op->target) = (T)sim_lane_undefined(x, op, sim_first_lane(x), x->active, misuse)

#define WRONG_LANES(T, IS_WRONG, misuse)                                                           \
    for (uint32_t i = 0; i < n; i++) {                                                             \
        if (!x->mask[x->low + i] || !(IS_WRONG)) continue;                                         \
        d[i] = (T)sim_lane_undefined(x, op, x->low + i, 1, misuse);                                \
    }

/* Shifts by a row of amounts. These are copied because they are needed again after d, which may be
 * the same row, has been written. */
#define SHIFT_SHAPE(function, T, bits, OPERAND, VALUE, EXPRESSION)                                 \
    static void function(sim_exec *x, const sim_op *op)                                            \
    {                                                                                              \
        uint32_t n = LANE_COUNT(x), wrong = 0;                                                     \
        OPERAND;                                                                                   \
        T amounts[SIM_LANES];                                                                      \
        memcpy(amounts, ROW(T, op->b), n * sizeof(T));                                             \
        T *d = target_row(x, op, sizeof(T));                                                       \
        FOR_LANES                                                                                  \
        {                                                                                          \
            VALUE;                                                                                 \
            T amount = amounts[i], b = amount & (bits - 1);                                        \
            wrong |= amount >= bits;                                                               \
            d[i] = (T)(EXPRESSION);                                                                \
        }                                                                                          \
        if (wrong) WRONG_LANES(T, amounts[i] >= bits, shift_wrong)                                 \
        target_done(x, op, sizeof(T));                                                             \
    }
#define SHIFT_SHAPES_VS(name, T, bits, EXPRESSION)                                                 \
    static void name##_VS(sim_exec *x, const sim_op *op)                                           \
    {                                                                                              \
        uint32_t n = LANE_COUNT(x);                                                                \
        const T *pa = ROW(T, op->a);                                                               \
        T amount = *(const T *)sim_at(x, op->b), b = amount & (bits - 1);                          \
        T *d = target_row(x, op, sizeof(T));                                                       \
        FOR_LANES                                                                                  \
        {                                                                                          \
            T a = pa[i];                                                                           \
            d[i] = (T)(EXPRESSION);                                                                \
        }                                                                                          \
        if (amount >= bits) WRONG_LANES(T, true, shift_wrong)                                      \
        target_done(x, op, sizeof(T));                                                             \
    }
#define SHIFT_SHAPES_SS(name, T, bits, EXPRESSION)                                                 \
    static void name##_SS(sim_exec *x, const sim_op *op)                                           \
    {                                                                                              \
        T a = *(const T *)sim_at(x, op->a), amount = *(const T *)sim_at(x, op->b);                 \
        T b = amount & (bits - 1);                                                                 \
        *(T *)sim_at(x, op->target) = (T)(EXPRESSION);                                             \
        if (amount >= bits) WRONG_UNIFORM(T, shift_wrong);                                         \
    }
#define SHIFT_SHAPES(name, T, bits, EXPRESSION)                                                    \
    SHIFT_SHAPE(name##_VV, T, bits, ROW_OPERAND(T, a), LANE(T, a), EXPRESSION)                     \
    SHIFT_SHAPE(name##_SV, T, bits, UNIFORM_OPERAND(T, a), , EXPRESSION)                           \
    SHIFT_SHAPES_VS(name, T, bits, EXPRESSION)                                                     \
    SHIFT_SHAPES_SS(name, T, bits, EXPRESSION)
#define ALL_SHIFTS(t)                                                                              \
    SHIFT_SHAPES(SHL_##t, U_##t, BITS_##t, W(t, a) << b)                                           \
    SHIFT_SHAPES(SHR_##t, U_##t, BITS_##t, a >> b)                                                 \
    SHIFT_SHAPES(SAR_##t, U_##t, BITS_##t, SG(t, a) >> b)
ALL_SHIFTS(I8)
ALL_SHIFTS(I16)
ALL_SHIFTS(I32)
ALL_SHIFTS(I64)

/* The integer type can hold the numbers from `low_bound` to below `high_bound`, after truncation.
 */
#define TO_INT_SHAPES_V(name, T, R, V, trunc_function, low_bound, high_bound)                      \
    static void name##_V(sim_exec *x, const sim_op *op)                                            \
    {                                                                                              \
        uint32_t n = LANE_COUNT(x);                                                                \
        const T *a = ROW(T, op->a);                                                                \
        R *d = target_row(x, op, sizeof(R));                                                       \
        uint8_t fits[SIM_LANES];                                                                   \
        uint32_t wrong = 0;                                                                        \
        FOR_LANES                                                                                  \
        {                                                                                          \
            T whole = trunc_function(a[i]);                                                        \
            bool ok = (whole >= (low_bound)) & (whole < (high_bound));                             \
            fits[i] = ok;                                                                          \
            wrong |= !ok;                                                                          \
            d[i] = (R)(V)(ok ? whole : 0);                                                         \
        }                                                                                          \
        if (wrong) WRONG_LANES(R, !fits[i], convert_wrong)                                         \
        target_done(x, op, sizeof(R));                                                             \
    }
#define TO_INT_SHAPES_S(name, T, R, V, trunc_function, low_bound, high_bound)                      \
    static void name##_S(sim_exec *x, const sim_op *op)                                            \
    {                                                                                              \
        T whole = trunc_function(*(const T *)sim_at(x, op->a));                                    \
        bool ok = (whole >= (low_bound)) & (whole < (high_bound));                                 \
        *(R *)sim_at(x, op->target) = (R)(V)(ok ? whole : 0);                                      \
        if (!ok) WRONG_UNIFORM(R, convert_wrong);                                                  \
    }
#define TO_INT_SHAPES(name, T, R, V, trunc_function, low_bound, high_bound)                        \
    TO_INT_SHAPES_V(name, T, R, V, trunc_function, low_bound, high_bound)                          \
    TO_INT_SHAPES_S(name, T, R, V, trunc_function, low_bound, high_bound)
#define TRUNC_F32 __builtin_truncf
#define TRUNC_F64 __builtin_trunc
#define POWER_I8  256
#define POWER_I16 65536
#define POWER_I32 4294967296
#define POWER_I64 18446744073709551616.0
#define CONVERT_FTOU(from, to)                                                                     \
    TO_INT_SHAPES(FTOU_##from##_##to, U_##from, U_##to, U_##to, TRUNC_##from, 0,                   \
                  (U_##from)POWER_##to)
#define CONVERT_FTOS(from, to)                                                                     \
    TO_INT_SHAPES(FTOS_##from##_##to, U_##from, U_##to, S_##to, TRUNC_##from,                      \
                  -(U_##from)POWER_##to / 2, (U_##from)POWER_##to / 2)
#define CONVERT(op, from, to) CONVERT_##op(from, to)
SIM_FLOAT_TO_INT(CONVERT)
#undef CONVERT

/* No vector unit divides integers, so only active lanes are computed. */
#define DIVIDE_SHAPES_V(name, T, WRONG, EXPRESSION)                                                \
    static void name##_V(sim_exec *x, const sim_op *op)                                            \
    {                                                                                              \
        uint32_t n = LANE_COUNT(x);                                                                \
        const T *pa = ROW(T, op->a), *pb = ROW(T, op->b);                                          \
        T *d = target_row(x, op, sizeof(T));                                                       \
        for (uint32_t i = 0; i < n; i++) {                                                         \
            if (!x->mask[x->low + i]) continue;                                                    \
            T a = pa[i], b = pb[i];                                                                \
            d[i] = WRONG ? (T)sim_lane_undefined(x, op, x->low + i, 1, divide_wrong)               \
                         : (T)(EXPRESSION);                                                        \
        }                                                                                          \
        target_done(x, op, sizeof(T));                                                             \
    }
#define DIVIDE_SHAPES_S(name, T, WRONG, EXPRESSION)                                                \
    static void name##_S(sim_exec *x, const sim_op *op)                                            \
    {                                                                                              \
        T a = *(const T *)sim_at(x, op->a), b = *(const T *)sim_at(x, op->b);                      \
        if (WRONG) {                                                                               \
            WRONG_UNIFORM(T, divide_wrong);                                                        \
        } else {                                                                                   \
            *(T *)sim_at(x, op->target) = (T)(EXPRESSION);                                         \
        }                                                                                          \
    }
#define DIVIDE_SHAPES(name, T, WRONG, EXPRESSION)                                                  \
    DIVIDE_SHAPES_V(name, T, WRONG, EXPRESSION)                                                    \
    DIVIDE_SHAPES_S(name, T, WRONG, EXPRESSION)
#define OVERFLOWS(t) (b == 0 || (a == (U_##t)(W(t, 1) << (BITS_##t - 1)) && b == (U_##t) - 1))
/* The remainder with the sign of the divisor. */
#define SMOD(t)                                                                                    \
    (SG(t, a) % SG(t, b) != 0 && ((SG(t, a) % SG(t, b) < 0) != (SG(t, b) < 0))                     \
         ? SG(t, a) % SG(t, b) + SG(t, b)                                                          \
         : SG(t, a) % SG(t, b))
#define ALL_DIVISIONS(t)                                                                           \
    DIVIDE_SHAPES(UDIV_##t, U_##t, (b == 0), a / b)                                                \
    DIVIDE_SHAPES(UREM_##t, U_##t, (b == 0), a % b)                                                \
    DIVIDE_SHAPES(SDIV_##t, U_##t, OVERFLOWS(t), SG(t, a) / SG(t, b))                              \
    DIVIDE_SHAPES(SREM_##t, U_##t, OVERFLOWS(t), SG(t, a) % SG(t, b))                              \
    DIVIDE_SHAPES(SMOD_##t, U_##t, OVERFLOWS(t), SMOD(t))
ALL_DIVISIONS(I8)
ALL_DIVISIONS(I16)
ALL_DIVISIONS(I32)
ALL_DIVISIONS(I64)

/* ---- Moves and selections ------------------------------------------------------------------- */

#define LANE_TYPE I8
#include "sim/exec/lanes_integer.inc"
#define LANE_TYPE I16
#include "sim/exec/lanes_integer.inc"
#define LANE_TYPE I32
#include "sim/exec/lanes_integer.inc"
#define LANE_TYPE I64
#include "sim/exec/lanes_integer.inc"

/* ---- The table ------------------------------------------------------------------------------ */

#define ENTRY(name) [SIM_H_##name] = name,
#define FOUR_ENTRIES(op, t)                                                                        \
    ENTRY(op##_##t##_VV) ENTRY(op##_##t##_VS) ENTRY(op##_##t##_SV) ENTRY(op##_##t##_SS)
#define TWO_ENTRIES(op, t)            ENTRY(op##_##t##_V) ENTRY(op##_##t##_S)
#define CONVERT_ENTRIES(op, from, to) ENTRY(op##_##from##_##to##_V) ENTRY(op##_##from##_##to##_S)
#define MOVE_ENTRIES(op, t)           ENTRY(op##_##t##_VV) ENTRY(op##_##t##_VS) ENTRY(op##_##t##_SS)
#define INT_FOUR_ENTRIES(op)          SIM_INT_TYPES(FOUR_ENTRIES, op)
#define INT_TWO_ENTRIES(op)           SIM_INT_TYPES(TWO_ENTRIES, op)
#define FLOAT_FOUR_ENTRIES(op)        SIM_FLOAT_TYPES(FOUR_ENTRIES, op)
#define FLOAT_TWO_ENTRIES(op)         SIM_FLOAT_TYPES(TWO_ENTRIES, op)

sim_handle *const SIM_NAME(sim_lanes_table)[SIM_HANDLER_COUNT] = {
    SIM_INT_BINARY(INT_FOUR_ENTRIES) SIM_FLOAT_BINARY(FLOAT_FOUR_ENTRIES)
        SIM_INT_COMPARE(INT_FOUR_ENTRIES) SIM_FLOAT_COMPARE(FLOAT_FOUR_ENTRIES)
            SIM_INT_RARE(INT_TWO_ENTRIES) SIM_INT_DIVIDE(INT_TWO_ENTRIES)
                SIM_FLOAT_RARE(FLOAT_TWO_ENTRIES) SIM_INT_UNARY(INT_TWO_ENTRIES)
                    SIM_FLOAT_UNARY(FLOAT_TWO_ENTRIES) TWO_ENTRIES(RSQRT, F32)
                        SIM_MATH(FLOAT_TWO_ENTRIES) SIM_TERNARY(FLOAT_TWO_ENTRIES)
                            SIM_CONVERSIONS(CONVERT_ENTRIES) SIM_FLOAT_TO_INT(CONVERT_ENTRIES)
                                SIM_INT_TYPES(MOVE_ENTRIES, MOVE)
                                    SIM_INT_TYPES(FOUR_ENTRIES, SELECT)
                                        SIM_INT_TYPES(TWO_ENTRIES, PICK)};
