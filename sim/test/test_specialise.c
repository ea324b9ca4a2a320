/* Tests of specialisation: values that replace defaults, and operations on them, in the reader and
 * at run time. */
#include "sim/module/module.h"
#include "sim/test/harness.h"

#define TYPES                                                                                      \
    "%void = OpTypeVoid\n"                                                                         \
    "%bool = OpTypeBool\n"                                                                         \
    "%char = OpTypeInt 8 0\n"                                                                      \
    "%short = OpTypeInt 16 0\n"                                                                    \
    "%int = OpTypeInt 32 0\n"                                                                      \
    "%long = OpTypeInt 64 0\n"                                                                     \
    "%float = OpTypeFloat 32\n"                                                                    \
    "%double = OpTypeFloat 64\n"

#define VALUE(number, variable)                                                                    \
    {                                                                                              \
        .id = (number), .value = {(const uint8_t *)&(variable), sizeof(variable) }                 \
    }

/* Reads a module with the given values; returns the status and, on success, the module. */
static rt_status read_with(rt_sink *sink, const char *text, const sim_spec_constant *constants,
                           uint32_t count, sim_module **out_module)
{
    rt_bytes code = sim_test_assemble(text);
    rt_status status = sim_module_create(sink, code, constants, count, out_module);
    rt_free((void *)code.data);
    return status;
}

/* ---- Scalars ------------------------------------------------------------------------------- */

static const char scalars[] =
    SIM_TEST_PRELUDE "OpDecorate %c SpecId 1\n"
                     "OpDecorate %s SpecId 2\n"
                     "OpDecorate %i SpecId 3\n"
                     "OpDecorate %l SpecId 4\n"
                     "OpDecorate %f SpecId 5\n"
                     "OpDecorate %d SpecId 6\n"
                     "OpDecorate %t SpecId 7\n" TYPES "%c = OpSpecConstant %char 255\n"
                     "%s = OpSpecConstant %short 65535\n"
                     "%i = OpSpecConstant %int 3\n"
                     "%l = OpSpecConstant %long 4\n"
                     "%f = OpSpecConstant %float 1\n"
                     "%d = OpSpecConstant %double 1\n"
                     "%t = OpSpecConstantTrue %bool\n";

static void test_values(void **state)
{
    (void)state;
    rt_sink *sink = rt_sink_create();
    const uint8_t c = 200, t = 0;
    const uint16_t s = 40000;
    const uint32_t i = 4000000000u, unknown = 1;
    const uint64_t l = UINT64_C(0x8000000000000001);
    const float f = -2.0f;
    const double d = 0.5;
    const sim_spec_constant values[] = {VALUE(7, t), VALUE(6, d), VALUE(5, f), VALUE(4, l),
                                        VALUE(3, i), VALUE(2, s), VALUE(1, c), VALUE(8, unknown)};
    const uint64_t defaults[] = {255, 65535, 3, 4, 0x3f800000, UINT64_C(0x3ff0000000000000), 1};
    const uint64_t given[] = {200, 40000, i, l, 0xc0000000, UINT64_C(0x3fe0000000000000), 0};
    for (uint32_t count = 0; count <= 8; count += 8) {
        sim_module *module;
        assert_true(rt_ok(read_with(sink, scalars, values, count, &module)));
        for (uint32_t k = 0; k < 7; k++) {
            assert_int_equal(module->constants[k].spec_id, k + 1);
            assert_true(module->constants[k].bits == (count ? given[k] : defaults[k]));
        }
        sim_module_destroy(module);
    }
    rt_sink_destroy(sink);
}

/* Any byte other than 0 is true, as in C. */
static void test_truths(void **state)
{
    (void)state;
    for (uint32_t byte = 0; byte < 256; byte += 85) {
        rt_sink *sink = rt_sink_create();
        const uint8_t t = (uint8_t)byte;
        const sim_spec_constant value = VALUE(7, t);
        sim_module *module;
        assert_true(rt_ok(read_with(sink, scalars, &value, 1, &module)));
        assert_int_equal(module->constants[6].bits, byte != 0);
        sim_module_destroy(module);
        rt_sink_destroy(sink);
    }
}

static void test_values_that_do_not_fit(void **state)
{
    (void)state;
    const uint64_t value = 1;
    static const uint8_t sizes[] = {1, 2, 4, 8, 4, 8, 1};
    for (uint32_t id = 1; id <= 7; id++) {
        for (uint32_t size = 1; size <= 8; size *= 2) {
            rt_sink *sink = rt_sink_create();
            const sim_spec_constant constant = {id, {(const uint8_t *)&value, size}};
            sim_module *module;
            rt_status status = read_with(sink, scalars, &constant, 1, &module);
            if (size == sizes[id - 1]) {
                assert_true(rt_ok(status));
                sim_module_destroy(module);
            } else {
                char words[64];
                snprintf(words, sizeof words, "constant %u has %u bytes", id, sizes[id - 1]);
                assert_int_equal(status.code, RT_ERRC_INVALID);
                assert_null(module);
                assert_non_null(strstr(rt_sink_diagnostic(sink, status)->message.data, words));
            }
            rt_sink_destroy(sink);
        }
    }
}

static void test_ids_of_other_things(void **state)
{
    (void)state;
    sim_test_refused(SIM_TEST_PRELUDE "OpDecorate %c SpecId 1\n" TYPES "%c = OpConstant %int 1\n",
                     RT_MALFORMED, "SpecId 1 decorates something other");
    sim_test_refused(SIM_TEST_PRELUDE "OpDecorate %b SpecId 1\n" TYPES
                                      "%a = OpSpecConstant %int 1\n"
                                      "%pair = OpTypeVector %int 2\n"
                                      "%b = OpSpecConstantComposite %pair %a %a\n",
                     RT_MALFORMED, "SpecId 1 decorates something other");
}

