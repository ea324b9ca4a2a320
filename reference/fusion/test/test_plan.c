/* Unit tests of the plan: which ranges can be combined, and into which range. Ranges are written in
 * the order of get_global_id. */
#include "reference/fusion/plan.h"

#include "reference/base/rule.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define R1(g)                                                                                      \
    {                                                                                              \
        1, {g, 1, 1}, {0},                                                                         \
        {                                                                                          \
            0                                                                                      \
        }                                                                                          \
    }
#define R1L(g, l)                                                                                  \
    {                                                                                              \
        1, {g, 1, 1}, {l, 1, 1},                                                                   \
        {                                                                                          \
            0                                                                                      \
        }                                                                                          \
    }
#define R1O(g, o)                                                                                  \
    {                                                                                              \
        1, {g, 1, 1}, {0},                                                                         \
        {                                                                                          \
            o                                                                                      \
        }                                                                                          \
    }
#define R2(x, y)                                                                                   \
    {                                                                                              \
        2, {x, y, 1}, {0},                                                                         \
        {                                                                                          \
            0                                                                                      \
        }                                                                                          \
    }
#define R2L(x, y, m, n)                                                                            \
    {                                                                                              \
        2, {x, y, 1}, {m, n, 1},                                                                   \
        {                                                                                          \
            0                                                                                      \
        }                                                                                          \
    }
#define R2O(x, y, p, q)                                                                            \
    {                                                                                              \
        2, {x, y, 1}, {0},                                                                         \
        {                                                                                          \
            p, q                                                                                   \
        }                                                                                          \
    }
#define R3(x, y, z)                                                                                \
    {                                                                                              \
        3, {x, y, z}, {0},                                                                         \
        {                                                                                          \
            0                                                                                      \
        }                                                                                          \
    }
#define R3L(x, y, z, l, m, n)                                                                      \
    {                                                                                              \
        3, {x, y, z}, {l, m, n},                                                                   \
        {                                                                                          \
            0                                                                                      \
        }                                                                                          \
    }

typedef struct plan_row {
    rt_fusion_range inputs[3];
    uint32_t count;
    rt_rule documents, dpcpp; /* the rule that refuses the inputs; none: they are fused */
    rt_fusion_range fused;    /* in the documents' profile */
} plan_row;

/* From requirements.yaml, KF-RANGE-05 to KF-RANGE-16 with tags B23 to B29. */
static const plan_row rows[] = {
    {{R1(16), R1(16)}, 2, 0, 0, R1(16)},
    {{R1(8), R2(4, 4), R1(10)}, 3, 0, 0, R2(4, 4)},
    {{R1L(9, 3), R1(512)}, 2, RT_RULE_KF_RANGE_06, RT_RULE_KF_RANGE_06, {0}},
    {{R1L(9, 3), R1(513)}, 2, 0, 0, R1L(513, 3)},
    {{R1O(16, 4), R1(16)}, 2, RT_RULE_KF_RANGE_09, 0, {0}},
    {{R1O(16, 4), R1O(16, 5)}, 2, RT_RULE_KF_RANGE_09, RT_RULE_KF_RANGE_09, {0}},
    {{R1O(16, 4), R1O(8, 4)}, 2, 0, 0, R1O(16, 4)},
    {{R1L(16, 4), R1L(16, 8)}, 2, RT_RULE_KF_RANGE_10, RT_RULE_KF_RANGE_10, {0}},
    {{R1L(16, 4), R1(16)}, 2, 0, 0, R1L(16, 4)},
    {{R2O(4, 4, 1, 1), R2O(2, 4, 1, 1)}, 2, RT_RULE_KF_RANGE_11, RT_RULE_KF_RANGE_11, {0}},
    {{R2(4, 4), R2(2, 4)}, 2, 0, 0, R2(4, 4)},
    {{R2O(4, 4, 1, 1), R2O(4, 2, 1, 1)}, 2, 0, 0, R2O(4, 4, 1, 1)},
    {{R1(24), R2(6, 4), R3(4, 3, 2)}, 3, 0, 0, R1(24)},
    {{R2L(2, 2, 2, 2), R2L(4, 4, 2, 2)}, 2, RT_RULE_KF_RANGE_15, RT_RULE_KF_RANGE_16, {0}},
    {{R2L(4, 2, 2, 2), R2L(4, 4, 2, 2)}, 2, 0, 0, R2L(4, 4, 2, 2)},
    {{R2L(4, 2, 4, 1), R2L(8, 4, 4, 1)}, 2, 0, RT_RULE_KF_RANGE_16, R2L(8, 4, 4, 1)},
    /* The one-dimensional range of 16 would tear the other's groups, so the documents
     * require 4 by 4. Shipped DPC++ pads the range of 16 to 1 by 16, which groups of 2 by 2 do not
     * divide.
     */
    {{R1(16), R2L(4, 4, 2, 2)}, 2, 0, RT_RULE_KF_RANGE_06, R2L(4, 4, 2, 2)},
    /* The other way round, shipped DPC++ pads {16} in groups of {4} to {16, 1} in groups of {4, 1},
     * which would fit, but it refuses the list because the kernel with groups has fewer dimensions
     * (tag B29). */
    {{R1L(16, 4), R2(4, 4)}, 2, 0, RT_RULE_KF_RANGE_16, R1L(16, 4)},
    /* The dimension that is slower in SYCL is compared first: in SYCL's order {4} becomes {4, 1},
     * but 4 by 1 is {1, 4}. */
    {{R1L(16, 4), R2L(4, 4, 4, 1)}, 2, 0, RT_RULE_KF_RANGE_10, R1L(16, 4)},
    /* Offsets are checked before groups. */
    {{R2O(4, 4, 1, 1), R2L(2, 8, 2, 2)}, 2, RT_RULE_KF_RANGE_09, RT_RULE_KF_RANGE_11, {0}},
    {{R2L(4, 4, 4, 2), R3L(4, 4, 2, 4, 2, 1)}, 2, 0, RT_RULE_KF_RANGE_10, R3L(4, 4, 2, 4, 2, 1)},
    {{R3L(4, 2, 2, 4, 1, 2), R3L(4, 4, 2, 4, 1, 2)},
     2,
     RT_RULE_KF_RANGE_15,
     RT_RULE_KF_RANGE_16,
     {0}},
};

