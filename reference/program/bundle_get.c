/* get_kernel_bundle: finds the images of a kernel bundle and brings them into its state. */
#include "reference/program/bundle_internal.h"
#include "reference/program/persistent.h"

#include "reference/base/handover.h"

/* An image that has a requested kernel, with its dependencies. */
typedef struct main_image {
    const rt_registered_image *image;
    rt_link_set set;    /* begins with the image */
    bool is_dependency; /* another image's program contains it */
} main_image;

/* The contents of a bundle, determined with the lock held. */
typedef struct bundle_plan {
    RT_VECTOR(main_image) mains;
    rt_map main_index;    /* id of the image -> index in mains */
    rt_link_set contents; /* every image of every set, each once */
    rt_map image_index;   /* id of the image -> 1 */
    rt_arena arena;
    rt_spec_list constants; /* not filtered by defaults: there is no requesting image */
} bundle_plan;

static bool holds(const rt_link_set *set, const rt_registered_image *image)
{
    for (uint32_t i = 0; i < set->images.count; i++) {
        if (set->images.items[i] == image) return true;
    }
    return false;
}

/* ---- Images of kernels -------------------------------------------------------------------- */

static bool has_symbols(const rt_image *image, const char *set_name)
{
    const rt_property_set *set = rt_image_set(image, set_name);
    return set && set->property_count > 0;
}

/* The state in which the image's code starts (see bundle.h). */
static rt_bundle_state initial_state(const rt_image *image)
{
    if (image->format == RT_FORMAT_SPIRV64 || image->format == RT_FORMAT_PTX)
        return RT_BUNDLE_INPUT;
    bool linked =
        has_symbols(image, RT_SET_IMPORTED_SYMBOLS) || has_symbols(image, RT_SET_EXPORTED_SYMBOLS);
    return linked ? RT_BUNDLE_OBJECT : RT_BUNDLE_EXECUTABLE;
}

/* Chooses the image of the kernel for a bundle that is not executable: among those that the device
 * can run, the first in the most advanced state that is not beyond the requested one (tag A58).
 * *out_runs: the device can run some image of the kernel. */
static const rt_registered_image *furthest_image(const rt_program_manager *manager,
                                                 const rt_bundle_request *request, rt_text kernel,
                                                 bool *out_runs)
{
    const rt_image_group *group = rt_program_tables_kernel(&manager->tables, kernel);
    const rt_registered_image *found = NULL;
    *out_runs = false;
    for (uint32_t i = 0; i < group->images.count; i++) {
        const rt_registered_image *image = group->images.items[i];
        if (!rt_program_runs(request->device, image->image)) continue;
        *out_runs = true;
        rt_bundle_state state = initial_state(image->image);
        if (state > request->state) continue;
        if (!found || state > initial_state(found->image)) found = image;
    }
    CHECK_IMPLIES(found, *out_runs && initial_state(found->image) <= request->state);
    return found;
}

/* Chooses the image of the kernel; for an executable bundle, the image that a launch would take. */
static rt_status image_of_kernel(rt_program_manager *manager, const rt_bundle_request *request,
                                 rt_text kernel, const rt_registered_image **out_image)
{
    bool runs;
    *out_image = furthest_image(manager, request, kernel, &runs);
    if (!runs) return rt_program_refuse_kernel(manager, request->device, kernel, RT_ERRC_INVALID);
    if (request->state == RT_BUNDLE_EXECUTABLE) {
        const rt_kernel_request launch = {.device = request->device, .kernel = kernel};
        return rt_program_select(manager, &launch, out_image);
    }
    if (*out_image) return RT_STATUS_OK;
    return rt_fail_naming(manager->sink, RT_ERRC_INVALID, RT_RULE_NONE, &kernel, 1,
                          "kernel '%.*s' exists only in images that were compiled ahead of time "
                          "beyond state %s",
                          RT_TEXT_ARG(kernel), rt_bundle_state_name(request->state));
}

static void add_main(bundle_plan *plan, const rt_registered_image *image)
{
    if (rt_map_find_number(&plan->main_index, image->id) != RT_MAP_NONE) return;
    rt_map_set_number(&plan->main_index, image->id, plan->mains.count);
    *rt_vector_push(&plan->mains) = (main_image){.image = image};
}

/* Finds the images of the requested kernels or, if none are requested, of every kernel that is
 * available to the device in the requested state. */
static rt_status find_mains(rt_program_manager *manager, const rt_bundle_request *request,
                            bundle_plan *plan)
{
    const rt_registered_image *found = NULL;
    for (uint32_t i = 0; i < request->kernel_count; i++) {
        RT_TRY(image_of_kernel(manager, request, request->kernels[i], &found));
        add_main(plan, found);
    }
    if (request->kernel_count > 0) return RT_STATUS_OK;
    for (uint32_t i = 0; i < manager->tables.images.count; i++) {
        const rt_registered_image *image = manager->tables.images.items[i];
        for (uint32_t k = 0; image && k < image->image->kernel_count; k++) {
            rt_text kernel = image->image->kernels[k];
            bool runs;
            if (!furthest_image(manager, request, kernel, &runs)) continue;
            RT_TRY(image_of_kernel(manager, request, kernel, &found));
            add_main(plan, found);
        }
    }
    return RT_STATUS_OK;
}

/* ---- Dependencies of the images ----------------------------------------------------------- */

/* Collects the link sets.  Only an executable needs every import resolved: in other states, an
 * import that no image exports yet is left to a later link (tag A28). */