/* Decorations need not be in the order of their targets, and groups may add to them. */
static void test_order_of_decorations(void **state)
{
    (void)state;
    enum { COUNT = 31 };
    char text[8192], *end = text + sprintf(text, "%s", SIM_TEST_PRELUDE);
    for (uint32_t i = 0; i < COUNT; i++) {
        uint32_t k = i * 17 % COUNT;
        end += sprintf(end, "OpDecorate %%%u SpecId %u\nOpDecorate %%%u Alignment %u\n", k + 1,
                       k + 100, COUNT + k + 1, 1u << k % 8);
    }
    for (uint32_t i = 0; i < COUNT; i++) {
        uint32_t k = i * 7 % COUNT;
        end += sprintf(end, "OpDecorate %%%u Restrict\n", COUNT + k + 1);
    }
    end += sprintf(end, "%%int = OpTypeInt 32 0\n%%pi = OpTypePointer CrossWorkgroup %%int\n");
    for (uint32_t k = 0; k < COUNT; k++)
        end +=
            sprintf(end, "%%%u = OpSpecConstant %%int 1\n%%%u = OpVariable %%pi CrossWorkgroup\n",
                    k + 1, COUNT + k + 1);
    assert_true((size_t)(end - text) < sizeof text);
    rt_sink *sink = rt_sink_create();
    sim_module *module = sim_test_module(sink, text);
    assert_int_equal(module->decoration_count, 3 * COUNT);
    for (uint32_t k = 0; k < COUNT; k++) {
        const sim_variable *variable = &module->variables[k];
        assert_int_equal(module->constants[k].spec_id, k + 100);
        assert_int_equal(variable->alignment_bytes, k % 8 < 2 ? 4 : 1 << k % 8);
        assert_non_null(
            sim_module_decoration(module, variable->id, SIM_NONE, SIM_DecorationRestrict));
        assert_int_equal(sim_module_id(module, variable->id)->decoration_count, 2);
    }
    sim_module_destroy(module);
    rt_sink_destroy(sink);
}

/* ---- Operations ---------------------------------------------------------------------------- */

/* The operands of the operations below, 32 bits wide unless the name says otherwise. */
static const char operands[] =
    SIM_TEST_PRELUDE TYPES "%zero = OpConstantNull %int\n"
                           "%one = OpConstant %int 1\n"
                           "%three = OpSpecConstant %int 3\n"
                           "%seven = OpSpecConstant %int 7\n"
                           "%eight = OpConstant %int 8\n"
                           "%width = OpConstant %int 32\n"
                           "%minus_one = OpConstant %int 0xffffffff\n"
                           "%minus_three = OpConstant %int 0xfffffffd\n"
                           "%minus_six = OpConstant %int 0xfffffffa\n"
                           "%minus_seven = OpSpecConstant %int 0xfffffff9\n"
                           "%least = OpConstant %int 0x80000000\n"
                           "%long_three = OpConstant %long 3\n"
                           "%small = OpSpecConstant %char 200\n"
                           "%half = OpSpecConstant %float 0.5\n"
                           "%yes = OpSpecConstantTrue %bool\n"
                           "%no = OpSpecConstantFalse %bool\n"
                           "%pair = OpTypeVector %int 2\n"
                           "%both = OpSpecConstantComposite %pair %one %seven\n"
                           "%third = OpConstant %float 0x1.555556p-2\n"
                           "%minus = OpSpecConstant %float -0.75\n"
                           "%large = OpConstant %float 1.2e9\n"
                           "%nan = OpConstant %float 0x1.8p+128\n"
                           "%floats = OpTypeVector %float 2\n"
                           "%row = OpTypeStruct %int %floats\n"
                           "%two_halves = OpSpecConstantComposite %floats %half %half\n"
                           "%deep = OpSpecConstantComposite %row %seven %two_halves\n"
                           "%empty = OpConstantNull %row\n"
                           "%unknown = OpUndef %int\n"
                           "%mixed = OpConstantComposite %pair %one %unknown\n";

#define STAYS UINT64_MAX /* the operation is not computed while the module is read */

