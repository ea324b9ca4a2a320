/* Building: creates program objects from images, which the device's linker joins.
 *
 *   a self-contained image     dev_program_build, no linker involved (DL-RESOLVE-01)
 *   every other link set       dev_program_compile for each image (DL-LINK-01), then
 *                              dev_program_link for all of them (DL-LINK-02), if the device
 *                              advertises that it links their format (DL-BACKEND-01 to
 *                              DL-BACKEND-06) */
#include "reference/program/declared_sets.h"
#include "reference/program/program_internal.h"

/* Creates a program object from one image, either for linking or as an executable. */
static rt_status create_object(rt_program_manager *manager, const rt_build_target *target,
                               const rt_link_set *set, uint32_t index, bool executable,
                               dev_program **out_object)
{
    CHECK(index < set->images.count);
    const rt_image *image = set->images.items[index]->image;
    CHECK((unsigned)image->format < RT_FORMAT_COUNT);
    rt_arena arena = {0};
    /* Shipped DPC++ uses the first image's options for all images (requirements.yaml, key dpcpp,
     * tag A38). */
    bool first_for_all = manager->profile == RT_PROFILE_DPCPP;
    rt_text image_options = (first_for_all ? set->images.items[0]->image : image)->compile_options;
    rt_text options = rt_program_options_join(&arena, image_options, target->options);
    dev_spec_constant *constants = NULL;
    uint32_t constant_count = rt_spec_list_of_image(&arena, target->constants, image, &constants);
    /* The device gets exactly the registered bytes (DL-LINK-03). */
    dev_code code = {image->format, image->code, options, constants, constant_count};
    code.image = image->name;
    rt_declared_sets_of_image(&arena, image, &code);
    /* Code that was compiled ahead of time is only loaded. */
    bool compiled = RULE(DL_LINK_04, !rt_format_is_native(image->format));
    RT_TRACE(manager->trace, CREATE, RT_T("image", image->name),
             RT_T("executable", executable ? RT_TEXT("true") : RT_TEXT("false")),
             RT_T("compiled", compiled ? RT_TEXT("true") : RT_TEXT("false")));
    dev_device *device = target->device->device;
    rt_status status = executable ? dev_program_build(device, &code, out_object)
                                  : dev_program_compile(device, &code, out_object);
    CHECK_IMPLIES(rt_ok(status), *out_object);
    rt_arena_reset(&arena);
    return status;
}

/* Links the objects, which were created from the images of `set`. */
static rt_status link_objects(rt_program_manager *manager, const rt_build_target *target,
                              uint32_t program_id, const rt_link_set *set,
                              dev_program *const *objects, rt_text options,
                              dev_program **out_executable)
{
    CHECK(set->images.count >= 1);
    rt_arena arena = {0};
    bool by_tool = target->device->capabilities.links_with_tool;
    RT_TRACE(manager->trace, LINK, RT_N("program", program_id),
             RT_TS("inputs", rt_program_image_names(&arena, set), set->images.count),
             RT_T("by", by_tool ? RT_TEXT("tool") : RT_TEXT("driver")));
    rt_arena_reset(&arena);
    return dev_program_link(target->device->device, objects, set->images.count, options,
                            out_executable);
}

rt_status rt_program_compile(rt_program_manager *manager, const rt_build_target *target,
                             const rt_link_set *set, uint32_t index, dev_program **out_object)
{
    CHECK(index < set->images.count);
    *out_object = NULL;
    return create_object(manager, target, set, index, false, out_object);
}

/* Refuses a set of several images if the device does not link the format of one of them.  Only an
 * application can combine formats.  A device that links each of them is given the mixture, and may
 * still refuse it (DL-LINK-06). */
static rt_status check_formats(rt_program_manager *manager, const rt_device *device,
                               const rt_link_set *set)
{
    CHECK(set->images.count >= 1);
    if (set->images.count == 1) return RT_STATUS_OK;
    const rt_image *first = set->images.items[0]->image, *unlinkable = NULL;
    for (uint32_t i = 0; i < set->images.count && !unlinkable; i++) {
        const rt_image *image = set->images.items[i]->image;
        if (RULE(DL_BACKEND_06, !rt_device_links(device, image->format, manager->profile)))
            unlinkable = image;
    }
    if (!unlinkable) return RT_STATUS_OK;
    bool is_mixed = unlinkable->format != first->format;
    rt_text example = is_mixed ? unlinkable->name : (rt_text){0};
    return rt_fail(manager->sink, RT_ERRC_FEATURE_NOT_SUPPORTED, RT_RULE_DL_BACKEND_06,
                   "image %.*s must be linked with %u other images, but device %.*s does not link "
                   "programs of format %s (it lacks the extension %s)%s%.*s",
                   RT_TEXT_ARG(first->name), set->images.count - 1, RT_TEXT_ARG(device->name),
                   rt_format_name(unlinkable->format), rt_format_link_extension(unlinkable->format),
                   is_mixed ? ", the format of image " : "", RT_TEXT_ARG(example));
}

rt_status rt_program_link(rt_program_manager *manager, const rt_build_target *target,
                          uint32_t program_id, const rt_link_set *set, dev_program *const *objects,
                          rt_text options, dev_program **out_executable)
{
    *out_executable = NULL;
    RT_TRY(check_formats(manager, target->device, set));
    return link_objects(manager, target, program_id, set, objects, options, out_executable);
}

rt_status rt_program_build(rt_program_manager *manager, const rt_build_target *target,
                           uint32_t program_id, const rt_link_set *set,
                           dev_program **out_executable)
{
    CHECK(set->images.count >= 1);
    *out_executable = NULL;
    /* A self-contained image: no linker is involved (DL-RESOLVE-01). */
    bool alone = !set->searched;
    CHECK_IMPLIES(alone, set->images.count == 1);
    /* Shipped DPC++ never invokes the linker for a single image, even if it has imports
     * (requirements.yaml, key dpcpp, tag A32). */
    if (manager->profile == RT_PROFILE_DPCPP && set->images.count == 1) alone = true;
    if (alone) return create_object(manager, target, set, 0, true, out_executable);
    RT_TRY(check_formats(manager, target->device, set));
    dev_program **objects = rt_alloc_array(set->images.count, sizeof(dev_program *));
    uint32_t object_count = 0;
    rt_status status = RT_STATUS_OK;
    for (uint32_t i = 0; i < set->images.count && rt_ok(status); i++) {
        status = create_object(manager, target, set, i, false, &objects[object_count]);
        object_count += rt_ok(status);
    }
    CHECK(object_count <= set->images.count);
    /* The device resolves the symbols; the runtime does not inspect the code (DL-LINK-03). */
    if (rt_ok(status))
        status = link_objects(manager, target, program_id, set, objects,
                              set->images.items[0]->image->link_options, out_executable);
    for (uint32_t i = 0; i < object_count; i++)
        dev_program_destroy(objects[i]);
    rt_free(objects);
    return status;
}
