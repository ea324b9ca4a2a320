/* Images' tables of specialisation constants. */
#include "reference/program/specialise.h"

#include "reference/base/vector.h"
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
    if (descriptor_find(image, constant->name, &descriptor) != SPEC_PRESENT) return false;
    if (descriptor.default_value.size != value.size) return false;
    const uint8_t *initial = descriptor.default_value.data;
    for (rt_spec_scalar at; rt_spec_scalar_take(&descriptor.rows, &at);)
        if (memcmp(initial + at.offset, value.data + at.offset, at.size_bytes) != 0) return false;
    return true;
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

/* True if an image of the set has the constant. */
static bool is_known(const rt_link_set *set, rt_text name)
{
    rt_spec_descriptor descriptor;
    for (uint32_t i = 0; i < set->images.count; i++)
        if (descriptor_find(set->images.items[i]->image, name, &descriptor) == SPEC_PRESENT)
            return true;
    return false;
}

/* A value for a constant that no image has does nothing. Code that was compiled ahead of time,
 * however, may have had the constant, and would silently keep its default. */
static rt_status check_unknown(rt_sink *sink, rt_text name, const rt_link_set *set)
{
    for (uint32_t i = 0; i < set->images.count; i++) {
        const rt_image *image = set->images.items[i]->image;
        if (image->format == RT_FORMAT_SPIRV64) continue;
        return rt_fail_naming(sink, RT_ERRC_INVALID, RT_RULE_NONE, &name, 1,
                              "no image of the program has specialisation constant '%.*s', but "
                              "image %.*s was compiled ahead of time; code that was compiled ahead "
                              "of time keeps its default values, so give the module an image in "
                              "SPIR-V",
                              RT_TEXT_ARG(name), RT_TEXT_ARG(image->name));
    }
    return RT_STATUS_OK;
}

static bool are_scalars(rt_bytes rows)
{
    for (rt_spec_scalar scalar; rt_spec_scalar_take(&rows, &scalar);) {
        uint32_t size = scalar.size_bytes;
        if (size != 1 && size != 2 && size != 4 && size != 8) return false;
    }
    return true;
}

static rt_status check_image(rt_sink *sink, const rt_spec_constant *constant, const rt_image *image)
{
    rt_text name = constant->name;
    rt_spec_descriptor descriptor;
    spec_presence presence = descriptor_find(image, name, &descriptor);
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
    if (are_scalars(descriptor.rows)) return RT_STATUS_OK;
    return rt_fail_naming(sink, RT_UNSUPPORTED, RT_RULE_NONE, &name, 1,
                          "specialisation constant '%.*s' of image %.*s has a scalar whose size is "
                          "not 1, 2, 4 or 8 bytes",
                          RT_TEXT_ARG(name), RT_TEXT_ARG(image->name));
}

/* A scalar of a constant, for messages. */
typedef struct numbered {
    uint32_t id;
    rt_text name;
} numbered;

static int by_number(const void *a, const void *b)
{
    const numbered *first = a, *second = b;
    return (first->id > second->id) - (first->id < second->id);
}

/* Refuses two scalars with the same number: it would be ambiguous which value applies. */
static rt_status check_numbers(rt_sink *sink, rt_spec_list list, const rt_image *image)
{
    RT_VECTOR(numbered) scalars = {0};
    for (uint32_t i = 0; i < list.count; i++) {
        rt_text name = list.constants[i].name;
        rt_spec_descriptor descriptor;
        if (descriptor_find(image, name, &descriptor) != SPEC_PRESENT) continue;
        for (rt_spec_scalar scalar; rt_spec_scalar_take(&descriptor.rows, &scalar);)
            *rt_vector_push(&scalars) = (numbered){scalar.id, name};
    }
    if (scalars.count > 1) qsort(scalars.items, scalars.count, sizeof *scalars.items, by_number);
    rt_status status = RT_STATUS_OK;
    for (uint32_t i = 1; i < scalars.count && rt_ok(status); i++) {
        const numbered *first = &scalars.items[i - 1], *second = &scalars.items[i];
        if (first->id != second->id) continue;
        status = rt_fail_naming(sink, RT_MALFORMED, RT_RULE_NONE, &second->name, 1,
                                "image %.*s: scalars of specialisation constants '%.*s' and "
                                "'%.*s' have the same number, %u",
                                RT_TEXT_ARG(image->name), RT_TEXT_ARG(first->name),
                                RT_TEXT_ARG(second->name), first->id);
    }
    rt_vector_free(&scalars);
    return status;
}

rt_status rt_spec_list_check(rt_sink *sink, rt_spec_list list, const rt_link_set *set,
                             const rt_device *device)
{
    const rt_spec_constant *set_constant = NULL; /* one that an image has */
    for (uint32_t i = 0; i < list.count; i++) {
        const rt_spec_constant *constant = &list.constants[i];
        for (uint32_t k = 0; k < set->images.count; k++)
            RT_TRY(check_image(sink, constant, set->images.items[k]->image));
        if (is_known(set, constant->name))
            set_constant = constant;
        else
            RT_TRY(check_unknown(sink, constant->name, set));
    }
    for (uint32_t k = 0; k < set->images.count; k++)
        RT_TRY(check_numbers(sink, list, set->images.items[k]->image));
    if (!set_constant || device->capabilities.spec_constants) return RT_STATUS_OK;
    return rt_fail_naming(
        sink, RT_ERRC_FEATURE_NOT_SUPPORTED, RT_RULE_NONE, &set_constant->name, 1,
        "specialisation constant '%.*s' cannot be set: device %.*s does not support setting any",
        RT_TEXT_ARG(set_constant->name), RT_TEXT_ARG(device->name));
}

rt_spec_list rt_spec_list_known(rt_arena *arena, rt_spec_list list, const rt_link_set *set)
{
    rt_spec_constant *constants = rt_arena_alloc_array(arena, list.count, sizeof *constants);
    rt_spec_list known = {.constants = constants};
    for (uint32_t i = 0; i < list.count; i++)
        if (is_known(set, list.constants[i].name)) constants[known.count++] = list.constants[i];
    return known;
}

static uint32_t scalar_count(rt_spec_list list, const rt_image *image)
{
    uint32_t count = 0;
    rt_spec_descriptor descriptor;
    for (uint32_t i = 0; i < list.count; i++)
        if (descriptor_find(image, list.constants[i].name, &descriptor) == SPEC_PRESENT)
            count += descriptor.scalar_count;
    return count;
}

uint32_t rt_spec_list_of_image(rt_arena *arena, rt_spec_list list, const rt_image *image,
                               dev_spec_constant **out_constants)
{
    uint32_t count = 0, capacity = scalar_count(list, image);
    *out_constants = rt_arena_alloc_array(arena, capacity, sizeof **out_constants);
    for (uint32_t i = 0; i < list.count; i++) {
        rt_spec_descriptor descriptor;
        rt_bytes value = list.constants[i].value;
        spec_presence presence = descriptor_find(image, list.constants[i].name, &descriptor);
        CHECK(presence != SPEC_DAMAGED);
        if (presence == SPEC_ABSENT) continue;
        CHECK(descriptor.size_bytes == value.size);
        for (rt_spec_scalar scalar; rt_spec_scalar_take(&descriptor.rows, &scalar);) {
            CHECK((uint64_t)scalar.offset + scalar.size_bytes <= value.size);
            (*out_constants)[count++] =
                (dev_spec_constant){scalar.id, {value.data + scalar.offset, scalar.size_bytes}};
        }
    }
    CHECK(count == capacity);
    return count;
}
