/* Checks the barriers of a work-group, and the other instructions that all of its work-items must
 * reach.
 *
 * All waves are checked together, because a message about only the waves that happened to run first
 * would depend on the schedule. */
#include "sim/exec/barrier.h"

#define PLACES_MAX 4u /* number of places that a message distinguishes */

/* The work-items that wait at one place, or all work-items that have ended. */
typedef struct party {
    const sim_fragment *at; /* one of their fragments; NULL: ended */
    uint64_t count;
    sim_wave *wave; /* wave of the first of these work-items in the group's order */
    uint32_t lane;
} party;

/* The parties of a group.  Any places beyond PLACES_MAX are counted with the last one. */
typedef struct parties {
    party list[PLACES_MAX + 1]; /* the last element: ended */
    uint32_t count;             /* places */
} parties;

static party *party_of(parties *found, const sim_fragment *at)
{
    if (!at) return &found->list[PLACES_MAX];
    for (uint32_t i = 0; i < found->count; i++) {
        if (sim_place_same(found->list[i].at, at)) return &found->list[i];
    }
    CHECK(found->count <= PLACES_MAX);
    return &found->list[found->count < PLACES_MAX ? found->count++ : PLACES_MAX - 1];
}

static void parties_find(sim_wave *waves, uint32_t count, parties *out)
{
    *out = (parties){0};
    for (uint32_t w = 0; w < count; w++) {
        const sim_wave *wave = &waves[w];
        CHECK(wave->ready.count == 0);
        for (uint32_t lane = 0; lane < wave->lane_count; lane++) {
            const sim_fragment *at = NULL; /* the fragment in which the lane waits */
            for (uint32_t i = 0; i < wave->waiting.count && !at; i++) {
                if (wave->waiting.items[i]->mask[lane]) at = wave->waiting.items[i];
            }
            party *to = party_of(out, at);
            if (to->count == 0) *to = (party){.at = at, .wave = &waves[w], .lane = lane};
            to->count++;
        }
    }
}

static rt_text text_of_place(const sim_exec *x, rt_arena *arena, const sim_fragment *at)
{
    const sim_site *site = &x->launch->program->sites[sim_block_before(at)->site];
    rt_text function = at->frame->function->name;
    if (site->line == 0) {
        return rt_arena_printf(arena, "%s in '%.*s'", site->name, RT_TEXT_ARG(function));
    }
    return rt_arena_printf(arena, "%s in '%.*s', line %u", site->name, RT_TEXT_ARG(function),
                           site->line);
}

static void divergent_note(sim_exec *x, const parties *found)
{
    rt_arena *arena = &x->launch->findings.arena;
    const party *first = &found->list[0];
    CHECK(first->count >= 1);
    rt_text text = rt_arena_printf(
        arena, "barrier not reached by all work-items of the group: %llu wait at %.*s",
        (unsigned long long)first->count, RT_TEXT_ARG(text_of_place(x, arena, first->at)));
    /* Append, for example, "; 64 wait at …" or "; 64 have ended", and the first of these
     * work-items. */
    for (uint32_t i = 1; i <= PLACES_MAX; i++) {
        const party *p = &found->list[i];
        if (p->count == 0) continue;
        uint64_t ids[RT_ND_RANGE_DIMENSIONS];
        sim_work_item_of(p->wave, p->lane, ids);
        rt_text where = p->at ? text_of_place(x, arena, p->at) : RT_TEXT("");
        text = rt_arena_printf(
            arena, "%.*s; %llu %s%.*s, (%llu, %llu, %llu) first", RT_TEXT_ARG(text),
            (unsigned long long)p->count, p->at ? "wait at " : "have ended", RT_TEXT_ARG(where),
            (unsigned long long)ids[0], (unsigned long long)ids[1], (unsigned long long)ids[2]);
    }
    text = rt_arena_printf(arena, "%.*s; reached", RT_TEXT_ARG(text));
    x->wave = first->wave;
    sim_enter_frame(x, first->at);
    sim_note(x, sim_block_before(first->at)->site, SIM_FINDING_DIVERGENT_BARRIER, first->lane,
             first->count, text.data);
}

/* True if every wave has a single fragment with all of its lanes, and all fragments are at the same
 * place, as is usual for a correct kernel in lockstep. */
static bool plainly_together(const sim_wave *waves, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (waves[i].waiting.count != 1) return false;
        const sim_fragment *here = waves[i].waiting.items[0];
        if (here->active != waves[i].lane_count) return false;
        if (i > 0 && !sim_place_same(here, waves[0].waiting.items[0])) return false;
    }
    return true;
}

bool sim_barrier_judge(sim_exec *x, sim_wave *waves, uint32_t count)
{
    CHECK(count >= 1);
    if (plainly_together(waves, count)) return true;
    parties found;
    parties_find(waves, count, &found);
    CHECK(found.count >= 1 && found.count <= PLACES_MAX);
    if (found.count == 1 && found.list[PLACES_MAX].count == 0) return true;
    divergent_note(x, &found);
    return false;
}

/* ---- Arrivals ----------------------------------------------------------------------------- */

void sim_arrive(sim_exec *x, uint32_t site)
{
    sim_launch_state *l = x->launch;
    uint32_t i = 0;
    while (i < l->arrivals.count && l->arrivals.items[i].site != site)
        i++;
    if (i == l->arrivals.count) {
        *rt_vector_push(&l->arrivals) =
            (sim_arrival){.site = site, .wave = x->wave, .lane = sim_first_lane(x)};
    }
    l->arrivals.items[i].count += x->active;
    CHECK(x->active >= 1 && x->active <= x->wave->lane_count);
}

void sim_arrivals_judge(sim_exec *x)
{
    sim_launch_state *l = x->launch;
    for (uint32_t i = 0; i < l->arrivals.count; i++) {
        const sim_arrival *arrival = &l->arrivals.items[i];
        /* Every work-item of the group must arrive the same number of times. */
        CHECK(arrival->count >= 1);
        uint64_t odd = arrival->count % l->pool[SIM_SLOT_GROUP_ITEMS];
        if (odd == 0) continue;
        x->wave = arrival->wave;
        l->findings.copies_diverge = true;
        sim_note(x, arrival->site, SIM_FINDING_DIVERGENT_BARRIER, arrival->lane, odd,
                 "copy not reached by all work-items of the group; reached");
    }
    l->arrivals.count = 0;
}
