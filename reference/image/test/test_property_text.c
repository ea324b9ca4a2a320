/* Unit tests of property sets as text.  Expected texts are computed by hand from PropertySets.md.
 */
#include "reference/image/property_text.h"
#include "reference/image/property_value.h"
#include "reference/image/test/fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const uint8_t mask[] = {0x05};
static const rt_property parameters[] = {
    {.name = {"k", 1}, .type = RT_PROPERTY_BYTES, .bytes = {mask, 1}, .unused_bits = 5},
    {.name = {"none", 4}, .type = RT_PROPERTY_BYTES},
};
static const rt_property misc[] = {
    {.name = {"optLevel", 8}, .type = RT_PROPERTY_UINT32, .number = 4294967295},
};
static const rt_property_set sample_sets[] = {
    {{"SYCL/kernel param opt", 21}, parameters, 2},
    {{"SYCL/assert used", 16}, NULL, 0},
    {{"SYCL/misc properties", 20}, misc, 1},
};

/* The three bits 101: length 3 and the byte 5, 03 00 00 00 00 00 00 00 05.  Least significant bit
 * first, six bits per digit: 3 = D, then nine digits A, then Q = 16, which holds the last four bits
 * of the length and, at place 4, the lowest two of 5, 01; then 5 >> 2 = 1 = B. */
static const char sample_text[] = "[SYCL/kernel param opt]\n"
                                  "k=2|DAAAAAAAAAQB\n"
                                  "none=2|AAAAAAAAAAA\n"
                                  "[SYCL/assert used]\n"
                                  "[SYCL/misc properties]\n"
                                  "optLevel=1|4294967295\n";

static void sets_are_written_as_the_document_says(void **state)
{
    fixture *f = *state;
    rt_buffer out = {0};
    assert_true(rt_ok(rt_property_text_write(f->sink, &out, (rt_property_sets){sample_sets, 3})));
    assert_string_equal(rt_buffer_string(&out), sample_text);
    rt_buffer_free(&out);
}

static void text_is_read_with_every_bit(void **state)
{
    fixture *f = *state;
    rt_property_sets sets;
    assert_true(
        rt_ok(rt_property_text_read(f->sink, &f->arena, rt_text_of(sample_text), 0, &sets)));
    assert_int_equal(sets.count, 3);
    assert_true(rt_text_is(sets.sets[0].name, "SYCL/kernel param opt"));
    assert_int_equal(sets.sets[0].property_count, 2);
    const rt_property *k = &sets.sets[0].properties[0];
    assert_true(rt_text_is(k->name, "k"));
    assert_int_equal(k->bytes.size, 1);
    assert_int_equal(k->bytes.data[0], 5);
    assert_int_equal(k->unused_bits, 5);
    assert_int_equal(sets.sets[0].properties[1].bytes.size, 0);
    assert_int_equal(sets.sets[1].property_count, 0);
    assert_int_equal(sets.sets[2].properties[0].number, 4294967295);
}

/* A line from a compiler of 2026: 176 bits are 22 bytes. */
static void target_of_a_real_image_is_decoded(void **state)
{
    fixture *f = *state;
    rt_property_sets sets;
    rt_text text = RT_TEXT("[SYCLBIN/ir module metadata]\n"
                           "target=2|wCAAAAAAAAwcwlmc2QTL152au92du1Sdutmbvdnb\n");
    assert_true(rt_ok(rt_property_text_read(f->sink, &f->arena, text, 0, &sets)));
    const rt_bytes target = sets.sets[0].properties[0].bytes;
    assert_int_equal(target.size, 22);
    assert_memory_equal(target.data, "spir64-unknown-unknown", 22);
}

