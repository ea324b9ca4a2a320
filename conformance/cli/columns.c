/* Parser of --on; see columns.h. */
#include "conformance/cli/columns.h"

#include "conformance/cli/options.h"

#include <ctype.h>
#include <string.h>

typedef struct column_reader {
    rt_arena *arena;
    rt_buffer *error;
    cnf_run_subject *subjects;
    cnf_column *columns;
    uint32_t count;
} column_reader;

static void column_add(column_reader *reader, const cnf_run_subject *added)
{
    for (uint32_t i = 0; i < reader->count; i++)
        if (rt_text_equal(reader->subjects[i].name, added->name)) return;
    reader->subjects[reader->count] = *added;
    reader->columns[reader->count++] =
        (cnf_column){added->name, rt_text_of(added->subject->install)};
}

/* ---- Driver options ------------------------------------------------------------------------ */

/* True for "NAME=value", as in an environment. */
static bool option_valid(rt_text option)
{
    size_t at = 0;
    while (at < option.length &&
           (isalnum((unsigned char)option.data[at]) || option.data[at] == '_'))
        at++;
    bool named = at > 0 && !isdigit((unsigned char)option.data[0]);
    return named && at < option.length && option.data[at] == '=';
}

/* ---- Settings ------------------------------------------------------------------------------ */

/* Reports an unknown setting or value, and the nearest names. */
static bool unknown(column_reader *reader, const cnf_run_subject *column, const char *what,
                    rt_text written, const char *const *names, uint32_t count)
{
    rt_buffer_printf(reader->error, "%.*s: there is no %s '%.*s'", RT_TEXT_ARG(column->name), what,
                     RT_TEXT_ARG(written));
    cnf_suggest(reader->error, rt_arena_text(reader->arena, written).data, names, count);
    return false;
}

static bool value_known(column_reader *reader, const cnf_run_subject *column,
                        const cnf_setting *setting, rt_text value)
{
    uint32_t count = 0;
    for (; setting->values[count]; count++)
        if (rt_text_is(value, setting->values[count])) return true;
    rt_text what = rt_arena_printf(reader->arena, "%s", setting->name);
    return unknown(reader, column, what.data, value, setting->values, count);
}

/* Checks "NAME=value" against the subject's settings. */
static bool setting_valid(column_reader *reader, const cnf_run_subject *column, rt_text text)
{
    const cnf_setting *settings = column->subject->settings;
    const char *equals = memchr(text.data, '=', text.length);
    rt_text name = {text.data, equals ? (size_t)(equals - text.data) : text.length};
    uint32_t count = 0;
    while (settings[count].name)
        count++;
    const char **names = rt_arena_alloc_array(reader->arena, count + 1, sizeof *names);
    for (uint32_t i = 0; i < count; i++) {
        names[i] = settings[i].name;
        if (!rt_text_is(name, names[i])) continue;
        rt_text value = {text.data + name.length, text.length - name.length};
        if (equals) value = (rt_text){value.data + 1, value.length - 1};
        return value_known(reader, column, &settings[i], value);
    }
    return unknown(reader, column, "setting", name, names, count);
}

/* ---- Braces -------------------------------------------------------------------------------- */

/* Removes the text up to the next comma, and the comma, from the front. */
static rt_text part_take(rt_text *inout_text)
{
    const char *comma = memchr(inout_text->data, ',', inout_text->length);
    rt_text part = {inout_text->data,
                    comma ? (size_t)(comma - inout_text->data) : inout_text->length};
    size_t used = comma ? part.length + 1 : part.length;
    *inout_text = (rt_text){inout_text->data + used, inout_text->length - used};
    return part;
}

static bool settings_read(column_reader *reader, rt_text text, cnf_run_subject *column)
{
    column->settings = rt_arena_text(reader->arena, text);
    while (text.length > 0)
        if (!setting_valid(reader, column, part_take(&text))) return false;
    return true;
}

static bool options_read(column_reader *reader, rt_text text, cnf_run_subject *column)
{
    uint32_t count = 0;
    const char **options = rt_arena_alloc_array(reader->arena, text.length + 2, sizeof *options);
    while (text.length > 0) {
        rt_text option = part_take(&text);
        if (!option_valid(option)) {
            rt_buffer_printf(reader->error,
                             "%.*s: '%.*s' is not an option of a driver; write NAME=VALUE",
                             RT_TEXT_ARG(column->name), RT_TEXT_ARG(option));
            return false;
        }
        options[count++] = rt_arena_text(reader->arena, option).data;
    }
    column->options = options;
    if (!column->subject->forked) return true;
    rt_buffer_printf(reader->error, "%.*s: %s has no driver that takes options",
                     RT_TEXT_ARG(column->name), column->subject->name);
    return false;
}

/* Reads the text between the braces into the column. */
static bool braces_read(column_reader *reader, rt_text text, cnf_run_subject *column)
{
    if (text.length == 0) {
        rt_buffer_printf(reader->error,
                         "%.*s: there is nothing in the braces of %s; write NAME=VALUE",
                         RT_TEXT_ARG(column->name), column->subject->name);
        return false;
    }
    return column->subject->settings ? settings_read(reader, text, column)
                                     : options_read(reader, text, column);
}

/* ---- Names --------------------------------------------------------------------------------- */

static bool name_unknown(column_reader *reader, rt_text name)
{
    if (name.length == 0) {
        rt_buffer_printf(reader->error, "a subject's name is missing (assay subjects lists them)");
        return false;
    }
    const char **names = rt_arena_alloc_array(reader->arena, cnf_subject_count, sizeof *names);
    for (uint32_t i = 0; i < cnf_subject_count; i++)
        names[i] = cnf_subjects[i].name;
    rt_buffer_printf(reader->error, "there is no subject '%.*s'", RT_TEXT_ARG(name));
    cnf_suggest(reader->error, rt_arena_text(reader->arena, name).data, names, cnf_subject_count);
    rt_buffer_printf(reader->error, " (assay subjects lists them)");
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
    if (!column.subject) return name_unknown(reader, name);
    if (!end || (brace && end[1] != ',' && end[1] != '\0')) {
        rt_buffer_printf(reader->error, "%s: %s", at,
                         end ? "expected a comma or nothing behind '}'" : "the '}' is missing");
        return false;
    }
    *inout_at = brace ? end + 1 : end;
    column.name = rt_arena_text(reader->arena, (rt_text){at, (size_t)(*inout_at - at)});
    rt_text options = {brace ? brace + 1 : NULL, brace ? (size_t)(end - brace - 1) : 0};
    if (brace && !braces_read(reader, options, &column)) return false;
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
    column_reader reader = {.arena = arena, .error = out_error};
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
