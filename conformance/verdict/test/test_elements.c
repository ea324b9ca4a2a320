/* Tests of comparing contents of memories. The bit patterns are derived by hand from IEEE 754. */
#include "conformance/scenario/model/type.h"
#include "conformance/verdict/elements.h"
#include "conformance/verdict/value.h"
#include "reference/base/lines.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { NUMBERS_MAX = 12, ELEMENTS_MAX = 600 };

#define SCALAR(name) static const scn_field field_##name = {.type = SCN_TYPE_##name, .lanes = 1}
SCALAR(UCHAR);
SCALAR(INT);
SCALAR(ULONG);
SCALAR(HALF);
SCALAR(FLOAT);
SCALAR(DOUBLE);

/* A memory of one unnamed field. */
static scn_memory memory_of(const scn_field *field, uint64_t count)
{
    return (scn_memory){
        .name = RT_TEXT("m"),
        .layout = {.size = scn_type_size(field->type) * (field->lanes == 3 ? 4 : field->lanes),
                   .fields = field,
                   .field_count = 1},
        .count = count};
}

/* ---- Numbers ------------------------------------------------------------------------------- */

typedef struct number_row {
    const scn_field *field;
    scn_tolerance_kind kind;
    double tolerance;
    uint64_t expected, got; /* bits */
    const char *distance;   /* NULL: equal */
} number_row;

