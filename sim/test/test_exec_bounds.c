/* Tests which indices into arrays within larger objects are reported (decode/bounds.c), at three
 * levels of optimisation, on every engine and under every schedule. */
#include "sim/test/harness.h"

#include <string.h>

#define INTS 64u

typedef struct bounds_case {
    const char *kernel;
    int32_t n;
    const char *kind;  /* NULL: nothing is found */
    const char *words; /* of the message; NULL: any */
    uint64_t count;    /* work-item instructions */
} bounds_case;

#define OVERRUN "array-overrun"

static const bounds_case cases[] = {
    {"member", 3, NULL, NULL, 0},
    {"member", 4, OVERRUN, "index 4 to an array of 4 elements", 1},
    {"member", 11, OVERRUN, "index 11 to an array of 4 elements", 1},
    {"member_of_element", 3, NULL, NULL, 0},
    {"member_of_element", 4, OVERRUN, "index 4 to an array of 4 elements", 1},
    {"member_of_element", -1, OVERRUN, "index -1 to an array of 4 elements", 1},
    {"last_member", 7, NULL, NULL, 0},
    {"last_member", 8, OVERRUN, "index 8 to an array of 8 elements", 1},
    {"member_read", 3, NULL, NULL, 0},
    {"member_read", 5, OVERRUN, "index 5 to an array of 4 elements", 1},
    {"member_atomic", 3, NULL, NULL, 0},
    {"member_atomic", 4, OVERRUN, "index 4 to an array of 4 elements", 1},
    {"past_the_end", 0, NULL, NULL, 0},
    {"row", 4, NULL, NULL, 0},
    {"row", 5, OVERRUN, "index 5 to an array of 5 elements", 4},
    {"row_private", 3, NULL, NULL, 0},
    {"row_private", 4, OVERRUN, "index 4 to an array of 4 elements", 4},
    {"flat", 7, NULL, NULL, 0},
    {"flexible", 5, NULL, NULL, 0},
    {"single", 0, NULL, NULL, 0},
    {"single", 1, OVERRUN, "index 1 to an array of 1 elements", 1},
    {"whole", 3, NULL, NULL, 0},
    {"whole", 4, "out-of-bounds", NULL, 4},
    {"out_of_all", 12, "out-of-bounds", NULL, 4},
};

static void run_case(const bounds_case *c, uint32_t level, uint32_t engine)
{
    static const int32_t zeros[INTS];
    harness h = harness_open_file("bounds", level, engine);
    int32_t n = c->n;
    bool is_group = strncmp(c->kernel, "row", 3) == 0 || strcmp(c->kernel, "flat") == 0 ||
                    strcmp(c->kernel, "whole") == 0 || strcmp(c->kernel, "out_of_all") == 0;
    sim_argument arguments[] = {harness_global(harness_memory(&h, "memory", zeros, sizeof zeros)),
                                harness_value(&n, sizeof n)};
    uint64_t items = is_group ? 4 : 1;
    harness_try(&h, c->kernel, harness_range(items, items), arguments, 2);
    assert_true(rt_ok(h.status));
    if (!c->kind && h.finding_count) fail_msg("%s -O%u: %s", c->kernel, level, h.texts[0][0]);
    if (c->kind) {
        if (h.finding_count != 1)
            fail_msg("%s -O%u: %u findings", c->kernel, level, h.finding_count);
        if (strcmp(h.findings[0].kind, c->kind) != 0 || h.findings[0].count != c->count ||
            (c->words && !strstr(h.texts[0][0], c->words))) {
            fail_msg("%s -O%u: %s, %u times: %s", c->kernel, level, h.findings[0].kind,
                     (unsigned)h.findings[0].count, h.texts[0][0]);
        }
    }
    harness_close(&h);
}

static void test_arrays(void **state)
{
    (void)state;
    /* From LLVM 19 on, the passes compute addresses in bytes, which do not say where a member ends.
     */
    const uint32_t levels = SIM_TEST_LLVM >= 19 ? 1 : 3;
    for (uint32_t level = 0; level < levels; level++) {
        for (uint32_t engine = 0; engine < SIM_ENGINE_COUNT; engine++) {
            if (!sim_engine_at(engine)) continue;
            for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++)
                run_case(&cases[i], level, engine);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_arrays)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
