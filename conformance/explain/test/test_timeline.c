/* Unit tests of timelines: commands, waits, fusions, and damaged traces. */
#include "conformance/explain/timeline.h"

#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static json_t *timeline_of(const char *trace)
{
    rt_buffer out = {0};
    cnf_timeline_json(&out, rt_text_of(trace));
    json_t *root = json_loadb(out.data, out.size, 0, NULL);
    rt_buffer_free(&out);
    assert_non_null(root);
    return root;
}

static const char *text_at(const json_t *list, size_t index, const char *key)
{
    return json_string_value(json_object_get(json_array_get(list, index), key));
}

static json_int_t number_at(const json_t *list, size_t index, const char *key)
{
    return json_integer_value(json_object_get(json_array_get(list, index), key));
}

static void commands_are_on_their_queue_with_arrows(void **state)
{
    (void)state;
    json_t *root = timeline_of(
        "{\"type\": \"trace\", \"events\": ["
        "{\"event\": \"upload\", \"command\": \"0\", \"memory\": \"m\", \"device\": \"0\", \"after\": []},"
        "{\"event\": \"launch\", \"command\": \"1\", \"kernel\": \"k\", \"queue\": \"2\", \"after\": [\"0\"]}]}");
    const json_t *list = json_object_get(root, "traceEvents");
    assert_int_equal(json_array_size(list), 6);
    assert_string_equal(text_at(list, 0, "name"), "upload m");
    assert_int_equal(number_at(list, 0, "tid"), 0);
    assert_string_equal(text_at(list, 1, "name"), "launch k");
    assert_string_equal(text_at(list, 1, "ph"), "X");
    assert_int_equal(number_at(list, 1, "tid"), 3);
    assert_int_equal(number_at(list, 1, "ts"), 1);
    assert_string_equal(text_at(list, 2, "ph"), "s");
    assert_int_equal(number_at(list, 2, "ts"), 0);
    assert_string_equal(text_at(list, 3, "ph"), "f");
    assert_int_equal(number_at(list, 3, "ts"), 1);
    static const char *const names[] = {"runtime", "queue 2"};
    static const json_int_t threads[] = {0, 3};
    for (size_t i = 0; i < 2; i++) {
        const json_t *arguments = json_object_get(json_array_get(list, 4 + i), "args");
        assert_string_equal(text_at(list, 4 + i, "ph"), "M");
        assert_string_equal(text_at(list, 4 + i, "name"), "thread_name");
        assert_int_equal(number_at(list, 4 + i, "tid"), threads[i]);
        assert_string_equal(json_string_value(json_object_get(arguments, "name")), names[i]);
    }
    json_decref(root);
}

static void a_fusion_is_a_span(void **state)
{
    (void)state;
    json_t *root = timeline_of(
        "{\"events\": ["
        "{\"event\": \"fusion_status\", \"queue\": \"0\", \"fusion\": \"5\", \"status\": \"ACTIVE\"},"
        "{\"event\": \"fusion_status\", \"queue\": \"0\", \"fusion\": \"5\", \"status\": \"COMPLETED\"},"
        "{\"event\": \"fusion_status\", \"queue\": \"0\", \"fusion\": \"5\", \"status\": \"DELETE\"}]}");
    const json_t *list = json_object_get(root, "traceEvents");
    assert_int_equal(json_array_size(list), 6);
    assert_string_equal(text_at(list, 1, "ph"), "b");
    assert_string_equal(text_at(list, 1, "id"), "5");
    assert_string_equal(text_at(list, 3, "ph"), "e");
    assert_int_equal(number_at(list, 3, "ts"), 1);
    json_decref(root);
}

static void a_restart_forgets_the_commands_before_it(void **state)
{
    (void)state;
    json_t *root = timeline_of("{\"events\": ["
                               "{\"event\": \"upload\", \"command\": \"0\", \"after\": []},"
                               "{\"event\": \"restart\", \"process\": \"1\"},"
                               "{\"event\": \"upload\", \"command\": \"1\", \"after\": [\"0\"]}]}");
    assert_int_equal(json_array_size(json_object_get(root, "traceEvents")), 4);
    json_decref(root);
}

static void damaged_events_are_left_out(void **state)
{
    (void)state;
    static const char *const damaged[] = {
        "", "[]", "{\"events\": 3}", "{\"events\": [{\"event\": \"nothing\"}, 7]}",
        "{\"events\": [{\"event\": \"launch\", \"command\": \"99999999999999999999\"}]}"};
    for (size_t i = 0; i < sizeof damaged / sizeof *damaged; i++) {
        json_t *root = timeline_of(damaged[i]);
        assert_true(json_is_array(json_object_get(root, "traceEvents")));
        json_decref(root);
    }
}

/* ---- As a picture -------------------------------------------------------------------------- */

/* The picture of a trace; the caller frees it. */
static rt_buffer picture_of(const char *trace)
{
    rt_buffer out = {0};
    cnf_timeline_svg(&out, rt_text_of(trace), RT_TEXT("a <b> & \"c\""));
    return out;
}

