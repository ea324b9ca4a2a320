/* The pictures of the page: collecting their input, and drawing them with Graphviz, several in
 * parallel, at the end of the run. */
#include "conformance/report/html/html_internal.h"

#include "conformance/explain/explain.h"
#include "conformance/explain/svg.h"
#include "conformance/explain/timeline.h"
#include "conformance/json/json.h"

#include <stdlib.h>
#include <string.h>

static rt_text buffer_keep(cnf_html *html, rt_buffer *buffer)
{
    rt_text copy = rt_arena_text(&html->arena, rt_buffer_text(buffer));
    rt_buffer_free(buffer);
    return copy;
}

void html_drawing_note(cnf_html *html, html_scenario *scenario, const cnf_record *record,
                       const cnf_run_detail *detail)
{
    if (!detail->scenario) return;
    bool is_wrong = html_is_wrong(record);
    rt_text trace = detail->messages ? detail->messages->trace : (rt_text){0};
    /* Prefers a subject that ran to one that only linked, the oracle to other subjects, and then
     * the first by name, because records arrive in any order. */
    const html_drawing *shared = &scenario->shared;
    bool ran = trace.length > 0, shared_ran = shared->timeline.length > 0;
    bool is_preferred = rt_text_equal(record->subject, html->oracle) ||
                        rt_text_compare(record->subject, shared->subject) < 0;
    if (rt_text_equal(shared->subject, html->oracle)) is_preferred = false;
    if (ran != shared_ran) is_preferred = ran;
    if (shared->subject.length == 0) is_preferred = true;
    if (!is_wrong && !is_preferred) return;
    rt_buffer dot = {0}, words = {0}, timeline = {0};
    cnf_explain_dot(&dot, detail->scenario, trace);
    cnf_explain_text(&words, detail->scenario, trace);
    if (ran) cnf_timeline_svg(&timeline, trace, detail->scenario->path);
    html_drawing drawing = {.subject = rt_arena_text(&html->arena, record->subject),
                            .dot = buffer_keep(html, &dot),
                            .words = buffer_keep(html, &words),
                            .timeline = buffer_keep(html, &timeline)};
    if (is_preferred) scenario->shared = drawing;
    if (is_wrong && ran) *rt_vector_push(&scenario->deviating) = drawing;
    CHECK(scenario->shared.subject.length > 0);
}

/* ---- Drawing ------------------------------------------------------------------------------- */

/* True if the subject's drawing equals the shared one. */
static bool is_shared(const html_scenario *scenario, const html_drawing *drawing)
{
    return rt_text_equal(drawing->dot, scenario->shared.dot) &&
           rt_text_equal(drawing->timeline, scenario->shared.timeline);
}

/* Appends Graphviz's picture without its prolog, its comments and its titles, which repeat DOT's
 * internal names. In such a picture every '<' begins a tag. */
static void svg_trim(rt_buffer *out, rt_text svg)
{
    static const struct {
        const char *begin, *end;
    } parts[] = {{"<?", "?>"}, {"<!DOCTYPE", ">"}, {"<!--", "-->"}, {"<title>", "</title>"}};
    for (size_t at = 0; at < svg.length;) {
        size_t skipped = 0;
        rt_text rest = {svg.data + at, svg.length - at};
        for (size_t i = 0; i < sizeof parts / sizeof *parts && skipped == 0; i++) {
            if (!rt_text_starts(rest, parts[i].begin)) continue;
            const char *end = memmem(rest.data, rest.length, parts[i].end, strlen(parts[i].end));
            skipped = end ? (size_t)(end - rest.data) + strlen(parts[i].end) : rest.length;
        }
        if (skipped == 0) rt_buffer_append_byte(out, *rest.data);
        at += skipped > 0 ? skipped : 1;
    }
}

typedef struct drawing_job {
    html_drawing *drawing;
    rt_text title;
    cnf_process process;
} drawing_job;

typedef struct drawing_pool {
    cnf_html *html;
    rt_sink *sink;
    drawing_job *jobs; /* ring buffer */
    uint32_t job_count, first, used;
    rt_text unavailable; /* why Graphviz cannot be started; empty if it can */
} drawing_pool;

