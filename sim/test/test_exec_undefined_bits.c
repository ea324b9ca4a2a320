/* Tests which bits of a result are undefined, instruction by instruction, against the definition:
 * a bit is undefined if it depends on the undefined bits of the operands.  The expected bits come
 * from computing the result in plain C for all values that the undefined bits may have.
 *
 * Rules that are less precise are tested as they are described: one undefined bit makes the whole
 * result undefined, or all bits from the lowest undefined one up. */
#include "sim/check/shadow.h"
#include "sim/memory/world.h"
#include "sim/number/half.h"
#include "sim/test/one_instruction.h"

#define ROWS     256u
#define BITS_MAX 8u /* undefined bits of all operands whose values are tried */

typedef enum precision {
    EXACT,    /* the bits that can differ */
    SHIFTED,  /* exact, but everything if operand b has an undefined bit */
    FIELD,    /* exact, but everything if b or c has one */
    COMPARED, /* exact, but everything if a or c has one; that of c is reported */
    UPWARDS,  /* from the lowest undefined bit of an operand up */
    WHOLE,    /* everything if an operand has an undefined bit */
    TRUTH,    /* likewise, of a condition */
    DIVIDED,  /* like WHOLE; an undefined bit of b is reported */
} precision;

typedef struct rule {
    instruction instruction;
    precision precision;
    reference *want;           /* NULL: the value is not checked */
    uint32_t b_below, c_below; /* the operand's values; 0: any */
} rule;

/* ---- Operands ------------------------------------------------------------------------------- */

typedef struct operand {
    uint64_t value[ROWS], undefined[ROWS];
    bool is_used;
    uint32_t bits;
} operand;

