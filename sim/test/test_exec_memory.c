/* Tests of memory (vectors, structures, every storage class, barriers, atomics) and of the findings
 * about it. */
#include "sim/test/harness.h"

#include <math.h>

typedef unsigned int uint;

/* ---- Work-items ----------------------------------------------------------------------------- */

static void check_geometry(harness *h, sim_range range)
{
    uint64_t total = range.global[0] * range.global[1] * range.global[2];
    uint64_t *out = rt_alloc_array(total, 20 * sizeof *out);
    sim_object to = harness_memory(h, "out", NULL, total * 20 * sizeof *out);
    sim_argument arguments[] = {harness_global(to)};
    harness_run(h, "geometry", range, arguments, 1);
    harness_read_back(h, to, out, total * 20 * sizeof *out);
    for (uint64_t i = 0; i < total; i++) {
        const uint64_t *o = out + 20 * i;
        uint64_t at[3] = {i % range.global[0], i / range.global[0] % range.global[1],
                          i / range.global[0] / range.global[1]};
        uint64_t local = 0;
        for (uint k = 3; k-- > 0;) {
            assert_int_equal(o[k], at[k] + range.offset[k]);
            assert_int_equal(o[3 + k], at[k] % range.local[k]);
            assert_int_equal(o[6 + k], at[k] / range.local[k]);
            assert_int_equal(o[9 + k], range.local[k]);
            assert_int_equal(o[12 + k], range.global[k] / range.local[k]);
            local = local * range.local[k] + at[k] % range.local[k];
        }
        assert_int_equal(o[15], i);
        assert_int_equal(o[16], local);
        assert_int_equal(o[17], range.dimensions);
        assert_int_equal(o[18], range.global[0]);
        assert_int_equal(o[19], range.local[1]);
    }
    rt_free(out);
}

static void test_geometry(void **state)
{
    (void)state;
    harness h = harness_open(1, sim_engine_best());
    check_geometry(&h, (sim_range){{12, 1, 1}, {4, 1, 1}, {100, 0, 0}, 1});
    check_geometry(&h, (sim_range){{6, 4, 5}, {3, 2, 5}, {1, 20, 300}, 3});
    check_geometry(&h, (sim_range){{40, 20, 1}, {40, 10, 1}, {0, 7, 0}, 2});
    harness_close(&h);
}

static void test_range_refused(void **state)
{
    (void)state;
    harness h = harness_open(1, sim_engine_best());
    sim_object to = harness_memory(&h, "out", NULL, 64);
    sim_argument arguments[] = {harness_global(to), harness_global(to)};
    static const uint64_t most = RT_WORK_GROUP_SIZE_MAX, huge = UINT64_C(1) << 58;
    const struct {
        sim_range range;
        const char *words; /* of the message */
    } cases[] = {
        {{{10, 1, 1}, {3, 1, 1}, .dimensions = 1},
         "local size 3 does not divide global size 10 in dimension 0"},
        {{{4, 4, 10}, {4, 4, 4}, .dimensions = 3},
         "local size 4 does not divide global size 10 in dimension 2"},
        {{{2 * most, 1, 1}, {2 * most, 1, 1}, .dimensions = 1}, "a work-group has more than"},
        {{{most, 2, 1}, {most, 2, 1}, .dimensions = 2}, "a work-group has more than"},
        {{{1, most, 2}, {1, most, 2}, .dimensions = 3}, "a work-group has more than"},
        {{{most + 1, 1, 1}, {most + 1, 1, 1}, .dimensions = 1}, "a work-group has more than"},
        /* Their product is a multiple of 2 to the 64th power. */
        {{{64, huge, 1}, {64, huge, 1}, .dimensions = 2}, "a work-group has more than"},
        {{{huge, 64, 1}, {huge, 64, 1}, .dimensions = 2}, "a work-group has more than"},
    };
    for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        harness_try(&h, "geometry", cases[i].range, arguments, 1);
        assert_int_equal(h.status.code, RT_ERRC_ND_RANGE);
        const char *message = rt_sink_diagnostic(h.sink, h.status)->message.data;
        if (!strstr(message, cases[i].words)) fail_msg("%s", message);
    }
    harness_try(&h, "geometry", harness_range(4, 4), arguments, 2);
    assert_int_equal(h.status.code, RT_ERRC_KERNEL_ARGUMENT);
    harness_try(&h, "geometry", harness_range(4, 4), arguments, 0);
    assert_int_equal(h.status.code, RT_ERRC_KERNEL_ARGUMENT);
    sim_argument wrong = harness_local(16);
    harness_try(&h, "geometry", harness_range(4, 4), &wrong, 1);
    assert_int_equal(h.status.code, RT_ERRC_KERNEL_ARGUMENT);
    harness_close(&h);
}

