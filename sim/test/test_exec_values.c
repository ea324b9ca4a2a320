/* Tests instructions on numbers against tables in plain C: every width, vectors of 1 to 16
 * components, the edge values of each type and all pairs of them; with varying operands under a
 * mask and with uniform ones; on every engine.  Operations without a defined result must be
 * reported, and nothing else. */
#include "sim/test/harness.h"

#include <math.h>

/* ---- Operations under test ------------------------------------------------------------------ */

typedef enum verdict {
    DEFINED,
    FOUND, /* undefined in SPIR-V, and a finding */
    OPEN,  /* left open by the specification, or not checked here */
} verdict;

/* Computes the result for operands held as bits of the given width; a bool is 0 or 1. */
typedef verdict expected(uint32_t bits, const uint64_t *v, uint64_t *out);

typedef struct operation {
    const char *name; /* for example "OpIAdd", or "fmin" of OpenCL.std */
    char from, to;    /* i: integer, f: float, b: bool */
    uint32_t count;   /* operands */
    expected *compute;
} operation;

static uint64_t mask_of(uint32_t bits)
{
    return bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
}
static int64_t signed_of(uint32_t bits, uint64_t value)
{
    uint64_t sign = UINT64_C(1) << (bits - 1);
    return (int64_t)(((value & mask_of(bits)) ^ sign) - sign);
}

/* ---- Integers -------------------------------------------------------------------------------- */

#define UNSIGNED(name, expression)                                                                 \
    static verdict name(uint32_t bits, const uint64_t *v, uint64_t *out)                           \
    {                                                                                              \
        uint64_t a = v[0], b = v[1];                                                               \
        (void)a, (void)b, (void)bits;                                                              \
        *out = (uint64_t)(expression);                                                             \
        return DEFINED;                                                                            \
    }
#define SIGNED(name, expression)                                                                   \
    static verdict name(uint32_t bits, const uint64_t *v, uint64_t *out)                           \
    {                                                                                              \
        int64_t a = signed_of(bits, v[0]), b = signed_of(bits, v[1]);                              \
        (void)a, (void)b;                                                                          \
        *out = (uint64_t)(expression);                                                             \
        return DEFINED;                                                                            \
    }
/* A finding if b is 0 or if a signed quotient overflows. */
#define DIVISION(name, make, expression)                                                           \
    static verdict name(uint32_t bits, const uint64_t *v, uint64_t *out)                           \
    {                                                                                              \
        bool is_largest =                                                                          \
            make(1) == 1 && signed_of(bits, v[1]) == -1 && v[0] == UINT64_C(1) << (bits - 1);      \
        if (v[1] == 0 || is_largest) return FOUND;                                                 \
        int64_t a = signed_of(bits, v[0]), b = signed_of(bits, v[1]);                              \
        uint64_t ua = v[0], ub = v[1];                                                             \
        (void)a, (void)b, (void)ua, (void)ub;                                                      \
        *out = (uint64_t)(expression);                                                             \
        return DEFINED;                                                                            \
    }
#define IS_SIGNED(x)   (x)
#define IS_UNSIGNED(x) (0 * (x))
#define SHIFT(name, expression)                                                                    \
    static verdict name(uint32_t bits, const uint64_t *v, uint64_t *out)                           \
    {                                                                                              \
        if (v[1] >= bits) return FOUND;                                                            \
        uint64_t a = v[0], b = v[1];                                                               \
        *out = (uint64_t)(expression);                                                             \
        return DEFINED;                                                                            \
    }

UNSIGNED(add, a + b)
UNSIGNED(sub, a - b)
UNSIGNED(mul, a *b)
UNSIGNED(negate, 0 - a)
UNSIGNED(and, a &b)
UNSIGNED(or, a | b)
UNSIGNED(xor, a ^ b)
UNSIGNED(not, ~a)
UNSIGNED(equal, a == b)
UNSIGNED(unequal, a != b)
UNSIGNED(above, a > b)
UNSIGNED(above_equal, a >= b)
UNSIGNED(below, a < b)
UNSIGNED(below_equal, a <= b)
SIGNED(greater, a > b)
SIGNED(greater_equal, a >= b)
SIGNED(less, a < b)
SIGNED(less_equal, a <= b)
DIVISION(udiv, IS_UNSIGNED, ua / ub)
DIVISION(umod, IS_UNSIGNED, ua % ub)
DIVISION(sdiv, IS_SIGNED, a / b)
DIVISION(srem, IS_SIGNED, a % b)
DIVISION(smod, IS_SIGNED, a % b != 0 && (a % b < 0) != (b < 0) ? a % b + b : a % b)
SHIFT(shl, a << b)
SHIFT(shr, a >> b)
SHIFT(sar, signed_of(bits, a) >> b)
UNSIGNED(popcount, __builtin_popcountll(a))
UNSIGNED(same, a)

