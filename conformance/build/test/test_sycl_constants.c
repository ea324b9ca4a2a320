/* Unit tests of the replacement of SYCL's reads of specialisation constants. The module is written
 * word by word here, as the compiler in libsycl writes it. */
#include "conformance/build/sycl_constants.h"

#include "reference/base/spirv.h"
#include "reference/base/stream.h"
#include "reference/image/spec_constants.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { BYTE = 1, U32, LENGTH, TEXT_TYPE, TEXT_POINTER, ID_TYPE, ID_POINTER, ADDRESS, READER_TYPE };
enum { LETTER = 10, ZERO, THREE, TEXT, DEFAULT, NAME, OBJECT, READER, P1, P2, P3 };
enum {
    VOID = 21,
    KERNEL_TYPE,
    KERNEL,
    LABEL,
    NAME_CAST,
    OBJECT_CAST,
    RESULT,
    NULL_ADDRESS,
    SUM,
    BOUND
};

static void put(rt_buffer *code, uint32_t opcode, uint32_t count, const uint32_t *operands)
{
    rt_write_u32(code, (count + 1) << 16 | opcode);
    for (uint32_t i = 0; i < count; i++)
        rt_write_u32(code, operands[i]);
}
#define PUT(opcode, ...)                                                                           \
    put(code, opcode, sizeof((uint32_t[]){__VA_ARGS__}) / 4, (uint32_t[]){__VA_ARGS__})

/* The constant `a` with the default 3, read by a kernel; `default_cast` is what the object's cast
 * takes. */
static void module_write(rt_buffer *code, uint32_t default_cast)
{
    static const char symbol[] = "_Z37__sycl_getScalar2020SpecConstantValueIiET_PKcPKvS4_";
    enum { SYMBOL_WORDS = (sizeof symbol + 3) / 4 };
    uint32_t linkage[2 + SYMBOL_WORDS + 1] = {READER, 41};
    memcpy(&linkage[2], symbol, sizeof symbol);
    linkage[2 + SYMBOL_WORDS] = 1; /* Import */
    const uint32_t header[] = {RT_SPIRV_MAGIC, 0x00010400, 0, BOUND, 0};
    for (uint32_t i = 0; i < 5; i++)
        rt_write_u32(code, header[i]);
    PUT(15, 6, KERNEL, 0x6b, NAME, OBJECT); /* OpEntryPoint Kernel "k" */
    PUT(5, NAME, 0x6e);
    put(code, 71, 2 + SYMBOL_WORDS + 1, linkage);
    PUT(21, BYTE, 8, 0);
    PUT(21, U32, 32, 0);
    PUT(43, U32, LENGTH, 2);
    PUT(28, TEXT_TYPE, BYTE, LENGTH);
    PUT(32, TEXT_POINTER, 5, TEXT_TYPE);
    PUT(30, ID_TYPE, U32);
    PUT(32, ID_POINTER, 5, ID_TYPE);
    PUT(32, ADDRESS, 8, BYTE);
    PUT(33, READER_TYPE, U32, ADDRESS, ADDRESS, ADDRESS);
    PUT(43, BYTE, LETTER, 'a');
    PUT(43, BYTE, ZERO, 0);
    PUT(43, U32, THREE, 3);
    PUT(44, TEXT_TYPE, TEXT, LETTER, ZERO);
    PUT(44, ID_TYPE, DEFAULT, THREE);
    PUT(59, TEXT_POINTER, NAME, 5, TEXT);
    PUT(59, ID_POINTER, OBJECT, 5, DEFAULT);
    PUT(46, ADDRESS, NULL_ADDRESS);
    PUT(19, VOID);
    PUT(33, KERNEL_TYPE, VOID);
    PUT(54, U32, READER, 0, READER_TYPE);
    PUT(55, ADDRESS, P1);
    PUT(55, ADDRESS, P2);
    PUT(55, ADDRESS, P3);
    put(code, 56, 0, NULL);
    PUT(54, VOID, KERNEL, 0, KERNEL_TYPE);
    PUT(248, LABEL);
    PUT(121, ADDRESS, NAME_CAST, NAME);
    PUT(121, ADDRESS, OBJECT_CAST, default_cast);
    PUT(57, U32, RESULT, READER, NAME_CAST, OBJECT_CAST, NULL_ADDRESS);
    PUT(128, U32, SUM, RESULT, RESULT);
    put(code, 253, 0, NULL);
    put(code, 56, 0, NULL);
}

