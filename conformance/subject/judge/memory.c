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

/* The first compared element that, according to the device, was never completely written;
 * UINT64_MAX: none. Uninitialised contents may look right by chance. */
static uint64_t first_undefined(const scn_memory *declared, const uint8_t *bits)
{
    for (uint64_t i = 0; i < declared->count; i++) {
        if (is_uncompared(declared, i)) continue;
        for (uint32_t f = 0; f < declared->layout.field_count; f++) {
            const scn_field *field = &declared->layout.fields[f];
            uint64_t begin = i * declared->layout.size + field->offset;
            uint64_t end = begin + (uint64_t)field->lanes * scn_type_size(field->type);
            for (uint64_t byte = begin; byte < end; byte++) {
                if (!(bits[byte / 8] >> byte % 8 & 1)) return i;
            }
        }
    }
    return UINT64_MAX;
}

/* Judges the result of a host read that returned `status`. */
static void judge_content(cnf_execution *execution, const scn_memory *declared, rt_bytes expected,
                          rt_status status, cnf_content *content, cnf_emitted_check *check)
{
    rt_arena *arena = &execution->arena;
    bool executes = execution->runtime->capabilities.executes;
    bool is_read = rt_ok(status) && executes;
    CHECK_IMPLIES(is_read, expected.size == content->bytes.size);
    uint64_t undefined =
        is_read && content->defined ? first_undefined(declared, content->defined) : UINT64_MAX;
    cnf_difference difference;
    if (!rt_ok(status)) {
        check->code = rt_text_of(rt_code_name(status.code));
        check->message = rt_sink_diagnostic(execution->sink, status)->message;
    } else if (!executes) {
        cnf_leave_unobserved(check);
    } else if (undefined != UINT64_MAX) {
        check->code = RT_TEXT("undefined");
        check->place = rt_arena_printf(arena, "element %" PRIu64, undefined);
        check->message = rt_arena_printf(
            arena, "%.*s[%" PRIu64 "] was never written, so it has no value to compare",
            RT_TEXT_ARG(declared->name), undefined);
    } else if (cnf_elements_compare(arena, declared, expected, content->bytes, (rt_bytes){0},
                                    &difference)) {
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
    judge_content(execution, declared, expect->memory.values, status, &content, check);
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
    judge_content(execution, &declared, expect->variable.values, status, &content, check);
}
