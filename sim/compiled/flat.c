/* Lists the blocks of a kernel with all of its calls inlined. */
#include "sim/compiled/flat.h"

#include "reference/base/alloc.h"
#include "sim/compiled/handlers.h"

#define OPS_MAX    8192u
#define DEPTH_MAX  16u

static const char *ops_are_covered(const sim_code_function *function, const sim_code_block *block)
{
    for (uint32_t i = 0; i < block->op_count; i++) {
        const sim_op *op = &function->ops[block->op_first + i];
        if (tier_handler_at(op->handler)->shape == TIER_UNCOVERED)
            return tier_handler_at(op->handler)->name;
    }
    return NULL;
}

static const char *block_is_covered(const sim_code_function *function, const sim_code_block *block)
{
    switch ((sim_end)block->end) {
    case SIM_END_CALL_POINTER: return "calls through a function pointer";
    case SIM_END_MEET: return "has an operation of a sub-group";
    default: break;
    }
    return ops_are_covered(function, block);
}

static bool is_active(const tier_flat *flat, uint32_t instance, const sim_code_function *function)
{
    for (; instance != SIM_NONE; instance = flat->instances.items[instance].caller) {
        if (flat->instances.items[instance].function == function) return true;
    }
    return false;
}

/* Adds an activation and gives its variables their place and number, as exec/fragment.c does. */
static uint32_t instance_add(tier_flat *flat, const sim_code_function *function, uint32_t caller,
                             const sim_call *call)
{
    uint32_t index = flat->instances.count;
    sim_tier_frame *frame = rt_alloc(sizeof *frame);
    *frame = (sim_tier_frame){.function = function};
    uint32_t number = 1, depth = 0;
    for (uint32_t i = caller; i != SIM_NONE; i = flat->instances.items[i].caller) {
        number += flat->instances.items[i].function->variable_count > 0;
        depth++;
    }
    if (caller != SIM_NONE) {
        const sim_tier_frame *parent = flat->instances.items[caller].frame;
        frame->private_first = parent->private_first + parent->function->private_bytes;
    }
    if (function->variable_count) frame->number = number;
    uint64_t end = frame->private_first + function->private_bytes;
    if (end > flat->private_bytes) flat->private_bytes = end;
    *rt_vector_push(&flat->instances) =
        (tier_instance){.function = function,
                        .caller = caller,
                        .call = call,
                        .first = flat->blocks.count,
                        .depth = depth,
                        .place_of = rt_alloc_array(function->block_count, sizeof(uint32_t)),
                        .frame = frame};
    return index;
}

/* Adds the blocks of an instance and of the functions that it calls. */
static const char *blocks_add(tier_flat *flat, uint32_t instance)
{
    const sim_code_function *function = flat->instances.items[instance].function;
    uint32_t left = SIM_NONE;
    for (uint32_t b = 0; b < function->block_count; b++) {
        const sim_code_block *block = &function->blocks[b];
        const char *reason = block_is_covered(function, block);
        if (reason) return reason;
        uint32_t at = flat->blocks.count;
        flat->op_count += block->op_count;
        if (at >= TIER_BLOCKS_MAX || flat->op_count > OPS_MAX) return "is too large";
        flat->instances.items[instance].place_of[b] = at;
        *rt_vector_push(&flat->blocks) = (tier_block){.instance = instance, .block = block, .left = left};
        left = SIM_NONE;
        if (block->end == SIM_END_BARRIER) flat->blocks.items[at].barrier = flat->barrier_count++;
        if (block->end != SIM_END_CALL) continue;
        const sim_call *call = &function->calls[block->extra];
        const sim_code_function *callee = &flat->program->functions[call->function];
        if (is_active(flat, instance, callee)) return "is recursive";
        if (flat->instances.items[instance].depth >= DEPTH_MAX) return "is too large";
        left = instance_add(flat, callee, instance, call);
        flat->blocks.items[at].callee = left;
        reason = blocks_add(flat, left);
        if (reason) return reason;
    }
    flat->instances.items[instance].last = flat->blocks.count - 1;
    return NULL;
}

uint32_t tier_target(const tier_flat *flat, uint32_t block, const sim_edge *edge)
{
    const tier_instance *in = &flat->instances.items[flat->blocks.items[block].instance];
    CHECK(edge->target < in->function->block_count);
    return in->place_of[edge->target];
}

bool tier_may_find(const tier_flat *flat, uint32_t from, uint32_t at)
{
    for (uint32_t i = 0; i < flat->loops.count; i++) {
        const tier_loop *loop = &flat->loops.items[i];
        if (from < loop->header && loop->header < at && at <= loop->last) return false;
    }
    return true;
}

/* Finds the loops, and the blocks in which lanes may wait: those that a divergent branch leads to,
 * and those that are reached by a jump over other blocks. */
static void edges_examine(tier_flat *flat)
{
    for (uint32_t b = 0; b < flat->blocks.count; b++) {
        const tier_block *from = &flat->blocks.items[b];
        const tier_instance *in = &flat->instances.items[from->instance];
        const sim_edge *edges = in->function->edges + from->block->edge_first;
        bool diverges = (from->block->end == SIM_END_BRANCH || from->block->end == SIM_END_SWITCH) &&
                        !sim_register_uniform(from->block->condition);
        for (uint32_t e = 0; e < from->block->edge_count; e++) {
            uint32_t target = tier_target(flat, b, &edges[e]);
            if (target <= b) *rt_vector_push(&flat->loops) = (tier_loop){target, b};
            if (diverges || target > b + 1) flat->blocks.items[target].may_be_parked = true;
        }
        if (from->block->end == SIM_END_RETURN && from->instance != 0)
            flat->blocks.items[in->last + 1].may_be_parked = true;
    }
}

const char *tier_flatten(const sim_program *program, uint32_t function, tier_flat *out_flat)
{
    *out_flat = (tier_flat){.program = program, .barrier_count = 1};
    uint32_t kernel = instance_add(out_flat, &program->functions[function], SIM_NONE, NULL);
    const char *reason = blocks_add(out_flat, kernel);
    if (!reason) edges_examine(out_flat);
    return reason;
}

void tier_flat_free(tier_flat *flat)
{
    for (uint32_t i = 0; i < flat->instances.count; i++)
        rt_free(flat->instances.items[i].place_of);
    rt_vector_free(&flat->instances);
    rt_vector_free(&flat->blocks);
    rt_vector_free(&flat->loops);
}