/* True if all operands, held in 32 bits, are 24-bit numbers. */
static bool is_24(const uint64_t *v, uint32_t count, bool is_signed)
{
    bool is = true;
    for (uint32_t i = 0; i < count; i++) {
        int64_t value = signed_of(32, v[i]);
        is &= is_signed ? value >= -(1 << 23) && value < 1 << 23 : v[i] < 1u << 24;
    }
    return is;
}
static verdict smul24(uint32_t bits, const uint64_t *v, uint64_t *out)
{
    if (bits != 32 || !is_24(v, 2, true)) return OPEN;
    *out = (uint64_t)(signed_of(bits, v[0]) * signed_of(bits, v[1]));
    return DEFINED;
}
static verdict umul24(uint32_t bits, const uint64_t *v, uint64_t *out)
{
    *out = v[0] * v[1];
    return bits == 32 && is_24(v, 2, false) ? DEFINED : OPEN;
}
static verdict smad24(uint32_t bits, const uint64_t *v, uint64_t *out)
{
    verdict found = smul24(bits, v, out);
    *out += v[2];
    return found;
}
static verdict umad24(uint32_t bits, const uint64_t *v, uint64_t *out)
{
    verdict found = umul24(bits, v, out);
    *out += v[2];
    return found;
}
static verdict choose(uint32_t bits, const uint64_t *v, uint64_t *out)
{
    (void)bits;
    *out = v[0] & 1 ? v[1] : v[2];
    return DEFINED;
}

/* ---- Floats ---------------------------------------------------------------------------------- */

/* The value of a float, exact in double; widths 32 and 64. */
static double number(uint32_t bits, uint64_t value)
{
    double wide;
    float narrow;
    uint32_t low = (uint32_t)value;
    memcpy(&wide, &value, sizeof wide);
    memcpy(&narrow, &low, sizeof narrow);
    return bits == 32 ? (double)narrow : wide;
}
static uint64_t bits_of(uint32_t bits, double value)
{
    float narrow = (float)value;
    uint32_t low;
    uint64_t wide;
    memcpy(&low, &narrow, sizeof low);
    memcpy(&wide, &value, sizeof wide);
    return bits == 32 ? low : wide;
}

#define COMPARE(name, expression)                                                                  \
    static verdict name(uint32_t bits, const uint64_t *v, uint64_t *out)                           \
    {                                                                                              \
        double a = number(bits, v[0]), b = number(bits, v[1]);                                     \
        bool is_ordered = a == a && b == b;                                                        \
        (void)is_ordered;                                                                          \
        *out = expression;                                                                         \
        return DEFINED;                                                                            \
    }
COMPARE(ordered, is_ordered)
COMPARE(unordered, !is_ordered)
COMPARE(ford_equal, is_ordered &&a == b)
COMPARE(funord_equal, !is_ordered || a == b)
COMPARE(ford_unequal, is_ordered &&a != b)
COMPARE(funord_unequal, !is_ordered || a != b)
COMPARE(ford_less, is_ordered &&a < b)
COMPARE(funord_less, !is_ordered || a < b)
COMPARE(ford_greater, is_ordered &&a > b)
COMPARE(funord_greater, !is_ordered || a > b)
COMPARE(ford_less_equal, is_ordered &&a <= b)
COMPARE(funord_less_equal, !is_ordered || a <= b)
COMPARE(ford_greater_equal, is_ordered &&a >= b)
COMPARE(funord_greater_equal, !is_ordered || a >= b)
COMPARE(is_nan, a != a)
COMPARE(is_inf, isinf(a) != 0)
COMPARE(is_finite, isfinite(a) != 0)
COMPARE(sign_bit, signbit(a) != 0)

static verdict is_normal(uint32_t bits, const uint64_t *v, uint64_t *out)
{
    double a = fabs(number(bits, v[0]));
    *out = a >= (bits == 32 ? 0x1p-126 : 0x1p-1022) && a < HUGE_VAL;
    return DEFINED;
}

/* Double holds every float, so a float's operation in double is rounded twice: exact for these four
 * by Figueroa's theorem (53 >= 2 * 24 + 2). */
#define FLOAT(name, expression)                                                                    \
    static verdict name(uint32_t bits, const uint64_t *v, uint64_t *out)                           \
    {                                                                                              \
        double a = number(bits, v[0]), b = number(bits, v[1]), c = number(bits, v[2]);             \
        (void)b, (void)c;                                                                          \
        *out = bits_of(bits, expression);                                                          \
        return DEFINED;                                                                            \
    }
