/* The engine's loop: blocks, branches, calls and barriers of one wave.
 *
 * A fragment runs until another precedes it in order or is at the same place; in the latter case
 * the two are merged.
 *
 * Source: SPIR-V specification 1.6 sections 2.11 and 3.42.17; the order is that of fragment.h. */
#include "sim/exec/exec.h"

#include <string.h>

/* Number of back edges that one fragment may take before others run; otherwise spinning lanes would
 * wait forever for lanes that never get to run. */
#define BACK_EDGES_MAX 16384u

static sim_handle *handler_of(const sim_op *op)
{
    sim_handle *handle = SIM_ARITHMETIC(sim_lanes_table)[op->handler];
    if (!handle) handle = SIM_NAME(sim_memory_table)[op->handler];
    if (!handle) handle = SIM_ARITHMETIC(sim_rare_table)[op->handler];
    return handle ? handle : SIM_NAME(sim_atomic_table)[op->handler];
}

/* Executes operations of a wave that tracks undefined bits, each with its shadow. */
__attribute__((noinline)) static void run_tracking(sim_exec *x, const sim_op *op, const sim_op *end)
{
    for (; op < end; op++) {
        sim_shadow_step(x, op);
        handler_of(op)(x, op);
    }
}

static inline void run_ops(sim_exec *x, const sim_op *op, uint32_t count)
{
    const sim_op *end = op + count;
    x->plain_end = x->wave->tracks ? op : end;
    for (; op < x->plain_end; op++)
        handler_of(op)(x, op);
    if (op < end) run_tracking(x, op, end);
}

/* ---- The running fragment ------------------------------------------------------------------- */

static bool chunk_is_idle(const uint8_t *mask)
{
    uint64_t words[SIM_CHUNK / 8];
    memcpy(words, mask, sizeof words);
    return (words[0] | words[1]) == 0;
}

/* Makes the fragment's lanes the active ones. */
static void enter_mask(sim_exec *x, const sim_fragment *fragment)
{
    uint32_t low = 0, high = sim_chunks_up(x->wave->lane_count);
    CHECK(fragment->active > 0);
    while (chunk_is_idle(fragment->mask + low))
        low += SIM_CHUNK;
    while (chunk_is_idle(fragment->mask + high - SIM_CHUNK))
        high -= SIM_CHUNK;
    x->mask = fragment->mask;
    x->low = low;
    x->high = high;
    x->active = fragment->active;
    x->dense = fragment->active == high - low;
    x->partial = x->wave->ready.count + x->wave->waiting.count > 0;
}

/* ---- Edges ---------------------------------------------------------------------------------- */

/* Moves the fragment along the edge. */
static void follow(sim_exec *x, sim_fragment *fragment, const sim_edge *edge)
{
    if (SIM_CHECKED && edge->takes_undefined) sim_shadow_start(x);
    run_ops(x, x->frame->function->ops + edge->move_first, edge->move_count);
    fragment->block = edge->target;
    if (edge->is_back) x->back_edges++;
}

/* Removes the lanes of `removed` from the fragment. */
static void mask_remove(sim_fragment *fragment, const sim_fragment *removed)
{
    for (uint32_t i = 0; i < SIM_LANES; i++) {
        fragment->mask[i] = (uint8_t)(fragment->mask[i] & (removed->mask[i] ^ 1));
    }
    fragment->active -= removed->active;
}

/* Sends the lanes of `part`, which has just been split off from `fragment`, along the edge. */
static void send(sim_exec *x, sim_fragment *fragment, sim_fragment *part, const sim_edge *edge)
{
    mask_remove(fragment, part);
    enter_mask(x, part);
    x->partial = true;
    follow(x, part, edge);
    sim_wave_push(x->wave, part);
}

/* Counts the lanes of a mask. */
static uint32_t lanes_count(const uint8_t *mask)
{
    uint64_t sum = 0, words[SIM_LANES / 8];
    memcpy(words, mask, sizeof words);
    for (uint32_t i = 0; i < SIM_LANES / 8; i++)
        sum += words[i]; /* each byte is at most 32 */
    sum = (sum & UINT64_C(0x00ff00ff00ff00ff)) + (sum >> 8 & UINT64_C(0x00ff00ff00ff00ff));
    return (uint32_t)(sum * UINT64_C(0x0001000100010001) >> 48);
}

