/* Control flow: which lanes run which block.
 *
 * The lanes in `active` run a block. Lanes that go elsewhere wait: `parked` has a bit for each
 * block in which lanes wait, and the context says which lanes. The lowest block always runs first,
 * as in the interpreter, so lanes meet where the code joins, and uniform values are used before
 * other lanes overwrite them. Since all waiting lanes are in later blocks than the active ones, a
 * jump only has to look for lanes that wait between here and its target. */
#include "sim/compiled/emit.h"

#include "reference/base/alloc.h"

#include <stddef.h>

static const tier_block *block_at(const tier_emitter *e, uint32_t block)
{
    return &e->flat->blocks.items[block];
}

static uint32_t block_count(const tier_emitter *e)
{
    return e->flat->blocks.count;
}

/* ---- Lanes that wait ------------------------------------------------------------------------ */

/* A set of blocks, as a constant. */
typedef struct block_set {
    uint64_t words[TIER_BLOCKS_MAX / 64];
} block_set;

static void set_add(block_set *set, uint32_t block)
{
    CHECK(block < TIER_BLOCKS_MAX);
    set->words[block / 64] |= UINT64_C(1) << block % 64;
}

static LLVMValueRef set_value(const tier_emitter *e, const block_set *set)
{
    unsigned words = LLVMGetIntTypeWidth(e->word) / 64;
    return LLVMConstIntOfArbitraryPrecision(e->word, words, set->words);
}

static LLVMValueRef bit_of(const tier_emitter *e, uint32_t block)
{
    block_set set = {{0}};
    set_add(&set, block);
    return set_value(e, &set);
}

static LLVMValueRef all_but(const tier_emitter *e, uint32_t block)
{
    block_set set = {{0}};
    set_add(&set, block);
    for (uint32_t i = 0; i < TIER_BLOCKS_MAX / 64; i++)
        set.words[i] = ~set.words[i];
    return set_value(e, &set);
}

static LLVMValueRef parked_load(const tier_emitter *e)
{
    return LLVMBuildLoad2(e->builder, e->word, e->parked, "");
}

/* Pointer to the lanes that wait for the block. */
static LLVMValueRef parked_lanes(const tier_emitter *e, uint32_t block)
{
    LLVMValueRef at =
        tier_pointer(e, e->context, offsetof(sim_tier_context, parked), e->bytes_pointer);
    LLVMValueRef lanes = LLVMBuildLoad2(e->builder, e->bytes_pointer, at, "");
    return tier_pointer(e, lanes, block * sizeof(uint16_t), e->i16);
}

static void park(tier_emitter *e, uint32_t block, LLVMValueRef lanes)
{
    LLVMValueRef at = parked_lanes(e, block);
    LLVMValueRef before = LLVMBuildLoad2(e->builder, e->i16, at, "");
    LLVMBuildStore(e->builder, LLVMBuildOr(e->builder, before, tier_bits(e, lanes, e->i16), ""),
                   at);
    LLVMValueRef parked = LLVMBuildOr(e->builder, parked_load(e), bit_of(e, block), "");
    LLVMBuildStore(e->builder, parked, e->parked);
    CHECK(block_at(e, block)->may_be_parked);
}

/* Makes the lanes that wait for the block active and runs it. */
static void emit_unpark(tier_emitter *e, uint32_t block)
{
    LLVMPositionBuilderAtEnd(e->builder, e->unparks[block]);
    LLVMValueRef at = parked_lanes(e, block);
    LLVMValueRef lanes = LLVMBuildLoad2(e->builder, e->i16, at, "");
    LLVMBuildStore(e->builder, tier_number(e->i16, 0), at);
    LLVMBuildStore(e->builder, LLVMBuildBitCast(e->builder, lanes, e->mask, ""), e->active);
    LLVMValueRef parked = LLVMBuildAnd(e->builder, parked_load(e), all_but(e, block), "");
    LLVMBuildStore(e->builder, parked, e->parked);
    LLVMBuildBr(e->builder, e->bodies[block]);
}