static const struct {
    const char *operation;
    uint64_t bits;
} operations[] = {
    {"%int IAdd %seven %three", 10},
    {"%int IAdd %minus_seven %seven", 0},
    {"%int ISub %three %seven", 0xfffffffc},
    {"%int IMul %minus_seven %three", 0xffffffeb},
    {"%int UDiv %seven %three", 2},
    {"%int UDiv %minus_one %three", 0x55555555},
    {"%int UDiv %seven %zero", STAYS},
    {"%int SDiv %minus_seven %three", 0xfffffffe},
    {"%int SDiv %least %minus_one", STAYS},
    {"%int SDiv %seven %zero", STAYS},
    {"%int UMod %seven %three", 1},
    {"%int UMod %seven %zero", STAYS},
    {"%int SRem %minus_seven %three", 0xffffffff},
    {"%int SRem %least %minus_one", STAYS},
    {"%int SMod %minus_seven %three", 2},
    {"%int SMod %seven %minus_three", 0xfffffffe},
    {"%int SMod %minus_six %three", 0},
    {"%int ShiftLeftLogical %seven %three", 56},
    {"%int ShiftLeftLogical %minus_one %long_three", 0xfffffff8},
    {"%int ShiftLeftLogical %seven %width", STAYS},
    {"%int ShiftRightLogical %minus_one %three", 0x1fffffff},
    {"%int ShiftRightArithmetic %minus_seven %one", 0xfffffffc},
    {"%int BitwiseOr %seven %eight", 15},
    {"%int BitwiseXor %seven %three", 4},
    {"%int BitwiseAnd %seven %minus_seven", 1},
    {"%int Not %seven", 0xfffffff8},
    {"%int SNegate %seven", 0xfffffff9},
    {"%int SConvert %small", 0xffffffc8},
    {"%int UConvert %small", 0xc8},
    {"%long SConvert %least", UINT64_C(0xffffffff80000000)},
    {"%char UConvert %minus_seven", 0xf9},
    {"%int Bitcast %half", 0x3f000000},
    {"%float Bitcast %width", 32},
    {"%bool LogicalOr %no %yes", 1},
    {"%bool LogicalAnd %no %yes", 0},
    {"%bool LogicalEqual %no %yes", 0},
    {"%bool LogicalNotEqual %no %yes", 1},
    {"%bool LogicalNot %no", 1},
    {"%bool IEqual %seven %three", 0},
    {"%bool INotEqual %seven %three", 1},
    {"%bool ULessThan %minus_seven %three", 0},
    {"%bool SLessThan %minus_seven %three", 1},
    {"%bool ULessThanEqual %three %three", 1},
    {"%bool SLessThanEqual %three %minus_seven", 0},
    {"%bool UGreaterThan %minus_seven %three", 1},
    {"%bool SGreaterThan %minus_seven %three", 0},
    {"%bool UGreaterThanEqual %three %seven", 0},
    {"%bool SGreaterThanEqual %seven %three", 1},
    {"%int Select %yes %seven %three", 7},
    {"%int Select %no %seven %three", 3},
    {"%float FAdd %half %half", 0x3f800000},
    {"%float FSub %half %third", 0x3e2aaaaa}, /* 0.5 - 0x3eaaaaab = 0x1.555554p-3 */
    {"%float FMul %half %half", 0x3e800000},
    {"%float FDiv %half %third", 0x3fc00000}, /* the third is a little too large */
    {"%float FRem %minus %half", 0xbe800000},
    {"%float FMod %minus %half", 0x3e800000},
    {"%float FNegate %half", 0xbf000000},
    {"%int ConvertFToS %minus", 0},
    {"%int ConvertFToS %large", 0x47868c00}, /* 1200000000 */
    {"%char ConvertFToS %large", STAYS},
    {"%int ConvertFToU %nan", STAYS},
    {"%float ConvertSToF %minus_seven", 0xc0e00000},
    {"%float ConvertUToF %minus_one", 0x4f800000},
    {"%double FConvert %half", UINT64_C(0x3fe0000000000000)},
    {"%int CompositeExtract %both 1", 7},
    {"%float CompositeExtract %deep 1 0", 0x3f000000},
    {"%float CompositeExtract %empty 1 1", 0},
    {"%int CompositeExtract %mixed 1", STAYS},
};

static void test_operations(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof operations / sizeof operations[0]; i++) {
        char text[4096];
        snprintf(text, sizeof text, "%s%%result = OpSpecConstantOp %s\n", operands,
                 operations[i].operation);
        rt_sink *sink = rt_sink_create();
        sim_module *module = sim_test_module(sink, text);
        const sim_constant *result = &module->constants[module->constant_count - 1];
        assert_non_null(result->opcode);
        bool stays = result->kind == SIM_CONSTANT_OPERATION;
        if (stays != (operations[i].bits == STAYS) ||
            (!stays && result->bits != operations[i].bits)) {
            fail_msg("%s: %s, 0x%llx", operations[i].operation, stays ? "stays" : "computed",
                     (unsigned long long)result->bits);
        }
        sim_module_destroy(module);
        rt_sink_destroy(sink);
    }
}

/* Every integer operation on pairs of the values at the ends of their range, in every width. */
typedef struct integer_case {
    const char *name;
    bool is_shift;
    /* False if the result is undefined. Signed operands are sign-extended to 64 bits; the result
     * counts modulo 2^width. */
    bool (*compute)(uint64_t a, uint64_t b, int64_t s, int64_t t, uint32_t width, uint64_t *out);
} integer_case;

#define INTEGER_CASE(name, is_shift, is_defined, value)                                            \
    static bool compute_##name(uint64_t a, uint64_t b, int64_t s, int64_t t, uint32_t width,       \
                               uint64_t *out)                                                      \
    {                                                                                              \
        (void)a, (void)b, (void)s, (void)t, (void)width;                                           \
        if (!(is_defined)) return false;                                                           \
        *out = (uint64_t)(value);                                                                  \
        return true;                                                                               \
    }

#define IS_LEAST(s, width) ((s) == (int64_t)(UINT64_MAX << ((width)-1)))
#define DIVIDES            (b != 0 && !(IS_LEAST(s, width) && t == -1))

/* clang-format off */
#define INTEGER_CASES(X)                                                                           \
    X(IAdd, false, true, a + b)                                                                    \
    X(ISub, false, true, a - b)                                                                    \
    X(IMul, false, true, a * b)                                                                    \
    X(BitwiseOr, false, true, a | b)                                                               \
    X(BitwiseXor, false, true, a ^ b)                                                              \
    X(BitwiseAnd, false, true, a & b)                                                              \
    X(UDiv, false, b != 0, a / b)                                                                  \
    X(UMod, false, b != 0, a % b)                                                                  \
    X(SDiv, false, DIVIDES, s / t)                                                                 \
    X(SRem, false, DIVIDES, s % t) /* the sign of the first operand, as in C */                    \
    X(SMod, false, DIVIDES, (s % t != 0 && (s < 0) != (t < 0)) ? s % t + t : s % t)                \
    X(ShiftLeftLogical, true, b < width, a << b)                                                   \
    X(ShiftRightLogical, true, b < width, a >> b)                                                  \
    X(ShiftRightArithmetic, true, b < width, s >> b)                                               \
    X(IEqual, false, true, a == b)                                                                 \
    X(INotEqual, false, true, a != b)                                                              \
    X(ULessThan, false, true, a < b)                                                               \
    X(ULessThanEqual, false, true, a <= b)                                                         \
    X(UGreaterThan, false, true, a > b)                                                            \
    X(UGreaterThanEqual, false, true, a >= b)                                                      \
    X(SLessThan, false, true, s < t)                                                               \
    X(SLessThanEqual, false, true, s <= t)                                                         \
    X(SGreaterThan, false, true, s > t)                                                            \
    X(SGreaterThanEqual, false, true, s >= t)
/* clang-format on */

INTEGER_CASES(INTEGER_CASE)

