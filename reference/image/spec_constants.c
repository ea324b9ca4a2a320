/* Reads the tables of specialisation constants. */
#include "reference/image/spec_constants.h"

#include "reference/base/stream.h"

enum { ROW_SIZE = 3 * 4 };

/* A constant as its rows describe it; byte offsets count from the start of its default value. */
typedef struct constant_rows {
    uint32_t id, scalar_count;
    uint64_t begin, end; /* range of the scalars */
    uint64_t extent;     /* size with padding */
} constant_rows;

static bool rows_read(const rt_property *property, constant_rows *out_rows)
{
    *out_rows = (constant_rows){0};
    if (property->type != RT_PROPERTY_BYTES || property->bytes.size % ROW_SIZE != 0) return false;
    rt_reader reader = rt_reader_of(property->bytes);
    for (size_t remaining = property->bytes.size / ROW_SIZE; remaining > 0; remaining--) {
        uint32_t id = rt_read_u32(&reader);
        uint32_t offset = rt_read_u32(&reader);
        uint32_t size = rt_read_u32(&reader);
        if (offset < out_rows->extent) return false;
        out_rows->extent = (uint64_t)offset + size;
        if (id == RT_SPEC_PADDING) continue;
        if (out_rows->scalar_count++ == 0) {
            out_rows->id = id;
            out_rows->begin = offset;
        }
        out_rows->end = out_rows->extent;
    }
    CHECK(rt_reader_finished(&reader));
    return out_rows->scalar_count > 0 && out_rows->end - out_rows->begin <= UINT32_MAX;
}

bool rt_spec_descriptor_read(const rt_image *image, uint32_t index,
                             rt_spec_descriptor *out_descriptor)
{
    const rt_property_set *set = rt_image_set(image, RT_SET_SPEC_CONSTANTS);
    CHECK(set && index < set->property_count);
    *out_descriptor = (rt_spec_descriptor){0};
    constant_rows rows;
    if (!rows_read(&set->properties[index], &rows)) return false;
    CHECK(rows.begin <= rows.end && rows.end <= rows.extent);
    uint64_t size = rows.end - rows.begin, place = rows.begin;
    out_descriptor->id = rows.id;
    out_descriptor->scalar_count = rows.scalar_count;
    out_descriptor->size_bytes = (uint32_t)size;
    /* The default follows the extents of the preceding constants; if one of them is damaged, its
     * position is unknown. */
    for (uint32_t i = 0; i < index; i++) {
        if (!rows_read(&set->properties[i], &rows)) return true;
        place += rows.extent; /* at most 2^32 extents of at most 2^33 bytes: no overflow */
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
