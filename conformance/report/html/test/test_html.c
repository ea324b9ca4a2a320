/* Unit tests of the page's data: it can be read back, no text ends its element early, and a missing
 * Graphviz is reported. */
#include "conformance/report/html/test/sample.h"

#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* The JSON object in a data element. */
static json_t *data_of(const rt_buffer *page, const char *id)
{
    char opening[80];
    snprintf(opening, sizeof opening, "<script type=\"application/json\" id=\"%s\">", id);
    const char *begin = strstr(rt_buffer_string(page), opening);
    assert_non_null(begin);
    begin += strlen(opening);
    const char *end = strstr(begin, "</script>");
    assert_non_null(end);
    json_t *value = json_loadb(begin, (size_t)(end - begin), 0, NULL);
    assert_non_null(value);
    return value;
}

static const char *text_of(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

static const json_t *record_of(const json_t *index, const char *path, const char *subject)
{
    const json_t *record;
    size_t i;
    json_array_foreach(json_object_get(index, "records"), i, record)
    {
        if (strcmp(text_of(record, "scenario"), path) == 0 &&
            strcmp(text_of(record, "subject"), subject) == 0)
            return record;
    }
    fail_msg("no record of %s on %s", path, subject);
    return NULL;
}

static void records_are_those_of_json_with_commands(void **state)
{
    (void)state;
    rt_buffer page = {0};
    sample_page(&page, 0);
    json_t *index = data_of(&page, "index");
    assert_int_equal(json_array_size(json_object_get(index, "records")), 6);
    const json_t *fails = record_of(index, "linking/a.yaml", "pocl");
    assert_string_equal(text_of(fails, "verdict"), "FAIL");
    assert_string_equal(text_of(fails, "effect"), "unexpected");
    assert_string_equal(text_of(fails, "again"), "assay run linking/a.yaml --on pocl");
    assert_string_equal(text_of(fails, "why"), "assay why linking/a.yaml pocl");
    assert_non_null(strstr(text_of(fails, "message"), "</script><b>bold</b>"));
    assert_non_null(strstr(text_of(fails, "message"), "not UTF-8: \xEF\xBF\xBD"));
    const json_t *invalid = record_of(index, "linking/wrong.yaml", "-");
    assert_string_equal(text_of(invalid, "again"), "assay check linking/wrong.yaml");
    assert_null(json_object_get(invalid, "why"));
    json_decref(index);
    rt_buffer_free(&page);
}

/* Sorted: fusion/b, linking/a, linking/wrong. */
static void scenarios_have_their_rules_and_are_in_order(void **state)
{
    (void)state;
    rt_buffer page = {0};
    sample_page(&page, 0);
    json_t *index = data_of(&page, "index");
    const json_t *scenarios = json_object_get(index, "scenarios");
    assert_string_equal(text_of(json_array_get(scenarios, 0), "path"), "fusion/b.yaml");
    const json_t *scenario = json_array_get(scenarios, 1);
    assert_string_equal(text_of(scenario, "path"), "linking/a.yaml");
    const json_t *covers = json_object_get(scenario, "covers");
    assert_int_equal(json_array_size(covers), 2);
    assert_string_equal(json_string_value(json_array_get(json_array_get(covers, 1), 0)),
                        "DL-LINK-02");
    assert_string_equal(json_string_value(json_array_get(json_array_get(covers, 1), 1)), "look");
    const json_t *rule = json_object_get(json_object_get(index, "rules"), "DL-LINK-01");
    assert_string_equal(text_of(rule, "reading"), "Read so.");
    json_decref(index);
    rt_buffer_free(&page);
}

/* After two common events, one trace has one event and the other has two; a link made by a
 * different tool counts as the same event. */
static void traces_part_and_share_their_events(void **state)
{
    (void)state;
    rt_buffer page = {0};
    sample_page(&page, 0);
    json_t *scenario = data_of(&page, "scenario-1");
    const json_t *events = json_object_get(scenario, "events");
    /* load, upload, select, two of create, two of link, launch */
    assert_int_equal(json_array_size(events), 8);
    const json_t *detail = json_object_get(json_object_get(scenario, "subjects"), "pocl");
    assert_int_equal(json_integer_value(json_object_get(detail, "part")), 2);
    const json_t *trace = json_object_get(detail, "trace"),
                 *oracle = json_object_get(scenario, "oracle");
    assert_int_equal(json_array_size(trace), 6);
    assert_int_equal(json_array_size(oracle), 5);
    json_int_t pocl_link = json_integer_value(json_array_get(trace, 4)),
               sim_link = json_integer_value(json_array_get(oracle, 3));
    assert_int_not_equal(pocl_link, sim_link);
    assert_int_equal(
        json_integer_value(json_array_get(json_array_get(events, (size_t)pocl_link), 1)),
        json_integer_value(json_array_get(json_array_get(events, (size_t)sim_link), 1)));
    const json_t *check = json_array_get(json_object_get(detail, "checks"), 0);
    assert_string_equal(json_string_value(json_array_get(check, 0)), "FAILS");
    assert_int_equal(json_integer_value(json_array_get(check, 1)), 15);
    assert_string_equal(json_string_value(json_array_get(check, 2)), "memory data");
    assert_non_null(
        json_object_get(detail, "log_note")); /* the page says that no layer wrote a log */
    json_decref(scenario);
    rt_buffer_free(&page);
}

/* The page has the data elements and one script: no inserted text opens or closes an element. */
static void no_text_ends_its_element(void **state)
{
    (void)state;
    rt_buffer page = {0};
    sample_page(&page, 0);
    uint32_t opened = 0, closed = 0;
    for (const char *at = page.data; (at = strstr(at, "<script")); at++)
        opened++;
    for (const char *at = page.data; (at = strstr(at, "</script")); at++)
        closed++;
    assert_int_equal(opened, 5); /* the index, three scenarios and the page's own script */
    assert_int_equal(closed, 5);
    assert_null(strstr(page.data, "<b>bold"));
    assert_null(strstr(page.data, "<img"));
    assert_non_null(strstr(page.data, "script-src 'sha256-"));
    rt_buffer_free(&page);
}

/* The scenario's drawing shows the oracle's run; the failed run has its own drawing. */
static void the_oracle_and_failures_have_pictures(void **state)
{
    (void)state;
    rt_buffer page = {0};
    sample_page(&page, 0);
    json_t *scenario = data_of(&page, "scenario-1");
    const json_t *drawings = json_object_get(scenario, "drawings");
    assert_int_equal(json_array_size(drawings), 2);
    assert_string_equal(text_of(json_array_get(drawings, 0), "of"), "sim");
    assert_string_equal(text_of(json_array_get(drawings, 1), "of"), "pocl");
    assert_true(
        rt_text_starts(rt_text_of(text_of(json_array_get(drawings, 0), "timeline")), "<svg "));
    assert_non_null(strstr(text_of(json_array_get(drawings, 0), "words"), "app"));
    json_decref(scenario);
    rt_buffer_free(&page);
}

static void a_missing_dot_is_reported_once(void **state)
{
    (void)state;
    const char *path = getenv("PATH");
    char *old_path = strdup(path ? path : "");
    assert_int_equal(setenv("PATH", "/nonexistent", 1), 0);
    rt_buffer page = {0};
    sample_page(&page, 0);
    assert_int_equal(setenv("PATH", old_path, 1), 0);
    free(old_path);
    json_t *index = data_of(&page, "index"), *scenario = data_of(&page, "scenario-1");
    assert_non_null(strstr(text_of(index, "no_graphs"), "apt-get install graphviz"));
    const json_t *drawing = json_array_get(json_object_get(scenario, "drawings"), 0);
    assert_null(json_object_get(drawing, "graph"));
    assert_non_null(json_object_get(drawing, "timeline"));
    json_decref(scenario);
    json_decref(index);
    rt_buffer_free(&page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_are_those_of_json_with_commands),
        cmocka_unit_test(scenarios_have_their_rules_and_are_in_order),
        cmocka_unit_test(traces_part_and_share_their_events),
        cmocka_unit_test(no_text_ends_its_element),
        cmocka_unit_test(the_oracle_and_failures_have_pictures),
        cmocka_unit_test(a_missing_dot_is_reported_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
