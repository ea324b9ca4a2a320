/* Reads memories from files. The header of NumPy's format is a Python literal, of which only what
 * numpy itself writes is read: the three keys, in any order. */
#include "conformance/scenario/read/array_file.h"

#include "conformance/scenario/model/type.h"
#include "reference/base/number.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char magic[] = "\x93NUMPY";

enum {
    MAGIC_SIZE = 6,
    PREFIX_SIZE_V1 = 10, /* magic, version, and the header's length in 2 bytes */
    PREFIX_SIZE_V2 = 12, /* the same with 4 bytes */
};

/* The header's three values. */
typedef struct npy_header {
    rt_text descr; /* "<f4" */
    bool is_fortran_order;
    rt_text shape; /* "1024, 4" */
} npy_header;

/* Finds the value of a key: the text that follows `'KEY':` and blanks. */
static bool value_find(rt_text header, const char *key, rt_text *out_rest)
{
    const char *at = memmem(header.data, header.length, key, strlen(key));
    if (!at) return false;
    *out_rest = rt_text_skip(header, (size_t)(at - header.data) + strlen(key));
    while (rt_text_take_prefix(out_rest, " ")) {
    }
    return true;
}

static bool header_parse(rt_text header, npy_header *out)
{
    rt_text order;
    if (!value_find(header, "'descr':", &out->descr) ||
        !value_find(header, "'fortran_order':", &order) ||
        !value_find(header, "'shape':", &out->shape))
        return false;
    if (!rt_text_take_prefix(&out->descr, "'") || !rt_text_take_prefix(&out->shape, "("))
        return false;
    out->descr = rt_text_take_until(&out->descr, '\'');
    out->shape = rt_text_take_until(&out->shape, ')');
    out->is_fortran_order = rt_text_starts(order, "True");
    return out->is_fortran_order || rt_text_starts(order, "False");
}

/* Multiplies the lengths of a shape such as "1024, 4" or "8,"; *out_last is the last of them.
 * False: not a shape, or too large. */
static bool shape_parse(rt_text shape, uint64_t *out_total, uint64_t *out_last)
{
    *out_total = *out_last = 1;
    while (shape.length > 0) {
        rt_text length = rt_text_take_until(&shape, ',');
        while (rt_text_take_prefix(&length, " ")) {
        }
        if (length.length == 0) continue; /* after the comma of a shape with one dimension */
        if (!rt_number_read(length, 0, RT_MEMORY_SIZE_MAX, out_last)) return false;
        if (*out_last > 0 && *out_total > RT_MEMORY_SIZE_MAX / *out_last) return false;
        *out_total *= *out_last;
    }
    return true;
}

/* Splits the contents into the header and the data that follow it. */
static bool contents_split(rt_text content, rt_text *out_header, rt_bytes *out_data)
{
    rt_bytes bytes = rt_text_bytes(content);
    if (bytes.size < PREFIX_SIZE_V2) return false;
    uint8_t version = bytes.data[MAGIC_SIZE];
    uint32_t prefix = version == 1 ? PREFIX_SIZE_V1 : PREFIX_SIZE_V2, length = 0;
    if (version < 1 || version > 3) return false;
    for (uint32_t i = prefix; i-- > MAGIC_SIZE + 2;)
        length = length << 8 | bytes.data[i];
    if (length > bytes.size - prefix) return false;
    *out_header = (rt_text){content.data + prefix, length};
    *out_data = (rt_bytes){bytes.data + prefix + length, bytes.size - prefix - length};
    return true;
}

static bool numpy_read(scn_reader *reader, const scn_node *name, rt_text content,
                       const scn_layout *layout, scn_array *out)
{
    const char *excerpt = scn_excerpt(reader->arena, name->text);
    rt_text header_text;
    npy_header header;
    uint64_t total, last;
    if (!contents_split(content, &header_text, &out->data) || !header_parse(header_text, &header) ||
        !shape_parse(header.shape, &total, &last)) {
        return scn_report(reader->reporter, name->at,
                          "'%s' begins like an array of NumPy, but its header is damaged", excerpt);
    }
    const scn_field *field = &layout->fields[0];
    const char *type = scn_layout_print(reader->arena, layout).data;
    uint32_t size = scn_type_size(field->type);
    char descr[8];
    snprintf(descr, sizeof descr, "%c%c%u", size == 1 ? '|' : '<', scn_type_class(field->type),
             size);
    if (layout->is_struct || !rt_text_is(header.descr, descr)) {
        return scn_report(reader->reporter, name->at,
                          "'%s' is an array of '%s', but the memory's type is %s%s%s", excerpt,
                          scn_excerpt(reader->arena, header.descr), type,
                          layout->is_struct ? "; save the structs as raw bytes" : "; expected ",
                          layout->is_struct ? "" : descr);
    }
    if (header.is_fortran_order) {
        return scn_report(reader->reporter, name->at,
                          "'%s' is in Fortran order; save numpy.ascontiguousarray of it", excerpt);
    }
    out->stride = size * field->lanes;
    out->count = total / field->lanes;
    if (total == 0 || (field->lanes > 1 && last != field->lanes)) {
        return scn_report(reader->reporter, name->at,
                          "'%s' has the shape (%s); expected the number of elements of type %s, "
                          "and for a vector then its %u lanes",
                          excerpt, scn_excerpt(reader->arena, header.shape), type, field->lanes);
    }
    if (out->data.size == total * size) return true;
    return scn_report(reader->reporter, name->at,
                      "'%s' has %zu bytes of data, but its shape needs %" PRIu64, excerpt,
                      out->data.size, total * size);
}

bool scn_array_read(scn_reader *reader, const scn_node *name, rt_text content,
                    const scn_layout *layout, scn_array *out_array)
{
    *out_array = (scn_array){0};
    CHECK(content.length > 0 && layout->size > 0);
    if (rt_text_starts(content, magic)) return numpy_read(reader, name, content, layout, out_array);
    *out_array = (scn_array){rt_text_bytes(content), content.length / layout->size, layout->size};
    if (content.length % layout->size == 0) return true;
    return scn_report(reader->reporter, name->at,
                      "'%s' has %zu bytes, which is not a whole number of elements; an element of "
                      "type %s has %u bytes",
                      scn_excerpt(reader->arena, name->text), content.length,
                      scn_layout_print(reader->arena, layout).data, layout->size);
}
