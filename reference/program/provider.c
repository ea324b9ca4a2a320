/* From a symbol to the image that provides it.
 *
 *   list     every registered image that exports the symbol, in any combination of symbols
 *                                                          DL-IMAGE-01, DL-RESOLVE-02, DL-SET-07
 *   filter   those of the requesting image's format        DL-RESOLVE-03, DL-RESOLVE-12
 *            that the device can run                       SYCL 2020, 5.7
 *   prefer   if the policy requires it, images of preloaded modules, as whole images
 *                                                          DL-PRELOAD-03 to DL-PRELOAD-05
 *   choose   one of the remaining images, which are equally suitable
 *                                                          DL-RESOLVE-05, DL-RESOLVE-13
 *
 * No other property of an image matters: not its module, the host linker's binding, how its library
 * was loaded, or whether definitions differ (DL-RESOLVE-04, DL-RESOLVE-14, DL-ODR-02, DL-REQ-05,
 * DL-DLOPEN-04 to DL-DLOPEN-07, DL-PRELOAD-01, DL-PRELOAD-02). */
#include "reference/program/provider.h"

#include "reference/base/demangle.h"

#include <stdlib.h>

typedef struct provider_query {
    const rt_link_context *context;
    const rt_registered_image *requesting;
    rt_text symbol;
} provider_query;

static const rt_module *module_of(const provider_query *query, const rt_registered_image *image)
{
    CHECK(image->module < query->context->loader->module_count);
    return &query->context->loader->modules[image->module];
}

static void append_group(rt_provider_list *list, const rt_image_group *group)
{
    for (uint32_t i = 0; i < group->images.count; i++)
        *rt_vector_push(&list->images) = group->images.items[i];
}

static void list_exporters(const provider_query *query, rt_provider_list *list)
{
    const rt_program_tables *tables = query->context->tables;
    const rt_set_group *sets = rt_program_tables_exporters(tables, query->symbol);
    for (uint32_t s = 0; s < sets->ids.count; s++) {
        const rt_image_group *group = rt_program_tables_set(tables, sets->ids.items[s]);
        CHECK(group->images.count > 0);
        RULE(DL_RESOLVE_02, append_group(list, group));
    }
}

static bool is_suitable(const provider_query *query, const rt_registered_image *image)
{
    CHECK(rt_program_tables_hold(query->context->tables, image));
    /* The document requires only the same format; that the device can run the image is SYCL 2020,
     * 5.7. */
    return RULE(DL_RESOLVE_03, image->image->format == query->requesting->image->format) &&
           rt_device_meets(query->context->device, image->image, NULL);
}

static bool is_preloaded(const provider_query *query, const rt_registered_image *image)
{
    return module_of(query, image)->preloaded;
}

/* Appends why an image is not suitable: "its format is native"; appends nothing if it is. */
static void explain_unsuitable(const rt_link_context *context,
                               const rt_registered_image *requesting,
                               const rt_registered_image *image, rt_buffer *out)
{
    if (image->image->format != requesting->image->format)
        rt_buffer_printf(out, "its format is %s", rt_format_name(image->image->format));
    else
        (void)rt_device_meets(context->device, image->image, out);
}

/* Traces that an exporter is not taken. `reason` NULL: it is not suitable. */
static void pass_over(const provider_query *query, const rt_registered_image *image,
                      const char *reason)
{
    rt_buffer lack = {0};
    if (!reason) explain_unsuitable(query->context, query->requesting, image, &lack);
    RT_TRACE(query->context->trace, PASS_OVER, RT_T("image", query->requesting->image->name),
             RT_T("symbol", query->symbol), RT_T("provider", image->image->name),
             RT_T("reason", rt_text_of(reason ? reason : rt_buffer_string(&lack))));
    rt_buffer_free(&lack);
}

/* Keeps only the images that have the property; `reason` says why the others are not taken. */
static void keep(const provider_query *query, rt_provider_list *list,
                 bool (*has_property)(const provider_query *, const rt_registered_image *),
                 const char *reason)
{
    uint32_t kept_count = 0;
    for (uint32_t i = 0; i < list->images.count; i++) {
        const rt_registered_image *image = list->images.items[i];
        if (has_property(query, image))
            list->images.items[kept_count++] = image;
        else
            pass_over(query, image, reason);
    }
    list->images.count = kept_count;
}

/* Keeps only the images of preloaded modules, if there are any.  They replace other images as a
 * whole, but such an image may still join the set as the provider of its other exports
 * (DL-PRELOAD-04, DL-PRELOAD-05). */
