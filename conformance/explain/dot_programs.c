/* Programs as DOT: a table for each, with its images, and an edge to each of its kernels. These
 * kernels are known from events that name both a kernel and a program. */
#include "conformance/explain/dot_internal.h"

#include <stdio.h>

#define PROGRAM_GROUND "#f3e8fd"

void cnf_dot_program_node(rt_buffer *out, const char *before, const cnf_xpl_program *program)
{
    char kind[32] = "program";
    if (program->process > 0) snprintf(kind, sizeof kind, "process %u program", program->process);
    cnf_dot_node(out, before, kind, program->id);
}

static void program_write(rt_buffer *out, rt_arena *arena, const cnf_xpl_program *program)
{
    cnf_dot_program_node(out, "    ", program);
    rt_buffer_printf(out,
                     " [shape=plain, label=<<TABLE BORDER=\"1\" CELLBORDER=\"0\" "
                     "CELLSPACING=\"0\" CELLPADDING=\"4\" COLOR=\"%s\" BGCOLOR=\"white\">\n",
                     DOT_LINE);
    rt_text by = program->link ? cnf_event_text(program->link, "by") : (rt_text){0};
    rt_text device = program->build ? cnf_event_text(program->build, "device") : (rt_text){0};
    rt_buffer remark = {0};
    rt_buffer_printf(&remark, program->link ? "linked" : "built");
    if (by.length > 0) cnf_dot_cell_text(&remark, " by ", by);
    if (device.length > 0) cnf_dot_cell_text(&remark, " for device ", device);
    cnf_dot_title(out, PROGRAM_GROUND,
                  rt_arena_printf(arena, "program %.*s", RT_TEXT_ARG(program->id)),
                  rt_buffer_text(&remark));
    rt_buffer_free(&remark);
    for (uint32_t i = 0; program->inputs && i < program->inputs->value_count; i++)
        cnf_dot_row(out, (rt_text){0}, "white", DOT_INK, "of", program->inputs->values[i]);
    if (!program->build) {
        cnf_dot_row_begin(out, (rt_text){0}, "white", DOT_ALARM_INK);
        rt_buffer_printf(out, "not built");
        cnf_dot_row_end(out);
    }
    if (program->released) {
        cnf_dot_row_begin(out, (rt_text){0}, "white", DOT_FAINT_INK);
        rt_buffer_printf(out, "released");
        cnf_dot_row_end(out);
    }
    rt_buffer_printf(out, "    </TABLE>>];\n");
}

/* ---- Which kernels ------------------------------------------------------------------------- */

/* Writes an edge to the kernel in the first image of the program that contains the kernel; the
 * program was created for that image. */
static void kernel_edge(rt_buffer *out, rt_arena *arena, const cnf_link_graph *graph,
                        const rt_map *images, const cnf_xpl_program *program, rt_text kernel)
{
    for (uint32_t i = 0; program->inputs && i < program->inputs->value_count; i++) {
        uint32_t index = rt_map_find(images, program->inputs->values[i]);
        if (index == RT_MAP_NONE) continue;
        CHECK(index < graph->images.count);
        const rt_image *image = graph->images.items[index].image;
        uint32_t number = rt_image_kernel(image, kernel);
        if (number == RT_KERNEL_NONE) continue;
        cnf_dot_program_node(out, "  ", program);
        cnf_dot_node(out, " -> ", "image", image->name);
        rt_buffer_printf(out, ":%.*s [arrowhead=dot];\n",
                         RT_TEXT_ARG(cnf_dot_kernel_port(arena, number)));
        return;
    }
}

void cnf_dot_program_edges(rt_buffer *out, const cnf_history *history, const cnf_link_graph *graph)
{
    rt_arena arena = {0};
    rt_map images = {0}, drawn = {0};
    for (uint32_t i = 0; i < graph->images.count; i++)
        rt_map_set(&images, graph->images.items[i].image->name, i);
    for (uint32_t i = 0; i < history->event_count; i++) {
        rt_text kernel = cnf_event_text(&history->events[i], "kernel");
        uint32_t program = history->event_programs[i];
        if (kernel.length == 0 || program == SCN_NONE) continue;
        rt_text pair = rt_arena_printf(&arena, "%u\n%.*s", program, RT_TEXT_ARG(kernel));
        if (rt_map_find(&drawn, pair) != RT_MAP_NONE) continue;
        rt_map_set(&drawn, pair, i);
        kernel_edge(out, &arena, graph, &images, &history->programs.items[program], kernel);
    }
    rt_map_free(&images);
    rt_map_free(&drawn);
    rt_arena_reset(&arena);
}

void cnf_dot_programs(rt_buffer *out, const cnf_history *history)
{
    if (history->programs.count == 0) return;
    rt_buffer_printf(out, "  subgraph \"cluster_programs\" {\n    label=\"programs\";\n"
                          "    color=\"white\";\n    fontsize=12;\n");
    rt_arena arena = {0};
    for (uint32_t i = history->programs.count; i-- > 0;) /* the first program on top, like modules
                                                          */
        program_write(out, &arena, &history->programs.items[i]);
    rt_arena_reset(&arena);
    rt_buffer_printf(out, "  }\n");
}