FLOAT(f_add, a + b)
FLOAT(f_sub, a - b)
FLOAT(f_mul, a *b)
FLOAT(f_div, a / b)
FLOAT(f_quotient, a / b)
FLOAT(frecip, 1 / a)
FLOAT(froot, sqrt(a))
FLOAT(frem, fmod(a, b))
FLOAT(fstep, b < a ? 0 : 1)

static verdict fnegate(uint32_t bits, const uint64_t *v, uint64_t *out)
{
    *out = v[0] ^ UINT64_C(1) << (bits - 1);
    return DEFINED;
}

/* The result has the divisor's sign.  Zero results and infinite divisors are left open. */
static verdict fmodulo(uint32_t bits, const uint64_t *v, uint64_t *out)
{
    double a = number(bits, v[0]), b = number(bits, v[1]), rest = fmod(a, b);
    if (rest == 0 || isinf(b)) return OPEN;
    bool is_other = rest == rest && signbit(rest) != signbit(b);
    double moved = is_other ? rest + b : rest;
    *out = bits_of(bits, moved);
    return is_other && moved - b != rest ? OPEN : DEFINED; /* inexact in double */
}

/* If one operand is NaN, the result is the other; of two zeros, either. */
static verdict extreme(uint32_t bits, const uint64_t *v, bool is_least, uint64_t *out)
{
    double a = number(bits, v[0]), b = number(bits, v[1]);
    bool takes_b = a != a || (is_least ? b < a : b > a);
    *out = takes_b ? v[1] : v[0];
    return a == 0 && b == 0 && v[0] != v[1] ? OPEN : DEFINED;
}
static verdict least(uint32_t bits, const uint64_t *v, uint64_t *out)
{
    return extreme(bits, v, true, out);
}
static verdict most(uint32_t bits, const uint64_t *v, uint64_t *out)
{
    return extreme(bits, v, false, out);
}
/* Left open for NaN and infinity. */
static verdict least_common(uint32_t bits, const uint64_t *v, uint64_t *out)
{
    bool is_plain = isfinite(number(bits, v[0])) && isfinite(number(bits, v[1]));
    return is_plain ? extreme(bits, v, true, out) : OPEN;
}
static verdict most_common(uint32_t bits, const uint64_t *v, uint64_t *out)
{
    bool is_plain = isfinite(number(bits, v[0])) && isfinite(number(bits, v[1]));
    return is_plain ? extreme(bits, v, false, out) : OPEN;
}
/* Left open if the limits are in the wrong order or any operand is NaN. */
static verdict clamped(uint32_t bits, const uint64_t *v, uint64_t *out)
{
    double x = number(bits, v[0]), low = number(bits, v[1]), high = number(bits, v[2]);
    if (!(low <= high) || x != x) return OPEN;
    *out = x < low ? v[1] : x > high ? v[2] : v[0];
    return x == 0 || low == 0 || high == 0 ? OPEN : DEFINED;
}
static verdict sign(uint32_t bits, const uint64_t *v, uint64_t *out)
{
    double a = number(bits, v[0]);
    *out = a != a ? 0 : a == 0 ? v[0] : bits_of(bits, a < 0 ? -1 : 1);
    return DEFINED;
}
static verdict radians(uint32_t bits, const uint64_t *v, uint64_t *out)
{
    double a = number(bits, v[0]);
    *out = bits_of(bits, a == 0 ? a : 0x1.921fb54442d18p+1);
    return a == 180 || a == 0 ? DEFINED : OPEN;
}
static verdict degrees(uint32_t bits, const uint64_t *v, uint64_t *out)
{
    double a = number(bits, v[0]);
    *out = bits_of(bits, a == 0 ? a : 57.295779513082320877); /* 180 / pi */
    return a == 1 || a == 0 ? DEFINED : OPEN;
}
/* True for small numbers, whose results need no rounding. */
static bool is_small(uint32_t bits, const uint64_t *v, uint32_t count)
{
    bool is = true;
    for (uint32_t i = 0; i < count; i++) {
        double a = number(bits, v[i]);
        is &= a == a && fabs(a) <= 256 && a * 4 == floor(a * 4);
    }
    return is;
}
static verdict mixed(uint32_t bits, const uint64_t *v, uint64_t *out)
{
    double a = number(bits, v[0]), b = number(bits, v[1]), c = number(bits, v[2]);
    double mix = a + (b - a) * c;
    *out = bits_of(bits, mix);
    return is_small(bits, v, 3) && c >= 0 && c <= 1 && mix != 0 ? DEFINED : OPEN;
}
static verdict smooth(uint32_t bits, const uint64_t *v, uint64_t *out)
{
    double low = number(bits, v[0]), high = number(bits, v[1]), x = number(bits, v[2]);
    double t = (x - low) / (high - low);
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    *out = bits_of(bits, t * t * (3 - 2 * t));
    bool is_exact = t * 16 == floor(t * 16);
    return is_small(bits, v, 3) && low < high && is_exact ? DEFINED : OPEN;
}
/* half_ and native_ functions, for operands with exact results. */
#define EXACT(name, count, compute)                                                                \
    static verdict name(uint32_t bits, const uint64_t *v, uint64_t *out)                           \
    {                                                                                              \
        compute(bits, v, out);                                                                     \
        double result = number(bits, *out);                                                        \
        bool is_exact = result == result && fabs(result) < 256 && result * 4 == floor(result * 4); \
        return bits == 32 && is_small(bits, v, count) && is_exact && result != 0 ? DEFINED : OPEN; \
    }
