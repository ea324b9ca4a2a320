/* UTF-8: the characters of a text, and the only rule for bytes that are not UTF-8.
 *
 * Names and logs come from images and drivers, and may contain any bytes.  In a document that assay
 * writes (JSON, XML, DOT, a message), each maximal ill-formed run becomes one U+FFFD, as the
 * Unicode Standard recommends, so every document shows the same text. U+FFFD also replaces a
 * well-formed character that a document's syntax does not allow, such as a control character in
 * XML.
 *
 * Source: The Unicode Standard 15.0, 3.9: table 3-7 "Well-Formed UTF-8 Byte Sequences" and "U+FFFD
 * Substitution of Maximal Subparts". */
#ifndef REFERENCE_BASE_UTF8_H
#define REFERENCE_BASE_UTF8_H

#include "reference/base/text.h"

/* U+FFFD in UTF-8. */
#define RT_UTF8_REPLACEMENT "\xEF\xBF\xBD"

enum { RT_UTF8_ILL_FORMED = 0x110000 }; /* one past the last code point */

/* A character and its bytes in the text. */
typedef struct rt_character {
    uint32_t code; /* code point, or RT_UTF8_ILL_FORMED for a maximal ill-formed run */
    rt_text bytes; /* 1 to 4 bytes; an ill-formed run 1 to 3 */
} rt_character;

/* Takes the first character off the front of *inout_rest, which is not empty. */
rt_character rt_utf8_take(rt_text *inout_rest);

/* True if XML 1.0 allows the character in a document (section 2.2, "Char"); false for an ill-formed
 * run. */
bool rt_character_is_xml(rt_character character);

/* Number of characters; an ill-formed run counts as one, like the U+FFFD that replaces it. */
size_t rt_utf8_count(rt_text text);

/* Appends text as well-formed UTF-8: an ill-formed run becomes U+FFFD. */
void rt_buffer_append_utf8(rt_buffer *out, rt_text text);

#define RT_EXCERPT_SIZE_MAX 48u
/* Appends a text as messages show it: one line of well-formed UTF-8, made from at most the first
 * RT_EXCERPT_SIZE_MAX bytes, with "..." if there are more, and spaces in place of control
 * characters. */
void rt_buffer_append_excerpt(rt_buffer *out, rt_text text);

#endif
