/* Compares traces event by event, and only after a failure: the result explains a verdict and never
 * changes it. Events come from child processes, so they may contain anything. Source:
 * docs/internals/conformance.md. */
#include "conformance/verdict/parting.h"

#include "reference/base/demangle.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* Fields that describe how a subject works rather than what it does. */
static const char *const subject_fields[] = {"by", "format"};

static bool is_subject_field(const char *key)
{
    for (size_t i = 0; i < sizeof subject_fields / sizeof *subject_fields; i++)
        if (strcmp(subject_fields[i], key) == 0) return true;
    return false;
}

/* Returns the events of a trace message, which the caller releases. NULL if there is no trace, or
 * if it is partial, so that events missing from it cannot be distinguished from events that did not
 * happen. */
static json_t *events_load(rt_text trace)
{
    if (trace.length == 0) return NULL;
    json_t *message = json_loadb(trace.data, trace.length, 0, NULL);
    bool whole = !json_is_true(json_object_get(message, "partial"));
    json_t *events = whole ? json_incref(json_object_get(message, "events")) : NULL;
    json_decref(message);
    return events;
}

/* True if both events have the same values in all compared fields. */
static bool events_equal(json_t *a, json_t *b)
{
    const char *key;
    json_t *value;
    if (!json_is_object(a) || !json_is_object(b)) return false;
    json_object_foreach(a, key, value)
    {
        if (!is_subject_field(key) && !json_equal(value, json_object_get(b, key))) return false;
    }
    json_object_foreach(b, key, value)
    {
        if (!is_subject_field(key) && !json_object_get(a, key)) return false;
    }
    return true;
}

/* ---- Printing ------------------------------------------------------------------------------ */

static void value_print(rt_buffer *out, const json_t *value)
{
    if (json_is_string(value)) {
        rt_buffer_append(out, json_string_value(value), json_string_length(value));
        return;
    }
    if (json_is_array(value)) {
        rt_buffer_append_byte(out, '[');
        for (size_t i = 0; i < json_array_size(value); i++) {
            if (i > 0) rt_buffer_printf(out, ", ");
            /* Traces contain no nested lists; such a value is shown unchanged. */
            const json_t *item = json_array_get(value, i);
            char *text = json_is_string(item) ? NULL : json_dumps(item, JSON_ENCODE_ANY);
            rt_buffer_printf(out, "%s", text ? text : json_string_value(item));
            free(text); /* jansson's own allocation */
        }
        rt_buffer_append_byte(out, ']');
        return;
    }
    char *text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);
    rt_buffer_printf(out, "%s", text);
    free(text); /* jansson's own allocation */
}

/* Prints an event; with `compared_only`, omits the fields that are not compared. */
static rt_text event_print(rt_arena *arena, json_t *event, bool compared_only)
{
    rt_buffer text = {0};
    const char *key, *kind = json_string_value(json_object_get(event, "event"));
    json_t *value;
    if (kind) rt_buffer_printf(&text, "%s", kind);
    if (!kind) value_print(&text, event);
    json_object_foreach(kind ? event : NULL, key, value)
    {
        if (strcmp(key, "event") == 0 || (compared_only && is_subject_field(key))) continue;
        rt_buffer_printf(&text, " %s: ", key);
        value_print(&text, value);
    }
    rt_text line = rt_arena_text(arena, rt_buffer_text(&text));
    rt_buffer_free(&text);
    /* Keys keep the symbols, which are unique. */
    return compared_only ? line : rt_demangle_text(arena, line);
}

static const rt_text *events_print(rt_arena *arena, const json_t *events, uint32_t *out_count)
{
    size_t count = json_array_size(events);
    CHECK(count < UINT32_MAX);
    rt_text *lines = rt_arena_alloc_array(arena, count + 1, sizeof *lines);
    for (size_t i = 0; i < count; i++)
        lines[i] = event_print(arena, json_array_get(events, i), false);
    *out_count = (uint32_t)count;
    return lines;
}

const cnf_trace_line *cnf_trace_lines(rt_arena *arena, const cnf_messages *messages,
                                      uint32_t *out_count)
{
    json_t *events = events_load(messages->trace);
    size_t count = json_array_size(events);
    CHECK(count < UINT32_MAX);
    cnf_trace_line *lines = events ? rt_arena_alloc_array(arena, count + 1, sizeof *lines) : NULL;
    for (size_t i = 0; lines && i < count; i++) {
        json_t *event = json_array_get(events, i);
        lines[i] =
            (cnf_trace_line){event_print(arena, event, false), event_print(arena, event, true)};
    }
    json_decref(events);
    *out_count = (uint32_t)count;
    return lines;
}

/* ---- Comparing ----------------------------------------------------------------------------- */

void cnf_traces_compare(rt_arena *arena, const cnf_messages *oracle, const cnf_messages *subject,
                        cnf_parting *out_parting)
{
    *out_parting = (cnf_parting){0};
    json_t *expected = events_load(oracle->trace), *found = events_load(subject->trace);
    if (expected && found) {
        out_parting->is_complete = true;
        out_parting->oracle = events_print(arena, expected, &out_parting->oracle_count);
        out_parting->subject = events_print(arena, found, &out_parting->subject_count);
        uint32_t index = 0;
        while (events_equal(json_array_get(expected, index), json_array_get(found, index)))
            index++;
        CHECK(index <= out_parting->oracle_count && index <= out_parting->subject_count);
        out_parting->index = index;
        out_parting->is_equal =
            index == out_parting->oracle_count && index == out_parting->subject_count;
    }
    json_decref(expected);
    json_decref(found);
}

void cnf_traces_part(rt_arena *arena, const cnf_messages *oracle, const cnf_messages *subject,
                     cnf_judgement *inout_judgement)
{
    CHECK(cnf_verdict_effect(inout_judgement->verdict) != CNF_EFFECT_EXPECTED);
    cnf_parting parting;
    cnf_traces_compare(arena, oracle, subject, &parting);
    rt_text message = inout_judgement->message;
    if (!parting.is_complete) return;
    if (parting.is_equal) {
        inout_judgement->message =
            rt_arena_printf(arena, "%.*s\nthe traces are the same as on sim", RT_TEXT_ARG(message));
        return;
    }
    uint32_t index = parting.index;
    const rt_text nothing = RT_TEXT("nothing more");
    rt_text expected = index < parting.oracle_count ? parting.oracle[index] : nothing;
    rt_text found = index < parting.subject_count ? parting.subject[index] : nothing;
    inout_judgement->message =
        rt_arena_printf(arena, "%.*s\nthe traces part at event %u:\n  sim     %.*s\n  subject %.*s",
                        RT_TEXT_ARG(message), index, RT_TEXT_ARG(expected), RT_TEXT_ARG(found));
}
