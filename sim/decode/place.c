/* Assigns locations to values: fuses addresses, removes dead operations, coalesces phis, assigns
 * registers.
 *
 * A phi and its operands share a register if they are never live at the same time, which removes
 * the moves of most loops. Uniform values are never coalesced: lanes waiting elsewhere may still
 * need the old value of a register that they share with the running lanes. */
#include "sim/decode/decode.h"

typedef struct placing {
    sim_decoder *d;
    sim_ir_function *f;
    bool *used;        /* per value */
    bool *demanded;    /* per value: used by something other than a selection that may discard it */
    uint64_t *live_in; /* one set per block: a bit for each value */
    uint32_t words;    /* number of words in one block's set */
    uint32_t **before; /* per block: its predecessors */
    uint32_t *before_count;
} placing;

/* ---- Addresses ---------------------------------------------------------------------------- */

static bool is_uniform(const sim_ir_function *f, sim_ref ref)
{
    if (sim_ref_is_value(ref)) return !f->values.items[ref].is_varying;
    return (ref & SIM_REF_POOL) != 0;
}

/* True if the block may use a uniform value that an earlier block computed: not if the value was
 * computed in a loop that lanes have left at different times. */
static bool reaches(const sim_ir_function *f, sim_ref ref, uint32_t block)
{
    if (!sim_ref_is_value(ref)) return true;
    uint32_t loop = f->blocks.items[f->nodes.items[f->values.items[ref].node].block].loop;
    for (; loop != SIM_NONE; loop = f->loops.items[loop].parent) {
        if (sim_loop_encloses(f, loop, f->blocks.items[block].loop)) return true;
        if (f->loops.items[loop].exit_is_divergent) return false;
    }
    return true;
}

/* Fuses the computation of an address into the access if the engine can do both in a single
 * operation.
 */
static void fuse(sim_ir_function *f, sim_node *node)
{
    sim_ref *operands = f->refs.items + node->operand_first;
    if (!sim_ref_is_value(operands[0])) return;
    const sim_chain *chain = &f->values.items[operands[0]].chain;
    if (chain->base == SIM_REF_NONE || is_uniform(f, operands[0])) return;
    if (is_uniform(f, chain->base) && !reaches(f, chain->base, node->block)) return;
    if (chain->index == SIM_REF_NONE) {
        operands[0] = chain->base;
    } else if (is_uniform(f, chain->base) && !is_uniform(f, chain->index)) {
        operands[0] = chain->base;
        operands[1] = chain->index;
        node->stride = chain->stride;
        node->form = chain->form;
    } else {
        return;
    }
    node->imm = (int64_t)((uint64_t)node->imm + (uint64_t)chain->imm);
}

/* ---- Uses --------------------------------------------------------------------------------- */

static bool has_effect(const sim_node *node)
{
    return node->shape == SIM_SHAPE_LOAD || node->shape == SIM_SHAPE_STORE ||
           node->shape == SIM_SHAPE_ATOMIC || node->shape == SIM_SHAPE_COPY ||
           node->shape == SIM_SHAPE_COLLECTIVE || node->shape == SIM_SHAPE_ASYNC_COPY ||
           node->shape == SIM_SHAPE_FENCE || node->shape == SIM_SHAPE_FORGET ||
           node->shape == SIM_SHAPE_PRINT || node->shape == SIM_SHAPE_BOUND;
}

typedef RT_VECTOR(uint32_t) work_list;

static void use(bool *used, work_list *work, sim_ref ref)
{
    if (ref == SIM_REF_NONE || !sim_ref_is_value(ref) || used[ref]) return;
    used[ref] = true;
    *rt_vector_push(work) = ref;
}

static void use_operands(const placing *p, bool *used, work_list *work, uint32_t first,
                         uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        use(used, work, p->f->refs.items[first + i]);
}

/* Marks the values that operations with effects and control flow need. With `choices`, this
 * includes the values that selections and phis choose from. */
