/* Integer arithmetic that requires several operations: bit-fields, results in two parts, dot
 * products, and functions of OpenCL.std whose operands have different types. Source: SPIR-V
 * specification 1.6, sections 3.42.13 and 3.42.14; SPV_KHR_integer_dot_product; OpenCL extended
 * instruction set specification 1.0, sections 2.3 and 2.6. */
#include "sim/decode/decode.h"

#define INT(op, a, b)     sim_build_four(d, SIM_INT4(op, type), type, a, b)
#define COMPARE(op, a, b) sim_build_four(d, SIM_INT4(op, type), SIM_I8, a, b)
#define RARE(op, a, b)    sim_build_binary(d, SIM_INT2(op, type), type, a, b)
#define CONSTANT(bits)    sim_decode_constant(d, bits)

static uint32_t bits_of(sim_lane_type type)
{
    return 8 * sim_lane_bytes(type);
}

static uint64_t ones_of(sim_lane_type type)
{
    return UINT64_MAX >> (64 - bits_of(type));
}

sim_ref sim_build_amount(sim_decoder *d, sim_lane_type from, sim_lane_type to, sim_ref a)
{
    if (from > to) {
        sim_ref top = CONSTANT(ones_of(to));
        a = sim_build_binary(d, SIM_INT2(UMIN, from), from, a, top);
    }
    return sim_build_resize(d, from, to, false, a);
}

/* ---- Bit-fields ------------------------------------------------------------------------------ */

static sim_ref build_place(sim_decoder *d, sim_lane_type type, sim_ref a, sim_ref offset,
                           sim_ref count, bool is_silent)
{
    sim_ref out = sim_build_ternary(d, SIM_INT2(PLACE, type), type, a, offset, count);
    d->f->nodes.items[d->f->nodes.count - 1].extra = is_silent;
    return out;
}

rt_status sim_decode_bit_field(sim_decoder *d, const sim_view *view, sim_leaves *out_leaves)
{
    sim_lane_type type = sim_type_lane(view->type);
    bool is_insert = view->opcode->group == SIM_GROUP_BIT_INSERT;
    bool is_signed = view->opcode->number == SIM_OpBitFieldSExtract;
    uint32_t handler = is_signed ? SIM_INT2(SFIELD, type) : SIM_INT2(UFIELD, type);
    uint32_t first = is_insert ? 2 : 1;
    sim_leaves in[4];
    RT_TRY(sim_decode_operands(d, view, 0, first + 2, in));
    sim_leaves base = in[0];
    CHECK(in[first].count == 1 && in[first + 1].count == 1);
    sim_ref offset = sim_build_amount(d, sim_type_lane(sim_decode_type(d, view, first)), type,
                                      in[first].refs[0]);
    sim_ref count = sim_build_amount(d, sim_type_lane(sim_decode_type(d, view, first + 1)), type,
                                     in[first + 1].refs[0]);
    sim_ref *refs = sim_refs_new(d, base.count);
    for (uint32_t i = 0; i < base.count; i++) {
        if (!is_insert) {
            refs[i] = sim_build_ternary(d, handler, type, base.refs[i], offset, count);
            continue;
        }
        sim_ref mask = build_place(d, type, CONSTANT(ones_of(type)), offset, count, true);
        sim_ref unchanged = INT(AND, base.refs[i], INT(XOR, mask, CONSTANT(ones_of(type))));
        refs[i] = INT(OR, unchanged, build_place(d, type, in[1].refs[i], offset, count, false));
    }
    *out_leaves = (sim_leaves){refs, base.count};
    return RT_STATUS_OK;
}

/* ---- Results in two parts -------------------------------------------------------------------- */

/* The result holds all low parts followed by all high parts, or all results followed by all
 * carries. */
rt_status sim_decode_integer_pair(sim_decoder *d, const sim_view *view, sim_leaves *out_leaves)
{
    sim_leaves in[2];
    RT_TRY(sim_decode_operands(d, view, 0, 2, in));
    sim_lane_type type = sim_type_lane(view->type->members[0]);
    uint32_t count = in[0].count;
    CHECK(in[1].count == count && sim_type_leaves(view->type) == 2 * count);
    sim_ref *low = sim_refs_new(d, 2 * count), *high = low + count;
    for (uint32_t i = 0; i < count; i++) {
        sim_ref a = in[0].refs[i], b = in[1].refs[i];
        switch (view->opcode->number) {
        case SIM_OpIAddCarry:
            low[i] = INT(ADD, a, b);
            high[i] = sim_build_resize(d, SIM_I8, type, false, COMPARE(ULT, low[i], a));
            break;
        case SIM_OpISubBorrow:
            low[i] = INT(SUB, a, b);
            high[i] = sim_build_resize(d, SIM_I8, type, false, COMPARE(ULT, a, b));
            break;
        case SIM_OpUMulExtended:
            low[i] = INT(MUL, a, b);
            high[i] = RARE(UMULHI, a, b);
            break;
        case SIM_OpSMulExtended:
            low[i] = INT(MUL, a, b);
            high[i] = RARE(SMULHI, a, b);
            break;
        default: UNREACHABLE();
        }
    }
    *out_leaves = (sim_leaves){low, 2 * count};
    return RT_STATUS_OK;
}

