/* Reads numbers: syntax, range, conversion to bytes. The bytes are little-endian on every machine.
 */
#include "conformance/scenario/yaml/number.h"

#include "reference/base/number.h"

#include <fenv.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(float) == 4 && FLT_MANT_DIG == 24, "float is binary32");
_Static_assert(sizeof(double) == 8 && DBL_MANT_DIG == 53, "double is binary64");

/* ---- Syntax ------------------------------------------------------------------------------- */

static rt_text without_sign(rt_text text, bool *out_negative)
{
    bool sign = text.length > 0 && (text.data[0] == '-' || text.data[0] == '+');
    *out_negative = sign && text.data[0] == '-';
    return sign ? rt_text_skip(text, 1) : text;
}

static bool is_hexadecimal(rt_text text)
{
    return rt_text_starts(text, "0x") || rt_text_starts(text, "0X");
}

/* Skips the digits at the start of the text. */
static rt_text without_digits(rt_text text, int base)
{
    size_t count = 0;
    for (; count < text.length; count++) {
        int digit = rt_hex_digit(text.data[count]);
        if (digit < 0 || digit >= base) break;
    }
    return rt_text_skip(text, count);
}

/* Returns NULL if the text is a whole number, which *out_integer receives; otherwise the reason, as
 * the end of a message. */
static const char *integer_parse(rt_text text, scn_integer *out_integer)
{
    *out_integer = (scn_integer){0};
    bool negative;
    rt_text digits = without_sign(text, &negative);
    int base = is_hexadecimal(digits) ? 16 : 10;
    if (base == 16) digits = rt_text_skip(digits, 2);
    rt_text rest = digits;
    uint64_t magnitude;
    bool fits = rt_number_take(&rest, (uint32_t)base, UINT64_MAX, &magnitude);
    if (digits.length == 0 || rest.length > 0) return "";
    if (base == 10 && digits.length > 1 && digits.data[0] == '0') {
        return "; remove the leading zeros, because octal numbers are not supported";
    }
    if (!fits) return "; it needs more than 64 bits";
    *out_integer = (scn_integer){negative && magnitude > 0, magnitude};
    return NULL;
}

/* True for exactly those texts that strtod reads as a number with digits (not as an infinity or
 * NaN). */
static bool is_floating(rt_text text)
{
    bool ignored;
    rt_text rest = without_sign(text, &ignored);
    int base = is_hexadecimal(rest) ? 16 : 10;
    if (base == 16) rest = rt_text_skip(rest, 2);
    size_t before = rest.length;
    rest = without_digits(rest, base);
    size_t digit_count = before - rest.length;
    if (rest.length > 0 && rest.data[0] == '.') {
        rest = rt_text_skip(rest, 1);
        before = rest.length;
        rest = without_digits(rest, base);
        digit_count += before - rest.length;
    }
    if (digit_count == 0) return false;
    if (rest.length == 0) return true;
    char marker = base == 16 ? 'p' : 'e';
    if (rest.data[0] != marker && rest.data[0] != marker - 'a' + 'A') return false;
    rest = without_sign(rt_text_skip(rest, 1), &ignored);
    return rest.length > 0 && without_digits(rest, 10).length == 0;
}

static bool has_digit_but_zero(rt_text text)
{
    bool ignored;
    rt_text rest = without_sign(text, &ignored);
    int base = is_hexadecimal(rest) ? 16 : 10;
    if (base == 16) rest = rt_text_skip(rest, 2);
    for (size_t i = 0; i < rest.length; i++) {
        if (rest.data[i] == '.') continue;
        int digit = rt_hex_digit(rest.data[i]);
        if (digit < 0 || digit >= base) break;
        if (rest.data[i] != '0') return true;
    }
    return false;
}

/* ---- Whole numbers ------------------------------------------------------------------------ */

/* True if the node could be a number, a plain scalar; otherwise reports what was expected. */
static bool plain_check(scn_reporter *reporter, const scn_node *node, const char *noun)
{
    if (node->kind == SCN_NODE_SCALAR && node->style != SCN_STYLE_PLAIN) {
        return scn_report(reporter, node->at,
                          "expected %s, found the text '%s'; write numbers without quotes", noun,
                          scn_excerpt(reporter->arena, node->text));
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
                      scn_excerpt(reporter->arena, node->text), why);
}

