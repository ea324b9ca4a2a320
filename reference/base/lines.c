/* Splits texts into lines. */
#include "reference/base/lines.h"

#include <string.h>

bool rt_line_take(rt_text *inout_text, rt_text *out_line)
{
    *out_line = (rt_text){0};
    if (inout_text->length == 0) return false;
    const char *newline = memchr(inout_text->data, '\n', inout_text->length);
    size_t length = newline ? (size_t)(newline - inout_text->data) : inout_text->length;
    size_t used = newline ? length + 1 : length;
    CHECK(used > 0 && used <= inout_text->length);
    CHECK(length <= used);
    *out_line = (rt_text){inout_text->data, length};
    *inout_text = rt_text_skip(*inout_text, used);
    return true;
}

rt_text rt_lines_trim(rt_text text)
{
    while (text.length > 0 && text.data[text.length - 1] == '\n')
        text.length--;
    return text;
}

rt_text rt_lines_last(rt_text text, uint32_t count)
{
    text = rt_lines_trim(text);
    size_t start = text.length;
    for (uint32_t newlines = 0; start > 0; start--)
        if (text.data[start - 1] == '\n' && ++newlines == count) break;
    return rt_text_skip(text, start);
}
