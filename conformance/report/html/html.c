/* Collects the data of the page and writes it between the page's head and its script. */
#include "conformance/report/html/html_internal.h"

#include "conformance/json/json.h"
#include "conformance/scenario/model/scenario.h"
#include "conformance/scenario/pack/pack.h"
#include "conformance/verdict/baseline.h"
#include "reference/base/lines.h"

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
        json_decref(scenario->adopted);
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
    for (uint32_t i = 0; i < model->cover_count; i++)
        cnf_json_append(scenario->covers, json_pack("[s, o]", rt_rule_name(model->covers[i].rule),
                                                    cnf_json_text(model->covers[i].at)));
}

bool html_is_wrong(const cnf_record *record)
{
    cnf_verdict verdict = record->judgement.verdict;
    return cnf_verdict_effect(verdict) != CNF_EFFECT_EXPECTED || verdict == CNF_VERDICT_XFAIL ||
           verdict == CNF_VERDICT_FLAKE;
}

void cnf_html_note(cnf_html *html, const cnf_record *record, const cnf_run_detail *detail)
{
    html_scenario *scenario = html_scenario_of(html, record->scenario);
    html_scenario_describe(html, scenario, detail->source, detail->scenario);
    html_drawing_note(html, scenario, record, detail);
    rt_text name = rt_arena_text(&html->arena, record->subject);
    cnf_json_set(scenario->subjects, name.data, html_detail_json(html, scenario, record, detail));
}

/* For a record of an earlier run, or of a scenario that never started: reads the file again, unless
 * its content has changed since the record was written. */
static void scenario_recall(cnf_html *html, const cnf_record *record, const cnf_files *files)
{
    html_scenario *scenario = html_scenario_of(html, record->scenario);
    if (scenario->source.length > 0) return;
    uint32_t index = 0;
    while (index < files->count && !rt_text_equal(files->items[index].path, record->scenario))
        index++;
    if (index == files->count) return;
    const cnf_file *file = &files->items[index];
    rt_arena arena = {0};
    rt_sink *sink = rt_sink_create();
    rt_buffer text = {0};
    rt_status status = cnf_file_text(sink, file, &text);
    if (rt_ok(status) &&
        rt_text_equal(cnf_file_hash(&arena, rt_buffer_text(&text)), record->hash)) {
        /* There is no model if the text has mistakes, which its record reports. */
        const scn_scenario *model = NULL;
        scn_problems problems;
        if (!file->packed)
            model = scn_read(&arena, rt_buffer_text(&text), file->file, file->path, &problems);
        else if (!rt_ok(scn_pack_read(sink, &arena, file->packed->model, &model)))
            model = NULL;
        html_scenario_describe(html, scenario, rt_buffer_text(&text), model);
    }
    rt_buffer_free(&text);
    rt_sink_destroy(sink);
    rt_arena_reset(&arena);
}

/* ---- The index ----------------------------------------------------------------------------- */

/* Returns the line without its newline as JSON and frees the buffer. */
static json_t *line_json(rt_buffer *line)
{
    json_t *text = cnf_json_text(rt_lines_trim(rt_buffer_text(line)));
    rt_buffer_free(line);
    return text;
}

static json_t *record_json(const cnf_html_run *run, const cnf_record *record)
{
    static const char *const effects[] = {"expected", "unexpected", "usage", "infrastructure"};
    json_t *out = cnf_record_json(record);
    rt_buffer rerun = {0}, why = {0};
    cnf_report_rerun_write(&rerun, run->report, record);
    cnf_json_set(out, "again", line_json(&rerun));
    if (cnf_record_has_subject(record)) {
        cnf_report_why_write(&why, run->report, record);
        cnf_json_set(out, "why", line_json(&why));
    }
    rt_buffer entries = {0};
    const rt_text began = run->report->began;
    const rt_text since = {began.data, began.length >= 10 ? sizeof "2026-01-31" - 1 : 0};
    if (record->again.length == 0 && cnf_baseline_write(&entries, 2, record, since) > 0)
        cnf_json_set(out, "entries", cnf_json_text(rt_buffer_text(&entries)));
    rt_buffer_free(&entries);
    cnf_effect effect = cnf_verdict_effect(record->judgement.verdict);
    CHECK((size_t)effect < sizeof effects / sizeof *effects);
    cnf_json_set(out, "effect", json_string(effects[effect]));
    return out;
}

