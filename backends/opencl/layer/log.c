/* Implements the reader of log.h: each line becomes a call, and the record of a call's return
 * replaces its announcement. */
#include "backends/opencl/layer/log.h"
#include "reference/base/number.h"
#include "reference/base/vector.h"

#include <inttypes.h>
#include <string.h>

/* The part of a record that precedes its fields. */
typedef struct line_head {
    uint64_t process, call, thread;
    bool returned;
    rt_text name;
} line_head;

/* A process that writes to the log, and the reader's state for it. */
typedef struct log_process {
    uint64_t number; /* the system's process number */
    bool loaded;     /* its first record has been read */
} log_process;

typedef struct log_entry {
    uint64_t number; /* number of the call in its process */
    ocl_call call;
} log_entry;

typedef struct log_reader {
    rt_sink *sink;
    rt_arena *arena;
    uint32_t line; /* from 1 */
    RT_VECTOR(log_process) processes;
    RT_VECTOR(log_entry) returned, begun; /* begun: calls whose return has not been read yet */
    ocl_call_log *out;
} log_reader;

static rt_status line_fail(const log_reader *reader, const char *reason)
{
    return rt_fail(reader->sink, RT_MALFORMED, RT_RULE_NONE,
                   "line %u of the OpenCL layer's log is not a record: %s; the log was written by "
                   "something else, or by another version of the layer",
                   reader->line, reason);
}

/* ---- Words ---------------------------------------------------------------------------------- */

/* Removes the text up to and including the next space; *out_word is the part before the space.
 * False if that part is empty. */
static bool word_take(rt_text *inout_rest, rt_text *out_word)
{
    *out_word = rt_text_take_until(inout_rest, ' ');
    return out_word->length > 0;
}

static bool number_read(rt_text text, uint64_t *out_number)
{
    return rt_number_read(text, 0, UINT64_MAX, out_number);
}

/* Copies a value and decodes its escapes.  False if an escape is invalid. */
static bool value_read(rt_arena *arena, rt_text written, rt_text *out_value)
{
    char *value = rt_arena_alloc(arena, written.length + 1);
    size_t length = 0;
    for (size_t i = 0; i < written.length; i++) {
        char byte = written.data[i];
        if (byte == '%') {
            uint8_t unescaped;
            if (written.length - i < 3) return false;
            if (!rt_hex_read((rt_text){written.data + i + 1, 2}, &unescaped)) return false;
            byte = (char)unescaped;
            i += 2;
        }
        value[length++] = byte;
    }
    CHECK(length <= written.length);
    *out_value = (rt_text){value, length};
    return true;
}

/* ---- Lines ---------------------------------------------------------------------------------- */

static bool head_read(rt_text *inout_rest, line_head *out_head)
{
    rt_text process, call, thread, mark;
    bool whole = word_take(inout_rest, &process) && word_take(inout_rest, &call) &&
                 word_take(inout_rest, &thread) && word_take(inout_rest, &mark) &&
                 word_take(inout_rest, &out_head->name);
    if (!whole || mark.length != 1 || (*mark.data != '<' && *mark.data != '>')) return false;
    out_head->returned = *mark.data == '<';
    return number_read(process, &out_head->process) && number_read(call, &out_head->call) &&
           number_read(thread, &out_head->thread) && out_head->call < UINT32_MAX &&
           out_head->thread < UINT32_MAX;
}

static uint32_t count_of(rt_text text, char byte)
{
    uint32_t count = 0;
    for (size_t i = 0; i < text.length; i++)
        count += text.data[i] == byte;
    return count;
}

/* Reads "key=value" words up to the end of the line. */
static rt_status fields_read(log_reader *reader, rt_text rest, ocl_call *call)
{
    uint32_t room = count_of(rest, ' ') + 1;
    ocl_call_field *fields = rt_arena_alloc_array(reader->arena, room, sizeof *fields);
    call->fields = fields;
    for (rt_text word; rest.length > 0; call->field_count++) {
        if (!word_take(&rest, &word)) return line_fail(reader, "a field is empty");
        rt_text written = word, key = rt_text_take_until(&written, '=');
        if (key.length == 0 || key.length == word.length)
            return line_fail(reader, "a field is not KEY=VALUE");
        CHECK(call->field_count < room);
        ocl_call_field *field = &fields[call->field_count];
        field->key = rt_arena_text(reader->arena, key);
        field->is_nothing = rt_text_is(written, "-");
        if (!value_read(reader->arena, written, &field->value))
            return line_fail(reader, "'%' in a value is not followed by two hexadecimal digits");
        if (field->is_nothing) field->value = (rt_text){0};
    }
    return RT_STATUS_OK;
}

static const ocl_call_field *field_find(const ocl_call *call, const char *key)
{
    for (uint32_t i = 0; i < call->field_count; i++)
        if (rt_text_is(call->fields[i].key, key)) return &call->fields[i];
    return NULL;
}