static void put_little_endian(uint64_t value, uint32_t size_bytes, uint8_t *out_bytes)
{
    for (uint32_t i = 0; i < size_bytes; i++)
        out_bytes[i] = (uint8_t)(value >> (8 * i));
}

/* ---- Floating numbers --------------------------------------------------------------------- */

typedef struct float_format {
    uint32_t fraction_bits;
    uint64_t infinity; /* bits of positive infinity */
} float_format;

static float_format format_of(scn_type type)
{
    CHECK(scn_type_class(type) == 'f');
    if (type == SCN_TYPE_HALF) return (float_format){10, 0x7C00};
    if (type == SCN_TYPE_FLOAT) return (float_format){23, 0x7F800000};
    return (float_format){52, UINT64_C(0x7FF0000000000000)};
}

/* The nearest half-precision value, as a double; ties go to even. */
static double half_nearest(double value)
{
    if (value == 0 || isinf(value)) return value;
    int exponent;
    frexp(value, &exponent);
    int unit = exponent - 11 < -24 ? -24 : exponent - 11; /* exponent of the unit in the last place
                                                           */
    double nearest = ldexp(nearbyint(ldexp(value, -unit)), unit);
    return fabs(nearest) > 65504 ? copysign(HUGE_VAL, nearest) : nearest;
}

/* The bits of a half-precision value, which is given as a double. */
static uint64_t half_bits(double value)
{
    uint64_t sign = signbit(value) ? 0x8000 : 0;
    double magnitude = fabs(value);
    if (isinf(value)) return sign | 0x7C00;
    if (magnitude < 0x1p-14) return sign | (uint64_t)ldexp(magnitude, 24);
    int exponent;
    frexp(value, &exponent);
    CHECK(exponent >= -13 && exponent <= 16);
    uint64_t significand = (uint64_t)ldexp(magnitude, 11 - exponent);
    CHECK(significand >= 1024 && significand < 2048);
    return sign | (uint64_t)(exponent + 14) << 10 | (significand - 1024);
}

/* Writes a value that the type can represent exactly. */
static void put_floating(scn_type type, double value, uint8_t *out_bytes)
{
    uint64_t bits64;
    uint32_t bits32;
    float narrow = (float)value;
    memcpy(&bits64, &value, sizeof bits64);
    memcpy(&bits32, &narrow, sizeof bits32);
    if (type == SCN_TYPE_HALF) bits64 = half_bits(value);
    if (type == SCN_TYPE_FLOAT) bits64 = bits32;
    put_little_endian(bits64, scn_type_size(type), out_bytes);
}

static double strtod_rounding(const char *digits, int direction)
{
    int before = fegetround(), failed = fesetround(direction);
    CHECK(!failed);
    double value = strtod(digits, NULL);
    failed = fesetround(before);
    CHECK(!failed);
    return value;
}

/* The double obtained by rounding to odd: the exact value, or the neighbour whose last bit is set.
 * Rounding it again, to a half, gives the same result as rounding the text once.
 *
 * Source: Boldo, Melquiond, "When double rounding is odd", IMACS 2005. */
static double strtod_to_odd(const char *digits)
{
    double below = strtod_rounding(digits, FE_DOWNWARD);
    double above = strtod_rounding(digits, FE_UPWARD);
    uint64_t bits;
    memcpy(&bits, &below, sizeof bits);
    return bits & 1 ? below : above;
}

/* The nearest value of the type. For float, this uses strtof instead of rounding the result of
 * strtod, because rounding twice can miss the nearest value. */
static double nearest_value(scn_type type, const char *digits)
{
    if (type == SCN_TYPE_HALF) return half_nearest(strtod_to_odd(digits));
    return type == SCN_TYPE_FLOAT ? (double)strtof(digits, NULL) : strtod(digits, NULL);
}

/* True if a hexadecimal float is exactly a value of the type. Sixteen digits fit into a long
 * double; a value with further nonzero digits fits into none of the types. */
