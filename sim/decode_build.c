/* Instructions to operations on scalars.
 *
 * Composites are lists of scalars here, so extraction, insertion, shuffles and construction only
 * rearrange references.  Memory is in decode_memory.c, OpenCL.std in decode_extended.c; control
 * flow is laid out by decode_flow.c and gets its operands here. */
#include "sim/decode.h"

#include <string.h>

/* ---- Types -------------------------------------------------------------------------------- */

sim_lane_type sim_type_lane(const sim_type *type)
{
    while (type->kind == SIM_TYPE_VECTOR)
        type = type->element;
    if (type->kind == SIM_TYPE_BOOL) return SIM_I8;
    if (type->kind == SIM_TYPE_POINTER) return SIM_I64;
    if (type->kind == SIM_TYPE_FLOAT && type->bits == 32) return SIM_F32;
    if (type->kind == SIM_TYPE_FLOAT && type->bits == 64) return SIM_F64;
    CHECK(type->kind == SIM_TYPE_INT || type->bits == 16); /* half is held as its bits */
    return type->bits == 8    ? SIM_I8
           : type->bits == 16 ? SIM_I16
           : type->bits == 32 ? SIM_I32
                              : SIM_I64;
}

static bool is_half(const sim_type *type)
{
    while (type->kind == SIM_TYPE_VECTOR)
        type = type->element;
    return type->kind == SIM_TYPE_FLOAT && type->bits == 16;
}

/* More scalars than this in one value are refused where the value is used. */
#define LEAVES_MAX 4096u

uint32_t sim_type_leaves(const sim_type *type)
{
    uint64_t count = 1;
    switch ((sim_type_kind)type->kind) {
    case SIM_TYPE_VOID: return 0;
    case SIM_TYPE_VECTOR: return (uint32_t)type->count;
    case SIM_TYPE_ARRAY: count = type->count * sim_type_leaves(type->element); break;
    case SIM_TYPE_STRUCT:
        count = 0;
        for (uint64_t i = 0; i < type->count && count <= LEAVES_MAX; i++) {
            count += sim_type_leaves(type->members[i]);
        }
        break;
    default: return 1;
    }
    return count <= LEAVES_MAX ? (uint32_t)count : LEAVES_MAX + 1;
}

/* The lane type of each leaf, in order; returns the place behind the last. */
static sim_lane_type *type_lanes(const sim_type *type, sim_lane_type *out)
{
    if (type->kind == SIM_TYPE_ARRAY) {
        for (uint64_t i = 0; i < type->count; i++)
            out = type_lanes(type->element, out);
    } else if (type->kind == SIM_TYPE_STRUCT) {
        for (uint64_t i = 0; i < type->count; i++)
            out = type_lanes(type->members[i], out);
    } else {
        uint32_t count = sim_type_leaves(type);
        for (uint32_t i = 0; i < count; i++)
            *out++ = sim_type_lane(type);
    }
    return out;
}

/* ---- Nodes -------------------------------------------------------------------------------- */

sim_node *sim_node_add(sim_decoder *d, sim_shape shape, uint32_t handler, sim_lane_type type,
                       uint32_t operand_count, uint32_t result_count)
{
    sim_ir_function *f = d->f;
    CHECK(handler < SIM_HANDLER_COUNT);
    uint32_t index = f->nodes.count;
    sim_node *node = rt_vector_push(&f->nodes);
    *node = (sim_node){.shape = (uint8_t)shape,
                       .handler = (uint16_t)handler,
                       .type = (uint8_t)type,
                       .block = d->block,
                       .site = d->site,
                       .operand_first = f->refs.count,
                       .operand_count = operand_count,
                       .result_first = f->values.count,
                       .result_count = result_count};
    for (uint32_t i = 0; i < operand_count; i++)
        *rt_vector_push(&f->refs) = SIM_REF_NONE;
    for (uint32_t i = 0; i < result_count; i++) {
        *rt_vector_push(&f->values) = (sim_value){.type = (uint8_t)type,
                                                  .node = index,
                                                  .place = SIM_REGISTER_NONE,
                                                  .chain = {.base = SIM_REF_NONE, .index = SIM_REF_NONE}};
    }
    sim_ir_block *block = &f->blocks.items[d->block];
    CHECK(block->node_first + block->node_count == index);
    block->node_count++;
    return node;
}

static sim_ref build(sim_decoder *d, sim_shape shape, uint32_t handler, sim_lane_type type,
                     const sim_ref *operands, uint32_t count)
{
    sim_node *node = sim_node_add(d, shape, handler, type, count, 1);
    for (uint32_t i = 0; i < count; i++) {
        CHECK(operands[i] != SIM_REF_NONE);
        d->f->refs.items[node->operand_first + i] = operands[i];
    }
    return node->result_first;
}

sim_ref sim_build_unary(sim_decoder *d, uint32_t handler, sim_lane_type type, sim_ref a)
{
    return build(d, SIM_SHAPE_UNARY, handler, type, &a, 1);
}

sim_ref sim_build_four(sim_decoder *d, uint32_t handler, sim_lane_type type, sim_ref a, sim_ref b)
{
    return build(d, SIM_SHAPE_FOUR, handler, type, (sim_ref[]){a, b}, 2);
}

sim_ref sim_build_binary(sim_decoder *d, uint32_t handler, sim_lane_type type, sim_ref a, sim_ref b)
{
    return build(d, SIM_SHAPE_BINARY, handler, type, (sim_ref[]){a, b}, 2);
}

