/* Reads a child's messages: JSON lines, with one table row per type. judge.c judges them. Reading
 * ends at a line that violates the protocol, because nothing that the child sends afterwards can be
 * trusted. Source: conformance/subject/subject.h. */
#include "conformance/verdict/messages.h"

#include "reference/base/number.h"
#include "reference/base/vector.h"

#include <jansson.h>
#include <string.h>

typedef struct cnf_message_reader {
    rt_arena *arena;
    cnf_messages *out;
    RT_VECTOR(cnf_check) checks;
    RT_VECTOR(cnf_final_memory) memories;
    RT_VECTOR(cnf_choice) choices;
    RT_VECTOR(scn_artefact) artefacts;
    uint32_t line; /* number of the message, from 1 */
    rt_text sent;  /* the message's line; empty: it was not text */
} message_reader;

static void reader_fail(message_reader *reader, const char *code, const char *violation)
{
    if (reader->out->fault) return;
    reader->out->fault = code;
    reader->out->fault_message =
        rt_arena_printf(reader->arena, "message %u of the child: %s", reader->line, violation);
}

/* ---- Fields -------------------------------------------------------------------------------- */

static rt_text field_text(message_reader *reader, const json_t *message, const char *key)
{
    const json_t *value = json_object_get(message, key);
    if (!json_is_string(value)) return (rt_text){0};
    rt_text text = {json_string_value(value), json_string_length(value)};
    return rt_arena_text(reader->arena, text);
}

/* Reads a list of texts, leaving out whatever is not a text. */
static const rt_text *field_texts(message_reader *reader, const json_t *message, const char *key,
                                  uint32_t *out_count)
{
    const json_t *list = json_object_get(message, key), *item;
    rt_text *texts = rt_arena_alloc_array(reader->arena, json_array_size(list), sizeof *texts);
    *out_count = 0;
    size_t index;
    json_array_foreach(list, index, item)
    {
        if (!json_is_string(item)) continue;
        const rt_text text = {json_string_value(item), json_string_length(item)};
        texts[(*out_count)++] = rt_arena_text(reader->arena, text);
    }
    return texts;
}

static bool field_true(const json_t *message, const char *key)
{
    return json_is_true(json_object_get(message, key));
}

/* Reads an integer from 0 to UINT32_MAX - 1; returns `absent` if the key is missing or its value is
 * anything else. */
static uint32_t field_number(const json_t *message, const char *key, uint32_t absent)
{
    const json_t *value = json_object_get(message, key);
    if (!json_is_integer(value)) return absent;
    json_int_t number = json_integer_value(value);
    return number >= 0 && number < (json_int_t)UINT32_MAX ? (uint32_t)number : absent;
}

/* Reads bytes of two hexadecimal digits each; false if the text is malformed. */
static bool field_hex(message_reader *reader, const json_t *message, const char *key,
                      rt_bytes *out_bytes)
{
    *out_bytes = (rt_bytes){0};
    const json_t *value = json_object_get(message, key);
    if (!json_is_string(value) || json_string_length(value) % 2 != 0) return false;
    const char *digits = json_string_value(value);
    size_t size = json_string_length(value) / 2;
    uint8_t *bytes = rt_arena_alloc(reader->arena, size + 1);
    if (!rt_hex_read((rt_text){digits, 2 * size}, bytes)) return false;
    *out_bytes = (rt_bytes){bytes, size};
    return true;
}

/* ---- One function per type of message ------------------------------------------------------ */

static void on_stage(message_reader *reader, const json_t *message)
{
    cnf_messages *out = reader->out;
    rt_text stage = field_text(reader, message, "stage");
    if (stage.length == 0) {
        reader_fail(reader, "incomplete", "a stage without a name");
        return;
    }
    out->stage = stage;
    out->step = field_number(message, "step", SCN_NONE);
    out->line = field_number(message, "line", 0);
}

