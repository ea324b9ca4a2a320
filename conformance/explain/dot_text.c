/* Escaping of texts in DOT, so that no name can end its label. Names come from scenarios, images
 * and a child's trace. */
#include "conformance/explain/dot_internal.h"

#include "reference/base/demangle.h"
#include "reference/base/utf8.h"

#include <string.h>

/* The code point printed for a character: U+FFFD for bytes that are not UTF-8, for control
 * characters, which would break a line, and for characters that XML 1.0 does not allow, not even as
 * a reference. */
static uint32_t printed_code(rt_character character)
{
    uint32_t code = character.code;
    bool is_control = code < 0x20 || code == 0x7F;
    return is_control || !rt_character_is_xml(character) ? 0xFFFD : code;
}

/* Inside quotes a quote ends the text, a backslash starts an escape in labels, and '&' starts an
 * entity. */
static void quote_append(rt_buffer *out, rt_text text)
{
    while (text.length > 0) {
        rt_character character = rt_utf8_take(&text);
        uint32_t code = printed_code(character);
        if (code == '"' || code == '\\')
            rt_buffer_printf(out, "\\%c", (char)code);
        else if (code == '&')
            rt_buffer_printf(out, "&amp;");
        else
            rt_buffer_append_text(out, code == character.code ? character.bytes
                                                              : RT_TEXT(RT_UTF8_REPLACEMENT));
    }
}

void cnf_dot_quote(rt_buffer *out, const char *before, rt_text text)
{
    rt_arena arena = {0};
    rt_buffer_printf(out, "%s", before);
    quote_append(out, rt_demangle_text(&arena, text));
    rt_arena_reset(&arena);
}

void cnf_dot_cell_text(rt_buffer *out, const char *before, rt_text text)
{
    rt_arena arena = {0};
    rt_text rest = rt_demangle_text(&arena, text);
    rt_buffer_printf(out, "%s", before);
    while (rest.length > 0) {
        uint32_t code = printed_code(rt_utf8_take(&rest));
        CHECK(code >= 0x20);
        if (code > 0x7F || strchr("\"&<>", (char)code))
            rt_buffer_printf(out, "&#%u;", code);
        else
            rt_buffer_append_byte(out, (char)code);
    }
    rt_arena_reset(&arena);
}

/* The name of a node is not demangled: two symbols may have one readable name. */
void cnf_dot_node(rt_buffer *out, const char *before, const char *kind, rt_text name)
{
    rt_buffer_printf(out, "%s\"%s ", before, kind);
    quote_append(out, name);
    rt_buffer_append_byte(out, '"');
}

void cnf_dot_title(rt_buffer *out, const char *ground, rt_text name, rt_text remark)
{
    rt_buffer_printf(out, "        <TR><TD ALIGN=\"LEFT\" PORT=\"title\" BGCOLOR=\"%s\"><B>",
                     ground);
    cnf_dot_cell_text(out, "", name);
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
    cnf_dot_cell_text(out, "", name);
    cnf_dot_row_end(out);
}