EXACT(exact_division, 2, f_quotient)
EXACT(exact_recip, 1, frecip)
EXACT(exact_root, 1, froot)

/* ---- The tables ------------------------------------------------------------------------------ */

static const operation integers[] = {
    {"OpIAdd", 'i', 'i', 2, add},
    {"OpISub", 'i', 'i', 2, sub},
    {"OpIMul", 'i', 'i', 2, mul},
    {"OpSNegate", 'i', 'i', 1, negate},
    {"OpBitwiseAnd", 'i', 'i', 2, and},
    {"OpBitwiseOr", 'i', 'i', 2, or },
    {"OpBitwiseXor", 'i', 'i', 2, xor},
    {"OpNot", 'i', 'i', 1, not },
    {"OpUDiv", 'i', 'i', 2, udiv},
    {"OpUMod", 'i', 'i', 2, umod},
    {"OpSDiv", 'i', 'i', 2, sdiv},
    {"OpSRem", 'i', 'i', 2, srem},
    {"OpSMod", 'i', 'i', 2, smod},
    {"OpShiftLeftLogical", 'i', 'i', 2, shl},
    {"OpShiftRightLogical", 'i', 'i', 2, shr},
    {"OpShiftRightArithmetic", 'i', 'i', 2, sar},
    {"OpIEqual", 'i', 'b', 2, equal},
    {"OpINotEqual", 'i', 'b', 2, unequal},
    {"OpUGreaterThan", 'i', 'b', 2, above},
    {"OpUGreaterThanEqual", 'i', 'b', 2, above_equal},
    {"OpULessThan", 'i', 'b', 2, below},
    {"OpULessThanEqual", 'i', 'b', 2, below_equal},
    {"OpSGreaterThan", 'i', 'b', 2, greater},
    {"OpSGreaterThanEqual", 'i', 'b', 2, greater_equal},
    {"OpSLessThan", 'i', 'b', 2, less},
    {"OpSLessThanEqual", 'i', 'b', 2, less_equal},
    {"popcount", 'i', 'i', 1, popcount},
    {"u_abs", 'i', 'i', 1, same},
    {"s_mul24", 'i', 'i', 2, smul24},
    {"u_mul24", 'i', 'i', 2, umul24},
    {"s_mad24", 'i', 'i', 3, smad24},
    {"u_mad24", 'i', 'i', 3, umad24},
};

static const operation truths[] = {
    {"OpLogicalEqual", 'b', 'b', 2, equal}, {"OpLogicalNotEqual", 'b', 'b', 2, unequal},
    {"OpLogicalOr", 'b', 'b', 2, or },      {"OpLogicalAnd", 'b', 'b', 2, and},
    {"OpLogicalNot", 'b', 'b', 1, not },    {"OpSelect", 'b', 'b', 3, choose},
};