static void on_device(message_reader *reader, const json_t *message)
{
    reader->out->device = field_text(reader, message, "name");
    reader->out->driver = field_text(reader, message, "driver");
    if (json_object_get(message, "warning"))
        reader->out->warning = field_text(reader, message, "warning");
    reader->out->links_only = json_is_false(json_object_get(message, "executes"));
}

static void on_capabilities(message_reader *reader, const json_t *message)
{
    reader->out->capabilities = field_text(reader, message, "lines");
}

static void on_unavailable(message_reader *reader, const json_t *message)
{
    reader->out->end = CNF_MESSAGES_UNAVAILABLE;
    reader->out->reason = field_text(reader, message, "message");
}

static void on_skip(message_reader *reader, const json_t *message)
{
    cnf_messages *out = reader->out;
    out->end = CNF_MESSAGES_SKIPPED;
    out->capability = field_text(reader, message, "capability");
    out->answer = field_text(reader, message, "answer");
    out->reason = field_text(reader, message, "message");
    /* A SKIP without a reason would hide a scenario forever. */
    if (out->capability.length == 0)
        reader_fail(reader, "incomplete", "a skip without a capability");
}

static void on_check(message_reader *reader, const json_t *message)
{
    const json_t *ok = json_object_get(message, "ok");
    if (!json_is_boolean(ok)) {
        reader_fail(reader, "incomplete", "a check that is neither ok nor not ok");
        return;
    }
    cnf_check *check = rt_vector_push(&reader->checks);
    *check = (cnf_check){.step = field_number(message, "step", SCN_NONE),
                         .step_id = field_text(reader, message, "id"),
                         .line = field_number(message, "line", 0),
                         .kind = field_text(reader, message, "kind"),
                         .what = field_text(reader, message, "what"),
                         .code = field_text(reader, message, "code"),
                         .place = field_text(reader, message, "place"),
                         .code_at = {field_text(reader, message, "code_file"),
                                     field_number(message, "code_line", 0),
                                     field_number(message, "code_column", 0)},
                         .rule = field_text(reader, message, "rule"),
                         .message = field_text(reader, message, "message"),
                         .ok = json_is_true(ok),
                         .observed = field_true(message, "observed"),
                         .branch = field_number(message, "branch", 0),
                         .branches = field_number(message, "branches", 0)};
    check->memories = field_texts(reader, message, "memories", &check->memory_count);
    if (check->branch > check->branches)
        reader_fail(reader, "incomplete",
                    "a check whose branch is greater than the number of branches");
    if (check->kind.length == 0) reader_fail(reader, "incomplete", "a check without a kind");
}

static void on_memory(message_reader *reader, const json_t *message)
{
    cnf_final_memory memory = {.name = field_text(reader, message, "name")};
    if (!field_hex(reader, message, "data", &memory.data)) {
        reader_fail(reader, "incomplete", "a memory without data");
        return;
    }
    if (json_object_get(message, "defined") &&
        (!field_hex(reader, message, "defined", &memory.defined) ||
         memory.defined.size != (memory.data.size + 7) / 8)) {
        reader_fail(reader, "incomplete", "a memory whose map of defined bytes has the wrong size");
        return;
    }
    *rt_vector_push(&reader->memories) = memory;
}

static void on_trace(message_reader *reader, const json_t *message)
{
    if (!json_is_array(json_object_get(message, "events")))
        reader_fail(reader, "incomplete", "a trace without events");
    else
        reader->out->trace = rt_arena_text(reader->arena, reader->sent);
}

static void on_choices(message_reader *reader, const json_t *message)
{
    const json_t *list = json_object_get(message, "made"), *choice;
    size_t index;
    if (!json_is_array(list)) reader_fail(reader, "incomplete", "choices without a list");
    json_array_foreach(list, index, choice)
    {
        cnf_choice item = {.rule = field_text(reader, choice, "rule"),
                           .alternative_count = field_number(choice, "of", 0),
                           .alternative = field_number(choice, "taken", UINT32_MAX)};
        if (item.alternative < item.alternative_count)
            *rt_vector_push(&reader->choices) = item;
        else
            reader_fail(reader, "incomplete", "a choice that is not among its alternatives");
    }
}

