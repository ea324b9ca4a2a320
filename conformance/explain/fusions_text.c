/* Fusions as text: the kernels that each held back, and what became of them. */
#include "conformance/explain/fusions.h"

#define INDENT "                 "

static void name(rt_buffer *out, const char *before, rt_text text)
{
    rt_buffer_printf(out, "%s", before);
    cnf_explain_name(out, text);
}

static void names(rt_buffer *out, const char *before, const rt_event_field *field)
{
    for (uint32_t i = 0; field && i < field->value_count; i++)
        name(out, i == 0 ? before : ", ", field->values[i]);
}

/* True for a command in the list. */
static bool is_held(const cnf_xpl_fusion *fusion, rt_text number)
{
    for (uint32_t i = 0; i < fusion->held.count; i++) {
        if (rt_text_equal(cnf_event_text(fusion->held.items[i], "command"), number)) return true;
    }
    return false;
}

/* Writes the commands outside the list that its kernels wait for, as often as they are named. */
static void outside_write(rt_buffer *out, const cnf_xpl_fusion *fusion)
{
    bool first = true;
    for (uint32_t i = 0; i < fusion->held.count; i++) {
        const rt_event_field *after =
            rt_event_field_find(fusion->held.items[i], RT_TEXT("held_after"));
        for (uint32_t k = 0; after && k < after->value_count; k++) {
            if (is_held(fusion, after->values[k])) continue;
            name(out, first ? "; waits for " : ", ", after->values[k]);
            first = false;
        }
    }
}

static void list_write(rt_buffer *out, const cnf_xpl_fusion *fusion)
{
    enum { WIDTH = 15 };
    name(out, "  ", fusion->number);
    rt_buffer_printf(out, "%*s",
                     fusion->number.length < WIDTH ? (int)(WIDTH - fusion->number.length) : 1, "");
    name(out, "queue ", fusion->queue);
    rt_buffer_printf(out, " held back%s", fusion->held.count == 0 ? " nothing" : "");
    for (uint32_t i = 0; i < fusion->held.count; i++) {
        name(out, i == 0 ? " " : ", ", cnf_event_text(fusion->held.items[i], "kernel"));
        name(out, " (", cnf_event_text(fusion->held.items[i], "command"));
        rt_buffer_append_byte(out, ')');
    }
    outside_write(out, fusion);
    rt_buffer_append_byte(out, '\n');
}

static void count_write(rt_buffer *out, const rt_event *fuse, const char *key, const char *what)
{
    rt_text count = cnf_event_text(fuse, key);
    if (count.length == 0 || rt_text_is(count, "0")) return;
    name(out, "; ", count);
    rt_buffer_printf(out, " %s%s", what, rt_text_is(count, "1") ? "" : "s");
}

static void fuse_write(rt_buffer *out, const rt_event *fuse)
{
    const rt_event_field *local = rt_event_field_find(fuse, RT_TEXT("local"));
    bool open = local && local->value_count > 0 && rt_text_is(local->values[0], "0");
    names(out, "; range ", rt_event_field_find(fuse, RT_TEXT("global")));
    if (open)
        rt_buffer_printf(out, " in groups that the device chooses");
    else
        names(out, " in groups of ", local);
    bool barriers = rt_text_is(cnf_event_text(fuse, "barriers"), "true");
    rt_buffer_printf(out, "%s", barriers ? "; barriers between kernels" : "; no barriers");
    count_write(out, fuse, "joined", "joined argument");
    count_write(out, fuse, "constants", "known value");
    names(out, "; promoted ", rt_event_field_find(fuse, RT_TEXT("promoted")));
}

static void fused_write(rt_buffer *out, const cnf_xpl_fusion *fusion)
{
    name(out, INDENT "became ", fusion->kernel);
    name(out, " (", cnf_event_text(fusion->launch, "command"));
    rt_buffer_printf(out, ")%s", fusion->fuse ? "" : ", which an earlier list had made");
    if (fusion->fuse) fuse_write(out, fusion->fuse);
    rt_buffer_append_byte(out, '\n');
    for (uint32_t i = 0; i < fusion->demoted.count; i++) {
        name(out, INDENT "not promoted: ", cnf_event_text(fusion->demoted.items[i], "memory"));
        name(out, ", because ", cnf_event_text(fusion->demoted.items[i], "reason"));
        rt_buffer_append_byte(out, '\n');
    }
}

static void end_write(rt_buffer *out, const cnf_xpl_fusion *fusion)
{
    if (fusion->launch) {
        fused_write(out, fusion);
        return;
    }
    if (fusion->status.length == 0)
        rt_buffer_printf(out, INDENT "did not end");
    else
        rt_buffer_printf(out, INDENT "%s",
                         fusion->held.count > 0 ? "ran kernel by kernel" : "ended");
    if (fusion->reason.length > 0) name(out, ": ", fusion->reason);
    if (fusion->detail.length > 0) name(out, ", ", fusion->detail);
    rt_buffer_append_byte(out, '\n');
}

static void process_write(rt_buffer *out, const cnf_history *history, uint32_t begin, uint32_t end,
                          bool *inout_first)
{
    cnf_fusions fusions;
    cnf_fusions_find(history->events, begin, end, &fusions);
    for (uint32_t i = 0; i < fusions.list.count; i++) {
        if (*inout_first) rt_buffer_printf(out, "\nFusions\n");
        *inout_first = false;
        list_write(out, &fusions.list.items[i]);
        end_write(out, &fusions.list.items[i]);
    }
    cnf_fusions_free(&fusions);
}

void cnf_fusions_text(rt_buffer *out, const cnf_history *history)
{
    bool first = true;
    uint32_t begin = 0;
    for (uint32_t i = 0; i < history->event_count; i++) {
        if (history->events[i].kind != RT_EVENT_RESTART) continue;
        process_write(out, history, begin, i, &first);
        begin = i + 1;
    }
    process_write(out, history, begin, history->event_count, &first);
}
