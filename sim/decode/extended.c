/* Instructions of OpenCL.std, one component at a time: a table for instructions that become one
 * operation, short recipes for the others. opencl_std.def lists what the simulator refuses to
 * execute. half_ and native_ functions are computed with full precision, which the specification
 * allows. Source: OpenCL extended instruction set specification 1.0. */
#include "sim/decode/decode.h"

/* ---- One operation ------------------------------------------------------------------------ */

typedef enum way {
    WAY_FLOAT_UNARY,
    WAY_FLOAT_BINARY, /* shape BINARY */
    WAY_FLOAT_FOUR,
    WAY_INT_UNARY,
    WAY_INT_BINARY,
    WAY_MATH1,
    WAY_MATH2,
} way;

typedef struct recipe {
    uint16_t number;
    uint8_t way;
    uint16_t handler; /* handler for the first type; MATH: sim_math */
} recipe;

#define FLOAT1(name, op) SIM_STD_##name, WAY_FLOAT_UNARY, SIM_H_##op##_F32_V
#define FLOAT2(name, op) SIM_STD_##name, WAY_FLOAT_BINARY, SIM_H_##op##_F32_V
#define FLOAT4(name, op) SIM_STD_##name, WAY_FLOAT_FOUR, SIM_H_##op##_F32_VV
#define INT1(name, op)   SIM_STD_##name, WAY_INT_UNARY, SIM_H_##op##_I8_V
#define INT2(name, op)   SIM_STD_##name, WAY_INT_BINARY, SIM_H_##op##_I8_V
#define MATH1(name, f)   SIM_STD_##name, WAY_MATH1, SIM_MATH_##f
#define MATH2(name, f)   SIM_STD_##name, WAY_MATH2, SIM_MATH_##f
/* clang-format off */
#define MATH1_ALL(f) {MATH1(f, f)}, {MATH1(native_##f, f)}, {MATH1(half_##f, f)}
/* clang-format on */

static const recipe recipes[] = {
    {FLOAT1(sqrt, SQRT)},
    {FLOAT1(native_sqrt, SQRT)},
    {FLOAT1(half_sqrt, SQRT)},
    {FLOAT1(floor, FLOOR)},
    {FLOAT1(ceil, CEIL)},
    {FLOAT1(trunc, TRUNC)},
    {FLOAT1(rint, RINT)},
    {FLOAT1(round, ROUND)},
    {FLOAT2(fmin, FMIN)},
    {FLOAT2(fmax, FMAX)},
    {FLOAT2(fmin_common, FMIN)},
    {FLOAT2(fmax_common, FMAX)},
    {FLOAT4(native_divide, FDIV)},
    {FLOAT4(half_divide, FDIV)},
    {INT1(clz, CLZ)},
    {INT1(ctz, CTZ)},
    {INT1(popcount, POPCOUNT)},
    {INT2(s_min, SMIN)},
    {INT2(s_max, SMAX)},
    {INT2(u_min, UMIN)},
    {INT2(u_max, UMAX)},
    {INT2(s_mul_hi, SMULHI)},
    {INT2(u_mul_hi, UMULHI)},
    {INT2(rotate, ROTATE)},
    {INT2(s_add_sat, SADDSAT)},
    {INT2(u_add_sat, UADDSAT)},
    {INT2(s_sub_sat, SSUBSAT)},
    {INT2(u_sub_sat, USUBSAT)},
    {INT2(s_hadd, SHADD)},
    {INT2(u_hadd, UHADD)},
    {INT2(s_rhadd, SRHADD)},
    {INT2(u_rhadd, URHADD)},
    {INT2(s_abs_diff, SABSDIFF)},
    {INT2(u_abs_diff, UABSDIFF)},
    MATH1_ALL(cos),
    MATH1_ALL(exp),
    MATH1_ALL(exp2),
    MATH1_ALL(exp10),
    MATH1_ALL(log),
    MATH1_ALL(log2),
    MATH1_ALL(log10),
    MATH1_ALL(sin),
    MATH1_ALL(tan),
    {MATH1(acos, acos)},
    {MATH1(acosh, acosh)},
    {MATH1(acospi, acospi)},
    {MATH1(asin, asin)},
    {MATH1(asinh, asinh)},
    {MATH1(asinpi, asinpi)},
    {MATH1(atan, atan)},
    {MATH1(atanh, atanh)},
    {MATH1(atanpi, atanpi)},
    {MATH1(cbrt, cbrt)},
    {MATH1(cosh, cosh)},
    {MATH1(cospi, cospi)},
    {MATH1(erf, erf)},
    {MATH1(erfc, erfc)},
    {MATH1(expm1, expm1)},
    {MATH1(lgamma, lgamma)},
    {MATH1(log1p, log1p)},
    {MATH1(logb, logb)},
    {MATH1(sinh, sinh)},
    {MATH1(sinpi, sinpi)},
    {MATH1(tanh, tanh)},
    {MATH1(tanpi, tanpi)},
    {MATH1(tgamma, tgamma)},
    {MATH2(atan2, atan2)},
    {MATH2(atan2pi, atan2pi)},
    {MATH2(fdim, fdim)},
    {MATH2(fmod, fmod)},
    {MATH2(hypot, hypot)},
    {MATH2(maxmag, maxmag)},
    {MATH2(minmag, minmag)},
    {MATH2(nextafter, nextafter)},
    {MATH2(pow, pow)},
    {MATH2(remainder, remainder)},
    {MATH2(powr, powr)},
    {MATH2(native_powr, powr)},
    {MATH2(half_powr, powr)},
};

