/* Which registers a chunk must keep while it waits at a barrier: those that a work-item may read
 * after it before it writes them. Lanes are considered one by one: a work-item that reads a value
 * has itself executed the write, so a write ends a lifetime even if it changes only active lanes.
 *
 * The graph has a node for each block and one for each edge, whose moves are the edge's own. */
#include "sim/compiled/emit.h"

#include "reference/base/alloc.h"

typedef struct live_sets {
    /* Per node, a bit for each register: those that it or a later node reads before they are
     * written, and those that it writes. */
    uint64_t *in, *writes;
    uint32_t words, node_count;
} live_sets;

static const sim_code_block *code_block(const tier_emitter *e, uint32_t block)
{
    return e->flat->blocks.items[block].block;
}

void tier_live_open(tier_emitter *e)
{
    uint32_t count = e->flat->blocks.count, next = count;
    e->edge_nodes = rt_alloc_array(count + 1, sizeof *e->edge_nodes);
    for (uint32_t i = 0; i < count; i++) {
        e->edge_nodes[i] = next;
        next += code_block(e, i)->edge_count;
    }
    e->edge_nodes[count] = next;
    e->node = TIER_NO_NODE;
}

void tier_live_note(tier_emitter *e, const tier_register *place, bool is_write)
{
    if (e->node == TIER_NO_NODE) return;
    *rt_vector_push(&e->uses) = (tier_use){e->node, place->number, is_write};
}

/* Collects what each node reads before it writes it, and what it writes. */
static void uses_collect(const tier_emitter *e, const live_sets *sets)
{
    for (uint32_t i = 0; i < e->uses.count; i++) {
        const tier_use *use = &e->uses.items[i];
        uint64_t at = (uint64_t)use->node * sets->words + use->number / 64;
        uint64_t bit = UINT64_C(1) << use->number % 64;
        CHECK(use->node < sets->node_count && use->number < e->register_count);
        if (use->is_write)
            sets->writes[at] |= bit;
        else if (!(sets->writes[at] & bit))
            sets->in[at] |= bit;
    }
}

/* Adds to a node's registers those that its successor reads; true if that changes them. */
static bool flow_from(const live_sets *sets, uint32_t node, uint32_t successor)
{
    uint64_t at = (uint64_t)node * sets->words, from = (uint64_t)successor * sets->words, more = 0;
    CHECK(node < sets->node_count && successor < sets->node_count);
    for (uint32_t i = 0; i < sets->words; i++) {
        uint64_t before = sets->in[at + i];
        sets->in[at + i] |= sets->in[from + i] & ~sets->writes[at + i];
        more |= sets->in[at + i] ^ before;
    }
    return more != 0;
}

static bool block_flow(const tier_emitter *e, const live_sets *sets, uint32_t index)
{
    const tier_block *block = &e->flat->blocks.items[index];
    const tier_instance *in = &e->flat->instances.items[block->instance];
    bool changes = false;
    for (uint32_t i = 0; i < block->block->edge_count; i++) {
        uint32_t node = e->edge_nodes[index] + i;
        const sim_edge *edge = tier_edge_of(e->flat, index, i);
        changes |= flow_from(sets, node, tier_target(e->flat, index, edge));
        changes |= flow_from(sets, index, node);
    }
    switch ((sim_end)block->block->end) {
    case SIM_END_CALL:
    case SIM_END_BARRIER:
    case SIM_END_MEET:
    case SIM_END_NEXT: changes |= flow_from(sets, index, index + 1); break;
    case SIM_END_RETURN:
        if (in->caller != SIM_NONE) changes |= flow_from(sets, index, in->last + 1);
        break;
    default: break;
    }
    return changes;
}

uint64_t *tier_live_find(tier_emitter *e, uint32_t *out_words)
{
    uint32_t count = e->flat->blocks.count;
    live_sets sets = {.words = e->register_count / 64 + 1, .node_count = e->edge_nodes[count]};
    uint64_t size = (uint64_t)sets.node_count * sets.words;
    sets.in = rt_alloc_array(size, sizeof *sets.in);
    sets.writes = rt_alloc_array(size, sizeof *sets.writes);
    uses_collect(e, &sets);
    for (bool changes = true; changes;) {
        changes = false;
        for (uint32_t i = count; i > 0; i--)
            changes |= block_flow(e, &sets, i - 1);
    }
    rt_free(sets.writes);
    rt_vector_free(&e->uses);
    rt_free(e->edge_nodes);
    *out_words = sets.words;
    return sets.in;
}
