/* Parser of --on; see columns.h. */
#include "conformance/cli/columns.h"

#include "conformance/cli/options.h"
#include "conformance/subject/driver_options.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROOT_OPTION "root="

typedef struct column_reader {
    rt_arena *arena;
    rt_buffer *error;
    cnf_run_subject *subjects;
    cnf_column *columns;
    uint32_t count, room;
} column_reader;

static void column_add(column_reader *reader, const cnf_run_subject *added)
{
    for (uint32_t i = 0; i < reader->count; i++)
        if (rt_text_equal(reader->subjects[i].name, added->name)) return;
    CHECK(reader->count < reader->room);
    reader->subjects[reader->count] = *added;
    reader->columns[reader->count++] =
        (cnf_column){added->name, rt_text_of(added->subject->install)};
}

/* Reports an unknown setting or value, and the nearest names. Returns false. */
static bool setting_unknown(column_reader *reader, const cnf_run_subject *column, const char *kind,
                            rt_text word, const char *const *names, uint32_t count)
{
    rt_buffer_printf(reader->error, "%.*s: unknown %s '%.*s'", RT_TEXT_ARG(column->name), kind,
                     RT_TEXT_ARG(word));
    cnf_suggest(reader->error, rt_arena_text(reader->arena, word).data, names, count);
    return false;
}

/* Takes "root=FOLDER", which may be one of the words in braces, out of them. Returns false after
 * reporting that the folder does not exist. */
static bool root_read(column_reader *reader, rt_text *inout_text, cnf_run_subject *column)
{
    rt_text rest = *inout_text, kept = {"", 0};
    while (column->subject->takes_root && rest.length > 0) {
        rt_text word = rt_text_take_until(&rest, ',');
        if (!rt_text_starts(word, ROOT_OPTION)) {
            kept = rt_arena_printf(reader->arena, "%.*s%s%.*s", RT_TEXT_ARG(kept),
                                   kept.length > 0 ? "," : "", RT_TEXT_ARG(word));
            continue;
        }
        rt_text path = rt_arena_text(reader->arena, rt_text_skip(word, strlen(ROOT_OPTION)));
        char *absolute = realpath(path.data, NULL);
        if (!absolute) {
            rt_buffer_printf(reader->error, "%.*s: the folder '%s' does not exist",
                             RT_TEXT_ARG(column->name), path.data);
            return false;
        }
        column->root = rt_arena_text(reader->arena, rt_text_of(absolute));
        free(absolute);
    }
    if (column->root.length > 0) *inout_text = kept;
    return true;
}

/* Checks the settings "NAME=value,…" against the subject's. */
static bool settings_read(column_reader *reader, rt_text text, cnf_run_subject *column)
{
    const cnf_setting *settings = column->subject->settings;
    uint32_t count = 0;
    while (settings[count].name)
        count++;
    const char **names = rt_arena_alloc_array(reader->arena, count + 1, sizeof *names);
    for (uint32_t i = 0; i < count; i++)
        names[i] = settings[i].name;
    column->settings = rt_arena_text(reader->arena, text);
    while (text.length > 0) {
        rt_text value = rt_text_take_until(&text, ',');
        rt_text name = rt_text_take_until(&value, '=');
        uint32_t index = 0, value_count = 0;
        while (index < count && !rt_text_is(name, names[index]))
            index++;
        if (index == count) return setting_unknown(reader, column, "setting", name, names, count);
        const char *const *values = settings[index].values;
        bool is_known = false;
        for (; values[value_count]; value_count++)
            is_known = is_known || rt_text_is(value, values[value_count]);
        if (!is_known)
            return setting_unknown(reader, column, names[index], value, values, value_count);
    }
    return true;
}

typedef RT_VECTOR(const char *) option_list;

/* Adds the variables of a value that an option has by name. */
static bool value_add(column_reader *reader, const cnf_run_subject *column,
                      const cnf_driver_option *option, rt_text word, option_list *options)
{
    uint32_t count = 0;
    for (const cnf_driver_value *at = option->values; at->name; at++, count++) {
        if (!rt_text_is(word, at->name)) continue;
        for (size_t i = 0; i < sizeof at->variables / sizeof *at->variables; i++)
            *rt_vector_push(options) = at->variables[i];
        return true;
    }
    const char **names = rt_arena_alloc_array(reader->arena, count, sizeof *names);
    for (uint32_t i = 0; i < count; i++)
        names[i] = option->values[i].name;
    return setting_unknown(reader, column, option->name, word, names, count);
}

/* Adds an option "NAME=value", or what the subject has for that name. */
static bool option_add(column_reader *reader, const cnf_run_subject *column, const char *option,
                       option_list *options)
{
    for (const cnf_driver_option *at = column->subject->options; at && at->name; at++) {
        size_t length = strlen(at->name);
        if (strncmp(option, at->name, length) != 0 || option[length] != '=') continue;
        if (at->values)
            return value_add(reader, column, at, rt_text_of(option + length + 1), options);
        option = rt_arena_printf(reader->arena, "%s%s", at->variable, option + length).data;
        break;
    }
    *rt_vector_push(options) = option;
    return true;
}

/* The variable that tells the subject the names of its options. */
static const char *names_of(rt_arena *arena, const char *const *options, uint32_t count)
{
    rt_buffer names = {0};
    for (uint32_t i = 0; i < count; i++)
        rt_buffer_printf(&names, "%s%.*s", i > 0 ? "," : "", (int)strcspn(options[i], "="),
                         options[i]);
    const char *variable =
        rt_arena_printf(arena, CNF_DRIVER_OPTIONS "=%s", rt_buffer_string(&names)).data;
    rt_buffer_free(&names);
    return variable;
}