static void orders_read(message_reader *reader, const json_t *list, cnf_order_list *out_list)
{
    rt_order *items = rt_arena_alloc_array(reader->arena, json_array_size(list) + 1, sizeof *items);
    *out_list = (cnf_order_list){items, 0};
    const json_t *order;
    size_t index;
    json_array_foreach(list, index, order)
    {
        items[index] = (rt_order){field_number(order, "choice", UINT32_MAX),
                                  field_number(order, "take", UINT32_MAX)};
        if (items[index].number == UINT32_MAX || items[index].alternative == UINT32_MAX)
            reader_fail(reader, "incomplete", "an order without a choice or what it takes");
        out_list->count++;
    }
}

static void on_orders(message_reader *reader, const json_t *message)
{
    const json_t *taken = json_object_get(message, "taken");
    const json_t *wanted = json_object_get(message, "wanted");
    if (!json_is_array(taken) && !json_is_array(wanted))
        reader_fail(reader, "incomplete", "orders without a list");
    if (json_is_array(taken)) orders_read(reader, taken, &reader->out->orders_taken);
    if (json_is_array(wanted)) orders_read(reader, wanted, &reader->out->orders_wanted);
}

static void on_calls(message_reader *reader, const json_t *message)
{
    reader->out->call_count = field_number(message, "count", 0);
}

static void on_probe(message_reader *reader, const json_t *message)
{
    reader->out->probe = field_true(message, "ok") ? CNF_PROBE_RIGHT : CNF_PROBE_WRONG;
    reader->out->reason = field_text(reader, message, "message");
}

static void on_artefact(message_reader *reader, const json_t *message)
{
    scn_artefact artefact;
    rt_text digits = field_text(reader, message, "request");
    if (!rt_hash_read(digits, &artefact.request) ||
        !field_hex(reader, message, "answer", &artefact.answer)) {
        reader_fail(reader, "incomplete", "an artefact without a request or an answer");
        return;
    }
    *rt_vector_push(&reader->artefacts) = artefact;
}

static void on_end(message_reader *reader, const json_t *message)
{
    (void)message;
    reader->out->end = CNF_MESSAGES_ENDED;
}

static void on_released(message_reader *reader, const json_t *message)
{
    cnf_messages *out = reader->out;
    out->is_released = field_true(message, "ok");
    out->release_code = field_text(reader, message, "code");
    out->release_reason = field_text(reader, message, "message");
    if (out->is_released != (out->release_code.length == 0))
        reader_fail(reader, "incomplete", "a device that is not released, without a code");
}

/* True if the message may follow the last one about the scenario. */
static bool follows_the_end(const message_reader *reader, rt_text type)
{
    const cnf_messages *out = reader->out;
    return rt_text_is(type, "released") && !out->is_released && out->release_code.length == 0;
}

static const struct message_row {
    const char *type;
    void (*read)(message_reader *reader, const json_t *message);
} message_rows[] = {
    {"stage", on_stage}, {"device", on_device},     {"unavailable", on_unavailable},
    {"skip", on_skip},   {"check", on_check},       {"memory", on_memory},
    {"trace", on_trace}, {"choices", on_choices},   {"orders", on_orders},
    {"probe", on_probe}, {"artefact", on_artefact}, {"capabilities", on_capabilities},
    {"end", on_end},     {"released", on_released}, {"calls", on_calls},
};

/* ---- Lines --------------------------------------------------------------------------------- */

