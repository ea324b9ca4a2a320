/* Emits register code for operations whose values have registers. */
#include "sim/decode/decode.h"

#include <string.h>

/* The first eight bytes of a function's uniform registers hold a value that is being broadcast to
 * all lanes. */
#define SCRATCH sim_register_of(SIM_SPACE_UNIFORM, 0)

typedef struct emitter {
    sim_decoder *d;
    sim_ir_function *f;
    RT_VECTOR(sim_op) ops;
    RT_VECTOR(sim_register) places;
    RT_VECTOR(sim_edge) edges;
    RT_VECTOR(sim_call) calls;
    bool takes_undefined; /* of the block or edge being emitted */
} emitter;

static bool is_undefined(sim_ref ref)
{
    return ref == (SIM_REF_POOL | SIM_SLOT_UNDEFINED) ||
           ref == (SIM_REF_POOL | SIM_SLOT_UNDEFINED_BOOL);
}

static sim_register place_of(emitter *e, sim_ref ref)
{
    if (ref == SIM_REF_NONE) return SIM_REGISTER_NONE;
    e->takes_undefined |= is_undefined(ref);
    if (sim_ref_is_value(ref)) return e->f->values.items[ref].place;
    if (ref & SIM_REF_POOL) return sim_register_of(SIM_SPACE_POOL, (ref & ~SIM_REF_POOL) * 8);
    return sim_register_of(SIM_SPACE_WAVE, (ref & ~SIM_REF_ROW) * SIM_ROW_BYTES(8));
}

static sim_op *op_add(emitter *e, uint32_t handler, uint32_t site, sim_register target)
{
    CHECK(handler < SIM_HANDLER_COUNT);
    sim_op *op = rt_vector_push(&e->ops);
    *op = (sim_op){.handler = (uint16_t)handler,
                   .site = site,
                   .target = target,
                   .a = SIM_REGISTER_NONE,
                   .b = SIM_REGISTER_NONE,
                   .c = SIM_REGISTER_NONE,
                   .blend = target != SIM_REGISTER_NONE &&
                            target >> SIM_REGISTER_SHIFT == SIM_SPACE_FRAME};
    return op;
}

static void move_add(emitter *e, sim_register target, sim_register source, uint32_t bytes)
{
    uint32_t log = (uint32_t)__builtin_ctz(bytes);
    sim_form form = sim_register_uniform(target)   ? SIM_FORM_SS
                    : sim_register_uniform(source) ? SIM_FORM_VS
                                                   : SIM_FORM_VV;
    CHECK_IMPLIES(form == SIM_FORM_SS, sim_register_uniform(source));
    op_add(e, SIM_INT4(MOVE, log) + (uint32_t)form, 0, target)->a = source;
}

/* The operand as lanes; a uniform operand is broadcast to one of the emitter's rows. */
static sim_register in_lanes(emitter *e, sim_register place, uint32_t bytes, uint32_t row)
{
    if (!sim_register_uniform(place)) return place;
    CHECK(row < SIM_SPREAD_ROWS);
    sim_register spread =
        sim_register_of(SIM_SPACE_WAVE, SIM_SPREAD_FIRST + row * SIM_ROW_BYTES(8));
    move_add(e, spread, place, bytes);
    return spread;
}

/* ---- Operations with one result ----------------------------------------------------------- */

/* Emits an operation whose operands are all uniform; a varying target receives the result in every
 * lane. */
static void emit_uniform(emitter *e, const sim_node *node, uint32_t handler, sim_register target)
{
    const sim_ref *operands = e->f->refs.items + node->operand_first;
    sim_register result = sim_register_uniform(target) ? target : SCRATCH;
    sim_op *op = op_add(e, handler, node->site, result);
    op->a = place_of(e, operands[0]);
    if (node->operand_count > 1) op->b = place_of(e, operands[1]);
    if (node->operand_count > 2) op->c = place_of(e, operands[2]);
    op->extra = node->extra;
    op->count = node->is_quiet && node->shape != SIM_SHAPE_BINARY; /* divisions always report */
    if (result != target) move_add(e, target, result, sim_lane_bytes(node->type));
}