static rt_status collect_sets(rt_program_manager *manager, const rt_bundle_request *request,
                              bundle_plan *plan)
{
    rt_link_context context = rt_program_link_context(manager, request->device);
    context.open = request->state != RT_BUNDLE_EXECUTABLE;
    for (uint32_t i = 0; i < plan->mains.count; i++) {
        main_image *main = &plan->mains.items[i];
        RT_TRY(rt_link_set_collect(&context, main->image, &main->set));
        CHECK(main->set.images.count >= 1 && main->set.images.items[0] == main->image);
        for (uint32_t k = 0; k < main->set.images.count; k++) {
            const rt_registered_image *image = main->set.images.items[k];
            if (rt_map_find_number(&plan->image_index, image->id) != RT_MAP_NONE) continue;
            rt_map_set_number(&plan->image_index, image->id, 1);
            *rt_vector_push(&plan->contents.images) = image;
        }
    }
    CHECK(plan->contents.images.count >= plan->mains.count);
    CHECK(plan->contents.images.count == plan->image_index.count);
    /* A main image on which another main image depends is part of that image's program (tag A56);
     * of main images that depend on each other, only the first keeps its own program. */
    for (uint32_t i = 0; i < plan->mains.count; i++) {
        const main_image *main = &plan->mains.items[i];
        for (uint32_t k = 1; k < main->set.images.count; k++) {
            uint32_t index = rt_map_find_number(&plan->main_index, main->set.images.items[k]->id);
            if (index == RT_MAP_NONE) continue;
            CHECK(index < plan->mains.count);
            main_image *other = &plan->mains.items[index];
            if (i < index || !holds(&other->set, main->image)) other->is_dependency = true;
        }
    }
    return RT_STATUS_OK;
}

static rt_status check_constants(rt_program_manager *manager, const rt_bundle_request *request,
                                 bundle_plan *plan)
{
    if (request->constant_count == 0) return RT_STATUS_OK;
    CHECK(request->state == RT_BUNDLE_INPUT);
    const rt_kernel_request launch_request = {.constants = request->constants,
                                              .constant_count = request->constant_count};
    plan->constants = rt_spec_list_make(&plan->arena, &launch_request, NULL);
    RT_TRY(rt_spec_list_check(manager->sink, plan->constants, &plan->contents, request->device));
    /* A value applies to the device images of this bundle alone, even if the bundle is linked with
     * one whose images have the constant. */
    plan->constants = rt_spec_list_known(&plan->arena, plan->constants, &plan->contents);
    return RT_STATUS_OK;
}

/* ---- Bringing images into the state ------------------------------------------------------- */

static rt_status add_units(rt_program_manager *manager, const rt_bundle_request *request,
                           const bundle_plan *plan, rt_bundle *bundle)
{
    const rt_build_target target = {request->device, request->context, {0}, {0}};
    for (uint32_t i = 0; request->state != RT_BUNDLE_EXECUTABLE && i < plan->contents.images.count;
         i++) {
        const rt_registered_image *image = plan->contents.images.items[i];
        if (request->state == RT_BUNDLE_OBJECT)
            RT_TRY(rt_bundle_add_object(manager, bundle, image, &target));
        else
            rt_bundle_add_input(bundle, request->device, image, plan->constants);
    }
    for (uint32_t i = 0; request->state == RT_BUNDLE_EXECUTABLE && i < plan->mains.count; i++) {
        if (plan->mains.items[i].is_dependency) continue;
        const rt_link_set *set = &plan->mains.items[i].set;
        uint32_t id = rt_bundle_program_id(manager);
        dev_program *executable = NULL;
        bool is_loaded;
        RT_TRY(rt_persistent_build(manager, &target, id, set, &executable, &is_loaded));
        rt_bundle_add_program(manager, bundle, &target, id, set, executable, is_loaded);
    }
    return RT_STATUS_OK;
}

rt_status rt_bundle_get(rt_program_manager *manager, const rt_bundle_request *request,
                        rt_bundle **out_bundle)
{
    CHECK((unsigned)request->state < RT_BUNDLE_STATE_COUNT);
    *out_bundle = NULL;
    bundle_plan plan = {0};
    rt_handover_point();
    rt_program_manager_lock(manager);
    rt_status status = find_mains(manager, request, &plan);
    if (rt_ok(status)) status = collect_sets(manager, request, &plan);
    if (rt_ok(status)) status = check_constants(manager, request, &plan);
    rt_program_manager_unlock(manager);
    rt_handover_point();
    rt_bundle *bundle =
        rt_bundle_create(manager, request->state, request->context, request->device);
    if (rt_ok(status)) status = add_units(manager, request, &plan, bundle);
    for (uint32_t i = 0; i < plan.mains.count; i++)
        rt_link_set_free(&plan.mains.items[i].set);
    rt_vector_free(&plan.mains);
    rt_map_free(&plan.main_index);
    rt_map_free(&plan.image_index);
    rt_link_set_free(&plan.contents);
    rt_arena_reset(&plan.arena);
    RT_TRY(rt_bundle_finish(manager, bundle, status, out_bundle));
    rt_arena arena = {0};
    uint32_t image_count;
    const rt_text *images = rt_bundle_images(bundle, &arena, &image_count);
    RT_TRACE(manager->trace, BUNDLE_GET, RT_N("bundle", bundle->id),
             RT_T("state", rt_text_of(rt_bundle_state_name(bundle->state))),
             RT_TS("images", images, image_count), RT_N("device", request->device->id),
             RT_N("context", request->context));
    rt_arena_reset(&arena);
    return RT_STATUS_OK;
}
