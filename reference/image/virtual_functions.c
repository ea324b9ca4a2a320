/* Reads an image's declarations of virtual functions. */
#include "reference/image/virtual_functions.h"

#include <string.h>

rt_text rt_property_text_value(const rt_property *property)
{
    if (property->type != RT_PROPERTY_BYTES || property->bytes.size == 0) return (rt_text){0};
    rt_text text = {(const char *)property->bytes.data, property->bytes.size};
    if (text.data[text.length - 1] == '\0') text.length--;
    return text;
}

/* Returns NULL, or the property's name if it is damaged.  Properties with other names are ignored.
 */
static const char *read_property(const rt_property *property, rt_virtual_functions *out)
{
    const struct {
        const char *name;
        rt_text *value; /* of type bytes */
    } texts[] = {
        {RT_VIRTUAL_FUNCTIONS_PROVIDES, &out->provides},
        {RT_VIRTUAL_FUNCTIONS_CALLS, &out->calls},
        {RT_VIRTUAL_FUNCTIONS_CREATES, &out->creates},
        {RT_VIRTUAL_FUNCTIONS_USES, &out->uses},
    };
    if (rt_text_is(property->name, RT_VIRTUAL_FUNCTIONS_DUMMY)) {
        out->dummy = property->number == 1;
        return property->type == RT_PROPERTY_UINT32 ? NULL : RT_VIRTUAL_FUNCTIONS_DUMMY;
    }
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        if (!rt_text_is(property->name, texts[i].name)) continue;
        *texts[i].value = rt_property_text_value(property);
        return property->type == RT_PROPERTY_BYTES ? NULL : texts[i].name;
    }
    return NULL;
}

const char *rt_virtual_functions_read(const rt_image *image, rt_virtual_functions *out_functions)
{
    *out_functions = (rt_virtual_functions){0};
    const rt_property_set *set = rt_image_set(image, RT_SET_VIRTUAL_FUNCTIONS);
    const char *damaged = NULL;
    for (uint32_t i = 0; set && i < set->property_count && !damaged; i++)
        damaged = read_property(&set->properties[i], out_functions);
    rt_text provides = out_functions->provides;
    /* A provider belongs to a single set, since with several it would be unknown which function is
     * in which set. */
    if (provides.length > 0 && memchr(provides.data, ',', provides.length))
        damaged = RT_VIRTUAL_FUNCTIONS_PROVIDES;
    if (damaged) *out_functions = (rt_virtual_functions){0};
    return damaged;
}

bool rt_set_names_next(rt_text *inout_list, rt_text *out_name)
{
    while (inout_list->length > 0) {
        *out_name = rt_text_take_until(inout_list, ',');
        if (out_name->length > 0) return true;
    }
    return false;
}

bool rt_set_names_hold(rt_text list, rt_text name)
{
    for (rt_text listed; rt_set_names_next(&list, &listed);)
        if (rt_text_equal(listed, name)) return true;
    return false;
}