static const number_row number_rows[] = {
    {&field_INT, SCN_TOLERANCE_NONE, 0, 7, 7, NULL},
    {&field_INT, SCN_TOLERANCE_NONE, 0, 7, 8, ""},
    /* The tolerance of a memory without floating-point numbers is absolute. */
    {&field_INT, SCN_TOLERANCE_ABSOLUTE, 1, 7, 8, NULL},
    {&field_INT, SCN_TOLERANCE_ABSOLUTE, 1, 7, 9, ""},
    {&field_INT, SCN_TOLERANCE_ABSOLUTE, 2, 0xFFFFFFFF, 1, NULL}, /* -1 and 1 */
    {&field_INT, SCN_TOLERANCE_ABSOLUTE, 1, 0xFFFFFFFF, 1, ""},
    {&field_ULONG, SCN_TOLERANCE_ABSOLUTE, 1, UINT64_MAX, UINT64_MAX - 1, NULL},
    {&field_ULONG, SCN_TOLERANCE_ABSOLUTE, 10, UINT64_MAX, 1, ""},
    {&field_INT, SCN_TOLERANCE_RELATIVE, 10, 7, 8, ""},
    {&field_ULONG, SCN_TOLERANCE_ULP, 10, UINT64_MAX, UINT64_MAX - 1, ""},
    /* 1 and numbers near it, in each floating-point type. */
    {&field_HALF, SCN_TOLERANCE_NONE, 0, 0x3c00, 0x3c01, "1 ULP apart"},
    {&field_FLOAT, SCN_TOLERANCE_NONE, 0, 0x3f800000, 0x3f800001, "1 ULP apart"},
    {&field_DOUBLE, SCN_TOLERANCE_NONE, 0, 0x3ff0000000000000, 0x3ff0000000000003, "3 ULP apart"},
    {&field_FLOAT, SCN_TOLERANCE_ULP, 2, 0x3f800000, 0x3f800002, NULL},
    {&field_FLOAT, SCN_TOLERANCE_ULP, 2, 0x3f800000, 0x3f800003, "3 ULP apart"},
    {&field_FLOAT, SCN_TOLERANCE_ULP, 2, 0x3f800000, 0x3f7ffffe, NULL},
    {&field_HALF, SCN_TOLERANCE_ULP, 1, 0x3c00, 0x3c02, "2 ULP apart"},
    {&field_DOUBLE, SCN_TOLERANCE_ULP, 0, 0x3ff0000000000000, 0x3ff0000000000001, "1 ULP apart"},
    /* -0 and +0, the smallest numbers on either side of them. */
    {&field_FLOAT, SCN_TOLERANCE_NONE, 0, 0, 0x80000000, "0 ULP apart"},
    {&field_FLOAT, SCN_TOLERANCE_ULP, 0, 0, 0x80000000, NULL},
    {&field_FLOAT, SCN_TOLERANCE_ABSOLUTE, 0, 0, 0x80000000, NULL},
    {&field_FLOAT, SCN_TOLERANCE_RELATIVE, 0, 0, 0x80000000, NULL},
    {&field_DOUBLE, SCN_TOLERANCE_NONE, 0, 1, 0x8000000000000001, "2 ULP apart"},
    {&field_FLOAT, SCN_TOLERANCE_ULP, 2, 1, 0x80000001, NULL},
    /* NaN equals NaN whatever the payload, and equals nothing else. */
    {&field_FLOAT, SCN_TOLERANCE_NONE, 0, 0x7fc00000, 0xffc00001, NULL},
    {&field_HALF, SCN_TOLERANCE_NONE, 0, 0x7e00, 0xfe01, NULL},
    {&field_DOUBLE, SCN_TOLERANCE_NONE, 0, 0x7ff8000000000000, 0x7ff0000000000001, NULL},
    {&field_FLOAT, SCN_TOLERANCE_ABSOLUTE, 1e30, 0x7fc00000, 0x3f800000, "one is NaN"},
    {&field_FLOAT, SCN_TOLERANCE_ULP, 1e30, 0x3f800000, 0x7fc00000, "one is NaN"},
    /* The largest float next to infinity: one step apart, but no tolerance covers an overflow. */
    {&field_FLOAT, SCN_TOLERANCE_NONE, 0, 0x7f800000, 0x7f800000, NULL},
    {&field_FLOAT, SCN_TOLERANCE_ULP, 4, 0x7f800000, 0x7f7fffff, "1 ULP apart"},
    {&field_FLOAT, SCN_TOLERANCE_ULP, 4, 0x7f7fffff, 0x7f800000, "1 ULP apart"},
    {&field_HALF, SCN_TOLERANCE_RELATIVE, 2, 0x7bff, 0x7c00, "1 ULP apart"},
    {&field_DOUBLE, SCN_TOLERANCE_ABSOLUTE, 1e308, 0x7ff0000000000000, 0xfff0000000000000, "apart"},
    /* 2 and 2.5 differ by 0.5, a quarter of the expected value; the other way round, by a fifth. */
    {&field_FLOAT, SCN_TOLERANCE_ABSOLUTE, 0.5, 0x40000000, 0x40200000, NULL},
    {&field_FLOAT, SCN_TOLERANCE_ABSOLUTE, 0.49, 0x40000000, 0x40200000, "apart"},
    {&field_FLOAT, SCN_TOLERANCE_RELATIVE, 0.25, 0x40000000, 0x40200000, NULL},
    {&field_FLOAT, SCN_TOLERANCE_RELATIVE, 0.2, 0x40000000, 0x40200000, "apart"},
    {&field_FLOAT, SCN_TOLERANCE_RELATIVE, 0.2, 0x40200000, 0x40000000, NULL},
    /* No relative tolerance covers a difference from zero. */
    {&field_DOUBLE, SCN_TOLERANCE_RELATIVE, 1, 0, 1, "1 ULP apart"},
};

static void numbers_are_compared_as_declared(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof number_rows / sizeof *number_rows; i++) {
        const number_row *row = &number_rows[i];
        rt_arena arena = {0};
        scn_memory memory = memory_of(row->field, 1);
        memory.tolerance_kind = row->kind;
        memory.tolerance = row->tolerance;
        rt_bytes expected = {(const uint8_t *)&row->expected, memory.layout.size};
        rt_bytes got = {(const uint8_t *)&row->got, memory.layout.size};
        cnf_difference difference;
        bool equal =
            cnf_elements_compare(&arena, &memory, expected, got, (rt_bytes){0}, &difference);
        if (equal != !row->distance) fail_msg("row %zu: equal is %d", i, equal);
        /* Compared as a multiset of one element, the memory must give the same result. */
        memory.unordered = true;
        cnf_difference unordered;
        assert_int_equal(
            cnf_elements_compare(&arena, &memory, expected, got, (rt_bytes){0}, &unordered), equal);
        if (!equal && !strstr(rt_arena_text(&arena, difference.distance).data, row->distance))
            fail_msg("row %zu: %.*s", i, RT_TEXT_ARG(difference.distance));
        rt_arena_reset(&arena);
    }
}

