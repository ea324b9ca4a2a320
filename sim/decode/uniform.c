/* Finds the uniform values, which are the same for all work-items that compute them together.
 *
 * All values are assumed uniform until shown otherwise. The result of an operation is varying if an
 * operand is varying, or if the operation is an atomic, a collective, an asynchronous copy, a
 * printf or a load that may read memory of which lanes have their own. Divergent control flow also
 * makes values varying. A branch at which lanes go different ways is divergent:
 *
 *   - where two of its sides meet again, phis are varying, because they depend on the side that a
 *     lane came from;
 *   - a loop that lanes leave in different iterations makes its values varying outside the loop,
 *     and so the phis of its exit blocks.
 *
 * This is sufficient only because flow.c ensures that all lanes in a loop are in the same
 * iteration. Functions that mark values return true if they have marked any value that was not
 * marked before. */
#include "sim/decode/decode.h"

static bool ref_varying(const sim_ir_function *f, sim_ref ref)
{
    if (ref == SIM_REF_NONE) return false;
    if (sim_ref_is_value(ref)) return f->values.items[ref].is_varying;
    return (ref & SIM_REF_POOL) == 0;
}

static bool value_mark(sim_ir_function *f, uint32_t value)
{
    if (f->values.items[value].is_varying) return false;
    f->values.items[value].is_varying = true;
    return true;
}

static bool node_mark(sim_ir_function *f, const sim_node *node)
{
    bool changed = false;
    for (uint32_t i = 0; i < node->result_count; i++) {
        changed |= value_mark(f, node->result_first + i);
    }
    return changed;
}

static bool phis_mark(sim_ir_function *f, uint32_t block)
{
    const sim_ir_block *b = &f->blocks.items[block];
    bool changed = false;
    for (uint32_t i = 0; i < b->node_count; i++) {
        const sim_node *node = &f->nodes.items[b->node_first + i];
        if (node->shape == SIM_SHAPE_PHI) changed |= node_mark(f, node);
    }
    return changed;
}

/* ---- Divergence --------------------------------------------------------------------------- */

/* The sides of one divergent branch, propagated forward: label[b] names the side that reaches block
 * b; where sides meet, a new name is used. */
typedef struct spread {
    sim_ir_function *f;
    uint32_t branch;      /* block */
    uint32_t *label;      /* per block; 0: not reached */
    uint32_t *loop_label; /* per loop: the side that leaves or repeats it; 0: none yet */
    uint32_t next_label;
    uint32_t pending; /* blocks reached but not yet visited */
    bool changed;
} spread;

static void spread_edge(spread *s, const sim_ir_edge *edge, uint32_t label)
{
    sim_ir_function *f = s->f;
    uint32_t from = f->blocks.items[edge->from].loop, to = f->blocks.items[edge->target].loop;
    CHECK(label > 0 && label < s->next_label);
    /* Label the loops that contain the branch and that the edge repeats (from their latch) or
     * leaves. */
    for (uint32_t loop = from; loop != SIM_NONE; loop = f->loops.items[loop].parent) {
        bool goes_round = edge->is_back && f->loops.items[loop].header == edge->target;
        bool leaves = !sim_loop_encloses(f, loop, to);
        if (!goes_round && !leaves) continue;
        if (!sim_loop_encloses(f, loop, f->blocks.items[s->branch].loop)) continue;
        if (s->loop_label[loop] == 0) s->loop_label[loop] = label;
        if (s->loop_label[loop] == label || f->loops.items[loop].exit_is_divergent) continue;
        f->loops.items[loop].exit_is_divergent = true;
        s->changed = true;
    }
    /* An edge leads to an earlier block only in irreducible flow, where everything is varying, or
     * if that block is the header of a loop, which all lanes of the loop reach through the same
     * latch. */
    if (edge->target <= s->branch || edge->is_back) return;
    uint32_t *there = &s->label[edge->target];
    if (*there == 0) {
        *there = label;
        s->pending++;
    } else if (*there != label) {
        s->changed |= phis_mark(f, edge->target);
        *there = s->next_label++;
    }
}

