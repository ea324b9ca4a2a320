/* Tests of schedules, waiting work-items, and the stack: the order in which work-items run, that
 * results are the same in every order, and what is reported if part of a group or sub-group does
 * not arrive. Groups consist of 600 work-items, which are three waves, unless a test says
 * otherwise; expected values are computed here, work-item by work-item. */
#include "sim/test/harness.h"

#include <time.h>

#define SECONDS_MAX 60.0 /* of processor time; sanitizers slow down much */

#define GROUP  600u
#define GROUPS 3u
#define ITEMS  (GROUP * GROUPS)

/* Every optimisation level in lockstep, only one level with the other schedules. */
#define FOR_EACH_BUILT(level, schedule)                                                            \
    for (uint32_t level = 0; level < 3; level++)                                                   \
        FOR_EACH_SCHEDULE(schedule)                                                                \
    if (schedule == SIM_SCHEDULE_LOCKSTEP || level == 1)
#define FOR_EACH_SCHEDULE(schedule)                                                                \
    for (sim_schedule schedule = SIM_SCHEDULE_LOCKSTEP; schedule < SIM_SCHEDULES; schedule++)

static harness open_with(sim_schedule schedule, uint32_t level)
{
    harness h = harness_open_file("schedule", level, sim_engine_best());
    h.schedule = schedule;
    return h;
}

/* ---- Order -------------------------------------------------------------------------------- */

/* The ranks of the work-items of three groups in the order of execution, before and after a
 * barrier. */
typedef struct places {
    int32_t first[ITEMS], second[ITEMS];
} places;

static void places_find(sim_schedule schedule, uint64_t seed, places *out)
{
    harness h = open_with(schedule, 1);
    h.world->seed = seed;
    int32_t zero[2] = {0};
    sim_object first = harness_memory(&h, "first", NULL, sizeof out->first);
    sim_object second = harness_memory(&h, "second", NULL, sizeof out->second);
    sim_argument arguments[] = {harness_global(harness_memory(&h, "count", zero, sizeof zero)),
                                harness_global(first), harness_global(second)};
    harness_run(&h, "when", harness_range(ITEMS, GROUP), arguments, 3);
    harness_read_back(&h, first, out->first, sizeof out->first);
    harness_read_back(&h, second, out->second, sizeof out->second);
    harness_close(&h);
}

static void test_forward_and_backward(void **state)
{
    (void)state;
    static places at;
    FOR_EACH_SCHEDULE(schedule)
    {
        if (schedule == SIM_SCHEDULE_SEEDED) continue;
        places_find(schedule, 42, &at);
        for (int32_t i = 0; i < (int32_t)ITEMS; i++) {
            int32_t want = schedule == SIM_SCHEDULE_BACKWARD ? (int32_t)ITEMS - 1 - i : i;
            assert_int_equal(at.first[i], want);
            assert_int_equal(at.second[i], want);
        }
    }
}

/* Checks that every rank occurs once and that the ranks of a group's work-items are contiguous. */
static void check_permutation(const int32_t *places_of)
{
    static bool is_used[ITEMS];
    memset(is_used, 0, sizeof is_used);
    for (uint32_t i = 0; i < ITEMS; i++) {
        assert_in_range(places_of[i], 0, ITEMS - 1);
        assert_false(is_used[places_of[i]]);
        is_used[places_of[i]] = true;
        assert_int_equal(places_of[i] / (int32_t)GROUP,
                         places_of[i / GROUP * GROUP] / (int32_t)GROUP);
    }
}

static uint32_t same_count(const int32_t *a, const int32_t *b, uint32_t count)
{
    uint32_t same = 0;
    for (uint32_t i = 0; i < count; i++)
        same += a[i] % (int32_t)GROUP == b[i] % (int32_t)GROUP;
    return same;
}

static void test_seeded(void **state)
{
    (void)state;
    static places a, b, c;
    places_find(SIM_SCHEDULE_SEEDED, 42, &a);
    places_find(SIM_SCHEDULE_SEEDED, 42, &b);
    places_find(SIM_SCHEDULE_SEEDED, 43, &c);
    assert_memory_equal(&a, &b, sizeof a);
    check_permutation(a.first);
    check_permutation(a.second);
    check_permutation(c.first);
    /* Two independent permutations of 600 numbers agree in few places. */
    assert_true(same_count(a.first, a.second, GROUP) < 20);
    assert_true(same_count(a.first, a.first + GROUP, GROUP) < 20);
    assert_true(same_count(a.first, c.first, GROUP) < 20);
}

