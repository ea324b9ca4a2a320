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
    rt_map taken;    /* id of an image of the set -> 1 */
    RT_VECTOR(rt_text) unresolved;
} resolution;

static const rt_property_set *imports_of(const rt_registered_image *image)
{
    const rt_property_set *imports = rt_image_set(image->image, RT_SET_IMPORTED_SYMBOLS);
    return imports && RULE(DL_IMAGE_05) ? imports : NULL;
}

static void mark_exports(resolution *r, const rt_registered_image *image)
{
    /* Shipped DPC++ resolves each symbol by itself (requirements.yaml, key dpcpp, tag A25). */
    if (r->context->profile == RT_PROFILE_DPCPP) return;
    const rt_property_set *exports = rt_image_set(image->image, RT_SET_EXPORTED_SYMBOLS);
    for (uint32_t i = 0; exports && i < exports->property_count; i++) {
        rt_map_set(&r->resolved, exports->properties[i].name, 1);
    }
}

static void take(resolution *r, const rt_registered_image *image)
{
    bool again = rt_map_find_number(&r->taken, image->id) != RT_MAP_NONE;
    /* Symbol by symbol, an image is found again for another of its exports (tag A25). */
    if (r->context->profile == RT_PROFILE_DPCPP && again) return;
    *rt_vector_push(&r->set->images) = image;
    rt_map_set_number(&r->taken, image->id, 1);
    mark_exports(r, image);
}

/* True when `candidate` may provide symbols for the requesting image.  The document speaks of the
 * format only; that an image which the device cannot run provides nothing for it is SYCL 2020, 5.7
 * "Optional kernel features". */
static bool is_suitable(const resolution *r, const rt_registered_image *candidate)
{
    const rt_registered_image *requesting = r->set->images.items[0];
    if (candidate->image->format != requesting->image->format && RULE(DL_RESOLVE_03)) return false;
    if (!rt_device_meets(r->context->device, candidate->image, NULL)) return false;
    /* What dlopen brought is outside the program's namespace on the host; here that is nothing. */
    const rt_module *modules = r->context->loader->modules;
    bool hidden = modules[requesting->module].global && !modules[candidate->module].global;
    if (hidden && !RULE(DL_DLOPEN_04)) return false;
    /* Here the mark stands first: asking the loader costs a walk, and only a fault needs it. */
    return RULE(DL_RESOLVE_04) ||
           rt_loader_needs(r->context->loader, requesting->module, candidate->module);
}

typedef RT_VECTOR(const rt_registered_image *) image_list;

static uint32_t export_count(const rt_registered_image *image)
{
    const rt_property_set *exports = rt_image_set(image->image, RT_SET_EXPORTED_SYMBOLS);
    return exports ? exports->property_count : 0;
}

/* Keeps only the images of preloaded modules, where there are any.  An image is replaced whole:
 * what else it exports is still looked for, and may bring it in beside the preloaded one. */
static void keep_preloaded(const resolution *r, image_list *candidates)
{
    image_list preloaded = {0};
    uint32_t most_exports = 0, most_preloaded = 0;
    for (uint32_t i = 0; i < candidates->count; i++) {
        const rt_registered_image *image = candidates->items[i];
        uint32_t count = export_count(image);
        bool is_preloaded = r->context->loader->modules[image->module].preloaded;
        if (is_preloaded) *rt_vector_push(&preloaded) = image;
        if (is_preloaded && count > most_preloaded) most_preloaded = count;
        if (count > most_exports) most_exports = count;
    }
    bool in_part = most_exports > most_preloaded;
    bool applies = preloaded.count > 0 && RULE(DL_PRELOAD_03);
    if (applies && in_part && !RULE(DL_PRELOAD_05)) applies = false; /* Broken: all or nothing. */
    if (applies) {
        rt_vector_free(candidates);
        *candidates = preloaded;
    } else {
        rt_vector_free(&preloaded);
    }
}

/* True when some of the images were there at the start and others came with dlopen. */
static bool come_from_both(const resolution *r, const image_list *candidates)
{
    uint32_t global_count = 0;
    for (uint32_t i = 0; i < candidates->count; i++)
        global_count += r->context->loader->modules[candidates->items[i]->module].global;
    return global_count > 0 && global_count < candidates->count;
}

/* One of the images, all of which are equally suitable: which one is a choice (DL-RESOLVE-05), and
 * that there are several is nothing to complain about. */
static const rt_registered_image *choose_provider(resolution *r, const image_list *candidates)
{
    if (candidates->count == 1) return candidates->items[0];
    if (come_from_both(r, candidates) && !RULE(DL_DLOPEN_05)) return NULL; /* Broken: refused. */
    uint32_t taken = rt_choose(r->context->chooser, RT_RULE_DL_RESOLVE_05, candidates->count);
    RT_TRACE(r->context->trace, CHOICE,
             RT_T("rule", rt_text_of(rt_rule_name(RT_RULE_DL_RESOLVE_05))),
             RT_N("of", candidates->count), RT_N("taken", taken));
    for (uint32_t i = 0; i < candidates->count; i++) {
        if (i == taken || RULE(DL_RESOLVE_13)) continue;
        take(r, candidates->items[i]); /* Broken: all of them. */
    }
    return candidates->items[taken];
}

/* Views the images that export `symbol` and returns the one to take, NULL where none is suitable.
 */