/* True if the word has the form NAME=value; reports it otherwise. */
static bool is_option(const column_reader *reader, const cnf_run_subject *column, const char *word)
{
    size_t length = 0;
    while (isalnum((unsigned char)word[length]) || word[length] == '_')
        length++;
    if (length > 0 && !isdigit((unsigned char)*word) && word[length] == '=') return true;
    rt_buffer_printf(reader->error, "%.*s: '%s' is not a driver option; write NAME=VALUE",
                     RT_TEXT_ARG(column->name), word);
    return false;
}

/* Reads driver options "NAME=value,…" as environment variables. */
static bool options_read(column_reader *reader, rt_text text, cnf_run_subject *column)
{
    option_list options = {0};
    bool is_valid = true;
    while (text.length > 0 && is_valid) {
        const char *word = rt_arena_text(reader->arena, rt_text_take_until(&text, ',')).data;
        is_valid = is_option(reader, column, word) && option_add(reader, column, word, &options);
    }
    uint32_t count = options.count;
    const char **list = rt_arena_alloc_array(reader->arena, count + 2, sizeof *list);
    for (uint32_t i = 0; i < count; i++)
        list[i] = options.items[i];
    if (count > 0) list[count] = names_of(reader->arena, list, count);
    rt_vector_free(&options);
    column->options = list;
    if (!is_valid || !column->subject->forked) return is_valid;
    rt_buffer_printf(reader->error, "%.*s: %s has no driver that takes options",
                     RT_TEXT_ARG(column->name), column->subject->name);
    return false;
}

/* Reads one "NAME" or "NAME{...}" and moves past it. */
static bool column_read(column_reader *reader, const char **inout_at)
{
    const char *at = *inout_at;
    rt_text name = {at, strcspn(at, ",{")};
    const char *brace = at[name.length] == '{' ? at + name.length : NULL;
    const char *end = brace ? strchr(brace, '}') : at + name.length;
    cnf_run_subject column = {.subject = cnf_subject_find(name)};
    if (!column.subject && name.length == 0) {
        rt_buffer_printf(reader->error, "a subject's name is missing (assay subjects lists them)");
        return false;
    }
    if (!column.subject) {
        const char **names = rt_arena_alloc_array(reader->arena, cnf_subject_count, sizeof *names);
        for (uint32_t i = 0; i < cnf_subject_count; i++)
            names[i] = cnf_subjects[i].name;
        const char *word = rt_arena_text(reader->arena, name).data;
        rt_buffer_printf(reader->error, "unknown subject '%s'", word);
        cnf_suggest(reader->error, word, names, cnf_subject_count);
        rt_buffer_printf(reader->error, " (assay subjects lists them)");
        return false;
    }
    if (!end || (brace && end[1] != ',' && end[1] != '\0')) {
        rt_buffer_printf(reader->error, "%s: %s", at,
                         end ? "expected a comma or the end after '}'" : "the '}' is missing");
        return false;
    }
    *inout_at = brace ? end + 1 : end;
    column.name = rt_arena_text(reader->arena, (rt_text){at, (size_t)(*inout_at - at)});
    if (brace) {
        rt_text text = {brace + 1, (size_t)(end - brace - 1)};
        if (text.length == 0) {
            rt_buffer_printf(reader->error, "%.*s: the braces of %s are empty; write NAME=VALUE",
                             RT_TEXT_ARG(column.name), column.subject->name);
            return false;
        }
        if (!root_read(reader, &text, &column)) return false;
        bool is_valid = column.subject->settings ? settings_read(reader, text, &column)
                                                 : options_read(reader, text, &column);
        if (!is_valid) return false;
    }
    column_add(reader, &column);
    return true;
}

bool cnf_columns_choose(rt_arena *arena, const char *on, cnf_columns *out_columns,
                        rt_buffer *out_error)
{
    CHECK(cnf_subject_count > 0);
    *out_columns = (cnf_columns){0};
    uint32_t room = cnf_subject_count;
    for (const char *comma = on; comma && *comma; comma++)
        room += *comma == ',';
    column_reader reader = {.arena = arena, .error = out_error, .room = room};
    reader.subjects = rt_arena_alloc_array(arena, room, sizeof *reader.subjects);
    reader.columns = rt_arena_alloc_array(arena, room, sizeof *reader.columns);
    for (uint32_t i = 0; !on && i < cnf_subject_count; i++)
        column_add(&reader, &(cnf_run_subject){.subject = &cnf_subjects[i],
                                               .name = rt_text_of(cnf_subjects[i].name)});
    while (on) {
        if (!column_read(&reader, &on)) return false;
        on = *on == ',' ? on + 1 : NULL;
    }
    CHECK(reader.count > 0 && reader.count <= room);
    *out_columns = (cnf_columns){reader.subjects, reader.columns, reader.count};
    return true;
}

bool cnf_columns_read(rt_arena *arena, const char *prefix, const char *on, cnf_columns *out_columns)
{
    rt_buffer error = {0};
    bool is_valid = cnf_columns_choose(arena, on, out_columns, &error);
    CHECK(is_valid == (error.size == 0));
    if (!is_valid) fprintf(stderr, "assay: %s%s\n", prefix, rt_buffer_string(&error));
    rt_buffer_free(&error);
    return is_valid;
}
