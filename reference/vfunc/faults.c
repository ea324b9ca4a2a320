/* Mistakes in the use of sets of virtual functions that are larger than a mutant of a mark
 * (fault.h). */
#include "reference/base/fault.h"
#include "reference/image/virtual_functions.h"
#include "reference/vfunc/dummy.h"
#include "reference/vfunc/vfunc.h"

const char *__real_rt_virtual_functions_read(const rt_image *image,
                                             rt_virtual_functions *out_functions);
const char *__wrap_rt_virtual_functions_read(const rt_image *image,
                                             rt_virtual_functions *out_functions);
const rt_image_group *__real_rt_program_tables_function_set(const rt_program_tables *tables,
                                                            rt_text name);
const rt_image_group *__wrap_rt_program_tables_function_set(const rt_program_tables *tables,
                                                            rt_text name);
const rt_registered_image *__real_rt_vfunc_dummy(const rt_link_context *context,
                                                 const rt_registered_image *real,
                                                 const rt_link_contribution *joined);
const rt_registered_image *__wrap_rt_vfunc_dummy(const rt_link_context *context,
                                                 const rt_registered_image *real,
                                                 const rt_link_contribution *joined);
rt_status __real_rt_vfunc_contribute(const rt_link_context *context,
                                     const rt_registered_image *requesting,
                                     const rt_registered_image *member,
                                     rt_link_contribution *out_contribution);
rt_status __wrap_rt_vfunc_contribute(const rt_link_context *context,
                                     const rt_registered_image *requesting,
                                     const rt_registered_image *member,
                                     rt_link_contribution *out_contribution);

static rt_virtual_functions functions_of(const rt_registered_image *image)
{
    rt_virtual_functions functions;
    (void)__real_rt_virtual_functions_read(image->image, &functions);
    return functions;
}

static bool suits(const rt_link_context *context, const rt_registered_image *image)
{
    return rt_device_meets(context->device, image->image, NULL);
}

/* ---- Look-ups ------------------------------------------------------------------------------- */

const char *__wrap_rt_virtual_functions_read(const rt_image *image,
                                             rt_virtual_functions *out_functions)
{
    const char *damaged = __real_rt_virtual_functions_read(image, out_functions);
    rt_text list = out_functions->calls, first, second;
    if (rt_set_names_next(&list, &first) && rt_set_names_next(&list, &second) &&
        RT_FAULT(VF_LINK_02, "only the first set that is called counts"))
        out_functions->calls = first;
    return damaged;
}

const rt_image_group *__wrap_rt_program_tables_function_set(const rt_program_tables *tables,
                                                            rt_text name)
{
    const rt_image_group *group = __real_rt_program_tables_function_set(tables, name);
    if (group->images.count < 2 || !RT_FAULT(VF_LINK_07, "a set has one provider")) return group;
    static _Thread_local rt_image_group first;
    first.images.count = 0;
    bool has_provider = false;
    for (uint32_t i = 0; i < group->images.count; i++) {
        const rt_registered_image *image = group->images.items[i];
        bool is_dummy = functions_of(image).dummy;
        if (is_dummy || !has_provider) *rt_vector_push(&first.images) = image;
        has_provider = has_provider || !is_dummy;
    }
    return &first;
}

const rt_registered_image *__wrap_rt_vfunc_dummy(const rt_link_context *context,
                                                 const rt_registered_image *real,
                                                 const rt_link_contribution *joined)
{
    const rt_registered_image *dummy = __real_rt_vfunc_dummy(context, real, joined);
    if (!dummy && RT_FAULT(VF_LINK_11, "a provider without a dummy joins although it cannot run"))
        return real;
    return dummy;
}

/* ---- Contributions -------------------------------------------------------------------------- */

/* A provider of one of the sets that the device cannot run; NULL: there is none. */
static const rt_registered_image *unsuited_provider(const rt_link_context *context, rt_text sets)
{
    rt_text name;
    while (rt_set_names_next(&sets, &name)) {
        const rt_image_group *group = __real_rt_program_tables_function_set(context->tables, name);
        for (uint32_t i = 0; i < group->images.count; i++) {
            const rt_registered_image *image = group->images.items[i];
            if (!functions_of(image).dummy && !suits(context, image)) return image;
        }
    }
    return NULL;
}

