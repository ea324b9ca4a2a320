/* Prepares the driver's log of a build or link for messages: removes addresses, which differ from
 * run to run, and shortens the log.
 *
 * Source: Level Zero specification 1.8, zeModuleBuildLogGetString. */
#include "backends/level_zero/l0_module.h"

#include "backends/vendor/log.h"
#include "reference/base/alloc.h"

#include <ctype.h>
#include <string.h>

/* Appends the text without the addresses in it: "<0x55e2f0>", for example, becomes "<>". */
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
        append_without_addresses(whole, out_log);
        vendor_log_cut(out_log);
    }
    rt_free(text);
    ze->zeModuleBuildLogDestroy(log);
}