static bool all_uniform(emitter *e, const sim_node *node)
{
    for (uint32_t i = 0; i < node->operand_count; i++) {
        if (!sim_register_uniform(place_of(e, e->f->refs.items[node->operand_first + i]))) {
            return false;
        }
    }
    return true;
}

static void emit_four(emitter *e, const sim_node *node, sim_register target)
{
    const sim_ref *operands = e->f->refs.items + node->operand_first;
    sim_register a = place_of(e, operands[0]), b = place_of(e, operands[1]);
    sim_form form = sim_register_uniform(a)   ? SIM_FORM_SV
                    : sim_register_uniform(b) ? SIM_FORM_VS
                                              : SIM_FORM_VV;
    sim_op *op = op_add(e, node->handler + (uint32_t)form, node->site, target);
    op->a = a;
    op->b = b;
    op->count = node->is_quiet;
}

/* Emits handlers that require all operands as lanes. */
static void emit_in_lanes(emitter *e, const sim_node *node, sim_register target)
{
    sim_register in[3] = {SIM_REGISTER_NONE, SIM_REGISTER_NONE, SIM_REGISTER_NONE};
    CHECK(node->operand_count <= 3);
    for (uint32_t i = 0; i < node->operand_count; i++) {
        sim_register place = place_of(e, e->f->refs.items[node->operand_first + i]);
        in[i] = in_lanes(e, place, sim_lane_bytes(node->type), i);
    }
    sim_op *op = op_add(e, node->handler, node->site, target);
    op->a = in[0];
    op->b = in[1];
    op->c = in[2];
    op->extra = node->extra;
    op->count = node->is_quiet && node->shape == SIM_SHAPE_UNARY;
}

static void emit_select(emitter *e, const sim_node *node, sim_register target)
{
    uint32_t bytes = sim_lane_bytes(node->type), log = (uint32_t)__builtin_ctz(bytes);
    const sim_ref *operands = e->f->refs.items + node->operand_first;
    sim_register condition = place_of(e, operands[0]);
    sim_register a = place_of(e, operands[1]), b = place_of(e, operands[2]);
    uint32_t handler;
    if (sim_register_uniform(condition)) {
        handler = SIM_INT2(PICK, log);
        a = in_lanes(e, a, bytes, 1);
        b = in_lanes(e, b, bytes, 2);
    } else {
        uint32_t form = (sim_register_uniform(a) ? 2u : 0u) + (sim_register_uniform(b) ? 1u : 0u);
        handler = node->handler + form;
    }
    sim_op *op = op_add(e, handler, node->site, target);
    op->a = condition;
    op->b = a;
    op->c = b;
}

static void emit_result(emitter *e, const sim_node *node)
{
    sim_register target = e->f->values.items[node->result_first].place;
    CHECK(node->result_count == 1 && target != SIM_REGISTER_NONE);
    if (all_uniform(e, node)) {
        uint32_t handler = node->shape == SIM_SHAPE_FOUR ? node->handler + (uint32_t)SIM_FORM_SS
                           : node->shape == SIM_SHAPE_SELECT
                               ? SIM_INT2(PICK, __builtin_ctz(sim_lane_bytes(node->type))) + 1u
                               : node->handler + 1u;
        emit_uniform(e, node, handler, target);
    } else if (node->shape == SIM_SHAPE_FOUR) {
        emit_four(e, node, target);
    } else if (node->shape == SIM_SHAPE_SELECT) {
        emit_select(e, node, target);
    } else {
        emit_in_lanes(e, node, target);
    }
}

/* ---- Memory ------------------------------------------------------------------------------- */

/* A load with a uniform address loads one value for all lanes, unless the memory may be that of the
 * lanes themselves or the result is needed in lanes. */
static sim_memory_form memory_form(const emitter *e, const sim_node *node, sim_register address)
{
    if (node->form != SIM_MEMORY_ONE) return (sim_memory_form)node->form;
    if (!sim_register_uniform(address)) return SIM_MEMORY_EACH;
    if (node->shape == SIM_SHAPE_STORE) return SIM_MEMORY_ONE;
    return e->f->values.items[node->result_first].is_varying ? SIM_MEMORY_SAME : SIM_MEMORY_ONE;
}

