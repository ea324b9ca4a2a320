/* Reads the part of YAML that the compiler writes: a key or an element of a list per line. */
#include "backends/ocloc/ocloc_zeinfo.h"

#include "reference/base/lines.h"
#include "reference/base/number.h"
#include "reference/device/device.h"

static rt_text trimmed(rt_text text)
{
    while (text.length > 0 && text.data[0] == ' ')
        text = rt_text_skip(text, 1);
    while (text.length > 0 && text.data[text.length - 1] == ' ')
        text.length--;
    return text;
}

/* The value of a key, without quotes. */
static rt_text value_of(rt_text text)
{
    text = trimmed(text);
    bool is_quoted = text.length >= 2 && text.data[0] == '\'' && text.data[text.length - 1] == '\'';
    return is_quoted ? (rt_text){text.data + 1, text.length - 2} : text;
}

uint32_t ocloc_argument_count(rt_text ze_info, rt_text kernel)
{
    enum { INDEX_MAX = 9999 };
    uint32_t count = DEV_ARGUMENT_COUNT_UNKNOWN;
    bool in_kernels = false, is_here = false;
    for (rt_text line; rt_line_take(&ze_info, &line);) {
        if (line.length > 0 && line.data[0] != ' ') {
            in_kernels = rt_text_is(value_of(line), "kernels:");
            is_here = false;
            continue;
        }
        if (rt_text_take_prefix(&line, "  - name:")) {
            is_here = in_kernels && rt_text_equal(value_of(line), kernel);
            if (is_here) count = 0;
            continue;
        }
        rt_text rest = trimmed(line);
        (void)rt_text_take_prefix(&rest, "- ");
        uint64_t index;
        if (!is_here || !rt_text_take_prefix(&rest, "arg_index:") ||
            !rt_number_read(value_of(rest), 0, INDEX_MAX, &index))
            continue;
        if (index + 1 > count) count = (uint32_t)index + 1;
    }
    return count;
}