static void oldest_end(drawing_pool *pool)
{
    CHECK(pool->used > 0 && pool->used <= pool->job_count);
    CHECK(pool->first < pool->job_count);
    drawing_job *job = &pool->jobs[pool->first];
    rt_buffer svg = {0}, trimmed = {0};
    rt_status status = cnf_explain_svg_end(pool->sink, &job->process, job->title, &svg);
    svg_trim(&trimmed, rt_buffer_text(&svg));
    if (rt_ok(status))
        job->drawing->graph = rt_arena_text(&pool->html->arena, rt_buffer_text(&trimmed));
    else
        job->drawing->problem =
            rt_arena_text(&pool->html->arena, rt_sink_diagnostic(pool->sink, status)->message);
    rt_buffer_free(&trimmed);
    rt_buffer_free(&svg);
    pool->first = (pool->first + 1) % pool->job_count;
    pool->used--;
}

static void drawing_begin(drawing_pool *pool, rt_text title, html_drawing *drawing)
{
    if (drawing->subject.length == 0 || pool->unavailable.length > 0) return;
    if (pool->used == pool->job_count) oldest_end(pool);
    CHECK(pool->used < pool->job_count && pool->first < pool->job_count);
    drawing_job *job = &pool->jobs[(pool->first + pool->used) % pool->job_count];
    *job = (drawing_job){.drawing = drawing, .title = title};
    rt_status status = cnf_explain_svg_begin(pool->sink, drawing->dot, &job->process);
    if (rt_ok(status))
        pool->used++;
    else
        pool->unavailable =
            rt_arena_text(&pool->html->arena, rt_sink_diagnostic(pool->sink, status)->message);
}

rt_text html_drawings_draw(cnf_html *html, uint32_t job_count)
{
    CHECK(job_count > 0);
    rt_arena arena = {0};
    drawing_pool pool = {.html = html, .sink = rt_sink_create(), .job_count = job_count};
    pool.jobs = rt_arena_alloc_array(&arena, job_count, sizeof *pool.jobs);
    for (uint32_t i = 0; i < html->scenarios.count; i++) {
        html_scenario *scenario = &html->scenarios.items[i];
        drawing_begin(&pool, scenario->path, &scenario->shared);
        for (uint32_t k = 0; k < scenario->deviating.count; k++)
            if (!is_shared(scenario, &scenario->deviating.items[k]))
                drawing_begin(&pool, scenario->path, &scenario->deviating.items[k]);
    }
    while (pool.used > 0)
        oldest_end(&pool);
    CHECK(pool.used == 0);
    rt_sink_destroy(pool.sink);
    rt_arena_reset(&arena);
    return pool.unavailable;
}

/* ---- For the page -------------------------------------------------------------------------- */

static json_t *drawing_json(const html_drawing *drawing)
{
    json_t *out = cnf_json_checked(json_pack("{s:o, s:o}", "of", cnf_json_text(drawing->subject),
                                             "words", cnf_json_text(drawing->words)));
    if (drawing->graph.length > 0) cnf_json_set(out, "graph", cnf_json_text(drawing->graph));
    if (drawing->timeline.length > 0)
        cnf_json_set(out, "timeline", cnf_json_text(drawing->timeline));
    if (drawing->problem.length > 0) cnf_json_set(out, "problem", cnf_json_text(drawing->problem));
    return out;
}

static int drawing_compare(const void *a, const void *b)
{
    return rt_text_compare(((const html_drawing *)a)->subject, ((const html_drawing *)b)->subject);
}

json_t *html_drawings_json(const html_scenario *scenario)
{
    json_t *list = json_array();
    if (scenario->shared.subject.length > 0) cnf_json_append(list, drawing_json(&scenario->shared));
    if (scenario->deviating.count > 0)
        qsort(scenario->deviating.items, scenario->deviating.count,
              sizeof *scenario->deviating.items, drawing_compare);
    for (uint32_t i = 0; i < scenario->deviating.count; i++) {
        if (!is_shared(scenario, &scenario->deviating.items[i]))
            cnf_json_append(list, drawing_json(&scenario->deviating.items[i]));
    }
    if (scenario->adopted) json_array_extend(list, scenario->adopted);
    return list;
}
