/* Messages as JSON lines, each written with one call so that none is half there when we die. */
#include "conformance/subject/emit.h"

#include "reference/base/number.h"

#include <errno.h>
#include <jansson.h>
#include <unistd.h>

/* A JSON string; bytes that are not UTF-8 (drivers' logs contain any) are replaced. */
static json_t *string_of(rt_text text)
{
    json_t *string = json_stringn(text.data ? text.data : "", text.length);
    if (string) return string;
    CHECK(text.data); /* empty texts are valid UTF-8 and do not get here */
    rt_buffer ascii = {0};
    for (size_t i = 0; i < text.length; i++) {
        rt_buffer_append_byte(&ascii, (unsigned char)text.data[i] < 0x80 ? text.data[i] : '?');
    }
    string = json_stringn(rt_buffer_string(&ascii), ascii.size);
    rt_buffer_free(&ascii);
    CHECK(string);
    return string;
}

static void set(json_t *object, const char *key, json_t *value)
{
    int failed = json_object_set_new(object, key, value);
    CHECK(failed == 0);
}

static json_t *message_of(const char *type)
{
    json_t *message = json_object();
    CHECK(message);
    set(message, "type", json_string(type));
    return message;
}

/* Writes the message as one line and frees it. */
static void emit(cnf_emitter *emitter, json_t *message)
{
    char *line = json_dumps(message, JSON_COMPACT);
    CHECK(line);
    json_decref(message);
    rt_buffer whole = {0};
    rt_buffer_printf(&whole, "%s\n", line);
    free(line);
    for (size_t written = 0; !emitter->failed && written < whole.size;) {
        ssize_t count = write(emitter->descriptor, whole.data + written, whole.size - written);
        if (count > 0)
            written += (size_t)count;
        else if (errno != EINTR)
            emitter->failed = true;
    }
    rt_buffer_free(&whole);
}

static void set_place(json_t *message, uint32_t step, uint32_t line)
{
    if (step != SCN_NONE) set(message, "step", json_integer(step));
    if (line != 0) set(message, "line", json_integer(line));
}

void cnf_emit_stage(cnf_emitter *emitter, const char *stage, uint32_t step, uint32_t line)
{
    json_t *message = message_of("stage");
    set(message, "stage", json_string(stage));
    set_place(message, step, line);
    emit(emitter, message);
}

void cnf_emit_device(cnf_emitter *emitter, const dev_capabilities *capabilities)
{
    json_t *message = message_of("device");
    set(message, "name", string_of(capabilities->name));
    set(message, "driver", string_of(capabilities->driver));
    set(message, "executes", json_boolean(capabilities->executes));
    emit(emitter, message);
}

void cnf_emit_unavailable(cnf_emitter *emitter, rt_text text)
{
    json_t *message = message_of("unavailable");
    set(message, "message", string_of(text));
    emit(emitter, message);
}

void cnf_emit_skip(cnf_emitter *emitter, const char *capability, const char *answer, rt_text text)
{
    json_t *message = message_of("skip");
    set(message, "capability", json_string(capability));
    set(message, "answer", json_string(answer));
    set(message, "message", string_of(text));
    emit(emitter, message);
}

void cnf_emit_check(cnf_emitter *emitter, const cnf_emitted_check *check)
{
    json_t *message = message_of("check");
    set_place(message, check->step, check->line);
    set(message, "kind", json_string(check->kind));
    set(message, "what", string_of(check->what));
    set(message, "ok", json_boolean(check->ok));
    set(message, "observed", json_boolean(check->observed));
    if (check->code.length) set(message, "code", string_of(check->code));
    if (check->place.length) set(message, "place", string_of(check->place));
    if (check->rule != RT_RULE_NONE) set(message, "rule", json_string(rt_rule_name(check->rule)));
    if (check->message.length) set(message, "message", string_of(check->message));
    if (check->branch_count) {
        set(message, "branch", json_integer(check->branch));
        set(message, "branches", json_integer(check->branch_count));
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
    json_t *message = message_of("memory");
    set(message, "name", string_of(memory->name));
    set(message, "data", hexadecimal(data.data, data.size));
    if (defined) set(message, "defined", hexadecimal(defined, (data.size + 7) / 8));
    emit(emitter, message);
}

static json_t *event_of(const rt_event *event)
{
    json_t *object = json_object();
    CHECK(object);
    set(object, "event", json_string(rt_event_name(event->kind)));
    for (uint32_t i = 0; i < event->field_count; i++) {
        const rt_event_field *field = &event->fields[i];
        if (!field->is_list) {
            set(object, field->key, string_of(field->values[0]));
            continue;
        }
        json_t *list = json_array();
        CHECK(list);
        for (uint32_t k = 0; k < field->value_count; k++) {
            json_array_append_new(list, string_of(field->values[k]));
        }
        set(object, field->key, list);
    }
    return object;
}

void cnf_emit_trace(cnf_emitter *emitter, rt_trace *trace, bool partial)
{
    json_t *message = message_of("trace");
    if (partial) set(message, "partial", json_true());
    json_t *events = json_array();
    CHECK(events);
    uint32_t count = rt_trace_count(trace);
    for (uint32_t i = 0; i < count; i++) {
        json_array_append_new(events, event_of(rt_trace_event(trace, i)));
    }
    set(message, "events", events);
    emit(emitter, message);
}

void cnf_emit_choices(cnf_emitter *emitter, const rt_choice *choices, uint32_t count)
{
    if (count == 0) return;
    json_t *message = message_of("choices");
    json_t *made = json_array();
    CHECK(made);
    for (uint32_t i = 0; i < count; i++) {
        json_t *choice = json_object();
        CHECK(choice);
        set(choice, "rule", json_string(rt_rule_name(choices[i].rule)));
        set(choice, "of", json_integer(choices[i].alternative_count));
        set(choice, "taken", json_integer(choices[i].taken));
        json_array_append_new(made, choice);
    }
    set(message, "made", made);
    emit(emitter, message);
}

void cnf_emit_probe(cnf_emitter *emitter, bool ok, rt_text text)
{
    json_t *message = message_of("probe");
    set(message, "ok", json_boolean(ok));
    if (text.length > 0) set(message, "message", string_of(text));
    emit(emitter, message);
}

void cnf_emit_capabilities(cnf_emitter *emitter, rt_text lines)
{
    json_t *message = message_of("capabilities");
    set(message, "lines", string_of(lines));
    emit(emitter, message);
}

void cnf_emit_artefact(cnf_emitter *emitter, const scn_artefact *artefact)
{
    json_t *message = message_of("artefact");
    set(message, "request", json_string(rt_hash_print(artefact->request).digits));
    set(message, "answer", hexadecimal(artefact->answer.data, artefact->answer.size));
    emit(emitter, message);
}

void cnf_emit_end(cnf_emitter *emitter)
{
    emit(emitter, message_of("end"));
}
