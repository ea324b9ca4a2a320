/* The explanation as a DOT graph.  Every identifier and label is quoted, whatever it holds. */
#include "conformance/explain/explain.h"

#include "conformance/explain/explain_internal.h"

#include <stdio.h>
#include <string.h>

/* ---- Quoting ------------------------------------------------------------------------------- */

/* Bytes of the well-formed UTF-8 character at `text`, 0 where there is none: Graphviz wants UTF-8,
 * and names from images may be anything.  Overlong forms pass; what shows does not depend on them.
 */
static size_t character_size(rt_text text)
{
    unsigned char first = (unsigned char)text.data[0];
    size_t size = first < 0x80 ? 1 : first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
    if ((first >= 0x80 && first < 0xC2) || first > 0xF4 || size > text.length) return 0;
    for (size_t i = 1; i < size; i++)
        if (((unsigned char)text.data[i] & 0xC0) != 0x80) return 0;
    return size;
}

/* Inside quotes: a quote ends the text, a backslash begins an escape of labels, and '&' an entity;
 * a control character would break the line. */
static void put_quoted_part(rt_buffer *out, rt_text text)
{
    while (text.length > 0) {
        size_t size = character_size(text);
        char first = text.data[0];
        if (size == 0 || (unsigned char)first < 0x20 || first == 0x7F) {
            rt_buffer_append_byte(out, '?');
            size = 1;
        } else if (first == '"' || first == '\\') {
            rt_buffer_printf(out, "\\%c", first);
        } else if (first == '&') {
            rt_buffer_printf(out, "&amp;");
        } else {
            rt_buffer_append(out, text.data, size);
        }
        text = (rt_text){text.data + size, text.length - size};
    }
}

/* Nodes are called by their sort and name or number, so that an image and a command differ. */
static void put_node(rt_buffer *out, const char *sort, rt_text name)
{
    rt_buffer_printf(out, "\"%s ", sort);
    put_quoted_part(out, name);
    rt_buffer_append_byte(out, '"');
}

static void put_image(rt_buffer *out, const cnf_link_graph *graph, uint32_t index)
{
    put_node(out, "image", graph->images.items[index].image->name);
}

/* ---- Images and their imports -------------------------------------------------------------- */

static void image_write(rt_buffer *out, const cnf_link_graph *graph, uint32_t index)
{
    const cnf_xpl_image *image = &graph->images.items[index];
    rt_buffer_printf(out, "      ");
    put_image(out, graph, index);
    rt_buffer_printf(out, " [label=\"");
    put_quoted_part(out, image->image->name);
    for (uint32_t i = 0; i < image->image->kernel_count; i++) {
        rt_buffer_printf(out, "\\n");
        put_quoted_part(out, image->image->kernels[i]);
    }
    rt_buffer_printf(out, "\"%s];\n", image->cycle ? ", color=orange, penwidth=2" : "");
}

/* Modules are boxes around their images; *inout_image is the first that no box has yet. */
static void module_write(rt_buffer *out, const scn_scenario *scenario, const cnf_link_graph *graph,
                         uint32_t module, uint32_t *inout_image)
{
    rt_buffer_printf(out, "    subgraph \"cluster_module_%u\" {\n      label=\"", module);
    put_quoted_part(out, scenario->modules[module].name);
    rt_buffer_printf(out, "\";\n      ");
    put_node(out, "module", scenario->modules[module].name);
    rt_buffer_printf(out, " [shape=point, style=invis];\n"); /* a box needs something in it */
    while (*inout_image < graph->images.count && graph->images.items[*inout_image].module == module)
        image_write(out, graph, (*inout_image)++);
    rt_buffer_printf(out, "    }\n");
}

static void import_write(rt_buffer *out, const cnf_link_graph *graph, const cnf_import *import)
{
    bool unresolved = import->state == CNF_IMPORT_UNRESOLVED;
    if (unresolved) {
        rt_buffer_printf(out, "    ");
        put_node(out, "unresolved", import->symbol);
        rt_buffer_printf(out, " [label=\"unresolved\", shape=plaintext, fontcolor=red];\n");
    }
    rt_buffer_printf(out, "    ");
    put_image(out, graph, import->image);
    rt_buffer_printf(out, " -> ");
    if (unresolved)
        put_node(out, "unresolved", import->symbol);
    else
        put_image(out, graph, import->provider);
    rt_buffer_printf(out, " [label=\"");
    put_quoted_part(out, import->symbol);
    const char *style = unresolved                             ? ", color=red"
                        : import->state == CNF_IMPORT_POSSIBLE ? ", style=dashed"
                                                               : "";
    rt_buffer_printf(out, "\"%s];\n", style);
}

