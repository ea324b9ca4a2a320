/* Writes messages as JSON lines, each with a single write, so that a crash leaves no partial line.
 */
#include "conformance/subject/emit.h"

#include "conformance/json/json.h"
#include "reference/base/descriptors.h"
#include "reference/base/number.h"

#include <jansson.h>

static json_t *message_of(const char *type)
{
    json_t *message = json_object();
    CHECK(message);
    cnf_json_set(message, "type", json_string(type));
    return message;
}

/* Writes the message, which is JSON without a line feed, as one line, and frees it. */
static void line_emit(cnf_emitter *emitter, rt_buffer *message)
{
    CHECK(emitter->descriptor >= 0);
    rt_buffer_append_byte(message, '\n');
    if (!emitter->failed)
        emitter->failed = !rt_write_all(emitter->descriptor, rt_buffer_bytes(message));
    rt_buffer_free(message);
}

/* Sends the message, as one line unless a receiver takes it as it is, and frees it. */
static void emit(cnf_emitter *emitter, json_t *message)
{
    rt_buffer line = {0};
    if (emitter->receiver) {
        emitter->receiver->take(emitter->receiver->user, message);
        json_decref(message);
        return;
    }
    cnf_json_write(&line, message, JSON_COMPACT);
    line_emit(emitter, &line);
}

static void set_place(json_t *message, uint32_t step, uint32_t line)
{
    if (step != SCN_NONE) cnf_json_set(message, "step", json_integer(step));
    if (line != 0) cnf_json_set(message, "line", json_integer(line));
}

void cnf_emit_stage(cnf_emitter *emitter, const char *stage, uint32_t step, uint32_t line)
{
    CHECK(stage[0] != '\0'); /* the reader rejects a stage without a name */
    json_t *message = message_of("stage");
    cnf_json_set(message, "stage", json_string(stage));
    set_place(message, step, line);
    emit(emitter, message);
}

void cnf_emit_device(cnf_emitter *emitter, const dev_capabilities *capabilities, rt_text warning)
{
    json_t *message = message_of("device");
    cnf_json_set(message, "name", cnf_json_text(capabilities->name));
    cnf_json_set(message, "driver", cnf_json_text(capabilities->driver));
    cnf_json_set(message, "executes", json_boolean(capabilities->executes));
    if (warning.length > 0) cnf_json_set(message, "warning", cnf_json_text(warning));
    emit(emitter, message);
}

void cnf_emit_unavailable(cnf_emitter *emitter, rt_text text)
{
    json_t *message = message_of("unavailable");
    cnf_json_set(message, "message", cnf_json_text(text));
    emit(emitter, message);
}

void cnf_emit_skip(cnf_emitter *emitter, const char *capability, const char *answer, rt_text text)
{
    json_t *message = message_of("skip");
    cnf_json_set(message, "capability", json_string(capability));
    cnf_json_set(message, "answer", json_string(answer));
    cnf_json_set(message, "message", cnf_json_text(text));
    emit(emitter, message);
}

void cnf_emit_check(cnf_emitter *emitter, const cnf_emitted_check *check)
{
    CHECK(check->kind[0] != '\0' && check->branch <= check->branch_count);
    json_t *message = message_of("check");
    set_place(message, check->step, check->line);
    cnf_json_set(message, "kind", json_string(check->kind));
    cnf_json_set(message, "what", cnf_json_text(check->what));
    cnf_json_set(message, "ok", json_boolean(check->ok));
    cnf_json_set(message, "observed", json_boolean(check->observed));
    if (check->code_file.length) {
        cnf_json_set(message, "code_file", cnf_json_text(check->code_file));
        cnf_json_set(message, "code_line", json_integer(check->code_line));
        cnf_json_set(message, "code_column", json_integer(check->code_column));
    }
    if (check->step_id.length) cnf_json_set(message, "id", cnf_json_text(check->step_id));
    if (check->code.length) cnf_json_set(message, "code", cnf_json_text(check->code));
    if (check->place.length) cnf_json_set(message, "place", cnf_json_text(check->place));
    if (check->rule != RT_RULE_NONE)
        cnf_json_set(message, "rule", json_string(rt_rule_name(check->rule)));
    if (check->message.length) cnf_json_set(message, "message", cnf_json_text(check->message));
    if (check->memory_count > 0) {
        json_t *memories = json_array();
        for (uint32_t i = 0; i < check->memory_count; i++)
            cnf_json_append(memories, cnf_json_text(check->memories[i]));
        cnf_json_set(message, "memories", memories);
    }
    if (check->branch_count) {
        cnf_json_set(message, "branch", json_integer(check->branch));
        cnf_json_set(message, "branches", json_integer(check->branch_count));
    }
    emit(emitter, message);
}

static json_t *hexadecimal(const uint8_t *bytes, size_t size)
{
    rt_buffer digits = {0};
    rt_buffer_append_hex(&digits, (rt_bytes){bytes, size});
    json_t *string = json_stringn_nocheck(rt_buffer_string(&digits), digits.size);
    CHECK(string);
    rt_buffer_free(&digits);
    return string;
}

