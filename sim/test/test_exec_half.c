/* Tests of half in combination with other types: functions of OpenCL.std with integers, with second
 * results, over whole vectors; sums and votes of groups; atomics.  Operations on halves alone are
 * in test_exec_rare.c.  Expected values are computed in long double and rounded by search among all
 * halves. */
#include "sim/test/one_instruction.h"

#include <limits.h>

/* ---- Functions with integers ----------------------------------------------------------------- */

#define FUNCTION(name, expression)                                                                 \
    static uint64_t name(uint64_t ha, uint64_t hb, uint64_t hc)                                    \
    {                                                                                              \
        long double a = value_of(ha), b = value_of(hb);                                            \
        int32_t n = (int32_t)(uint32_t)hb;                                                         \
        (void)a, (void)b, (void)n, (void)hc;                                                       \
        return (uint64_t)(expression);                                                             \
    }

/* The n-th root; NaN if n is 0, or if n is even and the number negative. */
static long double root(long double a, int32_t n)
{
    bool is_odd = n % 2 != 0;
    if (n == 0 || (a < 0 && !is_odd)) return NAN;
    long double size = powl(fabsl(a), 1.0L / n);
    return is_odd && signbit(a) ? -size : size;
}

FUNCTION(f_ldexp, half_of(ldexpl(a, n)))
FUNCTION(f_pown, half_of(powl(a, n)))
FUNCTION(f_rootn, half_of(root(a, n)))
FUNCTION(f_ilogb, isnan(a)   ? INT_MAX
                  : isinf(a) ? INT_MAX
                  : a == 0   ? (uint64_t)(uint32_t)INT_MIN
                             : (uint64_t)(uint32_t)ilogbl(a))
FUNCTION(f_nan, 0x7e00 | (ha & 0x1ff))

static const uint64_t counts[] = {0,          1,          2,          3,          5,
                                  15,         24,         30,         1000,       INT_MAX,
                                  0x80000000, UINT32_MAX, 0xfffffffe, 0xfffffff1, 0xffffffe2};
#define COUNTS (sizeof counts / sizeof counts[0])

#define BY_INTEGER(name)                                                                           \
    {                                                                                              \
        name, "h", "i32", "i8", "h", NULL, NULL, STD(name, "h", "%a %b")                           \
    }

static void test_integers(void **state)
{
    (void)state;
    static const struct {
        instruction insn;
        reference *want;
        comparison *equal;
    } cases[] = {
        {BY_INTEGER("ldexp"), f_ldexp, halves_equal},
        {BY_INTEGER("pown"), f_pown, halves_equal},
        {BY_INTEGER("rootn"), f_rootn, halves_equal},
        {{"ilogb", "h", "i32", "i8", "i32", NULL, NULL, STD("ilogb", "i32", "%a")},
         f_ilogb,
         bits_equal},
        {{"nan", "i16", "i32", "i8", "h", NULL, NULL, STD("nan", "h", "%a")}, f_nan, bits_equal},
    };
    table t = {.count = HALF_EDGES * COUNTS};
    for (uint32_t i = 0; i < t.count; i++) {
        t.a[i] = half_edges[i / COUNTS];
        t.b[i] = counts[i % COUNTS];
    }
    for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        run(&cases[i].insn, &t, cases[i].want, cases[i].equal);
}

/* ---- Powers and neighbours ------------------------------------------------------------------- */

/* Maps halves to integers in the same order. */
static int32_t place_of(uint64_t half)
{
    int32_t size = (int32_t)(half & 0x7fff);
    return half & 0x8000 ? -size : size;
}

static uint64_t f_nextafter(uint64_t a, uint64_t b, uint64_t c)
{
    int32_t from = place_of(a), to = place_of(b);
    (void)c;
    if (half_is_nan((uint16_t)a) || half_is_nan((uint16_t)b)) return 0x7e00;
    if (from == to) return b;
    int32_t next = from < to ? from + 1 : from - 1;
    if (next == 0) return a & 0x8000;
    return next < 0 ? 0x8000u | (uint32_t)-next : (uint32_t)next;
}

