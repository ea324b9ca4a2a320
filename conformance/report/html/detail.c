/* The details that the page shows of one verdict in addition to its record: checks, trace, OpenCL
 * calls. */
#include "conformance/report/html/html_internal.h"

#include "backends/opencl/layer/log.h"
#include "conformance/json/json.h"
#include "conformance/report/why.h"
#include "conformance/verdict/parting.h"

static json_t *checks_json(const cnf_messages *messages)
{
    json_t *checks = json_array();
    for (uint32_t i = 0; i < messages->check_count; i++) {
        const cnf_check *check = &messages->checks[i];
        rt_buffer text = {0};
        cnf_check_print(&text, check);
        cnf_json_append(checks,
                        json_pack("[s, I, o]", cnf_check_word(check), (json_int_t)check->line,
                                  cnf_json_text(rt_buffer_text(&text))));
        rt_buffer_free(&text);
    }
    return checks;
}

/* ---- Traces -------------------------------------------------------------------------------- */

/* Finds the number of a text, or assigns `next` to it. */
static uint32_t number_of(cnf_html *html, rt_map *numbers, rt_text text, uint32_t next)
{
    uint32_t number = rt_map_find(numbers, text);
    if (number != RT_MAP_NONE) return number;
    rt_map_set(numbers, rt_arena_text(&html->arena, text), next);
    return next;
}

/* The events' indices in scenario->events, to which unknown events are added; NULL if the subject
 * sent no complete trace. */
static json_t *trace_json(cnf_html *html, html_scenario *scenario, const cnf_messages *messages)
{
    rt_arena arena = {0};
    uint32_t line_count;
    const cnf_trace_line *lines = cnf_trace_lines(&arena, messages, &line_count);
    json_t *trace = lines ? json_array() : NULL;
    for (uint32_t i = 0; lines && i < line_count; i++) {
        uint32_t count = (uint32_t)json_array_size(scenario->events);
        uint32_t index = number_of(html, &scenario->lines, lines[i].line, count);
        CHECK(index <= count);
        if (index == count) {
            uint32_t key = number_of(html, &scenario->keys, lines[i].key, scenario->keys.count);
            cnf_json_append(scenario->events,
                            json_pack("[o, I]", cnf_json_text(lines[i].line), (json_int_t)key));
        }
        cnf_json_append(trace, json_integer(index));
    }
    rt_arena_reset(&arena);
    return trace;
}

static void traces_note(cnf_html *html, html_scenario *scenario, const cnf_run_detail *detail,
                        json_t *out)
{
    json_t *trace = trace_json(html, scenario, detail->messages);
    if (!trace) return;
    cnf_json_set(out, "trace", trace);
    if (!detail->oracle || detail->oracle == detail->messages) return;
    if (!scenario->oracle) scenario->oracle = trace_json(html, scenario, detail->oracle);
    rt_arena arena = {0};
    cnf_parting parting;
    cnf_traces_compare(&arena, detail->oracle, detail->messages, &parting);
    json_int_t part = parting.is_equal ? -1 : (json_int_t)parting.index;
    if (parting.is_complete) cnf_json_set(out, "part", json_integer(part));
    rt_arena_reset(&arena);
}

/* Adds the last OpenCL calls, which show where a run went wrong; only unexpected verdicts and known
 * failures have them. */
static void log_note(const cnf_record *record, const cnf_run_detail *detail, json_t *out)
{
    enum { CALLS_MAX = 400 };
    if (detail->log.length == 0 || !html_is_wrong(record)) return;
    rt_sink *sink = rt_sink_create();
    rt_arena arena = {0};
    ocl_call_log log;
    rt_status status = ocl_call_log_read(sink, &arena, detail->log, detail->log_is_tail, &log);
    if (rt_ok(status)) {
        json_t *lines = json_array();
        uint32_t first = log.call_count > CALLS_MAX ? log.call_count - CALLS_MAX : 0;
        for (uint32_t i = first; i < log.call_count; i++) {
            rt_buffer line = {0};
            ocl_call_print(&line, &log.calls[i]);
            cnf_json_append(lines, cnf_json_text(rt_buffer_text(&line)));
            rt_buffer_free(&line);
        }
        CHECK(json_array_size(lines) <= CALLS_MAX);
        cnf_json_set(out, "log", lines);
        if (log.is_full)
            cnf_json_set(out, "log_note",
                         json_string("The log was full, so later calls are missing."));
    } else {
        cnf_json_set(out, "log_note", cnf_json_text(rt_sink_diagnostic(sink, status)->message));
    }
    rt_arena_reset(&arena);
    rt_sink_destroy(sink);
}

json_t *html_detail_json(cnf_html *html, html_scenario *scenario, const cnf_record *record,
                         const cnf_run_detail *detail)
{
    json_t *out = json_object();
    if (detail->messages) {
        cnf_json_set(out, "checks", checks_json(detail->messages));
        traces_note(html, scenario, detail, out);
    }
    log_note(record, detail, out);
    if (detail->warning.length > 0) cnf_json_set(out, "warning", cnf_json_text(detail->warning));
    return out;
}
