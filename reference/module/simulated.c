/* The simulated system (simulated.h).
 *
 * glibc sorts modules twice: those that a program start or a dlopen loads, for the order of
 * constructors, and all loaded modules, for the order of destructors in a dlclose.  Each sort is
 * one depth-first walk over the modules' dependency lists.  The list of a module that was itself
 * opened holds everything that it reaches, in sorted order; the list of any other module holds its
 * direct dependencies.
 *
 *     event                     loaded  constructed  own scope   afterwards
 *     needed by a root          yes     yes          empty       a member of the root's scope
 *     root: start, first open   yes     yes          filled      startup modules are never unloaded
 *     close, still reached      yes     yes          unchanged   loses the scopes of unloaded roots
 *     close, not reached        no      no           emptied     as if it had never been loaded */
#include "reference/module/simulated.h"

#include "reference/base/alloc.h"

#include <string.h>

typedef RT_VECTOR(rt_module_id) module_list;

typedef struct simulated_module {
    rt_simulated_module about;
    bool loaded;
    bool startup;        /* loaded with the executable: stays loaded, and searches only the global
                          * scope */
    bool constructed;    /* its constructor has run */
    uint32_t open_count; /* dlopen calls not yet undone by dlclose */
    module_list scope;   /* its own scope, in search order: everything that was loaded with it when
                          * it was opened; empty if it was not opened (but see scopes_prune) */
    module_list dependencies; /* begins with the module itself; empty while it is not loaded */
    module_list scopes;       /* opened modules whose scopes contain it, in order of opening */
    bool marked;              /* by a walk; false between two operations */
} simulated_module;

struct rt_simulated {
    simulated_module *modules;
    uint32_t module_count;
    rt_module_id executable; /* RT_MODULE_NONE: not started */
    module_list loaded;      /* in order of loading */
    bool closed_first;       /* the order of destructors begins with the module that was closed */
};

static void list_append(module_list *list, rt_module_id module)
{
    *rt_vector_push(list) = module;
}

/* Invariants between two operations: constructors have run for exactly the loaded modules, and
 * every list contains only loaded modules. */
static bool simulated_check(const rt_simulated *s)
{
    uint32_t loaded_count = 0;
    for (uint32_t i = 0; i < s->module_count; i++) {
        const simulated_module *module = &s->modules[i];
        loaded_count += module->loaded;
        CHECK(module->loaded == module->constructed);
        CHECK(module->loaded == (module->dependencies.count > 0));
        CHECK_IMPLIES(module->loaded, module->dependencies.items[0] == i);
        CHECK_IMPLIES(module->startup, module->loaded && module->scopes.count == 0);
        CHECK_IMPLIES(module->open_count > 0, module->loaded && module->scope.count > 0);
        CHECK_IMPLIES(module->scope.count > 0, module->loaded && module->scope.items[0] == i);
        CHECK(!module->marked);
        for (uint32_t k = 0; k < module->dependencies.count; k++)
            CHECK(s->modules[module->dependencies.items[k]].loaded);
        for (uint32_t k = 0; k < module->scopes.count; k++)
            CHECK(s->modules[module->scopes.items[k]].scope.count > 0);
    }
    CHECK(loaded_count == s->loaded.count);
    for (uint32_t i = 0; i < s->loaded.count; i++)
        CHECK(s->modules[s->loaded.items[i]].loaded);
    CHECK_IMPLIES(s->executable != RT_MODULE_NONE, s->modules[s->executable].startup);
    return true;
}

static void set_marks(rt_simulated *s, const module_list *list, bool marked)
{
    for (uint32_t i = 0; i < list->count; i++)
        s->modules[list->items[i]].marked = marked;
}

/* ---- The order ----------------------------------------------------------------------------- */

/* Sorts the list so that modules precede their dependencies; where cycles make that impossible, the
 * first module stays first (_dl_sort_maps).
 *
 * Walks depth-first over the modules of the list, which the caller has marked, and no others;
 * unmarks them, so the walk stays within the list even where a dependency list leads out of it.  A
 * module is stored in front of `head` once everything that it leads to has been stored, so that
 * modules precede their dependencies. */
