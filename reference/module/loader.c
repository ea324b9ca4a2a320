/* What loading and unloading mean: registered images and the trace. */
#include "reference/module/loader.h"

#include "reference/base/handover.h"

#include <string.h>

static rt_simulated *simulate(const rt_module *modules, uint32_t module_count)
{
    rt_simulated_module *table = rt_alloc_array(module_count, sizeof *table);
    for (uint32_t i = 0; i < module_count; i++) {
        table[i] = (rt_simulated_module){
            .needs = modules[i].needs,
            .need_count = modules[i].need_count,
            .host_symbols = modules[i].host_symbols,
            .host_symbol_count = modules[i].host_symbol_count,
            .images = modules[i].images,
        };
    }
    rt_simulated *simulated = rt_simulated_create(table, module_count);
    rt_free(table);
    return simulated;
}

void rt_loader_init(rt_loader *loader, rt_sink *sink, rt_registry *registry,
                    const rt_module *modules, uint32_t module_count)
{
    CHECK(module_count >= 1);
    *loader = (rt_loader){
        .sink = sink,
        .trace = registry->trace,
        .registry = registry,
        .modules = rt_alloc_array(module_count, sizeof *modules),
        .module_count = module_count,
        .simulated = simulate(modules, module_count),
    };
    pthread_mutex_init(&loader->lock, NULL);
    memcpy(loader->modules, modules, module_count * sizeof *modules);
    for (uint32_t i = 0; i < module_count; i++)
        CHECK(loader->modules[i].open_count == 0 && !loader->modules[i].loaded);
    loader->system = rt_simulated_system(loader->simulated);
}

void rt_loader_observe_globals(rt_loader *loader, rt_global_observer observer, rt_chooser *chooser)
{
    CHECK(!loader->started && loader->registry->images.count == 0);
    loader->observer = observer;
    loader->chooser = chooser;
}

void rt_loader_use(rt_loader *loader, rt_system system)
{
    CHECK(!loader->started && loader->registry->images.count == 0);
    loader->system = system;
}

void rt_loader_free(rt_loader *loader)
{
    rt_simulated_destroy(loader->simulated);
    rt_free(loader->modules);
    rt_map_free(&loader->loaded_images);
    pthread_mutex_destroy(&loader->lock);
}

/* ---- Events -------------------------------------------------------------------------------- */

/* Which events a module may have, by whether it is loaded and has registered; a system may be a
 * process, whose word is not taken. */
static bool event_can_be(const rt_module *module, rt_system_event_kind kind)
{
    switch (kind) {
    case RT_SYSTEM_LOADED: return !module->loaded;
    case RT_SYSTEM_REGISTERED: return module->loaded && module->registered_count == 0;
    case RT_SYSTEM_UNREGISTERED:
    case RT_SYSTEM_UNLOADED: return module->loaded;
    }
    return false;
}

/* How many of a module's images are accepted: all.  Broken: what stands behind an image with
 * kernels and has none itself was wrapped into the binary by hand, and is taken for a stray. */
static uint32_t count_accepted(rt_image_list images)
{
    bool has_kernels = false;
    for (uint32_t i = 0; i < images.count; i++) {
        bool none = images.images[i].kernel_count == 0;
        if (has_kernels && none && !RULE(DL_REQ_06)) return i;
        has_kernels = has_kernels || !none;
    }
    return images.count;
}

static void module_register(rt_loader *loader, rt_module_id id, rt_image_list images)
{
    rt_module *module = &loader->modules[id];
    bool registers = loader->started ? RULE(DL_DLOPEN_03) : RULE(DL_REQ_02);
    if (!registers) return;
    uint32_t count = count_accepted(images);
    module->first_image = loader->registry->images.count;
    for (uint32_t i = 0; i < count; i++) {
        rt_image_id image = rt_registry_add(loader->registry, id, module->name, &images.images[i]);
        CHECK(image == module->first_image + i);
    }
    module->registered_count = count;
}

static void module_unregister(rt_loader *loader, rt_module_id id)
{
    rt_module *module = &loader->modules[id];
    for (uint32_t i = module->registered_count; i-- > 0;)
        rt_registry_remove(loader->registry, module->first_image + i);
    module->registered_count = 0;
}

/* ---- device_globals ------------------------------------------------------------------------ */

/* For faults only: what qualified lookup finds by the name of a variable.  That is another one
 * where it is in an unnamed namespace and the module has one of that name outside. */
static const rt_device_global *looked_up(const rt_module *module, const rt_device_global *global)
{
    static const char unnamed[] = "(anonymous namespace)::";
    size_t length = sizeof unnamed - 1;
    if (!rt_text_starts(global->name, unnamed)) return global;
    rt_text name = {global->name.data + length, global->name.length - length};
    for (uint32_t i = 0; i < module->globals.count; i++) {
        if (rt_text_equal(module->globals.globals[i].name, name))
            return &module->globals.globals[i];
    }
    return global;
}

