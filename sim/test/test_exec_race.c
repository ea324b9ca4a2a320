/* Data races: what is found in the kernels of races.cl, and what is not.
 *
 * For every wrong kernel there is a right one that differs in one thing.  What is right and wrong
 * follows from the memory model by hand; it is the same at every level of optimisation and on every
 * engine. */
#include "sim/test/harness.h"

#include <string.h>

#define INTS 16384u

typedef struct race_case {
    const char *kernel;
    const char *kind;   /* of a finding; NULL: there is none */
    const char *object; /* label of its memory; NULL: any */
    uint64_t global[3], local[3];
} race_case;

#define LINE(g, l)                                                                                 \
    {(g), 1, 1},                                                                                   \
    {                                                                                              \
        (l), 1, 1                                                                                  \
    }
#define SILENT(name, g, l)                                                                         \
    {                                                                                              \
#name, NULL, NULL, LINE(g, l)                                                              \
    }
#define RACE(name, object, g, l)                                                                   \
    {                                                                                              \
#name, "race", object, LINE(g, l)                                                          \
    }
#define SAME_VALUE(name, object, g, l)                                                             \
    {                                                                                              \
#name, "same-value-race", object, LINE(g, l)                                               \
    }
#define S "local argument 2"

static const race_case cases[] = {
    SILENT(reduce, 512, 64),
    SILENT(reduce, 1024, 512), /* two waves */
    SILENT(reduce, 64, 1),
    SILENT(reduce_both, 512, 64),
    RACE(reduce_first_wrong, S, 512, 64),
    RACE(reduce_first_wrong, S, 1024, 512),
    RACE(reduce_inner_wrong, S, 512, 64),
    RACE(reduce_flag_wrong, S, 512, 64),
    SILENT(scan, 512, 64),
    SILENT(scan, 2048, 1024),
    RACE(scan_wrong, S, 512, 64),
    SILENT(tiles, 128, 32),
    SILENT(tiles, 600, 300),
    RACE(tiles_before_wrong, S, 128, 32),
    RACE(tiles_after_wrong, S, 128, 32),
    RACE(tiles_after_wrong, S, 600, 300),
    SILENT(two_buffers, 256, 64),
    SILENT(pass_on, 512, 64),
    SILENT(pass_on, 600, 300),
    RACE(pass_on_wrong, "a", 512, 64),
    RACE(pass_on_wrong, "a", 600, 300),
    SILENT(own, 512, 64),
    SILENT(one_for_all, 512, 64),
    RACE(one_for_all_wrong, S, 512, 64),
    SILENT(read_read_write, 64, 16),
    RACE(read_read_write_wrong, "a", 64, 16),
    SILENT(bytes, 512, 64),
    RACE(bytes_wrong, "a", 512, 64),
    SILENT(bytes_in_words, 512, 64),
    RACE(bytes_in_words_wrong, "a", 512, 64),
    SILENT(members, 512, 64),
    SILENT(whole, 512, 64),
    RACE(whole_wrong, "a", 512, 64),
    SILENT(slices, 512, 64),
    RACE(slices_wrong, "a", 512, 64),
    RACE(slices_wrong, "a", 8, 1),
    SILENT(stencil, 512, 64),
    RACE(stencil_wrong, "a", 512, 64),
    RACE(counter_wrong, "a", 512, 64),
    RACE(counter_wrong, "a", 4, 1),
    SILENT(counter_wrong, 1, 1),
    RACE(one_place_wrong, "a", 512, 64),
    SAME_VALUE(one_place_same, "a", 512, 64),
    SAME_VALUE(one_place_same, "a", 4, 1),
    SAME_VALUE(scattered_same, "a", 512, 64),
    RACE(single_pair_wrong, "a", 512, 64),
    RACE(between_groups_wrong, "a", 512, 64),
    SILENT(between_groups_wrong, 64, 64),
    RACE(read_before_other_group_wrong, "a", 512, 64),
    SILENT(chosen_pointer, 512, 64),
    RACE(chosen_pointer_wrong, NULL, 512, 64),
    SILENT(vectors, 512, 64),
    RACE(vectors_wrong, "a", 512, 64),
    SILENT(threes, 512, 64),
    SILENT(longs, 512, 64),
    RACE(longs_wrong, "a", 512, 64),
    SILENT(variable, 512, 64),
    RACE(variable_wrong, "shared_counter", 512, 64),
    {"plane", NULL, NULL, {16, 8, 4}, {4, 4, 2}},
    {"plane", NULL, NULL, {32, 16, 2}, {16, 16, 2}},
    {"plane_wrong", "race", "a", {16, 8, 4}, {4, 4, 2}},
    {"plane_wrong", NULL, NULL, {16, 8, 1}, {4, 4, 1}},
    SILENT(histogram, 512, 64),
    RACE(histogram_wrong, S, 512, 64),
    RACE(histogram_zero_wrong, S, 512, 64),
    RACE(mixed_wrong, "a", 512, 64),
    SILENT(tickets, 512, 64),
    SILENT(scope, 512, 64),
    RACE(scope_wrong, "a", 512, 64),
    SILENT(scope_wrong, 64, 64),
    SILENT(hand_over, 8, 4),
    SILENT(hand_over_seq_cst, 8, 4),
    SILENT(hand_over_fences, 8, 4),
    SILENT(hand_over_half, 8, 4),
    RACE(hand_over_relaxed_wrong, "a", 8, 4),
    RACE(hand_over_store_wrong, "a", 8, 4),
    RACE(hand_over_load_wrong, "a", 8, 4),
    RACE(hand_over_fence_wrong, "a", 8, 4),
    SILENT(hand_over_fence_wrong, 4, 4), /* the scope is wide enough for one group */
    RACE(hand_over_late_wrong, "a", 8, 4),
    SILENT(last_group, 512, 64),
    SILENT(last_group_fences, 512, 64),
    SILENT(last_group_barrier, 512, 64),
    RACE(last_group_relaxed_wrong, "a", 512, 64),
    RACE(last_group_release_wrong, "a", 512, 64),
    RACE(last_group_scope_wrong, "a", 512, 64),
    SILENT(locked, 8, 4),
    RACE(locked_wrong, "a", 8, 4),
    SILENT(local_flag, 8, 4),
    RACE(local_flag_wrong, "a", 8, 4),
    SILENT(copied, 512, 64),
    RACE(copied_wrong, S, 512, 64),
};

