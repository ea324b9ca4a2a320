/* Reads `--arg` from left to right. The values are checked only for their characters, so that they
 * cannot leave their place in the YAML. */
#include "conformance/cli/launch_argument.h"

#include "conformance/scenario/model/type.h"
#include "reference/base/nearest.h"
#include "reference/base/number.h"

#include <inttypes.h>
#include <string.h>

typedef struct argument_reader {
    rt_arena *arena;
    rt_text whole, rest;
    cnf_launch_argument *out;
    cnf_launch_mistake *mistake;
    scn_type type;
    uint32_t lanes;
    rt_text type_word;
    uint64_t count; /* 0: not given */
    const struct kind_row *kind;
} argument_reader;

/* Reports a mistake at the rest of the text. Returns false. */
static bool mistake_report(argument_reader *reader, const char *format, ...) RT_PRINTF(2, 3);
static bool mistake_report(argument_reader *reader, const char *format, ...)
{
    rt_buffer text = {0};
    va_list arguments;
    va_start(arguments, format);
    rt_buffer_vprintf(&text, format, arguments);
    va_end(arguments);
    size_t column = reader->whole.length - reader->rest.length + 1;
    *reader->mistake =
        (cnf_launch_mistake){(uint32_t)column, rt_arena_text(reader->arena, rt_buffer_text(&text))};
    rt_buffer_free(&text);
    return false;
}

