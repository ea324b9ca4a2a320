/* Checks the barriers of a work-group, and the other instructions that all of its work-items must
 * reach.
 *
 * All waves are checked together: a message that named only the waves that happened to run first
 * would depend on the schedule. */
#include "sim/exec/barrier.h"

#define PLACES_MAX 4u /* that one message distinguishes */

/* Work-items that wait at one place, or that have ended. */
typedef struct party {
    const sim_fragment *at; /* a fragment of theirs; NULL: ended */
    uint64_t count;
    sim_wave *wave; /* of the first work-item, in the group's order */
    uint32_t lane;
} party;

/* The parties of a group.  Places beyond PLACES_MAX are counted with the last of these. */
typedef struct parties {
    party list[PLACES_MAX + 1]; /* the last element: ended */
    uint32_t count;             /* places */
} parties;

static void party_add(party *to, const sim_fragment *at, sim_wave *wave, uint32_t lane)
{
    if (to->count++ > 0) return;
    *to = (party){.at = at, .count = 1, .wave = wave, .lane = lane};
}

static party *party_of(parties *all, const sim_fragment *at)
{
    if (!at) return &all->list[PLACES_MAX];
    for (uint32_t i = 0; i < all->count; i++) {
        if (sim_place_same(all->list[i].at, at)) return &all->list[i];
    }
    CHECK(all->count <= PLACES_MAX);
    return &all->list[all->count < PLACES_MAX ? all->count++ : PLACES_MAX - 1];
}

/* The waiting fragment that the lane belongs to; NULL if the lane has ended. */
static const sim_fragment *waiting_of(const sim_wave *wave, uint32_t lane)
{
    for (uint32_t i = 0; i < wave->waiting.count; i++) {
        if (wave->waiting.items[i]->mask[lane]) return wave->waiting.items[i];
    }
    return NULL;
}

static void parties_find(sim_wave *waves, uint32_t count, parties *out)
{
    *out = (parties){0};
    for (uint32_t w = 0; w < count; w++) {
        CHECK(waves[w].ready.count == 0);
        for (uint32_t lane = 0; lane < waves[w].lane_count; lane++) {
            const sim_fragment *at = waiting_of(&waves[w], lane);
            party_add(party_of(out, at), at, &waves[w], lane);
        }
    }
}

/* The barrier that a waiting fragment has reached. */
static const sim_code_block *barrier_of(const sim_fragment *fragment)
{
    CHECK(fragment->block > 0);
    return &fragment->frame->function->blocks[fragment->block - 1];
}

static rt_text text_of_place(const sim_exec *x, rt_arena *arena, const sim_fragment *at)
{
    const sim_site *site = &x->launch->program->sites[barrier_of(at)->site];
    rt_text function = at->frame->function->name;
    if (site->line == 0) {
        return rt_arena_printf(arena, "%s in '%.*s'", site->name, RT_TEXT_ARG(function));
    }
    return rt_arena_printf(arena, "%s in '%.*s', line %u", site->name, RT_TEXT_ARG(function),
                           site->line);
}

/* Appends "; 64 wait at …" or "; 64 have ended", and the first of these work-items. */
static rt_text party_tell(sim_exec *x, rt_text before, const party *who)
{
    rt_arena *arena = &x->launch->findings.arena;
    uint64_t ids[RT_ND_RANGE_DIMENSIONS];
    sim_work_item_of(who->wave, who->lane, ids);
    rt_text where = who->at ? text_of_place(x, arena, who->at) : (rt_text){"", 0};
    return rt_arena_printf(
        arena, "%.*s; %llu %s%.*s, (%llu, %llu, %llu) first", RT_TEXT_ARG(before),
        (unsigned long long)who->count, who->at ? "wait at " : "have ended", RT_TEXT_ARG(where),
        (unsigned long long)ids[0], (unsigned long long)ids[1], (unsigned long long)ids[2]);
}

static void divergent_note(sim_exec *x, const parties *all)
{
    const party *first = &all->list[0];
    rt_text text =
        rt_arena_printf(&x->launch->findings.arena,
                        "barrier that not all work-items of the group reach: %llu wait at %.*s",
                        (unsigned long long)first->count,
                        RT_TEXT_ARG(text_of_place(x, &x->launch->findings.arena, first->at)));
    for (uint32_t i = 1; i <= PLACES_MAX; i++) {
        if (all->list[i].count > 0) text = party_tell(x, text, &all->list[i]);
    }
    text = rt_arena_printf(&x->launch->findings.arena, "%.*s; reached", RT_TEXT_ARG(text));
    x->wave = first->wave;
    sim_enter_frame(x, first->at);
    sim_note(x, barrier_of(first->at)->site, SIM_FINDING_DIVERGENT_BARRIER, first->lane,
             first->count, text.data);
}

/* True if every wave has a single fragment with all of its lanes, and all are at the same place:
 * the usual case for a correct kernel in lockstep. */
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
    parties all;
    parties_find(waves, count, &all);
    CHECK(all.count >= 1);
    if (all.count == 1 && all.list[PLACES_MAX].count == 0) return true;
    divergent_note(x, &all);
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
}

void sim_arrivals_judge(sim_exec *x)
{
    sim_launch_state *l = x->launch;
    for (uint32_t i = 0; i < l->arrivals.count; i++) {
        const sim_arrival *arrival = &l->arrivals.items[i];
        /* Every work-item of the group must arrive equally often. */
        uint64_t odd = arrival->count % l->pool[SIM_SLOT_GROUP_ITEMS];
        if (odd == 0) continue;
        x->wave = arrival->wave;
        sim_note(x, arrival->site, SIM_FINDING_DIVERGENT_BARRIER, arrival->lane, odd,
                 "copy that not all work-items of the group reach, reached");
    }
    l->arrivals.count = 0;
}
