/* Discovery of images by sets of virtual functions, following document 004. */
#include "reference/vfunc/vfunc.h"

#include "reference/image/virtual_functions.h"
#include "reference/vfunc/dummy.h"

#include <string.h>

/* The relations of an image to a set, with the names that the trace uses. */
typedef enum set_relation { CALLS, CREATES, USES } set_relation;
static const char *const relation_names[] = {"calls", "creates", "uses"};

/* The state of the search for the images that one member of a link set requests. */
typedef struct discovery {
    const rt_link_context *context;
    const rt_registered_image *requesting, *member;
    rt_link_contribution *out;
    rt_text set; /* the set being joined */
    set_relation relation;
} discovery;

/* ---- Joining ------------------------------------------------------------------------------ */

static void join(discovery *d, const rt_registered_image *image,
                 const rt_registered_image *stands_for)
{
    CHECK(rt_program_tables_hold(d->context->tables, image));
    CHECK_IMPLIES(stands_for, stands_for->module == image->module);
    *rt_vector_push(&d->out->images) = image;
    const rt_trace_value values[] = {
        RT_T("image", d->member->image->name),
        RT_T("set", d->set),
        RT_T("relation", rt_text_of(relation_names[d->relation])),
        RT_T("provider", image->image->name),
        RT_T("stands_for", stands_for ? stands_for->image->name : (rt_text){0}),
    };
    rt_trace_emit(d->context->trace, RT_EVENT_JOIN, values, stands_for ? 5 : 4);
}

/* ---- Refusing ----------------------------------------------------------------------------- */

/* True if the property lists the set among those that the kernel calls. */
static bool names_set(const rt_property *calls, rt_text set)
{
    return rt_set_names_hold(rt_property_text_value(calls), set);
}

/* Appends "kernels 'a', 'b' of image app/0 call", as far as the image says which of its kernels
 * call the set, otherwise "image app/0 calls". Returns true if the image also has kernels that do
 * not call it: the image needs it all the same, whichever kernel is launched. */
static bool callers_write(const discovery *d, rt_buffer *out)
{
    const rt_image *image = d->member->image;
    const rt_property_set *kernels =
        d->relation == CALLS ? rt_image_set(image, RT_SET_KERNEL_CALLS) : NULL;
    uint32_t caller_count = 0;
    for (uint32_t i = 0; kernels && i < kernels->property_count; i++)
        caller_count += names_set(&kernels->properties[i], d->set);
    rt_buffer_printf(out, caller_count == 0 ? "" : caller_count == 1 ? "kernel " : "kernels ");
    uint32_t written = 0;
    for (uint32_t i = 0; kernels && i < kernels->property_count; i++) {
        if (!names_set(&kernels->properties[i], d->set)) continue;
        rt_buffer_printf(out, "%s'%.*s'", written++ ? ", " : "",
                         RT_TEXT_ARG(kernels->properties[i].name));
    }
    const char *verb = relation_names[d->relation];
    size_t plural = caller_count > 1 ? strlen(verb) - 1 : strlen(verb);
    rt_buffer_printf(out, "%simage %.*s %.*s", caller_count > 0 ? " of " : "",
                     RT_TEXT_ARG(image->name), (int)plural, verb);
    return caller_count > 0 && caller_count < image->kernel_count;
}

static rt_status refuse_provider(const discovery *d, const rt_registered_image *provider,
                                 rt_code code, rt_rule rule, const char *hint)
{
    rt_buffer lack = {0}, callers = {0};
    (void)rt_device_meets(d->context->device, provider->image, &lack);
    bool has_others = callers_write(d, &callers);
    rt_status status = rt_fail_naming(
        d->context->sink, code, rule, &d->set, 1,
        "%s virtual functions of set '%.*s'; image %.*s, which provides them, cannot run: %s%s%s",
        rt_buffer_string(&callers), RT_TEXT_ARG(d->set), RT_TEXT_ARG(provider->image->name),
        rt_buffer_string(&lack), hint,
        has_others
            ? "; to launch the image's other kernels, split the module with split: per_kernel"
            : "");
    rt_buffer_free(&callers);
    rt_buffer_free(&lack);
    return status;
}

/* ---- One set ------------------------------------------------------------------------------ */

/* All images that provide the set in the requesting image's format (VF-LINK-07), without dummies.
 */
static rt_link_contribution providers_of(const discovery *d)
{
    rt_link_contribution providers = {0};
    const rt_image_group *group = rt_program_tables_function_set(d->context->tables, d->set);
    for (uint32_t i = 0; i < group->images.count; i++) {
        const rt_registered_image *image = group->images.items[i];
        rt_virtual_functions functions;
        const char *damaged = rt_virtual_functions_read(image->image, &functions);
        CHECK(!damaged); /* The tables contain no damaged image. */
        CHECK(functions.provides.length > 0 || d->context->profile == RT_PROFILE_DPCPP);
        if (functions.dummy) continue;
        if (RULE(VF_LINK_12, image->image->format != d->requesting->image->format)) continue;
        *rt_vector_push(&providers.images) = image;
    }
    return providers;
}

