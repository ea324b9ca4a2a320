/* Integer arithmetic that takes several operations: bit-fields, results in two parts, dot products,
 * and functions of OpenCL.std whose operands have different types. Source: SPIR-V specification
 * 1.6, sections 3.42.13 and 3.42.14; SPV_KHR_integer_dot_product; OpenCL extended instruction set
 * specification 1.0, sections 2.3 and 2.6. */
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

static const sim_type *operand_type(const sim_decoder *d, const sim_view *view, uint32_t index)
{
    return sim_module_id(d->f->module, view->operands[index])->type;
}

sim_ref sim_build_amount(sim_decoder *d, sim_lane_type from, sim_lane_type to, sim_ref a)
{
    if (from > to) {
        sim_ref top = CONSTANT(ones_of(to));
        a = sim_build_binary(d, SIM_INT2(UMIN, from), from, a, top);
    }
    return sim_build_resize(d, from, to, false, a);
}

/* ---- Fields of bits -------------------------------------------------------------------------- */

/* Operand `index`, a bit offset or bit count, for a value of that type. */
static rt_status bit_number(sim_decoder *d, const sim_view *view, uint32_t index,
                            sim_lane_type type, sim_ref *out)
{
    sim_leaves number;
    *out = SIM_REF_NONE;
    RT_TRY(sim_decode_leaves(d, view->operands[index], &number));
    *out = sim_build_amount(d, sim_type_lane(operand_type(d, view, index)), type, number.refs[0]);
    return RT_STATUS_OK;
}

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
    sim_leaves base, part;
    sim_ref offset, count;
    RT_TRY(sim_decode_leaves(d, view->operands[0], &base));
    RT_TRY(sim_decode_leaves(d, view->operands[is_insert ? 1 : 0], &part));
    RT_TRY(bit_number(d, view, is_insert ? 2 : 1, type, &offset));
    RT_TRY(bit_number(d, view, is_insert ? 3 : 2, type, &count));
    sim_ref *refs = sim_refs_new(d, base.count);
    for (uint32_t i = 0; i < base.count; i++) {
        if (!is_insert) {
            refs[i] = sim_build_ternary(d, handler, type, base.refs[i], offset, count);
            continue;
        }
        sim_ref mask = build_place(d, type, CONSTANT(ones_of(type)), offset, count, true);
        sim_ref kept = INT(AND, base.refs[i], INT(XOR, mask, CONSTANT(ones_of(type))));
        refs[i] = INT(OR, kept, build_place(d, type, part.refs[i], offset, count, false));
    }
    *out_leaves = (sim_leaves){refs, base.count};
    return RT_STATUS_OK;
}

/* ---- Results in two parts -------------------------------------------------------------------- */

/* Low part and high part, or result and carry. */
static void build_pair(sim_decoder *d, uint32_t opcode, sim_lane_type type, sim_ref a, sim_ref b,
                       sim_ref *out_low, sim_ref *out_high)
{
    switch (opcode) {
    case SIM_OpIAddCarry:
        *out_low = INT(ADD, a, b);
        *out_high = sim_build_resize(d, SIM_I8, type, false, COMPARE(ULT, *out_low, a));
        break;
    case SIM_OpISubBorrow:
        *out_low = INT(SUB, a, b);
        *out_high = sim_build_resize(d, SIM_I8, type, false, COMPARE(ULT, a, b));
        break;
    case SIM_OpUMulExtended:
        *out_low = INT(MUL, a, b);
        *out_high = RARE(UMULHI, a, b);
        break;
    case SIM_OpSMulExtended:
        *out_low = INT(MUL, a, b);
        *out_high = RARE(SMULHI, a, b);
        break;
    default: UNREACHABLE();
    }
}

