/* Reads the part of YAML that the compiler writes: a key or an element of a list per line. */
#include "backends/ocloc/ocloc_zeinfo.h"

#include "reference/base/lines.h"
#include "reference/base/number.h"

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

/* "[ 8, 2, 1 ]"; anything else is ignored. */
static void sizes_read(rt_text text, uint32_t out_sizes[RT_ND_RANGE_DIMENSIONS])
{
    uint64_t sizes[RT_ND_RANGE_DIMENSIONS];
    if (!rt_text_take_prefix(&text, "[")) return;
    for (uint32_t d = 0; d < RT_ND_RANGE_DIMENSIONS; d++) {
        rt_text word =
            trimmed(rt_text_take_until(&text, d + 1 < RT_ND_RANGE_DIMENSIONS ? ',' : ']'));
        if (!rt_number_read(word, 1, UINT32_MAX, &sizes[d])) return;
    }
    for (uint32_t d = 0; d < RT_ND_RANGE_DIMENSIONS; d++)
        out_sizes[d] = (uint32_t)sizes[d];
}

/* A line of the kernel's description. */
static void line_read(rt_text line, ocloc_kernel_info *info)
{
    enum { INDEX_MAX = 9999 };
    rt_text rest = trimmed(line);
    uint64_t index;
    (void)rt_text_take_prefix(&rest, "- ");
    if (rt_text_take_prefix(&rest, "required_work_group_size:")) {
        sizes_read(value_of(rest), info->required_group);
    } else if (rt_text_take_prefix(&rest, "arg_index:") &&
               rt_number_read(value_of(rest), 0, INDEX_MAX, &index)) {
        if (index + 1 > info->parameter_count) info->parameter_count = (uint32_t)index + 1;
    }
}

void ocloc_kernel_read(rt_text ze_info, rt_text kernel, ocloc_kernel_info *out_info)
{
    *out_info = (ocloc_kernel_info){.parameter_count = DEV_ARGUMENT_COUNT_UNKNOWN};
    bool in_kernels = false, is_here = false;
    for (rt_text line; rt_line_take(&ze_info, &line);) {
        if (line.length > 0 && line.data[0] != ' ') {
            in_kernels = rt_text_is(value_of(line), "kernels:");
            is_here = false;
        } else if (rt_text_take_prefix(&line, "  - name:")) {
            is_here = in_kernels && rt_text_equal(value_of(line), kernel);
            if (is_here) out_info->parameter_count = 0;
        } else if (is_here) {
            line_read(line, out_info);
        }
    }
}