static void prefer_preloaded(const provider_query *query, rt_provider_list *list)
{
    static const char reason[] = "a preloaded module exports it";
    uint32_t preloaded_count = 0;
    for (uint32_t i = 0; i < list->images.count; i++)
        preloaded_count += is_preloaded(query, list->images.items[i]);
    if (preloaded_count > 0) RULE(DL_PRELOAD_03, keep(query, list, is_preloaded, reason));
}

static int by_age(const void *a, const void *b)
{
    const rt_registered_image *const *first = a, *const *second = b;
    return ((*first)->id < (*second)->id) - ((*first)->id > (*second)->id);
}

static void choose_provider(const provider_query *query, rt_provider_list *list)
{
    if (list->images.count <= 1) return;
    uint32_t choice = rt_choose(query->context->chooser, RT_RULE_DL_RESOLVE_05, list->images.count);
    CHECK(choice < list->images.count);
    RT_TRACE(query->context->trace, CHOICE,
             RT_T("rule", rt_text_of(rt_rule_name(RT_RULE_DL_RESOLVE_05))),
             RT_N("of", list->images.count), RT_N("taken", choice));
    for (uint32_t i = 0; i < list->images.count; i++)
        if (i != choice)
            pass_over(query, list->images.items[i], "another suitable image was taken");
    list->images.items[0] = list->images.items[choice];
    RULE(DL_RESOLVE_13, list->images.count = 1);
}

void rt_provider_find(const rt_link_context *context, const rt_registered_image *requesting,
                      rt_text symbol, rt_provider_list *out_providers)
{
    CHECK(out_providers->images.count == 0);
    CHECK(rt_program_tables_hold(context->tables, requesting));
    const provider_query query = {context, requesting, symbol};
    list_exporters(&query, out_providers);
    keep(&query, out_providers, is_suitable, NULL);
    /* Shipped DPC++ takes the most recently registered image (requirements.yaml, key dpcpp, tag
     * A26). */
    if (context->profile == RT_PROFILE_DPCPP && out_providers->images.count > 1)
        qsort(out_providers->images.items, out_providers->images.count,
              sizeof *out_providers->images.items, by_age);
    if (context->prefer_preloaded) prefer_preloaded(&query, out_providers);
    choose_provider(&query, out_providers);
}

/* Appends which image exports the same name with the other language's linkage: C and OpenCL C
 * export `twice`, C++, C++ for OpenCL and SYCL `_Z5twicei`. */
static void explain_linkage(const rt_program_tables *tables, rt_text symbol, rt_buffer *out)
{
    rt_text plain = rt_mangled_name(symbol);
    for (uint32_t i = 0; i < tables->images.count; i++) {
        const rt_registered_image *image = tables->images.items[i];
        const rt_property_set *exports =
            image ? rt_image_set(image->image, RT_SET_EXPORTED_SYMBOLS) : NULL;
        for (uint32_t k = 0; exports && k < exports->property_count; k++) {
            rt_text exported = exports->properties[k].name;
            bool is_declared_in_cpp = plain.length > 0 && rt_text_equal(exported, plain);
            if (!is_declared_in_cpp && !rt_text_equal(rt_mangled_name(exported), symbol)) continue;
            rt_buffer_printf(
                out, "; image %.*s exports '%.*s'%s; declare it extern \"C\" where it is %s",
                RT_TEXT_ARG(image->image->name), RT_TEXT_ARG(exported),
                is_declared_in_cpp ? " with C linkage" : " with C++ linkage",
                is_declared_in_cpp ? "imported" : "defined");
            return;
        }
    }
}

void rt_provider_explain(const rt_link_context *context, const rt_registered_image *requesting,
                         rt_text symbol, rt_buffer *out)
{
    const rt_set_group *sets = rt_program_tables_exporters(context->tables, symbol);
    if (sets->ids.count == 0) {
        explain_linkage(context->tables, symbol, out);
        return;
    }
    const rt_image_group *set = rt_program_tables_set(context->tables, sets->ids.items[0]);
    CHECK(set->images.count > 0);
    const rt_image *image = set->images.items[0]->image;
    rt_buffer reason = {0};
    explain_unsuitable(context, requesting, set->images.items[0], &reason);
    if (reason.size > 0) {
        rt_buffer_printf(out, "; image %.*s exports '%.*s', but %s", RT_TEXT_ARG(image->name),
                         RT_TEXT_ARG(symbol), rt_buffer_string(&reason));
    }
    rt_buffer_free(&reason);
}