static void find_used(const placing *p, bool *used, bool choices)
{
    const sim_ir_function *f = p->f;
    work_list work = {0};
    for (uint32_t i = 0; i < f->nodes.count; i++) {
        const sim_node *node = &f->nodes.items[i];
        if (!has_effect(node)) continue;
        use_operands(p, used, &work, node->operand_first, node->operand_count);
    }
    for (uint32_t i = 0; i < f->blocks.count; i++) {
        const sim_ir_block *block = &f->blocks.items[i];
        use(used, &work, block->condition);
        use_operands(p, used, &work, block->operand_first, block->operand_count);
    }
    while (work.count > 0) {
        uint32_t value = work.items[--work.count];
        const sim_node *node = &f->nodes.items[f->values.items[value].node];
        if (node->shape == SIM_SHAPE_PHI) {
            uint32_t place = value - sim_phi_first(f, &f->blocks.items[node->block]);
            for (uint32_t e = 0; choices && e < f->edges.count; e++) {
                const sim_ir_edge *edge = &f->edges.items[e];
                if (edge->target == node->block)
                    use(used, &work, f->refs.items[edge->args_first + place]);
            }
        } else {
            bool all = choices || node->shape != SIM_SHAPE_SELECT;
            use_operands(p, used, &work, node->operand_first, all ? node->operand_count : 1);
        }
    }
    rt_vector_free(&work);
}

/* Compilers compute values speculatively and let a selection discard them. If nothing else uses
 * such a value, the kernel is not at fault, so a shift or conversion that is not demanded reports
 * nothing. */
static void find_needed(placing *p)
{
    sim_ir_function *f = p->f;
    find_used(p, p->used, true);
    find_used(p, p->demanded, false);
    for (uint32_t i = 0; i < f->nodes.count; i++) {
        sim_node *node = &f->nodes.items[i];
        node->is_dead = !has_effect(node);
        node->is_quiet = node->result_count == 1 && !p->demanded[node->result_first];
        for (uint32_t k = 0; k < node->result_count; k++) {
            if (p->used[node->result_first + k]) node->is_dead = false;
        }
    }
}

/* ---- Liveness ----------------------------------------------------------------------------- */

static void find_before(placing *p)
{
    sim_ir_function *f = p->f;
    uint32_t *count = rt_arena_alloc_array(&p->d->arena, f->blocks.count, sizeof *count);
    for (uint32_t e = 0; e < f->edges.count; e++)
        count[f->edges.items[e].target]++;
    p->before = rt_arena_alloc_array(&p->d->arena, f->blocks.count, sizeof *p->before);
    p->before_count = rt_arena_alloc_array(&p->d->arena, f->blocks.count, sizeof(uint32_t));
    for (uint32_t i = 0; i < f->blocks.count; i++) {
        p->before[i] = rt_arena_alloc_array(&p->d->arena, count[i] + 1, sizeof(uint32_t));
    }
    for (uint32_t e = 0; e < f->edges.count; e++) {
        uint32_t to = f->edges.items[e].target;
        p->before[to][p->before_count[to]++] = f->edges.items[e].from;
    }
    for (uint32_t i = 0; i < f->blocks.count; i++) {
        if (!sim_end_falls_through((sim_end)f->blocks.items[i].end)) continue;
        CHECK(i + 1 < f->blocks.count && p->before_count[i + 1] == count[i + 1]);
        p->before[i + 1][p->before_count[i + 1]++] = i;
    }
}

static bool live_in(const placing *p, uint32_t block, uint32_t value)
{
    return p->live_in[(size_t)block * p->words + value / 64] >> (value % 64) & 1;
}

/* Marks a value that the block uses, or that is live at the block's end, as live from its
 * definition to the block. */
static void note_use(placing *p, sim_ref ref, uint32_t block, work_list *work)
{
    if (ref == SIM_REF_NONE || !sim_ref_is_value(ref)) return;
    sim_value *value = &p->f->values.items[ref];
    uint32_t home = p->f->nodes.items[value->node].block;
    if (home != block) value->is_local = false;
    *rt_vector_push(work) = block;
    while (work->count > 0) {
        uint32_t at = work->items[--work->count];
        if (at == home || live_in(p, at, ref)) continue;
        p->live_in[(size_t)at * p->words + ref / 64] |= UINT64_C(1) << (ref % 64);
        for (uint32_t i = 0; i < p->before_count[at]; i++)
            *rt_vector_push(work) = p->before[at][i];
    }
}

