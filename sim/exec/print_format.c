/* Formats of printf: reads directives and formats values (print.h).
 *
 * The C library formats the numbers, since the specification defines printf like C's fprintf,
 * except for vectors and a few length modifiers. What is passed to the library has been checked, so
 * its behaviour is always defined. */
#include "sim/exec/print.h"

#include "reference/base/number.h"
#include "sim/number/half.h"

#include <stdio.h>
#include <string.h>

/* ---- Reading ------------------------------------------------------------------------------ */

static const char flag_names[] = "-+ #0";
enum { MINUS = 1, PLUS = 2, SPACE = 4, ALTERNATIVE = 8, ZERO = 16 };

/* What a conversion may be combined with; any other combination is undefined. */
typedef struct conversion {
    const char *names;
    uint8_t kind; /* sim_print_kind */
    uint8_t flags;
    bool takes_precision;
    uint8_t lengths;      /* for scalars: bits 1 << sim_print_length */
    uint8_t lengths_many; /* the same for vectors */
} conversion;

#define L(length) (1u << SIM_LENGTH_##length)
static const conversion conversions[] = {
    {"di", SIM_PRINT_INTEGER, MINUS | PLUS | SPACE | ZERO, true, L(PLAIN) | L(HH) | L(H) | L(L),
     L(HH) | L(H) | L(HL) | L(L)},
    {"u", SIM_PRINT_INTEGER, MINUS | PLUS | SPACE | ZERO, true, L(PLAIN) | L(HH) | L(H) | L(L),
     L(HH) | L(H) | L(HL) | L(L)},
    {"oxX", SIM_PRINT_INTEGER, MINUS | PLUS | SPACE | ALTERNATIVE | ZERO, true,
     L(PLAIN) | L(HH) | L(H) | L(L), L(HH) | L(H) | L(HL) | L(L)},
    {"fFeEgGaA", SIM_PRINT_FLOAT, MINUS | PLUS | SPACE | ALTERNATIVE | ZERO, true, L(PLAIN) | L(L),
     L(H) | L(HL) | L(L)},
    {"c", SIM_PRINT_INTEGER, MINUS, false, L(PLAIN), 0},
    {"s", SIM_PRINT_STRING, MINUS, true, L(PLAIN), 0},
    {"p", SIM_PRINT_POINTER, MINUS, false, L(PLAIN), 0},
};
#undef L

static const conversion *conversion_find(char name)
{
    for (size_t i = 0; i < sizeof conversions / sizeof conversions[0]; i++) {
        if (name != '\0' && strchr(conversions[i].names, name)) return &conversions[i];
    }
    return NULL;
}

static char peek(rt_text format, size_t at)
{
    return at < format.length ? format.data[at] : '\0';
}

static bool take(rt_text format, size_t *at, char wanted)
{
    if (peek(format, *at) != wanted) return false;
    (*at)++;
    return true;
}

/* Reads a decimal number; returns SIM_PRINT_WIDTH_MAX + 1 for any above SIM_PRINT_WIDTH_MAX. */
static uint32_t read_number(rt_text format, size_t *at)
{
    rt_text rest = rt_text_skip(format, *at);
    uint64_t number;
    bool fits = rt_number_take(&rest, 10, SIM_PRINT_WIDTH_MAX, &number);
    bool has_digits = rest.length < format.length - *at;
    *at = format.length - rest.length;
    return has_digits && !fits ? SIM_PRINT_WIDTH_MAX + 1 : (uint32_t)number;
}

static sim_print_length read_length(rt_text format, size_t *at)
{
    if (take(format, at, 'l')) return SIM_LENGTH_L;
    if (!take(format, at, 'h')) return SIM_LENGTH_PLAIN;
    if (take(format, at, 'h')) return SIM_LENGTH_HH;
    return take(format, at, 'l') ? SIM_LENGTH_HL : SIM_LENGTH_H;
}

