/* Emits register code for operations whose values have registers. */
#include "sim/decode/decode.h"
#include "sim/module/library.h"

/* The first eight bytes of a function's uniform registers hold a value while it is being broadcast
 * to all lanes. */
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

static sim_register place_of(emitter *e, sim_ref ref)
{
    if (ref == SIM_REF_NONE) return SIM_REGISTER_NONE;
    e->takes_undefined |= ref == (SIM_REF_POOL | SIM_SLOT_UNDEFINED) ||
                          ref == (SIM_REF_POOL | SIM_SLOT_UNDEFINED_BOOL);
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

/* Returns the operand as lanes; a uniform operand is broadcast to one of the emitter's rows. */
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

static void emit_result(emitter *e, const sim_node *node)
{
    sim_register target = e->f->values.items[node->result_first].place;
    sim_register in[3] = {SIM_REGISTER_NONE, SIM_REGISTER_NONE, SIM_REGISTER_NONE};
    uint32_t bytes = sim_lane_bytes(node->type), log = (uint32_t)__builtin_ctz(bytes);
    uint32_t handler = node->handler;
    bool all_uniform = true;
    CHECK(node->result_count == 1 && target != SIM_REGISTER_NONE && node->operand_count <= 3);
    for (uint32_t i = 0; i < node->operand_count; i++) {
        in[i] = place_of(e, e->f->refs.items[node->operand_first + i]);
        all_uniform &= sim_register_uniform(in[i]);
    }
    bool is_a = sim_register_uniform(in[0]), is_b = sim_register_uniform(in[1]);
    sim_register result = target;
    if (all_uniform) {
        /* A varying target receives the result in every lane. */
        if (!sim_register_uniform(target)) result = SCRATCH;
        handler = node->shape == SIM_SHAPE_FOUR     ? handler + (uint32_t)SIM_FORM_SS
                  : node->shape == SIM_SHAPE_SELECT ? SIM_INT2(PICK, log) + 1u
                                                    : handler + 1u;
    } else if (node->shape == SIM_SHAPE_FOUR) {
        handler += (uint32_t)(is_a ? SIM_FORM_SV : is_b ? SIM_FORM_VS : SIM_FORM_VV);
    } else if (node->shape == SIM_SHAPE_SELECT && !is_a) {
        handler += (is_b ? 2u : 0u) + (sim_register_uniform(in[2]) ? 1u : 0u);
    } else {
        /* All operands must be lanes, except the uniform condition of a PICK. */
        bool is_select = node->shape == SIM_SHAPE_SELECT;
        if (is_select) handler = SIM_INT2(PICK, log);
        for (uint32_t i = is_select; i < node->operand_count; i++)
            in[i] = in_lanes(e, in[i], bytes, i);
    }
    sim_op *op = op_add(e, handler, node->site, result);
    op->a = in[0];
    op->b = in[1];
    op->c = in[2];
    op->extra = node->extra;
    /* Divisions always report findings; operations on bit-fields do so unless all operands are
     * uniform. */
    bool can_be_quiet = node->shape == SIM_SHAPE_FOUR || node->shape == SIM_SHAPE_UNARY ||
                        (all_uniform && node->shape != SIM_SHAPE_BINARY);
    op->count = node->is_quiet && can_be_quiet;
    if (result != target) move_add(e, target, result, bytes);
}

/* ---- Memory ------------------------------------------------------------------------------- */

static void emit_access(emitter *e, const sim_node *node)
{
    const sim_ref *operands = e->f->refs.items + node->operand_first;
    bool is_store = node->shape == SIM_SHAPE_STORE;
    sim_register address = place_of(e, operands[0]);
    uint32_t form = node->form;
    if (form == SIM_MEMORY_ONE && !sim_register_uniform(address)) {
        form = SIM_MEMORY_EACH;
    } else if (form == SIM_MEMORY_ONE && !is_store) {
        /* A load with a uniform address loads one value for all lanes, unless each lane may have
         * its own memory there or the result is needed in lanes. */
        if (e->f->values.items[node->result_first].is_varying) form = SIM_MEMORY_SAME;
    }
    uint32_t first = is_store ? SIM_H_STORE_ONE_8 : SIM_H_LOAD_ONE_8;
    uint32_t log = (uint32_t)__builtin_ctz(sim_lane_bytes(node->type));
    sim_op *op = op_add(e, first + 4 * form + log, node->site, SIM_REGISTER_NONE);
    op->a = address;
    op->b = place_of(e, operands[1]);
    op->c = node->alignment;
    op->stride = node->stride;
    op->imm = node->imm;
    op->extra = e->places.count;
    op->count = (uint8_t)(is_store ? node->operand_count - 2 : node->result_count);
    CHECK(op->count >= 1 && op->count <= 16);
    for (uint32_t i = 0; i < op->count; i++) {
        *rt_vector_push(&e->places) = is_store ? place_of(e, operands[2 + i])
                                               : e->f->values.items[node->result_first + i].place;
    }
}

/* Appends the places of a node's or block's operands; returns the index of the first. */
static uint32_t places_keep(emitter *e, uint32_t first, uint32_t count)
{
    uint32_t index = e->places.count;
    for (uint32_t i = 0; i < count; i++)
        *rt_vector_push(&e->places) = place_of(e, e->f->refs.items[first + i]);
    return index;
}

static void emit_node(emitter *e, const sim_node *node)
{
    /* A function without any operands has no array of them. */
    const sim_ref *operands = node->operand_count ? e->f->refs.items + node->operand_first : NULL;
    sim_register target =
        node->result_count ? e->f->values.items[node->result_first].place : SIM_REGISTER_NONE;
    if (node->is_dead) return;
    switch ((sim_shape)node->shape) {
    case SIM_SHAPE_FOUR:
    case SIM_SHAPE_UNARY:
    case SIM_SHAPE_BINARY:
    case SIM_SHAPE_TERNARY:
    case SIM_SHAPE_SELECT: emit_result(e, node); break;
    case SIM_SHAPE_LOAD:
    case SIM_SHAPE_STORE: emit_access(e, node); break;
    case SIM_SHAPE_ATOMIC:
    case SIM_SHAPE_COLLECTIVE:
    case SIM_SHAPE_COPY: {
        bool is_collective = node->shape == SIM_SHAPE_COLLECTIVE;
        CHECK(node->operand_count == 3);
        sim_op *op = op_add(e, node->handler, node->site, target);
        op->a = place_of(e, operands[0]);
        op->b = place_of(e, operands[1]);
        op->c = place_of(e, operands[2]);
        op->extra = node->extra;
        op->count = node->is_uniform;
        op->imm = node->alignment;
        op->stride = is_collective ? sim_lane_bytes(node->type) : node->stride;
        break;
    }
    case SIM_SHAPE_ASYNC_COPY: {
        sim_op *op = op_add(e, node->handler, node->site, target);
        op->a = node->extra;
        op->c = node->stride;
        op->imm = node->alignment;
        op->extra = places_keep(e, node->operand_first, node->operand_count);
        break;
    }
    case SIM_SHAPE_PRINT: {
        sim_op *op = op_add(e, node->handler, node->site, target);
        op->stride = node->extra;
        op->extra = places_keep(e, node->operand_first, node->operand_count);
        break;
    }
    case SIM_SHAPE_FORGET:
        CHECK(node->operand_count > 0);
        op_add(e, node->handler, node->site, target)->a = place_of(e, operands[0]);
        break;
    case SIM_SHAPE_BOUND: {
        CHECK(node->operand_count > 0);
        sim_register index = place_of(e, operands[0]);
        uint32_t form = sim_register_uniform(index) ? 1 : 0;
        sim_op *op = op_add(e, node->handler + form, node->site, target);
        op->a = index;
        op->extra = node->extra;
        break;
    }
    case SIM_SHAPE_FENCE:
    case SIM_SHAPE_FRAME_ADDRESS:
        op_add(e, node->handler, node->site, target)->extra = node->extra;
        break;
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

/* Emits parallel moves in an order in which they can be executed one by one; a cycle is broken with
 * a spare register. */
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
        const sim_value *phi = &f->values.items[sim_phi_first(f, target) + k];
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

static void emit_block(emitter *e, uint32_t index, sim_code_block *out)
{
    const sim_ir_function *f = e->f;
    const sim_ir_block *block = &f->blocks.items[index];
    e->takes_undefined = false;
    *out = (sim_code_block){.op_first = e->ops.count,
                            .cost = block->cost,
                            .end = block->end,
                            .site = block->site,
                            .condition = place_of(e, block->condition),
                            .condition_bytes = 1};
    if (block->end == SIM_END_SWITCH) {
        const sim_block *whole = &f->module->blocks[block->module_block];
        const sim_instruction *end = &f->module->instructions[whole->first + whole->count - 1];
        out->condition_bytes =
            (uint8_t)(sim_module_id(f->module, end->operands[0])->type->bits / 8);
    }
    for (uint32_t i = 0; i < block->node_count; i++)
        emit_node(e, &f->nodes.items[block->node_first + i]);
    out->op_count = e->ops.count - out->op_first;
    if (block->end == SIM_END_CALL || block->end == SIM_END_CALL_POINTER) {
        sim_call call = {.function = block->call, .argument_count = block->operand_count};
        call.argument_first = places_keep(e, block->operand_first, block->operand_count);
        call.result_first = e->places.count;
        if (block->result_node != SIM_NONE) {
            const sim_node *node = &f->nodes.items[block->result_node];
            call.result_count = node->result_count;
            for (uint32_t i = 0; i < node->result_count; i++)
                *rt_vector_push(&e->places) = f->values.items[node->result_first + i].place;
        }
        out->extra = e->calls.count;
        *rt_vector_push(&e->calls) = call;
    }
    if (block->end == SIM_END_BARRIER) out->extra = block->order;
    if (block->end == SIM_END_RETURN)
        out->extra = places_keep(e, block->operand_first, block->operand_count);
    out->takes_undefined = e->takes_undefined;
    out->edge_first = e->edges.count;
    out->edge_count = block->edge_count;
    for (uint32_t i = 0; i < block->edge_count; i++)
        emit_edge(e, &f->edges.items[block->edge_first + i]);
}

/* ---- Functions ---------------------------------------------------------------------------- */

void sim_decode_emit(sim_decoder *d, sim_ir_function *f, sim_code_function *out_function)
{
    emitter e = {.d = d, .f = f};
    rt_arena *arena = &d->program->arena;
    sim_code_block *blocks = rt_arena_alloc_array(arena, f->blocks.count, sizeof *blocks);
    for (uint32_t i = 0; i < f->blocks.count; i++)
        emit_block(&e, i, &blocks[i]);
    out_function->blocks = blocks;
    out_function->block_count = f->blocks.count;
    out_function->ops = SIM_PROGRAM_COPY(d, e.ops);
    out_function->places = SIM_PROGRAM_COPY(d, e.places);
    out_function->edges = SIM_PROGRAM_COPY(d, e.edges);
    out_function->calls = SIM_PROGRAM_COPY(d, e.calls);
    out_function->variables = SIM_PROGRAM_COPY(d, f->variables);
    out_function->variable_count = f->variables.count;
    rt_vector_free(&e.ops);
    rt_vector_free(&e.places);
    rt_vector_free(&e.edges);
    rt_vector_free(&e.calls);

    const sim_node *node = &f->nodes.items[f->parameter_node];
    CHECK(node->shape == SIM_SHAPE_PARAMETER && node->result_count == f->parameter_leaves);
    sim_leaf *leaves = rt_arena_alloc_array(arena, f->parameter_leaves, sizeof *leaves);
    for (uint32_t i = 0; i < f->parameter_leaves; i++) {
        const sim_value *value = &f->values.items[node->result_first + i];
        leaves[i] = (sim_leaf){value->place, (uint8_t)sim_lane_bytes(value->type)};
    }
    uint8_t *bytes = rt_arena_alloc_array(arena, f->result_leaves, 1);
    for (uint32_t i = 0; i < f->result_leaves; i++)
        bytes[i] = (uint8_t)sim_lane_bytes(f->result_types[i]);
    out_function->parameters = leaves;
    out_function->parameter_count = f->parameter_leaves;
    out_function->result_bytes = bytes;
    out_function->result_count = f->result_leaves;
    out_function->name = rt_arena_text(arena, f->function->name);
    out_function->is_assertion = rt_text_is(f->function->link_name, SIM_ASSERT_NAME);
    out_function->private_bytes = f->private_bytes;
}
