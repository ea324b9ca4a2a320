/* Writes steps as calls to the support file's functions, one paragraph per step, so that main.c
 * reads like the scenario.
 *
 * Commands go to one in-order queue in the order of the steps, an order that every scenario allows.
 */
#include "conformance/export/export_internal.h"

#include "conformance/scenario/model/type.h"
#include "conformance/subject/source_images.h"

#include <ctype.h>
#include <string.h>

static const uint8_t support[] = {
#include "support.inc"
};
static const uint8_t support_output[] = {
#include "support_output.inc"
};

/* ---- Shared with the other files ------------------------------------------------------------ */

rt_status cnf_export_refuse(cnf_exporter *exporter, scn_position at, const char *feature)
{
    return rt_fail(exporter->sink, RT_UNSUPPORTED, RT_RULE_NONE,
                   "%.*s:%u:%u: error: %s cannot be expressed in an exported program",
                   RT_TEXT_ARG(exporter->scenario->file), at.line, at.column, feature);
}

rt_text cnf_export_plain(rt_arena *arena, rt_text name)
{
    rt_text copy = rt_arena_text(arena, name);
    char *letters = (char *)(uintptr_t)copy.data;
    for (size_t i = 0; i < copy.length; i++)
        if (!isalnum((unsigned char)letters[i])) letters[i] = '_';
    return copy;
}

const char *cnf_export_memory(cnf_exporter *exporter, uint32_t memory)
{
    CHECK(memory < exporter->scenario->memory_count);
    return cnf_export_plain(exporter->arena, exporter->scenario->memories[memory].name).data;
}

const char *cnf_export_mapping(cnf_exporter *exporter, const scn_step *map)
{
    CHECK(map->verb == SCN_VERB_MAP);
    return rt_arena_printf(exporter->arena, "mapped_%u", map->at.line).data;
}

void cnf_export_file_add(cnf_exporter *exporter, rt_text name, rt_bytes content)
{
    for (uint32_t i = 0; i < exporter->files.count; i++)
        if (rt_text_equal(exporter->files.items[i].name, name)) return;
    *rt_vector_push(&exporter->files) = (cnf_exported_file){name, content};
}

void cnf_export_literal(rt_buffer *out, rt_text text)
{
    rt_buffer_append_byte(out, '"');
    for (size_t i = 0; i < text.length; i++) {
        unsigned char byte = (unsigned char)text.data[i];
        if (byte < 0x20 || byte >= 0x7f) {
            rt_buffer_printf(out, "\\%03o", byte); /* always three digits, so that a following digit
                                                    * is not part of it */
            continue;
        }
        if (byte == '"' || byte == '\\' || byte == '?') rt_buffer_append_byte(out, '\\');
        rt_buffer_append_byte(out, (char)byte);
    }
    rt_buffer_append_byte(out, '"');
}

rt_status cnf_export_command_take(cnf_exporter *exporter, const scn_step *step,
                                  cnf_export_kind kind, const cnf_export_command **out_command)
{
    const cnf_export_trace *trace = &exporter->trace;
    CHECK(exporter->command <= trace->command_count);
    CHECK(exporter->device_commands <= exporter->command);
    const cnf_export_command *next = &trace->commands[exporter->command];
    if (exporter->command == trace->command_count ||
        (next->kind != kind && next->kind != CNF_EXPORT_DEVICE_REFUSED &&
         next->kind != CNF_EXPORT_RUNTIME_REFUSED))
        return cnf_export_refuse(exporter, step->at, "a step that the trace does not describe");
    exporter->command++;
    exporter->device_commands += next->kind != CNF_EXPORT_RUNTIME_REFUSED;
    *out_command = next;
    return RT_STATUS_OK;
}

rt_status cnf_export_refusal_write(cnf_exporter *exporter, const scn_step *step)
{
    const cnf_export_command *command = NULL;
    RT_TRY(cnf_export_command_take(exporter, step, CNF_EXPORT_RUNTIME_REFUSED, &command));
    CHECK(command);
    if (command->kind != CNF_EXPORT_RUNTIME_REFUSED)
        return cnf_export_refuse(exporter, step->at, "a step that the trace does not describe");
    rt_buffer_printf(
        &exporter->body,
        "\n    /* Line %u: the runtime refuses this step without calling the device. */\n",
        step->at.line);
    return RT_STATUS_OK;
}