/* Reports an unknown word with the nearest known one. Returns false. */
static bool unknown_report(argument_reader *reader, const char *noun, rt_text word,
                           const char *(*known)(uint32_t index))
{
    rt_nearest nearest = rt_nearest_to(word);
    for (uint32_t i = 0; known(i); i++)
        rt_nearest_offer(&nearest, rt_text_of(known(i)));
    rt_buffer hint = {0};
    rt_nearest_hint(&nearest, &hint);
    mistake_report(reader, "unknown %s '%.*s'%s", noun, RT_TEXT_ARG(word), rt_buffer_string(&hint));
    rt_buffer_free(&hint);
    return false;
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Takes letters, digits and '_' off the front. */
static rt_text word_take(rt_text *rest)
{
    size_t length = 0;
    while (length < rest->length && (is_letter(rest->data[length]) || is_digit(rest->data[length])))
        length++;
    rt_text word = {rest->data, length};
    *rest = rt_text_skip(*rest, length);
    return word;
}

/* ---- Kinds --------------------------------------------------------------------------------- */

static const struct kind_row {
    const char *word;
    const char *memory;   /* appended to the memory's YAML */
    const char *argument; /* format of the argument, with the name; NULL: local memory */
} kind_rows[] = {
    {"", "", "%.*s"},
    {"read", "", "{read: %.*s}"},
    {"write", "", "{write: %.*s}"},
    {"device", ", usm: device", "%.*s"},
    {"host", ", usm: host", "%.*s"},
    {"shared", ", usm: shared", "%.*s"},
    {"local", "", NULL},
};
enum { KINDS = sizeof kind_rows / sizeof *kind_rows };

static const char *kind_or_type_word(uint32_t index)
{
    if (index < KINDS - 1) return kind_rows[index + 1].word;
    return scn_type_word(index - (KINDS - 1));
}

/* Reads "local float4": the kind is optional. */
static bool type_read(argument_reader *reader)
{
    reader->kind = &kind_rows[0];
    rt_text before = reader->rest, word = word_take(&reader->rest);
    for (size_t i = 1; i < KINDS && rt_text_starts(reader->rest, " "); i++) {
        if (!rt_text_is(word, kind_rows[i].word)) continue;
        reader->kind = &kind_rows[i];
        while (rt_text_take_prefix(&reader->rest, " ")) {
        }
        before = reader->rest;
        word = word_take(&reader->rest);
        break;
    }
    reader->type_word = word;
    if (scn_type_find(word, &reader->type, &reader->lanes)) return true;
    reader->rest = before;
    if (rt_text_is(word, "struct"))
        return mistake_report(reader,
                              "structs have fields, which only a scenario can describe; save the "
                              "launch with another type, or pass a value as bytes:HEX");
    if (word.length == 0)
        return mistake_report(reader, "expected a type, such as float or int4, bytes or null");
    return unknown_report(reader, "type or kind", word, kind_or_type_word);
}

/* ---- Values -------------------------------------------------------------------------------- */

/* The part of the values up to the next comma outside brackets. */
static rt_text item_take(rt_text *rest)
{
    size_t length = 0;
    uint32_t depth = 0;
    for (; length < rest->length && (rest->data[length] != ',' || depth > 0); length++) {
        depth += rest->data[length] == '[';
        depth -= depth > 0 && rest->data[length] == ']';
    }
    rt_text item = {rest->data, length};
    *rest = rt_text_skip(*rest, length < rest->length ? length + 1 : length);
    return item;
}

/* Checks that an item is a number, or a balanced list of them, as far as its characters say. */
static bool number_check(argument_reader *reader, rt_text item)
{
    uint32_t depth = 0;
    if (item.length == 0) return mistake_report(reader, "expected a number");
    for (size_t i = 0; i < item.length; i++) {
        char c = item.data[i];
        bool closes = c == ']';
        bool is_valid = is_letter(c) || is_digit(c) || (c && strchr("+-.()[], ", c));
        if (is_valid && !(closes && depth == 0)) {
            depth += c == '[';
            depth -= closes;
            continue;
        }
        reader->rest = (rt_text){
            item.data + i, (size_t)(reader->whole.data + reader->whole.length - (item.data + i))};
        return mistake_report(reader, "'%c' is not part of a number or a list", c);
    }
    return depth == 0 || mistake_report(reader, "expected ']' at the end of the list");
}

/* A word with which values begin, and its key in the scenario format. */
static const struct value_row {
    const char *word, *key;
    const char *otherwise;      /* its value if none is written; NULL: required */
    bool is_file, is_continued; /* is_continued: only after another word */
} value_rows[] = {
    {"iota", "start", "0", false, false},   {"step", "step", NULL, false, true},
    {"fill", "fill", NULL, false, false},   {"random", "seed", "0", false, false},
    {"bytes", "bytes", NULL, false, false}, {"file", "file", NULL, true, false},
};
enum { VALUES = sizeof value_rows / sizeof *value_rows };

static const char *value_word(uint32_t index)
{
    return index < VALUES ? value_rows[index].word : NULL;
}

/* Appends one `key: value` of a pattern. */
static bool pattern_item(argument_reader *reader, rt_text item, bool is_first, rt_buffer *out)
{
    rt_text rest = item, word = word_take(&rest);
    const struct value_row *row = NULL;
    for (size_t i = 0; i < VALUES; i++)
        if (rt_text_is(word, value_rows[i].word)) row = &value_rows[i];
    reader->rest =
        (rt_text){item.data, (size_t)(reader->whole.data + reader->whole.length - item.data)};
    if (!row) return unknown_report(reader, "kind of values", word, value_word);
    if (row->is_continued == is_first)
        return mistake_report(
            reader, is_first ? "'%s' needs 'iota' before it" : "'%s' cannot follow other values",
            row->word);
    bool has_value = rt_text_take_prefix(&rest, "=");
    if (!has_value && rest.length > 0)
        return mistake_report(reader, "expected '=' after '%s'", row->word);
    if (!has_value && !row->otherwise)
        return mistake_report(reader, "'%s' needs a value: %s=...", row->word, row->word);
    rt_text value = has_value ? rest : rt_text_of(row->otherwise);
    if (row->is_file) {
        if (value.length == 0) return mistake_report(reader, "expected the name of a file");
        reader->out->file = value;
        value = RT_TEXT(CNF_LAUNCH_FILE);
    } else if (!number_check(reader, value)) {
        return false;
    }
    if (row == &value_rows[0]) rt_buffer_printf(out, "iota: %" PRIu64, reader->count);
    if (row != &value_rows[0] || has_value) {
        bool is_text = strcmp(row->key, "bytes") == 0;
        rt_buffer_printf(out, is_text ? "%s%s: '%.*s'" : "%s%s: %.*s",
                         !is_first || row == &value_rows[0] ? ", " : "", row->key,
                         RT_TEXT_ARG(value));
    }
    if (row == &value_rows[0] && reader->count == 0)
        return mistake_report(reader, "'iota' needs the number of elements: %.*s[COUNT]",
                              RT_TEXT_ARG(reader->type_word));
    return true;
}

/* Appends the YAML of the values. */
static bool values_read(argument_reader *reader, rt_buffer *out)
{
    rt_text values = reader->rest;
    bool is_list =
        values.length > 0 && (!is_letter(values.data[0]) || rt_text_starts(values, "inf") ||
                              rt_text_starts(values, "nan"));
    if (values.length == 0)
        return mistake_report(reader, "expected values: iota, fill=VALUE, random, bytes=HEX, "
                                      "file=PATH or a list of numbers");
    rt_buffer_append_byte(out, is_list ? '[' : '{');
    /* A file's name may contain commas. */
    bool is_file = rt_text_starts(values, "file=");
    for (bool is_first = true; values.length > 0; is_first = false) {
        rt_text item = is_file ? values : item_take(&values);
        if (is_file) values = (rt_text){0};
        if (is_list && !number_check(reader, item)) return false;
        if (!is_list && !pattern_item(reader, item, is_first, out)) return false;
        if (is_list) rt_buffer_printf(out, "%s%.*s", is_first ? "" : ", ", RT_TEXT_ARG(item));
    }
    rt_buffer_append_byte(out, is_list ? ']' : '}');
    reader->rest = rt_text_skip(reader->whole, reader->whole.length);
    return true;
}

/* ---- Arguments ----------------------------------------------------------------------------- */

/* Reads "[COUNT]" or "[]". */
static bool count_read(argument_reader *reader)
{
    uint64_t count = 0;
    bool is_open = rt_text_take_prefix(&reader->rest, "]");
    if (is_open) return true;
    if (!rt_number_take(&reader->rest, 10, RT_MEMORY_SIZE_MAX, &count) || count == 0)
        return mistake_report(reader, "expected the number of elements, from 1 to %" PRIu64,
                              (uint64_t)RT_MEMORY_SIZE_MAX);
    reader->count = count;
    return rt_text_take_prefix(&reader->rest, "]") || mistake_report(reader, "expected ']'");
}

static bool end_check(argument_reader *reader)
{
    return reader->rest.length == 0 || mistake_report(reader, "expected nothing more");
}

/* Reads what follows "TYPE[COUNT]". */
static bool memory_read(argument_reader *reader)
{
    cnf_launch_argument *out = reader->out;
    if (!reader->kind->argument) {
        uint64_t size = scn_layout_of(reader->arena, reader->type, reader->lanes).size;
        if (reader->count == 0)
            return mistake_report(reader, "local memory needs its number of elements: %.*s[COUNT]",
                                  RT_TEXT_ARG(reader->type_word));
        out->argument =
            rt_arena_printf(reader->arena, "{local: %" PRIu64 "}", reader->count * size);
        return rt_text_starts(reader->rest, ":")
                   ? mistake_report(reader, "local memory has no initial values")
                   : end_check(reader);
    }
    rt_buffer memory = {0};
    rt_buffer_printf(&memory, "{type: %.*s", RT_TEXT_ARG(reader->type_word));
    if (reader->count > 0) rt_buffer_printf(&memory, ", count: %" PRIu64, reader->count);
    bool is_valid = true;
    if (rt_text_take_prefix(&reader->rest, ":")) {
        rt_buffer_printf(&memory, ", values: ");
        is_valid = values_read(reader, &memory);
    } else if (reader->count == 0) {
        is_valid = mistake_report(reader,
                                  "a buffer needs its number of elements, %.*s[COUNT], or "
                                  "values that determine it",
                                  RT_TEXT_ARG(reader->type_word));
    }
    rt_buffer_printf(&memory, "%s}", reader->kind->memory);
    out->memory = rt_arena_text(reader->arena, rt_buffer_text(&memory));
    rt_buffer_free(&memory);
    char argument[16];
    memcpy(argument, reader->kind->argument, strlen(reader->kind->argument) + 1);
    const char *name = strstr(argument, "%.*s");
    out->argument = rt_arena_printf(reader->arena, "%.*s%.*s%s", (int)(name - argument), argument,
                                    RT_TEXT_ARG(out->name), name + strlen("%.*s"));
    return is_valid && end_check(reader);
}

/* Reads the value that follows "TYPE:". */
static bool value_read(argument_reader *reader)
{
    if (reader->kind != &kind_rows[0])
        return mistake_report(reader, "'%s' needs a memory: %s %.*s[COUNT]", reader->kind->word,
                              reader->kind->word, RT_TEXT_ARG(reader->type_word));
    if (!rt_text_take_prefix(&reader->rest, ":"))
        return mistake_report(reader, "expected '[' and a number of elements, or ':' and a value");
    rt_text value = reader->rest;
    if (!number_check(reader, value)) return false;
    reader->out->argument = rt_arena_printf(reader->arena, "{%.*s: %.*s}",
                                            RT_TEXT_ARG(reader->type_word), RT_TEXT_ARG(value));
    return true;
}

bool cnf_launch_argument_read(rt_arena *arena, rt_text text, cnf_launch_argument *out_argument,
                              cnf_launch_mistake *out_mistake)
{
    *out_argument = (cnf_launch_argument){0};
    argument_reader reader = {
        .arena = arena, .whole = text, .rest = text, .out = out_argument, .mistake = out_mistake};
    out_argument->name = word_take(&reader.rest);
    if (out_argument->name.length == 0 || is_digit(text.data[0])) {
        reader.rest = text;
        return mistake_report(&reader, "expected NAME=..., a name of letters, digits and '_'");
    }
    if (!rt_text_take_prefix(&reader.rest, "="))
        return mistake_report(&reader, "expected '=' after the name");
    if (rt_text_is(reader.rest, "null")) {
        out_argument->argument = reader.rest;
        return true;
    }
    if (rt_text_take_prefix(&reader.rest, "bytes:")) {
        rt_text digits = reader.rest;
        if (!number_check(&reader, digits)) return false;
        out_argument->argument = rt_arena_printf(arena, "{bytes: '%.*s'}", RT_TEXT_ARG(digits));
        return true;
    }
    if (!type_read(&reader)) return false;
    if (!rt_text_take_prefix(&reader.rest, "[")) return value_read(&reader);
    return count_read(&reader) && memory_read(&reader);
}
