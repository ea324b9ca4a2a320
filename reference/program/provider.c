/* From a symbol to the image that provides it: all that export it, those that suit, one of them. */
#include "reference/program/provider.h"

#include <stdlib.h>
#include <string.h>

typedef struct provider_query {
    const rt_link_context *context;
    const rt_registered_image *requesting;
    rt_text symbol;
} provider_query;

/* ---- Who exports it ----------------------------------------------------------------------- */

/* A fault only (see DL-IMAGE-01): looks for the name in the code, past the lists. */
static void append_by_code(const provider_query *q, rt_provider_list *list)
{
    const rt_program_tables *tables = q->context->tables;
    for (uint32_t i = 0; i < tables->images.count; i++) {
        const rt_registered_image *image = tables->images.items[i];
        if (!image || image == q->requesting) continue;
        rt_bytes code = image->image->code;
        if (memmem(code.data, code.size, q->symbol.data, q->symbol.length))
            *rt_vector_push(&list->images) = image;
    }
}

/* The images of every combination that has the symbol, combination after combination. */
static void append_exporters(const provider_query *q, rt_provider_list *list)
{
    const rt_program_tables *tables = q->context->tables;
    const rt_set_group *sets = rt_program_tables_exporters(tables, q->symbol);
    for (uint32_t s = 0; s < sets->ids.count; s++) {
        if (s > 0 && !RULE(DL_SET_07)) break; /* Broken: only the first combination is looked at. */
        const rt_image_group *set = rt_program_tables_set(tables, sets->ids.items[s]);
        for (uint32_t i = 0; i < set->images.count; i++)
            *rt_vector_push(&list->images) = set->images.items[i];
    }
    if (list->images.count == 0 && !RULE(DL_IMAGE_01)) append_by_code(q, list);
}

static void list_exporters(const provider_query *q, rt_provider_list *list)
{
    if (RULE(DL_RESOLVE_02)) {
        append_exporters(q, list);
        return;
    }
    /* Broken: looks among the kernels. */
    const rt_image_group *kernels = rt_program_tables_kernel(q->context->tables, q->symbol);
    for (uint32_t i = 0; i < kernels->images.count; i++)
        *rt_vector_push(&list->images) = kernels->images.items[i];
}

/* ---- Who suits ---------------------------------------------------------------------------- */

static const rt_module *module_of(const provider_query *q, const rt_registered_image *image)
{
    return &q->context->loader->modules[image->module];
}

/* A fault only (see DL-IMAGE-07): the value of a property of the symbol set, which means nothing.
 */
static bool has_value(const rt_registered_image *image, rt_text symbol)
{
    const rt_property_set *exports = rt_image_set(image->image, RT_SET_EXPORTED_SYMBOLS);
    for (uint32_t i = 0; exports && i < exports->property_count; i++) {
        const rt_property *property = &exports->properties[i];
        if (rt_text_equal(property->name, symbol))
            return property->type == RT_PROPERTY_UINT32 && property->number == 1;
    }
    return true;
}

/* True when `candidate` may provide symbols for the requesting image.  The document speaks of the
 * format only; that an image which the device cannot run provides nothing for it is SYCL 2020, 5.7
 * "Optional kernel features". */
static bool is_suitable(const provider_query *q, const rt_registered_image *candidate)
{
    const rt_registered_image *requesting = q->requesting;
    if (candidate->image->format != requesting->image->format && RULE(DL_RESOLVE_03)) return false;
    if (!rt_device_meets(q->context->device, candidate->image, NULL)) return false;
    /* Broken: only other modules provide. */
    if (candidate->module == requesting->module && !RULE(DL_REQ_05)) return false;
    if (!has_value(candidate, q->symbol) && !RULE(DL_IMAGE_07)) return false;
    /* What dlopen brought is outside the program's namespace on the host; here that is nothing. */
    bool hidden = module_of(q, requesting)->global && !module_of(q, candidate)->global;
    if (hidden && !RULE(DL_DLOPEN_04)) return false;
    /* Here the mark stands first: asking the loader costs a walk, and only a fault needs it. */
    return RULE(DL_RESOLVE_04) ||
           rt_loader_needs(q->context->loader, requesting->module, candidate->module);
}

/* Keeps the suitable ones of those that export the symbol. */
static void keep_suitable(const provider_query *q, rt_provider_list *list)
{
    uint32_t all = list->images.count, kept = 0;
    for (uint32_t i = 0; i < all; i++) {
        const rt_registered_image *image = list->images.items[i];
        if (is_suitable(q, image)) list->images.items[kept++] = image;
    }
    list->images.count = kept;
    if (kept == all) return;
    /* Broken: the first is taken all the same; nothing has been put in its place. */
    if (kept == 0 && !RULE(DL_RESOLVE_12)) list->images.count = 1;
    /* Broken: taken for a violation of the ODR. */
    if (kept > 0 && !RULE(DL_RESOLVE_14)) list->images.count = 0;
}

/* ---- Which one ---------------------------------------------------------------------------- */

static int by_age(const void *a, const void *b)
{
    const rt_registered_image *const *first = a, *const *second = b;
    return ((*first)->id < (*second)->id) - ((*first)->id > (*second)->id);
}

/* Shipped DPC++ takes the image that was registered last (requirements.yaml, key dpcpp, tag A26).
 */