static void test_choose_local(void **state)
{
    (void)state;
    static const uint64_t globals[][3] = {{1, 1, 1}, {1000, 1, 1}, {257, 3, 2}, {64, 64, 8}};
    const sim_kernel open = {.parameter_count = 0}, fixed = {.local_size = {4, 2, 1}};
    sim_range required = {.dimensions = 3, .global = {8, 8, 8}};
    sim_range_choose_local(&fixed, &required);
    assert_true(required.local[0] == 4 && required.local[1] == 2 && required.local[2] == 1);
    for (uint i = 0; i < 4; i++) {
        sim_range range = {.dimensions = 3};
        memcpy(range.global, globals[i], sizeof range.global);
        sim_range_choose_local(&open, &range);
        uint64_t items = range.local[0] * range.local[1] * range.local[2];
        assert_true(items >= 1 && items <= 256);
        for (uint k = 0; k < 3; k++)
            assert_int_equal(range.global[k] % range.local[k], 0);
    }
}

/* ---- Barriers ------------------------------------------------------------------------------- */

static void test_sum_local(void **state)
{
    (void)state;
    static const uint groups[] = {1, 7, 64, 256, 300, 1024};
    FOR_EACH_BUILD(level, engine)
    {
        harness h = harness_open(level, engine);
        for (uint k = 0; k < 6; k++) {
            uint size = groups[k], items = 3 * size;
            int32_t in[3072], out[3], sum = 0;
            for (uint i = 0; i < items; i++)
                in[i] = (int32_t)(i * 37 % 1001) - 500;
            sim_object from = harness_memory(&h, "in", in, items * sizeof *in);
            sim_object to = harness_memory(&h, "out", NULL, sizeof out);
            sim_argument arguments[] = {harness_global(from), harness_global(to),
                                        harness_local(size * 4)};
            harness_run(&h, "sum_local", harness_range(items, size), arguments, 3);
            harness_read_back(&h, to, out, sizeof out);
            for (uint i = 0; i < items; i++) {
                sum = i % size == 0 ? in[i] : sum + in[i];
                if (i % size == size - 1) assert_int_equal(out[i / size], sum);
            }
        }
        harness_close(&h);
    }
}

static void test_barriers_in_calls(void **state)
{
    (void)state;
    FOR_EACH_BUILD(level, engine)
    {
        harness h = harness_open(level, engine);
        int32_t out[1200];
        sim_object to = harness_memory(&h, "out", NULL, sizeof out);
        sim_argument arguments[] = {harness_global(to)};
        harness_run(&h, "rotate_in_call", harness_range(1200, 600), arguments, 1);
        harness_read_back(&h, to, out, sizeof out);
        for (int32_t i = 0; i < 1200; i++)
            assert_int_equal(out[i], (i % 600 + 6) % 600);
        harness_close(&h);
    }
}

static void test_divergent_barrier(void **state)
{
    (void)state;
    static const uint groups[] = {8, 300};
    for (uint k = 0; k < 2; k++) {
        harness h = harness_open(1, sim_engine_best());
        sim_object to = harness_memory(&h, "out", NULL, 4 * groups[k]);
        sim_argument arguments[] = {harness_global(to)};
        harness_try(&h, "divergent_barrier", harness_range(groups[k], groups[k]), arguments, 1);
        assert_int_equal(h.finding_count, 1);
        assert_string_equal(h.findings[0].kind, "divergent-barrier");
        harness_close(&h);
    }
}

static void test_spinning_lanes_let_others_continue(void **state)
{
    (void)state;
    static const uint groups[] = {16, 600}; /* within one wave, and between waves */
    for (uint level = 0; level < 3; level++) {
        for (uint k = 0; k < 2; k++) {
            harness h = harness_open(level, sim_engine_best());
            h.budget = 1u << 30;
            int32_t flag = 0, out[600];
            sim_object from = harness_memory(&h, "flag", &flag, sizeof flag);
            sim_object to = harness_memory(&h, "out", NULL, sizeof out);
            sim_argument arguments[] = {harness_global(from), harness_global(to)};
            harness_run(&h, "spin", harness_range(groups[k], groups[k]), arguments, 2);
            harness_read_back(&h, to, out, sizeof out);
            for (uint i = 0; i < groups[k]; i++)
                assert_int_equal(out[i], i ? 9 : 5);
            harness_close(&h);
        }
    }
}