/* The order of groups alone: prime and composite numbers of groups of one work-item each. */
static void test_order_of_groups(void **state)
{
    (void)state;
    static const uint32_t counts[] = {1, 2, 97, 360};
    for (uint32_t k = 0; k < sizeof counts / sizeof *counts; k++) {
        harness h = open_with(SIM_SCHEDULE_SEEDED, 1);
        int32_t zero[2] = {0}, first[360], seen[360] = {0};
        sim_object to = harness_memory(&h, "first", NULL, sizeof first);
        sim_argument arguments[] = {harness_global(harness_memory(&h, "count", zero, sizeof zero)),
                                    harness_global(to),
                                    harness_global(harness_memory(&h, "s", NULL, sizeof first))};
        harness_run(&h, "when", harness_range(counts[k], 1), arguments, 3);
        harness_read_back(&h, to, first, counts[k] * sizeof *first);
        for (uint32_t i = 0; i < counts[k]; i++) {
            assert_in_range(first[i], 0, counts[k] - 1);
            assert_int_equal(seen[first[i]]++, 0);
        }
        harness_close(&h);
    }
}

/* ---- Missing barriers --------------------------------------------------------------------- */

/* Runs the kernel and returns its sum; `races`: race detection must report findings. */
static int32_t sum_of(sim_schedule schedule, const char *kernel, uint32_t items, bool races)
{
    harness h = open_with(schedule, 1);
    int32_t out;
    sim_object to = harness_memory(&h, "out", NULL, sizeof out);
    sim_argument arguments[] = {harness_global(to), harness_local(items * sizeof out)};
    harness_try(&h, kernel, harness_range(items, items), arguments, 2);
    assert_true(rt_ok(h.status));
    assert_int_equal(h.finding_count > 0, races);
    for (uint32_t i = 0; i < h.finding_count; i++)
        assert_string_equal(h.findings[i].kind, "race");
    harness_read_back(&h, to, &out, sizeof out);
    harness_close(&h);
    return out;
}

static void test_missing_barrier_shows(void **state)
{
    (void)state;
    FOR_EACH_SCHEDULE(schedule)
    {
        assert_int_equal(sum_of(schedule, "sum_with_barrier", 256, false), 255 * 128);
        assert_int_equal(sum_of(schedule, "sum_with_barrier", 1024, false), 1023 * 512);
        /* One wave.  Lockstep still gives the right sum, as does backward, in which every work-item
         * runs after those whose sums it reads. */
        int32_t sum = sum_of(schedule, "sum_without_barrier", 256, true);
        bool hides = schedule == SIM_SCHEDULE_LOCKSTEP || schedule == SIM_SCHEDULE_BACKWARD;
        assert_int_equal(sum == 255 * 128, hides);
    }
}

/* ---- Spinning ----------------------------------------------------------------------------- */

static void test_spinning_units(void **state)
{
    (void)state;
    static const uint32_t groups[] = {20, 600};
    FOR_EACH_BUILT(level, schedule)
    {
        harness h = open_with(schedule, level);
        int32_t signals[2] = {0}, out[600];
        for (uint32_t k = 0; k < 2; k++) {
            sim_object to = harness_memory(&h, "out", NULL, sizeof out);
            sim_argument arguments[] = {
                harness_global(harness_memory(&h, "said", signals, sizeof signals)),
                harness_global(to)};
            harness_run(&h, "wait_for_last", harness_range(groups[k], groups[k]), arguments, 2);
            harness_read_back(&h, to, out, groups[k] * sizeof *out);
            for (uint32_t i = 0; i < groups[k]; i++)
                assert_int_equal(out[i], i < 2 ? 5 : 1);
        }
        harness_close(&h);
    }
}

/* 256 units of a wave, each five activations deep: more activations than the 1023 that can be
 * numbered. */