/* Finds which values are live where. Values start as local; a value that another block uses or sets
 * is not local. */
static void find_live(placing *p)
{
    sim_ir_function *f = p->f;
    work_list work = {0};
    for (uint32_t i = 0; i < f->values.count; i++) {
        uint8_t shape = f->nodes.items[f->values.items[i].node].shape;
        f->values.items[i].is_local =
            shape != SIM_SHAPE_PHI && shape != SIM_SHAPE_PARAMETER && shape != SIM_SHAPE_RESULT;
    }
    for (uint32_t i = 0; i < f->nodes.count; i++) {
        const sim_node *node = &f->nodes.items[i];
        if (node->is_dead) continue;
        for (uint32_t k = 0; k < node->operand_count; k++) {
            note_use(p, f->refs.items[node->operand_first + k], node->block, &work);
        }
    }
    for (uint32_t i = 0; i < f->blocks.count; i++) {
        const sim_ir_block *block = &f->blocks.items[i];
        note_use(p, block->condition, i, &work);
        for (uint32_t k = 0; k < block->operand_count; k++) {
            note_use(p, f->refs.items[block->operand_first + k], i, &work);
        }
    }
    for (uint32_t e = 0; e < f->edges.count; e++) {
        const sim_ir_edge *edge = &f->edges.items[e];
        const sim_ir_block *target = &f->blocks.items[edge->target];
        for (uint32_t k = 0; k < target->phi_count; k++) {
            if (!p->used[sim_phi_first(f, target) + k]) continue;
            note_use(p, f->refs.items[edge->args_first + k], edge->from, &work);
        }
    }
    rt_vector_free(&work);
}

/* ---- Coalescing --------------------------------------------------------------------------- */

static bool used_at_end(const placing *p, uint32_t block, uint32_t value)
{
    const sim_ir_function *f = p->f;
    const sim_ir_block *b = &f->blocks.items[block];
    if (b->condition == value) return true;
    for (uint32_t i = 0; i < b->operand_count; i++) {
        if (f->refs.items[b->operand_first + i] == value) return true;
    }
    for (uint32_t e = 0; e < b->edge_count; e++) {
        const sim_ir_edge *edge = &f->edges.items[b->edge_first + e];
        const sim_ir_block *target = &f->blocks.items[edge->target];
        if (live_in(p, edge->target, value)) return true;
        for (uint32_t k = 0; k < target->phi_count; k++) {
            if (f->refs.items[edge->args_first + k] == value) return true;
        }
    }
    return sim_end_falls_through((sim_end)b->end) && live_in(p, block + 1, value);
}

/* True if the value is live after the node, which is in `block`. */
static bool live_after(const placing *p, uint32_t block, uint32_t node, uint32_t value)
{
    const sim_ir_function *f = p->f;
    const sim_ir_block *b = &f->blocks.items[block];
    for (uint32_t i = node + 1; i < b->node_first + b->node_count; i++) {
        const sim_node *later = &f->nodes.items[i];
        if (later->is_dead) continue;
        for (uint32_t k = 0; k < later->operand_count; k++) {
            if (f->refs.items[later->operand_first + k] == value) return true;
        }
    }
    return used_at_end(p, block, value);
}

/* True if `b` is live at the point where `a` is set. */
static bool live_at(const placing *p, uint32_t a, uint32_t b)
{
    const sim_ir_function *f = p->f;
    uint32_t a_node = f->values.items[a].node, b_node = f->values.items[b].node;
    uint32_t block = f->nodes.items[a_node].block;
    bool a_phi = f->nodes.items[a_node].shape == SIM_SHAPE_PHI;
    bool b_phi = f->nodes.items[b_node].shape == SIM_SHAPE_PHI;
    if (a_phi && b_phi && block == f->nodes.items[b_node].block) return true;
    if (a_phi) return live_in(p, block, b);
    if (a_node == b_node) return true;
    bool b_is_set = f->nodes.items[b_node].block != block || b_node < a_node;
    if (!b_is_set) return false;
    if (f->nodes.items[b_node].block != block && !live_in(p, block, b)) return false;
    return live_after(p, block, a_node, b);
}

