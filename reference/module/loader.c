/* Loading and unloading by reachability: what is opened, and what that needs, is loaded. */
#include "reference/module/loader.h"

#include "reference/base/handover.h"

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
        CHECK(module->open_count == 0 && !module->preloaded && !module->loaded);
        CHECK(module->scopes.count == 0);
        for (uint32_t j = 0; j < module->need_count; j++)
            CHECK(module->needs[j] < module_count);
    }
}

void rt_loader_free(rt_loader *loader)
{
    for (uint32_t i = 0; i < loader->module_count; i++)
        rt_vector_free(&loader->modules[i].scopes);
    rt_free(loader->modules);
    rt_vector_free(&loader->load_order);
    rt_vector_free(&loader->global_scope);
    rt_map_free(&loader->loaded_images);
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
    uint32_t count = module->images.count;
    /* Broken: the one image is taken that the driver's build puts into a binary, and what was
     * wrapped into it by hand is not. */
    if (count > 1 && !RULE(DL_REQ_06)) count = 1;
    for (uint32_t i = 0; i < count; i++) {
        rt_image_id image =
            rt_registry_add(loader->registry, id, module->name, &module->images.images[i]);
        CHECK(image == module->first_image + i);
    }
    module->registered_count = count;
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
    module->has_scope = false;
    module->scopes.count = 0;
    RT_TRACE(loader->trace, MODULE_UNLOAD, RT_T("module", module->name));
}

typedef RT_VECTOR(rt_module_id) module_list;

/* A module on the way down, and which of its needs comes next. */
typedef struct visit_step {
    rt_module_id id;
    uint32_t next_need;
} visit_step;

/* Forgets which modules were visited: from now on none is.  Marks are numbers of visits, so that a
 * visit costs what it reaches and not what there is. */
static void visit_begin(rt_loader *loader)
{
    loader->visit++;
    CHECK(loader->visit != 0);
}

/* True for the first time in a visit. */
static bool visit_mark(rt_loader *loader, rt_module_id id)
{
    if (loader->modules[id].visited == loader->visit) return false;
    loader->modules[id].visited = loader->visit;
    return true;
}

static bool is_visited(const rt_loader *loader, rt_module_id id)
{
    return loader->modules[id].visited == loader->visit;
}

/* Visits a module and what it needs, needed modules first; order receives the modules that this
 * visit had not met yet.  Needs may be cyclic: a module is marked when it is met, so a cycle is
 * entered once. */
static void visit(rt_loader *loader, rt_module_id root, module_list *order)
{
    RT_VECTOR(visit_step) stack = {0};
    if (visit_mark(loader, root)) *rt_vector_push(&stack) = (visit_step){root, 0};
    while (stack.count > 0) {
        visit_step *step = &stack.items[stack.count - 1];
        const rt_module *module = &loader->modules[step->id];
        if (step->next_need == module->need_count) {
            *rt_vector_push(order) = step->id;
            stack.count--;
            continue;
        }
        rt_module_id need = module->needs[step->next_need++];
        if (visit_mark(loader, need)) *rt_vector_push(&stack) = (visit_step){need, 0};
    }
    rt_vector_free(&stack);
}

/* Runs the constructors of those modules of the order that are not loaded yet. */
static void construct_all(rt_loader *loader, const module_list *order)
{
    for (uint32_t i = 0; i < order->count; i++) {
        if (!loader->modules[order->items[i]].loaded) construct(loader, order->items[i]);
    }
}

/* ---- Scopes of host symbols --------------------------------------------------------------- */

/* Fills `scope`, which begins with the roots, with what they need, breadth first: the order in
 * which symbols are searched. */
static void scope_complete(rt_loader *loader, module_list *scope)
{
    visit_begin(loader);
    for (uint32_t i = 0; i < scope->count; i++)
        (void)visit_mark(loader, scope->items[i]);
    for (uint32_t i = 0; i < scope->count; i++) {
        const rt_module *module = &loader->modules[scope->items[i]];
        for (uint32_t k = 0; k < module->need_count; k++) {
            rt_module_id need = module->needs[k];
            if (visit_mark(loader, need)) *rt_vector_push(scope) = need;
        }
    }
}

/* An opened module gives a scope to all that came with it, now or before; those that were there
 * at the start keep to the global scope. */
static void scope_open(rt_loader *loader, rt_module_id opened)
{
    rt_module *root = &loader->modules[opened];
    CHECK(root->loaded);
    if (root->global || root->has_scope) return;
    root->has_scope = true;
    module_list scope = {0};
    *rt_vector_push(&scope) = opened;
    scope_complete(loader, &scope);
    for (uint32_t i = 0; i < scope.count; i++) {
        rt_module *member = &loader->modules[scope.items[i]];
        if (!member->global) *rt_vector_push(&member->scopes) = opened;
    }
    rt_vector_free(&scope);
}

/* Takes the scope of a module that is gone from those that stay. */
static void scope_close(rt_loader *loader, rt_module_id gone)
{
    for (uint32_t i = 0; i < loader->load_order.count; i++) {
        rt_module *module = &loader->modules[loader->load_order.items[i]];
        uint32_t kept = 0;
        for (uint32_t k = 0; k < module->scopes.count; k++) {
            if (module->scopes.items[k] != gone)
                module->scopes.items[kept++] = module->scopes.items[k];
        }
        module->scopes.count = kept;
    }
}

static bool module_defines(const rt_module *module, rt_text symbol)
{
    for (uint32_t i = 0; i < module->host_symbol_count; i++) {
        if (rt_text_equal(module->host_symbols[i], symbol)) return true;
    }
    return false;
}

