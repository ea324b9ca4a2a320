/* The aspects that an image requires of a device, by their names in SYCL. */
#include "conformance/explain/explain_internal.h"
#include "reference/base/stream.h"
#include "reference/device/device.h"
#include "reference/image/image.h"

bool cnf_explain_aspects(rt_buffer *out, const char *before, const rt_property_set *set,
                         const rt_property *property)
{
    bool lists = rt_text_is(set->name, RT_SET_DEVICE_REQUIREMENTS) &&
                 rt_text_is(property->name, RT_REQUIREMENT_ASPECTS) &&
                 property->type == RT_PROPERTY_BYTES && property->bytes.size > 0 &&
                 property->bytes.size % sizeof(uint32_t) == 0;
    if (!lists) return false;
    rt_reader reader = rt_reader_of(property->bytes);
    for (size_t i = 0; i < property->bytes.size / sizeof(uint32_t); i++) {
        uint32_t number = rt_read_u32(&reader);
        const char *name = dev_aspect_number_name(number);
        rt_buffer_printf(out, "%s", i > 0 ? ", " : before);
        if (name)
            rt_buffer_printf(out, "%s", name);
        else
            rt_buffer_printf(out, "aspect %u", number);
    }
    return true;
}
