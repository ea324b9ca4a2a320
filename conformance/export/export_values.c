/* Numbers as C literals, and the layout of elements. */
#include "conformance/export/export_internal.h"

#include "conformance/scenario/model/type.h"
#include "conformance/verdict/value.h"

#include <inttypes.h>

enum { LINE_NUMBERS = 8 };

void cnf_export_bytes(rt_buffer *out, rt_bytes bytes)
{
    for (size_t i = 0; i < bytes.size; i++)
        rt_buffer_printf(out, "%s0x%02x", i ? ", " : "", bytes.data[i]);
}

bool cnf_export_layout_is_plain(const scn_layout *layout)
{
    return !layout->is_struct &&
           layout->size == layout->fields[0].lanes * scn_type_size(layout->fields[0].type);
}

static bool is_floating(scn_type type)
{
    return scn_type_class(type) == 'f';
}

/* The C type that represents the bits of such a number. */
static const char *type_of(scn_type type)
{
    static const char *const signed_types[] = {
        [1] = "int8_t", [2] = "int16_t", [4] = "int32_t", [8] = "int64_t"};
    static const char *const unsigned_types[] = {
        [1] = "uint8_t", [2] = "uint16_t", [4] = "uint32_t", [8] = "uint64_t"};
    bool is_signed = scn_type_class(type) == 'i';
    return (is_signed ? signed_types : unsigned_types)[scn_type_size(type)];
}

static void write_number(rt_buffer *out, scn_type type, uint64_t bits)
{
    uint32_t width = scn_type_size(type) * 8;
    CHECK(width >= 8 && width <= 64);
    if (is_floating(type)) {
        rt_buffer_printf(out, "0x%0*" PRIx64, (int)width / 4, bits);
    } else if (scn_type_class(type) == 'i') {
        /* C has no literal for the most negative number. */
        int64_t value = (int64_t)(bits << (64 - width)) >> (64 - width);
        if (value == INT64_MIN)
            rt_buffer_printf(out, "INT64_MIN");
        else
            rt_buffer_printf(out, "%" PRId64 "%s", value, width == 64 ? "LL" : "");
    } else {
        rt_buffer_printf(out, "%" PRIu64 "%s", bits, width == 64 ? "ULL" : "");
    }
}

void cnf_export_layout(rt_buffer *out, const char *name, const scn_layout *layout)
{
    static const char *const floats[] = {[2] = "HALVES", [4] = "FLOATS", [8] = "DOUBLES"};
    CHECK(layout->field_count > 0);
    rt_buffer_printf(out, "static const field fields_of_%s[] = {", name);
    for (uint32_t i = 0; i < layout->field_count; i++) {
        const scn_field *field = &layout->fields[i];
        uint32_t size = scn_type_size(field->type);
        CHECK(field->offset + field->lanes * size <= layout->size);
        rt_buffer_printf(out, "%s{%u, %u, %u, %s}", i ? ", " : "", field->offset, size,
                         field->lanes, is_floating(field->type) ? floats[size] : "INTEGERS");
    }
    rt_buffer_printf(out, "};\nstatic const layout %s = {%u, %u, fields_of_%s};\n", name,
                     layout->size, layout->field_count, name);
}

void cnf_export_values(rt_buffer *out, const char *name, const scn_layout *layout, rt_bytes values)
{
    scn_type type = layout->fields[0].type;
    uint32_t size = scn_type_size(type);
    if (!cnf_export_layout_is_plain(layout)) {
        /* Writes one line of bytes per element. */
        rt_buffer_printf(out, "static const unsigned char %s[] = {\n", name);
        for (size_t at = 0; at + layout->size <= values.size; at += layout->size) {
            rt_buffer_printf(out, "    ");
            cnf_export_bytes(out, (rt_bytes){values.data + at, layout->size});
            rt_buffer_printf(out, ",\n");
        }
        rt_buffer_printf(out, "};\n");
        return;
    }
    rt_buffer_printf(out, "static const %s %s[] = {\n", type_of(type), name);
    for (size_t at = 0; at < values.size; at += (size_t)LINE_NUMBERS * size) {
        rt_buffer comment = {0};
        rt_buffer_printf(out, "   ");
        for (size_t i = at; i < values.size && i < at + (size_t)LINE_NUMBERS * size; i += size) {
            uint64_t bits = cnf_value_bits(type, values.data + i);
            rt_buffer_printf(out, " ");
            write_number(out, type, bits);
            rt_buffer_printf(out, ",");
            if (is_floating(type)) rt_buffer_printf(&comment, " %g", cnf_value_float(type, bits));
        }
        if (comment.size > 0) rt_buffer_printf(out, " /*%s */", rt_buffer_string(&comment));
        rt_buffer_printf(out, "\n");
        rt_buffer_free(&comment);
    }
    rt_buffer_printf(out, "};\n");
}

static bool is_defined(rt_bytes defined, uint64_t at, uint32_t size)
{
    for (uint64_t i = at; i < at + size; i++)
        if (!(defined.data[i / 8] >> (i % 8) & 1)) return false;
    return true;
}

void cnf_export_defined(rt_buffer *out, const char *name, const scn_layout *layout,
                        rt_bytes defined, uint64_t size)
{
    uint64_t written = 0;
    rt_buffer_printf(out, "static const unsigned char %s[] = {", name);
    for (uint64_t at = 0; at + layout->size <= size; at += layout->size)
        for (uint32_t i = 0; i < layout->field_count; i++) {
            const scn_field *field = &layout->fields[i];
            uint32_t number = scn_type_size(field->type);
            for (uint32_t lane = 0; lane < field->lanes; lane++, written++)
                rt_buffer_printf(
                    out, "%s%d,", written % 32 == 0 ? "\n    " : " ",
                    is_defined(defined, at + field->offset + (uint64_t)lane * number, number));
        }
    rt_buffer_printf(out, "\n};\n");
}