/* ---- Dot products ---------------------------------------------------------------------------- */

static const struct dot_row {
    uint16_t opcode;
    bool first_signed, second_signed, is_accumulated;
} dot_rows[] = {
    {SIM_OpSDot, true, true, false},        {SIM_OpUDot, false, false, false},
    {SIM_OpSUDot, true, false, false},      {SIM_OpSDotAccSat, true, true, true},
    {SIM_OpUDotAccSat, false, false, true}, {SIM_OpSUDotAccSat, true, false, true},
};

/* Returns one component of an operand, extended to the result's type. */
static sim_ref dot_component(sim_decoder *d, const sim_type *type, sim_leaves vector, uint32_t i,
                             bool is_signed, sim_lane_type to)
{
    if (type->kind == SIM_TYPE_VECTOR) {
        return sim_build_resize(d, sim_type_lane(type), to, is_signed, vector.refs[i]);
    }
    /* Packed: four bytes in one integer, the first in the low bits. */
    sim_ref moved =
        sim_build_four(d, SIM_INT4(SHR, SIM_I32), SIM_I32, vector.refs[0], CONSTANT(8 * i));
    sim_ref byte = sim_build_resize(d, SIM_I32, SIM_I8, false, moved);
    return sim_build_resize(d, SIM_I8, to, is_signed, byte);
}

/* Returns true (I8) if the product fits: its high half is the extension of its low half. */
static sim_ref product_fits(sim_decoder *d, const struct dot_row *row, sim_lane_type type,
                            sim_ref a, sim_ref b)
{
    sim_ref zero = CONSTANT(0), top = CONSTANT(bits_of(type) - 1);
    if (!row->first_signed) return COMPARE(EQ, RARE(UMULHI, a, b), zero);
    sim_ref high = RARE(SMULHI, a, b);
    /* SMULHI treats an unsigned b whose top bit is set as b - 2^width; adding a corrects the high
     * half. */
    if (!row->second_signed) high = INT(ADD, high, INT(AND, INT(SAR, b, top), a));
    return COMPARE(EQ, high, INT(SAR, INT(MUL, a, b), top));
}

rt_status sim_decode_integer_dot(sim_decoder *d, const sim_view *view, sim_leaves *out_leaves)
{
    const struct dot_row *row = dot_rows;
    while (row->opcode != view->opcode->number) {
        row++;
        CHECK(row < dot_rows + sizeof dot_rows / sizeof *dot_rows);
    }
    sim_leaves in[3];
    RT_TRY(sim_decode_operands(d, view, 0, row->is_accumulated ? 3 : 2, in));
    const sim_type *vector = sim_decode_type(d, view, 0);
    bool is_packed = vector->kind != SIM_TYPE_VECTOR;
    sim_lane_type type = sim_type_lane(view->type);
    uint32_t count = is_packed ? 4 : (uint32_t)vector->count;
    CHECK(count > 0);
    /* A sum of products that may overflow the result's type is checked at every step: `fits` (I8)
     * is true as long as no step has overflowed. */
    uint32_t product_bits = 2 * (is_packed ? 8 : bits_of(sim_type_lane(vector)));
    uint32_t sum_bits = product_bits + (32 - (uint32_t)__builtin_clz(count));
    bool is_checked = row->is_accumulated && sum_bits + row->first_signed > bits_of(type);
    uint32_t add = row->first_signed ? SIM_INT2(SADDSAT, type) : SIM_INT2(UADDSAT, type);
    sim_ref sum = SIM_REF_NONE, fits = SIM_REF_NONE;
    for (uint32_t i = 0; i < count; i++) {
        sim_ref a = dot_component(d, vector, in[0], i, row->first_signed, type);
        sim_ref b = dot_component(d, vector, in[1], i, row->second_signed, type);
        sim_ref product = INT(MUL, a, b), before = sum;
        sum = i == 0 ? product : INT(ADD, before, product);
        if (!is_checked) continue;
        sim_ref fit = product_fits(d, row, type, a, b);
        fits = i == 0 ? fit : sim_build_four(d, SIM_INT4(AND, SIM_I8), SIM_I8, fits, fit);
        if (i == 0) continue;
        sim_ref saturated = sim_build_binary(d, add, type, before, product);
        fits = sim_build_four(d, SIM_INT4(AND, SIM_I8), SIM_I8, fits, COMPARE(EQ, saturated, sum));
    }
    if (row->is_accumulated) {
        /* The result is undefined if the sum itself overflows. */
        if (is_checked) sum = RARE(HOLDS, sum, sim_build_resize(d, SIM_I8, type, false, fits));
        sum = sim_build_binary(d, add, type, sum, in[2].refs[0]);
    }
    *out_leaves = sim_leaves_single(d, sum);
    return RT_STATUS_OK;
}