static void message_read(message_reader *reader, const json_t *message)
{
    size_t row = 0;
    const size_t row_count = sizeof message_rows / sizeof *message_rows;
    rt_text type = field_text(reader, message, "type");
    while (row < row_count && !rt_text_is(type, message_rows[row].type))
        row++;
    if (!json_is_object(message))
        reader_fail(reader, "no-json", "not a JSON object");
    else if (reader->out->end != CNF_MESSAGES_CUT && !follows_the_end(reader, type))
        reader_fail(reader, "after-end", "sent after the last message");
    else if (reader->out->end == CNF_MESSAGES_CUT && rt_text_is(type, "released"))
        reader_fail(reader, "before-end", "a device is released before the last message");
    else if (row == row_count)
        reader_fail(reader, "unknown-type", "a message of an unknown type");
    else
        message_rows[row].read(reader, message);
}

static void read_line(message_reader *reader, rt_text line)
{
    json_error_t error;
    reader->sent = line;
    json_t *message = json_loadb(line.data, line.length, JSON_REJECT_DUPLICATES, &error);
    message_read(reader, message);
    json_decref(message);
}

/* Copies the items into the arena; NULL if there are none. */
static void *arena_copy(rt_arena *arena, const void *items, uint32_t count, size_t size_bytes)
{
    if (count == 0) return NULL;
    void *copy = rt_arena_alloc_array(arena, count, size_bytes);
    memcpy(copy, items, count * size_bytes);
    return copy;
}

/* ---- The reader ---------------------------------------------------------------------------- */

static void reader_begin(message_reader *reader, rt_arena *arena, cnf_messages *out_messages)
{
    *out_messages = (cnf_messages){.stage = RT_TEXT("start"), .step = SCN_NONE};
    *reader = (message_reader){.arena = arena, .out = out_messages};
}

static void reader_end(message_reader *reader)
{
    rt_arena *arena = reader->arena;
    cnf_messages *out = reader->out;
    out->checks = arena_copy(arena, reader->checks.items, reader->checks.count, sizeof(cnf_check));
    out->check_count = reader->checks.count;
    out->memories =
        arena_copy(arena, reader->memories.items, reader->memories.count, sizeof(cnf_final_memory));
    out->memory_count = reader->memories.count;
    out->choices =
        arena_copy(arena, reader->choices.items, reader->choices.count, sizeof(cnf_choice));
    out->choice_count = reader->choices.count;
    out->artefacts =
        arena_copy(arena, reader->artefacts.items, reader->artefacts.count, sizeof(scn_artefact));
    out->artefact_count = reader->artefacts.count;
    rt_vector_free(&reader->checks);
    rt_vector_free(&reader->memories);
    rt_vector_free(&reader->choices);
    rt_vector_free(&reader->artefacts);
}

void cnf_messages_read(rt_arena *arena, rt_text sent, cnf_messages *out_messages)
{
    message_reader reader;
    reader_begin(&reader, arena, out_messages);
    while (sent.length > 0 && !out_messages->fault) {
        reader.line++;
        const char *newline = memchr(sent.data, '\n', sent.length);
        if (!newline) {
            reader_fail(&reader, "cut", "an incomplete line");
            break;
        }
        rt_text line = {sent.data, (size_t)(newline - sent.data)};
        sent = (rt_text){newline + 1, sent.length - line.length - 1};
        read_line(&reader, line);
    }
    reader_end(&reader);
}

cnf_message_reader *cnf_message_reader_begin(rt_arena *arena, cnf_messages *out_messages)
{
    cnf_message_reader *reader = rt_arena_alloc(arena, sizeof *reader);
    reader_begin(reader, arena, out_messages);
    return reader;
}

void cnf_message_reader_take(cnf_message_reader *reader, const json_t *message)
{
    reader->line++;
    if (!reader->out->fault) message_read(reader, message);
}

void cnf_message_reader_take_trace(cnf_message_reader *reader, rt_text message)
{
    reader->line++;
    if (!reader->out->fault) reader->out->trace = rt_arena_text(reader->arena, message);
}

void cnf_message_reader_end(cnf_message_reader *reader)
{
    reader_end(reader);
}