/* Takes a loop's back edge last: its moves may overwrite uniform values that are still to be read
 * by lanes on the other edge, which leaves the loop. */
static void branch_varying(sim_exec *x, sim_fragment *fragment, const uint8_t *condition,
                           const sim_edge *edges)
{
    uint8_t first = edges[0].is_back ? 0 : 1; /* the condition's value for the edge taken first */
    uint8_t taken[SIM_LANES];
    for (uint32_t i = 0; i < SIM_LANES; i++)
        taken[i] = (uint8_t)(fragment->mask[i] & (condition[i] == first));
    uint32_t count = lanes_count(taken);
    if (count == 0 || count == fragment->active) {
        bool is_whole = count != 0;
        follow(x, fragment, &edges[is_whole == first ? 0 : 1]);
        return;
    }
    sim_fragment *part = sim_wave_split(x->wave, fragment);
    memcpy(part->mask, taken, sizeof taken);
    part->active = count;
    send(x, fragment, part, &edges[1 - first]);
    enter_mask(x, fragment);
    x->partial = true;
    follow(x, fragment, &edges[first]);
}

/* Returns the edge for a value: the first one with that literal, otherwise the default. */
static uint32_t switch_edge(const sim_code_block *block, const sim_edge *edges, uint64_t value)
{
    uint64_t mask = UINT64_MAX >> (64 - 8 * block->condition_bytes);
    uint32_t e = 1;
    while (e < block->edge_count && (edges[e].literal & mask) != value)
        e++;
    return e < block->edge_count ? e : 0;
}

/* Determines the edge of each lane in the fragment's range. */
static void switch_edges(sim_exec *x, const sim_code_block *block, const sim_edge *edges,
                         uint32_t *out_chosen)
{
    uint32_t n = LANE_COUNT(x), bytes = block->condition_bytes;
    if (bytes != sizeof(uint32_t)) {
        for (uint32_t i = 0; i < n; i++) {
            uint64_t value = sim_lane_bits(x, block->condition, bytes, x->low + i);
            out_chosen[i] = switch_edge(block, edges, value);
        }
        return;
    }
    const uint32_t *value = (const uint32_t *)sim_at(x, block->condition) + x->low;
    FOR_LANES out_chosen[i] = 0;
    for (uint32_t e = block->edge_count; e-- > 1;) {
        uint32_t literal = (uint32_t)edges[e].literal;
        FOR_LANES out_chosen[i] = value[i] == literal ? e : out_chosen[i];
    }
}

/* Takes back edges last, as branch_varying does. Every lane takes one edge, so the fragment itself
 * is the last part. */
static void switch_varying(sim_exec *x, sim_fragment *fragment, const sim_code_block *block,
                           const sim_edge *edges)
{
    uint32_t chosen[SIM_LANES], low = x->low, n = LANE_COUNT(x);
    CHECK(block->edge_count >= 1);
    switch_edges(x, block, edges, chosen);
    for (uint32_t k = 0; k < 2 * block->edge_count; k++) {
        uint32_t e = k % block->edge_count, count = 0;
        if (edges[e].is_back != (k >= block->edge_count)) continue;
        const uint8_t *mask = fragment->mask + low;
        FOR_LANES count += mask[i] & (chosen[i] == e);
        if (count == 0) continue;
        if (count == fragment->active) {
            enter_mask(x, fragment);
            follow(x, fragment, &edges[e]);
            return;
        }
        sim_fragment *part = sim_wave_split(x->wave, fragment);
        uint8_t *part_mask = part->mask + low;
        FOR_LANES part_mask[i] = (uint8_t)(mask[i] & (chosen[i] == e));
        part->active = count;
        send(x, fragment, part, &edges[e]);
    }
    UNREACHABLE();
}

/* ---- Calls ---------------------------------------------------------------------------------- */