/* powr is defined only for bases >= 0, and not where the limit of the power does not exist. */
static long double powr_of(long double a, long double b)
{
    if (isnan(a) || isnan(b) || a < 0 || (a == 0 && b == 0)) return NAN;
    if ((isinf(a) && b == 0) || (a == 1 && isinf(b))) return NAN;
    return powl(fabsl(a), b);
}

FUNCTION(f_pow, half_of(powl(a, b)))
FUNCTION(f_powr, half_of(powr_of(a, b)))

#define TWO(name)                                                                                  \
    {                                                                                              \
        name, "h", "h", "h", "h", NULL, NULL, STD(name, "h", "%a %b")                              \
    }

static void test_two_operands(void **state)
{
    (void)state;
    static const struct {
        instruction insn;
        reference *want;
    } cases[] = {
        {TWO("nextafter"), f_nextafter},
        {TWO("pow"), f_pow},
        {TWO("powr"), f_powr},
    };
    table t;
    pairs(&t, half_edges, HALF_EDGES);
    for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        run(&cases[i].insn, &t, cases[i].want, halves_equal);
}

/* ---- Second results -------------------------------------------------------------------------- */

static int exponent_of(long double a)
{
    int exponent = 0;
    (void)frexpl(a, &exponent);
    return exponent;
}

/* The sign of gamma, which changes at 0 and at every negative integer. */
static int gamma_sign(long double a)
{
    return a > 0 || fmodl(floorl(a), 2) == 0 ? 1 : -1;
}

/* a - floor(a), but at most 1 - 2^-11, the largest half below 1. */
static long double fraction(long double a)
{
    if (isinf(a)) return 0;
    return fminl(a - floorl(a), 1 - 0x1p-11L);
}

static long double part(long double a)
{
    return copysignl(isinf(a) ? 0 : a - truncl(a), a);
}

/* The low seven bits of the quotient, rounded to nearest even, with its sign. */
static int quotient(long double a, long double b)
{
    long double q = rintl(a / b);
    int low = (int)fmodl(fabsl(q), 128);
    return q < 0 ? -low : low;
}

FUNCTION(f_fract, half_of(isnan(a) ? a : fraction(a)))
FUNCTION(f_floor, half_of(floorl(a)))
FUNCTION(f_modf, half_of(part(a)))
FUNCTION(f_trunc, half_of(truncl(a)))
FUNCTION(f_sin, half_of(sinl(a)))
FUNCTION(f_cos, half_of(cosl(a)))
FUNCTION(f_frexp, half_of(frexpl(a, &(int){0})))
FUNCTION(f_exponent, exponent_of(a))
FUNCTION(f_lgamma, half_of(lgammal(a)))
FUNCTION(f_gamma_sign, gamma_sign(a))
FUNCTION(f_remainder, half_of(remainderl(a, b)))
FUNCTION(f_quotient, quotient(a, b))

#define POINTERS "%ph = OpTypePointer Function %h\n%pi = OpTypePointer Function %i32\n"
/* The result, or the stored value, of a function whose second result goes to a variable. */
#define FIRST(name, operands, P)                                                                   \
    {                                                                                              \
        name, "h", "h", "h", "h", NULL, POINTERS,                                                  \
            "%t0 = OpVariable %" P " Function\n" STD(name, "h", operands " %t0")                   \
    }
#define SECOND(name, operands, P, T)                                                               \
    {                                                                                              \
        name " stores", "h", "h", "h", T, NULL, POINTERS,                                          \
            "%t0 = OpVariable %" P " Function\n%t1 = OpExtInst %h %std " name " " operands         \
            " %t0\n%r = OpLoad %" T " %t0\n"                                                       \
    }

static bool numbers_equal(uint64_t got, uint64_t want)
{
    return value_of(got) == value_of(want) || halves_equal(got, want);
}
static bool ints_equal(uint64_t got, uint64_t want)
{
    return (uint32_t)got == (uint32_t)want;
}

