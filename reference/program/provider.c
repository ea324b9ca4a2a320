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
 * DL-DLOPEN-04 to DL-DLOPEN-07, DL-PRELOAD-01, DL-PRELOAD-02).  A runtime that violates such a rule
 * lets one of these properties decide; the section "Faults", before the steps, implements that. */
#include "reference/program/provider.h"

#include <stdlib.h>
#include <string.h>

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

static uint32_t export_count(const rt_registered_image *image)
{
    const rt_property_set *exports = rt_image_set(image->image, RT_SET_EXPORTED_SYMBOLS);
    return exports ? exports->property_count : 0;
}

static void append_group(rt_provider_list *list, const rt_image_group *group)
{
    for (uint32_t i = 0; i < group->images.count; i++)
        *rt_vector_push(&list->images) = group->images.items[i];
}

/* ---- Faults: properties that must not matter ---------------------------------------------- */

/* DL-IMAGE-01: searches the images' code for the name, not their lists of exports. */
static void fault_append_by_code(const provider_query *query, rt_provider_list *list)
{
    const rt_program_tables *tables = query->context->tables;
    for (uint32_t i = 0; i < tables->images.count; i++) {
        const rt_registered_image *image = tables->images.items[i];
        if (!image || image == query->requesting) continue;
        rt_bytes code = image->image->code;
        if (memmem(code.data, code.size, query->symbol.data, query->symbol.length))
            *rt_vector_push(&list->images) = image;
    }
}

/* True if the symbol's property in the image's list of exports does not have the value 1, which
 * compilers write. */
static bool has_odd_value(const rt_registered_image *image, rt_text symbol)
{
    const rt_property *property =
        rt_property_set_find(rt_image_set(image->image, RT_SET_EXPORTED_SYMBOLS), symbol);
    return property && (property->type != RT_PROPERTY_UINT32 || property->number != 1);
}

/* True if a property that must not matter excludes a candidate. */
static bool fault_turns_down(const provider_query *query, const rt_registered_image *candidate)
{
    const rt_registered_image *requesting = query->requesting;
    bool is_same_module = candidate->module == requesting->module;
    bool is_hidden = module_of(query, requesting)->global && !module_of(query, candidate)->global;
    return (is_same_module && !RULE(DL_REQ_05)) ||
           (has_odd_value(candidate, query->symbol) && !RULE(DL_IMAGE_07)) ||
           (is_hidden && !RULE(DL_DLOPEN_04)) ||
           /* RULE is evaluated first, because querying the loader costs a walk. */
           (!RULE(DL_RESOLVE_04) &&
            !rt_loader_needs(query->context->loader, requesting->module, candidate->module));
}

static bool definitions_differ(const rt_provider_list *list)
{
    rt_hash first = list->images.items[0]->image->hash;
    for (uint32_t i = 1; i < list->images.count; i++) {
        rt_hash other = list->images.items[i]->image->hash;
        if (other.low != first.low || other.high != first.high) return true;
    }
    return false;
}

/* True if all images come from files with the same name, so an import that named its library would
 * not distinguish them (document 003, "Run-time libraries loading"). */
static bool files_are_namesakes(const provider_query *query, const rt_provider_list *list)
{
    rt_text first = module_of(query, list->images.items[0])->path;
    for (uint32_t i = 1; i < list->images.count; i++) {
        if (!rt_text_equal(module_of(query, list->images.items[i])->path, first)) return false;
    }
    return true;
}

