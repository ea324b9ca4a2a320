/* Tests which data races are found in the kernels of races.cl, and that nothing else is reported.
 * Every incorrect kernel has a correct twin that differs in one detail.  The expectations are
 * derived from the memory model by hand; they are the same at every level of optimisation and on
 * every engine. */
#include "sim/test/harness.h"

#include <string.h>

#define INTS 16384u

typedef struct race_case {
    const char *kernel;
    const char *kind;   /* kind of the finding; NULL: no finding is expected */
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
#define MISUSE(name, g, l)                                                                         \
    {                                                                                              \
#name, "copy-misuse", NULL, LINE(g, l)                                                     \
    }
#define UNWAITED(name, g, l)                                                                       \
    {                                                                                              \
#name, "unwaited-copy", NULL, LINE(g, l)                                                   \
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
    SILENT(read_early, 256, 256), /* more reads than are logged at once */
    RACE(read_early_wrong, S, 256, 256),
    SILENT(two_buffers, 256, 64),
    SILENT(pass_on, 512, 64),
    SILENT(pass_on, 600, 300),
    RACE(pass_on_wrong, "a", 512, 64),
    RACE(pass_on_wrong, "a", 600, 300),
    SILENT(atomic_before, 64, 32),
    RACE(atomic_before_wrong, "atomic_before_wrong.t", 64, 32),
    SILENT(atomic_between, 64, 32),
    RACE(atomic_between_wrong, "atomic_between_wrong.t", 64, 32),
    SILENT(byte_between, 64, 32),
    /* Only the first group has cells of four bytes. */
    RACE(byte_between_wrong, "byte_between_wrong.t", 32, 32),
    SILENT(own, 512, 64),
    SILENT(one_for_all, 512, 64),
    RACE(one_for_all_wrong, S, 512, 64),
    SILENT(read_read_write, 64, 16),
    RACE(read_read_write_wrong, "a", 64, 16),
    SILENT(loaded, 512, 64),
    RACE(loaded_wrong, S, 512, 64),
    SILENT(loaded_one, 512, 64),
    RACE(loaded_one_wrong, "a", 512, 64),
    SILENT(loaded_one_wrong, 8, 1),
    RACE(loaded_vector_wrong, "a", 512, 64),
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
    SILENT(strided, 128, 32),
    SILENT(strided, 96, 32),
    SILENT(strided, 40, 8),
    SILENT(strided_down, 128, 32),
    SILENT(strided_down, 96, 32),
    SILENT(strided_vectors, 32, 32),
    SILENT(strided_vectors, 24, 8),
    RACE(strided_wrong, "a", 128, 32),
    RACE(strided_wrong, "a", 40, 8),
    RACE(strided_late_wrong, "a", 128, 32),
    RACE(strided_late_wrong, "a", 40, 8),
    SILENT(mirrored, 512, 64),
    RACE(mirrored_wrong, "a", 512, 64),
    RACE(counter_wrong, "a", 512, 64),
    RACE(counter_wrong, "a", 4, 1),
    SILENT(counter_wrong, 1, 1),
    RACE(one_place_wrong, "a", 512, 64),
    SAME_VALUE(one_place_same, "a", 512, 64),
    SAME_VALUE(one_place_same, "a", 4, 1),
    SAME_VALUE(scattered_same, "a", 512, 64),
    SILENT(middle, 512, 64),
    RACE(middle_wrong, "a", 512, 64),
    SILENT(middle_near, 512, 64),
    RACE(middle_near_wrong, S, 512, 64),
    SILENT(even, 512, 64),
    RACE(even_wrong, S, 512, 64),
    SILENT(every_other, 512, 64),
    RACE(reversed_reads_wrong, "a", 128, 64),
    RACE(folded_wrong, "a", 512, 64),
    RACE(single_pair_wrong, "a", 512, 64),
    RACE(between_groups_wrong, "a", 512, 64),
    SILENT(between_groups_wrong, 64, 64),
    RACE(read_before_other_group_wrong, "a", 512, 64),
    SILENT(chosen_pointer, 512, 64),
    RACE(chosen_pointer_wrong, NULL, 512, 64),
    RACE(overlapping_wrong, "a", 64, 64),
    RACE(overlapping_part_wrong, "a", 64, 64),
    SILENT(not_overlapping, 64, 64),
    SILENT(vectors, 512, 64),
    RACE(vectors_wrong, "a", 512, 64),
    SILENT(threes, 512, 64),
    SILENT(padding, 512, 64),
    RACE(padding_wrong, "a", 512, 64),
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
    RACE(cleared_wrong, "a", 512, 64),
    RACE(cleared_wrong, "a", 4, 1),
    SILENT(cleared_wrong, 64, 64),
    RACE(peeked_wrong, "a", 512, 64),
    SILENT(peeked_wrong, 64, 64),
    SILENT(cleared_atomically, 512, 64),
    RACE(narrow_first_wrong, "a", 512, 64),
    SILENT(narrow_first_wrong, 64, 64),
    RACE(narrow_load_first_wrong, "a", 512, 64),
    SILENT(narrow_load_first_wrong, 64, 64),
    SILENT(own_counter, 512, 64),
    RACE(own_counter_wrong, "a", 512, 64),
    SILENT(tickets, 512, 64),
    SILENT(atomic_then_store, 512, 64),
    RACE(atomic_then_store_wrong, "a", 512, 64),
    SILENT(scope, 512, 64),
    RACE(scope_wrong, "a", 512, 64),
    SILENT(scope_wrong, 64, 64),
    SILENT(last_group, 512, 64),
    SILENT(last_group_fences, 512, 64),
    SILENT(last_group_barrier, 512, 64),
    RACE(last_group_barrier_late_wrong, "a", 512, 64),
    RACE(last_group_relaxed_wrong, "a", 512, 64),
    RACE(last_group_release_wrong, "a", 512, 64),
    RACE(last_group_scope_wrong, "a", 512, 64),
    /* Of more groups than a search examines one by one. */
    SILENT(last_group, 8192, 64),
    SILENT(last_group_fences, 8192, 64),
    SILENT(last_group_barrier, 8192, 64),
    RACE(last_group_relaxed_wrong, "a", 8192, 64),
    RACE(last_group_release_wrong, "a", 8192, 64),
    RACE(last_group_scope_wrong, "a", 8192, 64),
    SILENT(locked, 8, 4),
    RACE(locked_wrong, "a", 8, 4),
    SILENT(copied, 512, 64),
    RACE(copied_wrong, S, 512, 64),
    SILENT(neighbour, 128, 64),
    SILENT(neighbour, 640, 320),
    RACE(neighbour_wrong, S, 128, 64),
    RACE(neighbour_flag_wrong, S, 128, 64),
    RACE(neighbour_value_wrong, S, 128, 64),
    RACE(other_subgroup_wrong, S, 128, 64),
    SILENT(subgroup_scope, 128, 64),
    RACE(subgroup_scope_wrong, "a", 128, 64),
    SILENT(subgroup_reduce, 128, 64),
    RACE(subgroup_reduce_wrong, S, 128, 64),
};

static const race_case copy_cases[] = {
    SILENT(copy_out, 512, 64),
    SILENT(copy_out, 600, 300),
    SILENT(copy_out, 4, 1),
    RACE(copy_out_wrong, S, 512, 64),
    SILENT(copy_out_wrong, 4, 1), /* a single work-item writes before it reaches its copy */
    SILENT(copy_out_reads, 512, 64),
    RACE(copy_out_stores_wrong, S, 512, 64),
    RACE(copy_out_stores_wrong, S, 4, 1),
    RACE(copy_out_read_back_wrong, "a", 512, 64),
    SILENT(copy_in, 512, 64),
    SILENT(copy_in, 600, 300),
    RACE(copy_in_early_wrong, S, 512, 64),
    RACE(copy_in_early_wrong, S, 600, 300),
    RACE(copy_in_early_wrong, S, 1, 1),
    RACE(copy_in_barrier_wrong, S, 512, 64),
    UNWAITED(copy_in_no_wait_wrong, 512, 64),
    SILENT(copy_same, 512, 64),
    MISUSE(copy_target_differs_wrong, 512, 64),
    SILENT(copy_target_differs_wrong, 512, 32), /* the arguments differ only between groups */
    MISUSE(copy_source_differs_wrong, 512, 64),
    MISUSE(copy_count_differs_wrong, 512, 64),
    MISUSE(copy_event_differs_wrong, 512, 64),
    SILENT(wait_same, 512, 64),
    MISUSE(wait_differs_wrong, 512, 64),
    MISUSE(wait_null_wrong, 512, 64),
    SILENT(copy_two, 512, 64),
    RACE(copy_two_wrong, S, 512, 64),
    SILENT(copy_shared_event, 512, 64),
    RACE(copy_overlap_wrong, S, 512, 64),
    RACE(copy_overlap_wrong, S, 4, 1),
    SILENT(copy_back, 512, 64),
    RACE(copy_back_wrong, "a", 512, 64),
    SILENT(copy_ahead, 512, 64),
    SILENT(copy_ahead, 2, 1),
    RACE(copy_ahead_into_same_wrong, NULL, 512, 64),
};

/* Cases in which work-items wait for others that must run before them. */
static const race_case ordered_cases[] = {
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
    SILENT(handed_counter, 8, 4),
    RACE(handed_counter_wrong, "a", 8, 4),
    SILENT(local_flag, 8, 4),
    RACE(local_flag_wrong, "a", 8, 4),
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
        bool is_expected = strcmp(kind, "race") == 0 || strcmp(kind, "same-value-race") == 0 ||
                           strcmp(kind, "unwaited-copy") == 0 ||
                           (c->kind && strcmp(kind, c->kind) == 0);
        if (!is_expected) fail_msg("%s: %s: %s", c->kernel, kind, h->texts[i][0]);
        bool there = !c->object || strcmp(h->texts[i][1], c->object) == 0;
        found |= there && c->kind && strcmp(kind, c->kind) == 0;
        /* If all values are the same, no finding may be a plain race. */
        bool worse = c->kind && strcmp(c->kind, "race") != 0 && strcmp(kind, "race") == 0;
        if (worse) fail_msg("%s: %s: %s", c->kernel, kind, h->texts[i][0]);
    }
    if (!found) fail_msg("%s: no %s, but %s", c->kernel, c->kind, h->texts[0][0]);
}

