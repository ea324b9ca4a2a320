/* Fusions as DOT, before and after: a box of the kernels that one held back, with the edges that
 * they had in the command graph then, and an arrow to what was launched in their place. */
#include "conformance/explain/dot_internal.h"

#include <stdio.h>

#define HELD_GROUND "#fff8e1"

typedef struct fusion {
    rt_text number, queue;
    rt_text status;         /* how it ended; empty: it did not */
    rt_text reason;         /* why without a fused kernel; empty: it had one, or nobody says */
    rt_text kernel;         /* that the compiler made or had; empty: none */
    const rt_event *fuse;   /* NULL: the compiler was not asked */
    const rt_event *launch; /* of the fused kernel; NULL: none */
    uint32_t end;           /* the event of its end; UINT32_MAX: none */
    RT_VECTOR(const rt_event *) held;
} fusion;

/* The fusions of one process; the numbers of its commands mean nothing in another. */
typedef struct fusions {
    const rt_event *events;
    const cnf_dot_process *process;
    RT_VECTOR(fusion) list;
    rt_map holds; /* number of a held command -> index of its newest fusion */
} fusions;

/* ---- What happened ------------------------------------------------------------------------- */

/* The newest of that queue or, with a number, the one of that number; NULL: there is none. */
static fusion *fusion_find(fusions *all, rt_text queue, rt_text number)
{
    for (uint32_t i = all->list.count; i-- > 0;) {
        fusion *one = &all->list.items[i];
        bool same = number.length > 0 ? rt_text_equal(one->number, number)
                                      : rt_text_equal(one->queue, queue);
        if (same) return one;
    }
    return NULL;
}

static void status_note(fusions *all, uint32_t index)
{
    const rt_event *event = &all->events[index];
    rt_text status = cnf_event_text(event, "status");
    rt_text queue = cnf_event_text(event, "queue"), number = cnf_event_text(event, "fusion");
    if (rt_text_is(status, "DELETE") || number.length == 0) return;
    fusion *one = fusion_find(all, queue, number);
    if (!one) {
        one = rt_vector_push(&all->list);
        *one = (fusion){.number = number, .queue = queue, .end = UINT32_MAX};
    }
    if (rt_text_is(status, "ACTIVE")) return;
    one->status = status;
    if (one->end == UINT32_MAX) one->end = index;
}

static void hold_note(fusions *all, const rt_event *event)
{
    rt_text number = cnf_event_text(event, "fusion"), command = cnf_event_text(event, "command");
    fusion *one = number.length > 0 ? fusion_find(all, (rt_text){0}, number) : NULL;
    if (!one || command.length == 0) return;
    rt_map_set(&all->holds, command, (uint32_t)(one - all->list.items));
    *rt_vector_push(&one->held) = event;
}

static void event_note(fusions *all, uint32_t index)
{
    const rt_event *event = &all->events[index];
    if (event->kind == RT_EVENT_FUSION_STATUS) status_note(all, index);
    if (event->kind == RT_EVENT_FUSION_HOLD) hold_note(all, event);
    fusion *one = fusion_find(all, cnf_event_text(event, "queue"), (rt_text){0});
    if (!one) return;
    rt_text kernel = cnf_event_text(event, "kernel");
    switch (event->kind) {
    case RT_EVENT_FUSE:
        one->fuse = event;
        one->kernel = kernel;
        break;
    case RT_EVENT_FUSION_CACHE_HIT: one->kernel = kernel; break;
    case RT_EVENT_FUSION_CANCEL: one->reason = cnf_event_text(event, "reason"); break;
    case RT_EVENT_LAUNCH:
        /* The end is told behind the launch: what comes later is the application's own. */
        if (one->end == UINT32_MAX && !one->launch && kernel.length > 0 &&
            rt_text_equal(kernel, one->kernel))
            one->launch = event;
        break;
    default: break;
    }
}

/* ---- Before -------------------------------------------------------------------------------- */

static void held_node(rt_buffer *out, const fusions *all, rt_text number)
{
    char sort[32] = "held";
    uint32_t process = all->process->number;
    if (process > 0) snprintf(sort, sizeof sort, "process %u held", process);
    cnf_dot_node(out, sort, number);
}