static void assert_printed(scn_type type, uint64_t bits, const char *expected)
{
    rt_buffer text = {0};
    cnf_value_print(&text, type, (const uint8_t *)&bits);
    assert_string_equal(rt_buffer_string(&text), expected);
    rt_buffer_free(&text);
}

static void numbers_are_printed_in_decimal_and_bits(void **state)
{
    (void)state;
    assert_printed(SCN_TYPE_CHAR, 0xff, "-1 (0xff)");
    assert_printed(SCN_TYPE_ULONG, UINT64_MAX, "18446744073709551615 (0xffffffffffffffff)");
    assert_printed(SCN_TYPE_HALF, 0x3555, "0.33325 = 0x1.554p-2 (0x3555)");
    assert_printed(SCN_TYPE_HALF, 0x8001, "-5.9605e-08 = -0x1p-24 (0x8001)");
    assert_printed(SCN_TYPE_HALF, 0x7bff, "65504 = 0x1.ffcp+15 (0x7bff)");
    assert_printed(SCN_TYPE_HALF, 0xfc00, "-inf = -inf (0xfc00)");
    assert_printed(SCN_TYPE_FLOAT, 0x3f800000, "1 = 0x1p+0 (0x3f800000)");
    assert_printed(SCN_TYPE_DOUBLE, 0x3ff0000000000001,
                   "1.0000000000000002 = 0x1.0000000000001p+0 (0x3ff0000000000001)");
}

static void an_order_of_all_numbers(void **state)
{
    (void)state;
    /* Ascending; NaNs last and equal. */
    static const uint64_t ascending[] = {0xff800000, 0xbf800000, 0x80000001, 0x80000000, 0,
                                         1,          0x3f800000, 0x7f800000, 0x7fc00000};
    for (size_t i = 1; i < sizeof ascending / sizeof *ascending; i++)
        assert_true(cnf_value_order(SCN_TYPE_FLOAT, ascending[i - 1]) <
                    cnf_value_order(SCN_TYPE_FLOAT, ascending[i]));
    assert_int_equal(cnf_value_order(SCN_TYPE_FLOAT, 0xffc00001),
                     cnf_value_order(SCN_TYPE_FLOAT, 0x7fc00000));
    assert_true(cnf_value_order(SCN_TYPE_CHAR, 0xff) < cnf_value_order(SCN_TYPE_CHAR, 1));
    assert_true(cnf_value_order(SCN_TYPE_UCHAR, 0xff) > cnf_value_order(SCN_TYPE_UCHAR, 1));
}

/* ---- Layouts ------------------------------------------------------------------------------- */

/* struct { uchar tag; float3 at; double weight; }: OpenCL C puts the vector at 16, its fourth lane
 * is padding, and the whole takes 40 bytes, rounded to 48. */
static const scn_field pair_fields[] = {
    {.name = {"tag", 3}, .type = SCN_TYPE_UCHAR, .lanes = 1, .offset = 0},
    {.name = {"at", 2}, .type = SCN_TYPE_FLOAT, .lanes = 3, .offset = 16},
    {.name = {"weight", 6}, .type = SCN_TYPE_DOUBLE, .lanes = 1, .offset = 32},
};
static const scn_memory pair_memory = {
    .name = {"pairs", 5},
    .layout = {.size = 48, .is_struct = true, .fields = pair_fields, .field_count = 3},
    .count = 2,
};

static void padding_is_never_compared(void **state)
{
    (void)state;
    rt_arena arena = {0};
    uint8_t expected[96] = {0}, got[96];
    memset(got, 0xaa, sizeof got);
    static const size_t declared[][2] = {{0, 1}, {16, 12}, {32, 8}};
    for (size_t i = 0; i < 6; i++)
        memset(got + 48 * (i / 3) + declared[i % 3][0], 0, declared[i % 3][1]);
    cnf_difference difference;
    assert_true(cnf_elements_compare(&arena, &pair_memory, (rt_bytes){expected, 96},
                                     (rt_bytes){got, 96}, (rt_bytes){0}, &difference));
    scn_memory unordered = pair_memory;
    unordered.unordered = true;
    assert_true(cnf_elements_compare(&arena, &unordered, (rt_bytes){expected, 96},
                                     (rt_bytes){got, 96}, (rt_bytes){0}, &difference));
    rt_arena_reset(&arena);
}