/* Compares member by member, because the struct has padding between the dimensions and the sizes.
 */
static void assert_range(const rt_fusion_range *range, const rt_fusion_range *expected)
{
    assert_int_equal(range->dimensions, expected->dimensions);
    assert_memory_equal(range->global, expected->global, sizeof range->global);
    assert_memory_equal(range->local, expected->local, sizeof range->local);
    assert_memory_equal(range->offset, expected->offset, sizeof range->offset);
}

static void assert_plan(const plan_row *row, rt_profile profile, rt_rule expected, size_t number)
{
    rt_sink *sink = rt_sink_create();
    rt_fusion_range fused;
    rt_status status = rt_fusion_plan(sink, profile, row->inputs, row->count, &fused);
    if (status.rule != expected || rt_ok(status) != (expected == RT_RULE_NONE))
        fail_msg("row %zu, profile %s: %s", number, rt_profile_name(profile),
                 rt_rule_name((rt_rule)status.rule));
    if (!rt_ok(status)) assert_int_equal(status.code, RT_FUSION_REJECTED);
    if (rt_ok(status) && profile == RT_PROFILE_DOCUMENTS) assert_range(&fused, &row->fused);
    rt_sink_destroy(sink);
}

static void rows_are_fused_or_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_plan(&rows[i], RT_PROFILE_DOCUMENTS, rows[i].documents, i);
        assert_plan(&rows[i], RT_PROFILE_DPCPP, rows[i].dpcpp, i);
    }
}

/* Shipped DPC++ uses the largest number of dimensions that any input has, and in SYCL's order the
 * additional dimensions vary fastest: {24} becomes {24, 1, 1}, which is 1 by 1 by 24 here (tag
 * B23).
 */
static void dpcpp_pads_the_range(void **state)
{
    (void)state;
    rt_sink *sink = rt_sink_create();
    const rt_fusion_range inputs[] = {R1(24), R3(2, 3, 2)};
    rt_fusion_range fused;
    assert_true(rt_ok(rt_fusion_plan(sink, RT_PROFILE_DPCPP, inputs, 2, &fused)));
    const rt_fusion_range expected = R3(1, 1, 24);
    assert_range(&fused, &expected);
    rt_sink_destroy(sink);
}

/* Tag B23, in SYCL's order, in which the last dimension varies fastest: of sizes with as many
 * work-items, the more frequent ones are taken, then the greater ones. */
