/* Control flow inside functions: edges, dominators, loops, and the order of blocks.
 *
 * Kernels have no structured control flow to rely on, so loops are natural loops (back edges whose
 * target dominates their source); the blocks of an irreducible cycle belong to no loop.
 * Dominators: K. Cooper, T. Harvey, K. Kennedy, "A Simple, Fast Dominance Algorithm", 2001. */
#include "sim/module/reader.h"

#include <string.h>

enum { LOOP_DEPTH_MAX = 64 };

/* A list node for a block to which a loop exits. */
typedef struct loop_exit {
    uint32_t target;
    uint32_t next; /* in the pool, or SIM_NONE */
} loop_exit;

typedef RT_VECTOR(uint32_t) worklist;

/* One function's blocks during the pass.  Blocks are numbered here from the function's first block,
 * and these numbers index all arrays; a loop is identified by its header. */
typedef struct sim_flow {
    sim_reader *reader;
    sim_module *module;
    sim_function *function;
    sim_block *blocks; /* of this function */
    rt_arena scratch;
    uint32_t *order;
    uint32_t *seen;   /* per block: the last block found that has it as a successor, plus 1 */
    uint32_t *loop;   /* per block: its innermost loop, or SIM_NONE */
    uint32_t *around; /* per loop: the loop around it, or SIM_NONE */
    uint32_t *outer;  /* per loop: a loop around it, or itself (loop_outermost) */
    uint32_t *exits;  /* per loop: its first exit in the pool, or SIM_NONE */
    RT_VECTOR(loop_exit) pool;
} sim_flow;

/* ---- Edges --------------------------------------------------------------------------------- */

static rt_status add_successors(sim_flow *flow, uint32_t index)
{
    sim_module *module = flow->module;
    sim_block *block = &flow->blocks[index];
    CHECK(block->count >= 1);
    const sim_instruction *last = &module->instructions[block->first + block->count - 1];
    CHECK(sim_group_ends_block(last->opcode->group));
    uint32_t offset = (uint32_t)(last->words - module->words);
    /* Which operands are labels depends on the instruction. */
    uint32_t first = 0, end = last->operand_count, step = 1;
    if (last->opcode->group == SIM_GROUP_BRANCH_CONDITIONAL) {
        first = 1; /* after the condition; weights may follow the two labels */
        end = 3;
    } else if (last->opcode->group == SIM_GROUP_SWITCH) {
        uint32_t literal_words = 1; /* selector, label, pairs of literal and label */
        sim_view view = sim_reader_view(flow->reader, offset);
        RT_TRY(sim_reader_literal_words(flow->reader, &view, &literal_words));
        first = 1;
        step = literal_words + 1;
    } else if (last->opcode->group != SIM_GROUP_BRANCH) {
        end = 0;
    }
    CHECK(end <= last->operand_count);
    uint32_t *successors = rt_arena_alloc_array(&module->arena, end, sizeof *successors);
    block->successors = successors;
    block->loop = SIM_NONE;
    for (uint32_t i = first; i < end; i += step) {
        sim_id label = last->operands[i];
        const sim_id_entry *entry = sim_module_id(module, label);
        if (entry->kind != SIM_ID_LABEL || entry->owner != block->function) {
            return sim_reader_fail(flow->reader, RT_MALFORMED, offset,
                                   "id %u is not a block of this function", label);
        }
        uint32_t target = entry->index - flow->function->block_first;
        CHECK(target < flow->function->block_count);
        if (target == 0) {
            return sim_reader_fail(
                flow->reader, RT_MALFORMED, offset,
                "block %u is the first of its function and must not be the target of a branch",
                label);
        }
        if (flow->seen[target] == index + 1) continue;
        flow->seen[target] = index + 1;
        flow->blocks[target].predecessor_count++;
        successors[block->successor_count++] = entry->index;
    }
    return RT_STATUS_OK;
}

static void add_predecessors(sim_flow *flow)
{
    uint32_t count = flow->function->block_count;
    uint32_t **lists = rt_arena_alloc_array(&flow->scratch, count, sizeof *lists);
    for (uint32_t i = 0; i < count; i++) {
        sim_block *block = &flow->blocks[i];
        lists[i] =
            rt_arena_alloc_array(&flow->module->arena, block->predecessor_count, sizeof *lists[i]);
        block->predecessors = lists[i];
    }
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = 0; k < flow->blocks[i].successor_count; k++) {
            uint32_t target = flow->blocks[i].successors[k] - flow->function->block_first;
            *lists[target]++ = flow->function->block_first + i;
        }
    }
}

/* ---- Order --------------------------------------------------------------------------------- */

/* A block on the stack of the depth-first walk. */
typedef struct visit {
    uint32_t block;
    uint32_t exit;       /* next in the pool, or SIM_NONE */
    uint32_t successors; /* not yet visited, last first */
} visit;

static visit visit_of(const sim_flow *flow, uint32_t block)
{
    return (visit){block, flow->exits[block], flow->blocks[block].successor_count};
}