rt_status sim_decode_integer_pair(sim_decoder *d, const sim_view *view, sim_leaves *out_leaves)
{
    sim_leaves a, b;
    RT_TRY(sim_decode_leaves(d, view->operands[0], &a));
    RT_TRY(sim_decode_leaves(d, view->operands[1], &b));
    sim_lane_type type = sim_type_lane(view->type->members[0]);
    sim_ref *refs = sim_refs_new(d, 2 * a.count);
    for (uint32_t i = 0; i < a.count; i++) {
        build_pair(d, view->opcode->number, type, a.refs[i], b.refs[i], &refs[i],
                   &refs[a.count + i]);
    }
    *out_leaves = (sim_leaves){refs, 2 * a.count};
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

static const struct dot_row *dot_find(uint32_t opcode)
{
    for (uint32_t i = 0; i < sizeof dot_rows / sizeof dot_rows[0]; i++) {
        if (dot_rows[i].opcode == opcode) return &dot_rows[i];
    }
    UNREACHABLE();
}

/* One component of an operand, extended to the result's type. */
static sim_ref dot_component(sim_decoder *d, const sim_type *type, sim_leaves vector, uint32_t i,
                             bool is_signed, sim_lane_type to)
{
    if (type->kind == SIM_TYPE_VECTOR) {
        return sim_build_resize(d, sim_type_lane(type), to, is_signed, vector.refs[i]);
    }
    /* Four bytes in one integer, the first in the low bits. */
    sim_ref moved =
        sim_build_four(d, SIM_INT4(SHR, SIM_I32), SIM_I32, vector.refs[0], CONSTANT(8 * i));
    sim_ref byte = sim_build_resize(d, SIM_I32, SIM_I8, false, moved);
    return sim_build_resize(d, SIM_I8, to, is_signed, byte);
}

/* True if the sum of products cannot overflow the result's type. */
static bool dot_is_safe(const struct dot_row *row, uint32_t component_bits, uint64_t count,
                        uint32_t result_bits)
{
    bool is_signed = row->first_signed || row->second_signed;
    uint32_t product_bits = 2 * component_bits;
    uint32_t sum_bits = product_bits + (64 - (uint32_t)__builtin_clzll(count));
    return sum_bits + (is_signed ? 1 : 0) <= result_bits;
}

/* A sum of products under construction; `fits` (I8) is true while no step has overflowed the type.
 */
typedef struct dot_sum {
    sim_lane_type type;
    bool is_checked;
    sim_ref value, fits;
} dot_sum;

/* True (I8) if the product's high half is the extension of its low half. */
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

static void dot_add(sim_decoder *d, const struct dot_row *row, dot_sum *sum, sim_ref a, sim_ref b)
{
    sim_lane_type type = sum->type;
    sim_ref before = sum->value, product = INT(MUL, a, b);
    bool is_first = before == SIM_REF_NONE;
    sum->value = is_first ? product : INT(ADD, before, product);
    if (!sum->is_checked) return;
    sim_ref fits = product_fits(d, row, type, a, b);
    sum->fits = is_first ? fits : sim_build_four(d, SIM_INT4(AND, SIM_I8), SIM_I8, sum->fits, fits);
    if (is_first) return;
    sim_ref saturated =
        row->first_signed ? RARE(SADDSAT, before, product) : RARE(UADDSAT, before, product);
    fits = COMPARE(EQ, saturated, sum->value);
    sum->fits = sim_build_four(d, SIM_INT4(AND, SIM_I8), SIM_I8, sum->fits, fits);
}

/* Adds the sum to operand 2 with saturation. The result is undefined if the sum itself overflows.
 */
static rt_status dot_accumulate(sim_decoder *d, const sim_view *view, const struct dot_row *row,
                                const dot_sum *sum, sim_ref *out_ref)
{
    sim_lane_type type = sum->type;
    sim_leaves more;
    RT_TRY(sim_decode_leaves(d, view->operands[2], &more));
    sim_ref value = sum->value;
    if (sum->is_checked) {
        value = RARE(HOLDS, value, sim_build_resize(d, SIM_I8, type, false, sum->fits));
    }
    *out_ref =
        row->first_signed ? RARE(SADDSAT, value, more.refs[0]) : RARE(UADDSAT, value, more.refs[0]);
    return RT_STATUS_OK;
}

rt_status sim_decode_integer_dot(sim_decoder *d, const sim_view *view, sim_leaves *out_leaves)
{
    const struct dot_row *row = dot_find(view->opcode->number);
    const sim_type *vector = operand_type(d, view, 0);
    bool is_packed = vector->kind != SIM_TYPE_VECTOR;
    sim_lane_type type = sim_type_lane(view->type);
    uint64_t count = is_packed ? 4 : vector->count;
    uint32_t component_bits = is_packed ? 8 : bits_of(sim_type_lane(vector));
    sim_leaves a, b;
    RT_TRY(sim_decode_leaves(d, view->operands[0], &a));
    RT_TRY(sim_decode_leaves(d, view->operands[1], &b));
    dot_sum sum = {.type = type, .value = SIM_REF_NONE, .fits = SIM_REF_NONE};
    sum.is_checked = row->is_accumulated && !dot_is_safe(row, component_bits, count, bits_of(type));
    for (uint32_t i = 0; i < count; i++) {
        sim_ref first = dot_component(d, vector, a, i, row->first_signed, type);
        sim_ref second = dot_component(d, vector, b, i, row->second_signed, type);
        dot_add(d, row, &sum, first, second);
    }
    sim_ref *ref = sim_refs_new(d, 1);
    *ref = sum.value;
    if (row->is_accumulated) RT_TRY(dot_accumulate(d, view, row, &sum, ref));
    *out_leaves = (sim_leaves){ref, 1};
    return RT_STATUS_OK;
}

/* ---- Products -------------------------------------------------------------------------------- */

rt_status sim_decode_product_32x16(sim_decoder *d, const sim_view *view, sim_leaves *out_leaves)
{
    bool is_signed = view->opcode->number == SIM_OpIMul32x16INTEL;
    sim_leaves a, b;
    RT_TRY(sim_decode_leaves(d, view->operands[0], &a));
    RT_TRY(sim_decode_leaves(d, view->operands[1], &b));
    sim_lane_type type = SIM_I32;
    sim_ref *refs = sim_refs_new(d, a.count);
    for (uint32_t i = 0; i < a.count; i++) {
        sim_ref low = sim_build_resize(d, type, SIM_I16, false, b.refs[i]);
        refs[i] = INT(MUL, a.refs[i], sim_build_resize(d, SIM_I16, type, is_signed, low));
    }
    *out_leaves = (sim_leaves){refs, a.count};
    return RT_STATUS_OK;
}

/* ---- Functions of OpenCL.std ----------------------------------------------------------------- */

/* a * b + c in twice the width, as high and low part; it is in range if the high part is the sign
 * extension of the low part. */
static sim_ref build_mad_sat_signed(sim_decoder *d, sim_lane_type type, const sim_ref *in)
{
    sim_ref top = CONSTANT(bits_of(type) - 1), zero = CONSTANT(0);
    sim_ref low = INT(ADD, INT(MUL, in[0], in[1]), in[2]);
    sim_ref carry = sim_build_resize(d, SIM_I8, type, false, COMPARE(ULT, low, in[2]));
    sim_ref high = INT(ADD, RARE(SMULHI, in[0], in[1]), INT(SAR, in[2], top));
    high = INT(ADD, high, carry);
    sim_ref least = CONSTANT(UINT64_C(1) << (bits_of(type) - 1)),
            most = CONSTANT(ones_of(type) >> 1);
    sim_ref limit = sim_build_select(d, type, COMPARE(SLT, high, zero), least, most);
    sim_ref fits = COMPARE(EQ, high, INT(SAR, low, top));
    return sim_build_select(d, type, fits, low, limit);
}

static sim_ref build_mad_sat_unsigned(sim_decoder *d, sim_lane_type type, const sim_ref *in)
{
    sim_ref fits = COMPARE(EQ, RARE(UMULHI, in[0], in[1]), CONSTANT(0));
    sim_ref sum = RARE(UADDSAT, INT(MUL, in[0], in[1]), in[2]);
    return sim_build_select(d, type, fits, sum, CONSTANT(ones_of(type)));
}

sim_ref sim_build_mad_sat(sim_decoder *d, bool is_signed, sim_lane_type type, const sim_ref *in)
{
    CHECK(type <= SIM_I64);
    return is_signed ? build_mad_sat_signed(d, type, in) : build_mad_sat_unsigned(d, type, in);
}

/* (hi << width) | lo */
static sim_ref build_upsample(sim_decoder *d, sim_lane_type from, sim_lane_type type, sim_ref high,
                              sim_ref low)
{
    sim_ref moved = INT(SHL, sim_build_resize(d, from, type, false, high), CONSTANT(bits_of(from)));
    return INT(OR, moved, sim_build_resize(d, from, type, false, low));
}

/* The bits of b where c has ones, and the bits of a elsewhere. */
static sim_ref build_bit_select(sim_decoder *d, sim_lane_type type, const sim_ref *in)
{
    sim_lane_type value = type;
    type = sim_lane_integer(type);
    sim_ref differing = INT(AND, INT(XOR, in[0], in[1]), in[2]);
    return sim_build_four(d, SIM_INT4(XOR, type), value, in[0], differing);
}

/* The component's top bit decides for vectors, any bit for scalars. */
static sim_ref build_lane_select(sim_decoder *d, sim_lane_type value, bool is_vector,
                                 sim_lane_type type, const sim_ref *in)
{
    sim_ref zero = CONSTANT(0);
    sim_ref second = is_vector ? COMPARE(SLT, in[2], zero) : COMPARE(NE, in[2], zero);
    return sim_build_select(d, value, second, in[1], in[0]);
}

rt_status sim_decode_mixed(sim_decoder *d, const sim_view *view, uint32_t group,
                           sim_leaves *out_leaves)
{
    sim_leaves in[3];
    uint32_t count = view->operand_count - 2;
    CHECK(count >= 2 && count <= 3);
    for (uint32_t k = 0; k < count; k++)
        RT_TRY(sim_decode_leaves(d, view->operands[2 + k], &in[k]));
    bool is_vector = view->type->kind == SIM_TYPE_VECTOR;
    sim_lane_type type = sim_type_lane(view->type);
    sim_lane_type last = sim_type_lane(operand_type(d, view, 1 + count));
    sim_ref *refs = sim_refs_new(d, in[0].count);
    for (uint32_t i = 0; i < in[0].count; i++) {
        sim_ref parts[3] = {in[0].refs[i], in[1].refs[i], count > 2 ? in[2].refs[i] : SIM_REF_NONE};
        refs[i] = group == SIM_GROUP_UPSAMPLE ? build_upsample(d, last, type, parts[0], parts[1])
                  : group == SIM_GROUP_BIT_SELECT
                      ? build_bit_select(d, type, parts)
                      : build_lane_select(d, type, is_vector, last, parts);
    }
    *out_leaves = (sim_leaves){refs, in[0].count};
    return RT_STATUS_OK;
}