static rt_module_id first_definition(const rt_loader *loader, const rt_module_id *scope,
                                     uint32_t count, rt_text symbol)
{
    for (uint32_t i = 0; i < count; i++) {
        const rt_module *module = &loader->modules[scope[i]];
        if (module->loaded && module_defines(module, symbol)) return scope[i];
    }
    return RT_MODULE_NONE;
}

rt_module_id rt_loader_host_symbol(rt_loader *loader, rt_module_id from, rt_text symbol)
{
    CHECK(from < loader->module_count);
    pthread_mutex_lock(&loader->lock);
    const rt_module *module = &loader->modules[from];
    rt_module_id found = RT_MODULE_NONE;
    if (module->loaded) {
        found = first_definition(loader, loader->global_scope.items, loader->global_scope.count,
                                 symbol);
    }
    for (uint32_t i = 0; i < module->scopes.count && found == RT_MODULE_NONE; i++) {
        module_list scope = {0};
        *rt_vector_push(&scope) = module->scopes.items[i];
        scope_complete(loader, &scope);
        found = first_definition(loader, scope.items, scope.count, symbol);
        rt_vector_free(&scope);
    }
    pthread_mutex_unlock(&loader->lock);
    return found;
}

/* ---- Start, dlopen, dlclose --------------------------------------------------------------- */

/* Fills the global scope: executable, preloaded modules, what they need. */
static void fill_global_scope(rt_loader *loader, rt_module_id executable,
                              const rt_module_id *preloaded, uint32_t preloaded_count)
{
    module_list scope = {0};
    *rt_vector_push(&scope) = executable;
    for (uint32_t i = 0; i < preloaded_count; i++) {
        rt_module *module = &loader->modules[preloaded[i]];
        if (module->preloaded || preloaded[i] == executable) continue; /* Listed twice. */
        module->preloaded = true;
        *rt_vector_push(&scope) = preloaded[i];
    }
    scope_complete(loader, &scope);
    for (uint32_t i = 0; i < scope.count; i++) {
        loader->modules[scope.items[i]].global = true;
        *rt_vector_push(&loader->global_scope) = scope.items[i];
    }
    rt_vector_free(&scope);
}

void rt_loader_start(rt_loader *loader, rt_module_id executable, const rt_module_id *preloaded,
                     uint32_t preloaded_count)
{
    CHECK(executable < loader->module_count);
    pthread_mutex_lock(&loader->lock);
    CHECK(!loader->started && loader->load_order.count == 0);
    fill_global_scope(loader, executable, preloaded, preloaded_count);
    loader->modules[executable].open_count++;

    visit_begin(loader);
    module_list order = {0};
    visit(loader, executable, &order);
    /* The executable is constructed last, after preloaded modules that it does not need. */
    CHECK(order.items[order.count - 1] == executable);
    order.count--;
    for (uint32_t i = preloaded_count; i-- > 0;)
        visit(loader, preloaded[i], &order);
    *rt_vector_push(&order) = executable;
    construct_all(loader, &order);
    CHECK(loader->load_order.count == loader->global_scope.count);
    rt_vector_free(&order);
    loader->started = true;
    pthread_mutex_unlock(&loader->lock);
}

void rt_loader_open(rt_loader *loader, rt_module_id module)
{
    CHECK(module < loader->module_count);
    rt_handover_point();
    pthread_mutex_lock(&loader->lock);
    loader->modules[module].open_count++;
    visit_begin(loader);
    module_list order = {0};
    visit(loader, module, &order);
    construct_all(loader, &order);
    scope_open(loader, module);
    rt_vector_free(&order);
    pthread_mutex_unlock(&loader->lock);
}

/* Unloads every module that no opened one reaches, latest first. */
static void unload_unreached(rt_loader *loader)
{
    visit_begin(loader);
    module_list order = {0};
    for (uint32_t i = 0; i < loader->module_count; i++) {
        const rt_module *module = &loader->modules[i];
        if (module->open_count > 0 || module->preloaded) visit(loader, i, &order);
    }
    for (uint32_t i = loader->load_order.count; i-- > 0;) {
        rt_module_id id = loader->load_order.items[i];
        if (is_visited(loader, id)) continue;
        if (loader->modules[id].has_scope) scope_close(loader, id);
        destruct(loader, id);
    }
    uint32_t kept = 0;
    for (uint32_t i = 0; i < loader->load_order.count; i++) {
        rt_module_id id = loader->load_order.items[i];
        if (is_visited(loader, id)) loader->load_order.items[kept++] = id;
    }
    loader->load_order.count = kept;
    rt_vector_free(&order);
}

rt_status rt_loader_close(rt_loader *loader, rt_module_id module)
{
    CHECK(module < loader->module_count);
    rt_status status = RT_STATUS_OK;
    rt_handover_point();
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

static bool image_is_registered(const rt_loader *loader, rt_module_id module, const rt_image *image)
{
    const rt_module *owner = &loader->modules[module];
    for (uint32_t i = 0; i < owner->registered_count; i++) {
        if (&owner->images.images[i] == image) return true;
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

/* Marks of its own, and not the loader's: this may be asked while modules come and go. */
bool rt_loader_needs(rt_loader *loader, rt_module_id needing, rt_module_id module)
{
    bool *seen = rt_alloc_array(loader->module_count, sizeof *seen);
    module_list reached = {0};
    *rt_vector_push(&reached) = needing;
    seen[needing] = true;
    for (uint32_t i = 0; i < reached.count; i++) {
        const rt_module *at = &loader->modules[reached.items[i]];
        for (uint32_t k = 0; k < at->need_count; k++) {
            if (seen[at->needs[k]]) continue;
            seen[at->needs[k]] = true;
            *rt_vector_push(&reached) = at->needs[k];
        }
    }
    bool needs = seen[module];
    rt_vector_free(&reached);
    rt_free(seen);
    return needs;
}
