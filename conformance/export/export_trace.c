/* The requests to the device, from the trace of a run: a submit ends with its launch or with the
 * error that reports its refusal, and the creation of a kernel bundle ends with its event or its
 * error; a program that was linked or built before that event belongs to it or is reused. */
#include "conformance/export/export_internal.h"

#include "reference/base/map.h"
#include "reference/base/number.h"

#include <jansson.h>
#include <stdlib.h>

typedef struct trace_walk {
    rt_sink *sink;
    rt_arena *arena;
    rt_map program_indices; /* id in the trace -> index in `programs` */
    rt_map fused;           /* names of fused kernels */
    RT_VECTOR(cnf_export_program) programs;
    RT_VECTOR(cnf_export_command) commands;
    RT_VECTOR(cnf_export_variable)
    variables; /* `described` has the ids of their programs */
    RT_VECTOR(rt_text) described;
    uint32_t command_start; /* number of programs when the last command ended */
} trace_walk;

static rt_text text_of(rt_arena *arena, const json_t *event, const char *key)
{
    const char *value = json_string_value(json_object_get(event, key));
    return rt_arena_text(arena, rt_text_of(value));
}

/* Records a program that was linked, or built from one image. */
static void program_keep(trace_walk *walk, const json_t *event, const char *key)
{
    rt_text id = text_of(walk->arena, event, "program");
    const json_t *images = json_object_get(event, key), *image;
    if (rt_map_find(&walk->program_indices, id) != RT_MAP_NONE || json_array_size(images) == 0)
        return;
    size_t index;
    rt_text *names = rt_arena_alloc_array(walk->arena, json_array_size(images), sizeof *names);
    json_array_foreach(images, index, image) names[index] =
        rt_arena_text(walk->arena, rt_text_of(json_string_value(image)));
    rt_map_set(&walk->program_indices, id, walk->programs.count);
    *rt_vector_push(&walk->programs) = (cnf_export_program){names, (uint32_t)index};
}

static cnf_export_command *command_end(trace_walk *walk, cnf_export_kind kind)
{
    cnf_export_command *command = rt_vector_push(&walk->commands);
    *command = (cnf_export_command){.kind = kind};
    walk->command_start = walk->programs.count;
    return command;
}

/* Reads the numbers of a list and returns how many there are; elements past its end keep their
 * values. */
static uint32_t numbers_read(const json_t *event, const char *key, uint64_t *out_numbers)
{
    const json_t *list = json_object_get(event, key), *item;
    size_t index;
    json_array_foreach(list, index, item)
    {
        uint64_t number;
        if (index < RT_ND_RANGE_DIMENSIONS &&
            rt_number_read(rt_text_of(json_string_value(item)), 0, UINT64_MAX, &number))
            out_numbers[index] = number;
    }
    size_t count = json_array_size(list);
    return count > RT_ND_RANGE_DIMENSIONS ? RT_ND_RANGE_DIMENSIONS : (uint32_t)count;
}

/* Records a command that has a program: a launch, or a copy to or from a variable in it. */
static rt_status command_take(trace_walk *walk, const json_t *event, cnf_export_kind kind)
{
    uint32_t program = rt_map_find(&walk->program_indices, text_of(walk->arena, event, "program"));
    if (program >= walk->programs.count)
        return rt_fail(walk->sink, RT_UNSUPPORTED, RT_RULE_NONE,
                       "the trace has a command whose program it does not describe");
    cnf_export_command *command = command_end(walk, kind);
    command->program = program;
    if (kind != CNF_EXPORT_LAUNCH) return RT_STATUS_OK;
    command->kernel = text_of(walk->arena, event, "kernel");
    command->fused = rt_map_find(&walk->fused, command->kernel) != RT_MAP_NONE;
    command->range = (rt_fusion_range){.global = {1, 1, 1}};
    command->range.dimensions = numbers_read(event, "global", command->range.global);
    (void)numbers_read(event, "local", command->range.local);
    (void)numbers_read(event, "offset", command->range.offset);
    return RT_STATUS_OK;
}