static void test_second_results(void **state)
{
    (void)state;
    static const struct {
        instruction insn;
        reference *want;
        comparison *equal;
        bool is_finite; /* operands exclude zeros, infinities and NaN */
    } cases[] = {
        {FIRST("fract", "%a", "ph"), f_fract, numbers_equal, false},
        {SECOND("fract", "%a", "ph", "h"), f_floor, halves_equal, false},
        {FIRST("modf", "%a", "ph"), f_modf, halves_equal, false},
        {SECOND("modf", "%a", "ph", "h"), f_trunc, halves_equal, false},
        {FIRST("sincos", "%a", "ph"), f_sin, halves_equal, false},
        {SECOND("sincos", "%a", "ph", "h"), f_cos, halves_equal, false},
        {FIRST("frexp", "%a", "pi"), f_frexp, halves_equal, false},
        {SECOND("frexp", "%a", "pi", "i32"), f_exponent, ints_equal, true},
        {FIRST("lgamma_r", "%a", "pi"), f_lgamma, halves_equal, false},
        {SECOND("lgamma_r", "%a", "pi", "i32"), f_gamma_sign, ints_equal, true},
        {FIRST("remquo", "%a %b", "pi"), f_remainder, halves_equal, false},
        {SECOND("remquo", "%a %b", "pi", "i32"), f_quotient, ints_equal, true},
    };
    /* Integers below 0 are left out, because gamma has no sign there. */
    static const uint64_t finite[] = {1,      0x8001, 0x3ff,  0x400,  0x8400, 0x3c00, 0x3c01,
                                      0xbc01, 0x3bff, 0xbbff, 0x3800, 0xb800, 0x4100, 0xc100,
                                      0x7bff, 0x5640, 0x2e66, 0xae66, 0x1234, 0x9234, 0x7800};
    table any, t;
    pairs(&any, half_edges, HALF_EDGES);
    pairs(&t, finite, sizeof finite / sizeof finite[0]);
    for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        run(&cases[i].insn, cases[i].is_finite ? &t : &any, cases[i].want, cases[i].equal);
}

/* ---- Vectors --------------------------------------------------------------------------------- */

static long double lane(uint64_t vector, uint32_t k)
{
    return value_of(vector >> 16 * k & 0xffff);
}

static long double length_of(uint64_t a)
{
    return sqrtl(lane(a, 0) * lane(a, 0) + lane(a, 1) * lane(a, 1) + lane(a, 2) * lane(a, 2));
}

static uint64_t g_length(uint64_t a, uint64_t b, uint64_t c)
{
    return (void)b, (void)c, half_of(length_of(a));
}

static uint64_t g_distance(uint64_t a, uint64_t b, uint64_t c)
{
    long double sum = 0;
    for (uint32_t k = 0; k < 3; k++)
        sum += (lane(a, k) - lane(b, k)) * (lane(a, k) - lane(b, k));
    return (void)c, half_of(sqrtl(sum));
}

static uint64_t g_normalize(uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t out = 0;
    long double length = length_of(a);
    for (uint32_t k = 0; k < 3; k++)
        out |= half_of(length == 0 ? lane(a, k) : lane(a, k) / length) << 16 * k;
    return (void)b, (void)c, out;
}

static uint64_t g_cross(uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t out = 0;
    for (uint32_t k = 0; k < 3; k++) {
        uint32_t j = (k + 1) % 3, l = (k + 2) % 3;
        out |= half_of(lane(a, j) * lane(b, l) - lane(a, l) * lane(b, j)) << 16 * k;
    }
    return (void)c, out;
}

static bool vectors_equal(uint64_t got, uint64_t want)
{
    return ((got ^ want) & UINT64_C(0xffffffffffff)) == 0;
}

#define GEOMETRY(name, result, operands)                                                           \
    {                                                                                              \
        name, "v3h", "v3h", "i8", result, NULL, NULL, STD(name, result, operands)                  \
    }

