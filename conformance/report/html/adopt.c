/* Takes the data of scenarios from a page that an earlier run wrote, for the page of a merged run.
 */
#include "conformance/report/html/html_internal.h"

#include "conformance/json/json.h"

#include <stdio.h>
#include <string.h>

/* Parses a data element of the page; NULL if there is none. */
static json_t *data_find(rt_text page, const char *id)
{
    char head[96];
    static const char end_tag[] = "</script>";
    int length = snprintf(head, sizeof head, "<script type=\"application/json\" id=\"%s\">", id);
    CHECK(length > 0 && (size_t)length < sizeof head);
    const char *found = memmem(page.data, page.length, head, (size_t)length);
    if (!found) return NULL;
    const char *begin = found + length;
    size_t rest = page.length - (size_t)(begin - page.data);
    const char *end = memmem(begin, rest, end_tag, strlen(end_tag));
    return end ? json_loadb(begin, (size_t)(end - begin), JSON_REJECT_DUPLICATES, NULL) : NULL;
}

static rt_text text_of(const json_t *value)
{
    return (rt_text){json_string_value(value), json_string_length(value)};
}

/* ---- Events -------------------------------------------------------------------------------- */

/* An event is [line, number that equal events share]. Appends the events that the scenario lacks;
 * returns, for each of the page's events, its index in the scenario's. */
static json_int_t *events_join(html_scenario *scenario, rt_arena *arena, const json_t *events)
{
    const size_t count = json_array_size(events);
    json_int_t *places = rt_arena_alloc_array(arena, count + 1, sizeof *places);
    rt_map known = {0}, numbers = {0}; /* line -> index; number in the page -> number */
    uint32_t next = 0;
    const json_t *event;
    size_t i;
    json_array_foreach(scenario->events, i, event)
    {
        rt_map_set(&known, rt_arena_text(arena, text_of(json_array_get(event, 0))), (uint32_t)i);
        json_int_t number = json_integer_value(json_array_get(event, 1));
        if (number >= next) next = (uint32_t)number + 1;
    }
    for (int pass = 0; pass < 2; pass++) { /* known events first: they determine the numbers */
        json_array_foreach(events, i, event)
        {
            rt_text line = rt_arena_text(arena, text_of(json_array_get(event, 0)));
            uint64_t number = (uint64_t)json_integer_value(json_array_get(event, 1));
            uint32_t index = rt_map_find(&known, line);
            if (index != RT_MAP_NONE) {
                places[i] = index;
                const json_t *ours = json_array_get(scenario->events, index);
                rt_map_set_number(&numbers, number,
                                  (uint32_t)json_integer_value(json_array_get(ours, 1)));
            } else if (pass == 1) {
                if (rt_map_find_number(&numbers, number) == RT_MAP_NONE)
                    rt_map_set_number(&numbers, number, next++);
                places[i] = (json_int_t)json_array_size(scenario->events);
                rt_map_set(&known, line, (uint32_t)places[i]);
                cnf_json_append(scenario->events,
                                json_pack("[o, I]", cnf_json_text(line),
                                          (json_int_t)rt_map_find_number(&numbers, number)));
            }
        }
    }
    rt_map_free(&known);
    rt_map_free(&numbers);
    return places;
}

/* The trace with the indices of the scenario's events; NULL if one is out of range. */
static json_t *trace_move(const json_t *trace, const json_int_t *places, size_t count)
{
    json_t *moved = json_array();
    const json_t *index;
    size_t i;
    json_array_foreach(trace, i, index)
    {
        json_int_t at = json_integer_value(index);
        if (!json_is_integer(index) || at < 0 || (size_t)at >= count) {
            json_decref(moved);
            return NULL;
        }
        cnf_json_append(moved, json_integer(places[at]));
    }
    return moved;
}

/* ---- Scenarios ----------------------------------------------------------------------------- */

/* Adds a subject's details, whose trace has the page's indices. */
static bool subject_join(html_scenario *scenario, const char *name, json_t *detail,
                         const json_int_t *places, size_t count)
{
    const json_t *trace = json_object_get(detail, "trace");
    json_t *copy = cnf_json_checked(json_copy(detail));
    json_t *moved = trace ? trace_move(trace, places, count) : NULL;
    bool is_valid = json_is_object(detail) && (!trace || moved);
    if (is_valid && moved) cnf_json_set(copy, "trace", moved);
    if (is_valid)
        cnf_json_set(scenario->subjects, name, copy);
    else
        json_decref(copy);
    return is_valid;
}

/* True if the scenario has a drawing of that subject. */
static bool has_drawing(const html_scenario *scenario, const json_t *drawing)
{
    const json_t *ours;
    size_t i;
    json_array_foreach(scenario->adopted, i, ours)
    {
        if (json_equal(json_object_get(ours, "of"), json_object_get(drawing, "of"))) return true;
    }
    return false;
}

/* Adds the data of one scenario; entry is its row in the page's index. */
static bool scenario_join(cnf_html *html, const json_t *entry, const json_t *data)
{
    rt_arena arena = {0};
    html_scenario *scenario = html_scenario_of(html, text_of(json_object_get(entry, "path")));
    const json_t *events = json_object_get(data, "events");
    const json_t *oracle = json_object_get(data, "oracle");
    const json_t *drawings = json_object_get(data, "drawings");
    if (scenario->source.length == 0)
        scenario->source = rt_arena_text(&html->arena, text_of(json_object_get(data, "source")));
    if (scenario->summary.length == 0) {
        scenario->summary = rt_arena_text(&html->arena, text_of(json_object_get(entry, "summary")));
        json_t *covers = json_object_get(entry, "covers");
        if (json_is_array(covers)) json_array_extend(scenario->covers, covers);
    }
    const size_t count = json_array_size(events);
    const json_int_t *places = events_join(scenario, &arena, events);
    bool is_valid = true;
    if (!scenario->oracle && oracle) {
        scenario->oracle = trace_move(oracle, places, count);
        is_valid = scenario->oracle != NULL;
    }
    const char *name;
    json_t *value;
    json_object_foreach(json_object_get(data, "subjects"), name, value) is_valid =
        subject_join(scenario, name, value, places, count) && is_valid;
    if (!scenario->adopted) scenario->adopted = json_array();
    size_t i;
    json_array_foreach(drawings, i, value)
    {
        if (!has_drawing(scenario, value)) json_array_append(scenario->adopted, value);
    }
    rt_arena_reset(&arena);
    return is_valid;
}

rt_status cnf_html_adopt(rt_sink *sink, cnf_html *html, rt_text page)
{
    json_t *index = data_find(page, "index");
    const json_t *entries = json_object_get(index, "scenarios"), *entry;
    bool is_valid = json_is_array(entries);
    size_t i;
    json_array_foreach(entries, i, entry)
    {
        char id[32];
        snprintf(id, sizeof id, "scenario-%zu", i);
        json_t *data = data_find(page, id);
        is_valid = is_valid && json_is_object(data) &&
                   json_string_length(json_object_get(entry, "path")) > 0 &&
                   scenario_join(html, entry, data);
        json_decref(data);
    }
    json_decref(index);
    if (is_valid) return RT_STATUS_OK;
    return rt_fail(sink, RT_MALFORMED, RT_RULE_NONE,
                   "not a page that run --html of this version wrote, or a damaged one");
}
