/* Resolution of imports, in the words of document 003.
 *
 * The document tells the procedure for the requesting image; its providers' imports are resolved in
 * the same way (reading at DL-RESOLVE-10), so the images of the set are a work list: each is looked
 * at once, in the order in which it was taken.  `resolved` holds the marks: every symbol that an
 * image of the set exports. */
#include "reference/program/link_set.h"

#include "reference/program/provider.h"

enum {
    RESOLVED_BY_SEARCH, /* it was looked for */
    RESOLVED_BY_MARK    /* an image of the set exports it */
};

enum {
    TAKEN_FOR_SYMBOL = 1, /* or as the requesting image */
    TAKEN_BY_CONTRIBUTION
};

typedef struct resolution {
    const rt_link_context *context;
    rt_link_set *set;
    rt_map resolved; /* symbol -> how, RESOLVED_… */
    rt_map taken;    /* id of an image of the set -> how, TAKEN_… */
    RT_VECTOR(rt_text) unresolved;
    bool contributed; /* a contributor asks for a link */
} resolution;

static const rt_property_set *imports_of(const rt_registered_image *image)
{
    const rt_property_set *imports = rt_image_set(image->image, RT_SET_IMPORTED_SYMBOLS);
    /* Broken: only SPIR-V is looked at. */
    if (image->image->format != RT_FORMAT_SPIRV64 && !RULE(DL_REQ_07)) return NULL;
    return imports && RULE(DL_IMAGE_05) ? imports : NULL;
}

/* A fault only (see DL-IMAGE-07): the value of an import, which means nothing. */
static bool is_flag(const rt_property *import)
{
    return import->type == RT_PROPERTY_UINT32 && import->number == 1;
}

static void mark_exports(resolution *r, const rt_registered_image *image)
{
    /* Shipped DPC++ resolves each symbol by itself (requirements.yaml, key dpcpp, tag A25). */
    if (r->context->profile == RT_PROFILE_DPCPP) return;
    const rt_property_set *exports = rt_image_set(image->image, RT_SET_EXPORTED_SYMBOLS);
    for (uint32_t i = 0; exports && i < exports->property_count; i++) {
        rt_text symbol = exports->properties[i].name;
        /* Providers that overlap in part are left to the device's linker (DL-RESOLVE-15). */
        bool twice = rt_map_find(&r->resolved, symbol) == RESOLVED_BY_MARK;
        if (twice && !RULE(DL_RESOLVE_15)) *rt_vector_push(&r->unresolved) = symbol;
        rt_map_set(&r->resolved, symbol, RESOLVED_BY_MARK);
    }
}

static void take(resolution *r, const rt_registered_image *image)
{
    bool again = rt_map_find_number(&r->taken, image->id) != RT_MAP_NONE;
    /* Symbol by symbol, an image is found again for another of its exports (tag A25). */
    if (r->context->profile == RT_PROFILE_DPCPP && again) return;
    *rt_vector_push(&r->set->images) = image;
    rt_map_set_number(&r->taken, image->id, TAKEN_FOR_SYMBOL);
    mark_exports(r, image);
}

/* That nobody exports the symbol decides, also where some module's host code defines it
 * (DL-REQ-03). */
static void leave_unresolved(resolution *r, const rt_registered_image *importer, rt_text symbol)
{
    RT_TRACE(r->context->trace, UNRESOLVED, RT_T("image", importer->image->name),
             RT_T("symbol", symbol));
    /* Here the mark stands first: the loader's answer is for a fault only. */
    rt_module_id host = RT_MODULE_NONE;
    bool host_serves =
        !RULE(DL_REQ_03) &&
        rt_ok(rt_loader_binds(r->context->loader, importer->module, symbol, &host)) &&
        host != RT_MODULE_NONE;
    if (!host_serves) *rt_vector_push(&r->unresolved) = symbol;
}

