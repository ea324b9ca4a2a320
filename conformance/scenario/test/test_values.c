/* Unit tests of types and of patterns of values. Refusals are covered by golden tests (test/wrong).
 */
#include "conformance/scenario/model/scenario.h"
#include "conformance/scenario/model/type.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* ---- Types -------------------------------------------------------------------------------- */

static void every_type_is_found_by_its_name(void **state)
{
    (void)state;
    uint32_t count = 0, structs = 0;
    for (; scn_type_word(count); count++) {
        rt_arena arena = {0};
        scn_type type;
        uint32_t lanes;
        rt_text name = rt_text_of(scn_type_word(count));
        if (!scn_type_find(name, &type, &lanes)) {
            assert_true(rt_text_is(name, "struct"));
            structs++;
            continue;
        }
        scn_layout layout = scn_layout_of(&arena, type, lanes);
        assert_true(rt_text_equal(scn_layout_print(&arena, &layout), name));
        uint32_t size = scn_type_size(type) * (lanes == 3 ? 4 : lanes);
        assert_int_equal(layout.size, size);
        assert_int_equal(layout.alignment, size);
        assert_false(layout.is_struct);
        assert_int_equal(scn_layout_is_floating(&layout), scn_type_class(type) == 'f');
        rt_arena_reset(&arena);
    }
    assert_int_equal(structs, 1);
    assert_int_equal(count, 6 * SCN_TYPE_COUNT + 1);
}

static void unknown_words_are_not_types(void **state)
{
    (void)state;
    static const char *const words[] = {"",        "struct", "float1", "float5",
                                        "float32", "4",      "Float",  "int ",
                                        "int04",   "intx",   "void",   "float44"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        scn_type type;
        uint32_t lanes;
        assert_false(scn_type_find(rt_text_of(words[i]), &type, &lanes));
    }
}

/* The same struct as laid out by the C compiler, with vectors as arrays that have the vector's
 * alignment. */
typedef struct example {
    int8_t a;
    _Alignas(8) int16_t b[4]; /* short3 */
    double c;
    uint8_t d;
    _Alignas(16) float e[4];
    uint16_t f;
} example;

static void structs_are_laid_out_as_c_does(void **state)
{
    (void)state;
    rt_arena arena = {0};
    scn_field fields[] = {
        {RT_TEXT("a"), SCN_TYPE_CHAR, 1, 0},   {RT_TEXT("b"), SCN_TYPE_SHORT, 3, 0},
        {RT_TEXT("c"), SCN_TYPE_DOUBLE, 1, 0}, {RT_TEXT("d"), SCN_TYPE_UCHAR, 1, 0},
        {RT_TEXT("e"), SCN_TYPE_FLOAT, 4, 0},  {RT_TEXT("f"), SCN_TYPE_HALF, 1, 0}};
    scn_layout layout;
    scn_layout_place(fields, 6, true, &layout);
    assert_int_equal(fields[1].offset, offsetof(example, b));
    assert_int_equal(fields[2].offset, offsetof(example, c));
    assert_int_equal(fields[3].offset, offsetof(example, d));
    assert_int_equal(fields[4].offset, offsetof(example, e));
    assert_int_equal(fields[5].offset, offsetof(example, f));
    assert_int_equal(layout.size, sizeof(example));
    assert_int_equal(layout.alignment, _Alignof(example));
    assert_string_equal(scn_layout_print(&arena, &layout).data,
                        "struct {char a; short3 b; double c; uchar d; float4 e; half f}");
    rt_arena_reset(&arena);
}

/* ---- Patterns ----------------------------------------------------------------------------- */

/* A scenario with one memory, "m". */
static rt_bytes content_of(rt_arena *arena, const char *memory)
{
    rt_text text = rt_arena_printf(arena,
                                   "assay: 1\n"
                                   "summary: s\n"
                                   "modules: {app: {sources: [{language: opencl-c, code: x}]}}\n"
                                   "memory: {m: {%s}}\n"
                                   "steps: [{expect: {launches: 0}}]\n",
                                   memory);
    scn_problems problems;
    const scn_scenario *scenario =
        scn_read(arena, text, RT_TEXT("f.yaml"), RT_TEXT("f.yaml"), &problems);
    if (problems.count > 0) fail_msg("%s", problems.items[0].text.data);
    return scenario->memories[0].initial;
}

