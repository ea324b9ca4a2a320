/* Reads the tables of specialisation constants. */
#include "reference/image/spec_constants.h"

#include "reference/base/stream.h"

enum { ROW_SIZE = 3 * 4 };

/* A constant as its rows describe it. */
typedef struct constant_rows {
    uint32_t id, scalar_count;
    uint64_t extent; /* size with padding */
} constant_rows;

static rt_spec_scalar row_take(rt_bytes *inout_rows)
{
    rt_reader reader = rt_reader_of((rt_bytes){inout_rows->data, ROW_SIZE});
    rt_spec_scalar row = {.id = rt_read_u32(&reader)};
    row.offset = rt_read_u32(&reader);
    row.size_bytes = rt_read_u32(&reader);
    CHECK(rt_reader_finished(&reader));
    *inout_rows = (rt_bytes){inout_rows->data + ROW_SIZE, inout_rows->size - ROW_SIZE};
    return row;
}

static bool rows_read(const rt_property *property, constant_rows *out_rows)
{
    *out_rows = (constant_rows){0};
    if (property->type != RT_PROPERTY_BYTES || property->bytes.size % ROW_SIZE != 0) return false;
    for (rt_bytes rest = property->bytes; rest.size > 0;) {
        rt_spec_scalar row = row_take(&rest);
        if (row.offset < out_rows->extent) return false;
        out_rows->extent = (uint64_t)row.offset + row.size_bytes;
        if (row.id == RT_SPEC_PADDING) continue;
        if (out_rows->scalar_count++ == 0) out_rows->id = row.id;
    }
    return out_rows->scalar_count > 0 && out_rows->extent <= UINT32_MAX;
}

bool rt_spec_scalar_take(rt_bytes *inout_rows, rt_spec_scalar *out_scalar)
{
    CHECK(inout_rows->size % ROW_SIZE == 0);
    while (inout_rows->size > 0) {
        *out_scalar = row_take(inout_rows);
        if (out_scalar->id != RT_SPEC_PADDING) return true;
    }
    return false;
}

bool rt_spec_descriptor_read(const rt_image *image, uint32_t index,
                             rt_spec_descriptor *out_descriptor)
{
    const rt_property_set *set = rt_image_set(image, RT_SET_SPEC_CONSTANTS);
    CHECK(set && index < set->property_count);
    *out_descriptor = (rt_spec_descriptor){0};
    constant_rows rows;
    if (!rows_read(&set->properties[index], &rows)) return false;
    uint64_t size = rows.extent, place = 0;
    out_descriptor->id = rows.id;
    out_descriptor->scalar_count = rows.scalar_count;
    out_descriptor->size_bytes = (uint32_t)size;
    out_descriptor->rows = set->properties[index].bytes;
    /* The default follows the extents of the preceding constants; if one of them is damaged, its
     * position is unknown. */
    for (uint32_t i = 0; i < index; i++) {
        if (!rows_read(&set->properties[i], &rows)) return true;
        place += rows.extent; /* at most 2^32 extents of at most 2^32 bytes: no overflow */
    }
    const rt_property_set *defaults = rt_image_set(image, RT_SET_SPEC_CONSTANT_DEFAULTS);
    for (uint32_t i = 0; defaults && i < defaults->property_count; i++) {
        const rt_property *block = &defaults->properties[i];
        if (!rt_text_is(block->name, "all") || block->type != RT_PROPERTY_BYTES) continue;
        (void)rt_bytes_slice(block->bytes, place, size, &out_descriptor->default_value);
        return true;
    }
    return true;
}
