/* Tests of the plugin beyond the rules of post-link: specialisation constants, required aspects,
 * and LLVM IR and SPIR-V that other tools produced. */
#include "reference/base/spirv.h"
#include "reference/compiler/test/postlink_fixture.h"
#include "reference/image/spec_constants.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* ---- Specialisation constants -------------------------------------------------------------- */

static uint32_t word_at(rt_bytes bytes, size_t index)
{
    uint32_t word;
    assert_true(4 * (index + 1) <= bytes.size);
    memcpy(&word, bytes.data + 4 * index, sizeof word);
    return word;
}

static const rt_property *property_of(const postlink_fixture *fixture, uint32_t image,
                                      const char *set_name, const char *name)
{
    const rt_property_set *set = rt_image_set(&fixture->images.images[image], set_name);
    for (uint32_t i = 0; set && i < set->property_count; i++)
        if (rt_text_is(set->properties[i].name, name)) return &set->properties[i];
    return NULL;
}

/* Reads the bits of a constant's default, and the constant's number and size, from the image's
 * property sets. The default's offset is computed independently here, because a reader of the sets
 * must derive it without help from the writer. */
static uint64_t default_of(const postlink_fixture *fixture, uint32_t image, const char *name,
                           uint32_t *out_id, uint32_t *out_size)
{
    const rt_property_set *set =
        rt_image_set(&fixture->images.images[image], RT_SET_SPEC_CONSTANTS);
    const rt_property *defaults = property_of(fixture, image, RT_SET_SPEC_CONSTANT_DEFAULTS, "all");
    assert_non_null(set);
    assert_non_null(defaults);
    uint32_t place = 0, at = 0;
    for (; at < set->property_count && !rt_text_is(set->properties[at].name, name); at++)
        place += word_at(set->properties[at].bytes, 2);
    assert_true(at < set->property_count);
    const rt_property *constant = &set->properties[at];
    assert_int_equal(constant->type, RT_PROPERTY_BYTES);
    assert_int_equal(constant->bytes.size, 12);
    *out_id = word_at(constant->bytes, 0);
    assert_int_equal(word_at(constant->bytes, 1), 0); /* a scalar is at offset 0 of its constant */
    *out_size = word_at(constant->bytes, 2);
    assert_true(place + *out_size <= defaults->bytes.size);
    uint64_t bits = 0;
    memcpy(&bits, defaults->bytes.data + place, *out_size);
    return bits;
}

enum { OP_SPEC_TRUE = 48, OP_SPEC_FALSE = 49, OP_SPEC_CONSTANT = 50, OP_DECORATE = 71 };
enum { DECORATION_SPEC_ID = 1 };

/* The number of specialisation constants with this SpecId in an image's code, and the first word of
 * their value (1 for true, 0 for false). */
static uint32_t constants_in(const postlink_fixture *fixture, uint32_t image, uint32_t id,
                             uint32_t *out_word)
{
    uint32_t targets[16], target_count = 0, found = 0;
    rt_spirv_walk walk = rt_spirv_walk_start(fixture->images.images[image].code);
    rt_spirv_instruction at;
    while (rt_spirv_walk_next(&walk, &at)) {
        if (at.opcode == OP_DECORATE && rt_spirv_word(&at, 2) == DECORATION_SPEC_ID &&
            rt_spirv_word(&at, 3) == id) {
            assert_true(target_count < 16);
            targets[target_count++] = rt_spirv_word(&at, 1);
        }
        if (at.opcode < OP_SPEC_TRUE || at.opcode > OP_SPEC_CONSTANT) continue;
        for (uint32_t i = 0; i < target_count; i++) {
            if (targets[i] != rt_spirv_word(&at, 2)) continue;
            found++;
            *out_word =
                at.opcode == OP_SPEC_CONSTANT ? rt_spirv_word(&at, 3) : at.opcode == OP_SPEC_TRUE;
        }
    }
    return found;
}