static const struct place_row {
    size_t offset; /* of the changed byte */
    const char *place, *name;
} place_rows[] = {
    {0, "element 0.tag", "pairs[0].tag"},
    {16, "element 0.at.x", "pairs[0].at.x"},
    {27, "element 0.at.z", "pairs[0].at.z"},
    {48 + 20, "element 1.at.y", "pairs[1].at.y"},
    {48 + 39, "element 1.weight", "pairs[1].weight"},
};

static void a_difference_names_field_and_lane(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof place_rows / sizeof *place_rows; i++) {
        rt_arena arena = {0};
        uint8_t expected[96] = {0}, got[96] = {0};
        got[place_rows[i].offset] = 0x41;
        cnf_difference difference;
        assert_false(cnf_elements_compare(&arena, &pair_memory, (rt_bytes){expected, 96},
                                          (rt_bytes){got, 96}, (rt_bytes){0}, &difference));
        assert_string_equal(difference.place.data, place_rows[i].place);
        assert_string_equal(difference.name.data, place_rows[i].name);
        rt_arena_reset(&arena);
    }
    rt_arena arena = {0};
    static const scn_field sixteen = {.type = SCN_TYPE_UCHAR, .lanes = 16};
    scn_memory memory = memory_of(&sixteen, 1);
    uint8_t expected[16] = {0}, got[16] = {[11] = 1};
    cnf_difference difference;
    assert_false(cnf_elements_compare(&arena, &memory, (rt_bytes){expected, 16},
                                      (rt_bytes){got, 16}, (rt_bytes){0}, &difference));
    assert_string_equal(difference.name.data, "m[0].sb");
    rt_arena_reset(&arena);
}

static void what_is_not_defined_may_be_anything(void **state)
{
    (void)state;
    rt_arena arena = {0};
    scn_memory memory = memory_of(&field_INT, 2);
    static const uint8_t expected[] = {1, 0, 0, 0, 2, 0, 0, 0};
    static const uint8_t got[] = {1, 0, 0, 0, 2, 0xff, 0xff, 0xff};
    uint8_t defined = 0x1f;
    cnf_difference difference;
    assert_true(cnf_elements_compare(&arena, &memory, (rt_bytes){expected, 8}, (rt_bytes){got, 8},
                                     (rt_bytes){&defined, 1}, &difference));
    assert_int_equal(difference.count, 0);
    defined = 0x3f;
    assert_false(cnf_elements_compare(&arena, &memory, (rt_bytes){expected, 8}, (rt_bytes){got, 8},
                                      (rt_bytes){&defined, 1}, &difference));
    assert_int_equal(difference.first, 1);
    /* A NaN with an undefined byte is compared as bytes: it is not known to be a NaN. */
    memory = memory_of(&field_FLOAT, 1);
    static const uint8_t quiet[] = {0, 0, 0xc0, 0x7f}, payload[] = {1, 0, 0xc0, 0x7f};
    defined = 0x0f;
    assert_true(cnf_elements_compare(&arena, &memory, (rt_bytes){quiet, 4}, (rt_bytes){payload, 4},
                                     (rt_bytes){&defined, 1}, &difference));
    defined = 0x07;
    assert_false(cnf_elements_compare(&arena, &memory, (rt_bytes){quiet, 4}, (rt_bytes){payload, 4},
                                      (rt_bytes){&defined, 1}, &difference));
    rt_arena_reset(&arena);
}

/* ---- Unordered ----------------------------------------------------------------------------- */

typedef struct unordered_row {
    scn_tolerance_kind kind;
    float tolerance;
    uint32_t count;
    float expected[6], got[6];
    uint8_t undefined; /* one bit per element */
    uint32_t lacking;  /* elements without a partner */
    uint32_t first;
} unordered_row;