/* The registers of one activation, and their shadows if the wave tracks undefined bits. */
typedef struct registers {
    uint8_t *base[SIM_SPACE_COUNT], *undefined[SIM_SPACE_COUNT];
} registers;

static registers registers_of(sim_exec *x, const sim_frame *frame)
{
    registers result = {0};
    sim_frame_bases(x, frame, result.base);
    if (x->wave->tracks) sim_shadow_bases(x, frame, result.undefined);
    return result;
}

/* Copies the active lanes' values of a register, and their shadows if the wave tracks undefined
 * bits, to a register of another activation, for a parameter or a result. */
static void pass(const sim_exec *x, const registers *target, sim_register to,
                 const registers *source, sim_register from, uint32_t bytes)
{
    uint64_t step = sim_register_uniform(from) ? 0 : bytes;
    for (uint32_t shadow = 0; shadow <= x->wave->tracks; shadow++) {
        uint8_t *const *to_base = shadow ? target->undefined : target->base;
        uint8_t *const *from_base = shadow ? source->undefined : source->base;
        uint8_t *d = to_base[to >> SIM_REGISTER_SHIFT] + (to & SIM_REGISTER_MASK);
        const uint8_t *s = from_base[from >> SIM_REGISTER_SHIFT] + (from & SIM_REGISTER_MASK);
        if (sim_register_uniform(to)) {
            CHECK(sim_register_uniform(from));
            memcpy(d, s, bytes);
            continue;
        }
        for (uint32_t i = x->low; i < x->high; i++) {
            if (x->mask[i]) memcpy(d + i * bytes, s + i * step, bytes);
        }
        if (shadow) sim_shadow_mark(x, d, bytes);
    }
}

/* Makes the fragment enter the function and passes the arguments of the block's call. */
static void call(sim_exec *x, sim_fragment *fragment, const sim_code_block *block,
                 uint32_t function)
{
    const sim_code_function *caller = x->frame->function;
    const sim_call *callee_call = &caller->calls[block->extra];
    const sim_code_function *callee = &x->launch->program->functions[function];
    const sim_frame *before = fragment->frame;
    CHECK(callee_call->argument_count <= callee->parameter_count);
    if (!sim_wave_call(x->wave, fragment, callee, x->launch->pattern)) {
        sim_call_exhausted(x, block->site, function);
        return;
    }
    /* The stack may have moved, so addresses in the caller are recomputed. */
    sim_enter_frame(x, fragment);
    registers target = registers_of(x, fragment->frame), source = registers_of(x, before);
    for (uint32_t i = 0; i < callee_call->argument_count; i++) {
        sim_register from = caller->places[callee_call->argument_first + i];
        sim_leaf to = callee->parameters[i];
        if (to.place != SIM_REGISTER_NONE) pass(x, &target, to.place, &source, from, to.bytes);
    }
}

/* Makes all lanes of the fragment call one target. A call without a valid target is skipped: the
 * lanes continue after it, with results drawn from the seed. */
static void call_target(sim_exec *x, sim_fragment *fragment, const sim_code_block *block,
                        uint32_t function)
{
    if (function != SIM_NONE) {
        sim_target_judge(x, block->site, function, sim_first_lane(x), fragment->active);
        call(x, fragment, block, function);
        return;
    }
    const sim_code_function *caller = x->frame->function;
    const sim_call *pointer_call = &caller->calls[block->extra];
    const sim_signature *signature = &x->launch->program->signatures[pointer_call->function];
    for (uint32_t k = 0; k < pointer_call->result_count; k++) {
        sim_register to = caller->places[pointer_call->result_first + k];
        uint32_t bytes = signature->result_bytes[k];
        if (to == SIM_REGISTER_NONE) continue;
        for (uint32_t i = x->low; i < x->high; i++) {
            if (!x->mask[i]) continue;
            uint64_t value = sim_lane_choose(x, block->site + k, i);
            if (bytes == 1) value &= 1; /* a bool is 0 or 1 */
            memcpy((uint8_t *)sim_at(x, to) + i * bytes, &value, bytes);
        }
        if (x->wave->tracks) sim_shadow_clear(x, to, bytes);
    }
    fragment->block++;
}

/* Splits lanes that call different functions; the functions run in the order of their index in the
 * program. */