/* A hash of the findings, to compare engines. */
static uint64_t digest(const harness *h)
{
    uint64_t hash = UINT64_C(14695981039346656037);
    for (uint32_t i = 0; i < h->finding_count; i++) {
        for (const char *c = h->texts[i][0]; *c; c++)
            hash = (hash ^ (uint8_t)*c) * UINT64_C(1099511628211);
        hash = (hash ^ h->findings[i].count) * UINT64_C(1099511628211);
    }
    return hash;
}

/* Runs all cases on every engine; the findings must be the same on each. */
static void run_cases(const race_case *list, uint32_t count)
{
    for (uint32_t level = 0; level < 3; level++) {
        uint64_t *first = rt_alloc_array(count, sizeof *first);
        for (uint32_t engine = 0; engine < SIM_ENGINE_COUNT; engine++) {
            if (!sim_engine_at(engine)) continue;
            harness h = harness_open_file("races", level, engine);
            memories m = memories_make(&h);
            for (uint32_t i = 0; i < count; i++) {
                memories_clear(&h, m);
                launch(&h, &list[i], m);
                judge(&h, &list[i]);
                if (engine == 0) first[i] = digest(&h);
                if (first[i] != digest(&h))
                    fail_msg("%s: engine %u differs", list[i].kernel, engine);
            }
            harness_close(&h);
        }
        rt_free(first);
    }
}