/* Marks the values that the divergent branch at the end of the block makes varying. */
static bool diverge(sim_decoder *d, sim_ir_function *f, uint32_t branch)
{
    spread s = {.f = f, .branch = branch};
    s.label = rt_arena_alloc_array(&d->arena, f->blocks.count, sizeof *s.label);
    s.loop_label = rt_arena_alloc_array(&d->arena, f->loops.count, sizeof *s.loop_label);
    const sim_ir_block *b = &f->blocks.items[branch];
    s.next_label = b->edge_count + 1;
    for (uint32_t e = 0; e < b->edge_count; e++) {
        spread_edge(&s, &f->edges.items[b->edge_first + e], e + 1);
    }
    for (uint32_t i = branch + 1; i < f->blocks.count && s.pending > 0; i++) {
        if (s.label[i] == 0) continue;
        /* All sides have met: only loops that contain the branch can still be affected. */
        bool inside = f->blocks.items[i].loop != SIM_NONE && b->loop != SIM_NONE;
        if (s.pending == 1 && !inside) break;
        s.pending--;
        const sim_ir_block *next = &f->blocks.items[i];
        if (sim_end_falls_through((sim_end)next->end))
            spread_edge(&s, &(sim_ir_edge){.from = i, .target = i + 1}, s.label[i]);
        for (uint32_t e = 0; e < next->edge_count; e++)
            spread_edge(&s, &f->edges.items[next->edge_first + e], s.label[i]);
    }
    return s.changed;
}

/* Marks the phis after the exits of loops that have a divergent exit.
 */
static bool exits_mark(sim_ir_function *f)
{
    bool changed = false;
    for (uint32_t e = 0; e < f->edges.count; e++) {
        const sim_ir_edge *edge = &f->edges.items[e];
        uint32_t to = f->blocks.items[edge->target].loop;
        for (uint32_t loop = f->blocks.items[edge->from].loop; loop != SIM_NONE;
             loop = f->loops.items[loop].parent) {
            if (sim_loop_encloses(f, loop, to)) break;
            if (f->loops.items[loop].exit_is_divergent) changed |= phis_mark(f, edge->target);
        }
    }
    return changed;
}

/* Marks the value if it is computed in a loop with a divergent exit and used outside the loop, in
 * block `at`. */
static bool use_outside(sim_ir_function *f, sim_ref ref, uint32_t at)
{
    if (!sim_ref_is_value(ref) || f->values.items[ref].is_varying) return false;
    uint32_t block = f->nodes.items[f->values.items[ref].node].block;
    for (uint32_t loop = f->blocks.items[block].loop; loop != SIM_NONE;
         loop = f->loops.items[loop].parent) {
        if (sim_loop_encloses(f, loop, f->blocks.items[at].loop)) return false;
        if (f->loops.items[loop].exit_is_divergent) return value_mark(f, ref);
    }
    return false;
}

/* ---- Nodes -------------------------------------------------------------------------------- */

static bool node_is_varying(const sim_ir_function *f, const sim_node *node)
{
    if (node->shape == SIM_SHAPE_ATOMIC || node->shape == SIM_SHAPE_COLLECTIVE ||
        node->shape == SIM_SHAPE_PRINT || node->shape == SIM_SHAPE_ASYNC_COPY || node->may_differ) {
        return true;
    }
    if (f->is_irreducible && node->shape != SIM_SHAPE_PARAMETER &&
        node->shape != SIM_SHAPE_FRAME_ADDRESS) {
        return true;
    }
    for (uint32_t i = 0; i < node->operand_count; i++) {
        if (ref_varying(f, f->refs.items[node->operand_first + i])) return true;
    }
    return false;
}

static bool block_nodes(sim_ir_function *f, uint32_t block)
{
    const sim_ir_block *b = &f->blocks.items[block];
    bool changed = false;
    for (uint32_t i = 0; i < b->node_count; i++) {
        const sim_node *node = &f->nodes.items[b->node_first + i];
        for (uint32_t k = 0; k < node->operand_count; k++) {
            changed |= use_outside(f, f->refs.items[node->operand_first + k], block);
        }
        if (node->result_count && node_is_varying(f, node)) changed |= node_mark(f, node);
    }
    changed |= use_outside(f, b->condition, block);
    for (uint32_t i = 0; i < b->operand_count; i++) {
        changed |= use_outside(f, f->refs.items[b->operand_first + i], block);
    }
    return changed;
}