/* Runs the first block in (from, end) in which lanes wait; falls through if there is none. */
static void emit_first(tier_emitter *e, uint32_t from, uint32_t end)
{
    LLVMValueRef parked = parked_load(e);
    block_set hidden = {{0}};
    bool hides = false;
    for (uint32_t k = from + 1; k < end; k++) {
        if (!block_at(e, k)->may_be_parked || tier_may_find(e->flat, from, k)) continue;
        set_add(&hidden, k);
        hides = true;
    }
    if (hides) {
        LLVMValueRef found = LLVMBuildAnd(e->builder, parked, set_value(e, &hidden), "");
        LLVMValueRef none =
            LLVMBuildICmp(e->builder, LLVMIntEQ, found, tier_number(e->word, 0), "");
        tier_give_up_unless(e, none, SIM_TIER_ORDER);
    }
    for (uint32_t k = from + 1; k < end; k++) {
        if (!block_at(e, k)->may_be_parked || !tier_may_find(e->flat, from, k)) continue;
        LLVMBasicBlockRef next = tier_block_new(e, "");
        LLVMValueRef bit = LLVMBuildAnd(e->builder, parked, bit_of(e, k), "");
        LLVMValueRef waits = LLVMBuildICmp(e->builder, LLVMIntNE, bit, tier_number(e->word, 0), "");
        LLVMBuildCondBr(e->builder, waits, e->unparks[k], next);
        LLVMPositionBuilderAtEnd(e->builder, next);
    }
}

/* ---- Jumps ---------------------------------------------------------------------------------- */

/* Gives up if the launch could exceed its budget. */
static void emit_budget(tier_emitter *e)
{
    const size_t members[2][2] = {{offsetof(sim_tier_context, spent_max), 0},
                                  {offsetof(sim_tier_context, steps_max), 1}};
    for (uint32_t i = 0; i < 2; i++) {
        LLVMValueRef at = tier_pointer(e, e->context, members[i][0], e->i64);
        LLVMValueRef most = LLVMBuildLoad2(e->builder, e->i64, at, "");
        LLVMValueRef now =
            LLVMBuildLoad2(e->builder, e->i64, members[i][1] ? e->steps : e->spent, "");
        tier_give_up_unless(e, LLVMBuildICmp(e->builder, LLVMIntULE, now, most, ""),
                            SIM_TIER_BUDGET);
    }
}

/* Sends the active lanes to the target, and ends the LLVM block. */
static void emit_jump(tier_emitter *e, uint32_t target)
{
    uint32_t from = e->block;
    if (target <= from) {
        emit_budget(e);
        LLVMBuildBr(e->builder, e->bodies[target]);
        return;
    }
    block_set window = {{0}};
    bool may_wait = false;
    for (uint32_t k = from + 1; k <= target; k++) {
        if (!block_at(e, k)->may_be_parked) continue;
        set_add(&window, k);
        may_wait = true;
    }
    if (!may_wait) {
        LLVMBuildBr(e->builder, e->bodies[target]);
        return;
    }
    LLVMBasicBlockRef slow = tier_block_new(e, "");
    LLVMValueRef found = LLVMBuildAnd(e->builder, parked_load(e), set_value(e, &window), "");
    LLVMValueRef none = LLVMBuildICmp(e->builder, LLVMIntEQ, found, tier_number(e->word, 0), "");
    tier_branch_rarely(e, none, e->bodies[target], slow);
    LLVMPositionBuilderAtEnd(e->builder, slow);
    CHECK(block_at(e, target)->may_be_parked); /* unless it is the next block */
    park(e, target, tier_active(e));
    emit_first(e, from, target);
    LLVMBuildBr(e->builder, e->unparks[target]);
}

/* The active lanes have ended: others continue, or the chunk is done. */
static void emit_done(tier_emitter *e)
{
    LLVMBasicBlockRef slow = tier_block_new(e, "");
    LLVMValueRef none =
        LLVMBuildICmp(e->builder, LLVMIntEQ, parked_load(e), tier_number(e->word, 0), "");
    LLVMBuildCondBr(e->builder, none, e->exit, slow);
    LLVMPositionBuilderAtEnd(e->builder, slow);
    emit_first(e, e->block, block_count(e));
    LLVMBuildBr(e->builder, e->gives_up[SIM_TIER_ORDER]);
}

static const sim_edge *edge_at(const tier_emitter *e, uint32_t edge)
{
    return tier_edge_of(e->flat, e->block, edge);
}

/* Executes an edge's moves for the active lanes. False if the edge only gives up. */
static bool emit_moves(tier_emitter *e, const sim_edge *edge)
{
    const sim_code_function *function = e->flat->instances.items[e->instance].function;
    if (edge->takes_undefined) {
        LLVMBuildBr(e->builder, e->gives_up[SIM_TIER_UNDEFINED]);
        return false;
    }
    uint32_t node = e->node;
    e->node = e->edge_nodes[e->block] + (uint32_t)(edge - edge_at(e, 0));
    for (uint32_t i = 0; i < edge->move_count; i++)
        tier_emit_op(e, &function->ops[edge->move_first + i]);
    e->node = node;
    return true;
}