/* ---- The scenario as a whole --------------------------------------------------------------- */

/* True if a module other than the executable has a device_global without image scope. */
static bool libraries_have_globals(const scn_scenario *scenario)
{
    for (uint32_t i = 1; i < scenario->module_count; i++) {
        const rt_device_global_list *list = &scenario->modules[i].device_globals;
        for (uint32_t k = 0; k < list->count; k++)
            if (!list->globals[k].image_scope) return true;
    }
    return false;
}

static rt_status scenario_check(cnf_exporter *exporter)
{
    const scn_scenario *scenario = exporter->scenario;
    const scn_position at = {1, 1};
    CHECK(scenario->module_count > 0);
    if (scenario->device_count != 1)
        return cnf_export_refuse(exporter, at, "a scenario with several devices");
    /* The runtime chooses whether two contexts share the contents of a device_global. */
    bool has_contexts = false;
    for (uint32_t i = 0; i < scenario->step_count; i++)
        has_contexts = has_contexts || scenario->steps[i].verb == SCN_VERB_CONTEXT;
    if (has_contexts &&
        (scenario->modules[0].device_globals.count > 0 || libraries_have_globals(scenario)))
        return cnf_export_refuse(exporter, at, "device_globals in several contexts");
    if (scenario->persistent_cache) return cnf_export_refuse(exporter, at, "a persistent cache");
    if (scenario->twin) return cnf_export_refuse(exporter, at, "two processes");
    for (uint32_t i = 0; i < scenario->module_count; i++)
        if (scenario->modules[i].truncate > 0)
            return cnf_export_refuse(exporter, scenario->modules[i].at, "code that is cut");
    for (uint32_t i = 0; i < scenario->memory_count; i++) {
        const scn_memory *memory = &scenario->memories[i];
        bool is_plain = cnf_export_layout_is_plain(&memory->layout);
        if (memory->tolerance_kind != SCN_TOLERANCE_NONE &&
            !scn_layout_is_floating(&memory->layout))
            return cnf_export_refuse(exporter, memory->at, "a tolerance of whole numbers");
        if (memory->uncompared_count > 0)
            return cnf_export_refuse(exporter, memory->at, "a memory with uncompared elements");
        if (memory->unordered && (memory->tolerance_kind != SCN_TOLERANCE_NONE || !is_plain))
            return cnf_export_refuse(exporter, memory->at,
                                     "an unordered memory with padding or a tolerance");
    }
    return RT_STATUS_OK;
}

/* True if the scenario expects output, which is then captured. */
static bool expects_output(const scn_scenario *scenario)
{
    for (uint32_t i = 0; i < scenario->step_count; i++)
        if (scn_expects_contain(scenario->steps[i].expect, scenario->steps[i].expect_count,
                                SCN_EXPECT_OUTPUT))
            return true;
    return false;
}

/* ---- Copies, fills and bundles ------------------------------------------------------------- */

/* Writes one end of a copy, "&m_data" or "&global_0". */
static rt_status end_write(cnf_exporter *exporter, const scn_step *step, uint32_t memory,
                           const char **out_name)
{
    if (memory == SCN_NONE)
        return cnf_export_global_write(exporter, step, &step->transfer.variable, true, out_name);
    *out_name = rt_arena_printf(exporter->arena, "&m_%s", cnf_export_memory(exporter, memory)).data;
    return RT_STATUS_OK;
}

static rt_status transfer_write(cnf_exporter *exporter, const scn_step *step)
{
    const scn_transfer *transfer = &step->transfer;
    rt_buffer *out = &exporter->body;
    if (step->outcome_count > 0)
        return cnf_export_refuse(exporter, step->at, "a choice of how a copy is refused");
    if (step->error) return cnf_export_refusal_write(exporter, step);
    if (transfer->size == 0) { /* drivers disagree about commands on 0 bytes */
        rt_buffer_printf(out, "\n    /* Line %u moves nothing. */\n", step->at.line);
        return RT_STATUS_OK;
    }
    rt_buffer_printf(out, "\n    /* Line %u. */\n", step->at.line);
    if (step->verb == SCN_VERB_COPY) {
        const char *from, *to;
        RT_TRY(end_write(exporter, step, transfer->from, &from));
        RT_TRY(end_write(exporter, step, transfer->to, &to));
        rt_buffer_printf(out, "    copy(%s, %llu, %s, %llu, %llu);\n", from,
                         (unsigned long long)transfer->from_offset, to,
                         (unsigned long long)transfer->to_offset,
                         (unsigned long long)transfer->size);
        return RT_STATUS_OK;
    }
    CHECK(step->verb == SCN_VERB_FILL);
    rt_buffer_printf(out, "    {\n        static const unsigned char pattern[] = {");
    cnf_export_bytes(out, transfer->pattern);
    rt_buffer_printf(out, "};\n        fill(&m_%s, pattern, %zu, %llu, %llu);\n    }\n",
                     cnf_export_memory(exporter, transfer->to), transfer->pattern.size,
                     (unsigned long long)transfer->to_offset, (unsigned long long)transfer->size);
    return RT_STATUS_OK;
}