static const unordered_row unordered_rows[] = {
    {SCN_TOLERANCE_NONE, 0, 4, {1, 2, 3, 4}, {4, 2, 1, 3}, 0, 0, 0},
    /* A multiset, not a set: two equal elements need two partners. */
    {SCN_TOLERANCE_NONE, 0, 4, {1, 1, 2, 2}, {1, 2, 2, 2}, 0, 1, 1},
    {SCN_TOLERANCE_NONE, 0, 4, {4, 3, 2, 1}, {1, 2, 3, 5}, 0, 1, 0},
    {SCN_TOLERANCE_NONE, 0, 2, {-0.0f, 0}, {0, 0}, 0, 1, 0},
    /* An undefined element may have any value, but still takes one place. */
    {SCN_TOLERANCE_NONE, 0, 3, {7, 1, 2}, {2, 99, 1}, 1, 0, 0},
    {SCN_TOLERANCE_NONE, 0, 3, {7, 1, 2}, {98, 99, 1}, 1, 1, 2},
    {SCN_TOLERANCE_NONE, 0, 2, {5, 6}, {9, 9}, 3, 0, 0},
    /* 0 must be paired with 1, or -1 has no partner: pairing in ascending order finds both. */
    {SCN_TOLERANCE_ABSOLUTE, 1, 2, {0, -1}, {0, 1}, 0, 0, 0},
    {SCN_TOLERANCE_ABSOLUTE, 1, 3, {0, 1, 2}, {1, 2, 3}, 0, 0, 0},
    {SCN_TOLERANCE_ABSOLUTE, 1, 3, {0, 1, 2}, {1, 3, 3.5f}, 0, 1, 1},
    {SCN_TOLERANCE_RELATIVE, 0.5f, 3, {-2, 10, 4}, {5, 2, -3}, 0, 0, 0},
    {SCN_TOLERANCE_RELATIVE, 0.5f, 3, {-2, 10, 4}, {4.5f, 2, -3}, 0, 1, 1},
};

static void uncompared_elements_may_hold_anything(void **state)
{
    (void)state;
    rt_arena arena = {0};
    static const uint8_t expected[] = {1, 2, 3, 4}, got[] = {1, 9, 3, 9};
    static const uint64_t skipped[] = {1, 3};
    scn_memory memory = memory_of(&field_UCHAR, 4);
    memory.uncompared = skipped;
    cnf_difference difference;
    for (uint32_t count = 0; count <= 2; count++) {
        memory.uncompared_count = count;
        bool equal = cnf_elements_compare(&arena, &memory, (rt_bytes){expected, 4},
                                          (rt_bytes){got, 4}, (rt_bytes){0}, &difference);
        assert_int_equal(equal, count == 2);
        assert_int_equal(difference.count, 2 - count);
    }
    rt_arena_reset(&arena);
}

static void unordered_memories_are_multisets(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof unordered_rows / sizeof *unordered_rows; i++) {
        const unordered_row *row = &unordered_rows[i];
        rt_arena arena = {0};
        scn_memory memory = memory_of(&field_FLOAT, row->count);
        memory.unordered = true;
        memory.tolerance_kind = row->kind;
        memory.tolerance = (double)row->tolerance;
        uint8_t defined[3] = {0};
        for (uint32_t k = 0; k < row->count * 4; k++)
            defined[k / 8] |= (uint8_t)((row->undefined >> (k / 4) & 1 ? 0 : 1) << (k % 8));
        cnf_difference difference;
        bool equal = cnf_elements_compare(
            &arena, &memory, (rt_bytes){(const uint8_t *)row->expected, row->count * 4},
            (rt_bytes){(const uint8_t *)row->got, row->count * 4}, (rt_bytes){defined, 3},
            &difference);
        if (difference.count != row->lacking || equal != (row->lacking == 0))
            fail_msg("row %zu: %u lack a partner", i, (unsigned)difference.count);
        assert_int_equal(difference.first, row->first);
        rt_arena_reset(&arena);
    }
}

