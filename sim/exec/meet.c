/* Where the work-items of a sub-group wait for each other: its barriers and its collectives.
 *
 * A collective has its own block, after a block that ends in SIM_END_MEET.  Fragments that reach it
 * wait until no work-item of their sub-group can run; then the fragments at the first place in
 * order continue together.  So lanes can meet that are in different activations of the same code,
 * as lanes that have spun or that run in their own unit always are.  The collective checks whether
 * any work-item is missing.
 *
 * Each iteration of a loop is a separate meeting.  Blocks are ordered such that only the edge back
 * to a loop's header leads backwards, so lanes of the same activations that have passed a
 * collective that not all need to reach can reach it again only in another iteration, and are not
 * waited for.  Lanes that have spun have their own activations and may be iterations behind.  They
 * are waited for, so a collective that is skipped in some iterations could merge two iterations
 * into one meeting.
 *
 * Source: SPIR-V specification 1.6 sections 2.2.5 "Control Flow" (dynamic instance) and 2.18
 * (scope); OpenCL C 3.0 section 6.15.19. */
#include "sim/exec/exec.h"

#include <string.h>

#define SUBGROUPS_MAX (SIM_LANES / 8)

/* Rounds for which a sub-group's waiting work-items wait for one that spins, unless all must reach
 * the meeting: what it spins on may be done by the waiting ones. */
#define PATIENCE_ROUNDS 64u

typedef struct meeting {
    sim_exec *x;
    uint32_t size, count;     /* work-items of a sub-group; sub-groups of the wave */
    bool runs[SUBGROUPS_MAX]; /* one of its work-items can run */
    const sim_fragment *first[SUBGROUPS_MAX]; /* where it meets next; NULL: no meeting */
} meeting;

static const sim_code_block *block_before(const sim_fragment *fragment)
{
    CHECK(fragment->block > 0);
    return &fragment->frame->function->blocks[fragment->block - 1];
}

static bool is_at_meeting(const sim_fragment *fragment)
{
    return block_before(fragment)->end == SIM_END_MEET;
}

/* True if the specification requires that all work-items of the sub-group arrive: then those that
 * can run are waited for as long as it takes. */
static bool needs_all(const sim_fragment *at)
{
    const sim_code_function *function = at->frame->function;
    return function->ops[function->blocks[at->block].op_first].count != 0;
}

static const sim_frame *outermost(const sim_fragment *fragment)
{
    const sim_frame *frame = fragment->frame;
    while (frame->parent)
        frame = frame->parent;
    return frame;
}

/* True if the lanes of a fragment that can run may still arrive in this iteration of all loops. */
static bool can_come(const sim_fragment *fragment, const sim_fragment *at)
{
    if (fragment->round >= at->round + PATIENCE_ROUNDS) return false;
    return sim_place_compare(fragment, at) <= 0 || outermost(fragment) != outermost(at);
}

static bool has_lane(const meeting *m, const sim_fragment *fragment, uint32_t subgroup)
{
    return memchr(fragment->mask + subgroup * m->size, 1, m->size) != NULL;
}

/* Finds out where each sub-group meets next, and which sub-groups still have lanes to wait for. */
static void meeting_open(meeting *m, sim_exec *x)
{
    sim_wave *wave = x->wave;
    *m = (meeting){.x = x, .size = x->launch->kernel->subgroup_size};
    m->count = (wave->lane_count + m->size - 1) / m->size;
    for (uint32_t i = 0; i < wave->waiting.count; i++) {
        const sim_fragment *fragment = wave->waiting.items[i];
        if (!is_at_meeting(fragment)) continue;
        for (uint32_t s = 0; s < m->count; s++) {
            if (!has_lane(m, fragment, s)) continue;
            if (m->first[s] && sim_place_compare(m->first[s], fragment) <= 0) continue;
            m->first[s] = fragment;
        }
    }
    for (uint32_t i = 0; i < wave->ready.count; i++) {
        const sim_fragment *fragment = wave->ready.items[i];
        for (uint32_t s = 0; s < m->count; s++) {
            if (!m->first[s] || !has_lane(m, fragment, s)) continue;
            if (can_come(fragment, m->first[s]) || needs_all(m->first[s])) m->runs[s] = true;
        }
    }
}