/* ---- Maps ---------------------------------------------------------------------------------- */

/* Every map blocks, because all commands are in one in-order queue. */
static rt_status map_write(cnf_exporter *exporter, const scn_step *step)
{
    static const char *const flags[SCN_MAP_ACCESS_COUNT] = {
        [SCN_MAP_READ] = "CL_MAP_READ",
        [SCN_MAP_WRITE] = "CL_MAP_WRITE",
        [SCN_MAP_READ_WRITE] = "CL_MAP_READ | CL_MAP_WRITE",
        [SCN_MAP_WRITE_INVALIDATE] = "CL_MAP_WRITE_INVALIDATE_REGION",
    };
    const scn_map *map = &step->map;
    if (!exporter->api->maps) return cnf_export_refuse(exporter, step->at, "a map");
    if (step->error || step->outcome_count > 0)
        return cnf_export_refuse(exporter, step->at, "the refusal of a map");
    CHECK((unsigned)map->access < SCN_MAP_ACCESS_COUNT);
    rt_buffer_printf(&exporter->body,
                     "\n    /* Line %u. */\n    unsigned char *%s = map(&m_%s, %s, %llu, %llu);\n",
                     step->at.line, cnf_export_mapping(exporter, step),
                     cnf_export_memory(exporter, map->memory), flags[map->access],
                     (unsigned long long)map->offset, (unsigned long long)map->size);
    return RT_STATUS_OK;
}

static rt_status mapped_write(cnf_exporter *exporter, const scn_step *step)
{
    const scn_map_write *write = &step->map_write;
    const scn_step *map = &exporter->scenario->steps[write->map];
    rt_buffer_printf(&exporter->body,
                     "\n    /* Line %u. */\n    {\n        static const unsigned char values[] = {",
                     step->at.line);
    cnf_export_bytes(&exporter->body, write->values);
    rt_buffer_printf(&exporter->body,
                     "};\n        memcpy(%s + %llu, values, sizeof values);\n    }\n",
                     cnf_export_mapping(exporter, map), (unsigned long long)write->offset);
    return RT_STATUS_OK;
}

static rt_status unmap_write(cnf_exporter *exporter, const scn_step *step)
{
    const scn_step *map = &exporter->scenario->steps[step->unmap.map];
    if (step->error || step->outcome_count > 0)
        return cnf_export_refuse(exporter, step->at, "the refusal of an unmap");
    rt_buffer_printf(&exporter->body, "\n    /* Line %u. */\n    unmap(&m_%s, %s);\n",
                     step->at.line, cnf_export_memory(exporter, map->map.memory),
                     cnf_export_mapping(exporter, map));
    return RT_STATUS_OK;
}

/* In an exported program, the device performs a host task's copy. */
static rt_status host_task_write(cnf_exporter *exporter, const scn_step *step)
{
    const scn_host_task *task = &step->task;
    if (step->error || step->outcome_count > 0)
        return cnf_export_refuse(exporter, step->at, "the refusal of a host task");
    if (task->to == SCN_NONE) return RT_STATUS_OK;
    const scn_memory *from = &exporter->scenario->memories[task->from];
    rt_buffer_printf(&exporter->body, "\n    /* Line %u. */\n    copy(&m_%s, 0, &m_%s, 0, %llu);\n",
                     step->at.line, cnf_export_memory(exporter, task->from),
                     cnf_export_memory(exporter, task->to),
                     (unsigned long long)from->count * from->layout.size);
    return RT_STATUS_OK;
}