#define GROUP_MAX 64u /* limits how many pairs of values that share a register are compared */

static bool groups_meet(const placing *p, uint32_t a, uint32_t b)
{
    const sim_value *values = p->f->values.items;
    uint32_t count = 0, x = a;
    do {
        uint32_t y = b;
        do {
            if (++count > GROUP_MAX * GROUP_MAX) return true;
            if (live_at(p, x, y) || live_at(p, y, x)) return true;
            y = values[y].group_next;
        } while (y != b);
        x = values[x].group_next;
    } while (x != a);
    return false;
}

static void coalesce(placing *p, uint32_t phi, sim_ref ref)
{
    sim_value *values = p->f->values.items;
    if (!sim_ref_is_value(ref) || values[phi].group == values[ref].group) return;
    if (!values[phi].is_varying || !values[ref].is_varying || !p->used[ref]) return;
    if (sim_lane_bytes(values[phi].type) != sim_lane_bytes(values[ref].type)) return;
    if (groups_meet(p, phi, ref)) return;
    uint32_t next = values[phi].group_next;
    values[phi].group_next = values[ref].group_next;
    values[ref].group_next = next;
    uint32_t x = phi;
    do {
        values[x].group = values[phi].group;
        values[x].is_local = false;
        x = values[x].group_next;
    } while (x != phi);
}

/* Coalesces along back edges first, since their moves are executed most often. */
static void coalesce_all(placing *p)
{
    sim_ir_function *f = p->f;
    for (uint32_t i = 0; i < f->values.count; i++) {
        f->values.items[i].group = f->values.items[i].group_next = i;
    }
    for (uint32_t pass = 0; pass < 2; pass++) {
        for (uint32_t e = 0; e < f->edges.count; e++) {
            const sim_ir_edge *edge = &f->edges.items[e];
            const sim_ir_block *target = &f->blocks.items[edge->target];
            bool goes_round = edge->is_back || target->module_block == SIM_NONE;
            if (goes_round != (pass == 0)) continue;
            for (uint32_t k = 0; k < target->phi_count; k++) {
                uint32_t phi = sim_phi_first(f, target) + k;
                if (p->used[phi]) coalesce(p, phi, f->refs.items[edge->args_first + k]);
            }
        }
    }
}

/* ---- Registers ---------------------------------------------------------------------------- */

static void place_lasting(placing *p, sim_code_function *out)
{
    sim_ir_function *f = p->f;
    for (uint32_t i = 0; i < f->values.count; i++) {
        sim_value *value = &f->values.items[i];
        if (!p->used[i]) continue;
        if (!value->is_varying) {
            value->place = sim_register_of(SIM_SPACE_UNIFORM, out->uniform_bytes);
            out->uniform_bytes += 8;
        } else if (!value->is_local && value->place == SIM_REGISTER_NONE) {
            sim_register place = sim_register_of(SIM_SPACE_FRAME, out->frame_bytes);
            out->frame_bytes += SIM_ROW_BYTES(sim_lane_bytes(value->type));
            uint32_t x = i;
            do {
                f->values.items[x].place = place;
                x = f->values.items[x].group_next;
            } while (x != i);
        }
    }
}

/* The rows for one block's temporaries; a free row is reused for values of the same width. */
typedef struct rows {
    RT_VECTOR(uint32_t) free[4]; /* offsets, by log2 of the width */
    uint32_t end;
} rows;

static bool in_temporary(const placing *p, sim_ref ref)
{
    return ref != SIM_REF_NONE && sim_ref_is_value(ref) && p->used[ref] &&
           p->f->values.items[ref].is_varying && p->f->values.items[ref].is_local;
}