static void test_waiting_in_nested_calls(void **state)
{
    (void)state;
    static int32_t out[GROUP];
    FOR_EACH_BUILT(level, schedule)
    {
        harness h = open_with(schedule, level);
        sim_object to = harness_memory(&h, "out", NULL, sizeof out);
        sim_argument arguments[] = {harness_global(to), harness_local(sizeof out)};
        harness_run(&h, "nested", harness_range(GROUP, GROUP), arguments, 2);
        harness_read_back(&h, to, out, sizeof out);
        for (int32_t i = 0; i < (int32_t)GROUP; i++) {
            /* nest_5 is called with i and nest_1 with i + 4; i + 5 is exchanged. */
            int32_t want = (int32_t)GROUP - 1 - i + 5;
            for (int32_t depth = 1; depth <= 5; depth++)
                want = want * 3 + i + 5 - depth + depth;
            assert_int_equal(out[i], want);
        }
        harness_close(&h);
    }
}

/* ---- Sub-groups --------------------------------------------------------------------------- */

static uint32_t walk(uint32_t x, uint32_t steps)
{
    for (uint32_t k = 0; k < steps; k++)
        x = x * 1664525u + 1013904223u;
    return x;
}

/* Sub-groups of 16; work-items that spin for more than one turn still meet the others. */
static void test_meeting_after_long_loops(void **state)
{
    (void)state;
    enum { COUNT = 300 };
    static uint32_t sums[COUNT], others[COUNT], turned[COUNT], x[COUNT];
    uint32_t many = 20000; /* more iterations than lanes spin before others run */
    FOR_EACH_BUILT(level, schedule)
    {
        harness h = open_with(schedule, level);
        sim_object to[3];
        for (uint32_t k = 0; k < 3; k++)
            to[k] = harness_memory(&h, "out", NULL, sizeof sums);
        sim_argument arguments[] = {harness_global(to[0]), harness_global(to[1]),
                                    harness_global(to[2]), harness_value(&many, sizeof many)};
        harness_run(&h, "meet_late", harness_range(COUNT, COUNT), arguments, 4);
        harness_read_back(&h, to[0], sums, sizeof sums);
        harness_read_back(&h, to[1], others, sizeof others);
        harness_read_back(&h, to[2], turned, sizeof turned);
        for (uint32_t i = 0; i < COUNT; i++)
            x[i] = walk(i, i % 16 & 4 ? many : 3);
        for (uint32_t i = 0; i < COUNT; i++) {
            uint32_t sum = 0, first = i / 16 * 16;
            for (uint32_t k = first; k < first + 16 && k < COUNT; k++)
                sum += x[k];
            assert_int_equal(sums[i], sum);
            if ((i ^ 4) < COUNT) assert_int_equal(others[i], x[i ^ 4]);
        }
        for (uint32_t k = 0; k < 3; k++) {
            for (uint32_t i = 0; i < COUNT; i++)
                x[i] = walk(x[i], i % 16 == k ? many : 1);
            for (uint32_t first = 0; first < COUNT; first += 16) {
                uint32_t from = x[first + k];
                for (uint32_t i = first; i < first + 16 && i < COUNT; i++)
                    x[i] += from;
            }
        }
        assert_memory_equal(turned, x, sizeof x);
        harness_close(&h);
    }
}

#define IN(i) ((int32_t)((i)*37u % 101u))

static void check_subgroup(const int32_t *out, uint32_t items, uint32_t first, uint32_t end,
                           int32_t size)
{
    int32_t sum = 0, before = 0, most = INT32_MIN;
    uint32_t ballot = 0;
    for (uint32_t i = first; i < end; i++) {
        sum += IN(i);
        ballot |= ((uint32_t)IN(i) & 1) << (i - first);
    }
    for (uint32_t i = first; i < end; i++) {
        most = IN(i) > most ? IN(i) : most;
        int32_t mirrored = IN(end - 1 - (i - first));
        int32_t want[9] = {sum,
                           before,
                           most,
                           mirrored,
                           (int32_t)ballot,
                           IN(end - 1),
                           size,
                           (int32_t)(end - first),
                           mirrored};
        before += IN(i);
        for (uint32_t k = 0; k < 9; k++) {
            if (out[k * items + i] == want[k]) continue;
            fail_msg("sub-groups of %d, row %u, item %u: got %d, expected %d", size, k, i,
                     out[k * items + i], want[k]);
        }
    }
}

