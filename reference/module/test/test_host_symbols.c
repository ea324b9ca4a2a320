/* Unit tests of host symbols: preloading and dlopen's local scopes, by example and in comparison
 * with a model. */
#include "reference/base/hash.h"
#include "reference/module/loader.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* ---- A table of modules ------------------------------------------------------------------- */

enum { MODULES_MAX = 8, SYMBOLS = 4 };
static const rt_text symbol_names[SYMBOLS] = {{"s0", 2}, {"s1", 2}, {"s2", 2}, {"s3", 2}};

typedef struct world {
    rt_sink *sink;
    rt_trace *trace;
    rt_registry registry;
    rt_loader loader;
    rt_module modules[MODULES_MAX];
    rt_module_id needs[MODULES_MAX][MODULES_MAX];
    rt_text symbols[MODULES_MAX][SYMBOLS];
    uint32_t module_count;
} world;

static void need(world *w, rt_module_id module, rt_module_id dependency)
{
    w->needs[module][w->modules[module].need_count++] = dependency;
}

static void define(world *w, rt_module_id module, uint32_t symbol)
{
    w->symbols[module][w->modules[module].host_symbol_count++] = symbol_names[symbol];
}

static world *world_create(uint32_t module_count)
{
    static const char *const names[MODULES_MAX] = {"app", "m1", "m2", "m3", "m4", "m5", "m6", "m7"};
    world *w = rt_alloc(sizeof *w);
    w->module_count = module_count;
    for (uint32_t i = 0; i < module_count; i++) {
        w->modules[i].name = rt_text_of(names[i]);
        w->modules[i].needs = w->needs[i];
        w->modules[i].host_symbols = w->symbols[i];
    }
    w->sink = rt_sink_create();
    w->trace = rt_trace_create();
    rt_registry_init(&w->registry, w->trace);
    return w;
}

static void world_load(world *w)
{
    rt_loader_init(&w->loader, w->sink, &w->registry, w->modules, w->module_count);
}

static void world_destroy(world *w)
{
    rt_loader_free(&w->loader);
    rt_registry_free(&w->registry);
    rt_trace_destroy(w->trace);
    rt_sink_destroy(w->sink);
    rt_free(w);
}

static rt_module_id binding(world *w, rt_module_id from, rt_text symbol)
{
    rt_module_id found;
    assert_true(rt_ok(rt_loader_binds(&w->loader, from, symbol, &found)));
    return found;
}

#define EXPECT(w, from, symbol, to) assert_int_equal(binding(w, from, symbol_names[symbol]), to)

/* ---- Examples ----------------------------------------------------------------------------- */

static void a_preloaded_definition_comes_before_a_needed_one(void **state)
{
    (void)state;
    enum { APP, LIBRARY, PRELOADED };
    for (uint32_t preloaded_count = 0; preloaded_count < 2; preloaded_count++) {
        world *w = world_create(3);
        need(w, APP, LIBRARY);
        define(w, LIBRARY, 0);
        define(w, LIBRARY, 1);
        define(w, PRELOADED, 0);
        world_load(w);
        static const rt_module_id preloaded[] = {PRELOADED};
        rt_loader_start(&w->loader, APP, preloaded, preloaded_count);
        EXPECT(w, APP, 0, preloaded_count ? PRELOADED : LIBRARY);
        EXPECT(w, LIBRARY, 0, preloaded_count ? PRELOADED : LIBRARY); /* the preloaded definition
                                                                       * preempts its own */
        EXPECT(w, APP, 1, LIBRARY);
        EXPECT(w, APP, 2, RT_MODULE_NONE);
        world_destroy(w);
    }
}

static void the_executable_comes_before_the_preloaded(void **state)
{
    (void)state;
    enum { APP, PRELOADED };
    world *w = world_create(2);
    define(w, APP, 0);
    define(w, PRELOADED, 0);
    world_load(w);
    static const rt_module_id preloaded[] = {PRELOADED};
    rt_loader_start(&w->loader, APP, preloaded, 1);
    EXPECT(w, PRELOADED, 0, APP);
    world_destroy(w);
}

static void dlopened_modules_are_not_in_the_global_scope(void **state)
{
    (void)state;
    enum { APP, PLUGIN, HELPER, OTHER };
    world *w = world_create(4);
    need(w, PLUGIN, HELPER);
    define(w, HELPER, 0);
    define(w, OTHER, 1);
    world_load(w);
    rt_loader_start(&w->loader, APP, NULL, 0);
    EXPECT(w, PLUGIN, 0, RT_MODULE_NONE); /* not loaded */
    rt_loader_open(&w->loader, PLUGIN);
    rt_loader_open(&w->loader, OTHER);
    EXPECT(w, APP, 0, RT_MODULE_NONE);
    EXPECT(w, PLUGIN, 0, HELPER);
    EXPECT(w, HELPER, 0, HELPER);
    EXPECT(w, PLUGIN, 1, RT_MODULE_NONE);
    EXPECT(w, OTHER, 0, RT_MODULE_NONE);
    world_destroy(w);
}