static void test_geometry(void **state)
{
    (void)state;
    static const struct {
        instruction insn;
        reference *want;
        comparison *equal;
    } cases[] = {
        {GEOMETRY("length", "h", "%a"), g_length, halves_equal},
        {GEOMETRY("fast_length", "h", "%a"), g_length, halves_equal},
        {GEOMETRY("distance", "h", "%a %b"), g_distance, halves_equal},
        {GEOMETRY("fast_distance", "h", "%a %b"), g_distance, halves_equal},
        {GEOMETRY("normalize", "v3h", "%a"), g_normalize, vectors_equal},
        {GEOMETRY("fast_normalize", "v3h", "%a"), g_normalize, vectors_equal},
        {GEOMETRY("cross", "v3h", "%a %b"), g_cross, vectors_equal},
    };
    /* Some of these values overflow or underflow when squared as a half. */
    static const uint64_t sizes[] = {0x3c00, 0x7bff, 0x0001, 0x4200, 0xc400, 0x0400, 0xfbff,
                                     0x5640, 0x2e66, 0x1234, 0x9234, 0x7800, 0x0200};
    table t = {.count = 200};
    for (uint32_t i = 0; i < t.count; i++) {
        for (uint32_t k = 0; k < 3; k++) {
            t.a[i] |= sizes[(i * (k + 1) + 5 * k) % 13] << 16 * k;
            t.b[i] |= sizes[(3 * i + 7 * k + 1) % 13] << 16 * k;
        }
    }
    for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        run(&cases[i].insn, &t, cases[i].want, cases[i].equal);
}

/* ---- Groups ---------------------------------------------------------------------------------- */

enum { GROUP = 20, SUBGROUP = 16 }; /* so that the second sub-group has four work-items */

typedef uint64_t combine(uint64_t a, uint64_t b);

static uint64_t sum(uint64_t a, uint64_t b)
{
    return half_of(value_of(a) + value_of(b));
}
static uint64_t product(uint64_t a, uint64_t b)
{
    return half_of(value_of(a) * value_of(b));
}
static uint64_t least(uint64_t a, uint64_t b)
{
    return value_of(b) < value_of(a) ? b : a;
}
static uint64_t most(uint64_t a, uint64_t b)
{
    return value_of(b) > value_of(a) ? b : a;
}

/* Combines the values of work-item i's group of `size`: of all its work-items if `all`, otherwise
 * of those up to i. */
static uint64_t folded(const uint16_t *in, uint32_t i, uint32_t size, bool all, combine *by)
{
    uint32_t first = i / size * size, end = first + size < GROUP ? first + size : GROUP;
    uint64_t out = in[first];
    for (uint32_t k = first + 1; k < (all ? end : i + 1); k++)
        out = by(out, in[k]);
    return out;
}

static const uint16_t group_in[GROUP] = {0x3c00, 0x3c01, 0xbc00, 0x7800, 0x7800, 0x0001, 0x8001,
                                         0x3555, 0xb555, 0x4248, 0x2e66, 0x1234, 0x9234, 0x4900,
                                         0xc900, 0x3800, 0x3800, 0x6801, 0x3bff, 0xd640};

static void run_group(const char *body, uint16_t *out)
{
    static char text[1024];
    snprintf(text, sizeof text, "%%group = OpConstant %%i32 2\n%%sub = OpConstant %%i32 3\n");
    instruction insn = {"group", "h", "h", "h", "h", NULL, text, body};
    run_memory(&insn, group_in, sizeof group_in, out, GROUP * sizeof *out, GROUP);
}

static void test_group_folds(void **state)
{
    (void)state;
    static const struct {
        const char *reduce, *scan;
        combine *by;
        uint16_t first; /* of an exclusive scan */
    } cases[] = {
        {"OpGroupNonUniformFAdd", "OpGroupFAdd", sum, 0},
        {"OpGroupNonUniformFMul", "OpGroupFMulKHR", product, 0x3c00},
        {"OpGroupNonUniformFMin", "OpGroupFMin", least, 0x7c00},
        {"OpGroupNonUniformFMax", "OpGroupFMax", most, 0xfc00},
    };
    char body[256];
    uint16_t out[GROUP];
    for (uint32_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        snprintf(body, sizeof body, "%%r = %s %%h %%sub Reduce %%a\n", cases[c].reduce);
        run_group(body, out);
        for (uint32_t i = 0; i < GROUP; i++)
            assert_int_equal(out[i], folded(group_in, i, SUBGROUP, true, cases[c].by));
        snprintf(body, sizeof body, "%%r = %s %%h %%group InclusiveScan %%a\n", cases[c].scan);
        run_group(body, out);
        for (uint32_t i = 0; i < GROUP; i++)
            assert_int_equal(out[i], folded(group_in, i, GROUP, false, cases[c].by));
        snprintf(body, sizeof body, "%%r = %s %%h %%group ExclusiveScan %%a\n", cases[c].scan);
        run_group(body, out);
        assert_int_equal(out[0], cases[c].first);
        for (uint32_t i = 1; i < GROUP; i++)
            assert_int_equal(out[i], folded(group_in, i - 1, GROUP, false, cases[c].by));
    }
}