/* 620 work-items: the last sub-group has 4 of 8, 12 of 16 or 12 of 32. */
static void test_subgroup_sizes(void **state)
{
    (void)state;
    enum { COUNT = 620 };
    static const struct {
        const char *kernel;
        uint32_t size;
    } kernels[] = {{"subgroup_8", 8}, {"subgroup_16", 16}, {"subgroup_32", 32}};
    static int32_t in[COUNT], out[9 * COUNT];
    for (uint32_t i = 0; i < COUNT; i++)
        in[i] = IN(i);
    FOR_EACH_BUILT(level, schedule)
    {
        harness h = open_with(schedule, level);
        for (uint32_t k = 0; k < 3; k++) {
            sim_object to = harness_memory(&h, "out", NULL, sizeof out);
            sim_argument arguments[] = {harness_global(harness_memory(&h, "in", in, sizeof in)),
                                        harness_global(to), harness_local(sizeof in)};
            harness_run(&h, kernels[k].kernel, harness_range(COUNT, COUNT), arguments, 3);
            harness_read_back(&h, to, out, sizeof out);
            for (uint32_t first = 0; first < COUNT; first += kernels[k].size) {
                uint32_t end = first + kernels[k].size;
                check_subgroup(out, COUNT, first, end < COUNT ? end : COUNT,
                               (int32_t)kernels[k].size);
            }
        }
        harness_close(&h);
    }
}

/* ---- Findings ----------------------------------------------------------------------------- */

/* A launch with groups of GROUP work-items and integer arguments after `out`. */
typedef struct wrong_use {
    const char *kernel;
    uint32_t numbers[2], number_count;
    const char *kind;    /* NULL: no finding */
    uint64_t count;      /* work-items concerned */
    const char *message; /* the beginning of the message in lockstep */
} wrong_use;

static void use_check(const wrong_use *use, uint32_t level, sim_schedule schedule)
{
    harness h = open_with(schedule, level);
    sim_argument arguments[3] = {
        harness_global(harness_memory(&h, "out", NULL, ITEMS * sizeof(int32_t)))};
    for (uint32_t i = 0; i < use->number_count; i++)
        arguments[1 + i] = harness_value(&use->numbers[i], sizeof use->numbers[i]);
    harness_try(&h, use->kernel, harness_range(ITEMS, GROUP), arguments, 1 + use->number_count);
    assert_true(rt_ok(h.status));
    if (h.finding_count != (use->kind != NULL)) {
        fail_msg("%s, level %u, %s: %u findings, the first: %s", use->kernel, level,
                 sim_schedule_name(schedule), h.finding_count,
                 h.finding_count ? h.findings[0].message.data : "-");
    }
    if (use->kind) {
        assert_string_equal(h.findings[0].kind, use->kind);
        assert_int_equal(h.findings[0].count, use->count);
        assert_true(h.findings[0].source_line > 0);
        const char *message = h.findings[0].message.data;
        bool as_said = strncmp(message, use->message, strlen(use->message)) == 0;
        if (schedule == SIM_SCHEDULE_LOCKSTEP && level == 1 && !as_said)
            fail_msg("%s: %s\nnot: %s", use->kernel, message, use->message);
    }
    harness_close(&h);
}

static void uses_check(const wrong_use *uses, size_t count)
{
    for (size_t i = 0; i < count; i++)
        FOR_EACH_BUILT(level, schedule) use_check(&uses[i], level, schedule);
}

/* 600 work-items are 37 sub-groups of 16 and one of 8; three groups are launched. */
static void test_subgroup_misuse(void **state)
{
    (void)state;
    static const wrong_use uses[] = {
        {"fold_some",
         {5},
         1,
         "subgroup-misuse",
         3 * 38 * 5,
         "operation not reached by all work-items of the sub-group; reached by work-item "
         "(0, 0, 0)"},
        {"fold_some", {16}, 1, NULL, 0, NULL},
        {"fold_some", {0}, 1, NULL, 0, NULL},
        {"barrier_some",
         {15},
         1,
         "subgroup-misuse",
         3 * 37 * 15,
         "barrier not reached by all work-items of the sub-group; reached by work-item (0, 0, 0)"},
        {"barrier_some", {16}, 1, NULL, 0, NULL},
        {"barrier_ended",
         {5},
         1,
         "subgroup-misuse",
         3 * 38 * 5,
         "barrier not reached by all work-items of the sub-group; reached by work-item (0, 0, 0)"},
        {"barrier_ended", {16}, 1, NULL, 0, NULL},
        {"whole_subgroups", {0}, 0, NULL, 0, NULL},
        {"broadcast_from",
         {3, 1},
         2,
         "subgroup-misuse",
         ITEMS,
         "broadcast with a source that differs between work-items, by work-item (0, 0, 0)"},
        {"broadcast_from",
         {9, 0},
         2,
         "subgroup-misuse",
         3 * 8,
         "broadcast from a work-item that does not take part, by work-item (592, 0, 0)"},
        {"broadcast_from", {7, 0}, 2, NULL, 0, NULL},
        {"shuffle_from",
         {9},
         1,
         "subgroup-misuse",
         3 * 8,
         "shuffle from a work-item that does not take part, by work-item (592, 0, 0)"},
        {"shuffle_from", {7}, 1, NULL, 0, NULL},
        {"shuffle_down_sum", {0}, 0, NULL, 0, NULL},
    };
    uses_check(uses, sizeof uses / sizeof *uses);
}

