/* Reads the trace that a subject's child sent, and collects its programs. */
#include "conformance/explain/explain_internal.h"

#include <jansson.h>
#include <string.h>

/* ---- Events -------------------------------------------------------------------------------- */

static rt_text text_of(rt_arena *arena, const json_t *value)
{
    return rt_arena_text(arena, (rt_text){json_string_value(value), json_string_length(value)});
}

/* Reads a field that is a text or a list of texts; returns false for any other value. */
static bool field_read(rt_arena *arena, const char *key, const json_t *value, rt_event_field *out)
{
    bool is_list = json_is_array(value);
    uint32_t count = is_list ? (uint32_t)json_array_size(value) : 1;
    rt_text *values = rt_arena_alloc_array(arena, count, sizeof *values);
    for (uint32_t i = 0; i < count; i++) {
        const json_t *item = is_list ? json_array_get(value, i) : value;
        if (!json_is_string(item)) return false;
        values[i] = text_of(arena, item);
    }
    const char *copy = rt_arena_text(arena, rt_text_of(key)).data;
    *out = (rt_event_field){copy, is_list, values, count};
    return true;
}

static bool event_read(rt_arena *arena, json_t *object, rt_event *out)
{
    const json_t *name = json_object_get(object, "event");
    if (!json_is_string(name)) return false;
    rt_event_kind kind = rt_event_find(text_of(arena, name));
    if (kind == RT_EVENT_COUNT) return false;
    rt_event_field *fields = rt_arena_alloc_array(arena, json_object_size(object), sizeof *fields);
    uint32_t count = 0;
    const char *key;
    json_t *value;
    json_object_foreach(object, key, value)
    {
        bool is_list;
        if (rt_event_has_field(kind, rt_text_of(key), &is_list) &&
            is_list == json_is_array(value) && field_read(arena, key, value, &fields[count]))
            count++;
    }
    *out = (rt_event){kind, fields, count};
    return true;
}

rt_text cnf_event_text(const rt_event *event, const char *key)
{
    const rt_event_field *field = rt_event_field_find(event, rt_text_of(key));
    return field && !field->is_list ? field->values[0] : (rt_text){0};
}

bool cnf_event_is_command(const rt_event *event)
{
    return cnf_event_text(event, "command").length > 0 &&
           rt_event_field_find(event, RT_TEXT("after"));
}

bool cnf_event_joins_anew(const cnf_history *history, uint32_t index)
{
    static const char *const keys[] = {"image", "set", "relation", "provider"};
    CHECK(index < history->event_count);
    const rt_event *event = &history->events[index];
    if (event->kind != RT_EVENT_JOIN) return false;
    for (uint32_t i = 0; i < index; i++) {
        const rt_event *other = &history->events[i];
        bool is_same = other->kind == event->kind;
        for (size_t k = 0; k < sizeof keys / sizeof *keys && is_same; k++)
            is_same = rt_text_equal(cnf_event_text(other, keys[k]), cnf_event_text(event, keys[k]));
        if (is_same) return false;
    }
    return true;
}

/* ---- Programs ------------------------------------------------------------------------------ */

/* Records an event's data about its program. Returns the program's index, or SCN_NONE if the event
 * has no program. */
static uint32_t program_note(cnf_history *history, const rt_event *event, uint32_t process)
{
    rt_text id = cnf_event_text(event, "program");
    if (id.length == 0) return SCN_NONE;
    uint32_t index = rt_map_find(&history->program_ids, id);
    if (index == RT_MAP_NONE) {
        index = history->programs.count;
        rt_map_set(&history->program_ids, id, index);
        *rt_vector_push(&history->programs) = (cnf_xpl_program){.id = id, .process = process};
    }
    CHECK(index < history->programs.count);
    cnf_xpl_program *program = &history->programs.items[index];
    switch (event->kind) {
    case RT_EVENT_LINK:
        program->link = event;
        program->inputs = rt_event_field_find(event, RT_TEXT("inputs"));
        break;
    case RT_EVENT_BUILD:
    case RT_EVENT_PERSISTENT_HIT:
        program->build = event;
        program->inputs = rt_event_field_find(event, RT_TEXT("images"));
        break;
    case RT_EVENT_LAUNCH: program->launch_count++; break;
    case RT_EVENT_CACHE_HIT: program->hit_count++; break;
    case RT_EVENT_RELEASE: program->released = true; break;
    default: break; /* other events do not describe the program */
    }
    return index;
}

void cnf_history_read(rt_arena *arena, rt_text trace, cnf_history *out_history)
{
    *out_history = (cnf_history){0};
    json_t *message = json_loadb(trace.data ? trace.data : "", trace.length, 0, NULL);
    const json_t *list = json_object_get(message, "events");
    rt_event *events = rt_arena_alloc_array(arena, json_array_size(list), sizeof *events);
    uint32_t count = 0, process = 0;
    for (size_t i = 0; i < json_array_size(list); i++)
        if (event_read(arena, json_array_get(list, i), &events[count])) count++;
    json_decref(message);
    out_history->events = events;
    out_history->event_count = count;
    out_history->event_programs =
        rt_arena_alloc_array(arena, count, sizeof *out_history->event_programs);
    for (uint32_t i = 0; i < count; i++) {
        const rt_event *event = &out_history->events[i];
        if (event->kind == RT_EVENT_RESTART) { /* After a restart, the same ids denote other
                                                * programs. */
            rt_map_free(&out_history->program_ids);
            process++;
        }
        out_history->event_programs[i] = program_note(out_history, event, process);
    }
}

void cnf_history_free(cnf_history *history)
{
    rt_vector_free(&history->programs);
    rt_map_free(&history->program_ids);
}