/* Marks the target's phis whose operand for this edge is varying; the operand counts as used at the
 * source of the edge. */
static bool edge_phis(sim_ir_function *f, const sim_ir_edge *edge)
{
    const sim_ir_block *target = &f->blocks.items[edge->target];
    bool changed = false;
    if (target->phi_count == 0) return false;
    uint32_t value = sim_phi_first(f, target);
    for (uint32_t i = 0; i < target->phi_count; i++) {
        sim_ref ref = f->refs.items[edge->args_first + i];
        changed |= use_outside(f, ref, edge->from);
        if (ref_varying(f, ref)) changed |= value_mark(f, value + i);
    }
    return changed;
}

/* ---- Calls -------------------------------------------------------------------------------- */

static bool call_mark(sim_decoder *d, sim_ir_function *f, const sim_ir_block *block)
{
    sim_ir_function *callee = &d->functions[block->call];
    bool changed = false;
    CHECK(block->operand_count == callee->parameter_leaves);
    uint32_t parameter = callee->nodes.items[callee->parameter_node].result_first;
    for (uint32_t i = 0; i < block->operand_count; i++) {
        if (ref_varying(f, f->refs.items[block->operand_first + i])) {
            changed |= value_mark(callee, parameter + i);
        }
    }
    if (block->result_node == SIM_NONE) return changed;
    uint32_t result = f->nodes.items[block->result_node].result_first;
    CHECK(f->nodes.items[block->result_node].result_count == callee->result_leaves);
    for (uint32_t i = 0; i < callee->result_leaves; i++) {
        if (callee->result_varying[i]) changed |= value_mark(f, result + i);
    }
    return changed;
}

/* A function's result is uniform only if there is just one return, which all lanes reach together.
 */
static bool results_mark(sim_ir_function *f)
{
    uint32_t returns = 0;
    bool changed = false;
    for (uint32_t i = 0; i < f->blocks.count; i++) {
        const sim_ir_block *block = &f->blocks.items[i];
        if (block->end != SIM_END_RETURN) continue;
        returns++;
        bool apart = returns > 1 || block->loop != SIM_NONE || f->is_irreducible;
        CHECK(block->operand_count == f->result_leaves);
        for (uint32_t k = 0; k < f->result_leaves; k++) {
            bool varying = apart || ref_varying(f, f->refs.items[block->operand_first + k]);
            if (!varying || f->result_varying[k]) continue;
            f->result_varying[k] = true;
            changed = true;
        }
    }
    return changed;
}

static bool function_mark(sim_decoder *d, sim_ir_function *f)
{
    /* Lanes may come from different calls with different arguments, and may reach different
     * functions: all parameters of functions that have addresses are varying, and so are all
     * results of calls through function pointers. */
    bool changed = f->is_addressed && node_mark(f, &f->nodes.items[f->parameter_node]);
    for (uint32_t i = 0; i < f->blocks.count; i++) {
        sim_ir_block *block = &f->blocks.items[i];
        changed |= block_nodes(f, i);
        if (block->end == SIM_END_CALL) changed |= call_mark(d, f, block);
        if (block->end == SIM_END_CALL_POINTER && block->result_node != SIM_NONE)
            changed |= node_mark(f, &f->nodes.items[block->result_node]);
        if (!block->divergence_done && ref_varying(f, block->condition)) {
            block->divergence_done = true;
            changed |= diverge(d, f, i);
        }
    }
    for (uint32_t i = 0; i < f->edges.count; i++)
        changed |= edge_phis(f, &f->edges.items[i]);
    changed |= exits_mark(f);
    changed |= results_mark(f);
    return changed;
}

void sim_decode_uniform(sim_decoder *d)
{
    bool changed = true;
    while (changed) {
        changed = false;
        for (uint32_t i = 0; i < d->function_count; i++) {
            changed |= function_mark(d, &d->functions[i]);
        }
    }
}
