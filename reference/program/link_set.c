/* Resolution of imports, in the words of document 003.
 *
 *   the requesting image is the first of the set; if it has no imports, nothing is searched for
 *                                                          DL-RESOLVE-01
 *   its exports are marked, so that a cycle does not find it again
 *                                                          DL-RESOLVE-11
 *   for each image of the set, in the order in which it joined:
 *       for each import in turn that is not marked:        DL-RESOLVE-06, DL-RESOLVE-08
 *           one provider is found and joins the set        DL-RESOLVE-02 to -05 (provider.c)
 *           everything that it exports is marked           DL-RESOLVE-07, DL-RESOLVE-17
 *       the images that the contributor names join         document 004 (VF-LINK-05, VF-LINK-06)
 *   so the set is closed and contains no other image       DL-RESOLVE-10, DL-RESOLVE-16
 *   an unresolved import makes the launch fail             DL-RESOLVE-09, DL-RESOLVE-18
 *
 * The document gives the procedure for the requesting image; by the reading at DL-RESOLVE-10, its
 * providers' imports are resolved in the same way.  Functions named fault_… implement what a
 * non-conforming runtime does and are not part of the procedure. */
#include "reference/program/link_set.h"

#include "reference/program/provider.h"

enum {
    MARKED_BY_SEARCH, /* a provider was searched for */
    MARKED_BY_EXPORT  /* an image of the set exports it */
};

enum {
    MEMBER_FOR_SYMBOL = 1, /* also for the requesting image */
    MEMBER_BY_CONTRIBUTION
};

typedef struct resolution {
    const rt_link_context *context;
    rt_link_set *set;
    rt_map marked;  /* symbol -> MARKED_… */
    rt_map members; /* id of an image of the set -> MEMBER_… */
    RT_VECTOR(rt_text) unresolved;
    bool contributed; /* a contributor requires a link */
} resolution;

static const rt_registered_image *requesting_of(const resolution *search)
{
    CHECK(search->set->images.count >= 1);
    return search->set->images.items[0];
}

static bool is_member(const resolution *search, const rt_registered_image *image)
{
    return rt_map_find_number(&search->members, image->id) != RT_MAP_NONE;
}

/* ---- Growing the set ---------------------------------------------------------------------- */

static void mark_exports(resolution *search, const rt_registered_image *image)
{
    /* Shipped DPC++ resolves each symbol separately (requirements.yaml, key dpcpp, tag A25). */
    if (search->context->profile == RT_PROFILE_DPCPP) return;
    const rt_property_set *exports = rt_image_set(image->image, RT_SET_EXPORTED_SYMBOLS);
    for (uint32_t i = 0; exports && i < exports->property_count; i++) {
        rt_text symbol = exports->properties[i].name;
        /* Partially overlapping providers are left to the device's linker. */
        bool overlaps = rt_map_find(&search->marked, symbol) == MARKED_BY_EXPORT;
        if (overlaps && !RULE(DL_RESOLVE_15)) *rt_vector_push(&search->unresolved) = symbol;
        rt_map_set(&search->marked, symbol, MARKED_BY_EXPORT);
    }
}

static void take(resolution *search, const rt_registered_image *image)
{
    /* When symbols are resolved separately, an image may be found again for another of its exports
     * (tag A25). */
    if (search->context->profile == RT_PROFILE_DPCPP && is_member(search, image)) return;
    CHECK(rt_program_tables_hold(search->context->tables, image));
    *rt_vector_push(&search->set->images) = image;
    rt_map_set_number(&search->members, image->id, MEMBER_FOR_SYMBOL);
    mark_exports(search, image);
}

/* DL-REQ-03: relies on the host's linker. */
static bool fault_host_defines(const resolution *search, const rt_registered_image *importer,
                               rt_text symbol)
{
    rt_module_id host = RT_MODULE_NONE;
    return rt_ok(rt_loader_binds(search->context->loader, importer->module, symbol, &host)) &&
           host != RT_MODULE_NONE;
}

