/* Tests that launches on several threads give the same bytes, the same definedness and the same
 * findings as on one thread, and which launches can run on several threads. */
#include "reference/base/alloc.h"
#include "sim/test/harness.h"

#define INTS 4096u

typedef struct parallel_case {
    const char *kernel;
    uint64_t global, local;
    bool is_parallel;       /* the first launch runs in parallel */
    bool is_parallel_again; /* so does a second launch */
} parallel_case;

static const parallel_case cases[] = {
    {"apart", 2048, 64, true, true},
    {"apart", 2040, 8, true, true},
    {"apart", 64, 64, false, false}, /* one group */
    {"apart", 128, 64, true, true},  /* fewer groups than threads */
    {"reduced", 2048, 64, true, true},
    {"bytes", 600, 6, true, true},
    {"turned", 2048, 64, true, true},
    /* In a program with atomics and printf, only what the kernel can reach matters. */
    {"counted_near", 2048, 64, true, true},
    {"counted_near", 2040, 8, true, true},
    {"counted", 2048, 64, false, false},
    {"counted_in_a_call", 2048, 64, false, false},
    {"counted_generic", 2048, 64, false, false},
    {"copied", 2048, 64, false, false},
    {"printing", 128, 64, false, false},
    {"near_race_wrong", 512, 64, false, false},
    /* Each thread's world records whether an object has undefined bits at all; the record of which
     * bits these are is common to all threads. */
    {"half_known", 512, 64, false, true},
    {"from_the_other_end_wrong", 2048, 64, false, false},
    {"beyond_wrong", 512, 64, false, false},
    {"one_place_wrong", 512, 64, false, false},
    {"thirds_wrong", 1536, 64, false, false},
    {"words_then_bytes", 2048, 64, true, true},
    {"words_then_bytes_wrong", 2048, 64, false, false},
};

/* The observable results of a launch. */
typedef struct outcome {
    uint8_t bytes[INTS * 4], defined[INTS * 4 / 8];
    uint32_t finding_count, parallel_count;
    uint32_t stamps;                    /* first stamp of the next launch */
    char texts[FINDINGS_MAX][64 + 512]; /* a kind and a message of the harness */
    uint64_t counts[FINDINGS_MAX];
    rt_code code;
} outcome;

static void run(const parallel_case *c, uint32_t threads, bool is_repeat, outcome *out)
{
    harness h = harness_open_file("parallel", 2, sim_engine_best());
    int32_t *data = rt_alloc(INTS * sizeof *data);
    sim_object a = harness_memory(&h, "a", data, INTS * sizeof *data);
    for (uint32_t i = 0; i < INTS; i++)
        data[i] = (int32_t)(i * 37 % 101);
    sim_object b = harness_memory(&h, "b", data, INTS * sizeof *data);
    rt_free(data);
    sim_argument arguments[] = {harness_global(a), harness_global(b), harness_local(c->local * 4)};
    sim_world_use_threads(h.world, threads);
    if (is_repeat) harness_try(&h, c->kernel, harness_range(c->global, c->local), arguments, 3);
    h.world->parallel_count = 0;
    harness_try(&h, c->kernel, harness_range(c->global, c->local), arguments, 3);
    *out = (outcome){.finding_count = h.finding_count,
                     .parallel_count = h.world->parallel_count,
                     .stamps = h.world->race_next,
                     .code = h.status.code};
    harness_read_back(&h, a, out->bytes, sizeof out->bytes);
    sim_object_defined(h.world, a, 0, sizeof out->bytes, out->defined);
    for (uint32_t i = 0; i < h.finding_count; i++) {
        snprintf(out->texts[i], sizeof out->texts[i], "%s: %s", h.findings[i].kind, h.texts[i][0]);
        out->counts[i] = h.findings[i].count;
    }
    harness_close(&h);
}