static void test_kernels(void **state)
{
    (void)state;
    run_cases(cases, sizeof cases / sizeof *cases);
}

static void test_copies(void **state)
{
    (void)state;
    run_cases(copy_cases, sizeof copy_cases / sizeof *copy_cases);
}

static void test_waiting(void **state)
{
    (void)state;
    HARNESS_IN_ORDER();
    run_cases(ordered_cases, sizeof ordered_cases / sizeof *ordered_cases);
}

/* Shadows live as long as their memory: an access in an earlier launch never conflicts with a later
 * launch, whether stamps continue or restart in the middle of a launch. */
static void test_launches_in_sequence(void **state)
{
    (void)state;
    harness h = harness_open_file("races", 1, sim_engine_best());
    memories m = memories_make(&h), swapped = {.a = m.b, .b = m.a};
    for (uint32_t turn = 0; turn < 3; turn++) {
        for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            if (cases[i].kind) continue;
            if (turn == 2) h.world->race_limit = 2600;
            memories_clear(&h, turn == 1 ? swapped : m);
            launch(&h, &cases[i], turn == 1 ? swapped : m);
            judge(&h, &cases[i]);
        }
    }
    static const race_case stencil = {"stencil", NULL, NULL, LINE(512, 64)};
    for (uint32_t turn = 0; turn < 4; turn++) {
        launch(&h, &stencil, turn & 1 ? swapped : m);
        judge(&h, &stencil);
    }
    harness_close(&h);
}

/* Races are found by object, not by parameter. */
static void test_one_memory_twice(void **state)
{
    (void)state;
    static const race_case stencil = {"stencil", "race", "a", LINE(512, 64)};
    static const race_case own = {"whole", NULL, NULL, LINE(1, 1)};
    harness h = harness_open_file("races", 1, sim_engine_best());
    memories m = memories_make(&h);
    m.b = m.a;
    launch(&h, &stencil, m);
    judge(&h, &stencil);
    launch(&h, &own, m);
    judge(&h, &own);
    harness_close(&h);
}