/* Finds the provider of an import and adds it to the set. */
static void resolve_symbol(resolution *search, const rt_registered_image *importer, rt_text symbol)
{
    RT_TRACE(search->context->trace, SEARCH, RT_T("image", importer->image->name),
             RT_T("symbol", symbol));
    /* A symbol is searched for once, no matter how many images import it. */
    rt_map_set(&search->marked, symbol, MARKED_BY_SEARCH);
    rt_provider_list providers = {0};
    rt_provider_find(search->context, requesting_of(search), symbol, &providers);
    for (uint32_t i = 0; i < providers.images.count; i++) {
        const rt_registered_image *provider = providers.images.items[i];
        RT_TRACE(search->context->trace, RESOLVE, RT_T("image", importer->image->name),
                 RT_T("symbol", symbol), RT_T("provider", provider->image->name));
        /* Broken: an image with kernels provides nothing. */
        if (provider->image->kernel_count == 0 || RULE(DL_REQ_01)) take(search, provider);
    }
    if (providers.images.count == 0) {
        RT_TRACE(search->context->trace, UNRESOLVED, RT_T("image", importer->image->name),
                 RT_T("symbol", symbol));
        if (RULE(DL_REQ_03) || !fault_host_defines(search, importer, symbol))
            *rt_vector_push(&search->unresolved) = symbol;
    }
    rt_vector_free(&providers.images);
}

static const rt_property_set *imports_of(const rt_registered_image *image)
{
    const rt_property_set *imports = rt_image_set(image->image, RT_SET_IMPORTED_SYMBOLS);
    /* Broken: only SPIR-V has imports. */
    if (image->image->format != RT_FORMAT_SPIRV64 && !RULE(DL_REQ_07)) return NULL;
    return imports && RULE(DL_IMAGE_05) ? imports : NULL;
}

static void resolve_imports(resolution *search, const rt_registered_image *importer)
{
    CHECK(is_member(search, importer));
    const rt_property_set *imports = imports_of(importer);
    uint32_t count = imports ? imports->property_count : 0;
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0 && !RULE(DL_RESOLVE_08)) break; /* Broken: only the first import is resolved. */
        const rt_property *import =
            &imports->properties[RULE_ELSE(DL_RESOLVE_06, i, count - 1 - i)];
        /* The property's type and value have no meaning. */
        bool is_flag = import->type == RT_PROPERTY_UINT32 && import->number == 1;
        if (!is_flag && !RULE(DL_IMAGE_07)) continue;
        /* An import that is already marked needs no search (DL-RESOLVE-07 for the requesting
         * image's imports, DL-RESOLVE-17 for those of the others). */
        bool is_resolved =
            rt_map_find(&search->marked, import->name) != RT_MAP_NONE &&
            (importer == requesting_of(search) ? RULE(DL_RESOLVE_07) : RULE(DL_RESOLVE_17));
        if (!is_resolved) resolve_symbol(search, importer, import->name);
    }
}

/* Queries the contributor about an image of the set; the images that it names join the set. */
static rt_status contribute(resolution *search, const rt_registered_image *member)
{
    if (!search->context->contribute) return RT_STATUS_OK;
    const rt_registered_image *requesting = requesting_of(search);
    rt_link_contribution contribution = {0};
    rt_status status =
        search->context->contribute(search->context, requesting, member, &contribution);
    for (uint32_t i = 0; rt_ok(status) && i < contribution.images.count; i++) {
        const rt_registered_image *image = contribution.images.items[i];
        bool was_member = is_member(search, image);
        if (was_member && (member != requesting || RULE(VF_LINK_06))) continue;
        if (!RULE(VF_LINK_05)) continue; /* Broken: the image gets a separate program. */
        take(search, image);
        if (!was_member) rt_map_set_number(&search->members, image->id, MEMBER_BY_CONTRIBUTION);
    }
    search->contributed =
        search->contributed || contribution.links || contribution.images.count > 0;
    rt_vector_free(&contribution.images);
    return status;
}

/* ---- Faults: images that nothing requires ------------------------------------------------- */

static bool is_module_of_provider(const resolution *search, rt_module_id module)
{
    for (uint32_t i = 1; i < search->set->images.count; i++)
        if (search->set->images.items[i]->module == module) return true;
    return false;
}

/* DL-RESOLVE-16: takes every registered image; DL-SPLIT-05: takes the whole modules of providers,
 * as linking libraries would. */
static void fault_take_more(resolution *search, bool whole_modules)
{
    const rt_program_tables *tables = search->context->tables;
    for (uint32_t i = 0; i < tables->images.count; i++) {
        const rt_registered_image *image = tables->images.items[i];
        if (!image || is_member(search, image)) continue;
        if (!whole_modules || is_module_of_provider(search, image->module)) take(search, image);
    }
}

/* ---- The whole set ------------------------------------------------------------------------ */