static rt_status event_take(trace_walk *walk, const json_t *event)
{
    rt_text kind = text_of(walk->arena, event, "event");
    const uint32_t first = walk->command_start, count = walk->programs.count;
    CHECK(first <= count);
    if (rt_text_is(kind, "link")) {
        program_keep(walk, event, "inputs");
    } else if (rt_text_is(kind, "build")) {
        program_keep(walk, event, "images");
    } else if (rt_text_is(kind, "fuse")) {
        rt_map_set(&walk->fused, text_of(walk->arena, event, "kernel"), 0);
    } else if (rt_text_is(kind, "device_global_describe")) {
        /* It precedes the program's own event. */
        *rt_vector_push(&walk->described) = text_of(walk->arena, event, "program");
        *rt_vector_push(&walk->variables) = (cnf_export_variable){
            .unique_id = text_of(walk->arena, event, "id"),
            .image_scope = rt_text_is(text_of(walk->arena, event, "image_scope"), "true")};
    } else if (rt_text_starts(kind, "bundle_")) {
        cnf_export_command *command = command_end(walk, CNF_EXPORT_BUNDLE);
        command->program = first;
        command->program_count = count - first;
    } else if (rt_text_is(kind, "launch")) {
        return command_take(walk, event, CNF_EXPORT_LAUNCH);
    } else if (rt_text_is(kind, "device_global_read") || rt_text_is(kind, "device_global_write")) {
        return command_take(walk, event, CNF_EXPORT_VARIABLE);
    } else if (rt_text_is(kind, "error")) {
        /* The device refused the step's program, or the runtime refused the step without calling
         * the device. */
        rt_text class = text_of(walk->arena, event, "class");
        bool by_device =
            count > first && (rt_text_is(class, "link-error") || rt_text_is(class, "errc::build"));
        command_end(walk, by_device ? CNF_EXPORT_DEVICE_REFUSED : CNF_EXPORT_RUNTIME_REFUSED)
            ->program = count - 1;
    }
    return RT_STATUS_OK;
}

rt_status cnf_export_trace_read(rt_sink *sink, rt_arena *arena, const cnf_messages *messages,
                                cnf_export_trace *out_trace)
{
    trace_walk walk = {.sink = sink, .arena = arena};
    json_t *message = json_loadb(messages->trace.data ? messages->trace.data : "",
                                 messages->trace.length, 0, NULL);
    const json_t *events = json_object_get(message, "events"), *event;
    rt_status status = RT_STATUS_OK;
    if (!events || json_is_true(json_object_get(message, "partial")))
        status = rt_fail(sink, RT_UNSUPPORTED, RT_RULE_NONE, "the run left no complete trace");
    size_t index;
    json_array_foreach(events, index, event)
    {
        if (rt_ok(status)) status = event_take(&walk, event);
    }
    json_decref(message);
    /* The variables of a refused program belong to no program. */
    uint32_t variable_count = 0;
    CHECK(walk.command_start <= walk.programs.count);
    CHECK(walk.variables.count == walk.described.count);
    for (uint32_t i = 0; i < walk.variables.count; i++) {
        cnf_export_variable variable = walk.variables.items[i];
        variable.program = rt_map_find(&walk.program_indices, walk.described.items[i]);
        if (variable.program != RT_MAP_NONE) walk.variables.items[variable_count++] = variable;
    }
    *out_trace = (cnf_export_trace){
        .programs = rt_arena_copy(arena, walk.programs.items, walk.programs.count,
                                  sizeof *walk.programs.items),
        .program_count = walk.programs.count,
        .commands = rt_arena_copy(arena, walk.commands.items, walk.commands.count,
                                  sizeof *walk.commands.items),
        .command_count = walk.commands.count,
        .variables = rt_arena_copy(arena, walk.variables.items, variable_count,
                                   sizeof *walk.variables.items),
        .variable_count = variable_count};
    rt_map_free(&walk.program_indices);
    rt_map_free(&walk.fused);
    rt_vector_free(&walk.programs);
    rt_vector_free(&walk.commands);
    rt_vector_free(&walk.variables);
    rt_vector_free(&walk.described);
    return status;
}
