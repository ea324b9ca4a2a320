/* Helpers for the other files of the decoder: lane types, operations, conversions, refusals. */
#include "sim/decode/decode.h"

/* ---- Types -------------------------------------------------------------------------------- */

const sim_type *sim_decode_type(const sim_decoder *d, const sim_view *view, uint32_t index)
{
    CHECK(index < view->operand_count);
    return sim_module_id(d->f->module, view->operands[index])->type;
}

sim_lane_type sim_type_lane(const sim_type *type)
{
    while (type->kind == SIM_TYPE_VECTOR)
        type = type->element;
    if (type->kind == SIM_TYPE_BOOL) return SIM_I8;
    if (type->kind == SIM_TYPE_POINTER || type->kind == SIM_TYPE_EVENT) return SIM_I64;
    if (type->kind == SIM_TYPE_FLOAT && type->bits == 32) return SIM_F32;
    if (type->kind == SIM_TYPE_FLOAT && type->bits == 64) return SIM_F64;
    CHECK(type->kind == SIM_TYPE_INT || type->bits == 16); /* half is represented by its bits */
    return type->bits == 8    ? SIM_I8
           : type->bits == 16 ? SIM_I16
           : type->bits == 32 ? SIM_I32
                              : SIM_I64;
}

bool sim_type_is_half(const sim_type *type)
{
    while (type->kind == SIM_TYPE_VECTOR)
        type = type->element;
    return type->kind == SIM_TYPE_FLOAT && type->bits == 16;
}

uint32_t sim_type_leaves(const sim_type *type)
{
    uint64_t count = 1;
    switch ((sim_type_kind)type->kind) {
    case SIM_TYPE_VOID: return 0;
    case SIM_TYPE_VECTOR: return (uint32_t)type->count;
    case SIM_TYPE_ARRAY: count = type->count * sim_type_leaves(type->element); break;
    case SIM_TYPE_STRUCT:
        count = 0;
        for (uint64_t i = 0; i < type->count && count <= SIM_LEAVES_MAX; i++) {
            count += sim_type_leaves(type->members[i]);
        }
        break;
    default: return 1;
    }
    return count <= SIM_LEAVES_MAX ? (uint32_t)count : SIM_LEAVES_MAX + 1;
}

sim_lane_type *sim_type_lanes(const sim_type *type, sim_lane_type *out)
{
    if (type->kind == SIM_TYPE_STRUCT || type->kind == SIM_TYPE_ARRAY) {
        for (uint64_t i = 0; i < type->count; i++)
            out = sim_type_lanes(sim_type_part(type, i), out);
    } else {
        uint32_t count = sim_type_leaves(type);
        for (uint32_t i = 0; i < count; i++)
            *out++ = sim_type_lane(type);
    }
    return out;
}

/* ---- Nodes -------------------------------------------------------------------------------- */

sim_node *sim_node_add(sim_decoder *d, sim_shape shape, uint32_t handler, sim_lane_type type,
                       const sim_ref *operands, uint32_t operand_count, uint32_t result_count)
{
    sim_ir_function *f = d->f;
    CHECK(handler < SIM_HANDLER_COUNT && d->site < d->sites.count);
    CHECK(d->block < f->blocks.count);
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
        *rt_vector_push(&f->refs) = operands[i];
    for (uint32_t i = 0; i < result_count; i++) {
        *rt_vector_push(&f->values) =
            (sim_value){.type = (uint8_t)type,
                        .node = index,
                        .place = SIM_REGISTER_NONE,
                        .chain = {.base = SIM_REF_NONE, .index = SIM_REF_NONE}};
    }
    sim_ir_block *block = &f->blocks.items[d->block];
    CHECK(block->node_first + block->node_count == index);
    block->node_count++;
    return node;
}

sim_ref sim_build(sim_decoder *d, sim_shape shape, uint32_t handler, sim_lane_type type,
                  const sim_ref *operands, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        CHECK(operands[i] != SIM_REF_NONE);
    return sim_node_add(d, shape, handler, type, operands, count, 1)->result_first;
}

