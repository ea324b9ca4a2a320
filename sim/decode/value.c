/* Translates instructions that compute values to operations on scalars.
 *
 * Composites are lists of scalars here, so extraction, insertion, shuffles and construction only
 * rearrange references. memory.c handles memory, extended.c OpenCL.std. */
#include "sim/decode/decode.h"

#include <string.h>

/* ---- Element by element ------------------------------------------------------------------- */

enum {
    E_FLOAT = 1,   /* the family exists only for F32 and F64 */
    E_SWAP = 2,    /* operands are swapped */
    E_INVERT = 4,  /* a comparison whose result is negated */
    E_COMPARE = 8, /* the result is a bool */
    E_RARE = 16,   /* shape BINARY */
};

/* Instructions that process components separately, with one operation of two operands each. */
typedef struct elementwise {
    uint16_t opcode;
    uint16_t handler; /* of the first type */
    uint8_t flags;
} elementwise;

#define INT(op, handler)                                                                           \
    {                                                                                              \
        SIM_Op##op, SIM_H_##handler##_I8_VV, 0                                                     \
    }
#define RARE(op, handler)                                                                          \
    {                                                                                              \
        SIM_Op##op, SIM_H_##handler##_I8_V, E_RARE                                                 \
    }
#define FLT(op, handler)                                                                           \
    {                                                                                              \
        SIM_Op##op, SIM_H_##handler##_F32_VV, E_FLOAT                                              \
    }
#define ICMP(op, handler, flags)                                                                   \
    {                                                                                              \
        SIM_Op##op, SIM_H_##handler##_I8_VV, E_COMPARE | (flags)                                   \
    }
#define FCMP(op, handler, flags)                                                                   \
    {                                                                                              \
        SIM_Op##op, SIM_H_##handler##_F32_VV, E_COMPARE | E_FLOAT | (flags)                        \
    }

static const elementwise elementwise_rows[] = {
    INT(IAdd, ADD),
    INT(ISub, SUB),
    INT(IMul, MUL),
    INT(BitwiseAnd, AND),
    INT(BitwiseOr, OR),
    INT(BitwiseXor, XOR),
    INT(LogicalAnd, AND),
    INT(LogicalOr, OR),
    INT(LogicalNotEqual, XOR),
    INT(ShiftLeftLogical, SHL),
    INT(ShiftRightLogical, SHR),
    INT(ShiftRightArithmetic, SAR),
    RARE(UDiv, UDIV),
    RARE(SDiv, SDIV),
    RARE(UMod, UREM),
    RARE(SRem, SREM),
    RARE(SMod, SMOD),
    RARE(AbsISubINTEL, SABSDIFF),
    RARE(AbsUSubINTEL, UABSDIFF),
    RARE(IAddSatINTEL, SADDSAT),
    RARE(UAddSatINTEL, UADDSAT),
    RARE(IAverageINTEL, SHADD),
    RARE(UAverageINTEL, UHADD),
    RARE(IAverageRoundedINTEL, SRHADD),
    RARE(UAverageRoundedINTEL, URHADD),
    RARE(ISubSatINTEL, SSUBSAT),
    RARE(USubSatINTEL, USUBSAT),
    FLT(FAdd, FADD),
    FLT(FSub, FSUB),
    FLT(FMul, FMUL),
    FLT(FDiv, FDIV),
    FLT(VectorTimesScalar, FMUL),
    ICMP(LogicalEqual, EQ, 0),
    ICMP(PtrEqual, EQ, 0),
    ICMP(PtrNotEqual, NE, 0),
    ICMP(IEqual, EQ, 0),
    ICMP(INotEqual, NE, 0),
    ICMP(ULessThan, ULT, 0),
    ICMP(ULessThanEqual, ULE, 0),
    ICMP(UGreaterThan, ULT, E_SWAP),
    ICMP(UGreaterThanEqual, ULE, E_SWAP),
    ICMP(SLessThan, SLT, 0),
    ICMP(SLessThanEqual, SLE, 0),
    ICMP(SGreaterThan, SLT, E_SWAP),
    ICMP(SGreaterThanEqual, SLE, E_SWAP),
    FCMP(FOrdEqual, FEQ, 0),
    FCMP(FOrdNotEqual, FONE, 0),
    FCMP(LessOrGreater, FONE, 0),
    FCMP(FUnordNotEqual, FUNE, 0),
    FCMP(FUnordEqual, FONE, E_INVERT),
    FCMP(FOrdLessThan, FLT, 0),
    FCMP(FOrdLessThanEqual, FLE, 0),
    FCMP(FOrdGreaterThan, FLT, E_SWAP),
    FCMP(FOrdGreaterThanEqual, FLE, E_SWAP),
    FCMP(FUnordLessThan, FLE, E_SWAP | E_INVERT),
    FCMP(FUnordLessThanEqual, FLT, E_SWAP | E_INVERT),
    FCMP(FUnordGreaterThan, FLE, E_INVERT),
    FCMP(FUnordGreaterThanEqual, FLT, E_INVERT),
    FCMP(Ordered, FORD, 0),
    FCMP(Unordered, FORD, E_INVERT),
};