/* Numbers the reachable blocks in reverse post-order. */
static void put_in_order(sim_flow *flow)
{
    uint32_t count = flow->function->block_count, depth = 0, place = count;
    visit *way = rt_arena_alloc_array(&flow->scratch, count, sizeof *way);
    uint8_t *visited = rt_arena_alloc_array(&flow->scratch, count, 1);
    visited[0] = 1;
    way[depth++] = visit_of(flow, 0);
    while (depth > 0) {
        /* A loop header visits the targets of its loop's exits first, so that those blocks end up
         * after the whole loop.  The successors follow, the last one first, so that the first
         * successor ends up next to this block. */
        visit *top = &way[depth - 1];
        uint32_t next = SIM_NONE;
        if (top->exit != SIM_NONE) {
            next = flow->pool.items[top->exit].target;
            top->exit = flow->pool.items[top->exit].next;
        } else if (top->successors > 0) {
            next = flow->blocks[top->block].successors[--top->successors] -
                   flow->function->block_first;
        }
        if (next == SIM_NONE) { /* finished */
            flow->order[--place] = way[--depth].block;
        } else if (!visited[next]) {
            CHECK(depth < count);
            visited[next] = 1;
            way[depth++] = visit_of(flow, next);
        }
    }
    flow->function->order_count = count - place;
    for (uint32_t i = 0; i < count - place; i++) {
        flow->order[i] = flow->order[place + i];
        flow->blocks[flow->order[i]].order = i;
    }
    CHECK(flow->order[0] == 0);
}

/* ---- Dominators ---------------------------------------------------------------------------- */

/* The nearest common dominator of two blocks. */
static uint32_t common_dominator(const sim_flow *flow, uint32_t a, uint32_t b)
{
    const sim_block *blocks = flow->module->blocks;
    while (a != b) {
        while (blocks[a].order > blocks[b].order) {
            a = blocks[a].dominator;
        }
        while (blocks[b].order > blocks[a].order) {
            b = blocks[b].dominator;
        }
    }
    return a;
}

static void find_dominators(sim_flow *flow)
{
    const sim_block *blocks = flow->module->blocks;
    flow->blocks[0].dominator = flow->function->block_first;
    for (bool is_changing = true; is_changing;) {
        is_changing = false;
        for (uint32_t i = 1; i < flow->function->order_count; i++) {
            sim_block *block = &flow->blocks[flow->order[i]];
            uint32_t dominator = SIM_NONE;
            for (uint32_t k = 0; k < block->predecessor_count; k++) {
                uint32_t before = block->predecessors[k];
                if (blocks[before].dominator == SIM_NONE) continue;
                dominator =
                    dominator == SIM_NONE ? before : common_dominator(flow, dominator, before);
            }
            CHECK(dominator != SIM_NONE);
            is_changing |= block->dominator != dominator;
            block->dominator = dominator;
        }
    }
}

/* Numbers the dominator tree so that each subtree is a contiguous range. */
static void number_dominees(sim_flow *flow)
{
    uint32_t count = flow->function->order_count, base = flow->function->block_first;
    uint32_t *sizes =
        rt_arena_alloc_array(&flow->scratch, flow->function->block_count, sizeof *sizes);
    for (uint32_t i = count; i-- > 0;) {
        uint32_t block = flow->order[i];
        sizes[block]++;
        if (block != 0) sizes[flow->blocks[block].dominator - base] += sizes[block];
    }
    /* From here on, a block's `sizes` entry becomes the first free number in its subtree. */
    for (uint32_t i = 0; i < count; i++) {
        sim_block *block = &flow->blocks[flow->order[i]];
        uint32_t size = sizes[flow->order[i]];
        if (i > 0) {
            uint32_t *next = &sizes[block->dominator - base];
            block->dominees_first = *next;
            *next += size;
        }
        block->dominees_end = block->dominees_first + size;
        sizes[flow->order[i]] = block->dominees_first + 1;
    }
    CHECK(flow->blocks[0].dominees_end == count);
}

/* ---- Loops --------------------------------------------------------------------------------- */

/* The outermost loop found so far around a header's loop; compresses the path for later calls. */
static uint32_t loop_outermost(sim_flow *flow, uint32_t header)
{
    while (flow->outer[header] != header) {
        flow->outer[header] = flow->outer[flow->outer[header]];
        header = flow->outer[header];
    }
    return header;
}

static void push_predecessors(const sim_flow *flow, uint32_t block, worklist *work)
{
    const sim_block *row = &flow->blocks[block];
    for (uint32_t k = 0; k < row->predecessor_count; k++) {
        uint32_t predecessor = row->predecessors[k];
        if (flow->module->blocks[predecessor].order == SIM_NONE) continue;
        *rt_vector_push(work) = predecessor - flow->function->block_first;
    }
}

/* Finds every block's innermost loop: headers of inner loops follow those of outer loops in the
 * order, so a backward walk over the order finds inner loops first. */