/* Sends all active lanes along an edge. */
static void emit_edge(tier_emitter *e, const sim_edge *edge)
{
    if (emit_moves(e, edge)) emit_jump(e, tier_target(e->flat, e->block, edge));
}

/* Sends some lanes along an edge while others are still to be sent. False if the edge only gives
 * up. */
static bool emit_part(tier_emitter *e, const sim_edge *edge, LLVMValueRef lanes)
{
    LLVMBuildStore(e->builder, lanes, e->active);
    return emit_moves(e, edge);
}

/* ---- Operations ----------------------------------------------------------------------------- */

/* Counts the block's instructions: for each active lane, and once for the chunk. */
static void emit_cost(tier_emitter *e, uint32_t cost, bool may_be_idle)
{
    if (cost == 0) return;
    LLVMTypeRef type = e->i64;
    LLVMValueRef lanes = tier_bits(e, tier_active(e), e->i64), once = tier_number(e->i64, cost);
    LLVMValueRef count = tier_intrinsic(e, "llvm.ctpop", &type, 1, &lanes, 1);
    LLVMValueRef spent = LLVMBuildLoad2(e->builder, e->i64, e->spent, "");
    LLVMValueRef more = LLVMBuildMul(e->builder, count, once, "");
    LLVMBuildStore(e->builder, LLVMBuildAdd(e->builder, spent, more, ""), e->spent);
    LLVMValueRef steps = LLVMBuildLoad2(e->builder, e->i64, e->steps, "");
    if (may_be_idle)
        once = LLVMBuildSelect(e->builder, tier_any(e, tier_active(e)), once, LLVMConstNull(e->i64),
                               "");
    LLVMBuildStore(e->builder, LLVMBuildAdd(e->builder, steps, once, ""), e->steps);
}

/* The operations of e->block. */
static void emit_ops(tier_emitter *e, bool may_be_idle)
{
    const sim_code_block *block = block_at(e, e->block)->block;
    const sim_op *ops = tier_function_of(e->flat, e->block)->ops + block->op_first;
    emit_cost(e, block->cost, may_be_idle);
    for (uint32_t i = 0; i < block->op_count; i++)
        tier_emit_op(e, &ops[i]);
}

/* ---- Branches ------------------------------------------------------------------------------- */

/* Both sides have lanes. A back edge's moves are executed last, because they may overwrite uniform
 * values that the other edge's moves read. */
static void emit_split(tier_emitter *e, const LLVMValueRef lanes[2])
{
    const sim_edge *edges[2] = {edge_at(e, 0), edge_at(e, 1)};
    uint32_t first = edges[0]->is_back ? 1 : 0, second = 1 - first;
    uint32_t targets[2];
    for (uint32_t i = 0; i < 2; i++)
        targets[i] = tier_target(e->flat, e->block, edges[i]);
    if (!emit_part(e, edges[first], lanes[first]) || !emit_part(e, edges[second], lanes[second]))
        return;
    if (targets[0] == targets[1]) {
        LLVMBuildStore(e->builder, LLVMBuildOr(e->builder, lanes[0], lanes[1], ""), e->active);
        emit_jump(e, targets[0]);
        return;
    }
    uint32_t low = targets[0] < targets[1] ? 0 : 1;
    park(e, targets[1 - low], lanes[1 - low]);
    LLVMBuildStore(e->builder, lanes[low], e->active);
    emit_jump(e, targets[low]);
}

/* Divides the active lanes between the edges of a branch. */
static void branch_lanes(tier_emitter *e, const sim_code_block *block, LLVMValueRef *out_lanes)
{
    LLVMValueRef flags = tier_read(e, block->condition, SIM_I8, true), active = tier_active(e);
    LLVMValueRef is_set =
        LLVMBuildICmp(e->builder, LLVMIntNE, flags, LLVMConstNull(LLVMTypeOf(flags)), "");
    out_lanes[0] = LLVMBuildAnd(e->builder, active, is_set, "");
    out_lanes[1] = LLVMBuildAnd(e->builder, active, LLVMBuildNot(e->builder, is_set, ""), "");
}

/* ---- Folded branches: see fold.c --------------------------------------------------------------
 */

static void fold_block(tier_emitter *e, uint32_t block, LLVMValueRef lanes, uint32_t join);