static void box_write(rt_buffer *out, const fusions *all, uint32_t index)
{
    const fusion *one = &all->list.items[index];
    rt_buffer_printf(out,
                     "    subgraph \"cluster_fusion_%u_%u\" {\n      style=\"rounded,filled\";\n"
                     "      fillcolor=\"%s\";\n      color=\"%s\";\n      fontsize=10;\n"
                     "      label=\"fusion ",
                     all->process->number, index, HELD_GROUND, DOT_LINE);
    cnf_dot_quote(out, one->number);
    rt_buffer_printf(out, " on queue ");
    cnf_dot_quote(out, one->queue);
    rt_buffer_printf(out, "\\nheld back");
    if (one->status.length > 0) rt_buffer_printf(out, ", then ");
    cnf_dot_quote(out, one->status);
    if (one->reason.length > 0) rt_buffer_printf(out, ": ");
    cnf_dot_quote(out, one->reason);
    rt_buffer_printf(out, "\";\n");
    for (uint32_t i = 0; i < one->held.count; i++) {
        rt_text number = cnf_event_text(one->held.items[i], "command");
        rt_buffer_printf(out, "      ");
        held_node(out, all, number);
        rt_buffer_printf(out, " [style=dashed, label=\"");
        cnf_dot_quote(out, number);
        rt_buffer_printf(out, ": ");
        cnf_dot_quote(out, cnf_event_text(one->held.items[i], "kernel"));
        rt_buffer_printf(out, "\"];\n");
    }
    rt_buffer_printf(out, "    }\n");
}

/* True where the command was held back itself when `event` was. */
static bool was_held(const fusions *all, rt_text number, const rt_event *event)
{
    uint32_t index = rt_map_find(&all->holds, number);
    return index != RT_MAP_NONE && (uint32_t)(event - all->events) < all->list.items[index].end;
}

static void held_edges(rt_buffer *out, const fusions *all, const rt_event *event)
{
    const rt_event_field *after = rt_event_field_find(event, RT_TEXT("held_after"));
    for (uint32_t i = 0; after && i < after->value_count; i++) {
        bool held = was_held(all, after->values[i], event);
        if (!held && !cnf_dot_has_command(all->process, after->values[i])) continue;
        rt_buffer_printf(out, "    ");
        if (held)
            held_node(out, all, after->values[i]);
        else
            cnf_dot_command_node(out, all->process, after->values[i]);
        rt_buffer_printf(out, " -> ");
        held_node(out, all, cnf_event_text(event, "command"));
        rt_buffer_printf(out, " [style=dashed];\n");
    }
}

/* ---- After --------------------------------------------------------------------------------- */

/* From the whole box to the fused kernel. */
static void fused_edge(rt_buffer *out, const fusions *all, uint32_t index)
{
    const fusion *one = &all->list.items[index];
    const rt_event *last = one->held.items[one->held.count - 1];
    const rt_event_field *promoted =
        one->fuse ? rt_event_field_find(one->fuse, RT_TEXT("promoted")) : NULL;
    rt_buffer_printf(out, "    ");
    held_node(out, all, cnf_event_text(last, "command"));
    rt_buffer_printf(out, " -> ");
    cnf_dot_command_node(out, all->process, cnf_event_text(one->launch, "command"));
    rt_buffer_printf(out, " [ltail=\"cluster_fusion_%u_%u\", penwidth=2, label=\"%s",
                     all->process->number, index, one->fuse ? "fused" : "fused, from the cache");
    for (uint32_t i = 0; promoted && i < promoted->value_count; i++) {
        rt_buffer_printf(out, i == 0 ? "\\npromoted " : ", ");
        cnf_dot_quote(out, promoted->values[i]);
    }
    rt_buffer_printf(out, "\"];\n");
}

/* From each kernel to itself, launched alone. */
static void alone_edges(rt_buffer *out, const fusions *all, const fusion *one)
{
    for (uint32_t i = 0; i < one->held.count; i++) {
        rt_text number = cnf_event_text(one->held.items[i], "command");
        if (!cnf_dot_has_command(all->process, number)) continue;
        rt_buffer_printf(out, "    ");
        held_node(out, all, number);
        rt_buffer_printf(out, " -> ");
        cnf_dot_command_node(out, all->process, number);
        rt_buffer_printf(out, " [penwidth=2, label=\"alone\"];\n");
    }
}

void cnf_dot_fusions(rt_buffer *out, const cnf_dot_process *process)
{
    fusions all = {.events = process->events, .process = process};
    for (uint32_t i = process->begin; i < process->end; i++)
        event_note(&all, i);
    for (uint32_t i = 0; i < all.list.count; i++)
        if (all.list.items[i].held.count > 0) box_write(out, &all, i); /* a box needs something */
    for (uint32_t i = 0; i < all.list.count; i++) {
        fusion *one = &all.list.items[i];
        for (uint32_t k = 0; k < one->held.count; k++)
            held_edges(out, &all, one->held.items[k]);
        bool fused = one->launch && cnf_event_is_command(one->launch);
        if (fused && one->held.count > 0)
            fused_edge(out, &all, i);
        else
            alone_edges(out, &all, one);
        rt_vector_free(&one->held);
    }
    rt_vector_free(&all.list);
    rt_map_free(&all.holds);
}
