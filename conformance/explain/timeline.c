/* Events of a trace as events of a timeline. */
#include "conformance/explain/timeline.h"

#include "conformance/explain/timeline_internal.h"
#include "conformance/json/json.h"
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

/* Commands are on their queue's thread; moves of content have no queue. */
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
        rt_buffer_printf(out, " %.*s", RT_TEXT_ARG(value));
        break;
    }
}

static json_t *name_json(const rt_event *event)
{
    rt_buffer name = {0};
    cnf_event_title(&name, event);
    json_t *made = cnf_json_text(rt_buffer_text(&name));
    rt_buffer_free(&name);
    return made;
}

static json_t *arguments_json(const rt_event *event)
{
    json_t *arguments = json_object();
    for (uint32_t i = 0; i < event->field_count; i++) {
        const rt_event_field *field = &event->fields[i];
        json_t *value = field->is_list ? json_array() : cnf_json_text(field->values[0]);
        for (uint32_t k = 0; field->is_list && k < field->value_count; k++)
            json_array_append_new(value, cnf_json_text(field->values[k]));
        json_object_set_new(arguments, field->key, value);
    }
    return arguments;
}

/* An event of the timeline with a phase: "X" complete, "i" instant, "s" and "f" the ends of an
 * arrow, "b" and "e" those of a span, "M" a name. */
static json_t *entry(json_t *list, const char *phase, json_t *name, uint64_t time, uint64_t thread)
{
    json_t *made = json_object();
    json_object_set_new(made, "name", name);
    json_object_set_new(made, "ph", json_string(phase));
    json_object_set_new(made, "ts", json_integer((json_int_t)time));
    json_object_set_new(made, "pid", json_integer(PROCESS));
    json_object_set_new(made, "tid", json_integer((json_int_t)thread));
    json_array_append_new(list, made);
    return made;
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

static void arrows_add(json_t *list, const cnf_history *history, const rt_event *event,
                       uint32_t time, const cnf_place_list *places)
{
    cnf_place_list before = {0};
    cnf_places_of_after(places, rt_event_field_find(event, RT_TEXT("after")), &before);
    for (uint32_t i = 0; i < before.count; i++) {
        uint32_t from = before.items[i];
        char id[32];
        snprintf(id, sizeof id, "%u-%u", from, time);
        const rt_event *other = &history->events[from];
        json_t *begin = entry(list, "s", json_string("after"), from, cnf_event_thread(other));
        json_t *end = entry(list, "f", json_string("after"), time, cnf_event_thread(event));
        json_object_set_new(begin, "id", json_string(id));
        json_object_set_new(begin, "cat", json_string("after"));
        json_object_set_new(end, "id", json_string(id));
        json_object_set_new(end, "cat", json_string("after"));
        json_object_set_new(end, "bp", json_string("e"));
    }
    rt_vector_free(&before);
}

/* A fusion lasts from ACTIVE to the status after it. */
static void span_add(json_t *list, const rt_event *event, uint32_t time)
{
    rt_text status = cnf_event_text(event, "status");
    if (rt_text_is(status, "DELETE")) return;
    bool begins = rt_text_is(status, "ACTIVE");
    json_t *made =
        entry(list, begins ? "b" : "e", json_string("fusion"), time, cnf_event_thread(event));
    json_object_set_new(made, "id", cnf_json_text(cnf_event_text(event, "fusion")));
    json_object_set_new(made, "cat", json_string("fusion"));
}

static void event_add(json_t *list, const cnf_history *history, uint32_t time,
                      cnf_place_list *places)
{
    const rt_event *event = &history->events[time];
    bool command = cnf_event_is_command(event);
    json_t *made =
        entry(list, command ? "X" : "i", name_json(event), time, cnf_event_thread(event));
    json_object_set_new(made, command ? "dur" : "s", command ? json_integer(1) : json_string("t"));
    json_object_set_new(made, "args", arguments_json(event));
    if (event->kind == RT_EVENT_RESTART) places->count = 0;
    if (event->kind == RT_EVENT_FUSION_STATUS) span_add(list, event, time);
    if (!command) return;
    arrows_add(list, history, event, time, places);
    cnf_place_note(places, event, time);
}

void cnf_thread_title(rt_buffer *out, uint64_t thread)
{
    if (thread == CNF_RUNTIME_THREAD)
        rt_buffer_printf(out, "runtime");
    else
        rt_buffer_printf(out, "queue %llu", (unsigned long long)(thread - CNF_FIRST_QUEUE_THREAD));
}

/* Without names viewers show numbers. Names come last, each thread once. */
static void thread_names_add(json_t *list, const cnf_history *history)
{
    rt_map named = {0};
    for (uint32_t i = 0; i < history->event_count; i++) {
        uint64_t thread = cnf_event_thread(&history->events[i]);
        if (rt_map_find_number(&named, thread) != RT_MAP_NONE) continue;
        rt_map_set_number(&named, thread, i);
        rt_buffer name = {0};
        cnf_thread_title(&name, thread);
        json_t *made = entry(list, "M", json_string("thread_name"), 0, thread);
        json_object_set_new(made, "args", json_pack("{s:s}", "name", rt_buffer_string(&name)));
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
    json_t *root = json_object(), *list = json_array();
    for (uint32_t i = 0; i < history.event_count; i++)
        event_add(list, &history, i, &places);
    thread_names_add(list, &history);
    json_object_set_new(root, "traceEvents", list);
    json_object_set_new(root, "displayTimeUnit", json_string("ms"));
    char *text = json_dumps(root, JSON_INDENT(1));
    rt_buffer_printf(out, "%s\n", text ? text : "{}");
    free(text);
    json_decref(root);
    rt_vector_free(&places);
    cnf_history_free(&history);
    rt_arena_reset(&arena);
}
