/* Look-ups in property sets, and the hash of an image's contents. */
#include "reference/image/image.h"

#include "reference/base/rule.h"

#include <string.h>
#include <strings.h>

uint32_t rt_image_kernel(const rt_image *image, rt_text name)
{
    for (uint32_t i = 0; i < image->kernel_count; i++) {
        if (rt_text_equal(image->kernels[i], name)) return i;
    }
    return RT_KERNEL_NONE;
}

const rt_property_set *rt_image_set(const rt_image *image, const char *name)
{
    for (uint32_t i = 0; i < image->set_count; i++) {
        rt_text set = image->sets[i].name;
        if (RULE(DL_IMAGE_03, rt_text_is(set, name))) return &image->sets[i];
    }
    return NULL;
}

rt_bytes rt_image_embedded_ir(const rt_image *image)
{
    const rt_property_set *set = rt_image_set(image, RT_SET_EMBEDDED_IR);
    for (uint32_t i = 0; set && i < set->property_count; i++) {
        const rt_property *property = &set->properties[i];
        bool ir = rt_text_is(property->name, RT_EMBEDDED_IR_PROPERTY);
        if (ir && property->type == RT_PROPERTY_BYTES) return property->bytes;
    }
    return (rt_bytes){0};
}

const rt_property *rt_property_set_find(const rt_property_set *set, rt_text name)
{
    for (uint32_t i = 0; set && i < set->property_count; i++) {
        if (rt_text_equal(set->properties[i].name, name)) return &set->properties[i];
    }
    return NULL;
}

bool rt_property_set_has(const rt_property_set *set, rt_text name)
{
    return rt_property_set_find(set, name) != NULL;
}

void rt_image_hash(rt_image *image)
{
    rt_image content = *image;
    content.name = (rt_text){0};
    content.spirv = (rt_bytes){0};
    rt_buffer stream = {0};
    rt_image_list_write(&stream, (rt_image_list){&content, 1});
    image->hash = rt_hash128(stream.data, stream.size);
    rt_buffer_free(&stream);
}