/* ---- Storage classes and shapes ------------------------------------------------------------- */

static void test_atomics(void **state)
{
    (void)state;
    HARNESS_IN_ORDER();
    harness h = harness_open(1, sim_engine_best());
    uint32_t out[108] = {[7] = 0xffffffff}, want_max = 0, want_xor = 0, sum = 0;
    int32_t least = 0;
    sim_object to = harness_memory(&h, "out", out, sizeof out);
    sim_object minimum = harness_memory(&h, "minimum", &least, sizeof least);
    sim_argument arguments[] = {harness_global(to), harness_global(minimum)};
    harness_run(&h, "atomics", harness_range(100, 50), arguments, 2);
    harness_read_back(&h, to, out, sizeof out);
    harness_read_back(&h, minimum, &least, sizeof least);
    bool seen[100] = {false};
    for (uint32_t i = 0; i < 100; i++) {
        assert_true(out[8 + i] < 100 && !seen[out[8 + i]]);
        seen[out[8 + i]] = true;
        want_max = i * 3 % 101 > want_max ? i * 3 % 101 : want_max;
        want_xor ^= i;
        sum += i;
    }
    uint32_t want[8] = {100, want_max, want_xor, 0xffffffff, 0 - sum, 1, 100, 0xffff0000};
    for (uint k = 0; k < 8; k++)
        assert_int_equal(out[k], want[k]);
    assert_int_equal(least, -50);
    harness_close(&h);
}

static void test_module_variables(void **state)
{
    (void)state;
    static const int32_t table[5] = {3, 1, 4, 1, 5};
    harness h = harness_open(0, sim_engine_best());
    for (int32_t launch = 1; launch <= 2; launch++) { /* variables persist between launches */
        int32_t out[13];
        sim_object to = harness_memory(&h, "out", NULL, sizeof out);
        sim_argument arguments[] = {harness_global(to)};
        harness_run(&h, "module_variables", harness_range(12, 4), arguments, 1);
        harness_read_back(&h, to, out, sizeof out);
        for (int32_t i = 0; i < 12; i++)
            assert_int_equal(out[i], table[i % 5]);
        assert_int_equal(out[12], 100 + launch);
    }
    harness_close(&h);
}

typedef struct settings {
    int32_t a;
    char c;
    _Alignas(16) float v[4];
    int32_t list[3];
} settings;

static void test_by_value(void **state)
{
    (void)state;
    settings s = {.a = 100, .c = -3, .v = {0, 0, 0, 0.5f}, .list = {1000, 2000, 3000}};
    int32_t pair[2] = {6, 7};
    char small[4] = {1, 2, 3, 0};
    FOR_EACH_BUILD(level, engine)
    {
        harness h = harness_open(level, engine);
        float out[30];
        sim_object to = harness_memory(&h, "out", NULL, sizeof out);
        sim_argument arguments[] = {harness_global(to), harness_value(&s, sizeof s),
                                    harness_value(pair, sizeof pair),
                                    harness_value(small, sizeof small)};
        harness_run(&h, "by_value", harness_range(30, 15), arguments, 4);
        harness_read_back(&h, to, out, sizeof out);
        for (int32_t i = 0; i < 30; i++) {
            int32_t sum = 100 - 3 + s.list[i % 3] + i + 42 + 3;
            assert_true(out[i] == (float)sum + 0.5f);
        }
        arguments[1].bytes.size--;
        harness_try(&h, "by_value", harness_range(30, 15), arguments, 4);
        assert_int_equal(h.status.code, RT_ERRC_KERNEL_ARGUMENT);
        harness_close(&h);
    }
}

static void expect_vectors(const float *v, int32_t i, int32_t k, float *out, int32_t *wide)
{
    float r[4];
    for (int c = 0; c < 4; c++)
        r[c] = v[3 - c] * 2.0f + (float)(c + 1);
    r[k & 3] = (float)k;
    r[0] += v[(i + k) & 3];
    r[1] += v[(i + k) & 3];
    for (int c = 0; c < 4; c++)
        out[c] = v[c] < r[c] ? r[c] : v[c];
    for (int c = 0; c < 16; c++)
        wide[c] = i;
    for (int c = 0; c < 4; c++)
        wide[c] = (int32_t)v[c];
    memcpy(wide + 8, v, 16);
    memcpy(wide + 12, r, 16);
}