/* Runs both sides of the branch that ends e->block, up to the block where they meet. */
static void fold_sides(tier_emitter *e, const LLVMValueRef lanes[2])
{
    uint32_t from = e->block, join = block_at(e, from)->join;
    uint32_t low = tier_fold_first(e->flat, from);
    for (uint32_t i = 0; i < 2; i++)
        (void)emit_part(e, edge_at(e, i), lanes[i]);
    for (uint32_t k = 0; k < 2; k++) {
        uint32_t i = k == 0 ? low : 1 - low;
        uint32_t target = tier_target(e->flat, from, tier_edge_of(e->flat, from, i));
        if (target != join) fold_block(e, target, lanes[i], join);
    }
    e->block = e->node = from;
}

/* Runs, for some lanes or none, a block of a side and those that follow it. */
static void fold_block(tier_emitter *e, uint32_t block, LLVMValueRef lanes, uint32_t join)
{
    const tier_block *from = block_at(e, block);
    uint32_t next = from->join;
    e->block = e->node = block;
    LLVMBuildStore(e->builder, lanes, e->active);
    emit_ops(e, true);
    if (from->block->end == SIM_END_BRANCH) {
        LLVMValueRef parts[2];
        branch_lanes(e, from->block, parts);
        fold_sides(e, parts);
    } else {
        (void)emit_moves(e, edge_at(e, 0));
        next = tier_target(e->flat, block, edge_at(e, 0));
    }
    if (next != join) fold_block(e, next, lanes, join);
}

static void emit_branch(tier_emitter *e, const sim_code_block *block)
{
    uint32_t join = block_at(e, e->block)->join;
    if (join != SIM_NONE) {
        LLVMValueRef lanes[2], active = tier_active(e);
        branch_lanes(e, block, lanes);
        fold_sides(e, lanes);
        LLVMBuildStore(e->builder, active, e->active);
        emit_jump(e, join);
        return;
    }
    LLVMBasicBlockRef yes = tier_block_new(e, ""), no = tier_block_new(e, "");
    if (sim_register_uniform(block->condition)) {
        LLVMValueRef flag = tier_read(e, block->condition, SIM_I8, false);
        LLVMValueRef is_set = LLVMBuildICmp(e->builder, LLVMIntNE, flag, tier_number(e->i8, 0), "");
        LLVMBuildCondBr(e->builder, is_set, yes, no);
    } else {
        LLVMBasicBlockRef some = tier_block_new(e, ""), both = tier_block_new(e, "");
        LLVMValueRef lanes[2];
        branch_lanes(e, block, lanes);
        LLVMBuildCondBr(e->builder, tier_any(e, lanes[1]), some, yes);
        LLVMPositionBuilderAtEnd(e->builder, some);
        LLVMBuildCondBr(e->builder, tier_any(e, lanes[0]), both, no);
        LLVMPositionBuilderAtEnd(e->builder, both);
        emit_split(e, lanes);
    }
    LLVMPositionBuilderAtEnd(e->builder, yes);
    emit_edge(e, edge_at(e, 0));
    LLVMPositionBuilderAtEnd(e->builder, no);
    emit_edge(e, edge_at(e, 1));
}

static sim_lane_type condition_type(const sim_code_block *block)
{
    static const sim_lane_type types[9] = {
        [1] = SIM_I8, [2] = SIM_I16, [4] = SIM_I32, [8] = SIM_I64};
    return types[block->condition_bytes];
}

static uint64_t literal_of(const sim_code_block *block, const sim_edge *edge)
{
    return edge->literal & (UINT64_MAX >> (64 - 8 * block->condition_bytes));
}

static void emit_switch_uniform(tier_emitter *e, const sim_code_block *block)
{
    LLVMValueRef value = tier_read(e, block->condition, condition_type(block), false);
    for (uint32_t i = 1; i < block->edge_count; i++) {
        const sim_edge *edge = edge_at(e, i);
        LLVMBasicBlockRef taken = tier_block_new(e, ""), next = tier_block_new(e, "");
        LLVMValueRef literal = tier_number(LLVMTypeOf(value), literal_of(block, edge));
        LLVMBuildCondBr(e->builder, LLVMBuildICmp(e->builder, LLVMIntEQ, value, literal, ""), taken,
                        next);
        LLVMPositionBuilderAtEnd(e->builder, taken);
        emit_edge(e, edge);
        LLVMPositionBuilderAtEnd(e->builder, next);
    }
    emit_edge(e, edge_at(e, 0));
}

