/* Turns the events of a system into registered images, device_globals and trace events. */
#include "reference/module/loader.h"

#include "reference/base/handover.h"
#include "reference/base/lock.h"

#include <string.h>

/* Invariants between two operations: a module has registered images or device_globals only while it
 * is loaded; the registry contains those images and the ones that were loaded one by one. */
static bool loader_check(const rt_loader *loader)
{
    const rt_registry *registry = loader->registry;
    uint32_t owned_count = loader->loaded_images.count, registered_count = 0;
    for (uint32_t id = 0; id < loader->module_count; id++) {
        const rt_module *module = &loader->modules[id];
        CHECK(!module->globals_after_images);
        CHECK_IMPLIES(module->registered_count > 0, module->loaded);
        for (uint32_t i = 0; i < module->registered_count; i++) {
            CHECK(module->first_image + i < registry->images.count);
            const rt_registered_image *entry = registry->images.items[module->first_image + i];
            CHECK(entry->registered && entry->module == id);
        }
        for (uint32_t i = 0; i < module->need_count; i++)
            CHECK(module->needs[i] < loader->module_count);
        owned_count += module->registered_count;
    }
    for (uint32_t i = 0; i < registry->images.count; i++)
        registered_count += registry->images.items[i]->registered;
    CHECK(registered_count >= owned_count); /* a registry may serve several loaders */
    return true;
}

static void lock(rt_loader *loader)
{
    rt_handover_point();
    rt_lock_take(&loader->lock);
    CHECK_SLOW(loader_check(loader));
}

static void unlock(rt_loader *loader)
{
    CHECK_SLOW(loader_check(loader));
    rt_lock_release(&loader->lock);
}

void rt_loader_init(rt_loader *loader, rt_sink *sink, rt_registry *registry,
                    const rt_module *modules, uint32_t module_count)
{
    CHECK(module_count >= 1);
    rt_simulated_module *table = rt_alloc_array(module_count, sizeof *table);
    for (uint32_t i = 0; i < module_count; i++) {
        CHECK(modules[i].open_count == 0 && !modules[i].loaded);
        table[i] = (rt_simulated_module){
            .needs = modules[i].needs,
            .need_count = modules[i].need_count,
            .host_symbols = modules[i].host_symbols,
            .host_symbol_count = modules[i].host_symbol_count,
            .images = modules[i].images,
        };
    }
    *loader = (rt_loader){
        .sink = sink,
        .trace = registry->trace,
        .registry = registry,
        .modules = rt_alloc_array(module_count, sizeof *modules),
        .module_count = module_count,
        .simulated = rt_simulated_create(table, module_count),
    };
    rt_free(table);
    rt_lock_init(&loader->lock);
    memcpy(loader->modules, modules, module_count * sizeof *modules);
    loader->system = rt_simulated_system(loader->simulated);
}

void rt_loader_observe_globals(rt_loader *loader, rt_global_observer observer, rt_chooser *chooser)
{
    CHECK(loader->registry->images.count == 0);
    loader->observer = observer;
    loader->chooser = chooser;
}

void rt_loader_use(rt_loader *loader, rt_system system)
{
    CHECK(loader->registry->images.count == 0);
    loader->system = system;
}

void rt_loader_describe(rt_loader *loader, rt_module_id module, rt_text name, rt_text path,
                        rt_device_global_list globals)
{
    CHECK(module < loader->module_count);
    lock(loader);
    rt_module *described = &loader->modules[module];
    CHECK(!described->loaded && described->open_count == 0);
    described->name = name;
    described->path = path;
    described->globals = globals;
    unlock(loader);
}

void rt_loader_free(rt_loader *loader)
{
    rt_simulated_destroy(loader->simulated);
    rt_free(loader->modules);
    rt_map_free(&loader->loaded_images);
    pthread_mutex_destroy(&loader->lock);
}

/* ---- Events -------------------------------------------------------------------------------- */

/* True if the module's state allows the event (the table in loader.h).  A system may be another
 * process, so it is not trusted. */
static bool event_is_possible(const rt_module *module, rt_system_event_kind kind)
{
    switch (kind) {
    case RT_SYSTEM_LOADED: return !module->loaded;
    case RT_SYSTEM_UNREGISTERED: return module->loaded;
    case RT_SYSTEM_REGISTERED:
    case RT_SYSTEM_UNLOADED: return module->loaded && module->registered_count == 0;
    }
    return false;
}