#define INTEGER_ROW(name, is_shift, is_defined, value) {#name, is_shift, compute_##name},
static const integer_case integer_cases[] = {INTEGER_CASES(INTEGER_ROW)};

static int64_t extended(uint64_t bits, uint32_t width)
{
    uint64_t sign = UINT64_C(1) << (width - 1);
    return (int64_t)((bits ^ sign) - sign);
}

static void test_integers(void **state)
{
    (void)state;
    enum { VALUES = 10, CASES = sizeof integer_cases / sizeof integer_cases[0] };
    for (uint32_t width = 8; width <= 64; width *= 2) {
        uint64_t all = UINT64_MAX >> (64 - width), least = UINT64_C(1) << (width - 1);
        const uint64_t values[VALUES] = {0,         1,     2,         3,   width - 1,
                                         least - 1, least, least + 1, all, all - 2};
        char *text = rt_alloc_array(VALUES * VALUES * CASES, 64), *end = text;
        end += sprintf(end, "%s%%bool = OpTypeBool\n%%i = OpTypeInt %u 0\n", SIM_TEST_PRELUDE,
                       (unsigned)width);
        for (uint32_t k = 0; k < VALUES; k++)
            end += sprintf(end, "%%v%u = OpSpecConstant %%i %llu\n", (unsigned)k,
                           (unsigned long long)values[k]);
        for (uint32_t k = 0; k < VALUES * VALUES * CASES; k++) {
            const char *name = integer_cases[k % CASES].name;
            bool to_bool = strstr(name, "Than") || strstr(name, "Equal");
            end += sprintf(end, "%%r%u = OpSpecConstantOp %s %s %%v%u %%v%u\n", (unsigned)k,
                           to_bool ? "%bool" : "%i", name, (unsigned)(k / CASES % VALUES),
                           (unsigned)(k / CASES / VALUES));
        }
        rt_sink *sink = rt_sink_create();
        sim_module *module = sim_test_module(sink, text);
        assert_int_equal(module->constant_count, VALUES + VALUES * VALUES * CASES);
        for (uint32_t k = 0; k < VALUES * VALUES * CASES; k++) {
            const sim_constant *result = &module->constants[VALUES + k];
            uint64_t a = values[k / CASES % VALUES], b = values[k / CASES / VALUES], want = 0;
            const integer_case *row = &integer_cases[k % CASES];
            bool is_known =
                row->compute(a, b, extended(a, width), extended(b, width), width, &want);
            bool is_folded = result->kind == SIM_CONSTANT_BITS;
            if (is_folded != is_known || (is_known && (result->bits & all) != (want & all)))
                fail_msg("%s of %#llx and %#llx with %u bits: %s %#llx", row->name,
                         (unsigned long long)a, (unsigned long long)b, (unsigned)width,
                         is_folded ? "computed" : "stays", (unsigned long long)result->bits);
        }
        sim_module_destroy(module);
        rt_sink_destroy(sink);
        rt_free(text);
    }
}

/* Logical operations have their tables. */
static void test_logic(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint8_t results[4]; /* of false and false, false and true, true and false, true and true */
    } cases[] = {{"LogicalOr", {0, 1, 1, 1}},
                 {"LogicalAnd", {0, 0, 0, 1}},
                 {"LogicalEqual", {1, 0, 0, 1}},
                 {"LogicalNotEqual", {0, 1, 1, 0}}};
    for (uint32_t i = 0; i < 4 * sizeof cases / sizeof cases[0]; i++) {
        char text[4096];
        snprintf(text, sizeof text, "%s%%result = OpSpecConstantOp %%bool %s %s %s\n", operands,
                 cases[i / 4].name, i & 2 ? "%yes" : "%no", i & 1 ? "%yes" : "%no");
        rt_sink *sink = rt_sink_create();
        sim_module *module = sim_test_module(sink, text);
        const sim_constant *result = &module->constants[module->constant_count - 1];
        assert_int_equal(result->kind, SIM_CONSTANT_BITS);
        assert_int_equal(result->bits, cases[i / 4].results[i % 4]);
        sim_module_destroy(module);
        rt_sink_destroy(sink);
    }
}

/* Vectors and aggregates, as they would be in memory. */
static const struct {
    const char *operation;
    uint32_t words[4]; /* of 32 bits */
} composites[] = {
    {"%pair IAdd %both %both", {2, 14}},
    {"%pair SNegate %both", {0xffffffff, 0xfffffff9}},
    {"%pair ShiftLeftLogical %both %both", {2, 896}},
    {"%pair CompositeInsert %eight %both 1", {1, 8}},
    {"%row CompositeInsert %minus %deep 1 1", {7, 0, 0x3f000000, 0xbf400000}},
    {"%four VectorShuffle %both %both 3 0 2 1", {7, 1, 1, 7}},
    {"%pair Select %yes %both %swapped", {1, 7}},
    {"%pair Select %no %both %swapped", {7, 1}},
    {"%pair Select %choice %both %swapped", {7, 7}},
    {"%row Select %no %deep %empty", {0, 0, 0, 0}},
    {"%floats FMul %two_halves %two_halves", {0x3e800000, 0x3e800000}},
    {"%floats ConvertSToF %both", {0x3f800000, 0x40e00000}},
    {"%long Bitcast %both", {1, 7}},
};

static void test_composites(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof composites / sizeof composites[0]; i++) {
        char text[8192];
        snprintf(text, sizeof text,
                 "%s%%four = OpTypeVector %%int 4\n%%truths = OpTypeVector %%bool 2\n"
                 "%%swapped = OpConstantComposite %%pair %%seven %%one\n"
                 "%%choice = OpSpecConstantComposite %%truths %%no %%yes\n"
                 "%%result = OpSpecConstantOp %s\n",
                 operands, composites[i].operation);
        rt_sink *sink = rt_sink_create();
        sim_module *module = sim_test_module(sink, text);
        const sim_constant *result = &module->constants[module->constant_count - 1];
        const void *value = result->image ? (const void *)result->image : &result->bits;
        if (memcmp(value, composites[i].words, result->type->size_bytes)) {
            fail_msg("%s: 0x%x 0x%x", composites[i].operation, ((const uint32_t *)value)[0],
                     ((const uint32_t *)value)[1]);
        }
        sim_module_destroy(module);
        rt_sink_destroy(sink);
    }
}