/* True if several suitable images are refused; each rule's fault has its own reason. */
static bool fault_refuses_several(const provider_query *query, const rt_provider_list *list)
{
    uint32_t count = list->images.count, at_start = 0, preloaded = 0;
    for (uint32_t i = 0; i < count; i++) {
        at_start += module_of(query, list->images.items[i])->global;
        preloaded += module_of(query, list->images.items[i])->preloaded;
    }
    bool some_at_start = at_start > 0 && at_start < count;
    bool some_preloaded = preloaded > 0 && preloaded < count;
    return !RULE(DL_RESOLVE_05) || /* exactly one provider is required */
           (definitions_differ(list) && !RULE(DL_ODR_02)) ||
           (some_at_start && !RULE(DL_DLOPEN_05)) || /* libraries loaded at the start must come
                                                      * first */
           (some_at_start && !RULE(DL_DLOPEN_06)) ||
           (files_are_namesakes(query, list) && !RULE(DL_DLOPEN_07)) ||
           (some_preloaded && !RULE(DL_PRELOAD_02));
}

/* ---- The steps ---------------------------------------------------------------------------- */

static void list_exporters(const provider_query *query, rt_provider_list *list)
{
    const rt_program_tables *tables = query->context->tables;
    if (!RULE(DL_RESOLVE_02)) { /* Broken: searches the kernels. */
        append_group(list, rt_program_tables_kernel(tables, query->symbol));
        return;
    }
    const rt_set_group *sets = rt_program_tables_exporters(tables, query->symbol);
    for (uint32_t s = 0; s < sets->ids.count; s++) {
        if (s > 0 && !RULE(DL_SET_07)) break; /* Broken: only the first combination. */
        append_group(list, rt_program_tables_set(tables, sets->ids.items[s]));
    }
    CHECK_IMPLIES(sets->ids.count > 0, list->images.count > 0);
    if (list->images.count == 0 && !RULE(DL_IMAGE_01)) fault_append_by_code(query, list);
}

static void keep_suitable(const provider_query *query, rt_provider_list *list)
{
    uint32_t exporter_count = list->images.count, kept_count = 0;
    for (uint32_t i = 0; i < exporter_count; i++) {
        const rt_registered_image *image = list->images.items[i];
        CHECK(rt_program_tables_hold(query->context->tables, image));
        bool same_format = image->image->format == query->requesting->image->format;
        if (!same_format && RULE(DL_RESOLVE_03)) continue;
        /* This check is not in the document, which requires only the same format. */
        if (!rt_device_meets(query->context->device, image->image, NULL)) continue;
        if (!fault_turns_down(query, image)) list->images.items[kept_count++] = image;
    }
    CHECK(kept_count <= exporter_count);
    list->images.count = kept_count;
    bool some_unsuitable = kept_count < exporter_count;
    /* Broken: the first image is taken nevertheless; its list entry has not been overwritten. */
    if (some_unsuitable && kept_count == 0 && !RULE(DL_RESOLVE_12)) list->images.count = 1;
    /* Broken: exporters of another format count as an ODR violation. */
    if (some_unsuitable && kept_count > 0 && !RULE(DL_RESOLVE_14)) list->images.count = 0;
}

static int by_age(const void *a, const void *b)
{
    const rt_registered_image *const *first = a, *const *second = b;
    return ((*first)->id < (*second)->id) - ((*first)->id > (*second)->id);
}

/* True if the image counts as one of a preloaded module, whichever was registered first.  Broken:
 * the order of registration is what tells them apart, the first or the last being the preloaded. */
static bool is_preloaded(const provider_query *query, const rt_provider_list *list, uint32_t index)
{
    const rt_registered_image *image = list->images.items[index];
    bool preloaded = module_of(query, image)->preloaded, is_first = true, is_last = true;
    for (uint32_t i = 0; i < list->images.count; i++) {
        is_first = is_first && list->images.items[i]->id >= image->id;
        is_last = is_last && list->images.items[i]->id <= image->id;
    }
    if (preloaded != is_first && !RULE(DL_PRELOAD_01)) return is_first;
    if (preloaded != is_last && !RULE(DL_PRELOAD_01)) return is_last;
    return preloaded;
}

/* Keeps only the images of preloaded modules, if there are any.  A regular image is replaced as a
 * whole, but it may still join the set as the provider of its other exports. */
