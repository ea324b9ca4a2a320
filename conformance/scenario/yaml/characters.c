/* The characters that a scenario may contain.  Source: YAML 1.1, section 4.1. */
#include "conformance/scenario/yaml/characters.h"

#include "reference/base/utf8.h"

/* Returns the reason why a scenario must not contain the character; NULL if it may. */
static const char *refusal(uint32_t character, bool line_feed_follows)
{
    if (character == 0) return "a NUL byte; remove it, since a scenario is text";
    if (character == '\r' && !line_feed_follows) {
        return "a carriage return without a line feed; end lines with a line feed";
    }
    if (character == '\t' || character == '\n' || character == '\r') return NULL;
    if (character < 0x20 || (character >= 0x7F && character < 0xA0 && character != 0x85)) {
        return "a control character; remove it, or write it as an escape in double quotes";
    }
    if (character == 0x85 || character == 0x2028 || character == 0x2029) {
        return "a line separator that is not a line feed; end lines with a line feed";
    }
    if (character == 0xFEFF) return "a byte order mark inside the text; remove it";
    if (character == 0xFFFE || character == 0xFFFF) return "a noncharacter; remove it";
    return NULL;
}

bool scn_characters_check(scn_reporter *reporter, rt_text text)
{
    scn_position at = {1, 1};
    while (text.length > 0) {
        if (*text.data >= ' ' && *text.data <= '~') { /* nearly every character of a scenario */
            text = rt_text_skip(text, 1);
            at.column++;
            continue;
        }
        rt_character character = rt_utf8_take(&text);
        if (character.code == RT_UTF8_ILL_FORMED) {
            return scn_report(reporter, at,
                              "byte 0x%02x is not valid UTF-8 here; save the file as UTF-8",
                              (unsigned char)*character.bytes.data);
        }
        const char *why = refusal(character.code, text.length > 0 && *text.data == '\n');
        if (why) return scn_report(reporter, at, "%s", why);
        at.column++;
        if (character.code == '\n') at = (scn_position){at.line + 1, 1};
    }
    return true;
}
