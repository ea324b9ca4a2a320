/* Images' tables of specialisation constants. */
#include "reference/program/specialise.h"

#include "reference/base/nearest.h"
#include "reference/image/spec_constants.h"

#include <stdlib.h>
#include <string.h>

/* ---- An image's table --------------------------------------------------------------------- */

typedef enum spec_presence { SPEC_ABSENT, SPEC_PRESENT, SPEC_DAMAGED } spec_presence;

static spec_presence descriptor_find(const rt_image *image, rt_text name,
                                     rt_spec_descriptor *out_descriptor)
{
    const rt_property_set *set = rt_image_set(image, RT_SET_SPEC_CONSTANTS);
    const rt_property *property = rt_property_set_find(set, name);
    if (!property) return SPEC_ABSENT;
    uint32_t index = (uint32_t)(property - set->properties);
    return rt_spec_descriptor_read(image, index, out_descriptor) ? SPEC_PRESENT : SPEC_DAMAGED;
}

/* True if the value is the default that the image states for the constant. */
static bool is_default(const rt_image *image, const rt_spec_constant *constant)
{
    rt_spec_descriptor descriptor;
    rt_bytes value = constant->value;
    return descriptor_find(image, constant->name, &descriptor) == SPEC_PRESENT &&
           descriptor.default_value.size == value.size &&
           memcmp(descriptor.default_value.data, value.data, value.size) == 0;
}

/* ---- Lists -------------------------------------------------------------------------------- */

static int by_name(const void *a, const void *b)
{
    const rt_spec_constant *first = a, *second = b;
    return rt_text_compare(first->name, second->name);
}

rt_spec_list rt_spec_list_make(rt_arena *arena, const rt_kernel_request *request,
                               const rt_image *requesting)
{
    rt_spec_constant *constants =
        rt_arena_alloc_array(arena, request->constant_count, sizeof *constants);
    rt_spec_list list = {.constants = constants};
    for (uint32_t i = 0; i < request->constant_count; i++) {
        CHECK(request->constants[i].value.size >= 1);
        if (requesting && is_default(requesting, &request->constants[i])) continue;
        constants[list.count++] = request->constants[i];
    }
    CHECK(list.count <= request->constant_count);
    qsort(constants, list.count, sizeof *constants, by_name);
    for (uint32_t i = 1; i < list.count; i++)
        CHECK(by_name(&constants[i - 1], &constants[i]) < 0);
    return list;
}

rt_spec_list rt_spec_list_union(rt_arena *arena, rt_spec_list a, rt_spec_list b)
{
    rt_spec_constant *constants =
        rt_arena_alloc_array(arena, (size_t)a.count + b.count, sizeof *constants);
    rt_spec_list result = {.constants = constants};
    uint32_t i = 0, k = 0;
    while (i < a.count || k < b.count) {
        int order = i == a.count   ? 1
                    : k == b.count ? -1
                                   : by_name(&a.constants[i], &b.constants[k]);
        constants[result.count++] = order <= 0 ? a.constants[i] : b.constants[k];
        i += order <= 0;
        k += order >= 0;
    }
    CHECK(result.count <= a.count + b.count);
    for (i = 1; i < result.count; i++)
        CHECK(by_name(&constants[i - 1], &constants[i]) < 0);
    return result;
}

rt_spec_list rt_spec_list_copy(rt_arena *arena, rt_spec_list list)
{
    rt_spec_constant *copies = rt_arena_alloc_array(arena, list.count, sizeof *copies);
    for (uint32_t i = 0; i < list.count; i++)
        copies[i] = (rt_spec_constant){rt_arena_text(arena, list.constants[i].name),
                                       rt_arena_bytes(arena, list.constants[i].value)};
    return (rt_spec_list){copies, list.count};
}

void rt_spec_list_write(rt_buffer *out, rt_spec_list list)
{
    rt_write_u32(out, list.count);
    for (uint32_t i = 0; i < list.count; i++) {
        rt_write_text(out, list.constants[i].name);
        rt_write_bytes(out, list.constants[i].value);
    }
}

bool rt_spec_list_equal(rt_spec_list a, rt_spec_list b)
{
    if (a.count != b.count) return false;
    for (uint32_t i = 0; i < a.count; i++) {
        const rt_spec_constant *first = &a.constants[i], *second = &b.constants[i];
        if (!rt_text_equal(first->name, second->name)) return false;
        if (first->value.size != second->value.size) return false;
        if (memcmp(first->value.data, second->value.data, first->value.size) != 0) return false;
    }
    return true;
}

/* ---- Checks ------------------------------------------------------------------------------- */

static rt_status refuse_unknown(rt_sink *sink, rt_text name, const rt_link_set *set)
{
    /* The name may be mistyped, so suggest the nearest one in the set. */
    rt_buffer hint = {0};
    rt_nearest nearest = rt_nearest_to(name);
    for (uint32_t i = 0; i < set->images.count; i++) {
        const rt_property_set *table =
            rt_image_set(set->images.items[i]->image, RT_SET_SPEC_CONSTANTS);
        for (uint32_t k = 0; table && k < table->property_count; k++)
            rt_nearest_offer(&nearest, table->properties[k].name);
    }
    const rt_image *requesting = set->images.items[0]->image;
    if (!rt_nearest_suggest(&nearest, &hint) && requesting->format != RT_FORMAT_SPIRV64)
        rt_buffer_printf(&hint, "; code that was compiled ahead of time keeps its default values");
    rt_status status = rt_fail_naming(
        sink, RT_ERRC_INVALID, RT_RULE_NONE, &name, 1,
        "image %.*s %s no specialisation constant '%.*s'%s", RT_TEXT_ARG(requesting->name),
        set->images.count > 1 ? "and the images linked with it have" : "has", RT_TEXT_ARG(name),
        rt_buffer_string(&hint));
    rt_buffer_free(&hint);
    return status;
}