static const elementwise *elementwise_find(uint32_t opcode)
{
    for (uint32_t i = 0; i < sizeof elementwise_rows / sizeof elementwise_rows[0]; i++) {
        if (elementwise_rows[i].opcode == opcode) return &elementwise_rows[i];
    }
    return NULL;
}

static sim_ref elementwise_build(sim_decoder *d, const elementwise *row, sim_lane_type type,
                                 sim_ref a, sim_ref b)
{
    uint32_t step = row->flags & E_RARE ? 2 : SIM_FORMS;
    uint32_t first = row->flags & E_FLOAT ? SIM_F32 : SIM_I8;
    CHECK(type >= first);
    uint32_t handler = row->handler + step * (type - first);
    sim_lane_type result = row->flags & E_COMPARE ? SIM_I8 : type;
    sim_shape shape = row->flags & E_RARE ? SIM_SHAPE_BINARY : SIM_SHAPE_FOUR;
    bool swap = row->flags & E_SWAP;
    sim_ref out = sim_build(d, shape, handler, result, (sim_ref[]){swap ? b : a, swap ? a : b}, 2);
    if (!(row->flags & E_INVERT)) return out;
    return sim_build_four(d, SIM_INT4(XOR, SIM_I8), SIM_I8, out, sim_decode_constant(d, 1));
}

static sim_ref elementwise_build_half(sim_decoder *d, const elementwise *row, sim_ref a, sim_ref b)
{
    a = sim_half_widen(d, SIM_F32, a);
    b = sim_half_widen(d, SIM_F32, b);
    sim_ref out = elementwise_build(d, row, SIM_F32, a, b);
    return row->flags & E_COMPARE ? out : sim_half_narrow(d, SIM_F32, out);
}

/* Shift amounts may differ in width from the shifted value. */
static rt_status shift_amounts(sim_decoder *d, const sim_view *view, sim_leaves *amounts)
{
    const sim_type *type = sim_module_id(d->f->module, view->operands[1])->type;
    sim_lane_type from = sim_type_lane(type), to = sim_type_lane(view->type);
    if (from == to) return RT_STATUS_OK;
    sim_ref *refs = sim_refs_new(d, amounts->count);
    for (uint32_t i = 0; i < amounts->count; i++) {
        refs[i] = sim_build_amount(d, from, to, amounts->refs[i]);
    }
    amounts->refs = refs;
    return RT_STATUS_OK;
}

static rt_status build_elementwise(sim_decoder *d, const sim_view *view, const elementwise *row,
                                   sim_leaves *out_leaves)
{
    const sim_type *type = sim_module_id(d->f->module, view->operands[0])->type;
    sim_leaves a, b;
    RT_TRY(sim_decode_leaves(d, view->operands[0], &a));
    RT_TRY(sim_decode_leaves(d, view->operands[1], &b));
    bool is_half = (row->flags & E_FLOAT) && sim_type_is_half(type);
    if (view->opcode->group == SIM_GROUP_SHIFT) RT_TRY(shift_amounts(d, view, &b));
    sim_ref *refs = sim_refs_new(d, a.count);
    for (uint32_t i = 0; i < a.count; i++) {
        sim_ref first = a.refs[i], second = b.refs[b.count == 1 ? 0 : i];
        refs[i] = is_half ? elementwise_build_half(d, row, first, second)
                          : elementwise_build(d, row, sim_type_lane(type), first, second);
    }
    *out_leaves = (sim_leaves){refs, a.count};
    return RT_STATUS_OK;
}