static void test_pointers_in_memory(void **state)
{
    (void)state;
    static const race_case right = {"pointer_in_memory", NULL, NULL, LINE(512, 64)};
    static const race_case wrong = {"pointer_in_memory_wrong", "race", "c", LINE(512, 64)};
    for (uint32_t level = 0; level < 3; level++) {
        harness h = harness_open_file("races", level, sim_engine_best());
        memories m = memories_make(&h);
        sim_object c = harness_memory(&h, "c", NULL, 4096);
        uint64_t address = sim_object_address(c);
        sim_object_write(h.world, m.b, 0, sizeof address, &address);
        launch(&h, &right, m);
        judge(&h, &right);
        launch(&h, &wrong, m);
        judge(&h, &wrong);
        harness_close(&h);
    }
}

/* Memory that a kernel only reads has no shadow, and memory that it only writes has no readers. The
 * stores are mirrored because compiled code does not record those of work-items that keep to
 * consecutive parts (exec/undo.h). */
static void test_contents_of_shadows(void **state)
{
    (void)state;
    static const race_case mirrored = {"mirrored", NULL, NULL, LINE(512, 64)};
    harness h = harness_open_file("races", 1, sim_engine_best());
    sim_world_use_threads(h.world, 1); /* threads have separate worlds */
    memories m = memories_make(&h);
    launch(&h, &mirrored, m);
    assert_null(sim_world_memory(h.world, m.b)->race);
    const sim_race_shadow *shadow = sim_world_memory(h.world, m.a)->race;
    assert_non_null(shadow);
    assert_non_null(shadow->cells[SIM_RACE_WRITES]);
    assert_null(shadow->cells[SIM_RACE_READS]);
    assert_null(shadow->cells[SIM_RACE_ATOMIC_WRITES]);
    assert_int_equal(shadow->shift, 2); /* four bytes of shadow for four bytes */
    harness_close(&h);
}

static void test_messages(void **state)
{
    (void)state;
    HARNESS_IN_ORDER();
    static const race_case wrong = {"one_for_all_wrong", "race", S, LINE(512, 64)};
    static const race_case same = {"one_place_same", "same-value-race", "a", LINE(512, 64)};
    harness h = harness_open_file("races", 1, sim_engine_best());
    memories m = memories_make(&h);
    launch(&h, &wrong, m);
    assert_int_equal(h.finding_count, 1);
    static const char start[] = "load of 4 bytes at offset 0 of 'local argument 2' by work-item "
                                "(1, 0, 0) and the store by work-item (0, 0, 0)";
    static const char end[] = " are not ordered";
    const char *text = h.texts[0][0];
    assert_int_equal(strncmp(text, start, sizeof start - 1), 0);
    assert_string_equal(text + strlen(text) - (sizeof end - 1), end);
    assert_int_equal(h.findings[0].work_item[0], 1);
    assert_int_equal(h.findings[0].offset, 0);
    assert_int_equal(h.findings[0].count, 512 - 8); /* all but the work-items that wrote it */
    assert_true(h.findings[0].source_line > 0);
    assert_true(h.findings[0].other_line > 0);
    assert_true(h.findings[0].other_line != h.findings[0].source_line);
    launch(&h, &same, m);
    text = h.texts[0][0];
    static const char same_end[] = "are not ordered; the value stays the same";
    assert_string_equal(text + strlen(text) - (sizeof same_end - 1), same_end);
    static const race_case early = {"copy_in_early_wrong", "race", S, LINE(512, 64)};
    launch(&h, &early, m);
    assert_int_equal(h.finding_count, 1);
    assert_string_equal(h.texts[0][0],
                        "load of 4 bytes at offset 0 of 'local argument 2' by work-item (0, 0, 0) "
                        "and the store by an asynchronous copy begun by the group are not ordered");
    assert_int_equal(h.findings[0].count, 512);
    assert_int_equal(h.findings[0].other_line + 1, h.findings[0].source_line);
    harness_close(&h);
}

/* The first finding of incorrect kernels: its message up to the place of the second access, and how
 * many accesses it concerns, which follow from the order of the accesses in lockstep, group after
 * group.  In each iteration, all loads of a statement precede its stores. */