/* Takes the lanes of the sub-groups that meet at the place of `at` out of a waiting fragment; NULL
 * if there are none.  *out_all: the whole fragment was taken. */
static sim_fragment *lanes_take(const meeting *m, const sim_fragment *at, uint32_t index,
                                bool *out_all)
{
    sim_wave *wave = m->x->wave;
    sim_fragment *from = wave->waiting.items[index];
    *out_all = false;
    if (!is_at_meeting(from) || !sim_place_same(from, at)) return NULL;
    sim_fragment *part = sim_wave_split(wave, from);
    for (uint32_t s = 0; s < m->count; s++) {
        bool meets_here = m->first[s] && !m->runs[s] && sim_place_same(m->first[s], at);
        if (meets_here) memcpy(part->mask + s * m->size, from->mask + s * m->size, m->size);
    }
    for (uint32_t i = 0; i < SIM_LANES; i++)
        part->active += part->mask[i];
    if (part->active > 0 && part->active < from->active) {
        for (uint32_t i = 0; i < SIM_LANES; i++)
            from->mask[i] = (uint8_t)(from->mask[i] & (part->mask[i] ^ 1));
        from->active -= part->active;
        return part;
    }
    *out_all = part->active != 0;
    sim_wave_drop(wave, part);
    return *out_all ? sim_wave_resume(wave, index) : NULL;
}

/* Executes the block of collectives after the meeting, for all parts together. */
static void parts_execute(sim_exec *x, sim_fragment *const *parts, uint32_t count)
{
    x->met = parts;
    x->met_count = count;
    const sim_code_function *function = parts[0]->frame->function;
    const sim_code_block *block = &function->blocks[parts[0]->block];
    CHECK(block->end == SIM_END_NEXT);
    for (uint32_t i = 0; i < block->op_count; i++) {
        const sim_op *op = &function->ops[block->op_first + i];
        CHECK(op->handler == SIM_H_COLLECTIVE);
        sim_handle_collective(x, op);
    }
    x->met_count = 0;
    for (uint32_t i = 0; i < count; i++)
        parts[i]->block++;
}

/* Lets the sub-groups that meet at the place of `at` continue.  A single fragment executes the
 * block of collectives itself. */
static void place_release(meeting *m, const sim_fragment *at)
{
    sim_wave *wave = m->x->wave;
    sim_fragment *parts[SIM_LANES];
    uint32_t count = 0;
    const sim_fragment place = {.frame = at->frame, .block = at->block};
    for (uint32_t i = 0; i < wave->waiting.count;) {
        bool all;
        sim_fragment *part = lanes_take(m, &place, i, &all);
        if (part) parts[count++] = part;
        if (!all) i++;
    }
    CHECK(count > 0);
    for (uint32_t s = 0; s < m->count; s++) {
        bool met = m->first[s] && !m->runs[s] && sim_place_same(m->first[s], &place);
        if (met) m->first[s] = NULL;
    }
    if (count > 1) parts_execute(m->x, parts, count);
    for (uint32_t i = 0; i < count; i++)
        sim_wave_push(wave, parts[i]);
}

void sim_meet(sim_exec *x)
{
    meeting m;
    CHECK_SLOW(sim_wave_check(x->wave));
    meeting_open(&m, x);
    for (uint32_t s = 0; s < m.count; s++) {
        if (m.first[s] && !m.runs[s]) place_release(&m, m.first[s]);
    }
    x->wave->is_meeting = false;
    for (uint32_t i = 0; i < x->wave->waiting.count; i++)
        x->wave->is_meeting |= is_at_meeting(x->wave->waiting.items[i]);
    CHECK_SLOW(sim_wave_check(x->wave));
}
