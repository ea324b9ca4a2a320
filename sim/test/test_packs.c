/* Tests that launches in packs give the same bytes, the same definedness and the same findings as
 * one group after the other, and which launches run in packs. The other execution tests also run
 * with SIM_TEST_PACKS. */
#include "reference/base/alloc.h"
#include "sim/test/harness.h"

#define INTS 4096u

typedef struct pack_case {
    const char *kernel;
    sim_range range;
    bool is_packed;
} pack_case;

#define LINE(size, group)                                                                          \
    {                                                                                              \
        .global = {(size), 1, 1}, .local = {(group), 1, 1}, .dimensions = 1                        \
    }
#define BOX(x, y, z, in_x, in_y, in_z)                                                             \
    {                                                                                              \
        .global = {(x), (y), (z)}, .local = {(in_x), (in_y), (in_z)}, .offset = {3, 5, 7},         \
        .dimensions = 3                                                                            \
    }

static const pack_case cases[] = {
    {"reduced", LINE(2048, 64), true},
    {"reduced", LINE(2048, 16), true},
    {"reduced", LINE(160, 16), true},   /* fewer groups than fit */
    {"reduced", LINE(16, 16), false},   /* one group */
    {"reduced", LINE(512, 256), false}, /* groups that fill a wave */
    {"reduced", LINE(512, 128), true},
    {"spread", LINE(2048, 16), true},
    {"spread", LINE(2040, 6), true}, /* the last pack is smaller */
    {"spread", LINE(2047, 1), true},
    {"loops", LINE(2048, 32), true},
    {"loops", LINE(1000, 8), true},
    {"waits", LINE(2048, 64), false},
    {"turned", LINE(2048, 64), false},
    {"pointed", LINE(2048, 16), true},
    {"numbered", BOX(8, 6, 4, 4, 2, 1), true},
    {"numbered", BOX(9, 8, 5, 3, 1, 5), true},
    {"beyond_wrong", LINE(2048, 16), false},
    {"race_wrong", LINE(2048, 64), false},
    {"meets_wrong", LINE(2048, 64), false},
    {"unknown_wrong", LINE(2048, 16), false},
    {"missing_wrong", LINE(2048, 16), false},
    {"counted", LINE(2048, 64), false},
    {"summed", LINE(2048, 64), false},
};

/* The observable results of two launches. */
typedef struct outcome {
    uint8_t bytes[INTS * 4], defined[INTS * 4 / 8];
    uint32_t finding_count, packed_count;
    char texts[FINDINGS_MAX][64 + 512]; /* a kind and a message of the harness */
    uint64_t counts[FINDINGS_MAX];
    rt_code code;
} outcome;

static void run(const pack_case *c, uint32_t level, bool packs, outcome *out)
{
    harness h = harness_open_file("packs", level, sim_engine_best());
    int32_t *data = rt_alloc(INTS * sizeof *data);
    for (uint32_t i = 0; i < INTS; i++)
        data[i] = (int32_t)(i * 37 % 101);
    sim_object a = harness_memory(&h, "a", NULL, INTS * sizeof *data);
    sim_object b = harness_memory(&h, "b", data, INTS * sizeof *data);
    rt_free(data);
    uint64_t items = c->range.local[0] * c->range.local[1] * c->range.local[2];
    sim_argument arguments[] = {harness_global(a), harness_global(b), harness_local(items * 4)};
    h.world->pack_steps = packs ? 0 : UINT64_MAX;
    h.world->packed_count = 0;
    /* What the first launch left must not matter to the second. */
    harness_try(&h, c->kernel, c->range, arguments, 3);
    harness_try(&h, c->kernel, c->range, arguments, 3);
    *out = (outcome){.finding_count = h.finding_count,
                     .packed_count = h.world->packed_count,
                     .code = h.status.code};
    harness_read_back(&h, a, out->bytes, sizeof out->bytes);
    sim_object_defined(h.world, a, 0, sizeof out->bytes, out->defined);
    for (uint32_t i = 0; i < h.finding_count; i++) {
        snprintf(out->texts[i], sizeof out->texts[i], "%s: %s", h.findings[i].kind, h.texts[i][0]);
        out->counts[i] = h.findings[i].count;
    }
    harness_close(&h);
}

