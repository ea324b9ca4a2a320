/* Unit tests of UTF-8: the sequences of table 3-7 of the Unicode Standard, and U+FFFD for all
 * others. */
#include "reference/base/utf8.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define COUNT(table) (sizeof(table) / sizeof *(table))
#define R            RT_UTF8_REPLACEMENT

/* The first and the last character of each row of the table. */
static void well_formed_characters_have_their_code_points(void **state)
{
    (void)state;
    static const struct {
        rt_text bytes;
        uint32_t code;
    } rows[] = {
        {{"\0", 1}, 0},
        {{"\x7F", 1}, 0x7F},
        {{"\xC2\x80", 2}, 0x80},
        {{"\xDF\xBF", 2}, 0x7FF},
        {{"\xE0\xA0\x80", 3}, 0x800},
        {{"\xE0\xBF\xBF", 3}, 0xFFF},
        {{"\xE1\x80\x80", 3}, 0x1000},
        {{"\xEC\xBF\xBF", 3}, 0xCFFF},
        {{"\xED\x80\x80", 3}, 0xD000},
        {{"\xED\x9F\xBF", 3}, 0xD7FF},
        {{"\xEE\x80\x80", 3}, 0xE000},
        {{"\xEF\xBF\xBD", 3}, 0xFFFD},
        {{"\xEF\xBF\xBF", 3}, 0xFFFF},
        {{"\xF0\x90\x80\x80", 4}, 0x10000},
        {{"\xF0\xBF\xBF\xBF", 4}, 0x3FFFF},
        {{"\xF1\x80\x80\x80", 4}, 0x40000},
        {{"\xF3\xBF\xBF\xBF", 4}, 0xFFFFF},
        {{"\xF4\x80\x80\x80", 4}, 0x100000},
        {{"\xF4\x8F\xBF\xBF", 4}, 0x10FFFF},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        rt_text rest = rows[i].bytes;
        rt_character character = rt_utf8_take(&rest);
        assert_int_equal(character.code, rows[i].code);
        assert_true(rt_text_equal(character.bytes, rows[i].bytes));
        assert_int_equal(rest.length, 0);
    }
}

/* The first rows are the examples of the Unicode Standard, tables 3-8 to 3-11. */
static void ill_formed_runs_become_one_replacement_each(void **state)
{
    (void)state;
    static const struct {
        rt_text text;
        const char *clean;
    } rows[] = {
        {{"\xC0\xAF\xE0\x80\xBF\xF0\x81\x82\x41", 9}, R R R R R R R R "A"},
        {{"\xED\xA0\x80\xED\xBF\xBF\xED\xAF\x41", 9}, R R R R R R R R "A"},
        {{"\xF4\x91\x92\x93\xFF\x41\x80\xBF\x42", 9}, R R R R R "A" R R "B"},
        {{"\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41", 9}, R R R R "A"},
        {{"", 0}, ""},
        {{"plain", 5}, "plain"},
        {{"a\xE2\x82\xAC\x62", 5}, "a\xE2\x82\xAC\x62"},
        {{"\x80", 1}, R},         /* a continuation byte without a lead byte */
        {{"\xC1\x81", 2}, R R},   /* overlong 'A' */
        {{"\xF0\x9D\x84", 3}, R}, /* a truncated clef */
        {{"\xF0\x9D\x84\xF0", 4}, R R},
        {{"\xE2\x82", 2}, R},
        {{"\xE2", 1}, R},
        {{"\xE2\x82z", 3}, R "z"},
        {{"\xF5\x80", 2}, R R}, /* past U+10FFFF */
        {{"\xFE\xFF", 2}, R R},
        {{"\xED\xA0\xBD", 3}, R R R}, /* half of a surrogate pair */
        {{"\xEF\xBF\xBD", 3}, R},     /* U+FFFD itself is kept */
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        rt_buffer clean = {0};
        rt_buffer_append_utf8(&clean, rows[i].text);
        assert_string_equal(rt_buffer_string(&clean), rows[i].clean);
        assert_int_equal(rt_utf8_count(rows[i].text), rt_utf8_count(rt_buffer_text(&clean)));
        rt_buffer second = {0};
        rt_buffer_append_utf8(&second, rt_buffer_text(&clean));
        assert_true(rt_text_equal(rt_buffer_text(&second), rt_buffer_text(&clean)));
        rt_buffer_free(&second);
        rt_buffer_free(&clean);
    }
}