/* An image of a module that provides any set and does not suit the device; NULL: there is none. */
static const rt_registered_image *unsuited_neighbour(const rt_link_context *context,
                                                     rt_module_id module)
{
    for (uint32_t i = 0; i < context->tables->images.count; i++) {
        const rt_registered_image *image = context->tables->images.items[i];
        if (!image || image->module != module) continue;
        rt_virtual_functions functions = functions_of(image);
        if (functions.provides.length > 0 && !functions.dummy && !suits(context, image))
            return image;
    }
    return NULL;
}

/* True if one of the sets has no provider. */
static bool lacks_provider(const rt_link_context *context, rt_text sets)
{
    rt_text name;
    while (rt_set_names_next(&sets, &name))
        if (__real_rt_program_tables_function_set(context->tables, name)->images.count == 0)
            return true;
    return false;
}

static rt_status refuse(const rt_link_context *context, rt_code code, rt_rule rule)
{
    return rt_fail(context->sink, code, rule, "the sets of virtual functions are refused");
}

/* The planted fault's refusal of what a member of a link set names. */
static rt_status refuse_needs(const rt_link_context *context, const rt_registered_image *member)
{
    rt_virtual_functions functions = functions_of(member);
    if (functions.calls.length > 0 && unsuited_neighbour(context, member->module) &&
        RT_FAULT(VF_ASPECT_03, "the requirements of sets that are not called count too"))
        return refuse(context, RT_ERRC_KERNEL_NOT_SUPPORTED, RT_RULE_VF_ASPECT_03);
    if (unsuited_provider(context, functions.creates) &&
        RT_FAULT(VF_SPLIT_05, "an object whose functions cannot run is not created"))
        return refuse(context, RT_ERRC_KERNEL_NOT_SUPPORTED, RT_RULE_VF_SPLIT_05);
    if ((lacks_provider(context, functions.calls) || lacks_provider(context, functions.creates)) &&
        RT_FAULT(VF_LINK_08, "a set must have a provider"))
        return refuse(context, RT_ERRC_INVALID, RT_RULE_VF_LINK_08);
    return RT_STATUS_OK;
}

static bool has_needs(const rt_registered_image *image)
{
    const rt_property_set *imports = rt_image_set(image->image, RT_SET_IMPORTED_SYMBOLS);
    rt_virtual_functions functions = functions_of(image);
    return (imports && imports->property_count > 0) || functions.calls.length > 0 ||
           functions.creates.length > 0;
}

/* Replaces joined images by their dummies, if they have any. */
static void replace_by_dummies(const rt_link_context *context, bool needy_only,
                               rt_link_contribution *contribution)
{
    for (uint32_t i = 0; i < contribution->images.count; i++) {
        const rt_registered_image *image = contribution->images.items[i];
        if (needy_only && !has_needs(image)) continue;
        const rt_registered_image *dummy = __real_rt_vfunc_dummy(context, image, contribution);
        if (dummy) contribution->images.items[i] = dummy;
    }
}

/* Joins the images of all sets. */
static void join_all_sets(const rt_link_context *context, rt_link_contribution *contribution)
{
    for (uint32_t i = 0; i < context->tables->images.count; i++) {
        const rt_registered_image *image = context->tables->images.items[i];
        if (!image) continue;
        rt_virtual_functions functions = functions_of(image);
        if (functions.provides.length == 0 || functions.dummy || !suits(context, image)) continue;
        *rt_vector_push(&contribution->images) = image;
        contribution->links = true;
    }
}

rt_status __wrap_rt_vfunc_contribute(const rt_link_context *context,
                                     const rt_registered_image *requesting,
                                     const rt_registered_image *member,
                                     rt_link_contribution *out_contribution)
{
    RT_TRY(refuse_needs(context, member));
    RT_TRY(__real_rt_vfunc_contribute(context, requesting, member, out_contribution));
    if (!rt_image_set(member->image, RT_SET_VIRTUAL_FUNCTIONS) && member == requesting &&
        RT_FAULT(VF_LINK_01, "a kernel without properties is linked with all sets"))
        join_all_sets(context, out_contribution);
    if (RT_FAULT(VF_LINK_09, "providers that need other images are replaced by their dummies"))
        replace_by_dummies(context, true, out_contribution);
    if (member != requesting && functions_of(member).provides.length == 0 &&
        RT_FAULT(VF_LINK_13, "sets of an image that joined for an import get their dummies"))
        replace_by_dummies(context, false, out_contribution);
    return RT_STATUS_OK;
}