/* The operands of operations with constant results are also checked. */
static void test_operations_of_wrong_types(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "%float UConvert %seven",       /* result is not an integer */
        "%int LogicalOr %yes %yes",     /* result is not a boolean */
        "%bool IAdd %yes %yes",         /* operands are not integers */
        "%int IAdd %seven %long_three", /* widths differ */
        "%int Select %seven %one %one", /* condition is not a boolean */
        "%int CompositeExtract %both 2",
        "%pair CompositeInsert %half %both 0",
        "%pair VectorShuffle %both %both 4 0",
        "%float FAdd %half %seven",
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        char text[4096];
        snprintf(text, sizeof text, "%s%%result = OpSpecConstantOp %s\n", operands, wrong[i]);
        sim_test_refused(text, RT_MALFORMED, "OpSpecConstantOp");
    }
}

/* ---- Programs ------------------------------------------------------------------------------ */

/* Stores n to numbers[at], an array of 2 n elements, and outputs the value read back; then f * f;
 * n > 2 ? 2 n : 0, by a phi of an operation; and the members of `table`: 2 n, n, flag ? n : 2. */
static const char program[] =
    SIM_TEST_PRELUDE "OpEntryPoint Kernel %run \"run\"\n"
                     "OpDecorate %n SpecId 1\n"
                     "OpDecorate %f SpecId 2\n"
                     "OpDecorate %flag SpecId 3\n" TYPES "%two = OpConstant %int 2\n"
                     "%one = OpConstant %int 1\n"
                     "%zero = OpConstant %int 0\n"
                     "%n = OpSpecConstant %int 4\n"
                     "%f = OpSpecConstant %float 1.5\n"
                     "%flag = OpSpecConstantFalse %bool\n"
                     "%twice = OpSpecConstantOp %int IMul %n %two\n"
                     "%chosen = OpSpecConstantOp %int Select %flag %n %two\n"
                     "%larger = OpSpecConstantOp %bool SGreaterThan %n %two\n"
                     "%square = OpSpecConstantOp %float FMul %f %f\n"
                     "%array = OpTypeArray %int %twice\n"
                     "%pair = OpTypeVector %int 2\n"
                     "%both = OpSpecConstantComposite %pair %n %chosen\n"
                     "%row = OpTypeStruct %int %pair\n"
                     "%initial = OpSpecConstantComposite %row %twice %both\n"
                     "%ptr_row = OpTypePointer CrossWorkgroup %row\n"
                     "%table = OpVariable %ptr_row CrossWorkgroup %initial\n"
                     "%ptr_array = OpTypePointer Function %array\n"
                     "%ptr_private = OpTypePointer Function %int\n"
                     "%ptr_int = OpTypePointer CrossWorkgroup %int\n"
                     "%ptr_float = OpTypePointer CrossWorkgroup %float\n"
                     "%type = OpTypeFunction %void %ptr_int %ptr_float %int\n"
                     "%run = OpFunction %void None %type\n"
                     "%out = OpFunctionParameter %ptr_int\n"
                     "%fractions = OpFunctionParameter %ptr_float\n"
                     "%at = OpFunctionParameter %int\n"
                     "%entry = OpLabel\n"
                     "%numbers = OpVariable %ptr_array Function\n"
                     "%where = OpInBoundsAccessChain %ptr_private %numbers %at\n"
                     "OpStore %where %n\n"
                     "%back = OpLoad %int %where\n"
                     "OpStore %out %back\n"
                     "OpStore %fractions %square\n"
                     "OpBranchConditional %larger %yes %join\n"
                     "%yes = OpLabel\n"
                     "OpBranch %join\n"
                     "%join = OpLabel\n"
                     "%met = OpPhi %int %twice %yes %zero %entry\n"
                     "%out_1 = OpInBoundsPtrAccessChain %ptr_int %out %one\n"
                     "OpStore %out_1 %met\n"
                     "%loaded = OpLoad %row %table\n"
                     "%first = OpCompositeExtract %int %loaded 0\n"
                     "%second = OpCompositeExtract %int %loaded 1 0\n"
                     "%third = OpCompositeExtract %int %loaded 1 1\n"
                     "%four = OpIAdd %int %two %two\n"
                     "%three = OpIAdd %int %two %one\n"
                     "%out_2 = OpInBoundsPtrAccessChain %ptr_int %out %two\n"
                     "OpStore %out_2 %first\n"
                     "%out_3 = OpInBoundsPtrAccessChain %ptr_int %out %three\n"
                     "OpStore %out_3 %second\n"
                     "%out_4 = OpInBoundsPtrAccessChain %ptr_int %out %four\n"
                     "OpStore %out_4 %third\n"
                     "OpReturn\n"
                     "OpFunctionEnd\n";

/* Runs the program with the given values and index; the results are those of the comment above. */
static harness run_program(const sim_spec_constant *values, uint32_t count, int at, int out[5],
                           float *out_fraction)
{
    rt_sink *sink = rt_sink_create();
    sim_module *module;
    rt_status status = read_with(sink, program, values, count, &module);
    if (!rt_ok(status)) fail_msg("%s", rt_sink_diagnostic(sink, status)->message.data);
    harness h = harness_link(sink, &module, 1, sim_engine_best());
    sim_object numbers = harness_memory(&h, "numbers", out, 5 * sizeof *out);
    sim_object fraction = harness_memory(&h, "fraction", NULL, sizeof *out_fraction);
    const sim_argument arguments[] = {harness_global(numbers), harness_global(fraction),
                                      harness_value(&at, sizeof at)};
    harness_try(&h, "run", harness_range(1, 1), arguments, 3);
    assert_true(rt_ok(h.status));
    harness_read_back(&h, numbers, out, 5 * sizeof *out);
    harness_read_back(&h, fraction, out_fraction, sizeof *out_fraction);
    return h;
}