/* Sets the last_use of each temporary value to the last node of the block that reads it, or to
 * UINT32_MAX if the block's end reads it. */
static void find_last_uses(placing *p, uint32_t block)
{
    sim_ir_function *f = p->f;
    const sim_ir_block *b = &f->blocks.items[block];
    for (uint32_t i = b->node_first; i < b->node_first + b->node_count; i++) {
        const sim_node *node = &f->nodes.items[i];
        if (node->is_dead) continue;
        for (uint32_t k = 0; k < node->operand_count; k++) {
            sim_ref ref = f->refs.items[node->operand_first + k];
            if (in_temporary(p, ref)) f->values.items[ref].last_use = i;
        }
    }
    for (uint32_t i = b->node_first; i < b->node_first + b->node_count; i++) {
        const sim_node *node = &f->nodes.items[i];
        for (uint32_t k = 0; k < node->result_count; k++) {
            uint32_t value = node->result_first + k;
            if (in_temporary(p, value) && used_at_end(p, block, value)) {
                f->values.items[value].last_use = UINT32_MAX;
            }
        }
    }
}

static void place_temporaries(placing *p, uint32_t block, rows *r)
{
    sim_ir_function *f = p->f;
    const sim_ir_block *b = &f->blocks.items[block];
    find_last_uses(p, block);
    for (uint32_t i = b->node_first; i < b->node_first + b->node_count; i++) {
        const sim_node *node = &f->nodes.items[i];
        if (node->is_dead) continue;
        for (uint32_t k = 0; k < node->operand_count; k++) {
            sim_ref ref = f->refs.items[node->operand_first + k];
            if (!in_temporary(p, ref) || f->values.items[ref].last_use != i) continue;
            f->values.items[ref].last_use = UINT32_MAX; /* release it only once */
            uint32_t log = (uint32_t)__builtin_ctz(sim_lane_bytes(f->values.items[ref].type));
            *rt_vector_push(&r->free[log]) = f->values.items[ref].place & SIM_REGISTER_MASK;
        }
        for (uint32_t k = 0; k < node->result_count; k++) {
            sim_value *value = &f->values.items[node->result_first + k];
            if (!in_temporary(p, node->result_first + k)) continue;
            uint32_t bytes = sim_lane_bytes(value->type), log = (uint32_t)__builtin_ctz(bytes);
            uint32_t offset = r->end;
            if (r->free[log].count > 0) {
                offset = r->free[log].items[--r->free[log].count];
            } else {
                r->end += SIM_ROW_BYTES(bytes);
            }
            value->place = sim_register_of(SIM_SPACE_WAVE, offset);
        }
    }
}

void sim_decode_place(sim_decoder *d, sim_ir_function *f, sim_code_function *out_function)
{
    placing p = {.d = d, .f = f, .words = f->values.count / 64 + 1};
    p.used = rt_arena_alloc_array(&d->arena, f->values.count, sizeof *p.used);
    p.demanded = rt_arena_alloc_array(&d->arena, f->values.count, sizeof *p.demanded);
    p.live_in =
        rt_arena_alloc_array(&d->arena, (size_t)f->blocks.count * p.words, sizeof *p.live_in);
    for (uint32_t i = 0; i < f->nodes.count; i++) {
        sim_node *node = &f->nodes.items[i];
        if (node->shape == SIM_SHAPE_LOAD || node->shape == SIM_SHAPE_STORE) fuse(f, node);
    }
    find_needed(&p);
    find_before(&p);
    find_live(&p);
    coalesce_all(&p);
    place_lasting(&p, out_function);
    out_function->temporary_bytes = SIM_TEMPORARIES_FIRST;
    for (uint32_t i = 0; i < f->blocks.count; i++) {
        rows r = {.end = SIM_TEMPORARIES_FIRST};
        place_temporaries(&p, i, &r);
        if (r.end > out_function->temporary_bytes) out_function->temporary_bytes = r.end;
        for (uint32_t k = 0; k < 4; k++)
            rt_vector_free(&r.free[k]);
    }
}