typedef struct memories {
    sim_object a, b;
} memories;

static memories memories_make(harness *h)
{
    int32_t *data = rt_alloc(INTS * sizeof *data);
    memories m = {.a = harness_memory(h, "a", data, INTS * sizeof *data)};
    for (uint32_t i = 0; i < INTS; i++)
        data[i] = (int32_t)(i * 7 % 31);
    m.b = harness_memory(h, "b", data, INTS * sizeof *data);
    rt_free(data);
    return m;
}

static void memories_clear(harness *h, memories m)
{
    int32_t *data = rt_alloc(INTS * sizeof *data);
    sim_object_write(h->world, m.a, 0, INTS * sizeof *data, data);
    rt_free(data);
}

static void launch(harness *h, const race_case *c, memories m)
{
    uint64_t items = c->local[0] * c->local[1] * c->local[2];
    sim_argument arguments[] = {harness_global(m.a), harness_global(m.b),
                                harness_local(items * sizeof(int32_t) + 64)};
    sim_range range = {.global = {c->global[0], c->global[1], c->global[2]},
                       .local = {c->local[0], c->local[1], c->local[2]},
                       .dimensions = 3};
    h->budget = UINT64_C(1) << 28;
    harness_try(h, c->kernel, range, arguments, 3);
    if (!rt_ok(h->status)) {
        fail_msg("%s: %s", c->kernel, rt_sink_diagnostic(h->sink, h->status)->message.data);
    }
}

static void judge(const harness *h, const race_case *c)
{
    if (!c->kind && h->finding_count) {
        fail_msg("%s: %s: %s", c->kernel, h->findings[0].kind, h->texts[0][0]);
    }
    if (c->kind && !h->finding_count) fail_msg("%s: nothing was found", c->kernel);
    bool found = !c->kind;
    for (uint32_t i = 0; i < h->finding_count; i++) {
        const char *kind = h->findings[i].kind;
        bool is_race = strcmp(kind, "race") == 0 || strcmp(kind, "same-value-race") == 0;
        if (!is_race) fail_msg("%s: %s: %s", c->kernel, kind, h->texts[i][0]);
        bool there = !c->object || strcmp(h->texts[i][1], c->object) == 0;
        found |= there && c->kind && strcmp(kind, c->kind) == 0;
        /* All values the same: not one may count as worse. */
        bool worse = c->kind && strcmp(c->kind, "race") != 0 && strcmp(kind, "race") == 0;
        if (worse) fail_msg("%s: %s: %s", c->kernel, kind, h->texts[i][0]);
    }
    if (!found) fail_msg("%s: no %s, but %s", c->kernel, c->kind, h->texts[0][0]);
}

static void test_kernels(void **state)
{
    (void)state;
    FOR_EACH_BUILD(level, engine)
    {
        harness h = harness_open_file("races", level, engine);
        memories m = memories_make(&h);
        for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            memories_clear(&h, m);
            launch(&h, &cases[i], m);
            judge(&h, &cases[i]);
        }
        harness_close(&h);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kernels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
