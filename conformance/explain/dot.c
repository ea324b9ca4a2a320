/* The explanation as a DOT graph: its frame, and the commands. Every identifier and label is quoted
 * or escaped. */
#include "conformance/explain/explain.h"

#include "conformance/explain/dot_internal.h"

#include <stdio.h>
#include <string.h>

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

/* ---- Legend -------------------------------------------------------------------------------- */

/* Explains the kinds of edges and boxes that the graph has, each recognised by a text that only
 * this kind has. */
static void legend_write(rt_buffer *out, const rt_buffer *body)
{
    static const struct {
        const char *mark, *sign, *meaning;
    } rows[] = {
        {"\":i", "&#8594;", "from an import to the export that it uses"},
        {"class=possible", "dashed &#8594;", "from an import to an export that it could use"},
        {"\":v", "&#8594;", "between images that a set of virtual functions joins"},
        {"arrowhead=dot", "&#8212;&#9679;", "from a program to a kernel that was created from it"},
        {"class=contents", "&#8594;", "from a program to a device_global that is inside it"},
        {"style=dotted", "dotted", "from a device_global in an image to its contents"},
        {"-> \"command ", "&#8594;", "from a command to one that waits for it"},
        {"cluster_fusion", "dashed", "commands that were held back for a fusion"},
        {"STYLE=\"DASHED\"", "dashed box", "a dummy"},
    };
    bool is_open = false;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (body->size == 0 || !memmem(body->data, body->size, rows[i].mark, strlen(rows[i].mark)))
            continue;
        if (!is_open)
            rt_buffer_printf(out, "  \"legend\" [shape=plain, label=<<TABLE BORDER=\"0\" "
                                  "CELLBORDER=\"0\" CELLSPACING=\"0\" CELLPADDING=\"2\">\n");
        is_open = true;
        rt_buffer_printf(out,
                         "    <TR><TD ALIGN=\"RIGHT\"><FONT COLOR=\"%s\">%s</FONT></TD>"
                         "<TD ALIGN=\"LEFT\"><FONT COLOR=\"%s\">%s</FONT></TD></TR>\n",
                         DOT_FAINT_INK, rows[i].sign, DOT_FAINT_INK, rows[i].meaning);
    }
    if (is_open) rt_buffer_printf(out, "  </TABLE>>];\n");
}

/* ---- The graph ----------------------------------------------------------------------------- */

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
    rt_buffer_printf(
        out,
        "  node [fontname=\"%s\", fontsize=11, fontcolor=\"%s\"];\n"
        "  edge [fontname=\"%s\", fontsize=10, color=\"%s\", fontcolor=\"%s\", arrowsize=\"0.7\"];\n",
        DOT_FONT, DOT_INK, DOT_FONT, DOT_FAINT_INK, DOT_INK);
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
    rt_buffer body = {0};
    commands_write(&body, &history);
    cnf_dot_programs(&body, &history);
    cnf_dot_variables(&body, &history, &contents);
    cnf_dot_images(&body, scenario, &graph, &history, &contents);
    cnf_dot_program_edges(&body, &history, &graph);
    cnf_dot_variable_edges(&body, &history, &graph, &contents);
    /* The legend and the commands come first, because Graphviz puts later parts higher. */
    frame_begin(out, scenario->path);
    legend_write(out, &body);
    rt_buffer_append(out, body.data, body.size);
    rt_buffer_printf(out, "}\n");
    rt_buffer_free(&body);
    cnf_contents_free(&contents);
    cnf_link_graph_free(&graph);
    cnf_history_free(&history);
    rt_arena_reset(&arena);
}