static void call_pointer(sim_exec *x, sim_fragment *fragment, const sim_code_block *block)
{
    uint32_t targets[SIM_LANES] = {0};
    uint32_t signature = x->frame->function->calls[block->extra].function;
    const uint64_t *address = sim_at(x, block->condition);
    uint32_t step = sim_register_uniform(block->condition) ? 0 : 1;
    /* Find the target of every active lane, and how many lanes share the first lane's target. Lanes
     * with the same wrong address share one finding. */
    uint32_t first = sim_first_lane(x), alike = 0, before = first;
    for (uint32_t i = first; i < x->high; i++) {
        if (!x->mask[i]) continue;
        bool known =
            i > first && address[i * step] == address[before * step] && targets[before] != SIM_NONE;
        targets[i] = known ? targets[before]
                           : sim_target_find(x, block->site, signature, address[i * step], i, 1);
        alike += targets[i] == targets[first];
        before = i;
    }
    CHECK(alike >= 1 && alike <= fragment->active);
    while (alike < fragment->active && !x->stop) {
        uint32_t target = targets[sim_first_lane(x)];
        sim_fragment *part = sim_wave_split(x->wave, fragment);
        for (uint32_t i = x->low; i < x->high; i++) {
            part->mask[i] = fragment->mask[i] & (targets[i] == target);
            part->active += part->mask[i];
        }
        mask_remove(fragment, part);
        enter_mask(x, part);
        x->partial = true;
        call_target(x, part, block, target);
        sim_wave_push(x->wave, part);
        sim_enter_frame(x, fragment);
        enter_mask(x, fragment);
        x->partial = true;
        uint32_t next = targets[sim_first_lane(x)];
        alike = 0;
        for (uint32_t i = x->low; i < x->high; i++)
            alike += x->mask[i] & (targets[i] == next);
    }
    if (!x->stop) call_target(x, fragment, block, targets[sim_first_lane(x)]);
}

/* Returns from the function; false if the lanes are done. */
static bool leave(sim_exec *x, sim_fragment *fragment, const sim_code_block *block)
{
    const sim_frame *frame = fragment->frame, *parent = frame->parent;
    if (!parent) return sim_wave_return(x->wave, fragment);
    const sim_code_function *callee = frame->function, *caller = parent->function;
    const sim_call *back = &caller->calls[caller->blocks[frame->call_block].extra];
    registers target = registers_of(x, parent), source = registers_of(x, frame);
    for (uint32_t i = 0; i < back->result_count; i++) {
        sim_register to = caller->places[back->result_first + i];
        if (to == SIM_REGISTER_NONE) continue;
        pass(x, &target, to, &source, callee->places[block->extra + i], callee->result_bytes[i]);
    }
    return sim_wave_return(x->wave, fragment);
}

/* ---- Blocks --------------------------------------------------------------------------------- */

/* Takes the block's cost from the budget; false if the budget is used up. */
static bool pay(sim_exec *x, const sim_code_block *block)
{
    uint64_t cost = (uint64_t)block->cost * x->active;
    if (cost <= x->launch->budget && block->cost <= x->launch->steps) {
        x->launch->budget -= cost;
        x->launch->steps -= block->cost;
        return true;
    }
    x->stop = true;
    x->launch->budget = 0;
    sim_note(x, block->site, SIM_FINDING_BUDGET, sim_first_lane(x), x->active,
             "the instruction budget ran out at a block reached");
    x->launch->status = rt_fail(x->launch->world->sink, RT_BUDGET, RT_RULE_NONE,
                                "kernel '%.*s' used up its instruction budget",
                                RT_TEXT_ARG(x->launch->kernel->name));
    return false;
}

/* Runs one block of the fragment. False if the caller no longer owns the fragment, because it waits
 * or its lanes are done. */
