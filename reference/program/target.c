/* Aspects that an image asks for, and those that a device has. */
#include "reference/program/target.h"

#include "reference/image/virtual_functions.h"

/* The aspect of a number in a property set; DEV_ASPECT_COUNT where we know none. */
static dev_aspect aspect_find(uint32_t number)
{
    static const uint32_t numbers[] = {
#define ASPECT_NUMBER(aspect, name, number) [DEV_ASPECT_##aspect] = number,
        DEV_ASPECTS(ASPECT_NUMBER)
#undef ASPECT_NUMBER
    };
    uint32_t aspect = 0;
    while (aspect < DEV_ASPECT_COUNT && numbers[aspect] != number)
        aspect++;
    return (dev_aspect)aspect;
}

static const rt_property *aspects_of(const rt_image *image)
{
    const rt_property_set *set = rt_image_set(image, RT_SET_DEVICE_REQUIREMENTS);
    for (uint32_t i = 0; set && i < set->property_count; i++) {
        if (rt_text_is(set->properties[i].name, "aspects")) return &set->properties[i];
    }
    return NULL;
}

static void describe_lack(const rt_device *device, uint32_t number, rt_buffer *out)
{
    dev_aspect aspect = aspect_find(number);
    if (aspect != DEV_ASPECT_COUNT) {
        rt_buffer_printf(out, "it needs aspect %s", dev_aspect_name(aspect));
    } else {
        rt_buffer_printf(out, "it needs aspect number %u", number);
    }
    rt_buffer_printf(out, ", which device %.*s does not have", RT_TEXT_ARG(device->name));
}

/* Whether an image that calls virtual functions finds the aspect for it. */
static bool meets_calls(const rt_device *device, const rt_image *image, rt_buffer *out_lack)
{
    rt_virtual_functions functions;
    if (device->capabilities.aspects >> DEV_ASPECT_VIRTUAL_FUNCTIONS & 1) return true;
    if (rt_virtual_functions_read(image, &functions) || functions.calls.length == 0) return true;
    if (out_lack) {
        rt_buffer_printf(out_lack,
                         "it calls virtual functions (of %.*s), which needs aspect %s, and device "
                         "%.*s does not have that",
                         RT_TEXT_ARG(functions.calls),
                         dev_aspect_name(DEV_ASPECT_VIRTUAL_FUNCTIONS), RT_TEXT_ARG(device->name));
    }
    return false;
}

bool rt_device_meets(const rt_device *device, const rt_image *image, rt_buffer *out_lack)
{
    if (!meets_calls(device, image, out_lack)) return false;
    const rt_property *wanted = aspects_of(image);
    if (!wanted) return true;
    if (wanted->type != RT_PROPERTY_BYTES || wanted->bytes.size % 4 != 0) {
        if (out_lack) {
            rt_buffer_printf(out_lack, "its property 'aspects' is not a list of u32 numbers");
        }
        return false;
    }
    rt_reader reader = rt_reader_of(wanted->bytes);
    for (size_t i = 0; i < wanted->bytes.size / 4; i++) {
        uint32_t number = rt_read_u32(&reader);
        dev_aspect aspect = aspect_find(number);
        bool known = aspect != DEV_ASPECT_COUNT;
        if (known && device->capabilities.aspects >> aspect & 1) continue;
        if (out_lack) describe_lack(device, number, out_lack);
        return false;
    }
    CHECK(rt_reader_finished(&reader));
    return true;
}
