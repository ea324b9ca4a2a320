/* The explanation as a DOT graph: its frame, and the commands. Every identifier and label is quoted
 * or escaped. */
#include "conformance/explain/explain.h"

#include "conformance/explain/dot_internal.h"

#include <stdio.h>

/* ---- Commands ------------------------------------------------------------------------------ */

/* The subject of a command, for its label: the first of these fields that it has. */
static rt_text subject_of(const rt_event *event)
{
    static const char *const keys[] = {"kernel", "variable", "memory", "to"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        rt_text text = cnf_event_text(event, keys[i]);
        if (text.length > 0) return text;
    }
    return (rt_text){0};
}

bool cnf_dot_has_command(const cnf_dot_process *process, rt_text number)
{
    return rt_map_find(&process->commands, number) != RT_MAP_NONE;
}

void cnf_dot_command_node(rt_buffer *out, const cnf_dot_process *process, rt_text number)
{
    char sort[32] = "command";
    if (process->number > 0) snprintf(sort, sizeof sort, "process %u command", process->number);
    cnf_dot_node(out, sort, number);
}

static void command_write(rt_buffer *out, const cnf_dot_process *process, const rt_event *event)
{
    rt_text number = cnf_event_text(event, "command"), subject = subject_of(event);
    rt_text queue = cnf_event_text(event, "queue");
    bool read = event->kind == RT_EVENT_HOST_READ;
    rt_buffer_printf(out, "    ");
    cnf_dot_command_node(out, process, number);
    rt_buffer_printf(out, " [label=\"");
    cnf_dot_quote(out, number);
    rt_buffer_printf(out, ": %s", rt_event_name(event->kind));
    if (subject.length > 0) rt_buffer_append_byte(out, ' ');
    cnf_dot_quote(out, subject);
    if (queue.length > 0) rt_buffer_printf(out, "\\nqueue ");
    cnf_dot_quote(out, queue);
    rt_buffer_printf(out, "\"%s];\n", read ? ", shape=ellipse" : "");
}

/* Writes an edge from each existing command that it waits for. */
static void waits_write(rt_buffer *out, const cnf_dot_process *process, const rt_event *event)
{
    const rt_event_field *after = rt_event_field_find(event, RT_TEXT("after"));
    for (uint32_t i = 0; i < after->value_count; i++) {
        if (!cnf_dot_has_command(process, after->values[i])) continue;
        rt_buffer_printf(out, "    ");
        cnf_dot_command_node(out, process, after->values[i]);
        rt_buffer_printf(out, " -> ");
        cnf_dot_command_node(out, process, cnf_event_text(event, "command"));
        rt_buffer_printf(out, ";\n");
    }
}

static void process_write(rt_buffer *out, cnf_dot_process *process)
{
    const rt_event *events = process->events;
    for (uint32_t i = process->begin; i < process->end; i++) {
        if (!cnf_event_is_command(&events[i])) continue;
        command_write(out, process, &events[i]);
        rt_map_set(&process->commands, cnf_event_text(&events[i], "command"), i);
    }
    for (uint32_t i = process->begin; i < process->end; i++)
        if (cnf_event_is_command(&events[i])) waits_write(out, process, &events[i]);
    cnf_dot_fusions(out, process);
    rt_map_free(&process->commands);
}

static void commands_write(rt_buffer *out, const cnf_history *history)
{
    rt_buffer_printf(
        out,
        "  subgraph \"cluster_commands\" {\n    label=\"commands\";\n"
        "    color=\"white\";\n    fontsize=12;\n    node [shape=box, color=\"%s\"];\n",
        DOT_LINE);
    cnf_dot_process process = {.events = history->events};
    for (uint32_t i = 0; i <= history->event_count; i++) {
        bool ends = i == history->event_count || history->events[i].kind == RT_EVENT_RESTART;
        if (!ends) continue;
        process.end = i;
        process_write(out, &process);
        process.begin = i + 1;
        process.number++;
    }
    rt_buffer_printf(out, "  }\n");
}

/* Opens the graph: its title, and the style of nodes, edges and boxes. */
static void frame_begin(rt_buffer *out, rt_text title)
{
    rt_buffer_printf(out, "digraph \"");
    cnf_dot_quote(out, title);
    rt_buffer_printf(out, "\" {\n  label=\"");
    cnf_dot_quote(out, title);
    rt_buffer_printf(out,
                     "\";\n  labelloc=t;\n  fontsize=16;\n  rankdir=LR;\n  bgcolor=\"white\";\n"
                     "  compound=true;\n  nodesep=\"0.2\";\n  ranksep=\"1.0\";\n");
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
    cnf_contents contents;
    cnf_history_read(&arena, trace, &history);
    cnf_link_graph_find(&arena, scenario, &history, &graph);
    cnf_contents_find(scenario, &history, &contents);
    frame_begin(out, scenario->path);
    commands_write(out, &history); /* Graphviz puts later parts higher. */
    cnf_dot_programs(out, &history);
    cnf_dot_variables(out, &history, &contents);
    cnf_dot_images(out, scenario, &graph, &history, &contents);
    cnf_dot_program_edges(out, &history, &graph);
    cnf_dot_variable_edges(out, &history, &graph, &contents);
    rt_buffer_printf(out, "}\n");
    cnf_contents_free(&contents);
    cnf_link_graph_free(&graph);
    cnf_history_free(&history);
    rt_arena_reset(&arena);
}