static const operation floats[] = {
    {"OpFAdd", 'f', 'f', 2, f_add},
    {"OpFSub", 'f', 'f', 2, f_sub},
    {"OpFMul", 'f', 'f', 2, f_mul},
    {"OpFDiv", 'f', 'f', 2, f_div},
    {"OpFNegate", 'f', 'f', 1, fnegate},
    {"OpFRem", 'f', 'f', 2, frem},
    {"OpFMod", 'f', 'f', 2, fmodulo},
    {"OpOrdered", 'f', 'b', 2, ordered},
    {"OpUnordered", 'f', 'b', 2, unordered},
    {"OpLessOrGreater", 'f', 'b', 2, ford_unequal},
    {"OpFOrdEqual", 'f', 'b', 2, ford_equal},
    {"OpFUnordEqual", 'f', 'b', 2, funord_equal},
    {"OpFOrdNotEqual", 'f', 'b', 2, ford_unequal},
    {"OpFUnordNotEqual", 'f', 'b', 2, funord_unequal},
    {"OpFOrdLessThan", 'f', 'b', 2, ford_less},
    {"OpFUnordLessThan", 'f', 'b', 2, funord_less},
    {"OpFOrdGreaterThan", 'f', 'b', 2, ford_greater},
    {"OpFUnordGreaterThan", 'f', 'b', 2, funord_greater},
    {"OpFOrdLessThanEqual", 'f', 'b', 2, ford_less_equal},
    {"OpFUnordLessThanEqual", 'f', 'b', 2, funord_less_equal},
    {"OpFOrdGreaterThanEqual", 'f', 'b', 2, ford_greater_equal},
    {"OpFUnordGreaterThanEqual", 'f', 'b', 2, funord_greater_equal},
    {"OpIsNan", 'f', 'b', 1, is_nan},
    {"OpIsInf", 'f', 'b', 1, is_inf},
    {"OpIsFinite", 'f', 'b', 1, is_finite},
    {"OpIsNormal", 'f', 'b', 1, is_normal},
    {"OpSignBitSet", 'f', 'b', 1, sign_bit},
    {"fmin", 'f', 'f', 2, least},
    {"fmax", 'f', 'f', 2, most},
    {"fmin_common", 'f', 'f', 2, least_common},
    {"fmax_common", 'f', 'f', 2, most_common},
    {"fclamp", 'f', 'f', 3, clamped},
    {"sign", 'f', 'f', 1, sign},
    {"radians", 'f', 'f', 1, radians},
    {"degrees", 'f', 'f', 1, degrees},
    {"mix", 'f', 'f', 3, mixed},
    {"step", 'f', 'f', 2, fstep},
    {"smoothstep", 'f', 'f', 3, smooth},
    {"half_divide", 'f', 'f', 2, exact_division},
    {"half_recip", 'f', 'f', 1, exact_recip},
    {"half_sqrt", 'f', 'f', 1, exact_root},
    {"native_divide", 'f', 'f', 2, exact_division},
    {"native_recip", 'f', 'f', 1, exact_recip},
    {"native_sqrt", 'f', 'f', 1, exact_root},
};

/* ---- Operands -------------------------------------------------------------------------------- */

#define VALUES_MAX 24u
#define CASES_MAX  2048u

/* Fills in the edge values of a type and returns their number. */
static uint32_t values_of(char kind, uint32_t bits, uint64_t *out)
{
    uint64_t top = UINT64_C(1) << (bits - 1);
    const uint64_t numbers[] = {0,
                                1,
                                2,
                                3,
                                7,
                                bits - 1,
                                bits,
                                bits + 1,
                                100,
                                top - 1,
                                top,
                                top + 1,
                                ~UINT64_C(0),
                                ~UINT64_C(1),
                                ~UINT64_C(6),
                                UINT64_C(0xa5a5a5a5a5a5a5a5)};
    static const double reals[] = {0.0, -0.0, 1,  -1,       1.5,       -2.5, 0.25, 0.5, 4,
                                   -9,  180,  16, INFINITY, -INFINITY, NAN,  3,    1e30};
    const uint64_t singles[] = {1, 0x007fffff, 0x00800000, 0x7f7fffff, 0x80000001, 0xff7fffff};
    const uint64_t doubles[] = {1,
                                UINT64_C(0x000fffffffffffff),
                                UINT64_C(0x0010000000000000),
                                UINT64_C(0x7fefffffffffffff),
                                UINT64_C(0x8000000000000001),
                                UINT64_C(0xffefffffffffffff)};
    uint32_t count = 0;
    if (kind == 'b') {
        out[count++] = 0;
        out[count++] = 1;
    } else if (kind == 'i') {
        for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
            out[count++] = numbers[i] & mask_of(bits);
    } else {
        for (size_t i = 0; i < sizeof reals / sizeof *reals; i++)
            out[count++] = bits_of(bits, reals[i]);
        for (uint32_t i = 0; i < 6; i++)
            out[count++] = bits == 32 ? singles[i] : doubles[i];
    }
    assert_true(count <= VALUES_MAX);
    return count;
}

typedef struct cases {
    uint64_t operands[3][CASES_MAX], results[CASES_MAX];
    uint32_t count;
} cases;

/* Lists combinations of edge values for which the operation gives the given verdict, at most
 * CASES_MAX; of more than 1000 combinations, only every seventh is tried. */
static void cases_make(const operation *op, uint32_t bits, verdict wanted, cases *out)
{
    uint64_t values[VALUES_MAX];
    uint32_t n = values_of(op->from, bits, values), total = 1;
    for (uint32_t i = 0; i < op->count; i++)
        total *= n;
    out->count = 0;
    for (uint32_t k = 0; k < total && out->count<CASES_MAX; k += total> 1000 ? 7 : 1) {
        uint64_t v[3] = {values[k % n], values[k / n % n], values[k / n / n % n]}, result = 0;
        if (op->compute(bits, v, &result) != wanted) continue;
        for (uint32_t i = 0; i < 3; i++)
            out->operands[i][out->count] = v[i];
        out->results[out->count++] = result & (op->to == 'b' ? 1 : mask_of(bits));
    }
}

