/* Parses compilers' messages, line by line.
 *
 * Messages about clang's headers are dropped, because a scenario cannot change them. An
 * error inside the prelude is attributed to the source that misuses it, at the position given by
 * the note that follows. */
#include "conformance/build/diagnostics.h"

#include "conformance/build/toolchain.h"
#include "reference/base/number.h"

#include <string.h>

/* Takes the number at the front, 0 if there is none; no source has a line beyond the bound. */
static uint32_t take_number(rt_text *rest)
{
    enum { NUMBER_MAX = 999999999 };
    uint64_t number;
    (void)rt_number_take(rest, 10, NUMBER_MAX, &number);
    return (uint32_t)number;
}

static bool take_severity(rt_text *rest, cnf_severity *out_severity)
{
    static const struct {
        const char *text;
        cnf_severity severity;
    } rows[] = {
        {"error: ", CNF_SEVERITY_ERROR},
        {"fatal error: ", CNF_SEVERITY_ERROR},
        {"warning: ", CNF_SEVERITY_WARNING},
        {"note: ", CNF_SEVERITY_NOTE},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        *out_severity = rows[i].severity;
        if (rt_text_take_prefix(rest, rows[i].text)) return true;
    }
    return false;
}

/* Takes `NAME:LINE:COLUMN: ` off a message about a file that the source names in a line marker:
 * code whose includes have been expanded has messages about its headers. */
static bool take_place(rt_text *rest, cnf_compile_message *message)
{
    rt_text text = *rest, name = rt_text_take_until(&text, ':');
    uint32_t line = take_number(&text);
    bool is_place = name.length > 0 && name.data[0] != '<' && line > 0 &&
                    rt_text_take_prefix(&text, ":") &&
                    !memmem(name.data, name.length, "/lib/clang/", strlen("/lib/clang/"));
    if (!is_place) return false;
    message->source = name;
    message->line = line;
    message->column = take_number(&text);
    rt_text_take_prefix(&text, ":");
    rt_text_take_prefix(&text, " ");
    *rest = text;
    return true;
}

bool cnf_diagnostic_clang(rt_text line, rt_text source, cnf_compile_message *out_message)
{
    *out_message = (cnf_compile_message){0};
    rt_text rest = line;
    size_t name = source.length;
    if (line.length > name && rt_text_equal((rt_text){line.data, name}, source) &&
        line.data[name] == ':') {
        rest = (rt_text){line.data + name + 1, line.length - name - 1};
        out_message->source = source;
        out_message->line = take_number(&rest);
        if (rt_text_take_prefix(&rest, ":")) out_message->column = take_number(&rest);
        rt_text_take_prefix(&rest, ":");
        rt_text_take_prefix(&rest, " ");
    } else if (rt_text_starts(rest, "prelude:") || !take_place(&rest, out_message)) {
        /* `prelude:LINE:COLUMN: ` is meaningless to the author of a scenario. */
        if (rt_text_take_prefix(&rest, "prelude:")) {
            take_number(&rest);
            if (rt_text_take_prefix(&rest, ":")) take_number(&rest);
            if (rt_text_take_prefix(&rest, ": ")) out_message->source = source;
        }
        rt_text_take_prefix(&rest, CNF_CLANG_NAME ": ");
    }
    bool found = take_severity(&rest, &out_message->severity);
    out_message->text = rest;
    return found;
}

bool cnf_diagnostic_spirv_as(rt_text line, rt_text source, cnf_compile_message *out_message)
{
    *out_message = (cnf_compile_message){.source = source};
    rt_text rest = line;
    if (!take_severity(&rest, &out_message->severity)) return false;
    rt_text place = rest;
    out_message->line = take_number(&place);
    if (rt_text_take_prefix(&place, ": ")) out_message->column = take_number(&place);
    if (rt_text_take_prefix(&place, ": ")) {
        rest = place;
    } else { /* the text begins with a digit, or there is no position */
        out_message->line = out_message->column = 0;
    }
    out_message->text = rest;
    return true;
}

bool cnf_diagnostic_sycl(rt_text line, rt_text source, cnf_compile_message *out_message)
{
    while (line.length > 0 && line.data[0] == '\t')
        line = (rt_text){line.data + 1, line.length - 1};
    *out_message =
        (cnf_compile_message){.source = source, .severity = CNF_SEVERITY_ERROR, .text = line};
    /* An error in another file, for example in a header whose template the source misuses. */
    static const char *const errors[] = {": error: ", ": fatal error: "};
    for (size_t i = 0; i < sizeof errors / sizeof *errors && rt_text_starts(line, "/"); i++)
        if (memmem(line.data, line.length, errors[i], strlen(errors[i]))) return true;
    rt_text rest = line;
    if (!rt_text_take_prefix(&rest, "rtc_"))
        return take_severity(&out_message->text, &out_message->severity);
    take_number(&rest);
    if (!rt_text_take_prefix(&rest, ".cpp:")) return false;
    out_message->line = take_number(&rest);
    if (rt_text_take_prefix(&rest, ":")) out_message->column = take_number(&rest);
    rt_text_take_prefix(&rest, ":");
    rt_text_take_prefix(&rest, " ");
    bool found = take_severity(&rest, &out_message->severity);
    out_message->text = rest;
    return found;
}

uint32_t cnf_diagnostics_collect(rt_arena *arena, cnf_diagnostic_form *form, rt_text source,
                                 rt_text text, cnf_message_list *messages)
{
    uint32_t error_count = 0;
    while (text.length > 0) {
        const char *end = memchr(text.data, '\n', text.length);
        size_t length = end ? (size_t)(end - text.data) : text.length;
        rt_text line = {text.data, length};
        size_t consumed = end ? length + 1 : length;
        text = (rt_text){text.data + consumed, text.length - consumed};
        cnf_compile_message message;
        if (!form(line, source, &message)) continue;
        message.text = rt_arena_text(arena, message.text);
        message.source = rt_arena_text(arena, message.source);
        error_count += message.severity == CNF_SEVERITY_ERROR;
        /* A message about the prelude has no position until a note gives that of its use. */
        bool is_place = message.severity == CNF_SEVERITY_NOTE && message.line > 0;
        for (uint32_t i = messages->count; is_place && i > 0; i--) {
            cnf_compile_message *before = &messages->items[i - 1];
            if (before->line > 0 || before->source.length == 0) break;
            before->line = message.line;
            before->column = message.column;
        }
        *rt_vector_push(messages) = message;
    }
    return error_count;
}
