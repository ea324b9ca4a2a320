/* Tests single instructions against tables in plain C: half, decorated conversions, bit fields,
 * results in two parts, dot products, OpenCL.std's integer functions, shuffles and vectors in
 * memory; on every engine, with varying and uniform operands; and what is refused or found. */
#include "sim/number/half.h"
#include "sim/test/one_instruction.h"

__extension__ typedef __int128 big;
__extension__ typedef unsigned __int128 ubig;

/* Edge values of every width at once, in the low bits. */
static const uint64_t integer_edges[] = {0,
                                         1,
                                         2,
                                         3,
                                         0x55,
                                         UINT64_C(0xaaaaaaaaaaaaaaaa),
                                         UINT64_MAX,
                                         UINT64_MAX - 1,
                                         0x7f,
                                         0x80,
                                         0x81,
                                         0x7fff,
                                         0x8000,
                                         0x7fffffff,
                                         0x80000000,
                                         0xffffffff,
                                         INT64_MAX,
                                         UINT64_C(1) << 63,
                                         (UINT64_C(1) << 63) + 1,
                                         UINT64_C(0x123456789abcdef0),
                                         0xf0,
                                         100};
#define INTEGER_EDGES (sizeof integer_edges / sizeof integer_edges[0])

/* ---- Integer functions ----------------------------------------------------------------------- */

