/* Resolution of imports, in the words of document 003.
 *
 * The document tells the procedure for the requesting image; its providers' imports are resolved in
 * the same way (reading at DL-RESOLVE-10), so the images of the set are a work list: each is looked
 * at once, in the order in which it was taken.  `resolved` holds the marks: every symbol that an
 * image of the set exports. */
#include "reference/program/link_set.h"

typedef struct resolution {
    const rt_link_context *context;
    rt_link_set *set;
    rt_map resolved; /* symbol -> 1 */
    RT_VECTOR(rt_text) unresolved;
} resolution;

static const rt_property_set *imports_of(const rt_registered_image *image)
{
    const rt_property_set *imports = rt_image_set(image->image, RT_SET_IMPORTED_SYMBOLS);
    return imports && RULE(DL_IMAGE_05) ? imports : NULL;
}

static void mark_exports(resolution *r, const rt_registered_image *image)
{
    const rt_property_set *exports = rt_image_set(image->image, RT_SET_EXPORTED_SYMBOLS);
    for (uint32_t i = 0; exports && i < exports->property_count; i++) {
        rt_map_set(&r->resolved, exports->properties[i].name, 1);
    }
}

static bool set_holds(const rt_link_set *set, const rt_registered_image *image)
{
    for (uint32_t i = 0; i < set->images.count; i++) {
        if (set->images.items[i] == image) return true;
    }
    return false;
}

static void take(resolution *r, const rt_registered_image *image)
{
    *rt_vector_push(&r->set->images) = image;
    mark_exports(r, image);
}

/* True when `candidate` may provide symbols for the requesting image. */
static bool is_suitable(const resolution *r, const rt_registered_image *candidate)
{
    const rt_registered_image *requesting = r->set->images.items[0];
    if (candidate->image->format != requesting->image->format && RULE(DL_RESOLVE_03)) return false;
    /* Here the mark stands first: asking the loader costs a walk, and only a fault needs it. */
    return RULE(DL_RESOLVE_04) ||
           rt_loader_needs(r->context->loader, requesting->module, candidate->module);
}

/* Views the images that export `symbol` and returns the one to take, NULL where none is suitable.
 * With several, any may be used: which one is a choice (DL-RESOLVE-05). */
static const rt_registered_image *find_provider(resolution *r, rt_text symbol)
{
    const rt_program_tables *tables = r->context->tables;
    const rt_image_group *exporters =
        rt_name_table_find(RULE_ELSE(DL_RESOLVE_02, &tables->exporters, &tables->kernels), symbol);
    uint32_t suitable_count = 0;
    for (uint32_t i = 0; i < exporters->images.count; i++) {
        suitable_count += is_suitable(r, exporters->images.items[i]);
    }
    if (suitable_count == 0) return NULL;
    uint32_t chosen = rt_choose(r->context->chooser, RT_RULE_DL_RESOLVE_05, suitable_count);
    for (uint32_t i = 0; i < exporters->images.count; i++) {
        if (!is_suitable(r, exporters->images.items[i])) continue;
        if (chosen-- == 0) return exporters->images.items[i];
    }
    UNREACHABLE();
}

/* One search round: the first unresolved import of `importer`. */
static void resolve_symbol(resolution *r, const rt_registered_image *importer, rt_text symbol)
{
    RT_TRACE(r->context->trace, SEARCH, RT_T("image", importer->image->name),
             RT_T("symbol", symbol));
    const rt_registered_image *provider = find_provider(r, symbol);
    if (!provider) {
        RT_TRACE(r->context->trace, UNRESOLVED, RT_T("image", importer->image->name),
                 RT_T("symbol", symbol));
        *rt_vector_push(&r->unresolved) = symbol;
        rt_map_set(&r->resolved, symbol, 1); /* Reported once, however many images import it. */
        return;
    }
    RT_TRACE(r->context->trace, RESOLVE, RT_T("image", importer->image->name),
             RT_T("symbol", symbol), RT_T("provider", provider->image->name));
    if (RULE(DL_REQ_01)) take(r, provider);
}