static void assert_same_content(const char *memory, const char *other)
{
    rt_arena arena = {0};
    rt_bytes a = content_of(&arena, memory), b = content_of(&arena, other);
    assert_int_equal(a.size, b.size);
    assert_memory_equal(a.data, b.data, a.size);
    rt_arena_reset(&arena);
}

static void a_seed_draws_lane_by_lane(void **state)
{
    (void)state;
    assert_same_content("type: float4, count: 5, values: {seed: 7}",
                        "type: float, count: 20, values: {seed: 7}");
    assert_same_content(
        "type: struct, fields: {a: half, b: half, c: half2}, count: 3, values: {seed: 1}",
        "type: half, count: 12, values: {seed: 1}");
    /* The unused fourth lane of a vector of three consumes no number of the sequence. */
    rt_arena arena = {0};
    rt_bytes threes = content_of(&arena, "type: uint3, count: 2, values: {seed: 3}");
    rt_bytes plain = content_of(&arena, "type: uint, count: 6, values: {seed: 3}");
    assert_memory_equal(threes.data, plain.data, 12);
    assert_memory_equal(threes.data + 12, "\0\0\0\0", 4);
    assert_memory_equal(threes.data + 16, plain.data + 12, 12);
    rt_arena_reset(&arena);
}

/* The generator's published outputs for the state 1234567. */
static void a_seed_is_splitmix64(void **state)
{
    (void)state;
    assert_same_content("type: ulong, count: 3, values: {seed: 1234567}",
                        "type: ulong, values: [6457827717110365317, 3203168211198807973, "
                        "9817491932198370423]");
}

static void patterns_say_the_same_as_lists(void **state)
{
    (void)state;
    assert_same_content("type: int, values: {iota: 4, start: -2}",
                        "type: int, values: [-2, -1, 0, 1]");
    assert_same_content("type: float, values: {iota: 3, start: 2, step: -2}",
                        "type: float, values: [2, 0, -2]");
    assert_same_content("type: ulong, values: {iota: 2, start: 0xfffffffffffffffe}",
                        "type: ulong, values: [18446744073709551614, 18446744073709551615]");
    assert_same_content(
        "type: long, values: {iota: 2, start: 0x7fffffffffffffff, step: -0xffffffffffffffff}",
        "type: long, values: [9223372036854775807, -9223372036854775808]");
    assert_same_content("type: short2, count: 2, values: {fill: [1, -1]}",
                        "type: short2, values: [[1, -1], [1, -1]]");
    assert_same_content("type: float, values: {bytes: '0000803f 000000c0'}",
                        "type: float, values: [1, -2]");
}

/* The limit applies to all values of a scenario together, whatever their source and type. */
static void values_have_a_limit(void **state)
{
    (void)state;
    static const char *const memories[] = {
        "a: {type: double16, count: 262144, values: {seed: 1}}, b: {type: uchar, values: [1]}",
        "a: {type: double16, count: 524289, values: {seed: 1}}",
        "a: {type: double16, count: 524288, values: {seed: 1}}, b: {type: uchar, values: [1]}",
    };
    for (size_t i = 0; i < sizeof memories / sizeof *memories; i++) {
        rt_arena arena = {0};
        scn_problems problems;
        rt_text text = rt_arena_printf(
            &arena,
            "assay: 1\nsummary: s\n"
            "modules: {app: {sources: [{language: opencl-c, code: x}]}}\nmemory: {%s}\n"
            "steps: [{expect: {launches: 0}}]\n",
            memories[i]);
        scn_read(&arena, text, RT_TEXT("f"), RT_TEXT("f"), &problems);
        assert_int_equal(problems.count, i == 0 ? 0 : 1);
        if (i > 0) assert_non_null(strstr(problems.items[0].text.data, "at most 67108864 bytes"));
        rt_arena_reset(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type_is_found_by_its_name),
        cmocka_unit_test(unknown_words_are_not_types),
        cmocka_unit_test(structs_are_laid_out_as_c_does),
        cmocka_unit_test(a_seed_draws_lane_by_lane),
        cmocka_unit_test(a_seed_is_splitmix64),
        cmocka_unit_test(patterns_say_the_same_as_lists),
        cmocka_unit_test(values_have_a_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
