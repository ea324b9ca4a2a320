/* Conversions between numbers: common conversions become operations on whole rows of lanes; those
 * with another rounding mode or saturation become one general operation. Without a decoration,
 * conversions to float round to nearest even, and conversions to integer towards zero. Source:
 * SPIR-V specification 1.6, sections 3.42.11 and 3.20 (FPRoundingMode, SaturatedConversion). */
#include "sim/decode/decode.h"

#include "sim/module/fold.h"

typedef struct conversion {
    sim_numeric numeric;
    sim_lane_type from, to;
} conversion;

static bool is_float(sim_number_type type)
{
    return type >= SIM_NUMBER_HALF;
}

static conversion conversion_of(const sim_decoder *d, const sim_view *view)
{
    const sim_module *module = d->f->module;
    const sim_type *type = sim_module_id(module, view->operands[0])->type;
    return (conversion){
        .numeric = sim_numeric_of(module, view->id, view->opcode->number, type, view->type),
        .from = sim_type_lane(type),
        .to = sim_type_lane(view->type)};
}

static sim_ref build_general(sim_decoder *d, sim_numeric numeric, sim_lane_type to, sim_ref a)
{
    sim_ref out = sim_build_unary(d, SIM_H_CONVERT_V, to, a);
    d->f->nodes.items[d->f->nodes.count - 1].extra = sim_numeric_pack(numeric);
    return out;
}

/* From float to float. */
static sim_ref build_resize_float(sim_decoder *d, const conversion *c, sim_ref a)
{
    bool is_exact = c->numeric.to >= c->numeric.from;
    if (c->numeric.to == c->numeric.from) return a;
    if (!is_exact && c->numeric.rounding != SIM_ROUND_NEAREST) {
        return build_general(d, c->numeric, c->to, a);
    }
    if (c->numeric.to == SIM_NUMBER_HALF) return sim_half_narrow(d, c->from, a);
    if (c->numeric.from == SIM_NUMBER_HALF) return sim_half_widen(d, c->to, a);
    return sim_build_unary(d, sim_conversion_handler(SIM_CONVERT_FTOF, c->from, c->to), c->to, a);
}

static sim_ref build_one(sim_decoder *d, const conversion *c, sim_ref a)
{
    const sim_numeric *n = &c->numeric;
    bool has_half = n->from == SIM_NUMBER_HALF || n->to == SIM_NUMBER_HALF;
    bool is_signed = n->from >= SIM_NUMBER_S8;
    if (is_float(n->from) && is_float(n->to)) return build_resize_float(d, c, a);
    if (!is_float(n->from) && !is_float(n->to)) {
        if (n->is_saturated) return build_general(d, *n, c->to, a);
        return sim_build_resize(d, c->from, c->to, is_signed, a);
    }
    bool is_common = is_float(n->to) ? n->rounding == SIM_ROUND_NEAREST
                                     : n->rounding == SIM_ROUND_ZERO && !n->is_saturated;
    if (!is_common || has_half) return build_general(d, *n, c->to, a);
    sim_conversion kind = is_float(n->to) ? (is_signed ? SIM_CONVERT_STOF : SIM_CONVERT_UTOF)
                          : n->to < SIM_NUMBER_S8 ? SIM_CONVERT_FTOU
                                                  : SIM_CONVERT_FTOS;
    return sim_build_unary(d, sim_conversion_handler(kind, c->from, c->to), c->to, a);
}

rt_status sim_decode_convert(sim_decoder *d, const sim_view *view, sim_leaves *out_leaves)
{
    sim_leaves a;
    RT_TRY(sim_decode_leaves(d, view->operands[0], &a));
    conversion c = conversion_of(d, view);
    sim_ref *refs = sim_refs_new(d, a.count);
    for (uint32_t i = 0; i < a.count; i++)
        refs[i] = build_one(d, &c, a.refs[i]);
    *out_leaves = (sim_leaves){refs, a.count};
    return RT_STATUS_OK;
}

/* Rounds to the precision of half. A value too small for a normal half becomes a zero of the same
 * sign, which is one of the results that the instruction may have. */
rt_status sim_decode_quantize(sim_decoder *d, const sim_view *view, sim_leaves *out_leaves)
{
    sim_leaves a;
    RT_TRY(sim_decode_leaves(d, view->operands[0], &a));
    sim_ref *refs = sim_refs_new(d, a.count);
    sim_ref exponent = sim_decode_constant(d, 0x7c00), sign = sim_decode_constant(d, 0x8000);
    sim_ref zero = sim_decode_constant(d, 0);
    for (uint32_t i = 0; i < a.count; i++) {
        sim_ref half = sim_half_narrow(d, SIM_F32, a.refs[i]);
        sim_ref signed_zero = sim_build_four(d, SIM_INT4(AND, SIM_I16), SIM_I16, half, sign);
        sim_ref scale = sim_build_four(d, SIM_INT4(AND, SIM_I16), SIM_I16, half, exponent);
        sim_ref is_small = sim_build_four(d, SIM_INT4(EQ, SIM_I16), SIM_I8, scale, zero);
        half = sim_build_select(d, SIM_I16, is_small, signed_zero, half);
        refs[i] = sim_half_widen(d, SIM_F32, half);
    }
    *out_leaves = (sim_leaves){refs, a.count};
    return RT_STATUS_OK;
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
