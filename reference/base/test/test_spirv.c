/* Unit tests of the walk over SPIR-V: both byte orders, and truncated or damaged modules. */
#include "reference/base/spirv.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { WORDS = 14, CAPABILITY = 17, SOURCE_EXTENSION = 4, NAME = 5 };

/* A header, OpCapability Addresses, OpSourceExtension "abc", OpName %7 "abcdx" (the last word of
 * which holds the last letter and the NUL), and an instruction of one word. */
static const uint32_t module_words[WORDS] = {RT_SPIRV_MAGIC,
                                             0x00010200,
                                             0,
                                             10,
                                             0,
                                             2u << 16 | CAPABILITY,
                                             4,
                                             2u << 16 | SOURCE_EXTENSION,
                                             0x00636261,
                                             4u << 16 | NAME,
                                             7,
                                             0x64636261,
                                             0x78,
                                             1u << 16 | 8};

/* The module's first size_bytes bytes, in this machine's byte order or swapped. */
static rt_bytes module_of(uint32_t words[WORDS], bool is_swapped, size_t size_bytes)
{
    for (size_t i = 0; i < WORDS; i++)
        words[i] = is_swapped ? __builtin_bswap32(module_words[i]) : module_words[i];
    return (rt_bytes){(const uint8_t *)words, size_bytes};
}

static void both_byte_orders_are_walked(void **state)
{
    (void)state;
    static const uint32_t opcodes[] = {CAPABILITY, SOURCE_EXTENSION, NAME, 8};
    static const uint32_t counts[] = {2, 2, 4, 1};
    for (int swapped = 0; swapped < 2; swapped++) {
        uint32_t words[WORDS];
        rt_spirv_walk walk = rt_spirv_walk_start(module_of(words, swapped, sizeof words));
        assert_int_equal(walk.is_swapped, swapped);
        assert_int_equal(walk.version, 0x00010200);
        rt_spirv_instruction instruction;
        rt_buffer text = {0};
        for (size_t i = 0; i < 4; i++) {
            assert_true(rt_spirv_walk_next(&walk, &instruction));
            assert_int_equal(instruction.opcode, opcodes[i]);
            assert_int_equal(instruction.word_count, counts[i]);
            if (opcodes[i] == CAPABILITY) assert_int_equal(rt_spirv_word(&instruction, 1), 4);
            if (opcodes[i] != NAME) continue;
            assert_int_equal(rt_spirv_word(&instruction, 1), 7);
            assert_true(rt_spirv_text_append(&instruction, 2, &text));
            assert_string_equal(rt_buffer_string(&text), "abcdx");
            assert_true(rt_text_is(rt_spirv_text(&instruction, 2), swapped ? "" : "abcdx"));
        }
        assert_false(rt_spirv_walk_next(&walk, &instruction));
        assert_false(walk.is_damaged);
        assert_int_equal(instruction.word_count, 0);
        rt_buffer reason = {0};
        assert_true(rt_spirv_check(walk.code, &reason));
        assert_int_equal(reason.size, 0);
        rt_buffer_free(&text);
    }
}

static void words_and_texts_end_with_their_instruction(void **state)
{
    (void)state;
    uint32_t words[WORDS];
    rt_bytes code = module_of(words, false, sizeof words);
    rt_spirv_walk walk = rt_spirv_walk_start(code);
    rt_spirv_instruction instruction;
    rt_buffer text = {0};
    rt_buffer_append_text(&text, RT_TEXT("kept"));
    assert_true(rt_spirv_walk_next(&walk, &instruction));
    assert_int_equal(rt_spirv_word(&instruction, 0), 2u << 16 | CAPABILITY);
    assert_int_equal(rt_spirv_word(&instruction, 2), 0); /* a word of the next instruction */
    assert_false(rt_spirv_text_append(&instruction, 2, &text));
    assert_int_equal(rt_spirv_text(&instruction, 2).length, 0);
    assert_true(rt_spirv_walk_next(&walk, &instruction));
    assert_true(rt_text_is(rt_spirv_text(&instruction, 1), "abc"));
    words[8] = 0x64636261; /* no NUL byte inside the instruction */
    assert_false(rt_spirv_text_append(&instruction, 1, &text));
    assert_int_equal(rt_spirv_text(&instruction, 1).length, 0);
    assert_string_equal(rt_buffer_string(&text), "kept");
    words[8] = 0; /* the empty string */
    assert_true(rt_spirv_text_append(&instruction, 1, &text));
    assert_string_equal(rt_buffer_string(&text), "kept");
    rt_buffer_free(&text);
}

