/* Translates instructions that compute values to operations on scalars.
 *
 * Composites are lists of scalars here, so extraction, insertion, shuffles and construction only
 * rearrange references. memory.c handles memory, and extended.c handles OpenCL.std. */
#include "sim/decode/decode.h"

#include <string.h>

/* ---- Component by component --------------------------------------------------------------- */

enum {
    E_FLOAT = 1,   /* the family exists only for F32 and F64 */
    E_SWAP = 2,    /* operands are swapped */
    E_INVERT = 4,  /* a comparison whose result is negated */
    E_COMPARE = 8, /* the result is a bool */
    E_RARE = 16,   /* shape BINARY */
};

/* Instructions that process each component separately with one operation on two operands. */
typedef struct elementwise {
    uint16_t opcode;
    uint16_t handler; /* handler for the first type */
    uint8_t flags;
} elementwise;

#define INT(op, handler)         SIM_Op##op, SIM_H_##handler##_I8_VV, 0
#define RARE(op, handler)        SIM_Op##op, SIM_H_##handler##_I8_V, E_RARE
#define FLT(op, handler)         SIM_Op##op, SIM_H_##handler##_F32_VV, E_FLOAT
#define ICMP(op, handler, flags) SIM_Op##op, SIM_H_##handler##_I8_VV, E_COMPARE | (flags)
#define FCMP(op, handler, flags) SIM_Op##op, SIM_H_##handler##_F32_VV, E_COMPARE | E_FLOAT | (flags)

static const elementwise elementwise_rows[] = {
    {INT(IAdd, ADD)},
    {INT(ISub, SUB)},
    {INT(IMul, MUL)},
    {INT(BitwiseAnd, AND)},
    {INT(BitwiseOr, OR)},
    {INT(BitwiseXor, XOR)},
    {INT(LogicalAnd, AND)},
    {INT(LogicalOr, OR)},
    {INT(LogicalNotEqual, XOR)},
    {INT(ShiftLeftLogical, SHL)},
    {INT(ShiftRightLogical, SHR)},
    {INT(ShiftRightArithmetic, SAR)},
    {RARE(UDiv, UDIV)},
    {RARE(SDiv, SDIV)},
    {RARE(UMod, UREM)},
    {RARE(SRem, SREM)},
    {RARE(SMod, SMOD)},
    {RARE(AbsISubINTEL, SABSDIFF)},
    {RARE(AbsUSubINTEL, UABSDIFF)},
    {RARE(IAddSatINTEL, SADDSAT)},
    {RARE(UAddSatINTEL, UADDSAT)},
    {RARE(IAverageINTEL, SHADD)},
    {RARE(UAverageINTEL, UHADD)},
    {RARE(IAverageRoundedINTEL, SRHADD)},
    {RARE(UAverageRoundedINTEL, URHADD)},
    {RARE(ISubSatINTEL, SSUBSAT)},
    {RARE(USubSatINTEL, USUBSAT)},
    {FLT(FAdd, FADD)},
    {FLT(FSub, FSUB)},
    {FLT(FMul, FMUL)},
    {FLT(FDiv, FDIV)},
    {FLT(VectorTimesScalar, FMUL)},
    {ICMP(LogicalEqual, EQ, 0)},
    {ICMP(PtrEqual, EQ, 0)},
    {ICMP(PtrNotEqual, NE, 0)},
    {ICMP(IEqual, EQ, 0)},
    {ICMP(INotEqual, NE, 0)},
    {ICMP(ULessThan, ULT, 0)},
    {ICMP(ULessThanEqual, ULE, 0)},
    {ICMP(UGreaterThan, ULT, E_SWAP)},
    {ICMP(UGreaterThanEqual, ULE, E_SWAP)},
    {ICMP(SLessThan, SLT, 0)},
    {ICMP(SLessThanEqual, SLE, 0)},
    {ICMP(SGreaterThan, SLT, E_SWAP)},
    {ICMP(SGreaterThanEqual, SLE, E_SWAP)},
    {FCMP(FOrdEqual, FEQ, 0)},
    {FCMP(FOrdNotEqual, FONE, 0)},
    {FCMP(LessOrGreater, FONE, 0)},
    {FCMP(FUnordNotEqual, FUNE, 0)},
    {FCMP(FUnordEqual, FONE, E_INVERT)},
    {FCMP(FOrdLessThan, FLT, 0)},
    {FCMP(FOrdLessThanEqual, FLE, 0)},
    {FCMP(FOrdGreaterThan, FLT, E_SWAP)},
    {FCMP(FOrdGreaterThanEqual, FLE, E_SWAP)},
    {FCMP(FUnordLessThan, FLE, E_SWAP | E_INVERT)},
    {FCMP(FUnordLessThanEqual, FLT, E_SWAP | E_INVERT)},
    {FCMP(FUnordGreaterThan, FLE, E_INVERT)},
    {FCMP(FUnordGreaterThanEqual, FLT, E_INVERT)},
    {FCMP(Ordered, FORD, 0)},
    {FCMP(Unordered, FORD, E_INVERT)},
};

