/* Selects the image for a kernel's name, or explains why there is none. */
#include "reference/program/program_internal.h"

#include "reference/base/nearest.h"

/* The module, loaded or not, that contains the kernel; NULL if there is none. */
static const rt_module *module_with_kernel(const rt_loader *loader, rt_text kernel_name)
{
    for (uint32_t m = 0; m < loader->module_count; m++) {
        const rt_module *module = &loader->modules[m];
        for (uint32_t i = 0; i < module->images.count; i++) {
            if (rt_image_kernel(&module->images.images[i], kernel_name) != RT_KERNEL_NONE)
                return module;
        }
    }
    return NULL;
}

static rt_status refuse_kernel(rt_program_manager *manager, rt_text kernel_name)
{
    rt_buffer hint = {0};
    const rt_module *module = module_with_kernel(manager->loader, kernel_name);
    if (module) {
        rt_buffer_printf(&hint, "; module '%.*s' has it but is not loaded",
                         RT_TEXT_ARG(module->name));
    } else {
        /* The name may be mistyped, so suggest the nearest registered one. */
        rt_nearest nearest = rt_nearest_to(kernel_name);
        for (uint32_t i = 0; i < manager->tables.images.count; i++) {
            const rt_registered_image *image = manager->tables.images.items[i];
            for (uint32_t k = 0; image && k < image->image->kernel_count; k++)
                rt_nearest_offer(&nearest, image->image->kernels[k]);
        }
        (void)rt_nearest_suggest(&nearest, &hint);
    }
    rt_status status = rt_fail_naming(manager->sink, RT_ERRC_RUNTIME, RT_RULE_NONE, &kernel_name, 1,
                                      "no registered image has a kernel named '%.*s'%s",
                                      RT_TEXT_ARG(kernel_name), rt_buffer_string(&hint));
    rt_buffer_free(&hint);
    return status;
}

/* Refuses a kernel if the device cannot run any of its images. */
static rt_status refuse_images(rt_program_manager *manager, const rt_device *device,
                               rt_text kernel_name, const rt_image_group *group, rt_code code)
{
    for (uint32_t i = 0; i < group->images.count; i++) {
        const rt_image *image = group->images.items[i]->image;
        rt_buffer lack = {0};
        bool accepts_format = device->capabilities.formats_taken & (1u << image->format);
        if (!accepts_format || rt_device_meets(device, image, &lack)) continue;
        rt_status status =
            rt_fail_naming(manager->sink, code, RT_RULE_NONE, &kernel_name, 1,
                           "kernel '%.*s' of image %.*s cannot run: %s", RT_TEXT_ARG(kernel_name),
                           RT_TEXT_ARG(image->name), rt_buffer_string(&lack));
        rt_buffer_free(&lack);
        return status;
    }
    return rt_fail_naming(manager->sink, code, RT_RULE_NONE, &kernel_name, 1,
                          "kernel '%.*s' exists only in formats that device %.*s does not accept",
                          RT_TEXT_ARG(kernel_name), RT_TEXT_ARG(device->name));
}

rt_status rt_program_refuse_kernel(rt_program_manager *manager, const rt_device *device,
                                   rt_text kernel_name, rt_code code)
{
    const rt_image_group *group = rt_program_tables_kernel(&manager->tables, kernel_name);
    if (group->images.count == 0) return refuse_kernel(manager, kernel_name);
    return refuse_images(manager, device, kernel_name, group, code);
}

bool rt_program_runs(const rt_device *device, const rt_image *image)
{
    CHECK((unsigned)image->format < RT_FORMAT_COUNT);
    bool accepts_format = device->capabilities.formats_taken & (1u << image->format);
    return accepts_format && rt_device_meets(device, image, NULL);
}

rt_status rt_program_refuse_module(rt_program_manager *manager, const rt_kernel_request *request)
{
    CHECK(request->has_module && request->module < manager->loader->module_count);
    rt_text module_name = manager->loader->modules[request->module].name;
    return rt_fail_naming(manager->sink, RT_ERRC_RUNTIME, RT_RULE_NONE, &request->kernel, 1,
                          "no registered image of module '%.*s' has a kernel named '%.*s', nor is "
                          "it in a program that was linked for the module; other modules have it",
                          RT_TEXT_ARG(module_name), RT_TEXT_ARG(request->kernel));
}

/* All images of a combination have the same kernels. */
static bool set_has_kernel(const rt_program_tables *tables, rt_set_id set, rt_text kernel)
{
    const rt_image_group *group = rt_program_tables_set(tables, set);
    CHECK(group->images.count > 0);
    return rt_image_kernel(group->images.items[0]->image, kernel) != RT_KERNEL_NONE;
}

rt_status rt_program_select(rt_program_manager *manager, const rt_kernel_request *request,
                            const rt_registered_image **out_image)
{
    *out_image = NULL;
    const rt_program_tables *tables = &manager->tables;
    /* If the request names a module that has the kernel, the image is chosen from those of the
     * combination to which the module's kernel belongs; otherwise from all images that have it. */
    rt_set_id set = RT_SET_NONE;
    if (request->has_module)
        set = rt_program_tables_symbol(tables, request->module, request->kernel);
    /* The module may export a function that has the name of another module's kernel. */
    if (set != RT_SET_NONE && !set_has_kernel(tables, set, request->kernel)) set = RT_SET_NONE;
    const rt_image_group *group = set == RT_SET_NONE
                                      ? rt_program_tables_kernel(tables, request->kernel)
                                      : rt_program_tables_set(tables, set);
    if (group->images.count == 0) return refuse_kernel(manager, request->kernel);
    bool in_module = request->has_module && rt_image_group_has_module(group, request->module);
    for (uint32_t i = 0; i < group->images.count; i++) {
        const rt_registered_image *image = group->images.items[i];
        CHECK(rt_program_tables_hold(tables, image));
        if (in_module && RULE(DL_CACHE_14, image->module != request->module)) continue;
        if (RULE(VF_ASPECT_05, !rt_program_runs(request->device, image->image))) continue;
        if (!*out_image) *out_image = image;
        /* Code that was compiled ahead of time keeps the defaults of its constants: a launch that
         * sets constants prefers an image in which they can still be set. */
        if (request->constant_count > 0 && image->image->format != RT_FORMAT_SPIRV64) continue;
        *out_image = image;
        return RT_STATUS_OK;
    }
    if (*out_image) return RT_STATUS_OK;
    return refuse_images(manager, request->device, request->kernel, group,
                         RT_ERRC_KERNEL_NOT_SUPPORTED);
}