static void dpcpp_prefers_frequent_and_then_greater_sizes(void **state)
{
    (void)state;
    static const struct {
        rt_fusion_range inputs[3];
        uint32_t count;
        rt_fusion_range fused;
    } rows_of_sizes[] = {
        {{R2(2, 8), R2(4, 4)}, 2, R2(2, 8)}, /* 8 by 2 is greater than 4 by 4 */
        {{R2(4, 4), R2(2, 8)}, 2, R2(2, 8)},
        {{R3(4, 2, 4), R3(2, 4, 4)}, 2, R3(2, 4, 4)}, /* 4, 2, 4 and 4, 4, 2 */
        {{R3(2, 4, 4), R3(4, 2, 4)}, 2, R3(2, 4, 4)},
        {{R3(2, 2, 4), R3(8, 1, 2)}, 2, R3(2, 2, 4)}, /* 4, 2, 2 and 2, 1, 8 */
        {{R3(1, 8, 2), R3(4, 1, 4)}, 2, R3(4, 1, 4)}, /* 2, 8, 1 and 4, 1, 4 */
        {{R2(4, 4), R2(4, 4), R2(2, 8)}, 3, R2(4, 4)},
        {{R2(2, 8), R2(4, 4), R2(4, 4)}, 3, R2(4, 4)},
        {{R2(4, 4), R2(4, 4), R2(1, 17)}, 3, R2(1, 17)},
        {{R1(16), R1L(16, 4)}, 2, R1L(16, 4)},
        {{R1(16), R1O(16, 4)}, 2, R1O(16, 4)},
    };
    rt_sink *sink = rt_sink_create();
    for (size_t i = 0; i < sizeof rows_of_sizes / sizeof *rows_of_sizes; i++) {
        rt_fusion_range fused;
        assert_true(rt_ok(rt_fusion_plan(sink, RT_PROFILE_DPCPP, rows_of_sizes[i].inputs,
                                         rows_of_sizes[i].count, &fused)));
        assert_range(&fused, &rows_of_sizes[i].fused);
    }
    rt_sink_destroy(sink);
}

static uint64_t linear(const uint64_t *id, const uint64_t *size)
{
    return (id[2] * size[1] + id[1]) * size[0] + id[0];
}

/* The group of the work-item with the linear id `at`, computed by decomposing the id. */
static uint64_t group_at(const rt_fusion_range *range, uint64_t at)
{
    uint64_t id[3] = {at % range->global[0], at / range->global[0] % range->global[1],
                      at / range->global[0] / range->global[1]};
    uint64_t group[3], count[3];
    for (uint32_t d = 0; d < 3; d++) {
        group[d] = id[d] / range->local[d];
        count[d] = range->global[d] / range->local[d];
    }
    return linear(group, count);
}

/* True if the fused range tears a group of the input; examines every pair of linear ids. */
static bool tears(const rt_fusion_range *input, const rt_fusion_range *fused)
{
    uint64_t items = rt_fusion_items(input);
    for (uint64_t a = 0; a < items; a++) {
        for (uint64_t b = a + 1; b < items; b++) {
            bool together = group_at(input, a) == group_at(input, b);
            if (together && group_at(fused, a) != group_at(fused, b)) return true;
        }
    }
    return false;
}

/* Every pair of small ranges with the same local size is refused by restriction 3 if and only if a
 * group would be torn, as determined by examining every pair of work-items. */
static void groups_are_torn_exactly_where_the_plan_says(void **state)
{
    (void)state;
    rt_sink *sink = rt_sink_create();
    uint32_t torn = 0, whole = 0;
    for (uint64_t code = 0; code < 3 * 3 * 3 * 3 * 3 * 3 * 8; code++) {
        uint64_t remaining = code, size[6], local[3];
        for (uint32_t i = 0; i < 6; i++, remaining /= 3)
            size[i] = remaining % 3 + 1;
        for (uint32_t i = 0; i < 3; i++, remaining /= 2)
            local[i] = remaining % 2 + 1;
        rt_fusion_range inputs[2] = {{.dimensions = 3}, {.dimensions = 3}};
        for (uint32_t d = 0; d < 3; d++) {
            inputs[0].global[d] = size[d] * local[d];
            inputs[1].global[d] = size[3 + d] * local[d];
            inputs[0].local[d] = inputs[1].local[d] = local[d];
        }
        if (rt_fusion_items(&inputs[0]) >= rt_fusion_items(&inputs[1])) continue;
        rt_fusion_range fused;
        rt_status status = rt_fusion_plan(sink, RT_PROFILE_DOCUMENTS, inputs, 2, &fused);
        bool expected = tears(&inputs[0], &inputs[1]);
        assert_int_equal(status.rule, expected ? RT_RULE_KF_RANGE_15 : RT_RULE_NONE);
        torn += expected;
        whole += !expected;
    }
    assert_true(torn > 100 && whole > 100);
    rt_sink_destroy(sink);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_fused_or_refused),
        cmocka_unit_test(dpcpp_pads_the_range),
        cmocka_unit_test(dpcpp_prefers_frequent_and_then_greater_sizes),
        cmocka_unit_test(groups_are_torn_exactly_where_the_plan_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
