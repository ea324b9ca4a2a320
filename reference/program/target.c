/* Compares an image's requirements with a device's capabilities. */
#include "reference/program/target.h"

#include "reference/image/virtual_functions.h"

#include <inttypes.h>

/* The aspect that a number in a property set denotes; DEV_ASPECT_COUNT for an unknown number. */
static dev_aspect aspect_find(uint32_t number)
{
    static const uint32_t numbers[] = {
#define ASPECT_NUMBER(aspect, name, number) [DEV_ASPECT_##aspect] = number,
        DEV_ASPECTS(ASPECT_NUMBER)
#undef ASPECT_NUMBER
    };
    _Static_assert(sizeof numbers / sizeof *numbers == DEV_ASPECT_COUNT,
                   "a number for each aspect");
    uint32_t aspect = 0;
    while (aspect < DEV_ASPECT_COUNT && numbers[aspect] != number)
        aspect++;
    return (dev_aspect)aspect;
}

static bool meets_aspects(const rt_device *device, const rt_property *property, rt_buffer *lack)
{
    rt_reader reader = rt_reader_of(property->bytes);
    for (size_t i = 0; i < property->bytes.size / 4; i++) {
        uint32_t number = rt_read_u32(&reader);
        dev_aspect aspect = aspect_find(number);
        bool is_known = aspect != DEV_ASPECT_COUNT;
        if (is_known && device->capabilities.aspects >> aspect & 1) continue;
        if (is_known)
            rt_buffer_printf(lack, "it needs aspect %s", dev_aspect_name(aspect));
        else
            rt_buffer_printf(lack, "it needs aspect number %u", number);
        rt_buffer_printf(lack, ", which device %.*s does not have", RT_TEXT_ARG(device->name));
        return false;
    }
    CHECK(rt_reader_finished(&reader));
    return true;
}

static bool meets_group_size(const rt_device *device, const rt_property *property, rt_buffer *lack)
{
    /* Older images state sizes as four-byte numbers.  The product saturates once it exceeds any
     * device's limit. */
    uint32_t size = rt_text_is(property->name, RT_REQUIREMENT_GROUP_SIZE) ? 8 : 4;
    rt_reader reader = rt_reader_of(property->bytes);
    uint64_t items = 1;
    for (size_t i = 0; i < property->bytes.size / size; i++) {
        uint64_t factor = size == 8 ? rt_read_u64(&reader) : rt_read_u32(&reader);
        bool exceeds = factor > UINT32_MAX || items > UINT32_MAX;
        items = exceeds ? UINT64_MAX : items * factor;
    }
    CHECK(!reader.failed);
    uint32_t most = device->capabilities.group_size_max;
    if (items > 0 && items <= most) return true;
    if (items == UINT64_MAX)
        rt_buffer_printf(lack, "it needs work-groups of more than 4294967295");
    else
        rt_buffer_printf(lack, "it needs work-groups of %" PRIu64, items);
    rt_buffer_printf(lack, " work-items, but device %.*s supports 1 to %u",
                     RT_TEXT_ARG(device->name), most);
    return false;
}

static bool meets_sub_group_size(const rt_device *device, const rt_property *property,
                                 rt_buffer *lack)
{
    uint32_t size = property->number;
    bool in_range = size >= 1 && size <= 64;
    if (in_range && device->capabilities.sub_group_sizes >> (size - 1) & 1) return true;
    rt_buffer_printf(lack,
                     "it needs sub-groups of %u work-items, which device %.*s does not "
                     "support",
                     size, RT_TEXT_ARG(device->name));
    return false;
}

/* The target string of a format stands for every device that takes the format. */
static bool meets_target(const rt_device *device, const rt_property *property, rt_buffer *lack)
{
    const dev_capabilities *capabilities = &device->capabilities;
    rt_text target = {(const char *)property->bytes.data, property->bytes.size};
    for (uint32_t format = 0; format < RT_FORMAT_COUNT; format++)
        if (rt_text_is(target, rt_format_target((rt_format)format)) &&
            capabilities->formats_taken >> format & 1)
            return true;
    if (target.length > 0 && rt_text_equal(target, capabilities->architecture)) return true;
    rt_text architecture = capabilities->architecture;
    rt_buffer_printf(lack, "it was compiled ahead of time for '%.*s', but device %.*s is '%.*s'",
                     RT_TEXT_ARG(target), RT_TEXT_ARG(device->name),
                     RT_TEXT_ARG(architecture.length > 0 ? architecture : RT_TEXT("unknown")));
    return false;
}

