/* Schedules: lockstep, forward, backward, and permutations drawn from the seed. */
#include "sim/exec/schedule.h"

/* What is drawn from the seed; every kind of draw has its own key. */
typedef enum draw { DRAW_GROUP_STEP, DRAW_GROUP_START, DRAW_WAVES, DRAW_UNITS } draw;

static const char *const names[] = {
    [SIM_SCHEDULE_LOCKSTEP] = "lockstep",
    [SIM_SCHEDULE_FORWARD] = "forward",
    [SIM_SCHEDULE_BACKWARD] = "backward",
    [SIM_SCHEDULE_SEEDED] = "seeded",
};
_Static_assert(sizeof names / sizeof *names == SIM_SCHEDULES, "every schedule has a name");

const char *sim_schedule_name(sim_schedule schedule)
{
    CHECK(schedule < SIM_SCHEDULES);
    return names[schedule];
}

/* Returns one of the numbers drawn from the seed for this kind of draw, group, barrier and wave:
 * the one at `index`. */
static uint64_t draw_number(const sim_launch_state *l, draw kind, uint64_t group, uint32_t wave,
                            uint32_t index)
{
    const uint64_t parts[] = {kind, group, l->barrier_count, wave, index};
    uint64_t key = 0;
    for (uint32_t i = 0; i < sizeof parts / sizeof *parts; i++)
        key = sim_world_choose(l->world, key ^ parts[i]);
    return key;
}

/* ---- Work-groups -------------------------------------------------------------------------- */

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t remainder = a % b;
        a = b;
        b = remainder;
    }
    return a;
}

/* A launch may have too many groups to list in memory, so a permutation is a walk: steps whose
 * length is coprime to the count reach every group once. */
sim_group_walk sim_schedule_groups(const sim_launch_state *l, uint64_t count)
{
    CHECK(count >= 1);
    switch (l->schedule) {
    case SIM_SCHEDULE_BACKWARD: return (sim_group_walk){count - 1, count - 1, count};
    case SIM_SCHEDULE_SEEDED: break;
    default: return (sim_group_walk){0, 1, count};
    }
    uint64_t step = draw_number(l, DRAW_GROUP_STEP, 0, 0, 0) % count;
    while (common_divisor(count, step) != 1)
        step = (step + 1) % count;
    return (sim_group_walk){draw_number(l, DRAW_GROUP_START, 0, 0, 0) % count, step, count};
}

/* ---- Inside a work-group ------------------------------------------------------------------ */

/* Checks that each number below `count` occurs exactly once; returns true, or panics.  For
 * CHECK_SLOW. */
static bool order_is_complete(const uint32_t *order, uint32_t count)
{
    bool seen[SIM_LANES] = {0};
    for (uint32_t i = 0; i < count; i++) {
        CHECK(order[i] < count && !seen[order[i]]);
        seen[order[i]] = true;
    }
    return true;
}

/* Writes the numbers below `count` in the schedule's order. */
static void order_fill(const sim_launch_state *l, draw kind, uint32_t wave, uint32_t count,
                       uint32_t *out)
{
    bool backward = l->schedule == SIM_SCHEDULE_BACKWARD;
    CHECK(count >= 1 && count <= SIM_LANES);
    for (uint32_t i = 0; i < count; i++)
        out[i] = backward ? count - 1 - i : i;
    if (l->schedule != SIM_SCHEDULE_SEEDED) return;
    const uint64_t *size = l->pool + SIM_SLOT_GROUP_COUNT;
    uint64_t group = (l->group[2] * size[1] + l->group[1]) * size[0] + l->group[0];
    for (uint32_t i = count; i-- > 1;) {
        uint32_t other = (uint32_t)(draw_number(l, kind, group, wave, i) % (i + 1));
        uint32_t held = out[i];
        out[i] = out[other];
        out[other] = held;
    }
    CHECK_SLOW(order_is_complete(out, count));
}

void sim_schedule_waves(const sim_launch_state *l, uint32_t count, uint32_t *out_order)
{
    order_fill(l, DRAW_WAVES, 0, count, out_order);
}

void sim_schedule_units(const sim_launch_state *l, const sim_wave *wave, sim_turns *out_turns)
{
    out_turns->unit_lanes = l->unit_lanes;
    if (l->unit_lanes == 0) return;
    uint32_t order[SIM_LANES];
    CHECK(l->schedule != SIM_SCHEDULE_LOCKSTEP && SIM_LANES % l->unit_lanes == 0);
    uint32_t count = (wave->lane_count + l->unit_lanes - 1) / l->unit_lanes;
    order_fill(l, DRAW_UNITS, wave->first_item / SIM_LANES, count, order);
    for (uint32_t i = 0; i < count; i++)
        out_turns->turn[order[i]] = i;
}