static const struct wrong_text {
    const char *text, *message;
    rt_code code;
} wrong_texts[] = {
    {"a=1|1\n", "damaged property text at byte 100: a property before the first [set]",
     RT_MALFORMED},
    {"[s\n", "damaged property text at byte 100: expected [set]", RT_MALFORMED},
    {"[]\n", "damaged property text at byte 100: expected [set]", RT_MALFORMED},
    {"[s]\nname\n", "damaged property text at byte 104: expected name=type|value", RT_MALFORMED},
    {"[s]\n=1|1\n", "damaged property text at byte 104: expected name=type|value", RT_MALFORMED},
    {"[s]\na=1\n", "damaged property text at byte 106: expected type|value", RT_MALFORMED},
    {"[s]\na=|1\n", "damaged property text at byte 106: expected a number", RT_MALFORMED},
    {"[s]\na=1|\n", "damaged property text at byte 108: expected a number", RT_MALFORMED},
    {"[s]\na=1|1x\n", "damaged property text at byte 109: expected a digit", RT_MALFORMED},
    {"[s]\na=1|-1\n", "damaged property text at byte 108: expected a digit", RT_MALFORMED},
    {"[s]\na=1|4294967296\n", "damaged property text at byte 108: the number exceeds 32 bits",
     RT_MALFORMED},
    {"[s]\na=2|AA=A\n", "damaged property text at byte 110: expected base64 without padding",
     RT_MALFORMED},
    {"[s]\na=2|AAAAA\n", "damaged property text at byte 112: expected base64 without padding",
     RT_MALFORMED},
    {"[s]\na=2|AAAAAAAAAAQ\n", "damaged property text at byte 118: expected base64 without padding",
     RT_MALFORMED},
    {"[s]\na=2|AAAA\n",
     "damaged property text at byte 108: the value's size differs from the length at its beginning",
     RT_MALFORMED},
    {"[s]\na=2|JAAAAAAAAAQB\n",
     "damaged property text at byte 108: the value's size differs from the length at its beginning",
     RT_MALFORMED},
    {"[s]\na=3|1\n", "property text at byte 106: type 3, expected 1 (number) or 2 (bytes)",
     RT_UNSUPPORTED},
};

static void wrong_texts_are_refused_with_their_place(void **state)
{
    fixture *f = *state;
    for (size_t i = 0; i < sizeof wrong_texts / sizeof *wrong_texts; i++) {
        rt_property_sets sets;
        rt_status status =
            rt_property_text_read(f->sink, &f->arena, rt_text_of(wrong_texts[i].text), 100, &sets);
        assert_int_equal(status.code, wrong_texts[i].code);
        assert_string_equal(rt_sink_diagnostic(f->sink, status)->message.data,
                            wrong_texts[i].message);
        assert_int_equal(sets.count, 0);
    }
}

static void names_that_the_form_cannot_hold_are_refused(void **state)
{
    fixture *f = *state;
    static const rt_text names[] = {{"", 0}, {"a=b", 3}, {"[a", 2}, {"a\nb", 3}, {"a\0b", 3}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        rt_buffer out = {0};
        const rt_property property = {.name = names[i], .type = RT_PROPERTY_UINT32};
        const rt_property_set set = {{"s", 1}, &property, 1};
        rt_status status = rt_property_text_write(f->sink, &out, (rt_property_sets){&set, 1});
        assert_int_equal(status.code, RT_UNSUPPORTED);
        rt_buffer_free(&out);
    }
    rt_buffer out = {0};
    const rt_property_set set = {{"a=b", 3}, NULL, 0};
    assert_true(rt_ok(rt_property_text_write(f->sink, &out, (rt_property_sets){&set, 1})));
    assert_string_equal(rt_buffer_string(&out), "[a=b]\n");
    rt_buffer_free(&out);
}

/* Whichever bit is damaged, text that can still be read is written back unchanged, except for
 * leading zeros of numbers. */
static void damaged_texts_are_refused_or_mean_something(void **state)
{
    fixture *f = *state;
    char text[sizeof sample_text];
    for (size_t i = 0; i + 1 < sizeof text; i++) {
        for (int bit = 0; bit < 8; bit++) {
            memcpy(text, sample_text, sizeof text);
            text[i] = (char)(text[i] ^ (1 << bit));
            rt_property_sets sets;
            rt_status status = rt_property_text_read(f->sink, &f->arena,
                                                     (rt_text){text, sizeof text - 1}, 0, &sets);
            if (!rt_ok(status)) {
                assert_true(status.code == RT_MALFORMED || status.code == RT_UNSUPPORTED);
                continue;
            }
            rt_buffer out = {0};
            assert_true(rt_ok(rt_property_text_write(f->sink, &out, sets)));
            if (strstr(text, "|0294967295"))
                assert_int_equal(out.size, sizeof text - 2);
            else
                assert_int_equal(out.size, sizeof text - 1);
            if (out.size == sizeof text - 1) assert_memory_equal(out.data, text, out.size);
            rt_buffer_free(&out);
        }
        rt_arena_reset(&f->arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(sets_are_written_as_the_document_says, set_up, tear_down),
        cmocka_unit_test_setup_teardown(text_is_read_with_every_bit, set_up, tear_down),
        cmocka_unit_test_setup_teardown(target_of_a_real_image_is_decoded, set_up, tear_down),
        cmocka_unit_test_setup_teardown(wrong_texts_are_refused_with_their_place, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(names_that_the_form_cannot_hold_are_refused, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(damaged_texts_are_refused_or_mean_something, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
