/* UTF-8 and the characters that a scenario may hold.  It does not decode text for anybody.
 *
 * Source: The Unicode Standard, table 3-7 (well-formed byte sequences); YAML 1.1, section 4.1. */
#include "conformance/scenario/yaml/characters.h"

#include <string.h>

enum { NOT_A_CHARACTER = 0x110000 };

/* Decodes the code point at `offset`; NOT_A_CHARACTER where the bytes are not well-formed. */
static uint32_t decode(rt_text text, size_t offset, uint32_t *out_size)
{
    const unsigned char *bytes = (const unsigned char *)text.data + offset;
    size_t left = text.length - offset;
    CHECK(left > 0);
    *out_size = 1;
    if (bytes[0] < 0x80) return bytes[0];
    uint32_t size = bytes[0] >= 0xF0 ? 4 : bytes[0] >= 0xE0 ? 3 : 2;
    if (bytes[0] < 0xC2 || bytes[0] > 0xF4 || left < size) return NOT_A_CHARACTER;
    uint32_t value = bytes[0] & (0xFFu >> (size + 1));
    for (uint32_t i = 1; i < size; i++) {
        if ((bytes[i] & 0xC0) != 0x80) return NOT_A_CHARACTER;
        value = value << 6 | (bytes[i] & 0x3Fu);
    }
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    bool surrogate = value >= 0xD800 && value <= 0xDFFF;
    if (value < least[size] || value > 0x10FFFF || surrogate) return NOT_A_CHARACTER;
    *out_size = size;
    return value;
}

/* Why a scenario may not hold the character; NULL when it may. */
static const char *refusal(uint32_t character, bool line_feed_follows)
{
    if (character == 0) return "a NUL byte; a scenario is text";
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
    uint32_t size;
    for (size_t offset = 0; offset < text.length; offset += size) {
        uint32_t character = decode(text, offset, &size);
        if (character == NOT_A_CHARACTER) {
            return scn_report(reporter, at, "byte 0x%02x is not UTF-8 here; save the file as UTF-8",
                              (unsigned char)text.data[offset]);
        }
        bool line_feed_follows = offset + 1 < text.length && text.data[offset + 1] == '\n';
        const char *why = refusal(character, line_feed_follows);
        if (why) return scn_report(reporter, at, "%s", why);
        at.column++;
        if (character == '\n') at = (scn_position){at.line + 1, 1};
    }
    return true;
}

uint32_t scn_characters_count(rt_text text)
{
    uint32_t count = 0;
    for (size_t i = 0; i < text.length; i++)
        count += ((unsigned char)text.data[i] & 0xC0) != 0x80;
    return count;
}