static void find_loops(sim_flow *flow)
{
    worklist work = {0};
    for (uint32_t i = flow->function->order_count; i-- > 0;) {
        uint32_t header = flow->order[i];
        const sim_block *row = &flow->blocks[header];
        for (uint32_t k = 0; k < row->predecessor_count; k++) {
            const sim_block *end = &flow->module->blocks[row->predecessors[k]];
            if (end->order == SIM_NONE || !sim_block_dominates(row, end)) continue;
            *rt_vector_push(&work) = row->predecessors[k] - flow->function->block_first;
        }
        if (work.count == 0) continue;
        CHECK(flow->loop[header] == SIM_NONE);
        flow->loop[header] = flow->outer[header] = header;
        /* Walks back from the latches to the header and adds the blocks on the way; inner loops,
         * which were found before, are added whole. */
        while (work.count > 0) {
            uint32_t block = work.items[--work.count];
            if (flow->loop[block] == SIM_NONE) {
                flow->loop[block] = header;
                push_predecessors(flow, block, &work);
                continue;
            }
            uint32_t inner = loop_outermost(flow, flow->loop[block]);
            if (inner == header) continue;
            flow->outer[inner] = flow->around[inner] = header;
            push_predecessors(flow, inner, &work);
        }
    }
    rt_vector_free(&work);
}

/* Records the innermost loop of each block, and how deeply loops are nested there. */
static void settle_loops(sim_flow *flow)
{
    for (uint32_t i = 0; i < flow->function->order_count; i++) {
        uint32_t block = flow->order[i], loop = flow->loop[block];
        if (loop == SIM_NONE) continue;
        flow->blocks[block].loop = flow->function->block_first + loop;
        /* A header is one level deeper than the loop around the header's own loop; the header of
         * that outer loop precedes it in the order. */
        uint32_t around = loop == block ? flow->around[block] : loop;
        uint32_t depth = around == SIM_NONE ? 0 : flow->blocks[around].loop_depth;
        flow->blocks[block].loop_depth = depth + (loop == block);
    }
}

/* Records which loops each edge exits.  Loops deeper than LOOP_DEPTH_MAX are ignored: exits only
 * improve the order of blocks. */
static void find_exits(sim_flow *flow)
{
    for (uint32_t i = 0; i < flow->function->order_count; i++) {
        const sim_block *block = &flow->blocks[flow->order[i]];
        for (uint32_t k = 0; k < block->successor_count; k++) {
            uint32_t target = block->successors[k] - flow->function->block_first;
            uint32_t inside = flow->loop[target], loop = flow->loop[flow->order[i]];
            for (; loop != SIM_NONE; loop = flow->around[loop]) {
                uint32_t depth = flow->blocks[loop].loop_depth;
                if (depth > LOOP_DEPTH_MAX) continue;
                while (inside != SIM_NONE && flow->blocks[inside].loop_depth > depth)
                    inside = flow->around[inside];
                /* A target inside this loop is also inside all loops that enclose it. */
                if (inside == loop) break;
                *rt_vector_push(&flow->pool) = (loop_exit){target, flow->exits[loop]};
                flow->exits[loop] = flow->pool.count - 1;
            }
        }
    }
}

/* ---- The pass ------------------------------------------------------------------------------ */

static uint32_t *array_create_none(sim_flow *flow)
{
    uint32_t count = flow->function->block_count;
    uint32_t *array = rt_arena_alloc_array(&flow->scratch, count, sizeof *array);
    memset(array, 0xff, count * sizeof *array);
    _Static_assert(SIM_NONE == 0xffffffff, "all ones");
    return array;
}

static rt_status build_function(sim_flow *flow)
{
    sim_function *function = flow->function;
    uint32_t count = function->block_count;
    flow->blocks = flow->module->blocks + function->block_first;
    flow->order = rt_arena_alloc_array(&flow->scratch, count, sizeof *flow->order);
    flow->seen = rt_arena_alloc_array(&flow->scratch, count, sizeof *flow->seen);
    flow->loop = array_create_none(flow);
    flow->around = array_create_none(flow);
    flow->outer = array_create_none(flow);
    flow->exits = array_create_none(flow);
    for (uint32_t i = 0; i < count; i++)
        RT_TRY(add_successors(flow, i));
    add_predecessors(flow);
    /* The final order needs loops, loops need dominators, and dominators need an order, so the
     * blocks are ordered twice. */
    put_in_order(flow);
    find_dominators(flow);
    number_dominees(flow);
    find_loops(flow);
    settle_loops(flow);
    find_exits(flow);
    if (flow->pool.count > 0) put_in_order(flow);
    uint32_t *order =
        rt_arena_alloc_array(&flow->module->arena, function->order_count, sizeof *order);
    for (uint32_t i = 0; i < function->order_count; i++)
        order[i] = function->block_first + flow->order[i];
    function->order = order;
    return RT_STATUS_OK;
}

rt_status sim_build_flow(sim_reader *reader)
{
    rt_status status = RT_STATUS_OK;
    sim_flow flow = {.reader = reader, .module = reader->module};
    for (uint32_t i = 0; i < reader->module->function_count && rt_ok(status); i++) {
        flow.function = &reader->module->functions[i];
        if (flow.function->block_count == 0) continue;
        status = build_function(&flow);
        rt_arena_reset(&flow.scratch);
        flow.pool.count = 0;
    }
    rt_vector_free(&flow.pool);
    return status;
}