/* One search round: the first unresolved import of `importer`. */
static void resolve_symbol(resolution *r, const rt_registered_image *importer, rt_text symbol)
{
    RT_TRACE(r->context->trace, SEARCH, RT_T("image", importer->image->name),
             RT_T("symbol", symbol));
    /* Looked for once, however many images import it. */
    rt_map_set(&r->resolved, symbol, RESOLVED_BY_SEARCH);
    rt_provider_list taken = {0};
    rt_provider_find(r->context, r->set->images.items[0], symbol, &taken);
    if (taken.images.count == 0) leave_unresolved(r, importer, symbol);
    for (uint32_t i = 0; i < taken.images.count; i++) {
        RT_TRACE(r->context->trace, RESOLVE, RT_T("image", importer->image->name),
                 RT_T("symbol", symbol), RT_T("provider", taken.images.items[i]->image->name));
        /* Broken: an image with kernels is there for them alone. */
        if (taken.images.items[i]->image->kernel_count == 0 || RULE(DL_REQ_01))
            take(r, taken.images.items[i]);
    }
    rt_vector_free(&taken.images);
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
        if (!is_flag(&imports->properties[first_left]) && !RULE(DL_IMAGE_07)) continue;
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

/* Images that join the set without exporting anything to it (document 004). */
static void take_contribution(resolution *r, const rt_registered_image *member,
                              const rt_link_contribution *contribution)
{
    bool by_others = member != r->set->images.items[0];
    for (uint32_t i = 0; i < contribution->images.count; i++) {
        const rt_registered_image *image = contribution->images.items[i];
        bool again = rt_map_find_number(&r->taken, image->id) != RT_MAP_NONE;
        if (again && (by_others || RULE(VF_LINK_06))) continue;
        if (!RULE(VF_LINK_05)) continue; /* Broken: it gets a program of its own. */
        take(r, image);
        if (!again) rt_map_set_number(&r->taken, image->id, TAKEN_BY_CONTRIBUTION);
    }
}

/* Asks the contributor about an image of the set. */
static rt_status contribute(resolution *r, const rt_registered_image *member)
{
    if (!r->context->contribute) return RT_STATUS_OK;
    rt_link_contribution contribution = {0};
    rt_status status =
        r->context->contribute(r->context, r->set->images.items[0], member, &contribution);
    if (rt_ok(status)) take_contribution(r, member, &contribution);
    r->contributed = r->contributed || contribution.links || contribution.images.count > 0;
    rt_vector_free(&contribution.images);
    return status;
}

/* Shipped DPC++ does not look for the imports of what joined by a set of virtual functions
 * (requirements.yaml, key dpcpp, tag D9). */
static bool imports_stay_open(const resolution *r, const rt_registered_image *member)
{
    return r->context->profile == RT_PROFILE_DPCPP &&
           rt_map_find_number(&r->taken, member->id) == TAKEN_BY_CONTRIBUTION;
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

static rt_status refuse_unresolved(const resolution *r)
{
    rt_buffer names = {0}, hints = {0};
    for (uint32_t i = 0; i < r->unresolved.count; i++) {
        rt_buffer_printf(&names, "%s'%.*s'", i ? ", " : "", RT_TEXT_ARG(r->unresolved.items[i]));
        rt_provider_explain(r->context, r->set->images.items[0], r->unresolved.items[i], &hints);
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
    rt_map_set_number(&r.taken, requesting->id, TAKEN_FOR_SYMBOL);
    /* The requesting image's exports serve its providers, or a cycle would find it again. */
    if (RULE(DL_RESOLVE_11)) mark_exports(&r, requesting);

    const rt_property_set *imports = imports_of(requesting);
    bool self_contained = !imports || imports->property_count == 0;
    out_set->searched = !(self_contained && RULE(DL_RESOLVE_01));
    rt_status status = RT_STATUS_OK;
    for (uint32_t i = 0; i < out_set->images.count && rt_ok(status); i++) {
        const rt_registered_image *member = out_set->images.items[i];
        /* Broken: providers' imports are left open. */
        bool closes = i == 0 || (RULE(DL_RESOLVE_10) && RULE(DL_REQ_12));
        if (closes && !imports_stay_open(&r, member)) resolve_imports(&r, member);
        status = contribute(&r, member);
    }
    if (out_set->searched && !RULE(DL_RESOLVE_16)) take_everything(&r);
    if (out_set->searched && !RULE(DL_SPLIT_05)) take_modules(&r);

    out_set->searched = out_set->searched || r.contributed;

    bool refused = rt_ok(status) && !context->open && r.unresolved.count > 0 && RULE(DL_RESOLVE_09);
    /* Broken: with several kernels, only some other may need what is missing. */
    if (refused && requesting->image->kernel_count > 1 && !RULE(DL_RESOLVE_18)) refused = false;
    if (refused) status = refuse_unresolved(&r);
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