static void assert_constant(const postlink_fixture *fixture, uint32_t image, const char *name,
                            uint64_t bits, uint32_t size)
{
    uint32_t id, actual_size, word = 0;
    assert_int_equal(default_of(fixture, image, name, &id, &actual_size), bits);
    assert_int_equal(actual_size, size);
    assert_true(constants_in(fixture, image, id, &word) > 0);
    assert_int_equal(word, (uint32_t)bits);
}

/* Bits computed by hand: 1.5 is 0x3E00 as half and 0x3FC00000 as float, -2.5 is 0xC004... as
 * double. */
static void every_scalar_can_be_a_constant(void **state)
{
    fixture_make(*state, RT_SPLIT_OFF, 1,
                 SOURCES({"A", "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
                               "SPEC_CONSTANT(bool, b, true);\nSPEC_CONSTANT(bool, no, false);\n"
                               "SPEC_CONSTANT(char, c, -3);\nSPEC_CONSTANT(uchar, uc, 200);\n"
                               "SPEC_CONSTANT(short, s, -300);\nSPEC_CONSTANT(ushort, us, 60000);\n"
                               "SPEC_CONSTANT(int, i, -7);\nSPEC_CONSTANT(uint, ui, 3000000000u);\n"
                               "SPEC_CONSTANT(long, l, -9);\nSPEC_CONSTANT(ulong, ul, 1ul << 40);\n"
                               "SPEC_CONSTANT(half, h, 1.5h);\nSPEC_CONSTANT(float, f, 1.5f);\n"
                               "SPEC_CONSTANT(double, d, -2.5);\n"
                               "kernel void K(global double *p, global half *q) {\n"
                               " if (b) p[0] = c + uc + s + us + i + ui;\n"
                               " if (!no) p[1] = l + f + d; *q = h * *q;\n"
                               " p[2] = (double)ul; }"}));
    const postlink_fixture *fixture = *state;
    assert_constant(fixture, 0, "b", 1, 1);
    assert_constant(fixture, 0, "no", 0, 1);
    assert_constant(fixture, 0, "c", 0xFD, 1);
    assert_constant(fixture, 0, "uc", 200, 1);
    assert_constant(fixture, 0, "s", 0xFED4, 2);
    assert_constant(fixture, 0, "us", 60000, 2);
    assert_constant(fixture, 0, "i", 0xFFFFFFF9, 4);
    assert_constant(fixture, 0, "ui", 3000000000u, 4);
    assert_constant(fixture, 0, "l", UINT64_C(0xFFFFFFFFFFFFFFF7), 8);
    assert_constant(fixture, 0, "ul", UINT64_C(1) << 40, 8);
    assert_constant(fixture, 0, "h", 0x3E00, 2);
    assert_constant(fixture, 0, "f", 0x3FC00000, 4);
    assert_constant(fixture, 0, "d", UINT64_C(0xC004000000000000), 8);
    /* Numbers are unique in the image. */
    const rt_property_set *set = rt_image_set(&fixture->images.images[0], RT_SET_SPEC_CONSTANTS);
    assert_int_equal(set->property_count, 13);
    uint32_t actual = 0;
    for (uint32_t i = 0; i < set->property_count; i++)
        actual |= 1u << word_at(set->properties[i].bytes, 0);
    assert_int_equal(actual, (1u << 13) - 1);
    assert_imports(fixture, 0, "");
    assert_exports(fixture, 0, "");
}

