/* Who imports what from whom: property sets say what is possible, the trace what was done.
 *
 * Cost is linear in images, imports and exporters of what is imported. */
#include "conformance/explain/explain_internal.h"

#include <string.h>

/* An image that exports a symbol; the exporters of a symbol form a list, in the order of images. */
typedef struct exporter {
    uint32_t image;
    uint32_t next; /* SCN_NONE: the last */
} exporter;

typedef struct finder {
    rt_arena *arena;
    cnf_link_graph *graph;
    rt_map images; /* name -> image */
    rt_map heads;  /* symbol -> its first exporter */
    rt_map tails;  /* symbol -> its last exporter */
    RT_VECTOR(exporter) exporters;
    rt_map outcomes; /* "image\nsymbol" -> provider, or UNRESOLVED_HERE */
} finder;

/* Not an image's index: their number is limited far below. */
#define UNRESOLVED_HERE (UINT32_MAX - 1)

/* ---- What is possible ---------------------------------------------------------------------- */

static void images_collect(finder *find, const scn_scenario *scenario)
{
    for (uint32_t i = 0; i < scenario->module_count; i++) {
        const rt_image_list *list = &scenario->modules[i].images;
        for (uint32_t j = 0; j < list->count; j++) {
            uint32_t index = find->graph->images.count;
            *rt_vector_push(&find->graph->images) = (cnf_xpl_image){&list->images[j], i, 0};
            rt_map_set(&find->images, list->images[j].name, index);
        }
    }
}

static void exporter_add(finder *find, rt_text symbol, uint32_t image)
{
    uint32_t index = find->exporters.count;
    *rt_vector_push(&find->exporters) = (exporter){image, SCN_NONE};
    uint32_t last = rt_map_find(&find->tails, symbol);
    if (last == RT_MAP_NONE)
        rt_map_set(&find->heads, symbol, index);
    else
        find->exporters.items[last].next = index;
    rt_map_set(&find->tails, symbol, index);
}

static void exporters_collect(finder *find)
{
    for (uint32_t i = 0; i < find->graph->images.count; i++) {
        const rt_property_set *set =
            rt_image_set(find->graph->images.items[i].image, RT_SET_EXPORTED_SYMBOLS);
        for (uint32_t j = 0; set && j < set->property_count; j++)
            exporter_add(find, set->properties[j].name, i);
    }
}

/* ---- What was done ------------------------------------------------------------------------- */

static rt_text outcome_key(rt_arena *arena, rt_text image, rt_text symbol)
{
    return rt_arena_printf(arena, "%.*s\n%.*s", RT_TEXT_ARG(image), RT_TEXT_ARG(symbol));
}

static void outcomes_collect(finder *find, const cnf_history *history)
{
    for (uint32_t i = 0; i < history->event_count; i++) {
        const rt_event *event = &history->events[i];
        bool resolved = event->kind == RT_EVENT_RESOLVE;
        if (!resolved && event->kind != RT_EVENT_UNRESOLVED) continue;
        uint32_t provider = UNRESOLVED_HERE;
        if (resolved) provider = rt_map_find(&find->images, cnf_event_text(event, "provider"));
        if (provider == RT_MAP_NONE) continue;
        rt_text key = outcome_key(find->arena, cnf_event_text(event, "image"),
                                  cnf_event_text(event, "symbol"));
        rt_map_set(&find->outcomes, key, provider); /* the last outcome counts */
    }
}

static void import_add(finder *find, uint32_t image, rt_text symbol, uint32_t provider,
                       cnf_import_state state)
{
    CHECK((provider == SCN_NONE) == (state == CNF_IMPORT_UNRESOLVED));
    *rt_vector_push(&find->graph->imports) = (cnf_import){image, symbol, provider, state};
}

static void import_settle(finder *find, uint32_t image, rt_text symbol)
{
    rt_text name = find->graph->images.items[image].image->name;
    uint32_t outcome = rt_map_find(&find->outcomes, outcome_key(find->arena, name, symbol));
    uint32_t exported = rt_map_find(&find->heads, symbol);
    if (outcome != RT_MAP_NONE && outcome != UNRESOLVED_HERE) {
        import_add(find, image, symbol, outcome, CNF_IMPORT_RESOLVED);
    } else if (outcome == UNRESOLVED_HERE || exported == RT_MAP_NONE) {
        import_add(find, image, symbol, SCN_NONE, CNF_IMPORT_UNRESOLVED);
    } else {
        for (; exported != SCN_NONE; exported = find->exporters.items[exported].next)
            import_add(find, image, symbol, find->exporters.items[exported].image,
                       CNF_IMPORT_POSSIBLE);
    }
}