/* struct { int key; float weight; } */
typedef struct weighed {
    int32_t key;
    float weight;
} weighed;
static const scn_field weighed_fields[] = {
    {.name = {"key", 3}, .type = SCN_TYPE_INT, .lanes = 1, .offset = 0},
    {.name = {"weight", 6}, .type = SCN_TYPE_FLOAT, .lanes = 1, .offset = 4},
};
static const scn_field pair_field = {.type = SCN_TYPE_FLOAT, .lanes = 2};

static uint64_t lacking(const scn_memory *memory, const void *expected, const void *got)
{
    rt_arena arena = {0};
    size_t size = memory->count * memory->layout.size;
    cnf_difference difference;
    cnf_elements_compare(&arena, memory, (rt_bytes){expected, size}, (rt_bytes){got, size},
                         (rt_bytes){0}, &difference);
    rt_arena_reset(&arena);
    return difference.count;
}

static void elements_of_several_numbers_are_matched(void **state)
{
    (void)state;
    scn_memory memory = {.name = RT_TEXT("m"),
                         .layout = {.size = 8, .fields = weighed_fields, .field_count = 2},
                         .count = 3,
                         .unordered = true,
                         .tolerance_kind = SCN_TOLERANCE_ABSOLUTE,
                         .tolerance = 1};
    static const weighed expected[] = {{1, 5}, {2, 5}, {1, 6}};
    static const weighed reordered[] = {{2, 4}, {1, 7}, {1, 5}},
                         other_key[] = {{3, 5}, {1, 7}, {1, 5}};
    static const weighed too_far[] = {{2, 5}, {1, 7}, {1, 7}};
    assert_int_equal(lacking(&memory, expected, reordered), 0);
    assert_int_equal(lacking(&memory, expected, other_key), 1);
    assert_int_equal(lacking(&memory, expected, too_far), 1); /* 7 is outside the tolerance of 5 */
    /* (0,0) matches either element, (1,-1) only the first: (0,0) must give the first away. */
    memory = memory_of(&pair_field, 2);
    memory.unordered = true;
    memory.tolerance_kind = SCN_TOLERANCE_ABSOLUTE;
    memory.tolerance = 0.75;
    static const float pairs[] = {0, 0, 1, -1}, found[] = {0.5f, -0.5f, 0.5f, 0.5f};
    assert_int_equal(lacking(&memory, pairs, found), 0);
}

/* The largest number of elements that can be matched. */
static void many_elements_are_matched(void **state)
{
    (void)state;
    static float expected[2 * SCN_MATCHED_COUNT_MAX], got[2 * SCN_MATCHED_COUNT_MAX];
    for (uint32_t i = 0; i < SCN_MATCHED_COUNT_MAX; i++) {
        expected[2 * i] = (float)i;
        got[2 * i] = (float)(SCN_MATCHED_COUNT_MAX - 1 - i) + 0.5f;
    }
    scn_memory memory = memory_of(&pair_field, SCN_MATCHED_COUNT_MAX);
    memory.unordered = true;
    memory.tolerance_kind = SCN_TOLERANCE_ABSOLUTE;
    memory.tolerance = 0.5; /* each element matches two: a search may visit all of them */
    assert_int_equal(lacking(&memory, expected, got), 0);
    got[0] = -1; /* no expected element matches this one */
    assert_int_equal(lacking(&memory, expected, got), 1);
    memory.tolerance = 1e6; /* every element matches every other */
    assert_int_equal(lacking(&memory, expected, got), 0);
}

/* ---- Texts --------------------------------------------------------------------------------- */

typedef struct pattern_row {
    uint32_t total;
    uint32_t indices[NUMBERS_MAX]; /* end at the first 0 after index 0 */
    uint32_t from, length, period; /* or runs: start of the first; 0: no runs */
    const char *pattern;
} pattern_row;

