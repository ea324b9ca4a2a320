/* Lays out blocks in the order in which the engine should run them.
 *
 * The engine always runs the fragment with the lowest block number. Lanes that have diverged
 * reconverge as early as possible if that order has two properties: a block precedes its
 * successors, and a loop's blocks are contiguous, so lanes that have left a loop wait after it for
 * the others. A topological order that finishes an entered loop before anything else has both.
 *
 * Every loop gets exactly one back edge, from its last block; if the module has several, or has it
 * elsewhere, a latch is added. All lanes in a loop are therefore in the same iteration, which is
 * what allows uniform values to be stored only once (uniform.c). */
#include "sim/decode/decode.h"
#include "sim/module/collective.h"

typedef struct layout {
    sim_decoder *d;
    sim_ir_function *f;
    uint32_t count;    /* number of the function's blocks in the module */
    uint32_t *loop;    /* innermost loop of each block, by the block's number in the function */
    uint32_t *waiting; /* forward edges into each block whose sources are not laid out yet */
    uint32_t *left;    /* blocks of each loop, including inner loops, that are not laid out yet */
    bool *ready;
    uint32_t *order; /* block numbers in layout order */
    uint32_t order_count;
} layout;

static const sim_block *block_at(const layout *l, uint32_t number)
{
    CHECK(number < l->count);
    return &l->f->module->blocks[l->f->function->block_first + number];
}

static bool reachable(const layout *l, uint32_t number)
{
    return block_at(l, number)->order != SIM_NONE;
}

/* Converts a block's index in the module to its number in the function. */
static uint32_t number_of(const layout *l, uint32_t block)
{
    CHECK(block >= l->f->function->block_first);
    return block - l->f->function->block_first;
}

static bool dominates(const layout *l, uint32_t a, uint32_t b)
{
    while (block_at(l, b)->order > block_at(l, a)->order) {
        b = number_of(l, block_at(l, b)->dominator);
    }
    return a == b;
}

static bool retreats(const layout *l, uint32_t from, uint32_t to)
{
    return block_at(l, to)->order <= block_at(l, from)->order;
}

bool sim_loop_encloses(const sim_ir_function *f, uint32_t outer, uint32_t inner)
{
    CHECK(outer < f->loops.count);
    while (inner != SIM_NONE && inner != outer)
        inner = f->loops.items[inner].parent;
    return inner == outer;
}

/* Adds to the loop the latch and all blocks on paths from the header to it. */
static void loop_fill(layout *l, uint32_t loop, uint32_t latch)
{
    sim_ir_function *f = l->f;
    uint32_t header = f->loops.items[loop].header;
    RT_VECTOR(uint32_t) work = {0};
    *rt_vector_push(&work) = latch;
    while (work.count > 0) {
        uint32_t number = work.items[--work.count];
        /* Loops are found from the inside out, so the outermost loop found so far for a block is
         * nested in this loop. */
        uint32_t outer = l->loop[number];
        while (outer != SIM_NONE && outer != loop && f->loops.items[outer].parent != SIM_NONE) {
            outer = f->loops.items[outer].parent;
        }
        if (outer == loop) continue;
        if (outer == SIM_NONE) {
            l->loop[number] = loop;
        } else {
            f->loops.items[outer].parent = loop;
            number = f->loops.items[outer].header;
        }
        if (number == header) continue;
        const sim_block *block = block_at(l, number);
        for (uint32_t i = 0; i < block->predecessor_count; i++) {
            uint32_t before = number_of(l, block->predecessors[i]);
            if (reachable(l, before)) *rt_vector_push(&work) = before;
        }
    }
    rt_vector_free(&work);
}

/* Finds the loops, inner loops first, or discovers that the control flow is irreducible. */
static void find_loops(layout *l)
{
    sim_ir_function *f = l->f;
    for (uint32_t i = f->function->order_count; i-- > 0;) {
        uint32_t header = number_of(l, f->function->order[i]);
        const sim_block *block = block_at(l, header);
        uint32_t loop = SIM_NONE;
        for (uint32_t p = 0; p < block->predecessor_count; p++) {
            uint32_t before = number_of(l, block->predecessors[p]);
            if (!reachable(l, before) || !retreats(l, before, header)) continue;
            if (!dominates(l, header, before)) {
                f->is_irreducible = true;
                continue;
            }
            if (loop == SIM_NONE) {
                loop = f->loops.count;
                *rt_vector_push(&f->loops) =
                    (sim_ir_loop){.header = header, .latch = SIM_NONE, .parent = SIM_NONE};
                if (l->loop[header] == SIM_NONE) l->loop[header] = loop;
            }
            loop_fill(l, loop, before);
        }
    }
}

