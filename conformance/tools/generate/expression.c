/* Expressions, generated from a table of forms.
 *
 * Each form has exactly the requested type, so that overloads are never ambiguous, and is
 * parenthesised or a call.  Signed sums are computed unsigned, where overflow is defined; divisors
 * are positive.  Products of floats that GEN_DEPTH levels can build from leaves (at most 1024,
 * multiples of 1/16; place.c) are finite in float and have no bits below 2^-32. */
#include "conformance/tools/generate/generate_internal.h"

#include <inttypes.h>

/* The table's classes of types. */
enum {
    SMALL_SIGNED = 1,
    SMALL_UNSIGNED = 2,
    WIDE_SIGNED = 4,
    WIDE_UNSIGNED = 8,
    VECTOR_SIGNED = 16,
    VECTOR_UNSIGNED = 32,
    REAL = 64,
    REAL_VECTOR = 128,
    HALVED = 256,   /* flag: a type that has a counterpart with half its bits */
    SHUFFLED = 512, /* flag: a vector that can be shuffled */
    SMALL = SMALL_SIGNED | SMALL_UNSIGNED,
    SCALAR = SMALL | WIDE_SIGNED | WIDE_UNSIGNED,
    VECTOR = VECTOR_SIGNED | VECTOR_UNSIGNED,
    SIGNED = SMALL_SIGNED | WIDE_SIGNED | VECTOR_SIGNED,
    UNSIGNED = SMALL_UNSIGNED | WIDE_UNSIGNED | VECTOR_UNSIGNED,
    INTEGER = SCALAR | VECTOR,
    REALS = REAL | REAL_VECTOR,
};

/* $T is the type, $U and $S the unsigned and signed type of its size; $a an operand of the type, $u
 * and $s of those types, $o of another integer type of its width, $h of half its bits and $l of the
 * unsigned one, $f of a float; $c a condition, $k a number below its bits, $1 to $9 that number as
 * a literal of the type, $r a rounding mode.  Omitted because some implementations get them wrong:
 * mad_sat, negated floats, and shuffles of floats (FINDINGS.md). */
typedef struct form {
    uint32_t types;
    const char *text;
} form;