static bool is_exact(scn_type type, rt_text text)
{
    _Static_assert(LDBL_MANT_DIG >= 64, "16 hexadecimal digits fit into a long double");
    bool ignored;
    rt_text digits = rt_text_skip(without_sign(text, &ignored), 2);
    uint32_t place = 0; /* the digit's place, counted from the first nonzero digit */
    for (size_t i = 0; i < digits.length; i++) {
        int digit = rt_hex_digit(digits.data[i]);
        if (digits.data[i] == '.' || (place == 0 && digit == 0)) continue;
        if (digit < 0) break; /* the exponent */
        if (++place > 16 && digit != 0) return false;
    }
    return strtold(text.data, NULL) == (long double)nearest_value(type, text.data);
}

/* True for infinities and NaNs. */
static bool is_special(rt_text text)
{
    bool negative;
    rt_text word = without_sign(text, &negative);
    bool closed = word.length > 0 && word.data[word.length - 1] == ')';
    return rt_text_is(word, "inf") || rt_text_is(word, "nan") ||
           (rt_text_starts(word, "nan(") && closed);
}

/* Reads an infinity or NaN. "(0x1)" after "nan" gives the fraction field; without it, the NaN is
 * the default quiet NaN. */
static bool special_number_read(scn_reporter *reporter, scn_type type, const scn_node *node,
                                uint8_t *out_bytes)
{
    bool negative;
    rt_text rest = without_sign(node->text, &negative);
    uint32_t size = scn_type_size(type);
    uint64_t bits = format_of(type).infinity | (negative ? UINT64_C(1) << (8 * size - 1) : 0);
    if (rt_text_take_prefix(&rest, "nan")) {
        uint64_t quiet = UINT64_C(1) << (format_of(type).fraction_bits - 1), most = 2 * quiet - 1;
        scn_integer fraction = {false, quiet};
        if (rest.length > 0) {
            CHECK(rest.length >= 2);
            rt_text digits = {rest.data + 1, rest.length - 2};
            bool valid = is_hexadecimal(digits) && integer_parse(digits, &fraction) == NULL;
            if (!valid || fraction.magnitude < 1 || fraction.magnitude > most) {
                return scn_report(reporter, node->at,
                                  "%s is not a NaN of type %s; the fraction in nan(0x...) must be "
                                  "from 0x1 to 0x%" PRIx64,
                                  scn_excerpt(reporter->arena, node->text), scn_type_name(type),
                                  most);
            }
        }
        bits |= fraction.magnitude;
    }
    put_little_endian(bits, size, out_bytes);
    return true;
}

const char *scn_number_type(const scn_node *node)
{
    scn_integer integer;
    if (node->kind != SCN_NODE_SCALAR || node->style != SCN_STYLE_PLAIN || node->text.length == 0)
        return NULL;
    if (integer_parse(node->text, &integer) == NULL)
        return integer.magnitude > INT32_MAX ? "long" : "int";
    return is_floating(node->text) ? "float" : NULL;
}

static bool floating_number_read(scn_reporter *reporter, scn_type type, const scn_node *node,
                                 const char *noun, uint8_t *out_bytes)
{
    if (!plain_check(reporter, node, noun)) return false;
    if (is_special(node->text)) return special_number_read(reporter, type, node, out_bytes);
    const char *name = scn_type_name(type), *excerpt = scn_excerpt(reporter->arena, node->text);
    if (!is_floating(node->text)) {
        return scn_report(reporter, node->at,
                          "expected %s (3, 0.5, 1e-3, 0x1.8p-3, inf, -inf, nan), found '%s'", noun,
                          excerpt);
    }
    double value = nearest_value(type, node->text.data); /* texts of the tree are NUL-terminated */
    bool sign;
    if (isinf(value) || (value == 0 && has_digit_but_zero(node->text))) {
        return scn_report(reporter, node->at, "%s is too %s for type %s", excerpt,
                          isinf(value) ? "large" : "near zero", name);
    }
    if (is_hexadecimal(without_sign(node->text, &sign)) && !is_exact(type, node->text)) {
        return scn_report(reporter, node->at,
                          "%s is not exactly a value of type %s; a hexadecimal float must be exact",
                          excerpt, name);
    }
    put_floating(type, value, out_bytes);
    return true;
}

/* ---- Numbers of any type ------------------------------------------------------------------ */

