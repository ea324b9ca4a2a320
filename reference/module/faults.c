/* Mistakes of registration that are larger than a mutant of a mark (fault.h). */
#include "reference/base/fault.h"
#include "reference/module/loader.h"

rt_status __real_rt_loader_start(rt_loader *loader, rt_module_id executable,
                                 const rt_module_id *preloaded, uint32_t preloaded_count);
rt_status __wrap_rt_loader_start(rt_loader *loader, rt_module_id executable,
                                 const rt_module_id *preloaded, uint32_t preloaded_count);
rt_status __real_rt_loader_open(rt_loader *loader, rt_module_id module);
rt_status __wrap_rt_loader_open(rt_loader *loader, rt_module_id module);
void __real_rt_loader_observe_globals(rt_loader *loader, rt_global_observer observer,
                                      rt_chooser *chooser);
void __wrap_rt_loader_observe_globals(rt_loader *loader, rt_global_observer observer,
                                      rt_chooser *chooser);

/* ---- Images --------------------------------------------------------------------------------- */

/* Unregisters the images from number `first` on, but the first `kept` of each module. */
static void unregister(rt_loader *loader, rt_image_id first, uint32_t kept)
{
    for (uint32_t m = 0; m < loader->module_count; m++) {
        rt_module *module = &loader->modules[m];
        if (module->first_image < first) continue;
        while (module->registered_count > kept)
            rt_registry_remove(loader->registry, module->first_image + --module->registered_count);
    }
}

static void keep_one_image(rt_loader *loader)
{
    if (RT_FAULT(DL_REQ_06, "a module has one image")) unregister(loader, 0, 1);
}

rt_status __wrap_rt_loader_start(rt_loader *loader, rt_module_id executable,
                                 const rt_module_id *preloaded, uint32_t preloaded_count)
{
    rt_status status = __real_rt_loader_start(loader, executable, preloaded, preloaded_count);
    keep_one_image(loader);
    return status;
}

rt_status __wrap_rt_loader_open(rt_loader *loader, rt_module_id module)
{
    const rt_module *opened = &loader->modules[module];
    if (opened->open_count == 2 && RT_FAULT(NONE, "a module counts as open at most twice"))
        return RT_STATUS_OK;
    if (opened->loaded && opened->open_count == 0 &&
        RT_FAULT(NONE, "opening a module that another one needs does not keep it loaded")) {
        loader->modules[module].open_count++;
        return RT_STATUS_OK;
    }
    rt_image_id first = loader->registry->images.count;
    rt_status status = __real_rt_loader_open(loader, module);
    keep_one_image(loader);
    if (RT_FAULT(DL_DLOPEN_03, "dlopen registers no images")) unregister(loader, first, 0);
    return status;
}

rt_status __real_rt_loader_close(rt_loader *loader, rt_module_id module);
rt_status __wrap_rt_loader_close(rt_loader *loader, rt_module_id module);

static uint32_t needing_count(const rt_loader *loader, rt_module_id module)
{
    uint32_t count = 0;
    for (uint32_t m = 0; m < loader->module_count; m++) {
        const rt_module *needing = &loader->modules[m];
        for (uint32_t i = 0; needing->loaded && i < needing->need_count; i++)
            count += needing->needs[i] == module;
    }
    return count;
}

rt_status __wrap_rt_loader_close(rt_loader *loader, rt_module_id module)
{
    rt_status status = __real_rt_loader_close(loader, module);
    rt_module *closed = &loader->modules[module];
    bool is_needed = closed->open_count == 0 && needing_count(loader, module) > 1;
    if (is_needed && RT_FAULT(NONE, "the last dlclose unregisters a module that two others need"))
        while (closed->registered_count > 0)
            rt_registry_remove(loader->registry, closed->first_image + --closed->registered_count);
    return status;
}

/* ---- device_globals ------------------------------------------------------------------------- */

/* The variable that qualified look-up by name finds.  For one in an unnamed namespace, that is a
 * different variable if the module has one with the same name outside that namespace. */
static const rt_device_global *find_by_name(const rt_module *module, const rt_device_global *global)
{
    rt_text name = global->name;
    if (!rt_text_take_prefix(&name, "(anonymous namespace)::")) return global;
    for (uint32_t i = 0; i < module->globals.count; i++)
        if (rt_text_equal(module->globals.globals[i].name, name))
            return &module->globals.globals[i];
    return global;
}

/* Host code that finds its variables by name. */
static void register_by_name(rt_module *module)
{
    enum { GLOBALS_MAX = 64 };
    static rt_device_global globals[GLOBALS_MAX];
    uint32_t count = 0;
    bool is_changed = false;
    if (module->globals.count > GLOBALS_MAX) return;
    for (uint32_t i = 0; i < module->globals.count; i++) {
        const rt_device_global *global = &module->globals.globals[i];
        const rt_device_global *found = find_by_name(module, global);
        bool is_left_out =
            found != global && RT_FAULT(DG_FE_07, "a hidden variable is not registered");
        bool is_mistaken =
            found != global && RT_FAULT(DG_FE_06, "a variable is registered by its name");
        is_changed = is_changed || is_left_out || is_mistaken;
        if (!is_left_out) globals[count++] = *(is_mistaken ? found : global);
    }
    if (!is_changed) return;
    module->globals.globals = globals;
    module->globals.count = count;
}

void __wrap_rt_loader_observe_globals(rt_loader *loader, rt_global_observer observer,
                                      rt_chooser *chooser)
{
    for (uint32_t m = 0; m < loader->module_count; m++)
        register_by_name(&loader->modules[m]);
    __real_rt_loader_observe_globals(loader, observer, chooser);
}