static const form forms[] = {
    {SMALL, "($T)($a + $a)"},
    {SMALL, "($T)($a - $a)"},
    {SMALL, "($T)((uint)$a * (uint)$a)"},
    {SMALL, "($T)($a / (($a & 7) + 2))"},
    {SMALL, "($T)($a % (($a & 15) + 3))"},
    {SMALL, "($T)((uint)$a << ($a & $k))"},
    {SMALL, "($T)($a >> ($a & $k))"},
    {SCALAR, "($T)($a & $a)"},
    {SCALAR, "($T)($a | $a)"},
    {SCALAR, "($T)($a ^ $a)"},
    {SCALAR, "($T)(~$a)"},
    {SMALL, "($T)(-$a)"},
    {SCALAR, "($T)($a < $a)"},
    {SCALAR, "($T)($a == $a)"},
    {SCALAR, "($T)($c && $c)"},
    {SCALAR, "($T)(!$c)"},
    {SCALAR, "($T)($c ? $a : $a)"},
    {WIDE_UNSIGNED, "($a + $a)"},
    {WIDE_UNSIGNED, "($a - $a)"},
    {WIDE_UNSIGNED, "($a * $a)"},
    {WIDE_UNSIGNED, "($a / ($a | 1))"},
    {WIDE_UNSIGNED, "($a % ($a | 1))"},
    {WIDE_UNSIGNED, "($a << $k)"},
    {WIDE_UNSIGNED, "($a << $a)"},
    {WIDE_UNSIGNED, "($a >> $a)"},
    {WIDE_UNSIGNED, "(-$a)"},
    {WIDE_SIGNED, "($T)(($U)$a + ($U)$a)"},
    {WIDE_SIGNED, "($T)(($U)$a - ($U)$a)"},
    {WIDE_SIGNED, "($T)(($U)$a * ($U)$a)"},
    {WIDE_SIGNED, "($a / (($a & 7) + 2))"},
    {WIDE_SIGNED, "($a % (($a & 15) + 3))"},
    {WIDE_SIGNED, "($T)(($U)$a << ($a & $k))"},
    {WIDE_SIGNED, "($a >> ($a & $k))"},
    {WIDE_SIGNED, "($T)(-($U)$a)"},
    {VECTOR_UNSIGNED, "($a + $a)"},
    {VECTOR_UNSIGNED, "($a - $a)"},
    {VECTOR_UNSIGNED, "($a * $a)"},
    {VECTOR_UNSIGNED, "($a / ($a | $1))"},
    {VECTOR_UNSIGNED, "($a % ($a | $1))"},
    {VECTOR_UNSIGNED, "($a << $a)"},
    {VECTOR, "($a >> $a)"},
    {VECTOR, "($a & $a)"},
    {VECTOR, "($a | $a)"},
    {VECTOR, "($a ^ $a)"},
    {VECTOR, "(~$a)"},
    {VECTOR_SIGNED, "as_$T(as_$U($a) + as_$U($a))"},
    {VECTOR_SIGNED, "as_$T(as_$U($a) - as_$U($a))"},
    {VECTOR_SIGNED, "as_$T(as_$U($a) * as_$U($a))"},
    {VECTOR_SIGNED, "as_$T(as_$U($a) << as_$U($a))"},
    {VECTOR_SIGNED, "($a / (($a & $7) + $2))"},
    {VECTOR_SIGNED, "($a % (($a & $7) + $3))"},
    {VECTOR, "as_$T($a < $a)"},
    {VECTOR, "as_$T($a != $a)"},
    {VECTOR, "($s ? $a : $a)"},
    {VECTOR, "select($a, $a, $s)"},
    {VECTOR, "select($a, $a, $u)"},
    {VECTOR | SHUFFLED, "shuffle($a, $u)"},
    {VECTOR | SHUFFLED, "shuffle2($a, $a, $u)"},
    {INTEGER, "as_$T($u)"},
    {INTEGER, "as_$T(abs($s))"},
    {INTEGER, "as_$T(abs_diff($a, $a))"},
    {INTEGER, "add_sat($a, $a)"},
    {INTEGER, "sub_sat($a, $a)"},
    {INTEGER, "hadd($a, $a)"},
    {INTEGER, "rhadd($a, $a)"},
    {INTEGER, "mul_hi($a, $a)"},
    {UNSIGNED, "mad_hi($a, $a, $a)"},
    {INTEGER, "min($a, $a)"},
    {INTEGER, "max($a, $a)"},
    {INTEGER, "clamp($a, $2, $9)"},
    {INTEGER, "rotate($a, $a)"},
    {INTEGER, "clz($a)"},
    {INTEGER, "popcount($a)"},
    {INTEGER, "bitselect($a, $a, $a)"},
    {INTEGER, "convert_$T($o)"},
    {INTEGER, "convert_$T_sat($o)"},
    {INTEGER, "convert_$T_sat$r($f)"},
    {INTEGER | HALVED, "upsample($h, $l)"},
    {REALS, "($a + $a)"},
    {REALS, "($a - $a)"},
    {REALS, "($a * $a)"},
    {REALS, "fma($a, $a, $a)"},
    {REALS, "fabs($a)"},
    {REALS, "floor($a)"},
    {REALS, "ceil($a)"},
    {REALS, "trunc($a)"},
    {REALS, "rint($a)"},
    {REALS, "round($a)"},
    {REALS, "min($a, $a)"},
    {REALS, "max($a, $a)"},
    {REALS, "clamp($a, $2, $9)"},
    {REAL, "ldexp($a, 2)"},
    {REAL, "($c ? $a : $a)"},
    {REAL_VECTOR, "($a < $a ? $a : $a)"},
    {REAL_VECTOR, "select($a, $a, $u)"},
};