/* ---- One operand -------------------------------------------------------------------------- */

/* Bits of infinity and of the smallest normal number for each float width, half first. */
static const struct {
    uint64_t infinity, normal;
} float_rows[] = {
    {0x7c00, 0x0400},
    {0x7f800000, 0x00800000},
    {UINT64_C(0x7ff0000000000000), UINT64_C(0x0010000000000000)},
};

static sim_ref float_bits_without_sign(sim_decoder *d, sim_lane_type bits, sim_ref a)
{
    uint64_t mask = (UINT64_C(1) << (8 * sim_lane_bytes(bits) - 1)) - 1;
    return sim_build_four(d, SIM_INT4(AND, bits), bits, a, sim_decode_constant(d, mask));
}

static sim_ref build_float_test(sim_decoder *d, uint32_t opcode, sim_lane_type type, sim_ref a)
{
    sim_lane_type bits = sim_lane_integer(type);
    uint32_t row = (uint32_t)__builtin_ctz(sim_lane_bytes(bits)) - 1;
    sim_ref infinity = sim_decode_constant(d, float_rows[row].infinity);
    sim_ref normal = sim_decode_constant(d, float_rows[row].normal);
    if (opcode == SIM_OpSignBitSet) {
        return sim_build_four(d, SIM_INT4(SLT, bits), SIM_I8, a, sim_decode_constant(d, 0));
    }
    sim_ref size = float_bits_without_sign(d, bits, a);
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

static sim_ref build_one(sim_decoder *d, const sim_view *view, sim_lane_type type, sim_lane_type to,
                         sim_ref a)
{
    sim_lane_type bits = sim_lane_integer(type);
    uint64_t ones = UINT64_MAX >> (64 - 8 * sim_lane_bytes(type));
    sim_ref sign = sim_decode_constant(d, UINT64_C(1) << (8 * sim_lane_bytes(type) - 1));
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
        return sim_build_resize(d, type, to, false, a);
    default: return build_float_test(d, view->opcode->number, type, a);
    }
}

static rt_status build_unary(sim_decoder *d, const sim_view *view, sim_leaves *out_leaves)
{
    const sim_type *type = sim_module_id(d->f->module, view->operands[0])->type;
    sim_leaves a;
    RT_TRY(sim_decode_leaves(d, view->operands[0], &a));
    sim_ref *refs = sim_refs_new(d, a.count);
    for (uint32_t i = 0; i < a.count; i++) {
        refs[i] = build_one(d, view, sim_type_lane(type), sim_type_lane(view->type), a.refs[i]);
    }
    *out_leaves = (sim_leaves){refs, a.count};
    return RT_STATUS_OK;
}

/* The remainder with the sign of a or, unless is_rem, of b. */
static sim_ref float_mod(sim_decoder *d, sim_lane_type type, sim_ref a, sim_ref b, bool is_rem)
{
    sim_ref r = sim_build_math(d, SIM_MATH_fmod, type, a, b);
    if (is_rem) return r;
    sim_ref zero = sim_decode_constant(d, 0);
    sim_ref minus = sim_build_four(d, SIM_FLOAT4(FLT, type), SIM_I8, r, zero);
    sim_ref divisor = sim_build_four(d, SIM_FLOAT4(FLT, type), SIM_I8, b, zero);
    sim_ref differ = sim_build_four(d, SIM_INT4(XOR, SIM_I8), SIM_I8, minus, divisor);
    sim_ref some = sim_build_four(d, SIM_FLOAT4(FUNE, type), SIM_I8, r, zero);
    sim_ref adjust = sim_build_four(d, SIM_INT4(AND, SIM_I8), SIM_I8, differ, some);
    sim_ref sum = sim_build_four(d, SIM_FLOAT4(FADD, type), type, r, b);
    return sim_build_select(d, type, adjust, sum, r);
}

