/* Operations on numbers, selected by the class and size of their type. */
#include "conformance/verdict/value.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

uint64_t cnf_value_bits(scn_type type, const uint8_t *bytes)
{
    uint64_t bits = 0;
    for (uint32_t i = 0; i < scn_type_size(type); i++)
        bits |= (uint64_t)bytes[i] << (8 * i);
    return bits;
}

double cnf_value_float(scn_type type, uint64_t bits)
{
    CHECK(scn_type_class(type) == 'f');
    uint32_t low = (uint32_t)bits;
    uint32_t exponent = low >> 10 & 0x1f, fraction = low & 0x3ff;
    double wide;
    float narrow;
    switch (scn_type_size(type)) {
    case 2: /* binary16: sign, 5 bits of exponent biased by 15, 10 bits of fraction */
        if (exponent == 0x1f)
            wide = fraction ? (double)NAN : (double)INFINITY;
        else if (exponent == 0)
            wide = ldexp((double)fraction, -24);
        else
            wide = ldexp((double)(fraction | 0x400), (int)exponent - 25);
        return low >> 15 ? -wide : wide;
    case 4: memcpy(&narrow, &low, sizeof narrow); return (double)narrow;
    case 8: memcpy(&wide, &bits, sizeof wide); return wide;
    default: UNREACHABLE();
    }
}

static uint64_t sign_bit(scn_type type)
{
    return UINT64_C(1) << (8 * scn_type_size(type) - 1);
}

uint64_t cnf_value_order(scn_type type, uint64_t bits)
{
    uint64_t sign = sign_bit(type), mask = sign | (sign - 1);
    switch (scn_type_class(type)) {
    case 'u': return bits;
    case 'i': return bits ^ sign;
    case 'f':
        if (isnan(cnf_value_float(type, bits))) return UINT64_MAX;
        return bits & sign ? ~bits & mask : bits | sign;
    default: UNREACHABLE();
    }
}

/* A number's signed distance from zero, in steps between adjacent numbers. */
static int64_t steps_from_zero(scn_type type, uint64_t bits)
{
    uint64_t sign = sign_bit(type);
    return bits & sign ? -(int64_t)(bits & ~sign) : (int64_t)bits;
}

uint64_t cnf_value_ulp(scn_type type, uint64_t a, uint64_t b)
{
    CHECK(!isnan(cnf_value_float(type, a)) && !isnan(cnf_value_float(type, b)));
    int64_t from = steps_from_zero(type, a), to = steps_from_zero(type, b);
    /* Both are within +-2^63, so the unsigned difference cannot overflow. */
    return from < to ? (uint64_t)to - (uint64_t)from : (uint64_t)from - (uint64_t)to;
}

/* Prints a number in decimal; with `is_exact`, also exactly: a floating-point number in hexadecimal
 * notation, and every number as bits. */
static void value_print(rt_buffer *out, scn_type type, const uint8_t *bytes, bool is_exact)
{
    /* The number of decimal digits that distinguishes any two adjacent numbers of a floating-point
     * type of the given size. */
    static const int float_digits[] = {[2] = 5, [4] = 9, [8] = 17};
    uint64_t bits = cnf_value_bits(type, bytes);
    uint32_t size = scn_type_size(type), unused = 64 - 8 * size;
    CHECK(size >= 1 && size <= 8);
    switch (scn_type_class(type)) {
    case 'f': {
        double value = cnf_value_float(type, bits);
        rt_buffer_printf(out, "%.*g", float_digits[size], value);
        if (is_exact) rt_buffer_printf(out, " = %a", value);
        break;
    }
    case 'i': rt_buffer_printf(out, "%" PRId64, (int64_t)(bits << unused) >> unused); break;
    case 'u': rt_buffer_printf(out, "%" PRIu64, bits); break;
    default: UNREACHABLE();
    }
    if (is_exact) rt_buffer_printf(out, " (0x%0*" PRIx64 ")", (int)(2 * size), bits);
}

void cnf_value_print(rt_buffer *out, scn_type type, const uint8_t *bytes)
{
    value_print(out, type, bytes, true);
}

void cnf_value_print_decimal(rt_buffer *out, scn_type type, const uint8_t *bytes)
{
    value_print(out, type, bytes, false);
}