/* ---- The module ------------------------------------------------------------------------------ */

/* Appends text in which "@" is the kernel's suffix and "#" the number of an operand. */
static void append(char *out, size_t size, const char *text, char suffix, uint32_t operand)
{
    size_t used = strlen(out);
    for (const char *p = text; *p; p++) {
        assert_true(used + 2 < size);
        out[used++] = *p == '@' ? suffix : *p == '#' ? (char)('0' + operand) : *p;
    }
    out[used] = '\0';
}

/* Writes a kernel that computes result[i] = operation(a[i], b[i], c[i]), where i is the work-item's
 * number or a uniform argument; every third i is skipped. */
static void kernel_text(const operation *op, bool is_lanes, char *out, size_t size)
{
    char suffix = is_lanes ? 'L' : 'U';
    bool is_core = strncmp(op->name, "Op", 2) == 0;
    out[0] = '\0';
#define APPEND(text) append(out, size, text, suffix, 0)
    APPEND("%k@ = OpFunction %void None %kt\n%m0@ = OpFunctionParameter %pm\n"
           "%m1@ = OpFunctionParameter %pm\n%m2@ = OpFunctionParameter %pm\n"
           "%mr@ = OpFunctionParameter %pr\n%n@ = OpFunctionParameter %i64\n%s@ = OpLabel\n"
           "%all@ = OpLoad %ids %gid\n%x@ = OpCompositeExtract %i64 %all@ 0\n");
    APPEND(is_lanes ? "%i@ = OpCopyObject %i64 %x@\n" : "%i@ = OpCopyObject %i64 %n@\n");
    APPEND("%rest@ = OpUMod %i64 %i@ %three\n%take@ = OpINotEqual %bool %rest@ %one\n"
           "OpBranchConditional %take@ %go@ %end@\n%go@ = OpLabel\n");
    for (uint32_t i = 0; i < op->count; i++) {
        append(out, size,
               "%e#@ = OpInBoundsPtrAccessChain %pm %m#@ %i@\n%l#@ = OpLoad %m %e#@ Aligned 1\n",
               suffix, i);
        append(out, size,
               op->from == 'b' ? "%v#@ = OpINotEqual %t %l#@ %zero\n"
                               : "%v#@ = OpCopyObject %t %l#@\n",
               suffix, i);
    }
    APPEND("%r@ = ");
    APPEND(is_core ? op->name : "OpExtInst");
    APPEND(op->to == 'b' ? " %vb " : " %t ");
    if (!is_core) APPEND("%std ");
    if (!is_core) APPEND(op->name);
    for (uint32_t i = 0; i < op->count; i++)
        append(out, size, " %v#@", suffix, i);
    APPEND("\n%er@ = OpInBoundsPtrAccessChain %pr %mr@ %i@\n");
    APPEND(op->to == 'b' ? "%w@ = OpSelect %vr %r@ %ones %zeros\n"
                         : "%w@ = OpCopyObject %vr %r@\n");
    APPEND("OpStore %er@ %w@ Aligned 1\nOpBranch %end@\n%end@ = OpLabel\nOpReturn\n"
           "OpFunctionEnd\n");
#undef APPEND
}

/* Declares %name as a vector of n components of type %compute; declares nothing if n is 1. */
static void vector_type(char *out, size_t size, const char *name, const char *compute, uint32_t n)
{
    size_t used = strlen(out);
    if (n > 1) {
        snprintf(out + used, size - used, "%%%s = OpTypeVector %%%s %u\n", name, compute, n);
    }
}

