/* Where the contents of device_globals live, and which commands made them ready. */
#include "conformance/explain/explain_internal.h"

/* The first event of a kind behind `from` that is about the variable on the device; NULL: none. */
static const rt_event *next_about(const cnf_history *history, uint32_t from, rt_event_kind kind,
                                  rt_text variable, rt_text device)
{
    for (uint32_t i = from + 1; i < history->event_count; i++) {
        const rt_event *event = &history->events[i];
        if (event->kind == kind && rt_text_equal(cnf_event_text(event, "variable"), variable) &&
            rt_text_equal(cnf_event_text(event, "device"), device))
            return event;
    }
    return NULL;
}

static void allocation_write(rt_buffer *out, const cnf_history *history, uint32_t index)
{
    const rt_event *event = &history->events[index];
    rt_text variable = cnf_event_text(event, "variable"), device = cnf_event_text(event, "device");
    const rt_event *zero =
        next_about(history, index, RT_EVENT_DEVICE_GLOBAL_ZERO, variable, device);
    rt_buffer_printf(out, " on device %.*s, context %.*s: %.*s bytes", RT_TEXT_ARG(device),
                     RT_TEXT_ARG(cnf_event_text(event, "context")),
                     RT_TEXT_ARG(cnf_event_text(event, "size")));
    if (zero)
        rt_buffer_printf(out, ", zeros by command %.*s",
                         RT_TEXT_ARG(cnf_event_text(zero, "command")));
    rt_buffer_append_byte(out, '\n');
}

static void content_write(rt_buffer *out, const cnf_history *history, uint32_t index)
{
    const rt_event *event = &history->events[index];
    rt_buffer_printf(out, "  ");
    cnf_explain_name(out, cnf_event_text(event, "variable"));
    if (event->kind == RT_EVENT_DEVICE_GLOBAL_ALLOCATE) {
        allocation_write(out, history, index);
    } else if (event->kind == RT_EVENT_DEVICE_GLOBAL_POINT) {
        rt_buffer_printf(out, " in program %.*s: pointed to it by command %.*s\n",
                         RT_TEXT_ARG(cnf_event_text(event, "program")),
                         RT_TEXT_ARG(cnf_event_text(event, "command")));
    } else {
        rt_buffer_printf(out, " in the host object\n");
    }
}

void cnf_explain_contents(rt_buffer *out, const cnf_history *history)
{
    bool first = true;
    for (uint32_t i = 0; i < history->event_count; i++) {
        rt_event_kind kind = history->events[i].kind;
        bool told = kind == RT_EVENT_DEVICE_GLOBAL_ALLOCATE ||
                    kind == RT_EVENT_DEVICE_GLOBAL_POINT || kind == RT_EVENT_DEVICE_GLOBAL_HOST;
        if (!told) continue;
        if (first) rt_buffer_printf(out, "\nContents of device_globals\n");
        first = false;
        content_write(out, history, i);
    }
}