/* Bits are moved unchanged; +0 equals -0, and no NaN equals itself. */
static void test_group_moves(void **state)
{
    (void)state;
    uint16_t out[GROUP];
    run_group("%t0 = OpGroupNonUniformShuffleXor %h %sub %a %c32_1\n%r = OpCopyObject %h %t0\n",
              out);
    for (uint32_t i = 0; i < GROUP; i++)
        assert_int_equal(out[i], group_in[i ^ 1]);
    run_group("%r = OpGroupBroadcast %h %group %a %three\n", out);
    for (uint32_t i = 0; i < GROUP; i++)
        assert_int_equal(out[i], group_in[3]);
    static const struct {
        uint16_t even, odd, want;
    } votes[] = {{0x0000, 0x8000, 1}, {0x3c00, 0x3c01, 0}, {0x7e00, 0x7e00, 0}};
    for (uint32_t v = 0; v < 3; v++) {
        uint16_t in[GROUP];
        for (uint32_t i = 0; i < GROUP; i++)
            in[i] = i % 2 ? votes[v].odd : votes[v].even;
        static const instruction insn = {
            "equal",
            "h",
            "h",
            "h",
            "i16",
            NULL,
            "%sub = OpConstant %i32 3\n%y = OpConstant %i16 1\n%n = OpConstant %i16 0\n",
            "%t0 = OpGroupNonUniformAllEqual %bool %sub %a\n%r = OpSelect %i16 %t0 %y %n\n"};
        run_memory(&insn, in, sizeof in, out, sizeof out, GROUP);
        for (uint32_t i = 0; i < GROUP; i++)
            assert_int_equal(out[i], votes[v].want);
    }
}

/* ---- Atomics --------------------------------------------------------------------------------- */

/* Work-items run in order, and each sees the result of the previous ones, starting from zero. */
static void test_atomics(void **state)
{
    (void)state;
    static const struct {
        const char *op;
        combine *by;
    } cases[] = {{"OpAtomicFAddEXT", sum}, {"OpAtomicFMinEXT", least}, {"OpAtomicFMaxEXT", most}};
    for (uint32_t c = 0; c < 3; c++) {
        char body[256];
        uint16_t out[GROUP];
        snprintf(body, sizeof body, "%%r = %s %%h %%pb %%c32_1 %%relaxed %%a\n", cases[c].op);
        instruction insn = {"atomic", "h", "h", "h", "h", NULL, "%relaxed = OpConstant %i32 0\n",
                            body};
        run_memory(&insn, group_in, sizeof group_in, out, sizeof out, GROUP);
        uint64_t before = 0;
        for (uint32_t i = 0; i < GROUP; i++) {
            assert_int_equal(out[i], before);
            before = cases[c].by(before, group_in[i]);
        }
    }
    /* There are no atomics on 16-bit integers. */
    static char text[16384];
    static const instruction wrong = {"atomic",
                                      "i16",
                                      "i16",
                                      "i16",
                                      "i16",
                                      NULL,
                                      "%relaxed = OpConstant %i32 0\n",
                                      "%r = OpAtomicIAdd %i16 %pb %c32_1 %relaxed %a\n"};
    module_text(text, sizeof text, &wrong);
    sim_test_refused(text, RT_MALFORMED, "not a 32-bit or 64-bit integer");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_integers),       cmocka_unit_test(test_two_operands),
        cmocka_unit_test(test_second_results), cmocka_unit_test(test_geometry),
        cmocka_unit_test(test_group_folds),    cmocka_unit_test(test_group_moves),
        cmocka_unit_test(test_atomics),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
