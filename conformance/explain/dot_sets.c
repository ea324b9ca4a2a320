/* Sets of virtual functions as DOT: in an image's table, a row for each set that it provides,
 * calls, creates or uses; edges to the images that joined because of the set, and from a dummy to
 * the image that it replaces. */
#include "conformance/explain/dot_internal.h"
#include "reference/image/virtual_functions.h"

#include <string.h>

#define SET_GROUND "#fce4ec"

/* How a property relates to the sets in its value, and the name of that relation in events. */
static const struct role {
    const char *property, *relation, *words;
} roles[] = {
    {RT_VIRTUAL_FUNCTIONS_PROVIDES, "provides", "provides set"},
    {RT_VIRTUAL_FUNCTIONS_CALLS, "calls", "calls set"},
    {RT_VIRTUAL_FUNCTIONS_CREATES, "creates", "creates set"},
    {RT_VIRTUAL_FUNCTIONS_USES, "uses", "uses set"},
};

static const struct role *role_of(rt_text property)
{
    for (size_t i = 0; i < sizeof roles / sizeof *roles; i++)
        if (rt_text_is(property, roles[i].property)) return &roles[i];
    return NULL;
}

static rt_text set_port(rt_arena *arena, uint32_t property, uint32_t name)
{
    return rt_arena_printf(arena, "v%u_%u", property, name);
}

void cnf_dot_set_rows(rt_buffer *out, rt_arena *arena, const rt_image *image)
{
    const rt_property_set *set = rt_image_set(image, RT_SET_VIRTUAL_FUNCTIONS);
    for (uint32_t i = 0; set && i < set->property_count; i++) {
        const struct role *role = role_of(set->properties[i].name);
        if (!role) continue;
        rt_text list = rt_property_text_value(&set->properties[i]), name;
        for (uint32_t n = 0; rt_set_names_next(&list, &name); n++)
            cnf_dot_row(out, set_port(arena, i, n), SET_GROUND, DOT_INK, role->words, name);
    }
}

bool cnf_dot_is_dummy(const rt_image *image)
{
    const rt_property_set *set = rt_image_set(image, RT_SET_VIRTUAL_FUNCTIONS);
    for (uint32_t i = 0; set && i < set->property_count; i++) {
        const rt_property *property = &set->properties[i];
        if (rt_text_is(property->name, RT_VIRTUAL_FUNCTIONS_DUMMY))
            return property->type == RT_PROPERTY_UINT32 && property->number == 1;
    }
    return false;
}

/* ---- Edges between images ------------------------------------------------------------------ */

/* NULL: the trace is damaged. */
static const rt_image *image_find(const cnf_link_graph *graph, rt_text name)
{
    for (uint32_t i = 0; i < graph->images.count; i++) {
        const rt_image *image = graph->images.items[i].image;
        if (rt_text_equal(image->name, name)) return image;
    }
    return NULL;
}

/* Appends an image and the port of its row for a relation and set, or of its title if it has no
 * such row. */
static void end_write(rt_buffer *out, const char *before, rt_arena *arena, const rt_image *image,
                      rt_text relation, rt_text set_name)
{
    const rt_property_set *set = rt_image_set(image, RT_SET_VIRTUAL_FUNCTIONS);
    cnf_dot_node(out, before, "image", image->name);
    for (uint32_t i = 0; set && i < set->property_count; i++) {
        const struct role *role = role_of(set->properties[i].name);
        if (!role || !rt_text_is(relation, role->relation)) continue;
        rt_text list = rt_property_text_value(&set->properties[i]), name;
        for (uint32_t n = 0; rt_set_names_next(&list, &name); n++) {
            if (!rt_text_equal(name, set_name)) continue;
            rt_buffer_printf(out, ":%.*s", RT_TEXT_ARG(set_port(arena, i, n)));
            return;
        }
    }
    rt_buffer_printf(out, ":title");
}

void cnf_dot_joins(rt_buffer *out, const cnf_link_graph *graph, const cnf_history *history)
{
    rt_arena arena = {0};
    rt_map drawn = {0};
    for (uint32_t i = 0; i < history->event_count; i++) {
        if (!cnf_event_joins_anew(history, i)) continue;
        const rt_event *event = &history->events[i];
        const rt_image *image = image_find(graph, cnf_event_text(event, "image"));
        const rt_image *provider = image_find(graph, cnf_event_text(event, "provider"));
        const rt_image *real = image_find(graph, cnf_event_text(event, "stands_for"));
        rt_text set = cnf_event_text(event, "set");
        if (image && provider) {
            end_write(out, "    ", &arena, image, cnf_event_text(event, "relation"), set);
            end_write(out, " -> ", &arena, provider, RT_TEXT("provides"), set);
            rt_buffer_printf(out, ";\n");
        }
        if (!provider || !real) continue;
        /* Draws the edge between a dummy and its image once, although every image that creates the
         * same objects repeats the event. */
        rt_text pair = rt_arena_printf(&arena, "%.*s\n%.*s", RT_TEXT_ARG(provider->name),
                                       RT_TEXT_ARG(real->name));
        if (rt_map_find(&drawn, pair) != RT_MAP_NONE) continue;
        rt_map_set(&drawn, pair, 0);
        cnf_dot_node(out, "    ", "image", provider->name);
        cnf_dot_node(out, ":title -> ", "image", real->name);
        rt_buffer_printf(out, ":title [style=dashed, fontsize=9, label=\"stands for\"];\n");
    }
    rt_map_free(&drawn);
    rt_arena_reset(&arena);
}