sim_ref sim_build_ternary(sim_decoder *d, uint32_t handler, sim_lane_type type, sim_ref a,
                          sim_ref b, sim_ref c)
{
    return build(d, SIM_SHAPE_TERNARY, handler, type, (sim_ref[]){a, b, c}, 3);
}

/* The integer type as wide as `type`. */
static sim_lane_type same_bits(sim_lane_type type)
{
    return type == SIM_F32 ? SIM_I32 : type == SIM_F64 ? SIM_I64 : type;
}

sim_ref sim_build_select(sim_decoder *d, sim_lane_type type, sim_ref condition, sim_ref a,
                         sim_ref b)
{
    uint32_t handler = SIM_INT4(SELECT, same_bits(type));
    return build(d, SIM_SHAPE_SELECT, handler, type, (sim_ref[]){condition, a, b}, 3);
}

typedef enum conversion {
    C_ZEXT,
    C_SEXT,
    C_CUT,
    C_UTOF,
    C_STOF,
    C_FTOF,
    C_FTOU,
    C_FTOS
} conversion;

static uint32_t conversion_handler(conversion kind, sim_lane_type from, sim_lane_type to)
{
#define ROW(op, a, b) {C_##op, SIM_##a, SIM_##b, SIM_H_##op##_##a##_##b##_V},
    static const struct {
        uint8_t kind, from, to;
        uint16_t handler;
    } rows[] = {SIM_CONVERSIONS(ROW) SIM_FLOAT_TO_INT(ROW)};
#undef ROW
    for (uint32_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].kind == kind && rows[i].from == from && rows[i].to == to) {
            return rows[i].handler;
        }
    }
    UNREACHABLE();
}

sim_ref sim_build_resize(sim_decoder *d, sim_lane_type from, sim_lane_type type, bool is_signed,
                         sim_ref a)
{
    CHECK(from <= SIM_I64 && type <= SIM_I64);
    if (from == type) return a;
    conversion kind = type < from ? C_CUT : is_signed ? C_SEXT : C_ZEXT;
    return sim_build_unary(d, conversion_handler(kind, from, type), type, a);
}

rt_status sim_decode_refuse(sim_decoder *d, const char *name, const char *reason)
{
    const sim_site *site = &d->sites.items[d->site];
    if (site->line == 0) {
        return rt_fail(d->sink, RT_UNSUPPORTED, RT_RULE_NONE, "%s in function '%.*s' is refused: %s",
                       name, RT_TEXT_ARG(d->f->function->name), reason);
    }
    return rt_fail(d->sink, RT_UNSUPPORTED, RT_RULE_NONE,
                   "%.*s:%u: %s in function '%.*s' is refused: %s", RT_TEXT_ARG(site->source),
                   site->line, name, RT_TEXT_ARG(d->f->function->name), reason);
}

/* ---- Constants ---------------------------------------------------------------------------- */

sim_ref sim_decode_constant(sim_decoder *d, uint64_t bits)
{
    uint32_t slot = rt_map_find_number(&d->pool_slots, bits);
    if (slot == RT_MAP_NONE) {
        slot = d->pool.count;
        *rt_vector_push(&d->pool) = bits;
        rt_map_set_number(&d->pool_slots, bits, slot);
    }
    return SIM_REF_POOL | slot;
}

bool sim_ref_constant(const sim_decoder *d, sim_ref ref, uint64_t *out_bits)
{
    *out_bits = 0;
    if (sim_ref_is_value(ref) || !(ref & SIM_REF_POOL)) return false;
    uint32_t slot = ref & ~SIM_REF_POOL;
    *out_bits = d->pool.items[slot];
    return slot >= SIM_POOL_SLOTS && rt_map_find_number(&d->pool_slots, *out_bits) == slot;
}

/* Room for `count` scalars that lives as long as the decoding. */
static sim_ref *refs_new(sim_decoder *d, uint32_t count)
{
    return rt_arena_alloc_array(&d->arena, count ? count : 1, sizeof(sim_ref));
}

static sim_leaves leaves_fill(sim_decoder *d, const sim_type *type, sim_ref ref)
{
    uint32_t count = sim_type_leaves(type);
    sim_ref *refs = refs_new(d, count);
    for (uint32_t i = 0; i < count; i++)
        refs[i] = ref;
    return (sim_leaves){refs, count};
}

/* What an undefined value is: a number of the seed, but false where a bool is wanted. */
static sim_leaves leaves_undefined(sim_decoder *d, const sim_type *type)
{
    uint32_t count = sim_type_leaves(type);
    sim_lane_type *lanes = rt_arena_alloc_array(&d->arena, count + 1, sizeof *lanes);
    type_lanes(type, lanes);
    sim_ref *refs = refs_new(d, count);
    for (uint32_t i = 0; i < count; i++) {
        refs[i] =
            lanes[i] == SIM_I8 ? sim_decode_constant(d, 0) : SIM_REF_POOL | SIM_SLOT_UNDEFINED;
    }
    return (sim_leaves){refs, count};
}

static rt_status constant_composite(sim_decoder *d, const sim_constant *constant,
                                    sim_leaves *out_leaves)
{
    sim_ref *refs = refs_new(d, sim_type_leaves(constant->type));
    uint32_t count = 0;
    for (uint32_t i = 0; i < constant->count; i++) {
        sim_leaves part;
        RT_TRY(sim_decode_leaves(d, constant->operands[i], &part));
        memcpy(refs + count, part.refs, part.count * sizeof *refs);
        count += part.count;
    }
    *out_leaves = (sim_leaves){refs, count};
    return RT_STATUS_OK;
}