static const elementwise *elementwise_find(uint32_t opcode)
{
    for (uint32_t i = 0; i < sizeof elementwise_rows / sizeof elementwise_rows[0]; i++) {
        if (elementwise_rows[i].opcode == opcode) return &elementwise_rows[i];
    }
    return NULL;
}

rt_status sim_decode_each(sim_decoder *d, const sim_view *view, uint32_t first,
                          sim_component *build, sim_leaves *out_leaves)
{
    sim_leaves in[3];
    uint32_t count = view->operand_count - first;
    CHECK(count >= 1 && count <= 3);
    RT_TRY(sim_decode_operands(d, view, first, count, in));
    sim_ref *refs = sim_refs_new(d, in[0].count);
    for (uint32_t i = 0; i < in[0].count; i++) {
        sim_ref components[3] = {SIM_REF_NONE, SIM_REF_NONE, SIM_REF_NONE};
        for (uint32_t k = 0; k < count; k++) {
            CHECK(in[k].count == 1 || in[k].count == in[0].count);
            components[k] = in[k].refs[in[k].count == 1 ? 0 : i];
        }
        refs[i] = build(d, view, components);
    }
    *out_leaves = (sim_leaves){refs, in[0].count};
    return RT_STATUS_OK;
}

static sim_ref build_elementwise(sim_decoder *d, const sim_view *view, const sim_ref *in)
{
    const elementwise *row = elementwise_find(view->opcode->number);
    const sim_type *operand = sim_decode_type(d, view, 0);
    sim_lane_type type = sim_type_lane(operand);
    sim_ref a = in[0], b = in[1];
    if (view->opcode->group == SIM_GROUP_SHIFT) { /* shift amounts may have a different width */
        b = sim_build_amount(d, sim_type_lane(sim_decode_type(d, view, 1)), type, b);
    }
    bool is_half = (row->flags & E_FLOAT) && sim_type_is_half(operand);
    if (is_half) {
        type = SIM_F32;
        a = sim_half_widen(d, type, a);
        b = sim_half_widen(d, type, b);
    }
    uint32_t step = row->flags & E_RARE ? 2 : SIM_FORMS;
    uint32_t first = row->flags & E_FLOAT ? SIM_F32 : SIM_I8;
    CHECK(type >= first);
    uint32_t handler = row->handler + step * (type - first);
    sim_lane_type result = row->flags & E_COMPARE ? SIM_I8 : type;
    sim_shape shape = row->flags & E_RARE ? SIM_SHAPE_BINARY : SIM_SHAPE_FOUR;
    bool swap = row->flags & E_SWAP;
    sim_ref out = sim_build(d, shape, handler, result, (sim_ref[]){swap ? b : a, swap ? a : b}, 2);
    if (row->flags & E_INVERT)
        out = sim_build_four(d, SIM_INT4(XOR, SIM_I8), SIM_I8, out, sim_decode_constant(d, 1));
    return is_half && result == type ? sim_half_narrow(d, type, out) : out;
}

/* ---- One operand -------------------------------------------------------------------------- */

/* The bits of infinity and of the smallest normal number for each float width, half first. */
static const struct {
    uint64_t infinity, normal;
} float_rows[] = {
    {0x7c00, 0x0400},
    {0x7f800000, 0x00800000},
    {UINT64_C(0x7ff0000000000000), UINT64_C(0x0010000000000000)},
};