static void test_divergent_barriers(void **state)
{
    (void)state;
    static const wrong_use uses[] = {
        {"ended",
         {500},
         1,
         "divergent-barrier",
         500,
         "barrier not reached by all work-items of the group: 500 wait at OpControlBarrier in "},
        {"ended", {600}, 1, NULL, 0, NULL},
        {"ended_whole", {1}, 1, NULL, 0, NULL},
        {"turns",
         {3, 1},
         2,
         "divergent-barrier",
         500,
         "barrier not reached by all work-items of the group: 500 wait at OpControlBarrier in "},
        {"turns", {3, 0}, 2, NULL, 0, NULL},
        {"two_barriers",
         {300},
         1,
         "divergent-barrier",
         300,
         "barrier not reached by all work-items of the group: 300 wait at OpControlBarrier in "
         "'wait_here', line "},
        {"two_barriers", {600}, 1, NULL, 0, NULL},
        {"two_barriers", {0}, 1, NULL, 0, NULL},
        {"two_ways",
         {299},
         1,
         "divergent-barrier",
         299,
         "barrier not reached by all work-items of the group: 299 wait at OpControlBarrier in "
         "'wait_here', line "},
        {"two_ways", {600}, 1, NULL, 0, NULL},
        {"calls_in_turn", {0}, 0, NULL, 0, NULL},
        {"copy_some",
         {500},
         1,
         "divergent-barrier",
         3 * 500,
         "copy not reached by all work-items of the group; reached by work-item (0, 0, 0)"},
        {"copy_some", {600}, 1, NULL, 0, NULL},
        {"group_broadcast_from",
         {7, 1},
         2,
         "undefined-arithmetic",
         ITEMS,
         "broadcast with a source that differs between work-items, by work-item (0, 0, 0)"},
        {"group_broadcast_from", {7, 0}, 2, NULL, 0, NULL},
    };
    uses_check(uses, sizeof uses / sizeof *uses);
}

/* The whole message, with both places: which work-items wait where, and which have ended. */
static void test_divergent_barrier_message(void **state)
{
    (void)state;
    static const struct {
        const char *kernel;
        uint32_t numbers[2], number_count;
        const char *parts[4];
    } rows[] = {
        {"ended",
         {500},
         1,
         {"; 100 have ended, (500, 0, 0) first; reached by work-item (0, 0, 0)"}},
        {"turns",
         {3, 1},
         2,
         {"; 100 wait at OpControlBarrier in '", ", (500, 0, 0) first; reached"}},
        {"two_barriers", {300}, 1, {", line ", "; 300 wait at ", ", (300, 0, 0) first; reached"}},
        {"two_ways", {299}, 1, {"; 301 wait at OpControlBarrier in 'wait_here', line "}},
    };
    FOR_EACH_SCHEDULE(schedule)
    {
        harness h = open_with(schedule, 1);
        for (uint32_t k = 0; k < sizeof rows / sizeof *rows; k++) {
            sim_argument arguments[3] = {
                harness_global(harness_memory(&h, "out", NULL, GROUP * sizeof(int32_t)))};
            for (uint32_t i = 0; i < rows[k].number_count; i++)
                arguments[1 + i] = harness_value(&rows[k].numbers[i], sizeof rows[k].numbers[i]);
            harness_try(&h, rows[k].kernel, harness_range(GROUP, GROUP), arguments,
                        1 + rows[k].number_count);
            assert_int_equal(h.finding_count, 1);
            for (uint32_t p = 0; p < 4 && rows[k].parts[p]; p++) {
                if (strstr(h.findings[0].message.data, rows[k].parts[p])) continue;
                fail_msg("'%s' is not in '%s'", rows[k].parts[p], h.findings[0].message.data);
            }
        }
        harness_close(&h);
    }
}