static const pattern_row pattern_rows[] = {
    {8, {3}, 0, 0, 0, "one element"},
    {1, {0}, 0, 0, 0, "one element"},
    {8, {0}, 0, 8, 8, "all"},
    {8, {1, 3, 5, 7}, 0, 0, 0, "odd indices"},
    {8, {0, 2, 4, 6}, 0, 0, 0, "even indices"},
    {9, {2, 5, 8}, 0, 0, 0, "every 3rd from 2"},
    {12, {2, 6, 10}, 0, 0, 0, "every 4th from 2"},
    {16, {2, 6, 10}, 0, 0, 0, "every 4th from 2 to 10"},
    {8, {1, 3, 5}, 0, 0, 0, "every 2nd from 1 to 5"},
    {8, {5, 6, 7}, 0, 0, 0, "all from 5 on"},
    {8, {0, 1, 2}, 0, 0, 0, "the first 3"},
    {8, {2, 3, 4}, 0, 0, 0, "2 to 4"},
    {8, {2, 6}, 0, 0, 0, "2 and 6"},
    {8, {1, 4, 5}, 0, 0, 0, "between 1 and 5, without a pattern"},
    {40, {1, 2, 4, 7}, 0, 0, 0, "between 1 and 7, without a pattern"},
    {512, {0}, 64, 64, 128, "runs of 64, every 128th from 64"},
    {500, {0}, 64, 64, 128, "runs of 64, every 128th from 64"},
    {600, {0}, 11, 1, 111, "every 111th from 11"},
};

static void pattern_apply(const pattern_row *row, uint8_t *got)
{
    for (uint32_t i = 0; i < NUMBERS_MAX && row->length == 0; i++)
        if (i == 0 || row->indices[i] > 0) got[row->indices[i]] = 1;
    for (uint32_t begin = row->from; row->length > 0 && begin < row->total; begin += row->period)
        for (uint32_t i = begin; i < begin + row->length && i < row->total; i++)
            got[i] = 1;
}

static void differing_indices_have_a_pattern(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof pattern_rows / sizeof *pattern_rows; i++) {
        const pattern_row *row = &pattern_rows[i];
        rt_arena arena = {0};
        uint8_t expected[ELEMENTS_MAX] = {0}, got[ELEMENTS_MAX] = {0};
        pattern_apply(row, got);
        scn_memory memory = memory_of(&field_UCHAR, row->total);
        cnf_difference difference;
        assert_false(cnf_elements_compare(&arena, &memory, (rt_bytes){expected, row->total},
                                          (rt_bytes){got, row->total}, (rt_bytes){0}, &difference));
        if (!rt_text_is(difference.pattern, row->pattern))
            fail_msg("row %zu: %.*s", i, RT_TEXT_ARG(difference.pattern));
        rt_arena_reset(&arena);
    }
}

static void differences_are_told(void **state)
{
    (void)state;
    rt_arena arena = {0};
    static const float expected[] = {1, 1, 1, 1}, got[] = {1, 2, 1, 1.00000012f};
    rt_bytes expected_bytes = {(const uint8_t *)expected, 16},
             got_bytes = {(const uint8_t *)got, 16};
    scn_memory memory = memory_of(&field_FLOAT, 4);
    cnf_difference difference;
    assert_false(cnf_elements_compare(&arena, &memory, expected_bytes, got_bytes, (rt_bytes){0},
                                      &difference));
    assert_string_equal(difference.text.data,
                        "m[1]: expected 1 = 0x1p+0 (0x3f800000), got 2 = 0x1p+1 (0x40000000), "
                        "8388608 ULP apart\n2 of 4 elements differ: 1 and 3\n"
                        "  element  expected         got\n"
                        "        0         1           1\n"
                        ">       1         1           2\n"
                        "        2         1           1\n"
                        ">       3         1  1.00000012");
    memory.unordered = true;
    assert_false(cnf_elements_compare(&arena, &memory, expected_bytes, got_bytes, (rt_bytes){0},
                                      &difference));
    assert_string_equal(difference.text.data,
                        "m[2]: expected 1 = 0x1p+0 (0x3f800000) in any place, got no equal "
                        "element\n2 of 4 elements lack a partner: all from 2 on");
    uint8_t pairs[2][96] = {{1, [48] = 2}, {2, [48] = 3}};
    scn_memory unordered = pair_memory;
    unordered.unordered = true;
    assert_false(cnf_elements_compare(&arena, &unordered, (rt_bytes){pairs[0], 96},
                                      (rt_bytes){pairs[1], 96}, (rt_bytes){0}, &difference));
    assert_string_equal(difference.expected.data,
                        "{1 (0x01), 0 = 0x0p+0 (0x00000000), 0 = 0x0p+0 (0x00000000), 0 = 0x0p+0 "
                        "(0x00000000), 0 = 0x0p+0 (0x0000000000000000)}");
    rt_arena_reset(&arena);
}

