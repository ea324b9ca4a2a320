/* Judges what kernels, and the process, have printed since the last expectation about it. */
#include "conformance/subject/execute.h"

#include <errno.h>
#include <string.h>

/* The text on one line, with C escapes for characters that would break it. */
static rt_text text_escape(rt_arena *arena, rt_text text)
{
    rt_buffer out = {0};
    for (size_t i = 0; i < text.length; i++) {
        unsigned char byte = (unsigned char)text.data[i];
        if (byte == '\n')
            rt_buffer_printf(&out, "\\n");
        else if (byte < 0x20 || byte == 0x7f || byte == '"' || byte == '\\')
            rt_buffer_printf(&out, "\\x%02x", byte);
        else
            rt_buffer_append_byte(&out, (char)byte);
    }
    rt_text copy = rt_arena_text(arena, rt_buffer_text(&out));
    rt_buffer_free(&out);
    return copy;
}

/* Appends what was printed; false, with the check failed, if it cannot be read. */
static bool printed_read(cnf_execution *execution, const scn_expect *expect, rt_buffer *out_text,
                         cnf_emitted_check *check)
{
    if (cnf_output_read(&execution->output, expect->kind, out_text)) return true;
    check->code = RT_TEXT("unreadable");
    check->message =
        rt_arena_printf(&execution->arena, "what was printed cannot be read: %s", strerror(errno));
    return false;
}

void cnf_evaluate_output(cnf_execution *execution, const scn_expect *expect,
                         cnf_emitted_check *check)
{
    rt_arena *arena = &execution->arena;
    rt_buffer printed = {0};
    check->kind = "output";
    check->what = RT_TEXT("output");
    if (!execution->runtime->capabilities.executes) {
        cnf_leave_unobserved(check);
    } else if (printed_read(execution, expect, &printed, check)) {
        rt_text text = rt_buffer_text(&printed);
        check->ok = rt_text_equal(text, expect->output);
        /* The line, counted from 1, of the first byte that differs. */
        uint32_t line = 1;
        for (size_t i = 0; i < expect->output.length && i < text.length; i++) {
            if (expect->output.data[i] != text.data[i]) break;
            line += text.data[i] == '\n';
        }
        if (!check->ok) {
            check->code = RT_TEXT("differs");
            check->place = rt_arena_printf(arena, "line %u", line);
            check->message = rt_arena_printf(arena, "expected output \"%.*s\", got \"%.*s\"",
                                             RT_TEXT_ARG(text_escape(arena, expect->output)),
                                             RT_TEXT_ARG(text_escape(arena, text)));
        }
    }
    rt_buffer_free(&printed);
}

void cnf_evaluate_warnings(cnf_execution *execution, const scn_expect *expect,
                           cnf_emitted_check *check)
{
    rt_arena *arena = &execution->arena;
    rt_buffer printed = {0};
    check->kind = "count";
    check->what = RT_TEXT("warnings");
    if (printed_read(execution, expect, &printed, check)) {
        uint32_t count = 0;
        for (size_t i = 0; i < printed.size; i++)
            count += printed.data[i] == '\n' || i + 1 == printed.size;
        check->ok = count == expect->warnings;
        if (!check->ok) {
            check->code = count > expect->warnings ? RT_TEXT("more") : RT_TEXT("fewer");
            check->message = rt_arena_printf(
                arena, "expected %u lines on standard error, got %u: \"%.*s\"", expect->warnings,
                count, RT_TEXT_ARG(text_escape(arena, rt_buffer_text(&printed))));
        }
    }
    rt_buffer_free(&printed);
}

void cnf_output_judged(cnf_execution *execution, const scn_expect *expect)
{
    rt_buffer printed = {0};
    if (cnf_output_read(&execution->output, expect->kind, &printed))
        cnf_output_seen(&execution->output, expect->kind, printed.size);
    rt_buffer_free(&printed);
}