static void equal(const parallel_case *c, bool is_repeat, const outcome *single,
                  const outcome *parallel)
{
    bool is_parallel = is_repeat ? c->is_parallel_again : c->is_parallel;
    assert_int_equal(parallel->code, single->code);
    assert_memory_equal(parallel->bytes, single->bytes, sizeof single->bytes);
    assert_memory_equal(parallel->defined, single->defined, sizeof single->defined);
    assert_int_equal(parallel->finding_count, single->finding_count);
    for (uint32_t i = 0; i < single->finding_count; i++) {
        assert_string_equal(parallel->texts[i], single->texts[i]);
        assert_int_equal(parallel->counts[i], single->counts[i]);
    }
    /* Threads take as many stamps as a single one. */
    if (is_parallel) assert_int_equal(parallel->stamps, single->stamps);
    assert_int_equal(single->parallel_count, 0);
    if (parallel->parallel_count != (is_parallel ? 1u : 0u))
        fail_msg("%s: %u launches ran in parallel", c->kernel, parallel->parallel_count);
}

static void threads_change_nothing(void **state)
{
    (void)state;
    static const uint32_t threads[] = {2, 3, 8};
    outcome *single = rt_alloc(sizeof *single), *parallel = rt_alloc(sizeof *parallel);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (uint32_t is_repeat = 0; is_repeat < 2; is_repeat++) {
            run(&cases[i], 1, is_repeat, single);
            for (size_t k = 0; k < sizeof threads / sizeof *threads; k++) {
                run(&cases[i], threads[k], is_repeat, parallel);
                equal(&cases[i], is_repeat, single, parallel);
            }
        }
    }
    rt_free(single);
    rt_free(parallel);
}

/* Results computed by hand: otherwise both runs could be wrong. */
static void threads_compute_correct_results(void **state)
{
    (void)state;
    outcome *parallel = rt_alloc(sizeof *parallel);
    int32_t got[INTS];
    run(&(parallel_case){"apart", 2048, 64, true, true}, 4, false, parallel);
    memcpy(got, parallel->bytes, sizeof got);
    for (uint32_t i = 0; i < INTS; i++)
        assert_int_equal(got[i], i < 2048 ? 3 * (i * 37 % 101) + i : 0);
    run(&(parallel_case){"reduced", 2048, 64, true, true}, 4, false, parallel);
    memcpy(got, parallel->bytes, sizeof got);
    for (uint32_t g = 0; g < 2048 / 64; g++) {
        int32_t sum = 0;
        for (uint32_t i = 64 * g; i < 64 * g + 64; i++)
            sum += (int32_t)(i * 37 % 101);
        assert_int_equal(got[g], sum);
    }
    /* counted_near: each group counts its work-items by remainder modulo 4, 16 of each, and each
     * work-item reads how many came before it, in order. */
    run(&(parallel_case){"counted_near", 2048, 64, true, true}, 4, false, parallel);
    memcpy(got, parallel->bytes, sizeof got);
    for (int32_t i = 0; i < 2048; i++)
        assert_int_equal(got[i], 16 * 100 + i % 64 / 4);
    rt_free(parallel);
}

/* A budget that all groups together exceed, although no thread does. */
static void budget_is_that_of_all(void **state)
{
    (void)state;
    for (uint32_t threads = 1; threads <= 4; threads += 3) {
        harness h = harness_open_file("parallel", 2, sim_engine_best());
        uint8_t zeros[4096 * 4] = {0};
        sim_object a = harness_memory(&h, "a", zeros, sizeof zeros);
        sim_object b = harness_memory(&h, "b", zeros, sizeof zeros);
        sim_argument arguments[] = {harness_global(a), harness_global(b), harness_local(64)};
        sim_world_use_threads(h.world, threads);
        h.budget = 2048 * 4;
        harness_try(&h, "apart", harness_range(4096, 16), arguments, 3);
        assert_int_equal(h.status.code, RT_BUDGET);
        assert_int_equal(h.finding_count, 1);
        harness_close(&h);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(threads_compute_correct_results),
        cmocka_unit_test(budget_is_that_of_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