static const recipe *recipe_find(uint32_t number)
{
    for (uint32_t i = 0; i < sizeof recipes / sizeof recipes[0]; i++) {
        if (recipes[i].number == number) return &recipes[i];
    }
    return NULL;
}

sim_ref sim_build_math(sim_decoder *d, sim_math function, sim_lane_type type, sim_ref a, sim_ref b)
{
    CHECK(type >= SIM_F32 && function < SIM_MATH_COUNT);
    sim_ref out = b == SIM_REF_NONE ? sim_build_unary(d, SIM_FLOAT2(MATH1, type), type, a)
                                    : sim_build_binary(d, SIM_FLOAT2(MATH2, type), type, a, b);
    d->f->nodes.items[d->f->nodes.count - 1].extra = function;
    return out;
}

sim_ref sim_build_rsqrt(sim_decoder *d, sim_lane_type type, sim_ref a)
{
    return type == SIM_F32 ? sim_build_unary(d, SIM_H_RSQRT_F32_V, type, a)
                           : sim_build_math(d, SIM_MATH_rsqrt, type, a, SIM_REF_NONE);
}

/* ---- Several operations ------------------------------------------------------------------- */

sim_ref sim_decode_float(sim_decoder *d, sim_lane_type type, double value)
{
    union {
        float f;
        uint32_t u;
    } narrow = {.f = (float)value};
    union {
        double f;
        uint64_t u;
    } wide = {.f = value};
    return sim_decode_constant(d, type == SIM_F32 ? narrow.u : wide.u);
}

#define BITS(type) ((type) == SIM_F32 ? SIM_I32 : SIM_I64)
#define ADD(a, b)  sim_build_four(d, SIM_FLOAT4(FADD, type), type, a, b)
#define SUB(a, b)  sim_build_four(d, SIM_FLOAT4(FSUB, type), type, a, b)
#define MUL(a, b)  sim_build_four(d, SIM_FLOAT4(FMUL, type), type, a, b)
#define DIV(a, b)  sim_build_four(d, SIM_FLOAT4(FDIV, type), type, a, b)
#define MIN(a, b)  sim_build_binary(d, SIM_FLOAT2(FMIN, type), type, a, b)
#define MAX(a, b)  sim_build_binary(d, SIM_FLOAT2(FMAX, type), type, a, b)
#define LESS(a, b) sim_build_four(d, SIM_FLOAT4(FLT, type), SIM_I8, a, b)

static sim_ref build_float(sim_decoder *d, uint32_t number, sim_lane_type type, const sim_ref *in)
{
    uint64_t sign = UINT64_C(1) << (8 * sim_lane_bytes(type) - 1);
    sim_ref zero = sim_decode_constant(d, 0), one = sim_decode_float(d, type, 1);
    switch (number) {
    case SIM_STD_fabs:
        return sim_build_four(d, SIM_INT4(AND, BITS(type)), type, in[0],
                              sim_decode_constant(d, sign - 1));
    case SIM_STD_copysign: {
        sim_lane_type bits = BITS(type);
        sim_ref size =
            sim_build_four(d, SIM_INT4(AND, bits), bits, in[0], sim_decode_constant(d, sign - 1));
        sim_ref top =
            sim_build_four(d, SIM_INT4(AND, bits), bits, in[1], sim_decode_constant(d, sign));
        return sim_build_four(d, SIM_INT4(OR, bits), type, size, top);
    }
    case SIM_STD_fma: return sim_build_ternary(d, SIM_FLOAT2(FMA, type), type, in[0], in[1], in[2]);
    case SIM_STD_mad: return ADD(MUL(in[0], in[1]), in[2]);
    case SIM_STD_fclamp: return MIN(MAX(in[0], in[1]), in[2]);
    case SIM_STD_mix: return ADD(in[0], MUL(SUB(in[1], in[0]), in[2]));
    case SIM_STD_step: return sim_build_select(d, type, LESS(in[1], in[0]), zero, one);
    case SIM_STD_smoothstep: {
        sim_ref t = DIV(SUB(in[2], in[0]), SUB(in[1], in[0]));
        t = MIN(MAX(t, zero), one);
        sim_ref slope = SUB(sim_decode_float(d, type, 3), MUL(sim_decode_float(d, type, 2), t));
        return MUL(MUL(t, t), slope);
    }
    case SIM_STD_sign: {
        /* sign() of a zero is that zero; sign() of a NaN is 0. */
        sim_ref is_nan = sim_build_four(d, SIM_FLOAT4(FUNE, type), SIM_I8, in[0], in[0]);
        sim_ref out = sim_build_select(d, type, is_nan, zero, in[0]);
        out = sim_build_select(d, type, LESS(zero, in[0]), one, out);
        sim_ref minus_one = sim_decode_float(d, type, -1);
        return sim_build_select(d, type, LESS(in[0], zero), minus_one, out);
    }
    case SIM_STD_degrees:
        return MUL(in[0], sim_decode_float(d, type, 57.295779513082320876798154814105));
    case SIM_STD_radians:
        return MUL(in[0], sim_decode_float(d, type, 0.01745329251994329576923690768489));
    case SIM_STD_rsqrt:
    case SIM_STD_native_rsqrt:
    case SIM_STD_half_rsqrt: return sim_build_rsqrt(d, type, in[0]);
    case SIM_STD_native_recip:
    case SIM_STD_half_recip: return DIV(one, in[0]);
    default: UNREACHABLE();
    }
}