/* Registers all images of a module, however they came into its file (DL-REQ-06) and whenever it is
 * loaded (DL-DLOPEN-03). */
static void module_register(rt_loader *loader, rt_module_id id, rt_image_list images)
{
    rt_module *module = &loader->modules[id];
    CHECK(module->registered_count == 0);
    module->first_image = loader->registry->images.count;
    for (uint32_t i = 0; i < images.count; i++) {
        rt_image_id image = rt_registry_add(loader->registry, id, module->name, &images.images[i]);
        CHECK(image == module->first_image + i);
        module->registered_count++;
    }
    CHECK(module->registered_count <= images.count);
}

/* ---- device_globals ------------------------------------------------------------------------ */

/* Registers all variables, including those whose name another one hides (DG-FE-06, DG-FE-07). */
static void globals_register(rt_loader *loader, rt_module_id id)
{
    const rt_module *module = &loader->modules[id];
    CHECK(module->loaded);
    for (uint32_t i = 0; i < RULE(DG_FE_04, module->globals.count); i++) {
        const rt_device_global *global = &module->globals.globals[i];
        RT_TRACE(loader->trace, DEVICE_GLOBAL_REGISTER, RT_T("module", module->name),
                 RT_T("variable", global->name), RT_T("id", global->unique_id),
                 RT_N("size", global->size), RT_N("image_scope", global->image_scope));
        if (loader->observer.registered)
            loader->observer.registered(loader->observer.user, id, global);
    }
}

/* True if the module's device_globals are to be registered after its images: the module's start-up
 * code registers both, in an unspecified order.  `next` is the event after LOADED. */
static bool choose_globals_after_images(rt_loader *loader, const rt_module *module,
                                        const rt_system_event *next)
{
    bool is_open = module->globals.count > 0 && next && next->kind == RT_SYSTEM_REGISTERED &&
                   &loader->modules[next->module] == module;
    if (!is_open || !loader->chooser) return false;
    uint32_t choice = rt_choose(loader->chooser, RT_RULE_DG_FE_04, 2);
    RT_TRACE(loader->trace, CHOICE, RT_T("rule", rt_text_of(rt_rule_name(RT_RULE_DG_FE_04))),
             RT_N("of", 2), RT_N("taken", choice));
    return choice == 1;
}

/* ---- Applying events ----------------------------------------------------------------------- */

/* Applies an event; `next` is the event after it, NULL if there is none. */
static void event_apply(rt_loader *loader, const rt_system_event *event,
                        const rt_system_event *next)
{
    rt_module *module = &loader->modules[event->module];
    switch (event->kind) {
    case RT_SYSTEM_LOADED:
        module->loaded = true;
        RT_TRACE(loader->trace, MODULE_LOAD, RT_T("module", module->name),
                 RT_T("path", module->path));
        module->globals_after_images = choose_globals_after_images(loader, module, next);
        if (!module->globals_after_images) globals_register(loader, event->module);
        return;
    case RT_SYSTEM_REGISTERED:
        RULE(DL_REQ_02, module_register(loader, event->module, event->images));
        if (module->globals_after_images) globals_register(loader, event->module);
        module->globals_after_images = false;
        return;
    case RT_SYSTEM_UNREGISTERED:
        for (uint32_t i = module->registered_count; i-- > 0;)
            rt_registry_remove(loader->registry, module->first_image + i);
        module->registered_count = 0;
        return;
    case RT_SYSTEM_UNLOADED:
        CHECK(module->registered_count == 0 && !module->globals_after_images);
        for (uint32_t i = module->globals.count; i-- > 0;)
            if (loader->observer.unregistered)
                loader->observer.unregistered(loader->observer.user, event->module,
                                              &module->globals.globals[i]);
        module->loaded = false;
        RT_TRACE(loader->trace, MODULE_UNLOAD, RT_T("module", module->name));
        return;
    }
    UNREACHABLE();
}

/* Applies the events and frees them.  A failure of the system takes precedence over an impossible
 * event. */
