/* Images made from lists of names. */
#include "reference/program/test/fixture.h"

#include <string.h>

static uint32_t split_names(rt_arena *arena, const char *list, rt_text **out_names)
{
    uint32_t count = 0;
    *out_names = rt_arena_alloc_array(arena, 16, sizeof **out_names);
    for (const char *at = list ? list : ""; *at;) {
        size_t length = strcspn(at, " ");
        CHECK(count < 16);
        (*out_names)[count++] = (rt_text){at, length};
        at += length;
        at += strspn(at, " ");
    }
    return count;
}

static rt_property_set symbol_set(rt_arena *arena, rt_text set_name, const char *list)
{
    rt_text *names;
    uint32_t count = split_names(arena, list, &names);
    rt_property *properties = rt_arena_alloc_array(arena, count, sizeof *properties);
    for (uint32_t i = 0; i < count; i++) {
        properties[i] = (rt_property){.name = names[i], .type = RT_PROPERTY_UINT32, .number = 1};
    }
    return (rt_property_set){set_name, properties, count};
}

static rt_image_list image_of(rt_arena *arena, const fixture_module *module)
{
    rt_image *image = rt_arena_alloc(arena, sizeof *image);
    rt_property_set *sets = rt_arena_alloc_array(arena, 2, sizeof *sets);
    rt_text *kernels;
    sets[0] = symbol_set(arena, RT_TEXT(RT_SET_IMPORTED_SYMBOLS), module->imports);
    sets[1] = symbol_set(arena, RT_TEXT(RT_SET_EXPORTED_SYMBOLS), module->exports);
    *image = (rt_image){
        .name = rt_arena_printf(arena, "%s/0", module->name),
        .format = module->format,
        .kernel_count = split_names(arena, module->kernels, &kernels),
        .sets = sets,
        .set_count = 2,
        .code = {(const uint8_t *)"code", 4},
    };
    image->kernels = kernels;
    rt_image_hash(image);
    return (rt_image_list){image, 1};
}

fixture *fixture_create(const fixture_module *modules, uint32_t module_count, const char *selector)
{
    fixture *f = rt_alloc(sizeof *f);
    f->sink = rt_sink_create();
    f->trace = rt_trace_create();
    rt_registry_init(&f->registry, f->trace);
    rt_module *table = rt_arena_alloc_array(&f->arena, module_count, sizeof *table);
    for (uint32_t i = 0; i < module_count; i++) {
        table[i] = (rt_module){.name = rt_text_of(modules[i].name),
                               .images = image_of(&f->arena, &modules[i])};
    }
    rt_loader_init(&f->loader, f->sink, &f->registry, table, module_count);
    f->manager =
        rt_program_manager_create(f->sink, f->trace, &f->chooser, &f->loader, &f->registry);
    dev_open_parameters parameters = {.sink = f->sink};
    rt_status status =
        dev_device_open(&counting_backend, &parameters, rt_text_of(selector), &f->device.device);
    CHECK(rt_ok(status));
    f->counting = (counting_device *)f->device.device;
    f->device.name = RT_TEXT("device");
    dev_device_capabilities(f->device.device, &f->device.capabilities);
    return f;
}

void fixture_destroy(fixture *f)
{
    rt_program_manager_destroy(f->manager);
    dev_device_destroy(f->device.device);
    rt_loader_free(&f->loader);
    rt_registry_free(&f->registry);
    rt_trace_destroy(f->trace);
    rt_sink_destroy(f->sink);
    rt_arena_reset(&f->arena);
    rt_free(f);
}

const rt_registered_image *fixture_image(fixture *f, const char *module)
{
    for (uint32_t i = f->registry.images.count; i-- > 0;) {
        const rt_registered_image *image = f->registry.images.items[i];
        if (image->registered && rt_text_is(image->module_name, module)) return image;
    }
    UNREACHABLE();
}

uint32_t fixture_count(fixture *f, rt_event_kind kind)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < rt_trace_count(f->trace); i++) {
        count += rt_trace_event(f->trace, i)->kind == kind;
    }
    return count;
}
