/* Texts in DOT: whatever a name holds, it stays inside its label.  Names come from scenarios,
 * images and a child's trace. */
#include "conformance/explain/dot_internal.h"

/* Bytes of the well-formed UTF-8 character at `text`, 0 where there is none: Graphviz wants UTF-8,
 * and names from images may be anything.  Overlong forms pass; what shows does not depend on them.
 */
static size_t character_size(rt_text text)
{
    unsigned char first = (unsigned char)text.data[0];
    size_t size = first < 0x80 ? 1 : first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
    if ((first >= 0x80 && first < 0xC2) || first > 0xF4 || size > text.length) return 0;
    for (size_t i = 1; i < size; i++)
        if (((unsigned char)text.data[i] & 0xC0) != 0x80) return 0;
    return size;
}

static bool is_control(char character)
{
    return (unsigned char)character < 0x20 || character == 0x7F;
}

/* Inside quotes a quote ends the text, a backslash starts an escape in labels, and '&' an entity; a
 * control character would break the line. */
void cnf_dot_quote(rt_buffer *out, rt_text text)
{
    while (text.length > 0) {
        size_t size = character_size(text);
        char first = text.data[0];
        if (size == 0 || is_control(first)) {
            rt_buffer_append_byte(out, '?');
            size = 1;
        } else if (first == '"' || first == '\\') {
            rt_buffer_printf(out, "\\%c", first);
        } else if (first == '&') {
            rt_buffer_printf(out, "&amp;");
        } else {
            rt_buffer_append(out, text.data, size);
        }
        text = (rt_text){text.data + size, text.length - size};
    }
}

/* The number of a character of more than one byte. */
static uint32_t character_number(rt_text text, size_t size)
{
    static const unsigned char first_bits[] = {0, 0x7F, 0x1F, 0x0F, 0x07};
    uint32_t number = (unsigned char)text.data[0] & first_bits[size];
    for (size_t i = 1; i < size; i++)
        number = number << 6 | ((unsigned char)text.data[i] & 0x3Fu);
    return number;
}

/* True for a number that is not a character in XML 1.0 ("2.2 Characters"), even as a reference. */
static bool is_no_character(uint32_t number)
{
    return (number >= 0xD800 && number <= 0xDFFF) || number == 0xFFFE || number == 0xFFFF ||
           number > 0x10FFFF;
}

void cnf_dot_cell_text(rt_buffer *out, rt_text text)
{
    while (text.length > 0) {
        size_t size = character_size(text);
        char first = text.data[0];
        uint32_t number = size > 1 ? character_number(text, size) : 0;
        if (size == 0 || is_control(first) || is_no_character(number)) {
            rt_buffer_append_byte(out, '?');
            size = 1;
        } else if (first == '"' || first == '&' || first == '<' || first == '>') {
            rt_buffer_printf(out, "&#%d;", first);
        } else if (size > 1) {
            rt_buffer_printf(out, "&#%u;", number);
        } else {
            rt_buffer_append_byte(out, first);
        }
        text = (rt_text){text.data + size, text.length - size};
    }
}

void cnf_dot_node(rt_buffer *out, const char *sort, rt_text name)
{
    rt_buffer_printf(out, "\"%s ", sort);
    cnf_dot_quote(out, name);
    rt_buffer_append_byte(out, '"');
}

void cnf_dot_title(rt_buffer *out, const char *ground, rt_text name, rt_text remark)
{
    rt_buffer_printf(out, "        <TR><TD ALIGN=\"LEFT\" PORT=\"title\" BGCOLOR=\"%s\"><B>",
                     ground);
    cnf_dot_cell_text(out, name);
    rt_buffer_printf(out, "</B></TD><TD ALIGN=\"RIGHT\" BGCOLOR=\"%s\">%.*s</TD></TR>\n", ground,
                     RT_TEXT_ARG(remark));
}

void cnf_dot_row_begin(rt_buffer *out, rt_text port, const char *ground, const char *ink)
{
    rt_buffer_printf(out, "        <TR><TD COLSPAN=\"2\" ALIGN=\"LEFT\"");
    if (port.length > 0) rt_buffer_printf(out, " PORT=\"%.*s\"", RT_TEXT_ARG(port));
    rt_buffer_printf(out, " BGCOLOR=\"%s\"><FONT COLOR=\"%s\">", ground, ink);
}

void cnf_dot_row_end(rt_buffer *out)
{
    rt_buffer_printf(out, "</FONT></TD></TR>\n");
}

void cnf_dot_row(rt_buffer *out, rt_text port, const char *ground, const char *ink,
                 const char *role, rt_text name)
{
    cnf_dot_row_begin(out, port, ground, ink);
    rt_buffer_printf(out, "%s ", role);
    cnf_dot_cell_text(out, name);
    cnf_dot_row_end(out);
}