/* Checks one image; *out_found: it has the constant. */
static rt_status check_image(rt_sink *sink, const rt_spec_constant *constant, const rt_image *image,
                             bool *out_found)
{
    rt_text name = constant->name;
    rt_spec_descriptor descriptor;
    spec_presence presence = descriptor_find(image, name, &descriptor);
    *out_found = presence == SPEC_PRESENT;
    if (presence == SPEC_ABSENT) return RT_STATUS_OK;
    if (presence == SPEC_DAMAGED) {
        return rt_fail_naming(
            sink, RT_MALFORMED, RT_RULE_NONE, &name, 1,
            "image %.*s: property '%.*s' of set '%s' is not a table of scalars, each described by "
            "three u32 (number, offset in the constant, size)",
            RT_TEXT_ARG(image->name), RT_TEXT_ARG(name), RT_SET_SPEC_CONSTANTS);
    }
    uint32_t size = descriptor.size_bytes;
    if (size != constant->value.size) {
        return rt_fail_naming(sink, RT_ERRC_INVALID, RT_RULE_NONE, &name, 1,
                              "specialisation constant '%.*s' has %u bytes in image %.*s, but the "
                              "given value has %zu",
                              RT_TEXT_ARG(name), size, RT_TEXT_ARG(image->name),
                              constant->value.size);
    }
    bool is_scalar =
        descriptor.scalar_count == 1 && (size == 1 || size == 2 || size == 4 || size == 8);
    if (is_scalar) return RT_STATUS_OK;
    return rt_fail_naming(sink, RT_UNSUPPORTED, RT_RULE_NONE, &name, 1,
                          "specialisation constant '%.*s' of image %.*s has %u bytes; only scalars "
                          "of 1, 2, 4 or 8 bytes can be set",
                          RT_TEXT_ARG(name), RT_TEXT_ARG(image->name), size);
}

/* Refuses two names with the same number: it would be ambiguous which value applies. */
static rt_status check_numbers(rt_sink *sink, rt_spec_list list, const rt_image *image)
{
    for (uint32_t i = 0; i < list.count; i++) {
        for (uint32_t k = 0; k < i; k++) {
            rt_spec_descriptor first, second;
            if (descriptor_find(image, list.constants[i].name, &first) != SPEC_PRESENT) continue;
            if (descriptor_find(image, list.constants[k].name, &second) != SPEC_PRESENT) continue;
            if (first.id != second.id) continue;
            return rt_fail_naming(
                sink, RT_MALFORMED, RT_RULE_NONE, &list.constants[i].name, 1,
                "image %.*s: specialisation constants '%.*s' and '%.*s' have the same number, %u",
                RT_TEXT_ARG(image->name), RT_TEXT_ARG(list.constants[k].name),
                RT_TEXT_ARG(list.constants[i].name), first.id);
        }
    }
    return RT_STATUS_OK;
}

rt_status rt_spec_list_check(rt_sink *sink, rt_spec_list list, const rt_link_set *set,
                             const rt_device *device)
{
    if (list.count == 0) return RT_STATUS_OK;
    CHECK(set->images.count >= 1);
    for (uint32_t i = 0; i < list.count; i++) {
        bool is_known = false;
        for (uint32_t k = 0; k < set->images.count; k++) {
            bool in_image = false;
            RT_TRY(check_image(sink, &list.constants[i], set->images.items[k]->image, &in_image));
            is_known = is_known || in_image;
        }
        if (!is_known) return refuse_unknown(sink, list.constants[i].name, set);
    }
    for (uint32_t k = 0; k < set->images.count; k++)
        RT_TRY(check_numbers(sink, list, set->images.items[k]->image));
    if (device->capabilities.spec_constants) return RT_STATUS_OK;
    return rt_fail_naming(
        sink, RT_ERRC_FEATURE_NOT_SUPPORTED, RT_RULE_NONE, &list.constants[0].name, 1,
        "specialisation constant '%.*s' cannot be set: device %.*s does not support setting any",
        RT_TEXT_ARG(list.constants[0].name), RT_TEXT_ARG(device->name));
}

uint32_t rt_spec_list_of_image(rt_arena *arena, rt_spec_list list, const rt_image *image,
                               dev_spec_constant **out_constants)
{
    uint32_t count = 0;
    *out_constants = rt_arena_alloc_array(arena, list.count, sizeof **out_constants);
    for (uint32_t i = 0; i < list.count; i++) {
        rt_spec_descriptor descriptor;
        spec_presence presence = descriptor_find(image, list.constants[i].name, &descriptor);
        CHECK(presence != SPEC_DAMAGED);
        if (presence == SPEC_ABSENT) continue;
        CHECK(descriptor.size_bytes == list.constants[i].value.size);
        (*out_constants)[count++] = (dev_spec_constant){descriptor.id, list.constants[i].value};
    }
    CHECK(count <= list.count);
    return count;
}
