/* The serialised form of images.  Little-endian (base/stream.h); a tag and a version first:
 *
 *     "AIML" u32 version  u32 count  image*
 *     image: name format compile_options link_options  kernels  sets  code  spirv
 *     set: name  properties      property: name type (number | bytes)
 *     type: the tag in its low 8 bits, above them the number of unused bits in the last byte
 *
 * The reader's input comes from caches and packs and is untrusted. */
#include "reference/image/image.h"

enum { IMAGE_STREAM_TAG = 0x4C4D4941, IMAGE_STREAM_VERSION = 2 };

/* Minimum sizes of the items in bytes, so that a damaged count cannot cause large allocations. */
enum { TEXT_SIZE_MIN = 8, PROPERTY_SIZE_MIN = 16, IMAGE_SIZE_MIN = 52 };

void rt_property_set_write(rt_buffer *out, const rt_property_set *set)
{
    rt_write_text(out, set->name);
    rt_write_u32(out, set->property_count);
    for (uint32_t i = 0; i < set->property_count; i++) {
        const rt_property *property = &set->properties[i];
        CHECK(property->type == RT_PROPERTY_UINT32 || property->type == RT_PROPERTY_BYTES);
        rt_write_text(out, property->name);
        rt_write_u32(out, (uint32_t)property->type | (uint32_t)property->unused_bits << 8);
        if (property->type == RT_PROPERTY_UINT32)
            rt_write_u32(out, property->number);
        else
            rt_write_bytes(out, property->bytes);
    }
}

void rt_image_list_write(rt_buffer *out, rt_image_list list)
{
    rt_write_u32(out, IMAGE_STREAM_TAG);
    rt_write_u32(out, IMAGE_STREAM_VERSION);
    rt_write_u32(out, list.count);
    for (uint32_t i = 0; i < list.count; i++) {
        const rt_image *image = &list.images[i];
        CHECK((unsigned)image->format < RT_FORMAT_COUNT);
        rt_write_text(out, image->name);
        rt_write_u32(out, image->format);
        rt_write_text(out, image->compile_options);
        rt_write_text(out, image->link_options);
        rt_write_u32(out, image->kernel_count);
        for (uint32_t k = 0; k < image->kernel_count; k++)
            rt_write_text(out, image->kernels[k]);
        rt_write_u32(out, image->set_count);
        for (uint32_t k = 0; k < image->set_count; k++)
            rt_property_set_write(out, &image->sets[k]);
        rt_write_bytes(out, image->code);
        rt_write_bytes(out, image->spirv);
    }
}

rt_property_set rt_property_set_read(rt_arena *arena, rt_reader *reader)
{
    rt_property_set set = {.name = rt_read_text(reader)};
    set.property_count = rt_read_count(reader, PROPERTY_SIZE_MIN);
    rt_property *properties = rt_arena_alloc_array(arena, set.property_count, sizeof *properties);
    for (uint32_t i = 0; i < set.property_count; i++) {
        rt_property *property = &properties[i];
        property->name = rt_read_text(reader);
        uint32_t type = rt_read_u32(reader), unused_bits = type >> 8;
        property->type = (rt_property_type)(type & 0xFF);
        property->unused_bits = (uint8_t)(unused_bits & 7);
        if (property->type == RT_PROPERTY_UINT32)
            property->number = rt_read_u32(reader);
        else if (property->type == RT_PROPERTY_BYTES)
            property->bytes = rt_read_bytes(reader);
        else
            rt_reader_fail(reader);
        if (unused_bits > 7 || (unused_bits > 0 && property->bytes.size == 0))
            rt_reader_fail(reader);
    }
    set.properties = properties;
    return set;
}

static rt_image read_image(rt_arena *arena, rt_reader *reader)
{
    rt_image image = {.name = rt_read_text(reader)};
    image.format = (rt_format)rt_read_below(reader, RT_FORMAT_COUNT);
    image.compile_options = rt_read_text(reader);
    image.link_options = rt_read_text(reader);
    image.kernel_count = rt_read_count(reader, TEXT_SIZE_MIN);
    rt_text *kernels = rt_arena_alloc_array(arena, image.kernel_count, sizeof *kernels);
    for (uint32_t i = 0; i < image.kernel_count; i++)
        kernels[i] = rt_read_text(reader);
    image.kernels = kernels;
    image.set_count = rt_read_count(reader, RT_PROPERTY_SET_PACKED_MIN);
    rt_property_set *sets = rt_arena_alloc_array(arena, image.set_count, sizeof *sets);
    for (uint32_t i = 0; i < image.set_count; i++)
        sets[i] = rt_property_set_read(arena, reader);
    image.sets = sets;
    image.code = rt_read_bytes(reader);
    image.spirv = rt_read_bytes(reader);
    if (image.spirv.size > 0 && !rt_format_is_native(image.format)) rt_reader_fail(reader);
    return image;
}

rt_status rt_image_list_read(rt_sink *sink, rt_arena *arena, rt_reader *reader,
                             rt_image_list *out_list)
{
    *out_list = (rt_image_list){0};
    if (rt_read_u32(reader) != IMAGE_STREAM_TAG) rt_reader_fail(reader);
    if (rt_read_u32(reader) != IMAGE_STREAM_VERSION) rt_reader_fail(reader);
    uint32_t count = rt_read_count(reader, IMAGE_SIZE_MIN);
    if (count > RT_IMAGE_COUNT_MAX) {
        return rt_fail(sink, RT_LIMIT, RT_RULE_NONE,
                       "the list has %u images; at most %u are allowed", count, RT_IMAGE_COUNT_MAX);
    }
    rt_image *images = rt_arena_alloc_array(arena, count, sizeof *images);
    for (uint32_t i = 0; i < count && !reader->failed; i++) {
        images[i] = read_image(arena, reader);
        if (images[i].code.size > RT_IMAGE_SIZE_MAX) {
            return rt_fail(sink, RT_LIMIT, RT_RULE_NONE,
                           "image %u has %zu bytes of code; at most %u are allowed", i,
                           images[i].code.size, RT_IMAGE_SIZE_MAX);
        }
    }
    if (reader->failed) {
        return rt_fail(sink, RT_MALFORMED, RT_RULE_NONE,
                       "damaged image list: fault at byte %zu of %zu", reader->fault,
                       reader->input.size);
    }
    for (uint32_t i = 0; i < count; i++)
        rt_image_hash(&images[i]);
    *out_list = (rt_image_list){images, count};
    return RT_STATUS_OK;
}