const char *sim_directive_read(rt_text format, size_t *at, sim_directive *out_directive)
{
    size_t first = (*at)++;
    CHECK(first < format.length && format.data[first] == '%');
    sim_directive *directive = out_directive;
    *directive = (sim_directive){.text = {format.data + first, 2}, .conversion = '%'};
    if (take(format, at, '%')) return NULL;
    uint32_t vector = 0;
    for (const char *flag; *at < format.length; (*at)++) {
        flag = format.data[*at] ? strchr(flag_names, format.data[*at]) : NULL;
        if (!flag) break;
        directive->flags |= (uint8_t)(1u << (flag - flag_names));
    }
    directive->width = read_number(format, at);
    directive->has_precision = take(format, at, '.');
    if (directive->has_precision) directive->precision = read_number(format, at);
    bool is_vector = take(format, at, 'v');
    if (is_vector) vector = read_number(format, at);
    directive->vector = (uint8_t)(vector <= 16 ? vector : 0);
    directive->length = (uint8_t)read_length(format, at);
    directive->conversion = peek(format, *at);
    if (*at < format.length) (*at)++;
    directive->text.length = *at - first;
    bool is_size = vector == 2 || vector == 3 || vector == 4 || vector == 8 || vector == 16;
    if (is_vector && !is_size) return "has a vector size other than 2, 3, 4, 8 and 16";
    const conversion *row = conversion_find(directive->conversion);
    if (!row) return "is not a conversion";
    uint8_t lengths = directive->vector ? row->lengths_many : row->lengths;
    if (directive->flags & ~row->flags) return "has a flag that its conversion does not take";
    if (directive->has_precision && !row->takes_precision) return "takes no precision";
    if (directive->vector && lengths == 0) return "takes no vector";
    if (!(lengths >> directive->length & 1)) {
        return directive->vector && directive->length == SIM_LENGTH_PLAIN
                   ? "is a vector without a length modifier"
                   : "has a length modifier that its conversion does not take";
    }
    if (directive->width > SIM_PRINT_WIDTH_MAX || directive->precision > SIM_PRINT_WIDTH_MAX) {
        return "has a width or precision above 4095";
    }
    return NULL;
}

/* ---- Arguments ---------------------------------------------------------------------------- */

static const char *vector_wants(const sim_directive *directive, sim_print_argument argument,
                                sim_print_kind kind)
{
    static const struct {
        uint8_t bytes;
        const char *names[2]; /* for integers, for floats */
    } components[] = {
        [SIM_LENGTH_HH] = {1, {"a vector of that many 8-bit integers", NULL}},
        [SIM_LENGTH_H] = {2,
                          {"a vector of that many 16-bit integers",
                           "a vector of that many halves"}},
        [SIM_LENGTH_HL] = {4,
                           {"a vector of that many 32-bit integers",
                            "a vector of that many floats"}},
        [SIM_LENGTH_L] = {8,
                          {"a vector of that many 64-bit integers",
                           "a vector of that many doubles"}},
    };
    bool fits = argument.count == directive->vector && argument.kind == (uint8_t)kind &&
                argument.bytes == components[directive->length].bytes;
    return fits ? NULL : components[directive->length].names[kind == SIM_PRINT_FLOAT];
}

const char *sim_directive_wants(const sim_directive *directive, sim_print_argument argument)
{
    const conversion *row = conversion_find(directive->conversion);
    CHECK(row);
    if (directive->vector) return vector_wants(directive, argument, (sim_print_kind)row->kind);
    bool fits = argument.count == 1 && argument.kind == row->kind;
    switch ((sim_print_kind)row->kind) {
    case SIM_PRINT_INTEGER:
        /* Compilers may or may not promote integers; the length modifier determines the type to
         * which they are truncated. */
        if (directive->length == SIM_LENGTH_L) {
            return fits && argument.bytes == 8 ? NULL : "a 64-bit integer";
        }
        return fits && argument.bytes <= 4 ? NULL : "a 32-bit integer";
    case SIM_PRINT_FLOAT: return fits ? NULL : "a float or double";
    case SIM_PRINT_STRING: return fits ? NULL : "a string in constant memory";
    case SIM_PRINT_POINTER:
        fits |= argument.count == 1 && argument.kind == SIM_PRINT_STRING;
        return fits ? NULL : "a pointer";
    }
    UNREACHABLE();
}