static const rt_registered_image *find_provider(resolution *r, rt_text symbol)
{
    const rt_program_tables *tables = r->context->tables;
    const rt_image_group *exporters =
        rt_name_table_find(RULE_ELSE(DL_RESOLVE_02, &tables->exporters, &tables->kernels), symbol);
    image_list candidates = {0};
    for (uint32_t i = 0; i < exporters->images.count; i++) {
        const rt_registered_image *image = exporters->images.items[i];
        if (is_suitable(r, image)) *rt_vector_push(&candidates) = image;
    }
    bool some_unsuitable = candidates.count < exporters->images.count;
    if (candidates.count == 0 && some_unsuitable && !RULE(DL_RESOLVE_12)) {
        *rt_vector_push(&candidates) = exporters->images.items[0]; /* Broken: any will do. */
    }
    if (candidates.count > 0 && some_unsuitable && !RULE(DL_RESOLVE_14)) {
        candidates.count = 0; /* Broken: taken for a violation of the ODR. */
    }
    if (r->context->prefer_preloaded) keep_preloaded(r, &candidates);
    const rt_registered_image *provider = NULL;
    if (candidates.count > 0) provider = choose_provider(r, &candidates);
    rt_vector_free(&candidates);
    return provider;
}

/* One search round: the first unresolved import of `importer`. */
static void resolve_symbol(resolution *r, const rt_registered_image *importer, rt_text symbol)
{
    RT_TRACE(r->context->trace, SEARCH, RT_T("image", importer->image->name),
             RT_T("symbol", symbol));
    rt_map_set(&r->resolved, symbol, 1); /* Looked for once, however many images import it. */
    const rt_registered_image *provider = find_provider(r, symbol);
    if (!provider) {
        RT_TRACE(r->context->trace, UNRESOLVED, RT_T("image", importer->image->name),
                 RT_T("symbol", symbol));
        *rt_vector_push(&r->unresolved) = symbol;
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
    const rt_program_tables *tables = r->context->tables;
    for (uint32_t i = 0; i < tables->images.count; i++) {
        const rt_registered_image *image = tables->images.items[i];
        if (image && rt_map_find_number(&r->taken, image->id) == RT_MAP_NONE) take(r, image);
    }
}

static bool is_of_provider(const resolution *r, uint32_t module)
{
    for (uint32_t i = 1; i < r->set->images.count; i++)
        if (r->set->images.items[i]->module == module) return true;
    return false;
}

/* A fault only (see DL-SPLIT-05): takes a provider's whole module, as linking libraries would. */
static void take_modules(resolution *r)
{
    const rt_program_tables *tables = r->context->tables;
    for (uint32_t i = 0; i < tables->images.count; i++) {
        const rt_registered_image *image = tables->images.items[i];
        bool taken = !image || rt_map_find_number(&r->taken, image->id) != RT_MAP_NONE;
        if (!taken && is_of_provider(r, image->module)) take(r, image);
    }
}

/* Says of an image that exports the symbol why it was not taken. */
static void explain_unsuitable(const resolution *r, rt_text symbol, rt_buffer *out)
{
    const rt_image_group *exporters = rt_name_table_find(&r->context->tables->exporters, symbol);
    if (exporters->images.count == 0) return;
    const rt_image *image = exporters->images.items[0]->image;
    rt_buffer reason = {0};
    if (image->format != r->set->images.items[0]->image->format) {
        rt_buffer_printf(&reason, "its format is %s", rt_format_name(image->format));
    } else {
        (void)rt_device_meets(r->context->device, image, &reason);
    }
    if (reason.size > 0) {
        rt_buffer_printf(out, "; image %.*s exports '%.*s', but %s", RT_TEXT_ARG(image->name),
                         RT_TEXT_ARG(symbol), rt_buffer_string(&reason));
    }
    rt_buffer_free(&reason);
}

static rt_status refuse_unresolved(const resolution *r)
{
    rt_buffer names = {0}, hints = {0};
    for (uint32_t i = 0; i < r->unresolved.count; i++) {
        rt_buffer_printf(&names, "%s'%.*s'", i ? ", " : "", RT_TEXT_ARG(r->unresolved.items[i]));
        explain_unsuitable(r, r->unresolved.items[i], &hints);
    }
    const rt_image *requesting = r->set->images.items[0]->image;
    rt_status status = rt_fail_naming(
        r->context->sink, RT_ERRC_BUILD, RT_RULE_DL_RESOLVE_09, r->unresolved.items,
        r->unresolved.count,
        "image %.*s cannot be linked: no registered image of format %s exports %s; load a module "
        "that defines %s before the launch%s",
        RT_TEXT_ARG(requesting->name), rt_format_name(requesting->format), rt_buffer_string(&names),
        r->unresolved.count == 1 ? "it" : "them", rt_buffer_string(&hints));
    rt_buffer_free(&hints);
    rt_buffer_free(&names);
    return status;
}

rt_status rt_link_set_collect(const rt_link_context *context, const rt_registered_image *requesting,
                              rt_link_set *out_set)
{
    CHECK(rt_program_tables_hold(context->tables, requesting));
    CHECK(out_set->images.count == 0);
    resolution r = {.context = context, .set = out_set};
    *rt_vector_push(&out_set->images) = requesting;
    rt_map_set_number(&r.taken, requesting->id, 1);
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
    if (out_set->searched && !RULE(DL_SPLIT_05)) take_modules(&r);

    rt_status status = RT_STATUS_OK;
    if (r.unresolved.count > 0 && RULE(DL_RESOLVE_09)) status = refuse_unresolved(&r);
    rt_map_free(&r.resolved);
    rt_map_free(&r.taken);
    rt_vector_free(&r.unresolved);
    return status;
}

void rt_link_set_free(rt_link_set *set)
{
    rt_vector_free(&set->images);
    *set = (rt_link_set){0};
}