static void a_global_module_that_a_plugin_needs_stays_global(void **state)
{
    (void)state;
    enum { APP, LIBRARY, PLUGIN };
    world *w = world_create(3);
    need(w, APP, LIBRARY);
    need(w, PLUGIN, LIBRARY);
    define(w, LIBRARY, 0);
    define(w, PLUGIN, 0);
    define(w, PLUGIN, 1);
    world_load(w);
    rt_loader_start(&w->loader, APP, NULL, 0);
    rt_loader_open(&w->loader, PLUGIN);
    EXPECT(w, PLUGIN, 0, LIBRARY); /* the global scope comes first */
    EXPECT(w, LIBRARY, 1, RT_MODULE_NONE);
    EXPECT(w, PLUGIN, 1, PLUGIN);
    assert_true(rt_ok(rt_loader_close(&w->loader, PLUGIN)));
    EXPECT(w, APP, 0, LIBRARY);
    world_destroy(w);
}

static void a_later_opening_adds_its_scope_and_takes_it_along(void **state)
{
    (void)state;
    enum { APP, FIRST, SECOND, SHARED };
    world *w = world_create(4);
    need(w, FIRST, SHARED);
    need(w, SECOND, SHARED);
    define(w, FIRST, 0);
    define(w, SECOND, 0);
    define(w, SECOND, 1);
    world_load(w);
    rt_loader_start(&w->loader, APP, NULL, 0);
    rt_loader_open(&w->loader, FIRST);
    EXPECT(w, SHARED, 1, RT_MODULE_NONE);
    rt_loader_open(&w->loader, SECOND);
    EXPECT(w, SHARED, 0, FIRST);
    EXPECT(w, SHARED, 1, SECOND);
    assert_true(rt_ok(rt_loader_close(&w->loader, FIRST)));
    EXPECT(w, SHARED, 0, SECOND);
    assert_true(rt_ok(rt_loader_close(&w->loader, SECOND)));
    rt_loader_open(&w->loader, FIRST);
    EXPECT(w, SHARED, 0, FIRST);
    EXPECT(w, SHARED, 1, RT_MODULE_NONE);
    world_destroy(w);
}

/* ---- The model ---------------------------------------------------------------------------- */

/* A second implementation of the rules, based only on the history of dlopen and dlclose calls: the
 * open modules determine which modules are loaded, and a module's scopes are those of the opened
 * modules that are still loaded and reach it, in order of opening. */
typedef struct model {
    const world *w;
    bool global[MODULES_MAX], loaded[MODULES_MAX];
    uint32_t open[MODULES_MAX];
    rt_module_id openings[256]; /* opened modules that had no scope at the time, in order */
    uint32_t opening_count;
    rt_module_id scope[MODULES_MAX]; /* the global scope */
    uint32_t scope_count;
} model;

static bool holds(const rt_module_id *list, uint32_t count, rt_module_id module)
{
    for (uint32_t i = 0; i < count; i++) {
        if (list[i] == module) return true;
    }
    return false;
}

/* Appends all dependencies breadth first: level by level. */
static uint32_t levels(const world *w, rt_module_id *list, uint32_t count)
{
    for (uint32_t begin = 0, end = count; begin < end; begin = end, end = count) {
        for (uint32_t i = begin; i < end; i++) {
            for (uint32_t k = 0; k < w->modules[list[i]].need_count; k++) {
                rt_module_id next = w->needs[list[i]][k];
                if (!holds(list, count, next)) list[count++] = next;
            }
        }
    }
    return count;
}

static void model_start(model *m, const rt_module_id *preloaded, uint32_t count)
{
    m->scope[m->scope_count++] = 0;
    for (uint32_t i = 0; i < count; i++)
        m->scope[m->scope_count++] = preloaded[i];
    m->scope_count = levels(m->w, m->scope, m->scope_count);
    for (uint32_t i = 0; i < m->scope_count; i++)
        m->global[m->scope[i]] = m->loaded[m->scope[i]] = true;
}

