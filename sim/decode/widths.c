/* Checks that operations fit together: each operand, phi, argument and result is as wide as what
 * reads it expects. The lanes of a value that is stored too narrow overlap those of another, so a
 * mistake here would show only in some kernels, and only in some lanes. */
#include "sim/decode/decode.h"
#include "sim/number/convert.h"

enum { I8 = 1, I16 = 2, I32 = 4, I64 = 8, F32 = 4, F64 = 8, ANY = 0 };

/* Bytes per lane that a handler writes and reads. An operation may have fewer operands. */
typedef struct width_row {
    uint8_t target, operands[5];
} width_row;

#define SAME(type)                                                                                 \
    {                                                                                              \
        type,                                                                                      \
        {                                                                                          \
            type, type, type                                                                       \
        }                                                                                          \
    }
#define FOUR(op, type)        [SIM_H_##op##_##type##_VV] = SAME(type),
#define TWO(op, type)         [SIM_H_##op##_##type##_V] = SAME(type),
#define RELATION(op, type)    [SIM_H_##op##_##type##_VV] = {I8, {type, type}},
#define CHOICE(op, type)      [SIM_H_##op##_##type##_VV] = {type, {I8, type, type}},
#define CONVERT(op, from, to) [SIM_H_##op##_##from##_##to##_V] = {to, {from}},
#define INT_FOUR(op)          SIM_INT_TYPES(FOUR, op)
#define INT_TWO(op)           SIM_INT_TYPES(TWO, op)
#define INT_RELATION(op)      SIM_INT_TYPES(RELATION, op)
#define FLOAT_FOUR(op)        SIM_FLOAT_TYPES(FOUR, op)
#define FLOAT_TWO(op)         SIM_FLOAT_TYPES(TWO, op)
#define FLOAT_RELATION(op)    SIM_FLOAT_TYPES(RELATION, op)

/* clang-format off */
static const width_row rows[SIM_HANDLER_COUNT] = {
    SIM_INT_BINARY(INT_FOUR) SIM_FLOAT_BINARY(FLOAT_FOUR)
    SIM_INT_COMPARE(INT_RELATION) SIM_FLOAT_COMPARE(FLOAT_RELATION)
    SIM_INT_RARE(INT_TWO) SIM_INT_DIVIDE(INT_TWO) SIM_FLOAT_RARE(FLOAT_TWO)
    SIM_INT_UNARY(INT_TWO) SIM_FLOAT_UNARY(FLOAT_TWO) TWO(RSQRT, F32)
    SIM_MATH(FLOAT_TWO) SIM_TERNARY(FLOAT_TWO) SIM_INT_CHECKED(INT_TWO)
    SIM_CONVERSIONS(CONVERT) SIM_FLOAT_TO_INT(CONVERT) SIM_HALF_CONVERSIONS(CONVERT)
    SIM_INT_TYPES(CHOICE, SELECT)
    [SIM_H_ATOMIC_I16] = {I16, {I64, I16, I16}},
    [SIM_H_ATOMIC_I32] = {I32, {I64, I32, I32}},
    [SIM_H_ATOMIC_I64] = {I64, {I64, I64, I64}},
    [SIM_H_COLLECTIVE] = {ANY, {ANY, I64, ANY}},
    [SIM_H_GROUP_PUT] = {ANY, {ANY, I64, ANY}},
    [SIM_H_GROUP_TAKE] = {ANY, {ANY, I64, ANY}},
    [SIM_H_ASYNC_COPY] = {I64, {I64, I64, I64, I64, I64}},
    [SIM_H_WAIT_EVENTS] = {ANY, {I64, I64, I64}},
    [SIM_H_PRINT] = {I32, {I64}},
    [SIM_H_COPY_MEMORY] = {ANY, {I64, I64, I64}},
    [SIM_H_FRAME_ADDRESS] = {I64, {ANY}},
    [SIM_H_FORGET] = {ANY, {I64}},
};
/* clang-format on */

/* True if the operand has the width, or has none, like constants. */
static bool is_wide(const sim_ir_function *f, sim_ref ref, uint32_t bytes)
{
    if (ref == SIM_REF_NONE || (ref & SIM_REF_POOL) || bytes == ANY) return true;
    if (ref & SIM_REF_ROW) return bytes == I64;
    return sim_lane_bytes((sim_lane_type)f->values.items[ref].type) == bytes;
}