static rt_status build_float_mod(sim_decoder *d, const sim_view *view, sim_leaves *out_leaves)
{
    sim_leaves a, b;
    RT_TRY(sim_decode_leaves(d, view->operands[0], &a));
    RT_TRY(sim_decode_leaves(d, view->operands[1], &b));
    sim_ref *refs = sim_refs_new(d, a.count);
    bool is_half = sim_type_is_half(view->type), is_rem = view->opcode->number == SIM_OpFRem;
    sim_lane_type type = is_half ? SIM_F32 : sim_type_lane(view->type);
    for (uint32_t i = 0; i < a.count; i++) {
        sim_ref first = is_half ? sim_half_widen(d, type, a.refs[i]) : a.refs[i];
        sim_ref second = is_half ? sim_half_widen(d, type, b.refs[i]) : b.refs[i];
        refs[i] = float_mod(d, type, first, second, is_rem);
        if (is_half) refs[i] = sim_half_narrow(d, type, refs[i]);
    }
    *out_leaves = (sim_leaves){refs, a.count};
    return RT_STATUS_OK;
}

/* ---- Rearrangement ------------------------------------------------------------------------ */

/* The first leaf and the type of the member that the literal indices select. */
static uint32_t leaf_of(const sim_type *type, const uint32_t *indices, uint32_t count,
                        const sim_type **out_type)
{
    uint32_t leaf = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t index = indices[i];
        CHECK(type && index < type->count);
        if (type->kind == SIM_TYPE_STRUCT) {
            for (uint32_t k = 0; k < index; k++)
                leaf += sim_type_leaves(type->members[k]);
            type = type->members[index];
        } else {
            leaf += index * sim_type_leaves(type->element);
            type = type->element;
        }
    }
    *out_type = type;
    return leaf;
}

static rt_status build_extract(sim_decoder *d, const sim_view *view, sim_leaves *out_leaves)
{
    sim_leaves whole;
    RT_TRY(sim_decode_leaves(d, view->operands[0], &whole));
    const sim_type *type = sim_module_id(d->f->module, view->operands[0])->type;
    uint32_t leaf = leaf_of(type, view->operands + 1, view->operand_count - 1, &type);
    uint32_t count = sim_type_leaves(type);
    CHECK(leaf + count <= whole.count);
    *out_leaves = (sim_leaves){whole.refs + leaf, count};
    return RT_STATUS_OK;
}

static rt_status build_insert(sim_decoder *d, const sim_view *view, sim_leaves *out_leaves)
{
    sim_leaves part, whole;
    RT_TRY(sim_decode_leaves(d, view->operands[0], &part));
    RT_TRY(sim_decode_leaves(d, view->operands[1], &whole));
    const sim_type *type = view->type;
    uint32_t leaf = leaf_of(type, view->operands + 2, view->operand_count - 2, &type);
    CHECK(leaf + part.count <= whole.count);
    sim_ref *refs = sim_refs_new(d, whole.count);
    memcpy(refs, whole.refs, whole.count * sizeof *refs);
    memcpy(refs + leaf, part.refs, part.count * sizeof *refs);
    *out_leaves = (sim_leaves){refs, whole.count};
    return RT_STATUS_OK;
}

static rt_status build_construct(sim_decoder *d, const sim_view *view, sim_leaves *out_leaves)
{
    sim_ref *refs = sim_refs_new(d, sim_type_leaves(view->type));
    uint32_t count = 0;
    for (uint32_t i = 0; i < view->operand_count; i++) {
        sim_leaves part;
        RT_TRY(sim_decode_leaves(d, view->operands[i], &part));
        memcpy(refs + count, part.refs, part.count * sizeof *refs);
        count += part.count;
    }
    CHECK(count == sim_type_leaves(view->type));
    *out_leaves = (sim_leaves){refs, count};
    return RT_STATUS_OK;
}

static rt_status build_shuffle(sim_decoder *d, const sim_view *view, sim_leaves *out_leaves)
{
    sim_leaves a, b;
    RT_TRY(sim_decode_leaves(d, view->operands[0], &a));
    RT_TRY(sim_decode_leaves(d, view->operands[1], &b));
    sim_leaves undefined = sim_decode_undefined(d, view->type);
    sim_ref *refs = sim_refs_new(d, undefined.count);
    for (uint32_t i = 0; i < undefined.count; i++) {
        uint32_t from = view->operands[2 + i];
        CHECK(from == UINT32_MAX || from < a.count + b.count);
        refs[i] = from == UINT32_MAX ? undefined.refs[i]
                  : from < a.count   ? a.refs[from]
                                     : b.refs[from - a.count];
    }
    *out_leaves = (sim_leaves){refs, undefined.count};
    return RT_STATUS_OK;
}