/* Unreachable blocks are in no loop. */
static void loops_count(layout *l)
{
    for (uint32_t number = 0; number < l->count; number++) {
        for (uint32_t loop = l->loop[number]; loop != SIM_NONE;
             loop = l->f->loops.items[loop].parent) {
            l->left[loop]++;
        }
    }
}

/* Chooses the ready block to lay out next: the first in reverse post-order inside `open`, a loop
 * that has been entered but not finished (SIM_NONE: anywhere). */
static uint32_t choose(const layout *l, uint32_t open)
{
    uint32_t best = SIM_NONE;
    for (uint32_t i = 0; i < l->f->function->order_count; i++) {
        uint32_t number = number_of(l, l->f->function->order[i]);
        if (!l->ready[number]) continue;
        if (open == SIM_NONE || sim_loop_encloses(l->f, open, l->loop[number])) return number;
        if (best == SIM_NONE) best = number;
    }
    return best;
}

static void order_blocks(layout *l)
{
    const sim_ir_loop *loops = l->f->loops.items;
    for (uint32_t number = 0; number < l->count; number++) {
        const sim_block *block = block_at(l, number);
        if (!reachable(l, number)) continue;
        for (uint32_t i = 0; i < block->successor_count; i++) {
            uint32_t next = number_of(l, block->successors[i]);
            if (!retreats(l, number, next)) l->waiting[next]++;
        }
    }
    l->ready[0] = true;
    uint32_t open = SIM_NONE;
    while (l->order_count < l->f->function->order_count) {
        uint32_t number = choose(l, open);
        CHECK(number != SIM_NONE && l->ready[number]);
        l->ready[number] = false;
        l->order[l->order_count++] = number;
        const sim_block *block = block_at(l, number);
        for (uint32_t i = 0; i < block->successor_count; i++) {
            uint32_t next = number_of(l, block->successors[i]);
            if (retreats(l, number, next)) continue;
            CHECK(l->waiting[next] > 0);
            if (--l->waiting[next] == 0) l->ready[next] = true;
        }
        for (uint32_t loop = l->loop[number]; loop != SIM_NONE; loop = loops[loop].parent) {
            CHECK(l->left[loop] > 0);
            l->left[loop]--;
        }
        open = l->loop[number];
        while (open != SIM_NONE && l->left[open] == 0)
            open = loops[open].parent;
    }
}

/* Returns the number of engine blocks that end because of an instruction; the rest of the module's
 * block goes into the blocks after them. */
static uint32_t splits(const sim_module *module, const sim_instruction *instruction)
{
    if (sim_collective_meets(module, instruction)) return 2; /* the operation has its own block */
    switch ((sim_group)instruction->opcode->group) {
    case SIM_GROUP_CALL:
    case SIM_GROUP_CALL_POINTER:
    case SIM_GROUP_WAIT_EVENTS: return 1;
    case SIM_GROUP_CONTROL_BARRIER:
        return sim_scope_constant(module, instruction->operands[0]) == SIM_ScopeWorkgroup;
    default: return sim_collective_waits(module, instruction);
    }
}

static void block_add(layout *l, uint32_t module_block, bool is_first, uint32_t loop)
{
    *rt_vector_push(&l->f->blocks) = (sim_ir_block){.module_block = module_block,
                                                    .is_first = is_first,
                                                    .loop = loop,
                                                    .condition = SIM_REF_NONE,
                                                    .result_node = SIM_NONE};
}

/* Adds a latch after the last block of every loop that ends here, unless the loop's only back edge
 * leaves that block. */
static void latches_add(layout *l, uint32_t number)
{
    sim_ir_function *f = l->f;
    for (uint32_t loop = l->loop[number]; loop != SIM_NONE; loop = f->loops.items[loop].parent) {
        CHECK(l->left[loop] > 0);
        if (--l->left[loop] > 0) continue;
        uint32_t header = f->loops.items[loop].header, from = SIM_NONE, count = 0;
        const sim_block *block = block_at(l, header);
        for (uint32_t p = 0; p < block->predecessor_count; p++) {
            uint32_t before = number_of(l, block->predecessors[p]);
            if (!reachable(l, before) || !retreats(l, before, header)) continue;
            count++;
            from = before;
        }
        f->loops.items[loop].latch = f->blocks.count;
        if (count == 1 && from == number && l->loop[number] == loop) {
            f->loops.items[loop].latch--;
            CHECK(f->blocks.items[f->blocks.count - 1].module_block != SIM_NONE);
        } else {
            block_add(l, SIM_NONE, true, loop);
        }
    }
}