static void test_programs(void **state)
{
    (void)state;
    const int n = 2;
    const float f = -0.25f;
    const uint8_t flag = 1;
    const sim_spec_constant values[] = {VALUE(1, n), VALUE(2, f), VALUE(3, flag)};
    static const struct {
        int at;
        uint32_t count, finding_count;
        int expected[5];
        float fraction;
    } rows[] = {
        {7, 0, 0, {4, 8, 8, 4, 2}, 2.25f},
        {3, 3, 0, {2, 0, 4, 2, 2}, 0.0625f},
        {7, 3, 2, {0, 0, 4, 2, 2}, 0.0625f}, /* numbers has four elements now */
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        int out[5] = {0};
        float fraction = 0;
        harness h = run_program(values, rows[i].count, rows[i].at, out, &fraction);
        assert_int_equal(h.finding_count, rows[i].finding_count);
        for (uint32_t k = rows[i].finding_count ? 1 : 0; k < 5; k++)
            assert_int_equal(out[k], rows[i].expected[k]);
        assert_true(fraction == rows[i].fraction);
        for (uint32_t k = 0; k < h.finding_count; k++) {
            assert_string_equal(h.findings[k].kind, "out-of-bounds");
            assert_int_equal(h.findings[k].offset, 28);
        }
        harness_close(&h);
    }
}

static void test_arrays_of_no_elements(void **state)
{
    (void)state;
    rt_sink *sink = rt_sink_create();
    const int n = 0;
    const sim_spec_constant value = VALUE(1, n);
    sim_module *module;
    rt_status status = read_with(sink, program, &value, 1, &module);
    assert_int_equal(status.code, RT_MALFORMED);
    assert_non_null(strstr(rt_sink_diagnostic(sink, status)->message.data, "no elements"));
    rt_sink_destroy(sink);
}

/* SPIRV-Tools does not assemble an operation that OpSpecConstantOp does not allow, so the test
 * assembles another operation of the same form and changes its number. */
static void test_operations_without_constants(void **state)
{
    (void)state;
    char text[8192];
    snprintf(text, sizeof text, "%s%%result = OpSpecConstantOp %%int SNegate %%seven\n", operands);
    rt_bytes code = sim_test_assemble(text);
    uint32_t *words = (uint32_t *)(void *)code.data;
    words[code.size / 4 - 2] = SIM_OpBitReverse;
    rt_sink *sink = rt_sink_create();
    sim_module *module;
    rt_status status = sim_module_create(sink, code, NULL, 0, &module);
    assert_int_equal(status.code, RT_MALFORMED);
    assert_non_null(strstr(rt_sink_diagnostic(sink, status)->message.data,
                           "OpSpecConstantOp does not allow OpBitReverse"));
    rt_free(words);
    rt_sink_destroy(sink);
}

/* Uses for which constants must be known: the length of an array (5 by default, from a float), the
 * initial values of variables, an index into a structure; and constants in phis: on a loop's entry
 * edge, on its back edge, and in a vector. */
static const char places[] = SIM_TEST_PRELUDE
    "OpEntryPoint Kernel %run \"run\"\nOpDecorate %n SpecId 1\n"
    "OpDecorate %f SpecId 2\nOpDecorate %where SpecId 3\n" TYPES
    "%zero = OpConstant %int 0\n%one = OpConstant %int 1\n%two = OpConstant %int 2\n"
    "%n = OpSpecConstant %int 3\n%f = OpSpecConstant %float 2.5\n"
    "%where = OpSpecConstant %int 0\n"
    "%twice = OpSpecConstantOp %float FAdd %f %f\n"
    "%length = OpSpecConstantOp %int ConvertFToS %twice\n"
    "%array = OpTypeArray %int %length\n%pair = OpTypeVector %int 2\n"
    "%pf = OpTypeVector %float 2\n"
    "%both = OpSpecConstantComposite %pair %n %one\n"
    "%sum = OpSpecConstantOp %pair IAdd %both %both\n"
    "%fs = OpSpecConstantOp %pf ConvertSToF %sum\n"
    "%row = OpTypeStruct %pair %pf\n"
    "%initial = OpSpecConstantComposite %row %sum %fs\n"
    "%next = OpSpecConstantOp %int IAdd %where %zero\n"
    "%gr = OpTypePointer CrossWorkgroup %row\n"
    "%gpair = OpTypePointer CrossWorkgroup %pair\n"
    "%gi = OpTypePointer CrossWorkgroup %int\n"
    "%bytes = OpTypeArray %char %length\n%pb = OpTypePointer Function %bytes\n"
    "%table = OpVariable %gr CrossWorkgroup %initial\n"
    "%place = OpSpecConstantOp %gpair InBoundsAccessChain %table %next\n"
    "%gp = OpTypePointer CrossWorkgroup %gpair\n"
    "%true = OpSpecConstantTrue %bool\n%nowhere = OpConstantNull %gpair\n"
    "%chosen = OpSpecConstantOp %gpair Select %true %place %nowhere\n"
    "%pointer = OpVariable %gp CrossWorkgroup %chosen\n"
    "%unfit = OpSpecConstantOp %int UDiv %n %zero\n"
    "%type = OpTypeFunction %void %gi %bool\n"
    "%run = OpFunction %void None %type\n%out = OpFunctionParameter %gi\n"
    "%flag = OpFunctionParameter %bool\n"
    "%entry = OpLabel\n%b = OpVariable %pb Function\n"
    "%size = OpSizeOf %int %b\nOpStore %out %size\n"
    "%held = OpLoad %gpair %pointer\n%loaded = OpLoad %pair %held\n"
    "%l1 = OpCompositeExtract %int %loaded 0\n"
    "%out_1 = OpInBoundsPtrAccessChain %gi %out %one\nOpStore %out_1 %l1\n"
    "OpBranch %head\n"
    "%head = OpLabel\n%i = OpPhi %int %zero %entry %more %body\n"
    "%v = OpPhi %pair %sum %entry %both %body\n"
    "%go = OpSLessThan %bool %i %two\n"
    "OpBranchConditional %go %body %exit\n"
    "%body = OpLabel\n%more = OpIAdd %int %i %one\n"
    "%slot = OpIAdd %int %i %two\n"
    "%out_2 = OpInBoundsPtrAccessChain %gi %out %slot\n"
    "%v0 = OpCompositeExtract %int %v 0\nOpStore %out_2 %v0\nOpBranch %head\n"
    "%exit = OpLabel\nOpReturn\nOpFunctionEnd\n";

