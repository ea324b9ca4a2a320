/* Numbers: syntax, range, bytes.  The bytes are little-endian whatever the machine is. */
#include "conformance/scenario/number.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(float) == 4 && FLT_MANT_DIG == 24, "float is binary32");
_Static_assert(sizeof(double) == 8 && DBL_MANT_DIG == 53, "double is binary64");

/* ---- Syntax ------------------------------------------------------------------------------- */

static int digit_value(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return 99;
}

static rt_text skip(rt_text text, size_t count)
{
    CHECK(count <= text.length);
    return (rt_text){text.data + count, text.length - count};
}

static rt_text without_sign(rt_text text, bool *out_negative)
{
    bool sign = text.length > 0 && (text.data[0] == '-' || text.data[0] == '+');
    *out_negative = sign && text.data[0] == '-';
    return sign ? skip(text, 1) : text;
}

static bool is_hexadecimal(rt_text text)
{
    return rt_text_starts(text, "0x") || rt_text_starts(text, "0X");
}

/* Passes the digits at the text's beginning. */
static rt_text without_digits(rt_text text, int base)
{
    size_t count = 0;
    while (count < text.length && digit_value(text.data[count]) < base)
        count++;
    return skip(text, count);
}

/* Why the text is no whole number; NULL when it is one, *out_integer then holds it. */
static const char *integer_parse(rt_text text, scn_integer *out_integer)
{
    *out_integer = (scn_integer){0};
    bool negative;
    rt_text digits = without_sign(text, &negative);
    int base = is_hexadecimal(digits) ? 16 : 10;
    if (base == 16) digits = skip(digits, 2);
    if (digits.length == 0 || without_digits(digits, base).length > 0) return "";
    if (base == 10 && digits.length > 1 && digits.data[0] == '0') {
        return "; a decimal number has no leading zeros, and there are no octal ones";
    }
    uint64_t magnitude = 0;
    for (size_t i = 0; i < digits.length; i++) {
        uint64_t digit = (uint64_t)digit_value(digits.data[i]);
        if (magnitude > (UINT64_MAX - digit) / (uint64_t)base) return "; it has more than 64 bits";
        magnitude = magnitude * (uint64_t)base + digit;
    }
    *out_integer = (scn_integer){negative && magnitude > 0, magnitude};
    return NULL;
}

/* True for what strtod takes as a number with a digit, and nothing else that it takes. */
static bool is_floating(rt_text text)
{
    bool ignored;
    rt_text rest = without_sign(text, &ignored);
    int base = is_hexadecimal(rest) ? 16 : 10;
    if (base == 16) rest = skip(rest, 2);
    size_t before = rest.length;
    rest = without_digits(rest, base);
    size_t digit_count = before - rest.length;
    if (rest.length > 0 && rest.data[0] == '.') {
        rest = skip(rest, 1);
        before = rest.length;
        rest = without_digits(rest, base);
        digit_count += before - rest.length;
    }
    if (digit_count == 0) return false;
    if (rest.length == 0) return true;
    char marker = base == 16 ? 'p' : 'e';
    if (rest.data[0] != marker && rest.data[0] != marker - 'a' + 'A') return false;
    rest = without_sign(skip(rest, 1), &ignored);
    return rest.length > 0 && without_digits(rest, 10).length == 0;
}

static bool has_digit_but_zero(rt_text text)
{
    bool ignored;
    rt_text rest = without_sign(text, &ignored);
    int base = is_hexadecimal(rest) ? 16 : 10;
    if (base == 16) rest = skip(rest, 2);
    for (size_t i = 0; i < rest.length; i++) {
        if (rest.data[i] == '.') continue;
        if (digit_value(rest.data[i]) >= base || rest.data[i] == (base == 16 ? 'p' : 'e')) break;
        if (rest.data[i] != '0') return true;
    }
    return false;
}

/* ---- Whole numbers ------------------------------------------------------------------------ */

/* True when the node may be a number at all; reports what was expected otherwise. */
static bool plain_check(scn_reporter *reporter, const scn_node *node, const char *noun)
{
    if (node->kind == SCN_NODE_SCALAR && node->style != SCN_STYLE_PLAIN) {
        return scn_report(reporter, node->at,
                          "expected %s, found the text '%s'; write numbers without quotes", noun,
                          scn_shown(reporter->arena, node->text));
    }
    if (node->kind == SCN_NODE_SCALAR && node->text.length > 0) return true;
    return scn_report(reporter, node->at, "expected %s, found %s", noun,
                      scn_node_describe(reporter->arena, node));
}

bool scn_integer_read(scn_reporter *reporter, const scn_node *node, const char *noun,
                      scn_integer *out_integer)
{
    *out_integer = (scn_integer){0};
    if (!plain_check(reporter, node, noun)) return false;
    const char *why = integer_parse(node->text, out_integer);
    if (!why) return true;
    return scn_report(reporter, node->at, "expected %s, a whole number, found '%s'%s", noun,
                      scn_shown(reporter->arena, node->text), why);
}

static void put_little_endian(uint64_t value, uint32_t size_bytes, uint8_t *out_bytes)
{
    for (uint32_t i = 0; i < size_bytes; i++)
        out_bytes[i] = (uint8_t)(value >> (8 * i));
}

static bool integer_fits(scn_type type, scn_integer integer)
{
    uint32_t bits = 8 * scn_type_size(type);
    bool is_signed = scn_type_class(type) == 'i';
    uint64_t most = UINT64_MAX >> (64 - bits + (is_signed ? 1 : 0));
    if (!integer.negative) return integer.magnitude <= most;
    return is_signed && integer.magnitude <= most + 1;
}

