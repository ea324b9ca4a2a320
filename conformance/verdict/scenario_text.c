/* Numbers have as many digits as distinguish any two adjacent numbers of their type. */
#include "conformance/verdict/scenario_text.h"

#include "conformance/verdict/value.h"

#include <inttypes.h>
#include <math.h>

enum { LINE_WIDTH = 90 }; /* characters of a line of values */

void cnf_number_append(rt_buffer *out, scn_type type, const uint8_t *bytes)
{
    uint64_t bits = cnf_value_bits(type, bytes);
    uint32_t size = scn_type_size(type), unused = 64 - 8 * size;
    if (scn_type_class(type) == 'i') {
        rt_buffer_printf(out, "%" PRId64, (int64_t)(bits << unused) >> unused);
    } else if (scn_type_class(type) == 'u') {
        rt_buffer_printf(out, "%" PRIu64, bits);
    } else {
        static const int digits[] = {[2] = 5, [4] = 9, [8] = 17};
        double value = cnf_value_float(type, bits);
        bool is_negative = signbit(value) != 0;
        if (isnan(value))
            rt_buffer_printf(out, "nan");
        else if (isinf(value))
            rt_buffer_printf(out, is_negative ? "-inf" : "inf");
        else if (value == 0 && is_negative)
            rt_buffer_printf(out, "-0.0");
        else
            rt_buffer_printf(out, "%.*g", digits[size], value);
    }
}

void cnf_lanes_append(rt_buffer *out, const scn_field *field, const uint8_t *bytes)
{
    uint32_t size = scn_type_size(field->type);
    if (field->lanes > 1) rt_buffer_append_byte(out, '[');
    for (uint32_t lane = 0; lane < field->lanes; lane++) {
        if (lane > 0) rt_buffer_printf(out, ", ");
        cnf_number_append(out, field->type, bytes + lane * size);
    }
    if (field->lanes > 1) rt_buffer_append_byte(out, ']');
}

void cnf_elements_append(rt_buffer *out, const scn_field *field, uint64_t stride, uint64_t count,
                         const uint8_t *bytes)
{
    rt_buffer_append_byte(out, '[');
    size_t begin = out->size;
    for (uint64_t i = 0; i < count; i++) {
        rt_buffer element = {0};
        cnf_lanes_append(&element, field, bytes + i * stride);
        if (i > 0) rt_buffer_append_byte(out, ',');
        if (out->size - begin + element.size > LINE_WIDTH) {
            rt_buffer_append_byte(out, '\n');
            begin = out->size;
            rt_buffer_printf(out, "         ");
        }
        if (i > 0) rt_buffer_append_byte(out, ' ');
        rt_buffer_append_text(out, rt_buffer_text(&element));
        rt_buffer_free(&element);
    }
    rt_buffer_append_byte(out, ']');
}

void cnf_quoted_append(rt_buffer *out, rt_text text)
{
    rt_buffer_append_byte(out, '\'');
    for (size_t i = 0; i < text.length; i++) {
        if (text.data[i] == '\'') rt_buffer_append_byte(out, '\'');
        rt_buffer_append_byte(out, text.data[i]);
    }
    rt_buffer_append_byte(out, '\'');
}
