/* Aspects that an image asks for, and those that a device has. */
#include "reference/program/target.h"

/* Numbers of aspects in property sets are those of DPC++'s aspect list (sycl/info/aspects.def). */
static const struct aspect_row {
    uint32_t number;
    dev_aspect aspect;
    const char *name;
} aspect_rows[] = {
    {5, DEV_ASPECT_FP16, "fp16"},
    {6, DEV_ASPECT_FP64, "fp64"},
    {27, DEV_ASPECT_ATOMIC64, "atomic64"},
};

_Static_assert(sizeof aspect_rows / sizeof *aspect_rows == DEV_ASPECT_COUNT, "a number for each");

static const struct aspect_row *aspect_find(uint32_t number)
{
    for (uint32_t i = 0; i < DEV_ASPECT_COUNT; i++) {
        if (aspect_rows[i].number == number) return &aspect_rows[i];
    }
    return NULL;
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
    const struct aspect_row *row = aspect_find(number);
    if (row) {
        rt_buffer_printf(out, "it needs aspect %s", row->name);
    } else {
        rt_buffer_printf(out, "it needs aspect number %u", number);
    }
    rt_buffer_printf(out, ", which device %.*s does not have", RT_TEXT_ARG(device->name));
}

bool rt_device_meets(const rt_device *device, const rt_image *image, rt_buffer *out_lack)
{
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
        const struct aspect_row *row = aspect_find(number);
        if (row && device->capabilities.aspects & (1u << row->aspect)) continue;
        if (out_lack) describe_lack(device, number, out_lack);
        return false;
    }
    CHECK(rt_reader_finished(&reader));
    return true;
}
