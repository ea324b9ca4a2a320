/* Collects the data of the page and writes it between the page's head and its script. */
#include "conformance/report/html/html_internal.h"

#include "conformance/json/json.h"
#include "conformance/scenario/model/scenario.h"
#include "conformance/scenario/pack/pack.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char page_head[] = {
#include "page_head.inc"
};
static const char page_tail[] = {
#include "page_tail.inc"
};

/* ---- Gathering ----------------------------------------------------------------------------- */

cnf_html *cnf_html_create(rt_text oracle)
{
    cnf_html *html = rt_alloc(sizeof *html);
    html->oracle = oracle;
    return html;
}

void cnf_html_free(cnf_html *html)
{
    if (!html) return;
    for (uint32_t i = 0; i < html->scenarios.count; i++) {
        html_scenario *scenario = &html->scenarios.items[i];
        json_decref(scenario->covers);
        json_decref(scenario->events);
        json_decref(scenario->oracle);
        json_decref(scenario->subjects);
        rt_map_free(&scenario->lines);
        rt_map_free(&scenario->keys);
        rt_vector_free(&scenario->deviating);
    }
    rt_vector_free(&html->scenarios);
    rt_map_free(&html->paths);
    rt_arena_reset(&html->arena);
    rt_free(html);
}

html_scenario *html_scenario_of(cnf_html *html, rt_text path)
{
    uint32_t index = rt_map_find(&html->paths, path);
    CHECK(index == RT_MAP_NONE || index < html->scenarios.count);
    if (index != RT_MAP_NONE) return &html->scenarios.items[index];
    html_scenario *scenario = rt_vector_push(&html->scenarios);
    *scenario = (html_scenario){.path = rt_arena_text(&html->arena, path),
                                .covers = json_array(),
                                .events = json_array(),
                                .subjects = json_object()};
    rt_map_set(&html->paths, scenario->path, html->scenarios.count - 1);
    return scenario;
}

void html_scenario_describe(cnf_html *html, html_scenario *scenario, rt_text source,
                            const scn_scenario *model)
{
    if (scenario->source.length == 0) scenario->source = rt_arena_text(&html->arena, source);
    if (!model || scenario->summary.length > 0) return;
    scenario->summary = rt_arena_text(&html->arena, model->summary);
    for (uint32_t i = 0; i < model->cover_count; i++) {
        json_t *cover = json_array();
        cnf_json_append(cover, json_string(rt_rule_name(model->covers[i].rule)));
        cnf_json_append(cover, cnf_json_text(model->covers[i].at));
        cnf_json_append(scenario->covers, cover);
    }
}

bool html_is_wrong(const cnf_record *record)
{
    cnf_verdict verdict = record->judgement.verdict;
    return cnf_verdict_effect(verdict) != CNF_EFFECT_EXPECTED || verdict == CNF_VERDICT_XFAIL;
}

void cnf_html_note(cnf_html *html, const cnf_record *record, const cnf_run_detail *detail)
{
    html_scenario *scenario = html_scenario_of(html, record->scenario);
    html_scenario_describe(html, scenario, detail->source, detail->scenario);
    html_drawing_note(html, scenario, record, detail);
    rt_text name = rt_arena_text(&html->arena, record->subject);
    cnf_json_set(scenario->subjects, name.data, html_detail_json(html, scenario, record, detail));
}

/* ---- Scenarios that nothing was noted of ---------------------------------------------------- */

static const cnf_file *file_of(const cnf_files *files, rt_text path)
{
    for (uint32_t i = 0; i < files->count; i++)
        if (rt_text_equal(files->items[i].path, path)) return &files->items[i];
    return NULL;
}

/* The model of a scenario's text; NULL if the text has mistakes, which its record reports. */
static const scn_scenario *model_read(rt_sink *sink, rt_arena *arena, const cnf_file *file,
                                      rt_text text)
{
    const scn_scenario *model = NULL;
    if (file->packed) {
        rt_status status = scn_pack_read(sink, arena, file->packed->model, &model);
        return rt_ok(status) ? model : NULL;
    }
    scn_problems problems;
    return scn_read(arena, text, file->file, file->path, &problems);
}