#define INT(op, a, b)  sim_build_four(d, SIM_INT4(op, type), type, a, b)
#define RARE(op, a, b) sim_build_binary(d, SIM_INT2(op, type), type, a, b)

/* The low 24 bits of a 32-bit integer, extended to 32 bits. */
static sim_ref low24(sim_decoder *d, sim_lane_type type, bool is_signed, sim_ref a)
{
    sim_ref eight = sim_decode_constant(d, 8);
    a = INT(SHL, a, eight);
    return is_signed ? INT(SAR, a, eight) : INT(SHR, a, eight);
}

static sim_ref build_integer(sim_decoder *d, uint32_t number, sim_lane_type type, const sim_ref *in)
{
    bool is_signed = number == SIM_STD_s_mul24 || number == SIM_STD_s_mad24;
    switch (number) {
    case SIM_STD_u_abs: return in[0];
    case SIM_STD_s_abs: return RARE(SMAX, in[0], INT(SUB, sim_decode_constant(d, 0), in[0]));
    case SIM_STD_s_clamp: return RARE(SMIN, RARE(SMAX, in[0], in[1]), in[2]);
    case SIM_STD_u_clamp: return RARE(UMIN, RARE(UMAX, in[0], in[1]), in[2]);
    case SIM_STD_s_mad_hi: return INT(ADD, RARE(SMULHI, in[0], in[1]), in[2]);
    case SIM_STD_u_mad_hi: return INT(ADD, RARE(UMULHI, in[0], in[1]), in[2]);
    case SIM_STD_s_mad_sat: return sim_build_mad_sat(d, true, type, in);
    case SIM_STD_u_mad_sat: return sim_build_mad_sat(d, false, type, in);
    case SIM_STD_s_mul24:
    case SIM_STD_u_mul24:
    case SIM_STD_s_mad24:
    case SIM_STD_u_mad24: {
        sim_ref product =
            INT(MUL, low24(d, type, is_signed, in[0]), low24(d, type, is_signed, in[1]));
        bool adds = number == SIM_STD_s_mad24 || number == SIM_STD_u_mad24;
        return adds ? INT(ADD, product, in[2]) : product;
    }
    default: UNREACHABLE();
    }
}

sim_ref sim_decode_extended(sim_decoder *d, uint32_t number, sim_lane_type type,
                            const sim_ref *operands)
{
    const recipe *r = recipe_find(number);
    if (!r) {
        return type >= SIM_F32 ? build_float(d, number, type, operands)
                               : build_integer(d, number, type, operands);
    }
    sim_ref a = operands[0], b = operands[1];
    uint32_t place = type >= SIM_F32 ? (uint32_t)type - SIM_F32 : type;
    CHECK((type < SIM_F32) == (r->way == WAY_INT_UNARY || r->way == WAY_INT_BINARY));
    switch ((way)r->way) {
    case WAY_FLOAT_UNARY:
    case WAY_INT_UNARY: return sim_build_unary(d, r->handler + 2 * place, type, a);
    case WAY_FLOAT_BINARY:
    case WAY_INT_BINARY: return sim_build_binary(d, r->handler + 2 * place, type, a, b);
    case WAY_FLOAT_FOUR: return sim_build_four(d, r->handler + SIM_FORMS * place, type, a, b);
    case WAY_MATH1: return sim_build_math(d, (sim_math)r->handler, type, a, SIM_REF_NONE);
    case WAY_MATH2: return sim_build_math(d, (sim_math)r->handler, type, a, b);
    }
    UNREACHABLE();
}