static void keep_preloaded(const provider_query *query, rt_provider_list *list)
{
    uint32_t count[2] = {0}, most[2] = {0}; /* number of images, and maximum exports of one image;
                                             * index 0: regular, 1: preloaded */
    bool *sides = rt_alloc_array(list->images.count, sizeof *sides);
    for (uint32_t i = 0; i < list->images.count; i++) {
        const rt_registered_image *image = list->images.items[i];
        sides[i] = is_preloaded(query, list, i);
        count[sides[i]]++;
        if (export_count(image) > most[sides[i]]) most[sides[i]] = export_count(image);
    }
    CHECK(count[0] + count[1] == list->images.count);
    if (count[0] == 0 || count[1] == 0) {
        rt_free(sides);
        return;
    }
    /* Broken: the regular library's image stays in use although there is a preloaded one.  For each
     * rule in turn: always; if the preloaded image replaces part of it; if it replaces all of it.
     */
    bool in_part = most[0] > most[1];
    bool keeps_regular = !RULE(DL_PRELOAD_03) || (in_part && !RULE(DL_PRELOAD_05)) ||
                         (!in_part && !RULE(DL_PRELOAD_04));
    uint32_t kept_count = 0;
    for (uint32_t i = 0; i < list->images.count; i++) {
        if (sides[i] != keeps_regular) list->images.items[kept_count++] = list->images.items[i];
    }
    rt_free(sides);
    CHECK(kept_count == count[!keeps_regular]);
    list->images.count = kept_count;
}

static void choose_provider(const provider_query *query, rt_provider_list *list)
{
    if (list->images.count <= 1) return;
    if (fault_refuses_several(query, list)) {
        list->images.count = 0;
        return;
    }
    uint32_t choice = rt_choose(query->context->chooser, RT_RULE_DL_RESOLVE_05, list->images.count);
    CHECK(choice < list->images.count);
    RT_TRACE(query->context->trace, CHOICE,
             RT_T("rule", rt_text_of(rt_rule_name(RT_RULE_DL_RESOLVE_05))),
             RT_N("of", list->images.count), RT_N("taken", choice));
    if (!RULE(DL_RESOLVE_13)) return; /* Broken: all suitable images are taken. */
    list->images.items[0] = list->images.items[choice];
    list->images.count = 1;
}

void rt_provider_find(const rt_link_context *context, const rt_registered_image *requesting,
                      rt_text symbol, rt_provider_list *out_providers)
{
    CHECK(out_providers->images.count == 0);
    CHECK(rt_program_tables_hold(context->tables, requesting));
    const provider_query query = {context, requesting, symbol};
    list_exporters(&query, out_providers);
    keep_suitable(&query, out_providers);
    /* Shipped DPC++ takes the most recently registered image (requirements.yaml, key dpcpp, tag
     * A26). */
    if (context->profile == RT_PROFILE_DPCPP && out_providers->images.count > 1)
        qsort(out_providers->images.items, out_providers->images.count,
              sizeof *out_providers->images.items, by_age);
    if (context->prefer_preloaded) keep_preloaded(&query, out_providers);
    choose_provider(&query, out_providers);
}

void rt_provider_explain(const rt_link_context *context, const rt_registered_image *requesting,
                         rt_text symbol, rt_buffer *out)
{
    const rt_set_group *sets = rt_program_tables_exporters(context->tables, symbol);
    if (sets->ids.count == 0) return;
    const rt_image_group *set = rt_program_tables_set(context->tables, sets->ids.items[0]);
    CHECK(set->images.count > 0);
    const rt_image *image = set->images.items[0]->image;
    rt_buffer reason = {0};
    if (image->format != requesting->image->format) {
        rt_buffer_printf(&reason, "its format is %s", rt_format_name(image->format));
    } else {
        (void)rt_device_meets(context->device, image, &reason);
    }
    if (reason.size > 0) {
        rt_buffer_printf(out, "; image %.*s exports '%.*s', but %s", RT_TEXT_ARG(image->name),
                         RT_TEXT_ARG(symbol), rt_buffer_string(&reason));
    }
    rt_buffer_free(&reason);
}