/* The bounds of each range of "Char" in XML 1.0, section 2.2. */
static void xml_allows_the_characters_of_its_rule(void **state)
{
    (void)state;
    static const struct {
        rt_text bytes;
        bool is_xml;
    } rows[] = {
        {{"\0", 1}, false},
        {{"\x08", 1}, false},
        {{"\t", 1}, true},
        {{"\n", 1}, true},
        {{"\x0B", 1}, false},
        {{"\x0C", 1}, false},
        {{"\r", 1}, true},
        {{"\x0E", 1}, false},
        {{"\x1F", 1}, false},
        {{" ", 1}, true},
        {{"\x7F", 1}, true},
        {{"\xED\x9F\xBF", 3}, true},  /* U+D7FF */
        {{"\xED\xA0\x80", 3}, false}, /* a surrogate */
        {{"\xEE\x80\x80", 3}, true},  /* U+E000 */
        {{"\xEF\xBF\xBD", 3}, true},
        {{"\xEF\xBF\xBE", 3}, false},
        {{"\xEF\xBF\xBF", 3}, false},
        {{"\xF0\x90\x80\x80", 4}, true},
        {{"\xF4\x8F\xBF\xBF", 4}, true},
        {{"\xFF", 1}, false},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        rt_text rest = rows[i].bytes;
        assert_int_equal(rt_character_is_xml(rt_utf8_take(&rest)), rows[i].is_xml);
    }
}

static void nul_is_a_character(void **state)
{
    (void)state;
    rt_buffer clean = {0};
    rt_buffer_append_utf8(&clean, (rt_text){"a\0b\xFF", 4});
    assert_int_equal(clean.size, 6);
    assert_memory_equal(clean.data, "a\0b" R, 6);
    rt_buffer_free(&clean);
    assert_int_equal(rt_utf8_count((rt_text){"a\0b\xFF", 4}), 4);
    assert_int_equal(rt_utf8_count((rt_text){0}), 0);
}

static void messages_show_one_short_line(void **state)
{
    (void)state;
    static const char forty_eight[] = "123456789 123456789 123456789 123456789 12345678";
    static const struct {
        rt_text text;
        const char *excerpt;
    } rows[] = {
        {{"", 0}, ""},
        {{"two\nlines\x7F\0.", 12}, "two lines  ."},
        {{"\xE2\x82\xAC\xFF", 4}, "\xE2\x82\xAC" R},
        {{forty_eight, 48}, forty_eight},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        rt_buffer excerpt = {0};
        rt_buffer_append_excerpt(&excerpt, rows[i].text);
        assert_string_equal(rt_buffer_string(&excerpt), rows[i].excerpt);
        rt_buffer_free(&excerpt);
    }
    /* 47 bytes, then a euro sign, which must not be cut in two. */
    rt_buffer text = {0}, excerpt = {0};
    rt_buffer_printf(&text, "%.47s\xE2\x82\xAC", forty_eight);
    rt_buffer_append_excerpt(&excerpt, rt_buffer_text(&text));
    assert_string_equal(rt_buffer_string(&excerpt),
                        "123456789 123456789 123456789 123456789 1234567...");
    rt_buffer_free(&text);
    rt_buffer_free(&excerpt);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(well_formed_characters_have_their_code_points),
        cmocka_unit_test(ill_formed_runs_become_one_replacement_each),
        cmocka_unit_test(xml_allows_the_characters_of_its_rule),
        cmocka_unit_test(nul_is_a_character),
        cmocka_unit_test(messages_show_one_short_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