/* A checked component index: an index out of range is a finding if something uses the result. */
static rt_status component_index(sim_decoder *d, sim_id id, uint32_t count, sim_ref *out)
{
    sim_leaves index;
    *out = SIM_REF_NONE;
    RT_TRY(sim_decode_leaves(d, id, &index));
    sim_lane_type type = sim_type_lane(sim_module_id(d->f->module, id)->type);
    *out = sim_build_unary(d, SIM_INT2(INDEX, type), type, index.refs[0]);
    d->f->nodes.items[d->f->nodes.count - 1].extra = count;
    return RT_STATUS_OK;
}

/* Condition "index == i" for a component index of any width. */
static sim_ref index_is(sim_decoder *d, sim_id index_id, sim_ref index, uint32_t i)
{
    sim_lane_type type = sim_type_lane(sim_module_id(d->f->module, index_id)->type);
    return sim_build_four(d, SIM_INT4(EQ, type), SIM_I8, index, sim_decode_constant(d, i));
}

rt_status sim_decode_component(sim_decoder *d, sim_leaves vector, sim_id index_id,
                               sim_lane_type type, sim_leaves *out_leaves)
{
    sim_ref index;
    RT_TRY(component_index(d, index_id, vector.count, &index));
    sim_ref *ref = sim_refs_new(d, 1);
    *ref = vector.refs[0];
    for (uint32_t i = 1; i < vector.count; i++) {
        sim_ref here = index_is(d, index_id, index, i);
        *ref = sim_build_select(d, type, here, vector.refs[i], *ref);
    }
    *out_leaves = (sim_leaves){ref, 1};
    return RT_STATUS_OK;
}

static rt_status build_vector_extract(sim_decoder *d, const sim_view *view, sim_leaves *out_leaves)
{
    sim_leaves vector;
    RT_TRY(sim_decode_leaves(d, view->operands[0], &vector));
    return sim_decode_component(d, vector, view->operands[1], sim_type_lane(view->type),
                                out_leaves);
}

static rt_status build_vector_insert(sim_decoder *d, const sim_view *view, sim_leaves *out_leaves)
{
    sim_leaves vector, part;
    sim_ref index;
    RT_TRY(sim_decode_leaves(d, view->operands[0], &vector));
    RT_TRY(sim_decode_leaves(d, view->operands[1], &part));
    RT_TRY(component_index(d, view->operands[2], vector.count, &index));
    sim_ref *refs = sim_refs_new(d, vector.count);
    for (uint32_t i = 0; i < vector.count; i++) {
        sim_ref here = index_is(d, view->operands[2], index, i);
        refs[i] =
            sim_build_select(d, sim_type_lane(view->type), here, part.refs[0], vector.refs[i]);
    }
    *out_leaves = (sim_leaves){refs, vector.count};
    return RT_STATUS_OK;
}

static rt_status build_select(sim_decoder *d, const sim_view *view, sim_leaves *out_leaves)
{
    sim_leaves condition, a, b;
    RT_TRY(sim_decode_leaves(d, view->operands[0], &condition));
    RT_TRY(sim_decode_leaves(d, view->operands[1], &a));
    RT_TRY(sim_decode_leaves(d, view->operands[2], &b));
    sim_lane_type *lanes = rt_arena_alloc_array(&d->arena, a.count + 1, sizeof *lanes);
    sim_type_lanes(view->type, lanes);
    sim_ref *refs = sim_refs_new(d, a.count);
    for (uint32_t i = 0; i < a.count; i++) {
        sim_ref which = condition.refs[condition.count == 1 ? 0 : i];
        refs[i] = sim_build_select(d, lanes[i], which, a.refs[i], b.refs[i]);
    }
    *out_leaves = (sim_leaves){refs, a.count};
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
    const sim_type *type = sim_module_id(d->f->module, view->operands[0])->type;
    sim_lane_type from = sim_lane_integer(sim_type_lane(type));
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
    sim_ref *ref = sim_refs_new(d, 1);
    *ref = a.refs[0];
    for (uint32_t i = 1; i < a.count; i++) {
        uint32_t handler = any ? SIM_INT4(OR, SIM_I8) : SIM_INT4(AND, SIM_I8);
        *ref = sim_build_four(d, handler, SIM_I8, *ref, a.refs[i]);
    }
    *out_leaves = (sim_leaves){ref, 1};
    return RT_STATUS_OK;
}