/* Bundles exist only in the runtime; the device sees the programs that are created for a bundle. */
static rt_status bundle_write(cnf_exporter *exporter, const scn_step *step)
{
    const cnf_export_command *command = NULL;
    if (step->outcome_count > 0)
        return cnf_export_refuse(exporter, step->at, "a choice of how a bundle is refused");
    if (step->bundle.constant_count > 0)
        return cnf_export_refuse(exporter, step->at, "a specialisation constant of a bundle");
    if (step->bundle.options.length > 0)
        return cnf_export_refuse(exporter, step->at, "an option of a bundle");
    RT_TRY(cnf_export_command_take(exporter, step, CNF_EXPORT_BUNDLE, &command));
    CHECK(command);
    bool refused = command->kind == CNF_EXPORT_DEVICE_REFUSED;
    uint32_t count = command->kind == CNF_EXPORT_RUNTIME_REFUSED ? 0
                     : refused                                   ? 1
                                                                 : command->program_count;
    if (count > 0)
        rt_buffer_printf(&exporter->body, "\n    /* Line %u: a kernel bundle%s. */\n",
                         step->at.line, refused ? ", whose program must be refused" : "");
    for (uint32_t i = 0; i < count; i++)
        RT_TRY(cnf_export_program_write(exporter, step, command->program + i, refused, false));
    return RT_STATUS_OK;
}

/* ---- Steps --------------------------------------------------------------------------------- */

/* True for submits to the open list's queue, and for steps that reach no device. */
static bool fits_into_list(const cnf_exporter *exporter, const scn_step *step)
{
    CHECK(exporter->list_queue != SCN_NONE);
    switch (step->verb) {
    case SCN_VERB_SUBMIT: return step->submit.command.queue == exporter->list_queue;
    case SCN_VERB_COPY:
    case SCN_VERB_FILL:
    case SCN_VERB_BARRIER:
    case SCN_VERB_MARKER:
    case SCN_VERB_USER_EVENT:
    case SCN_VERB_COMPLETE_EVENT:
    case SCN_VERB_SUB_BUFFER:
    case SCN_VERB_MAP:
    case SCN_VERB_MAP_WRITE:
    case SCN_VERB_UNMAP:
    case SCN_VERB_WAIT:
    case SCN_VERB_HOST_ACCESS:
    case SCN_VERB_BUNDLE:
    case SCN_VERB_HOST_TASK:
    case SCN_VERB_PROFILING:
    case SCN_VERB_END_MEMORY:
    case SCN_VERB_END_QUEUE: return false;
    default: return true;
    }
}

static rt_status step_write(cnf_exporter *exporter, uint32_t index)
{
    const scn_step *step = &exporter->scenario->steps[index];
    if (step->profile != RT_PROFILE_COUNT && step->profile != RT_PROFILE_DOCUMENTS)
        return RT_STATUS_OK;
    CHECK(index < exporter->scenario->step_count);
    if (exporter->list.count > 0 && !fits_into_list(exporter, step))
        return cnf_export_refuse(exporter, step->at, "a step between the kernels of a list");
    switch (step->verb) {
    case SCN_VERB_SUBMIT: return cnf_export_submit_write(exporter, index);
    case SCN_VERB_COPY:
    case SCN_VERB_FILL: return transfer_write(exporter, step);
    case SCN_VERB_BUNDLE: return bundle_write(exporter, step);
    case SCN_VERB_START_FUSION:
    case SCN_VERB_COMPLETE_FUSION:
    case SCN_VERB_CANCEL_FUSION: return cnf_export_list_write(exporter, step);
    case SCN_VERB_EXPECT: return cnf_export_expects_write(exporter, step);
    case SCN_VERB_WAIT:
    case SCN_VERB_HOST_ACCESS:
        rt_buffer_printf(&exporter->body, "\n    /* Line %u. */\n    finish();\n", step->at.line);
        return RT_STATUS_OK;
    case SCN_VERB_HOST_TASK: return host_task_write(exporter, step);
    case SCN_VERB_MAP: return map_write(exporter, step);
    case SCN_VERB_MAP_WRITE: return mapped_write(exporter, step);
    case SCN_VERB_UNMAP: return unmap_write(exporter, step);
    case SCN_VERB_UNLOAD:
        /* A module's variables are destroyed with it, and new ones are created when it is loaded
         * again. */
        if (libraries_have_globals(exporter->scenario))
            return cnf_export_refuse(exporter, step->at, "the unloading of a device_global");
        return step->error ? cnf_export_refusal_write(exporter, step) : RT_STATUS_OK;
    /* The effect of these steps is in the trace, or nothing depends on it because there is only one
     * queue. */
    case SCN_VERB_LOAD:
    case SCN_VERB_LOAD_IMAGE:
    case SCN_VERB_DEVICE:
    case SCN_VERB_CONTEXT:
    case SCN_VERB_QUEUE:
    case SCN_VERB_END_QUEUE:
    case SCN_VERB_END_MEMORY:
    case SCN_VERB_BARRIER:
    case SCN_VERB_MARKER:
    case SCN_VERB_PROFILING:
        if (step->outcome_count > 0)
            return cnf_export_refuse(exporter, step->at, "a choice of how this step is refused");
        return step->error ? cnf_export_refusal_write(exporter, step) : RT_STATUS_OK;
    default: return cnf_export_refuse(exporter, step->at, "this step");
    }
}

