/* Judges the contents of a memory or a device_global, as read by a synchronising host read. */
#include "conformance/subject/execute.h"
#include "conformance/verdict/elements.h"

#include <inttypes.h>

static bool is_uncompared(const scn_memory *declared, uint64_t element)
{
    for (uint32_t i = 0; i < declared->uncompared_count; i++)
        if (declared->uncompared[i] == element) return true;
    return false;
}

/* A byte without a defined value; UINT64_MAX: there is none. */
typedef struct undefined_place {
    uint64_t element, byte;
} undefined_place;

/* The first compared element that, according to the device, has no defined value as a whole.
 * Uninitialised contents may look right by chance. */
static undefined_place first_undefined(const scn_memory *declared, const uint8_t *bits)
{
    for (uint64_t i = 0; i < declared->count; i++) {
        if (is_uncompared(declared, i)) continue;
        for (uint32_t f = 0; f < declared->layout.field_count; f++) {
            const scn_field *field = &declared->layout.fields[f];
            uint64_t begin = i * declared->layout.size + field->offset;
            uint64_t end = begin + (uint64_t)field->lanes * scn_type_size(field->type);
            for (uint64_t byte = begin; byte < end; byte++) {
                if (!(bits[byte / 8] >> byte % 8 & 1)) return (undefined_place){i, byte};
            }
        }
    }
    return (undefined_place){UINT64_MAX, UINT64_MAX};
}

/* A memory of an execution, as the user of cnf_element_writers. */
typedef struct written_memory {
    cnf_execution *execution;
    uint32_t index; /* SCN_NONE: a variable */
} written_memory;

static bool writer_find(const written_memory *memory, uint64_t offset, dev_writer *out_writer)
{
    const cnf_runtime_operations *operations = memory->execution->runtime->operations;
    return memory->index != SCN_NONE && operations->writer &&
           operations->writer(memory->execution, memory->index, offset, out_writer);
}

static bool writer_append(void *user, uint64_t offset, rt_buffer *out)
{
    dev_writer writer;
    if (!writer_find(user, offset, &writer) || !writer.is_kernel) return false;
    if (writer.is_copy)
        rt_buffer_printf(out, "an asynchronous copy");
    else
        rt_buffer_printf(out, "(%" PRIu64 ", %" PRIu64 ", %" PRIu64 ")", writer.work_item[0],
                         writer.work_item[1], writer.work_item[2]);
    rt_buffer_printf(out, " of '%.*s'", RT_TEXT_ARG(writer.kernel));
    return true;
}

/* Says why an element has no value: nothing wrote it, or what wrote it had none. */
static rt_text undefined_explain(rt_arena *arena, written_memory *memory,
                                 const scn_memory *declared, undefined_place place)
{
    dev_writer writer = {0};
    rt_buffer by = {0};
    bool is_known = writer_find(memory, place.byte, &writer);
    const char *name =
        rt_arena_printf(arena, "%.*s[%" PRIu64 "]", RT_TEXT_ARG(declared->name), place.element)
            .data;
    rt_text text;
    if (writer_append(memory, place.byte, &by))
        text = rt_arena_printf(arena,
                               "%s was written from an uninitialised value, by work-item %s, so it "
                               "has no value to compare",
                               name, rt_buffer_string(&by));
    else if (is_known && writer.may_be_copied)
        text = rt_arena_printf(arena,
                               "%s was never written, or was copied from what was never written, "
                               "so it has no value to compare",
                               name);
    else
        text = rt_arena_printf(arena, "%s was never written, so it has no value to compare", name);
    rt_buffer_free(&by);
    return text;
}

/* Judges the result of a host read that returned `status`. */
static void judge_content(written_memory memory, const scn_memory *declared, rt_bytes expected,
                          rt_status status, cnf_content *content, cnf_emitted_check *check)
{
    cnf_execution *execution = memory.execution;
    rt_arena *arena = &execution->arena;
    bool executes = execution->runtime->capabilities.executes;
    bool is_read = rt_ok(status) && executes;
    CHECK_IMPLIES(is_read, expected.size == content->bytes.size);
    cnf_failure_note(execution, status);
    undefined_place undefined = {UINT64_MAX, UINT64_MAX};
    if (is_read && content->defined) undefined = first_undefined(declared, content->defined);
    cnf_difference difference;
    if (!rt_ok(status)) {
        check->code = rt_text_of(rt_code_name(status.code));
        check->message = rt_sink_diagnostic(execution->sink, status)->message;
    } else if (!executes) {
        cnf_leave_unobserved(check);
    } else if (undefined.element != UINT64_MAX) {
        check->code = RT_TEXT("undefined");
        check->place = rt_arena_printf(arena, "element %" PRIu64, undefined.element);
        check->message = undefined_explain(arena, &memory, declared, undefined);
    } else if (cnf_elements_compare_written(
                   arena, declared, expected, content->bytes, (rt_bytes){0},
                   (cnf_element_writers){writer_append, &memory}, &difference)) {
        check->ok = true;
    } else {
        check->code = RT_TEXT("differs");
        check->place = difference.place;
        check->message = difference.text;
    }
    rt_arena_reset(&content->arena);
}

void cnf_evaluate_memory(cnf_execution *execution, const scn_expect *expect,
                         cnf_emitted_check *check)
{
    cnf_content content = {0};
    const scn_memory *declared = &execution->scenario->memories[expect->memory.index];
    check->kind = "memory";
    check->what = declared->name;
    rt_status status =
        execution->runtime->operations->read(execution, expect->memory.index, &content);
    const written_memory memory = {execution, expect->memory.index};
    judge_content(memory, declared, expect->memory.values, status, &content, check);
}

/* A mapping is compared as if it were a memory of its own. */
void cnf_evaluate_mapped(cnf_execution *execution, const scn_expect *expect,
                         cnf_emitted_check *check)
{
    cnf_content content = {0};
    const scn_map *map = &execution->scenario->steps[expect->mapped.map].map;
    scn_memory declared = execution->scenario->memories[map->memory];
    declared.count = map->size / declared.layout.size;
    declared.uncompared_count = 0;
    check->kind = "mapped";
    check->what = declared.name;
    uint32_t mapping = execution->results[expect->mapped.map].mapping;
    if (mapping == CNF_NO_OBJECT) { /* the failure of the map has been judged already */
        cnf_leave_unobserved(check);
        return;
    }
    rt_status status = execution->runtime->operations->mapped_read(execution, check->step, mapping,
                                                                   map->size, &content);
    const written_memory mapped = {execution, SCN_NONE};
    judge_content(mapped, &declared, expect->mapped.values, status, &content, check);
}

/* A variable is compared as if it were a memory that holds its elements. */
void cnf_evaluate_variable(cnf_execution *execution, const scn_expect *expect,
                           cnf_emitted_check *check)
{
    cnf_content content = {0};
    const scn_memory declared = {.name = expect->variable.variable.name,
                                 .layout = expect->variable.layout,
                                 .count =
                                     expect->variable.values.size / expect->variable.layout.size};
    check->kind = "variable";
    check->what = declared.name;
    if (!execution->runtime->operations->read_global) {
        cnf_leave_unobserved(check);
        return;
    }
    uint32_t queue = CNF_NO_OBJECT;
    rt_status status = cnf_default_queue(execution, expect->variable.device, &queue);
    if (rt_ok(status))
        status = execution->runtime->operations->read_global(execution, &expect->variable.variable,
                                                             queue, false, &content);
    const written_memory variable = {execution, SCN_NONE};
    judge_content(variable, &declared, expect->variable.values, status, &content, check);
}