enum { FORM_COUNT = sizeof forms / sizeof *forms };

/* Draws mostly small numbers, sometimes the least or the greatest one, sometimes any number. */
static rt_text integer_literal(gen *g, gen_type type)
{
    uint32_t bits = gen_type_bits(type);
    uint64_t value = gen_random_bits(&g->random) >> (64 - bits);
    switch (gen_below(g, 6)) {
    case 0: break;
    case 1: value = UINT64_MAX >> (64 - bits + gen_below(g, 2)); break;
    case 2: value = UINT64_C(1) << gen_below(g, bits); break;
    case 3: value &= 0x7f; break;
    default: value &= 0xf; break;
    }
    CHECK(value <= UINT64_MAX >> (64 - bits));
    rt_text name = gen_type_name(&g->arena, type);
    const char *suffix = gen_type_suffix(type);
    bool is_negative = gen_type_is_signed(type) && value >> (bits - 1);
    uint64_t magnitude = is_negative ? (UINT64_MAX >> (64 - bits)) - value + 1 : value;
    if (bits < 32) { /* an int would select the overload for ints */
        return rt_arena_printf(&g->arena, "(%.*s)%s%" PRIu64, RT_TEXT_ARG(name),
                               is_negative ? "-" : "", magnitude);
    }
    if (!is_negative)
        return rt_arena_printf(&g->arena, magnitude > 0xffff ? "0x%" PRIx64 "%s" : "%" PRIu64 "%s",
                               magnitude, suffix);
    if (magnitude >> (bits - 1)) /* the least number, whose magnitude is not representable */
        return rt_arena_printf(&g->arena, "(%.*s)0x%" PRIx64 "ul", RT_TEXT_ARG(name), magnitude);
    return rt_arena_printf(&g->arena, "(-%" PRIu64 "%s)", magnitude, suffix);
}

rt_text gen_literal(gen *g, gen_type type)
{
    if (type.width == 1 && !gen_type_is_real(type)) return integer_literal(g, type);
    if (type.width == 1) {
        /* A multiple of 1/16 that is at most 1024. */
        int32_t sixteenths = (int32_t)gen_below(g, gen_chance(g, 50) ? 256 : 16384) - 128;
        CHECK(sixteenths <= 1024 * 16);
        return rt_arena_printf(&g->arena, sixteenths < 0 ? "(%.8g%s%s)" : "%.8g%s%s",
                               sixteenths / 16.0, sixteenths % 16 ? "" : ".0",
                               gen_type_suffix(type));
    }
    rt_buffer text = {0};
    rt_buffer_printf(&text, "(%.*s)(", RT_TEXT_ARG(gen_type_name(&g->arena, type)));
    for (uint32_t i = 0; i < type.width; i++) {
        rt_text component = gen_literal(g, gen_type_component(type));
        rt_buffer_printf(&text, "%s%.*s", i == 0 ? "" : ", ", RT_TEXT_ARG(component));
    }
    rt_buffer_append_byte(&text, ')');
    return gen_keep(g, &text);
}

rt_text gen_condition(gen *g, uint32_t depth)
{
    static const char *const comparisons[] = {"<", ">", "<=", ">=", "==", "!="};
    gen_type type = gen_type_component(gen_any_type(g));
    uint32_t inner = depth > 0 ? depth - 1 : 0;
    rt_text left = gen_expression(g, type, inner);
    rt_text right = gen_expression(g, type, inner);
    return rt_arena_printf(&g->arena, "(%.*s %s %.*s)", RT_TEXT_ARG(left),
                           comparisons[gen_below(g, 6)], RT_TEXT_ARG(right));
}

rt_text gen_index(gen *g, uint32_t count)
{
    if (gen_chance(g, 40)) return rt_arena_printf(&g->arena, "%u", gen_below(g, count));
    rt_text text = gen_expression(g, (gen_type){GEN_UINT, 1}, gen_below(g, 2));
    bool is_power = (count & (count - 1)) == 0;
    return rt_arena_printf(&g->arena, is_power ? "%.*s & %u" : "%.*s %% %u", RT_TEXT_ARG(text),
                           is_power ? count - 1 : count);
}