/* Joins a provider of a set that is called: all providers join.  Those of the member's own module
 * are not checked against the device, since the kernel itself requires every aspect of the sets
 * that it calls; the kernel's requirements do not cover images that another module adds to a set
 * (VF-LINK-10). */
static rt_status join_called(discovery *d, const rt_registered_image *provider)
{
    bool suits = provider->module == d->member->module ||
                 rt_device_meets(d->context->device, provider->image, NULL);
    if (!suits)
        return refuse_provider(d, provider, RULE(VF_LINK_10, RT_ERRC_KERNEL_NOT_SUPPORTED),
                               RT_RULE_VF_LINK_10, "");
    join(d, provider, NULL);
    return RT_STATUS_OK;
}

/* Joins a provider of a set whose objects are created, or its dummy if the device cannot run it,
 * since objects are created regardless of what their functions need (VF-SPLIT-05). */
static rt_status join_created(discovery *d, const rt_registered_image *provider)
{
    bool suits = rt_device_meets(d->context->device, provider->image, NULL);
    if (RULE(VF_SPLIT_07, suits)) {
        join(d, provider, NULL);
        return RT_STATUS_OK;
    }
    const rt_registered_image *dummy = rt_vfunc_dummy(d->context, provider, d->out);
    if (dummy) {
        RULE(VF_LINK_04, join(d, dummy, provider));
        return RT_STATUS_OK;
    }
    /* A compiler that writes the older property creates no dummies (tag D6). */
    if (d->relation == USES) return RT_STATUS_OK;
    return refuse_provider(d, provider, RT_ERRC_BUILD, RT_RULE_VF_LINK_11,
                           ", and no dummy image replaces it");
}

static rt_status join_set(discovery *d)
{
    rt_link_contribution providers = providers_of(d);
    rt_status status = RT_STATUS_OK;
    /* A set without providers is not in itself an error (VF-LINK-08). */
    for (uint32_t i = 0; i < providers.images.count && rt_ok(status); i++) {
        const rt_registered_image *provider = providers.images.items[i];
        status = d->relation == CALLS ? join_called(d, provider) : join_created(d, provider);
    }
    rt_vector_free(&providers.images);
    return status;
}

/* Of the images listed under the set's name, shipped DPC++ takes every one that suits the device,
 * regardless of format, and leaves the others out (requirements.yaml, key dpcpp, tags D5 to D7). */
static void join_users(discovery *d)
{
    const rt_image_group *group = rt_program_tables_function_set(d->context->tables, d->set);
    for (uint32_t i = 0; i < group->images.count; i++) {
        const rt_registered_image *image = group->images.items[i];
        if (image == d->member) continue;
        if (rt_device_meets(d->context->device, image->image, NULL)) join(d, image, NULL);
    }
}

/* ---- One image ---------------------------------------------------------------------------- */

static rt_status join_sets(discovery *d, rt_text list, set_relation relation)
{
    rt_text name;
    d->relation = relation;
    while (rt_set_names_next(&list, &name)) {
        d->set = name;
        d->out->links = true;
        if (d->context->profile == RT_PROFILE_DPCPP)
            join_users(d);
        else
            RT_TRY(join_set(d));
    }
    return RT_STATUS_OK;
}

rt_status rt_vfunc_contribute(const rt_link_context *context, const rt_registered_image *requesting,
                              const rt_registered_image *member,
                              rt_link_contribution *out_contribution)
{
    CHECK(out_contribution->images.count == 0 && !out_contribution->links);
    CHECK(rt_program_tables_hold(context->tables, member));
    discovery d = {
        .context = context, .requesting = requesting, .member = member, .out = out_contribution};
    /* An image without the property set names no sets, and needs no more than its imports
     * (VF-LINK-01). */
    rt_virtual_functions functions;
    const char *damaged = rt_virtual_functions_read(member->image, &functions);
    if (damaged)
        return rt_fail(context->sink, RT_MALFORMED, RT_RULE_NONE,
                       "property '%s' of image %.*s in set '" RT_SET_VIRTUAL_FUNCTIONS
                       "' is damaged: dummy-image must be a number, the others must be bytes, "
                       "and virtual-functions-set must name only one set",
                       damaged, RT_TEXT_ARG(member->image->name));
    if (context->profile == RT_PROFILE_DPCPP) return join_sets(&d, functions.uses, USES);
    /* Whether the image is the requesting one, a provider (VF-LINK-09) or joined for an import
     * (VF-LINK-13). */
    RT_TRY(RULE(VF_LINK_02, join_sets(&d, functions.calls, CALLS)));
    RT_TRY(RULE(VF_LINK_03, join_sets(&d, functions.creates, CREATES)));
    return join_sets(&d, functions.uses, USES);
}
