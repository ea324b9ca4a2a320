/* Fusions as DOT, before and after fusing: a box around the kernels that a fusion held back, with
 * their edges in the command graph at that time, and an arrow to the launch that replaced them. */
#include "conformance/explain/dot_internal.h"
#include "conformance/explain/fusions.h"

#include <stdio.h>

#define HELD_GROUND "#fff8e1"

/* The fusions of one process, and the context for drawing them. */
typedef struct drawing {
    const rt_event *events;
    const cnf_dot_process *process;
    cnf_fusions fusions;
} drawing;

/* ---- Before -------------------------------------------------------------------------------- */

static void held_node(rt_buffer *out, const char *before, const drawing *draw, rt_text number)
{
    char kind[32] = "held";
    uint32_t process = draw->process->number;
    if (process > 0) snprintf(kind, sizeof kind, "process %u held", process);
    cnf_dot_node(out, before, kind, number);
}

static void box_write(rt_buffer *out, const drawing *draw, uint32_t index)
{
    CHECK(index < draw->fusions.list.count);
    const cnf_xpl_fusion *fusion = &draw->fusions.list.items[index];
    rt_buffer_printf(out,
                     "    subgraph \"cluster_fusion_%u_%u\" {\n      style=\"rounded,filled\";\n"
                     "      fillcolor=\"%s\";\n      color=\"%s\";\n      fontsize=10;\n",
                     draw->process->number, index, HELD_GROUND, DOT_LINE);
    cnf_dot_quote(out, "      label=\"fusion ", fusion->number);
    cnf_dot_quote(out, " on queue ", fusion->queue);
    rt_buffer_printf(out, "\\nheld back");
    if (fusion->status.length > 0) cnf_dot_quote(out, ", then ", fusion->status);
    if (fusion->reason.length > 0) cnf_dot_quote(out, ": ", fusion->reason);
    rt_buffer_printf(out, "\";\n");
    for (uint32_t i = 0; i < fusion->held.count; i++) {
        rt_text number = cnf_event_text(fusion->held.items[i], "command");
        held_node(out, "      ", draw, number);
        cnf_dot_quote(out, " [style=dashed, label=\"", number);
        cnf_dot_quote(out, ": ", cnf_event_text(fusion->held.items[i], "kernel"));
        rt_buffer_printf(out, "\"];\n");
    }
    rt_buffer_printf(out, "    }\n");
}

/* Writes the edges that a kernel had in the command graph when it was held back. */
static void held_edges(rt_buffer *out, const drawing *draw, const rt_event *event)
{
    const rt_event_field *after = rt_event_field_find(event, RT_TEXT("held_after"));
    for (uint32_t i = 0; after && i < after->value_count; i++) {
        uint32_t holder = rt_map_find(&draw->fusions.holds, after->values[i]);
        bool was_held = holder != RT_MAP_NONE &&
                        (uint32_t)(event - draw->events) < draw->fusions.list.items[holder].end;
        if (!was_held && !cnf_dot_has_command(draw->process, after->values[i])) continue;
        if (was_held)
            held_node(out, "    ", draw, after->values[i]);
        else
            cnf_dot_command_node(out, "    ", draw->process, after->values[i]);
        held_node(out, " -> ", draw, cnf_event_text(event, "command"));
        rt_buffer_printf(out, " [style=dashed];\n");
    }
}

/* ---- After --------------------------------------------------------------------------------- */

/* Writes an arrow from the box to the fused kernel, or from each kernel to its own launch. */
static void launch_edges(rt_buffer *out, const drawing *draw, uint32_t index)
{
    const cnf_xpl_fusion *fusion = &draw->fusions.list.items[index];
    if (fusion->held.count == 0) return;
    if (!fusion->launch || !cnf_event_is_command(fusion->launch)) {
        for (uint32_t i = 0; i < fusion->held.count; i++) {
            rt_text number = cnf_event_text(fusion->held.items[i], "command");
            if (!cnf_dot_has_command(draw->process, number)) continue;
            held_node(out, "    ", draw, number);
            cnf_dot_command_node(out, " -> ", draw->process, number);
            rt_buffer_printf(out, " [penwidth=2, label=\"alone\"];\n");
        }
        return;
    }
    const rt_event *last = fusion->held.items[fusion->held.count - 1];
    const rt_event_field *promoted =
        fusion->fuse ? rt_event_field_find(fusion->fuse, RT_TEXT("promoted")) : NULL;
    held_node(out, "    ", draw, cnf_event_text(last, "command"));
    cnf_dot_command_node(out, " -> ", draw->process, cnf_event_text(fusion->launch, "command"));
    rt_buffer_printf(out, " [ltail=\"cluster_fusion_%u_%u\", penwidth=2, label=\"fused%s",
                     draw->process->number, index, fusion->fuse ? "" : ", from the cache");
    for (uint32_t i = 0; promoted && i < promoted->value_count; i++)
        cnf_dot_quote(out, i == 0 ? "\\npromoted " : ", ", promoted->values[i]);
    rt_buffer_printf(out, "\"];\n");
}

void cnf_dot_fusions(rt_buffer *out, const cnf_dot_process *process)
{
    drawing draw = {.events = process->events, .process = process};
    cnf_fusions_find(process->events, process->begin, process->end, &draw.fusions);
    uint32_t count = draw.fusions.list.count;
    for (uint32_t i = 0; i < count; i++) /* a box must not be empty */
        if (draw.fusions.list.items[i].held.count > 0) box_write(out, &draw, i);
    for (uint32_t i = 0; i < count; i++) {
        const cnf_xpl_fusion *fusion = &draw.fusions.list.items[i];
        for (uint32_t k = 0; k < fusion->held.count; k++)
            held_edges(out, &draw, fusion->held.items[k]);
        launch_edges(out, &draw, i);
    }
    cnf_fusions_free(&draw.fusions);
}