sim_ref sim_build_unary(sim_decoder *d, uint32_t handler, sim_lane_type type, sim_ref a)
{
    return sim_build(d, SIM_SHAPE_UNARY, handler, type, &a, 1);
}

sim_ref sim_build_four(sim_decoder *d, uint32_t handler, sim_lane_type type, sim_ref a, sim_ref b)
{
    return sim_build(d, SIM_SHAPE_FOUR, handler, type, (sim_ref[]){a, b}, 2);
}

sim_ref sim_build_binary(sim_decoder *d, uint32_t handler, sim_lane_type type, sim_ref a, sim_ref b)
{
    return sim_build(d, SIM_SHAPE_BINARY, handler, type, (sim_ref[]){a, b}, 2);
}

sim_ref sim_build_ternary(sim_decoder *d, uint32_t handler, sim_lane_type type, sim_ref a,
                          sim_ref b, sim_ref c)
{
    return sim_build(d, SIM_SHAPE_TERNARY, handler, type, (sim_ref[]){a, b, c}, 3);
}

sim_lane_type sim_lane_integer(sim_lane_type type)
{
    return type == SIM_F32 ? SIM_I32 : type == SIM_F64 ? SIM_I64 : type;
}

sim_ref sim_build_select(sim_decoder *d, sim_lane_type type, sim_ref condition, sim_ref a,
                         sim_ref b)
{
    uint32_t handler = SIM_INT4(SELECT, sim_lane_integer(type));
    return sim_build(d, SIM_SHAPE_SELECT, handler, type, (sim_ref[]){condition, a, b}, 3);
}

void sim_build_fence(sim_decoder *d, uint32_t order)
{
    sim_node_add(d, SIM_SHAPE_FENCE, SIM_H_FENCE, SIM_I8, NULL, 0, 0)->extra = order;
}

uint32_t sim_conversion_handler(sim_conversion kind, sim_lane_type from, sim_lane_type to)
{
#define ROW(op, a, b) {SIM_CONVERT_##op, SIM_##a, SIM_##b, SIM_H_##op##_##a##_##b##_V},
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
    sim_conversion kind = type < from ? SIM_CONVERT_CUT
                          : is_signed ? SIM_CONVERT_SEXT
                                      : SIM_CONVERT_ZEXT;
    return sim_build_unary(d, sim_conversion_handler(kind, from, type), type, a);
}

rt_status sim_decode_refuse(sim_decoder *d, const char *name, const char *reason)
{
    const sim_site *site = &d->sites.items[d->site];
    if (site->line == 0) {
        return rt_fail(d->sink, RT_UNSUPPORTED, RT_RULE_NONE,
                       "%s in function '%.*s' is refused: %s", name,
                       RT_TEXT_ARG(d->f->function->name), reason);
    }
    return rt_fail(d->sink, RT_UNSUPPORTED, RT_RULE_NONE,
                   "%.*s:%u: %s in function '%.*s' is refused: %s", RT_TEXT_ARG(site->source),
                   site->line, name, RT_TEXT_ARG(d->f->function->name), reason);
}

sim_ref *sim_refs_new(sim_decoder *d, uint32_t count)
{
    return rt_arena_alloc_array(&d->arena, count ? count : 1, sizeof(sim_ref));
}

sim_leaves sim_leaves_single(sim_decoder *d, sim_ref ref)
{
    return (sim_leaves){rt_arena_copy(&d->arena, &ref, 1, sizeof ref), 1};
}

uint32_t sim_phi_first(const sim_ir_function *f, const sim_ir_block *block)
{
    CHECK(block->phi_count > 0 && block->node_count > 0);
    const sim_node *node = &f->nodes.items[block->node_first];
    CHECK(node->shape == SIM_SHAPE_PHI);
    return node->result_first;
}