static void test_vectors(void **state)
{
    (void)state;
    FOR_EACH_BUILD(level, engine)
    {
        harness h = harness_open(level, engine);
        float in[40 * 4], out[40 * 4];
        int32_t wide[40 * 16], k = 6;
        for (int i = 0; i < 160; i++)
            in[i] = (float)(i * 29 % 83) - 40.5f;
        sim_object from = harness_memory(&h, "in", in, sizeof in);
        sim_object to = harness_memory(&h, "out", NULL, sizeof out);
        sim_object wider = harness_memory(&h, "wide", NULL, sizeof wide);
        sim_argument arguments[] = {harness_global(to), harness_global(from), harness_global(wider),
                                    harness_value(&k, sizeof k)};
        harness_run(&h, "vectors", harness_range(40, 20), arguments, 4);
        harness_read_back(&h, to, out, sizeof out);
        harness_read_back(&h, wider, wide, sizeof wide);
        for (int32_t i = 0; i < 40; i++) {
            float want[4];
            int32_t want_wide[16];
            expect_vectors(in + 4 * i, i, k, want, want_wide);
            assert_memory_equal(out + 4 * i, want, sizeof want);
            assert_memory_equal(wide + 16 * i, want_wide, sizeof want_wide);
        }
        harness_close(&h);
    }
}

static void test_vector3_and_bits(void **state)
{
    (void)state;
    FOR_EACH_BUILD(level, engine)
    {
        harness h = harness_open(level, engine);
        float in[20 * 4], out[20];
        uint64_t pairs[20], mixed[20];
        for (int i = 0; i < 80; i++)
            in[i] = (float)i;
        for (uint64_t i = 0; i < 20; i++)
            pairs[i] = i * UINT64_C(0x9e3779b97f4a7c15);
        sim_object from = harness_memory(&h, "in", in, sizeof in);
        sim_object to = harness_memory(&h, "out", NULL, sizeof out);
        sim_object from_pairs = harness_memory(&h, "pairs", pairs, sizeof pairs);
        sim_object to_mixed = harness_memory(&h, "mixed", NULL, sizeof mixed);
        sim_argument three[] = {harness_global(to), harness_global(from)};
        sim_argument bits[] = {harness_global(to_mixed), harness_global(from_pairs)};
        harness_run(&h, "vector3", harness_range(20, 20), three, 2);
        harness_run(&h, "bits", harness_range(20, 20), bits, 2);
        harness_read_back(&h, to, out, sizeof out);
        harness_read_back(&h, to_mixed, mixed, sizeof mixed);
        for (int i = 0; i < 20; i++) {
            const float *v = in + 4 * i;
            assert_true(out[i] == v[0] + 10 * v[1] + 100 * v[2] + v[1]);
            uint64_t p = pairs[i];
            assert_int_equal(mixed[i], p ^ p >> 56 ^ (p >> 16 & 0xffff) << 20);
        }
        harness_close(&h);
    }
}

static void test_copy_struct(void **state)
{
    (void)state;
    FOR_EACH_BUILD(level, engine)
    {
        harness h = harness_open(level, engine);
        settings in[9], out[9];
        memset(in, 0, sizeof in);
        for (int i = 0; i < 9; i++) {
            in[i].a = i;
            in[i].c = (char)(i * 2);
            in[i].v[2] = (float)i / 8;
            in[i].list[1] = -i;
        }
        sim_object from = harness_memory(&h, "in", in, sizeof in);
        sim_object to = harness_memory(&h, "out", NULL, sizeof out);
        sim_argument arguments[] = {harness_global(to), harness_global(from)};
        harness_run(&h, "copy_struct", harness_range(9, 9), arguments, 2);
        harness_read_back(&h, to, out, sizeof out);
        for (int i = 0; i < 9; i++) {
            assert_int_equal(out[i].a, i + 1);
            assert_int_equal(out[i].c, i * 2);
            assert_true(out[i].v[2] == (float)i / 8);
            assert_int_equal(out[i].list[1], -i);
        }
        harness_close(&h);
    }
}