static void module_text(const operation *op, uint32_t bits, uint32_t n, char *out, size_t size)
{
    char scalar[8], types[512] = "", lanes[4096], uniform[4096];
    snprintf(scalar, sizeof scalar, "%c%u", op->from == 'b' ? 'i' : op->from, bits);
    bool is_ids = n == 3 && strcmp(scalar, "i64") == 0; /* a type may be declared only once */
    if (!is_ids) vector_type(types, sizeof types, "vm", scalar, n);
    vector_type(types, sizeof types, "vb", "bool", n);
    if (strcmp(scalar, "i8") != 0) vector_type(types, sizeof types, "v8", "i8", n);
    kernel_text(op, true, lanes, sizeof lanes);
    kernel_text(op, false, uniform, sizeof uniform);
    /* The names of three types: that of values in memory, that of truth values, and that of the
     * stored result. */
    const char *memory = is_ids ? "ids" : n > 1 ? "vm" : scalar, *truth = n > 1 ? "vb" : "bool";
    const char *bytes = n == 1 ? "i8" : strcmp(scalar, "i8") == 0 ? "vm" : "v8";
    const char *result = op->to == 'b' ? bytes : memory;
    static char text[12288];
    snprintf(text, sizeof text,
             "%s%s%s%%pm = OpTypePointer CrossWorkgroup %%m\n"
             "%%pr = OpTypePointer CrossWorkgroup %%vr\n"
             "%%kt = OpTypeFunction %%void %%pm %%pm %%pm %%pr %%i64\n"
             "%%zero = OpConstantNull %%m\n%%zeros = OpConstantNull %%vr\n",
             "OpCapability Vector16\n" SIM_TEST_PRELUDE "OpEntryPoint Kernel %kL \"lanes\" %gid\n"
             "OpEntryPoint Kernel %kU \"uniform\" %gid\n"
             "OpDecorate %gid BuiltIn GlobalInvocationId\n",
             "%void = OpTypeVoid\n%bool = OpTypeBool\n%i8 = OpTypeInt 8 0\n"
             "%i16 = OpTypeInt 16 0\n%i32 = OpTypeInt 32 0\n%i64 = OpTypeInt 64 0\n"
             "%f32 = OpTypeFloat 32\n%f64 = OpTypeFloat 64\n%ids = OpTypeVector %i64 3\n"
             "%pids = OpTypePointer Input %ids\n%gid = OpVariable %pids Input\n"
             "%one = OpConstant %i64 1\n%three = OpConstant %i64 3\n%b1 = OpConstant %i8 1\n",
             types);
    if (op->to == 'b') {
        strcat(text, n > 1 ? "%ones = OpConstantComposite %vr" : "%ones = OpConstant %vr 1");
        for (uint32_t i = 0; n > 1 && i < n; i++)
            strcat(text, " %b1");
        strcat(text, "\n");
    }
    strcat(text, lanes);
    strcat(text, uniform);
    /* Names that depend on the operation are replaced by the names of types declared above. */
    const char *const names[][2] = {{"%m ", memory},  {"%m\n", memory},
                                    {"%vr ", result}, {"%vr\n", result},
                                    {"%vb ", truth},  {"%t ", op->from == 'b' ? truth : memory}};
    out[0] = '\0';
    size_t used = 0;
    for (const char *p = text; *p && used + 64 < size;) {
        size_t k = 0;
        while (k < 6 && strncmp(p, names[k][0], strlen(names[k][0])) != 0)
            k++;
        bool is_declaration = strncmp(p, "%vb = OpTypeVector", 18) == 0;
        if (k < 6 && !is_declaration) {
            size_t length = strlen(names[k][0]);
            used += (size_t)snprintf(out + used, size - used, "%%%s%c", names[k][1],
                                     names[k][0][length - 1]);
            p += length;
        } else {
            out[used++] = *p++;
            out[used] = '\0';
        }
    }
}

/* ---- Running --------------------------------------------------------------------------------- */

typedef struct trial {
    const operation *op;
    uint32_t bits, n, stride; /* components; elements that a vector occupies in memory */
    uint32_t operand_bytes, result_bytes;
    cases *cases;
    harness h;
    sim_object memories[4];
} trial;

/* Component j of element i is case i + j. */
static uint32_t case_of(const trial *t, uint32_t i, uint32_t j)
{
    return (i + j) % t->cases->count;
}

static void memories_fill(trial *t)
{
    uint32_t elements = t->cases->count;
    for (uint32_t k = 0; k < 3; k++) {
        size_t size = (size_t)elements * t->stride * t->operand_bytes;
        uint8_t *data = rt_alloc(size);
        for (uint32_t i = 0; i < elements; i++) {
            for (uint32_t j = 0; j < t->stride; j++) {
                uint64_t value = t->cases->operands[k][case_of(t, i, j)];
                memcpy(data + ((size_t)i * t->stride + j) * t->operand_bytes, &value,
                       t->operand_bytes);
            }
        }
        t->memories[k] = harness_memory(&t->h, "operand", data, size);
        rt_free(data);
    }
    size_t size = (size_t)elements * t->stride * t->result_bytes;
    uint8_t *data = rt_alloc(size);
    memset(data, 0xee, size);
    t->memories[3] = harness_memory(&t->h, "result", data, size);
    rt_free(data);
}

static bool is_match(const trial *t, uint64_t seen, uint64_t wanted)
{
    if (t->op->to != 'f' || number(t->bits, wanted) == number(t->bits, wanted))
        return seen == wanted;
    return number(t->bits, seen) != number(t->bits, seen); /* any NaN */
}

