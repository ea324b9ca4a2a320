/* Tests of the orders in which groups, waves and units run (exec/schedule.h): each is an order of
 * all of them, and the seeded ones are drawn anew for each group, barrier, wave and seed, with
 * equal chances. */
#include "sim/exec/schedule.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

typedef struct setup {
    rt_sink *sink;
    sim_world *world;
    uint64_t pool[SIM_SLOT_ENQUEUED_SUBGROUPS + 1];
    sim_launch_state launch;
} setup;

static void setup_open(setup *s, sim_schedule schedule, uint64_t seed)
{
    *s = (setup){.sink = rt_sink_create()};
    s->world = sim_world_create(s->sink, seed);
    for (uint32_t k = 0; k < 3; k++)
        s->pool[SIM_SLOT_GROUP_COUNT + k] = 4 + k;
    s->launch = (sim_launch_state){.world = s->world, .pool = s->pool, .schedule = schedule};
}

static void setup_close(setup *s)
{
    sim_world_destroy(s->world);
    rt_sink_destroy(s->sink);
}

/* Lists the groups of a walk; each must occur once. */
static void groups_list(const sim_launch_state *l, uint64_t count, uint64_t *out)
{
    bool seen[64] = {0};
    sim_group_walk walk = sim_schedule_groups(l, count);
    assert_int_equal(walk.count, count);
    for (uint64_t i = 0; i < count; i++) {
        assert_true(walk.at < count && !seen[walk.at]);
        seen[walk.at] = true;
        out[i] = walk.at;
        sim_group_walk_on(&walk);
    }
}

static void groups_are_walked(void **state)
{
    (void)state;
    uint64_t order[64], first[64] = {0};
    bool begins[12] = {0}, follows[12] = {0};
    for (sim_schedule schedule = SIM_SCHEDULE_LOCKSTEP; schedule < SIM_SCHEDULES; schedule++) {
        for (uint64_t seed = 1; seed <= 200; seed++) {
            setup s;
            setup_open(&s, schedule, seed);
            for (uint64_t count = 1; count <= 64 && seed <= 3; count++) {
                groups_list(&s.launch, count, order);
                for (uint64_t i = 0; i < count && schedule != SIM_SCHEDULE_SEEDED; i++) {
                    bool is_backward = schedule == SIM_SCHEDULE_BACKWARD;
                    assert_int_equal(order[i], is_backward ? count - 1 - i : i);
                }
            }
            groups_list(&s.launch, 12, order);
            if (schedule == SIM_SCHEDULE_SEEDED) {
                begins[order[0]] = true;
                follows[(order[1] + 12 - order[0]) % 12] = true;
                /* The same seed gives the same order. */
                groups_list(&s.launch, 12, first);
                assert_memory_equal(order, first, 12 * sizeof *order);
            }
            setup_close(&s);
        }
    }
    /* Seeds begin everywhere, with every step that reaches all twelve: 1, 5, 7 and 11. */
    for (uint32_t i = 0; i < 12; i++) {
        assert_true(begins[i]);
        assert_int_equal(follows[i], i == 1 || i == 5 || i == 7 || i == 11);
    }
}

static void waves_list(const sim_launch_state *l, uint32_t count, uint32_t *out)
{
    bool seen[4] = {0};
    sim_schedule_waves(l, count, out);
    for (uint32_t i = 0; i < count; i++) {
        assert_true(out[i] < count && !seen[out[i]]);
        seen[out[i]] = true;
    }
}

/* The number of an order of three. */
static uint32_t order_number(const uint32_t *order)
{
    return 2 * order[0] + (order[1] > order[2]);
}

static void waves_are_ordered(void **state)
{
    (void)state;
    for (sim_schedule schedule = SIM_SCHEDULE_LOCKSTEP; schedule < SIM_SCHEDULES; schedule++) {
        setup s;
        uint32_t order[4], again[4], numbers[6] = {0}, orders_of_four = 0;
        bool seen[256] = {0};
        setup_open(&s, schedule, 7);
        for (uint32_t count = 1; count <= 4; count++) {
            waves_list(&s.launch, count, order);
            for (uint32_t i = 0; i < count && schedule != SIM_SCHEDULE_SEEDED; i++) {
                bool is_backward = schedule == SIM_SCHEDULE_BACKWARD;
                assert_int_equal(order[i], is_backward ? count - 1 - i : i);
            }
        }
        for (uint32_t i = 0; i < 600; i++) {
            s.launch.barrier_count = i;
            waves_list(&s.launch, 3, order);
            waves_list(&s.launch, 3, again);
            assert_memory_equal(order, again, 3 * sizeof *order);
            numbers[order_number(order)]++;
            waves_list(&s.launch, 4, order);
            uint32_t number = order[0] | order[1] << 2 | order[2] << 4 | order[3] << 6;
            orders_of_four += !seen[number];
            seen[number] = true;
        }
        assert_int_equal(orders_of_four, schedule == SIM_SCHEDULE_SEEDED ? 24 : 1);
        /* Each of six orders about a hundred times. */
        for (uint32_t i = 0; i < 6 && schedule == SIM_SCHEDULE_SEEDED; i++)
            assert_in_range(numbers[i], 60, 140);
        setup_close(&s);
    }
}