static void emit_access(emitter *e, const sim_node *node)
{
    const sim_ref *operands = e->f->refs.items + node->operand_first;
    bool is_store = node->shape == SIM_SHAPE_STORE;
    sim_register address = place_of(e, operands[0]);
    uint32_t log = (uint32_t)__builtin_ctz(sim_lane_bytes(node->type));
    uint32_t first = is_store ? SIM_H_STORE_ONE_8 : SIM_H_LOAD_ONE_8;
    uint32_t form = (uint32_t)memory_form(e, node, address);
    sim_op *op = op_add(e, first + 4 * form + log, node->site, SIM_REGISTER_NONE);
    op->a = address;
    op->b = place_of(e, operands[1]);
    op->c = node->alignment;
    op->stride = node->stride;
    op->imm = node->imm;
    op->extra = e->places.count;
    op->count = (uint8_t)(is_store ? node->operand_count - 2 : node->result_count);
    for (uint32_t i = 0; i < op->count; i++) {
        *rt_vector_push(&e->places) = is_store ? place_of(e, operands[2 + i])
                                               : e->f->values.items[node->result_first + i].place;
    }
}

static void emit_atomic(emitter *e, const sim_node *node)
{
    const sim_ref *operands = e->f->refs.items + node->operand_first;
    sim_op *op = op_add(e, node->handler, node->site, e->f->values.items[node->result_first].place);
    op->a = place_of(e, operands[0]);
    op->b = place_of(e, operands[1]);
    op->c = place_of(e, operands[2]);
    op->extra = node->extra;
    op->stride = node->stride;
}

static void emit_collective(emitter *e, const sim_node *node)
{
    const sim_ref *operands = e->f->refs.items + node->operand_first;
    sim_register target =
        node->result_count ? e->f->values.items[node->result_first].place : SIM_REGISTER_NONE;
    sim_op *op = op_add(e, node->handler, node->site, target);
    op->a = place_of(e, operands[0]);
    op->b = place_of(e, operands[1]);
    op->c = place_of(e, operands[2]);
    op->extra = node->extra;
    op->count = node->is_uniform;
    op->imm = node->alignment;
    op->stride = sim_lane_bytes(node->type);
}

static void emit_async_copy(emitter *e, const sim_node *node)
{
    sim_op *op = op_add(e, node->handler, node->site, e->f->values.items[node->result_first].place);
    op->a = node->extra;
    op->c = node->stride;
    op->imm = node->alignment;
    op->extra = e->places.count;
    for (uint32_t i = 0; i < node->operand_count; i++) {
        *rt_vector_push(&e->places) = place_of(e, e->f->refs.items[node->operand_first + i]);
    }
}

static void emit_print(emitter *e, const sim_node *node)
{
    sim_op *op = op_add(e, node->handler, node->site, e->f->values.items[node->result_first].place);
    op->stride = node->extra;
    op->extra = e->places.count;
    for (uint32_t i = 0; i < node->operand_count; i++) {
        *rt_vector_push(&e->places) = place_of(e, e->f->refs.items[node->operand_first + i]);
    }
}

static void emit_node(emitter *e, const sim_node *node)
{
    if (node->is_dead) return;
    switch ((sim_shape)node->shape) {
    case SIM_SHAPE_FOUR:
    case SIM_SHAPE_UNARY:
    case SIM_SHAPE_BINARY:
    case SIM_SHAPE_TERNARY:
    case SIM_SHAPE_SELECT: emit_result(e, node); break;
    case SIM_SHAPE_LOAD:
    case SIM_SHAPE_STORE: emit_access(e, node); break;
    case SIM_SHAPE_ATOMIC: emit_atomic(e, node); break;
    case SIM_SHAPE_COLLECTIVE: emit_collective(e, node); break;
    case SIM_SHAPE_ASYNC_COPY: emit_async_copy(e, node); break;
    case SIM_SHAPE_PRINT: emit_print(e, node); break;
    case SIM_SHAPE_COPY: {
        const sim_ref *operands = e->f->refs.items + node->operand_first;
        sim_op *op = op_add(e, node->handler, node->site, SIM_REGISTER_NONE);
        op->a = place_of(e, operands[0]);
        op->b = place_of(e, operands[1]);
        op->c = place_of(e, operands[2]);
        op->imm = node->alignment;
        op->extra = node->extra;
        break;
    }
    case SIM_SHAPE_FENCE:
        op_add(e, node->handler, node->site, SIM_REGISTER_NONE)->extra = node->extra;
        break;
    case SIM_SHAPE_FORGET:
        op_add(e, node->handler, node->site, SIM_REGISTER_NONE)->a =
            place_of(e, e->f->refs.items[node->operand_first]);
        break;
    case SIM_SHAPE_FRAME_ADDRESS: {
        sim_register target = e->f->values.items[node->result_first].place;
        op_add(e, node->handler, node->site, target)->extra = node->extra;
        break;
    }
    case SIM_SHAPE_RESULT:
    case SIM_SHAPE_PHI:
    case SIM_SHAPE_PARAMETER: break; /* set by returns, edges and calls */
    }
}