static sim_ref build_float_test(sim_decoder *d, uint32_t opcode, sim_lane_type type, sim_ref a)
{
    sim_lane_type bits = sim_lane_integer(type);
    uint32_t row = (uint32_t)__builtin_ctz(sim_lane_bytes(bits)) - 1;
    CHECK(row < sizeof float_rows / sizeof float_rows[0]);
    if (opcode == SIM_OpSignBitSet) {
        return sim_build_four(d, SIM_INT4(SLT, bits), SIM_I8, a, sim_decode_constant(d, 0));
    }
    sim_ref infinity = sim_decode_constant(d, float_rows[row].infinity);
    sim_ref normal = sim_decode_constant(d, float_rows[row].normal);
    sim_ref mask = sim_decode_constant(d, (UINT64_C(1) << (8 * sim_lane_bytes(bits) - 1)) - 1);
    sim_ref size = sim_build_four(d, SIM_INT4(AND, bits), bits, a, mask);
    if (opcode == SIM_OpIsNan) {
        return sim_build_four(d, SIM_INT4(ULT, bits), SIM_I8, infinity, size);
    }
    if (opcode == SIM_OpIsInf) {
        return sim_build_four(d, SIM_INT4(EQ, bits), SIM_I8, size, infinity);
    }
    sim_ref finite = sim_build_four(d, SIM_INT4(ULT, bits), SIM_I8, size, infinity);
    if (opcode == SIM_OpIsFinite) return finite;
    CHECK(opcode == SIM_OpIsNormal);
    sim_ref large = sim_build_four(d, SIM_INT4(ULE, bits), SIM_I8, normal, size);
    return sim_build_four(d, SIM_INT4(AND, SIM_I8), SIM_I8, finite, large);
}

static sim_ref build_unary(sim_decoder *d, const sim_view *view, const sim_ref *in)
{
    sim_lane_type type = sim_type_lane(sim_decode_type(d, view, 0)), bits = sim_lane_integer(type);
    uint64_t ones = UINT64_MAX >> (64 - 8 * sim_lane_bytes(type));
    sim_ref a = in[0], sign = sim_decode_constant(d, ones - (ones >> 1));
    switch (view->opcode->number) {
    case SIM_OpSNegate:
        return sim_build_four(d, SIM_INT4(SUB, type), type, sim_decode_constant(d, 0), a);
    case SIM_OpFNegate: return sim_build_four(d, SIM_INT4(XOR, bits), type, a, sign);
    case SIM_OpNot:
        return sim_build_four(d, SIM_INT4(XOR, type), type, a, sim_decode_constant(d, ones));
    case SIM_OpLogicalNot:
        return sim_build_four(d, SIM_INT4(XOR, type), type, a, sim_decode_constant(d, 1));
    case SIM_OpBitReverse: return sim_build_unary(d, SIM_INT2(REVERSE, type), type, a);
    case SIM_OpUCountLeadingZerosINTEL: return sim_build_unary(d, SIM_INT2(CLZ, type), type, a);
    case SIM_OpUCountTrailingZerosINTEL: return sim_build_unary(d, SIM_INT2(CTZ, type), type, a);
    case SIM_OpBitCount:
        a = sim_build_unary(d, SIM_INT2(POPCOUNT, type), type, a);
        return sim_build_resize(d, type, sim_type_lane(view->type), false, a);
    default: return build_float_test(d, view->opcode->number, type, a);
    }
}

/* The remainder has the sign of the first operand for OpFRem and of the second for OpFMod. */
static sim_ref build_float_mod(sim_decoder *d, const sim_view *view, const sim_ref *in)
{
    bool is_half = sim_type_is_half(view->type);
    sim_lane_type type = is_half ? SIM_F32 : sim_type_lane(view->type);
    sim_ref a = is_half ? sim_half_widen(d, type, in[0]) : in[0];
    sim_ref b = is_half ? sim_half_widen(d, type, in[1]) : in[1];
    sim_ref r = sim_build_math(d, SIM_MATH_fmod, type, a, b);
    if (view->opcode->number != SIM_OpFRem) {
        sim_ref zero = sim_decode_constant(d, 0);
        sim_ref minus = sim_build_four(d, SIM_FLOAT4(FLT, type), SIM_I8, r, zero);
        sim_ref divisor = sim_build_four(d, SIM_FLOAT4(FLT, type), SIM_I8, b, zero);
        sim_ref differ = sim_build_four(d, SIM_INT4(XOR, SIM_I8), SIM_I8, minus, divisor);
        sim_ref some = sim_build_four(d, SIM_FLOAT4(FUNE, type), SIM_I8, r, zero);
        sim_ref adjust = sim_build_four(d, SIM_INT4(AND, SIM_I8), SIM_I8, differ, some);
        sim_ref sum = sim_build_four(d, SIM_FLOAT4(FADD, type), type, r, b);
        r = sim_build_select(d, type, adjust, sum, r);
    }
    return is_half ? sim_half_narrow(d, type, r) : r;
}