static rt_status constant_leaves(sim_decoder *d, const sim_constant *constant,
                                 sim_leaves *out_leaves)
{
    if (sim_type_leaves(constant->type) > LEAVES_MAX) {
        return sim_decode_refuse(d, "a constant", "it has more than 4096 scalars");
    }
    switch ((sim_constant_kind)constant->kind) {
    case SIM_CONSTANT_BITS:
        *out_leaves = leaves_fill(d, constant->type, sim_decode_constant(d, constant->bits));
        return RT_STATUS_OK;
    case SIM_CONSTANT_NULL:
        *out_leaves = leaves_fill(d, constant->type, sim_decode_constant(d, 0));
        return RT_STATUS_OK;
    case SIM_CONSTANT_UNDEFINED:
        *out_leaves = leaves_undefined(d, constant->type);
        return RT_STATUS_OK;
    case SIM_CONSTANT_COMPOSITE: return constant_composite(d, constant, out_leaves);
    case SIM_CONSTANT_FUNCTION:
        return sim_decode_refuse(d, "OpConstantFunctionPointerINTEL",
                                 "calls through pointers are not built yet");
    case SIM_CONSTANT_OPERATION: break;
    }
    /* An operation is computed anew wherever it is used: uniform, so it costs next to nothing. */
    sim_view view = {constant->opcode, constant->operands, constant->count, constant->type,
                     constant->id};
    return sim_decode_instruction(d, &view, out_leaves);
}

rt_status sim_decode_leaves(sim_decoder *d, sim_id id, sim_leaves *out_leaves)
{
    const sim_module *module = d->f->module;
    const sim_id_entry *entry = sim_module_id(module, id);
    sim_leaves *known = &d->leaves[d->f->module_index][id];
    if (known->refs) {
        *out_leaves = *known;
        return RT_STATUS_OK;
    }
    if (entry->kind == SIM_ID_CONSTANT) {
        const sim_constant *constant = sim_module_constant(module, id);
        RT_TRY(constant_leaves(d, constant, out_leaves));
        bool is_bound = constant->kind == SIM_CONSTANT_OPERATION ||
                        constant->kind == SIM_CONSTANT_COMPOSITE; /* may hold operations */
        if (!is_bound) *known = *out_leaves;
        return RT_STATUS_OK;
    }
    CHECK(entry->kind == SIM_ID_VARIABLE);
    sim_ref ref;
    RT_TRY(sim_decode_variable(d, sim_module_variable(module, id), &ref));
    *known = *out_leaves = leaves_fill(d, entry->type, ref);
    return RT_STATUS_OK;
}

/* ---- Element by element ------------------------------------------------------------------- */

enum {
    E_FLOAT = 1,   /* the family has rows for F32 and F64 only */
    E_SWAP = 2,    /* operands in the other order */
    E_INVERT = 4,  /* a comparison whose result is negated */
    E_COMPARE = 8, /* result is bool */
    E_RARE = 16,   /* shape BINARY */
};

/* Instructions that work on each component alone, as one operation of two operands. */
typedef struct elementwise {
    uint16_t opcode;
    uint16_t handler; /* of the first type */
    uint8_t flags;
} elementwise;

#define INT(op, handler)                                                                           \
    {                                                                                              \
        SIM_Op##op, SIM_H_##handler##_I8_VV, 0                                                     \
    }
#define DIVIDE(op, handler)                                                                        \
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
    DIVIDE(UDiv, UDIV),
    DIVIDE(SDiv, SDIV),
    DIVIDE(UMod, UREM),
    DIVIDE(SRem, SREM),
    DIVIDE(SMod, SMOD),
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
    sim_ref out = build(d, shape, handler, result, (sim_ref[]){swap ? b : a, swap ? a : b}, 2);
    if (!(row->flags & E_INVERT)) return out;
    return sim_build_four(d, SIM_INT4(XOR, SIM_I8), SIM_I8, out, sim_decode_constant(d, 1));
}