/* ---- Edges -------------------------------------------------------------------------------- */

typedef struct move {
    sim_register target, source;
    uint32_t bytes;
} move;
typedef RT_VECTOR(move) move_list;

static bool is_source(const move_list *moves, sim_register place)
{
    for (uint32_t i = 0; i < moves->count; i++) {
        if (moves->items[i].source == place) return true;
    }
    return false;
}

/* Emits parallel moves in an order that is correct in sequence; a cycle is broken with a spare
 * register. */
static void moves_emit(emitter *e, move_list *moves)
{
    while (moves->count > 0) {
        uint32_t i = 0;
        while (i < moves->count && is_source(moves, moves->items[i].target))
            i++;
        if (i < moves->count) {
            move ready = moves->items[i];
            move_add(e, ready.target, ready.source, ready.bytes);
            moves->items[i] = moves->items[--moves->count];
            continue;
        }
        move first = moves->items[0];
        sim_register spare = sim_register_uniform(first.target)
                                 ? SCRATCH
                                 : sim_register_of(SIM_SPACE_WAVE, SIM_SPREAD_FIRST);
        move_add(e, spare, first.target, first.bytes);
        for (uint32_t k = 0; k < moves->count; k++) {
            if (moves->items[k].source == first.target) moves->items[k].source = spare;
        }
    }
}

static void emit_edge(emitter *e, const sim_ir_edge *edge)
{
    const sim_ir_function *f = e->f;
    const sim_ir_block *target = &f->blocks.items[edge->target];
    move_list moves = {0};
    uint32_t first = e->ops.count;
    e->takes_undefined = false;
    for (uint32_t k = 0; k < target->phi_count; k++) {
        const sim_node *node = &f->nodes.items[target->node_first];
        const sim_value *phi = &f->values.items[node->result_first + k];
        sim_register source = place_of(e, f->refs.items[edge->args_first + k]);
        if (phi->place == SIM_REGISTER_NONE || phi->place == source) continue;
        *rt_vector_push(&moves) = (move){phi->place, source, sim_lane_bytes(phi->type)};
    }
    moves_emit(e, &moves);
    rt_vector_free(&moves);
    *rt_vector_push(&e->edges) = (sim_edge){.target = edge->target,
                                            .move_first = first,
                                            .move_count = e->ops.count - first,
                                            .is_back = edge->is_back,
                                            .takes_undefined = e->takes_undefined,
                                            .literal = edge->literal};
}

/* ---- Blocks ------------------------------------------------------------------------------- */

static uint32_t places_keep(emitter *e, uint32_t first, uint32_t count)
{
    uint32_t index = e->places.count;
    for (uint32_t i = 0; i < count; i++) {
        *rt_vector_push(&e->places) = place_of(e, e->f->refs.items[first + i]);
    }
    return index;
}

static uint32_t emit_call(emitter *e, const sim_ir_block *block)
{
    const sim_ir_function *f = e->f;
    sim_call call = {.function = block->call, .argument_count = block->operand_count};
    call.argument_first = places_keep(e, block->operand_first, block->operand_count);
    call.result_first = e->places.count;
    if (block->result_node != SIM_NONE) {
        const sim_node *node = &f->nodes.items[block->result_node];
        call.result_count = node->result_count;
        for (uint32_t i = 0; i < node->result_count; i++) {
            *rt_vector_push(&e->places) = f->values.items[node->result_first + i].place;
        }
    }
    *rt_vector_push(&e->calls) = call;
    return e->calls.count - 1;
}

