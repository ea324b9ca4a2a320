/* UTF-8, by the table of its well-formed sequences. */
#include "reference/base/utf8.h"

/* Table 3-7 beyond ASCII: first bytes, length, and the range of the second byte; all later bytes
 * are 80..BF. */
static const struct sequence_row {
    uint8_t first, last, size, second_first, second_last;
} sequence_rows[] = {
    {0xC2, 0xDF, 2, 0x80, 0xBF}, {0xE0, 0xE0, 3, 0xA0, 0xBF}, {0xE1, 0xEC, 3, 0x80, 0xBF},
    {0xED, 0xED, 3, 0x80, 0x9F}, {0xEE, 0xEF, 3, 0x80, 0xBF}, {0xF0, 0xF0, 4, 0x90, 0xBF},
    {0xF1, 0xF3, 4, 0x80, 0xBF}, {0xF4, 0xF4, 4, 0x80, 0x8F},
};

rt_character rt_utf8_take(rt_text *inout_rest)
{
    CHECK(inout_rest->length > 0);
    const uint8_t *bytes = (const uint8_t *)inout_rest->data;
    if (bytes[0] < 0x80) {
        /* ASCII, nearly every character of a scenario, needs no look at the table. */
        rt_character character = {bytes[0], {inout_rest->data, 1}};
        *inout_rest = (rt_text){inout_rest->data + 1, inout_rest->length - 1};
        return character;
    }
    const struct sequence_row *row = NULL;
    for (size_t i = 0; i < sizeof sequence_rows / sizeof *sequence_rows && !row; i++)
        if (bytes[0] >= sequence_rows[i].first && bytes[0] <= sequence_rows[i].last)
            row = &sequence_rows[i];
    /* A byte that cannot begin a sequence is an ill-formed run by itself. */
    size_t size = row ? row->size : 1, length = 1;
    uint32_t code = bytes[0] & (0xFFu >> (size + 1));
    for (; length < size && length < inout_rest->length; length++) {
        uint8_t first = length == 1 ? row->second_first : 0x80;
        uint8_t last = length == 1 ? row->second_last : 0xBF;
        if (bytes[length] < first || bytes[length] > last) break;
        code = code << 6 | (bytes[length] & 0x3Fu);
    }
    rt_character character = {row && length == size ? code : (uint32_t)RT_UTF8_ILL_FORMED,
                              {inout_rest->data, length}};
    *inout_rest = rt_text_skip(*inout_rest, length);
    CHECK(character.code <= RT_UTF8_ILL_FORMED);
    CHECK(character.code < 0xD800 || character.code > 0xDFFF); /* not a surrogate */
    return character;
}

bool rt_character_is_xml(rt_character character)
{
    uint32_t code = character.code;
    if (code < 0x20) return code == '\t' || code == '\n' || code == '\r';
    return code != 0xFFFE && code != 0xFFFF && code != RT_UTF8_ILL_FORMED;
}

size_t rt_utf8_count(rt_text text)
{
    size_t count = 0;
    for (; text.length > 0; count++)
        (void)rt_utf8_take(&text);
    return count;
}

void rt_buffer_append_utf8(rt_buffer *out, rt_text text)
{
    while (text.length > 0) {
        rt_character character = rt_utf8_take(&text);
        bool is_ill_formed = character.code == RT_UTF8_ILL_FORMED;
        rt_buffer_append_text(out, is_ill_formed ? RT_TEXT(RT_UTF8_REPLACEMENT) : character.bytes);
    }
}

void rt_buffer_append_excerpt(rt_buffer *out, rt_text text)
{
    rt_text rest = rt_text_cut(text, RT_EXCERPT_SIZE_MAX);
    bool is_cut = rest.length < text.length;
    while (rest.length > 0) {
        rt_character character = rt_utf8_take(&rest);
        bool is_control = character.code < 0x20 || character.code == 0x7F;
        rt_buffer_append_utf8(out, is_control ? RT_TEXT(" ") : character.bytes);
    }
    if (is_cut) rt_buffer_append_text(out, RT_TEXT("..."));
}
