/* Conversions between numbers: common conversions become operations on whole rows of lanes; those
 * with another rounding mode or saturation, and those between half and integers, become one general
 * operation. Without a decoration, conversions to float round to nearest even, and conversions to
 * integer round towards zero. Source: SPIR-V specification 1.6, sections 3.42.11 and 3.20
 * (FPRoundingMode, SaturatedConversion). */
#include "sim/decode/decode.h"

#include "sim/module/fold.h"

static sim_ref build_general(sim_decoder *d, sim_numeric numeric, sim_lane_type to, sim_ref a)
{
    sim_ref out = sim_build_unary(d, SIM_H_CONVERT_V, to, a);
    d->f->nodes.items[d->f->nodes.count - 1].extra = sim_numeric_pack(numeric);
    return out;
}

sim_ref sim_build_convert(sim_decoder *d, const sim_view *view, const sim_ref *in)
{
    const sim_type *operand = sim_decode_type(d, view, 0);
    sim_numeric n =
        sim_numeric_of(d->f->module, view->id, view->opcode->number, operand, view->type);
    sim_lane_type from = sim_type_lane(operand), to = sim_type_lane(view->type);
    bool from_float = n.from >= SIM_NUMBER_HALF, to_float = n.to >= SIM_NUMBER_HALF;
    bool is_signed = n.from >= SIM_NUMBER_S8;
    if (!from_float && !to_float) {
        return n.is_saturated ? build_general(d, n, to, in[0])
                              : sim_build_resize(d, from, to, is_signed, in[0]);
    }
    if (from_float && to_float) {
        bool is_exact = n.to >= n.from;
        if (n.to == n.from) return in[0];
        if (!is_exact && n.rounding != SIM_ROUND_NEAREST) return build_general(d, n, to, in[0]);
        if (n.to == SIM_NUMBER_HALF) return sim_half_narrow(d, from, in[0]);
        if (n.from == SIM_NUMBER_HALF) return sim_half_widen(d, to, in[0]);
        return sim_build_unary(d, sim_conversion_handler(SIM_CONVERT_FTOF, from, to), to, in[0]);
    }
    bool has_half = n.from == SIM_NUMBER_HALF || n.to == SIM_NUMBER_HALF;
    bool is_common = to_float ? n.rounding == SIM_ROUND_NEAREST
                              : n.rounding == SIM_ROUND_ZERO && !n.is_saturated;
    if (!is_common || has_half) return build_general(d, n, to, in[0]);
    sim_conversion kind = n.to < SIM_NUMBER_S8 ? SIM_CONVERT_FTOU : SIM_CONVERT_FTOS;
    if (to_float) kind = is_signed ? SIM_CONVERT_STOF : SIM_CONVERT_UTOF;
    return sim_build_unary(d, sim_conversion_handler(kind, from, to), to, in[0]);
}

/* Rounds to the precision of half. A value too small for a normal half becomes a zero of the same
 * sign, as the instruction permits. */
sim_ref sim_build_quantize(sim_decoder *d, const sim_view *view, const sim_ref *in)
{
    CHECK(sim_type_lane(view->type) == SIM_F32);
    sim_ref exponent = sim_decode_constant(d, 0x7c00), sign = sim_decode_constant(d, 0x8000);
    sim_ref zero = sim_decode_constant(d, 0);
    sim_ref half = sim_half_narrow(d, SIM_F32, in[0]);
    sim_ref signed_zero = sim_build_four(d, SIM_INT4(AND, SIM_I16), SIM_I16, half, sign);
    sim_ref scale = sim_build_four(d, SIM_INT4(AND, SIM_I16), SIM_I16, half, exponent);
    sim_ref is_small = sim_build_four(d, SIM_INT4(EQ, SIM_I16), SIM_I8, scale, zero);
    half = sim_build_select(d, SIM_I16, is_small, signed_zero, half);
    return sim_half_widen(d, SIM_F32, half);
}

sim_ref sim_decode_convert_float(sim_decoder *d, sim_lane_type from, uint32_t rounding, sim_ref a)
{
    sim_numeric numeric = {.from = from == SIM_F32 ? SIM_NUMBER_FLOAT : SIM_NUMBER_DOUBLE,
                           .to = SIM_NUMBER_HALF,
                           .rounding = (sim_rounding)rounding};
    CHECK(from == SIM_F32 || from == SIM_F64);
    if (numeric.rounding == SIM_ROUND_NEAREST) return sim_half_narrow(d, from, a);
    return build_general(d, numeric, SIM_I16, a);
}