/* ---- The program --------------------------------------------------------------------------- */

static const char *const memory_kinds[SCN_MEMORY_KIND_COUNT] = {
    [SCN_MEMORY_BUFFER] = "BUFFER",
    [SCN_MEMORY_USM_DEVICE] = "USM_DEVICE",
    [SCN_MEMORY_USM_HOST] = "USM_HOST",
    [SCN_MEMORY_USM_SHARED] = "USM_SHARED",
};

static rt_status body_write(cnf_exporter *exporter)
{
    const scn_scenario *scenario = exporter->scenario;
    for (uint32_t i = 0; i < scenario->memory_count; i++) {
        const scn_memory *memory = &scenario->memories[i];
        const char *name = cnf_export_memory(exporter, i);
        uint64_t size = memory->count * memory->layout.size;
        CHECK((unsigned)memory->kind < SCN_MEMORY_KIND_COUNT);
        rt_text initial =
            rt_arena_printf(exporter->arena, memory->initial.data ? "initial_%s" : "NULL", name);
        if (memory->initial.data)
            cnf_export_values(&exporter->declarations, initial.data, &memory->layout,
                              memory->initial);
        rt_buffer_printf(&exporter->body,
                         "    memory m_%s = memory_create(%s, \"%s\", %llu, %s);\n", name,
                         memory_kinds[memory->kind], name, (unsigned long long)size, initial.data);
    }
    for (uint32_t i = 0; i < scenario->step_count; i++)
        RT_TRY(step_write(exporter, i));
    if (exporter->list.count > 0)
        return cnf_export_refuse(exporter, scenario->steps[exporter->list.items[0]].at,
                                 "a list that is still open at the end of the program");
    if (exporter->device_commands == 0)
        return rt_fail(exporter->sink, RT_UNSUPPORTED, RT_RULE_NONE,
                       "%.*s: the runtime refuses every step without calling the device, so an "
                       "exported program would show nothing about the device",
                       RT_TEXT_ARG(scenario->file));
    cnf_export_finals_write(exporter);
    return RT_STATUS_OK;
}

/* Adds the page that says what the program shows, needs and prints. */
static void readme_add(cnf_exporter *exporter)
{
    const cnf_export_api *api = exporter->api;
    rt_buffer text = {0};
    rt_buffer_printf(
        &text,
        "# %.*s\n\n%.*s\n\nThis program makes the device calls of that scenario, which assay export "
        "wrote in C. It needs nothing of assay.\n%s\n"
        "Each result that differs is a line with the line of the scenario. Exit status 0: everything is "
        "as expected; 1:\nsomething differs; 2: the program could not run.\n\n",
        RT_TEXT_ARG(exporter->scenario->path), RT_TEXT_ARG(exporter->scenario->summary),
        api->readme);
    rt_buffer_printf(&text,
                     "- `main.c`: the calls in their order, with the expected values.\n"
                     "- `support.h`, `%s`%s: what the calls do.\n",
                     api->support_name, exporter->prints ? ", `support_output.h`" : "");
    for (uint32_t i = 0; i < exporter->files.count; i++) {
        rt_text name = exporter->files.items[i].name;
        size_t length = strlen(api->ending);
        bool is_image = name.length > length &&
                        memcmp(name.data + name.length - length, api->ending, length) == 0;
        if (is_image)
            rt_buffer_printf(&text, "- `%.*s`: device code, %s.\n", RT_TEXT_ARG(name),
                             api->format_name);
    }
    cnf_export_file_add(exporter, RT_TEXT("README.md"),
                        rt_arena_bytes(exporter->arena, rt_buffer_bytes(&text)));
    rt_buffer_free(&text);
}