static void test_places(void **state)
{
    (void)state;
    const int n = 20;
    const float f = 4;
    const sim_spec_constant values[] = {VALUE(1, n), VALUE(2, f)};
    static const int expected[2][4] = {{5, 6, 6, 3}, {8, 40, 40, 20}};
    for (uint32_t given = 0; given < 2; given++) {
        rt_sink *sink = rt_sink_create();
        sim_module *module;
        rt_status status = read_with(sink, places, values, 2 * given, &module);
        if (!rt_ok(status)) fail_msg("%s", rt_sink_diagnostic(sink, status)->message.data);
        harness h = harness_link(sink, &module, 1, sim_engine_best());
        int out[4];
        const uint8_t flag = 1;
        sim_object to = harness_memory(&h, "out", NULL, sizeof out);
        const sim_argument arguments[] = {harness_global(to), harness_value(&flag, 1)};
        harness_run(&h, "run", harness_range(1, 1), arguments, 2);
        harness_read_back(&h, to, out, sizeof out);
        assert_memory_equal(out, expected[given], sizeof out);
        harness_close(&h);
    }
}

/* A constant without a value before the program runs cannot initialise a variable, but may be used
 * elsewhere: if it is not used, it is not a finding; as the operand of a phi it is computed and
 * reported. */
static void test_unknown(void **state)
{
    (void)state;
    static const char head[] =
        SIM_TEST_PRELUDE "OpEntryPoint Kernel %run \"run\"\n" TYPES
                         "%zero = OpConstant %int 0\n%n = OpSpecConstant %int 3\n"
                         "%unfit = OpSpecConstantOp %int UDiv %n %zero\n"
                         "%pair = OpTypeVector %int 2\n"
                         "%both = OpSpecConstantComposite %pair %n %unfit\n"
                         "%gi = OpTypePointer CrossWorkgroup %int\n%gv = OpTypePointer "
                         "CrossWorkgroup %pair\n%type = OpTypeFunction %void %gi %bool\n";
    static const char body[] =
        "%run = OpFunction %void None %type\n%out = OpFunctionParameter %gi\n"
        "%flag = OpFunctionParameter %bool\n%entry = OpLabel\n"
        "OpBranchConditional %flag %yes %join\n%yes = OpLabel\nOpBranch %join\n"
        "%join = OpLabel\n%v = OpPhi %pair %both %yes %none %entry\n"
        "%v1 = OpCompositeExtract %int %v 1\nOpStore %out %v1\nOpReturn\nOpFunctionEnd\n";
    char text[8192];
    snprintf(text, sizeof text, "%s%s%s", head, "%none = OpConstantNull %pair\n", body);
    for (uint8_t flag = 0; flag < 2; flag++) {
        harness h = harness_text(text);
        const sim_argument arguments[] = {harness_global(harness_memory(&h, "out", NULL, 4)),
                                          harness_value(&flag, 1)};
        harness_try(&h, "run", harness_range(1, 1), arguments, 2);
        assert_int_equal(h.finding_count, flag);
        harness_close(&h);
    }
    snprintf(text, sizeof text, "%s%s%s", head,
             "%none = OpConstantNull %pair\n%v = OpVariable %gv CrossWorkgroup %both\n",
             "%run = OpFunction %void None %type\n%out = OpFunctionParameter %gi\n"
             "%flag = OpFunctionParameter %bool\n%entry = OpLabel\nOpReturn\nOpFunctionEnd\n");
    rt_sink *sink = rt_sink_create();
    sim_module *module = sim_test_module(sink, text);
    sim_program *linked = NULL;
    rt_status status = sim_program_link(sink, (const sim_module *const *)&module, 1, &linked);
    assert_int_equal(status.code, RT_UNSUPPORTED);
    assert_non_null(strstr(rt_sink_diagnostic(sink, status)->message.data,
                           "its value is not known before the program runs"));
    sim_module_destroy(module);
    rt_sink_destroy(sink);
}