/* The opcodes of a module, in order. */
static uint32_t opcodes_of(rt_bytes code, uint32_t *out_opcodes, uint32_t room)
{
    rt_spirv_walk walk = rt_spirv_walk_start(code);
    uint32_t count = 0;
    for (rt_spirv_instruction it; rt_spirv_walk_next(&walk, &it) && count < room;)
        out_opcodes[count++] = it.opcode;
    assert_false(walk.is_damaged);
    return count;
}

/* By hand: the reader, both casts and both variables are gone; a decoration and a constant are new.
 */
static void a_call_becomes_a_constant(void **state)
{
    (void)state;
    static const uint32_t expected[] = {15, 71, 21, 21, 43, 28, 32, 30, 32,  32, 33,  43,  43,
                                        43, 44, 44, 46, 19, 33, 50, 54, 248, 83, 128, 253, 56};
    static const uint32_t row[] = {0, 0, 4};
    rt_arena arena = {0};
    rt_buffer code = {0};
    const char *problem;
    module_write(&code, OBJECT);
    rt_image image = {.code = rt_buffer_bytes(&code)};
    assert_true(cnf_sycl_constants_place(&arena, &image, &problem));
    uint32_t opcodes[64], count = opcodes_of(image.code, opcodes, 64);
    assert_int_equal(count, sizeof expected / sizeof *expected);
    assert_memory_equal(opcodes, expected, sizeof expected);
    assert_int_equal(image.set_count, 2);
    const rt_property *table = rt_image_set(&image, RT_SET_SPEC_CONSTANTS)->properties;
    assert_true(rt_text_is(table->name, "a"));
    assert_int_equal(table->bytes.size, sizeof row);
    assert_memory_equal(table->bytes.data, row, sizeof row);
    rt_spec_descriptor descriptor;
    assert_true(rt_spec_descriptor_read(&image, 0, &descriptor));
    assert_memory_equal(descriptor.default_value.data, "\3\0\0\0", 4);
    rt_buffer_free(&code);
    rt_arena_reset(&arena);
}

static void anything_else_is_refused_or_unchanged(void **state)
{
    (void)state;
    rt_arena arena = {0};
    rt_buffer code = {0};
    const char *problem;
    module_write(&code, P2); /* an address that no variable has */
    rt_bytes bytes = rt_buffer_bytes(&code);
    rt_image image = {.code = bytes};
    assert_false(cnf_sycl_constants_place(&arena, &image, &problem));
    assert_string_equal(problem, "a constant's id or default value is not a constant");
    assert_int_equal(image.set_count, 0);
    assert_ptr_equal(image.code.data, bytes.data);
    image.code = (rt_bytes){bytes.data, 20}; /* the header alone */
    assert_true(cnf_sycl_constants_place(&arena, &image, &problem));
    assert_int_equal(image.code.size, 20);
    image.code = (rt_bytes){bytes.data, bytes.size - 2};
    assert_false(cnf_sycl_constants_place(&arena, &image, &problem));
    image.code = (rt_bytes){bytes.data, 7};
    assert_false(cnf_sycl_constants_place(&arena, &image, &problem));
    rt_buffer_free(&code);
    rt_arena_reset(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_call_becomes_a_constant),
        cmocka_unit_test(anything_else_is_refused_or_unchanged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