/* ---- The stack ---------------------------------------------------------------------------- */

/* Runs `mutual` with so many work-items; each result is that of counting down in turns. */
static void recurse(harness *h, sim_argument *arguments, sim_object to, int32_t depth,
                    uint32_t items)
{
    static int32_t out[GROUP];
    arguments[2] = harness_value(&depth, sizeof depth);
    harness_run(h, "mutual", harness_range(items, items), arguments, 3);
    harness_read_back(h, to, out, items * sizeof *out);
    for (int32_t i = 0; i < (int32_t)items; i++)
        assert_int_equal(out[i], depth + i % 3 + (i % 3 == 1 ? 100000 : 0));
}

static void test_mutual_recursion(void **state)
{
    (void)state;
    FOR_EACH_SCHEDULE(schedule)
    {
        harness h = open_with(schedule, 1);
        sim_object table = harness_memory(&h, "table", NULL, 16);
        sim_object to = harness_memory(&h, "out", NULL, GROUP * sizeof(int32_t));
        sim_argument arguments[3] = {harness_global(table), harness_global(to)};
        harness_run(&h, "fill_table", harness_range(1, 1), arguments, 1);
        /* One work-item after the other, three waves of deep stacks take seconds. */
        recurse(&h, arguments, to, 900, schedule == SIM_SCHEDULE_LOCKSTEP ? GROUP : 30);
        recurse(&h, arguments, to, 90, GROUP);
        int32_t depth = 1 << 20;
        arguments[2] = harness_value(&depth, sizeof depth);
        harness_try(&h, "mutual", harness_range(GROUP, GROUP), arguments, 3);
        assert_int_equal(h.status.code, RT_BUDGET);
        assert_int_equal(h.finding_count, 1);
        assert_string_equal(h.findings[0].kind, "stack-exhausted");
        assert_true(h.findings[0].source_line > 0);
        assert_non_null(strstr(h.findings[0].message.data, "the stack is exhausted: call of '"));
        assert_non_null(strstr(h.findings[0].message.data, "' at depth "));
        harness_close(&h);
    }
}

/* Running one work-item at a time takes almost as long as running all together, so the default
 * budget also limits how often that may happen. */
static void test_endless(void **state)
{
    (void)state;
    FOR_EACH_SCHEDULE(schedule)
    {
        harness h = open_with(schedule, 1);
        int32_t first = 0;
        sim_argument argument = harness_global(harness_memory(&h, "out", &first, sizeof first));
        h.budget = 0; /* the default */
        clock_t begin = clock();
        harness_try(&h, "endless", harness_range(8192, 512), &argument, 1);
        assert_int_equal(h.status.code, RT_BUDGET);
        assert_int_equal(h.finding_count, 1);
        assert_string_equal(h.findings[0].kind, "budget");
        double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
        if (seconds > SECONDS_MAX) fail_msg("%s: %g s", sim_schedule_name(schedule), seconds);
        harness_close(&h);
    }
}

static void test_large_variables(void **state)
{
    (void)state;
    static int32_t out[GROUP];
    FOR_EACH_SCHEDULE(schedule)
    {
        harness h = open_with(schedule, 1);
        sim_object to = harness_memory(&h, "out", NULL, sizeof out);
        sim_argument argument = harness_global(to);
        harness_run(&h, "fitting", harness_range(GROUP, GROUP), &argument, 1);
        harness_read_back(&h, to, out, sizeof out);
        for (uint32_t i = 0; i < GROUP; i++)
            assert_int_equal(out[i], 3);
        harness_try(&h, "large", harness_range(GROUP, GROUP), &argument, 1);
        assert_int_equal(h.status.code, RT_BUDGET);
        assert_int_equal(h.finding_count, 1);
        assert_string_equal(h.findings[0].kind, "stack-exhausted");
        assert_non_null(strstr(h.findings[0].message.data, "4194304 bytes of private variables"));
        harness_close(&h);
    }
}

/* ---- Scopes of barriers ------------------------------------------------------------------- */