/* Adds main.c and the files that accompany it. */
static void files_add(cnf_exporter *exporter)
{
    const cnf_export_api *api = exporter->api;
    rt_buffer text = {0};
    rt_buffer_printf(
        &text,
        "/* %.*s\n *\n * Written by assay export from %.*s.  Exit status 0: everything is as expected; 1: something "
        "differs;\n * 2: the test could not run.  Line numbers refer to the scenario. */\n%s#include \"%s\"\n%s\n",
        RT_TEXT_ARG(exporter->scenario->summary), RT_TEXT_ARG(exporter->scenario->path),
        api->definition, api->support_name,
        exporter->prints ? "#include \"support_output.h\"\n" : "");
    rt_buffer_append_text(&text, rt_buffer_text(&exporter->declarations));
    rt_buffer_printf(
        &text,
        "\nint main(int argument_count, char **arguments)\n{\n    device_open(argument_count, arguments);\n");
    rt_buffer_append_text(&text, rt_buffer_text(&exporter->body));
    rt_buffer_printf(&text, "\n    return program_end();\n}\n");
    cnf_export_file_add(exporter, RT_TEXT("main.c"),
                        rt_arena_bytes(exporter->arena, rt_buffer_bytes(&text)));
    rt_buffer_free(&text);
    cnf_export_file_add(exporter, RT_TEXT("support.h"), (rt_bytes){support, sizeof support});
    if (exporter->prints)
        cnf_export_file_add(exporter, RT_TEXT("support_output.h"),
                            (rt_bytes){support_output, sizeof support_output});
    cnf_export_file_add(exporter, rt_text_of(api->support_name), api->support);
    cnf_export_file_add(exporter, RT_TEXT("Makefile"), api->makefile);
    readme_add(exporter);
    CHECK(exporter->files.count >= 5);
}

rt_status cnf_export(rt_sink *sink, rt_arena *arena, const cnf_export_api *api,
                     const scn_scenario *scenario, const cnf_messages *messages,
                     const cnf_messages *compiled, cnf_exported *out_exported)
{
    cnf_exporter exporter = {.sink = sink,
                             .arena = arena,
                             .api = api,
                             .scenario = scenario,
                             .messages = messages,
                             .list_queue = SCN_NONE,
                             .prints = expects_output(scenario)};
    *out_exported = (cnf_exported){0};
    rt_status status = RT_STATUS_OK;
    if (api->format == RT_FORMAT_OPENCL_C) {
        /* Each image is replaced with the source that it was compiled from. */
        const cnf_source_obstacle *obstacle = cnf_source_obstacle_find(scenario);
        if (obstacle)
            status = rt_fail(sink, RT_UNSUPPORTED, RT_RULE_NONE, "%.*s: %s",
                             RT_TEXT_ARG(scenario->file), obstacle->message);
        else
            exporter.scenario = cnf_source_images(arena, scenario);
    }
    if (rt_ok(status)) status = scenario_check(&exporter);
    if (rt_ok(status)) status = cnf_export_trace_read(sink, arena, messages, &exporter.trace);
    if (rt_ok(status)) {
        exporter.written =
            rt_arena_alloc_array(arena, exporter.trace.program_count, sizeof *exporter.written);
        exporter.laid_out =
            rt_arena_alloc_array(arena, exporter.scenario->memory_count, sizeof *exporter.laid_out);
        cnf_export_translate(&exporter, compiled);
        cnf_export_fused_find(&exporter, compiled);
        status = body_write(&exporter);
    }
    if (rt_ok(status)) {
        files_add(&exporter);
        uint32_t count = exporter.files.count;
        *out_exported = (cnf_exported){
            rt_arena_copy(arena, exporter.files.items, count, sizeof *exporter.files.items), count};
    }
    rt_buffer_free(&exporter.declarations);
    rt_buffer_free(&exporter.body);
    rt_vector_free(&exporter.files);
    rt_vector_free(&exporter.list);
    rt_map_free(&exporter.globals);
    return status;
}