/* For a record of an earlier run, or of a scenario that never started: reads the file again, unless
 * its content has changed since the record was written. */
static void scenario_recall(cnf_html *html, const cnf_record *record, const cnf_files *files)
{
    html_scenario *scenario = html_scenario_of(html, record->scenario);
    if (scenario->source.length > 0) return;
    const cnf_file *file = file_of(files, record->scenario);
    if (!file) return;
    rt_arena arena = {0};
    rt_sink *sink = rt_sink_create();
    rt_buffer text = {0};
    rt_status status = cnf_file_text(sink, file, &text);
    bool same =
        rt_ok(status) && rt_text_equal(cnf_file_hash(&arena, rt_buffer_text(&text)), record->hash);
    if (same)
        html_scenario_describe(html, scenario, rt_buffer_text(&text),
                               model_read(sink, &arena, file, rt_buffer_text(&text)));
    rt_buffer_free(&text);
    rt_sink_destroy(sink);
    rt_arena_reset(&arena);
}

/* ---- The index ----------------------------------------------------------------------------- */

/* Returns the line without its newline as JSON and frees the buffer. */
static json_t *line_json(rt_buffer *line)
{
    while (line->size > 0 && line->data[line->size - 1] == '\n')
        line->size--;
    json_t *text = cnf_json_text(rt_buffer_text(line));
    rt_buffer_free(line);
    return text;
}

static json_t *record_json(const cnf_html_run *run, const cnf_record *record)
{
    static const char *const effects[] = {"expected", "unexpected", "usage", "infrastructure"};
    json_t *out = cnf_record_json(record);
    rt_buffer again = {0}, why = {0};
    cnf_report_again_write(&again, run->report, record);
    cnf_json_set(out, "again", line_json(&again));
    if (cnf_record_has_subject(record)) {
        cnf_report_why_write(&why, run->report, record);
        cnf_json_set(out, "why", line_json(&why));
    }
    cnf_effect effect = cnf_verdict_effect(record->judgement.verdict);
    cnf_json_set(out, "effect", json_string(effects[effect]));
    return out;
}

static json_t *records_json(const cnf_html_run *run)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < run->report->records.count; i++)
        cnf_json_append(list, record_json(run, &run->report->records.items[i]));
    return list;
}

static json_t *scenarios_json(const cnf_html *html)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < html->scenarios.count; i++) {
        const html_scenario *scenario = &html->scenarios.items[i];
        json_t *row = json_object();
        cnf_json_set(row, "path", cnf_json_text(scenario->path));
        cnf_json_set(row, "summary", cnf_json_text(scenario->summary));
        json_object_set(row, "covers", scenario->covers);
        cnf_json_append(list, row);
    }
    return list;
}

static json_t *columns_json(const cnf_html_run *run)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < run->column_count; i++) {
        json_t *row = json_object();
        cnf_json_set(row, "name", cnf_json_text(run->columns[i].subject));
        cnf_json_set(row, "install", cnf_json_text(run->columns[i].install));
        cnf_json_append(list, row);
    }
    return list;
}

static json_t *rule_json(const cnf_rule *rule)
{
    json_t *out = json_object();
    rt_buffer source = {0};
    cnf_rule_source_print(&source, rule);
    cnf_json_set(out, "source", line_json(&source));
    cnf_json_set(out, "statement", cnf_json_text(rule->statement));
    cnf_json_set(out, "outcome", cnf_json_text(rule->outcome));
    cnf_json_set(out, "reading", cnf_json_text(rule->reading));
    cnf_json_set(out, "dpcpp", cnf_json_text(rule->dpcpp));
    return out;
}

static void rule_add(json_t *out, const cnf_rules *rules, rt_text id)
{
    uint32_t index = cnf_rules_find(rules, id);
    if (index == UINT32_MAX) return;
    const cnf_rule *rule = &rules->items[index];
    json_object_setn_new(out, rule->id.data, rule->id.length, rule_json(rule));
}

