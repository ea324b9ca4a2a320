/* Reading the trace that a subject's child sent, and what it says about programs. */
#include "conformance/explain/explain_internal.h"

#include <jansson.h>
#include <string.h>

/* ---- Events -------------------------------------------------------------------------------- */

static rt_text text_of(rt_arena *arena, const json_t *value)
{
    return rt_arena_text(arena, (rt_text){json_string_value(value), json_string_length(value)});
}

/* Reads a field that is a text or a list of texts; false: it is neither. */
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

static void events_read(rt_arena *arena, rt_text trace, cnf_history *out)
{
    json_t *message = json_loadb(trace.data ? trace.data : "", trace.length, 0, NULL);
    json_t *list = json_object_get(message, "events"), *item;
    rt_event *events = rt_arena_alloc_array(arena, json_array_size(list), sizeof *events);
    size_t index;
    json_array_foreach(list, index, item)
    {
        if (event_read(arena, item, &events[out->event_count])) out->event_count++;
    }
    out->events = events;
    json_decref(message);
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

static bool says_the_same(const rt_event *one, const rt_event *other)
{
    static const char *const keys[] = {"image", "set", "relation", "provider"};
    bool same = one->kind == other->kind;
    for (size_t i = 0; i < sizeof keys / sizeof *keys && same; i++)
        same = rt_text_equal(cnf_event_text(one, keys[i]), cnf_event_text(other, keys[i]));
    return same;
}

bool cnf_event_joins_anew(const cnf_history *history, uint32_t index)
{
    const rt_event *event = &history->events[index];
    if (event->kind != RT_EVENT_JOIN) return false;
    for (uint32_t i = 0; i < index; i++) {
        if (says_the_same(&history->events[i], event)) return false;
    }
    return true;
}

/* ---- Programs ------------------------------------------------------------------------------ */

/* The program with that id, added if missing. */
static uint32_t program_of(cnf_history *history, rt_text id, uint32_t process)
{
    uint32_t index = rt_map_find(&history->program_ids, id);
    if (index != RT_MAP_NONE) return index;
    index = history->programs.count;
    rt_map_set(&history->program_ids, id, index);
    *rt_vector_push(&history->programs) = (cnf_xpl_program){.id = id, .process = process};
    return index;
}

/* Records what an event says about its program and returns the program's index, SCN_NONE if it has
 * none. */
static uint32_t program_note(cnf_history *history, const rt_event *event, uint32_t process)
{
    rt_text id = cnf_event_text(event, "program");
    if (id.length == 0) return SCN_NONE;
    uint32_t index = program_of(history, id, process);
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
    default: break; /* the others add nothing */
    }
    return index;
}

void cnf_history_read(rt_arena *arena, rt_text trace, cnf_history *out_history)
{
    *out_history = (cnf_history){0};
    events_read(arena, trace, out_history);
    uint32_t count = out_history->event_count, process = 0;
    out_history->event_programs =
        rt_arena_alloc_array(arena, count, sizeof *out_history->event_programs);
    for (uint32_t i = 0; i < count; i++) {
        const rt_event *event = &out_history->events[i];
        if (event->kind == RT_EVENT_RESTART) { /* Later events use new ids. */
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
