/* Turns an image created at run time into a bundle from which its kernels can be launched. */
#include "reference/program/injected.h"

#include "reference/program/bundle_internal.h"

rt_status rt_bundle_inject(rt_program_manager *manager, const rt_device *device,
                           rt_context_id context, const rt_image *image, rt_bundle **out_bundle)
{
    *out_bundle = NULL;
    const dev_code code = {.format = image->format,
                           .bytes = image->code,
                           .options = image->compile_options,
                           .image = image->name};
    rt_hash_text hash = rt_hash_print(rt_hash128(image->code.data, image->code.size));
    RT_TRACE(manager->trace, INJECT, RT_T("image", image->name),
             RT_T("code", rt_text_of(hash.digits)));
    RT_TRACE(manager->trace, CREATE, RT_T("image", image->name),
             RT_T("executable", RT_TEXT("true")), RT_T("compiled", RT_TEXT("true")));
    dev_program *executable = NULL;
    RT_TRY(dev_program_build(device->device, &code, &executable));
    rt_bundle *bundle = rt_bundle_create(manager, RT_BUNDLE_EXECUTABLE, context, device);
    uint32_t id = rt_bundle_program_id(manager);
    const rt_build_target target = {.device = device, .context = context};
    const rt_link_set no_images = {0};
    rt_bundle_unit *unit = rt_bundle_unit_add(bundle, device);
    CHECK(bundle->units.count == 1 && bundle->state == RT_BUNDLE_EXECUTABLE);
    rt_program_manager_lock(manager);
    unit->program = rt_program_create(manager, &target, id, &no_images, image, executable);
    rt_program_manager_unlock(manager);
    RT_TRACE(manager->trace, BUILD, RT_N("program", id), RT_TS("images", &image->name, 1),
             RT_N("device", device->id), RT_N("context", context), RT_TS("constants", NULL, 0));
    return rt_bundle_finish(manager, bundle, RT_STATUS_OK, out_bundle);
}