static bool integer_element(scn_reporter *reporter, scn_type type, const scn_node *node,
                            uint8_t *out_bytes)
{
    scn_integer integer;
    const char *noun =
        rt_arena_printf(reporter->arena, "a value of type %s", scn_type_name(type)).data;
    if (!scn_integer_read(reporter, node, noun, &integer)) return false;
    if (!integer_fits(type, integer)) {
        return scn_report(reporter, node->at, "%s does not fit into type %s",
                          scn_shown(reporter->arena, node->text), scn_type_name(type));
    }
    uint64_t value = integer.negative ? 0 - integer.magnitude : integer.magnitude;
    put_little_endian(value, scn_type_size(type), out_bytes);
    return true;
}

/* ---- Floating numbers --------------------------------------------------------------------- */

static void put_float(scn_type type, double value, uint8_t *out_bytes)
{
    uint64_t bits64;
    uint32_t bits32;
    float narrow = (float)value;
    memcpy(&bits64, &value, sizeof bits64);
    memcpy(&bits32, &narrow, sizeof bits32);
    bool single = type == SCN_TYPE_FLOAT;
    put_little_endian(single ? bits32 : bits64, scn_type_size(type), out_bytes);
}

typedef struct special_row {
    const char *name;
    uint32_t bits32;
    uint64_t bits64;
} special_row;

static const special_row specials[] = {
    {"nan", 0x7FC00000u, UINT64_C(0x7FF8000000000000)},
    {"inf", 0x7F800000u, UINT64_C(0x7FF0000000000000)},
    {"+inf", 0x7F800000u, UINT64_C(0x7FF0000000000000)},
    {"-inf", 0xFF800000u, UINT64_C(0xFFF0000000000000)},
};

static bool special_element(scn_type type, rt_text text, uint8_t *out_bytes)
{
    for (size_t i = 0; i < sizeof specials / sizeof *specials; i++) {
        if (!rt_text_is(text, specials[i].name)) continue;
        bool single = type == SCN_TYPE_FLOAT;
        put_little_endian(single ? specials[i].bits32 : specials[i].bits64, scn_type_size(type),
                          out_bytes);
        return true;
    }
    return false;
}

/* The nearest value of the type.  strtof, not a rounded strtod: rounding twice can miss. */
static double nearest_value(scn_type type, const char *digits)
{
    return type == SCN_TYPE_FLOAT ? (double)strtof(digits, NULL) : strtod(digits, NULL);
}

/* True when a hexadecimal float is a value of the type.  Sixteen digits fit into a long double; a
 * value with a digit beyond them fits into neither type. */
static bool is_exact(scn_type type, rt_text text)
{
    _Static_assert(LDBL_MANT_DIG >= 64, "16 hexadecimal digits fit into a long double");
    bool ignored;
    rt_text digits = skip(without_sign(text, &ignored), 2);
    uint32_t place = 0; /* of the digit, counted from the first that is not zero */
    for (size_t i = 0; i < digits.length; i++) {
        int digit = digit_value(digits.data[i]);
        if (digits.data[i] == '.' || (place == 0 && digit == 0)) continue;
        if (digit >= 16) break; /* the exponent */
        if (++place > 16 && digit != 0) return false;
    }
    return strtold(text.data, NULL) == (long double)nearest_value(type, text.data);
}

static bool float_element(scn_reporter *reporter, scn_type type, const scn_node *node,
                          uint8_t *out_bytes)
{
    const char *name = scn_type_name(type), *shown = scn_shown(reporter->arena, node->text);
    const char *noun = rt_arena_printf(reporter->arena, "a value of type %s", name).data;
    if (!plain_check(reporter, node, noun)) return false;
    if (special_element(type, node->text, out_bytes)) return true;
    if (!is_floating(node->text)) {
        return scn_report(reporter, node->at,
                          "expected %s (3, 0.5, 1e-3, 0x1.8p-3, inf, -inf, nan), found '%s'", noun,
                          shown);
    }
    const char *digits = node->text.data; /* the tree's texts are NUL-terminated */
    double value = nearest_value(type, digits);
    bool sign;
    if (isinf(value) || (value == 0 && has_digit_but_zero(node->text))) {
        return scn_report(reporter, node->at, "%s is too %s for type %s", shown,
                          isinf(value) ? "large" : "near zero", name);
    }
    if (is_hexadecimal(without_sign(node->text, &sign)) && !is_exact(type, node->text)) {
        return scn_report(reporter, node->at,
                          "%s is no value of type %s; a hexadecimal float must be exact", shown,
                          name);
    }
    put_float(type, value, out_bytes);
    return true;
}

bool scn_element_read(scn_reporter *reporter, scn_type type, const scn_node *node,
                      uint8_t *out_bytes)
{
    if (scn_type_class(type) == 'f') return float_element(reporter, type, node, out_bytes);
    return integer_element(reporter, type, node, out_bytes);
}

bool scn_element_of_index(scn_type type, uint64_t n, uint8_t *out_bytes)
{
    if (scn_type_class(type) == 'f') {
        uint64_t exact_max = UINT64_C(1) << (type == SCN_TYPE_FLOAT ? FLT_MANT_DIG : DBL_MANT_DIG);
        if (n > exact_max) return false;
        put_float(type, (double)n, out_bytes);
        return true;
    }
    if (!integer_fits(type, (scn_integer){false, n})) return false;
    put_little_endian(n, scn_type_size(type), out_bytes);
    return true;
}
