/* Loading and unloading by reachability: what is opened, and what that needs, is loaded. */
#include "reference/module/loader.h"

#include <string.h>

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
    };
    pthread_mutex_init(&loader->lock, NULL);
    memcpy(loader->modules, modules, module_count * sizeof *modules);
    for (uint32_t i = 0; i < module_count; i++) {
        rt_module *module = &loader->modules[i];
        module->open_count = 0;
        module->loaded = false;
        for (uint32_t j = 0; j < module->need_count; j++)
            CHECK(module->needs[j] < module_count);
    }
}

void rt_loader_free(rt_loader *loader)
{
    rt_free(loader->modules);
    rt_vector_free(&loader->load_order);
    pthread_mutex_destroy(&loader->lock);
}

/* Runs the module's constructors. */
static void construct(rt_loader *loader, rt_module_id id)
{
    rt_module *module = &loader->modules[id];
    CHECK(!module->loaded);
    module->loaded = true;
    *rt_vector_push(&loader->load_order) = id;
    RT_TRACE(loader->trace, MODULE_LOAD, RT_T("module", module->name));
    module->first_image = loader->registry->images.count;
    if (module->images.count == 0) return;
    bool registers = loader->started ? RULE(DL_DLOPEN_03) : RULE(DL_REQ_02);
    if (!registers) return;
    for (uint32_t i = 0; i < module->images.count; i++) {
        rt_image_id image =
            rt_registry_add(loader->registry, id, module->name, &module->images.images[i]);
        CHECK(image == module->first_image + i);
    }
    module->registered_count = module->images.count;
}

/* Runs the module's destructors. */
static void destruct(rt_loader *loader, rt_module_id id)
{
    rt_module *module = &loader->modules[id];
    CHECK(module->loaded);
    module->loaded = false;
    for (uint32_t i = module->registered_count; i-- > 0;) {
        rt_registry_remove(loader->registry, module->first_image + i);
    }
    module->registered_count = 0;
    RT_TRACE(loader->trace, MODULE_UNLOAD, RT_T("module", module->name));
}

/* Visits `id` and what it needs, needed modules first; order receives the modules that `seen` did
 * not hold yet.  Needs may be cyclic: a module is marked when it is met, so a cycle is entered
 * once. */
typedef RT_VECTOR(rt_module_id) module_list;

static void visit(const rt_loader *loader, rt_module_id root, bool *seen, module_list *order)
{
    struct {
        rt_module_id id;
        uint32_t next_need;
    } *stack = rt_alloc_array(loader->module_count, sizeof *stack);
    uint32_t depth = 0;
    if (!seen[root]) stack[depth++].id = root;
    seen[root] = true;
    while (depth > 0) {
        const rt_module *module = &loader->modules[stack[depth - 1].id];
        if (stack[depth - 1].next_need == module->need_count) {
            *rt_vector_push(order) = stack[--depth].id;
            continue;
        }
        rt_module_id need = module->needs[stack[depth - 1].next_need++];
        if (seen[need]) continue;
        seen[need] = true;
        CHECK(depth < loader->module_count);
        stack[depth].id = need;
        stack[depth++].next_need = 0;
    }
    rt_free(stack);
}

static void load(rt_loader *loader, rt_module_id id)
{
    bool *seen = rt_alloc_array(loader->module_count, sizeof *seen);
    module_list order = {0};
    visit(loader, id, seen, &order);
    for (uint32_t i = 0; i < order.count; i++) {
        if (!loader->modules[order.items[i]].loaded) construct(loader, order.items[i]);
    }
    CHECK(loader->modules[id].loaded);
    rt_vector_free(&order);
    rt_free(seen);
}

void rt_loader_start(rt_loader *loader, rt_module_id executable)
{
    CHECK(executable < loader->module_count);
    CHECK(!loader->started && loader->load_order.count == 0);
    rt_loader_open(loader, executable);
    loader->started = true;
}

void rt_loader_open(rt_loader *loader, rt_module_id module)
{
    CHECK(module < loader->module_count);
    pthread_mutex_lock(&loader->lock);
    loader->modules[module].open_count++;
    load(loader, module);
    pthread_mutex_unlock(&loader->lock);
}

/* Unloads every module that no opened one reaches, latest first. */
static void unload_unreached(rt_loader *loader)
{
    bool *reached = rt_alloc_array(loader->module_count, sizeof *reached);
    module_list order = {0};
    for (uint32_t i = 0; i < loader->module_count; i++) {
        if (loader->modules[i].open_count > 0) visit(loader, i, reached, &order);
    }
    for (uint32_t i = loader->load_order.count; i-- > 0;) {
        rt_module_id id = loader->load_order.items[i];
        if (!reached[id]) destruct(loader, id);
    }
    uint32_t kept = 0;
    for (uint32_t i = 0; i < loader->load_order.count; i++) {
        rt_module_id id = loader->load_order.items[i];
        if (reached[id]) loader->load_order.items[kept++] = id;
    }
    loader->load_order.count = kept;
    rt_vector_free(&order);
    rt_free(reached);
}

rt_status rt_loader_close(rt_loader *loader, rt_module_id module)
{
    CHECK(module < loader->module_count);
    rt_status status = RT_STATUS_OK;
    pthread_mutex_lock(&loader->lock);
    rt_module *closed = &loader->modules[module];
    if (closed->open_count == 0) {
        status = rt_fail(loader->sink, RT_ERRC_INVALID, RT_RULE_NONE,
                         "module '%.*s' cannot be unloaded: it is not open (every unload needs a "
                         "load before it)",
                         RT_TEXT_ARG(closed->name));
    } else if (--closed->open_count == 0) {
        unload_unreached(loader);
    }
    pthread_mutex_unlock(&loader->lock);
    return status;
}

bool rt_loader_needs(rt_loader *loader, rt_module_id needing, rt_module_id module)
{
    bool *seen = rt_alloc_array(loader->module_count, sizeof *seen);
    module_list order = {0};
    visit(loader, needing, seen, &order);
    bool needs = seen[module];
    rt_vector_free(&order);
    rt_free(seen);
    return needs;
}