/* Pointers of different storage classes meet in one generic pointer. */
static void test_mixed_spaces(void **state)
{
    (void)state;
    FOR_EACH_BUILD(level, engine)
    {
        harness h = harness_open(level, engine);
        int32_t in[4] = {100, 200, 300, 400}, out[48];
        sim_object from = harness_memory(&h, "in", in, sizeof in);
        sim_object to = harness_memory(&h, "out", NULL, sizeof out);
        sim_argument arguments[] = {harness_global(to), harness_global(from), harness_local(16)};
        harness_run(&h, "mixed_spaces", harness_range(48, 24), arguments, 3);
        harness_read_back(&h, to, out, sizeof out);
        for (int32_t i = 0; i < 48; i++) {
            int32_t sum = i % 3 == 0 ? i + 6 : i % 3 == 1 ? 1000 : 60;
            assert_int_equal(out[i], sum + i + 1 + 100);
        }
        harness_close(&h);
    }
}

/* ---- Findings ------------------------------------------------------------------------------- */

static void expect_finding(harness *h, const char *kind, uint64_t item, uint64_t count,
                           const char *message)
{
    assert_true(rt_ok(h->status));
    assert_int_equal(h->finding_count, 1);
    assert_string_equal(h->findings[0].kind, kind);
    assert_string_equal(h->findings[0].message.data, message);
    assert_int_equal(h->findings[0].work_item[0], item);
    assert_int_equal(h->findings[0].count, count);
    assert_true(h->findings[0].source_line > 0);
    assert_true(h->findings[0].source.length > 0);
}

static void test_out_of_bounds(void **state)
{
    (void)state;
    HARNESS_IN_ORDER();
    FOR_EACH_BUILD(level, engine)
    {
        harness h = harness_open(level, engine);
        int32_t data[8] = {0}, offset = 3, out[8];
        sim_object to = harness_memory(&h, "data", data, sizeof data);
        sim_argument store[] = {harness_global(to), harness_value(&offset, 4)};
        harness_try(&h, "store_at", harness_range(8, 8), store, 2);
        expect_finding(&h, "out-of-bounds", 5, 3,
                       "store of 4 bytes at offset 32 of 'data' (32 bytes) by work-item (5, 0, 0)");
        assert_string_equal(h.texts[0][1], "data");
        assert_int_equal(h.findings[0].offset, 32);
        harness_read_back(&h, to, out, sizeof out);
        for (int i = 0; i < 8; i++)
            assert_int_equal(out[i], i < 3 ? 0 : 7);

        sim_object result = harness_memory(&h, "result", NULL, 32);
        sim_argument load[] = {harness_global(result), harness_global(to),
                               harness_value(&offset, 4)};
        offset = -2;
        harness_try(&h, "load_at", harness_range(8, 8), load, 3);
        expect_finding(&h, "out-of-bounds", 0, 2,
                       "load of 4 bytes at offset -8 of 'data' (32 bytes) by work-item (0, 0, 0)");
        offset = 8;
        harness_try(&h, "load_one", harness_range(8, 8), load, 3);
        expect_finding(&h, "out-of-bounds", 0, 8,
                       "load of 4 bytes at offset 32 of 'data' (32 bytes) by work-item (0, 0, 0)");
        harness_close(&h);
    }
}

static void test_wrong_pointers(void **state)
{
    (void)state;
    HARNESS_IN_ORDER();
    harness h = harness_open(1, sim_engine_best());
    int32_t offset = 0;
    sim_object freed = harness_memory(&h, "gone", NULL, 64);
    sim_argument store[] = {harness_global(0), harness_value(&offset, 4)};
    harness_try(&h, "store_at", harness_range(8, 4), store, 2);
    expect_finding(&h, "null-pointer", 0, 8,
                   "store of 4 bytes through a null pointer by work-item (0, 0, 0)");
    sim_object_destroy(h.world, freed);
    store[0] = harness_global(freed);
    harness_try(&h, "store_at", harness_range(8, 4), store, 2);
    expect_finding(
        &h, "use-after-free", 0, 8,
        "store of 4 bytes at offset 0 of 'gone', which has been freed, by work-item (0, 0, 0)");
    harness_close(&h);
}