static void test_first_findings(void **state)
{
    (void)state;
    if (harness_schedule() != SIM_SCHEDULE_LOCKSTEP) skip();
    static const struct {
        const char *kernel;
        uint64_t global, local, count;
        const char *message;
    } rows[] = {
        /* Half of each group loads what the other half has stored. */
        {"reduce_first_wrong", 512, 64, 8 * 32,
         "load of 4 bytes at offset 128 of 'local argument 2' by work-item (0, 0, 0) and the store "
         "by work-item (32, 0, 0) are not ordered"},
        {"reduce_inner_wrong", 512, 64, 8 * (16 + 8 + 4 + 2 + 1),
         "load of 4 bytes at offset 64 of 'local argument 2' by work-item (0, 0, 0) and the store "
         "by work-item (16, 0, 0) are not ordered"},
        {"reduce_flag_wrong", 512, 64, 8 * (32 + 16 + 8 + 4 + 2 + 1),
         "load of 4 bytes at offset 128 of 'local argument 2' by work-item (0, 0, 0) and the store "
         "by work-item (32, 0, 0) are not ordered"},
        /* Of the stores in steps of 1, 2, 4, 8 and 16 elements, those that two work-items load. */
        {"scan_wrong", 512, 64, 8 * (62 + 60 + 56 + 48 + 32),
         "store of 4 bytes at offset 4 of 'local argument 2' by work-item (1, 0, 0) and the load "
         "by another work-item of the group are not ordered"},
        {"tiles_before_wrong", 128, 32, 4 * 4 * 32 * 31,
         "load of 4 bytes at offset 0 of 'local argument 2' by work-item (1, 0, 0) and the store "
         "by work-item (0, 0, 0) are not ordered"},
        {"read_early_wrong", 256, 256, 256,
         "store of 4 bytes at offset 0 of 'local argument 2' by work-item (0, 0, 0) and the load "
         "by another work-item of the group are not ordered"},
        {"pass_on_wrong", 512, 64, 512,
         "load of 4 bytes at offset 4 of 'a' by work-item (0, 0, 0) and the store by work-item "
         "(1, 0, 0) are not ordered"},
        {"read_read_write_wrong", 64, 16, 4,
         "store of 4 bytes at offset 0 of 'a' by work-item (3, 0, 0) and the load by another "
         "work-item of the group are not ordered"},
        {"loaded_wrong", 512, 64, 512,
         "store of 4 bytes at offset 0 of 'local argument 2' by work-item (0, 0, 0) and the load "
         "by work-item (63, 0, 0) are not ordered"},
        {"loaded_one_wrong", 512, 64, 8,
         "store of 4 bytes at offset 0 of 'a' by work-item (0, 0, 0) and the load by another "
         "work-item of the group are not ordered"},
        {"bytes_in_words_wrong", 512, 64, 1,
         "store of 1 bytes at offset 27 of 'a' by work-item (5, 0, 0) and the store by work-item "
         "(6, 0, 0) are not ordered"},
        {"whole_wrong", 512, 64, 1,
         "store of 1 bytes at offset 28 of 'a' by work-item (9, 0, 0) and the store by work-item "
         "(3, 0, 0) are not ordered"},
        {"slices_wrong", 8, 1, 7,
         "store of 4 bytes at offset 32 of 'a' by work-item (1, 0, 0) and the store by work-item "
         "(0, 0, 0) are not ordered"},
        {"stencil_wrong", 512, 64, 511,
         "store of 4 bytes at offset 4 of 'a' by work-item (1, 0, 0) and the load by work-item "
         "(0, 0, 0) are not ordered"},
        {"mirrored_wrong", 512, 64, 256,
         "store of 4 bytes at offset 2044 of 'a' by work-item (1, 0, 0) and the store by work-item "
         "(0, 0, 0) are not ordered"},
        /* The loads of the first group precede all stores. */
        {"counter_wrong", 512, 64, 7 * 64,
         "load of 4 bytes at offset 0 of 'a' by work-item (64, 0, 0) and the store by work-item "
         "(63, 0, 0) are not ordered"},
        {"one_place_wrong", 512, 64, 511,
         "store of 4 bytes at offset 4 of 'a' by work-item (1, 0, 0) and the store by work-item "
         "(0, 0, 0) are not ordered"},
        /* 170 places for three work-items and one for two. */
        {"scattered_same", 512, 64, 170 * 2 + 1,
         "store of 4 bytes at offset 0 of 'a' by work-item (1, 0, 0) and the store by work-item "
         "(0, 0, 0) are not ordered; the value stays the same"},
        {"middle_wrong", 512, 64, 8 * 2,
         "load of 4 bytes at offset 80 of 'a' by work-item (20, 0, 0) and the store by work-item "
         "(40, 0, 0) are not ordered"},
        {"middle_near_wrong", 512, 64, 8 * 2,
         "store of 4 bytes at offset 80 of 'local argument 2' by work-item (20, 0, 0) and the load "
         "by work-item (40, 0, 0) are not ordered"},
        {"even_wrong", 512, 64, 8 * 32,
         "store of 4 bytes at offset 0 of 'local argument 2' by work-item (0, 0, 0) and the load by "
         "work-item (62, 0, 0) are not ordered"},
        /* Of the work-items of the first group, 0 has read the second place and 1 the first. */
        {"reversed_reads_wrong", 128, 64, 2,
         "store of 4 bytes at offset 4 of 'a' by work-item (64, 0, 0) and the load by a work-item "
         "of another group are not ordered"},
        {"folded_wrong", 512, 64, 8 * 32,
         "store of 4 bytes at offset 32 of 'a' by work-item (32, 0, 0) and the store by work-item "
         "(0, 0, 0) are not ordered"},
        {"single_pair_wrong", 512, 64, 1,
         "store of 4 bytes at offset 28 of 'a' by work-item (9, 0, 0) and the store by work-item "
         "(7, 0, 0) are not ordered"},
        {"between_groups_wrong", 512, 64, 7 * 64,
         "store of 4 bytes at offset 256 of 'a' by work-item (64, 0, 0) and the load by work-item "
         "(0, 0, 0) are not ordered"},
        {"read_before_other_group_wrong", 512, 64, 1,
         "store of 4 bytes at offset 0 of 'a' by work-item (448, 0, 0) and the load by a work-item "
         "of another group are not ordered"},
        {"overlapping_wrong", 64, 64, 63,
         "store of 8 bytes at offset 4 of 'a' by work-item (1, 0, 0) and the store by work-item "
         "(0, 0, 0) are not ordered"},
        {"vectors_wrong", 512, 64, 511,
         "store of 16 bytes at offset 12 of 'a' by work-item (1, 0, 0) and the store by work-item "
         "(0, 0, 0) are not ordered"},
        {"padding_wrong", 512, 64, 511,
         "load of 12 bytes at offset 0 of 'a' by work-item (1, 0, 0) and the store by work-item "
         "(0, 0, 0) are not ordered"},
        {"longs_wrong", 512, 64, 1,
         "store of 4 bytes at offset 68 of 'a' by work-item (3, 0, 0) and the store by work-item "
         "(8, 0, 0) are not ordered"},
        {"cleared_wrong", 512, 64, 7 * 64,
         "atomic of 4 bytes at offset 0 of 'a' by work-item (64, 0, 0) and the store by work-item "
         "(0, 0, 0) are not ordered"},
        {"peeked_wrong", 512, 64, 7 * 64,
         "atomic of 4 bytes at offset 0 of 'a' by work-item (64, 0, 0) and the load by work-item "
         "(0, 0, 0) are not ordered"},
        {"narrow_load_first_wrong", 512, 64, 7 * 64,
         "atomic of 4 bytes at offset 0 of 'a' by work-item (64, 0, 0) and the atomic by work-item "
         "(0, 0, 0) are not ordered, and the scope of one does not include the other"},
        {"own_counter_wrong", 512, 64, 7,
         "store of 4 bytes at offset 4 of 'a' by work-item (64, 0, 0) and the atomic by work-item "
         "(63, 0, 0) are not ordered"},
        {"scope_wrong", 512, 64, 7 * 64,
         "atomic of 4 bytes at offset 0 of 'a' by work-item (64, 0, 0) and the atomic by work-item "
         "(63, 0, 0) are not ordered, and the scope of one does not include the other"},
        {"atomic_then_store_wrong", 512, 64, 8,
         "store of 4 bytes at offset 0 of 'a' by work-item (1, 0, 0) and the atomic by another "
         "work-item of the group are not ordered"},
        {"hand_over_relaxed_wrong", 8, 4, 7,
         "load of 4 bytes at offset 20 of 'a' by work-item (1, 0, 0) and the store by work-item "
         "(0, 0, 0) are not ordered"},
        {"hand_over_fence_wrong", 8, 4, 4,
         "load of 4 bytes at offset 20 of 'a' by work-item (4, 0, 0) and the store by work-item "
         "(0, 0, 0) are not ordered"},
        {"local_flag_wrong", 8, 4, 6,
         "load of 4 bytes at offset 0 of 'a' by work-item (1, 0, 0) and the store by work-item "
         "(0, 0, 0) are not ordered"},
    };
    for (uint32_t engine = 0; engine < SIM_ENGINE_COUNT; engine++) {
        if (!sim_engine_at(engine)) continue;
        /* Compiling takes long. */
        if (getenv("SIM_TEST_TIER") && engine != sim_engine_best()) continue;
        /* At this level, statements are neither split nor repeated. */
        harness h = harness_open_file("races", 1, engine);
        memories m = memories_make(&h);
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            const race_case wrong = {rows[i].kernel, "race", NULL,
                                     LINE(rows[i].global, rows[i].local)};
            memories_clear(&h, m);
            launch(&h, &wrong, m);
            if (h.finding_count == 0) fail_msg("%s: nothing was found", wrong.kernel);
            if (strcmp(h.texts[0][0], rows[i].message) != 0)
                fail_msg("%s: %s, expected %s", wrong.kernel, h.texts[0][0], rows[i].message);
            if (h.findings[0].count != rows[i].count)
                fail_msg("%s: %u accesses, expected %u", wrong.kernel,
                         (unsigned)h.findings[0].count, (unsigned)rows[i].count);
        }
        harness_close(&h);
    }
}