/* The requirements that images may state, and the form of the properties that state them. */
static const struct requirement_row {
    const char *name;
    uint32_t item_size; /* bytes; 0: a number, not a list */
    bool (*meets)(const rt_device *device, const rt_property *property, rt_buffer *lack);
    const char *damage;
} requirement_rows[] = {
    {RT_REQUIREMENT_ASPECTS, 4, meets_aspects, "a list of u32 numbers"},
    {RT_REQUIREMENT_GROUP_SIZE, 8, meets_group_size, "a list of u64 numbers"},
    {RT_REQUIREMENT_GROUP_SIZE_U32, 4, meets_group_size, "a list of u32 numbers"},
    {RT_REQUIREMENT_SUB_GROUP_SIZE, 0, meets_sub_group_size, "a u32 number"},
    {RT_REQUIREMENT_TARGET, 1, meets_target, "a text"},
};

/* True if the image calls no virtual functions, or the device has the aspect that such calls need.
 */
static bool meets_calls(const rt_device *device, const rt_image *image, rt_buffer *lack)
{
    rt_virtual_functions functions;
    if (device->capabilities.aspects >> DEV_ASPECT_VIRTUAL_FUNCTIONS & 1) return true;
    if (rt_virtual_functions_read(image, &functions) || functions.calls.length == 0) return true;
    rt_buffer_printf(lack,
                     "it calls virtual functions (of %.*s), which needs aspect %s, but device "
                     "%.*s does not have that aspect",
                     RT_TEXT_ARG(functions.calls), dev_aspect_name(DEV_ASPECT_VIRTUAL_FUNCTIONS),
                     RT_TEXT_ARG(device->name));
    return false;
}

/* True if the image is not of the device library for bfloat16, or its flavour is for devices like
 * this one.  The other flavour works on every device, but only as a replacement: a device that has
 * the instruction takes the image that uses it (intel/llvm#16729). */
static bool meets_library(const rt_device *device, const rt_image *image, rt_buffer *lack)
{
    const rt_property *property =
        rt_property_set_find(rt_image_set(image, RT_SET_DEVICELIB), RT_TEXT(RT_DEVICELIB_BFLOAT16));
    if (!property || property->type != RT_PROPERTY_UINT32) return true;
    bool converts = device->capabilities.bfloat16_conversions;
    if ((property->number != 0) == converts) return true;
    rt_buffer_printf(lack,
                     "it is the device library for devices %s bfloat16 conversions, and "
                     "device %.*s %s them",
                     converts ? "without" : "with", RT_TEXT_ARG(device->name),
                     converts ? "has" : "lacks");
    return false;
}

bool rt_device_meets(const rt_device *device, const rt_image *image, rt_buffer *out_lack)
{
    const rt_property_set *set = rt_image_set(image, RT_SET_DEVICE_REQUIREMENTS);
    rt_buffer lack = {0};
    bool meets = meets_calls(device, image, &lack) && meets_library(device, image, &lack);
    for (uint32_t i = 0; set && i < set->property_count && meets; i++) {
        const rt_property *property = &set->properties[i];
        for (size_t k = 0; k < sizeof requirement_rows / sizeof *requirement_rows; k++) {
            const struct requirement_row *row = &requirement_rows[k];
            if (!rt_text_is(property->name, row->name)) continue;
            CHECK(row->item_size == 0 || row->item_size == 1 || row->item_size == 4 ||
                  row->item_size == 8);
            bool is_sound = row->item_size == 0 ? property->type == RT_PROPERTY_UINT32
                                                : property->type == RT_PROPERTY_BYTES &&
                                                      property->bytes.size % row->item_size == 0;
            meets = is_sound && row->meets(device, property, &lack);
            if (!is_sound)
                rt_buffer_printf(&lack, "its property '%s' is not %s", row->name, row->damage);
        }
    }
    CHECK(meets == (lack.size == 0)); /* Every unmet requirement is reported. */
    if (out_lack) rt_buffer_append_text(out_lack, rt_buffer_text(&lack));
    rt_buffer_free(&lack);
    return meets;
}

bool rt_device_links(const rt_device *device, rt_format format, rt_profile profile)
{
    bool is_linked_format = format == RT_FORMAT_SPIRV64 || format == RT_FORMAT_SPIRV64_GEN;
    /* Shipped DPC++ links only these formats (requirements.yaml, key dpcpp, tag A29). */
    if (profile == RT_PROFILE_DPCPP && !is_linked_format) return false;
    return dev_capabilities_link(&device->capabilities, format);
}