static void imports_collect(finder *find)
{
    for (uint32_t i = 0; i < find->graph->images.count; i++) {
        const rt_property_set *set =
            rt_image_set(find->graph->images.items[i].image, RT_SET_IMPORTED_SYMBOLS);
        for (uint32_t j = 0; set && j < set->property_count; j++)
            import_settle(find, i, set->properties[j].name);
    }
}

/* ---- Cycles -------------------------------------------------------------------------------- */

/* Tarjan's strongly connected components with an explicit stack: a chain of imports may be as long
 * as the number of images. */
typedef struct visit {
    uint32_t order; /* order of its first visit, from 1; 0: not visited */
    uint32_t low;   /* earliest image on the stack that it reaches */
    uint32_t next;  /* next import to follow ... */
    uint32_t end;   /* ... and the end of its imports */
    uint32_t above; /* image whose import led here; SCN_NONE: none */
    bool stacked;
} visit;

typedef struct components {
    cnf_link_graph *graph;
    visit *visits; /* one per image */
    uint32_t *stack;
    uint32_t stack_count;
    uint32_t order;
} components;

static void visit_begin(components *walk, uint32_t image, uint32_t above)
{
    visit *now = &walk->visits[image];
    now->order = now->low = ++walk->order;
    now->above = above;
    now->stacked = true;
    walk->stack[walk->stack_count++] = image;
}

static bool imports_itself(const components *walk, uint32_t image, uint32_t first)
{
    for (uint32_t i = first; i < walk->visits[image].end; i++)
        if (walk->graph->imports.items[i].provider == image) return true;
    return false;
}

/* Pops the component that begins with this image; more than one image make a cycle. */
static void component_take(components *walk, uint32_t image, uint32_t first_import)
{
    bool alone = walk->stack[walk->stack_count - 1] == image;
    bool cycle = !alone || imports_itself(walk, image, first_import);
    if (cycle) walk->graph->cycle_count++;
    uint32_t taken;
    do {
        CHECK(walk->stack_count > 0);
        taken = walk->stack[--walk->stack_count];
        walk->visits[taken].stacked = false;
        if (cycle) walk->graph->images.items[taken].cycle = walk->graph->cycle_count;
    } while (taken != image);
}

/* Visits everything reachable from an image. `first` holds the first import of each image. */
static void component_walk(components *walk, const uint32_t *first, uint32_t root)
{
    visit_begin(walk, root, SCN_NONE);
    uint32_t image = root;
    while (image != SCN_NONE) {
        visit *now = &walk->visits[image];
        if (now->next < now->end) {
            uint32_t provider = walk->graph->imports.items[now->next++].provider;
            if (provider == SCN_NONE) continue;
            visit *other = &walk->visits[provider];
            if (other->order == 0) {
                visit_begin(walk, provider, image);
                image = provider;
            } else if (other->stacked && other->order < now->low) {
                now->low = other->order;
            }
            continue;
        }
        if (now->low == now->order) component_take(walk, image, first[image]);
        if (now->above != SCN_NONE && now->low < walk->visits[now->above].low)
            walk->visits[now->above].low = now->low;
        image = now->above;
    }
}

static void cycles_find(rt_arena *arena, cnf_link_graph *graph)
{
    uint32_t count = graph->images.count, import = 0;
    components walk = {.graph = graph};
    walk.visits = rt_arena_alloc_array(arena, count, sizeof *walk.visits);
    walk.stack = rt_arena_alloc_array(arena, count, sizeof *walk.stack);
    uint32_t *first = rt_arena_alloc_array(arena, count, sizeof *first);
    for (uint32_t i = 0; i < count; i++) {
        first[i] = walk.visits[i].next = import;
        while (import < graph->imports.count && graph->imports.items[import].image == i)
            import++;
        walk.visits[i].end = import;
    }
    CHECK(import == graph->imports.count);
    for (uint32_t i = 0; i < count; i++)
        if (walk.visits[i].order == 0) component_walk(&walk, first, i);
    CHECK(walk.stack_count == 0);
}

void cnf_link_graph_find(rt_arena *arena, const scn_scenario *scenario, const cnf_history *history,
                         cnf_link_graph *out_graph)
{
    *out_graph = (cnf_link_graph){0};
    finder find = {.arena = arena, .graph = out_graph};
    images_collect(&find, scenario);
    exporters_collect(&find);
    outcomes_collect(&find, history);
    imports_collect(&find);
    cycles_find(arena, out_graph);
    rt_map_free(&find.images);
    rt_map_free(&find.heads);
    rt_map_free(&find.tails);
    rt_map_free(&find.outcomes);
    rt_vector_free(&find.exporters);
}

void cnf_link_graph_free(cnf_link_graph *graph)
{
    rt_vector_free(&graph->images);
    rt_vector_free(&graph->imports);
}