static void list_sort(rt_simulated *s, module_list *list)
{
    CHECK(list->count >= 1);
    rt_module_id first = list->items[0];
    rt_module_id *sorted = rt_alloc_array(list->count, sizeof *sorted);
    rt_module_id *head = sorted + list->count;
    struct {
        rt_module_id module;
        uint32_t next; /* the index of its next dependency */
    } *stack = rt_alloc_array(list->count, sizeof *stack);
    for (uint32_t i = list->count; i-- > 0;) {
        if (!s->modules[list->items[i]].marked) continue;
        uint32_t depth = 0;
        stack[depth].module = list->items[i];
        stack[depth++].next = 0;
        s->modules[list->items[i]].marked = false;
        while (depth > 0) {
            CHECK(depth <= list->count);
            rt_module_id module = stack[depth - 1].module;
            const module_list *dependencies = &s->modules[module].dependencies;
            if (stack[depth - 1].next == dependencies->count) {
                *--head = module;
                depth--;
                continue;
            }
            rt_module_id next = dependencies->items[stack[depth - 1].next++];
            if (!s->modules[next].marked) continue;
            s->modules[next].marked = false;
            stack[depth].module = next;
            stack[depth++].next = 0;
        }
    }
    CHECK(head == sorted); /* the walk reached the whole list and nothing else */
    uint32_t place = 0;
    while (sorted[place] != first)
        place++;
    memmove(sorted + 1, sorted, place * sizeof *sorted);
    sorted[0] = first;
    memcpy(list->items, sorted, list->count * sizeof *sorted);
    rt_free(stack);
    rt_free(sorted);
}

/* ---- Loading ------------------------------------------------------------------------------- */

static void module_load(rt_simulated *s, rt_module_id id)
{
    if (s->modules[id].loaded) return;
    s->modules[id].loaded = true;
    list_append(&s->loaded, id);
}

/* Loads the dependencies of the modules in the list, appends them, breadth first, and leaves the
 * whole list marked.  Modules reached for the first time get their dependency lists; the root,
 * whose list is empty while the modules are sorted, gets its own after that. */
static void list_complete(rt_simulated *s, module_list *list, rt_module_id root)
{
    set_marks(s, list, true);
    for (uint32_t i = 0; i < list->count; i++) {
        rt_module_id id = list->items[i];
        simulated_module *module = &s->modules[id];
        bool is_new = id != root && module->dependencies.count == 0;
        if (is_new) list_append(&module->dependencies, id);
        for (uint32_t k = 0; k < module->about.need_count; k++) {
            rt_module_id need = module->about.needs[k];
            module_load(s, need);
            if (is_new) list_append(&module->dependencies, need);
            if (s->modules[need].marked) continue;
            s->modules[need].marked = true;
            list_append(list, need);
        }
    }
}

/* Loads a root, the preloaded modules and all their dependencies; fills the root's scope and its
 * sorted dependency list (_dl_map_object_deps). */
static void root_load(rt_simulated *s, rt_module_id root, const rt_module_id *preloaded,
                      uint32_t preloaded_count)
{
    simulated_module *module = &s->modules[root];
    CHECK(module->scope.count == 0);
    module_load(s, root);
    list_append(&module->scope, root);
    for (uint32_t i = 0; i < preloaded_count; i++) {
        CHECK(!s->modules[preloaded[i]].loaded);
        module_load(s, preloaded[i]);
        list_append(&module->scope, preloaded[i]);
    }
    list_complete(s, &module->scope, root);
    module_list sorted = {0};
    for (uint32_t i = 0; i < module->scope.count; i++)
        list_append(&sorted, module->scope.items[i]);
    list_sort(s, &sorted);
    rt_vector_free(&module->dependencies);
    module->dependencies = sorted;
}

/* Runs the constructors of a root and of everything loaded with it, dependencies first. */
static void root_construct(rt_simulated *s, rt_module_id root, rt_system_events *out_events)
{
    const module_list *order = &s->modules[root].dependencies;
    for (uint32_t i = order->count; i-- > 0;) {
        simulated_module *module = &s->modules[order->items[i]];
        CHECK(module->loaded);
        if (module->constructed) continue;
        module->constructed = true;
        *rt_vector_push(out_events) =
            (rt_system_event){.kind = RT_SYSTEM_LOADED, .module = order->items[i]};
        if (module->about.images.count == 0) continue;
        *rt_vector_push(out_events) =
            (rt_system_event){RT_SYSTEM_REGISTERED, order->items[i], module->about.images};
    }
}