/* For each width: functions of OpenCL.std and core instructions, computed on wide integers. */
#define WIDTH(N)                                                                                   \
    static big s_##N(uint64_t v)                                                                   \
    {                                                                                              \
        return (int##N##_t)v;                                                                      \
    }                                                                                              \
    static big u_##N(uint64_t v)                                                                   \
    {                                                                                              \
        return (uint##N##_t)v;                                                                     \
    }                                                                                              \
    static uint64_t s_fit_##N(big v)                                                               \
    {                                                                                              \
        big most = ((big)1 << (N - 1)) - 1;                                                        \
        return (uint64_t)(v > most ? most : v < -most - 1 ? -most - 1 : v);                        \
    }                                                                                              \
    static uint64_t u_fit_##N(big v)                                                               \
    {                                                                                              \
        big most = ((big)1 << N) - 1;                                                              \
        return (uint64_t)(v > most ? most : v < 0 ? 0 : v);                                        \
    }                                                                                              \
    static uint64_t s_abs_##N(uint64_t a, uint64_t b, uint64_t c)                                  \
    {                                                                                              \
        return (void)b, (void)c, (uint64_t)(s_##N(a) < 0 ? -s_##N(a) : s_##N(a));                  \
    }                                                                                              \
    static uint64_t s_mad_sat_##N(uint64_t a, uint64_t b, uint64_t c)                              \
    {                                                                                              \
        return s_fit_##N(s_##N(a) * s_##N(b) + s_##N(c));                                          \
    }                                                                                              \
    static uint64_t u_mad_sat_##N(uint64_t a, uint64_t b, uint64_t c)                              \
    {                                                                                              \
        ubig product = (ubig)u_##N(a) * (ubig)u_##N(b);                                            \
        return product >> N ? UINT64_MAX : u_fit_##N((big)product + u_##N(c));                     \
    }                                                                                              \
    static uint64_t s_mad_hi_##N(uint64_t a, uint64_t b, uint64_t c)                               \
    {                                                                                              \
        return (uint64_t)((s_##N(a) * s_##N(b) >> N) + s_##N(c));                                  \
    }                                                                                              \
    static uint64_t u_mad_hi_##N(uint64_t a, uint64_t b, uint64_t c)                               \
    {                                                                                              \
        return (uint64_t)((ubig)u_##N(a) * (ubig)u_##N(b) >> N) + c;                               \
    }                                                                                              \
    static uint64_t ctz_##N(uint64_t a, uint64_t b, uint64_t c)                                    \
    {                                                                                              \
        uint64_t n = 0;                                                                            \
        while (n < N && !(a >> n & 1))                                                             \
            n++;                                                                                   \
        return (void)b, (void)c, n;                                                                \
    }                                                                                              \
    static uint64_t reverse_##N(uint64_t a, uint64_t b, uint64_t c)                                \
    {                                                                                              \
        uint64_t out = 0;                                                                          \
        for (int k = 0; k < N; k++)                                                                \
            out |= (a >> k & 1) << (N - 1 - k);                                                    \
        return (void)b, (void)c, out;                                                              \
    }                                                                                              \
    static uint64_t add_carry_##N(uint64_t a, uint64_t b, uint64_t c)                              \
    {                                                                                              \
        return (void)c, (uint64_t)((u_##N(a) + u_##N(b)) >> N);                                    \
    }                                                                                              \
    static uint64_t sub_borrow_##N(uint64_t a, uint64_t b, uint64_t c)                             \
    {                                                                                              \
        return (void)c, u_##N(a) < u_##N(b);                                                       \
    }                                                                                              \
    static uint64_t s_high_##N(uint64_t a, uint64_t b, uint64_t c)                                 \
    {                                                                                              \
        return (void)c, (uint64_t)(s_##N(a) * s_##N(b) >> N);                                      \
    }                                                                                              \
    static uint64_t u_high_##N(uint64_t a, uint64_t b, uint64_t c)                                 \
    {                                                                                              \
        return (void)c, (uint64_t)((ubig)u_##N(a) * (ubig)u_##N(b) >> N);                          \
    }                                                                                              \
    static uint64_t s_distance_##N(uint64_t a, uint64_t b, uint64_t c)                             \
    {                                                                                              \
        return (void)c,                                                                            \
               (uint64_t)(s_##N(a) < s_##N(b) ? s_##N(b) - s_##N(a) : s_##N(a) - s_##N(b));        \
    }                                                                                              \
    static uint64_t u_distance_##N(uint64_t a, uint64_t b, uint64_t c)                             \
    {                                                                                              \
        return (void)c,                                                                            \
               (uint64_t)(u_##N(a) < u_##N(b) ? u_##N(b) - u_##N(a) : u_##N(a) - u_##N(b));        \
    }                                                                                              \
    static uint64_t s_add_sat_##N(uint64_t a, uint64_t b, uint64_t c)                              \
    {                                                                                              \
        return (void)c, (uint64_t)(s_fit_##N(s_##N(a) + s_##N(b)));                                \
    }                                                                                              \
    static uint64_t u_add_sat_##N(uint64_t a, uint64_t b, uint64_t c)                              \
    {                                                                                              \
        return (void)c, (uint64_t)(u_fit_##N(u_##N(a) + u_##N(b)));                                \
    }                                                                                              \
    static uint64_t s_sub_sat_##N(uint64_t a, uint64_t b, uint64_t c)                              \
    {                                                                                              \
        return (void)c, (uint64_t)(s_fit_##N(s_##N(a) - s_##N(b)));                                \
    }                                                                                              \
    static uint64_t u_sub_sat_##N(uint64_t a, uint64_t b, uint64_t c)                              \
    {                                                                                              \
        return (void)c, (uint64_t)(u_fit_##N(u_##N(a) - u_##N(b)));                                \
    }                                                                                              \
    static uint64_t s_average_##N(uint64_t a, uint64_t b, uint64_t c)                              \
    {                                                                                              \
        return (void)c, (uint64_t)((s_##N(a) + s_##N(b)) >> 1);                                    \
    }                                                                                              \
    static uint64_t u_average_##N(uint64_t a, uint64_t b, uint64_t c)                              \
    {                                                                                              \
        return (void)c, (uint64_t)((u_##N(a) + u_##N(b)) >> 1);                                    \
    }                                                                                              \
    static uint64_t s_rounded_##N(uint64_t a, uint64_t b, uint64_t c)                              \
    {                                                                                              \
        return (void)c, (uint64_t)((s_##N(a) + s_##N(b) + 1) >> 1);                                \
    }                                                                                              \
    static uint64_t u_rounded_##N(uint64_t a, uint64_t b, uint64_t c)                              \
    {                                                                                              \
        return (void)c, (uint64_t)((u_##N(a) + u_##N(b) + 1) >> 1);                                \
    }                                                                                              \
    static uint64_t clz_##N(uint64_t a, uint64_t b, uint64_t c)                                    \
    {                                                                                              \
        uint64_t n = 0;                                                                            \
        while (n < N && !(a >> (N - 1 - n) & 1))                                                   \
            n++;                                                                                   \
        return (void)b, (void)c, n;                                                                \
    }                                                                                              \
    static uint64_t field_of_##N(uint64_t v, uint64_t offset, uint64_t count)                      \
    {                                                                                              \
        uint64_t out = 0;                                                                          \
        for (uint64_t k = 0; k < count; k++)                                                       \
            out |= (v >> (offset + k) & 1) << k;                                                   \
        return out;                                                                                \
    }                                                                                              \
    static uint64_t u_field_##N(uint64_t a, uint64_t b, uint64_t c)                                \
    {                                                                                              \
        return field_of_##N(a, b, c);                                                              \
    }                                                                                              \
    static uint64_t s_field_##N(uint64_t a, uint64_t b, uint64_t c)                                \
    {                                                                                              \
        uint64_t v = field_of_##N(a, b, c);                                                        \
        return c && v >> (c - 1) & 1 && c < 64 ? v | UINT64_MAX << c : v;                          \
    }
WIDTH(8)
WIDTH(16)
WIDTH(32)
WIDTH(64)

static uint64_t bit_select(uint64_t a, uint64_t b, uint64_t c)
{
    return (a & ~c) | (b & c);
}
static uint64_t scalar_select(uint64_t a, uint64_t b, uint64_t c)
{
    return c ? b : a;
}

#define INTEL(op, T, operands)                                                                     \
    {                                                                                              \
        op, T, T, T, T, NULL, NULL, "%r = " op "INTEL %" T " " operands "\n"                       \
    }
#define INTEGER_CASES(N, T)                                                                        \
    {{"s_abs", T, T, T, T, NULL, NULL, STD("s_abs", T, "%a")}, s_abs_##N},                         \
        {{"ctz", T, T, T, T, NULL, NULL, STD("ctz", T, "%a")}, ctz_##N},                           \
        {{"s_mad_sat", T, T, T, T, NULL, NULL, STD("s_mad_sat", T, "%a %b %c")}, s_mad_sat_##N},   \
        {{"u_mad_sat", T, T, T, T, NULL, NULL, STD("u_mad_sat", T, "%a %b %c")}, u_mad_sat_##N},   \
        {{"s_mad_hi", T, T, T, T, NULL, NULL, STD("s_mad_hi", T, "%a %b %c")}, s_mad_hi_##N},      \
        {{"u_mad_hi", T, T, T, T, NULL, NULL, STD("u_mad_hi", T, "%a %b %c")}, u_mad_hi_##N},      \
        {{"bitselect", T, T, T, T, NULL, NULL, STD("bitselect", T, "%a %b %c")}, bit_select},      \
        {{"OpBitReverse", T, T, T, T, NULL, NULL, "%r = OpBitReverse %" T " %a\n"}, reverse_##N},  \
        {{"OpIAddCarry", T, T, T, T, NULL, PAIR(T), PAIR_OF("OpIAddCarry", T)}, add_carry_##N},    \
        {{"OpISubBorrow", T, T, T, T, NULL, PAIR(T), PAIR_OF("OpISubBorrow", T)}, sub_borrow_##N}, \
        {{"OpSMulExtended", T, T, T, T, NULL, PAIR(T), PAIR_OF("OpSMulExtended", T)}, s_high_##N}, \
        {{"OpUMulExtended", T, T, T, T, NULL, PAIR(T), PAIR_OF("OpUMulExtended", T)}, u_high_##N},
#define PAIR(T)        "%pair = OpTypeStruct %" T " %" T "\n"
#define PAIR_OF(op, T) "%t0 = " op " %pair %a %b\n%r = OpCompositeExtract %" T " %t0 1\n"

static void test_integer_functions(void **state)
{
    (void)state;
    static const struct {
        instruction insn;
        reference *want;
    } cases[] = {INTEGER_CASES(8, "i8") INTEGER_CASES(16, "i16") INTEGER_CASES(32, "i32")
                     INTEGER_CASES(64, "i64")};
    table t;
    pairs(&t, integer_edges, INTEGER_EDGES);
    for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        table cut = t;
        uint32_t bits = 8 * type_bytes(cases[i].insn.a);
        for (uint32_t k = 0; k < t.count; k++) {
            cut.a[k] &= UINT64_MAX >> (64 - bits);
            cut.b[k] &= UINT64_MAX >> (64 - bits);
            cut.c[k] &= UINT64_MAX >> (64 - bits);
        }
        run(&cases[i].insn, &cut, cases[i].want, bits_equal);
    }
}

#define INTEL_CASES(N, T)                                                                          \
    {INTEL("OpUCountLeadingZeros", T, "%a"), clz_##N},                                             \
        {INTEL("OpUCountTrailingZeros", T, "%a"), ctz_##N},                                        \
        {INTEL("OpAbsISub", T, "%a %b"), s_distance_##N},                                          \
        {INTEL("OpAbsUSub", T, "%a %b"), u_distance_##N},                                          \
        {INTEL("OpIAddSat", T, "%a %b"), s_add_sat_##N},                                           \
        {INTEL("OpUAddSat", T, "%a %b"), u_add_sat_##N},                                           \
        {INTEL("OpISubSat", T, "%a %b"), s_sub_sat_##N},                                           \
        {INTEL("OpUSubSat", T, "%a %b"), u_sub_sat_##N},                                           \
        {INTEL("OpIAverage", T, "%a %b"), s_average_##N},                                          \
        {INTEL("OpUAverage", T, "%a %b"), u_average_##N},                                          \
        {INTEL("OpIAverageRounded", T, "%a %b"), s_rounded_##N},                                   \
        {INTEL("OpUAverageRounded", T, "%a %b"), u_rounded_##N},

static void test_intel_functions(void **state)
{
    (void)state;
    static const struct {
        instruction insn;
        reference *want;
    } cases[] = {INTEL_CASES(8, "i8") INTEL_CASES(16, "i16") INTEL_CASES(32, "i32")
                     INTEL_CASES(64, "i64")};
    table t;
    pairs(&t, integer_edges, INTEGER_EDGES);
    for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        table cut = t;
        uint32_t bits = 8 * type_bytes(cases[i].insn.a);
        for (uint32_t k = 0; k < t.count; k++)
            cut.a[k] &= UINT64_MAX >> (64 - bits);
        run(&cases[i].insn, &cut, cases[i].want, bits_equal);
    }
}

static uint64_t low_sum(uint64_t a, uint64_t b, uint64_t c)
{
    return (void)c, a + b;
}
static uint64_t low_product(uint64_t a, uint64_t b, uint64_t c)
{
    return (void)c, a * b;
}
static uint64_t upsampled(uint64_t a, uint64_t b, uint64_t c)
{
    return (void)c, a << 32 | (uint32_t)b;
}
static uint64_t upsampled_8(uint64_t a, uint64_t b, uint64_t c)
{
    return (void)c, (a & 0xff) << 8 | (b & 0xff);
}

#define LOW_OF(op, T) "%t0 = " op " %pair %a %b\n%r = OpCompositeExtract %" T " %t0 0\n"

static void test_mixed_functions(void **state)
{
    (void)state;
    static const struct {
        instruction insn;
        reference *want;
    } cases[] = {
        {{"low sum", "i64", "i64", "i8", "i64", NULL, PAIR("i64"), LOW_OF("OpIAddCarry", "i64")},
         low_sum},
        {{"low product", "i32", "i32", "i8", "i32", NULL, PAIR("i32"),
          LOW_OF("OpSMulExtended", "i32")},
         low_product},
        {{"u_upsample", "i32", "i32", "i8", "i64", NULL, NULL, STD("u_upsample", "i64", "%a %b")},
         upsampled},
        {{"s_upsample", "i8", "i8", "i8", "i16", NULL, NULL, STD("s_upsample", "i16", "%a %b")},
         upsampled_8},
        {{"select", "i64", "i64", "i64", "i64", NULL, NULL, STD("select", "i64", "%a %b %c")},
         scalar_select},
        {{"bitselect of halves", "h", "h", "h", "h", NULL, NULL, STD("bitselect", "h", "%a %b %c")},
         bit_select},
    };
    table t;
    pairs(&t, integer_edges, INTEGER_EDGES);
    for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        run(&cases[i].insn, &t, cases[i].want, bits_equal);
}

/* ---- Bit fields ----------------------------------------------------------------------------- */

/* The result of OpBitFieldInsert for base a and insert 0x…a5, with offset and count in b and c. */
static uint64_t inserted(uint64_t a, uint64_t b, uint64_t c)
{
    for (uint64_t k = 0; k < c; k++) {
        uint64_t bit = UINT64_C(0xc3c3c3c3c3c3c3a5) >> k & 1;
        a = (a & ~(UINT64_C(1) << (b + k))) | bit << (b + k);
    }
    return a;
}

/* Fills the table with offsets and counts of fields within a value of the given number of bits. */
static void fields(table *t, uint32_t bits)
{
    t->count = 0;
    for (uint32_t offset = 0; offset <= bits; offset += bits / 8) {
        for (uint32_t count = 0; offset + count <= bits; count += bits / 8) {
            for (uint32_t i = 0; i < 4; i++) {
                t->a[t->count] = integer_edges[i * 5 + 4] & UINT64_MAX >> (64 - bits);
                t->b[t->count] = offset;
                t->c[t->count++] = count;
            }
        }
    }
}

#define FIELD_CASES(N, T)                                                                          \
    {{"u", T, "i32", "i32", T, NULL, NULL, "%r = OpBitFieldUExtract %" T " %a %b %c\n"},           \
     N,                                                                                            \
     u_field_##N},                                                                                 \
        {{"s", T, "i32", "i32", T, NULL, NULL, "%r = OpBitFieldSExtract %" T " %a %b %c\n"},       \
         N,                                                                                        \
         s_field_##N},                                                                             \
        {{"i", T, "i32", "i32", T, NULL, "%in = OpConstant %" T " " INSERT_##N "\n",               \
          "%r = OpBitFieldInsert %" T " %a %in %b %c\n"},                                          \
         N,                                                                                        \
         inserted},
#define INSERT_8  "0xa5"
#define INSERT_16 "0xc3a5"
#define INSERT_32 "0xc3c3c3a5"
#define INSERT_64 "0xc3c3c3c3c3c3c3a5"

static void test_bit_fields(void **state)
{
    (void)state;
    static const struct {
        instruction insn;
        uint32_t bits;
        reference *want;
    } cases[] = {FIELD_CASES(8, "i8") FIELD_CASES(16, "i16") FIELD_CASES(32, "i32")
                     FIELD_CASES(64, "i64")};
    for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        table t;
        fields(&t, cases[i].bits);
        run(&cases[i].insn, &t, cases[i].want, bits_equal);
    }
}

/* ---- Half ------------------------------------------------------------------------------------ */

#define HALF_FUNCTION(name, expression)                                                            \
    static uint64_t name(uint64_t ha, uint64_t hb, uint64_t hc)                                    \
    {                                                                                              \
        long double a = value_of(ha), b = value_of(hb), c = value_of(hc);                          \
        (void)a, (void)b, (void)c;                                                                 \
        return (uint64_t)(expression);                                                             \
    }
HALF_FUNCTION(h_add, half_of(a + b))
HALF_FUNCTION(h_sub, half_of(a - b))
HALF_FUNCTION(h_mul, half_of(a *b))
HALF_FUNCTION(h_div, half_of(a / b))
HALF_FUNCTION(h_rem, half_of(fmodl(a, b)))
HALF_FUNCTION(h_mod,
              half_of(fmodl(a, b) != 0 && (a < 0) != (b < 0) ? fmodl(a, b) + b : fmodl(a, b)))
HALF_FUNCTION(h_neg, ha ^ 0x8000)
HALF_FUNCTION(h_abs, ha & 0x7fff)
HALF_FUNCTION(h_copysign, (ha & 0x7fff) | (hb & 0x8000))
HALF_FUNCTION(h_sqrt, half_of(sqrtl(a)))
HALF_FUNCTION(h_floor, half_of(floorl(a)))
HALF_FUNCTION(h_rint, half_of(rintl(a)))
HALF_FUNCTION(h_round, half_of(roundl(a)))
HALF_FUNCTION(h_exp, half_of(expl(a)))
HALF_FUNCTION(h_sin, half_of(sinl(a)))
HALF_FUNCTION(h_fmax, half_of(fmaxl(a, b)))
HALF_FUNCTION(h_mad, h_add(h_mul(ha, hb, 0), hc, 0))
HALF_FUNCTION(h_lt, a < b)
HALF_FUNCTION(h_le, a <= b)
HALF_FUNCTION(h_eq, a == b)
HALF_FUNCTION(h_unord_ne, !(a == b))
HALF_FUNCTION(h_unord_lt, !(a >= b))
HALF_FUNCTION(h_ord, !isnan(a) && !isnan(b))
HALF_FUNCTION(h_unord, isnan(a) || isnan(b))
HALF_FUNCTION(h_less_or_greater, a<b || a> b)
HALF_FUNCTION(h_is_nan, isnan(a))
HALF_FUNCTION(h_is_inf, isinf(a) != 0)
HALF_FUNCTION(h_is_finite, isfinite(a) != 0)
HALF_FUNCTION(h_is_normal, isfinite(a) && fabsl(a) >= 0x1p-14L)
HALF_FUNCTION(h_sign_bit, ha >> 15)

/* Exact for finite operands, in fixed point with units of 2^-48; otherwise as infinities and NaNs
 * require. */
static uint64_t h_fma(uint64_t ha, uint64_t hb, uint64_t hc)
{
    long double a = value_of(ha), b = value_of(hb), c = value_of(hc);
    if (!isfinite(a) || !isfinite(b) || !isfinite(c)) return half_of(a * b + c);
    big sum = (big)ldexpl(a * b, 48) + (big)ldexpl(c, 48);
    if (sum == 0) return half_of(a * b + c); /* the zero's sign */
    /* The sum is shortened to 62 bits, far more than a half has; its last bit is set if any lost
     * bit was set. */
    bool is_negative = sum < 0;
    ubig size = (ubig)(is_negative ? -sum : sum);
    int shift = 0;
    while (size >> 62) {
        size = size >> 1 | (size & 1);
        shift++;
    }
    long double number = ldexpl((long double)(uint64_t)size, shift - 48);
    return half_of(is_negative ? -number : number);
}

/* True if equal; +0 equals -0, because fmax and fmin of two zeros may return either. */
static bool values_equal(uint64_t got, uint64_t want)
{
    return value_of(got) == value_of(want) || halves_equal(got, want);
}

#define HALF_OP(op, operands)                                                                      \
    {                                                                                              \
        op, "h", "h", "h", "h", NULL, NULL, "%r = " op " %h " operands "\n"                        \
    }
#define HALF_STD(name, operands)                                                                   \
    {                                                                                              \
        name, "h", "h", "h", "h", NULL, NULL, STD(name, "h", operands)                             \
    }
#define HALF_TEST(op, operands)                                                                    \
    {                                                                                              \
        op, "h", "h", "h", "i8", NULL, NULL,                                                       \
            "%t0 = " op " %bool " operands "\n%r = OpSelect %i8 %t0 %one8 %zero8\n"                \
    }

static void test_half(void **state)
{
    (void)state;
    static const struct {
        instruction insn;
        reference *want;
    } cases[] = {
        {HALF_OP("OpFAdd", "%a %b"), h_add},
        {HALF_OP("OpFSub", "%a %b"), h_sub},
        {HALF_OP("OpFMul", "%a %b"), h_mul},
        {HALF_OP("OpFDiv", "%a %b"), h_div},
        {HALF_OP("OpFRem", "%a %b"), h_rem},
        {HALF_OP("OpFMod", "%a %b"), h_mod},
        {HALF_OP("OpFNegate", "%a"), h_neg},
        {HALF_STD("fabs", "%a"), h_abs},
        {HALF_STD("copysign", "%a %b"), h_copysign},
        {HALF_STD("sqrt", "%a"), h_sqrt},
        {HALF_STD("floor", "%a"), h_floor},
        {HALF_STD("rint", "%a"), h_rint},
        {HALF_STD("round", "%a"), h_round},
        {HALF_STD("exp", "%a"), h_exp},
        {HALF_STD("sin", "%a"), h_sin},
        {HALF_STD("fmax", "%a %b"), h_fmax},
        {HALF_STD("mad", "%a %b %c"), h_mad},
        {HALF_STD("fma", "%a %b %c"), h_fma},
        {HALF_TEST("OpFOrdLessThan", "%a %b"), h_lt},
        {HALF_TEST("OpFOrdLessThanEqual", "%a %b"), h_le},
        {HALF_TEST("OpFOrdEqual", "%a %b"), h_eq},
        {HALF_TEST("OpFUnordNotEqual", "%a %b"), h_unord_ne},
        {HALF_TEST("OpFUnordLessThan", "%a %b"), h_unord_lt},
        {HALF_TEST("OpOrdered", "%a %b"), h_ord},
        {HALF_TEST("OpUnordered", "%a %b"), h_unord},
        {HALF_TEST("OpLessOrGreater", "%a %b"), h_less_or_greater},
        {HALF_TEST("OpIsNan", "%a"), h_is_nan},
        {HALF_TEST("OpIsInf", "%a"), h_is_inf},
        {HALF_TEST("OpIsFinite", "%a"), h_is_finite},
        {HALF_TEST("OpIsNormal", "%a"), h_is_normal},
        {HALF_TEST("OpSignBitSet", "%a"), h_sign_bit},
    };
    table t;
    pairs(&t, half_edges, HALF_EDGES);
    for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bool is_half = cases[i].insn.r[0] == 'h', is_fmax = cases[i].want == h_fmax;
        run(&cases[i].insn, &t, cases[i].want,
            is_fmax   ? values_equal
            : is_half ? halves_equal
                      : bits_equal);
    }
}

/* Products of three-component vectors: with a scalar, and a dot product that rounds at every step.
 */
static uint64_t h_dot3(uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t sum = h_mul(a & 0xffff, b & 0xffff, 0);
    sum = h_add(sum, h_mul(a >> 16 & 0xffff, b >> 16 & 0xffff, 0), 0);
    return (void)c, h_add(sum, h_mul(a >> 32 & 0xffff, b >> 32 & 0xffff, 0), 0);
}
static uint64_t h_scaled3(uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t out = 0;
    for (uint32_t k = 0; k < 48; k += 16)
        out |= h_mul(a >> k & 0xffff, c, 0) << k;
    return (void)b, out;
}
static bool triple_equal(uint64_t got, uint64_t want)
{
    return half_equal((uint16_t)got, (uint16_t)want) &&
           half_equal((uint16_t)(got >> 16), (uint16_t)(want >> 16)) &&
           half_equal((uint16_t)(got >> 32), (uint16_t)(want >> 32));
}

static void test_half_vectors(void **state)
{
    (void)state;
    static const instruction dot = {"OpDot", "v3h", "v3h", "h",
                                    "h",     NULL,  NULL,  "%r = OpDot %h %a %b\n"};
    static const instruction scaled = {"OpVectorTimesScalar",
                                       "v3h",
                                       "v3h",
                                       "h",
                                       "v3h",
                                       NULL,
                                       NULL,
                                       "%r = OpVectorTimesScalar %v3h %a %c\n"};
    table t = {.count = 200};
    for (uint32_t i = 0; i < t.count; i++) {
        for (uint32_t k = 0; k < 3; k++) {
            t.a[i] |= half_edges[(i + 5 * k) % HALF_EDGES] << 16 * k;
            t.b[i] |= half_edges[(3 * i + k) % HALF_EDGES] << 16 * k;
        }
        t.c[i] = half_edges[i * 5 % HALF_EDGES];
    }
    run(&dot, &t, h_dot3, halves_equal);
    run(&scaled, &t, h_scaled3, triple_equal);
}

/* ---- Conversions ----------------------------------------------------------------------------- */

#define SATURATED "OpDecorate %rL SaturatedConversion\nOpDecorate %rU SaturatedConversion\n"
#define MODE(name)                                                                                 \
    "OpDecorate %rL FPRoundingMode " name "\nOpDecorate %rU FPRoundingMode " name "\n"
#define CONVERT(op, from, to, decorations)                                                         \
    {                                                                                              \
        op " " from " " to, from, "i8", "i8", to, decorations, NULL, "%r = " op " %" to " %a\n"    \
    }

static float float_of(uint64_t bits)
{
    sim_float_bits f = {.bits = (uint32_t)bits};
    return f.value;
}
static uint64_t float_bits(float value)
{
    sim_float_bits f = {.value = value};
    return f.bits;
}
static double double_of(uint64_t bits)
{
    sim_double_bits f = {.bits = bits};
    return f.value;
}

#define ONE_OPERAND(name, expression)                                                              \
    static uint64_t name(uint64_t a, uint64_t b, uint64_t c)                                       \
    {                                                                                              \
        (void)b, (void)c;                                                                          \
        return expression;                                                                         \
    }
static uint64_t clamped(long double v, long double least, long double most)
{
    if (isnan(v)) return 0;
    v = v < least ? least : v > most ? most : v;
    return v < 0 ? (uint64_t)(int64_t)v : (uint64_t)v;
}
ONE_OPERAND(f_s8_sat, clamped(truncl(float_of(a)), -128, 127))
ONE_OPERAND(f_u8_sat_rte, clamped(rintl(float_of(a)), 0, 255))
ONE_OPERAND(d_s64_sat_down, clamped(floorl(double_of(a)), -0x1p63L, 0x1p63L - 1))
ONE_OPERAND(d_u64_sat_up, clamped(ceill(double_of(a)), 0, 0x1p64L - 1))
ONE_OPERAND(h_s16_sat, clamped(truncl(value_of(a)), -32768, 32767))
ONE_OPERAND(h_s32_sat, clamped(truncl(value_of(a)), -0x1p31L, 0x1p31L - 1))
ONE_OPERAND(s32_s8_sat, s_fit_8(s_32(a)))
ONE_OPERAND(u32_u16_sat, u_fit_16(u_32(a)))
ONE_OPERAND(s64_u32_sat, u_fit_32(s_64(a)))
ONE_OPERAND(u64_s64_sat, s_fit_64(u_64(a)))
ONE_OPERAND(s8_u32_sat, u_fit_32(s_8(a)))
ONE_OPERAND(s8_h, half_rounded((long double)(int8_t)a, 0))
ONE_OPERAND(u32_h_down, half_rounded((long double)(uint32_t)a, 3))
ONE_OPERAND(s64_h, a ? half_rounded((long double)(int64_t)a, 0) : 0)
ONE_OPERAND(f_h_up, isnan(float_of(a)) ? 0x7e00 : half_rounded(float_of(a), 2))
ONE_OPERAND(d_h, isnan(double_of(a)) ? 0x7e00 : half_rounded(double_of(a), 0))
ONE_OPERAND(d_h_zero, isnan(double_of(a)) ? 0x7e00 : half_rounded(double_of(a), 1))
ONE_OPERAND(h_f, float_bits((float)value_of(a)))
ONE_OPERAND(same_16, a)
/* Converts an integer to float, rounding towards zero: integers above 2^24 lose their low bits. */
static uint64_t u32_f_zero(uint64_t a, uint64_t b, uint64_t c)
{
    uint32_t v = (uint32_t)a;
    if (v >> 24) v &= UINT32_MAX << (8 - __builtin_clz(v));
    return (void)b, (void)c, float_bits((float)v);
}
/* Rounds to half and flushes subnormal halves to zero. */
static uint64_t quantized(uint64_t a, uint64_t b, uint64_t c)
{
    float v = float_of(a);
    if (isnan(v)) return 0x7fc00000;
    uint16_t half = half_rounded(v, 0);
    if (!(half & 0x7c00)) half &= 0x8000;
    return (void)b, (void)c, float_bits((float)value_of(half));
}
static bool floats_equal(uint64_t got, uint64_t want)
{
    return got == want || (isnan(float_of(got)) && isnan(float_of(want)));
}

static const uint64_t number_edges[] = {0,
                                        1,
                                        0x7f,
                                        0x80,
                                        0xff,
                                        0x100,
                                        0x7fff,
                                        0x8000,
                                        0xffff,
                                        0x10000,
                                        0x7fffffff,
                                        0x80000000,
                                        0xffffffff,
                                        0x1000001,
                                        0x1000003,
                                        0x7ff1234,
                                        INT64_MAX,
                                        UINT64_C(1) << 63,
                                        UINT64_MAX,
                                        0x3c00,
                                        0xbc00,
                                        0x7bff,
                                        0xfbff,
                                        0x7c00,
                                        0xfc00,
                                        0x7e00,
                                        0x3bff,
                                        0x5bf8,
                                        0xd808,
                                        0x3f000000,
                                        0xbf000000,
                                        0x3fc00000,
                                        0x40200000,
                                        0x42fe0000,
                                        0x42ff0000,
                                        0xc3008000,
                                        0x437f8000,
                                        0x437fffff,
                                        0x477fe000,
                                        0x477ff000,
                                        0x477fefff,
                                        0x38800000,
                                        0x387fffff,
                                        0x33000000,
                                        0x33000001,
                                        0x7f800000,
                                        0xff800000,
                                        0x7fc00000,
                                        0x4f000000,
                                        0xcf000000,
                                        UINT64_C(0x3fe0000000000000),
                                        UINT64_C(0xbfe0000000000000),
                                        UINT64_C(0x4059133333333333),
                                        UINT64_C(0xc059133333333333),
                                        UINT64_C(0x43e0000000000000),
                                        UINT64_C(0xc3e0000000000000),
                                        UINT64_C(0x43f0000000000000),
                                        UINT64_C(0x7ff0000000000000),
                                        UINT64_C(0xfff0000000000000),
                                        UINT64_C(0x7ff8000000000000),
                                        UINT64_C(0x40effe0000000000),
                                        UINT64_C(0x40effdffffffffff),
                                        UINT64_C(0x3e70000000000000),
                                        UINT64_C(0x3e60000000000001),
                                        UINT64_C(0x3f0ffffffffffffe)};
#define NUMBER_EDGES (sizeof number_edges / sizeof number_edges[0])

static void test_conversions(void **state)
{
    (void)state;
    static const struct {
        instruction insn;
        reference *want;
        comparison *equal;
    } cases[] = {
        {CONVERT("OpConvertFToS", "f", "i8", SATURATED), f_s8_sat, bits_equal},
        {CONVERT("OpConvertFToU", "f", "i8", SATURATED MODE("RTE")), f_u8_sat_rte, bits_equal},
        {CONVERT("OpConvertFToS", "d", "i64", SATURATED MODE("RTN")), d_s64_sat_down, bits_equal},
        {CONVERT("OpConvertFToU", "d", "i64", SATURATED MODE("RTP")), d_u64_sat_up, bits_equal},
        {CONVERT("OpConvertFToS", "h", "i16", SATURATED), h_s16_sat, bits_equal},
        {CONVERT("OpConvertFToS", "h", "i32", SATURATED MODE("RTZ")), h_s32_sat, bits_equal},
        {CONVERT("OpSConvert", "i32", "i8", SATURATED), s32_s8_sat, bits_equal},
        {CONVERT("OpUConvert", "i32", "i16", SATURATED), u32_u16_sat, bits_equal},
        {CONVERT("OpSatConvertSToU", "i64", "i32", NULL), s64_u32_sat, bits_equal},
        {CONVERT("OpSatConvertUToS", "i64", "i64", NULL), u64_s64_sat, bits_equal},
        {CONVERT("OpSatConvertSToU", "i8", "i32", NULL), s8_u32_sat, bits_equal},
        {CONVERT("OpConvertSToF", "i8", "h", NULL), s8_h, halves_equal},
        {CONVERT("OpConvertUToF", "i32", "h", MODE("RTN")), u32_h_down, halves_equal},
        {CONVERT("OpConvertSToF", "i64", "h", NULL), s64_h, halves_equal},
        {CONVERT("OpConvertUToF", "i32", "f", MODE("RTZ")), u32_f_zero, bits_equal},
        {CONVERT("OpFConvert", "f", "h", MODE("RTP")), f_h_up, halves_equal},
        {CONVERT("OpFConvert", "d", "h", NULL), d_h, halves_equal},
        {CONVERT("OpFConvert", "d", "h", MODE("RTZ")), d_h_zero, halves_equal},
        {CONVERT("OpFConvert", "h", "f", NULL), h_f, floats_equal},
        {CONVERT("OpQuantizeToF16", "f", "f", NULL), quantized, floats_equal},
        {CONVERT("OpBitcast", "h", "i16", NULL), same_16, bits_equal},
    };
    table t = {.count = NUMBER_EDGES};
    memcpy(t.a, number_edges, sizeof number_edges);
    for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        table cut = t;
        uint32_t bits = 8 * type_bytes(cases[i].insn.a);
        for (uint32_t k = 0; k < t.count; k++)
            cut.a[k] &= UINT64_MAX >> (64 - bits);
        run(&cases[i].insn, &cut, cases[i].want, cases[i].equal);
    }
}

/* Hints return their operand. */
static void test_hints(void **state)
{
    (void)state;
    static const instruction cases[] = {
        {"OpExpectKHR", "i16", "i16", "i16", "i16", NULL, NULL, "%r = OpExpectKHR %i16 %a %b\n"},
        {"OpAssumeTrueKHR", "i16", "i16", "i16", "i16", NULL, NULL,
         "%t0 = OpIEqual %bool %a %a\nOpAssumeTrueKHR %t0\n%r = OpCopyObject %i16 %a\n"},
    };
    table t;
    pairs(&t, half_edges, HALF_EDGES);
    for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        run(&cases[i], &t, same_16, bits_equal);
}

/* SPIRV-Tools does not know the instruction yet; it has the form of OpCopyObject. */
static void test_arithmetic_fence(void **state)
{
    (void)state;
    static char text[16384], whole[sizeof text + 32];
    static const instruction insn = {"fence", "h",  "h",  "h",
                                     "h",     NULL, NULL, "%r = OpCopyObject %h %a\n"};
    module_text(text, sizeof text, &insn);
    snprintf(whole, sizeof whole, "OpCapability !6144\n%s", text);
    rt_bytes code = sim_test_assemble(whole);
    uint32_t *words = (uint32_t *)(void *)code.data, changed = 0;
    for (size_t at = 5; at < code.size / 4; at += words[at] >> 16) {
        if ((words[at] & 0xffff) != SIM_OpCopyObject) continue;
        words[at] = (words[at] & 0xffff0000) | SIM_OpArithmeticFenceEXT;
        changed++;
    }
    assert_int_equal(changed, 2);
    rt_sink *sink = rt_sink_create();
    sim_module *module = NULL;
    assert_true(rt_ok(sim_module_create(sink, code, NULL, 0, &module)));
    rt_free(words);
    harness h = harness_link(sink, &module, 1, sim_engine_best());
    static const uint16_t in[4] = {0x3c00, 0x8001, 0x7c00, 0x1234};
    uint16_t out[4];
    sim_object to = harness_memory(&h, "out", NULL, sizeof out);
    sim_object from = harness_memory(&h, "in", in, sizeof in);
    sim_argument arguments[] = {harness_global(from), harness_global(from), harness_global(from),
                                harness_global(to)};
    harness_run(&h, "lanes", harness_range(4, 4), arguments, 4);
    harness_read_back(&h, to, out, sizeof out);
    assert_memory_equal(in, out, sizeof out);
    harness_close(&h);
}

/* Operations on specialisation constants obey their decorations too. */
static void test_constant_conversions(void **state)
{
    (void)state;
    static const instruction insn = {
        "constant",
        "i16",
        "i16",
        "i16",
        "i16",
        "OpDecorate %sat SaturatedConversion\n",
        "%k = OpSpecConstant %i32 70000\n%sat = OpSpecConstantOp %i16 UConvert %k\n",
        "%r = OpCopyObject %i16 %sat\n"};
    static char text[16384];
    module_text(text, sizeof text, &insn);
    harness h = harness_text(text);
    uint16_t out[2], in[2] = {0};
    sim_object to = harness_memory(&h, "out", in, sizeof in);
    sim_argument arguments[] = {harness_global(to), harness_global(to), harness_global(to),
                                harness_global(to)};
    harness_run(&h, "lanes", harness_range(2, 2), arguments, 4);
    harness_read_back(&h, to, out, sizeof out);
    assert_int_equal(out[1], 65535);
    harness_close(&h);
    instruction wrong = insn;
    wrong.declarations =
        "%k = OpSpecConstant %i32 70000\n%sat = OpSpecConstantOp %i32 SNegate %k\n";
    wrong.body = "%r = OpCopyObject %i16 %a\n";
    module_text(text, sizeof text, &wrong);
    sim_test_refused(text, RT_MALFORMED, "decorates something other than a conversion");
}

/* ---- Dot products ---------------------------------------------------------------------------- */

static uint64_t dot4(uint64_t a, uint64_t b, bool first_signed, bool second_signed)
{
    int64_t sum = 0;
    for (uint32_t k = 0; k < 32; k += 8) {
        int64_t x = first_signed ? (int8_t)(a >> k) : (uint8_t)(a >> k);
        int64_t y = second_signed ? (int8_t)(b >> k) : (uint8_t)(b >> k);
        sum += x * y;
    }
    return (uint64_t)sum;
}
static uint64_t s_dot(uint64_t a, uint64_t b, uint64_t c)
{
    return (void)c, dot4(a, b, true, true);
}
static uint64_t u_dot(uint64_t a, uint64_t b, uint64_t c)
{
    return (void)c, dot4(a, b, false, false);
}
static uint64_t su_dot(uint64_t a, uint64_t b, uint64_t c)
{
    return (void)c, dot4(a, b, true, false);
}
static uint64_t s_dot_sat(uint64_t a, uint64_t b, uint64_t c)
{
    return s_fit_32((int64_t)dot4(a, b, true, true) + s_32(c));
}
static uint64_t u_dot_sat(uint64_t a, uint64_t b, uint64_t c)
{
    return u_fit_32((int64_t)dot4(a, b, false, false) + u_32(c));
}
static uint64_t su_dot_sat(uint64_t a, uint64_t b, uint64_t c)
{
    return s_fit_32((int64_t)dot4(a, b, true, false) + s_32(c));
}
static uint64_t s_dot2(uint64_t a, uint64_t b, uint64_t c)
{
    int64_t low = (int64_t)(int16_t)a * (int16_t)b;
    return (void)c, (uint64_t)(low + (int64_t)(int16_t)(a >> 16) * (int16_t)(b >> 16));
}

/* Only the low half of the second operand is used. */
static uint64_t s_mul_16(uint64_t a, uint64_t b, uint64_t c)
{
    return (void)c, (uint64_t)((int64_t)(int32_t)a * (int16_t)b);
}
static uint64_t u_mul_16(uint64_t a, uint64_t b, uint64_t c)
{
    return (void)c, (a & UINT32_MAX) * (b & 0xffff);
}

#define PACKED " PackedVectorFormat4x8Bit"
#define DOT(op, from, to, rest)                                                                    \
    {                                                                                              \
        op, from, from, "i32", to, NULL, NULL, "%r = " op " %" to " %a %b" rest "\n"               \
    }

static void test_integer_dot(void **state)
{
    (void)state;
    static const struct {
        instruction insn;
        reference *want;
    } cases[] = {
        {DOT("OpSDot", "v4i8", "i32", ""), s_dot},
        {DOT("OpSDot", "v4i8", "i8", ""), s_dot},
        {DOT("OpUDot", "v4i8", "i16", ""), u_dot},
        {DOT("OpSUDot", "v4i8", "i64", ""), su_dot},
        {DOT("OpSDot", "i32", "i32", PACKED), s_dot},
        {DOT("OpUDot", "i32", "i32", PACKED), u_dot},
        {DOT("OpSUDot", "i32", "i32", PACKED), su_dot},
        {DOT("OpSDotAccSat", "v4i8", "i32", " %c"), s_dot_sat},
        {DOT("OpUDotAccSat", "i32", "i32", " %c" PACKED), u_dot_sat},
        {DOT("OpSUDotAccSat", "v4i8", "i32", " %c"), su_dot_sat},
        {DOT("OpSDot", "v2i16", "i64", ""), s_dot2},
        {DOT("OpIMul32x16INTEL", "i32", "i32", ""), s_mul_16},
        {DOT("OpUMul32x16INTEL", "i32", "i32", ""), u_mul_16},
    };
    static const uint64_t edges[] = {0,          0x7f7f7f7f, 0x80808080, 0xffffffff, 0x01020304,
                                     0x80017f02, 0x7fffffff, 0x80000000, 0xfffffff0, 0x7fff8000};
    table t;
    pairs(&t, edges, sizeof edges / sizeof edges[0]);
    for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        run(&cases[i].insn, &t, cases[i].want, bits_equal);
}

/* ---- Shuffles and vectors in memory ---------------------------------------------------------- */

/* The low bits of c's bytes select bytes of a or, in shuffled2, of a followed by b. */
static uint64_t shuffled(uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t out = 0;
    for (uint32_t k = 0; k < 32; k += 8)
        out |= (a >> 8 * (c >> k & 3) & 0xff) << k;
    return (void)b, out;
}
static uint64_t shuffled2(uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t out = 0;
    for (uint32_t k = 0; k < 32; k += 8) {
        uint64_t index = c >> k & 7;
        out |= ((index < 4 ? a : b) >> 8 * (index & 3) & 0xff) << k;
    }
    return out;
}
/* The top bit of each byte of c selects b's byte. */
static uint64_t lanes_selected(uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t out = 0;
    for (uint32_t k = 0; k < 32; k += 8)
        out |= ((c >> k & 0x80 ? b : a) >> k & 0xff) << k;
    return out;
}
/* Byte number b of a. */
static uint64_t extracted(uint64_t a, uint64_t b, uint64_t c)
{
    return (void)c, a >> 8 * b & 0xff;
}
static uint64_t inserted_byte(uint64_t a, uint64_t b, uint64_t c)
{
    return (a & ~(UINT64_C(0xff) << 8 * b)) | (c & 0xff) << 8 * b;
}

static uint64_t picked(uint64_t a, uint64_t b, uint64_t c)
{
    return (void)c, (a & 0xff0000ff) | (b >> 8 & 0xff) << 16;
}
static bool equal_but_for_one(uint64_t got, uint64_t want)
{
    return ((got ^ want) & 0xffff00ff) == 0;
}

static void test_shuffles(void **state)
{
    (void)state;
    static const struct {
        instruction insn;
        reference *want;
    } cases[] = {
        {{"shuffle", "v4i8", "v4i8", "v4i8", "v4i8", NULL, NULL, STD("shuffle", "v4i8", "%a %c")},
         shuffled},
        {{"shuffle2", "v4i8", "v4i8", "v4i8", "v4i8", NULL, NULL,
          STD("shuffle2", "v4i8", "%a %b %c")},
         shuffled2},
        {{"select", "v4i8", "v4i8", "v4i8", "v4i8", NULL, NULL, STD("select", "v4i8", "%a %b %c")},
         lanes_selected},
    };
    table t;
    pairs(&t, integer_edges, INTEGER_EDGES);
    for (uint32_t i = 0; i < t.count; i++)
        t.c[i] ^= UINT64_C(0x83020701) * (i % 5);
    for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        run(&cases[i].insn, &t, cases[i].want, bits_equal);
    /* Component 1 is undefined and may hold any value. */
    static const instruction fixed = {"OpVectorShuffle",
                                      "v4i8",
                                      "v4i8",
                                      "i8",
                                      "v4i8",
                                      NULL,
                                      NULL,
                                      "%r = OpVectorShuffle %v4i8 %a %b 0 0xFFFFFFFF 5 3\n"};
    run(&fixed, &t, picked, equal_but_for_one);
    static const instruction dynamic[] = {{"extract", "v4i8", "i32", "i8", "i8", NULL, NULL,
                                           "%r = OpVectorExtractDynamic %i8 %a %b\n"},
                                          {"insert", "v4i8", "i64", "i8", "v4i8", NULL, NULL,
                                           "%r = OpVectorInsertDynamic %v4i8 %a %c %b\n"}};
    for (uint32_t i = 0; i < t.count; i++) {
        t.a[i] &= UINT32_MAX;
        t.b[i] = i % 4;
    }
    run(&dynamic[0], &t, extracted, bits_equal);
    run(&dynamic[1], &t, inserted_byte, bits_equal);
}

#define VECTOR_MEMORY(name, a, r, declarations, body)                                              \
    {                                                                                              \
        name, a, "i8", "i8", r, NULL, declarations, body                                           \
    }

static void test_vectors_in_memory(void **state)
{
    (void)state;
    static const instruction copy3 =
        VECTOR_MEMORY("vloadn, vstoren", "i16", "i16", "",
                      "%t0 = OpExtInst %v3i16 %std vloadn %x@ %pa 3\n"
                      "%t1 = OpExtInst %void %std vstoren %t0 %x@ %pr\n");
    static char types[] = "%v3i16 = OpTypeVector %i16 3\n";
    instruction insn = copy3;
    insn.declarations = types;
    uint16_t in[12], out[12];
    for (uint16_t i = 0; i < 12; i++)
        in[i] = (uint16_t)(i * 1111);
    run_memory(&insn, in, sizeof in, out, sizeof out, 4);
    assert_memory_equal(in, out, sizeof in);

    /* Halves are loaded as floats, doubled and stored; three-component vectors are three or,
     * aligned, four elements apart. */
    static const instruction twice =
        VECTOR_MEMORY("vload_halfn", "h", "h", NULL,
                      "%t0 = OpExtInst %v3f %std vload_halfn %x@ %pa 3\n"
                      "%t1 = OpFAdd %v3f %t0 %t0\n"
                      "%t2 = OpExtInst %void %std vstorea_halfn %t1 %x@ %pr\n");
    uint16_t halves[6] = {0x3c00, 0x4000, 0x7bff, 1, 0x8001, 0xbc00}, wide[8];
    run_memory(&twice, halves, sizeof halves, wide, sizeof wide, 2);
    static const uint16_t doubled[8] = {0x4000, 0x4400, 0x7c00, 0, 2, 0x8002, 0xc000, 0};
    assert_memory_equal(doubled, wide, sizeof doubled);
    static const instruction aligned =
        VECTOR_MEMORY("vloada_halfn", "h", "h", NULL,
                      "%t0 = OpExtInst %v3f %std vloada_halfn %x@ %pa 3\n"
                      "%t1 = OpExtInst %void %std vstore_halfn %t0 %x@ %pr\n");
    static const uint16_t packed[6] = {0x4000, 0x4400, 0x7c00, 2, 0x8002, 0xc000};
    run_memory(&aligned, doubled, sizeof doubled, halves, sizeof halves, 2);
    assert_memory_equal(packed, halves, sizeof packed);
}

static void test_half_stores(void **state)
{
    (void)state;
    /* 1 + 2^-11, 65520 and 2^-25 are midpoints between two halves, -(1 + 2^-12) is not; there is no
     * NaN. */
    static const double in[6] = {1 + 0x1p-11, 65520, -(1 + 0x1p-12), 0x1p-25, -0x1p-25, 65504};
    static const uint16_t want[4][6] = {{0x3c00, 0x7c00, 0xbc00, 0, 0x8000, 0x7bff},
                                        {0x3c00, 0x7bff, 0xbc00, 0, 0x8000, 0x7bff},
                                        {0x3c01, 0x7c00, 0xbc00, 1, 0x8000, 0x7bff},
                                        {0x3c00, 0x7bff, 0xbc01, 0, 0x8001, 0x7bff}};
    static const char *const modes[] = {"RTE", "RTZ", "RTP", "RTN"};
    for (uint32_t mode = 0; mode < 4; mode++) {
        char body[512];
        uint16_t out[6];
        snprintf(body, sizeof body,
                 "%%t0 = OpExtInst %%void %%std vstore_half_r %%a %%x@ %%pr %s\n", modes[mode]);
        instruction insn = VECTOR_MEMORY("vstore_half_r", "d", "h", NULL, body);
        run_memory(&insn, in, sizeof in, out, sizeof out, 6);
        assert_memory_equal(want[mode], out, sizeof out);
        /* The same from vectors of floats, which hold these values exactly. */
        snprintf(body, sizeof body,
                 "%%t0 = OpFConvert %%f %%a\n%%t1 = OpCompositeConstruct %%v2f %%t0 %%t0\n"
                 "%%t2 = OpExtInst %%void %%std vstore_halfn_r %%t1 %%x@ %%pr %s\n",
                 modes[mode]);
        uint16_t two[12];
        run_memory(&insn, in, sizeof in, two, sizeof two, 6);
        for (uint32_t i = 0; i < 12; i++)
            assert_int_equal(two[i], want[mode][i / 2]);
    }
    /* A single half, loaded as a double and stored without a rounding mode. */
    static const instruction insn =
        VECTOR_MEMORY("vstore_half", "h", "h", NULL,
                      "%t0 = OpExtInst %d %std vload_half %x@ %pa\n%t1 = OpFMul %d %t0 %t0\n"
                      "%t2 = OpExtInst %void %std vstore_half %t1 %x@ %pr\n"
                      "%t3 = OpExtInst %void %std prefetch %pa %x@\n");
    static const uint16_t roots[4] = {0x4000, 0x3c01, 0x0c00, 0x7800},
                          squares[4] = {0x4400, 0x3c02, 1, 0x7c00};
    uint16_t out[4];
    run_memory(&insn, roots, sizeof roots, out, sizeof out, 4);
    assert_memory_equal(squares, out, sizeof out);
}

/* ---- Findings ------------------------------------------------------------------------------- */

static void expect_found(const instruction *insn, uint64_t a, uint64_t b, uint64_t c,
                         const char *message)
{
    static char text[16384];
    module_text(text, sizeof text, insn);
    for (uint32_t uniform = 0; uniform < 2; uniform++) {
        harness h = harness_text(text);
        uint64_t none[4] = {0};
        sim_argument arguments[] = {harness_global(fill(&h, &a, 1, type_bytes(insn->a))),
                                    harness_global(fill(&h, &b, 1, type_bytes(insn->b))),
                                    harness_global(fill(&h, &c, 1, type_bytes(insn->c))),
                                    harness_global(harness_memory(&h, "out", none, 32))};
        harness_try(&h, uniform ? "uniform" : "lanes", harness_range(1, 1), arguments, 4);
        assert_true(rt_ok(h.status));
        assert_int_equal(h.finding_count, 1);
        assert_int_equal(h.findings[0].count, 1);
        assert_true(strstr(h.findings[0].message.data, message));
        harness_close(&h);
    }
}

/* A product or sum that overflows the type before the last addition is reported; the last addition
 * saturates. */
static void test_dot_overflow(void **state)
{
    (void)state;
    static const struct {
        instruction insn;
        uint64_t a, b, c, want;
        bool is_found;
    } cases[] = {
        /* 100 * 1 + 27 * 1 is the largest byte; with 28 it overflows. */
        {DOT("OpSDotAccSat", "v2i8", "i8", " %c"), 0x1b64, 0x0101, 0, 127, false},
        {DOT("OpSDotAccSat", "v2i8", "i8", " %c"), 0x1b64, 0x0101, 5, 127, false},
        {DOT("OpSDotAccSat", "v2i8", "i8", " %c"), 0x1c64, 0x0101, 0, 0, true},
        /* -64 * 2 is the smallest byte; -65 * 2 overflows. */
        {DOT("OpSDotAccSat", "v2i8", "i8", " %c"), 0x00c0, 0x0002, 0, 0x80, false},
        {DOT("OpSDotAccSat", "v2i8", "i8", " %c"), 0x00bf, 0x0002, 0, 0, true},
        {DOT("OpUDotAccSat", "v2i8", "i8", " %c"), 0x0180, 0x7f01, 3, 255, false},
        {DOT("OpUDotAccSat", "v2i8", "i8", " %c"), 0x0180, 0x8001, 0, 0, true},
        {DOT("OpUDotAccSat", "v2i8", "i8", " %c"), 0x0080, 0x0002, 0, 0, true},
        /* -1 * 128 fits; -1 * 129 and 1 * 128 do not. */
        {DOT("OpSUDotAccSat", "v2i8", "i8", " %c"), 0x00ff, 0x0080, 1, 0x81, false},
        {DOT("OpSUDotAccSat", "v2i8", "i8", " %c"), 0x00ff, 0x0081, 0, 0, true},
        {DOT("OpSUDotAccSat", "v2i8", "i8", " %c"), 0x0001, 0x0080, 0, 0, true},
        {DOT("OpSDotAccSat", "v2i32", "i32", " %c"), 0x100007fff, 0x100010000, 0, 0x7fff0001,
         false},
        {DOT("OpSDotAccSat", "v2i32", "i32", " %c"), 0x100008000, 0x100010000, 0, 0, true},
    };
    for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        instruction insn = cases[i].insn;
        if (insn.r[1] == '8') insn.c = "i8";
        if (cases[i].is_found) {
            expect_found(&insn, cases[i].a, cases[i].b, cases[i].c, "sum of products");
            continue;
        }
        uint8_t out[8] = {0}, in[16] = {0};
        static char text[16384];
        module_text(text, sizeof text, &insn);
        harness h = harness_text(text);
        sim_object to = harness_memory(&h, "out", in, sizeof in);
        sim_argument arguments[] = {harness_global(fill(&h, &cases[i].a, 1, 8)),
                                    harness_global(fill(&h, &cases[i].b, 1, 8)),
                                    harness_global(fill(&h, &cases[i].c, 1, 8)),
                                    harness_global(to)};
        harness_run(&h, "lanes", harness_range(1, 1), arguments, 4);
        harness_read_back(&h, to, out, type_bytes(insn.r));
        assert_memory_equal(out, &cases[i].want, type_bytes(insn.r));
        harness_close(&h);
    }
}

static void test_findings(void **state)
{
    (void)state;
    static const instruction field = {
        "f", "i32", "i32", "i64", "i32", NULL, NULL, "%r = OpBitFieldUExtract %i32 %a %b %c\n"};
    static const instruction insert = {
        "i", "i8", "i32", "i64", "i8", NULL, NULL, "%r = OpBitFieldInsert %i8 %a %a %b %c\n"};
    static const char not_in[] = "bit field that extends beyond the value, by work-item (0, 0, 0)";
    expect_found(&field, 1, 0, 33, not_in);
    expect_found(&field, 1, 32, 1, not_in);
    expect_found(&field, 1, 16, 17, not_in);
    expect_found(&field, 1, 0xffffffff, 1, not_in);
    expect_found(&field, 1, 0, UINT64_C(1) << 32, not_in);
    expect_found(&insert, 1, 7, 2, not_in);
    expect_found(&insert, 1, 0x100, 0, not_in);
    static const instruction shift = {"s",  "i8", "i32", "i8",
                                      "i8", NULL, NULL,  "%r = OpShiftLeftLogical %i8 %a %b\n"};
    expect_found(&shift, 1, 256, 0, "shift by the width of the value or more");
    static const instruction extract = {
        "e", "v4i8", "i32", "i8", "i8", NULL, NULL, "%r = OpVectorExtractDynamic %i8 %a %b\n"};
    static const instruction into = {
        "n",    "v4i8", "i64", "i8",
        "v4i8", NULL,   NULL,  "%r = OpVectorInsertDynamic %v4i8 %a %c %b\n"};
    expect_found(&extract, 1, 4, 0, "index of a component that the vector does not have");
    expect_found(&into, 1, UINT64_MAX, 0, "index of a component that the vector does not have");
    static const char cannot[] = "conversion to an integer type that cannot hold the value";
    static const instruction half = CONVERT("OpConvertFToS", "h", "i8", NULL);
    static const instruction rounded = CONVERT("OpConvertFToU", "f", "i8", MODE("RTE"));
    expect_found(&half, 0x5800, 0, 0, cannot);                /* 128 */
    expect_found(&half, 0x7e00, 0, 0, cannot);                /* NaN */
    expect_found(&rounded, float_bits(255.5f), 0, 0, cannot); /* 256 */
    expect_found(&rounded, float_bits(-0.75f), 0, 0, cannot);
    static const instruction aligned = {
        "l",
        "i8",
        "i8",
        "h",
        "h",
        NULL,
        NULL,
        "%t0 = OpInBoundsPtrAccessChain %ptc %pc %one64\n"
        "%t1 = OpExtInst %v2f %std vloada_halfn %n0 %t0 2\n"
        "%t2 = OpCompositeExtract %f %t1 0\n%r = OpFConvert %h %t2\n"};
    static char text[16384];
    module_text(text, sizeof text, &aligned);
    harness h = harness_text(text);
    uint64_t data[4] = {0};
    sim_argument arguments[4];
    for (uint32_t i = 0; i < 4; i++)
        arguments[i] = harness_global(harness_memory(&h, "m", data, sizeof data));
    harness_try(&h, "lanes", harness_range(1, 1), arguments, 4);
    assert_int_equal(h.finding_count, 1);
    assert_string_equal(h.findings[0].kind, "misaligned");
    harness_close(&h);
}

/* A value that is computed speculatively and not used is not a finding. */
static void test_dropped(void **state)
{
    (void)state;
    static const instruction dropped = {
        "e",
        "v4i8",
        "i32",
        "i8",
        "i8",
        NULL,
        "%four = OpConstant %i32 4\n",
        "%t0 = OpVectorExtractDynamic %i8 %a %b\n%t1 = OpULessThan %bool %b %four\n"
        "%r = OpSelect %i8 %t1 %t0 %c\n"};
    table t = {.count = 8};
    for (uint32_t i = 0; i < 8; i++) {
        t.a[i] = 0x04030201;
        t.b[i] = i % 4;
        t.c[i] = i % 4 + 1;
    }
    static char text[16384];
    module_text(text, sizeof text, &dropped);
    harness h = harness_text(text);
    uint8_t out[8];
    for (uint32_t i = 4; i < 8; i++)
        t.b[i] = i * 100;
    sim_object to = harness_memory(&h, "out", NULL, 8);
    sim_argument arguments[] = {harness_global(fill(&h, t.a, 8, 4)),
                                harness_global(fill(&h, t.b, 8, 4)),
                                harness_global(fill(&h, t.c, 8, 1)), harness_global(to)};
    harness_run(&h, "lanes", harness_range(8, 8), arguments, 4);
    harness_read_back(&h, to, out, 8);
    for (uint32_t i = 0; i < 8; i++)
        assert_int_equal(out[i], i % 4 + 1);
    harness_close(&h);
}

/* ---- Refused modules ------------------------------------------------------------------------ */

static void test_refused(void **state)
{
    (void)state;
    static const struct {
        const char *body, *decorations, *words;
    } cases[] = {
        {"%t0 = OpExtInst %v3f %std vload_halfn %x@ %pb 4\n", NULL, "4 components are requested"},
        {"%t0 = OpExtInst %v3f %std vload_half %x@ %pb\n", NULL, "the value is a vector"},
        {"%t0 = OpExtInst %f %std vload_halfn %x@ %pb 1\n", NULL, "the value is not a vector"},
        {"%t0 = OpExtInst %f %std vload_half %x@ %pa\n", NULL,
         "does not point to the type that is loaded"},
        {"%t0 = OpExtInst %v3h %std vload_halfn %x@ %pb 3\n", NULL, "does not point to the type"},
        {"%t0 = OpExtInst %v2f %std vloadn %x@ %pb 2\n", NULL,
         "does not point to the type that is loaded"},
        {"%t0 = OpExtInst %i8 %std vstore_half %c %x@ %pb\n", NULL, "a store has no result"},
        {"%t0 = OpExtInst %void %std vstore_half %a %x@ %pb\n", NULL, "does not point to the type"},
        {"%t0 = OpExtInst %v2i32 %std shuffle %v3 %m2\n", NULL, "three-component vectors"},
        {"%t0 = OpExtInst %v4i32 %std shuffle %v4 %m2\n", NULL, "the mask is not a vector"},
        {"%t0 = OpExtInst %v2i32 %std shuffle2 %v4 %m2 %m2\n", NULL, "different types"},
        {"%t0 = OpExtInst %i64 %std u_upsample %a %x@\n", NULL, "must have the type"},
        {"%t0 = OpExtInst %i32 %std u_upsample %a %a\n", NULL, "not twice as wide"},
        {"%t0 = OpExtInst %f %std select %c %c %x@\n", NULL, "the selector differs in width"},
        {"%t0 = OpIAddCarry %v2i32 %a %a\n", NULL, "the result must have a type"},
        {"%t0 = OpIAddCarry %wrong %a %a\n", NULL, "not a struct of two members"},
        {"%t0 = OpSDot %i32 %a %a\n", NULL, "neither vectors nor"},
        {"%t0 = OpSDot %i32 %v4 %v4 PackedVectorFormat4x8Bit\n", NULL, "neither vectors nor"},
        {"%t0 = OpSDot %i8 %v4 %v4\n", NULL, "narrower than the components"},
        {"%t0 = OpSDotAccSat %i64 %v4 %v4 %a\n", NULL, "differs in type from the result"},
        {"%t0 = OpQuantizeToF16 %h %b\n", NULL, "not 32 bits wide"},
        {"%t0 = OpFAdd %f %c %c\n", "OpDecorate %t0L SaturatedConversion\n",
         "decorates something other than a conversion"},
        {"%t0 = OpBitFieldUExtract %f %c %a %a\n", NULL, "must be integers"},
        {"%t0 = OpFAdd %h %b %c\n", NULL, "must have the type of the result"},
    };
    for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        static char text[16384];
        instruction insn = {"refused",
                            "i32",
                            "h",
                            "f",
                            "i32",
                            cases[i].decorations,
                            "%wrong = OpTypeStruct %i32 %i64\n%v3 = OpConstantNull %v3i32\n"
                            "%v4 = OpConstantNull %v4i32\n%m2 = OpConstantNull %v2i32\n",
                            cases[i].body};
        module_text(text, sizeof text, &insn);
        sim_test_refused(text, RT_MALFORMED, cases[i].words);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_integer_functions),
        cmocka_unit_test(test_intel_functions),
        cmocka_unit_test(test_mixed_functions),
        cmocka_unit_test(test_bit_fields),
        cmocka_unit_test(test_half),
        cmocka_unit_test(test_half_vectors),
        cmocka_unit_test(test_conversions),
        cmocka_unit_test(test_constant_conversions),
        cmocka_unit_test(test_hints),
        cmocka_unit_test(test_arithmetic_fence),
        cmocka_unit_test(test_integer_dot),
        cmocka_unit_test(test_shuffles),
        cmocka_unit_test(test_vectors_in_memory),
        cmocka_unit_test(test_half_stores),
        cmocka_unit_test(test_findings),
        cmocka_unit_test(test_dropped),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_dot_overflow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
