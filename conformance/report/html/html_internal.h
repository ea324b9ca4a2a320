/* What the files of this folder share; private to it. */
#ifndef CONFORMANCE_REPORT_HTML_HTML_INTERNAL_H
#define CONFORMANCE_REPORT_HTML_HTML_INTERNAL_H

#include "conformance/report/html/html.h"
#include "reference/base/map.h"

#include <jansson.h>

/* What `assay explain` and `assay trace` show of one run. */
typedef struct html_drawing {
    rt_text of;       /* subject; empty: there is no drawing */
    rt_text dot;      /* the graph, for Graphviz */
    rt_text words;    /* the same as text */
    rt_text timeline; /* SVG; empty: nothing ran */
    rt_text graph;    /* SVG; empty: not drawn (yet) */
    rt_text problem;  /* why it was not */
} html_drawing;

/* What was noted of one scenario; texts are in the page's arena, JSON is owned. */
typedef struct html_scenario {
    rt_text path, summary, source;
    json_t *covers;      /* [[rule, id of the step or ""], …] */
    json_t *events;      /* [[line, number that is the same for the same event], …], each once */
    rt_map lines, keys;  /* their indices and numbers */
    json_t *oracle;      /* indices of the oracle's events; NULL: it told none */
    json_t *subjects;    /* name -> detail.c's object */
    html_drawing shared; /* of the oracle, or of the subject that told most */
    RT_VECTOR(html_drawing) own; /* of subjects with which something is wrong */
} html_scenario;

struct cnf_html {
    rt_arena arena;
    rt_text oracle;
    RT_VECTOR(html_scenario) scenarios;
    rt_map paths;
};

/* The scenario of that path, added where there is none (html.c). */
html_scenario *html_scenario_of(cnf_html *html, rt_text path);

/* True where more is to be said than of a verdict that is as expected: also of a known failure
 * (html.c). */
bool html_is_wrong(const cnf_record *record);

/* Keeps a scenario's text, and what it says of itself where it could be read (html.c). */
void html_scenario_describe(cnf_html *html, html_scenario *scenario, rt_text source,
                            const scn_scenario *model);

/* ---- detail.c: one verdict ----------------------------------------------------------------- */

/* {"checks": [[word, line, text], …], "trace": [index, …], "part": index or -1 for the same,
 *  "log": [line, …], "log_note": text}, each where there is something. */
json_t *html_detail_json(cnf_html *html, html_scenario *scenario, const cnf_record *record,
                         const cnf_run_detail *detail);

/* ---- drawing.c: pictures ------------------------------------------------------------------- */

/* Keeps what the scenario's pictures are drawn from. */
void html_drawing_note(cnf_html *html, html_scenario *scenario, const cnf_record *record,
                       const cnf_run_detail *detail);

/* Draws all graphs.  The text is why Graphviz drew none, in the arena; empty: it could be asked. */
rt_text html_drawings_draw(cnf_html *html, uint32_t job_count);

/* The drawings of a scenario as JSON, the shared one first. */
json_t *html_drawings_json(const html_scenario *scenario);

#endif
