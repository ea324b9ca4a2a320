/* Registration of device images. */
#include "reference/module/registry.h"

/* Invariants: ids are indices, and every entry has an image. */
static bool registry_check(const rt_registry *registry)
{
    CHECK(registry->trace);
    for (uint32_t i = 0; i < registry->images.count; i++) {
        const rt_registered_image *entry = registry->images.items[i];
        CHECK(entry->id == i);
        CHECK(entry->image && (unsigned)entry->image->format < RT_FORMAT_COUNT);
    }
    return true;
}

void rt_registry_init(rt_registry *registry, rt_trace *trace)
{
    *registry = (rt_registry){.trace = trace};
}

void rt_registry_free(rt_registry *registry)
{
    for (uint32_t i = 0; i < registry->images.count; i++)
        rt_free(registry->images.items[i]);
    rt_vector_free(&registry->images);
}

rt_image_id rt_registry_add(rt_registry *registry, rt_module_id module, rt_text module_name,
                            const rt_image *image)
{
    CHECK_SLOW(registry_check(registry));
    CHECK(image && (unsigned)image->format < RT_FORMAT_COUNT);
    rt_registered_image *entry = rt_alloc(sizeof *entry);
    *entry = (rt_registered_image){
        .id = registry->images.count,
        .module = module,
        .module_name = module_name,
        .image = image,
        .registered = true,
    };
    *rt_vector_push(&registry->images) = entry;
    RT_TRACE(registry->trace, IMAGE_REGISTER, RT_T("image", image->name),
             RT_T("module", module_name),
             RT_T("format", rt_text_of(rt_format_name(image->format))));
    if (registry->observer.registered) {
        registry->observer.registered(registry->observer.user, entry);
    }
    CHECK(registry->images.items[entry->id] == entry && entry->registered);
    CHECK_SLOW(registry_check(registry));
    return entry->id;
}

void rt_registry_remove(rt_registry *registry, rt_image_id id)
{
    CHECK_SLOW(registry_check(registry));
    CHECK(id < registry->images.count);
    rt_registered_image *entry = registry->images.items[id];
    CHECK(entry->registered && entry->id == id);
    RT_TRACE(registry->trace, IMAGE_UNREGISTER, RT_T("image", entry->image->name),
             RT_T("module", entry->module_name));
    if (registry->observer.unregistered) {
        registry->observer.unregistered(registry->observer.user, entry);
    }
    entry->registered = false;
}
