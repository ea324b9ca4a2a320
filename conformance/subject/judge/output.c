/* Judges what kernels have printed since the last expectation of output. */
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

void cnf_evaluate_output(cnf_execution *execution, const scn_expect *expect,
                         cnf_emitted_check *check)
{
    rt_arena *arena = &execution->arena;
    rt_buffer printed = {0};
    check->kind = "output";
    check->what = RT_TEXT("output");
    if (!execution->runtime->capabilities.executes) {
        cnf_leave_unobserved(check);
    } else if (!cnf_output_read(&execution->output, &printed)) {
        check->code = RT_TEXT("unreadable");
        check->message =
            rt_arena_printf(arena, "the printed output cannot be read: %s", strerror(errno));
    } else if (rt_text_equal(rt_buffer_text(&printed), expect->output)) {
        check->ok = true;
    } else {
        rt_text text = rt_buffer_text(&printed);
        /* The line, counted from 1, of the first byte that differs. */
        uint32_t line = 1;
        for (size_t i = 0; i < expect->output.length && i < text.length; i++) {
            if (expect->output.data[i] != text.data[i]) break;
            line += text.data[i] == '\n';
        }
        check->code = RT_TEXT("differs");
        check->place = rt_arena_printf(arena, "line %u", line);
        check->message = rt_arena_printf(arena, "expected output \"%.*s\", got \"%.*s\"",
                                         RT_TEXT_ARG(text_escape(arena, expect->output)),
                                         RT_TEXT_ARG(text_escape(arena, text)));
    }
    rt_buffer_free(&printed);
}

void cnf_output_seen(cnf_execution *execution)
{
    if (!execution->runtime->capabilities.executes) return;
    rt_buffer printed = {0};
    if (cnf_output_read(&execution->output, &printed)) execution->output.seen += printed.size;
    rt_buffer_free(&printed);
}