static void blocks_add(layout *l)
{
    sim_ir_function *f = l->f;
    for (uint32_t i = 0; i < f->loops.count; i++)
        CHECK(l->left[i] == 0);
    loops_count(l);
    for (uint32_t i = 0; i < l->order_count; i++) {
        uint32_t number = l->order[i];
        const sim_block *block = block_at(l, number);
        f->block_of[number] = f->blocks.count;
        block_add(l, f->function->block_first + number, true, l->loop[number]);
        for (uint32_t k = 0; k < block->count; k++) {
            uint32_t more = splits(f->module, &f->module->instructions[block->first + k]);
            for (uint32_t m = 0; m < more; m++)
                block_add(l, f->function->block_first + number, false, l->loop[number]);
        }
        f->last_of[number] = f->blocks.count - 1;
        latches_add(l, number);
    }
}

static void edge_add(layout *l, uint32_t from, uint32_t number, uint64_t literal)
{
    sim_ir_function *f = l->f;
    uint32_t target = f->block_of[number];
    uint32_t source = f->blocks.items[from].module_block;
    CHECK(target != SIM_NONE);
    bool is_back = target <= from;
    for (uint32_t i = 0; i < f->loops.count && is_back; i++) {
        const sim_ir_loop *loop = &f->loops.items[i];
        if (loop->header != number || loop->latch == from) continue;
        target = loop->latch; /* which has the loop's back edge, and may itself be behind `from` */
        is_back = target <= from;
        break;
    }
    f->blocks.items[from].edge_count++;
    *rt_vector_push(&f->edges) = (sim_ir_edge){
        .from = from, .target = target, .source = source, .is_back = is_back, .literal = literal};
}

/* Adds the edges of latches, and those of the module's blocks, which leave the last of their engine
 * blocks. */
static void connect(layout *l)
{
    sim_ir_function *f = l->f;
#define TARGET(place) number_of(l, sim_module_id(f->module, end->operands[place])->index)
    for (uint32_t i = 0; i < f->blocks.count; i++) {
        sim_ir_block *block = &f->blocks.items[i];
        block->edge_first = f->edges.count;
        if (block->module_block == SIM_NONE) {
            block->edge_count = 1;
            uint32_t header = f->block_of[f->loops.items[block->loop].header];
            *rt_vector_push(&f->edges) =
                (sim_ir_edge){.from = i, .target = header, .source = SIM_NONE, .is_back = true};
            continue;
        }
        if (f->last_of[number_of(l, block->module_block)] != i) continue;
        const sim_block *whole = &f->module->blocks[block->module_block];
        const sim_instruction *end = &f->module->instructions[whole->first + whole->count - 1];
        if (end->opcode->group == SIM_GROUP_BRANCH) {
            edge_add(l, i, TARGET(0), 0);
        } else if (end->opcode->group == SIM_GROUP_BRANCH_CONDITIONAL) {
            edge_add(l, i, TARGET(1), 0);
            edge_add(l, i, TARGET(2), 0);
        } else if (end->opcode->group == SIM_GROUP_SWITCH) {
            uint32_t words = sim_module_id(f->module, end->operands[0])->type->bits > 32 ? 2 : 1;
            edge_add(l, i, TARGET(1), 0);
            for (uint32_t k = 2; k + words < end->operand_count; k += words + 1) {
                uint64_t high = words == 2 ? end->operands[k + 1] : 0;
                edge_add(l, i, TARGET(k + words), high << 32 | end->operands[k]);
            }
        }
    }
#undef TARGET
}

void sim_decode_flow(sim_decoder *d, sim_ir_function *f)
{
    uint32_t count = f->function->block_count;
    CHECK(count > 0);
    layout l = {.d = d, .f = f, .count = count};
    l.loop = rt_arena_alloc_array(&d->arena, count, sizeof *l.loop);
    l.waiting = rt_arena_alloc_array(&d->arena, count, sizeof *l.waiting);
    l.ready = rt_arena_alloc_array(&d->arena, count, sizeof *l.ready);
    l.order = rt_arena_alloc_array(&d->arena, count, sizeof *l.order);
    f->block_of = rt_arena_alloc_array(&d->arena, count, sizeof *f->block_of);
    f->last_of = rt_arena_alloc_array(&d->arena, count, sizeof *f->last_of);
    for (uint32_t i = 0; i < count; i++) {
        l.loop[i] = f->block_of[i] = f->last_of[i] = SIM_NONE;
    }
    find_loops(&l);
    l.left = rt_arena_alloc_array(&d->arena, f->loops.count, sizeof *l.left);
    loops_count(&l);
    order_blocks(&l);
    blocks_add(&l);
    connect(&l);
    /* So far, `header` has been the number of a block of the module's function. */
    for (uint32_t i = 0; i < f->loops.count; i++) {
        f->loops.items[i].header = f->block_of[f->loops.items[i].header];
    }
    CHECK(f->block_of[0] == 0);
}
