/* Where the work-items of a sub-group wait for each other: its barriers and its collectives.
 *
 * A collective has its own block, after a block that ends in SIM_END_MEET. Fragments that reach it
 * wait until no work-item of their sub-group can run; then the fragments at the first place in
 * order continue together. So even lanes in different activations of the same code can meet, and
 * lanes that have spun or that run in separate units depend on this.  The collective checks whether
 * any work-item is missing.
 *
 * Each iteration of a loop is a separate meeting.  In the order of blocks only the edge back to a
 * loop's header leads backwards. So if not all work-items need to reach a collective, lanes of the
 * same activations that have passed it can reach it again only in another iteration, and are not
 * waited for. Lanes that have spun have their own activations and may be iterations behind. They
 * are waited for, so if some iterations skip a collective, two iterations could be merged into one
 * meeting.
 *
 * Source: SPIR-V specification 1.6 sections 2.2.5 "Control Flow" (dynamic instance) and 2.18
 * (scope); OpenCL C 3.0 section 6.15.19. */
#include "sim/exec/exec.h"

#include <string.h>

#define SUBGROUPS_MAX (SIM_LANES / 8)

/* Number of rounds for which a sub-group's waiting work-items wait for a spinning one, unless all
 * must reach the meeting: it may be spinning until a waiting work-item does something. */
#define PATIENCE_ROUNDS 64u

typedef struct meeting {
    sim_exec *x;
    uint32_t size, count;     /* work-items per sub-group; sub-groups in the wave */
    bool runs[SUBGROUPS_MAX]; /* the sub-group has work-items that can run and are waited for */
    const sim_fragment *first[SUBGROUPS_MAX]; /* where the sub-group meets next; NULL: no meeting */
} meeting;

static bool is_at_meeting(const sim_fragment *fragment)
{
    return sim_block_before(fragment)->end == SIM_END_MEET;
}

static const sim_frame *outermost(const sim_fragment *fragment)
{
    const sim_frame *frame = fragment->frame;
    while (frame->parent)
        frame = frame->parent;
    return frame;
}

/* True if the lanes of `fragment`, which can run, are waited for at the meeting `at`: either the
 * specification requires all work-items of the sub-group to arrive, or these lanes may still arrive
 * in the current iterations of all loops and have not spun for too long. */
static bool is_awaited(const sim_fragment *fragment, const sim_fragment *at)
{
    const sim_code_function *function = at->frame->function;
    if (function->ops[function->blocks[at->block].op_first].count != 0) return true;
    if (fragment->round >= at->round + PATIENCE_ROUNDS) return false;
    return sim_place_compare(fragment, at) <= 0 || outermost(fragment) != outermost(at);
}

static bool has_lane(const meeting *m, const sim_fragment *fragment, uint32_t subgroup)
{
    return memchr(fragment->mask + subgroup * m->size, 1, m->size) != NULL;
}

/* Takes the lanes of the sub-groups that meet at the place of `at` out of a waiting fragment; NULL
 * if there are none.  *out_whole: the whole fragment was taken. */
static sim_fragment *lanes_take(const meeting *m, const sim_fragment *at, uint32_t index,
                                bool *out_whole)
{
    sim_wave *wave = m->x->wave;
    sim_fragment *from = wave->waiting.items[index];
    *out_whole = false;
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
    *out_whole = part->active != 0;
    sim_wave_drop(wave, part);
    return *out_whole ? sim_wave_resume(wave, index) : NULL;
}

/* Lets the sub-groups that meet at the place of `at` continue. */
static void place_release(meeting *m, const sim_fragment *at)
{
    sim_exec *x = m->x;
    sim_wave *wave = x->wave;
    sim_fragment *parts[SIM_LANES];
    uint32_t count = 0;
    const sim_fragment place = {.frame = at->frame, .block = at->block};
    for (uint32_t i = 0; i < wave->waiting.count;) {
        bool is_whole;
        sim_fragment *part = lanes_take(m, &place, i, &is_whole);
        if (part) parts[count++] = part;
        if (!is_whole) i++;
    }
    CHECK(count > 0);
    for (uint32_t s = 0; s < m->count; s++) {
        bool met = m->first[s] && !m->runs[s] && sim_place_same(m->first[s], &place);
        if (met) m->first[s] = NULL;
    }
    /* A single fragment executes the block of collectives by itself later; for several, it is
     * executed here for all together. */
    const sim_code_function *function = parts[0]->frame->function;
    const sim_code_block *block = &function->blocks[parts[0]->block];
    CHECK(block->end == SIM_END_NEXT);
    x->met = parts;
    x->met_count = count > 1 ? count : 0;
    for (uint32_t i = 0; i < block->op_count && count > 1; i++) {
        const sim_op *op = &function->ops[block->op_first + i];
        CHECK(op->handler == SIM_H_COLLECTIVE);
        sim_handle_collective(x, op);
    }
    for (uint32_t i = 0; i < x->met_count; i++)
        parts[i]->block++;
    x->met_count = 0;
    for (uint32_t i = 0; i < count; i++)
        sim_wave_push(wave, parts[i]);
}

void sim_meet(sim_exec *x)
{
    sim_wave *wave = x->wave;
    CHECK(x->met_count == 0 && x->launch->kernel->reach.meets);
    CHECK_SLOW(sim_wave_check(wave));
    meeting m = {.x = x, .size = x->launch->kernel->subgroup_size};
    m.count = (wave->lane_count + m.size - 1) / m.size;
    CHECK(m.count >= 1 && m.count <= SUBGROUPS_MAX);
    /* Find where each sub-group meets next. */
    for (uint32_t i = 0; i < wave->waiting.count; i++) {
        const sim_fragment *fragment = wave->waiting.items[i];
        if (!is_at_meeting(fragment)) continue;
        for (uint32_t s = 0; s < m.count; s++) {
            if (!has_lane(&m, fragment, s)) continue;
            if (m.first[s] && sim_place_compare(m.first[s], fragment) <= 0) continue;
            m.first[s] = fragment;
        }
    }
    /* Find which sub-groups still have lanes to wait for. */
    for (uint32_t i = 0; i < wave->ready.count; i++) {
        const sim_fragment *fragment = wave->ready.items[i];
        for (uint32_t s = 0; s < m.count; s++) {
            if (!m.first[s] || !has_lane(&m, fragment, s)) continue;
            if (is_awaited(fragment, m.first[s])) m.runs[s] = true;
        }
    }
    for (uint32_t s = 0; s < m.count; s++) {
        if (m.first[s] && !m.runs[s]) place_release(&m, m.first[s]);
    }
    wave->is_meeting = false;
    for (uint32_t i = 0; i < wave->waiting.count; i++)
        wave->is_meeting |= is_at_meeting(wave->waiting.items[i]);
    CHECK_SLOW(sim_wave_check(wave));
}