/* ---- Rearrangement ------------------------------------------------------------------------ */

/* Returns the first leaf and the type of the member that the literal indices select. */
static uint32_t leaf_of(const sim_type *type, const uint32_t *indices, uint32_t count,
                        const sim_type **out_type)
{
    uint32_t leaf = 0;
    for (uint32_t i = 0; i < count; i++) {
        bool is_struct = type->kind == SIM_TYPE_STRUCT;
        for (uint32_t k = 0; is_struct && k < indices[i]; k++)
            leaf += sim_type_leaves(type->members[k]);
        if (!is_struct) leaf += indices[i] * sim_type_leaves(type->element);
        type = sim_type_part(type, indices[i]);
    }
    *out_type = type;
    return leaf;
}

static rt_status build_extract(sim_decoder *d, const sim_view *view, sim_leaves *out_leaves)
{
    sim_leaves whole;
    RT_TRY(sim_decode_leaves(d, view->operands[0], &whole));
    const sim_type *type = sim_decode_type(d, view, 0);
    uint32_t leaf = leaf_of(type, view->operands + 1, view->operand_count - 1, &type);
    uint32_t count = sim_type_leaves(type);
    CHECK(leaf + count <= whole.count);
    *out_leaves = (sim_leaves){whole.refs + leaf, count};
    return RT_STATUS_OK;
}

static rt_status build_insert(sim_decoder *d, const sim_view *view, sim_leaves *out_leaves)
{
    sim_leaves in[2];
    RT_TRY(sim_decode_operands(d, view, 0, 2, in));
    sim_leaves part = in[0], whole = in[1];
    const sim_type *type = view->type;
    uint32_t leaf = leaf_of(type, view->operands + 2, view->operand_count - 2, &type);
    CHECK(part.count == sim_type_leaves(type) && leaf + part.count <= whole.count);
    sim_ref *refs = rt_arena_copy(&d->arena, whole.refs, whole.count, sizeof *refs);
    memcpy(refs + leaf, part.refs, part.count * sizeof *refs);
    *out_leaves = (sim_leaves){refs, whole.count};
    return RT_STATUS_OK;
}

static rt_status build_shuffle(sim_decoder *d, const sim_view *view, sim_leaves *out_leaves)
{
    sim_leaves in[2];
    RT_TRY(sim_decode_operands(d, view, 0, 2, in));
    sim_leaves undefined = sim_decode_undefined(d, view->type);
    CHECK(view->operand_count == 2 + undefined.count);
    sim_ref *refs = sim_refs_new(d, undefined.count);
    for (uint32_t i = 0; i < undefined.count; i++) {
        uint32_t from = view->operands[2 + i];
        CHECK(from == UINT32_MAX || from < in[0].count + in[1].count);
        refs[i] = from == UINT32_MAX   ? undefined.refs[i]
                  : from < in[0].count ? in[0].refs[from]
                                       : in[1].refs[from - in[0].count];
    }
    *out_leaves = (sim_leaves){refs, undefined.count};
    return RT_STATUS_OK;
}

/* A component index of any width; an index out of range is a finding if something uses the result.
 */
typedef struct component_index {
    sim_lane_type type;
    sim_ref number;
} component_index;

static rt_status index_read(sim_decoder *d, sim_id id, uint32_t count, component_index *out_index)
{
    sim_leaves leaves;
    out_index->type = sim_type_lane(sim_module_id(d->f->module, id)->type);
    RT_TRY(sim_decode_leaves(d, id, &leaves));
    out_index->number =
        sim_build_unary(d, SIM_INT2(INDEX, out_index->type), out_index->type, leaves.refs[0]);
    d->f->nodes.items[d->f->nodes.count - 1].extra = count;
    return RT_STATUS_OK;
}

static sim_ref index_is(sim_decoder *d, component_index index, uint32_t i)
{
    return sim_build_four(d, SIM_INT4(EQ, index.type), SIM_I8, index.number,
                          sim_decode_constant(d, i));
}

