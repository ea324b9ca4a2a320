/* Imports and their providers: property sets list the possible providers, the trace lists those
 * that the run chose. Cost is linear in images, imports and the exporters of imported symbols. */
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

/* Not an image's index: the limit on the number of images is far lower. */
#define UNRESOLVED_HERE (UINT32_MAX - 1)

/* ---- Possible providers -------------------------------------------------------------------- */

/* Collects the images and the exporters of each symbol. */
static void images_collect(finder *find, const scn_scenario *scenario)
{
    cnf_link_graph *graph = find->graph;
    for (uint32_t i = 0; i < scenario->module_count; i++) {
        const rt_image_list *list = &scenario->modules[i].images;
        for (uint32_t j = 0; j < list->count; j++) {
            rt_map_set(&find->images, list->images[j].name, graph->images.count);
            *rt_vector_push(&graph->images) = (cnf_xpl_image){&list->images[j], i, 0};
        }
    }
    for (uint32_t i = 0; i < graph->images.count; i++) {
        const rt_property_set *set =
            rt_image_set(graph->images.items[i].image, RT_SET_EXPORTED_SYMBOLS);
        for (uint32_t j = 0; set && j < set->property_count; j++) {
            rt_text symbol = set->properties[j].name;
            uint32_t index = find->exporters.count, last = rt_map_find(&find->tails, symbol);
            *rt_vector_push(&find->exporters) = (exporter){i, SCN_NONE};
            CHECK(last == RT_MAP_NONE || last < index);
            if (last == RT_MAP_NONE)
                rt_map_set(&find->heads, symbol, index);
            else
                find->exporters.items[last].next = index;
            rt_map_set(&find->tails, symbol, index);
        }
    }
}

/* ---- The run's choices --------------------------------------------------------------------- */

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
        rt_map_set(&find->outcomes, key, provider); /* overwrites an earlier outcome: the last one
                                                     * counts */
    }
}

/* Adds an import: as resolved or unresolved if the run searched for a provider, otherwise with all
 * its possible providers. */
static void import_add(finder *find, uint32_t image, rt_text symbol)
{
    cnf_link_graph *graph = find->graph;
    rt_text name = graph->images.items[image].image->name;
    uint32_t outcome = rt_map_find(&find->outcomes, outcome_key(find->arena, name, symbol));
    uint32_t entry = rt_map_find(&find->heads, symbol);
    if (outcome != RT_MAP_NONE && outcome != UNRESOLVED_HERE) {
        CHECK(outcome < graph->images.count);
        *rt_vector_push(&graph->imports) =
            (cnf_import){image, symbol, outcome, CNF_IMPORT_RESOLVED};
    } else if (outcome == UNRESOLVED_HERE || entry == RT_MAP_NONE) {
        *rt_vector_push(&graph->imports) =
            (cnf_import){image, symbol, SCN_NONE, CNF_IMPORT_UNRESOLVED};
    } else {
        for (; entry != SCN_NONE; entry = find->exporters.items[entry].next)
            *rt_vector_push(&graph->imports) = (cnf_import){
                image, symbol, find->exporters.items[entry].image, CNF_IMPORT_POSSIBLE};
    }
}

/* ---- Cycles -------------------------------------------------------------------------------- */

/* Tarjan's strongly connected components with an explicit stack, because a chain of imports may
 * contain every image. */
typedef struct visit {
    uint32_t order; /* order of its first visit, from 1; 0: not visited */
    uint32_t low;   /* earliest image on the stack that it reaches */
    uint32_t next;  /* next import to follow ... */
    uint32_t end;   /* ... and the end of this image's imports */
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
    visit *current = &walk->visits[image];
    CHECK(current->order == 0 && walk->stack_count < walk->graph->images.count);
    current->order = current->low = ++walk->order;
    current->above = above;
    current->stacked = true;
    walk->stack[walk->stack_count++] = image;
}

/* Pops the component that begins with this image. A component is a cycle if it has several images,
 * or one image that imports from itself. */
static void component_take(components *walk, uint32_t image, uint32_t first_import)
{
    CHECK(walk->stack_count > 0);
    bool is_cycle = walk->stack[walk->stack_count - 1] != image;
    for (uint32_t i = first_import; i < walk->visits[image].end && !is_cycle; i++)
        is_cycle = walk->graph->imports.items[i].provider == image;
    if (is_cycle) walk->graph->cycle_count++;
    uint32_t member;
    do {
        CHECK(walk->stack_count > 0);
        member = walk->stack[--walk->stack_count];
        CHECK(walk->visits[member].stacked);
        walk->visits[member].stacked = false;
        if (is_cycle) walk->graph->images.items[member].cycle = walk->graph->cycle_count;
    } while (member != image);
}

/* Visits everything reachable from an image. `first` holds the first import of each image. */
static void component_walk(components *walk, const uint32_t *first, uint32_t root)
{
    visit_begin(walk, root, SCN_NONE);
    uint32_t image = root;
    while (image != SCN_NONE) {
        visit *current = &walk->visits[image];
        if (current->next < current->end) {
            uint32_t provider = walk->graph->imports.items[current->next++].provider;
            if (provider == SCN_NONE) continue;
            visit *provider_visit = &walk->visits[provider];
            if (provider_visit->order == 0) {
                visit_begin(walk, provider, image);
                image = provider;
            } else if (provider_visit->stacked && provider_visit->order < current->low) {
                current->low = provider_visit->order;
            }
            continue;
        }
        if (current->low == current->order) component_take(walk, image, first[image]);
        if (current->above != SCN_NONE && current->low < walk->visits[current->above].low)
            walk->visits[current->above].low = current->low;
        image = current->above;
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
    outcomes_collect(&find, history);
    for (uint32_t i = 0; i < out_graph->images.count; i++) {
        const rt_property_set *set =
            rt_image_set(out_graph->images.items[i].image, RT_SET_IMPORTED_SYMBOLS);
        for (uint32_t k = 0; set && k < set->property_count; k++)
            import_add(&find, i, set->properties[k].name);
    }
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
