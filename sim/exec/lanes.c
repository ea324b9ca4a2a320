/* Arithmetic, comparisons, conversions, moves: elementwise operations on lane arrays.
 *
 * Every handler works on all lanes of [low, high), active or not.  It writes to the target or, if
 * inactive lanes must keep their values, to a scratch row that is then blended in.  So nothing here
 * may trap or be undefined if inactive lanes hold garbage: shift amounts are reduced and
 * conversions guarded first, and divisors of inactive lanes replaced. Integers are computed in
 * unsigned types.
 *
 * Source: SPIR-V specification 1.6 sections 3.42.13, 3.42.14, 3.42.15; OpenCL extended instruction
 * set 1.0. */
#include "sim/exec/chunks.h"
#include "sim/number/rsqrt.h"

#include <string.h>

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
        for (uint32_t c = 0; c < n; c += SIM_CHUNK)                                                \
            sim_chunk_blend_##bits(d + c, s + c, m + c);                                           \
    }
BLEND(8)
BLEND(16)
BLEND(32)
BLEND(64)
#define BLEND_I8  sim_chunk_blend_8
#define BLEND_I16 sim_chunk_blend_16
#define BLEND_I32 sim_chunk_blend_32
#define BLEND_I64 sim_chunk_blend_64

/* Not inlined: every handler calls it, and four loops in each would be a third of this file's code
 * and of the time to compile it. */
static __attribute__((noinline)) void target_blend(sim_exec *x, const sim_op *op, uint32_t bytes)
{
    switch (bytes) {
    case 1: blend_8(x, op); break;
    case 2: blend_16(x, op); break;
    case 4: blend_32(x, op); break;
    default: blend_64(x, op); break;
    }
}

static inline void target_done(sim_exec *x, const sim_op *op, uint32_t bytes)
{
    if (op->blend && x->partial) target_blend(x, op, bytes);
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

/* ---- Shapes of operations that can be undefined ---------------------------------------------- */

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
/* The quick way divides all lanes, those that are not active 0 by 1; the other one divides lane by
 * lane. GCC makes no vectors of `?:` here. */
#define DIVIDED(T)                                                                                 \
    T on = (T)(0 - (T)(mask[i] != 0)), a = pa[i] & on, b = (T)((pb[i] & on) | (~on & 1))
#define DIVIDE_SHAPES_V(name, T, WRONG, EXPRESSION, IS_QUICK, QUICK)                               \
    static void name##_V(sim_exec *x, const sim_op *op)                                            \
    {                                                                                              \
        uint32_t n = LANE_COUNT(x);                                                                \
        const uint8_t *mask = x->mask + x->low;                                                    \
        const T *pa = ROW(T, op->a), *pb = ROW(T, op->b);                                          \
        T *d = target_row(x, op, sizeof(T));                                                       \
        uint8_t slow = 0;                                                                          \
        FOR_LANES                                                                                  \
        {                                                                                          \
            DIVIDED(T);                                                                            \
            (void)a;                                                                               \
            slow |= (WRONG) | !(IS_QUICK);                                                         \
        }                                                                                          \
        if (!slow) {                                                                               \
            FOR_LANES                                                                              \
            {                                                                                      \
                DIVIDED(T);                                                                        \
                d[i] = (T)(QUICK);                                                                 \
            }                                                                                      \
        } else {                                                                                   \
            for (uint32_t i = 0; i < n; i++) {                                                     \
                if (!mask[i]) continue;                                                            \
                T a = pa[i], b = pb[i];                                                            \
                d[i] = WRONG ? (T)sim_lane_undefined(x, op, x->low + i, 1, divide_wrong)           \
                             : (T)(EXPRESSION);                                                    \
            }                                                                                      \
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
#define DIVIDE_SHAPES(name, T, WRONG, EXPRESSION, IS_QUICK, QUICK)                                 \
    DIVIDE_SHAPES_V(name, T, WRONG, EXPRESSION, IS_QUICK, QUICK)                                   \
    DIVIDE_SHAPES_S(name, T, WRONG, EXPRESSION)
/* ---- The operations ------------------------------------------------------------------------- */

#include "sim/number/operations.inc"

#define LANE_TYPE     F32
#define FMA_FUNCTION  __builtin_fmaf
#define MATH_FUNCTION sim_math_float
#define MATH_ROWS     SIM_NAME(sim_math_rows)
#include "sim/exec/lanes_float.inc"
#define LANE_TYPE     F64
#define FMA_FUNCTION  __builtin_fma
#define MATH_FUNCTION sim_math_double
#define MATH_ROWS     SIM_NAME(sim_math_rows_double)
#include "sim/exec/lanes_float.inc"

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
