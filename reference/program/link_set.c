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
 * providers' imports are resolved in the same way. */
#include "reference/program/link_set.h"

#include "reference/program/provider.h"

enum {
    MEMBER_FOR_SYMBOL = 1, /* also for the requesting image */
    MEMBER_BY_CONTRIBUTION
};

typedef struct resolution {
    const rt_link_context *context;
    rt_link_set *set;
    rt_map marked;  /* symbols that were searched for or that an image of the set exports */
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

static bool is_marked(const resolution *search, rt_text symbol)
{
    return rt_map_find(&search->marked, symbol) != RT_MAP_NONE;
}

/* ---- Growing the set ---------------------------------------------------------------------- */

static void mark_exports(resolution *search, const rt_registered_image *image)
{
    /* Shipped DPC++ resolves each symbol separately (requirements.yaml, key dpcpp, tag A25). */
    if (search->context->profile == RT_PROFILE_DPCPP) return;
    const rt_property_set *exports = rt_image_set(image->image, RT_SET_EXPORTED_SYMBOLS);
    for (uint32_t i = 0; exports && i < exports->property_count; i++) {
        /* An earlier image may export the symbol too: partially overlapping providers are left to
         * the device's linker (DL-RESOLVE-15). */
        rt_map_set(&search->marked, exports->properties[i].name, true);
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
    RULE(DL_RESOLVE_07, mark_exports(search, image));
}

/* Finds the provider of an import and adds it to the set. */
static void resolve_symbol(resolution *search, const rt_registered_image *importer, rt_text symbol)
{
    RT_TRACE(search->context->trace, SEARCH, RT_T("image", importer->image->name),
             RT_T("symbol", symbol));
    /* A symbol is searched for once, no matter how many images import it. */
    rt_map_set(&search->marked, symbol, true);
    rt_provider_list providers = {0};
    rt_provider_find(search->context, requesting_of(search), symbol, &providers);
    for (uint32_t i = 0; i < providers.images.count; i++) {
        const rt_registered_image *provider = providers.images.items[i];
        RT_TRACE(search->context->trace, RESOLVE, RT_T("image", importer->image->name),
                 RT_T("symbol", symbol), RT_T("provider", provider->image->name));
        RULE(DL_REQ_01, take(search, provider));
    }
    if (providers.images.count == 0) {
        RT_TRACE(search->context->trace, UNRESOLVED, RT_T("image", importer->image->name),
                 RT_T("symbol", symbol));
        /* Whether the host's linker found a definition does not matter (DL-REQ-03). */
        *rt_vector_push(&search->unresolved) = symbol;
    }
    rt_vector_free(&providers.images);
}

/* The import list, whatever the image's format (DL-REQ-07); only the names of its properties matter
 * (DL-IMAGE-07). */
static const rt_property_set *imports_of(const rt_registered_image *image)
{
    return RULE(DL_IMAGE_05, rt_image_set(image->image, RT_SET_IMPORTED_SYMBOLS));
}

/* An empty list means the same as none (DL-IMPORT-09). */
static bool has_imports(const rt_registered_image *image)
{
    const rt_property_set *imports = imports_of(image);
    return imports && imports->property_count > 0;
}

/* Takes a provider for each import that no image of the set exports, in the order of the list
 * (DL-RESOLVE-06, DL-RESOLVE-08). */
static void resolve_imports(resolution *search, const rt_registered_image *importer)
{
    CHECK(is_member(search, importer));
    const rt_property_set *imports = imports_of(importer);
    for (uint32_t i = 0; imports && i < imports->property_count; i++) {
        rt_text symbol = imports->properties[i].name;
        if (RULE(DL_RESOLVE_17, !is_marked(search, symbol)))
            resolve_symbol(search, importer, symbol);
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
        if (RULE(VF_LINK_06, is_member(search, image))) continue;
        RULE(VF_LINK_05, take(search, image));
        rt_map_set_number(&search->members, image->id, MEMBER_BY_CONTRIBUTION);
    }
    search->contributed = search->contributed || contribution.links;
    rt_vector_free(&contribution.images);
    return status;
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

/* Shipped DPC++ does not resolve the imports of an image that joined through a set of virtual
 * functions (requirements.yaml, key dpcpp, tag D9). */
static bool stays_open(const resolution *search, const rt_registered_image *member)
{
    return search->context->profile == RT_PROFILE_DPCPP &&
           rt_map_find_number(&search->members, member->id) == MEMBER_BY_CONTRIBUTION;
}

/* Lets images join until every image of the set has what it needs. */
static rt_status close_set(resolution *search)
{
    const rt_link_set *set = search->set;
    for (uint32_t i = 1; i < set->images.count; i++) {
        const rt_registered_image *member = set->images.items[i];
        if (!stays_open(search, member)) RULE(DL_RESOLVE_10, resolve_imports(search, member));
        RT_TRY(contribute(search, member));
    }
    return RT_STATUS_OK;
}

rt_status rt_link_set_collect(const rt_link_context *context, const rt_registered_image *requesting,
                              rt_link_set *out_set)
{
    CHECK(rt_program_tables_hold(context->tables, requesting));
    CHECK(out_set->images.count == 0 && !out_set->searched);
    resolution search = {.context = context, .set = out_set};
    *rt_vector_push(&out_set->images) = requesting;
    rt_map_set_number(&search.members, requesting->id, MEMBER_FOR_SYMBOL);
    RULE(DL_RESOLVE_11, mark_exports(&search, requesting));

    bool searched = RULE(DL_RESOLVE_01, has_imports(requesting));
    if (searched) resolve_imports(&search, requesting);
    rt_status status = contribute(&search, requesting);
    if (rt_ok(status)) status = close_set(&search);
    out_set->searched = searched || search.contributed;
    /* All imports of an image count, whether or not the launched kernel needs them
     * (DL-RESOLVE-18). */
    if (rt_ok(status) && !context->open && RULE(DL_RESOLVE_09, search.unresolved.count > 0))
        status = refuse_unresolved(&search);
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