static void packs_change_nothing(void **state)
{
    (void)state;
    outcome *single = rt_alloc(sizeof *single), *packed = rt_alloc(sizeof *packed);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const pack_case *c = &cases[i];
        bool is_wrong = strstr(c->kernel, "_wrong") != NULL;
        for (uint32_t level = 0; level < 3; level++) {
            run(c, level, false, single);
            run(c, level, true, packed);
            assert_int_equal(packed->code, single->code);
            assert_memory_equal(packed->bytes, single->bytes, sizeof single->bytes);
            assert_memory_equal(packed->defined, single->defined, sizeof single->defined);
            assert_int_equal(packed->finding_count, single->finding_count);
            if ((single->finding_count > 0) != is_wrong)
                fail_msg("%s at level %u: %u findings", c->kernel, level, single->finding_count);
            for (uint32_t k = 0; k < single->finding_count; k++) {
                assert_string_equal(packed->texts[k], single->texts[k]);
                assert_int_equal(packed->counts[k], single->counts[k]);
            }
            assert_int_equal(single->packed_count, 0);
            if (packed->packed_count != (c->is_packed ? 2u : 0u))
                fail_msg("%s at level %u: %u launches ran in packs", c->kernel, level,
                         packed->packed_count);
        }
    }
    rt_free(single);
    rt_free(packed);
}

/* Results computed by hand: otherwise both runs could be wrong. */
static void packs_compute_correct_results(void **state)
{
    (void)state;
    outcome *packed = rt_alloc(sizeof *packed);
    int32_t got[INTS];
    run(&(pack_case){"spread", LINE(2040, 6), true}, 2, true, packed);
    memcpy(got, packed->bytes, sizeof got);
    for (int32_t i = 0; i < 2040; i++)
        assert_int_equal(got[i], i / 6 * 37 % 101 + i / 6 + i % 6 % 3);
    run(&(pack_case){"pointed", LINE(2048, 16), true}, 2, true, packed);
    memcpy(got, packed->bytes, sizeof got);
    for (int32_t i = 0; i < 2048; i++) {
        int32_t from = i & 1 ? i / 16 * 16 + 15 - i % 16 : i;
        assert_int_equal(got[i], from * 37 % 101 * 2 + i % 16 * 4);
    }
    rt_free(packed);
}

/* A kernel that has not run for long is not decoded again, and one that packs do not make quicker
 * is not packed again. */
static void packs_must_pay(void **state)
{
    (void)state;
    for (uint32_t is_long = 0; is_long < 2; is_long++) {
        harness h = harness_open_file("packs", 2, sim_engine_best());
        uint8_t zeros[INTS * 4] = {0};
        sim_object a = harness_memory(&h, "a", zeros, sizeof zeros);
        sim_object b = harness_memory(&h, "b", zeros, sizeof zeros);
        sim_argument arguments[] = {harness_global(a), harness_global(b), harness_local(64)};
        h.world->pack_steps = is_long ? 1 : UINT64_MAX - 1;
        for (uint32_t i = 0; i < 3; i++)
            harness_run(&h, "reduced", harness_range(INTS, 16), arguments, 3);
        assert_int_equal(h.world->packed_count, is_long ? 2 : 0);
        harness_close(&h);
    }
}

/* A budget that all groups together exceed, although no pack does. */
static void budget_is_that_of_all(void **state)
{
    (void)state;
    harness h = harness_open_file("packs", 2, sim_engine_best());
    uint8_t zeros[INTS * 4] = {0};
    sim_object a = harness_memory(&h, "a", zeros, sizeof zeros);
    sim_object b = harness_memory(&h, "b", zeros, sizeof zeros);
    sim_argument arguments[] = {harness_global(a), harness_global(b), harness_local(64)};
    h.world->pack_steps = 0;
    h.budget = 2048 * 4;
    harness_try(&h, "spread", harness_range(4096, 16), arguments, 3);
    assert_int_equal(h.status.code, RT_BUDGET);
    assert_int_equal(h.finding_count, 1);
    assert_int_equal(h.world->packed_count, 0);
    harness_close(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packs_change_nothing),
        cmocka_unit_test(packs_compute_correct_results),
        cmocka_unit_test(packs_must_pay),
        cmocka_unit_test(budget_is_that_of_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