static void links_write(rt_buffer *out, const scn_scenario *scenario, const cnf_link_graph *graph)
{
    rt_buffer_printf(out, "  subgraph \"cluster_link\" {\n    label=\"link graph\";\n"
                          "    node [shape=box];\n");
    uint32_t image = 0;
    for (uint32_t i = 0; i < scenario->module_count; i++)
        module_write(out, scenario, graph, i, &image);
    CHECK(image == graph->images.count);
    for (uint32_t i = 0; i < graph->imports.count; i++)
        import_write(out, graph, &graph->imports.items[i]);
    rt_buffer_printf(out, "  }\n");
}

/* ---- Commands ------------------------------------------------------------------------------ */

/* What a command is about, for its label: the first of these fields that it has. */
static rt_text subject_of(const rt_event *event)
{
    static const char *const keys[] = {"kernel", "memory", "to"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        rt_text text = cnf_event_text(event, keys[i]);
        if (text.length > 0) return text;
    }
    return (rt_text){0};
}

static void command_write(rt_buffer *out, const char *sort, const rt_event *event)
{
    rt_text number = cnf_event_text(event, "command"), subject = subject_of(event);
    rt_text queue = cnf_event_text(event, "queue");
    bool read = event->kind == RT_EVENT_HOST_READ;
    rt_buffer_printf(out, "    ");
    put_node(out, sort, number);
    rt_buffer_printf(out, " [label=\"");
    put_quoted_part(out, number);
    rt_buffer_printf(out, ": %s", rt_event_name(event->kind));
    if (subject.length > 0) rt_buffer_append_byte(out, ' ');
    put_quoted_part(out, subject);
    if (queue.length > 0) rt_buffer_printf(out, "\\nqueue ");
    put_quoted_part(out, queue);
    rt_buffer_printf(out, "\"%s];\n", read ? ", shape=ellipse" : "");
}

/* An edge from each command that it waits for; `numbers` are those of the commands that are there.
 */
static void waits_write(rt_buffer *out, const char *sort, const rt_map *numbers,
                        const rt_event *event)
{
    const rt_event_field *after = rt_event_field_find(event, RT_TEXT("after"));
    for (uint32_t i = 0; i < after->value_count; i++) {
        if (rt_map_find(numbers, after->values[i]) == RT_MAP_NONE) continue;
        rt_buffer_printf(out, "    ");
        put_node(out, sort, after->values[i]);
        rt_buffer_printf(out, " -> ");
        put_node(out, sort, cnf_event_text(event, "command"));
        rt_buffer_printf(out, ";\n");
    }
}

/* The commands of one process, whose numbers mean nothing in another: events begin to end - 1. */
static void process_write(rt_buffer *out, const rt_event *events, uint32_t begin, uint32_t end,
                          uint32_t process)
{
    char sort[32] = "command";
    if (process > 0) snprintf(sort, sizeof sort, "process %u command", process);
    rt_map numbers = {0};
    for (uint32_t i = begin; i < end; i++) {
        if (!cnf_event_is_command(&events[i])) continue;
        command_write(out, sort, &events[i]);
        rt_map_set(&numbers, cnf_event_text(&events[i], "command"), i);
    }
    for (uint32_t i = begin; i < end; i++)
        if (cnf_event_is_command(&events[i])) waits_write(out, sort, &numbers, &events[i]);
    rt_map_free(&numbers);
}

static void commands_write(rt_buffer *out, const cnf_history *history)
{
    rt_buffer_printf(out, "  subgraph \"cluster_commands\" {\n    label=\"commands\";\n"
                          "    node [shape=box];\n");
    uint32_t begin = 0, process = 0;
    for (uint32_t i = 0; i <= history->event_count; i++) {
        bool ends = i == history->event_count || history->events[i].kind == RT_EVENT_RESTART;
        if (!ends) continue;
        process_write(out, history->events, begin, i, process++);
        begin = i + 1;
    }
    rt_buffer_printf(out, "  }\n");
}

void cnf_explain_dot(rt_buffer *out, const scn_scenario *scenario, rt_text trace)
{
    rt_arena arena = {0};
    cnf_history history;
    cnf_link_graph graph;
    cnf_history_read(&arena, trace, &history);
    cnf_link_graph_find(&arena, scenario, &history, &graph);
    rt_buffer_printf(out, "digraph \"");
    put_quoted_part(out, scenario->path);
    rt_buffer_printf(out, "\" {\n  rankdir=LR;\n  node [fontname=\"sans-serif\"];\n"
                          "  edge [fontname=\"sans-serif\"];\n");
    links_write(out, scenario, &graph);
    commands_write(out, &history);
    rt_buffer_printf(out, "}\n");
    cnf_link_graph_free(&graph);
    cnf_history_free(&history);
    rt_arena_reset(&arena);
}
