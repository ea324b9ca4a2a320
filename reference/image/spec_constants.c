/* Reads the tables of specialisation constants. */
#include "reference/image/spec_constants.h"

#include "reference/base/stream.h"

enum { ROW_SIZE = 3 * 4 };

/* A constant as its rows describe it; bytes count from the start of its defaults. */
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
    for (size_t left = property->bytes.size / ROW_SIZE; left > 0; left--) {
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

static rt_bytes defaults_of(const rt_image *image)
{
    const rt_property_set *set = rt_image_set(image, RT_SET_SPEC_CONSTANT_DEFAULTS);
    for (uint32_t i = 0; set && i < set->property_count; i++) {
        const rt_property *property = &set->properties[i];
        if (rt_text_is(property->name, "all") && property->type == RT_PROPERTY_BYTES)
            return property->bytes;
    }
    return (rt_bytes){0};
}

/* Adds up the extents of the constants before `index`; false: one of them is damaged. */
static bool place_find(const rt_property_set *set, uint32_t index, uint64_t *out_place)
{
    *out_place = 0;
    for (uint32_t i = 0; i < index; i++) {
        constant_rows rows;
        if (!rows_read(&set->properties[i], &rows)) return false;
        *out_place += rows.extent; /* at most 2^33 each, of at most 2^32: no overflow */
    }
    return true;
}

bool rt_spec_descriptor_read(const rt_image *image, uint32_t index,
                             rt_spec_descriptor *out_descriptor)
{
    const rt_property_set *set = rt_image_set(image, RT_SET_SPEC_CONSTANTS);
    CHECK(set && index < set->property_count);
    *out_descriptor = (rt_spec_descriptor){0};
    constant_rows rows;
    if (!rows_read(&set->properties[index], &rows)) return false;
    uint64_t size = rows.end - rows.begin, place;
    out_descriptor->id = rows.id;
    out_descriptor->scalar_count = rows.scalar_count;
    out_descriptor->size_bytes = (uint32_t)size;
    if (!place_find(set, index, &place)) return true;
    rt_bytes all = defaults_of(image);
    place += rows.begin;
    if (place <= all.size && size <= all.size - place)
        out_descriptor->default_value = (rt_bytes){all.data + place, (size_t)size};
    return true;
}
