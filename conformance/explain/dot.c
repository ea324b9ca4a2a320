/* The explanation as a DOT graph: its frame, and the commands. Every identifier and label is quoted
 * or escaped. */
#include "conformance/explain/explain.h"

#include "conformance/explain/dot_internal.h"

#include <stdio.h>

/* ---- Commands ------------------------------------------------------------------------------ */

bool cnf_dot_has_command(const cnf_dot_process *process, rt_text number)
{
    return rt_map_find(&process->commands, number) != RT_MAP_NONE;
}

void cnf_dot_command_node(rt_buffer *out, const char *before, const cnf_dot_process *process,
                          rt_text number)
{
    char kind[32] = "command";
    if (process->number > 0) snprintf(kind, sizeof kind, "process %u command", process->number);
    cnf_dot_node(out, before, kind, number);
}

static void command_write(rt_buffer *out, const cnf_dot_process *process, const rt_event *event)
{
    /* The subject of a command is the value of the first of these fields that its event has. */
    static const char *const keys[] = {"kernel", "variable", "memory", "to"};
    rt_text subject = {0};
    for (size_t i = 0; i < sizeof keys / sizeof *keys && subject.length == 0; i++)
        subject = cnf_event_text(event, keys[i]);
    rt_text number = cnf_event_text(event, "command"), queue = cnf_event_text(event, "queue");
    cnf_dot_command_node(out, "    ", process, number);
    cnf_dot_quote(out, " [label=\"", number);
    rt_buffer_printf(out, ": %s", rt_event_name(event->kind));
    if (subject.length > 0) cnf_dot_quote(out, " ", subject);
    if (queue.length > 0) cnf_dot_quote(out, "\\nqueue ", queue);
    rt_buffer_printf(out, "\"%s];\n", event->kind == RT_EVENT_HOST_READ ? ", shape=ellipse" : "");
}

/* Writes the commands, and an edge to each from every existing command that it waits for. */
static void process_write(rt_buffer *out, cnf_dot_process *process)
{
    CHECK(process->begin <= process->end);
    const rt_event *events = process->events;
    for (uint32_t i = process->begin; i < process->end; i++) {
        if (!cnf_event_is_command(&events[i])) continue;
        command_write(out, process, &events[i]);
        rt_map_set(&process->commands, cnf_event_text(&events[i], "command"), i);
    }
    for (uint32_t i = process->begin; i < process->end; i++) {
        if (!cnf_event_is_command(&events[i])) continue;
        const rt_event_field *after = rt_event_field_find(&events[i], RT_TEXT("after"));
        for (uint32_t k = 0; k < after->value_count; k++) {
            if (!cnf_dot_has_command(process, after->values[k])) continue;
            cnf_dot_command_node(out, "    ", process, after->values[k]);
            cnf_dot_command_node(out, " -> ", process, cnf_event_text(&events[i], "command"));
            rt_buffer_printf(out, ";\n");
        }
    }
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
    cnf_dot_quote(out, "digraph \"", title);
    cnf_dot_quote(out, "\" {\n  label=\"", title);
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
    commands_write(out, &history); /* First, because Graphviz puts later parts higher. */
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
