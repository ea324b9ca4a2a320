/* Converts the events of a trace into events of a timeline. */
#include "conformance/explain/timeline.h"

#include "conformance/explain/timeline_internal.h"
#include "conformance/json/json.h"
#include "reference/base/demangle.h"
#include "reference/base/number.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

enum { PROCESS = 1 };

uint64_t cnf_event_number(const rt_event *event, const char *key, uint64_t otherwise)
{
    uint64_t number;
    bool is_number = rt_number_read(cnf_event_text(event, key), 0, UINT64_MAX, &number);
    return is_number ? number : otherwise;
}

/* Commands of a queue are on the queue's thread; transfers of memory contents have no queue, so
 * they are on the runtime's. */
uint64_t cnf_event_thread(const rt_event *event)
{
    uint64_t queue = cnf_event_number(event, "queue", UINT64_MAX);
    return queue == UINT64_MAX ? CNF_RUNTIME_THREAD : CNF_FIRST_QUEUE_THREAD + queue;
}

void cnf_event_title(rt_buffer *out, const rt_event *event)
{
    static const char *const keys[] = {"kernel", "memory", "image", "module", "status", "reason"};
    rt_buffer_printf(out, "%s", rt_event_name(event->kind));
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        rt_text value = cnf_event_text(event, keys[i]);
        if (value.length == 0) continue;
        rt_arena arena = {0};
        rt_text readable = rt_demangle_text(&arena, value);
        rt_buffer_printf(out, " %.*s", RT_TEXT_ARG(readable));
        rt_arena_reset(&arena);
        break;
    }
}

/* Adds a timeline event with a phase: "X" complete, "i" instant, "s" and "f" the start and end of
 * an arrow, "b" and "e" the start and end of a span, "M" a name. */
static json_t *entry(json_t *list, const char *phase, json_t *name, uint64_t time, uint64_t thread)
{
    json_t *object = json_pack("{s:o, s:s, s:I, s:i, s:I}", "name", name, "ph", phase, "ts",
                               (json_int_t)time, "pid", PROCESS, "tid", (json_int_t)thread);
    cnf_json_append(list, object);
    return object;
}

void cnf_places_of_after(const cnf_place_list *places, const rt_event_field *after,
                         cnf_place_list *out)
{
    out->count = 0;
    for (uint32_t i = 0; after && i < after->value_count; i++) {
        uint64_t before;
        bool is_number = rt_number_read(after->values[i], 0, UINT64_MAX, &before);
        uint32_t from = is_number && before < places->count ? places->items[before] : SCN_NONE;
        if (from != SCN_NONE) *rt_vector_push(out) = from;
    }
}

void cnf_place_note(cnf_place_list *places, const rt_event *event, uint32_t time)
{
    uint64_t number = cnf_event_number(event, "command", UINT32_MAX);
    /* No run has a million commands; such a trace is damaged. */
    if (number >= 1000000) return;
    while (places->count <= number)
        *rt_vector_push(places) = SCN_NONE;
    places->items[number] = time;
}

static void event_add(json_t *list, const cnf_history *history, uint32_t time,
                      cnf_place_list *places)
{
    CHECK(time < history->event_count);
    const rt_event *event = &history->events[time];
    const uint64_t thread = cnf_event_thread(event);
    bool is_command = cnf_event_is_command(event);
    rt_buffer name = {0};
    cnf_event_title(&name, event);
    json_t *object =
        entry(list, is_command ? "X" : "i", cnf_json_text(rt_buffer_text(&name)), time, thread);
    rt_buffer_free(&name);
    json_t *arguments = json_object();
    for (uint32_t i = 0; i < event->field_count; i++) {
        const rt_event_field *field = &event->fields[i];
        json_t *value = field->is_list ? json_array() : cnf_json_text(field->values[0]);
        for (uint32_t k = 0; field->is_list && k < field->value_count; k++)
            cnf_json_append(value, cnf_json_text(field->values[k]));
        cnf_json_set(arguments, field->key, value);
    }
    cnf_json_set(object, is_command ? "dur" : "s", is_command ? json_integer(1) : json_string("t"));
    cnf_json_set(object, "args", arguments);
    if (event->kind == RT_EVENT_RESTART) places->count = 0;
    rt_text status = cnf_event_text(event, "status");
    if (event->kind == RT_EVENT_FUSION_STATUS && !rt_text_is(status, "DELETE")) {
        /* A fusion lasts from ACTIVE to the next status. */
        const char *phase = rt_text_is(status, "ACTIVE") ? "b" : "e";
        json_t *span = entry(list, phase, json_string("fusion"), time, thread);
        cnf_json_set(span, "id", cnf_json_text(cnf_event_text(event, "fusion")));
        cnf_json_set(span, "cat", json_string("fusion"));
    }
    if (!is_command) return;
    cnf_place_list before = {0};
    cnf_places_of_after(places, rt_event_field_find(event, RT_TEXT("after")), &before);
    for (uint32_t i = 0; i < before.count; i++) {
        uint32_t from = before.items[i];
        CHECK(from < history->event_count);
        uint64_t from_thread = cnf_event_thread(&history->events[from]);
        json_t *id = json_sprintf("%u-%u", from, time);
        json_t *begin = entry(list, "s", json_string("after"), from, from_thread);
        json_t *end = entry(list, "f", json_string("after"), time, thread);
        json_object_set(begin, "id", id);
        cnf_json_set(begin, "cat", json_string("after"));
        cnf_json_set(end, "id", id);
        cnf_json_set(end, "cat", json_string("after"));
        cnf_json_set(end, "bp", json_string("e"));
    }
    rt_vector_free(&before);
    cnf_place_note(places, event, time);
}

void cnf_thread_title(rt_buffer *out, uint64_t thread)
{
    if (thread == CNF_RUNTIME_THREAD)
        rt_buffer_printf(out, "runtime");
    else
        rt_buffer_printf(out, "queue %llu", (unsigned long long)(thread - CNF_FIRST_QUEUE_THREAD));
}

/* Without names, viewers show numbers. The names follow the events, once per thread. */
static void thread_names_add(json_t *list, const cnf_history *history)
{
    rt_map named = {0};
    for (uint32_t i = 0; i < history->event_count; i++) {
        uint64_t thread = cnf_event_thread(&history->events[i]);
        if (rt_map_find_number(&named, thread) != RT_MAP_NONE) continue;
        rt_map_set_number(&named, thread, i);
        rt_buffer name = {0};
        cnf_thread_title(&name, thread);
        json_t *object = entry(list, "M", json_string("thread_name"), 0, thread);
        cnf_json_set(object, "args", json_pack("{s:s}", "name", rt_buffer_string(&name)));
        rt_buffer_free(&name);
    }
    rt_map_free(&named);
}

void cnf_timeline_json(rt_buffer *out, rt_text trace)
{
    rt_arena arena = {0};
    cnf_history history;
    cnf_place_list places = {0};
    cnf_history_read(&arena, trace, &history);
    json_t *list = json_array();
    for (uint32_t i = 0; i < history.event_count; i++)
        event_add(list, &history, i, &places);
    thread_names_add(list, &history);
    json_t *root = json_pack("{s:o, s:s}", "traceEvents", list, "displayTimeUnit", "ms");
    cnf_json_write(out, root, JSON_INDENT(1));
    rt_buffer_append_byte(out, '\n');
    rt_vector_free(&places);
    cnf_history_free(&history);
    rt_arena_reset(&arena);
}
