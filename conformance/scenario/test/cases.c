#include "conformance/scenario/test/cases.h"

#include <string.h>

typedef struct reader {
    rt_arena *arena;
    rt_text file, rest;
    uint32_t line; /* number of the last line read, from 1 */
    RT_VECTOR(rt_text) base;
    uint32_t base_next; /* index of the base's first line that the case has not passed yet */
    bool is_positioned; /* true once the case has named a line of the base */
    rt_buffer scenario, message;
    golden_cases *out;
    rt_text *out_error;
} reader;

static rt_text line_take(reader *r)
{
    r->line++;
    return rt_text_take_until(&r->rest, '\n');
}

static size_t offset_of(const reader *r)
{
    return r->file.length - r->rest.length;
}

static void line_append(rt_buffer *out, rt_text line)
{
    rt_buffer_append_text(out, line);
    rt_buffer_append_byte(out, '\n');
}

static bool refuse(reader *r, const char *reason, rt_text detail)
{
    *r->out_error = rt_arena_printf(r->arena, "%u: %s%.*s", r->line, reason, RT_TEXT_ARG(detail));
    return false;
}

static void base_read(reader *r)
{
    rt_buffer base = {0};
    while (r->rest.length > 0 && !rt_text_starts(r->rest, "== ")) {
        rt_text line = line_take(r);
        bool is_before = r->base.count == 0 && (line.length == 0 || line.data[0] == '#');
        if (!is_before) *rt_vector_push(&r->base) = line;
    }
    while (r->base.count > 0 && r->base.items[r->base.count - 1].length == 0)
        r->base.count--;
    for (uint32_t i = 0; i < r->base.count; i++)
        line_append(&base, r->base.items[i]);
    r->out->base = rt_arena_text(r->arena, rt_buffer_text(&base));
    rt_buffer_free(&base);
}

static void base_keep(reader *r, uint32_t end)
{
    CHECK(end <= r->base.count);
    while (r->base_next < end)
        line_append(&r->scenario, r->base.items[r->base_next++]);
}

/* Moves past the next line of the base that equals `line`, and keeps the lines before it. */
static bool base_find(reader *r, rt_text line, bool is_kept_line)
{
    uint32_t found = r->base_next;
    while (found < r->base.count && !rt_text_equal(r->base.items[found], line))
        found++;
    if (found == r->base.count) return refuse(r, "the rest of the base has no line ", line);
    base_keep(r, is_kept_line ? found + 1 : found);
    r->base_next = found + 1;
    r->is_positioned = true;
    return true;
}

static bool escapes_append(reader *r, rt_text line)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < line.length; i++) {
        if (line.data[i] != '\\') {
            rt_buffer_append_byte(&r->scenario, line.data[i]);
            continue;
        }
        bool is_whole = i + 3 < line.length && line.data[i + 1] == 'x';
        const char *high = is_whole ? memchr(digits, line.data[i + 2], 16) : NULL;
        const char *low = is_whole ? memchr(digits, line.data[i + 3], 16) : NULL;
        if (!high || !low) return refuse(r, "an escape that is not \\xNN", RT_TEXT(""));
        rt_buffer_append_byte(&r->scenario, (char)((high - digits) << 4 | (low - digits)));
        i += 3;
    }
    rt_buffer_append_byte(&r->scenario, '\n');
    return true;
}

static bool change_read(reader *r, rt_text line)
{
    rt_text content = rt_text_skip(line, 1);
    switch (line.data[0]) {
    case ' ': return base_find(r, content, true);
    case '-': return base_find(r, content, false);
    case '+':
    case '\\':
        if (!r->is_positioned) base_keep(r, r->base.count);
        if (line.data[0] == '\\') return escapes_append(r, content);
        line_append(&r->scenario, content);
        return true;
    default:
        return refuse(r, "a line of a case begins with ' ', '-', '+', '\\' or '!'", RT_TEXT(""));
    }
}

static bool is_about_another_file(rt_text message)
{
    return message.length == 0 || message.data[0] < '0' || message.data[0] > '9';
}

static void message_append(reader *r, rt_text name, rt_text line)
{
    if (!is_about_another_file(line))
        rt_buffer_printf(&r->message, "%.*s.yaml:", RT_TEXT_ARG(name));
    line_append(&r->message, line);
}

static bool case_read(reader *r)
{
    golden_case *item = rt_vector_push(&r->out->list);
    *item = (golden_case){.name = rt_text_skip(line_take(r), strlen("== "))};
    if (item->name.length == 0) return refuse(r, "a case without a name", RT_TEXT(""));
    r->scenario.size = r->message.size = 0;
    r->base_next = 0;
    r->is_positioned = false;
    item->message_begin = item->message_end = offset_of(r);
    while (r->rest.length > 0 && !rt_text_starts(r->rest, "== ")) {
        rt_text line = line_take(r);
        if (rt_text_take_prefix(&line, "! ")) {
            message_append(r, item->name, line);
            item->message_end = offset_of(r);
        } else if (line.length > 0) {
            if (r->message.size > 0) return refuse(r, "a change after the message", RT_TEXT(""));
            if (!change_read(r, line)) return false;
            item->message_begin = item->message_end = offset_of(r);
        }
    }
    base_keep(r, r->base.count);
    item->scenario = rt_arena_text(r->arena, rt_buffer_text(&r->scenario));
    item->message = rt_arena_text(r->arena, rt_buffer_text(&r->message));
    CHECK(item->message_begin <= item->message_end && item->message_end <= r->file.length);
    return true;
}

bool golden_cases_read(rt_arena *arena, rt_text file, golden_cases *out, rt_text *out_error)
{
    *out = (golden_cases){0};
    *out_error = (rt_text){0};
    reader r = {.arena = arena, .file = file, .rest = file, .out = out, .out_error = out_error};
    base_read(&r);
    bool is_read = true;
    while (is_read && r.rest.length > 0)
        is_read = case_read(&r);
    if (is_read && out->list.count == 0) is_read = refuse(&r, "the file has no case", RT_TEXT(""));
    rt_vector_free(&r.base);
    rt_buffer_free(&r.scenario);
    rt_buffer_free(&r.message);
    return is_read;
}

void golden_cases_update(rt_buffer *out, rt_text file, const golden_cases *cases,
                         const rt_text *messages)
{
    size_t copied = 0;
    rt_buffer prefix = {0};
    for (uint32_t i = 0; i < cases->list.count; i++) {
        const golden_case *item = &cases->list.items[i];
        CHECK(copied <= item->message_begin);
        rt_buffer_append(out, file.data + copied, item->message_begin - copied);
        prefix.size = 0;
        rt_buffer_printf(&prefix, "%.*s.yaml:", RT_TEXT_ARG(item->name));
        for (rt_text rest = messages[i]; rest.length > 0;) {
            rt_text line = rt_text_take_until(&rest, '\n');
            rt_text_take_prefix(&line, rt_buffer_string(&prefix));
            rt_buffer_printf(out, "! %.*s\n", RT_TEXT_ARG(line));
        }
        copied = item->message_end;
    }
    rt_buffer_append(out, file.data + copied, file.length - copied);
    rt_buffer_free(&prefix);
}