static void model_reload(model *m)
{
    memcpy(m->loaded, m->global, sizeof m->loaded);
    for (uint32_t i = 0; i < m->w->module_count; i++) {
        if (m->open[i] == 0) continue;
        rt_module_id list[MODULES_MAX] = {i};
        uint32_t count = levels(m->w, list, 1);
        for (uint32_t k = 0; k < count; k++)
            m->loaded[list[k]] = true;
    }
    uint32_t kept_count = 0;
    for (uint32_t i = 0; i < m->opening_count; i++) {
        if (m->loaded[m->openings[i]]) m->openings[kept_count++] = m->openings[i];
    }
    m->opening_count = kept_count;
}

static void model_open(model *m, rt_module_id module)
{
    m->open[module]++;
    model_reload(m);
    if (!m->global[module] && !holds(m->openings, m->opening_count, module))
        m->openings[m->opening_count++] = module;
}

static rt_module_id model_find(const model *m, rt_module_id from, uint32_t symbol)
{
    rt_module_id list[MODULES_MAX * 257];
    uint32_t count = 0;
    if (!m->loaded[from]) return RT_MODULE_NONE;
    for (; count < m->scope_count; count++)
        list[count] = m->scope[count];
    for (uint32_t i = 0; i < m->opening_count && !m->global[from]; i++) {
        rt_module_id opening_scope[MODULES_MAX] = {m->openings[i]};
        uint32_t scope_count = levels(m->w, opening_scope, 1);
        if (!holds(opening_scope, scope_count, from)) continue;
        memcpy(list + count, opening_scope, scope_count * sizeof *opening_scope);
        count += scope_count;
    }
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = 0; k < m->w->modules[list[i]].host_symbol_count; k++) {
            if (rt_text_equal(m->w->symbols[list[i]][k], symbol_names[symbol])) return list[i];
        }
    }
    return RT_MODULE_NONE;
}

/* Returns the sequence's next number, modulo `limit`. */
static uint32_t pick(uint64_t *sequence, uint32_t limit)
{
    *sequence += RT_MIX_STEP;
    return (uint32_t)(rt_mix64(*sequence) % limit);
}

static world *random_world(uint64_t *sequence)
{
    world *w = world_create(2 + pick(sequence, MODULES_MAX - 1));
    for (uint32_t i = 0; i < w->module_count; i++) {
        for (uint32_t k = 0; k < w->module_count; k++) {
            if (k != i && pick(sequence, 5) == 0) need(w, i, k);
        }
        for (uint32_t s = 0; s < SYMBOLS; s++) {
            if (pick(sequence, 3) == 0) define(w, i, s);
        }
    }
    world_load(w);
    return w;
}

static void compare_with_model(world *w, const model *m)
{
    for (uint32_t from = 0; from < w->module_count; from++) {
        assert_int_equal(w->loader.modules[from].loaded, m->loaded[from]);
        for (uint32_t s = 0; s < SYMBOLS; s++)
            EXPECT(w, from, s, model_find(m, from, s));
    }
}

static void any_history_agrees_with_the_model(void **state)
{
    (void)state;
    enum { WORLDS = 300, STEPS = 25 };
    uint32_t bound = 0;
    for (uint64_t seed = 0; seed < WORLDS; seed++) {
        uint64_t sequence = rt_mix64(seed);
        world *w = random_world(&sequence);
        model m = {.w = w};
        rt_module_id preloaded[2];
        uint32_t preloaded_count = pick(&sequence, 3);
        for (uint32_t i = 0; i < preloaded_count; i++)
            preloaded[i] = 1 + pick(&sequence, w->module_count - 1);
        if (preloaded_count == 2 && preloaded[0] == preloaded[1]) preloaded_count = 1;
        rt_loader_start(&w->loader, 0, preloaded, preloaded_count);
        model_start(&m, preloaded, preloaded_count);
        for (uint32_t step = 0; step < STEPS; step++) {
            rt_module_id module = 1 + pick(&sequence, w->module_count - 1);
            if (pick(&sequence, 2) == 0) {
                rt_loader_open(&w->loader, module);
                model_open(&m, module);
            } else {
                bool closed = rt_ok(rt_loader_close(&w->loader, module));
                assert_int_equal(closed, m.open[module] > 0);
                if (closed) m.open[module]--;
                model_reload(&m);
            }
            compare_with_model(w, &m);
            bound += model_find(&m, module, 0) != RT_MODULE_NONE;
        }
        world_destroy(w);
    }
    assert_true(bound > WORLDS); /* enough of the compared symbols had a definition */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_preloaded_definition_comes_before_a_needed_one),
        cmocka_unit_test(the_executable_comes_before_the_preloaded),
        cmocka_unit_test(dlopened_modules_are_not_in_the_global_scope),
        cmocka_unit_test(a_global_module_that_a_plugin_needs_stays_global),
        cmocka_unit_test(a_later_opening_adds_its_scope_and_takes_it_along),
        cmocka_unit_test(any_history_agrees_with_the_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