/* Each image numbers its own constants and does not list constants that it does not use. */
static void images_have_the_constants_that_they_use(void **state)
{
    fixture_make(*state, RT_SPLIT_PER_KERNEL, 2,
                 SOURCES({"A", "SPEC_CONSTANT(int, n, 3);\nSPEC_CONSTANT(int, m, 4);\n"
                               "static int twice(int x) { return x * n; }\n"
                               "kernel void K(global int *p) { p[0] = twice(p[1]) + n; }"},
                         {"B", "SPEC_CONSTANT(int, m, 4);\nSPEC_CONSTANT(int, n, 3);\n"
                               "kernel void L(global int *p) { p[0] = m; p[1] = n; }"}));
    const postlink_fixture *fixture = *state;
    assert_constant(fixture, 0, "n", 3, 4);
    assert_null(property_of(fixture, 0, RT_SET_SPEC_CONSTANTS, "m"));
    assert_constant(fixture, 1, "n", 3, 4);
    assert_constant(fixture, 1, "m", 4, 4);
    /* Twin: the image of a source without constants has neither set. */
    fixture_make(*state, RT_SPLIT_OFF, 1,
                 SOURCES({"A", "SPEC_CONSTANT(int, n, 3);\n"
                               "kernel void K(global int *p) { p[0] = 3; }"}));
    assert_null(rt_image_set(&fixture->images.images[0], RT_SET_SPEC_CONSTANTS));
    assert_null(rt_image_set(&fixture->images.images[0], RT_SET_SPEC_CONSTANT_DEFAULTS));
}

/* A loop and a branch that depend on a constant are kept until its value is known. */
static void constants_are_not_folded(void **state)
{
    fixture_make(*state, RT_SPLIT_OFF, 1,
                 SOURCES({"A", "SPEC_CONSTANT(uint, n, 4);\nSPEC_CONSTANT(bool, every, false);\n"
                               "kernel void K(global int *p) {\n"
                               " for (uint i = 0; i < n; i++) p[i] += 1;\n"
                               " if (every) p[0] = 7; }"}));
    assert_constant(*state, 0, "n", 4, 4);
    assert_constant(*state, 0, "every", 0, 1);
}

/* By hand: the char at 0, three bytes of padding, the int at 4, the short at 8, two bytes of
 * padding after it; without the int, which no code reads, the short has number 1, and the place of
 * the int has no default. */
static void a_composite_has_a_row_for_each_scalar_that_is_used(void **state)
{
    static const char declaration[] =
        "typedef struct { char a; int b; short c; } mixed;\nSPEC_CONSTANT(mixed, m, {3, 4, 5})\n";
    static const uint32_t all[] = {0, 0, 1, 1, 4, 4, 2, 8, 2, RT_SPEC_PADDING, 10, 2},
                          without_b[] = {0, 0, 1, 1, 8, 2, RT_SPEC_PADDING, 10, 2};
    static const uint8_t defaults[] = {3, 0, 0, 0, 4, 0, 0, 0, 5, 0, 0, 0},
                         defaults_without_b[] = {3, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0};
    postlink_fixture *fixture = *state;
    char first[300], second[300];
    snprintf(first, sizeof first, "%skernel void K(global int *p) { p[0] = m.a + m.b + m.c; }",
             declaration);
    snprintf(second, sizeof second, "%skernel void K(global int *p) { p[0] = m.a + m.c; }",
             declaration);
    const struct {
        const char *code;
        rt_bytes rows, defaults;
    } rows[] = {
        {first, {(const uint8_t *)all, sizeof all}, {defaults, sizeof defaults}},
        {second,
         {(const uint8_t *)without_b, sizeof without_b},
         {defaults_without_b, sizeof defaults_without_b}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        fixture_make(fixture, RT_SPLIT_OFF, 1, SOURCES({"A", rows[i].code}));
        const rt_image *image = &fixture->images.images[0];
        rt_bytes table = rt_image_set(image, RT_SET_SPEC_CONSTANTS)->properties[0].bytes;
        rt_bytes block = rt_image_set(image, RT_SET_SPEC_CONSTANT_DEFAULTS)->properties[0].bytes;
        assert_int_equal(table.size, rows[i].rows.size);
        assert_memory_equal(table.data, rows[i].rows.data, table.size);
        assert_int_equal(block.size, rows[i].defaults.size);
        assert_memory_equal(block.data, rows[i].defaults.data, block.size);
    }
}

static void constants_that_are_not_scalars_to_read_are_refused(void **state)
{
    static const struct {
        const char *code, *name, *part;
    } rows[] = {
        {"struct link { int a; global int *next; };\n"
         "SPEC_CONSTANT(struct link, t, {1, 0})\n"
         "kernel void K(global int *p) { p[0] = t.a; }",
         "t", "contains something other than scalars"},
        {"typedef int table[1025];\nSPEC_CONSTANT(table, t, {1, 2})\n"
         "kernel void K(global int *p) { p[0] = t[1]; }",
         "t", "is larger than 4096 bytes"},
        {"struct pair { int a, b; };\nSPEC_CONSTANT(struct pair, t, {1, 2})\n"
         "int f(constant int *q) { return *q; }\n"
         "kernel void K(global int *p) { p[0] = f(&t.b); }",
         "t", "can only be read"},
        {"SPEC_CONSTANT(int, n, 1);\nint f(constant int *q) { return *q; }\n"
         "kernel void K(global int *p) { p[0] = f(&n); }",
         "n", "can only be read"},
        {"SPEC_CONSTANT(int, n, 1);\n"
         "kernel void K(global ulong *p) { p[0] = (ulong)&n + n; }",
         "n", "can only be read"},
        {"SPEC_CONSTANT(int, n, 1);\n"
         "kernel void K(global int *p) { p[0] = *(volatile constant int *)&n; }",
         "n", "can only be read"},
        {"extern constant int n __asm__(\"__assay_spec_constant_n\");\n"
         "kernel void K(global int *p) { p[0] = n; }",
         "n", "has no default"},
    };
    postlink_fixture *fixture = *state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rt_status status = fixture_postlink(fixture, RT_SPLIT_OFF, SOURCES({"A", rows[i].code}));
        assert_refused(fixture, status, RT_POSTLINK_ERROR, rows[i].name);
        const char *message = rt_sink_diagnostic(fixture->sink, status)->message.data;
        if (!strstr(message, rows[i].part)) fail_msg("%s", message);
    }
}