void cnf_emit_memory(cnf_emitter *emitter, const scn_memory *memory, rt_bytes data,
                     const uint8_t *defined)
{
    if (emitter->receiver) return;
    json_t *message = message_of("memory");
    cnf_json_set(message, "name", cnf_json_text(memory->name));
    cnf_json_set(message, "data", hexadecimal(data.data, data.size));
    if (defined) cnf_json_set(message, "defined", hexadecimal(defined, (data.size + 7) / 8));
    emit(emitter, message);
}

static void field_write(rt_buffer *out, const rt_event_field *field)
{
    CHECK_IMPLIES(!field->is_list, field->value_count == 1);
    rt_buffer_printf(out, ",\"%s\":", field->key);
    if (field->is_list) rt_buffer_append_byte(out, '[');
    for (uint32_t i = 0; i < field->value_count; i++) {
        if (i > 0) rt_buffer_append_byte(out, ',');
        cnf_json_write_text(out, field->values[i]);
    }
    if (field->is_list) rt_buffer_append_byte(out, ']');
}

/* The longest message, so it is written directly. */
void cnf_emit_trace(cnf_emitter *emitter, rt_trace *trace, cnf_trace_extent extent)
{
    rt_buffer line = {0};
    rt_buffer_printf(&line, "{\"type\":\"trace\",%s\"events\":[",
                     extent == CNF_TRACE_COMPLETE ? "" : "\"partial\":true,");
    uint32_t count = rt_trace_count(trace);
    for (uint32_t i = 0; i < count; i++) {
        const rt_event *event = rt_trace_event(trace, i);
        rt_buffer_printf(&line, "%s{\"event\":\"%s\"", i > 0 ? "," : "",
                         rt_event_name(event->kind));
        for (uint32_t f = 0; extent != CNF_TRACE_KINDS && f < event->field_count; f++)
            field_write(&line, &event->fields[f]);
        rt_buffer_append_byte(&line, '}');
    }
    rt_buffer_append_text(&line, RT_TEXT("]}"));
    if (!emitter->receiver) {
        line_emit(emitter, &line);
        return;
    }
    emitter->receiver->take_trace(emitter->receiver->user, rt_buffer_text(&line));
    rt_buffer_free(&line);
}

void cnf_emit_choices(cnf_emitter *emitter, const rt_choice *choices, uint32_t count)
{
    if (count == 0) return;
    json_t *message = message_of("choices");
    json_t *list = json_array();
    for (uint32_t i = 0; i < count; i++) {
        CHECK(choices[i].alternative < choices[i].alternative_count);
        json_t *choice = json_object();
        cnf_json_set(choice, "rule", json_string(rt_rule_name(choices[i].rule)));
        cnf_json_set(choice, "of", json_integer(choices[i].alternative_count));
        cnf_json_set(choice, "taken", json_integer(choices[i].alternative));
        cnf_json_append(list, choice);
    }
    cnf_json_set(message, "made", list);
    emit(emitter, message);
}

void cnf_emit_orders(cnf_emitter *emitter, const char *kind, const rt_order *orders, uint32_t count)
{
    if (count == 0) return;
    json_t *message = message_of("orders"), *list = json_array();
    for (uint32_t i = 0; i < count; i++) {
        json_t *order = json_object();
        cnf_json_set(order, "choice", json_integer(orders[i].number));
        cnf_json_set(order, "take", json_integer(orders[i].alternative));
        cnf_json_append(list, order);
    }
    cnf_json_set(message, kind, list);
    emit(emitter, message);
}

void cnf_emit_calls(cnf_emitter *emitter, uint32_t count)
{
    json_t *message = message_of("calls");
    cnf_json_set(message, "count", json_integer(count));
    emit(emitter, message);
}

void cnf_emit_probe(cnf_emitter *emitter, bool ok, rt_text text)
{
    json_t *message = message_of("probe");
    cnf_json_set(message, "ok", json_boolean(ok));
    if (text.length > 0) cnf_json_set(message, "message", cnf_json_text(text));
    emit(emitter, message);
}

void cnf_emit_released(cnf_emitter *emitter, const char *code, rt_text text)
{
    CHECK((*code == '\0') == (text.length == 0));
    json_t *message = message_of("released");
    cnf_json_set(message, "ok", json_boolean(*code == '\0'));
    if (*code) cnf_json_set(message, "code", json_string(code));
    if (*code) cnf_json_set(message, "message", cnf_json_text(text));
    emit(emitter, message);
}

void cnf_emit_capabilities(cnf_emitter *emitter, rt_text lines)
{
    json_t *message = message_of("capabilities");
    cnf_json_set(message, "lines", cnf_json_text(lines));
    emit(emitter, message);
}

void cnf_emit_artefact(cnf_emitter *emitter, const scn_artefact *artefact)
{
    json_t *message = message_of("artefact");
    cnf_json_set(message, "request", json_string(rt_hash_print(artefact->request).digits));
    cnf_json_set(message, "answer", hexadecimal(artefact->answer.data, artefact->answer.size));
    emit(emitter, message);
}

void cnf_emit_end(cnf_emitter *emitter)
{
    emit(emitter, message_of("end"));
}