static uint64_t draw(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* A float's values are small integers, which every conversion can hold. */
static uint64_t value_draw(const char *type, uint32_t below, uint64_t *state)
{
    static const uint64_t edges[] = {0, 1, 0x7f, 0x80, 0xff, UINT64_MAX};
    uint64_t number = draw(state);
    double d = (double)(number % 100);
    float f = (float)d;
    uint64_t bits = 0;
    if (type[0] == 'd') memcpy(&bits, &d, sizeof d);
    if (type[0] == 'f') memcpy(&bits, &f, sizeof f);
    if (type[0] == 'h') bits = sim_half_of_float(f);
    if (type[0] != 'i') return bits;
    if (below) return number % below;
    return number % 3 ? number : edges[(number >> 8) % (sizeof edges / sizeof *edges)];
}

/* Most operands have a few undefined bits, some none, and some only such bits. */
static operand operand_draw(const rule *r, char name, uint64_t *state)
{
    const instruction *insn = &r->instruction;
    const char *type = name == 'a' ? insn->a : name == 'b' ? insn->b : insn->c;
    operand out = {.is_used = uses(insn->body, name), .bits = 8 * type_bytes(type)};
    bool is_steering = (r->precision >= SHIFTED && r->precision <= FIELD) && name != 'a' &&
                       (name == 'b' || r->precision == FIELD);
    for (uint32_t i = 0; i < ROWS; i++) {
        uint64_t how = draw(state) % 16;
        out.value[i] = value_draw(type,
                                  name == 'b'   ? r->b_below
                                  : name == 'c' ? r->c_below
                                                : 0,
                                  state);
        if (r->precision == DIVIDED && name == 'b') out.value[i] |= 1;
        if (out.bits < 64) out.value[i] &= (UINT64_C(1) << out.bits) - 1;
        if (!out.is_used || how < 5 || (is_steering && how < 12)) continue;
        for (uint32_t k = 0; k < 1 + how % 3; k++)
            out.undefined[i] |= UINT64_C(1) << draw(state) % out.bits;
    }
    return out;
}

static sim_object operand_memory(harness *h, const operand *o)
{
    uint32_t bytes = o->bits / 8;
    sim_object object = harness_memory(h, "operand", NULL, ROWS * bytes);
    sim_memory *memory = sim_world_memory(h->world, object);
    for (uint32_t i = 0; i < ROWS; i++) {
        uint64_t defined = ~o->undefined[i];
        memcpy(memory->data + i * bytes, &o->value[i], bytes);
        memcpy(memory->defined + i * bytes, &defined, bytes);
    }
    return object;
}

/* ---- Expectations --------------------------------------------------------------------------- */

typedef struct outcome {
    uint64_t value, undefined;
} outcome;

/* What differs among the results for all values of the undefined bits. */
static outcome enumerate(const rule *r, const operand *o, uint32_t row)
{
    uint64_t all = UINT64_MAX, any = 0;
    uint64_t value[3], bit[64];
    uint32_t count = 0, of[64];
    for (uint32_t k = 0; k < 3; k++) {
        value[k] = o[k].value[row] & ~o[k].undefined[row];
        for (uint32_t b = 0; b < o[k].bits; b++) {
            if (!(o[k].undefined[row] >> b & 1)) continue;
            assert_true(count < 64);
            of[count] = k;
            bit[count++] = UINT64_C(1) << b;
        }
    }
    assert_true(count <= 9);
    for (uint32_t choice = 0; choice < 1u << count; choice++) {
        uint64_t v[3] = {value[0], value[1], value[2]};
        for (uint32_t b = 0; b < count; b++)
            v[of[b]] |= choice >> b & 1 ? bit[b] : 0;
        uint64_t result = r->want(v[0], v[1], v[2]);
        all &= result;
        any |= result;
    }
    return (outcome){all, any & ~all};
}

static outcome expected(const rule *r, const operand *o, uint32_t row)
{
    uint64_t b = o[1].undefined[row], c = o[2].undefined[row], either = o[0].undefined[row] | b;
    bool steers = (r->precision == SHIFTED && b) || (r->precision == FIELD && (b | c)) ||
                  (r->precision == COMPARED && (o[0].undefined[row] | c));
    if (steers) return (outcome){0, UINT64_MAX};
    if (r->precision <= COMPARED) return enumerate(r, o, row);
    outcome out = {0, either | c ? UINT64_MAX : 0};
    if (r->precision == UPWARDS) out.undefined = either | (~either + 1);
    if (r->precision == TRUTH) out.undefined &= 1;
    if (r->want) out.value = r->want(o[0].value[row], o[1].value[row], o[2].value[row]);
    return out;
}

static void result_judge(const rule *r, const operand *o, uint32_t row, const char *kernel,
                         outcome got)
{
    outcome want = expected(r, o, row);
    uint32_t bits = 8 * type_bytes(r->instruction.r);
    uint64_t mask = UINT64_MAX >> (64 - bits), known = r->want ? mask & ~want.undefined : 0;
    if (((got.undefined ^ want.undefined) & mask) == 0 && ((got.value ^ want.value) & known) == 0)
        return;
    fail_msg("%s (%s): %#llx/%#llx, %#llx/%#llx, %#llx/%#llx: got %#llx/%#llx, expected "
             "%#llx/%#llx",
             r->instruction.name, kernel, (unsigned long long)o[0].value[row],
             (unsigned long long)o[0].undefined[row], (unsigned long long)o[1].value[row],
             (unsigned long long)o[1].undefined[row], (unsigned long long)o[2].value[row],
             (unsigned long long)o[2].undefined[row], (unsigned long long)got.value,
             (unsigned long long)got.undefined, (unsigned long long)(want.value & mask),
             (unsigned long long)(want.undefined & mask));
}

static outcome result_of(const harness *h, sim_object object, uint32_t bytes, uint32_t row)
{
    const sim_memory *memory = sim_world_memory(h->world, object);
    outcome out = {0, 0};
    memcpy(&out.value, memory->data + row * bytes, bytes);
    if (memory->all_defined) return out;
    uint64_t defined = UINT64_MAX;
    memcpy(&defined, memory->defined + row * bytes, bytes);
    out.undefined = ~defined;
    return out;
}

/* Only a division or an atomic comparison may be a finding, for the work-items whose divisor or
 * comparator has undefined bits. */
static void findings_judge(const harness *h, const rule *r, uint64_t count)
{
    if (!rt_ok(h->status)) fail_msg("%s", rt_sink_diagnostic(h->sink, h->status)->message.data);
    if (count == 0 && h->finding_count)
        fail_msg("%s: %s", r->instruction.name, h->findings[0].message.data);
    if (count == 0) return;
    assert_int_equal(h->finding_count, 1);
    assert_string_equal(h->findings[0].kind, "uninitialised");
    assert_int_equal(h->findings[0].count, count);
}

/* ---- Running -------------------------------------------------------------------------------- */

static void rule_run(const rule *r, uint32_t engine)
{
    static char text[16384];
    uint64_t random = 0x9e3779b97f4a7c15u, divisors = 0;
    uint32_t bytes = type_bytes(r->instruction.r);
    const operand o[] = {operand_draw(r, 'a', &random), operand_draw(r, 'b', &random),
                         operand_draw(r, 'c', &random)};
    module_text(text, sizeof text, &r->instruction);
    harness h = harness_text(text);
    h.world->engine = engine;
    sim_object to = harness_memory(&h, "out", NULL, ROWS * bytes);
    sim_argument arguments[] = {harness_global(operand_memory(&h, &o[0])),
                                harness_global(operand_memory(&h, &o[1])),
                                harness_global(operand_memory(&h, &o[2])), harness_global(to)};
    for (uint32_t i = 0; r->precision == DIVIDED && i < ROWS; i++)
        divisors += o[1].undefined[i] != 0;
    harness_try(&h, "lanes", harness_range(ROWS, ROWS), arguments, 4);
    findings_judge(&h, r, divisors);
    for (uint32_t i = 0; i < ROWS; i++)
        result_judge(r, o, i, "lanes", result_of(&h, to, bytes, i));
    for (uint32_t i = 0; i < ROWS; i += 3) {
        for (uint32_t k = 0; k < 3; k++)
            arguments[k].offset = i * (o[k].bits / 8);
        harness_try(&h, "uniform", harness_range(1, 1), arguments, 4);
        findings_judge(&h, r, r->precision == DIVIDED && o[1].undefined[i]);
        result_judge(r, o, i, "uniform", result_of(&h, to, bytes, 0));
    }
    harness_close(&h);
}

static void rules_run(const rule *rules, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t engine = 0; engine < SIM_ENGINE_COUNT; engine++)
            if (sim_engine_at(engine)) rule_run(&rules[i], engine);
    }
}