static void constants_that_disagree_are_refused(void **state)
{
    static const fixture_source first = {"A",
                                         "SPEC_CONSTANT(int, n, 3);\nint f(void) { return n; }"};
    postlink_fixture *fixture = *state;
    rt_status status = fixture_postlink(
        fixture, RT_SPLIT_OFF,
        SOURCES(first, {"B", "SPEC_CONSTANT(int, n, 4);\nint g(void) { return n; }"}));
    assert_refused(fixture, status, RT_POSTLINK_ERROR, "n");
    status = fixture_postlink(
        fixture, RT_SPLIT_OFF,
        SOURCES(first, {"B", "SPEC_CONSTANT(long, n, 3);\nlong g(void) { return n; }"}));
    assert_refused(fixture, status, RT_POSTLINK_ERROR, "n");
    /* Twin: both sources have the same declaration. */
    fixture_make(fixture, RT_SPLIT_OFF, 1,
                 SOURCES(first, {"B", "SPEC_CONSTANT(int, n, 3);\nint g(void) { return n; }"}));
    assert_constant(fixture, 0, "n", 3, 4);
}

/* The number that the bitcode stores into p[0]: the operand of LLVM's store. */
static void a_link_specialises(void **state)
{
    postlink_fixture *fixture = *state;
    fixture_make(fixture, RT_SPLIT_OFF, 1,
                 SOURCES({"A", "SPEC_CONSTANT(bool, on, false);\nvoid f(void);\n"
                               "kernel void K(global int *p) { p[0] = 1; }\n"
                               "kernel void L(global int *p) { if (on) p[1] = 2; }"}));
    rt_bytes spirv = fixture->images.images[0].code;
    const uint8_t yes = 1;
    rt_link_constant constant = {.id = 0, .value = {&yes, 1}};
    rt_link_code plain = {.spirv = spirv}, special = {spirv, &constant, 1};
    rt_buffer first = {0}, second = {0};
    assert_true(rt_ok(fixture->api->link_to_bitcode(fixture->sink, &plain, 1, &first)));
    assert_true(rt_ok(fixture->api->link_to_bitcode(fixture->sink, &special, 1, &second)));
    assert_true(first.size != second.size || memcmp(first.data, second.data, first.size) != 0);
    rt_buffer_free(&second);
    /* Twins: a SpecId that the code does not have is ignored; a value of three bytes is refused,
     * since no scalar has that size. */
    constant.id = 7;
    assert_true(rt_ok(fixture->api->link_to_bitcode(fixture->sink, &special, 1, &second)));
    assert_int_equal(first.size, second.size);
    assert_memory_equal(first.data, second.data, first.size);
    rt_buffer_free(&second);
    constant.value = (rt_bytes){spirv.data, 3};
    rt_status status = fixture->api->link_to_bitcode(fixture->sink, &special, 1, &second);
    assert_int_equal(status.code, RT_MALFORMED);
    assert_int_equal(second.size, 0);
    rt_buffer_free(&first);
}