/* ---- Text --------------------------------------------------------------------------------- */

/* Writes the directive for the C library, at most 32 bytes: the flags, width, precision and
 * conversion are the directive's, but the length modifier is `length`. */
static void library_format(const sim_directive *directive, const char *length, char *out)
{
    *out++ = '%';
    for (uint32_t i = 0; flag_names[i]; i++) {
        if (directive->flags >> i & 1) *out++ = flag_names[i];
    }
    out += sprintf(out, "%.0u", directive->width);
    if (directive->has_precision) out += sprintf(out, ".%u", directive->precision);
    sprintf(out, "%s%c", length, directive->conversion);
}

static double double_of(uint32_t bytes, uint64_t bits)
{
    if (bytes == 2) return (double)sim_float_of_half((uint16_t)bits);
    if (bytes == 4) return (double)(sim_float_bits){.bits = (uint32_t)bits}.value;
    return (sim_double_bits){.bits = bits}.value;
}

/* Returns the argument, truncated according to the directive's length modifier and extended as the
 * conversion reads it. */
static uint64_t integer_of(const sim_directive *directive, uint32_t bytes, uint64_t bits)
{
    static const uint8_t most[] = {[SIM_LENGTH_PLAIN] = 8,
                                   [SIM_LENGTH_HH] = 1,
                                   [SIM_LENGTH_H] = 2,
                                   [SIM_LENGTH_HL] = 4,
                                   [SIM_LENGTH_L] = 8};
    bool is_signed = directive->conversion == 'd' || directive->conversion == 'i';
    uint32_t width = 8u * (most[directive->length] < bytes ? most[directive->length] : bytes);
    CHECK(width >= 8 && width <= 64);
    uint64_t low = bits << (64 - width);
    return is_signed ? (uint64_t)((int64_t)low >> (64 - width)) : low >> (64 - width);
}

/* The non-literal formats below are built from directives that have been checked. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
void sim_directive_value(const sim_directive *directive, sim_print_argument argument, uint64_t bits,
                         rt_buffer *out)
{
    char format[32];
    const conversion *row = conversion_find(directive->conversion);
    CHECK(row && row->kind != SIM_PRINT_STRING && !sim_directive_wants(directive, argument));
    if (row->kind == SIM_PRINT_FLOAT) {
        library_format(directive, "", format);
        rt_buffer_printf(out, format, double_of(argument.bytes, bits));
    } else if (directive->conversion == 'c') {
        char byte = (char)bits;
        sim_directive_string(directive, (rt_text){&byte, 1}, out);
    } else if (directive->conversion == 'p') {
        char address[24];
        int size = snprintf(address, sizeof address, "0x%llx", (unsigned long long)bits);
        sim_directive_string(directive, (rt_text){address, (size_t)size}, out);
    } else {
        library_format(directive, "ll", format);
        rt_buffer_printf(out, format,
                         (unsigned long long)integer_of(directive, argument.bytes, bits));
    }
}
#pragma GCC diagnostic pop

void sim_directive_string(const sim_directive *directive, rt_text string, rt_buffer *out)
{
    size_t length = string.length;
    if (directive->has_precision && directive->precision < length) length = directive->precision;
    size_t padding = directive->width > length ? directive->width - length : 0;
    bool is_left = directive->flags & MINUS;
    for (size_t i = 0; i < padding && !is_left; i++)
        rt_buffer_append_byte(out, ' ');
    rt_buffer_append(out, string.data, length);
    for (size_t i = 0; i < padding && is_left; i++)
        rt_buffer_append_byte(out, ' ');
}