static void put_newest_first(rt_provider_list *list)
{
    if (list->images.count > 1)
        qsort(list->images.items, list->images.count, sizeof *list->images.items, by_age);
}

static uint32_t export_count(const rt_registered_image *image)
{
    const rt_property_set *exports = rt_image_set(image->image, RT_SET_EXPORTED_SYMBOLS);
    return exports ? exports->property_count : 0;
}

/* Broken in each of three ways: the regular library's image stays in use, always, where it exports
 * more, or where it does not. */
static bool regular_stays(bool in_part)
{
    if (!RULE(DL_PRELOAD_03)) return true;
    return in_part ? !RULE(DL_PRELOAD_05) : !RULE(DL_PRELOAD_04);
}

/* Keeps only the images of preloaded modules, where there are any.  An image is replaced whole:
 * what else it exports is still looked for, and may bring it in beside the preloaded one. */
static void keep_preloaded(const provider_query *q, rt_provider_list *list)
{
    rt_provider_list preloaded = {0}, regular = {0};
    uint32_t most_preloaded = 0, most_regular = 0;
    for (uint32_t i = 0; i < list->images.count; i++) {
        const rt_registered_image *image = list->images.items[i];
        bool is_preloaded = module_of(q, image)->preloaded;
        uint32_t count = export_count(image);
        uint32_t *most = is_preloaded ? &most_preloaded : &most_regular;
        if (count > *most) *most = count;
        rt_provider_list *side = is_preloaded ? &preloaded : &regular;
        *rt_vector_push(&side->images) = image;
    }
    bool both = preloaded.images.count > 0 && regular.images.count > 0;
    bool keeps_regular = both && regular_stays(most_regular > most_preloaded);
    list->images.count = 0;
    const rt_provider_list *kept =
        keeps_regular || preloaded.images.count == 0 ? &regular : &preloaded;
    for (uint32_t i = 0; i < kept->images.count; i++)
        *rt_vector_push(&list->images) = kept->images.items[i];
    rt_vector_free(&preloaded.images);
    rt_vector_free(&regular.images);
}

/* True when some of the images have the property and others have not. */
static bool are_mixed(const provider_query *q, const rt_provider_list *list,
                      bool (*has)(const rt_module *))
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < list->images.count; i++)
        count += has(module_of(q, list->images.items[i]));
    return count > 0 && count < list->images.count;
}

static bool came_at_start(const rt_module *module)
{
    return module->global;
}

static bool came_preloaded(const rt_module *module)
{
    return module->preloaded;
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

/* True when all images come from files of one name, so that the name of the library that an import
 * should come from could not tell them apart (document 003, "Run-time libraries loading"). */
static bool files_are_namesakes(const provider_query *q, const rt_provider_list *list)
{
    rt_text first = module_of(q, list->images.items[0])->path;
    for (uint32_t i = 1; i < list->images.count; i++) {
        if (!rt_text_equal(module_of(q, list->images.items[i])->path, first)) return false;
    }
    return true;
}

/* That there are several images is nothing to complain about, whatever they are: broken, each of
 * these refuses. */
static bool several_are_refused(const provider_query *q, const rt_provider_list *list)
{
    if (!RULE(DL_RESOLVE_05)) return true; /* Broken: one provider is demanded. */
    if (definitions_differ(list) && !RULE(DL_ODR_02)) return true;
    if (are_mixed(q, list, came_at_start) && !(RULE(DL_DLOPEN_05) && RULE(DL_DLOPEN_06)))
        return true;
    /* Broken: expects a library's name to decide. */
    if (files_are_namesakes(q, list) && !RULE(DL_DLOPEN_07)) return true;
    if (!are_mixed(q, list, came_preloaded)) return false;
    if (!RULE(DL_PRELOAD_02)) return true;
    bool preloaded_first = came_preloaded(module_of(q, list->images.items[0]));
    return !preloaded_first && !RULE(DL_PRELOAD_01); /* Broken: expects it to register first. */
}

/* One of the images, all of which are equally suitable: which one is a choice (DL-RESOLVE-05). */
static void keep_one(const provider_query *q, rt_provider_list *list)
{
    if (list->images.count <= 1) return;
    if (several_are_refused(q, list)) {
        list->images.count = 0;
        return;
    }
    uint32_t taken = rt_choose(q->context->chooser, RT_RULE_DL_RESOLVE_05, list->images.count);
    RT_TRACE(q->context->trace, CHOICE,
             RT_T("rule", rt_text_of(rt_rule_name(RT_RULE_DL_RESOLVE_05))),
             RT_N("of", list->images.count), RT_N("taken", taken));
    if (!RULE(DL_RESOLVE_13)) return; /* Broken: all of them. */
    list->images.items[0] = list->images.items[taken];
    list->images.count = 1;
}

void rt_provider_find(const rt_link_context *context, const rt_registered_image *requesting,
                      rt_text symbol, rt_provider_list *out_taken)
{
    CHECK(out_taken->images.count == 0);
    const provider_query query = {context, requesting, symbol};
    list_exporters(&query, out_taken);
    keep_suitable(&query, out_taken);
    if (context->profile == RT_PROFILE_DPCPP) put_newest_first(out_taken);
    if (context->prefer_preloaded) keep_preloaded(&query, out_taken);
    keep_one(&query, out_taken);
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