static rt_status simulated_start(void *state, rt_module_id executable,
                                 const rt_module_id *preloaded, uint32_t preloaded_count,
                                 rt_system_events *out_events)
{
    rt_simulated *s = state;
    CHECK_SLOW(simulated_check(s));
    CHECK(s->executable == RT_MODULE_NONE && s->loaded.count == 0);
    CHECK(executable < s->module_count);
    s->executable = executable;
    root_load(s, executable, preloaded, preloaded_count);
    for (uint32_t i = 0; i < s->loaded.count; i++)
        s->modules[s->loaded.items[i]].startup = true;
    root_construct(s, executable, out_events);
    CHECK_SLOW(simulated_check(s));
    return RT_STATUS_OK;
}

static rt_status simulated_open(void *state, rt_module_id module, rt_system_events *out_events)
{
    rt_simulated *s = state;
    CHECK_SLOW(simulated_check(s));
    CHECK(module < s->module_count);
    s->modules[module].open_count++;
    if (s->modules[module].scope.count > 0) return RT_STATUS_OK;
    root_load(s, module, NULL, 0);
    /* Every member of the scope, whether loaded now or earlier, searches the scope from now on,
     * except modules loaded at the start, which search only the global scope. */
    const module_list *scope = &s->modules[module].scope;
    for (uint32_t i = 0; i < scope->count; i++) {
        simulated_module *member = &s->modules[scope->items[i]];
        if (!member->startup) list_append(&member->scopes, module);
    }
    root_construct(s, module, out_events);
    CHECK_SLOW(simulated_check(s));
    return RT_STATUS_OK;
}

/* ---- Unloading ----------------------------------------------------------------------------- */

/* The module that was closed changes places with the first one, which a sort leaves first. */
static void closed_put_first(module_list *order, rt_module_id closed)
{
    for (uint32_t i = 0; i < order->count; i++) {
        if (order->items[i] != closed) continue;
        order->items[i] = order->items[0];
        order->items[0] = closed;
    }
}

/* Marks the module and everything that it reaches. */
static void mark_reached(rt_simulated *s, rt_module_id id)
{
    simulated_module *module = &s->modules[id];
    if (module->marked) return;
    module->marked = true;
    for (uint32_t i = 0; i < module->dependencies.count; i++)
        mark_reached(s, module->dependencies.items[i]);
}

/* Removes, from a module that stays, the scopes of modules that are being unloaded.  If the module
 * does not have its own scope, the first removed one is replaced with a scope that consists of the
 * module and its dependencies; from then on the module counts as opened, so opening it only
 * increments its open count (_dl_close_worker). */
static void scopes_prune(rt_simulated *s, rt_module_id id)
{
    simulated_module *module = &s->modules[id];
    uint32_t kept_count = 0;
    for (uint32_t i = 0; i < module->scopes.count; i++) {
        rt_module_id root = module->scopes.items[i];
        if (s->modules[root].marked) {
            module->scopes.items[kept_count++] = root;
        } else if (module->scope.count == 0) {
            for (uint32_t k = 0; k < module->dependencies.count; k++)
                list_append(&module->scope, module->dependencies.items[k]);
            module->scopes.items[kept_count++] = id;
        }
    }
    module->scopes.count = kept_count;
}