/* Rows of accesses whose order is plain are recorded row by row: the quick way must not be lost. */
static void test_quick_rows(void **state)
{
    (void)state;
    static const race_case rows[] = {
        SILENT(scan, 512, 64),
        SILENT(scan, 2048, 1024),
        SILENT(read_early, 256, 256),
        SILENT(two_buffers, 256, 64),
        SILENT(pass_on, 512, 64),
        SILENT(pass_on, 600, 300),
        SILENT(own, 512, 64),
        SILENT(loaded, 512, 64),
        SILENT(middle, 512, 64),
        SILENT(middle_near, 512, 64),
        SILENT(even, 512, 64),
        SILENT(every_other, 512, 64),
        SILENT(bytes, 512, 64),
        SILENT(bytes_in_words, 512, 64),
        SILENT(members, 512, 64),
        SILENT(whole, 512, 64),
        SILENT(slices, 512, 64),
        SILENT(stencil, 512, 64),
        SILENT(mirrored, 512, 64),
        SILENT(not_overlapping, 64, 64),
        SILENT(vectors, 512, 64),
        SILENT(threes, 512, 64),
        SILENT(longs, 512, 64),
        {"plane", NULL, NULL, {16, 8, 4}, {4, 4, 2}},
        SILENT(cleared_atomically, 512, 64),
        SILENT(tickets, 512, 64),
    };
    if (harness_schedule() != SIM_SCHEDULE_LOCKSTEP) skip();
    harness h = harness_open_file("races", 2, sim_engine_best());
    h.world->pack_steps = UINT64_MAX;
    memories m = memories_make(&h);
    /* The first launch of a kernel may have to find out how its accesses are recorded. */
    for (size_t i = 0; i < 2 * (sizeof rows / sizeof *rows); i++) {
        const race_case *c = &rows[i / 2];
        memories_clear(&h, m);
        h.world->lane_accesses = 0;
        launch(&h, c, m);
        judge(&h, c);
        if (i % 2 && h.world->lane_accesses)
            fail_msg("%s: %u accesses lane by lane", c->kernel, (unsigned)h.world->lane_accesses);
    }
    harness_close(&h);
}