static void test_other_memory(void **state)
{
    (void)state;
    HARNESS_IN_ORDER();
    harness h = harness_open(1, sim_engine_best());
    int32_t offset = 2;
    sim_object to = harness_memory(&h, "out", NULL, 64);
    sim_argument private[] = {harness_global(to), harness_value(&offset, 4)};
    harness_try(&h, "private_at", harness_range(4, 4), private, 2);
    expect_finding(&h, "out-of-bounds", 2, 2,
                   "load of 4 bytes at offset 16 of 'a private variable' (16 bytes) by work-item "
                   "(2, 0, 0)");
    sim_argument local[] = {harness_global(to), harness_local(16), harness_value(&offset, 4)};
    harness_try(&h, "local_at", harness_range(4, 4), local, 3);
    expect_finding(&h, "out-of-bounds", 2, 2,
                   "store of 4 bytes at offset 16 of 'local argument 1' (16 bytes) by work-item "
                   "(2, 0, 0)");
    sim_argument bytes[] = {harness_global(to), harness_global(to)};
    harness_try(&h, "misaligned", harness_range(4, 4), bytes, 2);
    expect_finding(
        &h, "misaligned", 0, 4,
        "load of 4 bytes at offset 1 of 'out', which is not a multiple of 4, by work-item "
        "(0, 0, 0)");
    harness_close(&h);
}

static void test_undefined_arithmetic(void **state)
{
    (void)state;
    HARNESS_IN_ORDER();
    int32_t a[8], b[8], first[8], second[8];
    for (int i = 0; i < 8; i++) {
        a[i] = i == 6 ? INT32_MIN : 100 * i;
        b[i] = i == 6 ? -1 : i - 3;
    }
    for (uint level = 0; level < 3; level++) {
        harness h = harness_open(level, sim_engine_best());
        sim_object in_a = harness_memory(&h, "a", a, sizeof a);
        sim_object in_b = harness_memory(&h, "b", b, sizeof b);
        sim_object to = harness_memory(&h, "out", NULL, sizeof first);
        sim_argument arguments[] = {harness_global(to), harness_global(in_a), harness_global(in_b)};
        for (int launch = 0; launch < 2; launch++) {
            harness_try(&h, "divide", harness_range(8, 8), arguments, 3);
            expect_finding(&h, "undefined-arithmetic", 3, 2,
                           "integer division by zero or with a quotient that does not fit, by "
                           "work-item (3, 0, 0)");
            harness_read_back(&h, to, launch ? second : first, sizeof first);
        }
        assert_memory_equal(first, second, sizeof first); /* chosen from the seed */
        for (int i = 0; i < 8; i++) {
            if (i != 3 && i != 6) assert_int_equal(first[i], a[i] / b[i]);
        }
        float floats[8] = {1, -2, 3e9f, 4, NAN, 5, -1e20f, 7};
        sim_object in_floats = harness_memory(&h, "floats", floats, sizeof floats);
        arguments[1] = harness_global(in_floats);
        harness_try(&h, "to_int", harness_range(8, 8), arguments, 2);
        expect_finding(&h, "undefined-arithmetic", 2, 3,
                       "conversion to an integer type that cannot hold the value, by work-item "
                       "(2, 0, 0)");
        harness_close(&h);
    }
}

static void test_budget(void **state)
{
    (void)state;
    HARNESS_IN_ORDER();
    uint64_t left[2];
    for (uint k = 0; k < 2; k++) {
        harness h = harness_open(k, sim_engine_best());
        h.budget = 100000;
        int32_t zero[4] = {0};
        sim_object to = harness_memory(&h, "out", zero, sizeof zero);
        sim_argument arguments[] = {harness_global(to)};
        harness_try(&h, "for_ever", harness_range(4, 4), arguments, 1);
        assert_int_equal(h.status.code, RT_BUDGET);
        assert_int_equal(h.finding_count, 1);
        assert_string_equal(h.findings[0].kind, "budget");
        harness_read_back(&h, to, zero, sizeof zero);
        left[k] = (uint64_t)zero[0];
        harness_close(&h);
    }
    assert_true(left[0] > 1000 && left[1] > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_geometry),
        cmocka_unit_test(test_range_refused),
        cmocka_unit_test(test_choose_local),
        cmocka_unit_test(test_sum_local),
        cmocka_unit_test(test_barriers_in_calls),
        cmocka_unit_test(test_divergent_barrier),
        cmocka_unit_test(test_spinning_lanes_let_others_continue),
        cmocka_unit_test(test_atomics),
        cmocka_unit_test(test_module_variables),
        cmocka_unit_test(test_by_value),
        cmocka_unit_test(test_vectors),
        cmocka_unit_test(test_vector3_and_bits),
        cmocka_unit_test(test_copy_struct),
        cmocka_unit_test(test_mixed_spaces),
        cmocka_unit_test(test_out_of_bounds),
        cmocka_unit_test(test_wrong_pointers),
        cmocka_unit_test(test_other_memory),
        cmocka_unit_test(test_undefined_arithmetic),
        cmocka_unit_test(test_budget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