static uint8_t condition_bytes(const emitter *e, const sim_ir_block *block)
{
    if (block->end != SIM_END_SWITCH) return 1;
    const sim_block *module_block = &e->f->module->blocks[block->module_block];
    const sim_instruction *end =
        &e->f->module->instructions[module_block->first + module_block->count - 1];
    return (uint8_t)(sim_module_id(e->f->module, end->operands[0])->type->bits / 8);
}

static void emit_block(emitter *e, uint32_t index, sim_code_block *out)
{
    const sim_ir_block *block = &e->f->blocks.items[index];
    e->takes_undefined = false;
    *out = (sim_code_block){.op_first = e->ops.count,
                            .cost = block->cost,
                            .end = block->end,
                            .site = block->site,
                            .condition = place_of(e, block->condition),
                            .condition_bytes = condition_bytes(e, block)};
    for (uint32_t i = 0; i < block->node_count; i++) {
        emit_node(e, &e->f->nodes.items[block->node_first + i]);
    }
    out->op_count = e->ops.count - out->op_first;
    if (block->end == SIM_END_CALL || block->end == SIM_END_CALL_POINTER) {
        out->extra = emit_call(e, block);
    }
    if (block->end == SIM_END_BARRIER) out->extra = block->order;
    if (block->end == SIM_END_RETURN) {
        out->extra = places_keep(e, block->operand_first, block->operand_count);
    }
    out->takes_undefined = e->takes_undefined;
    out->edge_first = e->edges.count;
    out->edge_count = block->edge_count;
    for (uint32_t i = 0; i < block->edge_count; i++) {
        emit_edge(e, &e->f->edges.items[block->edge_first + i]);
    }
}

/* ---- Functions ---------------------------------------------------------------------------- */

static const void *keep(emitter *e, const void *items, size_t size_bytes)
{
    void *copy = rt_arena_alloc(&e->d->program->arena, size_bytes ? size_bytes : 1);
    if (size_bytes) memcpy(copy, items, size_bytes);
    return copy;
}
#define KEEP(vector) keep(&e, (vector).items, (vector).count * sizeof *(vector).items)

static void emit_interface(emitter *e, sim_code_function *out)
{
    const sim_ir_function *f = e->f;
    rt_arena *arena = &e->d->program->arena;
    const sim_node *node = &f->nodes.items[f->parameter_node];
    out->parameter_count = f->parameter_leaves;
    sim_leaf *leaves = rt_arena_alloc_array(arena, f->parameter_leaves + 1, sizeof *leaves);
    for (uint32_t i = 0; i < f->parameter_leaves; i++) {
        const sim_value *value = &f->values.items[node->result_first + i];
        leaves[i] = (sim_leaf){value->place, (uint8_t)sim_lane_bytes(value->type)};
    }
    uint8_t *bytes = rt_arena_alloc_array(arena, f->result_leaves + 1, 1);
    for (uint32_t i = 0; i < f->result_leaves; i++) {
        bytes[i] = (uint8_t)sim_lane_bytes(f->result_types[i]);
    }
    out->parameters = leaves;
    out->result_bytes = bytes;
    out->result_count = f->result_leaves;
    out->name = rt_arena_text(arena, f->function->name);
    out->private_bytes = f->private_bytes;
    out->variable_count = f->variables.count;
}

void sim_decode_emit(sim_decoder *d, sim_ir_function *f, sim_code_function *out_function)
{
    emitter e = {.d = d, .f = f};
    sim_code_block *blocks =
        rt_arena_alloc_array(&d->program->arena, f->blocks.count, sizeof *blocks);
    for (uint32_t i = 0; i < f->blocks.count; i++)
        emit_block(&e, i, &blocks[i]);
    out_function->blocks = blocks;
    out_function->block_count = f->blocks.count;
    out_function->ops = KEEP(e.ops);
    out_function->places = KEEP(e.places);
    out_function->edges = KEEP(e.edges);
    out_function->calls = KEEP(e.calls);
    out_function->variables = KEEP(f->variables);
    emit_interface(&e, out_function);
    rt_vector_free(&e.ops);
    rt_vector_free(&e.places);
    rt_vector_free(&e.edges);
    rt_vector_free(&e.calls);
}