static bool run_block(sim_exec *x, sim_fragment *fragment)
{
    const sim_code_function *function = x->frame->function;
    const sim_code_block *block = &function->blocks[fragment->block];
    if (!pay(x, block)) return true;
    if (SIM_CHECKED && block->takes_undefined) sim_shadow_start(x);
    run_ops(x, function->ops + block->op_first, block->op_count);
    if (x->wave->tracks) sim_shadow_end(x, block);
    const sim_edge *edges = function->edges + block->edge_first;
    switch ((sim_end)block->end) {
    case SIM_END_JUMP: follow(x, fragment, edges); return true;
    case SIM_END_BRANCH: {
        const uint8_t *condition = sim_at(x, block->condition);
        if (sim_register_uniform(block->condition)) {
            follow(x, fragment, &edges[*condition ? 0 : 1]);
        } else {
            branch_varying(x, fragment, condition, edges);
        }
        return true;
    }
    case SIM_END_SWITCH:
        if (sim_register_uniform(block->condition)) {
            uint64_t value = sim_lane_bits(x, block->condition, block->condition_bytes, 0);
            follow(x, fragment, &edges[switch_edge(block, edges, value)]);
        } else {
            switch_varying(x, fragment, block, edges);
        }
        return true;
    case SIM_END_CALL:
        call(x, fragment, block, function->calls[block->extra].function);
        return true;
    case SIM_END_CALL_POINTER: call_pointer(x, fragment, block); return true;
    case SIM_END_RETURN: return leave(x, fragment, block);
    case SIM_END_BARRIER:
        fragment->block++;
        sim_wave_wait(x->wave, fragment);
        return false;
    case SIM_END_MEET:
        fragment->block++;
        if (x->wave->ready.count + x->wave->waiting.count == 0) return true; /* all have met */
        x->wave->is_meeting = true;
        sim_wave_wait(x->wave, fragment);
        return false;
    case SIM_END_NEXT: fragment->block++; return true;
    case SIM_END_UNREACHABLE:
        sim_note(x, block->site, SIM_FINDING_UNREACHABLE, sim_first_lane(x), x->active,
                 function->is_assertion ? "an assertion was violated"
                                        : "OpUnreachable was reached");
        sim_wave_drop(x->wave, fragment);
        return false;
    }
    UNREACHABLE();
}

/* ---- Waves ---------------------------------------------------------------------------------- */

/* Runs the fragment until it waits, ends or spins, or another one precedes it.  False if the wave
 * must pause. */
static bool run_fragment(sim_exec *x, sim_fragment *fragment)
{
    sim_wave *wave = x->wave;
    sim_enter_frame(x, fragment);
    enter_mask(x, fragment);
    x->back_edges = 0;
    for (;;) {
        if (!run_block(x, fragment)) return true;
        bool spins = x->back_edges >= BACK_EDGES_MAX;
        bool others = wave->ready.count > 0;
        if (x->stop || !sim_wave_is_first(wave, fragment) || spins) {
            if (spins && (others || wave->is_meeting)) sim_wave_rotate(wave, fragment);
            sim_wave_push(wave, fragment);
            return !(spins && !others && x->launch->wave_count > 1);
        }
        if (x->frame != fragment->frame) sim_enter_frame(x, fragment);
        if (x->mask != fragment->mask || x->active != fragment->active || others || x->partial) {
            enter_mask(x, fragment);
        }
    }
}

void SIM_NAME(sim_engine)(sim_exec *x, sim_wave *wave)
{
    x->wave = wave;
    CHECK(wave->state == SIM_WAVE_READY);
    CHECK_SLOW(sim_wave_check(wave));
    uint32_t round = wave->ready.count ? wave->ready.items[wave->ready.count - 1]->round : 0;
    while (!x->stop) {
        if (wave->is_meeting) sim_meet(x);
        sim_fragment *fragment = sim_wave_pop(wave);
        if (!fragment) {
            CHECK(!wave->is_meeting);
            wave->state = wave->waiting.count ? SIM_WAVE_AT_BARRIER : SIM_WAVE_DONE;
            CHECK_SLOW(sim_wave_check(wave));
            return;
        }
        if (fragment->round > round && x->launch->wave_count > 1) {
            /* All fragments that can run have spun: they may be waiting for something that other
             * waves have yet to do. */
            sim_wave_push(wave, fragment);
            return;
        }
        if (!run_fragment(x, fragment)) return;
    }
}
