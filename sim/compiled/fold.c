/* Branches whose sides are so short that a chunk runs both, each for its own lanes, instead of
 * jumping: that costs less than to find out which of them has lanes, to let the lanes of one wait
 * for the other, and to predict all that.
 *
 * The sides of a folded branch are the blocks between it and the block where they meet. They are
 * run in the same order as if they were not folded, since a block may overwrite, in all lanes, what
 * only earlier blocks read. */
#include "sim/compiled/flat.h"
#include "sim/compiled/handlers.h"

#include "reference/base/alloc.h"

/* Operations of both sides, moves included. */
#define FOLD_OPS_MAX 16u
/* Blocks between a branch and the block where its sides meet. */
#define FOLD_BLOCKS_MAX 12u

/* The blocks of both sides of a branch, as they are visited. */
typedef struct fold_search {
    const tier_flat *flat;
    const uint32_t *entries; /* per block, from how many places it is entered */
    uint32_t last;           /* the block visited last */
    uint32_t ops, arrivals;  /* arrivals: edges to the block where the sides meet */
} fold_search;

/* True if the operation neither fails nor does anything where no lane is active. */
static bool op_fits(const sim_op *op)
{
    const tier_handler *h = tier_handler_at(op->handler);
    switch ((tier_shape)h->shape) {
    case TIER_BOUND: return h->form != SIM_FORM_SS;
    case TIER_BINARY:
    case TIER_UNARY:
    case TIER_TERNARY:
    case TIER_BINARY_DEFINED:
    case TIER_UNARY_DEFINED:
    case TIER_HALF:
    case TIER_MOVE:
    case TIER_SELECT:
    case TIER_PICK:
    case TIER_INDEX:
    case TIER_HOLDS: return !sim_register_uniform(op->target);
    default: return false;
    }
}

static bool ops_fit(fold_search *s, const sim_op *ops, uint32_t count)
{
    s->ops += count;
    if (s->ops > FOLD_OPS_MAX) return false;
    for (uint32_t i = 0; i < count; i++) {
        if (!op_fits(&ops[i])) return false;
    }
    return true;
}

static bool diverges(const sim_code_block *block)
{
    return block->end == SIM_END_BRANCH && !sim_register_uniform(block->condition);
}

static bool edge_fits(fold_search *s, uint32_t from, uint32_t edge, uint32_t join)
{
    const sim_edge *e = tier_edge_of(s->flat, from, edge);
    uint32_t target = tier_target(s->flat, from, e);
    if (e->takes_undefined || target <= from || target > join) return false;
    s->arrivals += target == join;
    return ops_fit(s, tier_function_of(s->flat, from)->ops + e->move_first, e->move_count);
}

static bool block_fits(fold_search *s, uint32_t block, uint32_t join);

/* Visits what is between an edge and the block where the sides meet. */
static bool side_fits(fold_search *s, uint32_t from, uint32_t edge, uint32_t join)
{
    uint32_t target = tier_target(s->flat, from, tier_edge_of(s->flat, from, edge));
    return target == join || (s->entries[target] == 1 && block_fits(s, target, join));
}

static bool sides_fit(fold_search *s, uint32_t from, uint32_t join)
{
    uint32_t low = tier_fold_first(s->flat, from);
    return edge_fits(s, from, 0, join) && edge_fits(s, from, 1, join) &&
           side_fits(s, from, low, join) && side_fits(s, from, 1 - low, join);
}

/* Visits a block and what is between it and the block where the sides meet. */
static bool block_fits(fold_search *s, uint32_t block, uint32_t join)
{
    const tier_block *b = &s->flat->blocks.items[block];
    if (block != ++s->last || b->block->takes_undefined || b->left != SIM_NONE) return false;
    if (!ops_fit(s, tier_function_of(s->flat, block)->ops + b->block->op_first, b->block->op_count))
        return false;
    if (b->block->end == SIM_END_JUMP)
        return edge_fits(s, block, 0, join) && side_fits(s, block, 0, join);
    if (!diverges(b->block)) return false;
    /* Its lanes meet inside the side, or where all lanes do. */
    if (b->join == SIM_NONE || b->join >= join) return sides_fit(s, block, join);
    uint32_t before = s->arrivals;
    s->arrivals = 0;
    bool is_whole = sides_fit(s, block, b->join) && s->arrivals == s->entries[b->join];
    s->arrivals = before;
    return is_whole && block_fits(s, b->join, join);
}

/* Finds where the sides of a branch meet; SIM_NONE if it is not folded. */
static uint32_t join_find(const tier_flat *flat, const uint32_t *entries, uint32_t block)
{
    if (!diverges(flat->blocks.items[block].block)) return SIM_NONE;
    for (uint32_t join = block + 1; join < flat->blocks.count; join++) {
        fold_search s = {.flat = flat, .entries = entries, .last = block};
        if (join > block + 1 + FOLD_BLOCKS_MAX) break;
        if (sides_fit(&s, block, join) && s.last + 1 == join) return join;
    }
    return SIM_NONE;
}

static uint32_t *entries_count(const tier_flat *flat)
{
    uint32_t *entries = rt_alloc_array(flat->blocks.count + 1, sizeof *entries);
    for (uint32_t b = 0; b < flat->blocks.count; b++) {
        const tier_block *from = &flat->blocks.items[b];
        for (uint32_t e = 0; e < from->block->edge_count; e++)
            entries[tier_target(flat, b, tier_edge_of(flat, b, e))]++;
        if (sim_end_falls_through((sim_end)from->block->end)) entries[b + 1]++;
    }
    return entries;
}

uint32_t tier_fold_first(const tier_flat *flat, uint32_t block)
{
    return tier_target(flat, block, tier_edge_of(flat, block, 0)) <
                   tier_target(flat, block, tier_edge_of(flat, block, 1))
               ? 0
               : 1;
}

void tier_fold_branches(tier_flat *flat)
{
    uint32_t *entries = entries_count(flat);
    /* Inner branches follow outer ones. */
    for (uint32_t b = flat->blocks.count; b-- > 0;) {
        uint32_t join = join_find(flat, entries, b);
        flat->blocks.items[b].join = join;
        for (uint32_t k = b + 1; join != SIM_NONE && k < join; k++) {
            tier_block *inside = &flat->blocks.items[k];
            inside->is_folded = true;
            if (diverges(inside->block) && inside->join == SIM_NONE) inside->join = join;
        }
    }
    rt_free(entries);
}