/* Shift amounts may be of another width than what is shifted. */
static rt_status shift_amounts(sim_decoder *d, const sim_view *view, sim_leaves *amounts)
{
    const sim_type *type = sim_module_id(d->f->module, view->operands[1])->type;
    sim_lane_type from = sim_type_lane(type), to = sim_type_lane(view->type);
    if (from == to) return RT_STATUS_OK;
    sim_ref *refs = refs_new(d, amounts->count);
    for (uint32_t i = 0; i < amounts->count; i++) {
        refs[i] = sim_build_resize(d, from, to, false, amounts->refs[i]);
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
    if ((row->flags & E_FLOAT) && is_half(type)) {
        return sim_decode_refuse(d, view->opcode->name, "arithmetic on half is not built yet");
    }
    if (view->opcode->group == SIM_GROUP_SHIFT) RT_TRY(shift_amounts(d, view, &b));
    sim_ref *refs = refs_new(d, a.count);
    for (uint32_t i = 0; i < a.count; i++) {
        refs[i] =
            elementwise_build(d, row, sim_type_lane(type), a.refs[i], b.refs[b.count == 1 ? 0 : i]);
    }
    *out_leaves = (sim_leaves){refs, a.count};
    return RT_STATUS_OK;
}

/* ---- One operand -------------------------------------------------------------------------- */

static sim_ref float_bits_without_sign(sim_decoder *d, sim_lane_type type, sim_ref a)
{
    uint64_t mask = type == SIM_F32 ? UINT64_C(0x7fffffff) : INT64_MAX;
    sim_lane_type bits = same_bits(type);
    return sim_build_four(d, SIM_INT4(AND, bits), bits, a, sim_decode_constant(d, mask));
}

static sim_ref build_float_test(sim_decoder *d, uint32_t opcode, sim_lane_type type, sim_ref a)
{
    bool narrow = type == SIM_F32;
    sim_ref infinity =
        sim_decode_constant(d, narrow ? UINT64_C(0x7f800000) : UINT64_C(0x7ff0000000000000));
    sim_ref normal =
        sim_decode_constant(d, narrow ? UINT64_C(0x00800000) : UINT64_C(0x0010000000000000));
    sim_lane_type bits = same_bits(type);
    if (opcode == SIM_OpIsNan) return sim_build_four(d, SIM_FLOAT4(FUNE, type), SIM_I8, a, a);
    if (opcode == SIM_OpSignBitSet) {
        return sim_build_four(d, SIM_INT4(SLT, bits), SIM_I8, a, sim_decode_constant(d, 0));
    }
    sim_ref size = float_bits_without_sign(d, type, a);
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
    sim_lane_type bits = same_bits(type);
    uint64_t ones = type == SIM_I64 ? UINT64_MAX : (UINT64_C(1) << 8 * sim_lane_bytes(type)) - 1;
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
    case SIM_OpBitCount:
        a = sim_build_unary(d, SIM_INT2(POPCOUNT, type), type, a);
        return sim_build_resize(d, type, to, false, a);
    case SIM_OpUConvert: return sim_build_resize(d, type, to, false, a);
    case SIM_OpSConvert: return sim_build_resize(d, type, to, true, a);
    case SIM_OpConvertUToF: return sim_build_unary(d, conversion_handler(C_UTOF, type, to), to, a);
    case SIM_OpConvertSToF: return sim_build_unary(d, conversion_handler(C_STOF, type, to), to, a);
    case SIM_OpConvertFToU: return sim_build_unary(d, conversion_handler(C_FTOU, type, to), to, a);
    case SIM_OpConvertFToS: return sim_build_unary(d, conversion_handler(C_FTOS, type, to), to, a);
    case SIM_OpFConvert:
        return type == to ? a : sim_build_unary(d, conversion_handler(C_FTOF, type, to), to, a);
    default: return build_float_test(d, view->opcode->number, type, a);
    }
}

static rt_status build_unary(sim_decoder *d, const sim_view *view, sim_leaves *out_leaves)
{
    const sim_type *type = sim_module_id(d->f->module, view->operands[0])->type;
    bool halves = is_half(type) != (type->kind == SIM_TYPE_INT && false) || is_half(view->type);
    if (halves) {
        return sim_decode_refuse(d, view->opcode->name, "arithmetic on half is not built yet");
    }
    sim_leaves a;
    RT_TRY(sim_decode_leaves(d, view->operands[0], &a));
    sim_ref *refs = refs_new(d, a.count);
    for (uint32_t i = 0; i < a.count; i++) {
        refs[i] = build_one(d, view, sim_type_lane(type), sim_type_lane(view->type), a.refs[i]);
    }
    *out_leaves = (sim_leaves){refs, a.count};
    return RT_STATUS_OK;
}

static rt_status build_float_mod(sim_decoder *d, const sim_view *view, sim_leaves *out_leaves)
{
    sim_leaves a, b;
    RT_TRY(sim_decode_leaves(d, view->operands[0], &a));
    RT_TRY(sim_decode_leaves(d, view->operands[1], &b));
    if (is_half(view->type)) {
        return sim_decode_refuse(d, view->opcode->name, "arithmetic on half is not built yet");
    }
    sim_lane_type type = sim_type_lane(view->type);
    sim_ref *refs = refs_new(d, a.count), zero = sim_decode_constant(d, 0);
    for (uint32_t i = 0; i < a.count; i++) {
        sim_ref r = sim_build_binary(d, SIM_FLOAT2(MATH2, type), type, a.refs[i], b.refs[i]);
        d->f->nodes.items[d->f->nodes.count - 1].extra = SIM_MATH_fmod;
        refs[i] = r;
        if (view->opcode->number == SIM_OpFRem) continue;
        /* The remainder takes the divisor's sign: add the divisor where the signs differ. */
        sim_ref minus = sim_build_four(d, SIM_FLOAT4(FLT, type), SIM_I8, r, zero);
        sim_ref divisor = sim_build_four(d, SIM_FLOAT4(FLT, type), SIM_I8, b.refs[i], zero);
        sim_ref differ = sim_build_four(d, SIM_INT4(XOR, SIM_I8), SIM_I8, minus, divisor);
        sim_ref some = sim_build_four(d, SIM_FLOAT4(FUNE, type), SIM_I8, r, zero);
        sim_ref adjust = sim_build_four(d, SIM_INT4(AND, SIM_I8), SIM_I8, differ, some);
        sim_ref sum = sim_build_four(d, SIM_FLOAT4(FADD, type), type, r, b.refs[i]);
        refs[i] = sim_build_select(d, type, adjust, sum, r);
    }
    *out_leaves = (sim_leaves){refs, a.count};
    return RT_STATUS_OK;
}

/* ---- Rearrangement ------------------------------------------------------------------------ */