/* Checks that every element that took part has its result and every other is unchanged. */
static void results_check(trial *t, uint32_t first, uint32_t last)
{
    size_t size = (size_t)t->cases->count * t->stride * t->result_bytes;
    uint8_t *data = rt_alloc(size);
    harness_read_back(&t->h, t->memories[3], data, size);
    for (uint32_t i = first; i < last; i++) {
        for (uint32_t j = 0; j < t->n; j++) {
            uint64_t seen = 0, wanted = UINT64_C(0xeeeeeeeeeeeeeeee);
            memcpy(&seen, data + ((size_t)i * t->stride + j) * t->result_bytes, t->result_bytes);
            uint32_t k = case_of(t, i, j);
            if (i % 3 != 1) wanted = t->cases->results[k];
            wanted &= mask_of(8 * t->result_bytes);
            if (i % 3 == 1 ? seen == wanted : is_match(t, seen, wanted)) continue;
            fail_msg("%s of %u bits, %u components, element %u: (%llx, %llx, %llx) gives %llx, "
                     "expected %llx",
                     t->op->name, t->bits, t->n, i, (unsigned long long)t->cases->operands[0][k],
                     (unsigned long long)t->cases->operands[1][k],
                     (unsigned long long)t->cases->operands[2][k], (unsigned long long)seen,
                     (unsigned long long)wanted);
        }
    }
    rt_free(data);
}

static void launch(trial *t, const char *kernel, uint32_t items, uint64_t index, verdict wanted)
{
    sim_argument arguments[] = {harness_global(t->memories[0]), harness_global(t->memories[1]),
                                harness_global(t->memories[2]), harness_global(t->memories[3]),
                                harness_value(&index, 8)};
    sim_range range = harness_range(items, 1);
    sim_range_choose_local(sim_program_kernel(t->h.program, rt_text_of(kernel)), &range);
    harness_try(&t->h, kernel, range, arguments, 5);
    assert_true(rt_ok(t->h.status));
    if (t->h.finding_count != (wanted == FOUND ? 1 : 0)) {
        fail_msg("%s of %u bits, %u components: %u findings in kernel %s", t->op->name, t->bits,
                 t->n, t->h.finding_count, kernel);
    }
    if (wanted == FOUND) assert_string_equal(t->h.findings[0].kind, "undefined-arithmetic");
}

static void cases_run(trial *t, verdict wanted, uint32_t engine)
{
    if (t->cases->count == 0) return;
    t->h.world->engine = engine;
    memories_fill(t);
    launch(t, "lanes", t->cases->count, 0, wanted);
    if (wanted == DEFINED) results_check(t, 0, t->cases->count);
    for (uint32_t i = 0; i < t->cases->count && i < 12; i += 2) {
        if (i % 3 == 1) continue;
        launch(t, "uniform", 1, i, wanted);
        if (wanted == DEFINED) results_check(t, i, i + 1);
    }
    for (uint32_t k = 0; k < 4; k++)
        sim_object_destroy(t->h.world, t->memories[k]);
}

static void operation_try(const operation *op, uint32_t bits, uint32_t n)
{
    static cases defined, found;
    static char text[16384];
    cases_make(op, bits, DEFINED, &defined);
    cases_make(op, bits, FOUND, &found);
    if (defined.count + found.count == 0) return;
    module_text(op, bits, n, text, sizeof text);
    trial t = {.op = op, .bits = bits, .n = n, .stride = n == 3 ? 4 : n};
    t.operand_bytes = bits / 8;
    t.result_bytes = op->to == 'b' ? 1 : bits / 8;
    t.h = harness_text(text);
    for (uint32_t engine = 0; engine < SIM_ENGINE_COUNT; engine++) {
        if (!sim_engine_at(engine)) continue;
        t.cases = &defined;
        cases_run(&t, DEFINED, engine);
        t.cases = &found;
        cases_run(&t, FOUND, engine);
    }
    harness_close(&t.h);
}

static void group_try(const operation *operations, size_t count, const uint32_t *widths,
                      size_t width_count)
{
    static const uint32_t components[] = {1, 2, 3, 4, 8, 16};
    for (size_t i = 0; i < count; i++) {
        for (size_t w = 0; w < width_count; w++) {
            for (size_t k = 0; k < sizeof components / sizeof *components; k++)
                operation_try(&operations[i], widths[w], components[k]);
        }
    }
}

#define GROUP_TRY(table, ...)                                                                      \
    do {                                                                                           \
        static const uint32_t widths[] = {__VA_ARGS__};                                            \
        group_try(table, sizeof(table) / sizeof *(table), widths, sizeof widths / sizeof *widths); \
    } while (0)

static void on_integers(void **state)
{
    (void)state;
    GROUP_TRY(integers, 8, 16, 32, 64);
}
static void on_truths(void **state)
{
    (void)state;
    GROUP_TRY(truths, 8);
}
static void on_floats(void **state)
{
    (void)state;
    GROUP_TRY(floats, 32, 64);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(on_integers),
        cmocka_unit_test(on_truths),
        cmocka_unit_test(on_floats),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
