/* Finds the program that contains a variable, or builds one from an image that has it. */
#include "reference/program/global_program.h"

#include "reference/base/handover.h"
#include "reference/image/device_global.h"
#include "reference/program/program_internal.h"

/* True if the image's property set has the variable. */
static bool has_global(const rt_image *image, rt_text unique_id)
{
    return rt_property_set_has(rt_image_set(image, RT_SET_DEVICE_GLOBALS), unique_id);
}

/* A program contains the variables of all images that were linked into it. */
static bool contains(const rt_program *program, rt_text unique_id)
{
    for (uint32_t i = 0; i < RULE(DG_SCOPE_09, program->image_count); i++) {
        if (has_global(program->images[i]->image, unique_id)) return true;
    }
    return false;
}

/* Finds the one program that contains the variable and adds a reference to it; NULL if there is
 * none. */
static rt_status find_program(rt_program_manager *manager, const rt_build_target *target,
                              rt_text unique_id, rt_program **out_program)
{
    rt_program *found = NULL, *other = NULL;
    for (uint32_t i = 0; i < manager->index.programs.count; i++) {
        rt_program *program = manager->index.programs.items[i];
        if (!program || program->lost_image) continue;
        if (program->device != target->device || program->context != target->context) continue;
        if (!contains(program, unique_id)) continue;
        if (found)
            other = program;
        else
            found = program;
    }
    if (RULE(DG_SCOPE_05, other)) {
        return rt_fail_naming(
            manager->sink, RT_ERRC_INVALID, RT_RULE_DG_SCOPE_05, &unique_id, 1,
            "the device_global '%.*s' has image scope and is contained in several programs "
            "on device %.*s (%u and %u), so it is unclear which one a copy refers to",
            RT_TEXT_ARG(unique_id), RT_TEXT_ARG(target->device->name), found->id, other->id);
    }
    CHECK_IMPLIES(found, found->references >= 1 && !found->lost_image);
    if (found) found->references++;
    *out_program = found;
    return RT_STATUS_OK;
}

/* Finds the one image that has the variable and that the device can run; NULL if no image has the
 * variable. */
static rt_status find_image(rt_program_manager *manager, const rt_device *device, rt_text unique_id,
                            const rt_registered_image **out_image)
{
    bool elsewhere = false;
    *out_image = NULL;
    for (uint32_t i = 0; i < manager->tables.images.count; i++) {
        const rt_registered_image *image = manager->tables.images.items[i];
        if (!image || !has_global(image->image, unique_id)) continue;
        if (!rt_program_runs(device, image->image)) {
            elsewhere = true;
        } else if (!*out_image) {
            *out_image = image;
        } else if (RULE(DG_SCOPE_06, image->image->format == (*out_image)->image->format)) {
            return rt_fail_naming(manager->sink, RT_ERRC_INVALID, RT_RULE_DG_SCOPE_06, &unique_id,
                                  1,
                                  "the device_global '%.*s' has image scope and is in the images "
                                  "%.*s and %.*s, so it is unclear which one a copy refers to",
                                  RT_TEXT_ARG(unique_id), RT_TEXT_ARG((*out_image)->image->name),
                                  RT_TEXT_ARG(image->image->name));
        }
    }
    if (*out_image || !elsewhere) return RT_STATUS_OK;
    return rt_fail_naming(manager->sink, RT_ERRC_KERNEL_NOT_SUPPORTED, RT_RULE_NONE, &unique_id, 1,
                          "the device_global '%.*s' is only in images that device %.*s cannot run",
                          RT_TEXT_ARG(unique_id), RT_TEXT_ARG(device->name));
}

bool rt_program_manager_has_global(rt_program_manager *manager, rt_text unique_id)
{
    bool found = false;
    rt_program_manager_lock(manager);
    for (uint32_t i = 0; i < manager->tables.images.count && !found; i++) {
        const rt_registered_image *image = manager->tables.images.items[i];
        found = image && has_global(image->image, unique_id);
    }
    rt_program_manager_unlock(manager);
    return found;
}

/* Finds the program that contains the variable, or builds it.  Called with the lock held. */
static rt_status find_or_make(rt_program_manager *manager, const rt_build_target *target,
                              rt_text unique_id, bool existing, rt_program **out_program)
{
    for (;;) {
        RT_TRY(RULE(DG_SCOPE_03, find_program(manager, target, unique_id, out_program)));
        if (*out_program || existing) return RT_STATUS_OK;
        const rt_registered_image *image = NULL;
        RT_TRY(find_image(manager, target->device, unique_id, &image));
        if (RULE(DG_SCOPE_04, !image)) return RT_STATUS_OK;
        RT_TRY(rt_program_of_image(manager, target, image, out_program));
        if (*out_program) return RT_STATUS_OK;
    }
}

rt_status rt_program_manager_global(rt_program_manager *manager, const rt_device *device,
                                    rt_context_id context, rt_text unique_id, bool existing,
                                    rt_program **out_program)
{
    *out_program = NULL;
    const rt_build_target target = {.device = device, .context = context};
    rt_handover_point();
    rt_program_manager_lock(manager);
    rt_status status = find_or_make(manager, &target, unique_id, existing, out_program);
    rt_program_manager_unlock(manager);
    CHECK_IMPLIES(!rt_ok(status), !*out_program);
    CHECK_IMPLIES(*out_program,
                  (*out_program)->device == device && (*out_program)->context == context);
    return status;
}