static rt_status build_dot(sim_decoder *d, const sim_view *view, sim_leaves *out_leaves)
{
    sim_leaves a, b;
    RT_TRY(sim_decode_leaves(d, view->operands[0], &a));
    RT_TRY(sim_decode_leaves(d, view->operands[1], &b));
    sim_lane_type type = sim_type_lane(view->type);
    sim_ref *ref = sim_refs_new(d, 1);
    *out_leaves = (sim_leaves){ref, 1};
    if (sim_type_is_half(view->type)) {
        *ref = sim_half_dot(d, a, b);
        return RT_STATUS_OK;
    }
    for (uint32_t i = 0; i < a.count; i++) {
        sim_ref product = sim_build_four(d, SIM_FLOAT4(FMUL, type), type, a.refs[i], b.refs[i]);
        *ref = i == 0 ? product : sim_build_four(d, SIM_FLOAT4(FADD, type), type, *ref, product);
    }
    return RT_STATUS_OK;
}

/* Applies an instruction of OpenCL.std to each component. */
static rt_status build_extended_lanes(sim_decoder *d, const sim_view *view, const sim_extended *row,
                                      sim_leaves *out_leaves)
{
    sim_leaves in[3];
    uint32_t count = view->operand_count - 2;
    CHECK(count >= 1 && count <= 3);
    for (uint32_t k = 0; k < count; k++) {
        RT_TRY(sim_decode_leaves(d, view->operands[2 + k], &in[k]));
    }
    sim_ref *refs = sim_refs_new(d, in[0].count);
    for (uint32_t i = 0; i < in[0].count; i++) {
        sim_ref operands[3] = {SIM_REF_NONE, SIM_REF_NONE, SIM_REF_NONE};
        for (uint32_t k = 0; k < count; k++)
            operands[k] = in[k].refs[in[k].count == 1 ? 0 : i];
        refs[i] = sim_type_is_half(view->type)
                      ? sim_decode_half_extended(d, row, operands, count)
                      : sim_decode_extended(d, row->number, sim_type_lane(view->type), operands);
    }
    *out_leaves = (sim_leaves){refs, in[0].count};
    return RT_STATUS_OK;
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
    case SIM_GROUP_UPSAMPLE:
    case SIM_GROUP_BIT_SELECT:
    case SIM_GROUP_LANE_SELECT: return sim_decode_mixed(d, view, row->group, out_leaves);
    case SIM_GROUP_MASK_SHUFFLE: return sim_decode_shuffle(d, view, out_leaves);
    case SIM_GROUP_VECTOR_LOAD: return sim_decode_vector_load(d, view, out_leaves);
    case SIM_GROUP_VECTOR_STORE: return sim_decode_vector_store(d, view);
    default: break;
    }
    if (row->group >= SIM_GROUP_FLOAT_BY_INTEGER && row->group <= SIM_GROUP_NORMALIZE) {
        return sim_decode_math(d, row, view, out_leaves);
    }
    return build_extended_lanes(d, view, row, out_leaves);
}

static rt_status build_pointer_difference(sim_decoder *d, const sim_view *view,
                                          sim_leaves *out_leaves)
{
    sim_leaves a, b;
    RT_TRY(sim_decode_leaves(d, view->operands[0], &a));
    RT_TRY(sim_decode_leaves(d, view->operands[1], &b));
    const sim_type *type = sim_module_id(d->f->module, view->operands[0])->type;
    sim_ref *ref = sim_refs_new(d, 1);
    *ref = sim_build_four(d, SIM_INT4(SUB, SIM_I64), SIM_I64, a.refs[0], b.refs[0]);
    sim_ref size = sim_decode_constant(d, type->element->size_bytes);
    *ref = sim_build_binary(d, SIM_INT2(SDIV, SIM_I64), SIM_I64, *ref, size);
    *ref = sim_build_resize(d, SIM_I64, sim_type_lane(view->type), true, *ref);
    *out_leaves = (sim_leaves){ref, 1};
    return RT_STATUS_OK;
}

