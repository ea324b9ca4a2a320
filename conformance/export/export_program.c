/* Which programs the runtime had made, from the trace of a run: a submit ends with its launch or
 * with the error that refused it, and what was linked or built before belongs to it or is used
 * again. */
#include "conformance/export/export_internal.h"

#include "reference/base/map.h"

#include <jansson.h>

typedef struct trace_walk {
    rt_sink *sink;
    rt_arena *arena;
    rt_map known; /* index of the program by its id in the trace */
    RT_VECTOR(cnf_export_program) made;
    RT_VECTOR(cnf_export_program) submits;
    uint32_t made_since; /* number of `made` when the last submit ended */
} trace_walk;

static rt_text text_of(rt_arena *arena, const json_t *event, const char *key)
{
    const char *value = json_string_value(json_object_get(event, key));
    return rt_arena_text(arena, rt_text_of(value));
}

/* Keeps a program that was linked, or built of one image. */
static void program_keep(trace_walk *walk, const json_t *event, const char *key)
{
    rt_text id = text_of(walk->arena, event, "program");
    const json_t *images = json_object_get(event, key), *image;
    if (rt_map_find(&walk->known, id) != RT_MAP_NONE || json_array_size(images) == 0) return;
    size_t index;
    rt_text *names = rt_arena_alloc_array(walk->arena, json_array_size(images), sizeof *names);
    json_array_foreach(images, index, image) names[index] =
        rt_arena_text(walk->arena, rt_text_of(json_string_value(image)));
    rt_map_set(&walk->known, id, walk->made.count);
    *rt_vector_push(&walk->made) = (cnf_export_program){names, (uint32_t)index, false};
}

static rt_status submit_end(trace_walk *walk, const json_t *event, bool refused)
{
    uint32_t index = walk->made.count - 1;
    if (refused && walk->made.count == walk->made_since) {
        return rt_fail(walk->sink, RT_UNSUPPORTED, RT_RULE_NONE,
                       "the runtime refuses a step before it asks the device for anything, so that "
                       "there is nothing to show of the device");
    }
    if (!refused) index = rt_map_find(&walk->known, text_of(walk->arena, event, "program"));
    if (index >= walk->made.count) {
        return rt_fail(walk->sink, RT_UNSUPPORTED, RT_RULE_NONE,
                       "the trace has a launch from a program that it does not tell of");
    }
    cnf_export_program *submit = rt_vector_push(&walk->submits);
    *submit = walk->made.items[index];
    submit->refused = refused;
    walk->made_since = walk->made.count;
    return RT_STATUS_OK;
}

static rt_status event_take(trace_walk *walk, const json_t *event)
{
    rt_text kind = text_of(walk->arena, event, "event");
    if (rt_text_is(kind, "link")) program_keep(walk, event, "inputs");
    if (rt_text_is(kind, "build")) program_keep(walk, event, "images");
    if (rt_text_is(kind, "launch")) return submit_end(walk, event, false);
    if (!rt_text_is(kind, "error")) return RT_STATUS_OK;
    rt_text class = text_of(walk->arena, event, "class");
    if (rt_text_is(class, "link-error") || rt_text_is(class, "errc::build"))
        return submit_end(walk, event, true);
    return rt_fail(walk->sink, RT_UNSUPPORTED, RT_RULE_NONE,
                   "a step is refused with %.*s, which is not about its program",
                   RT_TEXT_ARG(class));
}

static void *arena_copy(rt_arena *arena, const void *items, uint32_t count, size_t size_bytes)
{
    rt_bytes copy = rt_arena_bytes(arena, (rt_bytes){items, count * size_bytes});
    return (void *)(uintptr_t)copy.data;
}

rt_status cnf_export_programs(rt_sink *sink, rt_arena *arena, const cnf_messages *messages,
                              const cnf_export_program **out_programs, uint32_t *out_count)
{
    trace_walk walk = {.sink = sink, .arena = arena};
    json_t *message = json_loadb(messages->trace.data ? messages->trace.data : "",
                                 messages->trace.length, 0, NULL);
    const json_t *events = json_object_get(message, "events"), *event;
    rt_status status = RT_STATUS_OK;
    if (!events || json_is_true(json_object_get(message, "partial")))
        status = rt_fail(sink, RT_UNSUPPORTED, RT_RULE_NONE, "the run left no whole trace");
    size_t index;
    json_array_foreach(events, index, event)
    {
        if (rt_ok(status)) status = event_take(&walk, event);
    }
    json_decref(message);
    *out_count = walk.submits.count;
    *out_programs =
        arena_copy(arena, walk.submits.items, walk.submits.count, sizeof(cnf_export_program));
    rt_map_free(&walk.known);
    rt_vector_free(&walk.made);
    rt_vector_free(&walk.submits);
    return status;
}
