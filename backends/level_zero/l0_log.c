/* The driver's log of a build or link, as a message for people shows it: without the addresses that
 * differ from run to run, and cut where it is long.
 * Source: Level Zero specification 1.8, zeModuleBuildLogGetString. */
#include "backends/level_zero/l0_module.h"

#include "reference/base/alloc.h"

#include <ctype.h>
#include <string.h>

/* Longest log that a message shows, of which the beginning is kept: the first error is the cause.
 */
enum { LOG_SHOWN_MAX = 4000 };

/* Appends the text; "<0x55e2f0>" becomes "<>". */
static void append_without_addresses(rt_text text, rt_buffer *out_log)
{
    static const char begins[] = "<0x";
    for (size_t i = 0; i < text.length; i++) {
        rt_buffer_append_byte(out_log, text.data[i]);
        size_t left = text.length - i;
        if (left < strlen(begins) || memcmp(text.data + i, begins, strlen(begins)) != 0) continue;
        size_t end = i + strlen(begins);
        while (end < text.length && isxdigit((unsigned char)text.data[end]))
            end++;
        if (end < text.length && text.data[end] == '>') i = end - 1;
    }
}

/* Cuts a long log, not in the middle of a character. */
static rt_text cut(rt_text text, size_t *out_hidden)
{
    size_t all = text.length;
    if (text.length > LOG_SHOWN_MAX) {
        text.length = LOG_SHOWN_MAX;
        while (((unsigned char)text.data[text.length] & 0xC0u) == 0x80u)
            text.length--;
    }
    *out_hidden = all - text.length;
    return text;
}

void l0_log_take(const l0_device *device, ze_module_build_log_handle_t log, rt_buffer *out_log)
{
    if (!log) return;
    const l0_library *ze = &device->library;
    size_t size = 0;
    char *text = NULL;
    if (ze->zeModuleBuildLogGetString(log, &size, NULL) == ZE_RESULT_SUCCESS && size > 0)
        text = rt_try_alloc(size);
    if (text && ze->zeModuleBuildLogGetString(log, &size, text) == ZE_RESULT_SUCCESS) {
        rt_text whole = {text, strnlen(text, size)};
        while (whole.length > 0 && isspace((unsigned char)whole.data[whole.length - 1]))
            whole.length--;
        size_t hidden;
        append_without_addresses(cut(whole, &hidden), out_log);
        if (hidden > 0) rt_buffer_printf(out_log, "… (%zu more bytes)", hidden);
    }
    rt_free(text);
    ze->zeModuleBuildLogDestroy(log);
}
