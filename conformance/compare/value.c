/* Printing of elements, by the class of their type. */
#include "conformance/compare/value.h"

#include <inttypes.h>
#include <string.h>

uint64_t cnf_value_bits(scn_type type, const uint8_t *bytes)
{
    uint64_t bits = 0;
    for (uint32_t i = 0; i < scn_type_size(type); i++)
        bits |= (uint64_t)bytes[i] << (8 * i);
    return bits;
}

static double floating(scn_type type, uint64_t bits)
{
    if (type == SCN_TYPE_DOUBLE) {
        double value;
        memcpy(&value, &bits, sizeof value);
        return value;
    }
    uint32_t low = (uint32_t)bits;
    float value;
    memcpy(&value, &low, sizeof value);
    return (double)value;
}

static int64_t sign_extended(scn_type type, uint64_t bits)
{
    uint32_t unused = 64 - 8 * scn_type_size(type);
    return (int64_t)(bits << unused) >> unused;
}

void cnf_value_print(rt_buffer *out, scn_type type, const uint8_t *bytes)
{
    uint64_t bits = cnf_value_bits(type, bytes);
    int digits = (int)(2 * scn_type_size(type));
    switch (scn_type_class(type)) {
    case 'f': {
        double value = floating(type, bits);
        rt_buffer_printf(out, "%.*g = %a", type == SCN_TYPE_DOUBLE ? 17 : 9, value, value);
        break;
    }
    case 'i': rt_buffer_printf(out, "%" PRId64, sign_extended(type, bits)); break;
    case 'u': rt_buffer_printf(out, "%" PRIu64, bits); break;
    default: UNREACHABLE();
    }
    rt_buffer_printf(out, " (0x%0*" PRIx64 ")", digits, bits);
}