static rt_status line_read(log_reader *reader, rt_text line, bool is_tail)
{
    line_head head;
    if (!head_read(&line, &head))
        return line_fail(reader, "it does not begin with PROCESS CALL THREAD MARK NAME");
    uint32_t index = 0;
    while (index < reader->processes.count && reader->processes.items[index].number != head.process)
        index++;
    if (index == reader->processes.count)
        *rt_vector_push(&reader->processes) = (log_process){.number = head.process};
    log_process *process = &reader->processes.items[index];
    ocl_call call = {.process = index,
                     .thread = (uint32_t)head.thread,
                     .returned = head.returned,
                     .name = rt_arena_text(reader->arena, head.name)};
    RT_TRY(fields_read(reader, line, &call));
    if (rt_text_is(head.name, "layer")) {
        /* The record that the layer writes when it is loaded. */
        uint64_t version;
        if (!ocl_call_number(&call, "version", &version) || version != OCL_LAYER_VERSION)
            return line_fail(reader, "the layer's own record has a different version");
        reader->out->process_count++;
        process->loaded = true;
        return RT_STATUS_OK;
    }
    if (!process->loaded && !is_tail)
        return line_fail(reader, "its process has no earlier record of the layer");
    if (rt_text_is(head.name, "full")) {
        reader->out->is_full = true;
        return RT_STATUS_OK;
    }
    if (!head.returned) {
        *rt_vector_push(&reader->begun) = (log_entry){head.call, call};
        return RT_STATUS_OK;
    }
    const ocl_call_field *field = field_find(&call, "result");
    int64_t result;
    if (!field || !rt_number_read_signed(field->value, INT32_MIN, INT32_MAX, &result))
        return line_fail(reader, "a call that has returned has no valid result");
    call.result = (int32_t)result;
    /* The return replaces the call's announcement. */
    for (uint32_t i = reader->begun.count; i-- > 0;) {
        log_entry *entry = &reader->begun.items[i];
        if (entry->number != head.call || entry->call.process != index) continue;
        memmove(entry, entry + 1, (reader->begun.count - i - 1) * sizeof *entry);
        reader->begun.count--;
        break;
    }
    *rt_vector_push(&reader->returned) = (log_entry){head.call, call};
    return RT_STATUS_OK;
}

/* ---- The log -------------------------------------------------------------------------------- */

rt_status ocl_call_log_read(rt_sink *sink, rt_arena *arena, rt_text text, bool is_tail,
                            ocl_call_log *out_log)
{
    *out_log = (ocl_call_log){0};
    log_reader reader = {.sink = sink, .arena = arena, .out = out_log};
    rt_status status = RT_STATUS_OK;
    for (size_t at = 0; at < text.length && rt_ok(status);) {
        const char *end = memchr(text.data + at, '\n', text.length - at);
        reader.line++;
        if (!end) {
            out_log->is_cut = true;
            break;
        }
        rt_text line = {text.data + at, (size_t)(end - text.data) - at};
        at += line.length + 1;
        if (is_tail && reader.line == 1) continue;
        status = line_read(&reader, line, is_tail);
    }
    if (rt_ok(status)) {
        uint32_t returned = reader.returned.count, begun = reader.begun.count;
        ocl_call *calls = rt_arena_alloc_array(arena, returned + begun, sizeof *calls);
        for (uint32_t i = 0; i < returned; i++)
            calls[i] = reader.returned.items[i].call;
        for (uint32_t i = 0; i < begun; i++)
            calls[returned + i] = reader.begun.items[i].call;
        out_log->calls = calls;
        out_log->call_count = returned + begun;
    }
    rt_vector_free(&reader.processes);
    rt_vector_free(&reader.returned);
    rt_vector_free(&reader.begun);
    return status;
}

/* ---- One call ------------------------------------------------------------------------------- */

rt_text ocl_call_text(const ocl_call *call, const char *key)
{
    const ocl_call_field *field = field_find(call, key);
    return field ? field->value : (rt_text){0};
}

bool ocl_call_number(const ocl_call *call, const char *key, uint64_t *out_number)
{
    return number_read(ocl_call_text(call, key), out_number);
}

bool ocl_call_numbers(rt_arena *arena, const ocl_call *call, const char *key,
                      const uint64_t **out_numbers, uint32_t *out_count)
{
    rt_text rest = ocl_call_text(call, key);
    if (rest.length == 0) return false;
    uint32_t count = count_of(rest, ',') + 1;
    CHECK(count >= 1 && count <= rest.length + 1);
    uint64_t *numbers = rt_arena_alloc_array(arena, count, sizeof *numbers);
    for (uint32_t i = 0; i < count; i++) {
        rt_text item = rt_text_take_until(&rest, ',');
        numbers[i] = UINT64_MAX;
        if (!rt_text_is(item, "?") && !number_read(item, &numbers[i])) return false;
    }
    *out_numbers = numbers;
    *out_count = count;
    return true;
}

bool ocl_call_code(const ocl_call *call, rt_text *out_hash, uint64_t *out_size)
{
    rt_text rest = ocl_call_text(call, "code");
    *out_hash = rt_text_take_until(&rest, ':');
    return number_read(rest, out_size);
}

void ocl_call_print(rt_buffer *out, const ocl_call *call)
{
    rt_buffer_append_escaped(out, call->name);
    for (uint32_t i = 0; i < call->field_count; i++) {
        const ocl_call_field *field = &call->fields[i];
        if (rt_text_is(field->key, "result")) continue;
        rt_buffer_append_byte(out, ' ');
        rt_buffer_append_escaped(out, field->key);
        rt_buffer_append_byte(out, ' ');
        if (field->is_nothing)
            rt_buffer_append_byte(out, '-');
        else
            rt_buffer_append_escaped(out, field->value);
    }
    if (!call->returned)
        rt_buffer_printf(out, ": has not returned");
    else if (call->result != 0)
        rt_buffer_printf(out, ": %" PRId32, call->result);
}