/* First leaf, and type, of the member that the literal indices lead to. */
static uint32_t leaf_of(const sim_type *type, const uint32_t *indices, uint32_t count,
                        const sim_type **out_type)
{
    uint32_t leaf = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t index = indices[i];
        CHECK(index < type->count);
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
    sim_ref *refs = refs_new(d, whole.count);
    memcpy(refs, whole.refs, whole.count * sizeof *refs);
    memcpy(refs + leaf, part.refs, part.count * sizeof *refs);
    *out_leaves = (sim_leaves){refs, whole.count};
    return RT_STATUS_OK;
}

static rt_status build_construct(sim_decoder *d, const sim_view *view, sim_leaves *out_leaves)
{
    sim_ref *refs = refs_new(d, sim_type_leaves(view->type));
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
    sim_leaves undefined = leaves_undefined(d, view->type);
    sim_ref *refs = refs_new(d, undefined.count);
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

/* Condition "index == i" for a component index of any width. */
static sim_ref index_is(sim_decoder *d, sim_id index_id, sim_ref index, uint32_t i)
{
    sim_lane_type type = sim_type_lane(sim_module_id(d->f->module, index_id)->type);
    return sim_build_four(d, SIM_INT4(EQ, type), SIM_I8, index, sim_decode_constant(d, i));
}

static rt_status build_vector_extract(sim_decoder *d, const sim_view *view, sim_leaves *out_leaves)
{
    sim_leaves vector, index;
    RT_TRY(sim_decode_leaves(d, view->operands[0], &vector));
    RT_TRY(sim_decode_leaves(d, view->operands[1], &index));
    sim_ref *ref = refs_new(d, 1);
    *ref = vector.refs[0];
    for (uint32_t i = 1; i < vector.count; i++) {
        sim_ref here = index_is(d, view->operands[1], index.refs[0], i);
        *ref = sim_build_select(d, sim_type_lane(view->type), here, vector.refs[i], *ref);
    }
    *out_leaves = (sim_leaves){ref, 1};
    return RT_STATUS_OK;
}

static rt_status build_vector_insert(sim_decoder *d, const sim_view *view, sim_leaves *out_leaves)
{
    sim_leaves vector, part, index;
    RT_TRY(sim_decode_leaves(d, view->operands[0], &vector));
    RT_TRY(sim_decode_leaves(d, view->operands[1], &part));
    RT_TRY(sim_decode_leaves(d, view->operands[2], &index));
    sim_ref *refs = refs_new(d, vector.count);
    for (uint32_t i = 0; i < vector.count; i++) {
        sim_ref here = index_is(d, view->operands[2], index.refs[0], i);
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
    type_lanes(view->type, lanes);
    sim_ref *refs = refs_new(d, a.count);
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
    sim_lane_type from = same_bits(sim_type_lane(type));
    sim_lane_type to = same_bits(sim_type_lane(view->type));
    uint32_t count = sim_type_leaves(view->type);
    *out_leaves = a;
    if (count == a.count) return RT_STATUS_OK;
    sim_ref *refs = refs_new(d, count);
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
    sim_ref *ref = refs_new(d, 1);
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
    if (is_half(view->type)) {
        return sim_decode_refuse(d, view->opcode->name, "arithmetic on half is not built yet");
    }
    sim_lane_type type = sim_type_lane(view->type);
    sim_ref *ref = refs_new(d, 1);
    for (uint32_t i = 0; i < a.count; i++) {
        sim_ref product = sim_build_four(d, SIM_FLOAT4(FMUL, type), type, a.refs[i], b.refs[i]);
        *ref = i == 0 ? product : sim_build_four(d, SIM_FLOAT4(FADD, type), type, *ref, product);
    }
    *out_leaves = (sim_leaves){ref, 1};
    return RT_STATUS_OK;
}

/* Applies an instruction of OpenCL.std to each component. */
static rt_status build_extended(sim_decoder *d, const sim_view *view, sim_leaves *out_leaves)
{
    const sim_id_entry *set = sim_module_id(d->f->module, view->operands[0]);
    if (set->index != SIM_SET_OPENCL_STD) return RT_STATUS_OK;
    const sim_extended *row = sim_extended_find(view->operands[1]);
    CHECK(row && row->treatment == SIM_TREATMENT_EXEC);
    if (row->group == SIM_GROUP_PREFETCH) return RT_STATUS_OK;
    if (is_half(view->type)) {
        return sim_decode_refuse(d, row->name, "arithmetic on half is not built yet");
    }
    sim_leaves in[3];
    uint32_t count = view->operand_count - 2;
    CHECK(count >= 1 && count <= 3);
    for (uint32_t k = 0; k < count; k++) {
        RT_TRY(sim_decode_leaves(d, view->operands[2 + k], &in[k]));
    }
    sim_ref *refs = refs_new(d, in[0].count);
    for (uint32_t i = 0; i < in[0].count; i++) {
        sim_ref operands[3] = {SIM_REF_NONE, SIM_REF_NONE, SIM_REF_NONE};
        for (uint32_t k = 0; k < count; k++)
            operands[k] = in[k].refs[in[k].count == 1 ? 0 : i];
        RT_TRY(sim_decode_extended(d, row->number, sim_type_lane(view->type), operands, &refs[i]));
    }
    *out_leaves = (sim_leaves){refs, in[0].count};
    return RT_STATUS_OK;
}

static rt_status build_pointer_difference(sim_decoder *d, const sim_view *view,
                                          sim_leaves *out_leaves)
{
    sim_leaves a, b;
    RT_TRY(sim_decode_leaves(d, view->operands[0], &a));
    RT_TRY(sim_decode_leaves(d, view->operands[1], &b));
    const sim_type *type = sim_module_id(d->f->module, view->operands[0])->type;
    sim_ref *ref = refs_new(d, 1);
    *ref = sim_build_four(d, SIM_INT4(SUB, SIM_I64), SIM_I64, a.refs[0], b.refs[0]);
    sim_ref size = sim_decode_constant(d, type->element->size_bytes);
    *ref = sim_build_binary(d, SIM_INT2(SDIV, SIM_I64), SIM_I64, *ref, size);
    *ref = sim_build_resize(d, SIM_I64, sim_type_lane(view->type), true, *ref);
    *out_leaves = (sim_leaves){ref, 1};
    return RT_STATUS_OK;
}

/* ---- One instruction ---------------------------------------------------------------------- */

rt_status sim_decode_instruction(sim_decoder *d, const sim_view *view, sim_leaves *out_leaves)
{
    *out_leaves = (sim_leaves){NULL, 0};
    if (view->type && view->type->kind != SIM_TYPE_VOID &&
        sim_type_leaves(view->type) > LEAVES_MAX) {
        return sim_decode_refuse(d, view->opcode->name, "its result has more than 4096 scalars");
    }
    const elementwise *row = elementwise_find(view->opcode->number);
    if (row) return build_elementwise(d, view, row, out_leaves);
    switch ((sim_group)view->opcode->group) {
    case SIM_GROUP_UNDEFINED: *out_leaves = leaves_undefined(d, view->type); return RT_STATUS_OK;
    case SIM_GROUP_COPY:
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
    case SIM_GROUP_BIT_COUNT:
    case SIM_GROUP_FLOAT_TO_INTEGER:
    case SIM_GROUP_INTEGER_TO_FLOAT:
    case SIM_GROUP_INTEGER_TO_INTEGER:
    case SIM_GROUP_FLOAT_TO_FLOAT: return build_unary(d, view, out_leaves);
    case SIM_GROUP_ASSUME:
    case SIM_GROUP_LIFETIME:
    case SIM_GROUP_PREFETCH:
    case SIM_GROUP_MEMORY_BARRIER: return RT_STATUS_OK; /* lanes run in step: nothing to order */
    default: return sim_decode_memory(d, view, out_leaves);
    }
}

/* ---- Blocks ------------------------------------------------------------------------------- */

/* Results of phis are nodes before any other, so that edges can count on their order. */
static sim_leaves node_leaves(sim_decoder *d, const sim_node *node, const sim_type *type)
{
    sim_lane_type *lanes = rt_arena_alloc_array(&d->arena, node->result_count + 1, sizeof *lanes);
    type_lanes(type, lanes);
    sim_ref *refs = refs_new(d, node->result_count);
    for (uint32_t i = 0; i < node->result_count; i++) {
        refs[i] = node->result_first + i;
        d->f->values.items[refs[i]].type = (uint8_t)lanes[i];
    }
    return (sim_leaves){refs, node->result_count};
}

static rt_status build_parameters(sim_decoder *d)
{
    sim_ir_function *f = d->f;
    const sim_type *type = f->function->type;
    uint32_t total = 0;
    f->parameter_first =
        rt_arena_alloc_array(&d->arena, (size_t)type->count + 1, sizeof *f->parameter_first);
    for (uint32_t i = 0; i < type->count; i++) {
        f->parameter_first[i] = total;
        total += sim_type_leaves(type->members[i]);
        if (total > LEAVES_MAX) {
            return sim_decode_refuse(d, "OpFunction", "its parameters are more than 4096 scalars");
        }
    }
    f->parameter_first[type->count] = f->parameter_leaves = total;
    f->parameter_node = f->nodes.count;
    sim_node node = *sim_node_add(d, SIM_SHAPE_PARAMETER, 0, SIM_I64, 0, total);
    for (uint32_t i = 0; i < type->count; i++) {
        sim_node part = node;
        part.result_first += f->parameter_first[i];
        part.result_count = f->parameter_first[i + 1] - f->parameter_first[i];
        d->leaves[f->module_index][f->function->parameters[i]] =
            node_leaves(d, &part, type->members[i]);
    }
    return RT_STATUS_OK;
}

static void site_set(sim_decoder *d, const sim_instruction *instruction)
{
    d->site = d->sites.count;
    *rt_vector_push(&d->sites) =
        (sim_site){.source = sim_module_string(d->f->module, instruction->source),
                   .line = instruction->line,
                   .function = d->f->index,
                   .name = instruction->opcode->name};
}

/* The refs as a list that the block keeps. */
static uint32_t operands_keep(sim_decoder *d, sim_leaves leaves)
{
    uint32_t first = d->f->refs.count;
    for (uint32_t i = 0; i < leaves.count; i++)
        *rt_vector_push(&d->f->refs) = leaves.refs[i];
    return first;
}

static rt_status build_call(sim_decoder *d, const sim_instruction *instruction)
{
    sim_ir_function *f = d->f;
    const sim_function *callee = sim_module_function(f->module, instruction->operands[0]);
    uint32_t index = (uint32_t)(callee - f->module->functions);
    RT_VECTOR(sim_ref) arguments = {0};
    for (uint32_t i = 1; i < instruction->operand_count; i++) {
        sim_leaves part;
        rt_status status = sim_decode_leaves(d, instruction->operands[i], &part);
        if (!rt_ok(status)) {
            rt_vector_free(&arguments);
            return status;
        }
        for (uint32_t k = 0; k < part.count; k++)
            *rt_vector_push(&arguments) = part.refs[k];
    }
    sim_ir_block *block = &f->blocks.items[d->block];
    block->end = SIM_END_CALL;
    block->site = d->site;
    block->call = d->function_of[f->module_index][index];
    CHECK(block->call != SIM_NONE);
    block->operand_count = arguments.count;
    block->operand_first = operands_keep(d, (sim_leaves){arguments.items, arguments.count});
    rt_vector_free(&arguments);
    return RT_STATUS_OK;
}

/* Begins the engine's next block of the same module block, after a call or a barrier. */
static void block_next(sim_decoder *d, const sim_instruction *instruction)
{
    sim_ir_function *f = d->f;
    uint32_t before = d->block++;
    f->blocks.items[d->block].node_first = f->nodes.count;
    if (instruction->opcode->group != SIM_GROUP_CALL) return;
    uint32_t count = sim_type_leaves(instruction->type);
    if (count == 0) return;
    f->blocks.items[before].result_node = f->nodes.count;
    sim_node node = *sim_node_add(d, SIM_SHAPE_RESULT, 0, SIM_I64, 0, count);
    d->leaves[f->module_index][instruction->id] = node_leaves(d, &node, instruction->type);
}

/* The value of an id that is a constant of 32 bits at most. */
static bool constant_u32(const sim_decoder *d, sim_id id, uint32_t *out_value)
{
    *out_value = 0;
    const sim_id_entry *entry = sim_module_id(d->f->module, id);
    if (entry->kind != SIM_ID_CONSTANT) return false;
    const sim_constant *constant = sim_module_constant(d->f->module, id);
    *out_value = (uint32_t)constant->bits;
    return constant->kind == SIM_CONSTANT_BITS;
}

static rt_status build_barrier(sim_decoder *d, const sim_instruction *instruction)
{
    uint32_t scope;
    if (!constant_u32(d, instruction->operands[0], &scope) || scope != SIM_ScopeWorkgroup) {
        return sim_decode_refuse(d, "OpControlBarrier", "only barriers of a work-group are built");
    }
    d->f->blocks.items[d->block].end = SIM_END_BARRIER;
    d->f->blocks.items[d->block].site = d->site;
    return RT_STATUS_OK;
}

static rt_status build_end(sim_decoder *d, const sim_instruction *instruction)
{
    sim_ir_block *block = &d->f->blocks.items[d->block];
    sim_leaves leaves = {NULL, 0};
    block->site = d->site;
    switch ((sim_group)instruction->opcode->group) {
    case SIM_GROUP_BRANCH: block->end = SIM_END_JUMP; return RT_STATUS_OK;
    case SIM_GROUP_BRANCH_CONDITIONAL:
    case SIM_GROUP_SWITCH:
        RT_TRY(sim_decode_leaves(d, instruction->operands[0], &leaves));
        block = &d->f->blocks.items[d->block];
        block->end =
            instruction->opcode->group == SIM_GROUP_SWITCH ? SIM_END_SWITCH : SIM_END_BRANCH;
        block->condition = leaves.refs[0];
        return RT_STATUS_OK;
    case SIM_GROUP_RETURN_VALUE:
        RT_TRY(sim_decode_leaves(d, instruction->operands[0], &leaves));
        break;
    case SIM_GROUP_RETURN: break;
    default: block->end = SIM_END_UNREACHABLE; return RT_STATUS_OK;
    }
    block = &d->f->blocks.items[d->block];
    block->end = SIM_END_RETURN;
    block->operand_first = operands_keep(d, leaves);
    block->operand_count = leaves.count;
    return RT_STATUS_OK;
}

static rt_status build_instruction(sim_decoder *d, const sim_instruction *instruction)
{
    sim_view view = {instruction->opcode, instruction->operands, instruction->operand_count,
                     instruction->type, instruction->id};
    sim_leaves leaves;
    RT_TRY(sim_decode_instruction(d, &view, &leaves));
    if (!instruction->id || !leaves.refs) return RT_STATUS_OK;
    d->leaves[d->f->module_index][instruction->id] = leaves;
    return RT_STATUS_OK;
}

static void build_phi(sim_decoder *d, const sim_instruction *phi)
{
    uint32_t count = sim_type_leaves(phi->type);
    sim_node node = *sim_node_add(d, SIM_SHAPE_PHI, 0, SIM_I64, 0, count);
    d->f->blocks.items[d->block].phi_count += count;
    d->leaves[d->f->module_index][phi->id] = node_leaves(d, &node, phi->type);
}

static rt_status build_block(sim_decoder *d, uint32_t index)
{
    sim_ir_function *f = d->f;
    const sim_block *block = &f->module->blocks[f->blocks.items[index].module_block];
    d->block = index;
    for (uint32_t i = 0; i < block->count; i++) {
        const sim_instruction *instruction = &f->module->instructions[block->first + i];
        site_set(d, instruction);
        f->blocks.items[d->block].cost++;
        if (instruction->opcode->group == SIM_GROUP_PHI) {
            if (sim_type_leaves(instruction->type) > LEAVES_MAX) {
                return sim_decode_refuse(d, "OpPhi", "it has more than 4096 scalars");
            }
            build_phi(d, instruction);
        } else if (instruction->opcode->group == SIM_GROUP_CALL) {
            RT_TRY(build_call(d, instruction));
            block_next(d, instruction);
        } else if (instruction->opcode->group == SIM_GROUP_CONTROL_BARRIER) {
            RT_TRY(build_barrier(d, instruction));
            block_next(d, instruction);
        } else if (i + 1 == block->count) {
            RT_TRY(build_end(d, instruction));
        } else {
            RT_TRY(build_instruction(d, instruction));
        }
    }
    return RT_STATUS_OK;
}

/* A latch repeats the phis of its loop's header. */
static void build_latch(sim_decoder *d, uint32_t index)
{
    sim_ir_function *f = d->f;
    const sim_ir_block *header =
        &f->blocks.items[f->loops.items[f->blocks.items[index].loop].header];
    uint32_t count = header->phi_count;
    uint32_t first =
        count ? f->nodes.items[header->node_first + (header == f->blocks.items)].result_first : 0;
    d->block = index;
    f->blocks.items[index].end = SIM_END_JUMP;
    f->blocks.items[index].phi_count = count;
    if (count == 0) return;
    sim_node node = *sim_node_add(d, SIM_SHAPE_PHI, 0, SIM_I64, 0, count);
    for (uint32_t i = 0; i < count; i++) {
        f->values.items[node.result_first + i].type = f->values.items[first + i].type;
    }
}

/* The operand of a phi for the edge that comes from the module's block `source`. */
static sim_id phi_operand(const sim_module *module, const sim_instruction *phi, uint32_t source)
{
    for (uint32_t i = 0; i + 1 < phi->operand_count; i += 2) {
        if (sim_module_id(module, phi->operands[i + 1])->index == source) return phi->operands[i];
    }
    UNREACHABLE();
}

static rt_status edge_args(sim_decoder *d, sim_ir_edge *edge)
{
    sim_ir_function *f = d->f;
    const sim_ir_block *target = &f->blocks.items[edge->target];
    edge->args_first = f->refs.count;
    if (edge->source == SIM_NONE) { /* from a latch to its header */
        const sim_ir_block *latch = &f->blocks.items[edge->from];
        CHECK(latch->phi_count == target->phi_count);
        for (uint32_t i = 0; i < latch->phi_count; i++) {
            *rt_vector_push(&f->refs) = f->nodes.items[latch->node_first].result_first + i;
        }
        return RT_STATUS_OK;
    }
    if (target->module_block == SIM_NONE) {
        target = &f->blocks.items[f->loops.items[target->loop].header];
    }
    const sim_block *block = &f->module->blocks[target->module_block];
    for (uint32_t i = 0; i < block->count; i++) {
        const sim_instruction *phi = &f->module->instructions[block->first + i];
        if (phi->opcode->group != SIM_GROUP_PHI) break;
        sim_leaves leaves;
        d->block = edge->from;
        RT_TRY(sim_decode_leaves(d, phi_operand(f->module, phi, edge->source), &leaves));
        operands_keep(d, leaves);
    }
    CHECK(f->refs.count - edge->args_first == target->phi_count);
    return RT_STATUS_OK;
}

/* Constants that are operations must not be built while edges are filled: every such operand of a
 * phi is given its operations in the block that it comes from, before that block ends. */
static rt_status phi_operations(sim_decoder *d, uint32_t index)
{
    sim_ir_function *f = d->f;
    const sim_ir_block *block = &f->blocks.items[index];
    for (uint32_t e = 0; e < block->edge_count; e++) {
        const sim_ir_edge *edge = &f->edges.items[block->edge_first + e];
        const sim_ir_block *target = &f->blocks.items[edge->target];
        if (target->module_block == SIM_NONE) continue;
        const sim_block *to = &f->module->blocks[target->module_block];
        for (uint32_t i = 0; i < to->count; i++) {
            const sim_instruction *phi = &f->module->instructions[to->first + i];
            if (phi->opcode->group != SIM_GROUP_PHI) break;
            sim_id id = phi_operand(f->module, phi, edge->source);
            if (sim_module_id(f->module, id)->kind != SIM_ID_CONSTANT) continue;
            const sim_constant *constant = sim_module_constant(f->module, id);
            if (constant->kind != SIM_CONSTANT_OPERATION) continue;
            return sim_decode_refuse(d, "OpPhi",
                                     "operations on specialisation constants as "
                                     "operands of phis are not built yet");
        }
    }
    return RT_STATUS_OK;
}

rt_status sim_decode_build(sim_decoder *d, sim_ir_function *f)
{
    d->f = f;
    d->block = 0;
    site_set(d, &f->module->instructions[f->module->blocks[f->function->block_first].first]);
    RT_TRY(build_parameters(d));
    for (uint32_t i = 0; i < f->blocks.count; i++) {
        if (!f->blocks.items[i].is_first) continue; /* filled with the one before */
        if (i > 0) f->blocks.items[i].node_first = f->nodes.count;
        if (f->blocks.items[i].module_block == SIM_NONE) {
            build_latch(d, i);
        } else {
            RT_TRY(build_block(d, i));
            RT_TRY(phi_operations(d, d->block));
        }
    }
    for (uint32_t i = 0; i < f->edges.count; i++)
        RT_TRY(edge_args(d, &f->edges.items[i]));
    f->result_leaves = sim_type_leaves(f->function->type->element);
    f->result_varying = rt_arena_alloc_array(&d->arena, f->result_leaves + 1, sizeof(bool));
    f->result_types = rt_arena_alloc_array(&d->arena, f->result_leaves + 1, 1);
    sim_lane_type *lanes = rt_arena_alloc_array(&d->arena, f->result_leaves + 1, sizeof *lanes);
    type_lanes(f->function->type->element, lanes);
    for (uint32_t i = 0; i < f->result_leaves; i++)
        f->result_types[i] = (uint8_t)lanes[i];
    return RT_STATUS_OK;
}