/* A split barrier waits only in its second half, for all work-items that will reach it. Arriving
 * does not wait, so it only orders memory. */
static void fence_add(sim_decoder *d, uint32_t order)
{
    sim_node_add(d, SIM_SHAPE_FENCE, SIM_H_FENCE, SIM_I8, 0, 0)->extra = order;
}

/* ---- One instruction ---------------------------------------------------------------------- */

rt_status sim_decode_instruction(sim_decoder *d, const sim_view *view, sim_leaves *out_leaves)
{
    *out_leaves = (sim_leaves){NULL, 0};
    if (view->type && view->type->kind != SIM_TYPE_VOID &&
        sim_type_leaves(view->type) > SIM_LEAVES_MAX) {
        return sim_decode_refuse(d, view->opcode->name, "its result has more than 4096 scalars");
    }
    const elementwise *row = elementwise_find(view->opcode->number);
    if (row) return build_elementwise(d, view, row, out_leaves);
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
    case SIM_GROUP_VECTOR_EXTRACT: return build_vector_extract(d, view, out_leaves);
    case SIM_GROUP_VECTOR_INSERT: return build_vector_insert(d, view, out_leaves);
    case SIM_GROUP_SHUFFLE: return build_shuffle(d, view, out_leaves);
    case SIM_GROUP_CONSTRUCT: return build_construct(d, view, out_leaves);
    case SIM_GROUP_EXTRACT: return build_extract(d, view, out_leaves);
    case SIM_GROUP_INSERT: return build_insert(d, view, out_leaves);
    case SIM_GROUP_DOT: return build_dot(d, view, out_leaves);
    case SIM_GROUP_EXTENDED: return build_extended(d, view, out_leaves);
    case SIM_GROUP_POINTER_DIFFERENCE: return build_pointer_difference(d, view, out_leaves);
    case SIM_GROUP_FLOAT_BINARY: return build_float_mod(d, view, out_leaves);
    case SIM_GROUP_INTEGER_UNARY:
    case SIM_GROUP_FLOAT_UNARY:
    case SIM_GROUP_LOGICAL:
    case SIM_GROUP_FLOAT_TEST:
    case SIM_GROUP_BIT_COUNT: return build_unary(d, view, out_leaves);
    case SIM_GROUP_FLOAT_TO_INTEGER:
    case SIM_GROUP_INTEGER_TO_FLOAT:
    case SIM_GROUP_INTEGER_TO_INTEGER:
    case SIM_GROUP_FLOAT_TO_FLOAT: return sim_decode_convert(d, view, out_leaves);
    case SIM_GROUP_QUANTIZE: return sim_decode_quantize(d, view, out_leaves);
    case SIM_GROUP_BIT_INSERT:
    case SIM_GROUP_BIT_EXTRACT: return sim_decode_bit_field(d, view, out_leaves);
    case SIM_GROUP_INTEGER_PAIR: return sim_decode_integer_pair(d, view, out_leaves);
    case SIM_GROUP_INTEGER_DOT: return sim_decode_integer_dot(d, view, out_leaves);
    case SIM_GROUP_PRODUCT_32X16: return sim_decode_product_32x16(d, view, out_leaves);
    case SIM_GROUP_COLLECTIVE: return sim_decode_collective(d, view, out_leaves);
    case SIM_GROUP_ASYNC_COPY: return sim_decode_async_copy(d, view, out_leaves);
    case SIM_GROUP_LIFETIME: return sim_decode_lifetime(d, view);
    case SIM_GROUP_ASSUME:
    case SIM_GROUP_PREFETCH: return RT_STATUS_OK;
    case SIM_GROUP_MEMORY_BARRIER:
        fence_add(d, sim_decode_order(d, 0, view->operands[0], view->operands[1]));
        return RT_STATUS_OK;
    case SIM_GROUP_ARRIVE:
        fence_add(d, sim_decode_order(d, view->operands[0], view->operands[1], view->operands[2]));
        return RT_STATUS_OK;
    default: return sim_decode_memory(d, view, out_leaves);
    }
}
