/* Half: values are represented by their bits; each operation is computed in a wider format and
 * rounded once (half.h explains why that is exact). */
#include "sim/decode/decode.h"

#define F32(op, a, b) sim_build_four(d, SIM_FLOAT4(op, SIM_F32), SIM_F32, a, b)
#define WIDEN(a)      sim_half_widen(d, SIM_F32, a)
#define NARROW(a)     sim_half_narrow(d, SIM_F32, a)

sim_ref sim_half_widen(sim_decoder *d, sim_lane_type to, sim_ref a)
{
    CHECK(to == SIM_F32 || to == SIM_F64);
    sim_ref out = sim_build_unary(d, SIM_H_HTOF_I16_F32_V, SIM_F32, a);
    return to == SIM_F32 ? out : sim_build_unary(d, SIM_H_FTOF_F32_F64_V, SIM_F64, out);
}

sim_ref sim_half_narrow(sim_decoder *d, sim_lane_type from, sim_ref a)
{
    CHECK(from == SIM_F32 || from == SIM_F64);
    uint32_t handler = from == SIM_F32 ? SIM_H_FTOH_F32_I16_V : SIM_H_FTOH_F64_I16_V;
    return sim_build_unary(d, handler, SIM_I16, a);
}

/* Every product and every sum is rounded to half, as if written with OpFMul and OpFAdd. */
sim_ref sim_half_dot(sim_decoder *d, sim_leaves a, sim_leaves b)
{
    CHECK(a.count == b.count && a.count > 0);
    sim_ref sum = SIM_REF_NONE;
    for (uint32_t i = 0; i < a.count; i++) {
        sim_ref product = NARROW(F32(FMUL, WIDEN(a.refs[i]), WIDEN(b.refs[i])));
        sum = i == 0 ? product : NARROW(F32(FADD, WIDEN(sum), WIDEN(product)));
    }
    return sum;
}

static sim_ref bits_and(sim_decoder *d, sim_ref a, uint64_t mask)
{
    return sim_build_four(d, SIM_INT4(AND, SIM_I16), SIM_I16, a, sim_decode_constant(d, mask));
}

/* ---- nextafter ---------------------------------------------------------------------------- */

#define INT(op, a, b)     sim_build_four(d, SIM_INT4(op, SIM_I16), SIM_I16, a, b)
#define COMPARE(op, a, b) sim_build_four(d, SIM_INT4(op, SIM_I16), SIM_I8, a, b)
#define CONSTANT(bits)    sim_decode_constant(d, bits)

/* Maps halves to integers that have the same order, and both zeros to 0; a NaN is mapped to an
 * arbitrary number. */
static sim_ref order_of(sim_decoder *d, sim_ref a)
{
    sim_ref size = bits_and(d, a, 0x7fff);
    sim_ref is_negative = COMPARE(SLT, a, CONSTANT(0));
    return sim_build_select(d, SIM_I16, is_negative, INT(SUB, CONSTANT(0), size), size);
}

static sim_ref is_nan(sim_decoder *d, sim_ref a)
{
    return COMPARE(SLT, CONSTANT(0x7c00), bits_and(d, a, 0x7fff));
}

/* The next double is not the next half, so nextafter works on the bits: it moves one step in the
 * order of halves. A step to zero keeps the sign. */
static sim_ref next_after(sim_decoder *d, sim_ref a, sim_ref b)
{
    sim_ref from = order_of(d, a), to = order_of(d, b);
    sim_ref up = sim_build_resize(d, SIM_I8, SIM_I16, false, COMPARE(SLT, from, to));
    sim_ref down = sim_build_resize(d, SIM_I8, SIM_I16, false, COMPARE(SLT, to, from));
    sim_ref next = INT(SUB, INT(ADD, from, up), down);
    sim_ref negative = INT(OR, INT(SUB, CONSTANT(0), next), CONSTANT(0x8000));
    sim_ref out = sim_build_select(d, SIM_I16, COMPARE(SLT, next, CONSTANT(0)), negative, next);
    sim_ref zero = bits_and(d, a, 0x8000);
    out = sim_build_select(d, SIM_I16, COMPARE(EQ, next, CONSTANT(0)), zero, out);
    out = sim_build_select(d, SIM_I16, COMPARE(EQ, from, to), b, out);
    sim_ref nan = sim_build_four(d, SIM_INT4(OR, SIM_I8), SIM_I8, is_nan(d, a), is_nan(d, b));
    return sim_build_select(d, SIM_I16, nan, CONSTANT(0x7e00), out);
}

sim_ref sim_decode_half_extended(sim_decoder *d, uint32_t number, const sim_ref *operands)
{
    switch (number) {
    case SIM_STD_fabs: return bits_and(d, operands[0], 0x7fff);
    case SIM_STD_copysign:
        return INT(OR, bits_and(d, operands[0], 0x7fff), bits_and(d, operands[1], 0x8000));
    case SIM_STD_mad: { /* two operations, each rounded to half, like mad of the other types */
        sim_ref product = NARROW(F32(FMUL, WIDEN(operands[0]), WIDEN(operands[1])));
        return NARROW(F32(FADD, WIDEN(product), WIDEN(operands[2])));
    }
    case SIM_STD_nextafter: return next_after(d, operands[0], operands[1]);
    default: break;
    }
    sim_ref wide[3] = {SIM_REF_NONE, SIM_REF_NONE, SIM_REF_NONE};
    for (uint32_t i = 0; i < 3; i++) {
        if (operands[i] != SIM_REF_NONE) wide[i] = sim_half_widen(d, SIM_F64, operands[i]);
    }
    return sim_half_narrow(d, SIM_F64, sim_decode_extended(d, number, SIM_F64, wide));
}