#define BARRIER(scope)                                                                             \
    SIM_TEST_PRELUDE                                                                               \
    "OpEntryPoint Kernel %main \"main\" %id\nOpDecorate %id BuiltIn GlobalInvocationId\n"          \
    "%void = OpTypeVoid\n%bool = OpTypeBool\n%int = OpTypeInt 32 0\n%long = OpTypeInt 64 0\n"      \
    "%v3 = OpTypeVector %long 3\n%in = OpTypePointer Input %v3\n"                                  \
    "%global = OpTypePointer CrossWorkgroup %int\n%kernel = OpTypeFunction %void %global\n"        \
    "%c0 = OpConstant %int 0\n%c1 = OpConstant %int 1\n%c2 = OpConstant %int 2\n"                  \
    "%c4 = OpConstant %int 4\n%c5 = OpConstant %int 5\n%c7 = OpConstant %int 7\n"                  \
    "%l5 = OpConstant %long 5\n%semantics = OpConstant %int 0x110\n%id = OpVariable %in Input\n"   \
    "%main = OpFunction %void None %kernel\n%out = OpFunctionParameter %global\n"                  \
    "%entry = OpLabel\n%ids = OpLoad %v3 %id Aligned 32\n%x = OpCompositeExtract %long %ids 0\n"   \
    "%i = OpUConvert %int %x\n%few = OpULessThan %bool %x %l5\n"                                   \
    "OpBranchConditional %few %some %all\n%some = OpLabel\n"                                       \
    "OpControlBarrier %" scope " %c1 %semantics\nOpBranch %all\n"                                  \
    "%all = OpLabel\n%to = OpInBoundsPtrAccessChain %global %out %x\n"                             \
    "OpStore %to %i Aligned 4\nOpReturn\nOpFunctionEnd\n"

static void check_refused(const char *text, const char *words)
{
    rt_sink *sink = rt_sink_create();
    sim_module *module = sim_test_module(sink, text);
    sim_program *program;
    rt_status status = sim_program_link(sink, (const sim_module *const *)&module, 1, &program);
    assert_int_equal(status.code, RT_UNSUPPORTED);
    assert_non_null(strstr(rt_sink_diagnostic(sink, status)->message.data, words));
    assert_null(program);
    sim_module_destroy(module);
    rt_sink_destroy(sink);
}

static void test_scopes(void **state)
{
    (void)state;
    /* A barrier with the scope of a single work-item does not wait: five of 300 may reach it. */
    harness h = harness_text(BARRIER("c4"));
    sim_argument argument = harness_global(harness_memory(&h, "out", NULL, 1200));
    harness_run(&h, "main", harness_range(300, 300), &argument, 1);
    harness_close(&h);
    static const char *const refused[] = {BARRIER("c0"), BARRIER("c1"), BARRIER("c5")};
    for (uint32_t i = 0; i < 3; i++)
        check_refused(refused[i],
                      "the execution scope must be work-group, sub-group or invocation");
    sim_test_refused(BARRIER("i"), RT_UNSUPPORTED, "is not a plain constant");
    FOR_EACH_SCHEDULE(schedule)
    {
        h = harness_text(BARRIER("c2"));
        h.schedule = schedule;
        argument = harness_global(harness_memory(&h, "out", NULL, 1200));
        harness_try(&h, "main", harness_range(300, 300), &argument, 1);
        assert_int_equal(h.finding_count, 1);
        assert_string_equal(h.findings[0].kind, "divergent-barrier");
        assert_non_null(strstr(h.findings[0].message.data, "; 295 have ended, (5, 0, 0) first"));
        harness_close(&h);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forward_and_backward),
        cmocka_unit_test(test_seeded),
        cmocka_unit_test(test_order_of_groups),
        cmocka_unit_test(test_missing_barrier_shows),
        cmocka_unit_test(test_spinning_units),
        cmocka_unit_test(test_waiting_in_nested_calls),
        cmocka_unit_test(test_meeting_after_long_loops),
        cmocka_unit_test(test_subgroup_sizes),
        cmocka_unit_test(test_subgroup_misuse),
        cmocka_unit_test(test_divergent_barriers),
        cmocka_unit_test(test_divergent_barrier_message),
        cmocka_unit_test(test_mutual_recursion),
        cmocka_unit_test(test_endless),
        cmocka_unit_test(test_large_variables),
        cmocka_unit_test(test_scopes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