static void globals_register(rt_loader *loader, rt_module_id id)
{
    rt_module *module = &loader->modules[id];
    CHECK(module->loaded && !module->globals_registered);
    module->globals_registered = true;
    for (uint32_t i = 0; i < module->globals.count && RULE(DG_FE_04); i++) {
        const rt_device_global *own = &module->globals.globals[i];
        /* Broken: host code registers what the name means to it, which is another variable a second
         * time; or it leaves a hidden one out.  The rules are asked first, because only their
         * faults need the search. */
        const rt_device_global *global = RULE_ELSE(DG_FE_06, own, looked_up(module, own));
        if (!RULE(DG_FE_07) && looked_up(module, own) != own) continue;
        RT_TRACE(loader->trace, DEVICE_GLOBAL_REGISTER, RT_T("module", module->name),
                 RT_T("variable", global->name), RT_T("id", global->unique_id),
                 RT_N("size", global->size), RT_N("image_scope", global->image_scope));
        if (loader->observer.registered)
            loader->observer.registered(loader->observer.user, id, global);
    }
}

static void globals_take_back(rt_loader *loader, rt_module_id id)
{
    rt_module *module = &loader->modules[id];
    for (uint32_t i = module->globals.count; i-- > 0 && module->globals_registered;)
        if (loader->observer.gone)
            loader->observer.gone(loader->observer.user, id, &module->globals.globals[i]);
    module->globals_registered = false;
}

/* Host code that registers variables and host code that registers images are both start-up code of
 * a module, in an order that nothing says. */
static bool choose_behind(rt_loader *loader, const rt_module *module, const rt_system_event *next)
{
    bool both = module->globals.count > 0 && next && next->kind == RT_SYSTEM_REGISTERED &&
                &loader->modules[next->module] == module && next->images.count > 0;
    if (!both || !loader->chooser) return false;
    uint32_t taken = rt_choose(loader->chooser, RT_RULE_DG_FE_04, 2);
    RT_TRACE(loader->trace, CHOICE, RT_T("rule", rt_text_of(rt_rule_name(RT_RULE_DG_FE_04))),
             RT_N("of", 2), RT_N("taken", taken));
    return taken == 1;
}

/* ---- What a system tells ------------------------------------------------------------------- */

/* `next` is what it tells next; NULL: nothing. */
static void event_apply(rt_loader *loader, const rt_system_event *event,
                        const rt_system_event *next)
{
    rt_module *module = &loader->modules[event->module];
    switch (event->kind) {
    case RT_SYSTEM_LOADED:
        module->loaded = true;
        RT_TRACE(loader->trace, MODULE_LOAD, RT_T("module", module->name),
                 RT_T("path", module->path));
        module->globals_behind = choose_behind(loader, module, next);
        if (!module->globals_behind) globals_register(loader, event->module);
        return;
    case RT_SYSTEM_REGISTERED:
        module_register(loader, event->module, event->images);
        if (module->globals_behind) globals_register(loader, event->module);
        module->globals_behind = false;
        return;
    case RT_SYSTEM_UNREGISTERED: module_unregister(loader, event->module); return;
    case RT_SYSTEM_UNLOADED:
        CHECK(module->registered_count == 0 && !module->globals_behind);
        globals_take_back(loader, event->module);
        module->loaded = false;
        RT_TRACE(loader->trace, MODULE_UNLOAD, RT_T("module", module->name));
        return;
    }
    UNREACHABLE();
}

/* Applies what the system told and frees it; its own failure counts before a senseless event. */
static rt_status events_apply(rt_loader *loader, rt_system_events *events, rt_status status)
{
    for (uint32_t i = 0; i < events->count; i++) {
        const rt_system_event *event = &events->items[i];
        CHECK(event->module < loader->module_count);
        const rt_module *module = &loader->modules[event->module];
        bool can_be = event_can_be(module, event->kind);
        can_be = can_be && (event->kind != RT_SYSTEM_UNLOADED || module->registered_count == 0);
        if (can_be) {
            event_apply(loader, event, i + 1 < events->count ? event + 1 : NULL);
        } else if (rt_ok(status)) {
            status = rt_fail(loader->sink, RT_MALFORMED, RT_RULE_NONE,
                             "what the loader tells of module '%.*s' cannot be: it is %sloaded and "
                             "has %u images registered",
                             RT_TEXT_ARG(module->name), module->loaded ? "" : "not ",
                             module->registered_count);
        }
    }
    rt_vector_free(events);
    return status;
}

/* ---- Start, dlopen, dlclose --------------------------------------------------------------- */