rt_status sim_decode_component(sim_decoder *d, sim_leaves vector, sim_id index_id,
                               sim_lane_type type, sim_leaves *out_leaves)
{
    component_index index;
    RT_TRY(index_read(d, index_id, vector.count, &index));
    sim_ref out = vector.refs[0];
    for (uint32_t i = 1; i < vector.count; i++)
        out = sim_build_select(d, type, index_is(d, index, i), vector.refs[i], out);
    *out_leaves = sim_leaves_single(d, out);
    return RT_STATUS_OK;
}

static rt_status build_vector_insert(sim_decoder *d, const sim_view *view, sim_leaves *out_leaves)
{
    sim_leaves in[2];
    component_index index;
    RT_TRY(sim_decode_operands(d, view, 0, 2, in));
    RT_TRY(index_read(d, view->operands[2], in[0].count, &index));
    sim_lane_type type = sim_type_lane(view->type);
    sim_ref *refs = sim_refs_new(d, in[0].count);
    for (uint32_t i = 0; i < in[0].count; i++)
        refs[i] = sim_build_select(d, type, index_is(d, index, i), in[1].refs[0], in[0].refs[i]);
    *out_leaves = (sim_leaves){refs, in[0].count};
    return RT_STATUS_OK;
}

static rt_status build_select(sim_decoder *d, const sim_view *view, sim_leaves *out_leaves)
{
    sim_leaves in[3];
    RT_TRY(sim_decode_operands(d, view, 0, 3, in));
    uint32_t count = in[1].count;
    CHECK(in[2].count == count && (in[0].count == 1 || in[0].count == count));
    sim_lane_type *lanes = rt_arena_alloc_array(&d->arena, count, sizeof *lanes);
    CHECK(sim_type_lanes(view->type, lanes) == lanes + count);
    sim_ref *refs = sim_refs_new(d, count);
    for (uint32_t i = 0; i < count; i++) {
        sim_ref condition = in[0].refs[in[0].count == 1 ? 0 : i];
        refs[i] = sim_build_select(d, lanes[i], condition, in[1].refs[i], in[2].refs[i]);
    }
    *out_leaves = (sim_leaves){refs, count};
    return RT_STATUS_OK;
}

/* Joins `count` narrow scalars, lowest bits first, into one of type `to`. */
static sim_ref bits_join(sim_decoder *d, sim_lane_type from, sim_lane_type to, const sim_ref *refs,
                         uint32_t count)
{
    sim_ref out = sim_build_resize(d, from, to, false, refs[0]);
    for (uint32_t i = 1; i < count; i++) {
        sim_ref part = sim_build_resize(d, from, to, false, refs[i]);
        sim_ref amount = sim_decode_constant(d, 8 * i * sim_lane_bytes(from));
        part = sim_build_four(d, SIM_INT4(SHL, to), to, part, amount);
        out = sim_build_four(d, SIM_INT4(OR, to), to, out, part);
    }
    return out;
}

static rt_status build_bitcast(sim_decoder *d, const sim_view *view, sim_leaves *out_leaves)
{
    sim_leaves a;
    RT_TRY(sim_decode_leaves(d, view->operands[0], &a));
    sim_lane_type from = sim_lane_integer(sim_type_lane(sim_decode_type(d, view, 0)));
    sim_lane_type to = sim_lane_integer(sim_type_lane(view->type));
    uint32_t count = sim_type_leaves(view->type);
    *out_leaves = a;
    if (count == a.count) return RT_STATUS_OK;
    sim_ref *refs = sim_refs_new(d, count);
    uint32_t ratio = count < a.count ? a.count / count : count / a.count;
    CHECK(count < a.count ? ratio * count == a.count : ratio * a.count == count);
    for (uint32_t i = 0; i < count; i++) {
        if (count < a.count) {
            refs[i] = bits_join(d, from, to, a.refs + i * ratio, ratio);
            continue;
        }
        sim_ref amount = sim_decode_constant(d, 8 * (i % ratio) * sim_lane_bytes(to));
        sim_ref part = sim_build_four(d, SIM_INT4(SHR, from), from, a.refs[i / ratio], amount);
        refs[i] = sim_build_resize(d, from, to, false, part);
    }
    *out_leaves = (sim_leaves){refs, count};
    return RT_STATUS_OK;
}