/* ---- Text modules -----------------------------------------------------------------------------
 */

/* k(int n, global int *none, global int *a, local int *s, global int *b); %w is the work-item. */
#define K(variables, body)                                                                         \
    SIM_TEST_PRELUDE "OpEntryPoint Kernel %k \"k\" %gid\n"                                         \
                     "OpDecorate %gid BuiltIn GlobalInvocationId\n%void = OpTypeVoid\n"            \
                     "%bool = OpTypeBool\n%i32 = OpTypeInt 32 0\n%i64 = OpTypeInt 64 0\n"          \
                     "%v3 = OpTypeVector %i64 3\n%pin = OpTypePointer Input %v3\n"                 \
                     "%g = OpTypePointer CrossWorkgroup %i32\n%l = OpTypePointer Workgroup %i32\n" \
                     "%c0 = OpConstant %i32 0\n%c1 = OpConstant %i32 1\n%c2 = OpConstant %i32 2\n" \
                     "%l3 = OpConstant %i64 3\n%gid = OpVariable %pin Input\n" variables           \
                     "%kt = OpTypeFunction %void %i32 %g %g %l %g\n"                               \
                     "%k = OpFunction %void None %kt\n%n = OpFunctionParameter %i32\n"             \
                     "%none = OpFunctionParameter %g\n%a = OpFunctionParameter %g\n"               \
                     "%s = OpFunctionParameter %l\n%b = OpFunctionParameter %g\n"                  \
                     "%entry = OpLabel\n%all = OpLoad %v3 %gid\n"                                  \
                     "%x = OpCompositeExtract %i64 %all 0\n%w = OpUConvert %i32 %x\n" body         \
                     "OpReturn\nOpFunctionEnd\n"