/* An operation has a value only if the parts of its operands that it uses have one. */
static void test_unknown_parts(void **state)
{
    (void)state;
    static const char base[] = SIM_TEST_PRELUDE TYPES
        "%v2 = OpTypeVector %int 2\n%b2 = OpTypeVector %bool 2\n%s = OpTypeStruct %v2 %int\n"
        "%c3 = OpConstant %int 3\n%c5 = OpConstant %int 5\n%yes = OpConstantTrue %bool\n"
        "%known = OpConstantComposite %v2 %c3 %c5\n%u = OpUndef %int\n%uv = OpUndef %v2\n"
        "%ub = OpUndef %bool\n%half = OpConstantComposite %v2 %u %c5\n"
        "%conditions = OpConstantComposite %b2 %yes %ub\n"
        "%whole = OpConstantComposite %s %half %c3\n";
    enum { BASE_COUNT = 10 };
    enum { UNKNOWN = -1, IMAGE = -2 };
    static const struct {
        const char *operation;
        int64_t value; /* or UNKNOWN, or IMAGE: a composite with a value */
    } cases[] = {
        {"%int IAdd %c3 %c5", 8},
        {"%int IAdd %u %c5", UNKNOWN},
        {"%int IAdd %c3 %u", UNKNOWN},
        {"%int Not %u", UNKNOWN},
        {"%int CompositeExtract %half 1", 5},
        {"%int CompositeExtract %half 0", UNKNOWN},
        {"%int CompositeExtract %uv 0", UNKNOWN},
        {"%int CompositeExtract %whole 0 1", 5},
        {"%int CompositeExtract %whole 0 0", UNKNOWN},
        {"%int CompositeExtract %whole 1", 3},
        {"%v2 CompositeExtract %whole 0", UNKNOWN},
        {"%v2 IAdd %known %known", IMAGE},
        {"%v2 IAdd %known %half", UNKNOWN},
        {"%v2 IAdd %uv %known", UNKNOWN},
        {"%int Select %yes %c3 %u", 3},
        {"%int Select %yes %u %c3", UNKNOWN},
        {"%int Select %ub %c3 %c3", UNKNOWN},
        {"%v2 Select %yes %known %uv", IMAGE},
        {"%v2 Select %conditions %known %known", UNKNOWN},
        {"%v2 VectorShuffle %half %known 1 2", IMAGE},
        {"%v2 VectorShuffle %half %known 0 2", UNKNOWN},
        {"%v2 VectorShuffle %known %half 0 2", UNKNOWN},
        {"%v2 VectorShuffle %known %half 0 3", IMAGE},
        {"%v2 VectorShuffle %known %known 0 0xffffffff", UNKNOWN},
        {"%v2 CompositeInsert %c3 %known 1", IMAGE},
        {"%v2 CompositeInsert %u %known 1", UNKNOWN},
        {"%v2 CompositeInsert %c3 %half 0", UNKNOWN},
        {"%long Bitcast %known", 3 + (INT64_C(5) << 32)},
        {"%long Bitcast %half", UNKNOWN},
        {"%int ShiftLeftLogical %c3 %c5", 3 << 5},
    };
    enum { COUNT = sizeof cases / sizeof cases[0] };
    char text[8192], *end = text + sprintf(text, "%s", base);
    for (uint32_t i = 0; i < COUNT; i++)
        end += sprintf(end, "%%case%u_ = OpSpecConstantOp %s\n", i, cases[i].operation);
    rt_sink *sink = rt_sink_create();
    sim_module *module = sim_test_module(sink, text);
    assert_int_equal(module->constant_count, BASE_COUNT + COUNT);
    for (uint32_t i = 0; i < COUNT; i++) {
        const sim_constant *constant = &module->constants[BASE_COUNT + i];
        bool is_number = constant->kind == SIM_CONSTANT_BITS;
        int64_t value = is_number         ? (int64_t)constant->bits
                        : constant->image ? (int64_t)IMAGE
                                          : (int64_t)UNKNOWN;
        if (value != cases[i].value) fail_msg("%s: %lld", cases[i].operation, (long long)value);
    }
    sim_module_destroy(module);
    rt_sink_destroy(sink);
}

/* Operations on floats of every width; the values are exact in all of them. */
static void test_floats(void **state)
{
    (void)state;
    static const struct {
        const char *operation;
        double a, b, result;
    } cases[] = {
        {"FAdd", 5.5, -3, 2.5},  {"FSub", 5.5, -3, 8.5},    {"FMul", 5.5, -3, -16.5},
        {"FDiv", 5.5, 2, 2.75},  {"FRem", 5.5, -3, 2.5},    {"FRem", -5.5, 3, -2.5},
        {"FMod", 5.5, -3, -0.5}, {"FMod", -5.5, 3, 0.5},    {"FMod", 5.5, 3, 2.5},
        {"FMod", 6, 3, 0},       {"FMod", 6, -3, 0},        {"FMod", 7, -3, -2},
        {"FMod", 3.5, 3, 0.5},   {"FMod", 5.25, 0.5, 0.25}, {"FMod", -5.5, -3, -2.5},
    };
    static const uint32_t widths[] = {16, 32, 64};
    for (uint32_t i = 0; i < 3 * sizeof cases / sizeof cases[0]; i++) {
        uint32_t width = widths[i % 3];
        char text[1024];
        snprintf(text, sizeof text,
                 "OpCapability Addresses\nOpCapability Kernel\nOpCapability Float16\n"
                 "OpCapability Float64\nOpMemoryModel Physical64 OpenCL\n"
                 "%%f = OpTypeFloat %u\n%%a = OpConstant %%f %a\n%%b = OpConstant %%f %a\n"
                 "%%r = OpSpecConstantOp %%f %s %%a %%b\n%%e = OpConstant %%f %a\n",
                 width, cases[i / 3].a, cases[i / 3].b, cases[i / 3].operation,
                 cases[i / 3].result);
        rt_sink *sink = rt_sink_create();
        sim_module *module = sim_test_module(sink, text);
        assert_int_equal(module->constants[2].kind, SIM_CONSTANT_BITS);
        if (module->constants[2].bits != module->constants[3].bits)
            fail_msg("%s of %g and %g with %u bits: %#llx", cases[i / 3].operation, cases[i / 3].a,
                     cases[i / 3].b, width, (unsigned long long)module->constants[2].bits);
        sim_module_destroy(module);
        rt_sink_destroy(sink);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_truths),
        cmocka_unit_test(test_values_that_do_not_fit),
        cmocka_unit_test(test_ids_of_other_things),
        cmocka_unit_test(test_order_of_decorations),
        cmocka_unit_test(test_operations),
        cmocka_unit_test(test_integers),
        cmocka_unit_test(test_logic),
        cmocka_unit_test(test_composites),
        cmocka_unit_test(test_operations_of_wrong_types),
        cmocka_unit_test(test_operations_without_constants),
        cmocka_unit_test(test_programs),
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_unknown),
        cmocka_unit_test(test_unknown_parts),
        cmocka_unit_test(test_floats),
        cmocka_unit_test(test_arrays_of_no_elements),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