/* Sends each edge's lanes to wait for its target; then the first block runs. */
static void emit_switch_split(tier_emitter *e, const sim_code_block *block,
                              const LLVMValueRef *lanes)
{
    uint32_t least = block_count(e);
    for (uint32_t k = 0; k < 2 * block->edge_count; k++) {
        uint32_t i = k % block->edge_count;
        const sim_edge *edge = edge_at(e, i);
        if (edge->is_back != (k >= block->edge_count)) continue;
        uint32_t target = tier_target(e->flat, e->block, edge);
        if (target < least) least = target;
        LLVMBasicBlockRef some = tier_block_new(e, ""), next = tier_block_new(e, "");
        LLVMBuildCondBr(e->builder, tier_any(e, lanes[i]), some, next);
        LLVMPositionBuilderAtEnd(e->builder, some);
        if (emit_part(e, edge, lanes[i])) {
            park(e, target, lanes[i]);
            LLVMBuildBr(e->builder, next);
        }
        LLVMPositionBuilderAtEnd(e->builder, next);
    }
    if (least <= e->block) {
        emit_budget(e);
        emit_first(e, least - 1, e->block + 1);
    }
    emit_first(e, e->block, block_count(e));
    LLVMBuildBr(e->builder, e->gives_up[SIM_TIER_ORDER]);
}

static void emit_switch(tier_emitter *e, const sim_code_block *block)
{
    if (sim_register_uniform(block->condition)) {
        emit_switch_uniform(e, block);
        return;
    }
    LLVMValueRef value = tier_read(e, block->condition, condition_type(block), true);
    LLVMValueRef *lanes = rt_alloc_array(block->edge_count, sizeof(LLVMValueRef));
    LLVMValueRef active = tier_active(e), left = active;
    for (uint32_t i = 1; i < block->edge_count; i++) {
        LLVMTypeRef type = LLVMGetElementType(LLVMTypeOf(value));
        LLVMValueRef literal = tier_splat(e, tier_number(type, literal_of(block, edge_at(e, i))));
        LLVMValueRef is_equal = LLVMBuildICmp(e->builder, LLVMIntEQ, value, literal, "");
        lanes[i] = LLVMBuildAnd(e->builder, left, is_equal, "");
        left = LLVMBuildAnd(e->builder, left, LLVMBuildNot(e->builder, is_equal, ""), "");
    }
    lanes[0] = left;
    for (uint32_t i = 0; i < block->edge_count; i++) {
        LLVMBasicBlockRef all = tier_block_new(e, ""), next = tier_block_new(e, "");
        LLVMValueRef others =
            LLVMBuildAnd(e->builder, active, LLVMBuildNot(e->builder, lanes[i], ""), "");
        LLVMBuildCondBr(e->builder, tier_any(e, others), next, all);
        LLVMPositionBuilderAtEnd(e->builder, all);
        emit_edge(e, edge_at(e, i));
        LLVMPositionBuilderAtEnd(e->builder, next);
    }
    emit_switch_split(e, block, lanes);
    rt_free(lanes);
}

/* ---- Calls ---------------------------------------------------------------------------------- */

static sim_lane_type type_of_bytes(uint32_t bytes)
{
    CHECK(bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8);
    return (sim_lane_type)(SIM_I8 + __builtin_ctz(bytes));
}

/* Copies a value between registers of two activations, for the active lanes. */
static void pass(tier_emitter *e, uint32_t to_instance, sim_register to, uint32_t from_instance,
                 sim_register from, uint32_t bytes)
{
    sim_lane_type type = type_of_bytes(bytes);
    bool is_chunk = !sim_register_uniform(to);
    tier_write_in(e, to_instance, to, type, tier_read_in(e, from_instance, from, type, is_chunk),
                  true);
}

static void emit_call(tier_emitter *e, const tier_block *from)
{
    const tier_instance *caller = &e->flat->instances.items[from->instance];
    const tier_instance *callee = &e->flat->instances.items[from->callee];
    CHECK(callee->first == e->block + 1 &&
          callee->call->argument_count <= callee->function->parameter_count);
    for (uint32_t i = 0; i < callee->call->argument_count; i++) {
        sim_leaf to = callee->function->parameters[i];
        sim_register place = caller->function->places[callee->call->argument_first + i];
        if (to.place == SIM_REGISTER_NONE) continue;
        pass(e, from->callee, to.place, from->instance, place, to.bytes);
    }
    if (callee->frame->number) {
        LLVMValueRef arguments[] = {e->context, tier_constant_pointer(e, callee->frame),
                                    tier_bits(e, tier_active(e), e->i32)};
        (void)tier_call_helper(e, (const void *)(uintptr_t)e->helpers->enter,
                               LLVMVoidTypeInContext(e->llvm), arguments, 3);
    }
    emit_jump(e, e->block + 1);
}