bool scn_number_read(scn_reporter *reporter, scn_type type, const scn_node *node,
                     uint8_t *out_bytes)
{
    const char *name = scn_type_name(type);
    const char *noun = rt_arena_printf(reporter->arena, "a value of type %s", name).data;
    if (scn_type_class(type) == 'f')
        return floating_number_read(reporter, type, node, noun, out_bytes);
    scn_integer integer;
    if (!scn_integer_read(reporter, node, noun, &integer)) return false;
    if (scn_number_of_integer(type, integer, out_bytes)) return true;
    return scn_report(reporter, node->at, "%s does not fit into type %s",
                      scn_excerpt(reporter->arena, node->text), name);
}

bool scn_number_of_integer(scn_type type, scn_integer integer, uint8_t *out_bytes)
{
    CHECK_IMPLIES(integer.negative, integer.magnitude > 0);
    if (scn_type_class(type) != 'f') {
        uint32_t bits = 8 * scn_type_size(type);
        bool is_signed = scn_type_class(type) == 'i';
        uint64_t most = UINT64_MAX >> (64 - bits + (is_signed ? 1 : 0));
        if (integer.negative) most = is_signed ? most + 1 : 0;
        if (integer.magnitude > most) return false;
        uint64_t value = integer.negative ? 0 - integer.magnitude : integer.magnitude;
        put_little_endian(value, scn_type_size(type), out_bytes);
        return true;
    }
    uint64_t significand = integer.magnitude;
    while (significand && (significand & 1) == 0)
        significand >>= 1;
    if (significand >> (format_of(type).fraction_bits + 1) != 0) return false;
    if (type == SCN_TYPE_HALF && integer.magnitude > 65504) return false;
    double value = (double)integer.magnitude;
    put_floating(type, integer.negative ? -value : value, out_bytes);
    return true;
}

void scn_number_of_bits(scn_type type, uint64_t bits, uint8_t *out_bytes)
{
    if (scn_type_class(type) != 'f') {
        put_little_endian(bits, scn_type_size(type), out_bytes);
        return;
    }
    int precision = (int)format_of(type).fraction_bits + 1;
    int64_t number = (int64_t)(bits >> (63 - precision)) - (INT64_C(1) << precision);
    put_floating(type, ldexp((double)number, -precision), out_bytes);
}

bool scn_magnitude_read(scn_reporter *reporter, const scn_node *node, const char *noun,
                        double *out_value)
{
    uint8_t bytes[sizeof(double)];
    *out_value = 0;
    if (!floating_number_read(reporter, SCN_TYPE_DOUBLE, node, noun, bytes)) return false;
    bool ignored;
    if (is_special(node->text) || without_sign(node->text, &ignored).length < node->text.length) {
        return scn_report(reporter, node->at, "expected %s, finite and without a sign, found '%s'",
                          noun, scn_excerpt(reporter->arena, node->text));
    }
    *out_value = strtod(node->text.data, NULL);
    return true;
}

/* ---- Bytes -------------------------------------------------------------------------------- */

bool scn_hexadecimal_read(scn_reporter *reporter, const scn_node *node, rt_bytes *out_bytes)
{
    *out_bytes = (rt_bytes){0};
    if (node->kind != SCN_NODE_SCALAR || node->text.length == 0) {
        return scn_report(reporter, node->at, "expected bytes in hexadecimal, found %s",
                          scn_node_describe(reporter->arena, node));
    }
    rt_text text = node->text;
    uint8_t *bytes = rt_arena_alloc(reporter->arena, text.length / 2 + 1);
    size_t size = 0, i = 0;
    while (i < text.length) {
        if (text.data[i] == ' ' || text.data[i] == '\n') {
            i++;
            continue;
        }
        rt_text pair = {text.data + i, text.length - i < 2 ? 1 : 2};
        if (!rt_hex_read(pair, &bytes[size])) {
            return scn_report(reporter, node->at,
                              "expected bytes, two hexadecimal digits each, found '%s' as byte %zu",
                              scn_excerpt(reporter->arena, rt_text_skip(text, i)), size);
        }
        size++;
        i += 2;
    }
    if (size == 0)
        return scn_report(reporter, node->at, "the text contains no bytes; give at least 1");
    *out_bytes = (rt_bytes){bytes, size};
    return true;
}