static rt_status build_any_all(sim_decoder *d, const sim_view *view, sim_leaves *out_leaves)
{
    sim_leaves a;
    RT_TRY(sim_decode_leaves(d, view->operands[0], &a));
    bool any = view->opcode->number == SIM_OpAny;
    uint32_t handler = any ? SIM_INT4(OR, SIM_I8) : SIM_INT4(AND, SIM_I8);
    sim_ref out = a.refs[0];
    for (uint32_t i = 1; i < a.count; i++)
        out = sim_build_four(d, handler, SIM_I8, out, a.refs[i]);
    *out_leaves = sim_leaves_single(d, out);
    return RT_STATUS_OK;
}

static rt_status build_dot(sim_decoder *d, const sim_view *view, sim_leaves *out_leaves)
{
    sim_leaves in[2];
    RT_TRY(sim_decode_operands(d, view, 0, 2, in));
    CHECK(in[0].count == in[1].count);
    if (sim_type_is_half(view->type)) {
        *out_leaves = sim_leaves_single(d, sim_half_dot(d, in[0], in[1]));
        return RT_STATUS_OK;
    }
    sim_lane_type type = sim_type_lane(view->type);
    sim_ref sum = SIM_REF_NONE;
    for (uint32_t i = 0; i < in[0].count; i++) {
        sim_ref product =
            sim_build_four(d, SIM_FLOAT4(FMUL, type), type, in[0].refs[i], in[1].refs[i]);
        sum = i == 0 ? product : sim_build_four(d, SIM_FLOAT4(FADD, type), type, sum, product);
    }
    *out_leaves = sim_leaves_single(d, sum);
    return RT_STATUS_OK;
}

/* Builds one component of an OpenCL.std instruction whose operands all have the result's type. */
static sim_ref build_extended_component(sim_decoder *d, const sim_view *view, const sim_ref *in)
{
    uint32_t number = view->operands[1];
    return sim_type_is_half(view->type)
               ? sim_decode_half_extended(d, number, in)
               : sim_decode_extended(d, number, sim_type_lane(view->type), in);
}

static rt_status build_extended(sim_decoder *d, const sim_view *view, sim_leaves *out_leaves)
{
    const sim_id_entry *set = sim_module_id(d->f->module, view->operands[0]);
    if (set->index != SIM_SET_OPENCL_STD) return RT_STATUS_OK;
    const sim_extended *row = sim_extended_find(view->operands[1]);
    CHECK(row && row->treatment == SIM_TREATMENT_EXEC);
    switch ((sim_group)row->group) {
    case SIM_GROUP_PREFETCH: return RT_STATUS_OK;
    case SIM_GROUP_PRINT: return sim_decode_print(d, view, out_leaves);
    case SIM_GROUP_UPSAMPLE: return sim_decode_each(d, view, 2, sim_build_upsample, out_leaves);
    case SIM_GROUP_BIT_SELECT: return sim_decode_each(d, view, 2, sim_build_bit_select, out_leaves);
    case SIM_GROUP_LANE_SELECT:
        return sim_decode_each(d, view, 2, sim_build_lane_select, out_leaves);
    case SIM_GROUP_MASK_SHUFFLE: return sim_decode_shuffle(d, view, out_leaves);
    case SIM_GROUP_VECTOR_LOAD: return sim_decode_vector_load(d, view, out_leaves);
    case SIM_GROUP_VECTOR_STORE: return sim_decode_vector_store(d, view);
    default: break;
    }
    if (row->group >= SIM_GROUP_FLOAT_BY_INTEGER && row->group <= SIM_GROUP_NORMALIZE) {
        return sim_decode_math(d, row, view, out_leaves);
    }
    return sim_decode_each(d, view, 2, build_extended_component, out_leaves);
}

static sim_ref build_pointer_difference(sim_decoder *d, const sim_view *view, const sim_ref *in)
{
    const sim_type *element = sim_decode_type(d, view, 0)->element;
    CHECK(element->size_bytes > 0);
    sim_ref bytes = sim_build_four(d, SIM_INT4(SUB, SIM_I64), SIM_I64, in[0], in[1]);
    sim_ref size = sim_decode_constant(d, element->size_bytes);
    sim_ref out = sim_build_binary(d, SIM_INT2(SDIV, SIM_I64), SIM_I64, bytes, size);
    return sim_build_resize(d, SIM_I64, sim_type_lane(view->type), true, out);
}

/* ---- One instruction ---------------------------------------------------------------------- */

