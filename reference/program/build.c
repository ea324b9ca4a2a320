/* Building: program objects from images, joined by the device's linker. */
#include "reference/program/program_internal.h"

static rt_status refuse_link(rt_program_manager *manager, const rt_device *device,
                             const rt_link_set *set)
{
    rt_format format = set->images.items[0]->image->format;
    return rt_fail(manager->sink, RT_ERRC_FEATURE_NOT_SUPPORTED, RT_RULE_DL_BACKEND_06,
                   "image %.*s needs %u other images, and device %.*s does not link programs of "
                   "format %s (it lacks the extension %s)",
                   RT_TEXT_ARG(set->images.items[0]->image->name), set->images.count - 1,
                   RT_TEXT_ARG(device->name), rt_format_name(format),
                   rt_format_link_extension(format));
}

static void trace_create(rt_program_manager *manager, const rt_image *image, bool executable)
{
    RT_TRACE(manager->trace, CREATE, RT_T("image", image->name),
             RT_T("executable", executable ? RT_TEXT("true") : RT_TEXT("false")));
}

/* A self-contained image: no linker is involved (DL-RESOLVE-01). */
static rt_status build_alone(rt_program_manager *manager, const rt_device *device,
                             const rt_image *image, dev_program **out_executable)
{
    trace_create(manager, image, true);
    return dev_program_build(device->device, image->format, image->code, image->compile_options,
                             out_executable);
}

static void trace_link(rt_program_manager *manager, const rt_device *device, uint32_t program_id,
                       const rt_link_set *set)
{
    rt_text *names = rt_alloc_array(set->images.count, sizeof *names);
    for (uint32_t i = 0; i < set->images.count; i++)
        names[i] = set->images.items[i]->image->name;
    bool by_tool = device->capabilities.links_with_tool;
    RT_TRACE(manager->trace, LINK, RT_N("program", program_id),
             RT_TS("inputs", names, set->images.count),
             RT_T("by", by_tool ? RT_TEXT("tool") : RT_TEXT("driver")));
    rt_free(names);
}

static rt_status build_linked(rt_program_manager *manager, const rt_device *device,
                              uint32_t program_id, const rt_link_set *set,
                              dev_program **out_executable)
{
    dev_program **objects = rt_alloc_array(set->images.count, sizeof(dev_program *));
    uint32_t object_count = 0;
    rt_status status = RT_STATUS_OK;
    for (uint32_t i = 0; i < set->images.count && rt_ok(status); i++) {
        if (i > 0 && !RULE(DL_LINK_01)) break; /* Broken: no program for the images found. */
        const rt_image *image = set->images.items[i]->image;
        trace_create(manager, image, false);
        status = dev_program_compile(device->device, image->format, image->code,
                                     image->compile_options, &objects[object_count]);
        object_count += rt_ok(status);
    }
    if (rt_ok(status)) {
        trace_link(manager, device, program_id, set);
        /* The device joins the symbols; nothing here looks into the code (DL-LINK-03). */
        uint32_t input_count = RULE_ELSE(DL_LINK_02, object_count, 1);
        status = dev_program_link(device->device, objects, input_count,
                                  set->images.items[0]->image->link_options, out_executable);
    }
    for (uint32_t i = 0; i < object_count; i++)
        dev_program_destroy(objects[i]);
    rt_free(objects);
    return status;
}

rt_status rt_program_build(rt_program_manager *manager, const rt_device *device,
                           uint32_t program_id, const rt_link_set *set,
                           dev_program **out_executable)
{
    CHECK(set->images.count >= 1);
    *out_executable = NULL;
    const rt_image *requesting = set->images.items[0]->image;
    if (!set->searched) return build_alone(manager, device, requesting, out_executable);
    bool can_link = dev_capabilities_link(&device->capabilities, requesting->format);
    if (set->images.count > 1 && !can_link && RULE(DL_BACKEND_06)) {
        return refuse_link(manager, device, set);
    }
    return build_linked(manager, device, program_id, set, out_executable);
}