/* ---- Products -------------------------------------------------------------------------------- */

sim_ref sim_build_product_32x16(sim_decoder *d, const sim_view *view, const sim_ref *in)
{
    bool is_signed = view->opcode->number == SIM_OpIMul32x16INTEL;
    sim_lane_type type = SIM_I32;
    CHECK(sim_type_lane(view->type) == type);
    sim_ref low = sim_build_resize(d, type, SIM_I16, false, in[1]);
    return INT(MUL, in[0], sim_build_resize(d, SIM_I16, type, is_signed, low));
}

/* ---- Functions of OpenCL.std ----------------------------------------------------------------- */

sim_ref sim_build_mad_sat(sim_decoder *d, bool is_signed, sim_lane_type type, const sim_ref *in)
{
    CHECK(type <= SIM_I64);
    if (!is_signed) {
        sim_ref fits = COMPARE(EQ, RARE(UMULHI, in[0], in[1]), CONSTANT(0));
        sim_ref sum = RARE(UADDSAT, INT(MUL, in[0], in[1]), in[2]);
        return sim_build_select(d, type, fits, sum, CONSTANT(ones_of(type)));
    }
    /* Compute a * b + c in twice the width, as a high and a low part; it is in range if the high
     * part is the sign extension of the low part. */
    sim_ref top = CONSTANT(bits_of(type) - 1), zero = CONSTANT(0);
    sim_ref low = INT(ADD, INT(MUL, in[0], in[1]), in[2]);
    sim_ref carry = sim_build_resize(d, SIM_I8, type, false, COMPARE(ULT, low, in[2]));
    sim_ref high = INT(ADD, RARE(SMULHI, in[0], in[1]), INT(SAR, in[2], top));
    high = INT(ADD, high, carry);
    uint64_t most = ones_of(type) >> 1;
    sim_ref limit =
        sim_build_select(d, type, COMPARE(SLT, high, zero), CONSTANT(most + 1), CONSTANT(most));
    sim_ref fits = COMPARE(EQ, high, INT(SAR, low, top));
    return sim_build_select(d, type, fits, low, limit);
}

/* (high << width) | low */
sim_ref sim_build_upsample(sim_decoder *d, const sim_view *view, const sim_ref *in)
{
    sim_lane_type from = sim_type_lane(sim_decode_type(d, view, 3));
    sim_lane_type type = sim_type_lane(view->type);
    CHECK(bits_of(type) == 2 * bits_of(from));
    sim_ref high = INT(SHL, sim_build_resize(d, from, type, false, in[0]), CONSTANT(bits_of(from)));
    return INT(OR, high, sim_build_resize(d, from, type, false, in[1]));
}

/* Takes the bits of b where c has ones, and the bits of a elsewhere. */
sim_ref sim_build_bit_select(sim_decoder *d, const sim_view *view, const sim_ref *in)
{
    sim_lane_type result = sim_type_lane(view->type), type = sim_lane_integer(result);
    sim_ref differing = INT(AND, INT(XOR, in[0], in[1]), in[2]);
    return sim_build_four(d, SIM_INT4(XOR, type), result, in[0], differing);
}

/* For vectors, the top bit of the condition's component decides; for scalars, whether the condition
 * is not 0. */
sim_ref sim_build_lane_select(sim_decoder *d, const sim_view *view, const sim_ref *in)
{
    sim_lane_type type = sim_type_lane(sim_decode_type(d, view, 4));
    bool is_vector = view->type->kind == SIM_TYPE_VECTOR;
    sim_ref zero = CONSTANT(0);
    sim_ref is_second = is_vector ? COMPARE(SLT, in[2], zero) : COMPARE(NE, in[2], zero);
    return sim_build_select(d, sim_type_lane(view->type), is_second, in[1], in[0]);
}