static void every_cut_is_noticed(void **state)
{
    (void)state;
    for (int swapped = 0; swapped < 2; swapped++) {
        for (size_t size = 0; size < sizeof module_words; size++) {
            uint32_t words[WORDS];
            rt_spirv_walk walk = rt_spirv_walk_start(module_of(words, swapped, size));
            rt_spirv_instruction instruction;
            while (rt_spirv_walk_next(&walk, &instruction)) {
            }
            rt_buffer reason = {0};
            bool is_whole = size == 20 || size == 28 || size == 36 || size == 52;
            assert_int_equal(walk.is_damaged, !is_whole);
            assert_int_equal(rt_spirv_check(walk.code, &reason), is_whole);
            assert_int_equal(reason.size > 0, !is_whole);
            assert_false(rt_spirv_walk_next(&walk, &instruction)); /* damage is final */
            rt_buffer_free(&reason);
        }
    }
}

static void damage_is_explained_at_its_byte(void **state)
{
    (void)state;
    const struct {
        size_t size, word;
        uint32_t value;
        const char *reason;
    } rows[] = {
        {0, 3, 10, "a SPIR-V module that ends at byte 0, inside its header of 20 bytes"},
        {16, 3, 10, "a SPIR-V module that ends at byte 16, inside its header of 20 bytes"},
        {22, 3, 10, "a SPIR-V module of 22 bytes, which is not a whole number of words"},
        {56, 0, 0x464C457F,
         "not a SPIR-V module: byte 0 begins the word 0x464c457f, not 0x07230203"},
        {56, 7, 4,
         "a damaged SPIR-V module: the instruction at byte 28 (opcode 4) declares 0 words; 7 "
         "are left"},
        {56, 13, 2u << 16 | 8,
         "a damaged SPIR-V module: the instruction at byte 52 (opcode 8) declares 2 words; 1 "
         "are left"},
    };
    for (int swapped = 0; swapped < 2; swapped++) {
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            uint32_t words[WORDS];
            rt_bytes code = module_of(words, swapped, rows[i].size);
            bool swaps =
                swapped && rows[i].word != 0; /* an unknown magic number shows no byte order */
            words[rows[i].word] = swaps ? __builtin_bswap32(rows[i].value) : rows[i].value;
            rt_buffer reason = {0};
            assert_false(rt_spirv_check(code, &reason));
            assert_string_equal(rt_buffer_string(&reason), rows[i].reason);
            rt_buffer_free(&reason);
        }
    }
}

/* %1 is a 16-bit number, %2 a truth value, %3 an array length that no SpecId names. */
static void specialisation_constants_have_sizes(void **state)
{
    (void)state;
    enum { CONSTANT_WORDS = 29, NUMBER_AT = 68, TRUTH_AT = 84 };
    static const uint32_t constants[CONSTANT_WORDS] = {
        RT_SPIRV_MAGIC, 0x00010200, 0,  10,  0, /* the header */
        4u << 16 | 71,  1,          1,  7,      /* OpDecorate %1 SpecId 7 */
        4u << 16 | 71,  2,          1,  8,      /* OpDecorate %2 SpecId 8 */
        4u << 16 | 21,  5,          16, 0,      /* %5 = OpTypeInt 16 0 */
        4u << 16 | 50,  5,          1,  300,    /* %1 = OpSpecConstant %5 300 */
        3u << 16 | 48,  6,          2,          /* %2 = OpSpecConstantTrue %6 */
        4u << 16 | 50,  5,          3,  9,      /* %3 = OpSpecConstant %5 9 */
        1u << 16 | 8,                           /* OpNoLine */
    };
    for (int swapped = 0; swapped < 2; swapped++) {
        uint32_t words[CONSTANT_WORDS];
        for (size_t i = 0; i < CONSTANT_WORDS; i++)
            words[i] = swapped ? __builtin_bswap32(constants[i]) : constants[i];
        const rt_bytes code = {(const uint8_t *)words, sizeof words};
        rt_spirv_instruction at;
        assert_int_equal(rt_spirv_spec_constant_find(code, 7, &at), 2);
        assert_ptr_equal(at.bytes.data, code.data + NUMBER_AT);
        assert_int_equal(rt_spirv_spec_constant_find(code, 8, &at), 1);
        assert_ptr_equal(at.bytes.data, code.data + TRUTH_AT);
        assert_int_equal(rt_spirv_spec_constant_find(code, 9, &at), 0);
        assert_int_equal(rt_spirv_spec_constant_find(code, 0, &at), 0);
        words[15] = swapped ? __builtin_bswap32(128) : 128; /* the width of %5 */
        assert_int_equal(rt_spirv_spec_constant_find(code, 7, &at), 0);
        /* Cut behind the decorations. */
        assert_int_equal(rt_spirv_spec_constant_find((rt_bytes){code.data, 52}, 7, &at), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_byte_orders_are_walked),
        cmocka_unit_test(words_and_texts_end_with_their_instruction),
        cmocka_unit_test(every_cut_is_noticed),
        cmocka_unit_test(damage_is_explained_at_its_byte),
        cmocka_unit_test(specialisation_constants_have_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