static width_row row_of(const sim_node *node)
{
    uint8_t type = (uint8_t)sim_lane_bytes((sim_lane_type)node->type);
    if (node->shape == SIM_SHAPE_LOAD || node->shape == SIM_SHAPE_STORE)
        return (width_row){type, {I64, I64}};
    width_row row = rows[node->handler];
    if (node->handler == SIM_H_CONVERT_V) {
        sim_numeric numeric = sim_numeric_unpack(node->extra);
        row.target = (uint8_t)sim_number_bytes(numeric.to);
        row.operands[0] = (uint8_t)sim_number_bytes(numeric.from);
    } else if (node->handler == SIM_H_COLLECTIVE || node->handler == SIM_H_GROUP_PUT ||
               node->handler == SIM_H_GROUP_TAKE) {
        type = (uint8_t)sim_lane_bytes((sim_lane_type)(node->extra >> 16 & 0xff));
        row.operands[0] = row.operands[2] = type;
    }
    return row;
}

static bool node_fits(const sim_ir_function *f, const sim_node *node)
{
    width_row row = row_of(node);
    for (uint32_t i = 0; i < node->operand_count; i++) {
        uint32_t bytes = i < sizeof row.operands ? row.operands[i] : ANY;
        if (node->shape == SIM_SHAPE_STORE && i >= 2) bytes = row.target;
        CHECK(is_wide(f, f->refs.items[node->operand_first + i], bytes));
    }
    CHECK(node->result_count <= 1 || node->shape == SIM_SHAPE_LOAD);
    for (uint32_t i = 0; i < node->result_count; i++)
        CHECK(is_wide(f, node->result_first + i, row.target));
    return true;
}

static bool returns_fit(const sim_ir_function *f, const sim_ir_block *block)
{
    CHECK(block->operand_count == f->result_leaves);
    for (uint32_t i = 0; i < block->operand_count; i++)
        CHECK(is_wide(f, f->refs.items[block->operand_first + i],
                      sim_lane_bytes((sim_lane_type)f->result_types[i])));
    return true;
}

static bool call_fits(const sim_ir_function *f, const sim_ir_block *block,
                      const sim_ir_function *callee)
{
    const sim_node *parameters = &callee->nodes.items[callee->parameter_node];
    CHECK(block->operand_count == callee->parameter_leaves);
    for (uint32_t i = 0; i < block->operand_count; i++) {
        uint8_t type = callee->values.items[parameters->result_first + i].type;
        CHECK(is_wide(f, f->refs.items[block->operand_first + i],
                      sim_lane_bytes((sim_lane_type)type)));
    }
    if (block->result_node == SIM_NONE) return true;
    const sim_node *result = &f->nodes.items[block->result_node];
    CHECK(result->shape == SIM_SHAPE_RESULT && result->result_count == callee->result_leaves);
    for (uint32_t i = 0; i < result->result_count; i++)
        CHECK(is_wide(f, result->result_first + i,
                      sim_lane_bytes((sim_lane_type)callee->result_types[i])));
    return true;
}

static bool block_fits(const sim_decoder *d, const sim_ir_function *f, const sim_ir_block *block)
{
    if (block->end == SIM_END_BRANCH) CHECK(is_wide(f, block->condition, I8));
    if (block->end == SIM_END_CALL_POINTER) CHECK(is_wide(f, block->condition, I64));
    if (block->end == SIM_END_RETURN) CHECK(returns_fit(f, block));
    if (block->end == SIM_END_CALL) CHECK(call_fits(f, block, &d->functions[block->call]));
    for (uint32_t i = 0; i < block->edge_count; i++) {
        const sim_ir_edge *edge = &f->edges.items[block->edge_first + i];
        const sim_ir_block *target = &f->blocks.items[edge->target];
        for (uint32_t k = 0; k < target->phi_count; k++) {
            uint8_t type = f->values.items[sim_phi_first(f, target) + k].type;
            CHECK(is_wide(f, f->refs.items[edge->args_first + k],
                          sim_lane_bytes((sim_lane_type)type)));
        }
    }
    return true;
}

bool sim_widths_check(const sim_decoder *d)
{
    for (uint32_t k = 0; k < d->function_count; k++) {
        const sim_ir_function *f = &d->functions[k];
        for (uint32_t i = 0; i < f->nodes.count; i++) {
            sim_shape shape = (sim_shape)f->nodes.items[i].shape;
            bool is_operation = shape != SIM_SHAPE_PHI && shape != SIM_SHAPE_PARAMETER &&
                                shape != SIM_SHAPE_RESULT && shape != SIM_SHAPE_FENCE;
            if (is_operation) CHECK(node_fits(f, &f->nodes.items[i]));
        }
        for (uint32_t i = 0; i < f->blocks.count; i++)
            CHECK(block_fits(d, f, &f->blocks.items[i]));
    }
    return true;
}
