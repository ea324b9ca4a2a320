/* device_globals as DOT: a table for each with the places of its content, edges from the images
 * that have it and from the programs that were pointed to a place. */
#include "conformance/explain/dot_internal.h"

#include <inttypes.h>

#define VARIABLE_GROUND "#e0f2f1"

static rt_text image_port(rt_arena *arena, uint32_t property)
{
    return rt_arena_printf(arena, "g%u", property);
}

static rt_text place_port(rt_arena *arena, uint32_t place)
{
    return rt_arena_printf(arena, "p%u", place);
}

void cnf_dot_variable_rows(rt_buffer *out, rt_arena *arena, const rt_image *image,
                           const cnf_contents *contents)
{
    const rt_property_set *set = rt_image_set(image, RT_SET_DEVICE_GLOBALS);
    for (uint32_t i = 0; set && i < set->property_count; i++) {
        uint32_t index = rt_map_find(&contents->ids, set->properties[i].name);
        CHECK(index != RT_MAP_NONE);
        cnf_dot_row(out, image_port(arena, i), VARIABLE_GROUND, DOT_INK, "device_global",
                    contents->variables.items[index].name);
    }
}

/* ---- A variable ---------------------------------------------------------------------------- */

static void title_write(rt_buffer *out, rt_arena *arena, const cnf_xpl_variable *variable)
{
    rt_text remark = RT_TEXT("size unknown");
    if (variable->size > 0)
        remark = rt_arena_printf(arena, "%" PRIu64 " byte%s%s", variable->size,
                                 variable->size == 1 ? "" : "s",
                                 variable->image_scope ? ", image scope" : "");
    cnf_dot_title(out, VARIABLE_GROUND, variable->name, remark);
    if (!rt_text_equal(variable->name, variable->id))
        cnf_dot_row(out, (rt_text){0}, "white", DOT_FAINT_INK, "id", variable->id);
}

static void device_words(rt_buffer *out, const cnf_xpl_place *place)
{
    rt_buffer_printf(out, "on device ");
    cnf_dot_cell_text(out, place->device);
    rt_buffer_printf(out, ", context ");
    cnf_dot_cell_text(out, place->context);
    if (place->command.length > 0) rt_buffer_printf(out, ": zeros by command ");
    cnf_dot_cell_text(out, place->command);
}

/* A pointer is an edge, not a row. */
static void place_write(rt_buffer *out, rt_arena *arena, const cnf_history *history,
                        const cnf_xpl_place *place, uint32_t index)
{
    if (place->kind == CNF_PLACE_POINTER) return;
    cnf_dot_row_begin(out, place_port(arena, index), "white", DOT_INK);
    if (place->kind == CNF_PLACE_HOST) rt_buffer_printf(out, "in the host object");
    if (place->kind == CNF_PLACE_DEVICE) device_words(out, place);
    if (place->kind == CNF_PLACE_INSIDE) {
        rt_buffer_printf(out, "inside program ");
        cnf_dot_cell_text(out, place->program == SCN_NONE
                                   ? RT_TEXT("?")
                                   : history->programs.items[place->program].id);
    }
    if (place->process > 0) rt_buffer_printf(out, ", process %u", place->process);
    cnf_dot_row_end(out);
}

static void variable_write(rt_buffer *out, rt_arena *arena, const cnf_history *history,
                           const cnf_xpl_variable *variable)
{
    rt_buffer_printf(out, "    ");
    cnf_dot_node(out, "variable", variable->id);
    rt_buffer_printf(out,
                     " [shape=plain, label=<<TABLE BORDER=\"1\" CELLBORDER=\"0\" "
                     "CELLSPACING=\"0\" CELLPADDING=\"4\" COLOR=\"%s\" BGCOLOR=\"white\">\n",
                     DOT_LINE);
    title_write(out, arena, variable);
    for (uint32_t i = 0; i < variable->places.count; i++)
        place_write(out, arena, history, &variable->places.items[i], i);
    rt_buffer_printf(out, "    </TABLE>>];\n");
}

void cnf_dot_variables(rt_buffer *out, const cnf_history *history, const cnf_contents *contents)
{
    if (contents->variables.count == 0) return;
    rt_arena arena = {0};
    rt_buffer_printf(out, "  subgraph \"cluster_variables\" {\n    label=\"device_globals and "
                          "where their contents are\";\n    color=\"white\";\n    fontsize=12;\n");
    for (uint32_t i = contents->variables.count; i-- > 0;) /* first one on top, like modules */
        variable_write(out, &arena, history, &contents->variables.items[i]);
    rt_buffer_printf(out, "  }\n");
    rt_arena_reset(&arena);
}

/* ---- Whose it is --------------------------------------------------------------------------- */

static void image_edges(rt_buffer *out, rt_arena *arena, const rt_image *image)
{
    const rt_property_set *set = rt_image_set(image, RT_SET_DEVICE_GLOBALS);
    for (uint32_t i = 0; set && i < set->property_count; i++) {
        rt_buffer_printf(out, "  ");
        cnf_dot_node(out, "image", image->name);
        rt_buffer_printf(out, ":%.*s -> ", RT_TEXT_ARG(image_port(arena, i)));
        cnf_dot_node(out, "variable", set->properties[i].name);
        rt_buffer_printf(out, ":title [arrowhead=none, style=dotted];\n");
    }
}

/* Writes the edge from the program that has the instance, or a pointer to the content in that
 * place. */
static void place_edge(rt_buffer *out, rt_arena *arena, const cnf_history *history,
                       const cnf_xpl_variable *variable, uint32_t index)
{
    const cnf_xpl_place *place = &variable->places.items[index];
    bool pointer = place->kind == CNF_PLACE_POINTER;
    uint32_t target = pointer ? place->target : index;
    if (place->kind != CNF_PLACE_INSIDE && !pointer) return;
    if (place->program == SCN_NONE || target == SCN_NONE) return; /* a damaged trace */
    rt_buffer_printf(out, "  ");
    cnf_dot_program_node(out, &history->programs.items[place->program]);
    rt_buffer_printf(out, " -> ");
    cnf_dot_node(out, "variable", variable->id);
    rt_buffer_printf(out, ":%.*s", RT_TEXT_ARG(place_port(arena, target)));
    if (pointer) {
        rt_buffer_printf(out, " [style=dashed, fontsize=9, label=\"pointed by command ");
        cnf_dot_quote(out, place->command);
        rt_buffer_printf(out, "\"]");
    }
    rt_buffer_printf(out, ";\n");
}

void cnf_dot_variable_edges(rt_buffer *out, const cnf_history *history, const cnf_link_graph *graph,
                            const cnf_contents *contents)
{
    rt_arena arena = {0};
    for (uint32_t i = 0; i < graph->images.count; i++)
        image_edges(out, &arena, graph->images.items[i].image);
    for (uint32_t i = 0; i < contents->variables.count; i++) {
        const cnf_xpl_variable *variable = &contents->variables.items[i];
        for (uint32_t j = 0; j < variable->places.count; j++)
            place_edge(out, &arena, history, variable, j);
    }
    rt_arena_reset(&arena);
}