/* Eight elements from the first that differs on, or the last eight. */
static void the_table_begins_at_the_first_difference(void **state)
{
    (void)state;
    static const struct {
        uint32_t total, differs, first, rows;
    } rows[] = {{20, 5, 5, 8},   {20, 0, 0, 8}, {20, 12, 12, 8}, {20, 13, 12, 8},
                {20, 19, 12, 8}, {8, 7, 0, 8},  {2, 1, 0, 2},    {1, 0, 0, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rt_arena arena = {0};
        uint8_t expected[ELEMENTS_MAX] = {0}, got[ELEMENTS_MAX] = {0};
        got[rows[i].differs] = 1;
        scn_memory memory = memory_of(&field_UCHAR, rows[i].total);
        cnf_difference difference;
        assert_false(cnf_elements_compare(&arena, &memory, (rt_bytes){expected, rows[i].total},
                                          (rt_bytes){got, rows[i].total}, (rt_bytes){0},
                                          &difference));
        rt_text rest = difference.table, line;
        uint32_t count = 0;
        while (rt_line_take(&rest, &line)) {
            if (line.length < 10 || line.data[8] < '0' || line.data[8] > '9') continue;
            uint32_t index = rows[i].first + count++;
            char number[16];
            (void)snprintf(number, sizeof number, "%c %7u", index == rows[i].differs ? '>' : ' ',
                           index);
            assert_memory_equal(line.data, number, strlen(number));
        }
        assert_int_equal(count, rows[i].rows);
        rt_arena_reset(&arena);
    }
}

/* Twelve elements are expected to hold their indices, except that those in `same` hold 3 too. */
static void a_value_used_for_all_elements_is_recognised(void **state)
{
    (void)state;
    static const struct {
        uint32_t count, same; /* a bit per element */
        uint8_t other;        /* what element 1 holds; 3: the same as all others */
        bool has_hint;
    } rows[] = {{12, 0, 3, true},
                {12, 1u << 7, 3, false},
                {12, 0, 4, false},
                {4, 0, 3, true},
                {2, 0, 3, false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rt_arena arena = {0};
        uint8_t expected[12], got[12];
        for (uint8_t e = 0; e < rows[i].count; e++) {
            expected[e] = rows[i].same >> e & 1 ? 3 : e;
            got[e] = e == 1 ? rows[i].other : 3;
        }
        scn_memory memory = memory_of(&field_UCHAR, rows[i].count);
        cnf_difference difference;
        assert_false(cnf_elements_compare(&arena, &memory, (rt_bytes){expected, rows[i].count},
                                          (rt_bytes){got, rows[i].count}, (rt_bytes){0},
                                          &difference));
        const char *hint = strstr(difference.text.data, "\nevery element holds 3, which only "
                                                        "element 3 should hold");
        assert_int_equal(hint != NULL, rows[i].has_hint);
        rt_arena_reset(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_compared_as_declared),
        cmocka_unit_test(numbers_are_printed_in_decimal_and_bits),
        cmocka_unit_test(an_order_of_all_numbers),
        cmocka_unit_test(padding_is_never_compared),
        cmocka_unit_test(a_difference_names_field_and_lane),
        cmocka_unit_test(what_is_not_defined_may_be_anything),
        cmocka_unit_test(uncompared_elements_may_hold_anything),
        cmocka_unit_test(unordered_memories_are_multisets),
        cmocka_unit_test(elements_of_several_numbers_are_matched),
        cmocka_unit_test(many_elements_are_matched),
        cmocka_unit_test(differing_indices_have_a_pattern),
        cmocka_unit_test(differences_are_told),
        cmocka_unit_test(the_table_begins_at_the_first_difference),
        cmocka_unit_test(a_value_used_for_all_elements_is_recognised),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