static void rule_add(json_t *out, const cnf_rules *rules, rt_text id)
{
    uint32_t index = cnf_rules_find(rules, id);
    if (index == UINT32_MAX) return;
    const cnf_rule *rule = &rules->items[index];
    rt_buffer source = {0};
    cnf_rule_source_print(&source, rule);
    json_t *value =
        json_pack("{s:o, s:o, s:o, s:o, s:o}", "source", line_json(&source), "statement",
                  cnf_json_text(rule->statement), "outcome", cnf_json_text(rule->outcome),
                  "reading", cnf_json_text(rule->reading), "dpcpp", cnf_json_text(rule->dpcpp));
    json_object_setn_new(out, rule->id.data, rule->id.length, cnf_json_checked(value));
}

static json_t *index_json(const cnf_html *html, const cnf_html_run *run, rt_text no_graphs)
{
    json_t *columns = json_array(), *records = json_array(), *scenarios = json_array();
    json_t *rules = json_object(), *cover;
    for (uint32_t i = 0; i < run->column_count; i++)
        cnf_json_append(columns,
                        json_pack("{s:o, s:o}", "name", cnf_json_text(run->columns[i].subject),
                                  "install", cnf_json_text(run->columns[i].install)));
    for (uint32_t i = 0; i < run->report->records.count; i++) {
        const cnf_record *record = &run->report->records.items[i];
        cnf_json_append(records, record_json(run, record));
        rt_text rule = record->judgement.rule;
        if (run->rules && rule.length > 0) rule_add(rules, run->rules, rule);
    }
    for (uint32_t i = 0; i < html->scenarios.count; i++) {
        const html_scenario *scenario = &html->scenarios.items[i];
        size_t k;
        json_array_foreach(scenario->covers, k, cover)
        {
            const char *rule = json_string_value(json_array_get(cover, 0));
            if (run->rules) rule_add(rules, run->rules, rt_text_of(rule));
        }
        cnf_json_append(scenarios,
                        json_pack("{s:o, s:o, s:O}", "path", cnf_json_text(scenario->path),
                                  "summary", cnf_json_text(scenario->summary), "covers",
                                  scenario->covers));
    }
    rt_buffer unused = {0};
    if (run->report->expectations) {
        cnf_expectations_unused_write(&unused, run->report->expectations);
        cnf_expectations_others_write(&unused, run->report->expectations, false);
    }
    rt_buffer answer = {0};
    cnf_report_answer_write(&answer, run->report, run->seconds);
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "answer",
                     line_json(&answer), "began", cnf_json_text(run->report->began), "command",
                     cnf_json_text(run->command), "version", cnf_json_text(run->version),
                     "conditions", cnf_json_text(run->conditions), "subjects", columns, "oracle",
                     cnf_json_text(html->oracle), "records", records, "scenarios", scenarios,
                     "rules", rules, "no_graphs", cnf_json_text(no_graphs), "entries",
                     line_json(&unused));
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
    json_t *out = cnf_json_checked(json_pack("{s:o, s:O, s:O, s:o}", "source",
                                             cnf_json_text(scenario->source), "events",
                                             scenario->events, "subjects", scenario->subjects,
                                             "drawings", html_drawings_json(scenario)));
    if (scenario->oracle) json_object_set(out, "oracle", scenario->oracle);
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
    if (html->scenarios.count > 0) /* in the matrix's order, not in the order of completion */
        qsort(html->scenarios.items, html->scenarios.count, sizeof *html->scenarios.items,
              scenario_compare);
    rt_map_free(&html->paths); /* the indices in it refer to the order before sorting */
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