static rt_status refuse_unresolved(const resolution *search)
{
    rt_buffer names = {0}, hints = {0};
    for (uint32_t i = 0; i < search->unresolved.count; i++) {
        rt_buffer_printf(&names, "%s'%.*s'", i ? ", " : "",
                         RT_TEXT_ARG(search->unresolved.items[i]));
        rt_provider_explain(search->context, search->set->images.items[0],
                            search->unresolved.items[i], &hints);
    }
    const rt_image *requesting = search->set->images.items[0]->image;
    rt_status status = rt_fail_naming(
        search->context->sink, RT_ERRC_BUILD, RT_RULE_DL_RESOLVE_09, search->unresolved.items,
        search->unresolved.count,
        "image %.*s cannot be linked: no registered image of format %s exports %s; before the "
        "launch, load a module that defines %s%s",
        RT_TEXT_ARG(requesting->name), rt_format_name(requesting->format), rt_buffer_string(&names),
        search->unresolved.count == 1 ? "it" : "them", rt_buffer_string(&hints));
    rt_buffer_free(&hints);
    rt_buffer_free(&names);
    return status;
}

/* Checks that the set contains only images of the tables, each once, and is marked `searched` if it
 * has several.
 */
static bool link_set_check(const rt_link_set *set, const rt_program_tables *tables)
{
    CHECK_IMPLIES(set->images.count > 1, set->searched);
    for (uint32_t i = 0; i < set->images.count; i++) {
        CHECK(rt_program_tables_hold(tables, set->images.items[i]));
        for (uint32_t k = 0; k < i; k++)
            CHECK(set->images.items[k] != set->images.items[i]);
    }
    return true;
}

rt_status rt_link_set_collect(const rt_link_context *context, const rt_registered_image *requesting,
                              rt_link_set *out_set)
{
    CHECK(rt_program_tables_hold(context->tables, requesting));
    CHECK(out_set->images.count == 0 && !out_set->searched);
    resolution search = {.context = context, .set = out_set};
    *rt_vector_push(&out_set->images) = requesting;
    rt_map_set_number(&search.members, requesting->id, MEMBER_FOR_SYMBOL);
    if (RULE(DL_RESOLVE_11)) mark_exports(&search, requesting);

    const rt_property_set *imports = imports_of(requesting);
    const rt_property_set *exports = rt_image_set(requesting->image, RT_SET_EXPORTED_SYMBOLS);
    /* An empty set means the same as none.  Broken, for each rule in turn: an image that has the
     * set counts as one that imports; as a library, which has to be linked. */
    bool is_self_contained = !imports || (imports->property_count == 0 && RULE(DL_IMPORT_09));
    if (exports && exports->property_count == 0 && !RULE(DL_EXPORT_04)) is_self_contained = false;
    bool searched = !(is_self_contained && RULE(DL_RESOLVE_01));

    rt_status status = RT_STATUS_OK;
    for (uint32_t i = 0; i < out_set->images.count && rt_ok(status); i++) {
        const rt_registered_image *member = out_set->images.items[i];
        /* Broken: imports of providers stay unresolved. */
        bool is_closed = i == 0 || (RULE(DL_RESOLVE_10) && RULE(DL_REQ_12));
        /* Shipped DPC++ does not resolve the imports of an image that joined through a set of
         * virtual functions (requirements.yaml, key dpcpp, tag D9). */
        bool stays_open = context->profile == RT_PROFILE_DPCPP &&
                          rt_map_find_number(&search.members, member->id) == MEMBER_BY_CONTRIBUTION;
        if (is_closed && !stays_open) resolve_imports(&search, member);
        status = contribute(&search, member);
    }
    if (searched && !RULE(DL_RESOLVE_16)) fault_take_more(&search, false);
    if (searched && !RULE(DL_SPLIT_05)) fault_take_more(&search, true);
    out_set->searched = searched || search.contributed;

    bool is_refused =
        rt_ok(status) && !context->open && search.unresolved.count > 0 && RULE(DL_RESOLVE_09);
    /* Broken: assumes that, of several kernels, only another one needs the import. */
    if (is_refused && requesting->image->kernel_count > 1 && !RULE(DL_RESOLVE_18))
        is_refused = false;
    if (is_refused) status = refuse_unresolved(&search);
    CHECK(out_set->images.items[0] == requesting);
    CHECK_SLOW(link_set_check(out_set, context->tables));
    rt_map_free(&search.marked);
    rt_map_free(&search.members);
    rt_vector_free(&search.unresolved);
    return status;
}

void rt_link_set_free(rt_link_set *set)
{
    rt_vector_free(&set->images);
    *set = (rt_link_set){0};
}
