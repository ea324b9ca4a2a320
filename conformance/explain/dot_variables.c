/* device_globals as DOT: a table for each with the places that hold its contents, and edges from
 * the images that define it and from the programs whose pointers refer to a place. */
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

static void variable_write(rt_buffer *out, rt_arena *arena, const cnf_history *history,
                           const cnf_xpl_variable *variable)
{
    cnf_dot_node(out, "    ", "variable", variable->id);
    rt_buffer_printf(out,
                     " [shape=plain, label=<<TABLE BORDER=\"1\" CELLBORDER=\"0\" "
                     "CELLSPACING=\"0\" CELLPADDING=\"4\" COLOR=\"%s\" BGCOLOR=\"white\">\n",
                     DOT_LINE);
    rt_text remark = RT_TEXT("size unknown");
    if (variable->size > 0)
        remark = rt_arena_printf(arena, "%" PRIu64 " byte%s%s", variable->size,
                                 variable->size == 1 ? "" : "s",
                                 variable->image_scope ? ", image scope" : "");
    cnf_dot_title(out, VARIABLE_GROUND, variable->name, remark);
    if (!rt_text_equal(variable->name, variable->id))
        cnf_dot_row(out, (rt_text){0}, "white", DOT_FAINT_INK, "id", variable->id);
    for (uint32_t i = 0; i < variable->places.count; i++) {
        const cnf_xpl_place *place = &variable->places.items[i];
        CHECK(place->program == SCN_NONE || place->program < history->programs.count);
        if (place->kind == CNF_PLACE_POINTER) continue; /* drawn as an edge, not as a row */
        cnf_dot_row_begin(out, place_port(arena, i), "white", DOT_INK);
        if (place->kind == CNF_PLACE_HOST) {
            rt_buffer_printf(out, "in the host object");
        } else if (place->kind == CNF_PLACE_DEVICE) {
            cnf_dot_cell_text(out, "on device ", place->device);
            cnf_dot_cell_text(out, ", context ", place->context);
            if (place->command.length > 0)
                cnf_dot_cell_text(out, ": zeroed by command ", place->command);
        } else {
            bool is_known = place->program != SCN_NONE;
            cnf_dot_cell_text(out, "inside program ",
                              is_known ? history->programs.items[place->program].id : RT_TEXT("?"));
        }
        if (place->process > 0) rt_buffer_printf(out, ", process %u", place->process);
        cnf_dot_row_end(out);
    }
    rt_buffer_printf(out, "    </TABLE>>];\n");
}

void cnf_dot_variables(rt_buffer *out, const cnf_history *history, const cnf_contents *contents)
{
    if (contents->variables.count == 0) return;
    rt_arena arena = {0};
    rt_buffer_printf(out, "  subgraph \"cluster_variables\" {\n    label=\"device_globals and "
                          "where their contents are\";\n    color=\"white\";\n    fontsize=12;\n");
    for (uint32_t i = contents->variables.count; i-- > 0;) /* the first variable on top, like
                                                            * modules */
        variable_write(out, &arena, history, &contents->variables.items[i]);
    rt_buffer_printf(out, "  }\n");
    rt_arena_reset(&arena);
}

/* ---- Edges to the places ------------------------------------------------------------------- */

/* Writes the edge to a place from the program that contains it, or to its target from the program
 * that has the pointer. */
static void place_edge(rt_buffer *out, rt_arena *arena, const cnf_history *history,
                       const cnf_xpl_variable *variable, uint32_t index)
{
    const cnf_xpl_place *place = &variable->places.items[index];
    bool is_pointer = place->kind == CNF_PLACE_POINTER;
    uint32_t target = is_pointer ? place->target : index;
    if (place->kind != CNF_PLACE_INSIDE && !is_pointer) return;
    if (place->program == SCN_NONE || target == SCN_NONE) return; /* a damaged trace */
    CHECK(target < variable->places.count);
    cnf_dot_program_node(out, "  ", &history->programs.items[place->program]);
    cnf_dot_node(out, " -> ", "variable", variable->id);
    rt_buffer_printf(out, ":%.*s", RT_TEXT_ARG(place_port(arena, target)));
    if (is_pointer)
        cnf_dot_quote(out, " [style=dashed, fontsize=9, label=\"pointer set by command ",
                      place->command);
    rt_buffer_printf(out, is_pointer ? "\"];\n" : " [class=contents];\n");
}

void cnf_dot_variable_edges(rt_buffer *out, const cnf_history *history, const cnf_link_graph *graph,
                            const cnf_contents *contents)
{
    rt_arena arena = {0};
    for (uint32_t i = 0; i < graph->images.count; i++) {
        const rt_image *image = graph->images.items[i].image;
        const rt_property_set *set = rt_image_set(image, RT_SET_DEVICE_GLOBALS);
        for (uint32_t k = 0; set && k < set->property_count; k++) {
            cnf_dot_node(out, "  ", "image", image->name);
            rt_buffer_printf(out, ":%.*s", RT_TEXT_ARG(image_port(&arena, k)));
            cnf_dot_node(out, " -> ", "variable", set->properties[k].name);
            rt_buffer_printf(out, ":title [arrowhead=none, style=dotted];\n");
        }
    }
    for (uint32_t i = 0; i < contents->variables.count; i++) {
        const cnf_xpl_variable *variable = &contents->variables.items[i];
        for (uint32_t j = 0; j < variable->places.count; j++)
            place_edge(out, &arena, history, variable, j);
    }
    rt_arena_reset(&arena);
}
