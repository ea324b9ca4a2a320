/* Fusions as text: the kernels that each fusion held back, and its outcome. */
#include "conformance/explain/fusions.h"

#define INDENT "                 "

static void names(rt_buffer *out, const char *before, const rt_event_field *field)
{
    for (uint32_t i = 0; field && i < field->value_count; i++)
        cnf_explain_name(out, i == 0 ? before : ", ", field->values[i]);
}

static void list_write(rt_buffer *out, const cnf_xpl_fusion *fusion)
{
    enum { WIDTH = 15 };
    cnf_explain_name(out, "  ", fusion->number);
    rt_buffer_printf(out, "%*s",
                     fusion->number.length < WIDTH ? (int)(WIDTH - fusion->number.length) : 1, "");
    cnf_explain_name(out, "queue ", fusion->queue);
    rt_buffer_printf(out, " held back%s", fusion->held.count == 0 ? " nothing" : "");
    for (uint32_t i = 0; i < fusion->held.count; i++) {
        const rt_event *held = fusion->held.items[i];
        cnf_explain_name(out, i == 0 ? " " : ", ", cnf_event_text(held, "kernel"));
        cnf_explain_name(out, " (", cnf_event_text(held, "command"));
        rt_buffer_append_byte(out, ')');
    }
    /* The commands outside the list that its kernels wait for; repeated names are kept. */
    const char *before = "; waits for ";
    for (uint32_t i = 0; i < fusion->held.count; i++) {
        const rt_event_field *after =
            rt_event_field_find(fusion->held.items[i], RT_TEXT("held_after"));
        for (uint32_t k = 0; after && k < after->value_count; k++) {
            bool is_inside = false;
            for (uint32_t n = 0; n < fusion->held.count && !is_inside; n++)
                is_inside = rt_text_equal(cnf_event_text(fusion->held.items[n], "command"),
                                          after->values[k]);
            if (is_inside) continue;
            cnf_explain_name(out, before, after->values[k]);
            before = ", ";
        }
    }
    rt_buffer_append_byte(out, '\n');
}

static void count_write(rt_buffer *out, const rt_event *fuse, const char *key, const char *unit)
{
    rt_text count = cnf_event_text(fuse, key);
    if (count.length == 0 || rt_text_is(count, "0")) return;
    cnf_explain_name(out, "; ", count);
    rt_buffer_printf(out, " %s%s", unit, rt_text_is(count, "1") ? "" : "s");
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

static void end_write(rt_buffer *out, const cnf_xpl_fusion *fusion)
{
    if (fusion->launch) {
        cnf_explain_name(out, INDENT "became ", fusion->kernel);
        cnf_explain_name(out, " (", cnf_event_text(fusion->launch, "command"));
        rt_buffer_printf(out, ")%s", fusion->fuse ? "" : ", compiled for an earlier list");
        if (fusion->fuse) fuse_write(out, fusion->fuse);
        for (uint32_t i = 0; i < fusion->demoted.count; i++) {
            const rt_event *demoted = fusion->demoted.items[i];
            cnf_explain_name(out, "\n" INDENT "not promoted: ", cnf_event_text(demoted, "memory"));
            cnf_explain_name(out, ", because ", cnf_event_text(demoted, "reason"));
        }
    } else {
        const char *end = fusion->held.count > 0 ? "ran kernel by kernel" : "ended";
        rt_buffer_printf(out, INDENT "%s", fusion->status.length == 0 ? "did not end" : end);
        if (fusion->reason.length > 0) cnf_explain_name(out, ": ", fusion->reason);
        if (fusion->detail.length > 0) cnf_explain_name(out, ", ", fusion->detail);
    }
    rt_buffer_append_byte(out, '\n');
}

void cnf_fusions_text(rt_buffer *out, const cnf_history *history)
{
    bool first = true;
    for (uint32_t begin = 0, end = 0; end <= history->event_count; end++) {
        if (end < history->event_count && history->events[end].kind != RT_EVENT_RESTART) continue;
        cnf_fusions fusions;
        cnf_fusions_find(history->events, begin, end, &fusions);
        for (uint32_t i = 0; i < fusions.list.count; i++) {
            if (first) rt_buffer_printf(out, "\nFusions\n");
            first = false;
            list_write(out, &fusions.list.items[i]);
            end_write(out, &fusions.list.items[i]);
        }
        cnf_fusions_free(&fusions);
        begin = end + 1;
    }
}
