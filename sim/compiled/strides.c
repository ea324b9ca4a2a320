/* How far apart the places of adjacent lanes probably are. This decides which ways of an access are
 * emitted as code, and nothing else: an access is right whatever is guessed here.
 *
 * Registers of activations have one guess, joined from all writers; temporaries have one from each
 * write to the next. */
#include "sim/compiled/emit.h"

#include "reference/base/alloc.h"

#include <string.h>

/* Not yet written; otherwise a distance, TIER_STRIDE_MIXED or TIER_STRIDE_UNKNOWN. */
#define NOT_WRITTEN  (TIER_STRIDE_UNKNOWN + 2)
#define STRIDE_LIMIT (1 << 20)

typedef struct guess {
    uint64_t key; /* instance and register; 0: free */
    int32_t stride;
} guess;

typedef struct strides {
    const tier_flat *flat;
    guess *guesses; /* a hash table */
    uint32_t count, room;
    uint32_t instance;
    bool changes;
} strides;

static guess *slot_of(const strides *s, uint64_t key)
{
    uint32_t at = (uint32_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (s->room - 1);
    while (s->guesses[at].key != 0 && s->guesses[at].key != key)
        at = (at + 1) & (s->room - 1);
    return &s->guesses[at];
}

static int32_t *stride_at(strides *s, uint32_t instance, sim_register place)
{
    if (2 * s->count >= s->room) {
        strides old = *s;
        s->room = old.room ? 2 * old.room : 256;
        s->guesses = rt_alloc_array(s->room, sizeof *s->guesses);
        for (uint32_t i = 0; i < old.room; i++) {
            if (old.guesses[i].key) *slot_of(s, old.guesses[i].key) = old.guesses[i];
        }
        rt_free(old.guesses);
    }
    uint64_t key = ((uint64_t)instance + 1) << 32 | place;
    guess *found = slot_of(s, key);
    if (!found->key) {
        *found = (guess){key, NOT_WRITTEN};
        s->count++;
    }
    return &found->stride;
}

static bool is_temporary(sim_register place)
{
    return place >> SIM_REGISTER_SHIFT == SIM_SPACE_WAVE;
}

static int32_t row_stride(uint32_t row)
{
    switch (row) {
    case SIM_ROW_GLOBAL_ID:
    case SIM_ROW_LOCAL_ID:
    case SIM_ROW_GLOBAL_LINEAR:
    case SIM_ROW_LOCAL_LINEAR:
    case SIM_ROW_SUBGROUP_ITEM: return 1;
    default: return 0; /* the other dimensions' ids usually differ between chunks only */
    }
}

static int32_t stride_read(strides *s, uint32_t instance, sim_register place)
{
    uint32_t offset = place & SIM_REGISTER_MASK;
    if (place == SIM_REGISTER_NONE || sim_register_uniform(place)) return 0;
    if (is_temporary(place) && offset < SIM_WAVE_ROWS * SIM_ROW_BYTES(8))
        return row_stride(offset / SIM_ROW_BYTES(8));
    return *stride_at(s, instance, place);
}

/* A place where paths meet: of several guesses, one that differs between lanes. */
static int32_t joined(int32_t a, int32_t b)
{
    if (a == NOT_WRITTEN || a == b) return b;
    if (b == NOT_WRITTEN) return a;
    if (a == 0) return b;
    return b == 0 ? a : TIER_STRIDE_UNKNOWN;
}

static void stride_write(strides *s, uint32_t instance, sim_register place, int32_t stride)
{
    if (place == SIM_REGISTER_NONE || sim_register_uniform(place)) return;
    int32_t *known = stride_at(s, instance, place);
    int32_t now = is_temporary(place) ? stride : joined(*known, stride);
    if (!is_temporary(place) && now != *known) s->changes = true;
    *known = now;
}

static int32_t scaled(const strides *s, int32_t stride, sim_register factor, bool shifts)
{
    const sim_program *program = s->flat->program;
    uint32_t slot = (factor & SIM_REGISTER_MASK) / 8;
    if (stride == 0) return 0;
    if (factor >> SIM_REGISTER_SHIFT != SIM_SPACE_POOL || !tier_slot_is_constant(program, slot))
        return TIER_STRIDE_UNKNOWN;
    uint64_t value = program->pool_slots[slot] & UINT32_MAX;
    if (shifts) value = value < 20 ? UINT64_C(1) << value : STRIDE_LIMIT;
    int64_t product = value < STRIDE_LIMIT ? stride * (int64_t)value : STRIDE_LIMIT;
    bool is_small = product > -STRIDE_LIMIT && product < STRIDE_LIMIT;
    return is_small ? (int32_t)product : TIER_STRIDE_UNKNOWN;
}

static bool named(const tier_handler *h, const char *name)
{
    return strncmp(h->name, name, strlen(name)) == 0;
}

/* The stride of an arithmetic operation's result. */
static int32_t computed(const strides *s, const sim_op *op, const tier_handler *h, int32_t a,
                        int32_t b, int32_t c)
{
    if (a == NOT_WRITTEN || b == NOT_WRITTEN || c == NOT_WRITTEN) return NOT_WRITTEN;
    if (a == 0 && b == 0 && c == 0) return 0;
    if (named(h, "SELECT") || named(h, "PICK"))
        return b == 0 && c == 0 ? TIER_STRIDE_UNKNOWN : joined(b, c);
    if (a == TIER_STRIDE_MIXED || b == TIER_STRIDE_MIXED) return TIER_STRIDE_MIXED;
    if (a == TIER_STRIDE_UNKNOWN || b == TIER_STRIDE_UNKNOWN) return TIER_STRIDE_UNKNOWN;
    if (named(h, "MOVE") || named(h, "ZEXT") || named(h, "SEXT") || named(h, "CUT") ||
        named(h, "INDEX") || named(h, "HOLDS"))
        return a;
    if (named(h, "ADD")) return a + b;
    if (named(h, "SUB")) return a - b;
    if (named(h, "MUL")) return a ? scaled(s, a, op->b, false) : scaled(s, b, op->a, false);
    if (named(h, "SHL")) return b ? TIER_STRIDE_UNKNOWN : scaled(s, a, op->b, true);
    /* Limits, and columns of a table, by operations that most chunks do not notice. */
    if (named(h, "SMIN") || named(h, "SMAX") || named(h, "UMIN") || named(h, "UMAX") ||
        named(h, "AND") || named(h, "OR"))
        return joined(a, b);
    if (named(h, "UREM") || named(h, "SREM") || named(h, "SMOD"))
        return b == 0 ? a : TIER_STRIDE_UNKNOWN;
    if (named(h, "UDIV") || named(h, "SDIV") || named(h, "SHR")) return b ? TIER_STRIDE_UNKNOWN : 0;
    return TIER_STRIDE_UNKNOWN;
}

/* Takes note of what an operation writes; returns the stride of the place that it accesses, in
 * bytes. */
static int32_t op_follow(strides *s, const sim_code_function *function, const sim_op *op)
{
    const tier_handler *h = tier_handler_at(op->handler);
    bool is_load = h->shape == TIER_LOAD;
    if (!is_load && h->shape != TIER_STORE) {
        /* An operand that the operation does not have counts as uniform. */
        int32_t a = stride_read(s, s->instance, op->a), b = stride_read(s, s->instance, op->b);
        int32_t c = stride_read(s, s->instance, op->c);
        stride_write(s, s->instance, op->target, computed(s, op, h, a, b, c));
        return 0;
    }
    bool is_each = h->form == SIM_MEMORY_EACH;
    bool is_uniform = h->form == SIM_MEMORY_ONE || h->form == SIM_MEMORY_SAME;
    int32_t stride = is_uniform ? 0 : stride_read(s, s->instance, is_each ? op->a : op->b);
    bool is_mixed = stride == TIER_STRIDE_MIXED;
    bool is_known = stride != NOT_WRITTEN && stride != TIER_STRIDE_UNKNOWN;
    int32_t loaded = stride == 0 || stride == NOT_WRITTEN ? stride : TIER_STRIDE_MIXED;
    for (uint32_t k = 0; is_load && k < op->count; k++)
        stride_write(s, s->instance, function->places[op->extra + k], loaded);
    if (!is_known || is_mixed) return is_mixed ? TIER_STRIDE_MIXED : TIER_STRIDE_UNKNOWN;
    int64_t bytes = is_each ? stride : stride * (int64_t)op->stride;
    return bytes > -STRIDE_LIMIT && bytes < STRIDE_LIMIT ? (int32_t)bytes : TIER_STRIDE_UNKNOWN;
}

static void passed(strides *s, uint32_t to, sim_register to_place, uint32_t from,
                   sim_register from_place)
{
    stride_write(s, to, to_place, stride_read(s, from, from_place));
}

/* Values that calls hand over. */
static void end_follow(strides *s, const tier_block *block)
{
    const tier_instance *in = &s->flat->instances.items[block->instance];
    if (block->block->end == SIM_END_CALL) {
        const tier_instance *callee = &s->flat->instances.items[block->callee];
        for (uint32_t i = 0; i < callee->call->argument_count; i++)
            passed(s, block->callee, callee->function->parameters[i].place, block->instance,
                   in->function->places[callee->call->argument_first + i]);
    }
    if (block->block->end == SIM_END_RETURN && in->caller != SIM_NONE) {
        const tier_instance *caller = &s->flat->instances.items[in->caller];
        for (uint32_t i = 0; i < in->call->result_count; i++)
            passed(s, in->caller, caller->function->places[in->call->result_first + i],
                   block->instance, in->function->places[block->block->extra + i]);
    }
}

static void block_follow(strides *s, const tier_block *block, int32_t *out)
{
    const sim_code_function *function = s->flat->instances.items[block->instance].function;
    s->instance = block->instance;
    for (uint32_t i = 0; i < block->block->op_count; i++)
        out[i] = op_follow(s, function, &function->ops[block->block->op_first + i]);
    for (uint32_t k = 0; k < block->block->edge_count; k++) {
        const sim_edge *edge = &function->edges[block->block->edge_first + k];
        for (uint32_t i = 0; i < edge->move_count; i++)
            (void)op_follow(s, function, &function->ops[edge->move_first + i]);
    }
    end_follow(s, block);
}

/* Guesses change at most twice each, so the blocks are followed a few times. */
int32_t *tier_strides_find(const tier_flat *flat, uint32_t **out_first)
{
    strides s = {.flat = flat};
    uint32_t count = flat->blocks.count, total = 0;
    uint32_t *first = rt_alloc_array(count, sizeof *first);
    for (uint32_t b = 0; b < count; b++) {
        first[b] = total;
        total += flat->blocks.items[b].block->op_count;
    }
    int32_t *found = rt_alloc_array(total + 1, sizeof *found);
    do {
        s.changes = false;
        for (uint32_t b = 0; b < count; b++)
            block_follow(&s, &flat->blocks.items[b], found + first[b]);
    } while (s.changes);
    rt_free(s.guesses);
    *out_first = first;
    return found;
}