/* Work-item 0 does something else than the others. */
#define FIRST(is, other)                                                                           \
    "%is = OpIEqual %bool %w %c0\nOpSelectionMerge %m None\nOpBranchConditional %is %y %z\n"       \
    "%y = OpLabel\n" is "OpBranch %m\n%z = OpLabel\n" other "OpBranch %m\n%m = OpLabel\n"
#define LAST(pointer, name) "%" name " = OpInBoundsPtrAccessChain %g %" pointer " %l3\n"
#define VARIABLE            "%variable = OpVariable %g CrossWorkgroup %c1\n"

static const char *text_run(harness *h, bool has_none)
{
    static const uint32_t zeros[4];
    uint32_t n = 0;
    sim_object none = has_none ? harness_memory(h, "none", zeros, sizeof zeros) : 0;
    const sim_argument arguments[] = {harness_value(&n, sizeof n), harness_global(none),
                                      harness_global(harness_memory(h, "a", zeros, sizeof zeros)),
                                      harness_local(16),
                                      harness_global(harness_memory(h, "b", zeros, sizeof zeros))};
    harness_try(h, "k", harness_range(8, 4), arguments, 5);
    if (!rt_ok(h->status)) fail_msg("%s", rt_sink_diagnostic(h->sink, h->status)->message.data);
    if (!h->finding_count) return "";
    assert_string_equal(h->findings[0].kind, "race");
    return h->texts[0][1][0] ? h->texts[0][1] : "no name";
}

/* In which of the arguments there is a race does not depend on the others. */
static void test_arguments(void **state)
{
    (void)state;
    static const struct {
        const char *text, *object;
        uint32_t offset;
    } rows[] = {
        {K("", "OpStore %a %w\n"), "a", 0},
        {K("", "OpStore %b %w\n"), "b", 0},
        {K("", "%v = OpLoad %i32 %a\nOpStore %b %w\n"), "b", 0},
        {K("", "%v = OpLoad %i32 %b\nOpStore %a %w\n"), "a", 0},
        {K("", LAST("b", "p") "OpStore %p %w\n"), "b", 12},
        {K("", "%v = OpLoad %i32 %a\n%u = OpLoad %i32 %b\n"), "", 0},
        /* An atomic of the last element. */
        {K("",
           LAST("a", "p") FIRST("OpStore %p %c1\n", "%old = OpAtomicIAdd %i32 %p %c1 %c0 %c1\n")),
         "a", 12},
        {K("", LAST("b", "p") FIRST("%v = OpLoad %i32 %p\nOpStore %a %v\n",
                                    "%old = OpAtomicIAdd %i32 %p %c1 %c0 %c1\n")),
         "b", 12},
        {K("", LAST("a", "p") "%old = OpAtomicIAdd %i32 %p %c1 %c0 %c1\n"), "", 0},
        {K(VARIABLE, "OpStore %variable %w\n"), "no name", 0},
    };
    for (uint32_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (uint32_t has_none = 0; has_none < 2; has_none++) {
            harness h = harness_text(rows[i].text);
            const char *object = text_run(&h, has_none);
            if (strcmp(object, rows[i].object) != 0)
                fail_msg("%u: '%s', expected '%s'", i, object, rows[i].object);
            if (object[0]) assert_int_equal(h.findings[0].offset, rows[i].offset);
            harness_close(&h);
        }
    }
}

/* A world's other programs have variables of their own. */
static void test_two_programs(void **state)
{
    (void)state;
    static const char text[] = K(VARIABLE, "OpStore %variable %w\n");
    for (uint32_t first = 0; first < 2; first++) {
        harness a = harness_text(text), b = harness_text(text);
        sim_world *own = b.world;
        b.world = a.world;
        b.checks_fate = a.checks_fate = false; /* of the kernel's name there are two */
        if (first == 0) assert_string_not_equal(text_run(&a, true), "");
        assert_string_not_equal(text_run(&b, true), "");
        if (first == 1) assert_string_not_equal(text_run(&a, true), "");
        sim_world_destroy(a.world);
        a.world = own;
        b.world = sim_world_create(b.sink, 1);
        harness_close(&b);
        harness_close(&a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kernels),
        cmocka_unit_test(test_copies),
        cmocka_unit_test(test_waiting),
        cmocka_unit_test(test_launches_in_sequence),
        cmocka_unit_test(test_one_memory_twice),
        cmocka_unit_test(test_pointers_in_memory),
        cmocka_unit_test(test_contents_of_shadows),
        cmocka_unit_test(test_messages),
        cmocka_unit_test(test_first_findings),
        cmocka_unit_test(test_quick_rows),
        cmocka_unit_test(test_arguments),
        cmocka_unit_test(test_two_programs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