/* ---- Requirements -------------------------------------------------------------------------- */

/* The aspects that an image requires, in decimal, separated by blanks. */
static void assert_aspects(const postlink_fixture *fixture, uint32_t image, const char *expected)
{
    const rt_property *aspects = property_of(fixture, image, RT_SET_DEVICE_REQUIREMENTS, "aspects");
    rt_buffer actual = {0};
    for (size_t i = 0; aspects && 4 * i < aspects->bytes.size; i++)
        rt_buffer_printf(&actual, "%s%u", i ? " " : "", word_at(aspects->bytes, i));
    assert_string_equal(rt_buffer_string(&actual), expected);
    rt_buffer_free(&actual);
}

static void images_require_the_aspects_of_their_code(void **state)
{
#define HALF "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
#define ATOMIC                                                                                     \
    "#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable\n"                                \
    "kernel void K(global ulong *p) { atom_add(p, 1ul); }"
    static const struct {
        const char *code, *aspects;
    } rows[] = {
        {"kernel void K(global float *p) { p[0] += 1.0f; }", ""},
        {"kernel void K(global double *p) { p[0] += 1.0; }", "6"},
        {HALF "kernel void K(global half *p) { p[0] += p[1]; }", "5"},
        {HALF "kernel void K(global half4 *p) { p[0] += p[1]; }", "5"},
        {"kernel void K(global half *p, global float *q) { q[0] = vload_half(1, p); }", ""},
        {ATOMIC, "27"},
        {"kernel void K(global ulong *p) { p[0] += 1; }", ""},
        {HALF "kernel void K(global half *p, global double *q) { q[0] += p[0]; }", "5 6"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        fixture_make(*state, RT_SPLIT_OFF, 1, SOURCES({"A", rows[i].code}));
        assert_aspects(*state, 0, rows[i].aspects);
    }
}

static bool has_capability(const postlink_fixture *fixture, uint32_t capability)
{
    enum { OP_CAPABILITY = 17 };
    rt_spirv_walk walk = rt_spirv_walk_start(fixture->images.images[0].code);
    rt_spirv_instruction at;
    while (rt_spirv_walk_next(&walk, &at))
        if (at.opcode == OP_CAPABILITY && rt_spirv_word(&at, 1) == capability) return true;
    return false;
}

/* SPIR-V specification, 3.31 "Capability": Float16 is needed for operations with halves, and
 * Float16Buffer for pointers to them. */
static void code_with_halves_declares_them(void **state)
{
    enum { FLOAT16 = 9 };
    static const struct {
        const char *code;
        bool declares;
    } rows[] = {
        {HALF "kernel void K(global half *p) { p[0] += p[1]; }", true},
        {HALF "kernel void K(global half4 *p) { p[0] += p[1]; }", true},
        {HALF "kernel void K(global half *p, half x) { p[0] = x; }", true},
        {"__attribute__((noinline)) static float f(float x) { return x * x; }\n" HALF
         "kernel void K(global half *p) { p[0] = f(2); }",
         true},
        {"kernel void K(global half *p, global float *q) { q[0] = vload_half(1, p); }", false},
        {"kernel void K(global float *q) { q[0] += 1; }", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        fixture_make(*state, RT_SPLIT_OFF, 1, SOURCES({"A", rows[i].code}));
        assert_int_equal(has_capability(*state, FLOAT16), rows[i].declares);
    }
}

static void images_require_the_sizes_of_their_kernels(void **state)
{
#define GROUP(x, y, z)  "__attribute__((reqd_work_group_size(" #x ", " #y ", " #z "))) "
#define SUB(size)       "__attribute__((intel_reqd_sub_group_size(" #size "))) "
#define KERNEL_OF(name) "kernel void " name "(global int *p) { p[0] = 1; }\n"
    static const struct {
        const char *code;
        uint32_t sizes[3]; /* the required sizes, one per dimension; {0}: none */
        uint32_t sub_group;
    } rows[] = {
        {KERNEL_OF("K"), {0}, 0},
        {GROUP(4, 2, 3) KERNEL_OF("K"), {4, 2, 3}, 0},
        {SUB(16) KERNEL_OF("K"), {0}, 16},
        {GROUP(8, 1, 1) SUB(8) KERNEL_OF("K") GROUP(8, 1, 1) SUB(8) KERNEL_OF("L"), {8}, 8},
        /* An image whose kernels require different sizes requires no size. */
        {GROUP(8, 1, 1) KERNEL_OF("K") GROUP(1, 8, 1) KERNEL_OF("L"), {0}, 0},
        {GROUP(8, 1, 1) SUB(8) KERNEL_OF("K") KERNEL_OF("L"), {0}, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        fixture_make(*state, RT_SPLIT_OFF, 1, SOURCES({"A", rows[i].code}));
        const rt_property *sizes =
            property_of(*state, 0, RT_SET_DEVICE_REQUIREMENTS, RT_REQUIREMENT_GROUP_SIZE);
        const rt_property *sub_group =
            property_of(*state, 0, RT_SET_DEVICE_REQUIREMENTS, RT_REQUIREMENT_SUB_GROUP_SIZE);
        assert_int_equal(sizes != NULL, rows[i].sizes[0] != 0);
        for (size_t k = 0; sizes && k < 3; k++) {
            bool is_present = 8 * k < sizes->bytes.size;
            assert_int_equal(is_present ? word_at(sizes->bytes, 2 * k) : 0, rows[i].sizes[k]);
        }
        assert_int_equal(sub_group ? sub_group->number : 0, rows[i].sub_group);
    }
}

/* ---- LLVM IR ------------------------------------------------------------------------------- */

static rt_status read_ir(postlink_fixture *fixture, const char *text, rt_buffer *out)
{
    rt_bytes ir = {(const uint8_t *)text, strlen(text)};
    return fixture->api->read_ir(fixture->sink, RT_TEXT("app/0"), ir, RT_FORMAT_SPIRV64, out);
}

static void ir_becomes_bitcode(void **state)
{
    postlink_fixture *fixture = *state;
    rt_buffer bitcode = {0}, second = {0};
    assert_true(
        rt_ok(read_ir(fixture, "define spir_func i32 @f(i32 %x) {\n ret i32 %x\n}\n", &bitcode)));
    /* Bitcode counts as LLVM IR too, and this bitcode states its target. */
    assert_true(rt_ok(fixture->api->read_ir(
        fixture->sink, RT_TEXT("app/0"), rt_buffer_bytes(&bitcode), RT_FORMAT_SPIRV64, &second)));
    assert_memory_equal(second.data, "BC\xC0\xDE", 4);
    rt_postlink_source source = {RT_TEXT("app/0"), rt_buffer_bytes(&second)};
    rt_postlink_request request = {.module = RT_TEXT("m"),
                                   .sources = &source,
                                   .source_count = 1,
                                   .format = RT_FORMAT_SPIRV64,
                                   .spirv_version_max = 0x00010200};
    rt_buffer_free(&fixture->bytes);
    assert_true(rt_ok(fixture->api->postlink(fixture->sink, &request, &fixture->bytes)));
    rt_reader reader = rt_reader_of(rt_buffer_bytes(&fixture->bytes));
    assert_true(
        rt_ok(rt_image_list_read(fixture->sink, &fixture->arena, &reader, &fixture->images)));
    assert_exports(fixture, 0, "f");
    rt_buffer_free(&bitcode);
    rt_buffer_free(&second);
}

static void invalid_ir_is_refused_with_its_position(void **state)
{
    static const struct {
        const char *text, *message;
    } rows[] = {
        {"define i32 @f(i32 %x) {\n  ret i32 %y\n}\n",
         "app/0:2:11: error: use of undefined value '%y'"},
        {"nonsense\n", "app/0:1:1: error: expected top-level entity"},
        {"define i32 @f(i32 %x) {\n  %a = add i32 %b, 1\n  %b = add i32 %a, 1\n  ret i32 %a\n}\n",
         "app/0: error: invalid LLVM IR: Instruction does not dominate all uses!"},
        {"target triple = \"x86_64-pc-linux-gnu\"\n",
         "app/0: error: the target triple is 'x86_64-pc-linux-gnu'; device code must have the "
         "triple 'spir64' or none"},
        {"BC\xC0\xDE!", "app/0: error: "},
    };
    postlink_fixture *fixture = *state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rt_buffer bitcode = {0};
        rt_status status = read_ir(fixture, rows[i].text, &bitcode);
        assert_int_equal(status.code, RT_MALFORMED);
        assert_int_equal(bitcode.size, 0);
        rt_text message = rt_sink_diagnostic(fixture->sink, status)->message;
        if (!rt_text_starts(message, rows[i].message)) fail_msg("%s", message.data);
        assert_null(memchr(message.data, '\n', message.length));
    }
}

/* ---- SPIR-V from other tools ----------------------------------------------------------------- */

static rt_status describe(postlink_fixture *fixture, rt_bytes spirv)
{
    rt_buffer_free(&fixture->bytes);
    rt_status status = fixture->api->describe_spirv(fixture->sink, spirv, &fixture->bytes);
    if (!rt_ok(status)) return status;
    rt_reader reader = rt_reader_of(rt_buffer_bytes(&fixture->bytes));
    return rt_image_list_read(fixture->sink, &fixture->arena, &reader, &fixture->images);
}

/* OpEntryPoint Kernel %1 "K", then an OpExecutionMode %1 that lacks its operands. */
static void modes_without_their_operands_require_nothing(void **state)
{
    postlink_fixture *fixture = *state;
    static const uint32_t modes[] = {17 /* LocalSize */, 35 /* SubgroupSize */};
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        const uint32_t words[] = {
            RT_SPIRV_MAGIC, 0x00010000, 0,       2, 0, 4 << 16 | 15, 6, 1, 'K',
            3 << 16 | 16,   1,          modes[i]};
        assert_true(rt_ok(describe(fixture, (rt_bytes){(const uint8_t *)words, sizeof words})));
        assert_kernels(fixture, 0, "K");
        assert_null(rt_image_set(&fixture->images.images[0], RT_SET_DEVICE_REQUIREMENTS));
    }
}

static void spirv_describes_itself(void **state)
{
    postlink_fixture *fixture = *state;
    fixture_make(fixture, RT_SPLIT_OFF, 1,
                 SOURCES({"A", "double g(double x);\ndouble f(double x) { return g(x); }\n"
                               "kernel void K(global double *p) { p[0] = f(p[0]); }\n"
                               "kernel void L(global double *p) { p[1] = 2; }"}));
    rt_bytes spirv = rt_arena_bytes(&fixture->arena, fixture->images.images[0].code);
    fixture->images = (rt_image_list){0};
    assert_true(rt_ok(describe(fixture, spirv)));
    assert_int_equal(fixture->images.count, 1);
    assert_kernels(fixture, 0, "K L");
    assert_imports(fixture, 0, "g");
    assert_exports(fixture, 0, "f");
    assert_aspects(fixture, 0, "6");
    assert_int_equal(fixture->images.images[0].format, RT_FORMAT_SPIRV64);
    assert_int_equal(fixture->images.images[0].code.size, spirv.size);
    assert_memory_equal(fixture->images.images[0].code.data, spirv.data, spirv.size);
    /* Wherever the module is truncated, it is either described from the remaining bytes or rejected
     * with the location. */
    for (size_t size = 0; size < spirv.size; size++) {
        rt_status status = describe(fixture, (rt_bytes){spirv.data, size});
        if (rt_ok(status)) continue;
        assert_int_equal(status.code, RT_MALFORMED);
        assert_int_equal(fixture->bytes.size, 0);
    }
    /* Damaged code is read safely too: no byte outside it is read, whatever its words are. */
    uint8_t *damaged = rt_arena_alloc(&fixture->arena, spirv.size);
    memcpy(damaged, spirv.data, spirv.size);
    for (size_t at = 0; at < spirv.size; at++) {
        damaged[at] ^= 0xFF;
        rt_status status = describe(fixture, (rt_bytes){damaged, spirv.size});
        if (!rt_ok(status)) assert_int_equal(status.code, RT_MALFORMED);
        damaged[at] ^= 0xFF;
    }
}

static void assert_damaged(postlink_fixture *fixture, rt_bytes bytes, const char *expected)
{
    rt_status status = describe(fixture, bytes);
    assert_int_equal(status.code, RT_MALFORMED);
    assert_string_equal(rt_sink_diagnostic(fixture->sink, status)->message.data, expected);
}

static void damaged_spirv_is_refused_with_its_position(void **state)
{
    postlink_fixture *fixture = *state;
    uint32_t words[] = {0x07230203, 0x00010000, 0, 10, 0, 2u << 16 | 17, 6, 0, 1};
#define BYTES(size) ((rt_bytes){(const uint8_t *)words, size})
    assert_true(rt_ok(describe(fixture, BYTES(28))));
    assert_damaged(fixture, BYTES(0),
                   "a SPIR-V module that ends at byte 0, inside its header of 20 bytes");
    assert_damaged(fixture, BYTES(16),
                   "a SPIR-V module that ends at byte 16, inside its header of 20 bytes");
    assert_damaged(fixture, BYTES(27),
                   "a SPIR-V module of 27 bytes, which is not a whole number of words");
    assert_damaged(fixture, BYTES(24),
                   "a damaged SPIR-V module: the instruction at byte 20 (opcode 17) declares 2 "
                   "words; 1 are left");
    assert_damaged(fixture, BYTES(32),
                   "a damaged SPIR-V module: the instruction at byte 28 (opcode 0) declares 0 "
                   "words; 1 are left");
    words[0] = 0x03022307;
    assert_damaged(fixture, BYTES(28),
                   "not a SPIR-V module: byte 0 begins the word 0x03022307, not 0x07230203; the "
                   "byte order is reversed");
    words[0] = 0x464C457F;
    assert_damaged(fixture, BYTES(8),
                   "not a SPIR-V module: byte 0 begins the word 0x464c457f, not 0x07230203");
}

int main(int argc, char **argv)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_open, fixture_close)
    const struct CMUnitTest tests[] = {
        TEST(every_scalar_can_be_a_constant),
        TEST(images_have_the_constants_that_they_use),
        TEST(constants_are_not_folded),
        TEST(a_composite_has_a_row_for_each_scalar_that_is_used),
        TEST(constants_that_are_not_scalars_to_read_are_refused),
        TEST(constants_that_disagree_are_refused),
        TEST(a_link_specialises),
        TEST(images_require_the_aspects_of_their_code),
        TEST(code_with_halves_declares_them),
        TEST(images_require_the_sizes_of_their_kernels),
        TEST(ir_becomes_bitcode),
        TEST(invalid_ir_is_refused_with_its_position),
        TEST(modes_without_their_operands_require_nothing),
        TEST(spirv_describes_itself),
        TEST(damaged_spirv_is_refused_with_its_position),
    };
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
