/* Tests private arrays whose index differs between work-items: every width of element, work-items
 * that do not take part, undefined elements, and indices out of bounds. Expected values are
 * computed here, one work-item after the other. */
#include "sim/test/harness.h"

#include <string.h>

#define ITEMS 300u /* two waves, the second not full */

static void index_fill(int32_t *out)
{
    for (uint32_t i = 0; i < ITEMS; i++)
        out[i] = (int32_t)(i * 2654435761u >> 20);
}

/* The result of the kernels made by PERMUTED for one work-item; arithmetic is modulo 2^bits. */
static uint64_t permuted(int32_t index, uint32_t i, int32_t n, uint32_t bits)
{
    uint64_t mask = UINT64_MAX >> (64 - bits), v[16], sum = 0;
    for (uint32_t k = 0; k < 16; k++)
        v[k] = (7 * k + i) & mask;
    if ((int32_t)(i % 5) != n) v[index & 15] = (v[index & 15] + 1000) & mask;
    if ((int32_t)(i % 3) != n) v[(index + 3) & 15] = v[(index + 1) & 15];
    for (int32_t k = 0; k < 16; k++)
        sum = (sum * 3 + v[(k + index) & 15]) & mask;
    return sum;
}

/* Runs a kernel with buffers `index` and `out`, which has `bytes` bytes and is read back. */
static void run_kernel(harness *h, const char *kernel, int32_t n, void *out, uint32_t bytes)
{
    int32_t index[ITEMS];
    index_fill(index);
    memset(out, 0, bytes);
    sim_object to = harness_memory(h, "out", out, bytes);
    sim_argument arguments[] = {harness_global(harness_memory(h, "index", index, sizeof index)),
                                harness_global(to), harness_value(&n, sizeof n)};
    harness_try(h, kernel, harness_range(ITEMS, ITEMS), arguments, 3);
    assert_true(rt_ok(h->status));
    harness_read_back(h, to, out, bytes);
}

static void test_widths(void **state)
{
    (void)state;
    static const struct {
        const char *kernel;
        uint32_t bytes;
    } cases[] = {{"bytes", 1}, {"shorts", 2}, {"words", 4}, {"longs", 8}};
    FOR_EACH_BUILD(level, engine)
    {
        harness h = harness_open_file("private", level, engine);
        for (uint32_t c = 0; c < 4; c++) {
            for (int32_t n = 0; n < 2; n++) {
                int32_t index[ITEMS];
                uint8_t out[ITEMS * 8];
                uint32_t bytes = cases[c].bytes;
                index_fill(index);
                run_kernel(&h, cases[c].kernel, n, out, ITEMS * bytes);
                assert_int_equal(h.finding_count, 0);
                for (uint32_t i = 0; i < ITEMS; i++) {
                    uint64_t got = 0;
                    memcpy(&got, out + (uint64_t)i * bytes, bytes);
                    assert_true(got == permuted(index[i], i, n, 8 * bytes));
                }
            }
        }
        harness_close(&h);
    }
}

static void test_vectors(void **state)
{
    (void)state;
    FOR_EACH_BUILD(level, engine)
    {
        harness h = harness_open_file("private", level, engine);
        int32_t index[ITEMS];
        uint32_t out[ITEMS][4];
        index_fill(index);
        run_kernel(&h, "vectors", 1, out, sizeof out);
        assert_int_equal(h.finding_count, 0);
        for (uint32_t i = 0; i < ITEMS; i++) {
            uint32_t at = (uint32_t)(index[i] + (i % 3 != 1)) & 3;
            uint32_t add = i % 5 != 1 && at == ((uint32_t)index[i] & 3);
            assert_int_equal(out[i][0], at + add);
            assert_int_equal(out[i][1], at + i + 2 * add);
            assert_int_equal(out[i][2], 3 + 3 * add);
            assert_int_equal(out[i][3], (uint32_t)index[i] + 4 * add);
        }
        harness_close(&h);
    }
}

static void test_straddling(void **state)
{
    (void)state;
    FOR_EACH_BUILD(level, engine)
    {
        harness h = harness_open_file("private", level, engine);
        int32_t index[ITEMS];
        uint32_t out[ITEMS];
        index_fill(index);
        run_kernel(&h, "straddling", 50, out, sizeof out);
        assert_int_equal(h.finding_count, 0);
        for (uint32_t i = 0; i < ITEMS; i++) {
            uint32_t here = (uint32_t)index[i] & 7, next = (uint32_t)(index[i] + 1) & 7;
            assert_int_equal(out[i], (next * 100 + i) * 2 + here * 100 + i + 50 + here);
        }
        harness_close(&h);
    }
}

static void test_undefined(void **state)
{
    (void)state;
    FOR_EACH_BUILD(level, engine)
    {
        harness h = harness_open_file("private", level, engine);
        uint32_t out[ITEMS];
        run_kernel(&h, "defined_only", 0, out, sizeof out);
        assert_int_equal(h.finding_count, 0);
        for (uint32_t i = 0; i < ITEMS; i++)
            assert_int_equal(out[i], i > 3);
        run_kernel(&h, "defined_only", 1, out, sizeof out);
        assert_int_equal(h.finding_count, 1);
        assert_string_equal(h.findings[0].kind, "uninitialised");
        assert_int_equal(h.findings[0].count, ITEMS);
        harness_close(&h);
    }
}

static void test_out_of_bounds(void **state)
{
    (void)state;
    FOR_EACH_BUILD(level, engine)
    {
        harness h = harness_open_file("private", level, engine);
        int32_t index[ITEMS];
        uint32_t out[ITEMS];
        index_fill(index);
        run_kernel(&h, "in_bounds", 0, out, sizeof out);
        assert_int_equal(h.finding_count, 0);
        run_kernel(&h, "in_bounds", 16, out, sizeof out);
        assert_int_equal(h.finding_count, 1);
        assert_string_equal(h.findings[0].kind, "out-of-bounds");
        assert_int_equal(h.findings[0].work_item[0], 70);
        assert_int_equal(h.findings[0].count, 1);
        for (uint32_t i = 0; i < ITEMS; i++)
            assert_int_equal(out[i], i == 70 ? (uint32_t)index[i] & 15 : 99);
        harness_close(&h);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_widths),        cmocka_unit_test(test_vectors),
        cmocka_unit_test(test_straddling),    cmocka_unit_test(test_undefined),
        cmocka_unit_test(test_out_of_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