static rt_status events_apply(rt_loader *loader, rt_system_events *events, rt_status status)
{
    for (uint32_t i = 0; i < events->count; i++) {
        const rt_system_event *event = &events->items[i];
        CHECK(event->module < loader->module_count);
        const rt_module *module = &loader->modules[event->module];
        if (event_is_possible(module, event->kind)) {
            event_apply(loader, event, i + 1 < events->count ? event + 1 : NULL);
        } else if (rt_ok(status)) {
            status = rt_fail(loader->sink, RT_MALFORMED, RT_RULE_NONE,
                             "the loader reports an impossible event for module '%.*s', which is "
                             "%sloaded and has %u registered images",
                             RT_TEXT_ARG(module->name), module->loaded ? "" : "not ",
                             module->registered_count);
        }
    }
    rt_vector_free(events);
    return status;
}

/* ---- Start, dlopen, dlclose ---------------------------------------------------------------- */

rt_status rt_loader_start(rt_loader *loader, rt_module_id executable, const rt_module_id *preloaded,
                          uint32_t preloaded_count)
{
    CHECK(executable < loader->module_count);
    rt_lock_take(&loader->lock);
    CHECK_SLOW(loader_check(loader));
    for (uint32_t i = 0; i < preloaded_count; i++)
        loader->modules[preloaded[i]].preloaded = true;
    rt_system_events events = {0};
    rt_status status = loader->system.operations->start(loader->system.state, executable, preloaded,
                                                        preloaded_count, &events);
    status = events_apply(loader, &events, status);
    unlock(loader);
    return status;
}

rt_status rt_loader_open(rt_loader *loader, rt_module_id module)
{
    CHECK(module < loader->module_count);
    lock(loader);
    rt_system_events events = {0};
    rt_status status = loader->system.operations->open(loader->system.state, module, &events);
    if (rt_ok(status)) loader->modules[module].open_count++;
    status = events_apply(loader, &events, status);
    unlock(loader);
    return status;
}

rt_status rt_loader_close(rt_loader *loader, rt_module_id module)
{
    CHECK(module < loader->module_count);
    rt_status status;
    lock(loader);
    rt_module *closed = &loader->modules[module];
    if (closed->open_count == 0) {
        status = rt_fail(loader->sink, RT_ERRC_INVALID, RT_RULE_NONE,
                         "module '%.*s' cannot be unloaded: it is not open; load it before each "
                         "unload",
                         RT_TEXT_ARG(closed->name));
    } else {
        rt_system_events events = {0};
        closed->open_count--;
        status = loader->system.operations->close(loader->system.state, module, &events);
        status = events_apply(loader, &events, status);
    }
    unlock(loader);
    return status;
}

rt_status rt_loader_binds(rt_loader *loader, rt_module_id from, rt_text symbol,
                          rt_module_id *out_module)
{
    CHECK(from < loader->module_count);
    *out_module = RT_MODULE_NONE;
    rt_status status = RT_STATUS_OK;
    rt_lock_take(&loader->lock);
    if (loader->modules[from].loaded)
        status = loader->system.operations->binds(loader->system.state, from, symbol, out_module);
    rt_lock_release(&loader->lock);
    return status;
}

/* ---- Images loaded one by one -------------------------------------------------------------- */

rt_status rt_loader_image_load(rt_loader *loader, rt_module_id module, const rt_image *image)
{
    CHECK(module < loader->module_count);
    rt_status status = RT_STATUS_OK;
    lock(loader);
    const rt_module *owner = &loader->modules[module];
    bool is_known = rt_map_find_number(&loader->loaded_images, (uintptr_t)image) != RT_MAP_NONE;
    /* Compares by name, since a registered image may be a different object, read from the module's
     * file. */
    for (uint32_t i = 0; i < owner->registered_count && !is_known; i++) {
        const rt_registered_image *entry = loader->registry->images.items[owner->first_image + i];
        is_known = rt_text_equal(entry->image->name, image->name);
    }
    if (is_known) {
        status = rt_fail_naming(loader->sink, RT_ERRC_INVALID, RT_RULE_NONE, &image->name, 1,
                                "image %.*s cannot be loaded: it has already been loaded",
                                RT_TEXT_ARG(image->name));
    } else {
        rt_map_set_number(&loader->loaded_images, (uintptr_t)image, 1);
        RT_TRACE(loader->trace, IMAGE_LOAD, RT_T("image", image->name),
                 RT_T("module", owner->name));
        RULE(DL_DLOPEN_01, rt_registry_add(loader->registry, module, owner->name, image));
    }
    unlock(loader);
    return status;
}