rt_status rt_loader_start(rt_loader *loader, rt_module_id executable, const rt_module_id *preloaded,
                          uint32_t preloaded_count)
{
    CHECK(executable < loader->module_count);
    pthread_mutex_lock(&loader->lock);
    CHECK(!loader->started);
    for (uint32_t i = 0; i < preloaded_count; i++)
        loader->modules[preloaded[i]].preloaded = true;
    rt_system_events events = {0};
    rt_status status = loader->system.operations->start(loader->system.state, executable, preloaded,
                                                        preloaded_count, &events);
    status = events_apply(loader, &events, status);
    for (uint32_t i = 0; i < loader->module_count; i++)
        loader->modules[i].global = loader->modules[i].loaded;
    loader->started = true;
    pthread_mutex_unlock(&loader->lock);
    return status;
}

rt_status rt_loader_open(rt_loader *loader, rt_module_id module)
{
    CHECK(module < loader->module_count);
    rt_handover_point();
    pthread_mutex_lock(&loader->lock);
    rt_system_events events = {0};
    rt_status status = loader->system.operations->open(loader->system.state, module, &events);
    if (rt_ok(status)) loader->modules[module].open_count++;
    status = events_apply(loader, &events, status);
    pthread_mutex_unlock(&loader->lock);
    return status;
}

rt_status rt_loader_close(rt_loader *loader, rt_module_id module)
{
    CHECK(module < loader->module_count);
    rt_status status;
    rt_handover_point();
    pthread_mutex_lock(&loader->lock);
    rt_module *closed = &loader->modules[module];
    if (closed->open_count == 0) {
        status = rt_fail(loader->sink, RT_ERRC_INVALID, RT_RULE_NONE,
                         "module '%.*s' cannot be unloaded: it is not open (every unload needs a "
                         "load before it)",
                         RT_TEXT_ARG(closed->name));
    } else {
        rt_system_events events = {0};
        closed->open_count--;
        status = loader->system.operations->close(loader->system.state, module, &events);
        status = events_apply(loader, &events, status);
    }
    pthread_mutex_unlock(&loader->lock);
    return status;
}

rt_status rt_loader_binds(rt_loader *loader, rt_module_id from, rt_text symbol,
                          rt_module_id *out_module)
{
    CHECK(from < loader->module_count);
    *out_module = RT_MODULE_NONE;
    rt_status status = RT_STATUS_OK;
    pthread_mutex_lock(&loader->lock);
    if (loader->modules[from].loaded)
        status = loader->system.operations->binds(loader->system.state, from, symbol, out_module);
    pthread_mutex_unlock(&loader->lock);
    return status;
}

/* ---- Images loaded one by one -------------------------------------------------------------- */

/* By name: what a module registered may have come from its file and be another object. */
static bool image_is_registered(const rt_loader *loader, rt_module_id module, const rt_image *image)
{
    const rt_module *owner = &loader->modules[module];
    for (uint32_t i = 0; i < owner->registered_count; i++) {
        const rt_registered_image *entry = loader->registry->images.items[owner->first_image + i];
        if (rt_text_equal(entry->image->name, image->name)) return true;
    }
    return rt_map_find_number(&loader->loaded_images, (uintptr_t)image) != RT_MAP_NONE;
}

rt_status rt_loader_image_load(rt_loader *loader, rt_module_id module, const rt_image *image)
{
    CHECK(module < loader->module_count);
    rt_status status = RT_STATUS_OK;
    rt_handover_point();
    pthread_mutex_lock(&loader->lock);
    rt_text module_name = loader->modules[module].name;
    if (image_is_registered(loader, module, image)) {
        status = rt_fail_naming(loader->sink, RT_ERRC_INVALID, RT_RULE_NONE, &image->name, 1,
                                "image %.*s cannot be loaded: it is loaded already",
                                RT_TEXT_ARG(image->name));
    } else {
        rt_map_set_number(&loader->loaded_images, (uintptr_t)image, 1);
        RT_TRACE(loader->trace, IMAGE_LOAD, RT_T("image", image->name),
                 RT_T("module", module_name));
        if (RULE(DL_DLOPEN_01)) rt_registry_add(loader->registry, module, module_name, image);
    }
    pthread_mutex_unlock(&loader->lock);
    return status;
}

/* ---- Needs --------------------------------------------------------------------------------- */

bool rt_loader_needs(rt_loader *loader, rt_module_id needing, rt_module_id module)
{
    bool *seen = rt_alloc_array(loader->module_count, sizeof *seen);
    rt_module_id *found = rt_alloc_array(loader->module_count, sizeof *found);
    uint32_t count = 0;
    found[count++] = needing;
    seen[needing] = true;
    for (uint32_t i = 0; i < count; i++) {
        const rt_module *reached = &loader->modules[found[i]];
        for (uint32_t k = 0; k < reached->need_count; k++) {
            if (seen[reached->needs[k]]) continue;
            seen[reached->needs[k]] = true;
            found[count++] = reached->needs[k];
        }
    }
    bool needs = seen[module];
    rt_free(found);
    rt_free(seen);
    return needs;
}