static rt_status simulated_close(void *state, rt_module_id module, rt_system_events *out_events)
{
    rt_simulated *s = state;
    CHECK_SLOW(simulated_check(s));
    CHECK(module < s->module_count && s->modules[module].open_count > 0);
    s->modules[module].open_count--;
    module_list order = {0}, stays = {0};
    for (uint32_t i = 0; i < s->loaded.count; i++)
        list_append(&order, s->loaded.items[i]);
    const uint32_t order_count = order.count;
    if (s->closed_first) closed_put_first(&order, module);
    set_marks(s, &order, true);
    list_sort(s, &order);
    for (uint32_t i = 0; i < s->loaded.count; i++) {
        const simulated_module *root = &s->modules[s->loaded.items[i]];
        if (root->startup || root->open_count > 0) mark_reached(s, s->loaded.items[i]);
    }
    for (uint32_t i = 0; i < s->loaded.count; i++) {
        if (!s->modules[s->loaded.items[i]].marked) continue;
        list_append(&stays, s->loaded.items[i]);
        scopes_prune(s, s->loaded.items[i]);
    }
    for (uint32_t i = 0; i < order.count; i++) {
        rt_module_id id = order.items[i];
        simulated_module *unloaded = &s->modules[id];
        if (unloaded->marked) continue;
        CHECK(unloaded->loaded && unloaded->constructed && !unloaded->startup);
        if (unloaded->about.images.count > 0)
            *rt_vector_push(out_events) =
                (rt_system_event){.kind = RT_SYSTEM_UNREGISTERED, .module = id};
        *rt_vector_push(out_events) = (rt_system_event){.kind = RT_SYSTEM_UNLOADED, .module = id};
        unloaded->loaded = unloaded->constructed = false;
        unloaded->scope.count = unloaded->dependencies.count = unloaded->scopes.count = 0;
    }
    rt_vector_free(&order);
    rt_vector_free(&s->loaded);
    CHECK(stays.count <= order_count);
    s->loaded = stays;
    set_marks(s, &stays, false);
    CHECK_SLOW(simulated_check(s));
    return RT_STATUS_OK;
}

/* ---- Symbols ------------------------------------------------------------------------------- */

static rt_module_id first_definition(const rt_simulated *s, const module_list *scope,
                                     rt_text symbol)
{
    for (uint32_t i = 0; i < scope->count; i++) {
        const rt_simulated_module *module = &s->modules[scope->items[i]].about;
        for (uint32_t k = 0; k < module->host_symbol_count; k++)
            if (rt_text_equal(module->host_symbols[k], symbol)) return scope->items[i];
    }
    return RT_MODULE_NONE;
}

static rt_status simulated_binds(void *state, rt_module_id from, rt_text symbol,
                                 rt_module_id *out_module)
{
    const rt_simulated *s = state;
    const simulated_module *module = &s->modules[from];
    CHECK(module->loaded);
    *out_module = RT_MODULE_NONE;
    /* Modules may be opened before the program starts, by tests. */
    if (s->executable != RT_MODULE_NONE)
        *out_module = first_definition(s, &s->modules[s->executable].scope, symbol);
    for (uint32_t i = 0; i < module->scopes.count && *out_module == RT_MODULE_NONE; i++)
        *out_module = first_definition(s, &s->modules[module->scopes.items[i]].scope, symbol);
    return RT_STATUS_OK;
}

/* ---- Life ---------------------------------------------------------------------------------- */

rt_simulated *rt_simulated_create(const rt_simulated_module *modules, uint32_t module_count)
{
    CHECK(module_count >= 1);
    rt_simulated *s = rt_alloc(sizeof *s);
    *s = (rt_simulated){
        .modules = rt_alloc_array(module_count, sizeof *s->modules),
        .module_count = module_count,
        .executable = RT_MODULE_NONE,
    };
    for (uint32_t i = 0; i < module_count; i++) {
        s->modules[i] = (simulated_module){.about = modules[i]};
        for (uint32_t k = 0; k < modules[i].need_count; k++)
            CHECK(modules[i].needs[k] < module_count);
    }
    return s;
}

void rt_simulated_destroy(rt_simulated *simulated)
{
    for (uint32_t i = 0; i < simulated->module_count; i++) {
        rt_vector_free(&simulated->modules[i].scope);
        rt_vector_free(&simulated->modules[i].dependencies);
        rt_vector_free(&simulated->modules[i].scopes);
    }
    rt_free(simulated->modules);
    rt_vector_free(&simulated->loaded);
    rt_free(simulated);
}

void rt_simulated_destroy_closed_first(rt_simulated *simulated)
{
    simulated->closed_first = true;
}

rt_system rt_simulated_system(rt_simulated *simulated)
{
    static const rt_system_operations operations = {
        .start = simulated_start,
        .open = simulated_open,
        .close = simulated_close,
        .binds = simulated_binds,
    };
    return (rt_system){&operations, simulated};
}