static void emit_return(tier_emitter *e, const tier_block *from)
{
    const tier_instance *callee = &e->flat->instances.items[from->instance];
    if (callee->caller == SIM_NONE) {
        emit_done(e);
        return;
    }
    const tier_instance *caller = &e->flat->instances.items[callee->caller];
    for (uint32_t i = 0; i < callee->call->result_count; i++) {
        sim_register to = caller->function->places[callee->call->result_first + i];
        sim_register place = callee->function->places[from->block->extra + i];
        if (to == SIM_REGISTER_NONE) continue;
        pass(e, callee->caller, to, from->instance, place, callee->function->result_bytes[i]);
    }
    emit_jump(e, callee->last + 1);
}

/* The variables of the function that was left can no longer be accessed. */
static void emit_left(tier_emitter *e, uint32_t instance)
{
    uint32_t number = e->flat->instances.items[instance].frame->number;
    if (number == 0) return;
    size_t member = offsetof(sim_tier_context, frames) + number * sizeof(const sim_tier_frame *);
    LLVMBuildStore(e->builder, LLVMConstNull(e->bytes_pointer),
                   tier_pointer(e, e->context, member, e->bytes_pointer));
}

/* ---- Barriers ------------------------------------------------------------------------------- */

/* Gives up unless all of the chunk's work-items are active. */
static void emit_together(tier_emitter *e)
{
    LLVMValueRef at = tier_pointer(e, e->context, offsetof(sim_tier_context, mask), e->i32);
    LLVMValueRef all = LLVMBuildLoad2(e->builder, e->i32, at, "");
    LLVMValueRef here = tier_bits(e, tier_active(e), e->i32);
    tier_give_up_unless(e, LLVMBuildICmp(e->builder, LLVMIntEQ, all, here, ""), SIM_TIER_BARRIER);
}

static void emit_barrier(tier_emitter *e, const tier_block *from)
{
    emit_together(e);
    LLVMBuildBr(e->builder, e->barriers[from->barrier]);
}

/* The work-items of a sub-group meet: a chunk has whole sub-groups. */
static void emit_meeting(tier_emitter *e)
{
    emit_together(e);
    emit_jump(e, e->block + 1);
}

/* ---- Blocks --------------------------------------------------------------------------------- */

static void emit_end(tier_emitter *e, const tier_block *from)
{
    switch ((sim_end)from->block->end) {
    case SIM_END_JUMP: emit_edge(e, edge_at(e, 0)); return;
    case SIM_END_BRANCH: emit_branch(e, from->block); return;
    case SIM_END_SWITCH: emit_switch(e, from->block); return;
    case SIM_END_CALL: emit_call(e, from); return;
    case SIM_END_RETURN: emit_return(e, from); return;
    case SIM_END_BARRIER: emit_barrier(e, from); return;
    case SIM_END_NEXT: emit_jump(e, e->block + 1); return;
    case SIM_END_UNREACHABLE: LLVMBuildBr(e->builder, e->gives_up[SIM_TIER_MISUSE]); return;
    case SIM_END_MEET: emit_meeting(e); return;
    case SIM_END_CALL_POINTER: break; /* flat.c refuses it */
    }
    UNREACHABLE();
}

static void emit_block(tier_emitter *e, uint32_t index)
{
    const tier_block *from = block_at(e, index);
    e->block = index;
    e->node = index;
    e->instance = from->instance;
    LLVMPositionBuilderAtEnd(e->builder, e->bodies[index]);
    if (from->is_folded) {
        (void)LLVMBuildUnreachable(e->builder);
        return;
    }
    if (from->left != SIM_NONE) emit_left(e, from->left);
    if (from->block->takes_undefined) {
        LLVMBuildBr(e->builder, e->gives_up[SIM_TIER_UNDEFINED]);
        return;
    }
    emit_ops(e, false);
    emit_end(e, from);
}

void tier_emit_blocks(tier_emitter *e)
{
    for (uint32_t i = 0; i < block_count(e); i++)
        emit_block(e, i);
    for (uint32_t i = 0; i < block_count(e); i++) {
        if (block_at(e, i)->may_be_parked) emit_unpark(e, i);
    }
}