static bool is_resolved(const resolution *r, const rt_registered_image *importer, rt_text symbol)
{
    if (rt_map_find(&r->resolved, symbol) == RT_MAP_NONE) return false;
    bool requesting = importer == r->set->images.items[0];
    /* Marked by an image that was taken for another symbol: of the requesting image's own list
     * (DL-RESOLVE-07), or by any image of the set while closing over a provider (DL-RESOLVE-17). */
    return requesting ? RULE(DL_RESOLVE_07) : RULE(DL_RESOLVE_17);
}

static void resolve_imports(resolution *r, const rt_registered_image *importer)
{
    const rt_property_set *imports = imports_of(importer);
    for (uint32_t i = 0; imports && i < imports->property_count; i++) {
        if (i > 0 && !RULE(DL_RESOLVE_08)) break; /* Broken: only one round is made. */
        uint32_t first_left = RULE_ELSE(DL_RESOLVE_06, i, imports->property_count - 1 - i);
        rt_text symbol = imports->properties[first_left].name;
        if (!is_resolved(r, importer, symbol)) resolve_symbol(r, importer, symbol);
    }
}

/* A fault only (see DL-RESOLVE-16): joins images that nothing asked for. */
static void take_everything(resolution *r)
{
    const rt_registry *registry = r->context->registry;
    for (uint32_t i = 0; i < registry->images.count; i++) {
        const rt_registered_image *image = registry->images.items[i];
        if (image->registered && !set_holds(r->set, image)) take(r, image);
    }
}

static rt_status refuse_unresolved(const resolution *r)
{
    rt_buffer names = {0};
    for (uint32_t i = 0; i < r->unresolved.count; i++) {
        rt_buffer_printf(&names, "%s'%.*s'", i ? ", " : "", RT_TEXT_ARG(r->unresolved.items[i]));
    }
    const rt_image *requesting = r->set->images.items[0]->image;
    rt_status status = rt_fail_naming(
        r->context->sink, RT_ERRC_BUILD, RT_RULE_DL_RESOLVE_09, r->unresolved.items,
        r->unresolved.count,
        "image %.*s cannot be linked: no registered image of format %s exports %s; load a module "
        "that defines %s before the launch",
        RT_TEXT_ARG(requesting->name), rt_format_name(requesting->format), rt_buffer_string(&names),
        r->unresolved.count == 1 ? "it" : "them");
    rt_buffer_free(&names);
    return status;
}

rt_status rt_link_set_collect(const rt_link_context *context, const rt_registered_image *requesting,
                              rt_link_set *out_set)
{
    CHECK(requesting->registered);
    CHECK(out_set->images.count == 0);
    resolution r = {.context = context, .set = out_set};
    *rt_vector_push(&out_set->images) = requesting;
    /* The requesting image's exports serve its providers, or a cycle would find it again. */
    if (RULE(DL_RESOLVE_11)) mark_exports(&r, requesting);

    const rt_property_set *imports = imports_of(requesting);
    bool self_contained = !imports || imports->property_count == 0;
    out_set->searched = !(self_contained && RULE(DL_RESOLVE_01));
    for (uint32_t i = 0; i < out_set->images.count; i++) {
        if (i > 0 && !RULE(DL_RESOLVE_10)) break; /* Broken: providers' imports are left open. */
        resolve_imports(&r, out_set->images.items[i]);
    }
    if (out_set->searched && !RULE(DL_RESOLVE_16)) take_everything(&r);

    rt_status status = RT_STATUS_OK;
    if (r.unresolved.count > 0 && RULE(DL_RESOLVE_09)) status = refuse_unresolved(&r);
    rt_map_free(&r.resolved);
    rt_vector_free(&r.unresolved);
    return status;
}

void rt_link_set_free(rt_link_set *set)
{
    rt_vector_free(&set->images);
    *set = (rt_link_set){0};
}