static uint32_t count_of(const rt_buffer *picture, const char *text)
{
    uint32_t count = 0;
    for (const char *at = rt_buffer_string(picture); (at = strstr(at, text)); at++)
        count++;
    return count;
}

/* The upload is in the runtime's lane and the launch in the second lane, so its x is 44 + 236 + 26.
 * The rows' centres are 24 apart, starting at 46. An arrow to a lane further left ends at the right
 * side of its box. */
static void a_picture_has_lanes_boxes_and_arrows(void **state)
{
    (void)state;
    rt_buffer picture = picture_of(
        "{\"events\": ["
        "{\"event\": \"upload\", \"command\": \"0\", \"memory\": \"m\", \"device\": \"0\", \"after\": []},"
        "{\"event\": \"launch\", \"command\": \"1\", \"kernel\": \"k\", \"queue\": \"2\", \"after\": [\"0\"]},"
        "{\"event\": \"host_read\", \"command\": \"2\", \"memory\": \"m\", \"after\": [\"1\"]}]}");
    assert_int_equal(count_of(&picture, "<path class=\"l\""), 2);
    assert_int_equal(count_of(&picture, ">runtime</text>"), 1);
    assert_int_equal(count_of(&picture, ">queue 2</text>"), 1);
    assert_int_equal(count_of(&picture, "<rect class=\"b\" x=\"70\""), 2);
    assert_int_equal(count_of(&picture, "<rect class=\"b\" x=\"306\""), 1);
    assert_int_equal(count_of(&picture, "<path class=\"a\""), 2);
    assert_int_equal(count_of(&picture, "<path class=\"h\" d=\"M306 70l-7 -4v8z\"/>"), 1);
    assert_int_equal(count_of(&picture, "<path class=\"h\" d=\"M266 94l7 -4v8z\"/>"), 1);
    assert_int_equal(
        count_of(&picture, "aria-label=\"Timeline of a &#60;b&#62; &#38; &#34;c&#34;\""), 1);
    assert_true(rt_text_starts(rt_buffer_text(&picture), "<svg "));
    rt_buffer_free(&picture);
}

/* The bar extends from the centre of row 0 to the centre of row 1: 24 pixels. */
static void a_fusion_is_a_bar(void **state)
{
    (void)state;
    rt_buffer picture = picture_of(
        "{\"events\": ["
        "{\"event\": \"fusion_status\", \"queue\": \"0\", \"fusion\": \"5\", \"status\": \"ACTIVE\"},"
        "{\"event\": \"fusion_status\", \"queue\": \"0\", \"fusion\": \"5\", \"status\": \"COMPLETED\"},"
        "{\"event\": \"fusion_status\", \"queue\": \"0\", \"fusion\": \"5\", \"status\": \"DELETE\"}]}");
    assert_int_equal(count_of(&picture, "<rect class=\"s\""), 1);
    assert_int_equal(count_of(&picture, "width=\"6\" height=\"24\""), 1);
    rt_buffer_free(&picture);
}

/* Bytes 29 and 30 are one character. The limit falls between them, so the character is omitted. */
static void a_long_title_is_cut_between_characters(void **state)
{
    (void)state;
    rt_buffer picture = picture_of(
        "{\"events\": [{\"event\": \"select\", \"kernel\": \"012345678901234567890\u00e9\u00e9\u00e9<\"}]}");
    assert_int_equal(count_of(&picture, ">select 012345678901234567890&#8230;</text>"), 1);
    assert_int_equal(
        count_of(&picture, "<title>select 012345678901234567890&#233;&#233;&#233;&#60;</title>"),
        1);
    rt_buffer_free(&picture);
}

static void a_restart_clears_a_picture(void **state)
{
    (void)state;
    rt_buffer picture =
        picture_of("{\"events\": ["
                   "{\"event\": \"upload\", \"command\": \"0\", \"after\": []},"
                   "{\"event\": \"restart\", \"process\": \"1\"},"
                   "{\"event\": \"upload\", \"command\": \"1\", \"after\": [\"0\", \"9\"]}]}");
    assert_int_equal(count_of(&picture, "<path class=\"a\""), 0);
    rt_buffer_free(&picture);
    picture = picture_of("no trace at all");
    assert_int_equal(count_of(&picture, "<text"), 1); /* the runtime's lane */
    assert_int_equal(count_of(&picture, "</svg>"), 1);
    rt_buffer_free(&picture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commands_are_on_their_queue_with_arrows),
        cmocka_unit_test(a_fusion_is_a_span),
        cmocka_unit_test(a_restart_forgets_the_commands_before_it),
        cmocka_unit_test(damaged_events_are_left_out),
        cmocka_unit_test(a_picture_has_lanes_boxes_and_arrows),
        cmocka_unit_test(a_fusion_is_a_bar),
        cmocka_unit_test(a_long_title_is_cut_between_characters),
        cmocka_unit_test(a_restart_clears_a_picture),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