/* Draws differ from group to group in each dimension, from barrier to barrier, and for units from
 * wave to wave; those of units differ from those of waves. */
static void draws_are_independent(void **state)
{
    (void)state;
    setup s;
    setup_open(&s, SIM_SCHEDULE_SEEDED, 99);
    s.launch.unit_lanes = 64;
    uint32_t different[6] = {0};
    for (uint32_t i = 0; i < 60; i++) {
        uint32_t base[4], other[4];
        sim_wave wave = {.lane_count = 256};
        sim_turns turns, others;
        s.launch.barrier_count = i;
        memset(s.launch.group, 0, sizeof s.launch.group);
        waves_list(&s.launch, 4, base);
        for (uint32_t k = 0; k < 3; k++) {
            s.launch.group[k] = 1;
            waves_list(&s.launch, 4, other);
            different[k] += memcmp(base, other, sizeof base) != 0;
            s.launch.group[k] = 0;
        }
        sim_schedule_units(&s.launch, &wave, &turns);
        assert_int_equal(turns.unit_lanes, 64);
        wave.first_item = SIM_LANES;
        sim_schedule_units(&s.launch, &wave, &others);
        different[3] += memcmp(turns.turn, others.turn, 4 * sizeof *turns.turn) != 0;
        different[4] += memcmp(base, turns.turn, sizeof base) != 0;
        s.launch.barrier_count = i + 1;
        waves_list(&s.launch, 4, other);
        different[5] += memcmp(base, other, sizeof base) != 0;
    }
    for (uint32_t k = 0; k < 6; k++)
        assert_in_range(different[k], 48, 60);
    /* A group has one number: those with equal sums of their parts differ, too. */
    uint32_t a[4], b[4], equal = 0;
    for (uint32_t i = 0; i < 60; i++) {
        s.launch.barrier_count = i;
        memcpy(s.launch.group, (const uint64_t[3]){1, 2, 0}, sizeof s.launch.group);
        waves_list(&s.launch, 4, a);
        memcpy(s.launch.group, (const uint64_t[3]){2, 1, 0}, sizeof s.launch.group);
        waves_list(&s.launch, 4, b);
        equal += memcmp(a, b, sizeof a) == 0;
    }
    assert_in_range(equal, 0, 12);
    setup_close(&s);
}

static void units_are_ordered(void **state)
{
    (void)state;
    static const struct {
        uint32_t lanes, unit_lanes, count;
    } cases[] = {{1, 1, 1}, {256, 1, 256}, {70, 16, 5}, {64, 16, 4}, {65, 32, 3}};
    for (sim_schedule schedule = SIM_SCHEDULE_LOCKSTEP; schedule < SIM_SCHEDULES; schedule++) {
        for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            setup s;
            sim_turns turns;
            bool seen[SIM_LANES] = {0};
            const sim_wave wave = {.lane_count = cases[i].lanes};
            setup_open(&s, schedule, 5);
            if (schedule != SIM_SCHEDULE_LOCKSTEP) s.launch.unit_lanes = cases[i].unit_lanes;
            sim_schedule_units(&s.launch, &wave, &turns);
            assert_int_equal(turns.unit_lanes, s.launch.unit_lanes);
            for (uint32_t k = 0; k < cases[i].count && turns.unit_lanes; k++) {
                uint32_t turn = turns.turn[k];
                assert_true(turn < cases[i].count && !seen[turn]);
                seen[turn] = true;
                if (schedule == SIM_SCHEDULE_FORWARD) assert_int_equal(turn, k);
                if (schedule == SIM_SCHEDULE_BACKWARD)
                    assert_int_equal(turn, cases[i].count - 1 - k);
            }
            setup_close(&s);
        }
    }
}

static void schedules_have_names(void **state)
{
    (void)state;
    assert_string_equal(sim_schedule_name(SIM_SCHEDULE_LOCKSTEP), "lockstep");
    assert_string_equal(sim_schedule_name(SIM_SCHEDULE_FORWARD), "forward");
    assert_string_equal(sim_schedule_name(SIM_SCHEDULE_BACKWARD), "backward");
    assert_string_equal(sim_schedule_name(SIM_SCHEDULE_SEEDED), "seeded");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups_are_walked),    cmocka_unit_test(waves_are_ordered),
        cmocka_unit_test(units_are_ordered),    cmocka_unit_test(draws_are_independent),
        cmocka_unit_test(schedules_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