rt_status sim_decode_instruction(sim_decoder *d, const sim_view *view, sim_leaves *out_leaves)
{
    *out_leaves = (sim_leaves){NULL, 0};
    CHECK(!view->type || sim_type_leaves(view->type) <= SIM_LEAVES_MAX);
    if (elementwise_find(view->opcode->number))
        return sim_decode_each(d, view, 0, build_elementwise, out_leaves);
    switch ((sim_group)view->opcode->group) {
    case SIM_GROUP_UNDEFINED:
        *out_leaves = sim_decode_undefined(d, view->type);
        return RT_STATUS_OK;
    case SIM_GROUP_COPY:
    case SIM_GROUP_COPY_LOGICAL:
    case SIM_GROUP_EXPECT:
    case SIM_GROUP_TO_GENERIC: return sim_decode_leaves(d, view->operands[0], out_leaves);
    case SIM_GROUP_BITCAST: return build_bitcast(d, view, out_leaves);
    case SIM_GROUP_ANY_ALL: return build_any_all(d, view, out_leaves);
    case SIM_GROUP_SELECT: return build_select(d, view, out_leaves);
    case SIM_GROUP_VECTOR_EXTRACT: {
        sim_leaves vector;
        RT_TRY(sim_decode_leaves(d, view->operands[0], &vector));
        sim_lane_type type = sim_type_lane(view->type);
        return sim_decode_component(d, vector, view->operands[1], type, out_leaves);
    }
    case SIM_GROUP_VECTOR_INSERT: return build_vector_insert(d, view, out_leaves);
    case SIM_GROUP_SHUFFLE: return build_shuffle(d, view, out_leaves);
    case SIM_GROUP_CONSTRUCT:
        return sim_decode_construct(d, view->type, view->operands, view->operand_count, out_leaves);
    case SIM_GROUP_EXTRACT: return build_extract(d, view, out_leaves);
    case SIM_GROUP_INSERT: return build_insert(d, view, out_leaves);
    case SIM_GROUP_DOT: return build_dot(d, view, out_leaves);
    case SIM_GROUP_EXTENDED: return build_extended(d, view, out_leaves);
    case SIM_GROUP_POINTER_DIFFERENCE:
        return sim_decode_each(d, view, 0, build_pointer_difference, out_leaves);
    case SIM_GROUP_FLOAT_BINARY: return sim_decode_each(d, view, 0, build_float_mod, out_leaves);
    case SIM_GROUP_INTEGER_UNARY:
    case SIM_GROUP_FLOAT_UNARY:
    case SIM_GROUP_LOGICAL:
    case SIM_GROUP_FLOAT_TEST:
    case SIM_GROUP_BIT_COUNT: return sim_decode_each(d, view, 0, build_unary, out_leaves);
    case SIM_GROUP_FLOAT_TO_INTEGER:
    case SIM_GROUP_INTEGER_TO_FLOAT:
    case SIM_GROUP_INTEGER_TO_INTEGER:
    case SIM_GROUP_FLOAT_TO_FLOAT:
        return sim_decode_each(d, view, 0, sim_build_convert, out_leaves);
    case SIM_GROUP_QUANTIZE: return sim_decode_each(d, view, 0, sim_build_quantize, out_leaves);
    case SIM_GROUP_BIT_INSERT:
    case SIM_GROUP_BIT_EXTRACT: return sim_decode_bit_field(d, view, out_leaves);
    case SIM_GROUP_INTEGER_PAIR: return sim_decode_integer_pair(d, view, out_leaves);
    case SIM_GROUP_INTEGER_DOT: return sim_decode_integer_dot(d, view, out_leaves);
    case SIM_GROUP_PRODUCT_32X16:
        return sim_decode_each(d, view, 0, sim_build_product_32x16, out_leaves);
    case SIM_GROUP_COLLECTIVE: return sim_decode_collective(d, view, out_leaves);
    case SIM_GROUP_ASYNC_COPY: return sim_decode_async_copy(d, view, out_leaves);
    case SIM_GROUP_ASSUME:
    case SIM_GROUP_PREFETCH: return RT_STATUS_OK;
    case SIM_GROUP_MEMORY_BARRIER:
        sim_build_fence(d, sim_decode_order(d, 0, view->operands[0], view->operands[1]));
        return RT_STATUS_OK;
    case SIM_GROUP_ARRIVE:
        /* A split barrier waits only in its second half, for all work-items that will reach that
         * half. */
        sim_build_fence(
            d, sim_decode_order(d, view->operands[0], view->operands[1], view->operands[2]));
        return RT_STATUS_OK;
    default: return sim_decode_memory(d, view, out_leaves);
    }
}