/* The rules that scenarios or records name. */
static json_t *rules_json(const cnf_html *html, const cnf_html_run *run)
{
    json_t *out = json_object(), *cover;
    size_t k;
    for (uint32_t i = 0; run->rules && i < html->scenarios.count; i++) {
        json_array_foreach(html->scenarios.items[i].covers, k, cover)
        {
            rule_add(out, run->rules, rt_text_of(json_string_value(json_array_get(cover, 0))));
        }
    }
    for (uint32_t i = 0; run->rules && i < run->report->records.count; i++) {
        rt_text id = run->report->records.items[i].judgement.rule;
        if (id.length > 0) rule_add(out, run->rules, id);
    }
    return out;
}

static json_t *index_json(const cnf_html *html, const cnf_html_run *run, rt_text no_graphs)
{
    json_t *index = json_object();
    rt_buffer unused = {0};
    if (run->report->expectations) cnf_expectations_write(&unused, run->report->expectations);
    cnf_json_set(index, "version", cnf_json_text(run->version));
    cnf_json_set(index, "conditions", cnf_json_text(run->conditions));
    cnf_json_set(index, "subjects", columns_json(run));
    cnf_json_set(index, "oracle", cnf_json_text(html->oracle));
    cnf_json_set(index, "records", records_json(run));
    cnf_json_set(index, "scenarios", scenarios_json(html));
    cnf_json_set(index, "rules", rules_json(html, run));
    cnf_json_set(index, "no_graphs", cnf_json_text(no_graphs));
    cnf_json_set(index, "entries", line_json(&unused));
    return index;
}

/* ---- The page ------------------------------------------------------------------------------ */

/* Appends a data element. Only a '<' could end it early, and JSON has '<' in strings only. */
static void write_data(rt_buffer *out, const char *id, json_t *value)
{
    rt_buffer text = {0};
    cnf_json_write(&text, value, JSON_COMPACT | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(6));
    rt_buffer_printf(out, "<script type=\"application/json\" id=\"%s\">", id);
    for (const char *at = rt_buffer_string(&text); *at;) {
        size_t length = strcspn(at, "<");
        rt_buffer_append(out, at, length);
        at += length;
        if (*at == '<') rt_buffer_append_text(out, RT_TEXT("\\u003c"));
        if (*at == '<') at++;
    }
    rt_buffer_append_text(out, RT_TEXT("</script>\n"));
    rt_buffer_free(&text);
}

static json_t *scenario_json(const html_scenario *scenario)
{
    json_t *out = json_object();
    cnf_json_set(out, "source", cnf_json_text(scenario->source));
    json_object_set(out, "events", scenario->events);
    if (scenario->oracle) json_object_set(out, "oracle", scenario->oracle);
    json_object_set(out, "subjects", scenario->subjects);
    cnf_json_set(out, "drawings", html_drawings_json(scenario));
    return out;
}

static int scenario_compare(const void *a, const void *b)
{
    return rt_text_compare(((const html_scenario *)a)->path, ((const html_scenario *)b)->path);
}

void cnf_html_write(cnf_html *html, const cnf_html_run *run, rt_buffer *out)
{
    CHECK(run->job_count > 0 && run->column_count > 0);
    cnf_report_sort(run->report);
    for (uint32_t i = 0; i < run->report->records.count; i++)
        scenario_recall(html, &run->report->records.items[i], run->files);
    if (html->scenarios.count > 0) /* in the matrix's order, not in that of completion */
        qsort(html->scenarios.items, html->scenarios.count, sizeof *html->scenarios.items,
              scenario_compare);
    rt_map_free(&html->paths); /* its indices refer to the order before sorting */
    rt_text no_graphs = html_drawings_draw(html, run->job_count);
    rt_buffer_append(out, page_head, sizeof page_head);
    write_data(out, "index", index_json(html, run, no_graphs));
    for (uint32_t i = 0; i < html->scenarios.count; i++) {
        char id[32];
        snprintf(id, sizeof id, "scenario-%u", i);
        write_data(out, id, scenario_json(&html->scenarios.items[i]));
    }
    rt_buffer_append(out, page_tail, sizeof page_tail);
}
