/* Comparing traces event by event, only after something has failed: it explains, it never judges.
 * Source: ARCHITECTURE.md, "Comparison and results". */
#include "conformance/compare/parting.h"

#include <jansson.h>
#include <stdlib.h>

/* Fields that say where something ran and not what was done. */
static const char *const fields_of_place[] = {"device", "by"};

/* The events of a trace message, without those fields; NULL: there is no trace. */
static json_t *events_load(rt_text trace)
{
    if (trace.length == 0) return NULL;
    json_t *message = json_loadb(trace.data, trace.length, 0, NULL);
    json_t *events = json_incref(json_object_get(message, "events"));
    json_decref(message);
    size_t index;
    json_t *event;
    json_array_foreach(events, index, event)
    {
        for (size_t i = 0; i < sizeof fields_of_place / sizeof *fields_of_place; i++)
            json_object_del(event, fields_of_place[i]);
    }
    return events;
}

static rt_text event_print(rt_arena *arena, const json_t *event)
{
    if (!event) return RT_TEXT("nothing more");
    char *text = json_dumps(event, JSON_COMPACT | JSON_PRESERVE_ORDER | JSON_ENCODE_ANY);
    rt_text printed = rt_arena_text(arena, rt_text_of(text));
    free(text); /* jansson's own allocation */
    return printed;
}

static void parting_append(rt_arena *arena, json_t *oracle, json_t *other, cnf_judgement *out)
{
    size_t index = 0, count = json_array_size(oracle);
    while (index < count && json_equal(json_array_get(oracle, index), json_array_get(other, index)))
        index++;
    if (index == count && count == json_array_size(other)) {
        out->message = rt_arena_printf(arena, "%.*s\nthe traces are the same as on sim",
                                       RT_TEXT_ARG(out->message));
        return;
    }
    out->message = rt_arena_printf(
        arena, "%.*s\nthe traces part at event %zu:\n  sim     %.*s\n  subject %.*s",
        RT_TEXT_ARG(out->message), index,
        RT_TEXT_ARG(event_print(arena, json_array_get(oracle, index))),
        RT_TEXT_ARG(event_print(arena, json_array_get(other, index))));
}

void cnf_traces_part(rt_arena *arena, const cnf_messages *oracle, const cnf_messages *other,
                     cnf_judgement *inout_judgement)
{
    CHECK(cnf_verdict_effect(inout_judgement->verdict) != CNF_EFFECT_EXPECTED);
    json_t *expected = events_load(oracle->trace), *found = events_load(other->trace);
    if (expected && found) parting_append(arena, expected, found, inout_judgement);
    json_decref(expected);
    json_decref(found);
}
