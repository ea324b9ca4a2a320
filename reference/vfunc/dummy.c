/* Finds the dummy image that replaces another image. */
#include "reference/vfunc/dummy.h"

#include "reference/base/rule.h"
#include "reference/image/virtual_functions.h"

/* True if both images state which functions they define, and define the same ones. */
static bool define_the_same(const rt_property_set *real, const rt_property_set *other)
{
    if (!real || !other || real->property_count != other->property_count) return false;
    for (uint32_t i = 0; i < real->property_count; i++) {
        if (!rt_property_set_has(other, real->properties[i].name)) return false;
    }
    return true;
}

static bool has_joined(const rt_link_contribution *joined, const rt_registered_image *image)
{
    for (uint32_t i = 0; i < joined->images.count; i++) {
        if (joined->images.items[i] == image) return true;
    }
    return false;
}

const rt_registered_image *rt_vfunc_dummy(const rt_link_context *context,
                                          const rt_registered_image *real,
                                          const rt_link_contribution *joined)
{
    rt_virtual_functions functions;
    const char *damaged = rt_virtual_functions_read(real->image, &functions);
    CHECK(!damaged); /* The tables contain no damaged image. */
    const rt_image_group *group =
        rt_program_tables_function_set(context->tables, functions.provides);
    const rt_property_set *defined = rt_image_set(real->image, RT_SET_VIRTUAL_FUNCTION_SETS);
    const rt_registered_image *first_free = NULL;
    for (uint32_t i = 0; i < group->images.count; i++) {
        const rt_registered_image *candidate = group->images.items[i];
        if (candidate->module != real->module) continue;
        if (RULE(VF_LINK_12, candidate->image->format != real->image->format)) continue;
        damaged = rt_virtual_functions_read(candidate->image, &functions);
        CHECK(!damaged);
        if (!functions.dummy || !rt_device_meets(context->device, candidate->image, NULL)) continue;
        const rt_property_set *listed =
            rt_image_set(candidate->image, RT_SET_VIRTUAL_FUNCTION_SETS);
        if (define_the_same(defined, listed)) return candidate;
        bool is_foreign = defined && listed; /* the functions differ, so the candidate replaces
                                              * another image */
        if (!is_foreign && !first_free && !has_joined(joined, candidate)) first_free = candidate;
    }
    CHECK_IMPLIES(first_free, first_free != real && first_free->module == real->module);
    return first_free;
}