/* ---- Integers ------------------------------------------------------------------------------- */

#define WANT(name, expression)                                                                     \
    static uint64_t name(uint64_t a, uint64_t b, uint64_t c)                                       \
    {                                                                                              \
        return (void)a, (void)b, (void)c, (uint64_t)(expression);                                  \
    }
#define WANTS(N)                                                                                   \
    WANT(sar_##N, (int##N##_t)a >> b)                                                              \
    WANT(shr_##N, (uint##N##_t)a >> b)                                                             \
    WANT(rotate_##N, (uint64_t)(uint##N##_t)a << b % N | (uint##N##_t)a >> (N - b % N) % N)        \
    WANT(equal_##N, (uint##N##_t)a == (uint##N##_t)b)                                              \
    WANT(unequal_##N, (uint##N##_t)a != (uint##N##_t)b)                                            \
    WANT(below_##N, (uint##N##_t)a < (uint##N##_t)b)                                               \
    WANT(at_most_##N, (uint##N##_t)a <= (uint##N##_t)b)                                            \
    WANT(less_##N, (int##N##_t)a < (int##N##_t)b)                                                  \
    WANT(not_more_##N, (int##N##_t)a <= (int##N##_t)b)                                             \
    WANT(select_##N, (uint##N##_t)a != 0x11 ? b : c)                                               \
    WANT(reverse_##N, reversed(a, N))                                                              \
    WANT(u_field_##N, a >> b & ones(c))                                                            \
    WANT(s_field_##N, signed_field(a >> b & ones(c), c))
WANT(sum, a + b)
WANT(difference, a - b)
WANT(negated, 0 - a)
WANT(product, a *b)
WANT(both, a &b)
WANT(either_of, a | b)
WANT(one_of, a ^ b)
WANT(inverted, ~a)
WANT(shl, a << b)
WANT(same, a)
WANT(from_signed_8, (int8_t)a)
WANT(from_signed_32, (int32_t)a)

static uint64_t reversed(uint64_t a, uint32_t bits)
{
    uint64_t out = 0;
    for (uint32_t i = 0; i < bits; i++)
        out |= (a >> i & 1) << (bits - 1 - i);
    return out;
}
static uint64_t ones(uint64_t count)
{
    return count == 0 ? 0 : UINT64_MAX >> (64 - count);
}
static uint64_t signed_field(uint64_t field, uint64_t count)
{
    return count && field >> (count - 1) & 1 ? field | ~ones(count) : field;
}
static uint64_t inserted(uint64_t a, uint64_t b, uint64_t c)
{
    return (a & ~(ones(c) << b)) | (0x5a & ones(c)) << b;
}
WANTS(8)
WANTS(16)
WANTS(32)
WANTS(64)

#define TWO(T, op, precision, want)                                                                \
    {                                                                                              \
        {op " " T, T, T, T, T, NULL, NULL, "%r = " op " %" T " %a %b\n"}, precision, want, 0, 0    \
    }
#define ONE(T, op, precision, want)                                                                \
    {                                                                                              \
        {op " " T, T, T, T, T, NULL, NULL, "%r = " op " %" T " %a\n"}, precision, want, 0, 0       \
    }
#define BELOW(T, op, precision, want, below)                                                       \
    {                                                                                              \
        {op " " T, T, T, T, T, NULL, NULL, "%r = " op " %" T " %a %b\n"}, precision, want, below,  \
            0                                                                                      \
    }
#define RELATION(T, op, want)                                                                      \
    {                                                                                              \
        {op " " T, T,    T,    T,                                                                  \
         "i8",     NULL, NULL, "%t0 = " op " %bool %a %b\n%r = OpSelect %i8 %t0 %one8 %zero8\n"},  \
            EXACT, want, 0, 0                                                                      \
    }
#define EXTENDED(T, op, operands, precision, want)                                                 \
    {                                                                                              \
        {op " " T, T, T, T, T, NULL, NULL, STD(op, T, operands)}, precision, want, 0, 0            \
    }
#define INTEGER(N, T)                                                                              \
    TWO(T, "OpIAdd", EXACT, sum), TWO(T, "OpISub", EXACT, difference),                             \
        ONE(T, "OpSNegate", EXACT, negated), TWO(T, "OpIMul", UPWARDS, product),                   \
        TWO(T, "OpBitwiseAnd", EXACT, both), TWO(T, "OpBitwiseOr", EXACT, either_of),              \
        TWO(T, "OpBitwiseXor", EXACT, one_of), ONE(T, "OpNot", EXACT, inverted),                   \
        BELOW(T, "OpShiftLeftLogical", SHIFTED, shl, N),                                           \
        BELOW(T, "OpShiftRightLogical", SHIFTED, shr_##N, N),                                      \
        BELOW(T, "OpShiftRightArithmetic", SHIFTED, sar_##N, N),                                   \
        EXTENDED(T, "rotate", "%a %b", SHIFTED, rotate_##N), RELATION(T, "OpIEqual", equal_##N),   \
        RELATION(T, "OpINotEqual", unequal_##N), RELATION(T, "OpULessThan", below_##N),            \
        RELATION(T, "OpULessThanEqual", at_most_##N), RELATION(T, "OpSLessThan", less_##N),        \
        RELATION(T, "OpSLessThanEqual", not_more_##N), ONE(T, "OpBitReverse", EXACT, reverse_##N), \
        {{"OpSelect " T, T, T, T, T, NULL, "%k17 = OpConstant %" T " 17\n",                        \
          "%t0 = OpINotEqual %bool %a %k17\n%r = OpSelect %" T " %t0 %b %c\n"},                    \
         EXACT,                                                                                    \
         select_##N,                                                                               \
         0,                                                                                        \
         0},                                                                                       \
        {{"OpBitFieldUExtract " T, T, "i32", "i32", T, NULL, NULL,                                 \
          "%r = OpBitFieldUExtract %" T " %a %b %c\n"},                                            \
         FIELD,                                                                                    \
         u_field_##N,                                                                              \
         5,                                                                                        \
         4},                                                                                       \
        {{"OpBitFieldSExtract " T, T, "i32", "i32", T, NULL, NULL,                                 \
          "%r = OpBitFieldSExtract %" T " %a %b %c\n"},                                            \
         FIELD,                                                                                    \
         s_field_##N,                                                                              \
         5,                                                                                        \
         4},                                                                                       \
        {{"OpBitFieldInsert " T, T, "i32", "i32", T, NULL, "%k90 = OpConstant %" T " 90\n",        \
          "%r = OpBitFieldInsert %" T " %a %k90 %b %c\n"},                                         \
         FIELD,                                                                                    \
         inserted,                                                                                 \
         5,                                                                                        \
         4},                                                                                       \
        EXTENDED(T, "u_min", "%a %b", WHOLE, NULL), EXTENDED(T, "s_min", "%a %b", WHOLE, NULL),    \
        EXTENDED(T, "u_max", "%a %b", WHOLE, NULL), EXTENDED(T, "s_max", "%a %b", WHOLE, NULL),    \
        EXTENDED(T, "u_mul_hi", "%a %b", WHOLE, NULL),                                             \
        EXTENDED(T, "s_mul_hi", "%a %b", WHOLE, NULL),                                             \
        EXTENDED(T, "u_add_sat", "%a %b", WHOLE, NULL),                                            \
        EXTENDED(T, "s_sub_sat", "%a %b", WHOLE, NULL),                                            \
        EXTENDED(T, "u_hadd", "%a %b", WHOLE, NULL), EXTENDED(T, "s_rhadd", "%a %b", WHOLE, NULL), \
        EXTENDED(T, "s_abs_diff", "%a %b", WHOLE, NULL), EXTENDED(T, "clz", "%a", WHOLE, NULL),    \
        EXTENDED(T, "ctz", "%a", WHOLE, NULL), EXTENDED(T, "popcount", "%a", WHOLE, NULL),         \
        BELOW(T, "OpUDiv", DIVIDED, NULL, 100), BELOW(T, "OpSDiv", DIVIDED, NULL, 100),            \
        BELOW(T, "OpUMod", DIVIDED, NULL, 100), BELOW(T, "OpSRem", DIVIDED, NULL, 100),            \
        BELOW(T, "OpSMod", DIVIDED, NULL, 100)

static const rule integers[] = {INTEGER(8, "i8"), INTEGER(16, "i16"), INTEGER(32, "i32"),
                                INTEGER(64, "i64")};

/* ---- Conversions and floats ----------------------------------------------------------------- */

#define CONVERT(op, from, to, precision, want)                                                     \
    {                                                                                              \
        {op " " from " " to, from, from, from, to, NULL, NULL, "%r = " op " %" to " %a\n"},        \
            precision, want, 0, 0                                                                  \
    }
#define SATURATED(op, from, to)                                                                    \
    {                                                                                              \
        {op " " from " " to,                                                                       \
         from,                                                                                     \
         from,                                                                                     \
         from,                                                                                     \
         to,                                                                                       \
         "OpDecorate %rL SaturatedConversion\nOpDecorate %rU SaturatedConversion\n",               \
         NULL,                                                                                     \
         "%r = " op " %" to " %a\n"},                                                              \
            WHOLE, NULL, 0, 0                                                                      \
    }
#define FLOAT_RELATION(T, op)                                                                      \
    {                                                                                              \
        {op " " T, T,    T,    T,                                                                  \
         "i8",     NULL, NULL, "%t0 = " op " %bool %a %b\n%r = OpSelect %i8 %t0 %one8 %zero8\n"},  \
            TRUTH, NULL, 0, 0                                                                      \
    }
#define FLOATS(T)                                                                                  \
    TWO(T, "OpFAdd", WHOLE, NULL), TWO(T, "OpFSub", WHOLE, NULL), TWO(T, "OpFMul", WHOLE, NULL),   \
        TWO(T, "OpFDiv", WHOLE, NULL), FLOAT_RELATION(T, "OpFOrdEqual"),                           \
        FLOAT_RELATION(T, "OpFUnordLessThan"), EXTENDED(T, "fmin", "%a %b", WHOLE, NULL),          \
        EXTENDED(T, "fmax", "%a %b", WHOLE, NULL), EXTENDED(T, "sqrt", "%a", WHOLE, NULL),         \
        EXTENDED(T, "floor", "%a", WHOLE, NULL), EXTENDED(T, "rsqrt", "%a", WHOLE, NULL),          \
        EXTENDED(T, "sin", "%a", WHOLE, NULL), EXTENDED(T, "pow", "%a %b", WHOLE, NULL),           \
        EXTENDED(T, "fma", "%a %b %c", WHOLE, NULL),                                               \
        CONVERT("OpConvertFToS", T, "i8", WHOLE, NULL),                                            \
        CONVERT("OpConvertFToU", T, "i16", WHOLE, NULL),                                           \
        CONVERT("OpConvertFToS", T, "i64", WHOLE, NULL),                                           \
        CONVERT("OpConvertSToF", "i32", T, WHOLE, NULL),                                           \
        CONVERT("OpConvertUToF", "i8", T, WHOLE, NULL), SATURATED("OpConvertFToU", T, "i8"),       \
        SATURATED("OpConvertFToS", T, "i64"), CONVERT("OpFConvert", T, "h", WHOLE, NULL),          \
        CONVERT("OpFConvert", "h", T, WHOLE, NULL)

static const rule others[] = {
    CONVERT("OpUConvert", "i8", "i16", EXACT, same),
    CONVERT("OpUConvert", "i8", "i64", EXACT, same),
    CONVERT("OpUConvert", "i32", "i64", EXACT, same),
    CONVERT("OpUConvert", "i64", "i8", EXACT, same),
    CONVERT("OpUConvert", "i32", "i16", EXACT, same),
    CONVERT("OpSConvert", "i8", "i16", EXACT, from_signed_8),
    CONVERT("OpSConvert", "i8", "i64", EXACT, from_signed_8),
    CONVERT("OpSConvert", "i32", "i64", EXACT, from_signed_32),
    SATURATED("OpSatConvertUToS", "i32", "i8"),
    SATURATED("OpSatConvertSToU", "i8", "i16"),
    FLOATS("f"),
    FLOATS("d"),
    CONVERT("OpFConvert", "f", "d", WHOLE, NULL),
    CONVERT("OpFConvert", "d", "f", WHOLE, NULL),
};

static void test_others(void **state)
{
    (void)state;
    rules_run(others, sizeof others / sizeof *others);
}

static void test_integers(void **state)
{
    (void)state;
    rules_run(integers, sizeof integers / sizeof *integers);
}

/* ---- Atomics -------------------------------------------------------------------------------- */

/* Each work-item has its own place in `r`, which begins with the values of operand a; what the
 * atomic returns is stored in `a`. */
#define ATOMIC_AT(code)                                                                            \
    "%t1 = OpInBoundsPtrAccessChain %ptr %pr %x@\n" code                                           \
    "%t2 = OpInBoundsPtrAccessChain %pta %pa %x@\nOpStore %t2 %t0\n"
#define ATOMIC(op, operands, precision, want)                                                      \
    {                                                                                              \
        {op,                                                                                       \
         "i32",                                                                                    \
         "i32",                                                                                    \
         "i32",                                                                                    \
         "i32",                                                                                    \
         NULL,                                                                                     \
         "%k0 = OpConstant %i32 0\n",                                                              \
         ATOMIC_AT("%t0 = " op " %i32 %t1 %c32_1 %k0" operands "\n")},                             \
            precision, want, 0, 0                                                                  \
    }

WANT(operand_of, b)
WANT(compared, (uint32_t)a == (uint32_t)c ? b : a)

static const rule atomics[] = {
    ATOMIC("OpAtomicLoad", "", EXACT, same),
    ATOMIC("OpAtomicExchange", " %b", EXACT, operand_of),
    ATOMIC("OpAtomicIAdd", " %b", UPWARDS, sum),
    ATOMIC("OpAtomicISub", " %b", UPWARDS, difference),
    ATOMIC("OpAtomicAnd", " %b", EXACT, both),
    ATOMIC("OpAtomicOr", " %b", EXACT, either_of),
    ATOMIC("OpAtomicXor", " %b", EXACT, one_of),
    ATOMIC("OpAtomicSMin", " %b", WHOLE, NULL),
    ATOMIC("OpAtomicUMin", " %b", WHOLE, NULL),
    ATOMIC("OpAtomicSMax", " %b", WHOLE, NULL),
    ATOMIC("OpAtomicUMax", " %b", WHOLE, NULL),
    ATOMIC("OpAtomicCompareExchange", " %k0 %b %c", COMPARED, compared),
};

static void atomic_run(const rule *r, uint32_t engine)
{
    static char text[16384];
    uint64_t random = 0x9e3779b97f4a7c15u, comparators = 0;
    operand o[] = {operand_draw(r, 'a', &random), operand_draw(r, 'b', &random),
                   operand_draw(r, 'c', &random)};
    rule named = *r;
    for (uint32_t i = 0; r->precision == COMPARED && i < ROWS; i++) {
        comparators += o[2].undefined[i] != 0;
        if (i % 2) continue;
        o[2].value[i] = o[0].value[i];
    }
    /* The body names %a only as a place, so its operand seems to be unused. */
    for (uint32_t i = 0; i < ROWS; i++)
        o[0].undefined[i] = draw(&random) % 2 ? UINT64_C(1) << draw(&random) % 32 : 0;
    module_text(text, sizeof text, &r->instruction);
    harness h = harness_text(text);
    h.world->engine = engine;
    sim_object old = harness_memory(&h, "old", NULL, ROWS * 4), place = operand_memory(&h, &o[0]);
    sim_argument arguments[] = {harness_global(old), harness_global(operand_memory(&h, &o[1])),
                                harness_global(operand_memory(&h, &o[2])), harness_global(place)};
    harness_try(&h, "lanes", harness_range(ROWS, ROWS), arguments, 4);
    findings_judge(&h, r, comparators);
    named.want = same;
    named.precision = EXACT;
    for (uint32_t i = 0; i < ROWS; i++) {
        result_judge(r, o, i, "memory", result_of(&h, place, 4, i));
        const operand before[] = {o[0], {.bits = 32}, {.bits = 32}};
        result_judge(&named, before, i, "result", result_of(&h, old, 4, i));
    }
    harness_close(&h);
}

static void test_atomics(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < sizeof atomics / sizeof *atomics; i++) {
        for (uint32_t engine = 0; engine < SIM_ENGINE_COUNT; engine++)
            if (sim_engine_at(engine)) atomic_run(&atomics[i], engine);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_integers),
        cmocka_unit_test(test_others),
        cmocka_unit_test(test_atomics),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
