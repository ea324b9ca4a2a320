/* The explanation as a DOT graph: its frame, and the commands.  Every identifier and label is
 * quoted or escaped, whatever it holds. */
#include "conformance/explain/explain.h"

#include "conformance/explain/dot_internal.h"

#include <stdio.h>

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
    cnf_dot_node(out, sort, number);
    rt_buffer_printf(out, " [label=\"");
    cnf_dot_quote(out, number);
    rt_buffer_printf(out, ": %s", rt_event_name(event->kind));
    if (subject.length > 0) rt_buffer_append_byte(out, ' ');
    cnf_dot_quote(out, subject);
    if (queue.length > 0) rt_buffer_printf(out, "\\nqueue ");
    cnf_dot_quote(out, queue);
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
        cnf_dot_node(out, sort, after->values[i]);
        rt_buffer_printf(out, " -> ");
        cnf_dot_node(out, sort, cnf_event_text(event, "command"));
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
    rt_buffer_printf(
        out,
        "  subgraph \"cluster_commands\" {\n    label=\"commands\";\n"
        "    color=\"white\";\n    fontsize=12;\n    node [shape=box, color=\"%s\"];\n",
        DOT_LINE);
    uint32_t begin = 0, process = 0;
    for (uint32_t i = 0; i <= history->event_count; i++) {
        bool ends = i == history->event_count || history->events[i].kind == RT_EVENT_RESTART;
        if (!ends) continue;
        process_write(out, history->events, begin, i, process++);
        begin = i + 1;
    }
    rt_buffer_printf(out, "  }\n");
}

/* Opens the graph: its title, and what nodes, edges and boxes look like. */
static void frame_begin(rt_buffer *out, rt_text title)
{
    rt_buffer_printf(out, "digraph \"");
    cnf_dot_quote(out, title);
    rt_buffer_printf(out, "\" {\n  label=\"");
    cnf_dot_quote(out, title);
    rt_buffer_printf(out,
                     "\";\n  labelloc=t;\n  fontsize=16;\n  rankdir=LR;\n  bgcolor=\"white\";\n"
                     "  nodesep=\"0.2\";\n  ranksep=\"1.0\";\n");
    rt_buffer_printf(out, "  fontname=\"%s\";\n  fontcolor=\"%s\";\n  color=\"%s\";\n", DOT_FONT,
                     DOT_INK, DOT_LINE);
    rt_buffer_printf(out,
                     "  node [fontname=\"%s\", fontsize=11, fontcolor=\"%s\"];\n"
                     "  edge [fontname=\"%s\", fontsize=10, color=\"%s\", arrowsize=\"0.7\"];\n",
                     DOT_FONT, DOT_INK, DOT_FONT, DOT_FAINT_INK);
}

void cnf_explain_dot(rt_buffer *out, const scn_scenario *scenario, rt_text trace)
{
    rt_arena arena = {0};
    cnf_history history;
    cnf_link_graph graph;
    cnf_history_read(&arena, trace, &history);
    cnf_link_graph_find(&arena, scenario, &history, &graph);
    frame_begin(out, scenario->path);
    commands_write(out, &history); /* The later a part, the higher Graphviz puts it. */
    cnf_dot_programs(out, &history);
    cnf_dot_images(out, scenario, &graph, &history);
    cnf_dot_program_edges(out, &history, &graph);
    rt_buffer_printf(out, "}\n");
    cnf_link_graph_free(&graph);
    cnf_history_free(&history);
    rt_arena_reset(&arena);
}