/* Expands the letter after "$". */
static rt_text expand(gen *g, char letter, gen_type type, uint32_t depth)
{
    static const char *const modes[] = {"", "_rte", "_rtz", "_rtp", "_rtn"};
    gen_type other_integer = {gen_any_integer(g).base, type.width};
    gen_type real = {gen_chance(g, 80) ? GEN_FLOAT : GEN_DOUBLE, type.width};
    gen_type half = {(gen_base)(type.base - 2), type.width};
    CHECK_IMPLIES(letter == 'h' || letter == 'l',
                  !gen_type_is_real(type) && gen_type_bits(type) > 8);
    switch (letter) {
    case 'T': return gen_type_name(&g->arena, type);
    case 'U': return gen_type_name(&g->arena, gen_type_unsigned(type));
    case 'S': return gen_type_name(&g->arena, gen_type_signed(type));
    case 'a': return gen_expression(g, type, depth);
    case 'u': return gen_expression(g, gen_type_unsigned(type), depth);
    case 's': return gen_expression(g, gen_type_signed(type), depth);
    case 'o': return gen_expression(g, other_integer, depth);
    case 'f': return gen_expression(g, real, depth);
    case 'h': return gen_expression(g, half, depth);
    case 'l': return gen_expression(g, gen_type_unsigned(half), depth);
    case 'c': return gen_condition(g, depth);
    case 'r': return rt_text_of(modes[gen_below(g, 5)]);
    case 'k': return rt_arena_printf(&g->arena, "%u", 1 + gen_below(g, gen_type_bits(type) - 1));
    default: break;
    }
    CHECK(letter >= '1' && letter <= '9');
    return rt_arena_printf(&g->arena, "(%.*s)(%c)", RT_TEXT_ARG(gen_type_name(&g->arena, type)),
                           letter);
}

/* Prefers leaves that need no conversion, which are more readable. */
static rt_text make_leaf(gen *g, gen_type type)
{
    rt_text text;
    gen_type from;
    const gen_variable *value = gen_chance(g, 50) ? gen_value_of(g, type) : NULL;
    if (value) return value->name;
    if (gen_chance(g, 25) || !gen_place(g, false, &text, &from)) return gen_literal(g, type);
    return gen_convert(g, text, from, type);
}

rt_text gen_expression(gen *g, gen_type type, uint32_t depth)
{
    CHECK(depth <= GEN_DEPTH);
    if (depth == 0 || gen_chance(g, 25)) return make_leaf(g, type);
    if (gen_chance(g, 12)) {
        const gen_function *function = gen_callable(g, false);
        rt_text call;
        if (function && gen_call(g, function, depth - 1, &call))
            return gen_convert(g, call, function->result, type);
    }
    const bool is_vector = type.width > 1, is_signed = gen_type_is_signed(type);
    const uint32_t bits = gen_type_bits(type);
    uint32_t class = is_signed ? WIDE_SIGNED : WIDE_UNSIGNED;
    if (bits < 32) class = is_signed ? SMALL_SIGNED : SMALL_UNSIGNED;
    if (is_vector) class = is_signed ? VECTOR_SIGNED : VECTOR_UNSIGNED;
    if (gen_type_is_real(type)) class = is_vector ? REAL_VECTOR : REAL;
    const form *row;
    do /* every type has forms */
        row = &forms[gen_below(g, FORM_COUNT)];
    while (!(row->types & class) || (row->types & HALVED && bits == 8) ||
           (row->types & SHUFFLED && type.width == 3));
    rt_buffer text = {0};
    for (const char *at = row->text; *at; at++) {
        if (*at == '$')
            rt_buffer_append_text(&text, expand(g, *++at, type, depth - 1));
        else
            rt_buffer_append_byte(&text, *at);
    }
    return gen_keep(g, &text);
}
